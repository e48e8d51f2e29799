//! What footfalls leave of plants: a curve per species, learnt from live plants.
//!
//! In: how often a place has been trodden. Out: the share of the cover that is left, `(1 + (n/n0)^p)^−q`. The three numbers are fitted to
//! lanes that live walkers have trodden under the natural law ([`Damage::learn`]), where stems bend, wear and break one by one; the
//! error of the fit is kept with them. Presets have been learnt once; a species with other numbers is learnt when a season begins.

use crate::SeasonError;
use crate::lane::{self, Moment};
use trample::params::{Species, species};

/// The curve of a species.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Damage {
    /// Footfalls about which cover begins to fall.
    pub footfalls: f64,
    /// How sharply it falls there.
    pub power: f64,
    /// How it goes on falling after many: as their power `−power·tail`.
    pub tail: f64,
    /// Root mean square of what the fitted curve errs by over a lane, in shares of its cover.
    pub error: f64,
}

/// A curve as tables, for many cells a day. Footfalls are counted by their doublings beyond [`Damage::footfalls`]/8, in straight pieces
/// between powers of two: the same on every machine, and undone exactly.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Cover by doublings, and doublings by cover.
    left: Vec<f32>,
    doublings: Vec<f32>,
    unit: f32,
}

/// Steps of a table, and how many of them to a doubling.
const STEPS: usize = 4096;
const PER_DOUBLING: usize = 128;

/// log₂ of a number from 1 on in straight pieces between powers of two; off by 0.09 at most.
pub(crate) fn doublings(x: f32) -> f32 {
    let bits = x.max(1.0).to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    exponent as f32 + (f32::from_bits((bits & 0x7f_ffff) | 0x3f80_0000) - 1.0)
}

/// The number of those doublings.
fn doubled(x: f32) -> f32 {
    let whole = x.clamp(0.0, 100.0) as u32;
    f32::from_bits((whole + 127) << 23) * (1.0 + x - whole as f32)
}

impl Curve {
    /// The tables of a curve.
    pub fn new(damage: &Damage) -> Self {
        let unit = damage.footfalls / 8.0;
        let at = |i: usize| f64::from(doubled(i as f32 / PER_DOUBLING as f32) - 1.0) * unit;
        let of = |cover: f64| doublings((damage.footfalls_for(cover) / unit).min(1e9) as f32 + 1.0);
        Self {
            left: (0..=STEPS).map(|i| damage.left(at(i)) as f32).collect(),
            doublings: (0..=STEPS).map(|i| of(i as f64 / STEPS as f64)).collect(),
            unit: unit as f32,
        }
    }

    /// Cover after so many more footfalls.
    pub fn after(&self, cover: f32, more: f32) -> f32 {
        let between = |table: &[f32], at: f32| {
            let at = at.clamp(0.0, STEPS as f32 - 1e-3);
            let i = at as usize;
            table[i] + (table[i + 1] - table[i]) * (at - i as f32)
        };
        let before = doubled(between(&self.doublings, cover * STEPS as f32));
        between(&self.left, PER_DOUBLING as f32 * doublings(before + more / self.unit)).min(cover)
    }
}

/// Learnt with [`Damage::learn`] from 500 passes on loam, seed 1 (clubmoss: 2): footfalls, power, tail and error.
const LEARNT: [(&str, [f64; 4]); 3] = [
    ("carex-pensylvanica", [0.5455, 1.817, 0.1395, 0.0073]),
    ("lawn-grass", [1651.0, 0.9927, 20.09, 0.0020]),
    ("lycopodium-lucidulum", [3.123, 1.159, 0.2997, 0.0081]),
];

impl Damage {
    /// The curve of a species: learnt before if it is a preset, else learnt now.
    ///
    /// # Errors
    /// If the lane cannot be built.
    pub fn of(species: &Species) -> Result<Self, SeasonError> {
        let known = LEARNT.iter().find(|(name, _)| species::by_name(name).as_ref() == Some(species));
        match known {
            Some(&(_, [footfalls, power, tail, error])) => Ok(Self { footfalls, power, tail, error }),
            None => Self::learn(species, 150, 1),
        }
    }

    /// Share of the cover that is left after `n` footfalls.
    pub fn left(&self, n: f64) -> f64 {
        libm::pow(1.0 + libm::pow(n.max(0.0) / self.footfalls, self.power), -self.tail)
    }

    /// How many footfalls leave so much.
    pub fn footfalls_for(&self, cover: f64) -> f64 {
        let grown = libm::pow(cover.clamp(1e-6, 1.0), -1.0 / self.tail) - 1.0;
        self.footfalls * libm::pow(grown.min(1e12), 1.0 / self.power)
    }

    /// Fits the curve to a lane of live plants that a live walker has passed along so often.
    ///
    /// # Errors
    /// If the lane cannot be built.
    pub fn learn(species: &Species, passes: u32, seed: u64) -> Result<Self, SeasonError> {
        let looks = [5, 10, 25, 50, 75, 100, 150, 200, 300, 400, 500];
        let times: Vec<u32> = looks.into_iter().filter(|&n| n <= passes).collect();
        let walked = lane::live(&lane::scene(species, "loam", passes, seed), &times)?;
        Ok(Self::fit(&walked.moments))
    }

    /// The curve that meets the mean cover of a lane best at all its moments.
    pub fn fit(moments: &[Moment]) -> Self {
        // Cells by how often they were trodden, in a few groups of equal size.
        let group = |m: &Moment| {
            let mut all = m.footfalls.clone();
            all.sort_by(f32::total_cmp);
            let mean = |part: &[f32]| part.iter().map(|&n| f64::from(n)).sum::<f64>() / part.len() as f64;
            (m.cover, all.chunks(all.len().div_ceil(GROUPS).max(1)).map(mean).collect::<Vec<f64>>())
        };
        let moments: Vec<(f64, Vec<f64>)> = moments.iter().map(group).collect();
        let error = |d: &Self| {
            let off = |(cover, cells): &(f64, Vec<f64>)| {
                let mean = cells.iter().map(|&n| d.left(n)).sum::<f64>() / cells.len().max(1) as f64;
                (mean - cover) * (mean - cover)
            };
            (moments.iter().map(off).sum::<f64>() / moments.len().max(1) as f64).sqrt()
        };
        // Ever finer grids around the best so far, in logarithms.
        let mut best = ([libm::log(10.0), 0.0, 0.0], f64::MAX);
        let mut span = [4.0, 1.2, 2.5];
        for _ in 0..40 {
            let (middle, before) = (best.0, best.1);
            for k in 0..343 {
                let at = [k / 49, k / 7 % 7, k % 7].map(|i| f64::from(i - 3) / 3.0);
                let place = [0, 1, 2].map(|i| (middle[i] + span[i] * at[i]).clamp(LEAST[i], MOST[i]));
                let [footfalls, power, tail] = place.map(libm::exp);
                let off = error(&Self { footfalls, power, tail, error: 0.0 });
                if off < best.1 {
                    best = (place, off);
                }
            }
            // The three numbers make up for each other: a grid that still finds something better moves on before it gets finer.
            if best.1 > 0.98 * before {
                span = span.map(|s| 0.6 * s);
            }
        }
        let [footfalls, power, tail] = best.0.map(libm::exp);
        Self { footfalls, power, tail, error: best.1 }
    }
}

/// Groups of cells in a fit, and how far its numbers may go, as logarithms.
const GROUPS: usize = 60;
const LEAST: [f64; 3] = [-3.0, -1.2, -3.5];
const MOST: [f64; 3] = [8.0, 1.4, 3.0];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_found_again_from_lanes_that_follow_it() {
        let truth = Damage { footfalls: 14.0, power: 0.8, tail: 0.6, error: 0.0 };
        let moment = |passes: u32| {
            let footfalls: Vec<f32> = (0..200).map(|i| passes as f32 * 0.002 * (i % 40) as f32).collect();
            let cover = footfalls.iter().map(|&n| truth.left(f64::from(n))).sum::<f64>() / 200.0;
            Moment { passes, cover, footfalls, ..Moment::default() }
        };
        let fit = Damage::fit(&[25, 75, 200, 500].map(moment));
        // Its three numbers make up for each other; the curve is what counts.
        for n in [0.5, 2.0, 10.0, 30.0] {
            assert!((fit.left(n) - truth.left(n)).abs() < 5e-3, "{n} footfalls: {fit:?}");
        }
        let n = truth.footfalls_for(0.4);
        assert!((truth.left(n) - 0.4).abs() < 1e-12);
        let curve = Curve::new(&truth);
        let mut cover = 1.0;
        for _ in 0..20 {
            cover = curve.after(cover, 0.5);
        }
        assert!((f64::from(cover) - truth.left(10.0)).abs() < 5e-3, "{cover} for {}", truth.left(10.0));
    }
}
