//! `trample unit`: a season in units of work, for many processes or machines.

use crate::Failure;
use crate::folder::{Folder, STATE};
use crate::provenance;
use crate::season::{results, stations, summary};
use serde_json::json;
use std::path::{Path, PathBuf};
use trample_files::{Source, memory};
use trample_season::unit::Plan;
use trample_season::{measure, store};

/// Divide a season into units of work for several machines, run them, or join their results
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample unit plan park --tiles 2x2 --out PLAN.json
  trample unit run --plan PLAN.json --index 0
  trample unit join PLAN.json")]
pub(crate) struct Unit {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Write the plan of a season: one unit per day and tile, in a valid order of execution
    Plan {
        /// A library scene with a season or a TOML file
        scene: String,
        /// Number of days, instead of the calendar's
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        days: Option<i64>,
        /// Number of tiles along x and z
        #[arg(long, value_name = "NXxNZ", default_value = "1x1")]
        tiles: String,
        /// The plan
        #[arg(long, value_name = "FILE", default_value = "PLAN.json")]
        out: PathBuf,
        /// Folder for the results of units [default: beside the plan]
        #[arg(long, value_name = "DIR")]
        store: Option<PathBuf>,
        /// Change a value of the scene
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Seed of the random numbers
        #[arg(long, value_name = "N")]
        seed: Option<u64>,
    },
    /// Run one unit; a finished unit is not run again
    Run {
        /// The plan
        #[arg(long, value_name = "FILE")]
        plan: PathBuf,
        /// Index of the unit, from 0
        #[arg(long, value_name = "N")]
        index: u64,
        /// Number of consecutive units to run in this process
        #[arg(long, value_name = "N", default_value_t = 1)]
        count: u64,
    },
    /// Join the results: summary.json and tables beside the plan
    Join {
        /// The plan
        plan: PathBuf,
        /// Folder for the results [default: the plan's]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Print the summary as one JSON object
        #[arg(long)]
        json: bool,
    },
}

impl Unit {
    /// Does what is asked.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        match &self.what {
            What::Plan { scene, days, tiles, out, store, set, seed } => {
                let mut source = Source::find(scene)?;
                source.settings.clone_from(set);
                source.settings.extend(seed.map(|seed| format!("seed={seed}")));
                source.settings.extend(days.map(|days| format!("days={days}")));
                let (x, z) = tiles.split_once('x').unwrap_or((tiles, tiles));
                let side = |text: &str| text.parse::<i32>().ok().filter(|n| (1..=1000).contains(n));
                let (Some(x), Some(z)) = (side(x), side(z)) else {
                    return Err(format!("--tiles {tiles}: must be as 2x2, allowed: 1 to 1000 each").into());
                };
                let built = source.scene()?;
                let store = store.clone().unwrap_or_else(|| out.with_extension("store"));
                let plan = Plan::new(&source, &built, [x, z], store)?;
                plan.write(out)?;
                println!(
                    "{}: {} units, {} days of {x} × {z} tiles; results go to {}",
                    out.display(),
                    plan.units,
                    plan.days,
                    plan.store.display()
                );
            }
            What::Run { plan, index, count } => {
                let plan = Plan::read(plan)?;
                if *index >= plan.units {
                    return Err(format!("--index is {index}, allowed: 0 to {}", plan.units - 1).into());
                }
                // Also where all is done: it would be of other files.
                let scene = plan.scene()?;
                let wanted = *index..index.saturating_add(*count).min(plan.units);
                let undone = wanted.clone().filter(|i| plan.receipt(*i).is_none()).count();
                let rules = if undone > 1 { Some(plan.rules(&scene)?) } else { None };
                for index in wanted {
                    let receipt = plan.run(index, rules.clone())?;
                    println!(
                        "{}",
                        serde_json::to_string(
                            &json!({ "index": index, "day": receipt.day, "tile": receipt.tile, "footfalls": receipt.footfalls, "sum": format!("{:016x}", receipt.sum) })
                        )?
                    );
                }
            }
            What::Join { plan: path, out, json: printed } => {
                let plan = Plan::read(path)?;
                let run = plan.join()?;
                let beside = memory::folder_of(path);
                let here = if beside.as_os_str().is_empty() { Path::new(".") } else { beside };
                let output = Folder::open(out.as_deref().unwrap_or(here))?;
                let lines = measure::lines(&run);
                let stations = stations(&run, &lines, 1.0);
                let trail = measure::trail(&run.ground, &stations, 1.0);
                let (source, inputs, scene) = (plan.source(), plan.inputs(), run.ground.scene());
                let mut summary = summary(&run, &trail);
                provenance::put_in(&mut summary, &source, scene, &inputs);
                let stage = output.stage();
                results(&stage, &run, &lines, &stations, &summary)?;
                provenance::save_scene(&stage, &source, scene)?;
                store::save_for(&stage.join(STATE), output.path(), &source, &inputs, &run)?;
                output.commit(&summary["hash"])?;
                let text = serde_json::to_string_pretty(&summary)? + "\n";
                if *printed {
                    print!("{text}");
                } else {
                    println!(
                        "{}: {} days joined, hash {}",
                        path.display(),
                        plan.days,
                        summary["hash"].as_str().unwrap_or_default()
                    );
                }
            }
        }
        Ok(true)
    }
}
