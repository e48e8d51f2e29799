//! Settings over a scene: `terrain.cell=0.01`, `puppet.0.mass=90`, or just `mass=90`.

use super::keys::{
    BODY, Groups, KINDS, MATERIAL, METHODS, MOTIONS, PLANTS, SEASON, TERRAIN, TOP, VISITORS, WALKER, all,
    goes_with, owners,
};
use super::node::{Node, Place, Value, alike, shortened};
use super::read::COVER;

const TABLES: [&str; 14] = [
    "terrain",
    "puppet",
    "walker",
    "paint",
    "plants",
    "gate",
    "trip",
    "route",
    "obstacle",
    "calendar",
    "choice",
    "nature",
    "closure",
    "boardwalk",
];

/// Longest path; the deepest field of a scene needs five keys. A bound because a path may come from a run file.
const LONGEST: usize = 8;

/// Applies one `key=value`. A path names its place; a bare name goes to every place that has such a field.
pub(crate) fn apply(tree: &mut Node, setting: &str) -> Result<(), String> {
    let Some((path, value)) = setting.split_once('=') else {
        return Err("must be key=value, as in mass=90 or terrain.cell=0.01".into());
    };
    let node = Node::from_setting(value.trim(), setting);
    if path.trim().contains(char::is_control) {
        return Err(format!("`{}` is not a key: it has a control character in it", shortened(path.trim())));
    }
    let path = path.trim().replace('[', ".").replace(']', "");
    let mut keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.contains(&"") || keys.len() > LONGEST {
        return Err(format!("`{}` is not a path: 1 to {LONGEST} names with a dot between", shortened(&path)));
    }
    let first = keys[0];
    let season = super::season::KEYS.iter().any(|key| tree.get(key).is_some());
    // A walker's `route` and `start` are older than those of a season.
    let walkers = WALKER.contains(&first) && !season;
    let below: &[&str] = if TOP.contains(&first) || (TABLES.contains(&first) && !walkers) {
        &[]
    } else if let ([table], false) = (&owners(&SEASON, first)[..], walkers) {
        if !season {
            return Err(format!("`{first}`: the scene is no season"));
        }
        keys.insert(0, table);
        return put(tree, &keys, &node, false);
    } else if VISITORS.contains(&first) && (tree.get("trip").is_some() || tree.get("route").is_some()) {
        return to_visitors(tree, &keys, &node);
    } else if first == "material" && keys.len() > 1 {
        name_the_cover(tree, setting);
        &[]
    } else if TERRAIN.contains(&first) {
        &["terrain"]
    } else if MATERIAL.contains(&first) {
        name_the_cover(tree, setting);
        &["material"]
    } else if BODY.contains(&first) || all(&MOTIONS).any(|k| k == first) || WALKER.contains(&first) {
        &["puppet"]
    } else if first == "kind" || all(&KINDS).any(|k| k == first) {
        &["terrain", "base"]
    } else if PLANTS.contains(&first) {
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

/// Sets a value on everybody who walks in a season.
fn to_visitors(tree: &mut Node, keys: &[&str], node: &Node) -> Result<(), String> {
    let key = keys[0];
    for list in ["trip", "route"] {
        if let Some(Node { value: Value::Array(items), .. }) = tree.get_mut(list) {
            let own = list == "route" || key != "lateral_sd";
            items.iter_mut().filter(|_| own).try_for_each(|item| put(item, keys, node, false))?;
        }
    }
    Ok(())
}

/// Says that there is no such key, and which are spelled alike.
fn unknown(key: &str) -> String {
    let lists: [&[&'static str]; 8] =
        [&TOP, &TABLES, &TERRAIN, &MATERIAL, &BODY, &WALKER, &PLANTS, &VISITORS];
    let known = lists.into_iter().flatten().copied();
    let known: Vec<&str> =
        known.chain(["kind"]).chain(all(&KINDS)).chain(all(&MOTIONS)).chain(all(&SEASON)).collect();
    let alike = alike(key, &known);
    let hint = if alike.is_empty() {
        "docs/formats.md lists all".into()
    } else {
        format!("did you mean `{}`?", alike.join("` or `"))
    };
    format!("unknown key `{}`: {hint}", shortened(key))
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
            if (BODY.contains(&key) || all(&MOTIONS).any(|k| k == key)) && goes_with(&MOTIONS, &motion, key) {
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
                "kind" => make_way(tree, &KINDS, node.text()),
                // As in a file, a height map alone says what kind of base it is.
                "file" => {
                    make_way(tree, &KINDS, Some("raster"));
                    tree.take("kind");
                }
                "method" => make_way(tree, &METHODS, node.text()),
                // Another name of what the scene says already.
                "route" if walker => drop(tree.take("waypoints")),
                "model" if walker => drop(tree.take("force")),
                "motion" if !walker => make_way(tree, &MOTIONS, node.text()),
                _ => {}
            }
            tree.put(key, node.clone());
            Ok(())
        }
        Value::Table(_) => {
            if tree.get(key).is_none() {
                if !matches!(key, "terrain" | "base" | "place" | "sole" | "calendar" | "choice" | "nature") {
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
