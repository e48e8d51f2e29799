//! The evening of a day: applies pressing, compaction and wear, moves displaced material, then rain and growth.

use crate::damage::Curve;
use crate::day::{Asked, Ledger, Rules};
use crate::ground::{CELLS, Ground, Key, NO_PATCH, SIDE, Tile};
use crate::loose;
use rayon::prelude::*;
use trample::internal::{Trodden, pushed_aside};

/// Width over which a plant feels footfalls, m: live plants' cover follows the mean of the footfalls within 8 to 10 cm best (loam,
/// sedge and lawn grass, 25 to 200 passes: their scatter around it falls from 0.074 to 0.058 of whole cover).
const FELT: f64 = 0.1;

/// Takes over what was asked, moves what was displaced, lets it slide, lets rain and plants do their part.
pub(crate) fn run(
    ground: &mut Ground,
    rules: &Rules,
    asked: &[Option<Box<Asked>>],
    (rain, grows): (f64, bool),
    own: &(dyn Fn(Key) -> bool + Sync),
) -> Ledger {
    let mut ledger = Ledger::default();
    let nature = &rules.nature;
    let felt = Felt::new(ground.cell);
    let near = neighbours(ground, asked, felt);
    // Press, wear and loosen, tile by tile; what must move is left over.
    let growth = if grows { [nature.regrowth / 200.0, nature.colonisation / 200.0] } else { [0.0; 2] };
    let frost = if grows { 0.0 } else { nature.frost / nature.winter() };
    let loosens = libm::pow(10.0, -3.0 / (365.25 * nature.loosening) - frost);
    let (tiles, keys, index) = ground.parts_mut();
    let hits = |key: Key| {
        let slot = *index.get(&key)? as usize;
        asked.get(slot)?.as_deref().map(|a| &a.hits)
    };
    let pressed: Vec<(Ledger, Option<Box<[i32; CELLS]>>)> = tiles
        .par_iter_mut()
        .enumerate()
        .map(|(slot, tile)| {
            let day = asked.get(slot).and_then(Option::as_deref);
            let pressed = press(tile, day, loosens);
            if near[slot] && tile.patch.iter().any(|&p| p != NO_PATCH) {
                wear(tile, &felt.around(keys[slot], &hits), &rules.curves);
            }
            if growth != [0.0; 2] {
                grow(tile, growth);
            }
            pressed
        })
        .collect();
    let mut moving: Vec<(usize, Box<[i32; CELLS]>)> = Vec::new();
    for (slot, (day, aside)) in pressed.into_iter().enumerate() {
        if own(ground.keys()[slot]) {
            ledger += day;
        }
        moving.extend(aside.map(|a| (slot, a)));
    }
    loose::spread(ground, asked, &moving);
    loose::slide(ground, moving.iter().map(|m| m.0));
    if rain > 0.0 && nature.wash > 0.0 {
        ledger.washed += loose::wash(ground, rain * nature.wash, own);
    }
    ledger
}

/// Marks the tiles whose plants feel a footfall of today, by slot; those that did not exist are made.
fn neighbours(ground: &mut Ground, asked: &[Option<Box<Asked>>], felt: Felt) -> Vec<bool> {
    let grown = !ground.scene().plants.is_empty();
    let mut near = vec![false; ground.tiles.len()];
    for (slot, day) in asked.iter().enumerate() {
        let Some(day) = day else { continue };
        near[slot] = true;
        if !grown {
            continue;
        }
        // Which of the strips along the edges anybody has trodden on.
        let (reach, end) = (felt.reach(), SIDE - felt.reach());
        let mut strips = [[false; 3]; 3];
        for c in (0..CELLS).filter(|&c| day.hits[c] > 0) {
            let side = |i: usize| [i < reach, true, i >= end];
            let (z, x) = (side(c / SIDE), side(c % SIDE));
            (0..3).for_each(|i| (0..3).for_each(|j| strips[i][j] |= z[i] && x[j]));
        }
        let (z, x) = ground.keys()[slot];
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)).filter(|&(i, j)| strips[i][j]) {
            let key = (z + i as i32 - 1, x + j as i32 - 1);
            let (low, high) = (key.0.min(key.1), [key.1, key.0]);
            let outside = low < 0 || (0..2).any(|k| high[k] * SIDE as i32 >= ground.size[k]);
            if !outside {
                let other = ground.touch(key);
                near.resize(ground.tiles.len(), false);
                near[other] = true;
            }
        }
    }
    near
}

/// Treads on a tile's cells, or lets them loosen; what is pushed aside is left over.
fn press(tile: &mut Tile, day: Option<&Asked>, loosens: f64) -> (Ledger, Option<Box<[i32; CELLS]>>) {
    let mut ledger = Ledger::default();
    let mut pushed = day.map(|_| Box::new([0; CELLS]));
    let share = day.map_or(0.0, |day| day.aside as f64 / (65_536 * day.cells.max(1)) as f64);
    for c in 0..CELLS {
        let more = day.map_or(0, |day| day.hits[c]);
        if more == 0 {
            if tile.passes[c] > 0 && loosens < 1.0 {
                tile.passes[c] = (f64::from(tile.passes[c]) * loosens).round() as u32;
            }
            continue;
        }
        let (Some(day), Some(pushed)) = (day, &mut pushed) else { continue };
        let mut cell = Trodden { print: tile.print[c], passes: tile.passes[c], pressed: tile.pressed[c] };
        let (print, covered) = cell.joined_by_chance(day.depth[c], day.share[c]);
        let deeper = cell.tread(print, covered, more);
        (tile.print[c], tile.passes[c], tile.pressed[c]) = (cell.print, cell.passes, cell.pressed);
        pushed[c] = (pushed_aside(deeper, share) >> 32) as i32;
        ledger.carved += i64::from(deeper);
        ledger.displaced += i64::from(pushed[c]);
    }
    (ledger, pushed)
}

/// Wears plants by the footfalls that they feel.
fn wear(tile: &mut Tile, felt: &[f32; CELLS], curves: &[Curve]) {
    for c in (0..CELLS).filter(|&c| felt[c] > 0.0 && tile.patch[c] != NO_PATCH) {
        tile.cover[c] = curves[tile.patch[c] as usize].after(tile.cover[c], felt[c]);
    }
}

/// Plants come back by a logistic rate and sprout on bare ground.
fn grow(tile: &mut Tile, [growth, sprouts]: [f64; 2]) {
    for cover in tile.cover.iter_mut().filter(|c| **c < 1.0) {
        let now = f64::from(*cover);
        *cover = (now + (growth * now + sprouts) * (1.0 - now)).min(1.0) as f32;
    }
}

/// Footfalls as plants feel them: the mean over [`FELT`] taken twice, so that it falls to nothing at that distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Felt {
    /// Cells to either side of the mean.
    half: usize,
}

impl Felt {
    /// For cells of that side, m.
    pub(crate) fn new(cell: f64) -> Self {
        Self { half: ((0.5 * (FELT / cell - 1.0)).round().max(0.0) as usize).min(SIDE / 2) }
    }

    /// What plants under a sole of those sides, m, feel of its own footfall, in the mean over the sole.
    pub(crate) fn under(sides: [f64; 2]) -> f32 {
        // The mean over a strip of its own triangular blur, which falls to nothing at `FELT`.
        let along = |side: f64| match side > FELT {
            true => 1.0 - FELT / (3.0 * side),
            false => side / FELT * (1.0 - side / (3.0 * FELT)),
        };
        (along(sides[0]) * along(sides[1])) as f32
    }

    /// Cells that a footfall is felt away.
    fn reach(self) -> usize {
        2 * self.half
    }

    /// What the cells of a tile feel of footfalls, which `hits` knows by tile in 1/255. Sums of integers: no order changes a bit.
    pub(crate) fn around<'a>(self, key: Key, hits: &dyn Fn(Key) -> Option<&'a [u32; CELLS]>) -> [f32; CELLS] {
        const MOST: usize = 3 * SIDE;
        let reach = self.reach();
        let side = SIDE + 2 * reach;
        let mut window = [[0u64; MOST]; MOST];
        for (dz, dx) in (0..9).map(|k| (k / 3, k % 3)) {
            let Some(hits) = hits((key.0 + dz - 1, key.1 + dx - 1)) else { continue };
            // Which rows and columns of that tile lie in the window, and where.
            let span = |d: i32| match d {
                0 => (SIDE - reach..SIDE, 0),
                1 => (0..SIDE, reach),
                _ => (0..reach, reach + SIDE),
            };
            let ((rows, z0), (columns, x0)) = (span(dz), span(dx));
            for (i, z) in rows.enumerate() {
                for (j, x) in columns.clone().enumerate() {
                    window[z0 + i][x0 + j] = u64::from(hits[z * SIDE + x]);
                }
            }
        }
        let width = 2 * self.half + 1;
        // Twice along rows, then twice along columns; each time `width` cells become one, and the window narrower.
        for pass in 0..2 {
            let left = side - (pass + 1) * 2 * self.half;
            for row in window.iter_mut().take(side) {
                let mut sum: u64 = row[..width - 1].iter().sum();
                for x in 0..left {
                    sum += row[x + width - 1];
                    let first = row[x];
                    row[x] = sum;
                    sum -= first;
                }
            }
        }
        for pass in 0..2 {
            let left = side - (pass + 1) * 2 * self.half;
            for x in 0..SIDE {
                let mut sum: u64 = window[..width - 1].iter().map(|row| row[x]).sum();
                for z in 0..left {
                    sum += window[z + width - 1][x];
                    let first = window[z][x];
                    window[z][x] = sum;
                    sum -= first;
                }
            }
        }
        let per = 1.0 / (255.0 * (width * width * width * width) as f64);
        std::array::from_fn(|c| (window[c / SIDE][c % SIDE] as f64 * per) as f32)
    }
}
