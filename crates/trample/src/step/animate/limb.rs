//! Pelvis and legs (§7): the pelvis follows the feet, the legs reach them, and no knee is over-extended.

use super::foot::Placed;
use crate::motion::database::Shot;
use crate::motion::skeleton::{HIP, Pose, STRAIGHTEST, Skeleton, bone, reach, two_bone};
use crate::motion::spring::spring;
use crate::state::Walker;
use glam::{DVec3, Quat, Vec3};

/// Half-life with which the body follows the level of its feet, s.
const FOLLOW: f64 = 0.09;
/// Half-life with which the pelvis comes up again after it had to go down, s.
const RISE: f64 = 0.12;

/// Puts the body over its feet.
pub(crate) fn run(walker: &mut Walker, shot: &Shot, skeleton: &Skeleton, feet: &[Placed; 2], dt: f64) {
    // The ground below the body: where it stands, weighted by how much each foot carries.
    let loads = [0, 1].map(|s| f64::from(shot.feet[s].load.max(0.0)));
    let total = loads[0] + loads[1];
    let goal = if total > 1e-3 {
        (loads[0] * feet[0].level + loads[1] * feet[1].level) / total
    } else {
        0.5 * (feet[0].level + feet[1].level)
    };
    if walker.level.is_nan() {
        walker.level = goal;
    }
    (walker.level, walker.level_rate) = spring(walker.level, walker.level_rate, goal, FOLLOW, dt);
    let heading = Quat::from_rotation_y(-walker.heading as f32);
    // Leaning forwards turns about the body's right, leaning to the right about its front.
    let lean = Quat::from_rotation_x(walker.lean.angle.y) * Quat::from_rotation_z(-walker.lean.angle.x);
    let pelvis_turn = heading * lean * shot.rotations[0];
    let offset = heading * Vec3::new(shot.pelvis.x, 0.0, shot.pelvis.z);
    let mut pelvis = DVec3::new(
        walker.root.x + f64::from(offset.x),
        walker.level + f64::from(shot.pelvis.y),
        walker.root.y + f64::from(offset.z),
    );
    // Down as far as the farther standing foot asks, up again gently.
    let (thigh, shank) = skeleton.leg();
    let longest = f64::from(reach(thigh, shank, STRAIGHTEST));
    let hip = |pelvis: DVec3, side: usize| pelvis + (pelvis_turn * skeleton.offsets[HIP[side]]).as_dvec3();
    let mut needed: f64 = 0.0;
    for (side, foot) in feet.iter().enumerate().filter(|(_, f)| f.down) {
        let line = hip(pelvis, side) - foot.ankle;
        let flat = line.x * line.x + line.z * line.z;
        let most = (longest * longest - flat).max(0.04).sqrt();
        needed = needed.max(line.y - most);
    }
    (walker.drop, walker.drop_rate) = spring(walker.drop, walker.drop_rate, needed, RISE, dt);
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
