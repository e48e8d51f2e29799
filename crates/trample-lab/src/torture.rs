//! `trample torture`: what is promised, tried until the time is over: the hashes of library scenes, hours of walking, runs that are killed, disks that are full, damaged files,
//! parameters at the ends of their ranges, 1 to 1000 steps a second. Prints figures, and fails where a promise was broken.

mod ends;
mod files;
mod processes;
mod soak;

use crate::Failure;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Stress-test the guarantees: long runs, kills, full disks, damaged files, extreme parameters, step rates up to 1000 Hz
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample torture --minutes 1              all parts within one minute
  trample torture --minutes 600 --json     overnight, as one JSON object
  trample torture --only soak --walkers 100 --hours 24 --rate 30 --minutes 300
                                           a simulated day of a hundred walkers, if five hours are enough")]
pub struct Torture {
    /// Duration of the test, minutes
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = minutes)]
    minutes: f64,
    /// Run only parts whose name contains this: golden, range_ends, rates, damaged_files, full_disk, kills, soak
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Number of walkers in the soak (the long run)
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=500))]
    walkers: u16,
    /// Simulated hours after which the soak ends, unless its time ends before
    #[arg(long, value_name = "H", value_parser = hours)]
    hours: Option<f64>,
    /// Steps per simulated second in the soak
    #[arg(long, value_name = "HZ", default_value_t = 60, value_parser = clap::value_parser!(u16).range(5..=1000))]
    rate: u16,
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
}

fn hours(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|n| (0.01..=1000.0).contains(n));
    value.ok_or_else(|| format!("`{text}` is not a number of simulated hours, allowed: 0.01 to 1000"))
}

fn minutes(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|n| (0.01..=100_000.0).contains(n));
    value.ok_or_else(|| format!("`{text}` is not a number of minutes, allowed: 0.01 to 100000"))
}

/// What one part found.
pub(crate) struct Part {
    /// Figures, with units in their names.
    figures: Value,
    /// Promises that were broken, in words.
    broken: Vec<String>,
}

/// Until when a part may go on, and what the soak was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Until<'a>(Instant, &'a Torture);

impl Until<'_> {
    fn is_over(self) -> bool {
        Instant::now() >= self.0
    }
}

/// A part: its name, its share of the time, and what it does.
type Row = (&'static str, f64, fn(Until<'_>) -> Result<Part, Failure>);

/// The parts. Those that end by themselves come first and leave what is left of their time to the others.
const PARTS: [Row; 7] = [
    ("golden", 0.1, ends::golden),
    ("range_ends", 0.15, ends::range_ends),
    ("rates", 0.1, ends::rates),
    ("damaged_files", 0.15, files::damaged),
    ("full_disk", 0.1, processes::full_disk),
    ("kills", 0.2, processes::kills),
    ("soak", 0.3, soak::run),
];

impl Torture {
    /// Tries everything; whether all promises held.
    pub fn run(&self) -> Result<bool, Failure> {
        let wanted = |name: &str| self.only.as_ref().is_none_or(|text| name.contains(text.as_str()));
        let parts: Vec<&Row> = PARTS.iter().filter(|(name, ..)| wanted(name)).collect();
        if parts.is_empty() {
            let known = PARTS.map(|(name, ..)| name).join(", ");
            return Err(format!("--only: no such part, allowed: a part of {known}").into());
        }
        let (begun, whole) = (Instant::now(), Duration::from_secs_f64(60.0 * self.minutes));
        let mut object = Map::new();
        let mut broken = Vec::new();
        for (i, (name, share, part)) in parts.iter().enumerate() {
            // A share of what is left, among the parts that are left.
            let rest: f64 = parts[i..].iter().map(|(_, share, _)| share).sum();
            let left = whole.saturating_sub(begun.elapsed()).mul_f64(share / rest);
            let started = Instant::now();
            let Part { mut figures, broken: found } = part(Until(started + left, self))?;
            figures["seconds"] = json!((started.elapsed().as_secs_f64() * 10.0).round() / 10.0);
            let verdict = if found.is_empty() { "held" } else { "BROKEN" };
            eprintln!("{name}: {verdict}: {figures}");
            broken.extend(found.into_iter().map(|problem| format!("{name}: {problem}")));
            object.insert((*name).to_string(), figures);
        }
        object.insert("broken".into(), json!(broken));
        object.insert("ok".into(), json!(broken.is_empty()));
        if self.json {
            println!("{}", serde_json::to_string_pretty(&Value::Object(object))?);
        } else if broken.is_empty() {
            println!("all promises held in {:.0} s", begun.elapsed().as_secs_f64());
        } else {
            broken.iter().for_each(|problem| println!("BROKEN: {problem}"));
        }
        Ok(broken.is_empty())
    }
}
