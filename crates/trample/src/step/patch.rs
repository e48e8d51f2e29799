//! A dense copy of a window of the ground, to work in.
//!
//! In: a rectangle of cells. Out: the same cells changed. Stages compute on plain rows here and never look tiles
//! up cell by cell. Base and material belong to the window and are kept while it stays: they never change. What is
//! done to the ground is in `Cells`, one for all feet that work after each other, so that many feet stay in cache.

use crate::state::Base;
use crate::state::ground::{Ground, cell_of};
use crate::state::tile::{TILE, TileKey};

/// A rectangle of cells, upper ends excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x0: i32,
    pub(crate) z0: i32,
    pub(crate) x1: i32,
    pub(crate) z1: i32,
}

impl Rect {
    /// Grown by `n` cells on every side, within `size`.
    pub(crate) fn grown(self, n: i32, size: [i32; 2]) -> Self {
        Self {
            x0: (self.x0 - n).max(0),
            z0: (self.z0 - n).max(0),
            x1: (self.x1 + n).min(size[0]),
            z1: (self.z1 + n).min(size[1]),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.x1 <= self.x0 || self.z1 <= self.z0
    }

    /// Whether the two share a cell or are next to each other.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.x0 <= other.x1 && other.x0 <= self.x1 && self.z0 <= other.z1 && other.z0 <= self.z1
    }
}

/// Largest height difference from the datum that a patch tells apart, nm; beyond it is simply "high" or "low".
const REACH: i64 = 2_000_000_000;

/// What has been done to the ground in a window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub(crate) compression: Vec<i32>,
    pub(crate) accumulation: Vec<i32>,
    pub(crate) pressure_time: Vec<f32>,
    pub(crate) pressed: Vec<u8>,
    /// Cells that some sole stands on.
    pub(crate) occupied: Vec<bool>,
}

/// The window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patch {
    pub(crate) rect: Rect,
    pub(crate) nx: usize,
    pub(crate) nz: usize,
    /// What `base` is measured from, nm.
    pub(crate) datum: i64,
    pub(crate) base: Vec<i32>,
    pub(crate) material: Vec<u8>,
}

impl Patch {
    /// Moves the window to `rect` and learns base and material there.
    pub(crate) fn frame(&mut self, ground: &Ground, rect: Rect) {
        if rect == self.rect {
            return;
        }
        self.rect = rect;
        self.nx = (rect.x1 - rect.x0) as usize;
        self.nz = (rect.z1 - rect.z0) as usize;
        let n = self.nx * self.nz;
        self.base.resize(n, 0);
        self.material.resize(n, 0);
        self.datum = ground.base_nano((rect.x0 + rect.x1) / 2, (rect.z0 + rect.z1) / 2);
        if matches!(ground.base, Base::Flat) && ground.paints.is_empty() {
            self.base.fill(0);
            self.material.fill(0);
            return;
        }
        for z in rect.z0..rect.z1 {
            let row = (z - rect.z0) as usize * self.nx;
            for x in rect.x0..rect.x1 {
                let k = row + (x - rect.x0) as usize;
                self.base[k] = (ground.base_nano(x, z) - self.datum).clamp(-REACH, REACH) as i32;
                self.material[k] = ground.paint_at(ground.centre(x), ground.centre(z));
            }
        }
    }

    /// Reads what has been done to the ground within `rect`.
    pub(crate) fn load(&self, ground: &Ground, rect: Rect, cells: &mut Cells) {
        let (nx, n) = (self.nx, self.nx * self.nz);
        let Cells { compression, accumulation, pressure_time, pressed, occupied } = cells;
        compression.resize(n, 0);
        accumulation.resize(n, 0);
        pressure_time.resize(n, 0.0);
        pressed.resize(n, 0);
        occupied.resize(n, false);
        tiles_in(self.rect, rect, |key, run| {
            let tile = ground.tiles.get(key);
            for row in 0..run.rows {
                let p = run.patch + row * nx;
                let here = p..p + run.columns;
                if let Some(tile) = tile {
                    let t = run.tile + row * TILE;
                    let there = t..t + run.columns;
                    compression[here.clone()].copy_from_slice(&tile.compression[there.clone()]);
                    accumulation[here.clone()].copy_from_slice(&tile.accumulation[there.clone()]);
                    pressure_time[here.clone()].copy_from_slice(&tile.pressure_time[there.clone()]);
                    pressed[here.clone()].copy_from_slice(&tile.pressed[there]);
                    if tile.occupied == 0 {
                        occupied[here].fill(false);
                    } else {
                        for (c, cell) in occupied[here].iter_mut().enumerate() {
                            *cell = tile.occupied >> (t + c) & 1 == 1;
                        }
                    }
                } else {
                    compression[here.clone()].fill(0);
                    accumulation[here.clone()].fill(0);
                    pressure_time[here.clone()].fill(0.0);
                    pressed[here.clone()].fill(0);
                    occupied[here].fill(false);
                }
            }
        });
    }

    /// Writes `rect` back; tiles are made where something has changed. Newly dirty tiles are added to `dirty`.
    pub(crate) fn store(&self, ground: &mut Ground, rect: Rect, cells: &Cells, dirty: &mut Vec<TileKey>) {
        tiles_in(self.rect, rect, |key, run| {
            let rows = || (0..run.rows).map(|row| run.patch + row * self.nx).map(|p| p..p + run.columns);
            let touched = || {
                rows().any(|here| {
                    cells.compression[here.clone()].iter().any(|&c| c != 0)
                        || cells.accumulation[here.clone()].iter().any(|&a| a != 0)
                        || cells.pressure_time[here].iter().any(|&p| p != 0.0)
                })
            };
            if ground.tiles.get(key).is_none() && !touched() {
                return;
            }
            let tile = ground.touch(key);
            let mut changed = false;
            for (row, here) in rows().enumerate() {
                let t = run.tile + row * TILE;
                let there = t..t + run.columns;
                changed |= tile.compression[there.clone()] != cells.compression[here.clone()]
                    || tile.accumulation[there.clone()] != cells.accumulation[here.clone()];
                tile.compression[there.clone()].copy_from_slice(&cells.compression[here.clone()]);
                tile.accumulation[there.clone()].copy_from_slice(&cells.accumulation[here.clone()]);
                tile.pressure_time[there.clone()].copy_from_slice(&cells.pressure_time[here.clone()]);
                tile.pressed[there].copy_from_slice(&cells.pressed[here]);
            }
            if changed && !tile.dirty {
                tile.dirty = true;
                dirty.push(key);
            }
        });
    }
}

/// Calls `f` with every tile that meets `rect` and where the two overlap.
fn tiles_in(window: Rect, rect: Rect, mut f: impl FnMut(TileKey, Run)) {
    if rect.is_empty() {
        return;
    }
    let t = TILE as i32;
    let nx = (window.x1 - window.x0) as usize;
    for tz in rect.z0.div_euclid(t)..=(rect.z1 - 1).div_euclid(t) {
        let (z0, z1) = (rect.z0.max(tz * t), rect.z1.min((tz + 1) * t));
        for tx in rect.x0.div_euclid(t)..=(rect.x1 - 1).div_euclid(t) {
            let (x0, x1) = (rect.x0.max(tx * t), rect.x1.min((tx + 1) * t));
            let run = Run {
                patch: (z0 - window.z0) as usize * nx + (x0 - window.x0) as usize,
                tile: cell_of(x0, z0),
                columns: (x1 - x0) as usize,
                rows: (z1 - z0) as usize,
            };
            f(TileKey { z: tz, x: tx }, run);
        }
    }
}

/// The part of a tile that lies in a rectangle.
struct Run {
    patch: usize,
    tile: usize,
    columns: usize,
    rows: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::world::World;

    #[test]
    fn what_is_stored_is_loaded_again() {
        let mut world = World::new(&Scene::default()).expect("default scene");
        let ground = &mut world.ground;
        let rect = Rect { x0: 3, z0: 5, x1: 29, z1: 22 };
        let mut patch = Patch::default();
        let (mut cells, mut again_cells) = (Cells::default(), Cells::default());
        patch.frame(ground, rect);
        patch.load(ground, rect, &mut cells);
        for k in 0..patch.nx * patch.nz {
            cells.compression[k] = 7 * k as i32;
            cells.accumulation[k] = 3 * k as i32;
        }
        let mut dirty = Vec::new();
        patch.store(ground, rect, &cells, &mut dirty);
        let mut again = Patch::default();
        let wider = Rect { x0: 0, z0: 0, x1: 40, z1: 30 };
        again.frame(ground, wider);
        again.load(ground, wider, &mut again_cells);
        for z in 5..22 {
            for x in 3..29 {
                let (a, b) = ((z - 5) * 26 + (x - 3), z * 40 + x);
                assert_eq!(cells.compression[a], again_cells.compression[b], "({x}, {z})");
                assert_eq!(cells.accumulation[a], again_cells.accumulation[b], "({x}, {z})");
            }
        }
        assert!(
            again_cells.compression[0] == 0 && !dirty.is_empty(),
            "outside nothing changed, inside all did"
        );
    }

    #[test]
    fn an_untouched_window_makes_no_tiles() {
        let mut world = World::new(&Scene::default()).expect("default scene");
        let rect = Rect { x0: 0, z0: 0, x1: 64, z1: 64 };
        let mut patch = Patch::default();
        patch.frame(&world.ground, rect);
        let mut cells = Cells::default();
        patch.load(&world.ground, rect, &mut cells);
        patch.store(&mut world.ground, rect, &cells, &mut Vec::new());
        assert!(world.ground.tiles.is_empty());
    }
}
