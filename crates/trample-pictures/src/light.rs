//! Sun and sky on the ground, worked out once per texel so that the view only has to look them up.

use super::ground::Ground;
use rayon::prelude::*;
use trample_looks::colour::smooth;

impl Ground {
    /// Works out slopes, sky and sun for light that comes along `sun` (horizontal direction, rise per metre over the
    /// plane).
    pub fn bake(&mut self, sun: [f32; 2], climb: f32) {
        let sky = self.sky();
        let (nx, nz) = (self.nx, self.nz);
        let half_x = nx.div_ceil(2);
        let half_z = nz.div_ceil(2);
        let this = &*self;
        let baked: Vec<[f32; 5]> = (0..nx * nz)
            .into_par_iter()
            .with_min_len(nx)
            .map(|i| {
                let (x, z) = (i % nx, i / nx);
                let read = |x: usize, z: usize| this.rise[z * nx + x];
                let (left, right) = (x.saturating_sub(1), (x + 1).min(nx - 1));
                let (up, down) = (z.saturating_sub(1), (z + 1).min(nz - 1));
                let gx = (read(right, z) - read(left, z)) * this.per[0] / (right - left) as f32;
                let gz = (read(x, down) - read(x, up)) * this.per[1] / (down - up) as f32;
                // The sky changes slowly and is known at every second texel only.
                let (u, v) = (x as f32 * 0.5 - 0.25, z as f32 * 0.5 - 0.25);
                let (u, v) = (u.clamp(0.0, (half_x - 1) as f32), v.clamp(0.0, (half_z - 1) as f32));
                let (a, b) = (u as usize, v as usize);
                let (a1, b1) = ((a + 1).min(half_x - 1), (b + 1).min(half_z - 1));
                let (fu, fv) = (u - a as f32, v - b as f32);
                let low = sky[b * half_x + a] + (sky[b * half_x + a1] - sky[b * half_x + a]) * fu;
                let high = sky[b1 * half_x + a] + (sky[b1 * half_x + a1] - sky[b1 * half_x + a]) * fu;
                let seen = low + (high - low) * fv;
                let lit = this.sunlit(x, z, sun, climb);
                [gx + this.tilt[0], gz + this.tilt[1], this.spots[i][2], seen, lit]
            })
            .collect();
        self.spots = baked;
    }

    /// How much of the sun's disc stands above the horizon of a texel.
    fn sunlit(&self, x: usize, z: usize, sun: [f32; 2], climb: f32) -> f32 {
        let here = self.rise[z * self.nx + x];
        let (low, high) = (0.72 * climb, 1.25 * climb);
        let texel = self.texel();
        let (px, pz) = ((x as f32 + 0.5) / self.per[0], (z as f32 + 0.5) / self.per[1]);
        let reach = (self.top - here) / low;
        let mut steepest = 0.0f32;
        let mut step = texel;
        let mut t = 1.5 * texel;
        while t < reach && steepest < high {
            let (qx, qz) = (px + sun[0] * t, pz + sun[1] * t);
            if qx < 0.0 || qz < 0.0 || qx > self.wide || qz > self.deep {
                break;
            }
            steepest = steepest.max((self.rise(qx, qz) - here) / t);
            t += step;
            // Far obstacles need less care: their edge is blurred by the width of the sun anyway.
            step *= 1.06;
        }
        1.0 - smooth(low, high, steepest)
    }

    /// How much sky every second texel sees, from the horizons in twelve directions.
    fn sky(&self) -> Vec<f32> {
        const DIRECTIONS: usize = 12;
        const RINGS: usize = 9;
        let (half_x, half_z) = (self.nx.div_ceil(2), self.nz.div_ceil(2));
        let directions: [[f32; 2]; DIRECTIONS] = std::array::from_fn(|k| {
            let angle = (k as f32 + 0.5) * std::f32::consts::TAU / DIRECTIONS as f32;
            [libm::cosf(angle), libm::sinf(angle)]
        });
        // Prints are a foot long: what is farther away than that does not darken them.
        let reach = (0.35f32).min(0.4 * self.wide.max(self.deep)).max(6.0 * self.texel());
        let first = 1.5 * self.texel();
        let growth = libm::powf(reach / first, 1.0 / (RINGS - 1) as f32);
        let raw: Vec<f32> = (0..half_x * half_z)
            .into_par_iter()
            .with_min_len(half_x)
            .map(|i| {
                let (x, z) = ((i % half_x) as f32 * 2.0 + 1.0, (i / half_x) as f32 * 2.0 + 1.0);
                let (px, pz) = (x / self.per[0], z / self.per[1]);
                let here = self.rise(px, pz);
                if self.top - here < 1e-6 {
                    return 1.0;
                }
                let mut seen = 0.0;
                for [dx, dz] in directions {
                    let mut steepest = 0.0f32;
                    let mut t = first;
                    for _ in 0..RINGS {
                        let (qx, qz) = (px + dx * t, pz + dz * t);
                        steepest = steepest.max((self.nearest(qx, qz) - here) / t);
                        t *= growth;
                    }
                    seen += 1.0 / (1.0 + steepest * steepest);
                }
                seen / DIRECTIONS as f32
            })
            .collect();
        // A small blur hides the steps between the few directions.
        let read = |x: usize, z: usize| raw[z.min(half_z - 1) * half_x + x.min(half_x - 1)];
        (0..half_x * half_z)
            .map(|i| {
                let (x, z) = (i % half_x, i / half_x);
                let (l, u) = (x.saturating_sub(1), z.saturating_sub(1));
                (4.0 * read(x, z) + read(l, z) + read(x + 1, z) + read(x, u) + read(x, z + 1)) / 8.0
            })
            .collect()
    }

    /// The rise of the texel a place lies in; outside, of the closest one.
    fn nearest(&self, x: f32, z: f32) -> f32 {
        let col = ((x * self.per[0]).max(0.0) as usize).min(self.nx - 1);
        let row = ((z * self.per[1]).max(0.0) as usize).min(self.nz - 1);
        self.rise[row * self.nx + col]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;

    fn field(f: impl Fn(f32, f32) -> f32) -> Field {
        let place = |i: usize| (i as f32 + 0.5) * 0.01;
        let data = (0..3600).map(|i| f(place(i % 60), place(i / 60))).collect();
        Field { width: 60, height: 60, cell: 0.01, origin: [0.0; 2], data }
    }

    #[test]
    fn the_bottom_of_a_hole_sees_less_sky() {
        let hole =
            field(|x, z| if (x - 0.3) * (x - 0.3) + (z - 0.3) * (z - 0.3) < 0.01 { -0.1 } else { 0.0 });
        let flat = field(|_, _| 0.0);
        let mut ground = Ground::new(&hole, &flat, &flat, 1.0);
        ground.bake([1.0, 0.0], 0.4);
        let (inside, outside) = (ground.spot(0.3, 0.3), ground.spot(0.05, 0.05));
        assert!(inside.sky < 0.8 && outside.sky > 0.95);
        // The sun stands towards +x: the wall on that side throws its shadow to the hole's +x part.
        assert!(ground.spot(0.38, 0.3).sun < 0.1 && outside.sun > 0.95);
    }
}
