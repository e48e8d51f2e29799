//! The standing foot: it rolls over heel and toes without slipping.
//!
//! In: where it stands and how far it is pitched. Out: where its sole is. Pitched up it turns about the rear edge of the
//! heel; pitched down it turns about the ball while the toes stay flat, and when they cannot bend further, about their
//! tips. Heel, ball or tips stay where they are in the world, exactly.

use super::skeleton::FootShape;
use crate::math::{direction, smooth};
use glam::{DMat3, DQuat, DVec2, DVec3};

/// A plane of ground through the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ground {
    /// Rise per metre along x and along z.
    pub slope: DVec2,
}

impl Ground {
    /// A slope that rises by `degrees` along x.
    pub fn uphill(degrees: f64) -> Self {
        Self { slope: DVec2::new(libm::tan(degrees.to_radians()), 0.0) }
    }

    /// Height below (x, z), m.
    pub fn height(&self, at: DVec2) -> f64 {
        self.slope.dot(at)
    }

    /// The point of the ground below (x, z), m.
    pub fn point(&self, at: DVec2) -> DVec3 {
        DVec3::new(at.x, self.height(at), at.y)
    }

    /// The unit vector out of the ground.
    pub fn normal(&self) -> DVec3 {
        DVec3::new(-self.slope.x, 1.0, -self.slope.y).normalize()
    }

    /// The unit vector along the ground below a heading.
    pub fn along(&self, heading: f64) -> DVec3 {
        let (d, n) = (direction(heading), self.normal());
        let level = DVec3::new(d.x, 0.0, d.y);
        (level - level.dot(n) * n).normalize()
    }
}

/// Where a sole is and how it is turned against the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootPose {
    /// Middle of the sole on its lowest plane, m.
    pub middle: DVec3,
    /// Heading, rad.
    pub heading: f64,
    /// Pitch against the ground, toes up positive, rad.
    pub pitch: f64,
    /// Turn of the toes about the ball, up positive, rad.
    pub bend: f64,
}

impl FootPose {
    /// The rotation from the sole's frame to the world's.
    pub fn rotation(&self, ground: &Ground) -> DQuat {
        let (f, n) = (ground.along(self.heading), ground.normal());
        DQuat::from_mat3(&DMat3::from_cols(f, n, f.cross(n))) * DQuat::from_rotation_z(self.pitch)
    }

    /// The ankle joint, m.
    pub fn ankle(&self, foot: &FootShape, ground: &Ground) -> DVec3 {
        let (f, n) = (ground.along(self.heading), ground.normal());
        let (s, c) = (libm::sin(self.pitch), libm::cos(self.pitch));
        self.middle + (f * c + n * s) * foot.ankle + (n * c - f * s) * foot.ankle_height
    }

    /// The pose whose ankle is at `ankle`.
    pub fn below(
        ankle: DVec3,
        heading: f64,
        pitch: f64,
        bend: f64,
        foot: &FootShape,
        ground: &Ground,
    ) -> Self {
        let mut pose = Self { middle: DVec3::ZERO, heading, pitch, bend };
        pose.middle = ankle - pose.ankle(foot, ground);
        pose
    }

    /// Height of its lowest part above the ground, m: heel, ball or toes.
    pub fn clearance(&self, foot: &FootShape, ground: &Ground) -> f64 {
        let above = |u: f64| {
            let p = self.point(u, foot, ground);
            p.y - ground.height(DVec2::new(p.x, p.z))
        };
        above(foot.heel).min(above(foot.ball)).min(above(foot.toe))
    }

    /// A point of the sole's plane, `u` m before its middle; before the ball it turns with the toes.
    pub fn point(&self, u: f64, foot: &FootShape, ground: &Ground) -> DVec3 {
        let (f, n) = (ground.along(self.heading), ground.normal());
        let along = |angle: f64| f * libm::cos(angle) + n * libm::sin(angle);
        let rear = u.min(foot.ball);
        self.middle + along(self.pitch) * rear + along(self.pitch + self.bend) * (u - rear)
    }
}

/// Where toes stop to follow the ground, rad, and over how much they do: they bend to about 33° (Oxford foot model, hallux
/// against forefoot at 60 % of the cycle).
const BEND: [f64; 2] = [0.44, 0.36];
/// How far toes are lifted as the heel strikes, as a share of the pitch: 12–15° of 16–20° (Oxford foot model).
const TOES_UP: f64 = 0.6;

/// How far toes leave the ground when the foot is pitched down by `down` rad: the rest is bent.
fn tip(down: f64, bends: bool) -> f64 {
    if !bends {
        return down;
    }
    let x = down - BEND[0];
    if x <= 0.0 {
        0.0
    } else if x < BEND[1] {
        x * x / (2.0 * BEND[1])
    } else {
        x - 0.5 * BEND[1]
    }
}

/// A foot that stands on `place` (middle of the flat sole) with `heading`, pitched by `pitch`.
pub fn rolled(
    place: DVec3,
    heading: f64,
    pitch: f64,
    bends: bool,
    foot: &FootShape,
    ground: &Ground,
) -> FootPose {
    let (f, n) = (ground.along(heading), ground.normal());
    let along = |angle: f64| f * libm::cos(angle) + n * libm::sin(angle);
    if pitch >= 0.0 {
        let heel = place + f * foot.heel;
        let bend = if bends { TOES_UP * pitch } else { 0.0 };
        return FootPose { middle: heel - along(pitch) * foot.heel, heading, pitch, bend };
    }
    let off = tip(-pitch, bends);
    let ball = place + f * foot.toe - along(-off) * (foot.toe - foot.ball);
    FootPose { middle: ball - along(pitch) * foot.ball, heading, pitch, bend: -pitch - off }
}

/// How a foot rolls during a stance: it lands with a pitch, lies flat, and leaves with a pitch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roll {
    /// Pitch at touch-down, rad.
    pub strike: f64,
    /// Time until it lies flat, s.
    pub landing: f64,
    /// Pitch at lift-off, rad.
    pub off: f64,
    /// Time it takes to rise to it, s.
    pub rising: f64,
}

/// From this part of its rise on the heel rises fast; fitted to the thigh and knee of Schwartz 2008.
const LATE: f64 = 0.672;

impl Roll {
    /// Pitch at `since` s after touch-down and `left` s before lift-off, rad.
    pub fn pitch(&self, since: f64, left: f64) -> f64 {
        let a = 1.0 - (since / self.landing).min(1.0);
        let b = 1.0 - (left / self.rising).min(1.0);
        // The heel rises slowly while the body passes over the foot, then fast as the knee gives way (Schwartz 2008).
        let risen = |b: f64| b * b + smooth((b - LATE) / 0.41);
        let rise = risen(b) / risen(1.0);
        self.strike * a * a * (2.0 - a) + self.off * rise
    }

    /// Which parts touch then: heel, toes.
    pub fn contact(&self, since: f64, left: f64) -> [bool; 2] {
        let pitch = self.pitch(since, left);
        // Less than this is flat: three millimetres at the other end of the foot.
        [pitch > -0.015, pitch < 0.015]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Skeleton;
    use crate::params::body::Body;

    #[test]
    fn a_rolling_foot_never_slips_and_never_sinks() {
        let foot = Skeleton::new(&Body::default()).foot;
        for ground in [Ground::default(), Ground::uphill(15.0), Ground { slope: DVec2::new(-0.2, 0.1) }] {
            let place = ground.point(DVec2::new(1.0, 2.0));
            let flat = rolled(place, 0.3, 0.0, true, &foot, &ground);
            for i in -70..=20 {
                let pose = rolled(place, 0.3, f64::from(i).to_radians(), true, &foot, &ground);
                let at = if i >= 0 { foot.heel } else { foot.toe };
                let slip = pose.point(at, &foot, &ground) - flat.point(at, &foot, &ground);
                assert!(slip.length() < 1e-12, "slips {slip} at {i}°");
                for u in [foot.heel, foot.ball, foot.toe] {
                    let p = pose.point(u, &foot, &ground);
                    let above = p.y - ground.height(DVec2::new(p.x, p.z));
                    assert!(above > -1e-12, "sinks {above} at {i}°");
                }
            }
            // The toes bend to about 33° near toe-off.
            let bend = rolled(place, 0.0, -1.05, true, &foot, &ground).bend.to_degrees();
            assert!((30.0..38.0).contains(&bend), "{bend}");
        }
    }
}
