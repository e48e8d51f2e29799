//! Walkers of a scene that bring their own motion or their own body.

mod common;
mod rigs;

use common::source_in;
use rigs::{Figure, Rest, bvh, gltf, names};
use std::path::Path;
use trample::scene::{Control, Script, SoleShape, WalkerSpec};
use trample::{Scene, World};

fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), bytes).expect("writes");
}

/// A walk without any standing in it, as a file of a common convention.
fn walk_file(folder: &Path, speed: f64) {
    let (skeleton, clip) = rigs::walk(speed, 6.0, 60.0);
    let rows = names::rows(&names::ALL[0], &skeleton, true);
    let figure = Figure::new(rows, Rest::Spread, skeleton, clip);
    put(folder, "walk.bvh", bvh::write(&figure, &bvh::Manner::default()));
}

fn figure() -> Figure {
    let (skeleton, clip) = rigs::walk(1.3, 4.0, 30.0);
    let rows = names::rows(&names::ALL[0], &skeleton, true);
    Figure::new(rows, Rest::Spread, skeleton, clip)
}

const GROUND: &str = "seed = 3\n[terrain]\nmaterial = \"dry-soil\"\ncell = 0.04\nsize = [9, 3]\n[[walker]]\nmetabolic = false\n";

fn scene(folder: &Path, walker: &str) -> Scene {
    source_in(folder, &format!("{GROUND}{walker}")).scene().unwrap_or_else(|e| panic!("{e}"))
}

fn bad(folder: &Path, walker: &str) -> String {
    source_in(folder, &format!("{GROUND}{walker}")).scene().expect_err("a bad scene").to_string()
}

fn walker(scene: &Scene) -> &WalkerSpec {
    match &scene.puppets[0].script {
        Script::Walker(walker) => walker,
        other => panic!("{other:?}"),
    }
}

/// Runs until all is over; the share of the time on the way in which recorded clips play, and the world.
fn gone(scene: &Scene) -> (f64, World) {
    let recorded = walker(scene).recorded.as_ref().map_or(0, |r| r.clips.len());
    let mut world = World::new(scene).expect("a world");
    let (mut own, mut all) = (0, 0);
    while !world.is_over() && world.steps() < scene.steps() {
        world.step(scene.dt());
        let (walker, _) = world.walker(0).expect("a walker");
        if walker.velocity.length() > 0.8 {
            all += 1;
            own += u32::from(walker.clip < recorded);
        }
    }
    assert!(world.is_over(), "still under way after {} s", world.time());
    (f64::from(own) / f64::from(all.max(1)), world)
}

#[test]
fn a_recorded_walk_without_starts_and_stops_carries_a_walker_along_its_route_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    walk_file(folder.path(), 1.3);
    let scene = scene(
        folder.path(),
        "motion = [\"walk.bvh\"]\nwaypoints = [[1, 1.5], [8, 1.5]]\npasses = 2\nspeed = 1.3",
    );
    let recorded = walker(&scene).recorded.as_ref().expect("recorded");
    assert!(!recorded.with_generated && !recorded.clips.is_empty());
    let (own, world) = gone(&scene);
    assert!(own > 0.6, "recorded clips play {own} of the time on the way");
    let (walker, _) = world.walker(0).expect("a walker");
    let end = (walker.root.x - 1.0).abs().max((walker.root.y - 1.5).abs());
    assert!(end < 0.7, "it stops at {}", walker.root);
    assert!(walker.velocity.length() < 0.05, "and stands: {}", walker.velocity);
}

#[test]
fn generated_motion_is_mixed_in_on_request_and_files_are_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    walk_file(folder.path(), 1.3);
    let one = "motion = [\"walk.bvh\", \"generated\"]\nwaypoints = [[1, 1.5], [8, 1.5]]\nspeed = 0.6\n";
    let scene = scene(folder.path(), &format!("{one}[[walker]]\n{one}"));
    let recorded = |i: usize| match &scene.puppets[i].script {
        Script::Walker(walker) => walker.recorded.clone().expect("recorded"),
        other => panic!("{other:?}"),
    };
    assert!(recorded(0).with_generated);
    assert!(std::sync::Arc::ptr_eq(&recorded(0), &recorded(1)), "equal bodies share their motion");
    // A slow walker finds nothing slow in the file and goes as the generator has it.
    let mut only = scene.clone();
    only.puppets.truncate(1);
    let mut world = World::new(&only).expect("a world");
    let mut speed: f64 = 0.0;
    for _ in 0..360 {
        let before = world.walker(0).expect("a walker").0.root;
        world.step(only.dt());
        if world.time() > 3.0 {
            speed += world.walker(0).expect("a walker").0.root.distance(before) / 3.0;
        }
    }
    assert!((speed - 0.6).abs() < 0.15, "{speed} m/s");
    // Nothing but generated motion is what there is without a list.
    let plain =
        source_in(folder.path(), &format!("{GROUND}motion = [\"generated\"]")).scene().expect("reads");
    assert!(walker(&plain).recorded.is_none());
}

#[test]
fn a_character_is_the_walker_with_its_measures_its_soles_and_a_mass() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, bytes) = gltf::parts(&figure(), &gltf::Extras { feet: true, ..Default::default() });
    put(folder.path(), "someone.glb", gltf::binary(&json, &bytes));
    let route = "character = \"someone.glb\"\nwaypoints = [[1, 1.5], [4, 1.5]]\n";
    let own = scene(folder.path(), route);
    let (body, usual) = (own.puppets[0].body, trample::params::Body::default());
    assert!((body.leg() / usual.leg() - 1.0).abs() < 0.02, "{}", body.leg());
    assert!((body.mass / usual.mass - 1.0).abs() < 0.1, "{} kg", body.mass);
    // The boxes around the feet are 27 by 10 cm.
    let SoleShape::Custom(sole) = &own.puppets[0].sole else { panic!("{:?}", own.puppets[0].sole) };
    assert!((sole.length - 0.27).abs() < 0.01 && (sole.width - 0.10).abs() < 0.01, "{sole:?}");
    let (_, world) = gone(&own);
    assert!(world.touched_cells() > 0 && (world.walker(0).expect("a walker").0.root.x - 4.0).abs() < 0.7);
    let heavy = scene(folder.path(), &format!("{route}mass = 120\nfootwear = \"boot\""));
    assert_eq!(heavy.puppets[0].body.mass, 120.0);
    assert!(matches!(heavy.puppets[0].sole, SoleShape::Footwear(trample::params::Footwear::Boot)));
    // Both: the file's body moves by the file's motion.
    let both = scene(folder.path(), &format!("{route}motion = [\"someone.glb\"]"));
    assert!(walker(&both).recorded.is_some() && both.puppets[0].body == body);
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    let folder = tempfile::tempdir().expect("a folder");
    walk_file(folder.path(), 1.3);
    put(folder.path(), "not.bvh", "HIERARCHY\nROOT a\n{");
    let cases = [
        ("motion = [\"none.bvh\"]", "none.bvh"),
        ("motion = [\"not.bvh\"]", "not.bvh:3"),
        ("motion = [\"../walk.bvh\"]", "without `..`"),
        ("motion = [1]", "a list of 1 to 64 motion files"),
        ("motion = []", "a list of 1 to 64 motion files"),
        ("motion = \"wlak\"", "Allowed: auto, walk"),
        ("character = \"none.glb\"", "none.glb"),
        ("character = \"walk.bvh\"\nheight = 1.7", "the body is that of"),
    ];
    for (text, said) in cases {
        let message = bad(folder.path(), text);
        assert!(message.contains(said), "{text}: {message}");
        let line = if text.contains("height") { "test.toml:9: " } else { "test.toml:8: " };
        assert!(message.starts_with(line), "{text}: {message}");
    }
}

#[test]
fn the_same_files_give_the_same_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    walk_file(folder.path(), 1.3);
    let hash = || {
        let scene = scene(folder.path(), "motion = [\"walk.bvh\"]\nwaypoints = [[1, 1.5], [8, 1.5]]");
        let mut world = World::new(&scene).expect("a world");
        for _ in 0..120 {
            world.step(scene.dt());
        }
        // A snapshot brings a walker with recorded motion back as it was.
        let mut other = World::new(&scene).expect("a world");
        other.restore(&world.snapshot()).expect("restores");
        for _ in 0..60 {
            world.step(scene.dt());
            other.step(scene.dt());
        }
        assert_eq!(world.hash(), other.hash());
        world.hash()
    };
    assert_eq!(hash(), hash());
}

#[test]
fn an_animal_goes_its_way_on_four_feet_that_stand_still_and_carry_its_weight() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "dog.bvh", rigs::animal::animal(1.0, true, 3));
    let ground = GROUND.replace("metabolic = false\n", "");
    let words = "character = \"dog.bvh\"\nmass = 40\nwaypoints = [[2, 1.5], [6, 1.5]]\n";
    let read = |text: String| source_in(folder.path(), &text).scene();
    let scene = read(format!("{ground}{words}speed = 0.8")).unwrap_or_else(|e| panic!("{e}"));
    let Script::Animal(animal) = &scene.puppets[0].script else { panic!("not an animal") };
    assert_eq!((animal.stride.feet.len(), scene.puppets[0].body.mass), (4, 40.0));
    assert!((animal.stride.speed() - 0.5).abs() < 0.02, "{} m/s", animal.stride.speed());
    let mut world = World::new(&scene).expect("a world");
    let (mut impulse, mut landings, mut slid) = (0.0, 0, 0.0f32);
    let mut stood: Vec<Option<trample::glam::Vec3>> = vec![None; 4];
    while !world.is_over() && world.steps() < scene.steps() {
        let report = world.step(scene.dt());
        impulse += report.contacts.iter().map(|c| c.normal_force * c.seconds).sum::<f64>();
        landings += report.events.iter().filter(|e| matches!(e, trample::Event::FootDown { .. })).count();
        for (foot, place) in stood.iter_mut().enumerate() {
            let puppet = world.puppet(0);
            let now = puppet.pose.soles[foot].position;
            let down = puppet.feet[foot].down && now.y == 0.0;
            if let Some(before) = place.filter(|_| down) {
                slid = slid.max((now - before).with_y(0.0).length());
            }
            *place = down.then_some(now);
        }
    }
    // Four metres in strides of 0.4 m, four feet each.
    assert!((36..=56).contains(&landings), "{landings} landings");
    assert!(slid < 1e-4, "a standing foot slid by {slid} m");
    let weight = 40.0 * 9.806_65 * world.time();
    assert!((0.9..1.35).contains(&(impulse / weight)), "the feet carry {} of the weight", impulse / weight);
    let centre = world.puppet(0).pose.center_of_mass;
    assert!((centre.x - 6.0).abs() < 0.2 && (centre.z - 1.5).abs() < 0.1, "it arrives at {centre}");
    // What does not work is said.
    let said = |text: String| read(text).expect_err("a bad scene").to_string();
    let message = said(format!("{ground}character = \"dog.bvh\""));
    assert!(message.contains("test.toml:7") && message.contains("needs `waypoints`"), "{message}");
    let message = said(format!("{ground}{words}speed = 5"));
    assert!(message.contains("allowed: 0.1"), "{message}");
    let message = said(format!("{ground}motion = [\"dog.bvh\"]"));
    assert!(message.contains("four-footed"), "{message}");
}

#[test]
fn one_stride_made_to_be_repeated_is_a_walk() {
    let folder = tempfile::tempdir().expect("a folder");
    // A stride at 1.3 m/s, from the middle of a longer walk, about as long as programs export it.
    let (skeleton, mut clip) = rigs::walk(1.3, 6.0, 60.0);
    let foot = |i: usize| clip.frames[i].soles[0].position - clip.frames[i].pose.root;
    let end = (150..200).min_by(|&a, &b| foot(a).distance(foot(100)).total_cmp(&foot(b).distance(foot(100))));
    let end = end.expect("a stride") + 1;
    clip.frames = clip.frames[100..end].to_vec();
    clip.roots = clip.roots[100..end].to_vec();
    let seconds = clip.frames.len() as f64 * clip.dt;
    assert!((0.9..1.4).contains(&seconds), "{seconds} s");
    let rows = names::rows(&names::MIXAMO, &skeleton, true);
    let figure = Figure::new(rows, Rest::Spread, skeleton, clip);
    put(folder.path(), "stride.bvh", bvh::write(&figure, &bvh::Manner::default()));
    let scene =
        scene(folder.path(), "motion = [\"stride.bvh\"]\nwaypoints = [[1, 1.5], [8, 1.5]]\nspeed = 1.3");
    let clips = &walker(&scene).recorded.as_ref().expect("recorded").clips;
    let longest = clips.iter().max_by_key(|c| c.frames.len()).expect("a clip");
    assert!(longest.frames.len() > 250 && (longest.speed - 1.3).abs() < 0.06, "{} m/s", longest.speed);
    let (own, _) = gone(&scene);
    assert!(own > 0.6, "recorded clips play {own} of the time on the way");
}

#[test]
fn a_walk_on_the_spot_gets_its_way_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (skeleton, mut clip) = rigs::walk(1.3, 6.0, 60.0);
    // As programs export it "in place": the hips stay where they are, the feet slide back below them.
    for frame in &mut clip.frames {
        (frame.pose.root.x, frame.pose.root.z) = (0.0, 0.0);
    }
    let rows = names::rows(&names::MIXAMO, &skeleton, true);
    let figure = Figure::new(rows, Rest::Spread, skeleton, clip);
    put(folder.path(), "spot.bvh", bvh::write(&figure, &bvh::Manner::default()));
    let loaded = trample_files::character::load(&folder.path().join("spot.bvh"), &Default::default());
    let loaded = loaded.unwrap_or_else(|e| panic!("{e}"));
    let upright = loaded.upright().expect("two legs");
    let speed = upright.takes[0].treadmill.expect("on the spot");
    assert!((speed / 1.3 - 1.0).abs() < 0.05, "{speed} m/s");
    assert!(upright.lines(&loaded.source).iter().any(|l| l.contains("walks on the spot")));
    let scene =
        scene(folder.path(), "motion = [\"spot.bvh\"]\nwaypoints = [[1, 1.5], [8, 1.5]]\nspeed = 1.3");
    let clips = &walker(&scene).recorded.as_ref().expect("recorded").clips;
    let longest = clips.iter().max_by_key(|c| c.frames.len()).expect("a clip");
    assert!((longest.speed / 1.3 - 1.0).abs() < 0.06, "{} m/s", longest.speed);
    let (own, _) = gone(&scene);
    assert!(own > 0.6, "recorded clips play {own} of the time on the way");
    // One that travels by itself is left as it is.
    walk_file(folder.path(), 1.3);
    let plain = trample_files::character::load(&folder.path().join("walk.bvh"), &Default::default());
    assert_eq!(plain.expect("reads").upright().expect("two legs").takes[0].treadmill, None);
}

#[test]
fn an_animal_on_the_spot_goes_as_fast_as_its_feet_are_carried() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = rigs::animal::animal(1.0, true, 3);
    // The first number of every row is how far it has gone.
    let mut rows = false;
    let spot: Vec<String> = text
        .lines()
        .map(|line| {
            let row = rows.then(|| line.split_once(' ')).flatten();
            rows |= line.starts_with("Frame Time");
            row.map_or(line.to_string(), |(_, rest)| format!("0 {rest}"))
        })
        .collect();
    put(folder.path(), "dog.bvh", spot.join("\n"));
    let ground = GROUND.replace("metabolic = false\n", "");
    let text = format!("{ground}character = \"dog.bvh\"\nwaypoints = [[2, 1.5], [6, 1.5]]\n");
    let scene = source_in(folder.path(), &text).scene().unwrap_or_else(|e| panic!("{e}"));
    let Script::Animal(animal) = &scene.puppets[0].script else { panic!("not an animal") };
    assert!((animal.stride.speed() / 0.5 - 1.0).abs() < 0.1, "{} m/s", animal.stride.speed());
}

#[test]
fn a_recording_goes_round_and_nothing_else_plays_where_nothing_may_fill_in() {
    let folder = tempfile::tempdir().expect("a folder");
    walk_file(folder.path(), 1.1);
    let rest = "motion = [\"walk.bvh\"]\nfill = false\nspeed = \"own\"\nwaypoints = [[1, 1.5], [8, 1.5]]";
    let scene = scene(folder.path(), rest);
    let recorded = walker(&scene).recorded.as_ref().expect("recorded");
    let even: Vec<_> = recorded.clips.iter().filter(|c| c.period > 0.0).collect();
    assert_eq!(even.len(), 1, "one walk");
    let Control::Route(route) = &walker(&scene).control else { panic!("no route") };
    assert!((route.path.speed / 1.1 - 1.0).abs() < 0.05, "its own speed: {}", route.path.speed);
    let mut world = World::new(&scene).expect("a world");
    let mut hips = [f64::MAX, f64::MIN];
    while !world.is_over() && world.time() < 20.0 {
        world.step(scene.dt());
        let progress = world.progress(0).expect("a walker");
        assert_eq!(progress.recorded, Some(true), "at {} s", world.time());
        hips = [hips[0].min(progress.pelvis), hips[1].max(progress.pelvis)];
    }
    assert_eq!(world.progress(0).and_then(|p| p.covered), Some(1.0));
    assert!(hips[0] > 0.85 && hips[1] < 1.05, "hips at {hips:?} of their standing height");
}

#[test]
fn a_take_that_is_not_there_is_named_with_those_that_are() {
    let folder = tempfile::tempdir().expect("a folder");
    walk_file(folder.path(), 1.1);
    let rest = "motion = [{ file = \"walk.bvh\", take = \"Dance\" }]\nwaypoints = [[1, 1.5], [8, 1.5]]";
    let text = format!("{GROUND}{rest}\n");
    let problem = source_in(folder.path(), &text).scene().expect_err("no such take").to_string();
    assert!(problem.contains("no take `Dance`; there are `motion`"), "{problem}");
}
