//! Plants in scene files: read, written, set, and thinned by a picture.

mod common;

use common::{bad, source, with};
use trample::Species;
use trample::params::species::{PRESETS, Shape};
use trample::scene::{Placement, PlantKind, PlantPatch, Scene};
use trample_files::scene_file::to_toml;
use trample_files::{Source, raster};

fn text(scene: &Scene) -> String {
    to_toml(scene).unwrap_or_else(|e| panic!("{e}"))
}

fn read(text: &str) -> Scene {
    source(text).scene().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn plants_cover_the_terrain_unless_they_say_where() {
    let scene = read("[terrain]\nsize = [3, 4]\n[[plants]]");
    let whole = PlantPatch { min: [0.0; 2], max: [3.0, 4.0], ..PlantPatch::default() };
    assert_eq!(scene.plants, [whole]);
    let scene = read("[[plants]]\nrectangle = [[3, 1], [1, 2]]");
    assert_eq!((scene.plants[0].min, scene.plants[0].max), ([1.0, 1.0], [3.0, 2.0]), "any two corners");
}

#[test]
fn every_species_and_every_number_of_it_comes_back_as_it_was() {
    for preset in PRESETS {
        let mut scene = Scene::default();
        scene.plants.push(PlantPatch { species: preset.species, ..PlantPatch::default() });
        assert_eq!(read(&text(&scene)), scene, "{}", preset.name);
        for field in Species::FIELDS {
            let mut other = scene.clone();
            let species = &mut other.plants[0].species;
            let value = field.get(species).expect("a species has all");
            field.set(species, if value == 0.0 { 0.5 * field.range.max.min(0.2) } else { 0.9 * value });
            assert_eq!(read(&text(&other)), other, "{} {}", preset.name, field.range.name);
        }
    }
    let species = Species { shape: Shape::Block, colour: [1, 2, 3], depth: 0.05, ..Species::FERN };
    let kind = PlantKind::Displaced { most: 0.2, fade: 0.7 };
    let placement = Placement::PoissonDisk;
    let patch =
        PlantPatch { name: "a \"b\"".into(), species, kind, placement, seed: 9, ..Default::default() };
    let scene = Scene { plants: vec![patch], ..Scene::default() };
    assert_eq!(read(&text(&scene)), scene);
}

#[test]
fn settings_reach_plants_by_bare_names_by_number_and_by_name() {
    let text = "[[plants]]\nname = \"lane\"\n[[plants]]\nname = \"control\"\nspecies = \"fern\"\n";
    let set = |settings: &[&str]| {
        let mut scene = source(text);
        scene.settings = settings.iter().map(|s| (*s).into()).collect();
        scene.scene().unwrap_or_else(|e| panic!("{settings:?}: {e}")).plants
    };
    assert!(set(&["density=20"]).iter().all(|p| p.density == 20.0));
    assert!(set(&["break_angle_deg=90"]).iter().all(|p| p.species.break_angle == 90f64.to_radians()));
    assert_eq!(set(&["species=lawn-grass"])[1].species, Species::LAWN_GRASS);
    assert_eq!(set(&["plants.1.wear_rate=0.5"])[0].species.wear_rate, Species::CAREX_PENSYLVANICA.wear_rate);
    assert_eq!(set(&["plants.lane.spacing=0.02", "plants.control.seed=7"])[0].species.spacing, 0.02);
    let mut scene = source("[[plants]]\nmethod = \"displaced\"\nmost = 0.3");
    scene.settings = vec!["method=simulated".into()];
    assert_eq!(scene.scene().expect("makes way").plants[0].kind, PlantKind::Simulated);
}

#[test]
fn a_setting_for_plants_that_are_not_there_is_an_error() {
    let message = with("walk-snow", &["density=20"]).scene().expect_err("no plants").to_string();
    assert!(message.contains("the scene has no `plants`"), "{message}");
}

#[test]
fn a_grey_picture_thins_the_density() {
    let folder = tempfile::tempdir().expect("folder");
    let view = raster::MapView::new("density", "", [2, 2], &[0.0, 1.0, 0.25, 0.5]);
    raster::write_npy(&folder.path().join("share.npy"), &view).expect("written");
    let scene = |text: &str| Source { folder: folder.path().into(), ..source(text) }.scene();
    let made = scene("[[plants]]\ndensity_map = \"share.npy\"").expect("valid");
    let map = made.plants[0].density_map.as_ref().expect("a map");
    assert_eq!((map.width, map.height, &map.values[..]), (2, 2, &[0.0, 1.0, 0.25, 0.5][..]));
    let more = raster::MapView { data: &[0.0, 1.0, 0.25, 1.5], ..view };
    raster::write_npy(&folder.path().join("more.npy"), &more).expect("written");
    let message = scene("[[plants]]\ndensity_map = \"more.npy\"").expect_err("more than all").to_string();
    for part in ["test.toml:2:", "plants[0].density_map", "1.5 at column 1, row 1", "allowed:"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(bad("[[plants]]\ndensity_map = \"../x.png\"").contains("without `..`"));
}

#[test]
fn a_map_of_strength_is_read_checked_and_written_like_one_of_density() {
    let folder = tempfile::tempdir().expect("folder");
    let view = raster::MapView::new("vegetation", "", [3, 1], &[0.0, 1.0, 0.25]);
    raster::write_npy(&folder.path().join("vegetation.npy"), &view).expect("written");
    let scene = |text: &str| Source { folder: folder.path().into(), ..source(text) }.scene();
    let made = scene("[[plants]]\nstrength_map = \"vegetation.npy\"").expect("valid");
    let map = made.plants[0].strength_map.as_ref().expect("a map");
    assert_eq!((map.width, map.height, &map.values[..]), (3, 1, &[0.0, 1.0, 0.25][..]));
    assert_eq!(made.plants[0].density_map, None);
    let less = raster::MapView { data: &[0.0, 1.0, -0.5], ..view };
    raster::write_npy(&folder.path().join("less.npy"), &less).expect("written");
    let message = scene("[[plants]]\nstrength_map = \"less.npy\"").expect_err("less than none").to_string();
    for part in ["test.toml:2:", "plants[0].strength_map", "-0.5 at column 2, row 0", "allowed:"] {
        assert!(message.contains(part), "{message}");
    }
    let crowded =
        "[terrain]\nsize = [100, 100]\n[[plants]]\ndensity = 300\nstrength_map = \"vegetation.npy\"";
    let message = scene(crowded).expect_err("too many").to_string();
    assert!(message.contains("strength_map") && message.contains("allowed: 2000000"), "{message}");
}

#[test]
fn plants_that_cannot_grow_are_refused_where_they_stand() {
    for (text, parts) in [
        ("[[plants]]\nspecies = \"ferm\"", ["test.toml:2:", "did you mean `fern`?"]),
        ("[[plants]]\nrectangle = [[0, 0], [9, 1]]", ["test.toml:2:", "beyond the terrain"]),
        ("[[plants]]\nbreak_angle_deg = 5", ["test.toml:2:", "must not be below wear_angle_deg"]),
        ("[[plants]]\nspacing = 0.002", ["test.toml:2:", "moving particles"]),
        ("[[plants]]\nrectangle = [[0, 0], [0, 1]]", ["test.toml:2:", "two opposite corners"]),
        ("[[plants]]\ncolour = [1, 2]", ["test.toml:2:", "three whole numbers"]),
    ] {
        let message = bad(text);
        assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
    }
}
