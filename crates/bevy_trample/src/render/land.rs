//! Land around a terrain that is only looked at: a game's own mesh in the grain and colours of the ground, so that no border shows.

use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use bevy::render::render_resource::AsBindGroup;
use bevy::shader::ShaderRef;

/// A material for land outside the terrain, which cannot be walked on. Vertices carry the linear colour of the bare ground, and as alpha how well plants
/// cover it, 0..1.
pub type LandMaterial = ExtendedMaterial<StandardMaterial, LandExtension>;

/// What the land's shader knows.
#[derive(Asset, AsBindGroup, TypePath, Clone, Copy, Debug, Default)]
pub struct LandExtension {
    /// Linear colour of its plants, and how strongly it varies over tens of metres, 0..1.
    #[uniform(100)]
    pub plants: Vec4,
}

impl MaterialExtension for LandExtension {
    fn fragment_shader() -> ShaderRef {
        "embedded://bevy_trample/render/land.wgsl".into()
    }
}
