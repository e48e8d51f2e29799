//! Motion from elsewhere on its way to a clip: how trunk and arms are held, where the feet are.
//!
//! In: a draft of moments, recorded or retargeted. Out: a [`Clip`] of a skeleton. Legs are laid by inverse kinematics; the
//! pelvis sinks smoothly where a leg would be too short; loads and root follow. Feet are locked by [`super::lock`].

use crate::body::{FootPose, Ground, HIP, JOINTS, Pose, STRAIGHTEST, Skeleton, bone, reach, two_bone};
use crate::clips::{Clip, Kind, force};
use crate::gait::Frame;
use crate::math::{direction, wrap};
use crate::pose::SolePose;
use glam::{DQuat, DVec2, DVec3, Quat, Vec3};

/// One moment. The ground is the plane y = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Middle between the hip joints, m.
    pub root: DVec3,
    /// Rotation of the pelvis in the world.
    pub pelvis: Quat,
    /// Local rotations of the joints from spine to right wrist.
    pub upper: [Quat; 10],
    /// Soles, left and right.
    pub feet: [FootPose; 2],
    /// Where the knees point, left and right; any length.
    pub knees: [Vec3; 2],
    /// Whether heel and toes touch the ground, left and right.
    pub contacts: [[bool; 2]; 2],
}

/// A motion at even times.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Time between moments, s.
    pub dt: f64,
    /// The moments.
    pub moments: Vec<Moment>,
}

/// How far to either side a lowering of the pelvis is spread, s: our choice, as in the generator.
const SPREAD: f64 = 1.0 / 6.0;
/// The pelvis is never lowered by more than this share of the leg: a foot beyond that is not reached.
const LOWEST: f64 = 0.25;
/// Root path: pelvis smoothed over this, s. Takes out the sway and bounce of steps, our choice.
const ROOT: f64 = 0.25;

impl Draft {
    /// Lowers the pelvis wherever a leg of `skeleton` would be too short.
    pub fn make_room(&mut self, skeleton: &Skeleton) {
        let (thigh, shank) = skeleton.leg();
        let longest = f64::from(reach(thigh, shank, STRAIGHTEST));
        let short: Vec<f64> = self
            .moments
            .iter()
            .map(|m| {
                let need = [0, 1].map(|side| {
                    let hip = m.root + (m.pelvis * skeleton.offsets[HIP[side]]).as_dvec3();
                    let ankle = m.feet[side].ankle(&skeleton.foot, &Ground::default());
                    let flat = hip - ankle;
                    let across = flat.x * flat.x + flat.z * flat.z;
                    hip.y - ankle.y - (longest * longest - across).max(0.0).sqrt()
                });
                need[0].max(need[1]).clamp(0.0, LOWEST * longest)
            })
            .collect();
        if short.iter().all(|&s| s <= 0.0) {
            return;
        }
        let n = short.len();
        let wide = (SPREAD / self.dt).round().max(1.0) as usize;
        let around = |i: usize| i.saturating_sub(wide)..(i + wide + 1).min(n);
        let most: Vec<f64> =
            (0..n).map(|i| short[around(i)].iter().fold(0.0, |a: f64, &b| a.max(b))).collect();
        for i in 0..n {
            let (mut sum, mut all) = (0.0, 0.0);
            for k in around(i) {
                let x = (k as f64 - i as f64) / (wide + 1) as f64;
                let w = 1.0 + libm::cos(std::f64::consts::PI * x);
                sum += w * most[k];
                all += w;
            }
            self.moments[i].root.y -= sum / all;
        }
    }

    /// The clip of `skeleton` that shows this motion.
    pub fn solve(&self, skeleton: &Skeleton, kind: Kind) -> Clip {
        let mut frames: Vec<Frame> = self.moments.iter().map(|m| posed(skeleton, m)).collect();
        self.move_soles(&mut frames);
        let contacts: Vec<force::Contact> = frames.iter().map(|f| f.contacts).collect();
        for (frame, share) in frames.iter_mut().zip(force::shares(&contacts, self.dt)) {
            frame.load = share.map(|x| x as f32);
        }
        for (frame, clock) in frames.iter_mut().zip(force::clocks(&contacts, self.dt)) {
            frame.clock = clock;
        }
        let roots = self.roots();
        let mut clip = Clip {
            kind,
            speed: 0.0,
            yaw_rate: 0.0,
            slope: 0.0,
            period: 0.0,
            reaction: None,
            dt: self.dt,
            frames,
            roots,
        };
        let (speed, yaw_rate) = clip.mean_motion();
        (clip.speed, clip.yaw_rate) = (speed, yaw_rate);
        clip
    }

    /// How soles move, from where they are in the frames before and after.
    fn move_soles(&self, frames: &mut [Frame]) {
        let n = frames.len();
        for i in 0..n {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
            if a == b {
                continue;
            }
            let time = (b - a) as f64 * self.dt;
            for side in 0..2 {
                let (p, q) = (&self.moments[a].feet[side], &self.moments[b].feet[side]);
                let (from, to) = (p.rotation(&Ground::default()), q.rotation(&Ground::default()));
                let turn = (to * from.conjugate()).normalize();
                let turn = if turn.w < 0.0 { -turn } else { turn };
                let sole = &mut frames[i].soles[side];
                sole.velocity = ((q.middle - p.middle) / time).as_vec3();
                sole.spin = (DVec3::new(turn.x, turn.y, turn.z) * (2.0 / time)).as_vec3();
            }
        }
    }

    /// Root of each frame: the pelvis without its sway, bounce and twist.
    pub fn roots(&self) -> Vec<[f32; 3]> {
        let mut heading = 0.0;
        let mut path: Vec<DVec3> = Vec::with_capacity(self.moments.len());
        for (i, m) in self.moments.iter().enumerate() {
            let ahead = m.pelvis * Vec3::X;
            let new = libm::atan2(f64::from(ahead.z), f64::from(ahead.x));
            // Without jumps by whole turns, so that it can be smoothed.
            let turns = (new - heading) / std::f64::consts::TAU;
            heading = if i == 0 { new } else { heading + (turns - turns.round()) * std::f64::consts::TAU };
            path.push(DVec3::new(m.root.x, heading, m.root.z));
        }
        let path = smoothed(&path, ROOT / self.dt);
        path.iter().map(|p| [p.x as f32, p.z as f32, p.y as f32]).collect()
    }
}

/// A path smoothed over `sigma` frames: at each frame the line that fits its neighbours best, nearer ones counting more. Even
/// motion stays even, to the ends.
pub(super) fn smoothed(path: &[DVec3], sigma: f64) -> Vec<DVec3> {
    let n = path.len();
    if n < 3 {
        return path.to_vec();
    }
    let wide = ((3.0 * sigma).ceil() as usize).max(1);
    let weights: Vec<f64> =
        (0..=wide).map(|k| libm::exp(-0.5 * (k * k) as f64 / (sigma * sigma).max(1e-9))).collect();
    (0..n)
        .map(|i| {
            let (mut all, mut first, mut second) = (0.0, 0.0, 0.0);
            let (mut sum, mut moment) = (DVec3::ZERO, DVec3::ZERO);
            for k in i.saturating_sub(wide)..(i + wide + 1).min(n) {
                let (x, w) = (k as f64 - i as f64, weights[k.abs_diff(i)]);
                all += w;
                first += w * x;
                second += w * x * x;
                sum += path[k] * w;
                moment += path[k] * (w * x);
            }
            let whole = all * second - first * first;
            if whole > 1e-9 { (sum * second - moment * first) / whole } else { path[i] }
        })
        .collect()
}

impl Clip {
    /// Mean speed, m/s, and turning, rad/s, of its root.
    pub fn mean_motion(&self) -> (f32, f32) {
        let time = (self.roots.len().saturating_sub(1) as f64 * self.dt).max(1e-9);
        let (mut way, mut turn) = (0.0, 0.0);
        for pair in self.roots.windows(2) {
            let [dx, dz] = [0, 1].map(|k| f64::from(pair[1][k] - pair[0][k]));
            way += (dx * dx + dz * dz).sqrt();
            turn += f64::from(wrap(pair[1][2] - pair[0][2]));
        }
        ((way / time) as f32, (turn / time) as f32)
    }
}

/// A frame from a moment: legs by inverse kinematics.
fn posed(skeleton: &Skeleton, m: &Moment) -> Frame {
    // Near the origin numbers are finest; the body is posed there and carried to its place.
    let origin = DVec3::new(m.root.x, 0.0, m.root.z);
    let root = (m.root - origin).as_vec3();
    let (thigh, shank) = skeleton.leg();
    let mut pose = Pose { root, rotations: [Quat::IDENTITY; JOINTS] };
    pose.rotations[0] = m.pelvis;
    pose.rotations[1..=10].copy_from_slice(&m.upper);
    let ground = Ground::default();
    let turns = m.feet.map(|f| f.rotation(&ground).as_quat());
    for side in 0..2 {
        let h = HIP[side];
        let hip = root + m.pelvis * skeleton.offsets[h];
        let ankle = (m.feet[side].ankle(&skeleton.foot, &ground) - origin).as_vec3();
        let bend = two_bone(hip, ankle, thigh, shank, m.knees[side]);
        let upper = bone(hip, bend.knee, bend.axis);
        // Towards the foot, also where it cannot be reached.
        let lower = bone(bend.knee, ankle, bend.axis);
        pose.rotations[h] = m.pelvis.conjugate() * upper;
        pose.rotations[h + 1] = upper.conjugate() * lower;
        pose.rotations[h + 2] = lower.conjugate() * turns[side];
        pose.rotations[h + 3] = Quat::from_rotation_z(m.feet[side].bend as f32);
    }
    let shift = origin.as_vec3();
    let centre = skeleton.centre(&skeleton.place(&pose)) + shift;
    pose.root += shift;
    let soles = [0, 1].map(|side| SolePose {
        position: m.feet[side].middle.as_vec3(),
        rotation: turns[side],
        toe_bend: m.feet[side].bend as f32,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
    });
    Frame { pose, soles, contacts: m.contacts, load: [0.0; 2], clock: [0.0; 2], tilt: None, centre }
}

/// Mean change of the angles of hips, knees, ankles and balls between two clips of the same length, rad.
pub fn leg_change(a: &Clip, b: &Clip) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for (p, q) in a.frames.iter().zip(&b.frames) {
        for j in HIP[0]..JOINTS {
            let dot =
                p.pose.rotations[j].as_dquat().normalize().dot(q.pose.rotations[j].as_dquat().normalize());
            sum += 2.0 * libm::acos(dot.abs().min(1.0));
            count += 1;
        }
    }
    sum / count.max(1) as f64
}

impl Clip {
    /// The draft that this clip would come from: level ground, feet as its soles are.
    pub fn draft(&self, skeleton: &Skeleton) -> Draft {
        let moments = self
            .frames
            .iter()
            .map(|f| {
                let placed = skeleton.place(&f.pose);
                let mut upper = [Quat::IDENTITY; 10];
                upper.copy_from_slice(&f.pose.rotations[1..=10]);
                Moment {
                    root: f.pose.root.as_dvec3(),
                    pelvis: f.pose.rotations[0],
                    upper,
                    feet: [0, 1].map(|side| foot_pose(&f.soles[side])),
                    knees: [0, 1].map(|side| placed.rotations[HIP[side]] * Vec3::X),
                    contacts: f.contacts,
                }
            })
            .collect();
        Draft { dt: self.dt, moments }
    }
}

/// A sole as a foot on level ground; what it leans to the side is left out.
fn foot_pose(sole: &SolePose) -> FootPose {
    let turn: DQuat = sole.rotation.as_dquat();
    let (pitch, heading) = pitch_and_heading(turn);
    FootPose { middle: sole.position.as_dvec3(), heading, pitch, bend: f64::from(sole.toe_bend) }
}

/// Pitch, toes up positive, and heading of a foot on level ground, rad.
pub fn pitch_and_heading(turn: DQuat) -> (f64, f64) {
    let (ahead, right) = (turn * DVec3::X, turn * DVec3::Z);
    // Along the ground, also when the foot points steeply down: what is at right angles to its own right.
    let along = DVec3::Y.cross(right);
    let along = if along.length_squared() > 1e-6 { along } else { ahead };
    (libm::asin(ahead.y.clamp(-1.0, 1.0)), libm::atan2(along.z, along.x))
}

/// The direction of a heading on level ground.
pub(super) fn ahead(heading: f64) -> DVec3 {
    let d: DVec2 = direction(heading);
    DVec3::new(d.x, 0.0, d.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gait::{Gait, Rig, Style, Track};
    use crate::params::body::Body;

    #[test]
    fn a_generated_walk_comes_back_from_its_draft() {
        let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
        let clip = Clip::sample(Kind::Walk, &Gait::new(&rig, Track::straight(1.3), 4.0), 4.0, 60.0);
        let again = clip.draft(&rig.skeleton).solve(&rig.skeleton, Kind::Walk);
        assert!(leg_change(&clip, &again).to_degrees() < 0.2, "{}", leg_change(&clip, &again).to_degrees());
        for (a, b) in clip.frames.iter().zip(&again.frames) {
            assert!((a.centre - b.centre).length() < 1e-3, "{:?} {:?}", a.centre, b.centre);
        }
        assert!((again.speed - 1.3).abs() < 0.01, "{}", again.speed);
        // The root of the generator is a straight line; ours is one but for what is left of the sway.
        for (i, (a, b)) in clip.roots.iter().zip(&again.roots).enumerate() {
            let ends = if (45..195).contains(&i) { 1.0 } else { 3.0 };
            assert!((a[1] - b[1]).abs() < 0.012 * ends, "{i}: {a:?} {b:?}");
            assert!((a[2] - b[2]).abs() < 0.03 * ends, "{i}: {a:?} {b:?}");
        }
    }

    #[test]
    fn a_leg_too_short_lowers_the_pelvis_smoothly() {
        let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
        let clip = Clip::sample(Kind::Walk, &Gait::new(&rig, Track::straight(1.3), 3.0), 3.0, 60.0);
        let mut draft = clip.draft(&rig.skeleton);
        for m in &mut draft.moments[90..95] {
            m.root.y += 0.05;
        }
        let before = draft.clone();
        draft.make_room(&rig.skeleton);
        let solved = draft.solve(&rig.skeleton, Kind::Walk);
        for (i, m) in draft.moments.iter().enumerate() {
            for side in 0..2 {
                let placed = rig.skeleton.place(&solved.frames[i].pose);
                let ankle = m.feet[side].ankle(&rig.skeleton.foot, &Ground::default()).as_vec3();
                assert!((placed.positions[HIP[side] + 2] - ankle).length() < 2e-3, "frame {i}");
            }
        }
        let moved = |i: usize| before.moments[i].root.y - draft.moments[i].root.y;
        assert!((1..180).all(|i| (moved(i) - moved(i - 1)).abs() < 0.012));
    }

    #[test]
    fn smoothing_keeps_even_motion_even_to_the_ends() {
        let path: Vec<DVec3> = (0..50).map(|i| DVec3::new(f64::from(i), 2.0, -0.5 * f64::from(i))).collect();
        for (a, b) in path.iter().zip(smoothed(&path, 9.0)) {
            assert!((*a - b).length() < 1e-9);
        }
        assert_eq!(smoothed(&path[..1], 4.0), path[..1]);
    }
}
