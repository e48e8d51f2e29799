//! Soles and ground against particles.
//!
//! In: where the soles are, as the same averaged depth maps that press the ground, heel and forefoot apart, and the
//! ground's surface. Out: for every particle the lowest and highest it may be in this step. A particle under a sole may
//! not be above its underside, and what is pressed keeps the species' crushed height above the ground; one that a sole
//! meets gives way outwards from its root and goes along with the sole's motion.

use super::super::contact::{FootScratch, MOSTLY};
use super::super::stencil::{Part, Stencil};
use crate::scene::Hold;
use crate::state::lattice::Lattice;
use crate::state::plants::{Block, LANES};
use crate::state::{Ground, Puppet};
use glam::Vec3;

/// How high a foot is: particles further above its underside are beside the leg, not in the foot. m, our choice.
const FOOT_HEIGHT: f32 = 0.12;
/// Share of a moving sole's way that a plant it meets goes along; our choice.
const DRAG: f32 = 0.5;
/// How far the underside rises at the very edge of a sole, m; our choice.
const BEVEL: f32 = 0.04;
/// Gap below a sole at which a plant counts as touched, m; our choice.
const TOUCH: f32 = 0.002;

/// Gap below the lowest place of a sole from which on a particle cannot rise to it within a step: 1.2 m/s at 60 Hz, more
/// than a stem springs back with. m, our choice.
const CLEAR: f64 = 0.02;

/// One part of a sole in the world: which, its forward direction, its hinge, where the hinge is, and the scale of the
/// inverse of its projection on the map (0 if it stands on edge).
type Frame = (Part, Vec3, f32, Vec3, f32);

/// A sole as plants meet it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Middle of the sole, m.
    pub(crate) at: [f64; 3],
    pub(crate) velocity: Vec3,
    right: Vec3,
    frames: [Frame; 2],
    parts: usize,
    /// Which stencil.
    sole: usize,
    /// How far it reaches from its middle, m.
    pub(crate) radius: f64,
    /// From its middle to near its toes over the ground, and how far it reaches from that line, m.
    pub(crate) axis: [f64; 2],
    pub(crate) side: f64,
    /// Lowest height of its underside, m.
    pub(crate) lowest: f64,
    /// Whether it presses the ground.
    pub(crate) presses: bool,
    /// Whether its puppet rests.
    pub(crate) rests: bool,
}

impl Body {
    /// The sole of a foot at the end of this step; `None` if its puppet is left out.
    pub(crate) fn new(f: &FootScratch, puppet: &Puppet, soles: &[Stencil], ground: &Ground) -> Option<Self> {
        if puppet.quarantined {
            return None;
        }
        let pose = &puppet.pose.soles[f.foot];
        let foot = &puppet.feet[f.foot];
        let sole = puppet.soles[f.foot];
        let stencil = &soles[sole];
        let (forward, up, right) =
            (pose.rotation * Vec3::X, pose.rotation * Vec3::Y, pose.rotation * Vec3::Z);
        let frame = |part: Part, ahead: Vec3, hinge: f64, origin: Vec3| {
            let det = ahead.x * right.z - ahead.z * right.x;
            (part, ahead, hinge as f32, origin, if det.abs() < 0.05 { 0.0 } else { 1.0 / det })
        };
        let whole = frame(Part::Whole, forward, 0.0, Vec3::ZERO);
        let (frames, parts) = if pose.toe_bend == 0.0 {
            ([whole, whole], 1)
        } else {
            let (s, c) = (libm::sinf(pose.toe_bend), libm::cosf(pose.toe_bend));
            let heel = frame(Part::Heel, forward, 0.0, Vec3::ZERO);
            let ball = forward * stencil.ball as f32;
            ([heel, frame(Part::Forefoot, forward * c + up * s, stencil.ball, ball)], 2)
        };
        let position = [pose.position.x, pose.position.y, pose.position.z].map(f64::from);
        let mut body = Self {
            at: position,
            velocity: pose.velocity,
            right,
            frames,
            parts,
            sole,
            radius: (stencil.half[0] * stencil.half[0] + stencil.half[1] * stencil.half[1]).sqrt() + 0.02,
            axis: {
                let inner = (stencil.half[0] - stencil.half[1]).max(0.0);
                [f64::from(forward.x) * inner, f64::from(forward.z) * inner]
            },
            side: stencil.half[1],
            lowest: f64::MAX,
            presses: f.stands(),
            rests: f.rests,
        };
        // The corners of the parts, from the sole's middle.
        let mut corners = [Vec3::ZERO; 8];
        for (n, corner) in corners.iter_mut().enumerate() {
            let (_, ahead, hinge, origin, _) = body.frames[(n / 4).min(parts - 1)];
            let far =
                if parts == 2 && n / 4 == 0 { stencil.ball } else { stencil.half[0] - f64::from(hinge) };
            let near = if parts == 2 && n / 4 == 1 { 0.0 } else { -stencil.half[0] };
            let u = if n % 2 == 0 { near } else { far } as f32;
            let v = if n / 2 % 2 == 0 { -stencil.half[1] } else { stencil.half[1] } as f32;
            *corner = origin + ahead * u + right * v;
        }
        if puppet.hold == Hold::Pinned {
            // A sole that pressed in the step before knows its height; one in the air is as far above the ground as said.
            body.at[1] = if foot.down && foot.stance > f.load.seconds {
                foot.height
            } else {
                let rest = corners.iter().map(|c| {
                    let (x, z) = (position[0] + f64::from(c.x), position[2] + f64::from(c.z));
                    ground.height(x, z) - f64::from(c.y)
                });
                rest.fold(f64::MIN, f64::max) + position[1].max(0.0)
            };
        }
        let lowest = corners.iter().map(|c| f64::from(c.y)).fold(f64::MAX, f64::min);
        body.lowest = body.at[1] + lowest;
        (body.at.iter().all(|x| x.is_finite()) && body.lowest.is_finite()).then_some(body)
    }

    /// Height of the underside above (x, z), where there is a sole; all in metres from the sole's middle. Its edge is
    /// bevelled where it covers less than half a cell: a stem that leaves the sole there must not spring up from one step
    /// to the next, and be caught again.
    #[inline(always)]
    fn underside(&self, stencil: &Stencil, x: f32, z: f32) -> Option<f32> {
        let (mut coverage, mut rise) = (0.0f32, 0.0f32);
        for &(part, ahead, hinge, origin, scale) in &self.frames[..self.parts] {
            if scale == 0.0 {
                continue;
            }
            let (dx, dz) = (x - origin.x, z - origin.z);
            let u = (dx * self.right.z - dz * self.right.x) * scale;
            let v = (dz * ahead.x - dx * ahead.z) * scale;
            let (w, depth) = stencil.sample_f32(part, u + hinge, v);
            if w > 0.0 {
                let h = origin.y + u * ahead.y + v * self.right.y + depth;
                rise = (rise * coverage + h * w) / (coverage + w);
                coverage += w;
            }
        }
        let bevel = (1.0 - coverage / MOSTLY).max(0.0) * BEVEL;
        (coverage > 0.0).then_some(rise + bevel)
    }
}

/// Finds the bounds that the ground sets. Says whether any counts; if none does, the bounds are not looked at and stay as
/// they were.
pub(crate) fn ground(block: &mut Block, lattice: &Lattice) -> bool {
    block.work.touched = 0;
    pulp::Arch::new().dispatch(Sinking { block, lattice })
}

struct Sinking<'a> {
    block: &'a mut Block,
    lattice: &'a Lattice,
}

impl pulp::NullaryFnOnce for Sinking<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self { block, lattice } = self;
        let mut bound = false;
        for p in 0..block.x.len() {
            // Only a particle that has come down half its height can meet the ground.
            let (x, root) = (&block.x[p][1], &block.grown.root[p / lattice.rows][1]);
            let half = 0.5 * lattice.curve[p % lattice.rows][0];
            let mut lower = [0u32; LANES];
            for lane in 0..LANES {
                lower[lane] = u32::from(x[lane] - root[lane] < half);
            }
            let mut sunk = bits(&lower);
            if sunk == 0 {
                if bound {
                    (block.work.low[p], block.work.high[p]) = ([f32::MIN; LANES], [f32::MAX; LANES]);
                }
                continue;
            }
            if !bound {
                // The first that counts: those below it are free.
                block.work.low[..p].fill([f32::MIN; LANES]);
                block.work.high[..p].fill([f32::MAX; LANES]);
                bound = true;
            }
            let mut low = [f32::MIN; LANES];
            while sunk != 0 {
                let lane = sunk.trailing_zeros() as usize % LANES;
                sunk &= sunk - 1;
                low[lane] = block.floor_at(block.x[p][0][lane], block.x[p][2][lane]);
            }
            block.work.low[p] = low;
            block.work.high[p] = [f32::MAX; LANES];
        }
        bound
    }
}

/// Sixteen answers as the bits of a word. Most often there are none, which is found without looking at each.
#[inline(always)]
fn bits(answers: &[u32; LANES]) -> u32 {
    if answers.iter().fold(0, |a, b| a | b) == 0 {
        return 0;
    }
    answers.iter().enumerate().fold(0, |word, (lane, answer)| word | answer << lane)
}

/// Takes all bounds away.
pub(crate) fn open(block: &mut Block) {
    block.work.touched = 0;
    block.work.low.fill([f32::MIN; LANES]);
    block.work.high.fill([f32::MAX; LANES]);
}

/// Finds the bounds that soles set. Says whether any counts.
pub(crate) fn soles<'a>(
    block: &mut Block,
    lattice: &Lattice,
    stencils: &[Stencil],
    bodies: impl Iterator<Item = &'a Body>,
    dt: f64,
) -> bool {
    let mut bound = false;
    for body in bodies {
        bound |= meet(block, lattice, &stencils[body.sole], body, dt);
    }
    bound
}

/// One sole and all plants of a block, from root to tip.
fn meet(block: &mut Block, lattice: &Lattice, stencil: &Stencil, body: &Body, dt: f64) -> bool {
    pulp::Arch::new().dispatch(Meeting { block, lattice, stencil, body, dt })
}

struct Meeting<'a> {
    block: &'a mut Block,
    lattice: &'a Lattice,
    stencil: &'a Stencil,
    body: &'a Body,
    dt: f64,
}

impl pulp::NullaryFnOnce for Meeting<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self { block, lattice, stencil, body, dt } = self;
        let mut any = false;
        // The sole as a line with a width around it, from the block's origin: what lies beyond needs no closer look.
        let middle = [0, 1, 2].map(|k| (body.at[k] - block.grown.origin[k]) as f32);
        let [cx, _, cz] = middle;
        let [ax, az] = body.axis.map(|a| a as f32);
        let per_square = 1.0 / (ax * ax + az * az).max(1e-9);
        let far = (body.side as f32 + 0.02) * (body.side as f32 + 0.02);
        // What is well below the sole's lowest place neither meets it nor rises to it within a step.
        let below = (body.lowest - block.grown.origin[1] - CLEAR) as f32;
        let used = ((1u64 << block.plants()) - 1) as u32;
        for p in 0..block.x.len() {
            let [x, y, z] = &block.x[p];
            let mut near = [0u32; LANES];
            for lane in 0..LANES {
                let (dx, dz) = (x[lane] - cx, z[lane] - cz);
                let t = (dx * ax + dz * az) * per_square;
                let t = if t > 1.0 { 1.0 } else { t };
                let t = if t < -1.0 { -1.0 } else { t };
                let (ex, ez) = (dx - t * ax, dz - t * az);
                near[lane] = u32::from(ex * ex + ez * ez < far) & u32::from(y[lane] > below);
            }
            let mut inside = bits(&near) & used;
            while inside != 0 {
                let lane = inside.trailing_zeros() as usize % LANES;
                inside &= inside - 1;
                any |= press(block, lattice, stencil, body, middle, p, lane, dt as f32);
            }
        }
        any
    }
}

/// One particle near a sole whose middle is at `middle` from the block's origin. Says whether its bounds count.
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the innermost call of a stage: all of it is in registers")]
fn press(
    block: &mut Block,
    lattice: &Lattice,
    stencil: &Stencil,
    body: &Body,
    middle: [f32; 3],
    p: usize,
    lane: usize,
    dt: f32,
) -> bool {
    let crushed = lattice.species.crushed_height as f32;
    let place = [0, 1, 2].map(|k| block.x[p][k][lane]);
    let Some(rise) = body.underside(stencil, place[0] - middle[0], place[2] - middle[2]) else {
        return false;
    };
    let underside = middle[1] + rise;
    if place[1] > underside + FOOT_HEIGHT {
        return false;
    }
    let low = block.floor_at(place[0], place[2]);
    let high = underside.max(low + crushed);
    block.work.low[p][lane] = low;
    block.work.high[p][lane] = block.work.high[p][lane].min(high);
    if place[1] > underside - TOUCH {
        block.work.touched |= 1 << lane;
    }
    let over = place[1] - high;
    if over > 0.0 {
        // It swings out about the particle below it, which has found its place already.
        let below = if p.is_multiple_of(lattice.rows) {
            &block.grown.root[p / lattice.rows]
        } else {
            &block.x[p - 1]
        };
        let below = [0, 1, 2].map(|k| below[k][lane]);
        let mut out = [place[0] - below[0], place[2] - below[2]];
        let length = (out[0] * out[0] + out[1] * out[1]).sqrt();
        if length < 1e-5 {
            // Straight above it falls the way its row looks.
            let turn = block.grown.plants[lane].turn;
            out = [-libm::sinf(turn), libm::cosf(turn)];
        } else {
            out = out.map(|o| o / length);
        }
        let (segment, rise) = (lattice.segment, high - below[1]);
        let wide = (segment * segment - rise * rise).max(0.0).sqrt();
        // At most a segment at a time: what is further off is pulled in by its links.
        let way = (wide - length).clamp(-segment, segment);
        let drag = DRAG * dt;
        block.x[p][0][lane] += out[0] * way + drag * body.velocity.x.clamp(-10.0, 10.0);
        block.x[p][1][lane] = high;
        block.x[p][2][lane] += out[1] * way + drag * body.velocity.z.clamp(-10.0, 10.0);
    }
    true
}
