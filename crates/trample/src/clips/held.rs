//! What a database holds of recordings, and when generated motion fills in.

use super::clip::Kind;
use super::database::{RECORDED, tag};

/// How much slower and faster than recorded an even gait is played: our choice. Beyond that generated gaits fill in.
pub(crate) const RANGE: [f32; 2] = [0.5, 1.5];
/// Slower than this a walker may stand still, m/s, and farther than this from where it wants to look turns on the spot, rad.
const STANDS: f64 = 0.3;
const TURNS: f64 = 1.0;

/// Even walks and runs on level ground that were generated.
const EVEN: u32 = 1 << Kind::Walk as u32 | 1 << Kind::Run as u32;

/// What a database holds of recordings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    pub(crate) fill: bool,
    pub(crate) with_generated: bool,
    pub(crate) in_place: bool,
    /// Whether it shows how to stand.
    pub(crate) stands: bool,
    /// Slowest and fastest recorded even walk and run, m/s.
    pub(crate) gaits: [Option<[f32; 2]>; 2],
}

impl Held {
    /// Which clips may play of those that may by their `tags`, for one who wants to go at `goal` m/s, goes at `now` m/s and wants
    /// to look `off` rad from where it does.
    pub(crate) fn may(&self, tags: u32, goal: f64, now: f64, off: f64) -> u32 {
        let all = RECORDED[0] | RECORDED[1];
        if self.in_place {
            return RECORDED[2];
        }
        let far = |gait: usize| {
            let [low, high] = self.gaits[gait]?.map(f64::from);
            let inside =
                !self.fill || (f64::from(RANGE[0]) * low..f64::from(RANGE[1]) * high).contains(&goal);
            let near = goal.clamp(low, high);
            inside.then(|| libm::fabs(libm::log(goal.max(1e-3) / near.max(1e-3))))
        };
        let gaits = match (far(0), far(1)) {
            _ if goal < STANDS => all,
            (Some(a), Some(b)) => RECORDED[usize::from(b < a)],
            (Some(_), None) => RECORDED[0],
            (None, Some(_)) => RECORDED[1],
            (None, None) => 0,
        };
        if gaits == 0 {
            return tags;
        }
        let mut others = tag(Kind::Plant);
        if now < STANDS && goal < STANDS {
            others |= tag(Kind::Idle) | tag(Kind::Spin);
            // A loop that is slowed to nothing is no standing.
            if self.stands {
                return tags & others;
            }
        }
        if self.with_generated {
            // Starts, stops and turns of both; even gaits are recorded ones where there are any for this speed.
            return gaits | tags & !EVEN;
        }
        if now < 2.0 * STANDS && off > TURNS {
            others |= tag(Kind::Spin);
        }
        gaits | tags & others
    }
}
