//! The atlas: one texture of many patches. Which patch lies where, and what must be written into it.
//!
//! A patch is written whole when it comes into view; after that only samples in tiles that changed are. So a frame's upload follows
//! the feet, never the map.

use super::patch::{self, PATCH, SIDE};
use super::texel::{self, Overlay, Texel};
use crate::lod::{Eye, Square};
use crate::uploads::Uploads;
use std::collections::BTreeMap;
use trample::{TILE, TileKey};

/// How large the atlas is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Patches in a row.
    pub columns: usize,
    /// Rows of patches.
    pub rows: usize,
}

impl Default for Shape {
    /// 30 × 15 patches: 2010 × 1005 texels, which every graphics card and browser takes.
    fn default() -> Self {
        Self { columns: 30, rows: 15 }
    }
}

impl Shape {
    /// Texels along x and along y.
    pub fn texels(self) -> [u32; 2] {
        [(self.columns * SIDE) as u32, (self.rows * SIDE) as u32]
    }

    /// First texel of a slot.
    pub fn corner(self, slot: u32) -> [u32; 2] {
        let (column, row) = (slot as usize % self.columns, slot as usize / self.columns);
        [(column * SIDE) as u32, (row * SIDE) as u32]
    }
}

/// Texels that go into the atlas.
#[derive(Clone, Debug, PartialEq)]
pub struct TexelWrite {
    /// First texel, x and y.
    pub corner: [u32; 2],
    /// Texels along x and y.
    pub size: [u32; 2],
    /// Row by row.
    pub texels: Vec<Texel>,
}

impl TexelWrite {
    /// Bytes it takes to a graphics card: a height and four bytes of colour each.
    pub fn bytes(&self) -> u64 {
        8 * self.texels.len() as u64
    }
}

/// The atlas and what lies in it.
#[derive(Debug)]
pub struct Atlas {
    shape: Shape,
    roots: usize,
    eye: Option<(Eye, f32)>,
    free: Vec<u32>,
    filled: BTreeMap<Square, u32>,
    wanted: Vec<Square>,
    visible: Vec<Square>,
    writes: Vec<TexelWrite>,
    scratch: Vec<Texel>,
    /// See [`texel::thinned`].
    thin: f32,
}

impl Atlas {
    /// An empty atlas for a ground.
    pub fn new(shape: Shape, world: &trample::World) -> Self {
        let slots = (shape.columns * shape.rows) as u32;
        Self {
            shape,
            roots: patch::roots(world.ground()).len(),
            eye: None,
            free: (0..slots).rev().collect(),
            filled: BTreeMap::new(),
            wanted: Vec::new(),
            visible: Vec::new(),
            writes: Vec::new(),
            scratch: Vec::new(),
            thin: texel::thinned(world),
        }
    }

    /// How large it is.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Where the eye was when patches were last chosen.
    pub fn eye(&self) -> Option<Eye> {
        self.eye.map(|(eye, _)| eye)
    }

    /// The patches to draw, and where each lies.
    pub fn visible(&self) -> impl Iterator<Item = (Square, u32)> {
        self.visible.iter().filter_map(|key| Some((*key, *self.filled.get(key)?)))
    }

    /// What must be written, each once.
    pub fn take_writes(&mut self) -> Vec<TexelWrite> {
        std::mem::take(&mut self.writes)
    }

    /// Looks from an eye: fills up to `budget` patches that are missing there, and shows the new choice once it is whole. Says
    /// whether other patches are shown than before.
    pub fn follow(
        &mut self,
        world: &trample::World,
        eye: Eye,
        detail: f32,
        overlay: Option<&Overlay>,
        budget: usize,
        uploads: &mut Uploads,
    ) -> bool {
        let slots = self.shape.columns * self.shape.rows;
        // A third is room for those on their way.
        let most = (slots * 2 / 3).max(self.roots);
        let still = self.eye.is_some_and(|(last, of)| last.is_near(&eye) && of == detail);
        if self.wanted == self.visible && !still {
            self.wanted = patch::choose(world.ground(), &eye, detail, most);
            self.eye = Some((eye, detail));
        }
        if self.wanted == self.visible {
            return false;
        }
        let missing: Vec<Square> =
            self.wanted.iter().filter(|key| !self.filled.contains_key(key)).copied().collect();
        let mut budget = budget.max(1);
        if self.visible.is_empty() || missing.len() > self.free.len() {
            // Elsewhere altogether: nothing of the old view is worth keeping for a moment.
            self.drop_all_but_wanted();
            budget = missing.len();
        }
        for key in missing.iter().take(budget) {
            let Some(slot) = self.free.pop() else { break };
            self.filled.insert(*key, slot);
            uploads.patches_last_frame += 1;
            self.write(world, *key, slot, [[-1, PATCH + 1]; 2], overlay, uploads);
        }
        if missing.len() > budget {
            return false;
        }
        self.visible.clone_from(&self.wanted);
        self.drop_all_but_wanted();
        true
    }

    fn drop_all_but_wanted(&mut self) {
        let (wanted, free) = (&self.wanted, &mut self.free);
        self.filled.retain(|key, slot| {
            let keep = wanted.binary_search(key).is_ok();
            if !keep {
                free.push(*slot);
            }
            keep
        });
    }

    /// Writes all that is in view anew: for another overlay.
    pub fn rewrite(&mut self, world: &trample::World, overlay: Option<&Overlay>, uploads: &mut Uploads) {
        let all: Vec<(Square, u32)> = self.filled.iter().map(|(key, slot)| (*key, *slot)).collect();
        for (key, slot) in all {
            self.write(world, key, slot, [[-1, PATCH + 1]; 2], overlay, uploads);
        }
    }

    /// Takes over tiles that changed, wherever they are in view.
    pub fn update(
        &mut self,
        world: &trample::World,
        tiles: &[TileKey],
        overlay: Option<&Overlay>,
        uploads: &mut Uploads,
    ) {
        uploads.tiles_last_frame += tiles.len() as u64;
        let size = world.ground().size;
        let levels: Vec<u8> = {
            let mut levels: Vec<u8> = self.filled.keys().map(|key| key.level).collect();
            levels.dedup();
            levels
        };
        for tile in tiles {
            for &level in &levels {
                let spans = [(tile.x, size[0]), (tile.z, size[1])].map(|(t, n)| samples(t, n, level));
                let [Some(columns), Some(rows)] = spans else { continue };
                for z in owners(rows) {
                    for x in owners(columns) {
                        let key = Square { level, z, x };
                        let Some(&slot) = self.filled.get(&key) else { continue };
                        let own = |[low, high]: [i32; 2], k: i32| {
                            [(low - k * PATCH).max(-1), (high - k * PATCH).min(PATCH + 1)]
                        };
                        self.write(world, key, slot, [own(columns, x), own(rows, z)], overlay, uploads);
                    }
                }
            }
        }
    }

    /// Writes the samples of a patch from first to last, both included, along x and z.
    fn write(
        &mut self,
        world: &trample::World,
        key: Square,
        slot: u32,
        [columns, rows]: [[i32; 2]; 2],
        overlay: Option<&Overlay>,
        uploads: &mut Uploads,
    ) {
        let first = patch::first(key);
        let cells = |[low, high]: [i32; 2], first: i32| -> Vec<i32> {
            (low..=high).map(|i| first + i * patch::stride(key)).collect()
        };
        let (xs, zs) = (cells(columns, first[0]), cells(rows, first[1]));
        texel::read(world, &xs, &zs, (overlay, self.thin), &mut self.scratch);
        let corner = self.shape.corner(slot);
        let write = TexelWrite {
            corner: [corner[0] + (columns[0] + 1) as u32, corner[1] + (rows[0] + 1) as u32],
            size: [xs.len() as u32, zs.len() as u32],
            texels: self.scratch.clone(),
        };
        uploads.count(write.bytes());
        self.writes.push(write);
    }
}

/// The samples of a level that read cells of a tile along one axis of `n` cells, first and last; none may.
fn samples(tile: i32, n: i32, level: u8) -> Option<[i32; 2]> {
    let (side, stride) = (TILE as i32, 1 << level);
    let (low, high) = (tile * side, tile * side + side - 1);
    // What lies beyond the edge shows the edge.
    let first = if tile == 0 { -1 } else { low.div_euclid(stride) + i32::from(low.rem_euclid(stride) != 0) };
    let last = if high >= n - 1 { high.div_euclid(stride) + PATCH + 2 } else { high.div_euclid(stride) };
    (first <= last).then_some([first, last])
}

/// The patches whose texels hold any of these samples.
fn owners([first, last]: [i32; 2]) -> std::ops::RangeInclusive<i32> {
    // A patch holds samples −1 to PATCH + 1 from its first.
    (first - PATCH - 1).div_euclid(PATCH).max(-1) + i32::from((first - PATCH - 1).rem_euclid(PATCH) != 0)
        ..=(last + 1).div_euclid(PATCH)
}
