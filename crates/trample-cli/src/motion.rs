//! `trample motion`: what a recorded motion measures: rate, speed, contacts, strides, skate before and after, forces; plots.

use crate::Failure;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use trample::body::{HIP, Skeleton};
use trample::glam::Vec3;
use trample_files::character::{
    self, Character, FourFooted, Loaded, MapOptions, Measured, Upright, write_bvh,
};
use trample_lab::save;
use trample_pictures::{Series, plot_lines};

/// Measure a recorded motion or a character (BVH, glTF, GLB, VRM), or export generated motion
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample motion walk.bvh --out walk       joints, contacts and speeds, and the cleaned motion
  trample motion --export clips            the generated clips as BVH and GLB")]
pub(crate) struct Motion {
    /// A BVH, glTF, GLB or VRM file
    #[arg(required_unless_present = "export")]
    file: Option<PathBuf>,
    /// Write the generated clips (walks, runs, turns, jumps …) as BVH and GLB into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "map", "mass", "out"])]
    export: Option<PathBuf>,
    /// Body of the exported clips: default, child, tall, heavy, small-footed, stocky
    #[arg(long, value_name = "BODY", requires = "export")]
    body: Option<String>,
    /// Map file with the names of the joints [default: NAME.map.toml beside the file, if it exists]
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Mass of the body, kg [default: from its size]
    #[arg(long)]
    mass: Option<f64>,
    /// Folder for plots, the figures and the cleaned motion as BVH
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
}

impl Motion {
    /// Measures a file and writes what there is to see.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        if let Some(folder) = &self.export {
            return crate::clips::run(folder, self.body.as_deref().unwrap_or("default"), self.json);
        }
        let Some(file) = &self.file else { return Err("give a file, or --export DIR".into()) };
        if self.mass.is_some_and(|m| !(0.1..=10_000.0).contains(&m)) {
            return Err(format!("--mass {}: allowed: 0.1 to 10000 kg", self.mass.unwrap_or_default()).into());
        }
        let map = MapOptions { map_file: self.map.clone(), mass: self.mass };
        let loaded = character::load(file, &map)?;
        let mut figures = recognised(&loaded);
        match &loaded.character {
            Character::Upright(upright) => people(self, &loaded, upright, &mut figures)?,
            Character::FourFooted(animal) => animals(self, &loaded, animal, &mut figures)?,
        }
        let text = serde_json::to_string_pretty(&figures)? + "\n";
        if let Some(out) = &self.out {
            save(&out.join("motion.json"), text.as_bytes())?;
        }
        if self.json {
            print!("{text}");
        } else {
            print(&loaded, &figures, self.out.as_deref());
        }
        Ok(true)
    }
}

/// What kind of file it is, which joint is which, and how sure that is.
fn recognised(loaded: &Loaded) -> Value {
    let name = |j: usize| loaded.source.joints[j].name.clone();
    match &loaded.character {
        Character::Upright(upright) => {
            let parts: serde_json::Map<String, Value> = character::Part::ALL
                .iter()
                .map(|part| {
                    let found = upright.mapping.found[*part as usize].map(|f| {
                        json!({ "joint": name(f.joint), "by": f.how.words(), "sure": round(f64::from(f.sure), 2) })
                    });
                    (part.name().to_string(), found.unwrap_or(Value::Null))
                })
                .collect();
            json!({
                "file": loaded.path.display().to_string(),
                "kind": "upright",
                "convention": upright.mapping.convention,
                "sure": round(f64::from(upright.mapping.sure().min(upright.space.sure)), 2),
                "unit": upright.space.unit_name,
                "metres_per_unit": upright.space.unit,
                "up": upright.space.up_name(),
                "toes_made": upright.toes_made,
                "body": {
                    "height_m": round(upright.body.height, 3),
                    "leg_m": round(upright.body.leg(), 3),
                    "foot_m": round(upright.body.foot_length, 3),
                    "mass_kg": round(upright.body.mass, 1),
                },
                "parts": parts,
            })
        }
        Character::FourFooted(animal) => {
            let legs: serde_json::Map<String, Value> = animal
                .named_legs()
                .map(|(foot, leg)| {
                    (foot.to_string(), json!(leg.iter().map(|&j| name(j)).collect::<Vec<_>>()))
                })
                .collect();
            json!({
                "file": loaded.path.display().to_string(),
                "kind": animal.kind(),
                "unit": animal.space.unit_name,
                "up": animal.space.up_name(),
                "sure": round(f64::from(animal.space.sure), 2),
                "hip_height_m": round(f64::from(animal.leg), 3),
                "mass_kg": round(animal.mass, 1),
                "legs": legs,
            })
        }
    }
}

fn round(value: f64, digits: i32) -> f64 {
    let scale = libm::pow(10.0, f64::from(digits));
    (value * scale).round() / scale
}

fn people(options: &Motion, loaded: &Loaded, upright: &Upright, figures: &mut Value) -> Result<(), Failure> {
    let skeleton = Skeleton::new(&upright.body);
    let measured = loaded.measure();
    figures["takes"] = measured.iter().map(|m| take(m, upright)).collect();
    let Some(out) = &options.out else { return Ok(()) };
    for (i, one) in measured.iter().enumerate() {
        let folder = if measured.len() == 1 { out.clone() } else { out.join(format!("take-{i}")) };
        draw(&folder, one, upright)?;
        save(&folder.join("clean.bvh"), write_bvh(&one.clip, &skeleton).as_bytes())?;
    }
    Ok(())
}

/// The figures of one take.
fn take(m: &Measured, upright: &Upright) -> Value {
    let weight = upright.body.mass * trample::params::GRAVITY;
    let (period, length) = m.stride();
    let vertical = |f: &Vec3| f64::from(-f.y) / weight;
    let peak = m.forces.iter().flatten().map(vertical).fold(0.0, f64::max);
    let mean = m.forces.iter().map(|f| vertical(&f[0]) + vertical(&f[1])).sum::<f64>()
        / m.forces.len().max(1) as f64;
    let stands = |side: usize| {
        let frames: usize = m.contacts[side].iter().map(|c| c.1 - c.0).sum();
        frames as f64 / m.clip.frames.len().max(1) as f64
    };
    json!({
        "name": m.facts.name,
        "frame_rate_hz": round(m.facts.rate, 4),
        "frames": m.facts.frames,
        "first_frame": m.facts.first_frame,
        "duration_s": round(m.facts.seconds, 4),
        "speed_m_s": round(f64::from(m.clip.speed), 3),
        "on_the_spot": m.facts.treadmill.is_some(),
        "turning_deg_s": round(f64::from(m.clip.yaw_rate).to_degrees(), 2),
        "contacts": { "left": m.contacts[0].len(), "right": m.contacts[1].len() },
        "contact_share": { "left": round(stands(0), 3), "right": round(stands(1), 3) },
        "strides": m.strides.len(),
        "stride_length_m": round(length, 3),
        "stride_period_s": round(period, 3),
        "skate_cm_s": { "before": round(100.0 * m.before.median, 3), "after": round(100.0 * m.after.median, 3) },
        "drift_cm": { "before": round(100.0 * m.before.drift, 3), "after": round(100.0 * m.after.drift, 3) },
        "cleaning_deg": round(m.change.to_degrees(), 3),
        "mean_force_body_weights": round(mean, 3),
        "peak_foot_force_body_weights": round(peak, 3),
    })
}

/// Plots over time: forces, feet, knees; and when which foot stands.
fn draw(folder: &Path, m: &Measured, upright: &Upright) -> Result<(), Failure> {
    let weight = upright.body.mass * trample::params::GRAVITY;
    let skeleton = Skeleton::new(&upright.body);
    let n = m.clip.frames.len();
    let x: Vec<f64> = (0..n).map(|i| i as f64 * m.clip.dt).collect();
    let line = |name: &str, f: &dyn Fn(usize) -> f64| Series {
        name: name.into(),
        x: x.clone(),
        y: (0..n).map(f).collect(),
    };
    let placed: Vec<_> = m.clip.frames.iter().map(|f| skeleton.place(&f.pose)).collect();
    let force = |i: usize, side: usize| f64::from(-m.forces[i][side].y) / weight;
    let knee = |i: usize, side: usize| {
        let p = &placed[i].positions;
        let (u, v) = (p[HIP[side] + 1] - p[HIP[side]], p[HIP[side] + 2] - p[HIP[side] + 1]);
        f64::from(libm::acosf(u.normalize().dot(v.normalize()).clamp(-1.0, 1.0))).to_degrees()
    };
    let ankle = |i: usize, side: usize| 100.0 * f64::from(placed[i].positions[HIP[side] + 2].y);
    let stands = |i: usize, side: usize, part: usize, level: f64| {
        if m.clip.frames[i].contacts[side][part] { level } else { f64::NAN }
    };
    let charts = [
        (
            "force",
            vec![
                line("left foot", &|i| force(i, 0)),
                line("right foot", &|i| force(i, 1)),
                line("both", &|i| force(i, 0) + force(i, 1)),
            ],
            "Vertical force on the ground, whole-body model",
            "force (body weights)",
        ),
        (
            "feet",
            vec![line("left ankle", &|i| ankle(i, 0)), line("right ankle", &|i| ankle(i, 1))],
            "Ankles above the ground",
            "height (cm)",
        ),
        (
            "knees",
            vec![line("left knee", &|i| knee(i, 0)), line("right knee", &|i| knee(i, 1))],
            "Knee flexion",
            "angle (°)",
        ),
        (
            "contacts",
            vec![
                line("left heel", &|i| stands(i, 0, 0, 4.0)),
                line("left toes", &|i| stands(i, 0, 1, 3.0)),
                line("right heel", &|i| stands(i, 1, 0, 2.0)),
                line("right toes", &|i| stands(i, 1, 1, 1.0)),
            ],
            "What stands on the ground",
            "row (heel and toes, left above right)",
        ),
    ];
    for (file, series, title, label) in charts {
        let chart = plot_lines(&series, title, "time (s)", label)?;
        save(&folder.join(format!("{file}.png")), &chart.image.to_png())?;
    }
    Ok(())
}

fn animals(
    options: &Motion,
    loaded: &Loaded,
    animal: &FourFooted,
    figures: &mut Value,
) -> Result<(), Failure> {
    let motions = animal.motions(&loaded.source);
    let weight = animal.mass * trample::params::GRAVITY;
    figures["takes"] = motions
        .iter()
        .map(|m| {
            let n = m.contacts.len().max(1) as f64;
            let seconds = (m.contacts.len().saturating_sub(1)) as f64 * m.dt;
            let way: f32 = m.centre.windows(2).map(|w| (w[1] - w[0]).with_y(0.0).length()).sum();
            let feet: serde_json::Map<String, Value> = animal
                .named_legs()
                .enumerate()
                .map(|(k, (foot, _))| {
                    let share = m.contacts.iter().filter(|c| c[k]).count() as f64 / n;
                    let mean = m.forces.iter().map(|f| f64::from(-f[k].y)).sum::<f64>() / n / weight;
                    let figures = json!({ "contact_share": round(share, 3), "mean_force_body_weights": round(mean, 3) });
                    (foot.to_string(), figures)
                })
                .collect();
            json!({
                "name": m.name,
                "frame_rate_hz": round(1.0 / m.dt, 4),
                "frames": m.contacts.len(),
                "duration_s": round(seconds, 4),
                "speed_m_s": round(f64::from(way) / seconds.max(1e-9), 3),
                "on_the_spot": !m.travel.is_empty(),
                "feet": feet,
            })
        })
        .collect();
    let Some(out) = &options.out else { return Ok(()) };
    for (i, m) in motions.iter().enumerate() {
        let folder = if motions.len() == 1 { out.clone() } else { out.join(format!("take-{i}")) };
        let series: Vec<Series> = animal
            .named_legs()
            .enumerate()
            .map(|(k, (foot, _))| Series {
                name: foot.into(),
                x: (0..m.forces.len()).map(|i| i as f64 * m.dt).collect(),
                y: m.forces.iter().map(|f| f64::from(-f[k].y) / weight).collect(),
            })
            .collect();
        let chart = plot_lines(&series, "Vertical force of the feet", "time (s)", "force (body weights)")?;
        save(&folder.join("force.png"), &chart.image.to_png())?;
    }
    Ok(())
}

/// For a person.
fn print(loaded: &Loaded, figures: &Value, out: Option<&Path>) {
    for line in lines(loaded) {
        println!("{line}");
    }
    for take in figures["takes"].as_array().into_iter().flatten() {
        let number = |at: &str| take.pointer(at).and_then(Value::as_f64).unwrap_or(0.0);
        println!("take `{}`:", take["name"].as_str().unwrap_or_default());
        println!(
            "  {:.2} s at {} Hz, {:.2} m/s{}",
            number("/duration_s"),
            number("/frame_rate_hz"),
            number("/speed_m_s"),
            // The way is given back by the feet that stand.
            if take["on_the_spot"] == true { ", recorded on the spot" } else { "" }
        );
        if take.get("strides").is_some() {
            println!(
                "  {} + {} contacts, stride {:.2} m in {:.2} s",
                number("/contacts/left"),
                number("/contacts/right"),
                number("/stride_length_m"),
                number("/stride_period_s")
            );
            println!(
                "  skate {:.2} cm/s, after cleaning {:.3} cm/s; leg joints turned by {:.2}° for it",
                number("/skate_cm_s/before"),
                number("/skate_cm_s/after"),
                number("/cleaning_deg")
            );
            println!(
                "  force: mean {:.2}, largest on one foot {:.2} body weights",
                number("/mean_force_body_weights"),
                number("/peak_foot_force_body_weights")
            );
        }
    }
    if let Some(out) = out {
        println!("plots, motion.json and the cleaned motion are in {}", out.display());
    }
}

/// What was recognised, line by line.
pub(crate) fn lines(loaded: &Loaded) -> Vec<String> {
    match &loaded.character {
        Character::Upright(upright) => upright.lines(&loaded.source),
        Character::FourFooted(animal) => {
            let first = format!(
                "{}, {} joints: hips {:.2} m high, {:.0} kg, {}, {} up ({:.0} % sure); {} take(s)",
                animal.kind(),
                loaded.source.joints.len(),
                animal.leg,
                animal.mass,
                animal.space.unit_name,
                animal.space.up_name(),
                100.0 * animal.space.sure,
                loaded.source.takes.len()
            );
            std::iter::once(first).chain(animal.note()).collect()
        }
    }
}

/// Prints what `trample check` says about a character: what it is, which joint is which and how sure, its takes, and a map file to
/// edit. True if it can be used and is sure enough, or `yes`.
pub(crate) fn check(path: &Path, yes: bool) -> bool {
    let loaded = match character::load(path, &MapOptions::default()) {
        Ok(loaded) => loaded,
        Err(problem) => {
            println!("error: {problem}");
            // What can be said of a file that is not understood: its joints, to name them in a map file.
            if let Ok(source) = character::peek(path) {
                print_joints(&source);
                println!("  a map file to edit, {}:", path.with_extension("map.toml").display());
                print_map(None, |_| None);
            }
            return false;
        }
    };
    let doubt = loaded.doubt();
    let sure = doubt.is_none() || yes;
    let problem = loaded.problem();
    let word = match &problem {
        Some(_) => "error",
        None if sure => "ok",
        None => "unsure",
    };
    println!("{word}: {}: {}", path.display(), lines(&loaded).join("\n  "));
    if let Some(problem) = &problem {
        println!("error: {problem}");
    }
    let name = |j: usize| loaded.source.joints[j].name.clone();
    match &loaded.character {
        Character::Upright(upright) => {
            for part in character::Part::ALL {
                let found = upright.mapping.found[part as usize].map_or("not found".to_string(), |f| {
                    format!("`{}` by {} ({:.0} %)", name(f.joint), f.how.words(), 100.0 * f.sure)
                });
                println!("  {:<15} {found}", part.name());
            }
            println!("  takes:");
            for (t, take) in upright.takes.iter().enumerate() {
                let (shows, speeds) = upright.shows(&loaded.source, t);
                let speeds: Vec<String> = speeds.iter().map(|v| format!("{v:.2} m/s")).collect();
                println!(
                    "    `{}`: {:.2} s, {} {}",
                    take.name,
                    take.seconds,
                    shows.words(),
                    speeds.join(", ")
                );
            }
            let chosen = loaded.chosen(&Skeleton::new(&upright.body), None);
            match chosen {
                Ok(chosen) if !chosen.takes.is_empty() => {
                    let used: Vec<String> =
                        chosen.takes.iter().map(|(name, v)| format!("`{name}` at {v:.2} m/s")).collect();
                    println!("  played unless `take` says otherwise: {}", used.join(", "));
                    chosen.notes.iter().for_each(|note| println!("  {note}"));
                }
                Ok(_) => println!("    none: it moves by generated motion, or by that of another file"),
                Err(problem) => println!("  {problem}"),
            }
            let unsure: Vec<String> = character::Part::ALL
                .iter()
                .filter_map(|part| {
                    let found = upright.mapping.found[*part as usize];
                    match found {
                        Some(f) if f.sure < 0.8 => Some(format!("{} ({:.0} %)", part.name(), 100.0 * f.sure)),
                        None => Some(format!("{} (not found)", part.name())),
                        _ => None,
                    }
                })
                .chain((upright.space.sure < 0.8).then(|| format!("unit: {}", upright.space.unit_name)))
                .collect();
            println!("  unsure: {}", if unsure.is_empty() { "nothing".into() } else { unsure.join(", ") });
            println!("  a map file to edit, {}:", path.with_extension("map.toml").display());
            let space = Some((upright.space.unit, upright.space.up_name(), upright.body.mass));
            print_map(space, |part| upright.mapping.joint(part).map(name));
        }
        Character::FourFooted(animal) => {
            for (foot, leg) in animal.named_legs() {
                let joints: Vec<String> = leg.iter().map(|&j| name(j)).collect();
                println!("  {foot:<15} {}", joints.join(" › "));
            }
            println!("  takes:");
            let strides = animal.strides(&loaded.source);
            for take in &strides.all {
                println!(
                    "    `{}`: goes round {:.2} m/s, stride {:.2} m",
                    take.name,
                    take.stride.speed(),
                    take.stride.advance
                );
            }
            for (name, why) in &strides.others {
                println!("    `{name}`: not locomotion: {why}");
            }
            if let Ok(chosen) = strides.choose(None, None) {
                println!("  played unless `take` or `speed` says otherwise: `{}`", chosen.name);
            }
            println!("  unsure: unit ({}) ({:.0} %)", animal.space.unit_name, 100.0 * animal.space.sure);
            println!("  a map file to edit, {}:", path.with_extension("map.toml").display());
            print_map(Some((animal.space.unit, animal.space.up_name(), animal.mass)), |_| None);
        }
    }
    if let Some(doubt) = doubt {
        println!("warning: {doubt}");
    }
    sure && problem.is_none()
}

/// The joints of a file, each below its parent, and its takes.
fn print_joints(source: &character::Source) {
    println!("  {} joints:", source.joints.len());
    let mut depth = vec![0usize; source.joints.len()];
    for (j, joint) in source.joints.iter().enumerate().take(400) {
        depth[j] = joint.parent.map_or(0, |p| depth[p] + 1);
        println!("    {}{}", "  ".repeat(depth[j].min(20)), joint.name);
    }
    let takes: Vec<String> = source.takes.iter().map(|t| format!("`{}`", t.name)).collect();
    println!("  takes: {}", if takes.is_empty() { "none".into() } else { takes.join(", ") });
}

/// A map file that says what was found, with lines to fill in for the rest.
fn print_map(space: Option<(f32, &str, f64)>, joint: impl Fn(character::Part) -> Option<String>) {
    match space {
        Some((unit, up, mass)) => println!("    unit = {unit}\n    up = \"{up}\"\n    mass = {mass:.1}"),
        None => println!("    # unit = 1.0\n    # up = \"y\""),
    }
    println!("    [joints]");
    for part in character::Part::ALL {
        match joint(part) {
            Some(name) => println!("    {} = {name:?}", part.name()),
            None => println!("    # {} = \"\"", part.name()),
        }
    }
}
