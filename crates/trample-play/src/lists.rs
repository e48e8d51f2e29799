//! The lists of the panel: names of grounds, laws, species, footwear, and which of them something is.

use std::sync::LazyLock;
use trample::params::{Footwear, Law, Material, Species, material, species};
use trample::scene::{ForceModel, Placement};

type Names = Vec<&'static str>;

/// The grounds: the papers' presets, then the published Bekker–Wong soils.
pub fn grounds() -> &'static [&'static str] {
    static NAMES: LazyLock<Names> = LazyLock::new(|| {
        let papers = material::PRESETS.iter().map(|p| p.name);
        papers.chain(material::BEKKER_SOILS.iter().map(|s| s.name)).collect()
    });
    &NAMES
}

/// The ground laws.
pub fn laws() -> &'static [&'static str] {
    static NAMES: LazyLock<Names> = LazyLock::new(|| Law::ALL.iter().map(|l| l.name()).collect());
    &NAMES
}

/// The species.
pub fn species() -> &'static [&'static str] {
    static NAMES: LazyLock<Names> = LazyLock::new(|| species::PRESETS.iter().map(|p| p.name).collect());
    &NAMES
}

/// How roots are strewn.
pub fn placements() -> &'static [&'static str] {
    static NAMES: LazyLock<Names> = LazyLock::new(|| Placement::ALL.iter().map(|p| p.0).collect());
    &NAMES
}

/// Footwear.
pub fn footwear() -> &'static [&'static str] {
    static NAMES: LazyLock<Names> = LazyLock::new(|| Footwear::ALL.iter().map(|f| f.name()).collect());
    &NAMES
}

/// Force models.
pub fn forces() -> &'static [&'static str] {
    static NAMES: LazyLock<Names> = LazyLock::new(|| ForceModel::ALL.iter().map(|f| f.0).collect());
    &NAMES
}

/// Which of [`grounds`] a material is or came from.
pub fn ground_of(material: &Material) -> Option<usize> {
    grounds().iter().position(|name| *name == material.preset)
}

/// Which of [`species()`] a plant is or came from.
pub fn species_of(plant: &Species) -> Option<usize> {
    species().iter().position(|name| *name == plant.preset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_known_whatever_its_numbers_are() {
        for (i, preset) in species::PRESETS.iter().enumerate() {
            let other = Species { height: 0.123, colour: [1, 2, 3], ..preset.species };
            assert_eq!(species_of(&other), Some(i), "{}", preset.name);
        }
        for (i, preset) in material::PRESETS.iter().enumerate() {
            let other = Material { layer: 0.123, colour: [1, 2, 3], ..preset.material };
            assert_eq!(ground_of(&other), Some(i), "{}", preset.name);
        }
        assert_eq!(
            grounds().len(),
            45,
            "eleven of the papers, ten natural ones and twenty-four measured soils"
        );
    }
}
