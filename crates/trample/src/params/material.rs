//! Ground materials: the numbers of a cell's ground, the published presets, and the four ground laws.
//!
//! Sources: SW = Soft Walks 2021 §3.2 and Fig. 4, DF = Dynamic Footprints 2022 Table 1, TR = TRAIL 2024 Table 1,
//! W = Wong, Theory of Ground Vehicles (2008) and the measurements collected there.

use super::range::Range;

/// How the ground answers a sole. A law is a set of choices; the material gives the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// SW §3.2: sinks to a given depth at a rate, whatever the force; an even rim.
    SoftWalks,
    /// DF §5: linear viscoplastic compression, an even rim, no sliding.
    DynamicFootprints,
    /// TR §4.2: the same compression, a rim thrown where the force points, and sliding to rest.
    #[default]
    Trail,
    /// Bekker–Wong pressure–sinkage `p = (k_c/b + k_φ) zⁿ` (W) in place of Hooke's law; rim and sliding as TR.
    BekkerWong,
}

impl Law {
    /// All laws, in the order of the papers.
    pub const ALL: [Self; 4] = [Self::SoftWalks, Self::DynamicFootprints, Self::Trail, Self::BekkerWong];

    /// The name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SoftWalks => "soft-walks",
            Self::DynamicFootprints => "dynamic-footprints",
            Self::Trail => "trail",
            Self::BekkerWong => "bekker-wong",
        }
    }

    /// The law of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|law| law.name() == name)
    }

    /// Whether the rim follows the tangential force (TR-11..13) or is even (DF-13).
    pub const fn is_anisotropic(self) -> bool {
        matches!(self, Self::Trail | Self::BekkerWong)
    }

    /// Whether loose material slides to rest (TR-14..16).
    pub const fn slides(self) -> bool {
        matches!(self, Self::Trail | Self::BekkerWong)
    }
}

/// Bekker–Wong parameters of a soil (W Table 2.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bekker {
    /// `k_c`, cohesive modulus, N/m^(n+1).
    pub cohesive_modulus: f64,
    /// `k_φ`, frictional modulus, N/m^(n+2).
    pub frictional_modulus: f64,
    /// `n`, sinkage exponent.
    pub exponent: f64,
}

impl Bekker {
    /// From the table's units, kN/m^(n+1) and kN/m^(n+2).
    const fn kilo(kc: f64, kphi: f64, exponent: f64) -> Self {
        Self { cohesive_modulus: kc * 1e3, frictional_modulus: kphi * 1e3, exponent }
    }

    /// Pressure, Pa, that carries at sinkage `z` m under a patch `b` m wide.
    pub fn pressure(&self, z: f64, b: f64) -> f64 {
        (self.cohesive_modulus / b + self.frictional_modulus) * libm::pow(z.max(0.0), self.exponent)
    }
}

/// The ground of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// `E_g`, Young's modulus in compression, Pa (DF-10, TR-9).
    pub youngs_modulus: f64,
    /// `ν`, Poisson's ratio: 2ν of a carved volume is pushed aside (DF-12). 0 packs, 0.5 only moves.
    pub poisson_ratio: f64,
    /// `τ`, characteristic time in which the ground yields, s (DF-8, DF-11).
    pub characteristic_time: f64,
    /// `γ_r`, steepest slope on which loose material rests, rad (TR-14).
    pub rest_angle: f64,
    /// `L0`, thickness of the layer that yields over rigid ground, m (DF §5.1).
    pub layer: f64,
    /// Standard deviation of the smoothing for display, m (DF Table 1). The state is never smoothed.
    pub display_sigma: f64,
    /// SW's depth coefficient as the depth it leads to, m.
    pub carve_depth: f64,
    /// SW's compression coefficient: the share of the carved volume that packs instead of moving.
    pub packed_share: f64,
    /// Bekker–Wong parameters of this ground.
    pub bekker: Bekker,
    /// Colour for pictures, sRGB.
    pub colour: [u8; 3],
}

const fn degrees(angle: f64) -> f64 {
    angle * (std::f64::consts::PI / 180.0)
}

impl Material {
    /// Fresh snow (DF Table 1). Rest angle: dry snow heaps at about 38°. Bekker: Snow (US) (W).
    pub const SNOW: Self = Self {
        youngs_modulus: 0.375e6,
        poisson_ratio: 0.05,
        characteristic_time: 0.2,
        rest_angle: degrees(38.0),
        layer: 0.30,
        display_sigma: 0.005,
        carve_depth: 0.30,
        packed_share: 0.9,
        bekker: Bekker::kilo(4.37, 196.72, 1.6),
        colour: [232, 238, 246],
    };
    /// Dry sand (DF Table 1). Rest angle: 32°, dry quartz sand. Bekker: Dry sand (LLL) (W).
    pub const DRY_SAND: Self = Self {
        youngs_modulus: 2.25e6,
        poisson_ratio: 0.5,
        characteristic_time: 0.05,
        rest_angle: degrees(32.0),
        layer: 0.30,
        display_sigma: 0.01,
        carve_depth: 0.05,
        packed_share: 0.2,
        bekker: Bekker::kilo(0.99, 1528.43, 1.1),
        colour: [219, 187, 133],
    };
    /// Mud (DF Table 1). Rest angle: 15°, saturated silt. Bekker: Sandy loam (Hanamoto) 32 % (W).
    pub const MUD: Self = Self {
        youngs_modulus: 0.625e6,
        poisson_ratio: 0.35,
        characteristic_time: 0.15,
        rest_angle: degrees(15.0),
        layer: 0.30,
        display_sigma: 0.01,
        carve_depth: 0.125,
        packed_share: 0.6,
        bekker: Bekker::kilo(0.77, 51.91, 0.5),
        colour: [96, 74, 52],
    };
    /// Soil (DF Table 1). Rest angle: 30°, moist loam crumbs. Bekker: Sandy loam (LLL) 15 % (W).
    pub const SOIL: Self = Self {
        youngs_modulus: 1.25e6,
        poisson_ratio: 0.35,
        characteristic_time: 0.05,
        rest_angle: degrees(30.0),
        layer: 0.30,
        display_sigma: 0.005,
        carve_depth: 0.04,
        packed_share: 0.6,
        bekker: Bekker::kilo(5.27, 1515.04, 0.7),
        colour: [126, 94, 64],
    };
    /// Soft soil (TR Table 1). τ from the authors' prototype. Bekker: Upland sandy loam (W).
    pub const SOFT_SOIL: Self = Self {
        youngs_modulus: 1.35e6,
        poisson_ratio: 0.2,
        characteristic_time: 0.2,
        rest_angle: degrees(12.5),
        display_sigma: 0.005,
        bekker: Bekker::kilo(74.6, 2080.0, 1.1),
        colour: [112, 86, 60],
        ..Self::SOIL
    };
    /// Dry soil (TR Table 1). τ from the authors' prototype. Bekker: Rubicon sandy loam (W).
    pub const DRY_SOIL: Self = Self {
        youngs_modulus: 0.35e6,
        poisson_ratio: 0.35,
        characteristic_time: 0.2,
        rest_angle: degrees(7.5),
        display_sigma: 0.005,
        bekker: Bekker::kilo(6.9, 752.0, 0.66),
        colour: [164, 132, 98],
        ..Self::SOIL
    };
    /// Wet soil (TR Table 1). τ from the authors' prototype. Bekker: Sandy loam (Hanamoto) 26 % (W).
    pub const WET_SOIL: Self = Self {
        youngs_modulus: 0.5e6,
        poisson_ratio: 0.3,
        characteristic_time: 0.2,
        rest_angle: degrees(12.5),
        display_sigma: 0.005,
        bekker: Bekker::kilo(2.79, 141.11, 0.3),
        colour: [84, 64, 46],
        ..Self::SOIL
    };

    /// What each field may be, whatever the material. Wider than any published value, tight enough that the
    /// equations stay meaningful. Fields in degrees end in `_deg`.
    pub const RANGES: [Range; 11] = [
        Range::new("youngs_modulus", "Pa", 1e4, 1e9, "Young's modulus in compression"),
        Range::new("poisson_ratio", "", 0.0, 0.5, "share of the carved volume pushed aside, halved"),
        Range::new("characteristic_time", "s", 0.001, 10.0, "time in which the ground yields"),
        Range::new("rest_angle_deg", "°", 1.0, 60.0, "steepest slope of loose material"),
        Range::new("layer", "m", 0.01, 1.5, "thickness of the layer that yields"),
        Range::new("display_sigma", "m", 0.0, 0.1, "smoothing for display"),
        Range::new("carve_depth", "m", 0.0, 1.4, "depth of a print under the soft-walks law"),
        Range::new("packed_share", "", 0.0, 1.0, "share that packs under the soft-walks law"),
        Range::new("cohesive_modulus", "N/m^(n+1)", -1e8, 1e8, "Bekker k_c"),
        Range::new("frictional_modulus", "N/m^(n+2)", 1e3, 1e9, "Bekker k_φ"),
        Range::new("exponent", "", 0.05, 3.0, "Bekker sinkage exponent n"),
    ];

    /// The value of the field of that name, in the unit of [`Material::RANGES`].
    pub fn field(&self, name: &str) -> Option<f64> {
        Some(match name {
            "youngs_modulus" => self.youngs_modulus,
            "poisson_ratio" => self.poisson_ratio,
            "characteristic_time" => self.characteristic_time,
            "rest_angle_deg" => self.rest_angle.to_degrees(),
            "layer" => self.layer,
            "display_sigma" => self.display_sigma,
            "carve_depth" => self.carve_depth,
            "packed_share" => self.packed_share,
            "cohesive_modulus" => self.bekker.cohesive_modulus,
            "frictional_modulus" => self.bekker.frictional_modulus,
            "exponent" => self.bekker.exponent,
            _ => return None,
        })
    }

    /// The field of that name, to write; angles are in radians here.
    pub fn field_mut(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "youngs_modulus" => &mut self.youngs_modulus,
            "poisson_ratio" => &mut self.poisson_ratio,
            "characteristic_time" => &mut self.characteristic_time,
            "rest_angle_deg" => &mut self.rest_angle,
            "layer" => &mut self.layer,
            "display_sigma" => &mut self.display_sigma,
            "carve_depth" => &mut self.carve_depth,
            "packed_share" => &mut self.packed_share,
            "cohesive_modulus" => &mut self.bekker.cohesive_modulus,
            "frictional_modulus" => &mut self.bekker.frictional_modulus,
            "exponent" => &mut self.bekker.exponent,
            _ => return None,
        })
    }

    /// Deepest compression the layer allows, m: 0.95 L0 (§4).
    pub fn deepest(&self) -> f64 {
        0.95 * self.layer
    }

    /// Share of a carved volume that is pushed aside under `law`: 2ν, or SW's unpacked share.
    pub fn displaced_share(&self, law: Law) -> f64 {
        match law {
            Law::SoftWalks => 1.0 - self.packed_share,
            _ => 2.0 * self.poisson_ratio,
        }
    }
}

/// A published value: the field, its range in the source, and the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The field as in [`Material::RANGES`].
    pub field: &'static str,
    /// Lowest published value.
    pub min: f64,
    /// Highest published value.
    pub max: f64,
    /// Where it is published.
    pub source: &'static str,
}

const fn published(field: &'static str, min: f64, max: f64, source: &'static str) -> Published {
    Published { field, min, max, source }
}

/// A named material with what its sources print.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Name in scene files.
    pub name: &'static str,
    /// The values we use: the middle of the published range where there is one.
    pub material: Material,
    /// The published ranges of the fields the source gives; the other fields are ours, see the constant's doc.
    pub published: &'static [Published],
}

const DF: &str = "Dynamic Footprints 2022, Table 1";
const TR: &str = "TRAIL 2024, Table 1";
const DF6: &str = "Dynamic Footprints 2022, §6";
const PROTOTYPE: &str = "the TRAIL authors' prototype";
const MEASURED: &str = "measured angles of repose";
const SW: &str = "Soft Walks 2021, §4 and Fig. 4";

/// The seven materials of the papers.
pub const PRESETS: [Preset; 7] = [
    Preset {
        name: "snow",
        material: Material::SNOW,
        published: &[
            published("youngs_modulus", 0.25e6, 0.5e6, DF),
            published("poisson_ratio", 0.05, 0.05, DF),
            published("characteristic_time", 0.2, 0.2, DF),
            published("display_sigma", 0.005, 0.005, DF),
            published("layer", 0.3, 0.3, DF6),
            published("rest_angle_deg", 38.0, 38.0, MEASURED),
            published("carve_depth", 0.30, 0.30, SW),
            published("packed_share", 0.9, 0.9, SW),
        ],
    },
    Preset {
        name: "dry-sand",
        material: Material::DRY_SAND,
        published: &[
            published("youngs_modulus", 1.5e6, 3e6, DF),
            published("poisson_ratio", 0.5, 0.5, DF),
            published("characteristic_time", 0.05, 0.05, DF),
            published("display_sigma", 0.01, 0.01, DF),
            published("layer", 0.3, 0.3, DF6),
            published("rest_angle_deg", 32.0, 32.0, MEASURED),
            published("carve_depth", 0.05, 0.05, SW),
            published("packed_share", 0.2, 0.2, SW),
        ],
    },
    Preset {
        name: "mud",
        material: Material::MUD,
        published: &[
            published("youngs_modulus", 0.5e6, 0.75e6, DF),
            published("poisson_ratio", 0.35, 0.35, DF),
            published("characteristic_time", 0.15, 0.15, DF),
            published("display_sigma", 0.01, 0.01, DF),
            published("layer", 0.3, 0.3, DF6),
            published("rest_angle_deg", 15.0, 15.0, MEASURED),
            published("carve_depth", 0.125, 0.125, SW),
            published("packed_share", 0.6, 0.6, SW),
        ],
    },
    Preset {
        name: "soil",
        material: Material::SOIL,
        published: &[
            published("youngs_modulus", 1e6, 1.5e6, DF),
            published("poisson_ratio", 0.35, 0.35, DF),
            published("characteristic_time", 0.05, 0.05, DF),
            published("display_sigma", 0.005, 0.005, DF),
            published("layer", 0.3, 0.3, DF6),
            published("rest_angle_deg", 30.0, 30.0, MEASURED),
            published("carve_depth", 0.04, 0.04, SW),
            published("packed_share", 0.6, 0.6, SW),
        ],
    },
    Preset {
        name: "soft-soil",
        material: Material::SOFT_SOIL,
        published: &[
            published("youngs_modulus", 0.7e6, 2e6, TR),
            published("poisson_ratio", 0.1, 0.3, TR),
            published("rest_angle_deg", 10.0, 15.0, TR),
            published("characteristic_time", 0.2, 0.2, PROTOTYPE),
            published("layer", 0.3, 0.3, DF6),
        ],
    },
    Preset {
        name: "dry-soil",
        material: Material::DRY_SOIL,
        published: &[
            published("youngs_modulus", 0.2e6, 0.5e6, TR),
            published("poisson_ratio", 0.3, 0.4, TR),
            published("rest_angle_deg", 5.0, 10.0, TR),
            published("characteristic_time", 0.2, 0.2, PROTOTYPE),
            published("layer", 0.3, 0.3, DF6),
        ],
    },
    Preset {
        name: "wet-soil",
        material: Material::WET_SOIL,
        published: &[
            published("youngs_modulus", 0.3e6, 0.7e6, TR),
            published("poisson_ratio", 0.2, 0.4, TR),
            published("rest_angle_deg", 10.0, 15.0, TR),
            published("characteristic_time", 0.2, 0.2, PROTOTYPE),
            published("layer", 0.3, 0.3, DF6),
        ],
    },
];

/// A soil measured with a bevameter (W Table 2.3 and, for the last three, the simulants and demos named).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BekkerSoil {
    /// Name in scene files.
    pub name: &'static str,
    /// What it is and where it was measured.
    pub what: &'static str,
    /// Moisture content, %, where given.
    pub moisture: Option<f64>,
    /// The pressure–sinkage parameters.
    pub bekker: Bekker,
    /// Friction angle, °, taken as the rest angle of the loose soil.
    pub friction_deg: f64,
}

const fn soil(
    name: &'static str,
    what: &'static str,
    moisture: Option<f64>,
    k: [f64; 3],
    friction_deg: f64,
) -> BekkerSoil {
    BekkerSoil { name, what, moisture, bekker: Bekker::kilo(k[0], k[1], k[2]), friction_deg }
}

/// The published Bekker–Wong soils. As a material each is the `soil` preset with these numbers, a 0.5 m layer
/// and the friction angle as rest angle.
#[rustfmt::skip]
pub const BEKKER_SOILS: [BekkerSoil; 24] = [
    soil("lll-dry-sand", "Dry sand (LLL)", None, [0.99, 1528.43, 1.1], 28.0),
    soil("lll-sandy-loam-15", "Sandy loam (LLL)", Some(15.0), [5.27, 1515.04, 0.7], 29.0),
    soil("lll-sandy-loam-22", "Sandy loam (LLL)", Some(22.0), [2.56, 43.12, 0.2], 38.0),
    soil("michigan-sandy-loam-11", "Sandy loam Michigan (Strong, Buchele)", Some(11.0), [52.53, 1127.97, 0.9], 20.0),
    soil("michigan-sandy-loam-23", "Sandy loam Michigan (Strong, Buchele)", Some(23.0), [11.42, 808.96, 0.4], 35.0),
    soil("hanamoto-sandy-loam-26", "Sandy loam (Hanamoto)", Some(26.0), [2.79, 141.11, 0.3], 22.0),
    soil("hanamoto-sandy-loam-32", "Sandy loam (Hanamoto)", Some(32.0), [0.77, 51.91, 0.5], 11.0),
    soil("thailand-clay-38", "Clayey soil (Thailand)", Some(38.0), [13.19, 692.15, 0.5], 13.0),
    soil("thailand-clay-55", "Clayey soil (Thailand)", Some(55.0), [16.03, 1262.53, 0.7], 10.0),
    soil("wes-heavy-clay-25", "Heavy clay (WES)", Some(25.0), [12.7, 1555.95, 0.13], 34.0),
    soil("wes-heavy-clay-40", "Heavy clay (WES)", Some(40.0), [1.84, 103.27, 0.11], 6.0),
    soil("wes-lean-clay-22", "Lean clay (WES)", Some(22.0), [16.43, 1724.69, 0.2], 20.0),
    soil("wes-lean-clay-32", "Lean clay (WES)", Some(32.0), [1.52, 119.61, 0.15], 11.0),
    soil("lete-sand", "LETE sand (Wong)", None, [102.0, 5301.0, 0.79], 31.1),
    soil("upland-sandy-loam", "Upland sandy loam (Wong)", Some(51.0), [74.6, 2080.0, 1.1], 33.7),
    soil("rubicon-sandy-loam", "Rubicon sandy loam (Wong)", Some(43.0), [6.9, 752.0, 0.66], 29.8),
    soil("north-gower-clayey-loam", "North Gower clayey loam (Wong)", Some(46.0), [41.6, 2471.0, 0.73], 26.6),
    soil("grenville-loam", "Grenville loam (Wong)", Some(24.0), [0.06, 5880.0, 1.01], 29.8),
    soil("us-snow", "Snow (US)", None, [4.37, 196.72, 1.6], 19.7),
    soil("us-snow-harrison", "Snow (US, Harrison)", None, [2.49, 245.9, 1.6], 23.2),
    soil("swedish-snow", "Snow (Sweden)", None, [10.55, 66.08, 1.44], 20.7),
    soil("mars-simulant", "DLR Mars simulant", None, [5.79, 180.0, 0.8], 17.8),
    soil("lunar-nominal", "Lunar nominal", None, [1.4, 820.0, 1.0], 35.0),
    soil("fine-grained-dry", "FGS dry (Chrono RoboSimian demo)", None, [5085.6, 6259.1, 1.42], 34.1),
];

impl BekkerSoil {
    /// The soil as a material.
    pub fn material(&self) -> Material {
        let colour = if self.name.contains("snow") { Material::SNOW.colour } else { Material::SOIL.colour };
        Material {
            bekker: self.bekker,
            layer: 0.5,
            rest_angle: self.friction_deg.to_radians(),
            colour,
            ..Material::SOIL
        }
    }
}

/// The material of that name: a preset of the papers or a published Bekker–Wong soil.
pub fn by_name(name: &str) -> Option<Material> {
    PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .map(|preset| preset.material)
        .or_else(|| BEKKER_SOILS.iter().find(|soil| soil.name == name).map(BekkerSoil::material))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_lies_in_its_published_range() {
        for preset in PRESETS {
            for p in preset.published {
                let value = preset.material.field(p.field).expect("a published field exists");
                assert!(
                    value >= p.min - 1e-9 && value <= p.max + 1e-9,
                    "{} {} = {value}, published {}..{} ({})",
                    preset.name,
                    p.field,
                    p.min,
                    p.max,
                    p.source
                );
            }
        }
    }

    #[test]
    fn every_material_lies_in_the_allowed_ranges() {
        let all = PRESETS
            .iter()
            .map(|p| (p.name, p.material))
            .chain(BEKKER_SOILS.iter().map(|s| (s.name, s.material())));
        for (name, material) in all {
            for range in Material::RANGES {
                let value = material.field(range.field).expect("a ranged field exists");
                assert!(
                    range.contains(value),
                    "{name} {} = {value}, allowed {}",
                    range.field,
                    range.allowed()
                );
            }
        }
    }

    /// Wong's tables give the sinkage of each soil under a 0.1 m wide patch; three rows by hand.
    #[test]
    fn bekker_sinkage_matches_the_tabulated_values() {
        for (name, kilopascal, sinkage) in
            [("lll-dry-sand", 50.0, 0.0444), ("us-snow", 20.0, 0.2114), ("grenville-loam", 100.0, 0.0177)]
        {
            let soil = BEKKER_SOILS.iter().find(|s| s.name == name).expect("known soil");
            let p = soil.bekker.pressure(sinkage, 0.1);
            assert!((p / (kilopascal * 1e3) - 1.0).abs() < 0.01, "{name}: {p} Pa at {sinkage} m");
        }
    }
}
