//! `trample measure` and `trample compare`: trails measured and laid side by side.

use crate::Failure;
use crate::folder::{Folder, STATE, no_run};
use crate::season::{load, report, stations, tables};
use maud::html;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use trample_files::{gpx, memory};
use trample_lab::save;
use trample_pictures::{page, table};
use trample_season::measure::{self, Station};
use trample_season::store;

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

impl Measure {
    /// Measures and writes what was found.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        if !(self.every >= 0.01 && self.every <= 1e4) {
            return Err(format!("--every is {}, allowed: 0.01 to 10000 m", self.every).into());
        }
        let run = load(&self.run)?;
        let lines = match &self.along {
            Some(path) => {
                let places = gpx::read(path)?;
                let line = trample_files::scene_file::on_terrain(&places, &run.ground.scene().terrain)
                    .map_err(|e| format!("{}: {e}", path.display()))?;
                vec![(path.display().to_string(), line)]
            }
            None => measure::lines(&run),
        };
        let stations = stations(&run, &lines, self.every);
        let trail = measure::trail(&run.ground, &stations, self.every);
        let folder = self.out.as_ref().unwrap_or(&self.run);
        let output = Folder::open(folder)?;
        tables::trail(&output.stage(), "measure", &run, &lines, &stations)?;
        let body = html! { section { h2 { "Along the trail" } (report::along(&lines, &stations)?) } };
        let scene = run.ground.scene();
        let footer = format!("cross-sections every {} m", self.every);
        save(
            &output.stage().join("measure.html"),
            page(&format!("{}: the trail", scene.name), &scene.about, &body, &footer).as_bytes(),
        )?;
        output.add()?;
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

/// A number that is compared.
pub(crate) struct Quantity {
    /// What tables call it.
    pub(crate) key: &'static str,
    /// Its place in `summary.json`.
    at: &'static str,
    /// What pages call it, with the unit that it has there.
    pub(crate) name: &'static str,
    /// How many of that unit its own unit is.
    pub(crate) scale: f64,
    /// Digits after the point; whole numbers have none.
    digits: usize,
}

const fn quantity(
    key: &'static str,
    at: &'static str,
    name: &'static str,
    scale: f64,
    digits: usize,
) -> Quantity {
    Quantity { key, at, name, scale, digits }
}

pub(crate) const COMPARED: [Quantity; 10] = [
    quantity("footfalls", "/footfalls", "footfalls", 1.0, 0),
    quantity("not_walked", "/not_walked", "not walked", 1.0, 0),
    quantity("trail_length_m", "/trail/length_m", "length of the trail, m", 1.0, 1),
    quantity("mean_width_m", "/trail/mean_width_m", "mean width, m", 1.0, 2),
    quantity("max_incision_m", "/trail/max_incision_m", "largest incision, mm", 1e3, 1),
    quantity("area_loss_m2", "/trail/area_loss_m2", "area lost, cm²", 1e4, 1),
    quantity("bare_m2", "/trail/bare_m2", "bare ground, m²", 1.0, 2),
    quantity("detour", "/detour", "detour", 1.0, 3),
    quantity("centre_traffic", "/centre_traffic", "central traffic, %", 100.0, 1),
    quantity("cover", "/cover", "cover, %", 100.0, 1),
];

impl Quantity {
    /// A number of it for a page.
    pub(crate) fn shown(&self, x: f64) -> String {
        let x = x * self.scale;
        // A mean of counts may lie between them.
        let digits = if self.digits == 0 && x.fract() != 0.0 && x.abs() < 1e4 { 1 } else { self.digits };
        let text = format!("{x:.digits$}");
        let zero = text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.'));
        if zero { text.trim_start_matches('-').into() } else { text.replace('-', "−") }
    }
}

/// Most bytes of a summary, and of a picture.
const SUMMARY: u64 = 64 << 20;
const PICTURE: u64 = 256 << 20;

fn summary_of(folder: &Path) -> Result<Value, Failure> {
    if folder.is_file() {
        return Err(format!("{}: it is a file; compare takes folders of seasons", folder.display()).into());
    }
    let path = folder.join("summary.json");
    let bytes = memory::read(&path, SUMMARY).map_err(|e| format!("{}: {e}", path.display()))?;
    let summary: Value = serde_json::from_slice(&bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    if summary["trail"].is_object() {
        return Ok(summary);
    }
    Err(format!("{}: it is not the summary of a season", path.display()).into())
}

pub(crate) fn numbers(summary: &Value) -> Vec<f64> {
    COMPARED.iter().map(|q| summary.pointer(q.at).and_then(Value::as_f64).unwrap_or(0.0)).collect()
}

/// Mean and standard deviation; one number has none.
pub(crate) fn mean_and_spread(values: &[f64]) -> (f64, Option<f64>) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
    (mean, (values.len() > 1).then(|| (square / (n - 1.0)).sqrt()))
}

/// Runs that differ in nothing but the seed.
struct Scenario {
    name: String,
    /// What they have in common.
    what: String,
    /// Seed and hash of each.
    which: Vec<(Value, Value)>,
    numbers: Vec<Vec<f64>>,
}

impl Compare {
    /// The runs by what they have in common. A run that is given again counts once.
    fn scenarios(&self) -> Result<Vec<Scenario>, Failure> {
        let mut scenarios: Vec<Scenario> = Vec::new();
        for folder in &self.runs {
            let summary = summary_of(folder)?;
            let mut name = summary["scene"].as_str().unwrap_or("run").to_string();
            let what = match store::head(&folder.join(STATE)) {
                Ok(head) => {
                    let settings: Vec<String> =
                        head.settings.into_iter().filter(|s| !s.starts_with("seed=")).collect();
                    name = [vec![name], settings.clone()].concat().join(" ");
                    format!("{}\n{}", head.text, settings.join(" "))
                }
                Err(_) => {
                    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()).display().to_string()
                }
            };
            let which = (summary["seed"].clone(), summary["hash"].clone());
            match scenarios.iter_mut().find(|s| s.what == what) {
                Some(s) if s.which.contains(&which) => {
                    eprintln!("{}: the same run as one before it: it counts once", folder.display());
                }
                Some(s) => {
                    s.which.push(which);
                    s.numbers.push(numbers(&summary));
                }
                None => {
                    // Scenes that differ in their text alone are told apart by their folders.
                    if scenarios.iter().any(|s| s.name == name) {
                        let folder = folder.file_name().map_or("run".into(), |n| n.to_string_lossy());
                        name = format!("{name} ({folder})");
                    }
                    scenarios.push(Scenario {
                        name,
                        what,
                        which: vec![which],
                        numbers: vec![numbers(&summary)],
                    });
                }
            }
        }
        Ok(scenarios)
    }

    /// Compares and writes what was found.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        no_run(&self.out, "a comparison")?;
        let scenarios = self.scenarios()?;
        let output = Folder::open(&self.out)?;
        let stage = output.stage();
        let column = |k: usize, c: usize| scenarios[k].numbers.iter().map(|n| n[c]).collect::<Vec<f64>>();
        let mut csv = String::from("quantity,scenario,runs,mean,spread,difference,difference_spread\n");
        let mut rows = Vec::new();
        let mut found = Vec::new();
        for (c, quantity) in COMPARED.iter().enumerate() {
            let (first, first_spread) = mean_and_spread(&column(0, c));
            for (k, Scenario { name, numbers, .. }) in scenarios.iter().enumerate() {
                let (mean, spread) = mean_and_spread(&column(k, c));
                // The first differs from itself by nothing, whatever the seed.
                let (difference, both) = match k {
                    0 => (0.0, Some(0.0)),
                    _ => (mean - first, spread.zip(first_spread).map(|(a, b)| (a * a + b * b).sqrt())),
                };
                let (key, runs) = (quantity.key, numbers.len());
                let word = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
                csv += &format!(
                    "{key},{},{runs},{mean},{},{difference},{}\n",
                    tables::cell(name),
                    word(spread),
                    word(both)
                );
                // Runs of one seed have no spread.
                let shown = |x: Option<f64>| x.map_or_else(|| "–".into(), |x| quantity.shown(x));
                let more = match k {
                    0 => ["–".into(), "–".into()],
                    _ => [shown(Some(difference)), shown(both)],
                };
                let numbers = [runs.to_string(), shown(Some(mean)), shown(spread)];
                let words = [quantity.name.to_string(), name.clone()];
                rows.push(words.into_iter().chain(numbers).chain(more).collect::<Vec<String>>());
                found.push(json!({ "quantity": key, "scenario": name, "runs": runs, "mean": mean, "spread": spread, "difference": difference, "difference_spread": both }));
            }
        }
        save(&stage.join("compare.csv"), csv.as_bytes())?;
        let head = [
            "quantity",
            "scenario",
            "runs",
            "mean",
            "spread over seeds",
            "difference from the first",
            "its spread",
        ];
        let (mut pictures, mut without, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for folder in &self.runs {
            if !seen.insert(std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone())) {
                continue;
            }
            let name = folder.display().to_string();
            match memory::read(&folder.join("overview.png"), PICTURE) {
                Ok(png) => pictures.push((name, png)),
                Err(_) => without.push(name),
            }
        }
        let body = html! {
            section { div.gallery { @for (name, png) in &pictures { (trample_pictures::figure(png, name)) } } }
            @if !without.is_empty() { p { "Run without pictures: " (without.join(", ")) } }
            section { h2 { "Differences" } (table(&head, &rows)) }
        };
        let names: Vec<&str> = scenarios.iter().map(|s| s.name.as_str()).collect();
        let footer = "spread: standard deviation over seeds, – over one run";
        save(&stage.join("compare.html"), page("Comparison", &names.join(", "), &body, footer).as_bytes())?;
        output.commit(&Value::Null)?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&found)?);
        } else {
            println!(
                "{} scenario(s) of {} run(s): compare.html and compare.csv are in {}",
                scenarios.len(),
                scenarios.iter().map(|s| s.which.len()).sum::<usize>(),
                self.out.display()
            );
        }
        Ok(true)
    }
}
