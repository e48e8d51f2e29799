//! Bending and stretching of sixteen plants at once.
//!
//! In: a block, and how long. Out: the block moved on. Bending is the vector form `C = x0 − 2·x1 + x2` with energy
//! `½k|C|²`, `k = EI/h³`: linear, the same for x, y and z, without a square root. Each stem's joints are one small direct
//! solve (pentadiagonal LDLᵀ), so stiffness does not depend on the time step. One pass over stretch, cross and diagonal
//! links follows (XPBD compliance). Damping is exact, and the way that a force carries in a substep is such that the
//! slowest mode of a healthy stem comes back at its own rate whatever the substep. Second-neighbour springs, the papers' form, have no torque near
//! straight and are not used (test `a_released_stem_comes_back_from_every_angle`).
//!
//! Every loop runs over the sixteen lanes innermost and has no branch, so compilers turn it into vector code; no sum
//! crosses lanes, so wide and narrow machines get the same bits.

use super::wear::level;
use crate::params::GRAVITY;
use crate::state::lattice::{End, Lattice};
use crate::state::plants::{Block, LANES, Lane, Place};

/// Substeps a second. They come at fixed times, whatever the steps: one pass over the links gives way a little more the
/// longer a substep is, and so a plant moves the same at 30 and at 240 Hz. 60 are enough (test
/// `tip_deflection_is_that_of_an_elastic_beam_at_any_time_step`).
pub(crate) const SUBSTEPS: f64 = 60.0;

/// Substeps that have begun until a time. Steps that end together with a substep must not miss it by rounding.
pub(crate) fn ticks(time: f64) -> u64 {
    (time * SUBSTEPS + 1e-4).max(0.0) as u64
}

/// Substeps that fall into a step.
pub(crate) fn substeps(time: f64, dt: f64) -> usize {
    ticks(time + dt).saturating_sub(ticks(time)) as usize
}
/// Most moving particles of a stem (`scene::check` refuses more).
const MOST_ROWS: usize = crate::scene::check::MOST_ROWS;
/// Share of its sideways motion that a particle keeps in a substep while a sole or the ground touches it; our choice.
const SLIP: f64 = 0.7;

/// Speed below which a particle on the ground stays where it is, m/s; our choice.
pub(crate) const STICK: f64 = 2.4e-3;

/// A species made ready for a substep of a given length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tuned {
    /// Substeps in the step.
    pub(crate) substeps: usize,
    pub(crate) h: f32,
    inverse_h: f32,
    /// h·exp(−c·h): how far the present velocity carries, s.
    carry: f32,
    /// How far a unit of acceleration carries, s²: `(exp(λ·h) − 1)·(1 − exp(−(c − λ)·h))/ω²` with the rate λ of the slowest
    /// mode, which brings that mode back exactly; `h·(1 − exp(−c·h))/c` where it swings.
    pub(crate) push: f32,
    /// Inertia of each row, N/m.
    pub(crate) inertia: Vec<f32>,
    /// Factors of a healthy stem: inverse pivot, and the two entries left of it.
    factors: Vec<[f32; 3]>,
    /// Compliance along stems and across, in units of a particle's inverse mass.
    give: [f32; 2],
    /// Square of the way below which a particle on the ground sticks, m², and the share of its way that one keeps.
    stick: f32,
    slip: f32,
    /// What wind does to each row in a substep, m.
    pub(crate) wind: Vec<[f32; 3]>,
}

impl Tuned {
    /// Made ready for `substeps` of `h` seconds; takes no memory the second time.
    pub(crate) fn update(&mut self, lattice: &Lattice, h: f64, substeps: usize, wind: [f32; 3]) {
        let c = lattice.species.damping;
        let e = libm::exp(-c * h);
        let push = lattice.return_rate().map_or(h * (1.0 - e) / c, |rate| {
            -libm::expm1(rate * h) * libm::expm1(-(c - rate) * h) / lattice.slowest
        });
        self.stick = (STICK * h * STICK * h) as f32;
        self.slip = libm::pow(SLIP, h * SUBSTEPS) as f32;
        self.substeps = substeps;
        self.h = h as f32;
        self.inverse_h = (1.0 / h) as f32;
        self.carry = (h * e) as f32;
        self.push = push as f32;
        self.inertia.clear();
        self.inertia.extend(lattice.mass.iter().map(|&m| (f64::from(m) / push) as f32));
        self.factors.clear();
        self.factors.resize(lattice.rows, [0.0; 3]);
        let mass = f64::from(lattice.mass[0]);
        let species = &lattice.species;
        self.give =
            [species.stretch_compliance, species.link_compliance].map(|c| (2.0 * c * mass / push) as f32);
        self.wind.clear();
        self.wind.resize(lattice.rows, wind.map(|a| a * push as f32));
        factor_row(&lattice.stiffness, &self.inertia, |row, f| self.factors[row] = f);
    }
}

impl Tuned {
    /// Whether no wind blows.
    pub(crate) fn is_calm(&self) -> bool {
        self.wind.iter().all(|w| *w == [0.0; 3])
    }
}

/// LDLᵀ of inertia + bending of one stem, row by row from the root.
fn factor_row(stiffness: &[f32], inertia: &[f32], mut give: impl FnMut(usize, [f32; 3])) {
    let n = stiffness.len();
    let k = |j: usize| stiffness.get(j).copied().unwrap_or(0.0);
    let (mut d1, mut d2, mut left1) = (1.0f32, 1.0f32, 0.0f32);
    for i in 0..n {
        let diagonal = inertia[i] + k(i) + 4.0 * k(i + 1) + k(i + 2);
        let a1 = if i >= 1 { -2.0 * (k(i) + k(i + 1)) } else { 0.0 };
        let a2 = if i >= 2 { k(i) } else { 0.0 };
        let l2 = a2 / d2;
        let l1 = (a1 - l2 * d2 * left1) / d1;
        let d = diagonal - l1 * l1 * d1 - l2 * l2 * d2;
        give(i, [1.0 / d, l1, l2]);
        (d2, d1, left1) = (d1, d, l1);
    }
}

/// Factors, sag and hold of a block that is not healthy any more.
#[inline(always)]
fn tune_worn(block: &mut Block, lattice: &Lattice, tuned: &Tuned) {
    let (rows, n) = (lattice.rows, lattice.particles());
    debug_assert!(block.work.factors.len() == n, "room was made when it was sown");
    block.work.tuned = tuned.h;
    let mut share = [[0.0f32; LANES]; MOST_ROWS + 2];
    for stem in 0..lattice.stems {
        let first = stem * rows;
        for j in 0..rows {
            for lane in 0..LANES {
                share[j][lane] = level(block.strength[first + j][lane]) as f32 * (1.0 / 64.0);
            }
        }
        share[rows] = [0.0; LANES];
        share[rows + 1] = [0.0; LANES];
        let (mut d1, mut d2, mut left1) = ([1.0f32; LANES], [1.0f32; LANES], [0.0f32; LANES]);
        let mut hold = [1.0f32; LANES];
        let at = |list: &[f32], j: usize| list.get(j).copied().unwrap_or(0.0);
        for i in 0..rows {
            let [k0, k1, k2] = [0, 1, 2].map(|o| at(&lattice.stiffness, i + o));
            let [t0, t1, t2] = [0, 1, 2].map(|o| at(&lattice.lift, i + o));
            let weight = lattice.mass[i] * GRAVITY as f32;
            let (s0, s1, s2) = (&share[i], &share[i + 1], &share[i + 2]);
            let factor = &mut block.work.factors[first + i];
            let (sag, held) = (&mut block.work.sag[first + i], &mut block.work.hold[first + i]);
            let (one, two) = (if i >= 1 { 1.0 } else { 0.0 }, if i >= 2 { 1.0 } else { 0.0 });
            for lane in 0..LANES {
                let (a, b, c) = (k0 * s0[lane], k1 * s1[lane], k2 * s2[lane]);
                let diagonal = tuned.inertia[i] + a + 4.0 * b + c;
                let l2 = two * a / d2[lane];
                let l1 = (one * -2.0 * (a + b) - l2 * d2[lane] * left1[lane]) / d1[lane];
                let d = diagonal - l1 * l1 * d1[lane] - l2 * l2 * d2[lane];
                factor[0][lane] = 1.0 / d;
                factor[1][lane] = l1;
                factor[2][lane] = l2;
                (d2[lane], d1[lane], left1[lane]) = (d1[lane], d, l1);
                sag[lane] = t0 * s0[lane] - 2.0 * t1 * s1[lane] + t2 * s2[lane] - weight;
                hold[lane] *= if s0[lane] > 0.0 { 1.0 } else { 0.0 };
                held[lane] = hold[lane];
            }
        }
    }
}

/// Runs so many substeps of a block. `contact` says that its bounds count. Gives the square of the largest speed, m²/s².
pub(crate) fn run(
    block: &mut Block,
    lattice: &Lattice,
    tuned: &Tuned,
    substeps: usize,
    contact: bool,
) -> f32 {
    // Built for the machine's widest vectors when it runs; the numbers are the same with any.
    pulp::Arch::new().dispatch(Kernel { block, lattice, tuned, substeps, contact })
}

struct Kernel<'a> {
    block: &'a mut Block,
    lattice: &'a Lattice,
    tuned: &'a Tuned,
    substeps: usize,
    contact: bool,
}

impl pulp::NullaryFnOnce for Kernel<'_> {
    type Output = f32;

    #[inline(always)]
    fn call(self) -> f32 {
        let Self { block, lattice, tuned, substeps, contact } = self;
        if block.work.worn && block.work.tuned != tuned.h {
            tune_worn(block, lattice, tuned);
        }
        for _ in 0..substeps {
            if block.work.worn {
                substep::<true>(block, lattice, tuned);
            } else {
                substep::<false>(block, lattice, tuned);
            }
            if contact {
                clamp(block, lattice, tuned);
            }
            finish(block, tuned);
        }
        fastest(block)
    }
}

/// Square of the largest speed, m²/s².
#[inline(always)]
pub(crate) fn fastest(block: &Block) -> f32 {
    let mut most = [0.0f32; LANES];
    for v in &block.v {
        for lane in 0..LANES {
            let square = v[0][lane] * v[0][lane] + v[1][lane] * v[1][lane] + v[2][lane] * v[2][lane];
            most[lane] = if square > most[lane] { square } else { most[lane] };
        }
    }
    most.iter().fold(0.0, |a, &b| if b > a { b } else { a })
}

/// Bends and links. The velocities hold the old places meanwhile.
#[inline(always)]
fn substep<const WORN: bool>(block: &mut Block, lattice: &Lattice, tuned: &Tuned) {
    let rows = lattice.rows;
    for stem in 0..lattice.stems {
        let span = stem * rows..(stem + 1) * rows;
        let (factors, sag): (&[Place], &[Lane]) = if WORN {
            (&block.work.factors[span.clone()], &block.work.sag[span.clone()])
        } else {
            (&[], &[])
        };
        let (root, across) = (&block.grown.root[stem], &block.grown.across);
        let home = Home { root, across, curve: &lattice.curve };
        bend::<WORN>(&mut block.x[span.clone()], &mut block.v[span], &home, factors, sag, tuned);
    }
    for link in &lattice.links {
        let give = tuned.give[usize::from(!link.along)] * link.square;
        let mut a = block.x[link.a];
        match link.b {
            End::Free(b) => {
                let mut other = block.x[b];
                let hold = if WORN && !link.along {
                    both(&block.work.hold[link.a], &block.work.hold[b])
                } else {
                    [1.0; LANES]
                };
                pull(&mut a, &mut other, link.weight, link.square, give, &hold);
                block.x[b] = other;
            }
            End::Root(stem) => {
                let mut root = block.grown.root[stem];
                let hold = if WORN && !link.along { block.work.hold[link.a] } else { [1.0; LANES] };
                pull(&mut a, &mut root, link.weight, link.square, give, &hold);
            }
        }
        block.x[link.a] = a;
    }
}

#[inline(always)]
fn both(a: &Lane, b: &Lane) -> Lane {
    let mut out = [0.0; LANES];
    for lane in 0..LANES {
        out[lane] = a[lane] * b[lane];
    }
    out
}

/// Where the particles of a stem rest.
struct Home<'a> {
    root: &'a Place,
    across: &'a [Lane; 2],
    curve: &'a [[f32; 2]],
}

impl Home<'_> {
    #[inline(always)]
    fn at(&self, row: usize) -> Place {
        let [height, droop] = self.curve[row];
        let mut out = *self.root;
        for lane in 0..LANES {
            out[0][lane] += droop * self.across[0][lane];
            out[1][lane] += height;
            out[2][lane] += droop * self.across[1][lane];
        }
        out
    }
}

/// One stem: where inertia and wind carry it, against its joints, all at once.
#[inline(always)]
fn bend<const WORN: bool>(
    x: &mut [Place],
    v: &mut [Place],
    home: &Home<'_>,
    factors: &[Place],
    sag: &[Lane],
    tuned: &Tuned,
) {
    let n = x.len();
    let (x, v) = (&mut x[..n], &mut v[..n]);
    let (inertia, healthy, gusts) = (&tuned.inertia[..n], &tuned.factors[..n], &tuned.wind[..n]);
    // The axes side by side: they are independent, and a machine can work on all three at once. What the way down leaves
    // for the way back is kept in the places, which the velocities remember.
    let (mut last1, mut last2) = ([[0.0f32; LANES]; 3], [[0.0f32; LANES]; 3]);
    let carry = tuned.carry;
    for i in 0..n {
        let [_, l1, l2] = healthy[i];
        let rest = home.at(i);
        let mut now = [[0.0f32; LANES]; 3];
        for axis in 0..3 {
            let wind = gusts[i][axis];
            let (place, speed) = (&mut x[i][axis], &mut v[i][axis]);
            for lane in 0..LANES {
                let ahead = place[lane] + carry * speed[lane] - rest[axis][lane] + wind;
                speed[lane] = place[lane];
                let mut r = inertia[i] * ahead;
                if WORN && axis == 1 {
                    r += sag[i][lane];
                }
                let (l1, l2) = if WORN { (factors[i][1][lane], factors[i][2][lane]) } else { (l1, l2) };
                now[axis][lane] = r - l1 * last1[axis][lane] - l2 * last2[axis][lane];
                place[lane] = now[axis][lane];
            }
        }
        (last2, last1) = (last1, now);
    }
    let (mut next1, mut next2) = ([[0.0f32; LANES]; 3], [[0.0f32; LANES]; 3]);
    for i in (0..n).rev() {
        // Beyond the tip the values to multiply with are zeros, whatever the factor.
        let (f1, f2) = ((i + 1).min(n - 1), (i + 2).min(n - 1));
        let (pivot, l1, l2) = (healthy[i][0], healthy[f1][1], healthy[f2][2]);
        let rest = home.at(i);
        let mut now = [[0.0f32; LANES]; 3];
        for axis in 0..3 {
            let out = &mut x[i][axis];
            for lane in 0..LANES {
                let (pivot, l1, l2) = if WORN {
                    (factors[i][0][lane], factors[f1][1][lane], factors[f2][2][lane])
                } else {
                    (pivot, l1, l2)
                };
                let d = out[lane] * pivot - l1 * next1[axis][lane] - l2 * next2[axis][lane];
                now[axis][lane] = d;
                out[lane] = rest[axis][lane] + d;
            }
        }
        (next2, next1) = (next1, now);
    }
}

/// Brings two particles back to their distance. With √q ≈ (q + L²)/2L no square root is needed: it is exact to second
/// order near the rest length and never overshoots from a collapsed link.
#[inline(always)]
fn pull(a: &mut Place, b: &mut Place, weight: [f32; 2], square: f32, give: f32, hold: &Lane) {
    // Divided by the first weight, so that what is left is the way of the first particle.
    let (slope, second) = ((weight[0] + weight[1]) / weight[0], weight[1] / weight[0]);
    let offset = slope * square + give / weight[0];
    for lane in 0..LANES {
        let dx = a[0][lane] - b[0][lane];
        let dy = a[1][lane] - b[1][lane];
        let dz = a[2][lane] - b[2][lane];
        let q = dx * dx + dy * dy + dz * dz;
        let fa = hold[lane] * (q - square) / (slope * q + offset);
        let fb = fa * second;
        a[0][lane] -= fa * dx;
        a[1][lane] -= fa * dy;
        a[2][lane] -= fa * dz;
        b[0][lane] += fb * dx;
        b[1][lane] += fb * dy;
        b[2][lane] += fb * dz;
    }
}

/// Keeps particles between ground and soles, from root to tip; where they touch, they hardly slide. One that a sole
/// presses down swings out about the particle below it, so that a stem is laid flat and not squeezed.
#[inline(always)]
fn clamp(block: &mut Block, lattice: &Lattice, tuned: &Tuned) {
    let square = lattice.segment * lattice.segment;
    for p in 0..block.x.len() {
        let below =
            if p.is_multiple_of(lattice.rows) { block.grown.root[p / lattice.rows] } else { block.x[p - 1] };
        let (low, high, old) = (&block.work.low[p], &block.work.high[p], &block.v[p]);
        let x = &mut block.x[p];
        let mut beyond = [0u32; LANES];
        for lane in 0..LANES {
            beyond[lane] = u32::from(x[1][lane] < low[lane]) | u32::from(x[1][lane] > high[lane]);
        }
        if beyond.iter().fold(0, |a, b| a | b) == 0 {
            continue;
        }
        let mut out = *x;
        for lane in 0..LANES {
            let y = x[1][lane];
            let kept = if y < low[lane] { low[lane] } else { y };
            let kept = if kept > high[lane] { high[lane] } else { kept };
            let (mx, mz) = (x[0][lane] - old[0][lane], x[2][lane] - old[2][lane]);
            let free = kept == y;
            // What lies on the ground and hardly moves does not creep.
            let stuck = (y < low[lane]) & (mx * mx + mz * mz < tuned.stick);
            let slip = if stuck { 0.0 } else { tuned.slip };
            let (dx, dz) = (x[0][lane] - below[0][lane], x[2][lane] - below[2][lane]);
            let rise = kept - below[1][lane];
            let wide = square - rise * rise;
            let wide = if wide > 0.0 { wide } else { 0.0 };
            let swing = (wide / (dx * dx + dz * dz + 1e-9)).sqrt();
            let swing = if y > high[lane] { swing } else { 1.0 };
            let (ax, az) = (below[0][lane] + dx * swing, below[2][lane] + dz * swing);
            out[1][lane] = kept;
            let (sx, sz) =
                (old[0][lane] + (ax - old[0][lane]) * slip, old[2][lane] + (az - old[2][lane]) * slip);
            out[0][lane] = if free { x[0][lane] } else { sx };
            out[2][lane] = if free { x[2][lane] } else { sz };
        }
        *x = out;
    }
}

/// Velocities from the way gone.
#[inline(always)]
fn finish(block: &mut Block, tuned: &Tuned) {
    let places = block.x.as_flattened().as_flattened();
    let speeds = block.v.as_flattened_mut().as_flattened_mut();
    for (v, x) in speeds.iter_mut().zip(places) {
        *v = (*x - *v) * tuned.inverse_h;
    }
}
