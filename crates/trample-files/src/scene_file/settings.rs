//! Settings over a scene: `terrain.cell=0.01`, `puppet.0.mass=90`, or just `mass=90`.

use super::keys::{BODY, Groups, KINDS, METHODS, MOTIONS, PLANTS, WALKER, all, goes_with};
use super::node::{Node, Place, Value, hint, shortened};
use super::read::COVER;
use trample::{Material, Species};

const TOP: [&str; 6] = ["name", "about", "seed", "rate", "duration", "scripted_feet"];
const TABLES: [&str; 5] = ["terrain", "puppet", "walker", "paint", "plants"];
const TERRAIN: [&str; 9] =
    ["law", "cell", "size", "contour", "tolerance", "force_threshold", "material", "base", "place"];

/// Longest path; the deepest field of a scene needs five keys. A bound because a path may come from a run file.
const LONGEST: usize = 8;

/// Applies one `key=value`. A path names its place; a bare name goes to every place that has such a field.
pub(crate) fn apply(tree: &mut Node, setting: &str) -> Result<(), String> {
    let Some((path, value)) = setting.split_once('=') else {
        return Err("must be key=value, as in mass=90 or terrain.cell=0.01".into());
    };
    let node = Node::from_setting(value.trim(), setting);
    let path = path.trim().replace('[', ".").replace(']', "");
    let mut keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.contains(&"") || keys.len() > LONGEST {
        return Err(format!("`{}` is not a path: 1 to {LONGEST} names with a dot between", shortened(&path)));
    }
    let first = keys[0];
    let below: &[&str] = if TOP.contains(&first) || TABLES.contains(&first) {
        &[]
    } else if first == "material" && keys.len() > 1 {
        name_the_cover(tree, setting);
        &[]
    } else if TERRAIN.contains(&first) {
        &["terrain"]
    } else if Material::RANGES.iter().any(|r| r.field == first) || first == "colour" {
        name_the_cover(tree, setting);
        &["material"]
    } else if BODY.contains(&first) || all(MOTIONS).contains(&first) || WALKER.contains(&first) {
        &["puppet"]
    } else if first == "kind" || all(KINDS).contains(&first) {
        &["terrain", "base"]
    } else if PLANTS.contains(&first) || Species::RANGES.iter().any(|r| r.field == first) {
        &["plants"]
    } else {
        return Err(unknown(first));
    };
    keys.splice(0..0, below.iter().copied());
    // Walkers are puppets that move themselves: where a scene has only them, they may be called so.
    if below.is_empty() && keys[0] == "puppet" && tree.get("puppet").is_none() && tree.get("walker").is_some()
    {
        keys[0] = "walker";
    }
    // A bare name goes where there is such a field: a walking speed to walkers, not to a plate.
    if below == ["puppet"] {
        return to_puppets(tree, &keys, &node);
    }
    put(tree, &keys, &node, false)
}

fn unknown(key: &str) -> String {
    let fields = Material::RANGES.map(|r| r.field);
    let species = Species::RANGES.map(|r| r.field);
    let known: Vec<&str> = [
        &TOP[..],
        &TABLES,
        &TERRAIN,
        &["kind"],
        &all(KINDS),
        &fields,
        &["colour"],
        BODY,
        &all(MOTIONS),
        WALKER,
        PLANTS,
        &species,
    ]
    .concat();
    let mut once = known.clone();
    once.sort_unstable();
    once.dedup();
    format!("unknown key `{}`{}Known: {}", shortened(key), hint(key, &once), once.join(", "))
}

/// Makes sure that the material that covers the terrain is listed, so that its fields can be set.
fn name_the_cover(tree: &mut Node, setting: &str) {
    let place = Place::Set(setting.into());
    let listed = tree.get("material").map_or(&[][..], Node::items);
    let name = |m: &Node| m.get("name").and_then(Node::text).map(String::from);
    let cover = tree.get("terrain").and_then(|t| t.get("material")).and_then(Node::text).map(String::from);
    let cover = cover.or_else(|| listed.first().and_then(name)).unwrap_or(COVER.into());
    if listed.iter().any(|m| name(m).as_ref() == Some(&cover)) {
        return;
    }
    let text = |t: &str| Node { value: Value::Text(t.into()), place: place.clone() };
    let mut items = listed.to_vec();
    items.push(Node { value: Value::Table(vec![("name".into(), text(&cover))]), place: place.clone() });
    tree.put("material", Node { value: Value::Array(items), place });
}

/// Sets a value on every puppet whose motion has such a field, and on every walker if walkers have it.
fn to_puppets(tree: &mut Node, keys: &[&str], node: &Node) -> Result<(), String> {
    let key = keys[1];
    let mut motions: Vec<String> = Vec::new();
    let mut reached = false;
    if let Some(Node { value: Value::Array(items), .. }) = tree.get_mut("puppet") {
        for item in items {
            let motion = item.get("motion").and_then(Node::text).unwrap_or("walk").to_string();
            if (BODY.contains(&key) || all(MOTIONS).contains(&key)) && goes_with(MOTIONS, &motion, key) {
                put(item, &keys[1..], node, false)?;
                reached = true;
            } else if !motions.contains(&motion) {
                motions.push(motion);
            }
        }
    }
    if let Some(Node { value: Value::Array(items), .. }) = tree.get_mut("walker") {
        for item in items.iter_mut().filter(|_| WALKER.contains(&key)) {
            put(item, &keys[1..], node, true)?;
            reached = true;
        }
        if !WALKER.contains(&key) && !items.is_empty() {
            motions.push("a walker's own".into());
        }
    }
    if reached {
        Ok(())
    } else if motions.is_empty() {
        Err(format!("`{key}`: the scene has no `puppet` and no `walker`"))
    } else {
        Err(format!("`{key}`: no puppet has it; their motions are: {}", motions.join(", ")))
    }
}

/// Sets a value at a path; a list without a number or a name means all of its entries.
fn put(tree: &mut Node, keys: &[&str], node: &Node, walker: bool) -> Result<(), String> {
    let Some((&key, rest)) = keys.split_first() else {
        tree.overlay(node.clone());
        return Ok(());
    };
    match &mut tree.value {
        Value::Array(items) => {
            let named = |item: &Node| item.get("name").and_then(Node::text) == Some(key);
            let index = match key.parse::<usize>() {
                Ok(i) => Some(i),
                Err(_) if rest.is_empty() => None,
                Err(_) => items.iter().position(named),
            };
            if let Some(i) = index {
                let n = items.len();
                let item = items.get_mut(i);
                return put(
                    item.ok_or_else(|| format!("there is no `{key}`, only {n}, counted from 0"))?,
                    rest,
                    node,
                    walker,
                );
            }
            if items.is_empty() {
                return Err(format!("`{key}` has no place: the list is empty"));
            }
            items.iter_mut().try_for_each(|item| put(item, keys, node, walker))
        }
        Value::Table(_) if rest.is_empty() => {
            match key {
                "kind" => make_way(tree, KINDS, node.text()),
                // As in a file, a height map alone says what kind of base it is.
                "file" => {
                    make_way(tree, KINDS, Some("raster"));
                    tree.take("kind");
                }
                "method" => make_way(tree, METHODS, node.text()),
                // Another name of what the scene says already.
                "route" if walker => drop(tree.take("waypoints")),
                "model" if walker => drop(tree.take("force")),
                "motion" if !walker => make_way(tree, MOTIONS, node.text()),
                _ => {}
            }
            tree.put(key, node.clone());
            Ok(())
        }
        Value::Table(_) => {
            if tree.get(key).is_none() {
                if !matches!(key, "terrain" | "base" | "place" | "sole") {
                    return Err(format!("the scene has no `{key}`"));
                }
                tree.put(key, Node { value: Value::Table(Vec::new()), place: node.place.clone() });
            }
            put(tree.get_mut(key).expect("put above"), rest, node, walker || key == "walker")
        }
        _ => Err(format!("`{key}` is below a plain value")),
    }
}

/// Takes away what the scene said for another choice. What was set on the command line stays, to be refused aloud.
fn make_way(tree: &mut Node, groups: &Groups, chosen: Option<&str>) {
    let (Some(chosen), Value::Table(rows)) = (chosen, &mut tree.value) else { return };
    rows.retain(|(key, node)| goes_with(groups, chosen, key) || matches!(node.place, Place::Set(_)));
}
