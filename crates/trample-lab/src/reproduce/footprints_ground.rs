//! The experiments of Dynamic Footprints (2022) that are about the ground: spheres and materials.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity, printed};
use super::measure::{Run, around, cut, ground, in_plot_units, lit, run, walker};
use super::{Context, Outcome};
use crate::Failure;
use trample::params::{Body, Footwear, GRAVITY, material};
use trample::scene::{Path, SoleShape, library};
use trample::{Map, PuppetSpec, Scene, Script};

/// A sphere dropped as in DF §6.2.
fn drop(context: &Context, mass: f64, youngs: f64, poisson: f64) -> Result<(Run, Scene), Failure> {
    let mut scene = library::by_name("sphere-drop").ok_or("the library has a sphere")?;
    scene.terrain.cell = context.cell(0.01);
    scene.puppets[0].body.mass = mass;
    let material = &mut scene.terrain.materials[0].material;
    (material.youngs_modulus, material.poisson_ratio) = (youngs, poisson);
    Ok((run(&scene)?, scene))
}

/// Depth under a sphere of 20 cm by DF-10 as printed, m: d²(2R − d) = F·L0/(π·E).
fn even_stress(force: f64) -> f64 {
    let goal = force * 0.3 / (std::f64::consts::PI * 1e6);
    (0..50).fold(0.05, |d: f64, _| (goal / (0.4 - d)).sqrt())
}

/// DF Fig. 7: a falling sphere.
pub(crate) fn sphere(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("Dynamic Footprints Fig. 7: a sphere of 50 kg falls 2.5 m");
    let axes = |title: &str| Drawing::new(title, "across the hole (cm)", "height (mm)");
    let line = |run: &Run| in_plot_units(&cut(&run.world, [0.8, 0.8], [1.0, 0.0], 0.4));
    let (mut masses, mut moduli, mut ratios) = (
        axes("Mass, a material that packs (ν = 0)"),
        axes("Young's modulus, a material that packs (ν = 0)"),
        axes("Poisson's ratio, 1 MPa"),
    );
    let mut findings = Vec::new();
    let mut depths = Vec::new();
    for (i, mass) in [25.0, 50.0, 100.0].into_iter().enumerate() {
        let (run, _) = drop(context, mass, 1e6, 0.0)?;
        masses.line(&format!("{mass} kg"), i, line(&run));
        depths.push(run.deepest());
        // A sphere of radius R sunk by d carries π·R·d²·E/L0 (Hooke's law under each point, DF-10).
        let force = mass * (GRAVITY + (2.0 * GRAVITY * 2.5).sqrt() / 0.2);
        let expected = (force * 0.3 / (std::f64::consts::PI * 0.2 * 1e6)).sqrt();
        findings.push(
            Finding::new(format!("depth of the hole, {mass} kg, 1 MPa"), "mm", 1e3 * run.deepest()).near(
                1e3 * expected,
                0.05,
                identity(
                    "our law: DF-8, and DF-10 under each point of a rigid sphere, d² = F·L0/(π·R·E)",
                    "a hole of some 30 cells across",
                ),
            ),
        );
        findings.push(
            Finding::new(format!("depth of the hole, {mass} kg, 1 MPa, against DF-10 as printed"), "mm", 1e3 * run.deepest())
                .near(
                    1e3 * even_stress(force),
                    0.05,
                    printed("DF-10 as printed: stress even over the contact, d = F·L0/(A·E), A = π·d·(2R − d)", "a hole of some 30 cells across"),
                )
                .because("a difference of definition: a stress that is even under a sphere presses its rim as deep as its middle, a pit twice as large as the sphere that made it (test `an_even_stress_leaves_no_sphere`). Under each point as deep as the sphere reaches there, the middle goes about √2 deeper."),
        );
    }
    let source = "DF Fig. 7B";
    findings.push(
        Finding::new("hole of 100 kg against 25 kg", "", depths[2] / depths[0])
            .against(Expect::Above(1.0), source),
    );
    depths.clear();
    for (i, mega) in [0.5, 1.0, 2.0].into_iter().enumerate() {
        let (run, _) = drop(context, 50.0, 1e6 * mega, 0.0)?;
        moduli.line(&format!("{mega} MPa"), i, line(&run));
        depths.push(run.deepest());
    }
    findings.push(
        Finding::new("hole in 2 MPa against 0.5 MPa", "", depths[2] / depths[0])
            .against(Expect::Below(1.0), source),
    );
    depths.clear();
    let (mut bumps, mut heaped) = (Vec::new(), Vec::new());
    let mut last = None;
    for (i, poisson) in [0.0, 0.25, 0.5].into_iter().enumerate() {
        let (run, scene) = drop(context, 50.0, 1e6, poisson)?;
        ratios.line(&format!("ν = {poisson}"), i, line(&run));
        depths.push(run.deepest());
        bumps.push(run.world.highest_bump());
        heaped.push(run.world.volume().accumulated / run.world.volume().carved);
        if i == 1 {
            let wide = Figure::across(2);
            let picture = lit(&run.world, [[0.2, 0.2], [1.4, 1.4]], [wide, wide * 9 / 16], Some(1.0));
            figure.picture("50 kg, 1 MPa, ν = 0.25", picture);
            last = Some(scene);
        }
    }
    figure.plot("", &masses)?;
    figure.row();
    figure.plot("", &moduli)?;
    figure.plot("", &ratios)?;
    let change = (depths[2] / depths[0] - 1.0).abs();
    findings.push(Finding::new("change of the hole from ν = 0 to ν = 0.5", "", change).within(
        0.0,
        1e-6,
        identity("DF Fig. 7C: constant hole depth; Poisson's ratio does not enter DF-10", "rounding"),
    ));
    findings.push(
        Finding::new("bump at ν = 0.5 less bump at ν = 0.25", "mm", 1e3 * (bumps[2] - bumps[1]))
            .against(Expect::Above(0.0), "DF Fig. 7C"),
    );
    for (i, poisson) in [(1, 0.25), (2, 0.5)] {
        findings.push(
            Finding::new(
                format!("volume beside the hole per volume of the hole, ν = {poisson}"),
                "",
                heaped[i],
            )
            .near(
                2.0 * poisson,
                0.001,
                identity("DF-12 with the sign of compression: 2ν", "rounding"),
            ),
        );
    }
    if context.paper_reading {
        for poisson in [0.25, 0.5] {
            findings.push(Finding::new(format!("volume beside the hole per volume of the hole, ν = {poisson}, DF-12 as printed"), "", 2.0 - 2.0 * poisson)
                .printed_reading("Printed, DF-12 makes V1 grow with ΔL, so ΔV = (2 − 2ν)·A·ΔL: the less compressible a ground is, the smaller its bump. The carved volume here was real; this share is computed."));
        }
    }
    Ok(Outcome {
        figure,
        findings,
        text: "A sphere falls on to a ground that yields in 0.2 s. Holes are deeper with mass and with softness; Poisson's ratio changes only what is heaped around. The radius is not printed; 20 cm is a stone of 50 kg. The published figure shows profiles without numbers, so depths are compared with the papers' own equations, solved for a sphere.".into(),
        scene: last,
        timings: None,
    })
}

/// A row of DF Table 1: title, preset, range of Young's modulus (Pa), time (s), Poisson's ratio and filter (m).
type TableRow = (&'static str, &'static str, [f64; 2], f64, f64, f64);

/// DF Fig. 8's grounds and, of Table 1, Young's modulus (Pa), time (s), Poisson's ratio and filter (m).
const TABLE: [TableRow; 4] = [
    ("snow", "snow", [0.25e6, 0.5e6], 0.2, 0.05, 0.005),
    ("dry sand", "dry-sand", [1.5e6, 3e6], 0.05, 0.5, 0.01),
    ("mud", "mud", [0.5e6, 0.75e6], 0.15, 0.35, 0.01),
    ("soil", "soil", [1e6, 1.5e6], 0.05, 0.35, 0.005),
];

/// DF Fig. 8: prints on four grounds.
pub(crate) fn materials(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("Dynamic Footprints Fig. 8: prints on four grounds");
    let mut plot = Drawing::new("Cut along a print", "along the walk (cm)", "height (mm)");
    let mut findings = Vec::new();
    let mut depths = Vec::new();
    let mut last = None;
    for (i, (title, name, ..)) in TABLE.into_iter().enumerate() {
        let mut scene = ground(name, [5.2, 2.0], context.cell(0.005));
        scene.name = format!("df-fig8-{name}");
        scene.puppets = vec![PuppetSpec {
            sole: SoleShape::Footwear(Footwear::Boot),
            ..walker("walker", Body::default(), [[0.5, 1.0], [4.7, 1.0]], 1.3)
        }];
        let run = run(&scene)?;
        if i == 2 {
            figure.row();
        }
        let wide = Figure::across(2);
        figure.picture(title, lit(&run.world, around(&run, 1..3), [wide, wide * 11 / 20], Some(1.0)));
        if let Some(foot) = run.steps_of(0).get(1) {
            plot.line(title, i, in_plot_units(&cut(&run.world, foot.place, [1.0, 0.0], 0.4)));
        }
        let volume = run.world.volume();
        depths.push(run.figures.total().mean_depth());
        findings.push(Finding::new(format!("mean depth under the soles, {title}"), "mm", 1e3 * depths[i]));
        findings.push(Finding::new(format!("deepest point, {title}"), "mm", 1e3 * run.deepest()));
        findings.push(
            Finding::new(
                format!("share of the carved volume in the bumps, {title}"),
                "",
                volume.accumulated / volume.carved,
            )
            .near(
                2.0 * TABLE[i].4,
                0.001,
                identity("DF-12 with Poisson's ratio of DF Table 1", "rounding"),
            ),
        );
        last = Some(scene);
    }
    let source = "DF Fig. 8 and Table 1: the softer, the deeper";
    for (a, b) in [(0, 2), (2, 3), (3, 1)] {
        findings.push(
            Finding::new(
                format!("{} against {}, mean depth", TABLE[a].0, TABLE[b].0),
                "",
                depths[a] / depths[b],
            )
            .against(Expect::Above(1.0), source),
        );
    }
    figure.row();
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: "The same walker in lugged boots on the four grounds of Table 1. Snow packs and keeps sharp walls, sand is pushed aside whole and slides back into shallow dimples, mud and soil lie between. The paper compares with photographs; order and volumes can be compared.".into(),
        scene: last,
        timings: None,
    })
}

/// DF Table 1: our parameters, and the depth of prints over the printed range of moduli.
pub(crate) fn table(context: &Context) -> Result<Outcome, Failure> {
    let mut figure =
        Figure::new("Dynamic Footprints Table 1: four grounds over their range of Young's modulus");
    let mut plot = Drawing::new(
        "Depth of flat prints, 77.5 kg, 1.3 m/s",
        "Young's modulus (MPa)",
        "mean depth under the soles (mm)",
    );
    let mut findings = Vec::new();
    let steps = if context.quick { 3 } else { 5 };
    let mut last = None;
    for (i, (title, name, range, time, poisson, filter)) in TABLE.into_iter().enumerate() {
        let preset = material::by_name(name).ok_or("a preset")?;
        let near = |ours: f64, printed: f64| (ours - printed).abs() <= 1e-3 * printed;
        let same = [
            (range[0]..=range[1]).contains(&preset.youngs_modulus),
            near(preset.characteristic_time, time),
            near(preset.poisson_ratio, poisson),
            near(preset.display_sigma, filter),
        ];
        findings.push(
            Finding::new(
                format!("parameters of {title} as printed: modulus, time, Poisson's ratio, filter"),
                "of 4",
                same.iter().filter(|s| **s).count() as f64,
            )
            .within(
                4.0,
                0.0,
                identity("DF Table 1, from which the preset is taken", "a preset is what it cites or not"),
            ),
        );
        let mut points = Vec::new();
        for k in 0..steps {
            let youngs = range[0] + (range[1] - range[0]) * k as f64 / (steps - 1) as f64;
            let mut scene = ground(name, [4.0, 2.0], 0.02);
            scene.terrain.materials[0].material.youngs_modulus = youngs;
            scene.puppets = vec![PuppetSpec {
                script: Script::Walk(Path::along([[0.5, 1.0], [3.5, 1.0]]).into()),
                ..PuppetSpec::default()
            }];
            let run = run(&scene)?;
            points.push((1e-6 * youngs, 1e3 * run.mean_above(Map::Compression, 0.5 * run.deepest())));
            last = Some(scene);
        }
        let (first, end) = (points[0], points[points.len() - 1]);
        findings.push(
            Finding::new(
                format!("depth times modulus, softest against stiffest, {title}"),
                "",
                first.0 * first.1 / (end.0 * end.1),
            )
            .within(
                1.0,
                0.03,
                identity("DF-10: depth goes with 1/E", "a walker is not quite a plate"),
            ),
        );
        plot.marked(title, i, points);
    }
    figure.plot("", &plot)?;
    if context.paper_reading {
        // A sole of 10 cm² as printed in DF §6.
        let scale = (10e-4 / Footwear::Shoe.sole(0.274, 0.103).area()).sqrt();
        let mut scene = ground("snow", [4.0, 2.0], 0.01);
        scene.puppets = vec![PuppetSpec {
            body: Body {
                foot_length: 0.274 * scale,
                foot_width: (0.103 * scale).max(0.02),
                ..Body::default()
            },
            script: Script::Walk(Path::along([[0.5, 1.0], [3.5, 1.0]]).into()),
            ..PuppetSpec::default()
        }];
        let depth = run(&scene)?.deepest();
        findings.push(Finding::new("depth in snow on soles of 10 cm²", "mm", 1e3 * depth).printed_reading(
            "DF §6 prints feet of 10 cm²; a shod sole has 200 to 250 cm². With 10 cm² everybody sinks to the bottom of the layer.",
        ));
    }
    Ok(Outcome {
        figure,
        findings,
        text: "Our presets beside the printed table, and what the printed ranges of Young's modulus mean for the depth of a print. Feet here are planted flat, so that nothing but the modulus changes.".into(),
        scene: last,
        timings: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_stress_leaves_no_sphere() {
        for force in [500.0, 2000.0, 4000.0] {
            let d = even_stress(force);
            let area = std::f64::consts::PI * d * (0.4 - d);
            assert!((force * 0.3 / (area * 1e6) / d - 1.0).abs() < 1e-9, "DF-10 as printed holds: {d} m");
            // Pressed evenly by d, the contact is a pit of A·d; the part of the sphere below the ground fills about half.
            let cap = std::f64::consts::PI * d * d * (0.2 - d / 3.0);
            assert!((1.8..2.05).contains(&(area * d / cap)), "{}", area * d / cap);
        }
    }
}
