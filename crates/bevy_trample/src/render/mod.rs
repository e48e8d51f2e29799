//! Drawing: the ground displaced in the vertex shader from one atlas of heights, plants as instanced blades, bodies as skinned
//! meshes. Lights, sky and camera are the game's.

/// A material whose vertices the shaders `render/NAME.wgsl` and, for shadows and depth, `render/NAME_prepass.wgsl` move, and the
/// component of what is drawn with it.
macro_rules! displaced_by {
    ($extension:ty, $name:literal, $(#[$about:meta])* $square:ident) => {
        $(#[$about])*
        #[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
        #[require(NoAutoAabb)]
        pub struct $square(pub Square);

        impl bevy::pbr::MaterialExtension for $extension {
            fn vertex_shader() -> bevy::shader::ShaderRef {
                concat!("embedded://bevy_trample/render/", $name, ".wgsl").into()
            }
            fn fragment_shader() -> bevy::shader::ShaderRef {
                Self::vertex_shader()
            }
            fn prepass_vertex_shader() -> bevy::shader::ShaderRef {
                concat!("embedded://bevy_trample/render/", $name, "_prepass.wgsl").into()
            }
            fn deferred_vertex_shader() -> bevy::shader::ShaderRef {
                Self::prepass_vertex_shader()
            }
        }
    };
}
use displaced_by;

mod body;
mod grass;
mod ground;
#[cfg(feature = "characters")]
mod guest;
mod land;
// A browser has no thread to wait on: there pictures are taken of the canvas.
#[cfg(not(target_arch = "wasm32"))]
mod picture;
mod upload;

pub use grass::{GrassClump, GrassExtension, GrassMaterial, GrassUniform};
pub use ground::{GroundExtension, GroundMaterial, GroundPatch, GroundUniform};
#[cfg(feature = "characters")]
pub use guest::{TrampleCast, TrampleGuestsPlugin};
pub use land::{LandExtension, LandMaterial};
#[cfg(not(target_arch = "wasm32"))]
pub use picture::{Picture, PictureError, Shot, device, picture};

use crate::terrains::PerTerrain;
use crate::view::{TrampleEye, TrampleViewPlugin, UpdateView};
use bevy::asset::embedded_asset;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;
use bevy::shader::load_shader_library;
use bevy::transform::TransformSystems;

/// Draws the world of [`crate::TramplePlugin`]. Needs Bevy's default plugins and a camera; the first `Camera3d` becomes the
/// [`TrampleEye`] for the level of detail unless another entity is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrampleRenderPlugin {
    /// Whether walkers and soles of the scene are drawn; turn it off if the game draws its own.
    pub bodies: bool,
}

impl Default for TrampleRenderPlugin {
    fn default() -> Self {
        Self { bodies: true }
    }
}

impl Plugin for TrampleRenderPlugin {
    fn build(&self, app: &mut App) {
        load_shader_library!(app, "look.wgsl");
        load_shader_library!(app, "prepass.wgsl");
        load_shader_library!(app, "ground_vertex.wgsl");
        load_shader_library!(app, "grass_vertex.wgsl");
        embedded_asset!(app, "ground.wgsl");
        embedded_asset!(app, "ground_prepass.wgsl");
        embedded_asset!(app, "grass.wgsl");
        embedded_asset!(app, "grass_prepass.wgsl");
        embedded_asset!(app, "land.wgsl");
        if !app.is_plugin_added::<TrampleViewPlugin>() {
            app.add_plugins(TrampleViewPlugin);
        }
        app.add_plugins((
            MaterialPlugin::<GroundMaterial>::default(),
            MaterialPlugin::<GrassMaterial>::default(),
            MaterialPlugin::<LandMaterial>::default(),
            upload::UploadPlugin,
        ));
        app.init_resource::<PerTerrain<ground::Drawn>>().init_resource::<PerTerrain<grass::Drawn>>();
        let draw = (ground::draw, grass::draw)
            .after(UpdateView)
            .before(TransformSystems::Propagate)
            .before(VisibilitySystems::CalculateBounds);
        app.add_systems(PostUpdate, draw).add_systems(First, choose_eye);
        if self.bodies {
            app.init_resource::<PerTerrain<body::Drawn>>();
            app.add_systems(Update, (body::spawn, body::dress).chain());
        }
    }
}

fn choose_eye(
    mut commands: Commands,
    eyes: Query<(), With<TrampleEye>>,
    cameras: Query<Entity, With<Camera3d>>,
) {
    if eyes.is_empty()
        && let Some(camera) = cameras.iter().next()
    {
        commands.entity(camera).insert(TrampleEye);
    }
}
