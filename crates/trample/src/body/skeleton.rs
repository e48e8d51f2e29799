//! A skeleton of nineteen joints: from local rotations to places, and where its mass is.
//!
//! In: a body and a pose. Out: joint positions and rotations, centres of mass of the sixteen segments and of the whole.
//! In the rest pose every joint's frame is x forward, y up, z to the right; arms and legs hang straight down.

use crate::params::body::{Body, Segment};
use crate::params::{Footwear, Sole};
use crate::persist::state;
use glam::{Quat, Vec3};

/// The joints, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Joint {
    /// Middle between the hip joints; the root.
    Pelvis,
    /// Lower back.
    Spine,
    /// Middle of the back.
    Chest,
    /// Base of the neck.
    Neck,
    /// Top of the neck.
    Head,
    /// Left shoulder: the upper arm hangs from it.
    LeftShoulder,
    /// Left elbow.
    LeftElbow,
    /// Left wrist.
    LeftWrist,
    /// Right shoulder.
    RightShoulder,
    /// Right elbow.
    RightElbow,
    /// Right wrist.
    RightWrist,
    /// Left hip.
    LeftHip,
    /// Left knee.
    LeftKnee,
    /// Left ankle.
    LeftAnkle,
    /// Left ball: the toes turn about it.
    LeftBall,
    /// Right hip.
    RightHip,
    /// Right knee.
    RightKnee,
    /// Right ankle.
    RightAnkle,
    /// Right ball.
    RightBall,
}

/// How many joints there are.
pub const JOINTS: usize = 19;
/// How many segments carry mass.
pub const SEGMENTS: usize = 16;

/// The parent of each joint; the root is its own.
pub const PARENT: [usize; JOINTS] = [0, 0, 1, 2, 3, 2, 5, 6, 2, 8, 9, 0, 11, 12, 13, 0, 15, 16, 17];

/// Names of the joints in files.
pub const NAMES: [&str; JOINTS] = [
    "pelvis",
    "spine",
    "chest",
    "neck",
    "head",
    "left_shoulder",
    "left_elbow",
    "left_wrist",
    "right_shoulder",
    "right_elbow",
    "right_wrist",
    "left_hip",
    "left_knee",
    "left_ankle",
    "left_ball",
    "right_hip",
    "right_knee",
    "right_ankle",
    "right_ball",
];

/// The hip joint of a side: 0 left, 1 right. Knee, ankle and ball follow.
pub const HIP: [usize; 2] = [Joint::LeftHip as usize, Joint::RightHip as usize];
/// The shoulder joint of a side. Elbow and wrist follow.
pub const SHOULDER: [usize; 2] = [Joint::LeftShoulder as usize, Joint::RightShoulder as usize];

/// Where the root is and how each joint is turned against its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Middle between the hip joints, m.
    pub root: Vec3,
    /// Rotation of each joint's frame in its parent's; the root's in the world's.
    pub rotations: [Quat; JOINTS],
}

state! { Pose { root, rotations } }

impl Default for Pose {
    fn default() -> Self {
        Self { root: Vec3::ZERO, rotations: [Quat::IDENTITY; JOINTS] }
    }
}

/// A pose laid out in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Joint positions, m.
    pub positions: [Vec3; JOINTS],
    /// Joint rotations, from the joint's frame to the world's.
    pub rotations: [Quat; JOINTS],
}

/// A weighing part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// The joint it moves with.
    pub joint: usize,
    /// Mass, kg.
    pub mass: f32,
    /// Centre of mass in the joint's frame, m.
    pub centre: Vec3,
}

/// The measures of a foot in its sole's frame: u forward from the middle of the sole, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootShape {
    /// Rear edge of the sole, m.
    pub heel: f64,
    /// Where the toes bend, m.
    pub ball: f64,
    /// Front edge, m.
    pub toe: f64,
    /// Half of its width, m.
    pub half_width: f64,
    /// Below the ankle joint, m.
    pub ankle: f64,
    /// Ankle joint above the sole's lowest plane, m.
    pub ankle_height: f64,
}

impl FootShape {
    /// A foot on a sole.
    pub fn on(body: &Body, sole: &Sole) -> Self {
        Self::new(body, sole.length, sole.width, sole.ball)
    }

    /// A foot on a sole of `length` and `width` m with its ball at `ball` m before the middle, as in [`Sole`].
    pub fn new(body: &Body, length: f64, width: f64, ball: f64) -> Self {
        // A sole longer than a shoe, a snowshoe's, is bound at the ball: the foot keeps its size behind it.
        let foot = length.min(1.12 * body.foot_length);
        Self {
            heel: -0.5 * length,
            ball,
            toe: 0.5 * length,
            half_width: 0.5 * width,
            // The ankle joint is a quarter of the foot before the heel (malleolus, ANSUR II), the ball at 0.74.
            ankle: ball - 0.49 * foot,
            ankle_height: body.ankle_height,
        }
    }
}

/// Lengths and masses of a body, ready for posing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skeleton {
    /// Place of each joint in its parent's frame, m.
    pub offsets: [Vec3; JOINTS],
    /// What weighs.
    pub masses: [Mass; SEGMENTS],
    /// The foot on its sole.
    pub foot: FootShape,
    /// Mass of all, kg.
    pub mass: f32,
}

impl Skeleton {
    /// The skeleton of a body on shoes of its size.
    pub fn new(body: &Body) -> Self {
        let [length, width, ball] = Footwear::Shoe.measures(body.foot_length, body.foot_width);
        Self::on_soles(body, FootShape::new(body, length, width, ball))
    }

    /// The skeleton of a body on given soles.
    pub fn on_soles(body: &Body, foot: FootShape) -> Self {
        let up = |y: f64| Vec3::new(0.0, y as f32, 0.0);
        let t = body.trunk;
        // Joints of the trunk at 0.19 and 0.54 of it: the navel and the lower end of the breastbone are at 0.30 and 0.68.
        let (spine, chest) = (0.19 * t, 0.54 * t);
        let mut offsets = [Vec3::ZERO; JOINTS];
        offsets[Joint::Spine as usize] = up(spine);
        offsets[Joint::Chest as usize] = up(chest - spine);
        offsets[Joint::Neck as usize] = up(t - chest);
        offsets[Joint::Head as usize] = up(0.3 * body.head);
        let mut masses = [Mass { joint: 0, mass: 0.0, centre: Vec3::ZERO }; SEGMENTS];
        let mut count = 0;
        let mut put = |joint: usize, segment: Segment, centre: Vec3| {
            masses[count] = Mass { joint, mass: (segment.mass_share() * body.mass) as f32, centre };
            count += 1;
        };
        let (navel, xiphoid, sternum) = (0.30 * t, 0.68 * t, 0.94 * t);
        let between = |low: f64, high: f64, s: Segment| high - s.centre_share() * (high - low);
        put(0, Segment::LowerTrunk, up(between(0.0, navel, Segment::LowerTrunk)));
        put(1, Segment::MiddleTrunk, up(between(navel, xiphoid, Segment::MiddleTrunk) - spine));
        put(2, Segment::UpperTrunk, up(between(xiphoid, sternum, Segment::UpperTrunk) - chest));
        // Top of the head to the chin is 0.72 of the head with its neck.
        put(4, Segment::Head, up(0.7 * body.head - Segment::Head.centre_share() * 0.72 * body.head));
        for side in 0..2 {
            let out = if side == 0 { -1.0 } else { 1.0 };
            let (s, h) = (SHOULDER[side], HIP[side]);
            let half = |w: f64| (0.5 * out * w) as f32;
            offsets[s] = Vec3::new(0.0, (0.91 * t - chest) as f32, half(body.shoulder_width));
            offsets[s + 1] = up(-body.upper_arm);
            offsets[s + 2] = up(-body.forearm);
            offsets[h] = Vec3::new(0.0, 0.0, half(body.hip_width));
            offsets[h + 1] = up(-body.thigh);
            offsets[h + 2] = up(-body.shank);
            offsets[h + 3] = Vec3::new((foot.ball - foot.ankle) as f32, -foot.ankle_height as f32, 0.0);
            let along = |length: f64, seg: Segment| up(-length * seg.centre_share());
            put(s, Segment::UpperArm, along(body.upper_arm, Segment::UpperArm));
            put(s + 1, Segment::Forearm, along(body.forearm, Segment::Forearm));
            put(s + 2, Segment::Hand, along(body.hand, Segment::Hand));
            put(h, Segment::Thigh, along(body.thigh, Segment::Thigh));
            put(h + 1, Segment::Shank, along(body.shank, Segment::Shank));
            // The foot ends 0.26 of its length before the ball, on whatever sole it stands.
            let heel = foot.ball - 0.74 * body.foot_length;
            let centre = heel + Segment::Foot.centre_share() * body.foot_length - foot.ankle;
            put(h + 2, Segment::Foot, Vec3::new(centre as f32, -0.55 * foot.ankle_height as f32, 0.0));
        }
        let mass = masses.iter().map(|m| m.mass).sum();
        Self { offsets, masses, foot, mass }
    }

    /// Where every joint of `pose` is.
    pub fn place(&self, pose: &Pose) -> Placed {
        let mut placed = Placed { positions: [pose.root; JOINTS], rotations: pose.rotations };
        for j in 1..JOINTS {
            let p = PARENT[j];
            let turn = placed.rotations[p];
            placed.positions[j] = placed.positions[p] + turn * self.offsets[j];
            placed.rotations[j] = turn * pose.rotations[j];
        }
        placed
    }

    /// Centre of mass of each segment, m.
    pub fn centres(&self, placed: &Placed) -> [Vec3; SEGMENTS] {
        let at = |m: &Mass| placed.positions[m.joint] + placed.rotations[m.joint] * m.centre;
        std::array::from_fn(|i| at(&self.masses[i]))
    }

    /// Centre of mass of the whole body, m.
    pub fn centre(&self, placed: &Placed) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for m in &self.masses {
            sum += m.mass * (placed.positions[m.joint] + placed.rotations[m.joint] * m.centre);
        }
        sum / self.mass
    }

    /// Height of the point towards which its feet press, above the ground, m.
    pub fn pivot(&self) -> f32 {
        let (thigh, shank) = self.leg();
        let pose =
            Pose { root: Vec3::Y * (thigh + shank + self.foot.ankle_height as f32), ..Pose::default() };
        super::press::PIVOT * self.centre(&self.place(&pose)).y
    }

    /// Thigh and shank, m.
    pub fn leg(&self) -> (f32, f32) {
        (-self.offsets[HIP[0] + 1].y, -self.offsets[HIP[0] + 2].y)
    }
}

/// Least flexion of a knee, rad: a leg never locks.
pub const STRAIGHTEST: f32 = 0.06;

/// The distance of hip and ankle at a knee flexed by `flexion` rad.
pub fn reach(thigh: f32, shank: f32, flexion: f32) -> f32 {
    (thigh * thigh + shank * shank + 2.0 * thigh * shank * libm::cosf(flexion)).sqrt()
}

/// What two-bone inverse kinematics answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Where the knee is, m.
    pub knee: Vec3,
    /// The axis it turns about: the leg's own right.
    pub axis: Vec3,
    /// Flexion, rad, never below [`STRAIGHTEST`].
    pub flexion: f32,
}

/// The knee of a leg from `hip` to `ankle` that points towards `hint`. An ankle out of reach is reached for.
pub fn two_bone(hip: Vec3, ankle: Vec3, thigh: f32, shank: f32, hint: Vec3) -> Bend {
    let line = ankle - hip;
    let longest = reach(thigh, shank, STRAIGHTEST);
    let shortest = (thigh - shank).abs() + 0.02 * (thigh + shank);
    let length = line.length().max(1e-6);
    // Where one bone is many times the other, a knee that never locks leaves the ankle hardly any room.
    let distance = length.clamp(shortest.min(longest), longest);
    let along = line / length;
    // From the hip: how far along the line the knee's foot point lies, and how far out of the line the knee.
    let x = (distance * distance + thigh * thigh - shank * shank) / (2.0 * distance);
    let y = (thigh * thigh - x * x).max(0.0).sqrt();
    let mut out = hint - hint.dot(along) * along;
    if out.length_squared() < 1e-8 {
        out = Vec3::X - along.x * along;
    }
    let out = out.normalize();
    let cos =
        (distance * distance - thigh * thigh - shank * shank) / (2.0 * thigh * shank).max(f32::MIN_POSITIVE);
    Bend {
        knee: hip + along * x + out * y,
        axis: along.cross(out),
        flexion: libm::acosf(cos.clamp(-1.0, 1.0)),
    }
}

/// The rotation that lays a bone's y axis from `lower` to `upper` with z along `axis`.
pub fn bone(upper: Vec3, lower: Vec3, axis: Vec3) -> Quat {
    let y = (upper - lower).normalize();
    let x = y.cross(axis).normalize();
    Quat::from_mat3(&glam::Mat3::from_cols(x, y, x.cross(y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_body_is_as_tall_as_it_says_and_its_centre_lies_where_it_should() {
        let body = Body::default();
        let skeleton = Skeleton::new(&body);
        let pose = Pose { root: Vec3::Y * body.leg() as f32, ..Pose::default() };
        let placed = skeleton.place(&pose);
        assert!(placed.positions[Joint::LeftBall as usize].y.abs() < 1e-5, "the ball is on the ground");
        let centre = skeleton.centre(&placed).y / body.height as f32;
        // Standing centre of mass: 0.55–0.57 of height (Winter 2009, Table 4.1 and text).
        assert!((0.545..0.575).contains(&centre), "{centre}");
        assert!((skeleton.mass - 77.5).abs() < 1e-3);
    }

    #[test]
    fn two_bones_meet_their_ends_and_never_lock() {
        let (a, b) = (0.43, 0.44);
        for (x, y) in [(0.0, -0.8), (0.3, -0.7), (-0.2, -0.5), (0.0, -0.2)] {
            let ankle = Vec3::new(x, y, 0.05);
            let bend = two_bone(Vec3::ZERO, ankle, a, b, Vec3::X);
            assert!((bend.knee.length() - a).abs() < 1e-5);
            assert!((bend.knee.distance(ankle) - b).abs() < 1e-5);
            let turned = bone(Vec3::ZERO, bend.knee, bend.axis);
            assert!((turned * Vec3::NEG_Y * a - bend.knee).length() < 1e-5);
            assert!((turned * Vec3::Z).dot(Vec3::Z) > 0.9, "right stays right");
        }
        let far = two_bone(Vec3::ZERO, Vec3::new(0.0, -2.0, 0.0), a, b, Vec3::X);
        assert!(far.flexion >= STRAIGHTEST - 1e-3 && far.knee.x > 0.0, "bends forward: {far:?}");
    }

    #[test]
    fn bones_of_any_lengths_give_a_knee() {
        for (a, b) in [(0.8, 0.001), (0.001, 0.8), (1e-6, 1e-6), (0.4, 0.0), (0.0, 0.4)] {
            let bend = two_bone(Vec3::ZERO, Vec3::new(0.1, -0.5, 0.0), a, b, Vec3::X);
            assert!(bend.knee.is_finite() && bend.flexion.is_finite(), "{a} and {b}: {bend:?}");
        }
    }
}
