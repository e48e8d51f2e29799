//! The experiments of Soft Walks (2021) in grass and on changing ground.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity};
use super::measure::{cycle, filmed, ground, lit, named, run_with, stride, strides, walker};
use super::soft_walks::GROUNDS;
use super::strip::{Shot, film};
use super::{Context, Outcome};
use crate::Failure;
use trample::params::{Body, Species};
use trample::scene::{Paint, PaintShape, PlantKind, PlantPatch};
use trample::{Base, Event, Law, Scene};
use trample_looks::Skin;

/// Where the grounds of [`journey`] lie along its way, m, and how tall the grass on its last stretch is, m.
const STRETCH: f64 = 3.0;
const GRASS: f64 = 0.5;

/// SW Fig. 1: sand, soil, mud, snow and grass in one walk over hills.
pub(crate) fn journey(context: &Context) -> Result<Outcome, Failure> {
    let size = [5.0 * STRETCH, 3.0];
    let mut scene = ground(GROUNDS[0].1, size, context.cell(0.015));
    (scene.name, scene.terrain.law) = ("sw-fig1".into(), Law::SoftWalks);
    scene.terrain.base = Base::Hills { amplitude: 0.5, wavelength: 6.0, seed: 4 };
    for (i, (_, name, ..)) in GROUNDS.into_iter().enumerate().skip(1) {
        scene.terrain.materials.push(named(name));
        let x = STRETCH * i as f64;
        let shape = PaintShape::Rectangle { min: [x, 0.0], max: [x + STRETCH, size[1]] };
        scene.terrain.paints.push(Paint { material: i as u8, shape });
    }
    // Grass stands on soil.
    let min = [4.0 * STRETCH, 0.0];
    scene.terrain.paints.push(Paint { material: 1, shape: PaintShape::Rectangle { min, max: size } });
    scene.plants = vec![PlantPatch { min, ..meadow(GRASS, size) }];
    scene.puppets = vec![walker("walker", Body::default(), [[0.5, 1.5], [size[0] - 0.5, 1.5]], 1.3)];
    let mut highest = [0.0f64; 5];
    let mut landings = [0.0; 5];
    let on = |x: f64| ((x / STRETCH) as usize).min(4);
    let run = run_with(
        &scene,
        |_| {},
        |world, report| {
            for sole in world.drawn_soles(0).into_iter().flatten() {
                let p = sole.position.as_dvec3();
                let lift = p.y - world.height(p.x, p.z);
                let best = &mut highest[on(p.x)];
                *best = best.max(lift);
            }
            for event in &report.events {
                if let Event::FootDown { position, .. } = *event {
                    landings[on(f64::from(position.x))] += 1.0;
                }
            }
        },
    )?;
    let mut figure = Figure::new("Soft Walks Fig. 1: one walk over sand, soil, mud, snow and grass");
    let wide = Figure::across(1);
    figure.picture(
        "from the left: dry sand, soil, mud, snow, soil under grass of 0.5 m",
        lit(&run.world, [[0.0, 0.3], [size[0], 2.7]], [wide, wide * 9 / 20], Some(1.0)),
    );
    let mut findings = Vec::new();
    for (i, (title, _, depth, _)) in GROUNDS.into_iter().enumerate() {
        let x = STRETCH * i as f64;
        let deepest = run.deepest_in([x + 0.3, 0.8], [x + STRETCH - 0.3, 2.2]);
        findings.push(
            Finding::new(format!("deepest print on the way, {title}"), "mm", 1e3 * deepest).near(
                1e3 * depth.min(0.285),
                0.02,
                identity(
                    "depth presets of the authors' prototype, which ours have; a layer of 30 cm gives way by 28.5 cm",
                    "the rounding of cells",
                ),
            ),
        );
        findings.push(Finding::new(format!("footfalls on {title}"), "", landings[i]));
    }
    findings.push(
        Finding::new("feet lifted in grass less on soil", "cm", 100.0 * (highest[4] - highest[1]))
            .against(Expect::Above(0.0), "SW §3.2: knees are raised higher in vegetation"),
    );
    findings.push(Finding::new("volume error", "", run.world.volume().relative_error).within(
        0.0,
        1e-6,
        identity("exact ledger", "our own aim"),
    ));
    Ok(Outcome {
        figure,
        findings,
        text: "One walk over hills that are sand, soil, mud, snow and at last soil under grass, by the law of Soft Walks. Prints have the depth of the ground they are in, and feet rise higher where grass hides the ground. The paper's figure is a picture.".into(),
        scene: Some(scene),
        timings: None,
    })
}

/// Grass of that height which is only moved aside (SW-2), from the corner of the terrain to `max`.
fn meadow(height: f64, max: [f64; 2]) -> PlantPatch {
    PlantPatch {
        name: "grass".into(),
        species: Species { height, spacing: 0.1 * height, ..Species::CAREX_PENSYLVANICA },
        density: 300.0,
        max,
        kind: PlantKind::Displaced { most: 0.2, fade: 4.0 },
        ..PlantPatch::default()
    }
}

/// SW Fig. 3: the platform under a foot, which rises with it, waits, and gives way.
pub(crate) fn platform(_: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("Soft Walks Fig. 3: the platform that a foot aims at in grass of 0.9 m");
    let scene = through(0.9);
    let (mut sole, mut aim) = (Vec::new(), Vec::new());
    let mut watch = |world: &trample::World, time: f64| {
        let Some((walker, _)) = world.walker(0) else { return };
        let lock = &walker.locks[1];
        let ground = world.height(f64::from(lock.shown.x), f64::from(lock.shown.z));
        sole.push((time, f64::from(lock.shown.y) - ground));
        aim.push((time, lock.level - ground));
    };
    let run = run_with(&scene, |_| {}, |world, report| watch(world, report.time))?;
    let starts = strides(&run);
    let k = (starts.len() / 2).max(1);
    let (from, to) = (starts[k - 1], starts[k]);
    let within = |line: &[(f64, f64)]| -> Vec<(f64, f64)> {
        let inside = line.iter().filter(|p| p.0 >= from && p.0 <= to);
        inside.map(|p| (100.0 * (p.0 - from) / (to - from), 100.0 * p.1)).collect()
    };
    let (foot, level) = (within(&sole), within(&aim));
    let mut plot =
        Drawing::new("Right foot over a stride, from its landing", "gait cycle (%)", "above the ground (cm)");
    plot.line("sole", 0, foot);
    plot.line("platform", 2, level.clone());
    figure.plot("", &plot)?;
    let (filmed_run, moments) = filmed(&scene)?;
    if let Some(skin) = Skin::of(&filmed_run.world, 0) {
        let shots: Vec<Shot<'_>> = stride(&filmed_run, &moments, 12)
            .into_iter()
            .filter(|(share, _)| *share >= 50.0)
            .map(|(share, m)| Shot {
                label: format!("{share:.0} %"),
                bodies: vec![(m, &skin, None)],
                arrows: vec![],
            })
            .collect();
        figure.row();
        figure.picture("", film("The right foot swings", "Grass of 0.9 m", &[], &shots, None));
    }
    let highest = level.iter().map(|p| p.1).fold(0.0, f64::max);
    // From the platform's last full height to the ground.
    let held = level.iter().rposition(|p| p.1 > 0.9 * highest).unwrap_or(0);
    let gone = level[held..]
        .iter()
        .position(|p| p.1 < 0.1 * highest)
        .map_or(f64::NAN, |n| level[held + n].0 - level[held].0);
    let rises = level.iter().position(|p| p.1 > 0.9 * highest).unwrap_or(0);
    let begun = level[..rises]
        .iter()
        .rposition(|p| p.1 < 0.1 * highest)
        .map_or(f64::NAN, |n| level[rises].0 - level[n].0);
    let findings = vec![
        Finding::new("highest platform", "cm", highest).against(
            Expect::Between(0.95 * 30.0, 1.05 * 30.0),
            identity(
                "SW §4: at one third of 0.9 m, which is what we build",
                "a twentieth, for a spring and for the print that it stands over",
            ),
        ),
        Finding::new("time to fall against time to rise", "", gone / begun)
            .against(Expect::Below(1.0), "SW §3.2: rises progressively, falls down quickly")
            .because("our foot has to be above the grass as soon as it swings, so the platform is up within a twentieth of a stride; it gives way as fast as stems are pressed down."),
        Finding::new("time in which it rises, of a stride", "%", begun),
        Finding::new("time in which it falls, of a stride", "%", gone),
    ];
    Ok(Outcome {
        figure,
        findings,
        text: "Where a walker's right foot believes the ground to be in grass of 0.9 m. The platform rises while the foot lifts, stays while it comes down, and gives way once the foot has met it. The paper draws it as a box under the foot.".into(),
        scene: Some(scene),
        timings: None,
    })
}

/// A walk through grass of that height, which is only moved aside (SW-2).
fn through(height: f64) -> Scene {
    let mut scene = ground("soil", [10.0, 3.0], 0.02);
    scene.rate = 120.0;
    scene.puppets = vec![walker("walker", Body::default(), [[1.0, 1.5], [9.0, 1.5]], 1.3)];
    if height > 0.0 {
        scene.plants = vec![meadow(height, [10.0, 3.0])];
    }
    scene
}

/// SW §4: grass of 0.5 and 0.9 m.
pub(crate) fn grass(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("Soft Walks §4: the perceived ground in grass 0.5 and 0.9 m high");
    let mut plot =
        Drawing::new("Right ankle over the gait cycle", "gait cycle (%)", "ankle above the ground (cm)");
    let mut findings = Vec::new();
    let (mut lifts, mut falls) = (Vec::new(), Vec::new());
    for (i, height) in [0.0, 0.5, 0.9].into_iter().enumerate() {
        let (run, moments) = filmed(&through(height))?;
        let curve = cycle(&run, &moments, |m| m.ankles[1]);
        let starts = strides(&run);
        let from = starts.first().copied().unwrap_or(0.0);
        let steady = || moments.windows(2).filter(|w| w[0].time > from);
        lifts.push(steady().map(|w| w[1].ankles[1]).fold(0.0, f64::max));
        falls.push(
            steady().map(|w| (w[0].ankles[1] - w[1].ankles[1]) / (w[1].time - w[0].time)).fold(0.0, f64::max),
        );
        let name = if height == 0.0 { "bare ground".to_string() } else { format!("grass {height} m") };
        plot.line(&name, i, curve.iter().map(|p| (p.0, 100.0 * p.1)).collect());
        if let (Some(skin), true) = (Skin::of(&run.world, 0), i != 1 || !context.quick) {
            let shots: Vec<Shot<'_>> = stride(&run, &moments, 8)
                .into_iter()
                .map(|(share, m)| Shot {
                    label: format!("{share} %"),
                    bodies: vec![(m, &skin, None)],
                    arrows: Vec::new(),
                })
                .collect();
            figure.row();
            figure.picture("", film(&name, "One stride", &[], &shots, None));
        }
    }
    for (i, height) in [(1, 0.5), (2, 0.9)] {
        findings.push(
            Finding::new(
                format!("feet lifted higher in grass of {height} m by"),
                "cm",
                100.0 * (lifts[i] - lifts[0]),
            )
            .against(
                Expect::Between(0.0, 100.0 * height / 3.0),
                identity("SW §4: platform up to one third of the height, which is what we build", "its ends"),
            ),
        );
    }
    findings.push(
        Finding::new(
            "lift in 0.9 m against 0.5 m, above bare ground",
            "",
            (lifts[2] - lifts[0]) / (lifts[1] - lifts[0]),
        )
        .near(
            0.9 / 0.5,
            0.15,
            identity(
                "SW §4: platform in proportion to the height, which is what we build",
                "steps differ by some per cent in height",
            ),
        ),
    );
    findings.push(
        Finding::new("fastest descent of a foot in 0.9 m against bare ground", "", falls[2] / falls[0])
            .against(Expect::Above(1.0), "SW §3.2: feet land more abruptly"),
    );
    findings.push(Finding::new("highest ankle on bare ground", "cm", 100.0 * lifts[0]));
    figure.row();
    figure.plot("", &plot)?;
    let field = through(0.9);
    Ok(Outcome {
        figure,
        findings,
        text: "The same walk on bare ground and through grass of the two heights of the paper. Feet aim at a platform up to a third of the grass's height, hold it on the way down and drop through when they meet it, so knees come up higher and feet land more abruptly.".into(),
        scene: Some(field),
        timings: None,
    })
}
