//! The list: what slides outside of windows, cell by cell, and what runs down ground that is too steep.

use super::{End, FILM, Flows, Share, Slope, clamped, excess_of, held, steepest};
use crate::params::Law;
use crate::scene::Base;
use crate::state::ground::{cell_of, tile_of};
use crate::state::tile::{NANO, PlaceHasher, TILE_CELLS};
use crate::state::{Ground, TILE, TileKey};
use crate::step::Report;
use crate::step::patch::Patch;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// How fast a slide runs on outside its window, m/s: dry grains on a steep slope run at a few metres a second. A sweep
/// carries material one cell on; what has not come to rest goes on in the next step.
const SPEED: f64 = 3.0;

/// Sweeps outside windows in a step of `dt` s. Where what runs far does so at once, one is enough for the heaps that it makes.
pub(crate) fn sweeps_in(dt: f64, ground: &Ground) -> u32 {
    if runs_down(ground) { 1 } else { (SPEED * dt / ground.cell).ceil().clamp(1.0, 1000.0) as u32 }
}

/// How far from what slides anything matters to it, cells: a sweep moves material by a cell and looks one cell further, but what runs down
/// may come to any place.
pub(crate) fn reach(sweeps: u32, ground: &Ground) -> i32 {
    if runs_down(ground) { ground.size[0].max(ground.size[1]) } else { sweeps as i32 + 2 }
}

/// Whether material runs down ground that is steeper than its rest angle at once.
fn runs_down(ground: &Ground) -> bool {
    ground.law != Law::Natural && !matches!(ground.base, Base::Flat)
}
/// What goes on outside a window is put on the list: its rim and the cells around it, or all of it.
pub(crate) fn hand_over(patch: &Patch, end: End, pending: &mut Vec<(i32, i32)>) {
    let r = patch.rect;
    for z in r.z0 - 1..=r.z1 {
        for x in r.x0 - 1..=r.x1 {
            // A rim cell may give outwards, and a cell outside may give to a rim cell that was lowered.
            let rim = x <= r.x0 || z <= r.z0 || x + 1 >= r.x1 || z + 1 >= r.z1;
            if rim || end == End::Moving {
                pending.push((z, x));
            }
        }
    }
}

/// Every touched cell with loose material, for the end of a run.
pub(crate) fn all_loose(ground: &Ground, pending: &mut Vec<(i32, i32)>) {
    let t = TILE as i32;
    for tile in ground.tiles.iter() {
        for (c, _) in tile.layers.accumulation.iter().enumerate().filter(|(_, a)| **a > FILM) {
            pending.push((tile.key.z * t + c as i32 / t, tile.key.x * t + c as i32 % t));
        }
    }
}

/// Working memory of the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    /// Slopes by place: from (z, x), to (z, x), excess.
    found: Vec<[i32; 5]>,
    cells: Vec<(i32, i32)>,
    flows: Flows,
    /// Which of the cells have changed.
    changed: Vec<bool>,
    bases: Bases,
}

/// Original heights of tiles that slides have come by: a hill is dear to compute and never changes.
#[derive(Clone, Debug, Default)]
struct Bases {
    /// Steepest rise of each material.
    rises: Vec<[i32; 2]>,
    known: HashMap<TileKey, Box<Heights>, BuildHasherDefault<PlaceHasher>>,
}

/// Original heights of a tile, nm, and which of its [`NEIGHBOURS`] lies below each cell by the most more than its rest angle allows;
/// [`HOLDS`] where none does, [`UNKNOWN`] where nobody has asked.
#[derive(Clone, Debug)]
struct Heights {
    height: [i64; TILE_CELLS],
    down: [u8; TILE_CELLS],
}

const HOLDS: u8 = 8;
const UNKNOWN: u8 = 9;

impl Bases {
    /// Takes the materials as they are now. With other rest angles other ways lead down.
    fn follow(&mut self, ground: &Ground) {
        let rises = || ground.materials.iter().map(|m| steepest(m, ground.cell));
        if !self.rises.iter().copied().eq(rises()) {
            self.known.values_mut().for_each(|heights| heights.down = [UNKNOWN; TILE_CELLS]);
            self.rises.clear();
            self.rises.extend(rises());
        }
    }

    /// Original heights of a cell's tile.
    fn tile(&mut self, ground: &Ground, key: TileKey) -> &mut Heights {
        if self.known.len() > 20_000 {
            self.known.clear();
        }
        self.known.entry(key).or_insert_with(|| {
            let t = TILE as i32;
            let height =
                std::array::from_fn(|c| ground.base_nano(key.x * t + c as i32 % t, key.z * t + c as i32 / t));
            Box::new(Heights { height, down: [UNKNOWN; TILE_CELLS] })
        })
    }

    /// Original height of a cell, nm.
    fn height(&mut self, ground: &Ground, x: i32, z: i32) -> i64 {
        if matches!(ground.base, Base::Flat) {
            return 0;
        }
        self.tile(ground, tile_of(x, z)).height[cell_of(x, z)]
    }

    /// Where material runs on original ground that is steeper than its rest angle: one of [`NEIGHBOURS`], or [`HOLDS`].
    fn down(&mut self, ground: &Ground, x: i32, z: i32) -> u8 {
        if matches!(ground.base, Base::Flat) {
            return HOLDS;
        }
        let known = self.tile(ground, tile_of(x, z)).down[cell_of(x, z)];
        if known != UNKNOWN {
            return known;
        }
        let allowed = self.rises[ground.material_at(x, z) as usize];
        let here = self.height(ground, x, z);
        let (mut down, mut most) = (HOLDS, 0);
        for (i, &(dz, dx)) in NEIGHBOURS.iter().enumerate().filter(|(_, n)| within(ground, x + n.1, z + n.0))
        {
            let excess = here - self.height(ground, x + dx, z + dz) - i64::from(allowed[i / 4]);
            if excess > most {
                (down, most) = (i as u8, excess);
            }
        }
        self.tile(ground, tile_of(x, z)).down[cell_of(x, z)] = down;
        down
    }
}

fn within(ground: &Ground, x: i32, z: i32) -> bool {
    x >= 0 && z >= 0 && x < ground.size[0] && z < ground.size[1]
}

const NEIGHBOURS: [(i32, i32); 8] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];

/// Slides the cells on the list, (z, x), for at most `sweeps` sweeps; what still moves stays on the list.
pub(crate) fn finish(
    ground: &mut Ground,
    pending: &mut Vec<(i32, i32)>,
    work: &mut Sparse,
    sweeps: u32,
    dirty: &mut Vec<TileKey>,
    report: &mut Report,
) {
    work.bases.follow(ground);
    pending.sort_unstable();
    pending.dedup();
    for _ in 0..sweeps {
        if pending.is_empty() {
            return;
        }
        if runs_down(ground) {
            run_down(ground, pending, work, dirty);
        }
        work.found.clear();
        for &(z, x) in pending.iter() {
            slopes_of(ground, x, z, &mut work.found, &mut work.bases);
        }
        pending.clear();
        work.cells.clear();
        work.cells.extend(work.found.iter().flat_map(|f| [(f[0], f[1]), (f[2], f[3])]));
        work.cells.sort_unstable();
        work.cells.dedup();
        let Sparse { found, cells, flows, changed, .. } = work;
        changed.clear();
        changed.resize(cells.len(), false);
        flows.shares.resize(cells.len().max(flows.shares.len()), Share::default());
        let index = |place: (i32, i32)| cells.binary_search(&place).expect("listed above") as u32;
        flows.slopes.extend(found.iter().map(|f| Slope {
            from: index((f[0], f[1])),
            to: index((f[2], f[3])),
            amount: f[4],
        }));
        let loose = |k: u32| {
            let (z, x) = cells[k as usize];
            ground.tiles.get(tile_of(x, z)).map_or(0, |tile| tile.layers.accumulation[cell_of(x, z)] - FILM)
        };
        let moved = flows.weigh(loose);
        for s in flows.slopes.iter().filter(|s| s.amount > 0) {
            for (k, amount) in [(s.from, -s.amount), (s.to, s.amount)] {
                let (z, x) = cells[k as usize];
                let tile = ground.touch(tile_of(x, z));
                tile.layers.accumulation[cell_of(x, z)] += amount;
                if !tile.dirty {
                    tile.dirty = true;
                    dirty.push(tile.key);
                }
                changed[k as usize] = true;
            }
        }
        // A cell that changed may give next, and so may its neighbours.
        for (&(z, x), _) in cells.iter().zip(changed.iter()).filter(|(_, changed)| **changed) {
            pending.push((z, x));
            pending.extend(NEIGHBOURS.iter().map(|(dz, dx)| (z + dz, x + dx)));
        }
        flows.clear();
        if !moved {
            return;
        }
        report.sweeps += 1;
        pending.sort_unstable();
        pending.dedup();
    }
}

/// Lets what is too steep on listed cells of ground that is itself too steep run down to where it can lie; those places join the list.
fn run_down(ground: &mut Ground, pending: &mut Vec<(i32, i32)>, work: &mut Sparse, dirty: &mut Vec<TileKey>) {
    let Sparse { found, bases, .. } = work;
    let before = pending.len();
    for i in 0..before {
        let (z, x) = pending[i];
        let tile = ground.tiles.get(tile_of(x, z)).filter(|_| within(ground, x, z));
        let loose = tile.map_or(0, |t| t.layers.accumulation[cell_of(x, z)] - FILM);
        if loose <= 0 || bases.down(ground, x, z) == HOLDS {
            continue;
        }
        let (amount, Some(mut to)) = steepest_way(ground, x, z, found, bases) else { continue };
        let amount = amount.min(loose);
        // Where the ground is as it was the way is known; elsewhere it is looked for.
        while let Some(next) = goes_on(ground, to, amount, found, bases) {
            to = next;
        }
        for (at, by) in [((z, x), -amount), (to, amount)] {
            let tile = ground.touch(tile_of(at.1, at.0));
            tile.layers.accumulation[cell_of(at.1, at.0)] += by;
            if !tile.dirty {
                tile.dirty = true;
                dirty.push(tile.key);
            }
        }
        for (z, x) in [(z, x), to] {
            pending.push((z, x));
            pending.extend(NEIGHBOURS.iter().map(|(dz, dx)| (z + dz, x + dx)));
        }
    }
    if pending.len() > before {
        pending.sort_unstable();
        pending.dedup();
    }
}

/// The neighbour, (z, x), towards which a cell with loose material is steepest, and by how much too steep, nm.
fn steepest_way(
    ground: &Ground,
    x: i32,
    z: i32,
    found: &mut Vec<[i32; 5]>,
    bases: &mut Bases,
) -> (i32, Option<(i32, i32)>) {
    found.clear();
    slopes_of(ground, x, z, found, bases);
    let first = found.iter().min_by_key(|f| (-f[4], f[2], f[3]));
    first.map_or((0, None), |f| (f[4], Some((f[2], f[3]))))
}

/// Where a parcel of `amount` nm that has come to a cell goes on to, if it cannot lie there.
fn goes_on(
    ground: &Ground,
    (z, x): (i32, i32),
    amount: i32,
    found: &mut Vec<[i32; 5]>,
    bases: &mut Bases,
) -> Option<(i32, i32)> {
    let raised = |x: i32, z: i32| {
        let tile = ground.tiles.get(tile_of(x, z));
        tile.map_or((0, false), |t| (t.raised(cell_of(x, z)), t.layers.occupied[cell_of(x, z)]))
    };
    let (here, down) = (raised(x, z).0, bases.down(ground, x, z));
    if down != HOLDS && here >= 0 {
        let (dz, dx) = NEIGHBOURS[down as usize];
        let there = raised(x + dx, z + dz);
        if there.0 <= 0 && !there.1 {
            return Some((z + dz, x + dx));
        }
    }
    // Down by the surface as it is, off heaps too: always lower, so that no parcel goes round in circles.
    let here = bases.height(ground, x, z) + here;
    found.clear();
    lower(ground, (x, z), here + i64::from(amount), found, bases);
    let mut is_lower = |f: &&[i32; 5]| bases.height(ground, f[3], f[2]) + raised(f[3], f[2]).0 < here;
    found.iter().filter(|f| is_lower(f)).min_by_key(|f| (-f[4], f[2], f[3])).map(|f| (f[2], f[3]))
}

/// The neighbours towards which one cell is too steep.
fn slopes_of(ground: &Ground, x: i32, z: i32, found: &mut Vec<[i32; 5]>, bases: &mut Bases) {
    if !within(ground, x, z) {
        return;
    }
    let Some(tile) = ground.tiles.get(tile_of(x, z)) else { return };
    let c = cell_of(x, z);
    if tile.layers.accumulation[c] <= FILM || tile.layers.occupied[c] {
        return;
    }
    let height = bases.height(ground, x, z) + tile.raised(c);
    lower(ground, (x, z), height, found, bases);
}

/// The neighbours below a cell whose surface is at `height` nm by more than its material allows.
fn lower(ground: &Ground, (x, z): (i32, i32), height: i64, found: &mut Vec<[i32; 5]>, bases: &mut Bases) {
    let tile = ground.tiles.get(tile_of(x, z));
    let [s, d] = bases.rises[ground.material_in(tile, x, z) as usize];
    let own = tile_of(x, z);
    let flat = matches!(ground.base, Base::Flat);
    let (mut stood, mut base) = ([0; 8], 0);
    if !flat {
        // Most neighbours are in the same tile, which is looked up once.
        let heights = bases.tile(ground, own);
        base = heights.height[cell_of(x, z)];
        for (i, &(dz, dx)) in NEIGHBOURS.iter().enumerate() {
            if tile_of(x + dx, z + dz) == own {
                stood[i] = heights.height[cell_of(x + dx, z + dz)];
            }
        }
    }
    for (i, &(dz, dx)) in NEIGHBOURS.iter().enumerate() {
        let (nx, nz) = (x + dx, z + dz);
        if !within(ground, nx, nz) {
            continue;
        }
        let key = tile_of(nx, nz);
        let other = if key == own { tile } else { ground.tiles.get(key) };
        let there = if key == own || flat { stood[i] } else { bases.height(ground, nx, nz) };
        let below = match other {
            Some(t) if t.layers.occupied[cell_of(nx, nz)] => continue,
            Some(t) => there + t.raised(cell_of(nx, nz)),
            None => there,
        };
        let allowed = held(ground.law, if i < 4 { s } else { d }, clamped(base - there));
        let amount = excess_of(clamped(height - below), allowed);
        if amount > 0 {
            found.push([z, x, nz, nx, amount]);
        }
    }
}

/// The largest angle by which a loose cell exceeds the slope it may have, as a rise over run; 0 when all is at rest.
pub(crate) fn excess(ground: &Ground) -> f64 {
    let mut worst: f64 = 0.0;
    for tile in ground.tiles.iter() {
        for c in 0..TILE_CELLS {
            if tile.layers.accumulation[c] <= FILM {
                continue;
            }
            let t = TILE;
            let (x, z) = ((tile.key.x as usize * t + c % t) as i32, (tile.key.z as usize * t + c / t) as i32);
            let allowed = steepest(&ground.materials[tile.material[c] as usize], ground.cell);
            for (i, &(dz, dx)) in NEIGHBOURS.iter().enumerate() {
                let (nx, nz) = (x + dx, z + dz);
                if nx < 0 || nz < 0 || nx >= ground.size[0] || nz >= ground.size[1] {
                    continue;
                }
                let drop = (ground.surface_nano(x, z) - ground.surface_nano(nx, nz)) as f64;
                let (limit, run) =
                    if i < 4 { (allowed[0], 1.0) } else { (allowed[1], std::f64::consts::SQRT_2) };
                let stood = clamped(ground.base_nano(x, z) - ground.base_nano(nx, nz));
                worst = worst
                    .max((drop - f64::from(held(ground.law, limit, stood))) / (ground.cell * NANO * run));
            }
        }
    }
    worst
}
