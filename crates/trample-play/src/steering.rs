//! Sticks and keys that are held become a velocity and a heading that a walker is asked for.

use crate::controls::{Order, key_of};
use trample::World;
use trample::scene::{Motion, Steer};

/// Walking speed that keys ask for, m/s.
pub const WALK: f32 = 1.35;
/// Running speed, m/s.
pub const RUN: f32 = 3.0;
/// Speed of a sidestep, m/s.
pub const SIDE: f32 = 0.7;

/// What is held down now: a stick's worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    /// Forwards, as the camera looks, −1..1.
    pub ahead: f32,
    /// To the right, −1..1.
    pub right: f32,
    /// Whether to run.
    pub run: bool,
    /// Sidestep, −1 left, 1 right.
    pub side: f32,
}

impl Held {
    /// Whether nothing is wanted.
    pub fn is_nothing(&self) -> bool {
        self.ahead.abs() < 0.05 && self.right.abs() < 0.05 && self.side.abs() < 0.05
    }

    /// The wish of a walker that looks along `heading`, seen from a camera that looks along `forward`, both rad.
    pub fn steer(&self, forward: f32, heading: f32) -> Steer {
        if self.side.abs() >= 0.05 && self.ahead.abs() < 0.05 {
            // A sidestep keeps looking the same way.
            let right = heading + std::f32::consts::FRAC_PI_2;
            let speed = SIDE * self.side.clamp(-1.0, 1.0);
            let velocity = [libm::cosf(right) * speed, libm::sinf(right) * speed];
            return Steer { velocity, heading: Some(heading), motion: Motion::Sidestep };
        }
        let push = (self.ahead * self.ahead + self.right * self.right).sqrt().min(1.0);
        if push < 0.05 {
            return Steer::default();
        }
        let way = forward + libm::atan2f(self.right, self.ahead);
        let speed = push * if self.run { RUN } else { WALK };
        let velocity = [libm::cosf(way) * speed, libm::sinf(way) * speed];
        let motion = if self.run { Motion::Run } else { Motion::Auto };
        Steer { velocity, heading: None, motion }
    }
}

/// Why keys that are held move nobody, in words for a person; none if they do.
pub fn refusal(world: &World, puppet: usize, replaying: bool, paused: bool) -> Option<String> {
    let keys = |order| key_of(order);
    if replaying {
        return Some("a recording is being replayed: stop it in the panel to walk yourself".into());
    }
    if paused {
        return Some(format!("time stands still: {} lets it go on", keys(Order::Pause)));
    }
    if world.walker(puppet).is_none() {
        let other = (0..world.puppets()).find(|id| world.walker(*id).is_some());
        return Some(match other {
            Some(id) => {
                format!("this one follows a script: choose {} in the panel", world.scene().puppets[id].name)
            }
            None => format!("nobody here can be steered: {} shows places to walk in", keys(Order::Places)),
        });
    }
    None
}

/// Room that a walker keeps to the edge of the ground, m.
const EDGE: f64 = 0.6;
/// How far ahead a walker looks for the edge, s: it stops within about that time.
const AHEAD: f64 = 0.8;

/// A wish of a walker at a place on ground of this size (m) that does not lead over its edge: towards it slower and slower, along it
/// as wished.
pub fn fenced(steer: Steer, at: [f64; 2], size: [f64; 2]) -> Steer {
    let velocity = [0, 1].map(|k| {
        // In quarters of a metre per second, so that a tape is not filled with nothing.
        let most = |room: f64| (4.0 * (room - EDGE).max(0.0) / AHEAD).floor() as f32 / 4.0;
        steer.velocity[k].clamp(-most(at[k]), most(size[k] - at[k]))
    });
    let slow = libm::hypotf(velocity[0], velocity[1]) <= WALK;
    let motion = if steer.motion == Motion::Run && slow { Motion::Auto } else { steer.motion };
    Steer { velocity, motion, ..steer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::start::{self, stroll};

    fn after(held: Held, seconds: usize) -> (f64, f64, f64) {
        let scene = stroll();
        let mut world = World::new(&scene).expect("world");
        for _ in 0..60 * seconds {
            let heading = world.walker(0).expect("walker").0.heading as f32;
            Action::steer(0, held.steer(0.0, heading)).apply(&mut world).expect("steers");
            world.step(scene.dt());
        }
        let walker = world.walker(0).expect("walker").0;
        (walker.root.x - 5.12, walker.root.y - 5.12, walker.heading)
    }

    #[test]
    fn forwards_is_where_the_camera_looks_and_shift_runs() {
        let (x, z, _) = after(Held { ahead: 1.0, ..Held::default() }, 2);
        assert!((1.5..3.2).contains(&x) && z.abs() < 0.4, "walked to {x}, {z}");
        let (run, ..) = after(Held { ahead: 1.0, run: true, ..Held::default() }, 2);
        assert!(run > 1.4 * x, "ran {run} m, walked {x} m");
        let (x, z, _) = after(Held { right: 1.0, ..Held::default() }, 2);
        assert!(z > 0.8 && x.abs() < 1.0, "right is +z when looking along +x: {x}, {z}");
    }

    #[test]
    fn a_sidestep_goes_sideways_and_keeps_looking_ahead() {
        let (x, z, heading) = after(Held { side: 1.0, ..Held::default() }, 3);
        assert!(z > 0.6 && x.abs() < 0.5, "went to {x}, {z}");
        assert!(heading.abs() < 0.5, "looks along {heading} rad");
    }

    #[test]
    fn nobody_walks_or_runs_off_the_ground() {
        let scene = stroll();
        let size = scene.terrain.size;
        for (way, run) in [(0.0, false), (0.8, true), (2.0, true), (-1.6, true)] {
            let mut world = World::new(&scene).expect("world");
            for _ in 0..60 * 12 {
                let walker = world.walker(0).expect("walker").0;
                let (at, heading) = ([walker.root.x, walker.root.y], walker.heading as f32);
                assert!((0..2).all(|k| (0.0..=size[k]).contains(&at[k])), "at {at:?} of {size:?}, way {way}");
                let held = Held { ahead: 1.0, run, ..Held::default() };
                Action::steer(0, fenced(held.steer(way, heading), at, size))
                    .apply(&mut world)
                    .expect("steers");
                world.step(scene.dt());
            }
            let walker = world.walker(0).expect("walker").0;
            let near = [walker.root.x, walker.root.y].iter().zip(size).any(|(x, s)| *x < 1.5 || *x > s - 1.5);
            assert!(near, "went to the edge: {:?}", walker.root);
        }
    }

    #[test]
    fn keys_that_move_nobody_are_answered() {
        let world = World::new(&stroll()).expect("world");
        assert_eq!(refusal(&world, 0, false, false), None);
        assert!(refusal(&world, 0, true, false).is_some_and(|w| w.contains("replayed")));
        assert!(refusal(&world, 0, false, true).is_some_and(|w| w.contains("P lets it go on")));
        let plate = start::find("plate").and_then(|s| s.scene()).expect("a scene");
        let world = World::new(&plate).expect("world");
        assert!(refusal(&world, 0, false, false).is_some_and(|w| w.contains("nobody here")));
    }

    #[test]
    fn nothing_held_is_standing() {
        assert_eq!(Held::default().steer(1.0, 2.0), Steer::default());
        assert!(Held::default().is_nothing());
    }
}
