//! Whole strides of a recording, made to go round and round.
//!
//! In: a draft of anything that walks or runs, be it two steps. Out: clips of even gaits that begin with a landing of the left
//! foot and end where they began, as the generated ones do, so that they can be played for any length, faster or slower, and
//! mixed with others. A stride lies between two moments at which the same foot is farthest ahead; of all rows of strides the one
//! counts whose ends are most alike. Where a recording holds one step only, its mirror image is the other.

use super::contacts::runs;
use super::draft::{Draft, Moment, smoothed};
use crate::body::{FootShape, Ground, Skeleton};
use crate::clips::{Clip, Kind};
use crate::math::wrap;
use crate::params::GRAVITY;
use glam::{DQuat, DVec3, Quat, Vec3};

/// Shortest and longest stride, s. Our choice, as are all numbers here.
const PERIODS: [f64; 2] = [0.25, 4.0];
/// A foot swings by at least this share of the leg, m.
const SWINGS: f64 = 0.12;
/// Most strides of a clip before it comes round.
const STRIDES: usize = 3;
/// Strides of one clip are as fast as each other within this share, and clips differ by at least that.
const ALIKE: f64 = 0.15;
/// What another stride in a clip is worth: that its ends differ by so much more, rad.
const LONGER: f64 = 0.015;
/// Ends that differ by more than this, mean of the joints and of the feet in legs, are no round, rad.
const ENDS: f64 = 0.45;
/// Motion on the spot whose ends differ by more than this is played there and back, rad as above.
const RETURNS: f64 = 0.05;
/// A clip is at least so long, s: the search leaves out its last second.
const LENGTH: f64 = 4.0;
/// Most even gaits of one recording.
const MOST: usize = 6;
/// Ends of single steps of short motions differ by less than this, rad, and feet of a step by less than this from where they would be, in
/// ways of the body.
const ENDS_OF_STEPS: f64 = 0.3;
const STEP: f64 = 0.6;
/// Motions shorter than this are searched for single steps everywhere, s.
const SHORT: f64 = 2.0;
/// Hips that rise and sink by more than this share of the leg are on steps, not on level ground.
const LEVEL: f64 = 0.1;
/// Travel farther than this from where the body looks is no walking ahead, cosine.
const AHEAD: f64 = 0.5;

/// What is above the hips is changed so near to where a round is joined, s: arms keep their style everywhere else.
const SEAM: f64 = 0.2;
/// What the joint above the hips that differs most at the ends adds to the cost of a row, rad per rad.
const ARMS: f64 = 0.25;

/// A row of strides in a recording.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: usize,
    last: usize,
    strides: usize,
    speed: f64,
    /// Whether its mirror image makes up the other half.
    half: bool,
    /// How much its ends differ, rad.
    differ: f64,
    /// How much the joint above the hips does that differs most, rad.
    arms: f64,
}

impl Draft {
    /// The even gaits of this motion on a skeleton, slowest first; none where nothing goes round.
    pub fn rounds(&self, skeleton: &Skeleton) -> Vec<Clip> {
        let (thigh, shank) = skeleton.leg();
        let leg = f64::from(thigh + shank);
        let mut clips = Vec::new();
        let mut rows = self.rows(leg);
        while let Some(best) = rows.iter().copied().min_by(|a, b| a.cost().total_cmp(&b.cost())) {
            rows.retain(|r| (r.speed / best.speed - 1.0).abs() > ALIKE);
            clips.extend(self.round(&best, skeleton, leg));
            if clips.len() == MOST {
                break;
            }
        }
        clips.sort_by(|a, b| a.speed.total_cmp(&b.speed));
        clips
    }

    /// This motion played on the spot, round and round: where it ends about as it began, what is left is spread over all of it, else it
    /// is played there and back. None if it is shorter than a few frames or not finite.
    pub fn in_place(&self, skeleton: &Skeleton) -> Option<Clip> {
        let mut one = self.moments.clone();
        if one.len() < 8 {
            return None;
        }
        let (start, end) = (one[0], one[one.len() - 1]);
        let (thigh, shank) = skeleton.leg();
        if apart(&start, &end, f64::from(thigh + shank)) > RETURNS {
            let back: Vec<Moment> = one[1..one.len() - 1].iter().rev().copied().collect();
            one.extend(back);
        } else {
            join(&mut one, &start, 0.0, SEAM / self.dt, false);
            one.pop();
        }
        let (n, seconds) = (one.len(), one.len() as f64 * self.dt);
        let times = (LENGTH / seconds).ceil().max(1.0) as usize;
        let beyond = (BEYOND / self.dt) as usize + 1;
        let mut whole =
            Draft { dt: self.dt, moments: one.iter().copied().cycle().take(times * n + beyond).collect() };
        whole.lock(&skeleton.foot);
        whole.make_room(skeleton);
        let mut clip = whole.solve(skeleton, Kind::Idle);
        clip.period = seconds;
        (clip.speed, clip.yaw_rate) = (0.0, 0.0);
        clip.frames.iter().all(|f| f.centre.is_finite()).then_some(clip)
    }

    /// Rows of strides that may go round.
    fn rows(&self, leg: f64) -> Vec<Row> {
        let n = self.moments.len();
        if n < 8 {
            return Vec::new();
        }
        let path: Vec<DVec3> = self.moments.iter().map(|m| m.root.with_y(0.0)).collect();
        let path = smoothed(&path, 0.3 / self.dt);
        let way = |i: usize| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
            (path[b] - path[a]).normalize_or_zero()
        };
        let ahead = |side: usize, i: usize| {
            let m = &self.moments[i];
            (m.feet[side].middle - m.root).dot(way(i))
        };
        let peaks = [0, 1].map(|side| {
            let track: Vec<f64> = (0..n).map(|i| ahead(side, i)).collect();
            peaks(&track, SWINGS * leg)
        });
        let mut rows = Vec::new();
        for own in &peaks {
            for k in 0..own.len() {
                for last in k + 1..own.len().min(k + 1 + STRIDES) {
                    rows.extend(self.row(&own[k..=last], false, leg));
                }
            }
        }
        if rows.is_empty() {
            for (a, b) in [(0, 1), (1, 0)] {
                for &first in &peaks[a] {
                    let next = peaks[b].iter().copied().find(|&i| i > first);
                    rows.extend(next.and_then(|next| self.row(&[first, next], true, leg)));
                }
            }
        }
        if rows.is_empty() && n as f64 * self.dt < SHORT {
            rows = self.single_steps(leg);
        }
        rows
    }

    /// Steps of a short motion between any two moments of which one is about the mirror image of the other.
    fn single_steps(&self, leg: f64) -> Vec<Row> {
        let n = self.moments.len();
        let every = n.div_ceil(80);
        let mut rows = Vec::new();
        for first in (0..n).step_by(every) {
            for last in (first..n).step_by(every).skip(1) {
                rows.extend(self.row(&[first, last], true, leg).filter(|r| r.differ < ENDS_OF_STEPS));
            }
        }
        rows
    }

    /// Whether one foot swings past the other, which stands, between two moments: that is a step. In ways of the body, a foot that
    /// stands goes 0 and one that swings 2.
    fn is_step(&self, first: usize, last: usize) -> bool {
        let (a, b) = (&self.moments[first], &self.moments[last]);
        let way = (b.root - a.root).with_y(0.0);
        let gone = [0, 1].map(|side| {
            (b.feet[side].middle - a.feet[side].middle).dot(way) / way.length_squared().max(1e-12)
        });
        gone[0].min(gone[1]).abs() < STEP && (gone[0].max(gone[1]) - 2.0).abs() < STEP
    }

    /// The strides between the moments `at`, if they are even and walk ahead.
    fn row(&self, at: &[usize], half: bool, leg: f64) -> Option<Row> {
        let (first, last) = (*at.first()?, *at.last()?);
        let flat = |i: usize| self.moments[i].root.with_y(0.0);
        let whole = if half { 2.0 } else { 1.0 };
        let strides: Vec<(f64, f64)> = at
            .windows(2)
            .map(|w| (whole * (w[1] - w[0]) as f64 * self.dt, flat(w[0]).distance(flat(w[1])) * whole))
            .collect();
        let time: f64 = strides.iter().map(|s| s.0).sum();
        let speed = strides.iter().map(|s| s.1).sum::<f64>() / time;
        let even = strides.iter().all(|s| {
            (PERIODS[0]..PERIODS[1]).contains(&s.0) && (s.1 / s.0 / speed - 1.0).abs() < 0.5 * ALIKE
        });
        let (a, b) = (&self.moments[first], &self.moments[last]);
        let way = (flat(last) - flat(first)).normalize_or_zero();
        let looks = (a.pelvis.as_dquat() * DVec3::X + b.pelvis.as_dquat() * DVec3::X).with_y(0.0);
        let goes = speed * time > SWINGS * leg && looks.normalize_or_zero().dot(way) > AHEAD;
        if half && !self.is_step(first, last) {
            return None;
        }
        let start = if half { a.mirrored() } else { *a };
        let hips = self.moments[first..=last].iter().map(|m| m.root.y);
        let (low, high) = hips.fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(y), b.max(y)));
        let differ = apart(&start, b, leg) + ((high - low) / leg - LEVEL).max(0.0);
        (even && goes && differ < ENDS).then_some(Row {
            first,
            last,
            strides: if half { 1 } else { strides.len() },
            speed,
            half,
            differ,
            arms: a_turn(&start, b),
        })
    }

    /// The clip of a row: straightened, joined, repeated, its feet locked.
    fn round(&self, row: &Row, skeleton: &Skeleton, leg: f64) -> Option<Clip> {
        let (mut one, mut advance) = straightened(&self.moments[row.first..=row.last]);
        let start = if row.half { one[0].mirrored() } else { one[0] };
        join(&mut one, &start, advance, SEAM / self.dt, row.half);
        one.pop();
        if row.half {
            let other: Vec<Moment> = one.iter().map(|m| m.mirrored().moved(advance)).collect();
            one.extend(other);
            advance *= 2.0;
        }
        complete_contacts(&mut one, advance, self.dt, leg, &skeleton.foot);
        let n = one.len();
        let seconds = n as f64 * self.dt;
        let times = (LENGTH / seconds).ceil().max(2.0) as usize;
        // One round more at either end, so that every stance that is kept is whole, and one to begin anywhere.
        let moments = (0..times + 4).flat_map(|k| one.iter().map(move |m| m.moved(advance * k as f64)));
        let mut whole = Draft { dt: self.dt, moments: moments.collect() };
        whole.lock(&skeleton.foot);
        whole.make_room(skeleton);
        let speed = advance / seconds;
        let kind = if speed * speed > 0.5 * GRAVITY * leg { Kind::Run } else { Kind::Walk };
        let mut clip = whole.solve(skeleton, kind);
        // A row of several strides may begin with either; the first landing of the left foot is as good as another.
        let stands = |i: usize| clip.frames[i].contacts[0].contains(&true);
        let lands = (n..2 * n).find(|&i| stands(i) && !stands(i - 1)).unwrap_or(n);
        let kept = lands..(lands + times * n + (BEYOND / self.dt) as usize + 1).min(clip.frames.len());
        let middle = |i: usize| clip.frames[i].pose.root;
        let mean = (lands..lands + n).map(|i| middle(i).as_dvec3()).sum::<DVec3>() / n as f64;
        let half = 0.5 * (n - 1) as f64 * self.dt * speed;
        clip.roots = kept
            .clone()
            .map(|i| {
                let along = mean.x - half + (i - lands) as f64 * self.dt * speed;
                [along as f32, mean.z as f32, 0.0]
            })
            .collect();
        clip.frames = clip.frames[kept].to_vec();
        clip.period = seconds / row.strides as f64;
        (clip.speed, clip.yaw_rate) = (speed as f32, 0.0);
        clip.frames.iter().all(|f| f.centre.is_finite()).then_some(clip)
    }
}

/// What a clip has beyond whole rounds, s: forces at its ends know only one side, and are left out.
const BEYOND: f64 = 0.25;

impl Row {
    fn cost(&self) -> f64 {
        let half = if self.half { 0.1 } else { 0.0 };
        self.differ + ARMS * self.arms - LONGER * (self.strides - 1) as f64 + half
    }
}

impl Moment {
    /// The same moment seen in a mirror: left is right.
    pub fn mirrored(&self) -> Self {
        let flip = |v: DVec3| DVec3::new(v.x, v.y, -v.z);
        let turn = |q: Quat| Quat::from_xyzw(-q.x, -q.y, q.z, q.w);
        let mut upper = self.upper.map(turn);
        for k in 4..7 {
            upper.swap(k, k + 3);
        }
        let foot = |side: usize| {
            let mut foot = self.feet[side];
            foot.middle = flip(foot.middle);
            foot.heading = -foot.heading;
            foot
        };
        let knee = |side: usize| Vec3::new(self.knees[side].x, self.knees[side].y, -self.knees[side].z);
        Self {
            root: flip(self.root),
            pelvis: turn(self.pelvis),
            upper,
            feet: [foot(1), foot(0)],
            knees: [knee(1), knee(0)],
            contacts: [self.contacts[1], self.contacts[0]],
        }
    }

    /// So much farther along x, m.
    fn moved(&self, by: f64) -> Self {
        let mut next = *self;
        next.root.x += by;
        next.feet.iter_mut().for_each(|f| f.middle.x += by);
        next
    }

    /// Where it looks, rad.
    fn looks(&self) -> f64 {
        let ahead = self.pelvis * Vec3::X;
        f64::from(libm::atan2f(ahead.z, ahead.x))
    }

    /// Turned about the vertical through its pelvis by `angle` rad to the right, and moved so that its pelvis is above `root`.
    fn turned(&self, angle: f64, root: DVec3) -> Self {
        let about = DQuat::from_rotation_y(-angle);
        let mut next = *self;
        next.root = root.with_y(self.root.y);
        next.pelvis = (about.as_quat() * self.pelvis).normalize();
        next.knees = self.knees.map(|k| about.as_quat() * k);
        for foot in &mut next.feet {
            foot.middle = next.root.with_y(0.0) + about * (foot.middle - self.root.with_y(0.0));
            foot.heading += angle;
        }
        next
    }
}

/// The angle between two rotations, rad.
fn turned(p: Quat, q: Quat) -> f64 {
    f64::from(2.0 * libm::acosf(p.dot(q).abs().min(1.0)))
}

/// The most that a joint above the hips differs between two moments, rad.
fn a_turn(a: &Moment, b: &Moment) -> f64 {
    a.upper.iter().zip(&b.upper).map(|(p, q)| turned(*p, *q)).fold(0.0, f64::max)
}

/// How much two moments differ but for place and heading: mean angle of the joints, and the farther of the feet in legs.
fn apart(a: &Moment, b: &Moment, leg: f64) -> f64 {
    let level = |m: &Moment| Quat::from_rotation_y(m.looks() as f32) * m.pelvis;
    let joints = a.upper.iter().zip(&b.upper).map(|(p, q)| turned(*p, *q)).sum::<f64>();
    let seen = |m: &Moment, side: usize| {
        DQuat::from_rotation_y(m.looks()) * (m.feet[side].middle - m.root.with_y(0.0))
    };
    let feet = [0, 1].map(|side| seen(a, side).distance(seen(b, side)));
    (joints + turned(level(a), level(b))) / 11.0 + (feet[0].max(feet[1]) + (a.root.y - b.root.y).abs()) / leg
}

/// Where a track is largest between two places where it is lower by `least`.
fn peaks(track: &[f64], least: f64) -> Vec<usize> {
    let mut sorted = track.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let range = sorted[sorted.len() * 19 / 20] - sorted[sorted.len() / 20];
    if range < least {
        return Vec::new();
    }
    let step = 0.35 * range;
    let (mut found, mut top, mut low, mut rises) = (Vec::new(), 0, 0, true);
    for i in 0..track.len() {
        if rises {
            top = if track[i] > track[top] { i } else { top };
            if track[i] < track[top] - step {
                // What was highest at the very beginning may have been higher before.
                if top > 0 {
                    found.push(top);
                }
                (rises, low) = (false, i);
            }
        } else {
            low = if track[i] < track[low] { i } else { low };
            if track[i] > track[low] + step {
                (rises, top) = (true, i);
            }
        }
    }
    // A motion made to be repeated begins and ends where a foot is farthest ahead.
    let ends = [0, track.len() - 1].map(|i| track[i] > sorted[sorted.len() * 19 / 20] - 0.1 * range);
    if ends[0] && found.first().is_none_or(|&first| track[..first].iter().any(|&x| x < track[0] - step)) {
        found.insert(0, 0);
    }
    let last = track.len() - 1;
    if ends[1] && found.last().is_none_or(|&l| track[l..].iter().any(|&x| x < track[last] - step)) {
        found.push(last);
    }
    found
}

/// The same moments along +x: what the way turns is taken out evenly. Also how far they go, m.
fn straightened(moments: &[Moment]) -> (Vec<Moment>, f64) {
    let n = moments.len();
    let turns = f64::from(wrap((moments[n - 1].looks() - moments[0].looks()) as f32));
    let share = |i: usize| i as f64 / (n - 1) as f64;
    let mut path = vec![DVec3::ZERO];
    for i in 1..n {
        let step = (moments[i].root - moments[i - 1].root).with_y(0.0);
        path.push(path[i - 1] + DQuat::from_rotation_y(turns * (share(i) - 0.5 / (n - 1) as f64)) * step);
    }
    let way = path[n - 1];
    let heading = libm::atan2(way.z, way.x);
    let onto = DQuat::from_rotation_y(heading);
    let straight = (0..n).map(|i| moments[i].turned(-turns * share(i) - heading, onto * path[i])).collect();
    (straight, way.length())
}

/// Makes the end what `start` is, `advance` m further on. What legs and pelvis differ is spread over all moments, so that steps stay even; what
/// is above the hips meets half-way within `seam` moments of the ends. `mirror` says that `start` is the first moment seen in a mirror.
fn join(moments: &mut [Moment], start: &Moment, advance: f64, seam: f64, mirror: bool) {
    let n = moments.len();
    let (goal, end) = (start.moved(advance), moments[n - 1]);
    let turn = |to: Quat, from: Quat| {
        let q = (to * from.conjugate()).normalize();
        if q.w < 0.0 { -q } else { q }
    };
    // From 0.5 at an end of the moments to 0 farther away than the seam is long.
    let seam = seam.min(0.5 * (n - 1) as f64);
    let near_end = |away: usize| {
        let x = (away as f64 / seam).min(1.0);
        (0.5 * (1.0 - x) * (1.0 - x) * (1.0 + 2.0 * x)) as f32
    };
    let pelvis = turn(goal.pelvis, end.pelvis);
    let upper: [Quat; 10] = std::array::from_fn(|k| turn(goal.upper[k], end.upper[k]));
    let near = |a: f64, b: f64| f64::from(wrap((a - b) as f32));
    for (i, m) in moments.iter_mut().enumerate() {
        let u = i as f64 / (n - 1) as f64;
        let part = |q: Quat| Quat::IDENTITY.slerp(q, u as f32);
        m.root += (goal.root - end.root) * u;
        m.pelvis = (part(pelvis) * m.pelvis).normalize();
        let meet = |m: &mut Moment, share: f32, back: bool| {
            for (joint, q) in m.upper.iter_mut().zip(upper) {
                let q = Quat::IDENTITY.slerp(if back { q.conjugate() } else { q }, share);
                *joint = (q * *joint).normalize();
            }
        };
        meet(m, near_end(n - 1 - i), false);
        if mirror {
            *m = m.mirrored();
        }
        meet(m, near_end(i), true);
        if mirror {
            *m = m.mirrored();
        }
        for side in 0..2 {
            let (to, from) = (&goal.feet[side], &end.feet[side]);
            let foot = &mut m.feet[side];
            foot.middle += (to.middle - from.middle) * u;
            foot.heading += near(to.heading, from.heading) * u;
            foot.pitch += near(to.pitch, from.pitch) * u;
            foot.bend += (to.bend - from.bend) * u;
        }
    }
}

/// A foot turned by more than this stands on its heel or its toes alone, rad: our choice.
const TIPPED: f64 = 0.2;
/// A foot within this share of its lift above its lowest place stands, of one who walks and of one who runs: our choice. Who runs swings
/// its feet high, and stands on them for less than half as long.
const LOW: [f64; 2] = [0.3, 0.12];

/// Feet that were not seen to stand as feet do, once in a stride and for a good part of it, stand while the body passes over
/// them and they are low.
fn complete_contacts(one: &mut [Moment], advance: f64, dt: f64, leg: f64, foot: &FootShape) {
    let n = one.len();
    let speed = advance / (n as f64 * dt);
    for side in 0..2 {
        let stands = |m: &Moment| m.contacts[side].contains(&true);
        let found = one.iter().filter(|m| stands(m)).count() as f64 / n as f64;
        let long = runs((0..n).map(|i| stands(&one[i]))).len();
        // One who walks has at least a foot on the ground; one who runs has not.
        let runs_fast = speed * speed > 0.5 * GRAVITY * leg;
        let least = if runs_fast { 0.15 } else { 0.4 };
        if (least..0.88).contains(&found) && long <= 2 * STRIDES {
            continue;
        }
        let place = |i: usize| {
            let (k, round) = (i % n, (i / n) as f64);
            one[k].feet[side].middle + DVec3::X * (round * advance)
        };
        // Who runs lands and leaves on a pitched foot: its lowest point counts.
        let lowest = |m: &Moment| {
            let at = |u: f64| m.feet[side].point(u, foot, &Ground::default()).y;
            at(foot.heel).min(at(foot.toe))
        };
        let height = |m: &Moment| if runs_fast { lowest(m) } else { m.feet[side].middle.y };
        let heights: Vec<f64> = one.iter().map(height).collect();
        let low = heights.iter().fold(f64::MAX, |a, &b| a.min(b));
        let high = heights.iter().fold(f64::MIN, |a, &b| a.max(b));
        let below = low + (LOW[usize::from(runs_fast)] * (high - low)).max(0.01 * leg);
        let down: Vec<bool> = (0..n)
            .map(|i| {
                // Slower than half the body over the ground: it is left behind.
                let moves = (place(i + n + 1).x - place(i + n - 1).x) / (2.0 * dt);
                moves < 0.5 * speed && heights[i] <= below
            })
            .collect();
        for (m, &on) in one.iter_mut().zip(&down) {
            // The end of a foot that points away from the ground is not on it.
            let pitch = m.feet[side].pitch;
            m.contacts[side] = [on && pitch > -TIPPED, on && pitch < TIPPED];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gait::{Gait, Rig, Style, Track};
    use crate::params::body::Body;

    fn walk(speed: f64, seconds: f64) -> (Rig, Draft) {
        let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
        let clip = Clip::sample(Kind::Idle, &Gait::new(&rig, Track::straight(speed), 8.0), 8.0, 60.0);
        let n = (seconds * 60.0) as usize;
        let mut draft = clip.draft(&rig.skeleton);
        draft.moments = draft.moments[60..60 + n].to_vec();
        (rig, draft)
    }

    #[test]
    fn a_walk_goes_round_at_its_speed_even_if_only_two_steps_are_left() {
        for (speed, seconds) in [(1.3, 5.0), (1.3, 2.4), (1.3, 1.35), (0.7, 2.6), (3.0, 1.2)] {
            let (rig, draft) = walk(speed, seconds);
            let clips = draft.rounds(&rig.skeleton);
            assert_eq!(clips.len(), 1, "{speed} m/s, {seconds} s");
            let clip = &clips[0];
            assert!((f64::from(clip.speed) / speed - 1.0).abs() < 0.03, "{} of {speed} m/s", clip.speed);
            let n = (clip.period / clip.dt).round() as usize;
            // A round later everything is where it was, but for the way.
            let (a, b) = (&clip.frames[20], &clip.frames[20 + n]);
            let gone = b.pose.root - a.pose.root;
            assert!((f64::from(gone.x) - speed * clip.period).abs() < 0.05, "{gone}");
            assert!(gone.y.abs() < 0.02 && gone.z.abs() < 0.03, "{gone}");
        }
    }

    #[test]
    fn one_step_is_completed_by_its_mirror_image() {
        let (rig, draft) = walk(1.3, 1.0);
        let clips = draft.rounds(&rig.skeleton);
        assert_eq!(clips.len(), 1);
        assert!(
            (clips[0].speed - 1.3).abs() < 0.06 && (0.9..1.3).contains(&clips[0].period),
            "{:?}",
            clips[0].period
        );
    }

    #[test]
    fn arms_that_do_not_come_round_meet_at_the_seam_and_stay_as_they_were_elsewhere() {
        let (_, draft) = walk(1.3, 2.4);
        for mirror in [false, true] {
            let mut one = draft.moments.clone();
            let n = one.len();
            for (i, m) in one.iter_mut().enumerate() {
                m.upper[4] = Quat::from_rotation_z(0.3 * i as f32 / (n - 1) as f32);
            }
            let start = if mirror { one[0].mirrored() } else { one[0] };
            let (before, apart) = (one.clone(), turned(start.upper[4], one[n - 1].upper[4]));
            assert!(apart > 0.2, "they differ: {apart}");
            join(&mut one, &start, 3.0, 12.0, mirror);
            let first = if mirror { one[0].mirrored() } else { one[0] };
            for k in 0..10 {
                assert!(turned(first.upper[k], one[n - 1].upper[k]) < 1e-3, "joint {k}");
                let most = (0..n).map(|i| turned(before[i].upper[k], one[i].upper[k])).fold(0.0, f64::max);
                // Where the round begins mirrored, its start moves by what the other arm lacks.
                let other = if mirror { [0, 1, 2, 3, 7, 8, 9, 4, 5, 6][k] } else { k };
                let own = [k, other].map(|k| turned(start.upper[k], before[n - 1].upper[k]));
                let own = own[0].max(own[1]);
                assert!(most < 0.52 * own + 2e-3, "joint {k}: turned by {most} of {own}");
                assert!(
                    (13..n - 13).all(|i| turned(before[i].upper[k], one[i].upper[k]) < 1e-3),
                    "joint {k}"
                );
            }
        }
    }

    #[test]
    fn motion_on_the_spot_keeps_what_it_shows() {
        let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
        let clip = Clip::sample(Kind::Idle, &Gait::new(&rig, Track::STILL, 2.0), 2.0, 60.0);
        let mut draft = clip.draft(&rig.skeleton);
        let n = draft.moments.len();
        // An arm is raised by a radian and stays up.
        for (i, m) in draft.moments.iter_mut().enumerate() {
            m.upper[4] = Quat::from_rotation_z(i as f32 / (n - 1) as f32);
        }
        let shown = draft.in_place(&rig.skeleton).expect("a clip");
        let raised = |i: usize| 2.0 * libm::acosf(shown.frames[i].pose.rotations[5].w.abs().min(1.0));
        assert!(raised(n - 1) - raised(0) > 0.95, "{} to {}", raised(0), raised(n - 1));
        assert!(raised(2 * n - 3) < 0.1, "and back: {}", raised(2 * n - 3));
    }

    #[test]
    fn who_stands_does_not_go_round() {
        let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
        let clip = Clip::sample(Kind::Idle, &Gait::new(&rig, Track::STILL, 4.0), 4.0, 60.0);
        assert!(clip.draft(&rig.skeleton).rounds(&rig.skeleton).is_empty());
    }
}
