//! A walker that is an animal: a ready-made one, or a character on four legs that plays its own stride.

use super::table::{Result, Table};
use super::{Source, puppet};
use crate::character::{FourFooted, Loaded};
use std::sync::Arc;
use trample::params::{Body, Footwear};
use trample::scene::{Animal, Path, PuppetSpec, Ready, Script, SoleShape};

/// Size of a foot as a share of the height of the hips, where no skin tells it: a horse's hoof of 13 cm at 1.3 m. Our choice for all.
const FOOT: f64 = 0.1;

/// The ready-made animal that a `[[walker]]` is: by its `body` or its `character`.
pub(crate) fn ready(p: &Table<'_>) -> Option<Ready> {
    ["body", "character"].iter().find_map(|key| Ready::by_name(p.node.get(key)?.text()?))
}

/// What an animal is told besides what it is.
fn rest(p: &Table<'_>, source: &Source, spec: &mut PuppetSpec, own_speed: f64) -> Result<Path> {
    p.fields(Body::ANYTHING.iter().filter(|f| f.range.name != "height"), &mut spec.body)?;
    puppet::under_foot(p, source, spec)?;
    let mut path = Path { speed: own_speed, ..Path::default() };
    if !puppet::path(p, &mut path, Path::ANIMAL_FIELDS)? {
        path.waypoints = p.points("route", 2, 100_000)?.ok_or_else(|| {
            let problem = "an animal needs `waypoints`: it plays its stride along a path";
            let key = if p.node.get("character").is_some() { "character" } else { "body" };
            p.error_at(key, format!("`{}`: {problem}", p.field(key)))
        })?;
    }
    Ok(path)
}

/// Reads the rest of a `[[walker]]` that is a ready-made animal.
pub(crate) fn read_ready(p: &Table<'_>, source: &Source, ready: Ready) -> Result<PuppetSpec> {
    for key in ["body", "character"] {
        p.get(key);
    }
    let name = p.text("name")?.unwrap_or(ready.name()).to_string();
    let mut spec = ready.on(&name, Path::default());
    let path = rest(p, source, &mut spec, ready.speed())?;
    p.done()?;
    let stride = Arc::new(ready.stride(path.speed));
    spec.script = Script::Animal(Box::new(Animal {
        path,
        stride,
        ready: Some(ready),
        take: String::new(),
        notes: Vec::new(),
    }));
    Ok(spec)
}

/// An animal moves by its own file, whether `motion` says so or not; it cannot move by another.
fn own_motion(p: &Table<'_>, loaded: &Loaded) -> Result<()> {
    let Some(node) = p.get("motion") else { return Ok(()) };
    let items = if node.text().is_some() { std::slice::from_ref(node) } else { node.items() };
    for item in items {
        let named = item.text().or_else(|| item.get("file").and_then(|file| file.text())).unwrap_or_default();
        let own = loaded.path.file_name();
        if own.is_none() || std::path::Path::new(named).file_name() != own {
            let problem = format!(
                "`{}`: {} is an animal and plays the strides of its own file, not `{named}`; leave `motion` out",
                p.field("motion"),
                loaded.path.display()
            );
            return Err(p.error(item, problem));
        }
    }
    Ok(())
}

/// Reads the rest of a `[[walker]]` whose `character` is four-footed.
pub(crate) fn read(
    p: &Table<'_>,
    source: &Source,
    loaded: &Loaded,
    animal: &FourFooted,
) -> Result<PuppetSpec> {
    let fail = |key: &str, problem: String| p.error_at(key, format!("`{}`: {problem}", p.field(key)));
    let at = || loaded.path.display();
    let mut spec = PuppetSpec { name: p.text("name")?.unwrap_or("animal").into(), ..PuppetSpec::default() };
    let leg = f64::from(animal.leg);
    let foot = (FOOT * leg).clamp(0.02, 0.4);
    // The height only tells how large it is; its stride is its own.
    let height = (1.3 * leg).clamp(0.3, 3.0);
    let mass = animal.mass.clamp(0.1, 20_000.0);
    spec.body = Body { height, mass, foot_length: foot, foot_width: foot, ..spec.body };
    spec.sole = match animal.own_sole(&loaded.source) {
        Some(sole) => {
            (spec.body.foot_length, spec.body.foot_width) = (sole.length, sole.width);
            SoleShape::Custom(sole)
        }
        None => SoleShape::Footwear(Footwear::Hoof),
    };
    own_motion(p, loaded)?;
    let mut notes: Vec<String> = ["step_variation", "metabolic", "balance", "fill"]
        .into_iter()
        .filter(|key| p.get(key).is_some())
        .map(|key| format!("`{key}` has no effect: it is an animal, which plays the stride of its file"))
        .collect();
    notes.extend(animal.note());
    let take = p.text("take")?;
    let strides = animal.strides(&loaded.source);
    let asked = p.node.get("speed").and_then(super::table::plain_number);
    let chosen = strides.choose(asked, take).map_err(|e| fail("character", format!("{}: {e}", at())))?;
    let mut path = rest(p, source, &mut spec, chosen.stride.speed())?;
    p.done()?;
    if asked.is_none() {
        path.speed = chosen.stride.speed();
    }
    let (stride, take) = (Arc::new(chosen.stride.clone()), chosen.name.clone());
    spec.script = Script::Animal(Box::new(Animal { path, stride, ready: None, take, notes }));
    Ok(spec)
}
