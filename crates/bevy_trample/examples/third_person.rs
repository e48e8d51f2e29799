//! A game's own figure walks through snow and grass: its foot bones press the ground, and its shoes are drawn in the prints.
//! `cargo run --release -p bevy_trample --example third_person`; A and D turn it.

#![allow(elided_lifetimes_in_paths, clippy::needless_pass_by_value, reason = "as everywhere in Bevy")]

use bevy::prelude::*;
use bevy_trample::{GroundUnderFoot, Puppet, TramplePlugin, TrampleRenderPlugin};
use trample::{Hold, PlantPatch, PuppetSpec, Scene, Script, scene::Terrain};

const SPEED: f32 = 1.2; // m/s
const CYCLE: f32 = 1.1; // duration of two steps, s
const STANCE: f32 = 0.6; // share of it that a foot is on the ground

/// A foot bone: right 1 or left −1, and its phase in the walk cycle, 0..1.
#[derive(Component)]
struct Foot(f32, f32);

/// The shoe drawn at a foot bone: right 0, left 1.
#[derive(Component)]
struct Shoe(usize);

fn main() {
    // Snow, grass on the right half, and a puppet with two feet that the game moves.
    let figure = PuppetSpec { script: Script::Host { feet: 2 }, hold: Hold::Pinned, ..PuppetSpec::default() };
    let terrain = Terrain { size: [20.0, 20.0], ..Terrain::default() };
    let grass = PlantPatch { density: 60.0, min: [11.0, 0.0], max: [20.0, 20.0], ..PlantPatch::default() };
    let scene = Scene { terrain, puppets: vec![figure], plants: vec![grass], ..Scene::default() };
    App::new()
        .add_plugins((DefaultPlugins, TramplePlugin { scene }, TrampleRenderPlugin::default()))
        .insert_resource(ClearColor(Color::srgb(0.62, 0.72, 0.82)))
        .add_systems(Startup, spawn)
        .add_systems(Update, (walk, stand).chain())
        .run();
}

fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
    // Stand-ins for an animated model: bones that an animation moves, with meshes on them.
    let bone = |place: Transform| (place, Visibility::default());
    let mut draw = |mesh: Mesh| (Mesh3d(meshes.add(mesh)), MeshMaterial3d::<StandardMaterial>::default());
    let feet = [(1.0, 0.0), (-1.0, 0.5)]
        .map(|(side, cycle)| commands.spawn((Foot(side, cycle), bone(Transform::default()))).id());
    for (k, foot) in feet.into_iter().enumerate() {
        commands.entity(foot).with_child((Shoe(k), draw(Cuboid::new(0.28, 0.1, 0.1).into())));
    }
    let body = (draw(Capsule3d::new(0.2, 0.9).into()), Transform::from_xyz(0.0, 0.85, 0.0));
    let eye = Transform::from_xyz(-2.6, 1.9, 0.9).looking_at(0.3 * Vec3::Y, Vec3::Y);
    let figure = (Puppet::new(0, feet), bone(Transform::from_xyz(10.0, 0.0, 6.0)));
    commands.spawn(figure).add_children(&feet).with_child(body).with_child((Camera3d::default(), eye));
    let sun = Transform::from_xyz(-3.0, 1.2, 2.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((DirectionalLight { shadow_maps_enabled: true, ..default() }, sun));
}

/// The game's animation: a foot stays where it landed, then swings ahead.
fn walk(
    (time, keys): (Res<Time>, Res<ButtonInput<KeyCode>>),
    mut figure: Single<&mut Transform, With<Puppet>>,
    mut feet: Query<(&mut Transform, &mut Foot), Without<Puppet>>,
) {
    let held = |key: KeyCode| f32::from(u8::from(keys.pressed(key)));
    figure.rotate_y((held(KeyCode::KeyA) - held(KeyCode::KeyD) - 0.3) * time.delta_secs());
    let step = figure.rotation * Vec3::X * SPEED * time.delta_secs();
    figure.translation += step;
    for (mut bone, mut foot) in &mut feet {
        foot.1 = (foot.1 + time.delta_secs() / CYCLE).fract();
        let swing = ((foot.1 - STANCE) / (1.0 - STANCE)).max(0.0);
        let ahead = if swing > 0.0 { 2.0 * swing - 1.0 } else { 1.0 - 2.0 * foot.1 / STANCE };
        let reach = 0.5 * SPEED * CYCLE * STANCE;
        bone.translation = Vec3::new(reach * ahead, 0.48 * swing * (1.0 - swing), 0.11 * foot.0);
    }
}

/// Applies the reaction of the ground: shoes are drawn at the depth to which they sank.
fn stand(time: Res<Time>, ground: Single<&GroundUnderFoot>, mut shoes: Query<(&Shoe, &mut Transform)>) {
    for (shoe, mut place) in &mut shoes {
        let foot = ground.feet[shoe.0];
        let height = 0.05 + if foot.down { foot.height } else { 0.0 };
        place.translation.y += (height - place.translation.y) * (12.0 * time.delta_secs()).min(1.0);
    }
}
