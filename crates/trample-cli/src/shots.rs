//! Pictures of a run by the simulator's renderer, for its report. The simulator is a program of its own, which may not be there, may have no
//! graphics device, and may take its time: it is asked while maps are written, waited for no longer than a while, and done without.

use crate::{Failure, play};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use trample_files::RunFile;

/// Who draws the picture that a report begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Renderer {
    /// This program, which needs no graphics device
    Own,
    /// trample-play, beside this program or on the PATH
    Simulator,
}

/// The variable that says it where no option does, for scripts that run many scenes.
const VARIABLE: &str = "TRAMPLE_RENDERER";
/// Cameras of the simulator, and what they show at the end of a run.
const VIEWS: [(&str, &str); 2] = [("front", "The end of the run"), ("print", "The last print")];
/// Width and height, pixels: our choice, what a page shows.
const SIZE: &str = "960x540";
/// Longest time for all pictures together: our choice. A software renderer took 20 s for both on two busy cores.
const LIMIT: Duration = Duration::from_secs(60);
/// Longest run that is gone through again for its pictures: our choice, so that both fit into the limit.
const LONGEST: Duration = Duration::from_secs(20);

/// A picture: the name of its camera, the PNG, its caption.
pub(crate) type Shot = (&'static str, Vec<u8>, String);

/// Pictures that the simulator was asked for.
pub(crate) struct Shots {
    /// Where they go until they are taken; taken away with everything in it.
    folder: PathBuf,
    asked: Vec<(&'static str, &'static str, Child)>,
    begun: Instant,
    /// Why there are none.
    refused: Option<String>,
}

impl Renderer {
    /// What an option says, else the variable, else whoever is at hand; the simulator's program if it draws.
    pub(crate) fn program(wanted: Option<Self>) -> Result<Option<PathBuf>, Failure> {
        let said = std::env::var_os(VARIABLE).filter(|said| !said.is_empty());
        let wanted = match (wanted, said.as_ref().map(|said| said.to_str())) {
            (Some(wanted), _) => Some(wanted),
            (None, None) => None,
            (None, Some(said)) => {
                let known = said.and_then(|name| <Self as clap::ValueEnum>::from_str(name, false).ok());
                Some(known.ok_or_else(|| format!("{VARIABLE}: allowed: own, simulator, or nothing"))?)
            }
        };
        match (wanted, play::find()) {
            (Some(Self::Own), _) => Ok(None),
            (Some(Self::Simulator), None) => Err(play::missing().into()),
            (_, found) => Ok(found),
        }
    }
}

impl Shots {
    /// Asks for pictures of the end of a run, `seconds` after its start, that took `wall` to simulate. Never fails: what is wrong is told
    /// when the pictures are taken.
    pub(crate) fn ask(program: &Path, run: &RunFile, folder: PathBuf, seconds: f64, wall: Duration) -> Self {
        let mut shots = Self { folder, asked: Vec::new(), begun: Instant::now(), refused: None };
        if wall > LONGEST {
            let again = format!("repeating {:.0} s of simulation would take too long", wall.as_secs_f64());
            shots.refused = Some(again);
        } else if let Err(problem) = shots.start(program, run, seconds) {
            shots.refused = Some(problem.to_string());
        }
        shots
    }

    fn start(&mut self, program: &Path, run: &RunFile, seconds: f64) -> Result<(), Failure> {
        let told = |e: std::io::Error| format!("{}: {e}", self.folder.display());
        std::fs::create_dir_all(&self.folder).map_err(told)?;
        let file = self.folder.join("run.trample");
        run.save(&file)?;
        for (view, what) in VIEWS {
            let words = File::create(self.folder.join(format!("{view}.txt"))).map_err(told)?;
            let child = Command::new(program)
                .args([
                    "--render",
                    "--camera",
                    view,
                    "--size",
                    SIZE,
                    "--at",
                    &seconds.to_string(),
                    "--replay",
                ])
                .arg(&file)
                .arg("--out")
                .arg(self.folder.join(format!("{view}.png")))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(words)
                .spawn()
                .map_err(|e| format!("{} cannot be started: {e}", program.display()))?;
            self.asked.push((view, what, child));
        }
        Ok(())
    }

    /// The pictures, as soon as all are there or the time is over; none, and a line that says why, where one is missing.
    pub(crate) fn take(mut self) -> Vec<Shot> {
        let refused = self.refused.take();
        match refused.map_or_else(|| self.wait(), Err) {
            Ok(shots) => shots,
            Err(problem) => {
                eprintln!(
                    "trample-play made no picture for the report, which uses the built-in renderer: {problem} (--renderer own avoids this)"
                );
                Vec::new()
            }
        }
    }

    fn wait(&mut self) -> Result<Vec<Shot>, String> {
        let mut shots = Vec::new();
        for (view, what, child) in &mut self.asked {
            let status = loop {
                match child.try_wait().map_err(|e| e.to_string())? {
                    Some(status) => break status,
                    None if self.begun.elapsed() > LIMIT => {
                        return Err(format!("it was not ready after {} s", LIMIT.as_secs()));
                    }
                    None => std::thread::sleep(Duration::from_millis(20)),
                }
            };
            if !status.success() {
                let words = std::fs::read(self.folder.join(format!("{view}.txt"))).unwrap_or_default();
                let words = String::from_utf8_lossy(&words).into_owned();
                let last = words.lines().rev().find(|line| !line.trim().is_empty());
                return Err(last.map_or_else(|| status.to_string(), String::from));
            }
            let path = self.folder.join(format!("{view}.png"));
            let png = std::fs::read(&path).map_err(|e| format!("{view}.png: {e}"))?;
            png::Decoder::new(std::io::Cursor::new(&png))
                .read_info()
                .map_err(|e| format!("{view}.png: {e}"))?;
            shots.push((*view, png, format!("{what}. Drawn by the simulator (trample-play).")));
        }
        Ok(shots)
    }
}

impl Drop for Shots {
    /// Leaves nobody drawing and nothing of it in the folder.
    fn drop(&mut self) {
        for (_, _, child) in &mut self.asked {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
