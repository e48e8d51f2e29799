//! What a frame costs: written to a file, and shown in the window.

use super::Play;
use bevy::camera::visibility::{CascadesVisibleEntities, VisibleEntities};
use bevy::diagnostic::DiagnosticsStore;
use bevy::ecs::system::SystemParam;
use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy::render::render_resource::{CachedPipeline, CachedPipelineState, PipelineCache, PipelineDescriptor};
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy_trample::{Spent, Uploads};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Frames between two writings of the file while a window is open.
const EVERY: usize = 240;
/// Most frames that are kept: half an hour of sixty a second.
const MOST: usize = 108_000;
/// Frames that the window shows the mean of.
const MEAN: usize = 30;

/// One frame. Times are ms by the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Frame {
    /// Steps of the simulation.
    pub(super) simulation: f64,
    /// What of the ground is in view, and its texels.
    pub(super) ground: f64,
    /// What of the plants is in view, and their stems.
    pub(super) grass: f64,
    /// Walkers and soles.
    pub(super) bodies: f64,
    /// Panel and what else is written over the picture.
    pub(super) panel: f64,
    /// All else: the engine's own work for the world and for the picture, and its waiting for the card.
    pub(super) engine: f64,
    /// The graphics card, where it has timestamps.
    pub(super) card: Option<f64>,
    /// Vertices in all passes: the picture and every shadow map.
    pub(super) vertices: u64,
    /// Batches of equal meshes in all passes.
    pub(super) draws: u64,
    /// What is sent to the card, kB.
    pub(super) uploads_kb: f64,
}

impl Frame {
    /// Our own part of it, ms.
    pub(super) fn own(&self) -> f64 {
        self.simulation + self.ground + self.grass + self.bodies + self.panel
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        let card = self.card.map_or_else(|| "–".into(), |ms| format!("{ms:.1}"));
        format!(
            "ms: simulation {:.2}  ground {:.2}  grass {:.2}  bodies {:.2}  panel {:.2}  engine {:.1}  card {card}\n{:.0} thousand vertices  {} draws  {:.0} kB sent",
            self.simulation,
            self.ground,
            self.grass,
            self.bodies,
            self.panel,
            self.engine,
            self.vertices as f64 / 1e3,
            self.draws,
            self.uploads_kb,
        )
    }
}

/// The frames so far.
#[derive(Resource, Default)]
pub(super) struct Timings {
    file: Option<PathBuf>,
    frames: Vec<Frame>,
    panel: f64,
    panel_began: Option<Instant>,
    began: Option<Instant>,
    known: BTreeMap<AssetId<Mesh>, u64>,
}

impl Timings {
    /// The mean of the last frames, if they are counted.
    pub(super) fn mean(&self) -> Option<Frame> {
        let last = &self.frames[self.frames.len().saturating_sub(MEAN)..];
        let newest = *last.last()?;
        let mean = |of: fn(&Frame) -> f64| last.iter().map(of).sum::<f64>() / last.len() as f64;
        Some(Frame {
            simulation: mean(|f| f.simulation),
            ground: mean(|f| f.ground),
            grass: mean(|f| f.grass),
            bodies: mean(|f| f.bodies),
            panel: mean(|f| f.panel),
            engine: mean(|f| f.engine),
            uploads_kb: mean(|f| f.uploads_kb),
            ..newest
        })
    }

    /// Writes the file, if there is one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self) -> Result<(), String> {
        #[derive(Serialize)]
        struct All<'a> {
            frames: &'a [Frame],
        }
        let Some(file) = &self.file else { return Ok(()) };
        let text = serde_json::to_string(&All { frames: &self.frames }).map_err(|e| e.to_string())?;
        write_file(file, text.as_bytes())
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn write_file(file: &Path, bytes: &[u8]) -> Result<(), String> {
    trample_files::atomic::write(file, bytes).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(target_arch = "wasm32")]
fn write_file(_: &Path, _: &[u8]) -> Result<(), String> {
    Ok(())
}

/// What the render world tells: how long its last frame took, ns, and how many shaders there are and how many are ready.
#[derive(Resource, Clone, Default)]
pub(super) struct Engine(Arc<[AtomicU64; 3]>);

impl Engine {
    /// Shaders that are ready, and all that are asked for.
    pub(super) fn shaders(&self) -> [u64; 2] {
        [self.0[2].load(Ordering::Relaxed), self.0[1].load(Ordering::Relaxed)]
    }

    fn seconds(&self) -> f64 {
        self.0[0].load(Ordering::Relaxed) as f64 * 1e-9
    }
}

#[derive(Resource)]
struct Began(Instant);

/// Counts frames, for a file where one is given.
pub(super) struct TimingsPlugin {
    pub(super) file: Option<PathBuf>,
}

impl Plugin for TimingsPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Timings { file: self.file.clone(), ..default() });
        if self.file.is_some() {
            app.add_plugins(bevy::render::diagnostic::RenderDiagnosticsPlugin);
        }
        let engine = Engine::default();
        app.insert_resource(engine.clone());
        if let Some(render) = app.get_sub_app_mut(RenderApp) {
            render.insert_resource(engine).insert_resource(Began(Instant::now()));
            render.add_systems(
                Render,
                (
                    (|mut began: ResMut<Began>| began.0 = Instant::now())
                        .before(RenderSystems::ExtractCommands),
                    look_at_engine.after(RenderSystems::PostCleanup),
                ),
            );
        }
        app.add_systems(First, begin).add_systems(Last, end);
    }
}

/// Time without a new shader after which those that nobody compiles are no longer waited for, s (our choice).
const PATIENCE: f64 = 10.0;

/// Tells how long the frame took and how many shaders there are. On the web the engine asks for one whose source never comes; it is
/// named once and then left out of the count.
fn look_at_engine(
    began: Res<Began>,
    engine: Res<Engine>,
    shaders: Res<PipelineCache>,
    mut last: Local<Option<(usize, Instant)>>,
) {
    let ready = shaders.pipelines().filter(|p| matches!(p.state, CachedPipelineState::Ok(_))).count();
    let since = match *last {
        Some((count, since)) if count == ready => since,
        _ => Instant::now(),
    };
    *last = Some((ready, since));
    let idle =
        |p: &&CachedPipeline| matches!(p.state, CachedPipelineState::Queued | CachedPipelineState::Err(_));
    let mut all = shaders.pipelines().count();
    if since.elapsed().as_secs_f64() > PATIENCE {
        all -= shaders.pipelines().filter(idle).count();
        for waiting in shaders.pipelines().filter(idle) {
            let label = match &waiting.descriptor {
                PipelineDescriptor::RenderPipelineDescriptor(d) => &d.label,
                PipelineDescriptor::ComputePipelineDescriptor(d) => &d.label,
            };
            warn_once!("a shader of the engine is not there: {}", label.as_deref().unwrap_or("no name"));
        }
    }
    engine.0[0].store(began.0.elapsed().as_nanos() as u64, Ordering::Relaxed);
    engine.0[1].store(all as u64, Ordering::Relaxed);
    engine.0[2].store(ready as u64, Ordering::Relaxed);
}

fn begin(mut timings: ResMut<Timings>) {
    timings.began = Some(Instant::now());
    timings.panel = 0.0;
}

/// Before the panel.
pub(super) fn panel_begins(mut timings: ResMut<Timings>) {
    timings.panel_began = Some(Instant::now());
}

/// After the panel.
pub(super) fn panel_ends(mut timings: ResMut<Timings>) {
    let began = timings.panel_began.take();
    timings.panel += began.map_or(0.0, |began| began.elapsed().as_secs_f64());
}

/// What is drawn in all passes.
#[derive(SystemParam)]
struct Passes<'w, 's> {
    eyes: Query<'w, 's, &'static VisibleEntities, With<Camera3d>>,
    suns: Query<'w, 's, (&'static DirectionalLight, &'static CascadesVisibleEntities)>,
    drawn: Query<'w, 's, &'static Mesh3d>,
    meshes: Res<'w, Assets<Mesh>>,
}

impl Passes<'_, '_> {
    /// Vertices and batches of all passes.
    fn count(&self, known: &mut BTreeMap<AssetId<Mesh>, u64>) -> [u64; 2] {
        let mut passes: Vec<Vec<Entity>> =
            self.eyes.iter().map(|eye| eye.entities.values().flatten().copied().collect()).collect();
        for (_, cascades) in self.suns.iter().filter(|(sun, _)| sun.shadow_maps_enabled) {
            passes.extend(cascades.entities.values().flatten().map(|cascade| cascade.entities.clone()));
        }
        let mut sums = [0, 0];
        for pass in passes {
            let mut batches = BTreeSet::new();
            for mesh in pass.iter().filter_map(|entity| self.drawn.get(*entity).ok()) {
                let vertices = || self.meshes.get(&mesh.0).map_or(0, |mesh| mesh.count_vertices() as u64);
                sums[0] += *known.entry(mesh.id()).or_insert_with(vertices);
                batches.insert(mesh.id());
            }
            sums[1] += batches.len() as u64;
        }
        sums
    }
}

#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn end(
    mut timings: ResMut<Timings>,
    play: Res<Play>,
    spent: Res<Spent>,
    uploads: Res<Uploads>,
    engine: Res<Engine>,
    store: Res<DiagnosticsStore>,
    passes: Passes,
    mut exits: MessageReader<AppExit>,
) {
    let timings = &mut *timings;
    let leaving = exits.read().count() > 0;
    if timings.file.is_none() && !play.timings {
        timings.frames.clear();
        return;
    }
    let own = spent.total() + timings.panel;
    let whole = timings.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
    let [vertices, draws] = passes.count(&mut timings.known);
    let frame = Frame {
        simulation: 1e3 * spent.simulation,
        ground: 1e3 * spent.ground,
        grass: 1e3 * spent.grass,
        bodies: 1e3 * spent.bodies,
        panel: 1e3 * timings.panel,
        engine: 1e3 * ((whole - own).max(0.0) + engine.seconds()),
        card: card(&store),
        vertices,
        draws,
        uploads_kb: uploads.bytes_last_frame as f64 / 1e3,
    };
    if timings.frames.len() < MOST {
        timings.frames.push(frame);
    }
    if (leaving || timings.frames.len().is_multiple_of(EVERY))
        && let Err(problem) = timings.write()
    {
        error!("{problem}");
    }
}

/// Time of the graphics card, ms: the sum of its passes, where it tells.
fn card(store: &DiagnosticsStore) -> Option<f64> {
    let passes = store.iter().filter(|d| d.path().as_str().ends_with("/elapsed_gpu"));
    // Passes inside passes are counted with those around them.
    let outer = passes.filter(|d| d.path().components().count() == 3);
    let times: Vec<f64> = outer.filter_map(bevy::diagnostic::Diagnostic::value).collect();
    (!times.is_empty()).then(|| times.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_every_frame_with_the_names_it_promises() {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("timings.json");
        let frame = Frame { simulation: 1.5, vertices: 7, ..default() };
        let timings = Timings {
            file: Some(file.clone()),
            frames: vec![frame, Frame { card: Some(2.0), ..frame }],
            ..default()
        };
        timings.write().expect("written");
        let text = std::fs::read_to_string(&file).expect("text");
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let first = &read["frames"][0];
        for name in [
            "simulation",
            "ground",
            "grass",
            "bodies",
            "panel",
            "engine",
            "card",
            "vertices",
            "draws",
            "uploads_kb",
        ] {
            assert!(first.get(name).is_some(), "{name}");
        }
        assert!(first["card"].is_null() && read["frames"][1]["card"] == 2.0);
        assert_eq!(read["frames"].as_array().map(Vec::len), Some(2));
        assert_eq!(timings.mean().map(|m| (m.simulation, m.vertices)), Some((1.5, 7)));
        assert_eq!(frame.own(), 1.5);
    }
}
