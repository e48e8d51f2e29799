//! Plants to vegetation map: only where something has changed (TR-7).
//!
//! In: blocks in which joints broke. Out: the cover under and around them, and which feet must feel the ground anew.

use super::super::contact::FootScratch;
use crate::state::Cover;
use crate::state::planting::PLANT_CELL;
use crate::state::plants::Block;

/// Takes what broke in this step out of the cover.
pub(crate) fn update(cover: &mut Cover, blocks: &mut [Box<Block>], feet: &mut [FootScratch], cell: f64) {
    for block in blocks.iter_mut().filter(|b| b.work.changed) {
        let patch = block.key.patch as usize;
        let reach = cover.fields[patch].reach;
        for (root, lost) in block.grown.plants.iter().zip(&mut block.work.lost) {
            if *lost != 0 {
                cover.change(patch, (root.x, root.z), -i64::from(*lost));
                *lost = 0;
            }
        }
        block.work.lost.fill(0);
        block.work.changed = false;
        let corner = [block.key.cx, block.key.cz].map(|c| f64::from(c) * PLANT_CELL);
        for f in feet.iter_mut().filter(|f| f.stands()) {
            let meets = |low: i32, high: i32, k: usize| {
                f64::from(high) * cell > corner[k] - reach
                    && f64::from(low) * cell < corner[k] + PLANT_CELL + reach
            };
            if meets(f.bounds.x0, f.bounds.x1, 0) && meets(f.bounds.z0, f.bounds.z1, 1) {
                f.covers = f.covers.wrapping_add(1);
            }
        }
    }
}
