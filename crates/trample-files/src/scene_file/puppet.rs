//! A puppet from a tree: body, sole and motion.

use super::Source;
use super::keys::MOTIONS;
use super::table::{Result, Table};
use crate::raster::{self, Limits};
use trample::params::{Footwear, Sole};
use trample::scene::{Drop, Press, PuppetSpec, Script, SoleShape, Walk};
use trample::state::Hold;

/// Most points of a sole's outline: each is looked at for every texel.
const MOST_POINTS: usize = 1000;

pub(crate) fn read(p: &Table<'_>, source: &Source) -> Result<PuppetSpec> {
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
        spec.sole = SoleShape::Custom(sole(&s, spec.foot_length)?);
    }
    spec.hold = p.word("hold", &[("pinned", Hold::Pinned), ("free", Hold::Free)])?.unwrap_or_default();
    let motions: Vec<(&str, &str)> = MOTIONS.iter().map(|(motion, _)| (*motion, *motion)).collect();
    let motion = p.word("motion", &motions)?.unwrap_or("walk");
    spec.script = match motion {
        "drop" => {
            let mut d = Drop {
                position: p.pair("position")?.unwrap_or([1.0, 1.0]),
                height: 2.5,
                start: 0.0,
                rest: 1.0,
            };
            p.set("drop_height", "drop_height", &mut d.height)?;
            p.set("start", "start", &mut d.start)?;
            p.set("rest", "seconds", &mut d.rest)?;
            Script::Drop(d)
        }
        "press" => {
            let mut q = Press {
                position: p.pair("position")?.unwrap_or([1.0, 1.0]),
                presses: 1,
                down: 1.0,
                up: 0.2,
                scatter: 0.0,
                heading: p.finite("heading_deg")?.unwrap_or(0.0).to_radians(),
                start: 0.0,
            };
            p.count("presses", "presses", &mut q.presses)?;
            p.set("down", "seconds", &mut q.down)?;
            p.set("up", "seconds", &mut q.up)?;
            p.set("scatter", "scatter", &mut q.scatter)?;
            p.set("start", "start", &mut q.start)?;
            Script::Press(q)
        }
        // The scene's check knows how many feet a puppet may have.
        "host" => Script::Host { feet: usize::try_from(p.whole("feet")?.unwrap_or(2)).unwrap_or(usize::MAX) },
        _ => Script::Walk(walk(p)?),
    };
    p.done_with("motion", motion, MOTIONS)?;
    Ok(spec)
}

fn walk(p: &Table<'_>) -> Result<Walk> {
    let mut w = Walk::default();
    if let Some(waypoints) = p.points("waypoints", 2, 100_000)? {
        w.waypoints = waypoints;
    }
    p.count("passes", "passes", &mut w.passes)?;
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
pub(crate) fn sole(s: &Table<'_>, foot_length: f64) -> Result<Sole> {
    let own_length = s.number("length", "foot_length")?;
    let length = own_length.unwrap_or(foot_length);
    let (outline, image, mesh) = (s.points("outline", 3, MOST_POINTS)?, s.file("image")?, s.file("mesh")?);
    let relief = s.between("relief", [0.0, 0.2], "m")?;
    s.done()?;
    if relief.is_some() && image.is_none() {
        return Err(s.error_at("relief", format!("`{}.relief` goes with `image`", s.path)));
    }
    let fail = |key: &str, problem: String| s.error_at(key, format!("`{}`: {problem}", s.field(key)));
    match (outline, image, mesh) {
        (Some(points), None, None) => {
            Sole::from_outline(&points, length).map_err(|e| fail("outline", e.to_string()))
        }
        (None, Some(path), None) => {
            let limits = Limits { max_cells: 1 << 22, ..Limits::default() };
            let grid = raster::read_height_map(&path, &limits).map_err(|e| fail("image", e.to_string()))?;
            let top = grid.raw_integer_range.unwrap_or(1.0);
            // Black is no sole; white is its lowest plane.
            let covered: Vec<f32> = grid.data.iter().map(|&v| if v > 0.0 { 1.0 } else { 0.0 }).collect();
            let raised: Vec<f32> = grid.data.iter().map(|&v| 1.0 - (v / top).clamp(0.0, 1.0)).collect();
            Sole::from_image(grid.width, grid.height, &covered, &raised, length, relief.unwrap_or(0.01))
                .map_err(|e| fail("image", e.to_string()))
        }
        (None, None, Some(path)) => {
            let mut triangles = crate::obj::read(&path).map_err(|e| fail("mesh", e.to_string()))?;
            // A mesh is in metres unless it is told how long it is.
            if let Some(length) = own_length {
                crate::obj::scale_to(&mut triangles, length as f32);
            }
            Sole::from_mesh(&triangles).map_err(|e| fail("mesh", e.to_string()))
        }
        _ => Err(s.error(s.node, format!("`{}` needs one of `outline`, `image` or `mesh`", s.path))),
    }
}
