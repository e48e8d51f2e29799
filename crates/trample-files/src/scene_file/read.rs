//! A tree to a scene: the scene itself, its materials and the frame of its terrain.

use super::keys::KINDS;
use super::node::{Node, Place, Value, hint, shortened};
use super::own_motion::Shelf;
use super::table::{Result, Table, plain_number};
use super::{Cast, SceneFileError, Source, ground, plant_patch, puppet, season, walker};
use crate::memory;
use std::path::Path;
use trample::Material;
use trample::params::{Law, material};
use trample::scene::{GeoPlace, NamedMaterial, Scene, Terrain};
use trample::scene::{MOST_MATERIALS, MOST_PATCHES, MOST_PUPPETS};

/// The material of a terrain that names none.
pub(crate) const COVER: &str = "snow";

/// The whole scene, and the character of each of its puppets.
pub(crate) fn scene(tree: &Node, source: &Source) -> Result<(Scene, Cast, Vec<String>)> {
    let top = Table::new(tree, "", source)?;
    // Taken out of the tree before; asked for here so that a misspelled one finds it.
    top.get("preset");
    let mut scene = Scene { name: String::new(), ..Scene::default() };
    scene.name = match top.text("name")? {
        Some(name) if !name.is_empty() => name.into(),
        _ => memory::bare(Path::new(&source.name))
            .file_stem()
            .map_or("scene".into(), |s| s.to_string_lossy().into_owned()),
    };
    scene.about = top.text("about")?.unwrap_or_default().into();
    scene.seed = top.integer("seed")?.unwrap_or(1);
    top.fields(Scene::FIELDS, &mut scene)?;
    if let Some(node) = top.get(Scene::WIND.name) {
        let wind: Option<Vec<f64>> = node.items().iter().map(plain_number).collect();
        let three = wind.and_then(|wind| wind.try_into().ok());
        scene.wind = three.ok_or_else(|| top.must_be(node, "wind", "a list of three numbers"))?;
        scene.wind.iter().try_for_each(|&push| top.within(node, &Scene::WIND, push))?;
    }
    let materials = materials(&top)?;
    scene.terrain = terrain(&top, materials, source)?;
    for table in top.list("puppet", MOST_PUPPETS)? {
        scene.puppets.push(puppet::read(&table, source)?);
    }
    let mut cast: Cast = vec![None; scene.puppets.len()];
    let mut shelf = Shelf::default();
    for table in top.list("walker", MOST_PUPPETS)? {
        scene.puppets.push(walker::read(&table, source, &mut shelf)?);
        cast.push(shelf.asked.take());
    }
    for table in top.list("plants", MOST_PATCHES)? {
        scene.plants.push(plant_patch::read(&table, scene.terrain.size)?);
    }
    scene.season = season::read(&top, &scene.terrain, source)?;
    let scripted = top.flag("scripted_feet")?.unwrap_or(false);
    top.done()?;
    // Before walkers give way to scripted feet: a message is about what was written.
    scene.check().map_err(|e| SceneFileError {
        place: source.place(&place_of(tree, e.field())),
        problem: e.to_string(),
    })?;
    Ok((if scripted { scene.on_scripted_feet() } else { scene }, cast, shelf.doubts))
}

/// Where the field at a path like `puppet[0].mass` stands, or the nearest table above it.
fn place_of(tree: &Node, path: &str) -> Place {
    let mut node = tree;
    for key in path.replace('[', ".").replace(']', "").split('.') {
        let next = match key.parse::<usize>() {
            Ok(i) => node.items().get(i),
            Err(_) => node.get(key),
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node.place.clone()
}

fn materials(top: &Table<'_>) -> Result<Vec<NamedMaterial>> {
    let mut out: Vec<NamedMaterial> = Vec::new();
    for t in top.list("material", MOST_MATERIALS)? {
        let (name, preset) = (t.text("name")?, t.text("preset")?);
        let base = preset.or(name).and_then(material::by_name);
        let mut material = base.unwrap_or(Material::SOIL);
        t.fields(Material::FIELDS, &mut material)?;
        material.colour = t.colour()?.unwrap_or(material.colour);
        t.done()?;
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Err(t.error_at("name", format!("`{}` needs a `name`", t.path)));
        };
        if base.is_none() {
            let key = if preset.is_some() { "preset" } else { "name" };
            let advice =
                if preset.is_some() { "" } else { "; a material of your own needs a `preset` to start from" };
            let problem = unknown_material(&t.field(key), preset.unwrap_or(name));
            return Err(t.error_at(key, format!("{problem}{advice}")));
        }
        // The scene's own check looks at this too, but after materials have changed places; here the line is known.
        let carries = material.bekker.pressure(1.0, 0.05) > 0.0;
        if !carries {
            let key = "cohesive_modulus";
            let problem = format!(
                "`{}` is {}, too far below 0: over 0.05 m it takes away all of `frictional_modulus`, {}",
                t.field(key),
                material.bekker.cohesive_modulus,
                material.bekker.frictional_modulus
            );
            return Err(t.error_at(key, problem));
        }
        if out.iter().any(|m| m.name == name) {
            return Err(t.error_at("name", format!("`{}` is `{name}`, and so is another", t.field("name"))));
        }
        out.push(NamedMaterial { name: name.into(), material });
    }
    Ok(out)
}

/// Says that there is no such material, and which there are.
pub(crate) fn unknown_material(field: &str, name: &str) -> String {
    let known: Vec<&str> = material::PRESETS
        .iter()
        .map(|p| p.name)
        .chain(material::BEKKER_SOILS.iter().map(|s| s.name))
        .collect();
    let (shown, hint) = (shortened(name), hint(name, &known));
    format!("`{field}` is `{shown}`, no such material{hint}Allowed: {}", known.join(", "))
}

fn terrain(top: &Table<'_>, materials: Vec<NamedMaterial>, source: &Source) -> Result<Terrain> {
    let mut terrain = Terrain { materials, ..Terrain::default() };
    let empty = Node { value: Value::Table(Vec::new()), place: top.node.place.clone() };
    let t = Table::new(top.get("terrain").unwrap_or(&empty), "terrain", source)?;
    let laws = Law::ALL.map(|law| (law.name(), law));
    terrain.law = t.word("law", &laws)?.unwrap_or_default();
    t.fields(Terrain::FIELDS, &mut terrain)?;
    if let Some(size) = t.pair("size")? {
        let node = t.node.get("size").expect("read above");
        size.iter().try_for_each(|&side| t.within(node, &Terrain::SIDE, side))?;
        terrain.size = size;
    }
    let cover = t.text("material")?.map(String::from);
    let cover = cover.or_else(|| terrain.materials.first().map(|m| m.name.clone())).unwrap_or(COVER.into());
    let index = find_material(&mut terrain.materials, &t, "material", &cover)?;
    // The first material is the one that covers everything.
    terrain.materials.swap(0, index as usize);
    if let Some(node) = t.get("base") {
        let b = Table::new(node, "terrain.base", source)?;
        terrain.base = ground::base(&b, &mut terrain.size, t.node.get("size").is_some(), &mut terrain.place)?;
        b.done_with("kind", b.node.base_kind().unwrap_or("flat"), &KINDS)?;
    }
    if let Some(node) = t.get("place") {
        terrain.place = Some(place(&Table::new(node, "terrain.place", source)?)?);
    }
    t.done()?;
    for p in top.list("paint", 100_000)? {
        let made = ground::paint(&p, &mut terrain.materials)?;
        terrain.paints.push(made);
    }
    Ok(terrain)
}

fn place(p: &Table<'_>) -> Result<GeoPlace> {
    let (epsg, corner) = (p.number(&GeoPlace::EPSG)?, p.pair("corner")?);
    p.done()?;
    let (Some(epsg), Some(corner)) = (epsg, corner) else {
        let problem = "`terrain.place` needs `epsg`, a whole number, and `corner`, two numbers";
        return Err(p.error(p.node, problem.into()));
    };
    Ok(GeoPlace { epsg: epsg as u32, corner })
}

/// Index of the material that `key` names, added from the presets if it is not listed.
pub(crate) fn find_material(
    materials: &mut Vec<NamedMaterial>,
    table: &Table<'_>,
    key: &str,
    name: &str,
) -> Result<u8> {
    let index = materials.iter().position(|m| m.name == name);
    let index = match (index, material::by_name(name)) {
        (Some(index), _) => index,
        (None, Some(material)) => {
            materials.push(NamedMaterial { name: name.into(), material });
            materials.len() - 1
        }
        (None, None) => return Err(table.error_at(key, unknown_material(&table.field(key), name))),
    };
    let full =
        || table.error_at(key, format!("`{name}` is one material too many, allowed: {MOST_MATERIALS}"));
    u8::try_from(index).ok().filter(|i| usize::from(*i) < MOST_MATERIALS).ok_or_else(full)
}
