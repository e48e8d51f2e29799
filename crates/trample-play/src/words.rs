//! Parameters for people: plain words, the papers' symbols, and units that are spoken in. One line per parameter that has them; the
//! others are called as in a scene file.

use crate::parameter::{Group, Kind, Parameter};

/// What a person calls a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// Its key.
    pub key: &'static str,
    /// Plain words.
    pub words: &'static str,
    /// The papers' symbol, `""` where they have none.
    pub symbol: &'static str,
    /// Whether it is in the plain panel; the others are behind "all".
    pub plain: bool,
}

const fn plain(key: &'static str, words: &'static str, symbol: &'static str) -> Words {
    Words { key, words, symbol, plain: true }
}

const fn other(key: &'static str, words: &'static str, symbol: &'static str) -> Words {
    Words { key, words, symbol, plain: false }
}

/// Symbols as in DF (E, ν, τ, L0), Bekker and Wong (k_c, k_φ, n, c, φ) and beam theory (EI).
const WORDS: &[Words] = &[
    plain("ground.preset", "ground", ""),
    plain("ground.youngs_modulus", "stiffness of the ground", "E"),
    plain("ground.layer", "depth of the soft layer", "L0"),
    plain("ground.poisson_ratio", "how much is pushed aside", "ν"),
    plain("ground.rest_angle_deg", "rest angle of loose material", ""),
    plain("ground.moisture", "water in the ground", ""),
    plain("plants.species", "plants", ""),
    plain("plants.density", "plants per square metre", ""),
    plain("plants.plant_height", "height of the plants", ""),
    plain("body.footwear", "footwear", ""),
    plain("body.mass", "mass of the walker", "m"),
    plain("body.height", "height of the walker", ""),
    plain("walk.speed", "speed on its route", "v"),
    other("ground.characteristic_time", "time it takes to yield", "τ"),
    other("ground.cohesive_modulus", "cohesive stiffness", "k_c"),
    other("ground.frictional_modulus", "frictional stiffness", "k_φ"),
    other("ground.exponent", "exponent of sinkage", "n"),
    other("ground.bulk_density", "density of untrodden ground", "ρ"),
    other("ground.density_per_decade", "density gain per tenfold footfalls", ""),
    other("ground.packing_depth", "depth that footfalls compact", ""),
    other("ground.crush_density", "density of crushed snow", ""),
    other("ground.cohesion", "cohesion (strength at no pressure)", "c"),
    other("ground.friction_deg", "angle of friction", "φ"),
    other("ground.display_sigma", "smoothing for display", "σ"),
    other("ground.carve_depth", "depth of a print (soft walks)", ""),
    other("ground.packed_share", "compacted share (soft walks)", ""),
    other("plants.bending_rigidity", "stiffness of a stem", "EI"),
    other("plants.linear_density", "mass per metre of stem", ""),
    other("plants.wear_angle_deg", "bend above which it wears", ""),
    other("plants.break_angle_deg", "bend at which it breaks", ""),
    other("plants.root_modulus", "stiffness added by roots", ""),
    other("walk.lateral_sd", "scatter of passes", "σ"),
];

/// A unit for people and what a value of the scene file is multiplied by to be in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// As it is written; may be empty.
    pub name: &'static str,
    /// Values of scene files times this are in the unit.
    pub factor: f64,
}

impl Unit {
    /// What follows a number: the unit, with a space before it where one belongs.
    pub fn suffix(&self) -> String {
        if matches!(self.name, "" | "°") { self.name.into() } else { format!(" {}", self.name) }
    }
}

impl Parameter {
    fn words(&self) -> Option<&'static Words> {
        let key = self.key();
        WORDS.iter().find(|w| w.key == key)
    }

    /// Whether it is in the plain panel.
    pub fn is_plain(&self) -> bool {
        self.words().is_some_and(|w| w.plain)
    }

    /// What a person calls it, with the papers' symbol if they have one.
    pub fn label(&self) -> String {
        match self.words() {
            Some(w) if w.symbol.is_empty() => w.words.into(),
            Some(w) => format!("{}, {}", w.words, w.symbol),
            // As in a scene file, in words.
            None => self.range.name.trim_end_matches("_deg").trim_start_matches("plant_").replace('_', " "),
        }
    }

    /// The unit that people speak in.
    pub fn unit(&self) -> Unit {
        let unit = |name, factor| Unit { name, factor };
        let slides = matches!(self.kind, Kind::Slider { .. });
        match (self.range.unit, self.group) {
            ("Pa", _) => unit("kPa", 1e-3),
            ("m", Group::Ground | Group::Law) => unit("mm", 1e3),
            ("m", Group::Plants) if self.range.max <= 3.0 => unit("cm", 1e2),
            ("m", Group::Body) if self.range.max < 3.0 => unit("cm", 1e2),
            ("", _) if slides && !self.range.integer && self.range.min == 0.0 && self.range.max == 1.0 => {
                unit("%", 100.0)
            }
            (name, _) => unit(name, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::{by_key, parameters};

    #[test]
    fn the_plain_panel_has_ten_sliders_in_words_and_spoken_units() {
        let rows = parameters();
        let plain: Vec<&Parameter> =
            rows.iter().filter(|r| r.is_plain() && matches!(r.kind, Kind::Slider { .. })).collect();
        assert_eq!(plain.len(), 10);
        for row in plain {
            assert!(row.label().contains(' ') && !row.label().contains('_'), "{}", row.label());
            assert!(!matches!(row.unit().name.trim(), "Pa" | "N/m^(n+1)"), "{}", row.key());
        }
        assert!(WORDS.iter().all(|w| by_key(w.key).is_some()), "every line is of a parameter");
        let of = |key: &str| by_key(key).map(|r| (r.label(), r.unit()));
        let kilo = Unit { name: "kPa", factor: 1e-3 };
        assert_eq!(of("ground.youngs_modulus"), Some(("stiffness of the ground, E".into(), kilo)));
        assert_eq!(of("ground.layer").map(|r| r.1), Some(Unit { name: "mm", factor: 1e3 }));
        assert_eq!(of("body.mass").map(|r| r.1.suffix()), Some(" kg".into()));
        assert_eq!(of("body.height").map(|r| r.1), Some(Unit { name: "m", factor: 1.0 }));
    }

    #[test]
    fn no_two_rows_of_a_group_are_called_the_same() {
        let rows = parameters();
        for (i, row) in rows.iter().enumerate() {
            let same = rows[..i].iter().find(|r| r.group == row.group && r.label() == row.label());
            assert!(same.is_none(), "{} and {:?}", row.key(), same.map(Parameter::key));
        }
    }
}
