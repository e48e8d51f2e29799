//! A jump: crouch, push-off, flight, absorbing landing; in place or forward.
//!
//! In: a rig, how high and how far. Out: frames at any time. The centre of mass leaves at √(2gh) with no force left, falls
//! freely, and is caught by knees that bend to 60–80°.

use super::generator::{Carriage, Frame, assemble, held, spin};
use super::path::Root;
use super::rig::Rig;
use crate::body::press::RESTS;
use crate::body::{FootPose, rolled};
use crate::math::smooth;
use crate::params::GRAVITY;
use glam::{DVec2, DVec3};

/// A jump along x from standing to standing.
#[derive(Clone, Debug)]
pub struct Jump {
    rig: Rig,
    /// When crouch, push, flight, landing and recovery begin, and when all is over, s.
    pub times: [f64; 6],
    /// Height of the centre of mass against standing at the ends of each phase, its velocity and acceleration.
    heights: [[f64; 3]; 6],
    /// The same along x.
    along: [[f64; 3]; 6],
    /// How far the feet go, m.
    distance: f64,
}

/// Lowering of the centre of mass before (a high jump takes more) and after the flight, and its height at take-off and landing against standing, as
/// shares of leg length.
const CROUCH: f64 = 0.15;
const LANDED: f64 = 0.17;
const TAKE_OFF: f64 = 0.085;
const TOUCH: f64 = 0.01;
/// Foot pitch at take-off and at landing, rad.
const OFF: f64 = -1.0;
const ON: f64 = -0.25;
/// Time from the balls' landing to the heels', s.
const SETTLES: f64 = 0.07;

impl Jump {
    /// A jump that raises the centre of mass by `height` m in flight and carries the feet `distance` m forward.
    pub fn new(rig: &Rig, height: f64, distance: f64) -> Self {
        let leg = rig.body.leg();
        let (low, off, on, soft) =
            (-CROUCH * leg - 0.35 * height, TAKE_OFF * leg, TOUCH * leg, -LANDED * leg);
        let rise = (2.0 * GRAVITY * height.max(0.02)).sqrt();
        let fall = (rise * rise + 2.0 * GRAVITY * (off - on)).sqrt();
        let flight = (rise + fall) / GRAVITY;
        let push = 1.75 * (off - low) / rise;
        let absorb = 1.9 * (on - soft) / fall;
        let mut times = [0.3, 0.8, 0.0, 0.0, 0.0, 0.0];
        times[2] = times[1] + push;
        times[3] = times[2] + flight;
        times[4] = times[3] + absorb;
        times[5] = times[4] + 0.75;
        // The feet swing ahead of the body, which comes to rest above them.
        let speed = distance / (flight + 0.45 * push + 0.45 * absorb);
        let gone = 0.45 * push * speed;
        let heights = [
            [0.0; 3],
            [low, 0.0, 1.2 * rise / push],
            [off, rise, -GRAVITY],
            [on, -fall, -GRAVITY],
            // Rising again is slow.
            [soft, 0.0, 1.5],
            [0.0; 3],
        ];
        let along = [
            [0.0; 3],
            [0.0; 3],
            [gone, speed, 0.0],
            [gone + speed * flight, speed, 0.0],
            [distance, 0.0, 0.0],
            [distance, 0.0, 0.0],
        ];
        Self { rig: rig.clone(), times, heights, along, distance }
    }

    /// How long it takes, standing still before and after, s.
    pub fn duration(&self) -> f64 {
        self.times[5] + 0.3
    }

    /// The phase at `t`, 0 crouch to 4 recovery, and how far through it.
    fn phase(&self, t: f64) -> (usize, f64) {
        let k = self.times[1..5].partition_point(|&x| x <= t);
        (k, ((t - self.times[k]) / (self.times[k + 1] - self.times[k])).clamp(0.0, 1.0))
    }

    fn curve(&self, ends: &[[f64; 3]; 6], t: f64) -> f64 {
        let (k, w) = self.phase(t);
        hermite(&ends[k], &ends[k + 1], self.times[k + 1] - self.times[k], w)
    }

    /// Centre of mass against standing at `t`, m: forward, up.
    pub fn centre(&self, t: f64) -> [f64; 2] {
        [self.curve(&self.along, t), self.curve(&self.heights, t)]
    }

    /// The root at `t`.
    pub fn root(&self, t: f64) -> Root {
        let h = 1e-4;
        let x = |t: f64| self.curve(&self.along, t);
        Root {
            position: DVec2::new(x(t), 0.0),
            heading: 0.0,
            velocity: DVec2::new((x(t + h) - x(t - h)) / (2.0 * h), 0.0),
            yaw_rate: 0.0,
        }
    }

    /// Pose of a foot at `t`.
    fn foot(&self, side: usize, t: f64) -> FootPose {
        let rig = &self.rig;
        let out = if side == 0 { -1.0 } else { 1.0 };
        let heading = out * rig.style.toe_out;
        let back = 0.16 * rig.body.foot_length + rig.skeleton.foot.ankle;
        let place = |x: f64| rig.ground.point(DVec2::new(x - back, out * 0.5 * rig.body.hip_width * 1.2));
        let stand = |x: f64, pitch: f64| {
            rolled(place(x), heading, pitch, rig.style.bends, &rig.skeleton.foot, &rig.ground)
        };
        let (off, on) = (self.times[2], self.times[3]);
        if t <= off {
            let u = ((t - off) / (0.55 * (off - self.times[1])) + 1.0).max(0.0);
            return stand(0.0, OFF * u * u);
        }
        if t >= on {
            let u = 1.0 - ((t - on) / SETTLES).min(1.0);
            return stand(self.distance, ON * u * u);
        }
        // In flight ankles move evenly against the body, drawn up a little in the middle.
        let shape = &rig.skeleton.foot;
        let w = (t - off) / (on - off);
        let body = |t: f64| {
            let [x, y] = self.centre(t);
            DVec3::new(x, y, 0.0)
        };
        let ends = [stand(0.0, OFF), stand(self.distance, ON)];
        let rel = [0, 1].map(|i| ends[i].ankle(shape, &rig.ground) - body([off, on][i]));
        let ease = smooth(w);
        let mut ankle = body(t) + rel[0] + (rel[1] - rel[0]) * ease;
        let tuck = 16.0 * w * w * (1.0 - w) * (1.0 - w);
        ankle.y += tuck * (0.08 + 0.1 * self.distance.min(1.5)) * rig.body.leg();
        let pitch = OFF + (ON - OFF) * ease + 0.35 * tuck;
        let bend = ends[0].bend * (1.0 - smooth(w)) + ends[1].bend * smooth(w);
        let mut pose = FootPose::below(ankle, heading, pitch, bend, shape, &rig.ground);
        // A low jump draws its feet up rather than stubbing its toes.
        pose.middle.y += (-pose.clearance(shape, &rig.ground)).max(0.0);
        pose
    }

    /// Trunk and arms at `t`.
    fn carriage(&self, t: f64) -> Carriage {
        // Lean, shoulders, elbows at the end of each phase, rad: arms swing back, then up, then down and forward.
        const HELD: [[f64; 3]; 6] = [
            [0.05, 0.0, 0.2],
            [0.75, -0.8, 0.3],
            [0.1, 2.0, 0.6],
            [0.25, 0.9, 0.6],
            [0.6, 0.3, 0.6],
            [0.05, 0.0, 0.2],
        ];
        let (k, w) = self.phase(t);
        let ease = smooth(w);
        let at = |i: usize| HELD[k][i] + (HELD[k + 1][i] - HELD[k][i]) * ease;
        held(at(0), at(1), at(2))
    }

    /// The motion at `t` s.
    pub fn frame(&self, t: f64) -> Frame {
        let rig = &self.rig;
        let feet = [self.foot(0, t), self.foot(1, t)];
        let [x, y] = self.centre(t);
        let at = DVec2::new(x, 0.0);
        let centre = DVec3::new(x, rig.ground.height(at) + rig.standing + rig.drop(0.0) + y, 0.0);
        let (mut frame, _) = assemble(rig, &self.root(t), &feet, centre, &self.carriage(t));
        let flies = t > self.times[2] && t < self.times[3];
        let h = 1e-4;
        // Both samples on the same side of take-off and landing.
        let before = if (t < self.times[2]) == (t - h < self.times[2])
            && (t < self.times[3]) == (t - h < self.times[3])
        {
            t - h
        } else {
            t
        };
        for side in 0..2 {
            let (a, b) = (self.foot(side, before), self.foot(side, before + h));
            frame.soles[side].velocity = ((b.middle - a.middle) / h).as_vec3();
            frame.soles[side].spin = spin(&a, &b, rig, h);
            frame.contacts[side] = if flies { [false; 2] } else { [feet[side].pitch > -0.015, true] };
            frame.load[side] = if flies { 0.0 } else { 0.5 };
            frame.clock[side] = if flies { 1.5 } else { RESTS };
        }
        frame
    }
}

/// The quintic from (place, velocity, acceleration) to another in `time` s, at `w` of the way.
fn hermite(a: &[f64; 3], b: &[f64; 3], time: f64, w: f64) -> f64 {
    let (v0, v1) = (a[1] * time, b[1] * time);
    let (c0, c1) = (0.5 * a[2] * time * time, 0.5 * b[2] * time * time);
    let d = b[0] - a[0];
    // Coefficients of w³, w⁴, w⁵.
    let k3 = 10.0 * d - 6.0 * v0 - 4.0 * v1 - 3.0 * c0 + c1;
    let k4 = -15.0 * d + 8.0 * v0 + 7.0 * v1 + 3.0 * c0 - 2.0 * c1;
    let k5 = 6.0 * d - 3.0 * (v0 + v1) - c0 + c1;
    a[0] + w * (v0 + w * (c0 + w * (k3 + w * (k4 + w * k5))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quintic_meets_both_ends() {
        let (a, b) = ([0.1, 0.5, -2.0], [0.7, -1.0, 3.0]);
        let f = |t: f64| hermite(&a, &b, 0.8, t / 0.8);
        let h = 1e-4;
        for (t, end) in [(0.0, a), (0.8, b)] {
            assert!((f(t) - end[0]).abs() < 1e-12);
            assert!(((f(t + h) - f(t - h)) / (2.0 * h) - end[1]).abs() < 1e-5);
            assert!(((f(t + h) - 2.0 * f(t) + f(t - h)) / (h * h) - end[2]).abs() < 1e-3);
        }
    }
}
