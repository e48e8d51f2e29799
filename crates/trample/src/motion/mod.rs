//! Motion: a body, its gait generator, and the forces of motion.
//!
//! In: a body, a path, a style. Out: poses, soles and centres of mass at any time. Order of the data: [`path`] → [`timing`] →
//! [`steps`] ([`stance`], [`swing`], [`curves`]) → [`centre`] → [`solve`] → [`gait`] → [`clip`] → [`force`]. A body's clips make a [`database`], found by [`search`]; [`spring`] hides the jumps between them.
//! Motion from elsewhere is a [`draft`]: its [`contacts`] are found, its feet [`lock`]ed; [`share`] splits a force between any
//! number of feet. A walker's own motion is [`recorded`] and completed by generated clips.

pub mod centre;
pub mod clip;
pub mod contacts;
pub mod curves;
pub mod cut;
pub mod database;
pub mod draft;
pub mod force;
pub mod gait;
pub mod jump;
pub mod library;
pub mod lock;
pub mod path;
pub mod plan;
pub mod recorded;
pub mod rig;
pub mod search;
pub mod share;
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
pub use draft::{Draft, Moment};
pub use gait::{Frame, Gait};
pub use path::{Path, Root, Track};
pub use recorded::Recorded;
pub use rig::Rig;
pub use skeleton::{Joint, Skeleton};
pub use skin::Skin;
pub use stance::Ground;
pub use style::Style;
