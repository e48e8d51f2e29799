//! # trample-season
//!
//! Simulates many people over many days. A [`Run`] advances a scene with gates, trips or routes over its calendar: each morning people
//! choose their paths by a cost field from the state of the ground, and their footfalls are recorded; each evening compaction, wear and
//! displaced material are applied, with rain and regrowth.
//!
//! Live mode simulates bodies and stems in steps of 1/60 s. Here a footfall is an event: its print comes from an [`atlas`] recorded from
//! live steps, and the ground deforms by the same natural law. Loss of plant cover follows a curve fitted to live plants ([`damage`]).

pub mod atlas;
pub mod cost;
pub mod damage;
pub mod day;
mod evening;
pub mod ground;
mod kept;
pub mod land;
pub mod lane;
mod loose;
pub mod measure;
pub mod people;
mod season;
mod stamp;
pub mod store;
pub mod unit;
pub mod ways;

pub use ground::Ground;
pub use season::{DayRow, Part, Run, rules, season_of, wear_of, wear_sums};

/// Why a season cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum SeasonError {
    /// The scene cannot be built.
    #[error(transparent)]
    World(#[from] trample::SceneError),
    /// The scene is no season, or has what a season cannot do.
    #[error("{0}")]
    Scene(String),
    /// A file of a run is missing or damaged.
    #[error("{0}")]
    Files(String),
}
