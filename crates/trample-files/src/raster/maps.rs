//! The maps of a world as files, and what part of the terrain they show.

use super::layout::QUANTUM;
use super::{
    Extent, Layout, MapView, RasterError, Tile, sidecar, write_exr, write_npy, write_png16, write_r16,
    write_tif,
};
use crate::atomic;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use trample::touched_rect;
use trample::{CellRect, Map, TILE, World};

/// A format of maps: the ending of its files, and who writes them.
pub type MapFormat = (&'static str, fn(&Path, &MapView<'_>) -> Result<(), RasterError>);

/// The formats of maps.
pub const FORMATS: [MapFormat; 5] =
    [("npy", write_npy), ("exr", write_exr), ("png", write_png16), ("tif", write_tif), ("r16", write_r16)];

/// The format of a name: the ending of its files, or what else it is called.
pub fn format_by_name(name: &str) -> Option<MapFormat> {
    let ending = match name {
        "raw" => "r16",
        "tiff" | "geotiff" | "cog" => "tif",
        other => other,
    };
    FORMATS.into_iter().find(|format| format.0 == ending)
}

/// The formats that are written where nobody says which: all but RAW.
pub fn usual_formats() -> Vec<MapFormat> {
    FORMATS.into_iter().filter(|(ending, _)| *ending != "r16").collect()
}

/// Cells up to which a whole terrain is written.
const WHOLE: usize = 4 << 20;
/// Cells in the largest map that is written: 64 MB of samples.
const MOST: usize = 16 << 20;

/// The part of the terrain that maps show: all of it if that is moderate, else what was touched, else its corner.
pub fn exported(world: &World) -> CellRect {
    let [width, height] = world.ground().size.map(|n| n as usize);
    let all = CellRect { x: 0, z: 0, width, height };
    if width.saturating_mul(height) <= WHOLE {
        return all;
    }
    let mut rect = touched_rect(world.ground()).unwrap_or(CellRect { width: 64, height: 64, ..all });
    // A trail that winds over a large map can still have a huge box around it: the middle of it, then.
    if rect.width.saturating_mul(rect.height) > MOST {
        let middle = |first: i32, n: usize| (first + (n.saturating_sub(4096) / 2) as i32, n.min(4096));
        (rect.x, rect.width) = middle(rect.x, rect.width);
        (rect.z, rect.height) = middle(rect.z, rect.height);
    }
    rect
}

/// Share of the touched ground that lies outside of a rectangle, 0..1.
pub fn left_out(world: &World, rect: CellRect) -> f64 {
    let t = TILE as i32;
    let (x1, z1) = (rect.x + rect.width as i32, rect.z + rect.height as i32);
    let (mut inside, mut all) = (0u64, 0u64);
    for key in world.ground().tiles.iter().map(|tile| tile.key) {
        let (x, z) = (key.x * t, key.z * t);
        all += 1;
        inside += u64::from(x < x1 && z < z1 && x + t > rect.x && z + t > rect.z);
    }
    if all == 0 { 0.0 } else { (all - inside) as f64 / all as f64 }
}

/// Maps of a world to be written, and how.
#[derive(Clone, Debug)]
pub struct Export<'a> {
    /// Whose.
    pub world: &'a World,
    /// Which.
    pub maps: &'a [Map],
    /// In which formats; empty for those that the layout wants.
    pub formats: &'a [MapFormat],
    /// The lengths that the integers 0 and 65535 of a PNG or RAW stand for, m; what lies beyond is clipped and counted.
    pub png_range: Option<[f32; 2]>,
    /// As which tool wants them.
    pub layout: Option<Layout>,
}

impl Export<'_> {
    fn formats(&self, map: Map) -> Vec<MapFormat> {
        let texture = map.row().texture.is_some();
        let all = match self.layout {
            Some(layout) if self.formats.is_empty() => layout.formats(texture),
            _ => self.formats.to_vec(),
        };
        // Bare integers have no place for three numbers.
        all.into_iter().filter(|(ending, _)| !(texture && *ending == "r16")).collect()
    }

    /// The values that integers span, where that is not up to each file: of textures, of lengths if asked, and of all parts of a whole.
    fn range(&self, map: Map, parts: &[Extent]) -> Result<Option<[f32; 2]>, RasterError> {
        let row = map.row();
        if let Some(texture) = &row.texture {
            return Ok(Some(texture.range));
        }
        let integers = self.formats(map).iter().any(|(ending, _)| matches!(*ending, "png" | "r16"));
        if row.span.counts() || !integers {
            return Ok(None);
        }
        let length = row.unit == "m";
        let range = match self.png_range.filter(|_| length) {
            Some(range) => Some(range),
            None if parts.len() < 2 && self.layout.is_none() => return Ok(None),
            None => ends(parts.iter().flat_map(|part| part.sample(self.world, map))),
        };
        match (self.layout, range) {
            (Some(layout), Some(range)) if length => {
                layout.range(map.name(), range).map(Some).map_err(RasterError::Layout)
            }
            _ => Ok(range),
        }
    }

    /// Writes the maps over one extent, as `height.npy` and so on, `window.json` and for a tool `layout.json`. Returns the files, without
    /// sidecars.
    ///
    /// # Errors
    /// [`RasterError`] if a file cannot be written, or if a tool's integers would be too coarse.
    pub fn write(&self, folder: &Path, extent: &Extent) -> Result<Vec<PathBuf>, RasterError> {
        let (corner, [width, depth]) = (extent.corner, extent.size());
        let cell = self.world.ground().cell;
        let terrain = self.world.ground().size.map(|n| f64::from(n) * cell);
        let cells = |m: f64| (m / cell).round();
        let rect = CellRect {
            x: cells(corner[0]) as i32,
            z: cells(corner[1]) as i32,
            width: cells(width) as usize,
            height: cells(depth) as usize,
        };
        let covers = (0..2).all(|k| corner[k] <= 1e-9 && corner[k] + [width, depth][k] >= terrain[k] - 1e-9);
        let window = json!({
            "origin_m": corner,
            "cell_m": extent.spacing,
            "columns": extent.columns,
            "rows": extent.rows,
            "terrain_m": terrain,
            "cropped": !covers,
            "touched_left_out": left_out(self.world, rect),
        });
        let mut files = vec![save(&folder.join("window.json"), &window)?];
        for &map in self.maps {
            let range = self.range(map, &[*extent])?;
            files.extend(self.write_one(folder, map, extent, range, map.name())?);
            if let Some(layout) = self.layout.filter(|_| map.row().unit == "m") {
                let span = range.or_else(|| ends(extent.sample(self.world, map).into_iter()));
                let name =
                    if map == Map::Height { "layout".into() } else { format!("layout_{}", map.name()) };
                files.push(save(&folder.join(format!("{name}.json")), &layout.entries(extent, span))?);
            }
        }
        Ok(files)
    }

    /// Writes the maps in tiles, as `height_x0_y0.npy` and so on, all of one range of integers, and `tiles.json`, which lists them. Tiles
    /// that nobody touched are left out unless `all` are wanted. `told` hears how many of how many are done. Returns the files, without
    /// sidecars.
    ///
    /// # Errors
    /// [`RasterError`] if a file cannot be written, or if a tool's integers would be too coarse.
    pub fn write_tiles(
        &self,
        folder: &Path,
        whole: &Extent,
        side: usize,
        all: bool,
        mut told: impl FnMut(usize, usize),
    ) -> Result<Vec<PathBuf>, RasterError> {
        // Neighbours of an engine's terrain share their border posts, and every one has all of them.
        let shared = usize::from(self.layout.is_some());
        let tiles = whole.tiles(side, shared, self.layout.is_some());
        let touched = |tile: &Tile| {
            tile.extent.resampled(side as f64 * whole.spacing).touched(self.world).contains(&true)
        };
        let (kept, rest): (Vec<Tile>, Vec<Tile>) = tiles.into_iter().partition(|tile| all || touched(tile));
        let parts: Vec<Extent> = kept.iter().map(|tile| tile.extent).collect();
        let ranges = self.maps.iter().map(|&map| self.range(map, &parts)).collect::<Result<Vec<_>, _>>()?;
        let (mut files, mut rows) = (Vec::new(), Vec::new());
        for (done, tile) in kept.iter().enumerate() {
            let mut names = serde_json::Map::new();
            for (&map, &range) in self.maps.iter().zip(&ranges) {
                let first = files.len();
                let [x, y] = tile.place;
                let stem = format!("{}_x{x}_y{y}", map.name());
                files.extend(self.write_one(folder, map, &tile.extent, range, &stem)?);
                let name = |file: &PathBuf| file.file_name().map(|n| Value::from(n.to_string_lossy()));
                names.insert(map.name().into(), files[first..].iter().filter_map(name).collect());
            }
            rows.push(json!({
                "column": tile.place[0],
                "row": tile.place[1],
                "first": tile.first,
                "origin_m": tile.extent.corner,
                "columns": tile.extent.columns,
                "rows": tile.extent.rows,
                "files": names,
            }));
            told(done + 1, kept.len());
        }
        let ranged =
            self.maps.iter().zip(&ranges).filter_map(|(map, r)| r.map(|r| (map.name().into(), json!(r))));
        let count = |k: usize| kept.iter().chain(&rest).map(|tile| tile.place[k] + 1).max().unwrap_or(0);
        let cell = self.world.ground().cell;
        let index = json!({
            "tile": side,
            "shared": shared,
            "across": count(0),
            "down": count(1),
            "origin_m": whole.corner,
            "cell_m": whole.spacing,
            "columns": whole.columns,
            "rows": whole.rows,
            "terrain_m": self.world.ground().size.map(|n| f64::from(n) * cell),
            "maps": self.maps.iter().map(|map| map.name()).collect::<Vec<_>>(),
            "ranges": ranged.collect::<serde_json::Map<String, Value>>(),
            "tiles": rows,
            "untouched": rest.iter().map(|tile| tile.place).collect::<Vec<_>>(),
        });
        files.push(save(&folder.join("tiles.json"), &index)?);
        if let Some(layout) = self.layout {
            let extent = Extent { columns: side, rows: side, ..*whole };
            let range = self.maps.iter().position(|map| map.row().unit == "m").and_then(|k| ranges[k]);
            files.push(save(&folder.join("layout.json"), &layout.entries(&extent, range))?);
        }
        Ok(files)
    }

    /// Writes one map under a name of one's own; `range` is what the integers of PNG and RAW span, that of the map if it is none.
    ///
    /// # Errors
    /// [`RasterError`] if a file cannot be written.
    pub fn write_one(
        &self,
        folder: &Path,
        map: Map,
        extent: &Extent,
        range: Option<[f32; 2]>,
        stem: &str,
    ) -> Result<Vec<PathBuf>, RasterError> {
        let (row, data) = (map.row(), extent.sample(self.world, map));
        let view = MapView {
            channels: if row.texture.is_some() { 3 } else { 1 },
            counts: row.span.counts() && row.texture.is_none(),
            spacing: Some([extent.spacing; 2]),
            geo: Some(extent.geo(self.world)),
            range,
            ..MapView::new(row.name, row.unit, [extent.columns, extent.rows], &data)
        };
        let mut files = Vec::new();
        for format in self.formats(map) {
            let ending = self.layout.map_or(format.0, |layout| layout.ending(format.0));
            let path = folder.join(format!("{stem}.{ending}"));
            match self.layout {
                Some(layout) => layout.write(&path, &view, &format)?,
                None => (format.1)(&path, &view)?,
            }
            files.push(path);
        }
        Ok(files)
    }
}

/// The smallest and the largest of some values, if there are any.
fn ends(values: impl Iterator<Item = f32>) -> Option<[f32; 2]> {
    values.filter(|v| !v.is_nan()).fold(None, |found: Option<[f32; 2]>, v| {
        Some(found.map_or([v, v], |[low, high]| [low.min(v), high.max(v)]))
    })
}

fn save(path: &Path, value: &Value) -> Result<PathBuf, RasterError> {
    atomic::write(path, format!("{value:#}\n").as_bytes())
        .map_err(RasterError::io(path, "write the file"))?;
    Ok(path.to_path_buf())
}

/// The file whose 16-bit integers are furthest apart and how far, m, if that is more than 1 mm, by the sidecars of PNG and RAW files of
/// lengths among those that were written.
pub fn coarsest(files: &[PathBuf]) -> Option<(&Path, f64)> {
    let step = |file: &PathBuf| {
        let beside = match file.extension()?.to_str()? {
            "png" => sidecar::path_for(file),
            "r16" | "raw" => sidecar::path_for_raw(file),
            _ => return None,
        };
        let json = sidecar::Sidecar::open(beside).ok()??.json;
        let length = json["unit"] == "m";
        Some((json["max"].as_f64()? - json["min"].as_f64()?) / 65535.0).filter(|_| length)
    };
    let all = files.iter().filter_map(|file| Some((file.as_path(), step(file)?)));
    all.filter(|(_, step)| *step > QUANTUM).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Writes maps of a world into a folder, each in all of the formats, and `window.json`, which says what part of the
/// terrain they show. Returns the files, without the sidecars of PNG, and whether the maps show a part only.
///
/// # Errors
/// [`RasterError`] if a file cannot be written.
pub fn write_maps(
    folder: &Path,
    world: &World,
    maps: &[Map],
    formats: &[MapFormat],
) -> Result<(Vec<PathBuf>, bool), RasterError> {
    let rect = exported(world);
    let export = Export { world, maps, formats, png_range: None, layout: None };
    let files = export.write(folder, &Extent::of_cells(world, rect))?;
    Ok((files, [rect.width, rect.height] != world.ground().size.map(|n| n as usize)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn of_a_large_terrain_only_what_was_touched_is_exported() {
        let mut scene = library::by_name("plate").expect("scene");
        scene.terrain.size = [60.0, 60.0];
        let mut world = World::new(&scene).expect("world");
        assert_eq!(exported(&world), CellRect { x: 0, z: 0, width: 64, height: 64 }, "nothing was touched");
        for _ in 0..scene.steps() {
            world.step(scene.dt());
        }
        let rect = exported(&world);
        assert!(rect.width * rect.height < 10_000, "{rect:?}");
        let sum: f64 = world.map(Map::Compression).window(rect).iter().map(|&x| f64::from(x)).sum();
        assert!((sum / world.map(Map::Compression).sum() - 1.0).abs() < 1e-5, "all of the print is in it");
        assert_eq!(left_out(&world, rect), 0.0);
        assert_eq!(left_out(&world, CellRect { x: 0, z: 0, width: 1, height: 1 }), 1.0);
    }
}
