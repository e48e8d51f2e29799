//! The ground: one mesh of a few sizes, instanced for every patch in view.

use super::upload::{self, Write, Writes};
use crate::ground::Overlay;
use crate::ground::patch::{self, PATCH};
use crate::lod::{Eye, Square};
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
use std::collections::BTreeMap;
use trample::scene::{MOST_MATERIALS, MOST_PATCHES};
use trample::{Ramp, Span};
use trample_looks::{Colours, Figure, colour};

/// The material of the ground.
pub type GroundMaterial = ExtendedMaterial<StandardMaterial, GroundExtension>;

/// Uniforms of the ground shader.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug)]
pub struct GroundExtension {
    /// Colours and sizes.
    #[uniform(100)]
    pub uniform: GroundUniform,
    /// Heights of all patches, m.
    #[texture(101, sample_type = "float", filterable = false)]
    pub heights: Handle<Image>,
    /// Colour data of all patches; see [`crate::ground::Texel`].
    #[texture(102, sample_type = "u_int")]
    pub data: Handle<Image>,
}

/// Colours and sizes.
#[derive(ShaderType, Clone, Copy, Debug, PartialEq)]
pub struct GroundUniform {
    /// Linear colour of each material, and its roughness.
    pub palette: [Vec4; MOST_MATERIALS],
    /// How wet each material looks, 0..1, four to a vector.
    pub wet: [Vec4; MOST_MATERIALS / 4],
    /// Linear colours of an overlay, from its lowest value to its highest.
    pub ramp: [Vec4; 8],
    /// Linear colour of what grows in each patch, and how much of it there is compared with the others.
    pub plants: [Vec4; MOST_PATCHES],
    /// Where each patch is: smallest x and z, largest x and z, m.
    pub fields: [Vec4; MOST_PATCHES],
    /// Largest x and z that is drawn, m; side of a cell, m; patches in a row of the atlas.
    pub size: Vec4,
    /// Strength of the overlay; distance beyond which plants are only a colour, m; whether the overlay's lowest value is shown too;
    /// how many patches of plants there are.
    pub overlay: Vec4,
    /// Where the terrain lies in the world, m.
    pub origin: Vec4,
}

impl Default for GroundUniform {
    fn default() -> Self {
        let (patches, zero) = ([Vec4::ZERO; MOST_PATCHES], Vec4::ZERO);
        let (palette, wet, ramp) = Default::default();
        Self { palette, wet, ramp, plants: patches, fields: patches, size: zero, overlay: zero, origin: zero }
    }
}

super::displaced_by!(
    GroundExtension,
    "ground",
    /// A patch of the ground; spawned and despawned by the plugin.
    GroundPatch
);

/// Distances up to which a patch is drawn with the first and the second grid, and up to which it throws shadows, as parts of its side;
/// our choice. Slopes come from the texture in every case: a coarse grid only loses outlines.
const NEAR: [f32; 2] = [1.2, 4.0];
const DARK: f32 = 3.5;

/// A patch on the screen: which slot it shows, with which grid, and whether it throws shadows.
struct Shown {
    entity: Entity,
    slot: u32,
    manner: (usize, bool),
}

/// How a patch is drawn from where the eye is.
fn manner(key: Square, eye: Option<Eye>, unit: f32) -> (usize, bool) {
    let away = eye.map_or(0.0, |eye| eye.distance(key, unit)) / key.side(unit);
    let grid = NEAR.iter().position(|near| away < *near).unwrap_or(NEAR.len());
    // Far prints are smaller than a texel of a shadow map.
    (grid.max(usize::from(key.level.min(1))), key.level == 0 && away < DARK)
}

/// What is drawn of a terrain.
#[derive(Default)]
pub(crate) struct Drawn {
    generation: u64,
    material: Option<Handle<GroundMaterial>>,
    heights: Handle<Image>,
    data: Handle<Image>,
    /// Grids of 64, 32 and 16 squares.
    grids: Vec<Handle<Mesh>>,
    patches: BTreeMap<Square, Shown>,
    eye: Option<Eye>,
    uniform: GroundUniform,
}

/// Linear light of an sRGB colour, and one number more.
pub(crate) fn linear(rgb: [u8; 3], last: f32) -> Vec4 {
    Vec3::from_array(colour::linear(rgb)).extend(last)
}

fn uniform(trample: &Trample, look: &TrampleLook, columns: usize, origin: Vec3) -> GroundUniform {
    let (world, mut uniform) = (trample.world(), GroundUniform::default());
    let ground = world.ground();
    for (k, material) in ground.materials.iter().enumerate() {
        // Bright ground, snow and sand, glints a little.
        let [r, g, b] = material.colour;
        let bright = (f32::from(r) + f32::from(g) + f32::from(b)) / 765.0;
        uniform.palette[k] = linear(material.colour, 0.95 - 0.3 * bright);
        uniform.wet[k / 4][k % 4] = material.moisture as f32;
    }
    let ramp = look.overlay.map_or(Ramp::Sequential, |o| o.map.row().ramp);
    uniform.ramp = std::array::from_fn(|i| linear(ramp.at(i as f32 / 7.0), 1.0));
    let patches = &world.scene().plants;
    for (k, patch) in patches.iter().enumerate() {
        let (species, area) = (&patch.species, Figure::of(&patch.species).area(&patch.species));
        uniform.plants[k] = linear(species.colour, (patch.density as f32 * area).max(1e-4));
        let [low, high] = [patch.min, patch.max].map(|p| p.map(|x| x as f32));
        uniform.fields[k] = Vec4::new(low[0], low[1], high[0], high[1]);
    }
    let edge = ground.size.map(|n| ground.centre(n - 1) as f32);
    uniform.size = Vec4::new(edge[0], edge[1], ground.cell as f32, columns as f32);
    let strength = look.overlay.map_or(0.0, |o| o.strength.clamp(0.0, 1.0));
    let blades = if look.most_clumps > 0 { look.grass_reach } else { 0.0 };
    let everywhere = |o: Overlay| !matches!(o.map.row().span, Span::FromZero(_));
    let whole = f32::from(u8::from(look.overlay.is_some_and(everywhere)));
    uniform.overlay = Vec4::new(strength, blades, whole, patches.len() as f32);
    uniform.origin = origin.extend(0.0);
    uniform
}

/// A grid of `n` × `n` squares over a patch, with a skirt that hides the cracks to coarser neighbours.
fn grid(n: usize) -> Mesh {
    let step = PATCH as f32 / n as f32;
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for j in 0..=n {
        positions.extend((0..=n).map(|i| [i as f32 * step, 0.0, j as f32 * step]));
    }
    let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    for j in 0..n {
        for i in 0..n {
            // Seen from above, anticlockwise.
            indices.extend([at(i, j), at(i, j + 1), at(i + 1, j)]);
            indices.extend([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    // Around the edge, so that outside is to the right of the way.
    let edge: Vec<u32> = (0..n)
        .map(|i| at(i, 0))
        .chain((0..n).map(|j| at(n, j)))
        .chain((0..n).map(|i| at(n - i, n)))
        .chain((0..n).map(|j| at(0, n - j)))
        .collect();
    let first = positions.len() as u32;
    for &corner in &edge {
        let [x, _, z] = positions[corner as usize];
        positions.push([x, 1.0, z]);
    }
    for (k, &corner) in edge.iter().enumerate() {
        let next = (k + 1) % edge.len();
        let (low, low_next) = (first + k as u32, first + next as u32);
        indices.extend([corner, edge[next], low_next, corner, low_next, low]);
    }
    let normals = vec![[0.0, 1.0, 0.0]; positions.len()];
    let uvs = vec![[0.0, 0.0]; positions.len()];
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U32(indices))
}

/// Where meshes, textures and materials are kept.
#[derive(SystemParam)]
pub(crate) struct Stores<'w> {
    writes: ResMut<'w, Writes>,
    images: ResMut<'w, Assets<Image>>,
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<GroundMaterial>>,
}

/// Draws every terrain.
pub(crate) fn draw(
    mut commands: Commands,
    terrains: Terrains,
    look: Res<TrampleLook>,
    mut views: ResMut<PerTerrain<TrampleView>>,
    mut drawn: ResMut<PerTerrain<Drawn>>,
    mut stores: Stores,
    mut spent: ResMut<Spent>,
) {
    let _lap = Lap::of(&mut spent.ground);
    for gone in drawn.left(&terrains) {
        gone.patches.into_values().for_each(|shown| commands.entity(shown.entity).try_despawn());
    }
    for terrain in terrains.iter() {
        let (view, drawn) = (views.of(terrain.0), drawn.of(terrain.0));
        drawn.draw(&mut commands, terrain, &look, view, &mut stores);
    }
}

impl Drawn {
    /// Sends what changed of a terrain and keeps one entity for every patch in view.
    fn draw(
        &mut self,
        commands: &mut Commands,
        (terrain, trample, origin): (Option<Entity>, &Trample, Vec3),
        look: &TrampleLook,
        view: &mut TrampleView,
        Stores { writes, images, meshes, materials }: &mut Stores,
    ) {
        let drawn = self;
        let generation = view.generation;
        let changed = view.patches_changed;
        let Some(atlas) = &mut view.atlas else { return };
        let uniform = uniform(trample, look, atlas.shape().columns, origin);
        let material = match &drawn.material {
            Some(material) => material.clone(),
            None => {
                let size = atlas.shape().texels();
                drawn.heights = upload::texture(images, size, TextureFormat::R32Float);
                drawn.data = upload::texture(images, size, TextureFormat::Rgba8Uint);
                drawn.grids = [64, 32, 16].map(|n| meshes.add(grid(n))).to_vec();
                let extension =
                    GroundExtension { uniform, heights: drawn.heights.clone(), data: drawn.data.clone() };
                let base = StandardMaterial { perceptual_roughness: 0.9, reflectance: 0.3, ..default() };
                drawn.uniform = uniform;
                drawn.material.insert(materials.add(GroundMaterial { base, extension })).clone()
            }
        };
        if uniform != drawn.uniform
            && let Some(mut material) = materials.get_mut(&material)
        {
            material.extension.uniform = uniform;
            drawn.uniform = uniform;
        }
        for write in atlas.take_writes() {
            let heights = write.texels.iter().flat_map(|t| t.height.to_le_bytes()).collect();
            let data = write.texels.iter().flat_map(|t| t.data).collect();
            let (corner, size) = (write.corner, write.size);
            writes.waiting.push(Write { image: drawn.heights.id(), corner, size, bytes: heights });
            writes.waiting.push(Write { image: drawn.data.id(), corner, size, bytes: data });
        }
        if drawn.generation != generation {
            drawn.generation = generation;
            for shown in std::mem::take(&mut drawn.patches).into_values() {
                commands.entity(shown.entity).despawn();
            }
        } else if !changed && drawn.eye == atlas.eye() {
            return;
        }
        drawn.eye = atlas.eye();
        let world = trample.world();
        let shown: BTreeMap<Square, u32> = atlas.visible().collect();
        let unit = patch::unit(world.ground());
        drawn.patches.retain(|key, old| {
            let keep = shown.get(key) == Some(&old.slot);
            let mut entity = commands.entity(old.entity);
            if !keep {
                entity.despawn();
                return false;
            }
            let manner = manner(*key, drawn.eye, unit);
            if manner.0 != old.manner.0 {
                entity.insert(Mesh3d(drawn.grids[manner.0].clone()));
            }
            match (old.manner.1, manner.1) {
                (true, false) => _ = entity.insert(NotShadowCaster),
                (false, true) => _ = entity.remove::<NotShadowCaster>(),
                _ => {}
            }
            old.manner = manner;
            true
        });
        let cell = world.ground().cell as f32;
        for (&key, &slot) in &shown {
            if drawn.patches.contains_key(&key) {
                continue;
            }
            let spacing = patch::stride(key) as f32 * cell;
            let corner = patch::first(key).map(|i| world.ground().centre(i) as f32);
            // The card moves the points; what is culled must be told how far. Feet go half a metre deep at most.
            let mut span = [f32::MAX, f32::MIN];
            for k in 0..81 {
                let at = |k: i32| f64::from((k as f32 / 8.0) * PATCH as f32 * spacing);
                let (x, z) = (f64::from(corner[0]) + at(k % 9), f64::from(corner[1]) + at(k / 9));
                let height = world.height(x, z) as f32;
                span = [span[0].min(height), span[1].max(height)];
            }
            let slack = 0.5 + 0.2 * PATCH as f32 * spacing / 8.0;
            let side = PATCH as f32;
            let low = Vec3::new(0.0, span[0] - slack - 4.0 * spacing, 0.0);
            let high = Vec3::new(side, span[1] + slack, side);
            let manner = manner(key, drawn.eye, unit);
            let mut entity = commands.spawn((
                GroundPatch(key),
                Mesh3d(drawn.grids[manner.0].clone()),
                MeshMaterial3d(material.clone()),
                MeshTag(slot | u32::from(key.level) << 16),
                Aabb::from_min_max(low, high),
                Transform {
                    translation: Vec3::new(corner[0], 0.0, corner[1]),
                    scale: Vec3::new(spacing, 1.0, spacing),
                    ..default()
                },
            ));
            if !manner.1 {
                entity.insert(NotShadowCaster);
            }
            if let Some(terrain) = terrain {
                entity.insert(ChildOf(terrain));
            }
            let entity = entity.id();
            drawn.patches.insert(key, Shown { entity, slot, manner });
        }
    }
}
