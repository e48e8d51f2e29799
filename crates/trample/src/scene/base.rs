//! The original height of the ground: a function or a raster; never written.
//!
//! In: x and z, m. Out: height, m. Slopes and hills are functions, so a terrain of any size costs nothing.

use crate::random::{Stream, word};
use std::cell::Cell;

/// The original height of the ground.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Base {
    /// Level ground at 0 m.
    #[default]
    Flat,
    /// An even slope.
    Slope {
        /// Steepness, rad.
        angle: f64,
        /// Uphill direction, rad from +x towards +z.
        direction: f64,
    },
    /// Rolling hills: gradient noise in three octaves.
    Hills {
        /// Height of the largest hills above the mean, m.
        amplitude: f64,
        /// Distance between the largest hills, m.
        wavelength: f64,
        /// Seed of the noise.
        seed: u64,
    },
    /// A transverse dune with its crest along z: an even windward side, a rounded crest, an even slip face.
    Dune {
        /// Height of the crest, m.
        height: f64,
        /// Position of the crest, m along x.
        crest: f64,
        /// Steepness of the side before the crest (smaller x), rad.
        windward: f64,
        /// Steepness of the side behind it, rad.
        lee: f64,
    },
    /// Measured heights.
    Raster(Raster),
}

/// How far the crest and the foot of a dune are rounded, m.
const DUNE_ROUNDING: f64 = 0.25;

impl Base {
    /// Height at (x, z), m.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        match self {
            Self::Flat => 0.0,
            Self::Slope { angle, direction } => {
                libm::tan(*angle) * (x * libm::cos(*direction) + z * libm::sin(*direction))
            }
            Self::Hills { amplitude, wavelength, seed } => {
                let (u, v) = (x / wavelength, z / wavelength);
                let octave = |scale: f64, k: u64| gradient_noise(u * scale, v * scale, seed.wrapping_add(k));
                amplitude * (octave(1.0, 0) + 0.4 * octave(2.17, 1) + 0.15 * octave(4.6, 2))
            }
            Self::Dune { height, crest, windward, lee } => {
                let (up, down) = (libm::tan(*windward), libm::tan(*lee));
                let r = DUNE_ROUNDING;
                let d = x - crest;
                let ridge = height - 0.5 * (up + down) * ((d * d + r * r).sqrt() - r) - 0.5 * (down - up) * d;
                0.5 * (ridge + (ridge * ridge + r * r).sqrt())
            }
            Self::Raster(raster) => raster.height(x, z),
        }
    }

    /// Upward unit normal at (x, z) over `reach` metres around.
    pub fn normal(&self, x: f64, z: f64, reach: f64) -> glam::Vec3 {
        if matches!(self, Self::Flat) {
            return glam::Vec3::Y;
        }
        let dx = (self.height(x + reach, z) - self.height(x - reach, z)) / (2.0 * reach);
        let dz = (self.height(x, z + reach) - self.height(x, z - reach)) / (2.0 * reach);
        let length = (1.0 + dx * dx + dz * dz).sqrt();
        glam::Vec3::new((-dx / length) as f32, (1.0 / length) as f32, (-dz / length) as f32)
    }
}

/// Perlin-type noise with hashed gradients and a quintic fade: smooth to the second derivative, about −0.7..0.7.
fn gradient_noise(u: f64, v: f64, seed: u64) -> f64 {
    let (iu, iv) = (u.floor(), v.floor());
    let (fu, fv) = (u - iu, v - iv);
    let corner = |a: i64, b: i64| {
        let cell = ((iu as i64 + a) as u64) ^ ((iv as i64 + b) as u64).rotate_left(32);
        let [gu, gv] = gradient(seed, cell);
        gu * (fu - a as f64) + gv * (fv - b as f64)
    };
    let fade = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (wu, wv) = (fade(fu), fade(fv));
    let near = corner(0, 0) + wu * (corner(1, 0) - corner(0, 0));
    let far = corner(0, 1) + wu * (corner(1, 1) - corner(0, 1));
    1.4 * (near + wv * (far - near))
}

/// The gradient at a corner of the lattice. Heights are asked for close to each other, and sines and cosines are nine tenths of one: the
/// corners that were asked for last are kept.
fn gradient(seed: u64, cell: u64) -> [f64; 2] {
    const KEPT: usize = 256;
    /// Seed, corner and gradient, which is not a number where nothing is kept yet.
    type Kept = Cell<(u64, u64, [f64; 2])>;
    thread_local! {
        static LAST: [Kept; KEPT] = const { [const { Cell::new((0, 0, [f64::NAN; 2])) }; KEPT] };
    }
    LAST.with(|last| {
        let kept = &last[((cell ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize % KEPT];
        let (of, at, known) = kept.get();
        if (of, at) == (seed, cell) && !known[0].is_nan() {
            return known;
        }
        let angle =
            (word(seed, Stream::Hills, cell) >> 11) as f64 / (1u64 << 53) as f64 * std::f64::consts::TAU;
        let fresh = [libm::cos(angle), libm::sin(angle)];
        kept.set((seed, cell, fresh));
        fresh
    })
}

/// Heights measured on a regular grid, sampled smoothly between the posts (Catmull–Rom).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Raster {
    width: usize,
    height: usize,
    spacing: [f64; 2],
    data: Vec<f32>,
}

/// A raster as it is read, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked {
    width: usize,
    height: usize,
    spacing: [f64; 2],
    data: Vec<f32>,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Raster {
    type Error = RasterError;

    fn try_from(raw: Unchecked) -> Result<Self, RasterError> {
        Self::new(raw.width, raw.height, raw.spacing, raw.data)
    }
}

/// Reason why a raster cannot be a terrain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RasterError {
    /// Too few posts to interpolate, or the data do not fill the size.
    #[error(
        "a height raster needs at least 2 × 2 posts and width × height values; got {0} × {1} with {2} values"
    )]
    Size(usize, usize, usize),
    /// Spacing is not a positive number.
    #[error("the spacing of height posts must be above 0 m, got {0} × {1}")]
    Spacing(f64, f64),
    /// A height is missing.
    #[error("height at column {column}, row {row} is {value}; fill or crop no-data before use")]
    NotFinite {
        /// Column of the first bad post.
        column: usize,
        /// Row of the first bad post.
        row: usize,
        /// Its value.
        value: f32,
    },
}

impl Raster {
    /// A raster of `width` × `height` posts, row-major along x, `spacing` metres apart in x and z; post (0, 0) lies at the origin.
    pub fn new(width: usize, height: usize, spacing: [f64; 2], data: Vec<f32>) -> Result<Self, RasterError> {
        if width < 2 || height < 2 || Some(data.len()) != width.checked_mul(height) {
            return Err(RasterError::Size(width, height, data.len()));
        }
        if !spacing.iter().all(|s| s.is_finite() && *s > 0.0) {
            return Err(RasterError::Spacing(spacing[0], spacing[1]));
        }
        if let Some(bad) = data.iter().position(|h| !h.is_finite()) {
            return Err(RasterError::NotFinite { column: bad % width, row: bad / width, value: data[bad] });
        }
        Ok(Self { width, height, spacing, data })
    }

    /// Extent in x and z, m.
    pub fn extent(&self) -> [f64; 2] {
        [(self.width - 1) as f64 * self.spacing[0], (self.height - 1) as f64 * self.spacing[1]]
    }

    /// Posts in x and z.
    pub fn posts(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    /// Distance between posts in x and z, m.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// The heights, row-major, m.
    pub fn data(&self) -> &[f32] {
        &self.data
    }

    /// Height at (x, z), m; beyond the edge that of the nearest posts.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        let place = |p: f64, step: f64, n: usize| {
            let p = (p / step).clamp(0.0, (n - 1) as f64);
            let i = (p.floor() as usize).min(n - 2);
            (i as isize, p - i as f64)
        };
        let (i, fx) = place(x, self.spacing[0], self.width);
        let (j, fz) = place(z, self.spacing[1], self.height);
        let at = |a: isize, b: isize| {
            let a = (i + a).clamp(0, self.width as isize - 1) as usize;
            let b = (j + b).clamp(0, self.height as isize - 1) as usize;
            f64::from(self.data[b * self.width + a])
        };
        let row = |b: isize| cubic([at(-1, b), at(0, b), at(1, b), at(2, b)], fx);
        cubic([row(-1), row(0), row(1), row(2)], fz)
    }
}

fn cubic(p: [f64; 4], t: f64) -> f64 {
    let a = 0.5 * (-p[0] + 3.0 * p[1] - 3.0 * p[2] + p[3]);
    let b = 0.5 * (2.0 * p[0] - 5.0 * p[1] + 4.0 * p[2] - p[3]);
    let c = 0.5 * (p[2] - p[0]);
    ((a * t + b) * t + c) * t + p[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dune_has_the_slopes_it_was_given() {
        let (up, lee) = (20f64.to_radians(), 30f64.to_radians());
        let dune = Base::Dune { height: 4.0, crest: 10.0, windward: up, lee };
        let slope = |x: f64| (dune.height(x + 0.01, 0.0) - dune.height(x - 0.01, 0.0)) / 0.02;
        assert!((slope(5.0) - libm::tan(up)).abs() < 0.01, "windward {}", slope(5.0));
        assert!((slope(13.0) + libm::tan(lee)).abs() < 0.01, "lee {}", slope(13.0));
        assert!(dune.height(-20.0, 0.0).abs() < 0.01, "the dune stands on level ground");
    }

    #[test]
    fn a_raster_passes_through_its_posts_and_keeps_planes() {
        let data: Vec<f32> = (0..20).map(|k| (k % 5) as f32 * 2.0 + (k / 5) as f32 * 0.5).collect();
        let raster = Raster::new(5, 4, [1.0, 2.0], data).expect("valid raster");
        assert_eq!(raster.height(3.0, 4.0), 7.0);
        assert!((raster.height(2.3, 3.1) - (2.3 * 2.0 + 3.1 * 0.25)).abs() < 1e-9, "a plane stays a plane");
    }

    #[test]
    fn a_raster_refuses_no_data() {
        let mut data = vec![1.0; 9];
        data[5] = f32::NAN;
        let error = Raster::new(3, 3, [1.0, 1.0], data).expect_err("NaN");
        assert!(error.to_string().contains("column 2, row 1"), "{error}");
    }

    #[test]
    fn hills_are_the_same_whatever_was_asked_before() {
        let all = [3, 4].map(|seed| Base::Hills { amplitude: 1.0, wavelength: 0.7, seed });
        let place =
            |k: u32| (f64::from(k * 7919 % 6007) * 0.05 - 90.0, f64::from(k * 104_729 % 6011) * 0.05 - 90.0);
        let heights = |order: Vec<u32>| {
            let mut found = vec![[0; 2]; 6000];
            for k in order {
                let (x, z) = place(k);
                found[k as usize] = [0, 1].map(|i: usize| all[i].height(x, z).to_bits());
            }
            found
        };
        let there = heights((0..6000).collect());
        let back =
            std::thread::scope(|s| s.spawn(|| heights((0..6000).rev().collect())).join().expect("done"));
        assert_eq!(there, back);
    }

    #[test]
    fn hills_are_smooth_and_bounded() {
        let hills = Base::Hills { amplitude: 1.0, wavelength: 5.0, seed: 3 };
        let mut steepest: f64 = 0.0;
        for k in 0..4000 {
            let x = f64::from(k) * 0.01;
            let (a, b) = (hills.height(x, 1.3), hills.height(x + 0.01, 1.3));
            assert!(a.abs() < 1.6, "{a}");
            steepest = steepest.max((b - a).abs() / 0.01);
        }
        assert!(steepest < 2.0, "no cliffs: {steepest}");
    }
}
