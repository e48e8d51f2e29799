//! The ground of a season: what many feet have done to it, in tiles that exist where somebody has walked.
//!
//! A cell's lowering has three parts: its deepest print, what passes have packed (a function of their number, as in the live step),
//! and what rain has washed off. Numbers that many feet add to within a day are integers, so that their order does not matter.

use crate::damage::doublings;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher as StdHasher};
use trample::internal::{Hasher, cell_of as live_cell_of, decades, tile_of as live_tile_of};
use trample::scene::{PaintShape, PlantPatch, Scene, Terrain};
use trample::{CellRect, Map, Material, World, params::Law};

/// Cells along the side of a tile.
pub const SIDE: usize = 16;
/// Cells of a tile.
pub const CELLS: usize = SIDE * SIDE;
/// Units of height in a metre.
pub const NANO: f64 = 1e9;
/// Nothing grows there.
pub const NO_PATCH: u8 = u8::MAX;

/// Which tile, in tiles from the terrain's corner: row, then column.
pub type Key = (i32, i32);

/// Hashes a tile's place; the same on every machine. The table is only asked, never walked through.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlaceHasher(u64);

impl StdHasher for PlaceHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_i32(i32::from(b)));
    }
    fn write_i32(&mut self, i: i32) {
        self.0 = (self.0.rotate_left(29) ^ u64::from(i as u32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 29;
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A table by place.
pub(crate) type ByPlace<T> = HashMap<Key, T, BuildHasherDefault<PlaceHasher>>;

/// 16 × 16 cells, row by row along x.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Deepest print, as the mean over the cell, nm.
    pub print: [i32; CELLS],
    /// Loose material on top, nm.
    pub loose: [i32; CELLS],
    /// Ground that rain has carried off, nm.
    pub eroded: [i32; CELLS],
    /// Footfalls, each counted with the share of the cell that it covered, in 1/255.
    pub passes: [u32; CELLS],
    /// Largest share of the cell that a sole has covered, in 1/255.
    pub pressed: [u8; CELLS],
    /// Share of the plants' cover that is left, 1 where nobody has been.
    pub cover: [f32; CELLS],
    /// Index into the scene's materials; given by the scene.
    pub material: [u8; CELLS],
    /// Index into the scene's plants; given by the scene.
    pub patch: [u8; CELLS],
    /// Rise over run of the original ground along x and z; given by the scene.
    pub slope: [f32; 2],
}

impl Tile {
    /// Whether nothing has been done to it.
    pub fn is_fresh(&self) -> bool {
        self.passes.iter().all(|&n| n == 0)
            && self.loose.iter().all(|&n| n == 0)
            && self.eroded.iter().all(|&n| n == 0)
            && self.cover.iter().all(|&c| c == 1.0)
            && self.print.iter().all(|&n| n == 0)
    }

    /// What has been done to it as bytes, little end first.
    pub fn state(&self, out: &mut Vec<u8>) {
        self.print.iter().for_each(|x| out.extend(x.to_le_bytes()));
        self.loose.iter().for_each(|x| out.extend(x.to_le_bytes()));
        self.eroded.iter().for_each(|x| out.extend(x.to_le_bytes()));
        self.passes.iter().for_each(|x| out.extend(x.to_le_bytes()));
        out.extend(self.pressed);
        self.cover.iter().for_each(|x| out.extend(x.to_le_bytes()));
    }

    /// Bytes of [`Tile::state`].
    pub const BYTES: usize = CELLS * (4 * 5 + 1);

    /// Takes over what [`Tile::state`] gave; false if there are too few bytes.
    pub fn restore(&mut self, bytes: &[u8]) -> bool {
        if bytes.len() != Self::BYTES {
            return false;
        }
        let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).expect("four bytes");
        for c in 0..CELLS {
            self.print[c] = i32::from_le_bytes(word(4 * c));
            self.loose[c] = i32::from_le_bytes(word(4 * (CELLS + c)));
            self.eroded[c] = i32::from_le_bytes(word(4 * (2 * CELLS + c)));
            self.passes[c] = u32::from_le_bytes(word(4 * (3 * CELLS + c)));
            self.pressed[c] = bytes[16 * CELLS + c];
            self.cover[c] = f32::from_le_bytes(word(17 * CELLS + 4 * c));
        }
        true
    }
}

/// The ground of a season.
#[derive(Clone, Debug)]
pub struct Ground {
    scene: Scene,
    /// Side of a cell, m.
    pub cell: f64,
    /// Cells along x and z.
    pub size: [i32; 2],
    /// The scene's materials.
    pub materials: Vec<Material>,
    /// What whole cover of each patch adds to the ground's modulus, Pa.
    roots: Vec<f64>,
    index: ByPlace<u32>,
    keys: Vec<Key>,
    pub(crate) tiles: Vec<Box<Tile>>,
}

/// The tile of a cell.
pub fn key_of(x: i32, z: i32) -> Key {
    (z.div_euclid(SIDE as i32), x.div_euclid(SIDE as i32))
}

/// Where in its tile a cell is.
pub fn cell_of(x: i32, z: i32) -> usize {
    z.rem_euclid(SIDE as i32) as usize * SIDE + x.rem_euclid(SIDE as i32) as usize
}

impl Ground {
    /// The untouched ground of a scene.
    pub fn new(scene: &Scene) -> Self {
        let t = &scene.terrain;
        Self {
            scene: scene.clone(),
            cell: t.cell,
            size: t.size.map(|m| (m / t.cell).round() as i32),
            materials: t.materials.iter().map(|m| m.material).collect(),
            roots: scene.plants.iter().map(|patch| whole_roots(patch, scene.seed)).collect(),
            index: ByPlace::default(),
            keys: Vec::new(),
            tiles: Vec::new(),
        }
    }

    /// The same ground before anybody came.
    pub(crate) fn untouched(&self) -> Self {
        Self {
            scene: self.scene.clone(),
            materials: self.materials.clone(),
            roots: self.roots.clone(),
            index: ByPlace::default(),
            keys: Vec::new(),
            tiles: Vec::new(),
            ..*self
        }
    }

    /// The scene it belongs to.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Which plants grow at a place: the patch that covers most, the later one of equals.
    pub fn patch_at(&self, x: f64, z: f64) -> u8 {
        let mut best = (0.0, NO_PATCH);
        for (i, patch) in self.scene.plants.iter().enumerate() {
            let cover = patch.cover_at(x, z);
            if cover > 0.0 && cover >= best.0 {
                best = (cover, i as u8);
            }
        }
        best.1
    }

    fn material_at(&self, x: f64, z: f64) -> u8 {
        let inside = |shape: &PaintShape| match shape {
            PaintShape::Rectangle { min, max } => x >= min[0] && x < max[0] && z >= min[1] && z < max[1],
            PaintShape::Disc { centre, radius } => {
                let (dx, dz) = (x - centre[0], z - centre[1]);
                dx * dx + dz * dz < radius * radius
            }
            PaintShape::Image { .. } => true,
        };
        let paint = self.scene.terrain.paints.iter().rev().find(|p| inside(&p.shape));
        paint.map_or(0, |paint| match &paint.shape {
            PaintShape::Image { width, height, indices } => {
                let at = |p: f64, side: f64, n: usize| ((p / side * n as f64).max(0.0) as usize).min(n - 1);
                let [w, h] = self.scene.terrain.size;
                indices[at(z, h, *height) * width + at(x, w, *width)]
            }
            _ => paint.material,
        })
    }

    /// An untouched tile.
    pub fn fresh(&self, key: Key) -> Tile {
        let corner = [key.1, key.0].map(|k| k * SIDE as i32);
        let place = |c: usize| {
            let at = |first: i32, i: usize| (f64::from(first) + i as f64 + 0.5) * self.cell;
            [at(corner[0], c % SIDE), at(corner[1], c / SIDE)]
        };
        let one = |painted: bool, of: &dyn Fn(f64, f64) -> u8, usual: u8| -> [u8; CELLS] {
            if !painted {
                return [usual; CELLS];
            }
            std::array::from_fn(|c| of(place(c)[0], place(c)[1]))
        };
        let middle = place(CELLS / 2 + SIDE / 2);
        let (base, reach) = (&self.scene.terrain.base, 0.25);
        let rise = |a: [f64; 2], b: [f64; 2]| {
            ((base.height(a[0], a[1]) - base.height(b[0], b[1])) / (2.0 * reach)) as f32
        };
        let [x, z] = middle;
        Tile {
            print: [0; CELLS],
            loose: [0; CELLS],
            eroded: [0; CELLS],
            passes: [0; CELLS],
            pressed: [0; CELLS],
            cover: [1.0; CELLS],
            material: one(!self.scene.terrain.paints.is_empty(), &|x, z| self.material_at(x, z), 0),
            patch: one(!self.scene.plants.is_empty(), &|x, z| self.patch_at(x, z), NO_PATCH),
            slope: [rise([x + reach, z], [x - reach, z]), rise([x, z + reach], [x, z - reach])],
        }
    }

    /// Where a tile stands in the list, if anybody has come there.
    pub fn slot(&self, key: Key) -> Option<usize> {
        self.index.get(&key).map(|&slot| slot as usize)
    }

    /// The tile of that key.
    pub fn tile(&self, key: Key) -> Option<&Tile> {
        self.slot(key).map(|slot| &*self.tiles[slot])
    }

    /// The place of a tile in the list, made if need be.
    pub fn touch(&mut self, key: Key) -> usize {
        match self.index.get(&key) {
            Some(&slot) => slot as usize,
            None => {
                let tile = self.fresh(key);
                self.put(key, tile)
            }
        }
    }

    /// Puts in a tile that is not there yet.
    pub(crate) fn put(&mut self, key: Key, tile: Tile) -> usize {
        let slot = self.tiles.len();
        self.index.insert(key, u32::try_from(slot).expect("fewer than four thousand million tiles"));
        self.tiles.push(Box::new(tile));
        self.keys.push(key);
        slot
    }

    /// The tiles to change, with their keys and where each stands in the list.
    pub(crate) fn parts_mut(&mut self) -> (&mut [Box<Tile>], &[Key], &ByPlace<u32>) {
        (&mut self.tiles, &self.keys, &self.index)
    }

    /// Keys of all tiles in the order they were made.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// All tiles that were touched, row by row: the order of hashes and files.
    pub fn sorted(&self) -> Vec<(Key, &Tile)> {
        let mut all: Vec<(Key, &Tile)> = self
            .keys
            .iter()
            .zip(&self.tiles)
            .map(|(k, t)| (*k, &**t))
            .filter(|(_, t)| !t.is_fresh())
            .collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        all
    }

    /// Bytes that the tiles take.
    pub fn bytes(&self) -> usize {
        self.tiles.len() * (size_of::<Tile>() + size_of::<Box<Tile>>() + size_of::<(Key, u32)>())
    }

    /// 64 bits of everything that was done to it.
    pub fn hash(&self) -> u64 {
        let mut hasher = Hasher::default();
        let mut bytes = Vec::new();
        for (key, tile) in self.sorted() {
            hasher.word((u64::from(key.0 as u32) << 32) | u64::from(key.1 as u32));
            bytes.clear();
            tile.state(&mut bytes);
            hasher.bytes(&bytes);
        }
        hasher.finish()
    }

    /// Takes over what live steps have done to the same scene; `whole` is the vegetation of every cell before the first of them.
    pub(crate) fn take_live(&mut self, world: &World, whole: &[f32]) {
        let (nx, nz) = (self.size[0], self.size[1]);
        let all = CellRect { x: 0, z: 0, width: nx as usize, height: nz as usize };
        let now = world.map(Map::Vegetation).window(all);
        for z in 0..nz {
            for x in 0..nx {
                let k = (z * nx + x) as usize;
                let cover = if whole[k] > 0.0 { (now[k] / whole[k]).min(1.0) } else { 1.0 };
                let live = world.ground().tiles.get(live_tile_of(x, z));
                if live.is_none() && cover == 1.0 {
                    continue;
                }
                let (slot, c) = (self.touch(key_of(x, z)), cell_of(x, z));
                self.tiles[slot].cover[c] = cover;
                if let Some(live) = live {
                    let (layers, k) = (&live.layers, live_cell_of(x, z));
                    let tile = &mut self.tiles[slot];
                    tile.passes[c] = (layers.passes[k] * 255.0).round() as u32;
                    tile.pressed[c] = layers.pressed[k];
                    tile.loose[c] = layers.accumulation[k];
                    let packed = (self.packed(&self.tiles[slot], c) * NANO).round() as i32;
                    self.tiles[slot].print[c] = layers.compression[k] - packed;
                }
            }
        }
    }

    /// Depth that passes have packed, m, for the share of a cell that was trodden.
    pub fn packed(&self, tile: &Tile, c: usize) -> f64 {
        let share = f64::from(tile.pressed[c]) / 255.0;
        self.packed_below(tile, c) * share
    }

    /// The same under the trodden share itself.
    pub fn packed_below(&self, tile: &Tile, c: usize) -> f64 {
        let material = &self.materials[tile.material[c] as usize];
        material.packed_by_passes(decades_of(tile, c))
    }

    /// How far the surface lies above the original ground, m.
    pub fn raised(&self, tile: &Tile, c: usize) -> f64 {
        let solid = i64::from(tile.print[c]) + i64::from(tile.eroded[c]);
        (i64::from(tile.loose[c]) - solid) as f64 / NANO - self.packed(tile, c)
    }

    /// How a cell answers a sole that stands on it, where so much of the plants' cover is left then: depth that passes have packed, m,
    /// and how much stronger passes and roots make it. The footfall itself is one of the passes, as in the live step.
    pub fn answer(&self, tile: &Tile, c: usize, cover: f32) -> (f64, f64) {
        let material = &self.materials[tile.material[c] as usize];
        let roots = self.roots.get(usize::from(tile.patch[c])).map_or(0.0, |r| r * f64::from(cover));
        let decades = decades(tile.passes[c] as f32 / 255.0 + 1.0, u8::MAX);
        let strength = material.strength_by_passes(decades) * (1.0 + roots / material.youngs_modulus);
        (material.packed_by_passes(decades), strength)
    }

    /// What grows in a cell.
    pub fn patch(&self, tile: &Tile, c: usize) -> Option<&PlantPatch> {
        self.scene.plants.get(usize::from(tile.patch[c])).filter(|_| tile.patch[c] != NO_PATCH)
    }

    /// Dry bulk density near the surface as a multiple of the untrodden ground's.
    pub fn density_ratio(&self, tile: &Tile, c: usize) -> f64 {
        let material = &self.materials[tile.material[c] as usize];
        let print = f64::from(tile.print[c]) / NANO * (1.0 - material.displaced_share(Law::Natural));
        material.density_when_packed(print, self.packed(tile, c)) / material.natural.density
    }

    /// What walkers see of a cell's wear, 0 fresh to 1: cover lost; where nothing grows, how far a thousand footfalls' packing has
    /// come. Our choice.
    pub fn wear(&self, tile: &Tile, c: usize) -> f64 {
        if tile.passes[c] == 0 && tile.cover[c] == 1.0 {
            return 0.0;
        }
        let often = tile.passes[c] as f32 / f32::from(tile.pressed[c].max(1));
        let packing = (f64::from(doublings(1.0 + often)) / DOUBLINGS).min(1.0);
        if tile.patch[c] == NO_PATCH {
            return packing;
        }
        1.0 - f64::from(tile.cover[c])
    }
}

/// Doublings of footfalls after which a tread looks as packed as it can: a thousand. Our choice.
const DOUBLINGS: f64 = 10.0;

/// What the roots of a patch add in the mean where its cover is whole, Pa: as strong as a live world finds untouched plants of that
/// density, less than the species' number where plants stand apart.
fn whole_roots(patch: &PlantPatch, seed: u64) -> f64 {
    let patch = PlantPatch { min: [0.0; 2], max: [SOME; 2], density_map: None, ..patch.clone() };
    let modulus = patch.species.root_modulus;
    let terrain = Terrain { size: [SOME; 2], cell: 0.05, ..Terrain::default() };
    let scene = Scene { seed, terrain, plants: vec![patch], ..Scene::default() };
    let n = (SOME / scene.terrain.cell).round() as usize;
    let whole = |world: World| {
        let all = world.map(Map::Vegetation).window(CellRect { x: 0, z: 0, width: n, height: n });
        all.iter().map(|&a| f64::from(a)).sum::<f64>() / all.len() as f64
    };
    World::new(&scene).map_or(0.0, whole) * modulus
}

/// Side of the ground over which roots are averaged, m.
const SOME: f64 = 2.0;

/// Tenfolds of footfalls over the trodden share of a cell.
pub(crate) fn decades_of(tile: &Tile, c: usize) -> f64 {
    decades(tile.passes[c] as f32 / 255.0, tile.pressed[c])
}
