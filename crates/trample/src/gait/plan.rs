//! A plan of steps, once made: which step a foot is in, where it is, what it carries, and the phase of the gait.
//!
//! In: a time. Out: poses of the feet, shares of the load, phase. Made by [`super::steps`].

use super::path::Path;
use super::reaction::Reaction;
use super::rig::Rig;
use super::swing::Swing;
use crate::body::press::stance_clock;
use crate::body::share::in_double_support;
use crate::body::{FootPose, Roll, rolled};
use glam::DVec3;

/// A stance and the swing that follows it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Touch-down, s.
    pub down: f64,
    /// Lift-off, s; infinite if it stays.
    pub up: f64,
    /// Middle of the flat sole, m.
    pub place: DVec3,
    /// Heading of the foot, rad.
    pub heading: f64,
    /// How it rolls.
    pub roll: Roll,
    /// Where it goes next.
    pub swing: Option<Swing>,
}

/// All steps of a clip.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Steps of the left and the right foot.
    pub feet: [Vec<Step>; 2],
    /// Phase of the gait in cycles at times, s: whole numbers at the right foot's touch-downs, halves at the left's.
    pub(super) beats: Vec<(f64, f64)>,
}

/// How long it takes to shift the weight from one foot to both or back, s.
const SHIFT: f64 = 0.4;

impl Plan {
    /// Which step of `foot` is under way at `t`: the last that has touched down.
    pub fn current(&self, foot: usize, t: f64) -> &Step {
        let steps = &self.feet[foot];
        &steps[steps.partition_point(|s| s.down <= t).max(1) - 1]
    }

    /// The pose of a foot at `t`.
    pub fn foot(&self, foot: usize, t: f64, path: &impl Path, rig: &Rig) -> FootPose {
        Self::foot_in(self.current(foot, t), t, path, rig)
    }

    /// The pose of a foot at `t`, taking `step` to be under way.
    pub fn foot_in(step: &Step, t: f64, path: &impl Path, rig: &Rig) -> FootPose {
        match &step.swing {
            Some(swing) if t > step.up => swing.pose(t, path, &rig.skeleton.foot, &rig.ground),
            _ => standing(step, t, rig),
        }
    }

    /// The clock of a foot at `t`: from 0 at touch-down to 1 at lift-off and on to 2 at the next touch-down.
    pub fn clock(&self, foot: usize, t: f64) -> f32 {
        let step = self.current(foot, t);
        match &step.swing {
            Some(swing) if t > step.up => {
                let w = (t - swing.time[0]) / (swing.time[1] - swing.time[0]);
                1.0 + w.clamp(1e-3, 1.0 - 1e-3) as f32
            }
            _ => stance_clock((t - step.down).min(10.0), (step.up - t).clamp(0.0, 10.0)).min(1.0 - 1e-3),
        }
    }

    /// How much of the load each foot takes at `t`, left and right, stepping with `reaction`; zeros in flight.
    pub fn load(&self, t: f64, reaction: &Reaction) -> [f64; 2] {
        let steps = [self.current(0, t), self.current(1, t)];
        let down = steps.map(|s| t <= s.up);
        match down {
            [true, true] => {
                let late = usize::from(steps[1].down > steps[0].down);
                let (begin, finish) = (steps[late].down, steps[1 - late].up);
                let part = if steps[late].up >= finish && finish - begin < 0.8 {
                    // A foot that has stood for long leaves as one that walks.
                    let [left, right] = [0, 1].map(|foot| {
                        let clock =
                            stance_clock((t - steps[foot].down).min(10.0), (steps[foot].up - t).min(10.0));
                        reaction.up.at(f64::from(clock)).max(0.0)
                    });
                    let (own, other) = if late == 0 { (left, right) } else { (right, left) };
                    // At the very ends of the stances neither is pressed.
                    let sum = own + other;
                    if sum > 0.1 { own / sum } else { in_double_support((t - begin) / (finish - begin)) }
                } else {
                    // Someone who stands longer than a step takes stands on both, and shifts the weight before stepping.
                    let (stays, lifts) =
                        if steps[late].up >= finish { (0.5, finish) } else { (-0.5, steps[late].up) };
                    let settled = 0.5 * in_double_support((t - begin) / SHIFT);
                    (settled + stays * in_double_support(1.0 - (lifts - t) / SHIFT)).clamp(0.0, 1.0)
                };
                let mut load = [1.0 - part; 2];
                load[late] = part;
                load
            }
            [left, right] => [f64::from(u8::from(left)), f64::from(u8::from(right))],
        }
    }

    /// Phase in cycles at `t`: monotone cubic between the beats.
    pub fn phase(&self, t: f64) -> f64 {
        let b = &self.beats;
        let i = b.partition_point(|x| x.0 <= t).clamp(1, b.len() - 1);
        let ((t0, p0), (t1, p1)) = (b[i - 1], b[i]);
        let rate = |i: usize| {
            let ((a, p), (b, q)) = (self.beats[i - 1], self.beats[i]);
            (q - p) / (b - a).max(1e-9)
        };
        let here = rate(i);
        let mean = |a: f64, b: f64| if a * b <= 0.0 { 0.0 } else { 2.0 * a * b / (a + b) };
        let m0 = if i > 1 { mean(rate(i - 1), here) } else { here };
        let m1 = if i + 1 < b.len() { mean(here, rate(i + 1)) } else { here };
        let d = t1 - t0;
        let w = (t - t0) / d;
        if !(0.0..=1.0).contains(&w) {
            return p0 + here * (t - t0);
        }
        let (w2, w3) = (w * w, w * w * w);
        p0 * (2.0 * w3 - 3.0 * w2 + 1.0)
            + m0 * d * (w3 - 2.0 * w2 + w)
            + p1 * (3.0 * w2 - 2.0 * w3)
            + m1 * d * (w3 - w2)
    }
}

/// A standing foot.
pub(super) fn standing(step: &Step, t: f64, rig: &Rig) -> FootPose {
    let pitch = step.roll.pitch(t - step.down, step.up - t);
    rolled(step.place, step.heading, pitch, rig.style.bends, &rig.skeleton.foot, &rig.ground)
}
