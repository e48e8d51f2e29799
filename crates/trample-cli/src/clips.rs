//! `trample motion --export`: our own generated clips for other tools, as BVH and as binary glTF.

use crate::Failure;
use serde_json::{Value, json};
use std::path::Path;
use trample::body::Skeleton;
use trample::clips::{Clip, library};
use trample::gait::Style;
use trample::params::Body;
use trample_files::character::write_bvh;
use trample_files::glb;
use trample_lab::save;

/// Writes every clip of a built-in body on shoes, each in both formats.
pub(crate) fn run(folder: &Path, body: &str, as_json: bool) -> Result<bool, Failure> {
    let figure = Body::by_name(body)
        .ok_or_else(|| format!("--body {body}: no such body, allowed: {}", Body::VARIANTS.join(", ")))?;
    let skeleton = Skeleton::new(&figure);
    let clips = library::clips_on(&figure, &skeleton, &Style::default());
    let mut names: Vec<String> = Vec::with_capacity(clips.len());
    let mut rows: Vec<Value> = Vec::with_capacity(clips.len());
    for clip in &clips {
        let plain = name(clip);
        // Two clips that are about the same have numbers.
        let same = names.iter().filter(|n| **n == plain).count();
        names.push(plain.clone());
        let name = if same == 0 { plain } else { format!("{plain}-{}", same + 1) };
        save(&folder.join(format!("{name}.bvh")), write_bvh(clip, &skeleton).as_bytes())?;
        save(&folder.join(format!("{name}.glb")), &glb::clip_bytes(clip, &skeleton, &name)?)?;
        rows.push(json!({
            "name": name,
            "speed_m_s": clip.speed,
            "turning_deg_s": clip.yaw_rate.to_degrees(),
            "slope_deg": clip.slope.to_degrees(),
            "duration_s": clip.frames.len() as f64 * clip.dt,
        }));
    }
    let all = json!({ "body": body, "frame_rate_hz": trample::clips::RATE, "clips": rows });
    let text = serde_json::to_string_pretty(&all)? + "\n";
    save(&folder.join("clips.json"), text.as_bytes())?;
    if as_json {
        print!("{text}");
    } else {
        println!(
            "{} clips of body `{body}` as BVH and GLB, and clips.json, are in {}",
            clips.len(),
            folder.display()
        );
    }
    Ok(true)
}

/// What a clip is called: kind, speed, turning and slope.
fn name(clip: &Clip) -> String {
    let mut name = clip.kind.name().to_string();
    if clip.speed > 0.01 {
        name += &format!("-{:.2}", clip.speed);
    }
    let (turning, slope) = (clip.yaw_rate.to_degrees().round(), clip.slope.to_degrees().round());
    if turning != 0.0 {
        name += &format!("-{}{:.0}", if turning > 0.0 { "right" } else { "left" }, turning.abs());
    }
    if slope != 0.0 {
        name += &format!("-{}{:.0}", if slope > 0.0 { "up" } else { "down" }, slope.abs());
    }
    name
}
