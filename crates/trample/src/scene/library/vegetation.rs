//! The papers' experiments with plants, and a meadow.

use super::{ground, named, natural, route};
use crate::params::{Body, Footwear, Species};
use crate::scene::{Paint, PaintShape, Path, PlantPatch, PuppetSpec, Scene, SoleShape, Terrain};

/// Corners of the lane: 1.5 m long and 0.5 m wide, as in Cole 1995.
pub const LANE: [[f64; 2]; 2] = [[2.0, 0.5], [3.5, 1.0]];
/// The lane beside it that nobody enters.
pub(super) const CONTROL: [[f64; 2]; 2] = [[2.0, 1.7], [3.5, 2.2]];
/// The ground around them, m: room to turn about beyond either end, so that people walk through the lane.
pub(super) const LANE_SIZE: [f64; 2] = [5.5, 2.5];

/// A patch of a species between two corners.
fn patch(name: &str, species: Species, [min, max]: [[f64; 2]; 2]) -> PlantPatch {
    PlantPatch { name: name.into(), species, min, max, ..PlantPatch::default() }
}

/// Cole's experiment: a lane that is walked along, back and forth, and a control lane beside it. Walkers of 75 kg in
/// lug-soled boots (Cole 1995); passes are scattered over the width of the lane, by how much is our choice.
pub fn lane(species: Species, passes: u32) -> Scene {
    let path = Path { passes, lateral_sd: 0.14, ..Path::along([[0.6, 0.75], [4.9, 0.75]]) };
    let walker = route("walker", Body { mass: 75.0, ..Body::default() }, path, false);
    Scene {
        // Half a thousand passes are half an hour; footsteps and wear do not need more than this.
        rate: 30.0,
        terrain: Terrain { cell: 0.02, ..ground("trail-dry-soil", LANE_SIZE) },
        puppets: vec![PuppetSpec { sole: SoleShape::Footwear(Footwear::Boot), ..walker }],
        plants: vec![patch("lane", species, LANE), patch("control", species, CONTROL)],
        ..Scene::default()
    }
}

pub(super) fn carex_lane() -> Scene {
    lane(Species::CAREX_PENSYLVANICA, 25)
}

pub(super) fn lycopodium_lane() -> Scene {
    lane(Species::LYCOPODIUM_LUCIDULUM, 25)
}

/// TR Fig. 9: a sedge on soft soil, a clubmoss on dry and on wet soil, each under its own walker.
pub(super) fn soils_and_plants() -> Scene {
    let mut terrain = Terrain { cell: 0.02, ..ground("trail-soft-soil", [4.0, 4.5]) };
    let mut puppets = Vec::new();
    let mut plants = Vec::new();
    let rows = [
        ("trail-soft-soil", "sedge on soft soil", Species::CAREX_PENSYLVANICA),
        ("trail-dry-soil", "clubmoss on dry soil", Species::LYCOPODIUM_LUCIDULUM),
        ("trail-wet-soil", "clubmoss on wet soil", Species::LYCOPODIUM_LUCIDULUM),
    ];
    for (i, (soil, name, species)) in rows.into_iter().enumerate() {
        let z = 1.5 * i as f64;
        if i > 0 {
            terrain.materials.push(named(soil));
            let shape = PaintShape::Rectangle { min: [0.0, z], max: [4.0, z + 1.5] };
            terrain.paints.push(Paint { material: i as u8, shape });
        }
        let (middle, waypoints) = (z + 0.75, [[0.4, z + 0.75], [3.6, z + 0.75]]);
        plants.push(patch(name, species, [[0.5, middle - 0.5], [3.5, middle + 0.5]]));
        let path = Path { passes: 75, lateral_sd: 0.12, ..Path::along(waypoints) };
        puppets.push(route(name, Body::default(), path, true));
    }
    // Three experiments side by side, independent of each other.
    Scene { terrain, puppets, plants, avoid: false, ..Scene::default() }
}

/// TR Fig. 13: grass that bends under a walker and gets up again.
pub(super) fn bend_and_return() -> Scene {
    let grass =
        PlantPatch { density: 400.0, ..patch("grass", Species::LAWN_GRASS, [[0.8, 0.5], [3.2, 1.5]]) };
    let path = Path::along([[0.4, 1.0], [3.6, 1.0]]);
    Scene {
        terrain: ground("trail-dry-soil", [4.0, 2.0]),
        puppets: vec![route("walker", Body::default(), path, true)],
        plants: vec![grass],
        // The walk, and time to get up.
        duration: Some(10.0),
        ..Scene::default()
    }
}

/// TR Fig. 16: the same walk over bare ground and through a sedge.
pub(super) fn with_and_without() -> Scene {
    let path = Path { passes: 10, lateral_sd: 0.02, ..Path::along([[0.4, 1.0], [5.6, 1.0]]) };
    Scene {
        terrain: ground("trail-dry-soil", [6.0, 2.0]),
        puppets: vec![route("walker", Body::default(), path, true)],
        plants: vec![patch("sedge", Species::CAREX_PENSYLVANICA, [[3.0, 0.3], [6.0, 1.7]])],
        ..Scene::default()
    }
}

/// A hundred thousand plants and so many walkers.
fn crossed(walkers: usize) -> Scene {
    let side = 20.0;
    let puppets = (0..walkers).map(|i| {
        let z = side * (i as f64 + 0.5) / walkers as f64;
        let (from, to) = if i % 2 == 0 { (1.0, side - 1.0) } else { (side - 1.0, 1.0) };
        // Walkers set out at different moments, as people do.
        let start = 0.3 * (i % 7) as f64;
        let path = Path { start, ..Path::along([[from, z], [to, z]]) };
        route(&format!("walker {}", i + 1), Body::default(), path, true)
    });
    let sedge = patch("sedge", Species::CAREX_PENSYLVANICA, [[0.0, 0.0], [side, side]]);
    Scene {
        terrain: natural("loam", [side, side]),
        puppets: puppets.collect(),
        plants: vec![PlantPatch { density: 250.0, ..sedge }],
        ..Scene::default()
    }
}

pub(super) fn meadow() -> Scene {
    crossed(1)
}

pub(super) fn meadow_10() -> Scene {
    crossed(10)
}

pub(super) fn meadow_100() -> Scene {
    crossed(100)
}
