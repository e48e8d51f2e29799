//! One whole stride of an animal, made to repeat: feet locked where they stand, the end joined to the beginning.

use super::four_footed::{FourFooted, FourFootedMotion};
use super::source::Source;
use trample::glam::{Vec2, Vec3};
use trample::motion::contacts::runs;
use trample::scene::Stride;

/// A foot in the air is at least so high, m: above the gap at which a sole touches. Our choice.
const CLEAR: f32 = 0.025;

/// Which frames of a take its strides are, and how they lie in it.
pub(super) struct Span {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Which way it goes, x and z.
    pub(super) ahead: Vec2,
    /// Centre of mass from the first frame to the last, m.
    pub(super) centres: Vec<Vec3>,
    /// Height of the ground in the file, m.
    pub(super) level: f32,
}

impl FourFooted {
    /// The take and the frames that [`FourFooted::stride`] is made of.
    pub(super) fn span(&self, source: &Source) -> Option<(usize, Span)> {
        self.motions(source).iter().enumerate().find_map(|(take, motion)| {
            let (first, last) = stride(motion).is_ok().then(|| whole(motion).ok())??;
            let flat = |p: Vec3| Vec2::new(p.x, p.z);
            let ahead = (flat(motion.centre[last]) - flat(motion.centre[first])).normalize_or(Vec2::X);
            // As the file has it: without what was added to a motion on the spot.
            let added = |i: usize| motion.travel.get(i).copied().unwrap_or(Vec3::ZERO);
            let centres = (first..=last).map(|i| motion.centre[i] - added(i)).collect();
            Some((take, Span { first, last, ahead, centres, level: motion.level }))
        })
    }

    /// The strides of the first take that has whole ones, right feet first in each pair, or why there are none.
    pub fn stride(&self, source: &Source) -> Result<Stride, String> {
        let mut problem = "it has no motion".to_string();
        for motion in self.motions(source) {
            match stride(&motion) {
                Ok(stride) => return Ok(stride),
                Err(why) => problem = format!("take `{}`: {why}", motion.name),
            }
        }
        Err(problem)
    }
}

/// The first and the last frame of all whole strides.
fn whole(motion: &FourFootedMotion) -> Result<(usize, usize), String> {
    // From one landing of a foot to its last: whole strides, whatever the gait.
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

fn stride(motion: &FourFootedMotion) -> Result<Stride, String> {
    let (first, last) = whole(motion)?;
    let n = last - first;
    let flat = |p: Vec3| Vec2::new(p.x, p.z);
    let (from, to) = (flat(motion.centre[first]), flat(motion.centre[last]));
    let advance = from.distance(to);
    if !(advance.is_finite() && f64::from(advance) > 0.05 * n as f64 * motion.dt) {
        return Err(
            "its motion stays in one place, and its feet do not walk; export it with root motion".into()
        );
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
    for k in [1, 0, 3, 2] {
        let points = joined((first..=last).map(|i| seen(motion.feet[i][k])).collect());
        let down: Vec<bool> = (first..last).map(|i| motion.contacts[i][k]).collect();
        feet.push(locked(&points, &down, further).ok_or("a foot never stands")?);
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
    let Some(start) = down.iter().position(|d| !d) else {
        // It drags along: nothing to lock.
        return None;
    };
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
