//! The experiments of TRAIL (2024) on single prints: accumulation, repose, profiles.

use super::figure::{Drawing, Figure, THEIRS};
use super::finding::{Expect, Finding, identity};
use super::measure::{Run, cut, ground, heaps, in_plot_units, lit, run, run_with, walker};
use super::{Context, Outcome};
use crate::Failure;
use trample::Drive;
use trample::glam::Vec3;
use trample::params::{Body, Footwear, GRAVITY};
use trample::scene::{Press, SoleShape};
use trample::{Law, Map, Pose, PuppetSpec, Scene, Script, SolePose};

/// A round sole pressed askew into level ground: three thirds of the weight down, some of it ahead.
fn oblique(context: &Context, law: Law, threshold: f64) -> Result<Run, Failure> {
    let mut scene = ground("soil", [1.2, 1.2], context.cell(0.005).min(0.01));
    scene.terrain.law = law;
    scene.terrain.force_threshold = threshold;
    scene.duration = Some(0.6);
    let material = &mut scene.terrain.materials[0].material;
    // Nothing shall slide here: the figure shows where material is put, before it comes to rest.
    (material.poisson_ratio, material.rest_angle, material.youngs_modulus) = (0.4, 60f64.to_radians(), 0.4e6);
    scene.puppets = vec![PuppetSpec {
        body: Body { mass: 75.0, foot_length: 0.5, foot_width: 0.5, ..Body::default() },
        sole: SoleShape::Footwear(Footwear::Sphere),
        script: Script::Host { feet: 1 },
        ..PuppetSpec::default()
    }];
    let weight = (75.0 * GRAVITY) as f32;
    run_with(
        &scene,
        |world| {
            let position = Vec3::new(0.6, 0.0, 0.6);
            let sole = SolePose { position, ..SolePose::default() };
            let drive = Drive {
                force: Vec3::new(0.15 * weight, -1.5 * weight, 0.0),
                load: [1.0, 0.0],
                ..Drive::default()
            };
            let pose = Pose { soles: vec![sole], center_of_mass: position, drive: Some(drive) };
            world.set_pose(0, &pose);
        },
        |_, _| {},
    )
}

/// Share of the heaped volume that lies ahead of the middle.
fn ahead(run: &Run, x: f64) -> f64 {
    let ground = run.world.ground();
    let view = run.world.map(Map::Accumulation);
    let (mut front, mut all) = (0.0, 0.0);
    for z in 0..ground.size[1] {
        for c in 0..ground.size[0] {
            let heaped = view.at(c, z);
            all += heaped;
            front += if ground.centre(c) > x { heaped } else { 0.0 };
        }
    }
    front / all
}

/// TR Fig. 6: uniform, cosine and adaptive accumulation on level ground.
pub(crate) fn accumulation(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("TRAIL Fig. 6: where displaced material goes");
    let mut plot = Drawing::new("Cut along the force", "along the force (cm)", "height (mm)");
    let mut findings = Vec::new();
    // Around a circle cos⁺ has the mean 1/π, all of it ahead; an even rim lies half ahead (TR-11, TR-12).
    let (even, cosine) = (0.5, 1.0);
    let half = (0.5 / std::f64::consts::PI + 0.25) / (0.5 / std::f64::consts::PI + 0.5);
    let wide = Figure::across(3);
    for (i, (name, law, threshold, expected)) in [
        ("uniform (β = 0)", Law::DynamicFootprints, 0.3, even),
        ("cosine (β = 1)", Law::Trail, 0.05, cosine),
        ("adaptive (β = 0.5)", Law::Trail, 0.3, half),
    ]
    .into_iter()
    .enumerate()
    {
        let run = oblique(context, law, threshold)?;
        figure.picture(name, lit(&run.world, [[0.25, 0.25], [0.95, 0.95]], [wide, wide * 3 / 4], Some(2.0)));
        plot.line(name, i, in_plot_units(&cut(&run.world, [0.6, 0.6], [1.0, 0.0], 0.3)));
        findings.push(
            Finding::new(format!("share of the heap ahead of the middle, {name}"), "", ahead(&run, 0.6))
                .near(
                    expected,
                    0.05,
                    identity("TR-11, TR-12 for a round contact", "a contact of some 10 cells across"),
                ),
        );
    }
    figure.row();
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: "A round sole is pressed into level ground by a force that points down and a little along +x. Without regard to direction the rim is even; with the cosine law all of it lies ahead; the adaptive law blends the two by the tangential force. The published figure has no scale; shares follow from the equations.".into(),
        scene: None,
        timings: None,
    })
}

/// A plate pressed into material that only moves aside, with or without sliding.
fn heap(context: &Context, law: Law, rest: f64) -> Scene {
    let mut scene = ground("soil", [1.6, 1.6], context.cell(0.01));
    scene.terrain.law = law;
    let material = &mut scene.terrain.materials[0].material;
    (material.youngs_modulus, material.poisson_ratio, material.rest_angle) = (0.15e6, 0.5, rest.to_radians());
    scene.puppets = vec![PuppetSpec {
        body: Body { mass: 120.0, foot_length: 0.3, foot_width: 0.2, ..Body::default() },
        sole: SoleShape::Footwear(Footwear::Plate),
        script: Script::Press(Press { position: [0.8, 0.8], up: 0.4, ..Press::default() }),
        ..PuppetSpec::default()
    }];
    scene
}

/// TR Fig. 7: heaps slide until no loose cell is steeper than its rest angle.
pub(crate) fn repose(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("TRAIL Fig. 7: heaps slide to their rest angle");
    let mut plot = Drawing::new("Cut across the rim", "across the print (cm)", "height (mm)");
    let mut findings = Vec::new();
    let before = run(&heap(context, Law::DynamicFootprints, 30.0))?;
    let wide = Figure::across(3);
    let picture = |run: &Run| lit(&run.world, [[0.3, 0.3], [1.3, 1.3]], [wide, wide * 3 / 4], Some(1.0));
    figure.picture("before: heaped, not slid", picture(&before));
    plot.dashes("before", THEIRS, in_plot_units(&cut(&before.world, [0.8, 0.8], [0.0, 1.0], 0.4)));
    let volume = before.world.volume().accumulated;
    for (i, rest) in [35.0, 25.0, 15.0].into_iter().enumerate() {
        let mut sweeps = 0;
        let after = run_with(&heap(context, Law::Trail, rest), |_| {}, |_, report| sweeps += report.sweeps)?;
        if rest != 25.0 {
            figure.picture(format!("rest angle {rest}°"), picture(&after));
        }
        plot.line(
            &format!("rest angle {rest}°"),
            i,
            in_plot_units(&cut(&after.world, [0.8, 0.8], [0.0, 1.0], 0.4)),
        );
        let steepest = libm::atan(libm::tan(rest.to_radians()) + after.world.steepest_excess()).to_degrees();
        findings.push(
            Finding::new(format!("steepest loose slope at rest, rest angle {rest}°"), "°", steepest).against(
                Expect::Between(0.85 * rest, rest),
                identity(
                    "TR §4.2.3: γ ≤ γ_r in the end; at rest it lies just below",
                    "a heap that slides stops a little below its angle",
                ),
            ),
        );
        findings.push(
            Finding::new(
                format!("heaped volume against before, rest angle {rest}°"),
                "",
                after.world.volume().accumulated / volume,
            )
            .near(
                1.0,
                0.02,
                identity(
                    "sliding moves material and makes none",
                    "a heap that slides back into the hole counts no more",
                ),
            ),
        );
        findings.push(
            Finding::new(
                format!("volume error, rest angle {rest}°"),
                "",
                after.world.volume().relative_error,
            )
            .within(0.0, 1e-6, identity("exact ledger", "our own aim")),
        );
        findings.push(Finding::new(
            format!("sweeps in all steps together, rest angle {rest}°"),
            "",
            sweeps as f64,
        ));
    }
    figure.row();
    figure.plot("", &plot)?;
    if context.paper_reading {
        let why = "To the letter, every pair of cells takes a whole step of 0.01 from the upper one and gives a share of it to the lower one: in metres that is more than the excess, material is lost, and cells that nobody stood on become pits. The authors' terrain files have pits down to 148 mm.";
        let printed = printed_steps(10);
        for (what, unit, value) in [
            ("cells still unstable after 10 sweeps", "", printed.moving as f64),
            ("deepest pit after 10 sweeps", "mm", 1e3 * printed.pit),
            ("heaped volume left after 10 sweeps, of 1", "", printed.volume),
        ] {
            let what = format!("{what}, h_step = 0.01 m as printed");
            findings.push(Finding::new(what, unit, value).printed_reading(why));
        }
    }
    Ok(Outcome {
        figure,
        findings,
        text: "A plate is pressed into material that only moves aside. Before sliding the rim is a wall 4 cm wide and 6 cm high around it; then it slides until no loose cell is steeper than its rest angle, for three angles. TRAIL needs fewer than 10 of its steps per frame and moves a fixed 0.01; we move shares of the excess until all is at rest, which costs more sweeps and is exact.".into(),
        scene: Some(heap(context, Law::Trail, 25.0)),
        timings: None,
    })
}

/// What the printed stabilisation leaves.
struct Printed {
    /// Cells that are still too steep.
    moving: usize,
    /// Lowest ground below the original, m.
    pit: f64,
    /// Volume against the beginning.
    volume: f64,
}

/// TR-14..16 to the letter on a small grid with a square wall of 4 cm, cells of 2 cm, rest angle 25°, after so many sweeps.
fn printed_steps(sweeps: usize) -> Printed {
    const N: usize = 41;
    const STEP: f64 = 0.01;
    let cell = 0.02;
    let limit = libm::tan(25f64.to_radians());
    let wall = |i: usize| (10..31).contains(&i);
    let inner = |i: usize| (12..29).contains(&i);
    let mut h = vec![0.0f64; N * N];
    for z in 0..N {
        for x in 0..N {
            if wall(x) && wall(z) && !(inner(x) && inner(z)) {
                h[z * N + x] = 0.04;
            }
        }
    }
    let (before, mut moving) = (h.iter().sum::<f64>(), 0);
    for _ in 0..sweeps {
        moving = 0;
        for z in 1..N - 1 {
            for x in 1..N - 1 {
                let near: [usize; 8] = [
                    (z - 1) * N + x - 1,
                    (z - 1) * N + x,
                    (z - 1) * N + x + 1,
                    z * N + x - 1,
                    z * N + x + 1,
                    (z + 1) * N + x - 1,
                    (z + 1) * N + x,
                    (z + 1) * N + x + 1,
                ];
                let here = z * N + x;
                let drop = |j: usize, h: &[f64]| h[here] - h[j];
                let sum: f64 = near.iter().map(|&j| drop(j, &h).max(0.0)).sum();
                let steep: Vec<usize> =
                    near.iter().copied().filter(|&j| drop(j, &h) / cell >= limit).collect();
                if steep.is_empty() || sum <= 0.0 {
                    continue;
                }
                moving += 1;
                for j in steep {
                    let weight = drop(j, &h).max(0.0) / sum;
                    h[here] -= STEP;
                    h[j] += weight * STEP;
                }
            }
        }
        if moving == 0 {
            break;
        }
    }
    let pit = -h.iter().copied().fold(0.0, f64::min);
    Printed { moving, pit, volume: h.iter().sum::<f64>() / before }
}

/// TR Fig. 11: the profile of a print by DF's even rim and by TRAIL's directed one.
pub(crate) fn profile(context: &Context) -> Result<Outcome, Failure> {
    let scene = |law: Law| {
        let mut scene = ground("dry-soil", [5.0, 2.0], context.cell(0.01));
        scene.name = "tr-fig11".into();
        scene.terrain.law = law;
        scene.puppets = vec![walker("walker", Body::default(), [[0.5, 1.0], [4.5, 1.0]], 1.3)];
        scene
    };
    let mut figure = Figure::new("TRAIL Fig. 11: profile of a print, walking from left to right");
    let mut plot = Drawing::new("Cut along one print", "along the walk (cm)", "height (mm)");
    let mut findings = Vec::new();
    let mut centres = Vec::new();
    let wide = Figure::across(2);
    for (i, (name, law)) in
        [("even rim (Dynamic Footprints)", Law::DynamicFootprints), ("directed and slid (TRAIL)", Law::Trail)]
            .into_iter()
            .enumerate()
    {
        let run = run(&scene(law))?;
        let feet = run.steps_of(0);
        let [front, _] = heaps(&run, &feet, [1.0, 0.0]);
        centres.push(front);
        findings.push(Finding::new(
            format!("middle of the heaps ahead of the print, {name}"),
            "mm",
            1e3 * front,
        ));
        findings.push(Finding::new(format!("highest bump, {name}"), "mm", 1e3 * run.world.highest_bump()));
        if let Some(foot) = feet.get(feet.len() / 2) {
            plot.line(name, i, in_plot_units(&cut(&run.world, foot.place, [1.0, 0.0], 0.4)));
            let x = foot.place[0];
            let picture =
                lit(&run.world, [[x - 0.42, 0.55], [x + 0.42, 1.45]], [wide, wide * 9 / 16], Some(1.0));
            figure.picture(name, picture);
        }
    }
    findings.push(
        Finding::new(
            "directed heaps lie further ahead than even ones by",
            "mm",
            1e3 * (centres[1] - centres[0]),
        )
        .against(
            Expect::Above(0.0),
            "TR §5.2 on Fig. 11: anisotropy, consistent with the direction of motion",
        ),
    );
    figure.row();
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: "The same walk on dry soil by the even rim of Dynamic Footprints, which keeps its walls, and by TRAIL's law, which throws the rim where the force points and lets it slide. The paper's figure has no scale; what it says is that the rim follows the motion.".into(),
        scene: Some(scene(Law::Trail)),
        timings: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_step_does_not_come_to_rest() {
        let Printed { moving, pit, volume } = printed_steps(10);
        assert!(moving > 0 && pit > 0.0 && volume < 0.9, "{moving} cells move, pit {pit} m, {volume} left");
    }
}
