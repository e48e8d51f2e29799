//! Root paths: where a body goes, in closed form.
//!
//! In: a time. Out: place on the ground, heading, velocity. The root is the point below the centre of mass. Heading 0 looks
//! along x, a positive turn is to the right (towards z).

use crate::math::{direction, smooth};
use glam::DVec2;

/// The root at one time. Vectors are (x, z).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// Place, m.
    pub position: DVec2,
    /// Where the body looks, rad.
    pub heading: f64,
    /// Velocity, m/s.
    pub velocity: DVec2,
    /// How fast the heading turns, rad/s.
    pub yaw_rate: f64,
}

impl Root {
    /// The unit vector the body looks along.
    pub fn forward(&self) -> DVec2 {
        direction(self.heading)
    }

    /// The unit vector to its right.
    pub fn right(&self) -> DVec2 {
        direction(self.heading).perp()
    }
}

/// Anything that says where the root is. It must be smooth, and known a few seconds before and after the clip.
pub trait Path {
    /// The root at `time` s.
    fn at(&self, time: f64) -> Root;

    /// Acceleration of the root, m/s², over a fifth of a second.
    fn acceleration(&self, time: f64) -> DVec2 {
        (self.at(time + 0.1).velocity - self.at(time - 0.1).velocity) / 0.2
    }
}

impl<F: Fn(f64) -> Root> Path for F {
    fn at(&self, time: f64) -> Root {
        self(time)
    }
}

/// The built-in paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Track {
    /// Constant speed and turning: a line or an arc.
    Arc {
        /// Speed, m/s.
        speed: f64,
        /// Turning, rad/s, right positive.
        yaw_rate: f64,
        /// Direction of motion against the heading, rad: 0 forward, π/2 to the right, π backward.
        sideways: f64,
    },
    /// A straight line whose speed changes once.
    Line {
        /// Speed before, m/s.
        from: f64,
        /// Speed after, m/s.
        to: f64,
        /// When the change begins, s.
        start: f64,
        /// How long it takes, s.
        time: f64,
        /// Direction of motion against the heading, rad.
        sideways: f64,
    },
    /// Runs up, turns about and goes back.
    Plant {
        /// Speed before and after, m/s.
        speed: f64,
        /// When the body begins to brake, s.
        start: f64,
        /// How long it takes to reverse, s.
        time: f64,
        /// Which way it turns: 1 right, −1 left.
        side: f64,
    },
    /// Turns on the spot and stops.
    Spin {
        /// By how much, rad, right positive.
        angle: f64,
        /// When it begins, s.
        start: f64,
        /// How long it takes, s.
        time: f64,
    },
}

impl Track {
    /// Standing at the origin.
    pub const STILL: Self = Self::Arc { speed: 0.0, yaw_rate: 0.0, sideways: 0.0 };

    /// A straight walk or run at constant speed, m/s.
    pub const fn straight(speed: f64) -> Self {
        Self::Arc { speed, yaw_rate: 0.0, sideways: 0.0 }
    }
}

/// Time from the start of a smooth change, and the integral of [`smooth`] up to it, both as shares of `time`.
fn eased(t: f64, start: f64, time: f64) -> (f64, f64) {
    let x = (t - start) / time;
    let inside = x.clamp(0.0, 1.0);
    let integral = inside * inside * inside - 0.5 * inside * inside * inside * inside;
    (smooth(x), integral + (x - 1.0).max(0.0))
}

/// The slope of [`smooth`], per unit.
fn slope(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    6.0 * x * (1.0 - x)
}

impl Path for Track {
    fn at(&self, t: f64) -> Root {
        match *self {
            Self::Arc { speed, yaw_rate, sideways } => {
                let heading = yaw_rate * t;
                let velocity = speed * direction(heading + sideways);
                let position = if yaw_rate.abs() < 1e-9 {
                    velocity * t
                } else {
                    let (a, b) = (sideways, heading + sideways);
                    let radius = speed / yaw_rate;
                    DVec2::new(libm::sin(b) - libm::sin(a), libm::cos(a) - libm::cos(b)) * radius
                };
                Root { position, heading, velocity, yaw_rate }
            }
            Self::Line { from, to, start, time, sideways } => {
                let (s, integral) = eased(t, start, time);
                let along = direction(sideways);
                let position = along * (from * t + (to - from) * integral * time);
                Root { position, heading: 0.0, velocity: along * (from + (to - from) * s), yaw_rate: 0.0 }
            }
            Self::Plant { speed, start, time, side } => {
                let (s, integral) = eased(t, start, time);
                let x = speed * t - 2.0 * speed * integral * time;
                // The turn takes the middle of the braking, when the body is slow.
                let (begin, lasts) = (start + 0.15 * time, 0.7 * time);
                let turn = (t - begin) / lasts;
                let half = side * std::f64::consts::PI;
                Root {
                    position: DVec2::new(x, 0.0),
                    heading: half * smooth(turn),
                    velocity: DVec2::new(speed * (1.0 - 2.0 * s), 0.0),
                    yaw_rate: half * slope(turn) / lasts,
                }
            }
            Self::Spin { angle, start, time } => {
                let turn = (t - start) / time;
                Root {
                    position: DVec2::ZERO,
                    heading: angle * smooth(turn),
                    velocity: DVec2::ZERO,
                    yaw_rate: angle * slope(turn) / time,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_track_moves_as_its_velocity_says() {
        let tracks = [
            Track::straight(1.3),
            Track::Arc { speed: 1.3, yaw_rate: -0.8, sideways: 0.3 },
            Track::Line { from: 0.0, to: 1.4, start: 0.5, time: 1.2, sideways: 1.0 },
            Track::Plant { speed: 1.5, start: 0.5, time: 1.5, side: -1.0 },
            Track::Spin { angle: 2.0, start: 0.2, time: 1.0 },
        ];
        let h = 1e-5;
        for track in tracks {
            for i in 0..40 {
                let t = f64::from(i) * 0.071;
                let (a, b, now) = (track.at(t - h), track.at(t + h), track.at(t));
                let moved = (b.position - a.position) / (2.0 * h);
                assert!((moved - now.velocity).length() < 1e-4, "{track:?} at {t}");
                assert!(((b.heading - a.heading) / (2.0 * h) - now.yaw_rate).abs() < 1e-4, "{track:?}");
            }
        }
    }
}
