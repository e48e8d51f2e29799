//! File formats of trample. Input: characters and motion, scenes in TOML, height maps and DEMs. Output: maps, animated scenes and run
//! files.
//!
//! Errors for invalid input name the file, the line, the field and the allowed values. Sizes are limited before
//! memory is allocated, readers do not panic, and a file is written completely or not at all. Where there is no disk, files are held in
//! [`memory`].

pub mod atomic;
pub mod character;
pub mod cover_table;
pub mod daily_table;
pub mod geodesy;
pub mod glb;
pub mod gpx;
pub mod history;
pub mod inputs;
pub mod memory;
pub mod obj;
pub mod raster;
pub mod run_file;
pub mod scene_file;
pub mod usda;

pub use run_file::{RunFile, RunFileError};
pub use scene_file::{Built, Cast, SceneFileError, Source};
