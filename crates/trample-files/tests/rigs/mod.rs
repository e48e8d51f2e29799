//! Rigs of every convention, made by our own code: a generated walk written as each program would write it.
#![allow(dead_code, unreachable_pub, reason = "every test file uses a part of it")]

pub mod animal;
pub mod bvh;
pub mod gltf;
pub mod names;

use trample::body::{Ground, Joint, Skeleton};
use trample::clips::{Clip, Kind};
use trample::gait::{Gait, Rig as Body, Style, Track};
use trample::glam::{Mat3, Quat, Vec3};
use trample_files::character::Part;

/// A joint of a rig.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub parent: Option<usize>,
    /// The joint of ours whose rotation it has.
    pub follows: usize,
    /// Place from the parent, in the frame of what the parent follows, m.
    pub at: Vec3,
    /// Which part it is; nothing for helpers.
    pub part: Option<Part>,
    /// End of its bone in the frame of what it follows, m.
    pub tip: Option<Vec3>,
    /// How its frame is turned against ours.
    pub frame: Quat,
}

/// How joints are turned when nothing turns them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rest {
    /// Arms hang, as ours do.
    Hanging,
    /// Arms are spread.
    Spread,
    /// Every bone lies along x, which is no pose at all.
    Nonsense,
}

/// A rig with a motion, ready to be written.
#[derive(Clone, Debug)]
pub struct Figure {
    pub rows: Vec<Row>,
    pub skeleton: Skeleton,
    pub clip: Clip,
    /// Units per metre.
    pub unit: f32,
    /// From our world to the file's: axes.
    pub axes: Quat,
    /// Where the file's origin is, m.
    pub shift: Vec3,
    /// A T-pose as frame 0.
    pub t_pose: bool,
}

/// A walk along x at `rate` frames a second.
pub fn walk(speed: f64, seconds: f64, rate: f64) -> (Skeleton, Clip) {
    let rig = Body::new(&trample::params::Body::default(), &Style::default(), Ground::default());
    let clip = Clip::sample(Kind::Walk, &Gait::new(&rig, Track::straight(speed), seconds), seconds, rate);
    (rig.skeleton, clip)
}

impl Figure {
    pub fn new(rows: Vec<Row>, rest: Rest, skeleton: Skeleton, clip: Clip) -> Self {
        let mut figure =
            Self { rows, skeleton, clip, unit: 1.0, axes: Quat::IDENTITY, shift: Vec3::ZERO, t_pose: false };
        for row in &mut figure.rows {
            row.frame = frame(rest, row.follows);
        }
        figure
    }

    /// The file's z is our y.
    pub fn z_up(mut self) -> Self {
        self.axes = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        self
    }

    /// World rotation of a row in the file, with our joints turned as `turns`.
    fn turn(&self, row: &Row, turns: &[Quat]) -> Quat {
        self.axes * turns[row.follows] * self.own(row)
    }

    /// From the file's joint frame to ours.
    fn own(&self, row: &Row) -> Quat {
        row.frame * self.axes.conjugate()
    }

    /// The offset of a row in its parent's frame, in the file's unit.
    pub fn offset(&self, i: usize) -> Vec3 {
        let row = &self.rows[i];
        let at = match row.parent {
            Some(p) => self.own(&self.rows[p]).conjugate() * row.at,
            None => self.axes * row.at,
        };
        at * self.unit
    }

    /// The tip of a row in its own frame, in the file's unit.
    pub fn tip(&self, i: usize) -> Option<Vec3> {
        let row = &self.rows[i];
        row.tip.map(|t| self.own(row).conjugate() * t * self.unit)
    }

    /// Local rotations of all rows, and the place of the first in the file's world.
    pub fn locals(&self, frame: usize) -> (Vec3, Vec<Quat>) {
        let pose = &self.clip.frames[frame].pose;
        self.locals_of(pose)
    }

    fn locals_of(&self, pose: &trample::body::Pose) -> (Vec3, Vec<Quat>) {
        let placed = self.skeleton.place(pose);
        let world: Vec<Quat> = self.rows.iter().map(|r| self.turn(r, &placed.rotations)).collect();
        let locals = (0..self.rows.len())
            .map(|i| self.rows[i].parent.map_or(world[i], |p| world[p].conjugate() * world[i]))
            .collect();
        (self.axes * (pose.root + self.shift) * self.unit, locals)
    }

    /// The T-pose: every joint as it is at rest.
    pub fn spread(&self) -> (Vec3, Vec<Quat>) {
        let place = self.axes * Vec3::new(0.0, 0.92, 0.0) * self.unit;
        (place, vec![Quat::IDENTITY; self.rows.len()])
    }

    /// All frames as they stand in the file.
    pub fn frames(&self) -> Vec<(Vec3, Vec<Quat>)> {
        let first = self.t_pose.then(|| self.spread());
        first.into_iter().chain((0..self.clip.frames.len()).map(|i| self.locals(i))).collect()
    }

    pub fn row_of(&self, part: Part) -> Option<&Row> {
        self.rows.iter().find(|r| r.part == Some(part))
    }
}

/// How a joint's frame is turned against ours: zero rotation of the file is the inverse of this in our skeleton.
fn frame(rest: Rest, follows: usize) -> Quat {
    use std::f32::consts::FRAC_PI_2;
    let left = (Joint::LeftShoulder as usize..=Joint::LeftWrist as usize).contains(&follows);
    let right = (Joint::RightShoulder as usize..=Joint::RightWrist as usize).contains(&follows);
    match rest {
        Rest::Hanging => Quat::IDENTITY,
        Rest::Spread if left => Quat::from_rotation_x(FRAC_PI_2).conjugate(),
        Rest::Spread if right => Quat::from_rotation_x(-FRAC_PI_2).conjugate(),
        Rest::Spread => Quat::IDENTITY,
        // Bones that hang are turned from −y to x, those of the back from y to x, each with a twist of its own.
        Rest::Nonsense => {
            let twist = Quat::from_rotation_x(0.7 * follows as f32);
            let limb = follows >= Joint::LeftShoulder as usize;
            let ball = matches!(follows, 14 | 18);
            let lay = if ball {
                Quat::IDENTITY
            } else {
                Quat::from_rotation_z(if limb { FRAC_PI_2 } else { -FRAC_PI_2 })
            };
            (twist * lay).conjugate()
        }
    }
}

/// Angles about three different axes in the order they are multiplied, degrees.
pub fn angles(q: Quat, order: [usize; 3]) -> [f64; 3] {
    let m = Mat3::from_quat(q.normalize());
    let [i, j, k] = order;
    let at = |row: usize, column: usize| f64::from(m.col(column)[row]);
    let even = (j + 3 - i) % 3 == 1;
    let sign = if even { 1.0 } else { -1.0 };
    let b = libm::asin((sign * at(i, k)).clamp(-1.0, 1.0));
    let a = libm::atan2(-sign * at(j, k), at(k, k));
    let c = libm::atan2(-sign * at(i, j), at(i, i));
    [a, b, c].map(f64::to_degrees)
}
