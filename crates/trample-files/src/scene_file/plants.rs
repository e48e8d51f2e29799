//! Plants from a tree and back: a rectangle, what grows in it, how densely.

use super::keys::METHODS;
use super::node::Node;
use super::read::colour;
use super::table::{Result, Table};
use super::write::{degrees, quoted, unit};
use super::{SceneFileError, Source};
use crate::raster::{self, Limits};
use std::fmt::Write;
use std::path::Path;
use trample::Species;
use trample::params::species::{PRESETS, Shape, by_name};
use trample::scene::{DensityMap, Placement, PlantKind, PlantPatch};

/// What SW-2 moves plants aside by where a scene does not say: at the foot, m, and how fast it fades. Our choice.
const DISPLACED: [f64; 2] = [0.1, 0.5];

/// The preset that `key` names.
fn preset(p: &Table<'_>, key: &'static str) -> Result<Option<Species>> {
    p.word(key, &PRESETS.map(|preset| (preset.name, preset.species)))
}

/// A species with the numbers that a table gives over it.
fn own(p: &Table<'_>, mut species: Species) -> Result<Species> {
    species.shape = p.word("shape", &Shape::ALL)?.unwrap_or(species.shape);
    for r in Species::RANGES {
        if let Some(value) = p.number(r.field, r.field)? {
            let value = if r.field.ends_with("_deg") { value.to_radians() } else { value };
            *species.field_mut(r.field).expect("a ranged field exists") = value;
        }
    }
    if let Some(node) = p.get("colour") {
        species.colour = colour(node).ok_or_else(|| {
            p.must_be(node, "colour", "three whole numbers from 0 to 255: [red, green, blue]")
        })?;
    }
    Ok(species)
}

/// A species file, as `trample calibrate` writes it: the preset it is `based_on`, and what differs. What a `[fit]` says about
/// where the numbers come from is not read.
pub fn read_species(path: &Path) -> Result<Species> {
    let source = Source::read(path)?;
    let tree = Node::parse(&source.text)
        .map_err(|(line, problem)| SceneFileError { place: format!("{}:{line}", source.name), problem })?;
    let table = Table::new(&tree, "", &source)?;
    let Some(base) = preset(&table, "based_on")? else {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let problem = format!("`based_on` is missing, allowed: {}", names.join(", "));
        return Err(SceneFileError { place: source.name.clone(), problem });
    };
    let species = own(&table, base)?;
    table.get("fit");
    table.done()?;
    if species.break_angle <= species.wear_angle {
        let problem = "`break_angle_deg` must be larger than `wear_angle_deg`".into();
        return Err(table.error_at("break_angle_deg", problem));
    }
    Ok(species)
}

/// Whether a text is a species file and not a scene.
pub fn is_species(text: &str) -> bool {
    Node::parse(text).is_ok_and(|tree| tree.get("based_on").is_some())
}

/// A species as a file: the preset it is based on, and every number that differs from it. A `[fit]` may follow.
pub fn species_to_toml(species: &Species, based_on: &str) -> String {
    let base = by_name(based_on).unwrap_or(*species);
    let mut out = format!("based_on = {based_on:?}\n");
    if species.shape != base.shape {
        let shape = Shape::ALL.iter().find(|(_, s)| *s == species.shape).map_or("sheet", |(name, _)| name);
        out.push_str(&format!("shape = {shape:?}\n"));
    }
    for range in Species::RANGES {
        let (value, known) = (species.field(range.field), base.field(range.field));
        if let Some(value) = value.filter(|_| value != known) {
            out.push_str(&format!("{} = {value:?}{}\n", range.field, unit(range.unit)));
        }
    }
    out
}

/// Reads a `[[plants]]`; `size` is the terrain's, which it covers if it does not say where it grows.
pub(crate) fn read(p: &Table<'_>, size: [f64; 2]) -> Result<PlantPatch> {
    let mut patch = PlantPatch { min: [0.0; 2], max: size, ..PlantPatch::default() };
    if let Some(name) = p.text("name")? {
        patch.name = name.into();
    }
    patch.species = match p.get("species").and_then(Node::text) {
        Some(name) if name.ends_with(".toml") => {
            let path = p.file("species")?.expect("it is there");
            read_species(&path).map_err(|e| p.error_at("species", e.to_string()))?
        }
        _ => preset(p, "species")?.unwrap_or(patch.species),
    };
    patch.species = own(p, patch.species)?;
    p.set("density", "density", &mut patch.density)?;
    if let Some(corners) = p.points("rectangle", 2, 2)? {
        // Any two opposite corners will do.
        patch.min = [0, 1].map(|k| corners[0][k].min(corners[1][k]));
        patch.max = [0, 1].map(|k| corners[0][k].max(corners[1][k]));
    }
    patch.placement = p.word("placement", &Placement::ALL)?.unwrap_or_default();
    patch.seed = p.whole("seed")?.unwrap_or(patch.seed);
    let methods: Vec<(&str, &str)> = METHODS.iter().map(|(method, _)| (*method, *method)).collect();
    let method = p.word("method", &methods)?.unwrap_or("simulated");
    if method == "displaced" {
        let [mut most, mut fade] = DISPLACED;
        p.set("most", "most", &mut most)?;
        p.set("fade", "fade", &mut fade)?;
        patch.kind = PlantKind::Displaced { most, fade };
    }
    let image = p.file("density_map")?;
    p.done_with("method", method, METHODS)?;
    if let Some(path) = image {
        let fail =
            |problem: String| p.error_at("density_map", format!("`{}`: {problem}", p.field("density_map")));
        let limits = Limits { max_cells: 1 << 24, ..Limits::default() };
        let grid = raster::read_height_map(&path, &limits).map_err(|e| fail(e.to_string()))?;
        // White is the full density, black is none; formats other than PNG count from 0 to 1.
        let white = grid.raw_integer_range.unwrap_or(1.0);
        let values: Vec<f32> = grid.data.iter().map(|v| v / white).collect();
        if let Some(bad) = values.iter().position(|v| !(0.0..=1.0).contains(v)) {
            let (column, row) = (bad % grid.width, bad / grid.width);
            return Err(fail(format!(
                "{} at column {column}, row {row} is not a share; allowed: grey PNG, or numbers from 0 to 1",
                values[bad]
            )));
        }
        patch.density_map = Some(DensityMap { width: grid.width, height: grid.height, values });
    }
    Ok(patch)
}

/// Writes a `[[plants]]`: the species nearest to it, and what differs.
pub(crate) fn put(out: &mut String, patch: &PlantPatch) -> std::fmt::Result {
    let own = &patch.species;
    // As stored: angles in radians, which degrees would round.
    let stored = |mut s: Species, field: &str| *s.field_mut(field).expect("a ranged field exists");
    let differing = |s: &Species| {
        let fields = Species::RANGES.iter().filter(|r| stored(*s, r.field) != stored(*own, r.field)).count();
        fields + usize::from(s.shape != own.shape) + usize::from(s.colour != own.colour)
    };
    let nearest = PRESETS.iter().min_by_key(|preset| differing(&preset.species)).expect("there are presets");
    let base = nearest.species;
    writeln!(out, "\n[[plants]]\nname = {}\nspecies = {:?}", quoted(&patch.name), nearest.name)?;
    if own.shape != base.shape {
        let shape = Shape::ALL.iter().find(|(_, s)| *s == own.shape).map_or("sheet", |(name, _)| name);
        writeln!(out, "shape = {shape:?}")?;
    }
    for range in Species::RANGES {
        let value = stored(*own, range.field);
        if value != stored(base, range.field) {
            let value = if range.field.ends_with("_deg") { degrees(value) } else { value };
            writeln!(out, "{} = {value:?}{}", range.field, unit(range.unit))?;
        }
    }
    if own.colour != base.colour {
        writeln!(out, "colour = {:?}", own.colour)?;
    }
    writeln!(out, "density = {:?} # 1/m²", patch.density)?;
    writeln!(out, "rectangle = [{:?}, {:?}] # m", patch.min, patch.max)?;
    let placement = Placement::ALL.iter().find(|(_, p)| *p == patch.placement).map_or("jittered", |(n, _)| n);
    writeln!(out, "placement = {placement:?}\nseed = {}", patch.seed)?;
    match patch.kind {
        PlantKind::Simulated => writeln!(out, "method = \"simulated\"")?,
        PlantKind::Displaced { most, fade } => {
            writeln!(out, "method = \"displaced\"\nmost = {most:?} # m\nfade = {fade:?}")?;
        }
    }
    if let Some(map) = &patch.density_map {
        writeln!(out, "# Thinned by an image of {} × {} pixels, from a file.", map.width, map.height)?;
    }
    Ok(())
}
