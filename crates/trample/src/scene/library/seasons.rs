//! Seasons: many people over many days. `trample season` runs them.

use super::{natural, vegetation};
use crate::params::{Footwear, Species};
use crate::scene::{
    Area, Base, Calendar, Choice, Date, Gate, Nature, Obstacle, PlantPatch, Scene, Season, Terrain,
    TrailRoute, Trip, Visitors,
};

/// The scene that `trample season` runs.
pub const DEFAULT: &str = "park";

fn gate(name: &str, place: [f64; 2], radius: f64) -> Gate {
    Gate { name: name.into(), place, radius }
}

/// A trip there and back between two gates.
fn trip(name: &str, from: usize, to: usize, people_per_day: f64) -> Trip {
    let who = Visitors { people_per_day, back: true, ..Visitors::default() };
    Trip { name: name.into(), from, to, who }
}

/// A species all over a terrain.
fn sward(name: &str, species: Species, size: [f64; 2]) -> PlantPatch {
    PlantPatch {
        name: name.into(),
        species,
        density: 250.0,
        min: [0.0; 2],
        max: size,
        ..PlantPatch::default()
    }
}

fn rectangle(min: [f64; 2], max: [f64; 2]) -> Area {
    Area::Polygon(vec![min, [max[0], min[1]], max, [min[0], max[1]]])
}

/// Cells of 4 cm show a trail; prints need finer ones.
fn coarse(terrain: Terrain) -> Terrain {
    Terrain { cell: 0.04, ..terrain }
}

fn scene(terrain: Terrain, plants: Vec<PlantPatch>, season: Season) -> Scene {
    Scene { terrain, plants, season: Some(Box::new(season)), ..Scene::default() }
}

pub(super) fn park() -> Scene {
    let size = [100.0, 80.0];
    let base = Base::Hills { amplitude: 5.0, wavelength: 60.0, seed: 3 };
    let shore =
        [[44.0, 30.0], [53.0, 27.5], [60.0, 33.0], [61.0, 42.0], [53.0, 47.0], [45.0, 43.0], [41.0, 36.0]];
    let pond = Obstacle { name: "pond".into(), water: true, area: Area::Polygon(shore.to_vec()) };
    let season = Season {
        gates: vec![
            gate("west", [3.0, 34.0], 1.0),
            gate("north-east", [95.0, 10.0], 1.0),
            gate("south", [66.0, 76.0], 1.0),
        ],
        trips: vec![
            trip("west to north-east", 0, 1, 30.0),
            trip("north-east to south", 1, 2, 20.0),
            trip("south to west", 2, 0, 25.0),
        ],
        obstacles: vec![pond],
        ..Season::default()
    };
    let terrain = Terrain { base, ..coarse(natural("loam", size)) };
    scene(terrain, vec![sward("meadow", Species::CAREX_PENSYLVANICA, size)], season)
}

/// Side of the triangle of gates, m, and the gates.
fn corners() -> (f64, [[f64; 2]; 3]) {
    let (side, middle) = (30.0, [20.0, 21.0]);
    let radius = side / 3f64.sqrt();
    let at = |turn: f64| {
        let angle = (turn / 3.0 - 0.25) * std::f64::consts::TAU;
        [middle[0] + radius * libm::cos(angle), middle[1] + radius * libm::sin(angle)]
    };
    (side, [at(0.0), at(1.0), at(2.0)])
}

pub(super) fn triangle() -> Scene {
    let size = [40.0, 36.0];
    let (_, [a, b, c]) = corners();
    let season = Season {
        gates: vec![gate("A", a, 0.0), gate("B", b, 0.0), gate("C", c, 0.0)],
        trips: vec![trip("A to B", 0, 1, 20.0), trip("B to C", 1, 2, 20.0), trip("C to A", 2, 0, 20.0)],
        calendar: Calendar { days: 60, ..Calendar::default() },
        // A mown lawn is as fast as a path; what counts is that people like to walk where others did. Everybody sees alike.
        choice: Choice {
            growth: 0.0,
            roughness: 0.0,
            noise: 0.0,
            comfort: 0.7,
            sight: 6.0,
            ..Choice::default()
        },
        // In its season it comes back within weeks: our choice.
        nature: Nature { regrowth: 40.0, ..Nature::default() },
        ..Season::default()
    };
    scene(coarse(natural("loam", size)), vec![sward("lawn", Species::LAWN_GRASS, size)], season)
}

pub(super) fn crossing_field() -> Scene {
    let size = [56.0, 44.0];
    let building = |name: &str, min: [f64; 2], max: [f64; 2]| Obstacle {
        name: name.into(),
        water: false,
        area: rectangle(min, max),
    };
    let season = Season {
        gates: vec![gate("library", [7.0, 12.0], 0.5), gate("canteen", [49.0, 32.0], 0.5)],
        trips: vec![trip("library to canteen", 0, 1, 60.0)],
        obstacles: vec![
            building("library", [0.0, 4.0], [6.0, 40.0]),
            building("canteen", [50.0, 4.0], [56.0, 40.0]),
        ],
        calendar: Calendar {
            days: 60,
            // Paved all around the lawn.
            boardwalks: vec![
                rectangle([6.0, 0.0], [50.0, 4.0]),
                rectangle([6.0, 40.0], [50.0, 44.0]),
                rectangle([6.0, 4.0], [8.0, 40.0]),
                rectangle([48.0, 4.0], [50.0, 40.0]),
            ],
            ..Calendar::default()
        },
        // A mown lawn is as fast as paving: who goes around does so because a paved way is worth it.
        choice: Choice { growth: 0.0, roughness: 0.0, ..Choice::default() },
        ..Season::default()
    };
    let lawn = PlantPatch { min: [8.0, 4.0], max: [48.0, 40.0], ..sward("lawn", Species::LAWN_GRASS, size) };
    scene(coarse(natural("loam", size)), vec![lawn], season)
}

pub(super) fn hillside() -> Scene {
    let size = [60.0, 40.0];
    let route = |name: &str, waypoints: Vec<[f64; 2]>| TrailRoute {
        name: name.into(),
        waypoints,
        lateral_sd: 0.15,
        who: Visitors { people_per_day: 30.0, footwear: Footwear::Boot, ..Visitors::default() },
    };
    let season = Season {
        routes: vec![
            route("fall line", vec![[5.0, 10.0], [35.0, 10.0]]),
            route("side-hill", vec![[45.0, 5.0], [45.0, 35.0]]),
        ],
        calendar: Calendar { days: 120, ..Calendar::default() },
        ..Season::default()
    };
    let base = Base::Slope { angle: 14f64.to_radians(), direction: 0.0 };
    let terrain = Terrain { base, ..natural("loam", size) };
    scene(terrain, vec![sward("slope", Species::CAREX_PENSYLVANICA, size)], season)
}

pub(super) fn lane_season() -> Scene {
    let size = vegetation::LANE_SIZE;
    let [min, max] = vegetation::LANE;
    let [beside, beyond] = vegetation::CONTROL;
    let who = Visitors { people_per_day: 25.0, mass: 75.0, footwear: Footwear::Boot, ..Visitors::default() };
    let lane = TrailRoute {
        name: "lane".into(),
        waypoints: vec![[0.2, 0.75], [5.3, 0.75]],
        lateral_sd: 0.18,
        who: Visitors { visits: vec![25.0; 20], ..who },
    };
    let patch = |name: &str, min, max| PlantPatch {
        name: name.into(),
        species: Species::CAREX_PENSYLVANICA,
        min,
        max,
        ..PlantPatch::default()
    };
    let season = Season {
        routes: vec![lane],
        calendar: Calendar { days: 20, start: Date::from_civil(2026, 6, 1), ..Calendar::default() },
        // Only the feet: Cole measured two weeks after them.
        nature: Nature { regrowth: 0.0, colonisation: 0.0, wash: 0.0, ..Nature::default() },
        ..Season::default()
    };
    let terrain = natural("dry-soil", size);
    scene(terrain, vec![patch("lane", min, max), patch("control", beside, beyond)], season)
}

pub(super) fn network() -> Scene {
    let size = [5100.0, 3500.0];
    // Six loops of 5 km around places on two rows.
    let route = |i: usize| {
        let middle = [870.0 + 1680.0 * (i % 3) as f64, 880.0 + 1740.0 * (i / 3) as f64];
        let n = 120;
        let waypoints = (0..=n).map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(n);
            // Wavy circles, no two alike, of 5 km each.
            let wave = 1.0 + 0.18 * libm::sin(3.0 * angle + i as f64) + 0.06 * libm::sin(11.0 * angle);
            let [a, b] = [RADIUS * wave * libm::cos(angle), RADIUS * wave * libm::sin(angle)];
            [middle[0] + a, middle[1] + b]
        });
        TrailRoute {
            name: format!("loop {}", i + 1),
            waypoints: waypoints.collect(),
            lateral_sd: 0.3,
            who: Visitors { people_per_day: 500.0 / 6.0, footwear: Footwear::Boot, ..Visitors::default() },
        }
    };
    let season = Season {
        routes: (0..6).map(route).collect(),
        calendar: Calendar { days: 365, start: Date::from_civil(2026, 1, 1), ..Calendar::default() },
        choice: Choice { cost_cell: 5.0, ..Choice::default() },
        ..Season::default()
    };
    let base = Base::Hills { amplitude: 60.0, wavelength: 900.0, seed: 5 };
    let terrain = Terrain { base, ..coarse(natural("loam", size)) };
    scene(terrain, vec![sward("meadow", Species::CAREX_PENSYLVANICA, size)], season)
}

/// Mean radius of a loop of 5 km, m.
const RADIUS: f64 = 689.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_is_thirty_kilometres_long() {
        let season = network().season.expect("a season");
        let along = |r: &TrailRoute| crate::scene::Path::along(r.waypoints.clone()).length();
        let length: f64 = season.routes.iter().map(along).sum();
        assert!((length / 30e3 - 1.0).abs() < 0.02, "{length} m");
    }

    #[test]
    fn the_triangle_has_equal_sides() {
        let (side, [a, b, c]) = corners();
        for (p, q) in [(a, b), (b, c), (c, a)] {
            let d = ((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1])).sqrt();
            assert!((d - side).abs() < 1e-9, "{d}");
        }
    }
}
