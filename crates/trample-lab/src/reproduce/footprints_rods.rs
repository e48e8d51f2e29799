//! The experiments of Dynamic Footprints (2022) on how its model works: one footfall from force to rest, and cells as rods.

use super::figure::{Drawing, Figure};
use super::finding::{Finding, identity};
use super::map_panel::{PanelStyle, map_panel};
use super::measure::{Run, field, ground, lit, run, run_with, strides, walker};
use super::{Context, Outcome};
use crate::Failure;
use trample::params::{Body, Footwear, GRAVITY};
use trample::scene::{Path, library};
use trample::{Law, Map, PuppetSpec, Ramp, Scene, Script, World};

/// A walk on the mud of DF Table 1.
fn walk(context: &Context) -> Scene {
    let mut scene = ground("mud", [5.2, 2.0], context.cell(0.01));
    scene.name = "df-fig2".into();
    (scene.terrain.law, scene.rate) = (Law::DynamicFootprints, 240.0);
    scene.puppets = vec![walker("walker", Body::default(), [[0.5, 1.0], [4.7, 1.0]], 1.3)];
    scene
}

/// What is seen of one footfall in a step.
struct Seen {
    time: f64,
    force: f64,
    depth: f64,
    heaped: f64,
}

/// DF Fig. 2: forces, then the print, then the displaced material until it rests.
pub(crate) fn framework(context: &Context) -> Result<Outcome, Failure> {
    let scene = walk(context);
    // Once to see where and when the right foot lands in the middle of the walk, once more to look there.
    let first = run(&scene)?;
    let starts = strides(&first);
    let from = starts[starts.len() / 2];
    let landing = first.landings.iter().find(|l| l.foot == 0 && l.time == from).ok_or("nobody landed")?;
    let place = landing.place;
    let corners = [[place[0] - 0.4, place[1] - 0.3], [place[0] + 0.4, place[1] + 0.3]];
    let weight = scene.puppets[0].body.mass * GRAVITY;
    let cell = scene.terrain.cell;
    let (mut seen, mut shots, mut worst) = (Vec::new(), Vec::<World>::new(), 0.0f64);
    let end: Run = run_with(
        &scene,
        |_| {},
        |world, report| {
            let time = report.time - from;
            if !(-0.05..=1.1).contains(&time) {
                return;
            }
            worst = worst.max(world.volume().relative_error);
            let contacts = report.contacts.iter().filter(|c| c.foot == 0 && time < 0.9);
            let force: f64 = contacts.map(|c| c.normal_force * c.seconds / scene.dt() / weight).sum();
            let depth = world.map(Map::Compression).at((place[0] / cell) as i32, (place[1] / cell) as i32);
            let heaps = field(world, Map::Accumulation, corners);
            let heaped = heaps.data.iter().map(|v| f64::from(*v)).sum::<f64>() * cell * cell;
            seen.push(Seen { time, force, depth, heaped });
            if shots.len() < 3 && time >= [-0.04, 0.25, 1.05][shots.len()] {
                shots.push(world.clone());
            }
        },
    )?;
    let mut figure = Figure::new("Dynamic Footprints Fig. 2: one footfall, from force to rest");
    let wide = Figure::across(3);
    for (world, title) in shots.iter().zip(["before it lands", "0.25 s later", "after it has lifted"]) {
        figure.picture(title, lit(world, corners, [wide, wide * 2 / 3], Some(1.0)));
    }
    figure.row();
    let line = |value: fn(&Seen) -> f64| seen.iter().map(|s| (s.time, value(s))).collect::<Vec<_>>();
    let mut force = Drawing::new("A  force on the ground", "time since landing (s)", "body weights");
    force.line("right foot", 1, line(|s| s.force));
    let mut print = Drawing::new("B  print below the middle of the sole", "time since landing (s)", "mm");
    print.line("compression", 0, line(|s| 1e3 * s.depth));
    let mut moved = Drawing::new("C  material heaped around it", "time since landing (s)", "cm³");
    moved.line("accumulation", 2, line(|s| 1e6 * s.heaped));
    figure.plot("", &force)?;
    figure.plot("", &print)?;
    figure.row();
    figure.plot("", &moved)?;
    let lifted = seen.iter().rposition(|s| s.force > 0.0).ok_or("nobody pressed")?;
    let last = seen.last().ok_or("nothing was seen")?;
    let findings = vec![
        Finding::new(
            "change of the print after the foot has lifted",
            "mm",
            1e3 * (last.depth - seen[lifted].depth),
        )
        .within(
            0.0,
            1e-6,
            identity("DF Fig. 2 C: the deformation ends, and a print stays (DF §5.1)", "none"),
        ),
        Finding::new(
            "change of the heaps after the foot has lifted",
            "cm³",
            1e6 * (last.heaped - seen[lifted].heaped),
        )
        .within(
            0.0,
            1e-3,
            identity("DF Fig. 2 C: it terminates when the displacement is complete", "a thousandth of a cm³"),
        ),
        Finding::new("largest volume error in any step of it", "", worst).within(
            0.0,
            1e-6,
            identity("what is displaced is heaped in the same step", "our own aim"),
        ),
        Finding::new("time in contact", "s", seen[lifted].time),
        Finding::new("print below the middle of the sole", "mm", 1e3 * last.depth),
        Finding::new("volume heaped around it", "cm³", 1e6 * last.heaped),
        Finding::new("volume error at the end of the walk", "", end.world.volume().relative_error),
    ];
    Ok(Outcome {
        figure,
        findings,
        text: "The paper's three blocks, followed through one footfall on mud: A the force on the ground, B the print that it leaves, C the material that is displaced and comes to rest. The paper draws a diagram.".into(),
        scene: Some(scene),
        timings: None,
    })
}

/// A plate of 20 × 10 cm that presses by its weight alone.
fn plate(mass: f64, cell: f64) -> Result<Scene, Failure> {
    let mut scene = library::by_name("plate").ok_or("the library has a plate")?;
    (scene.terrain.law, scene.terrain.cell) = (Law::DynamicFootprints, cell);
    scene.puppets[0].body.mass = mass;
    if let Script::Press(press) = &mut scene.puppets[0].script {
        press.landing_speed = 0.0;
    }
    Ok(scene)
}

/// DF Fig. 3: each cell is a rod that shortens by σ·L0/E; the area of contact is counted in cells.
pub(crate) fn rods(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("Dynamic Footprints Fig. 3: cells as rods, and the area of contact");
    let mut findings = Vec::new();
    let (mut ours, mut law) = (Vec::new(), Vec::new());
    let mut last = None;
    for mass in [10.0, 50.0, 100.0, 200.0] {
        let scene = plate(mass, 0.02)?;
        let material = scene.terrain.materials[0].material;
        let stress = mass * GRAVITY / 0.02;
        let expected = stress * material.layer / material.youngs_modulus;
        let run = run(&scene)?;
        findings.push(
            Finding::new(format!("plate of 200 cm² under {mass} kg"), "mm", 1e3 * run.deepest()).near(
                1e3 * expected,
                0.01,
                identity("DF-9, DF-10: ΔL = σ·L0/E", "the rate of DF-11 comes close to its end"),
            ),
        );
        ours.push((1e-3 * stress, 1e3 * run.deepest()));
        law.push((1e-3 * stress, 1e3 * expected));
        last = Some(scene);
    }
    let mut plot = Drawing::new("A rod of 30 cm under load", "stress (kPa)", "shortening (mm)");
    plot.dashes("σ·L0/E", super::figure::THEIRS, law);
    plot.marked("plate on soil", 0, ours);
    // A flat print on cells of three sizes.
    let sole = Footwear::Shoe.sole(Body::default().foot_length, Body::default().foot_width);
    let mut shown = None;
    for cell in [0.04, 0.02, 0.01] {
        let mut scene = ground("soil", [5.0, 1.2], context.cell(cell).max(cell));
        scene.terrain.law = Law::DynamicFootprints;
        scene.puppets = vec![PuppetSpec {
            script: Script::Walk(Path::along([[0.4, 0.6], [4.6, 0.6]]).into()),
            ..PuppetSpec::default()
        }];
        let run = run(&scene)?;
        let area = run.figures.total().mean_area();
        findings.push(
            Finding::new(format!("area of contact in cells of {} cm", 100.0 * cell), "cm²", 1e4 * area).near(
                1e4 * sole.area(),
                0.03,
                identity(
                    "the outline of the sole that presses",
                    "cells that are covered in part count in part",
                ),
            ),
        );
        if cell == 0.02 {
            shown = Some(run);
        }
    }
    let run = shown.ok_or("a print was made")?;
    let foot = *run.steps_of(0).first().ok_or("nobody walked")?;
    let corners = [[foot.place[0] - 0.2, foot.place[1] - 0.2], [foot.place[0] + 0.2, foot.place[1] + 0.2]];
    let map = field(&run.world, Map::PressureTime, corners);
    let high = map.range().map_or(1.0, |r| f64::from(r.1));
    let style =
        PanelStyle {
            label: "pressure × time (kPa·s)", colours: Ramp::Heat, range: [0.0, high], scale: 1e-3
        };
    figure.plot("", &plot)?;
    figure.picture(
        "a square of 40 × 40 cm around a foot, cells of 2 cm",
        map_panel(&map, &style, Figure::across(2)),
    );
    Ok(Outcome {
        figure,
        findings,
        text: "Left, a plate that presses by its weight alone shortens the rods below it as Hooke's law says. Right, the cells that a sole has pressed in the square that the paper draws around each foot; those at the edge are covered in part and count in part. The paper draws a diagram, so what is shown is that the program does what it says.".into(),
        scene: last,
        timings: None,
    })
}
