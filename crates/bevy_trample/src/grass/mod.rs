//! Plants as blades: which clumps are worth drawing from where somebody looks, and which changed.
//!
//! In: the world, an eye. Out: which clumps are shown, and four points of each stem to write. Far clumps are larger and show a
//! share of their stems, wider. Only clumps with plants that move are written again. Knows nothing of graphics cards.

mod blade;
#[cfg(feature = "render")]
pub(crate) mod detail;
mod field;

pub use blade::Blade;
pub use field::{Clump, ClumpWrite, Field};
#[cfg(feature = "render")]
pub(crate) use field::{HALF, MOST, size_for};
