//! Time of each stage of a step on library scenes: `cargo bench -p trample`, or `-- walk-mud/soil` for one.
//!
//! A stage has no call of its own; its time is what passes between two calls of [`World::step_observed`]'s observer.

use criterion::{Criterion, criterion_group, criterion_main};
use std::time::{Duration, Instant};
use trample::scene::library;
use trample::{Stage, World};

/// Scenes that stress different stages: feet on soft ground, on a slope that slides, and among plants.
const SCENES: [&str; 3] = ["walk-mud", "dune-side", "meadow"];

/// A world in the middle of its scene, where feet press and plants are awake.
fn warm(name: &str) -> World {
    let scene = library::by_name(name).expect("a library scene");
    let mut world = World::new(&scene).expect("a world");
    for _ in 0..scene.steps().min(120) {
        world.step(scene.dt());
    }
    world
}

/// The time of `stage` in `steps` steps.
fn time_of(stage: Stage, warm: &World, steps: u64) -> Duration {
    let mut world = warm.clone();
    let dt = warm.scene().dt();
    let mut sum = Duration::ZERO;
    for _ in 0..steps {
        if world.is_over() {
            world = warm.clone();
        }
        let mut before = Instant::now();
        world.step_observed(dt, |done, _| {
            let now = Instant::now();
            if done == stage {
                sum += now - before;
            }
            before = now;
        });
    }
    sum
}

fn stages(c: &mut Criterion) {
    for name in SCENES {
        let warm = warm(name);
        let mut group = c.benchmark_group(name);
        for stage in Stage::ALL {
            let label = format!("{stage:?}").to_lowercase();
            group.bench_function(label, |b| b.iter_custom(|steps| time_of(stage, &warm, steps)));
        }
        group.bench_function("snapshot", |b| b.iter(|| warm.snapshot()));
        group.bench_function("hash", |b| b.iter(|| warm.hash()));
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
