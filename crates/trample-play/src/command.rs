//! Arguments of the command.

use crate::app::render::{self, Film};
use crate::app::{self, Setup};
use crate::camera::View;
use crate::options::{self, Overlays, Quality};
use crate::start;
use bevy::app::AppExit;
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use trample::Map;
use trample_files::RunFile;

/// The simulator in a window: walk on deformable ground, change parameters, watch prints and plants.
#[derive(Parser, Debug)]
#[command(
    name = "trample-play",
    version,
    after_help = "Examples:
  trample-play                                a walk in fresh snow
  trample-play stroll                         over rolling ground with ten thousand plants
  trample-play walk-mud --set mass=100
  trample-play my-scene.toml --quality low
  trample-play --replay out/walk-snow/run.trample
  trample-play walk-snow --render --at 3 --camera print --out print.png
  trample-play meadow --render --at 4 --camera orbit --turntable --frames 48 --out around.png"
)]
struct Arguments {
    /// A library scene or a file
    #[arg(default_value = start::OPENING)]
    scene: String,
    /// Set a field of the scene, as in mass=90 or terrain.cell=0.01
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Show a recorded run from its beginning
    #[arg(long, value_name = "RUN.TRAMPLE")]
    replay: Option<PathBuf>,
    /// Rendering quality: low, medium or high
    #[arg(long, value_parser = quality, default_value = "medium")]
    quality: Quality,
    /// Rendered pixels per window pixel along each side, 0.25 to 1 [default: by quality]
    #[arg(long, value_parser = resolution)]
    resolution: Option<f32>,
    /// Simulated seconds per second, 0.05 to 4
    #[arg(long, value_parser = time_scale, default_value_t = 1.0)]
    time_scale: f64,
    #[arg(long, value_parser = view, help = format!("{} [default: follow; front for the opening scene]", View::ALL.map(View::name).join(", ")))]
    camera: Option<View>,
    #[arg(long, value_parser = map, help = format!("Map drawn over the ground: {}", Map::names()))]
    overlay: Option<Map>,
    /// Overlays to draw: forces, contact, border, balance, perceived, stiffness, skeleton, wireframe, routes
    #[arg(long, value_delimiter = ',', value_parser = switch)]
    show: Vec<String>,
    /// Size of the window or picture, pixels
    #[arg(long, value_parser = size, default_value = "1280x720")]
    size: [u32; 2],
    /// Start paused
    #[arg(long)]
    paused: bool,
    /// Start without the panel
    #[arg(long)]
    no_panel: bool,
    /// Write the state of the session as JSON to a file every twenty frames
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Write the cost of each frame as JSON to a file: ms, vertices, draws, kB uploaded
    #[arg(long, value_name = "FILE")]
    timings: Option<PathBuf>,
    /// Play input from a script with one JSON object per line; sixty frames then count as one second
    #[arg(long, value_name = "FILE")]
    drive: Option<PathBuf>,
    /// Folder for pictures and exports
    #[arg(long, default_value = "out")]
    folder: PathBuf,
    /// Write a picture and exit, without a window
    #[arg(long)]
    render: bool,
    /// Time of the picture in the scene, s
    #[arg(long, value_parser = seconds, allow_hyphen_values = true, default_value_t = 2.0)]
    at: f64,
    /// Number of pictures; more than one is a film
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000), default_value_t = 1)]
    frames: u32,
    /// Pictures per second of the film
    #[arg(long, value_parser = rate, allow_hyphen_values = true, default_value_t = 25.0)]
    fps: f64,
    /// Rotate the camera once around, with time stopped
    #[arg(long)]
    turntable: bool,
    /// Factor of the camera distance; below 1 is closer
    #[arg(long, value_parser = distance, allow_hyphen_values = true, default_value_t = 1.0)]
    distance: f32,
    /// Rotation of the camera, horizontal and upwards, degrees
    #[arg(long, value_parser = pair, allow_hyphen_values = true, default_value = "0,0")]
    turn: [f32; 2],
    /// Direction of the sun: degrees from +x towards +z, and above the horizon
    #[arg(long, value_parser = pair, default_value = "132,21")]
    sun: [f32; 2],
    /// Output file; with several frames an animated PNG, or a folder if it does not end in .png
    #[arg(long, value_parser = picture, default_value = "picture.png")]
    out: PathBuf,
}

fn quality(name: &str) -> Result<Quality, String> {
    Quality::by_name(name).ok_or_else(|| "allowed: low, medium, high".into())
}

fn resolution(text: &str) -> Result<f32, String> {
    options::resolution(text).ok_or_else(|| "a number from 0.25 to 1".into())
}

fn time_scale(text: &str) -> Result<f64, String> {
    options::time_scale(text).ok_or_else(|| "a number from 0.05 to 4".into())
}

fn view(name: &str) -> Result<View, String> {
    View::by_name(name).ok_or_else(|| format!("allowed: {}", View::ALL.map(View::name).join(", ")))
}

fn map(name: &str) -> Result<Map, String> {
    Map::by_name(name).ok_or_else(|| format!("allowed: {}", Map::names()))
}

fn switch(name: &str) -> Result<String, String> {
    let names = Overlays::SWITCHES.map(|(name, _)| name);
    if names.contains(&name) { Ok(name.into()) } else { Err(format!("allowed: {}", names.join(", "))) }
}

fn pair(text: &str) -> Result<[f32; 2], String> {
    let both = text.split_once(',').and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
    both.filter(|p: &[f32; 2]| p.iter().all(|x| x.is_finite()))
        .ok_or_else(|| "two numbers, as in 30,-5".into())
}

/// A number between two others.
fn between(text: &str, [least, most]: [f64; 2]) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x| (least..=most).contains(x));
    number.ok_or_else(|| format!("a number from {least} to {most}"))
}

fn seconds(text: &str) -> Result<f64, String> {
    between(text, [0.0, 1e6])
}

fn rate(text: &str) -> Result<f64, String> {
    between(text, [1.0, 240.0])
}

fn distance(text: &str) -> Result<f32, String> {
    between(text, [0.05, 20.0]).map(|x| x as f32)
}

fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(other) if !other.eq_ignore_ascii_case("png") => {
            Err("pictures are PNG: a name that ends in .png, or a folder".into())
        }
        _ => Ok(path),
    }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', '×']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides
        .filter(|s| s.iter().all(|n| (64..=8192).contains(n)))
        .ok_or_else(|| "as in 1280x720, 64 to 8192 a side".into())
}

/// Reads the arguments and does what they say.
pub fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, String> {
    let mut source = start::find(&arguments.scene).map_err(|e| e.to_string())?;
    source.settings = arguments.settings;
    // What is wrong with a scene is said before a window opens.
    source.scene().map_err(|e| e.to_string())?;
    let replay = arguments.replay.map(|path| {
        let inside = path.join("run.trample");
        RunFile::load(if path.is_dir() { &inside } else { &path }).map_err(|e| e.to_string())
    });
    let mut overlays = Overlays { map: arguments.overlay, ..Overlays::default() };
    for (name, field) in Overlays::SWITCHES {
        *field(&mut overlays) = arguments.show.iter().any(|s| s == name);
    }
    let opening = start::is_own(&arguments.scene)
        && arguments.camera.is_none()
        && replay.is_none()
        && !arguments.render;
    let setup = Setup {
        source,
        replay: replay.transpose()?,
        quality: arguments.quality,
        resolution: arguments.resolution,
        time_scale: arguments.time_scale,
        view: arguments.camera.unwrap_or(if opening { View::Front } else { View::Follow }),
        opening,
        overlays,
        paused: arguments.paused,
        panel: !arguments.no_panel,
        window: arguments.size,
        state: arguments.state,
        timings: arguments.timings,
        drive: arguments.drive,
        folder: arguments.folder,
        touch: false,
        notice: String::new(),
    };
    if arguments.render {
        let film = Film {
            setup,
            at: arguments.at,
            frames: arguments.frames as usize,
            rate: arguments.fps,
            turntable: arguments.turntable,
            zoom: libm::logf(arguments.distance),
            turn: arguments.turn.map(f32::to_radians),
            sun: arguments.sun.map(f32::to_radians),
            out: arguments.out,
        };
        for file in render::render(&film)? {
            println!("{}", file.display());
        }
        return Ok(ExitCode::SUCCESS);
    }
    if cfg!(target_os = "linux")
        && ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none())
    {
        return Err("there is no display for a window; --render takes pictures without one".into());
    }
    match app::run(setup)? {
        AppExit::Success => Ok(ExitCode::SUCCESS),
        AppExit::Error(code) => Ok(ExitCode::from(code.get())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_fit_together() {
        Arguments::command().debug_assert();
        let given = [
            "trample-play",
            "walk-mud",
            "--render",
            "--turn",
            "30,-5",
            "--show",
            "forces,border",
            "--size",
            "320x180",
        ];
        let arguments = Arguments::parse_from(given);
        assert_eq!((arguments.size, arguments.turn, arguments.render), ([320, 180], [30.0, -5.0], true));
        for wrong in [
            ["--camera", "moon"],
            ["--at", "nan"],
            ["--at", "-1"],
            ["--frames", "0"],
            ["--fps", "0"],
            ["--distance", "-3"],
            ["--out", "x.jpg"],
        ] {
            assert!(Arguments::try_parse_from(["trample-play", wrong[0], wrong[1]]).is_err(), "{wrong:?}");
        }
    }
}
