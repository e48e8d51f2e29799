//! A part of the terrain as samples: at the ground's own cells, coarser, or finer.

use super::Geo;
use crate::geodesy;
use trample::{CellRect, Map, TILE, World};

/// A rectangle of samples over the terrain. Samples beyond its edge are those at the edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// x and z of its corner, m.
    pub corner: [f64; 2],
    /// Distance between samples, m; the first lies half of it from the corner.
    pub spacing: f64,
    /// Samples per row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

/// One of the tiles that make up an extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    /// Which, from the left and from the top.
    pub place: [usize; 2],
    /// First sample of the whole, along x and z.
    pub first: [usize; 2],
    /// What it shows.
    pub extent: Extent,
}

impl Extent {
    /// The cells of a rectangle.
    pub fn of_cells(world: &World, rect: CellRect) -> Self {
        let cell = world.ground().cell;
        let corner = [rect.x, rect.z].map(|i| f64::from(i) * cell);
        Self { corner, spacing: cell, columns: rect.width, rows: rect.height }
    }

    /// Every cell of the terrain.
    pub fn whole(world: &World) -> Self {
        let [width, height] = world.ground().size.map(|n| n as usize);
        Self::of_cells(world, CellRect { x: 0, z: 0, width, height })
    }

    /// The cells of a window (x, z, width and depth in m), as far as it lies on the terrain; none if it does not.
    pub fn window(world: &World, [x, z, width, depth]: [f64; 4]) -> Option<Self> {
        let ground = world.ground();
        let side = |low: f64, length: f64, n: i32| {
            // A bound that is a multiple of the cell's size but for rounding is that multiple.
            let first = ((low / ground.cell + 1e-6).floor() as i32).clamp(0, n);
            let last = (((low + length) / ground.cell - 1e-6).ceil() as i32).clamp(0, n);
            (last > first).then_some((first, (last - first) as usize))
        };
        let ((x, width), (z, height)) = (side(x, width, ground.size[0])?, side(z, depth, ground.size[1])?);
        Some(Self::of_cells(world, CellRect { x, z, width, height }))
    }

    /// The same ground with samples so far apart; the last ones may reach beyond it.
    pub fn resampled(self, spacing: f64) -> Self {
        let count = |n: usize| ((n as f64 * self.spacing / spacing - 1e-6).ceil() as usize).max(1);
        Self { spacing, columns: count(self.columns), rows: count(self.rows), ..self }
    }

    /// A square of `side` × `side` posts whose outer ones lie on the edges of the square around this ground.
    pub fn posts(self, side: usize) -> Self {
        let [width, depth] = self.size();
        let long = width.max(depth);
        let spacing = long / (side.max(2) - 1) as f64;
        let middle = [self.corner[0] + 0.5 * width, self.corner[1] + 0.5 * depth];
        let corner = middle.map(|m| m - 0.5 * (long + spacing));
        Self { corner, spacing, columns: side, rows: side }
    }

    /// Width and depth, m.
    pub fn size(&self) -> [f64; 2] {
        [self.columns, self.rows].map(|n| n as f64 * self.spacing)
    }

    /// The tiles of at most `side` × `side` samples that make it up; each shares its first `shared` rows and columns with the one before.
    /// With `whole` all are of full size, beyond the extent if need be.
    pub fn tiles(&self, side: usize, shared: usize, whole: bool) -> Vec<Tile> {
        let pitch = side.saturating_sub(shared).max(1);
        let count = |n: usize| n.saturating_sub(shared).div_ceil(pitch).max(1);
        let of = |column: usize, row: usize| {
            let first = [column * pitch, row * pitch];
            let left = |k: usize, n: usize| if whole { side } else { side.min(n - first[k]) };
            let corner = [0, 1].map(|k| self.corner[k] + first[k] as f64 * self.spacing);
            let (columns, rows) = (left(0, self.columns), left(1, self.rows));
            Tile { place: [column, row], first, extent: Self { corner, columns, rows, ..*self } }
        };
        (0..count(self.rows)).flat_map(|row| (0..count(self.columns)).map(move |c| of(c, row))).collect()
    }

    /// Where it lies on the Earth, in the units of its reference system; x and −z in metres if the terrain does not say.
    pub fn geo(&self, world: &World) -> Geo {
        let place = world.scene().terrain.place;
        let (corner, epsg) = place.map_or(([0.0; 2], None), |place| (place.corner, Some(place.epsg)));
        let metres = epsg.map_or(1.0, geodesy::metres_per_unit);
        // Rows of a GeoTIFF run north to south, as z does; the pixel's middle is the sample's.
        let [x, z] = self.corner.map(|c| (c + 0.5 * self.spacing) / metres);
        Geo {
            origin: [corner[0] + x, corner[1] - z],
            pixel: [self.spacing / metres; 2],
            epsg,
            degrees: false,
        }
    }

    /// The samples that hold something that was touched, row-major.
    pub fn touched(&self, world: &World) -> Vec<bool> {
        let mut touched = vec![false; self.columns * self.rows];
        let tile = TILE as f64 * world.ground().cell;
        let range = |key: i32, k: usize, n: usize| {
            let low = (f64::from(key) * tile - self.corner[k]) / self.spacing + 1e-6;
            let high = (f64::from(key + 1) * tile - self.corner[k]) / self.spacing - 1e-6;
            (low.floor().max(0.0) as usize).min(n)..(high.ceil().max(0.0) as usize).min(n)
        };
        for key in world.ground().tiles.iter().map(|tile| tile.key) {
            let columns = range(key.x, 0, self.columns);
            for row in range(key.z, 1, self.rows) {
                touched[row * self.columns..][columns.clone()].fill(true);
            }
        }
        touched
    }

    /// A map of the world: of cells as they are, else the mean of the cells in a sample where somebody trod and its middle elsewhere,
    /// or what lies between cells. Three numbers per sample of a texture, see [`trample::MapRow::texture`].
    pub fn sample(&self, world: &World, map: Map) -> Vec<f32> {
        let (ground, row, view) = (world.ground(), map.row(), world.map(map));
        let channels = if row.texture.is_some() { 3 } else { 1 };
        let first = self.corner.map(|c| c / ground.cell);
        let cells = self.spacing / ground.cell;
        let on_cells = (cells - 1.0).abs() < 1e-9 && first.iter().all(|f| (f - f.round()).abs() < 1e-6);
        let [x0, z0] = first.map(|f| f.round() as i32);
        let inside = x0 >= 0
            && z0 >= 0
            && x0 as usize + self.columns <= ground.size[0] as usize
            && z0 as usize + self.rows <= ground.size[1] as usize;
        if on_cells && inside && channels == 1 {
            return view.window(CellRect { x: x0, z: z0, width: self.columns, height: self.rows });
        }
        let clamp = |i: f64, k: usize| (i as i32).clamp(0, ground.size[k] - 1);
        let value = |x: i32, z: i32| -> [f64; 3] {
            if channels == 3 { view.texel(x, z) } else { [view.at(x, z), 0.0, 0.0] }
        };
        let mut out = Vec::with_capacity(self.columns * self.rows * channels);
        let touched = if cells > 1.5 { self.touched(world) } else { Vec::new() };
        for j in 0..self.rows {
            for i in 0..self.columns {
                // Bounds and middle of the sample in cells.
                let low = [first[0] + i as f64 * cells, first[1] + j as f64 * cells];
                let middle = low.map(|l| l + 0.5 * cells);
                let [mx, mz] = [0, 1].map(|k| clamp(middle[k].floor(), k));
                let found = if on_cells || row.span.counts() && channels == 1 {
                    value(mx, mz)
                } else if cells <= 1.5 {
                    between(middle, |x, z| value(clamp(x, 0), clamp(z, 1)))
                } else if !touched[j * self.columns + i] {
                    if channels == 3 { view.texel(mx, mz) } else { [view.untouched(mx, mz), 0.0, 0.0] }
                } else {
                    let side = |k: usize| {
                        let a = clamp((low[k] + 0.5).floor(), k);
                        (a, (clamp((low[k] + cells - 0.5).floor(), k) - a + 1).max(1))
                    };
                    let ((x, width), (z, height)) = (side(0), side(1));
                    let n = f64::from(width) * f64::from(height);
                    if channels == 1 {
                        let rect = CellRect { x, z, width: width as usize, height: height as usize };
                        [view.window(rect).iter().map(|&v| f64::from(v)).sum::<f64>() / n, 0.0, 0.0]
                    } else {
                        let cells =
                            (z..z + height).flat_map(|z| (x..x + width).map(move |x| view.texel(x, z)));
                        cells.fold([0.0; 3], |sum, v| [0, 1, 2].map(|k| sum[k] + v[k])).map(|s| s / n)
                    }
                };
                out.extend(found[..channels].iter().map(|&v| v as f32));
            }
        }
        out
    }
}

/// The value at a place between cells, whose middles lie at halves.
fn between(at: [f64; 2], value: impl Fn(f64, f64) -> [f64; 3]) -> [f64; 3] {
    let low = at.map(|a| (a - 0.5).floor());
    let part = [at[0] - 0.5 - low[0], at[1] - 0.5 - low[1]];
    let mix = |a: [f64; 3], b: [f64; 3], t: f64| [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * t);
    let row = |z: f64| mix(value(low[0], z), value(low[0] + 1.0, z), part[0]);
    mix(row(low[1]), row(low[1] + 1.0), part[1])
}
