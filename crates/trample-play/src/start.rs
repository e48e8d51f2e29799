//! Scenes to begin with: the one that opens when nothing is asked for, and how a name becomes a scene.

use trample::params::Body;
use trample::scene::{Control, NamedMaterial, PlantPatch, PuppetSpec, Scene, Terrain, WalkerSpec, library};
use trample::{Base, Material, Species};
use trample_files::{SceneFileError, Source};

/// Name of the scene that opens by itself.
pub const NAME: &str = "stroll";

/// A body that stands at a place and waits for keys.
pub fn standing(name: &str, at: [f64; 2], heading: f64) -> PuppetSpec {
    let body = Body::default();
    PuppetSpec::walking(
        name,
        WalkerSpec {
            body,
            control: Control::Stand,
            force: trample::scene::ForceModel::WholeBody,
            balance: true,
            position: at,
            heading,
            recorded: None,
        },
    )
}

/// Rolling ground of 512 × 512 cells with ten thousand plants and one walker: what opens by itself.
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
        puppets: vec![standing("walker", [0.5 * side, 0.5 * side], 0.0)],
        plants: vec![
            patch("sedge", Species::CAREX_PENSYLVANICA, 75.0, 1),
            patch("tussocks", Species::TUSSOCK_GRASS, 1.2, 2),
            patch("lawn", Species::LAWN_GRASS, 20.0, 3),
        ],
        ..Scene::default()
    }
}

/// What a person may ask for by name: our own scene, a library scene, or a file.
///
/// # Errors
/// If there is no such scene, or the file is wrong; the message says where.
pub fn find(name: &str) -> Result<Source, SceneFileError> {
    if name == NAME { Ok(Source::of_scene(&stroll())) } else { Source::find(name) }
}

/// Names of all scenes that need no file.
pub fn names() -> Vec<&'static str> {
    std::iter::once(NAME).chain(library::ENTRIES.iter().map(|e| e.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scene_that_opens_is_valid_and_as_large_as_it_says() {
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
