//! A walker from a tree: body, route and how it is carried.

use super::own_motion::Shelf;
use super::table::{Result, Table};
use super::{Source, animal, puppet};
use trample::params::{Body, Footwear};
use trample::scene::walker::heading_of;
use trample::scene::{Control, ForceModel, Motion, PuppetSpec, Route, Script, SoleShape, Walk, WalkerSpec};

/// Reads a `[[walker]]`: a puppet that moves itself.
pub(crate) fn read(p: &Table<'_>, source: &Source, shelf: &mut Shelf) -> Result<PuppetSpec> {
    let mut spec = PuppetSpec { name: p.text("name")?.unwrap_or("walker").into(), ..PuppetSpec::default() };
    let bodies: Vec<(&'static str, Body)> =
        Body::VARIANTS.iter().filter_map(|name| Body::by_name(name).map(|body| (*name, body))).collect();
    let mut usual = p.word("body", &bodies)?.unwrap_or_default();
    let given_mass = p.number("mass", "mass")?;
    let character = shelf.character(p, given_mass)?;
    if let Some(loaded) = &character {
        if let Some(key) = ["body", "height"].into_iter().find(|key| p.node.get(key).is_some()) {
            let problem = format!("`{}`: the body is that of `{}`", p.field(key), p.field("character"));
            return Err(p.error_at(key, problem));
        }
        if let Some(animal) = loaded.four_footed() {
            return animal::read(p, source, loaded, animal);
        }
        usual = *loaded.body().unwrap_or(&usual);
        // Without a skin the bones of the foot give the size of a shoe.
        if let Some(sole) = loaded.own_sole() {
            spec.sole = SoleShape::Custom(sole);
        }
    }
    let (mut height, mut mass) = (usual.height, usual.mass);
    p.set("height", "height", &mut height)?;
    mass = given_mass.unwrap_or(mass);
    // Another height is another body of the same build; another mass alone is the same body, lighter or heavier.
    let mut body = if height == usual.height {
        Body { mass, ..usual }
    } else {
        let mut body = Body::new(height, mass);
        // A child's or a small foot stays so in proportion.
        body.foot_length *= usual.foot_length / Body::new(usual.height, usual.mass).foot_length;
        body.foot_width *= usual.foot_width / Body::new(usual.height, usual.mass).foot_width;
        body
    };
    p.set("foot_length", "foot_length", &mut body.foot_length)?;
    p.set("foot_width", "foot_width", &mut body.foot_width)?;
    let wear = Footwear::ALL.map(|f| (f.name(), f));
    if let Some(footwear) = p.word("footwear", &wear)? {
        spec.sole = SoleShape::Footwear(footwear);
    }
    if let Some(node) = p.get("sole") {
        let s = Table::new(node, p.field("sole"), source)?;
        spec.sole = SoleShape::Custom(puppet::sole(&s, body.foot_length)?);
    }
    let mut walk = Walk::default();
    let route = p.points("waypoints", 2, 100_000)?.or(p.points("route", 2, 100_000)?);
    if p.get("waypoints").is_some() && p.get("route").is_some() {
        return Err(
            p.error_at("route", format!("`{}` is another name of `waypoints`: give one", p.field("route")))
        );
    }
    if let Some(waypoints) = &route {
        walk.waypoints.clone_from(waypoints);
    }
    p.count("passes", "passes", &mut walk.passes)?;
    walk.back_and_forth = p.flag("back_and_forth")?.unwrap_or(walk.back_and_forth);
    p.set("speed", "speed", &mut walk.speed)?;
    p.set("lateral_sd", "lateral_sd", &mut walk.lateral_sd)?;
    p.set("start", "start", &mut walk.start)?;
    let metabolic = p.flag("metabolic")?.unwrap_or(true);
    // A word says how to go, a list by whose motion.
    let files = shelf.files(p)?;
    let motion =
        if files.is_some() { Motion::Auto } else { p.word("motion", &Motion::ALL)?.unwrap_or_default() };
    let force = p.word("force", &ForceModel::ALL)?.or(p.word("model", &ForceModel::ALL)?).unwrap_or_default();
    let balance = p.flag("balance")?.unwrap_or(true);
    // A route starts at its first place, looking along it.
    let (first, second) = (walk.waypoints[0], walk.waypoints[1]);
    let along = heading_of([second[0] - first[0], second[1] - first[1]]);
    let position = p.pair("position")?.unwrap_or(first);
    let heading = p.finite("heading_deg")?.map_or(along, f64::to_radians);
    p.done()?;
    let recorded = match files {
        Some(files) => shelf.recorded(p, &files, &body, &spec.sole)?,
        None => None,
    };
    let control =
        if route.is_some() { Control::Route(Route { walk, metabolic, motion }) } else { Control::Stand };
    (spec.mass, spec.height) = (body.mass, body.height);
    (spec.foot_length, spec.foot_width) = (body.foot_length, body.foot_width);
    spec.script =
        Script::Walker(Box::new(WalkerSpec { body, control, force, balance, position, heading, recorded }));
    Ok(spec)
}
