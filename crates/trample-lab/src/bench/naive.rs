//! The naive way, to compare with: a dense map of f32 heights, rays cast at every cell of a square around the foot in
//! every step, bumps by adding floats, repose by sweeping the whole map a few times, and the whole map pushed to the
//! renderer each frame. It is what the papers' prototypes do, written as plainly as it can be.

use std::hint::black_box;
use std::time::Instant;
use trample::Footwear;
use trample::params::Sole;

/// A dense height map and a sole.
pub(crate) struct Dense {
    n: usize,
    cell: f64,
    height: Vec<f32>,
    displayed: Vec<f32>,
    sole: Sole,
}

/// Side of the square around a foot, m (DF §6).
const SQUARE: f64 = 0.4;
/// Rays along each side of a cell: enough that the contact area is as good as ours.
const RAYS: usize = 4;

impl Dense {
    pub(crate) fn new(side: f64, cell: f64) -> Self {
        let n = (side / cell).round() as usize;
        let sole = Footwear::Shoe.sole(0.274, 0.103);
        Self { n, cell, height: vec![0.0; n * n], displayed: vec![0.0; n * n], sole }
    }

    /// Share of a cell under the sole, by rays.
    fn coverage(&self, at: [f64; 2], turn: [f64; 2], x: usize, z: usize) -> f32 {
        let mut hits = 0;
        for i in 0..RAYS * RAYS {
            let sub = |k: usize| (k as f64 + 0.5) / RAYS as f64;
            let px = (x as f64 + sub(i % RAYS)) * self.cell - at[0];
            let pz = (z as f64 + sub(i / RAYS)) * self.cell - at[1];
            let u = (px * turn[0] + pz * turn[1]) / Sole::TEXEL + 0.5 * self.sole.nu as f64;
            let v = (pz * turn[0] - px * turn[1]) / Sole::TEXEL + 0.5 * self.sole.nv as f64;
            if u >= 0.0 && v >= 0.0 && (u as usize) < self.sole.nu && (v as usize) < self.sole.nv {
                hits += usize::from(self.sole.coverage[u as usize * self.sole.nv + v as usize] > 0.5);
            }
        }
        hits as f32 / (RAYS * RAYS) as f32
    }

    /// One step of one foot: find the contact, press, heap a share around it.
    fn press(&mut self, at: [f64; 2], turn: [f64; 2], by: f32, share: f32) {
        let index = |p: f64| ((p / self.cell) as usize).min(self.n - 1);
        let (x0, x1) = (index(at[0] - 0.5 * SQUARE), index(at[0] + 0.5 * SQUARE));
        let (z0, z1) = (index(at[1] - 0.5 * SQUARE), index(at[1] + 0.5 * SQUARE));
        let (mut carved, mut ring) = (0.0f32, 0u32);
        for z in z0..=z1 {
            for x in x0..=x1 {
                let c = self.coverage(at, turn, x, z);
                if c > 0.0 {
                    self.height[z * self.n + x] -= c * by;
                    carved += c * by;
                } else {
                    ring += 1;
                }
            }
        }
        let each = share * carved / ring.max(1) as f32;
        for z in z0..=z1 {
            for x in x0..=x1 {
                if self.coverage(at, turn, x, z) == 0.0 {
                    self.height[z * self.n + x] += each;
                }
            }
        }
    }

    /// One sweep of repose over the whole map.
    fn sweep(&mut self, steepest: f32) {
        let n = self.n;
        for z in 1..n - 1 {
            for x in 1..n - 1 {
                let k = z * n + x;
                for other in [k - 1, k + 1, k - n, k + n] {
                    let excess = self.height[k] - self.height[other] - steepest;
                    if excess > 0.0 {
                        self.height[k] -= 0.25 * excess;
                        self.height[other] += 0.25 * excess;
                    }
                }
            }
        }
    }

    fn time(&mut self, steps: usize, mut step: impl FnMut(&mut Self, usize)) -> f64 {
        let mut best = f64::MAX;
        for _ in 0..3 {
            let begun = Instant::now();
            for i in 0..steps {
                step(self, i);
            }
            black_box(&self.displayed);
            best = best.min(begun.elapsed().as_secs_f64() / steps as f64);
        }
        best * 1e6
    }

    /// Microseconds of one step: contact, compression, the whole map pushed.
    pub(crate) fn contact_microseconds(&mut self) -> f64 {
        let middle = 0.5 * self.n as f64 * self.cell;
        self.time(20, |d, i| {
            d.press([middle + 0.001 * i as f64, middle], [0.8, 0.6], 1e-4, 0.0);
            d.displayed.copy_from_slice(&d.height);
        })
    }

    /// The same per foot with `n` feet in a step.
    pub(crate) fn feet_microseconds(&mut self, n: usize) -> f64 {
        let side = self.n as f64 * self.cell;
        let step = self.time(if n > 100 { 1 } else { 10 }, |d, i| {
            for k in 0..n {
                let x = 0.5 + (side - 1.0) * ((k * 37 % 101) as f64 / 101.0);
                let z = 0.5 + (side - 1.0) * ((k * 61 % 97) as f64 / 97.0);
                d.press([x + 0.001 * i as f64, z], [0.8, 0.6], 1e-4, 0.0);
            }
            d.displayed.copy_from_slice(&d.height);
        });
        step / n as f64
    }

    /// The same with a bump and five sweeps over the whole map.
    pub(crate) fn repose_microseconds(&mut self) -> f64 {
        let middle = 0.5 * self.n as f64 * self.cell;
        let steepest = (0.27 * self.cell) as f32;
        self.time(10, |d, i| {
            d.press([middle + 0.001 * i as f64, middle], [0.8, 0.6], 1e-4, 0.7);
            for _ in 0..5 {
                d.sweep(steepest);
            }
            d.displayed.copy_from_slice(&d.height);
        })
    }

    /// How far the floats drift: heaped against what had to be heaped, over many presses at scattered places.
    pub(crate) fn volume_error(&mut self, presses: usize) -> f64 {
        let middle = 0.5 * self.n as f64 * self.cell;
        let mut seed = 1u32;
        let mut scattered = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
        };
        for _ in 0..presses {
            let at = [middle + scattered(), middle + scattered()];
            // All of it moves: the map should still add up to nothing.
            self.press(at, [0.8, 0.6], 1e-4, 1.0);
        }
        let moved: f64 = self.height.iter().map(|&h| f64::from(h).abs()).sum();
        let left: f64 = self.height.iter().map(|&h| f64::from(h)).sum();
        left.abs() / (0.5 * moved).max(1e-12)
    }
}
