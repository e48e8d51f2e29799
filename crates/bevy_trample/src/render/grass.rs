//! Plants: meshes of blades and leaves, instanced for every clump in view; each finds its stems in a row of one texture.

use super::ground::linear;
use super::upload::{self, Write, Writes};
use crate::grass::detail::{DETAILS, Detail, Reaches, share_out};
use crate::grass::{Clump, Field, HALF, MOST, size_for};
use crate::lod::Square;
use crate::spent::{Lap, Spent};
use crate::terrains::{PerTerrain, Terrains};
use crate::view::{TrampleLook, TrampleView};
use crate::world::Trample;
use bevy::asset::RenderAssetUsages;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::NoAutoAabb;
use bevy::ecs::system::SystemParam;
use bevy::light::NotShadowCaster;
use bevy::mesh::{Indices, MeshTag, PrimitiveTopology};
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, ShaderType, TextureFormat};
use std::collections::{BTreeMap, BTreeSet};
use trample::PLANT_CELL;
use trample::scene::MOST_PATCHES;
use trample_looks::Figure;
use trample_looks::colour::{BROKEN, WORN};

/// The material of the plants.
pub type GrassMaterial = ExtendedMaterial<StandardMaterial, GrassExtension>;

/// Uniforms of the plant shader.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug)]
pub struct GrassExtension {
    /// Colours.
    #[uniform(100)]
    pub uniform: GrassUniform,
    /// Four texels a stem, one row a clump, twice: as it is, and as it was a step before; see [`crate::grass::Blade`]. Three texels of
    /// a last row are what changes with every frame, the eye and the time: a material that changed would be prepared anew for every
    /// clump.
    #[texture(101, sample_type = "float", filterable = false)]
    pub stems: Handle<Image>,
}

super::displaced_by!(
    GrassExtension,
    "grass",
    /// A clump of plants; spawned and despawned by the plugin.
    GrassClump
);

/// Colours and forms of the plants.
#[derive(ShaderType, Clone, Copy, Debug, PartialEq)]
pub struct GrassUniform {
    /// Linear colour of each patch's species, and the number of its form.
    pub palette: [Vec4; MOST_PATCHES],
    /// Width of its stems, length and half width of its leaves, m; how far they spread, as a share of their length.
    pub figures: [Vec4; MOST_PATCHES],
    /// Linear colour of what is worn; the same for every species.
    pub worn: Vec4,
    /// Linear colour of what is broken.
    pub broken: Vec4,
}

/// How a clump is drawn: with which of [`DETAILS`], how many stems its mesh has, and whether it throws a shadow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Manner {
    detail: usize,
    stems: usize,
    shadow: bool,
}

/// A clump on the screen.
struct Shown {
    entity: Entity,
    tag: u32,
    manner: Manner,
}

/// What is drawn of a terrain's plants.
#[derive(Default)]
pub(crate) struct Drawn {
    generation: u64,
    rows: usize,
    material: Option<Handle<GrassMaterial>>,
    stems: Handle<Image>,
    /// Meshes by detail and number of stems, made when they are first asked for.
    blades: BTreeMap<(usize, usize), Handle<Mesh>>,
    clumps: BTreeMap<Square, Shown>,
    reaches: Reaches,
    seen: Option<[Vec4; 3]>,
}

/// What tells leaves from joints in a mesh; the shader knows it as well.
const LEAF: usize = 64;

/// What the card must know of a world's plants.
fn uniform(trample: &Trample) -> GrassUniform {
    let mut uniform = GrassUniform {
        palette: [Vec4::ZERO; MOST_PATCHES],
        figures: [Vec4::ZERO; MOST_PATCHES],
        worn: linear(WORN, 1.0),
        broken: linear(BROKEN, 1.0),
    };
    for (k, patch) in trample.world().scene().plants.iter().enumerate() {
        let figure = Figure::of(&patch.species);
        uniform.palette[k] = linear(patch.species.colour, figure.form.number());
        uniform.figures[k] =
            Vec4::new(figure.width, figure.leaf_length, figure.leaf_half_width, figure.spread);
    }
    uniform
}

/// From where plants are seen, and when: place of the eye when clumps were chosen (x, z, height above the ground) and how far blades
/// are drawn, m; how far the first three details reach, m, and how far the last step has come, 0..1; the wind along x and z,
/// as a share of a plant's height, what time it is, s, and one that means nothing.
fn seen(
    field: &Field,
    look: &TrampleLook,
    origin: Vec3,
    reaches: Reaches,
    [blend, now]: [f32; 2],
) -> [Vec4; 3] {
    let (eye, reach) = field.eye().unwrap_or_default();
    // Where nothing moves there is nothing to send.
    let blend = if field.is_moving() { blend } else { 1.0 };
    [
        Vec4::new(eye.place[0] + origin.x, eye.place[1] + origin.z, eye.above, reach.max(0.01)),
        Vec3::from_array(reaches.0).extend(blend),
        if look.wind > 0.0 { Vec4::new(0.9 * look.wind, 0.44 * look.wind, now, 0.0) } else { Vec4::ZERO },
    ]
}

/// Texels of a row as bytes.
fn bytes<'a>(texels: impl IntoIterator<Item = &'a Vec4>) -> Vec<u8> {
    texels.into_iter().flat_map(Vec4::to_array).flat_map(f32::to_le_bytes).collect()
}

/// So many blades that bend at the given points of their four, two corners at each but the last, which is the tip; and so many
/// leaves on each, of four corners.
fn blades(stems: usize, Detail { points, leaves, .. }: Detail) -> Mesh {
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

/// Where meshes, textures and materials are kept.
#[derive(SystemParam)]
pub(crate) struct Stores<'w> {
    writes: ResMut<'w, Writes>,
    images: ResMut<'w, Assets<Image>>,
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<GrassMaterial>>,
}

/// Draws the plants of every terrain.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
pub(crate) fn draw(
    mut commands: Commands,
    terrains: Terrains,
    look: Res<TrampleLook>,
    time: Res<Time<Fixed>>,
    clock: Res<Time>,
    mut views: ResMut<PerTerrain<TrampleView>>,
    mut drawn: ResMut<PerTerrain<Drawn>>,
    mut stores: Stores,
    mut spent: ResMut<Spent>,
) {
    let _lap = Lap::of(&mut spent.grass);
    for gone in drawn.left(&terrains) {
        gone.clumps.into_values().for_each(|shown| commands.entity(shown.entity).try_despawn());
    }
    for terrain in terrains.iter() {
        let blend = terrain.1.blend(time.overstep_fraction_f64(), time.timestep().as_secs_f64());
        let (view, drawn) = (views.of(terrain.0), drawn.of(terrain.0));
        drawn.draw(&mut commands, terrain, &look, [blend, clock.elapsed_secs_wrapped()], view, &mut stores);
    }
}

impl Drawn {
    /// Sends what changed of a terrain and keeps one entity for every clump in view; `moment` is how far the last step has come, 0..1,
    /// and what time it is, s.
    fn draw(
        &mut self,
        commands: &mut Commands,
        (terrain, trample, origin): (Option<Entity>, &Trample, Vec3),
        look: &TrampleLook,
        moment: [f32; 2],
        view: &mut TrampleView,
        Stores { writes, images, meshes, materials }: &mut Stores,
    ) {
        let drawn = self;
        let (generation, changed) = (view.generation, view.clumps_changed);
        let Some(field) = &mut view.field else { return };
        let rows = look.most_clumps.clamp(1, MOST) as u32;
        if drawn.generation != generation || drawn.rows != look.most_clumps {
            for shown in std::mem::take(&mut drawn.clumps).into_values() {
                commands.entity(shown.entity).despawn();
            }
            if drawn.rows != look.most_clumps || drawn.material.is_none() {
                let size = [2 * HALF, rows + 1];
                drawn.stems = upload::texture(images, size, TextureFormat::Rgba32Float);
                drawn.seen = None;
            }
            let extension = GrassExtension { uniform: uniform(trample), stems: drawn.stems.clone() };
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
        for write in field.take_writes() {
            let (corner, size) = ([write.half * HALF, write.slot], [4 * write.blades.len() as u32, 1]);
            let bytes = bytes(write.blades.iter().flatten());
            writes.waiting.push(Write { image: drawn.stems.id(), corner, size, bytes });
        }
        if changed {
            let visible: Vec<(Square, Clump)> = field.visible().collect();
            let sizes: Vec<(Square, usize)> =
                visible.iter().map(|(key, clump)| (*key, clump.count)).collect();
            let (eye, reach) = field.eye().unwrap_or_default();
            let vertices = [look.grass_vertices, look.shadow_vertices];
            let (manners, reaches) = share_out(&sizes, &eye, PLANT_CELL as f32, reach, vertices);
            drawn.reaches = reaches;
            show(commands, drawn, terrain, &visible, &manners, &material, meshes);
        }
        let seen = seen(field, look, origin, drawn.reaches, moment);
        if drawn.seen != Some(seen) {
            let (image, bytes) = (drawn.stems.id(), bytes(&seen));
            writes.waiting.push(Write { image, corner: [0, rows], size: [seen.len() as u32, 1], bytes });
            drawn.seen = Some(seen);
        }
    }
}

/// Keeps one entity for every clump in view, drawn in the manner that is its share.
fn show(
    commands: &mut Commands,
    drawn: &mut Drawn,
    terrain: Option<Entity>,
    visible: &[(Square, Clump)],
    manners: &[(usize, bool)],
    material: &Handle<GrassMaterial>,
    meshes: &mut Assets<Mesh>,
) {
    let keys: BTreeSet<Square> = visible.iter().map(|(key, _)| *key).collect();
    drawn.clumps.retain(|key, shown| {
        let keep = keys.contains(key);
        if !keep {
            commands.entity(shown.entity).despawn();
        }
        keep
    });
    for (&(key, clump), &(detail, shadow)) in visible.iter().zip(manners) {
        let Some(tag) = clump.tag() else { continue };
        let manner = Manner { detail, stems: size_for(clump.count), shadow };
        let mut mesh = || {
            let made = drawn.blades.entry((detail, manner.stems));
            Mesh3d(made.or_insert_with(|| meshes.add(blades(manner.stems, DETAILS[detail]))).clone())
        };
        if let Some(shown) = drawn.clumps.get_mut(&key) {
            if shown.tag == tag && shown.manner == manner {
                continue;
            }
            let mut entity = commands.entity(shown.entity);
            if shown.tag != tag {
                entity.insert(MeshTag(tag));
            }
            if (shown.manner.detail, shown.manner.stems) != (detail, manner.stems) {
                entity.insert(mesh());
            }
            match (shown.manner.shadow, shadow) {
                (true, false) => _ = entity.insert(NotShadowCaster),
                (false, true) => _ = entity.remove::<NotShadowCaster>(),
                _ => {}
            }
            (shown.tag, shown.manner) = (tag, manner);
            continue;
        }
        // Plants that bend reach as far beside their roots as above them.
        let [low, high] = clump.span;
        let reach = (high.y - low.y).max(0.1);
        let mut entity = commands.spawn((
            GrassClump(key),
            mesh(),
            MeshMaterial3d(material.clone()),
            MeshTag(tag),
            Aabb::from_min_max(low - reach, high + reach),
            Transform::from_translation(clump.corner),
        ));
        if !shadow {
            entity.insert(NotShadowCaster);
        }
        if let Some(terrain) = terrain {
            entity.insert(ChildOf(terrain));
        }
        let entity = entity.id();
        drawn.clumps.insert(key, Shown { entity, tag, manner });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::patch::SIDE;
    use trample::scene::MOST_MATERIALS;
    use trample_looks::Form;

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
        for (shader, array) in
            [(grass, "palette"), (grass, "figures"), (ground, "plants"), (ground, "fields")]
        {
            assert!(shader.contains(&format!("{array}: array<vec4<f32>, {MOST_PATCHES}>")), "{array}");
        }
        assert!(grass.contains(&format!("u32(rest.y + 0.5) & {}u;", MOST_PATCHES - 1)), "a patch's number");
        assert!(ground.contains(&format!("palette: array<vec4<f32>, {MOST_MATERIALS}>")));
    }

    #[test]
    fn a_mesh_has_every_blade_and_leaf_once() {
        for detail in DETAILS {
            let mesh = blades(48, detail);
            assert_eq!(mesh.count_vertices(), 48 * detail.vertices(), "{detail:?}");
            let triangles = 2 * detail.points.len() - 3 + 2 * detail.leaves;
            assert_eq!(mesh.indices().map(Indices::len), Some(3 * 48 * triangles));
            assert!(detail.leaves < 64, "a leaf's number must fit beside their count");
        }
    }
}
