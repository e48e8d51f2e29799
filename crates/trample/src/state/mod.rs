//! All that persists between steps, and only that.

pub mod base;
pub mod ground;
pub mod puppet;
pub mod tile;
pub mod walker;

pub use base::{Base, Raster};
pub use ground::{Ground, Paint, PaintShape};
pub use puppet::{Foot, Hold, Pose, Puppet, SolePose};
pub use tile::{TILE, Tile, TileKey, Tiles};
pub use walker::Walker;
