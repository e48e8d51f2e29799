//! A walker in a scene: a body that moves itself, and what it is told to do.

use super::Walk;
use crate::params::Body;

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

/// A route: waypoints, passes, scatter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Where and how often; its step length and width do not count here, the gait has its own.
    pub walk: Walk,
    /// Whether soft and steep ground slow the walker so that its power stays the same.
    pub metabolic: bool,
}

/// What a walker is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Stand.
    Stand,
    /// Go with a velocity, as a stick or keys say.
    Walk {
        /// Wanted velocity, x and z, m/s.
        velocity: [f32; 2],
        /// Where to look, rad from +x towards +z; along the velocity if not given.
        heading: Option<f32>,
    },
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
}
