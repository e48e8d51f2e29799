//! Sparse tiles: ground that somebody has touched.
//!
//! A tile exists only once something has changed in it, so cost and memory follow the trail, never the map.
//! Compression and accumulation are whole nanometres: integer sums are exact and commute, so the volume ledger
//! closes to the last unit whatever the order of steps, feet and slides.

use super::layers::{InTile, Layers};
use crate::persist::state;
use crate::random::mix;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Cells along a tile's side.
pub const TILE: usize = 8;
/// Cells in a tile.
pub(crate) const TILE_CELLS: usize = TILE * TILE;
/// Nanometres in a metre: the unit of all stored heights.
pub const NANO: f64 = 1e9;

/// Row and column of a tile, counted from the terrain's corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TileKey {
    /// Row, along z.
    pub z: i32,
    /// Column, along x.
    pub x: i32,
}

state! { TileKey { z, x } }

/// The touched ground of 8 × 8 cells, row-major along x.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Its position.
    pub key: TileKey,
    /// Layers of its cells.
    pub layers: Layers<InTile>,
    /// Index into the ground's materials, looked up once.
    pub material: [u8; TILE_CELLS],
    /// Whether the host has been told of the last change. Derived, not state.
    pub(crate) dirty: bool,
}

// The key is written by who holds the tiles; the material is the scene's.
state! { Tile { layers } except { key, material, dirty } }

impl Tile {
    /// Untouched cells of material 0.
    pub(crate) fn fresh(key: TileKey) -> Self {
        Self { key, layers: Layers::fresh(TILE_CELLS), material: [0; TILE_CELLS], dirty: false }
    }

    /// Height of a cell's surface above its original height, nm: accumulation − compression. The original
    /// height is not stored: it is a function of position.
    pub fn raised(&self, cell: usize) -> i64 {
        i64::from(self.layers.accumulation[cell]) - i64::from(self.layers.compression[cell])
    }
}

/// Tiles along the side of an index block.
const BLOCK: i32 = 32;
const NONE: u32 = u32::MAX;
type Block = Box<[u32; (BLOCK * BLOCK) as usize]>;

/// Hashes a block's place; the same on every machine. The table is only ever asked, never walked through.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_i32(i32::from(b)));
    }

    fn write_i32(&mut self, i: i32) {
        self.0 = mix(self.0.rotate_left(32) ^ u64::from(i as u32));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// All tiles. Finding one costs the same in any map: a table of 32 × 32 blocks that exist, then a slot.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    blocks: HashMap<(i32, i32), Block, BuildHasherDefault<PlaceHasher>>,
    #[expect(clippy::vec_box, reason = "a growing list must not copy every tile in the middle of a step")]
    tiles: Vec<Box<Tile>>,
    /// What stands in the list for tiles that are lent out; kept for its memory.
    #[expect(clippy::vec_box, reason = "they change places with boxed tiles")]
    blanks: Vec<Box<Tile>>,
}

/// A tile taken out of the list for a while, or a place where there is none yet.
#[derive(Clone, Debug)]
pub(crate) struct Lent {
    /// The tile; one that is made while it is lent is put in when it comes back.
    pub(crate) tile: Option<Box<Tile>>,
    /// Whether its surface was changed.
    pub(crate) changed: bool,
    /// Where it was in the list.
    slot: Option<usize>,
}

fn place(key: TileKey) -> ((i32, i32), usize) {
    let block = (key.z.div_euclid(BLOCK), key.x.div_euclid(BLOCK));
    (block, (key.z.rem_euclid(BLOCK) * BLOCK + key.x.rem_euclid(BLOCK)) as usize)
}

impl Tiles {
    /// Number of tiles.
    pub fn len(&self) -> usize {
        self.tiles.len()
    }

    /// Whether nothing has been touched.
    pub fn is_empty(&self) -> bool {
        self.tiles.is_empty()
    }

    /// Memory of the tiles and their index, bytes.
    pub fn bytes(&self) -> usize {
        self.tiles.len() * (size_of::<Tile>() + size_of::<Box<Tile>>())
            + self.blocks.len() * size_of::<[u32; (BLOCK * BLOCK) as usize]>()
    }

    /// The tile at `key`, if anything has changed there.
    pub fn get(&self, key: TileKey) -> Option<&Tile> {
        self.slot(key).map(|slot| &*self.tiles[slot])
    }

    /// The tile at `key`, to write.
    pub(crate) fn get_mut(&mut self, key: TileKey) -> Option<&mut Tile> {
        self.slot(key).map(|slot| &mut *self.tiles[slot])
    }

    /// Lends the tile at `key` out, if there is one. It must be taken back before anybody looks for it.
    pub(crate) fn lend(&mut self, key: TileKey) -> Lent {
        let slot = self.slot(key);
        let tile = slot.map(|slot| {
            let blank = self.blanks.pop().unwrap_or_else(|| Box::new(Tile::fresh(TileKey::default())));
            std::mem::replace(&mut self.tiles[slot], blank)
        });
        Lent { tile, changed: false, slot }
    }

    /// Takes back what was lent; tiles that have newly changed are added to `dirty`.
    pub(crate) fn take_back(&mut self, lent: &mut Vec<Lent>, dirty: &mut Vec<TileKey>) {
        for Lent { tile, changed, slot } in lent.drain(..) {
            let Some(mut tile) = tile else { continue };
            if changed && !tile.dirty {
                tile.dirty = true;
                dirty.push(tile.key);
            }
            match slot {
                Some(slot) => self.blanks.push(std::mem::replace(&mut self.tiles[slot], tile)),
                None => self.put(tile),
            }
        }
    }

    /// Puts a new tile in.
    pub(crate) fn insert(&mut self, tile: Tile) {
        self.put(Box::new(tile));
    }

    fn put(&mut self, tile: Box<Tile>) {
        let (block, slot) = place(tile.key);
        let slots = self.blocks.entry(block).or_insert_with(|| Box::new([NONE; (BLOCK * BLOCK) as usize]));
        assert!(slots[slot] == NONE, "tile {:?} is there already", tile.key);
        slots[slot] = u32::try_from(self.tiles.len()).expect("fewer than four thousand million tiles");
        self.tiles.push(tile);
    }

    fn slot(&self, key: TileKey) -> Option<usize> {
        let (block, slot) = place(key);
        self.blocks.get(&block).map(|slots| slots[slot]).filter(|&s| s != NONE).map(|s| s as usize)
    }

    /// All tiles, in the order they were made.
    pub fn iter(&self) -> impl Iterator<Item = &Tile> {
        self.tiles.iter().map(|tile| &**tile)
    }

    /// All tiles from corner to corner, row by row: the order of hashes and snapshots.
    pub fn sorted(&self) -> Vec<&Tile> {
        let mut all: Vec<&Tile> = self.iter().collect();
        all.sort_unstable_by_key(|tile| tile.key);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_found_where_they_were_put_also_at_negative_places() {
        let mut tiles = Tiles::default();
        for (x, z) in [(0, 0), (-1, -1), (31, 32), (-33, 5), (1000, -1000)] {
            tiles.insert(Tile::fresh(TileKey { z, x }));
        }
        for (x, z) in [(0, 0), (-1, -1), (31, 32), (-33, 5), (1000, -1000)] {
            assert_eq!(tiles.get(TileKey { z, x }).map(|t| t.key), Some(TileKey { z, x }));
        }
        assert!(tiles.get(TileKey { z: 0, x: 1 }).is_none(), "an untouched tile is not there");
    }

    #[test]
    fn a_touched_cell_costs_less_than_24_bytes() {
        assert!(size_of::<Tile>() <= 24 * TILE_CELLS, "{} bytes a tile", size_of::<Tile>());
    }
}
