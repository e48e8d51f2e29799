//! A walker in a scene: a body that moves itself, and what it is told to do.

use super::Path;
use crate::imported::Recorded;
use crate::params::field::{Field, Range, field};
use crate::persist::{Persist, Reader, Sink, SnapshotError, state};
use std::sync::Arc;

/// How a walker's force on the ground is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// By its place among all of them.
impl Persist for Motion {
    fn write(&self, to: &mut impl Sink) {
        let number = Self::ALL.iter().position(|(_, motion)| motion == self).expect("all are in the list");
        (number as u8).write(to);
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let number = usize::from(from.value::<u8>()?);
        *self = Self::ALL.get(number).ok_or(SnapshotError::Damaged(from.at))?.1;
        Ok(())
    }
}

/// A route: waypoints, passes, scatter.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Route {
    /// Where and how often.
    pub path: Path,
    /// Whether soft and steep ground slow the walker so that its power stays the same.
    pub metabolic: bool,
    /// How it goes along.
    pub motion: Motion,
}

/// What a stick or keys give.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Steer {
    /// Wanted velocity, x and z, m/s.
    pub velocity: [f32; 2],
    /// Where to look, rad from +x towards +z; as the motion has it along the velocity if not given.
    pub heading: Option<f32>,
    /// How to go.
    pub motion: Motion,
}

state! { Steer { velocity, heading, motion } }

/// What a walker is told.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Control {
    /// Stand.
    Stand,
    /// Go with a velocity, as a stick or keys say.
    Walk(Steer),
    /// Follow a route.
    Route(Route),
}

/// The heading of a direction given as x and z, rad from +x towards +z.
pub(crate) fn heading_of(direction: [f64; 2]) -> f64 {
    libm::atan2(direction[1], direction[0])
}

/// How a walker moves its body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WalkerSpec {
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
    /// How much its steps, its passes and itself vary: 1 as people do, 0 for steps that are all alike.
    pub step_variation: f64,
    /// Motion of its own, on its own skeleton; generated if there is none.
    pub recorded: Option<Arc<Recorded>>,
}

impl WalkerSpec {
    /// Its numbers.
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("heading_deg", "°", -360_000.0, 360_000.0, "where it looks at first, from +x towards +z"), heading),
        field!(Range::new("step_variation", "", 0.0, 3.0, "how much its steps and passes vary: 1 as people's do, 0 not at all").of("Hausdorff 1995, Owings 2004"), step_variation),
    ];

    /// A walker on a path with everything else as usual: it starts at the first place and looks along.
    pub fn on(path: Path) -> Self {
        let (from, to) = (path.waypoints[0], path.waypoints[1]);
        Self {
            control: Control::Route(Route { path, metabolic: true, motion: Motion::Auto }),
            force: ForceModel::WholeBody,
            balance: true,
            position: from,
            heading: heading_of([to[0] - from[0], to[1] - from[1]]),
            step_variation: 1.0,
            recorded: None,
        }
    }
}
