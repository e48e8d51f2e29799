//! Scripts to poses. In: the scene's scripts and the time at the end of the step. Out: where every sole is.
//!
//! A pose with a number that is not one takes its puppet out of the simulation and into the report; the rest goes on.

use crate::scene::{Scene, Script};
use crate::state::{Base, Puppet};
use crate::world::{Event, Report};

/// Moves every scripted puppet to `time` and looks the poses over.
pub(crate) fn run(scene: &Scene, time: f64, base: &Base, puppets: &mut [Puppet], report: &mut Report) {
    for (id, (puppet, spec)) in puppets.iter_mut().zip(&scene.puppets).enumerate() {
        if puppet.quarantined {
            continue;
        }
        if !matches!(spec.script, Script::Host { .. }) {
            // Each puppet has its own random numbers.
            let seed = scene.seed.wrapping_add((id as u64).wrapping_mul(0x2545_F491_4F6C_DD1D));
            spec.script.pose(time, spec.height, seed, base, &mut puppet.pose);
        }
        let complete = puppet.pose.soles.len() == puppet.feet.len();
        if !complete || !puppet.pose.is_finite() {
            puppet.quarantined = true;
            for foot in &mut puppet.feet {
                foot.down = false;
            }
            report.events.push(Event::Quarantined { puppet: id });
        }
    }
}
