//! Which way a body looks, from its shape and its motion: knees bend forwards, feet reach farther ahead of the ankle than behind it,
//! and bodies mostly go where they look.
//!
//! In: legs as joints, poses, skin. Out: a direction and how much speaks for it. Names of sides are believed only where this does
//! not contradict them: a body whose left and right are exchanged walks with its back first.

use super::mapping::Looks;
use super::source::{Layout, Source};
use super::topology::foot_way;
use trample::glam::Vec3;

/// Hip, knee and ankle of both legs.
pub(super) type Legs = [[usize; 3]; 2];

/// Which way a body looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Front {
    /// Ahead, of length 1, at right angles to up.
    pub(super) ahead: Vec3,
    /// How much speaks for it, less what speaks against it; 1 is one good reason.
    pub(super) sure: f32,
}

/// Weights of what is seen: skin of the feet, bend of the knees, joints of the toes, travel. Our choice.
const WEIGHTS: [f32; 4] = [1.5, 1.0, 0.6, 0.5];
/// A knee that is out of the line of its leg by this share of it is bent for certain.
const BENT: f32 = 0.04;

/// The direction a body with these legs looks; `axis` is the line from one hip to the other, which it is at right angles to. `up` is
/// up in the file.
pub(super) fn find(
    source: &Source,
    looks: &Looks,
    legs: &Legs,
    up: Vec3,
    travels: Option<Vec3>,
) -> Option<Front> {
    let rest = &looks.rest;
    let across = |pose: &Layout| {
        let v = pose.places[legs[1][0]] - pose.places[legs[0][0]];
        v - v.dot(up) * up
    };
    // Everything is seen against the hips of its own pose, so that bodies that turn do not blur it.
    let sign = |pose: &Layout, v: Vec3| {
        let side = across(pose).cross(up).normalize_or_zero();
        v.dot(side)
    };
    let mut sum = 0.0;
    let mut all = 0.0;
    let mut vote = |value: f32, full: f32, weight: f32| {
        if value.is_finite() && full > 0.0 {
            let share = (value / full).clamp(-1.0, 1.0);
            sum += weight * share;
            all += weight * share.abs();
        }
    };
    for leg in legs {
        let [h, k, a] = *leg;
        let length = rest.places[h].distance(rest.places[k]) + rest.places[k].distance(rest.places[a]);
        let bend = |pose: &Layout| {
            let along = (pose.places[a] - pose.places[h]).normalize_or_zero();
            let out = pose.places[k] - pose.places[h];
            sign(pose, out - out.dot(along) * along)
        };
        let poses: Vec<&Layout> =
            if looks.moving.is_empty() { vec![rest] } else { looks.moving.iter().collect() };
        let mean = poses.iter().map(|p| bend(p)).sum::<f32>() / poses.len() as f32;
        vote(mean, BENT * length, 0.5 * WEIGHTS[1]);
        if let Some(reach) = skin_reach(source, rest, a, up).map(|v| sign(rest, v)) {
            vote(reach, 0.03 * length, 0.5 * WEIGHTS[0]);
        }
        let toes = foot_way(source, rest, a).map_or(0.0, |v| sign(rest, v));
        vote(toes, 0.06 * length, 0.5 * WEIGHTS[2]);
    }
    if let Some(travels) = travels {
        let leg = rest.places[legs[0][0]].distance(rest.places[legs[0][2]]);
        vote(sign(rest, travels), 0.5 * leg, WEIGHTS[3]);
    }
    let ahead = across(rest).cross(up).try_normalize()? * if sum < 0.0 { -1.0 } else { 1.0 };
    (all > 0.0).then(|| Front { ahead, sure: sum.abs() })
}

/// How much farther the skin below an ankle reaches to one side of it than to the other, over the ground.
fn skin_reach(source: &Source, rest: &Layout, ankle: usize, up: Vec3) -> Option<Vec3> {
    let foot: Vec<bool> = (0..source.joints.len()).map(|j| source.hangs_from(j, ankle)).collect();
    let from = rest.places[ankle];
    let (mut sum, mut count, mut lowest) = (Vec3::ZERO, 0, f32::MAX);
    let mut points = Vec::new();
    for v in source.vertices.iter().filter(|v| foot[v.joint as usize]) {
        let j = v.joint as usize;
        let p = rest.places[j] + rest.turns[j] * (rest.scales[j] * v.place) - from;
        lowest = lowest.min(p.dot(up));
        points.push(p);
    }
    // The sole alone: skin above the ankle is a shin's.
    for p in points.iter().filter(|p| p.dot(up) < 0.5 * lowest.min(0.0)) {
        sum += *p - p.dot(up) * up;
        count += 1;
    }
    (count > 3).then(|| sum / count as f32)
}
