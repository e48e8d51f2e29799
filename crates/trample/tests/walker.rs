//! A body on the ground: it goes where it is told, stands on what it presses, and presses with its weight.

use trample::body::HIP;
use trample::glam::{DVec2, Vec3};
use trample::params::{Body, Species};
use trample::scene::{Control, ForceModel, Motion, Path, PlantKind, Route, Steer, WalkerSpec};
use trample::{Base, Event, Law, Map, Material, PlantPatch, PuppetSpec, Scene, Script, World};

fn spec(body: Body, control: Control) -> PuppetSpec {
    let usual = WalkerSpec::on(Path::along([[1.0, 2.0], [2.0, 2.0]]));
    // Laws are tested on steps that are all alike.
    let walker = WalkerSpec { control, step_variation: 0.0, ..usual };
    PuppetSpec::walking("walker", body, walker)
}

fn route(waypoints: Vec<[f64; 2]>, metabolic: bool) -> Control {
    Control::Route(Route { path: Path::along(waypoints), metabolic, motion: Motion::Auto })
}

/// Ground that does not give way.
const ROCK: Material = Material { youngs_modulus: 1e9, ..Material::SOIL };

/// A straight walk of 8 m on soil.
fn straight() -> Scene {
    let mut scene = Scene {
        puppets: vec![spec(Body::default(), route(vec![[1.0, 2.0], [9.0, 2.0]], false))],
        ..Scene::default()
    };
    scene.terrain.size = [12.0, 4.0];
    // Under TRAIL's law, whose rock is rigid; what natural ground does to walkers is in `natural.rs`.
    scene.terrain.law = Law::Trail;
    scene.terrain.materials[0].material = Material::SOIL;
    scene
}

fn on_slope(degrees: f64, direction: f64) -> Scene {
    let mut scene = straight();
    scene.terrain.base = Base::Slope { angle: degrees.to_radians(), direction };
    scene
}

/// Mean lean ahead and to the right between 3 and 6 s, rad.
fn lean(scene: &Scene) -> [f64; 2] {
    let mut world = World::new(scene).expect("world");
    let (mut sum, mut n) = ([0.0; 2], 0.0);
    while world.time() < 6.0 {
        world.step(scene.dt());
        if world.time() > 3.0 {
            let angle = world.walker(0).expect("a walker").0.lean.angle;
            sum = [sum[0] + f64::from(angle.x), sum[1] + f64::from(angle.y)];
            n += 1.0;
        }
    }
    sum.map(|x| x / n)
}

#[test]
fn a_walker_goes_to_the_end_of_its_route_at_its_speed_and_stops() {
    let scene = straight();
    let mut world = World::new(&scene).expect("world");
    let mut places = Vec::new();
    for _ in 0..scene.steps() {
        world.step(scene.dt());
        places.push((world.time(), world.walker(0).expect("walker").0.root));
    }
    let at = |t: f64| places.iter().find(|p| p.0 >= t).expect("time").1;
    let speed = (at(5.0) - at(3.0)).length() / 2.0;
    assert!((speed - 1.3).abs() < 0.08, "{speed} m/s");
    let end = places.last().expect("steps").1;
    assert!((end.x - 9.0).abs() < 0.6 && (end.y - 2.0).abs() < 0.1, "ends at {end}");
    let before = at(places.last().expect("steps").0 - 0.5);
    assert!((end - before).length() < 0.01, "and stands there");
}

#[test]
fn stride_follows_the_scaling_law() {
    let scene = straight();
    let mut world = World::new(&scene).expect("world");
    let mut landings = Vec::new();
    for _ in 0..(6.0 * scene.rate) as usize {
        for event in &world.step(scene.dt()).events {
            if let Event::FootDown { foot: 0, time, position, .. } = *event
                && time > 2.0
            {
                landings.push((time, position));
            }
        }
    }
    let strides: Vec<(f64, f32)> =
        landings.windows(2).map(|w| (w[1].0 - w[0].0, (w[1].1 - w[0].1).with_y(0.0).length())).collect();
    assert!(strides.len() >= 2);
    // Boulic & Thalmann 1990: cycle length 1.346·√RV·leg, period = length / speed, for 1.3 m/s and the body's own leg.
    let leg = Body::default().leg();
    let length = 1.346 * (1.3 / leg).sqrt() * leg;
    for (period, stride) in strides {
        assert!((period / (length / 1.3) - 1.0).abs() < 0.08, "period {period}, law {}", length / 1.3);
        assert!((f64::from(stride) / length - 1.0).abs() < 0.08, "stride {stride}, law {length}");
    }
}

#[test]
fn feet_neither_slide_nor_sink_and_knees_do_not_lock_on_flat_and_sloping_ground_and_in_snow() {
    let mut snow = straight();
    snow.terrain.materials[0].material = Material::SNOW;
    let side = on_slope(15.0, std::f64::consts::FRAC_PI_2);
    for (what, scene) in [
        ("flat", straight()),
        ("up", on_slope(15.0, 0.0)),
        ("down", on_slope(-15.0, 0.0)),
        ("side", side),
        ("snow", snow),
    ] {
        let mut world = World::new(&scene).expect("world");
        let (mut speeds, mut depths, mut drift) = (Vec::new(), Vec::new(), 0.0f64);
        let mut gap = 0.0f64;
        // Where each stance began to turn about its present point.
        let mut since: [Option<Vec3>; 2] = [None; 2];
        // Which point of a standing foot must not move, and where it was: the heel while it rolls over the heel, else the ball.
        let mut last: [Option<(Vec3, usize)>; 2] = [None; 2];
        let mut straightest = f32::MAX;
        for _ in 0..scene.steps() {
            world.step(scene.dt());
            let (walker, skeleton) = world.walker(0).expect("walker");
            let placed = skeleton.place(&walker.pose);
            for side in 0..2 {
                let [hip, knee, ankle] = [0, 1, 2].map(|k| placed.positions[HIP[side] + k]);
                let flexion =
                    libm::acosf((knee - hip).normalize().dot((ankle - knee).normalize()).clamp(-1.0, 1.0));
                straightest = straightest.min(flexion.to_degrees());
                let lock = &walker.locks[side];
                let (pitch, bend) = (lock.shown_turn.y, lock.shown_turn.z);
                let foot = &skeleton.foot;
                let below = Vec3::new((foot.heel - foot.ankle) as f32, -foot.ankle_height as f32, 0.0);
                let heel = ankle + placed.rotations[HIP[side] + 2] * below;
                let ball = placed.positions[HIP[side] + 3];
                // Past the bend of the toes the foot turns about their tips: not measured here.
                let now = match (lock.held, pitch > 0.003, (pitch + bend).abs() < 0.01) {
                    (true, true, _) => Some((heel, 0)),
                    (true, false, true) => Some((ball, 1)),
                    _ => None,
                };
                if let (Some((before, a)), Some((point, b))) = (last[side], now)
                    && a == b
                {
                    speeds.push(f64::from((point - before).with_y(0.0).length()) * scene.rate * 100.0);
                    let from = *since[side].get_or_insert(before);
                    drift = drift.max(f64::from((point - from).with_y(0.0).length()) * 100.0);
                } else {
                    since[side] = None;
                }
                last[side] = now;
                let foot = &world.puppet(0).feet[1 - side];
                if foot.down && foot.stance > 0.0 {
                    let drawn = world.drawn_soles(0).expect("walker")[side].position.y;
                    gap = gap.max((f64::from(drawn) - foot.height).abs());
                }
            }
            depths.extend(world.sole_penetration(0).expect("walker").map(|depth| 1000.0 * depth.max(0.0)));
        }
        speeds.sort_unstable_by(f64::total_cmp);
        depths.sort_unstable_by(f64::total_cmp);
        let median = speeds[speeds.len() / 2];
        let (usual, deepest) = (depths[depths.len() / 2], depths[depths.len() - 1]);
        println!(
            "{what}: skate {median:.4} cm/s, drift {drift:.4} cm, sole in the ground {usual:.2} mm median, {deepest:.2} mm max, \
             drawn against pressing {:.4} mm, knee {straightest:.1}°",
            1000.0 * gap
        );
        assert!(drift <= 0.05, "{what}: feet drift by {drift} cm");
        assert!(
            usual <= 2.0 && deepest <= 5.0,
            "{what}: soles {usual} mm, at worst {deepest} mm in the ground"
        );
        assert!(gap < 1e-5, "{what}: the sole that is drawn is {gap} m off the one that presses");
        assert!(speeds.len() > 50, "{what}: only {} flat moments", speeds.len());
        assert!(median <= 0.1, "{what}: feet slide at {median} cm/s");
        assert!(straightest >= 2.0, "{what}: a knee at {straightest}°");
    }
}

#[test]
fn a_walker_presses_with_its_weight_over_a_stride() {
    let scene = straight();
    let mut world = World::new(&scene).expect("world");
    let (mut impulse, mut peak, mut landings) = (0.0, 0.0f64, Vec::new());
    let mut sums = Vec::new();
    for _ in 0..(7.0 * scene.rate) as usize {
        let report = world.step(scene.dt());
        for c in &report.contacts {
            impulse += f64::from(-c.force.y) * c.seconds;
            if report.time > 2.5 {
                peak = peak.max(f64::from(-c.force.y));
            }
        }
        for event in &report.events {
            if let Event::FootDown { foot: 0, time, .. } = *event {
                landings.push(time);
            }
        }
        sums.push((report.time, impulse));
    }
    let at = |t: f64| {
        let k = sums.iter().position(|s| s.0 >= t).expect("time").max(1);
        let (a, b) = (sums[k - 1], sums[k]);
        a.1 + (b.1 - a.1) * (t - a.0) / (b.0 - a.0)
    };
    let steady: Vec<f64> = landings.into_iter().filter(|t| *t > 2.0).collect();
    let (from, to) = (steady[0], steady[steady.len() - 1]);
    let weight = 77.5 * 9.80665;
    let share = (at(to) - at(from)) / (weight * (to - from));
    assert!((share - 1.0).abs() < 0.01, "vertical impulse over strides is {share} of the weight's");
    // Free walking: first peak near 1.1 body weights (Schwartz 2008).
    assert!((1.0..1.45).contains(&(peak / weight)), "peak {}", peak / weight);
}

#[test]
fn leans_forward_uphill_back_downhill_and_less_with_a_lower_centre_of_mass() {
    let (flat, up, down) = (lean(&straight()), lean(&on_slope(12.0, 0.0)), lean(&on_slope(-12.0, 0.0)));
    assert!(up[0] > flat[0] + 0.03, "uphill {} against {}", up[0], flat[0]);
    assert!(down[0] < flat[0] - 0.03, "downhill {} against {}", down[0], flat[0]);
    // +z is uphill and to the right of a walk along x.
    let side = lean(&on_slope(12.0, std::f64::consts::FRAC_PI_2));
    assert!(side[1] > 0.03, "across, towards the hill: {}", side[1]);
    let mut short = on_slope(12.0, 0.0);
    short.puppets =
        vec![spec(Body::by_name("child").expect("child"), route(vec![[1.0, 2.0], [9.0, 2.0]], false))];
    assert!(lean(&short)[0] < up[0], "a lower body leans less");
    let mut off = on_slope(12.0, 0.0);
    if let Script::Walker(walker) = &mut off.puppets[0].script {
        walker.balance = false;
    }
    assert_eq!(lean(&off)[0], 0.0, "switched off, it does not lean");
}

#[test]
fn the_lean_and_the_way_agree_at_30_and_144_hz() {
    let figures = |rate: f64| {
        let scene = Scene { rate, ..on_slope(10.0, 0.0) };
        let mut world = World::new(&scene).expect("world");
        for _ in 0..(5.0 * rate) as usize {
            world.step(scene.dt());
        }
        let x = world.walker(0).expect("walker").0.root.x;
        (lean(&scene)[0], x)
    };
    let (slow, fast) = (figures(30.0), figures(144.0));
    assert!((slow.0 - fast.0).abs() < 0.01, "lean {} {}", slow.0, fast.0);
    assert!((slow.1 - fast.1).abs() < 0.35, "within half a step after 5 s: {} {}", slow.1, fast.1);
}

#[test]
fn steep_and_soft_ground_slows_a_walker_at_equal_power() {
    let far = |mut scene: Scene, metabolic: bool| {
        if let Script::Walker(walker) = &mut scene.puppets[0].script {
            walker.control = route(vec![[1.0, 2.0], [11.0, 2.0]], metabolic);
        }
        let mut world = World::new(&scene).expect("world");
        while world.time() < 5.0 {
            world.step(scene.dt());
        }
        world.walker(0).expect("walker").0.root.x
    };
    let mut sand = straight();
    sand.terrain.materials[0].material = Material::DRY_SAND;
    assert!(far(sand.clone(), true) < far(sand, false) - 0.5, "sand slows");
    assert!(far(on_slope(10.0, 0.0), true) < far(on_slope(10.0, 0.0), false) - 0.5, "a hill slows");
}

#[test]
fn back_and_forth_a_walker_turns_and_comes_back() {
    let mut scene = straight();
    if let Script::Walker(walker) = &mut scene.puppets[0].script {
        let path = Path { passes: 3, ..Path::along([[1.0, 2.0], [5.0, 2.0]]) };
        walker.control = Control::Route(Route { path, metabolic: false, motion: Motion::Auto });
    }
    let mut world = World::new(&scene).expect("world");
    let mut furthest: f64 = 0.0;
    let mut back = f64::MAX;
    for _ in 0..(scene.seconds() * scene.rate) as usize {
        world.step(scene.dt());
        let x = world.walker(0).expect("walker").0.root.x;
        furthest = furthest.max(x);
        if furthest > 4.5 {
            back = back.min(x);
        }
    }
    assert!(furthest < 6.5, "does not run away: {furthest}");
    assert!(back < 1.8, "came back to {back}");
    assert_eq!(world.walker(0).expect("walker").0.pass, 3, "all passes walked");
}

#[test]
fn a_resumed_walker_goes_on_to_the_same_hash() {
    let scene = straight();
    let mut world = World::new(&scene).expect("world");
    let mut snapshots = Vec::new();
    for step in 0..240 {
        if step % 41 == 7 || (100..112).contains(&step) {
            snapshots.push((step, world.snapshot()));
        }
        world.step(scene.dt());
    }
    let mut other = World::new(&scene).expect("world");
    for (step, bytes) in snapshots {
        other.restore(&bytes).expect("snapshot");
        for _ in step..240 {
            other.step(scene.dt());
        }
        assert_eq!(other.hash(), world.hash(), "resumed at step {step}");
    }
}

#[test]
fn walkers_make_prints_that_keep_their_volume() {
    let mut scene = straight();
    scene.terrain.materials[0].material = Material::MUD;
    let mut world = World::new(&scene).expect("world");
    for _ in 0..scene.steps() {
        world.step(scene.dt());
    }
    assert!(world.map(Map::Compression).max() > 0.005);
    assert!(world.volume().relative_error < 1e-6, "{:?}", world.volume());
}

/// Runs a steered walker and gives the world after `seconds`.
fn steered(steer: Steer, seconds: f64, mut watch: impl FnMut(&World)) -> World {
    let mut scene = Scene { puppets: vec![spec(Body::default(), Control::Stand)], ..Scene::default() };
    scene.terrain.size = [24.0, 24.0];
    scene.terrain.law = Law::Trail;
    scene.terrain.materials[0].material = Material::SOIL;
    if let Script::Walker(walker) = &mut scene.puppets[0].script {
        walker.position = [12.0, 12.0];
    }
    let mut world = World::new(&scene).expect("world");
    assert!(world.control(0, Control::Walk(steer)), "there is a walker");
    while world.time() < seconds {
        world.step(scene.dt());
        watch(&world);
    }
    world
}

#[test]
fn a_stick_makes_a_walker_walk_run_sidestep_and_go_backwards() {
    let quarter = std::f32::consts::FRAC_PI_2;
    for (steer, looks) in [
        (Steer { velocity: [0.0, 1.3], ..Steer::default() }, quarter),
        (Steer { velocity: [3.0, 0.0], ..Steer::default() }, 0.0),
        (Steer { velocity: [0.0, 0.6], motion: Motion::Sidestep, ..Steer::default() }, 0.0),
        (Steer { velocity: [-0.8, 0.0], motion: Motion::Backward, ..Steer::default() }, 0.0),
        (Steer { velocity: [0.0, 0.6], heading: Some(0.0), ..Steer::default() }, 0.0),
    ] {
        let (mut airborne, mut places) = (0, Vec::new());
        let world = steered(steer, 5.0, |world| {
            let walker = world.walker(0).expect("walker").0;
            airborne += u32::from(world.time() > 2.5 && world.report().contacts.is_empty());
            places.push((world.time(), walker.root));
        });
        let at = |t: f64| places.iter().find(|p| p.0 >= t).expect("time").1;
        let went = (at(4.9) - at(2.9)) / 2.0;
        let wanted = DVec2::new(f64::from(steer.velocity[0]), f64::from(steer.velocity[1]));
        assert!((went - wanted).length() < 0.15 * wanted.length(), "{steer:?}: went at {went}");
        let heading = world.walker(0).expect("walker").0.heading as f32;
        assert!((heading - looks).abs() < 0.25, "{steer:?}: looks at {heading}");
        let runs = wanted.length() > 2.1;
        assert_eq!(airborne > 10, runs, "{steer:?}: {airborne} steps in the air");
    }
}

#[test]
fn a_jump_leaves_the_ground_and_lands_with_more_than_the_weight() {
    for velocity in [[0.0, 0.0], [1.2, 0.0]] {
        let (mut airborne, mut peak, mut highest, mut asked) = (0.0, 0.0f64, 0.0f32, false);
        let scene_dt = 1.0 / 60.0;
        let mut scene = straight();
        scene.puppets = vec![spec(Body::default(), Control::Stand)];
        let mut world = World::new(&scene).expect("world");
        world.control(0, Control::Walk(Steer { velocity, ..Steer::default() }));
        let mut standing = 0.0;
        while world.time() < 5.0 {
            if world.time() > 2.0 && !asked {
                asked = world.jump(0);
                standing = world.walker(0).expect("walker").0.pose.root.y;
            }
            let report = world.step(scene_dt);
            if !asked {
                continue;
            }
            airborne += if report.contacts.is_empty() { scene_dt } else { 0.0 };
            let force: f64 = report.contacts.iter().map(|c| f64::from(-c.force.y)).sum();
            peak = peak.max(force / (77.5 * 9.80665));
            highest = highest.max(world.walker(0).expect("walker").0.pose.root.y - standing);
        }
        assert!((0.25..0.7).contains(&airborne), "{velocity:?}: {airborne} s in the air");
        assert!(peak > 1.5, "{velocity:?}: {peak} weights");
        assert!((0.1..0.6).contains(&highest), "{velocity:?}: {highest} m up");
    }
}

#[test]
fn a_trodden_path_slows_less_than_fresh_snow() {
    let mut scene = straight();
    scene.terrain.materials[0].material = Material::SNOW;
    let path = Path { passes: 30, ..Path::along([[1.0, 2.0], [9.0, 2.0]]) };
    if let Script::Walker(walker) = &mut scene.puppets[0].script {
        walker.control = Control::Route(Route { path, metabolic: true, motion: Motion::Auto });
    }
    let mut world = World::new(&scene).expect("world");
    let mut begun = vec![0.0; 31];
    while world.time() < 600.0 {
        world.step(scene.dt());
        let pass = world.walker(0).expect("walker").0.pass as usize;
        begun[pass..].fill(world.time());
        if pass == 30 {
            break;
        }
    }
    let lasted = |from: usize, to: usize| (begun[to] - begun[from]) / (to - from) as f64;
    let (fresh, trodden) = (lasted(0, 3), lasted(25, 30));
    assert!(trodden < 0.92 * fresh, "a pass takes {fresh} s in fresh snow and {trodden} s on the path");
}

/// The straight walk through grass of that height that is only moved aside.
fn through_grass(height: f64, metabolic: bool) -> Scene {
    let mut scene = straight();
    let species = Species { height, spacing: 0.1 * height, ..Species::CAREX_PENSYLVANICA };
    scene.plants = vec![PlantPatch {
        species,
        density: 300.0,
        max: [12.0, 4.0],
        kind: PlantKind::Displaced { most: 0.2, fade: 4.0 },
        ..PlantPatch::default()
    }];
    if let Script::Walker(walker) = &mut scene.puppets[0].script {
        walker.control = route(vec![[1.0, 2.0], [9.0, 2.0]], metabolic);
    }
    scene
}

#[test]
fn in_tall_vegetation_feet_are_lifted_higher_land_more_abruptly_and_the_walker_is_slower() {
    // How high the feet are lifted, how fast they land, and how far the walker gets in six seconds.
    let figures = |scene: &Scene| {
        let mut world = World::new(scene).expect("world");
        let (mut lift, mut landing, mut last) = (0.0f64, 0.0f64, [0.0f32; 2]);
        while world.time() < 6.0 {
            world.step(1.0 / 120.0);
            if world.time() < 2.0 {
                continue;
            }
            let walker = world.walker(0).expect("walker").0;
            for (side, last) in last.iter_mut().enumerate() {
                let lock = &walker.locks[side];
                let above =
                    f64::from(lock.shown.y) - world.height(f64::from(lock.shown.x), f64::from(lock.shown.z));
                lift = lift.max(above);
                if world.time() > 2.1 {
                    landing = landing.max(f64::from(*last - lock.shown.y) * 120.0);
                }
                *last = lock.shown.y;
            }
        }
        (lift, landing, world.walker(0).expect("walker").0.root.x)
    };
    let (bare, tall) = (figures(&straight()), figures(&through_grass(0.9, false)));
    assert!(tall.0 > bare.0 + 0.15, "lifted {} and on bare ground {} m", tall.0, bare.0);
    assert!(tall.1 > 1.5 * bare.1, "lands at {} and on bare ground at {} m/s", tall.1, bare.1);
    let half = figures(&through_grass(0.5, false));
    assert!(bare.0 + 0.05 < half.0 && half.0 < tall.0, "{} {} {}", bare.0, half.0, tall.0);
    let (slow, free) = (figures(&through_grass(0.9, true)).2, {
        let mut scene = straight();
        if let Script::Walker(walker) = &mut scene.puppets[0].script {
            walker.control = route(vec![[1.0, 2.0], [9.0, 2.0]], true);
        }
        figures(&scene).2
    });
    assert!(slow < free - 0.3, "gets to {slow} m, on bare ground to {free} m");
}

#[test]
fn a_walker_leans_into_a_turn() {
    let (mut sum, mut n) = (0.0, 0.0);
    for turn in [1.0f32, -1.0] {
        let mut scene = straight();
        scene.terrain.size = [12.0, 12.0];
        scene.puppets = vec![spec(Body::default(), Control::Stand)];
        if let Script::Walker(walker) = &mut scene.puppets[0].script {
            walker.position = [6.0, 6.0];
        }
        let mut world = World::new(&scene).expect("world");
        while world.time() < 8.0 {
            // A stick that goes round once in six seconds.
            let angle = turn * world.time() as f32 * std::f32::consts::TAU / 6.0;
            let velocity = [1.4 * libm::cosf(angle), 1.4 * libm::sinf(angle)];
            world.control(0, Control::Walk(Steer { velocity, ..Steer::default() }));
            world.step(scene.dt());
            if world.time() > 3.0 {
                sum += f64::from(turn * world.walker(0).expect("walker").0.lean.angle.y);
                n += 1.0;
            }
        }
    }
    // v·ω/g is 0.15: the body leans a good part of that towards the inside.
    assert!((0.03..0.2).contains(&(sum / n)), "leans by {} rad", sum / n);
}

#[test]
fn the_load_goes_from_heel_to_toes_in_both_force_models() {
    for force in [ForceModel::WholeBody, ForceModel::Impulse] {
        let mut scene = straight();
        if let Script::Walker(walker) = &mut scene.puppets[0].script {
            walker.force = force;
        }
        let mut world = World::new(&scene).expect("world");
        // Mean share of the toes in the first and the last quarter of stances.
        let (mut early, mut late) = ((0.0, 0.0), (0.0, 0.0));
        let mut stance: Vec<f64> = Vec::new();
        while world.time() < 6.0 {
            let report = world.step(scene.dt());
            match report.contacts.iter().find(|c| c.foot == 0) {
                Some(contact) => stance.push(contact.toe_share),
                None if stance.len() > 16 && report.time > 2.5 => {
                    let quarter = stance.len() / 4;
                    let add = |sum: &mut (f64, f64), part: &[f64]| {
                        sum.0 += part.iter().sum::<f64>();
                        sum.1 += part.len() as f64;
                    };
                    add(&mut early, &stance[..quarter]);
                    add(&mut late, &stance[stance.len() - quarter..]);
                    stance.clear();
                }
                None => stance.clear(),
            }
        }
        let (early, late) = (early.0 / early.1, late.0 / late.1);
        assert!(early < 0.25 && late > 0.6, "{force:?}: {early} on the toes at first, {late} at last");
    }
}

/// What a straight walk gives at one speed after the other: speed, stride, m, stance, s, largest vertical force, BW, whether it
/// flew.
fn strides_at(speeds: &[f64], motion: Motion) -> Vec<[f64; 5]> {
    let mut scene = straight();
    scene.terrain.size = [20.0 + speeds.iter().map(|v| 7.0 * v).sum::<f64>(), 4.0];
    scene.terrain.cell = 0.04;
    // Soft ground slows.
    scene.terrain.materials[0].material = ROCK;
    // So that runs of 4.3 m/s do not land in step with the clock, and all stances be rounded alike.
    scene.rate = 120.0;
    let weight = scene.puppets[0].body.mass * trample::params::GRAVITY;
    let mut world = World::new(&scene).expect("a scene");
    let mut out = Vec::new();
    for &speed in speeds {
        let steer = Steer { velocity: [speed as f32, 0.0], heading: None, motion };
        assert!(world.control(0, Control::Walk(steer)), "there is a walker");
        let (mut landings, mut stances, mut peak, mut flew) = (vec![], vec![], 0.0f64, 0);
        let begun = world.time();
        for _ in 0..780 {
            let report = world.step(scene.dt());
            if report.time < begun + 2.5 {
                continue;
            }
            for event in &report.events {
                match *event {
                    Event::FootDown { foot: 0, time, position, .. } => landings.push((time, position)),
                    Event::FootUp { stance, .. } => stances.push(stance),
                    _ => {}
                }
            }
            let most = report.contacts.iter().map(|c| -f64::from(c.force.y)).fold(0.0, f64::max);
            peak = peak.max(most / weight);
            flew += usize::from(report.contacts.is_empty());
        }
        let (first, last) = (landings[0], landings[landings.len() - 1]);
        let way = f64::from((last.1 - first.1).with_y(0.0).length());
        let stance = stances.iter().sum::<f64>() / stances.len() as f64;
        let flies = f64::from(u8::from(flew > 10));
        out.push([way / (last.0 - first.0), way / (landings.len() - 1) as f64, stance, peak, flies]);
    }
    out
}

#[test]
fn every_speed_is_reached_walking_up_to_2_1_and_running_from_2_2_without_jumps_between_neighbours() {
    let mut before: Option<[f64; 5]> = None;
    let speeds: Vec<f64> = (10..=90).map(|i| 0.05 * f64::from(i)).collect();
    for (speed, now) in speeds.iter().copied().zip(strides_at(&speeds, Motion::Auto)) {
        println!("{speed:.2} m/s: {now:.3?}");
        assert!((now[0] / speed - 1.0).abs() < 0.03, "{speed} m/s: went at {}", now[0]);
        if (2.11..2.19).contains(&speed) {
            before = None;
            continue;
        }
        assert_eq!(
            now[4] > 0.0,
            speed > 2.15,
            "{speed} m/s: {}",
            if now[4] > 0.0 { "runs" } else { "walks" }
        );
        if let Some(before) = before {
            assert!((now[1] - before[1]).abs() < 0.08, "{speed} m/s: stride {} after {}", now[1], before[1]);
            // Stances shorten a little less than speeds grow.
            let (shorter, faster) = (libm::log(before[2] / now[2]), libm::log(speed / (speed - 0.05)));
            assert!(
                shorter.abs() < 0.02 + 0.7 * faster,
                "{speed} m/s: stance {} after {}",
                now[2],
                before[2]
            );
            assert!((now[3] - before[3]).abs() < 0.12, "{speed} m/s: {} BW after {}", now[3], before[3]);
        }
        before = Some(now);
    }
}

#[test]
fn a_walker_told_to_walk_walks_and_one_told_to_run_runs() {
    let cases: [(&[f64], Motion); 3] =
        [(&[2.3, 2.5], Motion::Walk), (&[1.8, 2.0], Motion::Run), (&[1.1, 1.3, 1.5, 1.65], Motion::Run)];
    for (speeds, motion) in cases {
        for (&speed, got) in speeds.iter().zip(strides_at(speeds, motion)) {
            println!("{motion:?} at {speed}: {got:.3?}");
            assert_eq!(got[4] > 0.0, motion == Motion::Run, "{motion:?} at {speed}: {got:?}");
            assert!((got[0] / speed - 1.0).abs() < 0.03, "{motion:?} at {speed}: {got:?}");
        }
    }
}

/// A walker that is steered along x at 1.3 m/s, on ground of its own.
fn led(change: impl Fn(&mut Scene)) -> Scene {
    let mut scene = straight();
    scene.rate = 60.0;
    scene.terrain.cell = 0.03;
    let steer = Steer { velocity: [1.3, 0.0], heading: None, motion: Motion::Auto };
    scene.puppets[0] = spec(Body::default(), Control::Walk(steer));
    change(&mut scene);
    scene
}

/// Mean speed, m/s, lean ahead, rad, and its spread, metabolic power, W, largest vertical force, BW, and stance, s, from 2 to 6 s.
fn steady(scene: &Scene) -> [f64; 6] {
    let mut world = World::new(scene).expect("world");
    let weight = scene.puppets[0].body.mass * trample::params::GRAVITY;
    let (mut leans, mut power, mut peak, mut stances, mut from) = (vec![], 0.0, 0.0f64, vec![], 0.0);
    while world.time() < 6.0 {
        let report = world.step(scene.dt());
        if report.time <= 2.0 {
            from = world.walker(0).expect("a walker").0.root.x;
            continue;
        }
        peak = report.contacts.iter().map(|c| -f64::from(c.force.y) / weight).fold(peak, f64::max);
        for event in &report.events {
            if let Event::FootUp { stance, .. } = *event {
                stances.push(stance);
            }
        }
        leans.push(f64::from(world.walker(0).expect("a walker").0.lean.angle.x));
        power += world.metabolic_power(0).expect("a walker");
    }
    let n = leans.len() as f64;
    let mean = leans.iter().sum::<f64>() / n;
    let spread = (leans.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
    let speed = (world.walker(0).expect("a walker").0.root.x - from) / 4.0;
    let stance = stances.iter().sum::<f64>() / stances.len() as f64;
    [speed, mean, spread, power / n, peak, stance]
}

#[test]
fn slopes_soft_ground_and_growth_slow_a_steered_walker_as_measured() {
    let on = |degrees: f64| {
        led(|scene| scene.terrain.base = Base::Slope { angle: degrees.to_radians(), direction: 0.0 })
    };
    // Tobler 1993, of 1.3 m/s on the level.
    for (degrees, wanted) in [(0.0, 1.3), (5.0, 0.96), (10.0, 0.70), (-15.0, 0.72)] {
        let speed = steady(&on(degrees))[0];
        println!("{degrees}°: {speed:.3} m/s");
        assert!((speed / wanted - 1.0).abs() < 0.05, "{speed} m/s at {degrees}°");
    }
    let soft = steady(&led(|scene| scene.terrain.materials[0].material = Material::SNOW))[0];
    let mut grass = through_grass(0.9, true);
    let steer = Steer { velocity: [1.3, 0.0], heading: None, motion: Motion::Auto };
    if let Script::Walker(walker) = &mut grass.puppets[0].script {
        walker.control = Control::Walk(steer);
    }
    let grass = steady(&grass)[0];
    println!("snow {soft:.3}, grass of 0.9 m {grass:.3} m/s");
    assert!(soft < 1.2 && grass < 1.15, "snow {soft}, grass {grass} m/s");
}

#[test]
fn lean_force_and_stance_are_those_of_the_ground_as_it_is_now() {
    let of = |material: Material| {
        let mut scene = led(|scene| scene.terrain.materials[0].material = material);
        // All as fast.
        scene.puppets[0] = spec(Body::default(), route(vec![[1.0, 2.0], [11.0, 2.0]], false));
        steady(&scene)
    };
    let [rigid, mud, snow] = [ROCK, Material::MUD, Material::SNOW].map(of);
    println!("rigid {rigid:.4?}\nmud {mud:.4?}\nsnow {snow:.4?}");
    for (a, b) in [(rigid, mud), (rigid, snow), (mud, snow)] {
        assert!((a[1] - b[1]).abs() > 0.2f64.to_radians(), "lean {} and {} rad", a[1], b[1]);
    }
    assert!((rigid[4] - snow[4]).abs() > 0.03, "{} and {} BW", rigid[4], snow[4]);
    assert!(snow[5] > 1.02 * rigid[5], "stands for {} s in snow, {} s on rock", snow[5], rigid[5]);
}

#[test]
fn a_push_makes_a_walker_lean_and_a_large_one_step() {
    let pushed = |impulse: [f32; 2]| {
        let mut scene = led(|_| ());
        scene.puppets[0] = spec(Body::default(), Control::Stand);
        let mut world = World::new(&scene).expect("world");
        let stepped = |world: &mut World, seconds: f64, tell: &mut dyn FnMut(&World)| {
            let (until, mut landings) = (world.time() + seconds, 0);
            while world.time() < until {
                let report = world.step(scene.dt());
                landings += report.events.iter().filter(|e| matches!(e, Event::FootDown { .. })).count();
                tell(world);
            }
            landings
        };
        stepped(&mut world, 1.0, &mut |_| ());
        let root = |world: &World| world.walker(0).expect("a walker").0.root;
        let before = root(&world);
        assert!(world.push(0, Vec3::new(impulse[0], 0.0, impulse[1])), "there is a walker");
        let mut far = [0.0f32; 2];
        let steps = stepped(&mut world, 4.0, &mut |world| {
            let angle = world.walker(0).expect("a walker").0.lean.angle;
            far = [far[0].max(angle.x), far[1].max(angle.y)];
        });
        let rests = stepped(&mut world, 1.5, &mut |_| ()) == 0;
        (far, steps, root(&world) - before, rests)
    };
    let (small, large, side) = (pushed([18.0, 0.0]), pushed([90.0, 0.0]), pushed([0.0, 90.0]));
    println!("{small:?}\n{large:?}\n{side:?}");
    assert!(small.0[0] > 0.02 && small.1 == 0 && small.2.length() < 0.02, "leans and stands: {small:?}");
    assert!(large.0[0] > small.0[0] && large.1 >= 1 && large.2.x > 0.2, "steps ahead: {large:?}");
    assert!(side.0[1] > small.0[0] && side.1 >= 1 && side.2.y > 0.15, "steps aside: {side:?}");
    assert!(large.3 && side.3, "and stands again");
    assert!(!World::new(&straight()).expect("world").push(7, Vec3::X), "nobody there");
}

#[test]
fn a_follower_in_a_broken_snow_track_has_it_easier() {
    let mut scene = led(|scene| scene.terrain.materials[0].material = Material::SNOW);
    scene.puppets = (0..2)
        .map(|i| {
            let path = Path { start: 9.0 * f64::from(i), ..Path::along([[1.0, 2.0], [9.0, 2.0]]) };
            spec(Body::default(), Control::Route(Route { path, metabolic: true, motion: Motion::Auto }))
        })
        .collect();
    scene.avoid = false;
    let mut world = World::new(&scene).expect("world");
    // Time and energy between the second and the seventh metre.
    let mut told = [[0.0f64; 2]; 2];
    while world.time() < 30.0 && !world.is_over() {
        world.step(scene.dt());
        for (id, told) in told.iter_mut().enumerate() {
            let x = world.walker(id).expect("a walker").0.root.x;
            if (3.0..8.0).contains(&x) {
                told[0] += scene.dt();
                told[1] += world.metabolic_power(id).expect("a walker") * scene.dt();
            }
        }
    }
    let speeds = told.map(|t| 5.0 / t[0]);
    println!("{speeds:.3?} m/s, {:.0} and {:.0} J", told[0][1], told[1][1]);
    assert!(speeds[1] > 1.05 * speeds[0], "{speeds:?} m/s");
    assert!(told[1][1] < 0.95 * told[0][1], "{told:?}");
}

#[test]
fn who_has_stopped_stands_on_both_feet_without_a_jump_of_force() {
    let scene = Scene { rate: 60.0, ..straight() };
    let mut world = World::new(&scene).expect("world");
    let weight = scene.puppets[0].body.mass * trample::params::GRAVITY;
    let (mut last, mut stood): (Option<[f64; 2]>, f64) = (None, 0.0);
    while world.time() < 14.0 {
        let report = world.step(scene.dt());
        let mut now = [0.0; 2];
        for c in &report.contacts {
            now[c.foot] = -f64::from(c.force.y) / weight;
        }
        let both = report.contacts.len() == 2;
        let still = world.walker(0).expect("a walker").0.velocity.length() < 1e-3;
        stood = if still && both { stood + scene.dt() } else { 0.0 };
        if stood > 1.0 {
            for (foot, force) in now.into_iter().enumerate() {
                let before = last.map_or(force, |last| last[foot]);
                assert!((0.3..0.7).contains(&force), "{force} BW at {} s", world.time());
                assert!((force - before).abs() < 0.03, "{force} BW after {before} at {} s", world.time());
            }
            last = Some(now);
        }
    }
    assert!(stood > 2.0, "stands at last: {stood} s");
}
