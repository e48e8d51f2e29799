//! Timing: how long a cycle and a stance last at a speed.
//!
//! In: speed, leg length, direction, slope. Out: period, share of stance, whether it is a run. Boulic & Thalmann 1990 for
//! walking; running from published contact times and step rates (see each number).

use super::curves::{Band, SPEEDS};
use crate::math::smooth;
use crate::params::GRAVITY;

/// The rhythm of a gait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Time of two steps, s.
    pub period: f64,
    /// Share of it a foot stands.
    pub duty: f64,
    /// 0 walking, 1 running.
    pub run: f64,
    /// Speed over √(g·leg).
    pub speed: f64,
    /// Share of the period a foot would stand in running at this speed.
    pub contact: f64,
    /// Rise of the ground per metre along the motion.
    pub slope: f64,
}

/// Whether a body walks or runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// By its speed: it runs from v²/(g·leg) = 0.5 on.
    #[default]
    Auto,
    /// It walks at any speed.
    Walk,
    /// It runs at any speed.
    Run,
}

/// Dimensionless speeds between which a walk becomes a run: 2.1 and 2.2 m/s on legs of 0.943 m, a Froude number of 0.5.
const CHANGES: [f64; 2] = [0.690, 0.7235];

/// Step length over leg length at each of [`SPEEDS`] (Schwartz 2008, Table 1).
const STEP: [f64; 5] = [0.5099, 0.64, 0.7596, 0.8497, 0.922];

/// Length of a step of scripted feet ([`crate::scene::Walk`]) at `speed` m/s on legs of `leg` m: half of a cycle of 1.346·√RV·leg
/// (Boulic & Thalmann 1990), the model that the papers' experiments are walked with. Walkers use the measured lengths `STEP`
/// (Schwartz 2008) instead, which the joint curves belong to; at walking speeds the two differ by less than 8 %.
pub(crate) fn published_step(speed: f64, leg: f64) -> f64 {
    0.5 * 1.346 * (speed / leg).sqrt() * leg
}

/// How long a foot stands in a walking cycle of `period` s, s: 0.752·T − 0.143 (Boulic & Thalmann 1990), and always more
/// than half of it.
pub(crate) fn standing(period: f64) -> f64 {
    (0.752 * period - 0.143).clamp(0.56 * period, 0.74 * period)
}

/// By how much of the cycle a foot stands longer than Boulic's law has it, at a dimensionless speed: the soft ends of a step in
/// shoes count as well (0.757 s at 1.24 m/s and 0.785 s at 1.14 m/s in two recorded adults).
pub(super) fn soft_end(speed: f64) -> f64 {
    0.014 * ((speed - 0.29) / 0.1).clamp(0.0, 1.0)
}

impl Timing {
    /// At `speed` m/s on legs of `leg` m at the pace of that speed. `forward` is the cosine between motion and heading; `slope`
    /// the ground's rise per metre along the motion.
    pub fn new(speed: f64, leg: f64, forward: f64, slope: f64) -> Self {
        Self::at(Pace::Auto, speed, leg, forward, slope)
    }

    /// The same, walking or running as `pace` says.
    pub fn at(pace: Pace, speed: f64, leg: f64, forward: f64, slope: f64) -> Self {
        let froude = (GRAVITY * leg).sqrt();
        let v = speed / froude;
        let run = match pace {
            Pace::Auto => smooth((v - CHANGES[0]) / (CHANGES[1] - CHANGES[0])),
            Pace::Walk => 0.0,
            Pace::Run => 1.0,
        };
        let walk = Self::walk(speed, leg, forward, slope);
        if run <= 0.0 {
            return Self { speed: v, ..walk };
        }
        let ran = Self::running(speed, leg);
        let mix = |a: f64, b: f64| a + (b - a) * run;
        Self {
            period: mix(walk.period, ran.period),
            duty: mix(walk.duty, ran.duty),
            run,
            speed: v,
            contact: ran.duty,
            slope,
        }
    }

    fn walk(speed: f64, leg: f64, forward: f64, slope: f64) -> Self {
        let v = (speed / (GRAVITY * leg).sqrt()).max(0.135);
        // Measured step lengths over leg length (Schwartz 2008); they lie within 8 % of the cycle 1.346·√RV·leg of Boulic and
        // keep the joint curves consistent with the speed. Below a slow shuffle people do not slow their step rate further
        // but shorten their steps.
        let step = Band::new(v).pick(&STEP) * (v / SPEEDS[0]).min(1.0).sqrt();
        let mut period = 2.0 * step / v * (leg / GRAVITY).sqrt();
        // Sideways steps are 0.7, backward ones 0.75 times as long at the same speed.
        let side = 1.0 - forward * forward;
        period *= 1.0 - 0.3 * side - if forward < 0.0 { 0.25 * forward * forward } else { 0.0 };
        // Franz & Kram 2012: downhill the step rate rises by 6 % at 9°, uphill it hardly changes.
        // On steeper ground than was measured steps shorten further: a leg reaches only so far down or up.
        let down = (-slope).clamp(0.0, 0.36);
        period *= 1.0 - 0.42 * down - 0.9 * (down - 0.16).max(0.0) - 0.6 * (slope.min(0.36) - 0.17).max(0.0);
        let duty = (standing(period) / period + soft_end(v)).min(0.74);
        Self { period, duty, run: 0.0, speed: 0.0, contact: 0.4, slope }
    }

    fn running(speed: f64, leg: f64) -> Self {
        let v = speed / (GRAVITY * leg).sqrt();
        // Step rate 2.6 Hz at a jog to 3.0 Hz at 5.5 m/s for a 0.94 m leg, and with 1/√leg for others.
        let rate = (2.6 + 0.4 * ((v - 0.72) / 1.08).clamp(0.0, 1.5)) * (0.943 / leg).sqrt();
        // Contact about 0.8·leg/v; measured contact shortens a little less than that (0.25, 0.21, 0.16 s at 3, 4, 5.5 m/s).
        // A leg cannot sweep more than nine tenths of its length over the ground.
        let contact = leg / speed * (0.8 * libm::pow(v / 0.987, 0.35)).min(0.92);
        let period = 2.0 / rate;
        let duty = (contact.clamp(0.12, 0.30) / period).clamp(0.2, 0.42);
        Self { period, duty, run: 1.0, speed: v, contact: duty, slope: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_strides_take_the_time_the_law_says() {
        // Recorded: 1.25, 1.13, 1.03 s at 0.93, 1.22, 1.52 m/s (about 1.8 m tall).
        for (speed, period) in [(0.93, 1.25), (1.22, 1.13), (1.52, 1.03)] {
            let t = Timing::new(speed, 0.943, 1.0, 0.0);
            assert!((t.period / period - 1.0).abs() < 0.1, "{speed}: {} against {period}", t.period);
        }
    }

    #[test]
    fn running_has_a_flight_and_walking_has_none() {
        for speed in [0.4, 1.0, 1.5, 2.0] {
            assert!(Timing::new(speed, 0.943, 1.0, 0.0).duty > 0.5);
        }
        for speed in [2.3, 3.0, 4.0, 5.5] {
            let t = Timing::new(speed, 0.943, 1.0, 0.0);
            let contact = t.duty * t.period;
            assert!((0.12..=0.301).contains(&contact) && t.duty < 0.45, "{speed}: {contact} s");
            assert!((2.55..3.05).contains(&(2.0 / t.period)), "{speed}: {} steps per second", 2.0 / t.period);
        }
    }
}
