//! `trample bench`: the rows of the performance page, each beside a naive baseline measured in the same run.
//!
//! Times on a shared machine move; ratios in one run do not. Every time is the best of several repetitions.

mod meadow;
mod naive;

use crate::Failure;
use naive::Dense;
use serde_json::{Map, Value, json};
use std::time::Instant;
use trample::clips::Database;
use trample::clips::search::FEATURES;
use trample::params::Body;
use trample::scene::{Path, Press, WalkerSpec, library};
use trample::{Law, PuppetSpec, Scene, Script, Stage, World};

/// Measure speed and memory, and compare them with naive baselines in the same run
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample bench --only plants              only the rows about plants")]
pub struct Bench {
    /// Print one JSON object: name → {value, unit, baseline, ratio, aim}
    #[arg(long)]
    json: bool,
    /// Run only rows whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// One figure.
struct Benchmark {
    name: String,
    value: f64,
    unit: &'static str,
    /// The same by the naive way, where there is one.
    baseline: Option<f64>,
    aim: &'static str,
}

impl Benchmark {
    fn new(name: &str, value: f64, unit: &'static str, baseline: Option<f64>, aim: &'static str) -> Self {
        Self { name: name.into(), value, unit, baseline, aim }
    }

    /// How many times better than the naive way: of times and bytes less is better, of walkers more.
    fn ratio(&self) -> Option<f64> {
        let more = self.unit.contains("walkers");
        self.baseline
            .filter(|b| self.value > 0.0 && *b > 0.0)
            .map(|b| if more { self.value / b } else { b / self.value })
    }
}

/// Measures a few rows that belong together.
type Group = fn() -> Result<Vec<Benchmark>, Failure>;

impl Bench {
    /// Measures everything and prints it.
    pub fn run(&self) -> Result<bool, Failure> {
        let groups: [(&str, Group); 11] = [
            ("contact", contact),
            ("repose", repose),
            ("natural", natural),
            ("feet", feet),
            ("map", map),
            ("bytes", bytes),
            ("volume_error", volume),
            ("characters", characters),
            ("slowest", slowest),
            ("motion", motion),
            ("plants", meadow::rows),
        ];
        let wanted = |name: &str| {
            self.only.as_ref().is_none_or(|text| name.contains(text.as_str()) || text.contains(name))
        };
        if let Some(text) = self.only.as_ref().filter(|_| !groups.iter().any(|(name, _)| wanted(name))) {
            let known = groups.map(|(name, _)| name).join(", ");
            return Err(format!("--only {text}: no such row, allowed: a part of {known}").into());
        }
        let mut rows = Vec::new();
        // A cold machine is slower for the first tenths of a second, which are not measured.
        per_contact(&walking("mud", 0.01, 1, 10.24, false))?;
        for (name, group) in groups {
            if wanted(name) {
                eprintln!("measuring {name} …");
                rows.extend(group()?);
            }
        }
        if self.json {
            let object: Map<String, Value> = rows
            .iter()
            .map(|r| {
                let row = json!({
                    "value": r.value, "unit": r.unit, "baseline": r.baseline, "ratio": r.ratio(), "aim": r.aim,
                });
                (r.name.clone(), row)
            })
            .collect();
            println!("{}", serde_json::to_string_pretty(&object)?);
            return Ok(true);
        }
        println!("{:28} {:>12} {:18} {:>12} {:>9}  aim", "what", "value", "unit", "naive", "ratio");
        for r in &rows {
            let naive = r.baseline.map_or("—".into(), |b| format!("{b:.4}"));
            let ratio = r.ratio().map_or("—".into(), |x| format!("{x:.1} ×"));
            println!("{:28} {:>12.4} {:18} {naive:>12} {ratio:>9}  {}", r.name, r.value, r.unit, r.aim);
        }
        Ok(true)
    }
}

/// How often each time is taken; the best counts.
const REPEATS: usize = 5;

/// `feet` walkers, each along its own 9 m, on a terrain of `side` metres; `trodden` ones walk 20 times over each other.
fn walking(material: &str, cell: f64, walkers: usize, side: f64, trodden: bool) -> Scene {
    let mut scene = library::by_name("walk-soil").expect("library scene");
    scene.terrain.cell = cell;
    scene.terrain.size = [side, side];
    scene.terrain.materials[0].material = trample::params::material::by_name(material).expect("a preset");
    // Lanes 1.5 m apart and 12 m long, side by side and one after the other, around the middle.
    let lanes = ((side - 2.0) / 1.5).floor().max(1.0);
    scene.puppets = (0..walkers)
        .map(|i| {
            let (lane, column) = (i as f64 % lanes, (i as f64 / lanes).floor());
            let z = 1.0 + 1.5 * ((lane + (0.5 * lanes).floor()) % lanes);
            let length = 9.0f64.min(side - 1.0);
            let x = (0.5 + 12.0 * column).min(side - 0.5 - length);
            let (passes, lateral_sd) = if trodden { (20, 0.1) } else { (1, 0.0) };
            let waypoints = vec![[x, z], [x + length, (z + 0.3).min(side)]];
            PuppetSpec {
                script: Script::Walk(Path { passes, lateral_sd, ..Path::along(waypoints) }.into()),
                ..PuppetSpec::default()
            }
        })
        .collect();
    scene
}

/// Seconds that each of so many steps takes, least first.
fn step_times(scene: &Scene, steps: u64) -> Result<Vec<f64>, Failure> {
    let mut world = World::new(scene)?;
    let mut times = Vec::new();
    for _ in 0..steps {
        let begun = Instant::now();
        world.step(scene.dt());
        times.push(begun.elapsed().as_secs_f64());
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(times)
}

/// The time below which so many of a thousand lie.
fn percentile(times: &[f64], per_mille: usize) -> f64 {
    times[times.len() * per_mille / 1000]
}

/// Seconds from the poses of soles to the ground at rest over a whole scene, best of several runs; steps, and contacts of feet.
fn on_ground(scene: &Scene) -> Result<(f64, u64, usize), Failure> {
    let (mut best, mut contacts) = (f64::MAX, 0);
    for _ in 0..REPEATS {
        let mut world = World::new(scene)?;
        let mut seconds = 0.0;
        contacts = 0;
        for _ in 0..scene.steps() {
            let mut begun = Instant::now();
            let report = world.step_observed(scene.dt(), |stage, _| match stage {
                Stage::Animate => begun = Instant::now(),
                Stage::Soil => seconds += begun.elapsed().as_secs_f64(),
                _ => {}
            });
            contacts += report.contacts.len();
        }
        best = best.min(seconds);
    }
    Ok((best, scene.steps(), contacts))
}

/// Seconds per foot in contact and step.
fn per_contact(scene: &Scene) -> Result<f64, Failure> {
    on_ground(scene).map(|(seconds, _, contacts)| seconds / contacts as f64)
}

/// Seconds per step.
fn per_step(scene: &Scene) -> Result<f64, Failure> {
    on_ground(scene).map(|(seconds, steps, _)| seconds / steps as f64)
}

const CELLS: [(f64, &str); 3] = [(0.04, "4cm"), (0.02, "2cm"), (0.01, "1cm")];

/// Contact, force and compression alone: a material that packs and does not move.
fn contact() -> Result<Vec<Benchmark>, Failure> {
    let mut rows = Vec::new();
    for ((cell, label), aim) in CELLS.into_iter().zip(["≤ 1 µs", "≤ 3 µs", "≤ 10 µs"]) {
        let mut scene = walking("snow", cell, 1, 10.24, false);
        scene.terrain.law = Law::DynamicFootprints;
        scene.terrain.materials[0].material.poisson_ratio = 0.0;
        let value = per_contact(&scene)? * 1e6;
        let naive = Dense::new(10.24, cell).contact_microseconds();
        rows.push(Benchmark::new(&format!("contact_{label}"), value, "µs/foot", Some(naive), aim));
    }
    Ok(rows)
}

/// The same with bump and repose to convergence, in mud.
fn repose() -> Result<Vec<Benchmark>, Failure> {
    let mut rows = Vec::new();
    for ((cell, label), aim) in CELLS.into_iter().zip(["≤ 5 µs", "≤ 15 µs", "≤ 50 µs"]) {
        let value = per_contact(&walking("mud", cell, 1, 10.24, false))? * 1e6;
        let naive = Dense::new(10.24, cell).repose_microseconds();
        rows.push(Benchmark::new(&format!("repose_{label}"), value, "µs/foot", Some(naive), aim));
    }
    // The hard case: 20 passes over each other's heaps.
    let value = per_contact(&walking("mud", 0.02, 1, 10.24, true))? * 1e6;
    let naive = Dense::new(10.24, 0.02).repose_microseconds();
    rows.push(Benchmark::new("repose_2cm_trodden", value, "µs/foot", Some(naive), "no aim"));
    Ok(rows)
}

/// The natural law: a sole seated as a body, on fresh ground and on ground trodden 20 times, and what feet that are not lifted cost more.
fn natural() -> Result<Vec<Benchmark>, Failure> {
    let mut rows = Vec::new();
    let trodden = [(0.02, "2cm_trodden", true, "no aim")];
    let fresh = CELLS.into_iter().zip(["≤ 5 µs", "≤ 15 µs", "≤ 50 µs"]);
    for (cell, label, often, aim) in fresh.map(|((c, label), aim)| (c, label, false, aim)).chain(trodden) {
        let mut scene = walking("loam", cell, 1, 10.24, often);
        scene.terrain.law = Law::Natural;
        let value = per_contact(&scene)? * 1e6;
        let naive = Dense::new(10.24, cell).repose_microseconds();
        rows.push(Benchmark::new(&format!("natural_{label}"), value, "µs/foot", Some(naive), aim));
    }
    let of = |lift: f64| -> Result<f64, Failure> {
        let mut scene = library::by_name("shuffle").expect("library scene");
        scene.puppets[0].body.foot_lift = lift;
        per_step(&scene)
    };
    // Both feet of a walker; where only one stands the other drags.
    let more = 0.5e6 * (of(0.0)? - of(1.0)?);
    let naive = Dense::new(10.24, 0.02).contact_microseconds();
    rows.push(Benchmark::new("natural_2cm_drag", more, "µs/foot more", Some(naive), "≤ 2 µs"));
    Ok(rows)
}

/// Cost per foot as feet become many: shoes set down at scattered places, 3 m apart from each other.
fn feet() -> Result<Vec<Benchmark>, Failure> {
    let mut rows = Vec::new();
    for n in [1usize, 10, 100, 1000] {
        let mut scene = walking("mud", 0.02, 1, 100.0, false);
        let columns = (n as f64).sqrt().ceil();
        let place = |i: usize| [3.0 + 3.0 * (i as f64 % columns), 3.0 + 3.0 * (i as f64 / columns).floor()];
        scene.puppets = (0..n)
            .map(|i| PuppetSpec {
                script: Script::Press(Press {
                    position: place(i),
                    presses: 6,
                    down: 0.6,
                    up: 0.05,
                    scatter: 0.3,
                    ..Press::default()
                }),
                ..PuppetSpec::default()
            })
            .collect();
        let value = per_contact(&scene)? * 1e6;
        // The naive way costs the same for every foot but pushes its map once: its own figure for that many.
        let mut dense = Dense::new(10.24, 0.02);
        let naive = dense.feet_microseconds(n);
        rows.push(Benchmark::new(&format!("feet_{n}"), value, "µs/foot", Some(naive), "flat within 1.2 ×"));
    }
    rows.push(flatness(&rows, "feet_flatness", "≤ 1.2"));
    Ok(rows)
}

/// How far apart the largest and the smallest of some figures are.
fn flatness(rows: &[Benchmark], name: &str, aim: &'static str) -> Benchmark {
    let (low, high) = rows.iter().fold((f64::MAX, 0.0f64), |(a, b), r| (a.min(r.value), b.max(r.value)));
    Benchmark::new(name, high / low, "max/min", None, aim)
}

/// Step time against the size of the map, in cells a side.
fn map() -> Result<Vec<Benchmark>, Failure> {
    let mut rows = Vec::new();
    for n in [256, 512, 1024, 4096, 16_384] {
        let side = f64::from(n) * 0.02;
        let value = per_contact(&walking("mud", 0.02, 1, side, false))? * 1e6;
        // A dense map of 16 384² would take a gigabyte: not measured, so no figure.
        let naive = (n <= 4096).then(|| Dense::new(side, 0.02).contact_microseconds());
        rows.push(Benchmark::new(&format!("map_{n}"), value, "µs/foot", naive, "flat within 1.1 ×"));
    }
    rows.push(flatness(&rows, "map_flatness", "≤ 1.1"));
    Ok(rows)
}

/// Memory: a trodden path, a single line of prints, and untouched ground.
fn bytes() -> Result<Vec<Benchmark>, Failure> {
    let mut rows = Vec::new();
    for (scene, name, aim) in [
        ("fifty-passes", "bytes_per_touched_cell", "≤ 24 B"),
        (
            "kilometre",
            "bytes_per_touched_cell_single_track",
            "≤ 24 B: missed, a lone track half fills its 8 × 8 tiles",
        ),
    ] {
        let scene = library::by_name(scene).expect("library scene");
        let mut world = World::new(&scene)?;
        for _ in 0..scene.steps() {
            world.step(scene.dt());
        }
        let touched = world.touched_cells() as f64;
        let [x, z] = world.ground().size.map(f64::from);
        // A dense map with the same fields: two heights, pressure and material.
        let dense = x * z * 13.0 / touched;
        let value = world.ground().tiles.bytes() as f64 / touched;
        rows.push(Benchmark::new(name, value, "B", Some(dense), aim));
    }
    let mut huge = library::by_name("plate").expect("library scene");
    huge.terrain.size = [1000.0, 1000.0];
    huge.terrain.cell = 0.01;
    let untouched = World::new(&huge)?.ground().tiles.bytes() as f64;
    let dense = 1e10 * 13.0;
    rows.push(Benchmark::new("bytes_per_untouched_km2", untouched, "B", Some(dense), "0 B"));
    Ok(rows)
}

/// Volume error after 100 000 presses.
fn volume() -> Result<Vec<Benchmark>, Failure> {
    let mut scene = library::by_name("plate").expect("library scene");
    scene.terrain.size = [2.0, 2.0];
    scene.rate = 30.0;
    scene.puppets[0].script = Script::Press(Press {
        position: [1.0, 1.0],
        presses: 100_000,
        down: 0.067,
        up: 0.067,
        scatter: 0.25,
        ..Press::default()
    });
    let mut world = World::new(&scene)?;
    for _ in 0..scene.steps() {
        world.step(scene.dt());
    }
    let value = world.volume().relative_error;
    let naive = Dense::new(2.0, 0.02).volume_error(100_000);
    Ok(vec![Benchmark::new("volume_error_100k_presses", value, "relative", Some(naive), "≤ 1e-6")])
}

/// How many scripted walkers at 60 Hz fit on one core, feet and ground only.
fn characters() -> Result<Vec<Benchmark>, Failure> {
    let n = 500;
    let mut scene = library::by_name("walk-mud").expect("library scene");
    scene.terrain.cell = 0.02;
    scene.terrain.size = [12.0, 1002.0];
    scene.puppets = (0..n)
        .map(|i| {
            let z = 2.0 + 2.0 * f64::from(i);
            let path = Path::along([[1.0, z], [11.0, z]]);
            PuppetSpec { script: Script::Walk(path.into()), ..PuppetSpec::default() }
        })
        .collect();
    let value = f64::from(n) * (1.0 / 60.0) / percentile(&step_times(&scene, 300)?, 500);
    let naive = 1e6 / 60.0 / (1.3 * Dense::new(10.24, 0.02).repose_microseconds());
    Ok(vec![Benchmark::new(
        "characters_at_60hz",
        value,
        "scripted walkers",
        Some(naive),
        "≥ 500 with bodies (next issue)",
    )])
}

/// The slowest of a thousand steps against the median one, over a kilometre.
fn slowest() -> Result<Vec<Benchmark>, Failure> {
    let scene = library::by_name("kilometre").expect("library scene");
    let mut best = f64::MAX;
    for _ in 0..3 {
        let times = step_times(&scene, scene.steps())?;
        best = best.min(percentile(&times, 999) / percentile(&times, 500));
    }
    Ok(vec![Benchmark::new("slowest_over_median", best, "p99.9/p50", None, "≤ 4")])
}

/// Motion: making a body's database, searching it, and walkers with bodies.
fn motion() -> Result<Vec<Benchmark>, Failure> {
    let body = Body::default();
    let begun = Instant::now();
    let mut clips = trample::clips::library::clips(&body, &trample::gait::Style::default());
    clips.retain(|clip| clip.kind != trample::clips::Kind::Snowshoe);
    let data = Database::new(&trample::body::Skeleton::new(&body), &clips);
    let build = begun.elapsed().as_secs_f64();
    let frames = data.shots.len();
    // Queries as a walker asks them: a frame's own feet, the path of another one like it.
    let queries: Vec<[f32; FEATURES]> = (0..400)
        .map(|i| {
            let (a, b) = ((i * 7919) % frames, (i * 104_729 + 61) % frames);
            let mut query = data.features[a];
            for k in 15..FEATURES {
                query[k] += 0.3 * (data.features[b][k] - query[k]);
            }
            query
        })
        .collect();
    let time = |f: &dyn Fn(&[f32; FEATURES]) -> usize| {
        let mut best = f64::MAX;
        for _ in 0..REPEATS {
            let begun = Instant::now();
            let sum: usize = queries.iter().map(f).sum();
            std::hint::black_box(sum);
            best = best.min(begun.elapsed().as_secs_f64() / queries.len() as f64);
        }
        best * 1e6
    };
    let search = time(&|q| data.index.query(q, None).frame);
    let scan = time(&|q| data.index.linear_scan(q, None, trample::clips::search::ANY).frame);
    let mut scene = library::by_name("walk-mud").expect("library scene");
    scene.terrain.cell = 0.02;
    scene.terrain.size = [14.0, 202.0];
    let n = 100;
    scene.puppets = (0..n)
        .map(|i| {
            let z = 1.0 + 2.0 * f64::from(i);
            PuppetSpec::walking("walker", body, WalkerSpec::on(Path::along([[1.0, z], [13.0, z]])))
        })
        .collect();
    let per_walker = percentile(&step_times(&scene, 300)?, 500) / f64::from(n) * 1e6;
    Ok(vec![
        Benchmark::new("motion_database_frames", frames as f64, "frames", None, "≥ 45 000"),
        Benchmark::new("motion_database_build", build, "s", None, "< 1 s"),
        Benchmark::new("motion_query", search, "µs", Some(scan), "≤ 12 µs, ≥ 8 × a linear scan"),
        Benchmark::new("walker_step", per_walker, "µs/walker", None, "≤ 30 µs"),
        Benchmark::new("walkers_at_60hz", 1e6 / 60.0 / per_walker, "walkers", None, "≥ 500 at 2 cm"),
    ])
}
