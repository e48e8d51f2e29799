//! Whole strides of an animal, made to repeat: the takes that go somewhere, feet locked where they stand, the end joined to the
//! beginning.
//!
//! In: a body with its takes. Out: one stride of every take that walks, trots or gallops, with its speed; a walker plays the one whose
//! speed is nearest to what is asked.

use super::choice::{called, listed, plainness};
use super::four_footed::{FourFooted, FourFootedMotion};
use super::source::Source;
use trample::glam::{Vec2, Vec3};
use trample::imported::contacts::runs;
use trample::scene::Stride;

/// A foot in the air is at least so high, m: above the gap at which a sole touches. Our choice.
const CLEAR: f32 = 0.025;
/// Words of names that say that a take goes somewhere.
const GAITS: [&str; 13] = [
    "walk",
    "walking",
    "run",
    "running",
    "trot",
    "trotting",
    "gallop",
    "galloping",
    "canter",
    "jog",
    "sprint",
    "amble",
    "pace",
];

/// Which frames of a take its strides are, and how they lie in it.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Which way it goes, x and z.
    pub(super) ahead: Vec2,
    /// Centre of mass from the first frame to the last, m.
    pub(super) centres: Vec<Vec3>,
    /// Height of the ground in the file, m.
    pub(super) level: f32,
    /// Height of the end of each leg above the ground when it stands, m.
    pub(super) stands: [f32; 4],
}

/// One take that goes somewhere.
#[derive(Clone, Debug)]
pub struct TakeStride {
    /// The take.
    pub take: usize,
    /// Its name.
    pub name: String,
    /// Its stride, right feet first in each pair.
    pub stride: Stride,
    pub(super) span: Span,
}

/// All takes of an animal that go somewhere, and why the others do not.
#[derive(Clone, Debug, Default)]
pub struct Strides {
    /// Slowest first.
    pub all: Vec<TakeStride>,
    /// Names of the other takes and what is wrong with them.
    pub others: Vec<(String, String)>,
}

impl Strides {
    /// The stride for a speed, m/s, or for a take; the plainest walk if neither is asked for.
    pub fn choose(&self, speed: Option<f64>, take: Option<&str>) -> Result<&TakeStride, String> {
        let mut may: Vec<&TakeStride> = self.all.iter().collect();
        if let Some(wanted) = take {
            let names: Vec<&str> = may.iter().map(|t| t.name.as_str()).collect();
            let meant = called(&names, wanted);
            if let Some((_, why)) =
                self.others.iter().find(|(n, _)| meant.is_empty() && !called(&[n], wanted).is_empty())
            {
                return Err(format!("take `{wanted}`: {why}"));
            }
            if meant.is_empty() {
                return Err(format!("no take `{wanted}`; there are {}", listed(&names)));
            }
            may = meant.into_iter().map(|i| may[i]).collect();
        }
        // Where names say which takes go somewhere, the plain ones are meant.
        let plain = |t: &&TakeStride| plainness(&t.name, &GAITS);
        if let Some(plainest) = may.iter().filter_map(plain).min().filter(|_| take.is_none()) {
            may.retain(|t| plain(t).is_some_and(|n| n <= plainest));
        }
        let off = |t: &TakeStride| {
            speed.map_or(t.stride.speed(), |v| libm::fabs(libm::log(t.stride.speed() / v.max(1e-3))))
        };
        let best = may.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
        best.ok_or_else(|| match self.others.first() {
            Some((name, why)) => format!("no take goes anywhere; take `{name}`: {why}"),
            None => "it has no motion".into(),
        })
    }
}

impl FourFooted {
    /// The strides of all takes.
    pub fn strides(&self, source: &Source) -> Strides {
        let mut strides = Strides::default();
        for (take, motion) in self.motions(source).iter().enumerate() {
            match self.one(take, motion) {
                Ok(one) => strides.all.push(one),
                Err(why) => strides.others.push((motion.name.clone(), why)),
            }
        }
        strides.all.sort_by(|a, b| a.stride.speed().total_cmp(&b.stride.speed()));
        strides
    }

    /// The stride that is played where nothing is asked for, or why there is none.
    pub fn stride(&self, source: &Source) -> Result<Stride, String> {
        self.strides(source).choose(None, None).map(|t| t.stride.clone())
    }

    fn one(&self, take: usize, motion: &FourFootedMotion) -> Result<TakeStride, String> {
        let (first, last) = stride_frames(motion, self.leg)?;
        let stride = stride(motion, first, last)?;
        let flat = |p: Vec3| Vec2::new(p.x, p.z);
        let ahead = (flat(motion.centre[last]) - flat(motion.centre[first])).normalize_or(Vec2::X);
        // As the file has it: without what was added to a motion on the spot.
        let added = |i: usize| motion.travel.get(i).copied().unwrap_or(Vec3::ZERO);
        let centres = (first..=last).map(|i| motion.centre[i] - added(i)).collect();
        let span = Span { first, last, ahead, centres, level: motion.level, stands: motion.stands };
        Ok(TakeStride { take, name: motion.name.clone(), stride, span })
    }
}

/// How alike the ends of a motion are that is made to be repeated: farthest foot, in legs. Our choice.
const ENDS: f32 = 0.15;

/// The first and the last frame of all whole strides.
fn stride_frames(motion: &FourFootedMotion, leg: f32) -> Result<(usize, usize), String> {
    let n = motion.feet.len();
    if n < 6 {
        return Err("it is shorter than a stride".into());
    }
    let seen = |i: usize, k: usize| motion.feet[i][k] - motion.centre[i].with_y(0.0);
    let feet = motion.walks;
    let off = |a: usize, b: usize| (0..feet).map(|k| seen(a, k).distance(seen(b, k))).fold(0.0, f32::max);
    let lands = |k: usize| runs(motion.contacts.iter().map(move |c| c[k])).len();
    if (0..feet).any(|k| lands(k) == 0) {
        return Err("a foot of it never stands".into());
    }
    // Made to be repeated: whole, whatever the gait.
    let step = (1..n).map(|i| off(i - 1, i)).fold(0.0, f32::max);
    if off(0, n - 1) < (ENDS * leg).max(step) && motion.contacts.iter().any(|c| c[..feet].contains(&false)) {
        return Ok((0, n - 1));
    }
    // From one landing of a foot to its last.
    let landings: Vec<usize> =
        runs(motion.contacts.iter().map(|c| c[0])).iter().map(|r| r.0).filter(|&i| i > 0).collect();
    let (Some(&first), Some(&last)) = (landings.first(), landings.last()) else {
        return Err("its hind left foot never lands".into());
    };
    if last < first + 4 {
        return Err("no whole stride: its hind left foot must land twice".into());
    }
    Ok((first, last))
}

fn stride(motion: &FourFootedMotion, first: usize, last: usize) -> Result<Stride, String> {
    let n = last - first;
    let flat = |p: Vec3| Vec2::new(p.x, p.z);
    let (from, to) = (flat(motion.centre[first]), flat(motion.centre[last]));
    let advance = from.distance(to);
    if !(advance.is_finite() && f64::from(advance) > 0.05 * n as f64 * motion.dt) {
        return Err("it stays in one place".into());
    }
    let ahead = (to - from) / advance;
    // Seen from above the straight track: along, up, right.
    let seen = |p: Vec3| {
        let d = flat(p) - from;
        Vec3::new(d.dot(ahead), p.y, d.dot(Vec2::new(-ahead.y, ahead.x)))
    };
    let further = Vec3::new(advance, 0.0, 0.0);
    // What the end misses of the beginning is spread over all samples.
    let joined = |points: Vec<Vec3>| -> Vec<Vec3> {
        let miss = (points[0] + further - points[n]).with_y(0.0);
        (0..n).map(|j| points[j] + miss * (j as f32 / n as f32)).collect()
    };
    let mut feet = Vec::new();
    for k in [1, 0, 3, 2].into_iter().filter(|&k| k < motion.walks) {
        let points = joined((first..=last).map(|i| seen(motion.feet[i][k])).collect());
        let down: Vec<bool> = (first..last).map(|i| motion.contacts[i][k]).collect();
        feet.push(
            locked(&points, &down, further).ok_or("a foot of it never leaves the ground, or never stands")?,
        );
    }
    let centre = joined((first..=last).map(|i| seen(motion.centre[i])).collect());
    let centre = centre.iter().map(|c| [c.x, c.z]).collect();
    let stride = Stride { dt: motion.dt, advance: f64::from(advance), feet, centre };
    stride.problem().map_or(Ok(stride), Err)
}

/// A foot that stands still where it stands; in the air what was moved for that is let go from one stance to the next.
fn locked(points: &[Vec3], down: &[bool], further: Vec3) -> Option<Vec<[f32; 3]>> {
    let n = points.len();
    // Counted on over the end, from a moment in the air on.
    let point = |j: usize| points[j % n] + further * (j / n) as f32;
    let start = down.iter().position(|d| !d)?;
    let stances = runs((start..start + n).map(|j| down[j % n]));
    let mut shifts = Vec::with_capacity(stances.len());
    for &(a, b) in &stances {
        let (a, b) = (a + start, b + start);
        let mean = (a..b).map(point).sum::<Vec3>() / (b - a) as f32;
        shifts.push((a, b, mean.with_y(0.0)));
    }
    let (first, last) = (*shifts.first()?, *shifts.last()?);
    let mut out = vec![[0.0; 3]; n];
    for j in start..start + n {
        let value = match shifts.iter().find(|(a, b, _)| (*a..*b).contains(&j)) {
            Some((.., place)) => *place,
            None => {
                let before = shifts.iter().rev().find(|s| s.1 <= j).copied();
                let after = shifts.iter().find(|s| s.0 > j).copied();
                // Before the first stance was the last one of the stride before, after the last comes the first.
                let (end, left) = before
                    .map_or((last.1 as f32 - n as f32, last.2 - point(last.1 - 1)), |s| {
                        (s.1 as f32, s.2 - point(s.1 - 1))
                    });
                let (begin, lands) = after.map_or(((first.0 + n) as f32, first.2 - point(first.0)), |s| {
                    (s.0 as f32, s.2 - point(s.0))
                });
                let t = ((j as f32 - end + 1.0) / (begin - end + 1.0)).clamp(0.0, 1.0);
                let shift = left.lerp(lands, t).with_y(0.0);
                let free = point(j) + shift;
                Vec3::new(free.x, free.y.max(CLEAR), free.z)
            }
        };
        out[j % n] = (value - further * (j / n) as f32).to_array();
    }
    Some(out)
}
