//! Poses and ground to contacts (DF §5.1, TR §4.2.1).
//!
//! In: the pose of each sole. Out: the cells under it with coverage and underside height (the *stamp*), whether it
//! touches, and over which part of the step. The moment of touch-down is found within the step, so that a
//! landing is the same at 30 and at 240 Hz.

use super::patch::{Cells, Patch, Rect};
use super::split;
use super::stencil::{Part, Stencil};
use crate::params::Law;
use crate::pose::SolePose;
use crate::scene::Hold;
use crate::state::tile::NANO;
use crate::state::{Foot, Ground, Puppet};
use crate::step::Scratch;
use glam::Vec3;
use std::ops::Range;

/// A cell under a sole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Under {
    /// Column and row.
    pub(crate) x: i32,
    pub(crate) z: i32,
    /// Index in the patch.
    pub(crate) k: u32,
    /// Share of the cell that is covered.
    pub(crate) coverage: f32,
    /// Height of the underside above the sole's origin, m.
    pub(crate) rise: f32,
    /// Which sixteenths of the cell are covered, under the natural law ([`part_of`]).
    pub(crate) part: u16,
}

/// The sixteenths of a cell, 4 × 4 row by row along x, in the order in which an edge that comes from each of sixteen directions covers
/// them; the first direction is +x, the others follow towards +z.
const EDGES: [[u16; 17]; 16] = edges();

const fn edges() -> [[u16; 17]; 16] {
    // Directions 22.5° apart in whole numbers.
    const AHEAD: [i32; 16] = [13, 12, 9, 5, 0, -5, -9, -12, -13, -12, -9, -5, 0, 5, 9, 12];
    let mut masks = [[0u16; 17]; 16];
    let mut d = 0;
    while d < 16 {
        let (x, z) = (AHEAD[d], AHEAD[(d + 12) % 16]);
        let mut n = 0;
        while n < 16 {
            let (mut best, mut most, mut i) = (0, i32::MIN, 0);
            while i < 16 {
                let far = x * (2 * (i % 4) - 3) + z * (2 * (i / 4) - 3);
                if masks[d][n] >> i & 1 == 0 && far > most {
                    (best, most) = (i, far);
                }
                i += 1;
            }
            masks[d][n + 1] = masks[d][n] | 1 << best;
            n += 1;
        }
        d += 1;
    }
    masks
}

/// From which of the directions of [`EDGES`] a sole covers a cell whose covered share grows towards `x` and `z`.
fn direction_of([x, z]: [f32; 2]) -> usize {
    let (ax, az) = (x.abs(), z.abs());
    // Tangents of 11.25°, 33.75°, 56.25° and 78.75°.
    let quarter = [0.198_912, 0.668_179, 1.496_606, 5.027_339].iter().filter(|t| az > *t * ax).count();
    let direction = match (x >= 0.0, z >= 0.0) {
        (true, true) => quarter,
        (false, true) => 8 - quarter,
        (false, false) => 8 + quarter,
        (true, false) => 16 - quarter,
    };
    direction % 16
}

/// The sixteenths of a cell that a sole covers whose covered share is `coverage`, from a direction: a straight edge.
fn part_of(coverage: f32, direction: usize) -> u16 {
    EDGES[direction][((16.0 * coverage + 0.5) as usize).clamp(1, 16)]
}

/// One foot's working memory: what this stage finds, and what later stages add for the stages after them. Nothing here
/// changes a result: all of it is made anew from pose and ground.
#[derive(Clone, Debug, Default)]
pub(crate) struct FootScratch {
    pub(crate) puppet: usize,
    pub(crate) foot: usize,
    /// Part of the step in which it touches, s from the step's start.
    pub(crate) from: f64,
    /// End of that part, s.
    pub(crate) to: f64,
    pub(crate) touches: bool,
    /// Whether its puppet rests: it stands as it did, and does nothing.
    pub(crate) rests: bool,
    pub(crate) landed: bool,
    pub(crate) lifted: bool,
    /// How deep it goes through the ground while it swings, m; under the natural law.
    pub(crate) drags: f64,
    /// The pose that the stamp belongs to.
    pub(crate) stamped: Option<SolePose>,
    pub(crate) stamp: Vec<Under>,
    /// Contact point relative to the sole's middle at landing, m.
    pub(crate) arm: Vec3,
    /// Upward normal of the original ground below.
    pub(crate) normal: Vec3,
    pub(crate) gap: f64,
    /// Cells of the stamp.
    pub(crate) bounds: Rect,
    pub(crate) patch: Patch,
    /// Where the forefoot begins, before the middle of the sole, m.
    pub(crate) ball: f64,
    /// Softness of the sole, m/Pa, its bending stiffness, N·m/rad, and its breadth, m.
    pub(crate) give: [f64; 2],
    pub(crate) breadth: f64,
    /// What its faces meet in the ground, by the way that it goes.
    pub(crate) fronts: super::soil::drag::Fronts,
    /// Its length, and half the length and width that can touch anything, m.
    pub(crate) length: f64,
    pub(crate) half: [f64; 2],
    /// Mean characteristic time under the stamp, s.
    pub(crate) characteristic_time: f64,
    /// Tiles in which this foot's cells are marked as occupied.
    pub(crate) marked: Vec<crate::state::TileKey>,
    /// Counts stamps, so that who keeps something about one can tell that it is new.
    pub(crate) stamps: u32,
    /// Written by the force stage.
    pub(crate) load: super::force::Load,
    /// Counted by the plants stage: changes of the cover under the sole.
    pub(crate) covers: u32,
    /// What is told of it while it rests: found once, from the state alone, so that going on from a saved state tells the same.
    pub(crate) told: Option<super::Contact>,
    /// The soil stage's own.
    pub(crate) press: super::soil::Press,
}

impl FootScratch {
    /// Whether it does something to the ground.
    pub(crate) fn works(&self) -> bool {
        self.touches || self.drags > 0.0
    }

    /// Whether it is on the ground.
    pub(crate) fn stands(&self) -> bool {
        self.touches || self.rests
    }
}

/// A covered share from which a cell belongs to the sole: loose material leaves it, sliding material stays out.
pub(crate) const MOSTLY: f32 = 0.5;

/// Feet that one thread takes at a time: some ten µs each.
const LEAST: usize = 4;

/// Finds what every foot touches.
pub(crate) fn run(ground: &Ground, puppets: &[Puppet], soles: &[Stencil], scratch: &mut Scratch, dt: f64) {
    let resting = &scratch.resting.puppets;
    let one = |f: &mut FootScratch, cells: &mut Cells| {
        let puppet = &puppets[f.puppet];
        f.rests = resting[f.puppet];
        f.told = f.told.filter(|_| f.rests);
        touch(f, ground, puppet, &soles[puppet.soles[f.foot]], dt, cells);
    };
    if scratch.is_split() {
        scratch.splits += 1;
        split::each_in(&mut scratch.feet, &mut scratch.spaces, LEAST, |_, f, space| one(f, &mut space.cells));
    } else {
        scratch.feet.iter_mut().for_each(|f| one(f, &mut scratch.shared.cells));
    }
}

fn touch(
    f: &mut FootScratch,
    ground: &Ground,
    puppet: &Puppet,
    stencil: &Stencil,
    dt: f64,
    cells: &mut Cells,
) {
    (f.touches, f.landed, f.lifted, f.drags, f.from, f.to) = (false, false, false, 0.0, 0.0, dt);
    if puppet.quarantined {
        return;
    }
    let foot = &puppet.feet[f.foot];
    let pose = &puppet.pose.soles[f.foot];
    if f.rests {
        if f.told.is_none() {
            f.normal = normal_below(ground, stencil, pose);
        }
        return;
    }
    let slack;
    match puppet.hold {
        Hold::Pinned => {
            f.gap = f64::from(pose.position.y).max(0.0);
            slack = 0.0;
            if pose.position.y < 0.0 && puppet.walker.is_some() && ground.law == Law::Natural {
                // It swings, and not above the ground.
                f.gap = f64::MIN_POSITIVE;
                if !foot.down {
                    f.drags = -f64::from(pose.position.y);
                    stamp(f, ground, stencil, pose);
                    f.normal = Vec3::Y;
                    return;
                }
            }
            if f.gap > 0.0 && !foot.down {
                return;
            }
        }
        Hold::Free => {
            slack = ground.tolerance;
            let centre = ground.base.height(f64::from(pose.position.x), f64::from(pose.position.z));
            if f64::from(pose.position.y) > centre + 1.0 {
                f.gap = f64::INFINITY;
                if !foot.down {
                    return;
                }
            } else {
                stamp(f, ground, stencil, pose);
                f.gap = gap(f, ground, f64::from(pose.position.y), cells).unwrap_or(f64::INFINITY);
            }
        }
    }
    let touching = f.gap <= slack;
    f.landed = touching && !foot.down;
    f.lifted = !touching && foot.down;
    f.touches = touching || f.lifted;
    if !f.touches {
        return;
    }
    if touching {
        stamp(f, ground, stencil, pose);
        if f.stamp.is_empty() {
            // Off the map: nothing to stand on.
            f.touches = f.lifted || foot.down;
            f.lifted = foot.down;
            f.landed = false;
        }
    }
    f.normal = normal_below(ground, stencil, pose);
    if f.landed {
        f.from = moment_of_landing(foot, puppet.hold, f.gap, f.normal, slack, dt);
        f.arm = contact_arm(f, ground, pose, cells);
    }
    if f.lifted {
        // Rising at v, it left the ground gap / v ago.
        let speed = f64::from(pose.velocity.y);
        let ago = if speed > 1e-6 && f.gap.is_finite() { (f.gap - slack) / speed } else { dt };
        f.to = (dt - ago).clamp(0.0, dt);
    }
}

/// Upward normal of the original ground below a sole.
fn normal_below(ground: &Ground, stencil: &Stencil, pose: &SolePose) -> Vec3 {
    let (x, z) = (f64::from(pose.position.x), f64::from(pose.position.z));
    ground.base.normal(x, z, f64::from(stencil.half[0] as f32).min(0.08))
}

/// When within the step the sole met the ground, s.
fn moment_of_landing(foot: &Foot, hold: Hold, gap: f64, normal: Vec3, slack: f64, dt: f64) -> f64 {
    if !foot.gap.is_finite() {
        return 0.0;
    }
    let before = (foot.gap - slack).max(0.0);
    if hold == Hold::Free {
        // Both gaps are known: the crossing lies between them.
        return (dt * before / (before + (slack - gap)).max(1e-12)).clamp(0.0, dt);
    }
    // A planted sole only says 0, so the crossing follows from its fall towards the ground: before = v t + a t² / 2.
    let toward = |v: Vec3| -f64::from(v.dot(normal) / normal.y);
    let (v, a) = (toward(foot.velocity), toward(foot.acceleration));
    // One that slows down so much that it would not come down did so all the same: as fast as it fell.
    let square = v * v + 2.0 * a * before;
    let root = if square < 0.0 { v.max(0.0) } else { square.sqrt() };
    if v + root > 1e-9 { (2.0 * before / (v + root)).clamp(0.0, dt) } else { dt }
}

/// Smallest gap between a sole at height `y` and the surface, m.
fn gap(f: &FootScratch, ground: &Ground, y: f64, cells: &mut Cells) -> Option<f64> {
    f.patch.load(ground, f.bounds, cells);
    let tops = f.stamp.iter().filter(|u| u.coverage >= MOSTLY);
    tops.map(|u| y + f64::from(u.rise) - surface(&f.patch, cells, u.k as usize)).reduce(f64::min)
}

/// A covered share from which a cell shows how deep the sole is: one at its edge also holds ground beside it.
const WHOLLY: f32 = 0.97;

/// How far a sole is in the ground at worst, m, over the cells that are wholly its own; below 0 where it is above.
pub(crate) fn depth_in_ground(ground: &Ground, stencil: &Stencil, pose: &SolePose) -> f64 {
    let (mut f, mut cells) = (FootScratch::default(), Cells::default());
    stamp(&mut f, ground, stencil, pose);
    f.stamp.retain(|under| under.coverage >= WHOLLY);
    if f.stamp.is_empty() {
        return f64::NEG_INFINITY;
    }
    gap(&f, ground, f64::from(pose.position.y), &mut cells).map_or(f64::NEG_INFINITY, |gap| -gap)
}

fn surface(patch: &Patch, cells: &Cells, k: usize) -> f64 {
    let nano = i64::from(patch.base[k]) - i64::from(cells.compression[k]) + i64::from(cells.accumulation[k]);
    (patch.datum + nano) as f64 / NANO
}

/// Middle of the cells that touch first, relative to the sole's middle (TR-4: heel, toe or centroid).
fn contact_arm(f: &FootScratch, ground: &Ground, pose: &SolePose, cells: &mut Cells) -> Vec3 {
    if pose.spin == Vec3::ZERO && pose.toe_bend == 0.0 {
        return Vec3::ZERO;
    }
    f.patch.load(ground, f.bounds, cells);
    let high = f
        .stamp
        .iter()
        .map(|u| surface(&f.patch, cells, u.k as usize) - f64::from(u.rise))
        .fold(f64::MIN, f64::max);
    let (mut sum, mut weight) = ([0.0; 2], 0.0);
    for u in &f.stamp {
        if surface(&f.patch, cells, u.k as usize) - f64::from(u.rise) < high - ground.tolerance {
            continue;
        }
        sum[0] += f64::from(u.coverage) * ground.centre(u.x);
        sum[1] += f64::from(u.coverage) * ground.centre(u.z);
        weight += f64::from(u.coverage);
    }
    if weight == 0.0 {
        return Vec3::ZERO;
    }
    Vec3::new((sum[0] / weight) as f32 - pose.position.x, 0.0, (sum[1] / weight) as f32 - pose.position.z)
}

/// What a stamp depends on: the height of a pose does not matter, nor how it moves.
fn stamp_key(pose: &SolePose) -> SolePose {
    SolePose { position: pose.position.with_y(0.0), velocity: Vec3::ZERO, spin: Vec3::ZERO, ..*pose }
}

/// A part of a sole as it lies.
#[derive(Clone, Copy)]
struct Lies {
    part: Part,
    ahead: Vec3,
    right: Vec3,
    /// Where along the sole it begins, m, and that place from the middle of the sole.
    hinge: f64,
    origin: Vec3,
    /// Its area over that of its shadow; 0 where it throws none.
    scale: f64,
}

impl Lies {
    /// A place on the map, as seen from the middle of the sole, in the part's own frame, m.
    #[inline(always)]
    fn place(&self, [x, z]: [f64; 2]) -> [f64; 2] {
        let (dx, dz) = (x - f64::from(self.origin.x), z - f64::from(self.origin.z));
        let u = (dx * f64::from(self.right.z) - dz * f64::from(self.right.x)) * self.scale;
        let v = (dz * f64::from(self.ahead.x) - dx * f64::from(self.ahead.z)) * self.scale;
        [u, v]
    }

    /// Of `n` cells of a row, `cell` m apart from a first place on, those that the part may reach, as places in it are linear along the
    /// row. The map goes on for a sample beyond where the part has anything, so that rounding leaves nothing out.
    fn span(&self, stencil: &Stencil, first: [f64; 2], cell: f64, n: i32) -> Range<i32> {
        let ([u, v], (mut from, mut to)) = (self.place(first), (0.0, f64::from(n)));
        let per_cell = [self.right.z, -self.ahead.z].map(|d| f64::from(d) * self.scale * cell);
        let limits = stencil.limits(self.part);
        for ((at, step), [low, high]) in [u + self.hinge, v].into_iter().zip(per_cell).zip(limits) {
            if step.abs() > 1e-9 {
                let ends = [(low - at) / step, (high - at) / step];
                (from, to) = (f64::max(from, ends[0].min(ends[1])), f64::min(to, ends[0].max(ends[1]) + 1.0));
            } else if at < low || at > high {
                return 0..0;
            }
        }
        from as i32..to as i32
    }

    /// How coverage grows ahead and to the right of a place, over twice `h` m.
    fn grows(&self, stencil: &Stencil, [u, v]: [f64; 2], h: f64) -> [f32; 2] {
        let at = |du: f64, dv: f64| stencil.sample(self.part, u + self.hinge + du, v + dv).0;
        [at(h, 0.0) - at(-h, 0.0), at(0.0, h) - at(0.0, -h)]
    }
}

/// What the corners of the parts of a sole enclose, from its middle, m.
fn box_of(parts: &[Lies], stencil: &Stencil) -> ([f64; 2], [f64; 2]) {
    let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
    for Lies { part, ahead, right, hinge, origin, .. } in parts {
        let (rear, front) = match part {
            Part::Whole => (-stencil.half[0], stencil.half[0]),
            Part::Heel => (-stencil.half[0], stencil.ball),
            Part::Forefoot => (0.0, stencil.half[0] - hinge),
        };
        for u in [rear, front] {
            for v in [-stencil.half[1], stencil.half[1]] {
                let at = [
                    f64::from(origin.x) + u * f64::from(ahead.x) + v * f64::from(right.x),
                    f64::from(origin.z) + u * f64::from(ahead.z) + v * f64::from(right.z),
                ];
                for axis in 0..2 {
                    low[axis] = low[axis].min(at[axis]);
                    high[axis] = high[axis].max(at[axis]);
                }
            }
        }
    }
    (low, high)
}

/// Projects the sole on the grid: the cells under it, and a window around them for the rim and its slides.
pub(crate) fn stamp(f: &mut FootScratch, ground: &Ground, stencil: &Stencil, pose: &SolePose) {
    let key = stamp_key(pose);
    if f.stamped == Some(key) {
        return;
    }
    f.stamped = Some(key);
    (f.ball, f.give, f.breadth) = (stencil.ball, [stencil.softness, stencil.bending], stencil.breadth);
    (f.length, f.half, f.fronts) = (stencil.length, stencil.half, stencil.fronts);
    f.stamp.clear();
    f.stamps = f.stamps.wrapping_add(1);
    let (forward, up, right) = (pose.rotation * Vec3::X, pose.rotation * Vec3::Y, pose.rotation * Vec3::Z);
    let cell = ground.cell;
    // The parts as they lie: directions, hinge along u, and place in the world.
    let lies = |part, ahead: Vec3, hinge, origin| {
        let det = f64::from(ahead.x * right.z - ahead.z * right.x);
        // A part standing on its edge has nothing to project.
        let scale = if det.abs() < 0.05 { 0.0 } else { 1.0 / det };
        Lies { part, ahead, right, hinge, origin, scale }
    };
    let whole = [lies(Part::Whole, forward, 0.0, Vec3::ZERO)];
    let ball = forward * stencil.ball as f32;
    let (s, c) = (libm::sinf(pose.toe_bend), libm::cosf(pose.toe_bend));
    let bent = [
        lies(Part::Heel, forward, 0.0, Vec3::ZERO),
        lies(Part::Forefoot, forward * c + up * s, stencil.ball, ball),
    ];
    let parts: &[Lies] = if pose.toe_bend == 0.0 { &whole } else { &bent };
    let (px, pz) = (f64::from(pose.position.x), f64::from(pose.position.z));
    // What the corners of its parts enclose, and a cell around it.
    let (low, high) = box_of(parts, stencil);
    let around = 1.5 * cell;
    let index = |p: f64, n: i32| ((p / cell).floor().clamp(0.0, f64::from(n))) as i32;
    let rect = Rect {
        x0: index(px + low[0] - around, ground.size[0]),
        z0: index(pz + low[1] - around, ground.size[1]),
        x1: index(px + high[0] + around, ground.size[0] - 1) + 1,
        z1: index(pz + high[1] + around, ground.size[1] - 1) + 1,
    };
    f.bounds = Rect::default();
    if px + high[0] + around < 0.0 || pz + high[1] + around < 0.0 || rect.is_empty() {
        return;
    }
    let mut bounds = Rect { x0: i32::MAX, z0: i32::MAX, x1: i32::MIN, z1: i32::MIN };
    // Cells that are covered in part, and all, in cells.
    let (mut partly, mut covered) = (0.0, 0.0);
    for z in rect.z0..rect.z1 {
        let from_z = ground.centre(z) - pz;
        let mut spans = [const { 0..0 }; 2];
        for (span, lies) in spans.iter_mut().zip(parts).filter(|(_, lies)| lies.scale != 0.0) {
            *span = lies.span(stencil, [ground.centre(rect.x0) - px, from_z], cell, rect.x1 - rect.x0);
        }
        let seen = match &spans {
            [one, none] | [none, one] if none.is_empty() => one.clone(),
            [one, other] => one.start.min(other.start)..one.end.max(other.end),
        };
        for column in seen {
            let x = rect.x0 + column;
            let (mut coverage, mut rise, mut edges) = (0.0f32, 0.0f32, [false; 2]);
            let from = [ground.centre(x) - px, from_z];
            for ((lies, edge), span) in parts.iter().zip(&mut edges).zip(&spans) {
                if !span.contains(&column) {
                    continue;
                }
                let [u, v] = lies.place(from);
                let (w, depth) = stencil.sample(lies.part, u + lies.hinge, v);
                if w > 0.0 {
                    let h = lies.origin.y + u as f32 * lies.ahead.y + v as f32 * right.y + depth;
                    rise = (rise * coverage + h * w) / (coverage + w);
                    coverage += w;
                    *edge = w < 1.0;
                }
            }
            if coverage > 0.02 {
                let coverage = coverage.min(1.0);
                let mut grows = [0.0f32; 2];
                // Only the edge of the whole sole needs to know where it lies.
                if coverage < 1.0 && ground.law == Law::Natural {
                    for (lies, _) in parts.iter().zip(edges).filter(|(_, edge)| *edge) {
                        let [gu, gv] = lies.grows(stencil, lies.place(from), 0.5 * cell);
                        let side = lies.scale.signum() as f32;
                        grows[0] += side * (gu * right.z - gv * lies.ahead.z);
                        grows[1] += side * (gv * lies.ahead.x - gu * right.x);
                    }
                }
                covered += f64::from(coverage);
                partly += if coverage < 1.0 { f64::from(coverage) } else { 0.0 };
                // Where in the window, and which part, is known when all are found.
                f.stamp.push(Under { x, z, k: 0, coverage, rise, part: direction_of(grows) as u16 });
                bounds = Rect {
                    x0: bounds.x0.min(x),
                    z0: bounds.z0.min(z),
                    x1: bounds.x1.max(x + 1),
                    z1: bounds.z1.max(z + 1),
                };
            }
        }
    }
    if !f.stamp.is_empty() {
        f.bounds = bounds;
        let window = bounds.grown(super::soil::margin(ground), ground.size);
        f.patch.frame(ground, window);
        let (mut sum, mut weight) = (0.0, 0.0);
        // Slivers are left out, and cells that lie askew to the sole see a little more or less of it: its edge makes up for both, so that
        // a sole has its own area however it is turned.
        let area = parts
            .iter()
            .map(|lies| if lies.scale == 0.0 { 0.0 } else { stencil.area(lies.part) / lies.scale.abs() });
        let lacks = area.sum::<f64>() / (cell * cell) - covered;
        let whole = rect.x0 > 0 && rect.z0 > 0 && rect.x1 < ground.size[0] && rect.z1 < ground.size[1];
        let more = if whole { (1.0 + lacks / partly.max(1e-9)).clamp(0.8, 1.2) as f32 } else { 1.0 };
        for u in &mut f.stamp {
            if u.coverage < 1.0 {
                u.coverage = (u.coverage * more).min(1.0);
            }
            u.part = if u.coverage < 1.0 { part_of(u.coverage, u.part.into()) } else { u16::MAX };
            let k = (u.z - window.z0) as usize * f.patch.nx + (u.x - window.x0) as usize;
            u.k = k as u32;
            let material = &ground.materials[f.patch.material[k] as usize];
            sum += f64::from(u.coverage) * material.characteristic_time;
            weight += f64::from(u.coverage);
        }
        f.characteristic_time = sum / weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_cell_lie_where_the_edge_says() {
        for i in 0..64 {
            let angle = std::f32::consts::TAU * i as f32 / 64.0;
            let towards = [libm::cosf(angle), libm::sinf(angle)];
            for n in 1..16u32 {
                let share = n as f32 / 16.0;
                let part = part_of(share, direction_of(towards));
                let rest = part_of(1.0 - share, direction_of(towards.map(|t| -t)));
                assert_eq!(part.count_ones(), n);
                // Two soles from opposite sides share at most what ties and sixteen directions leave open.
                assert!((part & rest).count_ones() <= 2, "{angle}: {part:016b} {rest:016b}");
                let ahead: f32 = (0..16)
                    .filter(|b| part >> b & 1 == 1)
                    .map(|b| towards[0] * (b % 4) as f32 + towards[1] * (b / 4) as f32)
                    .sum::<f32>()
                    / n as f32;
                let middle = 1.5 * (towards[0] + towards[1]);
                assert!(ahead > middle, "{angle}, {n}: {ahead} {middle}");
            }
        }
    }
}
