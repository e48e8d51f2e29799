//! `trample sweep`: a season over values of its parameters and over seeds.

use crate::Failure;
use crate::folder::{Folder, no_run};
use crate::measure::{COMPARED, mean_and_spread, numbers};
use crate::season::ticking::Ticking;
use crate::season::{stations, tables};
use maud::html;
use rayon::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use trample_files::Source;
use trample_lab::save;
use trample_pictures::{Key, LINE_COLOURS, Layer, Sheet, drawing, page, table};
use trample_season::{Run, measure};

/// A run of a sweep: the values of what is varied, and its seed.
type Job = (Vec<(String, String)>, u64);

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
        let mut keys: Vec<&str> = Vec::new();
        for vary in &self.vary {
            let problem = || format!("--vary {vary}: must be key=value,value,…");
            let (key, values) = vary.split_once('=').ok_or_else(problem)?;
            let values: Vec<&str> = values.split(',').map(str::trim).filter(|v| !v.is_empty()).collect();
            if values.is_empty() || key.trim().is_empty() {
                return Err(problem().into());
            }
            if keys.contains(&key.trim()) {
                return Err(format!("--vary {vary}: `{}` is varied already", key.trim()).into());
            }
            keys.push(key.trim());
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
        let jobs = self.jobs(&combinations)?;
        // Every scene is looked over before the first is run.
        let mut scenes = Vec::new();
        for (values, seed) in &jobs {
            let mut one = source.clone();
            let varied = values.iter().filter(|(k, _)| k != SEED);
            one.settings.extend(varied.map(|(k, v)| format!("{k}={v}")));
            one.settings.push(format!("{SEED}={seed}"));
            scenes.push(one.scene()?);
        }
        no_run(&self.out, "a sweep")?;
        let output = Folder::open(&self.out)?;
        let all = jobs.len();
        let bar =
            Ticking::new("sweep", all as u64, "[{bar:32}] {pos} of {len} {msg} ETA {eta}", "first run")?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs as usize).build()?;
        let results: Result<Vec<Value>, Failure> = pool.install(|| {
            scenes
                .par_iter()
                .map(|scene| {
                    let mut run = Run::new(scene)?;
                    while run.day < run.days() {
                        run.pass_day();
                    }
                    let stations = stations(&run, &measure::lines(&run), 1.0);
                    bar.inc(&format!("of {all} runs done, the next"));
                    Ok(crate::season::summary(&run, &measure::trail(&run.ground, &stations, 1.0)))
                })
                .collect()
        });
        drop(bar);
        let results = results?;
        // What is varied has its column already.
        let more: Vec<&str> = [SEED, "days"].into_iter().filter(|c| !keys.contains(c)).collect();
        let names: Vec<String> = keys.iter().chain(&more).map(|name| tables::cell(name)).collect();
        let mut csv = format!("{},hash,{}\n", names.join(","), COMPARED.map(|q| q.key).join(","));
        for ((values, seed), summary) in jobs.iter().zip(&results) {
            let given = values.iter().map(|(_, v)| tables::cell(v));
            let more =
                more.iter().map(|c| if *c == SEED { seed.to_string() } else { summary["days"].to_string() });
            let hash = summary["hash"].as_str().unwrap_or_default().to_string();
            let numbers = numbers(summary).into_iter().map(|n| n.to_string());
            csv += &(given.chain(more).chain([hash]).chain(numbers).collect::<Vec<_>>().join(",") + "\n");
        }
        save(&output.stage().join("runs.csv"), csv.as_bytes())?;
        self.page(&output.stage(), &keys, &jobs, &results)?;
        output.commit(&Value::Null)?;
        println!("{all} runs: runs.csv and sweep.html are in {}", self.out.display());
        Ok(true)
    }

    /// Every combination with every seed: those that are varied, else 1 to `--seeds`.
    fn jobs(&self, combinations: &[Vec<(String, String)>]) -> Result<Vec<Job>, Failure> {
        let mut jobs: Vec<Job> = Vec::new();
        for values in combinations {
            let Some((_, seed)) = values.iter().find(|(key, _)| key == SEED) else {
                jobs.extend((1..=self.seeds).map(|seed| (values.clone(), seed)));
                continue;
            };
            if self.seeds > 1 {
                return Err("--vary seed=… and --seeds both say which seeds: leave one out".into());
            }
            let seed = seed.parse().map_err(|_| format!("--vary seed: `{seed}` is not a whole number"))?;
            jobs.push((values.clone(), seed));
        }
        Ok(jobs)
    }

    fn page(&self, folder: &Path, keys: &[&str], jobs: &[Job], results: &[Value]) -> Result<(), Failure> {
        let (mut plots, mut constant) = (Vec::new(), Vec::new());
        // With one parameter of numbers, each quantity against it.
        let x: Vec<Option<f64>> = jobs.iter().map(|(v, _)| v[0].1.parse().ok()).collect();
        if keys.len() == 1 && x.iter().all(Option::is_some) {
            let x: Vec<f64> = x.into_iter().flatten().collect();
            let mut values = x.clone();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for (c, quantity) in COMPARED.iter().enumerate() {
                let y: Vec<f64> = results.iter().map(|r| numbers(r)[c] * quantity.scale).collect();
                if y.iter().all(|one| *one == y[0]) {
                    constant.push(format!("{} {}", quantity.name, quantity.shown(y[0] / quantity.scale)));
                    continue;
                }
                let at = |v: f64| {
                    let all: Vec<f64> = x.iter().zip(&y).filter(|(x, _)| **x == v).map(|(_, y)| *y).collect();
                    (v, mean_and_spread(&all).0)
                };
                let mut layers = vec![Layer::Line {
                    points: values.iter().map(|&v| at(v)).collect(),
                    colour: LINE_COLOURS[0],
                    width: 2.0,
                    dashed: false,
                }];
                let mut legend = Vec::new();
                if jobs.len() > values.len() {
                    let points = x.iter().copied().zip(y.iter().copied()).collect();
                    layers.push(Layer::Dots { points, colour: LINE_COLOURS[1], radius: 3.0 });
                    legend = vec![
                        ("mean over seeds".to_string(), Key::Line(LINE_COLOURS[0])),
                        ("one seed".to_string(), Key::Dots(LINE_COLOURS[1])),
                    ];
                }
                let sheet = Sheet {
                    title: format!(
                        "{} over {}",
                        quantity.name.split(',').next().unwrap_or_default(),
                        keys[0]
                    ),
                    x_label: keys[0].into(),
                    y_label: quantity.name.into(),
                    layers,
                    legend,
                    reach: None,
                };
                plots.push(sheet.chart()?.svg);
            }
        }
        let seed = (!keys.contains(&SEED)).then(|| SEED.to_string());
        let names = COMPARED.iter().map(|q| q.name.to_string());
        let head: Vec<String> = keys.iter().map(|k| (*k).to_string()).chain(seed).chain(names).collect();
        let rows: Vec<Vec<String>> = jobs
            .iter()
            .zip(results)
            .map(|((v, seed), r)| {
                let seed = (!keys.contains(&SEED)).then(|| seed.to_string());
                let shown = COMPARED.iter().zip(numbers(r)).map(|(q, n)| q.shown(n));
                v.iter().map(|(_, v)| v.clone()).chain(seed).chain(shown).collect()
            })
            .collect();
        let body = html! {
            style { ".wide td,.wide th{padding-right:.6rem;font-size:.8rem}" }
            section { div.gallery { @for svg in &plots { (drawing(svg, "")) } } }
            @if !constant.is_empty() { p { "The same in all runs: " (constant.join("; ")) "." } }
            section.wide { h2 { "Runs" } (table(&head, &rows)) }
        };
        let title = format!("Sweep of {}", self.scene);
        let footer = "lines are means over seeds";
        save(&folder.join("sweep.html"), page(&title, &self.vary.join(" "), &body, footer).as_bytes())
    }
}

/// What says which random numbers.
const SEED: &str = "seed";
