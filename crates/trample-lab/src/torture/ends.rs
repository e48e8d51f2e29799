//! Parameters at the ends of their ranges, and steps of 1 s to 1 ms.

use super::{Part, Until};
use crate::{Failure, closes};
use serde_json::json;
use trample::params::{Body, Field, Law, Material, material};
use trample::scene::{NamedMaterial, library};
use trample::{Base, PuppetSpec, Scene, Script, World};

/// A plate pressed into a material, on level ground or on a slope.
fn plate(law: Law, degrees: f64, material: Material) -> Scene {
    let mut scene = library::by_name("plate").expect("a library scene");
    scene.terrain.law = law;
    scene.terrain.cell = 0.02;
    scene.terrain.materials = vec![NamedMaterial { name: "ground".into(), material }];
    if degrees > 0.0 {
        scene.terrain.base = Base::Slope { angle: degrees.to_radians(), direction: 0.3 };
    }
    scene.duration = Some(0.2);
    scene
}

/// Steps a scene to its end: the share of the ledger that is neither lying nor owed, and the share that is owed.
fn ledger(scene: &Scene) -> Result<(f64, f64), Failure> {
    let mut world = World::new(scene)?;
    for _ in 0..scene.steps() {
        world.step(scene.dt());
    }
    let volume = world.volume();
    let scale = volume.displaced.max(1e-9);
    // What is owed whole counts as an error of the run; here it is only to be accounted for.
    let whole = (volume.accumulated + volume.owed - volume.displaced).abs() / scale;
    Ok((if volume.owed == 0.0 { volume.relative_error } else { whole }, volume.owed / scale))
}

/// Every preset, and both ends of every number of a material and of a body, under every law, on level ground and at 45°.
pub(super) fn range_ends(until: Until<'_>) -> Result<Part, Failure> {
    let presets = material::PRESETS.iter().map(|p| (p.name.to_string(), p.material));
    let ends = Material::FIELDS.iter().flat_map(|field| {
        [field.range.min, field.range.max].map(|end| {
            let mut material = Material::SOIL;
            Field::set(field, &mut material, end);
            (format!("{} = {end}", field.range.name), material)
        })
    });
    let (mut cases, mut refused, mut worst, mut owing) = (0, 0, 0.0f64, 0);
    let mut broken = Vec::new();
    'all: for (name, material) in presets.chain(ends) {
        for law in Law::ALL {
            for degrees in [0.0, 45.0] {
                if until.is_over() {
                    break 'all;
                }
                let scene = plate(law, degrees, material);
                if scene.check().is_err() {
                    refused += 1;
                    continue;
                }
                let (error, owed) = ledger(&scene)?;
                (cases, worst) = (cases + 1, worst.max(error));
                owing += u32::from(!closes(owed));
                if !closes(error) {
                    broken.push(format!("{name} under {} at {degrees}°: volume error {error:e}", law.name()));
                }
            }
        }
    }
    for field in Body::ANYTHING {
        for end in [field.range.min, field.range.max] {
            let mut scene = plate(Law::default(), 0.0, Material::SOIL);
            Field::set(field, &mut scene.puppets[0].body, end);
            if until.is_over() || scene.check().is_err() {
                continue;
            }
            let (error, _) = ledger(&scene)?;
            (cases, worst) = (cases + 1, worst.max(error));
            if !closes(error) {
                broken.push(format!("body.{} = {end}: volume error {error:e}", field.range.name));
            }
        }
    }
    let figures =
        json!({ "cases": cases, "refused": refused, "owing": owing, "largest_volume_error": worst });
    Ok(Part { figures, broken })
}

/// A plate and a walker at 1 to 1000 steps a second: finite, and with a ledger that closes.
pub(super) fn rates(until: Until<'_>) -> Result<Part, Failure> {
    let (mut runs, mut refused, mut worst, mut rows, mut broken) = (0, 0, 0.0f64, Vec::new(), Vec::new());
    for name in ["plate", "walk-mud"] {
        for rate in [1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 240.0, 1000.0] {
            if until.is_over() {
                break;
            }
            let mut scene = library::by_name(name).ok_or("a library scene")?;
            scene.rate = rate;
            scene.terrain.cell = 0.02;
            scene.duration = Some(3.0);
            // Steps of more than a quarter of a second are refused before they are made.
            if scene.check().is_err() {
                refused += 1;
                continue;
            }
            let mut world = World::new(&scene)?;
            for _ in 0..scene.steps() {
                world.step(scene.dt());
            }
            let volume = world.volume();
            let depth = world.deepest_print();
            if !(closes(volume.relative_error) && depth.is_finite() && depth > 0.0) {
                broken.push(format!(
                    "{name} at {rate} Hz: volume error {:e}, depth {depth} m",
                    volume.relative_error
                ));
            }
            (runs, worst) = (runs + 1, worst.max(volume.relative_error));
            rows.push(json!({ "scene": name, "rate_hz": rate, "deepest_m": depth }));
        }
    }
    let figures = json!({ "runs": runs, "refused": refused, "largest_volume_error": worst, "depths": rows });
    Ok(Part { figures, broken })
}

/// Library scenes, shortest first, against the hashes that the tests hold this version to: the same bits on this machine.
pub(super) fn golden(until: Until<'_>) -> Result<Part, Failure> {
    let mut lines: Vec<(Scene, &str)> = trample::internal::GOLDEN
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, hash)| Some((library::by_name(name)?, hash.trim())))
        .collect();
    // Long scenes stand for themselves by their first seconds, as in `crates/trample-hashes`.
    for (scene, _) in &mut lines {
        scene.duration = Some(scene.seconds().min(if scene.plants.is_empty() { 12.0 } else { 3.0 }));
    }
    lines.sort_by_key(|(scene, _)| {
        scene.steps() * scene.puppets.len() as u64 + 1000 * u64::from(!scene.plants.is_empty())
    });
    let (mut compared, mut broken) = (0, Vec::new());
    for (scene, hash) in &lines {
        if until.is_over() {
            break;
        }
        let mut world = World::new(scene)?;
        for _ in 0..scene.steps() {
            world.step(scene.dt());
        }
        compared += 1;
        if format!("{:016x}", world.hash()) != *hash {
            broken.push(format!("{}: hash {:016x}, should be {hash}", scene.name, world.hash()));
        }
    }
    Ok(Part { figures: json!({ "compared": compared, "of": lines.len() }), broken })
}

/// Where the lane of a walker lies across the ground, m: so far apart that nobody is in another's way.
pub(super) fn lane(i: usize) -> f64 {
    1.0 + 0.9 * i as f64
}

/// Walkers to and fro through plants, each on a lane of its own.
pub(super) fn lanes(walkers: usize, plants: bool) -> Result<Scene, Failure> {
    let mut scene = library::by_name("carex-lane").ok_or("a library scene")?;
    let one = scene.puppets.first().cloned().ok_or("it has a walker")?;
    let depth = 2.0 + 0.9 * walkers as f64;
    scene.terrain.size = [8.0, depth];
    scene.terrain.cell = 0.02;
    if plants {
        for patch in &mut scene.plants {
            (patch.min, patch.max) = ([0.5, 0.5], [7.5, depth - 0.5]);
        }
    } else {
        scene.plants.clear();
    }
    scene.puppets = (0..walkers)
        .map(|i| {
            let z = lane(i);
            let mut path = trample::scene::Path::along([[1.0, z], [7.0, z]]);
            path.passes = 1_000_000;
            let walker = trample::scene::WalkerSpec::on(path);
            PuppetSpec {
                name: format!("walker {i}"),
                script: Script::Walker(Box::new(walker)),
                ..one.clone()
            }
        })
        .collect();
    scene.duration = None;
    Ok(scene)
}
