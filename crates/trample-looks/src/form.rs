//! What a species looks like: its form follows from its numbers, its sizes from those. All of it our choice, for the eye alone.

use trample::Species;

/// How the stems of a species are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Grasses and sedges: a stem is a slim blade among others that arch away from it.
    Blade,
    /// Clubmosses: an upright shoot, bristly all along.
    Shoot,
    /// Herbs: a stalk with pairs of broad leaves.
    Herb,
    /// Ferns: a midrib with leaflets on both sides, shorter towards the tip.
    Frond,
    /// Shrubs: a woody twig with sprays of small leaves.
    Twig,
}

/// Mass of a metre of stem from which it is a stalk with leaves and not a blade, kg/m.
const LEAFY: f64 = 2e-3;
/// The same from which it is wood, kg/m.
const WOODY: f64 = 10e-3;
/// Droop of the tip from which a leafy stem is a frond, rad: 30°.
const DROOPING: f64 = std::f64::consts::FRAC_PI_6;
/// Height below which an upright leafy stem is a shoot, m.
const LOW: f64 = 0.25;

/// Form and sizes of a species.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// How its stems are drawn.
    pub form: Form,
    /// Width of a stem near its root, m. Blades are about twice as wide as real ones, which would be lost between pixels.
    pub width: f32,
    /// Length of a leaf, m; of the blades that stand around a blade, the length of the longest.
    pub leaf_length: f32,
    /// Half the width of a leaf, m.
    pub leaf_half_width: f32,
    /// How far leaves lean away from the stem, as a share of their length.
    pub spread: f32,
}

impl Form {
    /// The form that fits a species' numbers.
    pub fn of(species: &Species) -> Self {
        if species.linear_density < LEAFY {
            Self::Blade
        } else if species.linear_density >= WOODY {
            Self::Twig
        } else if species.droop >= DROOPING {
            Self::Frond
        } else if species.height < LOW {
            Self::Shoot
        } else {
            Self::Herb
        }
    }

    /// Its number in the shader.
    pub fn number(self) -> f32 {
        match self {
            Self::Blade => 0.0,
            Self::Shoot => 1.0,
            Self::Herb => 2.0,
            Self::Frond => 3.0,
            Self::Twig => 4.0,
        }
    }
}

impl Figure {
    /// How a species is drawn.
    pub fn of(species: &Species) -> Self {
        let (form, height) = (Form::of(species), species.height as f32);
        // Limp blades arch farther than stiff ones.
        let arch = (species.droop as f32 * 1.6).clamp(0.2, 0.8);
        let [width, leaf_length, leaf_half_width, spread] = match form {
            Form::Blade => {
                let width = (0.045 * height).clamp(0.003, 0.006);
                [width, height, 0.45 * width, arch]
            }
            Form::Shoot => [(0.03 * height).clamp(0.002, 0.006), 0.13 * height, 0.012 * height, 0.75],
            Form::Herb => [(0.01 * height).clamp(0.003, 0.01), 0.2 * height, 0.04 * height, 0.85],
            Form::Frond => [(0.012 * height).clamp(0.003, 0.008), 0.34 * height, 0.035 * height, 0.9],
            Form::Twig => [(0.018 * height).clamp(0.003, 0.01), 0.22 * height, 0.03 * height, 0.65],
        };
        Self { form, width, leaf_length, leaf_half_width, spread }
    }

    /// Area of a plant's stems that is seen from the side, m²: number × length × width. What counts where colours of several species
    /// are mixed.
    pub fn area(&self, species: &Species) -> f32 {
        species.stem_count() as f32 * species.height as f32 * self.width.max(self.leaf_half_width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::params::species::PRESETS;

    #[test]
    fn every_kind_of_plant_has_its_own_form() {
        let form = |name: &str| {
            let preset = PRESETS.iter().find(|p| p.name == name).expect("a preset");
            Form::of(&preset.species)
        };
        for grass in ["carex-pensylvanica", "lawn-grass", "tussock-grass"] {
            assert_eq!(form(grass), Form::Blade, "{grass}");
        }
        assert_eq!(form("lycopodium-lucidulum"), Form::Shoot);
        assert_eq!(form("fern"), Form::Frond);
        assert_eq!(form("tall-herb"), Form::Herb);
        assert_eq!(form("heath-shrub"), Form::Twig);
    }

    #[test]
    fn no_leaf_is_larger_than_its_plant() {
        for preset in PRESETS {
            let figure = Figure::of(&preset.species);
            let height = preset.species.height as f32;
            assert!(figure.leaf_length <= height && figure.leaf_half_width < 0.5 * figure.leaf_length);
            assert!(figure.width < 0.1 * height, "{}: {figure:?}", preset.name);
        }
    }
}
