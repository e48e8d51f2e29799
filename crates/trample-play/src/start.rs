//! Scenes to begin with: the one that opens when nothing is asked for, and how a name becomes a scene.

use trample::params::{Body, Footwear, Law, material};
use trample::scene::{
    Control, Motion, NamedMaterial, Paint, PaintShape, Path, PlantPatch, PuppetSpec, Route, Scene, Script,
    SoleShape, Terrain, WalkerSpec, library,
};
use trample::{Base, Material, Species};
use trample_files::{SceneFileError, Source};

/// Name of the scene that opens by itself: snow, on which prints are seen best.
pub const OPENING: &str = "snow-field";
/// Name of the scene to walk about in, with ground of all kinds of plants.
pub const NAME: &str = "stroll";

/// A body that stands at a place and waits for keys.
pub fn standing(name: &str, at: [f64; 2], heading: f64) -> PuppetSpec {
    PuppetSpec::walking(
        name,
        Body::default(),
        WalkerSpec {
            control: Control::Stand,
            force: trample::scene::ForceModel::WholeBody,
            balance: true,
            position: at,
            heading,
            step_variation: 1.0,
            recorded: None,
        },
    )
}

/// The same, walking: outwards on a spiral that always comes to fresh ground, for minutes, until somebody takes over.
fn walking(name: &str, middle: [f64; 2], reach: f64) -> PuppetSpec {
    // The first step is along +x, as whoever stands at the middle looks.
    let mut waypoints = vec![middle, [middle[0] + 1.0, middle[1]]];
    for k in 1..=56u32 {
        let (turn, far) = (0.55 * f64::from(k), 1.0 + (reach - 1.0) * f64::from(k) / 56.0);
        waypoints.push([middle[0] + far * libm::cos(turn), middle[1] + far * libm::sin(turn)]);
    }
    let mut puppet = standing(name, middle, 0.0);
    if let Script::Walker(spec) = &mut puppet.script {
        let path = Path { passes: 20, speed: 1.25, ..Path::along(waypoints) };
        spec.control = Control::Route(Route { path, metabolic: true, motion: Motion::Auto });
    }
    puppet
}

/// A square of open ground with somebody walking on it.
fn field(name: &str, about: &str, base: Base, materials: &[&str], law: Law) -> Scene {
    let side = 12.0;
    let named = |name: &&str| NamedMaterial {
        name: (*name).into(),
        material: material::by_name(name).unwrap_or(Material::WET_SOIL),
    };
    Scene {
        name: name.into(),
        about: about.into(),
        terrain: Terrain {
            cell: 0.02,
            size: [side; 2],
            base,
            materials: materials.iter().map(named).collect(),
            law,
            ..Terrain::default()
        },
        puppets: vec![walking("walker", [0.5 * side; 2], 0.42 * side)],
        ..Scene::default()
    }
}

fn snow_field() -> Scene {
    let base = Base::Hills { amplitude: 0.18, wavelength: 7.0, seed: 11 };
    let mut scene = field("snow-field", "A field of fresh snow, to walk about", base, &["snow"], Law::Trail);
    scene.puppets[0].sole = SoleShape::Footwear(Footwear::Boot);
    scene
}

fn shore() -> Scene {
    let base = Base::Slope { angle: 0.035, direction: 1.57 };
    let mut scene = field(
        "shore",
        "Bare feet on a beach: dry sand, and wet sand",
        base,
        &["loose-sand", "wet-sand"],
        Law::Natural,
    );
    scene.terrain.paints =
        vec![Paint { shape: PaintShape::Rectangle { min: [0.0; 2], max: [12.0, 6.6] }, material: 1 }];
    scene.puppets[0].sole = SoleShape::Footwear(Footwear::Bare);
    scene
}

fn mud_flat() -> Scene {
    let base = Base::Hills { amplitude: 0.08, wavelength: 5.0, seed: 4 };
    let mut scene =
        field("mud-flat", "Soft mud that keeps every step, to walk about", base, &["mud"], Law::Trail);
    scene.puppets[0].sole = SoleShape::Footwear(Footwear::Boot);
    scene
}

fn hill() -> Scene {
    let base = Base::Hills { amplitude: 2.2, wavelength: 14.0, seed: 8 };
    let mut scene =
        field("hill", "A hillside of soil with some sedge, to walk about", base, &["wet-soil"], Law::Trail);
    scene.plants = vec![PlantPatch {
        name: "sedge".into(),
        species: Species::CAREX_PENSYLVANICA,
        density: 45.0,
        min: [0.0; 2],
        max: [12.0; 2],
        seed: 6,
        ..PlantPatch::default()
    }];
    scene
}

/// A scene of our own: its name, and how it is made.
type Own = (&'static str, fn() -> Scene);

/// Our own scenes.
const OWN: [Own; 5] =
    [(NAME, stroll), ("snow-field", snow_field), ("shore", shore), ("mud-flat", mud_flat), ("hill", hill)];

/// Rolling ground of 512 × 512 cells with ten thousand plants and one walker.
pub fn stroll() -> Scene {
    let side = 10.24;
    let patch = |name: &str, species: Species, density: f64, seed: u64| PlantPatch {
        name: name.into(),
        species,
        density,
        min: [0.0; 2],
        max: [side; 2],
        seed,
        ..PlantPatch::default()
    };
    Scene {
        name: NAME.into(),
        about: "Rolling ground with ten thousand plants, to walk about".into(),
        terrain: Terrain {
            cell: 0.02,
            size: [side; 2],
            base: Base::Hills { amplitude: 0.45, wavelength: 5.5, seed: 5 },
            materials: vec![NamedMaterial { name: "wet-soil".into(), material: Material::WET_SOIL }],
            ..Terrain::default()
        },
        puppets: vec![walking("walker", [0.5 * side; 2], 0.4 * side)],
        plants: vec![
            patch("sedge", Species::CAREX_PENSYLVANICA, 75.0, 1),
            patch("tussocks", Species::TUSSOCK_GRASS, 1.2, 2),
            patch("lawn", Species::LAWN_GRASS, 20.0, 3),
        ],
        ..Scene::default()
    }
}

/// What a person may ask for by name: one of our own scenes, a library scene, or a file.
///
/// # Errors
/// If there is no such scene, or the file is wrong; the message says where.
pub fn find(name: &str) -> Result<Source, SceneFileError> {
    match OWN.iter().find(|own| own.0 == name) {
        Some((_, make)) => Ok(Source::of_scene(&make()).expect("it is all said in TOML")),
        None => Source::find(name),
    }
}

/// Whether a scene is one of ours, in which somebody walks until somebody else takes over.
pub fn is_own(name: &str) -> bool {
    OWN.iter().any(|own| own.0 == name)
}

/// Names of all scenes that need no file.
pub fn names() -> Vec<&'static str> {
    OWN.iter().map(|own| own.0).chain(library::ENTRIES.iter().map(|e| e.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scene_to_stroll_in_is_valid_and_as_large_as_it_says() {
        let scene = stroll();
        scene.check().expect("valid");
        let plants: f64 = scene.plants.iter().map(PlantPatch::expected_plants).sum();
        assert!((9_500.0..11_000.0).contains(&plants), "{plants} plants");
        assert_eq!(scene.terrain.size.map(|m| (m / scene.terrain.cell).round()), [512.0; 2]);
    }

    #[test]
    fn it_comes_back_from_its_own_toml() {
        let scene = find(NAME).expect("found").scene().expect("read");
        assert_eq!(scene.terrain, stroll().terrain);
        assert_eq!(scene.puppets, stroll().puppets);
        assert_eq!(scene.plants, stroll().plants);
    }

    #[test]
    fn every_name_is_a_scene() {
        for name in names() {
            find(name).and_then(|s| s.scene()).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}
