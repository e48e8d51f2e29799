//! What a body is and how it stands: joints and masses, legs by inverse kinematics, feet that roll, weight that is shared.
//!
//! In: a [`Body`](crate::params::Body) and where its feet and pelvis are wanted. Out: poses of the joints, soles, shares.

pub mod press;
pub mod share;
mod skeleton;
mod solve;
mod stance;

pub use skeleton::{
    Bend, FootShape, HIP, JOINTS, Joint, Mass, NAMES, PARENT, Placed, Pose, SEGMENTS, SHOULDER, STRAIGHTEST,
    Skeleton, bone, reach, two_bone,
};
pub(crate) use solve::{Goal, solve};
pub use stance::{FootPose, Ground, Roll, rolled};
