//! Motion that a walker brings along, completed so that it can start, turn and stop.
//!
//! In: clips on the walker's own skeleton, from recordings. Out: a database of them and of what they lack: standing, starts,
//! stops and turns on the spot are generated where no recording shows them; on request everything generated is mixed in.

use super::clip::{Clip, Kind, RATE};
use super::database::{Database, TAIL, slope_tags, tag, tag_of};
use super::skeleton::Skeleton;
use crate::hash::Hasher;

/// Most frames of a walker's recorded motion: an hour at 60 Hz, about 150 MB of database. Our choice.
pub const MOST_FRAMES: usize = 216_000;
/// A kind of motion counts as there if so much of it can be jumped to, frames: half a second, our choice.
const ENOUGH: usize = 30;
/// What is kept of a generated start before it moves and of a stop before it slows, s: our choice.
const BEFORE: f64 = 0.3;
/// Slower than this is not going, m/s.
const STILL: f32 = 0.1;

/// Recorded motion of one walker.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Clips on the skeleton of the walker's body on its soles, at [`RATE`] frames a second, one kind each.
    pub clips: Vec<Clip>,
    /// Whether all generated motion is mixed in, or only what the recordings lack.
    pub with_generated: bool,
}

/// Clips and their mirror images: who was recorded turning to the right can turn to the left. Only the clips themselves where both
/// would be more than [`MOST_FRAMES`].
pub fn with_mirrored(mut clips: Vec<Clip>) -> Vec<Clip> {
    let frames: usize = clips.iter().map(|c| c.frames.len()).sum();
    if 2 * frames <= MOST_FRAMES {
        let mirrored: Vec<Clip> = clips.iter().map(Clip::mirrored).collect();
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
        let usable = self.clips.iter().any(|c| c.frames.len() > TAIL && c.speed > STILL);
        (!usable).then(|| "no clip that goes anywhere for longer than a second".into())
    }

    /// Takes all of it into a hash.
    pub fn put_in(&self, hasher: &mut Hasher) {
        hasher.word(u64::from(self.with_generated));
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

    /// The database of these clips, which come first, and of what is needed of the `generated` ones.
    pub(crate) fn database(&self, skeleton: &Skeleton, generated: Vec<Clip>) -> Database {
        let has = |kind: Kind| self.clips.iter().any(|c| c.kind == kind && c.frames.len() > TAIL + ENOUGH);
        let walks = has(Kind::Walk);
        // Recordings are of level ground; they serve every slope, and every speed if they show only one gait.
        let slopes = [-20.0f32, -10.0, 0.0, 10.0, 20.0];
        let anywhere = slopes.iter().fold(0, |tags, s| tags | slope_tags(s.to_radians()));
        let mut tags: Vec<u32> = self
            .clips
            .iter()
            .map(|c| match c.kind {
                Kind::Walk | Kind::Start | Kind::Stop => anywhere,
                Kind::Run if !walks => anywhere | tag(Kind::Run),
                kind => tag(kind),
            })
            .collect();
        let mut clips = self.clips.clone();
        for clip in generated {
            if self.with_generated {
                tags.push(tag_of(&clip));
                clips.push(clip);
                continue;
            }
            let lacks = matches!(clip.kind, Kind::Idle | Kind::Start | Kind::Stop | Kind::Spin | Kind::Plant);
            if lacks && !has(clip.kind) {
                tags.push(tag_of(&clip));
                clips.push(trimmed(&clip));
            } else if clip.kind == Kind::Jump {
                // Nobody searches for jumps: they are there for a host that asks for one.
                tags.push(tag_of(&clip));
                clips.push(clip);
            }
        }
        Database::with_tags(skeleton, &clips, &tags)
    }
}

/// A generated start without the even walk after it, a stop without that before it: the recordings walk.
fn trimmed(clip: &Clip) -> Clip {
    let n = clip.frames.len();
    let speed = |i: usize| {
        let (a, b) = (clip.roots[i.saturating_sub(1)], clip.roots[(i + 1).min(n - 1)]);
        let (x, z) = (b[0] - a[0], b[1] - a[1]);
        (x * x + z * z).sqrt() / (2.0 * clip.dt as f32)
    };
    let before = (BEFORE / clip.dt) as usize;
    let range = match clip.kind {
        Kind::Start => {
            let top = (1..n - 1).map(speed).fold(0.0, f32::max);
            let reached = (1..n - 1).find(|&i| speed(i) > 0.95 * top).unwrap_or(n);
            0..(reached + TAIL).min(n)
        }
        Kind::Stop => {
            let top = (1..n - 1).map(speed).fold(0.0, f32::max);
            let slows = (1..n - 1).rfind(|&i| speed(i) > 0.95 * top).unwrap_or(0);
            slows.saturating_sub(before)..n
        }
        _ => 0..n,
    };
    Clip { frames: clip.frames[range.clone()].to_vec(), roots: clip.roots[range].to_vec(), ..*clip }
}
