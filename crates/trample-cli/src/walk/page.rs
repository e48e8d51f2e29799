//! The page `docs/gait.md` on the quality of the gait: walks on several grounds and at several speeds, compared with their aims.

use super::{Walk, figures, save, walked};
use crate::Failure;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use trample::params::Body;

/// A walk of the page: its name, and what differs from the one that is drawn.
struct Case {
    name: &'static str,
    change: fn(&mut Walk),
}

const CASES: [Case; 12] = [
    Case { name: "level", change: |_| {} },
    Case { name: "15° up", change: |o| o.slope = 15.0 },
    Case { name: "15° down", change: |o| o.slope = -15.0 },
    Case { name: "15° across", change: |o| o.across = 15.0 },
    Case { name: "snow", change: |o| o.material = "snow".into() },
    Case { name: "slow, 0.9 m/s", change: |o| o.speed = 0.9 },
    Case { name: "fast, 1.7 m/s", change: |o| o.speed = 1.7 },
    Case { name: "run, 3.5 m/s", change: |o| o.speed = 3.5 },
    Case {
        name: "snowshoes in snow",
        change: |o| {
            (o.material, o.footwear, o.speed) = ("snow".into(), Some("snowshoe".into()), 0.9);
        },
    },
    Case { name: "child", change: |o| o.body = "child".into() },
    Case { name: "tall", change: |o| o.body = "tall".into() },
    Case { name: "heavy", change: |o| o.body = "heavy".into() },
];

/// What was measured under one foot: who and at what speed, m/s; stance, s; first peak, valley, second peak, largest braking and
/// pushing force, body weights; braking and pushing impulse, body weights times seconds; share of the leading foot halfway
/// through double support.
type Measured = (&'static str, f64, f64, [f64; 5], [f64; 2], f64);

/// Recordings that nothing was fitted to but the softness of the ends of a stance and its length: grf_moco_walk_1.24.csv (OpenSim
/// Moco, example3DWalking) and cycle_walk_opensim_subject01_right.csv.
const RECORDED: [Measured; 2] = [
    ("OpenSim subject01", 1.14, 0.785, [1.08, 0.85, 1.09, -0.130, 0.187], [0.0308, 0.0326], f64::NAN),
    ("OpenSim Moco", 1.24, 0.757, [1.09, 0.72, 1.13, -0.171, 0.185], [0.0332, 0.0314], 0.50),
];
/// Means of the subjects' own peaks (Schwartz 2008), which the force was fitted to: dimensionless speed, then as above.
const FITTED: [(f64, [f64; 5]); 4] = [
    (0.2902, [1.029, 0.890, 1.051, -0.117, 0.135]),
    (0.4294, [1.135, 0.778, 1.097, -0.175, 0.198]),
    (0.5599, [1.267, 0.640, 1.146, -0.227, 0.240]),
    (0.6938, [1.424, 0.525, 1.172, -0.276, 0.255]),
];

/// What two tests of the core measure of many walkers, and where their numbers come from.
const VARIATION: &str = "\
## Variation of steps, and passing other people

`step_variation` of a walker scales the variation of its steps: 1 as measured for people, 0 for none. The walks above have no variation.

| what | published | in the model | |
|---|---|---|---|
| step length, step to step | 2–4 % | 2.9 % | fitted: 2 % in time, 1.1 cm in each foot's position along the path |
| step width, step to step | sd 2–3 cm (Bauby & Kuo 2000, Owings & Grabiner 2004) | sd 2.7 cm | fitted: 1.6 cm in each foot's position across it |
| stride time | about 2 %, 1/f (Hausdorff et al. 1995) | 2.2 %, 1/f over 1 to 256 steps | fitted |
| person to person, at one speed | more than here | 1 % in time, 2 cm in width | our choice: bodies differ as well |
| pass to pass | – | turns up to a step earlier, 3 cm lateral offset | our choice: it spreads footfalls evenly |

Measured by `crates/trample/tests/vary.rs` on 24 walkers. `step_cv` of `trample walk --json` is the first row for one walk: the
standard deviation of step length along the path divided by its mean. In 200 passes over one line each place in its middle is trodden
77 times, with a standard deviation of 3; without variation, between 1 and 182 times.

Walkers avoid each other (`avoid` of a scene): each evaluates the time to collision in 37 directions, chooses the best compromise
between free and straight, and slows down enough to be able to stop (Moussaïd, Helbing & Theraulaz 2011). Bodies
are 0.5 m across and held apart. Our choice: 0.2 m clearance between bodies, 4 s look-ahead, 1.2 s to stop (published 0.5 s: a walker
needs a step to stop), and that everybody passes on the right. `crates/trample/tests/crowd.rs`: two walkers on a collision course pass at
0.6 m or more between 0.6 and 3 m/s; a hundred across a square of 26 m never come closer than 0.5 m. Walkers that stop before the end of
their route because others stand there are listed with the missing distance (`stopped_short_m` in `summary.json`).

A body leans towards its centre of support on the current ground (Soft Walks Eq. 1), the load-weighted mean of the points where
its feet press. The amounts are our choice: 0.15 of the distance to that point, 0.35 of the slope below and ahead of it, prints
and tracks included, and 0.6 of the direction of apparent gravity in turns and starts.

A walker in deep snow or other deep ground steps into an existing print if there is one near the next foothold of its gait: up to 0.3 of a
step longer or shorter, at the same speed with another step rate, and up to 10 cm wider; the body moves over the line of the prints. All of
this is our choice, and it is not used where prints are shallower than 2 cm. The energy cost of a step depends on the depth of that step
(Pandolf et al. 1977), plus lifting the feet out of existing prints: half of a leg's mass, at a muscle efficiency of a quarter.
`crates/trample/tests/footholds.rs` measures how much a follower saves.
";

/// Force under the right foot by speed and by slope, beside what was measured.
fn by_speed(options: &Walk, out: &mut String) -> Result<(), Failure> {
    let walk = |speed: f64, slope: f64| -> Result<Value, Failure> {
        let mut own = options.clone();
        own.step_variation = 0.0;
        (own.cell, own.speed, own.slope, own.length) = (0.04, speed, slope, None);
        Ok(figures(&walked(&own, &super::Own::default(), true, None)?.0))
    };
    let row = |out: &mut String, who: &str, values: &Value| -> Result<(), Failure> {
        let n = |p: &str| match number(values, p) {
            x if x.is_nan() => "–".into(),
            x => format!("{x:.3}"),
        };
        writeln!(
            out,
            "| {who} | {} | {} | {} / {} / {} | {} / {} | {} / {} | {} |",
            n("/speed_m_per_s"),
            n("/stance_s"),
            n("/force_bw/peak1"),
            n("/force_bw/valley"),
            n("/force_bw/peak2"),
            n("/force_bw/brake"),
            n("/force_bw/push"),
            n("/impulse_bw_s/brake"),
            n("/impulse_bw_s/push"),
            n("/leading_share")
        )?;
        Ok(())
    };
    let measured = |speed: f64, stance: f64, f: [f64; 5], impulse: [f64; 2], share: f64| {
        serde_json::json!({
            "speed_m_per_s": speed,
            "stance_s": stance,
            "force_bw": { "peak1": f[0], "valley": f[1], "peak2": f[2], "brake": f[3], "push": f[4] },
            "impulse_bw_s": { "brake": -impulse[0], "push": impulse[1] },
            "leading_share": share,
        })
    };
    writeln!(out, "\n## Force under one foot, by speed and slope\n")?;
    writeln!(
        out,
        "**Fitted:** the vertical force under a foot over its stance and the fore-aft force of both feet together, to Schwartz 2008\n(rows marked so; the subjects' own peaks) and at free speed also to the curve of OpenSim Moco, with the constraint that the leading foot's share\nis 0.485, 0.60 and 0.68 at free, fast and very fast speed (bare feet like Schwartz's have 0.56 to 0.74, shoes less); the stance, up to 1.4 % of\nthe cycle longer than Boulic's law, to the two recordings; the path of the centre of pressure, to subject01; the trend\nwith slope (McIntosh et al. 2006), by hand; impact and peak of a run, to the means of Munro, Miller & Fuglevand 1987 (impact 1.57 BW at\n3 m/s to 2.32 at 5, at 12 % of the stance); the horizontal force of a run, to their impulses (0.0153 to 0.0255 BW·s) and to the curve of Hamner\n2010 (4 m/s: −0.34 and +0.27 BW, impulses 0.0198 and 0.0173). **Predicted:** the force per foot between those speeds and on slopes, lateral forces\n(each foot's force points to one point a tenth above the centre of mass), everything on soft ground. In double support each foot brakes or pushes\naccording to the fitted curves at its phase of stance; the total force follows from the motion of the body.\nMeasured at mid double support: −0.10 BW under the leading and +0.18 BW under the trailing foot; leading share 0.43–0.50.\nRows of runs give the impact, the dip after it and the peak.\n"
    )?;
    writeln!(
        out,
        "| source | speed (m/s) | stance (s) | first peak / valley / second peak (BW) | braking / pushing, max (BW) | impulses (BW·s) | leading share |\n|---|---|---|---|---|---|---|"
    )?;
    for speed in [0.88, 1.14, 1.24, 1.31, 1.5, 1.7, 2.0, 2.1, 2.2, 3.0, 4.0] {
        row(out, &format!("ours, {speed} m/s"), &walk(speed, 0.0)?)?;
        for (who, v, stance, force, impulse, share) in RECORDED {
            if v == speed {
                row(out, &format!("{who}, recorded"), &measured(v, stance, force, impulse, share))?;
            }
        }
        for (v, force) in FITTED {
            let v = v * (trample::params::GRAVITY * Body::default().leg()).sqrt();
            if (v - speed).abs() < 0.02 {
                row(out, "Schwartz 2008, fitted", &measured(v, f64::NAN, force, [f64::NAN; 2], f64::NAN))?;
            }
        }
    }
    for slope in [-10.0, -5.0, 5.0, 10.0] {
        row(out, &format!("ours, 1.2 m/s, {slope:+}°"), &walk(1.2, slope)?)?;
    }
    writeln!(
        out,
        "\nStance at 1.25 m/s (Franz & Kram 2012): 0.60 / 0.62 / 0.64 / 0.65 / 0.65 s at −9 / −6 / 0 / +6 / +9°; stance is shorter\ndownhill and hardly changes uphill."
    )?;
    Ok(())
}

/// Walks and writes the page.
pub(super) fn write(options: &Walk, path: &Path) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for case in &CASES {
        let mut own = options.clone();
        (own.cell, own.step_variation) = (0.02, 0.0);
        (case.change)(&mut own);
        let (walk, _) = walked(&own, &super::Own::default(), true, None)?;
        rows.push((case.name, own, figures(&walk)));
    }
    save(path, text(options, path, &rows)?.as_bytes())
}

fn number(figures: &Value, pointer: &str) -> f64 {
    figures.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn text(options: &Walk, path: &Path, rows: &[(&str, Walk, Value)]) -> Result<String, Failure> {
    // Pictures by their way from the page.
    let folder = path.parent().unwrap_or(Path::new(""));
    let pictures = options.out.strip_prefix(folder).unwrap_or(&options.out).display().to_string();
    // Pages are read elsewhere: no folder of this machine stands in them.
    let here = std::env::current_dir().unwrap_or_default();
    let name = path.file_name().map_or(path, Path::new);
    let shown = if path.is_absolute() { path.strip_prefix(here).unwrap_or(name) } else { path };
    let mut out = String::new();
    writeln!(out, "# Gait quality\n")?;
    writeln!(
        out,
        "Written by `trample walk --page {0} --out {1}`; do not edit. The motion is generated, not recorded; motion matching follows the route,",
        shown.display(),
        shown.with_extension("").display()
    )?;
    writeln!(
        out,
        "feet are locked to the ground while they press it, and the body stands on the pressed ground. Cells of 2 cm, {} Hz.\n",
        options.rate
    )?;
    writeln!(out, "![One stride over its prints]({pictures}/filmstrip.png)\n")?;
    writeln!(out, "## Feet\n")?;
    writeln!(
        out,
        "Aims: median skate at most 0.1 cm/s, drift at most 0.05 cm, sole penetration into the ground at most 2 mm (median) and 5 mm"
    )?;
    writeln!(out, "(maximum), knees never straight.\n")?;
    writeln!(
        out,
        "| walk | skate, median (cm/s) | drift, max (cm) | sole penetration, median / max (mm) | drawn sole from pressing sole, max (mm) | smallest knee flexion (°) |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    for (name, _, f) in rows {
        let n = |p: &str| number(f, p);
        writeln!(
            out,
            "| {name} | {:.4} | {:.4} | {:.2} / {:.2} | {:.4} | {:.1} |",
            100.0 * n("/skate_m_per_s/median"),
            100.0 * n("/drift_m"),
            1000.0 * n("/sole_penetration_m/median"),
            1000.0 * n("/sole_penetration_m/max"),
            1000.0 * n("/sole_gap_m/max"),
            n("/straightest_knee_deg")
        )?;
    }
    writeln!(out, "\n## Rhythm\n")?;
    writeln!(
        out,
        "The law is Boulic & Thalmann 1990 at the requested speed on level ground, cycle length 1.346·√RV·leg, for the default leg length; other\nleg lengths at the same Froude number.\n"
    )?;
    writeln!(
        out,
        "| walk | stride (m) | law (m) | period (s) | law (s) | lean (°) |\n|---|---|---|---|---|---|"
    )?;
    for (name, own, f) in rows {
        // The law was measured on grown-up legs; others move likewise at the same Froude number.
        let (leg, usual) = (Body::by_name(&own.body).unwrap_or_default().leg(), Body::default().leg());
        let alike = own.speed * (usual / leg).sqrt();
        let law = leg / usual * 1.346 * (alike / usual).sqrt() * usual;
        let plain =
            own.slope == 0.0 && own.speed < 2.1 && own.footwear.as_deref().is_none_or(|wear| wear == "shoe");
        let (length, period) = if plain {
            (format!("{law:.2}"), format!("{:.2}", law / own.speed))
        } else {
            ("–".into(), "–".into())
        };
        writeln!(
            out,
            "| {name} | {:.2} | {length} | {:.2} | {period} | {:.1} |",
            number(f, "/stride_length_m"),
            number(f, "/stride_period_s"),
            number(f, "/lean_deg")
        )?;
    }
    writeln!(out, "\n## Force\n")?;
    writeln!(
        out,
        "Measured at free speed: 1.135 / 0.778 / 1.097 body weights (Schwartz 2008); running 2.3–2.8. Over whole strides the mean force equals the"
    )?;
    writeln!(out, "body weight (Newton).\n")?;
    writeln!(
        out,
        "| walk | first peak / valley / second peak (BW) | max (BW) | mean over strides (BW) |\n|---|---|---|---|"
    )?;
    for (name, own, f) in rows {
        let hump = |i: usize| number(f, &format!("/force_humps_body_weights/{i}"));
        let humps = if own.speed > 2.1 || hump(0).is_nan() {
            "–".into()
        } else {
            format!("{:.2} / {:.2} / {:.2}", hump(0), hump(1), hump(2))
        };
        writeln!(
            out,
            "| {name} | {humps} | {:.2} | {:.3} |",
            number(f, "/peak_foot_force_body_weights"),
            number(f, "/mean_force_body_weights")
        )?;
    }
    by_speed(options, &mut out)?;
    for (file, title) in [
        ("force", "Vertical force on the ground"),
        ("angles", "Joint angles"),
        ("centre", "Centre of mass"),
        ("feet", "Ankles above the ground"),
    ] {
        writeln!(out, "\n![{title}]({pictures}/{file}.png)")?;
    }
    write!(out, "\n{VARIATION}")?;
    writeln!(out, "\n## The generator against measured curves\n")?;
    writeln!(
        out,
        "`cargo test --release -p trample --test gait --test recorded -- --nocapture` compares the generator with the joint angles and forces"
    )?;
    writeln!(
        out,
        "of Schwartz 2008 and the force model with recorded walking and running, if that data is available beside the workspace; the aims are"
    )?;
    writeln!(
        out,
        "4° for the thigh, 8° for the knee and 0.08 body weights for the force. `crates/trample/tests/walker.rs` tests the statements above."
    )?;
    Ok(out)
}
