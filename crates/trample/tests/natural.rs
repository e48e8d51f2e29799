//! The natural law against measurements, and against itself: prints that converge, pack and keep their volume.

use trample::params::{Body, material};
use trample::scene::{Path, SoleShape, WalkerSpec, library};
use trample::{Base, Contact, Footwear, Law, Map, Pose, PuppetSpec, Scene, Script, World};

/// A level walk on a ground, in natural steps.
fn walk(ground: &str, footwear: Footwear, cell: f64, rate: f64) -> Scene {
    let mut scene = library::by_name("walk-soil").expect("a library scene");
    (scene.rate, scene.terrain.cell, scene.terrain.law) = (rate, cell, Law::Natural);
    scene.terrain.materials[0].material = material::by_name(ground).expect("a preset");
    scene.puppets[0].sole = SoleShape::Footwear(footwear);
    scene
}

/// Where a walk goes in even steps, x, m: one begins and ends with a whole or a half step more, as a millimetre decides.
const EVEN: std::ops::Range<f32> = 1.0..4.5;

/// The even steps of a walk as they were walked: poses and force, to be walked again on any grid.
fn recorded(scene: &Scene) -> Vec<Pose> {
    let mut world = World::new(scene).expect("world");
    let mut poses = Vec::new();
    while !world.is_over() && world.time() < 20.0 {
        world.step(scene.dt());
        let mut pose = world.puppet(0).pose.clone();
        for (k, sole) in pose.soles.iter_mut().enumerate().filter(|(_, s)| !EVEN.contains(&s.position.x)) {
            // A foot that is left out takes its share of the force with it.
            let drive = pose.drive.as_mut().expect("walkers know their force");
            drive.force *= 1.0 - drive.load[k];
            drive.load = if k == 0 { [0.0, 1.0] } else { [1.0, 0.0] };
            *sole = Default::default();
        }
        poses.push(pose);
    }
    poses
}

/// What so many walks leave: deepest point, m, mean depth of what was trodden, m, carved volume, m³.
fn left_by(scene: &Scene, poses: &[Pose], passes: usize, cell: f64) -> [f64; 3] {
    let mut scene = scene.clone();
    scene.terrain.cell = cell;
    scene.puppets = vec![PuppetSpec { script: Script::Host { feet: 2 }, ..scene.puppets[0].clone() }];
    let mut world = World::new(&scene).expect("world");
    for _ in 0..passes {
        for pose in poses {
            world.set_pose(0, pose);
            world.step(scene.dt());
        }
        // Off the ground before the next walk begins.
        world.set_pose(0, &Pose { soles: vec![Default::default(); 2], ..Pose::default() });
        world.step(scene.dt());
    }
    let volume = world.volume();
    assert!(volume.relative_error < 1e-6, "{volume:?}");
    let area = world.map(Map::Passes).sum() / passes as f64 * cell * cell;
    [world.deepest_print(), volume.carved / area, volume.carved]
}

fn close(a: [f64; 3], b: [f64; 3], what: &str) {
    for (k, name) in ["deepest point", "mean depth", "carved volume"].iter().enumerate() {
        let off = (a[k] / b[k] - 1.0).abs();
        assert!(off <= 0.05, "{what}: {name} {} against {}, {:.1} %", a[k], b[k], 100.0 * off);
    }
}

#[test]
fn prints_depend_neither_on_the_cell_size_nor_on_the_frame_rate() {
    for footwear in [Footwear::Shoe, Footwear::Bare] {
        let scene = walk("loam", footwear, 0.02, 60.0);
        let poses = recorded(&scene);
        for passes in [1, 10, 50] {
            let of = |cell| left_by(&scene, &poses, passes, cell);
            let fine = of(0.01);
            for cell in [0.02, 0.04] {
                let what = format!("{footwear:?}, {passes} passes, {cell} m against 1 cm");
                close(of(cell), fine, &what);
            }
        }
        let at = |rate: f64| {
            let scene = walk("loam", footwear, 0.02, rate);
            left_by(&scene, &recorded(&scene), 1, 0.02)
        };
        let quick = at(960.0);
        for rate in [60.0, 120.0, 240.0] {
            close(at(rate), quick, &format!("{footwear:?}, {rate} Hz against 960 Hz"));
        }
    }
}

/// What the feet of a walk did, without its start and its stop.
fn contacts(scene: &Scene) -> Vec<Contact> {
    let mut world = World::new(scene).expect("world");
    let mut all = Vec::new();
    while world.time() < 4.0 {
        let report = world.step(scene.dt());
        if report.time > 2.0 {
            all.extend(report.contacts.iter().copied());
        }
    }
    all
}

/// MUN104 (104 people, bare feet): heel 329, midfoot 40–60, forefoot 356–392, big toe 309 kPa; Pataky 2008: at most 0.59 of the
/// print is in contact at any time.
#[test]
fn pressures_under_a_bare_foot_on_firm_ground_are_those_measured() {
    let mut scene = walk("wes-lean-clay-22", Footwear::Bare, 0.01, 120.0);
    scene.terrain.size = [6.0, 2.0];
    let all = contacts(&scene);
    let peak = |k: usize| all.iter().map(|c| c.peaks[k]).fold(0.0, f64::max) / 1e3;
    let sole = Footwear::Bare.sole(scene.puppets[0].body.foot_length, scene.puppets[0].body.foot_width);
    let share = all.iter().map(|c| c.area / sole.area()).fold(0.0, f64::max);
    println!(
        "heel {:.0}, arch {:.0}, ball {:.0}, toes {:.0} kPa, contact {share:.2}",
        peak(0),
        peak(1),
        peak(2),
        peak(3)
    );
    assert!((200.0..450.0).contains(&peak(0)), "heel {} kPa", peak(0));
    assert!(peak(1) <= 100.0, "arch {} kPa", peak(1));
    assert!((250.0..450.0).contains(&peak(2)), "ball {} kPa", peak(2));
    assert!((150.0..400.0).contains(&peak(3)), "toes {} kPa", peak(3));
    assert!(share <= 0.65, "{share} of the sole");
}

/// Mean depth of the deepest tenth of heel and forefoot of a print that stands alone.
fn heel_and_toe(world: &World, at: [f64; 2], length: f64) -> [f64; 2] {
    let (map, cell) = (world.map(Map::Compression), world.ground().cell);
    let deep = |from: f64, to: f64| {
        let mut cells = Vec::new();
        for i in 0..=((to - from) * length / cell) as i32 {
            for j in -5..=5 {
                let (x, z) = (at[0] + from * length + f64::from(i) * cell, at[1] + f64::from(j) * 0.01);
                cells.push(map.at((x / cell) as i32, (z / cell) as i32));
            }
        }
        cells.sort_by(f64::total_cmp);
        cells[cells.len() - cells.len() / 10..].iter().sum::<f64>() / (cells.len() / 10) as f64
    };
    [deep(-0.5, -0.2), deep(0.05, 0.5)]
}

#[test]
fn toes_go_about_as_deep_as_heels_in_every_natural_ground() {
    for ground in [
        "loam",
        "dry-soil",
        "soft-soil",
        "wet-soil",
        "clay",
        "wet-clay",
        "loose-sand",
        "wet-sand",
        "fresh-snow",
        "wind-packed-snow",
    ] {
        let scene = walk(ground, Footwear::Shoe, 0.01, 60.0);
        let mut world = World::new(&scene).expect("world");
        let mut flat = None;
        while world.time() < 5.0 {
            let report = world.step(scene.dt()).clone();
            if (2.5..3.5).contains(&report.time) && flat.is_none() {
                // The middle of a stance: the sole lies flat in its print.
                let stands = report
                    .contacts
                    .iter()
                    .find(|c| (0.25..0.35).contains(&world.puppet(0).feet[c.foot].stance));
                flat = stands.map(|c| world.puppet(0).pose.soles[c.foot].position);
            }
        }
        let at = flat.expect("a foot that stands");
        let length = 1.07 * scene.puppets[0].body.foot_length;
        let [heel, toe] = heel_and_toe(&world, [f64::from(at.x), f64::from(at.z)], length);
        println!("{ground}: heel {:.1} mm, toes {:.1} mm, ratio {:.2}", 1e3 * heel, 1e3 * toe, toe / heel);
        assert!((0.7..2.0).contains(&(toe / heel)), "{ground}: heel {heel} m, toes {toe} m");
    }
}

#[test]
fn a_walker_sinks_to_the_knees_in_fresh_snow_and_hardly_in_firm_clay() {
    let depth = |ground: &str| {
        let all = contacts(&walk(ground, Footwear::Shoe, 0.02, 60.0));
        all.iter().map(|c| c.depth).fold(0.0, f64::max)
    };
    let (snow, packed, clay) = (depth("fresh-snow"), depth("wind-packed-snow"), depth("clay"));
    assert!((0.22..0.28).contains(&snow), "ERDC: 22 to 27 cm of 30; {snow}");
    assert!(packed < 0.4 * snow && clay < 0.015, "{packed} {clay}");
}

/// ERDC: walkers sink 27, 25 and 22 cm into 30 cm of snow of 100, 200 and 300 kg/m³. The last was fitted.
#[test]
fn walkers_sink_into_snow_of_any_density_as_measured() {
    for (density, measured) in [(100.0, 0.27), (200.0, 0.25), (300.0, 0.22)] {
        for rate in [60.0, 240.0] {
            let mut scene = library::by_name("deep-snow").expect("a library scene");
            (scene.rate, scene.terrain.materials[0].material.natural.density) = (rate, density);
            let mut world = World::new(&scene).expect("world");
            while !world.is_over() && world.time() < 60.0 {
                world.step(scene.dt());
            }
            let (sinks, volume) = (world.deepest_print(), world.volume());
            println!("{density} kg/m³ at {rate} Hz: {sinks:.3} m for {measured} m");
            assert!((sinks / measured - 1.0).abs() < 0.05, "{density} kg/m³: {sinks} m");
            assert!(volume.relative_error < 1e-6, "{volume:?}");
            let densest = world.map(Map::Density).max();
            assert!((450.0..700.0).contains(&densest), "CRREL: 500 to 650 under a foot, {densest}");
        }
    }
}

#[test]
fn wet_soil_is_weaker_and_denser_soil_stronger() {
    let print = |moisture: f64, passes: usize| {
        let mut scene = walk("loam", Footwear::Shoe, 0.02, 60.0);
        scene.terrain.materials[0].material.moisture = moisture;
        let poses = recorded(&scene);
        left_by(&scene, &poses, passes, 0.02)[1]
    };
    let (mesic, wet) = (print(0.3, 1), print(0.9, 1));
    assert!(wet > 1.5 * mesic, "{wet} {mesic}");
    // Liddle & Greig-Smith: with the logarithm of passes.
    let [one, ten, hundred] = [1, 10, 100].map(|n| print(0.3, n));
    let (first, second) = (ten - one, hundred - ten);
    assert!((0.8..1.25).contains(&(second / first)), "{one} {ten} {hundred}");
}

/// A name means one ground: under every law a walking foot goes about as deep. Presets that carry their paper's name are that paper's.
#[test]
fn every_name_means_one_ground_under_all_laws() {
    let mut apart = Vec::new();
    for preset in material::PRESETS
        .iter()
        .filter(|p| !p.name.starts_with("trail-") && !p.name.starts_with("soft-walks-"))
    {
        let depths = Law::ALL.map(|law| {
            let mut scene = walk(preset.name, Footwear::Shoe, 0.02, 60.0);
            scene.terrain.law = law;
            contacts(&scene).iter().map(|c| c.depth).fold(0.0, f64::max)
        });
        let (low, high) =
            depths.iter().fold((f64::MAX, 0.0f64), |(low, high), d| (low.min(*d), high.max(*d)));
        let millimetres = depths.map(|d| (1e4 * d).round() / 10.0);
        println!("{}: {millimetres:?} mm, factor {:.2}", preset.name, high / low);
        if high > 2.0 * low {
            apart.push((preset.name, millimetres));
        }
    }
    assert!(apart.is_empty(), "{apart:?}");
}

/// A body walks on natural ground as it walks: soles stay where they stand and out of the ground, and loose slopes make them slip.
#[test]
fn feet_hold_on_level_ground_and_slip_on_a_steep_dune_and_on_wet_clay() {
    let slid = |ground: &str, degrees: f64, slows: bool| {
        let mut scene = walk(ground, Footwear::Shoe, 0.02, 60.0);
        if let Script::Walker(walker) = &mut scene.puppets[0].script
            && let trample::scene::Control::Route(route) = &mut walker.control
        {
            route.metabolic = slows;
        }
        scene.terrain.base = Base::Slope { angle: f64::to_radians(degrees), direction: 0.0 };
        contacts(&scene).iter().map(|c| f64::from(c.slip.length()) * c.seconds).sum::<f64>()
    };
    for ground in ["loam", "soil", "clay", "fresh-snow", "wet-clay"] {
        assert_eq!(slid(ground, 0.0, true), 0.0, "{ground}");
    }
    // Who keeps to the speed of level ground slips on sand of 25°; who slows down as people do just holds there, and slips at the angle
    // of its friction, 28°.
    let (sand, clay) = (slid("loose-sand", 25.0, false), slid("wet-clay", 12.0, true));
    let [holds, steep] = [25.0, 28.0].map(|degrees| slid("loose-sand", degrees, true));
    println!(
        "slid {sand:.3} m in two seconds up 25° of sand, slowly {holds:.3} m, up 28° {steep:.3} m, {clay:.3} m up 12° of wet clay"
    );
    assert!(sand > 0.0005 && clay > 0.01 && steep > holds + 0.01, "{sand} {clay} {holds} {steep}");
}

#[test]
fn feet_that_are_not_lifted_draw_furrows_and_push_heaps() {
    let walked = |lift: f64, ground: &str| {
        let mut scene = library::by_name("shuffle").expect("a library scene");
        scene.puppets[0].body.foot_lift = lift;
        scene.terrain.materials[0].material = material::by_name(ground).expect("a preset");
        let mut world = World::new(&scene).expect("world");
        while !world.is_over() && world.time() < 20.0 {
            world.step(scene.dt());
        }
        world.settle();
        let volume = world.volume();
        assert!(volume.relative_error < 1e-6, "{volume:?}");
        // Of the way in the middle, how much lies lower than a centimetre below the ground, on either side.
        let (map, cell) = (world.map(Map::Compression), scene.terrain.cell);
        let low = |x: i32| (0..120).any(|z| map.at(x, z) > 0.01);
        let way = (2.0 / cell) as i32..(5.0 / cell) as i32;
        let share = way.clone().filter(|&x| low(x)).count() as f64 / way.len() as f64;
        (share, world.highest_bump())
    };
    for ground in ["loose-sand", "fresh-snow"] {
        let (steps, (furrow, heap)) = (walked(1.0, ground).0, walked(0.0, ground));
        assert!(steps < 0.9 && furrow > 0.98, "{ground}: {steps} in steps, {furrow} dragged");
        assert!(heap > 0.02, "{ground}: {heap} m high");
    }
}

/// A foot that is to carry its body comes down, whatever hollows and ridges others have trodden there: one that hung above them let the
/// toes of the other carry all, for a third of a second and 13 cm deep.
#[test]
fn no_foot_hangs_above_ground_that_was_trodden() {
    for (ground, footwear, seed, rate) in [
        ("loam", Footwear::Bare, 2, 240.0),
        ("wet-soil", Footwear::Shoe, 3, 120.0),
        ("loose-sand", Footwear::Shoe, 3, 60.0),
    ] {
        let mut scene = library::by_name("natural-lane").expect("a library scene");
        (scene.seed, scene.rate, scene.terrain.cell) = (seed, rate, 0.01);
        scene.terrain.materials[0].material = material::by_name(ground).expect("a preset");
        scene.puppets[0].sole = SoleShape::Footwear(footwear);
        if let Script::Walker(walker) = &mut scene.puppets[0].script
            && let trample::scene::Control::Route(route) = &mut walker.control
        {
            route.path.passes = 10;
        }
        let mut world = World::new(&scene).expect("world");
        let (mut hangs, mut longest, mut deepest, mut depths) = ([0.0; 2], 0.0f64, 0.0f64, Vec::new());
        while !world.is_over() && world.time() < 90.0 {
            for contact in &world.step(scene.dt()).contacts {
                deepest = deepest.max(contact.depth);
                depths.push(contact.depth);
            }
            let puppet = world.puppet(0);
            let load = puppet.pose.drive.expect("walkers know their force").load;
            for (k, hangs) in hangs.iter_mut().enumerate() {
                *hangs = if load[k] > 0.8 && !puppet.feet[k].down { *hangs + scene.dt() } else { 0.0 };
                longest = longest.max(*hangs);
            }
        }
        depths.sort_by(f64::total_cmp);
        let usual = depths[depths.len() * 9 / 10];
        println!(
            "{ground}, {footwear:?}: hangs for {longest:.3} s, deepest {deepest:.4} m, usually below {usual:.4} m"
        );
        assert!(longest < 0.1, "{ground}: a foot that carries hangs for {longest} s");
        assert!(deepest < 3.0 * usual, "{ground}: {deepest} m for {usual} m");
    }
}

#[test]
fn mud_holds_the_foot_and_dry_ground_does_not() {
    let most = |ground: &str| {
        let scene = walk(ground, Footwear::Boot, 0.02, 60.0);
        let held = contacts(&scene).iter().map(|c| c.suction).fold(0.0, f64::max);
        held / (scene.puppets[0].body.mass * 9.80665)
    };
    let (clay, soil, dry) = (most("wet-clay"), most("wet-soil"), most("loam"));
    assert!((0.03..0.3).contains(&clay) && clay > soil && soil > 0.0 && dry == 0.0, "{clay} {soil} {dry} BW");
}

/// Ground steeper than its own rest angle: what feet push aside comes to rest near them and does not run to the bottom.
#[test]
fn loose_ground_on_a_steep_slope_comes_to_rest() {
    let mut scene = walk("wet-clay", Footwear::Shoe, 0.02, 60.0);
    assert!(scene.terrain.too_steep().is_empty(), "level ground is not");
    // Down towards the far side.
    let direction = -0.5 * std::f64::consts::PI;
    scene.terrain.base = Base::Slope { angle: 30f64.to_radians(), direction };
    let steep = scene.terrain.too_steep();
    assert!(
        steep.len() == 1 && (steep[0].1.to_degrees() - 20.0).abs() < 1e-6 && steep[0].2 > 0.99,
        "{steep:?}"
    );
    let mut world = World::new(&scene).expect("world");
    // Until it has arrived: who then stands on wet clay of 30° slides on, with what lies before the feet.
    while world.walker(0).is_some_and(|(walker, _)| walker.rested <= 1.0) && world.time() < 30.0 {
        world.step(scene.dt());
    }
    world.settle();
    assert!(world.steepest_excess() < 1e-3 && world.volume().relative_error < 1e-6);
    let map = world.map(Map::Accumulation);
    let farthest =
        (0..100).filter(|&z| (0..300).any(|x| map.at(x, z) > 1e-4)).map(|z| (f64::from(z) + 0.5) * 0.02);
    let (low, high) = farthest.fold((f64::MAX, f64::MIN), |(a, b), z| (a.min(z), b.max(z)));
    assert!(high - low > 0.2 && high < 1.9 && low > 0.6, "loose material lies from {low} to {high} m");
}

/// Mean and standard deviation of the surface of a tread between two places along x, m, and which share of it lies above the
/// original ground: over the
/// half of its squares of 4 cm that was trodden most.
fn tread(world: &World, way: [f64; 2]) -> [f64; 3] {
    let (passes, delta, side) = (world.map(Map::Passes), world.map(Map::Delta), world.cells_in(0.04) as i32);
    let columns = way.map(|x| (x / 0.04) as i32);
    let rows = 0..world.ground().size[1] / side;
    let mut squares: Vec<[f64; 2]> = Vec::new();
    for (x, z) in (columns[0]..columns[1]).flat_map(|x| rows.clone().map(move |z| (x, z))) {
        let within = || (0..side * side).map(|i| (x * side + i % side, z * side + i / side));
        let mean = |map: &trample::MapView<'_>| {
            within().map(|(x, z)| map.at(x, z)).sum::<f64>() / f64::from(side * side)
        };
        if mean(&passes) > 0.0 {
            squares.push([mean(&passes), mean(&delta)]);
        }
    }
    squares.sort_by(|a, b| a[0].total_cmp(&b[0]));
    squares.drain(..squares.len() / 2);
    let n = squares.len() as f64;
    let mean = squares.iter().map(|s| s[1]).sum::<f64>() / n;
    let square = squares.iter().map(|s| (s[1] - mean) * (s[1] - mean)).sum::<f64>() / n;
    [mean, square.sqrt(), squares.iter().filter(|s| s[1] > 0.0).count() as f64 / n]
}

/// A lane walked up and down so often, at 30 Hz.
fn lane(name: &str, passes: u32) -> World {
    let mut scene = library::by_name(name).expect("a library scene");
    (scene.rate, scene.terrain.cell, scene.terrain.law) = (30.0, 0.02, Law::Natural);
    scene.terrain.materials[0].material = material::by_name("loam").expect("a preset");
    if let Script::Walker(walker) = &mut scene.puppets[0].script
        && let trample::scene::Control::Route(route) = &mut walker.control
    {
        (route.path.passes, route.metabolic) = (passes, false);
    }
    let mut world = World::new(&scene).expect("world");
    while !world.is_over() && world.time() < 60.0 * f64::from(passes) {
        world.step(scene.dt());
    }
    assert!(world.is_over() && world.volume().relative_error < 1e-6, "{:?}", world.volume());
    world
}

#[test]
fn ridges_are_trodden_flat_also_under_a_sward() {
    for (name, way) in [("natural-lane", [1.2, 4.8]), ("carex-lane", [2.0, 3.5])] {
        let [mean, sd, above] = tread(&lane(name, 200), way);
        println!("{name}: {:.1} mm, sd {:.1} mm, {above:.3} above the ground", 1e3 * mean, 1e3 * sd);
        assert!(mean < -0.01 && sd < 0.01 && above < 0.01, "{name}: {mean} ± {sd} m, {above} above");
    }
}

#[test]
fn drawn_soles_lie_on_the_ground_that_they_press_not_in_it() {
    // Ground, m/s, degrees, and the most at any moment, mm. Pads of soles give by some 1 mm, which is in it.
    let cases = [
        ("soil", 1.3, 0.0, 5.0),
        ("soil", 1.3, 15.0, 5.0),
        ("soil", 1.3, -15.0, 5.0),
        ("soil", 1.7, 0.0, 5.0),
        // The tips of the toes of a foot that has all but left, on its way through 70°.
        ("soil", 2.0, 0.0, 7.0),
        ("soil", 3.5, 0.0, 5.0),
        ("snow", 1.3, 0.0, 5.0),
        ("loam", 0.9, 0.0, 5.0),
    ];
    for (ground, speed, degrees, bound) in cases {
        let mut scene = Scene { rate: 120.0, ..Scene::default() };
        scene.terrain.cell = 0.02;
        scene.terrain.size = [6.0 * speed + 4.0, 3.0];
        scene.terrain.materials[0].material = material::by_name(ground).expect("a preset");
        scene.terrain.base = Base::Slope { angle: f64::to_radians(degrees), direction: 0.0 };
        let path = Path { speed, ..Path::along([[1.0, 1.5], [3.0 + 6.0 * speed, 1.5]]) };
        // As on the page of the gait: all steps alike.
        let walker = WalkerSpec { step_variation: 0.0, ..WalkerSpec::on(path) };
        scene.puppets = vec![PuppetSpec::walking("walker", Body::default(), walker)];
        let mut world = World::new(&scene).expect("world");
        let mut depths = Vec::new();
        while world.time() < 5.0 {
            world.step(scene.dt());
            depths.extend(world.sole_penetration(0).expect("a walker").map(|depth| 1e3 * depth.max(0.0)));
        }
        depths.sort_by(f64::total_cmp);
        let (usual, most) = (depths[depths.len() / 2], depths[depths.len() - 1]);
        println!("{ground}, {speed} m/s, {degrees}°: {usual:.2} mm, at most {most:.2}");
        assert!(
            usual <= 2.0 && most <= bound,
            "{ground}, {speed} m/s, {degrees}°: {usual} mm, at most {most}"
        );
    }
}
