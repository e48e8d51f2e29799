//! The command `trample`: runs scenes of feet on natural ground and shows what they leave.

mod bench;
mod calibrate;
mod check;
mod cover;
mod export;
mod figures;
mod gltf;
mod look;
mod motion;
mod output;
mod picture;
mod play;
mod presets;
mod replay;
mod reproduce;
mod run;
mod serve;
mod walk;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// What feet do to natural ground: snow, sand, mud and soil under moving soles, exact and deterministic.
#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:
  trample run                              a walk across snow, with pictures, into out/walk-snow
  trample run masses --out masses          50, 75 and 100 kg on dry soil
  trample run walk-mud --set mass=100 --set cell=0.01
  trample run my-scene.toml --resume       go on after a crash
  trample walk --gltf walk.glb             an animated body and its prints, for any 3D viewer
  trample walk --slope 12 --compare        without balance (red) and with it (blue)
  trample scenes walk-snow > my-scene.toml a scene to edit
  trample calibrate --species carex-pensylvanica   fit how it wears to measured cover
  trample check my-scene.toml dem.tif      what is wrong with a file, and where
  trample reproduce all                    every experiment of the papers, one report
  trample replay out/walk-snow             is it still the same, step by step?
  trample play walk-mud                    walk about in it yourself
  trample render walk-snow --at 3 --camera print --out print.png"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene and write maps, pictures, a report and a run file
    Run(run::Options),
    /// List the ground materials, footwear and laws with their published ranges and sources
    Presets {
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List the library scenes, or print one as TOML to edit
    Scenes {
        /// A library scene to print
        name: Option<String>,
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Check scene files, height maps, run files, characters and motions
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Measure speed and memory beside naive baselines in the same run
    Bench(bench::Options),
    /// Fit how a species wears to measured cover against passes
    Calibrate(calibrate::Options),
    /// Measure a recorded motion or a character (BVH, glTF, GLB, VRM), or export generated motion
    Motion(motion::Options),
    /// Let a body walk: a filmstrip, plots of angles, forces and heights
    Walk(walk::Options),
    /// Run the papers' experiments and lay them beside the published numbers
    Reproduce(reproduce::Options),
    /// Open the simulator in a window, or serve its page with --web
    Play(play::Options),
    /// Pictures and films of a scene in 3D, without a window
    Render(play::Render),
    /// Run a recorded run again and name the first step that differs
    Replay {
        /// A run.trample file, or the folder that holds it
        file: PathBuf,
    },
}

/// What the command answers a person with when it cannot go on.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    // A reader that goes away, as `head` does, is no reason for a backtrace.
    std::panic::set_hook(Box::new(|info| {
        let told = info.payload_as_str().unwrap_or_default();
        if told.contains("Broken pipe") {
            std::process::exit(0);
        }
        eprintln!("error: this should not have happened: {info}");
    }));
    let done = match Arguments::parse().command {
        Command::Run(options) => run::run(&options),
        Command::Presets { json } => {
            presets::presets(json);
            Ok(true)
        }
        Command::Scenes { name, json } => presets::scenes(name.as_deref(), json),
        Command::Check { files } => Ok(check::check(&files)),
        Command::Bench(options) => bench::run(&options),
        Command::Calibrate(options) => calibrate::run(&options),
        Command::Motion(options) => motion::run(&options),
        Command::Walk(options) => walk::run(&options),
        Command::Reproduce(options) => reproduce::run(&options),
        Command::Play(options) => play::play(&options),
        Command::Render(options) => play::render(&options),
        Command::Replay { file } => replay::replay(&file),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}
