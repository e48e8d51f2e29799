//! Walkers and animals of a scene file, drawn with the skins of their own files:
//! `cargo run --release -p bevy_trample --features characters --example character -- SCENE`, where SCENE is the name of a library scene
//! (`deer-crossing` by default) or a TOML file whose walkers have a `character`.

#![allow(elided_lifetimes_in_paths, clippy::needless_pass_by_value, reason = "as everywhere in Bevy")]

use bevy::prelude::*;
use bevy_trample::render::{TrampleCast, TrampleGuestsPlugin};
use bevy_trample::{Trample, TramplePlugin, TrampleRenderPlugin};
use trample_files::{Built, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "deer-crossing".into());
    let Built { scene, cast, .. } = Source::find(&name)?.build()?;
    App::new()
        .add_plugins((DefaultPlugins, TramplePlugin { scene }))
        .add_plugins((TrampleRenderPlugin::default(), TrampleGuestsPlugin))
        .insert_resource(TrampleCast(cast))
        .insert_resource(ClearColor(Color::srgb(0.62, 0.72, 0.82)))
        .add_systems(Startup, spawn)
        .add_systems(Update, follow)
        .run();
    Ok(())
}

fn spawn(mut commands: Commands) {
    commands.spawn(Camera3d::default());
    let sun = Transform::from_xyz(-3.0, 1.2, 2.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((DirectionalLight { shadow_maps_enabled: true, ..default() }, sun));
}

/// Looks at the first of them from the side.
fn follow(trample: Res<Trample>, mut eye: Single<&mut Transform, With<Camera3d>>) {
    let feet = &trample.world().puppet(0).pose.soles;
    let middle = feet.iter().map(|sole| sole.position).sum::<Vec3>() / feet.len().max(1) as f32;
    **eye = Transform::from_translation(middle + Vec3::new(1.0, 1.6, 4.0))
        .looking_at(middle + 0.8 * Vec3::Y, Vec3::Y);
}
