//! A character's meshes in one pose, for pictures.

use super::outfit::{Outfit, Piece};
use super::source::{Layout, Local, Source};
use super::space::Space;
use trample::glam::{Mat4, Vec3};

/// How bright a picture counts where only a colour is shown; our choice.
const PICTURE: f32 = 0.5;

/// Meshes in our world, all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedMesh {
    /// Places, m.
    pub points: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Corners.
    pub triangles: Vec<[u32; 3]>,
    /// Linear colour of each triangle; pictures are left out.
    pub colours: Vec<[f32; 3]>,
}

impl Outfit {
    /// Its meshes with the file's joints as `locals` have them.
    pub fn posed(&self, source: &Source, space: &Space, locals: &[Local]) -> PosedMesh {
        let mut layout = Layout::default();
        source.lay(locals, &mut layout);
        let joint = |j: usize| {
            Mat4::from_scale_rotation_translation(layout.scales[j], layout.turns[j], layout.places[j])
        };
        let ours = Mat4::from_scale_rotation_translation(Vec3::splat(space.unit), space.turn, Vec3::ZERO);
        let mut out = PosedMesh::default();
        for piece in &self.pieces {
            let moves: Vec<Mat4> = match piece.bind {
                Some(bind) => {
                    let bind = &self.binds[bind];
                    let pairs = bind.joints.iter().zip(&bind.inverse);
                    pairs.map(|(&j, inverse)| ours * joint(j) * Mat4::from_cols_array(inverse)).collect()
                }
                None => vec![ours * joint(piece.joint)],
            };
            out.add(piece, &moves);
            let paint = piece.paint.map(|p| &self.paints[p]);
            let bright = if paint.is_some_and(|p| p.picture.is_some()) { PICTURE } else { 1.0 };
            let own = paint.map_or([0.6; 3], |p| [0, 1, 2].map(|c| p.colour[c] * bright));
            out.colours.extend(piece.triangles.iter().map(|t| {
                let Some(at) = piece.colours.get(t[0] as usize) else { return own };
                [0, 1, 2].map(|c| own[c] * at[c])
            }));
        }
        out
    }
}

impl PosedMesh {
    /// Adds a piece moved by the matrices of its joints.
    fn add(&mut self, piece: &Piece, moves: &[Mat4]) {
        let first = self.points.len();
        for (i, &p) in piece.points.iter().enumerate() {
            let (joints, weights) = match piece.bind {
                Some(_) => (piece.joints[i], piece.weights[i]),
                None => ([0; 4], [1.0, 0.0, 0.0, 0.0]),
            };
            let (mut place, mut normal) = (Vec3::ZERO, Vec3::ZERO);
            for (&j, &w) in joints.iter().zip(&weights).filter(|(_, w)| **w > 0.0) {
                let Some(m) = moves.get(usize::from(j)) else { continue };
                place += w * m.transform_point3(Vec3::from(p));
                if let Some(&n) = piece.normals.get(i) {
                    normal += w * m.transform_vector3(Vec3::from(n)).normalize_or_zero();
                }
            }
            self.points.push(place.to_array());
            self.normals.push(normal.to_array());
        }
        let shift = |t: &[u32; 3]| t.map(|c| c + first as u32);
        self.triangles.extend(piece.triangles.iter().map(shift));
        if piece.normals.is_empty() {
            for t in &piece.triangles {
                let at = |k: usize| Vec3::from(self.points[first + t[k] as usize]);
                let across = (at(1) - at(0)).cross(at(2) - at(0));
                for &c in t {
                    let slot = &mut self.normals[first + c as usize];
                    *slot = (Vec3::from(*slot) + across).to_array();
                }
            }
        }
        for normal in &mut self.normals[first..] {
            *normal = Vec3::from(*normal).normalize_or(Vec3::Y).to_array();
        }
    }
}
