//! What is put on a body: eyes, brows, lips, ears and fingers, and the skirts of a coat; closed surfaces of their own that sink into
//! the body's.
//!
//! In: the body's surface and what it was built from. Out: more of it. Sizes are those of the reference body, m, and our choice by eye.

use super::Part;
use super::body::{Build, mirror_pull};
use super::cage::{Cage, Pull, between, only};
use crate::person::Hair;
use glam::Vec3;
use trample::body::{HIP, Joint, SHOULDER};

/// Corners around a finger or an eyeball.
const AROUND: usize = 8;
/// Corners around the skirts of a coat.
const SKIRT: usize = 24;

impl Cage {
    /// The same on the other side of the body.
    pub(super) fn mirrored(&self) -> Self {
        let mut other = self.clone();
        other.points.iter_mut().for_each(|p| p.z = -p.z);
        other.pulls.iter_mut().for_each(|pull| *pull = mirror_pull(pull));
        // A mirror image is inside out until its faces are turned.
        other.faces.iter_mut().for_each(|f| f.corners.reverse());
        other
    }

    /// Rings joined into one closed surface that shows its outside.
    fn closed<const N: usize>(rings: &[[Vec3; N]], pull: impl Fn(Vec3) -> Pull, part: Part) -> Self {
        let mut cage = Self::default();
        let loops: Vec<[u32; N]> = rings.iter().map(|ring| ring.map(|p| cage.point(p, pull(p)))).collect();
        for pair in loops.windows(2) {
            cage.tube(&pair[0], &pair[1], part, None);
        }
        cage.floor(&loops[0], part);
        cage.cap(&loops[loops.len() - 1], part);
        if cage.volume() < 0.0 {
            cage.faces.iter_mut().for_each(|f| f.corners.reverse());
        }
        cage
    }

    /// An ellipsoid with its half axes along x, y and z.
    fn ellipsoid(centre: Vec3, half: Vec3, pull: &Pull, part: Part) -> Self {
        let rings: Vec<[Vec3; AROUND]> = (0..6)
            .map(|i| {
                let down = std::f32::consts::PI * (i as f32 + 0.35) / 5.7;
                let (wide, up) = (libm::sinf(down), libm::cosf(down));
                around::<AROUND>().map(|(s, c)| centre + half * Vec3::new(wide * c, up, wide * s))
            })
            .collect();
        Self::closed(&rings, |_| *pull, part)
    }

    /// Where a ray along `along` meets the surface farthest out, past `place`; `place` itself where it meets nothing. Arms, which stand
    /// out in the bind pose, are left out.
    fn outermost(&self, place: Vec3, along: Vec3) -> Vec3 {
        let arm = |c: &u32| SHOULDER.iter().any(|&s| (s..s + 3).any(|j| self.pulls[*c as usize][j] > 0.05));
        let mut best = 0.0f32;
        for face in self.faces.iter().filter(|face| !face.corners.iter().any(arm)) {
            let corner = |i: usize| self.points[face.corners[i] as usize] - place;
            for i in 1..face.corners.len() - 1 {
                let (a, b, c) = (corner(0), corner(i), corner(i + 1));
                let (ab, ac) = (b - a, c - a);
                let across = along.cross(ac);
                let scale = ab.dot(across);
                if scale.abs() < 1e-12 {
                    continue;
                }
                // Möller & Trumbore 1997.
                let u = -a.dot(across) / scale;
                let side = (-a).cross(ab);
                let v = along.dot(side) / scale;
                if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
                    best = best.max(ac.dot(side) / scale);
                }
            }
        }
        place + best * along
    }
}

fn around<const N: usize>() -> [(f32, f32); N] {
    std::array::from_fn(|k| {
        let angle = std::f32::consts::TAU * k as f32 / N as f32;
        (libm::sinf(angle), libm::cosf(angle))
    })
}

impl Build<'_> {
    /// Adds the face and the fingers to the surface of the body.
    pub(super) fn detail(&self, cage: &mut Cage) {
        let mut more: Vec<Cage> = Vec::new();
        for right in self.face(cage).into_iter().chain(self.fingers()) {
            more.push(right.mirrored());
            more.push(right);
        }
        more.push(self.lips(cage));
        if self.person.coat {
            more.push(self.skirts(cage));
        }
        more.iter().for_each(|part| cage.append(part));
    }

    /// A place on the front of the face: `up` as a share of neck and head, `aside` m to the right.
    fn on_face(&self, cage: &Cage, up: f32, aside: f32) -> Vec3 {
        let within = Vec3::new(0.0, (self.body.trunk + f64::from(up) * self.body.head) as f32, aside);
        cage.outermost(within, Vec3::X)
    }

    /// What the right half of the face has twice.
    fn face(&self, cage: &Cage) -> Vec<Cage> {
        let (s, head) = (self.girth.head, only(Joint::Head as usize));
        let aside = 0.032 * s;
        let mut parts = Vec::new();
        if !self.person.glasses {
            let eye = self.on_face(cage, 0.625, aside);
            let ball = Vec3::new(0.010, 0.0075, 0.0125) * s;
            let centre = eye - Vec3::X * 0.0075 * s;
            parts.push(Cage::ellipsoid(centre, ball, &head, Part::Eye));
            let iris = Vec3::new(0.0020, 0.0056, 0.0056) * s;
            parts.push(Cage::ellipsoid(centre + Vec3::X * 0.0092 * s, iris, &head, Part::Iris));
        }
        let brow = self.on_face(cage, 0.695, aside);
        let half = Vec3::new(0.004, 0.0030, 0.0145) * s;
        parts.push(Cage::ellipsoid(brow - Vec3::X * 0.001 * s, half, &head, Part::Iris));
        if !matches!(self.person.hair, Hair::Long | Hair::Hat) {
            let within = Vec3::new(-0.004 * s, (self.body.trunk + 0.575 * self.body.head) as f32, 0.0);
            let ear = cage.outermost(within, Vec3::Z);
            parts.push(Cage::ellipsoid(ear, Vec3::new(0.016, 0.030, 0.007) * s, &head, Part::Skin));
        }
        parts
    }

    /// Both lips as one.
    fn lips(&self, cage: &Cage) -> Cage {
        let (s, head) = (self.girth.head, only(Joint::Head as usize));
        let mouth = self.on_face(cage, 0.405, 0.0);
        Cage::ellipsoid(mouth - Vec3::X * 0.003 * s, Vec3::new(0.006, 0.0065, 0.022) * s, &head, Part::Lip)
    }

    /// The skirts of a coat, from the waist over the thighs: outside down, inside up again. They swing with the legs.
    fn skirts(&self, cage: &Cage) -> Cage {
        let (trunk, thigh) = (self.body.trunk as f32, self.body.thigh as f32);
        let (top, hem) = (0.34 * trunk, -0.46 * thigh);
        let heights: [f32; 7] = std::array::from_fn(|i| top + (hem - top) * i as f32 / 6.0);
        // How far out the body is all around, at most what it was higher up: cloth hangs.
        let mut out = [0.0f32; SKIRT];
        let outside: Vec<[Vec3; SKIRT]> = heights
            .iter()
            .enumerate()
            .map(|(i, &y)| {
                let directions = around::<SKIRT>();
                let met = directions.map(|(s, c)| {
                    let axis = Vec3::new(-0.004, y, 0.0);
                    (cage.outermost(axis, Vec3::new(c, 0.0, s)) - axis).length()
                });
                std::array::from_fn(|k| {
                    // Over gaps between what it lies on it is stretched: the mean of neighbours, where they stand out more.
                    let beside = 0.5 * (met[(k + 2) % SKIRT] + met[(k + SKIRT - 2) % SKIRT]);
                    let wide = met[k].max(beside).min(0.32) + if i == 0 { 0.002 } else { 0.012 };
                    out[k] = wide.max(out[k] + 0.004).min(0.36);
                    let (s, c) = directions[k];
                    Vec3::new(-0.004 + out[k] * c, y, out[k] * s)
                })
            })
            .collect();
        let inwards =
            |ring: &[Vec3; SKIRT], share: f32| ring.map(|p| Vec3::new(share * p.x, p.y, share * p.z));
        let mut rings = outside;
        let inside: Vec<[Vec3; SKIRT]> = rings.iter().rev().map(|ring| inwards(ring, 0.95)).collect();
        rings.extend(inside);
        // Both ends lie in the body.
        rings.insert(0, inwards(&rings[0], 0.85));
        let last = rings.len() - 1;
        rings[last] = inwards(&rings[last], 0.8);
        let pull = |p: Vec3| {
            let right = ((p.z / 0.07 + 1.0) / 2.0).clamp(0.0, 1.0);
            let legs = between(&only(HIP[0]), &only(HIP[1]), right);
            // Half a leg's swing at the hem: the rest is air.
            between(&only(0), &legs, 0.62 * ((0.05 * trunk - p.y) / (0.05 * trunk - hem)).clamp(0.0, 1.0))
        };
        Cage::closed(&rings, pull, Part::Shirt)
    }

    /// The four fingers of the right hand, at rest: they curl towards the thigh.
    fn fingers(&self) -> Vec<Cage> {
        let (wrist, s) = (SHOULDER[1] + 2, self.girth.hand);
        let (place, turn) = (self.bind.positions[wrist], self.bind.rotations[wrist]);
        let part = if self.person.gloves { Part::Shoe } else { Part::Skin };
        let thick = if self.person.gloves { 1.2 } else { 1.0 };
        // How far in front of the middle of the hand, how long as a share of the hand, and half how thick, from index to little finger.
        [(0.034, 0.41, 0.0098), (0.0135, 0.45, 0.0102), (-0.007, 0.42, 0.0098), (-0.0265, 0.34, 0.0086)]
            .into_iter()
            .map(|(front, long, half)| {
                let rings: Vec<[Vec3; AROUND]> =
                    [(0.0, 0.9), (0.14, 1.0), (0.42, 1.0), (0.70, 0.92), (0.90, 0.80), (1.0, 0.42)]
                        .into_iter()
                        .map(|(t, wide)| {
                            let down = (0.50 + long * t) * self.body.hand as f32;
                            let middle = Vec3::new(front * s, -down, (-0.003 - 0.026 * t * t) * s);
                            let r = wide * half * thick * s;
                            around::<AROUND>()
                                .map(|(z, x)| place + turn * (middle + r * Vec3::new(x, 0.0, z)))
                        })
                        .collect();
                Cage::closed(&rings, |_| only(wrist), part)
            })
            .collect()
    }
}
