//! A walker whose character has four legs: an animal that plays its own stride.

use super::table::{Result, Table};
use super::{Source, puppet};
use crate::character::{FourFooted, Loaded};
use std::sync::Arc;
use trample::params::Footwear;
use trample::scene::{Animal, PuppetSpec, Script, SoleShape, Walk};

/// Size of a foot as a share of the height of the hips: a horse's hoof of 13 cm at 1.3 m. Our choice for all.
const FOOT: f64 = 0.1;

/// Reads the rest of a `[[walker]]` whose `character` is four-footed.
pub(crate) fn read(
    p: &Table<'_>,
    source: &Source,
    loaded: &Loaded,
    animal: &FourFooted,
) -> Result<PuppetSpec> {
    let fail = |key: &str, problem: String| p.error_at(key, format!("`{}`: {problem}", p.field(key)));
    let at = || loaded.path.display();
    let stride = animal.stride(&loaded.source).map_err(|e| fail("character", format!("{}: {e}", at())))?;
    let mut spec = PuppetSpec { name: p.text("name")?.unwrap_or("animal").into(), ..PuppetSpec::default() };
    let leg = f64::from(animal.leg);
    // The height only tells how large it is; its stride is its own.
    (spec.mass, spec.height) = (animal.mass, (1.3 * leg).clamp(0.3, 3.0));
    let foot = (FOOT * leg).clamp(0.02, 0.4);
    (spec.foot_length, spec.foot_width) = (foot, foot);
    p.set("foot_length", "foot_length", &mut spec.foot_length)?;
    p.set("foot_width", "foot_width", &mut spec.foot_width)?;
    let wear = Footwear::ALL.map(|f| (f.name(), f));
    spec.sole = SoleShape::Footwear(p.word("footwear", &wear)?.unwrap_or(Footwear::Hoof));
    if let Some(node) = p.get("sole") {
        let s = Table::new(node, p.field("sole"), source)?;
        spec.sole = SoleShape::Custom(puppet::sole(&s, spec.foot_length)?);
    }
    let mut walk = Walk { speed: stride.speed(), ..Walk::default() };
    let route = p.points("waypoints", 2, 100_000)?.or(p.points("route", 2, 100_000)?);
    walk.waypoints = route.ok_or_else(|| {
        fail("character", "an animal needs `waypoints`: it plays its stride along a path".into())
    })?;
    p.count("passes", "passes", &mut walk.passes)?;
    walk.back_and_forth = p.flag("back_and_forth")?.unwrap_or(walk.back_and_forth);
    p.set("speed", "speed", &mut walk.speed)?;
    p.set("lateral_sd", "lateral_sd", &mut walk.lateral_sd)?;
    p.set("start", "start", &mut walk.start)?;
    p.done()?;
    spec.script = Script::Animal(Box::new(Animal { walk, stride: Arc::new(stride) }));
    Ok(spec)
}
