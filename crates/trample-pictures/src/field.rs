//! A window of a map, and how it is read at another resolution.

/// A dense window of a map; row-major, row 0 at minimum z, x to the right.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Cells along x.
    pub width: usize,
    /// Cells along z.
    pub height: usize,
    /// The side of a cell, m.
    pub cell: f64,
    /// x and z of the corner of the first cell, m.
    pub origin: [f64; 2],
    /// One number per cell; not-a-number where there is none.
    pub data: Vec<f32>,
}

impl Field {
    /// The same window with impossible parts mended, so that drawing needs no further checks: a wrong cell size
    /// becomes one metre, missing cells become not-a-number, and an empty window becomes one empty cell.
    pub fn mended(&self) -> Self {
        let (width, height) = (self.width.max(1), self.height.max(1));
        let mut data = if self.width == 0 || self.height == 0 { Vec::new() } else { self.data.clone() };
        data.resize(width * height, f32::NAN);
        for v in &mut data {
            if !v.is_finite() {
                *v = f32::NAN;
            }
        }
        let cell = if self.cell.is_finite() && self.cell > 0.0 { self.cell } else { 1.0 };
        let origin = self.origin.map(|v| if v.is_finite() { v } else { 0.0 });
        Self { width, height, cell, origin, data }
    }

    /// The number at a cell; outside, or where data is missing, not-a-number.
    pub fn at(&self, x: usize, z: usize) -> f32 {
        if x >= self.width {
            f32::NAN
        } else {
            self.data.get(z * self.width + x).copied().unwrap_or(f32::NAN)
        }
    }

    /// A part of the window.
    pub fn crop(&self, x: usize, z: usize, width: usize, height: usize) -> Self {
        let data = (z..z + height).flat_map(|row| (x..x + width).map(move |col| self.at(col, row))).collect();
        let origin = [self.origin[0] + x as f64 * self.cell, self.origin[1] + z as f64 * self.cell];
        Self { width, height, cell: self.cell, origin, data }
    }

    /// Lowest and highest finite number.
    pub fn range(&self) -> Option<(f32, f32)> {
        self.data.iter().filter(|v| v.is_finite()).fold(None, |found, &v| {
            let (low, high) = found.unwrap_or((v, v));
            Some((low.min(v), high.max(v)))
        })
    }

    /// The middle of a sample of the finite numbers: what most of the map is.
    pub fn median(&self) -> Option<f32> {
        let stride = self.data.len() / 4096 + 1;
        let mut sample: Vec<f32> =
            self.data.iter().step_by(stride).copied().filter(|v| v.is_finite()).collect();
        sample.sort_by(f32::total_cmp);
        sample.get(sample.len() / 2).copied()
    }

    /// How many cells differ from what most of the map is, by a twentieth of its range at least.
    pub fn outstanding(&self) -> usize {
        let (Some((low, high)), Some(usual)) = (self.range(), self.median()) else { return 0 };
        let least = 0.05 * (high - low);
        self.data.iter().filter(|v| high > low && (**v - usual).abs() >= least).count()
    }

    /// The cut of a long window to `aspect` times its short side, around the cell where `interest` is greatest;
    /// `None` while the window is not longer than `limit` times its short side.
    pub fn cut(&self, limit: f64, aspect: f64, interest: impl Fn(f32) -> f32) -> Option<[usize; 4]> {
        let (long, short) = (self.width.max(self.height), self.width.min(self.height));
        if long as f64 <= limit * short as f64 {
            return None;
        }
        let length = ((short as f64 * aspect) as usize).clamp(1, long);
        let mut best = (self.data.len() / 2, f32::NEG_INFINITY);
        for (i, &v) in self.data.iter().enumerate() {
            let worth = interest(v);
            if worth > best.1 {
                best = (i, worth);
            }
        }
        let centre = if self.width >= self.height { best.0 % self.width } else { best.0 / self.width };
        let start = centre.saturating_sub(length / 2).min(long - length);
        Some(if self.width >= self.height {
            [start, 0, length, self.height]
        } else {
            [0, start, self.width, length]
        })
    }

    /// The numbers on a grid of `nx` by `nz` over the same window; not-a-number must have been filled before.
    ///
    /// Finer grids use the cubic B-spline: it never overshoots and has no corners at cell borders, so no facets
    /// show in raking light. Coarser grids use the area average.
    pub fn resampled(&self, nx: usize, nz: usize) -> Vec<f32> {
        let across = weights(self.width, nx);
        let down = weights(self.height, nz);
        let mut rows = vec![0.0f32; nx * self.height];
        for z in 0..self.height {
            let row = &self.data[z * self.width..(z + 1) * self.width];
            for (x, (first, part)) in across.iter().enumerate() {
                rows[z * nx + x] = part.iter().zip(&row[*first..]).map(|(w, v)| w * v).sum();
            }
        }
        let mut out = vec![0.0f32; nx * nz];
        for (z, (first, part)) in down.iter().enumerate() {
            let target = &mut out[z * nx..(z + 1) * nx];
            for (k, w) in part.iter().enumerate() {
                let row = &rows[(first + k) * nx..(first + k + 1) * nx];
                for (t, v) in target.iter_mut().zip(row) {
                    *t += w * v;
                }
            }
        }
        out
    }
}

/// For each of `to` points the first of `from` cells that counts and the weights from there on, summing to one.
fn weights(from: usize, to: usize) -> Vec<(usize, Vec<f32>)> {
    let ratio = from as f64 / to as f64;
    (0..to)
        .map(|i| {
            let mut part: Vec<f32>;
            let first;
            if ratio > 1.0 {
                let (a, b) = (i as f64 * ratio, (i + 1) as f64 * ratio);
                first = (a as usize).min(from - 1);
                let last = (libm::ceil(b - 1e-9) as usize).clamp(first + 1, from);
                part = (first..last)
                    .map(|j| ((j + 1) as f64).min(b) - (j as f64).max(a))
                    .map(|w| w as f32)
                    .collect();
            } else {
                let centre = (i as f64 + 0.5) * ratio - 0.5;
                // Where many points fall into a cell its corners would show as steps along every slanting edge; a
                // slightly wider spline hides them.
                let wide = if ratio < 0.7 { 1.3 } else { 1.0 };
                let low = libm::floor(centre) as i64 - 2;
                let clamp = |j: i64| j.clamp(0, from as i64 - 1) as usize;
                first = clamp(low);
                part = vec![0.0; clamp(low + 5) - first + 1];
                for j in low..low + 6 {
                    part[clamp(j) - first] += spline(((centre - j as f64).abs() / wide) as f32);
                }
            }
            let sum: f32 = part.iter().sum();
            part.iter_mut().for_each(|w| *w /= sum.max(1e-12));
            (first, part)
        })
        .collect()
}

/// The cubic B-spline.
fn spline(d: f32) -> f32 {
    if d < 1.0 {
        (4.0 - 6.0 * d * d + 3.0 * d * d * d) / 6.0
    } else {
        let r = (2.0 - d).max(0.0);
        r * r * r / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_stays_constant_at_any_resolution() {
        let field = Field { width: 7, height: 5, cell: 0.1, origin: [0.0; 2], data: vec![2.5; 35] };
        for (nx, nz) in [(3, 2), (7, 5), (40, 33), (1, 1)] {
            assert!(field.resampled(nx, nz).iter().all(|v| (v - 2.5).abs() < 1e-5));
        }
    }

    #[test]
    fn single_cells_and_noise_do_not_stand_out() {
        let mut field = Field { width: 100, height: 10, cell: 0.1, origin: [0.0; 2], data: vec![1.5; 1000] };
        assert_eq!(field.outstanding(), 0);
        field.data[7] = 1.6;
        field.data[300..400].fill(1.501);
        assert_eq!(field.outstanding(), 1, "one cell, and what is next to nothing beside it");
        field.data[0] = f32::NAN;
        field.data[500..540].fill(1.55);
        assert_eq!(field.outstanding(), 41);
    }

    #[test]
    fn an_impossible_window_is_mended() {
        let broken =
            Field { width: 3, height: 0, cell: f64::NAN, origin: [f64::INFINITY, 0.0], data: vec![1.0] };
        let mended = broken.mended();
        assert_eq!((mended.width, mended.height, mended.cell, mended.data.len()), (3, 1, 1.0, 3));
        assert!(mended.range().is_none() && mended.median().is_none());
    }

    #[test]
    fn a_long_strip_is_cut_around_its_deepest_place() {
        let mut strip =
            Field { width: 1000, height: 10, cell: 0.1, origin: [0.0; 2], data: vec![0.0; 10_000] };
        strip.data[5 * 1000 + 700] = -0.2;
        assert_eq!(strip.cut(6.0, 5.0, |v| -v), Some([675, 0, 50, 10]));
        assert_eq!(strip.crop(0, 0, 50, 10).cut(6.0, 5.0, |v| -v), None);
    }
}
