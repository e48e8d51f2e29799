//! Hashes of the state: equal worlds have equal ones, whatever the number of threads.

use super::World;
use crate::hash::Hasher;
use crate::state::tile::TILE_CELLS;

impl World {
    /// 64 bits of the whole state: equal states, equal hashes.
    pub fn hash(&self) -> u64 {
        let mut hasher = Hasher::default();
        self.hash_small(&mut hasher);
        for tile in self.ground.tiles.sorted() {
            hasher.word((tile.key.x as u32 as u64) << 32 | tile.key.z as u32 as u64);
            for c in 0..TILE_CELLS {
                hasher.word((tile.compression[c] as u32 as u64) << 32 | tile.accumulation[c] as u32 as u64);
                hasher.word(
                    (tile.pressure_time[c].to_bits() as u64) << 32
                        | u64::from(tile.pressed[c]) << 8
                        | u64::from(tile.material[c]),
                );
            }
        }
        for (block, awake) in self.plants.sorted() {
            block.hash(awake, &mut hasher);
        }
        hasher.finish()
    }

    /// 64 bits of what the last step did: cheap, and sensitive to the ground through the feet and the ledger.
    pub fn digest(&self) -> u64 {
        let mut hasher = Hasher::default();
        self.hash_small(&mut hasher);
        hasher.word(self.report.sweeps);
        if !self.plants.is_empty() {
            hasher.word(self.plants.awake.len() as u64);
            let whole = |b: &crate::state::plants::Block| b.whole.iter().map(|&w| w as u64).sum::<u64>();
            hasher.word(self.plants.awake.iter().map(|b| whole(b)).sum());
        }
        hasher.finish()
    }

    fn hash_small(&self, hasher: &mut Hasher) {
        hasher.word(self.steps);
        hasher.float(self.time);
        hasher.word(self.ledger.carved as u64);
        hasher.float(self.ledger.owed);
        hasher.word(self.ledger.loose as u64);
        hasher.word(self.ledger.deposited as u64);
        hasher.word(self.pending.len() as u64);
        for puppet in &self.puppets {
            hasher.word(u64::from(puppet.quarantined));
            if let Some(w) = &puppet.walker {
                for x in [w.root.x, w.root.y, w.heading, w.time, w.level, w.drop, w.along] {
                    hasher.float(x);
                }
                hasher.word(w.clip as u64);
                w.offsets.numbers().for_each(|x| hasher.float(f64::from(x)));
            }
            for foot in &puppet.feet {
                for x in [foot.gap, foot.hold_left, foot.stance, foot.peak_force, foot.area_time, foot.height]
                {
                    hasher.float(x);
                }
                for v in [foot.velocity, foot.landing] {
                    v.to_array().into_iter().for_each(|x| hasher.float(f64::from(x)));
                }
                hasher.word(foot.carry as u64);
                hasher.word(u64::from(foot.down));
            }
        }
    }
}
