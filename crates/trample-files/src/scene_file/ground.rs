//! The original ground from a tree: its height and what is painted on it.

use super::keys::KINDS;
use super::node::{Value, number, shortened};
use super::read::find_material;
use super::table::{Result, Table, pair};
use crate::inputs;
use crate::raster::{self, Grid, Limits};
use trample::Base;
use trample::params::Range;
use trample::scene::{GeoPlace, NamedMaterial};
use trample::scene::{Paint, PaintShape, Raster};

/// Heights beyond this are a mistake in the unit; stored as whole nanometres they would overflow far above it, m.
const HIGHEST: f32 = 100_000.0;

/// Factor on the heights of a map.
const SCALE: Range = Range::new("scale", "", f64::MIN, f64::MAX, "factor on heights");
/// Radius of a painted disc.
const RADIUS: Range = Range::new("radius", "m", 1e-3, 1e5, "radius");

pub(crate) fn base(
    b: &Table<'_>,
    size: &mut [f64; 2],
    size_given: bool,
    place: &mut Option<GeoPlace>,
) -> Result<Base> {
    let names: Vec<(&str, &str)> = KINDS.iter().map(|(kind, _)| (*kind, *kind)).collect();
    b.word("kind", &names)?;
    let kind = b.node.base_kind().unwrap_or("flat");
    if kind == "raster" {
        return Ok(Base::Raster(raster_base(b, size, size_given, place)?));
    }
    let mut base = kinds().into_iter().find(|(k, _)| *k == kind).map(|(_, base)| base).unwrap_or_default();
    if let Base::Dune { crest, .. } = &mut base {
        *crest = 0.5 * size[0];
    }
    let usual = base.clone();
    b.fields(Base::FIELDS.iter().filter(|f| f.get(&usual).is_some()), &mut base)?;
    if let Base::Hills { seed, .. } = &mut base {
        *seed = b.integer("seed")?.unwrap_or(*seed);
    }
    Ok(base)
}

/// The kinds of bases that are functions, as they are where a scene says no more.
pub(crate) fn kinds() -> [(&'static str, Base); 4] {
    let [slope, windward, lee] = [10f64, 20.0, 31.0].map(f64::to_radians);
    [
        ("flat", Base::Flat),
        ("slope", Base::Slope { angle: slope, direction: 0.0 }),
        ("hills", Base::Hills { amplitude: 0.5, wavelength: 6.0, seed: 1 }),
        ("dune", Base::Dune { height: 3.0, crest: 3.0, windward, lee }),
    ]
}

fn raster_base(
    b: &Table<'_>,
    size: &mut [f64; 2],
    size_given: bool,
    place: &mut Option<GeoPlace>,
) -> Result<Raster> {
    let fail = |problem: String| b.error_at("file", problem);
    let (file, height_range) = (b.file("file")?, b.pair("height_range")?);
    let (factor, spacing) = (b.number(&SCALE)?, own_spacing(b)?);
    let fill = b.word("nodata", &[("reject", false), ("fill", true)])?.unwrap_or(false);
    let keep_datum = b.flag("keep_datum")?.unwrap_or(false);
    b.done_with("kind", "raster", &KINDS)?;
    let Some(path) = file else {
        return Err(b.error(b.node, "`terrain.base` of kind `raster` needs a `file`".into()));
    };
    let mut grid = raster::read_height_map(&path, &Limits::default()).map_err(|e| fail(e.to_string()))?;
    inputs::hold(4 * grid.data.len() as u64).map_err(fail)?;
    match (height_range, grid.raw_integer_range) {
        (Some([low, high]), Some(top)) => {
            grid.data.iter_mut().for_each(|h| *h = (low + (high - low) * f64::from(*h / top)) as f32);
        }
        (Some(_), None) => {
            let problem =
                "`terrain.base.height_range` is for PNG without a sidecar; this file has heights already";
            return Err(b.error_at("height_range", problem.into()));
        }
        (None, Some(_)) => {
            let problem =
                "a PNG has no unit: give `height_range = [low, high]` in metres, or a JSON file beside it";
            return Err(fail(problem.into()));
        }
        (None, None) => {}
    }
    if let Some(factor) = factor {
        grid.data.iter_mut().for_each(|h| *h = (f64::from(*h) * factor) as f32);
    }
    let missing = grid.nodata_count();
    if missing > 0 && !fill {
        let posts = grid.data.len();
        return Err(fail(format!(
            "{missing} of {posts} posts have no data; crop the file or set `nodata = \"fill\"`"
        )));
    }
    if missing > 0 {
        grid.fill_nodata().map_err(|e| fail(e.to_string()))?;
    }
    let spacing = match (spacing, grid.spacing) {
        (Some(spacing), _) | (None, Some(spacing)) => spacing,
        (None, None) if size_given => {
            [size[0] / (grid.width.max(2) - 1) as f64, size[1] / (grid.height.max(2) - 1) as f64]
        }
        _ => {
            return Err(fail(
                "the file does not say how far its posts are apart: set `spacing` in metres".into(),
            ));
        }
    };
    level(&mut grid, keep_datum).map_err(fail)?;
    if let Some((geo, epsg)) = grid.geo.filter(|geo| !geo.degrees).and_then(|geo| Some((geo, geo.epsg?))) {
        // The terrain starts at the first post; x runs east and z south, as the rows do.
        *place = Some(GeoPlace { epsg, corner: geo.origin });
    }
    let raster = Raster::new(grid.width, grid.height, spacing, grid.data).map_err(|e| fail(e.to_string()))?;
    if !size_given {
        *size = raster.extent();
    }
    Ok(raster)
}

/// `spacing`: one number, or two along x and z.
fn own_spacing(b: &Table<'_>) -> Result<Option<[f64; 2]>> {
    let Some(node) = b.get("spacing") else { return Ok(None) };
    let spacing = pair(node).or_else(|| super::table::plain_number(node).map(|s| [s, s]));
    let spacing = spacing.filter(|s| s.iter().all(|s| (1e-4..=1e5).contains(s)));
    let what = "a number of metres, or two along x and z; allowed: 0.0001 to 100000 m";
    spacing.map(Some).ok_or_else(|| b.must_be(node, "spacing", what))
}

/// Lowers the map so that heights count from its lowest post, which keeps single precision fine on any mountain.
fn level(grid: &mut Grid, keep_datum: bool) -> std::result::Result<(), String> {
    let (low, high) =
        grid.data.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), &h| (a.min(h), b.max(h)));
    let from = if keep_datum { 0.0 } else { low };
    if !(low - from >= -HIGHEST && high - from <= HIGHEST) {
        let (low, high) = (number(f64::from(low)), number(f64::from(high)));
        return Err(format!(
            "heights from {low} to {high} m, allowed: {HIGHEST} m up or down; is the unit metres? Set `scale`"
        ));
    }
    grid.data.iter_mut().for_each(|h| *h -= from);
    Ok(())
}

pub(crate) fn paint(p: &Table<'_>, materials: &mut Vec<NamedMaterial>) -> Result<Paint> {
    let (image, levels) = (p.file("image")?, p.get("levels"));
    let (name, rectangle, disc) = (p.text("material")?, p.points("rectangle", 2, 2)?, p.get("disc"));
    let disc = disc.map(|node| Table::new(node, p.field("disc"), p.source)).transpose()?;
    p.done()?;
    if usize::from(image.is_some()) + usize::from(rectangle.is_some()) + usize::from(disc.is_some()) != 1 {
        return Err(p.error(p.node, format!("`{}` needs one of `rectangle`, `disc` or `image`", p.path)));
    }
    if let Some(path) = image {
        if name.is_some() {
            return Err(p.error_at("material", format!("`{}` takes its materials from `levels`", p.path)));
        }
        let Some(Value::Table(rows)) = levels.map(|n| &n.value) else {
            let example = "levels = { 0 = \"snow\", 255 = \"dry-sand\" }";
            return Err(p.error_at("levels", format!("`{}` needs `levels`, as in {example}", p.path)));
        };
        let mut known: Vec<(f32, u8)> = Vec::new();
        for (level, node) in rows {
            let fail = |problem: String| p.error(node, problem);
            let value = level.parse().ok().filter(|v: &f32| v.is_finite());
            let value = value.ok_or_else(|| {
                fail(format!("`{}.levels`: `{}` is not a grey value", p.path, shortened(level)))
            })?;
            let name = node
                .text()
                .ok_or_else(|| p.must_be(node, &format!("levels.{level}"), "the name of a material"))?;
            // Adding 0 turns −0 into 0, so that the order below is that of the numbers.
            known.push((value + 0.0, find_material(materials, p, "levels", name)?));
        }
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(twice) = known.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(p.error_at("levels", format!("`{}.levels` has {} twice", p.path, twice[0].0)));
        }
        let fail = |problem: String| p.error_at("image", problem);
        let read = || {
            let limits = Limits { max_cells: 1 << 24, ..Limits::default() };
            let grid = raster::read_height_map(&path, &limits).map_err(|e| fail(e.to_string()))?;
            inputs::hold(grid.data.len() as u64).map_err(fail)?;
            let indices = grid.data.iter().enumerate().map(|(i, v)| {
                let found = known.binary_search_by(|(level, _)| level.total_cmp(&(v + 0.0)));
                found.map(|k| known[k].1).map_err(|_| {
                    let (column, row) = (i % grid.width, i / grid.width);
                    let levels: Vec<String> =
                        known.iter().take(20).map(|(level, _)| level.to_string()).collect();
                    let allowed = levels.join(", ");
                    let problem = format!(
                        "grey value {v} at column {column}, row {row} is not one of `levels`: {allowed}"
                    );
                    fail(format!("{}: {problem}", path.display()))
                })
            });
            let indices = indices.collect::<Result<Vec<u8>>>()?;
            Ok(PaintShape::Image { width: grid.width, height: grid.height, indices: indices.into() })
        };
        let shape = inputs::shared(format!("paint {} {known:?}", path.display()), read)?;
        return Ok(Paint { material: 0, shape });
    }
    if levels.is_some() {
        return Err(p.error_at("levels", format!("`{}.levels` goes with `image`", p.path)));
    }
    let Some(name) = name else {
        return Err(p.error(p.node, format!("`{}` needs a `material`", p.path)));
    };
    let material = find_material(materials, p, "material", name)?;
    let shape = match (rectangle, disc) {
        // Any two opposite corners will do.
        (Some(corners), _) => PaintShape::Rectangle {
            min: [corners[0][0].min(corners[1][0]), corners[0][1].min(corners[1][1])],
            max: [corners[0][0].max(corners[1][0]), corners[0][1].max(corners[1][1])],
        },
        (None, Some(d)) => {
            let (centre, radius) = (d.pair("centre")?, d.number(&RADIUS)?);
            d.done()?;
            let (Some(centre), Some(radius)) = (centre, radius) else {
                return Err(d.error(d.node, format!("`{}` needs `centre` and `radius`", d.path)));
            };
            PaintShape::Disc { centre, radius }
        }
        (None, None) => unreachable!("one of the three is there"),
    };
    Ok(Paint { material, shape })
}
