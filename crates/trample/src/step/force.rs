//! Contacts and body to force (DF §4, TR §3.2, §2 of the model).
//!
//! In: who touches, over which part of the step, and the centre of mass. Out: per foot the force over that part.
//! `F = α(m·g + J/τ)`: the weight, shared by where the centre of mass stands, and the landing's momentum, latched
//! just before contact and held for the ground's characteristic time. The step is cut where a foot lands, lifts or
//! its landing has been absorbed, and each piece is integrated by the trapezoid rule, so nothing depends on the
//! frame rate.

use super::contact::FootScratch;
use crate::scene::script::GRAVITY;
use crate::state::puppet::Drive;
use crate::state::{Foot, Ground, Puppet};
use crate::world::{Report, Scratch};
use glam::Vec3;
use rayon::prelude::*;

/// Feet closer than this share the weight evenly, m.
const TOO_CLOSE: f64 = 0.02;
/// Most feet a puppet may have.
pub const MOST_FEET: usize = 8;

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
    /// Mass of the body, kg.
    pub(crate) mass: f64,
}

/// Computes the force of every foot.
pub(crate) fn run(
    ground: &Ground,
    puppets: &mut [Puppet],
    scratch: &mut Scratch,
    time: f64,
    dt: f64,
    report: &mut Report,
) {
    debug_assert!(ground.cell > 0.0, "a ground has cells");
    if scratch.is_split() {
        // Feet are stored puppet by puppet, so each puppet can have its own slice.
        let mut slices: Vec<(&mut Puppet, &mut [FootScratch])> = Vec::with_capacity(puppets.len());
        let mut rest = &mut scratch.feet[..];
        for puppet in puppets.iter_mut() {
            let (own, others) = rest.split_at_mut(puppet.feet.len());
            slices.push((puppet, own));
            rest = others;
        }
        slices.into_par_iter().for_each(|(puppet, feet)| share_and_press(puppet, feet, dt));
    } else {
        let mut rest = &mut scratch.feet[..];
        for puppet in puppets.iter_mut() {
            let (own, others) = rest.split_at_mut(puppet.feet.len());
            share_and_press(puppet, own, dt);
            rest = others;
        }
    }
    report.time = time + dt;
}

fn share_and_press(puppet: &mut Puppet, feet: &mut [FootScratch], dt: f64) {
    for f in feet.iter_mut() {
        f.press.load = Load::default();
    }
    if puppet.quarantined {
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
    (foot.stance, foot.peak_force, foot.area_time, foot.impulse) = (0.0, 0.0, 0.0, 0.0);
}

/// Times at which the step is cut, ascending, from 0 to dt.
fn cuts(puppet: &Puppet, feet: &[FootScratch], dt: f64) -> [f64; 3 * MOST_FEET + 2] {
    let mut cuts = [dt; 3 * MOST_FEET + 2];
    cuts[0] = 0.0;
    for (i, f) in feet.iter().filter(|f| f.touches).take(MOST_FEET).enumerate() {
        cuts[3 * i + 1] = f.from;
        cuts[3 * i + 2] = f.to;
        cuts[3 * i + 3] = (f.from + puppet.feet[f.foot].hold_left).min(dt);
    }
    cuts.sort_unstable_by(f64::total_cmp);
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
            let forces = [0, 1].map(|e| ends[e].force * loads[e][i]);
            let load = &mut f.press.load;
            load.seconds += seconds;
            load.force += 0.5 * (forces[0] + forces[1]) * seconds as f32;
            let normal = forces.map(|force| f64::from(-force.dot(f.normal)).max(0.0));
            load.normal_mean += 0.5 * (normal[0] + normal[1]) * seconds;
            load.normal_peak = load.normal_peak.max(normal[0]).max(normal[1]);
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
        let load = &mut f.press.load;
        load.seconds += seconds;
        load.force += whole * (share * seconds) as f32;
        load.normal_mean += normal * share * seconds;
        load.normal_peak = load.normal_peak.max(normal * first[i].max(last[i]));
    }
}

/// A drive between two.
fn mixed(a: &Drive, b: &Drive, t: f32) -> Drive {
    Drive { force: a.force.lerp(b.force, t), load: [0, 1].map(|i| a.load[i] + (b.load[i] - a.load[i]) * t) }
}

/// The shares of the feet that touch, made to add up to one; even if the motion gives them nothing.
fn loads(drive: &Drive, who: &[usize], feet: &[FootScratch]) -> [f32; MOST_FEET] {
    let given = |i: usize| drive.load.get(feet[i].foot).copied().unwrap_or(0.0).max(0.0);
    let total: f32 = who.iter().map(|&i| given(i)).sum();
    let mut out = [0.0; MOST_FEET];
    for (slot, &i) in out.iter_mut().zip(who) {
        *slot = if total > 1e-3 { given(i) / total } else { 1.0 / who.len() as f32 };
    }
    out
}

/// Turns integrals into means and notes what the next step needs to know.
fn remember(puppet: &mut Puppet, feet: &mut [FootScratch], dt: f64) {
    for f in feet.iter_mut() {
        let load = &mut f.press.load;
        load.mass = puppet.mass;
        if load.seconds > 0.0 {
            load.force /= load.seconds as f32;
            load.normal_mean /= load.seconds;
        }
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

/// Share of the weight on each contact: the non-negative shares that add up to one and bring their mean place
/// closest to the centre of mass; among equals, the most even ones. For two feet this is
/// `clamp(dot(com − left, right − left) / |right − left|², 0, 1)` (DF-5 with its slip mended).
pub fn shares(places: &[[f64; 2]], com: [f64; 2]) -> [f64; MOST_FEET] {
    let mut out = [0.0; MOST_FEET];
    match places.len().min(MOST_FEET) {
        0 => {}
        1 => out[0] = 1.0,
        2 => {
            let (dx, dz) = (places[1][0] - places[0][0], places[1][1] - places[0][1]);
            let square = dx * dx + dz * dz;
            let along = (com[0] - places[0][0]) * dx + (com[1] - places[0][1]) * dz;
            let second = if square < TOO_CLOSE * TOO_CLOSE { 0.5 } else { (along / square).clamp(0.0, 1.0) };
            (out[0], out[1]) = (1.0 - second, second);
        }
        n => many(&places[..n], com, &mut out),
    }
    out
}

/// Active-set least squares: solve with equality on the feet still in play, drop the most negative, repeat.
fn many(places: &[[f64; 2]], com: [f64; 2], out: &mut [f64; MOST_FEET]) {
    let n = places.len();
    let mut active = [false; MOST_FEET];
    active[..n].fill(true);
    // A touch of evenness makes the answer unique; its weight is in m², far below a contact's own size.
    let even = 1e-6;
    for _ in 0..n {
        let (mut index, mut m) = ([0; MOST_FEET], 0);
        for i in (0..n).filter(|&i| active[i]) {
            index[m] = i;
            m += 1;
        }
        // Minimise |Σ αᵢ dᵢ|² + even·Σ αᵢ² with Σ αᵢ = 1; dᵢ = placeᵢ − com. Lagrange: (D + even·I) α = λ·1.
        let d = |i: usize| [places[i][0] - com[0], places[i][1] - com[1]];
        let mut a = [[0.0; MOST_FEET + 1]; MOST_FEET];
        for r in 0..m {
            for c in 0..m {
                let (p, q) = (d(index[r]), d(index[c]));
                a[r][c] = p[0] * q[0] + p[1] * q[1] + if r == c { even } else { 0.0 };
            }
            a[r][m] = 1.0;
        }
        solve(&mut a, m);
        let total: f64 = (0..m).map(|r| a[r][m]).sum();
        out.fill(0.0);
        let mut worst: Option<(usize, f64)> = None;
        for r in 0..m {
            let share = a[r][m] / total;
            out[index[r]] = share;
            if share < -1e-12 && worst.is_none_or(|(_, w)| share < w) {
                worst = Some((index[r], share));
            }
        }
        match worst {
            Some((i, _)) if m > 1 => active[i] = false,
            _ => break,
        }
    }
    let total: f64 = out.iter().map(|s| s.max(0.0)).sum();
    for share in out.iter_mut() {
        *share = share.max(0.0) / total;
    }
}

/// Gaussian elimination with pivoting on an m × (m + 1) system; the matrix is positive definite.
fn solve(a: &mut [[f64; MOST_FEET + 1]; MOST_FEET], m: usize) {
    for k in 0..m {
        let pivot = (k..m).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs())).expect("k < m");
        a.swap(k, pivot);
        for r in 0..m {
            if r != k {
                let factor = a[r][k] / a[k][k];
                for c in k..=m {
                    a[r][c] -= factor * a[k][c];
                }
            }
        }
    }
    for k in 0..m {
        a[k][m] /= a[k][k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weight_shifts_from_foot_to_foot_and_is_clamped() {
        let feet = [[0.0, 0.0], [1.0, 0.0]];
        assert_eq!(shares(&feet, [0.25, 3.0])[..2], [0.75, 0.25]);
        assert_eq!(shares(&feet, [-5.0, 0.0])[..2], [1.0, 0.0], "never negative");
        assert_eq!(shares(&feet, [5.0, 0.0])[..2], [0.0, 1.0]);
        assert_eq!(shares(&[[0.0, 0.0], [0.01, 0.0]], [5.0, 0.0])[..2], [0.5, 0.5], "too close to tell");
    }

    #[test]
    fn a_table_stands_evenly_and_tips_to_the_near_legs() {
        let legs = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let even = shares(&legs, [0.5, 0.5]);
        assert!(even[..4].iter().all(|s| (s - 0.25).abs() < 1e-6), "{even:?}");
        let edge = shares(&legs, [2.0, 0.5]);
        assert!((edge[1] - 0.5).abs() < 1e-4 && (edge[2] - 0.5).abs() < 1e-4, "{edge:?}");
    }

    proptest! {
        #[test]
        fn shares_are_a_distribution_that_carries_the_centre_of_mass(
            places in proptest::collection::vec([-1.0..1.0f64, -1.0..1.0f64], 1..=MOST_FEET),
            weights in proptest::collection::vec(0.05..1.0f64, MOST_FEET)
        ) {
            // A centre of mass inside the support: some mean of the places.
            let total: f64 = weights[..places.len()].iter().sum();
            let com = [0, 1].map(|k| places.iter().zip(&weights).map(|(p, w)| p[k] * w / total).sum::<f64>());
            let s = shares(&places, com);
            prop_assert!((s.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(s.iter().all(|&x| x >= 0.0));
            if places.len() > 2 {
                let mean = [0, 1].map(|k| places.iter().zip(&s).map(|(p, w)| p[k] * w).sum::<f64>());
                let (dx, dz) = (mean[0] - com[0], mean[1] - com[1]);
                let off = (dx * dx + dz * dz).sqrt();
                prop_assert!(off < 0.05, "centre {com:?} carried at {mean:?}");
            }
        }
    }
}
