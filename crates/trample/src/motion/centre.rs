//! The centre of mass: how it rises, falls and sways in a step.
//!
//! In: timing and phase. Out: displacement from its even path. In walking its second derivative is the measured force of
//! both feet (Schwartz 2008), so that the force of the finished motion is the measured one. In running it falls freely and
//! rebounds like a mass on a spring.

use super::curves::{Band, FORWARD, Harmonics, UP};
use super::timing::{GRAVITY, Timing};

/// Displacement of the centre of mass, m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounce {
    /// Upwards.
    pub up: f64,
    /// Along the motion.
    pub forward: f64,
}

/// At `phase` cycles, 0 at the touch-down of either foot and again at a half.
pub fn bounce(timing: &Timing, phase: f64) -> Bounce {
    let step = 0.5 * timing.period;
    let scale = GRAVITY * step * step;
    let walk = || {
        let band = Band::new(timing.speed);
        let h = Harmonics::new(2.0 * phase);
        Bounce {
            up: scale * h.integrated(&band.row(&UP, 0.0)),
            forward: scale * h.integrated(&band.row(&FORWARD, 0.0)),
        }
    };
    if timing.run <= 0.0 {
        return walk();
    }
    let run = running(timing, 2.0 * phase, scale);
    if timing.run >= 1.0 {
        return run;
    }
    let walk = walk();
    let mix = |a: f64, b: f64| a + (b - a) * timing.run;
    Bounce { up: mix(walk.up, run.up), forward: mix(walk.forward, run.forward) }
}

/// Peak force of running, body weights: 2.45 at a jog to 2.75 at 5.5 m/s (2.76 measured at 4 m/s, Hamner 2010; 2–3 BW in
/// the literature).
fn peak(speed: f64) -> f64 {
    2.45 + 0.3 * ((speed - 0.72) / 1.08).clamp(0.0, 1.0)
}

/// Share of the horizontal force in a running step, body weights: ±0.25 to 0.32 measured at 4 m/s.
const BRAKING: f64 = 0.25;

fn running(timing: &Timing, steps: f64, scale: f64) -> Bounce {
    use std::f64::consts::{PI, TAU};
    let t = steps - steps.floor();
    let d = (2.0 * timing.contact).min(0.95);
    // The force over a contact is peak·((1−m)·sin πs + m·sin² πs): m makes the wanted peak carry the body's weight.
    let high = peak(timing.speed);
    let m = ((2.0 / PI - 1.0 / (d * high)) / (2.0 / PI - 0.5)).clamp(-1.0, 1.0);
    let once =
        |s: f64| (1.0 - m) * (1.0 - libm::cos(PI * s)) / PI + m * (0.5 * s - libm::sin(TAU * s) / (4.0 * PI));
    let twice = |s: f64| {
        (1.0 - m) * (s / PI - libm::sin(PI * s) / (PI * PI))
            + m * (0.25 * s * s + (libm::cos(TAU * s) - 1.0) / (8.0 * PI * PI))
    };
    // Where m is at its limit the peak gives way, so that the mean force is the weight in any case.
    let high = 1.0 / (d * once(1.0));
    let s = (t / d).min(1.0);
    let flight = (t - d).max(0.0);
    let lift = |s: f64, flight: f64, t: f64| high * (d * d * twice(s) + d * once(s) * flight) - 0.5 * t * t;
    let start = -lift(1.0, 1.0 - d, 1.0);
    let fall = BRAKING * d * d;
    Bounce {
        up: scale * (lift(s, flight, t) + start * t),
        // Braking, then pushing off: −sin 2πs twice integrated, and the even motion that makes up for it.
        forward: scale * fall * (libm::sin(TAU * s) / (TAU * TAU) - s / TAU + t / TAU),
    }
}

/// Sideways amplitude of the centre of mass between feet `width` m apart, m: a linear inverted pendulum of that height
/// driven by the first harmonic of the stepping.
pub fn sway(width: f64, height: f64, period: f64) -> f64 {
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
    fn a_walkers_centre_rises_by_three_centimetres() {
        let t = Timing::new(1.31, 0.943, 1.0, 0.0);
        let up = |i: i32| bounce(&t, f64::from(i) * 0.005).up;
        let (low, high) = (0..100).map(up).fold((1.0, -1.0), |(a, b): (f64, f64), y| (a.min(y), b.max(y)));
        // Measured forces integrated twice; the pelvis moves by half a centimetre more.
        assert!((0.027..0.04).contains(&(high - low)), "{}", high - low);
    }
}
