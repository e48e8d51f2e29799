//! People do not walk through each other: whole scenes of walkers who meet, cross and follow.

use trample::params::{Body, material};
use trample::scene::{Control, Path, WalkerSpec, library};
use trample::{PuppetSpec, Scene, Script, World, glam::DVec2};

/// Two bodies nearer than this overlap, m: the breadth over the shoulders that the model takes (ANSUR II, bideltoid: 0.46 and 0.51 m).
const TOUCH: f64 = 0.5;

/// Firm ground of that size, with a walker from place to place for each row: from, to, speed, when it sets out.
fn people(size: [f64; 2], rows: &[([f64; 2], [f64; 2], f64, f64)]) -> Scene {
    let mut scene = library::by_name("walk-soil").expect("scene");
    scene.terrain.materials[0].material = material::by_name("dry-soil").expect("a preset");
    (scene.terrain.cell, scene.terrain.size) = (0.04, size);
    let one = |&(from, to, speed, start): &([f64; 2], [f64; 2], f64, f64)| {
        let path = Path { speed, start, ..Path::along([from, to]) };
        let mut walker = WalkerSpec::on(path);
        if let Control::Route(route) = &mut walker.control {
            route.metabolic = false;
        }
        PuppetSpec::walking("walker", Body::default(), walker)
    };
    scene.puppets = rows.iter().map(one).collect();
    scene
}

/// What became of a scene.
struct Met {
    /// How near any two came, m.
    nearest: f64,
    /// How far the farthest is from the end of its path, m.
    left: f64,
    /// When the last of them arrived, s.
    seconds: f64,
}

fn roots(world: &World) -> Vec<DVec2> {
    (0..world.puppets()).filter_map(|id| world.walker(id)).map(|(walker, _)| walker.root).collect()
}

/// Lets them walk until everybody has arrived, for a minute at most.
fn meet(scene: &Scene) -> Met {
    let mut world = World::new(scene).expect("world");
    let mut met = Met { nearest: f64::MAX, left: 0.0, seconds: 0.0 };
    while world.time() < 60.0 && !world.is_over() {
        world.step(scene.dt());
        let now = roots(&world);
        for i in 0..now.len() {
            met.nearest = (0..i).map(|j| now[i].distance(now[j])).fold(met.nearest, f64::min);
        }
    }
    met.seconds = world.time();
    for (spec, root) in scene.puppets.iter().zip(roots(&world)) {
        if let Script::Walker(walker) = &spec.script
            && let Control::Route(route) = &walker.control
        {
            let end = DVec2::from(*route.path.waypoints.last().expect("a path"));
            met.left = met.left.max(root.distance(end));
        }
    }
    met
}

/// Two who walk towards each other on one line.
fn head_on(speeds: [f64; 2]) -> Scene {
    people(
        [16.0, 6.0],
        &[([1.0, 3.0], [15.0, 3.0], speeds[0], 0.0), ([15.0, 3.0], [1.0, 3.0], speeds[1], 0.0)],
    )
}

#[test]
fn two_head_on_pass_each_other_at_half_a_metre_and_arrive() {
    for speeds in [[1.3, 1.3], [0.8, 1.6], [1.3, 0.6], [1.9, 1.9], [1.3, 3.0], [3.0, 3.0]] {
        let met = meet(&head_on(speeds));
        let detour = met.seconds - 14.0 / speeds[0].min(speeds[1]);
        assert!(
            met.nearest >= 0.6 && met.left < 0.6,
            "{speeds:?}: {} m apart, {} m left",
            met.nearest,
            met.left
        );
        assert!(detour < 4.0, "{speeds:?}: {detour} s more than the way alone");
    }
    // On lines beside each other, to either side.
    for aside in [-0.45, -0.3, -0.1, 0.1, 0.2, 0.3, 0.45] {
        let mut scene = head_on([1.3, 1.3]);
        if let Script::Walker(walker) = &mut scene.puppets[1].script
            && let Control::Route(route) = &mut walker.control
        {
            route.path.waypoints.iter_mut().for_each(|p| p[1] += aside);
            walker.position[1] += aside;
        }
        let nearest = meet(&scene).nearest;
        assert!(nearest >= TOUCH, "{aside} m aside: {nearest} m apart");
    }
    let through = meet(&Scene { avoid: false, ..head_on([1.3, 1.3]) });
    assert!(through.nearest < 0.1, "off they walk through each other: {} m", through.nearest);
}

#[test]
fn one_who_stands_in_the_way_is_walked_around() {
    let mut scene =
        people([12.0, 6.0], &[([1.0, 3.0], [11.0, 3.0], 1.3, 0.0), ([6.0, 3.0], [7.0, 3.0], 1.3, 0.0)]);
    if let Script::Walker(walker) = &mut scene.puppets[1].script {
        walker.control = Control::Stand;
    }
    let mut world = World::new(&scene).expect("world");
    let mut nearest = f64::MAX;
    for _ in 0..(12.0 * scene.rate) as usize {
        world.step(scene.dt());
        let now = roots(&world);
        nearest = nearest.min(now[0].distance(now[1]));
    }
    let now = roots(&world);
    assert!(nearest > 0.6, "{nearest} m");
    assert!((now[0].x - 11.0).abs() < 0.6, "arrives: {}", now[0]);
    assert!(now[1].distance(DVec2::new(6.0, 3.0)) < 0.1, "and the other still stands: {}", now[1]);
}

/// A hundred from the four sides of a square to the opposite ones.
fn square(side: f64) -> Scene {
    let rows: Vec<_> = (0..100)
        .map(|i| {
            let across = 2.0 + (side - 4.0) * (f64::from(i / 4) + 0.25 * f64::from(i % 4)) / 25.0;
            let speed = 1.0 + 0.1 * f64::from(i % 7);
            let (a, b) = (1.0, side - 1.0);
            let (from, to) = match i % 4 {
                0 => ([across, a], [across, b]),
                1 => ([across, b], [across, a]),
                2 => ([a, across], [b, across]),
                _ => ([b, across], [a, across]),
            };
            (from, to, speed, 0.0)
        })
        .collect();
    people([side, side], &rows)
}

#[test]
fn a_hundred_across_a_square_never_overlap_and_arrive() {
    let met = meet(&square(26.0));
    assert!(met.nearest >= TOUCH, "{} m apart", met.nearest);
    assert!(met.left < 2.0 && met.seconds < 45.0, "{} m left after {} s", met.left, met.seconds);
}

#[test]
fn one_behind_a_slower_one_overtakes_at_a_distance() {
    for (slow, fast) in [(0.5, 1.3), (0.8, 1.6), (1.2, 1.4), (1.0, 2.8)] {
        let rows = [([4.0, 3.0], [22.0, 3.0], slow, 0.0), ([1.0, 3.0], [22.0, 4.0], fast, 0.0)];
        let met = meet(&people([24.0, 6.0], &rows));
        assert!(
            met.nearest >= 0.6 && met.left < 0.8,
            "{slow} {fast}: {} m apart, {} m left",
            met.nearest,
            met.left
        );
    }
}

#[test]
fn those_who_pass_after_each_other_go_as_if_alone() {
    let row = |start: f64| ([1.0, 3.0], [9.0, 3.0], 1.3, start);
    let together = people([16.0, 6.0], &[row(0.0), row(2.5), row(5.0)]);
    let mut world = World::new(&together).expect("world");
    let mut alone = World::new(&Scene { avoid: false, ..together.clone() }).expect("world");
    // Until the first has arrived where the others want to be too.
    for _ in 0..(5.5 * together.rate) as usize {
        world.step(together.dt());
        alone.step(together.dt());
        assert_eq!(roots(&world), roots(&alone), "at {} s", world.time());
    }
    assert_eq!(world.hash(), alone.hash());
}
