//! The experiments of Dynamic Footprints (2022) that are about the body: forces and gait.

use super::figure::{Drawing, Figure, INKS, THEIRS};
use super::finding::{Expect, Finding, Source, fitted, identity, printed};
use super::measure::{
    Moment, Run, cycle, filmed, gait, ground, humps, run_with, steady_mean, stride, strides, walker,
    with_impulse,
};
use super::strip::{Arrow, Shot, film, legend};
use super::{Context, Outcome};
use crate::Failure;
use trample::body::HIP;
use trample::body::share::shares;
use trample::glam::Vec3;
use trample::params::{Body, GRAVITY};
use trample::scene::{Control, Script, library};
use trample::{Event, Material, Scene};
use trample_looks::Skin;
use trample_looks::colour::{BLUE, RED};

/// Measured vertical force at 0, 10 … 60 % of the gait cycle, body weights, and the means and standard deviations of the
/// subjects' own first peak, valley and second peak: Schwartz et al. 2008, five numbers of many. The speed is dimensionless,
/// v/√(g·leg).
struct Measured {
    name: &'static str,
    speed: f64,
    curve: [f64; 7],
    humps: [[f64; 2]; 3],
}

fn schwartz() -> Source {
    fitted("Schwartz et al. 2008, to which the curves are fitted", "one standard deviation of the subjects")
}

const MEASURED: [Measured; 3] = [
    Measured {
        name: "slow",
        speed: 0.2902,
        curve: [0.012, 0.772, 0.958, 0.910, 0.974, 0.984, 0.185],
        humps: [[1.029, 0.0741], [0.8902, 0.0629], [1.0512, 0.0737]],
    },
    Measured {
        name: "free",
        speed: 0.4294,
        curve: [0.011, 0.989, 0.926, 0.797, 0.960, 1.022, 0.071],
        humps: [[1.1349, 0.1106], [0.7776, 0.0702], [1.0973, 0.0889]],
    },
    Measured {
        name: "fast",
        speed: 0.5599,
        curve: [0.008, 1.169, 0.937, 0.655, 0.942, 1.016, 0.032],
        humps: [[1.2667, 0.1502], [0.6398, 0.1146], [1.1457, 0.1189]],
    },
];

/// Characteristic time of DF §6.1's ground, s.
const HARD_TIME: f64 = 0.05;

/// DF §6.1: a relatively hard ground, τ = 0.05 s and 2 MPa.
fn hard(speed: f64, length: f64, impulse: bool) -> Scene {
    let mut scene = ground("soil", [length + 2.0, 3.0], 0.02);
    scene.rate = 240.0;
    let material = &mut scene.terrain.materials[0].material;
    *material = Material { youngs_modulus: 2e6, characteristic_time: HARD_TIME, ..*material };
    let puppet = walker("walker", Body::default(), [[1.0, 1.5], [1.0 + length, 1.5]], speed);
    scene.puppets = vec![if impulse { with_impulse(puppet) } else { puppet }];
    scene
}

/// Every steady step under the impulse model: the downward speed of the foot just before it lands, m/s, and the largest force of
/// both feet until the next lands, body weights.
fn landings(speed: f64) -> Result<Vec<(f64, f64)>, Failure> {
    let scene = hard(speed, if speed > 2.5 { 14.0 } else { 8.0 }, true);
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let weight = scene.puppets[0].body.mass * GRAVITY;
    run_with(
        &scene,
        |_| {},
        |world, report| {
            for event in &report.events {
                if let Event::FootDown { foot, .. } = *event {
                    steps.push((-f64::from(world.puppet(0).feet[foot].landing.y), 0.0));
                }
            }
            let now: f64 =
                report.contacts.iter().map(|c| -f64::from(c.force.y) * c.seconds / scene.dt()).sum();
            if let Some((_, largest)) = steps.last_mut() {
                *largest = largest.max(now / weight);
            }
        },
    )?;
    // The first and the last steps are not steady.
    Ok(steps.get(2..steps.len().saturating_sub(2)).ok_or("too few steps")?.to_vec())
}

/// Largest force of a body that lands at a speed on the same ground, body weights.
fn dropped(speed: f64) -> Result<f64, Failure> {
    let mut scene = library::by_name("sphere-drop").ok_or("the library has a sphere")?;
    let material = &mut scene.terrain.materials[0].material;
    (material.youngs_modulus, material.characteristic_time) = (2e6, HARD_TIME);
    if let Script::Fall(fall) = &mut scene.puppets[0].script {
        fall.height = 0.5 * speed * speed / GRAVITY;
    }
    let mut largest = 0.0f64;
    run_with(
        &scene,
        |_| {},
        |_, report| {
            largest = report.contacts.iter().map(|c| c.peak_force).fold(largest, f64::max);
        },
    )?;
    Ok(largest / (scene.puppets[0].body.mass * GRAVITY))
}

/// A standing walker.
fn standing(impulse: bool) -> Scene {
    let mut scene = hard(1.3, 4.0, impulse);
    if let Script::Walker(walker) = &mut scene.puppets[0].script {
        walker.control = Control::Stand;
        walker.position = [3.0, 1.5];
    }
    scene.duration = Some(2.0);
    scene
}

/// Arrows of a moment for one force model, shifted a little so that two models can be told apart.
fn arrows(moment: &Moment, ink: [u8; 3], shift: f32) -> Vec<Arrow> {
    [0, 1]
        .into_iter()
        .filter(|&s| moment.force[s].length() > 0.02)
        .map(|s| (moment.soles[s] + Vec3::new(shift, 0.0, 0.0), moment.force[s], ink))
        .collect()
}

fn total(moment: &Moment) -> f64 {
    -f64::from(moment.force[0].y + moment.force[1].y)
}

/// The moment nearest to a share of the middle stride, %.
fn at<'a>(run: &Run, moments: &'a [Moment], percent: usize) -> Option<&'a Moment> {
    stride(run, moments, 100).get(percent).map(|(_, m)| *m)
}

/// DF Fig. 5: force vectors in standing, walking and running, by both models.
pub(crate) fn vectors(_: &Context) -> Result<Outcome, Failure> {
    let inks = [BLUE, INKS[4]];
    let stand = [filmed(&standing(false))?, filmed(&standing(true))?];
    let walk = [filmed(&hard(1.3, 7.0, false))?, gait(&hard(1.3, 7.0, true))?];
    let race = [filmed(&hard(3.5, 14.0, false))?, gait(&hard(3.5, 14.0, true))?];
    let skin = Skin::of(&walk[0].0.world, 0).ok_or("a walker has a skin")?;
    let mut shots = Vec::new();
    let mut shot = |label: &str, pair: [Option<&'_ Moment>; 2]| {
        if let [Some(a), Some(b)] = pair {
            // Both runs move alike; the body is the first one's, the forces are each one's own.
            let mut all = arrows(a, inks[0], 0.015);
            let moved = a.placed.positions[0].x - b.placed.positions[0].x;
            all.extend(arrows(b, inks[1], moved - 0.015));
            shots.push((label.to_string(), a.time, all));
        }
    };
    let last = |i: usize| stand[i].1.last();
    shot("standing", [last(0), last(1)]);
    for (label, percent) in
        [("walk: landing", 4), ("loading", 14), ("middle of stance", 30), ("push-off", 50)]
    {
        shot(label, [at(&walk[0].0, &walk[0].1, percent), at(&walk[1].0, &walk[1].1, percent)]);
    }
    for (label, percent) in [("run: landing", 3), ("run: middle of stance", 14), ("run: flight", 45)] {
        shot(label, [at(&race[0].0, &race[0].1, percent), at(&race[1].0, &race[1].1, percent)]);
    }
    // Frames need the moments themselves.
    let mut frames = Vec::new();
    for (label, time, arrows) in shots {
        let source = match label.as_str() {
            "standing" => &stand[0].1,
            l if l.starts_with("run") => &race[0].1,
            _ => &walk[0].1,
        };
        let Some(moment) = source.iter().find(|m| m.time == time) else { continue };
        frames.push(Shot { label, bodies: vec![(moment, &skin, None)], arrows });
    }
    let names = [("whole body", inks[0]), ("impulse (papers)", inks[1])];
    let mut figure = Figure::new("Dynamic Footprints Fig. 5: forces of the ground on the feet");
    let line = "Arrows: 55 cm are one body weight, cut where they leave their frame; 77.5 kg, walk 1.3 m/s, run 3.5 m/s";
    figure.picture("", film("Standing, walking, running", line, &names, &frames, None));
    let mut findings = Vec::new();
    for (i, model) in ["whole body", "impulse"].into_iter().enumerate() {
        let end = stand[i].1.last().ok_or("nobody stood")?;
        findings.push(Finding::new(format!("both feet in standing, {model}"), "BW", total(end)).near(
            1.0,
            0.01,
            identity("DF-3: the feet carry the weight", "small motions of a standing body"),
        ));
        findings.push(
            Finding::new(
                format!("share of the right foot in standing, {model}"),
                "",
                -f64::from(end.force[1].y) / total(end),
            )
            .within(
                0.5,
                0.1,
                identity(
                    "DF-4, DF-5: centre of mass between the feet",
                    "the centre of mass need not be quite in the middle",
                ),
            ),
        );
        let peak = |pair: &(Run, Vec<Moment>)| {
            let from = strides(&pair.0).first().copied().unwrap_or(0.0);
            let all = pair.1.iter().filter(|m| m.time > from);
            all.map(|m| -f64::from(m.force[1].y)).fold(0.0, f64::max)
        };
        let (walking, running) = (peak(&walk[i]), peak(&race[i]));
        findings.push(Finding::new(format!("largest force of a foot, walking, {model}"), "BW", walking));
        findings.push(
            Finding::new(format!("running against walking, largest force, {model}"), "", running / walking)
                .against(Expect::Above(1.0), "DF Fig. 5: higher velocity increases the force"),
        );
    }
    Ok(Outcome {
        figure,
        findings,
        text: "The force of the ground on each foot at some moments, by the whole-body model (blue) and by the papers' impulse model (ochre). Standing, both feet carry the weight in equal parts; walking, it goes from foot to foot; running, one foot carries two to three times the weight and in flight none does. The whole-body model also tilts the force: back at landing, ahead at push-off.".into(),
        scene: Some(hard(1.3, 7.0, false)),
        timings: None,
    })
}

/// DF Fig. 6: force over the gait cycle by both models, beside what was measured.
pub(crate) fn gait_forces(context: &Context) -> Result<Outcome, Failure> {
    let mut figure =
        Figure::new("Dynamic Footprints Fig. 6: vertical ground reaction force over the gait cycle");
    let leg = Body::default().leg();
    let mut findings = Vec::new();
    let right = |m: &Moment| -f64::from(m.force[1].y);
    let mut scene = None;
    for (i, measured) in MEASURED.iter().enumerate() {
        let speed = measured.speed * (GRAVITY * leg).sqrt();
        let whole = hard(speed, 8.0, false);
        let (run, moments) = gait(&whole)?;
        let curve = cycle(&run, &moments, right);
        if i == 1 {
            scene = Some(whole);
        }
        let found = humps(&curve);
        for (k, part) in ["first peak", "valley", "second peak"].into_iter().enumerate() {
            let [mean, sd] = measured.humps[k];
            findings.push(
                Finding::new(format!("{part}, {} walking at {speed:.2} m/s", measured.name), "BW", found[k])
                    .within(mean, sd, schwartz()),
            );
        }
        findings.push(
            Finding::new(
                format!("mean force over strides, {} walking", measured.name),
                "BW",
                steady_mean(&run, &moments, total),
            )
            .near(
                1.0,
                0.01,
                identity(
                    "Newton: the impulse of a stride is the weight times its period",
                    "whole steps of 1/60 s do not make a whole stride",
                ),
            ),
        );
        if i == 0 {
            continue;
        }
        let (papers, theirs) = gait(&hard(speed, 8.0, true))?;
        let title = format!("{} walking, {speed:.2} m/s", measured.name);
        let mut plot = Drawing::new(&title, "gait cycle (%)", "right foot (body weights)");
        plot.line("whole body (ours)", 0, curve);
        plot.line("impulse (papers)", 4, cycle(&papers, &theirs, right));
        let dots = measured.curve.iter().enumerate().map(|(k, f)| (10.0 * k as f64, *f)).collect();
        plot.dots("measured (Schwartz 2008)", THEIRS, dots);
        figure.plot("", &plot)?;
    }
    // DF's own experiment: 1.65 m/s, and its parts.
    let (papers, theirs) = gait(&hard(1.65, 8.0, true))?;
    let (ours, mine) = gait(&hard(1.65, 8.0, false))?;
    let excess = steady_mean(&papers, &theirs, total);
    let feet = [0.88, 1.31, 1.65, 2.0, 3.5].map(|speed| landings(speed).map(|steps| (speed, steps)));
    let feet = feet.into_iter().collect::<Result<Vec<_>, _>>()?;
    let fastest = |steps: &[(f64, f64)]| steps.iter().map(|s| s.0).fold(0.0, f64::max);
    // What the paper's model gives a foot that comes down so fast with all the weight on it, DF-3 and DF-8.
    let needed = |weights: f64, share: f64| (weights - 1.0) * GRAVITY * HARD_TIME / share;
    let from = strides(&papers).first().copied().unwrap_or(0.0);
    let peak = theirs.iter().filter(|m| m.time > from).map(right).fold(0.0, f64::max);
    let both = theirs.iter().filter(|m| m.time > from).map(total).fold(0.0, f64::max);
    let fast = fastest(&feet[2].1);
    findings.push(Finding::new("largest force of both feet at 1.65 m/s, impulse model", "BW", both)
        .against(Expect::Between(2.5, 3.0), printed("DF §6.1: “the total vertical component … in the range of 2.5–3”", "the range as printed"))
        .because(&format!(
            "by DF-8 the feet must come down at {:.2} to {:.2} m/s for that with the whole weight on the foot that lands, at twice that with half of it; ours come down at {fast:.2} m/s (last plot): generated feet are set down without a blow. The paper does not print its character's foot speed. Measured walking has 1.3 ± 0.15 body weights under a foot at this speed (Schwartz 2008); 2.5–3 is running.",
            needed(2.5, 1.0),
            needed(3.0, 1.0)
        )));
    findings.push(Finding::new("largest force of a foot at 1.65 m/s, impulse model", "BW", peak));
    for (speed, steps) in &feet {
        let what = format!("fastest that a foot comes down before it lands, at {speed} m/s");
        findings.push(Finding::new(what, "m/s", fastest(steps)));
    }
    // The same ground and mass, come down as fast as the paper's range asks for: the model does give it.
    for weights in [2.5, 3.0] {
        findings.push(
            Finding::new(
                format!(
                    "largest force of a body that lands at {:.2} m/s, impulse model",
                    needed(weights, 1.0)
                ),
                "BW",
                dropped(needed(weights, 1.0))?,
            )
            .near(
                weights,
                0.01,
                identity("DF-3, DF-8: 1 + v/(g·τ)", "the step in which it lands"),
            ),
        );
    }
    findings.push(Finding::new("mean force over strides at 1.65 m/s, impulse model", "BW", excess));
    let found = humps(&cycle(&ours, &mine, right));
    findings.push(Finding::new("first peak at 1.65 m/s, whole body", "BW", found[0]).within(
        1.2667,
        0.1502,
        schwartz(),
    ));
    figure.row();
    let mut parts = Drawing::new(
        "Impulse model at 1.65 m/s: weight and landing of each foot",
        "gait cycle (%)",
        "vertical force (body weights)",
    );
    let share = |m: &Moment, side: usize| weight_share(m, side, false);
    parts.line("right, whole", 1, cycle(&papers, &theirs, right));
    parts.line("left, whole", 0, cycle(&papers, &theirs, |m| -f64::from(m.force[0].y)));
    parts.dashes("right, weight alone", INKS[1], cycle(&papers, &theirs, |m| share(m, 1)));
    parts.dashes("left, weight alone", INKS[0], cycle(&papers, &theirs, |m| share(m, 0)));
    figure.plot("", &parts)?;
    // Running.
    let (race, running) = gait(&hard(4.0, 16.0, false))?;
    let curve = cycle(&race, &running, right);
    let top = curve.iter().map(|p| p.1).fold(0.0, f64::max);
    findings.push(Finding::new("largest force of a foot, running at 4 m/s, whole body", "BW", top).near(
        2.764,
        0.15,
        fitted(
            "one recorded cycle at about 4 m/s (Hamner 2010, OpenSim), which set our peak",
            "one runner, one cycle: others differ by about so much",
        ),
    ));
    let mut plot =
        Drawing::new("Running, 4 m/s, whole body", "gait cycle (%)", "vertical force (body weights)");
    plot.line("right", 1, curve);
    plot.line("left", 0, cycle(&race, &running, |m| -f64::from(m.force[0].y)));
    plot.band("measured peaks of running, 2.3–2.8", [216, 220, 226], [0.0, 100.0], [2.3, 2.8]);
    figure.plot("", &plot)?;
    figure.row();
    let mut plot = Drawing::new(
        "Impulse model: force over how fast a foot comes down",
        "downward speed of the foot before it lands (m/s)",
        "largest vertical force (body weights)",
    );
    let line = |share: f64| [0.0, 2.0].map(|v| (v, 1.0 + share * v / (GRAVITY * HARD_TIME))).to_vec();
    plot.line("DF-8, all weight on it", 1, line(1.0));
    plot.line("half of it", 0, line(0.5));
    plot.dots("we walk, 0.88–2 m/s", THEIRS, feet[..4].iter().flat_map(|(_, steps)| steps.clone()).collect());
    plot.dots("we run, 3.5 m/s", INKS[2], feet[4].1.clone());
    plot.band("printed, 2.5–3", [216, 220, 226], [0.0, 2.0], [2.5, 3.0]);
    figure.plot("", &plot)?;
    if context.paper_reading {
        let both_down = |m: &&Moment| m.time > from && m.force.iter().all(|f| f.y < -0.02);
        let cosine =
            theirs.iter().filter(both_down).map(|m| weight_share(m, 1, true)).fold(f64::MAX, f64::min);
        findings.push(Finding::new("smallest weight ratio of the right foot in double support, DF-5 as printed", "", cosine)
            .printed_reading("Printed, DF-5 divides by |com − left| and so is a cosine: it hardly changes while the weight goes over, and left and right do not add up to one."));
    }
    Ok(Outcome {
        figure,
        findings,
        text: "The vertical force under a foot at the free and the fast speed of Schwartz 2008, by the whole-body model and by the papers' impulse model, beside measured values; then the paper's own case of 1.65 m/s split into weight and landing, and running. The whole-body model has the double hump of real walking; the impulse model has a small step at landing, then the weight. Printed is 2.5–3 body weights for walking; the last plot shows how fast feet would have to come down for that, and how fast ours do.".into(),
        scene,
        timings: None,
    })
}

/// Weight on a foot that stands, body weights; DF-5 as it is `printed`, or mended.
fn weight_share(moment: &Moment, side: usize, printed: bool) -> f64 {
    let down = moment.force.map(|f| f.y < -0.001);
    if !down[side] {
        return 0.0;
    }
    if !down[1 - side] {
        return 1.0;
    }
    let flat = |v: Vec3| [f64::from(v.x), f64::from(v.z)];
    let (here, there, centre) = (flat(moment.soles[side]), flat(moment.soles[1 - side]), flat(moment.centre));
    let (a, b) = ([centre[0] - there[0], centre[1] - there[1]], [here[0] - there[0], here[1] - there[1]]);
    let product = a[0] * b[0] + a[1] * b[1];
    let square = b[0] * b[0] + b[1] * b[1];
    if printed {
        product / (square.sqrt() * (a[0] * a[0] + a[1] * a[1]).sqrt())
    } else {
        shares(&[there, here], centre)[1]
    }
}

/// DF Fig. 9: the gait on ground that gives way, over the gait on ground that does not.
pub(crate) fn soft_gait(context: &Context) -> Result<Outcome, Failure> {
    let on = |stiff: bool| {
        let mut scene = ground("snow", [9.0, 3.0], context.cell(0.01));
        scene.rate = 120.0;
        if stiff {
            scene.terrain.materials[0].material.youngs_modulus = 1e9;
        }
        scene.puppets = vec![walker("walker", Body::default(), [[1.0, 1.5], [8.0, 1.5]], 1.3)];
        scene
    };
    let (rigid, red) = filmed(&on(true))?;
    let (soft, blue) = filmed(&on(false))?;
    let (red_skin, blue_skin) = (
        Skin::of(&rigid.world, 0).ok_or("a walker has a skin")?,
        Skin::of(&soft.world, 0).ok_or("a walker has a skin")?,
    );
    let shots: Vec<Shot<'_>> = stride(&rigid, &red, 8)
        .into_iter()
        .zip(stride(&soft, &blue, 8))
        .map(|((_, a), (share, b))| Shot {
            label: format!("{share} %"),
            bodies: vec![(a, &red_skin, Some(RED)), (b, &blue_skin, Some(BLUE))],
            arrows: Vec::new(),
        })
        .collect();
    let mut figure = Figure::new("Dynamic Footprints Fig. 9: the gait on ground that gives way");
    let line = "77.5 kg at 1.3 m/s: the same walk on rigid ground and in snow, one stride";
    figure.picture(
        "",
        film(
            "Rigid ground and snow",
            line,
            &legend("rigid ground", "snow that gives way"),
            &shots,
            Some(&soft),
        ),
    );
    let pelvis = |m: &Moment| f64::from(m.placed.positions[0].y);
    let knee = |m: &Moment, side: usize| {
        let p = &m.placed.positions;
        let (u, v) = (p[HIP[side] + 1] - p[HIP[side]], p[HIP[side] + 2] - p[HIP[side] + 1]);
        f64::from(libm::acosf(u.normalize().dot(v.normalize()).clamp(-1.0, 1.0))).to_degrees()
    };
    let lower = steady_mean(&rigid, &red, pelvis) - steady_mean(&soft, &blue, pelvis);
    let depth = soft.figures.total().mean_depth();
    figure.row();
    let mut heights = Drawing::new("Pelvis above the original ground", "gait cycle (%)", "height (cm)");
    heights.inked("rigid ground", RED, cycle(&rigid, &red, |m| 100.0 * pelvis(m)));
    heights.inked("snow", BLUE, cycle(&soft, &blue, |m| 100.0 * pelvis(m)));
    figure.plot("", &heights)?;
    let mut knees = Drawing::new("Right knee", "gait cycle (%)", "flexion (°)");
    knees.inked("rigid ground", RED, cycle(&rigid, &red, |m| knee(m, 1)));
    knees.inked("snow", BLUE, cycle(&soft, &blue, |m| knee(m, 1)));
    figure.plot("", &knees)?;
    let swing = |pair: &[(f64, f64)]| pair.iter().map(|p| p.1).fold(0.0, f64::max);
    let lift = |run: &Run, m: &[Moment]| swing(&cycle(run, m, |m| m.ankles[1]));
    let findings = vec![
        Finding::new("pelvis lower in snow by", "mm", 1e3 * lower)
            .against(Expect::Above(0.0), "DF Fig. 9: the blue body stands in its prints"),
        Finding::new("pelvis lower by, as a share of the mean depth under the soles", "", lower / depth),
        Finding::new("mean depth under the soles in snow", "mm", 1e3 * depth),
        Finding::new("deepest print in snow", "mm", 1e3 * soft.deepest()),
        Finding::new("deepest print on rigid ground", "mm", 1e3 * rigid.deepest()),
        Finding::new(
            "ankle lifted above the ground below it, snow less rigid",
            "mm",
            1e3 * (lift(&soft, &blue) - lift(&rigid, &red)),
        ),
    ];
    Ok(Outcome {
        figure,
        findings,
        text: "The same walker on rigid ground (red) and in snow (blue). Feet stand on the bottom of the prints they make, the body goes down with them, and each step climbs out of the print before. The paper shows the two figures over each other and no numbers.".into(),
        scene: Some(on(false)),
        timings: None,
    })
}
