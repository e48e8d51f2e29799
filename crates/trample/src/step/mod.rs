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

pub mod animate;
pub mod contact;
pub mod force;
pub mod patch;
pub mod plants;
pub mod soil;
pub mod stand;
pub mod stencil;

use crate::world::{Parts, Report};

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    animate::run(scene, time, dt, ground, databases, puppets, &mut scratch.strides, report);
    observe(Stage::Animate, report);
    contact::run(ground, puppets, soles, scratch, dt);
    observe(Stage::Contact, report);
    force::run(ground, puppets, scratch, time, dt, report);
    observe(Stage::Force, report);
    plants::run(grown, ground, puppets, soles, scratch, time, dt);
    observe(Stage::Plants, report);
    soil::run(ground, puppets, scratch, ledger, pending, dt, report);
    observe(Stage::Soil, report);
    stand::run(ground, puppets, databases, &scratch.strides, dt);
    observe(Stage::Stand, report);
}
