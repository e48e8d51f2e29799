//! Named grounds, and what their sources print about them.

use super::{Bekker, Material};
use crate::params::{Natural, PresetName};

/// From kg/m³, kg/m³, m, kg/m³, kPa and degrees.
const fn natural(
    density: f64,
    per_decade: f64,
    depth: f64,
    crush: f64,
    cohesion: f64,
    friction: f64,
) -> Natural {
    Natural {
        density,
        density_per_decade: per_decade,
        packing_depth: depth,
        crush_density: crush,
        cohesion: 1e3 * cohesion,
        friction: degrees(friction),
    }
}

/// A ground of the natural law: its Bekker numbers in kN, and for the papers' laws the modulus and the depth that agree with them
/// at 60 kPa.
#[allow(clippy::too_many_arguments, reason = "a row of a table")]
const fn measured(
    preset: PresetName,
    k: [f64; 3],
    youngs_modulus: f64,
    poisson_ratio: f64,
    rest_angle: f64,
    moisture: f64,
    colour: [u8; 3],
    natural: Natural,
) -> Material {
    Material {
        bekker: Bekker::kilo(k[0], k[1], k[2]),
        youngs_modulus,
        poisson_ratio,
        carve_depth: 1.2 * (0.3 * 60e3 / youngs_modulus),
        packed_share: 1.0 - 2.0 * poisson_ratio,
        rest_angle: degrees(rest_angle),
        moisture,
        colour,
        natural,
        preset,
        ..Material::SOIL
    }
}

const fn degrees(angle: f64) -> f64 {
    angle * (std::f64::consts::PI / 180.0)
}

impl Material {
    /// Settled snow (DF Table 1), which is as stiff as snow of 420 kg/m³. Rest angle: dry snow heaps at about 38°. Bekker: ours, a
    /// spring of DF's stiffness, because no measured snow is so stiff. Cohesion: our choice, that of snow packed by wind.
    pub const SNOW: Self = Self {
        youngs_modulus: 0.375e6,
        poisson_ratio: 0.05,
        characteristic_time: 0.2,
        rest_angle: degrees(38.0),
        layer: 0.30,
        display_sigma: 0.005,
        carve_depth: 0.045,
        packed_share: 0.9,
        bekker: Bekker::kilo(4.37, 940.0, 1.0),
        colour: [232, 238, 246],
        natural: natural(420.0, 30.0, 0.30, 650.0, 6.0, 19.7),
        moisture: 0.0,
        preset: "snow",
    };
    /// Dry sand (DF Table 1). Rest angle: 32°, dry quartz sand. Bekker: fine-grained dry (Chrono).
    pub const DRY_SAND: Self = Self {
        youngs_modulus: 2.25e6,
        poisson_ratio: 0.5,
        characteristic_time: 0.05,
        rest_angle: degrees(32.0),
        layer: 0.30,
        display_sigma: 0.01,
        carve_depth: 0.010,
        packed_share: 0.2,
        bekker: Bekker::kilo(5085.6, 6259.1, 1.42),
        colour: [219, 187, 133],
        natural: natural(1500.0, 30.0, 0.05, 0.0, 1.04, 28.0),
        moisture: 0.0,
        preset: "dry-sand",
    };
    /// Mud (DF Table 1). Rest angle: 15°, saturated silt. Bekker: Rubicon sandy loam, 43 % (W).
    pub const MUD: Self = Self {
        youngs_modulus: 0.625e6,
        poisson_ratio: 0.35,
        characteristic_time: 0.15,
        rest_angle: degrees(15.0),
        layer: 0.30,
        display_sigma: 0.01,
        carve_depth: 0.030,
        packed_share: 0.6,
        bekker: Bekker::kilo(6.9, 752.0, 0.66),
        colour: [96, 74, 52],
        natural: natural(1100.0, 40.0, 0.08, 0.0, 3.7, 15.0),
        moisture: 0.75,
        preset: "mud",
    };
    /// Soil (DF Table 1). Rest angle: 30°, moist loam crumbs. Bekker: Sandy loam (LLL) 15 % (W).
    pub const SOIL: Self = Self {
        youngs_modulus: 1.25e6,
        poisson_ratio: 0.35,
        characteristic_time: 0.05,
        rest_angle: degrees(30.0),
        layer: 0.30,
        display_sigma: 0.005,
        carve_depth: 0.018,
        packed_share: 0.6,
        bekker: Bekker::kilo(5.27, 1515.04, 0.7),
        colour: [126, 94, 64],
        natural: natural(1200.0, 100.0, 0.10, 0.0, 1.72, 29.0),
        moisture: 0.0,
        preset: "soil",
    };
    /// Soft soil (TR Table 1). τ from the authors' prototype. Bekker: Upland sandy loam (W).
    pub const TRAIL_SOFT_SOIL: Self = Self {
        youngs_modulus: 1.35e6,
        poisson_ratio: 0.2,
        characteristic_time: 0.2,
        rest_angle: degrees(12.5),
        display_sigma: 0.005,
        bekker: Bekker::kilo(74.6, 2080.0, 1.1),
        colour: [112, 86, 60],
        moisture: 0.15,
        preset: "trail-soft-soil",
        ..Self::SOIL
    };
    /// Dry soil (TR Table 1). τ from the authors' prototype. Bekker: Rubicon sandy loam (W).
    pub const TRAIL_DRY_SOIL: Self = Self {
        youngs_modulus: 0.35e6,
        poisson_ratio: 0.35,
        characteristic_time: 0.2,
        rest_angle: degrees(7.5),
        display_sigma: 0.005,
        bekker: Bekker::kilo(6.9, 752.0, 0.66),
        colour: [164, 132, 98],
        moisture: 0.0,
        preset: "trail-dry-soil",
        ..Self::SOIL
    };
    /// Wet soil (TR Table 1). τ from the authors' prototype. Bekker: Sandy loam (Hanamoto) 26 % (W).
    pub const TRAIL_WET_SOIL: Self = Self {
        youngs_modulus: 0.5e6,
        poisson_ratio: 0.3,
        characteristic_time: 0.2,
        rest_angle: degrees(12.5),
        display_sigma: 0.005,
        bekker: Bekker::kilo(2.79, 141.11, 0.3),
        colour: [84, 64, 46],
        moisture: 1.0,
        preset: "trail-wet-soil",
        ..Self::SOIL
    };
}

#[rustfmt::skip]
impl Material {
    /// Snow as Soft Walks has it: 30 cm deep prints (SW §4).
    pub const SOFT_WALKS_SNOW: Self = Self { carve_depth: 0.30, display_sigma: 0.01, preset: "soft-walks-snow", ..Self::SNOW };
    /// Sand as Soft Walks has it (SW §4).
    pub const SOFT_WALKS_SAND: Self = Self { carve_depth: 0.05, display_sigma: 0.02, preset: "soft-walks-sand", ..Self::DRY_SAND };
    /// Mud as Soft Walks has it (SW §4).
    pub const SOFT_WALKS_MUD: Self = Self { carve_depth: 0.125, display_sigma: 0.003, preset: "soft-walks-mud", ..Self::MUD };
    /// Soil as Soft Walks has it (SW §4).
    pub const SOFT_WALKS_SOIL: Self = Self { carve_depth: 0.04, display_sigma: 0.005, preset: "soft-walks-soil", ..Self::SOIL };

    /// Moist loam, as under a meadow. Bekker, cohesion, friction: Michigan sandy loam, 11 % (W).
    pub const LOAM: Self = measured("loam", [52.53, 1127.97, 0.9], 0.78e6, 0.15, 38.0, 0.3, [112, 84, 58], natural(1200.0, 100.0, 0.10, 0.0, 4.83, 32.0));
    /// Dry, firm soil. Bekker, cohesion, friction: sandy loam (LLL), 15 % (W).
    pub const DRY_SOIL: Self = measured("dry-soil", [5.27, 1515.04, 0.7], 1.9e6, 0.15, 36.0, 0.1, [164, 132, 98], natural(1350.0, 80.0, 0.08, 0.0, 1.72, 29.0));
    /// Soft, crumbly soil. Bekker, cohesion, friction: upland sandy loam (W).
    pub const SOFT_SOIL: Self = measured("soft-soil", [74.6, 2080.0, 1.1], 0.64e6, 0.15, 40.0, 0.35, [118, 90, 62], natural(1050.0, 120.0, 0.10, 0.0, 3.3, 33.7));
    /// Wet soil. Bekker, cohesion, friction: Rubicon sandy loam, 43 % (W).
    pub const WET_SOIL: Self = measured("wet-soil", [6.9, 752.0, 0.66], 0.95e6, 0.25, 35.0, 0.75, [88, 66, 46], natural(1150.0, 70.0, 0.10, 0.0, 3.7, 29.8));
    /// Clay, moist and firm. Bekker, cohesion, friction: North Gower clayey loam (W).
    pub const CLAY: Self = measured("clay", [41.6, 2471.0, 0.73], 3.8e6, 0.2, 38.0, 0.4, [138, 98, 70], natural(1250.0, 70.0, 0.08, 0.0, 6.1, 26.6));
    /// Wet clay, soft and slippery. Bekker, cohesion, friction: clayey soil (Thailand), 38 % (W).
    pub const WET_CLAY: Self = measured("wet-clay", [13.19, 692.15, 0.5], 2.4e6, 0.4, 20.0, 0.9, [116, 82, 60], natural(1150.0, 40.0, 0.08, 0.0, 4.14, 13.0));
    /// Loose dry sand of a beach or dune. Bekker, cohesion, friction: dry sand (LLL) (W).
    pub const LOOSE_SAND: Self = measured("loose-sand", [0.99, 1528.43, 1.1], 0.35e6, 0.45, 33.0, 0.0, [222, 192, 140], natural(1450.0, 20.0, 0.05, 0.0, 1.04, 28.0));
    /// Wet sand of a beach. Bekker, cohesion, friction: LETE sand (W).
    pub const WET_SAND: Self = Self {
        carve_depth: 0.006,
        ..measured("wet-sand", [102.0, 5301.0, 0.79], 6.5e6, 0.3, 34.0, 0.5, [176, 146, 102], natural(1600.0, 20.0, 0.05, 0.0, 1.3, 31.1))
    };
    /// Fresh snow, 30 cm of it at 110 kg/m³ (CRREL 95-7). Bekker: snow (US) (W). Passes pack the 3 cm that a print leaves of it (ours).
    pub const FRESH_SNOW: Self = Self {
        characteristic_time: 0.2,
        carve_depth: 0.23,
        ..measured("fresh-snow", [4.37, 196.72, 1.6], 0.060e6, 0.05, 45.0, 0.0, [236, 241, 248], natural(110.0, 10.0, 0.03, 650.0, 0.62, 23.2))
    };
    /// Snow packed by wind, 380 kg/m³ (CRREL 95-7). Bekker: ours, a spring of the same stiffness.
    pub const WIND_PACKED_SNOW: Self = Self {
        characteristic_time: 0.2,
        ..measured("wind-packed-snow", [4.37, 940.0, 1.0], 0.30e6, 0.05, 42.0, 0.0, [226, 234, 244], natural(380.0, 20.0, 0.30, 650.0, 6.0, 20.7))
    };
}

/// A published value: the field, its range in the source, and the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The field as in [`Material::FIELDS`].
    pub field: &'static str,
    /// Lowest published value.
    pub min: f64,
    /// Highest published value.
    pub max: f64,
    /// Where it is published.
    pub source: &'static str,
}

const fn p(field: &'static str, min: f64, max: f64, source: &'static str) -> Published {
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

const LIDDLE: &str = "Liddle & Greig-Smith 1975";
const CRREL: &str = "CRREL 95-7";
const ERDC: &str = "ERDC: walkers in 30 cm of snow";
const REPOSE: &str =
    "measured angles of repose: moist soil 35–45°, wet clay 15–25°, dry sand 30–35°, snow 38–50°";

const fn row(material: Material, published: &'static [Published]) -> Preset {
    Preset { name: material.preset, material, published }
}

/// The materials of the papers, and those that were measured.
#[rustfmt::skip]
pub const PRESETS: [Preset; 21] = [
    row(Material::SNOW, &[
        p("youngs_modulus", 0.25e6, 0.5e6, DF), p("poisson_ratio", 0.05, 0.05, DF), p("characteristic_time", 0.2, 0.2, DF),
        p("display_sigma", 0.005, 0.005, DF), p("layer", 0.3, 0.3, DF6), p("rest_angle_deg", 38.0, 38.0, MEASURED), p("packed_share", 0.9, 0.9, SW),
    ]),
    row(Material::DRY_SAND, &[
        p("youngs_modulus", 1.5e6, 3e6, DF), p("poisson_ratio", 0.5, 0.5, DF), p("characteristic_time", 0.05, 0.05, DF),
        p("display_sigma", 0.01, 0.01, DF), p("layer", 0.3, 0.3, DF6), p("rest_angle_deg", 32.0, 32.0, MEASURED), p("packed_share", 0.2, 0.2, SW),
    ]),
    row(Material::MUD, &[
        p("youngs_modulus", 0.5e6, 0.75e6, DF), p("poisson_ratio", 0.35, 0.35, DF), p("characteristic_time", 0.15, 0.15, DF),
        p("display_sigma", 0.01, 0.01, DF), p("layer", 0.3, 0.3, DF6), p("rest_angle_deg", 15.0, 15.0, MEASURED), p("packed_share", 0.6, 0.6, SW),
    ]),
    row(Material::SOIL, &[
        p("youngs_modulus", 1e6, 1.5e6, DF), p("poisson_ratio", 0.35, 0.35, DF), p("characteristic_time", 0.05, 0.05, DF),
        p("display_sigma", 0.005, 0.005, DF), p("layer", 0.3, 0.3, DF6), p("rest_angle_deg", 30.0, 30.0, MEASURED), p("packed_share", 0.6, 0.6, SW),
    ]),
    row(Material::TRAIL_SOFT_SOIL, &[
        p("youngs_modulus", 0.7e6, 2e6, TR), p("poisson_ratio", 0.1, 0.3, TR), p("rest_angle_deg", 10.0, 15.0, TR),
        p("characteristic_time", 0.2, 0.2, PROTOTYPE), p("layer", 0.3, 0.3, DF6),
    ]),
    row(Material::TRAIL_DRY_SOIL, &[
        p("youngs_modulus", 0.2e6, 0.5e6, TR), p("poisson_ratio", 0.3, 0.4, TR), p("rest_angle_deg", 5.0, 10.0, TR),
        p("characteristic_time", 0.2, 0.2, PROTOTYPE), p("layer", 0.3, 0.3, DF6),
    ]),
    row(Material::TRAIL_WET_SOIL, &[
        p("youngs_modulus", 0.3e6, 0.7e6, TR), p("poisson_ratio", 0.2, 0.4, TR), p("rest_angle_deg", 10.0, 15.0, TR),
        p("characteristic_time", 0.2, 0.2, PROTOTYPE), p("layer", 0.3, 0.3, DF6),
    ]),
    row(Material::SOFT_WALKS_SNOW, &[p("carve_depth", 0.30, 0.30, SW)]),
    row(Material::SOFT_WALKS_SAND, &[p("carve_depth", 0.05, 0.05, SW)]),
    row(Material::SOFT_WALKS_MUD, &[p("carve_depth", 0.125, 0.125, SW)]),
    row(Material::SOFT_WALKS_SOIL, &[p("carve_depth", 0.04, 0.04, SW)]),
    row(Material::LOAM, &[p("rest_angle_deg", 35.0, 45.0, REPOSE), p("density_per_decade", 70.0, 200.0, LIDDLE)]),
    row(Material::DRY_SOIL, &[p("rest_angle_deg", 35.0, 45.0, REPOSE), p("density_per_decade", 70.0, 200.0, LIDDLE)]),
    row(Material::SOFT_SOIL, &[p("rest_angle_deg", 35.0, 45.0, REPOSE), p("density_per_decade", 70.0, 200.0, LIDDLE)]),
    row(Material::WET_SOIL, &[p("rest_angle_deg", 35.0, 45.0, REPOSE), p("density_per_decade", 70.0, 200.0, LIDDLE)]),
    row(Material::CLAY, &[p("rest_angle_deg", 35.0, 45.0, REPOSE)]),
    row(Material::WET_CLAY, &[p("rest_angle_deg", 15.0, 25.0, REPOSE)]),
    row(Material::LOOSE_SAND, &[p("rest_angle_deg", 30.0, 35.0, REPOSE)]),
    row(Material::WET_SAND, &[p("rest_angle_deg", 30.0, 35.0, REPOSE)]),
    row(Material::FRESH_SNOW, &[p("rest_angle_deg", 38.0, 50.0, REPOSE), p("bulk_density", 100.0, 200.0, ERDC)]),
    row(Material::WIND_PACKED_SNOW, &[p("rest_angle_deg", 38.0, 50.0, REPOSE), p("crush_density", 650.0, 650.0, CRREL)]),
];
