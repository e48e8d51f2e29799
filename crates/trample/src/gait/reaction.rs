//! The force under one foot over its stance, by speed and slope, and where under the sole it acts.
//!
//! In: the rhythm of the gait. Out: force in body weights at any part of the stance, once and twice integrated. The force is a
//! sum of half sines over the stance, so that the motion of the centre of mass under both feet is closed form ([`super::centre`])
//! and steps of another length keep their shape. [`crate::body::press`] divides a whole force between feet.
//!
//! Fitted: [`UP`] and [`FORWARD`] to the mean curves under one foot of Schwartz, Rozumalski & Trost 2008 (five speeds, 83
//! subjects), with the subjects' own mean peaks and valleys. The row of free speed is fitted to the curve of one recorded adult in
//! shoes as well (OpenSim Moco, 1.24 m/s) under the condition that the leading foot carries 0.485 of the force halfway through
//! double support; those of fast and very fast speed under 0.60 and 0.68, where the mean curves of bare feet have 0.7. The path
//! of the centre of pressure is that under one recorded adult. Running: the sizes of impact and peak ([`impact`], [`peak`]), the
//! course of the horizontal force ([`RUN_FORWARD`]) and its size ([`braking`]).
//! Nothing else is fitted: shares in double support and everything sideways follow. Two feet divide what the body's motion asks for
//! so that each leans as it does at that part of its stance ([`Reaction::tilt`]).

use super::curves::Band;
use super::timing::Timing;
use std::f64::consts::PI;

/// Half sines in a force over the stance: enough for the impact of a heel, over a fifth of it.
const TERMS: usize = 20;
/// Half sines in the vertical force of walking, and in horizontal forces.
const WALKING: usize = 14;
const ALONG: usize = 8;

/// Vertical force of a foot in walking at each of [`super::curves::SPEEDS`]: amplitudes of sin kπs over the stance s, body
/// weights. Fitted; see above.
#[rustfmt::skip]
const UP: [[f64; WALKING]; 5] = [
    [1.1329, -0.0462, 0.1362, -0.0209, -0.0534, 0.0000, -0.0170, 0.0133, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.1455, -0.0427, 0.2384, -0.0253, -0.0249, -0.0132, -0.0333, 0.0147, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.1376, -0.0077, 0.3548, 0.0315, -0.0539, 0.0059, -0.0380, 0.0171, -0.0099, 0.0300, 0.0019, 0.0311, 0.0102, 0.0285],
    [1.1263, 0.0434, 0.4896, 0.0841, -0.0089, 0.0188, -0.0364, 0.0162, -0.0001, 0.0176, 0.0078, 0.0192, 0.0, 0.0],
    [1.1281, 0.0971, 0.5869, 0.1396, 0.0106, 0.0297, -0.0089, 0.0400, 0.0235, 0.0245, 0.0321, 0.0255, 0.0, 0.0],
];
/// Forward force on the body in walking, the same way. Fitted. Their impulse is zero.
#[rustfmt::skip]
const FORWARD: [[f64; ALONG]; 5] = [
    [-0.0034, -0.0695, 0.0068, -0.0190, 0.0056, 0.0043, 0.0000, 0.0071],
    [-0.0073, -0.0958, 0.0134, -0.0374, 0.0105, -0.0004, 0.0047, 0.0081],
    [-0.0106, -0.1397, 0.0180, -0.0594, 0.0153, -0.0024, 0.0110, 0.0100],
    [-0.0103, -0.1715, 0.0130, -0.0784, 0.0198, -0.0024, 0.0143, 0.0118],
    [-0.0032, -0.1902, -0.0039, -0.0948, 0.0120, 0.0028, 0.0144, 0.0166],
];
/// Forward force on the body in running over its stance, the same way, with the impulses of sin 2πs. Fitted to the mean of both feet
/// of Hamner, Seth & Delp 2010 (4 m/s), made to neither speed up nor slow down.
const RUN_FORWARD: [f64; ALONG] = [-0.083, -1.025, 0.189, 0.193, 0.112, 0.090, -0.018, -0.055];
/// How much of the force goes from the second half of a stance to the first per metre of fall: downhill the first peak grows,
/// uphill the second. The trend is that of McIntosh et al. 2006 (about 0.15 BW at 10°); the number is ours.
const DOWNHILL: f64 = 0.8;
/// The part of a running stance over which the force of a heel's impact rises and falls again: with the rise of the rest its peak
/// lies at 12 % of the stance, 25 to 35 ms after touch-down (heel strikers: 10 to 13 %, 25 to 50 ms).
const STRIKE: f64 = 0.22;
/// Size of the horizontal force in running, body weights, in which [`RUN_FORWARD`] is: such that braking and pushing impulses are
/// 0.015, 0.0195 and 0.024 body weights times seconds at 3, 4 and 5 m/s (0.0153 to 0.0255 from 3 to 5 m/s, Munro, Miller & Fuglevand
/// 1987, as remembered: only its abstract was read; 0.0198 and 0.0173 at 4 m/s, Hamner 2010, read). Fitted; slower than 3 m/s on the same line.
fn braking(speed: f64) -> f64 {
    let more = (speed - 0.7235).clamp(-0.3, 1.1);
    0.119 + 0.229 * more + 0.114 * more * more
}

/// Peak force of running in the middle of the stance, body weights: 2.36 at a jog, 2.45 at 3 and 2.56 at 4 m/s (2.51 at 3 to 2.83
/// at 5 m/s, Munro, Miller & Fuglevand 1987, who ran with shorter stances; 2.76 at 4 m/s, Hamner 2010).
fn peak(speed: f64) -> f64 {
    2.36 + 0.36 * ((speed - 0.72) / 1.08).clamp(0.0, 1.0)
}

/// Peak of a heel's impact, body weights: 1.57 at 3 to 2.32 at 5 m/s (Munro, Miller & Fuglevand 1987), beyond them our choice.
fn impact(speed: f64) -> f64 {
    1.57 + 1.14 * (speed.clamp(0.5, 1.65) - 0.9865)
}

/// An upward force that is hardly one, body weights: our choice.
const HARDLY: f64 = 0.05;
/// The most that a force leans: nobody asks more of a shoe on wet ground. Our choice; two recorded adults have 0.29 and 0.34.
const LEANS: f64 = 0.28;

/// One rise and fall over [`STRIKE`] of the stance, (1 − cos(2πs/STRIKE))/2, as half sines.
fn strike() -> [f64; TERMS] {
    let wave = 2.0 * PI / STRIKE;
    std::array::from_fn(|k| {
        let own = PI * (k + 1) as f64;
        (1.0 - libm::cos(own * STRIKE)) * wave * wave / (own * (wave * wave - own * own))
    })
}

/// A sum of half sines over a stance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Series([f64; TERMS]);

impl Series {
    fn of<const N: usize>(first: [f64; N]) -> Self {
        let mut all = [0.0; TERMS];
        all[..N].copy_from_slice(&first);
        Self(all)
    }

    /// This one and `by` of the way to another.
    fn towards(&self, other: &Self, by: f64) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + (other.0[k] - self.0[k]) * by))
    }

    /// Its value at `s` of the stance; zero outside.
    pub fn at(&self, s: f64) -> f64 {
        if s <= 0.0 || s >= 1.0 {
            return 0.0;
        }
        // sin(k+1)x = 2 cos x · sin kx − sin(k−1)x.
        let (mut before, mut now, twice) = (0.0, libm::sin(PI * s), 2.0 * libm::cos(PI * s));
        let mut sum = 0.0;
        for a in self.0 {
            sum += a * now;
            (before, now) = (now, twice * now - before);
        }
        sum
    }

    /// Its integral over the whole stance.
    pub fn whole(&self) -> f64 {
        (0..TERMS).step_by(2).map(|k| 2.0 * self.0[k] / (PI * (k + 1) as f64)).sum()
    }

    /// Twice integrated from the start of the stance, in units of stances squared; goes on after its end.
    pub fn twice(&self, s: f64) -> f64 {
        let inside = s.clamp(0.0, 1.0);
        let (mut before, mut now, twice) = (0.0, libm::sin(PI * inside), 2.0 * libm::cos(PI * inside));
        let mut sum = 0.0;
        for (k, a) in self.0.iter().enumerate() {
            let w = PI * (k + 1) as f64;
            sum += a * (inside / w - now / (w * w));
            (before, now) = (now, twice * now - before);
        }
        if s > 1.0 { sum + self.whole() * (s - 1.0) } else { sum }
    }
}

impl Series {
    /// The integral of [`Series::twice`] from the start of the stance to `s`, at least one stance later.
    pub fn thrice(&self, s: f64) -> f64 {
        let mut sum = 0.0;
        for (k, a) in self.0.iter().enumerate() {
            let w = PI * (k + 1) as f64;
            // cos kπ − 1 is 0 or −2.
            sum += a * (0.5 / w - if k % 2 == 0 { 2.0 } else { 0.0 } / (w * w * w));
        }
        let after = (s - 1.0).max(0.0);
        sum + self.twice(1.0) * after + 0.5 * self.whole() * after * after
    }
}

/// The force under a foot over its stance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reaction {
    /// Upwards, body weights.
    pub up: Series,
    /// Along the motion, on the body, body weights.
    pub forward: Series,
}

impl Reaction {
    /// Of a walking foot. Two feet carry the weight between them, whatever the stance's share of the cycle.
    pub fn walking(timing: &Timing) -> Self {
        let band = Band::new(timing.speed);
        let mut up = band.between(&UP);
        up[1] -= DOWNHILL * timing.slope.clamp(-0.36, 0.36);
        let scale = 0.5 / (timing.duty.max(0.5) * Series::of(up).whole());
        Self { up: Series::of(up.map(|a| a * scale)), forward: Series::of(band.between(&FORWARD)) }
    }

    /// Of a running foot: a peak that carries the body through its flight, and the impact of the heel before it.
    pub fn running(timing: &Timing) -> Self {
        let with = |size: f64| {
            let mut up = strike().map(|a| size * a);
            // sin πs and sin 3πs: the first gives the size, the second how pointed it is. Both the peak and the mean are wanted.
            let mean = 0.5 / timing.contact - Series(up).whole();
            let high = peak(timing.speed) - Series(up).at(0.5);
            let third = (0.75 * (0.5 * PI * mean - high)).clamp(-0.25 * high, 0.2 * high);
            up[0] += 0.5 * PI * mean - third / 3.0;
            up[2] += third;
            Series(up)
        };
        // The force grows in proportion with the impact's size.
        let [without, unit] = [0.0, 1.0].map(|size| with(size).at(0.5 * STRIKE));
        let size = (impact(timing.speed) - without) / (unit - without);
        let forward = RUN_FORWARD.map(|a| a * braking(timing.speed));
        Self { up: with(size.max(0.0)), forward: Series::of(forward) }
    }

    /// The force along the motion over the upward one at `s` of the stance: how the force leans. In a soft beginning and end, where
    /// hardly anything presses, it goes to zero.
    pub fn tilt(&self, s: f64) -> f64 {
        let up = self.up.at(s);
        (self.forward.at(s) * up / (up * up + HARDLY * HARDLY)).clamp(-LEANS, LEANS)
    }

    /// This one and `by` of the way to another: what carries the weight in each carries it in between.
    pub fn towards(&self, other: &Self, by: f64) -> Self {
        Self { up: self.up.towards(&other.up, by), forward: self.forward.towards(&other.forward, by) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrating_twice_undoes_differentiating_twice() {
        let series = Reaction::walking(&Timing::new(1.3, 0.943, 1.0, 0.0)).up;
        let h = 1e-4;
        for i in 1..40 {
            let s = f64::from(i) / 40.0;
            let second = (series.twice(s + h) - 2.0 * series.twice(s) + series.twice(s - h)) / (h * h);
            assert!((second - series.at(s)).abs() < 1e-4, "{second} {} at {s}", series.at(s));
        }
    }

    #[test]
    fn two_feet_carry_the_weight_and_neither_speed_up_nor_slow_down() {
        for speed in [0.5, 0.9, 1.3, 1.7, 2.1, 2.5, 3.0, 4.0, 5.5] {
            let t = Timing::new(speed, 0.943, 1.0, -0.1);
            let (r, duty) = if t.run > 0.5 {
                (Reaction::running(&t), t.contact)
            } else {
                (Reaction::walking(&t), t.duty)
            };
            assert!((2.0 * duty * r.up.whole() - 1.0).abs() < 1e-9, "{speed}: {}", r.up.whole());
            assert!(r.forward.whole().abs() < 5e-4, "{speed}: {}", r.forward.whole());
            assert!((1..50).all(|i| r.up.at(f64::from(i) / 50.0) > -0.01), "{speed}: feet do not pull");
        }
    }

    #[test]
    fn heels_strike_before_the_peak_of_a_run() {
        // Munro, Miller & Fuglevand 1987: impacts of 1.57 to 2.32 BW from 3 to 5 m/s; heel strikers at 10 to 13 % of the stance.
        for (speed, impact) in [(3.0, 1.57), (3.5, 1.76), (4.0, 1.95), (5.0, 2.32)] {
            let up = Reaction::running(&Timing::new(speed, 0.943, 1.0, 0.0)).up;
            let f: Vec<f64> = (0..=200).map(|i| up.at(f64::from(i) / 200.0)).collect();
            let first = (1..60).find(|&i| f[i] > f[i + 1]).expect("an impact");
            let dip = f[first..100].iter().fold(9.0, |a: f64, &b| a.min(b));
            let most = f.iter().fold(0.0, |a: f64, &b| a.max(b));
            assert!((20..=26).contains(&first), "{speed} m/s: at {} of the stance", first as f64 / 200.0);
            assert!((f[first] - impact).abs() < 0.1, "{speed} m/s: {} BW", f[first]);
            assert!(
                dip < f[first] - 0.3 && (2.3..2.75).contains(&most),
                "{speed} m/s: {dip}, then {most} BW"
            );
        }
    }

    #[test]
    fn runners_brake_and_push_more_the_faster_they_are() {
        // Munro, Miller & Fuglevand 1987, 0.15 to 0.25 m/s over 9.81 m/s²; Hamner 2010 at 4 m/s, mean of both feet and directions.
        for (speed, wanted) in [(3.0, 0.0153), (4.0, 0.0186), (5.0, 0.0255)] {
            let t = Timing::new(speed, 0.943, 1.0, 0.0);
            let forward = Reaction::running(&t).forward;
            let f: Vec<f64> = (0..=200).map(|i| forward.at(f64::from(i) / 200.0)).collect();
            let brake = -f.iter().map(|x| x.min(0.0)).sum::<f64>() / 200.0 * t.contact * t.period;
            assert!((brake / wanted - 1.0).abs() < 0.1, "{speed} m/s: {brake} BW·s against {wanted}");
            // Hamner 2010: −0.34 and +0.27 body weights at 4 m/s.
            let (low, high) = f.iter().fold((0.0, 0.0), |(a, b): (f64, f64), &x| (a.min(x), b.max(x)));
            if speed == 4.0 {
                assert!((low + 0.34).abs() < 0.06 && (high - 0.27).abs() < 0.08, "{low} and {high} BW");
            }
        }
    }

    #[test]
    fn free_walking_is_near_bare_feet_and_shoes_and_shares_evenly() {
        // Vertical force at every tenth of the stance: OpenSim Moco, 1.24 m/s, in shoes; half-way share 0.50, over steps 0.43 to 0.50.
        let moco = [0.024, 0.462, 0.966, 1.081, 0.822, 0.723, 0.868, 1.082, 1.031, 0.383, 0.024];
        let t = Timing::new(1.24, 0.943, 1.0, 0.0);
        let up = Reaction::walking(&t).up;
        let square = |(i, wanted): (usize, &f64)| {
            let off = up.at(i as f64 / 10.0) - wanted;
            off * off
        };
        let off = (moco.iter().enumerate().map(square).sum::<f64>() / 11.0).sqrt();
        assert!(off < 0.08, "{off} BW");
        let half = 0.5 * (t.duty - 0.5) / t.duty;
        let (leads, trails) = (up.at(half), up.at(1.0 - half));
        assert!((0.43..=0.49).contains(&(leads / (leads + trails))), "{leads} and {trails} BW");
    }

    #[test]
    fn peaks_follow_speed_and_slope_as_measured() {
        // Schwartz 2008, means of the subjects' own first peaks, valleys and second peaks.
        let humps = |t: &Timing| {
            let f: Vec<f64> = (0..=100).map(|i| Reaction::walking(t).up.at(f64::from(i) / 100.0)).collect();
            let most = |r: std::ops::Range<usize>| f[r].iter().fold(0.0, |a: f64, &b| a.max(b));
            [most(10..45), f[40..65].iter().fold(9.0, |a: f64, &b| a.min(b)), most(60..95)]
        };
        for (v, wanted) in [
            (0.2902, [1.029, 0.890, 1.051]),
            (0.4294, [1.135, 0.778, 1.097]),
            (0.5599, [1.267, 0.640, 1.146]),
            (0.6938, [1.424, 0.525, 1.172]),
        ] {
            let got = humps(&Timing::new(v * 3.041, 0.943, 1.0, 0.0));
            for (a, b) in got.iter().zip(wanted) {
                assert!((a - b).abs() < 0.07, "v* {v}: {got:?} against {wanted:?}");
            }
        }
        let at = |slope| humps(&Timing::new(1.3, 0.943, 1.0, slope));
        let (up, level, down) = (at(0.17), at(0.0), at(-0.17));
        assert!(down[0] > level[0] + 0.08 && up[2] > level[2] + 0.08, "{up:?} {level:?} {down:?}");
    }
}
