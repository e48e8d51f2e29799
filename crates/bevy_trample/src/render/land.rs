//! Land around a terrain that is only looked at: a game's own mesh in the grain and colours of the ground, so that no border shows.

use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use bevy::render::render_resource::AsBindGroup;
use bevy::shader::ShaderRef;

/// Material of the land outside the terrain, which cannot be walked on. Vertices have the linear colour of the bare ground, with the plant
/// cover, 0..1, as alpha.
pub type LandMaterial = ExtendedMaterial<StandardMaterial, LandExtension>;

/// Uniforms of the land shader.
#[derive(Asset, AsBindGroup, TypePath, Clone, Copy, Debug, Default)]
pub struct LandExtension {
    /// Linear colour of its plants, and the strength of its variation over tens of metres, 0..1.
    #[uniform(100)]
    pub plants: Vec4,
}

impl MaterialExtension for LandExtension {
    fn fragment_shader() -> ShaderRef {
        "embedded://bevy_trample/render/land.wgsl".into()
    }
}
