//! # trample-lab
//!
//! Measurement tools for [`trample`].
//!
//! - [`Figures`]: the figures of a run, collected step by step, and [`summary`], which writes them as a JSON object.
//! - [`cover`]: plant cover during a run.
//! - [`Reproduce`]: the experiments of the papers, run with our model and compared with the published numbers.
//! - [`Bench`]: speed and memory compared with naive baselines measured in the same run.
//! - [`Torture`]: stress tests of the guarantees, for a given time.
//! - [`Calibrate`]: fits the wear parameters of a species to measured cover against passes.
//!
//! The last four are commands of `trample`: each is a struct of clap options with a `run` that returns whether it succeeded.
//!
//! ```
//! use trample::{World, scene::library};
//! use trample_lab::Figures;
//!
//! let scene = library::by_name("walk-soil").expect("a library scene");
//! let mut world = World::new(&scene)?;
//! let mut figures = Figures::new(scene.puppets.len());
//! for _ in 0..120 {
//!     let report = world.step(scene.dt()).clone();
//!     figures.take(&report, |_, _| ([0.0, 0.0], [1.0, 0.0]));
//! }
//! assert!(figures.total().footsteps > 0);
//! # Ok::<(), trample::SceneError>(())
//! ```

#[macro_use]
pub mod print;

mod bench;
mod calibrate;
pub mod conduct;
pub mod cover;
mod figures;
mod progress;
mod reproduce;
mod torture;
pub mod tread;

pub use bench::Bench;
pub use calibrate::Calibrate;
pub use figures::{Clock, Figures, Print, Tally, closes, summary};
pub use progress::Progress;
pub use reproduce::Reproduce;
pub use torture::Torture;

use std::path::Path;

/// What a person is told when something cannot go on.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Writes a file, whole or not at all, and its folder where there is none; a failure names the file.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    trample_files::atomic::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()).into())
}
