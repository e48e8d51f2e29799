//! What a step did: feet on the ground, what happened, how much slid.

use glam::{Vec2, Vec3};

/// A foot on the ground during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Contact {
    /// Index of the puppet.
    pub puppet: usize,
    /// Index of the foot.
    pub foot: usize,
    /// Duration of contact within the step, s.
    pub seconds: f64,
    /// Mean force on the ground, N.
    pub force: Vec3,
    /// Mean force into the ground, N.
    pub normal_force: f64,
    /// Largest force into the ground, N.
    pub peak_force: f64,
    /// Share of the force on the forefoot, by the cells that carry it, 0..1; the rest is on the heel.
    pub toe_share: f64,
    /// Contact area, m².
    pub area: f64,
    /// Mean normal pressure, Pa.
    pub pressure: f64,
    /// Mean depth below the original ground, m.
    pub depth: f64,
    /// Velocity at which the sole slips, m/s; natural law only.
    pub slip: Vec3,
    /// Suction force of wet ground if the foot were lifted now, N; natural law only.
    pub suction: f64,
    /// Largest pressure under heel, arch, ball and toes, Pa; natural law only.
    pub peaks: [f64; 4],
    /// Height of the sole's lowest plane, m.
    pub height: f64,
    /// Mean point of application of the force, x and z, m; the middle of the sole if not given.
    pub cop: Vec2,
}

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Event {
    /// A foot touched the ground.
    FootDown {
        /// Whose.
        puppet: usize,
        /// Which foot.
        foot: usize,
        /// Time, s.
        time: f64,
        /// Position; y as in the pose.
        position: Vec3,
        /// Largest normal force of the step, N.
        force: f64,
        /// Contact area, m².
        area: f64,
    },
    /// A foot left the ground.
    FootUp {
        /// Whose.
        puppet: usize,
        /// Which foot.
        foot: usize,
        /// Time, s.
        time: f64,
        /// Position; y as in the pose.
        position: Vec3,
        /// Largest normal force of the stance, N.
        force: f64,
        /// Mean contact area of the stance, m².
        area: f64,
        /// Depth of the print, m: the largest mean depth under the sole during the stance.
        depth: f64,
        /// ∫ normal force dt, N·s.
        impulse: f64,
        /// Duration of the stance, s.
        stance: f64,
    },
    /// A puppet's pose was not finite; the puppet is ignored from now on.
    Quarantined {
        /// Index of the puppet.
        puppet: usize,
    },
}

/// Report of a step.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// Time at the end of the step, s.
    pub time: f64,
    /// Feet on the ground.
    pub contacts: Vec<Contact>,
    /// Events, in order.
    pub events: Vec<Event>,
    /// Number of sweeps of sliding material.
    pub sweeps: u64,
    /// How often a stage was split over threads.
    pub splits: u64,
}
