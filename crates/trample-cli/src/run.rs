//! `trample run`: steps a scene to its end, with a progress bar, checkpoints and resumption, then writes what it left.

use crate::Failure;
use crate::cover;
use crate::figures::{Clock, Figures, summary};
use crate::gltf::Recorder;
use crate::output::{self, Wanted};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trample::params::Body;
use trample::record::Recording;
use trample::scene::library;
use trample::scene::{Script, SoleShape};
use trample::state::PaintShape;
use trample::{Base, Map, Scene, World};
use trample_files::{Cast, RunFile, Source};

/// Options of `trample run`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A library scene (see `trample scenes`) or a TOML file; a walk across snow if not given
    scene: Option<String>,
    /// Folder for the results [default: out/SCENE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Change a value of the scene: cell=0.01, mass=90, puppet.0.speed=1.5, material=mud, law=bekker-wong …
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Which random numbers
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Threads to use; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
    /// Maps to write, of height, compression, accumulation, pressure_time, material, vegetation; or `none`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    maps: Vec<String>,
    /// Formats of the maps, of npy, exr, png, tif
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    formats: Vec<String>,
    /// Leave out preview, map pictures, profile and report
    #[arg(long)]
    no_pictures: bool,
    /// Write the ground, its plants and whoever walks on it by itself as binary glTF; after --resume, the walk from there on
    #[arg(long, value_name = "FILE")]
    gltf: Option<PathBuf>,
    /// Go on from the run file in the output folder, if there is one
    #[arg(long)]
    resume: bool,
    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    checkpoint: f64,
}

/// Runs the scene.
pub(crate) fn run(options: &Options) -> Result<bool, Failure> {
    let mut source = Source::find(options.scene.as_deref().unwrap_or(library::DEFAULT))?;
    source.settings.clone_from(&options.set);
    source.settings.extend(options.seed.map(|seed| format!("seed={seed}")));
    let (scene, cast) = source.scene_and_cast()?;
    let wanted = wanted(options)?;
    let folder = options.out.clone().unwrap_or_else(|| Path::new("out").join(folder_name(&scene.name)));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let threads = options.threads as usize;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let session = Session { options, source, scene, cast, folder: folder.clone(), threads };
    let (world, figures, clock, recorder) = pool.install(|| session.steps())?;
    if let Some(path) = &options.gltf {
        recorder.save(path, &world)?;
    }
    let summary = summary(&world, &figures, &clock);
    let text = serde_json::to_string_pretty(&summary)? + "\n";
    trample_files::whole::write(&folder.join("summary.json"), text.as_bytes())
        .map_err(|e| format!("{}: {e}", folder.join("summary.json").display()))?;
    // Pictures are the host's business and may use every core.
    output::write(&folder, &world, &session.source, &figures, &summary, &wanted)?;
    if options.json {
        print!("{text}");
    } else {
        output::tell(&folder, &summary, &wanted);
    }
    Ok(true)
}

fn wanted(options: &Options) -> Result<Wanted, Failure> {
    let mut maps = Vec::new();
    for name in options.maps.iter().filter(|n| *n != "none") {
        let known: Vec<&str> = Map::ALL.iter().map(|m| m.name()).collect();
        let map = Map::by_name(name)
            .ok_or_else(|| format!("--maps {name}: no such map, allowed: {}, none", known.join(", ")))?;
        maps.push(map);
    }
    if options.maps.is_empty() {
        maps = Map::ALL.to_vec();
    }
    let known = ["npy", "exr", "png", "tif"];
    if let Some(bad) = options.formats.iter().find(|f| !known.contains(&f.as_str())) {
        return Err(format!("--formats {bad}: no such format, allowed: {}", known.join(", ")).into());
    }
    let formats =
        if options.formats.is_empty() { known.map(String::from).to_vec() } else { options.formats.clone() };
    Ok(Wanted { maps, formats, pictures: !options.no_pictures })
}

/// One run under way.
struct Session<'a> {
    options: &'a Options,
    source: Source,
    scene: Scene,
    cast: Cast,
    folder: PathBuf,
    threads: usize,
}

impl Session<'_> {
    fn file(&self) -> PathBuf {
        self.folder.join("run.trample")
    }

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
        let mut recorder = Recorder::new(&world, &self.cast);
        let total = scene.steps();
        let bar = ProgressBar::new(total);
        bar.set_style(
            ProgressStyle::with_template("{prefix} [{bar:32}] {percent:>3} % {msg} ETA {eta}")?
                .progress_chars("=> "),
        );
        bar.set_prefix(scene.name.clone());
        bar.set_position(world.steps());
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
            figures.take(world.report(), |puppet, foot| heading(&world, puppet, foot));
            cover::take(&world, &mut figures.cover, false);
            recording.digests.push(world.digest());
            if self.options.gltf.is_some() {
                recorder.take(&world);
            }
            // Looking at the clock is cheap, drawing is not.
            if shown.elapsed() > Duration::from_millis(100) {
                let speed = (world.time() - first) / begun.elapsed().as_secs_f64();
                bar.set_message(format!("{:.1} s simulated, {speed:.0} × real time,", world.time()));
                bar.set_position(world.steps());
                shown = Instant::now();
            }
            if saved.elapsed().as_secs_f64() >= self.options.checkpoint {
                self.save(&world, &figures, &recording, None)?;
                saved = Instant::now();
            }
        }
        clock.wall_seconds = begun.elapsed().as_secs_f64();
        clock.sim_seconds = world.time() - first;
        // Loose material that still moves comes to rest; the recording ends before that.
        let last = world.snapshot();
        world.settle();
        cover::take(&world, &mut figures.cover, true);
        bar.finish_and_clear();
        let end = RunFile {
            source: self.source.clone(),
            recording,
            snapshot: last,
            notes: self.notes(&figures),
            final_hash: Some(world.hash()),
        };
        end.save(&self.file())?;
        Ok((world, figures, clock, recorder))
    }

    /// The figures, behind the fingerprint of what the scene was made from.
    fn notes(&self, figures: &Figures) -> Vec<u8> {
        let mut notes = fingerprint(&self.scene).to_le_bytes().to_vec();
        notes.extend(figures.to_bytes());
        notes
    }

    fn save(
        &self,
        world: &World,
        figures: &Figures,
        recording: &Recording,
        final_hash: Option<u64>,
    ) -> Result<(), Failure> {
        let file = RunFile {
            source: self.source.clone(),
            recording: recording.clone(),
            snapshot: world.snapshot(),
            notes: self.notes(figures),
            final_hash,
        };
        Ok(file.save(&self.file())?)
    }

    /// Takes up where the run file in the folder ends.
    fn resume(
        &self,
        world: &mut World,
        figures: &mut Figures,
        recording: &mut Recording,
    ) -> Result<(), Failure> {
        let path = self.file();
        if !path.exists() {
            eprintln!("nothing to resume in {}: starting anew", self.folder.display());
            return Ok(());
        }
        let file = RunFile::load(&path)?;
        if file.source != self.source {
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
        world.restore(&file.snapshot).map_err(|e| format!("{}: {e}", path.display()))?;
        let (print, notes) = file.notes.split_at_checked(8).unwrap_or_default();
        if print != fingerprint(&self.scene).to_le_bytes() {
            let problem = "the height map, painted image, sole, character or motion it was begun with has changed; leave --resume out";
            return Err(format!("{}: {problem}", path.display()).into());
        }
        *figures = Figures::from_bytes(notes)
            .filter(|f| f.puppets.len() == world.puppets())
            .ok_or_else(|| format!("{}: its figures are damaged; leave --resume out", path.display()))?;
        *recording = file.recording;
        eprintln!("resumed at step {} of {} ({:.2} s)", world.steps(), self.scene.steps(), world.time());
        Ok(())
    }
}

fn settings(source: &Source) -> String {
    if source.settings.is_empty() { String::new() } else { format!(" with {}", source.settings.join(" ")) }
}

/// Which way a foot points and where it is, as x and z.
fn heading(world: &World, puppet: usize, foot: usize) -> ([f64; 2], [f64; 2]) {
    let sole = &world.puppet(puppet).pose.soles[foot];
    let forward = sole.rotation * trample::glam::Vec3::X;
    let (x, z) = (f64::from(forward.x), f64::from(forward.z));
    let length = (x * x + z * z).sqrt().max(1e-9);
    ([x / length, z / length], [f64::from(sole.position.x), f64::from(sole.position.z)])
}

/// A folder name from a scene's name: no way out of the output folder.
fn folder_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ') { c } else { '-' };
    let name: String = name.chars().map(plain).take(80).collect();
    let name = name.trim_matches(['.', ' ', '-']);
    if name.is_empty() { "scene".into() } else { name.into() }
}

/// What a scene holds that its text only points to: heights, painted images, density maps, soles, characters, motion. A resumed run must find them unchanged.
fn fingerprint(scene: &Scene) -> u64 {
    let mut hasher = trample::hash::Hasher::default();
    if let Base::Raster(raster) = &scene.terrain.base {
        raster.posts().iter().for_each(|&n| hasher.word(n as u64));
        raster.spacing().iter().for_each(|&s| hasher.float(s));
        raster.data().iter().for_each(|&h| hasher.float(f64::from(h)));
    }
    for paint in &scene.terrain.paints {
        if let PaintShape::Image { indices, .. } = &paint.shape {
            hasher.bytes(indices);
        }
    }
    for map in scene.plants.iter().filter_map(|patch| patch.density_map.as_ref()) {
        hasher.word(map.width as u64);
        map.values.iter().for_each(|&share| hasher.float(f64::from(share)));
    }
    for puppet in &scene.puppets {
        if let SoleShape::Custom(sole) = &puppet.sole {
            sole.coverage.iter().chain(&sole.depth).for_each(|&x| hasher.float(f64::from(x)));
        }
        if let Script::Animal(animal) = &puppet.script {
            animal.stride.put_in(&mut hasher);
        }
        if let Script::Walker(walker) = &puppet.script {
            // A character's measures stand in its file, not in the scene's text.
            let measures = Body::RANGES.iter().filter_map(|r| walker.body.field(r.field));
            measures.for_each(|x| hasher.float(x));
            if let Some(recorded) = &walker.recorded {
                recorded.put_in(&mut hasher);
            }
        }
    }
    hasher.finish()
}
