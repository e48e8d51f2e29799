//! Walkers that brought their own skin: the meshes, paints and pictures of their file on its own joints, moved as the walker moves.

use super::Play;
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::image::{CompressedImageFormats, ImageSampler, ImageType};
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::mesh::{Indices, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use bevy::render::render_resource::Face;
use bevy_trample::{Trample, WalkerBody};
use std::sync::Arc;
use trample::scene::SoleShape;
use trample_files::character::{Fit, Loaded, Outfit, Paint, Piece, is_own_sole};

pub(super) struct GuestsPlugin;

impl Plugin for GuestsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, (receive, go).chain());
    }
}

/// A character: its entity stands where its file's world lies in ours.
#[derive(Component)]
struct Guest {
    puppet: usize,
    loaded: Arc<Loaded>,
    fit: Fit,
    /// Its joints, in the order of its file.
    joints: Vec<Entity>,
}

/// What meshes are made with.
struct Stores<'a> {
    meshes: &'a mut Assets<Mesh>,
    materials: &'a mut Assets<StandardMaterial>,
    images: &'a mut Assets<Image>,
    poses: &'a mut Assets<SkinnedMeshInverseBindposes>,
}

/// Brings the characters of a new world, and hides the bodies that stood for them.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn receive(
    mut commands: Commands,
    trample: Res<Trample>,
    play: Res<Play>,
    mut last: Local<Option<u64>>,
    old: Query<Entity, With<Guest>>,
    mut bodies: Query<(&WalkerBody, &mut Visibility)>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
    mut poses: ResMut<Assets<SkinnedMeshInverseBindposes>>,
) {
    let cast = play.session.cast();
    let world = trample.world();
    for (body, mut shown) in &mut bodies {
        let own = cast
            .get(body.puppet)
            .is_some_and(|c| c.as_ref().is_some_and(|l| l.upright().is_some() && seen(l)));
        shown.set_if_neq(if own { Visibility::Hidden } else { Visibility::Inherited });
    }
    if *last == Some(trample.generation()) {
        return;
    }
    *last = Some(trample.generation());
    old.iter().for_each(|guest| commands.entity(guest).despawn());
    let mut stores =
        Stores { meshes: &mut meshes, materials: &mut materials, images: &mut images, poses: &mut poses };
    for (puppet, loaded) in cast.iter().enumerate() {
        let (Some(loaded), Some((_, skeleton))) = (loaded, world.walker(puppet)) else { continue };
        let Some(spec) = world.scene().puppets.get(puppet) else { continue };
        let own = matches!(&spec.sole, SoleShape::Custom(sole) if is_own_sole(loaded, sole));
        let (Some(upright), Some(fit)) = (loaded.upright(), Fit::new(loaded, skeleton, own)) else {
            continue;
        };
        let Ok(Some(outfit)) = Outfit::of(loaded) else { continue };
        let outer = Transform::from_rotation(upright.space.turn).with_scale(Vec3::splat(upright.space.unit));
        let guest = commands.spawn((outer, Visibility::default())).id();
        let mut joints: Vec<Entity> = Vec::with_capacity(loaded.source.joints.len());
        for joint in &loaded.source.joints {
            let rest = joint.rest;
            let place =
                Transform { translation: rest.translation, rotation: rest.rotation, scale: rest.scale };
            let above = joint.parent.map_or(guest, |parent| joints[parent]);
            joints.push(commands.spawn((place, Visibility::default(), ChildOf(above))).id());
        }
        wear(&mut commands, guest, &joints, &outfit, &mut stores);
        commands.entity(guest).insert(Guest { puppet, loaded: Arc::clone(loaded), fit, joints });
    }
}

/// Whether a file has a skin to show.
fn seen(loaded: &Loaded) -> bool {
    !loaded.source.vertices.is_empty() && loaded.source.format == trample_files::character::Format::Gltf
}

/// Hangs the meshes of an outfit on joints.
fn wear(commands: &mut Commands, guest: Entity, joints: &[Entity], outfit: &Outfit, stores: &mut Stores) {
    let pictures: Vec<Option<Handle<Image>>> = outfit
        .pictures
        .iter()
        .map(|picture| {
            let kind = ImageType::MimeType(picture.kind);
            let usage = RenderAssetUsages::RENDER_WORLD;
            let formats = CompressedImageFormats::NONE;
            // A kind that this build does not read leaves the paint's own colour.
            let image =
                Image::from_buffer(&picture.bytes, kind, formats, true, ImageSampler::linear(), usage);
            image.ok().map(|image| stores.images.add(image))
        })
        .collect();
    let paints: Vec<Handle<StandardMaterial>> =
        outfit.paints.iter().map(|paint| stores.materials.add(painted(paint, &pictures))).collect();
    let plain = stores.materials.add(StandardMaterial { perceptual_roughness: 0.9, ..default() });
    let binds: Vec<Handle<SkinnedMeshInverseBindposes>> = outfit
        .binds
        .iter()
        .map(|bind| {
            let all: Vec<Mat4> = bind.inverse.iter().map(Mat4::from_cols_array).collect();
            stores.poses.add(SkinnedMeshInverseBindposes::from(all))
        })
        .collect();
    for piece in outfit.pieces.iter().filter(|piece| !piece.triangles.is_empty()) {
        let material = piece.paint.and_then(|k| paints.get(k)).unwrap_or(&plain).clone();
        let mesh = Mesh3d(stores.meshes.add(shaped(piece)));
        match piece.bind {
            Some(bind) => {
                let bones =
                    outfit.binds[bind].joints.iter().filter_map(|&j| joints.get(j).copied()).collect();
                let skin = SkinnedMesh { inverse_bindposes: binds[bind].clone(), joints: bones };
                commands.spawn((mesh, MeshMaterial3d(material), skin, NoFrustumCulling, ChildOf(guest)));
            }
            None => {
                let Some(&joint) = joints.get(piece.joint) else { continue };
                commands.spawn((mesh, MeshMaterial3d(material), NoFrustumCulling, ChildOf(joint)));
            }
        }
    }
}

fn painted(paint: &Paint, pictures: &[Option<Handle<Image>>]) -> StandardMaterial {
    let [r, g, b, a] = paint.colour;
    let alpha_mode = match (paint.cutoff, paint.blended) {
        (Some(cutoff), _) => AlphaMode::Mask(cutoff),
        (None, true) => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    StandardMaterial {
        base_color: Color::linear_rgba(r, g, b, a),
        base_color_texture: paint.picture.and_then(|k| pictures.get(k).cloned().flatten()),
        metallic: paint.metal[0],
        perceptual_roughness: paint.metal[1].max(0.3),
        double_sided: paint.double_sided,
        cull_mode: (!paint.double_sided).then_some(Face::Back),
        alpha_mode,
        ..default()
    }
}

/// A piece as a mesh.
fn shaped(piece: &Piece) -> Mesh {
    let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, piece.points.clone())
        .with_inserted_indices(Indices::U32(piece.triangles.iter().flatten().copied().collect()));
    if piece.normals.len() == piece.points.len() {
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, piece.normals.clone());
    } else {
        mesh.compute_smooth_normals();
    }
    if piece.texels.len() == piece.points.len() {
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_0, piece.texels.clone());
    }
    if piece.colours.len() == piece.points.len() {
        mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, piece.colours.clone());
    }
    if piece.bind.is_some() {
        let joints = VertexAttributeValues::Uint16x4(piece.joints.clone());
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints);
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, piece.weights.clone());
    }
    mesh
}

/// Every character in the pose of its walker, at the place between the last two steps.
fn go(
    trample: Res<Trample>,
    time: Res<Time<Fixed>>,
    mut guests: Query<(&Guest, &mut Transform)>,
    mut joints: Query<&mut Transform, Without<Guest>>,
) {
    let blend = trample.blend(time.overstep_fraction_f64(), time.timestep().as_secs_f64());
    for (guest, mut outer) in &mut guests {
        let Some((walker, skeleton)) = trample.world().walker(guest.puppet) else { continue };
        let Some(upright) = guest.loaded.upright() else { continue };
        let locals = upright.fitted(&guest.loaded.source, skeleton, &walker.pose, &guest.fit);
        for (&joint, local) in guest.joints.iter().zip(&locals) {
            if let Ok(mut place) = joints.get_mut(joint) {
                *place = Transform {
                    translation: local.translation,
                    rotation: local.rotation,
                    scale: local.scale,
                };
            }
        }
        let shown = trample.pose_between(guest.puppet, blend).and_then(|pose| pose.placed);
        let now = skeleton.place(&walker.pose);
        outer.translation = shown.map_or(Vec3::ZERO, |shown| shown.positions[0] - now.positions[0]);
    }
}
