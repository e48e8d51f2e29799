//! Sky, sun and haze: with the land beyond the terrain, what makes a terrain a landscape.

use super::Play;
use super::land::{smooth, surround};
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::image::{ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::light::{
    CascadeShadowConfigBuilder, EnvironmentMapLight, GlobalAmbientLight, NotShadowCaster, NotShadowReceiver,
};
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, TextureDimension, TextureFormat, TextureViewDescriptor, TextureViewDimension,
};
use bevy_trample::Trample;
use trample::internal::{Stream, uniform};

/// Colours of the sky at the horizon and overhead, linear.
const HORIZON: [f32; 3] = [0.66, 0.79, 0.93];
const ZENITH: [f32; 3] = [0.09, 0.28, 0.72];
/// Radius of the sky, m.
const SKY: f32 = 900.0;

#[derive(Component)]
struct Dome;

/// The dome of the clouds, before that of the sky.
#[derive(Component)]
struct Clouds;

pub(super) struct SkyPlugin;

impl Plugin for SkyPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(Color::linear_rgb(HORIZON[0], HORIZON[1], HORIZON[2])))
            .insert_resource(GlobalAmbientLight { brightness: 0.0, ..default() })
            .add_systems(Startup, spawn)
            .add_systems(Update, (shine, glow, surround))
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
    mut images: ResMut<Assets<Image>>,
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
    let white = StandardMaterial {
        base_color_texture: Some(images.add(cloud_texture())),
        alpha_mode: AlphaMode::Blend,
        ..unlit.clone()
    };
    commands.spawn((
        Dome,
        Clouds,
        Mesh3d(meshes.add(clouds(play.sun))),
        MeshMaterial3d(materials.add(white)),
        Transform::default(),
        NotShadowCaster,
        NotShadowReceiver,
        NoFrustumCulling,
    ));
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
    let [low, noon] = [[1.0, 0.82, 0.62], [1.0, 0.95, 0.88]];
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

/// Texels along a side of the clouds' texture, which goes on at its edges.
const TEXELS: usize = 256;

/// Noise that comes again after `cells`, 0..1.
fn periodic(x: f32, y: f32, cells: i32) -> f32 {
    let (i, j) = (libm::floorf(x), libm::floorf(y));
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    let (u, v) = (ease(x - i), ease(y - j));
    let at = |dx: i32, dy: i32| {
        let (a, b) = ((i as i32 + dx).rem_euclid(cells), (j as i32 + dy).rem_euclid(cells));
        uniform(0x636c_6f75, Stream::Plant, (b * cells + a) as u64 + 4096 * cells as u64) as f32
    };
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    mix(mix(at(0, 0), at(1, 0), u), mix(at(0, 1), at(1, 1), u), v)
}

/// Fair-weather clouds: white, as dense as noise says; their own shade is in their colour.
fn cloud_texture() -> Image {
    let mut bytes = Vec::with_capacity(4 * TEXELS * TEXELS);
    let density = |x: usize, y: usize| {
        let (mut sum, mut weight) = (0.0, 0.5);
        for octave in 0..5 {
            let cells = 4 << octave;
            let scale = cells as f32 / TEXELS as f32;
            sum += weight * periodic(x as f32 * scale, y as f32 * scale, cells);
            weight *= 0.5;
        }
        smooth(f64::from(sum), 0.5, 0.72) as f32
    };
    for y in 0..TEXELS {
        for x in 0..TEXELS {
            let here = density(x, y);
            // Thick ones are grey in the middle, as seen from below.
            let white = 255.0 * (1.0 - 0.28 * here * here);
            bytes.extend([white as u8, white as u8, (0.5 * white + 127.5) as u8, (235.0 * here) as u8]);
        }
    }
    let size = Extent3d { width: TEXELS as u32, height: TEXELS as u32, depth_or_array_layers: 1 };
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new(size, TextureDimension::D2, bytes, format, RenderAssetUsages::RENDER_WORLD);
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::Repeat,
        address_mode_v: ImageAddressMode::Repeat,
        ..ImageSamplerDescriptor::linear()
    });
    image
}

/// A dome whose texture lies on a ceiling, so that clouds crowd together towards the horizon, where they fade into the haze.
fn clouds(sun: [f32; 2]) -> Mesh {
    const SIDES: u32 = 48;
    const RINGS: u32 = 14;
    let warm = sunlight(sun[1]).to_linear();
    let (mut positions, mut uvs, mut colours, mut indices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for ring in 0..=RINGS {
        let share = ring as f32 / RINGS as f32;
        let up = 0.02 + 1.55 * share * share;
        for side in 0..=SIDES {
            let turn = std::f32::consts::TAU * side as f32 / SIDES as f32;
            let way = Vec3::new(
                libm::cosf(turn) * libm::cosf(up),
                libm::sinf(up),
                libm::sinf(turn) * libm::cosf(up),
            );
            positions.push((0.97 * SKY * way).to_array());
            let ceiling = 0.55 / (way.y + 0.12);
            uvs.push([0.31 + way.x * ceiling, 0.17 + way.z * ceiling]);
            let seen = smooth(f64::from(way.y), 0.03, 0.3) as f32;
            let light = 0.55 + 0.45 * sun[1].clamp(0.0, 0.8);
            colours.push([
                light * (0.5 + 0.5 * warm.red),
                light * (0.5 + 0.5 * warm.green),
                light * (0.5 + 0.5 * warm.blue),
                seen,
            ]);
        }
    }
    for ring in 0..RINGS {
        for side in 0..SIDES {
            let a = ring * (SIDES + 1) + side;
            let b = a + SIDES + 1;
            indices.extend([a, a + 1, b, a + 1, b + 1, b]);
        }
    }
    let normals = vec![[0.0, -1.0, 0.0]; positions.len()];
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colours)
        .with_inserted_indices(Indices::U32(indices))
}

/// The sun goes where the panel says.
fn shine(
    play: Res<Play>,
    mut last: Local<Option<[f32; 2]>>,
    mut suns: Query<(&mut Transform, &mut DirectionalLight)>,
    domes: Query<(&Mesh3d, Has<Clouds>), With<Dome>>,
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
    for (sky, cloudy) in &domes {
        let _ = meshes.insert(sky.id(), if cloudy { clouds(play.sun) } else { dome(play.sun) });
    }
}

/// Luminance of the brightest part of what lights the shade, cd/m²: our choice, as of a clear sky some way from the sun.
const SKYLIGHT: f32 = 11_500.0;

/// Light that comes from everywhere, as a cube of six colours, linear and 1 at most: blue from above, brighter from the horizon,
/// brightest on the side of the sun, and from below what the ground throws back. `ground` is the colour of the ground.
fn skylight(sun: [f32; 2], ground: [f32; 3]) -> Image {
    let (towards, warm) = (sunwards(sun), sunlight(sun[1]).to_linear().to_f32_array());
    // Of the light of sun and sky that falls on level ground; half of the sun's is lost in what stands on it.
    let lit = 0.28 + 0.9 * libm::sinf(sun[1].max(0.0));
    let colour = |way: Vec3| -> [f32; 3] {
        let near = 0.5 + 0.5 * way.dot(Vec3::new(towards.x, 0.0, towards.z).normalize_or(Vec3::X));
        std::array::from_fn(|k| match way.y {
            y if y > 0.5 => [0.46, 0.60, 0.86][k],
            y if y < -0.5 => (ground[k] * lit * (0.4 + 0.6 * warm[k])).min(1.0),
            _ => {
                ([0.52, 0.60, 0.72][k] + 0.34 * near * near * warm[k]).min(1.0) * 0.82
                    + 0.18 * ground[k] * lit
            }
        })
    };
    // Faces in the order of a cube map; the engine turns z around.
    let faces = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::NEG_Z, Vec3::Z];
    let bytes = faces.into_iter().flat_map(|way| {
        let [r, g, b] = colour(way);
        Color::linear_rgb(r, g, b).to_srgba().to_u8_array()
    });
    let size = Extent3d { width: 1, height: 1, depth_or_array_layers: 6 };
    let format = TextureFormat::Rgba8UnormSrgb;
    let cube = TextureViewDescriptor { dimension: Some(TextureViewDimension::Cube), ..default() };
    Image {
        texture_view_descriptor: Some(cube),
        ..Image::new(size, TextureDimension::D2, bytes.collect(), format, RenderAssetUsages::RENDER_WORLD)
    }
}

/// Every eye sees things in the light of the sky and of the ground around.
fn glow(
    play: Res<Play>,
    trample: Res<Trample>,
    mut last: Local<Option<([f32; 2], u64)>>,
    mut commands: Commands,
    mut images: ResMut<Assets<Image>>,
    eyes: Query<(Entity, Has<EnvironmentMapLight>), With<Camera3d>>,
) {
    let now = (play.sun, trample.generation());
    if *last == Some(now) && eyes.iter().all(|(_, lit)| lit) {
        return;
    }
    *last = Some(now);
    let ground = trample_looks::colour::linear(trample.world().scene().terrain.materials[0].material.colour);
    let map = images.add(skylight(play.sun, ground));
    for (eye, _) in &eyes {
        let (diffuse_map, specular_map) = (map.clone(), map.clone());
        let light = EnvironmentMapLight { diffuse_map, specular_map, intensity: SKYLIGHT, ..default() };
        commands.entity(eye).insert(light);
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
