//! Where plants are rooted: a function of the patch and the seed, cell by cell. Nothing is stored.
//!
//! In: a patch and a cell of 0.4 m. Out: the roots in it. Plants that no foot has come near cost nothing.

use super::worn::Worn;
use crate::random::{Stream, mix, uniform, word};
use crate::scene::{Placement, PlantPatch};

/// Side of a cell of plants, m; it is also the grid by which blocks are found. Our choice.
pub const PLANT_CELL: f64 = 0.4;
/// Candidates per plant that stays, of a Poisson disk. More bring the disks closer together and cost more.
const CANDIDATES: f64 = 4.0;
/// Disk radius in units of the mean distance, so that the wanted density stays (test `placements_have_the_density_they_were_given`).
const DISK: f64 = 0.577;

/// A root: where and how turned.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Root {
    /// Place, m.
    pub x: f64,
    /// Place, m.
    pub z: f64,
    /// Turn about the vertical, rad.
    pub turn: f32,
}

/// A patch's way to strew.
#[derive(Clone, Debug)]
pub(crate) struct Planting {
    patch: PlantPatch,
    seed: u64,
    /// What stands of its plants, if they are worn when the scene begins.
    worn: Option<Worn>,
}

/// The cell that holds a place.
pub(crate) fn cell_of(x: f64) -> i32 {
    (x / PLANT_CELL).floor() as i32
}

impl Planting {
    pub(crate) fn new(patch: &PlantPatch, scene_seed: u64, index: usize) -> Self {
        let seed = mix(scene_seed ^ mix(patch.seed.wrapping_add((index as u64) << 32)));
        let mut planting = Self { patch: patch.clone(), seed, worn: None };
        planting.worn = patch.strength_map.as_ref().map(|map| Worn::new(&planting, patch, map));
        planting
    }

    /// Whether its plants may be worn before anybody has come.
    pub(crate) fn is_worn(&self) -> bool {
        self.worn.is_some()
    }

    /// Share of a plant's joints that stand before anybody has come: of plant `n` of a cell.
    pub(crate) fn standing(&self, cx: i32, cz: i32, n: usize) -> f32 {
        self.worn.as_ref().map_or(1.0, |worn| worn.share(cx, cz, n))
    }

    /// The roots in a cell, in an order of their own.
    pub(crate) fn roots_in(&self, cx: i32, cz: i32, out: &mut Vec<Root>) {
        out.clear();
        let p = &self.patch;
        let side = match p.placement {
            Placement::Jittered => 1.0 / p.density.sqrt(),
            Placement::PoissonDisk => 1.0 / (p.density * CANDIDATES).sqrt(),
        };
        let span = |k: usize, cell: i32| {
            let low = (f64::from(cell) * PLANT_CELL - p.min[k]).max(0.0);
            let high = (f64::from(cell + 1) * PLANT_CELL).min(p.max[k]) - p.min[k];
            ((low / side).floor() as i64, (high / side).floor() as i64)
        };
        let ((i0, i1), (j0, j1)) = (span(0, cx), span(1, cz));
        for j in j0..=j1 {
            for i in i0..=i1 {
                let (x, z) = self.site(i, j, side);
                let inside = x < p.max[0] && z < p.max[1];
                if !inside || cell_of(x) != cx || cell_of(z) != cz || !self.stays(i, j, x, z, side) {
                    continue;
                }
                let turn = uniform(self.seed, Stream::PlantTurn, number(i, j)) * std::f64::consts::TAU;
                out.push(Root { x, z, turn: turn as f32 });
            }
        }
    }

    /// The plant of square (i, j), or the candidate to be one.
    fn site(&self, i: i64, j: i64, side: f64) -> (f64, f64) {
        let room = if self.patch.placement == Placement::Jittered { 0.8 } else { 1.0 };
        let n = number(i, j).wrapping_mul(4);
        let at = |k: u64| 0.5 + room * (uniform(self.seed, Stream::Plant, n.wrapping_add(k)) - 0.5);
        let [x, z] = self.patch.min;
        (x + (i as f64 + at(0)) * side, z + (j as f64 + at(1)) * side)
    }

    fn stays(&self, i: i64, j: i64, x: f64, z: f64, side: f64) -> bool {
        let p = &self.patch;
        let n = |i, j| number(i, j).wrapping_mul(4);
        if let Some(map) = &p.density_map {
            let share = |k: usize, at: f64| (at - p.min[k]) / (p.max[k] - p.min[k]);
            let drawn = uniform(self.seed, Stream::Plant, n(i, j).wrapping_add(2));
            if drawn >= f64::from(map.at(share(0, x), share(1, z))) {
                return false;
            }
        }
        if p.placement == Placement::Jittered {
            return true;
        }
        let radius = DISK / p.density.sqrt();
        let near = (radius / side).ceil() as i64;
        let rank = |i, j| word(self.seed, Stream::Plant, n(i, j).wrapping_add(3));
        let own = rank(i, j);
        for b in j - near..=j + near {
            for a in i - near..=i + near {
                if (a, b) == (i, j) || rank(a, b) > own {
                    continue;
                }
                let (u, v) = self.site(a, b, side);
                if (u - x) * (u - x) + (v - z) * (v - z) < radius * radius {
                    return false;
                }
            }
        }
        true
    }
}

fn number(i: i64, j: i64) -> u64 {
    mix((i as u64) << 32 ^ (j as u64 & 0xFFFF_FFFF))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(patch: &PlantPatch) -> Vec<Root> {
        let planting = Planting::new(patch, 1, 0);
        let (mut out, mut roots) = (Vec::new(), Vec::new());
        for cz in -1..=cell_of(patch.max[1]) + 1 {
            for cx in -1..=cell_of(patch.max[0]) + 1 {
                planting.roots_in(cx, cz, &mut out);
                roots.extend(&out);
            }
        }
        roots
    }

    #[test]
    fn placements_have_the_density_they_were_given() {
        for (placement, density) in
            [Placement::Jittered, Placement::PoissonDisk].into_iter().flat_map(|p| [(p, 20.0), (p, 267.0)])
        {
            let patch =
                PlantPatch { density, placement, min: [0.1, 0.3], max: [8.1, 7.3], ..Default::default() };
            let ratio = all(&patch).len() as f64 / (density * patch.area());
            assert!((ratio - 1.0).abs() < 0.05, "{placement:?} at {density}: {ratio}");
        }
    }

    #[test]
    fn poisson_disks_do_not_overlap_also_across_cells() {
        let patch = PlantPatch {
            density: 100.0,
            placement: Placement::PoissonDisk,
            max: [3.0, 3.0],
            ..Default::default()
        };
        let roots = all(&patch);
        let mut nearest = f64::MAX;
        for (n, a) in roots.iter().enumerate() {
            for b in &roots[n + 1..] {
                nearest = nearest.min(((a.x - b.x) * (a.x - b.x) + (a.z - b.z) * (a.z - b.z)).sqrt());
            }
        }
        assert!(nearest >= DISK * 0.1, "{nearest}");
        assert!(nearest < 1.3 * DISK * 0.1, "packed: {nearest}");
    }

    #[test]
    fn a_density_map_thins_where_it_is_dark() {
        let map = crate::scene::DensityMap { width: 2, height: 1, values: [0.0, 0.5].into() };
        let patch =
            PlantPatch { density: 200.0, max: [4.0, 4.0], density_map: Some(map), ..Default::default() };
        let roots = all(&patch);
        assert!(roots.iter().all(|r| r.x >= 2.0), "nothing grows on black");
        let ratio = roots.len() as f64 / patch.expected_plants();
        assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    }

    #[test]
    fn roots_lie_in_their_patch_and_turn_every_way() {
        let patch = PlantPatch { min: [0.55, 0.2], max: [1.7, 1.3], ..Default::default() };
        let roots = all(&patch);
        assert!(roots.iter().all(|r| (0.55..1.7).contains(&r.x) && (0.2..1.3).contains(&r.z)));
        for quarter in 0..4 {
            let from = quarter as f32 * std::f32::consts::FRAC_PI_2;
            let share = roots.iter().filter(|r| r.turn >= from && r.turn < from + 1.571).count();
            assert!(share * 8 > roots.len(), "quarter {quarter}: {share} of {}", roots.len());
        }
    }
}
