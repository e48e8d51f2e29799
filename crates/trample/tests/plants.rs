//! Plants: the mechanics of a stem, and what soles do to a meadow.

use trample::glam::Vec3;
use trample::internal::reference::{LockStep, Plain};
use trample::params::Species;
use trample::params::species::{PRESETS, Shape};
use trample::{Scene, World};

/// A single straight stem of `segments`.
fn single(segments: usize) -> Species {
    let height = 0.1;
    Species { width: 0.0, spacing: height / (segments + 1) as f64, droop: 0.0, ..Species::CAREX_PENSYLVANICA }
}

fn open_air(species: &Species, n: usize) -> LockStep {
    let world = World::new(&Scene::default()).expect("world");
    LockStep::new(species, n, world.ground())
}

fn run(plants: &mut LockStep, dt: f64, seconds: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        plants.step(dt, None);
    }
}

/// How far a stem's tip lies sideways of where it rests, m.
fn aside(plants: &LockStep, rest: &LockStep, plant: usize, stem: usize) -> f32 {
    let (now, was) = (plants.stem(plant, stem), rest.stem(plant, stem));
    let d = now[now.len() - 1] - was[was.len() - 1];
    (d.x * d.x + d.z * d.z).sqrt()
}

/// Angle of a stem's root-to-tip line from another's, degrees.
fn angle(a: &[Vec3], b: &[Vec3]) -> f32 {
    (a[a.len() - 1] - a[0]).angle_between(b[b.len() - 1] - b[0]).to_degrees()
}

/// Tip deflection of a cantilever that is pulled at its tip: F·L³ / 3·EI.
fn beam(species: &Species, force: f64) -> f64 {
    force * species.height * species.height * species.height / (3.0 * species.bending_rigidity)
}

#[test]
fn tip_deflection_is_that_of_an_elastic_beam_at_any_time_step() {
    for (segments, allowed) in [(2, 0.15), (5, 0.03)] {
        let species = single(segments);
        assert_eq!(species.free_rows(), segments);
        let force = 1e-5;
        let expected = beam(&species, force);
        let mut found = Vec::new();
        for rate in [30.0, 60.0, 120.0, 240.0] {
            let mut plants = open_air(&species, 3);
            let rest = plants.clone();
            plants.set_tip_force([force as f32, 0.0, 0.0]);
            run(&mut plants, 1.0 / rate, 6.0);
            let tip = f64::from(aside(&plants, &rest, 1, 0));
            assert!(
                (tip / expected - 1.0).abs() < allowed,
                "{segments} at {rate} Hz: {tip} m for {expected} m"
            );
            found.push(tip);
        }
        let spread = found.iter().fold(0.0f64, |m, t| m.max((t / found[0] - 1.0).abs()));
        assert!(spread < 0.01, "{segments} segments: {found:?}");
    }
}

#[test]
fn a_sheet_bends_across_its_row_like_its_stems_do() {
    let species = Species { droop: 0.0, ..Species::CAREX_PENSYLVANICA };
    let mut plants = open_air(&species, 1);
    let rest = plants.clone();
    // The first plant is not turned: its row lies along x, so a pull along z bends it.
    plants.set_tip_force([0.0, 0.0, 1e-5]);
    run(&mut plants, 1.0 / 60.0, 6.0);
    let expected = beam(&species, 1e-5);
    for stem in 0..4 {
        let tip = f64::from(aside(&plants, &rest, 0, stem));
        assert!((tip / expected - 1.0).abs() < 0.03, "stem {stem}: {tip} m for {expected} m");
    }
}

#[test]
fn a_released_stem_comes_back_from_every_angle() {
    for preset in PRESETS {
        for degrees in [5.0f32, 10.0, 20.0, 40.0] {
            let rest = open_air(&preset.species, 3);
            let mut curves = Vec::new();
            for rate in [30.0, 240.0] {
                let mut plants = rest.clone();
                plants.lean(degrees.to_radians());
                let mut curve = Vec::new();
                for step in 1..=(2.0 * rate) as usize {
                    plants.step(1.0 / rate, None);
                    if step % (rate as usize / 10) == 0 {
                        curve.push(angle(&plants.stem(2, 0), &rest.stem(2, 0)));
                    }
                }
                let end = curve[curve.len() - 1];
                assert!(end < 1.0, "{} from {degrees}° at {rate} Hz: {end}° left", preset.name);
                curves.push(curve);
            }
            let worst = curves[0].iter().zip(&curves[1]).fold(0.0f32, |m, (a, b)| m.max((a - b).abs()));
            assert!(worst < 1e-4 * degrees, "{} from {degrees}°: curves {worst}° apart", preset.name);
        }
    }
}

#[test]
fn a_plant_stands_under_its_own_weight() {
    for preset in PRESETS {
        let rest = open_air(&preset.species, 5);
        let mut plants = rest.clone();
        run(&mut plants, 1.0 / 60.0, 10.0);
        for plant in 0..5 {
            for stem in 0..preset.species.stem_count() {
                let lean = angle(&plants.stem(plant, stem), &rest.stem(plant, stem));
                assert!(lean < 0.1, "{} leans by {lean}°", preset.name);
            }
        }
    }
}

#[test]
fn a_worn_stem_sags_and_a_broken_one_falls() {
    let species = Species { droop: 10f64.to_radians(), ..single(5) };
    let rest = open_air(&species, 3);
    let mut plants = rest.clone();
    (0..5).for_each(|joint| plants.weaken(0, joint, 0.3));
    plants.weaken(1, 0, 0.0);
    run(&mut plants, 1.0 / 60.0, 6.0);
    let [worn, broken, healthy] = [0, 1, 2].map(|p| angle(&plants.stem(p, 0), &rest.stem(p, 0)));
    assert!(healthy < 0.1, "healthy {healthy}°");
    assert!(worn > 2.0 && worn < 60.0, "worn {worn}°");
    assert!(broken > 120.0, "broken {broken}°: nothing but the ground would hold it");
}

#[test]
fn lock_step_and_plain_solver_agree() {
    for preset in PRESETS {
        let mut quick = open_air(&preset.species, 18);
        quick.lean(0.5);
        quick.weaken(3, 0, 0.4);
        quick.weaken(4, 1, 0.0);
        quick.set_wind([0.3, 0.0, -0.2]);
        let mut plain = Plain::like(&quick);
        for _ in 0..30 {
            quick.step(1.0 / 60.0, None);
            plain.step(1.0 / 60.0, None);
        }
        for plant in 0..18 {
            for stem in 0..preset.species.stem_count() {
                let pairs = quick.stem(plant, stem).into_iter().zip(plain.stem(plant, stem));
                let worst = pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
                let allowed = 2e-4 * preset.species.height as f32;
                assert!(worst < allowed, "{} plant {plant} stem {stem}: {worst} m apart", preset.name);
            }
        }
    }
}

#[test]
fn blocks_and_crossed_sheets_stand_and_come_back_too() {
    for shape in [Shape::Sheet, Shape::Block, Shape::Crossed] {
        let species = Species { shape, depth: 0.05, ..Species::CAREX_PENSYLVANICA };
        let rest = open_air(&species, 2);
        let mut plants = rest.clone();
        plants.lean(0.6);
        run(&mut plants, 1.0 / 60.0, 2.5);
        for stem in 0..species.stem_count() {
            let left = angle(&plants.stem(1, stem), &rest.stem(1, stem));
            assert!(left < 1.0, "{shape:?} stem {stem}: {left}° left");
        }
    }
}
