//! The gait generator: a body, a path and a style become motion, closed form in time.
//!
//! In: a [`Rig`] and a [`Path`]. Out: at any time a [`Frame`]: pose, soles, contacts, load, centre of mass. Curves give the
//! style; footsteps and contacts are exact; the centre of mass moves as measured forces move it.

use super::centre::{bounce, sway};
use super::curves::{Band, Harmonics, LIST, TRUNK_TWIST, TWIST};
use super::path::{Path, Root};
use super::plan::{Plan, Step};
use super::reaction::Reaction;
use super::rig::Rig;
use super::steps::rhythm;
use super::timing::Timing;
use crate::body::{FootPose, Goal, Pose, solve};
use crate::math::{direction, smooth};
use crate::params::GRAVITY;
use crate::pose::SolePose;
use glam::{DVec3, Quat, Vec3};

/// One moment of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame {
    /// The skeleton.
    pub pose: Pose,
    /// Soles, left and right.
    pub soles: [SolePose; 2],
    /// Whether heel and toes touch the ground, left and right.
    pub contacts: [[bool; 2]; 2],
    /// Share of the whole force that each foot takes.
    pub load: [f32; 2],
    /// Clock of each foot: 0 at touch-down, 1 at lift-off, 2 at the next touch-down.
    pub clock: [f32; 2],
    /// Force along the motion over upward force under each foot, where it is known ([`Reaction::tilt`]).
    pub tilt: Option<[f32; 2]>,
    /// Centre of mass, m.
    pub centre: Vec3,
}

impl Frame {
    /// Soles and centre of mass as a puppet's owner says them. Heights are those of the generator's plane of ground: for a
    /// pinned puppet subtract the ground's height below each sole.
    pub fn write(&self, pose: &mut crate::pose::Pose) {
        pose.soles.resize(2, SolePose::default());
        pose.soles.copy_from_slice(&self.soles);
        pose.center_of_mass = self.centre;
    }
}

/// A motion along a path.
#[derive(Clone, Debug)]
pub struct Gait<P: Path> {
    rig: Rig,
    path: P,
    /// Its footsteps.
    pub plan: Plan,
    /// How much lower than the rig has it the body is carried, m, every [`KNOT`] s from [`BEFORE`] s before 0 on.
    lower: Vec<f64>,
}

/// Time between the knots of the lowering, s, and how long before 0 it begins.
const KNOT: f64 = 1.0 / 30.0;
const BEFORE: f64 = 0.4;
/// Knots on either side over which a lowering is spread: a third of a second.
const SPREAD: usize = 10;
/// Room that is kept below a straight leg, m.
const ROOM: f64 = 0.002;

impl<P: Path> Gait<P> {
    /// The motion of `rig` along `path` from 0 to `duration` s.
    pub fn new(rig: &Rig, path: P, duration: f64) -> Self {
        let mut gait = Self::free(rig, path, duration);
        // Lowering the pelvis by one lowers its need by a little less, so it takes another look or two.
        for _ in 0..3 {
            gait.make_room(duration);
        }
        gait
    }

    /// The same without regard to legs that are too short.
    pub(super) fn free(rig: &Rig, path: P, duration: f64) -> Self {
        let plan = Plan::new(&path, rig, duration);
        Self { rig: rig.clone(), path, plan, lower: vec![] }
    }

    /// Lowers the body wherever a leg would be too short: in turns, on slopes, in long steps. The lowering is smooth, so that
    /// it adds no force worth mentioning.
    fn make_room(&mut self, duration: f64) {
        let n = ((duration + 2.0 * BEFORE) / KNOT).ceil() as usize + 1;
        let short: Vec<f64> = (0..n)
            .map(|i| {
                let slack = self.frame_and_slack(i as f64 * KNOT - BEFORE).1;
                (ROOM - f64::from(slack[0].min(slack[1]))).max(0.0)
            })
            .collect();
        if short.iter().all(|&s| s <= 0.0) {
            return;
        }
        let around = |i: usize| i.saturating_sub(SPREAD)..(i + SPREAD + 1).min(n);
        let most: Vec<f64> =
            (0..n).map(|i| short[around(i)].iter().fold(0.0, |a: f64, &b| a.max(b))).collect();
        let before = std::mem::take(&mut self.lower);
        self.lower = (0..n)
            .map(|i| {
                let (mut sum, mut all) = (0.0, 0.0);
                for k in around(i) {
                    let x = (k as f64 - i as f64) / (SPREAD + 1) as f64;
                    let w = 1.0 + libm::cos(std::f64::consts::PI * x);
                    sum += w * most[k];
                    all += w;
                }
                sum / all + before.get(i).copied().unwrap_or(0.0)
            })
            .collect();
    }

    /// The lowering at `t`, m: a cubic B-spline through its knots.
    fn lowered(&self, t: f64) -> f64 {
        let Some(last) = self.lower.len().checked_sub(1) else { return 0.0 };
        let x = ((t + BEFORE) / KNOT).clamp(0.0, last as f64);
        let i = x.floor();
        let f = x - i;
        let at = |k: f64| self.lower[(i + k).clamp(0.0, last as f64) as usize];
        let g = 1.0 - f;
        (at(-1.0) * g * g * g
            + at(0.0) * (3.0 * f * f * f - 6.0 * f * f + 4.0)
            + at(1.0) * (3.0 * g * g * g - 6.0 * g * g + 4.0)
            + at(2.0) * f * f * f)
            / 6.0
    }

    /// The rig it moves.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// The path it follows.
    pub fn path(&self) -> &P {
        &self.path
    }

    /// Time of two steps, s, if all from 0 to `seconds` are alike.
    pub fn period(&self, seconds: f64) -> Option<f64> {
        let at = |t: f64| {
            let root = self.path.at(t);
            (root.velocity.length(), root.velocity.dot(root.forward()), root.yaw_rate)
        };
        let (a, b, c) = (at(0.0), at(0.4 * seconds), at(seconds));
        let alike = |a: (f64, f64, f64), b: (f64, f64, f64)| {
            (a.0 - b.0).abs() + (a.1 - b.1).abs() + (a.2 - b.2).abs() < 1e-9
        };
        let even = alike(a, b)
            && alike(b, c)
            && a.0 > 0.2
            && a.1.abs() > 0.99 * a.0
            && self.rig.style.variation <= 0.0;
        even.then(|| rhythm(&self.path.at(0.0), &self.rig).0.period)
    }

    /// The force under a foot of a runner at `t` s.
    pub fn running(&self, t: f64) -> Reaction {
        Reaction::running(&rhythm(&self.path.at(t), &self.rig).0)
    }

    /// The motion at `t` s.
    pub fn frame(&self, t: f64) -> Frame {
        self.frame_and_slack(t).0
    }

    /// The motion at `t` s, and how much higher the pelvis could be by either leg, m.
    pub(super) fn frame_and_slack(&self, t: f64) -> (Frame, [f32; 2]) {
        let rig = &self.rig;
        let root = self.path.at(t);
        let (timing, forward) = self.rhythm(t, &root);
        let phase = self.plan.phase(t);
        let steps = [self.plan.current(0, t), self.plan.current(1, t)];
        let feet = steps.map(|s| Plan::foot_in(s, t, &self.path, rig));
        let centre = self.centre(t, &root, &timing, forward, phase);
        let carriage = carriage(rig, &root, &timing, forward, phase, self.path.acceleration(t), t);
        let (mut frame, slack) = assemble(rig, &root, &feet, centre, &carriage);
        for side in 0..2 {
            let h = 1e-4;
            // Both samples on the same side of touch-down and lift-off.
            let (before, after) = within(steps[side], t, h);
            let a = Plan::foot_in(steps[side], before, &self.path, rig);
            let b = Plan::foot_in(steps[side], after, &self.path, rig);
            let sole = &mut frame.soles[side];
            sole.velocity = ((b.middle - a.middle) / (after - before)).as_vec3();
            sole.spin = spin(&a, &b, rig, after - before);
            if t <= steps[side].up {
                frame.contacts[side] = steps[side].roll.contact(t - steps[side].down, steps[side].up - t);
            }
        }
        let reaction = Reaction::walking(&timing);
        frame.load = self.plan.load(t, &reaction).map(|x| x as f32);
        frame.clock = [0, 1].map(|side| self.plan.clock(side, t));
        if forward > STRAIGHT {
            let amount = Band::new(timing.speed).amount;
            frame.tilt = Some(frame.clock.map(|clock| (amount * reaction.tilt(f64::from(clock))) as f32));
        }
        (frame, slack)
    }

    /// The rhythm at `t`; where a walk becomes a run or a run a walk the two are blended over a step.
    fn rhythm(&self, t: f64, root: &Root) -> (Timing, f64) {
        let (mut timing, forward) = rhythm(root, &self.rig);
        let run = |t: f64| rhythm(&self.path.at(t), &self.rig).0;
        let (before, after) = (run(t - 0.24), run(t + 0.24));
        if before.run != timing.run || after.run != timing.run {
            let others = [(before, 0.15), (run(t - 0.12), 0.6), (run(t + 0.12), 0.6), (after, 0.15)];
            let mean = |of: fn(&Timing) -> f64| {
                let sum: f64 = others.iter().map(|(other, weight)| of(other) * weight).sum();
                (of(&timing) + sum) / 2.5
            };
            let (share, speed) = (mean(|t| t.run), mean(|t| t.speed));
            let (period, contact) = (mean(|t| t.period), mean(|t| t.contact));
            (timing.run, timing.speed, timing.period, timing.contact) = (share, speed, period, contact);
        }
        (timing, forward)
    }

    /// Where the centre of mass shall be.
    fn centre(&self, t: f64, root: &Root, timing: &Timing, forward: f64, phase: f64) -> DVec3 {
        let rig = &self.rig;
        let moves = bounce(timing, phase);
        let speed = root.velocity.length();
        let ahead = if speed > 1e-6 { root.velocity / speed } else { root.forward() };
        let amount = Band::new(timing.speed).amount;
        let width = rig.style.step_width * (1.0 - 0.75 * timing.run);
        let period = timing.period.min(2.2);
        // To the right while the right foot stands: its stance is centred at 0.3 of the cycle.
        let side = sway(width, 0.56 * rig.body.height, period)
            * libm::sin(std::f64::consts::TAU * (phase - 0.5 * timing.duty + 0.25));
        let still = 1.0 - amount;
        // Standing people sway by a few millimetres below half a hertz.
        let idle =
            |rate: f64, shift: f64| 0.004 * still * libm::sin(std::f64::consts::TAU * rate * t + shift);
        let at = root.position
            + ahead * (moves.forward * forward.abs() + idle(0.23, 1.0))
            + root.right() * (side * amount + idle(0.17, 0.0));
        let height = rig.ground.height(root.position) + rig.standing + rig.drop(timing.speed) + moves.up
            - self.lowered(t);
        DVec3::new(at.x, height + idle(0.25, 2.0) * 0.3, at.y)
    }
}

/// Two times `h` apart on the same side of the events of `step`.
fn within(step: &Step, t: f64, h: f64) -> (f64, f64) {
    let (low, high) = match &step.swing {
        Some(swing) if t > step.up => (swing.time[0] + 1e-9, swing.time[1] - 1e-9),
        _ => (step.down + 1e-9, step.up - 1e-9),
    };
    let before = (t - h).clamp(low, (high - h).max(low));
    (before, before + h)
}

/// How a foot turns between two poses `time` s apart, rad/s.
pub(super) fn spin(a: &FootPose, b: &FootPose, rig: &Rig, time: f64) -> Vec3 {
    let turn = (b.rotation(&rig.ground) * a.rotation(&rig.ground).conjugate()).normalize();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    (DVec3::new(turn.x, turn.y, turn.z) * (2.0 / time)).as_vec3()
}

/// How the body above the legs is held: pelvis in the world, then local rotations from spine to right wrist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carriage {
    /// Pelvis against its heading.
    pub pelvis: Quat,
    /// Spine, chest, neck, head, then shoulder, elbow and wrist of either side.
    pub upper: [Quat; 10],
}

/// From this cosine between motion and heading on a gait goes ahead, and its feet push as measured: our choice.
const STRAIGHT: f64 = 0.95;

/// A forward lean of the trunk and a flexion of both arms, without any gait, rad.
pub(super) fn held(lean: f64, shoulders: f64, elbows: f64) -> Carriage {
    let z = |angle: f64| Quat::from_rotation_z(angle as f32);
    let mut upper = [Quat::IDENTITY; 10];
    upper[0] = z(-0.5 * lean);
    upper[1] = z(-0.3 * lean);
    upper[2] = z(0.3 * lean);
    upper[3] = z(0.4 * lean);
    for side in 0..2 {
        let out = if side == 0 { 0.1 } else { -0.1 };
        upper[4 + 3 * side] = Quat::from_rotation_x(out) * z(shoulders);
        upper[5 + 3 * side] = z(elbows);
    }
    Carriage { pelvis: z(-0.2 * lean), upper }
}

fn carriage(
    rig: &Rig,
    root: &Root,
    timing: &Timing,
    forward: f64,
    phase: f64,
    acceleration: glam::DVec2,
    t: f64,
) -> Carriage {
    let band = Band::new(timing.speed);
    let h = Harmonics::new(phase);
    let run = timing.run;
    let relative = timing.speed * (GRAVITY / rig.body.leg()).sqrt();
    let turned = forward.clamp(-1.0, 1.0);
    let list = h.sum(&band.row(&LIST, 0.0)).to_radians() * (1.0 - 0.5 * run);
    let twist = h.sum(&band.row(&TWIST, 0.0)).to_radians() * turned;
    let trunk = h.sum(&band.row(&TRUNK_TWIST, 0.0)).to_radians() * turned;
    // The trunk leans with the slope, with speed in running, and into acceleration and turns.
    let uphill = libm::atan(rig.ground.slope.dot(direction(root.heading)));
    let push = acceleration.dot(root.forward()) / GRAVITY;
    let bank = (acceleration.dot(root.right()) / GRAVITY).clamp(-0.35, 0.35);
    let lean = rig.style.lean + 0.09 * run + 0.35 * uphill.max(0.4 * uphill) + 0.7 * push.clamp(-0.3, 0.35);
    let x = |angle: f64| Quat::from_rotation_x(angle as f32);
    let y = |angle: f64| Quat::from_rotation_y(angle as f32);
    let z = |angle: f64| Quat::from_rotation_z(angle as f32);
    let mut c = held(lean, 0.0, 0.0);
    // List and twist of the pelvis; the trunk turns against it and stays upright.
    c.pelvis = y(twist) * x(0.9 * bank - list) * c.pelvis;
    let against = trunk - twist;
    c.upper[0] = y(0.5 * against) * x(0.7 * list) * c.upper[0];
    c.upper[1] = y(0.5 * against) * x(0.3 * list) * c.upper[1];
    // The head looks ahead, and into the turn.
    let look = (0.25 * root.yaw_rate).clamp(-0.6, 0.6);
    c.upper[2] = y(-0.5 * trunk - 0.4 * look) * c.upper[2];
    c.upper[3] = y(-0.5 * trunk - 0.6 * look) * x(-0.5 * bank) * c.upper[3];
    // Arms swing against the legs (Boulic & Thalmann 1990); a runner's elbows are bent by 95–105°.
    let vigour = relative.min(2.0) * rig.style.arms;
    for side in 0..2 {
        let own = if side == 1 { phase } else { phase + 0.5 };
        let beat = libm::cos(std::f64::consts::TAU * own);
        let walk = (3.0 - 4.94 * vigour - 9.88 * vigour * beat * turned).to_radians();
        let ran = (-12.0 - 26.0 * beat).to_radians();
        let walk_elbow = (9.0 + 15.0 * vigour - (1.0 + 8.0 * vigour) * beat * turned).to_radians();
        let ran_elbow = (98.0 - 12.0 * beat).to_radians();
        let mix = |a: f64, b: f64| a + (b - a) * run;
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let breath = 0.01 * libm::sin(std::f64::consts::TAU * 0.25 * t) * (1.0 - band.amount);
        c.upper[4 + 3 * side] = x(sign * (mix(0.10, 0.22) + breath)) * y(sign * -0.15) * z(mix(walk, ran));
        c.upper[5 + 3 * side] = y(sign * -mix(0.1, 0.5)) * z(mix(walk_elbow, ran_elbow));
        c.upper[6 + 3 * side] = z(0.1 * smooth(vigour));
    }
    c
}

/// Puts a body over its feet.
pub(super) fn assemble(
    rig: &Rig,
    root: &Root,
    feet: &[FootPose; 2],
    centre: DVec3,
    carriage: &Carriage,
) -> (Frame, [f32; 2]) {
    // Near the origin numbers are finest; the body is posed there and carried to its place.
    let origin = rig.ground.point(root.position);
    let heading = Quat::from_rotation_y(-root.heading as f32);
    let rotations = feet.map(|f| f.rotation(&rig.ground).as_quat());
    let ankles = feet.map(|f| (f.ankle(&rig.skeleton.foot, &rig.ground) - origin).as_vec3());
    let hints = feet.map(|f| {
        let d = direction(0.5 * (f.heading + root.heading));
        DVec3::new(d.x, 0.0, d.y).as_vec3()
    });
    let goal = Goal {
        ankles,
        soles: rotations,
        bends: feet.map(|f| f.bend as f32),
        centre: (centre - origin).as_vec3(),
        pelvis: heading * carriage.pelvis,
        upper: carriage.upper,
        hints,
    };
    let (mut pose, slack) = solve(&rig.skeleton, &goal);
    let local = rig.skeleton.centre(&rig.skeleton.place(&pose));
    let shift = origin.as_vec3();
    pose.root += shift;
    let soles = [0, 1].map(|side| SolePose {
        position: feet[side].middle.as_vec3(),
        rotation: rotations[side],
        toe_bend: feet[side].bend as f32,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
    });
    (
        Frame {
            pose,
            soles,
            contacts: [[false; 2]; 2],
            load: [0.0; 2],
            clock: [0.0; 2],
            tilt: None,
            centre: local + shift,
        },
        slack,
    )
}
