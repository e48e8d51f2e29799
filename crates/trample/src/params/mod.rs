//! Parameters: structs with public fields, published presets as constants, and the ranges that are allowed.

pub mod body;
pub mod material;
pub mod range;
pub mod sole;
pub mod species;

pub use body::Body;
pub use material::{Bekker, Law, Material, Preset};
pub use range::Range;
pub use sole::{Footwear, Sole};
pub use species::Species;
