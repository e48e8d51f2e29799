//! What must hold of seasons: the same bits for any threads, tiles and resumption; people who see wear walk together; closures
//! count; fall-line trails lose more than side-hill ones.

use std::sync::Arc;
use trample::scene::{Area, Closure, Scene, library};
use trample_files::Source;
use trample_season::unit::Plan;
use trample_season::{Run, measure, store};

fn scene(name: &str, change: impl FnOnce(&mut Scene)) -> Scene {
    let mut scene = library::by_name(name).expect("a library scene");
    change(&mut scene);
    scene.check().expect("good");
    scene
}

fn days(scene: &mut Scene, days: u32) {
    scene.season.as_mut().expect("a season").calendar.days = days;
}

fn run(scene: &Scene) -> Run {
    let mut run = Run::new(scene).expect("a season");
    while run.day < run.days() {
        run.pass_day();
    }
    run
}

#[test]
fn threads_tiles_and_resumption_change_no_bit() {
    let scene = scene("triangle", |s| days(s, 3));
    let source = Source::of_scene(&scene).expect("written");
    let rules = Arc::new(trample_season::rules(&scene).expect("rules"));
    let begin = || Run::with(&scene, rules.clone()).expect("a season");
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut run = begin();
            (0..3).for_each(|_| drop(run.pass_day().clone()));
            run.ground.hash()
        })
    };
    let one = hash(1);
    assert_eq!([hash(2), hash(8)], [one, one]);
    let folder = tempfile::tempdir().expect("a folder");
    // Killed after the second day.
    let file = folder.path().join("state.season");
    let mut first = begin();
    first.pass_day();
    first.pass_day();
    store::save(&file, &source, &first).expect("saved");
    let mut second = begin();
    store::resume(&file, &mut second).expect("resumed");
    second.pass_day();
    assert_eq!(second.ground.hash(), one);
    for side in [1, 2, 4] {
        let plan =
            Plan::new(&source, &scene, [side, side], folder.path().join(format!("{side}"))).expect("a plan");
        assert!(
            plan.run(plan.units - 1, Some(rules.clone())).is_err() || plan.units == 1,
            "days come one after the other"
        );
        for index in 0..plan.units {
            let receipt = plan.run(index, Some(rules.clone())).expect("a unit");
            assert_eq!(
                plan.run(index, None).expect("done before"),
                receipt,
                "a unit that is done stays as it is"
            );
        }
        let joined = plan.join().expect("joined");
        assert_eq!(joined.ground.hash(), one, "{side} × {side} tiles");
        // Footfalls, walks and volumes too.
        assert_eq!(joined.rows, second.rows, "{side} × {side} tiles");
    }
}

#[test]
fn people_who_see_nothing_walk_straight_and_those_who_see_wear_walk_together() {
    let of = |wear: f64| {
        let scene = scene("triangle", |s| {
            days(s, 40);
            s.terrain.cell = 0.08;
            s.season.as_mut().expect("a season").choice.wear = wear;
        });
        run(&scene).detour_and_centre()
    };
    let found = [0.0, 0.5, 1.0, 1.3].map(of);
    assert!((found[0].0 - 1.0).abs() < 0.005 && found[0].1 == 0.0, "{found:?}");
    assert!(found.windows(2).all(|w| w[1].0 > w[0].0 && w[1].1 >= w[0].1), "{found:?}");
    assert!(
        found[2].1 >= 0.15 && found[3].0 < 1.155,
        "the minimal way system has 0.208 and 1.155: {found:?}"
    );
}

#[test]
fn a_closure_that_cuts_a_trip_off_is_counted_and_others_go_on() {
    let scene = scene("triangle", |s| {
        days(s, 2);
        let season = s.season.as_mut().expect("a season");
        let gate = season.gates[0].place;
        // A wall of closed ground around the first gate on the second day.
        let ring = |r: f64| {
            (0..24).map(move |k| {
                [
                    gate[0] + r * libm::cos(f64::from(k) * 0.2618),
                    gate[1] + r * libm::sin(f64::from(k) * 0.2618),
                ]
            })
        };
        let area = Area::Polygon(ring(4.0).collect());
        season.calendar.closures.push(Closure { from: 1, to: 1, area });
    });
    let run = run(&scene);
    assert_eq!(run.rows[0].not_walked, 0);
    let shut = &run.rows[1];
    assert!(shut.not_walked > 0 && shut.not_walked < shut.walks, "{} of {}", shut.not_walked, shut.walks);
    assert_eq!(shut.groups[1].1, 0, "the trip between the other gates is walked");
}

#[test]
fn nobody_presses_a_boardwalk() {
    let run = run(&scene("crossing-field", |s| days(s, 1)));
    let walks = &run.season().calendar.boardwalks;
    for (key, tile) in run.ground.sorted() {
        for c in 0..256 {
            let at = |k: i32, i: usize| (f64::from(k) * 16.0 + i as f64 + 0.5) * run.ground.cell;
            let (x, z) = (at(key.1, c % 16), at(key.0, c / 16));
            // A foot that stands beside a boardwalk may reach over its edge.
            let deep = walks
                .iter()
                .any(|a| [-0.3, 0.3].iter().all(|d| a.contains(x + d, z, &[]) && a.contains(x, z + d, &[])));
            assert!(!(deep && tile.passes[c] > 0), "pressed at {x} {z}");
        }
    }
}

#[test]
fn a_trail_down_the_fall_line_loses_more_than_one_along_the_side() {
    let run = run(&scene("hillside", |s| {
        days(s, 30);
        s.terrain.cell = 0.04;
    }));
    let loss = |route: usize| {
        let line = &run.season().routes[route].waypoints;
        let all = measure::stations(&run.ground, 0, line, 1.0);
        all.iter().map(|s| s.area_loss_m2).sum::<f64>() / all.len() as f64
    };
    assert!(loss(0) > 1.05 * loss(1), "{} against {}", loss(0), loss(1));
}

#[test]
fn what_is_pushed_aside_lies_there_to_the_unit() {
    let mut scene = scene("lane-season", |s| days(s, 6));
    scene.season.as_mut().expect("a season").nature.wash = 0.0;
    let run = run(&scene);
    let lying: i64 = run.ground.sorted().iter().flat_map(|(_, t)| t.loose).map(i64::from).sum();
    assert_eq!(lying, run.rows.iter().map(|r| r.displaced).sum::<i64>());
    assert!(lying > 0);
}
