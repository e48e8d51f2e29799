//! Walkers and animals in a skin of their own: the meshes, paints and pictures of their file on its own joints, or the body of a
//! ready-made animal.
//!
//! In: the world, and the files that its puppets came from. Out: entities of their own; the bodies and soles that stood for them are
//! hidden.

use crate::body::{SoleBody, WalkerBody};
use crate::spent::{Lap, Spent};
use crate::terrains::TrampleTerrain;
use crate::world::Trample;
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::image::{CompressedImageFormats, ImageSampler, ImageType};
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::mesh::{Indices, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use bevy::render::render_resource::Face;
use std::sync::Arc;
use trample::scene::{Script, SoleShape};
use trample_files::character::{
    Fit, Loaded, Local as Place, Outfit, Paint, Piece, ReadyBody, TakeStride, Tread, is_own_sole,
};

/// Draws puppets of the scene with the skins of the files that they came from, and built-in animals with a body.
///
/// `trample_files::Source::build` returns a scene and its cast; set [`TrampleCast`] to the cast whenever the scene is loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrampleGuestsPlugin;

impl Plugin for TrampleGuestsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<TrampleCast>().add_systems(Update, (receive, go).chain());
    }
}

/// The source file of each puppet of the scene, if it has one. Imported characters are drawn on the main terrain only.
#[derive(Resource, Clone, Debug, Default)]
pub struct TrampleCast(pub trample_files::Cast);

/// Somebody in a skin of their own: the entity stands where the file's world lies in ours.
#[derive(Component)]
struct Guest {
    puppet: usize,
    /// Joints, in the order of the file.
    joints: Vec<Entity>,
    who: Who,
}

/// How somebody moves.
enum Who {
    Person(Arc<Loaded>, Fit),
    Animal(Arc<Loaded>, TakeStride, Option<Tread>),
    Ready(ReadyBody, Option<Tread>),
}

/// What meshes are made with.
struct Stores<'a> {
    meshes: &'a mut Assets<Mesh>,
    materials: &'a mut Assets<StandardMaterial>,
    images: &'a mut Assets<Image>,
    poses: &'a mut Assets<SkinnedMeshInverseBindposes>,
}

/// Whose skin a puppet has, and its meshes; none where it keeps the plugin's own body.
fn guest(world: &trample::World, puppet: usize, loaded: Option<&Arc<Loaded>>) -> Option<(Who, Outfit)> {
    let spec = world.scene().puppets.get(puppet)?;
    if let Script::Animal(animal) = &spec.script {
        if let Some(ready) = animal.ready {
            let body = ReadyBody::new(ready);
            let outfit = body.outfit.clone();
            return Some((Who::Ready(body, None), outfit));
        }
        let loaded = loaded?;
        let take = loaded.four_footed()?.played(&loaded.source, &animal.take)?;
        // An animal without a skin shows its bones.
        let outfit = Outfit::of(loaded).ok().flatten().or_else(|| Outfit::bones(loaded))?;
        return Some((Who::Animal(Arc::clone(loaded), take, None), outfit));
    }
    let (loaded, (_, skeleton)) = (loaded?, world.walker(puppet)?);
    let own = matches!(&spec.sole, SoleShape::Custom(sole) if is_own_sole(loaded, sole));
    let fit = loaded.upright().and_then(|_| Fit::new(loaded, skeleton, own))?;
    let outfit = Outfit::of(loaded).ok().flatten()?;
    Some((Who::Person(Arc::clone(loaded), fit), outfit))
}

/// Brings the guests of a new world, and hides what stood for them.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn receive(
    mut commands: Commands,
    trample: Res<Trample>,
    cast: Res<TrampleCast>,
    mut last: Local<Option<u64>>,
    others: Query<(), With<TrampleTerrain>>,
    old: Query<(Entity, &Guest)>,
    mut bodies: Query<(&WalkerBody, &mut Visibility, Option<&ChildOf>), Without<SoleBody>>,
    mut soles: Query<(&SoleBody, &mut Visibility, Option<&ChildOf>), Without<WalkerBody>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
    mut poses: ResMut<Assets<SkinnedMeshInverseBindposes>>,
) {
    let shown = |puppet: usize| {
        let guest = old.iter().any(|(_, guest)| guest.puppet == puppet);
        if guest { Visibility::Hidden } else { Visibility::Inherited }
    };
    let here = |parent: Option<&ChildOf>| !parent.is_some_and(|parent| others.contains(parent.parent()));
    for (body, mut seen, _) in bodies.iter_mut().filter(|(.., parent)| here(*parent)) {
        seen.set_if_neq(shown(body.puppet));
    }
    for (sole, mut seen, _) in soles.iter_mut().filter(|(.., parent)| here(*parent)) {
        seen.set_if_neq(shown(sole.puppet));
    }
    if *last == Some(trample.generation()) && !cast.is_changed() {
        return;
    }
    *last = Some(trample.generation());
    old.iter().for_each(|(guest, _)| commands.entity(guest).despawn());
    let mut stores =
        Stores { meshes: &mut meshes, materials: &mut materials, images: &mut images, poses: &mut poses };
    let world = trample.world();
    for puppet in 0..world.puppets() {
        let loaded = cast.0.get(puppet).and_then(Option::as_ref);
        let Some((who, outfit)) = guest(world, puppet, loaded) else { continue };
        let (source, outer) = match &who {
            Who::Person(loaded, _) => {
                let (turn, unit) =
                    loaded.upright().map_or((Quat::IDENTITY, 1.0), |u| (u.space.turn, u.space.unit));
                (&loaded.source, Transform::from_rotation(turn).with_scale(Vec3::splat(unit)))
            }
            Who::Animal(loaded, ..) => {
                let unit = loaded.four_footed().map_or(1.0, trample_files::character::FourFooted::unit);
                (&loaded.source, Transform::from_scale(Vec3::splat(unit)))
            }
            Who::Ready(body, _) => (&body.source, Transform::default()),
        };
        let entity = commands.spawn((outer, Visibility::default())).id();
        let mut joints: Vec<Entity> = Vec::with_capacity(source.joints.len());
        for joint in &source.joints {
            let above = joint.parent.map_or(entity, |parent| joints[parent]);
            let place = transform(&joint.rest);
            joints.push(commands.spawn((place, Visibility::default(), ChildOf(above))).id());
        }
        wear(&mut commands, entity, &joints, &outfit, &mut stores);
        commands.entity(entity).insert(Guest { puppet, joints, who });
    }
}

fn transform(local: &Place) -> Transform {
    Transform { translation: local.translation, rotation: local.rotation, scale: local.scale }
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

/// Every guest as its walker or animal is, at the place between the last two steps.
fn go(
    trample: Res<Trample>,
    (time, fixed): (Res<Time>, Res<Time<Fixed>>),
    mut guests: Query<(&mut Guest, &mut Transform)>,
    mut joints: Query<&mut Transform, Without<Guest>>,
    mut spent: ResMut<Spent>,
) {
    let _lap = Lap::of(&mut spent.bodies);
    let world = trample.world();
    let blend = trample.blend(fixed.overstep_fraction_f64(), fixed.timestep().as_secs_f64());
    let dt = time.delta_secs_f64();
    for (mut guest, mut outer) in &mut guests {
        let puppet = guest.puppet;
        let locals = match &mut guest.who {
            Who::Person(loaded, fit) => {
                let (Some((walker, skeleton)), Some(upright)) = (world.walker(puppet), loaded.upright())
                else {
                    continue;
                };
                let shown = trample.pose_between(puppet, blend).and_then(|pose| pose.placed);
                let now = skeleton.place(&walker.pose);
                outer.translation = shown.map_or(Vec3::ZERO, |shown| shown.positions[0] - now.positions[0]);
                upright.fitted(&loaded.source, skeleton, &walker.pose, fit)
            }
            Who::Animal(loaded, take, before) => {
                let (Some(tread), Some(animal)) =
                    (Tread::of(world, puppet, before.as_ref(), dt), loaded.four_footed())
                else {
                    continue;
                };
                let (locals, place, turn) = animal.pose(&loaded.source, take, &tread);
                (outer.translation, outer.rotation) = (place, turn);
                *before = Some(tread);
                locals
            }
            Who::Ready(body, before) => {
                let tread = Tread::of(world, puppet, before.as_ref(), dt);
                let Some(tread) = tread.filter(|t| t.feet.len() == 4) else { continue };
                let Some(Script::Animal(spec)) = world.scene().puppets.get(puppet).map(|p| &p.script) else {
                    continue;
                };
                let locals = body.pose(&spec.stride, &tread);
                *before = Some(tread);
                locals
            }
        };
        for (&joint, local) in guest.joints.iter().zip(&locals) {
            if let Ok(mut place) = joints.get_mut(joint) {
                *place = transform(local);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TramplePlugin;

    #[test]
    fn ready_made_animals_have_bodies_that_go_with_them_in_place_of_soles() {
        let mut app = App::new();
        let scene = trample::scene::library::by_name("deer-crossing").expect("a library scene");
        app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), TramplePlugin { scene }));
        app.init_asset::<Mesh>().init_asset::<StandardMaterial>().init_asset::<Image>();
        app.init_asset::<SkinnedMeshInverseBindposes>().add_plugins(TrampleGuestsPlugin);
        app.insert_resource(bevy::time::TimeUpdateStrategy::FixedTimesteps(1));
        let sole = app.world_mut().spawn(SoleBody { puppet: 0, foot: 0 }).id();
        (0..200).for_each(|_| app.update());
        let mut guests = app.world_mut().query::<&Guest>();
        let animals = app.world().resource::<Trample>().world().puppets();
        assert_eq!(guests.iter(app.world()).count(), animals, "a body for every deer");
        let (puppet, trunk) =
            guests.iter(app.world()).map(|g| (g.puppet, g.joints[0])).next().expect("a guest");
        let place = app.world().get::<Transform>(trunk).expect("a trunk").translation;
        let world = app.world().resource::<Trample>().world();
        let now = world.animal(puppet).expect("an animal").place;
        let away = Vec2::new(place.x - now[0] as f32, place.z - now[1] as f32).length();
        assert!(away < 0.5, "its trunk is {away} m from where it is");
        let above = f64::from(place.y) - world.height(now[0], now[1]);
        assert!((0.5..1.5).contains(&above), "its trunk is {above} m above the ground");
        assert_eq!(app.world().get::<Visibility>(sole), Some(&Visibility::Hidden));
    }
}
