//! From a file's motion to our clips: sampled, put on the ground, its contacts found, laid on any skeleton.
//!
//! In: a mapped body. Out: drafts and clips at the database's rate. The root is scaled by the length of the legs, feet keep
//! their pitch and heading, and what they stand on is re-planted by [`trample::imported::lock`].

use super::part::{Limb, Mapping, PARTS, Part};
use super::snapshot::{Offsets, Snapshot, flat_foot, mean_turn};
use super::source::{Curve, Layout, Local, Motion, Source, Take};
use super::space::Space;
use super::travel;
use rayon::prelude::*;
use trample::body::{FootPose, FootShape, Ground, HIP, JOINTS, Joint, PARENT, Skeleton, rolled};
use trample::glam::{DVec3, Quat, Vec3};
use trample::imported::contacts::Rule;
use trample::imported::{Draft, Moment, contacts, pitch_and_heading};

/// What is needed to read the motion of a body.
pub(super) struct Reading<'a> {
    pub(super) source: &'a Source,
    pub(super) mapping: &'a Mapping,
    pub(super) space: &'a Space,
}

/// Only the joints that matter: those of parts and what they hang from.
struct Needed<'a> {
    joints: Vec<usize>,
    curves: Vec<&'a Curve>,
}

impl Reading<'_> {
    fn needed<'a>(&self, take: &'a Take) -> Needed<'a> {
        let mut needed = vec![false; self.source.joints.len()];
        for joint in self.mapping.found.iter().flatten().map(|f| f.joint) {
            let mut at = Some(joint);
            while let Some(j) = at.filter(|&j| !needed[j]) {
                needed[j] = true;
                at = self.source.joints[j].parent;
            }
        }
        let curves = match &take.motion {
            Motion::Curves(curves) => curves.iter().filter(|c| needed[c.joint]).collect(),
            Motion::Rows { .. } => Vec::new(),
        };
        Needed { joints: (0..needed.len()).filter(|&j| needed[j]).collect(), curves }
    }

    /// The body at every `1 / rate` s of a take, from frame `first` on.
    pub(super) fn sample(&self, take: &Take, first: usize, rate: f64) -> Vec<Snapshot> {
        let frames = take.frames.saturating_sub(first);
        if frames == 0 {
            return Vec::new();
        }
        let count = ((frames - 1) as f64 * take.dt * rate + 1e-6).floor() as usize + 1;
        let needed = self.needed(take);
        let n = self.source.joints.len();
        let blank = || {
            (
                vec![Local::default(); n],
                Layout {
                    places: vec![Vec3::ZERO; n],
                    turns: vec![Quat::IDENTITY; n],
                    scales: vec![Vec3::ONE; n],
                },
            )
        };
        (0..count)
            .into_par_iter()
            .with_min_len(64)
            .map_init(blank, |(locals, layout), i| {
                let at = i as f64 / rate / take.dt;
                let frame = (at + 1e-6).floor() as usize;
                let t = (at - frame as f64) as f32;
                let a = self.snapshot(take, first + frame, &needed, locals, layout);
                if t < 1e-4 || first + frame + 1 >= take.frames {
                    return a;
                }
                let b = self.snapshot(take, first + frame + 1, &needed, locals, layout);
                a.towards(&b, t)
            })
            .collect()
    }

    fn snapshot(
        &self,
        take: &Take,
        frame: usize,
        needed: &Needed<'_>,
        locals: &mut [Local],
        layout: &mut Layout,
    ) -> Snapshot {
        for &j in &needed.joints {
            locals[j] = self.source.local(take, frame, j);
        }
        let time = take.time(frame);
        for curve in &needed.curves {
            curve.write(time, &mut locals[curve.joint]);
        }
        for &j in &needed.joints {
            let local = &locals[j];
            let (place, turn, scale) = match self.source.joints[j].parent {
                Some(p) => (
                    layout.places[p] + layout.turns[p] * (layout.scales[p] * local.translation),
                    layout.turns[p] * local.rotation,
                    layout.scales[p] * local.scale,
                ),
                None => (local.translation, local.rotation, local.scale),
            };
            (layout.places[j], layout.turns[j], layout.scales[j]) = (place, turn, scale);
        }
        Snapshot::new(self.source, self.mapping, self.space, layout)
    }
}

/// Gives a motion that walks on the spot the travel it lacks; the speed of that, m/s. `leg` is the body's, m.
pub(super) fn let_go(snapshots: &mut [Snapshot], mapping: &Mapping, leg: f32, dt: f64) -> Option<f32> {
    // A foot that rolls stands on its heel first and on its ball last.
    let points = [Limb::Ankle, Limb::Ball].into_iter().flat_map(|limb| [(limb, 0), (limb, 1)]);
    let mut feet: Vec<Vec<Vec3>> = points
        .filter(|(limb, side)| mapping.limb(*limb, *side).is_some())
        .map(|(limb, side)| snapshots.iter().map(|s| s.at(limb, side)).collect())
        .collect();
    // Feet without toe joints leave the ground over their ends.
    let stiff = (0..2).filter(|side| mapping.limb(Limb::Ball, *side).is_none());
    feet.extend(
        stiff.filter_map(|side| snapshots.iter().map(|s| s.tips[side]).collect::<Option<Vec<Vec3>>>()),
    );
    let body: Vec<Vec3> = snapshots.iter().map(Snapshot::hips).collect();
    let travel = travel::missing(&feet, &body, leg, dt)?;
    for (snapshot, shift) in snapshots.iter_mut().zip(&travel) {
        snapshot.places.iter_mut().for_each(|p| *p += *shift);
        snapshot.tips.iter_mut().flatten().for_each(|p| *p += *shift);
    }
    Some(travel::speed(&travel, dt))
}

/// Lengths of a body as its file has it, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measures {
    pub(super) thigh: f32,
    pub(super) shank: f32,
    /// Ankle joint above the sole.
    pub(super) ankle_height: f32,
}

/// A motion on the ground: snapshots, feet, contacts.
pub(super) struct Grounded {
    snapshots: Vec<Snapshot>,
    /// Height of the ankles when the feet lie flat, m.
    ankle_level: f32,
    /// Contacts of heel and toes, left and right.
    pub(super) contacts: Vec<[[bool; 2]; 2]>,
    dt: f64,
}

/// Rotation of our foot at a snapshot.
fn foot_turn(snapshot: &Snapshot, offsets: &Offsets, side: usize) -> Quat {
    let i = Limb::Ankle.on(side) as usize;
    (snapshot.turns[i] * offsets.0[i]).normalize()
}

/// Whether the ankles are slow and low, frame by frame: then the foot most likely lies flat. Also the level they are at.
fn resting(snapshots: &[Snapshot], side: usize, dt: f64, rule: &Rule) -> (Vec<usize>, f32) {
    let track: Vec<Vec3> = snapshots.iter().map(|s| s.at(Limb::Ankle, side)).collect();
    let level = contacts::level(&[&track], dt, rule);
    let speeds = contacts::speeds(&track, dt);
    let slow = 0.5 * rule.slow;
    let calm = (0..track.len()).filter(|&i| speeds[i] < slow && (track[i].y - level).abs() < 0.6 * rule.low);
    (calm.collect(), level)
}

impl Offsets {
    /// Feet as they lie when they stand: where the rest pose has them on tiptoe or says nothing. Changes nothing where the
    /// reference is within `trust` rad of that already.
    pub(super) fn level_feet(
        &mut self,
        snapshots: &[Snapshot],
        mapping: &Mapping,
        dt: f64,
        rule: &Rule,
        trust: f32,
    ) -> bool {
        let mut changed = false;
        for side in 0..2 {
            let (calm, _) = resting(snapshots, side, dt, rule);
            if calm.len() < 5 {
                continue;
            }
            let (ankle, ball) = (Limb::Ankle.on(side) as usize, Limb::Ball.on(side) as usize);
            let flats: Vec<(Quat, Quat)> = calm
                .iter()
                .filter_map(|&i| {
                    let s = &snapshots[i];
                    let flat = flat_foot(s, mapping, side, Vec3::Y)?;
                    Some((s.turns[ankle].conjugate() * flat, s.turns[ball].conjugate() * flat))
                })
                .collect();
            let Some(&(near, near_ball)) = flats.get(flats.len() / 2) else { continue };
            let foot = mean_turn(near, flats.iter().map(|f| f.0));
            let toes = mean_turn(near_ball, flats.iter().map(|f| f.1));
            let off = |a: Quat, b: Quat| 2.0 * libm::acosf(a.dot(b).abs().min(1.0));
            if off(foot, self.0[ankle]) > trust {
                (self.0[ankle], self.0[ball]) = (foot, toes);
                changed = true;
            }
        }
        changed
    }
}

/// A foot whose heel is higher than this has left the ground, rad: people's do at 55° to 70°.
const STEEPEST: f64 = -1.2;
/// Finds ground and contacts of sampled motion. `foot` is the shape of the file's own feet.
pub(super) fn ground(
    snapshots: Vec<Snapshot>,
    offsets: &Offsets,
    measures: &Measures,
    foot: &FootShape,
    dt: f64,
) -> Grounded {
    let rule = Rule::for_leg(measures.thigh + measures.shank);
    let levels: Vec<f32> = (0..2).map(|side| resting(&snapshots, side, dt, &rule).1).collect();
    let ankle_level = levels.iter().sum::<f32>() / 2.0;
    let mut grounded =
        Grounded { contacts: vec![[[false; 2]; 2]; snapshots.len()], snapshots, ankle_level, dt };
    for side in 0..2 {
        let feet: Vec<FootPose> =
            (0..grounded.snapshots.len()).map(|i| grounded.foot(i, side, offsets, None, 1.0, foot)).collect();
        let track = |u: f64| -> Vec<Vec3> {
            feet.iter().map(|f| f.point(u, foot, &Ground::default()).as_vec3()).collect()
        };
        // A foot leaves the ground over the tips of its toes, when the ball is already in the air.
        for (part, u) in [(0, foot.heel), (1, foot.ball), (1, foot.toe)] {
            let found = contacts::find(&track(u), dt, 0.0, &rule);
            for (contact, on) in grounded.contacts.iter_mut().zip(found) {
                contact[side][part] |= on;
            }
        }
        for (contact, foot) in grounded.contacts.iter_mut().zip(&feet) {
            contact[side] = contact[side].map(|on| on && foot.pitch > STEEPEST);
        }
    }
    grounded
}

impl Grounded {
    /// A foot on our ground, of a body `scale` times as large.
    fn foot(
        &self,
        i: usize,
        side: usize,
        offsets: &Offsets,
        toes: Option<usize>,
        scale: f32,
        shape: &FootShape,
    ) -> FootPose {
        let s = &self.snapshots[i];
        let turn = foot_turn(s, offsets, side);
        let (pitch, heading) = pitch_and_heading(turn.as_dquat());
        let bend = match toes {
            Some(ball) => {
                let rest = turn.conjugate() * s.turns[ball] * offsets.0[ball];
                let rest = if rest.w < 0.0 { -rest } else { rest };
                f64::from(2.0 * libm::atan2f(rest.z, rest.w)).clamp(-0.5, 1.2)
            }
            // Toes that are made up bend as those of a foot that rolls.
            None => rolled(DVec3::ZERO, heading, pitch, true, shape, &Ground::default()).bend,
        };
        let ankle = s.at(Limb::Ankle, side);
        let rise = f64::from(scale * (ankle.y - self.ankle_level)) + shape.ankle_height;
        let at = DVec3::new(f64::from(scale * ankle.x), rise, f64::from(scale * ankle.z));
        FootPose::below(at, heading, pitch, bend, shape, &Ground::default())
    }

    /// The draft for a skeleton: scaled by the legs, moved to the origin.
    pub(super) fn draft(
        &self,
        skeleton: &Skeleton,
        offsets: &Offsets,
        mapping: &Mapping,
        measures: &Measures,
    ) -> Draft {
        let (thigh, shank) = skeleton.leg();
        let scale = (thigh + shank) / (measures.thigh + measures.shank);
        let start = self.snapshots.first().map_or(Vec3::ZERO, Snapshot::hips) * scale;
        let start = DVec3::new(f64::from(start.x), 0.0, f64::from(start.z));
        let moments = (0..self.snapshots.len())
            .into_par_iter()
            .with_min_len(256)
            .map(|i| {
                let s = &self.snapshots[i];
                let (pelvis, upper) = trunk(s, offsets, mapping);
                let feet = [0, 1].map(|side| {
                    let toes = mapping.limb(Limb::Ball, side).map(|_| Limb::Ball.on(side) as usize);
                    let mut foot = self.foot(i, side, offsets, toes, scale, &skeleton.foot);
                    foot.middle -= start;
                    foot
                });
                let hips = s.hips() * scale;
                let rise = f64::from(scale * (s.hips().y - self.ankle_level)) + skeleton.foot.ankle_height;
                // Hip joints may lie above or below the middle of ours; ours is exactly between them.
                let middle = 0.5 * (skeleton.offsets[HIP[0]] + skeleton.offsets[HIP[1]]);
                let root = DVec3::new(f64::from(hips.x), rise, f64::from(hips.z))
                    - start
                    - (pelvis * middle).as_dvec3();
                Moment { root, pelvis, upper, feet, knees: knees(s, offsets), contacts: self.contacts[i] }
            })
            .collect();
        Draft { dt: self.dt, moments }
    }
}

/// Rotation of the pelvis in the world, and local ones from spine to right wrist.
fn trunk(s: &Snapshot, offsets: &Offsets, mapping: &Mapping) -> (Quat, [Quat; 10]) {
    let own = |part: Part| {
        let i = part as usize;
        mapping.found[i].map(|_| (s.turns[i] * offsets.0[i]).normalize())
    };
    let parts: [(Joint, Part); 10] = [
        (Joint::Spine, Part::Spine),
        (Joint::Chest, Part::Chest),
        (Joint::Neck, Part::Neck),
        (Joint::Head, Part::Head),
        (Joint::LeftShoulder, Part::LeftShoulder),
        (Joint::LeftElbow, Part::LeftElbow),
        (Joint::LeftWrist, Part::LeftWrist),
        (Joint::RightShoulder, Part::RightShoulder),
        (Joint::RightElbow, Part::RightElbow),
        (Joint::RightWrist, Part::RightWrist),
    ];
    let pelvis = own(Part::Pelvis).unwrap_or(Quat::IDENTITY);
    let mut world = [pelvis; JOINTS];
    let mut upper = [Quat::IDENTITY; 10];
    for (k, (joint, part)) in parts.into_iter().enumerate() {
        let parent = world[PARENT[joint as usize]];
        let turn = match own(part) {
            Some(turn) => turn,
            // A back of one joint bends half in its middle.
            None if part == Part::Spine => own(Part::Chest).map_or(parent, |chest| parent.slerp(chest, 0.5)),
            None => parent,
        };
        world[joint as usize] = turn;
        upper[k] = (parent.conjugate() * turn).normalize();
    }
    (pelvis, upper)
}

/// Where the knees point: out of the line from hip to ankle, or where the thigh's front is when they are straight.
fn knees(s: &Snapshot, offsets: &Offsets) -> [Vec3; 2] {
    [0, 1].map(|side| {
        let (hip, knee, ankle) = (s.at(Limb::Hip, side), s.at(Limb::Knee, side), s.at(Limb::Ankle, side));
        let along = (ankle - hip).normalize_or(Vec3::NEG_Y);
        let out = (knee - hip) - (knee - hip).dot(along) * along;
        let i = Limb::Hip.on(side) as usize;
        let front = (s.turns[i] * offsets.0[i]).normalize() * Vec3::X;
        // From 1 % to 4 % of the leg the bend takes over.
        let size = out.length() / hip.distance(ankle).max(1e-6);
        let weight = ((size - 0.01) / 0.03).clamp(0.0, 1.0);
        let weight = weight * weight * (3.0 - 2.0 * weight);
        front * (1.0 - weight) + out.normalize_or_zero() * weight
    })
}

/// The reference from which offsets are taken: the rest pose if the body stands in it, else its most upright moments.
pub(super) fn reference(rest: &Snapshot, moving: &[Snapshot], mapping: &Mapping) -> Option<(Offsets, bool)> {
    let (straight, up) = rest.upright(mapping);
    if straight > UPRIGHT {
        // Nearly along an axis is along it.
        let axis = super::topology::snapped(up);
        let up = if axis.dot(up) > 0.97 { axis } else { up };
        if let Some(offsets) = Offsets::of(rest, mapping, up) {
            return Some((offsets, true));
        }
    }
    let score = |s: &Snapshot| {
        let (straight, up) = s.upright(mapping);
        straight + up.y
    };
    let best = moving.iter().map(score).fold(f32::MIN, f32::max);
    let good: Vec<Offsets> = moving
        .iter()
        .filter(|s| score(s) > best - 0.02)
        .filter_map(|s| Offsets::of(s, mapping, Vec3::Y))
        .collect();
    Offsets::mean(&good).map(|o| (o, false))
}

/// A body stands when no part of legs and back is farther than about 35° from the vertical: our choice.
const UPRIGHT: f32 = 0.82;

/// Frames at the start of a take that are a T-pose and no motion: 1 or 0.
pub(super) fn t_pose(snapshots: &[Snapshot], mapping: &Mapping) -> usize {
    if snapshots.len() < 8 {
        return 0;
    }
    let parts: Vec<usize> = (0..PARTS).filter(|&i| mapping.found[i].is_some()).collect();
    // Mean turn of the parts from one frame to the next, rad.
    let change = |a: usize, b: usize| {
        let sum: f32 = parts
            .iter()
            .map(|&i| 2.0 * libm::acosf(snapshots[a].turns[i].dot(snapshots[b].turns[i]).abs().min(1.0)))
            .sum();
        sum / parts.len().max(1) as f32
    };
    let jump = change(0, 1);
    let mut usual: Vec<f32> = (1..snapshots.len().min(30) - 1).map(|i| change(i, i + 1)).collect();
    usual.sort_unstable_by(f32::total_cmp);
    let usual = usual[usual.len() / 2];
    usize::from(jump > 0.1 && jump > 6.0 * usual)
}
