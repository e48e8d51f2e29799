//! A walker in a scene: a body that moves itself, and what it is told to do.

use super::Path;
use crate::imported::Recorded;
use crate::params::field::{Field, Range, field};
use crate::persist::{Persist, Reader, Sink, SnapshotError, state};
use std::sync::Arc;

/// Model of a walker's force on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ForceModel {
    /// The papers' model: weight share plus the landing's momentum held for τ (DF-8, TR-3).
    Impulse,
    /// F = Σ mᵢ(g − aᵢ) over the body's segments, shared between the feet.
    #[default]
    WholeBody,
}

impl ForceModel {
    /// Both models, with their names in scene files.
    pub const ALL: [(&'static str, Self); 2] = [("impulse", Self::Impulse), ("whole_body", Self::WholeBody)];
}

/// Kind of motion of a walker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// Walks, and runs at speeds above a walk.
    #[default]
    Auto,
    /// Walks at any speed.
    Walk,
    /// Runs, except at the slowest speeds.
    Run,
    /// Steps sideways to its right.
    Sidestep,
    /// Walks backwards.
    Backward,
    /// Jumps repeatedly.
    Jump,
}

impl Motion {
    /// All motions, with their names in scene files.
    pub const ALL: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("walk", Self::Walk),
        ("run", Self::Run),
        ("sidestep", Self::Sidestep),
        ("backward", Self::Backward),
        ("jump", Self::Jump),
    ];

    /// Heading of a walker with this motion along `direction`, rad.
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
    /// Path and number of passes.
    pub path: Path,
    /// Whether the walker slows down on soft and steep ground to keep its metabolic power constant.
    pub metabolic: bool,
    /// Kind of motion.
    pub motion: Motion,
}

/// Input from a stick or keys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Steer {
    /// Wanted velocity, x and z, m/s.
    pub velocity: [f32; 2],
    /// Heading, rad from +x towards +z; from velocity and motion if not given.
    pub heading: Option<f32>,
    /// Kind of motion.
    pub motion: Motion,
}

state! { Steer { velocity, heading, motion } }

/// Control input of a walker.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Control {
    /// Stand.
    Stand,
    /// Move with a velocity, from a stick or keys.
    Walk(Steer),
    /// Follow a route.
    Route(Route),
}

/// The heading of a direction given as x and z, rad from +x towards +z.
pub(crate) fn heading_of(direction: [f64; 2]) -> f64 {
    libm::atan2(direction[1], direction[0])
}

/// Description of a walker.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WalkerSpec {
    /// Control input at the start; a host can change it at any time.
    pub control: Control,
    /// Force model.
    pub force: ForceModel,
    /// Whether the balance controller is on (blue in the papers' figures) or off (red).
    pub balance: bool,
    /// Start position, x and z, m.
    pub position: [f64; 2],
    /// Initial heading, rad.
    pub heading: f64,
    /// Variation of its steps, its passes and its person: 1 as measured for people, 0 for none.
    pub step_variation: f64,
    /// Recorded motion on its own skeleton; generated motion if `None`.
    pub recorded: Option<Arc<Recorded>>,
}

impl WalkerSpec {
    /// Its numbers.
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("heading_deg", "°", -360_000.0, 360_000.0, "initial heading, from +x towards +z"), heading),
        field!(Range::new("step_variation", "", 0.0, 3.0, "variation of steps and passes: 1 as measured for people, 0 for none").of("Hausdorff 1995, Owings 2004"), step_variation),
    ];

    /// A walker on a path with default values: it starts at the first waypoint and faces along the path.
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
