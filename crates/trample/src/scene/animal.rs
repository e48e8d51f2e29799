//! An animal on any number of legs: it plays one stride of its own, over and over, along a path.
//!
//! In: a stride seen from above its straight track, and a path. Out: soles and centre of mass at any time, in closed form. A
//! place on the track, so far along and so far across, is a place on the path; so a foot that stands on the one stands on the
//! other, also in bends. Feet share the weight as any number of contacts do.

use super::Path;
use super::ready::Ready;
use super::script::{LANDING, standing};
use crate::hash::Hasher;
use crate::pose::{Pose, SolePose};
use crate::scene::Base;
use glam::Vec3;
use std::sync::Arc;

/// Most samples of a stride: a minute at 200 Hz.
pub(crate) const MOST_SAMPLES: usize = 12_000;
/// How much faster or slower than recorded a stride may be played: our choice.
pub(crate) const RATES: [f64; 2] = [0.25, 4.0];

/// One whole stride, or several: its end is its beginning, `advance` further on.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stride {
    /// Time between samples, s.
    pub dt: f64,
    /// Travel, m.
    pub advance: f64,
    /// Feet: samples of metres along the track, above the ground and to the right; exactly 0 above it while they stand.
    /// Those with even numbers are right feet.
    pub feet: Vec<Vec<[f32; 3]>>,
    /// Centre of mass: samples along the track and to the right, m.
    pub centre: Vec<[f32; 2]>,
}

/// An animal on a path.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Animal {
    /// Path, number of passes and speed.
    pub path: Path,
    /// Motion of its feet.
    pub stride: Arc<Stride>,
    /// The built-in animal, if it is one.
    pub ready: Option<Ready>,
    /// The take of its file, if it has a file.
    pub take: String,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

impl Stride {
    /// Recorded duration, s.
    pub fn seconds(&self) -> f64 {
        self.centre.len() as f64 * self.dt
    }

    /// Recorded speed, m/s.
    pub fn speed(&self) -> f64 {
        self.advance / self.seconds()
    }

    /// The reason why it cannot be used, if any.
    pub fn problem(&self) -> Option<String> {
        let (n, feet) = (self.centre.len(), self.feet.len());
        if feet == 0 || feet > crate::body::share::MOST_FEET {
            return Some(format!("{feet} feet, allowed: 1 to {}", crate::body::share::MOST_FEET));
        }
        if !(2..=MOST_SAMPLES).contains(&n) || self.feet.iter().any(|f| f.len() != n) {
            return Some(format!("a stride of {n} samples, allowed: 2 to {MOST_SAMPLES}, for every foot"));
        }
        let numbers = self.feet.iter().flatten().flatten().chain(self.centre.iter().flatten());
        let times = self.dt.is_finite() && self.dt > 0.0 && self.advance.is_finite();
        if !times || numbers.into_iter().any(|x| !x.is_finite()) {
            return Some("a number of its stride is not one".into());
        }
        (self.speed() < 0.05).then(|| "its motion stays in one place: it must go at 0.05 m/s at least".into())
    }

    /// Takes all of it into a hash.
    pub fn put_in(&self, hasher: &mut Hasher) {
        hasher.float(self.dt);
        hasher.float(self.advance);
        let numbers = self.feet.iter().flatten().flatten().chain(self.centre.iter().flatten());
        numbers.for_each(|&x| hasher.float(f64::from(x)));
    }
}

/// Phase of an animal's stride and position on its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Position in the stride, samples.
    pub sample: f64,
    /// Its centre of mass, x and z, m.
    pub place: [f64; 2],
    /// Heading, rad from +x towards +z.
    pub heading: f64,
}

impl Animal {
    /// Where it is at a time, s; `seed` is the scene's.
    pub fn moment(&self, time: f64, seed: u64) -> Moment {
        let (stride, n) = (&*self.stride, self.stride.centre.len());
        let (carried, sample) = self.gone(time);
        let i = (sample.floor() as usize).min(n - 1);
        let t = (sample - i as f64) as f32;
        let (a, b) = (stride.centre[i], stride.centre[(i + 1) % n]);
        let next = if i + 1 < n { b[0] } else { b[0] + stride.advance as f32 };
        let along = carried + f64::from(a[0] + (next - a[0]) * t);
        let (place, heading) = self.place(along, f64::from(a[1] + (b[1] - a[1]) * t), seed);
        Moment { sample, place, heading }
    }

    /// How far whole strides have carried it, m, and how many samples into the next it is.
    fn gone(&self, time: f64) -> (f64, f64) {
        let stride = &*self.stride;
        let rate = self.path.speed / stride.speed();
        let gone = (time - self.path.start).clamp(0.0, self.seconds() - self.path.start);
        let n = stride.centre.len() as f64;
        let at = gone * rate / stride.dt;
        let strides = (at / n).floor();
        (strides * stride.advance, at - strides * n)
    }

    /// Time of arrival, s.
    pub fn seconds(&self) -> f64 {
        self.path.start + f64::from(self.path.passes) * self.path.length() / self.path.speed
    }

    /// A place on the track as one on the path: x, z and heading.
    fn place(&self, along: f64, across: f64, seed: u64) -> ([f64; 2], f64) {
        let (length, last) = (self.path.length(), f64::from(self.path.passes - 1));
        let pass = (along / length).floor().clamp(0.0, last);
        let back = self.path.back_and_forth && pass % 2.0 == 1.0;
        let gone = along - pass * length;
        let s = if back { length - gone } else { gone };
        let (p, heading) = self.path.on_path(s);
        let side = if back { -across } else { across };
        let right = side + self.path.offset(s.clamp(0.0, length), pass as u64, seed);
        let (sin, cos) = (libm::sin(heading), libm::cos(heading));
        let heading = if back { heading + std::f64::consts::PI } else { heading };
        ([p[0] - right * sin, p[1] + right * cos], heading)
    }

    /// Soles and centre of mass at `time`, written into `pose`.
    pub(crate) fn pose(&self, time: f64, seed: u64, base: &Base, pose: &mut Pose) {
        let stride = &*self.stride;
        let rate = self.path.speed / stride.speed();
        let moves = time > self.path.start && time < self.seconds();
        // Samples since the beginning: whole strides, and how far into the next.
        let n = stride.centre.len();
        let (carried, within) = self.gone(time);
        let i = (within.floor() as usize).min(n - 1);
        let t = (within - i as f64) as f32;
        // The sample after the last is the first, a stride further on.
        let next = |first: f32| if i + 1 < n { first } else { first + stride.advance as f32 };
        let per = (rate / stride.dt) as f32;
        pose.soles.resize(stride.feet.len(), SolePose::default());
        for (sole, foot) in pose.soles.iter_mut().zip(&stride.feet) {
            let (a, b) = (Vec3::from(foot[i]), Vec3::from(foot[(i + 1) % n]));
            let b = Vec3::new(next(b.x), b.y, b.z);
            let seen = a.lerp(b, t);
            let (place, heading) = self.place(carried + f64::from(seen.x), f64::from(seen.z), seed);
            *sole = standing(place, heading, f64::from(seen.y), base);
            if moves {
                // Samples are too far apart to tell how fast a foot comes down: it lands as scripted feet do.
                let [down, ahead] = LANDING.map(|share| (share * self.path.speed) as f32);
                let comes_down = seen.y > 0.0 && b.y <= a.y;
                let v = if comes_down { Vec3::new(ahead, -down, 0.0) } else { (b - a) * per };
                let (s, c) = (libm::sinf(heading as f32), libm::cosf(heading as f32));
                sole.velocity = Vec3::new(v.x * c - v.z * s, v.y, v.x * s + v.z * c);
            }
        }
        let (a, b) = (stride.centre[i], stride.centre[(i + 1) % n]);
        let along = f64::from(a[0] + (next(b[0]) - a[0]) * t);
        let (p, _) = self.place(carried + along, f64::from(a[1] + (b[1] - a[1]) * t), seed);
        pose.center_of_mass = Vec3::new(p[0] as f32, 0.0, p[1] as f32);
    }
}
