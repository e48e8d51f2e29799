//! Parameters: structs with public fields, published presets as constants, and tables of allowed ranges.
//!
//! [`material`] and [`species`] hold the presets. [`Material`], [`Species`] and [`Body`] have a table `FIELDS` of [`Field`]s: name, unit,
//! allowed [`Range`], meaning, source, getter and setter. Scene files, `--set`, panels, links and checks are made from these tables.

pub(crate) mod body;
pub(crate) mod field;
pub mod material;
pub(crate) mod natural;
mod sole;
pub mod species;

pub use body::{Body, Segment};
pub use field::{Field, Range, degrees};
pub use material::{Bekker, Law, Material, Preset};
pub use natural::Natural;
pub use sole::{Footwear, Sole, SoleError};
pub use species::Species;

/// The name of a preset in a table of this crate.
pub type PresetName = &'static str;

/// Reads a name and finds it in a table.
#[cfg(feature = "serde")]
fn one_of<'de, D: serde::Deserializer<'de>>(
    reader: D,
    mut names: impl Iterator<Item = PresetName>,
) -> Result<PresetName, D::Error> {
    let name: String = serde::Deserialize::deserialize(reader)?;
    names.find(|n| *n == name).ok_or_else(|| serde::de::Error::custom(format!("no preset `{name}`")))
}

/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.806_65;
