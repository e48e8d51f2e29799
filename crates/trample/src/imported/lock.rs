//! Foot locking: takes foot skate out of a motion.
//!
//! In: a draft with its contacts. Out: the same, its feet locked. A foot in contact keeps its place and heading and rolls
//! over heel and toes as [`crate::body::FootPose`] has it; between contacts the correction passes smoothly from one to the next.

use super::contacts::runs;
use super::draft::{Draft, Moment, ahead};
use crate::body::{FootPose, FootShape, Ground, HIP, Skeleton, rolled};
use crate::clips::Clip;
use glam::{DVec3, Quat, Vec3};

/// A foot pitched by less than about this lies flat, rad: recorded soles are never quite level. Our choice.
const FLAT: f64 = 0.05;
/// A foot that turns by more than this while it stands turns on its ball, rad: our choice.
const PIVOT: f64 = 0.35;

/// Nobody lifts a foot and puts it down again within this time, s. Our choice.
const AGAIN: f64 = 0.12;

/// Pitch with small angles taken out, smoothly; large ones stay.
fn levelled(pitch: f64) -> f64 {
    let x = pitch / FLAT;
    pitch * (1.0 - libm::exp(-x * x))
}

/// Where the middle of the sole would be if the foot were rolled flat: the inverse of [`rolled`].
fn unrolled(foot: &FootPose, shape: &FootShape) -> DVec3 {
    let at_origin = rolled(DVec3::ZERO, foot.heading, foot.pitch, true, shape, &Ground::default());
    foot.middle - at_origin.middle
}

impl Draft {
    /// Locks the feet of every contact and says again which parts touch.
    pub fn lock(&mut self, shape: &FootShape) {
        for m in &mut self.moments {
            for foot in &mut m.feet {
                foot.pitch = levelled(foot.pitch);
            }
        }
        for side in 0..2 {
            self.mend(side);
            let touches = |m: &Moment| m.contacts[side][0] || m.contacts[side][1];
            let stances = runs(self.moments.iter().map(touches));
            let before: Vec<FootPose> = self.moments.iter().map(|m| m.feet[side]).collect();
            for &(first, end) in &stances {
                stand(&mut self.moments[first..end], side, shape);
            }
            let off = |i: usize, m: &[Moment]| Offset::between(&before[i], &m[i].feet[side]);
            let n = self.moments.len();
            let mut free = 0;
            for k in 0..=stances.len() {
                let (end, next) = stances.get(k).map_or((n, n), |s| *s);
                let from = (free > 0).then(|| off(free - 1, &self.moments));
                let to = (end < n).then(|| off(end, &self.moments));
                let length = (end - free + 1) as f64;
                for i in free..end {
                    // Before the first contact and after the last the correction stays what it is there.
                    let offset = match (from, to) {
                        (Some(a), Some(b)) => a.towards(&b, smoother((i - free + 1) as f64 / length)),
                        (Some(a), None) | (None, Some(a)) => a,
                        (None, None) => continue,
                    };
                    offset.add(&mut self.moments[i].feet[side]);
                    lift(&mut self.moments[i].feet[side], shape);
                }
                free = next;
            }
        }
    }

    /// Contacts of one foot with hardly a moment between them are one; a short one after a long one is toes that brush the ground.
    fn mend(&mut self, side: usize) {
        let mut before: Option<(usize, usize)> = None;
        for (first, end) in runs(self.moments.iter().map(|m| m.contacts[side].contains(&true))) {
            let near = before.filter(|b| (first - b.1) as f64 * self.dt <= AGAIN);
            before = match near {
                Some((from, to)) if 2 * (end - first) < to - from => {
                    self.moments[first..end].iter_mut().for_each(|m| m.contacts[side] = [false; 2]);
                    near
                }
                Some((from, to)) => {
                    self.moments[to..first].iter_mut().for_each(|m| m.contacts[side][1] = true);
                    Some((from, end))
                }
                None => Some((first, end)),
            };
        }
    }
}

/// Puts a foot on one place for the length of a stance.
fn stand(moments: &mut [Moment], side: usize, shape: &FootShape) {
    let first = moments[0].feet[side].heading;
    let near = |heading: f64| first + wrap(heading - first);
    // Where it lies flat it says most clearly where it stands.
    let weight = |f: &FootPose| if f.pitch.abs() < FLAT { 1.0 } else { 0.2 };
    let (mut ball, mut place, mut heading, mut all) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
    let (mut least, mut most) = (f64::MAX, f64::MIN);
    for m in moments.iter() {
        let foot = &m.feet[side];
        let (w, h) = (weight(foot), near(foot.heading));
        let at = unrolled(foot, shape);
        place += at * w;
        ball += (at + ahead(h) * shape.ball) * w;
        heading += h * w;
        all += w;
        (least, most) = (least.min(h), most.max(h));
    }
    let pivots = most - least > PIVOT;
    let (mut place, ball, heading) = ((place / all).with_y(0.0), (ball / all).with_y(0.0), heading / all);
    for m in moments {
        let foot = &mut m.feet[side];
        let heading = if pivots { near(foot.heading) } else { heading };
        if pivots {
            place = ball - ahead(heading) * shape.ball;
        }
        *foot = rolled(place, heading, foot.pitch, true, shape, &Ground::default());
        // Less than this is flat: three millimetres at the other end of the foot.
        m.contacts[side] = [foot.pitch > -0.015, foot.pitch < 0.015];
    }
}

/// A foot in the air is above the ground.
fn lift(foot: &mut FootPose, shape: &FootShape) {
    let below = -foot.clearance(shape, &Ground::default());
    if below > 0.0 {
        foot.middle.y += below;
    }
}

fn smoother(u: f64) -> f64 {
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

fn wrap(angle: f64) -> f64 {
    let turns = angle / std::f64::consts::TAU;
    (turns - turns.round()) * std::f64::consts::TAU
}

/// What locking has added to a foot.
#[derive(Clone, Copy)]
struct Offset {
    place: DVec3,
    heading: f64,
    bend: f64,
}

impl Offset {
    fn between(from: &FootPose, to: &FootPose) -> Self {
        Self {
            place: to.middle - from.middle,
            heading: wrap(to.heading - from.heading),
            bend: to.bend - from.bend,
        }
    }

    fn towards(&self, to: &Self, u: f64) -> Self {
        Self {
            place: self.place.lerp(to.place, u),
            heading: self.heading + wrap(to.heading - self.heading) * u,
            bend: self.bend + (to.bend - self.bend) * u,
        }
    }

    fn add(&self, foot: &mut FootPose) {
        foot.middle += self.place;
        foot.heading += self.heading;
        foot.bend = (foot.bend + self.bend).clamp(-0.5, 1.2);
    }
}

/// How much the feet of a clip slide while they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Skate {
    /// Median speed of the slowest touching point, m/s.
    pub median: f64,
    /// Mean of the same, m/s.
    pub mean: f64,
    /// Median way of that point over a contact, m.
    pub drift: f64,
}

/// Measures the skate of a clip by where its skeleton puts heel, ball and toes. A foot that rolls without slipping has a
/// point at rest at any moment, so of the points that touch the slowest counts.
pub fn skate(clip: &Clip, skeleton: &Skeleton) -> Skate {
    let shape = &skeleton.foot;
    let points = |i: usize| {
        let placed = skeleton.place(&clip.frames[i].pose);
        [0, 1].map(|side| {
            let (ankle, ball) = (HIP[side] + 2, HIP[side] + 3);
            let down = -shape.ankle_height as f32;
            let heel = Vec3::new((shape.heel - shape.ankle) as f32, down, 0.0);
            let toe: Quat = placed.rotations[ball];
            [
                placed.positions[ankle] + placed.rotations[ankle] * heel,
                placed.positions[ball],
                placed.positions[ball] + toe * (Vec3::X * (shape.toe - shape.ball) as f32),
            ]
        })
    };
    let (mut speeds, mut drifts) = (Vec::new(), Vec::new());
    let all: Vec<[[Vec3; 3]; 2]> = (0..clip.frames.len()).map(points).collect();
    for side in 0..2 {
        for (first, end) in runs(clip.frames.iter().map(|f| f.contacts[side].contains(&true))) {
            let mut way = DVec3::ZERO;
            for i in first..end.saturating_sub(1) {
                let (a, b) = (clip.frames[i].contacts[side], clip.frames[i + 1].contacts[side]);
                let touches = [a[0] && b[0], a[1] && b[1], a[1] && b[1]];
                let moved = |k: usize| (all[i + 1][side][k] - all[i][side][k]).with_y(0.0).as_dvec3();
                // Between heel only and toes only anything may touch.
                let any = touches.contains(&true);
                let slowest = (0..3)
                    .filter(|&k| touches[k] || !any)
                    .map(moved)
                    .min_by(|p, q| p.length_squared().total_cmp(&q.length_squared()));
                let Some(slowest) = slowest else { continue };
                speeds.push(slowest.length() / clip.dt);
                way += slowest;
            }
            drifts.push(way.length());
        }
    }
    let median = |v: &mut Vec<f64>| {
        v.sort_unstable_by(f64::total_cmp);
        v.get(v.len() / 2).copied().unwrap_or(0.0)
    };
    let mean = speeds.iter().sum::<f64>() / speeds.len().max(1) as f64;
    Skate { median: median(&mut speeds), mean, drift: median(&mut drifts) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clips::Kind;
    use crate::gait::{Gait, Rig, Style, Track};
    use crate::imported::leg_change;
    use crate::params::body::Body;

    fn walk(speed: f64) -> (Rig, Clip) {
        let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
        let clip = Clip::sample(Kind::Walk, &Gait::new(&rig, Track::straight(speed), 6.0), 6.0, 120.0);
        (rig, clip)
    }

    #[test]
    fn a_skating_walk_is_cleaned_and_its_angles_stay() {
        for speed in [0.8, 1.3, 1.8] {
            let (rig, clip) = walk(speed);
            let mut draft = clip.draft(&rig.skeleton);
            // Slides like recorded motion at its worst: 6 cm/s, to and fro, forward and to the side, and a floor that is off.
            for (i, m) in draft.moments.iter_mut().enumerate() {
                let t = i as f64 * clip.dt;
                for (side, foot) in m.feet.iter_mut().enumerate() {
                    let s = side as f64;
                    foot.middle.x += 0.012 * libm::sin(7.0 * t + s);
                    foot.middle.z += 0.008 * libm::sin(9.0 * t + 2.0 * s);
                    foot.middle.y += 0.01 * libm::sin(5.0 * t);
                    foot.heading += 0.04 * libm::sin(3.0 * t);
                    foot.pitch += 0.03 * libm::sin(11.0 * t + s);
                }
            }
            let dirty = draft.solve(&rig.skeleton, Kind::Walk);
            draft.lock(&rig.skeleton.foot);
            draft.make_room(&rig.skeleton);
            let clean = draft.solve(&rig.skeleton, Kind::Walk);
            let (before, after) = (skate(&dirty, &rig.skeleton), skate(&clean, &rig.skeleton));
            assert!(before.median > 0.03, "{before:?}");
            assert!(after.median < 0.001 && after.drift < 5e-4, "{speed} m/s: {after:?}");
            let change = leg_change(&dirty, &clean).to_degrees();
            assert!(change < 3.0, "{speed} m/s: joints turn by {change}°");
            let lowest = draft
                .moments
                .iter()
                .flat_map(|m| m.feet.map(|f| f.clearance(&rig.skeleton.foot, &Ground::default())))
                .fold(f64::MAX, f64::min);
            assert!(lowest > -1e-9, "a sole {lowest} m below the ground");
        }
    }

    #[test]
    fn a_clean_walk_stays_as_it_is() {
        let (rig, clip) = walk(1.3);
        let mut draft = clip.draft(&rig.skeleton);
        draft.lock(&rig.skeleton.foot);
        draft.make_room(&rig.skeleton);
        let again = draft.solve(&rig.skeleton, Kind::Walk);
        assert!(leg_change(&clip, &again).to_degrees() < 0.6, "{}", leg_change(&clip, &again).to_degrees());
        assert!(skate(&clip, &rig.skeleton).median < 0.001, "{:?}", skate(&clip, &rig.skeleton));
    }

    #[test]
    fn a_foot_that_turns_while_it_stands_turns_on_its_ball() {
        let (rig, clip) = walk(1.3);
        let mut draft = clip.draft(&rig.skeleton);
        let stances = runs(draft.moments.iter().map(|m| m.contacts[0].contains(&true)));
        let (first, end) = stances[1];
        for i in first..end {
            let u = (i - first) as f64 / (end - first) as f64;
            draft.moments[i].feet[0].heading += u;
        }
        draft.lock(&rig.skeleton.foot);
        let ball =
            |m: &Moment| m.feet[0].point(rig.skeleton.foot.ball, &rig.skeleton.foot, &Ground::default());
        // Pitched by less than this, its ball is at most 0.4 mm above the ground.
        let flat: Vec<&Moment> =
            draft.moments[first..end].iter().filter(|m| m.feet[0].pitch.abs() < 0.002).collect();
        assert!(flat.len() > 10);
        assert!(flat.windows(2).all(|w| ball(w[0]).distance(ball(w[1])) < 5e-4));
        assert!(wrap(flat[flat.len() - 1].feet[0].heading - flat[0].feet[0].heading) > 0.3, "it still turns");
    }

    #[test]
    fn a_moment_in_the_air_is_no_step_and_toes_that_brush_the_ground_are_no_stance() {
        let (rig, clip) = walk(1.3);
        let stances = |d: &Draft| runs(d.moments.iter().map(|m| m.contacts[1].contains(&true)));
        let clean = clip.draft(&rig.skeleton);
        let (first, end) = stances(&clean)[1];
        let middle = (first + end) / 2;
        let mut draft = clean.clone();
        draft.moments[middle..middle + 4].iter_mut().for_each(|m| m.contacts[1] = [false; 2]);
        draft.moments[end + 4..end + 10].iter_mut().for_each(|m| m.contacts[1] = [false, true]);
        assert_eq!(stances(&draft).len(), stances(&clean).len() + 2);
        draft.lock(&rig.skeleton.foot);
        assert_eq!(stances(&draft), stances(&clean));
    }

    #[test]
    fn no_contact_and_no_frame_are_left_alone() {
        let (rig, clip) = walk(1.3);
        let mut draft = clip.draft(&rig.skeleton);
        draft.moments.iter_mut().for_each(|m| m.contacts = [[false; 2]; 2]);
        draft.lock(&rig.skeleton.foot);
        assert!(
            draft
                .moments
                .iter()
                .zip(&clip.frames)
                .all(|(m, f)| { (m.feet[0].middle - f.soles[0].position.as_dvec3()).length() < 1e-3 })
        );
        let mut none = Draft { dt: 0.01, moments: vec![] };
        none.lock(&rig.skeleton.foot);
        none.make_room(&rig.skeleton);
        assert!(none.solve(&rig.skeleton, Kind::Idle).frames.is_empty());
    }
}
