//! A tree to a scene: every key is known or refused, every number is checked against its range where it stands.

use super::node::{Node, Value, nearest};
use super::{SceneFileError, Source};
use crate::raster;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use trample::params::{Footwear, Law, Sole, material};
use trample::scene::check::range;
use trample::scene::{Drop, GeoPlace, NamedMaterial, Press, PuppetSpec, Scene, Script, SoleShape, Terrain, Walk};
use trample::state::{Hold, Paint, PaintShape, Raster};
use trample::{Base, Material};

type Result<T> = std::result::Result<T, SceneFileError>;

/// A table being read: knows which keys were asked for, so that the others can be refused.
struct Table<'a> {
    node: &'a Node,
    path: String,
    source: &'a Source,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    fn new(node: &'a Node, path: impl Into<String>, source: &'a Source) -> Result<Self> {
        let table = Self { node, path: path.into(), source, asked: RefCell::default() };
        match node.value {
            Value::Table(_) => Ok(table),
            _ => Err(table.error(node, format!("`{}` is {}, must be a table", table.path, node.kind()))),
        }
    }

    fn error(&self, node: &Node, problem: String) -> SceneFileError {
        SceneFileError { place: self.source.place(&node.place), problem }
    }

    fn field(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    fn get(&self, key: &'static str) -> Option<&'a Node> {
        self.asked.borrow_mut().push(key);
        self.node.get(key)
    }

    fn must_be(&self, node: &Node, key: &str, what: &str) -> SceneFileError {
        self.error(node, format!("`{}` is {}, must be {what}", self.field(key), node.kind()))
    }

    /// A number within the range called `name`.
    fn number(&self, key: &'static str, name: &str) -> Result<Option<f64>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let value = plain_number(node).ok_or_else(|| self.must_be(node, key, &format!("a number, {}", range(name).allowed())))?;
        self.within(node, key, name, value)?;
        Ok(Some(value))
    }

    fn within(&self, node: &Node, key: &str, name: &str, value: f64) -> Result<()> {
        if range(name).contains(value) {
            return Ok(());
        }
        Err(self.error(node, format!("`{}` is {value}, allowed: {}", self.field(key), range(name).allowed())))
    }

    /// Overwrites `slot` if the key is there.
    fn set(&self, key: &'static str, name: &str, slot: &mut f64) -> Result<()> {
        if let Some(value) = self.number(key, name)? {
            *slot = value;
        }
        Ok(())
    }

    /// An angle in degrees within its range, stored in radians.
    fn angle(&self, key: &'static str, name: &str, slot: &mut f64) -> Result<()> {
        if let Some(value) = self.number(key, name)? {
            *slot = value.to_radians();
        }
        Ok(())
    }

    /// Any finite number.
    fn finite(&self, key: &'static str) -> Result<Option<f64>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let value = plain_number(node).filter(|v| v.is_finite());
        value.map(Some).ok_or_else(|| self.must_be(node, key, "a finite number"))
    }

    fn whole(&self, key: &'static str) -> Result<Option<u64>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match node.value {
            Value::Integer(i) if i >= 0 => Ok(Some(i as u64)),
            Value::Float(f) if f >= 0.0 && f <= 9e15 && f == f.floor() => Ok(Some(f as u64)),
            _ => Err(self.must_be(node, key, "a whole number, 0 or more")),
        }
    }

    fn text(&self, key: &'static str) -> Result<Option<&'a str>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        node.text().map(Some).ok_or_else(|| self.must_be(node, key, "a text"))
    }

    fn flag(&self, key: &'static str) -> Result<Option<bool>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match node.value {
            Value::Bool(b) => Ok(Some(b)),
            _ => Err(self.must_be(node, key, "true or false")),
        }
    }

    /// One of several words.
    fn word<T>(&self, key: &'static str, known: &[(&'static str, T)]) -> Result<Option<T>>
    where
        T: Copy,
    {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
        let found = known.iter().find(|(n, _)| *n == text).map(|(_, t)| *t);
        found.map(Some).ok_or_else(|| {
            let node = self.node.get(key).expect("read above");
            self.error(node, format!("`{}` is `{text}`, allowed: {}", self.field(key), names.join(", ")))
        })
    }

    fn pair(&self, key: &'static str) -> Result<Option<[f64; 2]>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        pair(node).map(Some).ok_or_else(|| self.must_be(node, key, "a list of two finite numbers"))
    }

    /// Refuses every key that nobody asked for.
    fn done(&self) -> Result<()> {
        let Value::Table(rows) = &self.node.value else { return Ok(()) };
        let asked = self.asked.borrow();
        for (key, node) in rows {
            if !asked.contains(&key.as_str()) {
                let mut known = asked.clone();
                known.sort_unstable();
                known.dedup();
                let hint = nearest(key, &known).map_or(String::new(), |n| format!(" — did you mean `{n}`?"));
                let problem = format!("unknown key `{}`{hint} Allowed here: {}", self.field(key), known.join(", "));
                return Err(self.error(node, problem));
            }
        }
        Ok(())
    }
}

fn plain_number(node: &Node) -> Option<f64> {
    match node.value {
        Value::Integer(i) => Some(i as f64),
        Value::Float(f) => Some(f),
        _ => None,
    }
}

fn pair(node: &Node) -> Option<[f64; 2]> {
    match node.items() {
        [a, b] => Some([plain_number(a)?, plain_number(b)?]).filter(|p| p.iter().all(|x| x.is_finite())),
        _ => None,
    }
}

/// The whole scene.
pub(crate) fn scene(tree: &Node, source: &Source) -> Result<Scene> {
    let top = Table::new(tree, "", source)?;
    let mut scene = Scene { name: String::new(), ..Scene::default() };
    scene.name = match top.text("name")? {
        Some(name) if !name.is_empty() => name.into(),
        _ => Path::new(&source.name).file_stem().map_or("scene".into(), |s| s.to_string_lossy().into_owned()),
    };
    scene.about = top.text("about")?.unwrap_or_default().into();
    scene.seed = top.whole("seed")?.unwrap_or(1);
    top.set("rate", "rate", &mut scene.rate)?;
    scene.duration = top.number("duration", "duration")?;
    let materials = materials(&top, source)?;
    scene.terrain = terrain(&top, materials, source)?;
    if let Some(list) = top.get("puppet") {
        if !matches!(list.value, Value::Array(_)) {
            return Err(top.must_be(list, "puppet", "a list of tables: [[puppet]]"));
        }
        for (i, node) in list.items().iter().enumerate() {
            scene.puppets.push(puppet(&Table::new(node, format!("puppet[{i}]"), source)?, source)?);
        }
    }
    top.done()?;
    scene.check().map_err(|e| SceneFileError { place: source.place(&place_of(tree, e.field())), problem: e.to_string() })?;
    Ok(scene)
}

/// Where the field at a path like `puppet[0].mass` stands, or the nearest table above it.
fn place_of(tree: &Node, path: &str) -> super::node::Place {
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

fn materials(top: &Table<'_>, source: &Source) -> Result<Vec<NamedMaterial>> {
    let mut out = Vec::new();
    let Some(list) = top.get("material") else { return Ok(out) };
    if !matches!(list.value, Value::Array(_)) {
        return Err(top.must_be(list, "material", "a list of tables: [[material]]"));
    }
    for (i, node) in list.items().iter().enumerate() {
        let t = Table::new(node, format!("material[{i}]"), source)?;
        let Some(name) = t.text("name")? else {
            return Err(t.error(node, format!("`material[{i}]` needs a `name`")));
        };
        let preset = t.text("preset")?.unwrap_or(name);
        let Some(mut material) = material::by_name(preset) else {
            let at = node.get("preset").unwrap_or(node);
            return Err(t.error(at, unknown_material(&t.field("preset"), preset)));
        };
        for r in Material::RANGES {
            if let Some(value) = t.number(r.field, r.field)? {
                let value = if r.field.ends_with("_deg") { value.to_radians() } else { value };
                *material.field_mut(r.field).expect("a ranged field exists") = value;
            }
        }
        if let Some(node) = t.get("colour") {
            let parts: Vec<u8> = node
                .items()
                .iter()
                .filter_map(|n| plain_number(n).filter(|v| (0.0..=255.0).contains(v)).map(|v| v as u8))
                .collect();
            material.colour =
                parts.try_into().map_err(|_| t.must_be(node, "colour", "three numbers from 0 to 255"))?;
        }
        t.done()?;
        if out.iter().any(|m: &NamedMaterial| m.name == name) {
            return Err(t.error(node, format!("material `{name}` is there twice")));
        }
        out.push(NamedMaterial { name: name.into(), material });
    }
    Ok(out)
}

fn unknown_material(field: &str, name: &str) -> String {
    let known: Vec<&str> =
        material::PRESETS.iter().map(|p| p.name).chain(material::BEKKER_SOILS.iter().map(|s| s.name)).collect();
    let hint = nearest(name, &known).map_or(String::new(), |n| format!(" — did you mean `{n}`?"));
    format!("`{field}` is `{name}`, no such material{hint} Allowed: {}", known.join(", "))
}

fn terrain(top: &Table<'_>, materials: Vec<NamedMaterial>, source: &Source) -> Result<Terrain> {
    let mut terrain = Terrain { materials, ..Terrain::default() };
    let empty = Node { value: Value::Table(Vec::new()), place: top.node.place.clone() };
    let t = Table::new(top.get("terrain").unwrap_or(&empty), "terrain", source)?;
    let laws = Law::ALL.map(|law| (law.name(), law));
    terrain.law = t.word("law", &laws)?.unwrap_or_default();
    t.set("cell", "cell", &mut terrain.cell)?;
    if let Some(size) = t.pair("size")? {
        let node = t.node.get("size").expect("read above");
        size.iter().try_for_each(|&side| t.within(node, "size", "size", side))?;
        terrain.size = size;
    }
    t.set("contour", "contour", &mut terrain.contour)?;
    t.set("tolerance", "tolerance", &mut terrain.tolerance)?;
    t.set("force_threshold", "force_threshold", &mut terrain.force_threshold)?;
    let cover = t.text("material")?.map(String::from);
    let cover = cover.or_else(|| terrain.materials.first().map(|m| m.name.clone())).unwrap_or("snow".into());
    let index = find_material(&mut terrain.materials, &cover)
        .ok_or_else(|| t.error(t.node.get("material").unwrap_or(t.node), unknown_material("terrain.material", &cover)))?;
    // The first material is the one that covers everything.
    terrain.materials.swap(0, index as usize);
    if let Some(node) = t.get("base") {
        let b = Table::new(node, "terrain.base", source)?;
        terrain.base = base(&b, source, &mut terrain.size, t.node.get("size").is_some(), &mut terrain.place)?;
        b.done()?;
    }
    if let Some(node) = t.get("place") {
        let p = Table::new(node, "terrain.place", source)?;
        let epsg = p.whole("epsg")?.and_then(|e| u32::try_from(e).ok()).filter(|e| (1024..=32767).contains(e));
        let (Some(epsg), Some(corner)) = (epsg, p.pair("corner")?) else {
            return Err(p.error(node, "`terrain.place` needs `epsg` (1024 to 32767) and `corner` (two numbers)".into()));
        };
        p.done()?;
        terrain.place = Some(GeoPlace { epsg, corner });
    }
    t.done()?;
    if let Some(list) = top.get("paint") {
        if !matches!(list.value, Value::Array(_)) {
            return Err(top.must_be(list, "paint", "a list of tables: [[paint]]"));
        }
        for (i, node) in list.items().iter().enumerate() {
            let p = Table::new(node, format!("paint[{i}]"), source)?;
            let made = paint(&p, &mut terrain.materials, source)?;
            p.done()?;
            terrain.paints.push(made);
        }
    }
    Ok(terrain)
}

/// Index of a material, added from the presets if it is not listed.
fn find_material(materials: &mut Vec<NamedMaterial>, name: &str) -> Option<u8> {
    if let Some(i) = materials.iter().position(|m| m.name == name) {
        return u8::try_from(i).ok();
    }
    let material = material::by_name(name)?;
    materials.push(NamedMaterial { name: name.into(), material });
    u8::try_from(materials.len() - 1).ok()
}

fn base(
    b: &Table<'_>,
    source: &Source,
    size: &mut [f64; 2],
    size_given: bool,
    place: &mut Option<GeoPlace>,
) -> Result<Base> {
    let kinds = [("flat", 0), ("slope", 1), ("hills", 2), ("dune", 3), ("raster", 4)];
    let kind = b.word("kind", &kinds)?.unwrap_or_else(|| usize::from(b.node.get("file").is_some()) * 4);
    Ok(match kind {
        1 => {
            let mut angle = 10f64.to_radians();
            b.angle("angle_deg", "angle_deg", &mut angle)?;
            Base::Slope { angle, direction: b.finite("direction_deg")?.unwrap_or(0.0).to_radians() }
        }
        2 => {
            let (mut amplitude, mut wavelength) = (0.5, 6.0);
            b.set("amplitude", "amplitude", &mut amplitude)?;
            b.set("wavelength", "wavelength", &mut wavelength)?;
            Base::Hills { amplitude, wavelength, seed: b.whole("seed")?.unwrap_or(1) }
        }
        3 => {
            let (mut height, mut windward, mut lee) = (3.0, 20f64.to_radians(), 31f64.to_radians());
            b.set("height", "crest_height", &mut height)?;
            b.angle("windward_deg", "side_deg", &mut windward)?;
            b.angle("lee_deg", "side_deg", &mut lee)?;
            Base::Dune { height, crest: b.finite("crest")?.unwrap_or(0.5 * size[0]), windward, lee }
        }
        4 => Base::Raster(raster_base(b, source, size, size_given, place)?),
        _ => Base::Flat,
    })
}

/// A file named in a scene, looked for beside it; a path may not climb out of that folder.
fn beside(t: &Table<'_>, key: &'static str, name: &str, source: &Source) -> Result<PathBuf> {
    let path = Path::new(name);
    let climbs = path.components().any(|c| matches!(c, std::path::Component::ParentDir));
    if climbs {
        let node = t.node.get(key).unwrap_or(t.node);
        return Err(t.error(node, format!("`{}` is `{name}`: give a path without `..`", t.field(key))));
    }
    Ok(source.folder.join(path))
}

fn raster_base(
    b: &Table<'_>,
    source: &Source,
    size: &mut [f64; 2],
    size_given: bool,
    place: &mut Option<GeoPlace>,
) -> Result<Raster> {
    let fail = |problem: String| b.error(b.node.get("file").unwrap_or(b.node), problem);
    let Some(file) = b.text("file")? else {
        return Err(b.error(b.node, "`terrain.base` of kind `raster` needs a `file`".into()));
    };
    let path = beside(b, "file", file, source)?;
    let mut grid = raster::read_height_map(&path, &raster::Limits::default()).map_err(|e| fail(e.to_string()))?;
    if let Some([low, high]) = b.pair("height_range")? {
        let Some(top) = grid.raw_integer_range else {
            return Err(fail("`height_range` is for PNG without a sidecar; this file has heights already".into()));
        };
        grid.data.iter_mut().for_each(|h| *h = (low + (high - low) * f64::from(*h / top)) as f32);
    } else if grid.raw_integer_range.is_some() {
        return Err(fail("a PNG has no unit: give `height_range = [low, high]` in metres, or a JSON file beside it".into()));
    }
    if let Some(factor) = b.finite("scale")? {
        grid.data.iter_mut().for_each(|h| *h = (f64::from(*h) * factor) as f32);
    }
    let fill = b.word("nodata", &[("reject", false), ("fill", true)])?.unwrap_or(false);
    let missing = grid.nodata_count();
    if missing > 0 && !fill {
        return Err(fail(format!(
            "{missing} of {} posts have no data; crop the file or set `nodata = \"fill\"`",
            grid.data.len()
        )));
    }
    if missing > 0 {
        grid.fill_nodata().map_err(|e| fail(e.to_string()))?;
    }
    let spacing = match b.finite("spacing")? {
        Some(s) if s > 0.0 => [s, s],
        Some(s) => return Err(fail(format!("`terrain.base.spacing` is {s}, must be above 0 m"))),
        None => match grid.spacing {
            Some(s) => s,
            None if size_given => {
                [size[0] / (grid.width.max(2) - 1) as f64, size[1] / (grid.height.max(2) - 1) as f64]
            }
            None => return Err(fail("the file does not say how far its posts are apart: set `spacing` in metres".into())),
        },
    };
    // Heights count from the lowest post, so that single precision holds on any mountain.
    let low = grid.data.iter().copied().fold(f32::MAX, f32::min);
    if b.flag("keep_datum")? != Some(true) {
        grid.data.iter_mut().for_each(|h| *h -= low);
    }
    if let Some(geo) = grid.geo {
        if let Some(epsg) = geo.epsg.filter(|_| !geo.degrees) {
            // The terrain starts at the first post; x runs east and z south, as the rows do.
            *place = Some(GeoPlace { epsg, corner: geo.origin });
        }
    }
    let raster = Raster::new(grid.width, grid.height, spacing, grid.data).map_err(|e| fail(e.to_string()))?;
    if !size_given {
        *size = raster.extent();
    }
    Ok(raster)
}

fn paint(p: &Table<'_>, materials: &mut Vec<NamedMaterial>, source: &Source) -> Result<Paint> {
    let unknown = |key: &str, name: &str| {
        p.error(p.node.get(key).unwrap_or(p.node), unknown_material(&p.field(key), name))
    };
    if let Some(file) = p.text("image")? {
        let path = beside(p, "image", file, source)?;
        let fail = |problem: String| p.error(p.node.get("image").unwrap_or(p.node), problem);
        let grid = raster::read_height_map(&path, &raster::Limits { max_cells: 1 << 24, ..raster::Limits::default() })
            .map_err(|e| fail(e.to_string()))?;
        let Some(Value::Table(levels)) = p.get("levels").map(|n| &n.value) else {
            return Err(fail("needs `levels`, as in levels = { 0 = \"snow\", 255 = \"dry-sand\" }".into()));
        };
        let mut known: Vec<(f32, u8)> = Vec::new();
        for (level, node) in levels {
            let value: f32 = level.parse().map_err(|_| fail(format!("level `{level}` is not a grey value")))?;
            let name = node.text().unwrap_or_default();
            known.push((value, find_material(materials, name).ok_or_else(|| unknown("levels", name))?));
        }
        let indices = grid.data.iter().enumerate().map(|(i, v)| {
            known.iter().find(|(level, _)| level == v).map(|(_, m)| *m).ok_or_else(|| {
                let (column, row) = (i % grid.width, i / grid.width);
                fail(format!("grey value {v} at column {column}, row {row} is not one of `levels`"))
            })
        });
        let indices = indices.collect::<Result<Vec<u8>>>()?;
        return Ok(Paint { material: 0, shape: PaintShape::Image { width: grid.width, height: grid.height, indices } });
    }
    let Some(name) = p.text("material")? else {
        return Err(p.error(p.node, format!("`{}` needs a `material`", p.path)));
    };
    let material = find_material(materials, name).ok_or_else(|| unknown("material", name))?;
    if let Some(node) = p.get("rectangle") {
        let corners = match node.items() {
            [a, b] => pair(a).zip(pair(b)),
            _ => None,
        };
        let (min, max) = corners.ok_or_else(|| p.must_be(node, "rectangle", "two corners: [[x, z], [x, z]]"))?;
        return Ok(Paint { material, shape: PaintShape::Rectangle { min, max } });
    }
    if let Some(node) = p.get("disc") {
        let d = Table::new(node, p.field("disc"), p.source)?;
        let (Some(centre), Some(radius)) = (d.pair("centre")?, d.finite("radius")?) else {
            return Err(p.must_be(node, "disc", "a table with `centre` and `radius`"));
        };
        d.done()?;
        return Ok(Paint { material, shape: PaintShape::Disc { centre, radius } });
    }
    Err(p.error(p.node, format!("`{}` needs a `rectangle`, a `disc` or an `image`", p.path)))
}

fn puppet(p: &Table<'_>, source: &Source) -> Result<PuppetSpec> {
    let mut spec = PuppetSpec::default();
    if let Some(name) = p.text("name")? {
        spec.name = name.into();
    }
    p.set("mass", "mass", &mut spec.mass)?;
    p.set("height", "height", &mut spec.height)?;
    p.set("foot_length", "foot_length", &mut spec.foot_length)?;
    p.set("foot_width", "foot_width", &mut spec.foot_width)?;
    let wear = Footwear::ALL.map(|f| (f.name(), f));
    if let Some(footwear) = p.word("footwear", &wear)? {
        spec.sole = SoleShape::Footwear(footwear);
    }
    if let Some(node) = p.get("sole") {
        let s = Table::new(node, p.field("sole"), source)?;
        spec.sole = SoleShape::Custom(sole(&s, spec.foot_length, source)?);
        s.done()?;
    }
    spec.hold = p.word("hold", &[("pinned", Hold::Pinned), ("free", Hold::Free)])?.unwrap_or_default();
    let motion = p.word("motion", &[("walk", 0), ("drop", 1), ("press", 2), ("host", 3)])?.unwrap_or(0);
    spec.script = match motion {
        1 => {
            let mut d = Drop { position: p.pair("position")?.unwrap_or([1.0, 1.0]), height: 2.5, start: 0.0, rest: 1.0 };
            p.set("drop_height", "drop_height", &mut d.height)?;
            p.set("start", "start", &mut d.start)?;
            p.set("rest", "seconds", &mut d.rest)?;
            Script::Drop(d)
        }
        2 => {
            let mut q = Press {
                position: p.pair("position")?.unwrap_or([1.0, 1.0]),
                presses: p.number("presses", "presses")?.unwrap_or(1.0) as u32,
                down: 1.0,
                up: 0.2,
                scatter: 0.0,
                heading: p.finite("heading_deg")?.unwrap_or(0.0).to_radians(),
                start: 0.0,
            };
            p.set("down", "seconds", &mut q.down)?;
            p.set("up", "seconds", &mut q.up)?;
            p.set("scatter", "scatter", &mut q.scatter)?;
            p.set("start", "start", &mut q.start)?;
            Script::Press(q)
        }
        3 => Script::Host { feet: p.whole("feet")?.unwrap_or(2) as usize },
        _ => Script::Walk(walk(p)?),
    };
    p.done()?;
    Ok(spec)
}

fn walk(p: &Table<'_>) -> Result<Walk> {
    let mut w = Walk::default();
    if let Some(node) = p.get("waypoints") {
        let points: Option<Vec<[f64; 2]>> = node.items().iter().map(pair).collect();
        w.waypoints = points
            .filter(|w| w.len() >= 2 && w.len() <= 100_000)
            .ok_or_else(|| p.must_be(node, "waypoints", "a list of at least two places: [[x, z], [x, z]]"))?;
    }
    w.passes = p.number("passes", "passes")?.map_or(w.passes, |n| n as u32);
    w.back_and_forth = p.flag("back_and_forth")?.unwrap_or(w.back_and_forth);
    p.set("speed", "speed", &mut w.speed)?;
    w.step_length = p.number("step_length", "step_length")?;
    p.set("step_width", "step_width", &mut w.step_width)?;
    p.set("lateral_sd", "lateral_sd", &mut w.lateral_sd)?;
    p.set("step_sd", "step_sd", &mut w.step_sd)?;
    p.set("start", "start", &mut w.start)?;
    Ok(w)
}

/// A sole of one's own: from an outline, an image or a mesh.
fn sole(s: &Table<'_>, foot_length: f64, source: &Source) -> Result<Sole> {
    let length = s.number("length", "foot_length")?.unwrap_or(foot_length);
    let fail = |problem: String| s.error(s.node, format!("`{}`: {problem}", s.path));
    if let Some(node) = s.get("outline") {
        let points: Option<Vec<[f64; 2]>> = node.items().iter().map(pair).collect();
        let points = points.ok_or_else(|| s.must_be(node, "outline", "a list of points: [[forward, right], …]"))?;
        return Sole::from_outline(&points, length).map_err(|e| fail(e.to_string()));
    }
    if let Some(file) = s.text("image")? {
        let path = beside(s, "image", file, source)?;
        let relief = s.finite("relief")?.unwrap_or(0.01).clamp(0.0, 0.2);
        let limits = raster::Limits { max_cells: 1 << 22, ..raster::Limits::default() };
        let grid = raster::read_height_map(&path, &limits).map_err(|e| fail(e.to_string()))?;
        let top = grid.raw_integer_range.unwrap_or(1.0);
        // Black is no sole; white is its lowest plane.
        let covered: Vec<f32> = grid.data.iter().map(|&v| if v > 0.0 { 1.0 } else { 0.0 }).collect();
        let raised: Vec<f32> = grid.data.iter().map(|&v| 1.0 - (v / top).clamp(0.0, 1.0)).collect();
        return Sole::from_image(grid.width, grid.height, &covered, &raised, length, relief)
            .map_err(|e| fail(e.to_string()));
    }
    if let Some(file) = s.text("mesh")? {
        let path = beside(s, "mesh", file, source)?;
        let triangles = crate::obj::read(&path).map_err(|e| fail(e.to_string()))?;
        return Sole::from_mesh(&triangles).map_err(|e| fail(e.to_string()));
    }
    Err(fail("needs an `outline`, an `image` or a `mesh`".into()))
}
