//! Sky, sun, haze, and the land beyond the terrain: what makes a terrain a landscape.

use super::Play;
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::light::{CascadeShadowConfigBuilder, GlobalAmbientLight, NotShadowCaster, NotShadowReceiver};
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_trample::Trample;
use trample::{Base, Map};

/// Colours of the sky at the horizon and overhead, linear.
const HORIZON: [f32; 3] = [0.66, 0.79, 0.93];
const ZENITH: [f32; 3] = [0.09, 0.28, 0.72];
/// Radius of the sky, m.
const SKY: f32 = 900.0;

#[derive(Component)]
struct Dome;

#[derive(Component)]
struct Beyond;

pub(super) struct SkyPlugin;

impl Plugin for SkyPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(Color::linear_rgb(HORIZON[0], HORIZON[1], HORIZON[2])))
            .insert_resource(GlobalAmbientLight {
                color: Color::srgb(0.72, 0.83, 1.0),
                brightness: 7_500.0,
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
    mut suns: Query<&mut Transform, With<DirectionalLight>>,
    domes: Query<&Mesh3d, With<Dome>>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    if *last == Some(play.sun) {
        return;
    }
    *last = Some(play.sun);
    for mut sun in &mut suns {
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

/// Makes the land around the terrain anew for every new world.
fn surround(
    mut commands: Commands,
    trample: Res<Trample>,
    mut last: Local<Option<u64>>,
    old: Query<Entity, With<Beyond>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    if *last == Some(trample.generation()) {
        return;
    }
    *last = Some(trample.generation());
    old.iter().for_each(|land| commands.entity(land).despawn());
    let material = StandardMaterial { perceptual_roughness: 0.97, reflectance: 0.1, ..default() };
    commands.spawn((
        Beyond,
        Mesh3d(meshes.add(beyond(trample.world()))),
        MeshMaterial3d(materials.add(material)),
        NotShadowCaster,
        NoFrustumCulling,
    ));
}

/// Rings of land from the terrain's edge to the haze: it goes on as it is, and rises to hills.
fn beyond(world: &trample::World) -> Mesh {
    const SIDES: usize = 160;
    const RINGS: usize = 40;
    let ground = world.ground();
    let cell = ground.cell;
    let size = world.scene().terrain.size;
    let hills = Base::Hills { amplitude: 14.0, wavelength: 95.0, seed: 11 };
    let bumps = Base::Hills { amplitude: 1.0, wavelength: 7.0, seed: 3 };
    let colours = colours(world);
    let (mut positions, mut shades) = (Vec::new(), Vec::new());
    for ring in 0..RINGS {
        let share = ring as f64 / (RINGS - 1) as f64;
        let out = if ring == 0 { 0.0 } else { 0.15 * libm::pow(420.0 / 0.15, share) };
        for side in 0..SIDES {
            let (edge, away) = perimeter(side as f64 / SIDES as f64, size, cell);
            let (x, z) = (edge[0] + away[0] * out, edge[1] + away[1] * out);
            let inside = |p: f64, side: f64| p.clamp(0.5 * cell, side - 0.5 * cell);
            let at_edge = ground.base.height(inside(x, size[0]), inside(z, size[1]));
            // Measured heights end at their edge; functions go on.
            let own = if matches!(ground.base, Base::Raster(_)) { at_edge } else { ground.base.height(x, z) };
            let own =
                at_edge + (own - at_edge) * smooth(out, 0.0, 2.0) * (1.0 - 0.7 * smooth(out, 30.0, 120.0));
            let rise = smooth(out, 12.0, 160.0);
            let height = own
                + rise * (0.03 * out + hills.height(x, z))
                + 0.25 * smooth(out, 1.0, 10.0) * bumps.height(x, z);
            positions.push([x as f32, (height - 0.004) as f32, z as f32]);
            let noise =
                0.5 + 0.45 * bumps.height(1.7 * x, 1.7 * z) + 0.35 * hills.height(3.0 * x, 3.0 * z) / 14.0;
            let mix = (noise.clamp(0.0, 1.0)) as f32;
            let shade: [f32; 3] =
                std::array::from_fn(|k| colours[0][k] + (colours[1][k] - colours[0][k]) * mix);
            shades.push([shade[0], shade[1], shade[2], 1.0]);
        }
    }
    let mut indices = Vec::new();
    for ring in 0..RINGS - 1 {
        for side in 0..SIDES {
            let at = |r: usize, s: usize| (r * SIDES + s % SIDES) as u32;
            let (a, b) = (at(ring, side), at(ring, side + 1));
            let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
            // The perimeter runs so that outside is to its left, seen from above.
            indices.extend([a, b, c, b, d, c]);
        }
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, shades)
        .with_inserted_indices(Indices::U32(indices))
        .with_computed_smooth_normals()
}

/// The two linear colours between which the land beyond varies: the ground's and that of what grows, or lighter and darker
/// ground.
fn colours(world: &trample::World) -> [[f32; 3]; 2] {
    let linear = |c: [u8; 3]| {
        let c = LinearRgba::from(Srgba::rgb_u8(c[0], c[1], c[2]));
        [c.red, c.green, c.blue]
    };
    let scene = world.scene();
    let ground = linear(scene.terrain.materials[0].material.colour);
    if scene.plants.is_empty() {
        return [ground, ground.map(|c| 0.9 * c)];
    }
    // As the terrain itself looks from afar: its cover over its soil.
    let count = scene.plants.len() as f32;
    let plants = scene.plants.iter().map(|p| linear(p.species.colour));
    let plants = plants.fold([0.0; 3], |sum, c| std::array::from_fn(|k| sum[k] + c[k] / count));
    let size = world.ground().size;
    let places = (0..64).map(|i| (size[0] * (i % 8) / 8, size[1] * (i / 8) / 8));
    let cover = places.map(|(x, z)| world.map(Map::Vegetation).at(x, z)).sum::<f64>() / 64.0;
    let mix = |green: f32, shade: f32| {
        let share = (0.85 * cover as f32 * green).clamp(0.0, 1.0);
        std::array::from_fn(|k| ground[k] + (shade * plants[k] - ground[k]) * share)
    };
    [mix(0.7, 0.7), mix(1.3, 0.8)]
}

fn smooth(x: f64, from: f64, to: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A place on the edge of the terrain, and the way outwards there; corners point to their corner.
fn perimeter(share: f64, size: [f64; 2], cell: f64) -> ([f64; 2], [f64; 2]) {
    let (low, wide) = (0.5 * cell, size.map(|s| s - cell));
    let (quarter, along) = ((4.0 * share).floor(), (4.0 * share).fract());
    let (u, v) = match quarter as u32 {
        0 => (along, 0.0),
        1 => (1.0, along),
        2 => (1.0 - along, 1.0),
        _ => (0.0, 1.0 - along),
    };
    let away = [u - 0.5, v - 0.5];
    let length = (away[0] * away[0] + away[1] * away[1]).sqrt().max(1e-9);
    ([low + u * wide[0], low + v * wide[1]], away.map(|x| x / length))
}
