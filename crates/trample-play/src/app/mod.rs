//! The window: input to actions, world to pictures. Everything that decides anything is in the plain modules beside this one.

#![allow(
    elided_lifetimes_in_paths,
    clippy::needless_pass_by_value,
    reason = "parameters of systems are taken by value and written without lifetimes, as everywhere in Bevy"
)]

mod cameras;
mod canvas;
mod drive;
mod files;
mod guests;
mod input;
mod land;
mod overlay;
mod panel;
mod plots;
#[cfg(not(target_arch = "wasm32"))]
mod progress;
#[cfg(not(target_arch = "wasm32"))]
pub mod render;
mod report;
mod scenery;
mod sky;
mod sound;
mod spray;
mod timings;
mod tint;
mod tufts;
mod weather;

use crate::action::{Action, twin_of};
use crate::camera::{Rig, Turn, View};
use crate::options::{Overlays, Quality};
use crate::places::Place;
use crate::season::SeasonView;
use crate::session::Session;
use crate::start;
use crate::steering::{Held, fenced};
use crate::waypoints::Waypoints;
use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy::window::{PresentMode, WindowResolution};
use bevy_egui::EguiPlugin;
use bevy_trample::render::TrampleRenderPlugin;
use bevy_trample::{Overlay, Trample, TrampleLook, TramplePlugin, TrampleSet};
use std::path::PathBuf;
use trample::scene::{Script, Steer};
use trample_files::{RunFile, Source};

/// What to begin with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The scene.
    pub source: Source,
    /// A run to replay instead.
    pub replay: Option<RunFile>,
    /// Looks and speed.
    pub quality: Quality,
    /// Pixels of the picture for a pixel of the window, if not as the quality says.
    pub resolution: Option<f32>,
    /// Simulated seconds per second.
    pub time_scale: f64,
    /// Which camera.
    pub view: View,
    /// Whether this is the first thing that somebody sees: the walker goes by itself and is handed over to the first key.
    pub opening: bool,
    /// What is drawn over the world.
    pub overlays: Overlays,
    /// Whether time stands still at first.
    pub paused: bool,
    /// Whether the panel is open at first.
    pub panel: bool,
    /// Size of the window, pixels.
    pub window: [u32; 2],
    /// Where the status is written, if anywhere.
    pub state: Option<PathBuf>,
    /// Where what frames cost is written, if anywhere.
    pub timings: Option<PathBuf>,
    /// Input to play, frame by frame, if any.
    pub drive: Option<PathBuf>,
    /// Where pictures and exports go.
    pub folder: PathBuf,
    /// Whether there is a touch screen, so that its buttons are shown before the first touch.
    pub touch: bool,
    /// What to say first, instead of the hint; nothing if empty.
    pub notice: String,
}

/// The session and how it is shown.
#[derive(Resource)]
pub struct Play {
    /// The person's session.
    pub session: Session,
    /// What is drawn over the world.
    pub overlays: Overlays,
    /// Looks and speed.
    pub quality: Quality,
    /// Pixels of the picture for a pixel of the window, along each side.
    pub resolution: f32,
    /// The camera.
    pub rig: Rig,
    /// The route that is being made.
    pub waypoints: Waypoints,
    /// Whether clicks place waypoints.
    pub routing: bool,
    /// Whether the panel is open.
    pub panel: bool,
    /// Share of the window's width that the panel covers.
    pub covered: f32,
    /// Whether plots are shown.
    pub plots: bool,
    /// Whether it is shown what a frame costs.
    pub timings: bool,
    /// Whether footsteps are heard.
    pub sound: bool,
    /// How many were.
    pub heard: u64,
    /// Whether help is shown.
    pub help: bool,
    /// Whether the ring of places is shown.
    pub places: bool,
    /// Whether the panel shows all parameters.
    pub all: bool,
    /// The step that the world is wound to, if it is.
    pub winding: Option<u64>,
    /// The season that is played, if the scene is one.
    pub season: Option<SeasonView>,
    /// Whether somebody walks by itself while nobody has touched anything.
    pub opening: bool,
    /// Whether the first hint is still shown.
    pub hint: bool,
    /// The last message, and until when it is shown, s.
    pub notice: (String, f64),
    /// What is held down.
    pub held: Held,
    /// How the camera shall turn in this frame.
    pub turn: Turn,
    /// Where the sun is: rad from +x towards +z, rad above the horizon.
    pub sun: [f32; 2],
    /// Where pictures and exports go.
    pub folder: PathBuf,
    /// Whether a frame may take as long as it needs to show everything: for pictures.
    pub patient: bool,
    told: Option<Steer>,
    range: (Option<trample::Map>, [f32; 2]),
    ranged: u64,
    now: f64,
}

impl Play {
    /// A session as it is shown first.
    fn new(session: Session, setup: &Setup) -> Self {
        Self {
            session,
            overlays: setup.overlays,
            quality: setup.quality,
            resolution: setup.resolution.unwrap_or(setup.quality.resolution()),
            rig: Rig::new(setup.view),
            waypoints: Waypoints::default(),
            routing: false,
            panel: setup.panel,
            covered: 0.0,
            plots: false,
            timings: false,
            sound: true,
            heard: 0,
            help: false,
            places: false,
            all: false,
            winding: None,
            season: None,
            opening: setup.opening,
            hint: setup.notice.is_empty(),
            notice: (setup.notice.clone(), 30.0),
            held: Held::default(),
            turn: Turn::default(),
            sun: [2.3, if setup.opening { OPENING_SUN } else { 0.36 }],
            folder: setup.folder.clone(),
            patient: false,
            told: None,
            range: (None, [0.0, 1.0]),
            ranged: 0,
            now: 0.0,
        }
    }

    /// Goes to a place of the ring, or tries what there is to try.
    pub fn visit(&mut self, trample: &mut Trample, place: &Place) {
        let mut source = match start::find(place.scene) {
            Ok(source) => source,
            Err(problem) => return self.say(problem.to_string()),
        };
        source.settings = place.settings.iter().map(|s| (*s).to_string()).collect();
        if !self.load(trample, source) {
            return;
        }
        self.rig.choose(place.view);
        self.sun = place.sun.map(f32::to_radians);
        self.overlays.map = place.map;
        (trample.paused, trample.time_scale) = (false, 1.0);
        (self.places, self.hint, self.opening) = (false, true, place.view == View::Front);
        self.winding = (place.ahead > 0.0).then(|| (place.ahead / trample.world().scene().dt()) as u64);
        self.say(format!("{}: {}", place.title, place.about));
    }

    /// Winds a replay by some seconds; back if they are below 0.
    pub fn wind_by(&mut self, trample: &Trample, seconds: f64) {
        let steps = (seconds / trample.world().scene().dt()) as i64;
        let from = self.winding.unwrap_or(trample.steps());
        self.winding = Some(from.saturating_add_signed(steps));
    }

    /// Says something for a few seconds.
    pub fn say(&mut self, words: impl Into<String>) {
        self.notice = (words.into(), self.now + 6.0);
    }

    /// Does something, and says why if it cannot be done.
    pub fn act(&mut self, trample: &mut Trample, action: Action) {
        match self.session.act(trample.world_mut(), action) {
            Ok(_) => {}
            Err(problem) => self.say(problem),
        }
    }

    /// Begins another scene; false, with words on why, if it cannot be run.
    pub fn load(&mut self, trample: &mut Trample, source: Source) -> bool {
        match Session::new(source) {
            Ok((session, world)) => {
                self.say(format!("{}: {}", world.scene().name, world.scene().about));
                self.session = session;
                trample.replace(world);
                self.rig.cut();
                self.waypoints.path.waypoints.clear();
                (self.winding, self.opening) = (None, false);
                self.open_season(trample);
                self.focus_on_walker(trample);
                true
            }
            Err(problem) => {
                self.say(problem);
                false
            }
        }
    }

    /// Opens the season view where the scene is a season.
    fn open_season(&mut self, trample: &Trample) {
        self.season = trample
            .world()
            .scene()
            .season
            .is_some()
            .then(|| SeasonView::new(trample.world().scene()))
            .and_then(Result::ok);
    }

    /// Looks at the first walker, if there is one.
    pub fn focus_on_walker(&mut self, trample: &Trample) {
        let puppets = &trample.world().scene().puppets;
        let first = puppets.iter().position(|p| matches!(p.script, Script::Walker(_)));
        self.session.focus.walker = first.unwrap_or(0);
        self.told = None;
        self.session.meters.jump();
    }
}

/// Height of the sun when somebody opens the simulator, rad: low, so that prints throw shadows.
const OPENING_SUN: f32 = 0.26;
/// How long a frame may take steps while the world is wound, s: our choice, so that it is still seen.
const WIND: f64 = 0.08;

/// Opens the window and runs until it is closed.
///
/// # Errors
/// If the scene cannot be run.
pub fn run(setup: Setup) -> Result<AppExit, String> {
    let mut app = App::new();
    let [width, height] = setup.window;
    let window = Window {
        title: "trample".into(),
        resolution: WindowResolution::new(width, height),
        present_mode: PresentMode::AutoVsync,
        fit_canvas_to_parent: true,
        canvas: cfg!(target_arch = "wasm32").then(|| "#trample".into()),
        prevent_default_event_handling: true,
        ..default()
    };
    app.add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }));
    app.add_plugins(EguiPlugin::default());
    build(&mut app, setup)?;
    Ok(app.run())
}

/// Everything but window and engine.
fn build(app: &mut App, setup: Setup) -> Result<(), String> {
    let (session, world) = match setup.replay {
        Some(ref file) => Session::load(file.clone(), true)?,
        None => Session::new(setup.source.clone())?,
    };
    let mut play = Play::new(session, &setup);
    app.add_plugins((TramplePlugin::default(), TrampleRenderPlugin::default()));
    let mut trample = Trample::from_world(world);
    (trample.paused, trample.time_scale) = (setup.paused, setup.time_scale);
    play.focus_on_walker(&trample);
    play.open_season(&trample);
    app.insert_resource(trample).insert_resource(play).insert_resource(looks(setup.quality));
    app.add_plugins((
        sky::SkyPlugin,
        spray::SprayPlugin,
        sound::SoundPlugin,
        weather::WeatherPlugin,
        guests::GuestsPlugin,
        canvas::CanvasPlugin,
        cameras::CameraPlugin,
        overlay::OverlayPlugin,
        panel::PanelPlugin,
    ));
    app.add_plugins((input::InputPlugin { touch: setup.touch }, tint::TintPlugin, files::FilesPlugin));
    app.add_plugins((
        report::ReportPlugin { file: setup.state },
        timings::TimingsPlugin { file: setup.timings },
    ));
    if let Some(file) = setup.drive {
        app.add_plugins(drive::DrivePlugin::read(&file)?);
    }
    app.add_systems(Update, (keep_time, keep_look, wind))
        .add_systems(FixedUpdate, (before.in_set(TrampleSet::SyncIn), after.in_set(TrampleSet::WriteBack)));
    Ok(())
}

/// How far a light wind moves the tips of plants, as a share of their height; our choice.
const BREEZE: f32 = 0.07;

fn looks(quality: Quality) -> TrampleLook {
    let look = match quality {
        Quality::Low => TrampleLook::low(),
        Quality::Medium => TrampleLook::medium(),
        Quality::High => TrampleLook::default(),
    };
    TrampleLook { wind: BREEZE, ..look }
}

/// One fixed update is one step of the scene, whatever its rate.
fn keep_time(time: Res<Time>, mut fixed: ResMut<Time<Fixed>>, trample: Res<Trample>, mut play: ResMut<Play>) {
    let dt = std::time::Duration::from_secs_f64(trample.world().scene().dt().clamp(1.0 / 480.0, 0.25));
    if fixed.timestep() != dt {
        fixed.set_timestep(dt);
    }
    play.now = time.elapsed_secs_f64();
    let (now, seconds) = (play.now, time.delta_secs_f64());
    play.session.meters.frame(now, seconds);
    if let Some(season) = &mut play.season {
        season.tick(seconds.min(0.1));
    }
}

/// Keeps the plugin's looks as the person wants them.
fn keep_look(trample: Res<Trample>, mut play: ResMut<Play>, mut look: ResMut<TrampleLook>) {
    let play = &mut *play;
    let overlay = play.overlays.map.map(|map| {
        // A range is looked up when another map is chosen and then once in a while: it is rounded, so it seldom changes.
        if play.range.0 != Some(map) || trample.steps().abs_diff(play.ranged) >= 64 {
            play.range = (Some(map), trample_looks::range(trample.world(), map).map(|x| x as f32));
            play.ranged = trample.steps();
        }
        Overlay { map, range: play.range.1, strength: play.overlays.strength }
    });
    let mut wanted = TrampleLook { overlay, ..looks(play.quality) };
    if play.patient {
        (wanted.patches_per_frame, wanted.cells_per_frame) = (4096, 1 << 16);
    }
    if *look != wanted {
        *look = wanted;
    }
}

/// Before a step: what a replay does, or what the person wants.
fn before(mut trample: ResMut<Trample>, mut play: ResMut<Play>) {
    let play = &mut *play;
    play.session.before_step(trample.world_mut());
    if play.session.player.is_some() {
        // One step at a time, so that everything is done in the step it was done in.
        trample.time_scale = trample.time_scale.min(1.0);
        return;
    }
    let walker = play.session.focus.walker;
    let Some((state, _)) = trample.world().walker(walker) else { return };
    if play.opening && !play.held.is_nothing() {
        // Handed over: from behind, so that ahead is where the walker looks. The camera is there in the next frame.
        play.opening = false;
        play.rig.choose(View::Follow);
        play.rig.cut();
        return;
    }
    let steer = if play.held.is_nothing() {
        // A walker that has not been steered yet does as its scene says.
        if play.told.is_none() {
            return;
        }
        Steer::default()
    } else {
        let wish = play.held.steer(coarse(play.rig.forward()), coarse(state.heading as f32));
        fenced(wish, [state.root.x, state.root.y], trample.world().scene().terrain.size)
    };
    if play.told == Some(steer) {
        return;
    }
    if !play.held.is_nothing() && steer.velocity == [0.0; 2] {
        play.say("this is the edge of the ground: turn around");
    }
    let twin = twin_of(trample.world().scene(), walker);
    play.act(&mut trample, Action::steer(walker, steer));
    if let Some(twin) = twin {
        play.act(&mut trample, Action::steer(twin, steer));
    }
    play.told = (!play.held.is_nothing()).then_some(steer);
    play.hint &= play.held.is_nothing();
}

/// Takes the steps that lie between the world and where it is wound to, as many in a frame as there is time for.
fn wind(mut trample: ResMut<Trample>, mut play: ResMut<Play>) {
    let Some(to) = play.winding else { return };
    let began = Instant::now();
    let more = || began.elapsed().as_secs_f64() < WIND;
    match play.session.wind(trample.world_mut(), to, more) {
        Ok(false) => {}
        Ok(true) => play.winding = None,
        Err(problem) => {
            play.winding = None;
            play.say(problem);
        }
    }
    play.told = None;
}

/// An angle in steps of a sixteenth of a radian, so that a tape is not filled with nothing.
fn coarse(angle: f32) -> f32 {
    (angle * 16.0).round() / 16.0
}

/// After a step: curves, tape, undo.
fn after(trample: Res<Trample>, mut play: ResMut<Play>, mut last: Local<u64>) {
    if trample.steps() == *last {
        return;
    }
    *last = trample.steps();
    let replaying = play.session.player.is_some();
    play.session.after_step(trample.world(), &trample.times().stages);
    if replaying && play.session.player.is_none() {
        match play.session.replayed {
            Some((None, steps)) => play.say(format!("replay: {steps} steps, all the same")),
            Some((Some(step), _)) => play.say(format!("replay: DIVERGED at step {step}")),
            None => {}
        }
    }
}
