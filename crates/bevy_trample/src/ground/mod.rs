//! The ground as patches of samples: what is worth drawing from where somebody looks, and which texels changed.
//!
//! In: the world, tiles that changed, an eye. Out: which patches are shown, and texels to write. Knows nothing of graphics cards,
//! so that a test can count what a frame would upload.

mod atlas;
pub mod patch;
mod texel;

pub use atlas::{Atlas, Shape, TexelWrite};
pub use texel::{Overlay, Texel};
