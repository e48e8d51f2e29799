//! Settings over a scene: `terrain.cell=0.01`, `puppet.0.mass=90`, or just `mass=90`.

use super::node::{Node, Place, Value, nearest};
use trample::Material;

const TOP: [&str; 5] = ["name", "about", "seed", "rate", "duration"];
const TERRAIN: [&str; 7] = ["law", "cell", "size", "contour", "tolerance", "force_threshold", "material"];
const BASE: [&str; 9] =
    ["kind", "angle_deg", "direction_deg", "amplitude", "wavelength", "crest", "windward_deg", "lee_deg", "file"];
const PUPPET: [&str; 25] = [
    "mass", "height", "foot_length", "foot_width", "footwear", "hold", "motion", "waypoints", "passes",
    "back_and_forth", "speed", "step_length", "step_width", "lateral_sd", "step_sd", "start", "position",
    "drop_height", "rest", "presses", "down", "up", "scatter", "heading_deg", "feet",
];

/// Applies one `key=value`. A path names its place; a bare name goes to every place that has such a field.
pub(crate) fn apply(tree: &mut Node, setting: &str) -> Result<(), String> {
    let Some((key, value)) = setting.split_once('=') else {
        return Err("must be key=value, as in mass=90 or terrain.cell=0.01".into());
    };
    let key = key.trim();
    let node = Node::from_setting(value.trim(), setting);
    if key.contains('.') || key.contains('[') {
        return at_path(tree, key, &node);
    }
    if TOP.contains(&key) {
        tree.put(key, node);
        return Ok(());
    }
    if TERRAIN.contains(&key) {
        return at_path(tree, &format!("terrain.{key}"), &node);
    }
    if BASE.contains(&key) {
        return at_path(tree, &format!("terrain.base.{key}"), &node);
    }
    if Material::RANGES.iter().any(|r| r.field == key) {
        name_the_cover(tree, setting);
        return at_path(tree, &format!("material.{key}"), &node);
    }
    if PUPPET.contains(&key) {
        return at_path(tree, &format!("puppet.{key}"), &node);
    }
    let fields: Vec<&str> = Material::RANGES.iter().map(|r| r.field).collect();
    let known: Vec<&str> = [&TOP[..], &TERRAIN, &BASE, &PUPPET, &fields].concat();
    let hint = nearest(key, &known).map_or(String::new(), |n| format!(" — did you mean `{n}`?"));
    Err(format!("unknown key `{key}`{hint} Known: {}", known.join(", ")))
}

/// Makes sure that the material that covers the terrain is listed, so that its fields can be set.
fn name_the_cover(tree: &mut Node, setting: &str) {
    let place = Place::Set(setting.into());
    let Some(cover) = tree.get("terrain").and_then(|t| t.get("material")).and_then(Node::text).map(String::from) else {
        return;
    };
    let listed = tree.get("material").map_or(&[][..], Node::items);
    if listed.iter().any(|m| m.get("name").and_then(Node::text) == Some(&cover)) {
        return;
    }
    let text = |t: &str| Node { value: Value::Text(t.into()), place: place.clone() };
    let rows = vec![("name".into(), text(&cover)), ("preset".into(), text(&cover))];
    let entry = Node { value: Value::Table(rows), place: place.clone() };
    let mut items = listed.to_vec();
    items.push(entry);
    tree.put("material", Node { value: Value::Array(items), place });
}

/// Sets a value at a dotted path; a list without a number means all of its entries.
fn at_path(tree: &mut Node, path: &str, node: &Node) -> Result<(), String> {
    let path = path.replace('[', ".").replace(']', "");
    let keys: Vec<&str> = path.split('.').filter(|k| !k.is_empty()).collect();
    put(tree, &keys, node, &path)
}

fn put(tree: &mut Node, keys: &[&str], node: &Node, path: &str) -> Result<(), String> {
    let Some((&key, rest)) = keys.split_first() else {
        tree.overlay(node.clone());
        return Ok(());
    };
    match &mut tree.value {
        Value::Array(items) => {
            if let Ok(i) = key.parse::<usize>() {
                let n = items.len();
                let item = items.get_mut(i).ok_or_else(|| format!("`{path}`: there are only {n}, counted from 0"))?;
                return put(item, rest, node, path);
            }
            if items.is_empty() {
                return Err(format!("`{path}`: the scene has none"));
            }
            items.iter_mut().try_for_each(|item| put(item, keys, node, path))
        }
        Value::Table(_) => {
            if rest.is_empty() {
                tree.put(key, node.clone());
                return Ok(());
            }
            if tree.get(key).is_none() {
                if !matches!(key, "terrain" | "base" | "place") {
                    return Err(format!("`{path}`: the scene has no `{key}`"));
                }
                tree.put(key, Node { value: Value::Table(Vec::new()), place: node.place.clone() });
            }
            put(tree.get_mut(key).expect("put above"), rest, node, path)
        }
        _ => Err(format!("`{path}`: `{key}` is below a plain value")),
    }
}
