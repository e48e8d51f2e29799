//! Pictures and films without a window.

use super::progress::Progress;
use super::timings::{Engine, Timings, TimingsPlugin};
use super::{Play, Setup, cameras, canvas, guests, keep_look, keep_time, overlay, sky, spray, tint, weather};
use crate::camera::Turn;
use crate::session::Session;
use bevy::app::{PluginsState, RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy::camera::{RenderTarget, Viewport};
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
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trample_looks::Legend;

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

/// Pictures that came back from the card, by number.
#[derive(Resource, Default)]
struct Taken(BTreeMap<usize, Vec<u8>>);

/// How long a picture may take: a large one of a software driver on a busy machine takes minutes. Our choice.
const PATIENCE: Duration = Duration::from_secs(600);

/// Most pictures on their way at once.
const ON_THEIR_WAY: usize = 6;

/// Takes the pictures and writes each as soon as it is there; returns the files.
///
/// # Errors
/// If the scene cannot run, there is no graphics device, or a file cannot be written.
pub fn render(film: &Film) -> Result<Vec<PathBuf>, String> {
    let [width, height] = film.setup.window;
    if !(1..=8192).contains(&width) || !(1..=8192).contains(&height) {
        return Err(format!("a picture of {width} × {height} pixels: each side must be 1 to 8192"));
    }
    let frames = film.frames.max(1);
    let mut reel = Reel::new(&film.out, [width, height], frames, film.rate)?;
    let mut app = App::new();
    let image = open(&mut app, film)?;
    let mut progress = Progress::of("pictures");
    for number in 0..frames {
        if number > 0 && film.turntable {
            let turn = Turn { yaw: std::f32::consts::TAU / frames as f32, ..Turn::default() };
            let mut play = app.world_mut().resource_mut::<Play>();
            play.turn = turn;
            play.rig.cut();
        } else if number > 0 {
            // One update is one picture: time stands still again before anything is shown.
            app.world_mut().resource_mut::<Trample>().paused = false;
        }
        app.world_mut().spawn(Screenshot::image(image.clone())).observe(
            move |captured: On<ScreenshotCaptured>, mut taken: ResMut<Taken>| {
                taken.0.insert(number, captured.image.data.clone().unwrap_or_default());
            },
        );
        app.update();
        if let Some(map) = film.setup.overlays.map {
            let range = app.world().resource::<Play>().range.1.map(f64::from);
            let legend = trample_looks::legend(app.world().resource::<Trample>().world(), map, range);
            reel.legends.insert(number, legend);
        }
        collect(&mut app, &mut reel)?;
        if number + 1 - reel.written > ON_THEIR_WAY {
            fetch(&mut app, &mut reel, number + 1 - ON_THEIR_WAY / 2)?;
        }
        progress.tell(reel.written as f64, frames as f64);
    }
    fetch(&mut app, &mut reel, frames)?;
    drop(progress);
    app.world().resource::<Timings>().write()?;
    reel.finish()
}

/// Takes over what came back.
fn collect(app: &mut App, reel: &mut Reel) -> Result<(), String> {
    let mut taken = app.world_mut().resource_mut::<Taken>();
    while let Some(mut picture) = taken.0.remove(&reel.written) {
        if let Some(legend) = reel.legends.remove(&reel.written) {
            trample_pictures::inset(&mut picture, reel.size.map(|n| n as usize), &legend);
        }
        reel.add(&picture)?;
    }
    Ok(())
}

/// Waits until so many pictures have come back: frames in which nothing is drawn, which only fetch.
fn fetch(app: &mut App, reel: &mut Reel, wanted: usize) -> Result<(), String> {
    let began = Instant::now();
    activate(app, false);
    while reel.written < wanted {
        if began.elapsed() > PATIENCE {
            return Err("the graphics device sent no picture back".into());
        }
        app.update();
        collect(app, reel)?;
        if reel.written < wanted {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    activate(app, true);
    Ok(())
}

fn activate(app: &mut App, on: bool) {
    let world = app.world_mut();
    let mut cameras = world.query::<&mut Camera>();
    cameras.iter_mut(world).for_each(|mut camera| camera.is_active = on);
}

/// An app without a window, at the time of the first picture, all of it in view.
fn open(app: &mut App, film: &Film) -> Result<Handle<Image>, String> {
    let setup = &film.setup;
    let (mut session, mut world) = match &setup.replay {
        Some(file) => Session::load(file.clone(), true)?,
        None => Session::new(setup.source.clone())?,
    };
    let dt = world.scene().dt();
    let mut progress = Progress::of("s simulated");
    for _ in 0..(film.at.max(0.0) / dt + 1e-6) as u64 {
        progress.tell(world.time(), film.at);
        session.before_step(&mut world);
        world.step(dt);
        session.after_step(&world, &[0.0; 6]);
    }
    drop(progress);
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
    app.add_plugins((
        sky::SkyPlugin,
        spray::SprayPlugin,
        guests::GuestsPlugin,
        overlay::OverlayPlugin,
        tint::TintPlugin,
        weather::WeatherPlugin,
    ));
    app.add_plugins(TimingsPlugin { file: setup.timings.clone() });
    let mut trample = Trample::from_world(world);
    trample.paused = true;
    let mut play = Play {
        resolution: 1.0,
        panel: false,
        hint: false,
        turn: Turn { yaw: film.turn[0], pitch: film.turn[1], zoom: film.zoom },
        sun: film.sun,
        patient: true,
        ..Play::new(session, setup)
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
    // What is shown is the last step itself, not something between two.
    let halt = |mut trample: ResMut<Trample>| trample.paused = true;
    let then = halt
        .after(RunFixedMainLoopSystems::FixedMainLoop)
        .before(RunFixedMainLoopSystems::AfterFixedMainLoop);
    app.add_systems(RunFixedMainLoop, then);
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
    settle(app)?;
    Ok(image)
}

/// Until everything is in view and every shader is there: frames of a few pixels, so that they cost next to nothing.
fn settle(app: &mut App) -> Result<(), String> {
    /// Eye and bodies are in their places in the second frame, what they see in the third.
    const LEAST: u32 = 3;
    let small = Viewport { physical_size: UVec2::splat(16), ..default() };
    view(app, Some(small));
    let began = Instant::now();
    let mut progress = Progress::of("shaders");
    let mut updates = 0;
    loop {
        app.update();
        updates += 1;
        let [ready, all] = app.world().resource::<Engine>().shaders();
        progress.tell(ready as f64, all as f64);
        if updates >= LEAST && ready == all && all > 0 {
            break;
        }
        if began.elapsed() > PATIENCE {
            return Err(format!("only {ready} of {all} shaders are ready after ten minutes"));
        }
    }
    view(app, None);
    Ok(())
}

fn view(app: &mut App, part: Option<Viewport>) {
    let world = app.world_mut();
    let mut cameras = world.query::<&mut Camera>();
    cameras.iter_mut(world).for_each(|mut camera| camera.viewport.clone_from(&part));
}

/// Where pictures go: a file, an animated one, or a folder.
struct Reel {
    out: PathBuf,
    size: [u32; 2],
    files: Vec<PathBuf>,
    written: usize,
    /// An animated file is written under another name and gets its own at the end.
    film: Option<(png::Writer<BufWriter<File>>, PathBuf)>,
    single: bool,
    frames: usize,
    /// What the colours of each picture on its way mean, where a map is shown.
    legends: BTreeMap<usize, Legend>,
}

impl Reel {
    fn new(out: &Path, size: [u32; 2], frames: usize, rate: f64) -> Result<Self, String> {
        let single = out.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
        let folder = if single { out.parent().unwrap_or(Path::new("")) } else { out };
        if !folder.as_os_str().is_empty() {
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        let mut reel = Self {
            out: out.into(),
            size,
            files: Vec::new(),
            written: 0,
            film: None,
            single,
            frames,
            legends: BTreeMap::new(),
        };
        if single && frames > 1 {
            let part = out.with_extension("png.part");
            let file = File::create(&part).map_err(|e| format!("{}: {e}", part.display()))?;
            let mut encoder = encoder(BufWriter::new(file), size, frames);
            let begin = |encoder: &mut png::Encoder<'_, _>| {
                encoder.set_animated(frames as u32, 0)?;
                encoder.set_frame_delay(100, (100.0 * rate).round().clamp(1.0, 65_535.0) as u16)
            };
            begin(&mut encoder).map_err(|e| e.to_string())?;
            let writer = encoder.write_header().map_err(|e| format!("{}: {e}", part.display()))?;
            reel.film = Some((writer, part));
        }
        Ok(reel)
    }

    /// The next picture: four bytes a pixel.
    fn add(&mut self, picture: &[u8]) -> Result<(), String> {
        let rgb: Vec<u8> = picture.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        let number = self.written;
        self.written += 1;
        if let Some((film, part)) = &mut self.film {
            return film.write_image_data(&rgb).map_err(|e| format!("{}: {e}", part.display()));
        }
        let path =
            if self.single { self.out.clone() } else { self.out.join(format!("frame-{number:04}.png")) };
        let mut bytes = Vec::new();
        let write = |bytes: &mut Vec<u8>| {
            let mut writer = encoder(bytes, self.size, self.frames).write_header()?;
            writer.write_image_data(&rgb)?;
            writer.finish()
        };
        write(&mut bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        trample_files::atomic::write(&path, &bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        self.files.push(path);
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<PathBuf>, String> {
        if let Some((film, part)) = self.film.take() {
            film.finish().map_err(|e| format!("{}: {e}", part.display()))?;
            std::fs::rename(&part, &self.out).map_err(|e| format!("{}: {e}", self.out.display()))?;
            self.files.push(self.out.clone());
        }
        Ok(self.files)
    }
}

/// A single picture is packed well; the pictures of a film in little time, which is a tenth of what packing them well takes.
fn encoder<'a, W: std::io::Write>(to: W, [width, height]: [u32; 2], frames: usize) -> png::Encoder<'a, W> {
    let mut encoder = png::Encoder::new(to, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    if frames > 1 {
        encoder.set_compression(png::Compression::Fast);
    }
    encoder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reel(out: &Path, pictures: usize) -> Vec<PathBuf> {
        let mut reel = Reel::new(out, [3, 2], pictures, 25.0).expect("begun");
        for k in 0..pictures {
            reel.add(&[100 * k as u8; 4 * 6]).expect("written");
        }
        reel.finish().expect("finished")
    }

    #[test]
    fn several_pictures_become_one_animated_file_or_a_folder() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("film.png");
        assert_eq!(reel(&path, 2), std::slice::from_ref(&path));
        let file = std::io::BufReader::new(File::open(&path).expect("file"));
        let reader = png::Decoder::new(file).read_info().expect("a picture");
        assert_eq!(reader.info().animation_control().map(|a| a.num_frames), Some(2));
        assert_eq!(reel(&folder.path().join("frames"), 2).len(), 2);
        assert_eq!(reel(&folder.path().join("one.png"), 1).len(), 1);
        assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 3, "nothing else is left");
    }

    #[test]
    fn a_picture_is_written_as_soon_as_it_is_there() {
        let folder = tempfile::tempdir().expect("folder");
        let mut reel = Reel::new(folder.path(), [3, 2], 9, 25.0).expect("begun");
        reel.add(&[7; 4 * 6]).expect("written");
        assert!(folder.path().join("frame-0000.png").is_file());
    }
}
