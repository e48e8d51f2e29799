//! A sole averaged over cells: what one cell of the ground sees of it.
//!
//! In: a sole's depth map and the cell size. Out: for any place in the sole's frame the share of a cell centred
//! there that the sole covers, and the mean height of the underside over that share. Averaging once, when the
//! world is made, turns a projection into one look-up per cell, and it is what makes area and print volume
//! converge as cells shrink.

use super::soil::drag;
use crate::params::Sole;

/// Which part of a sole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Both, as one rigid piece.
    Whole,
    /// Behind the ball.
    Heel,
    /// Before the ball.
    Forefoot,
}

/// The averaged maps of a sole.
#[derive(Clone, Debug)]
pub(crate) struct Stencil {
    /// u of the ball, m.
    pub(crate) ball: f64,
    /// Softness, m/Pa, and bending stiffness, N·m/rad, of the sole; its area over its length, m.
    pub(crate) softness: f64,
    pub(crate) bending: f64,
    pub(crate) breadth: f64,
    /// Its length, m.
    pub(crate) length: f64,
    /// What its faces meet in the ground, by the way that it goes.
    pub(crate) fronts: drag::Fronts,
    /// Half extents that can touch anything, m, including half a cell around.
    pub(crate) half: [f64; 2],
    nu: usize,
    nv: usize,
    step: f64,
    /// `half` and the inverse of `step`, in single precision.
    corner: [f32; 2],
    per_step: f32,
    /// Areas of whole, heel and forefoot, m².
    areas: [f64; 3],
    /// Between which u both parts are averaged over, m.
    parting: [f32; 2],
    /// (coverage, coverage · depth) for whole, heel, forefoot.
    maps: [Vec<[f32; 2]>; 3],
}

impl Stencil {
    /// Averages `sole` over squares of `cell` metres.
    pub(crate) fn new(sole: &Sole, cell: f64) -> Self {
        // Samples every quarter cell are plenty: the average over a cell changes no faster.
        let step = (0.25 * cell).max(Sole::TEXEL);
        let margin = 0.5 * cell + step;
        let half = [0.5 * sole.nu as f64 * Sole::TEXEL + margin, 0.5 * sole.nv as f64 * Sole::TEXEL + margin];
        let nu = (2.0 * half[0] / step).ceil() as usize + 2;
        let nv = (2.0 * half[1] / step).ceil() as usize + 2;
        let maps = [Part::Whole, Part::Heel, Part::Forefoot].map(|part| {
            let table = sums(sole, part);
            let mut map = Vec::with_capacity(nu * nv);
            for i in 0..nu {
                for j in 0..nv {
                    let u = i as f64 * step - half[0];
                    let v = j as f64 * step - half[1];
                    let [c, d] = box_mean(&table, sole, u, v, cell);
                    map.push([c as f32, d as f32]);
                }
            }
            map
        });
        let areas = [Part::Whole, Part::Heel, Part::Forefoot].map(|part| {
            let [covered, _] = box_mean(&sums(sole, part), sole, 0.0, 0.0, 2.0);
            4.0 * covered
        });
        let (corner, per_step) = (half.map(|h| h as f32), (1.0 / step) as f32);
        let parting = [-1.0, 1.0].map(|side| (sole.ball + side * (margin + step)) as f32);
        Self {
            ball: sole.ball,
            softness: 1e-9 * sole.softness,
            bending: sole.bending,
            breadth: sole.area() / sole.length,
            length: sole.length,
            fronts: drag::fronts(&faces(sole)),
            half,
            nu,
            nv,
            step,
            corner,
            per_step,
            areas,
            parting,
            maps,
        }
    }

    /// Area of a part, m².
    pub(crate) fn area(&self, part: Part) -> f64 {
        self.areas[part as usize]
    }

    /// Coverage and mean underside height around (u, v).
    #[inline(always)]
    pub(crate) fn sample(&self, part: Part, u: f64, v: f64) -> (f32, f32) {
        let (a, b) = (u + self.half[0], v + self.half[1]);
        self.at(part, (a / self.step) as f32, (b / self.step) as f32)
    }

    /// The same, of single precision: for the many particles of plants.
    #[inline(always)]
    pub(crate) fn sample_f32(&self, part: Part, u: f32, v: f32) -> (f32, f32) {
        if self.is_beyond(part, u) {
            return (0.0, 0.0);
        }
        self.at(part, (u + self.corner[0]) * self.per_step, (v + self.corner[1]) * self.per_step)
    }

    /// Between which u and v a part has anything, m.
    pub(crate) fn limits(&self, part: Part) -> [[f64; 2]; 2] {
        let [rear, front] = self.parting.map(f64::from);
        let along = match part {
            Part::Whole => [-self.half[0], self.half[0]],
            Part::Heel => [-self.half[0], front],
            Part::Forefoot => [rear, self.half[0]],
        };
        [along, [-self.half[1], self.half[1]]]
    }

    /// Whether a place is so far beyond the ball that it has nothing of a part: by more than a cell is averaged over.
    #[inline(always)]
    fn is_beyond(&self, part: Part, u: f32) -> bool {
        match part {
            Part::Whole => false,
            Part::Heel => u > self.parting[1],
            Part::Forefoot => u < self.parting[0],
        }
    }

    /// Coverage and height at a place between samples.
    #[inline(always)]
    fn at(&self, part: Part, a: f32, b: f32) -> (f32, f32) {
        if !(a >= 0.0 && b >= 0.0) {
            return (0.0, 0.0);
        }
        // 32 bits: quicker from and to a float.
        let (i, j) = (a as i32, b as i32);
        let (fa, fb) = (a - i as f32, b - j as f32);
        let (i, j) = (i as usize, j as usize);
        if i + 1 >= self.nu || j + 1 >= self.nv {
            return (0.0, 0.0);
        }
        let map = &self.maps[part as usize];
        let row = i * self.nv + j;
        let (p, q) = (&map[row..row + 2], &map[row + self.nv..row + self.nv + 2]);
        let mix = |k: usize| {
            let near = p[0][k] + (p[1][k] - p[0][k]) * fb;
            let far = q[0][k] + (q[1][k] - q[0][k]) * fb;
            near + (far - near) * fa
        };
        let coverage = mix(0).min(1.0);
        if coverage < 1e-3 { (0.0, 0.0) } else { (coverage, mix(1) / coverage) }
    }
}

/// The outline of a sole in pieces, each `[ahead, right]` square to it, outwards and as long as it, m: where coverage falls, by the
/// weights of Sobel.
fn faces(sole: &Sole) -> Vec<[f64; 2]> {
    let at = |i: i32, j: i32| {
        let inside = (0..sole.nu as i32).contains(&i) && (0..sole.nv as i32).contains(&j);
        if inside { f64::from(sole.coverage[i as usize * sole.nv + j as usize]) } else { 0.0 }
    };
    let falls = |i: i32, j: i32| {
        let row = |i: i32| at(i, j - 1) + 2.0 * at(i, j) + at(i, j + 1);
        let column = |j: i32| at(i - 1, j) + 2.0 * at(i, j) + at(i + 1, j);
        [row(i - 1) - row(i + 1), column(j - 1) - column(j + 1)].map(|d| 0.125 * d * Sole::TEXEL)
    };
    let places = (-1..=sole.nu as i32).flat_map(|i| (-1..=sole.nv as i32).map(move |j| (i, j)));
    places.map(|(i, j)| falls(i, j)).filter(|[u, v]| u.abs() + v.abs() > 0.0).collect()
}

/// Summed-area table of coverage and coverage · depth over one part.
fn sums(sole: &Sole, part: Part) -> Vec<[f64; 2]> {
    let (nu, nv) = (sole.nu, sole.nv);
    let mut table = vec![[0.0; 2]; (nu + 1) * (nv + 1)];
    for i in 0..nu {
        let u = (i as f64 + 0.5) * Sole::TEXEL - 0.5 * nu as f64 * Sole::TEXEL;
        let counts = match part {
            Part::Whole => true,
            Part::Heel => u < sole.ball,
            Part::Forefoot => u >= sole.ball,
        };
        for j in 0..nv {
            let c = if counts { f64::from(sole.coverage[i * nv + j]) } else { 0.0 };
            let d = c * f64::from(sole.depth[i * nv + j]);
            for (k, x) in [c, d].into_iter().enumerate() {
                table[(i + 1) * (nv + 1) + j + 1][k] =
                    x + table[i * (nv + 1) + j + 1][k] + table[(i + 1) * (nv + 1) + j][k]
                        - table[i * (nv + 1) + j][k];
            }
        }
    }
    table
}

/// Mean of the two maps over the square of `cell` metres around (u, v).
fn box_mean(table: &[[f64; 2]], sole: &Sole, u: f64, v: f64, cell: f64) -> [f64; 2] {
    let (nu, nv) = (sole.nu, sole.nv);
    let edge = |x: f64, n: usize| (x / Sole::TEXEL + 0.5 * n as f64).clamp(0.0, n as f64);
    let (u0, u1) = (edge(u - 0.5 * cell, nu), edge(u + 0.5 * cell, nu));
    let (v0, v1) = (edge(v - 0.5 * cell, nv), edge(v + 0.5 * cell, nv));
    let texels = (cell / Sole::TEXEL) * (cell / Sole::TEXEL);
    let at = |a: f64, b: f64, k: usize| {
        let (i, j) = ((a as usize).min(nu), (b as usize).min(nv));
        let (fa, fb) = (a - i as f64, b - j as f64);
        let get = |i: usize, j: usize| table[i.min(nu) * (nv + 1) + j.min(nv)][k];
        let near = get(i, j) + (get(i, j + 1) - get(i, j)) * fb;
        let far = get(i + 1, j) + (get(i + 1, j + 1) - get(i + 1, j)) * fb;
        near + (far - near) * fa
    };
    [0, 1].map(|k| (at(u1, v1, k) - at(u0, v1, k) - at(u1, v0, k) + at(u0, v0, k)) / texels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Footwear;

    #[test]
    fn summed_coverage_is_the_area_at_any_cell_size_and_turn() {
        let sole = Footwear::Shoe.sole(0.274, 0.103);
        for cell in [0.04, 0.02, 0.01, 0.005] {
            let stencil = Stencil::new(&sole, cell);
            for turn in [0.0, 0.3, 0.785, 1.2] {
                let (s, c) = (libm::sin(turn), libm::cos(turn));
                let n = (0.4 / cell) as i32;
                let mut area = 0.0;
                for i in -n..n {
                    for j in -n..n {
                        let (x, z) = ((f64::from(i) + 0.37) * cell, (f64::from(j) + 0.11) * cell);
                        let (coverage, _) = stencil.sample(Part::Whole, c * x + s * z, -s * x + c * z);
                        area += f64::from(coverage) * cell * cell;
                    }
                }
                let error = (area / sole.area() - 1.0).abs();
                assert!(error < 0.01, "cell {cell} turn {turn}: off by {error}");
            }
        }
    }

    #[test]
    fn fronts_are_as_wide_as_the_sole_is_across_the_way() {
        let sole = Footwear::Shoe.sole(0.274, 0.103);
        let ways = Stencil::new(&sole, 0.02).fronts;
        let [ahead, right, back, left] = [0, 2, 4, 6].map(|k| ways[k]);
        assert!((ahead.width / sole.width - 1.0).abs() < 0.1, "{} {}", ahead.width, sole.width);
        assert!((right.width / sole.length - 1.0).abs() < 0.1, "{} {}", right.width, sole.length);
        for (a, b) in [(ahead, back), (right, left)] {
            assert!((a.width / b.width - 1.0).abs() < 0.01, "{a:?} {b:?}");
        }
        // A flat upright plate of that width, and not more than it with the friction of both long sides.
        let plate = 0.5 * drag::push(glam::DVec3::X, glam::DVec3::X, drag::WALL).x.abs() * ahead.width;
        assert!((0.6..1.6).contains(&(ahead.resists / plate)), "{} {plate}", ahead.resists);
        assert!(right.resists > 1.5 * ahead.resists, "{right:?} {ahead:?}");
    }

    #[test]
    fn heel_and_forefoot_make_the_whole() {
        let stencil = Stencil::new(&Footwear::Boot.sole(0.28, 0.1), 0.02);
        for k in 0..60 {
            let u = f64::from(k) * 0.005 - 0.15;
            let whole = stencil.sample(Part::Whole, u, 0.01).0;
            let parts = stencil.sample(Part::Heel, u, 0.01).0 + stencil.sample(Part::Forefoot, u, 0.01).0;
            assert!((whole - parts).abs() < 2e-3, "at {u}: {whole} {parts}");
        }
    }
}
