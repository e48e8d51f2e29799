//! `trample season`: takes a scene through its calendar, day after day, and writes what became of it.

pub(crate) mod picture;
pub(crate) mod report;
pub(crate) mod tables;
pub(crate) mod ticking;

use crate::folder::{Folder, STATE};
use crate::{Failure, provenance};
use picture::Painter;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use ticking::Ticking;
use trample::Scene;
use trample::scene::library;
use trample_files::inputs::{Input, changed, difference};
use trample_files::{Source, scene_file};
use trample_lab::save;
use trample_season::damage::AT;
use trample_season::measure::{Station, Trail};
use trample_season::{Run, measure, season_of, store};

/// Simulate a season: people who choose their paths day by day, and the trails they wear
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample season                           a park in spring, 90 days, with maps, film and report, into out/park
  trample season triangle --set wear=0     people ignore trails: straight paths
  trample season hillside --days 30 --every 5 --out hill
  trample season my-trail.toml --resume    continue after a crash")]
pub(crate) struct Season {
    /// A library scene with a season (see `trample scenes`) or a TOML file; a park if not given
    scene: Option<String>,
    /// Number of days, instead of the calendar's
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    days: Option<i64>,
    /// Folder for the results [default: out/SCENE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of threads; it does not affect the result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
    /// Continue from the state in the output folder, if there is one
    #[arg(long)]
    resume: bool,
    /// Change a value of the scene: wear=0, days=30, people_per_day=50, regrowth=0, mass=90 …
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Days between two maps [default: a tenth of the season]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=100_000))]
    every: Option<i64>,
    /// Metres between two cross-sections of the trail
    #[arg(long, value_name = "M", default_value_t = 1.0, value_parser = apart)]
    station: f64,
    /// Leave out maps, film and report
    #[arg(long)]
    no_pictures: bool,
    /// Also write a live scene, live.toml, with this number of the last day's people on their paths
    #[arg(long, value_name = "PEOPLE", value_parser = clap::value_parser!(u64).range(1..=1000))]
    live: Option<u64>,
    /// Seconds between checkpoints [default: 10, but at least thirty times the time to write one]
    #[arg(long, value_name = "SECONDS", value_parser = crate::run::seconds)]
    checkpoint: Option<f64>,
}

impl Season {
    /// Runs the season.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        let mut source = Source::find(self.scene.as_deref().unwrap_or(library::DEFAULT_SEASON))?;
        source.settings.clone_from(&self.set);
        source.settings.extend(self.seed.map(|seed| format!("seed={seed}")));
        source.settings.extend(self.days.map(|days| format!("days={days}")));
        let built = source.build()?;
        let (inputs, scene) = (source.inputs(&built), built.scene);
        season_of(&scene)?;
        let folder =
            self.out.clone().unwrap_or_else(|| Path::new("out").join(crate::run::folder_name(&scene.name)));
        let output = Folder::open(&folder)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads as usize).build()?;
        let summary = pool.install(|| self.days(&Made { source, inputs, scene }, &output))?;
        output.commit(&summary["hash"])?;
        let text = serde_json::to_string_pretty(&summary)? + "\n";
        if self.json {
            print!("{text}");
        } else {
            tell(&folder, &summary, !self.no_pictures);
        }
        Ok(true)
    }

    fn days(&self, made: &Made, folder: &Folder) -> Result<Value, Failure> {
        let begun = Instant::now();
        let Made { source, inputs, scene } = made;
        let all = season_of(scene)?.calendar.days;
        let template = "[{bar:32}] day {pos} of {len} {msg} ETA {eta}";
        let bar = Ticking::new(&scene.name, u64::from(all), template, "recording footfalls")?;
        let mut run = Run::new(scene)?;
        let recorded = begun.elapsed().as_secs_f64();
        let last = folder.last(STATE);
        let resumed = self.resume && self.resume(&last, made, &mut run)?;
        let so_far = folder.so_far(resumed.then_some(&*last), &["frames", "maps"])?;
        let (stage, state) = (folder.stage(), folder.checkpoint(STATE));
        let first = run.rows.iter().map(|r| r.footfalls).sum::<u64>();
        let every = self.every.unwrap_or_else(|| (run.days() / 10).max(1));
        let mut painter = Painter::new(&run, so_far, every, !self.no_pictures)?;
        bar.set(run.day as u64, format!("day {}", run.day + 1));
        let walked = Instant::now();
        let mut saved = Instant::now();
        let (mut painting, mut pause) = (0.0, PAUSE);
        while run.day < run.days() {
            let falls = run.pass_day().footfalls;
            bar.set(run.day as u64, format!("{falls} footfalls, day {}", run.day + 1));
            let begun = Instant::now();
            painter.day(&run)?;
            painting += begun.elapsed().as_secs_f64();
            if saved.elapsed().as_secs_f64() >= self.checkpoint.unwrap_or(pause) {
                let begun = Instant::now();
                store::save_for(&state, folder.path(), source, inputs, &run)?;
                pause = (30.0 * begun.elapsed().as_secs_f64()).max(PAUSE);
                saved = Instant::now();
            }
        }
        let seconds = walked.elapsed().as_secs_f64() - painting;
        bar.set(run.day as u64, "measuring".into());
        store::save_for(&stage.join(STATE), folder.path(), source, inputs, &run)?;
        // Where no day was left to walk, ways are those of the last day.
        run.solve();
        let lines = measure::lines(&run);
        let stations = stations(&run, &lines, self.station);
        let trail = measure::trail(&run.ground, &stations, self.station);
        let mut summary = summary(&run, &trail);
        let falls = summary["footfalls"].as_u64().unwrap_or(0) - first;
        if falls > 0 {
            summary["footfalls_per_second"] = json!((falls as f64 / seconds.max(1e-9)).round());
        }
        summary["threads"] = json!(self.threads);
        summary["seconds"] = json!({ "recording": recorded, "days": seconds, "maps": painting });
        provenance::put_in(&mut summary, source, scene, inputs);
        painter.finish(&stage, &run)?;
        results(&stage, &run, &lines, &stations, &summary)?;
        provenance::save_scene(&stage, source, scene)?;
        if let Some(people) = self.live {
            scene_file::write(&stage.join("live.toml"), &run.live(people as usize))?;
        }
        if !self.no_pictures {
            report::write(&stage, &run, source, &summary, &lines, &stations, &painter.frames)?;
        }
        folder.stage_so_far()?;
        Ok(summary)
    }

    /// Goes on from a state, if there is one.
    fn resume(&self, state: &Path, made: &Made, run: &mut Run) -> Result<bool, Failure> {
        if !state.exists() {
            let folder = trample_files::memory::folder_of(state);
            eprintln!("nothing to resume in {}: starting from the beginning", folder.display());
            return Ok(false);
        }
        let head = store::head(state)?;
        // A season may be made longer; anything else must be the same.
        let plain = |s: &[String]| s.iter().filter(|s| !s.starts_with("days=")).cloned().collect::<Vec<_>>();
        if (&head.text, plain(&head.settings)) != (&made.source.text, plain(&made.source.settings)) {
            let problem = "it holds a season of another scene; choose another --out or leave --resume out";
            return Err(format!("{}: {problem}", state.display()).into());
        }
        let other = difference(&head.inputs(), &made.inputs);
        if !other.is_empty() {
            let problem = format!("{} since it was begun; leave --resume out", other.join(", "));
            return Err(format!("{}: {problem}", state.display()).into());
        }
        if head.day > run.days() {
            let (done, days) = (head.day, run.days());
            let problem = format!(
                "{done} days are done already and --days is {days}; give {done} or more, or leave --resume out"
            );
            return Err(format!("{}: {problem}", state.display()).into());
        }
        store::resume(state, run)?;
        eprintln!("resumed on day {} of {}", run.day, run.days());
        Ok(true)
    }
}

/// A season that is to be walked, and what it is made from.
struct Made {
    source: Source,
    inputs: Vec<Input>,
    scene: Scene,
}

/// A distance between two cross-sections, m.
fn apart(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|m| (0.01..=1e4).contains(m));
    value.ok_or_else(|| format!("`{text}` is no distance of cross-sections, allowed: 0.01 to 10000 m"))
}

/// Cross-sections of lines every so many metres.
pub(crate) fn stations(run: &Run, lines: &[(String, Vec<[f64; 2]>)], every: f64) -> Vec<Station> {
    let one =
        |(i, line): (usize, &(String, Vec<[f64; 2]>))| measure::stations(&run.ground, i, &line.1, every);
    lines.iter().enumerate().flat_map(one).collect()
}

/// `summary.json`, tables and `trail.tif`.
pub(crate) fn results(
    folder: &Path,
    run: &Run,
    lines: &[(String, Vec<[f64; 2]>)],
    stations: &[Station],
    summary: &Value,
) -> Result<(), Failure> {
    save(&folder.join("summary.json"), (serde_json::to_string_pretty(summary)? + "\n").as_bytes())?;
    tables::trips(folder, run)?;
    tables::trail(folder, "trail", run, lines, stations)?;
    picture::trail_tif(folder, run)
}

/// A finished season, brought back: its scene, the run, and the settings that it was given.
pub(crate) fn load(folder: &Path) -> Result<Run, Failure> {
    let path = folder.join(STATE);
    if !path.exists() {
        return Err(format!("{}: no run of `trample season` is there", folder.display()).into());
    }
    let head = store::head(&path)?;
    let source = head.source();
    let other = changed(&head.inputs(), &source.folder);
    if !other.is_empty() {
        return Err(format!("{}: {} since the season", path.display(), other.join(", ")).into());
    }
    // Nobody will walk: what is recorded before a season is not needed.
    let mut run = Run::with(&source.scene()?, Default::default())?;
    store::resume(&path, &mut run)?;
    run.solve();
    Ok(run)
}

/// Seconds between two states on disk, where writing them takes less than a few per cent of that.
const PAUSE: f64 = 10.0;

/// The numbers of a season that do not depend on the machine.
pub(crate) fn summary(run: &Run, trail: &Trail) -> Value {
    let (detour, centre) = run.detour_and_centre();
    let sum = |f: fn(&trample_season::DayRow) -> u64| run.rows.iter().map(f).sum::<u64>();
    let unit = run.ground.cell * run.ground.cell / 1e9;
    let volume = |f: fn(&trample_season::DayRow) -> i64| run.rows.iter().map(f).sum::<i64>() as f64 * unit;
    let damage: Vec<Value> = run
        .ground
        .scene()
        .plants
        .iter()
        .zip(&run.rules().damage)
        .map(|(p, d)| json!({ "patch": p.name, "species": p.species.preset, "footfalls": AT[..d.left.len()], "left": d.left, "fit_error": d.error }))
        .collect();
    json!({
        "scene": run.ground.scene().name,
        "seed": run.ground.scene().seed,
        "days": run.day,
        "start": run.date(0).to_string(),
        "end": run.date(run.day - 1).to_string(),
        "walks": sum(|r| r.walks),
        "walked": sum(|r| r.walks - r.not_walked),
        "not_walked": sum(|r| r.not_walked),
        "footfalls": sum(|r| r.footfalls),
        "hash": format!("{:016x}", run.ground.hash()),
        "trail": trail,
        "trips": run.season().trips.len(),
        "detour": detour,
        "centre_traffic": centre,
        "cover": run.cover(),
        "covers": run.covers().into_iter().map(|(n, c)| (n, json!(c))).collect::<serde_json::Map<_, _>>(),
        "volume_m3": { "pressed": volume(|r| r.carved), "displaced": volume(|r| r.displaced), "washed_off": volume(|r| r.washed) },
        "rain_mm": run.rows.iter().map(|r| r.rain).sum::<f64>(),
        "cost_fields": run.solved(),
        "ground_bytes": run.ground.bytes(),
        "damage": damage,
    })
}

/// The end of a season, for a person.
fn tell(folder: &Path, summary: &Value, pictures: bool) {
    let number = |path: &str| summary.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    let speed = match summary["footfalls_per_second"].as_f64() {
        Some(speed) => format!(" ({speed:.0} a second)"),
        None => String::new(),
    };
    println!(
        "{}: {} days, {} walks, {} footfalls{speed}, hash {}",
        summary["scene"].as_str().unwrap_or_default(),
        summary["days"],
        summary["walked"],
        summary["footfalls"],
        summary["hash"].as_str().unwrap_or_default()
    );
    if number("/not_walked") > 0.0 {
        println!(
            "  {} more were not walked: no path to the destination, or closed at that time",
            summary["not_walked"]
        );
    }
    // Where everybody keeps to routes nobody has a way to choose.
    let ways = match number("/trips") > 0.0 {
        true => format!(", detour {:.3}, centre {:.3}", number("/detour"), number("/centre_traffic")),
        false => String::new(),
    };
    println!(
        "  trail {:.0} m long, {:.2} m wide, {:.0} mm deep at most, {:.1} m² bare; cover {:.1} %{ways}",
        number("/trail/length_m"),
        number("/trail/mean_width_m"),
        1e3 * number("/trail/max_incision_m"),
        number("/trail/bare_m2"),
        100.0 * number("/cover")
    );
    let what = if pictures { "report.html, film.png, overview.png, maps, " } else { "" };
    println!(
        "  {what}trips.csv, trail.csv, trail.geojson, trail.tif and summary.json are in {}",
        folder.display()
    );
}
