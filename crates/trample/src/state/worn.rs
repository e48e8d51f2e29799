//! Plants that are worn when a scene begins: which share of each plant still stands.
//!
//! In: where a patch's plants are rooted and its map of vegetation strength, `α_veg` of TR-7 as a run writes it. Out: the share of
//! each plant's joints that stand, such that the plants make the map again. A plant counts as far as it reaches, so the map is
//! its plants blurred. They are found by the least squares of simultaneous reconstruction (SIRT, Gilbert 1972): every turn gives
//! each plant the weighted mean of what the map has more than the plants make. Test `a_worn_meadow_read_back_is_the_meadow`.

use super::cover::{full_weight, reach};
use super::planting::{Planting, Root, cell_of};
use crate::scene::{DensityMap, PlantPatch};

/// Turns of the reconstruction. With momentum (Nesterov 1983) the map differs by less than its plants' joints can show.
const TURNS: usize = 40;
/// Places per reach at which the map is looked at. Our choice.
const PER_REACH: f64 = 4.0;

/// Shares of plants that stand, cell by cell.
#[derive(Clone, Debug)]
pub(crate) struct Worn {
    /// The first cell, x and z, and cells in a row.
    first: [i32; 2],
    across: usize,
    /// Where each cell's plants begin.
    starts: Vec<u32>,
    shares: Vec<f32>,
}

/// The places at which the map is looked at.
struct Places {
    min: [f64; 2],
    step: [f64; 2],
    many: [usize; 2],
    reach: f64,
}

impl Places {
    /// Calls `see` with every place that a plant reaches and the plant's weight there.
    fn each(&self, root: &Root, mut see: impl FnMut(usize, f64)) {
        let at = [root.x, root.z];
        let span = |k: usize| {
            let low = ((at[k] - self.reach - self.min[k]) / self.step[k] - 0.5).ceil().max(0.0) as usize;
            let high = ((at[k] + self.reach - self.min[k]) / self.step[k] + 0.5).floor().max(0.0) as usize;
            low..high.min(self.many[k])
        };
        let off = |k: usize, i: usize| self.min[k] + (i as f64 + 0.5) * self.step[k] - at[k];
        for j in span(1) {
            for i in span(0) {
                let (dx, dz) = (off(0, i), off(1, j));
                let weight = 1.0 - (dx * dx + dz * dz) / (self.reach * self.reach);
                if weight > 0.0 {
                    see(j * self.many[0] + i, weight);
                }
            }
        }
    }
}

impl Worn {
    pub(crate) fn new(planting: &Planting, patch: &PlantPatch, map: &DensityMap) -> Self {
        let reach = reach(patch);
        let side = [0, 1].map(|k| patch.max[k] - patch.min[k]);
        let many = side.map(|side| ((PER_REACH * side / reach).ceil() as usize).max(1));
        let places = Places { min: patch.min, step: [0, 1].map(|k| side[k] / many[k] as f64), many, reach };
        let first = patch.min.map(cell_of);
        let cells = [0, 1].map(|k| (cell_of(patch.max[k]) - first[k] + 1) as usize);
        let (mut starts, mut roots, mut own) = (vec![0], Vec::new(), Vec::new());
        for n in 0..cells[0] * cells[1] {
            planting.roots_in(first[0] + (n % cells[0]) as i32, first[1] + (n / cells[0]) as i32, &mut own);
            roots.extend_from_slice(&own);
            starts.push(roots.len() as u32);
        }
        let shares = shares(&places, &roots, full_weight(patch), map);
        Self { first, across: cells[0], starts, shares }
    }

    /// Share of plant `n` of a cell that stands.
    pub(crate) fn share(&self, cx: i32, cz: i32, n: usize) -> f32 {
        let cell = (cz - self.first[1]) as usize * self.across + (cx - self.first[0]) as usize;
        self.starts.get(cell).and_then(|start| self.shares.get(*start as usize + n)).copied().unwrap_or(1.0)
    }
}

/// The plants' shares whose weighted mean at every place is the map's.
fn shares(places: &Places, roots: &[Root], full: f64, map: &DensityMap) -> Vec<f32> {
    let n = places.many[0] * places.many[1];
    let wanted = |i: usize| {
        let share = |k: usize, i: usize| (i as f64 + 0.5) / places.many[k] as f64;
        f64::from(map.at(share(0, i % places.many[0]), share(1, i / places.many[0])))
    };
    // What all plants together weigh at a place, and each over all places it reaches.
    let mut all = vec![0.0; n];
    roots.iter().for_each(|root| places.each(root, |i, w| all[i] += w));
    let whole = |i: usize, all: &[f64]| f64::max(all[i], full);
    let mut shares: Vec<f64> = roots
        .iter()
        .map(|r| {
            let share = |k: usize, at: f64| (at - places.min[k]) / (places.step[k] * places.many[k] as f64);
            f64::from(map.at(share(0, r.x), share(1, r.z)))
        })
        .collect();
    let (mut last, mut lacks) = (shares.clone(), vec![0.0; n]);
    for turn in 0..TURNS {
        let momentum = turn as f64 / (turn + 3) as f64;
        lacks.fill(0.0);
        for ((root, share), last) in roots.iter().zip(&mut shares).zip(&mut last) {
            let ahead = *share + momentum * (*share - *last);
            (*last, *share) = (*share, ahead);
            places.each(root, |i, w| lacks[i] += w * ahead);
        }
        for (i, lacks) in lacks.iter_mut().enumerate() {
            // In units of what the plants there can give.
            *lacks = if all[i] > 0.0 { (wanted(i) * whole(i, &all) - *lacks) / all[i] } else { 0.0 };
        }
        for (root, share) in roots.iter().zip(&mut shares) {
            let (mut sum, mut weight) = (0.0, 0.0);
            places.each(root, |i, w| {
                sum += w / whole(i, &all) * lacks[i];
                weight += w / whole(i, &all);
            });
            *share = (*share + if weight > 0.0 { sum / weight } else { 0.0 }).clamp(0.0, 1.0);
        }
    }
    shares.into_iter().map(|share| share as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The strength that shares make at the places, and the map that is wanted.
    fn made_again(density: f64, wanted: impl Fn(f64, f64) -> f32) -> f64 {
        let patch = PlantPatch { density, min: [0.3, 0.1], max: [3.3, 2.1], ..PlantPatch::default() };
        let (width, height) = (150, 100);
        let values =
            (0..width * height).map(|k| wanted((k % width) as f64 / 150.0, (k / width) as f64 / 100.0));
        let map = DensityMap { width, height, values: values.collect() };
        let planting = Planting::new(&PlantPatch { strength_map: Some(map.clone()), ..patch.clone() }, 1, 0);
        let mut own = Vec::new();
        let (reach, full) = (reach(&patch), full_weight(&patch));
        let (mut sum, mut count) = (0.0, 0);
        // Inside, where plants stand on every side.
        for place in (0..20).flat_map(|i| (0..20).map(move |j| [0.8 + 0.1 * i as f64, 0.6 + 0.05 * j as f64]))
        {
            let (mut all, mut standing) = (0.0, 0.0);
            for (cz, cx) in (-1..9).flat_map(|cz| (-1..9).map(move |cx| (cz, cx))) {
                planting.roots_in(cx, cz, &mut own);
                for (n, root) in own.iter().enumerate() {
                    let d =
                        (root.x - place[0]) * (root.x - place[0]) + (root.z - place[1]) * (root.z - place[1]);
                    let weight = (1.0 - d / (reach * reach)).max(0.0);
                    (all, standing) =
                        (all + weight, standing + weight * f64::from(planting.standing(cx, cz, n)));
                }
            }
            let is = standing / f64::max(all, full);
            let asked = f64::from(map.at((place[0] - 0.3) / 3.0, (place[1] - 0.1) / 2.0));
            (sum, count) = (sum + (is - asked) * (is - asked), count + 1);
        }
        (sum / f64::from(count)).sqrt()
    }

    #[test]
    fn plants_stand_as_the_map_of_their_strength_says() {
        for density in [150.0, 900.0] {
            let even = made_again(density, |_, _| 0.4);
            let trail = made_again(density, |_, v| ((v - 0.5).abs() * 4.0).min(1.0) as f32);
            assert!(even < 0.015 && trail < 0.035, "{density}: {even} and {trail} off");
        }
    }
}
