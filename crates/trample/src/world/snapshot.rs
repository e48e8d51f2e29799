//! The whole state: as bytes and back, and as hashes. Equal worlds have equal ones, whatever the number of threads.
//!
//! What a struct holds of it is listed below the struct ([`crate::persist`]); here is the order of those structs.

use super::World;
use crate::persist::{Persist, Reader, Sink, SnapshotError, StateHash, VERSION, state};
use crate::state::plants::{Block, BlockKey, HEALTHY, Plants};
use crate::state::tile::{TILE_CELLS, TileKey};
use crate::state::{Ground, PLANT_CELL, TILE, Tiles};

// Plants and ground follow after these, by their keys. The rest comes from the scene or changes no result.
state! {
    World { time, steps, ledger, puppets[..], pending } except { ground, plants, scene, soles, databases, scratch, report, revision }
}
state! { Plants { sleepless } except { awake, slots, plots, cells, spans, spare, wind } }

impl World {
    /// The whole state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(4096 + self.ground.tiles.len() * TILE_CELLS * 13);
        VERSION.write(&mut out);
        self.put(&mut out, true);
        out
    }

    /// 64-bit hash of the whole state.
    pub fn hash(&self) -> u64 {
        let mut hash = StateHash::default();
        self.put(&mut hash, true);
        hash.finish()
    }

    /// 64-bit hash of the state that changes in every step: all but tiles, cover and sleeping plants. Its cost does not depend
    /// on the length of the trail; it is sensitive to the ground through the feet and the volume balance.
    pub fn digest(&self) -> u64 {
        let mut hash = StateHash::default();
        self.put(&mut hash, false);
        hash.finish()
    }

    fn put(&self, to: &mut impl Sink, with_ground: bool) {
        self.write(to);
        self.plants.write(to);
        self.plants.put_blocks(to, with_ground);
        if with_ground {
            // Without `..`, as in `state!`: the others are the scene's.
            let Ground {
                tiles,
                cover,
                cell: _,
                size: _,
                base: _,
                materials: _,
                virgin: _,
                paints: _,
                law: _,
                contour: _,
                tolerance: _,
                force_threshold: _,
            } = &self.ground;
            to.field("tiles");
            tiles.len().write(to);
            for tile in tiles.sorted() {
                tile.key.write(to);
                tile.write(to);
            }
            to.field("cover");
            cover.keys().write(to);
        }
    }

    /// Restores a state. The world must have been made from the same scene; on error it is unchanged.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.restore_checked(bytes, None)
    }

    /// Restores a state that must have this [`hash`](Self::hash). Any other state is an error, and the world is unchanged.
    pub fn restore_exact(&mut self, bytes: &[u8], hash: u64) -> Result<(), SnapshotError> {
        self.restore_checked(bytes, Some(hash))
    }

    fn restore_checked(&mut self, bytes: &[u8], hash: Option<u64>) -> Result<(), SnapshotError> {
        let mut from = Reader::new(bytes);
        let version = from.value()?;
        if version != VERSION {
            return Err(SnapshotError::Version(version));
        }
        let mut world = self.clone();
        world.take(&mut from)?;
        from.end()?;
        // Before anything is computed from it.
        if hash.is_some_and(|hash| hash != world.hash()) {
            return Err(SnapshotError::OtherState);
        }
        // A foot that lifts in the next step still presses where it stood: the cells under it are found again.
        world.restamp();
        world.revision = super::next_revision();
        *self = world;
        Ok(())
    }

    fn take(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        self.read(from)?;
        let Self { ground, puppets, plants, pending, databases, .. } = self;
        // What plays must be there.
        for walker in puppets.iter().filter_map(|p| p.walker.as_deref()) {
            let clips = databases[walker.database].spans.len();
            if walker.clip >= clips {
                return Err(SnapshotError::OtherScene(format!("clip {} of {clips}", walker.clip)));
            }
        }
        let off = |p: i32, cells: i32| p < 0 || p >= cells;
        if let Some((z, x)) = pending.iter().find(|(z, x)| off(*z, ground.size[1]) || off(*x, ground.size[0]))
        {
            return Err(SnapshotError::OtherScene(format!("cell ({x}, {z}) is off the map")));
        }
        plants.read(from)?;
        plants.take_blocks(from, ground)?;
        ground.tiles = Tiles::default();
        let mut last = None;
        for _ in 0..from.count()? {
            let key: TileKey = from.value()?;
            let limit = ground.size.map(|n| n / TILE as i32 + 1);
            if off(key.x, limit[0] + 1) || off(key.z, limit[1] + 1) {
                return Err(SnapshotError::OtherScene(format!("tile ({}, {}) is off the map", key.x, key.z)));
            }
            from.in_order(&mut last, key)?;
            ground.touch(key).read(from)?;
        }
        ground.cover.clear();
        let mut last = None;
        for _ in 0..from.count()? {
            let (cz, cx): (i32, i32) = from.value()?;
            let far = |cell: i32, side: i32| {
                let cells = f64::from(side) * ground.cell / PLANT_CELL;
                cell < -16 || f64::from(cell) > cells + 16.0
            };
            if plants.is_empty() || far(cx, ground.size[0]) || far(cz, ground.size[1]) {
                return Err(SnapshotError::OtherScene(format!("no cover in plant cell ({cx}, {cz})")));
            }
            from.in_order(&mut last, (cz, cx))?;
            ground.cover.ensure(cx, cz, plants, &mut Vec::new());
        }
        Ok(())
    }
}

impl Plants {
    /// Blocks that are remembered, or those alone that move; all others follow from the seed.
    fn put_blocks(&self, to: &mut impl Sink, sleeping: bool) {
        let blocks = self.sorted(sleeping);
        blocks.len().write(to);
        for (block, awake) in blocks {
            block.key.write(to);
            to.field("block awake");
            awake.write(to);
            block.write(to);
        }
    }

    fn take_blocks(&mut self, from: &mut Reader<'_>, ground: &Ground) -> Result<(), SnapshotError> {
        self.forget();
        let (mut roots, mut last) = (Vec::new(), None);
        for _ in 0..from.count()? {
            let (key, awake): (BlockKey, bool) = from.value()?;
            let patch = key.patch as usize;
            if patch >= self.plots.len() || !self.grows_in(patch, key.cx, key.cz) {
                let problem = format!("nothing grows in plant cell ({}, {})", key.cx, key.cz);
                return Err(SnapshotError::OtherScene(problem));
            }
            from.in_order(&mut last, key)?;
            let slots = self.slots_of(patch, key.cx, key.cz, &mut roots);
            if key.number >= slots.blocks {
                return Err(SnapshotError::Damaged(from.at));
            }
            let mut block = Box::<Block>::default();
            self.grow(key, ground, &mut roots, &mut block);
            block.read(from)?;
            if block.strength.as_flattened().iter().any(|joint| !(0..=HEALTHY).contains(joint)) {
                return Err(SnapshotError::Damaged(from.at));
            }
            block.derive(&self.plots[patch].lattice);
            self.put(block, awake);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
