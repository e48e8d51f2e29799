//! Scripted motion: where the feet are at any time, in closed form.
//!
//! In: a description, the body's height, a time. Out: soles and centre of mass. Nothing accumulates, so
//! any moment can be computed directly and a run can resume anywhere.

use super::Path;
use super::animal::Animal;
use super::walker::{Control, WalkerSpec};
use crate::gait::{published_step, standing as standing_time};
use crate::params::GRAVITY;
use crate::params::field::{Field, Range, field};
use crate::pose::{Pose, SolePose};
use crate::random::{Stream, normal, uniform};
use crate::scene::Base;
use glam::{Mat3, Quat, Vec3};

/// How a puppet moves.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Script {
    /// Walks along waypoints.
    Walk(Walk),
    /// Falls from a height and stays.
    Fall(Fall),
    /// Presses the ground, once or many times.
    Press(Press),
    /// A walking body with a generated or recorded gait.
    Walker(Box<WalkerSpec>),
    /// An animal that plays its own stride along a path.
    Animal(Box<Animal>),
    /// Feet that a host engine moves.
    Host {
        /// Number of feet.
        feet: usize,
    },
}

/// A walk on scripted footsteps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Walk {
    /// The path.
    pub path: Path,
    /// Length of a step, m; from speed and leg length where not given.
    pub step_length: Option<f64>,
    /// Distance between left and right footprints across the path, m.
    pub step_width: f64,
    /// Standard deviation of each footfall along and across, m.
    pub step_sd: f64,
}

impl Default for Walk {
    fn default() -> Self {
        Self { path: Path::default(), step_length: None, step_width: 0.11, step_sd: 0.0 }
    }
}

impl From<Path> for Walk {
    fn from(path: Path) -> Self {
        Self { path, ..Self::default() }
    }
}

/// A fall (DF Fig. 7).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fall {
    /// Position, x and z, m.
    pub position: [f64; 2],
    /// Height of the fall, m.
    pub height: f64,
    /// Time of release, s.
    pub start: f64,
    /// Time that it lies on the ground, s.
    pub rest: f64,
}

impl Default for Fall {
    fn default() -> Self {
        Self { position: [1.0, 1.0], height: 2.5, start: 0.0, rest: 1.0 }
    }
}

impl Fall {
    /// Its numbers.
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("drop_height", "m", 0.0, 20.0, "height of the fall"), height),
        field!(Range::new("start", "s", 0.0, 1e6, "time of release"), start),
        field!(Range::new("rest", "s", 0.02, 1e4, "time on the ground"), rest),
    ];
}

/// A plate set down by its weight and lifted again.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Press {
    /// Position, x and z, m.
    pub position: [f64; 2],
    /// Number of presses.
    pub presses: u32,
    /// Duration of each press, s.
    pub down: f64,
    /// Time between presses, s.
    pub up: f64,
    /// Standard deviation of its position, m.
    pub scatter: f64,
    /// Rotation about the vertical, rad.
    pub heading: f64,
    /// Start time, s.
    pub start: f64,
    /// Landing speed, m/s; 0 presses by weight only, without an impact.
    pub landing_speed: f64,
}

impl Default for Press {
    fn default() -> Self {
        Self {
            position: [1.0, 1.0],
            presses: 1,
            down: 1.0,
            up: 0.2,
            scatter: 0.0,
            heading: 0.0,
            start: 0.0,
            landing_speed: 0.05,
        }
    }
}

impl Press {
    /// Its numbers.
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("presses", "", 1.0, 1e7, "number of presses"), count presses),
        field!(Range::new("down", "s", 0.02, 1e4, "duration of each press"), down),
        field!(Range::new("up", "s", 0.02, 1e4, "time between presses"), up),
        field!(
            Range::new("scatter", "m", 0.0, 100.0, "scatter of its position (standard deviation)"),
            scatter
        ),
        field!(Range::new("heading_deg", "°", -360_000.0, 360_000.0, "rotation about the vertical"), heading),
        field!(Range::new("start", "s", 0.0, 1e6, "start time"), start),
        field!(
            Range::new("landing_speed", "m/s", 0.0, 10.0, "landing speed; 0 presses by weight only"),
            landing_speed
        ),
    ];
}

/// Height of the hip as a share of standing height (0.530, Drillis & Contini 1966; ANSUR II trochanterion 0.516).
const LEG: f64 = 0.53;
/// The last and first moments of a swing go straight, s: three frames at 30 Hz, so that velocity and acceleration just
/// before contact are the same at any frame rate.
const STRAIGHT: f64 = 0.1;
/// Landing speed as a share of walking speed, downwards and forwards. Our choice: held for τ the forward part brakes with
/// 0.08 body weights on snow and 0.32 on firm soil at 1.3 m/s, around the measured 0.175 (Schwartz 2008, free speed).
pub(super) const LANDING: [f64; 2] = [0.2, 0.12];
/// To how much of its wanted speed soft and steep ground may slow a walker, for the length of a run; a run ends when all have
/// arrived.
const SLOWED: f64 = 0.4;
/// How high a foot is lifted in swing, m.
const LIFT: f64 = 0.09;

/// Timing of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Step length, m.
    pub step: f64,
    /// Time from one footfall to the next, s.
    pub period: f64,
    /// Time a foot stands, s.
    pub stance: f64,
    /// Footfalls in a pass.
    pub steps: u64,
    /// Length of a pass, m.
    pub length: f64,
}

impl Walk {
    /// Its own numbers; those of its path are [`Path::FIELDS`].
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("step_length", "m", 0.1, 2.0, "length of a step; from speed and height where not given"), maybe step_length),
        field!(Range::new("step_width", "m", 0.0, 0.6, "distance between left and right prints"), step_width),
        field!(Range::new("step_sd", "m", 0.0, 0.3, "scatter of single footfalls"), step_sd),
    ];

    /// Timing for a body of that height, by the laws of [`crate::gait`].
    pub fn timing(&self, height: f64) -> Timing {
        let leg = LEG * height;
        let step = self.step_length.unwrap_or_else(|| published_step(self.path.speed, leg));
        let length = self.path.length();
        // A whole number of steps fits the path.
        let steps = (length / step).round().max(1.0);
        let step = length / steps;
        let cycle = 2.0 * step / self.path.speed;
        Timing { step, period: 0.5 * cycle, stance: standing_time(cycle), steps: steps as u64, length }
    }

    /// How far along the path a pass is shifted, m: walkers who scatter do not step into each other's prints.
    fn shift(&self, pass: u64, timing: &Timing, seed: u64) -> f64 {
        if self.path.lateral_sd == 0.0 {
            return 0.0;
        }
        (uniform(seed, Stream::PassPhase, pass) - 0.5) * timing.step
    }

    /// Where the left foot stands before the walk: one step behind the first footfall.
    fn before(&self, timing: &Timing, seed: u64) -> ([f64; 2], f64) {
        let (p, heading) = self.path.on_path(0.0);
        let (ahead, across) =
            (self.shift(0, timing, seed) - 0.5 * timing.step, self.path.offset(0.0, 0, seed));
        let across = across - 0.5 * self.step_width;
        let (s, c) = (libm::sin(heading), libm::cos(heading));
        ([p[0] + ahead * c - across * s, p[1] + ahead * s + across * c], heading)
    }

    /// Where footfall `g` lands: x, z and heading.
    fn foothold(&self, g: u64, timing: &Timing, seed: u64) -> ([f64; 2], f64) {
        let (pass, i) = (g / timing.steps, g % timing.steps);
        let back = self.path.back_and_forth && pass % 2 == 1;
        let along = (i as f64 + 0.5) * timing.step
            + self.shift(pass, timing, seed)
            + self.step_sd * normal(seed, Stream::StepAlong, g);
        let s = (if back { timing.length - along } else { along }).clamp(0.0, timing.length);
        let (p, mut heading) = self.path.on_path(s);
        let right = [-libm::sin(heading), libm::cos(heading)];
        let mut across = self.path.offset(s, pass, seed);
        if back {
            heading += std::f64::consts::PI;
        }
        // Feet alternate over passes too, so that a walker never hops. Facing back, right is the other way.
        let side = if g.is_multiple_of(2) == back { -0.5 } else { 0.5 };
        across += side * self.step_width + self.step_sd * normal(seed, Stream::StepAcross, g);
        ([p[0] + across * right[0], p[1] + across * right[1]], heading)
    }

    fn footfalls(&self, timing: &Timing) -> u64 {
        timing.steps * u64::from(self.path.passes)
    }
}

impl Script {
    /// Allowed number of feet of a host.
    pub const FEET: Range =
        Range { integer: true, ..Range::new("feet", "", 1.0, 8.0, "how many feet the host engine moves") };

    /// Number of feet.
    pub fn feet(&self) -> usize {
        match self {
            Self::Walk(_) | Self::Walker(_) => 2,
            Self::Fall(_) | Self::Press(_) => 1,
            Self::Animal(animal) => animal.stride.feet.len(),
            Self::Host { feet } => *feet,
        }
    }

    /// Time of its end, s.
    pub fn seconds(&self, height: f64) -> f64 {
        match self {
            Self::Walk(walk) => {
                let timing = walk.timing(height);
                walk.path.start + LEAD + walk.footfalls(&timing) as f64 * timing.period + timing.stance
            }
            Self::Fall(fall) => fall.start + (2.0 * fall.height / GRAVITY).sqrt() + fall.rest,
            Self::Press(press) => press.start + LEAD + f64::from(press.presses) * (press.down + press.up),
            Self::Walker(walker) => match &walker.control {
                // A body takes its time to start, to turn and on soft ground.
                Control::Route(route) => {
                    let path = &route.path;
                    let slowest = if route.metabolic { SLOWED * path.speed } else { 0.7 * path.speed };
                    let back = if path.returns() { path.gap() } else { 0.0 };
                    path.start + f64::from(path.passes) * ((path.length() + back) / slowest + 1.5) + 1.0
                }
                _ => 10.0,
            },
            Self::Animal(animal) => animal.seconds(),
            Self::Host { .. } => 0.0,
        }
    }

    /// Soles and centre of mass at `time`, written into `pose`.
    pub fn pose(&self, time: f64, height: f64, seed: u64, base: &Base, pose: &mut Pose) {
        match self {
            Self::Walk(walk) => {
                let timing = walk.timing(height);
                pose.soles.resize(2, SolePose::default());
                for foot in 0..2u64 {
                    pose.soles[foot as usize] = walk_sole(walk, &timing, foot, time, seed, base);
                }
                pose.center_of_mass = walk_centre(walk, &timing, time, height, seed);
            }
            Self::Fall(fall) => {
                let lasts = (2.0 * fall.height / GRAVITY).sqrt();
                let t = (time - fall.start).max(0.0);
                let (y, speed) =
                    if t < lasts { (fall.height - 0.5 * GRAVITY * t * t, GRAVITY * t) } else { (0.0, 0.0) };
                let lands = standing(fall.position, 0.0, y, base);
                pose.soles.resize(1, SolePose::default());
                pose.soles[0] = SolePose { velocity: Vec3::new(0.0, -speed as f32, 0.0), ..lands };
                pose.center_of_mass = lands.position;
            }
            Self::Press(press) => {
                let cycle = press.down + press.up;
                let t = time - press.start - LEAD;
                let last = f64::from(press.presses.max(1) - 1);
                let k = (t / cycle).floor().clamp(0.0, last);
                let within = t - k * cycle;
                let (lifted, left) = (within - press.down, if k < last { cycle - within } else { f64::MAX });
                let (clearance, speed): (f64, f64) = if within < 0.0 {
                    (-PRESS_SPEED * within, -1.0)
                } else if lifted < 0.0 {
                    (0.0, 0.0)
                } else if lifted < left {
                    (PRESS_SPEED * lifted, 1.0)
                } else {
                    (PRESS_SPEED * left, -1.0)
                };
                // On the way down it is already over its next place.
                let which = if lifted >= left { k + 1.0 } else { k } as u64;
                let scatter = |c: u64| press.scatter * normal(seed, Stream::Press, 3 * which + c);
                let place = [press.position[0] + scatter(0), press.position[1] + scatter(1)];
                let turn = if press.scatter > 0.0 { uniform(seed, Stream::Press, !which) } else { 0.0 };
                let heading = press.heading + std::f64::consts::TAU * turn;
                let sole = standing(place, heading, clearance, base);
                pose.soles.resize(1, SolePose::default());
                pose.soles[0] =
                    SolePose { velocity: Vec3::new(0.0, (speed * press.landing_speed) as f32, 0.0), ..sole };
                pose.center_of_mass = sole.position;
            }
            Self::Animal(animal) => animal.pose(time, seed, base, pose),
            Self::Walker(_) | Self::Host { .. } => {}
        }
    }
}

/// How fast a plate is seen to be set down and lifted, m/s.
const PRESS_SPEED: f64 = 0.05;
/// Time before the first footfall, s: the foot comes down from the air.
const LEAD: f64 = 0.1;

/// A sole at (x, z), turned to its heading and laid parallel to the original ground, `clearance` above it.
pub(super) fn standing(place: [f64; 2], heading: f64, clearance: f64, base: &Base) -> SolePose {
    let normal = base.normal(place[0], place[1], 0.08);
    let level = Vec3::new(libm::cos(heading) as f32, 0.0, libm::sin(heading) as f32);
    let forward = (level - level.dot(normal) * normal).normalize();
    let right = forward.cross(normal);
    SolePose {
        position: Vec3::new(place[0] as f32, clearance as f32, place[1] as f32),
        rotation: Quat::from_mat3(&Mat3::from_cols(forward, normal, right)),
        ..SolePose::default()
    }
}

fn walk_sole(walk: &Walk, timing: &Timing, foot: u64, time: f64, seed: u64, base: &Base) -> SolePose {
    let cycle = 2.0 * timing.period;
    let total = walk.footfalls(timing);
    // This foot's footfalls are foot, foot + 2, foot + 4, …; which was the last to land by now?
    let t = time - walk.path.start - LEAD - foot as f64 * timing.period;
    let own = if total > foot { (total - foot).div_ceil(2) } else { 0 };
    if own == 0 {
        return SolePose::default();
    }
    let down = [LANDING[0] * walk.path.speed, LANDING[1] * walk.path.speed];
    if t < 0.0 && foot == 0 {
        // Before its first footfall the right foot comes straight down on it; the left one stands meanwhile.
        let (place, heading) = walk.foothold(foot, timing, seed);
        let mut sole = standing(place, heading, -t * down[0], base);
        sole.velocity = landing_velocity(heading, down, base, place);
        return sole;
    }
    // The left foot's footfall before the first is where it stands at the beginning.
    let k = ((t / cycle).floor() as i64).clamp(-1, own as i64 - 1);
    let within = t - k as f64 * cycle;
    let hold = |k: i64| {
        u64::try_from(k)
            .map_or_else(|_| walk.before(timing, seed), |k| walk.foothold(foot + 2 * k, timing, seed))
    };
    let (place, heading) = hold(k);
    if within < timing.stance {
        return standing(place, heading, 0.0, base);
    }
    let since = within - timing.stance;
    let rise = LIFT / 0.2;
    if k + 1 == own as i64 {
        // After the last footfall it is lifted off for good.
        let mut sole = standing(place, heading, since * rise, base);
        sole.velocity = Vec3::new(0.0, rise as f32, 0.0);
        return sole;
    }
    let swing = cycle - timing.stance;
    let (next, next_heading) = hold(k + 1);
    let left = swing - since;
    let lands = landing_velocity(next_heading, down, base, next);
    if left < STRAIGHT {
        let back = [next[0] - f64::from(lands.x) * left, next[1] - f64::from(lands.z) * left];
        let mut sole = standing(next, next_heading, left * down[0], base);
        (sole.position.x, sole.position.z) = (back[0] as f32, back[1] as f32);
        sole.velocity = lands;
        return sole;
    }
    // In between the foot moves smoothly; it touches nothing, so only its looks matter.
    let f = (since / (swing - STRAIGHT)).clamp(0.0, 1.0);
    let ease = f * f * (3.0 - 2.0 * f);
    let end = [next[0] - f64::from(lands.x) * STRAIGHT, next[1] - f64::from(lands.z) * STRAIGHT];
    let at = [place[0] + (end[0] - place[0]) * ease, place[1] + (end[1] - place[1]) * ease];
    let clearance =
        if since < STRAIGHT { since * rise } else { LIFT * 4.0 * f * (1.0 - f) + STRAIGHT * down[0] * ease };
    let turn = wrap(next_heading - heading);
    let mut sole = standing(at, heading + turn * ease, clearance.max(0.002), base);
    sole.velocity = Vec3::new(
        ((end[0] - place[0]) * 6.0 * f * (1.0 - f) / swing) as f32,
        if since < STRAIGHT { rise as f32 } else { 0.0 },
        ((end[1] - place[1]) * 6.0 * f * (1.0 - f) / swing) as f32,
    );
    sole
}

/// Velocity of a landing foot: down and a little forward, relative to a surface that may slope.
fn landing_velocity(heading: f64, down: [f64; 2], base: &Base, place: [f64; 2]) -> Vec3 {
    let normal = base.normal(place[0], place[1], 0.08);
    let level = Vec3::new(libm::cos(heading) as f32, 0.0, libm::sin(heading) as f32);
    let forward = (level - level.dot(normal) * normal).normalize();
    forward * down[1] as f32 - Vec3::Y * down[0] as f32
}

fn walk_centre(walk: &Walk, timing: &Timing, time: f64, height: f64, seed: u64) -> Vec3 {
    // Over footfall g at the middle of its stance, and moving evenly in between.
    let t = time - walk.path.start - LEAD - 0.5 * timing.stance;
    let travelled = (t / timing.period + 0.5) * timing.step;
    let passes = f64::from(walk.path.passes);
    let pass = (travelled / timing.length).floor().clamp(0.0, passes - 1.0);
    let along = travelled - pass * timing.length + walk.shift(pass as u64, timing, seed);
    let back = walk.path.back_and_forth && pass % 2.0 == 1.0;
    let s = if back { timing.length - along } else { along };
    let (p, heading) = walk.path.on_path(s);
    let across = walk.path.offset(s.clamp(0.0, timing.length), pass as u64, seed);
    let right = [-libm::sin(heading), libm::cos(heading)];
    Vec3::new((p[0] + across * right[0]) as f32, (0.55 * height) as f32, (p[1] + across * right[1]) as f32)
}

/// An angle between −π and π.
fn wrap(angle: f64) -> f64 {
    let turns = angle / std::f64::consts::TAU;
    (turns - turns.round()) * std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sole_at(walk: &Walk, time: f64, foot: usize) -> SolePose {
        let mut pose = Pose::default();
        Script::Walk(walk.clone()).pose(time, 1.8, 1, &Base::Flat, &mut pose);
        pose.soles[foot]
    }

    #[test]
    fn timing_follows_the_scaling_laws() {
        // Recorded strides: 1.13 s at 1.22 m/s, 1.03 s at 1.52 m/s (about 1.8 m tall).
        let period = |speed: f64| {
            let walk = Walk::from(Path { speed, ..Path::along([[0.0, 0.0], [1000.0, 0.0]]) });
            2.0 * walk.timing(1.8).period
        };
        assert!((period(1.22) / 1.17 - 1.0).abs() < 0.05, "{}", period(1.22));
        assert!((period(1.52) / 1.05 - 1.0).abs() < 0.05, "{}", period(1.52));
    }

    #[test]
    fn a_standing_foot_does_not_move() {
        let walk =
            Walk { step_sd: 0.02, ..Walk::from(Path { lateral_sd: 0.1, passes: 3, ..Path::default() }) };
        let timing = walk.timing(1.8);
        for k in 0..5 {
            let start = LEAD + 2.0 * timing.period * f64::from(k);
            let first = sole_at(&walk, start + 0.001, 0);
            for i in 0..20 {
                let sole = sole_at(&walk, start + 0.001 + (timing.stance - 0.002) * f64::from(i) / 19.0, 0);
                assert_eq!(sole, first, "footfall {k} moved at sample {i}");
                assert_eq!(sole.position.y, 0.0);
            }
        }
    }

    #[test]
    fn a_foot_comes_down_with_the_velocity_it_claims() {
        let walk = Walk::default();
        let timing = walk.timing(1.8);
        let lands = LEAD + 2.0 * timing.period;
        let (a, b) = (sole_at(&walk, lands - 0.03, 0), sole_at(&walk, lands - 0.01, 0));
        let measured = (b.position - a.position) / 0.02;
        assert!((measured - a.velocity).length() < 1e-3, "{measured} against {}", a.velocity);
        assert!(a.velocity.y < 0.0 && a.velocity.x > 0.0, "down and forward: {}", a.velocity);
    }

    #[test]
    fn back_and_forth_passes_alternate_direction() {
        let walk = Walk::from(Path { passes: 2, ..Path::default() });
        let timing = walk.timing(1.8);
        let (first, there) = walk.foothold(0, &timing, 1);
        let (last, back) = walk.foothold(2 * timing.steps - 1, &timing, 1);
        assert!((first[0] - last[0]).abs() < 1e-6, "ends where it began: {first:?} {last:?}");
        assert!((wrap(back - there).abs() - std::f64::consts::PI).abs() < 1e-9, "and faces the other way");
    }

    #[test]
    fn lateral_scatter_has_the_spread_it_claims() {
        let path = Path { lateral_sd: 0.1, ..Path::default() };
        let n = 2000;
        let square: f64 = (0..n).map(|p| path.offset(1.7, p, 5)).map(|x| x * x).sum();
        let sd = (square / n as f64).sqrt();
        // At the middle of a knot interval the wandering averages two knots, so a little less than 0.1.
        assert!((0.085..0.105).contains(&sd), "{sd}");
    }

    #[test]
    fn the_first_foot_of_a_walk_is_the_right_one_and_sides_alternate() {
        let walk = Walk::default();
        let timing = walk.timing(1.8);
        let z = |g: u64| walk.foothold(g, &timing, 1).0[1];
        assert!(z(0) > 1.0 && z(1) < 1.0 && z(2) > 1.0, "walking along +x, +z is right");
    }
}
