//! `trample calibrate`: fits how a species wears to measured cover against passes.
//!
//! In: a species and a table of passes and relative cover. The lane of the field study is walked with footfalls of several
//! seeds; a downhill simplex (Nelder–Mead) looks for the parameters whose mean cover is nearest. Out: a species file with
//! its residuals, the numbers as JSON, a plot. Seeds that were not fitted tell how far to trust it.

mod data;

use crate::Failure;
use crate::cover;
use crate::picture::sheet::{Key, Layer, Sheet};
use crate::picture::{self, colour};
use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;
use data::Measured;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use trample::params::species::{PRESETS, SpeciesPreset};
use trample::scene::library;
use trample::{Species, World};

/// Options of `trample calibrate`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample calibrate --species carex-pensylvanica        to Cole 1995, which is built in
  trample calibrate --species fern --data cover.csv     to your own: a table with the columns passes and cover
  trample calibrate --species fern --data cover.csv --fit break_angle_deg,crushed_height

The species file that it writes goes into a scene: [[plants]] with species = \"species.toml\".")]
pub(crate) struct Options {
    /// The species to begin with (see `trample presets`)
    #[arg(long, value_name = "NAME")]
    species: String,
    /// Cover against passes, as CSV with the columns `passes` and `cover` (in %); Cole 1995 for its two species if not given
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Folder for the results [default: out/calibrate-NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Which parameters may change
    #[arg(
        long,
        value_name = "FIELDS",
        value_delimiter = ',',
        default_value = "break_angle_deg,crushed_height,wear_rate,recovery_rate"
    )]
    fit: Vec<String>,
    /// Seeds to fit; as many others check the result
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=64))]
    seeds: u64,
    /// Most runs of the lane to spend on each seed
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    evaluations: u64,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

/// A parameter that may change: a step of one changes it by a factor of e to the power of `step`.
#[derive(Clone, Copy, Debug)]
struct Free {
    field: &'static str,
    unit: &'static str,
    min: f64,
    max: f64,
    start: f64,
    step: f64,
}

/// What is minimised.
struct Lanes<'a> {
    species: Species,
    free: &'a [Free],
    measured: &'a [Measured],
    seeds: &'a [u64],
    bar: &'a ProgressBar,
}

impl Lanes<'_> {
    /// The species at a place of the search; `None` where a parameter is beyond what is allowed.
    fn at(&self, place: &[f64]) -> Option<Species> {
        let mut species = self.species;
        for (free, u) in self.free.iter().zip(place) {
            let value = free.start * libm::exp(u * free.step);
            if !(free.min..=free.max).contains(&value) {
                return None;
            }
            let stored = if free.field.ends_with("_deg") { value.to_radians() } else { value };
            *species.field_mut(free.field)? = stored;
        }
        (species.break_angle > species.wear_angle).then_some(species)
    }
}

impl CostFunction for Lanes<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, place: &Vec<f64>) -> Result<f64, Error> {
        // Beyond what is allowed it is worse than anything inside, and the worse the further.
        let Some(species) = self.at(place) else {
            return Ok(1000.0 + place.iter().map(|u| u.abs()).sum::<f64>());
        };
        self.bar.inc(1);
        let found = mean_cover(&species, self.measured, self.seeds).map_err(|e| Error::msg(e.to_string()))?;
        let rmse = rmse(self.measured, &found);
        self.bar.set_message(format!("{rmse:.2} points"));
        Ok(rmse)
    }
}

/// Relative cover of the lane after each of the measured numbers of passes, %, mean over the seeds.
fn mean_cover(species: &Species, measured: &[Measured], seeds: &[u64]) -> Result<Vec<f64>, Failure> {
    let runs: Vec<Vec<f64>> =
        seeds.par_iter().map(|&seed| lane_cover(species, measured, seed)).collect::<Result<_, _>>()?;
    Ok((0..measured.len()).map(|i| runs.iter().map(|run| run[i]).sum::<f64>() / seeds.len() as f64).collect())
}

/// The same with one seed; corrected by the lane that nobody entered.
fn lane_cover(species: &Species, measured: &[Measured], seed: u64) -> Result<Vec<f64>, Failure> {
    let most = measured.last().map_or(0, |m| m.passes);
    let mut scene = library::vegetation::lane(*species, most);
    scene.seed = seed;
    let mut world = World::new(&scene)?;
    let mut found = Vec::with_capacity(measured.len());
    let relative = |world: &World| {
        let [lane, control] = [0, 1].map(|patch| {
            let own = &world.scene().plants[patch];
            world.plant_tally(own.min, own.max).cover()
        });
        100.0 * lane / control.max(f64::EPSILON)
    };
    for _ in 0..scene.steps() {
        world.step(scene.dt());
        while found.len() < measured.len() && cover::passes(&world) >= measured[found.len()].passes {
            found.push(relative(&world));
        }
    }
    found.resize_with(measured.len(), || relative(&world));
    Ok(found)
}

/// Root mean square of the differences, percentage points.
fn rmse(measured: &[Measured], found: &[f64]) -> f64 {
    let squares = measured.iter().zip(found).map(|(m, f)| (m.cover - f) * (m.cover - f));
    (squares.sum::<f64>() / measured.len() as f64).sqrt()
}

/// Fits the species and writes what was found.
pub(crate) fn run(options: &Options) -> Result<bool, Failure> {
    let preset = PRESETS.iter().find(|preset| preset.name == options.species).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        format!("--species {}: no such species, allowed: {}", options.species, names.join(", "))
    })?;
    let (measured, source) = match &options.data {
        Some(path) => (data::read(path)?, path.display().to_string()),
        None => data::built_in(preset.name).ok_or_else(|| {
            format!("--data is needed for {}: a table with the columns passes and cover", preset.name)
        })?,
    };
    let free = options.fit.iter().map(|name| free(name, &preset.species)).collect::<Result<Vec<_>, _>>()?;
    let seeds: Vec<u64> = (1..=options.seeds).collect();
    let others: Vec<u64> = (options.seeds + 1..=2 * options.seeds).collect();
    let folder =
        options.out.clone().unwrap_or_else(|| Path::new("out").join(format!("calibrate-{}", preset.name)));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let bar = ProgressBar::new(options.evaluations).with_style(
        ProgressStyle::with_template("{bar:32} {pos}/{len} runs of the lane  {elapsed}  last: {msg}")
            .expect("a template that is known to be right"),
    );
    let before = mean_cover(&preset.species, &measured, &seeds)?;
    let lanes = Lanes { species: preset.species, free: &free, measured: &measured, seeds: &seeds, bar: &bar };
    let best = search(lanes, options.evaluations)?;
    bar.finish_and_clear();
    let fitted =
        Lanes { species: preset.species, free: &free, measured: &measured, seeds: &seeds, bar: &bar }
            .at(&best)
            .ok_or("the search found nothing within the allowed ranges")?;
    let after = mean_cover(&fitted, &measured, &seeds)?;
    let check = mean_cover(&fitted, &measured, &others)?;
    let found = Found { preset, source, measured, free, fitted, before, after, check, seeds, others };
    found.write(&folder)?;
    let told = found.object();
    if options.json {
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else {
        found.tell(&folder);
    }
    Ok(true)
}

/// A parameter to fit, by its name.
fn free(name: &str, species: &Species) -> Result<Free, Failure> {
    let known = Species::RANGES.iter().find(|r| r.field == name);
    let range = known.ok_or_else(|| {
        let names: Vec<&str> = Species::RANGES.iter().map(|r| r.field).collect();
        format!("--fit {name}: no such parameter, allowed: {}", names.join(", "))
    })?;
    // Rates are known to a power of ten at best, angles and lengths much better.
    let step = match range.unit {
        "°" => 0.08,
        "1/s" => 0.5,
        _ => 0.2,
    };
    let start = species.field(range.field).unwrap_or(range.min).max(range.min).max(1e-6);
    Ok(Free { field: range.field, unit: range.unit, min: range.min, max: range.max, start, step })
}

/// The best place: first along the first parameter alone, then downhill from there.
fn search(lanes: Lanes<'_>, most: u64) -> Result<Vec<f64>, Failure> {
    let first = &lanes.free[0];
    let ends = [first.min, first.max].map(|end| libm::log(end / first.start) / first.step);
    let mut begin = vec![0.0; lanes.free.len()];
    let mut least = f64::MAX;
    // The runs that the first look may take; the start is one of the places.
    let looks = (most / 6).clamp(1, 10);
    for n in 0..=looks {
        let mut place = vec![0.0; lanes.free.len()];
        let share = n as f64 / looks as f64;
        place[0] =
            if n == 0 { 0.0 } else { (ends[0].max(-12.0)) * (1.0 - share) + ends[1].min(12.0) * share };
        let cost = lanes.cost(&place).map_err(|e| e.to_string())?;
        if cost < least {
            (least, begin) = (cost, place);
        }
    }
    let mut simplex = vec![begin.clone()];
    for i in 0..begin.len() {
        let mut corner = begin.clone();
        corner[i] += 1.0;
        simplex.push(corner);
    }
    let solver = NelderMead::new(simplex).with_sd_tolerance(0.02)?;
    let left = most.saturating_sub(looks + 1).max(1);
    // One look in two at a time, about, is a step of the simplex.
    let done = Executor::new(lanes, solver).configure(|state| state.max_iters(left * 2 / 3)).run()?;
    Ok(done.state().get_best_param().cloned().unwrap_or(begin))
}

/// What a calibration found.
struct Found<'a> {
    preset: &'a SpeciesPreset,
    source: String,
    measured: Vec<Measured>,
    free: Vec<Free>,
    fitted: Species,
    before: Vec<f64>,
    after: Vec<f64>,
    check: Vec<f64>,
    seeds: Vec<u64>,
    others: Vec<u64>,
}

impl Found<'_> {
    fn object(&self) -> Value {
        let parameters: serde_json::Map<String, Value> = self
            .free
            .iter()
            .map(|f| {
                let value = self.fitted.field(f.field);
                (f.field.into(), json!({ "unit": f.unit, "start": f.start, "fitted": value }))
            })
            .collect();
        let rows: Vec<Value> = (0..self.measured.len())
            .map(|i| {
                json!({
                    "passes": self.measured[i].passes,
                    "measured": self.measured[i].cover,
                    "before": self.before[i],
                    "fitted": self.after[i],
                    "residual": self.after[i] - self.measured[i].cover,
                    "other_seeds": self.check[i],
                })
            })
            .collect();
        json!({
            "species": self.preset.name,
            "data": self.source,
            "parameters": parameters,
            "cover_percent": rows,
            "rmse_points": {
                "before": rmse(&self.measured, &self.before),
                "fitted": rmse(&self.measured, &self.after),
                "other_seeds": rmse(&self.measured, &self.check),
            },
            "seeds": self.seeds,
            "other_seeds": self.others,
        })
    }

    /// The species file: its numbers, and where they come from.
    fn species_file(&self) -> String {
        let mut out = String::from(
            "# Fitted by `trample calibrate`; use it as species = \"species.toml\" in [[plants]].\n",
        );
        out.push_str(&trample_files::scene_file::species_to_toml(&self.fitted, self.preset.name));
        out.push_str(&format!(
            "\n[fit]\ndata = {:?}\nrmse_points = {:.3}\nother_seeds_rmse_points = {:.3}\nseeds = {:?}\nother_seeds = {:?}\n",
            self.source,
            rmse(&self.measured, &self.after),
            rmse(&self.measured, &self.check),
            self.seeds,
            self.others
        ));
        for (i, m) in self.measured.iter().enumerate() {
            out.push_str(&format!(
                "\n[[fit.residual]]\npasses = {}\nmeasured = {:?} # %\nfitted = {:.3} # %\nresidual = {:.3} # points\nother_seeds = {:.3} # %\n",
                m.passes,
                m.cover,
                self.after[i],
                self.after[i] - m.cover,
                self.check[i]
            ));
        }
        out
    }

    fn write(&self, folder: &Path) -> Result<(), Failure> {
        let save = |name: &str, bytes: &[u8]| -> Result<(), Failure> {
            let path = folder.join(name);
            Ok(trample_files::whole::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?)
        };
        save("species.toml", self.species_file().as_bytes())?;
        save("calibrate.json", (serde_json::to_string_pretty(&self.object())? + "\n").as_bytes())?;
        let chart = self.chart()?;
        save("calibrate.svg", chart.svg.as_bytes())?;
        save("calibrate.png", &chart.image.to_png())
    }

    /// Measured and modelled cover against passes.
    fn chart(&self) -> Result<picture::plot::Chart, Failure> {
        let line = |cover: &[f64]| -> Vec<(f64, f64)> {
            let later = self.measured.iter().zip(cover).map(|(m, c)| (f64::from(m.passes), *c));
            std::iter::once((0.0, 100.0)).chain(later).collect()
        };
        let most = f64::from(self.measured.last().map_or(1, |m| m.passes));
        let blue = [47, 111, 159];
        let (before, green) = (colour::SOFT, [63, 143, 95]);
        let mut layers = vec![
            Layer::Line { points: line(&self.before), colour: before, width: 1.5, dashed: true },
            Layer::Line { points: line(&self.after), colour: blue, width: 2.2, dashed: false },
            Layer::Line { points: line(&self.check), colour: green, width: 1.8, dashed: true },
        ];
        // What was measured: squares, because nothing was measured between them.
        for m in &self.measured {
            let (x, y, dx, dy) = (f64::from(m.passes), m.cover, 0.006 * most, 1.1);
            let points = vec![(x - dx, y - dy), (x + dx, y - dy), (x + dx, y + dy), (x - dx, y + dy)];
            layers.push(Layer::Area { points, colour: colour::INK });
        }
        let sheet = Sheet {
            title: format!("Cover of {} against passes", self.preset.name),
            x_label: "passes".into(),
            y_label: "relative cover (%)".into(),
            layers,
            legend: vec![
                ("measured".into(), Key::Area(colour::INK)),
                (format!("fitted, {:.1} points", rmse(&self.measured, &self.after)), Key::Line(blue)),
                (format!("other seeds, {:.1} points", rmse(&self.measured, &self.check)), Key::Dashes(green)),
                (format!("before, {:.1} points", rmse(&self.measured, &self.before)), Key::Dashes(before)),
            ],
            reach: Some([0.0, 100.0]),
        };
        Ok(sheet.chart()?)
    }

    fn tell(&self, folder: &Path) {
        println!("{} fitted to {}", self.preset.name, self.source);
        for f in &self.free {
            let value = self.fitted.field(f.field).unwrap_or(f64::NAN);
            println!("  {:<18} {:>10.4} {:<6} was {:.4}", f.field, value, f.unit, f.start);
        }
        println!("  passes   measured   fitted   other seeds   before");
        for (i, m) in self.measured.iter().enumerate() {
            println!(
                "  {:>6} {:>9.1} {:>8.1} {:>13.1} {:>8.1}  %",
                m.passes, m.cover, self.after[i], self.check[i], self.before[i]
            );
        }
        println!(
            "  RMSE: {:.2} points, {:.2} with other seeds, {:.2} before",
            rmse(&self.measured, &self.after),
            rmse(&self.measured, &self.check),
            rmse(&self.measured, &self.before)
        );
        println!("wrote {}: species.toml, calibrate.json, calibrate.png, calibrate.svg", folder.display());
    }
}
