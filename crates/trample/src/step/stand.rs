//! Bodies on the ground they have just pressed: soles where the ground carries them, the pelvis over the feet, the legs
//! in between. In: placed feet, the height at which each sole came to rest. Out: the pose that is shown.
//!
//! Last in a step, so that the sole that is drawn is the sole that presses, to the last bit of the leg's reach; and no knee is
//! over-extended.

use super::animate::Stride;
use super::animate::foot::Placed;
use super::split;
use crate::body::{HIP, Pose, STRAIGHTEST, Skeleton, bone, reach, two_bone};
use crate::clips::spring::spring;
use crate::clips::{Database, Shot};
use crate::state::{Ground, Puppet, Walker};
use glam::{DVec2, DVec3, Quat, Vec3};
use std::sync::Arc;

/// The original ground is averaged so far behind and before the body, m.
const LOOKS: f64 = 0.25;
/// Half-life with which the body follows how deep its feet stand, s.
const FOLLOW: f64 = 0.09;
/// Half-life with which the mass of the body does, s: legs give. And its largest acceleration, m/s². Both our choice.
const RIDE: f64 = 0.15;
const MOST_HEAVE: f64 = 0.5 * crate::params::GRAVITY;
/// Half-life with which the pelvis goes down for a leg that is getting straight, s.
const GO_DOWN: f64 = 0.03;
/// Half-life with which the pelvis comes up again after it had to go down, s.
const RISE: f64 = 0.12;
/// Below this clearance a foot on its way down already asks the pelvis to let it reach the ground, m.
const EXPECTS: f64 = 0.06;
/// The pelvis goes down for a foot by this share of the leg at most: one that is farther away is about to step after the body. Our choice.
const DEEPEST: f64 = 0.28;
/// The pelvis begins to go down so much before a leg is at its straightest, m.
const SOFT: f64 = 0.012;

/// Lets every walker stand on its feet.
pub(crate) fn run(
    ground: &Ground,
    puppets: &mut [Puppet],
    databases: &[Arc<Database>],
    strides: &mut [Option<Stride>],
    split: bool,
    dt: f64,
) {
    let one = |_: usize, puppet: &mut Puppet, stride: &mut Option<Stride>| {
        let Some(stride) = stride else { return };
        let Some(walker) = puppet.walker.as_deref_mut().filter(|_| !puppet.quarantined) else { return };
        let skeleton = &databases[walker.database].skeleton;
        for (side, placed) in stride.feet.iter_mut().enumerate() {
            let foot = &puppet.feet[1 - side];
            *placed = if foot.down && foot.stance > 0.0 {
                placed.at_height(foot.height).seated(&foot.seat)
            } else {
                placed.above(ground)
            };
            walker.locks[side].level = placed.level;
        }
        limbs(walker, &stride.shot, skeleton, ground, &stride.feet, dt);
        let centre = skeleton.centre(&skeleton.place(&walker.pose));
        puppet.pose.center_of_mass = centre;
        puppet.last_center = Some(centre);
    };
    if split {
        split::each_in(puppets, strides, LEAST, one);
    } else {
        puppets.iter_mut().zip(strides).for_each(|(puppet, stride)| one(0, puppet, stride));
    }
}

/// Walkers that one thread takes at a time: some three µs each.
const LEAST: usize = 16;

/// Puts the body over its feet.
fn limbs(
    walker: &mut Walker,
    shot: &Shot,
    skeleton: &Skeleton,
    ground: &Ground,
    feet: &[Placed; 2],
    dt: f64,
) {
    // The ground below the body: as it was, and how much lower or higher the feet stand in it, weighted by what they carry.
    // Only that difference is followed smoothly, so that the body does not lag on a slope.
    let loads = [0, 1].map(|s| f64::from(shot.feet[s].load.max(0.0)));
    let total = loads[0] + loads[1];
    let above = [0, 1].map(|s| feet[s].level - ground.base.height(feet[s].at.x, feet[s].at.y));
    let goal = if total > 1e-3 {
        (loads[0] * above[0] + loads[1] * above[1]) / total
    } else {
        0.5 * (above[0] + above[1])
    };
    if walker.level.is_nan() {
        walker.level = goal;
    }
    (walker.level, walker.level_rate) = spring(walker.level, walker.level_rate, goal, FOLLOW, dt);
    if walker.ride.is_nan() {
        walker.ride = goal;
    }
    let before = walker.ride_rate;
    // In flight nothing carries the body, and it keeps its speed: over whole strides feet carry the weight (Newton).
    if feet.iter().any(|foot| foot.down) {
        (walker.ride, walker.ride_rate) = spring(walker.ride, walker.ride_rate, goal, RIDE, dt);
    } else {
        walker.ride += walker.ride_rate * dt;
    }
    walker.heaves = ((walker.ride_rate - before) / dt).clamp(-MOST_HEAVE, MOST_HEAVE);
    let ahead = DVec2::new(libm::cos(walker.heading), libm::sin(walker.heading)) * LOOKS;
    let base = |p: DVec2| ground.base.height(p.x, p.y);
    let below = (base(walker.root - ahead) + base(walker.root) + base(walker.root + ahead)) / 3.0;
    let heading = Quat::from_rotation_y(-walker.heading as f32);
    // Leaning forwards turns about the body's right, leaning to the right about its front.
    let lean = Quat::from_rotation_x(walker.lean.angle.y) * Quat::from_rotation_z(-walker.lean.angle.x);
    let pelvis_turn = heading * lean * shot.rotations[0];
    let offset = heading * Vec3::new(shot.pelvis.x, 0.0, shot.pelvis.z);
    let mut pelvis = DVec3::new(
        walker.root.x + f64::from(offset.x),
        below + walker.level + f64::from(shot.pelvis.y),
        walker.root.y + f64::from(offset.z),
    );
    // Down as far as the farther foot asks that stands or is about to, up again gently.
    let (thigh, shank) = skeleton.leg();
    let longest = f64::from(reach(thigh, shank, STRAIGHTEST));
    let hip = |pelvis: DVec3, side: usize| pelvis + (pelvis_turn * skeleton.offsets[HIP[side]]).as_dvec3();
    let (mut needed, mut wished): (f64, f64) = (0.0, 0.0);
    for (side, foot) in feet.iter().enumerate() {
        let line = hip(pelvis, side) - foot.ankle;
        let flat = line.x * line.x + line.z * line.z;
        let excess = line.y - (longest * longest - flat).max(0.04).sqrt();
        wished = wished.max(ramp(excess).min(DEEPEST * longest) * (1.0 - foot.gap / EXPECTS).clamp(0.0, 1.0));
        if foot.down {
            needed = needed.max(excess.min(DEEPEST * longest));
        }
    }
    let half_life = if wished > walker.drop { GO_DOWN } else { RISE };
    (walker.drop, walker.drop_rate) = spring(walker.drop, walker.drop_rate, wished, half_life, dt);
    if walker.drop < needed {
        (walker.drop, walker.drop_rate) = (needed, walker.drop_rate.max(0.0));
    }
    pelvis.y -= walker.drop;
    let mut pose = Pose { root: pelvis.as_vec3(), rotations: shot.rotations };
    pose.rotations[0] = pelvis_turn;
    for (side, foot) in feet.iter().enumerate() {
        let sole = foot.sole.rotation;
        let hint = (sole * Vec3::X + pelvis_turn * Vec3::X).normalize_or(Vec3::X);
        let start = hip(pelvis, side);
        let bend = two_bone(Vec3::ZERO, (foot.ankle - start).as_vec3(), thigh, shank, hint);
        let upper = bone(Vec3::ZERO, bend.knee, bend.axis);
        let lower = bone(bend.knee, (foot.ankle - start).as_vec3(), bend.axis);
        let j = HIP[side];
        pose.rotations[j] = pelvis_turn.conjugate() * upper;
        pose.rotations[j + 1] = upper.conjugate() * lower;
        pose.rotations[j + 2] = lower.conjugate() * sole;
        pose.rotations[j + 3] = Quat::from_rotation_z(foot.sole.toe_bend);
    }
    walker.pose = pose;
}

/// max(0, x), rounded off around 0 over twice [`SOFT`].
fn ramp(x: f64) -> f64 {
    if x <= -SOFT {
        0.0
    } else if x >= SOFT {
        x
    } else {
        (x + SOFT) * (x + SOFT) / (4.0 * SOFT)
    }
}
