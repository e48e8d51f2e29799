//! Walkers to and fro on the same ground for as long as there is time: memory and the cost of a step must not grow once the ground is trodden.

use super::{Part, Until, ends};
use crate::Failure;
use crate::progress::Progress;
use serde_json::json;
use std::time::Instant;
use trample::scene::{Path, WalkerSpec};
use trample::{Scene, Script, World};

/// How much more a step of the last quarter may cost than one of the second, and memory likewise. Our choice: twice what a busy
/// machine makes of equal work.
const MOST_GROWTH: f64 = 2.0;

/// Walkers that share a lane where they come one after the other.
const SHARING: usize = 10;

/// Steps until the time or the simulated hours are over, in quarters of what is shorter.
pub(super) fn run(until: Until<'_>) -> Result<Part, Failure> {
    let wish = until.1;
    let mut scene = ends::lanes(usize::from(wish.walkers), true)?;
    if let Some(hours) = wish.hours {
        spread(&mut scene, 3600.0 * hours);
    }
    scene.rate = f64::from(wish.rate);
    let mut world = World::new(&scene)?;
    let begun = Instant::now();
    let whole = until.0.saturating_duration_since(begun).as_secs_f64();
    let share = |world: &World| {
        let simulated = wish.hours.map_or(0.0, |h| world.time() / (3600.0 * h));
        simulated.max(begun.elapsed().as_secs_f64() / whole.max(1e-9))
    };
    let progress = Progress::new("soak", 100, "[{bar:30}] {msg}")?;
    let mut quarters = Vec::new();
    for quarter in 1..=4 {
        let (from, steps, mut most_sliding) = (processor_seconds(begun), world.steps(), 0);
        // Sixty steps at least, however little time there is.
        while world.steps() == steps || share(&world) < f64::from(quarter) / 4.0 {
            for _ in 0..60 {
                world.step(scene.dt());
                most_sliding = most_sliding.max(world.sliding());
            }
            let made = (world.steps() - steps) as f64;
            let each = 1e3 * (processor_seconds(begun) - from) / made;
            progress.set(
                (100.0 * share(&world)) as u64,
                format!("{:.0} s simulated, {each:.2} ms a step", world.time()),
            );
        }
        let made = (world.steps() - steps).max(1);
        quarters.push((
            1e3 * (processor_seconds(begun) - from) / made as f64,
            resident_megabytes(),
            world.snapshot().len(),
            most_sliding,
        ));
    }
    progress.finish();
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
        "walkers": wish.walkers,
        "steps_per_s": wish.rate,
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

/// Lets walkers set out one after the other over so many seconds, from a place of their own, [`SHARING`] of them to a lane; about two
/// are under way at a time.
fn spread(scene: &mut Scene, seconds: f64) {
    let each = seconds / scene.puppets.len() as f64;
    // Nobody waits among the plants.
    scene.plants.iter_mut().for_each(|patch| patch.min[0] = 2.0);
    for (i, puppet) in scene.puppets.iter_mut().enumerate() {
        let [own, middle] = [i, i / SHARING * SHARING + SHARING / 2].map(|row| 1.0 + 0.9 * row as f64);
        let lane = middle.min(scene.terrain.size[1] - 1.0);
        let mut path = Path::along([[0.8, own], [2.5, lane], [7.0, lane]]);
        path.start = i as f64 * each;
        // Even, so that everybody ends in the own place.
        path.passes = 2 * (each * path.speed / path.length()).ceil().max(1.0) as u32;
        puppet.script = Script::Walker(Box::new(WalkerSpec::on(path)));
    }
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
