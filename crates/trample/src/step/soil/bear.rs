//! The natural law: a sole that is a body on the ground.
//!
//! In: the stamp, the ground under it, the load and where it acts. Out: height, pitch, roll and bend of the sole at which the cells
//! carry the load where it acts, what each cell carries, and how far it has sunk for good.
//!
//! Each cell carries what fresh ground carries at its depth ([`crate::params::Natural`]), times what roots, passes and the width of the
//! sole make of it, in series with the pad of the sole. The sole's pose is that of the body's motion, and tilts from it as far as
//! the load asks and the ankle lets it: the least of a convex energy, found by Newton's method from where the sole stood before.
//! As under the papers' laws the sole is solved on ground that nobody has pressed, only packed by passes, and a cell keeps
//! the deepest print that it was asked for: what a walk leaves does not depend on how often cells are looked at.

use super::super::contact::FootScratch;
use super::super::patch::Cells;
use crate::params::natural::{Virgin, decades, mean_nano};
use crate::pose::Seat;
use crate::state::Ground;
use crate::state::tile::NANO;

/// A foot's own directions on the map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    at: [f64; 2],
    ahead: [f64; 2],
    ball: f64,
}

impl Frame {
    pub(crate) fn of(f: &FootScratch) -> Self {
        let pose = f.stamped.unwrap_or_default();
        let ahead = pose.rotation * glam::Vec3::X;
        let (x, z) = (f64::from(ahead.x), f64::from(ahead.z));
        let length = (x * x + z * z).sqrt();
        // A sole on its tips has no direction of its own on the map.
        let ahead = if length > 1e-6 { [x / length, z / length] } else { [1.0, 0.0] };
        Self { at: [f64::from(pose.position.x), f64::from(pose.position.z)], ahead, ball: f.ball * length }
    }

    /// Middle of the sole on the map, m.
    pub(crate) fn at(&self) -> [f64; 2] {
        self.at
    }

    /// Where on the map a place before the middle of the sole and to its right is, m.
    pub(crate) fn on_map(&self, u: f64, v: f64) -> [f64; 2] {
        let [x, z] = self.ahead;
        [self.at[0] + u * x - v * z, self.at[1] + u * z + v * x]
    }

    /// A way on the map as `[ahead, right]` of the foot.
    pub(crate) fn turned(&self, way: glam::Vec3) -> [f64; 2] {
        let ([x, z], wx, wz) = (self.ahead, f64::from(way.x), f64::from(way.z));
        [wx * x + wz * z, wz * x - wx * z]
    }

    /// Before the middle of the sole, to its right, and beyond the ball, m.
    pub(crate) fn place(&self, x: f64, z: f64) -> [f64; 3] {
        let (dx, dz) = (x - self.at[0], z - self.at[1]);
        let u = dx * self.ahead[0] + dz * self.ahead[1];
        [u, dz * self.ahead[0] - dx * self.ahead[1], (u - self.ball).max(0.0)]
    }
}

/// A cell as the sole feels it.
#[derive(Clone, Copy, Debug)]
struct Bed {
    /// Height of the sole's origin at which it would lie on the cell, m.
    level: f64,
    /// Place in the foot's frame, m.
    place: [f64; 3],
    /// Covered area, m².
    area: f64,
    /// Strength as a multiple of fresh ground's.
    strength: f64,
    /// What footfalls have packed, nm as the mean over the cell.
    packed: i32,
    material: u8,
    /// What it carries now, Pa.
    pressure: f64,
    /// How deep the sole is in it, m, and what of that is ground.
    sunk: f64,
}

impl Bed {
    /// How deep the sole is in the cell, pad and ground together, m.
    #[inline]
    fn depth(&self, x: &Place) -> f64 {
        let [u, v, t] = self.place;
        self.level - x[0] - x[1] * u - x[2] * v - x[3] * t
    }
}

/// Working memory of one foot at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    beds: Vec<Bed>,
    softness: f64,
}

/// A [`Seat`] as numbers: height, pitch, roll, bend.
type Place = [f64; 4];

/// Ankle stiffness per body mass, N·m/(rad·kg): 3 to 6 in walking (Shamaei, Sawicki & Dollar 2013).
pub const ANKLE: f64 = 4.0;
/// The most a sole turns out of the pose of its motion, rise over run; our choice.
const MOST: f64 = 0.35;
/// How fast a sole sinks at most, m/s: as fast as a leg comes down. Our choice.
const SINKS: f64 = 1.2;
/// Below this pressure a cell counts as untouched, Pa; our choice, a millimetre of snow.
const TOUCH: f64 = 500.0;

impl Work {
    /// Looks up what lies under the stamp.
    pub(crate) fn lay(&mut self, f: &FootScratch, ground: &Ground, cells: &Cells) {
        let (frame, datum) = (Frame::of(f), f.patch.datum as f64 / NANO);
        self.softness = f.give[0];
        self.beds.clear();
        let mut last = (usize::MAX, 1.0);
        for u in &f.stamp {
            let k = u.k as usize;
            let index = f.patch.material[k];
            let material = &ground.materials[index as usize];
            if last.0 != index as usize {
                last = (index as usize, material.width_factor(f.breadth));
            }
            let roots = if ground.cover.is_empty() {
                0.0
            } else {
                ground.cover.root_modulus(u.x, u.z) / material.youngs_modulus
            };
            let decades = decades(cells.passes[k], cells.pressed[k]);
            // Nothing where no foot has fallen twice.
            let (by_passes, packed, firmer) = if decades > 0.0 {
                let by_passes = material.packed_by_passes(decades);
                (by_passes, mean_nano(by_passes, cells.pressed[k]), material.strength_by_passes(decades))
            } else {
                (0.0, 0, 1.0)
            };
            self.beds.push(Bed {
                level: datum + f64::from(f.patch.base[k]) / NANO - by_passes - f64::from(u.rise),
                place: frame.place(ground.centre(u.x), ground.centre(u.z)),
                area: f64::from(u.coverage) * ground.cell * ground.cell,
                strength: last.1 * firmer * (1.0 + roots),
                packed,
                material: index,
                pressure: 0.0,
                sunk: 0.0,
            });
        }
    }

    /// The height at which a sole in the pose of its motion first touches, m.
    pub(crate) fn top(&self) -> f64 {
        self.beds.iter().fold(f64::MIN, |top, bed| top.max(bed.level))
    }

    /// Pulls of the ground on the sole at `x`, and how they grow.
    fn pull(&self, tables: &[Virgin], x: &Place) -> ([f64; 4], [[f64; 4]; 4]) {
        let (mut pull, mut stiff) = ([0.0; 4], [[0.0; 4]; 4]);
        let soft = self.softness;
        for bed in &self.beds {
            let [u, v, t] = bed.place;
            let depth = bed.depth(x);
            if depth <= 0.0 {
                continue;
            }
            let (fresh, grows) = tables[bed.material as usize].pressure(depth);
            let (g, dg) = (bed.strength * fresh, bed.strength * grows);
            // Ground and pad in series.
            let both = g * soft + depth;
            let force = bed.area * (g * depth / both);
            let slope = bed.area * (dg * depth * depth + g * g * soft) / (both * both);
            let arm = [1.0, u, v, t];
            for i in 0..4 {
                pull[i] += force * arm[i];
                for j in i..4 {
                    stiff[i][j] += slope * arm[i] * arm[j];
                }
            }
        }
        (pull, stiff)
    }

    /// What the cells answer to a sole that is held at `height` in the pose of its motion, on ground that keeps `prints`, m per cell:
    /// force, N, its moments in the foot's frame, N·m, the area that carries, m², and the mean depth there, m.
    pub(crate) fn held(&self, tables: &[Virgin], prints: &[f64], height: f64) -> [f64; 5] {
        let mut sums = [0.0; 5];
        for (bed, &print) in self.beds.iter().zip(prints) {
            let depth = bed.level - height;
            if depth <= print {
                continue;
            }
            let fresh = bed.strength * tables[bed.material as usize].pressure(depth).0;
            let fresh = fresh * depth / (fresh * self.softness + depth);
            let again = Virgin::again(depth, print, bed.strength, self.softness);
            let pressure = if print > 0.0 { fresh.min(again) } else { fresh };
            let force = bed.area * pressure;
            let arm = [1.0, bed.place[0], bed.place[1]];
            (0..3).for_each(|i| sums[i] += force * arm[i]);
            sums[3] += bed.area;
            sums[4] += bed.area * depth;
        }
        sums[4] /= sums[3].max(1e-12);
        sums
    }

    /// Where the sole comes to carry `force` N that acts at `cop`, m in the foot's frame, from `x` on. Without `cop` it keeps the
    /// pose of its motion.
    pub(crate) fn settle(
        &mut self,
        tables: &[Virgin],
        from: Seat,
        force: f64,
        cop: Option<[f64; 3]>,
        mass: f64,
        bending: f64,
    ) -> Seat {
        let mut x = [from.height, from.pitch, from.roll, from.bend];
        let free = if cop.is_some() { 4 } else { 1 };
        let [u, v, t] = cop.unwrap_or_default();
        let wanted = [force, force * u, force * v, force * t];
        let springs = [0.0, ANKLE * mass, ANKLE * mass, bending];
        // What is left to be balanced: ground upwards, load and springs downwards.
        let rest = |pull: &[f64; 4], x: &Place| {
            let mut r = [0.0; 4];
            for i in 0..free {
                r[i] = pull[i] - wanted[i] - springs[i] * x[i] * f64::from(i > 0);
            }
            r
        };
        let (mut pull, mut stiff) = self.pull(tables, &x);
        let mut r = rest(&pull, &x);
        for _ in 0..60 {
            let done = r[0].abs() <= 1e-7 * force && r[1..].iter().all(|m| m.abs() <= 1e-8 * force);
            if done {
                break;
            }
            if stiff[0][0] <= 0.0 {
                // In the air: down to where it touches.
                x = [self.top() - 1e-5, 0.0, 0.0, 0.0];
                (pull, stiff) = self.pull(tables, &x);
                r = rest(&pull, &x);
                if stiff[0][0] <= 0.0 {
                    break;
                }
            }
            let step = solve(&stiff, &springs, &r, free);
            // The energy is convex: a step is too long when its slope has turned, and steeply. One that has not gone too far goes on from
            // there, however steep it still is: fresh snow is stiff until it yields and soft then.
            let slope = |r: &[f64; 4]| (0..free).map(|i| r[i] * step[i]).sum::<f64>();
            let (before, from, mut part) = (slope(&r), x, 1.0);
            for _ in 0..30 {
                for i in 0..free {
                    x[i] = from[i] + part * step[i];
                }
                (1..free).for_each(|i| x[i] = x[i].clamp(-MOST, MOST));
                (pull, stiff) = self.pull(tables, &x);
                r = rest(&pull, &x);
                let short = slope(&r) * before > 0.0;
                if short || slope(&r).abs() <= 0.9 * before.abs() {
                    break;
                }
                part *= 0.5;
            }
            if (0..free).all(|i| (x[i] - from[i]).abs() < 1e-10) {
                break;
            }
        }
        Seat { height: x[0], pitch: x[1], roll: x[2], bend: x[3] }
    }

    /// Moves the sole there and works out what each cell carries there.
    pub(crate) fn hold(&mut self, tables: &[Virgin], seat: &Seat) {
        let x = [seat.height, seat.pitch, seat.roll, seat.bend];
        for bed in &mut self.beds {
            let depth = bed.depth(&x);
            (bed.pressure, bed.sunk) = (0.0, 0.0);
            if depth > 0.0 {
                let g = bed.strength * tables[bed.material as usize].pressure(depth).0;
                let both = g * self.softness + depth;
                (bed.pressure, bed.sunk) = (g * depth / both, depth * depth / both);
            }
        }
    }

    /// Of the cell `i` of the stamp: what it carries, Pa, how far it has sunk under that, and how far for good, m.
    pub(crate) fn carried(&self, tables: &[Virgin], i: usize) -> Option<(f64, f64, f64)> {
        let bed = &self.beds[i];
        (bed.pressure > TOUCH)
            .then(|| (bed.pressure, bed.sunk, tables[bed.material as usize].stays(bed.sunk)))
    }

    /// Height of the cell `i` when it was fresh, packed by passes alone, from the sole's origin, m; its place in the foot; and what passes
    /// have packed, nm as the mean over the cell.
    pub(crate) fn level(&self, i: usize) -> (f64, [f64; 3], i32) {
        let bed = &self.beds[i];
        (bed.level, bed.place, bed.packed)
    }

    /// The height that a sinking sole reaches from `from` in `seconds`, at the earliest.
    pub(crate) fn sinks_to(from: f64, wanted: f64, seconds: f64) -> f64 {
        wanted.max(from - SINKS * seconds)
    }
}

/// The step that balances `r`: (K + springs) step = r, by Cholesky with a little on the diagonal.
fn solve(stiff: &[[f64; 4]; 4], springs: &[f64; 4], r: &[f64; 4], free: usize) -> Place {
    let mut l = [[0.0; 4]; 4];
    let mut y = [0.0; 4];
    for i in 0..free {
        for j in 0..=i {
            let mut sum = stiff[j][i];
            if i == j {
                sum += springs[i] + 1e-9 * stiff[0][0];
            }
            for k in 0..j {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = if i == j { sum.max(1e-12).sqrt() } else { sum / l[j][j] };
        }
        y[i] = (r[i] - (0..i).map(|k| l[i][k] * y[k]).sum::<f64>()) / l[i][i];
    }
    let mut step = [0.0; 4];
    for i in (0..free).rev() {
        step[i] = (y[i] - (i + 1..free).map(|k| l[k][i] * step[k]).sum::<f64>()) / l[i][i];
    }
    step
}
