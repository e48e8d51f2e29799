//! Variation between steps, between people, and between passes of one person.
//!
//! In: a walker's seed, its number of steps, its pass. Out: the offset of its next landing from that of its clip,
//! and the duration of the step. Every number is a function of seed and counter. `amount` scales all of it: 1 as measured for people, 0
//! for none.
//!
//! Published of level walking: step length varies by 2–4 % from step to step, step width by 2–3 cm (standard deviation), and
//! stride time by about 2 %, with long memory: its spectrum falls as 1/f (Hausdorff et al. 1995; Bauby and Kuo 2000; Owings and
//! Grabiner 2004). Step length follows from the body's travel in the step's time, and one foot's scatter affects two steps, so the numbers
//! below are smaller than their combined effect.

use crate::random::{Stream, normal, uniform};
use crate::state::Walker;
use glam::Vec3;

/// Scatter of the time of steps, as a share (Hausdorff 1995: stride time 1–3 %).
const TIME: f64 = 0.02;
/// Scatter of where a foot lands along and across, m: with [`TIME`] steps vary by 3 % in length and 2.3 cm in width.
const ALONG: f64 = 0.011;
const ACROSS: f64 = 0.016;
/// How much people differ in the time of their steps at one speed, as a share, and in where each foot goes across, m: our choice,
/// little, as people differ by their bodies too.
const PERSON_TIME: f64 = 0.01;
const PERSON_ACROSS: f64 = 0.01;
/// The farthest from the mean, in standard deviations: a leg has to reach there.
const FARTHEST: f64 = 2.5;
/// Time scales of the memory, each twice as long as the one before: from one step to 256.
const OCTAVES: u64 = 9;
/// Passes begin at another phase of the step. Somebody turns a step sooner or later, m, so that feet come down everywhere along a
/// path alike, but always so much, m, nearer to its end than usual at the most. The first steps of a pass are longer or shorter by
/// so much all together, m, over so long a way, m. Our choice.
const TURNS: f64 = 0.72;
const NEARER: f64 = 0.23;
const LEAD: f64 = 0.4;
const LEADS_OVER: f64 = 2.1;
/// How far to the side a pass lies of where it is meant to, m: our choice, a third of a shoe's length.
const ASIDE: f64 = 0.03;

/// A number with mean 0 and standard deviation 1, not too far out.
fn scatter(seed: u64, stream: Stream, counter: u64) -> f64 {
    normal(seed, stream, counter).clamp(-FARTHEST, FARTHEST)
}

/// The same with long memory, 1/f: numbers that hold for one, two, four … steps, added up (Voss's way).
fn remembered(seed: u64, step: u64) -> f64 {
    let of = |octave: u64| normal(seed, Stream::StepTime, (octave << 40) | (step >> octave));
    let sum: f64 = (0..OCTAVES).map(of).sum();
    (sum / (OCTAVES as f64).sqrt()).clamp(-FARTHEST, FARTHEST)
}

/// A foot has left the ground: where it will land beside where its clip has it, and how fast the step goes.
pub(crate) fn lifts(walker: &mut Walker, side: usize, seed: u64, amount: f64) {
    let step = walker.steps;
    walker.steps += 1;
    (walker.locks[side].scatter, walker.pace) = (Vec3::ZERO, 1.0);
    if amount <= 0.0 {
        return;
    }
    // The left foot is the first; to the right is positive.
    let outwards = if side == 0 { -1.0 } else { 1.0 };
    let across = ACROSS * scatter(seed, Stream::StepAcross, step)
        + PERSON_ACROSS * outwards * scatter(seed, Stream::Person, 0);
    let along = ALONG * scatter(seed, Stream::StepAlong, step);
    walker.locks[side].scatter = Vec3::new((amount * along) as f32, 0.0, (amount * across) as f32);
    let time = TIME * remembered(seed, step) + PERSON_TIME * scatter(seed, Stream::Person, 1);
    let lead = match walker.along < LEADS_OVER {
        true => LEAD * (uniform(seed, Stream::PassPhase, 2 * u64::from(walker.pass)) - 0.5) / LEADS_OVER,
        false => 0.0,
    };
    walker.pace = (1.0 / (1.0 + amount * (time + lead)).max(0.5)) as f32;
}

/// How much sooner than usual somebody turns at the end of a pass, m.
pub(crate) fn turns(seed: u64, pass: u32, amount: f64) -> f64 {
    if amount <= 0.0 {
        return 0.0;
    }
    // Not beyond the end of the path, however much they vary.
    (amount * (TURNS * uniform(seed, Stream::PassPhase, 2 * u64::from(pass) + 1) - NEARER)).max(-NEARER)
}

/// How far to the right of its path a pass lies, m.
pub(crate) fn aside(seed: u64, pass: u32, amount: f64) -> f64 {
    if amount <= 0.0 { 0.0 } else { amount * ASIDE * scatter(seed, Stream::PassAside, u64::from(pass)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_steps_have_long_memory() {
        let times: Vec<f64> = (0..4096).map(|step| remembered(7, step)).collect();
        let spread = |x: &[f64]| {
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            (x.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / x.len() as f64).sqrt()
        };
        assert!((0.7..1.3).contains(&spread(&times)), "{}", spread(&times));
        // Means over 64 steps of numbers without memory would vary an eighth as much.
        let means: Vec<f64> = times.chunks(64).map(|c| c.iter().sum::<f64>() / 64.0).collect();
        assert!(spread(&means) > 0.35, "{}", spread(&means));
    }
}
