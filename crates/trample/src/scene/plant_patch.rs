//! Plants in a scene: which species grows where, how densely, and how much of it is simulated.

use crate::params::Species;
use crate::params::field::{Field, Range, field};
use std::sync::Arc;

/// Distribution of roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Placement {
    /// One plant in each square of a grid, at a random position near its middle.
    #[default]
    Jittered,
    /// Random, with a minimum distance that follows from the density (Matérn hard core: of candidates that are too close
    /// to each other the one drawn first is kept).
    PoissonDisk,
}

impl Placement {
    /// Both, with their names in scene files.
    pub const ALL: [(&'static str, Self); 2] =
        [("jittered", Self::Jittered), ("poisson-disk", Self::PoissonDisk)];
}

/// How the plants of a patch are simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PlantKind {
    /// Stems bend, wear and break (TR §4.1).
    #[default]
    Simulated,
    /// Stems are only displaced by a field around each foot and return when it has left (SW-2).
    Displaced {
        /// `t_max`, displacement at the foot itself, m.
        most: f64,
        /// `γ`, decay with distance.
        fade: f64,
    },
}

/// Shares of a density or a strength, as of an image stretched over a patch, row 0 at its smallest z.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DensityMap {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Share in each pixel, 0..1, row-major.
    pub values: Arc<[f32]>,
}

impl DensityMap {
    /// The share at a place given as shares of the patch's width and depth.
    pub fn at(&self, u: f64, v: f64) -> f32 {
        let pixel = |share: f64, n: usize| ((share * n as f64).max(0.0) as usize).min(n - 1);
        self.values[pixel(v, self.height) * self.width + pixel(u, self.width)]
    }
}

/// A rectangle in which one species grows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlantPatch {
    /// Name in reports.
    pub name: String,
    /// Species.
    pub species: Species,
    /// Plants per square metre, 1/m².
    pub density: f64,
    /// Smallest x and z, m.
    pub min: [f64; 2],
    /// Largest x and z, m.
    pub max: [f64; 2],
    /// Map of relative density.
    pub density_map: Option<DensityMap>,
    /// Initial strength of its plants: the vegetation strength (TR-7) of this patch alone. Healthy if `None`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub strength_map: Option<DensityMap>,
    /// How roots are strewn.
    pub placement: Placement,
    /// Seed of the random numbers, combined with the scene's seed.
    pub seed: u64,
    /// How it is simulated.
    pub kind: PlantKind,
}

/// Plants cover at least so far from their root, m; thinner ones would not be seen by the cells.
const NARROWEST: f64 = 0.02;

impl Default for PlantPatch {
    /// TR §5.3: 200 plants in a lane of 0.5 m × 1.5 m.
    fn default() -> Self {
        Self {
            name: "plants".into(),
            species: Species::CAREX_PENSYLVANICA,
            density: 200.0 / 0.75,
            min: [0.0, 0.0],
            max: [1.5, 0.5],
            density_map: None,
            strength_map: None,
            placement: Placement::Jittered,
            seed: 1,
            kind: PlantKind::Simulated,
        }
    }
}

impl PlantPatch {
    /// Its own numbers; those of its species are [`Species::FIELDS`].
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("density", "1/m²", 0.01, 5000.0, "plants per square metre; 16000000 in a scene at most"), density),
        Field {
            range: Range::new("most", "m", 0.0, 2.0, "with `displaced`: displacement at the foot").of("SW-2"),
            read: |p| if let PlantKind::Displaced { most, .. } = p.kind { Some(most) } else { None },
            write: |p, x| if let PlantKind::Displaced { most, .. } = &mut p.kind { *most = x },
        },
        Field {
            range: Range::new("fade", "", 0.01, 100.0, "with `displaced`: decay with distance").of("SW-2"),
            read: |p| if let PlantKind::Displaced { fade, .. } = p.kind { Some(fade) } else { None },
            write: |p, x| if let PlantKind::Displaced { fade, .. } = &mut p.kind { *fade = x },
        },
    ];

    /// Radius around its root in which a plant covers the ground, m.
    pub(crate) fn reach(&self) -> f64 {
        self.species.width.max(NARROWEST)
    }

    /// Plants per square metre at which cover is complete: discs of the plant's width with the area of the ground.
    pub(crate) fn full_density(&self) -> f64 {
        1.0 / (std::f64::consts::PI * self.reach() * self.reach())
    }

    /// Covered share of the untrodden ground at (x, z).
    pub fn cover_at(&self, x: f64, z: f64) -> f64 {
        if !(x >= self.min[0] && x < self.max[0] && z >= self.min[1] && z < self.max[1]) {
            return 0.0;
        }
        let share = |k: usize, at: f64| (at - self.min[k]) / (self.max[k] - self.min[k]);
        let at = |map: &Option<DensityMap>| {
            map.as_ref().map_or(1.0, |map| f64::from(map.at(share(0, x), share(1, z))))
        };
        ((self.density / self.full_density()).min(1.0) * at(&self.density_map)).min(at(&self.strength_map))
    }

    /// Its area, m².
    pub fn area(&self) -> f64 {
        (self.max[0] - self.min[0]).max(0.0) * (self.max[1] - self.min[1]).max(0.0)
    }

    /// Expected number of plants.
    pub fn expected_plants(&self) -> f64 {
        let share = self.density_map.as_ref().map_or(1.0, |map| {
            map.values.iter().map(|&v| f64::from(v)).sum::<f64>() / map.values.len().max(1) as f64
        });
        self.density * self.area() * share
    }
}
