//! The swinging foot: joint curves give the style, the ends are exact.
//!
//! In: how the foot leaves and lands, what the hip does meanwhile. Out: ankle and pitch at any time between. The curves of
//! hip and knee carry the ankle past the body; a quintic takes away what they miss at either end. Sideways steps, for which
//! there are no curves, take the quintic alone.

use super::curves::{Band, FOOT, Harmonics, KNEE, RUN_FOOT, RUN_KNEE, RUN_OFF, RUN_THIGH, THIGH};
use super::path::Path;
use super::timing::Timing;
use crate::body::{FootPose, FootShape, Ground};
use crate::math::smooth;
use glam::DVec3;

/// Place and velocity, or an angle and its rate, at one end of a swing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct End {
    /// Ankle, m.
    pub ankle: DVec3,
    /// Its velocity, m/s.
    pub velocity: DVec3,
    /// Pitch of the foot, rad.
    pub pitch: f64,
    /// Its rate, rad/s.
    pub pitch_rate: f64,
    /// Heading of the foot, rad.
    pub heading: f64,
    /// Bend of the toes, rad.
    pub bend: f64,
}

/// A swing from one place to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// When it begins and ends, s.
    pub time: [f64; 2],
    /// How it begins and ends.
    pub ends: [End; 2],
    /// Coefficients of thigh, knee and foot over the cycle, °.
    rows: [[f64; 13]; 3],
    /// Where in the cycle the curves leave the ground, a little before the law's foot-off as measured, and whether they are
    /// played backwards.
    off: f64,
    reverse: bool,
    /// How much the curves count against the plain quintic.
    curves: f64,
    /// Hip joint above the ground, m, and its place across the body, m, right positive.
    hip: [f64; 2],
    /// Thigh and shank, m.
    leg: [f64; 2],
    /// Extra height in the middle, m: as the style has it, and as the toes need it.
    raise: f64,
    lift: f64,
    /// How far the toes are held up, rad.
    toes: f64,
    /// What the curves miss at the ends: ankle and pitch.
    missed: [End; 2],
}

/// What a swing is made of beside its ends.
#[derive(Clone, Copy, Debug)]
pub struct Making {
    /// Rhythm at mid-swing.
    pub timing: Timing,
    /// Cosine between motion and heading.
    pub forward: f64,
    /// Hip joint above the ground, m.
    pub hip_height: f64,
    /// Hip joint to the right of the middle, m.
    pub hip_side: f64,
    /// Thigh and shank, m.
    pub leg: [f64; 2],
    /// Extra height, m.
    pub lift: f64,
    /// How far the toes are held up in mid-swing, rad.
    pub toes: f64,
}

impl Swing {
    /// A swing during `time`.
    pub fn new(time: [f64; 2], ends: [End; 2], making: &Making, path: &impl Path, ground: &Ground) -> Self {
        let t = &making.timing;
        let band = Band::new(t.speed);
        // Scaled to other speeds than the 4 m/s they were measured at (dimensionless 1.32).
        let vigour = (0.52 + 0.36 * t.speed / 1.32).clamp(0.7, 0.95);
        let wide =
            |row: [f64; 11]| -> [f64; 13] { std::array::from_fn(|i| if i < 11 { row[i] } else { 0.0 }) };
        let mix = |walk: [f64; 13], run: [f64; 11], factor: f64| -> [f64; 13] {
            let run = wide(run);
            std::array::from_fn(|i| walk[i] + (run[i] * factor - walk[i]) * t.run)
        };
        let rows = [
            mix(wide(band.row(&THIGH, 3.0)), RUN_THIGH, vigour),
            mix(band.row(&KNEE, 8.0), RUN_KNEE, vigour),
            mix(band.row(&FOOT, 0.0), RUN_FOOT, vigour),
        ];
        let mut swing = Self {
            time,
            ends,
            rows,
            off: (t.duty - 0.015) + (RUN_OFF - t.duty + 0.015) * t.run,
            reverse: making.forward < 0.0,
            curves: smooth(1.4 * making.forward * making.forward - 0.2) * band.amount,
            hip: [making.hip_height, making.hip_side],
            leg: making.leg,
            raise: making.lift,
            lift: 0.0,
            toes: making.toes,
            missed: [End::default(); 2],
        };
        if swing.curves > 0.0 {
            let h = 1e-4;
            for (i, end) in ends.iter().enumerate() {
                let at = time[i];
                let (a, b) = (swing.curve(at - h, path, ground), swing.curve(at + h, path, ground));
                swing.missed[i].ankle = end.ankle - 0.5 * (a.0 + b.0);
                swing.missed[i].velocity = end.velocity - (b.0 - a.0) / (2.0 * h);
                swing.missed[i].pitch = end.pitch - 0.5 * (a.1 + b.1);
                swing.missed[i].pitch_rate = end.pitch_rate - (b.1 - a.1) / (2.0 * h);
            }
        }
        swing
    }

    /// Ankle and pitch as the curves have it.
    fn curve(&self, t: f64, path: &impl Path, ground: &Ground) -> (DVec3, f64) {
        let w = (t - self.time[0]) / (self.time[1] - self.time[0]);
        let w = if self.reverse { 1.0 - w } else { w };
        let h = Harmonics::new(self.off + (1.0 - self.off) * w);
        let thigh = h.sum(&self.rows[0]).to_radians();
        let shank = thigh - h.sum(&self.rows[1]).to_radians();
        let before = self.leg[0] * libm::sin(thigh) + self.leg[1] * libm::sin(shank);
        let below = self.leg[0] * libm::cos(thigh) + self.leg[1] * libm::cos(shank);
        let root = path.at(t);
        let at = root.position + root.forward() * before + root.right() * self.hip[1];
        // Heights follow the slope below the foot, not below the hip.
        let height = ground.height(at) + self.hip[0] - below;
        (DVec3::new(at.x, height, at.y), h.sum(&self.rows[2]).to_radians())
    }

    /// The foot at `t`.
    pub fn at(&self, t: f64, path: &impl Path, ground: &Ground) -> (DVec3, f64, f64, f64) {
        let [a, b] = &self.ends;
        let last = self.time[1] - self.time[0];
        let w = ((t - self.time[0]) / last).clamp(-0.5, 1.5);
        let k = quintic(w);
        let join = |p0: DVec3, v0: DVec3, p1: DVec3, v1: DVec3| {
            p0 * k[0] + v0 * (k[1] * last) + p1 * k[2] + v1 * (k[3] * last)
        };
        let join1 = |p0: f64, v0: f64, p1: f64, v1: f64| {
            p0 * k[0] + v0 * (k[1] * last) + p1 * k[2] + v1 * (k[3] * last)
        };
        let mut ankle = join(a.ankle, a.velocity, b.ankle, b.velocity);
        let mut pitch = join1(a.pitch, a.pitch_rate, b.pitch, b.pitch_rate);
        let bump = bump(w);
        let inside = w.clamp(0.0, 1.0);
        let wide = 16.0 * inside * inside * (1.0 - inside) * (1.0 - inside);
        // A foot that has no curve to lift it is lifted by 6 cm.
        ankle.y += 0.06 * wide * (1.0 - self.curves);
        if self.curves > 0.0 {
            let [m, n] = &self.missed;
            let (curve, tilt) = self.curve(t, path, ground);
            // What is missed is made up within the first and the last part of the swing; the middle is all style.
            let (first, second) = (quintic((w / FADE).min(1.0)), quintic(((w - 1.0 + FADE) / FADE).max(0.0)));
            let fade = FADE * last;
            let exact = curve
                + m.ankle * first[0]
                + m.velocity * (first[1] * fade)
                + n.ankle * second[2]
                + n.velocity * (second[3] * fade);
            ankle += (exact - ankle) * self.curves;
            let tilt = tilt
                + m.pitch * first[0]
                + m.pitch_rate * (first[1] * fade)
                + n.pitch * second[2]
                + n.pitch_rate * (second[3] * fade);
            pitch += (tilt - pitch) * self.curves;
        }
        ankle.y += self.lift * bump + self.raise * wide;
        let turn = a.heading + (b.heading - a.heading) * smooth(w);
        let held = self.toes + (a.bend - self.toes) * (1.0 - smooth(w / 0.5));
        let bend = held + (b.bend - self.toes) * smooth((w - 0.6) / 0.4);
        (ankle, turn, pitch, bend)
    }

    /// Lifts the swing until no part of the sole comes nearer to the ground than a foot in walking does.
    pub fn clear(&mut self, path: &impl Path, foot: &FootShape, ground: &Ground) {
        let mut lift = 0.0f64;
        // The very ends are on the ground, and no bump could lift them.
        for i in 5..=20 {
            let w = f64::from(i) / 24.0;
            let t = self.time[0] + (self.time[1] - self.time[0]) * w;
            let (ankle, heading, pitch, bend) = self.at(t, path, ground);
            let pose = FootPose::below(ankle, heading, pitch, bend, foot, ground);
            let low = pose.clearance(foot, ground);
            // Near its ends the foot is on the ground; in between it passes at least this high.
            let wanted = CLEAR * smooth((w - 0.08) / 0.3) * smooth((0.92 - w) / 0.3);
            lift = lift.max((wanted - low) / bump(w));
        }
        self.lift += lift.min(MOST);
    }

    /// The pose of the sole at `t`.
    pub fn pose(&self, t: f64, path: &impl Path, foot: &FootShape, ground: &Ground) -> FootPose {
        let (ankle, heading, pitch, bend) = self.at(t, path, ground);
        let mut pose = FootPose::below(ankle, heading, pitch, bend, foot, ground);
        // Whatever curves and corrections make of it, no part of the sole goes into the ground.
        let low = pose.clearance(foot, ground);
        let w = ((t - self.time[0]) / (self.time[1] - self.time[0])).clamp(0.0, 1.0);
        let soft = 0.012 * w * (1.0 - w);
        pose.middle.y += 0.5 * ((low * low + soft * soft).sqrt() - low);
        pose
    }
}

/// Least clearance of a swinging sole, m: minimum toe clearance is 1–2 cm in walking on flat ground.
const CLEAR: f64 = 0.014;

/// Share of the swing over which the curves are led away from and to the ground.
const FADE: f64 = 0.7;
/// Most a swing is lifted beyond its curves, m.
const MOST: f64 = 0.15;

/// A smooth rise and fall, 1 at its top; it starts and ends without speed. The toes hang lowest in the first half of a swing,
/// so the top comes at 0.4 of it.
fn bump(w: f64) -> f64 {
    let (w, v) = (w.clamp(0.0, 1.0), (1.0 - w).clamp(0.0, 1.0));
    w * w * v * v * v / 0.034_56
}

/// Quintic Hermite weights of start, start velocity, end, end velocity; accelerations vanish at both ends.
fn quintic(w: f64) -> [f64; 4] {
    let (w2, w3) = (w * w, w * w * w);
    let (w4, w5) = (w2 * w2, w2 * w3);
    let end = 10.0 * w3 - 15.0 * w4 + 6.0 * w5;
    [1.0 - end, w - 6.0 * w3 + 8.0 * w4 - 3.0 * w5, end, -4.0 * w3 + 7.0 * w4 - 3.0 * w5]
}
