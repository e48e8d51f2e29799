//! What a step did: feet on the ground, what happened, how much slid.

use glam::{Vec2, Vec3};

/// A foot on the ground during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Contact {
    /// Whose.
    pub puppet: usize,
    /// Which foot.
    pub foot: usize,
    /// For how much of the step, s.
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
    /// How the sole slides because the ground cannot hold it, m/s; known under the natural law.
    pub slip: Vec3,
    /// What wet ground would hold the foot back with if it were lifted now, N; known under the natural law.
    pub suction: f64,
    /// Largest pressure under heel, arch, ball and toes, Pa; known under the natural law.
    pub peaks: [f64; 4],
    /// Height of the sole's lowest plane, m.
    pub height: f64,
    /// Where the force acts in the mean, x and z, m; the middle of the sole where its owner does not tell.
    pub cop: Vec2,
}

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Event {
    /// A foot met the ground.
    FootDown {
        /// Whose.
        puppet: usize,
        /// Which foot.
        foot: usize,
        /// When, s.
        time: f64,
        /// Where; y as in the pose.
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
        /// When, s.
        time: f64,
        /// Where; y as in the pose.
        position: Vec3,
        /// Largest normal force of the stance, N.
        force: f64,
        /// Mean contact area of the stance, m².
        area: f64,
        /// Depth of the print, m: the mean under the sole when that was deepest.
        depth: f64,
        /// ∫ normal force dt, N·s.
        impulse: f64,
        /// How long it stood, s.
        stance: f64,
    },
    /// A puppet's pose was not a number; it is left out from now on.
    Quarantined {
        /// Which.
        puppet: usize,
    },
}

/// What a step did.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// Time at the end of the step, s.
    pub time: f64,
    /// Feet on the ground.
    pub contacts: Vec<Contact>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Sweeps of sliding material.
    pub sweeps: u64,
    /// How often a stage was shared out over threads.
    pub splits: u64,
}
