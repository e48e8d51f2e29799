//! A species as particles: where they rest, what links them, from which bend on they wear. Derived, never state.
//!
//! In: a species. Out: one stem's rest curve, the stems' places, links between particles, and per joint the thresholds
//! of wear and rupture as cosines, so that no angle is ever computed in a step.

use crate::params::{GRAVITY, Species};

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A particle that moves.
    Free(usize),
    /// Where a stem leaves the ground.
    Root(usize),
}

/// Two particles that keep their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) a: usize,
    pub(crate) b: End,
    /// Inverse masses, in units of an inner particle's.
    pub(crate) weight: [f32; 2],
    /// Square of the rest length, m².
    pub(crate) square: f32,
    /// Whether it lies along a stem.
    pub(crate) along: bool,
}

/// The particles of a species. Particle `stem · rows + row`; joint of the same index is the one below the particle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lattice {
    pub(crate) species: Species,
    /// Stems, and moving particles of each.
    pub(crate) stems: usize,
    pub(crate) rows: usize,
    /// Distance between the particles of a stem, m.
    pub(crate) segment: f32,
    /// Where the stems stand in the plant's frame, m.
    pub(crate) base: Vec<[f32; 2]>,
    /// How far its particles rest from its root at most, sideways, m.
    pub(crate) spread: f64,
    /// Rest curve of a stem: height, and how far it droops across the row, m.
    pub(crate) curve: Vec<[f32; 2]>,
    pub(crate) links: Vec<Link>,
    /// Mass of each particle of a stem, kg.
    pub(crate) mass: Vec<f32>,
    /// Bending stiffness of each joint of a stem, N/m.
    pub(crate) stiffness: Vec<f32>,
    /// What each joint is strained by at rest so that the stem carries its own weight there, N.
    pub(crate) lift: Vec<f32>,
    /// ω² of a stem's slowest mode, 1/s².
    pub(crate) slowest: f64,
    /// c·|c| of the cosine from which a joint wears, and from which it breaks.
    pub(crate) wear: Vec<f32>,
    pub(crate) rupture: Vec<f32>,
}

/// c·|c|: cosines compared by their squares, with their sign.
fn signed_square(angle: f64) -> f32 {
    let c = libm::cos(angle.min(std::f64::consts::PI));
    (c * c.abs()) as f32
}

impl Lattice {
    pub(crate) fn new(species: &Species) -> Self {
        let rows = species.free_rows();
        let h = species.segment();
        let base = species.stems();
        let mut curve: Vec<[f64; 2]> = Vec::with_capacity(rows);
        let mut at = [0.0, 0.0];
        for j in 0..rows {
            let tilt = species.droop * (j as f64 + 0.5) / rows as f64;
            at = [at[0] + h * libm::cos(tilt), at[1] + h * libm::sin(tilt)];
            curve.push(at);
        }
        // The tip stands for half a segment.
        let share = |row: usize| if row + 1 == rows { 0.5 } else { 1.0 };
        let mass: Vec<f64> = (0..rows).map(|row| species.linear_density * h * share(row)).collect();
        let k = species.bending_rigidity / (h * h * h);
        // All turning of the clamp happens in the half segment above it, so it is twice as stiff as a joint between two.
        let stiffness = (0..rows).map(|j| (k * if j == 0 { 2.0 } else { 1.0 }) as f32).collect();
        let mut lift = vec![0.0; rows + 2];
        for j in (0..rows).rev() {
            lift[j] = mass[j] * GRAVITY + 2.0 * lift[j + 1] - lift[j + 2];
        }
        let slowest = slowest(&mass, k);
        let rest_bend = |j: usize| species.droop * if j == 0 { 0.5 } else { 1.0 } / rows as f64;
        Self {
            species: *species,
            spread: species.reach() - species.height + curve[rows - 1][1],
            stems: base.len(),
            rows,
            segment: h as f32,
            links: links(species, &base, &curve, share),
            base: base.iter().map(|b| b.map(|x| x as f32)).collect(),
            curve: curve.iter().map(|c| c.map(|x| x as f32)).collect(),
            mass: mass.iter().map(|&m| m as f32).collect(),
            stiffness,
            slowest,
            lift: lift[..rows].iter().map(|&t| t as f32).collect(),
            wear: (0..rows).map(|j| signed_square(rest_bend(j) + species.wear_angle)).collect(),
            rupture: (0..rows)
                .map(|j| {
                    // A stem cannot be bent further than back on itself: at 180° nothing breaks at once.
                    let angle = rest_bend(j) + species.break_angle;
                    if angle >= std::f64::consts::PI { -2.0 } else { signed_square(angle) }
                })
                .collect(),
        }
    }

    /// Rate at which a healthy stem's slowest motion dies away, 1/s; `None` if it swings to and fro.
    pub(crate) fn return_rate(&self) -> Option<f64> {
        let half = 0.5 * self.species.damping;
        let square = half * half - self.slowest;
        // Written so that the small difference of two large numbers does not count.
        (square > 0.0).then(|| self.slowest / (half + square.sqrt()))
    }

    /// Particles, which is also the number of joints.
    pub(crate) fn particles(&self) -> usize {
        self.stems * self.rows
    }
}

/// ω² of the slowest mode of a clamped stem, 1/s², by inverse iteration: the bends are differences of differences, so that
/// solving for a load is summing twice from the tip and twice from the root.
fn slowest(mass: &[f64], stiffness: f64) -> f64 {
    let n = mass.len();
    let mut shape: Vec<f64> = (0..n).map(|row| (row + 1) as f64 * (row + 1) as f64).collect();
    let (mut moment, mut bent) = (vec![0.0; n + 2], vec![0.0; n + 2]);
    let mut square = 0.0;
    for _ in 0..20 {
        for j in (0..n).rev() {
            moment[j] = mass[j] * shape[j] + 2.0 * moment[j + 1] - moment[j + 2];
        }
        for j in 0..n {
            let k = if j == 0 { 2.0 * stiffness } else { stiffness };
            bent[j + 2] = moment[j] / k + 2.0 * bent[j + 1] - bent[j];
        }
        let sum = |other: &[f64]| (0..n).map(|i| mass[i] * shape[i] * other[i]).sum::<f64>();
        square = sum(&shape) / sum(&bent[2..]);
        let tip = bent[n + 1];
        (0..n).for_each(|i| shape[i] = bent[i + 2] / tip);
    }
    square
}

/// Along the stems from root to tip, then across, then diagonally.
fn links(
    species: &Species,
    base: &[[f64; 2]],
    curve: &[[f64; 2]],
    share: impl Fn(usize) -> f64,
) -> Vec<Link> {
    let rows = curve.len();
    let place = |stem: usize, row: Option<usize>| {
        let [y, z] = row.map_or([0.0, 0.0], |row| curve[row]);
        [base[stem][0], y, base[stem][1] + z]
    };
    let make = |(s, r): (usize, usize), (t, q): (usize, Option<usize>), along: bool| {
        let (p, o) = (place(s, Some(r)), place(t, q));
        let square: f64 = (0..3).map(|k| (p[k] - o[k]) * (p[k] - o[k])).sum();
        let weight = [1.0 / share(r), q.map_or(0.0, |q| 1.0 / share(q))].map(|w| w as f32);
        let b = q.map_or(End::Root(t), |q| End::Free(t * rows + q));
        Link { a: s * rows + r, b, weight, square: square as f32, along }
    };
    let mut all = Vec::new();
    for r in 0..rows {
        all.extend((0..base.len()).map(|s| make((s, r), (s, r.checked_sub(1)), true)));
    }
    let along = all.len();
    let pairs = species.linked();
    for &(s, t) in &pairs {
        all.extend((0..rows).map(|r| make((s, r), (t, Some(r)), false)));
    }
    for &(s, t) in &pairs {
        for r in 0..rows {
            all.push(make((s, r), (t, r.checked_sub(1)), false));
            all.push(make((t, r), (s, r.checked_sub(1)), false));
        }
    }
    apart(&mut all[along..]);
    all
}

/// Orders links so that neighbours in the list share no particle where that can be: then consecutive links can be solved without waiting for each other.
fn apart(links: &mut [Link]) {
    const APART: usize = 6;
    let touches = |link: &Link, other: &Link| {
        let ends = |l: &Link| [End::Free(l.a), l.b];
        ends(link).iter().any(|e| matches!(e, End::Free(_)) && ends(other).contains(e))
    };
    for n in 0..links.len() {
        let last = &links[n.saturating_sub(APART)..n];
        let free = (n..links.len()).find(|&m| !last.iter().any(|l| touches(l, &links[m])));
        if let Some(m) = free {
            links[n..=m].rotate_right(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_as_long_as_its_plant_is_high_however_it_droops() {
        for droop in [0.0, 0.5, 1.5] {
            let lattice = Lattice::new(&Species { droop, ..Species::CAREX_PENSYLVANICA });
            let mut last = [0.0f32; 2];
            let mut length = 0.0;
            for c in &lattice.curve {
                length += ((c[0] - last[0]) * (c[0] - last[0]) + (c[1] - last[1]) * (c[1] - last[1])).sqrt();
                last = *c;
            }
            assert!((length - 0.1).abs() < 1e-6, "{length}");
        }
    }

    #[test]
    fn the_slowest_mode_is_that_of_a_clamped_beam() {
        // A uniform cantilever: ω² = 12.362·EI / (ρA·L⁴).
        let species = Species { spacing: 0.002, droop: 0.0, ..Species::CAREX_PENSYLVANICA };
        let length = species.height;
        let beam =
            12.362 * species.bending_rigidity / (species.linear_density * length * length * length * length);
        let found = slowest(
            &(0..49)
                .map(|i| species.linear_density * length / if i == 48 { 98.0 } else { 49.0 })
                .collect::<Vec<_>>(),
            species.bending_rigidity / (length / 49.0 * length / 49.0 * length / 49.0),
        );
        assert!((found / beam - 1.0).abs() < 0.01, "{found} for {beam}");
    }

    #[test]
    fn the_strain_at_rest_carries_each_particles_weight() {
        let lattice = Lattice::new(&Species::TALL_HERB);
        let n = lattice.rows;
        let t = |j: usize| lattice.lift.get(j).copied().unwrap_or(0.0);
        for i in 0..n {
            let carried = t(i) - 2.0 * t(i + 1) + t(i + 2);
            let weight = lattice.mass[i] * GRAVITY as f32;
            assert!((carried / weight - 1.0).abs() < 1e-3, "particle {i}: {carried} N for {weight} N");
        }
    }
}
