//! The balance controller (SW-1, DF-1, §8): a capsule on a hinge that brings its centre of mass over its feet.
//!
//! In: how far the support lies from below the centre of mass, ahead and to the right. Out: lean and its rate. The printed
//! torque `α(x_target − x_com) + βθ̇` has a sign slip: with +β it swings up; we damp. The papers' gains 30 and 6 belong to
//! one body of 1 kg; we give natural frequency and damping ratio, and the step is solved exactly, so 30 and 144 Hz agree.

use crate::state::walker::Lean;
use glam::Vec2;

/// Natural frequency, Hz.
pub(crate) const FREQUENCY: f64 = 1.5;
/// Damping ratio on bare ground.
pub(crate) const DAMPING: f64 = 1.05;

/// Damping ratio in vegetation of that height, m: 0.7 from half a metre on, the papers' 6 → 4.
pub(crate) fn damping(vegetation: f64) -> f64 {
    DAMPING - (DAMPING - 0.7) * (vegetation / 0.5).clamp(0.0, 1.0)
}

/// Leans towards `goal`, rad, for `dt` seconds.
pub(crate) fn step(lean: &mut Lean, goal: Vec2, frequency: f64, damping: f64, dt: f64) {
    for axis in 0..2 {
        let (x, v) = swing(
            f64::from(lean.angle[axis]),
            f64::from(lean.rate[axis]),
            f64::from(goal[axis]),
            std::f64::consts::TAU * frequency,
            damping,
            dt,
        );
        lean.angle[axis] = x as f32;
        lean.rate[axis] = v as f32;
    }
}

/// The closed solution of x″ = ω²(g − x) − 2ζω·x′ after `t` seconds.
fn swing(x: f64, v: f64, g: f64, w: f64, z: f64, t: f64) -> (f64, f64) {
    let y = x - g;
    let decay = libm::exp(-z * w * t);
    let square = z * z - 1.0;
    // c and s stand for cosh and sinh/root above critical damping, cos and sin/root below it, 1 and t at it.
    let (c, s) = if square > 1e-9 {
        let r = w * square.sqrt();
        (libm::cosh(r * t), libm::sinh(r * t) / r)
    } else if square < -1e-9 {
        let r = w * (-square).sqrt();
        (libm::cos(r * t), libm::sin(r * t) / r)
    } else {
        (1.0, t)
    };
    let next = decay * (y * c + (v + z * w * y) * s);
    let rate = decay * (v * c - (z * w * v + w * w * y) * s);
    (g + next, rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lean_is_the_same_at_30_and_144_hz_and_settles_on_its_goal() {
        for damping in [0.7, 1.0, 1.05, 2.0] {
            let run = |rate: f64| {
                let mut lean = Lean { angle: Vec2::new(0.3, -0.1), rate: Vec2::new(-1.0, 0.5) };
                for _ in 0..(0.5 * rate) as usize {
                    step(&mut lean, Vec2::new(0.1, 0.0), FREQUENCY, damping, 1.0 / rate);
                }
                lean.angle
            };
            let (slow, fast) = (run(30.0), run(144.0));
            assert!((slow - fast).length() < 2e-4, "ζ {damping}: {slow} {fast}");
        }
        let mut lean = Lean { angle: Vec2::ONE, rate: Vec2::ZERO };
        step(&mut lean, Vec2::splat(0.2), FREQUENCY, DAMPING, 10.0);
        assert!((lean.angle - Vec2::splat(0.2)).length() < 1e-4, "{lean:?}");
    }
}
