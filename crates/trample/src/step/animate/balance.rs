//! The balance controller (SW-1, DF-1): a capsule on a hinge at its feet that moves its centre of mass over the centre of its
//! support, on the current ground.
//!
//! In: a body, the offset of its centre of support from below the centre of mass, ahead and to the right. Out: lean and its
//! rate. `I·θ″ = m·(α(x_target − x_com) − β·θ′)`. The printed torque `α(x_target − x_com) + βθ̇` has a sign error: +β
//! amplifies oscillations; we damp. The papers' gains, 30 and 6, are for a body of 1 kg (SW §4); ours are per kilogram, and β grows with
//! the centre's height to the power 3/2, so that bodies of another size swing alike. Each step is solved exactly, so 30 and 144 Hz agree.

use crate::params::{Body, GRAVITY};
use crate::state::walker::Lean;
use glam::DVec2;

/// Height of the centre of mass of a standing body over its height (de Leva 1996: 0.55 to 0.57).
pub(crate) const CENTRE: f64 = 0.56;
/// Height of the centre of mass for which β is given, m: that of the papers' 1.8 m walker.
const NOMINAL: f64 = CENTRE * 1.8;
/// In vegetation of 0.9 m the papers' β of 6 becomes 4 with the sign they print, which swings less; ours grows by this part.
const IN_GROWTH: f64 = 0.5;
/// Height of vegetation for that, m (SW §4).
const GROWTH: f64 = 0.9;
/// Inertia of a capsule about its lower end over mass and height of its centre squared: that of a rod.
const INERTIA: f64 = 4.0 / 3.0;
/// A push that carries the centre of mass farther than this, in parts of the foot's length, is answered by steps: beyond its
/// toes nobody stands (the capture point of an inverted pendulum, Hof 2008); our choice.
const CAPTURE: f64 = 0.5;

/// A body as the controller sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capsule {
    /// Height of its centre of mass, m.
    height: f64,
    /// Natural frequency, rad/s.
    frequency: f64,
    /// Damping ratio on bare ground.
    damping: f64,
}

impl Capsule {
    /// Of a body whose centre of mass stands `height` m high.
    pub(crate) fn new(body: &Body, height: f64) -> Self {
        let height = height.max(0.1);
        let inertia = INERTIA * height * height;
        let frequency = (body.balance_alpha * height / inertia).sqrt();
        let tall = height / NOMINAL;
        let damping = body.balance_beta * tall * tall.sqrt() / (2.0 * inertia * frequency.max(1e-6));
        Self { height, frequency, damping }
    }

    /// Leans for `dt` s towards a support whose middle lies `target` m ahead and to the right of the upright centre of mass, in
    /// vegetation of that height, m.
    pub(crate) fn step(&self, lean: &mut Lean, target: DVec2, growth: f64, dt: f64) {
        let damping = self.damping * (1.0 + IN_GROWTH * growth / GROWTH);
        let goal = [target.x, target.y].map(|x| (x / self.height).clamp(-MOST_LEAN, MOST_LEAN));
        for axis in 0..2 {
            let now = (f64::from(lean.angle[axis]), f64::from(lean.rate[axis]));
            let (x, v) = swing(now.0, now.1, goal[axis], self.frequency, damping, dt);
            // Nobody folds up: what is pushed farther is caught by steps.
            let over = x.abs() > FARTHEST;
            lean.angle[axis] = x.clamp(-FARTHEST, FARTHEST) as f32;
            lean.rate[axis] = if over { 0.0 } else { v as f32 };
        }
    }

    /// What a push at the centre of mass does: changes the rate of leaning, `by` m/s ahead and to the right; true if it takes
    /// steps to stay up.
    pub(crate) fn push(&self, lean: &mut Lean, by: DVec2, foot: f64) -> bool {
        lean.rate += (by / (INERTIA * self.height)).as_vec2();
        by.length() / (GRAVITY / self.height).sqrt() > CAPTURE * foot
    }
}

/// The largest lean that is aimed at, and the farthest a push brings a body, rad: our choice.
const MOST_LEAN: f64 = 0.45;
const FARTHEST: f64 = 0.6;

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
    use glam::Vec2;

    fn capsule(beta: f64) -> Capsule {
        let body = Body { balance_beta: beta, ..Body::default() };
        Capsule::new(&body, CENTRE * body.height)
    }

    #[test]
    fn the_lean_is_the_same_at_30_and_144_hz_and_settles_on_its_goal() {
        for beta in [3.0, 6.0, 12.6, 25.0] {
            let run = |rate: f64| {
                let mut lean = Lean { angle: Vec2::new(0.3, -0.1), rate: Vec2::new(-1.0, 0.5) };
                for _ in 0..(0.5 * rate) as usize {
                    capsule(beta).step(&mut lean, DVec2::new(0.1, 0.0), 0.0, 1.0 / rate);
                }
                lean.angle
            };
            let (slow, fast) = (run(30.0), run(144.0));
            assert!((slow - fast).length() < 2e-4, "β {beta}: {slow} {fast}");
        }
        let mut lean = Lean { angle: Vec2::splat(0.5), rate: Vec2::ZERO };
        let tall = CENTRE * Body::default().height;
        capsule(6.0).step(&mut lean, DVec2::splat(0.2 * tall), 0.0, 10.0);
        assert!((lean.angle - Vec2::splat(0.2)).length() < 1e-4, "{lean:?}");
    }

    #[test]
    fn the_papers_gains_of_one_kilogram_give_one_frequency_to_all_masses_and_the_same_swing_to_all_sizes() {
        let of = |body: Body| Capsule::new(&body, CENTRE * body.height);
        let (usual, heavy, child) =
            (of(Body::default()), of(Body::new(1.8, 120.0)), of(Body::by_name("child").expect("a body")));
        assert_eq!(usual.frequency, heavy.frequency);
        assert!((usual.damping / child.damping - 1.0).abs() < 1e-9, "{usual:?} {child:?}");
        // ω² = α·h/(4/3·h²): 30/(4/3·1.008), and β/(2·4/3·h²·ω) with β = 6.
        assert!(
            (usual.frequency - 4.7246).abs() < 1e-3 && (usual.damping - 0.4687).abs() < 1e-3,
            "{usual:?}"
        );
    }

    #[test]
    fn tall_vegetation_damps_more_and_goes_on_doing_so() {
        let swung = |growth: f64| {
            let mut lean = Lean { angle: Vec2::new(0.2, 0.0), rate: Vec2::ZERO };
            (0..240).fold(0.0f32, |far, _| {
                capsule(6.0).step(&mut lean, DVec2::ZERO, growth, 1.0 / 60.0);
                far.max(-lean.angle.x)
            })
        };
        let far = [0.0, 0.45, 0.9].map(swung);
        assert!(far[0] > 1.3 * far[1] && far[1] > 1.3 * far[2] && far[2] > 0.0, "{far:?}");
    }
}
