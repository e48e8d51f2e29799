//! Soles to bending, wear and breakage, and from there to the vegetation map (TR §4.1).
//!
//! In: poses of the soles, ground. Out: plants moved on by a step, the cover of the ground. Blocks near a sole wake up;
//! those that move are solved, each on its own, so threads never change a bit; those that have been quiet fall asleep.

pub(crate) mod collide;
pub(crate) mod cover;
pub mod reference;
pub(crate) mod solve;
pub(crate) mod view;
pub(crate) mod wear;

use super::contact::FootScratch;
use super::split;
use super::stencil::Stencil;
use crate::state::lattice::Lattice;
use crate::state::planting::{PLANT_CELL, Root, cell_of};
use crate::state::plants::{Block, BlockKey, Plants, Slot, raised_posts};
use crate::state::{Ground, Puppet};
use crate::step::Scratch as WorldScratch;
use collide::Body;
use solve::Tuned;

/// How near to its rest a stem may fall asleep, rad: a quarter degree, our choice.
const QUIET_ANGLE: f64 = 0.0044;
/// How long it must be quiet to fall asleep, s; our choice.
const QUIET_TIME: f64 = 0.05;
/// How long strides are that a block moves with while no sole is near, in substeps: up to 1/15 s.
const STRIDES: [u32; 3] = [1, 2, 4];
/// How far anything may move in a stride longer than a sixtieth of a second, m; our choice.
const STRIDE_WAY: f64 = 3e-3;
/// From how many blocks on it pays to use more than one thread.
const WORTH_SPLITTING: usize = 32;
/// A sole this far above the plants wakes them: it may come down within a step. m.
const MARGIN: f64 = 0.05;
/// How far beside a sole plants may rest and still be met: it moves that far in a step. m, our choice.
const BESIDE: f64 = 0.03;

/// What the stage works with. Nothing in it changes a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) bodies: Vec<Body>,
    /// Plant cells and the bodies near them, in order.
    near: Vec<((i32, i32), u32)>,
    /// Each patch's species, ready for each stride.
    tuned: Vec<[Tuned; STRIDES.len()]>,
    /// How far posts have been raised around soles that press, and how many of these are of this step.
    floors: Vec<Floor>,
    used: usize,
    roots: Vec<Root>,
}

/// How far the posts of the blocks in one cell and patch have been raised.
#[derive(Clone, Debug, Default)]
struct Floor {
    key: BlockKey,
    raised: Vec<f32>,
}

/// Moves all plants on by `dt`.
pub(crate) fn run(
    plants: &mut Plants,
    ground: &mut Ground,
    puppets: &[Puppet],
    soles: &[Stencil],
    scratch: &mut WorldScratch,
    time: f64,
    dt: f64,
) {
    if plants.is_empty() {
        return;
    }
    let WorldScratch { feet, plants: work, threads, splits, .. } = scratch;
    work.bodies.clear();
    let near = feet.iter().filter(|f| !f.rests || grows_near(plants, puppets, f));
    work.bodies.extend(near.filter_map(|f| Body::new(f, &puppets[f.puppet], soles, ground)));
    gather(plants, ground, work);
    wake(plants, ground, work, time);
    // Feet that stand where the cover has only just been looked up feel it from the next stamp on; make it this one.
    if ensure_cover(plants, ground, work) {
        feet.iter_mut().for_each(|f| f.covers = f.covers.wrapping_add(1));
    }
    work.tuned.resize_with(plants.plots.len(), Default::default);
    for (tuned, plot) in work.tuned.iter_mut().zip(&plants.plots) {
        for (tuned, stride) in tuned.iter_mut().zip(STRIDES) {
            let h = f64::from(stride) / solve::SUBSTEPS;
            tuned.update(&plot.lattice, h, solve::substeps(time, dt), plants.wind);
        }
    }
    let split = *threads > 1 && plants.awake.len() >= WORTH_SPLITTING;
    *splits += u64::from(split);
    let (plots, frozen) = (&plants.plots, &*ground);
    split::each_if(split, &mut work.floors[..work.used], 8, |floor| {
        raised_posts(frozen, floor.key, &plots[floor.key.patch as usize].lattice, &mut floor.raised);
    });
    let (near, bodies, tuned, floors) = (&work.near, &work.bodies, &work.tuned, &work.floors);
    split::each_if(split, &mut plants.awake, 8, |block| {
        let patch = block.key.patch as usize;
        let lattice = &plots[patch].lattice;
        if let Some(floor) = block.work.floor {
            block.set_floor(&floors[floor as usize].raised);
            block.settle(lattice);
        }
        let around = near_block(near, block.key).iter().map(|&(_, body)| &bodies[body as usize]);
        advance(block, lattice, &tuned[patch], soles, around, time, dt);
    });
    let cell = ground.cell;
    cover::update(&mut ground.cover, &mut plants.awake, feet, cell);
    if !plants.sleepless {
        lie_down(plants);
    }
}

/// Whether plants may be near a foot: a look at the corners of their patches, for those who rest.
fn grows_near(plants: &Plants, puppets: &[Puppet], f: &FootScratch) -> bool {
    let at = puppets[f.puppet].pose.soles[f.foot].position;
    let far = f.length + 2.0 * PLANT_CELL;
    plants.plots.iter().any(|plot| {
        let beside = |p: f32, k: usize| {
            let p = f64::from(p);
            p < plot.patch.min[k] - plot.lattice.spread - far
                || p > plot.patch.max[k] + plot.lattice.spread + far
        };
        !beside(at.x, 0) && !beside(at.z, 1)
    })
}

impl Scratch {
    /// Room for how far the posts of a block's cell and patch have been raised; says where.
    fn floor(&mut self, key: BlockKey) -> u32 {
        if self.used == self.floors.len() {
            self.floors.push(Floor::default());
        }
        self.floors[self.used].key = key;
        self.used += 1;
        self.used as u32 - 1
    }
}

/// Which plant cells each sole is near.
fn gather(plants: &Plants, ground: &Ground, work: &mut Scratch) {
    work.near.clear();
    let tallest = plants.plots.iter().map(|p| p.lattice.species.height).fold(0.0, f64::max);
    let widest = plants.plots.iter().map(|p| p.lattice.spread + BESIDE).fold(0.0, f64::max);
    for (n, body) in work.bodies.iter().enumerate() {
        let level = ground.height(body.at[0], body.at[2]);
        if body.lowest > level + tallest + MARGIN {
            continue;
        }
        // Far away numbers must not make endless loops.
        let reach = body.radius + widest;
        let size = ground.size.map(|n| f64::from(n) * ground.cell);
        let off = |p: f64, side: f64| p < -2.0 - reach || p > side + 2.0 + reach;
        if off(body.at[0], size[0]) || off(body.at[2], size[1]) {
            continue;
        }
        for cz in cell_of(body.at[2] - reach)..=cell_of(body.at[2] + reach) {
            for cx in cell_of(body.at[0] - reach)..=cell_of(body.at[0] + reach) {
                let grows = || (0..plants.plots.len()).any(|patch| plants.grows_in(patch, cx, cz));
                // Cells without plants matter for the cover, which one who rests has looked up before.
                if outside(body, cx, cz, reach) || (body.rests && !grows()) {
                    continue;
                }
                work.near.push(((cz, cx), n as u32));
            }
        }
    }
    work.near.sort_unstable();
}

/// Whether a cell lies beyond a body's reach although the square around it touches.
fn outside(body: &Body, cx: i32, cz: i32, reach: f64) -> bool {
    let gap = |p: f64, c: i32| {
        let low = f64::from(c) * PLANT_CELL;
        (low - p).max(p - low - PLANT_CELL).max(0.0)
    };
    let (dx, dz) = (gap(body.at[0], cx), gap(body.at[2], cz));
    dx * dx + dz * dz > reach * reach
}

/// The bodies near a block.
fn near_block(near: &[((i32, i32), u32)], key: BlockKey) -> &[((i32, i32), u32)] {
    let cell = (key.cz, key.cx);
    let first = near.partition_point(|n| n.0 < cell);
    let end = first + near[first..].partition_point(|n| n.0 == cell);
    &near[first..end]
}

/// Wakes every block near a sole, and notes which must know the ground they stand on anew.
fn wake(plants: &mut Plants, ground: &Ground, work: &mut Scratch, time: f64) {
    plants.awake.iter_mut().for_each(|b| (b.work.near, b.work.floor) = (false, None));
    work.used = 0;
    let mut n = 0;
    while n < work.near.len() {
        let (cz, cx) = work.near[n].0;
        let end = n + work.near[n..].partition_point(|other| other.0 == (cz, cx));
        let presses = work.near[n..end].iter().any(|&(_, body)| work.bodies[body as usize].presses);
        for patch in 0..plants.plots.len() {
            if !plants.grows_in(patch, cx, cz) {
                continue;
            }
            let slots = plants.slots_of(patch, cx, cz, &mut work.roots);
            let mut floor = None;
            for number in 0..slots.blocks {
                let key = BlockKey { cz, cx, patch: patch as u32, number };
                let slot = (slots.first + number) as usize;
                let around = work.near[n..end].iter().map(|&(_, body)| &work.bodies[body as usize]);
                if !meets(key, plants.spans[slot], plants.plots[patch].lattice.spread + BESIDE, around) {
                    continue;
                }
                let awake = plants.awake.len();
                let at = wake_one(plants, key, slot, ground, &mut work.roots, time);
                plants.awake[at].work.near = true;
                // The ground changes where somebody presses it; one that has just woken does not know what it slept through.
                if !presses && at < awake {
                    continue;
                }
                plants.awake[at].work.floor = Some(*floor.get_or_insert_with(|| work.floor(key)));
            }
        }
        n = end;
    }
}

/// Whether any of the bodies comes near any of a block's plants.
fn meets<'a>(key: BlockKey, span: [[f32; 2]; 2], reach: f64, bodies: impl Iterator<Item = &'a Body>) -> bool {
    let corner = [key.cx, key.cz].map(|c| f64::from(c) * PLANT_CELL);
    let gap = |p: f64, k: usize| {
        let (low, high) = (corner[k] + f64::from(span[0][k]), corner[k] + f64::from(span[1][k]));
        (low - p).max(p - high).max(0.0)
    };
    bodies.into_iter().any(|body| {
        // Five places along the sole stand for it; none of it is further from all of them than its half width.
        let far = body.side + reach;
        (-2..=2).any(|n| {
            let share = 0.5 * f64::from(n);
            let (x, z) = (body.at[0] + share * body.axis[0], body.at[2] + share * body.axis[1]);
            let (dx, dz) = (gap(x, 0), gap(z, 1));
            dx * dx + dz * dz < far * far
        })
    })
}

/// Makes sure that a block is awake; says where in the list it is.
fn wake_one(
    plants: &mut Plants,
    key: BlockKey,
    slot: usize,
    ground: &Ground,
    roots: &mut Vec<Root>,
    time: f64,
) -> usize {
    if let Slot::Awake(at) = plants.slots[slot] {
        return at as usize;
    }
    let at = plants.awake.len();
    let mut block = match std::mem::replace(&mut plants.slots[slot], Slot::Awake(at as u32)) {
        Slot::Asleep(block) => block,
        _ => {
            let mut block = plants.spare.pop().unwrap_or_default();
            plants.grow(key, ground, roots, &mut block);
            // What is worn when the scene begins mends from then on.
            block.since = if block.work.worn { 0.0 } else { time };
            block
        }
    };
    // What sleep has mended; nothing that slept was strained, and nothing touched it.
    block.work.touched = 0;
    let since = block.since;
    wear::run(&mut block, &plants.plots[key.patch as usize].lattice, since, time);
    block.since = time;
    block.quiet = 0.0;
    plants.awake.push(block);
    at
}

/// Looks up the cover near every sole. Says whether any was new.
fn ensure_cover(plants: &Plants, ground: &mut Ground, work: &mut Scratch) -> bool {
    let mut made = false;
    let Scratch { near, roots, .. } = work;
    for n in 0..near.len() {
        if n == 0 || near[n].0 != near[n - 1].0 {
            let (cz, cx) = near[n].0;
            made |= ground.cover.ensure(cx, cz, plants, roots);
        }
    }
    made
}

/// One block, one step.
fn advance<'a>(
    block: &mut Block,
    lattice: &Lattice,
    tuned: &[Tuned; STRIDES.len()],
    soles: &[Stencil],
    bodies: impl Iterator<Item = &'a Body>,
    time: f64,
    dt: f64,
) {
    let end = time + dt;
    block.still &= tuned[0].is_calm();
    if !block.work.near && !block.still {
        relax(block, lattice, tuned, end, false);
        return;
    }
    // Plants meet soles at the times of their substeps and no others, so that the frame rate does not count.
    let ticks = tuned[0].substeps;
    if ticks == 0 {
        return;
    }
    if !block.still && solve::ticks(block.since) < solve::ticks(time) {
        // A sole has come near between two strides.
        relax(block, lattice, tuned, time, true);
    }
    // What stands as it grew does not touch the ground.
    let mut contact = !block.still && collide::ground(block, lattice);
    if block.work.near {
        if !contact {
            collide::open(block);
        }
        contact |= collide::soles(block, lattice, soles, bodies, ticks as f64 / solve::SUBSTEPS);
    }
    block.still &= !contact;
    if block.still {
        // Nothing moves it and nothing mends: only time passes.
        block.quiet = if block.work.near { 0.0 } else { block.quiet + (end - block.since) };
        block.since = end;
        return;
    }
    let fastest = solve::run(block, lattice, &tuned[0], ticks, contact);
    wear::run(block, lattice, block.since, end);
    (block.quiet, block.since, block.work.stride) = (0.0, end, stride(fastest, lattice));
}

/// Moves a block on that no sole is near, if it is time for its next stride or if it must be. Since such motion is slow
/// and the slowest mode comes back exactly at any substep, the slower it is the longer the strides.
fn relax(block: &mut Block, lattice: &Lattice, tuned: &[Tuned; STRIDES.len()], until: f64, must: bool) {
    if block.work.stride == 0 {
        block.work.stride = stride(solve::fastest(block), lattice);
    }
    let (from, to) = (solve::ticks(block.since), solve::ticks(until));
    // Strides of neighbours end at different times, so that no step has all the work.
    let BlockKey { cz, cx, number, .. } = block.key;
    let phase = u64::from((cx as u32).wrapping_mul(3) ^ (cz as u32).wrapping_mul(5) ^ number) % 4;
    let stretch = |tick: u64| (tick + phase) / u64::from(block.work.stride);
    if !must && stretch(from) == stretch(to) {
        return;
    }
    let mut left = to.saturating_sub(from);
    let contact = left > 0 && collide::ground(block, lattice);
    block.work.touched = 0;
    let mut fastest = None;
    for (tuned, length) in tuned.iter().zip(STRIDES).rev() {
        // What lies on the ground would be dropped and lifted again in one long substep, and never rest.
        if length > if contact { 1 } else { block.work.stride } {
            continue;
        }
        let count = left / u64::from(length);
        if count > 0 {
            fastest = Some(solve::run(block, lattice, tuned, count as usize, contact));
            left %= u64::from(length);
        }
    }
    let fastest = fastest.unwrap_or_else(|| solve::fastest(block));
    let strained = wear::run(block, lattice, block.since, until);
    let wears = strained && lattice.species.wear_rate > 0.0;
    let limit = quiet_speed(lattice);
    block.quiet = if wears || fastest > limit * limit { 0.0 } else { block.quiet + (until - block.since) };
    (block.since, block.work.stride) = (until, stride(fastest, lattice));
}

/// Speed below which a block counts as quiet, m/s: its stems are as near to their rest as they may fall asleep, and what
/// lies on the ground sticks.
fn quiet_speed(lattice: &Lattice) -> f32 {
    let rate = lattice.return_rate().unwrap_or(0.5 * lattice.species.damping);
    (QUIET_ANGLE * lattice.species.height * rate).min(solve::STICK) as f32
}

/// The longest stride in which nothing moves far; stems that swing are followed substep by substep.
fn stride(fastest: f32, lattice: &Lattice) -> u32 {
    if lattice.return_rate().is_none() {
        return 1;
    }
    let far = |stride: u32| {
        let speed = (STRIDE_WAY * solve::SUBSTEPS) as f32 / stride as f32;
        fastest > speed * speed
    };
    STRIDES.into_iter().rev().find(|&s| s <= 1 || !far(s)).unwrap_or(1)
}

/// Puts blocks that have been quiet for long enough to sleep; those that are as they grew are forgotten.
fn lie_down(plants: &mut Plants) {
    let mut n = 0;
    while n < plants.awake.len() {
        if plants.awake[n].quiet < QUIET_TIME {
            n += 1;
            continue;
        }
        let block = plants.awake.swap_remove(n);
        if let Some(moved) = plants.awake.get(n)
            && let Some(slot) = plants.slot_of(moved.key)
        {
            plants.slots[slot] = Slot::Awake(n as u32);
        }
        let Some(slot) = plants.slot_of(block.key) else { continue };
        if block.work.worn || plants.plots[block.key.patch as usize].planting.is_worn() {
            plants.slots[slot] = Slot::Asleep(block);
        } else {
            plants.slots[slot] = Slot::Pristine;
            plants.spare.push(block);
        }
    }
}
