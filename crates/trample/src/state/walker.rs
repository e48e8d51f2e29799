//! Walkers: bodies that move themselves. What persists between steps, and only that.

use crate::body::{JOINTS, Pose};
use crate::clips::spring::Inertializer;
use crate::persist::{Persist, Reader, Sink, SnapshotError, state};
use crate::scene::Steer;
use glam::{DVec2, Vec2, Vec3};

/// A foot that stands, or has just left the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lock {
    /// Whether it holds its place.
    pub held: bool,
    /// Whether it was left too far behind and steps after its body.
    pub hurries: bool,
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
    /// Where it shall land from where its clip has it (ahead, up, right), m.
    pub scatter: Vec3,
    /// The print it shall land in, x and z, m; not a number if it was not shown one.
    pub aims: DVec2,
    /// What is still added to the clip's share of the force after a jump between clips.
    pub load: f32,
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
    /// How far its toes turn up out of that plane to lie on ground of their own, rad; held while it stands.
    pub toes: f32,
    /// How high the clip last had it, m.
    pub lifted: f32,
    /// Level at which it met the ground, m.
    pub met: f64,
    /// Level at which it stood last, m.
    pub stood: f64,
    /// How far above that, as the original ground goes, the ground has made it go since, m.
    pub rose: f32,
    /// How far it has sunk from there at the most, m.
    pub sunk: f64,
}

state! {
    Lock {
        held, hurries, place, heading, offset, offset_rate, turn, turn_rate, shown, shown_turn, level, level_rate, normal, lifted, met,
        toes, load, scatter, stood, rose, aims, sunk,
    }
}

impl Default for Lock {
    fn default() -> Self {
        Self {
            held: false,
            hurries: false,
            place: DVec2::ZERO,
            heading: 0.0,
            offset: Vec3::ZERO,
            offset_rate: Vec3::ZERO,
            turn: Vec3::ZERO,
            turn_rate: Vec3::ZERO,
            scatter: Vec3::ZERO,
            aims: DVec2::NAN,
            load: 0.0,
            shown: Vec3::ZERO,
            shown_turn: Vec3::ZERO,
            level: f64::NAN,
            level_rate: 0.0,
            normal: Vec3::Y,
            toes: 0.0,
            lifted: 0.0,
            met: 0.0,
            stood: 0.0,
            rose: 0.0,
            sunk: 0.0,
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

state! { Lean { angle, rate } }

/// What a body goes until it thinks again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ahead {
    /// On the ground, x and z, m.
    pub root: DVec2,
    /// Turning of its clip, rad.
    pub turn: f64,
    /// Turning towards where it aims, rad.
    pub aims: f64,
    /// In its clip, s.
    pub time: f64,
}

state! { Ahead { root, turn, aims, time } }

impl Ahead {
    /// A share of it.
    pub fn part(&self, share: f64) -> Self {
        Self {
            root: self.root * share,
            turn: self.turn * share,
            aims: self.aims * share,
            time: self.time * share,
        }
    }

    /// What is left of it without a part.
    pub fn without(&self, part: &Self) -> Self {
        Self {
            root: self.root - part.root,
            turn: self.turn - part.turn,
            aims: self.aims - part.aims,
            time: self.time - part.time,
        }
    }
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
    /// Slope of the ground its gait has come to follow, rad, uphill positive; not a number before the first thought.
    pub grade: f32,
    /// Steps it has made, counted as feet lift.
    pub steps: u64,
    /// How fast its step goes against its clip's.
    pub pace: f32,
    /// Clip that plays, and how far into it, s.
    pub clip: usize,
    /// Time in the clip, s.
    pub time: f64,
    /// Time until the next thought, s.
    pub think_in: f64,
    /// What it goes until then.
    pub ahead: Ahead,
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
    /// The same as the mass of the body follows it, on legs that give, m, and its rate.
    pub ride: f64,
    /// Rate of that, m/s.
    pub ride_rate: f64,
    /// Its acceleration, m/s²: what the body presses with beyond its gait where ground gives way.
    pub heaves: f64,
    /// How much lower the pelvis is carried so that both feet reach, m.
    pub drop: f64,
    /// Rate of the drop, m/s.
    pub drop_rate: f64,
    /// Balance.
    pub lean: Lean,
    /// How far along its route it is: pass, then metres.
    pub pass: u32,
    /// Metres along the present pass; below 0 while it returns to the start of an open route.
    pub along: f64,
    /// How far before the end of a pass it stopped because others stood there, m, over all passes.
    pub short: f64,
    /// Time on its way, s.
    pub age: f64,
    /// How long it has wanted to stand, s.
    pub rested: f64,
    /// What it was told last, if not to do as its scene says.
    pub told: Option<Steer>,
    /// Whether it shall jump as soon as it can.
    pub jump: bool,
    /// What pushed it since the last step, as the change of its velocity, m/s.
    pub pushed: DVec2,
    /// The velocity with which it steps after a push, m/s.
    pub staggers: DVec2,
    /// What is left of the speed of the clip before, ahead and right, m/s.
    pub slip: Vec2,
    /// What is left of the difference in force to the clip before, ahead, up and right, body weights.
    pub eases: Vec3,
    /// How deep its feet sink where they step, smoothed over steps, m; not a number before the first.
    pub sinkage: f64,
    /// How much higher than it sinks a foot has to be lifted out of prints that were there, smoothed over steps, m.
    pub climbs: f64,
    /// How far to the right of its path it goes because prints lie there, m.
    pub strays: f64,
    /// The pose it shows, as the ground carried it in the last step.
    pub pose: Pose,
}

// Which motion it uses follows from the scene.
state! {
    Walker {
        root, heading, velocity, acceleration, aim, aim_rate, clip, time, think_in, ahead, met_ground, search_in, wanted, offsets,
        locks, level, level_rate, drop, drop_rate, lean, pass, along, age, rested, told, jump, slip, sinkage, pose,
        grade, pushed, staggers, ride, ride_rate, heaves, steps, pace, short, eases, climbs, strays,
    } except { database }
}

/// Whether a puppet moves itself follows from the scene.
impl Persist for Option<Box<Walker>> {
    fn write(&self, to: &mut impl Sink) {
        self.is_some().write(to);
        self.iter().for_each(|walker| walker.write(to));
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        if from.value::<bool>()? != self.is_some() {
            return Err(SnapshotError::OtherScene("a walker is missing or too many".into()));
        }
        self.iter_mut().try_for_each(|walker| walker.read(from))
    }
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
            grade: f32::NAN,
            steps: 0,
            pace: 1.0,
            clip: 0,
            time: 0.0,
            think_in: 0.0,
            ahead: Ahead::default(),
            met_ground: false,
            search_in: 0.0,
            wanted: Vec3::ZERO,
            offsets: Inertializer::new(JOINTS),
            locks: [Lock::default(); 2],
            level: f64::NAN,
            level_rate: 0.0,
            ride: f64::NAN,
            ride_rate: 0.0,
            heaves: 0.0,
            drop: 0.0,
            drop_rate: 0.0,
            lean: Lean::default(),
            pass: 0,
            along: 0.0,
            short: 0.0,
            age: 0.0,
            rested: 0.0,
            told: None,
            jump: false,
            pushed: DVec2::ZERO,
            staggers: DVec2::ZERO,
            slip: Vec2::ZERO,
            eases: Vec3::ZERO,
            sinkage: f64::NAN,
            climbs: 0.0,
            strays: 0.0,
            pose: Pose::default(),
        }
    }
}
