//! A walker from a tree: body, route and how it is carried.

use super::own_motion::Shelf;
use super::table::{Result, Table, plain_number};
use super::{Source, animal, puppet};
use trample::params::{Body, Field};
use trample::scene::{Control, ForceModel, Motion, Path, PuppetSpec, Route, Script, SoleShape, WalkerSpec};

/// Reads a `[[walker]]`: a puppet that moves itself.
pub(crate) fn read(p: &Table<'_>, source: &Source, shelf: &mut Shelf) -> Result<PuppetSpec> {
    if let Some(ready) = animal::ready(p) {
        return animal::read_ready(p, source, ready);
    }
    let mut spec = PuppetSpec { name: p.text("name")?.unwrap_or("walker").into(), ..PuppetSpec::default() };
    let mut usual = p.word("body", &puppet::bodies())?.unwrap_or_default();
    // One that no human has is refused below, with its own name.
    let human = |m: &f64| Field::find(Body::FIELDS, "mass").is_some_and(|f| f.range.contains(*m));
    let weight = p.node.get("mass").and_then(plain_number).filter(human);
    if let Some(loaded) = shelf.character(p, weight)? {
        if let Some(key) = ["body", "height"].into_iter().find(|key| p.node.get(key).is_some()) {
            let problem = format!("`{}`: the body is that of `{}`", p.field(key), p.field("character"));
            return Err(p.error_at(key, problem));
        }
        if let Some(animal) = loaded.four_footed() {
            return animal::read(p, source, &loaded, animal);
        }
        usual = *loaded.body().unwrap_or(&usual);
        // Without a skin the bones of the foot give the size of a shoe.
        if let Some(sole) = loaded.own_sole() {
            spec.sole = SoleShape::Custom(sole);
        }
    }
    let height =
        Field::find(Body::FIELDS, "height").and_then(|f| p.number(&f.range).transpose()).transpose()?;
    spec.body = at_height(usual, height.unwrap_or(usual.height));
    p.fields(Body::FIELDS, &mut spec.body)?;
    puppet::under_foot(p, source, &mut spec)?;
    let mut path = Path::default();
    let mut routed = puppet::path(p, &mut path, Path::FIELDS)?;
    if let Some(places) = p.points("route", 2, 100_000)? {
        if routed {
            let problem = format!("`{}` is another name of `waypoints`: give one", p.field("route"));
            return Err(p.error_at("route", problem));
        }
        (path.waypoints, routed) = (places, true);
    }
    let metabolic = p.flag("metabolic")?.unwrap_or(true);
    // A word says how to go, a list by whose motion.
    let files = shelf.files(p)?;
    let motion =
        if files.is_some() { Motion::Auto } else { p.word("motion", &Motion::ALL)?.unwrap_or_default() };
    // `force = true` says that a body that may be something else is to be used all the same; a word says which model.
    let told = p.node.get("force").is_some_and(|node| matches!(node.value, super::node::Value::Bool(_)));
    if told {
        p.get("force");
    }
    let word = if told { None } else { p.word("force", &ForceModel::ALL)? };
    let force = word.or(p.word("model", &ForceModel::ALL)?).unwrap_or_default();
    let balance = p.flag("balance")?.unwrap_or(true);
    // A route starts at its first place, looking along it.
    let mut walker = WalkerSpec { force, balance, ..WalkerSpec::on(path.clone()) };
    walker.position = p.pair("position")?.unwrap_or(walker.position);
    p.fields(WalkerSpec::FIELDS, &mut walker)?;
    if files.is_none()
        && let Some(key) = ["take", "fill"].into_iter().find(|key| p.node.get(key).is_some())
    {
        let problem = format!("`{}` goes with a list of motion files: motion = [\"walk.bvh\"]", p.field(key));
        return Err(p.error_at(key, problem));
    }
    p.done()?;
    if let Some(files) = files {
        walker.recorded = shelf.recorded(p, &files, &spec.body, &spec.sole)?;
    }
    if puppet::at_own_speed(p) {
        let Some(recorded) = &walker.recorded else {
            let problem =
                format!("`{}`: its own speed is that of a recording: list one in `motion`", p.field("speed"));
            return Err(p.error_at("speed", problem));
        };
        if let Some(own) = recorded.own_speed().map(f64::from) {
            let range = Field::find(Path::FIELDS, "speed").map_or([own; 2], |f| [f.range.min, f.range.max]);
            path.speed = own.clamp(range[0], range[1]);
        }
    }
    // What is no locomotion is played where the route begins.
    routed &= !walker.recorded.as_ref().is_some_and(|r| r.in_place);
    walker.control = if routed { Control::Route(Route { path, metabolic, motion }) } else { Control::Stand };
    spec.script = Script::Walker(Box::new(walker));
    Ok(spec)
}

/// Another height is another body of ordinary proportions; a child's or a small foot stays so.
pub(crate) fn at_height(usual: Body, height: f64) -> Body {
    if height == usual.height {
        return usual;
    }
    let (plain, before) = (Body::new(height, usual.mass), Body::new(usual.height, usual.mass));
    Body {
        foot_length: plain.foot_length * (usual.foot_length / before.foot_length),
        foot_width: plain.foot_width * (usual.foot_width / before.foot_width),
        ..plain
    }
}
