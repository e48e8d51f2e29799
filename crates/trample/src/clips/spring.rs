//! Dampers and springs that do not depend on the frame rate, and the hiding of jumps between clips with them.
//!
//! In: a value, its rate, a goal, a half-life and a time. Out: value and rate after that time, by the closed solution
//! of x″ = y²·(g − x) − 2y·x′ with y = 2·ln 2 / half-life. One step of 1/30 s and eight of 1/240 s give the same, up
//! to rounding. This is the critically damped spring: the fastest that comes to rest without swinging.
//!
//! A jump to another clip is hidden by inertialisation: the pose goes on as the new clip says plus an offset, which is
//! what makes the first moment look as if nothing had happened, and which a spring takes to zero.
//!
//! Rotations are unit quaternions from a joint to its parent; angular velocities are rad/s in the parent's axes.

use crate::persist::state;
use glam::{DVec3, Quat, Vec3};
use std::f64::consts::LN_2;

/// The half-life with which an offset between two clips goes away, s.
pub const TRANSITION_HALFLIFE: f64 = 0.1;
/// A shorter half-life than any step, so that a spring without one is at its goal at once, s.
const SHORTEST: f64 = 1e-9;
/// Below this angle, in rad, the first terms of a series are exact in single precision, and quotients are not.
const SMALL: f32 = 1e-3;

/// What a spring can move.
pub trait Quantity: Copy {
    /// The sum of factors times values, rounded once. Factors and differences rounded to single precision err the same
    /// way in every step, and 240 steps would not make the second that 30 make.
    fn mix<const N: usize>(terms: [(f64, Self); N]) -> Self;
}

impl Quantity for f32 {
    fn mix<const N: usize>(terms: [(f64, Self); N]) -> Self {
        f64::mix(terms.map(|(k, x)| (k, f64::from(x)))) as Self
    }
}

impl Quantity for f64 {
    fn mix<const N: usize>(terms: [(f64, Self); N]) -> Self {
        terms.iter().fold(0.0, |sum, (k, x)| sum + k * x)
    }
}

impl Quantity for Vec3 {
    fn mix<const N: usize>(terms: [(f64, Self); N]) -> Self {
        terms.iter().fold(DVec3::ZERO, |sum, (k, x)| sum + x.as_dvec3() * *k).as_vec3()
    }
}

/// A spring over some time. With j0 = x − g and j1 = v + y·j0 it takes x to g + e^(−y·t)·(j0 + j1·t) and v to
/// e^(−y·t)·(v − j1·y·t); these are the factors of x and v in that.
struct Spring {
    /// Rate, 1/s.
    y: f64,
    /// e^(−y·t).
    left: f64,
    value_of_value: f64,
    value_of_rate: f64,
    rate_of_value: f64,
    rate_of_rate: f64,
}

impl Spring {
    /// Nothing if no time passes, so that nothing is rounded.
    fn over(halflife: f64, dt: f64) -> Option<Self> {
        let y = 2.0 * LN_2 / halflife.max(SHORTEST);
        let left = libm::exp(-y * dt);
        (dt > 0.0).then(|| Self {
            y,
            left,
            value_of_value: left * (1.0 + y * dt),
            value_of_rate: left * dt,
            rate_of_value: -left * y * y * dt,
            rate_of_rate: left * (1.0 - y * dt),
        })
    }

    /// An offset and its rate after that time, if the goal is zero.
    fn decay<T: Quantity>(&self, x: T, v: T) -> (T, T) {
        let value = T::mix([(self.value_of_value, x), (self.value_of_rate, v)]);
        (value, T::mix([(self.rate_of_value, x), (self.rate_of_rate, v)]))
    }
}

/// Value `x` and rate `v` after `dt` seconds on a critically damped spring to a goal at rest. From rest, 60 % of the
/// way is left after one half-life, 24 % after two, 3 % after four.
pub fn spring<T: Quantity>(x: T, v: T, goal: T, halflife: f64, dt: f64) -> (T, T) {
    let Some(s) = Spring::over(halflife, dt) else { return (x, v) };
    let value = T::mix([(s.value_of_value, x), (1.0 - s.value_of_value, goal), (s.value_of_rate, v)]);
    (value, T::mix([(s.rate_of_value, x), (-s.rate_of_value, goal), (s.rate_of_rate, v)]))
}

/// Position, velocity and acceleration after `dt` seconds, if a spring pulls the velocity to a goal: how a character
/// that is told to walk will move, so also where it will be in a second.
pub fn spring_to_velocity<T: Quantity>(
    x: T,
    v: T,
    a: T,
    goal_velocity: T,
    halflife: f64,
    dt: f64,
) -> (T, T, T) {
    let Some(Spring { y, left, .. }) = Spring::over(halflife, dt) else { return (x, v, a) };
    // The integrals over time of e^(−y·t) and t·e^(−y·t); of slow springs by series, as differences would cancel.
    let z = y * dt;
    let (one, two) = if z > 1e-4 {
        ((1.0 - left) / y, (1.0 - left * (1.0 + z)) / (y * y))
    } else {
        (dt * (1.0 - z / 2.0 + z * z / 6.0), dt * dt * (0.5 - z / 3.0 + z * z / 8.0))
    };
    let own = one + y * two;
    let x = T::mix([(1.0, x), (own, v), (dt - own, goal_velocity), (two, a)]);
    let (v, a) = spring(v, a, goal_velocity, halflife, dt);
    (x, v, a)
}

/// An offset and its rate after `dt` seconds on a critically damped spring to zero.
pub fn decay<T: Quantity>(x: T, v: T, halflife: f64, dt: f64) -> (T, T) {
    Spring::over(halflife, dt).map_or((x, v), |s| s.decay(x, v))
}

/// Of the two quaternions of a rotation the one that turns by at most half a turn.
pub fn shortest(q: Quat) -> Quat {
    if q.w < 0.0 { -q } else { q }
}

/// Axis times angle of a rotation, rad, at most π long: the logarithm.
pub fn rotation_vector(q: Quat) -> Vec3 {
    let q = shortest(q);
    let sine = q.xyz().length();
    // For small angles the sine of half the angle is half the angle.
    let ratio = if sine > SMALL * SMALL { 2.0 * libm::atan2f(sine, q.w) / sine } else { 2.0 };
    q.xyz() * ratio
}

/// The rotation about an axis by an angle, rad, given as their product: the exponential.
pub fn rotation(vector: Vec3) -> Quat {
    let angle = vector.length();
    let (sine, cosine) = libm::sincosf(0.5 * angle);
    let v = vector * if angle > SMALL * SMALL { sine / angle } else { 0.5 };
    Quat::from_xyzw(v.x, v.y, v.z, cosine)
}

/// The constant angular velocity that turns one rotation into another in `dt` seconds, the short way, rad/s.
pub fn angular_velocity(from: Quat, to: Quat, dt: f64) -> Vec3 {
    if dt > 0.0 { rotation_vector(to * from.conjugate()) * (1.0 / dt) as f32 } else { Vec3::ZERO }
}

/// The angular velocity, rad/s, of a rotation vector that changes at a rate, rad/s. They differ, unless the axis
/// stands still: turning by 170° about one axis, a little more about another one turns the whole.
pub fn angular_velocity_of(vector: Vec3, rate: Vec3) -> Vec3 {
    let angle = vector.length();
    let (a, b) = if angle > SMALL {
        let (half, _) = libm::sincosf(0.5 * angle);
        let square = angle * angle;
        (2.0 * half * half / square, (angle - libm::sinf(angle)) / (square * angle))
    } else {
        (1.0 / 2.0, 1.0 / 6.0)
    };
    let first = vector.cross(rate);
    rate + first * a + vector.cross(first) * b
}

/// The rate, rad/s, at which a rotation vector of less than a full turn changes under an angular velocity, rad/s.
pub fn turn_rate(vector: Vec3, angular_velocity: Vec3) -> Vec3 {
    let angle = vector.length();
    let b = if angle > SMALL {
        let (sine, cosine) = libm::sincosf(0.5 * angle);
        (1.0 - 0.5 * angle * cosine / sine) / (angle * angle)
    } else {
        1.0 / 12.0
    };
    let first = vector.cross(angular_velocity);
    angular_velocity - first * 0.5 + vector.cross(first) * b
}

/// Where a joint is relative to its parent, and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// Position in the parent's frame, m.
    pub position: Vec3,
    /// Rotation from the joint to its parent.
    pub rotation: Quat,
    /// Rate of the position, m/s.
    pub velocity: Vec3,
    /// Angular velocity in the parent's axes, rad/s.
    pub angular_velocity: Vec3,
}

impl Default for JointState {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

/// What is added to a joint. The rotation is kept as a vector: quaternions would forget which way round and how often.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Offset {
    position: Vec3,
    velocity: Vec3,
    /// Rotation vector, rad, and its rate, rad/s.
    turn: Vec3,
    rate: Vec3,
}

state! { Offset { position, velocity, turn, rate } }

/// The offsets that hide jumps between clips.
#[derive(Clone, Debug, PartialEq)]
pub struct Inertializer {
    offsets: Vec<Offset>,
    halflife: f64,
}

state! { Inertializer { offsets[..] } except { halflife } }

impl Inertializer {
    /// For so many joints, without offsets; they go away with [`TRANSITION_HALFLIFE`].
    pub fn new(joints: usize) -> Self {
        Self::with_halflife(joints, TRANSITION_HALFLIFE)
    }

    /// The same with another half-life, s.
    pub fn with_halflife(joints: usize, halflife: f64) -> Self {
        Self { offsets: vec![Offset::default(); joints], halflife }
    }

    /// Jumps: `source` is the pose as it is shown, earlier offsets included, `destination` that of the new clip. Pose
    /// and velocities go on from `source` without a step.
    pub fn transition(&mut self, source: &[JointState], destination: &[JointState]) {
        for ((offset, from), to) in self.offsets.iter_mut().zip(source).zip(destination) {
            let turn = rotation_vector(from.rotation * to.rotation.conjugate());
            // The new clip's rotation turns inside the offset.
            let spin = from.angular_velocity - rotation(turn) * to.angular_velocity;
            *offset = Offset {
                position: from.position - to.position,
                velocity: from.velocity - to.velocity,
                turn,
                rate: turn_rate(turn, spin),
            };
        }
    }

    /// Lets `dt` seconds pass.
    pub fn advance(&mut self, dt: f64) {
        let Some(s) = Spring::over(self.halflife, dt) else { return };
        for o in &mut self.offsets {
            (o.position, o.velocity) = s.decay(o.position, o.velocity);
            (o.turn, o.rate) = s.decay(o.turn, o.rate);
        }
    }

    /// Adds the offsets to the pose of the clip that plays.
    pub fn apply(&self, pose: &mut [JointState]) {
        for (o, joint) in self.offsets.iter().zip(pose) {
            let turn = rotation(o.turn);
            joint.position += o.position;
            joint.velocity += o.velocity;
            joint.rotation = (turn * joint.rotation).normalize();
            joint.angular_velocity = turn * joint.angular_velocity + angular_velocity_of(o.turn, o.rate);
        }
    }

    /// Forgets the offsets, as after a teleport.
    pub fn clear(&mut self) {
        self.offsets.fill(Offset::default());
    }
}

#[cfg(test)]
mod tests;
