//! Repose: loose material steeper than its rest angle slides (TR-14..16).
//!
//! In: heaps. Out: heaps at rest: no loose cell steeper than the rest angle towards any of its eight neighbours.
//!
//! Every sweep looks at all pairs of neighbours as they are, then moves material in all pairs at once, so the result
//! does not depend on the order of cells. A cell that is too steep towards some neighbours gives them half its largest
//! excess at most, in proportion to the excess of each, and never more than it has; a cell takes half the largest
//! excess above it at most. So nothing is dug out, no heap overshoots, volume is exact. A heap that gives way settles
//! to 94 % of the rest angle's slope: real heaps, too, start to slide a degree or two above the angle at which they stop.
//! Under the natural law ground that stands steeper than its material's rest angle is held by something that is not modelled, cohesion,
//! roots or rock, and what lies on it likewise (a layer of centimetres is held by a tenth of a kilopascal): there a heap spreads until it
//! is a quarter of the rest angle's slope steeper than the ground was, our choice, and a slide has an end.
//! Under the papers' laws it runs down such ground to where it can lie, a hollow or flatter ground, as their rule has it: at once, as one
//! parcel along the steepest way, since cell by cell a slope of metres would cost thousands of sweeps.
//! Under every law a film thinner than a grain stays where it lies.
//! (TR-16's fixed step of 0.01 does not converge in metres, and signed weights dig pits.)
//!
//! Two ways to do the same: dense rows in a foot's window (fast), and a list of cells for what runs out of the
//! window (general). A test holds them to the same bits.

use super::super::contact::FootScratch;
use super::super::patch::{Cells, Patch};
use super::Space;
use crate::params::{Law, Material};
use crate::state::Ground;
use crate::state::tile::NANO;
pub(crate) use list::{Sparse, all_loose, excess, finish, hand_over, reach, sweeps_in};

mod list;

/// Sweeps in a window before the rest is handed over.
const DENSE_SWEEPS: u32 = 400;
/// Height of a cell that nothing can slide into, in [`COARSE`] units above the datum: higher than any ground or heap.
const WALL: i32 = 900_000_000;
/// Rows are first looked over in units of 4 nm, in which every height of a window fits 32 bits; what looks too steep is
/// then weighed exactly.
const COARSE: u32 = 2;

/// Steepest rise over one cell to a straight and to a diagonal neighbour, nm.
fn steepest(material: &Material, cell: f64) -> [i32; 2] {
    let rise = libm::tan(material.rest_angle) * cell * NANO;
    [rise as i32, (rise * std::f64::consts::SQRT_2) as i32]
}

/// By how much a drop exceeds what is allowed, with the little more that it settles by; 0 if it does not.
fn excess_of(drop: i32, allowed: i32) -> i32 {
    if drop > allowed { drop - allowed + (allowed >> 4) } else { 0 }
}

/// What a cell may drop to a neighbour, nm: `allowed` by its rest angle, and where the original ground dropped by `stood`.
fn held(law: Law, allowed: i32, stood: i32) -> i32 {
    if law == Law::Natural { allowed.max(stood.saturating_add(allowed >> 2)) } else { allowed }
}

/// A layer so thin that shares of it would round to nothing, nm.
const DUST: i32 = 64;
/// What stays behind where material has slid, nm: a film of less than a grain of silt (2 to 63 µm, ISO 14688) lies in the roughness of the
/// ground. Our choice within it. So a slide on ground steeper than its rest angle has an end, and a bounded cost.
const FILM: i32 = 5_000;

/// Two neighbours of which the first is too high: indices and excess, then the amount that moves.
#[derive(Clone, Copy, Debug)]
struct Slope {
    from: u32,
    to: u32,
    amount: i32,
}

/// What a cell may give and take in one sweep. Integers, so that no order of adding changes a bit.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    out_sum: i64,
    out_max: i32,
    /// Where the steepest way down leads; of equals the first cell.
    steepest: u32,
    in_max: i32,
    in_sum: i64,
}

/// The slopes of one sweep and the shares of the cells they join.
#[derive(Clone, Debug, Default)]
struct Flows {
    slopes: Vec<Slope>,
    shares: Vec<Share>,
}

impl Flows {
    /// Turns every slope's excess into the amount that moves; `loose` says what a cell has. Whether anything moves.
    fn weigh(&mut self, loose: impl Fn(u32) -> i32) -> bool {
        for s in &self.slopes {
            let from = &mut self.shares[s.from as usize];
            from.out_sum += i64::from(s.amount);
            if s.amount > from.out_max || (s.amount == from.out_max && s.to < from.steepest) {
                (from.out_max, from.steepest) = (s.amount, s.to);
            }
            let to = &mut self.shares[s.to as usize];
            to.in_sum += i64::from(s.amount);
            to.in_max = to.in_max.max(s.amount);
        }
        let mut any = 0;
        for s in &mut self.slopes {
            let (from, to) = (&self.shares[s.from as usize], &self.shares[s.to as usize]);
            let has = loose(s.from);
            s.amount = if has <= DUST {
                // Too little to share out: it goes the steepest way, whole.
                if s.to == from.steepest { has } else { 0 }
            } else {
                let gives = f64::from((from.out_max / 2).min(has)) / from.out_sum as f64;
                let takes = f64::from(to.in_max / 2) / to.in_sum as f64;
                (f64::from(s.amount) * gives.min(takes)) as i32
            };
            any |= s.amount;
        }
        any != 0
    }

    /// Forgets the shares of the cells just weighed.
    fn clear(&mut self) {
        for s in &self.slopes {
            self.shares[s.from as usize] = Share::default();
            self.shares[s.to as usize] = Share::default();
        }
        self.slopes.clear();
    }
}

/// Height of a cell that has nothing to give: lower than anything by more than any slope.
const NOTHING: i32 = -1_200_000_000;

/// Working rows of a foot's window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Window {
    /// Height above the datum, nm, and that of the original ground.
    exact: Vec<i64>,
    base: Vec<i32>,
    /// Coarse height as a neighbour sees it; a wall where a sole stands.
    height: Vec<i32>,
    /// Height as a giver sees it: the same, or `NOTHING` where there is no loose material.
    giver: Vec<i32>,
    loose: Vec<i32>,
    /// Steepest rise that each cell's material allows, straight and diagonal.
    allowed: Vec<[i32; 2]>,
    /// The smallest of these.
    least: [i32; 2],
    law: Law,
    steep: Vec<i32>,
    flows: Flows,
}

/// Lets the heaps in a foot's window slide to rest.
pub(crate) fn run(f: &mut FootScratch, ground: &Ground, space: &mut Space) {
    let Space { cells, slide, .. } = space;
    if !f.lifted {
        for &k in &f.press.displace.contact {
            cells.occupied[k as usize] = true;
        }
    }
    let rim = Rim {
        left: f.patch.rect.x0 > 0,
        right: f.patch.rect.x1 < ground.size[0],
        near: f.patch.rect.z0 > 0,
        far: f.patch.rect.z1 < ground.size[1],
    };
    let (sweeps, end) = slide.settle(&f.patch, cells, ground, &rim);
    f.press.outcome.sweeps = sweeps;
    f.press.outcome.slide = end;
}

/// How sliding in a window ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// All at rest.
    #[default]
    Resting,
    /// At rest within, but material has come to the rim and may go on outside.
    AtTheRim,
    /// Still moving after as many sweeps as a window gets.
    Moving,
}

/// Which sides of a window border on more ground.
struct Rim {
    left: bool,
    right: bool,
    near: bool,
    far: bool,
}

/// Rows and columns of a window, upper ends excluded.
#[derive(Clone, Copy, Debug)]
struct Span {
    z0: usize,
    z1: usize,
    x0: usize,
    x1: usize,
}

impl Window {
    fn settle(&mut self, patch: &Patch, cells: &mut Cells, ground: &Ground, rim: &Rim) -> (u32, End) {
        let (nx, nz) = (patch.nx, patch.nz);
        if nx < 3 || nz < 3 {
            return (0, End::Moving);
        }
        let Some(mut span) = self.may_slide(patch, cells, ground) else { return (0, End::Resting) };
        self.fill(patch, cells);
        let mut end = End::Resting;
        for sweep in 0..DENSE_SWEEPS {
            let Some(changed) = self.sweep(nx, nz, span) else {
                self.write(cells, sweep > 0);
                return (sweep, end);
            };
            span = changed;
            // The window is closed: what reaches its rim waits there until all within is at rest.
            let reached = (rim.near && span.z0 == 0)
                || (rim.far && span.z1 == nz)
                || (rim.left && span.x0 == 0)
                || (rim.right && span.x1 == nx);
            if reached {
                end = End::AtTheRim;
            }
        }
        self.write(cells, true);
        (DENSE_SWEEPS, End::Moving)
    }

    /// A quick look, in coarse units, at the part of the window where anything loose lies: that part, or none if nothing there can be
    /// too steep. Most often a heap has come to rest before, and the window need not be copied.
    fn may_slide(&mut self, patch: &Patch, cells: &Cells, ground: &Ground) -> Option<Span> {
        let (nx, nz, n) = (patch.nx, patch.nz, patch.nx * patch.nz);
        for list in [&mut self.height, &mut self.giver] {
            list.resize(n, 0);
        }
        self.steep.resize(nx, 0);
        self.law = ground.law;
        self.allow(patch, ground);
        // Rows and columns with something to give, and one more all around.
        let heaped = &cells.accumulation[..n];
        let columns = &mut self.steep[..nx];
        columns.fill(0);
        let (mut first, mut last) = (nz, 0);
        for (z, row) in heaped.chunks_exact(nx).enumerate() {
            let mut any = 0;
            for (column, &lies) in columns.iter_mut().zip(row) {
                let gives = i32::from(lies > FILM);
                *column |= gives;
                any |= gives;
            }
            if any != 0 {
                (first, last) = (first.min(z), z + 1);
            }
        }
        let left = columns.iter().position(|&gives| gives != 0)?;
        let right = columns.iter().rposition(|&gives| gives != 0).unwrap_or(left) + 1;
        let (z0, z1) = (first.saturating_sub(1), (last + 1).min(nz));
        let (x0, x1) = (left.saturating_sub(1), (right + 1).min(nx));
        for z in z0..z1 {
            let row = z * nx + x0..z * nx + x1;
            let (base, carved) = (&patch.base[row.clone()], &cells.compression[row.clone()]);
            let (heaped, taken) = (&heaped[row.clone()], &cells.occupied[row.clone()]);
            let (height, giver) = (&mut self.height[row.clone()], &mut self.giver[row]);
            for k in 0..x1 - x0 {
                // Each part is rounded down: so too low by less than two units or too high by less than one.
                let h = (base[k] >> COARSE) - (carved[k] >> COARSE) + (heaped[k] >> COARSE);
                // Masks, so that many cells are done at a time.
                let wall = -i32::from(taken[k]);
                let none = wall | -i32::from(heaped[k] <= FILM);
                height[k] = (h & !wall) | (WALL & wall);
                giver[k] = (h & !none) | (NOTHING & none);
            }
        }
        let steep =
            (z0..z1).any(|z| self.looks_steep(z * nx + x0, x1 - x0, (z + 1 < z1).then_some(nx), 2 + 3));
        steep.then_some(Span { z0: first, z1: last, x0: left, x1: right })
    }

    /// What each cell's material allows.
    fn allow(&mut self, patch: &Patch, ground: &Ground) {
        let allowed = |m: u8| steepest(&ground.materials[m as usize], ground.cell);
        let first = patch.material[0];
        self.least = allowed(first);
        self.allowed.clear();
        if patch.material.iter().all(|&m| m == first) {
            self.allowed.resize(patch.material.len(), self.least);
        } else {
            for &m in &patch.material {
                let allowed = allowed(m);
                self.allowed.push(allowed);
                self.least = [0, 1].map(|k| self.least[k].min(allowed[k]));
            }
        }
    }

    /// Copies the window.
    fn fill(&mut self, patch: &Patch, cells: &Cells) {
        let n = patch.nx * patch.nz;
        self.loose.resize(n, 0);
        self.exact.resize(n, 0);
        let (base, carved) = (&patch.base[..n], &cells.compression[..n]);
        self.base.clear();
        self.base.extend_from_slice(base);
        let (heaped, taken) = (&cells.accumulation[..n], &cells.occupied[..n]);
        let (height, giver, loose) = (&mut self.height[..n], &mut self.giver[..n], &mut self.loose[..n]);
        for k in 0..n {
            let exact = i64::from(base[k]) - i64::from(carved[k]) + i64::from(heaped[k]);
            self.exact[k] = exact;
            let h = (exact >> COARSE) as i32;
            height[k] = if taken[k] { WALL } else { h };
            giver[k] = if taken[k] | (heaped[k] <= FILM) { NOTHING } else { h };
            loose[k] = if taken[k] { 0 } else { heaped[k] };
        }
        self.flows.shares.resize(n.max(self.flows.shares.len()), Share::default());
    }

    fn write(&self, cells: &mut Cells, moved: bool) {
        if moved {
            for k in 0..self.loose.len() {
                if !cells.occupied[k] {
                    cells.accumulation[k] = self.loose[k];
                }
            }
        }
    }

    /// One sweep over pairs with an end in `span`; the cells that changed, or none.
    fn sweep(&mut self, nx: usize, nz: usize, span: Span) -> Option<Span> {
        let (z0, z1) = (span.z0.saturating_sub(1), (span.z1 + 1).min(nz));
        let (x0, x1) = (span.x0.saturating_sub(1), (span.x1 + 1).min(nx));
        for z in z0..z1 {
            self.find(z * nx + x0, x1 - x0, (z + 1 < z1).then_some(nx));
        }
        let loose = &mut self.loose;
        let moved = self.flows.weigh(|k| loose[k as usize] - FILM);
        let mut changed = Span { z0: usize::MAX, z1: 0, x0: usize::MAX, x1: 0 };
        for s in self.flows.slopes.iter().filter(|s| s.amount > 0) {
            let (from, to) = (s.from as usize, s.to as usize);
            loose[from] -= s.amount;
            loose[to] += s.amount;
            self.exact[from] -= i64::from(s.amount);
            self.exact[to] += i64::from(s.amount);
            for k in [from, to] {
                self.height[k] = (self.exact[k] >> COARSE) as i32;
                self.giver[k] = if loose[k] > FILM { self.height[k] } else { NOTHING };
                let (x, z) = (k % nx, k / nx);
                changed = Span {
                    z0: changed.z0.min(z),
                    z1: changed.z1.max(z + 1),
                    x0: changed.x0.min(x),
                    x1: changed.x1.max(x + 1),
                };
            }
        }
        self.flows.clear();
        moved.then_some(changed)
    }

    /// Marks in `steep` which of `n` cells of a row, starting at `a`, may be too steep towards their neighbours on the right and in the
    /// next row, many cells at a time; most are at rest. Whether there are any. What looks `less` units less steep counts, so that
    /// rounding hides nothing.
    fn looks_steep(&mut self, a: usize, n: usize, next: Option<usize>, less: i32) -> bool {
        let [t, td] = self.least.map(|t| (t >> COARSE) - less);
        let (h, g) = (&self.height[a..a + n], &self.giver[a..a + n]);
        let steep = &mut self.steep[..n];
        let mut any = 0;
        if let Some(nx) = next {
            let (h2, g2) = (&self.height[a + nx..a + nx + n], &self.giver[a + nx..a + nx + n]);
            for i in 0..n - 1 {
                let right = (g[i] - h[i + 1] > t) | (g[i + 1] - h[i] > t);
                let below = (g[i] - h2[i] > t) | (g2[i] - h[i] > t);
                let down = (g[i] - h2[i + 1] > td) | (g2[i + 1] - h[i] > td);
                let up = (g[i + 1] - h2[i] > td) | (g2[i] - h[i + 1] > td);
                steep[i] = i32::from(right | below | down | up);
                any |= steep[i];
            }
            steep[n - 1] = i32::from((g[n - 1] - h2[n - 1] > t) | (g2[n - 1] - h[n - 1] > t));
            any |= steep[n - 1];
        } else {
            for i in 0..n - 1 {
                steep[i] = i32::from((g[i] - h[i + 1] > t) | (g[i + 1] - h[i] > t));
                any |= steep[i];
            }
            steep[n - 1] = 0;
        }
        any != 0
    }

    /// Notes the slopes from `n` cells of a row, starting at `a`, to their neighbours on the right and in the next row.
    fn find(&mut self, a: usize, n: usize, next: Option<usize>) {
        if !self.looks_steep(a, n, next, 2) {
            return;
        }
        for i in 0..n {
            if self.steep[i] == 0 {
                continue;
            }
            let k = a + i;
            let right = i + 1 < n;
            if right {
                self.note(k, k + 1, 0);
            }
            if let Some(nx) = next {
                self.note(k, k + nx, 0);
                if right {
                    self.note(k, k + nx + 1, 1);
                    self.note(k + 1, k + nx, 1);
                }
            }
        }
    }

    /// Notes the slope between two cells, if it is too steep for the higher one's material.
    fn note(&mut self, a: usize, b: usize, slant: usize) {
        let down = self.exact[a] > self.exact[b];
        let (from, to) = if down { (a, b) } else { (b, a) };
        if self.height[to] == WALL || self.giver[from] == NOTHING {
            return;
        }
        let drop = clamped(self.exact[from] - self.exact[to]);
        let stood = self.base[from].saturating_sub(self.base[to]);
        let amount = excess_of(drop, held(self.law, self.allowed[from][slant], stood));
        if amount > 0 {
            self.flows.slopes.push(Slope { from: from as u32, to: to as u32, amount });
        }
    }
}

/// A drop as 32 bits; more than two metres is as good as two.
fn clamped(drop: i64) -> i32 {
    drop.clamp(-2_000_000_000, 2_000_000_000) as i32
}

#[cfg(test)]
mod tests;
