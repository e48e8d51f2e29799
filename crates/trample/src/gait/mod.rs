//! The gait generator: a body, a path and a style become poses, soles and centres of mass at any time.
//!
//! Order of the data: `path` → `timing` → `steps` (`swing`, `curves`) → `reaction` → `centre` → `generator`; a `jump` beside it.

mod centre;
mod curves;
mod generator;
mod jump;
mod path;
mod plan;
mod reaction;
mod rig;
mod steps;
mod style;
mod swing;
mod timing;

pub use generator::{Frame, Gait};
pub use jump::Jump;
pub use path::{Path, Root, Track};
pub use reaction::{Reaction, Series};
pub use rig::Rig;
pub use style::Style;
pub use timing::{Pace, Timing};
pub(crate) use timing::{published_step, standing};
