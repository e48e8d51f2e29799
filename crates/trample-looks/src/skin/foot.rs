//! The cage of a foot: a sole whose underside is the one that presses the ground, and an upper on it.
//!
//! In: a sole's depth map and the foot's joints. Out: closed surfaces in the frame of the sole: x forward from its middle, y up from
//! its lowest plane, z to the right. The sole is rigid behind the ball and rigid before it, as in the contact stage.

use super::Part;
use super::body::smooth;
use super::cage::{Cage, Pull, between, only};
use glam::Vec3;
use trample::body::{FootShape, HIP};
use trample::params::{Body, Sole};

/// Corners across the underside of a smooth sole, less one.
const ACROSS: usize = 8;
/// Rows of texels between two cross-sections of a smooth sole.
const ROWS: usize = 4;
/// Thickness of a shoe's sole under heel and toes at a foot of 27.5 cm, m; our choice.
const THICK: [f32; 2] = [0.026, 0.019];
/// Thickness of the pads of a bare foot, m; our choice.
const PAD: f32 = 0.010;
/// How far what does not touch is drawn above what does, m; our choice.
const ARCH: f32 = 0.006;

/// A right foot.
pub(crate) struct FootCage {
    /// Its surfaces, in the frame of the sole.
    pub(crate) cage: Cage,
    /// Points of the underside that lie on the depth map.
    pub(crate) underside: Vec<u32>,
}

/// Builds a right foot on a right sole.
pub(crate) fn build(body: &Body, foot: &FootShape, sole: &Sole, shod: bool) -> FootCage {
    let mut made = FootCage { cage: Cage::default(), underside: Vec::new() };
    let build = Foot { body, foot, sole, shod, fine: is_rough(sole) };
    for (first, last) in runs(sole) {
        build.slab(&mut made, first, last);
    }
    build.upper(&mut made.cage);
    made
}

/// Whether a sole has lugs: neighbouring texels that differ by more than 1.5 mm, for more than a hundredth of it.
fn is_rough(sole: &Sole) -> bool {
    let (mut steps, mut all) = (0, 0);
    for i in 1..sole.nu {
        for j in 0..sole.nv {
            let (a, b) = (i * sole.nv + j, (i - 1) * sole.nv + j);
            if sole.coverage[a] > 0.0 && sole.coverage[b] > 0.0 {
                all += 1;
                steps += usize::from((sole.depth[a] - sole.depth[b]).abs() > 0.0015);
            }
        }
    }
    steps * 100 > all
}

/// The rows of texels that are covered, as runs from the first to the last.
fn runs(sole: &Sole) -> Vec<(usize, usize)> {
    let covered = |i: usize| span(sole, i).is_some();
    let mut runs = Vec::new();
    let mut from = None;
    for i in 0..=sole.nu {
        match (from, i < sole.nu && covered(i)) {
            (None, true) => from = Some(i),
            (Some(first), false) => {
                runs.push((first, i - 1));
                from = None;
            }
            _ => {}
        }
    }
    runs
}

/// The first and the last covered texel of a row.
fn span(sole: &Sole, i: usize) -> Option<(usize, usize)> {
    let row = &sole.coverage[i * sole.nv..(i + 1) * sole.nv];
    Some((row.iter().position(|&c| c > 0.0)?, row.iter().rposition(|&c| c > 0.0)?))
}

struct Foot<'a> {
    body: &'a Body,
    foot: &'a FootShape,
    sole: &'a Sole,
    shod: bool,
    fine: bool,
}

impl Foot<'_> {
    /// Start of a row of texels, m before the middle.
    fn start(&self, i: usize) -> f32 {
        (i as f64 * Sole::TEXEL - 0.5 * self.sole.nu as f64 * Sole::TEXEL) as f32
    }

    /// What moves a point of the sole: the foot behind the ball, the toes before it. On the hinge both say the same.
    fn rigid(u: f32, ball: f32) -> Pull {
        only(if u <= ball { HIP[1] + 2 } else { HIP[1] + 3 })
    }

    /// Cross-sections of a run of rows: row and place along the foot, m.
    fn sections(&self, first: usize, last: usize) -> Vec<(usize, f32)> {
        let texel = Sole::TEXEL as f32;
        let ball = self.foot.ball as f32;
        let mut cuts = vec![(first, self.start(first) + 0.1 * texel)];
        for i in first..=last {
            let from_end = (i - first).min(last - i);
            // Ends are round: cuts lie closer together there.
            let close = from_end < 10 && matches!(from_end, 1 | 2 | 4 | 7);
            if self.fine || close || (from_end >= 10 && (i - first).is_multiple_of(ROWS)) {
                cuts.push((i, self.start(i) + 0.5 * texel));
            }
        }
        cuts.push((last, self.start(last) + 0.9 * texel));
        let row = ((f64::from(ball) + 0.5 * self.sole.nu as f64 * Sole::TEXEL) / Sole::TEXEL).floor();
        if row > first as f64 && row < last as f64 {
            // A cut exactly at the hinge in place of those that would nearly touch it.
            cuts.retain(|c| (c.1 - ball).abs() > 0.6 * texel);
            cuts.push((row as usize, ball));
        }
        cuts.sort_by(|a, b| a.1.total_cmp(&b.1));
        cuts.dedup_by(|a, b| (a.1 - b.1).abs() < 0.1 * texel);
        cuts
    }

    /// Height of the upper side of the sole, m.
    fn top(&self, u: f32) -> f32 {
        let scale = (self.body.foot_length / 0.275) as f32;
        if !self.shod {
            return PAD * scale;
        }
        let (heel, ball) = (self.foot.heel.max(self.foot.ball - 0.8 * self.body.foot_length), self.foot.ball);
        let share = smooth(heel as f32 + 0.05, ball as f32, u);
        (THICK[0] + (THICK[1] - THICK[0]) * share) * scale
    }

    /// A run of rows as a closed slab: the depth map below, flat above.
    fn slab(&self, made: &mut FootCage, first: usize, last: usize) {
        let (sole, nv) = (self.sole, self.sole.nv);
        let across = if self.fine { nv.max(2) } else { ACROSS };
        let ball = self.foot.ball as f32;
        let texel = Sole::TEXEL as f32;
        let part = if self.shod { Part::Sole } else { Part::Skin };
        let mut before: Option<Vec<u32>> = None;
        for (i, u) in self.sections(first, last) {
            let Some((left, right)) = span(sole, i) else { continue };
            let edge = |j: usize| (j as f64 * Sole::TEXEL - 0.5 * nv as f64 * Sole::TEXEL) as f32;
            let row = &sole.coverage[i * nv..(i + 1) * nv];
            // A texel that is half covered ends half way.
            let mut v0 = edge(left) + (1.0 - row[left]).clamp(0.05, 0.9) * texel;
            let mut v1 = edge(right) + row[right].clamp(0.1, 0.95) * texel;
            if v1 - v0 < 0.1 * texel {
                (v0, v1) = (edge(left) + 0.2 * texel, edge(right) + 0.8 * texel);
            }
            let mut deepest: f32 = 0.0;
            let mut ring = Vec::with_capacity(across + 3);
            for m in 0..=across {
                let v = v0 + (v1 - v0) * m as f32 / across as f32;
                let texels = (v - edge(0)) / texel;
                let j = (texels as usize).clamp(left, right);
                // A point between two texels belongs clearly to one of them.
                let v = edge(0) + texel * (j as f32 + (texels - j as f32).clamp(0.05, 0.95));
                let covered = row[j] > 0.0;
                let y = if covered { sole.depth[i * nv + j] } else { self.bridged(i, j) };
                deepest = deepest.max(y);
                let point = made.cage.point(Vec3::new(u, y, v), Self::rigid(u, ball));
                if covered {
                    made.underside.push(point);
                }
                ring.push(point);
            }
            let top = self.top(u).max(deepest + 0.006);
            let foot = only(HIP[1] + 2);
            let toes = only(HIP[1] + 3);
            let soft = between(&foot, &toes, smooth(ball - 0.008, ball + 0.008, u));
            // The upper edge lies a little within the lower one.
            let inset = 0.04 * (v1 - v0);
            ring.push(made.cage.point(Vec3::new(u, top, v1 - inset), soft));
            ring.push(made.cage.point(Vec3::new(u, top, v0 + inset), soft));
            match &before {
                None => made.cage.floor(&ring, part),
                Some(last) => {
                    made.cage.tube(last, &ring, part, None);
                }
            }
            before = Some(ring);
        }
        if let Some(ring) = before {
            made.cage.cap(&ring, part);
        }
    }

    /// The underside where the sole has none, between texels that have: an arch over the higher of its neighbours.
    fn bridged(&self, i: usize, j: usize) -> f32 {
        let row = |k: usize| {
            (self.sole.coverage[i * self.sole.nv + k] > 0.0).then(|| self.sole.depth[i * self.sole.nv + k])
        };
        let left = (0..j).rev().find_map(row).unwrap_or(0.0);
        let right = (j + 1..self.sole.nv).find_map(row).unwrap_or(0.0);
        left.max(right) + ARCH
    }

    /// The upper of a shoe, or a bare foot above its pads.
    fn upper(&self, cage: &mut Cage) {
        // How far along, half widths outside and inside as shares of half the foot's breadth, height as a share of the
        // collar's, how round the top is. Our drawing of a low shoe.
        #[rustfmt::skip]
        const SHAPE: [[f32; 5]; 15] = [
            [0.000, 0.20, 0.20, 0.62, 0.6], [0.020, 0.46, 0.46, 0.84, 0.7], [0.065, 0.60, 0.60, 0.97, 0.8], [0.130, 0.65, 0.65, 1.00, 0.8],
            [0.220, 0.67, 0.65, 1.00, 0.8], [0.310, 0.68, 0.62, 0.99, 0.8], [0.390, 0.71, 0.61, 0.92, 0.7], [0.480, 0.78, 0.64, 0.80, 0.6],
            [0.580, 0.87, 0.74, 0.69, 0.5], [0.680, 0.95, 0.88, 0.60, 0.5], [0.740, 0.96, 0.93, 0.55, 0.5], [0.820, 0.91, 0.93, 0.50, 0.5],
            [0.900, 0.73, 0.85, 0.45, 0.5], [0.960, 0.47, 0.65, 0.38, 0.5], [0.995, 0.20, 0.32, 0.28, 0.4],
        ];
        const OVER: usize = 9;
        let length = (if self.shod { 1.045 } else { 0.99 } * self.body.foot_length) as f32;
        let half = (if self.shod { 0.52 } else { 0.49 } * self.body.foot_width) as f32;
        let tall = 1.36 * self.foot.ankle_height as f32;
        let ball = self.foot.ball as f32;
        let heel = ball - 0.74 * length;
        let part = if self.shod { Part::Shoe } else { Part::Skin };
        let (foot, toes) = (only(HIP[1] + 2), only(HIP[1] + 3));
        let mut before: Option<Vec<u32>> = None;
        for [along, outer, inner, high, round] in SHAPE {
            let u = heel + along * length;
            let pull = between(&foot, &toes, smooth(ball - 0.07 * length, ball + 0.07 * length, u));
            let low = self.top(u) - 0.004;
            let top = (high * tall).max(low + 0.012);
            let (v0, v1) = (-inner * half, outer * half);
            let mut ring = vec![
                cage.point(Vec3::new(u, low, v0), pull),
                cage.point(Vec3::new(u, low, 0.5 * (v0 + v1)), pull),
                cage.point(Vec3::new(u, low, v1), pull),
            ];
            for m in 0..OVER {
                // Over the top from the outer to the inner side; the exponent makes a shoulder where it is square.
                let angle = std::f32::consts::PI * (m as f32 + 0.5) / OVER as f32;
                let (s, c) = (libm::sinf(angle), libm::cosf(angle));
                let across = c.signum() * libm::powf(c.abs(), 1.0 - 0.35 * round);
                let up = libm::powf(s, 1.0 - 0.4 * round);
                let v = 0.5 * (v0 + v1) + 0.5 * (v1 - v0) * across;
                ring.push(cage.point(Vec3::new(u, low + (top - low) * up, v), pull));
            }
            match &before {
                None => cage.floor(&ring, part),
                Some(last) => {
                    cage.tube(last, &ring, part, None);
                }
            }
            before = Some(ring);
        }
        if let Some(ring) = before {
            cage.cap(&ring, part);
        }
    }
}
