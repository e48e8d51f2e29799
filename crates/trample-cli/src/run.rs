//! `trample run`: steps a scene to its end, with a progress bar, checkpoints and resumption, then writes what it left.

use crate::Failure;
use crate::animals;
use crate::folder::{Folder, RUN};
use crate::gltf::{self, Recorder};
use crate::maps::MapOptions;
use crate::output::{self, Wanted};
use crate::provenance;
use crate::sequence;
use crate::series::Series;
use crate::shots::{Renderer, Shots};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trample::Recording;
use trample::scene::library;
use trample::scene::{Base, Script};
use trample::{Scene, World};
use trample_files::inputs::{Input, difference};
use trample_files::{Built, Cast, RunFile, Source, memory, raster};
use trample_lab::{Clock, Figures, Progress, closes, cover, save, summary};

/// Run a scene and write maps, pictures, a report and a run file
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample run                              a walk across snow, with pictures, into out/walk-snow
  trample run masses --out masses          50, 75 and 100 kg on dry soil
  trample run walk-mud --set mass=100 --set cell=0.01
  trample run my-scene.toml --resume       continue after a crash")]
pub(crate) struct Run {
    /// A library scene (see `trample scenes`) or a TOML file; a walk across snow if not given
    scene: Option<String>,
    /// Folder for the results [default: out/SCENE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Change a value of the scene: cell=0.01, mass=90, puppet.0.speed=1.5, material=mud, law=bekker-wong …
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Number of threads; it does not affect the result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    maps: MapOptions,
    /// Leave out preview, map pictures, profile and report
    #[arg(long)]
    no_pictures: bool,
    /// Renderer of the picture at the top of the report [default: TRAMPLE_RENDERER, else the simulator if installed, else the built-in one]
    #[arg(long, value_name = "WHO", conflicts_with = "no_pictures")]
    renderer: Option<Renderer>,
    /// Write an animation of the ground with its prints, plants and walkers as binary glTF (.glb) or USD (.usda); after --resume, only the rest of the walk
    #[arg(long, value_name = "FILE", visible_alias = "usd")]
    gltf: Option<PathBuf>,
    /// Write maps at this interval as numbered files, such as frames/height_0000.exr; the height map unless --maps is given
    #[arg(long, value_name = "SECONDS", value_parser = interval)]
    every: Option<f64>,
    /// Write forces under feet, footsteps and joints of every step: contacts.csv, footsteps.csv, joints.csv (s, m, N, m²)
    #[arg(long)]
    series: bool,
    /// Continue from the run file in the output folder, if there is one
    #[arg(long)]
    resume: bool,
    /// Accept the detected mapping of characters even if its confidence is low
    #[arg(long, alias = "force")]
    yes: bool,
    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = seconds)]
    checkpoint: f64,
}

impl Run {
    /// The command for a scene file, with what is asked of it: tables of every step, JSON, no doubts.
    pub(crate) fn of(scene: &Path, out: &Path, gltf: Option<&Path>, [series, json, yes]: [bool; 3]) -> Self {
        Self {
            scene: Some(scene.display().to_string()),
            out: Some(out.into()),
            set: Vec::new(),
            seed: None,
            threads: 1,
            json,
            maps: MapOptions::default(),
            no_pictures: false,
            renderer: None,
            gltf: gltf.map(Into::into),
            every: None,
            series,
            resume: false,
            yes,
            checkpoint: 2.0,
        }
    }

    /// Runs the scene.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        let mut source = Source::find(self.scene.as_deref().unwrap_or(library::DEFAULT))?;
        source.settings.clone_from(&self.set);
        source.settings.extend(self.seed.map(|seed| format!("seed={seed}")));
        let built = source.build()?;
        let (inputs, places) = (source.inputs(&built), place_doubts(&built));
        let Built { scene, cast, doubts, .. } = built;
        if scene.season.is_some() && scene.puppets.is_empty() {
            return Err(format!("`{0}` is a season: `trample season {0}` runs it", scene.name).into());
        }
        self.gltf.as_deref().map_or(Ok(()), gltf::check_name)?;
        let mut wanted =
            Wanted { maps: self.maps.chosen()?, pictures: !self.no_pictures, animals: Vec::new() };
        let simulator = if wanted.pictures { Renderer::program(self.renderer)? } else { None };
        nobody_moves(&scene).iter().for_each(|line| eprintln!("WARNING: {line}"));
        places.iter().for_each(|line| eprintln!("{line}"));
        let folder = self.out.clone().unwrap_or_else(|| Path::new("out").join(folder_name(&scene.name)));
        // Before hours are spent, and before there is a folder.
        if let (Some(every), Some(seconds)) = (self.every, scene.duration) {
            sequence::check(every, seconds)?;
        }
        let output = Folder::open(&folder)?;
        let threads = self.threads as usize;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let session = Session { options: self, source, inputs, scene, cast, folder: &output, threads };
        let (world, figures, clock, recorder) = pool.install(|| session.steps())?;
        if let Some(path) = &self.gltf {
            recorder.save(path, &world)?;
        }
        let mut summary = summary(&world, &figures, &clock);
        provenance::put_in(&mut summary, &session.source, &session.scene, &session.inputs);
        let text = serde_json::to_string_pretty(&summary)? + "\n";
        let stage = output.stage();
        // It draws while maps are written.
        let shots = simulator.map(|program| {
            let Session { source, inputs, .. } = &session;
            let run = RunFile::new(source.clone(), inputs.clone(), Recording::default(), &world, Vec::new());
            let took = Duration::from_secs_f64(clock.wall_seconds);
            Shots::ask(&program, &run, stage.join("shots"), world.time(), took)
        });
        save(&stage.join("summary.json"), text.as_bytes())?;
        provenance::save_scene(&stage, &session.source, &session.scene)?;
        if let Some(every) = self.every {
            sequence::write([&stage, &folder], &world, &session.scene, &wanted.maps, every)?;
        }
        if wanted.pictures {
            wanted.animals = animals::strips(&world, &recorder, &session.cast);
        }
        // Pictures are the host's business and may use every core.
        output::write([&stage, &folder], &world, &session.source, &figures, &summary, &wanted, shots)?;
        output.commit(&summary["hash"])?;
        if self.json {
            print!("{text}");
        } else {
            let mut more: Vec<&str> = Vec::new();
            if self.every.is_some() {
                more.push("frames");
            }
            if self.series {
                more.extend(["contacts.csv", "footsteps.csv", "joints.csv"]);
            }
            output::tell(&folder, &summary, &wanted, &more);
            if let Some(path) = &self.gltf {
                println!("  the animated scene is {}", path.display());
            }
        }
        for line in figures.lines(&world) {
            // With --json the output is one object.
            if self.json || line.starts_with("WARNING") { eprintln!("{line}") } else { println!("  {line}") }
        }
        doubts.iter().for_each(|doubt| eprintln!("WARNING: {doubt}"));
        Ok((doubts.is_empty() || self.yes) && closes(world.volume().relative_error))
    }
}

/// Puppets of a scene that only a program with the library would move, in words.
pub(crate) fn nobody_moves(scene: &Scene) -> Vec<String> {
    let hosted = scene.puppets.iter().filter(|p| matches!(p.script, Script::Host { .. }));
    let line = |name: &str| {
        format!(
            "puppet `{name}` has motion = \"host\": a program that uses the library moves it; `trample run` does not, so it presses nothing"
        )
    };
    hosted.map(|puppet| line(&puppet.name)).collect()
}

/// What is not certain about where the height map of a scene lies.
pub(crate) fn place_doubts(built: &Built) -> Vec<String> {
    let terrain = &built.scene.terrain;
    let files = if matches!(terrain.base, Base::Raster(_)) { &built.files[..] } else { &[] };
    files.iter().flat_map(|file| raster::doubts(file, terrain.place.is_some())).collect()
}

/// A number of seconds that can be waited for.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let allowed = "allowed: 0 to 1000000 s";
    let value = text.parse::<f64>().ok().filter(|s| (0.0..=1e6).contains(s));
    value.ok_or_else(|| format!("`{text}` is not a number of seconds, {allowed}"))
}

/// Seconds from one frame to the next.
fn interval(text: &str) -> Result<f64, String> {
    seconds(text).ok().filter(|s| *s > 0.0).ok_or_else(|| {
        format!("`{text}` is not a number of seconds between frames, allowed: above 0, up to 1000000 s")
    })
}

/// One run under way.
struct Session<'a> {
    options: &'a Run,
    source: Source,
    inputs: Vec<Input>,
    scene: Scene,
    cast: Cast,
    folder: &'a Folder,
    threads: usize,
}

impl Session<'_> {
    /// Steps to the end and leaves the run file.
    fn steps(&self) -> Result<(World, Figures, Clock, Recorder), Failure> {
        let scene = &self.scene;
        let mut world = World::new(scene)?;
        let mut figures = Figures::new(scene.puppets.len());
        let mut recording = Recording::default();
        if self.options.resume {
            self.resume(&mut world, &mut figures, &mut recording)?;
        }
        world.set_threads(self.threads);
        cover::take(&world, &mut figures.cover, false);
        let mut recorder = Recorder::new(&mut world, &self.cast);
        let mut series = if self.options.series { Some(Series::new(&self.folder.stage())?) } else { None };
        let total = scene.steps();
        let bar = Progress::new(&scene.name, total, "[{bar:32}] {percent:>3} % {msg} ETA {eta}")?;
        bar.set(world.steps(), "");
        let mut clock = Clock { threads: self.threads, ..Clock::default() };
        let begun = Instant::now();
        let (mut saved, mut shown) = (Instant::now(), Instant::now());
        let (first, dt) = (world.time(), scene.dt());
        // A scene that does not say how long it is ends when everybody has arrived.
        while world.steps() < total && (scene.duration.is_some() || !world.is_over()) {
            let mut last = Instant::now();
            let stages = &mut clock.stages;
            world.step_observed(dt, |stage, _| {
                let now = Instant::now();
                stages[stage as usize] += (now - last).as_secs_f64();
                last = now;
            });
            clock.splits += world.report().splits;
            figures.take(world.report(), |puppet, foot| heading(&world, puppet, foot));
            figures.watch(&world);
            cover::take(&world, &mut figures.cover, false);
            recording.push(world.digest());
            if let Some(series) = &mut series {
                series.take(&world, dt)?;
            }
            if self.options.gltf.is_some() {
                recorder.take(&mut world);
            } else if !self.options.no_pictures {
                recorder.take_animals(&world);
            }
            // Looking at the clock is cheap, drawing is not.
            if shown.elapsed() > Duration::from_millis(100) {
                let speed = output::speed((world.time() - first) / begun.elapsed().as_secs_f64());
                bar.set(world.steps(), format!("{:.1} s simulated, {speed} × real time,", world.time()));
                shown = Instant::now();
            }
            if saved.elapsed().as_secs_f64() >= self.options.checkpoint {
                self.at(&world, &figures, recording.clone()).save(&self.folder.checkpoint(RUN))?;
                saved = Instant::now();
            }
        }
        if let Some(series) = series {
            series.finish()?;
        }
        clock.wall_seconds = begun.elapsed().as_secs_f64();
        clock.sim_seconds = world.time() - first;
        // Loose material that still moves comes to rest; the recording ends before that.
        let mut end = self.at(&world, &figures, recording);
        world.settle();
        recorder.end(&mut world);
        cover::take(&world, &mut figures.cover, true);
        bar.finish();
        (end.notes, end.final_hash) = (figures.to_bytes(), Some(world.hash()));
        end.save_for(&self.folder.stage().join(RUN), self.folder.path())?;
        Ok((world, figures, clock, recorder))
    }

    /// The run as it is now.
    fn at(&self, world: &World, figures: &Figures, recording: Recording) -> RunFile {
        RunFile::new(self.source.clone(), self.inputs.clone(), recording, world, figures.to_bytes())
    }

    /// Takes up where the run file in the folder ends.
    fn resume(
        &self,
        world: &mut World,
        figures: &mut Figures,
        recording: &mut Recording,
    ) -> Result<(), Failure> {
        let path = self.folder.last(RUN);
        if !path.exists() {
            let folder = memory::folder_of(&path);
            eprintln!("nothing to resume in {}: starting from the beginning", folder.display());
            return Ok(());
        }
        let file = RunFile::load(&path)?;
        let fail = |problem: String| Failure::from(format!("{}: {problem}", path.display()));
        if let Some(other) = file.writer.other_physics() {
            return Err(fail(format!("{other}; the two parts would not be consistent: leave --resume out")));
        }
        let same = file.source.text == self.source.text && file.source.settings == self.source.settings;
        let changed = if same { difference(&file.inputs, &self.inputs) } else { file.changed_inputs() };
        if !changed.is_empty() {
            return Err(fail(format!("{} since it was begun; leave --resume out", changed.join(", "))));
        }
        // The same run may be told to go on for longer.
        let is_longer = || {
            let before = file.source.scene().map(|s| Scene { duration: self.scene.duration, ..s });
            before.is_ok_and(|before| before == self.scene)
        };
        if !same && !is_longer() {
            let problem = format!(
                "{} holds a run of `{}`{}, not of `{}`{}; choose another --out or leave --resume out",
                path.display(),
                file.source.name,
                settings(&file.source),
                self.source.name,
                settings(&self.source)
            );
            return Err(problem.into());
        }
        file.restore(world).map_err(|e| fail(e.to_string()))?;
        if world.steps() > self.scene.steps() {
            return Err(fail(format!(
                "it is at {:.2} s already, and would be cut to {:.2} s; leave --resume out",
                world.time(),
                self.scene.seconds()
            )));
        }
        *figures = Figures::from_bytes(&file.notes)
            .filter(|f| f.puppets.len() == world.puppets())
            .ok_or_else(|| fail("its figures are damaged; leave --resume out".into()))?;
        *recording = file.recording;
        eprintln!("resumed at step {} of {} ({:.2} s)", world.steps(), self.scene.steps(), world.time());
        Ok(())
    }
}

fn settings(source: &Source) -> String {
    if source.settings.is_empty() { String::new() } else { format!(" with {}", source.settings.join(" ")) }
}

/// Which way a foot points and where it is, as x and z.
pub(crate) fn heading(world: &World, puppet: usize, foot: usize) -> ([f64; 2], [f64; 2]) {
    let sole = &world.puppet(puppet).pose.soles[foot];
    let forward = sole.rotation * trample::glam::Vec3::X;
    let (x, z) = (f64::from(forward.x), f64::from(forward.z));
    let length = (x * x + z * z).sqrt().max(1e-9);
    ([x / length, z / length], [f64::from(sole.position.x), f64::from(sole.position.z)])
}

/// A folder name from a scene's name: no way out of the output folder.
pub(crate) fn folder_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ') { c } else { '-' };
    let name: String = name.chars().map(plain).take(80).collect();
    let name = name.trim_matches(['.', ' ', '-']);
    if name.is_empty() { "scene".into() } else { name.into() }
}
