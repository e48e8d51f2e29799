//! A skeleton with its motions as a file has them, before anything is understood: joints, rest pose, takes.
//!
//! In: what a reader found. Out: local transforms of any frame, and where they put the joints. Numbers stay as the file has
//! them, so memory follows the file's size; poses are made when they are asked for.

use std::sync::Arc;
use trample::glam::{Quat, Vec3};

/// A joint's frame in its parent's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    /// Place, in the file's unit.
    pub translation: Vec3,
    /// Rotation.
    pub rotation: Quat,
    /// Scale.
    pub scale: Vec3,
}

impl Default for Local {
    fn default() -> Self {
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE }
    }
}

/// A joint of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceJoint {
    /// As the file names it.
    pub name: String,
    /// Its parent, which comes before it.
    pub parent: Option<usize>,
    /// At rest.
    pub rest: Local,
    /// Where its bone ends if no joint says so, in its own frame.
    pub tip: Option<Vec3>,
    /// Whether it is no bone but a mesh that hangs there.
    pub is_mesh: bool,
}

/// A channel of a BVH joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Along an axis 0, 1, 2.
    Place(u8),
    /// About an axis, degrees.
    Turn(u8),
    /// Read and left out: scales.
    Other,
}

/// How keys are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joining {
    /// By a straight line.
    Line,
    /// Not at all.
    Step,
    /// By cubics with tangents: three values a key.
    Cubic,
}

/// What a curve moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// The translation, three numbers a value.
    Place,
    /// The rotation, four.
    Turn,
    /// The scale, three.
    Scale,
}

/// Keys of one property of one joint.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The joint.
    pub joint: usize,
    /// What it moves.
    pub moves: Moves,
    /// How keys are joined.
    pub joining: Joining,
    /// Times, s, rising.
    pub times: Arc<[f32]>,
    /// Values.
    pub values: Arc<[f32]>,
}

/// Numbers of a take as its file has them.
#[derive(Clone, Debug)]
pub enum Motion {
    /// BVH: a row of numbers a frame.
    Rows {
        /// Channels of each joint, joint after joint.
        channels: Vec<Channel>,
        /// First channel of each joint, and one more at the end.
        first: Vec<usize>,
        /// Joints whose places add to their offset instead of replacing it.
        adds: Vec<bool>,
        /// All rows.
        numbers: Vec<f32>,
    },
    /// glTF: curves over time.
    Curves(Vec<Curve>),
}

/// One motion of a file.
#[derive(Clone, Debug)]
pub struct Take {
    /// Its name, or where it stands.
    pub name: String,
    /// Time between frames, s.
    pub dt: f64,
    /// Frames.
    pub frames: usize,
    /// Time of the first frame, s.
    pub start: f64,
    /// The numbers.
    pub motion: Motion,
}

impl Take {
    /// Its first frames, as a take of its own.
    pub(super) fn first_frames(&self, frames: usize) -> Self {
        let motion = match &self.motion {
            Motion::Rows { channels, first, adds, numbers } => Motion::Rows {
                channels: channels.clone(),
                first: first.clone(),
                adds: adds.clone(),
                numbers: numbers[..frames * channels.len()].to_vec(),
            },
            Motion::Curves(curves) => Motion::Curves(curves.clone()),
        };
        Self { name: self.name.clone(), frames, motion, ..*self }
    }

    /// Leaves out what was never recorded: rows that only repeat the first one until everything jumps, and rows that only repeat
    /// the last. One row at the start is left: it may be a pose to refer to.
    pub(super) fn trim(&mut self) {
        let Motion::Rows { channels, numbers, .. } = &mut self.motion else { return };
        let (n, wide) = (self.frames, channels.len());
        if wide == 0 || n < 8 {
            return;
        }
        let row = |i: usize| &numbers[i * wide..(i + 1) * wide];
        let moves = |a: usize, b: usize| row(a).iter().zip(row(b)).map(|(x, y)| (x - y).abs()).sum::<f32>();
        // The very first row may be a pose of its own before them.
        let first = (2..n).find(|&i| moves(1, i) > 1e-3 * wide as f32).unwrap_or(n);
        let last = (0..n - 1).rev().find(|&i| moves(n - 1, i) > 1e-3 * wide as f32).map_or(n, |i| i + 2);
        // A body that stands still and then sets off does not jump.
        let jumps = first < n - 2 && moves(first - 1, first) > 8.0 * moves(first, first + 1);
        let from = if first > 2 && jumps { first } else { 0 };
        // Nor does one that comes to rest stop at once.
        let stops = last < n && last > from + 8 && moves(last - 3, last - 2) > 0.05 * wide as f32;
        let to = if stops { last } else { n };
        numbers.truncate(to * wide);
        numbers.drain(..from * wide);
        (self.frames, self.start) = (to - from, self.start + from as f64 * self.dt);
    }

    /// Time of a frame on the file's own clock, s.
    pub(super) fn time(&self, frame: usize) -> f32 {
        (self.start + frame as f64 * self.dt) as f32
    }
}

/// A vertex of a skin, seen from the two joints that move it most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// The joint that moves it most.
    pub joint: u32,
    /// Place in the joint's frame when bound.
    pub place: Vec3,
    /// The next joint, and the place in its frame.
    pub next: (u32, Vec3),
    /// How much the next joint moves it, of what both do: up to a half.
    pub share: f32,
}

impl Vertex {
    /// One that a single joint moves.
    pub fn rigid(joint: usize, place: Vec3) -> Self {
        Self { joint: joint as u32, place, next: (joint as u32, place), share: 0.0 }
    }

    /// Where it is, in the file's world.
    pub fn at(&self, layout: &Layout) -> Vec3 {
        let seen = |joint: u32, place: Vec3| {
            let j = joint as usize;
            layout.places[j] + layout.turns[j] * (layout.scales[j] * place)
        };
        let own = seen(self.joint, self.place);
        if self.share > 0.0 { own.lerp(seen(self.next.0, self.next.1), self.share) } else { own }
    }
}

/// Which file format it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Biovision hierarchy.
    Bvh,
    /// glTF 2.0, text or binary.
    Gltf,
}

/// Everything read from a file.
#[derive(Clone)]
pub struct Source {
    /// The format.
    pub format: Format,
    /// Joints, parents before children.
    pub joints: Vec<SourceJoint>,
    /// Motions.
    pub takes: Vec<Take>,
    /// Bones that the file itself names, by VRM's words.
    pub humanoid: Vec<(String, usize)>,
    /// Vertices of the skins.
    pub vertices: Vec<Vertex>,
    /// Triangles of the skins.
    pub triangles: Vec<[u32; 3]>,
    /// How many of the vertices, the first ones, are of meshes that hang on bones instead of being bound to them.
    pub rigid: usize,
    /// How many skins there are.
    pub skins: usize,
    /// Where the file's joints are among these, where some were hung elsewhere; empty where all are in their places.
    pub place_of: Vec<usize>,
}

impl std::fmt::Debug for Source {
    /// In short: a motion is millions of numbers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (joints, takes, vertices) = (self.joints.len(), self.takes.len(), self.vertices.len());
        write!(f, "{:?} with {joints} joints, {takes} takes, {vertices} vertices", self.format)
    }
}

/// Joints laid out in the file's world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Places, in the file's unit.
    pub places: Vec<Vec3>,
    /// Rotations.
    pub turns: Vec<Quat>,
    /// Scales.
    pub scales: Vec<Vec3>,
}

impl Source {
    /// Children of every joint.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.joints.len()];
        for (i, joint) in self.joints.iter().enumerate() {
            if let Some(parent) = joint.parent {
                children[parent].push(i);
            }
        }
        children
    }

    /// Whether `joint` is `above` or hangs from it.
    pub fn hangs_from(&self, joint: usize, above: usize) -> bool {
        let mut at = Some(joint);
        while let Some(j) = at {
            if j == above {
                return true;
            }
            at = self.joints[j].parent;
        }
        false
    }

    /// Local transforms at rest.
    pub fn rest(&self, out: &mut Vec<Local>) {
        out.clear();
        out.extend(self.joints.iter().map(|j| j.rest));
    }

    /// Local transform of a joint as a row has it; at rest for motions of curves.
    pub(super) fn local(&self, take: &Take, frame: usize, joint: usize) -> Local {
        let mut local = self.joints[joint].rest;
        if let Motion::Rows { channels, first, adds, numbers } = &take.motion {
            let row = &numbers[frame * channels.len()..(frame + 1) * channels.len()];
            let range = first[joint]..first[joint + 1];
            read_row(&channels[range.clone()], &row[range], adds[joint], &mut local);
        }
        local
    }

    /// Local transforms of a frame of a take.
    pub fn pose(&self, take: &Take, frame: usize, out: &mut Vec<Local>) {
        out.clear();
        out.extend((0..self.joints.len()).map(|j| self.local(take, frame, j)));
        if let Motion::Curves(curves) = &take.motion {
            for curve in curves {
                curve.write(take.time(frame), &mut out[curve.joint]);
            }
        }
    }

    /// Where local transforms put the joints.
    pub fn lay(&self, locals: &[Local], out: &mut Layout) {
        out.places.clear();
        out.turns.clear();
        out.scales.clear();
        for (joint, local) in self.joints.iter().zip(locals) {
            let (place, turn, scale) = match joint.parent {
                Some(p) => (
                    out.places[p] + out.turns[p] * (out.scales[p] * local.translation),
                    out.turns[p] * local.rotation,
                    out.scales[p] * local.scale,
                ),
                None => (local.translation, local.rotation, local.scale),
            };
            out.places.push(place);
            out.turns.push(turn);
            out.scales.push(scale);
        }
    }

    /// Whether a joint is nothing but the end of a bone, as programs write them: by its name, and nothing hangs on it.
    pub(super) fn is_end(&self, joint: usize) -> bool {
        let name = self.joints[joint].name.to_lowercase();
        (name.ends_with("end") || name.contains("_end") || name.contains("nub"))
            && self.joints.iter().all(|j| j.parent != Some(joint))
            && self.vertices.iter().all(|v| v.joint as usize != joint)
    }

    /// Where a joint's bone ends: its tip, seen in the world.
    pub fn tip(&self, joint: usize, layout: &Layout) -> Option<Vec3> {
        let tip = self.joints[joint].tip?;
        Some(layout.places[joint] + layout.turns[joint] * (layout.scales[joint] * tip))
    }
}

/// One joint's part of a row: rotations in the order they are written.
fn read_row(channels: &[Channel], numbers: &[f32], adds: bool, local: &mut Local) {
    let mut place = local.translation;
    for (channel, &value) in channels.iter().zip(numbers) {
        match *channel {
            Channel::Place(axis) => {
                let old = local.translation[axis as usize];
                place[axis as usize] = if adds { old + value } else { value };
            }
            Channel::Turn(axis) => {
                let (s, c) = libm::sincosf(0.5 * value.to_radians());
                let q = match axis {
                    0 => Quat::from_xyzw(s, 0.0, 0.0, c),
                    1 => Quat::from_xyzw(0.0, s, 0.0, c),
                    _ => Quat::from_xyzw(0.0, 0.0, s, c),
                };
                local.rotation *= q;
            }
            Channel::Other => {}
        }
    }
    local.translation = place;
}

impl Curve {
    /// Numbers a value.
    fn width(&self) -> usize {
        if self.moves == Moves::Turn { 4 } else { 3 }
    }

    /// Writes the value at `time` s.
    pub(super) fn write(&self, time: f32, local: &mut Local) {
        let n = self.times.len();
        let after = self.times.partition_point(|&t| t <= time);
        let (a, b) = (after.saturating_sub(1).min(n - 1), after.min(n - 1));
        let length = self.times[b] - self.times[a];
        let u = if length > 0.0 { ((time - self.times[a]) / length).clamp(0.0, 1.0) } else { 0.0 };
        let width = self.width();
        let number = |at: usize, k: usize| self.values[at * width + k];
        let mut value = [0.0f32; 4];
        for (k, out) in value.iter_mut().enumerate().take(width) {
            *out = match self.joining {
                Joining::Step => number(a, k),
                Joining::Line => number(a, k) + (self.near(number(b, k), a, b) - number(a, k)) * u,
                // In-tangent, value, out-tangent of each key.
                Joining::Cubic => {
                    let (p, q) = (number(3 * a + 1, k), number(3 * b + 1, k));
                    let (m, n) = (number(3 * a + 2, k) * length, number(3 * b, k) * length);
                    let (u2, u3) = (u * u, u * u * u);
                    (2.0 * u3 - 3.0 * u2 + 1.0) * p
                        + (u3 - 2.0 * u2 + u) * m
                        + (3.0 * u2 - 2.0 * u3) * q
                        + (u3 - u2) * n
                }
            };
        }
        match self.moves {
            Moves::Place => local.translation = Vec3::new(value[0], value[1], value[2]),
            Moves::Scale => local.scale = Vec3::new(value[0], value[1], value[2]),
            Moves::Turn => {
                let q = Quat::from_array(value);
                local.rotation = if q.length_squared() > 1e-12 { q.normalize() } else { Quat::IDENTITY };
            }
        }
    }

    /// A number of key `b`, with the sign that lets a rotation go the short way from key `a`.
    fn near(&self, value: f32, a: usize, b: usize) -> f32 {
        if self.moves != Moves::Turn {
            return value;
        }
        let key = |k: usize| Quat::from_slice(&self.values[4 * k..4 * k + 4]);
        if key(a).dot(key(b)) < 0.0 { -value } else { value }
    }
}
