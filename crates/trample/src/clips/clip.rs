//! Clips: a motion sampled at even times.

use crate::body::{JOINTS, Pose};
use crate::gait::{Frame, Gait, Path, Reaction};
use crate::pose::SolePose;
use glam::{Quat, Vec3};

/// Frames per second of the built-in database.
pub const RATE: f64 = 60.0;

/// What a clip shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Standing.
    Idle,
    /// Walking at even speed, straight or turning.
    Walk,
    /// Running at even speed.
    Run,
    /// From standing to motion.
    Start,
    /// From motion to standing.
    Stop,
    /// Turning about while moving.
    Plant,
    /// Turning on the spot.
    Spin,
    /// To the side.
    Sidestep,
    /// Backwards.
    Backward,
    /// A jump.
    Jump,
    /// On snowshoes.
    Snowshoe,
}

impl Kind {
    /// Its name in the files of exported clips.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Walk => "walk",
            Self::Run => "run",
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Plant => "turn-about",
            Self::Spin => "turn-in-place",
            Self::Sidestep => "sidestep",
            Self::Backward => "backward",
            Self::Jump => "jump",
            Self::Snowshoe => "snowshoe",
        }
    }
}

/// A sampled motion.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clip {
    /// What it shows.
    pub kind: Kind,
    /// Speed it is about, m/s.
    pub speed: f32,
    /// Turning it is about, rad/s, right positive.
    pub yaw_rate: f32,
    /// Slope of the ground along its first heading, rad.
    pub slope: f32,
    /// Time of two steps where they go round and round, s; else zero.
    pub period: f64,
    /// The force under a foot over its stance, where the motion was made from it and it is sharper than frames can show.
    pub reaction: Option<Reaction>,
    /// Time between frames, s.
    pub dt: f64,
    /// The frames.
    pub frames: Vec<Frame>,
    /// Root of each frame: x, z, m, and heading, rad.
    pub roots: Vec<[f32; 3]>,
}

impl Clip {
    /// `seconds` of a gait at `rate` frames per second.
    pub fn sample(kind: Kind, gait: &Gait<impl Path>, seconds: f64, rate: f64) -> Self {
        let root = |t: f64| {
            let r = gait.path().at(t);
            [r.position.x as f32, r.position.y as f32, r.heading as f32]
        };
        let first = gait.path().at(0.5 * seconds);
        let slope = libm::atan(gait.rig().ground.slope.x) as f32;
        let mut clip = Self::from_fn(kind, seconds, rate, |t| gait.frame(t), root);
        (clip.speed, clip.yaw_rate, clip.slope) =
            (first.velocity.length() as f32, first.yaw_rate as f32, slope);
        clip.period = gait.period(seconds).unwrap_or(0.0);
        clip.reaction = (kind == Kind::Run && clip.period > 0.0).then(|| gait.running(0.5 * seconds));
        clip
    }

    /// A clip from functions of time.
    pub fn from_fn(
        kind: Kind,
        seconds: f64,
        rate: f64,
        frame: impl Fn(f64) -> Frame,
        root: impl Fn(f64) -> [f32; 3],
    ) -> Self {
        let n = (seconds * rate).round().max(1.0) as usize;
        let time = |i: usize| i as f64 / rate;
        Self {
            kind,
            speed: 0.0,
            yaw_rate: 0.0,
            slope: 0.0,
            period: 0.0,
            reaction: None,
            dt: 1.0 / rate,
            frames: (0..n).map(|i| frame(time(i))).collect(),
            roots: (0..n).map(|i| root(time(i))).collect(),
        }
    }

    /// Whether both feet are in the air at times, a jump aside.
    pub fn runs(&self) -> bool {
        self.kind != Kind::Jump && self.frames.iter().any(|f| f.contacts == [[false; 2]; 2])
    }

    /// The same motion seen in a mirror: left is right.
    pub fn mirrored(&self) -> Self {
        Self {
            yaw_rate: -self.yaw_rate,
            frames: self.frames.iter().map(Frame::mirrored).collect(),
            roots: self.roots.iter().map(|r| [r[0], -r[1], -r[2]]).collect(),
            ..*self
        }
    }
}

fn flip(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, -v.z)
}

/// A turn, seen in the mirror z → −z.
fn turn(q: Quat) -> Quat {
    Quat::from_xyzw(-q.x, -q.y, q.z, q.w)
}

/// The joint on the other side.
const OTHER: [usize; JOINTS] = [0, 1, 2, 3, 4, 8, 9, 10, 5, 6, 7, 15, 16, 17, 18, 11, 12, 13, 14];

impl Frame {
    /// The same moment seen in a mirror: left is right.
    pub fn mirrored(&self) -> Self {
        let sole = |s: &SolePose| SolePose {
            position: flip(s.position),
            rotation: turn(s.rotation),
            toe_bend: s.toe_bend,
            velocity: flip(s.velocity),
            spin: Vec3::new(-s.spin.x, -s.spin.y, s.spin.z),
        };
        Self {
            pose: Pose {
                root: flip(self.pose.root),
                rotations: std::array::from_fn(|j| turn(self.pose.rotations[OTHER[j]])),
            },
            soles: [sole(&self.soles[1]), sole(&self.soles[0])],
            contacts: [self.contacts[1], self.contacts[0]],
            load: [self.load[1], self.load[0]],
            clock: [self.clock[1], self.clock[0]],
            tilt: self.tilt.map(|[left, right]| [right, left]),
            centre: flip(self.centre),
        }
    }
}
