//! Soles: two rigid parts, heel and forefoot with toes, joined at the ball (TR §3.1), as one depth map.
//!
//! In: an outline, a mesh, an image or a primitive. Out: per texel whether the sole is there and how far its
//! underside lies above its lowest plane. The frame of a sole: u forward from the middle of its length, v to the
//! walker's right, depth upwards; a right foot. A left foot is its mirror.

use glam::Vec3;

/// The built-in shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Footwear {
    /// A bare foot: heel, outer edge, ball and five toes touch.
    Bare,
    /// A shoe with a smooth outsole.
    #[default]
    Shoe,
    /// A walking boot with lugs 5 mm deep and a raised waist.
    Boot,
    /// A snowshoe, about 2.2 feet long and two feet wide.
    Snowshoe,
    /// A shoe with a stiletto heel.
    HighHeel,
    /// A horse's hoof: a bearing wall around a hollow sole.
    Hoof,
    /// A sphere; its diameter is the length.
    Sphere,
    /// A rectangular plate.
    Plate,
    /// A deer's foot: two pointed claws side by side.
    ClovenHoof,
    /// A dog's foot: four toes before a large pad.
    Paw,
}

impl Footwear {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Bare,
        Self::Shoe,
        Self::Boot,
        Self::Snowshoe,
        Self::HighHeel,
        Self::Hoof,
        Self::Sphere,
        Self::Plate,
        Self::ClovenHoof,
        Self::Paw,
    ];

    /// The name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Shoe => "shoe",
            Self::Boot => "boot",
            Self::Snowshoe => "snowshoe",
            Self::HighHeel => "high-heel",
            Self::Hoof => "hoof",
            Self::Sphere => "sphere",
            Self::Plate => "plate",
            Self::ClovenHoof => "cloven-hoof",
            Self::Paw => "paw",
        }
    }

    /// The footwear of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Length, width and position of the ball of the sole for a foot of that length and width, m.
    pub(crate) fn measures(self, foot_length: f64, foot_width: f64) -> [f64; 3] {
        let [l, w] = match self {
            Self::Shoe => [1.07, 1.08],
            Self::Boot => [1.09, 1.10],
            Self::Snowshoe => [2.2, 2.0],
            Self::HighHeel => [1.0, 0.95],
            _ => [1.0, 1.0],
        };
        [l * foot_length, w * foot_width, (BALL - 0.5) * (l * foot_length)]
    }

    /// The sole for a foot of that length and width, m. A shoe is slightly larger than the foot, a snowshoe much larger;
    /// for hoof, sphere and plate the numbers are the size itself.
    pub fn sole(self, foot_length: f64, foot_width: f64) -> Sole {
        let [l, w, _] = self.measures(foot_length, foot_width);
        let [softness, bending] = self.give();
        let sole = match self {
            Self::Bare => Sole::from_fn(l, w, bare),
            Self::Shoe => Sole::from_fn(l, w, shoe),
            Self::Boot => Sole::from_fn(l, w, boot),
            Self::Snowshoe => Sole::from_fn(l, w, snowshoe),
            Self::HighHeel => Sole::from_fn(l, w, high_heel),
            Self::Hoof => Sole::from_fn(l, w, hoof),
            Self::Sphere => {
                let r = 0.5 * l;
                Sole::from_fn(l, l, |p| {
                    let q = p.u * p.u + p.v * p.v;
                    (q < r * r).then(|| r - (r * r - q).sqrt())
                })
            }
            Self::Plate => Sole::from_fn(l, w, |_| Some(0.0)),
            Self::ClovenHoof => Sole::from_fn(l, w, cloven_hoof),
            Self::Paw => Sole::from_fn(l, w, paw),
        };
        Sole { softness, bending, ..sole }
    }

    /// Compliance, mm/MPa, and bending stiffness, N·m/rad. A loaded heel pad yields 5 to 8 mm under
    /// 300 kPa (Aerts et al. 1995 and others), rubber soles of 1 cm yield 1 to 3 mm; the bending stiffness of shoes is 0.1 to 0.3 N·m/°
    /// (Stefanyshyn & Nigg 2000), of boots several times that; snowshoes hardly bend.
    const fn give(self) -> [f64; 2] {
        match self {
            Self::Bare => [20.0, 6.0],
            Self::Boot => [7.0, 60.0],
            Self::Snowshoe => [1.0, 1e4],
            Self::Shoe | Self::HighHeel => Sole::SHOE,
            // Pads of dogs as a heel pad.
            Self::Paw => [20.0, 6.0],
            Self::Hoof | Self::ClovenHoof | Self::Sphere | Self::Plate => [0.0, 1e4],
        }
    }
}

/// A position in a sole: u, v in metres; t from 0 at the heel to 1 at the toe; s from −1 (inner edge) to 1 (outer edge).
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Forward from the middle, m.
    pub u: f64,
    /// To the right of the middle, m.
    pub v: f64,
    /// Share of the length from the heel.
    pub t: f64,
    /// Share of half the width from the middle line.
    pub s: f64,
}

/// A sole's depth map.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sole {
    /// Length, m.
    pub length: f64,
    /// Width, m.
    pub width: f64,
    /// Where the forefoot is hinged: u of the ball, m.
    pub ball: f64,
    /// Compliance under pressure, mm/MPa: heel pad, rubber sole. 0 is rigid. Used by the natural law.
    pub softness: f64,
    /// Bending stiffness at the ball, N·m/rad. Used by the natural law.
    pub bending: f64,
    /// Texels along u.
    pub nu: usize,
    /// Texels along v.
    pub nv: usize,
    /// Share of each texel that the sole covers, row-major in u, 0..1.
    pub coverage: Vec<f32>,
    /// Height of the underside above the sole's lowest plane, m; 0 where there is no sole.
    pub depth: Vec<f32>,
}

/// Ball of the foot from the heel as a share of foot length: 200.9 / 271.2 mm, ANSUR II men.
const BALL: f64 = 0.74;

impl Sole {
    /// Compliance, mm/MPa, and bending stiffness, N·m/rad, of a shoe and of unknown soles.
    pub const SHOE: [f64; 2] = [10.0, 12.0];

    /// Side of a depth-map texel, m. A lug is about four texels wide.
    pub const TEXEL: f64 = 0.0025;
    /// Longest side a sole may have, m; limits the depth map before memory is allocated.
    pub const LARGEST: f64 = 4.0;

    /// A sole from a function of position: `None` outside, else the height of the underside, m.
    pub fn from_fn(length: f64, width: f64, shape: impl Fn(Place) -> Option<f64>) -> Self {
        let (nu, nv) = texels(length, width);
        let mut sole = Self::empty(length, width, nu, nv);
        for i in 0..nu {
            for j in 0..nv {
                let (mut hits, mut sum) = (0u32, 0.0);
                for (a, b) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                    let u = (i as f64 + a) * Sole::TEXEL - 0.5 * nu as f64 * Sole::TEXEL;
                    let v = (j as f64 + b) * Sole::TEXEL - 0.5 * nv as f64 * Sole::TEXEL;
                    let place = Place { u, v, t: u / length + 0.5, s: v / (0.5 * width) };
                    if place.t < 0.0 || place.t > 1.0 || place.s.abs() > 1.0 {
                        continue;
                    }
                    if let Some(depth) = shape(place) {
                        hits += 1;
                        sum += depth;
                    }
                }
                if hits > 0 {
                    sole.coverage[i * nv + j] = hits as f32 / 4.0;
                    sole.depth[i * nv + j] = (sum / f64::from(hits)) as f32;
                }
            }
        }
        sole.grounded()
    }

    /// A flat sole inside a closed outline, given as (u, v) in any unit and scaled to `length`.
    pub fn from_outline(points: &[[f64; 2]], length: f64) -> Result<Self, SoleError> {
        if points.len() < 3 {
            return Err(SoleError::TooFewPoints(points.len()));
        }
        if points.iter().flatten().any(|x| !x.is_finite()) {
            return Err(SoleError::NotFinite);
        }
        let bounds = |axis: usize| {
            points.iter().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p[axis]), b.max(p[axis])))
        };
        let ((u0, u1), (v0, v1)) = (bounds(0), bounds(1));
        if u1 - u0 <= 0.0 || v1 - v0 <= 0.0 {
            return Err(SoleError::NoArea);
        }
        let scale = length / (u1 - u0);
        let width = (v1 - v0) * scale;
        check_size(length, width)?;
        let (mu, mv) = (0.5 * (u0 + u1), 0.5 * (v0 + v1));
        Ok(Self::from_fn(length, width, |p| {
            inside(points, p.u / scale + mu, p.v / scale + mv).then_some(0.0)
        }))
    }

    /// The underside of a triangle mesh: y up, x forward, z right, metres.
    pub fn from_mesh(triangles: &[[Vec3; 3]]) -> Result<Self, SoleError> {
        if triangles.iter().flatten().any(|p| !p.is_finite()) {
            return Err(SoleError::NotFinite);
        }
        let points = triangles.iter().flatten();
        let low = points.clone().fold(Vec3::MAX, |a, &p| a.min(p));
        let high = points.fold(Vec3::MIN, |a, &p| a.max(p));
        if triangles.is_empty() || high.x <= low.x || high.z <= low.z {
            return Err(SoleError::NoArea);
        }
        let (length, width) = (f64::from(high.x - low.x), f64::from(high.z - low.z));
        check_size(length, width)?;
        let (nu, nv) = texels(length, width);
        let mut sole = Self::empty(length, width, nu, nv);
        let mid = 0.5 * (low + high);
        let to_texel = |p: Vec3| {
            [
                f64::from(p.x - mid.x) / Sole::TEXEL + 0.5 * nu as f64,
                f64::from(p.z - mid.z) / Sole::TEXEL + 0.5 * nv as f64,
                f64::from(p.y - low.y),
            ]
        };
        let mut looked_at = 0;
        for triangle in triangles {
            let [a, b, c] = triangle.map(to_texel);
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            if area == 0.0 {
                continue;
            }
            let span = |k: usize, n: usize| {
                let lo = a[k].min(b[k]).min(c[k]).floor().max(0.0) as usize;
                let hi = (a[k].max(b[k]).max(c[k]).ceil() as usize).min(n);
                lo..hi
            };
            looked_at += span(0, nu).len() * span(1, nv).len();
            if looked_at > MOST_LOOKED_AT {
                return Err(SoleError::TooFine(triangles.len()));
            }
            for i in span(0, nu) {
                for j in span(1, nv) {
                    let (u, v) = (i as f64 + 0.5, j as f64 + 0.5);
                    let wb = ((u - a[0]) * (c[1] - a[1]) - (v - a[1]) * (c[0] - a[0])) / area;
                    let wc = ((b[0] - a[0]) * (v - a[1]) - (b[1] - a[1]) * (u - a[0])) / area;
                    if wb < -1e-9 || wc < -1e-9 || wb + wc > 1.0 + 1e-9 {
                        continue;
                    }
                    let y = (a[2] + wb * (b[2] - a[2]) + wc * (c[2] - a[2])) as f32;
                    let k = i * nv + j;
                    if sole.coverage[k] == 0.0 || y < sole.depth[k] {
                        sole.depth[k] = y;
                    }
                    sole.coverage[k] = 1.0;
                }
            }
        }
        if sole.coverage.iter().all(|&c| c == 0.0) {
            return Err(SoleError::NoArea);
        }
        Ok(sole.grounded())
    }

    /// A sole from an image: toes at the top, `covered` 0..1 says where it is, `raised` 0..1 how high, times `relief` m.
    pub fn from_image(
        columns: usize,
        rows: usize,
        covered: &[f32],
        raised: &[f32],
        length: f64,
        relief: f64,
    ) -> Result<Self, SoleError> {
        if columns == 0 || rows == 0 || covered.len() != columns * rows || raised.len() != columns * rows {
            return Err(SoleError::NoArea);
        }
        if covered.iter().chain(raised).any(|x| !x.is_finite()) {
            return Err(SoleError::NotFinite);
        }
        let width = length * columns as f64 / rows as f64;
        check_size(length, width)?;
        let sole = Self::from_fn(length, width, |p| {
            let row = (((1.0 - p.t) * rows as f64) as usize).min(rows - 1);
            let column = (((0.5 * p.s + 0.5) * columns as f64) as usize).min(columns - 1);
            let k = row * columns + column;
            (covered[k] >= 0.5).then(|| f64::from(raised[k].clamp(0.0, 1.0)) * relief)
        });
        if sole.coverage.iter().all(|&c| c == 0.0) { Err(SoleError::NoArea) } else { Ok(sole) }
    }

    /// The same sole for the other foot.
    pub fn mirrored(&self) -> Self {
        let mut other = self.clone();
        for i in 0..self.nu {
            other.coverage[i * self.nv..(i + 1) * self.nv].reverse();
            other.depth[i * self.nv..(i + 1) * self.nv].reverse();
        }
        other
    }

    /// Area of the sole seen from below, m².
    pub fn area(&self) -> f64 {
        self.coverage.iter().map(|&c| f64::from(c)).sum::<f64>() * Sole::TEXEL * Sole::TEXEL
    }

    fn empty(length: f64, width: f64, nu: usize, nv: usize) -> Self {
        Self {
            length,
            width,
            ball: (BALL - 0.5) * length,
            softness: Self::SHOE[0],
            bending: Self::SHOE[1],
            nu,
            nv,
            coverage: vec![0.0; nu * nv],
            depth: vec![0.0; nu * nv],
        }
    }

    /// Lowers the map so that its lowest point is 0.
    fn grounded(mut self) -> Self {
        let covered = self.coverage.iter().zip(&self.depth).filter(|(c, _)| **c > 0.0);
        let low = covered.map(|(_, &d)| d).fold(f32::MAX, f32::min);
        for (c, d) in self.coverage.iter().zip(&mut self.depth) {
            *d = if *c > 0.0 { *d - low } else { 0.0 };
        }
        self
    }
}

/// Errors in the description of a sole.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SoleError {
    /// An outline needs three points to enclose anything.
    #[error("a sole's outline needs at least 3 points, found {0}")]
    TooFewPoints(usize),
    /// A coordinate is NaN or infinite.
    #[error("a sole's shape has a coordinate that is not a finite number")]
    NotFinite,
    /// Nothing would touch the ground.
    #[error("a sole's shape encloses no area")]
    NoArea,
    /// The map would be too large.
    #[error("a sole of {length} × {width} m is too large or too small: allowed are 0.01 to 4 m")]
    Size {
        /// Length, m.
        length: f64,
        /// Width, m.
        width: f64,
    },
    /// Its triangles overlap so often that processing them would take many seconds.
    #[error("{0} triangles that cover the sole too many times over; simplify the mesh")]
    TooFine(usize),
}

/// Most looks at a texel while a mesh is drawn into a sole: a second's work, our choice. A closed mesh has some two for every texel, and
/// a few for every triangle.
const MOST_LOOKED_AT: usize = 200_000_000;

fn check_size(length: f64, width: f64) -> Result<(), SoleError> {
    let fits = |x: f64| (0.01..=Sole::LARGEST).contains(&x);
    if fits(length) && fits(width) { Ok(()) } else { Err(SoleError::Size { length, width }) }
}

fn texels(length: f64, width: f64) -> (usize, usize) {
    let n = |x: f64| ((x.min(Sole::LARGEST) / Sole::TEXEL - 1e-3).ceil() as usize).max(1);
    (n(length), n(width))
}

/// Even–odd rule.
fn inside(points: &[[f64; 2]], u: f64, v: f64) -> bool {
    let mut odd = false;
    let mut previous = points[points.len() - 1];
    for &p in points {
        if (p[1] > v) != (previous[1] > v) {
            let cross = (previous[0] - p[0]) * (v - p[1]) / (previous[1] - p[1]) + p[0];
            if u < cross {
                odd = !odd;
            }
        }
        previous = p;
    }
    odd
}

/// Piecewise linear through (t, value).
fn along(t: f64, points: &[(f64, f64)]) -> f64 {
    for pair in points.windows(2) {
        let ((t0, a), (t1, b)) = (pair[0], pair[1]);
        if t <= t1 {
            return a + (b - a) * ((t - t0) / (t1 - t0)).clamp(0.0, 1.0);
        }
    }
    points[points.len() - 1].1
}

/// Outer edge of a shoe, as a share of half the width, from heel to toe.
#[rustfmt::skip]
const OUTER: [(f64, f64); 14] = [(0.0, 0.10), (0.015, 0.32), (0.04, 0.48), (0.09, 0.60), (0.18, 0.67), (0.32, 0.69), (0.45, 0.76),
    (0.58, 0.90), (0.69, 1.0), (0.78, 0.99), (0.87, 0.84), (0.94, 0.58), (0.98, 0.34), (1.0, 0.06)];
/// Inner edge of a shoe, likewise.
#[rustfmt::skip]
const INNER: [(f64, f64); 14] = [(0.0, 0.10), (0.015, 0.32), (0.04, 0.48), (0.09, 0.60), (0.18, 0.65), (0.32, 0.56), (0.45, 0.55),
    (0.58, 0.74), (0.70, 0.96), (0.78, 1.0), (0.87, 0.93), (0.94, 0.76), (0.98, 0.54), (1.0, 0.26)];

fn in_shoe(p: Place) -> bool {
    p.s <= along(p.t, &OUTER) && p.s >= -along(p.t, &INNER)
}

fn shoe(p: Place) -> Option<f64> {
    // A toe spring: the last tenth of a shoe curls up by a few millimetres.
    in_shoe(p).then(|| 0.004 * ((p.t - 0.9).max(0.0) / 0.1) * ((p.t - 0.9).max(0.0) / 0.1))
}

fn boot(p: Place) -> Option<f64> {
    let spring = shoe(p)?;
    if p.t > 0.30 && p.t < 0.40 {
        return Some(0.008); // the waist between heel and forefoot
    }
    // Lugs of 13 mm in rows, 5 mm channels between them, offset left and right; a closed rim around them.
    let rim = p.s > along(p.t, &OUTER) - 0.14 || p.s < -along(p.t, &INNER) + 0.14;
    let row = (p.u + if p.v > 0.0 { 0.0 } else { 0.009 }).rem_euclid(0.018);
    let channel = row < 0.005 || p.v.abs() < 0.0025 || (p.v.abs() - 0.022).abs() < 0.0025;
    Some(if channel && !(rim && row >= 0.005) { 0.005 } else { 0.0 } + spring)
}

fn bare(p: Place) -> Option<f64> {
    // Rounded pads as (t, s, half length in t, half width in s, height of the lowest point and rise to the edge, mm): heel, outer edge
    // below the arch, ball, five toes. Heights fitted to the peak pressures by region of 104 bare feet (MUN104).
    #[rustfmt::skip]
    const PADS: [[f64; 6]; 10] = [
        [0.12, 0.0, 0.12, 0.60, 0.0, 8.0], [0.28, 0.18, 0.14, 0.46, 6.0, 5.0], [0.44, 0.38, 0.18, 0.36, 6.0, 5.0], [0.58, 0.36, 0.15, 0.46, 5.0, 5.0],
        [0.69, 0.0, 0.105, 0.92, 0.0, 7.0], [0.905, -0.52, 0.075, 0.27, 0.0, 3.0], [0.915, -0.08, 0.045, 0.15, 1.0, 3.0],
        [0.89, 0.24, 0.042, 0.14, 1.0, 3.0], [0.862, 0.51, 0.040, 0.13, 1.0, 3.0], [0.828, 0.74, 0.038, 0.13, 1.0, 3.0]];
    let pads = PADS.iter().filter_map(|&[t, s, a, b, low, rise]| {
        let (x, y) = ((p.t - t) / a, (p.s - s) / b);
        let r = x * x + y * y;
        (r < 1.0).then_some(1e-3 * (low + rise * r))
    });
    pads.reduce(f64::min)
}

fn snowshoe(p: Place) -> Option<f64> {
    let half = along(p.t, &[(0.0, 0.10), (0.25, 0.55), (0.55, 0.95), (0.78, 1.0), (0.92, 0.80), (1.0, 0.35)]);
    // The tip turns up by 3 cm so that it does not dig in.
    let tip = (p.t - 0.85).max(0.0) / 0.15;
    (p.s.abs() <= half).then_some(0.03 * tip * tip)
}

fn high_heel(p: Place) -> Option<f64> {
    let tip = (p.t - 0.07).abs() * 0.26 < 0.005 && p.s.abs() < 0.11;
    (tip || (p.t > 0.56 && in_shoe(p))).then_some(0.0)
}

fn hoof(p: Place) -> Option<f64> {
    let r = (2.0 * p.t - 1.0) * (2.0 * p.t - 1.0) + p.s * p.s;
    let wall = r > 0.72 * 0.72 && !(p.t < 0.16 && p.s.abs() < 0.35);
    (r < 1.0).then_some(if wall { 0.0 } else { 0.010 })
}

/// Two claws, round behind and drawn to a point ahead, with a gap that widens towards the points; hard edges around soft pads.
fn cloven_hoof(p: Place) -> Option<f64> {
    let gap = 0.06 + 0.10 * p.t;
    let outer = if p.t < 0.35 { 0.9 } else { 0.9 * (1.0 - ((p.t - 0.35) / 0.68) * ((p.t - 0.35) / 0.68)) };
    let behind = (1.0 - ((0.2 - p.t).max(0.0) / 0.2) * ((0.2 - p.t).max(0.0) / 0.2)).max(0.0).sqrt();
    let s = p.s.abs();
    let inside = s > gap && s < outer * behind;
    let wall = s < gap + 0.12 || s > outer * behind - 0.14 || p.t > 0.85;
    inside.then_some(if wall { 0.0 } else { 0.003 })
}

/// A pad of three lobes behind four toes.
fn paw(p: Place) -> Option<f64> {
    let s = p.s.abs();
    let oval = |t: f64, at: f64, long: f64, wide: f64| {
        let (x, y) = ((p.t - t) / long, (s - at) / wide);
        x * x + y * y
    };
    let toes = [oval(0.82, 0.24, 0.17, 0.22), oval(0.60, 0.74, 0.16, 0.24)];
    let pad = [oval(0.26, 0.0, 0.22, 0.42), oval(0.16, 0.38, 0.15, 0.22)];
    let near = toes.into_iter().chain(pad).fold(f64::MAX, f64::min);
    (near < 1.0).then_some(0.004 * near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shod_sole_has_the_area_of_a_real_one() {
        // 27.4 × 10.3 cm is the foot of a 1.8 m walker; the model asks for 200–250 cm².
        for wear in [Footwear::Shoe, Footwear::Boot] {
            let area = wear.sole(0.274, 0.103).area() * 1e4;
            assert!((200.0..=250.0).contains(&area), "{}: {area} cm²", wear.name());
        }
    }

    #[test]
    fn footwear_differs_in_area_as_one_expects() {
        let area = |wear: Footwear| wear.sole(0.274, 0.103).area();
        assert!(area(Footwear::Bare) < area(Footwear::Shoe), "a bare foot has an arch");
        assert!(area(Footwear::HighHeel) < 0.6 * area(Footwear::Shoe), "a high heel stands on little");
        assert!(area(Footwear::Snowshoe) > 3.0 * area(Footwear::Shoe), "a snowshoe spreads the load");
    }

    #[test]
    fn a_plate_is_its_area_and_a_sphere_its_disc() {
        let plate = Footwear::Plate.sole(0.2, 0.1);
        assert!((plate.area() - 0.02).abs() < 1e-9, "{}", plate.area());
        let sphere = Footwear::Sphere.sole(0.4, 0.4);
        assert!((sphere.area() / (std::f64::consts::PI * 0.04) - 1.0).abs() < 0.005, "{}", sphere.area());
    }

    #[test]
    fn outline_mesh_and_image_of_one_rectangle_agree() {
        let outline =
            Sole::from_outline(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]], 0.2).expect("outline");
        let v = |x: f32, z: f32| Vec3::new(x, 0.3, z);
        let mesh = Sole::from_mesh(&[
            [v(0.0, 0.0), v(0.2, 0.0), v(0.2, 0.1)],
            [v(0.0, 0.0), v(0.2, 0.1), v(0.0, 0.1)],
        ])
        .expect("mesh");
        let image = Sole::from_image(2, 4, &[1.0; 8], &[0.0; 8], 0.2, 0.01).expect("image");
        for sole in [&outline, &mesh, &image] {
            assert!((sole.area() / 0.02 - 1.0).abs() < 0.03, "{}", sole.area());
            assert!(sole.depth.iter().all(|&d| d.abs() < 1e-6), "a flat sole is flat");
        }
    }

    #[test]
    fn bad_shapes_are_refused() {
        assert_eq!(Sole::from_outline(&[[0.0, 0.0]], 0.2), Err(SoleError::TooFewPoints(1)));
        assert_eq!(
            Sole::from_outline(&[[0.0, 0.0], [f64::NAN, 0.0], [1.0, 1.0]], 0.2),
            Err(SoleError::NotFinite)
        );
        assert_eq!(Sole::from_outline(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], 0.2), Err(SoleError::NoArea));
        assert!(matches!(
            Sole::from_outline(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], 1e9),
            Err(SoleError::Size { .. })
        ));
        assert_eq!(Sole::from_mesh(&[]), Err(SoleError::NoArea));
        // The whole sole, ten thousand times over.
        let [a, b, c] = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        assert_eq!(Sole::from_mesh(&[[a, b, c]; 10_000]), Err(SoleError::TooFine(10_000)));
    }

    #[test]
    fn the_left_foot_mirrors_the_right() {
        let right = Footwear::Shoe.sole(0.27, 0.1);
        let left = right.mirrored();
        assert_ne!(right, left, "a shoe is not symmetric");
        assert_eq!(left.mirrored(), right);
    }
}
