//! Sky, sun and haze: with the land beyond the terrain, what makes a terrain a landscape.

use super::Play;
use super::land::{smooth, surround};
use bevy::camera::visibility::NoFrustumCulling;
use bevy::light::{CascadeShadowConfigBuilder, GlobalAmbientLight, NotShadowCaster, NotShadowReceiver};
use bevy::prelude::*;

/// Colours of the sky at the horizon and overhead, linear.
const HORIZON: [f32; 3] = [0.66, 0.79, 0.93];
const ZENITH: [f32; 3] = [0.09, 0.28, 0.72];
/// Radius of the sky, m.
const SKY: f32 = 900.0;

#[derive(Component)]
struct Dome;

pub(super) struct SkyPlugin;

impl Plugin for SkyPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(Color::linear_rgb(HORIZON[0], HORIZON[1], HORIZON[2])))
            .insert_resource(GlobalAmbientLight {
                color: Color::srgb(0.72, 0.83, 1.0),
                brightness: 8_500.0,
                ..default()
            })
            .add_systems(Startup, spawn)
            .add_systems(Update, (shine, surround))
            .add_systems(PostUpdate, hang.before(TransformSystems::Propagate));
    }
}

/// Haze in the colour of the horizon.
pub(super) fn fog() -> DistanceFog {
    DistanceFog {
        color: Color::linear_rgb(HORIZON[0], HORIZON[1], HORIZON[2]),
        falloff: FogFalloff::from_visibility_squared(420.0),
        ..default()
    }
}

fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    play: Res<Play>,
) {
    commands.spawn((
        DirectionalLight {
            illuminance: light_consts::lux::RAW_SUNLIGHT * 0.85,
            color: Color::srgb(1.0, 0.93, 0.82),
            shadow_maps_enabled: play.quality.shadows(),
            ..default()
        },
        CascadeShadowConfigBuilder {
            num_cascades: if cfg!(target_arch = "wasm32") { 1 } else { 2 },
            first_cascade_far_bound: 4.0,
            maximum_distance: 22.0,
            ..default()
        }
        .build(),
        Transform::default(),
    ));
    let unlit = StandardMaterial { unlit: true, cull_mode: None, fog_enabled: false, ..default() };
    commands.spawn((
        Dome,
        Mesh3d(meshes.add(dome(play.sun))),
        MeshMaterial3d(materials.add(unlit)),
        Transform::default(),
        NotShadowCaster,
        NotShadowReceiver,
        NoFrustumCulling,
    ));
}

/// Where the sun's light comes from.
fn sunwards([azimuth, elevation]: [f32; 2]) -> Vec3 {
    let flat = libm::cosf(elevation);
    Vec3::new(libm::cosf(azimuth) * flat, libm::sinf(elevation), libm::sinf(azimuth) * flat)
}

/// Colour of the sun's light: the lower it is, the more air takes the blue out of it. Our choice of colours.
fn sunlight(elevation: f32) -> Color {
    let high = smooth(f64::from(elevation), 0.05, 0.55) as f32;
    let [low, noon] = [[1.0, 0.78, 0.52], [1.0, 0.95, 0.88]];
    let [r, g, b] = std::array::from_fn(|k| low[k] + (noon[k] - low[k]) * high);
    Color::srgb(r, g, b)
}

/// A sky of the colours that clear air has: bright at the horizon, deep overhead, a glow around the sun.
fn dome(sun: [f32; 2]) -> Mesh {
    let mut mesh = Sphere::new(SKY).mesh().uv(64, 48);
    let towards = sunwards(sun);
    let colours: Vec<[f32; 4]> = match mesh.attribute(Mesh::ATTRIBUTE_POSITION) {
        Some(bevy::mesh::VertexAttributeValues::Float32x3(positions)) => positions
            .iter()
            .map(|p| {
                let way = Vec3::from_array(*p).normalize_or(Vec3::Y);
                // Below the horizon it is haze.
                let up = libm::powf(way.y.max(0.0), 0.55);
                let near = way.dot(towards).max(0.0);
                let glow = 0.35 * libm::powf(near, 8.0)
                    + 0.9 * libm::powf(near, 220.0)
                    + 6.0 * libm::powf(near, 4000.0);
                let channel = |k: usize| {
                    let warm = [1.0, 0.86, 0.62][k];
                    HORIZON[k] + (ZENITH[k] - HORIZON[k]) * up + glow * warm
                };
                [channel(0), channel(1), channel(2), 1.0]
            })
            .collect(),
        _ => Vec::new(),
    };
    mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, colours);
    mesh
}

/// The sun goes where the panel says.
fn shine(
    play: Res<Play>,
    mut last: Local<Option<[f32; 2]>>,
    mut suns: Query<(&mut Transform, &mut DirectionalLight)>,
    domes: Query<&Mesh3d, With<Dome>>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    if *last == Some(play.sun) {
        return;
    }
    *last = Some(play.sun);
    for (mut sun, mut light) in &mut suns {
        light.color = sunlight(play.sun[1]);
        *sun = Transform::from_translation(sunwards(play.sun)).looking_at(Vec3::ZERO, Vec3::Y);
    }
    for sky in &domes {
        let _ = meshes.insert(sky.id(), dome(play.sun));
    }
}

/// The sky goes along with the eye.
fn hang(
    eyes: Query<&Transform, (With<Camera3d>, Without<Dome>)>,
    mut domes: Query<&mut Transform, With<Dome>>,
) {
    for eye in &eyes {
        for mut dome in &mut domes {
            dome.translation = eye.translation;
        }
    }
}
