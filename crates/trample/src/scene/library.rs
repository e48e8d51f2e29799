//! Library scenes: the papers' experiments on the ground, by name. The same scene is demo, benchmark and test.

mod nature;
mod seasons;
mod vegetation;

pub use seasons::DEFAULT as DEFAULT_SEASON;
pub use vegetation::{LANE, lane};

use super::{
    Control, Fall, NamedMaterial, Path, Press, PuppetSpec, Scene, Script, SoleShape, Terrain, WalkerSpec,
};
use crate::params::{Body, Footwear, Law, Material, material};
use crate::scene::{Base, Paint, PaintShape};

/// A scene of the library: name, description, and constructor.
pub struct Entry {
    /// Name for the command.
    pub name: &'static str,
    /// Description in one sentence.
    pub about: &'static str,
    make: fn() -> Scene,
}

impl Entry {
    /// The scene itself.
    pub fn scene(&self) -> Scene {
        Scene { name: self.name.into(), about: self.about.into(), ..(self.make)() }
    }
}

const fn entry(name: &'static str, about: &'static str, make: fn() -> Scene) -> Entry {
    Entry { name, about, make }
}

/// The scene that `trample run` runs.
pub const DEFAULT: &str = "walk-snow";

/// All scenes.
#[rustfmt::skip]
pub const ENTRIES: [Entry; 35] = [
    entry("plate", "A plate of 20 × 10 cm pressed by 50 kg into soil", plate),
    entry("sphere-drop", "A sphere of 50 kg dropped from 2.5 m (DF Fig. 7)", sphere_drop),
    entry("walk-snow", "A walk across fresh snow (DF Fig. 8)", walk_snow),
    entry("walk-dry-sand", "A walk across dry sand (DF Fig. 8)", walk_dry_sand),
    entry("walk-mud", "A walk across mud (DF Fig. 8)", walk_mud),
    entry("walk-soil", "A walk across soil (DF Fig. 8)", walk_soil),
    entry("dune-up", "Straight up the side of a sand dune (TR Fig. 12)", dune_up),
    entry("dune-down", "Straight down the side of a sand dune (TR Fig. 12)", dune_down),
    entry("dune-side", "Across the side of a sand dune (TR Fig. 12)", dune_side),
    entry("masses", "50, 75 and 100 kg on dry soil at 1.3 m/s (TR Fig. 10)", masses),
    entry("feet", "Snowshoes, a heavy walker and tiny feet in snow (DF Fig. 4)", feet),
    entry("fifty-passes", "Fifty passes back and forth over wet soil (TR Fig. 8)", fifty_passes),
    entry("snow-meets-sand", "From snow on to dry sand in one terrain (DF Fig. 4)", snow_meets_sand),
    entry("kilometre", "One kilometre on soft soil with slight lateral wandering", kilometre),
    entry("natural-lane", "Fifty passes on loam: prints merge into a tread that compacts and deepens with the logarithm of passes", nature::natural_lane),
    entry("deep-snow", "A walk in 30 cm of fresh snow, in which boots sink 20 cm and more", nature::deep_snow),
    entry("shuffle", "Shuffling feet draw furrows in loose sand and push a heap ahead of them", nature::shuffle),
    entry("wet-clay-slope", "Up and down 12° of wet clay", nature::wet_clay_slope),
    entry("follow-my-track", "Two walkers in deep snow: the second steps into the prints of the first", nature::follow_my_track),
    entry("beach", "Bare feet from loose dry sand on to wet sand, which keeps the prints", nature::beach),
    entry("deer-crossing", "A deer, a dog and a horse cross a loam meadow: prints of cloven hooves, paws and hooves", nature::deer_crossing),
    entry("carex-lane", "A lane of sedge under 25 passes; set passes=75, 200 or 500 for more (Cole 1995)", vegetation::carex_lane),
    entry("lycopodium-lane", "A lane of clubmoss under 25 passes; set passes=75, 200 or 500 for more (Cole 1995)", vegetation::lycopodium_lane),
    entry("soils-and-plants", "Three soils under sedge and clubmoss, 75 passes (TR Fig. 9)", vegetation::soils_and_plants),
    entry("bend-and-return", "Grass that bends under a walker and recovers (TR Fig. 13)", vegetation::bend_and_return),
    entry("with-and-without", "The same walk over bare ground and through sedge (TR Fig. 16)", vegetation::with_and_without),
    entry("meadow", "A hundred thousand plants and one walker", vegetation::meadow),
    entry("meadow-10", "A hundred thousand plants and ten walkers", vegetation::meadow_10),
    entry("meadow-100", "A hundred thousand plants and a hundred walkers", vegetation::meadow_100),
    entry("park", "A season: three gates, a hill, a meadow and a pond; people choose paths and wear trails", seasons::park),
    entry("triangle", "A season: three gates at equal distances on a lawn; `wear` sets how much paths merge", seasons::triangle),
    entry("crossing-field", "A season: a square of lawn between two buildings, paved all around", seasons::crossing_field),
    entry("hillside", "A season: a fall-line trail and a side-hill trail with equal use", seasons::hillside),
    entry("lane-season", "A season: Cole's lane, 25 passes a day for 20 days", seasons::lane_season),
    entry("network", "A season: 30 km of trails, 500 visitors a day, a year", seasons::network),
];

/// The scene of that name.
pub fn by_name(name: &str) -> Option<Scene> {
    ENTRIES.iter().find(|e| e.name == name).map(Entry::scene)
}

fn named(name: &str) -> NamedMaterial {
    NamedMaterial { name: name.into(), material: material::by_name(name).expect("a preset") }
}

/// A level ground of the papers, fine enough that a print shows the shape of its sole.
fn ground(name: &str, size: [f64; 2]) -> Terrain {
    Terrain { size, cell: 0.01, materials: vec![named(name)], law: Law::Trail, ..Terrain::default() }
}

/// A level ground under the natural law.
fn natural(name: &str, size: [f64; 2]) -> Terrain {
    Terrain { law: Law::Natural, cell: 0.02, ..ground(name, size) }
}

/// A body that walks by itself along a path; `metabolic` if soft and steep ground slow it.
fn route(name: &str, body: Body, path: Path, metabolic: bool) -> PuppetSpec {
    // Single walks are the papers' figures, compared print by print: their steps are alike. Those who walk again and again vary.
    let step_variation = if path.passes > 1 { 1.0 } else { 0.0 };
    let mut walker = WalkerSpec { step_variation, ..WalkerSpec::on(path) };
    if let Control::Route(route) = &mut walker.control {
        route.metabolic = metabolic;
    }
    PuppetSpec::walking(name, body, walker)
}

fn straight_walk(material: &str) -> Scene {
    Scene {
        terrain: ground(material, [6.0, 2.0]),
        puppets: vec![route("walker", Body::default(), Path::along([[0.5, 1.0], [5.4, 1.0]]), true)],
        ..Scene::default()
    }
}

fn plate() -> Scene {
    Scene {
        terrain: ground("soil", [1.0, 1.0]),
        puppets: vec![PuppetSpec {
            name: "plate".into(),
            body: Body { mass: 50.0, foot_length: 0.20, foot_width: 0.10, ..Body::default() },
            sole: SoleShape::Footwear(Footwear::Plate),
            script: Script::Press(Press { position: [0.5, 0.5], ..Press::default() }),
            ..PuppetSpec::default()
        }],
        ..Scene::default()
    }
}

fn sphere_drop() -> Scene {
    // DF §6.2: m = 50 kg, E = 1 MPa, τ = 0.2 s, 2.5 m. The radius is not printed; 20 cm is a 50 kg stone.
    let material =
        Material { youngs_modulus: 1e6, characteristic_time: 0.2, poisson_ratio: 0.25, ..Material::SOIL };
    Scene {
        terrain: Terrain {
            materials: vec![NamedMaterial { name: "ground".into(), material }],
            ..ground("soil", [1.6, 1.6])
        },
        puppets: vec![PuppetSpec {
            name: "sphere".into(),
            body: Body { mass: 50.0, foot_length: 0.4, foot_width: 0.4, ..Body::default() },
            sole: SoleShape::Footwear(Footwear::Sphere),
            script: Script::Fall(Fall { position: [0.8, 0.8], ..Fall::default() }),
            ..PuppetSpec::default()
        }],
        ..Scene::default()
    }
}

fn walk_snow() -> Scene {
    straight_walk("snow")
}

fn walk_dry_sand() -> Scene {
    straight_walk("dry-sand")
}

fn walk_mud() -> Scene {
    straight_walk("mud")
}

fn walk_soil() -> Scene {
    straight_walk("soil")
}

/// A dune with a 22° windward side to walk on: below the rest angle of sand, steep enough to feel.
fn dune(waypoints: Vec<[f64; 2]>) -> Scene {
    Scene {
        terrain: Terrain {
            base: Base::Dune {
                height: 3.0,
                crest: 8.5,
                windward: 22f64.to_radians(),
                lee: 31f64.to_radians(),
            },
            ..ground("dry-sand", [10.0, 6.0])
        },
        // At equal metabolic power 22° of sand are climbed at a crawl, so this walker keeps its speed instead.
        puppets: vec![route(
            "walker",
            Body::default(),
            Path { waypoints, speed: 0.8, ..Path::default() },
            false,
        )],
        ..Scene::default()
    }
}

fn dune_up() -> Scene {
    dune(vec![[2.5, 3.0], [7.0, 3.0]])
}

fn dune_down() -> Scene {
    dune(vec![[7.0, 3.0], [2.5, 3.0]])
}

fn dune_side() -> Scene {
    dune(vec![[5.0, 0.8], [5.0, 5.2]])
}

fn masses() -> Scene {
    // Sole areas of the authors' three bodies: 229, 244 and 259 cm² (contact of their own prints).
    let body = |mass: f64, area: f64, z: f64| {
        let plain = Footwear::Shoe.sole(0.274, 0.103).area();
        let scale = (area / plain).sqrt();
        PuppetSpec {
            name: format!("{mass} kg"),
            body: Body { mass, foot_length: 0.274 * scale, foot_width: 0.103 * scale, ..Body::default() },
            // The authors' feet are planted flat, and so are these: a foot that rolls over its ball goes deeper.
            script: Script::Walk(Path::along([[0.4, z], [5.6, z]]).into()),
            ..PuppetSpec::default()
        }
    };
    let mut terrain = ground("trail-dry-soil", [6.0, 4.0]);
    // The stiff end of TR Table 1 (0.2–0.5 MPa): closest to the authors' own prints of 11.1, 18.4 and 23.5 mm.
    terrain.materials[0].material.youngs_modulus = 0.5e6;
    Scene {
        terrain,
        puppets: vec![body(50.0, 0.0229, 1.0), body(75.0, 0.0244, 2.0), body(100.0, 0.0259, 3.0)],
        ..Scene::default()
    }
}

fn feet() -> Scene {
    let lane = |name: &str, body: Body, z: f64| route(name, body, Path::along([[0.6, z], [6.4, z]]), true);
    let usual = Body::default();
    let heavy = Body { mass: 140.0, foot_length: 0.32, foot_width: 0.13, ..usual };
    let tiny = Body { foot_length: 0.17, foot_width: 0.065, ..Body::new(1.5, 45.0) };
    Scene {
        terrain: ground("snow", [7.0, 5.0]),
        puppets: vec![
            lane("shoes", usual, 1.0),
            PuppetSpec { sole: SoleShape::Footwear(Footwear::Snowshoe), ..lane("snowshoes", usual, 2.0) },
            PuppetSpec { sole: SoleShape::Footwear(Footwear::Boot), ..lane("heavy, in boots", heavy, 3.0) },
            lane("tiny feet", tiny, 4.0),
        ],
        ..Scene::default()
    }
}

fn fifty_passes() -> Scene {
    Scene {
        terrain: natural("wet-soil", [6.0, 3.0]),
        puppets: vec![route(
            "walker",
            Body::default(),
            Path { passes: 50, lateral_sd: 0.15, ..Path::along([[0.5, 1.5], [5.5, 1.5]]) },
            true,
        )],
        ..Scene::default()
    }
}

fn snow_meets_sand() -> Scene {
    let mut scene = straight_walk("snow");
    scene.terrain.materials.push(named("dry-sand"));
    let shape = PaintShape::Rectangle { min: [3.0, 0.0], max: [6.0, 2.0] };
    scene.terrain.paints.push(Paint { material: 1, shape });
    scene
}

fn kilometre() -> Scene {
    Scene {
        terrain: natural("soft-soil", [1004.0, 4.0]),
        puppets: vec![route(
            "walker",
            Body::default(),
            Path { lateral_sd: 0.1, ..Path::along([[2.0, 2.0], [1002.0, 2.0]]) },
            true,
        )],
        ..Scene::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_valid_and_has_its_name() {
        for entry in &ENTRIES {
            let scene = entry.scene();
            scene.check().unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            assert_eq!(scene.name, entry.name);
            assert!(by_name(entry.name).is_some());
        }
        assert!(by_name(DEFAULT).is_some());
    }
}
