//! TRAIL §5.1: time per frame. The clock's numbers go into `timings.json`, never among the numbers that must repeat.

use super::figure::{Drawing, Figure, INKS};
use super::finding::{Expect, Finding, Reference, printed};
use super::measure::{ground, walker};
use super::{Context, Outcome};
use crate::Failure;
use serde_json::json;
use std::time::Instant;
use trample::params::{Body, Species};
use trample::scene::PlantPatch;
use trample::{Scene, World};

/// The paper's cases: name, cells across a map of 10 m, plants, and milliseconds per frame.
const CASES: [(&str, u32, f64, f64); 3] = [
    ("ground, 512 × 512 cells", 512, 0.0, 1000.0 / 30.0),
    ("ground, 256 × 256 cells", 256, 0.0, 1000.0 / 60.0),
    ("ground, 256 × 256 cells, 200 plants", 256, 200.0, 50.0),
];

/// A walker on 10 m × 10 m of dry soil, with so many plants along its way.
fn scene(cells: u32, plants: f64) -> Scene {
    let mut scene = ground("dry-soil", [10.0, 10.0], 10.0 / f64::from(cells));
    scene.name = format!("tr-timings-{cells}-{plants}");
    scene.puppets = vec![walker("walker", Body::default(), [[1.0, 5.0], [9.0, 5.0]], 1.3)];
    if plants > 0.0 {
        let (min, max) = ([3.0, 4.75], [4.5, 5.25]);
        let species = Species::CAREX_PENSYLVANICA;
        scene.plants = vec![PlantPatch {
            name: "sedge".into(),
            species,
            density: plants / 0.75,
            min,
            max,
            ..PlantPatch::default()
        }];
    }
    scene
}

/// TR §5.1: frames per second.
pub(crate) fn frames(_: &Context) -> Result<Outcome, Failure> {
    let mut findings = Vec::new();
    let mut measured = serde_json::Map::new();
    let mut points = Vec::new();
    let mut last = None;
    for (name, cells, plants, published) in CASES {
        let scene = scene(cells, plants);
        let mut world = World::new(&scene)?;
        let begun = Instant::now();
        while !world.is_over() && world.steps() < scene.steps() {
            world.step(scene.dt());
        }
        let steps = world.steps();
        let each = 1e3 * begun.elapsed().as_secs_f64() / steps as f64;
        measured.insert(
            name.into(),
            json!({ "milliseconds_per_step": each, "published_milliseconds_per_frame": published, "times_faster": published / each, "verdict": if each < published { "agrees" } else { "differs" } }),
        );
        findings.push(Finding::new(format!("steps of 1/60 s, {name}"), "", steps as f64));
        let mut time = Finding::new(format!("time per frame, {name}"), "ms", 0.0);
        time.ours = None;
        time.reference = Some(Reference {
            expect: Expect::Below(published),
            source: printed("TR §5.1 (Unity, C#, ten cores at 3.7 GHz, RTX 3090)", "faster is faster"),
        });
        findings.push(time);
        points.push((f64::from(cells), published));
        last = Some(scene);
    }
    let mut figure = Figure::new("TRAIL §5.1: time per frame");
    let mut plot = Drawing::new(
        "Published time per frame; the engine also drew the picture",
        "cells across the map",
        "milliseconds per frame",
    );
    plot.marked("ground alone", 0, vec![points[1], points[0]]);
    plot.dots("with 200 plants", INKS[2], vec![points[2]]);
    plot.dashes("", INKS[0], vec![(200.0, 0.0), (560.0, 0.0)]);
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: "The paper's three cases: a walker on 10 m × 10 m at 512 and 256 cells across, and with 200 plants. Drawn are the published times. Ours depend on the machine and so are not part of this page: they are measured along with it, while other experiments run on the other core, and stand in timings.json beside it with the ratio to the published ones. `trample bench` compares with naive baselines in one run.".into(),
        scene: last,
        timings: Some(measured.into()),
    })
}
