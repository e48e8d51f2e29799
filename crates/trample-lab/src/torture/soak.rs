//! Walkers to and fro on the same ground for as long as there is time: memory and the cost of a step must not grow once the ground is trodden.
//!
//! With `--hours` the walkers take turns, and each quarter of the simulated time is the same again: everybody walks the own lane as often
//! as before, one after the other, while the rest stands. The first quarter treads the ground; the others must cost what the second did.

use super::{Part, Until, ends};
use crate::Failure;
use crate::progress::Progress;
use serde_json::{Value, json};
use std::time::Instant;
use trample::scene::{Path, WalkerSpec};
use trample::{Scene, Script, World};

/// How much more of the same work, memory and processor time a later quarter may take than the second. Our choice: walkers vary, and a
/// busy machine makes up to half as much more of equal work.
const MOST_WORK: f64 = 1.25;
const MOST_MEMORY: f64 = 1.1;
const MOST_TIME: f64 = 1.5;

/// Simulated seconds from which on ground counts as trodden where all walk at once: our choice, a hundred passes of a lane.
const TRODDEN: f64 = 600.0;

/// What a quarter cost.
#[derive(Clone, Copy, Default)]
struct Quarter {
    steps: u64,
    /// Processor time of a step, ms.
    milliseconds: f64,
    resident_mb: f64,
    state_bytes: f64,
    /// In the mean over steps: walkers under way, sweeps of sliding material, blocks of plants that move, cells that slide.
    under_way: f64,
    sweeps: f64,
    blocks: f64,
    sliding: f64,
}

/// Steps until the simulated hours or, where none are given, the time is over.
pub(super) fn run(until: Until<'_>) -> Result<Part, Failure> {
    let wish = until.1;
    let mut scene = ends::lanes(usize::from(wish.walkers), true)?;
    scene.rate = f64::from(wish.rate);
    let quarter_s = wish.hours.map(|hours| 900.0 * hours);
    if let Some(seconds) = quarter_s {
        // Nobody waits among the plants: those under a sole that stands are kept moving.
        scene.plants.iter_mut().for_each(|patch| patch.min[0] = 2.0);
        for i in 0..scene.puppets.len() {
            let path = turn(&scene, i, 0.0, seconds);
            scene.puppets[i].script = Script::Walker(Box::new(WalkerSpec::on(path)));
        }
    }
    let mut world = World::new(&scene)?;
    let begun = Instant::now();
    let whole = until.0.saturating_duration_since(begun).as_secs_f64();
    let progress = Progress::new("soak", 100, "[{bar:30}] {msg}")?;
    let mut quarters: Vec<Quarter> = Vec::new();
    for n in 0..4 {
        if let Some(seconds) = quarter_s.filter(|_| n > 0) {
            for i in 0..scene.puppets.len() {
                let path = turn(&scene, i, f64::from(n) * seconds, seconds);
                world.control(i, WalkerSpec::on(path).control);
            }
        }
        let mut sum = Quarter::default();
        let from = processor_seconds(begun);
        // Sixty steps at least, however little time there is.
        loop {
            for _ in 0..60 {
                let report = world.step(scene.dt());
                sum.sweeps += report.sweeps as f64;
                sum.blocks += world.plants().awake_blocks() as f64;
                sum.sliding += world.sliding() as f64;
            }
            sum.steps += 60;
            let walks = |i: usize| world.walker(i).is_some_and(|(walker, _)| walker.rested == 0.0);
            sum.under_way += 60.0 * (0..world.puppets()).filter(|&i| walks(i)).count() as f64;
            let each = 1e3 * (processor_seconds(begun) - from) / sum.steps as f64;
            let share = quarter_s.map_or_else(
                || begun.elapsed().as_secs_f64() / whole.max(1e-9),
                |seconds| world.time() / (4.0 * seconds),
            );
            progress.set(
                (100.0 * share.min(1.0)) as u64,
                format!("{:.0} s simulated, {each:.2} ms a step", world.time()),
            );
            if share >= f64::from(n + 1) / 4.0 || (quarter_s.is_some() && until.is_over()) {
                break;
            }
        }
        let made = sum.steps as f64;
        quarters.push(Quarter {
            milliseconds: 1e3 * (processor_seconds(begun) - from) / made,
            resident_mb: resident_megabytes(),
            state_bytes: world.snapshot().len() as f64,
            under_way: sum.under_way / made,
            sweeps: sum.sweeps / made,
            blocks: sum.blocks / made,
            sliding: sum.sliding / made,
            ..sum
        });
    }
    progress.finish();
    // Of a soak that is too short to tell nothing is said.
    let reached = quarter_s.map_or(world.time() > TRODDEN, |seconds| world.time() >= 4.0 * seconds);
    let mut broken = if reached { grown(&quarters) } else { Vec::new() };
    let error = world.volume().relative_error;
    if !crate::closes(error) {
        broken.push(format!("volume error {error:e}"));
    }
    let of = |value: fn(&Quarter) -> f64| -> Vec<Value> {
        quarters.iter().map(|q| json!((1e3 * value(q)).round() / 1e3)).collect()
    };
    let figures = json!({
        "walkers": wish.walkers,
        "steps_per_s": wish.rate,
        "simulated_s": world.time(),
        "long_enough_to_judge": reached,
        "steps": world.steps(),
        "ms_per_step": of(|q| q.milliseconds),
        "resident_mb": of(|q| q.resident_mb),
        "state_bytes": of(|q| q.state_bytes),
        "walkers_under_way": of(|q| q.under_way),
        "sweeps_per_step": of(|q| q.sweeps),
        "moving_plant_blocks": of(|q| q.blocks),
        "cells_sliding": of(|q| q.sliding),
        "volume_error": error,
    });
    Ok(Part { figures, broken })
}

/// What is compared: its name, how many times more is allowed, what counts as nothing, and how much a quarter had of it.
type Row = (&'static str, f64, f64, fn(&Quarter) -> f64);

/// What the third or fourth quarter took more of than the second, beyond what is allowed.
fn grown(quarters: &[Quarter]) -> Vec<String> {
    let rows: [Row; 6] = [
        ("processor time of a step, ms", MOST_TIME, 0.01, |q| q.milliseconds),
        ("resident memory, MB", MOST_MEMORY, 1.0, |q| q.resident_mb),
        ("state, bytes", MOST_MEMORY, 1.0, |q| q.state_bytes),
        ("sweeps a step", MOST_WORK, 1.0, |q| q.sweeps),
        ("moving blocks of plants", MOST_WORK, 1.0, |q| q.blocks),
        ("cells sliding", MOST_WORK, 1.0, |q| q.sliding),
    ];
    let Some((second, later)) = quarters.get(1..).and_then(<[Quarter]>::split_first) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (what, most, least, of) in rows {
        let (before, after) = (of(second).max(least), later.iter().map(of).fold(0.0, f64::max));
        if after > most * before {
            found.push(format!("{what}: {after:.3} after {before:.3} in the second quarter"));
        }
    }
    found
}

/// The way of walker `i` in the quarter of `seconds` that begins at `from`, s: to and fro on the own lane in its own share of it.
fn turn(scene: &Scene, i: usize, from: f64, seconds: f64) -> Path {
    let each = seconds / scene.puppets.len() as f64;
    let lane = ends::lane(i);
    let mut path = Path::along([[1.0, lane], [7.0, lane]]);
    path.start = from + i as f64 * each;
    // Some two seconds to turn round; even, so that everybody ends where it began, and before the next sets out.
    let pass = path.length() / path.speed + 2.0;
    path.passes = 2 * (0.45 * each / pass).floor().max(1.0) as u32;
    path
}

/// Time that this thread has had a processor, s; time since the beginning where the system does not tell.
fn processor_seconds(begun: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = told.split_whitespace().next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begun.elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

/// Memory that this process has resident, MB; 0 where the system does not tell.
fn resident_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok()).map_or(0.0, |kb| kb / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_that_costs_more_than_the_second_is_told() {
        let even = Quarter {
            steps: 60,
            milliseconds: 1.0,
            resident_mb: 60.0,
            state_bytes: 5e6,
            sweeps: 30.0,
            ..Quarter::default()
        };
        let first = Quarter { milliseconds: 9.0, sweeps: 900.0, ..even };
        assert!(grown(&[first, even, even, even]).is_empty(), "the first makes the trail");
        for worse in [
            Quarter { milliseconds: 1.6, ..even },
            Quarter { resident_mb: 70.0, ..even },
            Quarter { state_bytes: 6e6, ..even },
            Quarter { sweeps: 40.0, ..even },
            Quarter { blocks: 5.0, ..even },
        ] {
            assert_eq!(grown(&[first, even, even, worse]).len(), 1);
            assert_eq!(grown(&[first, even, worse, even]).len(), 1, "in between, too");
        }
    }
}
