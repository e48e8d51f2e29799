//! The force of a moving body on the ground, whole and per foot (the extension that DF §7 asks for).
//!
//! In: centres of mass of the segments at even times, and which feet touch. Out: F = Σ mᵢ(g − aᵢ), smoothed without delay,
//! shared between the feet. Works on generated clips and on recorded motion alike.

use super::clip::Clip;
use crate::body::press::{apart, centre_of_pressure, leaning, of_foot, stance_clock};
use crate::body::share::in_double_support;
use crate::body::{FootShape, SEGMENTS, Skeleton};
use crate::gait::Frame;
use crate::params::GRAVITY;
use glam::{DVec3, Vec3};

/// Frequency above which recorded and generated accelerations are taken for noise, Hz.
pub const CUTOFF: f64 = 14.0;

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
                0.5 + (before - 0.5) * (1.0 - in_double_support(since / time))
                    + (after - 0.5) * in_double_support(1.0 - left / time)
            } else {
                before + (after - before) * in_double_support(since / length)
            };
            out[k] = [share_left, 1.0 - share_left];
        }
        i = end;
    }
    out
}

/// Clocks of left and right for each frame, from contacts alone: 0 at touch-down, 1 at lift-off, 2 at the next touch-down.
pub fn clocks(contacts: &[Contact], dt: f64) -> Vec<[f32; 2]> {
    let n = contacts.len();
    let mut out = vec![[0.0; 2]; n];
    for side in 0..2 {
        let down = |k: usize| contacts[k][side] != [false; 2];
        let mut i = 0;
        while i < n {
            let end = (i..n).find(|&k| down(k) != down(i)).unwrap_or(n);
            // What began before the first frame or ends after the last lasts as long as need be.
            let known = |inside: bool| if inside { 0.0 } else { 10.0 };
            let length = (end - i) as f64 * dt;
            for k in i..end {
                let since = ((k - i) as f64 + 0.5) * dt;
                out[k][side] = if down(i) {
                    stance_clock(since + known(i > 0), length - since + known(end < n))
                } else {
                    1.0 + (since / length) as f32
                };
            }
            i = end;
        }
    }
    out
}

/// The whole force divided between left and right foot, whose forces differ in direction by `apart`.
pub fn shared(total: &[Vec3], loads: &[[f64; 2]], apart: &[Vec3]) -> Vec<[Vec3; 2]> {
    let rows = total.iter().zip(loads).zip(apart);
    rows.map(|((&whole, loads), &apart)| {
        let [left, right] = loads.map(|x| x as f32);
        [of_foot(whole, left, right, apart), of_foot(whole, right, left, -apart)]
    })
    .collect()
}

/// The forces of a clip's left and right foot on the ground, frame by frame, N.
pub fn of_clip(clip: &Clip, skeleton: &Skeleton) -> Vec<[Vec3; 2]> {
    let masses: [f32; SEGMENTS] = std::array::from_fn(|i| skeleton.masses[i].mass);
    let centres: Vec<Vec3> =
        clip.frames.iter().flat_map(|f| skeleton.centres(&skeleton.place(&f.pose))).collect();
    let loads: Vec<[f64; 2]> = clip.frames.iter().map(|f| f.load.map(f64::from)).collect();
    let height = skeleton.pivot();
    let slope = libm::tanf(clip.slope);
    let apart = |(f, root): (&Frame, &[f32; 3])| {
        let pivot = f.centre.with_y(slope * f.centre.x + height);
        let ahead = Vec3::new(libm::cosf(root[2]), 0.0, libm::sinf(root[2]));
        leaning(apart(cops(f, &skeleton.foot), pivot), ahead, f.tilt.unwrap_or([f32::NAN; 2]))
    };
    let apart: Vec<Vec3> = clip.frames.iter().zip(&clip.roots).map(apart).collect();
    let mut whole = total(&masses, &centres, clip.dt, CUTOFF);
    carried(&mut whole, &loads);
    shared(&whole, &loads, &apart)
}

/// Smoothing carries some of the force into flights, where no foot takes it: the feet that stand before and after take it back, so that
/// the mean force stays the weight (Newton).
fn carried(whole: &mut [Vec3], loads: &[[f64; 2]]) {
    let stands = |l: &[f64; 2]| l[0] + l[1] > 0.0;
    let sum = |rows: &mut dyn Iterator<Item = &Vec3>| rows.map(|f| f64::from(f.y)).sum::<f64>();
    let all = sum(&mut whole.iter());
    let held = sum(&mut whole.iter().zip(loads).filter(|(_, l)| stands(l)).map(|(f, _)| f));
    if held < 0.0 && all < held {
        let more = (all / held).min(MOST_CARRIED) as f32;
        whole.iter_mut().zip(loads).filter(|(_, l)| stands(l)).for_each(|(f, _)| *f *= more);
    }
}

/// A clip that is mostly flight is a jump, and its feet do not carry the weight in the mean: our choice.
const MOST_CARRIED: f64 = 1.1;

/// Where the feet of a frame press, m.
fn cops(frame: &Frame, foot: &FootShape) -> [Vec3; 2] {
    [0, 1].map(|side| {
        let at = centre_of_pressure(frame.clock[side], foot);
        let out = if side == 0 { -at.y } else { at.y };
        frame.soles[side].position + frame.soles[side].rotation * Vec3::new(at.x, 0.0, out)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_at_rest_presses_with_its_weight_on_both_feet() {
        let path = vec![DVec3::new(0.0, 1.0, 0.0); 60];
        let whole = of_centre(70.0, &path, 1.0 / 60.0, CUTOFF);
        let loads = shares(&vec![[[true; 2]; 2]; 60], 1.0 / 60.0);
        let cops = [Vec3::new(0.2, 0.0, 0.1), Vec3::new(-0.2, 0.0, -0.1)];
        let forces = shared(&whole, &loads, &[apart(cops, Vec3::Y); 60]);
        for f in &forces {
            assert!((f[0].y + 35.0 * GRAVITY as f32).abs() < 1e-2, "{f:?}");
            assert!(
                f[0].x > 0.0 && (f[0] + f[1]).with_y(0.0).length() < 1e-3,
                "the front foot is pushed back"
            );
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
