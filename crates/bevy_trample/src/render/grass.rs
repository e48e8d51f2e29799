//! Plants: meshes of blades and leaves, instanced for every clump in view; each finds its stems in a row of one texture.

use super::ground::linear;
use super::upload::{self, Write, Writes};
use crate::grass::{BLADES, Clump, Field, Figure, HALF, MOST};
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
use trample::state::PLANT_CELL;

/// The material of the plants.
pub type GrassMaterial = ExtendedMaterial<StandardMaterial, GrassExtension>;

/// What the plants' shader knows.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug)]
pub struct GrassExtension {
    /// Colours.
    #[uniform(100)]
    pub look: GrassUniform,
    /// Four texels a stem, one row a clump, twice: as it is, and as it was a step before; see [`crate::grass::Blade`]. Two texels of
    /// a last row are what changes with every frame, the eye and the time: a material that changed would be prepared anew for every
    /// clump.
    #[texture(101, sample_type = "float", filterable = false)]
    pub stems: Handle<Image>,
}

/// Colours and forms of the plants.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
pub struct GrassUniform {
    /// Linear colour of each patch's species, and the number of its form.
    pub palette: [Vec4; 16],
    /// Width of its stems, length and half width of its leaves, m; how far they spread, as a share of their length.
    pub figures: [Vec4; 16],
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
    /// Few plants nearby, many plants nearby, far ones, and far ones of coarse looks.
    blades: Vec<Handle<Mesh>>,
    clumps: BTreeMap<Square, (Entity, u32)>,
    seen: Option<[Vec4; 2]>,
}

/// Stems of a clump up to which its stems get more leaves; our choice.
const FEW: usize = 64;
/// Leaves of a stem where there are few, where there are many, and far away; our choice. At most 63.
const LEAVES: [usize; 3] = [16, 6, 3];
/// What tells leaves from joints in a mesh; the shader knows it as well.
const LEAF: usize = 64;

/// The largest level of clumps whose plants have all their leaves; coarser ones, and those of coarse looks, are blades and tufts.
fn leafy_levels(look: &TrampleLook) -> u8 {
    u8::from(look.grass_detail >= 3.0)
}

/// What the card must know of a world's plants.
fn uniform(trample: &Trample) -> GrassUniform {
    let mut uniform = GrassUniform::default();
    for (k, patch) in trample.world().scene().plants.iter().enumerate().take(uniform.palette.len()) {
        let figure = Figure::of(&patch.species);
        uniform.palette[k] = linear(patch.species.colour, figure.form.number());
        uniform.figures[k] =
            Vec4::new(figure.width, figure.leaf_length, figure.leaf_half_width, figure.spread);
    }
    uniform
}

/// From where plants are seen, and when: place of the eye when clumps were chosen (x, z, height above the ground) and how far blades
/// are drawn, m; how far leaves are drawn, m, how far the last step has come, 0..1, whether far blades are tufts,
/// and one that means nothing.
fn seen(field: &Field, look: &TrampleLook, blend: f32) -> [Vec4; 2] {
    let (eye, reach) = field.eye().unwrap_or_default();
    // A clump is split where it is nearer than so many times its side: here begin the first that have no leaves.
    let bare = (2u32 << leafy_levels(look)) as f32 * PLANT_CELL as f32;
    // Where nothing moves there is nothing to send.
    let blend = if field.is_moving() { blend } else { 1.0 };
    [
        Vec4::new(eye.place[0], eye.place[1], eye.above, reach.max(0.01)),
        Vec4::new(look.grass_detail * bare, blend, f32::from(leafy_levels(look)), 0.0),
    ]
}

/// Texels of a row as bytes.
fn bytes<'a>(texels: impl IntoIterator<Item = &'a Vec4>) -> Vec<u8> {
    texels.into_iter().flat_map(Vec4::to_array).flat_map(f32::to_le_bytes).collect()
}

/// So many blades that bend at the given points of their four, two corners at each but the last, which is the tip; and so many
/// leaves on each, of four corners.
fn blades(stems: usize, points: &[usize], leaves: usize) -> Mesh {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for stem in 0..stems {
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
        for leaf in 0..leaves {
            let base = positions.len() as u32;
            let code = (LEAF + 64 * leaves + leaf) as f32;
            // Base, left, right, tip.
            positions.extend([0.0, -1.0, 1.0, 2.0].map(|corner| [stem as f32, code, corner]));
            indices.extend([base, base + 2, base + 3, base, base + 3, base + 1]);
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
    time: Res<Time<Fixed>>,
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
    let rows = look.most_clumps.clamp(1, MOST) as u32;
    if drawn.generation != generation || drawn.rows != look.most_clumps {
        for (entity, _) in std::mem::take(&mut drawn.clumps).into_values() {
            commands.entity(entity).despawn();
        }
        if drawn.rows != look.most_clumps || drawn.material.is_none() {
            let size = [2 * HALF, rows + 1];
            drawn.stems = upload::texture(&mut images, size, TextureFormat::Rgba32Float);
            drawn.seen = None;
        }
        if drawn.blades.is_empty() {
            let near = [0, 1, 2, 3];
            drawn.blades = vec![
                meshes.add(blades(FEW, &near, LEAVES[0])),
                meshes.add(blades(BLADES, &near, LEAVES[1])),
                meshes.add(blades(BLADES, &[0, 2, 3], LEAVES[2])),
                meshes.add(blades(BLADES, &[0, 2, 3], 0)),
            ];
        }
        let extension = GrassExtension { look: uniform(&trample), stems: drawn.stems.clone() };
        let base = StandardMaterial {
            perceptual_roughness: 0.75,
            reflectance: 0.25,
            cull_mode: None,
            double_sided: true,
            ..default()
        };
        drawn.material = Some(materials.add(GrassMaterial { base, extension }));
        (drawn.generation, drawn.rows) = (generation, look.most_clumps);
    }
    let Some(material) = drawn.material.clone() else { return };
    let blend = trample.blend(time.overstep_fraction_f64(), time.timestep().as_secs_f64());
    let seen = seen(field, &look, blend);
    if drawn.seen != Some(seen) {
        let (image, bytes) = (drawn.stems.id(), bytes(&seen));
        writes.waiting.push(Write { image, corner: [0, rows], size: [2, 1], bytes });
        drawn.seen = Some(seen);
    }
    if !changed && field.is_quiet() {
        return;
    }
    for write in field.take_writes() {
        let bytes = bytes(write.blades.iter().flatten());
        let (corner, size) = ([write.half * HALF, write.slot], [HALF, 1]);
        writes.waiting.push(Write { image: drawn.stems.id(), corner, size, bytes });
    }
    let shown: BTreeMap<Square, (Clump, u32)> =
        field.shown().filter_map(|(key, clump)| Some((key, (clump, clump.tag()?)))).collect();
    drawn.clumps.retain(|key, (entity, _)| {
        let keep = shown.contains_key(key);
        if !keep {
            commands.entity(*entity).despawn();
        }
        keep
    });
    let leafy = leafy_levels(&look);
    for (&key, &(clump, tag)) in &shown {
        if let Some((entity, told)) = drawn.clumps.get_mut(&key) {
            if *told != tag {
                commands.entity(*entity).insert(MeshTag(tag));
                *told = tag;
            }
            continue;
        }
        // Plants that bend reach as far beside their roots as above them.
        let [low, high] = clump.span;
        let reach = (high.y - low.y).max(0.1);
        let blades = match (key.level <= leafy, clump.count <= FEW) {
            (true, true) => &drawn.blades[0],
            (true, false) => &drawn.blades[1],
            (false, _) if leafy > 0 => &drawn.blades[2],
            (false, _) => &drawn.blades[3],
        };
        let entity = commands.spawn((
            GrassClump(key),
            Mesh3d(blades.clone()),
            MeshMaterial3d(material.clone()),
            MeshTag(tag),
            Aabb::from_min_max(low - reach, high + reach),
            Transform::from_translation(clump.corner),
        ));
        drawn.clumps.insert(key, (entity.id(), tag));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grass::Form;
    use crate::ground::patch::SIDE;

    #[test]
    fn shaders_and_code_agree_on_how_things_are_laid_out() {
        let (grass, ground) = (include_str!("grass_vertex.wgsl"), include_str!("ground_vertex.wgsl"));
        for line in [format!("const HALF: i32 = {HALF};"), format!("const LEAF: i32 = {LEAF};")] {
            assert!(grass.contains(&line), "{line}");
        }
        let forms =
            [("BLADE", Form::Blade), ("SHOOT", Form::Shoot), ("HERB", Form::Herb), ("FROND", Form::Frond)];
        for (name, form) in forms {
            assert!(grass.contains(&format!("const {name}: u32 = {}u;", form.number())), "{name}");
        }
        assert!(ground.contains(&format!("const SIDE: u32 = {SIDE}u;")));
    }

    #[test]
    fn a_mesh_has_every_blade_and_leaf_once() {
        let mesh = blades(FEW, &[0, 1, 2, 3], LEAVES[0]);
        assert_eq!(mesh.count_vertices(), FEW * (7 + 4 * LEAVES[0]));
        assert_eq!(mesh.indices().map(Indices::len), Some(3 * FEW * (5 + 2 * LEAVES[0])));
        assert!(LEAVES.iter().all(|n| *n < 64), "a leaf's number must fit beside their count");
    }
}
