//! What a recorded motion measures: speed, contacts, strides, skate before and after cleaning, forces.

use super::upright::TakeFacts;
use trample::body::Skeleton;
use trample::clips::{Clip, Kind, force};
use trample::glam::Vec3;
use trample::imported::contacts::runs;
use trample::imported::{Draft, Skate, leg_change, skate};

/// One stride: from a landing to the next of the same foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stride {
    /// 0 left, 1 right.
    pub side: usize,
    /// When it begins, s.
    pub time: f64,
    /// How long it takes, s.
    pub period: f64,
    /// How far it goes, m.
    pub length: f64,
}

/// A take on the file's own body.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What is known of the take.
    pub facts: TakeFacts,
    /// The cleaned motion.
    pub clip: Clip,
    /// Contacts of left and right foot, first frame and one past the last.
    pub contacts: [Vec<(usize, usize)>; 2],
    /// Strides.
    pub strides: Vec<Stride>,
    /// Skate of the file.
    pub before: Skate,
    /// Skate of the cleaned motion.
    pub after: Skate,
    /// Mean change of the joint angles of the legs by cleaning, rad.
    pub change: f64,
    /// Force of the feet on the ground, left and right, N.
    pub forces: Vec<[Vec3; 2]>,
}

pub(super) fn measured(facts: &TakeFacts, draft: &Draft, skeleton: &Skeleton) -> Measured {
    let before = draft.solve(skeleton, Kind::Idle);
    let mut clean = draft.clone();
    clean.lock(&skeleton.foot);
    clean.make_room(skeleton);
    let clip = clean.solve(skeleton, Kind::Idle);
    let contacts = [0, 1].map(|side| runs(clip.frames.iter().map(|f| f.contacts[side].contains(&true))));
    let mut strides = Vec::new();
    for side in 0..2 {
        // A contact that is there from the first frame on did not begin then.
        let landings: Vec<usize> = contacts[side].iter().map(|c| c.0).filter(|&i| i > 0).collect();
        for pair in landings.windows(2) {
            let place = |i: usize| clip.frames[i].soles[side].position.with_y(0.0);
            strides.push(Stride {
                side,
                time: pair[0] as f64 * clip.dt,
                period: (pair[1] - pair[0]) as f64 * clip.dt,
                length: f64::from(place(pair[0]).distance(place(pair[1]))),
            });
        }
    }
    Measured {
        facts: facts.clone(),
        contacts,
        strides,
        before: skate(&before, skeleton),
        after: skate(&clip, skeleton),
        change: leg_change(&before, &clip),
        forces: force::of_clip(&clip, skeleton),
        clip,
    }
}

impl Measured {
    /// Median period, s, and length, m, of the strides; zeros without any.
    pub fn stride(&self) -> (f64, f64) {
        let median = |f: fn(&Stride) -> f64| {
            let mut all: Vec<f64> = self.strides.iter().map(f).collect();
            all.sort_unstable_by(f64::total_cmp);
            all.get(all.len() / 2).copied().unwrap_or(0.0)
        };
        (median(|s| s.period), median(|s| s.length))
    }
}
