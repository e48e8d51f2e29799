//! The plugin against the core: same scene, same steps, same bits; what it tells is what happened. No graphics card needed.

#![allow(
    elided_lifetimes_in_paths,
    clippy::needless_pass_by_value,
    reason = "systems take their parameters by value and without lifetimes, as everywhere in Bevy"
)]

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_trample::patch;
use bevy_trample::{
    GroundUnderFoot, Happened, PerTerrain, Puppet, TilesChanged, Trample, TrampleEye, TramplePlugin,
    TrampleTerrain, TrampleView, TrampleViewPlugin, Uploads, WalkerBody,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use trample::scene::library;
use trample::{CellRect, Event, Hold, Map, Material, PlantPatch, PuppetSpec, Scene, Script, Species, World};
use trample::{TILE, TileKey};

fn scene(name: &str) -> Scene {
    library::by_name(name).expect("a library scene")
}

fn app(scene: &Scene) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, TramplePlugin { scene: scene.clone() }));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

fn trample(app: &App) -> &Trample {
    app.world().resource::<Trample>()
}

/// Updates until so many steps are taken; a few updates take none where the game's tick is shorter than the scene's step.
fn run_to(app: &mut App, steps: u64) {
    for _ in 0..10 * steps + 10 {
        if trample(app).steps() >= steps {
            return;
        }
        app.update();
    }
    panic!("only {} of {steps} steps were taken", trample(app).steps());
}

#[test]
fn the_plugin_leaves_the_same_state_as_the_core() {
    for (name, steps) in [("walk-snow", 240), ("carex-lane", 200)] {
        let scene = scene(name);
        let mut alone = World::new(&scene).expect("a scene that runs");
        for _ in 0..steps {
            alone.step(scene.dt());
        }
        let mut app = app(&scene);
        run_to(&mut app, steps);
        assert_eq!(trample(&app).steps(), steps, "{name}: as many steps");
        assert_eq!(trample(&app).world().hash(), alone.hash(), "{name}: the same bits");
    }
}

#[test]
fn a_pause_holds_the_world_and_single_steps_go_on() {
    let mut app = app(&scene("walk-snow"));
    run_to(&mut app, 10);
    app.world_mut().resource_mut::<Trample>().paused = true;
    (0..20).for_each(|_| app.update());
    assert_eq!(trample(&app).steps(), 10);
    app.world_mut().resource_mut::<Trample>().single_step();
    (0..20).for_each(|_| app.update());
    assert_eq!(trample(&app).steps(), 11);
    let mut world = app.world_mut().resource_mut::<Trample>();
    (world.paused, world.time_scale) = (false, 0.25);
    (0..64).for_each(|_| app.update());
    let taken = trample(&app).steps() - 11;
    assert!((14..=16).contains(&taken), "a second at a quarter of the pace is 15 steps: {taken}");
}

#[test]
fn a_scene_that_cannot_run_leaves_the_old_one_running() {
    let mut app = app(&scene("walk-snow"));
    run_to(&mut app, 5);
    let bad = Scene { rate: -1.0, ..Scene::default() };
    let mut world = app.world_mut().resource_mut::<Trample>();
    assert!(world.load(&bad).is_err());
    assert_eq!((world.world().scene().name.as_str(), world.steps()), ("walk-snow", 5));
}

#[derive(Resource, Default)]
struct Heard {
    tiles: BTreeSet<TileKey>,
    downs: usize,
}

fn listen(
    mut heard: ResMut<Heard>,
    mut tiles: MessageReader<TilesChanged>,
    mut what: MessageReader<Happened>,
) {
    heard.tiles.extend(tiles.read().flat_map(|m| m.tiles.iter().copied()));
    heard.downs += what.read().filter(|e| matches!(e.event, Event::FootDown { .. })).count();
}

#[test]
fn every_tile_that_changed_is_told_and_its_heights_are_the_grounds() {
    let mut app = app(&scene("walk-snow"));
    app.init_resource::<Heard>().add_systems(Update, listen);
    run_to(&mut app, 200);
    app.update();
    let heard = app.world().resource::<Heard>();
    assert!(heard.downs >= 3, "{} footfalls", heard.downs);
    let world = trample(&app).world();
    let lowered = |t: &&trample::Tile| (0..TILE * TILE).any(|c| t.raised(c) != 0);
    let changed: BTreeSet<TileKey> = world.ground().tiles.iter().filter(lowered).map(|t| t.key).collect();
    assert!(changed.len() > 10 && changed.is_subset(&heard.tiles), "{} tiles", changed.len());
    for key in changed {
        let heights = trample(&app).heights(TilesChanged::cells(key, 1));
        assert_eq!((heights.columns, heights.rows, heights.values.len()), (10, 10, 100));
        let own =
            world.map(Map::Height).window(CellRect { width: 10, height: 10, ..TilesChanged::cells(key, 1) });
        assert_eq!(heights.values, own, "as the map has it, inside the terrain");
        let [x, z] =
            [heights.origin[0] + heights.spacing, heights.origin[1] + heights.spacing].map(f64::from);
        assert!((world.height(x, z) as f32 - heights.values[11]).abs() < 1e-5, "and where it says");
    }
}

/// A meadow of 512 × 512 cells with about 10,000 plants and a walker.
fn meadow() -> Scene {
    let mut scene = scene("meadow");
    scene.terrain.size = [10.24, 10.24];
    scene.plants = vec![PlantPatch {
        species: Species::CAREX_PENSYLVANICA,
        min: [0.0, 0.0],
        max: [10.24, 10.24],
        density: 10_000.0 / (10.24 * 10.24),
        ..PlantPatch::default()
    }];
    let mut walkers = self::scene("walk-snow").puppets;
    if let Script::Walker(walker) = &mut walkers[0].script {
        walker.position = [0.5, 5.0];
        if let trample::scene::Control::Route(route) = &mut walker.control {
            route.path.waypoints = vec![[0.5, 5.0], [9.5, 5.0]];
        }
    }
    scene.puppets = walkers;
    scene
}

#[test]
fn a_frame_uploads_what_changed_and_never_the_whole_map() {
    let mut app = app(&meadow());
    app.add_plugins(TrampleViewPlugin);
    app.world_mut().spawn((TrampleEye, Transform::from_xyz(5.0, 1.7, 8.0)));
    (0..3).for_each(|_| app.update());
    let first = *app.world().resource::<Uploads>();
    let whole_map = 512 * 512 * 8;
    assert!(first.total > 100_000, "coming into view is an upload: {first:?}");
    let (mut most, mut sum, mut quiet) = (0, 0, 0);
    let frames = 300;
    for _ in 0..frames {
        let before = trample(&app).steps();
        app.update();
        let uploads = *app.world().resource::<Uploads>();
        let steps = trample(&app).steps() - before;
        assert_eq!(uploads.patches_last_frame, 0, "nothing comes into view for an eye that rests");
        // A tile is 64 texels of 8 bytes in the finest patch, with those of coarser ones and shared edges less than twice that.
        let clumps = uploads.clumps_last_frame * 256 * 64;
        assert!(
            uploads.bytes_last_frame <= uploads.tiles_last_frame * 1024 * steps.max(1) + clumps,
            "{uploads:?}"
        );
        most = most.max(uploads.bytes_last_frame);
        sum += uploads.bytes_last_frame;
        quiet += usize::from(uploads.bytes_last_frame == 0);
    }
    println!("uploads: mean {} bytes a frame, most {most}; {quiet} of {frames} frames none", sum / frames);
    assert!(sum > 0, "the walker leaves something");
    assert!(sum / frames < whole_map / 8, "a mean frame is a small share of the map: {}", sum / frames);
    assert!(most < whole_map, "no frame comes near the whole map: {most}");
}

#[test]
fn what_is_shown_of_the_ground_is_the_ground() {
    let mut app = app(&meadow());
    app.add_plugins(TrampleViewPlugin);
    app.world_mut().spawn((TrampleEye, Transform::from_xyz(3.0, 1.7, 6.0)));
    app.update();
    let mut texture = BTreeMap::new();
    for _ in 0..300 {
        app.update();
        let mut view = app.world_mut().resource_mut::<PerTerrain<TrampleView>>();
        for write in view.atlas.as_mut().expect("an atlas").take_writes() {
            for (k, texel) in write.texels.iter().enumerate() {
                let (x, y) = (k as u32 % write.size[0], k as u32 / write.size[0]);
                texture.insert((write.corner[0] + x, write.corner[1] + y), *texel);
            }
        }
    }
    let world = trample(&app).world();
    let atlas = app.world().resource::<PerTerrain<TrampleView>>().atlas.as_ref().expect("an atlas");
    let size = world.ground().size;
    let mut pressed = 0;
    for (key, slot) in atlas.visible() {
        let (first, stride) = (patch::first(key), patch::stride(key));
        let corner = atlas.shape().corner(slot);
        for j in -1..=65 {
            for i in -1..=65 {
                let cell = [first[0] + i * stride, first[1] + j * stride];
                let [x, z] = [cell[0].clamp(0, size[0] - 1), cell[1].clamp(0, size[1] - 1)];
                let texel = texture[&(corner[0] + (i + 1) as u32, corner[1] + (j + 1) as u32)];
                let height = world.ground().surface(x, z) as f32;
                assert_eq!(texel.height, height, "sample {i}, {j} of {key:?}: cell {x}, {z}");
                pressed += usize::from(height < -0.001);
            }
        }
    }
    assert!(pressed > 100, "{pressed} samples in prints");
}

/// One figure on some ground.
fn on(ground: Material, figure: PuppetSpec) -> Scene {
    let mut scene = Scene { puppets: vec![figure], ..Scene::default() };
    scene.terrain.materials[0].material = ground;
    scene
}

/// How deep half the weight of a body of 77.5 kg presses fresh snow: until the snow has the density that carries it, which is a line
/// in the logarithm of pressure through the measured densities of CRREL 95-7, 600 kg/m³ at 350 kPa and 650 at 700 kPa.
fn half_a_weight_sinks(area: f64) -> f64 {
    let pressure = 0.5 * 77.5 * 9.81 / area;
    let carries = 650.0 + 50.0 * (pressure / 700e3).log2();
    let snow = Material::FRESH_SNOW;
    snow.layer * (1.0 - snow.natural.density / carries)
}

#[test]
fn a_games_own_figure_leaves_prints_and_feels_them() {
    let figure = PuppetSpec { script: Script::Host { feet: 2 }, hold: Hold::Free, ..PuppetSpec::default() };
    let mut app = app(&on(Material::LOAM, figure));
    let mut bone = |z: f32| app.world_mut().spawn(Transform::from_xyz(3.0, 0.06, z)).id();
    let feet = [bone(0.9), bone(1.2)];
    // The left bone sits 5 cm above its sole.
    let mut puppet = Puppet::new(0, feet);
    puppet.soles[1] = Transform::from_xyz(0.0, -0.05, 0.0);
    let figure = app.world_mut().spawn(puppet).id();
    for _ in 0..60 {
        for (k, foot) in feet.into_iter().enumerate() {
            let mut place = app.world_mut().get_mut::<Transform>(foot).expect("a bone");
            let lowest = [-0.04, 0.01][k];
            place.translation.y = (place.translation.y - 0.003).max(lowest);
        }
        app.update();
    }
    let ground = *app.world().get::<GroundUnderFoot>(figure).expect("what it feels");
    let weight: f32 = ground.feet.iter().map(|foot| foot.force).sum();
    assert!((weight - 77.5 * 9.81).abs() < 20.0, "its weight is on its feet: {weight} N");
    for (k, z) in [0.9f32, 1.2].into_iter().enumerate() {
        let foot = ground.feet[k];
        assert!(foot.down && foot.force > 100.0, "{foot:?}");
        // As deep as half its weight presses loam by the plate law, however far the game pushes the sole down.
        let pressure = Material::LOAM.bekker.pressure(f64::from(foot.depth), 0.1);
        let carried = f64::from(foot.force) / 0.022;
        assert!((0.5..2.0).contains(&(pressure / carried)), "{foot:?}: {pressure} Pa for {carried} Pa");
        assert!(foot.depth < 0.03, "{foot:?}");
        assert!((trample(&app).world().height(3.0, z.into()) as f32 - foot.height).abs() < 1e-6);
        assert!(foot.normal.y > 0.9, "{foot:?}");
    }
    // And out again: the prints stay.
    for foot in feet {
        app.world_mut().get_mut::<Transform>(foot).expect("a bone").translation.y = 0.5;
    }
    (0..10).for_each(|_| app.update());
    let ground = *app.world().get::<GroundUnderFoot>(figure).expect("what it feels");
    assert!(
        ground.feet.iter().all(|foot| !foot.down && foot.force == 0.0 && foot.height < -0.001),
        "{ground:?}"
    );
}

#[test]
fn a_pinned_figure_sinks_by_its_weight() {
    let figure = PuppetSpec { script: Script::Host { feet: 2 }, hold: Hold::Pinned, ..PuppetSpec::default() };
    let mut app = app(&on(Material::FRESH_SNOW, figure));
    let feet = [0.9, 1.2].map(|z| app.world_mut().spawn(Transform::from_xyz(3.0, 0.05, z)).id());
    let figure = app.world_mut().spawn(Puppet::new(0, feet)).id();
    for _ in 0..90 {
        for foot in feet {
            let mut place = app.world_mut().get_mut::<Transform>(foot).expect("a bone");
            place.translation.y = (place.translation.y - 0.004).max(0.0);
        }
        app.update();
    }
    let ground = *app.world().get::<GroundUnderFoot>(figure).expect("what it feels");
    let weight: f32 = ground.feet.iter().map(|foot| foot.force).sum();
    assert!((weight - 77.5 * 9.81).abs() < 20.0, "its weight is on its feet: {weight} N");
    let depth = half_a_weight_sinks(0.025) as f32;
    assert!(ground.feet.iter().all(|foot| foot.down && foot.height < -depth), "{ground:?} for {depth} m");
}

#[test]
fn bodies_are_shown_between_the_last_two_steps() {
    let mut app = app(&scene("walk-snow"));
    app.insert_resource(Time::<Fixed>::from_hz(60.0));
    let body = app.world_mut().spawn(WalkerBody { puppet: 0 }).id();
    run_to(&mut app, 120);
    // From here by hand: frames a third of a tick long.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 180.0)));
    let mut places = Vec::new();
    for _ in 0..30 {
        app.update();
        places.push(app.world().get::<Transform>(body).expect("a body").translation.x);
    }
    let moves: Vec<f32> = places.windows(2).map(|w| w[1] - w[0]).collect();
    let mean = moves.iter().sum::<f32>() / moves.len() as f32;
    assert!(mean > 0.002, "it walks: {mean} m a frame");
    let worst = moves.iter().map(|m| (m - mean).abs()).fold(0.0, f32::max);
    assert!(worst < 0.5 * mean, "every frame moves it about as far: mean {mean}, off by {worst}");
    let root = trample(&app).world().walker(0).expect("a walker").0.pose.root.x;
    let last = places[places.len() - 1];
    assert!(last <= root + 1e-5 && root - last < 0.05, "never ahead of the simulation: {last} of {root}");
}

#[test]
fn the_budget_of_a_simulated_frame_is_printed() {
    let mut app = app(&meadow());
    app.add_plugins(TrampleViewPlugin);
    app.world_mut().spawn((TrampleEye, Transform::from_xyz(5.0, 1.7, 8.0)));
    app.insert_resource(Time::<Fixed>::from_hz(60.0));
    (0..60).for_each(|_| app.update());
    let (mut steps, mut frames) = (Vec::new(), Vec::new());
    for _ in 0..240 {
        let start = std::time::Instant::now();
        app.update();
        frames.push(1e3 * start.elapsed().as_secs_f64());
        steps.push(1e3 * trample(&app).times().total);
    }
    let show = |what: &str, times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        println!("{what}: median {:.2} ms, 95 % {:.2} ms", times[120], times[228]);
    };
    show("one step", &mut steps);
    show("a whole headless frame", &mut frames);
    assert!(steps[0] > 0.0, "stages are timed");
}

#[test]
fn further_terrains_go_their_own_way_where_they_lie() {
    let (snow, mud) = (scene("walk-snow"), scene("walk-mud"));
    let mut app = app(&snow);
    app.add_plugins(TrampleViewPlugin);
    let place = Vec3::new(40.0, 3.0, -25.0);
    let terrain = TrampleTerrain::new(&mud).expect("a library scene");
    let yard = app.world_mut().spawn((terrain, Transform::from_translation(place))).id();
    let here = app.world_mut().spawn(WalkerBody { puppet: 0 }).id();
    let there = app.world_mut().spawn((WalkerBody { puppet: 0 }, ChildOf(yard))).id();
    run_to(&mut app, 200);
    app.update();
    let of = |app: &App| app.world().get::<TrampleTerrain>(yard).expect("a terrain").world().clone();
    let (first, second) = (trample(&app).world().clone(), of(&app));
    for (scene, world) in [(&snow, &first), (&mud, &second)] {
        let mut alone = World::new(scene).expect("a library scene");
        for _ in 0..world.steps() {
            alone.step(scene.dt());
        }
        assert_eq!(world.hash(), alone.hash(), "{}", scene.name);
    }
    // Bodies stand on their own terrain, wherever it lies.
    for (body, world, origin) in [(here, &first, Vec3::ZERO), (there, &second, place)] {
        let at = app.world().get::<GlobalTransform>(body).expect("a place").translation();
        let (walker, skeleton) = world.walker(0).expect("a walker");
        let own = skeleton.place(&walker.pose).positions[0] + origin;
        assert!(at.distance(own) < 0.05, "{at} is not {own}");
    }
    // Each is in view, until it is gone.
    let seen = |app: &App| app.world().resource::<PerTerrain<TrampleView>>().get(Some(yard)).is_some();
    let generation = app.world().get::<TrampleTerrain>(yard).expect("a terrain").generation();
    let views = app.world().resource::<PerTerrain<TrampleView>>();
    assert_eq!(views.get(Some(yard)).map(|view| view.generation), Some(generation));
    app.world_mut().entity_mut(yard).despawn();
    app.update();
    assert!(!seen(&app));
}

#[test]
fn a_figure_stands_on_the_terrain_that_it_names() {
    let figure = PuppetSpec { script: Script::Host { feet: 2 }, hold: Hold::Free, ..PuppetSpec::default() };
    let scene = on(Material::LOAM, figure);
    let mut app = app(&scene);
    let place = Vec3::new(-60.0, 7.0, 10.0);
    let terrain = TrampleTerrain::new(&scene).expect("a scene");
    let hill = app.world_mut().spawn((terrain, Transform::from_translation(place))).id();
    let mut foot =
        |z: f32| app.world_mut().spawn(Transform::from_translation(place + Vec3::new(3.0, 0.06, z))).id();
    let feet = [foot(1.0), foot(1.2)];
    let puppet = app.world_mut().spawn(Puppet { terrain: Some(hill), ..Puppet::new(0, feet) }).id();
    // The game lowers it, deeper than the ground lets it sink.
    for _ in 0..60 {
        for foot in feet {
            let mut bone = app.world_mut().get_mut::<Transform>(foot).expect("a bone");
            bone.translation.y = (bone.translation.y - 0.003).max(place.y - 0.04);
        }
        app.update();
    }
    let depth = |world: &World| -world.height(3.0, 1.0);
    assert_eq!(depth(trample(&app).world()), 0.0, "the other terrain stays as it is");
    let printed = depth(app.world().get::<TrampleTerrain>(hill).expect("a terrain").world());
    let ground = app.world().get::<GroundUnderFoot>(puppet).expect("what it felt").feet[0];
    assert!(printed > 0.001, "{printed} m deep, {ground:?}");
    assert!(ground.down && ground.force > 10.0);
    assert!((f64::from(ground.height - place.y) + printed).abs() < 1e-3, "{} m high", ground.height);
}
