//! Footsteps: when and where feet stand along a path.
//!
//! In: a path, a rhythm, a style. Out: for each foot a list of stances and the swings between them, and the phase of the gait
//! over time. Feet step while the body moves or turns and stand when it does not, so that idling, starting, stopping,
//! turning on the spot and walking are one rule.

use super::curves::Band;
use super::path::{Path, Root};
use super::plan::{Plan, Step, standing};
use super::rig::Rig;
use super::swing::{End, Making, Swing};
use super::timing::Timing;
use crate::body::Roll;
use crate::math::{direction, smooth};
use crate::params::GRAVITY;
use crate::random::{Stream, normal};
use glam::{DVec2, DVec3};

/// The rhythm at the root's speed. Turning on the spot counts as motion of the feet around it.
pub(super) fn rhythm(root: &Root, rig: &Rig) -> (Timing, f64) {
    let speed = root.velocity.length();
    let effective = (speed * speed + 0.09 * root.yaw_rate * root.yaw_rate).sqrt();
    let forward = root.velocity.dot(root.forward()) / (speed * speed + 0.01).sqrt().max(0.1);
    let slope = if speed > 1e-6 { rig.ground.slope.dot(root.velocity / speed) } else { 0.0 };
    // Turning alone has no direction: it is a step in place.
    let along = 1.0 + (forward - 1.0) * smooth(speed / 0.2);
    let mut timing = Timing::at(rig.style.pace, effective, rig.body.leg(), along, slope);
    timing.period *= rig.style.stride;
    (timing, forward)
}

/// When, as a share of the stance, the body passes over the ankle of its foot, by walking speed.
const LEAD: [f64; 5] = [0.43, 0.40, 0.386, 0.3795, 0.379];
/// The same in running.
const RUN_LEAD: f64 = 0.30;
/// The centre of mass of a standing body lies this share of its foot before the ankles.
const STAND: f64 = 0.16;

/// Makes a plan.
struct Planner<'a, P: Path> {
    path: &'a P,
    rig: &'a Rig,
    end: f64,
    plan: Plan,
    count: u64,
}

impl Plan {
    /// Steps along `path` from before 0 until after `end` s.
    pub fn new(path: &impl Path, rig: &Rig, end: f64) -> Self {
        let mut planner =
            Planner { path, rig, end, plan: Self { feet: [vec![], vec![]], beats: vec![] }, count: 0 };
        planner.march();
        planner.swings();
        planner.plan
    }
}

impl<P: Path> Planner<'_, P> {
    /// Where `foot` should stand if it lands at `down` for `stance` s: middle of the sole and heading.
    fn goal(&self, foot: usize, down: f64, stance: f64, step: f64) -> (DVec3, f64) {
        let rig = self.rig;
        let there = rhythm(&self.path.at(down + 0.4 * stance), rig).0;
        // Uphill feet are put further ahead of the hips, downhill less far (umich 2021: hip flexion at contact 52° and 28°
        // against 34°).
        let ahead = self.path.at(down);
        let uphill =
            rig.ground.slope.dot(ahead.velocity / ahead.velocity.length().max(0.1)).clamp(-0.36, 0.36);
        let lead =
            Band::new(there.speed).pick(&LEAD) * (1.0 - there.run) + RUN_LEAD * there.run + 0.5 * uphill;
        let middle = down + lead * stance;
        let root = self.path.at(middle);
        let side = if foot == 0 { -1.0 } else { 1.0 };
        let heading = root.heading + side * rig.style.toe_out;
        // Sideways motion widens the stance, so that feet never cross.
        let drift = root.velocity.dot(root.right()).abs() * step;
        // A runner's feet land almost below the middle.
        let narrow = 1.0 - 0.75 * rhythm(&root, rig).0.run;
        let across = side * 0.5 * (rig.style.step_width * narrow + drift);
        // A body that accelerates leans: its feet stay behind by the height of its centre over g.
        let lean = self.path.acceleration(middle) * (0.56 * rig.body.height / GRAVITY);
        let back = STAND * rig.body.foot_length + rig.skeleton.foot.ankle;
        let mut at =
            root.position + root.right() * across - lean.clamp_length_max(0.35) - root.forward() * back;
        if rig.style.variation > 0.0 {
            let spread = 0.02 * rig.style.variation;
            let k = self.count;
            let scatter = |stream| spread * normal(rig.style.seed, stream, k);
            at += root.right() * scatter(Stream::StepAcross) + root.forward() * scatter(Stream::StepAlong);
        }
        (rig.ground.point(at), heading)
    }

    fn push(&mut self, foot: usize, down: f64, period: f64, duty: f64) {
        let stance = duty * period;
        let (place, heading) = self.goal(foot, down, stance, 0.5 * period);
        let roll = Roll { strike: 0.0, landing: 0.1, off: 0.0, rising: 0.1 };
        self.plan.feet[foot].push(Step { down, up: f64::INFINITY, place, heading, roll, swing: None });
        self.count += 1;
    }

    /// Whether `foot` is too far from where it should stand soon after `t`.
    fn needed(&self, foot: usize, t: f64) -> bool {
        let (timing, _) = rhythm(&self.path.at(t + 0.3), self.rig);
        if timing.speed > 0.06 {
            return true;
        }
        let Some(step) = self.plan.feet[foot].last() else { return true };
        // Where it would stand if the body stopped there: a lean that is to come moves no foot yet.
        let root = self.path.at(t + 0.25);
        let side = if foot == 0 { -0.5 } else { 0.5 };
        let back = STAND * self.rig.body.foot_length + self.rig.skeleton.foot.ankle;
        let at = root.position + root.right() * (side * self.rig.style.step_width) - root.forward() * back;
        let off = (at - DVec2::new(step.place.x, step.place.z)).length();
        let turned = root.heading + 2.0 * side * self.rig.style.toe_out - step.heading;
        off > 0.04 + 0.04 * self.rig.style.variation || turned.abs() > 0.15
    }

    /// The rhythm of a step `soon` s after `t`. While the speed rises, the step already has the rhythm of the speed to come.
    fn ahead(&self, t: f64, soon: f64) -> Timing {
        let at = |t: f64| rhythm(&self.path.at(t), self.rig).0;
        let (near, far) = (at(t + soon), at(t + soon + 0.45));
        Timing { period: near.period.min(far.period), duty: near.duty.min(far.duty.max(0.56)), ..near }
    }

    fn march(&mut self) {
        let start = self.path.at(0.0);
        let (timing, _) = rhythm(&start, self.rig);
        if timing.speed > 0.06 {
            // Already moving: begin two cycles early with the right foot, so that 0 is a right touch-down.
            let down = -2.0 * timing.period;
            self.push(1, down, timing.period, timing.duty);
            self.plan.beats.push((down, -2.0));
            self.follow(1, down, -2.0);
        } else {
            let long = -1e9;
            for foot in 0..2 {
                let (place, heading) = self.goal(foot, 0.0, 0.0, 0.5);
                let roll = Roll { strike: 0.0, landing: 0.1, off: 0.0, rising: 0.1 };
                self.plan.feet[foot].push(Step {
                    down: long,
                    up: f64::INFINITY,
                    place,
                    heading,
                    roll,
                    swing: None,
                });
            }
            self.plan.beats.push((-10.0, -0.4));
            self.wait(1, -2.0, -0.4);
        }
        let (last, phase) = self.plan.beats[self.plan.beats.len() - 1];
        self.plan.beats.push((last.max(self.end) + 10.0, phase));
    }

    /// Steps on after `foot` has touched down at `down` with the gait at `phase`.
    fn follow(&mut self, mut foot: usize, mut down: f64, mut phase: f64) {
        while down < self.end + 1.2 {
            let other = 1 - foot;
            let walks = self.needed(other, down) || self.plan.feet[other].is_empty();
            if !walks {
                return self.wait(other, down, phase);
            }
            // Rhythm of the step to come, in its middle.
            let mut timing = self.ahead(down, 0.25);
            if self.rig.style.variation > 0.0 {
                let jitter = normal(self.rig.style.seed, Stream::Wander, self.count);
                timing.period *= 1.0 + 0.015 * self.rig.style.variation * jitter.clamp(-2.5, 2.5);
            }
            let next = down + 0.5 * timing.period;
            // The foot that stands now will leave after its duty; the other one leaves before it lands.
            if let Some(step) = self.plan.feet[other].last_mut() {
                let lift = down + (timing.duty - 0.5) * timing.period;
                step.up = step.up.min(lift).max(step.down + 0.05).min(next - 0.12);
            }
            self.push(other, next, timing.period, timing.duty);
            if timing.duty < 0.5
                && let Some(step) = self.plan.feet[foot].last_mut()
            {
                step.up = step.up.min(step.down + timing.duty * timing.period);
            }
            phase += 0.5;
            self.plan.beats.push((next, phase));
            (foot, down) = (other, next);
        }
    }

    /// Stands from `from` on until a foot must move; `due` would be next.
    fn wait(&mut self, due: usize, from: f64, phase: f64) {
        let mut t = from;
        while t < self.end + 1.2 {
            let first =
                if self.needed(due, t) { Some(due) } else { self.needed(1 - due, t).then_some(1 - due) };
            if let Some(foot) = first {
                let timing = self.ahead(t, 0.4);
                // A first step shifts the weight before the foot leaves.
                let lift = t.max(from + 0.12);
                let next = lift + (1.0 - timing.duty).max(0.3) * timing.period;
                if let Some(step) = self.plan.feet[foot].last_mut() {
                    step.up = lift.max(step.down + 0.1);
                }
                let whole = if foot == 1 { 0.0 } else { 0.5 };
                let land = (phase + 0.3 - whole).ceil() + whole;
                self.plan.beats.push((lift, land - 0.4));
                self.plan.beats.push((next, land));
                self.push(foot, next, timing.period, timing.duty);
                return self.follow(foot, next, land);
            }
            t += 1.0 / 60.0;
        }
    }

    /// Gives every stance its roll and every two stances their swing.
    fn swings(&mut self) {
        for foot in 0..2 {
            for k in 0..self.plan.feet[foot].len() {
                self.plan.feet[foot][k].roll = self.roll(&self.plan.feet[foot][k]);
            }
            for k in 1..self.plan.feet[foot].len() {
                let (from, to) = (self.plan.feet[foot][k - 1], self.plan.feet[foot][k]);
                self.plan.feet[foot][k - 1].swing = Some(self.swing(foot, &from, &to));
            }
        }
    }

    fn roll(&self, step: &Step) -> Roll {
        let rig = self.rig;
        let at = |t: f64| rhythm(&self.path.at(t), rig);
        let ((a, a_forward), (b, b_forward)) = (at(step.down.max(-5.0)), at(step.up.min(self.end + 2.0)));
        let (first, last) = (Band::new(a.speed), Band::new(b.speed));
        let uphill = rig.ground.slope.dot(direction(step.heading));
        // Foot pitch at contact and at foot-off, and how long each roll takes as a share of the cycle (Schwartz 2008).
        let mut strike = first.pick(&STRIKE) * (1.0 - a.run) + RUN_STRIKE * a.run;
        let mut off = last.pick(&OFF) * (1.0 - b.run) + RUN_LIFT * b.run;
        // Uphill the heel comes down less and less; above 12° the forefoot strikes first (TR §3.2).
        let steep = libm::atan(uphill).to_degrees();
        strike -= (steep / 12.0).clamp(0.0, 1.6) * 15.0 * (1.0 - 0.5 * a.run);
        off *= 1.0 - 0.25 * (-steep / 20.0).clamp(0.0, 1.0);
        let scale = |x: f64, amount: f64, forward: f64| {
            let ahead = if forward > 0.0 { forward } else { 0.5 * forward };
            x.to_radians() * amount * ahead * rig.style.roll
        };
        let (mut strike, mut off) =
            (scale(strike, first.amount, a_forward), scale(off, last.amount, b_forward));
        if a_forward < 0.0 {
            // Backward: the toes land first and the heel leaves last, the roll in reverse.
            let toes = scale(first.pick(&OFF), first.amount, a_forward);
            strike = -toes.abs() * 0.6;
        }
        if b_forward < 0.0 {
            off = scale(last.pick(&STRIKE), last.amount, b_forward).abs() * 1.5;
        }
        let stance = (step.up - step.down).min(1.0);
        let landing = (0.075 * a.period * (1.0 - a.run) + 0.22 * stance * a.run).min(0.4 * stance);
        let rising = last.pick(&RISE) * b.period * (1.0 - b.run) + 0.7 * stance * b.run;
        Roll { strike, landing, off, rising: rising.min(stance - landing).max(0.05) }
    }

    fn swing(&self, foot: usize, from: &Step, to: &Step) -> Swing {
        let (rig, h) = (self.rig, 1e-4);
        let shape = &rig.skeleton.foot;
        let state = |step: &Step, t: f64, dt: f64| {
            let (a, b) = (standing(step, t, rig), standing(step, t + dt, rig));
            let (p, q) = (a.ankle(shape, &rig.ground), b.ankle(shape, &rig.ground));
            End {
                ankle: p,
                velocity: (q - p) / dt,
                pitch: a.pitch,
                pitch_rate: (b.pitch - a.pitch) / dt,
                heading: a.heading,
                bend: a.bend,
            }
        };
        let mut ends = [state(from, from.up, -h), state(to, to.down, h)];
        // The foot comes down: 0.2 of the speed downwards and 0.12 forwards (our choice, as for scripted feet).
        let root = self.path.at(to.down);
        let carried = root.velocity;
        let speed = carried.length().min(3.0);
        let down = if speed > 0.05 { 0.2 * speed } else { 0.05 };
        let ahead = carried * (0.12 + 0.2 * rhythm(&root, rig).0.run);
        let along = DVec3::new(ahead.x, rig.ground.height(DVec2::new(ahead.x, ahead.y)), ahead.y);
        ends[1].velocity += along - DVec3::Y * down;
        let (timing, forward) = rhythm(&self.path.at(0.5 * (from.up + to.down)), rig);
        let side = if foot == 0 { -0.5 } else { 0.5 };
        let making = Making {
            timing,
            forward,
            // As on level ground: where slopes and turns lower the hips, the foot keeps its height above the ground.
            hip_height: rig.body.leg() * (0.98 + 0.02 * timing.run),
            hip_side: side * rig.body.hip_width,
            leg: [rig.body.thigh, rig.body.shank],
            lift: rig.style.clearance,
            // Toes are held up by about 10° in swing (Oxford foot model).
            toes: if rig.style.bends { 0.17 } else { 0.0 },
        };
        let mut swing = Swing::new([from.up, to.down], ends, &making, self.path, &rig.ground);
        swing.clear(self.path, shape, &rig.ground);
        swing
    }
}

/// Foot pitch at contact, °, by speed.
const STRIKE: [f64; 5] = [11.0, 14.0, 16.0, 16.5, 16.0];
/// Foot pitch at foot-off, °, by speed.
const OFF: [f64; 5] = [-39.0, -57.0, -72.0, -77.5, -78.0];
/// How long the heel rises, as a share of the cycle, by speed.
const RISE: [f64; 5] = [0.30, 0.35, 0.403, 0.434, 0.434];
/// Foot pitch at contact and foot-off in running, °.
const RUN_STRIKE: f64 = 10.0;
const RUN_LIFT: f64 = -58.0;
