//! Puppets: bodies whose feet somebody else moves, a script or a host engine. Feet in, ground out.

use super::walker::Walker;
use glam::{Quat, Vec3};

/// Where a sole is and how it is turned: the heel part by `rotation`, the forefoot by `toe_bend` more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolePose {
    /// Middle of the sole on its lowest plane, m. For a pinned sole y is the clearance above the ground below it,
    /// 0 when planted; for a free one it is the height.
    pub position: Vec3,
    /// From the sole's frame (x forward, y up, z right) to the world's.
    pub rotation: Quat,
    /// Turn of the forefoot about the ball, rad, toes up positive.
    pub toe_bend: f32,
    /// How the middle moves, m/s.
    pub velocity: Vec3,
    /// How it turns, rad/s.
    pub spin: Vec3,
}

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

/// The whole force of a body on the ground and how its feet share it, where its motion tells (§2, whole-body model).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// Force on the ground, N.
    pub force: Vec3,
    /// Share of each foot, as far as it touches.
    pub load: [f32; 2],
}

/// What a puppet's owner says each step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// The force, if the owner knows it; else it follows from weight and landings.
    pub drive: Option<Drive>,
    /// One per foot.
    pub soles: Vec<SolePose>,
    /// Centre of mass, m; only x and z count.
    pub center_of_mass: Vec3,
}

impl Pose {
    /// Whether every number is one.
    pub fn is_finite(&self) -> bool {
        self.center_of_mass.is_finite()
            && self.drive.is_none_or(|d| d.force.is_finite() && d.load.iter().all(|x| x.is_finite()))
            && self.soles.iter().all(|s| {
                let vectors = [s.position, s.velocity, s.spin];
                vectors.iter().all(|v| v.is_finite()) && s.rotation.is_finite() && s.toe_bend.is_finite()
            })
    }
}

/// Who decides how high a sole stands (§3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Its height is solved so that it rests on the surface it compresses: what the papers' IK does.
    #[default]
    Pinned,
    /// A host engine moves it; contact is what it is.
    Free,
}

/// What is remembered of a foot between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Foot {
    /// Whether it stands on the ground.
    pub down: bool,
    /// Gap to the ground at the end of the last step, m; infinite before the first.
    pub gap: f64,
    /// Velocity at the end of the last step, m/s.
    pub velocity: Vec3,
    /// Turning at the end of the last step, rad/s.
    pub spin: Vec3,
    /// Change of velocity over the last step in the air, m/s².
    pub acceleration: Vec3,
    /// Latched velocity of the landing (§2), m/s; already without its receding part.
    pub landing: Vec3,
    /// Time for which the landing still presses, s.
    pub hold_left: f64,
    /// Characteristic time of the ground landed on, s.
    pub hold: f64,
    /// Time it has stood, s.
    pub stance: f64,
    /// Largest normal force of this stance, N.
    pub peak_force: f64,
    /// ∫ area dt of this stance, m²·s.
    pub area_time: f64,
    /// ∫ normal force dt of this stance, N·s.
    pub impulse: f64,
    /// Height of the sole's lowest plane while it stands, m.
    pub height: f64,
    /// Mean depth of the ground under the sole below its original height, m.
    pub depth: f64,
    /// Displaced volume not yet spread, in 2⁻³² of a nanometre over one cell.
    pub carry: i128,
}

/// A body with feet.
#[derive(Clone, Debug)]
pub struct Puppet {
    /// Mass, kg.
    pub mass: f64,
    /// Who holds its soles.
    pub hold: Hold,
    /// Index of each foot's sole.
    pub soles: Vec<usize>,
    /// What its owner last said.
    pub pose: Pose,
    /// Centre of mass at the end of the last step, m; none before the first.
    pub last_center: Option<Vec3>,
    /// What the last step left.
    pub feet: Vec<Foot>,
    /// The force it was driven by at the end of the last step.
    pub last_drive: Option<Drive>,
    /// The body that moves it, if it moves itself.
    pub walker: Option<Box<Walker>>,
    /// Set when its owner said something that is not a number: it is left out from then on.
    pub quarantined: bool,
}
