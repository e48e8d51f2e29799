//! Three terrains in one game, each with its own cell size, material and walkers: a snow field, a mud yard below it and a meadow
//! above. `cargo run --release -p bevy_trample --example terrains`; Tab moves the camera to the next one.

#![allow(elided_lifetimes_in_paths, clippy::needless_pass_by_value, reason = "as everywhere in Bevy")]

use bevy::prelude::*;
use bevy_trample::{Terrains, TramplePlugin, TrampleRenderPlugin, TrampleTerrain};
use trample::{Scene, scene::library};

/// A library scene by name.
fn scene(name: &str) -> Scene {
    library::by_name(name).unwrap_or_default()
}

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            TramplePlugin { scene: scene("walk-snow") },
            TrampleRenderPlugin::default(),
        ))
        .insert_resource(ClearColor(Color::srgb(0.62, 0.72, 0.82)))
        .add_systems(Startup, spawn)
        .add_systems(Update, look)
        .run();
}

fn spawn(mut commands: Commands) {
    for (name, place) in [("walk-mud", Vec3::new(0.0, -1.0, 8.0)), ("meadow", Vec3::new(0.0, 1.5, -22.0))] {
        let terrain = TrampleTerrain::new(&scene(name)).expect("a scene of the library");
        commands.spawn((terrain, Transform::from_translation(place)));
    }
    commands.spawn((Camera3d::default(), Transform::default()));
    let sun = Transform::from_xyz(-3.0, 1.5, 2.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((DirectionalLight { shadow_maps_enabled: true, ..default() }, sun));
}

/// Keeps the camera on the first walker of the selected terrain.
fn look(
    terrains: Terrains,
    keys: Res<ButtonInput<KeyCode>>,
    mut which: Local<usize>,
    mut eye: Single<&mut Transform, With<Camera3d>>,
) {
    *which += usize::from(keys.just_pressed(KeyCode::Tab));
    let Some((_, trample, origin)) = terrains.iter().nth(*which % terrains.iter().count()) else { return };
    let Some((walker, skeleton)) = trample.world().walker(0) else { return };
    let body = origin + skeleton.place(&walker.pose).positions[0];
    **eye = Transform::from_translation(body + Vec3::new(-2.5, 1.4, 3.0)).looking_at(body, Vec3::Y);
}
