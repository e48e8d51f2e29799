//! TRAIL Table 1: parameters of grounds and plants, beside ours.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity};
use super::measure::{ground, run};
use super::{Context, Outcome};
use crate::Failure;
use trample::params::{Species, material};
use trample::scene::Path;
use trample::{Map, PuppetSpec, Script};

/// Title, preset, and ranges of Young's modulus, MPa, Poisson's ratio and rest angle, °, as printed.
const GROUNDS: [(&str, &str, [[f64; 2]; 3]); 3] = [
    ("soft soil", "trail-soft-soil", [[0.7, 2.0], [0.1, 0.3], [10.0, 15.0]]),
    ("dry soil", "trail-dry-soil", [[0.2, 0.5], [0.3, 0.4], [5.0, 10.0]]),
    ("wet soil", "trail-wet-soil", [[0.3, 0.7], [0.2, 0.4], [10.0, 15.0]]),
];

/// The table, and the depth of prints over the printed ranges of moduli.
pub(crate) fn table(context: &Context) -> Result<Outcome, Failure> {
    let source = || identity("TR Table 1, from which the preset is taken", "the range as printed");
    let mut findings = Vec::new();
    let mut plot = Drawing::new(
        "Depth of flat prints, 77.5 kg, 1.3 m/s",
        "Young's modulus (MPa)",
        "mean depth under the soles (mm)",
    );
    let mut last = None;
    for (i, (title, name, [youngs, poisson, rest])) in GROUNDS.into_iter().enumerate() {
        let preset = material::by_name(name).ok_or("a preset")?;
        for (what, unit, ours, [low, high]) in [
            ("Young's modulus", "MPa", 1e-6 * preset.youngs_modulus, youngs),
            ("Poisson's ratio", "", preset.poisson_ratio, poisson),
            ("rest angle", "°", preset.rest_angle.to_degrees(), rest),
        ] {
            let finding = Finding::new(format!("{what} of {title}"), unit, ours);
            // Degrees go through radians and back.
            findings.push(finding.against(Expect::Between(low - 1e-9, high + 1e-9), source()));
        }
        let steps = if context.quick { 2 } else { 5 };
        let mut points = Vec::new();
        for k in 0..steps {
            let modulus = youngs[0] + (youngs[1] - youngs[0]) * f64::from(k) / f64::from(steps - 1);
            let mut scene = ground(name, [4.0, 2.0], 0.02);
            scene.terrain.materials[0].material.youngs_modulus = 1e6 * modulus;
            let script = Script::Walk(Path::along([[0.5, 1.0], [3.5, 1.0]]).into());
            scene.puppets = vec![PuppetSpec { script, ..PuppetSpec::default() }];
            let walked = run(&scene)?;
            points.push((modulus, 1e3 * walked.mean_above(Map::Compression, 0.5 * walked.deepest())));
            last = Some(scene);
        }
        plot.marked(title, i, points);
    }
    let plants = [
        ("Carex pensylvanica", Species::CAREX_PENSYLVANICA, [7.0, 10.0, 70.0, 0.1, 0.1]),
        ("Lycopodium lucidulum", Species::LYCOPODIUM_LUCIDULUM, [10.0, 5.0, 50.0, 0.1, 0.1]),
    ];
    let why = "with the printed values our plants lose cover at another pace than Cole measured under walkers, so this number is fitted to his series; the printed ones were fitted to them by the authors with feet and plants of their own.";
    for (title, species, printed) in plants {
        let ours = [
            ("modulus of the roots", "MPa", 1e-6 * species.root_modulus),
            ("angle from which it wears", "°", species.wear_angle.to_degrees()),
            ("angle at which it breaks", "°", species.break_angle.to_degrees()),
            ("rate of wear", "1/s", species.wear_rate),
            ("rate of recovery", "1/s", species.recovery_rate),
        ];
        for ((what, unit, ours), printed) in ours.into_iter().zip(printed) {
            let source =
                identity("TR Table 1, from which the species is taken where it is not fitted", "as printed");
            findings.push(
                Finding::new(format!("{what}, {title}"), unit, ours).near(printed, 1e-6, source).because(why),
            );
        }
    }
    let mut figure = Figure::new("TRAIL Table 1: three grounds over their range of Young's modulus");
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: "The parameters that TRAIL prints, beside ours, and what its ranges of moduli mean for a walker's prints. A preset that is what it cites proves nothing; one that is not is told here.".into(),
        scene: last,
        timings: None,
    })
}
