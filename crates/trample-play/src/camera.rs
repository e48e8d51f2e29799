//! Cameras: where each wants to be, and springs that bring it there smoothly at any frame rate.
//!
//! In: the walker, what mouse and sticks say, the time that passed. Out: eye, target and up. Springs are exact, so that a
//! camera at 30 frames a second goes the same way as one at 240.

use trample::World;
use trample::clips::spring::spring;
use trample::glam::Vec3;

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
    /// Three quarters from the front and low, with the walker: prints are seen forming under it and leading away behind.
    Front,
}

impl View {
    /// All, in the order of their keys.
    pub const ALL: [Self; 6] = [Self::Follow, Self::Orbit, Self::Print, Self::Top, Self::Side, Self::Front];

    /// Name in the panel and for `--camera`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Follow => "follow",
            Self::Orbit => "orbit",
            Self::Print => "print",
            Self::Top => "top",
            Self::Side => "side",
            Self::Front => "front",
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

/// The subject of the camera.
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

/// From how far aside a walker is followed, rad: our choice. Keys still lead where the walker looks.
const ASIDE: f32 = 0.35;

/// How far from a walker's middle a look still means it, m: our choice, half an arm's length.
const AT: f32 = 0.4;

/// The walker that somebody looks at from `eye` along `way`: the nearest that the ray passes by.
pub fn walker_at(world: &World, eye: Vec3, way: Vec3) -> Option<usize> {
    let way = way.normalize_or(Vec3::NEG_Y);
    let mut best: Option<(f32, usize)> = None;
    for id in 0..world.puppets() {
        let Some((walker, _)) = world.walker(id) else { continue };
        let feet = Vec3::new(
            walker.root.x as f32,
            world.height(walker.root.x, walker.root.y) as f32,
            walker.root.y as f32,
        );
        let height = world.scene().puppets[id].body.height as f32;
        // Balls along the body are enough for a figure that is four times as tall as wide.
        for share in [0.15, 0.4, 0.65, 0.9] {
            let middle = feet + Vec3::Y * (share * height) - eye;
            let along = middle.dot(way);
            let off = (middle - way * along).length();
            if along > 0.0 && off < AT.min(0.3 * height) && best.is_none_or(|(near, _)| along < near) {
                best = Some((along, id));
            }
        }
    }
    best.map(|(_, id)| id)
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
        let aside = if self.view == View::Follow { ASIDE } else { 0.0 };
        libm::atan2f(way.z, way.x) - aside
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
        // Feet without a body are looked at from as far as a child.
        let tall = s.height.max(1.2);
        match self.view {
            // High, and from a little aside, so that the body does not hide what it leaves.
            View::Follow => around(behind + ASIDE, 0.5, 2.6 * tall, s.position + Vec3::Y * (0.3 * s.height)),
            View::Front => {
                let back = direction(behind, 0.0) * (0.35 * s.height);
                around(
                    self.followed.0 + 0.62,
                    0.26,
                    2.2 * tall,
                    s.position + Vec3::Y * (0.36 * s.height) + back,
                )
            }
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
        assert_eq!(View::Front.next(), View::Follow);
    }

    /// Where a place is in the picture of a camera with our opening angle: right and up, −1..1 within a 16:9 picture.
    fn seen(placed: &Placed, at: Vec3) -> [f32; 2] {
        let ahead = (placed.target - placed.eye).normalize();
        let right = ahead.cross(placed.up).normalize();
        let way = at - placed.eye;
        let half = libm::tanf(0.41) * way.dot(ahead);
        [way.dot(right) / (half * 16.0 / 9.0), way.dot(right.cross(ahead)) / half]
    }

    #[test]
    fn the_walker_and_the_last_prints_are_in_the_picture_and_apart() {
        let s = Subject { heading: 0.0, position: Vec3::new(5.0, 0.0, 4.0), ..subject() };
        for view in [View::Follow, View::Front] {
            let placed = Rig::new(view).go(&s, Turn::default(), 0.01, |_, _| 0.0);
            let head = seen(&placed, s.position + Vec3::Y * s.height);
            assert!(head.iter().all(|x| x.abs() < 1.0), "{}: its head is at {head:?}", view.name());
            // Prints of the last two metres, a step every 0.7 m.
            for back in [0.7, 1.4, 2.0] {
                let print = seen(&placed, s.position - Vec3::X * back);
                assert!(print.iter().all(|x| x.abs() < 0.98), "{}: a print at {print:?}", view.name());
                let body = seen(&placed, s.position + Vec3::Y * 0.5 * s.height);
                let apart = libm::hypotf(print[0] - body[0], print[1] - body[1]);
                assert!(apart > 0.2, "{}: the body hides a print {back} m behind: {apart}", view.name());
            }
        }
    }

    #[test]
    fn a_look_finds_the_walker_it_passes_by() {
        let mut scene = crate::start::stroll();
        scene.puppets = vec![
            crate::start::standing("near", [4.0, 5.0], 0.0),
            crate::start::standing("far", [8.0, 5.0], 0.0),
            crate::start::standing("beside", [6.0, 8.0], 0.0),
        ];
        let world = World::new(&scene).expect("world");
        let eye = Vec3::new(1.0, 1.5, 5.0);
        let to =
            |x: f32, z: f32| Vec3::new(x, world.height(f64::from(x), f64::from(z)) as f32 + 1.0, z) - eye;
        assert_eq!(walker_at(&world, eye, to(4.0, 5.1)), Some(0), "the nearer of two behind each other");
        assert_eq!(walker_at(&world, eye, to(6.0, 8.0)), Some(2));
        assert_eq!(walker_at(&world, eye, to(6.0, 6.6)), None, "between them");
        assert_eq!(walker_at(&world, eye, -to(4.0, 5.0)), None, "behind the eye");
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
