//! People vary: steps, passes and people differ as measured, by `step_variation`.

use trample::params::{Body, material};
use trample::scene::{Control, Path, WalkerSpec, library};
use trample::{Event, PuppetSpec, Scene, World, glam::DVec2};

/// Walkers on firm ground that go along 8 m so often.
fn walking(walkers: usize, passes: u32, step_variation: f64) -> Scene {
    let mut scene = library::by_name("walk-soil").expect("scene");
    scene.terrain.materials[0].material = material::by_name("dry-soil").expect("a preset");
    (scene.terrain.cell, scene.terrain.size) = (0.04, [12.0, 4.0 + 3.0 * walkers as f64]);
    scene.puppets = (0..walkers)
        .map(|i| {
            let z = 2.0 + 3.0 * i as f64;
            let path = Path { passes, ..Path::along([[2.0, z], [10.0, z]]) };
            let mut walker = WalkerSpec { step_variation, ..WalkerSpec::on(path) };
            if let Control::Route(route) = &mut walker.control {
                route.metabolic = false;
            }
            PuppetSpec::walking("walker", Body::default(), walker)
        })
        .collect();
    scene
}

/// Landings of each walker: when, which foot, where; runs until all have arrived.
fn landings(scene: &Scene) -> Vec<Vec<(f64, usize, DVec2)>> {
    let mut world = World::new(scene).expect("world");
    let mut out = vec![Vec::new(); scene.puppets.len()];
    while !world.is_over() && world.time() < scene.seconds() {
        for event in &world.step(scene.dt()).events {
            if let Event::FootDown { puppet, foot, time, position, .. } = *event {
                let at = DVec2::new(f64::from(position.x), f64::from(position.z));
                out[puppet].push((time, foot, at));
            }
        }
    }
    out
}

/// Standard deviation.
fn spread(x: &[f64]) -> f64 {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / x.len() as f64).sqrt()
}

/// Length, width and time of the steps of even walking, on the first pass and well inside of it.
fn steps(landings: &[(f64, usize, DVec2)]) -> Vec<[f64; 3]> {
    let inside = |at: DVec2| (4.5..9.0).contains(&at.x);
    let pairs = landings.windows(2).filter(|w| inside(w[0].2) && inside(w[1].2) && w[0].1 != w[1].1);
    let step = |w: &[(f64, usize, DVec2)]| {
        let side = if w[1].1 == 0 { 1.0 } else { -1.0 };
        [w[1].2.x - w[0].2.x, side * (w[1].2.y - w[0].2.y), w[1].0 - w[0].0]
    };
    pairs.map(step).collect()
}

#[test]
fn steps_vary_as_much_as_measured_and_not_at_all_at_zero() {
    let varied = |amount: f64| {
        let all: Vec<[f64; 3]> = landings(&walking(24, 1, amount)).iter().flat_map(|l| steps(l)).collect();
        [0, 1, 2].map(|k| {
            let x: Vec<f64> = all.iter().map(|s| s[k]).collect();
            (x.iter().sum::<f64>() / x.len() as f64, spread(&x))
        })
    };
    let [length, width, time] = varied(1.0);
    println!("length {length:?} width {width:?} time {time:?}");
    // Published: 2–4 % in length, 2–3 cm in width, about 2 % in time.
    assert!((0.02..0.04).contains(&(length.1 / length.0)), "length {length:?}");
    assert!((0.02..0.03).contains(&width.1), "width {width:?}");
    assert!((0.01..0.035).contains(&(time.1 / time.0)), "time {time:?}");
    let [length, width, time] = varied(0.0);
    println!("length {length:?} width {width:?} time {time:?}");
    assert!(
        length.1 / length.0 < 0.004 && width.1 < 0.002 && time.1 / time.0 < 0.01,
        "{length:?} {width:?} {time:?}"
    );
}

#[test]
fn after_two_hundred_passes_the_middle_of_a_lane_is_trodden_evenly() {
    let treads = |amount: f64| {
        let mut scene = walking(1, 200, amount);
        scene.terrain.size = [12.0, 4.0];
        let all = landings(&scene);
        // How often a sole of 27 cm has covered each 5 cm of the middle third of the way.
        let places: Vec<f64> = (0..40).map(|i| 5.0 + 0.05 * f64::from(i)).collect();
        let over = |x: f64| all[0].iter().filter(|l| (l.2.x - x).abs() < 0.135).count() as f64;
        places.into_iter().map(over).collect::<Vec<f64>>()
    };
    let (varied, alike) = (treads(1.0), treads(0.0));
    let mean = varied.iter().sum::<f64>() / varied.len() as f64;
    println!("{} of {mean}: {varied:?}\n{}: {alike:?}", spread(&varied), spread(&alike));
    assert!(spread(&varied) < 0.08 * mean, "{} of {mean}: {varied:?}", spread(&varied));
    assert!(spread(&alike) > 2.0 * spread(&varied), "steps that are alike make blotches: {}", spread(&alike));
}
