//! Rows about plants: solved in lock-step beside the plain solver, and meadows that walkers with bodies cross.

use super::{Benchmark, REPEATS};
use crate::Failure;
use std::time::Instant;
use trample::internal::reference::{LockStep, Plain};
use trample::params::{Body, Species};
use trample::scene::{NamedMaterial, Path, Terrain, Walk, WalkerSpec};
use trample::{Material, PlantPatch, PuppetSpec, Scene, Script, Stage, World};

/// Plants per square metre.
const DENSITY: f64 = 267.0;
/// Steps before the timed ones: walkers start to walk and blocks are made.
const WARM_UP: usize = 120;
/// Steps that are timed.
const STEPS: usize = 240;

/// All of them.
pub(crate) fn rows() -> Result<Vec<Benchmark>, Failure> {
    let world = World::new(&Scene::default())?;
    let mut quick = LockStep::new(&Species::CAREX_PENSYLVANICA, 200, world.ground());
    quick.lean(0.4);
    let mut plain = Plain::like(&quick);
    let few = best(|| quick.step(1.0 / 60.0, Some(5)));
    let plainly = best(|| plain.step(1.0 / 60.0, Some(5)));
    let mut many = LockStep::new(&Species::CAREX_PENSYLVANICA, 10_000, world.ground());
    many.lean(0.4);
    let many = best(|| many.step(1.0 / 60.0, None));
    let one = Crossing::new(1e5, 1)?;
    let hundred = Crossing::new(1e5, 100)?;
    let million = Crossing::new(1e6, 100)?;
    Ok(vec![
        Benchmark::new(
            "plants_200_active",
            few * 1e3,
            "ms/step",
            Some(plainly * 1e3),
            "≤ 0.05 ms, ≥ 20 × plain",
        ),
        Benchmark::new("plants_10k_active", many * 1e3, "ms/step", None, "≤ 2.5 ms"),
        Benchmark::new("plants_100k_1_walker", one.plants * 1e3, "ms/step", None, "≤ 0.1 ms"),
        Benchmark::new("plants_100k_100_walkers", hundred.plants * 1e3, "ms/step", None, "≤ 5 ms"),
        Benchmark::new("plants_million_build", million.built * 1e3, "ms", None, "no aim; with its walkers"),
        Benchmark::new(
            "plants_million_100_walkers",
            million.all * 1e3,
            "ms/whole step",
            None,
            "< 16.7 ms: real time",
        ),
        Benchmark::new("plants_500_passes", passes()?, "× real time", None, "≥ 200"),
    ])
}

/// Best of many, s.
fn best(mut f: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..10 * REPEATS {
        let begun = Instant::now();
        f();
        best = best.min(begun.elapsed().as_secs_f64());
    }
    best
}

/// Soil of a size, all of it planted.
fn meadow(size: [f64; 2], puppets: Vec<PuppetSpec>) -> Scene {
    let material = NamedMaterial { name: "soil".into(), material: Material::SOIL };
    Scene {
        terrain: Terrain { size, materials: vec![material], ..Terrain::default() },
        puppets,
        plants: vec![PlantPatch { density: DENSITY, max: size, ..PlantPatch::default() }],
        ..Scene::default()
    }
}

/// Mean times of walkers with bodies that cross a square meadow side by side, s.
struct Crossing {
    built: f64,
    plants: f64,
    all: f64,
}

impl Crossing {
    fn new(plants: f64, walkers: usize) -> Result<Self, Failure> {
        let side = (plants / DENSITY).sqrt();
        let puppets = (0..walkers).map(|i| {
            let z = side * (i as f64 + 0.5) / walkers as f64;
            let path = Path { passes: 10, ..Path::along([[0.5, z], [side - 0.5, z]]) };
            PuppetSpec::walking("walker", Body::default(), WalkerSpec::on(path))
        });
        let scene = meadow([side, side], puppets.collect());
        let begun = Instant::now();
        let mut world = World::new(&scene)?;
        let mut found = Self { built: begun.elapsed().as_secs_f64(), plants: 0.0, all: 0.0 };
        for step in 0..WARM_UP + STEPS {
            let begun = Instant::now();
            let (mut from, mut spent) = (begun, 0.0);
            world.step_observed(scene.dt(), |stage, _| match stage {
                Stage::Force => from = Instant::now(),
                Stage::Plants => spent = from.elapsed().as_secs_f64(),
                _ => {}
            });
            if step >= WARM_UP {
                found.plants += spent / STEPS as f64;
                found.all += begun.elapsed().as_secs_f64() / STEPS as f64;
            }
        }
        Ok(found)
    }
}

/// How much faster than real time 500 passes over a planted lane of 0.5 m × 1.5 m run.
fn passes() -> Result<f64, Failure> {
    let path = Path { passes: 500, lateral_sd: 0.1, ..Path::along([[0.75, 0.75], [2.25, 0.75]]) };
    let walk = Walk { step_sd: 0.05, ..Walk::from(path) };
    let puppet = PuppetSpec { script: Script::Walk(walk), ..PuppetSpec::default() };
    let mut scene = meadow([3.0, 1.5], vec![puppet]);
    (scene.plants[0].min, scene.plants[0].max) = ([0.75, 0.5], [2.25, 1.0]);
    let mut world = World::new(&scene)?;
    let begun = Instant::now();
    for _ in 0..scene.steps() {
        world.step(scene.dt());
    }
    Ok(scene.steps() as f64 * scene.dt() / begun.elapsed().as_secs_f64())
}
