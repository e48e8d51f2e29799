//! Plant species: the numbers of a plant, the presets, and what each number may be.
//!
//! Sources: TR = TRAIL 2024, Table 1 and §5.3; Cole 1995, cover against passes. What a preset's doc traces to neither is our choice: sizes and
//! stiffness of a plausible plant of that kind, not measurements. The presets that are not TR's are ordered by the
//! resistance that trampling studies report (fern < tussock < lawn), not fitted to them.

use super::field::{Field, Range, field};

/// Arrangement of the stems of a plant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Shape {
    /// A row of stems: TR's 2-D surface.
    #[default]
    Sheet,
    /// A grid of stems, linked both ways: TR's 3-D plant.
    Block,
    /// Two rows at right angles.
    Crossed,
}

impl Shape {
    /// All shapes, with their names in scene files.
    pub const ALL: [(&'static str, Self); 3] =
        [("sheet", Self::Sheet), ("block", Self::Block), ("crossed", Self::Crossed)];
}

/// A kind of plant. A plant is a sheet or block of particles: stems upwards, cross links sideways (TR §4.1.1).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Species {
    /// Arrangement of its stems.
    pub shape: Shape,
    /// `h_p`, height above the ground, along the stem, m.
    pub height: f64,
    /// `w_p`, width of a row of stems, m.
    pub width: f64,
    /// `d_p`, depth of a block, m; sheets have none and crossed rows are as deep as they are wide.
    pub depth: f64,
    /// `d_p` of TR §5.3, target distance between particles, m.
    pub spacing: f64,
    /// `EI`, bending rigidity of one stem, N·m².
    pub bending_rigidity: f64,
    /// Axial compliance of one segment of a stem, m/N.
    pub stretch_compliance: f64,
    /// Compliance of a link between stems, m/N.
    pub link_compliance: f64,
    /// Mass per length of a stem, kg/m.
    pub linear_density: f64,
    /// Damping rate of motion by air and internal friction, 1/s.
    pub damping: f64,
    /// `φ_deg`, bending angle above which a joint wears, rad (TR-6).
    pub wear_angle: f64,
    /// `φ_max`, bending angle at which a joint breaks at once, rad (TR §4.1.2).
    pub break_angle: f64,
    /// `μ_deg`, share of its stiffness that a bent joint loses, 1/s (TR-6).
    pub wear_rate: f64,
    /// `μ_rec`, share that a joint regains once it is free, 1/s (TR-6).
    pub recovery_rate: f64,
    /// `E_v0`, increase of the ground's Young's modulus by roots under dense healthy cover, Pa (TR-8).
    pub root_modulus: f64,
    /// Angle of the tip from the vertical at rest, under its own weight, rad.
    pub droop: f64,
    /// Height of a crushed plant between sole and ground, m: stems lie across each other.
    pub crushed_height: f64,
    /// Colour for pictures, sRGB.
    pub colour: [u8; 3],
    /// The preset its numbers started from, by its name in scene files; stays when they change.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "known_preset"))]
    pub preset: super::PresetName,
}

#[cfg(feature = "serde")]
fn known_preset<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<super::PresetName, D::Error> {
    super::one_of(reader, PRESETS.iter().map(|preset| preset.name))
}

const fn degrees(angle: f64) -> f64 {
    angle * (std::f64::consts::PI / 180.0)
}

impl Species {
    /// Carex pensylvanica, a sedge of forest floors. TR: size, spacing, angle of wear, root modulus. Break angle, rates and
    /// crushed height are fitted to Cole's cover against passes with walkers in the lane (seeds 1 and 2). With TR's printed values a lane keeps
    /// two fifths of its cover after 25 passes where Cole measured 86 %, and wear has recovered before the next foot comes.
    /// Rigidity is that of a blade 3 mm × 0.3 mm of 0.5 GPa, our choice.
    #[rustfmt::skip]
    pub const CAREX_PENSYLVANICA: Self = Self {
        shape: Shape::Sheet, height: 0.1, width: 0.05, depth: 0.0, spacing: 0.015,
        bending_rigidity: 3.4e-6, stretch_compliance: 1e-4, link_compliance: 0.5, linear_density: 0.9e-3, damping: 100.0,
        wear_angle: degrees(10.0), break_angle: degrees(172.0), wear_rate: 0.0490, recovery_rate: 0.00013,
        root_modulus: 7e6, droop: degrees(12.0), crushed_height: 0.0105, colour: [104, 138, 62], preset: "carex-pensylvanica",
    };
    /// Lycopodium lucidulum, a clubmoss. TR: size, spacing, angle of wear, root modulus; break angle, rates and crushed
    /// height fitted to Cole as for the sedge. Thicker and stiffer stems than the sedge's: our choice.
    #[rustfmt::skip]
    pub const LYCOPODIUM_LUCIDULUM: Self = Self {
        bending_rigidity: 12e-6, link_compliance: 0.2, linear_density: 3e-3,
        wear_angle: degrees(5.0), break_angle: degrees(177.5), wear_rate: 0.062, recovery_rate: 0.0025,
        root_modulus: 10e6, droop: degrees(8.0), crushed_height: 0.0105, colour: [72, 118, 56], preset: "lycopodium-lucidulum",
        ..Self::CAREX_PENSYLVANICA
    };
    /// Mown lawn. All our choice: short, limp, worn only slowly, hardly broken by one bend.
    #[rustfmt::skip]
    pub const LAWN_GRASS: Self = Self {
        height: 0.05, spacing: 0.009, bending_rigidity: 0.3e-6, linear_density: 0.5e-3, damping: 120.0,
        wear_angle: degrees(40.0), break_angle: degrees(175.0), wear_rate: 0.03, recovery_rate: 0.05,
        root_modulus: 8e6, droop: degrees(15.0), crushed_height: 0.006, colour: [96, 150, 56], preset: "lawn-grass",
        ..Self::CAREX_PENSYLVANICA
    };
    /// A tussock of tall grass. Break angle and rates: fitted so that walkers halve its cover in 360 passes (Hill & Pickering 2009). All else
    /// is our choice.
    #[rustfmt::skip]
    pub const TUSSOCK_GRASS: Self = Self {
        shape: Shape::Crossed, height: 0.4, width: 0.12, depth: 0.12, spacing: 0.06,
        bending_rigidity: 0.8e-3, stretch_compliance: 1e-4, link_compliance: 0.1, linear_density: 1.0e-3, damping: 100.0,
        wear_angle: degrees(25.0), break_angle: degrees(166.3), wear_rate: 0.01, recovery_rate: 0.001,
        root_modulus: 9e6, droop: degrees(25.0), crushed_height: 0.02, colour: [150, 152, 84], preset: "tussock-grass",
    };
    /// A fern of the understorey, broad and brittle. Break angle and rates: fitted so that walkers halve its cover in 210 passes (Hill &
    /// Pickering 2009). All else is our choice.
    #[rustfmt::skip]
    pub const FERN: Self = Self {
        shape: Shape::Crossed, height: 0.5, width: 0.3, depth: 0.3, spacing: 0.08,
        bending_rigidity: 4e-3, link_compliance: 0.05, linear_density: 2.5e-3,
        wear_angle: degrees(12.0), break_angle: degrees(146.8), wear_rate: 0.01, recovery_rate: 0.001,
        root_modulus: 4e6, droop: degrees(45.0), crushed_height: 0.04, colour: [64, 128, 60], preset: "fern",
        ..Self::TUSSOCK_GRASS
    };
    /// A tall herb. Break angle and rates: fitted so that walkers halve its cover in some 445 passes, as of a tall alpine herbfield (Pickering
    /// & Growcock 2009). All else is our choice.
    #[rustfmt::skip]
    pub const TALL_HERB: Self = Self {
        shape: Shape::Block, height: 0.8, width: 0.1, depth: 0.1, spacing: 0.1,
        bending_rigidity: 0.05, link_compliance: 0.02, linear_density: 5e-3,
        wear_angle: degrees(10.0), break_angle: degrees(177.0), wear_rate: 0.01, recovery_rate: 0.001,
        root_modulus: 3e6, droop: degrees(5.0), crushed_height: 0.03, colour: [116, 150, 78], preset: "tall-herb",
        ..Self::TUSSOCK_GRASS
    };
    /// A low shrub of heaths. All our choice: woody, springy, holds the soil well.
    #[rustfmt::skip]
    pub const HEATH_SHRUB: Self = Self {
        shape: Shape::Block, height: 0.3, width: 0.24, depth: 0.24, spacing: 0.06,
        bending_rigidity: 8e-3, link_compliance: 0.01, linear_density: 15e-3, damping: 120.0,
        wear_angle: degrees(20.0), break_angle: degrees(80.0), wear_rate: 0.06, recovery_rate: 0.01,
        root_modulus: 12e6, droop: degrees(10.0), crushed_height: 0.06, colour: [110, 92, 84], preset: "heath-shrub",
        ..Self::TUSSOCK_GRASS
    };

    /// Parameters with their allowed ranges for all species; our choice, wide enough for herbs and shrubs and narrow enough that
    /// the equations stay meaningful.
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("plant_height", "m", 0.01, 3.0, "height along the stem").of("TR §4.1.1"), height),
        field!(Range::new("plant_width", "m", 0.0, 1.0, "width of a row of stems").of("TR §4.1.1"), width),
        field!(Range::new("plant_depth", "m", 0.0, 1.0, "depth of a block of stems").of("TR §4.1.1"), depth),
        field!(Range::new("spacing", "m", 0.002, 1.0, "target distance between particles; at most 64 stems of 24 moving particles").of("TR §5.3"), spacing),
        field!(Range::new("bending_rigidity", "N·m²", 1e-9, 100.0, "bending rigidity EI of one stem"), bending_rigidity),
        field!(Range::new("stretch_compliance", "m/N", 0.0, 1.0, "axial compliance of a stem segment"), stretch_compliance),
        field!(Range::new("link_compliance", "m/N", 0.0, 1e3, "compliance of a link between stems"), link_compliance),
        field!(Range::new("linear_density", "kg/m", 1e-5, 10.0, "mass per length of a stem"), linear_density),
        field!(Range::new("damping", "1/s", 0.1, 1000.0, "damping rate of motion"), damping),
        field!(Range::new("wear_angle_deg", "°", 0.5, 180.0, "bending above which a joint wears").of("TR-6"), wear_angle),
        field!(Range::new("break_angle_deg", "°", 1.0, 180.0, "bending at which a joint breaks; not below `wear_angle_deg`").of("TR §4.1.2"), break_angle),
        field!(Range::new("wear_rate", "1/s", 0.0, 10.0, "stiffness lost while bent").of("TR-6"), wear_rate),
        field!(Range::new("recovery_rate", "1/s", 0.0, 10.0, "stiffness regained while free").of("TR-6"), recovery_rate),
        field!(Range::new("root_modulus", "Pa", 0.0, 1e9, "increase of Young's modulus by dense roots").of("TR-8"), root_modulus),
        field!(Range::new("droop_deg", "°", 0.0, 90.0, "angle of the tip from the vertical at rest"), droop),
        field!(Range::new("crushed_height", "m", 0.0, 0.5, "height kept under a sole"), crushed_height),
    ];

    /// Particles that move in a stem. Two rows more are fixed (TR §4.1.1): one at the ground, one in it. In TR both
    /// stand above the ground; a peg that no foot can bend would stick through every sole, so ours are rooted.
    pub fn free_rows(&self) -> usize {
        // A height that is a whole number of spacings must not lose a row to rounding.
        let rows = (self.height / self.spacing + 1e-6).floor() as usize + 1;
        rows.saturating_sub(2).max(2)
    }

    /// Distance between the particles of a stem, m.
    pub fn segment(&self) -> f64 {
        self.height / self.free_rows() as f64
    }

    /// Stems along a side of that length.
    fn across(&self, side: f64) -> usize {
        (side / self.spacing + 1e-6).floor() as usize + 1
    }

    /// Where the stems stand in the plant's own frame, x along the row and z across it, m.
    pub fn stems(&self) -> Vec<[f64; 2]> {
        let line = |n: usize, side: f64| {
            let step = if n > 1 { side / (n - 1) as f64 } else { 0.0 };
            (0..n).map(move |i| i as f64 * step - 0.5 * step * (n - 1) as f64)
        };
        let (nx, nz) = (self.across(self.width), self.across(self.depth));
        match self.shape {
            Shape::Sheet => line(nx, self.width).map(|x| [x, 0.0]).collect(),
            Shape::Block => {
                line(nz, self.depth).flat_map(|z| line(nx, self.width).map(move |x| [x, z])).collect()
            }
            Shape::Crossed => {
                let one = line(nx, self.width).map(|x| [x, 0.0]);
                one.chain(line(nx, self.width).map(|z| [0.0, z])).collect()
            }
        }
    }

    /// Number of stems of a plant.
    pub fn stem_count(&self) -> usize {
        let nx = self.across(self.width);
        match self.shape {
            Shape::Sheet => nx,
            Shape::Block => nx.saturating_mul(self.across(self.depth)),
            Shape::Crossed => nx.saturating_mul(2),
        }
    }

    /// Pairs of stems that are linked, as indices into [`Species::stems`].
    pub fn linked(&self) -> Vec<(usize, usize)> {
        let nx = self.across(self.width);
        match self.shape {
            Shape::Sheet => (1..nx).map(|i| (i - 1, i)).collect(),
            Shape::Block => {
                let nz = self.across(self.depth);
                let along = (0..nz).flat_map(|j| (1..nx).map(move |i| (j * nx + i - 1, j * nx + i)));
                let across = (1..nz).flat_map(|j| (0..nx).map(move |i| ((j - 1) * nx + i, j * nx + i)));
                along.chain(across).collect()
            }
            Shape::Crossed => {
                (0..2).flat_map(|r| (1..nx).map(move |i| (r * nx + i - 1, r * nx + i))).collect()
            }
        }
    }

    /// Horizontal reach of a plant from its root, lying flat, m.
    pub fn reach(&self) -> f64 {
        let half = match self.shape {
            Shape::Sheet => 0.5 * self.width,
            Shape::Block => 0.5 * (self.width * self.width + self.depth * self.depth).sqrt(),
            Shape::Crossed => 0.5 * self.width,
        };
        self.height + half
    }
}

/// A named species with the values that its source prints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeciesPreset {
    /// Name in scene files.
    pub name: &'static str,
    /// Its numbers.
    pub species: Species,
    /// Fields that TRAIL 2024 prints, with the printed value in the unit of [`Species::FIELDS`]; all others are ours.
    pub published: &'static [(&'static str, f64)],
    /// Fields fitted to measured cover instead (Cole 1995), by `trample calibrate`.
    pub fitted: &'static [&'static str],
}

impl SpeciesPreset {
    /// The species with all values as printed in TRAIL 2024, without the fit to measured cover.
    pub fn as_printed(&self) -> Species {
        let mut species = self.species;
        for &(name, value) in self.published {
            if let Some(field) = Field::find(Species::FIELDS, name) {
                field.set(&mut species, value);
            }
        }
        species
    }
}

/// What was set by the passes that halve a cover.
const HALVED: &[&str] = &["break_angle_deg", "wear_rate", "recovery_rate"];
/// What was fitted to Cole's two series.
const FITTED: &[&str] = &["break_angle_deg", "crushed_height", "wear_rate", "recovery_rate"];

/// The presets: TR's two, and five of ours.
#[rustfmt::skip]
pub const PRESETS: [SpeciesPreset; 7] = [
    SpeciesPreset {
        name: "carex-pensylvanica",
        species: Species::CAREX_PENSYLVANICA,
        published: &[
            ("plant_height", 0.1), ("plant_width", 0.05), ("spacing", 0.015), ("wear_angle_deg", 10.0),
            ("break_angle_deg", 70.0), ("wear_rate", 0.1), ("recovery_rate", 0.1), ("root_modulus", 7e6),
        ],
        fitted: FITTED,
    },
    SpeciesPreset {
        name: "lycopodium-lucidulum",
        species: Species::LYCOPODIUM_LUCIDULUM,
        published: &[
            ("plant_height", 0.1), ("plant_width", 0.05), ("spacing", 0.015), ("wear_angle_deg", 5.0),
            ("break_angle_deg", 50.0), ("wear_rate", 0.1), ("recovery_rate", 0.1), ("root_modulus", 10e6),
        ],
        fitted: FITTED,
    },
    SpeciesPreset { name: "lawn-grass", species: Species::LAWN_GRASS, published: &[], fitted: &[] },
    SpeciesPreset { name: "tussock-grass", species: Species::TUSSOCK_GRASS, published: &[], fitted: HALVED },
    SpeciesPreset { name: "fern", species: Species::FERN, published: &[], fitted: HALVED },
    SpeciesPreset { name: "tall-herb", species: Species::TALL_HERB, published: &[], fitted: HALVED },
    SpeciesPreset { name: "heath-shrub", species: Species::HEATH_SHRUB, published: &[], fitted: &[] },
];

/// The species of that name.
pub fn by_name(name: &str) -> Option<Species> {
    PRESETS.iter().find(|preset| preset.name == name).map(|preset| preset.species)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_lies_in_the_allowed_ranges_and_prints_what_its_source_does() {
        for preset in PRESETS {
            assert_eq!(Field::out_of_range(Species::FIELDS, &preset.species), None, "{}", preset.name);
            for (field, printed) in preset.published {
                let row = Field::find(Species::FIELDS, field).expect("a published field exists");
                let value = |s: &Species| row.get(s).expect("a species has all");
                let off = |s: &Species| (value(s) / printed - 1.0).abs();
                assert!(off(&preset.as_printed()) < 1e-12, "{} {field}", preset.name);
                let fitted = preset.fitted.contains(field);
                assert!(fitted || off(&preset.species) < 1e-12, "{} {field}", preset.name);
            }
            assert!(preset.species.break_angle > preset.species.wear_angle, "{}", preset.name);
            assert_eq!(preset.species.preset, preset.name);
            assert_eq!(preset.species.stems().len(), preset.species.stem_count(), "{}", preset.name);
        }
    }

    #[test]
    fn the_papers_plant_is_seven_by_four_particles() {
        let carex = Species::CAREX_PENSYLVANICA;
        assert_eq!((carex.free_rows() + 2, carex.stem_count()), (7, 4));
    }

    #[test]
    fn a_block_is_linked_both_ways_and_crossed_rows_only_along_themselves() {
        let block = Species { shape: Shape::Block, width: 0.2, depth: 0.1, spacing: 0.1, ..Species::FERN };
        assert_eq!(block.stem_count(), 6);
        assert_eq!(block.linked().len(), 2 * 2 + 3, "two rows of two links, three links between the rows");
        let crossed = Species { shape: Shape::Crossed, ..block };
        assert_eq!((crossed.stem_count(), crossed.linked().len()), (6, 4));
    }
}
