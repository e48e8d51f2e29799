//! Plants: one mesh of 256 blades, instanced for every clump in view; each finds its stems in a row of one texture.

use super::ground::linear;
use super::upload::{self, Write, Writes};
use crate::grass::BLADES;
use crate::lod::Square;
use crate::view::{TrampleLook, TrampleView};
use crate::world::Trample;
use bevy::asset::RenderAssetUsages;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::NoAutoAabb;
use bevy::mesh::{Indices, MeshTag, PrimitiveTopology};
use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, ShaderType, TextureFormat};
use bevy::shader::ShaderRef;
use std::collections::BTreeMap;

/// The material of the plants.
pub type GrassMaterial = ExtendedMaterial<StandardMaterial, GrassExtension>;

/// What the plants' shader knows.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug)]
pub struct GrassExtension {
    /// Colours.
    #[uniform(100)]
    pub look: GrassUniform,
    /// Four texels a stem, one row a clump; see [`crate::grass::Blade`].
    #[texture(101, sample_type = "float", filterable = false)]
    pub stems: Handle<Image>,
}

/// Colours of the plants.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
pub struct GrassUniform {
    /// Linear colour of each patch's species.
    pub palette: [Vec4; 16],
}

impl MaterialExtension for GrassExtension {
    fn vertex_shader() -> ShaderRef {
        "embedded://bevy_trample/render/grass.wgsl".into()
    }
    fn fragment_shader() -> ShaderRef {
        "embedded://bevy_trample/render/grass.wgsl".into()
    }
    fn prepass_vertex_shader() -> ShaderRef {
        "embedded://bevy_trample/render/grass_prepass.wgsl".into()
    }
    fn deferred_vertex_shader() -> ShaderRef {
        "embedded://bevy_trample/render/grass_prepass.wgsl".into()
    }
}

/// A clump of plants; spawned and despawned by the plugin.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[require(NoAutoAabb)]
pub struct GrassClump(pub Square);

/// What is drawn.
#[derive(Resource, Default)]
pub(crate) struct Drawn {
    generation: u64,
    rows: usize,
    material: Option<Handle<GrassMaterial>>,
    stems: Handle<Image>,
    /// Blades of four joints, for near and for far.
    blades: Vec<Handle<Mesh>>,
    clumps: BTreeMap<Square, (Entity, u32)>,
}

/// Blades that bend at the given points of their four: two corners at each but the last, which is the tip.
fn blades(points: &[usize]) -> Mesh {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for stem in 0..BLADES {
        let first = positions.len() as u32;
        let (tip, below) = points.split_last().unwrap_or((&3, &[]));
        for &point in below {
            positions.extend([-1.0, 1.0].map(|side| [stem as f32, point as f32, side]));
        }
        positions.push([stem as f32, *tip as f32, 0.0]);
        let rows = below.len() as u32;
        for row in 0..rows {
            let (a, b) = (first + 2 * row, first + 2 * row + 1);
            let next = a + 2;
            indices.extend([a, b, next]);
            if row + 1 < rows {
                indices.extend([b, next + 1, next]);
            }
        }
    }
    let count = positions.len();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 1.0, 0.0]; count])
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, vec![[1.0; 4]; count])
        .with_inserted_indices(Indices::U32(indices))
}

/// Sends what changed and keeps one entity for every clump in view.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
pub(crate) fn draw(
    mut commands: Commands,
    trample: Res<Trample>,
    look: Res<TrampleLook>,
    mut view: ResMut<TrampleView>,
    mut drawn: ResMut<Drawn>,
    mut writes: ResMut<Writes>,
    mut images: ResMut<Assets<Image>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<GrassMaterial>>,
) {
    let (generation, changed) = (view.generation, view.clumps_changed);
    let Some(field) = &mut view.field else { return };
    let drawn = &mut *drawn;
    if drawn.generation != generation || drawn.rows != look.most_clumps {
        for (entity, _) in std::mem::take(&mut drawn.clumps).into_values() {
            commands.entity(entity).despawn();
        }
        if drawn.rows != look.most_clumps || drawn.material.is_none() {
            let size = [4 * BLADES as u32, look.most_clumps.clamp(1, 2048) as u32];
            drawn.stems = upload::texture(&mut images, size, TextureFormat::Rgba32Float);
        }
        if drawn.blades.is_empty() {
            drawn.blades = vec![meshes.add(blades(&[0, 1, 2, 3])), meshes.add(blades(&[0, 2, 3]))];
        }
        let mut palette = GrassUniform::default();
        for (slot, patch) in palette.palette.iter_mut().zip(&trample.world().scene().plants) {
            *slot = linear(patch.species.colour, 1.0);
        }
        let extension = GrassExtension { look: palette, stems: drawn.stems.clone() };
        let base = StandardMaterial {
            perceptual_roughness: 0.75,
            reflectance: 0.25,
            cull_mode: None,
            double_sided: true,
            ..default()
        };
        drawn.material = Some(materials.add(GrassMaterial { base, extension }));
        (drawn.generation, drawn.rows) = (generation, look.most_clumps);
    } else if !changed && field.is_quiet() {
        return;
    }
    let Some(material) = drawn.material.clone() else { return };
    for write in field.take_writes() {
        let numbers = write.blades.iter().flatten().flat_map(Vec4::to_array);
        let bytes = numbers.flat_map(f32::to_le_bytes).collect();
        let (corner, size) = ([0, write.slot], [4 * BLADES as u32, 1]);
        writes.waiting.push(Write { image: drawn.stems.id(), corner, size, bytes });
    }
    let shown: BTreeMap<Square, (u32, Vec3, [Vec3; 2])> =
        field.shown().map(|(key, slot, corner, span)| (key, (slot, corner, span))).collect();
    drawn.clumps.retain(|key, (entity, slot)| {
        let keep = shown.get(key).is_some_and(|(now, ..)| now == slot);
        if !keep {
            commands.entity(*entity).despawn();
        }
        keep
    });
    for (&key, &(slot, corner, [low, high])) in &shown {
        if drawn.clumps.contains_key(&key) {
            continue;
        }
        // Plants that bend reach as far beside their roots as above them.
        let reach = (high.y - low.y).max(0.1);
        let blades = &drawn.blades[usize::from(key.level > 0)];
        let entity = commands.spawn((
            GrassClump(key),
            Mesh3d(blades.clone()),
            MeshMaterial3d(material.clone()),
            MeshTag(slot),
            Aabb::from_min_max(low - reach, high + reach),
            Transform::from_translation(corner),
        ));
        drawn.clumps.insert(key, (entity.id(), slot));
    }
}
