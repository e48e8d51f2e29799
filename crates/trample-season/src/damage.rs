//! What footfalls leave of plants: a curve per species, learnt from live plants.
//!
//! In: how often a place has been trodden. Out: the share of the cover that is left, `(1 + (n/n0)^p)^−q`. The three numbers are fitted to
//! lanes that live walkers have trodden under the natural law ([`Damage::learn`]), where stems bend, wear and break one by one; the
//! error of the fit is kept with them. Presets have been learnt once; a species with other numbers is learnt when a season begins.
//!
//! A lane whose walker scatters sideways tells nothing of more than some forty footfalls. Where live plants are trodden on one line
//! ([`Damage::learn_fade`]) the sedge's cover falls exponentially beyond them, to bare ground; the clubmoss's does not.

use crate::SeasonError;
use crate::lane::{self, Moment};
use rayon::prelude::*;
use trample::params::{Field, Species, species};

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
    /// From how many footfalls on, beyond what the curve was fitted to, and over how many more cover falls to 1/e of itself; none where
    /// the curve goes on.
    pub fade: Option<[f64; 2]>,
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

/// A curve that was learnt before, and the plants that it was learnt from.
#[derive(Clone, Copy, Debug)]
pub struct Learnt {
    /// Preset.
    pub species: &'static str,
    /// What made the plants wear as they did: the numbers of [`WEARS`] then.
    pub wears: [f64; 4],
    /// Footfalls, power, tail and error of the curve.
    pub curve: [f64; 4],
    /// How it fades.
    pub fade: Option<[f64; 2]>,
}

/// Numbers of a species by which it wears.
pub const WEARS: [&str; 4] = ["wear_angle_deg", "break_angle_deg", "wear_rate", "recovery_rate"];

/// Those numbers of a species.
pub fn wears(species: &Species) -> [f64; 4] {
    WEARS.map(|name| Field::find(Species::FIELDS, name).and_then(|f| f.get(species)).unwrap_or(f64::NAN))
}

/// Learnt by `cargo run --release -p trample-season --example learn`: [`Damage::learn`] from 500 passes on loam under [`SEEDS`], and
/// [`Damage::learn_fade`] from 700. A curve whose plants wear otherwise by now is not used.
pub const LEARNT: [Learnt; 3] = [
    Learnt {
        species: "carex-pensylvanica",
        wears: [10.0, 172.0, 0.049, 0.00013],
        curve: [244.7777, 0.7038, 8.0903, 0.0174],
        fade: Some([43.0, 22.2]),
    },
    Learnt {
        species: "lawn-grass",
        wears: [40.0, 175.0, 0.03, 0.05],
        curve: [136.2066, 0.9864, 2.0545, 0.0051],
        fade: None,
    },
    Learnt {
        species: "lycopodium-lucidulum",
        wears: [5.0, 177.5, 0.062, 0.0025],
        curve: [5.7518, 1.0656, 0.3849, 0.0070],
        fade: None,
    },
];

impl Damage {
    /// The curve of a species: learnt before if it is a preset, else learnt now.
    ///
    /// # Errors
    /// If the lane cannot be built.
    pub fn of(species: &Species) -> Result<Self, SeasonError> {
        let same = |l: &Learnt| wears(species).iter().zip(l.wears).all(|(a, b)| (a - b).abs() < 1e-9);
        let known = LEARNT.iter().find(|l| species::by_name(l.species).as_ref() == Some(species) && same(l));
        match known {
            Some(&Learnt { curve: [footfalls, power, tail, error], fade, .. }) => {
                Ok(Self { footfalls, power, tail, error, fade })
            }
            None => Self::learn(species, 150, &SEEDS[..1]),
        }
    }

    /// Share of the cover that is left after `n` footfalls.
    pub fn left(&self, n: f64) -> f64 {
        let fitted = |n: f64| libm::pow(1.0 + libm::pow(n.max(0.0) / self.footfalls, self.power), -self.tail);
        match self.fade {
            Some([from, over]) if n > from => fitted(n).min(fitted(from) * libm::exp((from - n) / over)),
            _ => fitted(n),
        }
    }

    /// How many footfalls leave so much.
    pub fn footfalls_for(&self, cover: f64) -> f64 {
        let cover = cover.clamp(1e-6, 1.0);
        let grown = libm::pow(cover, -1.0 / self.tail) - 1.0;
        let fitted = self.footfalls * libm::pow(grown.min(1e12), 1.0 / self.power);
        match self.fade {
            Some([from, over]) if fitted > from => {
                fitted.min(from + over * libm::log(self.left(from) / cover))
            }
            _ => fitted,
        }
    }

    /// How cover falls beyond `from` footfalls, learnt from a walker that keeps to one line, and by how much that errs; none where live
    /// cover falls no faster than the curve.
    ///
    /// # Errors
    /// If the lane cannot be built.
    pub fn learn_fade(
        &self,
        species: &Species,
        from: f64,
        passes: u32,
    ) -> Result<Option<(f64, f64)>, SeasonError> {
        let times: Vec<u32> = (4..).map(|k| 100 * k).take_while(|&n| n <= passes).collect();
        let walked = lane::live(&lane::narrow(species, "loam", passes, SEEDS[0]), &times)?;
        Ok(self.fit_fade(from, &walked.moments))
    }

    /// Over how many footfalls beyond `from` the cells of a lane fade, and by how much that errs.
    pub fn fit_fade(&self, from: f64, moments: &[Moment]) -> Option<(f64, f64)> {
        // Cells by how often they were trodden, in a few groups of equal size: footfalls and cover.
        let mut seen: Vec<[f64; 2]> = Vec::new();
        for m in moments {
            let mut all: Vec<[f64; 2]> =
                m.footfalls.iter().zip(&m.covers).map(|(&n, &c)| [f64::from(n), f64::from(c)]).collect();
            all.sort_by(|a, b| a[0].total_cmp(&b[0]));
            for part in all.chunks(all.len().div_ceil(GROUPS).max(1)) {
                seen.push([0, 1].map(|k| part.iter().map(|p| p[k]).sum::<f64>() / part.len() as f64));
            }
        }
        seen.retain(|g| g[0] > from);
        let error = |fade: Option<[f64; 2]>| {
            let with = Self { fade, ..*self };
            let off = seen.iter().map(|g| (with.left(g[0]) - g[1]) * (with.left(g[0]) - g[1])).sum::<f64>();
            (off / seen.len().max(1) as f64).sqrt()
        };
        let tried =
            (0..400).map(|k| libm::exp(0.02 * f64::from(k))).map(|over| (over, error(Some([from, over]))));
        tried.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|best| best.1 < 0.9 * error(None))
    }

    /// Fits the curve to lanes of live plants, one for each seed, that a live walker has passed along so often.
    ///
    /// # Errors
    /// If the lane cannot be built.
    pub fn learn(species: &Species, passes: u32, seeds: &[u64]) -> Result<Self, SeasonError> {
        let looks = [5, 10, 25, 50, 75, 100, 150, 200, 300, 400, 500];
        let times: Vec<u32> = looks.into_iter().filter(|&n| n <= passes).collect();
        let one = |&seed: &u64| lane::live(&lane::scene(species, "loam", passes, seed), &times);
        let lanes: Result<Vec<_>, _> = seeds.par_iter().map(one).collect();
        Ok(Self::fit(&lanes?.into_iter().flat_map(|l| l.moments).collect::<Vec<_>>()))
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
                let off = error(&Self { footfalls, power, tail, error: 0.0, fade: None });
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
        Self { footfalls, power, tail, error: best.1, fade: None }
    }
}

/// Seeds of the lanes that curves are learnt from; those that they are judged by (`trample reproduce trails-live`) have others.
pub const SEEDS: [u64; 3] = [101, 102, 103];

/// Groups of cells in a fit, and how far its numbers may go, as logarithms.
const GROUPS: usize = 60;
const LEAST: [f64; 3] = [-3.0, -1.2, -3.5];
const MOST: [f64; 3] = [8.0, 1.4, 3.0];

#[cfg(test)]
mod tests {
    use super::*;

    /// A preset that wears otherwise is to be learnt anew by the example `learn`, whose lines go into the table.
    #[test]
    fn curves_were_learnt_from_the_plants_as_they_are() {
        for learnt in &LEARNT {
            let now = wears(&species::by_name(learnt.species).expect("a preset"));
            let same = now.iter().zip(learnt.wears).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(same, "{}: {WEARS:?} {now:?} for {:?}", learnt.species, learnt.wears);
        }
    }

    #[test]
    fn a_curve_is_found_again_from_lanes_that_follow_it() {
        let truth = Damage { footfalls: 14.0, power: 0.8, tail: 0.6, error: 0.0, fade: None };
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

    #[test]
    fn cover_beyond_the_fitted_range_fades_and_is_found_again() {
        let fitted = Damage { footfalls: 0.5, power: 1.8, tail: 0.14, error: 0.0, fade: None };
        let truth = Damage { fade: Some([40.0, 30.0]), ..fitted };
        let footfalls: Vec<f32> = (0..600).map(|i| 0.3 * i as f32).collect();
        let covers = footfalls.iter().map(|&n| truth.left(f64::from(n)) as f32).collect();
        let lane = Moment { footfalls, covers, ..Moment::default() };
        let (over, error) = fitted.fit_fade(40.0, &[lane]).expect("it fades");
        assert!((over - 30.0).abs() < 0.5 && error < 5e-3, "{over} ± {error}");
        // Unchanged where the curve was fitted, continuous beyond, and undone exactly.
        assert_eq!([1.0, 20.0, 40.0].map(|n| truth.left(n)), [1.0, 20.0, 40.0].map(|n| fitted.left(n)));
        assert!(truth.left(40.1) < truth.left(40.0) && truth.left(40.1) > 0.99 * truth.left(40.0));
        for cover in [0.9, 0.4, 0.2, 0.1, 0.01] {
            assert!((truth.left(truth.footfalls_for(cover)) - cover).abs() < 1e-9, "{cover}");
        }
        let curve = Curve::new(&truth);
        let worn = (0..20).fold(1.0, |cover, _| curve.after(cover, 5.0));
        assert!((f64::from(worn) - truth.left(100.0)).abs() < 5e-3, "{worn} for {}", truth.left(100.0));
    }
}
