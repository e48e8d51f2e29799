//! Thin strokes with a depth, drawn at the samples of a picture: what of them is in front where.

use rayon::prelude::*;

/// Places of the samples within a pixel. A slightly turned grid smooths level and upright edges better than a straight one.
pub(crate) const SAMPLES: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
/// Rows of a band that one thread draws.
const BAND: usize = 16;

/// A piece of a stroke in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// Column, row and depth of both ends.
    pub ends: [[f32; 3]; 2],
    /// Half the width at both ends.
    pub radii: [f32; 2],
    /// Linear light at both ends.
    pub light: [[f32; 3]; 2],
}

/// The nearest stroke at every sample of a picture.
#[derive(Debug)]
pub struct Layer {
    width: usize,
    /// Four samples to a pixel: depth, endless where there is nothing, and light.
    samples: Vec<(f32, [f32; 3])>,
}

impl Layer {
    /// Draws strokes into a picture of `size` pixels. Bands are independent and each keeps the order, so threads change nothing.
    pub fn new(segments: &[Segment], [width, height]: [usize; 2]) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        let bands = height.div_ceil(BAND);
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); bands];
        for (i, s) in segments.iter().enumerate() {
            let most = s.radii[0].max(s.radii[1]) + 1.0;
            let (low, high) = (s.ends[0][1].min(s.ends[1][1]) - most, s.ends[0][1].max(s.ends[1][1]) + most);
            if !(low.is_finite() && high.is_finite()) || high < 0.0 || low >= height as f32 {
                continue;
            }
            let last = (high.max(0.0) as usize / BAND).min(bands - 1);
            lists[low.max(0.0) as usize / BAND..=last].iter_mut().for_each(|list| list.push(i as u32));
        }
        let mut samples = vec![(f32::INFINITY, [0.0; 3]); width * height * 4];
        samples.par_chunks_mut(width * BAND * 4).zip(&lists).enumerate().for_each(|(band, (rows, list))| {
            for &i in list {
                draw(rows, width, band * BAND, &segments[i as usize]);
            }
        });
        Self { width, samples }
    }

    /// What is at sample `k` of a pixel: depth and light.
    pub fn at(&self, x: usize, y: usize, k: usize) -> (f32, [f32; 3]) {
        self.samples[(y * self.width + x) * 4 + k]
    }
}

/// Draws a piece of a stroke into rows of samples from row `first` on.
fn draw(rows: &mut [(f32, [f32; 3])], width: usize, first: usize, s: &Segment) {
    let ([ax, ay, az], [bx, by, bz]) = (s.ends[0], s.ends[1]);
    let (dx, dy) = (bx - ax, by - ay);
    let inverse = 1.0 / (dx * dx + dy * dy).max(1e-9);
    let most = s.radii[0].max(s.radii[1]);
    let count = rows.len() / (width * 4);
    let bound = |low: f32, high: f32, n: usize| {
        let low = (low - most).floor().max(0.0) as usize;
        let high = ((high + most).floor().max(-1.0) as i64 + 1).clamp(0, n as i64) as usize;
        low..high
    };
    let top = first as f32;
    for y in bound(ay.min(by) - top, ay.max(by) - top, count) {
        for x in bound(ax.min(bx), ax.max(bx), width) {
            for (k, [u, v]) in SAMPLES.into_iter().enumerate() {
                let (px, py) = (x as f32 + u - ax, y as f32 + top + v - ay);
                let t = ((px * dx + py * dy) * inverse).clamp(0.0, 1.0);
                let (ox, oy) = (px - dx * t, py - dy * t);
                let radius = s.radii[0] + (s.radii[1] - s.radii[0]) * t;
                let off = ox * ox + oy * oy;
                if off > radius * radius {
                    continue;
                }
                let depth = az + (bz - az) * t;
                let sample = &mut rows[(y * width + x) * 4 + k];
                if depth < sample.0 {
                    // One half of a blade turns from the light: that gives it a keel.
                    let side = (ox * dy - oy * dx) * inverse.sqrt() / radius.max(1e-6);
                    let keel = 1.0 + 0.14 * side;
                    let light =
                        std::array::from_fn(|c| (s.light[0][c] + (s.light[1][c] - s.light[0][c]) * t) * keel);
                    *sample = (depth, light);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upright(x: f32, depth: f32, light: f32) -> Segment {
        Segment { ends: [[x, 2.0, depth], [x, 38.0, depth]], radii: [1.5; 2], light: [[light; 3]; 2] }
    }

    #[test]
    fn the_nearer_stroke_wins_whatever_the_order_and_the_threads() {
        let strokes = [upright(10.5, 2.0, 0.2), upright(10.5, 1.0, 0.9), upright(10.5, 3.0, 0.5)];
        let draw = |threads: usize, order: [usize; 3]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| Layer::new(&order.map(|i| strokes[i]), [20, 40]).samples)
        };
        let one = draw(1, [0, 1, 2]);
        assert_eq!(one, draw(3, [2, 0, 1]));
        assert_eq!(one[(20 * 20 + 10) * 4].0, 1.0);
        assert!(one[20 * 20 * 4].0.is_infinite(), "nothing beside it");
    }

    #[test]
    fn a_stroke_covers_its_area() {
        let layer = Layer::new(&[upright(10.5, 1.0, 1.0)], [20, 40]);
        let covered = layer.samples.iter().filter(|s| s.0.is_finite()).count() as f32 / 4.0;
        assert!((covered / (3.0 * 36.0 + 1.5 * 1.5 * std::f32::consts::PI) - 1.0).abs() < 0.1, "{covered}");
    }

    #[test]
    fn strokes_outside_or_not_numbers_draw_nothing() {
        let mut odd = [upright(-9.0, 1.0, 1.0), upright(1e9, 1.0, 1.0), upright(f32::NAN, 1.0, 1.0)];
        odd[2].ends[0][1] = f32::NAN;
        assert!(Layer::new(&odd, [20, 40]).samples.iter().all(|s| s.0.is_infinite()));
    }
}
