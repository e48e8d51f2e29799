//! How well plants hold the ground, per cell of the ground (TR-7..9).
//!
//! In: roots and how many of each plant's joints are whole. Out: the strength ratio `α_veg` 0..1, and `E_v = α_veg·E_v0`.
//! A plant counts by a weight that falls to 0 at its reach. TR-7 as printed divides by the number of all plants and
//! gives about 1/3 for a healthy meadow; ours divides by the weight that full cover has, or by the plants' own where
//! they stand closer, so that dense healthy cover is 1 and bare ground 0 (test `dense_cover_is_one_and_bare_ground_none`).
//!
//! Sums are whole numbers: a plant that changes is added and taken away exactly, in any order, and a tile made anew is
//! the tile that was kept up step by step.

use super::planting::{PLANT_CELL, Planting, Root, cell_of};
use super::tile::PlaceHasher;
use crate::map::CellRect;
use crate::params::Species;
use crate::scene::PlantPatch;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

/// Weight of a plant at its own root.
const UNIT: f64 = 1024.0;

/// What one patch means for the ground.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// How far a plant counts, m.
    pub(crate) reach: f64,
    /// Joints of a whole plant.
    pub(crate) joints: i64,
    /// Sum of weights × joints under full cover.
    pub(crate) full: i64,
    pub(crate) root_modulus: f64,
    pub(crate) height: f64,
    pub(crate) patch: Arc<PlantPatch>,
    pub(crate) planting: Arc<Planting>,
}

/// One patch's sums in a tile.
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    patch: usize,
    /// Per ground cell: Σ weight × joints of all plants, and of the standing joints alone.
    all: Vec<i64>,
    standing: Vec<i64>,
}

/// The ground cells whose centres lie in one plant cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CoverTile {
    pub(crate) cx: i32,
    pub(crate) cz: i32,
    x0: i32,
    z0: i32,
    nx: usize,
    nz: usize,
    layers: Vec<Layer>,
    /// Whether it is listed as changed.
    dirty: bool,
}

/// Vegetation as the ground feels it. Tiles exist where a foot has come near.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    cell: f64,
    pub(crate) fields: Vec<Field>,
    index: HashMap<(i32, i32), u32, BuildHasherDefault<PlaceHasher>>,
    tiles: Vec<CoverTile>,
    /// Tiles that have changed since somebody asked. Derived, not state.
    dirty: Vec<u32>,
}

/// Tells how many joints of a plant still stand. Only plants that have been touched can have lost any.
pub(crate) trait Health {
    /// Standing joints of plant `n` of a patch in a plant cell; `None` if that cell was never touched.
    fn standing_joints(&self, patch: usize, cx: i32, cz: i32, n: usize) -> Option<i64>;
}

/// No plant has been touched.
pub(crate) struct Untouched;

impl Health for Untouched {
    fn standing_joints(&self, _: usize, _: i32, _: i32, _: usize) -> Option<i64> {
        None
    }
}

/// How far a plant counts, m: its width (TR-7), and wide enough to meet its neighbours; at most a plant cell.
pub(crate) fn reach(patch: &PlantPatch) -> f64 {
    patch.reach().max(1.5 / patch.density.sqrt()).min(PLANT_CELL)
}

/// How many of a plant's joints a share of them is.
pub(crate) fn standing(share: f32, joints: usize) -> usize {
    ((share * joints as f32).round() as usize).min(joints)
}

/// What plants weigh together at a place under full cover: as many as discs of the plant's width make up the ground.
pub(crate) fn full_weight(patch: &PlantPatch) -> f64 {
    patch.full_density() * 0.5 * std::f64::consts::PI * reach(patch) * reach(patch)
}

impl Field {
    pub(crate) fn new(patch: &Arc<PlantPatch>, planting: &Arc<Planting>) -> Self {
        let species: &Species = &patch.species;
        let joints = (species.stem_count() * species.free_rows()) as i64;
        let full = full_weight(patch) * UNIT * joints as f64;
        Self {
            reach: reach(patch),
            joints,
            full: (full as i64).max(1),
            root_modulus: species.root_modulus,
            height: species.height * libm::cos(0.5 * species.droop),
            patch: patch.clone(),
            planting: planting.clone(),
        }
    }
}

impl CoverTile {
    fn new(cx: i32, cz: i32, cell: f64) -> Self {
        // The first cell whose centre is not left of the tile's edge.
        let first = |c: i32| (f64::from(c) * PLANT_CELL / cell - 0.5).ceil() as i32;
        let ((x0, x1), (z0, z1)) = ((first(cx), first(cx + 1)), (first(cz), first(cz + 1)));
        Self {
            cx,
            cz,
            x0,
            z0,
            nx: (x1 - x0) as usize,
            nz: (z1 - z0) as usize,
            layers: Vec::new(),
            dirty: true,
        }
    }

    /// Adds `amount` joints at a root, to all of them or to the whole ones alone.
    fn splat(&mut self, patch: usize, field: &Field, cell: f64, root: (f64, f64), amount: i64, to_all: bool) {
        let (r, (x, z)) = (field.reach, root);
        let bounds = |p: f64, first: i32, n: usize| {
            let low = ((p - r) / cell - 0.5).ceil() as i32 - first;
            let high = ((p + r) / cell - 0.5).floor() as i32 - first + 1;
            (low.max(0), high.min(n as i32))
        };
        let ((i0, i1), (j0, j1)) = (bounds(x, self.x0, self.nx), bounds(z, self.z0, self.nz));
        if i0 >= i1 || j0 >= j1 {
            return;
        }
        let n = self.nx * self.nz;
        let layer = match self.layers.iter().position(|l| l.patch == patch) {
            Some(known) => &mut self.layers[known],
            None => {
                self.layers.push(Layer { patch, all: vec![0; n], standing: vec![0; n] });
                self.layers.last_mut().expect("just pushed")
            }
        };
        for j in j0..j1 {
            for i in i0..i1 {
                let dx = (f64::from(self.x0 + i) + 0.5) * cell - x;
                let dz = (f64::from(self.z0 + j) + 0.5) * cell - z;
                let weight = (UNIT * (1.0 - (dx * dx + dz * dz) / (r * r))) as i64;
                if weight > 0 {
                    let k = j as usize * self.nx + i as usize;
                    if to_all {
                        layer.all[k] += weight * amount;
                    }
                    layer.standing[k] += weight * amount;
                }
            }
        }
    }

    /// Adds up every plant that reaches the tile.
    fn fill(&mut self, fields: &[Field], cell: f64, health: &dyn Health, roots: &mut Vec<Root>) {
        for (patch, field) in fields.iter().enumerate() {
            for cz in self.cz - 1..=self.cz + 1 {
                for cx in self.cx - 1..=self.cx + 1 {
                    field.planting.roots_in(cx, cz, roots);
                    for (n, root) in roots.iter().enumerate() {
                        let at = (root.x, root.z);
                        self.splat(patch, field, cell, at, field.joints, true);
                        let grown =
                            || standing(field.planting.standing(cx, cz, n), field.joints as usize) as i64;
                        let lost =
                            field.joints - health.standing_joints(patch, cx, cz, n).unwrap_or_else(grown);
                        if lost != 0 {
                            self.splat(patch, field, cell, at, -lost, false);
                        }
                    }
                }
            }
        }
    }

    /// Strength of each layer at a ground cell.
    fn strengths<'a>(
        &'a self,
        fields: &'a [Field],
        x: i32,
        z: i32,
    ) -> impl Iterator<Item = (&'a Field, f64)> {
        let k = (z - self.z0) as usize * self.nx + (x - self.x0) as usize;
        self.layers.iter().map(move |layer| {
            let field = &fields[layer.patch];
            (field, layer.standing[k] as f64 / layer.all[k].max(field.full) as f64)
        })
    }
}

/// Strength and root modulus of layers that share the ground: together they hold no more than full cover does.
fn together<'a>(strengths: impl Iterator<Item = (&'a Field, f64)>) -> (f64, f64, f64) {
    let (mut sum, mut modulus, mut height) = (0.0, 0.0, 0.0f64);
    for (field, alpha) in strengths {
        sum += alpha;
        modulus += alpha * field.root_modulus;
        height = height.max(alpha * field.height);
    }
    (sum.min(1.0), modulus / sum.max(1.0), height)
}

impl Cover {
    pub(crate) fn new(cell: f64, fields: Vec<Field>) -> Self {
        Self { cell, fields, ..Self::default() }
    }

    /// Whether nothing grows.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    fn tile(&self, cx: i32, cz: i32) -> Option<&CoverTile> {
        self.index.get(&(cz, cx)).map(|&slot| &self.tiles[slot as usize])
    }

    /// The plant cell of a ground cell's centre.
    fn plant_cell(&self, index: i32) -> i32 {
        let centre = (f64::from(index) + 0.5) * self.cell;
        // Counted as the tiles count, so that rounding puts no cell between two.
        let guess = cell_of(centre);
        let first = |c: i32| (f64::from(c) * PLANT_CELL / self.cell - 0.5).ceil() as i32;
        if index < first(guess) {
            guess - 1
        } else if index >= first(guess + 1) {
            guess + 1
        } else {
            guess
        }
    }

    /// `E_v` of a ground cell, Pa (TR-8); 0 where the tile has not been made yet.
    pub(crate) fn root_modulus(&self, x: i32, z: i32) -> f64 {
        let tile = self.tile(self.plant_cell(x), self.plant_cell(z));
        tile.map_or(0.0, |tile| together(tile.strengths(&self.fields, x, z)).1)
    }

    /// `α_veg` of a ground cell and `E_v` there, Pa. Where no foot has been near, its plants are looked up.
    pub(crate) fn held(&self, x: i32, z: i32) -> [f64; 2] {
        if self.is_empty() {
            return [0.0; 2];
        }
        let (cx, cz) = (self.plant_cell(x), self.plant_cell(z));
        let (alpha, modulus, _) = match self.tile(cx, cz) {
            Some(tile) => together(tile.strengths(&self.fields, x, z)),
            None => together(self.fresh(cx, cz).strengths(&self.fields, x, z)),
        };
        [alpha, modulus]
    }

    /// The same at (x, z) as the density of the patches gives it, where no foot has been.
    pub(crate) fn untouched(&self, x: f64, z: f64) -> [f64; 2] {
        let (alpha, modulus, _) = together(self.fields.iter().map(|f| (f, f.patch.cover_at(x, z))));
        [alpha, modulus]
    }

    /// Share of a ground cell's plants that is gone: joints that no longer stand, of those that stood.
    pub(crate) fn lost(&self, x: i32, z: i32) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let Some(tile) = self.tile(self.plant_cell(x), self.plant_cell(z)) else { return 0.0 };
        let k = (z - tile.z0) as usize * tile.nx + (x - tile.x0) as usize;
        let sums = tile.layers.iter().map(|layer| (layer.all[k], layer.standing[k]));
        let (all, standing) = sums.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        if all > 0 { 1.0 - standing as f64 / all as f64 } else { 0.0 }
    }

    /// A tile of untouched plants, made to read it and not kept.
    fn fresh(&self, cx: i32, cz: i32) -> CoverTile {
        let mut tile = CoverTile::new(cx, cz, self.cell);
        tile.fill(&self.fields, self.cell, &Untouched, &mut Vec::new());
        tile
    }

    /// `α_veg` and `E_v` over a window of ground cells, row by row; a tile that must be made is made once.
    pub(crate) fn window(&self, x0: i32, z0: i32, width: usize, height: usize) -> Vec<[f32; 2]> {
        let mut out = vec![[0.0; 2]; width * height];
        if self.is_empty() || out.is_empty() {
            return out;
        }
        let (x1, z1) = (x0 + width as i32 - 1, z0 + height as i32 - 1);
        for cz in self.plant_cell(z0)..=self.plant_cell(z1) {
            for cx in self.plant_cell(x0)..=self.plant_cell(x1) {
                let made;
                let tile = match self.tile(cx, cz) {
                    Some(tile) => tile,
                    None => {
                        made = self.fresh(cx, cz);
                        &made
                    }
                };
                for z in tile.z0.max(z0)..(tile.z0 + tile.nz as i32).min(z1 + 1) {
                    for x in tile.x0.max(x0)..(tile.x0 + tile.nx as i32).min(x1 + 1) {
                        let (alpha, modulus, _) = together(tile.strengths(&self.fields, x, z));
                        out[(z - z0) as usize * width + (x - x0) as usize] = [alpha as f32, modulus as f32];
                    }
                }
            }
        }
        out
    }

    /// Height of the vegetation that still stands at (x, z), m: what a walker expects its feet to meet (SW §3.2).
    /// Plants that a foot holds down count as standing; broken ones do not.
    pub fn vegetation_height(&self, x: f64, z: f64) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let index = |p: f64| (p / self.cell).floor() as i32;
        let (i, j) = (index(x), index(z));
        match self.tile(self.plant_cell(i), self.plant_cell(j)) {
            Some(tile) => together(tile.strengths(&self.fields, i, j)).2,
            None => together(self.fields.iter().map(|f| (f, f.patch.cover_at(x, z)))).2,
        }
    }

    /// Makes the tile of a plant cell, if it is not there yet. Says whether it was made.
    pub(crate) fn ensure(&mut self, cx: i32, cz: i32, health: &dyn Health, roots: &mut Vec<Root>) -> bool {
        if self.index.contains_key(&(cz, cx)) {
            return false;
        }
        let mut tile = CoverTile::new(cx, cz, self.cell);
        tile.fill(&self.fields, self.cell, health, roots);
        let slot = self.tiles.len() as u32;
        self.index.insert((cz, cx), slot);
        self.tiles.push(tile);
        // Room for all of them: the list does not grow in a step that makes none.
        self.dirty.reserve(self.tiles.len() - self.dirty.len());
        self.dirty.push(slot);
        true
    }

    /// A plant has `change` more whole joints than before.
    pub(crate) fn change(&mut self, patch: usize, root: (f64, f64), change: i64) {
        let reach = self.fields[patch].reach;
        for cz in cell_of(root.1 - reach)..=cell_of(root.1 + reach) {
            for cx in cell_of(root.0 - reach)..=cell_of(root.0 + reach) {
                if let Some(&slot) = self.index.get(&(cz, cx)) {
                    let (field, tile) = (&self.fields[patch], &mut self.tiles[slot as usize]);
                    tile.splat(patch, field, self.cell, root, change, false);
                    if !tile.dirty {
                        tile.dirty = true;
                        self.dirty.push(slot);
                    }
                }
            }
        }
    }

    /// Plant cells whose tiles are there, in a fixed order.
    pub(crate) fn keys(&self) -> Vec<(i32, i32)> {
        let mut keys: Vec<(i32, i32)> = self.tiles.iter().map(|t| (t.cz, t.cx)).collect();
        keys.sort_unstable();
        keys
    }

    /// Forgets all tiles.
    pub(crate) fn clear(&mut self) {
        self.index.clear();
        self.tiles.clear();
        self.dirty.clear();
    }

    /// Shows the cells under tiles that have changed since the last call.
    pub(crate) fn take_dirty(&mut self, mut each: impl FnMut(CellRect)) {
        for slot in self.dirty.drain(..) {
            let tile = &mut self.tiles[slot as usize];
            tile.dirty = false;
            each(CellRect { x: tile.x0, z: tile.z0, width: tile.nx, height: tile.nz });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover(patch: PlantPatch, cell: f64) -> Cover {
        let patch = Arc::new(patch);
        let planting = Arc::new(Planting::new(&patch, 1, 0));
        Cover::new(cell, vec![Field::new(&patch, &planting)])
    }

    struct Share(f64);
    impl Health for Share {
        fn standing_joints(&self, _: usize, _: i32, _: i32, _: usize) -> Option<i64> {
            Some((20.0 * self.0) as i64)
        }
    }

    #[test]
    fn dense_cover_is_one_and_bare_ground_none() {
        let meadow = PlantPatch { max: [4.0, 4.0], ..Default::default() };
        for cell in [0.04, 0.03, 0.01] {
            let cover = cover(meadow.clone(), cell);
            let n = (2.0 / cell) as usize;
            let inside = cover.window((1.0 / cell) as i32, (1.0 / cell) as i32, n, n);
            assert!(inside.iter().all(|&[a, _]| a == 1.0), "{inside:?}");
            let outside = (4.5 / cell) as i32;
            assert_eq!(cover.held(outside, outside), [0.0; 2]);
        }
        let sparse = cover(PlantPatch { density: 13.0, max: [8.0, 8.0], ..meadow }, 0.04);
        let all = sparse.window(50, 50, 100, 100);
        let mean = all.iter().map(|held| held[0]).sum::<f32>() / all.len() as f32;
        let discs = (13.0 * std::f64::consts::PI * 0.05 * 0.05) as f32;
        assert!((mean / discs - 1.0).abs() < 0.2, "a tenth covered counts as a tenth: {mean} for {discs}");
    }

    #[test]
    fn strength_falls_with_every_broken_joint() {
        let meadow = PlantPatch { max: [4.0, 4.0], ..Default::default() };
        let mut last = f64::MAX;
        for share in [1.0, 0.75, 0.5, 0.25, 0.0] {
            let mut cover = cover(meadow.clone(), 0.02);
            cover.ensure(5, 5, &Share(share), &mut Vec::new());
            let [alpha, modulus] = cover.held(110, 110);
            assert!((alpha - share).abs() < 1e-9, "{alpha} for {share}");
            assert!((modulus - 7e6 * share).abs() < 1.0 && modulus == cover.root_modulus(110, 110));
            assert!(alpha < last);
            last = alpha;
        }
    }

    #[test]
    fn a_tile_kept_up_is_the_tile_made_anew() {
        let mut kept = cover(PlantPatch { max: [4.0, 4.0], ..Default::default() }, 0.02);
        kept.ensure(5, 5, &Untouched, &mut Vec::new());
        let mut roots = Vec::new();
        for cz in 4..=6 {
            for cx in 4..=6 {
                kept.fields[0].planting.clone().roots_in(cx, cz, &mut roots);
                for root in &roots {
                    kept.change(0, (root.x, root.z), -7);
                    kept.change(0, (root.x, root.z), -3);
                }
            }
        }
        let mut anew = cover(PlantPatch { max: [4.0, 4.0], ..Default::default() }, 0.02);
        anew.ensure(5, 5, &Share(0.5), &mut Vec::new());
        assert_eq!(kept.tiles, anew.tiles);
    }

    #[test]
    fn two_species_share_the_ground() {
        let half = |root_modulus: f64| PlantPatch {
            species: Species { root_modulus, ..Species::CAREX_PENSYLVANICA },
            max: [4.0, 4.0],
            ..Default::default()
        };
        let patches = [Arc::new(half(4e6)), Arc::new(half(8e6))];
        let fields =
            patches.iter().enumerate().map(|(i, p)| Field::new(p, &Arc::new(Planting::new(p, 1, i))));
        let mut cover = Cover::new(0.02, fields.collect());
        cover.ensure(5, 5, &Untouched, &mut Vec::new());
        assert_eq!(cover.held(110, 110)[0], 1.0);
        assert!((cover.root_modulus(110, 110) - 6e6).abs() < 1.0, "the mean of both");
    }
}
