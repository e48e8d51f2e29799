//! Who carries how much when any number of feet stand: non-negative least squares (model §2).
//!
//! In: where the contacts are and where the force passes through the ground. Out: shares ≥ 0 that sum to one and whose mean
//! place is as near to the force as feet can push. For two feet this is the clamped projection of the papers; hands, canes
//! and the four feet of an animal are the same sum.

use glam::DVec2;

/// Most contacts that share: more than any animal has feet.
pub const MOST: usize = 16;

/// How much heavier the sum of the shares counts than their place, per metre of the contacts' spread.
const SUM: f64 = 100.0;
/// How strongly equal shares are preferred where the place leaves a choice, per metre of spread.
const EVEN: f64 = 0.03;

/// Shares of `contacts` (x, z, m) in a force through `centre` (x, z, m). `out` gets one share a contact; beyond [`MOST`]
/// contacts the rest carry nothing. Without contacts nothing is written.
pub fn shares(contacts: &[DVec2], centre: DVec2, out: &mut [f64]) {
    let n = contacts.len().min(MOST).min(out.len());
    out.fill(0.0);
    if n == 0 {
        return;
    }
    let finite = centre.is_finite() && contacts[..n].iter().all(|p| p.is_finite());
    let middle = contacts[..n].iter().sum::<DVec2>() / n as f64;
    let spread = contacts[..n].iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
    // Feet closer than 2 cm share evenly (model §2).
    if !finite || spread < 0.01 {
        out[..n].fill(1.0 / n as f64);
        return;
    }
    // In units of the spread around the middle every row is of order one.
    let at: [DVec2; MOST] =
        std::array::from_fn(|i| if i < n { (contacts[i] - middle) / spread } else { DVec2::ZERO });
    let goal = (centre - middle) / spread;
    let gram = |i: usize, j: usize| {
        let same = if i == j { EVEN * EVEN } else { 0.0 };
        at[i].dot(at[j]) + SUM * SUM + same
    };
    let pull = |i: usize| at[i].dot(goal) + SUM * SUM;
    let found = solve(n, gram, pull);
    let sum: f64 = found[..n].iter().sum();
    for i in 0..n {
        out[i] = if sum > 0.0 { found[i] / sum } else { 1.0 / n as f64 };
    }
}

/// min |A·x − b|² for x ≥ 0 by active sets (Lawson & Hanson's scheme), given AᵀA and Aᵀb.
fn solve(n: usize, gram: impl Fn(usize, usize) -> f64, pull: impl Fn(usize) -> f64) -> [f64; MOST] {
    let mut x = [0.0; MOST];
    let mut free = [false; MOST];
    // Every round frees one; a handful of rounds beyond that takes back what was freed too early.
    for _ in 0..3 * MOST {
        let slope = |i: usize| pull(i) - (0..n).map(|j| gram(i, j) * x[j]).sum::<f64>();
        let steepest = (0..n).filter(|&i| !free[i]).max_by(|&a, &b| slope(a).total_cmp(&slope(b)));
        let Some(i) = steepest.filter(|&i| slope(i) > 1e-8) else { break };
        free[i] = true;
        loop {
            let Some(next) = eliminate(n, &free, &gram, &pull) else { return x };
            let blocked = (0..n).filter(|&k| free[k] && next[k] <= 0.0);
            let step = blocked.map(|k| x[k] / (x[k] - next[k])).fold(1.0, f64::min);
            for k in 0..n {
                x[k] += step * (next[k] - x[k]);
            }
            if step >= 1.0 {
                break;
            }
            for k in 0..n {
                if free[k] && x[k] <= 1e-12 {
                    free[k] = false;
                    x[k] = 0.0;
                }
            }
        }
    }
    x
}

/// Solves the free part of the normal equations by Gaussian elimination with pivots.
fn eliminate(
    n: usize,
    free: &[bool; MOST],
    gram: &impl Fn(usize, usize) -> f64,
    pull: &impl Fn(usize) -> f64,
) -> Option<[f64; MOST]> {
    let mut index = [0; MOST];
    let mut m = 0;
    for i in (0..n).filter(|&i| free[i]) {
        index[m] = i;
        m += 1;
    }
    let mut a = [[0.0; MOST + 1]; MOST];
    for r in 0..m {
        for c in 0..m {
            a[r][c] = gram(index[r], index[c]);
        }
        a[r][m] = pull(index[r]);
    }
    for c in 0..m {
        let best = (c..m).max_by(|&p, &q| a[p][c].abs().total_cmp(&a[q][c].abs()))?;
        if a[best][c].abs() < 1e-12 {
            return None;
        }
        a.swap(c, best);
        for r in c + 1..m {
            let factor = a[r][c] / a[c][c];
            for k in c..=m {
                a[r][k] -= factor * a[c][k];
            }
        }
    }
    let mut x = [0.0; MOST];
    for r in (0..m).rev() {
        let known: f64 = (r + 1..m).map(|c| a[r][c] * x[index[c]]).sum();
        x[index[r]] = (a[r][m] - known) / a[r][r];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(contacts: &[DVec2], centre: DVec2) -> Vec<f64> {
        let mut out = vec![0.0; contacts.len()];
        shares(contacts, centre, &mut out);
        out
    }

    #[test]
    fn two_feet_share_as_the_papers_clamped_projection() {
        let (left, right) = (DVec2::new(0.1, -0.1), DVec2::new(0.6, 0.12));
        for centre in [(0.3, 0.0), (0.35, 0.05), (0.9, 0.0), (-1.0, 0.3), (0.1, -0.1)] {
            let centre = DVec2::new(centre.0, centre.1);
            let line = right - left;
            let wanted = ((centre - left).dot(line) / line.length_squared()).clamp(0.0, 1.0);
            let found = of(&[left, right], centre);
            assert!((found[1] - wanted).abs() < 2e-3, "{found:?}, wanted {wanted}");
        }
    }

    #[test]
    fn a_standing_animal_carries_more_with_the_feet_that_are_nearer() {
        let feet = [(0.5, -0.2), (0.5, 0.2), (-0.5, -0.2), (-0.5, 0.2)].map(|(x, z)| DVec2::new(x, z));
        let found = of(&feet, DVec2::new(0.1, 0.0));
        assert!((found[0] - 0.3).abs() < 1e-3 && (found[2] - 0.2).abs() < 1e-3, "{found:?}");
        assert!((found[0] - found[1]).abs() < 1e-6 && (found[2] - found[3]).abs() < 1e-6);
        // A trot: two feet on the diagonal.
        let found = of(&[feet[0], feet[3]], DVec2::new(0.1, 0.0));
        assert!((found[0] + found[1] - 1.0).abs() < 1e-12 && found[0] > found[1]);
    }

    #[test]
    fn odd_input_is_shared_evenly() {
        assert_eq!(of(&[DVec2::ZERO; 3], DVec2::ONE), [1.0 / 3.0; 3]);
        assert_eq!(of(&[DVec2::NAN, DVec2::ONE], DVec2::ONE), [0.5; 2]);
        assert!(of(&[], DVec2::ONE).is_empty());
        assert!((of(&[DVec2::ONE; 40], DVec2::ONE).iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn shares_are_shares_and_no_exchange_between_two_feet_is_nearer(
            feet in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 1..9),
            centre in (-1.5..1.5f64, -1.5..1.5f64),
        ) {
            let feet: Vec<DVec2> = feet.into_iter().map(|(x, z)| DVec2::new(x, z)).collect();
            let centre = DVec2::new(centre.0, centre.1);
            let found = of(&feet, centre);
            prop_assert!(found.iter().all(|&w| w >= 0.0));
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let miss = |w: &[f64]| w.iter().zip(&feet).map(|(w, p)| *p * *w).sum::<DVec2>().distance(centre);
            let here = miss(&found);
            for a in 0..feet.len() {
                for b in 0..feet.len() {
                    let moved = found[a].min(0.05);
                    let mut other = found.clone();
                    other[a] -= moved;
                    other[b] += moved;
                    prop_assert!(miss(&other) > here - 2e-3, "{found:?} misses by {here}, {other:?} less");
                }
            }
        }
    }
}
