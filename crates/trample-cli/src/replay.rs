//! `trample replay`: runs a recorded run again and names the first step that differs.

use crate::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use trample::World;
use trample_files::RunFile;

/// Whether the run is the same to the last bit.
pub(crate) fn replay(path: &Path) -> Result<bool, Failure> {
    let inside = path.join("run.trample");
    let path = if path.is_dir() { inside.as_path() } else { path };
    let file = RunFile::load(path)?;
    let scene = file.source.scene()?;
    let notes = serde_json::from_slice::<serde_json::Value>(&file.notes).unwrap_or_default();
    if notes.get("actions").and_then(|a| a.as_array()).is_some_and(|a| !a.is_empty()) {
        let problem = format!(
            "{}: somebody walked in this run; the simulator shows it: trample play --replay {}",
            path.display(),
            path.display()
        );
        return Err(problem.into());
    }
    let mut world = World::new(&scene)?;
    let total = file.recording.digests.len() as u64;
    let bar = ProgressBar::new(total);
    bar.set_style(ProgressStyle::with_template("replay [{bar:32}] {pos}/{len} steps ETA {eta}")?);
    let different = file.recording.first_difference(&mut world, scene.dt(), |step| {
        if step % 64 == 0 {
            bar.set_position(step);
        }
    });
    bar.finish_and_clear();
    if let Some(step) = different {
        println!("DIVERGED at step {step} of {total} (t = {:.4} s)", step as f64 * scene.dt());
        return Ok(false);
    }
    let Some(expected) = file.final_hash else {
        println!("identical: {total} steps of an unfinished run");
        return Ok(true);
    };
    world.settle();
    let hash = world.hash();
    if hash != expected {
        println!(
            "DIVERGED at the end: hash {hash:016x}, recorded {expected:016x}, though all {total} steps agree"
        );
        return Ok(false);
    }
    println!("identical: {total} steps, hash {hash:016x}");
    Ok(true)
}
