//! Pictures and films without a window.

use super::{Play, Setup, cameras, canvas, keep_look, keep_time, overlay, sky, tint};
use crate::camera::{Rig, Turn};
use crate::keys::Held;
use crate::session::Session;
use crate::waypoints::Waypoints;
use bevy::app::PluginsState;
use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use bevy_trample::render::TrampleRenderPlugin;
use bevy_trample::{Trample, TrampleEye, TramplePlugin};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to show.
#[derive(Clone, Debug)]
pub struct Film {
    /// Scene, camera, overlays, quality and size as for a window.
    pub setup: Setup,
    /// When the first picture is taken, s of the scene.
    pub at: f64,
    /// How many pictures.
    pub frames: usize,
    /// Pictures per second of the scene.
    pub rate: f64,
    /// Whether the camera goes once around while time stands still.
    pub turntable: bool,
    /// How much farther than usual the eye is, as a power of e; below 0 is nearer.
    pub zoom: f32,
    /// Turn of the camera around what it looks at, and upwards, rad.
    pub turn: [f32; 2],
    /// Where the sun is: rad from +x towards +z, rad above the horizon.
    pub sun: [f32; 2],
    /// A picture, an animated picture if there are several frames, or a folder of pictures if it does not end in `.png`.
    pub out: PathBuf,
}

#[derive(Resource, Default)]
struct Taken(Option<Vec<u8>>);

/// Takes the pictures; returns the files.
///
/// # Errors
/// If the scene cannot run, there is no graphics device, or a file cannot be written.
pub fn render(film: &Film) -> Result<Vec<PathBuf>, String> {
    let [width, height] = film.setup.window;
    if !(1..=8192).contains(&width) || !(1..=8192).contains(&height) {
        return Err(format!("a picture of {width} × {height} pixels: each side must be 1 to 8192"));
    }
    let mut app = App::new();
    let image = open(&mut app, film)?;
    let frames = film.frames.max(1);
    let mut pictures = Vec::with_capacity(frames);
    for i in 0..frames {
        if i > 0 {
            if film.turntable {
                let turn = Turn { yaw: std::f32::consts::TAU / frames as f32, ..Turn::default() };
                app.world_mut().resource_mut::<Play>().turn = turn;
                app.world_mut().resource_mut::<Play>().rig.cut();
            } else {
                app.world_mut().resource_mut::<Trample>().paused = false;
            }
            app.update();
            app.world_mut().resource_mut::<Trample>().paused = true;
        }
        pictures.push(take(&mut app, &image)?);
    }
    if let Some(map) = film.setup.overlays.map {
        let world = app.world().resource::<Trample>().world();
        let legend = crate::legend::legend(world, map, app.world().resource::<Play>().range.1.map(f64::from));
        let [low, high] = legend.range;
        eprintln!("{}, {}: {low} (violet) to {high} (yellow)", legend.title, legend.unit);
    }
    write(&film.out, &pictures, [width, height], film.rate)
}

/// An app without a window, at the time of the first picture, all of it in view.
fn open(app: &mut App, film: &Film) -> Result<Handle<Image>, String> {
    let setup = &film.setup;
    let (mut session, mut world) = match &setup.replay {
        Some(file) => Session::load(file.clone(), true)?,
        None => Session::new(setup.source.clone())?,
    };
    let dt = world.scene().dt();
    let (began, mut told) = (std::time::Instant::now(), 1);
    for _ in 0..(film.at.max(0.0) / dt + 1e-6) as u64 {
        // Long ways are told every few seconds.
        if began.elapsed().as_secs() >= 3 * told {
            told += 1;
            eprintln!("{:.0} of {:.0} s simulated", world.time(), film.at);
        }
        session.before_step(&mut world);
        world.step(dt);
        session.after_step(&world, &[0.0; 6]);
    }
    app.add_plugins(
        DefaultPlugins
            .build()
            .disable::<WinitPlugin>()
            .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
            .set(RenderPlugin {
                synchronous_pipeline_compilation: true,
                render_creation: bevy_trample::render::device().map_err(|e| e.to_string())?,
                ..default()
            })
            .set(LogPlugin { filter: "error".into(), ..default() }),
    );
    if app.get_sub_app(bevy::render::RenderApp).is_none() {
        return Err("no graphics device: Vulkan is needed, lavapipe will do".into());
    }
    app.add_plugins((TramplePlugin::default(), TrampleRenderPlugin::default()));
    app.add_plugins((sky::SkyPlugin, overlay::OverlayPlugin, tint::TintPlugin));
    let mut trample = Trample::from_world(world);
    trample.paused = true;
    let mut play = Play {
        session,
        overlays: setup.overlays,
        quality: setup.quality,
        resolution: 1.0,
        rig: Rig::new(setup.view),
        waypoints: Waypoints::default(),
        routing: false,
        panel: false,
        covered: 0.0,
        plots: false,
        help: false,
        hint: false,
        notice: (String::new(), 0.0),
        held: Held::default(),
        turn: Turn { yaw: film.turn[0], pitch: film.turn[1], zoom: film.zoom },
        sun: film.sun,
        folder: PathBuf::new(),
        told: None,
        range: (None, [0.0, 1.0]),
        ranged: 0,
        now: 0.0,
        patient: true,
    };
    play.focus_on_walker(&trample);
    let step = Duration::from_secs_f64(1.0 / film.rate.clamp(1.0, 240.0));
    app.insert_resource(trample)
        .insert_resource(play)
        .insert_resource(super::looks(setup.quality))
        .insert_resource(TimeUpdateStrategy::ManualDuration(step))
        .init_resource::<Taken>()
        .add_systems(Update, (keep_time, keep_look, cameras::go).chain());
    app.add_systems(FixedUpdate, super::before.in_set(bevy_trample::TrampleSet::SyncIn));
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    let image = canvas::picture(setup.window);
    let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
    app.world_mut().spawn((
        Camera3d::default(),
        TrampleEye,
        RenderTarget::Image(image.clone().into()),
        Projection::Perspective(PerspectiveProjection {
            fov: cameras::OPENING,
            near: 0.03,
            far: 1500.0,
            ..default()
        }),
        Transform::default(),
        Tonemapping::AcesFitted,
        cameras::EXPOSURE,
        cameras::samples(setup.quality),
        sky::fog(),
    ));
    // What is in view is found and sent over a few frames.
    (0..6).for_each(|_| app.update());
    Ok(image)
}

/// One picture of what is there now: four bytes a pixel.
fn take(app: &mut App, image: &Handle<Image>) -> Result<Vec<u8>, String> {
    app.update();
    app.world_mut().spawn(Screenshot::image(image.clone())).observe(
        |captured: On<ScreenshotCaptured>, mut taken: ResMut<Taken>| {
            taken.0 = Some(captured.image.data.clone().unwrap_or_default());
        },
    );
    for _ in 0..400 {
        app.update();
        if let Some(picture) = app.world_mut().resource_mut::<Taken>().0.take() {
            return Ok(picture);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err("the graphics device sent no picture back".into())
}

fn write(out: &Path, pictures: &[Vec<u8>], size: [u32; 2], rate: f64) -> Result<Vec<PathBuf>, String> {
    let fail = |path: &Path, e: String| format!("{}: {e}", path.display());
    let single = out.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    let folder = if single { out.parent().unwrap_or(Path::new("")) } else { out };
    if !folder.as_os_str().is_empty() {
        std::fs::create_dir_all(folder).map_err(|e| fail(folder, e.to_string()))?;
    }
    if single {
        let bytes = png(pictures, size, rate).map_err(|e| fail(out, e.to_string()))?;
        trample_files::whole::write(out, &bytes).map_err(|e| fail(out, e.to_string()))?;
        return Ok(vec![out.to_path_buf()]);
    }
    let mut files = Vec::new();
    for (i, picture) in pictures.iter().enumerate() {
        let path = out.join(format!("frame-{i:04}.png"));
        let bytes = png(std::slice::from_ref(picture), size, rate).map_err(|e| fail(&path, e.to_string()))?;
        trample_files::whole::write(&path, &bytes).map_err(|e| fail(&path, e.to_string()))?;
        files.push(path);
    }
    Ok(files)
}

/// A PNG, animated if there are several pictures.
fn png(pictures: &[Vec<u8>], [width, height]: [u32; 2], rate: f64) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    if pictures.len() > 1 {
        encoder.set_animated(pictures.len() as u32, 0)?;
        encoder.set_frame_delay(100, (100.0 * rate).round().clamp(1.0, 65_535.0) as u16)?;
    }
    let mut writer = encoder.write_header()?;
    for picture in pictures {
        let rgb: Vec<u8> = picture.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        writer.write_image_data(&rgb)?;
    }
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_pictures_become_one_animated_file_or_a_folder() {
        let folder = tempfile::tempdir().expect("folder");
        let pictures = vec![vec![0; 4 * 6], vec![255; 4 * 6]];
        let path = folder.path().join("film.png");
        assert_eq!(write(&path, &pictures, [3, 2], 25.0).expect("written"), std::slice::from_ref(&path));
        let file = std::io::BufReader::new(std::fs::File::open(&path).expect("file"));
        let reader = png::Decoder::new(file).read_info().expect("a picture");
        assert_eq!(reader.info().animation_control().map(|a| a.num_frames), Some(2));
        let files = write(&folder.path().join("frames"), &pictures, [3, 2], 25.0).expect("written");
        assert_eq!(files.len(), 2);
    }
}
