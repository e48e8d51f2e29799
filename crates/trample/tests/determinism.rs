//! The same bits for any number of threads, after any resumption, on every run; and what to do with bad puppets.

#[path = "../../trample-hashes/src/main.rs"]
mod hashes;

use std::fmt::Write;
use std::path::PathBuf;
use trample::params::Body;
use trample::scene::{Control, Path, Walk, library};
use trample::{Event, Map, Pose, PuppetSpec, Scene, Script, SolePose, World, glam::Vec3};

/// A crowd: some walk alone, some in each other's prints.
fn crowd(n: usize) -> Scene {
    let mut scene = library::by_name("walk-mud").expect("scene").on_scripted_feet();
    scene.terrain.cell = 0.02;
    scene.terrain.size = [8.0, 40.0];
    scene.puppets = (0..n)
        .map(|i| {
            let z = 1.0 + 0.55 * i as f64;
            let (from, to) = if i % 3 == 0 { (0.5, 6.0) } else { (6.0, 0.5) };
            let walk = Walk { step_sd: 0.02, ..Walk::from(Path::along([[from, z], [to, z + 0.3]])) };
            let usual = PuppetSpec::default();
            let body = Body { mass: 50.0 + i as f64, ..usual.body };
            PuppetSpec { body, script: Script::Walk(walk), ..usual }
        })
        .collect();
    scene
}

/// Walkers that go through grass and past each other: their feet share plants, and some share ground.
fn walkers_in_grass(n: usize) -> Scene {
    let mut scene = library::by_name("bend-and-return").expect("scene");
    scene.duration = Some(1.2);
    scene.terrain.size = [4.0, 1.0 + 0.4 * n as f64];
    scene.plants[0].max[1] = scene.terrain.size[1];
    let first = scene.puppets[0].clone();
    scene.puppets = (0..n)
        .map(|i| {
            let mut puppet = first.clone();
            let Script::Walker(walker) = &mut puppet.script else { panic!("a walker") };
            let Control::Route(route) = &mut walker.control else { panic!("a route") };
            let (z, forward) = (0.6 + 0.4 * i as f64, i % 2 == 0);
            let [from, to] = if forward { [1.0, 3.0] } else { [3.0, 1.0] };
            route.path.waypoints = vec![[from, z], [to, z]];
            walker.position = [from, z];
            walker.heading = if forward { 0.0 } else { std::f64::consts::PI };
            puppet
        })
        .collect();
    scene
}

fn run_with_threads(scene: &Scene, threads: usize) -> World {
    run_and_count_splits(scene, threads).0
}

/// The world at the end, and in how many steps each of the six stages was shared out over threads.
fn run_and_count_splits(scene: &Scene, threads: usize) -> (World, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
    pool.install(|| {
        let mut world = World::new(scene).expect("world");
        world.set_threads(threads);
        let split = (0..scene.steps()).filter(|_| world.step(scene.dt()).splits == 6).count();
        (world, split)
    })
}

#[test]
fn one_two_and_eight_threads_give_the_same_hash() {
    let scene = crowd(60);
    let one = run_with_threads(&scene, 1);
    assert!(one.volume().relative_error < 1e-6, "{:?}", one.volume());
    for threads in [2, 8] {
        assert_eq!(run_with_threads(&scene, threads).hash(), one.hash(), "{threads} threads");
    }
}

#[test]
fn walkers_in_grass_are_the_same_on_one_two_and_eight_threads() {
    let scene = walkers_in_grass(18);
    let (one, split) = run_and_count_splits(&scene, 1);
    assert_eq!(split, 0);
    for threads in [2, 8] {
        let (many, split) = run_and_count_splits(&scene, threads);
        let shared = split > 10 || !cfg!(feature = "parallel");
        assert!(shared, "all six stages were shared out in {split} steps only");
        assert_eq!(many.hash(), one.hash(), "{threads} threads");
        assert!(many.snapshot() == one.snapshot(), "{threads} threads");
    }
}

#[test]
fn two_hundred_walkers_among_plants_are_the_same_on_any_number_of_threads() {
    let scene = Scene { duration: Some(0.7), ..walkers_in_grass(200) };
    let one = run_with_threads(&scene, 1);
    for threads in [2, 5] {
        let (many, split) = run_and_count_splits(&scene, threads);
        assert!(split > 10 || !cfg!(feature = "parallel"), "all six stages in {split} steps only");
        assert_eq!(many.hash(), one.hash(), "{threads} threads");
        assert!(many.snapshot() == one.snapshot(), "{threads} threads");
    }
}

#[test]
fn the_order_of_puppets_that_never_meet_does_not_matter_for_the_ground() {
    let mut scene = crowd(4);
    for (i, p) in scene.puppets.iter_mut().enumerate() {
        if let Script::Walk(walk) = &mut p.script {
            let z = 2.0 + 5.0 * i as f64;
            (walk.path.waypoints, walk.step_sd) = (vec![[0.5, z], [6.0, z]], 0.0);
        }
    }
    let forward = run_with_threads(&scene, 1);
    scene.puppets.reverse();
    let backward = run_with_threads(&scene, 1);
    for map in Map::ALL {
        assert_eq!(forward.map(map).max(), backward.map(map).max(), "{}", map.name());
    }
    assert_eq!(forward.volume().accumulated, backward.volume().accumulated);
}

#[test]
fn another_seed_gives_another_trail_and_the_same_seed_the_same() {
    let mut scene = library::by_name("fifty-passes").expect("scene").on_scripted_feet();
    if let Script::Walk(walk) = &mut scene.puppets[0].script {
        walk.path.passes = 3;
    }
    let hash = |seed: u64| run_with_threads(&Scene { seed, ..scene.clone() }, 1).hash();
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
}

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Compares with a committed file; `TRAMPLE_BLESS=1 cargo test -p trample` writes it anew, and the commit says why.
fn against_golden(name: &str, text: &str) {
    let path = golden(name);
    if std::env::var_os("TRAMPLE_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
        std::fs::write(&path, text).expect("written");
    }
    let expected = std::fs::read_to_string(&path).expect("golden file");
    for (line, (a, b)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(a, b, "{name}:{}", line + 1);
    }
    assert_eq!(text.lines().count(), expected.lines().count(), "{name}");
}

#[test]
fn library_scenes_end_in_their_committed_hashes() {
    let mut text = String::new();
    for entry in &library::ENTRIES {
        writeln!(text, "{}", hashes::line(entry.name)).expect("string");
    }
    against_golden("hashes.txt", &text);
}

#[test]
fn the_print_of_a_plate_and_of_a_shoe_match_their_committed_maps() {
    for (name, figure) in
        [("plate", Map::Compression), ("plate", Map::Accumulation), ("walk-mud", Map::Compression)]
    {
        let mut scene = library::by_name(name).expect("scene").on_scripted_feet();
        scene.terrain.cell = 0.02;
        scene.duration = Some(scene.seconds().min(2.0));
        let mut world = World::new(&scene).expect("world");
        for _ in 0..scene.steps() {
            world.step(scene.dt());
        }
        let rect = trample::touched_rect(world.ground()).expect("touched");
        let values = world.map(figure).window(rect);
        let mut text = format!(
            "# {} of {name}, micrometres, {} × {} cells of 2 cm\n",
            figure.name(),
            rect.width,
            rect.height
        );
        for row in values.chunks(rect.width) {
            let row: Vec<String> = row.iter().map(|v| format!("{:5.0}", v * 1e6)).collect();
            writeln!(text, "{}", row.join(" ").trim_end()).expect("string");
        }
        against_golden(&format!("{name}-{}.txt", figure.name()), &text);
    }
}

#[test]
fn a_puppet_that_is_not_a_number_is_left_out_and_the_rest_goes_on() {
    let mut scene = library::by_name("walk-soil").expect("scene").on_scripted_feet();
    let alone = {
        let mut world = World::new(&scene).expect("world");
        (0..scene.steps()).for_each(|_| {
            world.step(scene.dt());
        });
        world.map(Map::Compression).sum()
    };
    scene.puppets.push(PuppetSpec { script: Script::Host { feet: 2 }, ..PuppetSpec::default() });
    let mut world = World::new(&scene).expect("world");
    let mut told = 0;
    for step in 0..scene.steps() {
        let y = if step == 40 { f32::NAN } else { 1.0 };
        let sole = SolePose { position: Vec3::new(3.0, y, 0.3), ..SolePose::default() };
        world.set_pose(1, &Pose { soles: vec![sole; 2], center_of_mass: Vec3::ZERO, ..Pose::default() });
        told += world
            .step(scene.dt())
            .events
            .iter()
            .filter(|e| matches!(e, Event::Quarantined { puppet: 1 }))
            .count();
    }
    assert_eq!(told, 1, "told once");
    assert!(world.puppet(1).quarantined && !world.puppet(0).quarantined);
    assert_eq!(world.map(Map::Compression).sum(), alone, "the walker does not notice");
    assert!(world.map(Map::Height).sum().is_finite(), "NaN does not spread");
}

#[test]
fn wild_but_finite_poses_do_no_harm() {
    let mut scene = Scene {
        puppets: vec![PuppetSpec { script: Script::Host { feet: 1 }, ..PuppetSpec::default() }],
        ..Scene::default()
    };
    for hold in [trample::Hold::Pinned, trample::Hold::Free] {
        scene.puppets[0].hold = hold;
        let mut world = World::new(&scene).expect("world");
        for (i, x) in
            [3.0, -5.0, 1e9, 3.0, 5.999, -1e30, 0.0, f32::MAX].into_iter().cycle().take(64).enumerate()
        {
            let sole = SolePose {
                position: Vec3::new(x, [0.0, -3.0, 1e20][i % 3], 1.0),
                velocity: Vec3::new(0.0, [-1e3, 1e30, 0.0][i % 3], 0.0),
                toe_bend: i as f32,
                spin: Vec3::splat(i as f32),
                rotation: glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            };
            world.set_pose(
                0,
                &Pose { soles: vec![sole], center_of_mass: Vec3::new(x, 0.0, 0.0), ..Pose::default() },
            );
            world.step(1.0 / 60.0);
        }
        let volume = world.volume();
        assert!(volume.accumulated.is_finite() && volume.relative_error < 1e-6, "{volume:?}");
    }
}

#[test]
fn after_warm_up_a_step_takes_no_memory_but_for_ground_touched_for_the_first_time() {
    let mut scene = library::by_name("walk-mud").expect("scene").on_scripted_feet();
    if let Script::Walk(walk) = &mut scene.puppets[0].script {
        walk.path.passes = 6;
    }
    let mut world = World::new(&scene).expect("world");
    // Four passes touch every tile and grow every list; the next two go where these went.
    let per_pass = scene.steps() / 6;
    for _ in 0..4 * per_pass {
        world.step(scene.dt());
        world.take_dirty(|_| {});
    }
    let before = world.ground().tiles.len();
    let info = allocation_counter::measure(|| {
        for _ in 0..per_pass {
            world.step(scene.dt());
            world.take_dirty(|_| {});
        }
    });
    let new = world.ground().tiles.len() - before;
    assert!(new < 8, "the path is trodden: {new} new tiles");
    assert_eq!(info.count_total, new as u64, "one piece of memory a new tile, none else: {info:?}");
}
