//! Cameras: where each wants to be, and springs that bring it there smoothly at any frame rate.
//!
//! In: the walker, what mouse and sticks say, the time that passed. Out: eye, target and up. Springs are exact, so that a
//! camera at 30 frames a second goes the same way as one at 240.

use trample::glam::Vec3;
use trample::motion::spring::spring;

/// Which camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Behind the walker, turning with it.
    #[default]
    Follow,
    /// Around the walker, as the mouse says.
    Orbit,
    /// Close above the last footprint, at a low angle.
    Print,
    /// Straight down on the terrain, as a map; x to the right, z down.
    Top,
    /// From the side, with the walker.
    Side,
}

impl View {
    /// All, in the order of their keys.
    pub const ALL: [Self; 5] = [Self::Follow, Self::Orbit, Self::Print, Self::Top, Self::Side];

    /// Name in the panel and for `--camera`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Follow => "follow",
            Self::Orbit => "orbit",
            Self::Print => "print",
            Self::Top => "top",
            Self::Side => "side",
        }
    }

    /// The camera of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// The next one.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|v| *v == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

/// Who is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subject {
    /// Place on the ground, m.
    pub position: Vec3,
    /// Heading, rad from +x towards +z.
    pub heading: f32,
    /// Height of the body, m.
    pub height: f32,
    /// The last print that was left, m.
    pub print: Vec3,
    /// Extent of the terrain in x and z, m.
    pub size: [f32; 2],
}

/// What mouse, fingers and sticks say since the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// Turn to the left, rad.
    pub yaw: f32,
    /// Turn upwards, rad.
    pub pitch: f32,
    /// Factor of the distance, as a power of e: above 0 is farther.
    pub zoom: f32,
}

/// Where a camera is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// The eye, m.
    pub eye: Vec3,
    /// What it looks at, m.
    pub target: Vec3,
    /// What is up.
    pub up: Vec3,
}

/// Half-life of the eye's distance to where it wants to be, s.
const EYE: f64 = 0.12;
/// The same of the target.
const TARGET: f64 = 0.08;
/// The same of a heading that is followed.
const HEADING: f64 = 0.35;

/// A camera on springs.
#[derive(Clone, Copy, Debug)]
pub struct Rig {
    /// Which.
    pub view: View,
    yaw: f32,
    pitch: f32,
    zoom: f32,
    followed: (f32, f32),
    eye: (Vec3, Vec3),
    target: (Vec3, Vec3),
    up: (Vec3, Vec3),
    started: bool,
}

impl Default for Rig {
    fn default() -> Self {
        Self {
            view: View::Follow,
            yaw: 0.0,
            pitch: 0.0,
            zoom: 0.0,
            followed: (0.0, 0.0),
            eye: (Vec3::ZERO, Vec3::ZERO),
            target: (Vec3::ZERO, Vec3::ZERO),
            up: (Vec3::Y, Vec3::ZERO),
            started: false,
        }
    }
}

/// The direction of a heading and a height angle.
fn direction(yaw: f32, pitch: f32) -> Vec3 {
    let flat = libm::cosf(pitch);
    Vec3::new(libm::cosf(yaw) * flat, libm::sinf(pitch), libm::sinf(yaw) * flat)
}

/// The angle nearest to `near` that is the same as `angle`.
fn unwrapped(angle: f32, near: f32) -> f32 {
    let turn = std::f32::consts::TAU;
    angle + turn * ((near - angle) / turn).round()
}

impl Rig {
    /// A camera at its usual place.
    pub fn new(view: View) -> Self {
        Self { view, ..Self::default() }
    }

    /// Another camera; the one before is left on springs.
    pub fn choose(&mut self, view: View) {
        self.view = view;
        (self.yaw, self.pitch, self.zoom) = (0.0, 0.0, 0.0);
    }

    /// Where it is at once, without springs: for the first frame and for pictures.
    pub fn cut(&mut self) {
        self.started = false;
    }

    /// The heading from which keys are understood: forwards is away from the eye, rad.
    pub fn forward(&self) -> f32 {
        let way = self.target.0 - self.eye.0;
        if way.x * way.x + way.z * way.z < 1e-6 || self.view == View::Top {
            return -std::f32::consts::FRAC_PI_2;
        }
        libm::atan2f(way.z, way.x)
    }

    /// Goes on by `dt` seconds. `ground` tells the height of the ground, m, so that no eye is below it.
    pub fn go(&mut self, subject: &Subject, turn: Turn, dt: f64, ground: impl Fn(f32, f32) -> f32) -> Placed {
        self.yaw += turn.yaw;
        self.pitch = (self.pitch + turn.pitch).clamp(-1.2, 1.2);
        self.zoom = (self.zoom + turn.zoom).clamp(-2.2, 2.2);
        if !self.started {
            self.followed = (subject.heading, 0.0);
        }
        let heading = unwrapped(subject.heading, self.followed.0);
        self.followed = spring(self.followed.0, self.followed.1, heading, HEADING, dt);
        let mut goal = self.goal(subject);
        // Above the ground by a hand's breadth, or by a finger's for the close view.
        let clearance = if self.view == View::Print { 0.04 } else { 0.25 };
        goal.eye.y = goal.eye.y.max(ground(goal.eye.x, goal.eye.z) + clearance);
        if !self.started {
            self.started = true;
            (self.eye, self.target, self.up) =
                ((goal.eye, Vec3::ZERO), (goal.target, Vec3::ZERO), (goal.up, Vec3::ZERO));
        }
        self.eye = spring(self.eye.0, self.eye.1, goal.eye, EYE, dt);
        self.target = spring(self.target.0, self.target.1, goal.target, TARGET, dt);
        self.up = spring(self.up.0, self.up.1, goal.up, TARGET, dt);
        let mut eye = self.eye.0;
        eye.y = eye.y.max(ground(eye.x, eye.z) + 0.5 * clearance);
        Placed { eye, target: self.target.0, up: self.up.0.normalize_or(Vec3::Y) }
    }

    /// Where it wants to be.
    fn goal(&self, s: &Subject) -> Placed {
        let far = libm::expf(self.zoom);
        let chest = s.position + Vec3::Y * (0.55 * s.height);
        let around = |yaw: f32, pitch: f32, distance: f32, target: Vec3| Placed {
            eye: target
                + direction(yaw + self.yaw, (pitch + self.pitch).clamp(-0.3, 1.45)) * (distance * far),
            target,
            up: Vec3::Y,
        };
        let behind = self.followed.0 + std::f32::consts::PI;
        match self.view {
            View::Follow => around(behind, 0.32, 3.4, chest),
            View::Orbit => around(0.9, 0.45, 4.2, chest),
            View::Print => around(behind + 0.75, 0.5, 0.85, s.print),
            View::Side => around(self.followed.0 + std::f32::consts::FRAC_PI_2, 0.12, 3.6, chest),
            View::Top => {
                // As much as fits around the walker, the whole terrain if that is small.
                let wide = s.size[0].max(s.size[1]).min(14.0);
                let middle = |p: f32, side: f32| if side <= 14.0 { 0.5 * side } else { p };
                let target =
                    Vec3::new(middle(s.position.x, s.size[0]), s.position.y, middle(s.position.z, s.size[1]));
                Placed { eye: target + Vec3::Y * (1.35 * wide * far), target, up: Vec3::NEG_Z }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            position: Vec3::new(5.0, 0.2, 4.0),
            heading: 0.3,
            height: 1.8,
            print: Vec3::new(5.2, 0.1, 4.1),
            size: [10.0, 10.0],
        }
    }

    #[test]
    fn every_camera_sees_its_subject_from_above_the_ground() {
        for view in View::ALL {
            let mut rig = Rig::new(view);
            let placed = rig.go(&subject(), Turn::default(), 1.0 / 60.0, |_, _| 0.0);
            assert!(placed.eye.y > 0.01, "{}", view.name());
            let seen = (placed.target - placed.eye).length();
            assert!((0.3..20.0).contains(&seen), "{} from {seen} m", view.name());
            assert_eq!(View::by_name(view.name()), Some(view));
        }
        assert_eq!(View::Side.next(), View::Follow);
    }

    #[test]
    fn a_camera_goes_the_same_way_at_any_frame_rate() {
        let run = |rate: f64| {
            let mut rig = Rig::default();
            rig.go(&subject(), Turn::default(), 1.0 / rate, |_, _| -9.0);
            let moved = Subject { position: Vec3::new(6.0, 0.2, 4.0), heading: 1.0, ..subject() };
            let mut placed = rig.go(&moved, Turn::default(), 0.0, |_, _| -9.0);
            for _ in 0..(rate as usize) {
                placed = rig.go(&moved, Turn::default(), 1.0 / rate, |_, _| -9.0);
            }
            placed
        };
        let (slow, fast) = (run(30.0), run(240.0));
        // The heading is followed on a spring of its own, whose goal for the eye is seen once a frame.
        assert!((slow.eye - fast.eye).length() < 0.06, "{} and {}", slow.eye, fast.eye);
        assert!((slow.target - fast.target).length() < 1e-3);
    }

    #[test]
    fn a_turn_past_half_a_circle_takes_the_short_way() {
        let mut rig = Rig::default();
        rig.go(&Subject { heading: 3.1, ..subject() }, Turn::default(), 0.01, |_, _| 0.0);
        let mut lowest = f32::MAX;
        for _ in 0..60 {
            rig.go(&Subject { heading: -3.1, ..subject() }, Turn::default(), 0.02, |_, _| 0.0);
            lowest = lowest.min(rig.followed.0);
        }
        assert!(lowest > 3.0, "the heading went through {lowest}");
    }

    #[test]
    fn forward_is_away_from_the_eye() {
        let mut rig = Rig::default();
        rig.go(&Subject { heading: 0.7, ..subject() }, Turn::default(), 0.01, |_, _| 0.0);
        assert!((rig.forward() - 0.7).abs() < 1e-3, "{}", rig.forward());
    }
}
