//! What a body does to the ground in a step: its soles, its centre of mass and, if it is known, its force.

use crate::persist::state;
use glam::{Quat, Vec2, Vec3};

/// Position and orientation of a sole: `rotation` of the heel part, plus `toe_bend` for the forefoot.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolePose {
    /// Middle of the sole on its lowest plane, m. For a pinned sole y is the clearance above the ground below it,
    /// 0 when planted; for a free one it is the height.
    pub position: Vec3,
    /// From the sole's frame (x forward, y up, z right) to the world's.
    pub rotation: Quat,
    /// Rotation of the forefoot about the ball, rad, toes up positive.
    pub toe_bend: f32,
    /// Velocity of the middle, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
}

state! { SolePose { position, rotation, toe_bend, velocity, spin } }

impl Default for SolePose {
    fn default() -> Self {
        Self {
            position: Vec3::Y,
            rotation: Quat::IDENTITY,
            toe_bend: 0.0,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
        }
    }
}

impl SolePose {
    /// The same sole, turned as the ground has turned it.
    #[must_use]
    pub fn seated(mut self, seat: &Seat) -> Self {
        if (seat.pitch, seat.roll, seat.bend) != (0.0, 0.0, 0.0) {
            // Rises are over runs on the map, from slopes that heel and toes have already: steep on tiptoe.
            let angle = |ahead: Vec3, rise: f64| {
                let slope = f64::from(ahead.y / ahead.with_y(0.0).length().max(0.1));
                (libm::atan(slope + rise) - libm::atan(slope)) as f32
            };
            let toes = self.rotation * (Quat::from_rotation_z(self.toe_bend) * Vec3::X);
            let pitch = angle(self.rotation * Vec3::X, seat.pitch);
            let bend = angle(toes, seat.pitch + seat.bend) - pitch;
            let roll = libm::atan(seat.roll) as f32;
            let turn = Quat::from_rotation_z(pitch) * Quat::from_rotation_x(-roll);
            self.rotation = (self.rotation * turn).normalize();
            self.toe_bend += bend;
        }
        self
    }
}

/// Natural law: the height at which the ground carries a sole, and its tilt relative to the pose of the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Seat {
    /// Height of the middle of the sole, m.
    pub height: f64,
    /// Toes up, rise over run.
    pub pitch: f64,
    /// Right side up, rise over run.
    pub roll: f64,
    /// Toes up from the ball on, rise over run.
    pub bend: f64,
}

state! { Seat { height, pitch, roll, bend } }

impl Seat {
    /// How much higher the turn makes the sole at a place before its middle, to its right and beyond the ball, m.
    pub(crate) fn rise(&self, place: [f64; 3]) -> f64 {
        self.pitch * place[0] + self.roll * place[1] + self.bend * place[2]
    }
}

/// Total force of a body on the ground and its distribution over the feet, if known from the motion (DF §7).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Drive {
    /// Force on the ground, N.
    pub force: Vec3,
    /// Share of each foot, if it touches the ground.
    pub load: [f32; 2],
    /// Difference between the directions of the two feet's forces: [`crate::body::press::apart`].
    pub apart: Vec3,
    /// Centre of pressure of each foot, x and z, m.
    pub cops: [Vec2; 2],
}

state! { Drive { force, load, apart, cops } }

/// Input for a puppet in one step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// The force, if known; otherwise it follows from weight and landings.
    pub drive: Option<Drive>,
    /// One per foot.
    pub soles: Vec<SolePose>,
    /// Centre of mass, m; only x and z count.
    pub center_of_mass: Vec3,
}

state! { Pose { drive, soles, center_of_mass } }

impl Pose {
    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.center_of_mass.is_finite()
            && self.drive.is_none_or(|d| {
                d.force.is_finite()
                    && d.apart.is_finite()
                    && d.load.iter().all(|x| x.is_finite())
                    && d.cops.iter().all(|x| x.is_finite())
            })
            && self.soles.iter().all(|s| {
                let vectors = [s.position, s.velocity, s.spin];
                vectors.iter().all(|v| v.is_finite()) && s.rotation.is_finite() && s.toe_bend.is_finite()
            })
    }
}
