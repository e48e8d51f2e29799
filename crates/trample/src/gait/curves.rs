//! Joint curves over the gait cycle, as Fourier coefficients by speed.
//!
//! In: dimensionless speed and phase (0 at the foot's own touch-down). Out: degrees. The tables are our
//! fits to the mean curves of Schwartz, Rozumalski & Trost 2008 (J. Biomech. 41, five speeds, 83 subjects) and, for
//! running, of one cycle at 4 m/s of Hamner, Seth & Delp 2010. A row is the mean, then cosine and sine of each harmonic.

use libm::{cos, sin};

/// Dimensionless speeds v/√(g·leg) of the rows: very slow, slow, free, fast, very fast (Schwartz 2008, Table 1).
pub(super) const SPEEDS: [f64; 5] = [0.1721, 0.2902, 0.4294, 0.5599, 0.6938];

/// Angle of the thigh against the vertical, knee forward positive, °: hip flexion less pelvic tilt.
#[rustfmt::skip]
pub(super) const THIGH: [[f64; 11]; 5] = [
    [4.80, 14.22, -1.13, -0.01, -3.43, -0.51, 0.47, 0.04, -0.07, -0.15, 0.03],
    [6.65, 17.42, -3.31, -2.56, -2.20, -0.07, 1.48, 0.03, -0.13, -0.24, 0.19],
    [6.86, 20.85, -3.28, -3.55, -0.82, -0.11, 1.60, -0.26, -0.06, -0.27, 0.25],
    [6.75, 24.03, -3.45, -4.02, 0.20, -0.08, 1.69, -0.37, -0.08, -0.22, 0.22],
    [5.85, 25.79, -5.04, -4.17, 0.38, -0.29, 1.46, -0.48, -0.07, -0.15, 0.12],
];
/// Flexion of the knee, °.
#[rustfmt::skip]
pub(super) const KNEE: [[f64; 13]; 5] = [
    [16.13, -0.35, -15.44, -9.39, -0.36, -1.68, 3.65, 0.20, 0.70, -0.23, 0.32, 0.01, 0.22],
    [20.02, -2.94, -18.26, -12.21, 4.51, -0.04, 4.59, -0.17, 0.30, -0.48, 0.60, 0.13, 0.26],
    [22.87, -1.91, -18.75, -13.63, 7.00, -0.70, 4.31, -0.87, 0.63, -0.54, 0.73, 0.07, 0.20],
    [24.00, -0.39, -18.99, -14.04, 9.08, -0.73, 4.20, -1.12, 0.52, -0.50, 0.69, 0.02, 0.06],
    [23.43, 1.13, -21.48, -13.81, 9.22, -0.82, 3.69, -1.29, 0.38, -0.32, 0.51, 0.02, -0.06],
];
/// Pitch of the foot, toes up positive, °: thigh less knee plus ankle.
#[rustfmt::skip]
pub(super) const FOOT: [[f64; 13]; 5] = [
    [-8.19, 8.48, 15.53, 11.21, -6.37, -1.56, -4.91, -0.30, 0.16, 0.60, -0.55, 0.01, -0.31],
    [-11.37, 15.38, 19.10, 11.46, -12.60, -4.33, -3.30, 1.80, 0.83, 0.60, -1.85, -0.27, 0.05],
    [-15.27, 20.70, 22.56, 10.90, -15.04, -4.01, -1.85, 2.81, -0.46, -0.25, -1.86, 0.23, 0.38],
    [-17.88, 24.58, 23.03, 8.88, -16.36, -3.50, -0.78, 2.84, -1.36, -0.66, -1.33, 0.59, 0.27],
    [-18.87, 27.19, 23.24, 6.29, -16.42, -2.45, -0.19, 2.19, -1.73, -0.51, -0.66, 0.56, 0.02],
];
/// Pelvis: the foot's own side up, °.
pub(super) const LIST: [[f64; 7]; 5] = [
    [0.0, 1.92, 0.60, 0.0, 0.0, -0.53, -0.03],
    [0.0, 1.64, 1.35, 0.0, 0.0, -0.94, 0.17],
    [0.0, 1.85, 2.12, 0.0, 0.0, -1.19, 0.22],
    [0.0, 2.55, 3.25, 0.0, 0.0, -1.28, 0.04],
    [0.0, 2.71, 4.33, 0.0, 0.0, -1.10, -0.40],
];
/// Pelvis: the foot's own side forward, °.
pub(super) const TWIST: [[f64; 7]; 5] = [
    [0.0, 2.03, 4.08, 0.0, 0.0, 0.32, 0.26],
    [0.0, 2.52, 2.57, 0.0, 0.0, 0.28, -0.06],
    [0.0, 3.74, 2.10, 0.0, 0.0, 0.34, -0.37],
    [0.0, 5.49, 2.08, 0.0, 0.0, 0.68, -0.58],
    [0.0, 6.95, 0.99, 0.0, 0.0, 0.87, -0.55],
];
/// Trunk in the room: the foot's own side forward, °.
pub(super) const TRUNK_TWIST: [[f64; 7]; 5] = [
    [0.0, -1.08, -0.66, 0.0, 0.0, -0.15, -0.03],
    [0.0, -2.39, 0.14, 0.0, 0.0, -0.28, -0.03],
    [0.0, -3.96, 0.49, 0.0, 0.0, -0.53, 0.17],
    [0.0, -5.61, 0.85, 0.0, 0.0, -0.88, 0.36],
    [0.0, -7.62, 1.86, 0.0, 0.0, -1.11, 0.42],
];
/// Running at 4 m/s: thigh, knee and foot as above, °. Toe-off at [`RUN_OFF`].
pub(super) const RUN_THIGH: [f64; 11] =
    [9.73, 22.12, -17.51, -5.90, 5.34, -3.79, 1.68, -0.53, -0.62, -0.59, -0.14];
/// Knee flexion in running, °.
pub(super) const RUN_KNEE: [f64; 11] =
    [53.13, -20.06, -37.24, -14.12, 19.86, -8.02, 1.21, -2.26, -0.63, -1.29, 0.43];
/// Foot pitch in running, °.
pub(super) const RUN_FOOT: [f64; 11] =
    [-43.13, 54.94, 18.72, -1.57, -7.24, -0.60, -3.17, 2.54, -2.83, 1.30, 0.38];
/// Share of the running cycle at which the foot leaves the ground in these curves.
pub(super) const RUN_OFF: f64 = 0.345;

/// Sines and cosines of the first six harmonics of a phase, shared by all curves of one foot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Harmonics {
    c: [f64; 6],
    s: [f64; 6],
}

impl Harmonics {
    /// Of `phase` cycles.
    pub(super) fn new(phase: f64) -> Self {
        let angle = std::f64::consts::TAU * (phase - phase.floor());
        let (c1, s1) = (cos(angle), sin(angle));
        let mut h = Self { c: [c1; 6], s: [s1; 6] };
        for k in 1..6 {
            h.c[k] = h.c[k - 1] * c1 - h.s[k - 1] * s1;
            h.s[k] = h.s[k - 1] * c1 + h.c[k - 1] * s1;
        }
        h
    }

    /// The sum of a row.
    pub(super) fn sum<const N: usize>(&self, row: &[f64; N]) -> f64 {
        let mut sum = row[0];
        for k in 0..N / 2 {
            sum += row[2 * k + 1] * self.c[k] + row[2 * k + 2] * self.s[k];
        }
        sum
    }
}

/// Where a dimensionless speed lies between the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Band {
    row: usize,
    between: f64,
    /// How far the gait is from standing: 0 at rest, 1 from very slow walking on.
    pub amount: f64,
}

impl Band {
    /// Of a dimensionless speed, clamped to the fastest row.
    pub(super) fn new(speed: f64) -> Self {
        let v = speed.clamp(SPEEDS[0], SPEEDS[4]);
        let row = if v < SPEEDS[1] {
            0
        } else if v < SPEEDS[2] {
            1
        } else if v < SPEEDS[3] {
            2
        } else {
            3
        };
        let between = (v - SPEEDS[row]) / (SPEEDS[row + 1] - SPEEDS[row]);
        Self { row, between, amount: (speed / SPEEDS[0]).clamp(0.0, 1.0) }
    }

    /// One number per speed, interpolated.
    pub(super) fn pick(&self, values: &[f64; 5]) -> f64 {
        values[self.row] + (values[self.row + 1] - values[self.row]) * self.between
    }

    /// A table's row at this speed.
    pub(super) fn between<const N: usize>(&self, table: &[[f64; N]; 5]) -> [f64; N] {
        let (a, b) = (&table[self.row], &table[self.row + 1]);
        std::array::from_fn(|i| a[i] + (b[i] - a[i]) * self.between)
    }

    /// A table's row at this speed; below the slowest it fades towards `rest`.
    pub(super) fn row<const N: usize>(&self, table: &[[f64; N]; 5], rest: f64) -> [f64; N] {
        let mut row = self.between(table).map(|x| self.amount * x);
        row[0] += (1.0 - self.amount) * rest;
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curves_pass_through_the_published_values() {
        // Schwartz 2008, free speed: knee 5.6° at contact, 19.3° at 12 %, 59.1° at 72 %.
        let row = Band::new(SPEEDS[2]).row(&KNEE, 0.0);
        for (phase, knee) in [(0.0, 5.6), (0.12, 19.3), (0.4, 6.2), (0.72, 59.1)] {
            let got = Harmonics::new(phase).sum(&row);
            assert!((got - knee).abs() < 0.4, "{got} against {knee} at {phase}");
        }
    }
}
