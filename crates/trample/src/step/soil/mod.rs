//! Force and ground to new ground (DF §5, TR §4.2).
//!
//! In: the load of each foot. Out: ground compressed under the soles, the displaced share heaped beside them and
//! slid to rest, and every nanometre tallied. Each foot works in its own window. Feet whose windows do not meet can
//! work at the same time; those that do take turns, in order, so threads never change a bit.

pub(crate) mod bear;
pub(crate) mod compress;
pub(crate) mod displace;
pub(crate) mod drag;
pub(crate) mod slide;
pub(crate) mod tally;
pub(crate) mod tread;

use super::contact::{FootScratch, MOSTLY, Under};
use super::patch::{Cells, Rect};
use super::split;
use crate::params::Law;
use crate::state::Ledger;
use crate::state::ground::{cell_of, tile_of};
use crate::state::tile::{Lent, NANO};
use crate::state::{Ground, Puppet, TILE, TileKey};
use crate::step::{Report, Scratch};

/// Room to work in. Nothing in it outlives a foot's turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    pub(crate) cells: Cells,
    pub(crate) bear: bear::Work,
    pub(crate) firm: Vec<f64>,
    pub(crate) border: displace::Reach,
    pub(crate) slide: slide::Window,
    /// Tiles of the ground, while threads write into them.
    pub(crate) lent: Vec<Lent>,
}

/// What pressing needs and gives, for one foot and one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Press {
    pub(crate) compress: compress::Work,
    pub(crate) displace: displace::Work,
    pub(crate) outcome: Outcome,
    /// Stamps and covers of the foot that the work belongs to.
    made_for: [u32; 2],
}

impl Press {
    /// Drops what was worked out for an older stamp, or for an older cover under the same one.
    fn keep_up(&mut self, stamps: u32, covers: u32) {
        if self.made_for[0] != stamps {
            self.displace.contact.clear();
        }
        if self.made_for != [stamps, covers] {
            self.compress.forget();
        }
        self.made_for = [stamps, covers];
    }
}

/// What one foot did to the ground in one step. Volumes are nanometres over one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Ground compressed.
    pub(crate) carved: i64,
    /// The share of it that must move, before rounding to whole units.
    pub(crate) owed: f64,
    /// The share of it that would have packed and was swept aside by a sliding sole.
    pub(crate) swept: f64,
    /// How the sole slides, m/s.
    pub(crate) slip: glam::Vec3,
    /// Loose material taken along.
    pub(crate) loose: i64,
    /// Material heaped on the border.
    pub(crate) deposited: i64,
    /// What is still owed, in 2⁻³² units.
    pub(crate) carry: i128,
    /// The load to which the ground has yielded so far, N.
    pub(crate) yielded: f64,
    /// Contact area, m².
    pub(crate) area: f64,
    /// Mean normal pressure, Pa.
    pub(crate) pressure: f64,
    /// Largest pressure under heel, arch, ball and toes, Pa.
    pub(crate) peaks: [f64; 4],
    /// Where the ground carries the sole under the natural law.
    pub(crate) seat: crate::pose::Seat,
    /// What the ground holds the sole back with, N.
    pub(crate) suction: f64,
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

impl Outcome {
    /// Takes the loose material above a sole along whole, which is `depth` m below the ground as it was.
    fn take_loose(&mut self, cells: &mut Cells, under: &Under, depth: f64) {
        let lying = &mut cells.accumulation[under.k as usize];
        if under.coverage >= MOSTLY && *lying > 0 {
            let left = ((-depth).max(0.0) * NANO + 0.5) as i32;
            let taken = (*lying - left).max(0);
            *lying -= taken;
            self.loose += i64::from(taken);
        }
    }
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
    let busy = scratch.feet.iter().filter(|f| f.works()).count();
    take_turns(scratch);
    // A foot knows its own cells; marks are for others that come near.
    let alone = &scratch.alone;
    mark(ground, puppets, &mut scratch.feet, &mut scratch.shared.cells, |i, _| !alone[i]);
    let Scratch { feet, shared, spaces, turns, dirty, splits, .. } = scratch;
    if !spaces.is_empty() && busy >= crate::step::scratch::WORTH_SPLITTING / 2 {
        *splits += 1;
        for turn in 0..=turns.iter().copied().max().unwrap_or(0) {
            let mine = |i: usize, f: &FootScratch| f.works() && turns[i] == turn;
            let before = &*ground;
            split::each_in(feet, spaces, LEAST, |i, f, space| {
                if mine(i, f) {
                    press(f, before, puppets, space);
                }
            });
            // Windows of one turn share no tile, so that threads can write into theirs at the same time.
            for (i, f) in feet.iter().enumerate().filter(|(i, f)| mine(*i, f)) {
                f.patch.lend(&mut ground.tiles, f.press.outcome.changed, &mut spaces[i].lent);
            }
            let before = &*ground;
            split::each_in(feet, spaces, LEAST, |i, f, space| {
                if mine(i, f) {
                    let changed = [f.press.outcome.changed, f.bounds];
                    f.patch.store_lent(before, changed, &space.cells, &mut space.lent);
                }
            });
            for (i, _) in feet.iter().enumerate().filter(|(i, f)| mine(*i, f)) {
                ground.tiles.take_back(&mut spaces[i].lent, dirty);
            }
        }
        feet.iter().filter(|f| f.works()).for_each(|f| go_on(f, pending));
    } else {
        for f in feet.iter_mut().filter(|f| f.works()) {
            press(f, ground, puppets, shared);
            f.patch.store(ground, [f.press.outcome.changed, f.bounds], &shared.cells, dirty);
            go_on(f, pending);
        }
    }
    if ground.law == Law::Natural {
        feet.iter().filter(|f| f.lifted).for_each(|f| tread::leave(f, ground, feet));
    }
    if ground.law.slides() && !pending.is_empty() {
        let sweeps = slide::sweeps_in(dt, ground);
        let reach = slide::reach(sweeps, ground);
        pending.sort_unstable();
        let near = |_: usize, f: &FootScratch| {
            let b = f.bounds.grown(reach, [i32::MAX; 2]);
            let from = pending.partition_point(|&(z, _)| z < b.z0);
            let rows = pending[from..].iter().take_while(|&&(z, _)| z < b.z1);
            rows.into_iter().any(|&(_, x)| b.x0 <= x && x < b.x1)
        };
        mark(ground, puppets, feet, &mut shared.cells, near);
        slide::finish(ground, pending, &mut scratch.sparse, sweeps, dirty, report);
    }
    // What one who rests would do to the ground, without doing it.
    for f in scratch.feet.iter_mut().filter(|f| f.rests && f.told.is_none() && f.load.seconds > 0.0) {
        press(f, ground, puppets, &mut scratch.shared);
        f.told = Some(tally::contact(f));
    }
    unmark(ground, &mut scratch.feet);
    tally::run(puppets, &scratch.feet, ledger, dt, ground, report);
}

/// Notes a slide that left a foot's window.
fn go_on(f: &FootScratch, pending: &mut Vec<(i32, i32)>) {
    let end = f.press.outcome.slide;
    if end != slide::End::Resting {
        slide::hand_over(&f.patch, end, pending);
    }
}

/// Feet that one thread takes at a time: some fifty µs each.
const LEAST: usize = 2;

/// One foot: compress, displace, slide.
fn press(f: &mut FootScratch, ground: &Ground, puppets: &[Puppet], space: &mut Space) {
    f.press.keep_up(f.stamps, f.covers);
    f.press.outcome = Outcome { carry: puppets[f.puppet].feet[f.foot].carry, ..Outcome::default() };
    if f.stamp.is_empty() {
        return;
    }
    let hold = puppets[f.puppet].hold;
    let given = f64::from(puppets[f.puppet].pose.soles[f.foot].position.y);
    f.patch.load(ground, f.bounds, &mut space.cells);
    let foot = &puppets[f.puppet].feet[f.foot];
    if f.load.seconds > 0.0 {
        if ground.law == Law::Natural {
            let puppet = &puppets[f.puppet];
            let slides = puppet.pose.soles[f.foot].velocity.with_y(0.0);
            tread::run(f, ground, foot, hold, given, (puppet.pose.drive.is_some(), slides), space);
        } else {
            compress::run(f, ground, hold, given, foot.yielded, space);
        }
    }
    if f.drags > 0.0 {
        tread::drag(f, ground, &puppets[f.puppet].pose.soles[f.foot], space);
    }
    let moved = f.press.outcome.carry >> 32 > 0 || f.press.outcome.loose > 0;
    if !(moved || (ground.law.slides() && (f.lifted || f.press.outcome.carved > 0))) {
        return;
    }
    // The rest of the window matters only now.
    f.patch.load_around(ground, f.bounds, &mut space.cells);
    displace::update_contact(f, ground, &space.cells);
    if moved {
        displace::run(f, ground, space);
        f.press.outcome.changed = f.bounds.grown(displace::reach(ground), ground.size);
    }
    if ground.law.slides() {
        slide::run(f, ground, space);
        if f.press.outcome.sweeps > 0 {
            f.press.outcome.changed = f.patch.rect;
        }
    }
}

/// Marks where those soles stand that are asked for, by their number, so that nobody heaps or slides material there. A foot that lands in
/// this step is marked from the next one on; one that lifts is not marked any more.
fn mark(
    ground: &mut Ground,
    puppets: &[Puppet],
    feet: &mut [FootScratch],
    cells: &mut Cells,
    asked: impl Fn(usize, &FootScratch) -> bool,
) {
    let standing = feet.iter_mut().enumerate().filter(|(i, f)| {
        // One that has only just touched has no height yet.
        let pressed = puppets[f.puppet].feet[f.foot].stance > f.load.seconds;
        f.stands() && !f.lifted && !f.landed && pressed && asked(*i, f)
    });
    for (_, f) in standing {
        f.patch.load(ground, f.bounds, cells);
        let foot = &puppets[f.puppet].feet[f.foot];
        displace::find_contact(f, ground, foot.height, &foot.seat, cells);
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
                tile.layers.occupied[cell_of(x, z)] = true;
            }
        }
    }
}

/// Takes the marks away again: between steps no tile has any.
fn unmark(ground: &mut Ground, feet: &mut [FootScratch]) {
    for f in feet.iter_mut() {
        for key in f.marked.drain(..) {
            if let Some(tile) = ground.tiles.get_mut(key) {
                tile.layers.occupied.fill(false);
            }
        }
    }
}

/// Which feet have a window that meets no other's, and in which turn each may work: after all earlier ones whose windows it meets.
/// Windows are swept in order along the axis on which they lie farther apart, as people who walk abreast all share the other, in a list of
/// their own: with a thousand feet the feet themselves do not fit the cache.
fn take_turns(scratch: &mut Scratch) {
    let Scratch { feet, alone, order, meetings, turns, .. } = scratch;
    alone.clear();
    alone.resize(feet.len(), true);
    turns.clear();
    turns.resize(feet.len(), 0);
    meetings.clear();
    order.clear();
    order.extend(feet.iter().enumerate().filter(|(_, f)| f.works()).map(|(i, f)| (f.patch.rect, i)));
    let (mut low, mut high) = ([i32::MAX; 2], [i32::MIN; 2]);
    for (rect, _) in order.iter() {
        low = [low[0].min(rect.x0), low[1].min(rect.z0)];
        high = [high[0].max(rect.x0), high[1].max(rect.z0)];
    }
    let abreast = high[1].saturating_sub(low[1]) > high[0].saturating_sub(low[0]);
    let ends = |rect: &Rect| if abreast { [rect.z0, rect.z1] } else { [rect.x0, rect.x1] };
    order.sort_unstable_by_key(|(rect, i)| (ends(rect)[0], *i));
    for (n, (rect, i)) in order.iter().enumerate() {
        for (other, j) in &order[n + 1..] {
            if ends(other)[0] > ends(rect)[1] + 2 * TILE as i32 {
                break;
            }
            let meet = rect.meets(*other);
            if meet {
                (alone[*i], alone[*j]) = (false, false);
            }
            if meet || rect.in_tiles().meets(other.in_tiles()) {
                meetings.push((*i.min(j), *i.max(j)));
            }
        }
    }
    meetings.sort_unstable_by_key(|(first, second)| (*second, *first));
    for &(first, second) in meetings.iter() {
        turns[second] = turns[second].max(turns[first] + 1);
    }
}
