//! A world of 2 × 2 km: only touched ground takes memory, and only the vicinity is drawn in full detail.
//! `cargo run --release -p bevy_trample --example kilometres`; the camera follows a walker, W and S move it up and down.

#![allow(elided_lifetimes_in_paths, clippy::needless_pass_by_value, reason = "as everywhere in Bevy")]

use bevy::prelude::*;
use bevy_trample::{Trample, TrampleEye, TrampleLook, TramplePlugin, TrampleRenderPlugin};
use trample::params::Body;
use trample::scene::{Path, PlantPatch, PuppetSpec, Terrain, WalkerSpec};
use trample::{Base, Scene, Species};

const SIDE: f64 = 2000.0; // m

fn main() {
    let base = Base::Hills { amplitude: 40.0, wavelength: 500.0, seed: 7 };
    let path = Path::along([[900.0, 1000.0], [1100.0, 1010.0]]);
    let scene = Scene {
        terrain: Terrain { size: [SIDE; 2], base, ..Terrain::default() },
        puppets: vec![PuppetSpec::walking("walker", Body::default(), WalkerSpec::on(path))],
        // Plants are created where somebody comes near: a hundred hectares of them cost nothing elsewhere.
        plants: vec![PlantPatch {
            species: Species::CAREX_PENSYLVANICA,
            density: 20.0,
            min: [500.0; 2],
            max: [1500.0; 2],
            ..PlantPatch::default()
        }],
        ..Scene::default()
    };
    App::new()
        .add_plugins((DefaultPlugins, TramplePlugin { scene }, TrampleRenderPlugin::default()))
        .insert_resource(ClearColor(Color::srgb(0.62, 0.72, 0.82)))
        // Patches closer than this many times their size are split; plants are drawn as blades within this distance, m.
        .insert_resource(TrampleLook { ground_detail: 2.5, grass_reach: 12.0, ..default() })
        .add_systems(Startup, spawn)
        .add_systems(Update, fly)
        .run();
}

fn spawn(mut commands: Commands) {
    let lens = PerspectiveProjection { far: 5000.0, ..default() };
    commands.spawn((Camera3d::default(), TrampleEye, Projection::Perspective(lens), Transform::default()));
    let sun = Transform::from_xyz(-3.0, 1.2, 2.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((DirectionalLight { shadow_maps_enabled: true, ..default() }, sun));
}

/// Behind and above the walker.
fn fly(
    (time, keys, trample): (Res<Time>, Res<ButtonInput<KeyCode>>, Res<Trample>),
    mut eye: Single<&mut Transform, With<TrampleEye>>,
    mut height: Local<f32>,
) {
    let held = |key: KeyCode| f32::from(u8::from(keys.pressed(key)));
    *height =
        (*height + 20.0 * (held(KeyCode::KeyW) - held(KeyCode::KeyS)) * time.delta_secs()).clamp(2.0, 400.0);
    let Some((walker, _)) = trample.world().walker(0) else { return };
    let ground = trample.world().height(walker.root.x, walker.root.y) as f32;
    let at = Vec3::new(walker.root.x as f32, ground, walker.root.y as f32);
    **eye = Transform::from_translation(at + Vec3::new(-2.0 * *height, *height, 0.8 * *height))
        .looking_at(at, Vec3::Y);
}
