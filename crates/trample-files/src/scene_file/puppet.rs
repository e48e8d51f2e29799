//! A puppet from a tree: body, sole and motion.

use super::Source;
use super::keys::MOTIONS;
use super::table::{Result, Table};
use crate::inputs;
use crate::raster::{self, Limits};
use trample::params::{Body, Field, Footwear, Range, Sole};
use trample::scene::{Fall, Hold, Path, Press, PuppetSpec, Script, SoleShape, Walk};

/// Most points of a sole's outline: each is looked at for every texel.
const MOST_POINTS: usize = 1000;
/// Length of a sole of one's own.
const LENGTH: Range = Range::new("length", "m", 0.02, 2.0, "length");
/// Width of a sole given as numbers.
const WIDTH: Range = Range::new("width", "m", 0.0, Sole::LARGEST, "width");
/// Where the forefoot of such a sole is hinged, forward from its middle.
const SOFTNESS: Range = Range::new("softness", "mm/MPa", 0.0, 100.0, "how far it gives under pressure");
const BENDING: Range =
    Range::new("bending", "N·m/rad", 0.0, 1e5, "its stiffness against bending at the ball");
const BALL: Range = Range::new("ball", "m", -Sole::LARGEST, Sole::LARGEST, "where the forefoot is hinged");
/// How much higher the black of a picture of a sole is than its white.
const RELIEF: Range = Range::new("relief", "m", 0.0, 0.2, "height of the relief");

/// Reads a `[[puppet]]`.
pub(crate) fn read(p: &Table<'_>, source: &Source) -> Result<PuppetSpec> {
    let mut spec = PuppetSpec::default();
    spec.name = p.text("name")?.unwrap_or(&spec.name).into();
    if let Some(usual) = p.word("body", &bodies())? {
        spec.body = usual;
    }
    p.fields(measures(Body::ANYTHING), &mut spec.body)?;
    under_foot(p, source, &mut spec)?;
    spec.hold = p.word("hold", &[("pinned", Hold::Pinned), ("free", Hold::Free)])?.unwrap_or_default();
    let motions: Vec<(&str, &str)> = MOTIONS.iter().map(|(motion, _)| (*motion, *motion)).collect();
    let motion = p.word("motion", &motions)?.unwrap_or("walk");
    spec.script = match motion {
        "drop" => {
            let mut fall = Fall::default();
            fall.position = p.pair("position")?.unwrap_or(fall.position);
            p.fields(Fall::FIELDS, &mut fall)?;
            Script::Fall(fall)
        }
        "press" => {
            let mut press = Press::default();
            press.position = p.pair("position")?.unwrap_or(press.position);
            p.fields(Press::FIELDS, &mut press)?;
            Script::Press(press)
        }
        "host" => Script::Host { feet: p.number(&Script::FEET)?.unwrap_or(2.0) as usize },
        _ => {
            let mut walk = Walk::default();
            if at_own_speed(p) {
                return Err(p.error_at(
                    "speed",
                    format!("`{}`: scripted steps have no speed of their own", p.field("speed")),
                ));
            }
            path(p, &mut walk.path, Path::FIELDS)?;
            p.fields(Walk::FIELDS, &mut walk)?;
            Script::Walk(walk)
        }
    };
    p.done_with("motion", motion, &MOTIONS)?;
    Ok(spec)
}

/// The built-in bodies.
pub(crate) fn bodies() -> Vec<(&'static str, Body)> {
    Body::VARIANTS.iter().filter_map(|name| Body::by_name(name).map(|body| (*name, body))).collect()
}

/// Everything that can be said of a body whose mass, height and feet have the ranges in `own`.
pub(crate) fn measures(own: &'static [Field<Body>]) -> impl Iterator<Item = &'static Field<Body>> {
    own.iter().chain(Body::FIELDS.iter().filter(|f| Field::find(own, f.range.name).is_none()))
}

/// What is under its foot: `footwear` or a `sole` of its own.
pub(crate) fn under_foot(p: &Table<'_>, source: &Source, spec: &mut PuppetSpec) -> Result<()> {
    if let Some(footwear) = p.word("footwear", &Footwear::ALL.map(|f| (f.name(), f)))? {
        spec.sole = SoleShape::Footwear(footwear);
    }
    if let Some(node) = p.get("sole") {
        let s = Table::new(node, p.field("sole"), source)?;
        spec.sole = SoleShape::Custom(sole(&s, spec.body.foot_length)?);
    }
    Ok(())
}

/// Whether its speed is to be that of its own recording.
pub(crate) fn at_own_speed(p: &Table<'_>) -> bool {
    p.get("speed").and_then(|node| node.text()) == Some("own")
}

/// A path; says whether it has places of its own. `route` is another name of `waypoints`.
pub(crate) fn path(p: &Table<'_>, path: &mut Path, fields: &'static [Field<Path>]) -> Result<bool> {
    let places = p.points("waypoints", 2, 100_000)?;
    path.back_and_forth = p.flag("back_and_forth")?.unwrap_or(path.back_and_forth);
    let own = at_own_speed(p);
    p.fields(fields.iter().filter(|f| !own || f.range.name != "speed"), path)?;
    let given = places.is_some();
    path.waypoints = places.unwrap_or_else(|| std::mem::take(&mut path.waypoints));
    Ok(given)
}

/// A sole of one's own: from an outline, an image or a mesh.
pub(crate) fn sole(s: &Table<'_>, foot_length: f64) -> Result<Sole> {
    // A sole that is given as numbers was made before, from a mesh of any size.
    let longest = if s.node.get("coverage").is_some() { Sole::LARGEST } else { LENGTH.max };
    let own_length = s.number(&Range { max: longest, ..LENGTH })?;
    let length = own_length.unwrap_or(foot_length);
    let (outline, image, mesh) = (s.points("outline", 3, MOST_POINTS)?, s.file("image")?, s.file("mesh")?);
    let relief = s.number(&RELIEF)?;
    let (coverage, depth, width) = (s.file("coverage")?, s.file("depth")?, s.number(&WIDTH)?);
    let ball = s.number(&BALL)?;
    let (softness, bending) = (s.number(&SOFTNESS)?, s.number(&BENDING)?);
    s.done()?;
    if relief.is_some() && image.is_none() {
        return Err(s.error_at("relief", format!("`{}.relief` goes with `image`", s.path)));
    }
    let given = |sole: Sole| Sole {
        softness: softness.unwrap_or(sole.softness),
        bending: bending.unwrap_or(sole.bending),
        ..sole
    };
    let fail = |key: &str, problem: String| s.error_at(key, format!("`{}`: {problem}", s.field(key)));
    let grid = |key: &str, path: &std::path::Path| {
        let limits = Limits { max_cells: 1 << 22, ..Limits::default() };
        raster::read_height_map(path, &limits).map_err(|e| fail(key, e.to_string()))
    };
    if let (Some(coverage), Some(depth), Some(width), Some(ball)) = (coverage, depth, width, ball) {
        let (coverage, depth) = (grid("coverage", &coverage)?, grid("depth", &depth)?);
        let (nu, nv) = (coverage.height, coverage.width);
        let (coverage, depth) = (coverage.data, depth.data);
        let usual = Sole::SHOE;
        return Ok(given(Sole {
            length,
            width,
            ball,
            softness: usual[0],
            bending: usual[1],
            nu,
            nv,
            coverage,
            depth,
        }));
    }
    let made = match (outline, image, mesh) {
        (Some(points), None, None) => {
            Sole::from_outline(&points, length).map_err(|e| fail("outline", e.to_string()))
        }
        (None, Some(path), None) => {
            let grid = grid("image", &path)?;
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
    };
    let made = made.map(given)?;
    inputs::hold(4 * (made.coverage.len() + made.depth.len()) as u64).map_err(|e| s.error(s.node, e))?;
    Ok(made)
}
