//! A path over the ground: where a walker, an animal or scripted feet go, how often and how fast.

use crate::params::field::{Field, Range, field};
use crate::random::{Stream, normal};

/// A path and how it is walked.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Path {
    /// Corners, x and z, m; at least two.
    pub waypoints: Vec<[f64; 2]>,
    /// Number of passes.
    pub passes: u32,
    /// Whether every second pass goes back (true) or each starts at the beginning; a walker returns there between passes.
    pub back_and_forth: bool,
    /// Wanted speed, m/s.
    pub speed: f64,
    /// Standard deviation of a pass's lateral offset and slow wandering, m.
    pub lateral_sd: f64,
    /// Start time, s.
    pub start: f64,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            waypoints: vec![[0.5, 1.0], [5.5, 1.0]],
            passes: 1,
            back_and_forth: true,
            speed: 1.3,
            lateral_sd: 0.0,
            start: 0.0,
        }
    }
}

/// The numbers of a path on which nobody is faster than `fastest` m/s.
const fn rows(fastest: f64) -> [Field<Path>; 4] {
    let speed = "target speed on firm level ground; above 2.1 m/s a walker runs";
    [
        field!(Range::new("passes", "", 1.0, 1e6, "number of passes along the path"), count passes),
        field!(Range::new("speed", "m/s", 0.1, fastest, speed), speed),
        field!(
            Range::new("lateral_sd", "m", 0.0, 2.0, "lateral scatter of passes (standard deviation)"),
            lateral_sd
        ),
        field!(Range::new("start", "s", 0.0, 1e6, "start time"), start),
    ]
}

impl Path {
    /// Its numbers, of people and scripted feet.
    pub const FIELDS: &[Field<Self>] = &rows(5.5);
    /// The same of animals, which have the range of their strides.
    pub const ANIMAL_FIELDS: &[Field<Self>] = &rows(25.0);

    /// A single pass along waypoints at the default speed.
    pub fn along(waypoints: impl Into<Vec<[f64; 2]>>) -> Self {
        Self { waypoints: waypoints.into(), ..Self::default() }
    }

    /// Straight distance from its last waypoint to its first, m.
    pub(crate) fn gap(&self) -> f64 {
        match (self.waypoints.first(), self.waypoints.last()) {
            (Some(a), Some(b)) => libm::hypot(b[0] - a[0], b[1] - a[1]),
            _ => 0.0,
        }
    }

    /// Whether a walker has to return to the start between passes: passes do not alternate, and the ends are farther apart than a walker
    /// stops short of the end of a closed route (our choice).
    pub(crate) fn returns(&self) -> bool {
        !self.back_and_forth && self.gap() > 1.5
    }

    /// Length of the path, m.
    pub fn length(&self) -> f64 {
        let legs = self.waypoints.windows(2).map(|w| {
            let (dx, dz) = (w[1][0] - w[0][0], w[1][1] - w[0][1]);
            (dx * dx + dz * dz).sqrt()
        });
        legs.sum()
    }

    /// Position and heading on the path, `s` metres from its beginning.
    pub(crate) fn on_path(&self, s: f64) -> ([f64; 2], f64) {
        let mut left = s;
        let last = self.waypoints.len() - 2;
        for (k, w) in self.waypoints.windows(2).enumerate() {
            let (dx, dz) = (w[1][0] - w[0][0], w[1][1] - w[0][1]);
            let length = (dx * dx + dz * dz).sqrt();
            if left <= length || k == last {
                let t = if length > 0.0 { left / length } else { 0.0 };
                return ([w[0][0] + t * dx, w[0][1] + t * dz], libm::atan2(dz, dx));
            }
            left -= length;
        }
        (self.waypoints[0], 0.0)
    }

    /// Sideways offset of the walker at `s` on pass `pass`, m, to the right of the path's own direction.
    pub(crate) fn offset(&self, s: f64, pass: u64, seed: u64) -> f64 {
        if self.lateral_sd == 0.0 {
            return 0.0;
        }
        // Slow wandering: a smooth curve through one random number every 2 m.
        let (k, f) = ((s / 2.0).floor(), s / 2.0 - (s / 2.0).floor());
        let knot = |i: f64| normal(seed, Stream::Wander, pass.wrapping_mul(1 << 20).wrapping_add(i as u64));
        let fade = f * f * (3.0 - 2.0 * f);
        let wander = knot(k + 1.0) + (knot(k + 2.0) - knot(k + 1.0)) * fade;
        self.lateral_sd * (0.8 * normal(seed, Stream::PassOffset, pass) + 0.6 * wander)
    }
}
