//! A cage of polygons and the smooth surface in it.
//!
//! In: points with weights, and faces of three or more corners. Out: the same surface divided once by the rules of Catmull
//! and Clark (1978), which round it off and blend its weights, and triangles.

use super::Part;
use glam::Vec3;
use trample::body::JOINTS;

/// How much each joint moves a point; sums to 1.
pub(crate) type Pull = [f32; JOINTS];

/// A point that moves with one joint.
pub(crate) fn only(joint: usize) -> Pull {
    let mut pull = [0.0; JOINTS];
    pull[joint] = 1.0;
    pull
}

/// A point between two pulls: `share` of the second.
pub(crate) fn between(a: &Pull, b: &Pull, share: f32) -> Pull {
    std::array::from_fn(|j| a[j] + (b[j] - a[j]) * share)
}

/// A face: its corners anticlockwise seen from outside, and what it shows.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    pub(crate) corners: Vec<u32>,
    pub(crate) part: Part,
}

/// A closed surface of polygons.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cage {
    pub(crate) points: Vec<Vec3>,
    pub(crate) pulls: Vec<Pull>,
    pub(crate) faces: Vec<Face>,
}

impl Cage {
    /// Adds a point and returns its number.
    pub(crate) fn point(&mut self, place: Vec3, pull: Pull) -> u32 {
        self.points.push(place);
        self.pulls.push(pull);
        (self.points.len() - 1) as u32
    }

    /// Adds a face.
    pub(crate) fn face(&mut self, corners: &[u32], part: Part) {
        self.faces.push(Face { corners: corners.to_vec(), part });
    }

    /// Joins two loops of equally many points by four-cornered faces, except the one at `hole`, whose corners are returned.
    pub(crate) fn tube(&mut self, low: &[u32], high: &[u32], part: Part, hole: Option<usize>) -> [u32; 4] {
        let (n, mut left_out) = (low.len(), [0; 4]);
        for j in 0..n {
            let k = (j + 1) % n;
            let corners = [low[k], low[j], high[j], high[k]];
            if hole == Some(j) {
                left_out = corners;
            } else {
                self.face(&corners, part);
            }
        }
        left_out
    }

    /// Closes a tube at the end of its last loop.
    pub(crate) fn cap(&mut self, last: &[u32], part: Part) {
        let corners: Vec<u32> = last.iter().rev().copied().collect();
        self.face(&corners, part);
    }

    /// Closes a tube at the start of its first loop.
    pub(crate) fn floor(&mut self, first: &[u32], part: Part) {
        self.face(first, part);
    }

    /// Divides every face once.
    pub(crate) fn divided(&self) -> Self {
        let mut fine = Self::default();
        // Every edge with the faces on both its sides, in an order that does not depend on anything but the cage.
        let mut sides: Vec<(u32, u32, u32)> = Vec::new();
        for (f, face) in self.faces.iter().enumerate() {
            let n = face.corners.len();
            for i in 0..n {
                let (a, b) = (face.corners[i], face.corners[(i + 1) % n]);
                sides.push((a.min(b), a.max(b), f as u32));
            }
        }
        sides.sort_unstable();
        let centre: Vec<Mean> = self
            .faces
            .iter()
            .map(|face| {
                let mut mean = Mean::default();
                face.corners.iter().for_each(|&c| mean.add(self, c, 1.0));
                mean.normalised()
            })
            .collect();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut middles: Vec<Mean> = Vec::new();
        // Per point: sums of the faces and of the edges' middles around it, and how many.
        let mut round: Vec<(Mean, Mean, f32)> = vec![Default::default(); self.points.len()];
        let mut at = 0;
        while at < sides.len() {
            let (a, b, _) = sides[at];
            let mut middle = Mean::default();
            middle.add(self, a, 1.0);
            middle.add(self, b, 1.0);
            let plain = middle.normalised();
            while at < sides.len() && (sides[at].0, sides[at].1) == (a, b) {
                middle.join(&centre[sides[at].2 as usize], 1.0);
                at += 1;
            }
            for p in [a, b] {
                round[p as usize].1.join(&plain, 1.0);
                round[p as usize].2 += 1.0;
            }
            edges.push((a, b));
            middles.push(middle.normalised());
        }
        for (face, mean) in self.faces.iter().zip(&centre) {
            face.corners.iter().for_each(|&c| round[c as usize].0.join(mean, 1.0));
        }
        for (p, (faces, edges, n)) in round.iter().enumerate() {
            let mut moved = Mean::default();
            if *n < 3.0 {
                // A point that no face uses stays where it is.
                moved.add(self, p as u32, 1.0);
            } else {
                moved.join(&faces.normalised(), 1.0);
                moved.join(&edges.normalised(), 2.0);
                moved.add(self, p as u32, n - 3.0);
            }
            moved.normalised().put(&mut fine);
        }
        let first_edge = fine.points.len() as u32;
        middles.iter().for_each(|m| m.put(&mut fine));
        let first_face = fine.points.len() as u32;
        centre.iter().for_each(|m| m.put(&mut fine));
        let edge = |a: u32, b: u32| {
            let found = edges.binary_search(&(a.min(b), a.max(b)));
            first_edge + found.unwrap_or_else(|nearest| nearest) as u32
        };
        for (f, face) in self.faces.iter().enumerate() {
            let n = face.corners.len();
            for i in 0..n {
                let (before, here, after) =
                    (face.corners[(i + n - 1) % n], face.corners[i], face.corners[(i + 1) % n]);
                let corners = [here, edge(here, after), first_face + f as u32, edge(before, here)];
                fine.face(&corners, face.part);
            }
        }
        fine
    }

    /// Volume inside, m³; negative if it is inside out.
    pub(crate) fn volume(&self) -> f64 {
        let mut sum = 0.0;
        for face in &self.faces {
            let at = |i: usize| self.points[face.corners[i] as usize].as_dvec3();
            for i in 1..face.corners.len() - 1 {
                sum += at(0).dot(at(i).cross(at(i + 1)));
            }
        }
        sum / 6.0
    }

    /// Adds another surface beside this one; nothing is joined.
    pub(crate) fn append(&mut self, other: &Self) {
        let first = self.points.len() as u32;
        self.points.extend(&other.points);
        self.pulls.extend(&other.pulls);
        for face in &other.faces {
            self.faces.push(Face { corners: face.corners.iter().map(|c| c + first).collect(), ..*face });
        }
    }
}

/// A weighted mean of points and of their pulls.
#[derive(Clone, Copy, Debug)]
struct Mean {
    place: Vec3,
    pull: Pull,
    weight: f32,
}

impl Default for Mean {
    fn default() -> Self {
        Self { place: Vec3::ZERO, pull: [0.0; JOINTS], weight: 0.0 }
    }
}

impl Mean {
    fn add(&mut self, cage: &Cage, point: u32, weight: f32) {
        let (place, pull) = (cage.points[point as usize], cage.pulls[point as usize]);
        self.join(&Self { place, pull, weight: 1.0 }, weight);
    }

    /// Adds another mean, which must be whole.
    fn join(&mut self, other: &Self, weight: f32) {
        self.place += weight * other.place;
        for (sum, x) in self.pull.iter_mut().zip(&other.pull) {
            *sum += weight * x;
        }
        self.weight += weight;
    }

    /// The same, scaled to weight 1.
    fn normalised(&self) -> Self {
        let scale = 1.0 / self.weight;
        Self { place: self.place * scale, pull: self.pull.map(|x| x * scale), weight: 1.0 }
    }

    fn put(&self, cage: &mut Cage) {
        cage.point(self.place, self.pull);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of side 2 around the origin.
    fn cube() -> Cage {
        let mut cage = Cage::default();
        for i in 0..8u32 {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            cage.point(Vec3::new(sign(0), sign(1), sign(2)), only((i % 2) as usize));
        }
        for f in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            cage.face(&f, Part::Skin);
        }
        cage
    }

    #[test]
    fn a_cube_rounds_off_by_the_known_rules() {
        let cube = cube();
        assert!((cube.volume() - 8.0).abs() < 1e-9, "{}", cube.volume());
        let fine = cube.divided();
        assert_eq!((fine.points.len(), fine.faces.len()), (26, 24));
        // A corner of three faces: (Q + 2R) / 3 with Q = ⅓ and R = ⅔ of the corner, so 5/9 of it.
        assert!((fine.points[7] - Vec3::splat(5.0 / 9.0)).length() < 1e-6, "{}", fine.points[7]);
        assert!(fine.pulls.iter().all(|p| (p.iter().sum::<f32>() - 1.0).abs() < 1e-6));
        assert!((3.0..8.0).contains(&fine.volume()), "{}", fine.volume());
    }
}
