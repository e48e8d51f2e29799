//! A scene as TOML, complete: every value is written, so that a reader sees what can be changed, and what is read back is equal.

use super::ground::kinds;
use super::puppet::{bodies, measures};
use super::season::{self, Rows};
use super::table::radians_key;
use super::walker::at_height;
use crate::raster::{self, MapView};
use crate::{atomic, memory};
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};
use trample::Base;
use trample::params::degrees;
use trample::params::species::Shape;
use trample::params::{Body, Field, Material, Species, material, species};
use trample::scene::{
    Calendar, Choice, Control, Fall, ForceModel, Gate, Hold, Motion, NamedMaterial, Nature, PaintShape,
    Placement, PlantKind, PlantPatch, Press, PuppetSpec, Scene, Script, SoleShape, Terrain, TrailRoute,
    Visitors, Walk, WalkerSpec,
};

/// Why a scene cannot be written so that it comes back equal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` cannot be written: {reason}")]
pub struct Unwritable {
    /// What of the scene, as in `walker[0].motion`.
    pub field: String,
    /// Why.
    pub reason: String,
}

/// The scene as TOML that reads back to an equal scene.
///
/// # Errors
/// If it holds what TOML alone cannot say: [`write()`] puts height maps, images and soles into files beside it; recorded motion and
/// an animal's stride are refused.
pub fn to_toml(scene: &Scene) -> Result<String, Unwritable> {
    let (text, beside) = Writer::of(scene, "")?;
    match beside.first() {
        None => Ok(text),
        Some(map) => Err(Unwritable {
            field: map.field.clone(),
            reason: "it needs a file beside the scene; write the scene to a file".into(),
        }),
    }
}

/// Writes the scene to a file, and what TOML cannot say to `.npy` files beside it. Says which files there are now.
///
/// # Errors
/// If it holds recorded motion or an animal's stride, which only their own files say, or if a file cannot be written.
pub fn write(path: &Path, scene: &Scene) -> Result<Vec<PathBuf>, String> {
    let stem = memory::bare(path).file_stem().map_or("scene".into(), |s| s.to_string_lossy().into_owned());
    let (text, beside) = Writer::of(scene, &stem).map_err(|e| e.to_string())?;
    let mut files = Vec::new();
    for map in beside {
        let file = memory::folder_of(path).join(&map.name);
        let view = MapView::new(&map.name, "", map.size, &map.data);
        raster::write_npy(&file, &view).map_err(|e| e.to_string())?;
        files.push(file);
    }
    atomic::write(path, text.as_bytes()).map_err(|e| format!("{}: {e}", path.display()))?;
    files.push(path.to_path_buf());
    Ok(files)
}

/// A file of numbers that the TOML names.
struct Beside {
    field: String,
    name: String,
    size: [usize; 2],
    data: Vec<f32>,
}

struct Writer<'a> {
    out: String,
    stem: &'a str,
    beside: Vec<Beside>,
}

/// The name of a value in a list of names and values.
fn name_of<T: PartialEq>(all: &[(&'static str, T)], value: &T) -> &'static str {
    all.iter().find(|(_, t)| t == value).map(|(name, _)| *name).expect("every value has a name")
}

impl<'a> Writer<'a> {
    fn of(scene: &Scene, stem: &'a str) -> Result<(String, Vec<Beside>), Unwritable> {
        let mut w = Self { out: String::new(), stem, beside: Vec::new() };
        w.line("name", quoted(&scene.name));
        w.line("about", quoted(&scene.about));
        w.line("seed", scene.seed);
        w.rows(Scene::FIELDS, scene, None);
        if scene.wind != Scene::default().wind {
            w.line("wind", format_args!("{:?} # m/s²", scene.wind));
        }
        w.terrain(&scene.terrain)?;
        for (i, puppet) in scene.puppets.iter().enumerate() {
            w.puppet(&scene.actor(i), puppet)?;
        }
        for (i, patch) in scene.plants.iter().enumerate() {
            w.plants(i, patch)?;
        }
        if let Some(season) = &scene.season {
            let text = season::to_toml(season, &mut |of| {
                let mut w = Self { out: String::new(), stem, beside: Vec::new() };
                match of {
                    Rows::Gate(gate) => w.rows(Gate::FIELDS, gate, None),
                    Rows::Who(who) => w.rows(Visitors::FIELDS, who, None),
                    Rows::Route(route) => w.rows(TrailRoute::FIELDS, route, None),
                    Rows::Calendar(calendar) => w.rows(Calendar::FIELDS, calendar, None),
                    Rows::Choice(choice) => w.rows(Choice::FIELDS, choice, None),
                    Rows::Nature(nature) => w.rows(Nature::FIELDS, nature, None),
                }
                w.out
            });
            w.out.push_str(&text);
        }
        Ok((w.out, w.beside))
    }

    fn line(&mut self, key: &str, value: impl Display) {
        writeln!(self.out, "{key} = {value}").expect("writing to a string does not fail");
    }

    fn head(&mut self, header: &str) {
        writeln!(self.out, "\n{header}").expect("writing to a string does not fail");
    }

    /// All numbers of a table of parameters; with a `base` only those that differ from it.
    fn rows<'f, T: 'static>(
        &mut self,
        fields: impl IntoIterator<Item = &'f Field<T>>,
        of: &T,
        base: Option<&T>,
    ) {
        for field in fields {
            let (range, stored) = (&field.range, (field.read)(of));
            let Some(stored) = stored.filter(|_| base.is_none_or(|base| (field.read)(base) != stored)) else {
                continue;
            };
            let unit = if range.unit.is_empty() { String::new() } else { format!(" # {}", range.unit) };
            match radians_key(range).filter(|_| degrees(stored).to_radians() != stored) {
                Some(key) => self.line(&key, format_args!("{stored:?}")),
                None if range.switch => self.line(range.name, stored != 0.0),
                None if range.integer => self.line(range.name, format_args!("{stored:.0}{unit}")),
                None if range.is_angle() => {
                    self.line(range.name, format_args!("{:?}{unit}", degrees(stored)));
                }
                None => self.line(range.name, format_args!("{stored:?}{unit}")),
            }
        }
    }

    fn colour(&mut self, own: [u8; 3], base: [u8; 3]) {
        if own != base {
            self.line("colour", format_args!("{own:?}"));
        }
    }

    /// Puts numbers into a file beside the scene; returns its name, quoted. The same numbers share one file.
    fn beside(&mut self, field: String, size: [usize; 2], data: Vec<f32>) -> String {
        if let Some(same) = self.beside.iter().find(|b| b.size == size && b.data == data) {
            return quoted(&same.name);
        }
        let name = field.replace(['[', ']'], "").replace('.', "-");
        let name = format!("{}-{name}.npy", self.stem);
        let text = quoted(&name);
        self.beside.push(Beside { field, name, size, data });
        text
    }

    fn terrain(&mut self, t: &Terrain) -> Result<(), Unwritable> {
        self.head("[terrain]");
        self.line("law", format_args!("{:?}", t.law.name()));
        self.line("size", format_args!("{:?} # m", t.size));
        self.line("material", quoted(&t.materials[0].name));
        self.rows(Terrain::FIELDS, t, None);
        self.head("[terrain.base]");
        if let Base::Raster(raster) = &t.base {
            let file = self.beside("terrain.base".into(), raster.posts(), raster.data().to_vec());
            self.line("file", file);
            self.line("spacing", format_args!("{:?} # m", raster.spacing()));
            self.line("keep_datum", true);
        } else {
            let alike = |base: &Base| std::mem::discriminant(base) == std::mem::discriminant(&t.base);
            let kind = kinds().into_iter().find(|(_, base)| alike(base)).map_or("flat", |(kind, _)| kind);
            self.line("kind", format_args!("{kind:?}"));
            self.rows(Base::FIELDS, &t.base, None);
            if let Base::Hills { seed, .. } = &t.base {
                self.line("seed", seed);
            }
        }
        if let Some(place) = t.place {
            self.head("[terrain.place]");
            self.line("epsg", place.epsg);
            self.line("corner", format_args!("{:?}", place.corner));
        }
        for (i, named) in t.materials.iter().enumerate() {
            let refused =
                |reason: &str| Unwritable { field: format!("material[{i}]"), reason: reason.into() };
            if t.materials[..i].iter().any(|other| other.name == named.name) {
                return Err(refused("another material has the same name"));
            }
            let preset = named.material.preset;
            let base = material::by_name(preset).ok_or_else(|| refused("there is no such preset"))?;
            self.head("[[material]]");
            self.line("name", quoted(&named.name));
            self.line("preset", quoted(preset));
            self.rows(Material::FIELDS, &named.material, Some(&base));
            self.colour(named.material.colour, base.colour);
        }
        for (i, paint) in t.paints.iter().enumerate() {
            self.head("[[paint]]");
            if !matches!(paint.shape, PaintShape::Image { .. }) {
                self.line("material", quoted(&t.materials[usize::from(paint.material)].name));
            }
            match &paint.shape {
                PaintShape::Rectangle { min, max } => {
                    self.line("rectangle", format_args!("[{min:?}, {max:?}] # m"));
                }
                PaintShape::Disc { centre, radius } => {
                    self.line("disc", format_args!("{{ centre = {centre:?}, radius = {radius:?} }}"));
                }
                PaintShape::Image { width, height, indices } => {
                    let data = indices.iter().map(|&m| f32::from(m)).collect();
                    let file = self.beside(format!("paint[{i}]"), [*width, *height], data);
                    self.line("image", file);
                    let level = |(k, m): (usize, &NamedMaterial)| format!("{k} = {}", quoted(&m.name));
                    let levels: Vec<String> = t.materials.iter().enumerate().map(level).collect();
                    self.line("levels", format_args!("{{ {} }}", levels.join(", ")));
                }
            }
        }
        Ok(())
    }

    fn puppet(&mut self, actor: &str, p: &PuppetSpec) -> Result<(), Unwritable> {
        let refused = |key: &str, reason: String| Err(Unwritable { field: format!("{actor}.{key}"), reason });
        let ready = match &p.script {
            Script::Animal(animal) => animal.ready,
            _ => None,
        };
        let on_its_own = ready.is_some() || matches!(p.script, Script::Walker(_));
        self.head(if on_its_own { "[[walker]]" } else { "[[puppet]]" });
        self.line("name", quoted(&p.name));
        if let Some(ready) = ready {
            self.line("body", format_args!("{:?}", ready.name()));
        }
        // The body it is read from: a built-in one if only its mass differs, else an ordinary one; then what differs.
        let walks = matches!(p.script, Script::Walker(_));
        let known = bodies().into_iter().find(|(_, b)| Body { mass: p.body.mass, ..*b } == p.body);
        if let Some((name, _)) = known.filter(|_| walks) {
            self.line("body", format_args!("{name:?}"));
        }
        let usual = match known {
            Some((_, body)) if walks => body,
            _ if walks => at_height(Body::default(), p.body.height),
            _ => PuppetSpec::default().body,
        };
        let always = |f: &&Field<Body>| Field::find(Body::ANYTHING, f.range.name).is_some();
        // How tall a ready-made animal is goes with its kind.
        let own = |f: &&Field<Body>| ready.is_none() || f.range.name != "height";
        self.rows(measures(p.measures()).filter(always).filter(own), &p.body, None);
        self.rows(measures(p.measures()).filter(|f| !always(f) && ready.is_none()), &p.body, Some(&usual));
        match &p.sole {
            SoleShape::Footwear(wear) => self.line("footwear", format_args!("{:?}", wear.name())),
            SoleShape::Custom(sole) => {
                let size = [sole.nv, sole.nu];
                let coverage = self.beside(format!("{actor}.coverage"), size, sole.coverage.clone());
                let depth = self.beside(format!("{actor}.depth"), size, sole.depth.clone());
                let sizes = format!(
                    "{:?}, width = {:?}, ball = {:?}, softness = {:?}, bending = {:?}",
                    sole.length, sole.width, sole.ball, sole.softness, sole.bending
                );
                self.line(
                    "sole",
                    format_args!("{{ coverage = {coverage}, depth = {depth}, length = {sizes} }}"),
                );
            }
        }
        if p.hold == Hold::Free {
            self.line("hold", "\"free\"");
        }
        match &p.script {
            Script::Walk(walk) => {
                self.line("motion", "\"walk\"");
                self.path(&walk.path);
                self.rows(Walk::FIELDS, walk, None);
            }
            Script::Fall(fall) => {
                self.line("motion", "\"drop\"");
                self.line("position", format_args!("{:?} # m", fall.position));
                self.rows(Fall::FIELDS, fall, None);
            }
            Script::Press(press) => {
                self.line("motion", "\"press\"");
                self.line("position", format_args!("{:?} # m", press.position));
                self.rows(Press::FIELDS, press, None);
            }
            Script::Host { feet } => {
                self.line("motion", "\"host\"");
                self.line("feet", feet);
            }
            Script::Animal(animal) => match animal.ready {
                Some(ready) if *animal.stride == ready.stride(animal.path.speed) => self.path(&animal.path),
                _ => return refused("character", "its stride is that of its own file".into()),
            },
            Script::Walker(walker) => {
                if let Some(recorded) = &walker.recorded {
                    let clips = recorded.clips.len();
                    return refused(
                        "motion",
                        format!("it moves by {clips} clips that only their files hold"),
                    );
                }
                self.line("force", format_args!("{:?}", name_of(&ForceModel::ALL, &walker.force)));
                self.line("balance", walker.balance);
                self.line("position", format_args!("{:?} # m", walker.position));
                self.rows(WalkerSpec::FIELDS, walker, None);
                match &walker.control {
                    Control::Stand => {}
                    Control::Walk(_) => return refused("route", "it is steered by hand".into()),
                    Control::Route(route) => {
                        self.path(&route.path);
                        self.line("metabolic", route.metabolic);
                        self.line("motion", format_args!("{:?}", name_of(&Motion::ALL, &route.motion)));
                    }
                }
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &trample::scene::Path) {
        self.line("waypoints", format_args!("{:?} # m", path.waypoints));
        self.line("back_and_forth", path.back_and_forth);
        self.rows(trample::scene::Path::FIELDS, path, None);
    }

    fn plants(&mut self, index: usize, patch: &PlantPatch) -> Result<(), Unwritable> {
        let own = &patch.species;
        let Some(base) = species::by_name(own.preset) else {
            let reason = format!("there is no preset `{}`", own.preset);
            return Err(Unwritable { field: format!("plants[{index}].species"), reason });
        };
        self.head("[[plants]]");
        self.line("name", quoted(&patch.name));
        self.line("species", format_args!("{:?}", own.preset));
        self.species(own, &base);
        self.line("rectangle", format_args!("[{:?}, {:?}] # m", patch.min, patch.max));
        self.line("placement", format_args!("{:?}", name_of(&Placement::ALL, &patch.placement)));
        self.line("seed", patch.seed);
        let displaced = matches!(patch.kind, PlantKind::Displaced { .. });
        self.line("method", if displaced { "\"displaced\"" } else { "\"simulated\"" });
        self.rows(PlantPatch::FIELDS, patch, None);
        for (key, map) in [("density_map", &patch.density_map), ("strength_map", &patch.strength_map)] {
            let Some(map) = map else { continue };
            let what = format!("plants[{index}]{}", if key == "density_map" { "" } else { ".strength" });
            let file = self.beside(what, [map.width, map.height], map.values.to_vec());
            self.line(key, file);
        }
        Ok(())
    }

    /// What of a species differs from another.
    fn species(&mut self, own: &Species, base: &Species) {
        if own.shape != base.shape {
            self.line("shape", format_args!("{:?}", name_of(&Shape::ALL, &own.shape)));
        }
        self.rows(Species::FIELDS, own, Some(base));
        self.colour(own.colour, base.colour);
    }
}

/// A species as a file: the preset it is based on, and every number that differs from it. A `[fit]` may follow.
pub fn species_to_toml(species: &Species, based_on: &str) -> String {
    let mut writer = Writer { out: String::new(), stem: "", beside: Vec::new() };
    writer.line("based_on", format_args!("{based_on:?}"));
    writer.species(species, &species::by_name(based_on).unwrap_or(*species));
    writer.out
}

/// A text as TOML wants it. Rust's own escapes differ for anything unusual.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                write!(out, "\\u{:04X}", u32::from(c)).expect("writing to a string does not fail");
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
