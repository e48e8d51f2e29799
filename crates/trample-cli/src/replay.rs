//! `trample replay`: runs a recorded run again and names the first step that differs.

use crate::Failure;
use std::path::PathBuf;
use trample::World;
use trample_files::RunFile;
use trample_lab::Progress;

/// Repeat a recorded run and report the first step that differs
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample replay out/walk-snow             compare every step with the recording")]
pub(crate) struct Replay {
    /// A run.trample file, or the folder that holds it
    file: PathBuf,
}

impl Replay {
    /// Whether the run is the same to the last bit.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        crate::folder::no_season(&self.file)?;
        let path = if self.file.is_dir() { self.file.join("run.trample") } else { self.file.clone() };
        let file = RunFile::load(&path)?;
        let changed = file.changed_inputs();
        if !changed.is_empty() {
            let problem = format!("{} since it was begun: it cannot be replayed", changed.join(", "));
            return Err(format!("{}: {problem}", path.display()).into());
        }
        let scene = file.source.scene()?;
        let notes = serde_json::from_slice::<serde_json::Value>(&file.notes).unwrap_or_default();
        if notes.get("actions").and_then(|a| a.as_array()).is_some_and(|a| !a.is_empty()) {
            let problem = format!(
                "{}: this run was steered in the simulator; replay it there: trample play --replay {}",
                path.display(),
                path.display()
            );
            return Err(problem.into());
        }
        let mut world = World::new(&scene)?;
        let total = file.recording.steps();
        let bar = Progress::new("replay", total, "[{bar:32}] {pos}/{len} steps ETA {eta}")?;
        let different = file.recording.first_difference(&mut world, scene.dt(), |step| {
            if step % 64 == 0 {
                bar.set(step, "");
            }
        });
        bar.finish();
        // Said where something differs: then it is no wonder.
        let other = file.writer.other_physics().map_or(String::new(), |other| format!("; {other}"));
        if let Some(steps) = different {
            let (first, last) = (*steps.start(), *steps.end());
            let place = if first == last {
                format!("at step {first}")
            } else {
                format!("in steps {first} to {last}")
            };
            println!("DIVERGED {place} of {total} (t = {:.4} s){other}", first as f64 * scene.dt());
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
                "DIVERGED at the end: hash {hash:016x}, recorded {expected:016x}, though all {total} steps agree{other}"
            );
            return Ok(false);
        }
        println!("identical: {total} steps, hash {hash:016x}");
        Ok(true)
    }
}
