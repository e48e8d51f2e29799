//! Motion: a body, its gait generator, and the forces of motion.
//!
//! In: a body, a path, a style. Out: poses, soles and centres of mass at any time. Order of the data: [`path`] → [`timing`] →
//! [`steps`] ([`stance`], [`swing`], [`curves`]) → [`centre`] → [`solve`] → [`gait`] → [`clip`] → [`force`]. A body's clips make a [`database`], found by [`search`]; [`spring`] hides the jumps between them.

pub mod centre;
pub mod clip;
pub mod curves;
pub mod database;
pub mod force;
pub mod gait;
pub mod jump;
pub mod library;
pub mod path;
pub mod plan;
pub mod rig;
pub mod search;
pub mod skeleton;
pub mod skin;
pub mod solve;
pub mod spring;
pub mod stance;
pub mod steps;
pub mod style;
pub mod swing;
pub mod timing;

pub use clip::Clip;
pub use gait::{Frame, Gait};
pub use path::{Path, Root, Track};
pub use rig::Rig;
pub use skeleton::{Joint, Skeleton};
pub use skin::Skin;
pub use stance::Ground;
pub use style::Style;
