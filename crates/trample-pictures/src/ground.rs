//! The ground as the preview draws it: one grid of smooth heights that rays can be shot at.

use super::Field;

/// How many texels the grid has at most. More than this is finer than the picture's pixels; tests, which run without
/// full optimisation and look at no detail, make do with fewer.
const TEXELS: f64 = if cfg!(test) { 60_000.0 } else { 900_000.0 };
/// Texels along the side of a tile in the coarse map that lets rays skip empty air.
const TILE: usize = 16;

/// What the light needs to know about a place, read smoothly between texels.
#[derive(Debug, Clone, Copy)]
pub struct Spot {
    /// Slopes of the drawn surface along x and z.
    pub slope: [f32; 2],
    /// Height above the base in true metres, negative in a print.
    pub change: f32,
    /// How much of the sky is seen, 0 to 1.
    pub sky: f32,
    /// How much of the sun's disc is seen, 0 to 1.
    pub sun: f32,
}

/// A patch of ground with its corner at the origin, x and z along its sides and y up, all in metres.
#[derive(Debug)]
pub struct Ground {
    /// Length along x.
    pub wide: f32,
    /// Length along z.
    pub deep: f32,
    /// Slopes of the plane that fits the base; the heights below are relative to it.
    pub tilt: [f32; 2],
    /// Highest height over the plane.
    pub top: f32,
    /// Lowest y anywhere.
    pub lowest: f32,
    /// Texels along x.
    pub nx: usize,
    /// Texels along z.
    pub nz: usize,
    /// Texels per metre.
    pub per: [f32; 2],
    /// Height over the plane per texel.
    pub rise: Vec<f32>,
    /// Slopes, change, sky and sun per texel; `bake` fills in the light.
    pub spots: Vec<[f32; 5]>,
    tiles: Vec<f32>,
    tiles_x: usize,
    material: Field,
    missing: Vec<bool>,
}

impl Ground {
    /// Prepares the grid. All three fields are mended windows of one place; `exaggerate` stretches what differs from
    /// the base.
    pub fn new(height: &Field, base: &Field, material: &Field, exaggerate: f32) -> Self {
        Self::with_texels(height, base, material, exaggerate, TEXELS)
    }

    /// The same with a grid of at most so many texels: a small picture shows no more.
    pub fn with_texels(height: &Field, base: &Field, material: &Field, exaggerate: f32, texels: f64) -> Self {
        let missing: Vec<bool> = height.data.iter().map(|v| v.is_nan()).collect();
        let fallback = base.median().or_else(|| height.median()).unwrap_or(0.0);
        // Differences are taken before anything is stretched or smoothed, and in f64, so that a millimetre survives
        // on a dune a thousand metres above the sea.
        let floor: Vec<f64> = (0..height.data.len())
            .map(|i| {
                f64::from(
                    Some(base.at(i % height.width, i / height.width))
                        .filter(|v| v.is_finite())
                        .unwrap_or(fallback),
                )
            })
            .collect();
        let tilt = fit(&floor, height.width, height.cell);
        let mean = floor.iter().sum::<f64>() / floor.len() as f64;
        let middle = [height.width as f64 / 2.0, height.height as f64 / 2.0];
        let mut change = height.clone();
        let mut rise = height.clone();
        for i in 0..floor.len() {
            let (x, z) = ((i % height.width) as f64 + 0.5, (i / height.width) as f64 + 0.5);
            let plane = mean + ((x - middle[0]) * tilt[0] + (z - middle[1]) * tilt[1]) * height.cell;
            let own = if missing[i] { 0.0 } else { f64::from(height.data[i]) - floor[i] };
            change.data[i] = own as f32;
            rise.data[i] = (floor[i] - plane + own * f64::from(exaggerate)) as f32;
        }
        let (wide, deep) = (height.width as f64 * height.cell, height.height as f64 * height.cell);
        let texel = (wide * deep / texels.min(TEXELS)).sqrt();
        let (nx, nz) = (((wide / texel) as usize).clamp(4, 4096), ((deep / texel) as usize).clamp(4, 4096));
        let rise = rise.resampled(nx, nz);
        let change = change.resampled(nx, nz);
        let tilt = tilt.map(|v| v as f32);
        let (wide, deep) = (wide as f32, deep as f32);
        let top = rise.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut ground = Self {
            wide,
            deep,
            tilt,
            top,
            lowest: 0.0,
            nx,
            nz,
            per: [nx as f32 / wide, nz as f32 / deep],
            rise,
            spots: Vec::new(),
            tiles: Vec::new(),
            tiles_x: nx.div_ceil(TILE),
            material: material.clone(),
            missing,
        };
        ground.lowest = (0..nz)
            .flat_map(|z| (0..nx).map(move |x| (x, z)))
            .map(|(x, z)| {
                let (px, pz) = ((x as f32 + 0.5) / ground.per[0], (z as f32 + 0.5) / ground.per[1]);
                ground.rise[z * nx + x] + ground.plane(px, pz)
            })
            .fold(f32::INFINITY, f32::min);
        ground.tiles = ground.coarse();
        ground.spots = change.iter().map(|&c| [0.0, 0.0, c, 1.0, 1.0]).collect();
        ground
    }

    /// The height of the fitted plane; it is zero in the middle of the patch.
    pub fn plane(&self, x: f32, z: f32) -> f32 {
        (x - self.wide / 2.0) * self.tilt[0] + (z - self.deep / 2.0) * self.tilt[1]
    }

    /// The height over the plane.
    pub fn rise(&self, x: f32, z: f32) -> f32 {
        let (i, u, v) = self.cell(x, z);
        let (a, b) = (self.rise[i[0]], self.rise[i[1]]);
        let (c, d) = (self.rise[i[2]], self.rise[i[3]]);
        let (low, high) = (a + (b - a) * u, c + (d - c) * u);
        low + (high - low) * v
    }

    /// What the light needs at a place.
    pub fn spot(&self, x: f32, z: f32) -> Spot {
        let (i, u, v) = self.cell(x, z);
        let s = i.map(|i| &self.spots[i]);
        let read = |c: usize| {
            let (low, high) = (s[0][c] + (s[1][c] - s[0][c]) * u, s[2][c] + (s[3][c] - s[2][c]) * u);
            low + (high - low) * v
        };
        Spot { slope: [read(0), read(1)], change: read(2), sky: read(3), sun: read(4) }
    }

    /// The index of the material at a place, and whether its height is known.
    pub fn material(&self, x: f32, z: f32) -> (usize, bool) {
        let m = &self.material;
        let col = ((x / m.cell as f32).max(0.0) as usize).min(m.width - 1);
        let row = ((z / m.cell as f32).max(0.0) as usize).min(m.height - 1);
        let index = m.at(col, row);
        let known = !self.missing.get(row * m.width + col).copied().unwrap_or(false);
        (if index.is_finite() && index >= 0.0 { index as usize } else { 0 }, known)
    }

    /// How far the drawn prints reach below the plane, at least.
    pub fn relief(&self) -> f32 {
        -self.rise.iter().copied().fold(0.0, f32::min)
    }

    /// The side of a texel in metres.
    pub fn texel(&self) -> f32 {
        1.0 / self.per[0].min(self.per[1])
    }

    /// The four texels around a place and the fractions between them.
    fn cell(&self, x: f32, z: f32) -> ([usize; 4], f32, f32) {
        let u = (x * self.per[0] - 0.5).clamp(0.0, (self.nx - 1) as f32);
        let v = (z * self.per[1] - 0.5).clamp(0.0, (self.nz - 1) as f32);
        let (x0, z0) = ((u as usize).min(self.nx - 2), (v as usize).min(self.nz - 2));
        let at = z0 * self.nx + x0;
        ([at, at + 1, at + self.nx, at + self.nx + 1], u - x0 as f32, v - z0 as f32)
    }

    /// The highest rise in each tile and one texel around it.
    fn coarse(&self) -> Vec<f32> {
        let tiles_z = self.nz.div_ceil(TILE);
        let mut tiles = vec![f32::NEG_INFINITY; self.tiles_x * tiles_z];
        for tz in 0..tiles_z {
            for tx in 0..self.tiles_x {
                let most = &mut tiles[tz * self.tiles_x + tx];
                for z in (tz * TILE).saturating_sub(1)..((tz + 1) * TILE + 1).min(self.nz) {
                    for x in (tx * TILE).saturating_sub(1)..((tx + 1) * TILE + 1).min(self.nx) {
                        *most = most.max(self.rise[z * self.nx + x]);
                    }
                }
            }
        }
        tiles
    }

    /// Where a ray meets the surface between `start` and `end`. Heights are over the plane: `from` and `along` are
    /// the ray as seen from there, which is still a straight line.
    pub fn hit(&self, from: [f32; 3], along: [f32; 3], start: f32, end: f32) -> Option<f32> {
        // Steep rays move little over the ground; they are stepped by height instead.
        let level = (along[0] * along[0] + along[2] * along[2]).sqrt().max(0.3 * along[1].abs()).max(1e-6);
        let fine = 0.8 * self.texel() / level;
        let side = [TILE as f32 / self.per[0], TILE as f32 / self.per[1]];
        let at = |t: f32| [from[0] + along[0] * t, from[1] + along[1] * t, from[2] + along[2] * t];
        let (mut before, mut t) = (start, start);
        // The count only ends a walk whose steps are lost in rounding.
        for _ in 0..20_000 {
            if t.is_nan() || t >= end {
                break;
            }
            let p = at(t);
            let tx = ((p[0] / side[0]).max(0.0) as usize).min(self.tiles_x - 1);
            let tz = ((p[2] / side[1]).max(0.0) as usize).min(self.tiles.len() / self.tiles_x - 1);
            let leave = |c: usize, tile: usize, side: f32| {
                let edge = if along[c] > 0.0 { (tile + 1) as f32 * side } else { tile as f32 * side };
                if along[c].abs() < 1e-9 { f32::INFINITY } else { (edge - from[c]) / along[c] }
            };
            let exit = leave(0, tx, side[0]).min(leave(2, tz, side[1])).min(end).max(t);
            if p[1].min(from[1] + along[1] * exit) > self.tiles[tz * self.tiles_x + tx] {
                before = exit;
                t = exit + 0.05 * fine;
                continue;
            }
            if p[1] <= self.rise(p[0], p[2]) {
                let (mut above, mut below) = (before, t);
                for _ in 0..5 {
                    let middle = 0.5 * (above + below);
                    let q = at(middle);
                    if q[1] <= self.rise(q[0], q[2]) { below = middle } else { above = middle }
                }
                return Some(0.5 * (above + below));
            }
            before = t;
            t += fine;
        }
        None
    }
}

/// Slopes along columns and rows of the plane closest to a grid of heights.
fn fit(heights: &[f64], width: usize, cell: f64) -> [f64; 2] {
    let count = heights.len() as f64;
    let rows = heights.len() / width.max(1);
    let mean = heights.iter().sum::<f64>() / count;
    let middle = [(width as f64 - 1.0) / 2.0, (rows as f64 - 1.0) / 2.0];
    let mut sums = [[0.0f64; 2]; 2];
    for (i, h) in heights.iter().enumerate() {
        for (c, offset) in
            [(i % width) as f64 - middle[0], (i / width) as f64 - middle[1]].into_iter().enumerate()
        {
            sums[c][0] += offset * (h - mean);
            sums[c][1] += offset * offset;
        }
    }
    sums.map(|[product, square]| if square > 0.0 { product / square / cell } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(width: usize, height: usize, f: impl Fn(f32, f32) -> f32) -> Field {
        let cell = 0.01;
        let data = (0..width * height)
            .map(|i| f(((i % width) as f32 + 0.5) * 0.01, ((i / width) as f32 + 0.5) * 0.01))
            .collect();
        Field { width, height, cell, origin: [0.0; 2], data }
    }

    #[test]
    fn a_slope_is_taken_out_and_a_ray_still_finds_it() {
        let slope = field(60, 40, |x, z| 900.0 + 0.4 * x - 0.1 * z);
        let ground = Ground::new(&slope, &slope, &field(60, 40, |_, _| 0.0), 1.0);
        assert!((ground.tilt[0] - 0.4).abs() < 1e-2 && (ground.tilt[1] + 0.1).abs() < 1e-2);
        let t = ground.hit([0.3, 1.0, 0.2], [0.0, -1.0, 1e-4], 0.0, 3.0).expect("the ray meets the ground");
        assert!((t - 1.0).abs() < 0.01);
    }
}
