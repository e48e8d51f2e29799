//! # bevy_trample
//!
//! Bevy plugin for ground with footprints, plants that bend, wear and break, and walkers that react to both. It is a thin adapter:
//! [`trample`] does all of the simulation, and the same scene gives the same state hash in both.
//!
//! - [`TramplePlugin`] runs a scene in `FixedUpdate`, in the order of [`TrampleSet`], and sends messages about changes: [`TilesChanged`],
//!   [`Happened`]. It needs no graphics card and none of Bevy's large crates.
//! - [`WalkerBody`] holds the joint transforms of trample's walkers. [`Puppet`] lets a figure animated by the game leave prints: it reads
//!   the foot bones and writes [`GroundUnderFoot`].
//! - [`TrampleTerrain`] adds another terrain at another place in the same game.
//! - `TrampleRenderPlugin` (feature `render`) draws the ground, the plants and the bodies.
//!
//! A figure animated by the game, without rendering:
//!
//! ```
//! use bevy::prelude::*;
//! use bevy_trample::{GroundUnderFoot, Puppet, Trample, TramplePlugin};
//! use trample::{Hold, PuppetSpec, Scene, Script};
//!
//! // A terrain of loam, and one figure with two feet that the game moves.
//! let figure = PuppetSpec { script: Script::Host { feet: 2 }, hold: Hold::Free, ..PuppetSpec::default() };
//! let mut scene = Scene { puppets: vec![figure], ..Scene::default() };
//! scene.terrain.materials[0].material = trample::Material::LOAM;
//!
//! fn spawn(mut commands: Commands) {
//!     // Stand-ins for the foot bones of an animated model.
//!     let foot = |z: f32| (Transform::from_xyz(3.0, 0.05, z), GlobalTransform::default());
//!     let feet = [commands.spawn(foot(1.0)).id(), commands.spawn(foot(1.2)).id()];
//!     commands.spawn(Puppet::new(0, feet));
//! }
//!
//! fn animate(mut bones: Query<&mut Transform, Without<Puppet>>) {
//!     for mut bone in &mut bones {
//!         bone.translation.y -= 0.004;
//!     }
//! }
//!
//! fn feel(puppets: Query<&GroundUnderFoot>) {
//!     for ground in &puppets {
//!         for foot in ground.feet.iter().filter(|foot| foot.down) {
//!             println!("{:.0} N, {:.1} cm deep", foot.force, 100.0 * foot.depth);
//!         }
//!     }
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, TramplePlugin { scene }));
//! app.add_systems(Startup, spawn).add_systems(Update, (animate, feel));
//! app.insert_resource(bevy::time::TimeUpdateStrategy::FixedTimesteps(1));
//! (0..60).for_each(|_| app.update());
//! assert!(app.world().resource::<Trample>().world().height(3.0, 1.0) < -0.001, "a print");
//! ```

#![allow(
    elided_lifetimes_in_paths,
    clippy::needless_pass_by_value,
    reason = "systems take their parameters by value and without lifetimes, as everywhere in Bevy"
)]

mod body;
mod clock;
mod grass;
mod ground;
mod lod;
mod puppet;
#[cfg(feature = "render")]
pub mod render;
mod spent;
mod terrains;
mod tiles;
mod uploads;
mod view;
mod world;

pub use body::{Joints, PuppetPose, SoleBody, WalkerBody};
pub use clock::{StageTimes, TrampleSet};
pub use grass::{Blade, Clump, ClumpWrite, Field};
pub use ground::{Atlas, Overlay, Shape, Texel, TexelWrite, patch};
pub use lod::{Eye, Square};
pub use puppet::{FootGround, GroundUnderFoot, Puppet};
#[cfg(feature = "render")]
pub use render::TrampleRenderPlugin;
pub use spent::Spent;
pub use terrains::{PerTerrain, Terrains, TrampleTerrain};
pub use tiles::{Happened, Heights, TilesChanged};
pub use uploads::Uploads;
pub use view::{TrampleEye, TrampleLook, TrampleView, TrampleViewPlugin};
pub use world::Trample;

use bevy::app::RunFixedMainLoop;
use bevy::app::RunFixedMainLoopSystems;
use bevy::prelude::*;

/// Runs a scene, without drawing it.
///
/// # Panics
/// When the app is built, if the scene is invalid; check it before with [`trample::Scene::check`].
#[derive(Clone, Debug, Default)]
pub struct TramplePlugin {
    /// The first scene; [`Trample::load`] changes it later.
    pub scene: trample::Scene,
}

impl Plugin for TramplePlugin {
    fn build(&self, app: &mut App) {
        let world = match Trample::new(&self.scene) {
            Ok(world) => world,
            Err(error) => panic!("the scene `{}` cannot run: {error}", self.scene.name),
        };
        app.init_resource::<Spent>().add_systems(First, spent::begin);
        app.insert_resource(world).add_message::<TilesChanged>().add_message::<Happened>();
        let order = (TrampleSet::SyncIn, TrampleSet::Step, TrampleSet::WriteBack);
        app.configure_sets(FixedUpdate, order.chain());
        app.add_systems(
            FixedUpdate,
            (
                puppet::sync_in.in_set(TrampleSet::SyncIn),
                clock::step.in_set(TrampleSet::Step),
                (tiles::tell, puppet::write_back).in_set(TrampleSet::WriteBack),
            ),
        );
        app.add_systems(
            RunFixedMainLoop,
            (
                (notice, puppet::sample).chain().in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop),
                (notice, body::grow_joints, (body::move_bodies, body::move_soles))
                    .chain()
                    .in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
            ),
        );
    }
}

/// Finds out whether a world has been changed by more than steering.
pub(crate) fn notice(mut terrains: terrains::TerrainsMut) {
    terrains.notice();
}
