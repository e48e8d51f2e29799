//! The force of a moving body on the ground, whole and per foot (model §2, the extension DF §7 asks for).
//!
//! In: centres of mass of the segments at even times, and which feet touch. Out: F = Σ mᵢ(g − aᵢ), smoothed without delay,
//! shared between the feet and between heel and toes. Works on generated clips and on recorded motion alike.

use super::clip::Clip;
use super::curves::smooth;
use super::skeleton::{SEGMENTS, Skeleton};
use super::timing::GRAVITY;
use glam::{DVec3, Vec3};

/// Frequency above which recorded and generated accelerations are taken for noise, Hz.
pub const CUTOFF: f64 = 14.0;

/// Share of the load on the foot that landed last, `u` of the way through double support, 0..1. The measured share is
/// 0.34, 0.46, 0.61, 0.80, 0.93 at 0.16, 0.32, 0.48, 0.64, 0.80 of it (Schwartz 2008, free speed): loading starts at once.
pub fn share(u: f64) -> f64 {
    libm::sin(std::f64::consts::FRAC_PI_2 * u.clamp(0.0, 1.0))
}

/// Whole force on the ground for each frame, N. `centres` holds `masses.len()` segment centres for frame after frame, m;
/// `dt` is the time between frames, s; `cutoff` as [`CUTOFF`], Hz.
pub fn total(masses: &[f32], centres: &[Vec3], dt: f64, cutoff: f64) -> Vec<Vec3> {
    let n = masses.len().max(1);
    let mass: f64 = masses.iter().map(|&m| f64::from(m)).sum();
    let path: Vec<DVec3> = centres
        .chunks_exact(n)
        .map(|frame| {
            frame.iter().zip(masses).map(|(c, &m)| c.as_dvec3() * f64::from(m)).sum::<DVec3>() / mass
        })
        .collect();
    of_centre(mass, &path, dt, cutoff)
}

/// Whole force on the ground from the path of the centre of mass alone, N.
pub fn of_centre(mass: f64, path: &[DVec3], dt: f64, cutoff: f64) -> Vec<Vec3> {
    let n = path.len();
    let mut pull = vec![DVec3::ZERO; n];
    for i in 1..n.saturating_sub(1) {
        pull[i] = (path[i + 1] - 2.0 * path[i] + path[i - 1]) / (dt * dt);
    }
    if n >= 3 {
        pull[0] = pull[1];
        pull[n - 1] = pull[n - 2];
    }
    // A Gaussian is symmetric, so nothing is delayed; at `cutoff` it halves the power.
    let sigma = 0.1325 / cutoff / dt;
    let wide = (3.0 * sigma).ceil().max(1.0) as isize;
    let weight = |k: isize| libm::exp(-0.5 * (k * k) as f64 / (sigma * sigma));
    let gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    (0..n as isize)
        .map(|i| {
            let (mut sum, mut all) = (DVec3::ZERO, 0.0);
            for k in -wide..=wide {
                let w = weight(k);
                sum += pull[(i + k).clamp(0, n as isize - 1) as usize] * w;
                all += w;
            }
            ((gravity - sum / all) * mass).as_vec3()
        })
        .collect()
}

/// Force of one foot on the ground, N.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootForce {
    /// On the heel part.
    pub heel: Vec3,
    /// On the toe part.
    pub toe: Vec3,
}

impl FootForce {
    /// On both.
    pub fn sum(&self) -> Vec3 {
        self.heel + self.toe
    }
}

/// The contact of a frame: left and right, heel and toes.
pub type Contact = [[bool; 2]; 2];

/// A foot that stands longer than this on both takes half of the load, s; and how long that takes.
const LONG: f64 = 0.8;
const SETTLE: f64 = 0.4;

/// Shares of left and right for each frame, from contacts alone; zeros in flight.
pub fn shares(contacts: &[Contact], dt: f64) -> Vec<[f64; 2]> {
    let down = |i: usize, side: usize| contacts[i][side][0] || contacts[i][side][1];
    let n = contacts.len();
    let mut out: Vec<[f64; 2]> =
        (0..n).map(|i| [0, 1].map(|side| if down(i, side) { 1.0 } else { 0.0 })).collect();
    let mut i = 0;
    while i < n {
        if !(down(i, 0) && down(i, 1)) {
            i += 1;
            continue;
        }
        let end = (i..n).find(|&k| !(down(k, 0) && down(k, 1))).unwrap_or(n);
        // What was before and what comes after: a share on the left, or half when unknown.
        let known = |k: usize| if down(k, 0) == down(k, 1) { 0.5 } else { out[k][0] };
        let before = if i > 0 { known(i - 1) } else { 0.5 };
        let after = if end < n { known(end) } else { 0.5 };
        let length = (end - i) as f64 * dt;
        for k in i..end {
            let since = (k - i) as f64 * dt + 0.5 * dt;
            let left = length - since;
            let share_left = if length > LONG || before == after {
                let time = SETTLE.min(0.5 * length);
                0.5 + (before - 0.5) * (1.0 - share(since / time)) + (after - 0.5) * share(1.0 - left / time)
            } else {
                before + (after - before) * share(since / length)
            };
            out[k] = [share_left, 1.0 - share_left];
        }
        i = end;
    }
    out
}

/// How much of a foot's load is on its toes for each frame: it moves forward while the foot lies flat. The centre of
/// pressure passes from 0.2 to 0.75 of the foot meanwhile.
pub fn on_toes(contacts: &[Contact], side: usize) -> Vec<f64> {
    const BOTH: f64 = 0.45;
    let n = contacts.len();
    let ends = |k: Option<usize>| match k.map(|k| contacts[k][side]) {
        Some([true, false]) => 0.0,
        Some([false, true]) => 1.0,
        _ => BOTH,
    };
    let mut out: Vec<f64> = (0..n).map(|k| ends(Some(k))).collect();
    let mut i = 0;
    while i < n {
        if contacts[i][side] != [true, true] {
            i += 1;
            continue;
        }
        let end = (i..n).find(|&k| contacts[k][side] != [true, true]).unwrap_or(n);
        let (before, after) = (ends(i.checked_sub(1)), ends((end < n).then_some(end)));
        for k in i..end {
            let u = (k - i) as f64 / (end - i) as f64;
            out[k] = before + (after - before) * smooth(u);
        }
        i = end;
    }
    out
}

/// The whole force shared between feet, heels and toes.
pub fn shared(total: &[Vec3], contacts: &[Contact], dt: f64) -> Vec<[FootForce; 2]> {
    let parts = shares(contacts, dt);
    let toes = [on_toes(contacts, 0), on_toes(contacts, 1)];
    (0..total.len().min(contacts.len()))
        .map(|i| {
            [0, 1].map(|side| {
                let force = total[i] * parts[i][side] as f32;
                let toe = toes[side][i] as f32;
                FootForce { heel: force * (1.0 - toe), toe: force * toe }
            })
        })
        .collect()
}

/// The forces of a clip, frame by frame.
pub fn of_clip(clip: &Clip, skeleton: &Skeleton) -> Vec<[FootForce; 2]> {
    let masses: [f32; SEGMENTS] = std::array::from_fn(|i| skeleton.masses[i].mass);
    let centres: Vec<Vec3> =
        clip.frames.iter().flat_map(|f| skeleton.centres(&skeleton.place(&f.pose))).collect();
    let contacts: Vec<Contact> = clip.frames.iter().map(|f| f.contacts).collect();
    shared(&total(&masses, &centres, clip.dt, CUTOFF), &contacts, clip.dt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_at_rest_presses_with_its_weight_on_both_feet() {
        let path = vec![DVec3::new(0.0, 1.0, 0.0); 60];
        let whole = of_centre(70.0, &path, 1.0 / 60.0, CUTOFF);
        let forces = shared(&whole, &vec![[[true; 2]; 2]; 60], 1.0 / 60.0);
        for f in &forces {
            assert!((f[0].sum().y + 35.0 * GRAVITY as f32).abs() < 1e-2, "{f:?}");
            assert_eq!(f[0], f[1]);
        }
    }

    #[test]
    fn smoothing_neither_delays_nor_loses_impulse() {
        // One harmonic at 2 Hz: its phase must stay, its size nearly.
        let dt = 1.0 / 120.0;
        let w = std::f64::consts::TAU * 2.0;
        let path: Vec<DVec3> =
            (0..600).map(|i| DVec3::new(0.0, 1.0 - 0.02 * libm::cos(w * f64::from(i) * dt), 0.0)).collect();
        let whole = of_centre(70.0, &path, dt, CUTOFF);
        let wanted = |i: usize| -70.0 * (GRAVITY + 0.02 * w * w * libm::cos(w * i as f64 * dt));
        for i in 100..500 {
            assert!((f64::from(whole[i].y) / wanted(i) - 1.0).abs() < 0.01, "{} at {i}", whole[i].y);
        }
    }

    #[test]
    fn a_landing_foot_takes_over_and_a_flight_presses_nothing() {
        let (on, off) = ([true, true], [false, false]);
        let mut contacts = vec![[on, off]; 20];
        contacts.extend(vec![[on, on]; 10]);
        contacts.extend(vec![[off, on]; 20]);
        contacts.extend(vec![[off, off]; 10]);
        let parts = shares(&contacts, 1.0 / 60.0);
        assert_eq!(parts[5], [1.0, 0.0]);
        assert_eq!(parts[35], [0.0, 1.0]);
        assert_eq!(parts[55], [0.0, 0.0]);
        for k in 20..30 {
            assert!(parts[k][1] > parts[k - 1][1] && (parts[k][0] + parts[k][1] - 1.0).abs() < 1e-12);
        }
    }
}
