//! A picture of a world, with no window: for a command, and for tests.

use super::TrampleRenderPlugin;
use crate::view::{TrampleEye, TrampleLook};
use crate::{Trample, TramplePlugin};
use bevy::app::PluginsState;
use bevy::asset::RenderAssetUsages;
use bevy::camera::{Exposure, RenderTarget};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap, GlobalAmbientLight};
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat, TextureUsages};
use bevy::render::renderer::initialize_renderer;
use bevy::render::settings::{RenderCreation, WgpuSettings};
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::window::ExitCondition;
use std::sync::Once;

/// Camera, size and light of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// Position of the camera, m.
    pub eye: Vec3,
    /// Point that it looks at, m.
    pub target: Vec3,
    /// Vertical field of view, rad.
    pub opening: f32,
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// Direction of the sun: rad from +x towards +z, and rad above the horizon.
    pub sun: [f32; 2],
    /// Whether the sun casts shadows.
    pub shadows: bool,
    /// Samples per pixel: 1, 2 or 4.
    pub samples: u32,
}

impl Default for Shot {
    fn default() -> Self {
        Self {
            eye: Vec3::new(0.0, 1.7, 4.0),
            target: Vec3::ZERO,
            opening: 0.8,
            width: 640,
            height: 360,
            sun: [0.8, 0.4],
            shadows: true,
            samples: 4,
        }
    }
}

impl Shot {
    /// Looks at the middle of a world's terrain from its near long side, with the whole terrain in view.
    pub fn overview(world: &trample::World) -> Self {
        let [wide, deep] = world.scene().terrain.size.map(|m| m as f32);
        let middle = Vec3::new(0.5 * wide, 0.0, 0.5 * deep);
        let height = world.height(f64::from(middle.x), f64::from(middle.z)) as f32;
        let target = middle + Vec3::Y * height;
        let away = 0.75 * wide.max(1.2 * deep);
        Self {
            eye: target + Vec3::new(0.0, 0.62 * away, 0.5 * deep + 0.62 * away),
            target,
            ..Self::default()
        }
    }

    /// Follows a puppet from behind and to the side, at the height of its eyes.
    pub fn following(world: &trample::World, puppet: usize) -> Option<Self> {
        let shown = Trample::from_world(world.clone()).pose_between(puppet, 1.0)?;
        let place = shown.soles.iter().map(|s| s.position).sum::<Vec3>() / shown.soles.len().max(1) as f32;
        let (sin, cos) = ops::sin_cos(shown.heading);
        let (ahead, right) = (Vec3::new(cos, 0.0, sin), Vec3::new(-sin, 0.0, cos));
        Some(Self {
            eye: place - 2.4 * ahead + 1.9 * right + 1.5 * Vec3::Y,
            target: place + 0.6 * Vec3::Y,
            ..Self::default()
        })
    }
}

/// A picture: RGB, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// Three bytes per pixel.
    pub rgb: Vec<u8>,
}

/// Reason why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureError {
    /// A side is 0 or too large for a texture.
    Size(u32, u32),
    /// No graphics card and no software renderer.
    NoDevice,
    /// The graphics card returned no data.
    NoAnswer,
}

impl std::fmt::Display for PictureError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(w, h) => write!(f, "a picture of {w} × {h} pixels: each side must be 1 to 8192"),
            Self::NoDevice => write!(f, "no graphics device: Vulkan is needed, lavapipe will do"),
            Self::NoAnswer => write!(f, "the graphics device sent no picture back"),
        }
    }
}

impl std::error::Error for PictureError {}

#[derive(Resource, Default)]
struct Taken(Option<Picture>);

/// Name of the thread that looks for a graphics device.
const FINDER: &str = "graphics device";

/// A graphics device to draw with when there is no window.
///
/// Bevy's own initialisation panics if there is none. Here it runs in a separate thread with a silenced panic, which becomes the
/// error.
///
/// # Errors
/// [`PictureError::NoDevice`] if there is neither a graphics card nor a software renderer.
pub fn device() -> Result<RenderCreation, PictureError> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let tell = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().name() != Some(FINDER) {
                tell(panic);
            }
        }));
    });
    let settings = WgpuSettings::default();
    let Some(backends) = settings.backends else { return Err(PictureError::NoDevice) };
    let find = move || bevy::tasks::block_on(initialize_renderer(backends, None, &settings));
    let found = std::thread::Builder::new().name(FINDER.into()).spawn(find);
    let found = found.map_err(|_| PictureError::NoDevice)?.join();
    found.map(RenderCreation::from).map_err(|_| PictureError::NoDevice)
}

/// The plugins a picture needs: no window, no input, and shaders ready before the first frame.
fn headless(app: &mut App, device: RenderCreation) {
    app.add_plugins((
        TaskPoolPlugin::default(),
        bevy::diagnostic::FrameCountPlugin,
        bevy::time::TimePlugin,
        TransformPlugin,
        bevy::diagnostic::DiagnosticsPlugin,
        WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() },
        AssetPlugin::default(),
        RenderPlugin { synchronous_pipeline_compilation: true, render_creation: device, ..default() },
        ImagePlugin::default(),
        bevy::mesh::MeshPlugin,
        bevy::camera::CameraPlugin,
        bevy::light::LightPlugin,
        bevy::core_pipeline::CorePipelinePlugin,
        bevy::pbr::PbrPlugin::default(),
    ));
    app.add_plugins((bevy::gizmos::GizmoPlugin, bevy::gizmos_render::GizmoRenderPlugin));
}

/// Draws a world in its current state.
///
/// # Errors
/// If the size is invalid, there is no graphics device, or it returns no data.
pub fn picture(world: trample::World, shot: &Shot, look: &TrampleLook) -> Result<Picture, PictureError> {
    let Shot { width, height, .. } = *shot;
    if !(1..=8192).contains(&width) || !(1..=8192).contains(&height) {
        return Err(PictureError::Size(width, height));
    }
    let mut app = App::new();
    headless(&mut app, device()?);
    if app.get_sub_app(bevy::render::RenderApp).is_none() {
        return Err(PictureError::NoDevice);
    }
    app.add_plugins((TramplePlugin::default(), TrampleRenderPlugin::default()));
    let mut trample = Trample::from_world(world);
    trample.paused = true;
    app.insert_resource(trample).insert_resource(*look).init_resource::<Taken>();
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();

    let size = Extent3d { width, height, depth_or_array_layers: 1 };
    let mut image = Image::new_uninit(
        size,
        TextureDimension::D2,
        TextureFormat::Rgba8UnormSrgb,
        RenderAssetUsages::RENDER_WORLD,
    );
    image.texture_descriptor.usage |= TextureUsages::RENDER_ATTACHMENT;
    let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
    light(&mut app, shot);
    app.world_mut().spawn((
        Camera3d::default(),
        TrampleEye,
        RenderTarget::Image(image.clone().into()),
        Projection::Perspective(PerspectiveProjection { fov: shot.opening, near: 0.05, ..default() }),
        Transform::from_translation(shot.eye).looking_at(shot.target, Vec3::Y),
        match shot.samples {
            0 | 1 => Msaa::Off,
            2 => Msaa::Sample2,
            _ => Msaa::Sample4,
        },
        Tonemapping::AcesFitted,
        Exposure { ev100: 13.6 },
    ));
    // Two frames to see everything and to send it, one more for good measure.
    (0..4).for_each(|_| app.update());
    app.world_mut().spawn(Screenshot::image(image)).observe(take);
    for _ in 0..200 {
        app.update();
        if let Some(picture) = app.world_mut().resource_mut::<Taken>().0.take() {
            return Ok(picture);
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Err(PictureError::NoAnswer)
}

fn take(captured: On<ScreenshotCaptured>, mut taken: ResMut<Taken>) {
    let image = &captured.image;
    let (width, height) = (image.width(), image.height());
    let data = image.data.as_deref().unwrap_or_default();
    let rgb = data.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    taken.0 = Some(Picture { width, height, rgb });
}

/// Sun and sky.
fn light(app: &mut App, shot: &Shot) {
    let [azimuth, elevation] = shot.sun;
    let ((sa, ca), (se, ce)) = (ops::sin_cos(azimuth), ops::sin_cos(elevation));
    let from = Vec3::new(ca * ce, se, sa * ce);
    app.insert_resource(ClearColor(Color::srgb(0.62, 0.72, 0.82)));
    app.insert_resource(GlobalAmbientLight {
        color: Color::srgb(0.75, 0.85, 1.0),
        brightness: 14_000.0,
        ..default()
    });
    app.insert_resource(DirectionalLightShadowMap { size: 2048 });
    app.world_mut().spawn((
        DirectionalLight {
            illuminance: light_consts::lux::RAW_SUNLIGHT * 0.8,
            color: Color::srgb(1.0, 0.95, 0.87),
            shadow_maps_enabled: shot.shadows,
            ..default()
        },
        CascadeShadowConfigBuilder {
            num_cascades: 2,
            first_cascade_far_bound: 5.0,
            maximum_distance: 25.0,
            ..default()
        }
        .build(),
        Transform::from_translation(from).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}
