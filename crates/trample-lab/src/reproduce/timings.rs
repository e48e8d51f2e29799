//! Time per frame, as Dynamic Footprints §6 and TRAIL §5.1 print it. The clock's numbers go into `timings.json`, never among the numbers
//! that must repeat.

use super::figure::{Drawing, Figure, INKS, THEIRS};
use super::finding::{Expect, Finding, Reference, printed};
use super::measure::{ground, walker};
use super::{Context, Outcome, Timings};
use crate::Failure;
use serde_json::json;
use std::time::Instant;
use trample::params::{Body, Species};
use trample::scene::PlantPatch;
use trample::{Scene, World};

/// A published time: cells across a map of 10 m, plants, and milliseconds per frame.
struct Case {
    cells: u32,
    plants: f64,
    published: f64,
}

impl Case {
    fn name(&self) -> String {
        let plants = if self.plants > 0.0 { format!(", {} plants", self.plants) } else { String::new() };
        format!("ground, {0} × {0} cells{plants}", self.cells)
    }

    /// A walker on 10 m × 10 m, with so many plants along its way.
    fn scene(&self, experiment: &str, material: &str) -> Scene {
        let mut scene = ground(material, [10.0, 10.0], 10.0 / f64::from(self.cells));
        scene.name = format!("{experiment}-{}-{}", self.cells, self.plants);
        scene.puppets = vec![walker("walker", Body::default(), [[1.0, 5.0], [9.0, 5.0]], 1.3)];
        if self.plants > 0.0 {
            scene.plants = vec![PlantPatch {
                name: "sedge".into(),
                species: Species::CAREX_PENSYLVANICA,
                density: self.plants / 0.75,
                min: [3.0, 4.75],
                max: [4.5, 5.25],
                ..PlantPatch::default()
            }];
        }
        scene
    }
}

/// DF §6: 65 and 30 frames a second at cells of 4 and 2 cm.
pub(crate) fn footprints(_: &Context) -> Result<Outcome, Failure> {
    let cases = [(256, 1000.0 / 65.0), (512, 1000.0 / 30.0)];
    let cases = cases.map(|(cells, published)| Case { cells, plants: 0.0, published });
    let machine = "DF §6 (Unity, C#, eight cores at 3.1 GHz)";
    frames("df-timings", "Dynamic Footprints §6: time per frame", "soil", machine, &cases)
}

/// TR §5.1: 60 and 30 frames a second at 256 and 512 cells across, 20 with 200 plants.
pub(crate) fn trail(_: &Context) -> Result<Outcome, Failure> {
    let cases = [(256, 0.0, 1000.0 / 60.0), (512, 0.0, 1000.0 / 30.0), (256, 200.0, 50.0)];
    let cases = cases.map(|(cells, plants, published)| Case { cells, plants, published });
    let machine = "TR §5.1 (Unity, C#, ten cores at 3.7 GHz, RTX 3090)";
    frames("tr-timings", "TRAIL §5.1: time per frame", "trail-dry-soil", machine, &cases)
}

fn frames(
    experiment: &str,
    title: &str,
    material: &str,
    machine: &str,
    cases: &[Case],
) -> Result<Outcome, Failure> {
    let mut findings = Vec::new();
    let mut measured = serde_json::Map::new();
    // On bare ground, and with plants.
    let (mut theirs, mut ours) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    let mut last = None;
    for case in cases {
        let scene = case.scene(experiment, material);
        let mut world = World::new(&scene)?;
        let begun = Instant::now();
        while !world.is_over() && world.steps() < scene.steps() {
            world.step(scene.dt());
        }
        let steps = world.steps();
        let each = 1e3 * begun.elapsed().as_secs_f64() / steps as f64;
        let (name, published) = (case.name(), case.published);
        measured.insert(
            name.clone(),
            json!({ "milliseconds_per_step": each, "published_milliseconds_per_frame": published, "times_faster": published / each, "verdict": if each < published { "agrees" } else { "differs" } }),
        );
        findings.push(Finding::new(format!("steps of 1/60 s, {name}"), "", steps as f64));
        let mut time = Finding::new(format!("time per frame, {name}"), "ms", 0.0);
        time.ours = None;
        time.reference = Some(Reference {
            expect: Expect::Below(published),
            source: printed(machine, "faster is faster"),
        });
        findings.push(time);
        let thousands = 1e-3 * f64::from(case.cells) * f64::from(case.cells);
        let with = usize::from(case.plants > 0.0);
        theirs[with].push((thousands, libm::log10(published)));
        ours[with].push((thousands, libm::log10(each)));
        last = Some(scene);
    }
    let drawn = |ours: Option<&[Vec<(f64, f64)>; 2]>| -> Result<Figure, Failure> {
        let mut figure = Figure::new(title);
        let mut plot = Drawing::new(
            "A walker on 10 m × 10 m; the published times have the picture in them",
            "cells of the ground (thousands)",
            "log₁₀ of milliseconds per frame",
        );
        for (with, more) in ["", ", 200 plants"].into_iter().enumerate() {
            if theirs[with].is_empty() {
                continue;
            }
            plot.dots(&format!("published{more}"), [THEIRS, INKS[4]][with], theirs[with].clone());
            if let Some(ours) = ours {
                plot.dots(&format!("ours, one core{more}"), INKS[with], ours[with].clone());
            }
        }
        figure.plot("", &plot)?;
        Ok(figure)
    };
    Ok(Outcome {
        figure: drawn(None)?,
        findings,
        text: "The paper's cases: a walker on 10 m × 10 m, at so many cells across. Ours depend on the machine and so are not part of what must repeat: they are measured along with it, while other experiments run on the other core, and stand in timings.json and timings.png beside it, with the ratio to the published ones. `trample bench` compares with naive baselines in one run.".into(),
        scene: last,
        timings: Some(Timings { numbers: measured.into(), figure: Some(drawn(Some(&ours))?) }),
    })
}
