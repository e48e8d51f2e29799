//! A rig: a body with a style on a ground, and how high it carries its hips at each speed.
//!
//! In: body, style, ground. Out: what the generator needs for any path. The height of the hips is found by walking a few
//! steps at each of a few speeds and asking how high the knees of the published curves would carry them.

use super::curves::{Band, Harmonics, KNEE, RUN_KNEE, RUN_OFF};
use super::generator::Gait;
use super::path::Track;
use super::style::Style;
use super::timing::Timing;
use crate::body::{Ground, HIP, Pose, Skeleton, reach};
use crate::params::GRAVITY;
use crate::params::body::Body;
use glam::Vec3;

/// Dimensionless speeds at which hip heights are known.
const KNOTS: [f64; 10] = [0.0, 0.172, 0.29, 0.43, 0.56, 0.67, 0.75, 1.0, 1.35, 1.85];

/// Body, style and ground, ready for any path.
#[derive(Clone, Debug)]
pub struct Rig {
    /// The body.
    pub body: Body,
    /// Its joints and masses.
    pub skeleton: Skeleton,
    /// How it moves.
    pub style: Style,
    /// What it moves on.
    pub ground: Ground,
    /// Height of the centre of mass in a straight stance, m.
    pub standing: f64,
    /// How much lower it is carried at each of [`KNOTS`], m.
    drop: [f64; KNOTS.len()],
}

impl Rig {
    /// A rig for a body on shoes.
    pub fn new(body: &Body, style: &Style, ground: Ground) -> Self {
        Self::with(body, Skeleton::new(body), style, ground)
    }

    /// A rig for a body on given soles.
    pub fn with(body: &Body, skeleton: Skeleton, style: &Style, ground: Ground) -> Self {
        let pose = Pose { root: Vec3::Y * body.leg() as f32, ..Pose::default() };
        let standing = f64::from(skeleton.centre(&skeleton.place(&pose)).y);
        let mut rig =
            Self { body: *body, skeleton, style: *style, ground, standing, drop: [-0.02; KNOTS.len()] };
        for k in 0..KNOTS.len() {
            rig.calibrate(k);
        }
        rig
    }

    /// How much lower than straight the centre of mass is carried on average at a dimensionless speed, m.
    pub fn drop(&self, speed: f64) -> f64 {
        let i = KNOTS.partition_point(|&k| k <= speed).clamp(1, KNOTS.len() - 1);
        let w = ((speed - KNOTS[i - 1]) / (KNOTS[i] - KNOTS[i - 1])).clamp(0.0, 1.0);
        self.drop[i - 1] + (self.drop[i] - self.drop[i - 1]) * w - self.style.crouch
    }

    /// Finds how high the knees want the hips at knot `k`.
    fn calibrate(&mut self, k: usize) {
        if k == 0 {
            // Standing: knees bent by about six degrees.
            let (a, b) = self.skeleton.leg();
            self.drop[0] = f64::from(reach(a, b, 0.10) - a - b);
            return;
        }
        // From well below: a body that hangs from a straight leg would say nothing about how high it wants to be.
        self.drop[k] = -0.08;
        let speed = KNOTS[k] * (GRAVITY * self.body.leg()).sqrt();
        let (a, b) = self.skeleton.leg();
        let crouch = std::mem::replace(&mut self.style.crouch, 0.0);
        let variation = std::mem::replace(&mut self.style.variation, 0.0);
        for _ in 0..4 {
            let timing = Timing::at(self.style.pace, speed, self.body.leg(), 1.0, self.ground.slope.x);
            let period = timing.period * self.style.stride;
            let gait = Gait::free(self, Track::straight(speed), period);
            let row = Band::new(timing.speed).row(&KNEE, 8.0);
            let (mut sum, mut weight, mut least) = (0.0, 0.0, f64::MAX);
            for i in 0..32 {
                let phase = (f64::from(i) + 0.5) / 32.0;
                let (frame, slack) = gait.frame_and_slack(phase * period);
                // Nowhere may a leg hold the pelvis back: the centre of mass must be free to move as measured.
                least = least.min(f64::from(slack[0].min(slack[1])));
                let load = f64::from(frame.load[1]);
                if load <= 0.0 {
                    continue;
                }
                let placed = self.skeleton.place(&frame.pose);
                let (hip, ankle) = (placed.positions[HIP[1]], placed.positions[HIP[1] + 2]);
                let walk = Harmonics::new(phase).sum(&row);
                let run = Harmonics::new(phase / timing.duty * RUN_OFF).sum(&RUN_KNEE);
                let knee = (walk + (run - walk) * timing.run).to_radians();
                let wanted = f64::from(reach(a, b, knee as f32));
                sum += load * (wanted - f64::from((hip - ankle).length()));
                weight += load;
            }
            self.drop[k] += (sum / weight).min(least - 0.0005);
        }
        self.style.crouch = crouch;
        self.style.variation = variation;
    }
}
