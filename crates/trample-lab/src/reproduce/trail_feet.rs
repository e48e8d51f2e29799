//! The experiment of TRAIL (2024) on how feet meet the ground.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity};
use super::measure::{Moment, Run, filmed, ground, stride, strides, walker};
use super::strip::{Shot, film};
use super::{Context, Outcome};
use crate::Failure;
use trample::glam::Vec3;
use trample::params::Body;
use trample::{Base, Scene};
use trample_looks::Skin;

/// Slopes of the experiment, °: level, below and above the angle θ0 = 12° from which toes carry alone (TR-2; ours, the paper prints none).
const SLOPES: [f64; 3] = [0.0, 8.0, 20.0];

fn uphill(degrees: f64) -> Scene {
    let mut scene = ground("trail-dry-soil", [9.0, 3.0], 0.02);
    (scene.name, scene.rate) = ("tr-fig3".into(), 240.0);
    if degrees != 0.0 {
        scene.terrain.base = Base::Slope { angle: degrees.to_radians(), direction: 0.0 };
    }
    scene.puppets = vec![walker("walker", Body::default(), [[1.0, 1.5], [8.0, 1.5]], 1.1)];
    scene
}

/// Share of the right foot's force on its toes in the first tenth of its stances: which end lands first.
fn toes_at_landing(run: &Run, moments: &[Moment]) -> f64 {
    let starts = strides(run);
    let near = |m: &&Moment| starts.iter().any(|s| (0.0..0.06).contains(&(m.time - s)));
    let down: Vec<f64> = moments.iter().filter(near).filter(|m| m.area[1] > 0.0).map(|m| m.toes[1]).collect();
    down.iter().sum::<f64>() / down.len() as f64
}

/// TR Fig. 3: orientation by distance to the ground (TR-1), and toes before the heel uphill (TR-2).
pub(crate) fn alignment(_: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("TRAIL Fig. 3: feet turn to the ground as they near it");
    let mut plot = Drawing::new(
        "Right sole coming down",
        "height above the ground (cm)",
        "pitch of the sole against the level (°)",
    );
    let mut findings = Vec::new();
    let mut toes = Vec::new();
    let mut shown = None;
    for (i, degrees) in SLOPES.into_iter().enumerate() {
        let scene = uphill(degrees);
        let (mut falling, mut last) = (Vec::new(), 0.0);
        let watched = super::measure::run_with(
            &scene,
            |_| {},
            |world, report| {
                let Some([_, sole]) = world.drawn_soles(0) else { return };
                let p = sole.position.as_dvec3();
                let height = p.y - world.height(p.x, p.z);
                let ahead = sole.rotation * Vec3::X;
                let pitch = libm::asin(f64::from(ahead.y).clamp(-1.0, 1.0)).to_degrees();
                if height < last && height > 0.0 {
                    falling.push((report.time, 100.0 * height, pitch));
                }
                last = height;
            },
        )?;
        let starts = strides(&watched);
        let (from, to) = (starts[starts.len() / 2 - 1], starts[starts.len() / 2]);
        let line = falling.iter().filter(|f| f.0 > from + 0.75 * (to - from) && f.0 < to);
        plot.line(&format!("{degrees}° uphill"), i, line.map(|f| (f.1, f.2)).collect());
        let (run, moments) = filmed(&scene)?;
        toes.push(toes_at_landing(&run, &moments));
        if degrees != 8.0
            && let Some(skin) = Skin::of(&run.world, 0)
        {
            let shots: Vec<Shot<'_>> = stride(&run, &moments, 20)
                .into_iter()
                .filter(|(share, _)| *share >= 70.0 || *share < 10.0)
                .map(|(share, m)| Shot {
                    label: format!("{share:.0} %"),
                    bodies: vec![(m, &skin, None)],
                    arrows: Vec::new(),
                })
                .collect();
            figure.row();
            figure.picture(
                "",
                film(
                    &format!("The right foot comes down, {degrees}° uphill"),
                    "1.1 m/s",
                    &[],
                    &shots,
                    Some(&run),
                ),
            );
        }
        shown = Some(scene);
    }
    figure.row();
    figure.plot("", &plot)?;
    let source = "TR §3.1 and Fig. 3 (right): on steep ground the tip makes contact before the heel";
    findings.push(
        Finding::new(
            "share of the force on the toes at landing, 20° uphill less level",
            "",
            toes[2] - toes[0],
        )
        .against(Expect::Above(0.0), source),
    );
    for (degrees, share) in SLOPES.into_iter().zip(&toes) {
        findings.push(Finding::new(
            format!("share of the force on the toes at landing, {degrees}° uphill"),
            "",
            *share,
        ));
    }
    // TR-1 itself: on ground that is near, feet lie along it.
    let body = Body::default();
    findings.push(
        Finding::new("height from which feet turn to the ground", "cm", 100.0 * body.align_height).within(
            20.0,
            1e-9,
            identity("d_max of TR-1 as in the prototype, which is our default", "a preset"),
        ),
    );
    Ok(Outcome {
        figure,
        findings,
        text: "A walker on the level and up 8° and 20°. In the air a foot has the pitch of its motion; as it nears the ground its sole turns to lie along it (TR-1), and above 12° the heel stays up, so that the toes land first (TR-2). The paper shows a drawing and a picture.".into(),
        scene: shown,
        timings: None,
    })
}
