//! Ground materials: the numbers of a cell's ground, the published presets, and the ground laws.
//!
//! Sources: SW = Soft Walks 2021 §3.2 and Fig. 4, DF = Dynamic Footprints 2022 Table 1, TR = TRAIL 2024 Table 1,
//! W = Wong, Theory of Ground Vehicles (2008) and the measurements collected there.

mod presets;

use super::field::{Field, Range, field};
use super::natural::Natural;
pub use presets::{PRESETS, Preset, Published};

/// Ground law: the model of how ground deforms under a sole. The material gives its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Law {
    /// SW §3.2: sinks to a given depth, independent of the force; an even rim.
    SoftWalks,
    /// DF §5: linear viscoplastic compression, an even rim, no sliding.
    DynamicFootprints,
    /// TR §4.2: the same compression, a rim in the direction of the force, and sliding to rest.
    Trail,
    /// Bekker–Wong pressure–sinkage `p = (k_c/b + k_φ) zⁿ` (W) in place of Hooke's law; rim and sliding as TR.
    BekkerWong,
    /// Ours, from measurements: soles tilt with their load, part of the sinkage is elastic, ground is compacted by passes
    /// and weakened by water ([`Natural`]); rim and sliding as TR.
    #[default]
    Natural,
}

impl Law {
    /// All laws, in the order of the papers, then ours.
    pub const ALL: [Self; 5] =
        [Self::SoftWalks, Self::DynamicFootprints, Self::Trail, Self::BekkerWong, Self::Natural];

    /// The name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SoftWalks => "soft-walks",
            Self::DynamicFootprints => "dynamic-footprints",
            Self::Trail => "trail",
            Self::BekkerWong => "bekker-wong",
            Self::Natural => "natural",
        }
    }

    /// The law of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|law| law.name() == name)
    }

    /// Whether the rim follows the tangential force (TR-11..13) or is even (DF-13).
    pub const fn is_anisotropic(self) -> bool {
        self.slides()
    }

    /// Whether loose material slides to rest (TR-14..16).
    pub const fn slides(self) -> bool {
        matches!(self, Self::Trail | Self::BekkerWong | Self::Natural)
    }
}

/// Bekker–Wong parameters of a soil (W Table 2.3).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bekker {
    /// `k_c`, cohesive modulus, N/m^(n+1).
    pub cohesive_modulus: f64,
    /// `k_φ`, frictional modulus, N/m^(n+2).
    pub frictional_modulus: f64,
    /// `n`, sinkage exponent.
    pub exponent: f64,
}

impl Bekker {
    /// Converts from the units of Wong's table, kN/m^(n+1) and kN/m^(n+2).
    const fn kilo(kc: f64, kphi: f64, exponent: f64) -> Self {
        Self { cohesive_modulus: kc * 1e3, frictional_modulus: kphi * 1e3, exponent }
    }

    /// Bearing pressure, Pa, at sinkage `z` m under a patch `b` m wide.
    pub fn pressure(&self, z: f64, b: f64) -> f64 {
        (self.cohesive_modulus / b + self.frictional_modulus) * libm::pow(z.max(0.0), self.exponent)
    }
}

/// A ground material.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// `E_g`, Young's modulus in compression, Pa (DF-10, TR-9).
    pub youngs_modulus: f64,
    /// `ν`, Poisson's ratio: 2ν of a carved volume is pushed aside (DF-12). 0 only compacts, 0.5 only displaces.
    pub poisson_ratio: f64,
    /// `τ`, characteristic time of yielding, s (DF-8, DF-11).
    pub characteristic_time: f64,
    /// `γ_r`, rest angle: steepest stable slope of loose material, rad (TR-14).
    pub rest_angle: f64,
    /// `L0`, thickness of the deformable layer over rigid ground, m (DF §5.1).
    pub layer: f64,
    /// Standard deviation of the smoothing for display, m (DF Table 1). The state is never smoothed.
    pub display_sigma: f64,
    /// SW's depth coefficient, as the resulting depth, m.
    pub carve_depth: f64,
    /// SW's compression coefficient: the share of the carved volume that is compacted instead of displaced.
    pub packed_share: f64,
    /// Bekker–Wong parameters of this ground.
    pub bekker: Bekker,
    /// Colour for pictures, sRGB.
    pub colour: [u8; 3],
    /// Further parameters of the natural law.
    pub natural: Natural,
    /// Water saturation of the pores, 0 dry to 1 full. It weakens soil under the natural law; under all laws wet ground is drawn darker
    /// where compacted and glossy where pressed.
    pub moisture: f64,
    /// Name of the preset that it started from; kept when parameters change.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "known_preset"))]
    pub preset: super::PresetName,
}

#[cfg(feature = "serde")]
fn known_preset<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<super::PresetName, D::Error> {
    super::one_of(reader, PRESETS.iter().map(|preset| preset.name))
}

impl Material {
    /// Parameters with their allowed ranges for all materials. Wider than any published value, narrow enough that the
    /// equations stay meaningful.
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("youngs_modulus", "Pa", 1e4, 1e9, "Young's modulus in compression").of("DF-10, TR-9"), youngs_modulus),
        field!(Range::new("poisson_ratio", "", 0.0, 0.5, "half the share of the carved volume that is pushed aside").of("DF-12"), poisson_ratio),
        field!(Range::new("characteristic_time", "s", 0.001, 10.0, "characteristic time of yielding").of("DF-8, DF-11"), characteristic_time),
        field!(Range::new("rest_angle_deg", "°", 1.0, 60.0, "steepest slope of loose material").of("TR-14"), rest_angle),
        field!(Range::new("layer", "m", 0.01, 1.5, "thickness of the deformable layer").of("DF §5.1"), layer),
        field!(Range::new("display_sigma", "m", 0.0, 0.1, "smoothing for display").of("DF Table 1"), display_sigma),
        field!(Range::new("carve_depth", "m", 0.0, 1.4, "depth of a print under the soft-walks law").of("SW §3.2"), carve_depth),
        field!(Range::new("packed_share", "", 0.0, 1.0, "compacted share under the soft-walks law").of("SW §3.2"), packed_share),
        field!(Range::new("cohesive_modulus", "N/m^(n+1)", -1e8, 1e8, "Bekker k_c; k_c / 0.05 m + k_φ must be above 0").of("W"), bekker.cohesive_modulus),
        field!(Range::new("frictional_modulus", "N/m^(n+2)", 1e3, 1e9, "Bekker k_φ").of("W"), bekker.frictional_modulus),
        field!(Range::new("exponent", "", 0.05, 3.0, "Bekker sinkage exponent n").of("W"), bekker.exponent),
        field!(Range::new("bulk_density", "kg/m³", 50.0, 2500.0, "dry bulk density of untrodden ground"), natural.density),
        field!(Range::new("density_per_decade", "kg/m³", 0.0, 300.0, "density gain per factor of ten in footfalls").of("Liddle & Greig-Smith 1975"), natural.density_per_decade),
        field!(Range::new("packing_depth", "m", 0.01, 1.5, "depth that footfalls compact").of("Liddle & Greig-Smith 1975"), natural.packing_depth),
        field!(Range::new("crush_density", "kg/m³", 0.0, 900.0, "density of snow under 700 kPa; 0 for ground that sinks by Bekker–Wong").of("CRREL 95-7"), natural.crush_density),
        field!(Range::new("cohesion", "Pa", 0.0, 1e5, "cohesion: shear strength without pressure").of("W"), natural.cohesion),
        field!(Range::new("friction_deg", "°", 1.0, 60.0, "angle of internal friction").of("W"), natural.friction),
        field!(Range::new("moisture", "", 0.0, 1.0, "water saturation of the pores, 0 dry to 1 full"), moisture),
    ];

    /// Deepest compression the layer allows, m: 0.95 L0, our choice.
    pub fn deepest(&self) -> f64 {
        0.95 * self.layer
    }

    /// Share of a carved volume that is pushed aside under `law`: 2ν, or SW's unpacked share.
    pub fn displaced_share(&self, law: Law) -> f64 {
        match law {
            Law::SoftWalks => 1.0 - self.packed_share,
            Law::Natural => self.natural_displaced_share(),
            _ => 2.0 * self.poisson_ratio,
        }
    }
}

/// A soil measured with a bevameter (W Table 2.3 and, for the last three, the simulants and demos named).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BekkerSoil {
    /// Name in scene files.
    pub name: &'static str,
    /// Description and place of measurement.
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

/// The published Bekker–Wong soils. As a material each is the `soil` preset with these parameters, a 0.5 m layer
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
        let friction = self.friction_deg.to_radians();
        Material {
            bekker: self.bekker,
            natural: Natural { friction, ..Material::SOIL.natural },
            layer: 0.5,
            rest_angle: friction,
            colour,
            preset: self.name,
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
                let field = Field::find(Material::FIELDS, p.field).expect("a published field exists");
                let value = field.get(&preset.material).expect("a material has all");
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
            assert_eq!(Field::out_of_range(Material::FIELDS, &material), None, "{name}");
            assert_eq!(material.preset, name);
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
