//! A dense copy of a window of the ground, to work in.
//!
//! In: a rectangle of cells. Out: the same cells changed. Stages compute on plain rows here and never look tiles
//! up cell by cell. Base and material belong to the window and are kept while it stays: they never change. What is
//! done to the ground is in `Cells`, one for all feet that work after each other, so that many feet stay in cache.

use crate::scene::Base;
use crate::state::ground::{Ground, cell_of};
use crate::state::layers::{InTile, InWindow, Layers};
use crate::state::tile::{Lent, TILE, TileKey, Tiles};
use std::ops::Range;

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

    /// The tiles it meets, as a rectangle of tiles.
    pub(crate) fn in_tiles(self) -> Self {
        let t = TILE as i32;
        let last = |end: i32| (end - 1).div_euclid(t);
        Self { x0: self.x0.div_euclid(t), z0: self.z0.div_euclid(t), x1: last(self.x1), z1: last(self.z1) }
    }

    /// Whether the two share a cell or are next to each other.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.x0 <= other.x1 && other.x0 <= self.x1 && self.z0 <= other.z1 && other.z0 <= self.z1
    }
}

/// Largest height difference from the datum that a patch tells apart, nm; beyond it is simply "high" or "low".
const REACH: i64 = 2_000_000_000;

/// What has been done to the ground in a window.
pub(crate) type Cells = Layers<InWindow>;

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
        cells.resize(self.nx * self.nz);
        tiles_in(self.rect, rect, |key, run| {
            let layers = ground.tiles.get(key).map(|tile| &tile.layers);
            run.rows(self.nx).for_each(|(here, there)| cells.copy(here, layers, there));
        });
    }

    /// Reads what heaps and slides ask for of the rest of the window around `loaded`, which stays as it is.
    pub(crate) fn load_around(&self, ground: &Ground, loaded: Rect, cells: &mut Cells) {
        tiles_in(self.rect, self.rect, |key, run| {
            let layers = ground.tiles.get(key).map(|tile| &tile.layers);
            run.parts(self.nx, loaded, |within, (here, there)| {
                if !within {
                    cells.copy_surface(here, layers, there);
                }
            });
        });
    }

    /// Writes `rect` back; around `pressed` only what lies loose, as nothing else changes there. Tiles are made where something has
    /// changed. Newly dirty tiles are added to `dirty`.
    pub(crate) fn store(
        &self,
        ground: &mut Ground,
        [rect, pressed]: [Rect; 2],
        cells: &Cells,
        dirty: &mut Vec<TileKey>,
    ) {
        tiles_in(self.rect, rect, |key, run| {
            if ground.tiles.get(key).is_none() && !run.touched(self.nx, pressed, cells) {
                return;
            }
            let tile = ground.touch(key);
            if run.keep(self.nx, pressed, cells, &mut tile.layers) && !tile.dirty {
                tile.dirty = true;
                dirty.push(key);
            }
        });
    }
}

impl Patch {
    /// Takes the tiles that meet `rect` out of the ground, so that [`Self::store_lent`] can write into them on any thread.
    pub(crate) fn lend(&self, tiles: &mut Tiles, rect: Rect, lent: &mut Vec<Lent>) {
        tiles_in(self.rect, rect, |key, _| lent.push(tiles.lend(key)));
    }

    /// [`Self::store`] into tiles that were lent.
    pub(crate) fn store_lent(
        &self,
        ground: &Ground,
        [rect, pressed]: [Rect; 2],
        cells: &Cells,
        lent: &mut [Lent],
    ) {
        let mut lent = lent.iter_mut();
        tiles_in(self.rect, rect, |key, run| {
            let lent = lent.next().expect("one for each tile");
            if lent.tile.is_none() && !run.touched(self.nx, pressed, cells) {
                return;
            }
            let tile = lent.tile.get_or_insert_with(|| Box::new(ground.fresh(key)));
            lent.changed |= run.keep(self.nx, pressed, cells, &mut tile.layers);
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
                corner: [x0, z0],
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
    /// Its first cell, x and z.
    corner: [i32; 2],
    patch: usize,
    tile: usize,
    columns: usize,
    rows: usize,
}

impl Run {
    /// The cells of each row, in a window of `nx` columns and in the tile.
    fn rows(&self, nx: usize) -> impl Iterator<Item = Cut> {
        let Self { patch, tile, columns, rows, .. } = *self;
        (0..rows)
            .map(move |row| (patch + row * nx, tile + row * TILE))
            .map(move |(p, t)| (p..p + columns, t..t + columns))
    }

    /// Calls `f` with the cells of each row within `inner`, which it is told, and with those before and behind it.
    fn parts(&self, nx: usize, inner: Rect, mut f: impl FnMut(bool, Cut)) {
        let ([x, z], columns) = (self.corner, self.columns);
        let across = [inner.x0, inner.x1].map(|end| (end - x).clamp(0, columns as i32) as usize);
        for ((here, there), z) in self.rows(nx).zip(z..) {
            let [a, b] = across;
            if a == b || z < inner.z0 || inner.z1 <= z {
                f(false, (here, there));
                continue;
            }
            for (within, from, to) in [(false, 0, a), (true, a, b), (false, b, columns)] {
                if from < to {
                    f(within, (here.start + from..here.start + to, there.start + from..there.start + to));
                }
            }
        }
    }

    /// Whether anything has been done to its cells; around `pressed` material lies loose at most.
    fn touched(&self, nx: usize, pressed: Rect, cells: &Cells) -> bool {
        let mut any = false;
        self.parts(nx, pressed, |within, (here, _)| {
            any |= if within { cells.touched(here) } else { cells.heaped(here) };
        });
        any
    }

    /// Writes its cells into those of the tile; whether the surface is another now.
    fn keep(&self, nx: usize, pressed: Rect, cells: &Cells, tile: &mut Layers<InTile>) -> bool {
        let mut changed = false;
        self.parts(nx, pressed, |within, (here, there)| {
            changed |=
                if within { tile.keep(there, cells, here) } else { tile.keep_heaps(there, cells, here) };
        });
        changed
    }
}

/// Cells of one row in a window and in a tile.
type Cut = (Range<usize>, Range<usize>);

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
        patch.store(ground, [rect; 2], &cells, &mut dirty);
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
        patch.store(&mut world.ground, [rect; 2], &cells, &mut Vec::new());
        assert!(world.ground.tiles.is_empty());
    }
}
