//! How feet share the weight of a body: by where they stand, or by how far a double support has gone.

/// Most feet a body may have.
pub const MOST_FEET: usize = 8;
/// Feet closer than this share the weight evenly, m; our choice.
const TOO_CLOSE: f64 = 0.02;

/// Share of the load on the foot that landed last, `u` of the way through double support, 0..1, where nothing is known but
/// that: what the generator's force under either foot gives at free speed.
pub fn in_double_support(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u - 0.05 * libm::sin(std::f64::consts::PI * u)
}

/// Share of the weight on each contact: the non-negative shares that add up to one and bring their mean place
/// closest to the centre of mass; among equals, the most even ones. For two feet this is
/// `clamp(dot(com − left, right − left) / |right − left|², 0, 1)` (DF-5 with its slip mended).
pub fn shares(places: &[[f64; 2]], com: [f64; 2]) -> [f64; MOST_FEET] {
    let mut out = [0.0; MOST_FEET];
    let finite = com.iter().chain(places.iter().flatten()).all(|x| x.is_finite());
    match places.len().min(MOST_FEET) {
        0 => {}
        1 => out[0] = 1.0,
        2 if finite => {
            let (dx, dz) = (places[1][0] - places[0][0], places[1][1] - places[0][1]);
            let square = dx * dx + dz * dz;
            let along = (com[0] - places[0][0]) * dx + (com[1] - places[0][1]) * dz;
            let second = if square < TOO_CLOSE * TOO_CLOSE { 0.5 } else { (along / square).clamp(0.0, 1.0) };
            (out[0], out[1]) = (1.0 - second, second);
        }
        n if !finite => out[..n].fill(1.0 / n as f64),
        n => many(&places[..n], com, &mut out),
    }
    out
}

/// Least squares with shares that are not negative, by active sets (after Lawson & Hanson 1974): feet that would help come in
/// one by one, feet that would pull go out, and the shares are a distribution all the way.
fn many(places: &[[f64; 2]], com: [f64; 2], out: &mut [f64; MOST_FEET]) {
    /// A touch of evenness makes the answer unique; its weight is in m², far below a contact's own size.
    const EVEN: f64 = 1e-6;
    let n = places.len();
    // Minimise |Σ αᵢ dᵢ|² + EVEN·Σ αᵢ² with Σ αᵢ = 1; dᵢ = placeᵢ − com. Lagrange: (D + EVEN·I) α = λ·1 for the feet in play.
    let entry = |i: usize, j: usize| {
        let d = |i: usize| [places[i][0] - com[0], places[i][1] - com[1]];
        let (p, q) = (d(i), d(j));
        p[0] * q[0] + p[1] * q[1] + if i == j { EVEN } else { 0.0 }
    };
    let nearest = (0..n).min_by(|&i, &j| entry(i, i).total_cmp(&entry(j, j))).unwrap_or(0);
    let mut active = [false; MOST_FEET];
    (active[nearest], out[nearest]) = (true, 1.0);
    // Every round brings one in; a few more take back what came in too early.
    for _ in 0..4 * MOST_FEET {
        let pull = |i: usize| (0..n).map(|j| entry(i, j) * out[j]).sum::<f64>();
        let level: f64 = (0..n).map(|i| out[i] * pull(i)).sum();
        let best = (0..n).filter(|&i| !active[i]).min_by(|&i, &j| pull(i).total_cmp(&pull(j)));
        let Some(next) = best.filter(|&i| pull(i) < level - 1e-3 * EVEN) else { break };
        active[next] = true;
        while let Some(goal) = solved(n, &active, entry) {
            let blocked = (0..n).filter(|&i| active[i] && goal[i] <= 0.0);
            let step = blocked.map(|i| out[i] / (out[i] - goal[i])).fold(1.0, f64::min);
            for i in 0..n {
                out[i] += step * (goal[i] - out[i]);
                if active[i] && out[i] <= 1e-12 {
                    (active[i], out[i]) = (false, 0.0);
                }
            }
            if step >= 1.0 {
                break;
            }
        }
    }
    let total: f64 = out.iter().sum();
    out.iter_mut().for_each(|share| *share /= total);
}

/// The best shares of the feet in play, whatever their sign; none if they cannot be told apart.
fn solved(
    n: usize,
    active: &[bool; MOST_FEET],
    entry: impl Fn(usize, usize) -> f64,
) -> Option<[f64; MOST_FEET]> {
    let (mut index, mut m) = ([0; MOST_FEET], 0);
    for i in (0..n).filter(|&i| active[i]) {
        index[m] = i;
        m += 1;
    }
    let mut a = [[0.0; MOST_FEET + 1]; MOST_FEET];
    for r in 0..m {
        for c in 0..m {
            a[r][c] = entry(index[r], index[c]);
        }
        a[r][m] = 1.0;
    }
    solve(&mut a, m);
    let total: f64 = (0..m).map(|r| a[r][m]).sum();
    let mut out = [0.0; MOST_FEET];
    for r in 0..m {
        out[index[r]] = a[r][m] / total;
    }
    (m > 0 && out.iter().all(|x| x.is_finite())).then_some(out)
}

/// Gaussian elimination with pivoting on an m × (m + 1) system; the matrix is positive definite.
fn solve(a: &mut [[f64; MOST_FEET + 1]; MOST_FEET], m: usize) {
    for k in 0..m {
        let pivot = (k..m).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs())).expect("k < m");
        a.swap(k, pivot);
        for r in 0..m {
            if r != k {
                let factor = a[r][k] / a[k][k];
                for c in k..=m {
                    a[r][c] -= factor * a[k][c];
                }
            }
        }
    }
    for k in 0..m {
        a[k][m] /= a[k][k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weight_shifts_from_foot_to_foot_and_is_clamped() {
        let feet = [[0.0, 0.0], [1.0, 0.0]];
        assert_eq!(shares(&feet, [0.25, 3.0])[..2], [0.75, 0.25]);
        assert_eq!(shares(&feet, [-5.0, 0.0])[..2], [1.0, 0.0], "never negative");
        assert_eq!(shares(&feet, [5.0, 0.0])[..2], [0.0, 1.0]);
        assert_eq!(shares(&[[0.0, 0.0], [0.01, 0.0]], [5.0, 0.0])[..2], [0.5, 0.5], "too close to tell");
    }

    #[test]
    fn a_table_stands_evenly_and_tips_to_the_near_legs() {
        let legs = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let even = shares(&legs, [0.5, 0.5]);
        assert!(even[..4].iter().all(|s| (s - 0.25).abs() < 1e-6), "{even:?}");
        let edge = shares(&legs, [2.0, 0.5]);
        assert!((edge[1] - 0.5).abs() < 1e-4 && (edge[2] - 0.5).abs() < 1e-4, "{edge:?}");
    }

    #[test]
    fn odd_input_is_shared_evenly() {
        assert!(shares(&[[0.0; 2]; 3], [1.0; 2])[..3].iter().all(|s| (s - 1.0 / 3.0).abs() < 1e-9));
        assert_eq!(shares(&[[f64::NAN; 2], [1.0; 2]], [1.0; 2])[..2], [0.5; 2]);
        assert_eq!(shares(&[], [1.0; 2]), [0.0; MOST_FEET]);
        assert!((shares(&[[1.0; 2]; 40], [1.0; 2]).iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn shares_are_shares_and_no_exchange_between_two_feet_is_nearer(
            feet in proptest::collection::vec([-1.0..1.0f64, -1.0..1.0f64], 1..=MOST_FEET),
            centre in [-1.5..1.5f64, -1.5..1.5f64],
        ) {
            let found = shares(&feet, centre);
            prop_assert!(found.iter().all(|&w| w >= 0.0) && (found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let miss = |w: &[f64]| {
                let off = [0, 1].map(|k| w.iter().zip(&feet).map(|(w, p)| w * p[k]).sum::<f64>() - centre[k]);
                (off[0] * off[0] + off[1] * off[1]).sqrt()
            };
            let here = miss(&found);
            for a in 0..feet.len() {
                for b in 0..feet.len() {
                    let mut other = found;
                    let moved = found[a].min(0.05);
                    (other[a], other[b]) = if a == b { (found[a], found[a]) } else { (found[a] - moved, found[b] + moved) };
                    prop_assert!(miss(&other) > here - 2e-3, "{found:?} misses by {here}, {other:?} less");
                }
            }
        }

        #[test]
        fn shares_are_a_distribution_that_carries_the_centre_of_mass(
            places in proptest::collection::vec([-1.0..1.0f64, -1.0..1.0f64], 1..=MOST_FEET),
            weights in proptest::collection::vec(0.05..1.0f64, MOST_FEET)
        ) {
            // A centre of mass inside the support: some mean of the places.
            let total: f64 = weights[..places.len()].iter().sum();
            let com = [0, 1].map(|k| places.iter().zip(&weights).map(|(p, w)| p[k] * w / total).sum::<f64>());
            let s = shares(&places, com);
            prop_assert!((s.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(s.iter().all(|&x| x >= 0.0));
            if places.len() > 2 {
                let mean = [0, 1].map(|k| places.iter().zip(&s).map(|(p, w)| p[k] * w).sum::<f64>());
                let (dx, dz) = (mean[0] - com[0], mean[1] - com[1]);
                let off = (dx * dx + dz * dz).sqrt();
                prop_assert!(off < 0.05, "centre {com:?} carried at {mean:?}");
            }
        }
    }
}
