//! How far our own numbers depend on what they should not: cell size, frame rate, substeps, seeds.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity};
use super::measure::{Run, ground, run, walker};
use super::trail_ground::set_passes;
use super::{Context, Outcome};
use crate::Failure;
use trample::internal::reference::LockStep;
use trample::params::{Body, Footwear, Species};
use trample::scene::{Path, SoleShape, library};
use trample::{Law, PuppetSpec, Scene, Script, World};

/// What walks: soles planted flat, shoes that roll, and bare feet that roll.
const FEET: [(&str, Footwear); 3] = [
    ("feet planted flat", Footwear::Shoe),
    ("feet that roll", Footwear::Shoe),
    ("bare feet that roll", Footwear::Bare),
];

/// A walk of 4 m on mud, by a body or on feet planted flat: one of [`FEET`].
fn walk(feet: usize, cell: f64, rate: f64) -> Scene {
    let mut scene = ground("mud", [5.0, 2.0], cell);
    scene.rate = rate;
    let way = [[0.5, 1.0], [4.5, 1.0]];
    let puppet = if feet == 0 {
        PuppetSpec { script: Script::Walk(Path::along(way).into()), ..PuppetSpec::default() }
    } else {
        walker("walker", Body::default(), way, 1.3)
    };
    scene.puppets = vec![PuppetSpec { sole: SoleShape::Footwear(FEET[feet].1), ..puppet }];
    scene
}

/// Depth, area and carved volume; what is heaped is a fixed share of that.
fn figures(run: &Run) -> [f64; 3] {
    [run.deepest(), run.figures.total().mean_area(), run.world.volume().carved]
}

const WHAT: [&str; 3] = ["deepest point", "contact area", "carved volume"];

/// Why feet that roll depend on how finely they are looked at.
const ROLLING: &str = "a rolling sole stands for a moment on a small part of itself, at the edge of the heel and under the toes; where exactly depends on the positions it is looked at, and the deepest point with it. A walker's longest step is 1/60 s.";

/// Runs a study: every kind of feet over a list of values, the last of which is the finest.
fn study(
    title: &str,
    axis: &str,
    values: &[f64],
    (shown, unit): (f64, &str),
    scene: impl Fn(usize, f64) -> Scene,
    allowed: impl Fn(bool, f64, usize) -> Option<f64>,
) -> Result<(Figure, Vec<Finding>), Failure> {
    let mut figure = Figure::new(title);
    let mut findings = Vec::new();
    for (feet, (name, _)) in FEET.into_iter().enumerate() {
        if feet == 2 {
            figure.row();
        }
        let mut rows = Vec::new();
        for &value in values {
            rows.push(figures(&run(&scene(feet, value))?));
        }
        let finest = rows[rows.len() - 1];
        let mut plot = Drawing::new(&format!("Walk on mud, {name}"), axis, "difference from the finest (%)");
        for (k, what) in WHAT.into_iter().enumerate() {
            let points = values.iter().zip(&rows).map(|(v, r)| (v * shown, 100.0 * (r[k] / finest[k] - 1.0)));
            plot.marked(what, k, points.collect());
            for (value, row) in values.iter().zip(&rows).take(values.len() - 1) {
                let finding = Finding::new(
                    format!(
                        "{what} at {} {unit} against the finest, {name}",
                        super::finding::number(value * shown)
                    ),
                    "%",
                    100.0 * (row[k] / finest[k] - 1.0),
                );
                findings.push(match allowed(feet == 0, *value, k) {
                    Some(share) => finding
                        .within(
                            0.0,
                            100.0 * share,
                            identity("our own aim (README, tests)", "what a user would not see"),
                        )
                        .because(ROLLING),
                    None => finding,
                });
            }
        }
        figure.plot("", &plot)?;
    }
    Ok((figure, findings))
}

/// Cell size.
pub(crate) fn cell(context: &Context) -> Result<Outcome, Failure> {
    let values: &[f64] = if context.quick { &[0.04, 0.02, 0.01] } else { &[0.04, 0.02, 0.01, 0.005] };
    let (figure, findings) = study(
        "Convergence with the cell size",
        "cell (cm)",
        values,
        (100.0, "cm"),
        |feet, cell| walk(feet, cell, 60.0),
        |flat, cell, k| match (flat, k) {
            (true, _) => Some(if cell > 0.03 { 0.08 } else { 0.02 }),
            // The deepest point of a rolling foot is a small place at the toe; README says within a tenth.
            (false, 0) => (cell < 0.03).then_some(0.10),
            (false, _) => Some(if cell > 0.03 { 0.08 } else { 0.02 }),
        },
    )?;
    Ok(Outcome {
        figure,
        findings,
        text: "The same walk on mud at cells of 4 cm and finer, differences from the finest. Because a cell counts by how much of it a sole covers, areas and volumes hardly depend on the cell; the deepest point of a rolling foot is a small place under the toes and does.".into(),
        scene: Some(walk(1, 0.01, 60.0)),
        timings: None,
    })
}

/// Frame rate.
pub(crate) fn rate(context: &Context) -> Result<Outcome, Failure> {
    let values: &[f64] =
        if context.quick { &[30.0, 60.0, 240.0] } else { &[30.0, 60.0, 120.0, 144.0, 240.0, 480.0, 960.0] };
    let cell = context.cell(0.01);
    let (figure, findings) = study(
        "Convergence with the frame rate",
        "steps per second",
        values,
        (1.0, "Hz"),
        |feet, rate| walk(feet, cell, rate),
        |flat, _, k| match (flat, k) {
            (true, _) => Some(0.01),
            (false, 0) => Some(0.10),
            (false, _) => Some(0.02),
        },
    )?;
    Ok(Outcome {
        figure,
        findings,
        text: "The same walk at 30 to 960 steps per second. Moments of landing and lifting lie inside a step, so prints of flat feet do not depend on the rate; feet that roll are sampled at other moments, which shows in the deepest point.".into(),
        scene: Some(walk(1, cell, 60.0)),
        timings: None,
    })
}

/// How far the tip of a sedge moves over time, m, when it is pulled from rest by 10 µN, in so many substeps of 1/60 s.
fn tip(species: &Species, substeps: usize, pull: [f32; 3], world: &World) -> Vec<(f64, f64)> {
    let mut plants = LockStep::new(species, 1, world.ground());
    let rest = tip_of(&plants);
    plants.set_tip_force(pull);
    (1..=360)
        .map(|i| {
            plants.step(1.0 / 60.0, Some(substeps));
            let now = tip_of(&plants);
            let d = [now[0] - rest[0], now[1] - rest[1], now[2] - rest[2]];
            (f64::from(i) / 60.0, f64::from((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()))
        })
        .collect()
}

fn tip_of(plants: &LockStep) -> [f32; 3] {
    plants.stem(0, 0).last().map_or([0.0; 3], trample::glam::Vec3::to_array)
}

/// Substeps of the plants.
pub(crate) fn substeps(_: &Context) -> Result<Outcome, Failure> {
    let world = World::new(&ground("soil", [1.0, 1.0], 0.02))?;
    let species = Species { droop: 0.0, ..Species::CAREX_PENSYLVANICA };
    let mut figure = Figure::new("Convergence with the substeps of a plant");
    let mut findings = Vec::new();
    let beam = 1e-5 * species.height * species.height * species.height / (3.0 * species.bending_rigidity);
    // The row of the first plant lies along x: a pull along z bends its stems, one along x also shears the links between them.
    for (name, pull) in [("across its row", [0.0, 0.0, 1e-5]), ("along its row", [1e-5, 0.0, 0.0])] {
        let title = format!("Tip of a sedge pulled {name} by 10 µN, from rest");
        let mut plot = Drawing::new(&title, "time (s)", "tip moved (mm)");
        let mut ends = Vec::new();
        for (i, n) in [1, 2, 4, 8, 32].into_iter().enumerate() {
            let curve = tip(&species, n, pull, &world);
            ends.push((n, curve[curve.len() - 1].1));
            let name = if n == 1 { "1 substep".into() } else { format!("{n} substeps") };
            plot.line(&name, i, curve.into_iter().map(|(t, d)| (t, 1e3 * d)).collect());
        }
        figure.plot("", &plot)?;
        let finest = ends[ends.len() - 1].1;
        for (n, d) in &ends[..ends.len() - 1] {
            let off = 100.0 * (d / finest - 1.0);
            findings.push(if pull[2] > 0.0 {
                Finding::new(format!("deflection {name}, substeps per 1/60 s: {n} against 32"), "%", off)
                    .within(
                        0.0,
                        1.0,
                        identity(
                            "our own aim: below 1 % with the length of a substep",
                            "what a user would not see",
                        ),
                    )
            } else {
                Finding::new(format!("deflection {name}, substeps per 1/60 s: {n}"), "mm", 1e3 * d)
            });
        }
        let finding = Finding::new(format!("deflection {name}, substeps per 1/60 s: 32"), "mm", 1e3 * finest);
        findings.push(if pull[2] > 0.0 {
            finding.near(
                1e3 * beam,
                0.03,
                identity("an elastic beam: F·L³/3EI", "a chain of a few particles for a beam"),
            )
        } else {
            finding
        });
    }
    Ok(Outcome {
        figure,
        findings,
        text: format!(
            "One sedge is pulled sideways at its tip. Bending is solved as one block per stem, so where it comes to rest across its row does not depend on how finely a frame is cut. Along its row the links between stems shear as well, and those are solved by one sweep per substep: there the plant is much softer the fewer substeps are made, ten times in two instead of 32. This is a weakness of the plant solver. The simulation takes {:.0} substeps a second. Nothing else in a step is cut into substeps but the rolling of feet, which the study of the frame rate shows.",
            trample::internal::reference::SUBSTEPS
        ),
        scene: None,
        timings: None,
    })
}

/// Seeds.
pub(crate) fn seeds(context: &Context) -> Result<Outcome, Failure> {
    let many: u64 = if context.quick { 3 } else { 8 };
    let (trail_passes, lane_passes) = if context.quick { (6, 10) } else { (20, 75) };
    let mut figure = Figure::new("What depends on chance");
    let mut rows: Vec<[f64; 3]> = Vec::new();
    for seed in 1..=many {
        let mut trail = library::by_name("fifty-passes").ok_or("the library has fifty passes")?;
        (trail.seed, trail.terrain.cell) = (seed, 0.02);
        trail.terrain.law = Law::Trail;
        set_passes(&mut trail, trail_passes);
        let trail = run(&trail)?;
        let mut lane = library::by_name("carex-lane").ok_or("the library has a lane")?;
        lane.seed = seed;
        set_passes(&mut lane, lane_passes);
        let lane = run(&lane)?;
        let [min, max] = library::LANE;
        rows.push([trail.deepest(), trail.world.volume().carved, lane.world.plant_tally(min, max).cover()]);
    }
    let mut findings = Vec::new();
    let mut plot = Drawing::new("Each seed against the mean of all", "seed", "difference from the mean (%)");
    for (k, what) in
        ["deepest point of a trail", "carved volume of a trail", "cover of a lane"].into_iter().enumerate()
    {
        let mean = rows.iter().map(|r| r[k]).sum::<f64>() / rows.len() as f64;
        let square =
            rows.iter().map(|r| (r[k] - mean) * (r[k] - mean)).sum::<f64>() / (rows.len() - 1) as f64;
        let points = rows.iter().enumerate().map(|(i, r)| ((i + 1) as f64, 100.0 * (r[k] / mean - 1.0)));
        plot.marked(what, k, points.collect());
        findings.push(Finding::new(
            format!("standard deviation between seeds, {what}"),
            "% of the mean",
            100.0 * square.sqrt() / mean,
        ));
        findings.push(Finding::new(format!("mean over seeds, {what}"), ["m", "m³", ""][k], mean));
    }
    let spread = findings[2].ours.unwrap_or(f64::NAN);
    findings[2] = Finding::new(findings[2].what.clone(), "% of the mean", spread)
        .against(Expect::Below(10.0), identity("our own aim: totals do not hang on one seed", "chosen"));
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: format!(
            "A trail of {trail_passes} passes on wet soil and a lane of sedge under {lane_passes} passes, for {many} seeds. Seeds decide where passes scatter, where plants are rooted and how they are turned. The carved volume of a trail hardly depends on them; the deepest single point and the cover of a lane of 200 plants do, by as much as is shown."
        ),
        scene: None,
        timings: None,
    })
}
