//! Footholds in deep ground: a walker that sinks steps into existing prints.
//!
//! In: a foot that has just lifted, the foothold of its gait, the current ground. Out: how much longer, shorter or wider its
//! step becomes so that it lands in a print, and its playback speed. A step becomes longer or shorter by taking more or less time
//! at the same speed, as measured when people are asked for other steps than they choose, and slightly by a longer reach. A print
//! that is farther away is approached with every step. There is no search where the last print is shallow.

use super::matching::{self, Lands};
use crate::body::FootShape;
use crate::clips::{Database, Shot};
use crate::state::{Foot, Ground, Walker};
use glam::{DVec2, Vec3};

/// Prints shallower than this are not worth stepping into, m; our choice, as thick as a boot's sole.
const DEEP: f64 = 0.02;
/// A print so deep, as a part of how deep the foot stood last, is as good as any deeper one: our choice.
const ENOUGH: f64 = 0.7;
/// How much longer or shorter a step becomes at most, as a part of it: people walk at one speed with steps a third longer or shorter
/// than those they choose (Zarrugh & Radcliffe 1974, as remembered; the number is ours).
const REACH: f64 = 0.3;
/// How much farther out a foot is set, and how far to its own side of the body it stays, m; our choice.
const OUT: f64 = 0.1;
const IN: f64 = 0.03;
/// How much deeper a print has to be to be worth a step longer or shorter by its whole length, and one wider by a metre, as a part of how
/// deep the foot stood last: our choice.
const LONGER: f64 = 0.4;
const WIDER: f64 = 2.0;
/// Places are looked at so far from each other along and across, m, so often to either side, and then closer around the best.
const ALONG: f64 = 0.03;
const ACROSS: f64 = 0.04;
const BESIDE: i32 = 4;
/// How far inside its edges the sole has to be free, along as a part of its length and across of its half width: it may graze a wall,
/// and toes press less.
const INSIDE: [f64; 2] = [0.12, 0.5];

/// How much of what a step is set aside the way of its body goes aside as well, and how far in all, m: our choice.
const FOLLOWS: f64 = 0.4;
const STRAYS: f64 = 0.3;
/// Clock of a foot in the air after which it no longer changes where it lands: our choice.
const SET: f32 = 1.75;

/// Where a foot in the air is about to land, on the map.
struct Aim {
    lands: Lands,
    at: DVec2,
    ahead: DVec2,
    right: DVec2,
}

impl Aim {
    /// Of the foot of `side`, if its step goes `pace` times as fast as its gait has it.
    fn of(walker: &Walker, data: &Database, shot: &Shot, side: usize, pace: f64) -> Option<Self> {
        let lands = matching::lands(walker, data, shot, side)?;
        let ahead = turned(walker.heading);
        let right = DVec2::new(-ahead.y, ahead.x);
        let place = lands.foot.place.as_dvec3();
        let at = walker.root + ahead * (lands.speed * lands.seconds / pace + place.x) + right * place.z;
        Some(Self { lands, at, ahead, right })
    }
}

fn turned(angle: f64) -> DVec2 {
    DVec2::new(libm::cos(angle), libm::sin(angle))
}

/// Lets the foot of `side`, which has just lifted, land in a print if there is one that is worth it.
pub(super) fn choose(
    walker: &mut Walker,
    data: &Database,
    (shot, side): (&Shot, usize),
    ground: &Ground,
    stood: &Foot,
) {
    walker.locks[side].aims = DVec2::NAN;
    if ENOUGH * stood.deepest < DEEP {
        walker.strays *= 1.0 - FOLLOWS;
        return;
    }
    let Some(aim) = Aim::of(walker, data, shot, side, 1.0) else { return };
    let Aim { lands, at, ahead, right } = &aim;
    let sole = Sole::new(turned(walker.heading + f64::from(lands.foot.heading)), &data.skeleton.foot);
    let worth = |[along, across]: [f64; 2]| {
        let depth = sole.depth(ground, at + ahead * along + right * across, ENOUGH * stood.deepest);
        let effort = LONGER * along.abs() / lands.step + WIDER * across.abs();
        (depth - effort * stood.deepest, depth)
    };
    let mut best = ([0.0; 2], worth([0.0; 2]));
    let mut look = |[x, z]: [f64; 2], [i, j]: [i32; 2], by: [f64; 2]| {
        let place = [x + by[0] * f64::from(i), z + by[1] * f64::from(j)];
        let found = worth(place);
        if found.0 > best.1.0 + LEAST {
            best = (place, found);
        }
        best.0
    };
    let far = (lands.step / ALONG) as i32;
    let mut near = [0.0; 2];
    for i in -far..=far {
        near = (-BESIDE..=BESIDE).fold(near, |_, j| look([0.0; 2], [i, j], [ALONG, ACROSS]));
    }
    for k in 0..9 {
        look(near, [k / 3 - 1, k % 3 - 1], [ALONG / 3.0, ACROSS / 2.0]);
    }
    let ([along, across], (_, depth)) = best;
    if best.0 == [0.0; 2] || depth < DEEP {
        return;
    }
    // The body comes over the line of the prints, so that feet need not cross.
    walker.strays = (walker.strays + FOLLOWS * across).clamp(-STRAYS, STRAYS);
    // Farther away than the step can become: nearer to it with this one.
    let most = REACH * lands.step;
    let within = along.abs() <= most;
    let along = along.clamp(-most, most);
    let across = if within { beside(f64::from(lands.foot.place.z), across, side) } else { 0.0 };
    walker.pace = (1.0 / (1.0 + along / lands.step)) as f32;
    walker.locks[side].aims = at + ahead * along + right * across;
    keep(walker, data, shot, side);
}

/// How far beside its usual place, `own` m to the right of the body, a foot can be set that shall go `across` m aside.
fn beside(own: f64, across: f64, side: usize) -> f64 {
    // The left foot is the first; to the right is positive.
    let out = if side == 0 { -1.0 } else { 1.0 };
    let usual = own * out;
    ((usual + across * out).clamp(IN.min(usual), usual + OUT) - usual) * out
}

/// Keeps a foot in the air on its way to the print that was chosen for it, however the body goes meanwhile.
pub(super) fn keep(walker: &mut Walker, data: &Database, shot: &Shot, side: usize) {
    let aims = walker.locks[side].aims;
    if aims.is_nan() || walker.locks[side].held || shot.feet[side].clock > SET {
        return;
    }
    let Some(aim) = Aim::of(walker, data, shot, side, f64::from(walker.pace)) else { return };
    let (off, most) = (aims - aim.at, REACH * aim.lands.step);
    let across = beside(f64::from(aim.lands.foot.place.z), off.dot(aim.right), side);
    let along = off.dot(aim.ahead).clamp(-most, most);
    walker.locks[side].scatter = Vec3::new(along as f32, 0.0, across as f32);
}

/// A foothold has to be better than the one before by so much, m: of equals the nearest.
const LEAST: f64 = 1e-4;

/// Six points of a sole from its middle, m.
struct Sole([DVec2; 6]);

impl Sole {
    fn new(ahead: DVec2, shape: &FootShape) -> Self {
        let right = DVec2::new(-ahead.y, ahead.x) * (INSIDE[1] * shape.half_width);
        let inside = INSIDE[0] * (shape.toe - shape.heel);
        let along = [shape.heel + inside, 0.5 * (shape.heel + shape.toe), shape.toe - inside];
        let [a, b, c] = along.map(|u| ahead * u);
        Self([a - right, a + right, b - right, b + right, c - right, c + right])
    }

    /// How far below the original ground the sole would be, up to `enough`, as the mean over its points, m; its middle says whether to
    /// look further.
    fn depth(&self, ground: &Ground, at: DVec2, enough: f64) -> f64 {
        let pressed = |p: DVec2| ground.pressed(p.x, p.y).clamp(0.0, enough);
        if pressed(at) < DEEP {
            return 0.0;
        }
        self.0.iter().map(|p| pressed(at + *p)).sum::<f64>() / self.0.len() as f64
    }
}
