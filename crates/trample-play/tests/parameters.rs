//! Every slider, switch and list of the panel changes what it names: the scene of the running world, and what the world does.

use trample::scene::{Control, Motion, Path, PlantPatch, Route, Scene, Script};
use trample::{Law, Species, World};
use trample_play::action::{Action, Effect};
use trample_play::parameter::{Focus, Group, Kind, Parameter, parameters};
use trample_play::start::standing;

/// A small ground with a walker on a route through plants.
fn scene() -> Scene {
    let mut walker = standing("walker", [0.6, 1.0], 0.0);
    if let Script::Walker(spec) = &mut walker.script {
        let path = Path { passes: 3, lateral_sd: 0.05, ..Path::along([[0.6, 1.0], [2.4, 1.0]]) };
        spec.control = Control::Route(Route { path, metabolic: true, motion: Motion::Auto });
    }
    let mut scene = Scene { puppets: vec![walker], ..Scene::default() };
    scene.terrain.size = [3.0, 2.0];
    scene.terrain.materials[0].material.youngs_modulus = 0.4e6;
    scene.plants = vec![PlantPatch {
        // A sparse block, so that width, depth and links all count.
        species: Species { height: 0.2, width: 0.04, depth: 0.04, spacing: 0.04, ..Species::HEATH_SHRUB },
        density: 20.0,
        min: [0.5, 0.6],
        max: [2.5, 1.4],
        ..PlantPatch::default()
    }];
    scene
}

/// Another value of the row, well inside its range.
fn other(row: &Parameter, value: f64) -> f64 {
    match row.kind {
        Kind::Switch => 1.0 - value,
        Kind::List(names) => (value + 1.0) % names.len() as f64,
        // No deeper than the layer lets it: less, then.
        Kind::Slider { .. } if row.range.name == "carve_depth" => 0.3 * value,
        Kind::Slider { .. } if row.range.name == "passes" => value + 1.0,
        Kind::Slider { .. } => {
            let moved = if value == 0.0 { 0.25 * (row.range.min + row.range.max) } else { 1.3 * value };
            if row.range.contains(moved) { moved } else { 0.7 * value }
        }
    }
}

/// The law under which a row of the ground counts.
fn law(row: &Parameter) -> Law {
    match row.range.name {
        "carve_depth" | "packed_share" => Law::SoftWalks,
        "cohesive_modulus" | "frictional_modulus" | "exponent" => Law::BekkerWong,
        "bulk_density" | "crush_density" | "moisture" => Law::Natural,
        _ => Law::Trail,
    }
}

/// What is seen of a world: its state, and all that stands on it.
fn seen(world: &World) -> (u64, [u64; 2]) {
    let tally = world.plant_tally([0.0; 2], [9.0; 2]);
    (world.hash(), [tally.stems, tally.tip_heights.to_bits()])
}

/// Goes on for some steps, after an action if there is one.
fn run(mut world: World, steps: usize, action: Option<&Action>) -> World {
    if let Some(action) = action {
        action.apply(&mut world).unwrap_or_else(|e| panic!("{action:?}: {e}"));
    }
    let dt = world.scene().dt();
    for _ in 0..steps {
        world.step(dt);
    }
    world
}

#[test]
fn every_row_sets_what_it_names_at_once_and_nothing_else() {
    let scene = scene();
    let fresh = World::new(&scene).expect("world");
    let all = parameters();
    for row in &all {
        let focus = Focus::default();
        let value = row.get(&scene, focus).unwrap_or_else(|| panic!("{} has no value", row.key()));
        assert!(row.range.contains(value), "{} = {value}", row.key());
        let wanted = other(row, value);
        let mut world = fresh.clone();
        let effect = Action::set(row.key(), focus, wanted).apply(&mut world);
        let effect = effect.unwrap_or_else(|e| panic!("{}: {e}", row.key()));
        let got = row.get(world.scene(), focus).expect("still there");
        assert!(
            (got - wanted).abs() < 1e-9 * wanted.abs().max(1.0),
            "{}: {got} instead of {wanted}",
            row.key()
        );
        let expected = match row.group {
            // Of the scene, not of a walker: nobody is built anew.
            Group::Walk if row.range.name == "avoid" => Effect::Tuned,
            Group::Ground | Group::Law => Effect::Tuned,
            Group::Plants | Group::Body | Group::Walk => Effect::Rebuilt,
        };
        assert_eq!(effect, expected, "{}", row.key());
        // Lists set many numbers at once, and a height scales a whole body; all others move one number.
        if matches!(row.kind, Kind::List(_))
            || ["body.height", "plants.wear_angle_deg"].contains(&row.key().as_str())
        {
            continue;
        }
        for another in all.iter().filter(|a| a.key() != row.key() && !matches!(a.kind, Kind::List(_))) {
            let (a, b) = (another.get(&scene, focus), another.get(world.scene(), focus));
            assert_eq!(a, b, "{} changed {}", row.key(), another.key());
        }
    }
}

#[test]
fn every_row_changes_what_the_world_does() {
    // A world on its way, and where it comes to, for every law and number of steps.
    let mut known: Vec<((Law, usize), World, World)> = Vec::new();
    for row in parameters() {
        let key = row.key();
        // Smoothing is for the eye alone: the state is never smoothed.
        // What holds a foot back shows where one slips, what packs by passes where feet go twice, and water in soil, not in snow: tests of the core.
        let elsewhere =
            ["display_sigma", "cohesion", "friction_deg", "density_per_decade", "packing_depth", "moisture"];
        // One walker has nobody to keep out of the way of.
        let alone = key.ends_with(".avoid");
        if alone || elsewhere.iter().any(|name| key == format!("ground.{name}")) {
            continue;
        }
        // Most show within a second; the end of a pass, and who goes back after it, only then.
        let steps = match row.range.name {
            "passes" => 700,
            "back_and_forth" => 220,
            _ => 70,
        };
        let case = (law(&row), steps);
        if !known.iter().any(|(k, ..)| *k == case) {
            let mut scene = scene();
            scene.terrain.law = case.0;
            let begun = run(World::new(&scene).expect("world"), 20, None);
            known.push((case, begun.clone(), run(begun, steps, None)));
        }
        let Some((_, begun, plain)) = known.iter().find(|(k, ..)| *k == case) else { unreachable!() };
        let value = row.get(begun.scene(), Focus::default()).expect("has a value");
        let wanted = other(&row, value);
        let changed = run(begun.clone(), steps, Some(&Action::set(key.clone(), Focus::default(), wanted)));
        assert_ne!(seen(plain), seen(&changed), "{key} from {value} to {wanted} changes nothing");
    }
}

#[test]
fn published_ranges_are_shown_for_the_papers_own_fields() {
    let scene = scene();
    let printed: Vec<String> = parameters()
        .iter()
        .filter(|r| r.printed(&scene, Focus::default()).is_some())
        .map(Parameter::key)
        .collect();
    for key in ["ground.youngs_modulus", "ground.poisson_ratio", "ground.characteristic_time"] {
        assert!(printed.iter().any(|k| k == key), "{key} is not among {printed:?}");
    }
    let mut sedge = scene;
    sedge.plants[0].species = Species::CAREX_PENSYLVANICA;
    let row = trample_play::parameter::by_key("plants.break_angle_deg").expect("a row");
    let printed = row.printed(&sedge, Focus::default()).expect("TRAIL prints it");
    assert_eq!((printed.min, printed.max), (70.0, 70.0));
}

#[test]
fn a_scene_without_plants_or_walkers_has_no_such_rows() {
    let bare = Scene::default();
    for row in parameters() {
        let there = row.get(&bare, Focus::default()).is_some();
        assert!(there || !matches!(row.group, Group::Ground | Group::Law), "{}", row.key());
        assert!(!there || row.group != Group::Plants, "{}", row.key());
    }
}
