//! Patches: squares of 64 × 64 samples, each level with twice the spacing of the one before.

use crate::lod::{self, Eye, Square};
use trample::Ground;

/// Samples along a patch's side that are its own; it shares its last row and column with its neighbour's first.
pub const PATCH: i32 = 64;
/// Texels along a patch's side: one row before and two behind, so that slopes are known up to the edge.
pub const SIDE: usize = PATCH as usize + 3;

/// Cells between the samples of a patch.
pub fn stride(patch: Square) -> i32 {
    1 << patch.level
}

/// First cell of a patch, x and z.
pub fn first(patch: Square) -> [i32; 2] {
    [patch.x * PATCH * stride(patch), patch.z * PATCH * stride(patch)]
}

/// Side of the smallest patches, m.
pub fn unit(ground: &Ground) -> f32 {
    PATCH as f32 * ground.cell as f32
}

/// The largest patches of a ground: few enough that all of it can always be shown.
pub fn roots(ground: &Ground) -> Vec<Square> {
    let count = |n: i32, level: u8| (n - 1).max(1).div_euclid(PATCH << level) + 1;
    let mut level = 0;
    while level < 20 && count(ground.size[0], level) * count(ground.size[1], level) > 16 {
        level += 1;
    }
    let (nx, nz) = (count(ground.size[0], level), count(ground.size[1], level));
    (0..nz).flat_map(|z| (0..nx).map(move |x| Square { level, z, x })).collect()
}

/// The patches to show: split where they are nearer than `detail` times their size, up to `most`.
pub fn choose(ground: &Ground, eye: &Eye, detail: f32, most: usize) -> Vec<Square> {
    let on = |patch: Square| {
        let [x, z] = first(patch);
        x < ground.size[0] && z < ground.size[1]
    };
    lod::choose(roots(ground).into_iter(), eye, unit(ground), detail, most, on)
}
