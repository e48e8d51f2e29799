//! Long recordings cut into clips of one kind each.
//!
//! In: a clip of anything. Out: clips of standing, walking, running, sidesteps and backward steps, and the starts and stops
//! between them, as motion matching asks for them.

use super::draft::smoothed;
use crate::clips::{Clip, Kind};
use crate::math::wrap;
use crate::params::GRAVITY;
use glam::DVec3;

/// Slower than this is standing, m/s, for a leg of 0.94 m: our choice.
const STILL: f64 = 0.2;
/// Turning faster than this while standing is turning on the spot, rad/s.
const TURNS: f64 = 0.5;
/// Shorter stretches belong to what was before, s.
const SHORTEST: f64 = 0.7;
/// What is added behind a clip, s: the search leaves out the last second of a clip, because the path ahead is not known there.
const BEHIND: f64 = 1.1;
/// How much standing belongs to a start or a stop, and how much of the motion, s.
const AROUND: [f64; 2] = [0.6, 1.2];

/// Cuts `clip` of a body with legs of `leg` m.
pub fn cut(clip: &Clip, leg: f64) -> Vec<Clip> {
    let n = clip.frames.len();
    let frames = |seconds: f64| (seconds / clip.dt).round() as usize;
    if n < 2 {
        return Vec::new();
    }
    let kinds = kinds(clip, leg);
    let mut runs: Vec<(Kind, usize, usize)> = Vec::new();
    for (i, &kind) in kinds.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.0 == kind => run.2 = i + 1,
            _ => runs.push((kind, i, i + 1)),
        }
    }
    // Short stretches are swallowed, and equal neighbours become one.
    let mut joined: Vec<(Kind, usize, usize)> = Vec::new();
    for run in runs {
        match joined.last_mut() {
            Some(last) if run.2 - run.1 < frames(SHORTEST) || last.0 == run.0 => last.2 = run.2,
            Some(last) if last.2 - last.1 < frames(SHORTEST) => *last = (run.0, last.1, run.2),
            _ => joined.push(run),
        }
    }
    let piece = |kind: Kind, from: usize, to: usize| {
        let range = from..to.min(n);
        let mut piece = Clip {
            kind,
            frames: clip.frames[range.clone()].to_vec(),
            roots: clip.roots[range].to_vec(),
            ..*clip
        };
        (piece.speed, piece.yaw_rate) = piece.mean_motion();
        piece
    };
    let mut clips = Vec::new();
    for (k, &(kind, from, to)) in joined.iter().enumerate() {
        clips.push(piece(kind, from, to + frames(BEHIND)));
        let Some(&(next, ..)) = joined.get(k + 1) else { continue };
        let (still, moving) = (frames(AROUND[0]), frames(AROUND[1]));
        if kind == Kind::Idle && matches!(next, Kind::Walk | Kind::Run) {
            clips.push(piece(Kind::Start, to.saturating_sub(still), to + moving + frames(BEHIND)));
        } else if next == Kind::Idle && matches!(kind, Kind::Walk | Kind::Run) {
            clips.push(piece(Kind::Stop, to.saturating_sub(moving), to + still + frames(BEHIND)));
        }
    }
    clips
}

/// What happens at every frame.
fn kinds(clip: &Clip, leg: f64) -> Vec<Kind> {
    let n = clip.frames.len();
    let path: Vec<DVec3> =
        clip.roots.iter().map(|r| DVec3::new(f64::from(r[0]), 0.0, f64::from(r[1]))).collect();
    let path = smoothed(&path, 0.3 / clip.dt);
    let slow = STILL * (leg / 0.94).max(0.01).sqrt();
    (0..n)
        .map(|i| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
            let time = ((b - a) as f64 * clip.dt).max(1e-9);
            let velocity = (path[b] - path[a]) / time;
            let speed = velocity.length();
            let turning = f64::from(wrap(clip.roots[b][2] - clip.roots[a][2])).abs() / time;
            if speed < slow {
                return if turning > TURNS { Kind::Spin } else { Kind::Idle };
            }
            let way = libm::atan2(velocity.z, velocity.x) as f32;
            let off = wrap(way - clip.roots[i][2]).abs().to_degrees();
            if off > 120.0 {
                Kind::Backward
            } else if off > 55.0 {
                Kind::Sidestep
            } else if speed * speed > 0.5 * GRAVITY * leg {
                // People change from walk to run at a Froude number of one half.
                Kind::Run
            } else {
                Kind::Walk
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Ground;
    use crate::gait::{Gait, Rig, Style, Track};
    use crate::params::body::Body;

    fn kinds_of(track: Track, seconds: f64) -> Vec<Kind> {
        let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
        let clip = Clip::sample(Kind::Idle, &Gait::new(&rig, track, seconds), seconds, 60.0);
        let cuts = cut(&clip, rig.body.leg());
        assert!(cuts.iter().all(|c| c.frames.len() == c.roots.len() && !c.frames.is_empty()));
        cuts.iter().map(|c| c.kind).collect()
    }

    #[test]
    fn motions_are_what_they_are() {
        use std::f64::consts::{FRAC_PI_2, PI};
        let arc = |speed, sideways| Track::Arc { speed, yaw_rate: 0.0, sideways };
        assert_eq!(kinds_of(arc(1.3, 0.0), 4.0), [Kind::Walk]);
        assert_eq!(kinds_of(arc(3.5, 0.0), 3.0), [Kind::Run]);
        assert_eq!(kinds_of(arc(0.6, FRAC_PI_2), 3.0), [Kind::Sidestep]);
        assert_eq!(kinds_of(arc(0.8, PI), 3.0), [Kind::Backward]);
        assert_eq!(kinds_of(Track::STILL, 3.0), [Kind::Idle]);
        let start = Track::Line { from: 0.0, to: 1.4, start: 1.5, time: 1.2, sideways: 0.0 };
        assert_eq!(kinds_of(start, 6.0), [Kind::Idle, Kind::Start, Kind::Walk]);
    }
}
