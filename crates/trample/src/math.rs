//! Small functions that several rooms use.

use glam::DVec2;

/// The unit vector of a heading.
pub(crate) fn direction(heading: f64) -> DVec2 {
    DVec2::new(libm::cos(heading), libm::sin(heading))
}

/// A smooth step from 0 at 0 to 1 at 1.
pub(crate) fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// An angle between −π and π.
pub(crate) fn wrap(angle: f32) -> f32 {
    let turns = angle / std::f32::consts::TAU;
    (turns - turns.round()) * std::f32::consts::TAU
}
