//! The experiments of Dynamic Footprints (2022) about the walker: feet, weights and motions.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity};
use super::measure::{Run, field, ground, lit, named, run, run_with, walker, walker_on};
use super::{Context, Outcome};
use crate::Failure;
use trample::params::{Body, Footwear, GRAVITY};
use trample::scene::{Control, Motion, Paint, PaintShape, Path, SoleShape, Steer};
use trample::{Law, Map, PuppetSpec, Scene, Script};

/// DF Fig. 4: five characters from snow on to sand.
pub(crate) fn characters(context: &Context) -> Result<Outcome, Failure> {
    let mut scene = ground("snow", [10.0, 5.6], context.cell(0.01));
    (scene.name, scene.about) = ("df-fig4".into(), "Five characters from snow on to sand (DF Fig. 4)".into());
    scene.terrain.materials.push(named("dry-sand"));
    let shape = PaintShape::Rectangle { min: [5.0, 0.0], max: [10.0, 5.6] };
    scene.terrain.paints.push(Paint { material: 1, shape });
    let usual = Body::default();
    let lane = |name: &str, body: Body, z: f64, speed: f64| walker(name, body, [[0.7, z], [9.3, z]], speed);
    let heavy = Body { foot_length: 0.32, foot_width: 0.13, ..Body::new(1.8, 140.0).with_legs(0.92) };
    let tiny = Body { foot_length: 0.17, foot_width: 0.065, ..Body::new(1.5, 45.0) };
    scene.puppets = vec![
        lane("tiny feet", tiny, 0.6, 1.3),
        PuppetSpec { sole: SoleShape::Footwear(Footwear::Boot), ..lane("heavy", heavy, 1.6, 1.3) },
        PuppetSpec { sole: SoleShape::Footwear(Footwear::Snowshoe), ..lane("snowshoes", usual, 2.8, 0.9) },
        lane("running", usual, 3.9, 3.5),
        lane("walking", usual, 4.9, 1.3),
    ];
    let run = run(&scene)?;
    let depth = |i: usize, sand: bool| {
        let z = [0.6, 1.6, 2.8, 3.9, 4.9][i];
        let x = if sand { [5.8, 8.4] } else { [1.6, 4.6] };
        run.deepest_in([x[0], z - 0.45], [x[1], z + 0.45])
    };
    let names = ["tiny feet", "heavy, 140 kg in boots", "snowshoes", "running at 3.5 m/s", "walking"];
    let mut figure = Figure::new("Dynamic Footprints Fig. 4: from snow on to sand");
    let wide = Figure::across(1);
    figure.picture(
        "From the far side: tiny feet (45 kg), heavy in boots (140 kg), snowshoes, running at 3.5 m/s, walking at 1.3 m/s",
        lit(&run.world, [[0.0, 0.0], [10.0, 5.6]], [wide, wide * 11 / 20], Some(1.0)),
    );
    let mut findings = Vec::new();
    for (i, name) in names.into_iter().enumerate() {
        findings.push(Finding::new(format!("deepest print in snow, {name}"), "mm", 1e3 * depth(i, false)));
        findings.push(Finding::new(format!("deepest print in sand, {name}"), "mm", 1e3 * depth(i, true)));
    }
    let source = "DF §6.3 on Fig. 4";
    let ratio =
        |what: &str, a: f64, b: f64, expect: Expect| Finding::new(what, "", a / b).against(expect, source);
    findings.extend([
        ratio("walking: snow against sand", depth(4, false), depth(4, true), Expect::Above(1.0)),
        ratio("running against walking, snow", depth(3, false), depth(4, false), Expect::Above(1.0)),
        ratio("running against walking, sand", depth(3, true), depth(4, true), Expect::Above(1.0)),
        ratio("snowshoes against shoes, snow", depth(2, false), depth(4, false), Expect::Below(1.0)),
        ratio("heavy against usual, snow", depth(1, false), depth(4, false), Expect::Above(1.0)),
    ]);
    findings.push(Finding::new("tiny feet against usual, snow", "", depth(0, false) / depth(4, false)));
    // The paper's fourth character collides with the ground all the time: in snow that is deep, with feet that are hardly lifted.
    let dragged = furrow(context, heavy, 0.15)?;
    let lifted = furrow(context, usual, 1.0)?;
    let half = Figure::across(2);
    figure.row();
    for (title, run) in
        [("heavy, feet hardly lifted, in 30 cm of fresh snow", &dragged), ("the usual walker there", &lifted)]
    {
        figure.picture(title, lit(&run.world, [[0.4, 0.3], [5.6, 1.7]], [half, half * 9 / 20], Some(1.0)));
    }
    let [trail, prints] = [&dragged, &lifted].map(open_share);
    findings.push(
        Finding::new("share of the way that is furrowed, heavy less usual", "", trail - prints)
            .against(Expect::Above(0.0), "DF §6.3: almost constant collision, which generates trails"),
    );
    findings.push(Finding::new("share of the way that is furrowed, heavy", "", trail));
    findings.push(Finding::new("share of the way that is furrowed, usual", "", prints));
    let error = run.world.volume().relative_error.max(dragged.world.volume().relative_error);
    findings.push(Finding::new("volume error", "", error).within(
        0.0,
        1e-6,
        identity(
            "what lies beside prints is 2ν of what was pressed",
            "our own aim: the ledger is in whole nanometres",
        ),
    ));
    Ok(Outcome {
        figure,
        findings,
        text: "Five bodies walk, run and shuffle from fresh snow (left) on to dry sand (right). Prints are deep in snow and shallow in sand; runners sink deeper than walkers, snowshoes hardly at all, heavy walkers most. The paper shows a picture and says which way each goes.".into(),
        scene: Some(scene),
        timings: None,
    })
}

/// A walk in 30 cm of fresh snow under the natural law, the only one under which feet drag.
fn furrow(context: &Context, body: Body, lift: f64) -> Result<Run, Failure> {
    let mut scene = ground("fresh-snow", [6.0, 2.0], context.cell(0.02));
    scene.terrain.law = Law::Natural;
    let body = Body { foot_lift: lift, ..body };
    let puppet = walker("walker", body, [[0.6, 1.0], [5.4, 1.0]], 0.9);
    scene.puppets = vec![PuppetSpec { sole: SoleShape::Footwear(Footwear::Boot), ..puppet }];
    run(&scene)
}

/// Share of the steady part of a way along which, somewhere across it, the snow lies at least 2 cm lower than it did.
fn open_share(run: &Run) -> f64 {
    let delta = field(&run.world, Map::Delta, [[1.6, 0.5], [4.4, 1.5]]);
    let open = |x: &usize| (0..delta.height).any(|z| delta.at(*x, z) < -0.02);
    (0..delta.width).filter(open).count() as f64 / delta.width as f64
}

/// What a dancer is told at a time: circles with the body turning, sidesteps, and a jump now and then.
fn dance(time: f64) -> Steer {
    let turn = 0.9 * time;
    let side = if ((time / 2.0) as u64).is_multiple_of(2) { 1.0 } else { -1.0 };
    let velocity = [1.0 * libm::cos(turn), 1.0 * libm::sin(turn)].map(|v| v as f32);
    Steer { velocity, heading: Some((turn + side * 0.9) as f32), motion: Motion::Auto }
}

/// DF Fig. 10: other motions than walking.
pub(crate) fn motions(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("Dynamic Footprints Fig. 10: other motions than walking, in snow");
    let cell = context.cell(0.01);
    let body = Body::default();
    let wide = Figure::across(2);
    let mut findings = Vec::new();
    let mut depths = Vec::new();
    let mut plot = Drawing::new("Vertical force of both feet", "time (s)", "force (body weights)");
    let mut last = None;
    for (i, (title, motion, speed)) in [
        ("walking, 1.3 m/s", Motion::Walk, 1.3),
        ("running, 3.5 m/s", Motion::Run, 3.5),
        ("jumping along", Motion::Jump, 1.0),
        ("sidestepping", Motion::Sidestep, 0.7),
    ]
    .into_iter()
    .enumerate()
    {
        let mut scene = ground("snow", [6.0, 2.0], cell);
        scene.name = format!("df-fig10-{i}");
        let path = Path { speed, ..Path::along([[0.7, 1.0], [5.3, 1.0]]) };
        scene.puppets = vec![walker_on("walker", body, path, motion)];
        let (peak, curve, run) = watched(&scene, |_| {})?;
        if i == 2 {
            figure.row();
        }
        figure.picture(title, lit(&run.world, [[0.2, 0.3], [5.8, 1.7]], [wide, wide * 8 / 20], Some(1.0)));
        if i > 0 {
            plot.line(title, i, curve);
        }
        // Where it goes steadily: starts and stops have steps of their own.
        depths.push(run.deepest_in([1.6, 0.3], [4.2, 1.7]));
        findings.push(Finding::new(format!("largest force, {title}"), "BW", peak));
        findings.push(Finding::new(format!("deepest print, {title}"), "mm", 1e3 * depths[i]));
        last = Some(scene);
    }
    let mut scene = ground("snow", [4.4, 4.4], cell);
    scene.duration = Some(if context.quick { 6.0 } else { 12.0 });
    let mut puppet = walker("dancer", body, [[2.2, 1.1], [3.0, 1.1]], 1.0);
    if let Script::Walker(walker) = &mut puppet.script {
        walker.control = Control::Stand;
    }
    scene.puppets = vec![puppet];
    let mut next = 2.0;
    let (peak, curve, run) = watched(&scene, |world| {
        let time = world.time();
        world.control(0, Control::Walk(dance(time)));
        if time > next {
            world.jump(0);
            next += 2.5;
        }
    })?;
    figure.row();
    figure.picture(
        "a dance: turns, sidesteps, jumps",
        lit(&run.world, around_all(&run), [wide, wide * 9 / 16], Some(1.0)),
    );
    plot.line("dance", 4, curve);
    figure.plot("", &plot)?;
    findings.push(Finding::new("largest force, dance", "BW", peak));
    findings.push(Finding::new("deepest print, dance", "mm", 1e3 * run.deepest()));
    let source = "DF §6.3 on Fig. 4: the runner's prints are deep due to its velocity";
    findings.push(
        Finding::new("running against walking, deepest print", "", depths[1] / depths[0])
            .against(Expect::Above(1.0), source),
    );
    findings.push(Finding::new("jumping against walking, deepest print", "", depths[2] / depths[0]));
    Ok(Outcome {
        figure,
        findings,
        text: "Walking for comparison, running, jumping, sidestepping and a dance that a stick steers, all in snow. The whole-body force model takes the momentum of every body part, which the paper names as what its own model lacks for dancing. The paper shows pictures; that a runner's prints are deeper can be compared. A jump lands harder, but on two flat feet at once, so its prints are wider rather than deeper.".into(),
        scene: last,
        timings: None,
    })
}

/// Corners around all that was trodden.
fn around_all(run: &Run) -> [[f64; 2]; 2] {
    let low = |k: usize| run.landings.iter().map(|l| l.place[k]).fold(f64::MAX, f64::min) - 0.45;
    let high = |k: usize| run.landings.iter().map(|l| l.place[k]).fold(f64::MIN, f64::max) + 0.45;
    [[low(0), low(1)], [high(0), high(1)]]
}

/// Largest force, force over time, both in body weights, and the run.
type Watched = (f64, Vec<(f64, f64)>, Run);

/// Runs a scene with one walker and gives its largest force and its force over time, body weights.
fn watched(scene: &Scene, steer: impl FnMut(&mut trample::World)) -> Result<Watched, Failure> {
    let weight = scene.puppets[0].body.mass * GRAVITY;
    let mut curve = Vec::new();
    let run = run_with(scene, steer, |_, report| {
        let sum: f64 = report.contacts.iter().map(|c| f64::from(-c.force.y) * c.seconds / scene.dt()).sum();
        if report.time < 6.0 {
            curve.push((report.time, sum / weight));
        }
    })?;
    let peak = run.figures.total().force / weight;
    Ok((peak, curve, run))
}
