//! Bodies: a skinned mesh on the joints of every walker, and a slab for every sole without a walker.

use crate::body::{Joints, SoleBody, WalkerBody};
use crate::spent::{Lap, Spent};
use crate::terrains::{PerTerrain, Terrains};
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::mesh::{Indices, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use trample::Footwear;
use trample::scene::{Script, SoleShape};
use trample_looks::{Skin, colour};

/// Bodies that the plugin has spawned on a terrain, and for which world.
#[derive(Default)]
pub(crate) struct Drawn {
    generation: u64,
    bodies: Vec<Entity>,
}

/// A body that wants its mesh.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(crate) struct Naked;

/// The mesh of a walker of a world, with joints and colours; none for a puppet.
fn walker_mesh(world: &trample::World, puppet: usize) -> Option<(Mesh, SkinnedMeshInverseBindposes)> {
    let skin = Skin::of(world, puppet)?;
    let (mut positions, mut normals, mut colours) = (Vec::new(), Vec::new(), Vec::new());
    let (mut joints, mut weights, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for group in &skin.groups {
        let [r, g, b] = colour::linear(group.colour);
        let colour = [r, g, b, 1.0];
        // A point on the border of two colours is needed in both.
        let mut known = vec![u32::MAX; skin.points.len()];
        for &corner in skin.triangles[group.first..group.first + group.count].iter().flatten() {
            let point = corner as usize;
            if known[point] == u32::MAX {
                known[point] = positions.len() as u32;
                positions.push(skin.points[point].to_array());
                normals.push(skin.normals[point].to_array());
                colours.push(colour);
                joints.push(skin.joints[point].map(u16::from));
                weights.push(skin.weights[point]);
            }
            indices.push(known[point]);
        }
    }
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colours)
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, VertexAttributeValues::Uint16x4(joints))
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights)
        .with_inserted_indices(Indices::U32(indices));
    Some((mesh, SkinnedMeshInverseBindposes::from(skin.inverse_bind().to_vec())))
}

/// The mesh of a sole: its underside as it presses, with a flat top 3 cm above its lowest plane; a sphere is one.
fn sole_mesh(shape: &SoleShape, foot_length: f64, foot_width: f64, left: bool) -> Mesh {
    if let SoleShape::Footwear(Footwear::Sphere) = shape {
        let radius = 0.5 * foot_length as f32;
        return Sphere::new(radius).mesh().uv(32, 18).translated_by(Vec3::Y * radius);
    }
    let sole = match shape {
        SoleShape::Footwear(wear) => wear.sole(foot_length, foot_width),
        SoleShape::Custom(sole) => sole.clone(),
    };
    let texel = trample::Sole::TEXEL as f32;
    let (nu, nv) = (sole.nu, sole.nv);
    let there = |i: i64, j: i64| {
        let inside = i >= 0 && j >= 0 && i < nu as i64 && j < nv as i64;
        inside && sole.coverage[i as usize * nv + j as usize] > 0.5
    };
    let depth = |i: usize, j: usize| sole.depth[i * nv + j];
    let deepest = sole.depth.iter().copied().fold(0.0, f32::max);
    let top = deepest + 0.03;
    let side = if left { -1.0 } else { 1.0 };
    let place = |i: usize, j: usize, y: f32| {
        let at = |k: usize, n: usize| (k as f32 - 0.5 * n as f32) * texel;
        [at(i, nu), y, side * at(j, nv)]
    };
    let mut triangles: Vec<[[f32; 3]; 3]> = Vec::new();
    let mut quad = |a: [f32; 3], b: [f32; 3], c: [f32; 3], d: [f32; 3]| {
        if left {
            triangles.extend([[a, c, b], [a, d, c]]);
        } else {
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    };
    for i in 0..nu {
        for j in 0..nv {
            let (si, sj) = (i as i64, j as i64);
            if !there(si, sj) {
                continue;
            }
            let low = depth(i, j);
            quad(place(i, j, top), place(i, j + 1, top), place(i + 1, j + 1, top), place(i + 1, j, top));
            quad(place(i, j, low), place(i + 1, j, low), place(i + 1, j + 1, low), place(i, j + 1, low));
            if !there(si - 1, sj) {
                quad(place(i, j, low), place(i, j + 1, low), place(i, j + 1, top), place(i, j, top));
            }
            if !there(si + 1, sj) {
                let k = i + 1;
                quad(place(k, j, low), place(k, j, top), place(k, j + 1, top), place(k, j + 1, low));
            }
            if !there(si, sj - 1) {
                quad(place(i, j, low), place(i, j, top), place(i + 1, j, top), place(i + 1, j, low));
            }
            if !there(si, sj + 1) {
                let k = j + 1;
                quad(place(i, k, low), place(i + 1, k, low), place(i + 1, k, top), place(i, k, top));
            }
        }
    }
    let positions: Vec<[f32; 3]> = triangles.into_iter().flatten().collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_computed_flat_normals()
}

/// Spawns bodies for a new world: walkers, and the soles of scripted puppets. Those that the game moves have their own.
pub(crate) fn spawn(mut commands: Commands, terrains: Terrains, mut drawn: ResMut<PerTerrain<Drawn>>) {
    for gone in drawn.left(&terrains) {
        gone.bodies.into_iter().for_each(|body| commands.entity(body).try_despawn());
    }
    for (terrain, trample, _) in terrains.iter() {
        let drawn = drawn.of(terrain);
        if drawn.generation == trample.generation() {
            continue;
        }
        drawn.generation = trample.generation();
        for body in std::mem::take(&mut drawn.bodies) {
            commands.entity(body).despawn();
        }
        for (puppet, spec) in trample.world().scene().puppets.iter().enumerate() {
            match &spec.script {
                Script::Walker(_) => drawn.bodies.push(commands.spawn((WalkerBody { puppet }, Naked)).id()),
                Script::Host { .. } => {}
                script => drawn.bodies.extend(
                    (0..script.feet()).map(|foot| commands.spawn((SoleBody { puppet, foot }, Naked)).id()),
                ),
            }
        }
        if let Some(terrain) = terrain {
            commands.entity(terrain).add_children(&drawn.bodies);
        }
    }
}

/// Puts meshes on new bodies, once they have their joints.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
pub(crate) fn dress(
    mut commands: Commands,
    terrains: Terrains,
    walkers: Query<(Entity, &WalkerBody, &Joints, Option<&ChildOf>), With<Naked>>,
    soles: Query<(Entity, &SoleBody, Option<&ChildOf>), With<Naked>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut poses: ResMut<Assets<SkinnedMeshInverseBindposes>>,
    mut spent: ResMut<Spent>,
) {
    let _lap = Lap::of(&mut spent.bodies);
    for (entity, body, joints, parent) in &walkers {
        commands.entity(entity).remove::<Naked>();
        let Some((mesh, bind)) = walker_mesh(terrains.above(parent).world(), body.puppet) else { continue };
        let cloth = StandardMaterial { perceptual_roughness: 0.85, reflectance: 0.25, ..default() };
        // A child of its own: the joints place the mesh, wherever this is.
        commands.spawn((
            Mesh3d(meshes.add(mesh)),
            MeshMaterial3d(materials.add(cloth)),
            SkinnedMesh { inverse_bindposes: poses.add(bind), joints: joints.0.to_vec() },
            NoFrustumCulling,
            ChildOf(entity),
        ));
    }
    for (entity, body, parent) in &soles {
        let mut entity = commands.entity(entity);
        entity.remove::<Naked>();
        let Some(spec) = terrains.above(parent).world().scene().puppets.get(body.puppet) else { continue };
        let mesh = sole_mesh(&spec.sole, spec.body.foot_length, spec.body.foot_width, body.foot % 2 == 1);
        let leather = StandardMaterial {
            base_color: Color::srgb_u8(70, 54, 46),
            perceptual_roughness: 0.8,
            ..default()
        };
        entity.insert((Mesh3d(meshes.add(mesh)), MeshMaterial3d(materials.add(leather))));
    }
}
