//! The natural law's numbers: how far ground sinks, what passes, water and density do to it. From measurements.
//!
//! A sole that presses `p` sinks by what plate tests found, `p = (k_c/b + k_φ) zⁿ` (W), or, in snow, until the snow below it has
//! the density that carries `p` (CRREL report 95-7): snow packs, and once it fails as loose ground does under a footing, most of it goes
//! sideways ([`Material::density_below`]). Footfalls pack the ground further, a little less each: its density grows with
//! the logarithm of their number (Liddle & Greig-Smith 1975). Water weakens soil (cone tests on 1,063 Swedish forest plots).

use super::material::Material;

/// Parameters of the natural law in addition to the Bekker–Wong parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Natural {
    /// Dry bulk density of untrodden ground, kg/m³.
    pub density: f64,
    /// Increase of density per factor of ten in footfalls, kg/m³: 70 to 200 in soils.
    pub density_per_decade: f64,
    /// Depth that footfalls compact, m: 5 to 10 cm in soils.
    pub packing_depth: f64,
    /// Density of ground that crushes as snow does under 700 kPa, kg/m³ (650); 0 where Bekker–Wong holds.
    pub crush_density: f64,
    /// Cohesion: shear strength without pressure, Pa.
    pub cohesion: f64,
    /// Angle of internal friction, rad.
    pub friction: f64,
}

/// Pressure at which snow has its crush density, Pa, and the density that multiplies it by ten, kg/m³: a line in log p through
/// the densities of CRREL 95-7, 600 kg/m³ above 350 kPa and 650 above 700 kPa.
const CRUSH_PRESSURE: f64 = 700e3;
const CRUSH_DECADE: f64 = 162.0;
/// Share of its sinking by which snow that has failed goes sideways. Fitted to one number, that walkers sink 22 cm into 30 cm of
/// 300 kg/m³ (ERDC); 25 cm at 200 and 27 cm at 100 kg/m³ need no other number, but were in view when the form of the law was chosen.
const FLOWS: f64 = 0.72;
/// Stiffness of ground that is unloaded and loaded again, Pa/m, and its growth with depth, Pa/m²: fine-grained soil of a public
/// tyre model.
const RELOAD: [f64; 2] = [94e6, 3.7e9];
/// Stiffness below the layer that yields, Pa/m: our choice, so stiff that no foot gets far.
const BEDROCK: f64 = 5e7;
/// Penetration resistance gained with every tenfold of footfalls, as a share: 1.64 times beside trails after some 200 passes.
const HARDER: f64 = 0.28;
/// Width of the plates that Bekker's numbers are given for here, m; a sole's own width enters as a factor.
const PLATE: f64 = 0.08;

/// Width of a penetrometer's cone (ASABE S313: 20.3 mm) and the depth at which it is read, m. Managers read the top of the soil; 5 cm is
/// our choice. That a cone meets what a plate of its width does is Bekker's assumption.
const CONE: [f64; 2] = [0.0203, 0.05];

/// Strength of soil by its water, as a share of its strength when mesic: medians of the field classes dry, mesic, mesic-moist,
/// moist and wet of 15 cm cone tests, 190, 204, 265, 162 and 118 kPa, over the mesic-moist one. Our scale of moisture puts them at
/// 0, 0.15, 0.3, 0.6 and 0.9.
const WATER: [(f64, f64); 5] = [(0.0, 0.717), (0.15, 0.770), (0.3, 1.0), (0.6, 0.611), (0.9, 0.445)];

/// Strength of soil of that moisture, as a share of the strongest.
fn strength_by_water(moisture: f64) -> f64 {
    let i = WATER.partition_point(|w| w.0 < moisture).clamp(1, WATER.len() - 1);
    let ((m0, s0), (m1, s1)) = (WATER[i - 1], WATER[i]);
    (s0 + (s1 - s0) * (moisture - m0) / (m1 - m0)).max(0.3)
}

/// Tenfolds of footfalls over the share of a cell that was trodden, in 1/255: those that covered part of it fell on the same part.
pub fn decades(passes: f32, trodden: u8) -> f64 {
    let often = f64::from(passes) * 255.0 / f64::from(trodden.max(1));
    if often > 1.0 { libm::log10(often) } else { 0.0 }
}

/// A depth in m of the trodden share of a cell, in 1/255, as the mean over the cell in nm.
pub(crate) fn mean_nano(depth: f64, trodden: u8) -> i32 {
    (depth * (f64::from(trodden) / 255.0) * 1e9).round() as i32
}

impl Material {
    /// How much stronger its water makes it than its preset, whose numbers were measured at the preset's own moisture.
    pub fn water_strength(&self) -> f64 {
        if self.natural.crush_density > 0.0 {
            return 1.0;
        }
        let usual = super::material::by_name(self.preset).map_or(self.moisture, |m| m.moisture);
        strength_by_water(self.moisture) / strength_by_water(usual)
    }

    /// Share of a carved volume that is pushed aside under the natural law: 2ν; all of it where the pores are full of water.
    pub fn natural_displaced_share(&self) -> f64 {
        let aside = 2.0 * self.poisson_ratio;
        let full = ((self.moisture - 0.7) / 0.3).clamp(0.0, 1.0);
        if self.natural.crush_density > 0.0 { aside } else { aside + (1.0 - aside) * full * full }
    }

    /// How far so many tenfolds of footfalls have packed the ground beyond the first, m: `h·s/ρ·log10 n`.
    pub fn packed_by_passes(&self, decades: f64) -> f64 {
        let Natural { density, density_per_decade, packing_depth, .. } = self.natural;
        (packing_depth * density_per_decade / density * decades).min(0.5 * packing_depth)
    }

    /// What footfalls have packed of a cell of which so much was trodden, nm as the mean over the cell.
    pub fn packed_nano(&self, passes: f32, trodden: u8) -> i32 {
        mean_nano(self.packed_by_passes(decades(passes, trodden)), trodden)
    }

    /// How much stronger so many tenfolds of footfalls have made it: penetration resistance follows density.
    pub fn strength_by_passes(&self, decades: f64) -> f64 {
        1.0 + HARDER * decades
    }

    /// Pressure that a penetrometer's cone meets in fresh ground, Pa.
    pub fn penetration_resistance(&self) -> f64 {
        self.virgin_pressure(CONE[1].min(self.deepest())) * self.width_factor(CONE[0])
    }

    /// Dry bulk density near the surface, kg/m³, once prints have packed `print` m of the whole layer and passes `passes` m of
    /// the depth that they reach.
    pub fn density_when_packed(&self, print: f64, passes: f64) -> f64 {
        let left = |packed: f64, depth: f64| (1.0 - packed / depth).max(0.1);
        let below = if self.natural.crush_density > 0.0 {
            self.density_below(print / (1.0 - self.natural_displaced_share()).max(0.1))
        } else {
            self.natural.density / left(print, self.layer)
        };
        below / left(passes, self.natural.packing_depth)
    }

    /// Pressure under which ground fails below a footing, Pa: cohesion times Prandtl's bearing factor.
    fn bears(&self) -> f64 {
        let Natural { cohesion, friction, .. } = self.natural;
        let (slope, steep) = (libm::tan(friction), libm::tan(0.25 * std::f64::consts::PI + 0.5 * friction));
        cohesion * (libm::exp(std::f64::consts::PI * slope) * steep * steep - 1.0) / slope
    }

    /// Density of snow below a sole that has sunk `z` m, kg/m³.
    ///
    /// Snow that only packed would keep all of its mass below the sole, `ρ = ρ0 h / (h − z)`. Walkers sink deeper than ice would let them
    /// so: most of the snow must go sideways, into the walls of the print. It does from the pressure on under which a footing fails:
    /// from there `d ln ρ = (1 − FLOWS) dε` with the strain `dε = dz / (h − z)`. Soles here are narrower than snow that one sinks into
    /// is deep; below a plate that is much wider snow cannot get away, and only packs.
    fn density_below(&self, z: f64) -> f64 {
        let Natural { density, crush_density, .. } = self.natural;
        if z <= 0.0 {
            return density;
        }
        let strain = -libm::log((1.0 - z / self.layer).clamp(1e-3, 1.0));
        let decades = libm::log10((self.bears() / CRUSH_PRESSURE).max(1e-9));
        let fails = (crush_density + CRUSH_DECADE * decades).max(density);
        let packs = libm::log(fails / density);
        density * libm::exp(strain.min(packs) + (1.0 - FLOWS) * (strain - packs).max(0.0))
    }

    /// By which factor a sole `width` m wide is carried better than the plate of the table.
    pub(crate) fn width_factor(&self, width: f64) -> f64 {
        if self.natural.crush_density > 0.0 {
            return 1.0;
        }
        let k = |b: f64| (self.bekker.cohesive_modulus / b + self.bekker.frictional_modulus).max(1.0);
        k(width) / k(PLATE)
    }

    /// Pressure that fresh ground carries once a plate has sunk `z` m into it, Pa.
    fn virgin_pressure(&self, z: f64) -> f64 {
        let crush_density = self.natural.crush_density;
        let below = BEDROCK * (z - self.deepest()).max(0.0);
        if crush_density > 0.0 {
            let decades = ((self.density_below(z) - crush_density) / CRUSH_DECADE).min(2.0);
            CRUSH_PRESSURE * libm::pow(10.0, decades) + below
        } else {
            self.bekker.pressure(z, PLATE) * self.water_strength() + below
        }
    }

    /// Pressure over sinkage as a table.
    pub(crate) fn virgin(&self) -> Virgin {
        let end = self.layer;
        let mut knots = [Knot::default(); KNOTS + 1];
        for (j, knot) in knots.iter_mut().enumerate() {
            let share = j as f64 / KNOTS as f64;
            let depth = end * share * share;
            // Of the way down, `z` stays and the rest springs back.
            let springs = |z: f64| self.virgin_pressure(z) / (RELOAD[0] + RELOAD[1] * z);
            let (mut low, mut high) = (0.0, depth);
            for _ in 0..60 {
                let z = 0.5 * (low + high);
                if z + springs(z) < depth { low = z } else { high = z }
            }
            let stays = if springs(0.0) >= depth { 0.0 } else { low };
            let pressure = (depth - stays) * (RELOAD[0] + RELOAD[1] * stays);
            *knot = Knot { depth, pressure, stays, grows: 0.0 };
        }
        for j in 0..KNOTS {
            let (a, b) = (knots[j], knots[j + 1]);
            knots[j].grows = (b.pressure - a.pressure) / (b.depth - a.depth);
        }
        Virgin { knots, per_end: KNOTS as f64 / end.sqrt() }
    }
}

/// Knots of a table; the first is at no depth.
const KNOTS: usize = 128;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Knot {
    depth: f64,
    pressure: f64,
    /// What of the depth stays when the load is gone.
    stays: f64,
    /// How the pressure grows from here to the next knot.
    grows: f64,
}

/// Pressure over sinkage of fresh ground in straight pieces, closer together where it is shallow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Virgin {
    knots: [Knot; KNOTS + 1],
    per_end: f64,
}

impl Virgin {
    #[inline]
    fn piece(&self, depth: f64) -> (&Knot, &Knot) {
        // By way of 32 bits, which is quicker.
        let j = ((depth.max(0.0).sqrt() * self.per_end) as i32 as usize).min(KNOTS - 1);
        (&self.knots[j], &self.knots[j + 1])
    }

    /// Pressure at `depth` m, Pa, and how it grows, Pa/m.
    #[inline]
    pub(crate) fn pressure(&self, depth: f64) -> (f64, f64) {
        let (a, _) = self.piece(depth);
        (a.pressure + a.grows * (depth - a.depth), a.grows)
    }

    /// Pressure at `depth` m of ground that keeps a print of `print` m, Pa, under a pad that gives `soft` m/Pa: it is loaded again along
    /// its stiff line, until it yields as fresh ground does.
    #[inline]
    pub(crate) fn again(depth: f64, print: f64, strength: f64, soft: f64) -> f64 {
        let stiff = strength * (RELOAD[0] + RELOAD[1] * print);
        (depth - print).max(0.0) * stiff / (1.0 + stiff * soft)
    }

    /// What stays of `depth` m when the load is gone, m.
    pub(crate) fn stays(&self, depth: f64) -> f64 {
        let (a, b) = self.piece(depth);
        (a.stays + (b.stays - a.stays) * (depth - a.depth) / (b.depth - a.depth)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_follow_the_measured_laws() {
        for soil in &super::super::material::BEKKER_SOILS {
            let material = super::super::material::by_name(soil.name).expect("a preset");
            let table = material.virgin();
            for z in [0.005, 0.02, 0.05, 0.1] {
                let p = soil.bekker.pressure(z, PLATE);
                let depth = z + p / (RELOAD[0] + RELOAD[1] * z);
                if depth < material.deepest() && p < 2e6 {
                    let (found, _) = table.pressure(depth);
                    assert!((found / p - 1.0).abs() < 0.03, "{}: {found} for {p} Pa at {z} m", soil.name);
                    assert!((table.stays(depth) - z).abs() < 0.02 * z + 1e-5, "{}", soil.name);
                }
            }
        }
    }

    #[test]
    fn snow_that_cannot_get_away_packs_to_the_densities_of_crrel() {
        // z = h(1 − ρ0/ρf) with 500 kg/m³ up to 210 kPa, 550 above, 600 above 350, 650 above 700 kPa.
        let mut snow = Material::FRESH_SNOW;
        snow.natural.cohesion = 1e5;
        for (p, packed) in [(100e3, 500.0), (280e3, 550.0), (500e3, 600.0), (800e3, 650.0)] {
            let z = snow.layer * (1.0 - snow.natural.density / packed);
            let table = snow.virgin();
            let reached =
                (0..3000).map(|i| 1e-4 * f64::from(i)).find(|&d| table.pressure(d).0 >= p).expect("reached");
            assert!((reached - z).abs() < 0.03 * z, "{p} Pa: {reached} m for {z} m");
        }
    }

    #[test]
    fn snow_that_fails_goes_sideways_and_is_never_denser_than_ice() {
        for density in [100.0, 200.0, 300.0] {
            let mut snow = Material::FRESH_SNOW;
            snow.natural.density = density;
            let packs = |z: f64| density * snow.layer / (snow.layer - z);
            assert!((snow.density_below(0.04) - packs(0.04)).abs() < 1e-9, "it packs first");
            let deep = snow.density_below(0.27);
            assert!(deep < 0.8 * packs(0.27) && (400.0..700.0).contains(&deep), "{density}: {deep} kg/m³");
            let mut slab = snow;
            slab.natural.cohesion = 6e3;
            let carries = |m: &Material| m.virgin_pressure(0.27);
            assert!(carries(&slab) > 1.5 * carries(&snow), "what sticks together does not get away");
        }
        // Prandtl: 5.14 cohesions without friction, 14.8 at 20°.
        let mut soil = Material::LOAM;
        soil.natural.friction = 20f64.to_radians();
        assert!((soil.bears() / soil.natural.cohesion - 14.83).abs() < 0.01);
    }

    #[test]
    fn a_cone_reads_within_a_factor_of_two_what_forest_soils_have() {
        // Medians at 5 cm of 427 mesic-moist and 319 moist Swedish forest plots, Pa. Nothing was fitted to them.
        for (soil, median) in [(Material::LOAM, 172e3), (Material::WET_SOIL, 96e3)] {
            let ratio = soil.penetration_resistance() / median;
            assert!((0.5..2.0).contains(&ratio), "{}: {ratio}", soil.preset);
        }
    }

    #[test]
    fn footfalls_pack_by_their_logarithm_and_wet_ground_is_weaker() {
        let loam = Material::LOAM;
        let [one, ten, hundred] = [0.0, 1.0, 2.0].map(|n| loam.packed_by_passes(n));
        assert!(one == 0.0 && (hundred - 2.0 * ten).abs() < 1e-12 && (0.003..0.02).contains(&ten), "{ten}");
        let denser =
            loam.density_when_packed(0.01, loam.packed_by_passes(libm::log10(500.0))) - loam.natural.density;
        assert!((200.0..600.0).contains(&denser), "Dale & Weaver: {denser} kg/m³");
        let wet = Material { moisture: 0.9, ..loam };
        assert!((wet.water_strength() - 118.0 / 265.0).abs() < 0.01, "{}", wet.water_strength());
        assert!(wet.natural_displaced_share() > loam.natural_displaced_share());
        assert!((loam.strength_by_passes(libm::log10(200.0)) - 1.64).abs() < 0.01);
    }
}
