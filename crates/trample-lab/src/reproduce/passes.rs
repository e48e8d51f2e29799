//! The natural lane: how far what passes leave depends on cells and frame rates, and what is known of trampled soil.

use super::figure::{Drawing, Figure, INKS};
use super::finding::{Expect, Finding, identity, measured};
use super::measure::{Run, run};
use super::trail_ground::set_passes;
use super::{Context, Outcome};
use crate::{Failure, tread};
use trample::scene::library;
use trample::{Map, Scene};

/// The scene `natural-lane` with so many passes, as `--set passes=N --set cell=C --set rate=R` has it.
fn lane(passes: u32, cell: f64, rate: f64) -> Result<Scene, Failure> {
    let mut scene = library::by_name("natural-lane").ok_or("the library has a natural lane")?;
    (scene.terrain.cell, scene.rate) = (cell, rate);
    set_passes(&mut scene, passes);
    Ok(scene)
}

/// What is compared, and the share that cells of 1 to 4 cm and rates of 60 to 960 Hz may differ by.
const WHAT: [(&str, &str, f64); 4] = [
    ("deepest place", "mm", 1e3),
    ("mean depth under the soles", "mm", 1e3),
    ("carved volume", "dm³", 1e3),
    ("incision of the tread", "mm", 1e3),
];
const ALLOWED: f64 = 0.05;

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
    let why = "the deepest place of a lane is where steps happen to fall on each other, and feet that set off press harder: an extreme, which a little difference in a step moves. At 4 cm half of a print's cells lie across its edge.";
    let mut findings = Vec::new();
    let mut plots = WHAT.map(|(what, unit, _)| Drawing::new(what, "passes", unit));
    let (mut last, mut bests) = (None, Vec::new());
    for (i, &cell) in cells.iter().enumerate().rev() {
        let mut rows = Vec::new();
        for &passes in many {
            let scene = lane(passes, cell, 60.0)?;
            let walked = run(&scene)?;
            rows.push((passes, figures(&walked)));
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
            last = Some(scene);
        }
        for (k, (_, _, shown)) in WHAT.iter().enumerate() {
            let points = rows.iter().map(|(n, f)| (f64::from(*n), shown * f[k]));
            plots[k].marked(&format!("{:.0} cm", 100.0 * cell), i, points.collect());
        }
        if cell == finest {
            finest_rows(&mut findings, &rows);
            bests = rows.iter().map(|r| r.1).collect();
            continue;
        }
        for ((n, row), best) in rows.iter().zip(&bests) {
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
        let best = figures(&run(&lane(n, 0.02, quickest)?)?);
        for &rate in rates.iter().take(rates.len() - 1) {
            let row = figures(&run(&lane(n, 0.02, rate)?)?);
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
    let mut figure = Figure::new("The natural lane: what 1 to 200 passes leave, at cells of 4, 2 and 1 cm");
    for (k, plot) in plots.iter_mut().enumerate() {
        if k == 2 {
            figure.row();
        }
        if k == 3 {
            plot.band("2 to 3 cm after hundreds of passes", INKS[3], [100.0, 200.0], [20.0, 30.0]);
        }
        figure.plot("", plot)?;
    }
    Ok(Outcome {
        figure,
        findings,
        text: "A walker goes up and down a lane on loam under the natural law: `trample run natural-lane --set passes=N --set cell=C --set rate=R --json`. Depths are means over squares of 4 cm. Steps and passes scatter as people's do, by the same seed in every row.".into(),
        scene: last,
        timings: None,
    })
}

/// What passes leave at the finest cells: numbers to look at.
fn finest_rows(findings: &mut Vec<Finding>, rows: &[(u32, [f64; 4])]) {
    for (n, row) in rows {
        for (k, (what, unit, shown)) in WHAT.iter().enumerate() {
            findings.push(Finding::new(format!("{what}, {n} passes"), unit, shown * row[k]));
        }
    }
}
