//! The natural lane: how far what passes leave depends on cells and frame rates, and what is known of trampled soil.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity, measured};
use super::measure::{Run, run};
use super::trail_ground::set_passes;
use super::{Context, Outcome};
use crate::{Failure, tread};
use trample::params::Footwear;
use trample::scene::{SoleShape, library};
use trample::{Map, Scene};

/// The scene `natural-lane` with so many passes, as `--set passes=N --set cell=C --set rate=R --set seed=S` has it.
fn lane(passes: u32, cell: f64, rate: f64, seed: u64) -> Result<Scene, Failure> {
    let mut scene = library::by_name("natural-lane").ok_or("the library has a natural lane")?;
    (scene.terrain.cell, scene.rate, scene.seed) = (cell, rate, seed);
    set_passes(&mut scene, passes);
    Ok(scene)
}

/// Mean and standard deviation over seeds of what is left, and the last run of them.
fn over_seeds(
    seeds: u64,
    scene: impl Fn(u64) -> Result<Scene, Failure>,
) -> Result<([f64; 4], [f64; 4], Run), Failure> {
    let (mut rows, mut last) = (Vec::new(), None);
    for seed in 1..=seeds {
        let walked = run(&scene(seed)?)?;
        rows.push(figures(&walked));
        last = Some(walked);
    }
    let n = rows.len() as f64;
    let mean = [0, 1, 2, 3].map(|k| rows.iter().map(|r| r[k]).sum::<f64>() / n);
    let spread = [0, 1, 2, 3].map(|k| {
        let square = rows.iter().map(|r| (r[k] - mean[k]) * (r[k] - mean[k])).sum::<f64>();
        (square / (n - 1.0).max(1.0)).sqrt()
    });
    Ok((mean, spread, last.ok_or("no seed")?))
}

/// What is compared, and the share that cells of 1 to 4 cm and rates of 60 to 960 Hz may differ by.
const WHAT: [(&str, &str, f64); 4] = [
    ("deepest place", "mm", 1e3),
    ("mean depth under the soles", "mm", 1e3),
    ("carved volume", "dm³", 1e3),
    ("incision of the tread", "mm", 1e3),
];
const ALLOWED: f64 = 0.05;
/// How many times chance is tried.
const SEEDS: u64 = 5;

fn figures(run: &Run) -> [f64; 4] {
    let incision = tread::object(&run.world)["incision_mean_m"].as_f64().unwrap_or(f64::NAN);
    let world = &run.world;
    [world.deepest_print(), run.figures.total().mean_depth(), world.volume().carved, incision]
}

/// What the tread has gained in density, g/cm³: mean over the cells trodden at least half as often as the most trodden.
fn gained(run: &Run) -> f64 {
    let (world, rect) = (&run.world, trample::touched_rect(run.world.ground()));
    let Some(rect) = rect else { return 0.0 };
    let (passes, density) = (world.map(Map::Passes), world.map(Map::Density));
    let untouched = world.ground().materials[0].natural.density;
    let (mut sum, mut n, least) = (0.0, 0.0, 0.5 * passes.max());
    for z in rect.z..rect.z + rect.height as i32 {
        for x in rect.x..rect.x + rect.width as i32 {
            if passes.at(x, z) >= least {
                (sum, n) = (sum + density.at(x, z) - untouched, n + 1.0);
            }
        }
    }
    1e-3 * sum / f64::max(n, 1.0)
}

/// Passes over cells and rates.
pub(crate) fn convergence(context: &Context) -> Result<Outcome, Failure> {
    let (many, cells, rates): (&[u32], &[f64], &[f64]) = if context.quick {
        (&[1, 10], &[0.04, 0.02], &[60.0, 240.0])
    } else {
        (&[1, 10, 50, 200], &[0.04, 0.02, 0.01], &[60.0, 120.0, 240.0, 960.0])
    };
    let (finest, quickest) = (cells[cells.len() - 1], rates[rates.len() - 1]);
    let source = || {
        identity(
            "our own aim: 5 % over cells of 4 to 1 cm and 60 to 960 Hz at any number of passes",
            "asked for",
        )
    };
    let seeds = if context.quick { 2 } else { SEEDS };
    let why = "the deepest place of a lane is where steps happen to fall on each other, and feet that set off press harder: an extreme, which a little difference in a step moves, as the standard deviation between seeds shows. At 4 cm half of a print's cells lie across its edge.";
    let mut findings = Vec::new();
    let mut plots = WHAT.map(|(what, unit, _)| Drawing::new(what, "passes", unit));
    let (mut last, mut bests) = (None, Vec::new());
    for (i, &cell) in cells.iter().enumerate().rev() {
        let mut rows = Vec::new();
        for &passes in many {
            let (mean, spread, walked) = over_seeds(seeds, |seed| lane(passes, cell, 60.0, seed))?;
            rows.push((passes, mean, spread));
            if cell == finest && passes == many[many.len() - 1] {
                findings.push(
                    Finding::new(format!("density gained after {passes} passes"), "g/cm³", gained(&walked))
                        .against(
                            Expect::Between(0.2, 0.6),
                            measured(
                                "Dale & Weaver: soil of trails is 0.2 to 0.6 g/cm³ denser",
                                "the range of their trails, most of them older",
                            ),
                        ),
                );
            }
            last = Some(lane(passes, cell, 60.0, 1)?);
        }
        for (k, (_, _, shown)) in WHAT.iter().enumerate() {
            let points = rows.iter().map(|(n, f, _)| (f64::from(*n), shown * f[k]));
            plots[k].marked(&format!("{:.0} cm", 100.0 * cell), i, points.collect());
        }
        if cell == finest {
            finest_rows(&mut findings, &rows);
            bests = rows.iter().map(|r| r.1).collect();
            continue;
        }
        for ((n, row, _), best) in rows.iter().zip(&bests) {
            for (k, (what, ..)) in WHAT.iter().enumerate() {
                findings.push(
                    Finding::new(
                        format!(
                            "{what}, {n} passes, {:.0} cm against {:.0} cm",
                            100.0 * cell,
                            100.0 * finest
                        ),
                        "%",
                        100.0 * (row[k] / best[k] - 1.0),
                    )
                    .within(0.0, 100.0 * ALLOWED, source())
                    .because(why),
                );
            }
        }
    }
    // More than ten passes at 960 Hz would take minutes.
    for &n in many.iter().filter(|n| **n <= 10) {
        let (best, ..) = over_seeds(seeds, |seed| lane(n, 0.02, quickest, seed))?;
        for &rate in rates.iter().take(rates.len() - 1) {
            let (row, ..) = over_seeds(seeds, |seed| lane(n, 0.02, rate, seed))?;
            for (k, (what, ..)) in WHAT.iter().enumerate() {
                findings.push(
                    Finding::new(
                        format!("{what}, {n} passes, {rate} Hz against {quickest} Hz"),
                        "%",
                        100.0 * (row[k] / best[k] - 1.0),
                    )
                    .within(0.0, 100.0 * ALLOWED, source())
                    .because(why),
                );
            }
        }
    }
    // Ten passes on bare feet.
    let bare = |cell: f64, rate: f64| {
        over_seeds(seeds, |seed| {
            let mut scene = lane(10, cell, rate, seed)?;
            scene.puppets[0].sole = SoleShape::Footwear(Footwear::Bare);
            Ok(scene)
        })
    };
    let (best, ..) = bare(finest, 60.0)?;
    let (coarse, ..) = bare(0.02, 60.0)?;
    let (quick, ..) = bare(0.02, quickest)?;
    for (name, row, best) in [
        (format!("2 cm against {:.0} cm", 100.0 * finest), coarse, best),
        (format!("60 Hz against {quickest} Hz"), coarse, quick),
    ] {
        for (k, (what, ..)) in WHAT.iter().enumerate() {
            findings.push(
                Finding::new(
                    format!("{what}, 10 passes on bare feet, {name}"),
                    "%",
                    100.0 * (row[k] / best[k] - 1.0),
                )
                .within(0.0, 100.0 * ALLOWED, source())
                .because(why),
            );
        }
    }
    let mut figure = Figure::new("The natural lane: what 1 to 200 passes leave, at cells of 4, 2 and 1 cm");
    for (k, plot) in plots.iter_mut().enumerate() {
        if k == 2 {
            figure.row();
        }
        if k == 3 {
            plot.band("2 to 3 cm after hundreds of passes", [216, 220, 226], [100.0, 200.0], [20.0, 30.0]);
        }
        figure.plot("", plot)?;
    }
    Ok(Outcome {
        figure,
        findings,
        text: format!(
            "A walker goes up and down a lane on loam under the natural law: `trample run natural-lane --set passes=N --set cell=C --set rate=R --json`. Depths are means over squares of 4 cm. Steps and passes scatter as people's do; every number is a mean over {seeds} seeds, the same in every row."
        ),
        scene: last,
        timings: None,
    })
}

/// What passes leave at the finest cells: numbers to look at.
fn finest_rows(findings: &mut Vec<Finding>, rows: &[(u32, [f64; 4], [f64; 4])]) {
    for (n, row, spread) in rows {
        for (k, (what, unit, shown)) in WHAT.iter().enumerate() {
            findings.push(Finding::new(format!("{what}, {n} passes"), unit, shown * row[k]));
            let of = 100.0 * spread[k] / row[k];
            findings.push(Finding::new(
                format!("{what}, {n} passes, standard deviation between seeds"),
                "% of the mean",
                of,
            ));
        }
    }
}
