//! A body to look at: a closed mesh over the skeleton, and how it follows the joints.
//!
//! In: a body, its skeleton and the sole it presses the ground with. Out: points, normals, weights of at most four joints,
//! and triangles grouped by what they show. The mesh stands in a bind pose, arms away from the trunk; [`Skin::pose`] moves
//! it. The underside of the feet is the contact stage's sole, texel row by texel row, so what is drawn is what presses.

mod body;
mod cage;
mod detail;
mod foot;
mod girth;
#[cfg(test)]
mod tests;

pub use girth::DENSITY;

use crate::person::Person;
use body::Build;
use cage::{Cage, Pull};
use girth::Girth;
use glam::{Mat3, Mat4, Quat, Vec3};
use trample::World;
use trample::body::{HIP, JOINTS, Placed, Pose, SHOULDER, Skeleton};
use trample::params::{Body, Footwear, Sole};
use trample::scene::SoleShape;

/// How far the arms are held from the trunk in the bind pose, rad; our choice, clear of the trunk for every build.
const ARMS_OUT: f32 = 0.6;

/// What a triangle shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Face and hands, bare feet.
    Skin,
    /// Hair.
    Hair,
    /// Shirt with long sleeves.
    Shirt,
    /// Long trousers.
    Trousers,
    /// Uppers of the shoes, and socks.
    Shoe,
    /// Soles of the shoes.
    Sole,
    /// White of the eyes.
    Eye,
    /// Irises and brows.
    Iris,
    /// Lips.
    Lip,
}

impl Part {
    /// All of them, in the order of the triangles.
    pub const ALL: [Self; 9] = [
        Self::Skin,
        Self::Hair,
        Self::Shirt,
        Self::Trousers,
        Self::Shoe,
        Self::Sole,
        Self::Eye,
        Self::Iris,
        Self::Lip,
    ];

    /// Name in files, and the colour of somebody plain as sRGB bytes; our choice.
    pub const fn row(self) -> (&'static str, [u8; 3]) {
        match self {
            Self::Skin => ("skin", [205, 156, 128]),
            Self::Hair => ("hair", [74, 54, 42]),
            Self::Shirt => ("shirt", [64, 112, 138]),
            Self::Trousers => ("trousers", [86, 84, 78]),
            Self::Shoe => ("shoe", [112, 74, 50]),
            Self::Sole => ("sole", [44, 42, 42]),
            Self::Eye => ("eye", [226, 222, 214]),
            Self::Iris => ("iris", [52, 38, 30]),
            Self::Lip => ("lip", [168, 104, 92]),
        }
    }
}

/// Triangles that show the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// What they show.
    pub part: Part,
    /// In which colour, sRGB.
    pub colour: [u8; 3],
    /// First triangle.
    pub first: usize,
    /// How many.
    pub count: usize,
}

/// A skinned mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Points in the bind pose, pelvis at the origin, m.
    pub points: Vec<Vec3>,
    /// Outward unit normals in the bind pose.
    pub normals: Vec<Vec3>,
    /// The joints that move each point.
    pub joints: Vec<[u8; 4]>,
    /// How much each does; sums to 1, unused ones are 0.
    pub weights: Vec<[f32; 4]>,
    /// Corners anticlockwise seen from outside, by group.
    pub triangles: Vec<[u32; 3]>,
    /// Which triangles show what.
    pub groups: Vec<Group>,
    /// The skeleton in the bind pose.
    pub bind: Placed,
    /// Points of the left and the right foot's underside that lie on the sole's depth map.
    pub underside: [Vec<u32>; 2],
}

impl Skin {
    /// The mesh of a body on right and left soles as `sole`, which is a right one; bare feet where it is not `shod`. Somebody plain.
    pub fn new(body: &Body, skeleton: &Skeleton, sole: &Sole, shod: bool) -> Self {
        Self::dressed(body, skeleton, sole, shod, &Person::default())
    }

    /// The same, of somebody.
    pub fn dressed(body: &Body, skeleton: &Skeleton, sole: &Sole, shod: bool, person: &Person) -> Self {
        let mut pose = Pose::default();
        pose.rotations[SHOULDER[0]] = Quat::from_rotation_x(ARMS_OUT);
        pose.rotations[SHOULDER[1]] = Quat::from_rotation_x(-ARMS_OUT);
        let bind = skeleton.place(&pose);
        let foot = foot::build(body, &skeleton.foot, sole, shod);
        let target = body.mass / DENSITY - 2.0 * foot.cage.volume();
        let mut build = Build { body, bind: &bind, girth: Girth::new(body), shod, person };
        let mut cage = build.cage().divided();
        // Volume goes as the square of the girth of what is soft; three corrections meet it.
        for _ in 0..3 {
            let factor = (target.max(1e-3) / cage.volume().max(1e-3)).sqrt() as f32;
            build.girth = build.girth.times(factor.clamp(0.6, 1.6));
            cage = build.cage().divided();
        }
        build.detail(&mut cage);
        let mut underside = [Vec::new(), Vec::new()];
        for side in 0..2 {
            let first = cage.points.len() as u32;
            cage.append(&on_ankle(&foot.cage, skeleton, &bind, side));
            underside[side] = foot.underside.iter().map(|p| p + first).collect();
        }
        Self::from_cage(&cage, bind, underside, person)
    }

    /// The mesh of a walker of a world; none for a puppet.
    pub fn of(world: &World, id: usize) -> Option<Self> {
        let (_, skeleton) = world.walker(id)?;
        let spec = world.scene().puppets.get(id)?;
        let shod = spec.sole != SoleShape::Footwear(Footwear::Bare);
        let person = Person::of(world, id)?;
        Some(Self::dressed(&spec.body, skeleton, &spec.sole.on(&spec.body), shod, &person))
    }

    fn from_cage(cage: &Cage, bind: Placed, mut underside: [Vec<u32>; 2], person: &Person) -> Self {
        // Points that only held the place of a hole are left out.
        let mut used = vec![u32::MAX; cage.points.len()];
        cage.faces.iter().flat_map(|f| &f.corners).for_each(|&c| used[c as usize] = 0);
        for (count, number) in used.iter_mut().filter(|n| **n == 0).enumerate() {
            *number = count as u32;
        }
        let kept = |i: usize| used[i] != u32::MAX;
        let points: Vec<Vec3> = (0..used.len()).filter(|&i| kept(i)).map(|i| cage.points[i]).collect();
        let (joints, weights) =
            (0..used.len()).filter(|&i| kept(i)).map(|i| strongest(&cage.pulls[i])).unzip();
        underside.iter_mut().flatten().for_each(|p| *p = used[*p as usize]);
        let (mut triangles, mut groups) = (Vec::new(), Vec::new());
        for part in Part::ALL {
            let first = triangles.len();
            for face in cage.faces.iter().filter(|f| f.part == part) {
                let corner = |i: usize| used[face.corners[i] as usize];
                triangles.extend((1..face.corners.len() - 1).map(|i| [corner(0), corner(i), corner(i + 1)]));
            }
            if triangles.len() > first {
                let (colour, count) = (person.colour(part), triangles.len() - first);
                groups.push(Group { part, colour, first, count });
            }
        }
        let mut normals = Vec::new();
        shade(&points, &triangles, &mut normals);
        Self { points, normals, joints, weights, triangles, groups, bind, underside }
    }

    /// From the mesh's frame to each joint's in the bind pose.
    pub fn inverse_bind(&self) -> [Mat4; JOINTS] {
        std::array::from_fn(|j| {
            let back = self.bind.rotations[j].conjugate();
            Mat4::from_rotation_translation(back, -(back * self.bind.positions[j]))
        })
    }

    /// Moves the mesh with the skeleton: points in m and unit normals, in place of what the vectors held.
    pub fn pose(&self, placed: &Placed, points: &mut Vec<Vec3>, normals: &mut Vec<Vec3>) {
        let moves: [(Mat3, Vec3); JOINTS] = std::array::from_fn(|j| {
            let turn = placed.rotations[j] * self.bind.rotations[j].conjugate();
            (Mat3::from_quat(turn), placed.positions[j] - turn * self.bind.positions[j])
        });
        points.clear();
        normals.clear();
        for (i, &p) in self.points.iter().enumerate() {
            let (mut place, mut normal) = (Vec3::ZERO, Vec3::ZERO);
            for (&j, &w) in self.joints[i].iter().zip(&self.weights[i]).filter(|(_, w)| **w > 0.0) {
                let (turn, shift) = &moves[j as usize];
                place += w * (*turn * p + *shift);
                normal += w * (*turn * self.normals[i]);
            }
            points.push(place);
            normals.push(normal.normalize_or(Vec3::Y));
        }
    }

    /// Volume inside the mesh at given points, m³. Where two of its closed surfaces overlap, as an ankle in its shoe, that counts
    /// twice.
    pub fn volume(&self, points: &[Vec3]) -> f64 {
        let six: f64 = self
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| points[i as usize].as_dvec3());
                a.dot(b.cross(c))
            })
            .sum();
        six / 6.0
    }
}

/// Normals of points as the mean of their triangles, larger ones counting more.
fn shade(points: &[Vec3], triangles: &[[u32; 3]], normals: &mut Vec<Vec3>) {
    normals.clear();
    normals.resize(points.len(), Vec3::ZERO);
    for t in triangles {
        let [a, b, c] = t.map(|i| points[i as usize]);
        let across = (b - a).cross(c - a);
        t.iter().for_each(|&i| normals[i as usize] += across);
    }
    normals.iter_mut().for_each(|n| *n = n.normalize_or(Vec3::Y));
}

/// A right foot in the frame of its sole, put on the ankle of a side.
fn on_ankle(foot: &Cage, skeleton: &Skeleton, bind: &Placed, side: usize) -> Cage {
    let ankle = HIP[side] + 2;
    let joint = Vec3::new(skeleton.foot.ankle as f32, skeleton.foot.ankle_height as f32, 0.0);
    let mut cage = if side == 0 { foot.mirrored() } else { foot.clone() };
    for p in &mut cage.points {
        *p = bind.positions[ankle] + bind.rotations[ankle] * (*p - joint);
    }
    cage
}

/// The four joints that pull most, and their shares.
fn strongest(pull: &Pull) -> ([u8; 4], [f32; 4]) {
    let mut order: [usize; JOINTS] = std::array::from_fn(|j| j);
    order.sort_by(|&a, &b| pull[b].total_cmp(&pull[a]));
    let (mut joints, mut weights) = ([0u8; 4], [0.0f32; 4]);
    for (slot, &j) in order.iter().take(4).enumerate() {
        // Less than a hundredth is not worth a joint.
        if pull[j] > 0.01 {
            (joints[slot], weights[slot]) = (j as u8, pull[j]);
        }
    }
    let sum: f32 = weights.iter().sum();
    (joints, weights.map(|w| w / sum))
}
