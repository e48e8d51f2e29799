//! All that persists between steps, and only that.

pub mod base;
pub mod cover;
pub mod ground;
pub(crate) mod lattice;
pub mod planting;
pub mod plants;
pub mod puppet;
pub mod tile;
pub mod walker;

pub use base::{Base, Raster};
pub use cover::Cover;
pub use ground::{Ground, Paint, PaintShape};
pub use planting::PLANT_CELL;
pub use plants::{PlantTally, Plants, StemState};
pub use puppet::{Foot, Hold, Pose, Puppet, SolePose};
pub use tile::{TILE, Tile, TileKey, Tiles};
pub use walker::Walker;
