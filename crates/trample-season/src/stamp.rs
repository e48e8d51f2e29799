//! Footfalls stamped on the morning's ground.
//!
//! In: a day's footfalls and their atlas. Out: for every tile the requested print depth, the number of footfalls per cell,
//! and the share of it that soles have covered. The mean strength under a sole, from compaction and roots, selects among the
//! recorded prints. Plants that break under the footfall do not carry it, but ground that it compacts does. The sole is
//! stiff, so low spots under it are pressed less; it tilts towards low or weak ground as far as the ankle permits,
//! as in the live step.

use crate::atlas::{Atlas, LEVELS, SAMPLE, SINGLE, SLIVER, Sample};
use crate::day::{Asked, Rules};
use crate::evening::Felt;
use crate::ground::{ByPlace, CELLS, Ground, Key, NANO, SIDE, Tile, key_of};
use crate::people::Footfall;
use rayon::prelude::*;
use trample::internal::{ANKLE, Trodden};
use trample::params::GRAVITY;

/// Tiles along the side of a block, which one thread works on.
const BLOCK: i32 = 16;
/// Tiles around a block that a sole may reach into, and the side of both together.
const MARGIN: i32 = 6;
const RING: i32 = BLOCK + 2 * MARGIN;
/// Cells under a print at the most: a snowshoe's in cells of a centimetre.
const MOST: usize = 4096;

/// What a day's footfalls ask of the tiles, by their slot; tiles that did not exist are made.
pub(crate) fn run(ground: &mut Ground, rules: &Rules, falls: &[Footfall]) -> Vec<Option<Box<Asked>>> {
    let blocks = by_block(falls, rules, ground.cell);
    let shared = &*ground;
    let keys: Vec<Vec<Key>> =
        blocks.par_iter().map(|(block, list)| touched(list, falls, rules, shared.cell, *block)).collect();
    let fresh = |key: &Key| shared.slot(*key).is_none().then(|| (*key, shared.fresh(*key)));
    let made: Vec<Vec<(Key, Tile)>> = keys.par_iter().map(|k| k.iter().filter_map(fresh).collect()).collect();
    for (key, tile) in made.into_iter().flatten() {
        ground.put(key, tile);
    }
    let shared = &*ground;
    let own = rules.atlases.iter().map(|a| Felt::under([0, 1].map(|k| a.extent[1][k] - a.extent[0][k])));
    let own = own.sum::<f32>() / rules.atlases.len().max(1) as f32;
    let mornings: Vec<Vec<(Key, Box<Morning>)>> = keys
        .par_iter()
        .map(|k| k.iter().map(|&key| (key, morning(shared, rules, key, own))).collect())
        .collect();
    let mornings: ByPlace<Box<Morning>> = mornings.into_iter().flatten().collect();
    let asked: Vec<Vec<(Key, Box<Asked>)>> =
        blocks.par_iter().map(|(block, list)| stamp(shared, rules, falls, *block, list, &mornings)).collect();
    let mut by_slot: Vec<Option<Box<Asked>>> = Vec::new();
    by_slot.resize_with(ground.tiles.len(), || None);
    for (key, asked) in asked.into_iter().flatten() {
        let slot = ground.slot(key).expect("made in the morning");
        by_slot[slot] = Some(asked);
    }
    by_slot
}

/// The morning's ground as a footfall finds it once it stands there: by cell the depth packed by passes, nm, and how much stronger it is
/// than fresh ground.
type Morning = [[f32; 2]; CELLS];

/// `own` is what plants under a sole feel of its own footfall.
fn morning(ground: &Ground, rules: &Rules, key: Key, own: f32) -> Box<Morning> {
    let tile = ground.tile(key).expect("made before");
    Box::new(std::array::from_fn(|c| {
        let curve = rules.curves.get(usize::from(tile.patch[c]));
        let cover = curve.map_or(tile.cover[c], |curve| curve.after(tile.cover[c], own));
        let (packed, strength) = ground.answer(tile, c, cover);
        [(packed * NANO) as f32, strength as f32]
    }))
}

/// Which of the single prints a footfall leaves: any, by where it falls.
fn which(f: &Footfall) -> usize {
    let word = f.at[0].to_bits().rotate_left(32) ^ f.at[1].to_bits();
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize % SINGLE
}

/// Sums over the cells under a sole, by the share that it covers: of the cells, of their places along and across, in samples from the
/// print's middle, of packed depth and of strength.
#[derive(Clone, Copy, Default)]
struct Sums {
    weight: f32,
    at: [f32; 2],
    squares: [f32; 2],
    /// Packed depth and strength: their sums, and those of their products with the place along and across.
    ground: [[f32; 3]; 2],
}

impl Sums {
    #[inline]
    fn add(&mut self, touch: f32, at: [f32; 2], ground: [f32; 2]) {
        self.weight += touch;
        for k in 0..2 {
            self.at[k] += touch * at[k];
            self.squares[k] += touch * at[k] * at[k];
            let part = touch * ground[k];
            self.ground[k][0] += part;
            self.ground[k][1] += part * at[0];
            self.ground[k][2] += part * at[1];
        }
    }

    /// Mean packed depth and strength.
    fn mean(&self) -> [f32; 2] {
        self.ground.map(|g| g[0] / self.weight)
    }

    /// The middle of the cells, samples, and how much deeper a print of `depth` nm is a sample further along and across, nm: the sole tilts
    /// after the ground's slope, and to where it is weaker, as far as the ankle lets it. The ground holds it in its pose by its weight over
    /// its depth times the variance of its places, the ankle by [`ANKLE`]; both grow with the body's mass, which does not matter then.
    fn tilt(&self, depth: f32) -> [[f32; 2]; 2] {
        let [level, strength] = self.mean();
        [0, 1].map(|k| {
            let mean = self.at[k] / self.weight;
            let variance = (self.squares[k] / self.weight - mean * mean).max(1e-6);
            let slope =
                |of: usize, average: f32| (self.ground[of][1 + k] / self.weight - mean * average) / variance;
            let ankle = HELD * depth / variance;
            [mean, (slope(0, level) - depth * slope(1, strength) / strength) / (1.0 + ankle)]
        })
    }
}

/// The ankle's stiffness beside the ground's, samples² per nm of depth.
const HELD: f32 = (ANKLE / (GRAVITY * NANO * SAMPLE * SAMPLE)) as f32;

/// Bounds of a footfall in cells: first and last column, first and last row.
fn bounds(f: &Footfall, atlas: &Atlas, cell: f64) -> [i32; 4] {
    let [c, s] = f.ahead.map(f64::from);
    let across = if f.left { -1.0 } else { 1.0 };
    let [low, high] = atlas.extent;
    let mid = [0.5 * (low[0] + high[0]), across * 0.5 * (low[1] + high[1])];
    let half = [0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1])];
    let (x, z) = (f.at[0] + mid[0] * c - mid[1] * s, f.at[1] + mid[0] * s + mid[1] * c);
    let (a, b) = (c.abs() * half[0] + s.abs() * half[1], s.abs() * half[0] + c.abs() * half[1]);
    let at = |p: f64| (p / cell - 0.5).round() as i32;
    [at(x - a), at(x + a), at(z - b), at(z + b)]
}

/// Footfalls by the block they touch: sorted, so that each block finds its own.
fn by_block(falls: &[Footfall], rules: &Rules, cell: f64) -> Vec<(Key, Vec<u32>)> {
    let side = BLOCK * SIDE as i32;
    let mut lists: ByPlace<usize> = ByPlace::default();
    let mut blocks: Vec<(Key, Vec<u32>)> = Vec::new();
    // Feet that follow each other mostly fall in the same block.
    let mut last = ((i32::MAX, i32::MAX), 0);
    for (i, f) in falls.iter().enumerate() {
        let [x0, x1, z0, z1] = bounds(f, &rules.atlases[f.who as usize], cell);
        for bz in z0.div_euclid(side)..=z1.div_euclid(side) {
            for bx in x0.div_euclid(side)..=x1.div_euclid(side) {
                if last.0 != (bz, bx) {
                    let slot = *lists.entry((bz, bx)).or_insert_with(|| {
                        blocks.push(((bz, bx), Vec::new()));
                        blocks.len() - 1
                    });
                    last = ((bz, bx), slot);
                }
                blocks[last.1].1.push(i as u32);
            }
        }
    }
    blocks.sort_unstable_by_key(|b| b.0);
    blocks
}

/// Which tiles of a block its footfalls touch.
fn touched(list: &[u32], falls: &[Footfall], rules: &Rules, cell: f64, block: Key) -> Vec<Key> {
    let mut mask = [false; (BLOCK * BLOCK) as usize];
    for &i in list {
        let f = &falls[i as usize];
        let [x0, x1, z0, z1] = bounds(f, &rules.atlases[f.who as usize], cell);
        let ((tz0, tx0), (tz1, tx1)) = (key_of(x0, z0), key_of(x1, z1));
        let within = |t: i32, block: i32| (t - block * BLOCK).clamp(0, BLOCK);
        for z in within(tz0, block.0)..within(tz1 + 1, block.0) {
            for x in within(tx0, block.1)..within(tx1 + 1, block.1) {
                mask[(z * BLOCK + x) as usize] = true;
            }
        }
    }
    let place = |k: usize| (block.0 * BLOCK + k as i32 / BLOCK, block.1 * BLOCK + k as i32 % BLOCK);
    (0..mask.len()).filter(|&k| mask[k]).map(place).collect()
}

/// A cell under a sole.
#[derive(Clone, Copy)]
struct Under {
    /// Which of the tiles around the block, and which cell of it.
    tile: u16,
    cell: u16,
    /// Which sample of the print, and where it lies from the print's middle, samples.
    sample: u16,
    at: [f32; 2],
    level: f32,
}

/// Stamps the footfalls that touch a block on its own tiles.
fn stamp(
    ground: &Ground,
    rules: &Rules,
    falls: &[Footfall],
    block: Key,
    list: &[u32],
    mornings: &ByPlace<Box<Morning>>,
) -> Vec<(Key, Box<Asked>)> {
    // The block with a ring of tiles around it, so that nothing is looked up by its key while feet fall.
    let corner = (block.0 * BLOCK - MARGIN, block.1 * BLOCK - MARGIN);
    let place = |k: usize| (corner.0 + k as i32 / RING, corner.1 + k as i32 % RING);
    let around: Vec<Option<(&Morning, &Tile)>> = (0..(RING * RING) as usize)
        .map(|k| {
            let key = place(k);
            mornings.get(&key).map(|m| (&**m, ground.tile(key).expect("it has a morning")))
        })
        .collect();
    let own = |k: usize| {
        let (z, x) = (k as i32 / RING - MARGIN, k as i32 % RING - MARGIN);
        (0..BLOCK).contains(&z) && (0..BLOCK).contains(&x)
    };
    let mut asked: Vec<Option<Box<Asked>>> =
        around.iter().enumerate().map(|(k, a)| (a.is_some() && own(k)).then(Asked::nothing)).collect();
    let mut under = [Under { tile: 0, cell: 0, sample: 0, at: [0.0; 2], level: 0.0 }; MOST];
    for &i in list {
        let f = &falls[i as usize];
        let atlas = &rules.atlases[f.who as usize];
        let [x0, x1, z0, z1] = bounds(f, atlas, ground.cell);
        let (x0, x1) = (x0.max(0), x1.min(ground.size[0] - 1));
        let (z0, z1) = (z0.max(0), z1.min(ground.size[1] - 1));
        if x0 > x1 || z0 > z1 {
            continue;
        }
        let prints = &atlas.prints[f.slope as usize];
        let (mut n, mut sums) = (0usize, Sums::default());
        let across = if f.left { -1.0f32 } else { 1.0 };
        let [c, s] = f.ahead;
        let per = (1.0 / SAMPLE) as f32;
        let half = atlas.half.map(|h| h as f32 * per);
        // What any print presses, in samples: beyond it no cell is looked at.
        let [low, high] = atlas.extent;
        let from = [0, 1].map(|k| low[k] as f32 * per + half[k] + 1e-3);
        let to = [0, 1].map(|k| high[k] as f32 * per + half[k] - 1e-3);
        let step = ground.cell as f32 * per;
        let (du, dv) = (step * c, -across * step * s);
        let [per_u, per_v] = [du, dv].map(|d| if d.abs() > 1e-6 { 1.0 / d } else { 1e6 });
        let mut main = 0u8;
        let places = atlas.samples[0] * atlas.samples[1];
        let single = places * which(f);
        for tz in z0.div_euclid(SIDE as i32)..=z1.div_euclid(SIDE as i32) {
            for tx in x0.div_euclid(SIDE as i32)..=x1.div_euclid(SIDE as i32) {
                let (rz, rx) = (tz - corner.0, tx - corner.1);
                if !(0..RING).contains(&rz) || !(0..RING).contains(&rx) {
                    continue;
                }
                let index = (rz * RING + rx) as usize;
                let Some((morning, tile)) = around[index] else { continue };
                let (tx0, tz0) = (tx * SIDE as i32, tz * SIDE as i32);
                let (xs, xe) = (x0.max(tx0), x1.min(tx0 + SIDE as i32 - 1));
                for z in z0.max(tz0)..=z1.min(tz0 + SIDE as i32 - 1) {
                    let dz = ((f64::from(z) + 0.5) * ground.cell - f.at[1]) as f32 * per;
                    let dx = ((f64::from(xs) + 0.5) * ground.cell - f.at[0]) as f32 * per;
                    // Along the foot, and across it to its outside.
                    let u = dx * c + dz * s + half[0];
                    let v = across * (dz * c - dx * s) + half[1];
                    // Which cells of the row lie within.
                    let (a, b) = ((from[0] - u) * per_u, (to[0] - u) * per_u);
                    let (p, q) = ((from[1] - v) * per_v, (to[1] - v) * per_v);
                    let first = a.min(b).max(p.min(q)).ceil().max(0.0) as i32;
                    let last = a.max(b).min(p.max(q)).floor().min((xe - xs) as f32) as i32;
                    let row = (z - tz0) as usize * SIDE + (xs - tx0) as usize;
                    for i in first..=last {
                        let (u, v) = (u + du * i as f32, v + dv * i as f32);
                        let k = (u as u32 as usize) * atlas.samples[1] + v as u32 as usize;
                        let cell = row + i as usize;
                        let material = tile.material[cell];
                        let most = &prints[material as usize].most;
                        if n < MOST && k < places {
                            let touch = most[single + k];
                            if touch > SLIVER {
                                let at = [u - half[0], v - half[1]];
                                sums.add(touch, at, morning[cell]);
                                main = material;
                                under[n] = Under {
                                    tile: index as u16,
                                    cell: cell as u16,
                                    sample: k as u16,
                                    at,
                                    level: morning[cell][0],
                                };
                                n += 1;
                            }
                        }
                    }
                }
            }
        }
        if n == 0 {
            continue;
        }
        let [level, strength] = sums.mean();
        let print = &prints[main as usize];
        // Strengths double from level to level of the atlas; the print of the nearest is deeper or less deep by a power of strength.
        let x = libm::log2f(strength.max(1.0)).clamp(0.0, (LEVELS - 1) as f32 - 1e-3);
        let (near, low) = ((x + 0.5) as usize, x as usize);
        let deeper = libm::powf(print.shallower[low], x - near as f32);
        let aside = print.aside[low] + (x - low as f32) * (print.aside[low + 1] - print.aside[low]);
        let aside = (aside * 65_536.0) as u64;
        let samples = &print.levels[near][single..single + places];
        let [along, across] = sums.tilt(deeper * print.depth[near]);
        for u in &under[..n] {
            let Some(asked) = &mut asked[u.tile as usize] else { continue };
            let (c, Sample { touch, depth }) = (u.cell as usize, samples[u.sample as usize]);
            let tilted = along[1] * (u.at[0] - along[0]) + across[1] * (u.at[1] - across[0]);
            let depth = depth * deeper - touch * (u.level - level - tilted);
            let share = (touch * 255.0 + 0.5) as u8;
            let today = Trodden { print: asked.depth[c], passes: (), pressed: asked.share[c] };
            (asked.depth[c], asked.share[c]) = today.joined_by_chance(depth as i32, share);
            asked.hits[c] += u32::from(share);
            asked.aside += aside;
            asked.cells += 1;
        }
    }
    asked.into_iter().enumerate().filter_map(|(k, a)| Some((place(k), a?))).collect()
}
