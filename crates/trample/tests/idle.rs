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
