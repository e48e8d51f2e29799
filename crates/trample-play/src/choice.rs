//! The lists of the panel: names of grounds, laws, species, footwear, and which of them something is.

use std::sync::LazyLock;
use trample::params::{Footwear, Law, Species, material, species};
use trample::scene::{ForceModel, NamedMaterial, Placement};

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

/// Which of [`grounds`] a material is or came from: by its name, else by its colour, which no slider changes.
pub fn ground_of(named: &NamedMaterial) -> Option<usize> {
    let by_name = grounds().iter().position(|name| *name == named.name);
    by_name.or_else(|| material::PRESETS.iter().position(|p| p.material.colour == named.material.colour))
}

/// Which of [`species()`] a plant is or came from: by its colour, which no slider changes.
pub fn species_of(plant: &Species) -> Option<usize> {
    species::PRESETS.iter().position(|p| p.species.colour == plant.colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_known_by_its_colour_or_name() {
        for (i, preset) in species::PRESETS.iter().enumerate() {
            assert_eq!(species_of(&preset.species), Some(i), "{}", preset.name);
        }
        for (i, preset) in material::PRESETS.iter().enumerate() {
            let unnamed = NamedMaterial { name: "ground".into(), material: preset.material };
            assert_eq!(ground_of(&unnamed), Some(i), "{}", preset.name);
        }
        assert_eq!(grounds().len(), 31, "seven of the papers and twenty-four measured soils");
    }
}
