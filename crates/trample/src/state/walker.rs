//! Walkers: bodies that move themselves. What persists between steps, and only that.

use crate::motion::skeleton::{JOINTS, Pose};
use crate::motion::spring::Inertializer;
use crate::scene::Steer;
use glam::{DVec2, Vec2, Vec3};

/// A foot that stands, or has just left the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lock {
    /// Whether it holds its place.
    pub held: bool,
    /// Middle of the flat sole, x and z, m.
    pub place: DVec2,
    /// Heading, rad.
    pub heading: f64,
    /// What is still added to the clip's foot: place from the root (ahead, up, right), m, and its rate, m/s.
    pub offset: Vec3,
    /// Rate of the offset, m/s.
    pub offset_rate: Vec3,
    /// The same for heading, pitch and bend, rad.
    pub turn: Vec3,
    /// Rate of that, rad/s.
    pub turn_rate: Vec3,
    /// The foot as it was shown last: place, and height without its roll, m.
    pub shown: Vec3,
    /// And its heading, pitch and bend, rad.
    pub shown_turn: Vec3,
    /// Level of the plane it stands on, or in the air moves over, m; not a number before the first step.
    pub level: f64,
    /// How fast that level changes under a foot in the air, m/s.
    pub level_rate: f64,
    /// Out of that plane: the surface below the sole, smoothed; held while it stands.
    pub normal: Vec3,
    /// How high the clip last had it, m.
    pub lifted: f32,
    /// Level at which it met the ground, m.
    pub met: f64,
}

impl Default for Lock {
    fn default() -> Self {
        Self {
            held: false,
            place: DVec2::ZERO,
            heading: 0.0,
            offset: Vec3::ZERO,
            offset_rate: Vec3::ZERO,
            turn: Vec3::ZERO,
            turn_rate: Vec3::ZERO,
            shown: Vec3::ZERO,
            shown_turn: Vec3::ZERO,
            level: f64::NAN,
            level_rate: 0.0,
            normal: Vec3::Y,
            lifted: 0.0,
            met: 0.0,
        }
    }
}

/// The lean of the body on its feet (SW-1, DF-1), forwards and to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lean {
    /// Angles, rad.
    pub angle: Vec2,
    /// Rates, rad/s.
    pub rate: Vec2,
}

/// A body on its way.
#[derive(Clone, Debug)]
pub struct Walker {
    /// Which body's motion it uses.
    pub database: usize,
    /// Root on the ground, x and z, m.
    pub root: DVec2,
    /// Heading, rad from +x towards +z.
    pub heading: f64,
    /// Velocity that the control has reached, m/s, and its rate, m/s².
    pub velocity: Vec3,
    /// Rate of that velocity, m/s².
    pub acceleration: Vec3,
    /// Heading that the control has reached, rad.
    pub aim: f64,
    /// Rate of that heading, rad/s.
    pub aim_rate: f64,
    /// Clip that plays, and how far into it, s.
    pub clip: usize,
    /// Time in the clip, s.
    pub time: f64,
    /// Time until the next thought, s.
    pub think_in: f64,
    /// Whether a foot has met the ground since the last thought.
    pub met_ground: bool,
    /// Time until the next search, s.
    pub search_in: f64,
    /// What the control wanted at the last search: velocity x, z and heading.
    pub wanted: Vec3,
    /// Offsets that hide jumps between clips.
    pub offsets: Inertializer,
    /// Feet, left and right.
    pub locks: [Lock; 2],
    /// How much higher than the original ground its feet stand, smoothed, m, and its rate.
    pub level: f64,
    /// Rate of the level, m/s.
    pub level_rate: f64,
    /// How much lower the pelvis is carried so that both feet reach, m.
    pub drop: f64,
    /// Rate of the drop, m/s.
    pub drop_rate: f64,
    /// Balance.
    pub lean: Lean,
    /// How far along its route it is: pass, then metres.
    pub pass: u32,
    /// Metres along the present pass.
    pub along: f64,
    /// Time on its way, s.
    pub age: f64,
    /// How long it has wanted to stand, s.
    pub rested: f64,
    /// What it was told last, if not to do as its scene says.
    pub told: Option<Steer>,
    /// Whether it shall jump as soon as it can.
    pub jump: bool,
    /// What is left of the speed of the clip before, ahead and right, m/s.
    pub slip: Vec2,
    /// How deep its feet sink where they step, smoothed over steps, m; not a number before the first.
    pub sinkage: f64,
    /// The pose it shows; derived, for display and for the soles.
    pub pose: Pose,
}

impl Walker {
    /// A walker that stands at `root` and looks along `heading`.
    pub fn new(database: usize, root: DVec2, heading: f64) -> Self {
        Self {
            database,
            root,
            heading,
            velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            aim: heading,
            aim_rate: 0.0,
            clip: 0,
            time: 0.0,
            think_in: 0.0,
            met_ground: false,
            search_in: 0.0,
            wanted: Vec3::ZERO,
            offsets: Inertializer::new(JOINTS),
            locks: [Lock::default(); 2],
            level: f64::NAN,
            level_rate: 0.0,
            drop: 0.0,
            drop_rate: 0.0,
            lean: Lean::default(),
            pass: 0,
            along: 0.0,
            age: 0.0,
            rested: 0.0,
            told: None,
            jump: false,
            slip: Vec2::ZERO,
            sinkage: f64::NAN,
            pose: Pose::default(),
        }
    }
}
