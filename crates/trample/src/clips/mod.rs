//! What a body can play, and how it is found: clips of the generated library in a database, searched exactly.
//!
//! A body's clips ([`library`]) make a [`Database`] with the forces of their motion ([`force`]); [`search`] finds the frame that
//! fits best and [`spring`] hides the jump to it.

mod clip;
mod database;
pub mod force;
mod held;
pub mod library;
pub mod search;
pub mod spring;
mod steady;

pub use clip::{Clip, Kind, RATE};
pub use database::{
    AHEAD, Database, RUN_UP, Shot, ShotFoot, Span, path_features, rolled_middle, slope_tags, start_tag,
    stop_tag, tag, walk_tag,
};
pub(crate) use database::{RECORDED, TAIL, tag_of};
pub use held::Held;
pub(crate) use held::RANGE;
pub use steady::{Family, Mix};
