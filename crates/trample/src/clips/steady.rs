//! Even gaits between clips: walks and runs of neighbouring speeds and slopes, mixed in phase.
//!
//! In: spans of a database that go round and round. Out: families of them, alike but for speed and slope, and the mix that goes
//! at any speed between. All clips of a family begin with the same touch-down, so equal phases are equal moments; speed, stride,
//! stance and force change evenly from one clip to the next.

use super::clip::Kind;
use super::database::{Database, Shot, Span, between};
use crate::gait::{Reaction, Series};

/// Clips of one family on one slope, slowest first.
#[derive(Clone, Debug)]
struct Row {
    slope: f32,
    clips: Vec<u32>,
}

/// Clips that differ in speed and slope only, steepest downhill first.
#[derive(Clone, Debug)]
pub struct Family {
    kind: Kind,
    yaw_rate: f32,
    recorded: bool,
    rows: Vec<Row>,
}

/// Up to four clips and how much each counts.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Two speeds on one slope, then on the next: clip, and the weights of the second speed, the second slope.
    clips: [[u32; 2]; 2],
    faster: [f32; 2],
    steeper: f32,
    /// Time of two steps, s.
    pub period: f64,
    /// Speed of its clips, m/s.
    own: f64,
    /// How much faster than the fastest or slower than the slowest clip it goes.
    pub stretch: f64,
    /// How much longer its steps are for that.
    longer: f64,
    recorded: bool,
    /// Whether it is played in place, as fast as it was recorded.
    pub still: bool,
}

/// Time at either end of a clip that is not played round, s: forces there know only one side.
const MARGIN: f64 = 0.1;
/// How much slower than its slowest and faster than its fastest clip a family goes.
const STRETCH: [f64; 2] = [0.85, 1.02];
/// The same of recorded gaits, which are few and start and stop by themselves: our choice.
const RECORDED: [f64; 2] = [0.0, 1.6];
/// How much longer than recorded a step may be: legs do not grow. Our choice.
const LONGEST: f64 = 1.05;

/// Clock of a foot that has just lifted, and how far from below the body the other may be then, m: our choice.
const LIFTED: f32 = 1.1;
const BELOW: f32 = 0.2;

/// Sorts spans that go round into families; each span is told its own.
pub(super) fn families(spans: &mut [Span]) -> Vec<Family> {
    let mut out: Vec<Family> = Vec::new();
    for i in 0..spans.len() {
        let span = spans[i];
        if span.cycles() == 0 {
            continue;
        }
        let alike = |f: &Family| {
            (f.kind, f.recorded) == (span.kind, span.recorded) && (f.yaw_rate - span.yaw_rate).abs() < 1e-3
        };
        let at = out.iter().position(alike).unwrap_or_else(|| {
            let Span { kind, yaw_rate, recorded, .. } = span;
            out.push(Family { kind, yaw_rate, recorded, rows: vec![] });
            out.len() - 1
        });
        let rows = &mut out[at].rows;
        let row = rows.iter().position(|r| (r.slope - span.slope).abs() < 1e-3).unwrap_or_else(|| {
            rows.push(Row { slope: span.slope, clips: vec![] });
            rows.len() - 1
        });
        rows[row].clips.push(i as u32);
        spans[i].family = Some(at as u32);
    }
    for family in &mut out {
        family.rows.sort_by(|a, b| a.slope.total_cmp(&b.slope));
        for row in &mut family.rows {
            row.clips.sort_by(|&a, &b| spans[a as usize].speed.total_cmp(&spans[b as usize].speed));
        }
    }
    out
}

impl Span {
    /// Whole cycles it can be played round; none if it does not go round.
    pub fn cycles(&self) -> usize {
        if self.period <= 0.0 {
            return 0;
        }
        ((self.seconds - 2.0 * MARGIN) / self.period).max(0.0) as usize
    }

    /// A time of this span at `phase` cycles.
    pub fn at_phase(&self, phase: f64) -> f64 {
        let round = self.cycles() as f64 * self.period;
        MARGIN + (phase * self.period - MARGIN).rem_euclid(round)
    }
}

/// Where `x` lies between the sorted `at(0..n)`: the lower neighbour and the way to the upper one, 0..1.
fn place(n: usize, x: f32, at: impl Fn(usize) -> f32) -> (usize, f32) {
    let upper = (0..n).find(|&i| at(i) > x).unwrap_or(n).clamp(1, n.max(2) - 1).min(n - 1);
    let lower = upper.saturating_sub(1);
    let (a, b) = (at(lower), at(upper));
    (lower, if b > a { ((x - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 })
}

impl Database {
    /// The mix of `clip`'s family that goes at `speed` m/s on ground of `slope` rad; none if it is not an even gait.
    pub fn mix(&self, clip: usize, speed: f32, slope: f32) -> Option<Mix> {
        let family = &self.families[self.spans[clip].family? as usize];
        let (rows, stretch) = (&family.rows, if family.recorded { RECORDED } else { STRETCH });
        let span = |clip: u32| &self.spans[clip as usize];
        let (low, steeper) = place(rows.len(), slope, |i| rows[i].slope);
        let pair = [low, (low + 1).min(rows.len() - 1)].map(|r| {
            let clips = &rows[r].clips;
            let (slow, faster) = place(clips.len(), speed, |i| span(clips[i]).speed);
            ([clips[slow], clips[(slow + 1).min(clips.len() - 1)]], faster)
        });
        let clips = pair.map(|p| p.0);
        let faster = pair.map(|p| p.1);
        let mut mix = Mix {
            clips,
            faster,
            steeper,
            period: 0.0,
            own: 0.0,
            stretch: 1.0,
            longer: 1.0,
            recorded: false,
            still: false,
        };
        mix.period = mix.mean(|c| span(c).period);
        mix.own = mix.mean(|c| f64::from(span(c).speed));
        mix.stretch = (f64::from(speed) / mix.own.max(0.05)).clamp(stretch[0], stretch[1]);
        // Steps become longer and quicker alike, as both grow with the root of the speed in the law of walking.
        mix.longer = mix.stretch.sqrt().min(LONGEST);
        mix.recorded = family.recorded;
        if family.kind == Kind::Idle {
            (mix.stretch, mix.longer, mix.still) = (1.0, 1.0, true);
        }
        Some(mix)
    }

    /// The body `phase` cycles into a mix.
    pub fn mixed(&self, mix: &Mix, phase: f64) -> Shot {
        let shot = |clip: u32| self.sample(clip as usize, self.spans[clip as usize].at_phase(phase));
        let blend = |a: Shot, b: &dyn Fn() -> Shot, t: f32| {
            if t <= 0.0 { a } else { between(&a, &b(), t) }
        };
        let row = |r: usize| {
            let [slow, fast] = mix.clips[r];
            blend(shot(slow), &|| shot(fast), mix.faster[r])
        };
        let mut shot = blend(row(0), &|| row(1), mix.steeper);
        if mix.recorded {
            // Feet land nearer to the body in shorter steps.
            shot.feet.iter_mut().for_each(|foot| foot.place.x *= mix.longer as f32);
        }
        if let Some(reaction) = self.reaction(mix) {
            let of =
                |series: &Series| shot.feet.iter().map(|foot| series.at(f64::from(foot.clock))).sum::<f64>();
            (shot.force.x, shot.force.y) = (-of(&reaction.forward) as f32, -of(&reaction.up) as f32);
        }
        shot
    }

    /// The force under a foot in a mix whose clips are all made from one.
    fn reaction(&self, mix: &Mix) -> Option<Reaction> {
        let of = |clip: u32| self.spans[clip as usize].reaction;
        let row = |r: usize| {
            let [slow, fast] = mix.clips[r];
            Some(of(slow)?.towards(&of(fast)?, f64::from(mix.faster[r])))
        };
        Some(row(0)?.towards(&row(1)?, f64::from(mix.steeper)))
    }

    /// Where in a round of an even gait a body can set off from standing, s: one foot has just lifted, the other is below the
    /// body.
    pub(crate) fn set_off(&self, clip: usize) -> f64 {
        let span = &self.spans[clip];
        let round = ((span.period / self.dt) as usize).clamp(1, span.length);
        let far = |shot: &Shot| {
            let off = |side: usize| {
                let (stands, swings) = (&shot.feet[side], &shot.feet[1 - side]);
                let early = (swings.clock - LIFTED).abs() + if stands.down() { 0.0 } else { 2.0 };
                early + (stands.place.x - shot.pelvis.x).abs() / BELOW
            };
            off(0).min(off(1))
        };
        let shots = &self.shots[span.first..span.first + round];
        let best = (0..round).min_by(|&a, &b| far(&shots[a]).total_cmp(&far(&shots[b]))).unwrap_or(0);
        best as f64 * self.dt
    }

    /// The body as it is shown `time` s into a clip at that speed and slope: an even gait is mixed with its neighbours.
    pub fn shown(&self, clip: usize, time: f64, speed: f32, slope: f32) -> Shot {
        match self.mix(clip, speed, slope) {
            Some(mix) => self.mixed(&mix, time / self.spans[clip].period),
            None => self.sample(clip, time),
        }
    }
}

impl Mix {
    /// The mean of a number of each clip.
    fn mean(&self, of: impl Fn(u32) -> f64) -> f64 {
        let row = |r: usize| {
            let [a, b] = self.clips[r].map(&of);
            a + (b - a) * f64::from(self.faster[r])
        };
        let (a, b) = (row(0), row(1));
        a + (b - a) * f64::from(self.steeper)
    }

    /// How fast it goes, m/s.
    pub fn speed(&self) -> f64 {
        self.own * self.stretch
    }

    /// How much quicker than its clips' its steps are.
    pub fn quicker(&self) -> f64 {
        if self.recorded { self.stretch / self.longer.max(1e-3) } else { self.stretch.sqrt() }
    }

    /// The clip that counts most.
    pub fn main(&self) -> usize {
        let row = usize::from(self.steeper > 0.5);
        self.clips[row][usize::from(self.faster[row] > 0.5)] as usize
    }
}
