//! Walkers to and fro on the same ground for as long as there is time: memory and the cost of a step must not grow once the ground is trodden.

use super::{Part, Until, ends};
use crate::Failure;
use serde_json::json;
use std::time::Instant;
use trample::World;

/// Walkers that soak the ground.
const WALKERS: usize = 8;
/// How much more a step of the last quarter may cost than one of the second, and memory likewise. Our choice: twice what a busy
/// machine makes of equal work.
const MOST_GROWTH: f64 = 2.0;

/// Steps until the time is over, in quarters.
pub(super) fn run(until: Until) -> Result<Part, Failure> {
    let scene = ends::lanes(WALKERS, true)?;
    let mut world = World::new(&scene)?;
    let begun = Instant::now();
    let whole = until.0.saturating_duration_since(begun).as_secs_f64();
    let mut quarters = Vec::new();
    for quarter in 1..=4 {
        let (from, steps, mut most_sliding) = (Instant::now(), world.steps(), 0);
        // A second at least, however little time there is.
        while world.steps() == steps || begun.elapsed().as_secs_f64() < whole * f64::from(quarter) / 4.0 {
            for _ in 0..60 {
                world.step(scene.dt());
                most_sliding = most_sliding.max(world.sliding());
            }
        }
        let made = (world.steps() - steps).max(1);
        quarters.push((
            1e3 * from.elapsed().as_secs_f64() / made as f64,
            resident_megabytes(),
            world.snapshot().len(),
            most_sliding,
        ));
    }
    let mut broken = Vec::new();
    // The first quarter makes the trail; of a soak too short to tell nothing is said.
    let trodden = world.time() > 600.0;
    let growth = |of: fn(&(f64, f64, usize, usize)) -> f64| of(&quarters[3]) / of(&quarters[1]).max(1e-9);
    let (time, memory) = (growth(|q| q.0), growth(|q| q.1));
    if trodden && time > MOST_GROWTH {
        broken.push(format!("a step costs {time:.2} times what it did"));
    }
    if trodden && memory > MOST_GROWTH {
        broken.push(format!("memory is {memory:.2} times what it was"));
    }
    let error = world.volume().relative_error;
    if !crate::closes(error) {
        broken.push(format!("volume error {error:e}"));
    }
    let figures = json!({
        "walkers": WALKERS,
        "simulated_s": world.time(),
        "steps": world.steps(),
        "ms_per_step": quarters.iter().map(|q| q.0).collect::<Vec<_>>(),
        "resident_mb": quarters.iter().map(|q| q.1).collect::<Vec<_>>(),
        "state_bytes": quarters.iter().map(|q| q.2).collect::<Vec<_>>(),
        "moving_plant_blocks": world.plants().awake_blocks(),
        "most_cells_sliding": quarters.iter().map(|q| q.3).collect::<Vec<_>>(),
        "volume_error": error,
    });
    Ok(Part { figures, broken })
}

/// Memory that this process has resident, MB; 0 where the system does not tell.
fn resident_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok()).map_or(0.0, |kb| kb / 1024.0)
}
