//! # trample
//!
//! Simulates feet on natural ground: soles compress snow, sand, mud and soil and push material aside, which slides until it is
//! stable; plants bend, wear and break. The crate needs no graphics, is bit-for-bit reproducible, and reads no files or clocks.
//! Units are SI, y is up, axes are right-handed.
//!
//! ## Scene, world, step, map
//!
//! A [`Scene`] describes a terrain, its plants and its walkers or puppets. [`World::new`] checks the scene and builds the world;
//! stepping cannot fail. [`World::step`] advances time. A [`Map`] is a field of the result, such as height or compression.
//!
//! ```
//! use trample::{Map, World, scene::library};
//!
//! let scene = library::by_name("plate").expect("a library scene");
//! let mut world = World::new(&scene)?;
//! for _ in 0..scene.steps() {
//!     world.step(scene.dt());
//! }
//! // 50 kg on 200 cm² of soil: σ = 24.5 kPa, ΔL = σ·L0/E = 5.9 mm (DF-10), plus the soft landing.
//! let deepest = world.map(Map::Compression).max();
//! assert!((deepest - 0.0059).abs() < 0.0007, "{deepest}");
//! // Volume is conserved: the rim around the plate has 2ν of the carved volume.
//! assert!(world.volume().relative_error < 1e-6);
//! # Ok::<(), trample::SceneError>(())
//! ```
//!
//! A step returns a [`Report`] with the [`Contact`]s and [`Event`]s of that step. [`World::take_dirty`] lists the tiles whose
//! surface has changed, for meshes, colliders and textures; [`World::take_dirty_plants`] those with changed plants. [`scene::library`]
//! has the papers' experiments by name.
//!
//! ## Parameters
//!
//! [`Material`], [`Species`], [`Body`](params::Body) and [`Sole`] are structs with public fields and published presets. The first
//! three have a table `FIELDS` with the unit, range, meaning and source of each parameter, for programs that display or read them.
//!
//! ```
//! use trample::Material;
//! use trample::params::{Field, material};
//!
//! let mut snow = material::by_name("snow").expect("a preset");
//! let layer = Field::find(Material::FIELDS, "layer").expect("a parameter");
//! assert_eq!(layer.range.unit, "m");
//! layer.set(&mut snow, 0.3);
//! assert_eq!(snow.layer, 0.3);
//! ```
//!
//! ## Your own feet
//!
//! An engine that animates its own figures sets the poses of their soles:
//!
//! ```
//! use trample::{Pose, PuppetSpec, Scene, Script, SolePose, World};
//! use glam::Vec3;
//!
//! let puppet = PuppetSpec { script: Script::Host { feet: 1 }, ..PuppetSpec::default() };
//! let mut world = World::new(&Scene { puppets: vec![puppet], ..Scene::default() })?;
//! for frame in 0..60 {
//!     let clearance = (0.1 - 0.01 * frame as f32).max(0.0);
//!     let position = Vec3::new(3.0, clearance, 1.0);
//!     let sole = SolePose { position, velocity: Vec3::new(0.0, -0.6, 0.0), ..SolePose::default() };
//!     world.set_pose(0, &Pose { soles: vec![sole], center_of_mass: position, ..Pose::default() });
//!     world.step(1.0 / 60.0);
//! }
//! assert!(world.height(3.0, 1.0) < -0.01, "a print in the snow");
//! # Ok::<(), trample::SceneError>(())
//! ```
//!
//! Walkers that animate themselves are [`Script::Walker`]: they follow a route or are steered with [`World::control`].
//!
//! ## Determinism and snapshots
//!
//! The same scene and the same steps give the same state to the last bit, for any number of threads and any build profile:
//! the ground is summed in integers, transcendental functions come from libm, random numbers are functions of seed and counter.
//! [`World::snapshot`] and [`World::restore`] save and restore the state; [`World::hash`] is a 64-bit hash of it, and [`Recording`] holds
//! a digest per step, which finds the first step in which two runs differ.
//!
//! ```
//! use trample::{World, scene::library};
//!
//! let scene = library::by_name("plate").expect("a library scene");
//! let (mut first, mut second) = (World::new(&scene)?, World::new(&scene)?);
//! first.step(scene.dt());
//! second.restore(&first.snapshot())?;
//! first.step(scene.dt());
//! second.step(scene.dt());
//! assert_eq!(first.hash(), second.hash());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Modules
//!
//! Most programs need only the items below and [`scene`]. [`params`] has the parameter tables. [`body`], [`gait`], [`clips`] and
//! [`imported`] are for programs that display, generate or read the motion of walkers.

pub mod body;
pub mod clips;
pub mod gait;
mod hash;
pub mod imported;
mod map;
mod math;
pub mod params;
mod persist;
mod pose;
mod random;
mod record;
pub mod scene;
mod state;
mod step;
mod world;

pub use glam;
pub use map::{CellRect, Map, MapRow, MapView, Ramp, Span, Texture, touched_rect};
pub use params::{Footwear, Law, Material, Sole, Species};
pub use persist::SnapshotError;
pub use pose::{Drive, Pose, Seat, SolePose};
pub use record::Recording;
pub use scene::{Base, Hold, PlantPatch, PuppetSpec, Scene, SceneError, Script};
pub use state::{
    Foot, Ground, PLANT_CELL, PlantTally, Plants, Puppet, StemState, TILE, Tile, TileKey, Walker,
};
pub use step::plants::view::Stem;
pub use step::{Contact, Event, Report, Stage};
pub use world::footing::{Answer, Footing};
pub use world::query::{Progress, SQUARE};
pub use world::{Volume, World};

/// Items shared with the other crates of this workspace and the tests. Not part of the public interface: they may change at any time.
#[doc(hidden)]
pub mod internal {
    pub use crate::hash::{Hasher, of_bytes};
    pub use crate::params::natural::decades;
    pub use crate::persist::VERSION;
    pub use crate::random::{Stream, normal, uniform, word};
    pub use crate::state::ground::{cell_of, tile_of};
    pub use crate::state::tile::NANO;
    pub use crate::step::plants::reference;
    pub use crate::step::soil::bear::ANKLE;
    pub use crate::step::soil::tread::{Trodden, pushed_aside};

    /// The hashes of library scenes that the tests hold this version to.
    pub const GOLDEN: &str = include_str!("../tests/golden/hashes.txt");

    /// 64 bits of what this version computes: another number where any of the golden hashes is another one.
    pub fn physics() -> u64 {
        let mut hasher = Hasher::default();
        GOLDEN.lines().for_each(|line| hasher.bytes(line.as_bytes()));
        hasher.finish()
    }

    /// Resistive force theory, to lay beside drags that were measured.
    pub mod drag {
        pub use crate::step::soil::drag::{WALL, push, stiffness};
    }

    /// Keeps all plants awake that were woken, or lets them sleep again. Broken stems are the same either way.
    pub fn set_sleepless(world: &mut crate::World, sleepless: bool) {
        world.plants.sleepless = sleepless;
    }
}
