//! Contacts and body to force (DF §4, TR §3.2).
//!
//! In: which feet touch, over which part of the step, and the centre of mass. Out: per foot the force over that part.
//! `F = α(m·g + J/τ)`: the weight, shared by the position of the centre of mass, and the landing's momentum, latched
//! just before contact and held for the ground's characteristic time. The step is cut where a foot lands, lifts or
//! its landing has been absorbed, and each piece is integrated by the trapezoid rule, so nothing depends on the
//! frame rate.

use super::contact::FootScratch;
use super::split;
use crate::body::press::of_foot;
use crate::body::share::{MOST_FEET, shares};
use crate::params::GRAVITY;
use crate::pose::Drive;
use crate::state::{Foot, Puppet};
use crate::step::Scratch;
use glam::{Vec2, Vec3};

/// What a foot does to the ground in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Load {
    /// How long it presses in this step, s.
    pub(crate) seconds: f64,
    /// Mean force while it presses, N.
    pub(crate) force: Vec3,
    /// Mean of the force into the ground, N.
    pub(crate) normal_mean: f64,
    /// Largest force into the ground, N.
    pub(crate) normal_peak: f64,
    /// Force into the ground at the end of the step, when the sole is where its pose says, N. Known for bodies that move by forces; none
    /// for others.
    pub(crate) normal_last: Option<f64>,
    /// Mass of the body, kg.
    pub(crate) mass: f64,
    /// Where it presses in the mean, x and z, m.
    pub(crate) cop: Vec2,
}

/// Puppets that one thread takes at a time: less than a µs each.
const LEAST: usize = 64;

/// Computes the force of every foot.
pub(crate) fn run(puppets: &mut [Puppet], scratch: &mut Scratch, dt: f64) {
    if scratch.is_split() {
        scratch.splits += 1;
        // Feet are stored puppet by puppet, so each puppet can have its own slice.
        let mut slices: Vec<(&mut Puppet, &mut [FootScratch])> = Vec::with_capacity(puppets.len());
        let mut rest = &mut scratch.feet[..];
        for puppet in puppets.iter_mut() {
            let (own, others) = rest.split_at_mut(puppet.feet.len());
            slices.push((puppet, own));
            rest = others;
        }
        split::each(&mut slices, LEAST, |(puppet, feet)| share_and_press(puppet, feet, dt));
    } else {
        let mut rest = &mut scratch.feet[..];
        for puppet in puppets.iter_mut() {
            let (own, others) = rest.split_at_mut(puppet.feet.len());
            share_and_press(puppet, own, dt);
            rest = others;
        }
    }
}

fn share_and_press(puppet: &mut Puppet, feet: &mut [FootScratch], dt: f64) {
    for f in feet.iter_mut() {
        f.load = Load::default();
    }
    if puppet.quarantined {
        return;
    }
    if feet.iter().any(|f| f.rests) {
        if feet.iter().any(|f| f.told.is_none()) {
            stand_still(puppet, feet, dt);
        }
        return;
    }
    for f in feet.iter() {
        if f.landed {
            latch(&mut puppet.feet[f.foot], f);
        }
    }
    let now = puppet.pose.center_of_mass;
    let before = puppet.last_center.unwrap_or(now);
    if feet.iter().any(|f| f.touches) {
        let cuts = cuts(puppet, feet, dt);
        for piece in cuts.windows(2) {
            let (a, b) = (piece[0], piece[1]);
            if b - a > 1e-12 {
                let centre = [a, b].map(|t| before.lerp(now, (t / dt) as f32));
                integrate(puppet, feet, [a, b], centre, dt);
            }
        }
    }
    remember(puppet, feet, dt);
}

/// `J = m·v` just before contact, without the part that leaves the ground: a foot that is dragged or lifted
/// does not press. The part along the ground stays: it is what throws the rim forward (TR Fig. 11).
fn latch(foot: &mut Foot, f: &FootScratch) {
    let v = if foot.gap.is_finite() {
        foot.velocity + foot.acceleration * f.from as f32 + foot.spin.cross(f.arm)
    } else {
        Vec3::ZERO
    };
    foot.landing = v - f.normal * v.dot(f.normal).max(0.0);
    foot.hold = f.characteristic_time;
    foot.hold_left = f.characteristic_time;
    (foot.stance, foot.peak_force, foot.area_time, foot.impulse, foot.yielded) = (0.0, 0.0, 0.0, 0.0, 0.0);
    (foot.deepest, foot.pressed, foot.broadest) = (0.0, 0.0, 0.0);
    foot.slip = Vec3::ZERO;
}

/// Times at which the step is cut, ascending, from 0 to dt.
fn cuts(puppet: &Puppet, feet: &[FootScratch], dt: f64) -> [f64; 3 * MOST_FEET + 2] {
    let mut cuts = [dt; 3 * MOST_FEET + 2];
    cuts[0] = 0.0;
    let mut known = 1;
    for (i, f) in feet.iter().filter(|f| f.touches).take(MOST_FEET).enumerate() {
        cuts[3 * i + 1] = f.from;
        cuts[3 * i + 2] = f.to;
        cuts[3 * i + 3] = (f.from + puppet.feet[f.foot].hold_left).min(dt);
        known = 3 * i + 4;
    }
    // Behind them stands dt, which is the last.
    cuts[..known].sort_unstable_by(f64::total_cmp);
    cuts
}

/// Adds the force of one piece of the step, in which the same feet touch from end to end.
fn integrate(puppet: &Puppet, feet: &mut [FootScratch], span: [f64; 2], centre: [Vec3; 2], dt: f64) {
    let middle = 0.5 * (span[0] + span[1]);
    let mut places = [[0.0; 2]; MOST_FEET];
    let mut who = [0usize; MOST_FEET];
    let mut n = 0;
    for (i, f) in feet.iter().enumerate() {
        if f.touches && f.from <= middle && middle <= f.to && n < MOST_FEET {
            let p = puppet.pose.soles[f.foot].position;
            places[n] = [f64::from(p.x), f64::from(p.z)];
            who[n] = i;
            n += 1;
        }
    }
    let at = |c: Vec3| shares(&places[..n], [f64::from(c.x), f64::from(c.z)]);
    let seconds = span[1] - span[0];
    if let Some(now) = puppet.pose.drive {
        let before = puppet.last_drive.unwrap_or(now);
        let ends = span.map(|t| mixed(&before, &now, (t / dt) as f32));
        let loads = ends.map(|d| loads(&d, &who[..n], feet));
        for i in 0..n {
            let f = &mut feet[who[i]];
            let forces = [0, 1].map(|e| {
                let (d, own) = (&ends[e], loads[e][i]);
                let apart = if f.foot == 0 { d.apart } else { -d.apart };
                of_foot(d.force, own, 1.0 - own, apart)
            });
            let load = &mut f.load;
            load.cop += ends[1].cops.get(f.foot).copied().unwrap_or_default() * seconds as f32;
            load.seconds += seconds;
            load.force += 0.5 * (forces[0] + forces[1]) * seconds as f32;
            let normal = forces.map(|force| f64::from(-force.dot(f.normal)).max(0.0));
            load.normal_mean += 0.5 * (normal[0] + normal[1]) * seconds;
            load.normal_peak = load.normal_peak.max(normal[0]).max(normal[1]);
            load.normal_last = Some(normal[1]);
        }
        return;
    }
    let (first, last) = (at(centre[0]), at(centre[1]));
    for i in 0..n {
        let f = &mut feet[who[i]];
        let foot = &puppet.feet[f.foot];
        let held = middle < f.from + foot.hold_left;
        let momentum = if held { foot.landing / foot.hold as f32 } else { Vec3::ZERO };
        let whole = (Vec3::new(0.0, -GRAVITY as f32, 0.0) + momentum) * puppet.mass as f32;
        let share = 0.5 * (first[i] + last[i]);
        let normal = f64::from(-whole.dot(f.normal)).max(0.0);
        let load = &mut f.load;
        let place = puppet.pose.soles[f.foot].position;
        load.cop += Vec2::new(place.x, place.z) * seconds as f32;
        load.seconds += seconds;
        load.force += whole * (share * seconds) as f32;
        load.normal_mean += normal * share * seconds;
        load.normal_peak = load.normal_peak.max(normal * first[i].max(last[i]));
    }
}

/// A drive between two.
fn mixed(a: &Drive, b: &Drive, t: f32) -> Drive {
    Drive {
        force: a.force.lerp(b.force, t),
        load: [0, 1].map(|i| a.load[i] + (b.load[i] - a.load[i]) * t),
        apart: a.apart.lerp(b.apart, t),
        cops: b.cops,
    }
}

/// The shares of the feet that touch, made to add up to one; even if the motion knows of none. Where those that touch have all but left
/// by the motion, because the foot that is to carry is not down yet, the body falls until it is: the tips of toes do not hold it.
fn loads(drive: &Drive, who: &[usize], feet: &[FootScratch]) -> [f32; MOST_FEET] {
    let given = |i: usize| drive.load.get(feet[i].foot).copied().unwrap_or(0.0).max(0.0);
    let total: f32 = who.iter().map(|&i| given(i)).sum();
    let knows = drive.load.iter().sum::<f32>() > 0.5;
    let mut out = [0.0; MOST_FEET];
    for (slot, &i) in out.iter_mut().zip(who) {
        *slot = if knows || total > 1e-3 { given(i) / total.max(FALLS) } else { 1.0 / who.len() as f32 };
    }
    out
}

/// Below this share of the force a foot cannot take all of it: our choice.
const FALLS: f32 = 0.2;

/// The force of one who rests: as its motion had it when it came to rest, all the time. Nothing is remembered of it.
fn stand_still(puppet: &Puppet, feet: &mut [FootScratch], dt: f64) {
    let centre = puppet.pose.center_of_mass;
    feet.iter_mut().for_each(|f| (f.touches, f.from, f.to) = (true, 0.0, dt));
    integrate(puppet, feet, [0.0, dt], [centre; 2], dt);
    for f in feet.iter_mut() {
        f.load.average(puppet.mass);
        f.touches = false;
    }
}

impl Load {
    /// Turns integrals into means.
    fn average(&mut self, mass: f64) {
        self.mass = mass;
        if self.seconds > 0.0 {
            self.force /= self.seconds as f32;
            self.cop /= self.seconds as f32;
            self.normal_mean /= self.seconds;
        }
    }
}

/// Notes what the next step needs to know.
fn remember(puppet: &mut Puppet, feet: &mut [FootScratch], dt: f64) {
    for f in feet.iter_mut() {
        let load = &mut f.load;
        load.average(puppet.mass);
        let pose = &puppet.pose.soles[f.foot];
        let foot = &mut puppet.feet[f.foot];
        if f.touches {
            foot.hold_left = (foot.hold_left - (f.to - f.from)).max(0.0);
            foot.stance += load.seconds;
            foot.peak_force = foot.peak_force.max(load.normal_peak);
            foot.impulse += load.normal_mean * load.seconds;
        }
        foot.down = f.touches && !f.lifted;
        let known = foot.gap.is_finite() && !f.touches;
        foot.acceleration = if known { (pose.velocity - foot.velocity) / dt as f32 } else { Vec3::ZERO };
        (foot.velocity, foot.spin, foot.gap) = (pose.velocity, pose.spin, f.gap);
    }
    puppet.last_center = Some(puppet.pose.center_of_mass);
    puppet.last_drive = puppet.pose.drive;
}
