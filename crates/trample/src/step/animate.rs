//! Scripts to poses. In: the scene's scripts and the time at the end of the step. Out: where every sole is.
//!
//! A pose with a number that is not one takes its puppet out of the simulation and into the report; the rest goes on.

use crate::scene::{Scene, Script};
use crate::state::{Ground, Pose, Puppet};
use crate::world::{Event, Report};

/// Moves every scripted puppet to `time` and looks the poses over.
pub(crate) fn run(scene: &Scene, time: f64, ground: &Ground, puppets: &mut [Puppet], report: &mut Report) {
    for (id, (puppet, spec)) in puppets.iter_mut().zip(&scene.puppets).enumerate() {
        if puppet.quarantined {
            continue;
        }
        if !matches!(spec.script, Script::Host { .. }) {
            // Each puppet has its own random numbers.
            let seed = scene.seed.wrapping_add((id as u64).wrapping_mul(0x2545_F491_4F6C_DD1D));
            spec.script.pose(time, spec.height, seed, &ground.base, &mut puppet.pose);
            keep_on_the_map(&mut puppet.pose, ground, spec.foot_length.max(spec.foot_width));
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

/// Nobody steps over the edge of the terrain: soles stay so far inside that they and their rims are whole. Scatter may ask
/// for more; a terrain too small for that keeps them in its middle.
fn keep_on_the_map(pose: &mut Pose, ground: &Ground, foot: f64) {
    let margin = (0.65 * foot + ground.contour) as f32;
    let inside = |x: f32, cells: i32| {
        let side = (f64::from(cells) * ground.cell) as f32;
        if side > 2.0 * margin { x.clamp(margin, side - margin) } else { 0.5 * side }
    };
    for sole in &mut pose.soles {
        sole.position.x = inside(sole.position.x, ground.size[0]);
        sole.position.z = inside(sole.position.z, ground.size[1]);
    }
}
