//! Maps: what can be looked at, exported and drawn. One table, used by every reader.

use crate::state::ground::{Ground, cell_of, tile_of};
use crate::state::tile::{NANO, TILE, Tile};

/// The maps of the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Map {
    /// Surface height, m.
    Height,
    /// Plastic compression, m.
    Compression,
    /// Loose material, m.
    Accumulation,
    /// ∫σ dt, Pa·s.
    PressureTime,
    /// Material index.
    Material,
    /// Strength ratio of the vegetation, 0 bare to 1 dense and healthy (TR-7).
    Vegetation,
}

impl Map {
    /// All maps.
    pub const ALL: [Self; 6] = [
        Self::Height,
        Self::Compression,
        Self::Accumulation,
        Self::PressureTime,
        Self::Material,
        Self::Vegetation,
    ];

    /// Name of files and options, unit, and symbol in the papers.
    pub const fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Height => ("height", "m", "h"),
            Self::Compression => ("compression", "m", "h_c"),
            Self::Accumulation => ("accumulation", "m", "h_a"),
            Self::PressureTime => ("pressure_time", "Pa·s", "σ_acc"),
            Self::Material => ("material", "", "material"),
            Self::Vegetation => ("vegetation", "", "α_veg"),
        }
    }

    /// Name of files and options.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// Unit of the values.
    pub const fn unit(self) -> &'static str {
        self.row().1
    }

    /// The map of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|map| map.name() == name)
    }
}

/// A rectangle of cells: first column and row, number of columns and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellRect {
    /// First column.
    pub x: i32,
    /// First row.
    pub z: i32,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// One map of a ground.
#[derive(Clone, Copy, Debug)]
pub struct MapView<'a> {
    map: Map,
    ground: &'a Ground,
}

impl<'a> MapView<'a> {
    pub(crate) fn new(map: Map, ground: &'a Ground) -> Self {
        Self { map, ground }
    }

    fn touched(&self, tile: &Tile, c: usize) -> f64 {
        match self.map {
            Map::Height => {
                let (x, z) = cell_place(tile, c);
                (self.ground.base_nano(x, z) + tile.raised(c)) as f64 / NANO
            }
            Map::Vegetation => {
                let (x, z) = cell_place(tile, c);
                self.ground.cover.strength(x, z)
            }
            Map::Compression => f64::from(tile.compression[c]) / NANO,
            Map::Accumulation => f64::from(tile.accumulation[c]) / NANO,
            Map::PressureTime => f64::from(tile.pressure_time[c]),
            Map::Material => f64::from(tile.material[c]),
        }
    }

    /// Value of a cell.
    pub fn at(&self, x: i32, z: i32) -> f64 {
        if self.map == Map::Vegetation {
            return self.ground.cover.strength(x, z);
        }
        match self.ground.tiles.get(tile_of(x, z)) {
            Some(tile) => self.touched(tile, cell_of(x, z)),
            None => match self.map {
                Map::Height => self.ground.base_nano(x, z) as f64 / NANO,
                Map::Material => {
                    f64::from(self.ground.paint_at(self.ground.centre(x), self.ground.centre(z)))
                }
                _ => 0.0,
            },
        }
    }

    /// Largest value over the touched ground, 0 if nothing was touched.
    pub fn max(&self) -> f64 {
        let all = self.ground.tiles.iter();
        all.flat_map(|t| (0..TILE * TILE).map(|c| self.touched(t, c))).fold(None, fold_max).unwrap_or(0.0)
    }

    /// Smallest value over the touched ground, 0 if nothing was touched.
    pub fn min(&self) -> f64 {
        let all = self.ground.tiles.iter().flat_map(|t| (0..TILE * TILE).map(|c| self.touched(t, c)));
        all.reduce(f64::min).unwrap_or(0.0)
    }

    /// Sum over the touched ground.
    pub fn sum(&self) -> f64 {
        self.ground.tiles.sorted().iter().flat_map(|t| (0..TILE * TILE).map(|c| self.touched(t, c))).sum()
    }

    /// A dense window, row-major, row 0 at the smallest z.
    pub fn window(&self, rect: CellRect) -> Vec<f32> {
        if self.map == Map::Vegetation {
            return self.ground.cover.window(rect.x, rect.z, rect.width, rect.height);
        }
        let mut out = Vec::with_capacity(rect.width * rect.height);
        for z in rect.z..rect.z + rect.height as i32 {
            for x in rect.x..rect.x + rect.width as i32 {
                out.push(self.at(x, z) as f32);
            }
        }
        out
    }
}

/// Column and row of a tile's cell.
fn cell_place(tile: &Tile, c: usize) -> (i32, i32) {
    let t = TILE as i32;
    (tile.key.x * t + (c % TILE) as i32, tile.key.z * t + (c / TILE) as i32)
}

fn fold_max(best: Option<f64>, x: f64) -> Option<f64> {
    Some(best.map_or(x, |b| b.max(x)))
}

/// The smallest rectangle that holds every touched tile.
pub fn touched_rect(ground: &Ground) -> Option<CellRect> {
    let mut keys = ground.tiles.iter().map(|t| t.key);
    let first = keys.next()?;
    let (mut x0, mut z0, mut x1, mut z1) = (first.x, first.z, first.x, first.z);
    for key in keys {
        (x0, z0, x1, z1) = (x0.min(key.x), z0.min(key.z), x1.max(key.x), z1.max(key.z));
    }
    let t = TILE as i32;
    let (x, z) = ((x0 * t).max(0), (z0 * t).max(0));
    let width = ((x1 + 1) * t).min(ground.size[0]) - x;
    let height = ((z1 + 1) * t).min(ground.size[1]) - z;
    Some(CellRect { x, z, width: width.max(0) as usize, height: height.max(0) as usize })
}
