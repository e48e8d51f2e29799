//! Force and ground to new ground (DF §5, TR §4.2, §4–6 of the model).
//!
//! In: the load of each foot. Out: ground compressed under the soles, the displaced share heaped beside them and
//! slid to rest, and every nanometre tallied. Each foot works in its own window. Feet whose windows do not meet can
//! work at the same time; those that do work one after the other, in order, so threads never change a bit.

pub(crate) mod compress;
pub(crate) mod displace;
pub(crate) mod slide;
pub(crate) mod tally;

use super::contact::FootScratch;
use super::force::Load;
use super::patch::{Cells, Rect};
use crate::state::ground::{cell_of, tile_of};
use crate::state::{Ground, Puppet, TileKey};
use crate::world::{Ledger, Report, Scratch};
use rayon::prelude::*;

/// Room to work in. Nothing in it outlives a foot's turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    pub(crate) cells: Cells,
    pub(crate) firm: Vec<f64>,
    pub(crate) border: displace::Reach,
    pub(crate) slide: slide::Window,
}

/// What pressing needs and gives, for one foot and one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Press {
    pub(crate) load: Load,
    pub(crate) compress: compress::Work,
    pub(crate) displace: displace::Work,
    pub(crate) outcome: Outcome,
    /// Cells found while stamping; kept for its memory.
    pub(crate) found: Vec<(i32, i32, f32, f32)>,
}

impl Press {
    /// The stamp is new: what was worked out for the old one no longer holds.
    pub(crate) fn contact_changed(&mut self) {
        self.displace.contact.clear();
        self.compress.forget();
    }
}

/// What one foot did to the ground in one step. Volumes are nanometres over one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Ground compressed.
    pub(crate) carved: i64,
    /// The share of it that must move, before rounding to whole units.
    pub(crate) owed: f64,
    /// Loose material taken along.
    pub(crate) loose: i64,
    /// Material heaped on the border.
    pub(crate) deposited: i64,
    /// What is still owed, in 2⁻³² units.
    pub(crate) carry: i128,
    /// Contact area, m².
    pub(crate) area: f64,
    /// Mean normal pressure, Pa.
    pub(crate) pressure: f64,
    /// Share of the load on the forefoot.
    pub(crate) toe_share: f64,
    /// Height of the sole's lowest plane, m.
    pub(crate) height: f64,
    /// Mean depth of the touched ground below its original height, m.
    pub(crate) depth: f64,
    /// Window cells to write back.
    pub(crate) changed: Rect,
    /// Sweeps of sliding.
    pub(crate) sweeps: u32,
    /// How sliding in the window ended.
    pub(crate) slide: slide::End,
}

/// Cells of margin around a stamp: the border, and room for the heap to slide. Loose material at a low angle of
/// rest runs further; what runs further still is finished outside the window.
pub(crate) fn margin(ground: &Ground) -> i32 {
    let flattest = ground.materials.iter().map(|m| m.rest_angle).fold(f64::MAX, f64::min);
    let room = if ground.law.slides() { (0.012 / libm::tan(flattest)).clamp(0.04, 0.14) } else { 0.0 };
    ((ground.contour + room) / ground.cell).ceil() as i32 + 2
}

/// Presses every foot's load into the ground.
pub(crate) fn run(
    ground: &mut Ground,
    puppets: &mut [Puppet],
    scratch: &mut Scratch,
    ledger: &mut Ledger,
    pending: &mut Vec<(i32, i32)>,
    dt: f64,
    report: &mut Report,
) {
    let busy = scratch.feet.iter().filter(|f| f.touches).count();
    alone(scratch);
    // A foot knows its own cells; marks are for others that come near.
    mark(ground, puppets, scratch, !pending.is_empty());
    let before = pending.len();
    let Scratch { feet, shared, spaces, alone: is_alone, dirty, .. } = scratch;
    if !spaces.is_empty() && busy >= crate::world::WORTH_SPLITTING {
        let turns = feet.par_iter_mut().zip(&mut *spaces).zip(&*is_alone);
        turns
            .filter(|((f, _), alone)| f.touches && **alone)
            .for_each(|((f, space), _)| press(f, ground, puppets, space));
        for ((f, space), alone) in feet.iter_mut().zip(spaces).zip(is_alone) {
            if f.touches {
                if !*alone {
                    press(f, ground, puppets, space);
                }
                finish_turn(f, ground, space, pending, dirty);
            }
        }
    } else {
        for f in feet.iter_mut().filter(|f| f.touches) {
            press(f, ground, puppets, shared);
            finish_turn(f, ground, shared, pending, dirty);
        }
    }
    if ground.law.slides() {
        if before == 0 && !pending.is_empty() {
            mark(ground, puppets, scratch, true);
        }
        slide::finish(
            ground,
            pending,
            &mut scratch.sparse,
            slide::sweeps_in(dt, ground.cell),
            &mut scratch.dirty,
            report,
        );
    }
    unmark(ground, &mut scratch.feet);
    tally::run(puppets, &scratch.feet, ledger, dt, ground, report);
}

/// Writes a foot's window back and notes a slide that left it.
fn finish_turn(
    f: &FootScratch,
    ground: &mut Ground,
    space: &Space,
    pending: &mut Vec<(i32, i32)>,
    dirty: &mut Vec<TileKey>,
) {
    f.patch.store(ground, f.press.outcome.changed, &space.cells, dirty);
    let end = f.press.outcome.slide;
    if end != slide::End::Resting {
        slide::hand_over(&f.patch, end, pending);
    }
}

/// One foot: compress, displace, slide.
fn press(f: &mut FootScratch, ground: &Ground, puppets: &[Puppet], space: &mut Space) {
    f.press.outcome = Outcome { carry: puppets[f.puppet].feet[f.foot].carry, ..Outcome::default() };
    if f.stamp.is_empty() {
        return;
    }
    let hold = puppets[f.puppet].hold;
    let given = f64::from(puppets[f.puppet].pose.soles[f.foot].position.y);
    let stood = puppets[f.puppet].feet[f.foot].height;
    f.patch.load(ground, f.bounds, &mut space.cells);
    if f.press.load.seconds > 0.0 {
        compress::run(f, ground, hold, given, stood, space);
    }
    let moved = f.press.outcome.carry >> 32 > 0 || f.press.outcome.loose > 0;
    if !(moved || (ground.law.slides() && (f.lifted || f.press.outcome.carved > 0))) {
        return;
    }
    // The rest of the window matters only now.
    surround(f, ground, &mut space.cells);
    displace::update_contact(f, ground, &space.cells);
    if moved {
        displace::run(f, ground, space);
    }
    if ground.law.slides() {
        slide::run(f, ground, space);
    }
}

/// Loads the window around the stamp without losing what was just pressed into it.
fn surround(f: &mut FootScratch, ground: &Ground, cells: &mut Cells) {
    let (r, b) = (f.patch.rect, f.bounds);
    for part in [
        Rect { z1: b.z0, ..r },
        Rect { z0: b.z1, ..r },
        Rect { z0: b.z0, z1: b.z1, x1: b.x0, ..r },
        Rect { z0: b.z0, z1: b.z1, x0: b.x1, ..r },
    ] {
        f.patch.load(ground, part, cells);
    }
    f.press.outcome.changed = r;
}

/// Marks where soles stand, so that nobody heaps or slides material there. A foot that lands in this step is marked
/// from the next one on; one that lifts is not marked any more.
fn mark(ground: &mut Ground, puppets: &[Puppet], scratch: &mut Scratch, all: bool) {
    let cells = &mut scratch.shared.cells;
    let standing = scratch.feet.iter_mut().zip(&scratch.alone).filter(|(f, alone)| {
        // One that has only just touched has no height yet.
        let pressed = puppets[f.puppet].feet[f.foot].stance > f.press.load.seconds;
        f.touches && !f.lifted && !f.landed && pressed && (all || !**alone)
    });
    for (f, _) in standing {
        f.patch.load(ground, f.bounds, cells);
        displace::find_contact(f, ground, puppets[f.puppet].feet[f.foot].height, cells);
        let (rect, nx) = (f.patch.rect, f.patch.nx);
        let mut known: Option<TileKey> = None;
        for &k in &f.press.displace.scan {
            let (x, z) = (rect.x0 + (k as usize % nx) as i32, rect.z0 + (k as usize / nx) as i32);
            let key = tile_of(x, z);
            if known != Some(key) {
                f.marked.push(key);
                known = Some(key);
            }
            if let Some(tile) = ground.tiles.get_mut(key) {
                tile.occupied |= 1 << cell_of(x, z);
            }
        }
    }
}

/// Takes the marks away again: between steps no tile has any.
fn unmark(ground: &mut Ground, feet: &mut [FootScratch]) {
    for f in feet.iter_mut() {
        for key in f.marked.drain(..) {
            if let Some(tile) = ground.tiles.get_mut(key) {
                tile.occupied = 0;
            }
        }
    }
}

/// Which feet have a window that meets no other's. Windows are swept in order of their left edge, in a list of their own:
/// with a thousand feet the feet themselves do not fit the cache.
fn alone(scratch: &mut Scratch) {
    let Scratch { feet, alone, order, .. } = scratch;
    alone.clear();
    alone.resize(feet.len(), true);
    order.clear();
    order.extend(feet.iter().enumerate().filter(|(_, f)| f.touches).map(|(i, f)| (f.patch.rect, i)));
    if order.len() < 2 {
        return;
    }
    order.sort_unstable_by_key(|(rect, i)| (rect.x0, *i));
    for (n, (rect, i)) in order.iter().enumerate() {
        for (other, j) in &order[n + 1..] {
            if other.x0 > rect.x1 {
                break;
            }
            if rect.meets(*other) {
                (alone[*i], alone[*j]) = (false, false);
            }
        }
    }
}
