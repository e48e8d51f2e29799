//! The experiments of Soft Walks (2021).

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity};
use super::measure::{
    Moment, Run, around, filmed, gait, ground, in_plot_units, lit, run, shown_cut, steady_mean, stride,
    strides, walker,
};
use super::strip::{Shot, film, legend};
use super::{Context, Outcome};
use crate::Failure;
use trample::params::Body;
use trample::{Base, Law, Scene, Script};
use trample_looks::Skin;
use trample_looks::colour::{BLUE, RED};

/// The slope of the experiment, °: our choice, the figure gives none.
const SLOPE: f64 = 12.0;

/// A walk of 7 m along z = 1.5 m on soil that slopes along it.
fn sloping(body: Body, degrees: f64, balance: bool) -> Scene {
    let mut scene = ground("soil", [9.0, 3.0], 0.02);
    scene.rate = 120.0;
    if degrees != 0.0 {
        scene.terrain.base = Base::Slope { angle: degrees.to_radians(), direction: 0.0 };
    }
    let mut puppet = walker("walker", body, [[1.0, 1.5], [8.0, 1.5]], 1.3);
    if let Script::Walker(walker) = &mut puppet.script {
        walker.balance = balance;
    }
    scene.puppets = vec![puppet];
    scene
}

/// Lean in steady walking: mean and range, °.
fn lean(run: &Run, moments: &[Moment]) -> [f64; 2] {
    let mean = steady_mean(run, moments, |m| m.lean).to_degrees();
    let starts = strides(run);
    let (from, to) = (starts.first().copied().unwrap_or(0.0), starts.last().copied().unwrap_or(0.0));
    let within = moments.iter().filter(|m| m.time > from && m.time <= to).map(|m| m.lean.to_degrees());
    let (low, high) = within.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
    [mean, high - low]
}

/// SW Fig. 2 (DF Fig. 1): the controller off and on, on slopes, and with high and low centres of mass.
pub(crate) fn balance(context: &Context) -> Result<Outcome, Failure> {
    let usual = Body::default();
    let mut figure = Figure::new("Soft Walks Fig. 2: the balance controller leans the body into the slope");
    let mut plot = Drawing::new("Lean of the body, controller on", "time (s)", "lean ahead (°)");
    let (mut leans, mut none, mut red_line, mut uphill) = (Vec::new(), f64::NAN, Vec::new(), None);
    for (i, (name, slope)) in
        [("12° uphill", SLOPE), ("level", 0.0), ("12° downhill", -SLOPE)].into_iter().enumerate()
    {
        let (on, moments) = filmed(&sloping(usual, slope, true))?;
        leans.push(lean(&on, &moments));
        plot.line(name, i, moments.iter().map(|m| (m.time, m.lean.to_degrees())).collect());
        if slope == 0.0 {
            continue;
        }
        let (off, without) = filmed(&sloping(usual, slope, false))?;
        let (Some(red), Some(blue)) = (Skin::of(&off.world, 0), Skin::of(&on.world, 0)) else { continue };
        // Both at the same share of their own stride: with and without lean they do not keep exact time.
        let shots: Vec<Shot<'_>> = stride(&off, &without, 8)
            .into_iter()
            .zip(stride(&on, &moments, 8))
            .map(|((_, a), (share, b))| Shot {
                label: format!("{share} %"),
                bodies: vec![(a, &red, Some(RED)), (b, &blue, Some(BLUE))],
                arrows: Vec::new(),
            })
            .collect();
        figure.row();
        let mean = format!("{:.1}", leans[leans.len() - 1][0]).replace('-', "−");
        let line = format!("77.5 kg, 1.8 m, 1.3 m/s on soil: mean lean {mean}° with the controller");
        figure.picture(
            "",
            film(
                &format!("One stride {name}"),
                &line,
                &legend("controller off", "controller on"),
                &shots,
                Some(&on),
            ),
        );
        if slope > 0.0 {
            none = lean(&off, &without)[0];
            red_line = without.iter().map(|m| (m.time, m.lean.to_degrees())).collect();
            uphill = Some((on, moments));
        }
    }
    plot.dashes("off, 12° uphill", RED, red_line);
    figure.row();
    figure.plot("", &plot)?;
    let mut bodies =
        Drawing::new("12° uphill, bodies of different height", "gait cycle (%)", "lean ahead (°)");
    let mut findings = vec![
        Finding::new("lean 12° uphill less lean on the level", "°", leans[0][0] - leans[1][0])
            .against(Expect::Above(0.0), "SW Fig. 2 (middle): tilts forward uphill"),
        Finding::new("lean 12° downhill less lean on the level", "°", leans[2][0] - leans[1][0])
            .against(Expect::Below(0.0), "SW Fig. 2 (middle): tilts backward downhill"),
        Finding::new("lean 12° uphill with the controller off", "°", none).within(
            0.0,
            0.01,
            identity(
                "SW Fig. 2 (middle): the red body keeps upright; ours has no controller then",
                "rounding",
            ),
        ),
        Finding::new("swing of the lean over a stride, level", "°", leans[1][1])
            .against(Expect::Above(0.0), "SW Fig. 2: the blue body swings"),
    ];
    for (i, (name, body)) in
        [("child, 1.22 m", "child"), ("usual, 1.80 m", "default"), ("tall, 1.96 m", "tall")]
            .into_iter()
            .enumerate()
    {
        let (run, moments) = match uphill.take_if(|_| body == "default") {
            Some(known) => known,
            None => gait(&sloping(Body::by_name(body).unwrap_or(usual), SLOPE, true))?,
        };
        let [mean, swing] = lean(&run, &moments);
        let height = steady_mean(&run, &moments, |m| {
            f64::from(m.centre.y) - run.world.ground().base.height(f64::from(m.centre.x), 1.5)
        });
        bodies.line(name, i, super::measure::cycle(&run, &moments, |m| m.lean.to_degrees()));
        findings.push(
            Finding::new(format!("lean 12° uphill, {name}"), "°", mean)
                .against(Expect::Above(0.0), "SW Fig. 2 (right): adapts to the height of the centre of mass"),
        );
        findings.push(Finding::new(format!("centre of mass above the ground, {name}"), "m", height));
        findings.push(Finding::new(format!("swing over a stride, {name}"), "°", swing));
    }
    figure.plot("", &bodies)?;
    if context.paper_reading {
        let end = printed_sign();
        findings.push(
            Finding::new("lean 0.3 s after a push of 1°, damping as printed (+βθ̇)", "°", end).printed_reading(
                "With the printed sign the controller feeds the swing instead of damping it; we read −βθ̇.",
            ),
        );
    }
    Ok(Outcome {
        figure,
        findings,
        text: "A walker on a slope of 12°, without the controller (red) and with it (blue). Uphill the body leans ahead, downhill back, and it swings with every step; without the controller it stays upright. A child and a tall walker lean likewise with no change of parameters. The paper gives no angles, so directions are what can be compared; the slope is our choice.".into(),
        scene: Some(sloping(usual, SLOPE, true)),
        timings: None,
    })
}

/// Lean 0.3 s after a push of 1°, with our frequency and damping ratio and the sign as printed.
fn printed_sign() -> f64 {
    let (w, z, dt) = (std::f64::consts::TAU * 1.5, 1.05, 1e-4);
    let (mut x, mut v) = (1.0, 0.0);
    for _ in 0..3000 {
        v += dt * (-w * w * x + 2.0 * z * w * v);
        x += dt * v;
    }
    x
}

/// Grounds of SW Fig. 4 with the depth of a print, m, and the share of the carved volume that packs: presets of the authors'
/// prototype.
pub(crate) const GROUNDS: [(&str, &str, f64, f64); 4] = [
    ("dry sand", "soft-walks-sand", 0.05, 0.2),
    ("soil", "soft-walks-soil", 0.04, 0.6),
    ("mud", "soft-walks-mud", 0.125, 0.6),
    ("snow", "soft-walks-snow", 0.30, 0.9),
];

/// SW Fig. 4: prints on four grounds under the procedural law.
pub(crate) fn prints(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("Soft Walks Fig. 4: prints on four grounds, procedural law");
    let mut plot = Drawing::new("Cut along a print", "along the walk (cm)", "height (mm)");
    let source = || {
        identity(
            "depth and compression presets of the authors' prototype, which ours have (SW prints none)",
            "a law without forces reaches its depth exactly; the rest is the rounding of cells",
        )
    };
    let mut findings = Vec::new();
    let mut depths = Vec::new();
    let mut last = None;
    for (i, (title, name, printed, packed)) in GROUNDS.into_iter().enumerate() {
        let mut scene = ground(name, [5.2, 2.0], context.cell(0.01));
        scene.name = name.into();
        scene.terrain.law = Law::SoftWalks;
        scene.puppets = vec![walker("walker", Body::default(), [[0.5, 1.0], [4.7, 1.0]], 1.3)];
        let run = run(&scene)?;
        if i == 2 {
            figure.row();
        }
        let wide = Figure::across(2);
        figure.picture(title, lit(&run.world, around(&run, 0..3), [wide, wide * 9 / 20], Some(1.0)));
        if let Some(foot) = run.steps_of(0).get(1) {
            plot.line(title, i, in_plot_units(&shown_cut(&run.world, foot.place, 0.4)));
        }
        let volume = run.world.volume();
        depths.push(run.deepest());
        findings.push(
            Finding::new(format!("depth of prints, {title}"), "mm", 1e3 * run.deepest())
                .near(1e3 * printed, 0.005, source())
                .because("a layer of 30 cm is compressed by 95 % at most, so 28.5 cm is where snow ends."),
        );
        findings.push(
            Finding::new(
                format!("share of the carved volume in the bumps, {title}"),
                "",
                volume.accumulated / volume.carved,
            )
            .near(1.0 - packed, 0.01, source()),
        );
        last = Some(scene);
    }
    let above = |a: usize, b: usize| 1e3 * (depths[a] - depths[b]);
    let order = "SW §4: mud and snow carve deeper, soil less than sand";
    findings
        .push(Finding::new("sand deeper than soil by", "mm", above(0, 1)).against(Expect::Above(0.0), order));
    findings
        .push(Finding::new("mud deeper than sand by", "mm", above(2, 0)).against(Expect::Above(0.0), order));
    findings
        .push(Finding::new("snow deeper than sand by", "mm", above(3, 0)).against(Expect::Above(0.0), order));
    figure.row();
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: "A walker crosses four grounds under the law of Soft Walks: every sole sinks to the ground's own depth whatever it weighs, and what does not pack is heaped around it. The paper names the order and the behaviour; the numbers are the presets of its prototype. The layer of 30 cm allows 28.5 cm of compression, which is where snow ends.".into(),
        scene: last,
        timings: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_sign_swings_up() {
        assert!(printed_sign().abs() > 10.0, "{}", printed_sign());
    }
}
