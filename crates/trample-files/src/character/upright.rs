//! A body on two legs from a file: everything that was found out about it, and its motions as our clips.

use super::error::CharacterError;
use super::figure;
use super::map_file::MapFile;
use super::mapping::{Looks, USUAL};
use super::measure::{Measured, measured};
use super::part::{Limb, Mapping, Part};
use super::retarget::{self, Grounded, Measures, Reading};
use super::snapshot::{Offsets, Snapshot};
use super::source::{Format, Layout, Local, Source, Take};
use super::space::{self, Space};
use std::path::Path;
use trample::body::{JOINTS, Joint, Pose, Skeleton};
use trample::clips::{Clip, Kind, RATE};
use trample::glam::{Quat, Vec3};
use trample::imported::Draft;
use trample::imported::contacts::Rule;
use trample::params::Body;

/// What is known of a take.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeFacts {
    /// Its name.
    pub name: String,
    /// Frames a second.
    pub rate: f64,
    /// Length of what counts, s.
    pub seconds: f64,
    /// Frames in the file.
    pub frames: usize,
    /// First frame that counts: 1 where frame 0 is a T-pose.
    pub first_frame: usize,
    /// How far from the origin it begins, m; it is moved there.
    pub away: f32,
    /// Speed that was given back to a motion that walks on the spot, m/s; none if it goes by itself or stands.
    pub treadmill: Option<f32>,
}

/// A body on two legs.
#[derive(Clone, Debug)]
pub struct Upright {
    /// Which joint is which.
    pub mapping: Mapping,
    /// Units and axes.
    pub space: Space,
    /// The body as one of ours.
    pub body: Body,
    /// Its motions.
    pub takes: Vec<TakeFacts>,
    /// Whether the toe joints had to be made up.
    pub toes_made: bool,
    /// Whether the rest pose could be used as reference; else the most upright moments of the motion are.
    pub rest_upright: bool,
    /// Whether the feet lie otherwise when they stand than the rest pose has them.
    pub feet_levelled: bool,
    pub(super) offsets: Offsets,
    measures: Measures,
}

/// Seconds of a motion that are looked at to find out how feet lie.
const LOOKED_AT: f64 = 20.0;

impl Upright {
    pub(super) fn new(
        path: &Path,
        source: &Source,
        looks: &Looks,
        mapping: Mapping,
        map: &MapFile,
        mass: Option<f64>,
    ) -> Result<Self, CharacterError> {
        let no_body = |problem: &str| CharacterError::NoBody { path: path.into(), problem: problem.into() };
        let mut space = space::find(&mapping, looks, source.format, map);
        let leg = space.unit * space::leg(&mapping, &looks.rest);
        if map.unit.is_none()
            && let Some(tall) = figure::skin_height(source, &space, &looks.rest, leg)
        {
            space = space.for_person(tall);
        }
        let snapshot = |layout: &Layout| Snapshot::new(source, &mapping, &space, layout);
        let rest = snapshot(&looks.rest);
        let mut moving: Vec<Snapshot> = looks.moving.iter().map(snapshot).collect();
        let finite =
            |s: &Snapshot| s.places.iter().all(|p| p.is_finite()) && s.turns.iter().all(|q| q.is_finite());
        moving.retain(finite);
        if !finite(&rest) {
            return Err(no_body("its rest pose is not finite"));
        }
        // Bones that move are measured in motion: six channels may say otherwise than the offsets.
        let typical = moving.get(moving.len() / 2).unwrap_or(&rest);
        let measures = figure::measures(typical);
        if !(measures.thigh > 1e-4 && measures.shank > 1e-4 && measures.thigh.is_finite()) {
            return Err(no_body("its legs have no length"));
        }
        let reference = retarget::reference(&rest, &moving, &mapping);
        let (mut offsets, rest_upright) = reference
            .ok_or_else(|| no_body("its hips are in one place, so that nothing tells what is ahead"))?;
        let reading = Reading { source, mapping: &mapping, space: &space };
        let mut takes = Vec::with_capacity(source.takes.len());
        let leg = measures.thigh + measures.shank;
        for take in &source.takes {
            takes.push(facts(&reading, take, map, leg));
        }
        let mut feet_levelled = false;
        // One in which it goes about on its feet, if names tell; else the longest.
        let mut usual = super::choice::plainest(&source.takes, &USUAL);
        if usual.is_empty() {
            usual.extend(0..takes.len());
        }
        let longest = usual.into_iter().max_by_key(|&t| source.takes[t].frames);
        if let Some(longest) = longest {
            let take = shortened(&source.takes[longest], LOOKED_AT);
            let mut seen = reading.sample(&take, takes[longest].first_frame, RATE);
            retarget::let_go(&mut seen, &mapping, leg, 1.0 / RATE);
            let rule = Rule::for_leg(leg);
            // A rest pose that stands is trusted within ten degrees.
            let trust = if rest_upright { 0.17 } else { 0.0 };
            feet_levelled = offsets.level_feet(&seen, &mapping, 1.0 / RATE, &rule, trust);
        }
        let mut measures = measures;
        let by_joints = || figure::ankle_above_toes(&rest, &mapping, measures.ankle_height, leg);
        let flat = |side: usize| offsets.level(&rest, side).conjugate();
        let feet =
            [0, 1].map(|side| figure::foot_skin(source, &mapping, &space, &looks.rest, flat(side), side));
        let high = figure::ankle_height(&feet, leg)
            .or_else(|| by_joints().filter(|_| rest_upright && source.vertices.is_empty()));
        measures.ankle_height = high.unwrap_or(measures.ankle_height);
        let skin = if rest_upright { figure::skin_height(source, &space, &looks.rest, leg) } else { None };
        let (mut body, toes_made) =
            figure::body(if rest_upright { &rest } else { typical }, &mapping, &measures, mass, skin);
        if let Some([long, wide]) = figure::foot_size(&feet, body.leg() as f32) {
            (body.foot_length, body.foot_width) = (long, wide);
        }
        Ok(Self { mapping, space, body, takes, toes_made, rest_upright, feet_levelled, offsets, measures })
    }

    /// The motion of a take, its ground and contacts found.
    fn grounded(&self, source: &Source, take: usize) -> Grounded {
        let reading = Reading { source, mapping: &self.mapping, space: &self.space };
        let mut snapshots = reading.sample(&source.takes[take], self.takes[take].first_frame, RATE);
        retarget::let_go(
            &mut snapshots,
            &self.mapping,
            self.measures.thigh + self.measures.shank,
            1.0 / RATE,
        );
        let own = Skeleton::new(&self.body);
        retarget::ground(snapshots, &self.offsets, &self.measures, &own.foot, 1.0 / RATE)
    }

    /// A take on a skeleton as the file has it: feet not locked yet.
    pub fn draft(&self, source: &Source, take: usize, skeleton: &Skeleton) -> Draft {
        self.grounded(source, take).draft(skeleton, &self.offsets, &self.mapping, &self.measures)
    }

    /// A take on a skeleton with its feet locked, in one piece.
    pub fn clip(&self, source: &Source, take: usize, skeleton: &Skeleton) -> Clip {
        locked(self.draft(source, take, skeleton), skeleton)
    }

    /// Takes that walk and run as clips that go round, and what else a walker can use of them; played in place where nothing goes
    /// anywhere. Empty without motion.
    pub fn clips_for(&self, source: &Source, skeleton: &Skeleton) -> Vec<Clip> {
        self.chosen(source, skeleton, None).map_or(Vec::new(), |chosen| chosen.clips)
    }

    /// Every take measured on the file's own body.
    pub(super) fn measure(&self, source: &Source) -> Vec<Measured> {
        let own = Skeleton::new(&self.body);
        (0..self.takes.len()).map(|t| measured(&self.takes[t], &self.draft(source, t, &own), &own)).collect()
    }

    /// How the file stands at rest.
    pub(super) fn rest(&self, source: &Source) -> (Layout, Snapshot) {
        let (mut locals, mut rest): (Vec<Local>, Layout) = (Vec::new(), Layout::default());
        source.rest(&mut locals);
        source.lay(&locals, &mut rest);
        let pose = Snapshot::new(source, &self.mapping, &self.space, &rest);
        (rest, pose)
    }

    /// The skin of a foot as [`figure::foot_skin`] has it.
    pub(super) fn foot_skin(&self, source: &Source, side: usize) -> Vec<[Vec3; 3]> {
        let (rest, pose) = self.rest(source);
        let flat = self.offsets.level(&pose, side).conjugate();
        figure::foot_skin(source, &self.mapping, &self.space, &rest, flat, side)
    }

    /// The file's joints in a pose of our skeleton: local rotations for its skin. Joints that are no part keep their rest;
    /// the pelvis is put where the pose has it. `skeleton` is that of [`Upright::body`].
    pub fn joints(&self, source: &Source, skeleton: &Skeleton, pose: &Pose) -> Vec<Local> {
        let placed = skeleton.place(pose);
        let mut wanted: Vec<Option<Quat>> = vec![None; source.joints.len()];
        for (part, ours) in OURS {
            if let Some(j) = self.mapping.joint(part) {
                let turn = placed.rotations[ours as usize] * self.offsets.0[part as usize].conjugate();
                wanted[j] = Some((self.space.turn.conjugate() * turn).normalize());
            }
        }
        let mut locals = Vec::new();
        source.rest(&mut locals);
        let mut turns = vec![Quat::IDENTITY; locals.len()];
        for j in 0..locals.len() {
            let above = source.joints[j].parent.map_or(Quat::IDENTITY, |p| turns[p]);
            if let Some(turn) = wanted[j] {
                locals[j].rotation = (above.conjugate() * turn).normalize();
            }
            turns[j] = above * locals[j].rotation;
        }
        // Moves the pelvis so that the hip joints' middle is where ours is.
        let mut layout = Layout::default();
        source.lay(&locals, &mut layout);
        let now = Snapshot::new(source, &self.mapping, &self.space, &layout).hips();
        self.shift_pelvis(source, &layout, pose.root - now, &mut locals);
        locals
    }

    /// Moves the pelvis by `shift` m in our world; `layout` is where the joints are.
    pub(super) fn shift_pelvis(&self, source: &Source, layout: &Layout, shift: Vec3, locals: &mut [Local]) {
        if let Some(pelvis) = self.mapping.joint(Part::Pelvis) {
            let shift = self.space.turn.conjugate() * (shift / self.space.unit);
            let parent = source.joints[pelvis].parent;
            let (turn, scale) =
                parent.map_or((Quat::IDENTITY, Vec3::ONE), |p| (layout.turns[p], layout.scales[p]));
            let local = turn.conjugate() * shift / scale;
            if local.is_finite() {
                locals[pelvis].translation += local;
            }
        }
    }

    /// What was found out, line by line, for a person.
    pub fn lines(&self, source: &Source) -> Vec<String> {
        let mut lines = Vec::new();
        let format = if source.format == Format::Bvh { "BVH" } else { "glTF" };
        let found = self.mapping.found.iter().flatten().count();
        let names = self.mapping.convention.map_or(String::new(), |c| format!(", names of {c}"));
        lines.push(format!(
            "{format}: {} joints, {found} of {} parts found{names}, {:.0} % sure",
            source.joints.len(),
            super::PARTS,
            100.0 * self.mapping.sure().min(self.space.sure)
        ));
        lines.push(format!(
            "{}, {} up ({:.0} % sure); {:.2} m tall, leg {:.2} m, {:.0} kg",
            self.space.unit_name,
            self.space.up_name(),
            100.0 * self.space.sure,
            self.body.height,
            self.body.leg(),
            self.body.mass
        ));
        if self.mapping.exchanged {
            lines.push("left and right are as the body looks, against their names".into());
        }
        if self.toes_made {
            let by = if source.vertices.is_empty() { "bones" } else { "skin" };
            lines.push(format!(
                "no toe joints: made up at 70 % of the foot, {:.2} m by its {by}",
                self.body.foot_length
            ));
        }
        if !self.rest_upright {
            lines.push(
                "the rest pose does not stand: the most upright moments of the motion are the reference"
                    .into(),
            );
        }
        if self.feet_levelled {
            lines.push("feet levelled by how they stand in the motion".into());
        }
        for take in &self.takes {
            let t_pose = if take.first_frame > 0 { ", frame 0 is a T-pose and left out" } else { "" };
            let away = if take.away > 1.0 {
                format!(", begins {:.1} m from the origin", take.away)
            } else {
                String::new()
            };
            let treadmill = take.treadmill.map_or(String::new(), |speed| {
                format!(", walks on the spot: {speed:.2} m/s given back by its standing feet")
            });
            lines.push(format!(
                "`{}`: {} frames at {} Hz, {:.2} s{t_pose}{away}{treadmill}",
                take.name,
                take.frames,
                (1e4 * take.rate).round() / 1e4,
                take.seconds
            ));
        }
        lines
    }
}

/// Length of the legs of a skeleton with the ankles' height, m.
pub(super) fn whole_leg(skeleton: &Skeleton) -> f64 {
    let (thigh, shank) = skeleton.leg();
    f64::from(thigh + shank) + skeleton.foot.ankle_height
}

/// A draft with its feet locked, as a clip.
pub(super) fn locked(mut draft: Draft, skeleton: &Skeleton) -> Clip {
    draft.lock(&skeleton.foot);
    draft.make_room(skeleton);
    draft.solve(skeleton, Kind::Idle)
}

/// Parts and the joints of ours that they are.
const OURS: [(Part, Joint); JOINTS] = [
    (Part::Pelvis, Joint::Pelvis),
    (Part::Spine, Joint::Spine),
    (Part::Chest, Joint::Chest),
    (Part::Neck, Joint::Neck),
    (Part::Head, Joint::Head),
    (Part::LeftShoulder, Joint::LeftShoulder),
    (Part::LeftElbow, Joint::LeftElbow),
    (Part::LeftWrist, Joint::LeftWrist),
    (Part::RightShoulder, Joint::RightShoulder),
    (Part::RightElbow, Joint::RightElbow),
    (Part::RightWrist, Joint::RightWrist),
    (Part::LeftHip, Joint::LeftHip),
    (Part::LeftKnee, Joint::LeftKnee),
    (Part::LeftAnkle, Joint::LeftAnkle),
    (Part::LeftBall, Joint::LeftBall),
    (Part::RightHip, Joint::RightHip),
    (Part::RightKnee, Joint::RightKnee),
    (Part::RightAnkle, Joint::RightAnkle),
    (Part::RightBall, Joint::RightBall),
];

/// The same take with fewer frames. Only what frames there are is changed: numbers are shared, not copied, where they can be.
fn shortened(take: &Take, seconds: f64) -> Take {
    let frames = ((seconds / take.dt).ceil() as usize + 1).min(take.frames);
    take.first_frames(frames)
}

fn facts(reading: &Reading<'_>, take: &Take, map: &MapFile, leg: f32) -> TakeFacts {
    let start = shortened(take, 30.0 * take.dt);
    let first = reading.sample(&start, 0, 1.0 / take.dt);
    let t_pose = retarget::t_pose(&first, reading.mapping);
    let first_frame = map.first_frame.unwrap_or(t_pose).min(take.frames.saturating_sub(1));
    let mut seen = reading.sample(&shortened(take, LOOKED_AT), first_frame, RATE);
    let treadmill = retarget::let_go(&mut seen, reading.mapping, leg, 1.0 / RATE);
    let begins = first.get(first_frame.min(first.len().saturating_sub(1)));
    TakeFacts {
        name: take.name.clone(),
        rate: 1.0 / take.dt,
        seconds: (take.frames - first_frame).saturating_sub(1) as f64 * take.dt,
        frames: take.frames,
        first_frame,
        away: begins.map_or(0.0, |s| s.at(Limb::Ankle, 0).with_y(0.0).length()),
        treadmill,
    }
}
