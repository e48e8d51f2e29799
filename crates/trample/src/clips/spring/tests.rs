use super::*;
use proptest::prelude::*;

fn vector(a: [f32; 3]) -> Vec3 {
    Vec3::from_array(a)
}

fn numbers(size: f32) -> impl Strategy<Value = [f32; 3]> {
    [-size..size, -size..size, -size..size]
}

/// A second at some frame rate.
fn run<S>(hertz: u32, mut state: S, step: impl Fn(S, f64) -> S) -> S {
    for _ in 0..hertz {
        state = step(state, 1.0 / f64::from(hertz));
    }
    state
}

fn near(a: Quat, b: Quat) -> f32 {
    rotation_vector(a * b.conjugate()).length()
}

proptest! {
    #[test]
    fn half_steps_make_a_whole_one(
        x in -5.0..5.0f64, v in -20.0..20.0f64, goal in -5.0..5.0f64, pull in -3.0..3.0f64,
        halflife in 0.02..2.0f64, dt in 0.0..0.2f64, part in 0.0..1.0f64,
    ) {
        let (first, second) = (part * dt, dt - part * dt);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + a.abs() / halflife);
        let half = spring(x, v, goal, halflife, first);
        let (two, one) = (spring(half.0, half.1, goal, halflife, second), spring(x, v, goal, halflife, dt));
        prop_assert!(close(two.0, one.0) && close(two.1, one.1), "{two:?} {one:?}");
        let half = spring_to_velocity(x, v, pull, goal, halflife, first);
        let two = spring_to_velocity(half.0, half.1, half.2, goal, halflife, second);
        let one = spring_to_velocity(x, v, pull, goal, halflife, dt);
        prop_assert!(close(two.0, one.0) && close(two.1, one.1) && (two.2 - one.2).abs() < 1e-6, "{two:?} {one:?}");
    }

    #[test]
    fn frame_rates_agree_after_a_second(
        x in -1.0..1.0f32, v in -3.0..3.0f32, goal in -1.0..1.0f32, halflife in 0.1..1.0f64,
    ) {
        let value = |hertz| run(hertz, (x, v), |s, dt| spring(s.0, s.1, goal, halflife, dt));
        // Adding up 240 positions in single precision would itself drift by more than 1e-5.
        let (place, speed, aim) = (f64::from(x), f64::from(v), f64::from(goal));
        let path = |hertz| {
            run(hertz, (place, speed, 0.0), |s, dt| spring_to_velocity(s.0, s.1, s.2, aim, halflife, dt))
        };
        for hertz in [144, 240] {
            prop_assert!((value(hertz).0 - value(30).0).abs() < 1e-5);
            prop_assert!((value(hertz).1 - value(30).1).abs() < 1e-4);
            prop_assert!((path(hertz).0 - path(30).0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_spring_obeys_its_equation(x in -2.0..2.0f64, v in -5.0..5.0f64, halflife in 0.1..1.0f64, t in 0.0..1.0f64) {
        let (y, h) = (2.0 * LN_2 / halflife, 1e-4);
        let at = |t: f64| spring(x, v, 0.5, halflife, t);
        let ((a, _), (b, rate), (c, _)) = (at(t), at(t + h), at(t + 2.0 * h));
        prop_assert!(((c - a) / (2.0 * h) - rate).abs() < 1e-3 * (1.0 + y * y), "the rate is that of the value");
        let pull = y * y * (0.5 - b) - 2.0 * y * rate;
        prop_assert!(((a + c - 2.0 * b) / (h * h) - pull).abs() < 1e-2 * (1.0 + y * y * y), "{pull}");
        let moved = |t: f64| spring_to_velocity(x, v, -0.7, 0.5, halflife, t);
        prop_assert!(((moved(t + h).0 - moved(t).0) / h - moved(t + 0.5 * h).1).abs() < 1e-5 * (1.0 + y * y));
    }

    #[test]
    fn from_rest_a_spring_never_overshoots(x in -2.0..2.0f32, goal in -2.0..2.0f32, halflife in 0.01..1.0f64) {
        let (mut at, mut v, mut left) = (x, 0.0, (x - goal).abs());
        for _ in 0..200 {
            (at, v) = spring(at, v, goal, halflife, 1.0 / 60.0);
            let now = (at - goal).abs();
            prop_assert!(now <= left + 1e-6, "it comes nearer");
            prop_assert!((at - goal) * (x - goal) >= -1e-6, "and does not pass");
            left = now;
        }
    }

    #[test]
    fn rotations_and_their_vectors_are_the_same(v in numbers(1.8), w in numbers(4.0)) {
        let (v, w) = (vector(v), vector(w));
        let q = rotation(v);
        prop_assert!((q.length() - 1.0).abs() < 1e-6);
        prop_assert!((rotation_vector(q) - v).length() < 2e-6, "a turn of {}", v.length());
        prop_assert!((rotation_vector(-q) - v).length() < 2e-6, "the other sign is the same turn");
        let rate = turn_rate(v, w);
        prop_assert!((angular_velocity_of(v, rate) - w).length() < 1e-4, "there and back");
        // The definition, by a small step.
        let h = 1e-3;
        let step = angular_velocity(rotation(v - rate * h), rotation(v + rate * h), f64::from(2.0 * h));
        prop_assert!((step - w).length() < 3e-3 * (1.0 + w.length()), "{step} {w}");
    }

    #[test]
    fn a_transition_shows_no_jump_in_pose_or_velocity(
        seats in [numbers(0.5), numbers(0.5)], speeds in [numbers(2.0), numbers(2.0)],
        turns in [numbers(3.0), numbers(3.0)], spins in [numbers(4.0), numbers(4.0)],
    ) {
        let state = |k: usize| JointState {
            position: vector(seats[k]),
            rotation: rotation(vector(turns[k])),
            velocity: vector(speeds[k]),
            angular_velocity: vector(spins[k]),
        };
        let (source, destination) = (state(0), state(1));
        // The new clip plays on at its velocity.
        let clip = |t: f64| JointState {
            position: destination.position + destination.velocity * t as f32,
            rotation: rotation(destination.angular_velocity * t as f32) * destination.rotation,
            ..destination
        };
        let mut inertializer = Inertializer::new(1);
        inertializer.transition(&[source], &[destination]);
        let shown = |i: &Inertializer, t: f64| {
            let mut pose = [clip(t)];
            i.apply(&mut pose);
            pose[0]
        };
        let first = shown(&inertializer, 0.0);
        prop_assert!((first.position - source.position).length() < 1e-6);
        prop_assert!(near(first.rotation, source.rotation) < 2e-6);
        prop_assert!((first.velocity - source.velocity).length() < 1e-5);
        prop_assert!((first.angular_velocity - source.angular_velocity).length() < 1e-3);
        let h = 1e-3;
        inertializer.advance(h);
        let next = shown(&inertializer, h);
        let spin = angular_velocity(first.rotation, next.rotation, h);
        prop_assert!((spin - 0.5 * (first.angular_velocity + next.angular_velocity)).length() < 0.05, "{spin}");
        let speed = (next.position - first.position) / h as f32;
        prop_assert!((speed - 0.5 * (first.velocity + next.velocity)).length() < 0.02, "{speed}");
        // A new jump from what is shown goes on just as smoothly.
        inertializer.transition(&[next], &[source]);
        let mut again = [source];
        inertializer.apply(&mut again);
        prop_assert!(near(again[0].rotation, next.rotation) < 2e-6);
        prop_assert!((again[0].angular_velocity - next.angular_velocity).length() < 1e-3);
        // In the end the new clip is all there is, at any frame rate.
        inertializer.transition(&[next], &[clip(h)]);
        let rates = [30u32, 144, 240].map(|hertz| {
            let mut i = inertializer.clone();
            for _ in 0..hertz / 6 {
                i.advance(1.0 / f64::from(hertz));
            }
            shown(&i, 0.0)
        });
        for rate in &rates[1..] {
            prop_assert!((rate.position - rates[0].position).length() < 1e-5);
            prop_assert!(near(rate.rotation, rates[0].rotation) < 1e-5);
        }
        inertializer.advance(2.0);
        prop_assert!(near(shown(&inertializer, 0.0).rotation, destination.rotation) < 1e-5);
    }
}

#[test]
fn a_half_life_halves() {
    // (1 + k · 2 ln 2) / 4^k of the way is left after k half-lives.
    let left = |k: f64| spring(1.0f64, 0.0, 0.0, 0.1, 0.1 * k).0;
    for (k, expected) in [(1.0, 0.597), (2.0, 0.236), (4.0, 0.0256)] {
        assert!((left(k) - expected).abs() < 1e-3, "{k} half-lives: {}", left(k));
    }
}

#[test]
fn no_time_changes_no_bit() {
    let (x, v, goal) = (0.1f32, 7.7f32, 1e7f32);
    for dt in [0.0, -0.0, -1.0, f64::NAN] {
        assert_eq!(spring(x, v, goal, 0.1, dt), (x, v));
        assert_eq!(spring_to_velocity(x, v, 0.3, goal, 0.1, dt), (x, v, 0.3));
        assert_eq!(decay(x, v, 0.1, dt), (x, v));
        assert_eq!(angular_velocity(Quat::IDENTITY, rotation(Vec3::X), dt), Vec3::ZERO);
    }
}

#[test]
fn without_a_half_life_the_goal_is_reached_at_once() {
    for halflife in [0.0, -1.0, 1e-30, 1e-12, f64::NAN] {
        assert_eq!(spring(Vec3::X, Vec3::Y, Vec3::Z, halflife, 1e-3), (Vec3::Z, Vec3::ZERO));
        let (x, v, a) = spring_to_velocity(1.0f64, 5.0, 9.0, 2.0, halflife, 0.5);
        assert!((x - 2.0).abs() < 1e-6 && v == 2.0 && a == 0.0, "{x} {v} {a}");
    }
    let (x, v) = spring(3.0f64, 1.0, 0.0, f64::INFINITY, 0.5);
    assert_eq!((x, v), (3.5, 1.0), "and without a pull it flies on");
    assert_eq!(spring_to_velocity(3.0f64, 1.0, 2.0, 9.0, f64::INFINITY, 0.5), (3.75, 2.0, 2.0));
    let at = |halflife| spring_to_velocity(0.0f64, 1.0, 2.0, 9.0, halflife, 0.01).0;
    assert!((at(138.0) - at(139.0)).abs() < 1e-7, "the series goes on where the formula ends");
}

#[test]
fn offsets_of_half_a_turn_go_away_the_short_way() {
    let pi = std::f32::consts::PI;
    for angle in [0.0, 1e-7, 1e-4, 0.9999e-3, 1.0001e-3, 1.0, 3.0, 3.13, pi, 3.2, 6.0] {
        let start = JointState { rotation: rotation(Vec3::Y * angle), ..JointState::default() };
        let mut offsets = Inertializer::new(1);
        offsets.transition(&[start], &[JointState::default()]);
        let mut left = rotation_vector(start.rotation).length();
        assert!((left - angle.min(2.0 * pi - angle)).abs() < 1e-6, "{left} of {angle}");
        for _ in 0..120 {
            offsets.advance(1.0 / 60.0);
            let mut pose = [JointState::default()];
            offsets.apply(&mut pose);
            let now = rotation_vector(pose[0].rotation).length();
            let finite = pose[0].rotation.is_finite() && pose[0].angular_velocity.is_finite();
            assert!(now <= left + 1e-6 && finite, "{angle}: {left} to {now}");
            left = now;
        }
        assert!(left < 1e-5, "{angle}: {left} left");
    }
    assert_eq!(rotation_vector(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), Vec3::ZERO, "not even zero makes a NaN");
}

#[test]
fn forgetting_and_fewer_joints() {
    let (mut i, moved) = (Inertializer::new(3), JointState { position: Vec3::X, ..JointState::default() });
    i.transition(&[moved; 2], &[JointState::default(); 5]);
    let mut pose = [JointState::default(); 4];
    i.apply(&mut pose);
    assert_eq!(pose.map(|j| j.position), [Vec3::X, Vec3::X, Vec3::ZERO, Vec3::ZERO]);
    i.clear();
    assert_eq!(i, Inertializer::new(3));
}
