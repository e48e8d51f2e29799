//! All that persists between steps, and only that.

pub(crate) mod cover;
pub(crate) mod ground;
pub(crate) mod lattice;
pub(crate) mod layers;
mod ledger;
pub(crate) mod planting;
pub(crate) mod plants;
pub(crate) mod puppet;
pub(crate) mod tile;
pub(crate) mod walker;
mod worn;

pub(crate) use cover::Cover;
pub use ground::Ground;
pub(crate) use ledger::Ledger;
pub use planting::PLANT_CELL;
pub use plants::{PlantTally, Plants, StemState};
pub use puppet::{Foot, Puppet};
pub(crate) use tile::Tiles;
pub use tile::{TILE, Tile, TileKey};
pub(crate) use walker::Ahead;
pub use walker::Walker;
