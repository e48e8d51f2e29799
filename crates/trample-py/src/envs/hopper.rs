//! A hopper on loose ground: a mass on a springy leg with a foot, in the plane of x and y.
//!
//! The body keeps its attitude, as hoppers on a boom do (Aguilar & Goldman 2016 study such a one on grains). The leg is a spring with a
//! damper and a drive along it, and a hip that turns it. The foot is a body of its own: its height at the end of a step is solved for
//! together with what the ground answers there, so that stiff ground needs no small steps.

use super::{Env, Picture, many};
use crate::host::{self, SoleLike};
use crate::scene_error;
use pyo3::prelude::*;
use trample::glam::Vec3;
use trample::{Answer, Drive, Footing, Pose, Scene, SolePose, World};

/// Seconds of an action and of a step.
const ACTION: f64 = 1.0 / 60.0;
const STEPS: u32 = 8;
const STEP: f64 = ACTION / STEPS as f64;
const GRAVITY: f64 = 9.81;
// The machine: masses, kg; the leg's length, m, spring, N/m, damper, N·s/m, drive, N; the hip's gains, N·m/rad and N·m·s/rad, its
// largest torque, N·m, and lean, rad; the foot's radius, m. Our choice: a robot of a dog's size that weight and drive can lift.
const BODY: f64 = 8.0;
const FOOT: f64 = 1.0;
const LEG: f64 = 0.5;
const LONGEST: f64 = 0.6;
const SPRING: f64 = 4000.0;
const DAMPER: f64 = 30.0;
const DRIVE: f64 = 250.0;
const HIP: [f64; 2] = [80.0, 5.0];
const TORQUE: f64 = 60.0;
const LEAN: f64 = 0.5;
const RADIUS: f64 = 0.06;
/// The strip of ground, m: along, across, side of a cell. Four cells under the foot are few, and fast.
const SIZE: [f64; 2] = [8.1, 0.6];
const CELL: f64 = 0.03;
const START: f64 = 1.0;

/// One hopper and its ground.
#[derive(Clone)]
pub(crate) struct Hopper {
    pub(crate) world: World,
    fresh: std::sync::Arc<World>,
    footing: Footing,
    answer: Answer,
    body: [f64; 2],
    body_speed: [f64; 2],
    foot: [f64; 2],
    foot_speed: [f64; 2],
    made: u32,
    most: u32,
    total: u64,
}

impl Hopper {
    pub(crate) fn new(material: &str, seconds: f64) -> PyResult<Self> {
        let mut scene: Scene = crate::ground_of(material, SIZE, CELL)?;
        let turn = |i: u32| f64::from(i) * std::f64::consts::TAU / 24.0;
        let disc = (0..24).map(|i| [RADIUS * libm::cos(turn(i)), RADIUS * libm::sin(turn(i))]).collect();
        scene.puppets = vec![host::spec(1, BODY + FOOT, &SoleLike::Outline(disc), (None, None), "free")?];
        let world = World::new(&scene).map_err(scene_error)?;
        let fresh = std::sync::Arc::new(world.clone());
        let most = (seconds / ACTION).round().max(1.0) as u32;
        let zero = [0.0; 2];
        let mut hopper = Self {
            world,
            fresh,
            footing: Footing::default(),
            answer: Answer::default(),
            body: zero,
            body_speed: zero,
            foot: zero,
            foot_speed: zero,
            made: 0,
            most,
            total: 0,
        };
        hopper.reset(&[0.5; Self::RANDOM]);
        Ok(hopper)
    }

    /// The leg from foot to body: length, m, lean, rad, and how both change.
    fn leg(&self) -> [f64; 4] {
        let [x, y] = [0, 1].map(|k| self.body[k] - self.foot[k]);
        let [u, v] = [0, 1].map(|k| self.body_speed[k] - self.foot_speed[k]);
        let length = libm::hypot(x, y).max(1e-6);
        [length, libm::atan2(x, y), (x * u + y * v) / length, (y * u - x * v) / (length * length)]
    }

    fn step(&mut self, drive: f64, lean: f64) {
        let [length, angle, grows, turns] = self.leg();
        let stop = if length > LONGEST { 20.0 * SPRING * (LONGEST - length) } else { 0.0 };
        let along = SPRING * (LEG - length) - DAMPER * grows + DRIVE * drive + stop;
        let torque = (HIP[0] * (LEAN * lean - angle) - HIP[1] * turns).clamp(-TORQUE, TORQUE);
        let (sin, cos) = libm::sincos(angle);
        let across = torque / length;
        // On the body; the foot has the opposite.
        let force = [along * sin + across * cos, along * cos - across * sin];
        let mut sole = SolePose { position: Vec3::new(self.foot[0] as f32, 0.0, 0.3), ..SolePose::default() };
        self.foot_speed[0] += STEP / FOOT * (-force[0] - f64::from(self.answer.force.x));
        self.foot[0] += STEP * self.foot_speed[0];
        sole.position.x = self.foot[0] as f32;
        self.footing.look(&self.world, 0, 0, &sole);
        self.foot_speed[1] = self.fall(-force[1] / FOOT - GRAVITY);
        self.foot[1] += STEP * self.foot_speed[1];
        for (k, down) in [0.0, GRAVITY].into_iter().enumerate() {
            self.body_speed[k] += STEP * (force[k] / BODY - down);
            self.body[k] += STEP * self.body_speed[k];
        }
        sole.position.y = self.foot[1] as f32;
        sole.velocity = Vec3::new(self.foot_speed[0] as f32, self.foot_speed[1] as f32, 0.0);
        self.answer = self.footing.answer(&self.world, &sole);
        let drive = Drive {
            force: self.answer.force,
            load: [1.0, 0.0],
            cops: [self.answer.cop; 2],
            ..Drive::default()
        };
        self.world
            .set_pose(0, &Pose { drive: Some(drive), soles: vec![sole], center_of_mass: sole.position });
        self.world.step(STEP);
        self.total += 1;
    }

    /// The foot's vertical speed at the end of a step in which all but the ground accelerate it by `free`, m/s: the root of a rising
    /// function, by halving and false position in turns.
    fn fall(&self, free: f64) -> f64 {
        let (y, before) = (self.foot[1], self.foot_speed[1]);
        let push = |speed: f64| self.footing.push(&self.world, y + speed * STEP, speed);
        let rest = |speed: f64| FOOT * ((speed - before) / STEP - free) - push(speed);
        let mut low = before + free * STEP;
        if push(low) <= 0.0 {
            return low;
        }
        let mut high = ((self.footing.top() - y) / STEP).max(low + 1e-6);
        let (mut at_low, mut at_high) = (rest(low), rest(high));
        for i in 0..40 {
            if high - low < 1e-6 || at_high <= 0.0 {
                break;
            }
            let guess = if i % 2 == 0 {
                low - at_low * (high - low) / (at_high - at_low)
            } else {
                0.5 * (low + high)
            };
            let at = rest(guess);
            if at.abs() < 0.01 {
                return guess;
            }
            if at < 0.0 {
                (low, at_low) = (guess, at);
            } else {
                (high, at_high) = (guess, at);
            }
        }
        high
    }

    fn above(&self) -> f64 {
        self.body[1] - self.world.height(self.body[0], 0.3)
    }

    pub(crate) fn picture(&self) -> Picture {
        let points = vec![("body", self.body), ("foot", self.foot)];
        let line = (0..(SIZE[0] / CELL) as usize).map(|i| (i as f64 + 0.5) * CELL);
        (points, line.map(|x| [x, self.world.height(x, 0.3)]).collect())
    }
}

impl Env for Hopper {
    const ACTIONS: usize = 2;
    const SEEN: usize = 9;
    const RANDOM: usize = 4;
    const FEET: u64 = 1;

    fn reset(&mut self, random: &[f32]) {
        self.world.clone_from(&self.fresh);
        (self.footing, self.answer, self.made) = (Footing::default(), Answer::default(), 0);
        let r = |i: usize, most: f64| most * (2.0 * f64::from(random[i]) - 1.0);
        let lean = r(0, 0.05);
        self.foot = [START, 0.15 + r(1, 0.05)];
        self.body = [START + LEG * libm::sin(lean), self.foot[1] + LEG * libm::cos(lean)];
        self.body_speed = [r(2, 0.1), r(3, 0.1)];
        self.foot_speed = self.body_speed;
    }

    fn act(&mut self, action: &[f32]) -> f32 {
        let told = [0, 1].map(|i| f64::from(action[i]).clamp(-1.0, 1.0));
        let from = self.body[0];
        for _ in 0..STEPS {
            self.step(told[0], told[1]);
        }
        self.made += 1;
        let effort = told[0] * told[0] + told[1] * told[1];
        let alive = if self.over()[0] { 0.0 } else { 0.5 * ACTION };
        ((self.body[0] - from) + alive - 0.1 * ACTION * effort) as f32
    }

    fn see(&self, out: &mut [f32]) {
        let [length, angle, grows, turns] = self.leg();
        let sunk = (self.world.scene().terrain.base.height(self.foot[0], 0.3) - self.foot[1]).max(0.0);
        let weight = (BODY + FOOT) * GRAVITY;
        let values = [
            self.above(),
            length,
            angle,
            self.body_speed[0],
            self.body_speed[1],
            grows,
            turns,
            self.answer.normal / weight,
            sunk,
        ];
        out.iter_mut().zip(values).for_each(|(o, v)| *o = v as f32);
    }

    fn over(&self) -> [bool; 2] {
        let [_, angle, ..] = self.leg();
        let fell = !(self.above() > 0.25 && angle.abs() < 1.0);
        let inside = self.foot[0] > 0.2 && self.foot[0] < SIZE[0] - 0.2;
        [fell, self.made >= self.most || !inside]
    }

    fn steps(&self) -> u64 {
        self.total
    }
}

many!(Hoppers, "Hoppers", Hopper, "Hoppers on loose ground, many at once.");
