//! Motion from elsewhere: a [`Draft`] whose [`contacts`] are found and whose feet are locked, cut into clips; a walker's own
//! motion is [`Recorded`] and completed by generated clips.

pub mod contacts;
mod cut;
mod draft;
mod lock;
mod recorded;
mod round;

pub use cut::cut;
pub use draft::{Draft, Moment, leg_change, pitch_and_heading};
pub use lock::{Skate, skate};
pub use recorded::{MOST_FRAMES, Recorded, with_mirrored};
