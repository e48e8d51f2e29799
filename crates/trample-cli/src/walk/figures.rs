//! What a walk measures: rhythm, feet, force.

use super::{Landing, Sample, film};
use serde_json::{Value, json};
use trample::Script;
use trample::body::{HIP, Placed};
use trample::glam::Vec3;

/// Speeds of standing feet along the ground, m/s, and the farthest one has drifted, m.
fn skate(samples: &[Sample]) -> (Vec<f64>, f64) {
    let (mut speeds, mut drift) = (Vec::new(), 0.0f64);
    for side in 0..2 {
        let mut since: Option<Vec3> = None;
        for pair in samples.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            match (a.fixed[side], b.fixed[side]) {
                (Some((p, x)), Some((q, y))) if x == y => {
                    speeds.push(f64::from((q - p).with_y(0.0).length()) / (b.time - a.time));
                    let from = *since.get_or_insert(p);
                    drift = drift.max(f64::from((q - from).with_y(0.0).length()));
                }
                _ => since = None,
            }
        }
    }
    (speeds, drift)
}

/// First peak, valley and second peak of the right foot's force over a stance, body weights, mean of the stances between
/// `from` and `to` s; none where a stance has no two humps. A runner's first is the impact, in the first fifth of the stance.
fn humps(samples: &[Sample], landings: &[Landing], from: f64, to: f64, runs: bool) -> Option<[f64; 3]> {
    let starts: Vec<f64> =
        landings.iter().filter(|l| l.1 == 1 && l.0 >= from && l.0 <= to).map(|l| l.0).collect();
    let (mut sum, mut n) = ([0.0; 3], 0.0);
    for pair in starts.windows(2) {
        let force: Vec<f64> = samples
            .iter()
            .filter(|s| s.time > pair[0] && s.time < pair[1])
            .map(|s| s.force[1][1])
            .take_while(|f| *f > 0.0)
            .collect();
        let half = if runs { force.len() / 5 } else { force.len() / 2 };
        let top = |part: &[f64]| {
            part.iter().enumerate().fold((0, 0.0), |a, (i, &f)| if f > a.1 { (i, f) } else { a })
        };
        if half < 4 {
            continue;
        }
        let ((i, first), (j, second)) = (top(&force[..half]), top(&force[half..]));
        let valley = force[i..half + j].iter().fold(f64::MAX, |a, &f| a.min(f));
        for (slot, value) in sum.iter_mut().zip([first, valley, second]) {
            *slot += value;
        }
        n += 1.0;
    }
    (n > 0.0).then(|| sum.map(|x| x / n))
}

/// Less than this is not counted as pressing, body weights: 20 N, as with force plates.
const PRESSES: f64 = 0.026;

/// Share of the right foot in the vertical force halfway through the double support after its landing, mean of the landings
/// between `from` and `to` s; none without double support. Double support is from where the right foot begins to press to where
/// the left one ceases to, both between samples.
fn leading_share(samples: &[Sample], landings: &[Landing], from: f64, to: f64) -> Option<f64> {
    let of = |i: usize, foot: usize| samples[i].force[foot][1];
    // When between the samples before and at `i` a foot's force passes what counts, in samples.
    let passes = |i: usize, foot: usize| {
        let (a, b) = (of(i - 1, foot), of(i, foot));
        i as f64 - ((b - PRESSES) / (b - a)).clamp(0.0, 1.0)
    };
    let shares: Vec<f64> = landings
        .iter()
        .filter(|l| l.1 == 1 && l.0 >= from && l.0 < to)
        .filter_map(|l| {
            let near = samples.partition_point(|s| s.time < l.0);
            let begin = (near.max(1)..samples.len()).find(|&i| of(i, 1) > PRESSES)?;
            let end = (begin..samples.len()).find(|&i| of(i, 0) <= PRESSES).filter(|&i| i > begin)?;
            let middle = 0.5 * (passes(begin, 1) + passes(end, 0));
            let (i, w) = (middle as usize, middle.fract());
            let [left, right] = [0, 1].map(|foot| of(i, foot) + (of(i + 1, foot) - of(i, foot)) * w);
            Some(right / (left + right))
        })
        .collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// Coefficient of variation of a person's step lengths, as published (2–4 %): the standard deviation of the distances along the way
/// from one foot's landing to the other's, over their mean, between `from` and `to` s. In a walk that is long enough the first
/// [`SETTLES`] m and the last two steps are left out: there it still starts, or stops already.
fn step_cv(landings: &[Landing], from: f64, to: f64) -> f64 {
    let steady: Vec<&Landing> = landings.iter().filter(|l| l.0 >= from && l.0 <= to).collect();
    let begins = landings.first().map_or(0.0, |l| l.2.x) + SETTLES;
    let settled = steady.iter().position(|l| l.2.x > begins).unwrap_or(steady.len());
    let within = steady.get(settled..steady.len().saturating_sub(2)).filter(|inner| inner.len() > 4);
    let lengths: Vec<f64> =
        within.unwrap_or(&steady).windows(2).map(|w| f64::from((w[1].2 - w[0].2).with_y(0.0).x)).collect();
    let n = lengths.len().max(1) as f64;
    let mean = lengths.iter().sum::<f64>() / n;
    (lengths.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt() / mean
}

/// How far from its first landing a walker goes with steps that are longer or shorter all together, m: passes begin so.
const SETTLES: f32 = 2.1;

/// Angle of a segment from `a` to `b` against the downward vertical in the plane of the walk, degrees, forwards positive.
pub(super) fn swing(placed: &Placed, a: usize, b: usize) -> f64 {
    let d = placed.positions[b] - placed.positions[a];
    libm::atan2(f64::from(d.x), f64::from(-d.y)).to_degrees()
}

pub(super) fn knee(placed: &Placed, side: usize) -> f64 {
    let (h, k, a) = (HIP[side], HIP[side] + 1, HIP[side] + 2);
    let (u, v) = (placed.positions[k] - placed.positions[h], placed.positions[a] - placed.positions[k]);
    f64::from(libm::acosf(u.normalize().dot(v.normalize()).clamp(-1.0, 1.0))).to_degrees()
}

/// Time, s, and length, m, of a stride from one landing to the next of the same foot.
fn stride(from: &Landing, to: &Landing) -> (f64, f64) {
    (to.0 - from.0, f64::from((to.2 - from.2).with_y(0.0).length()))
}

/// Landings of even walking: the longest row of strides that are equally fast within 5 %, the faster one of rows of the same length. Who
/// sets off or stops changes by more from stride to stride. Of four and more the first and the last are left out: one begins in
/// setting off, the other ends in stopping.
fn steady<'a>(right: &'a [&'a Landing]) -> &'a [&'a Landing] {
    let speeds: Vec<f64> = right.windows(2).map(|w| stride(w[0], w[1])).map(|(t, l)| l / t).collect();
    let mut best = (0..0, 0.0);
    for from in 0..speeds.len() {
        let (mut least, mut most, mut to) = (speeds[from], speeds[from], from);
        while to < speeds.len() && most.max(speeds[to]) <= 1.05 * least.min(speeds[to]) {
            (least, most, to) = (least.min(speeds[to]), most.max(speeds[to]), to + 1);
        }
        let longer = (to - from).cmp(&best.0.len());
        if longer.is_gt() || longer.is_eq() && least > best.1 {
            best = (from..to, least);
        }
    }
    let (row, ends) = (best.0.clone(), usize::from(best.0.len() >= 4));
    right.get(row.start + ends..=row.end - ends).unwrap_or(right)
}

/// Slower than this Froude number nobody runs by recordings: what is in the air then are steps that were recorded loosely. Our choice; people change
/// from walk to run at one half.
const SLOWEST_RUN: f64 = 0.25;

/// What the walk measures: rhythm, feet, force.
pub(super) fn figures(walked: &film::Walked) -> Value {
    let film::Walked { samples, landings, world, .. } = walked;
    let right: Vec<&Landing> = landings.iter().filter(|l| l.1 == 1).collect();
    let steady = steady(&right);
    let strides: Vec<(f64, f64)> = steady.windows(2).map(|w| stride(w[0], w[1])).collect();
    let mean = |f: fn(&(f64, f64)) -> f64| strides.iter().map(f).sum::<f64>() / strides.len().max(1) as f64;
    let (from, to) = (steady.first().map_or(0.0, |l| l.0), steady.last().map_or(0.0, |l| l.0));
    let within: Vec<&Sample> = samples.iter().filter(|s| s.time > from && s.time <= to).collect();
    let weight_share =
        within.iter().map(|s| s.force[0][1] + s.force[1][1]).sum::<f64>() / within.len().max(1) as f64;
    let peak = within.iter().flat_map(|s| s.force.map(|f| f[1])).fold(0.0, f64::max);
    let straightest =
        samples.iter().flat_map(|s| [knee(&s.placed, 0), knee(&s.placed, 1)]).fold(f64::MAX, f64::min);
    // How far the drawn sole is from the sole that presses the ground, up or down.
    let spread = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        let last = values.len().saturating_sub(1) as f64;
        let share = |q: f64| values.get((q * last) as usize).copied().unwrap_or(0.0);
        json!({ "median": share(0.5), "p99": share(0.99), "max": share(1.0) })
    };
    let gaps = samples.iter().flat_map(|s| s.gaps.iter().flatten().copied()).collect();
    let depths = samples.iter().flat_map(|s| s.penetration.map(|depth| depth.max(0.0))).collect();
    let (speeds, drift) = skate(samples);
    let flying = within.iter().filter(|s| s.force.iter().all(|f| f[1] <= 0.0)).count();
    let speed = strides.iter().map(|s| s.1).sum::<f64>() / strides.iter().map(|s| s.0).sum::<f64>();
    let froude = speed * speed / (trample::params::GRAVITY * world.scene().puppets[0].body.leg());
    let recorded = matches!(&world.scene().puppets[0].script, Script::Walker(w) if w.recorded.is_some());
    let runs = flying > within.len() / 20 && (!recorded || froude > SLOWEST_RUN);
    let humps = humps(samples, landings, from, to, runs);
    let stances: Vec<f64> = walked.stances.iter().filter(|s| s.0 > from && s.0 <= to).map(|s| s.1).collect();
    let stance = stances.iter().sum::<f64>() / stances.len().max(1) as f64;
    // Of the right foot: the largest of a kind, and its impulse over a stride.
    let most = |of: &dyn Fn(&[f64; 3]) -> f64| {
        within.iter().map(|s| of(&s.force[1])).fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a })
    };
    let impulse = |of: &dyn Fn(&[f64; 3]) -> f64| {
        let mean = within.iter().map(|s| of(&s.force[1])).sum::<f64>() / within.len().max(1) as f64;
        mean * (to - from) / strides.len().max(1) as f64
    };
    json!({
        "gait": if runs { "run" } else { "walk" },
        "speed_m_per_s": speed,
        "stance_s": stance,
        "force_bw": json!({
            "peak1": humps.map(|h| h[0]),
            "valley": humps.map(|h| h[1]),
            "peak2": humps.map(|h| h[2]),
            "brake": most(&|f| f[0].min(0.0)),
            "push": most(&|f| f[0].max(0.0)),
            "lateral": most(&|f| f[2]),
        }),
        "impulse_bw_s": json!({ "brake": impulse(&|f| f[0].min(0.0)), "push": impulse(&|f| f[0].max(0.0)) }),
        "leading_share": leading_share(samples, landings, from, to),
        "step_cv": step_cv(landings, from, to),
        "footsteps": landings.len(),
        "stride_length_m": mean(|s| s.1),
        "stride_period_s": mean(|s| s.0),
        "mean_force_body_weights": weight_share,
        "peak_foot_force_body_weights": peak,
        "straightest_knee_deg": straightest,
        "force_humps_body_weights": humps,
        "skate_m_per_s": spread(speeds),
        "drift_m": drift,
        "sole_gap_m": spread(gaps),
        "skin_gap_m": film::skin_gaps(walked, 0).map(spread),
        "skin_above_ground_m": film::skin_gaps(walked, 1).map(spread),
        "sole_penetration_m": spread(depths),
        "depth_m": world.deepest_print(),
        "lean_deg": within.iter().map(|s| s.lean).sum::<f64>().to_degrees() / within.len().max(1) as f64,
    })
}
