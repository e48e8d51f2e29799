//! # trample
//!
//! What feet do to natural ground: soles press snow, sand, mud and soil, push material aside and let it slide to rest.
//! Headless, exact, deterministic; SI units, y up, right-handed.
//!
//! A **scene** describes a terrain and who presses it. A **world** runs it. A **map** shows what is left.
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
//! // Volume is conserved: what lies around the plate is 2ν of what was carved.
//! assert!(world.volume().relative_error < 1e-6);
//! # Ok::<(), trample::SceneError>(())
//! ```
//!
//! A host engine brings its own feet as a puppet:
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

pub mod hash;
pub mod map;
pub mod motion;
pub mod params;
pub mod random;
pub mod record;
pub mod scene;
pub mod state;
pub mod step;
pub mod world;

pub use glam;
pub use map::{CellRect, Map, MapView};
pub use params::{Footwear, Law, Material, Sole, Species};
pub use scene::{PlantPatch, PuppetSpec, Scene, SceneError, Script};
pub use state::{Base, Hold, Pose, SolePose};
pub use step::Stage;
pub use world::{Contact, Event, Report, Volume, World};
