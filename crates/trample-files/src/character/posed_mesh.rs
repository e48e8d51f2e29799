//! A character's meshes in one pose, for pictures.

use super::joint_motion::JointMotion;
use super::outfit::{Outfit, Piece};
use super::source::{Layout, Local, Source};
use super::space::Space;
use super::texture::Texture;
use trample::glam::{Mat4, Quat, Vec3};

/// Meshes in our world, all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedMesh {
    /// Places, m.
    pub points: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Corners.
    pub triangles: Vec<[u32; 3]>,
}

impl Outfit {
    /// Linear colours of all triangles in the order of [`Outfit::posed`]: paint, colours of the points and pictures.
    pub fn colours(&self) -> Vec<[f32; 3]> {
        let textures: Vec<Option<Texture>> = self.pictures.iter().map(Texture::of).collect();
        let mut colours = Vec::new();
        for piece in &self.pieces {
            let paint = piece.paint.map(|p| &self.paints[p]);
            let own = paint.map_or([0.6; 3], |p| [p.colour[0], p.colour[1], p.colour[2]]);
            let texture =
                paint.and_then(|p| textures[p.picture?].as_ref()).filter(|_| !piece.texels.is_empty());
            colours.extend(piece.triangles.iter().map(|t| {
                let seen = texture.map_or([1.0; 3], |x| x.mean(t.map(|c| piece.texels[c as usize])));
                let at = piece.colours.get(t[0] as usize).map_or([1.0; 3], |c| [c[0], c[1], c[2]]);
                [0, 1, 2].map(|c| own[c] * at[c] * seen[c])
            }));
        }
        colours
    }

    /// Its meshes with the file's joints as `locals` have them; their colours are [`Outfit::colours`].
    pub fn posed(&self, source: &Source, space: &Space, locals: &[Local]) -> PosedMesh {
        let ours = Mat4::from_scale_rotation_translation(Vec3::splat(space.unit), space.turn, Vec3::ZERO);
        self.posed_in(source, ours, locals)
    }

    /// The same where the file's world lies in ours as `ours` says.
    fn posed_in(&self, source: &Source, ours: Mat4, locals: &[Local]) -> PosedMesh {
        let mut layout = Layout::default();
        source.lay(locals, &mut layout);
        let joint = |j: usize| {
            Mat4::from_scale_rotation_translation(layout.scales[j], layout.turns[j], layout.places[j])
        };
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
        }
        out
    }
}

impl JointMotion {
    /// The meshes of a character at one of the moments of its motion.
    pub fn posed(&self, source: &Source, outfit: &Outfit, at: usize) -> PosedMesh {
        let mut locals = Vec::new();
        source.rest(&mut locals);
        for track in &self.tracks {
            let local = &mut locals[track.joint];
            local.translation = track.places.get(at).map_or(local.translation, |p| Vec3::from(*p));
            local.rotation = track.turns.get(at).map_or(local.rotation, |q| Quat::from_array(*q));
        }
        let whole = at.min(self.places.len().saturating_sub(1));
        let place = self.places.get(whole).map_or(Vec3::ZERO, |p| Vec3::from(*p));
        let turn = self.turns.get(whole).map_or(Quat::IDENTITY, |q| Quat::from_array(*q));
        let ours = Mat4::from_scale_rotation_translation(Vec3::splat(self.unit), turn, place);
        outfit.posed_in(source, ours, &locals)
    }
}

impl PosedMesh {
    /// Adds a piece moved by the matrices of its joints.
    fn add(&mut self, piece: &Piece, moves: &[Mat4]) {
        let first = self.points.len();
        for (i, &p) in piece.points.iter().enumerate() {
            let p = piece.morphs.iter().fold(Vec3::from(p), |p, m| p + m.weight * Vec3::from(m.points[i]));
            let (joints, weights) = match piece.bind {
                Some(_) => (piece.joints[i], piece.weights[i]),
                None => ([0; 4], [1.0, 0.0, 0.0, 0.0]),
            };
            let (mut place, mut normal) = (Vec3::ZERO, Vec3::ZERO);
            for (&j, &w) in joints.iter().zip(&weights).filter(|(_, w)| **w > 0.0) {
                let Some(m) = moves.get(usize::from(j)) else { continue };
                place += w * m.transform_point3(p);
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
