//! Speed of plants, for looking at: `cargo test --release -p trample --test plants_speed -- --ignored --nocapture`.
//! Nothing here decides a test.

use std::time::Instant;
use trample::internal::reference::{LockStep, Plain};
use trample::params::Species;
use trample::scene::{NamedMaterial, Path, Terrain, Walk};
use trample::{Material, PlantPatch, PuppetSpec, Scene, Script, Stage, World};

#[test]
#[ignore = "a measurement"]
fn lock_step_against_plain() {
    let world = World::new(&Scene::default()).expect("world");
    let mut quick = LockStep::new(&Species::CAREX_PENSYLVANICA, 200, world.ground());
    quick.lean(0.4);
    let mut plain = Plain::like(&quick);
    let mut best = [f64::MAX; 2];
    for _ in 0..50 {
        let begun = Instant::now();
        (0..10).for_each(|_| quick.step(1.0 / 60.0, Some(5)));
        best[0] = best[0].min(begun.elapsed().as_secs_f64() / 10.0);
        let begun = Instant::now();
        plain.step(1.0 / 60.0, Some(5));
        best[1] = best[1].min(begun.elapsed().as_secs_f64());
    }
    println!(
        "200 plants, 5 substeps: {:.4} ms, plain {:.4} ms, {:.1} times",
        best[0] * 1e3,
        best[1] * 1e3,
        best[1] / best[0]
    );
}

/// Seconds that this thread has had the processor for, where the system tells; else the clock's.
fn busy(begun: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let first = told.as_deref().and_then(|t| t.split_whitespace().next()?.parse::<f64>().ok());
    first.map_or_else(|| begun.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

/// `n` walkers on a square meadow of about `plants` plants.
fn meadow(plants: f64, n: usize) -> Scene {
    let density = 267.0;
    let side = (plants / density).sqrt();
    let material = NamedMaterial { name: "soil".into(), material: Material::SOIL };
    let puppets = (0..n).map(|i| {
        let z = side * (i as f64 + 0.5) / n as f64;
        let walk = Walk::from(Path { passes: 100, ..Path::along([[0.2, z], [side - 0.2, z]]) });
        PuppetSpec { script: Script::Walk(walk), ..PuppetSpec::default() }
    });
    Scene {
        duration: Some(10.0),
        terrain: Terrain { size: [side, side], materials: vec![material], ..Terrain::default() },
        puppets: puppets.collect(),
        plants: vec![PlantPatch { density, max: [side, side], ..PlantPatch::default() }],
        ..Scene::default()
    }
}

#[test]
#[ignore = "a measurement"]
fn meadows() {
    let only: Option<usize> = std::env::var("ONLY").ok().and_then(|s| s.parse().ok());
    for (n, (plants, walkers)) in [(1e5, 1), (1e5, 100), (1e6, 100)].into_iter().enumerate() {
        if only.is_some_and(|o| o != n) {
            continue;
        }
        let scene = meadow(plants, walkers);
        let begun = Instant::now();
        let mut world = World::new(&scene).expect("world");
        let built = begun.elapsed().as_secs_f64();
        let (mut plants_time, mut all, mut awake) = (0.0, 0.0, 0);
        for step in 0..600 {
            let (mut from, mut spent) = (0.0, 0.0);
            let start = busy(begun);
            world.step_observed(scene.dt(), |stage, _| match stage {
                Stage::Force => from = busy(begun),
                Stage::Plants => spent = busy(begun) - from,
                _ => {}
            });
            if step >= 120 {
                plants_time += spent;
                all += busy(begun) - start;
                awake += world.plants().awake_blocks();
            }
        }
        println!(
            "{plants:.0e} plants, {walkers} walkers: built in {:.3} ms; a step takes {:.3} ms for plants, {:.3} ms in all; \
             {} blocks awake, {:.1} MB",
            built * 1e3,
            plants_time / 0.48,
            all / 0.48,
            awake / 480,
            world.plants().bytes() as f64 / 1e6,
        );
    }
}

#[test]
#[ignore = "a measurement"]
fn ten_thousand_active() {
    let world = World::new(&Scene::default()).expect("world");
    let mut quick = LockStep::new(&Species::CAREX_PENSYLVANICA, 10_000, world.ground());
    quick.lean(0.4);
    let mut best = f64::MAX;
    for _ in 0..50 {
        let begun = Instant::now();
        quick.step(1.0 / 60.0, None);
        best = best.min(begun.elapsed().as_secs_f64());
    }
    (0..10_000).for_each(|plant| quick.weaken(plant, plant % 20, 0.5));
    let mut worn = f64::MAX;
    for _ in 0..50 {
        let begun = Instant::now();
        quick.step(1.0 / 60.0, None);
        worn = worn.min(begun.elapsed().as_secs_f64());
    }
    println!("the same, worn: {:.3} ms", worn * 1e3);
    println!("10 000 plants, bending and links, 60 Hz: {:.3} ms", best * 1e3);
}
