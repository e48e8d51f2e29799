//! A walker in a scene: a body that moves itself, and what it is told to do.

use super::Walk;
use crate::motion::recorded::Recorded;
use crate::params::Body;
use std::sync::Arc;

/// How a walker's force on the ground is found (§2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceModel {
    /// The papers': weight share plus the landing's momentum held for τ (DF-8, TR-3).
    Impulse,
    /// F = Σ mᵢ(g − aᵢ) over the body's segments, shared between the feet.
    #[default]
    WholeBody,
}

impl ForceModel {
    /// Both, with their names in scene files.
    pub const ALL: [(&'static str, Self); 2] = [("impulse", Self::Impulse), ("whole_body", Self::WholeBody)];
}

/// How a walker goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// Walks, and runs where it shall be faster than a walk.
    #[default]
    Auto,
    /// Walks, however fast it shall be.
    Walk,
    /// Runs, but for the slowest.
    Run,
    /// Goes to its right.
    Sidestep,
    /// Goes backwards.
    Backward,
    /// Jumps, again and again.
    Jump,
}

impl Motion {
    /// All, with their names in scene files.
    pub const ALL: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("walk", Self::Walk),
        ("run", Self::Run),
        ("sidestep", Self::Sidestep),
        ("backward", Self::Backward),
        ("jump", Self::Jump),
    ];

    /// Where a walker looks that goes this way along `direction`, rad.
    pub fn heading(self, direction: f64) -> f64 {
        match self {
            Self::Sidestep => direction - std::f64::consts::FRAC_PI_2,
            Self::Backward => direction + std::f64::consts::PI,
            _ => direction,
        }
    }
}

/// A route: waypoints, passes, scatter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Where and how often; its step length and width do not count here, the gait has its own.
    pub walk: Walk,
    /// Whether soft and steep ground slow the walker so that its power stays the same.
    pub metabolic: bool,
    /// How it goes along.
    pub motion: Motion,
}

/// What a stick or keys give.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steer {
    /// Wanted velocity, x and z, m/s.
    pub velocity: [f32; 2],
    /// Where to look, rad from +x towards +z; as the motion has it along the velocity if not given.
    pub heading: Option<f32>,
    /// How to go.
    pub motion: Motion,
}

/// What a walker is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Stand.
    Stand,
    /// Go with a velocity, as a stick or keys say.
    Walk(Steer),
    /// Follow a route.
    Route(Route),
}

/// The heading of a direction given as x and z, rad from +x towards +z.
pub fn heading_of(direction: [f64; 2]) -> f64 {
    libm::atan2(direction[1], direction[0])
}

/// A walker.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkerSpec {
    /// Its body.
    pub body: Body,
    /// What it is told at the start; a host may say something else at any time.
    pub control: Control,
    /// How its force is found.
    pub force: ForceModel,
    /// Whether the balance controller is on (blue in the papers' figures) or off (red).
    pub balance: bool,
    /// Where it starts, x and z, m.
    pub position: [f64; 2],
    /// Where it looks at first, rad.
    pub heading: f64,
    /// Motion of its own, on its own skeleton; generated if there is none.
    pub recorded: Option<Arc<Recorded>>,
}
