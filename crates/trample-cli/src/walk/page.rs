//! The page on how natural the gait is: walks on several grounds and at several paces, measured and put beside their aims.

use super::{Options, figures, save, walked};
use crate::Failure;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use trample::params::Body;

/// A walk of the page: its name, and what differs from the one that is drawn.
struct Case {
    name: &'static str,
    change: fn(&mut Options),
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

/// Walks and writes the page.
pub(super) fn write(options: &Options, path: &Path) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for case in &CASES {
        let mut own = options.clone();
        own.cell = 0.02;
        (case.change)(&mut own);
        let (walk, _) = walked(&own, true)?;
        rows.push((case.name, own, figures(&walk.samples, &walk.landings, &walk.world)));
    }
    save(path, text(options, path, &rows)?.as_bytes())
}

fn number(figures: &Value, pointer: &str) -> f64 {
    figures.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn text(options: &Options, path: &Path, rows: &[(&str, Options, Value)]) -> Result<String, Failure> {
    // Pictures by their way from the page.
    let folder = path.parent().unwrap_or(Path::new(""));
    let pictures = options.out.strip_prefix(folder).unwrap_or(&options.out).display().to_string();
    let mut out = String::new();
    writeln!(out, "# How natural the gait is\n")?;
    writeln!(
        out,
        "Written by `trample walk --page {}`; do not edit. The motion is generated, not recorded; a body matches it to its way,",
        path.display()
    )?;
    writeln!(
        out,
        "locks its feet to the ground it presses and stands on what it has pressed. Cells of 2 cm, {} Hz.\n",
        options.rate
    )?;
    writeln!(out, "![One stride over its prints]({pictures}/filmstrip.png)\n")?;
    writeln!(out, "## Feet\n")?;
    writeln!(
        out,
        "Aims: skate at most 0.1 cm/s in the median, drift at most 0.05 cm, soles at most 2 mm in the ground in the median and 5 mm at"
    )?;
    writeln!(out, "worst, knees never straight.\n")?;
    writeln!(
        out,
        "| walk | skate, median (cm/s) | drift, most (cm) | sole in the ground, median / most (mm) | drawn against pressing sole, most (mm) | straightest knee (°) |"
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
        "The law is Boulic & Thalmann 1990 at the wanted speed on level ground, cycle length 1.346·√RV·leg, for the ordinary leg; shorter and\nlonger legs at the same Froude number.\n"
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
        "Measured at free speed: 1.135 / 0.778 / 1.097 body weights (Schwartz 2008); running 2.3–2.8. Over whole strides the mean force is the"
    )?;
    writeln!(out, "weight (Newton).\n")?;
    writeln!(
        out,
        "| walk | first peak / valley / second peak (BW) | most (BW) | mean over strides (BW) |\n|---|---|---|---|"
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
    for (file, title) in [
        ("force", "Vertical force on the ground"),
        ("angles", "Joint angles"),
        ("centre", "Centre of mass"),
        ("feet", "Ankles above the ground"),
    ] {
        writeln!(out, "\n![{title}]({pictures}/{file}.png)")?;
    }
    writeln!(out, "\n## The generator against measured curves\n")?;
    writeln!(
        out,
        "`cargo test --release -p trample --test gait --test recorded -- --nocapture` compares the generator with the joint angles and forces"
    )?;
    writeln!(
        out,
        "of Schwartz 2008 and the force model with recorded walking and running, where that data lies beside the workspace; its aims are"
    )?;
    writeln!(
        out,
        "4° for the thigh, 8° for the knee and 0.08 body weights for the force. `crates/trample/tests/walker.rs` holds the claims above."
    )?;
    Ok(out)
}
