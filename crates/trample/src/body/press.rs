//! Where under its sole a foot presses, and which way, when two feet stand.
//!
//! In: the clock of a foot, a whole force and its shares. Out: the centre of pressure, the force of either foot. The path of the
//! centre of pressure is fitted to one recorded adult; directions follow from one point above the body.

use super::skeleton::FootShape;
use glam::{Vec2, Vec3};

/// How the force of foot 0 differs in direction from that of foot 1, both standing: each presses from where it acts towards
/// one point above the body, the pivot (Maus, Lipfert, Gross, Rummel & Seyfarth 2010). With shares λ the force of foot 0 is
/// `λ₀F + λ₀λ₁·F.y·apart` and that of foot 1 the rest, so that the leading foot brakes while the trailing one pushes.
pub fn apart(cops: [Vec3; 2], pivot: Vec3) -> Vec3 {
    let lines = cops.map(|p| {
        let line = pivot - p;
        line / line.y.max(0.3)
    });
    (lines[0] - lines[1]).with_y(0.0)
}

/// The same where it is known how the force of either foot leans along the motion, which goes `ahead`: `tilts` are forces along it over
/// upward forces. Where one is not known, all as it was.
pub fn leaning(apart: Vec3, ahead: Vec3, tilts: [f32; 2]) -> Vec3 {
    let known = tilts[0] - tilts[1];
    if known.is_nan() { apart } else { apart + ahead * (known - apart.dot(ahead)) }
}

/// The pivot lies this many times as high as the centre of mass of the standing body; ours, above it as measured (Maus 2010).
pub const PIVOT: f32 = 1.1;

/// The force of a foot with share `own` beside one with share `other`, of a whole force on the ground.
pub fn of_foot(whole: Vec3, own: f32, other: f32, apart: Vec3) -> Vec3 {
    whole * own + apart * (own * other * whole.y)
}

/// Where the force acts over the stance, as (part of the stance, part of the foot from heel to toe tip): heel, ball, big toe.
/// Fitted to one recorded adult (OpenSim subject01, walking) up to 0.8 of the stance; then to the big toe.
const COP: [(f32, f32); 10] = [
    (0.0, 0.03),
    (0.05, 0.13),
    (0.15, 0.24),
    (0.3, 0.41),
    (0.4, 0.57),
    (0.5, 0.71),
    (0.6, 0.77),
    (0.8, 0.80),
    (0.9, 0.84),
    (1.0, 0.92),
];

/// A foot's clock at rest: the force acts before the ankles, below the body.
pub const RESTS: f32 = 0.3;

/// The longest stance of a walk, s: that of the gait's own law at 0.45 m/s. Who stands longer stands.
const LONGEST: f64 = 1.35;

/// The clock of a foot `since` s after touch-down and `left` s before lift-off: the part of its stance that is over. A foot
/// that stands long comes to [`RESTS`] and stays there until it is about to leave.
pub fn stance_clock(since: f64, left: f64) -> f32 {
    const STANCE: f64 = 0.7;
    let whole = since + left;
    if whole <= LONGEST {
        return (since / whole.max(1e-9)) as f32;
    }
    let rests = f64::from(RESTS);
    (since / STANCE).min(rests).max(1.0 - left / STANCE).clamp(0.0, 1.0) as f32
}

/// Where under its sole a foot presses at `clock` of its stance: before its middle and to its outer side, m. The path bows to
/// the outer edge under the middle of the foot and ends at the big toe (after Grundy et al. 1975, the amounts ours).
pub fn centre_of_pressure(clock: f32, foot: &FootShape) -> Vec2 {
    let s = clock.clamp(0.0, 1.0);
    let i = COP.partition_point(|p| p.0 <= s).clamp(1, COP.len() - 1);
    let ((s0, c0), (s1, c1)) = (COP[i - 1], COP[i]);
    let along = c0 + (c1 - c0) * ((s - s0) / (s1 - s0));
    let out = 0.2 * libm::sinf(std::f32::consts::PI * s) - 0.4 * s * s * s;
    Vec2::new(foot.heel as f32 + along * (foot.toe - foot.heel) as f32, out * foot.half_width as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_goes_from_the_heel_over_the_ball_to_the_big_toe() {
        let foot = FootShape {
            heel: -0.15,
            ball: 0.07,
            toe: 0.15,
            half_width: 0.05,
            ankle: -0.08,
            ankle_height: 0.1,
        };
        let at = |s: f32| centre_of_pressure(s, &foot);
        assert!((1..=50).all(|i| at(i as f32 / 50.0).x > at((i - 1) as f32 / 50.0).x), "always forwards");
        assert!(at(0.02).x < -0.12 && (at(0.6).x - 0.07).abs() < 0.03 && at(1.0).x > 0.12);
        assert!(at(0.4).y > 0.0 && at(1.0).y < -0.01, "outwards, then to the big toe");
    }
}
