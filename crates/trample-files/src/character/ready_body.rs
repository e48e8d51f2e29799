//! Bodies of the ready-made animals, to be seen: trunk, neck, head and tail of one piece, and legs of three segments.
//!
//! In: which animal, its stride, and where it and its feet were. Out: meshes and the motion of what carries them. Hips and shoulders
//! ride at their height above the ground below the feet; hooves and paws are where they pressed; knees and elbows follow from that.

use super::joint_motion::{JointMotion, Tread};
use super::outfit::{Outfit, Paint, Piece};
use super::source::{Format, Local, Source, SourceJoint};
use trample::body::two_bone;
use trample::glam::{Mat3, Quat, Vec3};
use trample::scene::{Ready, Stride};

/// Corners of a cross-section.
const CORNERS: usize = 12;
/// Lengths of thigh, shank and foot, or upper arm, forearm and hand, over the height of the hips. Our choice: they reach a foot that is
/// half a stride behind.
const SEGMENTS: [f32; 3] = [0.45, 0.43, 0.30];

/// How an animal looks: sizes over the height of its hips, all our choice, by pictures.
struct Build {
    /// Half the height and half the width of the trunk.
    trunk: [f32; 2],
    /// Where the neck ends, ahead of the shoulders and above them, and how thick it is at both ends.
    neck: [f32; 2],
    thick: [f32; 2],
    /// Length of the head and how far its nose is below its back.
    head: [f32; 2],
    ears: f32,
    /// Places along the tail, ahead and above where it begins.
    tail: [[f32; 2]; 2],
    /// Radius of the legs at the top and below the heel.
    legs: [f32; 2],
    /// Linear colours of coat and hooves.
    coat: [f32; 3],
    hoof: [f32; 3],
}

const fn build(ready: Ready) -> Build {
    match ready {
        Ready::Deer => Build {
            trunk: [0.23, 0.16],
            neck: [0.34, 0.50],
            thick: [0.13, 0.075],
            head: [0.34, 0.10],
            ears: 0.17,
            tail: [[-0.08, -0.04], [-0.10, -0.18]],
            legs: [0.11, 0.025],
            coat: [0.30, 0.16, 0.07],
            hoof: [0.03, 0.025, 0.02],
        },
        Ready::Horse => Build {
            trunk: [0.27, 0.20],
            neck: [0.42, 0.46],
            thick: [0.19, 0.10],
            head: [0.42, 0.24],
            ears: 0.10,
            tail: [[-0.14, -0.12], [-0.16, -0.62]],
            legs: [0.14, 0.035],
            coat: [0.17, 0.075, 0.035],
            hoof: [0.03, 0.025, 0.02],
        },
        Ready::Dog => Build {
            trunk: [0.22, 0.16],
            neck: [0.28, 0.28],
            thick: [0.15, 0.11],
            head: [0.36, 0.08],
            ears: 0.15,
            tail: [[-0.22, 0.02], [-0.42, 0.20]],
            legs: [0.11, 0.04],
            coat: [0.20, 0.14, 0.09],
            hoof: [0.10, 0.07, 0.045],
        },
    }
}

/// A ready-made animal to be seen.
#[derive(Clone, Debug)]
pub struct ReadyBody {
    /// Its joints: the trunk, then three segments of each leg in the order of its stride.
    pub source: Source,
    /// Its meshes.
    pub outfit: Outfit,
    leg: f32,
    back: f32,
    /// How far its legs are apart at the top, m.
    apart: f32,
}

/// A cross-section: its middle, half its height and half its width.
type Section = (Vec3, [f32; 2]);

impl ReadyBody {
    /// The body of an animal.
    pub fn new(ready: Ready) -> Self {
        let (leg, back, look) = (ready.leg() as f32, ready.back() as f32, build(ready));
        let mut names = vec!["trunk".to_string()];
        for foot in ["right hind", "left hind", "right fore", "left fore"] {
            names.extend(["upper leg", "lower leg", "foot"].map(|part| format!("{foot} {part}")));
        }
        let joint =
            |name| SourceJoint { name, parent: None, rest: Local::default(), tip: None, is_mesh: false };
        let source = Source {
            format: Format::Gltf,
            joints: names.into_iter().map(joint).collect(),
            takes: Vec::new(),
            humanoid: Vec::new(),
            vertices: Vec::new(),
            triangles: Vec::new(),
            rigid: 0,
            skins: 0,
            place_of: Vec::new(),
        };
        let paint = |name: &str, [r, g, b]: [f32; 3]| Paint {
            name: format!("{} {name}", ready.name()),
            colour: [r, g, b, 1.0],
            picture: None,
            metal: [0.0, 0.9],
            double_sided: false,
            cutoff: None,
            blended: false,
        };
        let mut pieces = vec![trunk(&look, leg, back)];
        for foot in 0..4 {
            let girth = [look.legs[0], 0.5 * (look.legs[0] + look.legs[1]), 1.3 * look.legs[1], look.legs[1]];
            for (k, share) in SEGMENTS.iter().enumerate() {
                let long = share * leg;
                let mut piece = Piece { joint: 1 + 3 * foot + k, paint: Some(0), ..Piece::default() };
                piece.name.clone_from(&source.joints[piece.joint].name);
                let [a, b] = [girth[k] * leg, girth[k + 1] * leg];
                let at = |y: f32, r: f32| (Vec3::NEG_Y * (y * long), [r, 0.85 * r]);
                piece.tube(&[
                    at(-0.05, 0.3 * a),
                    at(0.0, a),
                    at(0.5, 0.5 * (a + b)),
                    at(1.0, b),
                    at(1.02, 0.2 * b),
                ]);
                pieces.push(piece);
            }
            let mut hoof =
                Piece { name: "hoof".into(), joint: 3 + 3 * foot, paint: Some(1), ..Piece::default() };
            let [long, wide] = [ready.body().foot_length, ready.body().foot_width].map(|v| 0.5 * v as f32);
            let low = SEGMENTS[2] * leg;
            let at = |y: f32, share: f32| (Vec3::new(0.4 * long, y - low, 0.0), [share * long, share * wide]);
            hoof.tube(&[
                at(1.2 * long, 0.2),
                at(1.1 * long, 0.6),
                at(0.1 * long, 1.0),
                at(0.0, 0.9),
                at(-0.02 * long, 0.1),
            ]);
            pieces.push(hoof);
        }
        let outfit = Outfit {
            pieces,
            binds: Vec::new(),
            paints: vec![paint("coat", look.coat), paint("hooves", look.hoof)],
            pictures: Vec::new(),
        };
        Self { source, outfit, leg, back, apart: 0.9 * look.trunk[1] * leg }
    }

    /// How it moves: `stride` is the one it plays.
    pub fn joint_motion(&self, stride: &Stride, treads: &[Tread]) -> JointMotion {
        let mut motion = JointMotion {
            places: vec![[0.0; 3]],
            turns: vec![Quat::IDENTITY.to_array()],
            unit: 1.0,
            tracks: Vec::new(),
        };
        for tread in treads.iter().filter(|t| t.feet.len() == 4) {
            motion.push(&self.source, &self.pose(stride, tread));
        }
        motion
    }

    /// Its joints at a moment.
    pub fn pose(&self, stride: &Stride, tread: &Tread) -> Vec<Local> {
        let (moment, n) = (&tread.moment, stride.centre.len());
        let level = |a: usize| 0.5 * (tread.feet[a].0.y + tread.feet[a + 1].0.y);
        let pitch = libm::atanf((level(2) - level(0)) / self.back).clamp(-0.5, 0.5);
        let turn = Quat::from_rotation_y(-moment.heading as f32) * Quat::from_rotation_z(pitch);
        // The centre of mass is nearer to the shoulders, as the stride has it.
        let along: f32 =
            (0..4).map(|k| stride.feet[k].iter().map(|p| p[0]).sum::<f32>() / n as f32).sum::<f32>() / 4.0;
        let mean = stride.centre.iter().map(|c| c[0]).sum::<f32>() / n as f32;
        let ahead = turn * Vec3::X;
        let place =
            Vec3::new(moment.place[0] as f32, 0.5 * (level(0) + level(2)) + self.leg, moment.place[1] as f32);
        let middle = place - ahead * (mean - along).clamp(-0.5 * self.back, 0.5 * self.back);
        let mut locals = vec![Local { translation: middle, rotation: turn, ..Local::default() }];
        let sample = (moment.sample.floor() as usize).min(n - 1);
        for (k, &(at, down)) in tread.feet.iter().enumerate() {
            let hind = k < 2;
            let side = if k % 2 == 0 { 0.5 } else { -0.5 };
            let girdle = if hind { -0.5 } else { 0.5 };
            let top = middle + turn * Vec3::new(girdle * self.back, 0.0, side * self.apart);
            let lift = if down { 0.0 } else { stride.feet[k][sample][1] };
            let foot = at + Vec3::Y * lift;
            let [upper, lower, end] = SEGMENTS.map(|share| share * self.leg);
            // A foot in the air hangs back; a hock is behind the foot that stands.
            let back = if hind { 0.35 } else { 0.0 } + 2.0 * lift / self.leg;
            let rise = ((top - foot).normalize_or(Vec3::Y) + Vec3::Y - ahead * back).normalize_or(Vec3::Y);
            let heel = foot + rise * end;
            let knee = two_bone(top, heel, upper, lower, if hind { ahead } else { -ahead }).knee;
            for (from, to) in [(top, knee), (knee, heel), (heel, foot)] {
                let y = (from - to).normalize_or(Vec3::Y);
                let x = (ahead - ahead.dot(y) * y).normalize_or(Vec3::X);
                let rotation = Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)));
                locals.push(Local { translation: from, rotation, ..Local::default() });
            }
        }
        locals
    }
}

/// Trunk, neck, head, ears and tail, seen from the middle between hips and shoulders.
fn trunk(look: &Build, leg: f32, back: f32) -> Piece {
    let mut piece = Piece { name: "trunk".into(), joint: 0, paint: Some(0), ..Piece::default() };
    let at = |x: f32, y: f32, [high, wide]: [f32; 2]| (leg * Vec3::new(x, y, 0.0), [leg * high, leg * wide]);
    let half = 0.5 * back / leg;
    let [high, wide] = look.trunk;
    let round = |share: f32| [share * high, share * wide];
    piece.tube(&[
        at(-half - 0.22, 0.10, round(0.1)),
        at(-half - 0.18, 0.08, round(0.6)),
        at(-half - 0.02, 0.05, round(0.98)),
        at(-0.3 * half, 0.03, round(0.95)),
        at(0.5 * half, 0.01, round(1.05)),
        at(half, 0.03, round(1.05)),
        at(half + 0.14, 0.06, round(0.7)),
        at(half + 0.2, 0.07, round(0.1)),
    ]);
    let (x, y) = (half + look.neck[0], 0.05 + look.neck[1]);
    let [low, up] = look.thick;
    piece.tube(&[
        at(half - 0.05, 0.02, [0.4 * low, 0.4 * low]),
        at(half + 0.05, 0.10, [1.3 * low, low]),
        at(0.5 * (half + x) + 0.03, 0.5 * (0.05 + y), [0.5 * (low + up), 0.4 * (low + up)]),
        at(x, y, [up, 0.85 * up]),
        at(x + 0.02, y + 0.06, [0.3 * up, 0.3 * up]),
    ]);
    let [long, drop] = look.head;
    let nose = |t: f32, size: f32| at(x - 0.07 + t * long, y + 0.02 - t * drop, [size * up, 0.8 * size * up]);
    piece.tube(&[
        nose(-0.05, 0.2),
        nose(0.08, 0.9),
        nose(0.3, 1.15),
        nose(0.6, 0.75),
        nose(0.9, 0.6),
        nose(1.0, 0.2),
    ]);
    for side in [-1.0, 1.0] {
        let ear = |t: f32, r: f32| {
            let (mut place, size) =
                at(x - 0.03 - 0.3 * t * look.ears, y + 0.05 + t * look.ears, [r, 0.5 * r]);
            place.z = side * leg * (0.06 + 0.3 * t * look.ears);
            (place, size)
        };
        piece.tube(&[ear(-0.1, 0.01), ear(0.3, 0.035), ear(0.7, 0.03), ear(1.0, 0.004)]);
    }
    let [[x1, y1], [x2, y2]] = look.tail;
    let (x0, y0) = (-half - 0.16, 0.12);
    piece.tube(&[
        at(x0 + 0.04, y0, [0.03, 0.03]),
        at(x0 + x1, y0 + y1, [0.045, 0.045]),
        at(x0 + 0.5 * (x1 + x2), y0 + 0.5 * (y1 + y2), [0.05, 0.05]),
        at(x0 + x2, y0 + y2, [0.008, 0.008]),
    ]);
    piece
}

impl Piece {
    /// Adds a tube through cross-sections that lie across its way in the plane of the body, ahead and up.
    fn tube(&mut self, sections: &[Section]) {
        let first = self.points.len() as u32;
        let (n, last) = (CORNERS as u32, sections.len() - 1);
        for (i, &(middle, [high, wide])) in sections.iter().enumerate() {
            let way = (sections[(i + 1).min(last)].0 - sections[i.saturating_sub(1)].0).with_z(0.0);
            let way = way.normalize_or(Vec3::X);
            let up = Vec3::Z.cross(way);
            for k in 0..CORNERS {
                let angle = std::f32::consts::TAU * k as f32 / CORNERS as f32;
                let (s, c) = (libm::sinf(angle), libm::cosf(angle));
                self.points.push((middle + up * (high * c) + Vec3::Z * (wide * s)).to_array());
                // The first and the last section close the tube.
                let end = if i == 0 {
                    -way
                } else if i == last {
                    way
                } else {
                    Vec3::ZERO
                };
                self.normals.push(
                    (up * (wide * c) + Vec3::Z * (high * s) + end * high.max(wide))
                        .normalize_or(way)
                        .to_array(),
                );
            }
        }
        for i in 0..last as u32 {
            for k in 0..n {
                let (a, b) = (first + i * n + k, first + i * n + (k + 1) % n);
                self.triangles.extend([[a, b, a + n], [b, b + n, a + n]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::Moment;

    #[test]
    fn feet_are_where_they_press_and_faces_look_outside() {
        for ready in Ready::ALL {
            let (body, stride) = (ReadyBody::new(ready), ready.stride(ready.speed()));
            for sample in [0usize, 20, 50, 90] {
                let feet = (0..4)
                    .map(|k| {
                        let [x, up, z] = stride.feet[k][sample];
                        (Vec3::new(x, 0.0, z), up == 0.0)
                    })
                    .collect();
                let place = [f64::from(stride.centre[sample][0]), 0.0];
                let tread = Tread { moment: Moment { sample: sample as f64, place, heading: 0.0 }, feet };
                let locals = body.pose(&stride, &tread);
                for k in 0..4 {
                    let foot = &locals[3 + 3 * k];
                    let end = foot.translation - foot.rotation * Vec3::Y * (SEGMENTS[2] * body.leg);
                    let [x, up, z] = stride.feet[k][sample];
                    let off = end.distance(Vec3::new(x, up, z));
                    assert!(off < 0.005, "{} foot {k} at {sample}: {off} m off", ready.name());
                }
            }
            for piece in &body.outfit.pieces {
                for t in &piece.triangles {
                    let [a, b, c] = t.map(|i| Vec3::from(piece.points[i as usize]));
                    let face = (b - a).cross(c - a);
                    let own: Vec3 = t.iter().map(|&i| Vec3::from(piece.normals[i as usize])).sum();
                    assert!(face.length() < 1e-7 || face.normalize().dot(own) > -0.3, "{}", piece.name);
                }
            }
        }
    }
}
