//! Passes: under the papers' laws a step repeated changes nothing, and what steps leave depends neither on the cell size nor on
//! the frame rate, however often a path is walked.

use trample::scene::{Control, library};
use trample::{Footwear, Law, Map, Pose, PuppetSpec, Scene, Script, World, scene::SoleShape};

/// A walk across soil as it was walked: what the soles and the force were in every step, so that it can be walked again to
/// the last bit, whatever the ground has become.
fn recorded(footwear: Footwear, rate: f64) -> (Scene, Vec<Pose>) {
    let mut scene = library::by_name("walk-soil").expect("a library scene");
    scene.rate = rate;
    scene.puppets[0].sole = SoleShape::Footwear(footwear);
    if let Script::Walker(walker) = &mut scene.puppets[0].script
        && let Control::Route(route) = &mut walker.control
    {
        // As fast on every ground. At 1.1 to 1.3 m/s the deepest cell, under toes that tip up as a foot leaves, is still up to
        // 9 % deeper on cells of 1 cm than of 2 cm.
        (route.metabolic, route.path.speed) = (false, 1.0);
    }
    let mut world = World::new(&scene).expect("world");
    let mut poses = Vec::new();
    for _ in 0..(20.0 * rate) as u64 {
        world.step(scene.dt());
        poses.push(world.puppet(0).pose.clone());
        if world.is_over() {
            break;
        }
    }
    assert!(world.is_over(), "the walk ends");
    (scene, poses)
}

/// What so many identical walks leave: deepest point, m, and carved volume, m³.
fn left_by(walk: &(Scene, Vec<Pose>), passes: usize, change: impl Fn(&mut Scene)) -> [f64; 2] {
    let (mut scene, poses) = walk.clone();
    let walker = &scene.puppets[0];
    scene.puppets = vec![PuppetSpec { script: Script::Host { feet: 2 }, ..walker.clone() }];
    change(&mut scene);
    let mut world = World::new(&scene).expect("world");
    for _ in 0..passes {
        for pose in &poses {
            world.set_pose(0, pose);
            world.step(scene.dt());
        }
        // Off the ground before the next walk begins.
        world.set_pose(0, &Pose { soles: vec![Default::default(); 2], ..Pose::default() });
        world.step(scene.dt());
    }
    assert!(world.volume().relative_error < 1e-6, "{:?}", world.volume());
    [world.map(Map::Compression).max(), world.volume().carved]
}

fn close(a: [f64; 2], b: [f64; 2], allowed: [f64; 2], what: &str) {
    for (k, name) in ["deepest point", "carved volume"].iter().enumerate() {
        let off = (a[k] / b[k] - 1.0).abs();
        assert!(off <= allowed[k], "{what}: {name} {} against {}, {:.1} %", a[k], b[k], 100.0 * off);
    }
}

#[test]
fn the_hundredth_identical_walk_leaves_what_the_first_left() {
    let walk = recorded(Footwear::Shoe, 60.0);
    for law in [Law::SoftWalks, Law::DynamicFootprints, Law::Trail, Law::BekkerWong] {
        let of = |passes| left_by(&walk, passes, |s| s.terrain.law = law);
        close(of(100), of(1), [0.02; 2], &format!("{law:?}"));
    }
    let bare = recorded(Footwear::Bare, 60.0);
    let of = |passes, cell| left_by(&bare, passes, |s| s.terrain.cell = cell);
    for cell in [0.04, 0.02, 0.01] {
        close(of(30, cell), of(1, cell), [0.02; 2], &format!("bare feet on {cell} m"));
    }
}

#[test]
fn what_a_walk_leaves_depends_neither_on_the_cell_size_nor_on_the_frame_rate() {
    for footwear in [Footwear::Shoe, Footwear::Bare] {
        let of = |rate, cell| left_by(&recorded(footwear, rate), 3, |s| s.terrain.cell = cell);
        let fine = of(60.0, 0.01);
        close(of(60.0, 0.02), fine, [0.06, 0.01], &format!("{footwear:?}, 2 cm against 1 cm"));
        close(of(60.0, 0.04), fine, [0.20, 0.01], &format!("{footwear:?}, 4 cm against 1 cm"));
        let quick = of(960.0, 0.02);
        for rate in [60.0, 120.0, 240.0] {
            close(of(rate, 0.02), quick, [0.06, 0.035], &format!("{footwear:?}, {rate} Hz against 960 Hz"));
        }
    }
}

#[test]
fn a_route_that_does_not_close_is_walked_again_from_its_beginning() {
    let mut scene = library::by_name("walk-soil").expect("a library scene");
    let Script::Walker(walker) = &mut scene.puppets[0].script else { panic!("a walker") };
    let Control::Route(route) = &mut walker.control else { panic!("a route") };
    (route.path.passes, route.path.back_and_forth) = (3, false);
    let ends = [route.path.waypoints[0][0], route.path.waypoints[1][0]];
    let mut world = World::new(&scene).expect("world");
    let (mut reached, mut at_end) = ([0, 0], None);
    while world.steps() < scene.steps() && !world.is_over() {
        world.step(scene.dt());
        let x = world.walker(0).expect("a walker").0.root.x;
        let near = ends.iter().position(|end| (x - end).abs() < 1.0);
        if let Some(k) = near.filter(|_| near != at_end) {
            (reached[k], at_end) = (reached[k] + 1, near);
        }
    }
    assert!(world.is_over(), "it arrives");
    assert_eq!(reached, [3, 3], "times at the beginning and at the end");
}

#[test]
fn loose_sand_slows_a_walker_more_than_firm_loam() {
    let seconds = |material: &str| {
        let mut scene = library::by_name("walk-soil").expect("a library scene");
        scene.terrain.law = Law::Natural;
        scene.terrain.materials[0].material = trample::params::material::by_name(material).expect("a preset");
        let Script::Walker(walker) = &mut scene.puppets[0].script else { panic!("a walker") };
        let Control::Route(route) = &mut walker.control else { panic!("a route") };
        route.metabolic = true;
        let mut world = World::new(&scene).expect("world");
        while world.steps() < scene.steps() && !world.is_over() {
            world.step(scene.dt());
        }
        world.time()
    };
    let [loam, loose] = ["loam", "loose-sand"].map(seconds);
    // Pandolf's 2.1 against 1.1 makes (2.1 / 1.1)^½ = 1.38 of the time at one power; setting off and stopping cost the same.
    assert!(loose > 1.12 * loam, "{loose} s on loose sand, {loam} s on loam");
}
