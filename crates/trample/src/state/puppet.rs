//! Puppets: bodies whose feet a script, a walker or a host engine moves.

use super::walker::Walker;
use crate::persist::state;
use crate::pose::{Drive, Pose, Seat, SolePose};
use crate::scene::Hold;
use glam::Vec3;

/// State of a foot between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Foot {
    /// Whether it stands on the ground.
    pub down: bool,
    /// Gap to the ground at the end of the last step, m; infinite before the first.
    pub gap: f64,
    /// Velocity at the end of the last step, m/s.
    pub velocity: Vec3,
    /// Angular velocity at the end of the last step, rad/s.
    pub spin: Vec3,
    /// Change of velocity over the last step in the air, m/s².
    pub acceleration: Vec3,
    /// Latched velocity of the landing (DF-7), m/s; already without its receding part.
    pub landing: Vec3,
    /// Remaining time of the landing force, s.
    pub hold_left: f64,
    /// Characteristic time of the ground landed on, s.
    pub hold: f64,
    /// Duration of the stance so far, s.
    pub stance: f64,
    /// Largest normal force of this stance, N.
    pub peak_force: f64,
    /// ∫ area dt of this stance, m²·s.
    pub area_time: f64,
    /// Largest mean depth under the sole in this stance, m.
    pub deepest: f64,
    /// Ground pressed down and loose material moved aside in this stance, m³.
    pub pressed: f64,
    /// Largest contact area of this stance, m².
    pub broadest: f64,
    /// ∫ normal force dt of this stance, N·s.
    pub impulse: f64,
    /// Height of the sole's lowest plane while it stands, m.
    pub height: f64,
    /// Mean depth of the ground under the sole below its original height, m.
    pub depth: f64,
    /// Velocity at which it slips, m/s; natural law only.
    pub slip: Vec3,
    /// Height and tilt at which the ground carries it under the natural law.
    pub seat: Seat,
    /// Suction force of wet ground when it is lifted, N; natural law only, kept until the next stance.
    pub suction: f64,
    /// The load to which the ground has yielded in this stance (DF-11), N.
    pub yielded: f64,
    /// Displaced volume not yet spread, in 2⁻³² of a nanometre over one cell.
    pub carry: i128,
}

state! {
    Foot {
        down, gap, velocity, spin, acceleration, landing, hold_left, hold, stance, peak_force, area_time, deepest, impulse, height,
        depth, slip, seat, suction, yielded, carry, pressed, broadest,
    }
}

/// A body with feet.
#[derive(Clone, Debug)]
pub struct Puppet {
    /// Mass, kg.
    pub mass: f64,
    /// How the height of its soles is determined.
    pub hold: Hold,
    /// Index of each foot's sole.
    pub soles: Vec<usize>,
    /// The last input pose.
    pub pose: Pose,
    /// Centre of mass at the end of the last step, m; none before the first.
    pub last_center: Option<Vec3>,
    /// State of its feet.
    pub feet: Vec<Foot>,
    /// The force it was driven by at the end of the last step.
    pub last_drive: Option<Drive>,
    /// The walker that moves it, if any.
    pub walker: Option<Box<Walker>>,
    /// Set after an input that was not finite: the puppet is ignored from then on.
    pub quarantined: bool,
}

impl Puppet {
    /// The pose of a sole as it presses: with the height and tilt given by the ground while it is down, otherwise the
    /// input pose.
    pub fn sole(&self, foot: usize) -> SolePose {
        let (said, stands) = (self.pose.soles[foot], &self.feet[foot]);
        if !stands.down || stands.stance <= 0.0 {
            return said;
        }
        let mut sole = said.seated(&stands.seat);
        sole.position.y = stands.height as f32;
        sole
    }
}

// Mass, hold and soles are the scene's.
state! {
    Puppet { pose, last_center, feet[..], last_drive, walker, quarantined } except { mass, hold, soles }
}
