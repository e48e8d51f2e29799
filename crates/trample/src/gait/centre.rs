//! The centre of mass: how it rises, falls and sways in a step.
//!
//! In: timing and phase. Out: displacement from its even path: what the forces under both feet ([`super::reaction`]) make of it,
//! integrated twice in closed form, so that the body moves as its feet push it, walking and running alike.

use super::curves::Band;
use super::reaction::{Reaction, Series};
use super::timing::Timing;
use crate::params::GRAVITY;

/// Displacement of the centre of mass, m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bounce {
    /// Upwards.
    pub up: f64,
    /// Along the motion.
    pub forward: f64,
}

/// At `phase` cycles, 0 at the touch-down of either foot and again at a half.
pub(super) fn bounce(timing: &Timing, phase: f64) -> Bounce {
    let step = 0.5 * timing.period;
    let scale = GRAVITY * step * step;
    let steps = 2.0 * phase;
    let t = steps - steps.floor();
    let moved = |reaction: &Reaction, duty: f64, amount: f64| Bounce {
        up: amount * scale * driven(&reaction.up, 2.0 * duty, t, 1.0),
        forward: amount * scale * driven(&reaction.forward, 2.0 * duty, t, 0.0),
    };
    let walk = || moved(&Reaction::walking(timing), timing.duty.max(0.5), Band::new(timing.speed).amount);
    let run = || moved(&Reaction::running(timing), timing.contact, 1.0);
    match timing.run {
        r if r <= 0.0 => walk(),
        r if r >= 1.0 => run(),
        r => {
            let (walk, run) = (walk(), run());
            let mix = |a: f64, b: f64| a + (b - a) * r;
            Bounce { up: mix(walk.up, run.up), forward: mix(walk.forward, run.forward) }
        }
    }
}

/// The periodic motion, of no mean, under feet that land every whole number and press for `stance`, less than two, against an even pull of
/// `against`, at `t` after a landing.
fn driven(force: &Series, stance: f64, t: f64, against: f64) -> f64 {
    let foot = |t: f64| stance * stance * force.twice(t / stance);
    // The foot that has just landed and the one before; older ones move the body evenly, which the last term makes up for.
    let even = 0.5 * against - foot(2.0);
    let mean = stance * stance * stance * force.thrice(2.0 / stance) - against / 6.0 + 0.5 * even;
    foot(t) + foot(t + 1.0) - 0.5 * against * t * t + even * t - mean
}

/// Sideways amplitude of the centre of mass between feet `width` m apart, m: a linear inverted pendulum of that height
/// driven by the first harmonic of the stepping.
pub(super) fn sway(width: f64, height: f64, period: f64) -> f64 {
    let own = GRAVITY / height;
    let driven = std::f64::consts::TAU / period;
    4.0 / std::f64::consts::PI * 0.5 * width * own / (own + driven * driven)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn force(timing: &Timing, phase: f64) -> f64 {
        let h = 1e-4;
        let y = |p: f64| bounce(timing, p).up;
        let second = (y(phase + h) - 2.0 * y(phase) + y(phase - h)) / (h * h * timing.period * timing.period);
        1.0 + second / GRAVITY
    }

    #[test]
    fn a_runner_falls_freely_and_rebounds_with_two_to_three_weights() {
        for speed in [2.4, 3.0, 4.0, 5.5] {
            let t = Timing::new(speed, 0.943, 1.0, 0.0);
            let top = (1..200).map(|i| force(&t, f64::from(i) * 0.0025)).fold(0.0, f64::max);
            assert!((2.3..2.8).contains(&top), "{speed} m/s: {top} BW");
            let flying = force(&t, 0.5 * (t.duty + 0.5));
            assert!(flying.abs() < 1e-3, "{speed} m/s: {flying} BW in flight");
            assert!((bounce(&t, 0.0).up - bounce(&t, 0.4999999).up).abs() < 1e-4, "a cycle closes");
        }
    }

    #[test]
    fn a_walkers_centre_rises_by_three_centimetres_and_is_moved_by_its_feet() {
        let t = Timing::new(1.31, 0.943, 1.0, 0.0);
        let up = |i: i32| bounce(&t, f64::from(i) * 0.005).up;
        let (low, high) = (0..100).map(up).fold((1.0, -1.0), |(a, b): (f64, f64), y| (a.min(y), b.max(y)));
        assert!((0.027..0.04).contains(&(high - low)), "{}", high - low);
        let foot = Reaction::walking(&t).up;
        for i in 1..50 {
            let phase = 0.01 * f64::from(i);
            let both = foot.at(phase / t.duty) + foot.at((phase + 0.5) / t.duty);
            assert!((force(&t, phase) - both).abs() < 1e-3, "{} and {both} at {phase}", force(&t, phase));
        }
    }
}
