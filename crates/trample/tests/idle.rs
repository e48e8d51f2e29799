//! Time between walkers costs nothing and changes nothing.

use trample::scene::{Path, PuppetSpec, Scene, WalkerSpec};
use trample::{Map, World};

fn waiting(start: f64) -> Scene {
    let path = Path { start, ..Path::along([[0.8, 1.0], [4.0, 1.0]]) };
    let walker = WalkerSpec { step_variation: 0.0, ..WalkerSpec::on(path) };
    let body = trample::params::Body::default();
    Scene { puppets: vec![PuppetSpec::walking("late", body, walker)], ..Scene::default() }
}

#[test]
fn who_waits_for_an_hour_walks_as_one_who_waits_a_little() {
    let deepest = |start: f64| {
        let scene = waiting(start);
        let mut world = World::new(&scene).expect("a world");
        while !world.is_over() {
            world.step(1.0 / 60.0);
        }
        assert!(world.time() > start + 2.0, "it sets out when it shall: {} s", world.time());
        world.map(Map::Compression).max()
    };
    let (soon, late) = (deepest(8.0), deepest(3600.0));
    assert!((soon / late - 1.0).abs() < 0.02, "{soon} and {late}");
}

#[test]
fn one_who_waits_does_nothing_until_shortly_before_it_sets_out() {
    let mut world = World::new(&waiting(60.0)).expect("a world");
    let mut busy = Vec::new();
    for _ in 0..60 * 60 {
        let mut stages = 0;
        world.step_observed(1.0 / 60.0, |_, _| stages += 1);
        if stages > 0 {
            busy.push(world.time());
        }
    }
    let (first, last) = busy.split_at(busy.partition_point(|t| *t < 30.0));
    assert!(first.last().is_some_and(|t| *t < 8.0), "it comes to rest: {:?}", first.last());
    assert!(last.first().is_some_and(|t| (59.3..60.0).contains(t)), "and wakes: {:?}", last.first());
}

/// One who walks to and fro, and one who waits a minute, 8 m beside or with a lane that ends before its feet.
fn two(beside: f64, start: f64) -> Scene {
    let mut scene = waiting(start);
    scene.terrain.size = [6.0, 12.0];
    scene.terrain.law = trample::params::Law::Trail;
    let path = Path { passes: 40, ..Path::along([[1.6, 1.0 + beside], [5.0, 1.0 + beside]]) };
    let body = trample::params::Body::default();
    scene.puppets.push(PuppetSpec::walking("busy", body, WalkerSpec::on(path)));
    scene
}

/// Whether the first walker's clip plays.
fn plays(world: &mut World) -> bool {
    let clip = |world: &World| world.walker(0).map(|(walker, _)| (walker.clip, walker.time.to_bits()));
    let before = clip(world);
    world.step(1.0 / 60.0);
    clip(world) != before
}

#[test]
fn one_who_waits_rests_while_others_walk_far_away_and_not_while_they_come_near() {
    for (beside, wakes) in [(8.0, false), (0.8, true)] {
        let mut world = World::new(&two(beside, 60.0)).expect("a world");
        let mut awake = 0;
        for n in 0..40 * 60 {
            let moves = plays(&mut world);
            awake += u32::from(n > 10 * 60 && moves);
            if n > 10 * 60 {
                let feet = world.report().contacts.iter().filter(|contact| contact.puppet == 0).count();
                assert_eq!(feet, 2, "it stands on both feet at {} s", world.time());
            }
        }
        assert_eq!(awake > 0, wakes, "somebody {beside} m away: it moved in {awake} steps");
        while world.time() < 59.4 {
            world.step(1.0 / 60.0);
        }
        // It shifts its weight before it goes.
        assert!((0..30).any(|_| plays(&mut world)), "it wakes at {} s", world.time());
        let from = world.walker(0).expect("a walker").0.root;
        for _ in 0..180 {
            world.step(1.0 / 60.0);
        }
        assert!(world.walker(0).expect("a walker").0.root.distance(from) > 1.0, "and goes");
    }
}

#[test]
fn one_who_waits_alone_comes_back_from_a_saved_state_as_it_was_and_is_told_of() {
    for rate in [60.0, 10.0] {
        let scene = waiting(30.0);
        let mut world = World::new(&scene).expect("a world");
        while world.time() < 20.0 {
            world.step(1.0 / rate);
        }
        let mut again = World::new(&scene).expect("a world");
        again.restore(&world.snapshot()).expect("its own state");
        while world.time() < 33.0 {
            world.step(1.0 / rate);
            again.step(1.0 / rate);
            let tells = |world: &World| world.report().contacts.clone();
            assert_eq!(tells(&world), tells(&again), "at {} s, {rate} Hz", world.time());
        }
        assert_eq!(world.hash(), again.hash(), "{rate} Hz");
    }
}

#[test]
fn those_who_rest_wake_no_threads() {
    let mut scene = two(2.0, 60.0);
    let late = scene.puppets[0].clone();
    for i in 0..20 {
        let mut other = late.clone();
        let trample::Script::Walker(walker) = &mut other.script else { panic!("a walker") };
        let z = 5.0 + 0.7 * f64::from(i % 10);
        **walker = WalkerSpec::on(Path {
            start: 60.0,
            ..Path::along([[0.8 + 2.0 * f64::from(i / 10), z], [5.0, z]])
        });
        scene.puppets.push(other);
    }
    let mut world = World::new(&scene).expect("a world");
    world.set_threads(2);
    let mut shared = [0, 0];
    for n in 0..20 * 60 {
        shared[usize::from(n > 10 * 60)] += world.step(1.0 / 60.0).splits;
    }
    assert!(shared[0] > 0 && shared[1] == 0, "stages shared out before and after they rest: {shared:?}");
}

#[test]
fn one_who_rests_comes_back_from_a_saved_state_as_it_was() {
    let scene = two(2.5, 30.0);
    let mut world = World::new(&scene).expect("a world");
    for _ in 0..20 * 60 {
        world.step(1.0 / 60.0);
    }
    let mut again = World::new(&scene).expect("a world");
    again.restore(&world.snapshot()).expect("its own state");
    for _ in 0..20 * 60 {
        world.step(1.0 / 60.0);
        again.step(1.0 / 60.0);
        assert_eq!(world.report().contacts, again.report().contacts, "at {} s", world.time());
    }
    assert_eq!(world.hash(), again.hash());
}

/// A heavy plate leaves a print; a light one stands across the hole, into which the rim slides.
#[test]
fn under_a_sole_that_stands_over_a_hole_nothing_slides_for_ever() {
    use trample::Script;
    use trample::params::Law;
    use trample::scene::{Press, library};
    let soil = library::by_name("carex-lane").expect("a library scene").terrain.materials;
    for law in Law::ALL {
        let mut scene = library::by_name("plate").expect("a library scene");
        (scene.terrain.law, scene.terrain.cell, scene.terrain.size) = (law, 0.02, [2.0, 2.0]);
        scene.terrain.materials.clone_from(&soil);
        let press = |heading: f64, start: f64, down: f64| {
            let position = [1.0, 1.0];
            Script::Press(Press { position, heading, start, down, presses: 1, ..Press::default() })
        };
        let mut light = scene.puppets[0].clone();
        (light.name, light.body.mass) = ("light".into(), 5.0);
        scene.puppets[0].body.mass = 300.0;
        scene.puppets[0].script = press(0.0, 0.1, 0.5);
        light.script = press(std::f64::consts::FRAC_PI_2, 1.5, 20.0);
        scene.puppets.push(light);
        let mut world = World::new(&scene).expect("a world");
        let mut late = 0;
        for _ in 0..8 * 60 {
            let sweeps = world.step(1.0 / 60.0).sweeps;
            late += if world.time() > 5.0 { sweeps } else { 0 };
        }
        assert!(world.puppet(1).feet[0].down, "it stands, under {}", law.name());
        assert_eq!(late, 0, "sweeps from the fifth second on, under {}", law.name());
    }
}
