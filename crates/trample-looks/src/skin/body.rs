//! The cage of a body without its shoes: one closed surface of trunk, head, arms and legs.
//!
//! In: a body, its skeleton in the bind pose and its girth. Out: a cage. The trunk is a tube of twelve; the arms grow out of a hole
//! of ten corners on either side, the legs out of its lower end, parted by three points of the crotch.

use super::Part;
use super::cage::{Cage, Pull, between, only};
use super::girth::{FOREARM, Girth, HAND, HEAD, Ring, SHANK, THIGH, TRUNK, UPPER_ARM};
use crate::person::{Hair, Person};
use glam::Vec3;
use trample::body::{HIP, JOINTS, Joint, Placed, SHOULDER};
use trample::params::Body;

/// Corners of a ring of the trunk: 0 in front, 3 to the right, 6 behind, 9 to the left.
const AROUND: usize = 12;
/// Corners of a ring of a limb.
const LIMB: usize = 10;
/// Rings of the trunk that carry the hole of an arm.
const ARMPIT: usize = 6;
const OVER_SHOULDER: usize = 9;
/// The ring at which the shirt begins; a coat begins lower.
const HEM: usize = 2;
/// Half widths and depths of a woman's trunk, ring by ring, as a share of a man's; our choice.
const WOMAN: [[f32; 2]; 11] = [
    [1.06, 1.05],
    [1.07, 1.06],
    [1.03, 1.02],
    [0.92, 0.93],
    [0.92, 0.94],
    [0.93, 0.98],
    [0.94, 1.10],
    [0.94, 1.08],
    [0.93, 0.96],
    [0.93, 0.94],
    [0.92, 0.92],
];

/// What a body is built from.
pub(crate) struct Build<'a> {
    pub(crate) body: &'a Body,
    /// The skeleton in the bind pose, pelvis at the origin.
    pub(crate) bind: &'a Placed,
    pub(crate) girth: Girth,
    /// Whether the ankle is a sock or skin.
    pub(crate) shod: bool,
    /// Whose body it is.
    pub(crate) person: &'a Person,
}

/// The same joint on the other side.
pub(crate) fn mirrored(joint: usize) -> usize {
    match joint {
        5..=10 => (joint - 5 + 3) % 6 + 5,
        11..=14 => joint + 4,
        15..=18 => joint - 4,
        _ => joint,
    }
}

/// The mirror image of a pull.
pub(crate) fn mirror_pull(pull: &Pull) -> Pull {
    std::array::from_fn(|j| pull[mirrored(j)])
}

/// 0 below `low`, 1 above `high`, smooth between.
pub(crate) fn smooth(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low).max(1e-6)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Where on a limb's ring a corner lies, rad from the side towards the body, positive to the front.
fn corner_angle(j: usize) -> f32 {
    std::f32::consts::TAU * (1.0 - j as f32) / LIMB as f32
}

/// A ring of a right limb in the world of the bind pose.
struct Loop {
    points: [Vec3; LIMB],
    pulls: [Pull; LIMB],
    /// What the faces between the ring before and this one show.
    part: Part,
}

impl Build<'_> {
    /// The cage.
    pub(crate) fn cage(&self) -> Cage {
        let mut cage = Cage::default();
        let trunk = self.trunk(&mut cage);
        let head = self.head(&mut cage, &trunk[TRUNK.len() - 1]);
        for (i, pair) in trunk.windows(2).enumerate() {
            let part = if i < HEM && !self.person.coat { Part::Trousers } else { Part::Shirt };
            for k in 0..AROUND {
                let next = (k + 1) % AROUND;
                let arm = (ARMPIT..OVER_SHOULDER).contains(&i) && matches!(k, 2 | 3 | 8 | 9);
                if !arm {
                    cage.face(&[pair[0][next], pair[0][k], pair[1][k], pair[1][next]], part);
                }
            }
        }
        cage.cap(&head, if self.person.hair == Hair::Bald { Part::Skin } else { Part::Hair });
        let crotch = self.crotch(&mut cage);
        for right in [true, false] {
            let side = |k: usize| if right { k } else { (AROUND - k) % AROUND };
            // The hole of the arm, from its lower front corner along the armpit and up the back.
            let t = |ring: usize, k: usize| trunk[ring][side(k)];
            let (low, high) = (ARMPIT, OVER_SHOULDER);
            let hole = [
                t(low, 2),
                t(low, 3),
                t(low, 4),
                t(low + 1, 4),
                t(low + 2, 4),
                t(high, 4),
                t(high, 3),
                t(high, 2),
                t(low + 2, 2),
                t(low + 1, 2),
            ];
            self.limb(&mut cage, &hole, &self.arm(), right, Some(THUMB));
            let [c1, c2, c3] = crotch;
            let leg = [c1, c2, c3, t(0, 6), t(0, 5), t(0, 4), t(0, 3), t(0, 2), t(0, 1), t(0, 0)];
            self.limb(&mut cage, &leg, &self.leg(), right, None);
        }
        cage
    }

    /// The rings of the trunk.
    fn trunk(&self, cage: &mut Cage) -> Vec<[u32; AROUND]> {
        let (g, t) = (&self.girth, self.body.trunk as f32);
        let heavy = (g.build - 1.0).max(0.0);
        let mut rings = Vec::with_capacity(TRUNK.len());
        for (i, &[up, wide, deep, front]) in TRUNK.iter().enumerate() {
            // What the shoulders' width decides, and what is soft.
            let bony = smooth(0.6, 0.95, up);
            let belly = (1.0 - ((up - 0.3) / 0.42) * ((up - 0.3) / 0.42)).max(0.0);
            let w = wide * (g.trunk + (g.shoulders - g.trunk) * 0.7 * bony) * (1.0 + 0.25 * heavy * belly);
            let d = deep * g.trunk * (1.0 + (0.45 * belly - 0.25 * bony) * heavy);
            let [wider, deeper] = if self.person.woman { WOMAN[i] } else { [1.0; 2] };
            let (w, d) = (w * wider, d * deeper);
            let x = front * g.size + 0.11 * g.size * heavy * belly;
            let y = up * t;
            let mut ring = [0; AROUND];
            for (k, corner) in ring.iter_mut().enumerate() {
                let angle = std::f32::consts::TAU * k as f32 / AROUND as f32;
                let (s, c) = (libm::sinf(angle), libm::cosf(angle));
                // A trunk is flatter than an ellipse in front and behind.
                let flat = if c.abs() > 0.8 { 0.95 } else { 1.0 };
                let mut place = Vec3::new(x + d * c * flat, y, w * s);
                if i == 0 {
                    // The groin rises to the sides and the seat sags behind.
                    place.y += 0.045 * t * (1.0 - s.abs()) * c.max(0.0) - 0.015 * t * (-c).max(0.0);
                }
                let mut pull = self.along_spine(y);
                let right = s > 0.0;
                let outer = s * s;
                let hip = only(HIP[usize::from(right)]);
                match i {
                    0 => pull = between(&pull, &hip, 0.55 * outer),
                    1 => pull = between(&pull, &hip, 0.18 * outer),
                    // Around the arm's hole.
                    ARMPIT..=OVER_SHOULDER => {
                        let shoulder = only(SHOULDER[usize::from(right)]);
                        let share = if i == OVER_SHOULDER { 0.30 } else { 0.16 };
                        pull = between(&pull, &shoulder, share * smooth(0.4, 1.0, outer));
                    }
                    _ => {}
                }
                *corner = cage.point(place, pull);
            }
            rings.push(ring);
        }
        rings
    }

    /// How the trunk's joints share a point at height `y` above the hips.
    fn along_spine(&self, y: f32) -> Pull {
        let t = self.body.trunk as f32;
        let at = |j: Joint| self.bind.positions[j as usize].y;
        let reach = 0.16 * t;
        let blend = |pull: Pull, joint: Joint, reach: f32| {
            between(&pull, &only(joint as usize), smooth(at(joint) - reach, at(joint) + reach, y))
        };
        let pull = blend(only(0), Joint::Spine, reach);
        let pull = blend(pull, Joint::Chest, reach);
        let head = self.body.head as f32;
        let pull = blend(pull, Joint::Neck, 0.16 * head);
        blend(pull, Joint::Head, 0.12 * head)
    }

    /// Neck and head on the last ring of the trunk; returns the crown.
    fn head(&self, cage: &mut Cage, below: &[u32; AROUND]) -> [u32; AROUND] {
        let (g, length) = (&self.girth, self.body.head as f32);
        let base = self.body.trunk as f32;
        let mut last = *below;
        for (i, &[up, wide, deep, front, tilt]) in HEAD.iter().enumerate() {
            // A thick trunk has a thick neck.
            let thick = if i < 3 { 0.5 * (g.head + g.trunk.min(1.3 * g.head)) } else { g.head };
            let y = base + up * length;
            let ring: [u32; AROUND] = std::array::from_fn(|k| {
                let angle = std::f32::consts::TAU * k as f32 / AROUND as f32;
                let (s, c) = (libm::sinf(angle), libm::cosf(angle));
                let mut place = Vec3::new(
                    front * g.head + deep * thick * c,
                    y - 0.5 * tilt * g.head * c,
                    wide * thick * s,
                );
                // Nose, lips and chin stand out, the eyes lie back.
                let out = match (i, k) {
                    (3, 0) => 0.012,
                    (4, 0) => 0.008,
                    (5, 0) => 0.036,
                    (6, 0) => 0.006,
                    (5 | 6, 1 | 11) => -0.008,
                    _ => 0.0,
                };
                place.x += out * g.head;
                if (i, k) == (5, 0) {
                    place.y -= 0.012 * g.head;
                }
                cage.point(place, self.along_spine(y))
            });
            for k in 0..AROUND {
                let next = (k + 1) % AROUND;
                let behind = (3..9).contains(&k);
                let nape = (4..8).contains(&k);
                let hair = match self.person.hair {
                    Hair::Long => nape && i >= 1 || behind && i >= 3,
                    Hair::Short => behind && i >= 5,
                    Hair::Hat => behind && i >= 6,
                    Hair::Bald => behind && matches!(i, 5 | 6),
                };
                let part = match i {
                    0 if self.person.hair == Hair::Long && nape => Part::Hair,
                    0 => Part::Shirt,
                    3 | 4 if self.person.beard && !behind => Part::Hair,
                    6 if self.person.glasses && matches!(k, 0 | 1 | 10 | 11) => Part::Sole,
                    8.. if self.person.hair == Hair::Bald => Part::Skin,
                    8.. => Part::Hair,
                    7 if self.person.hair == Hair::Hat => Part::Hair,
                    _ if hair => Part::Hair,
                    _ => Part::Skin,
                };
                cage.face(&[last[next], last[k], ring[k], ring[next]], part);
            }
            last = ring;
        }
        last
    }

    /// The points that part the legs, from front to back.
    fn crotch(&self, cage: &mut Cage) -> [u32; 3] {
        let (g, t) = (&self.girth, self.body.trunk as f32);
        let mut pull = between(&only(HIP[0]), &only(HIP[1]), 0.5);
        pull = between(&only(0), &pull, 0.3);
        [(0.050, -0.155), (-0.010, -0.185), (-0.070, -0.165)]
            .map(|(x, y)| cage.point(Vec3::new(x * g.trunk, y * t, 0.0), pull))
    }

    /// A ring in the frame of `joint`: `down` a bone of `length` m, `thick` times its width, `out` m off to the side. Its corners run
    /// from the front of the side towards the body over that side to the back, as those of the trunk's holes do.
    fn ring(&self, joint: usize, length: f64, ring: Ring, thick: f32, out: f32) -> [Vec3; LIMB] {
        let [down, wide, deep, front] = ring;
        let (place, turn) = (self.bind.positions[joint], self.bind.rotations[joint]);
        std::array::from_fn(|j| {
            let angle = corner_angle(j);
            // Measured from the side towards the body.
            let (s, c) = (libm::sinf(angle), libm::cosf(angle));
            let local = Vec3::new(
                front * self.girth.size + deep * thick * s,
                -down * length as f32,
                out - wide * thick * c,
            );
            place + turn * local
        })
    }

    /// The rings of the right arm, from the shoulder to the knuckles.
    fn arm(&self) -> Vec<Loop> {
        let g = &self.girth;
        let shoulder = SHOULDER[1];
        let chest = only(Joint::Chest as usize);
        let mut loops = Vec::new();
        let mut put = |joint, length, ring: Ring, thick, out, pull: Pull, part| {
            let points = self.ring(joint, length, ring, thick, out);
            loops.push(Loop { points, pulls: [pull; LIMB], part });
        };
        let upper = only(shoulder);
        let lower = only(shoulder + 1);
        for (i, ring) in UPPER_ARM.into_iter().enumerate() {
            let pull = match i {
                0 => between(&chest, &upper, 0.62),
                3 => between(&upper, &lower, 0.25),
                _ => upper,
            };
            let out = 0.006 * g.arm[0];
            put(shoulder, self.body.upper_arm, ring, g.arm[0], out, pull, Part::Shirt);
        }
        let hand = only(shoulder + 2);
        for (i, ring) in FOREARM.into_iter().enumerate() {
            let pull = match i {
                0 => between(&upper, &lower, 0.75),
                _ => lower,
            };
            let sleeve = if self.person.short_sleeves { Part::Skin } else { Part::Shirt };
            put(shoulder + 1, self.body.forearm, ring, g.arm[1], 0.0, pull, sleeve);
        }
        for (i, ring) in HAND.into_iter().enumerate() {
            let pull = if i == 0 { between(&lower, &hand, 0.4) } else { hand };
            // Fingers at rest curl towards the thigh.
            let curl = [0.0, 0.0, 0.0, -0.002, -0.003, -0.004][i] * g.hand;
            let part = match (i, self.person.short_sleeves, self.person.gloves) {
                (0, false, _) => Part::Shirt,
                (_, _, true) => Part::Shoe,
                _ => Part::Skin,
            };
            put(shoulder + 2, self.body.hand, ring, g.hand, curl, pull, part);
        }
        loops
    }

    /// The rings of the right leg, from below the crotch into the shoe.
    fn leg(&self) -> Vec<Loop> {
        let (g, hip) = (&self.girth, HIP[1]);
        let half = 0.5 * self.body.hip_width as f32;
        let mut loops = Vec::new();
        let (thigh, shank, foot) = (only(hip), only(hip + 1), only(hip + 2));
        let mut put = |joint, length, ring: Ring, thick: f32, pulls: [Pull; LIMB], part| {
            // Thighs that are thicker than the hips are wide grow outwards.
            let out = (ring[1] * thick - half + 0.006).max(0.0);
            let out = if joint == hip { out } else { 0.5 * out };
            let points = self.ring(joint, length, ring, thick, out);
            loops.push(Loop { points, pulls, part });
        };
        for (i, ring) in THIGH.into_iter().enumerate() {
            let pulls = std::array::from_fn(|j| {
                // The inner side follows the pelvis a little longer.
                let inner = 0.5 + 0.5 * libm::cosf(corner_angle(j));
                match i {
                    0 => between(&only(0), &thigh, 0.88 - 0.22 * inner),
                    3 => between(&thigh, &shank, 0.22),
                    _ => thigh,
                }
            });
            let part = if self.person.coat && i < 2 { Part::Shirt } else { Part::Trousers };
            put(hip, self.body.thigh, ring, g.leg[0], pulls, part);
        }
        let shank_part = if self.person.shorts { Part::Skin } else { Part::Trousers };
        for (i, ring) in SHANK.into_iter().enumerate() {
            let pull = if i == 0 { between(&thigh, &shank, 0.78) } else { shank };
            put(hip + 1, self.body.shank, ring, g.leg[1], [pull; LIMB], shank_part);
        }
        // Under the cuff, a sock runs down into the shoe.
        let sock = if self.shod { Part::Shoe } else { Part::Skin };
        let within = g.leg[1].min(1.25 * g.size);
        let tall = self.body.ankle_height;
        put(hip + 1, self.body.shank, [0.925, 0.040, 0.048, -0.002], within, [shank; LIMB], shank_part);
        put(hip + 2, tall, [-0.15, 0.034, 0.044, -0.004], within, [between(&shank, &foot, 0.6); LIMB], sock);
        put(hip + 2, tall, [0.45, 0.030, 0.042, -0.002], within, [foot; LIMB], sock);
        loops
    }

    /// Grows a limb out of a hole of the trunk; a left one is the mirror image of the right.
    fn limb(&self, cage: &mut Cage, hole: &[u32; LIMB], loops: &[Loop], right: bool, thumb: Option<usize>) {
        let turned = |mut corners: [u32; LIMB]| {
            if !right {
                corners.reverse();
            }
            corners
        };
        let mut last = turned(*hole);
        for (i, ring) in loops.iter().enumerate() {
            let next = turned(std::array::from_fn(|j| {
                let (mut place, mut pull) = (ring.points[j], ring.pulls[j]);
                if !right {
                    place.z = -place.z;
                    pull = mirror_pull(&pull);
                }
                cage.point(place, pull)
            }));
            let here = thumb == Some(i);
            // The corners at the front of the hand; a reversed loop counts its faces from the other end.
            let gap = here.then_some(if right { 8 } else { 0 });
            let quad = cage.tube(&last, &next, ring.part, gap);
            if here {
                self.thumb(cage, quad, right);
            }
            last = next;
        }
        let part = loops.last().map_or(Part::Skin, |l| l.part);
        cage.cap(&last, part);
    }

    /// Draws a thumb out of a face of the hand.
    fn thumb(&self, cage: &mut Cage, mut quad: [u32; 4], right: bool) {
        let wrist = SHOULDER[usize::from(right)] + 2;
        let turn = self.bind.rotations[wrist];
        let pull = only(wrist);
        let part = if self.person.gloves { Part::Shoe } else { Part::Skin };
        // How far each joint of it lies ahead and down, and how thick and long the section there is, m.
        for (forward, down, thick, long) in
            [(0.020, 0.016, 0.026, 0.032), (0.012, 0.026, 0.022, 0.024), (0.004, 0.022, 0.014, 0.014)]
        {
            let mean = quad.iter().map(|&c| cage.points[c as usize]).sum::<Vec3>() / 4.0;
            let to = mean + turn * Vec3::new(forward, -down, 0.0) * self.girth.hand;
            let tip = quad.map(|c| {
                // Corner by corner: above or below, towards the body or away from it.
                let off = turn.conjugate() * (cage.points[c as usize] - mean);
                let local = Vec3::new(
                    0.25 * long * off.y.signum(),
                    0.4 * long * off.y.signum(),
                    0.5 * thick * off.z.signum(),
                );
                cage.point(to + turn * local * self.girth.hand, pull)
            });
            for i in 0..4 {
                let k = (i + 1) % 4;
                cage.face(&[quad[i], quad[k], tip[k], tip[i]], part);
            }
            quad = tip;
        }
        cage.face(&quad, part);
    }
}

/// The ring of an arm before which the thumb grows.
const THUMB: usize = UPPER_ARM.len() + FOREARM.len() + 2;

const _: () = assert!(JOINTS == 19, "mirrored() knows nineteen joints");
