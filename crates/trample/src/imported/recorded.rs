//! Motion that a walker brings along, completed so that it can start, turn and stop.
//!
//! In: clips on the walker's own skeleton, from recordings. Out: a database of them and of what they lack: standing, turning about
//! and gaits of other speeds are generated where no recording shows them, unless that is forbidden. Even gaits start and stop by
//! themselves, slower and with shorter steps.

use crate::body::Skeleton;
use crate::clips::{Clip, Database, Held, Kind, RANGE, RATE, RECORDED, TAIL, tag, tag_of};
use crate::hash::Hasher;

/// Most frames of a walker's recorded motion: an hour at 60 Hz, about 150 MB of database. Our choice.
pub const MOST_FRAMES: usize = 216_000;
/// A kind of motion counts as there if so much of it can be jumped to, frames: half a second, our choice.
const ENOUGH: usize = 30;
/// Slower than this is not going, m/s.
const STILL: f32 = 0.1;

/// Recorded motion of one walker.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Recorded {
    /// Clips on the skeleton of the walker's body on its soles, at [`RATE`] frames a second, one kind each. Those with a period
    /// go round and round ([`super::Draft::rounds`]).
    pub clips: Vec<Clip>,
    /// Whether all generated motion is mixed in.
    pub with_generated: bool,
    /// Whether generated motion fills in what the recordings lack: standing, turning about, other speeds.
    pub fill: bool,
    /// Whether it is no locomotion: it is played where the walker stands.
    pub in_place: bool,
    /// What a person should be told of it.
    pub notes: Vec<String>,
}

/// Clips and their mirror images: a turn to the right also gives one to the left. Only the clips themselves where both
/// would be more than [`MOST_FRAMES`], and of those that go round.
pub fn with_mirrored(mut clips: Vec<Clip>) -> Vec<Clip> {
    let frames: usize = clips.iter().map(|c| c.frames.len()).sum();
    if 2 * frames <= MOST_FRAMES {
        let mirrored: Vec<Clip> = clips.iter().filter(|c| c.period == 0.0).map(Clip::mirrored).collect();
        clips.extend(mirrored);
    }
    clips
}

impl Recorded {
    /// Why it cannot be used, if it cannot.
    pub fn problem(&self) -> Option<String> {
        let frames: usize = self.clips.iter().map(|c| c.frames.len()).sum();
        if frames > MOST_FRAMES {
            return Some(format!("{frames} frames at {RATE} Hz, allowed: {MOST_FRAMES}"));
        }
        let whole = |c: &Clip| {
            let finite = c.frames.iter().all(|f| {
                let soles = f.soles.iter().all(|s| s.position.is_finite() && s.rotation.is_finite());
                let pose = f.pose.root.is_finite() && f.pose.rotations.iter().all(|q| q.is_finite());
                soles && pose && f.centre.is_finite()
            });
            let roots = c.roots.iter().flatten().all(|x| x.is_finite());
            let rate = (c.dt * RATE - 1.0).abs() < 1e-6;
            finite && roots && rate && !c.frames.is_empty() && c.frames.len() == c.roots.len()
        };
        if !self.clips.iter().all(whole) {
            return Some(format!("a clip is empty, not at {RATE} Hz, or holds what is not a number"));
        }
        // Files without any motion leave everything to the generated one, and say so.
        if self.clips.is_empty() && self.fill && !self.notes.is_empty() {
            return None;
        }
        let usable = self.in_place
            || self.clips.iter().any(|c| c.period > 0.0 || c.frames.len() > TAIL && c.speed > STILL);
        (!usable || self.clips.is_empty())
            .then(|| "no clip that goes anywhere for longer than a second".into())
    }

    /// Slowest and fastest of its even gaits, m/s; none without any.
    pub fn speeds(&self) -> Option<[f32; 2]> {
        let even = self.clips.iter().filter(|c| c.period > 0.0).map(|c| c.speed);
        even.fold(None, |range: Option<[f32; 2]>, v| match range {
            Some([low, high]) => Some([low.min(v), high.max(v)]),
            None => Some([v; 2]),
        })
    }

    /// The speed of its first even gait, m/s: walks go before runs.
    pub fn own_speed(&self) -> Option<f32> {
        let of = |kind: Kind| self.clips.iter().find(|c| c.period > 0.0 && c.kind == kind);
        of(Kind::Walk).or_else(|| of(Kind::Run)).map(|c| c.speed)
    }

    /// Whether a speed, m/s, is beyond what its gaits are played at: generated ones take over there if they may fill in.
    pub fn lacks(&self, speed: f64) -> bool {
        let even = self.clips.iter().filter(|c| c.period > 0.0);
        let mut ranges = even.map(|c| RANGE.map(|r| f64::from(r * c.speed)));
        !self.in_place && !ranges.any(|[low, high]| (low..high).contains(&speed))
    }

    /// Takes all of it into a hash.
    pub fn put_in(&self, hasher: &mut Hasher) {
        hasher.word(
            [self.with_generated, self.fill, self.in_place].iter().fold(0, |w, &b| 2 * w + u64::from(b)),
        );
        for clip in &self.clips {
            hasher.word(clip.kind as u64);
            hasher.word(clip.frames.len() as u64);
            for (frame, root) in clip.frames.iter().zip(&clip.roots) {
                root.iter().for_each(|&x| hasher.float(f64::from(x)));
                frame.pose.root.to_array().into_iter().for_each(|x| hasher.float(f64::from(x)));
                let turns = frame.pose.rotations.iter().flat_map(|q| q.to_array());
                turns.for_each(|x| hasher.float(f64::from(x)));
            }
        }
    }

    /// The database of these clips, which come first, and of the `generated` ones that may fill in.
    pub(crate) fn database(&self, skeleton: &Skeleton, generated: Vec<Clip>) -> Database {
        let has = |kind: Kind| self.clips.iter().any(|c| c.kind == kind && c.frames.len() > TAIL + ENOUGH);
        let mut tags: Vec<u32> = self
            .clips
            .iter()
            .map(|c| match c.kind {
                _ if self.in_place => RECORDED[2],
                Kind::Run if c.period > 0.0 => RECORDED[1],
                _ if c.period > 0.0 => RECORDED[0],
                kind => tag(kind) | RECORDED[2],
            })
            .collect();
        let mut clips = self.clips.clone();
        for clip in generated {
            // The search leaves jumps out: they are played only when a host asks for one.
            let wanted = match clip.kind {
                Kind::Jump => true,
                _ if self.with_generated => true,
                Kind::Idle | Kind::Spin | Kind::Plant => self.fill && !has(clip.kind),
                _ => self.fill,
            };
            if wanted && !self.in_place {
                tags.push(tag_of(&clip));
                clips.push(clip);
            }
        }
        let mut database = Database::with_recorded(skeleton, &clips, &tags, self.clips.len());
        let gait = |kind: Kind| {
            let even = self.clips.iter().filter(|c| c.period > 0.0 && c.kind == kind).map(|c| c.speed);
            even.fold(None, |range: Option<[f32; 2]>, v| {
                Some(range.map_or([v; 2], |[a, b]| [a.min(v), b.max(v)]))
            })
        };
        let Self { with_generated, fill, in_place, .. } = *self;
        let stands = clips.iter().any(|c| c.kind == Kind::Idle && c.frames.len() > TAIL + ENOUGH);
        let gaits = [gait(Kind::Walk), gait(Kind::Run)];
        database.held = Some(Held { fill, with_generated, in_place, stands, gaits });
        database
    }
}
