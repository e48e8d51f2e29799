//! Resting walkers: a walker that waits for its start or has finished all its passes, has stood for a while, and has no moving body near it.
//!
//! In: scene and state. Out: a flag for each puppet. A resting walker keeps its pose: no clip plays, its feet press as before, which
//! changes nothing, and it costs almost nothing, whatever the number. Others avoid it, sliding material flows around its soles, plants stay
//! under them. The flags follow from the state alone, so neither threads nor restoring a state change a bit.

use super::stencil::Stencil;
use crate::scene::{Control, Scene, Script};
use crate::state::{Ground, Puppet};
use glam::DVec2;

/// A walker that has stood for so long, s, stands still; it moves again so long before it sets out, s. Our choice.
const RESTS: f64 = 5.0;
const WAKES: f64 = 0.5;

/// How near somebody about may come to one who rests, m, beyond what their soles and heaps reach: their feet are within half of it of their
/// places. Our choice.
const NEAR: f64 = 1.5;

/// Whether a puppet has nothing to do in the next `dt` s, whatever goes on near it.
pub(crate) fn is_done(script: &Script, puppet: &Puppet, dt: f64) -> bool {
    if puppet.quarantined {
        return true;
    }
    let (Script::Walker(told), Some(walker)) = (script, puppet.walker.as_deref()) else { return false };
    let Control::Route(route) = &told.control else { return false };
    let still = walker.told.is_none() && !walker.jump && walker.rested > RESTS;
    let pushed = walker.pushed.length_squared() + walker.staggers.length_squared() > 1e-6;
    let waits = walker.age + dt + WAKES < route.path.start || walker.pass >= route.path.passes;
    still && !pushed && waits && puppet.feet.iter().all(|foot| foot.down)
}

/// Who rests, and where somebody is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resting {
    /// Whether each puppet rests.
    pub(crate) puppets: Vec<bool>,
    /// Places of those who are about, x and z, and how far they reach, m.
    about: Vec<(DVec2, f64)>,
}

impl Resting {
    /// Looks who rests in the next `dt` s.
    pub(crate) fn look(
        &mut self,
        scene: &Scene,
        ground: &Ground,
        soles: &[Stencil],
        puppets: &[Puppet],
        dt: f64,
    ) {
        self.puppets.clear();
        self.puppets.extend(puppets.iter().zip(&scene.puppets).map(|(p, spec)| is_done(&spec.script, p, dt)));
        self.about.clear();
        if !self.puppets.contains(&true) {
            return;
        }
        let heaps = f64::from(super::soil::margin(ground)) * ground.cell;
        let reach = |puppet: &Puppet| {
            let half = |sole: usize| DVec2::from(soles[sole].half).length();
            let lengths = puppet.soles.iter().map(|&sole| half(sole));
            heaps + lengths.fold(0.0, f64::max)
        };
        for (puppet, _) in puppets.iter().zip(&self.puppets).filter(|(_, done)| !**done) {
            let far = reach(puppet);
            match puppet.walker.as_deref() {
                Some(walker) => self.about.push((walker.root, far)),
                None => self.about.extend(
                    puppet
                        .pose
                        .soles
                        .iter()
                        .map(|s| (DVec2::new(f64::from(s.position.x), f64::from(s.position.z)), far)),
                ),
            }
        }
        let Self { puppets: resting, about } = self;
        for (puppet, rests) in puppets.iter().zip(resting).filter(|(_, rests)| **rests) {
            let own = NEAR + reach(puppet);
            *rests = !puppet.quarantined
                && puppet.walker.as_deref().is_some_and(|walker| {
                    about.iter().all(|(place, far)| {
                        // A place that is no number wakes nobody: its owner is left out in this step.
                        place.is_nan() || place.distance_squared(walker.root) >= (own + far) * (own + far)
                    })
                });
        }
    }
}
