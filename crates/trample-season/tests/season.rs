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
        // A bit that has flipped on the way is found.
        for (day, kind) in [(2, "bin"), (1, "wear")] {
            let files = std::fs::read_dir(plan.store.join(format!("day-{day:05}"))).expect("a day");
            let files =
                files.map(|f| f.expect("a file").path()).filter(|p| p.extension().is_some_and(|e| e == kind));
            let path = files.max_by_key(|p| p.metadata().map_or(0, |m| m.len())).expect("a tile");
            let whole = std::fs::read(&path).expect("a file of the store");
            let mut flipped = whole.clone();
            flipped[whole.len() / 2] ^= 1;
            std::fs::write(&path, flipped).expect("written");
            let problem = plan.join().expect_err("damaged").to_string();
            assert!(problem.contains(kind) && problem.contains("remove"), "{problem}");
            std::fs::write(&path, whole).expect("written");
        }
        // What units without rules of their own record is kept, to the bit.
        let kept = std::fs::read(plan.store.join("rules.bin")).expect("kept by joining");
        let read = trample_season::day::Rules::from_bytes(&kept[8..], &scene).expect("whole");
        assert_eq!((&read.atlases[0].prints, &read.damage), (&rules.atlases[0].prints, &rules.damage));
        assert_eq!(read.to_bytes(), rules.to_bytes());
    }
}

#[test]
fn a_finished_season_that_is_resumed_keeps_its_ways() {
    let scene = scene("triangle", |s| days(s, 2));
    let source = Source::of_scene(&scene).expect("written");
    let done = run(&scene);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("state.season");
    store::save(&file, &source, &done).expect("saved");
    let mut resumed = Run::with(&scene, done.rules().clone()).expect("a season");
    store::resume(&file, &mut resumed).expect("resumed");
    resumed.solve();
    assert_eq!(measure::lines(&resumed), measure::lines(&done));
    assert!(!measure::lines(&done).is_empty());
    // Cut short or with a bit flipped it is refused.
    let bytes = std::fs::read(&file).expect("a state");
    let mut flipped = bytes.clone();
    flipped[bytes.len() - 5000] ^= 4;
    for damaged in [&bytes[..bytes.len() - 100], &flipped] {
        std::fs::write(&file, damaged).expect("written");
        let mut run = Run::with(&scene, done.rules().clone()).expect("a season");
        let problem = store::resume(&file, &mut run).expect_err("damaged").to_string();
        assert!(problem.contains("damaged"), "{problem}");
    }
}

/// Cells that do not fit into pixels a whole number of times: 4 cm in 10 cm.
#[test]
fn pixels_and_cost_cells_hold_means_of_their_cells() {
    let scene = scene("triangle", |_| {});
    let mut ground = trample_season::Ground::new(&scene);
    for (z, x) in (0..40).flat_map(|z| (0..40).map(move |x| (z, x))) {
        let mut bytes = Vec::new();
        let tile = trample_season::ground::Tile {
            cover: [0.25; 256],
            passes: [255; 256],
            pressed: [255; 256],
            ..ground.fresh((z, x))
        };
        tile.state(&mut bytes);
        let record = [1u64.to_le_bytes().to_vec(), z.to_le_bytes().to_vec(), x.to_le_bytes().to_vec(), bytes];
        assert!(store::tiles_from_bytes(&mut ground, &record.concat()));
    }
    let o = measure::overview(&ground, 400);
    assert!((o.pixel / ground.cell - 2.5).abs() < 1e-9, "{}", o.pixel);
    // 40 tiles of 16 cells of 4 cm are 25.6 m.
    for (k, (wear, cover)) in o.wear.iter().zip(&o.cover).enumerate() {
        let inside = [k % o.size[0], k / o.size[0]].map(|i| (i as f64 + 1.0) * o.pixel <= 25.6);
        if inside == [true, true] {
            assert!((wear - 0.75).abs() < 1e-5 && (cover - 0.25).abs() < 1e-5, "{k}: {wear} {cover}");
        }
        assert!((0.0..=0.75001).contains(wear) && (0.24999..=1.0).contains(cover), "{k}: {wear} {cover}");
    }
    let grid = trample_season::cost::Grid::over(scene.terrain.size, 0.5);
    let sums = trample_season::wear_sums(&ground, grid, |_| true);
    let wear = trample_season::wear_of(&sums, grid, &ground);
    for (k, wear) in wear.iter().enumerate().filter(|(k, _)| k % grid.size[0] < 51 && k / grid.size[0] < 51) {
        assert!((wear - 0.75).abs() < 1e-4, "{k}: {wear}");
    }
}

#[test]
fn people_cross_a_lawn_rather_than_walk_around_it() {
    let (detour, centre) = run(&scene("crossing-field", |s| days(s, 10))).detour_and_centre();
    assert!(centre > 0.05 && detour < 1.2, "centre {centre}, detour {detour}");
}

/// Cole 1987: bare soil grows beyond a threshold of use.
#[test]
fn sedge_is_trodden_bare_by_many_and_not_by_few() {
    let bare = |people: f64| {
        let run = run(&scene("hillside", |s| {
            days(s, 20);
            s.terrain.cell = 0.04;
            s.season
                .as_mut()
                .expect("a season")
                .routes
                .iter_mut()
                .for_each(|r| r.who.people_per_day = people);
        }));
        measure::trail(&run.ground, &[], 1.0).bare_m2
    };
    assert_eq!(bare(5.0), 0.0);
    // Two trails of 30 m.
    assert!(bare(250.0) > 3.0);
}

#[test]
fn a_trail_is_as_long_as_its_line_however_far_apart_stations_are() {
    let run = run(&scene("hillside", |s| {
        days(s, 4);
        s.terrain.cell = 0.04;
    }));
    let line = &run.season().routes[0].waypoints;
    for every in [0.5, 1.0, 4.0, 7.0] {
        let all = measure::stations(&run.ground, 0, line, every);
        let trail = measure::trail(&run.ground, &all, every);
        assert!((trail.length_m - 30.0).abs() < 0.1, "{} m at every {every} m", trail.length_m);
    }
    // Prints are deep before any cover has changed much.
    let one = self::run(&scene("hillside", |s| {
        days(s, 1);
        s.terrain.cell = 0.04;
        s.season.as_mut().expect("a season").routes[0].who.visits = vec![1.0];
    }));
    let trail = measure::trail(&one.ground, &measure::stations(&one.ground, 0, line, 0.1), 0.1);
    assert!(trail.max_incision_m > 1e-3, "{trail:?}");
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

#[test]
fn frosts_of_winter_undo_packing_and_summer_does_not() {
    let packed = |start: (i64, u32, u32), frost: f64| {
        let lane = scene("lane-season", |s| {
            let season = s.season.as_mut().expect("a season");
            season.calendar.start = trample::scene::Date::from_civil(start.0, start.1, start.2);
            season.calendar.days = 31;
            season.routes[0].who.visits = std::iter::once(400.0).chain([0.0; 30]).collect();
            season.nature.loosening = 1e6;
            season.nature.frost = frost;
        });
        let run = run(&lane);
        let winter = run.season().nature.winter();
        let sum: u64 = run.ground.sorted().iter().flat_map(|(_, t)| t.passes).map(u64::from).sum();
        (sum as f64, winter)
    };
    let ((never, winter), (often, _)) = (packed((2026, 11, 1), 0.0), packed((2026, 11, 1), 1.0));
    let left = libm::pow(10.0, -30.0 / winter);
    assert!((often / never / left - 1.0).abs() < 0.02, "{often} of {never}, {left} expected");
    assert_eq!(packed((2026, 6, 1), 1.0).0, packed((2026, 6, 1), 0.0).0);
}

#[test]
fn the_gradient_of_trails_draws_ways_together() {
    let triangle = |gradient: f64, wear: f64| {
        let scene = scene("triangle", |s| {
            s.terrain.cell = 0.08;
            days(s, 24);
            let choice = &mut s.season.as_mut().expect("a season").choice;
            (choice.gradient, choice.wear) = (gradient, wear);
        });
        let run = run(&scene);
        let not_walked: u64 = run.rows.iter().map(|r| r.not_walked).sum();
        (run.detour_and_centre(), not_walked as f64 / run.rows.iter().map(|r| r.walks).sum::<u64>() as f64)
    };
    // Nobody sees wear: straight. Who is drawn goes out of the way towards the others' trails.
    let ((straight, centre), trapped) = triangle(GRADIENT, 0.0);
    assert!(
        (straight - 1.0).abs() < 0.005 && centre == 0.0 && trapped == 0.0,
        "{straight} {centre} {trapped}"
    );
    let ((drawn, _), trapped) = triangle(GRADIENT, 1.0);
    println!("detour {drawn}, {trapped} trapped");
    assert!(drawn > 1.01 && drawn < 1.2 && trapped < 0.05, "detour {drawn}, {trapped} of the walks trapped");
}

/// Weight of the gradient at which ways of `triangle` bend and nobody is trapped yet; at 15 some 6 % of the walks are.
const GRADIENT: f64 = 12.0;
