//! `trample measure`, `trample compare` and `trample sweep`: trails measured, laid side by side, and varied.

use crate::Failure;
use crate::season::{report, tables};
use maud::html;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trample_files::{Source, gpx};
use trample_lab::save;
use trample_pictures::{Series, drawing, page, plot_lines, table};
use trample_season::measure::{self, Station};
use trample_season::{Run, store};

/// Measure the trails of a season: cross-sections along them, as CSV, GeoJSON and a page
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample measure out/park                 along the paths that people walk now
  trample measure out/park --along trail.gpx --every 0.5 --json")]
pub(crate) struct Measure {
    /// The folder of a run of `trample season`
    run: PathBuf,
    /// A line to measure along, as GPX
    #[arg(long, value_name = "GPX", conflicts_with = "auto")]
    along: Option<PathBuf>,
    /// Measure along the paths that people walk at the end of the season; the default
    #[arg(long)]
    auto: bool,
    /// Metres between two cross-sections
    #[arg(long, value_name = "M", default_value_t = 1.0)]
    every: f64,
    /// Folder for the results [default: the run's]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the measurements as one JSON object
    #[arg(long)]
    json: bool,
}

/// A finished run, brought back.
fn load(folder: &Path) -> Result<(Source, Run), Failure> {
    let path = folder.join("state.season");
    if !path.exists() {
        return Err(format!("{}: no run of `trample season` is there", folder.display()).into());
    }
    let source = store::head(&path)?.source();
    let scene = source.scene()?;
    // Nobody will walk: what is recorded before a season is not needed.
    let mut run = Run::with(&scene, Arc::default())?;
    store::resume(&path, &mut run)?;
    run.solve();
    Ok((source, run))
}

impl Measure {
    /// Measures and writes what was found.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        if !(self.every >= 0.01 && self.every <= 1e4) {
            return Err(format!("--every is {}, allowed: 0.01 to 10000 m", self.every).into());
        }
        let (_, run) = load(&self.run)?;
        let lines = match &self.along {
            Some(path) => {
                let places = gpx::read(path)?;
                let line = trample_files::scene_file::on_terrain(&places, &run.ground.scene().terrain)
                    .map_err(|e| format!("{}: {e}", path.display()))?;
                vec![(path.display().to_string(), line)]
            }
            None => measure::lines(&run),
        };
        let stations: Vec<Station> = lines
            .iter()
            .enumerate()
            .flat_map(|(i, l)| measure::stations(&run.ground, i, &l.1, self.every))
            .collect();
        let trail = measure::trail(&run.ground, &stations, self.every);
        let folder = self.out.as_ref().unwrap_or(&self.run);
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        tables::trail(folder, "measure", &run, &lines, &stations)?;
        let body = html! { section { h2 { "Along the trail" } (report::along(&lines, &stations)?) } };
        let scene = run.ground.scene();
        let footer = format!("cross-sections every {} m", self.every);
        save(
            &folder.join("measure.html"),
            page(&format!("{}: the trail", scene.name), &scene.about, &body, &footer).as_bytes(),
        )?;
        let area = scene.terrain.size[0] * scene.terrain.size[1];
        let informal: f64 = match run.season().trips.is_empty() {
            true => 0.0,
            false => {
                let routes = run.season().routes.len();
                let own: Vec<Station> = stations.iter().filter(|s| s.line >= routes).cloned().collect();
                measure::changed_length(&own, self.every)
            }
        };
        let summary = json!({
            "scene": scene.name,
            "every_m": self.every,
            "lines": lines.len(),
            "trail": trail,
            "informal": { "length_m": informal, "m_per_ha": informal / area * 1e4 },
            "alignment": alignment(&stations),
            "stations": if self.json { json!(stations) } else { json!(stations.len()) },
        });
        if self.json {
            println!("{}", serde_json::to_string_pretty(&summary)?);
        } else {
            println!(
                "{} cross-sections along {} line(s): {:.0} m of trail, {:.2} m wide, {:.1} mm deep at most, {:.4} m² lost in the section, {:.1} m² bare",
                stations.len(),
                lines.len(),
                trail.length_m,
                trail.mean_width_m,
                1e3 * trail.max_incision_m,
                trail.area_loss_m2,
                trail.bare_m2
            );
            println!("  measure.csv, measure.geojson and measure.html are in {}", folder.display());
        }
        Ok(true)
    }
}

/// Means by class of how the trail lies to the slope.
fn alignment(stations: &[Station]) -> Value {
    let classes = ["0-22", "23-45", "46-68", "69-90"];
    let of = |class: &str| {
        let there: Vec<&Station> =
            stations.iter().filter(|s| s.alignment == class && s.width_m > 0.0).collect();
        let mean = |f: fn(&Station) -> f64| {
            there.iter().map(|s| f(s)).sum::<f64>() / there.len().max(1) as f64 + 0.0
        };
        json!({ "stations": there.len(), "area_loss_m2": mean(|s| s.area_loss_m2), "incision_m": mean(|s| s.incision_m) })
    };
    classes.iter().map(|c| ((*c).to_string(), of(c))).collect::<serde_json::Map<_, _>>().into()
}

/// Compare runs of `trample season`: one page, one table, differences with the spread over seeds
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample compare out/open out/closed --out comparison")]
pub(crate) struct Compare {
    /// Folders of runs; runs that differ only in the seed form one scenario
    #[arg(required = true, num_args = 1..)]
    runs: Vec<PathBuf>,
    /// Folder for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the comparison as one JSON object
    #[arg(long)]
    json: bool,
}

/// The numbers that are compared, by their place in `summary.json`.
const COMPARED: [(&str, &str); 10] = [
    ("footfalls", "/footfalls"),
    ("not_walked", "/not_walked"),
    ("trail_length_m", "/trail/length_m"),
    ("mean_width_m", "/trail/mean_width_m"),
    ("max_incision_m", "/trail/max_incision_m"),
    ("area_loss_m2", "/trail/area_loss_m2"),
    ("bare_m2", "/trail/bare_m2"),
    ("detour", "/detour"),
    ("centre_traffic", "/centre_traffic"),
    ("cover", "/cover"),
];

fn summary_of(folder: &Path) -> Result<Value, Failure> {
    let path = folder.join("summary.json");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(serde_json::from_slice(&bytes).map_err(|e| format!("{}: {e}", path.display()))?)
}

fn numbers(summary: &Value) -> Vec<f64> {
    COMPARED.iter().map(|(_, at)| summary.pointer(at).and_then(Value::as_f64).unwrap_or(0.0)).collect()
}

fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
    (mean, if values.len() > 1 { (square / (n - 1.0)).sqrt() } else { 0.0 })
}

impl Compare {
    /// Compares and writes what was found.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        // Runs that differ in nothing but the seed belong together.
        let mut scenarios: Vec<(String, String, Vec<Vec<f64>>)> = Vec::new();
        for folder in &self.runs {
            let summary = summary_of(folder)?;
            let numbers = numbers(&summary);
            let mut name = summary["scene"].as_str().unwrap_or("run").to_string();
            let what = match store::head(&folder.join("state.season")) {
                Ok(head) => {
                    let settings: Vec<String> =
                        head.settings.into_iter().filter(|s| !s.starts_with("seed=")).collect();
                    name = [vec![name], settings.clone()].concat().join(" ");
                    format!("{}\n{}", head.text, settings.join(" "))
                }
                Err(_) => folder.display().to_string(),
            };
            match scenarios.iter_mut().find(|s| s.1 == what) {
                Some(s) => s.2.push(numbers),
                None => {
                    // Scenes that differ in their text alone are told apart by their folders.
                    if scenarios.iter().any(|s| s.0 == name) {
                        let folder = folder.file_name().map_or("run".into(), |n| n.to_string_lossy());
                        name = format!("{name} ({folder})");
                    }
                    scenarios.push((name, what, vec![numbers]));
                }
            }
        }
        let column = |k: usize, c: usize| scenarios[k].2.iter().map(|n| n[c]).collect::<Vec<f64>>();
        let mut csv = String::from("quantity,scenario,runs,mean,spread,difference,difference_spread\n");
        let mut rows = Vec::new();
        let mut found = Vec::new();
        for (c, (name, _)) in COMPARED.iter().enumerate() {
            let (first, first_spread) = mean_and_spread(&column(0, c));
            for (k, scenario) in scenarios.iter().enumerate() {
                let (mean, spread) = mean_and_spread(&column(k, c));
                // The first differs from itself by nothing, whatever the seed.
                let (difference, both) = match k {
                    0 => (0.0, 0.0),
                    _ => (mean - first, (spread * spread + first_spread * first_spread).sqrt()),
                };
                csv += &format!(
                    "{name},{},{},{mean},{spread},{difference},{both}\n",
                    scenario.0.replace(',', ";"),
                    scenario.2.len()
                );
                let shown = |x: f64| if x.abs() >= 100.0 { format!("{x:.0}") } else { format!("{x:.4}") };
                rows.push(vec![
                    (*name).to_string(),
                    scenario.0.clone(),
                    scenario.2.len().to_string(),
                    shown(mean),
                    shown(spread),
                    shown(difference),
                    shown(both),
                ]);
                found.push(json!({ "quantity": name, "scenario": scenario.0, "runs": scenario.2.len(), "mean": mean, "spread": spread, "difference": difference, "difference_spread": both }));
            }
        }
        save(&self.out.join("compare.csv"), csv.as_bytes())?;
        let head = [
            "quantity",
            "scenario",
            "runs",
            "mean",
            "spread over seeds",
            "difference from the first",
            "its spread",
        ];
        let pictures: Vec<(String, Vec<u8>)> = self
            .runs
            .iter()
            .filter_map(|f| Some((f.display().to_string(), std::fs::read(f.join("overview.png")).ok()?)))
            .collect();
        let body = html! {
            section { div.gallery { @for (name, png) in &pictures { (trample_pictures::figure(png, name)) } } }
            section { h2 { "Differences" } (table(&head, &rows)) }
        };
        let names: Vec<&str> = scenarios.iter().map(|s| s.0.as_str()).collect();
        save(
            &self.out.join("compare.html"),
            page("Comparison", &names.join(", "), &body, "spread: standard deviation over seeds").as_bytes(),
        )?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&found)?);
        } else {
            println!(
                "{} scenario(s) of {} run(s): compare.html and compare.csv are in {}",
                scenarios.len(),
                self.runs.len(),
                self.out.display()
            );
        }
        Ok(true)
    }
}

/// Run a season for several parameter values and seeds, into one table
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample sweep triangle --vary wear=0,0.5,1 --seeds 5 --jobs 2 --out sweep")]
pub(crate) struct Sweep {
    /// A library scene with a season or a TOML file
    scene: String,
    /// A parameter and its values: wear=0,0.5,1; if repeated, all combinations are run
    #[arg(long, value_name = "KEY=V1,V2", required = true)]
    vary: Vec<String>,
    /// Number of seeds for each combination
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: u64,
    /// Number of parallel runs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    jobs: u64,
    /// Folder for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of days, instead of the calendar's
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    days: Option<i64>,
    /// Change a value of the scene
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Sweep {
    /// Runs all and writes `runs.csv`.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        let mut combinations: Vec<Vec<(String, String)>> = vec![Vec::new()];
        for vary in &self.vary {
            let problem = || format!("--vary {vary}: must be key=value,value,…");
            let (key, values) = vary.split_once('=').ok_or_else(problem)?;
            let values: Vec<&str> = values.split(',').map(str::trim).filter(|v| !v.is_empty()).collect();
            if values.is_empty() || key.trim().is_empty() {
                return Err(problem().into());
            }
            combinations = combinations
                .iter()
                .flat_map(|c| {
                    values.iter().map(move |v| {
                        c.iter().cloned().chain([(key.trim().to_string(), (*v).to_string())]).collect()
                    })
                })
                .collect();
        }
        let mut source = Source::find(&self.scene)?;
        source.settings.clone_from(&self.set);
        source.settings.extend(self.days.map(|days| format!("days={days}")));
        let jobs: Vec<(Vec<(String, String)>, u64)> =
            combinations.iter().flat_map(|c| (1..=self.seeds).map(move |seed| (c.clone(), seed))).collect();
        // Every scene is looked over before the first is run.
        let mut scenes = Vec::new();
        for (values, seed) in &jobs {
            let mut one = source.clone();
            one.settings.extend(values.iter().map(|(k, v)| format!("{k}={v}")));
            one.settings.push(format!("seed={seed}"));
            scenes.push(one.scene()?);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs as usize).build()?;
        let results: Result<Vec<Value>, Failure> = pool.install(|| {
            scenes
                .par_iter()
                .map(|scene| {
                    let mut run = Run::new(scene)?;
                    while run.day < run.days() {
                        run.pass_day();
                    }
                    let lines = measure::lines(&run);
                    let stations: Vec<Station> = lines
                        .iter()
                        .enumerate()
                        .flat_map(|(i, l)| measure::stations(&run.ground, i, &l.1, 1.0))
                        .collect();
                    Ok(crate::season::summary(&run, &measure::trail(&run.ground, &stations, 1.0)))
                })
                .collect()
        });
        let results = results?;
        let keys: Vec<&str> =
            self.vary.iter().map(|v| v.split_once('=').map_or(v.as_str(), |(k, _)| k.trim())).collect();
        let mut csv = format!("{},seed,days,hash,{}\n", keys.join(","), COMPARED.map(|c| c.0).join(","));
        for ((values, seed), summary) in jobs.iter().zip(&results) {
            let given: Vec<&str> = values.iter().map(|(_, v)| v.as_str()).collect();
            let numbers: Vec<String> = numbers(summary).iter().map(f64::to_string).collect();
            csv += &format!(
                "{},{seed},{},{},{}\n",
                given.join(","),
                summary["days"],
                summary["hash"].as_str().unwrap_or_default(),
                numbers.join(",")
            );
        }
        save(&self.out.join("runs.csv"), csv.as_bytes())?;
        self.page(&keys, &jobs, &results)?;
        println!("{} runs: runs.csv and sweep.html are in {}", jobs.len(), self.out.display());
        Ok(true)
    }

    fn page(
        &self,
        keys: &[&str],
        jobs: &[(Vec<(String, String)>, u64)],
        results: &[Value],
    ) -> Result<(), Failure> {
        let mut plots = Vec::new();
        // With one parameter of numbers, each quantity against it.
        let x: Vec<Option<f64>> = jobs.iter().map(|(v, _)| v[0].1.parse().ok()).collect();
        if keys.len() == 1 && x.iter().all(Option::is_some) {
            let mut values: Vec<f64> = x.iter().flatten().copied().collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for (c, (name, _)) in COMPARED.iter().enumerate() {
                let at = |v: f64| {
                    let all: Vec<f64> = results
                        .iter()
                        .zip(&x)
                        .filter(|(_, x)| **x == Some(v))
                        .map(|(r, _)| numbers(r)[c])
                        .collect();
                    mean_and_spread(&all).0
                };
                let series = Series {
                    name: (*name).into(),
                    x: values.clone(),
                    y: values.iter().map(|&v| at(v)).collect(),
                };
                plots.push(plot_lines(&[series], &format!("{name} over {}", keys[0]), keys[0], name)?.svg);
            }
        }
        let head: Vec<String> = keys
            .iter()
            .map(|k| (*k).to_string())
            .chain(["seed".into()])
            .chain(COMPARED.iter().map(|c| c.0.to_string()))
            .collect();
        let rows: Vec<Vec<String>> = jobs
            .iter()
            .zip(results)
            .map(|((v, seed), r)| {
                v.iter()
                    .map(|(_, v)| v.clone())
                    .chain([seed.to_string()])
                    .chain(numbers(r).iter().map(|n| format!("{n:.4}")))
                    .collect()
            })
            .collect();
        let body = html! { section { div.gallery { @for svg in &plots { (drawing(svg, "")) } } } section { h2 { "Runs" } (table(&head, &rows)) } };
        save(
            &self.out.join("sweep.html"),
            page(&format!("Sweep of {}", self.scene), &self.vary.join(" "), &body, "means over seeds")
                .as_bytes(),
        )
    }
}
