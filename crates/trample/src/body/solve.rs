//! The whole body from its feet and its centre of mass.
//!
//! In: where the soles are, where the centre of mass shall be, how pelvis, trunk and arms are turned. Out: a pose. The
//! pelvis is put where the centre of mass of all segments meets its goal; legs follow by inverse kinematics; no knee is
//! straightened beyond its limit, the pelvis sinks instead.

use super::skeleton::{HIP, Joint, PARENT, Pose, STRAIGHTEST, Skeleton, bone, reach, two_bone};
use glam::{Quat, Vec3};

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Ankle joints, left and right, m.
    pub ankles: [Vec3; 2],
    /// Rotation of each sole.
    pub soles: [Quat; 2],
    /// Bend of the toes, rad.
    pub bends: [f32; 2],
    /// Centre of mass of the whole body, m.
    pub centre: Vec3,
    /// Rotation of the pelvis in the world.
    pub pelvis: Quat,
    /// Local rotations of the joints from spine to right wrist.
    pub upper: [Quat; 10],
    /// Where the knees point.
    pub hints: [Vec3; 2],
}

/// Over about this much below the height at which a leg is straight the pelvis is held back softly, m.
const SOFT: f32 = 0.0015;

/// The pose that meets `goal`, and how much higher the pelvis could have been by either leg, m: negative where it was
/// held back.
pub(crate) fn solve(skeleton: &Skeleton, goal: &Goal) -> (Pose, [f32; 2]) {
    let mut pose = Pose::default();
    pose.rotations[0] = goal.pelvis;
    pose.rotations[1..=10].copy_from_slice(&goal.upper);
    // Trunk, head and arms move with the pelvis as one: their moment about it is found once.
    let last = Joint::RightWrist as usize;
    let mut turns = [goal.pelvis; 11];
    let mut places = [Vec3::ZERO; 11];
    for j in 1..=last {
        let p = PARENT[j];
        places[j] = places[p] + turns[p] * skeleton.offsets[j];
        turns[j] = turns[p] * pose.rotations[j];
    }
    let (mut moment, mut mass) = (Vec3::ZERO, 0.0);
    let mut fixed = Vec3::ZERO;
    for m in &skeleton.masses {
        if m.joint <= last {
            moment += m.mass * (places[m.joint] + turns[m.joint] * m.centre);
            mass += m.mass;
        } else {
            for side in 0..2 {
                if m.joint == HIP[side] + 2 {
                    fixed += m.mass * (goal.ankles[side] + goal.soles[side] * m.centre);
                }
            }
        }
    }
    let (thigh, shank) = skeleton.leg();
    let hips = [0, 1].map(|side| goal.pelvis * skeleton.offsets[HIP[side]]);
    // Shares of thigh and shank at which they balance, and what they weigh.
    let find = |joint: usize| {
        skeleton.masses.iter().find(|m| m.joint == joint).map_or((0.0, 0.0), |m| (m.mass, -m.centre.y))
    };
    let ((thigh_mass, thigh_at), (shank_mass, shank_at)) = (find(HIP[0]), find(HIP[0] + 1));
    let (thigh_share, shank_share) = (thigh_at / thigh, shank_at / shank);
    let mut root = goal.centre - moment / mass * 0.9;
    root.y = goal.centre.y - 0.04;
    let knee = |root: Vec3, side: usize| {
        two_bone(root + hips[side], goal.ankles[side], thigh, shank, goal.hints[side])
    };
    for _ in 0..5 {
        let mut sum = moment + mass * root + fixed;
        for side in 0..2 {
            let hip = root + hips[side];
            let bend = knee(root, side);
            sum += thigh_mass * hip.lerp(bend.knee, thigh_share);
            sum += shank_mass * bend.knee.lerp(goal.ankles[side], shank_share);
        }
        // Moving the pelvis by one moves the whole by a little less than one: thighs follow half.
        root += (goal.centre - sum / skeleton.mass) / 0.87;
    }
    let mut slack = [0.0; 2];
    for side in 0..2 {
        let hip = root + hips[side];
        let longest = reach(thigh, shank, STRAIGHTEST);
        let flat = goal.ankles[side] - hip;
        let across = flat.x * flat.x + flat.z * flat.z;
        let top = goal.ankles[side].y + (longest * longest - across).max(0.01).sqrt();
        let below = top - hip.y;
        slack[side] = below;
        root.y = top - hips[side].y - 0.5 * (below + (below * below + SOFT * SOFT).sqrt());
    }
    pose.root = root;
    for side in 0..2 {
        let h = HIP[side];
        let bend = knee(root, side);
        let upper = bone(root + hips[side], bend.knee, bend.axis);
        let lower = bone(bend.knee, goal.ankles[side], bend.axis);
        pose.rotations[h] = goal.pelvis.conjugate() * upper;
        pose.rotations[h + 1] = upper.conjugate() * lower;
        pose.rotations[h + 2] = lower.conjugate() * goal.soles[side];
        pose.rotations[h + 3] = Quat::from_rotation_z(goal.bends[side]);
    }
    (pose, slack)
}
