//! `trample calibrate`: fits how a species wears to measured cover against passes.
//!
//! In: a species and a table of passes and relative cover. The lane of the field study is walked with footfalls of several
//! seeds; a downhill simplex (Nelder–Mead) looks for the parameters whose mean cover is nearest. Out: a species file with
//! its residuals, the numbers as JSON, a plot. Seeds that were not fitted tell how far to trust it.

use crate::Failure;
use crate::Progress;
use crate::cover;
use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use trample::params::species::{PRESETS, SpeciesPreset};
use trample::params::{Field, Range};
use trample::scene::library;
use trample::{Species, World};
use trample_files::cover_table::{self, MeasuredCover};
use trample_looks::colour;
use trample_pictures::{Chart, Key, Layer, Sheet};

/// Fit the wear parameters of a species to measured cover against passes
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample calibrate --species carex-pensylvanica        to Cole 1995, which is built in
  trample calibrate --species fern --data cover.csv     to your own: a table with the columns passes and cover
  trample calibrate --species fern --data cover.csv --fit break_angle_deg,crushed_height

The species file that it writes goes into a scene: [[plants]] with species = \"species.toml\".")]
pub struct Calibrate {
    /// Species to start from (see `trample presets`)
    #[arg(long, value_name = "NAME")]
    species: String,
    /// CSV file with the columns `passes` and `cover` (in %), one row per replicate [default: Cole 1995, for its two species]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Folder for the results [default: out/calibrate-NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Parameters to fit
    #[arg(
        long,
        value_name = "FIELDS",
        value_delimiter = ',',
        default_value = "break_angle_deg,crushed_height,wear_rate,recovery_rate"
    )]
    fit: Vec<String>,
    /// Number of seeds to fit to; the same number of other seeds checks the result
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=64))]
    seeds: u64,
    /// Maximum number of lane runs per seed
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    evaluations: u64,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

/// A parameter that may change: a step of one changes it by a factor of e to the power of `step`.
#[derive(Clone, Copy, Debug)]
struct Free {
    range: Range,
    start: f64,
    step: f64,
}

impl Free {
    fn value(&self, species: &Species) -> Option<f64> {
        Field::find(Species::FIELDS, self.range.name)?.get(species)
    }
}

/// What is minimised.
struct Lanes<'a> {
    species: Species,
    free: &'a [Free],
    measured: &'a [MeasuredCover],
    seeds: &'a [u64],
    bar: &'a Progress,
}

impl Lanes<'_> {
    /// The species at a place of the search; `None` where a parameter is beyond what is allowed.
    fn at(&self, place: &[f64]) -> Option<Species> {
        let mut species = self.species;
        for (free, u) in self.free.iter().zip(place) {
            let value = free.start * libm::exp(u * free.step);
            if !free.range.contains(value) {
                return None;
            }
            Field::find(Species::FIELDS, free.range.name)?.set(&mut species, value);
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
        self.bar.inc();
        let found = mean_cover(&species, self.measured, self.seeds).map_err(|e| Error::msg(e.to_string()))?;
        let rmse = rmse(self.measured, &found);
        self.bar.say(format!("{rmse:.2} points"));
        Ok(rmse)
    }
}

/// Relative cover of the lane after each of the measured numbers of passes, %, mean over the seeds.
fn mean_cover(species: &Species, measured: &[MeasuredCover], seeds: &[u64]) -> Result<Vec<f64>, Failure> {
    let runs: Vec<Vec<f64>> =
        seeds.par_iter().map(|&seed| lane_cover(species, measured, seed)).collect::<Result<_, _>>()?;
    Ok((0..measured.len()).map(|i| runs.iter().map(|run| run[i]).sum::<f64>() / seeds.len() as f64).collect())
}

/// The same with one seed; corrected by the control lane.
fn lane_cover(species: &Species, measured: &[MeasuredCover], seed: u64) -> Result<Vec<f64>, Failure> {
    let most = measured.last().map_or(0, |m| m.passes);
    let mut scene = library::lane(*species, most);
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
fn rmse(measured: &[MeasuredCover], found: &[f64]) -> f64 {
    // A mean of more replicates counts as often.
    let (mut squares, mut all) = (0.0, 0.0);
    for (m, f) in measured.iter().zip(found) {
        let n = f64::from(m.replicates);
        (squares, all) = (squares + n * (m.cover - f) * (m.cover - f), all + n);
    }
    (squares / all).sqrt()
}

/// What no curve can be nearer to than: the standard deviation of replicates about their own means, pooled, points; none without any.
fn pure_error(measured: &[MeasuredCover]) -> Option<f64> {
    let free = |m: &MeasuredCover| f64::from(m.replicates.saturating_sub(1));
    let all: f64 = measured.iter().map(free).sum();
    let squares: f64 = measured.iter().map(|m| free(m) * m.deviation * m.deviation).sum();
    (all > 0.0).then(|| (squares / all).sqrt())
}

/// Relative cover after 25, 75, 200 and 500 passes (Cole 1995, as the authors of TRAIL 2024 took it over for the two species
/// that they fitted), %.
pub(crate) const COLE: [(&str, [f64; 4]); 2] =
    [("carex-pensylvanica", [86.3, 70.4, 39.8, 20.0]), ("lycopodium-lucidulum", [96.2, 83.8, 60.2, 45.5])];

/// What is built in for a species, and where it comes from.
fn built_in(species: &str) -> Option<(Vec<MeasuredCover>, String)> {
    let (_, cover) = COLE.iter().find(|(name, _)| *name == species)?;
    let rows = [25, 75, 200, 500].into_iter().zip(cover);
    Some((
        rows.map(|(passes, &cover)| MeasuredCover::of(passes, &[cover])).collect(),
        "Cole 1995, by way of TRAIL 2024".into(),
    ))
}

impl Calibrate {
    /// Fits the species and writes what was found.
    pub fn run(&self) -> Result<bool, Failure> {
        let preset = PRESETS.iter().find(|preset| preset.name == self.species).ok_or_else(|| {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            format!("--species {}: no such species, allowed: {}", self.species, names.join(", "))
        })?;
        let (measured, source) = match &self.data {
            Some(path) => (cover_table::read(path)?, path.display().to_string()),
            None => built_in(preset.name).ok_or_else(|| {
                format!("--data is needed for {}: a table with the columns passes and cover", preset.name)
            })?,
        };
        let free = self.fit.iter().map(|name| free(name, &preset.species)).collect::<Result<Vec<_>, _>>()?;
        let seeds: Vec<u64> = (1..=self.seeds).collect();
        let others: Vec<u64> = (self.seeds + 1..=2 * self.seeds).collect();
        let folder =
            self.out.clone().unwrap_or_else(|| Path::new("out").join(format!("calibrate-{}", preset.name)));
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let template = "{bar:32} {pos}/{len} runs of the lane  {elapsed}  last: {msg}";
        let bar = Progress::new("calibrate", self.evaluations, template)?;
        let before = mean_cover(&preset.species, &measured, &seeds)?;
        let lanes =
            Lanes { species: preset.species, free: &free, measured: &measured, seeds: &seeds, bar: &bar };
        let best = search(lanes, self.evaluations)?;
        bar.finish();
        let fitted =
            Lanes { species: preset.species, free: &free, measured: &measured, seeds: &seeds, bar: &bar }
                .at(&best)
                .ok_or("the search found nothing within the allowed ranges")?;
        let after = mean_cover(&fitted, &measured, &seeds)?;
        let check = mean_cover(&fitted, &measured, &others)?;
        let found = Found { preset, source, measured, free, fitted, before, after, check, seeds, others };
        found.write(&folder)?;
        let told = found.object();
        if self.json {
            println!("{}", serde_json::to_string_pretty(&told)?);
        } else {
            found.tell(&folder);
        }
        Ok(true)
    }
}

/// A parameter to fit, by its name.
fn free(name: &str, species: &Species) -> Result<Free, Failure> {
    let field = Field::find(Species::FIELDS, name).ok_or_else(|| {
        let names: Vec<&str> = Field::names(Species::FIELDS).collect();
        format!("--fit {name}: no such parameter, allowed: {}", names.join(", "))
    })?;
    // Rates are known to a power of ten at best, angles and lengths much better.
    let range = field.range;
    let step = match range.unit {
        "°" => 0.08,
        "1/s" => 0.5,
        _ => 0.2,
    };
    let start = field.get(species).unwrap_or(range.min).max(range.min).max(1e-6);
    Ok(Free { range, start, step })
}

/// The best place: first along the first parameter alone, then downhill from there.
fn search(lanes: Lanes<'_>, most: u64) -> Result<Vec<f64>, Failure> {
    let first = &lanes.free[0];
    let ends = [first.range.min, first.range.max].map(|end| libm::log(end / first.start) / first.step);
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
    measured: Vec<MeasuredCover>,
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
                let value = f.value(&self.fitted);
                (f.range.name.into(), json!({ "unit": f.range.unit, "start": f.start, "fitted": value }))
            })
            .collect();
        let rows: Vec<Value> = (0..self.measured.len())
            .map(|i| {
                json!({
                    "passes": self.measured[i].passes,
                    "measured": self.measured[i].cover,
                    "replicates": self.measured[i].replicates,
                    "measured_sd": self.measured[i].deviation,
                    "standard_error": self.measured[i].error(),
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
                "pure_error": pure_error(&self.measured),
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
            Ok(trample_files::atomic::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?)
        };
        save("species.toml", self.species_file().as_bytes())?;
        save("calibrate.json", (serde_json::to_string_pretty(&self.object())? + "\n").as_bytes())?;
        let chart = self.chart()?;
        save("calibrate.svg", chart.svg.as_bytes())?;
        save("calibrate.png", &chart.image.to_png())
    }

    /// Measured and modelled cover against passes.
    fn chart(&self) -> Result<Chart, Failure> {
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
            let (low, high) = (y - m.deviation, y + m.deviation);
            if m.deviation > dy {
                for points in [
                    vec![(x, low), (x, high)],
                    vec![(x - dx, low), (x + dx, low)],
                    vec![(x - dx, high), (x + dx, high)],
                ] {
                    layers.push(Layer::Line { points, colour: colour::INK, width: 1.2, dashed: false });
                }
            }
        }
        let sheet = Sheet {
            title: format!("Cover of {} against passes", self.preset.name),
            x_label: "passes".into(),
            y_label: "relative cover (%)".into(),
            layers,
            legend: vec![
                (
                    if pure_error(&self.measured).is_some() {
                        "measured, ± 1 sd of replicates"
                    } else {
                        "measured"
                    }
                    .into(),
                    Key::Area(colour::INK),
                ),
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
            let value = f.value(&self.fitted).unwrap_or(f64::NAN);
            println!("  {:<18} {:>10.4} {:<6} was {:.4}", f.range.name, value, f.range.unit, f.start);
        }
        println!("  passes   measured   fitted   other seeds   before");
        for (i, m) in self.measured.iter().enumerate() {
            let spread = match m.replicates {
                1 => String::new(),
                n => format!("  measured ± {:.1} ({n} replicates)", m.deviation),
            };
            println!(
                "  {:>6} {:>9.1} {:>8.1} {:>13.1} {:>8.1}  %{spread}",
                m.passes, m.cover, self.after[i], self.check[i], self.before[i]
            );
        }
        if let Some(least) = pure_error(&self.measured) {
            println!(
                "  replicates lie {least:.2} points from their own means: no curve can be nearer to single rows"
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
