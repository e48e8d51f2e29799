//! Plants from a tree and back: a rectangle, what grows in it, how densely.

use super::keys::METHODS;
use super::node::Node;
use super::table::{Result, Table};
use super::{SceneFileError, Source};
use crate::inputs;
use crate::raster::{self, Limits};
use std::path::{Path, PathBuf};
use trample::Species;
use trample::params::species::{PRESETS, Shape};
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
    p.fields(Species::FIELDS, &mut species)?;
    species.colour = p.colour()?.unwrap_or(species.colour);
    Ok(species)
}

/// A species file, as `trample calibrate` writes it: the preset it is `based_on`, and what differs. What a `[fit]` says about
/// where the numbers come from is not read.
pub fn read_species(path: &Path) -> Result<Species> {
    let source = Source::read(path)?;
    let tree = source.parse()?;
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
    if let Some(corners) = p.points("rectangle", 2, 2)? {
        // Any two opposite corners will do.
        patch.min = [0, 1].map(|k| corners[0][k].min(corners[1][k]));
        patch.max = [0, 1].map(|k| corners[0][k].max(corners[1][k]));
    }
    patch.placement = p.word("placement", &Placement::ALL)?.unwrap_or_default();
    patch.seed = p.integer("seed")?.unwrap_or(patch.seed);
    let methods: Vec<(&str, &str)> = METHODS.iter().map(|(method, _)| (*method, *method)).collect();
    let method = p.word("method", &methods)?.unwrap_or("simulated");
    if method == "displaced" {
        let [most, fade] = DISPLACED;
        patch.kind = PlantKind::Displaced { most, fade };
    }
    let simulated = patch.clone();
    p.fields(PlantPatch::FIELDS.iter().filter(|f| f.get(&simulated).is_some()), &mut patch)?;
    let images = [p.file("density_map")?, p.file("strength_map")?];
    p.done_with("method", method, &METHODS)?;
    let [density, strength] = images;
    patch.density_map = shares(p, "density_map", density)?;
    patch.strength_map = shares(p, "strength_map", strength)?;
    Ok(patch)
}

/// Shares from 0 to 1 out of a picture or a map, if there is one.
fn shares(p: &Table<'_>, key: &'static str, path: Option<PathBuf>) -> Result<Option<DensityMap>> {
    path.map(|path| {
        let fail = |problem: String| p.error_at(key, format!("`{}`: {problem}", p.field(key)));
        let read = || {
            let limits = Limits { max_cells: 1 << 24, ..Limits::default() };
            let grid = raster::read_height_map(&path, &limits).map_err(|e| fail(e.to_string()))?;
            inputs::hold(4 * grid.data.len() as u64).map_err(fail)?;
            // White is all, black is none; formats other than PNG count from 0 to 1.
            let white = grid.raw_integer_range.unwrap_or(1.0);
            let values: Vec<f32> = grid.data.iter().map(|v| v / white).collect();
            if let Some(bad) = values.iter().position(|v| !(0.0..=1.0).contains(v)) {
                let (column, row) = (bad % grid.width, bad / grid.width);
                return Err(fail(format!(
                    "{} at column {column}, row {row} is not a share; allowed: grey PNG, or numbers from 0 to 1",
                    values[bad]
                )));
            }
            Ok(DensityMap { width: grid.width, height: grid.height, values: values.into() })
        };
        inputs::shared(format!("density {}", path.display()), read)
    })
    .transpose()
}
