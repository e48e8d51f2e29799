//! Cover left after footfalls: a curve per species, fitted to live plants.
//!
//! In: the number of footfalls of a place. Out: the share of cover left, at [`AT`] footfalls with linear interpolation.
//! It is fitted to lanes trodden by live walkers under the natural law ([`Damage::learn`]), where stems bend, wear and break
//! individually; the fit error is stored with it. Presets are fitted in advance; a species with other parameters is fitted when a season starts.
//!
//! A lane with lateral scatter covers only up to some forty footfalls per place; a second one, without scatter,
//! covers more. Beyond that range cover falls exponentially at the last rate.

use crate::SeasonError;
use crate::lane::{self, Moment};
use rayon::prelude::*;
use trample::params::{Field, Species, species};

/// Footfalls at which a curve is known.
pub const AT: [f64; 14] = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0];

/// The curve of a species.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Damage {
    /// Share of the cover that is left at [`AT`], as far as it was learnt.
    pub left: Vec<f64>,
    /// Root mean square of what the fitted curve errs by over a lane, in shares of its cover.
    pub error: f64,
}

/// A curve as tables, for many cells a day. Footfalls are counted by their doublings beyond an eighth of one (`UNIT`), in straight pieces between
/// powers of two: the same on every machine, and undone exactly.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Cover by doublings, and doublings by cover.
    left: Vec<f32>,
    doublings: Vec<f32>,
}

/// What doublings begin from, footfalls.
const UNIT: f32 = 0.125;

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
        let unit = f64::from(UNIT);
        let at = |i: usize| f64::from(doubled(i as f32 / PER_DOUBLING as f32) - 1.0) * unit;
        let of = |cover: f64| doublings((damage.footfalls_for(cover) / unit).min(1e9) as f32 + 1.0);
        Self {
            left: (0..=STEPS).map(|i| damage.left(at(i)) as f32).collect(),
            doublings: (0..=STEPS).map(|i| of(i as f64 / STEPS as f64)).collect(),
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
        between(&self.left, PER_DOUBLING as f32 * doublings(before + more / UNIT)).min(cover)
    }
}

/// A curve that was learnt before, and the plants that it was learnt from.
#[derive(Clone, Copy, Debug)]
pub struct Learnt {
    /// Preset.
    pub species: &'static str,
    /// What made the plants wear as they did: the numbers of [`WEARS`] then.
    pub wears: [f64; 4],
    /// The curve.
    pub left: &'static [f64],
    /// Its error.
    pub error: f64,
}

/// Numbers of a species by which it wears.
pub const WEARS: [&str; 4] = ["wear_angle_deg", "break_angle_deg", "wear_rate", "recovery_rate"];

/// Those numbers of a species.
pub fn wears(species: &Species) -> [f64; 4] {
    WEARS.map(|name| Field::find(Species::FIELDS, name).and_then(|f| f.get(species)).unwrap_or(f64::NAN))
}

/// Learnt by `cargo run --release -p trample-season --example learn`: [`Damage::learn`] from 500 passes on loam under [`SEEDS`] and 700 on
/// one line. A curve whose plants wear otherwise by now is not used.
#[rustfmt::skip]
pub const LEARNT: [Learnt; 3] = [
    Learnt { species: "carex-pensylvanica", wears: [10.0, 172.0, 0.049, 0.00013], left: &[0.9259, 0.8526, 0.7657, 0.7039, 0.6530, 0.5506, 0.4514, 0.3858, 0.3366, 0.2436, 0.2051, 0.0867, 0.0465, 0.0018], error: 0.0080 },
    Learnt { species: "lawn-grass", wears: [40.0, 175.0, 0.03, 0.05], left: &[0.9888, 0.9804, 0.9670, 0.9535, 0.9437, 0.9124, 0.8863, 0.8383, 0.7867, 0.7035, 0.6503, 0.6138, 0.5643, 0.5288], error: 0.0047 },
    Learnt { species: "lycopodium-lucidulum", wears: [5.0, 177.5, 0.062, 0.0025], left: &[0.9668, 0.9411, 0.8928, 0.8592, 0.8212, 0.7624, 0.7083, 0.6392, 0.5817, 0.5085, 0.4735, 0.3713, 0.3485, 0.3122], error: 0.0066 },
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
            Some(l) => Ok(Self { left: l.left.to_vec(), error: l.error }),
            None => Self::learn(species, 150, &SEEDS[..1]),
        }
    }

    /// The piece of the curve that begins at knot `k`: where it begins, its cover there, and what is lost per footfall.
    fn piece(&self, k: usize) -> [f64; 3] {
        let knot = |k: usize| if k == 0 { [0.0, 1.0] } else { [AT[k - 1], self.left[k - 1]] };
        let ([from, cover], [to, less]) = (knot(k), knot(k + 1));
        [from, cover, (cover - less) / (to - from)]
    }

    /// Share of the cover that is left after `n` footfalls.
    pub fn left(&self, n: f64) -> f64 {
        let (n, known) = (n.max(0.0), self.left.len());
        let k = AT[..known].partition_point(|&at| at <= n);
        if k < known {
            let [from, cover, loss] = self.piece(k);
            return cover - loss * (n - from);
        }
        let [_, before, loss] = self.piece(known - 1);
        let last = before.min(self.left[known - 1]);
        last * libm::exp(-loss / last * (n - AT[known - 1]))
    }

    /// How many footfalls leave so much.
    pub fn footfalls_for(&self, cover: f64) -> f64 {
        let (cover, known) = (cover.clamp(1e-6, 1.0), self.left.len());
        let k = self.left.partition_point(|&left| left > cover);
        let [from, before, loss] = self.piece(k.min(known - 1));
        if k < known {
            return from + (before - cover) / loss;
        }
        let last = self.left[known - 1];
        AT[known - 1] + last / loss * libm::log(last / cover)
    }

    /// Fits the curve to lanes of live plants that a live walker has passed along so often: one for each seed, and one on which it keeps
    /// to one line, where there are passes enough for that to tell more.
    ///
    /// # Errors
    /// If the lane cannot be built.
    pub fn learn(species: &Species, passes: u32, seeds: &[u64]) -> Result<Self, SeasonError> {
        let looks = [5, 10, 25, 50, 75, 100, 150, 200, 300, 400, 500, 600, 700];
        let walked = |narrow: bool, passes: u32, seed: u64| {
            let times: Vec<u32> = looks.into_iter().filter(|&n| n <= passes).collect();
            let scene = if narrow { lane::narrow } else { lane::scene };
            Ok(lane::live(&scene(species, "loam", passes, seed), &times)?.moments)
        };
        let lines = (passes >= NARROW).then_some((true, 7 * passes / 5, seeds[0]));
        let lanes: Vec<_> = seeds.iter().map(|&seed| (false, passes, seed)).chain(lines).collect();
        let lanes: Result<Vec<Vec<Moment>>, SeasonError> =
            lanes.par_iter().map(|&(narrow, passes, seed)| walked(narrow, passes, seed)).collect();
        let lanes = lanes?;
        let (scattered, line) = lanes.split_at(seeds.len());
        Ok(Self::fit(&scattered.concat(), &line.concat()))
    }

    /// The curve that meets the cover of cells best, and by how much it errs over whole lanes. The lane on one line counts for more
    /// footfalls than the others tell of alone: most of what is trodden there lies under soles that hardly move.
    pub fn fit(lanes: &[Moment], line: &[Moment]) -> Self {
        // Cells by how often they were trodden, in a few groups of equal size: footfalls and cover.
        let groups = |m: &Moment| {
            let mut all: Vec<[f64; 2]> =
                m.footfalls.iter().zip(&m.covers).map(|(&n, &c)| [f64::from(n), f64::from(c)]).collect();
            all.sort_by(|a, b| a[0].total_cmp(&b[0]));
            let mean =
                |part: &[[f64; 2]], k: usize| part.iter().map(|p| p[k]).sum::<f64>() / part.len() as f64;
            all.chunks(all.len().div_ceil(GROUPS).max(1))
                .map(|part| [mean(part, 0), mean(part, 1)])
                .collect::<Vec<_>>()
        };
        let mut seen: Vec<[f64; 2]> = lanes.iter().flat_map(groups).collect();
        let told = seen.iter().map(|g| g[0]).fold(0.0, f64::max);
        seen.extend(line.iter().flat_map(groups).filter(|g| g[0] > told));
        let most = seen.iter().map(|g| g[0]).fold(0.0, f64::max);
        // As far as the last knot that has been reached, and one at least.
        let known = AT.partition_point(|&at| at <= most).max(1);
        let mut left = least_squares(&seen, known);
        // More footfalls leave less.
        let mut before = (0.0, 1.0);
        for (left, at) in left.iter_mut().zip(AT) {
            *left = left.clamp(1e-3 * before.1, before.1 * (1.0 - LEAST * (at - before.0).min(1.0)));
            before = (at, *left);
        }
        let mut fit = Self { left, error: 0.0 };
        let off = |m: &Moment| {
            let cells = m.footfalls.iter().map(|&n| fit.left(f64::from(n))).sum::<f64>();
            let off = cells / m.footfalls.len().max(1) as f64 - m.cover;
            off * off
        };
        fit.error = (lanes.iter().map(off).sum::<f64>() / lanes.len().max(1) as f64).sqrt();
        fit
    }
}

/// Heights of the first knots of a line of straight pieces from 1 at nothing that meets points best: a symmetric band of three.
fn least_squares(points: &[[f64; 2]], knots: usize) -> Vec<f64> {
    let (mut diagonal, mut beside, mut right) = (vec![1e-9; knots], vec![0.0; knots], vec![1e-9; knots]);
    for &[n, cover] in points.iter().filter(|p| p[0] <= AT[knots - 1]) {
        let k = AT[..knots - 1].partition_point(|&at| at <= n);
        let from = if k == 0 { 0.0 } else { AT[k - 1] };
        let part = (n - from) / (AT[k] - from);
        diagonal[k] += part * part;
        if k == 0 {
            right[0] += part * (cover - (1.0 - part));
        } else {
            diagonal[k - 1] += (1.0 - part) * (1.0 - part);
            beside[k - 1] += part * (1.0 - part);
            right[k - 1] += (1.0 - part) * cover;
            right[k] += part * cover;
        }
    }
    for k in 1..knots {
        let by = beside[k - 1] / diagonal[k - 1];
        diagonal[k] -= by * beside[k - 1];
        right[k] -= by * right[k - 1];
    }
    for k in (0..knots).rev() {
        let next = if k + 1 < knots { beside[k] * right[k + 1] } else { 0.0 };
        right[k] = (right[k] - next) / diagonal[k];
    }
    right
}

/// From so many passes on a lane whose walker keeps to one line is walked too.
const NARROW: u32 = 300;

/// Seeds of the lanes that curves are learnt from; those that they are judged by (`trample reproduce trails-live`) have others.
pub const SEEDS: [u64; 3] = [101, 102, 103];

/// Groups of cells in a fit.
const GROUPS: usize = 60;
/// The least share of the cover that goes from one knot to the next: a curve has to be undone.
const LEAST: f64 = 1e-3;

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
        let truth = Damage { left: [0.9, 0.8, 0.7, 0.66, 0.6, 0.5, 0.4, 0.35].into(), error: 0.0 };
        let lane = |most: f32| {
            let footfalls: Vec<f32> = (0..600).map(|i| most * i as f32 / 599.0).collect();
            let covers: Vec<f32> = footfalls.iter().map(|&n| truth.left(f64::from(n)) as f32).collect();
            let cover = covers.iter().map(|&c| f64::from(c)).sum::<f64>() / 600.0;
            Moment { cover, footfalls, covers, ..Moment::default() }
        };
        let fit = Damage::fit(&[lane(1.0), lane(3.0), lane(7.0)], &[lane(13.0)]);
        for n in [0.2, 0.5, 2.0, 3.5, 6.5, 10.0, 12.0, 20.0] {
            assert!((fit.left(n) - truth.left(n)).abs() < 5e-3, "{n} footfalls: {fit:?}");
        }
        assert!(fit.error < 2e-3 && fit.left.len() == 8, "{fit:?}");
    }

    #[test]
    fn a_curve_is_undone_and_falls_exponentially_beyond_what_was_learnt() {
        let truth = Damage { left: [0.9, 0.8, 0.7, 0.66, 0.6, 0.5, 0.4, 0.35].into(), error: 0.0 };
        for cover in [1.0, 0.97, 0.8, 0.62, 0.4, 0.36, 0.35, 0.2, 0.01] {
            let n = truth.footfalls_for(cover);
            assert!((truth.left(n) - cover).abs() < 1e-12, "{cover}: {n} footfalls");
        }
        let share = |n: f64| truth.left(n + 1.0) / truth.left(n);
        assert!((share(12.0) / share(40.0) - 1.0).abs() < 1e-12 && truth.left(12.0) == 0.35);
        let curve = Curve::new(&truth);
        for (each, many) in [(0.5, 20), (5.0, 20), (0.02, 100)] {
            let worn = (0..many).fold(1.0, |cover, _| curve.after(cover, each));
            let left = truth.left(f64::from(each) * f64::from(many));
            assert!((f64::from(worn) - left).abs() < 5e-3, "{worn} for {left}");
        }
    }

    #[test]
    fn plants_that_nothing_breaks_leave_a_curve_that_can_be_undone() {
        let footfalls: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let lane = Moment { cover: 1.0, covers: vec![1.0; 100], footfalls, ..Moment::default() };
        let fit = Damage::fit(&[lane], &[]);
        assert!(fit.left(50.0) > 0.98 && fit.footfalls_for(0.5).is_finite(), "{fit:?}");
        let nothing = Damage::fit(&[Moment::default()], &[]);
        assert!(nothing.left(1e6) >= 0.0 && nothing.footfalls_for(0.5).is_finite(), "{nothing:?}");
    }
}
