//! One step, top to bottom. Alphabetical order is data-flow order; the loop closes through the ground.
//!
//! | stage | in | out |
//! |---|---|---|
//! | [`animate`] | scripts, time | poses of the soles, centre of mass |
//! | [`contact`] | poses, ground | cells under each sole, which feet touch and since when |
//! | [`force`] | contacts, body | force over the step, shared between the feet; landings latched |
//! | [`plants`] | soles, ground | stems bent, worn, broken; how well they hold the ground |
//! | [`soil`] | force, ground | compressed, displaced, slid to rest, tallied |
//! | [`stand`] | soles at rest | bodies over their feet |

pub(crate) mod animate;
pub(crate) mod contact;
pub(crate) mod force;
pub(crate) mod patch;
pub(crate) mod plants;
mod report;
pub(crate) mod rest;
mod scratch;
pub(crate) mod soil;
pub(crate) mod split;
pub(crate) mod stand;
pub(crate) mod stencil;

use crate::clips::Database;
use crate::scene::Scene;
use crate::state::{Ground, Ledger, Plants, Puppet};
pub use report::{Contact, Event, Report};
pub(crate) use scratch::Scratch;
use std::sync::Arc;
use stencil::Stencil;

/// A world taken apart for a step.
pub(crate) struct Parts<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) time: f64,
    pub(crate) ground: &'a mut Ground,
    pub(crate) puppets: &'a mut [Puppet],
    pub(crate) plants: &'a mut Plants,
    pub(crate) soles: &'a [Stencil],
    pub(crate) databases: &'a [Arc<Database>],
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) pending: &'a mut Vec<(i32, i32)>,
    pub(crate) report: &'a mut Report,
}

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Stage {
    /// Scripts to poses.
    Animate,
    /// Poses and ground to cells under the soles.
    Contact,
    /// Contacts and body to force.
    Force,
    /// Soles and ground to plants and their hold on the ground.
    Plants,
    /// Force and ground to new ground.
    Soil,
    /// Soles at rest to bodies over their feet.
    Stand,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 6] =
        [Self::Animate, Self::Contact, Self::Force, Self::Plants, Self::Soil, Self::Stand];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Animate => "animate",
            Self::Contact => "contact",
            Self::Force => "force",
            Self::Plants => "plants",
            Self::Soil => "soil",
            Self::Stand => "stand",
        }
    }
}

/// Runs one step of `dt` seconds; `observe` is called after each stage, so that a host can time and draw it.
pub(crate) fn run(world: Parts<'_>, dt: f64, mut observe: impl FnMut(Stage, &Report)) {
    let Parts {
        scene,
        time,
        ground,
        puppets,
        soles,
        databases,
        scratch,
        ledger,
        pending,
        report,
        plants: grown,
    } = world;
    report.time = time + dt;
    scratch.resting.look(scene, ground, soles, puppets, dt);
    let about = puppets.iter().zip(&scratch.resting.puppets).filter(|(_, rests)| !**rests);
    scratch.about = about.map(|(puppet, _)| puppet.feet.len()).sum();
    let split = scratch.is_split();
    let Scratch { crowd, strides, splits, resting, .. } = scratch;
    *splits += 2 * u64::from(split);
    animate::run(
        scene,
        time,
        dt,
        ground,
        databases,
        puppets,
        &resting.puppets,
        crowd,
        strides,
        split,
        report,
    );
    observe(Stage::Animate, report);
    contact::run(ground, puppets, soles, scratch, dt);
    observe(Stage::Contact, report);
    force::run(puppets, scratch, dt);
    observe(Stage::Force, report);
    plants::run(grown, ground, puppets, soles, scratch, time, dt);
    observe(Stage::Plants, report);
    soil::run(ground, puppets, scratch, ledger, pending, dt, report);
    observe(Stage::Soil, report);
    stand::run(ground, puppets, databases, &mut scratch.strides, split, dt);
    observe(Stage::Stand, report);
}
