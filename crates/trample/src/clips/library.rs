//! The built-in motion database: all clips of a body, made at start-up.
//!
//! In: a body. Out: walks, runs, starts, stops, turns, sidesteps, backward steps, jumps, idling and snowshoeing at 60 Hz, each
//! also mirrored where left and right differ. Every mass, leg length and foot has its own gait.

use super::clip::{Clip, Kind, RATE};
use crate::body::{FootShape, Ground, Skeleton};
use crate::gait::{Gait, Jump, Pace, Rig, Style, Track};
use crate::params::Footwear;
use crate::params::body::Body;
use std::f64::consts::{FRAC_PI_2, PI};

/// Walking speeds of the database, m/s; in between clips are mixed. Nobody walks faster by choice than 2.1.
pub const WALKS: [f64; 9] = [0.4, 0.6, 0.85, 1.1, 1.35, 1.6, 1.85, 2.1, 2.5];
/// Running speeds, m/s. Nobody runs slower by choice than 2.2; people who are told to jog do so down to a slow walk's speed.
pub const RUNS: [f64; 8] = [1.2, 1.7, 2.2, 2.8, 3.4, 4.0, 4.7, 5.5];
/// Turning, rad/s, to the right; the left is mirrored.
pub const TURNS: [f64; 3] = [30.0 * PI / 180.0, 60.0 * PI / 180.0, 90.0 * PI / 180.0];
/// Slopes beside the level, °.
pub const SLOPES: [f64; 4] = [-20.0, -10.0, 10.0, 20.0];

/// Jumps: how high the centre of mass rises after toe-off and how far it goes, m, for a 1.8 m body.
pub const JUMPS: [(f64, f64); 5] = [(0.12, 0.0), (0.25, 0.0), (0.40, 0.0), (0.15, 0.6), (0.25, 1.2)];

/// What is being collected.
struct Shelf {
    clips: Vec<Clip>,
}

impl Shelf {
    fn add(&mut self, kind: Kind, rig: &Rig, track: Track, seconds: f64) {
        self.clips.push(Clip::sample(kind, &Gait::new(rig, track, seconds), seconds, RATE));
    }

    fn both(&mut self, kind: Kind, rig: &Rig, track: Track, seconds: f64) {
        self.add(kind, rig, track, seconds);
        let mirrored = self.clips[self.clips.len() - 1].mirrored();
        self.clips.push(mirrored);
    }
}

/// All clips of `body` on ordinary shoes in `style`, and on snowshoes.
pub fn clips(body: &Body, style: &Style) -> Vec<Clip> {
    let mut clips = clips_on(body, &Skeleton::new(body), style);
    let shoes = snowshoe_rig(body, Ground::default());
    let mut shelf = Shelf { clips: vec![] };
    for speed in [0.4, 0.6, 0.8, 1.0].map(|v| v * scale(body)) {
        shelf.add(Kind::Snowshoe, &shoes, arc(speed, 0.0, 0.0), 4.0);
        shelf.both(Kind::Snowshoe, &shoes, arc(speed, TURNS[0], 0.0), 4.0);
    }
    clips.extend(shelf.clips);
    clips
}

/// Speeds are those of a 1.8 m walker; others walk at the same dimensionless speed.
fn scale(body: &Body) -> f64 {
    (body.leg() / Body::default().leg()).sqrt()
}

const fn arc(speed: f64, yaw_rate: f64, sideways: f64) -> Track {
    Track::Arc { speed, yaw_rate, sideways }
}

/// All clips of `body` on the feet of `skeleton` in `style`; nobody runs or jumps on a sole that does not bend.
pub fn clips_on(body: &Body, skeleton: &Skeleton, style: &Style) -> Vec<Clip> {
    let mut shelf = Shelf { clips: vec![] };
    let level = Rig::with(body, *skeleton, style, Ground::default());
    let scale = scale(body);
    let paced = |pace| Rig::with(body, *skeleton, &Style { pace, ..*style }, Ground::default());
    let (walking, running) = (paced(Pace::Walk), paced(Pace::Run));
    for speed in WALKS.map(|v| v * scale) {
        shelf.add(Kind::Walk, &walking, arc(speed, 0.0, 0.0), 5.0);
        for turn in TURNS {
            shelf.both(Kind::Walk, &walking, arc(speed, turn, 0.0), 4.0);
        }
    }
    for slope in SLOPES {
        let rig = Rig::with(body, *skeleton, &Style { pace: Pace::Walk, ..*style }, Ground::uphill(slope));
        for speed in WALKS.map(|v| v * scale) {
            shelf.add(Kind::Walk, &rig, arc(speed, 0.0, 0.0), 3.0);
            shelf.both(Kind::Walk, &rig, arc(speed, TURNS[1], 0.0), 2.5);
        }
        let speed = 1.1 * scale;
        let line = |from, to, start| Track::Line { from, to, start, time: 1.3, sideways: 0.0 };
        shelf.both(Kind::Start, &rig, line(0.0, speed, 0.5), 3.5);
        shelf.both(Kind::Stop, &rig, line(speed, 0.0, 0.8), 3.5);
    }
    let bends = |speed: &f64| style.bends || *speed < RUNS[1] * scale;
    for speed in RUNS.map(|v| v * scale).into_iter().filter(|_| style.bends) {
        shelf.add(Kind::Run, &running, arc(speed, 0.0, 0.0), 3.0);
        // No one runs a curve at more than about half of gravity.
        for &turn in TURNS[..2].iter().filter(|&&turn| turn * speed < 4.3) {
            shelf.both(Kind::Run, &running, arc(speed, turn, 0.0), 3.5);
        }
    }
    for speed in [0.8, 1.3, 1.8, 3.0].map(|v| v * scale).into_iter().filter(bends) {
        let time = 0.8 + 0.5 * speed;
        let line = |from, to, start| Track::Line { from, to, start, time, sideways: 0.0 };
        shelf.both(Kind::Start, &level, line(0.0, speed, 0.5), 4.0);
        shelf.both(Kind::Stop, &level, line(speed, 0.0, 0.8), 4.0);
    }
    for speed in [1.0, 1.5, 3.0].map(|v| v * scale).into_iter().filter(bends) {
        let plant = Track::Plant { speed, start: 0.8, time: 0.8 + 0.8 * speed, side: 1.0 };
        shelf.both(Kind::Plant, &level, plant, 2.6 + 0.8 * speed);
    }
    for speed in [0.3, 0.6, 0.9].map(|v| v * scale) {
        shelf.both(Kind::Sidestep, &level, arc(speed, 0.0, FRAC_PI_2), 3.5);
    }
    for speed in [0.4, 0.8, 1.2].map(|v| v * scale) {
        shelf.add(Kind::Backward, &level, arc(speed, 0.0, PI), 3.5);
        shelf.both(Kind::Backward, &level, arc(speed, TURNS[0], PI), 3.0);
    }
    for angle in [PI / 4.0, PI / 2.0, PI] {
        let spin = Track::Spin { angle, start: 0.4, time: 0.6 + 0.4 * angle };
        shelf.both(Kind::Spin, &level, spin, 3.0);
    }
    shelf.add(Kind::Idle, &level, Track::STILL, 10.0);
    for (height, distance) in JUMPS.into_iter().filter(|_| style.bends) {
        let size = body.leg() / Body::default().leg();
        let jump = Jump::new(&level, height * size, distance * size);
        let root = |t: f64| [jump.root(t).position.x as f32, 0.0, 0.0];
        shelf.clips.push(Clip::from_fn(Kind::Jump, jump.duration(), RATE, |t| jump.frame(t), root));
    }
    shelf.clips
}

/// A body on snowshoes: soles of [`crate::params::Footwear::Snowshoe`], wide and flat steps.
pub fn snowshoe_rig(body: &Body, ground: Ground) -> Rig {
    let sole = Footwear::Snowshoe.sole(body.foot_length, body.foot_width);
    let skeleton = Skeleton::on_soles(body, FootShape::on(body, &sole));
    Rig::with(body, skeleton, &Style::snowshoe(), ground)
}
