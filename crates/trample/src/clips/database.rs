//! The motion database of a body: clips cut into shots, each seen from its own root, and an index to find them.
//!
//! In: a body and its clips. Out: shots with everything a walker needs to show them, and the features that motion matching
//! compares: feet and hip now, the path of the next second.

use super::clip::{Clip, Kind};
use super::force;
use super::held::Held;
use super::search::{FEATURES, Index, Weights};
use super::steady::{Family, families};
use crate::body::{FootShape, JOINTS, Skeleton};
use crate::gait::Reaction;
use crate::math::wrap;
use glam::{DVec2, DVec3, Quat, Vec2, Vec3};

/// A foot in a shot. Where it stands, or would if it were set down flat, without its roll.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShotFoot {
    /// Middle of the flat sole: ahead and to the right of the root and above the ground, m.
    pub place: Vec3,
    /// Heading against the root's, rad.
    pub heading: f32,
    /// Pitch against the ground, toes up positive, rad.
    pub pitch: f32,
    /// Turn of the toes, rad.
    pub bend: f32,
    /// 0 at touch-down, 1 at lift-off, 2 at the next touch-down.
    pub clock: f32,
    /// Force along the motion over upward force under it; not a number where it is not known.
    pub tilt: f32,
    /// Share of the whole force it takes.
    pub load: f32,
}

/// A frame seen from its root: x ahead, y up, z right, from the ground below the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// Middle between the hip joints, m.
    pub pelvis: Vec3,
    /// Local rotations; the pelvis' without the heading.
    pub rotations: [Quat; JOINTS],
    /// Left and right.
    pub feet: [ShotFoot; 2],
    /// Whole force on the ground, body weights.
    pub force: Vec3,
    /// Velocity of the root, ahead and right, m/s.
    pub velocity: Vec2,
    /// Turning of the root, rad/s, right positive.
    pub yaw_rate: f32,
}

/// A clip's place in the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// What it shows.
    pub kind: Kind,
    /// First shot.
    pub first: usize,
    /// Number of shots.
    pub length: usize,
    /// Time from its first to its last shot, s.
    pub seconds: f64,
    /// Time of two steps where they go round and round, s; else zero.
    pub period: f64,
    /// The force under a foot over its stance, where frames are too coarse for it.
    pub reaction: Option<Reaction>,
    /// Its speed, m/s.
    pub speed: f32,
    /// Its turning, rad/s, right positive.
    pub yaw_rate: f32,
    /// Slope of its ground, rad.
    pub slope: f32,
    /// The family of even gaits it belongs to.
    pub family: Option<u32>,
    /// Whether it was recorded, not generated.
    pub recorded: bool,
}

/// Everything a body can do.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its joints and masses.
    pub skeleton: Skeleton,
    /// Shots of all clips, one after the other.
    pub shots: Vec<Shot>,
    /// The clips.
    pub spans: Vec<Span>,
    /// The clip of each shot.
    pub clip_of: Vec<u32>,
    /// Features of each shot.
    pub features: Vec<[f32; FEATURES]>,
    /// The search.
    pub index: Index,
    /// Time between shots, s.
    pub dt: f64,
    /// Even gaits that are alike but for speed and slope.
    pub families: Vec<Family>,
    /// Height of the point towards which its feet press, m.
    pub pivot: f32,
    /// What of it was recorded, if anything was.
    pub held: Option<Held>,
}

/// When the path ahead is compared, s.
pub const AHEAD: [f64; 3] = [0.33, 0.67, 1.0];
/// Shots at the end of a clip that nobody jumps to: the path ahead of them is not known.
pub(crate) const TAIL: usize = 60;

/// Tags of what may be wanted, one bit a kind; what is made for a slope has bits of its own.
pub fn tag(kind: Kind) -> u32 {
    1 << kind as u32
}

/// Slopes that have clips of their own, counted in tens of degrees from the level.
fn tens(slope: f32) -> i32 {
    (slope.to_degrees() / 10.0).round().clamp(-2.0, 2.0) as i32
}

/// The tag of walks on ground of that slope, rad: level, or the nearest of the slopes the database knows.
pub fn walk_tag(slope: f32) -> u32 {
    let tens = tens(slope);
    if tens == 0 { tag(Kind::Walk) } else { 1 << (18 + tens) }
}

/// The tag of starts on ground of that slope.
pub fn start_tag(slope: f32) -> u32 {
    let tens = tens(slope);
    if tens == 0 { tag(Kind::Start) } else { 1 << (24 + tens) }
}

/// The tag of stops on ground of that slope.
pub fn stop_tag(slope: f32) -> u32 {
    let tens = tens(slope);
    if tens == 0 { tag(Kind::Stop) } else { 1 << (13 + tens) }
}

/// The tags of all three.
pub fn slope_tags(slope: f32) -> u32 {
    walk_tag(slope) | start_tag(slope) | stop_tag(slope)
}

/// The tag of starts that end and stops that begin with a run.
pub const RUN_UP: u32 = 1 << 30;
/// The tags of recorded even walks, of recorded even runs and of everything else that was recorded.
pub(crate) const RECORDED: [u32; 3] = [1 << 27, 1 << 28, 1 << 29];

/// The tag of a clip.
pub(crate) fn tag_of(clip: &Clip) -> u32 {
    match clip.kind {
        Kind::Start | Kind::Stop if clip.runs() => RUN_UP,
        Kind::Start => start_tag(clip.slope),
        Kind::Stop => stop_tag(clip.slope),
        _ if clip.slope.abs() >= 0.05 => walk_tag(clip.slope),
        kind => tag(kind),
    }
}

impl ShotFoot {
    /// Whether it touches the ground.
    pub fn down(&self) -> bool {
        self.clock < 1.0
    }
}

impl Database {
    /// Cuts clips of one rate into a database.
    pub fn new(skeleton: &Skeleton, clips: &[Clip]) -> Self {
        let tags: Vec<u32> = clips.iter().map(tag_of).collect();
        Self::with_tags(skeleton, clips, &tags)
    }

    /// The same where any clip may be played for any wish: for recorded clips alone, which may lack the kind that is wanted.
    pub fn untagged(skeleton: &Skeleton, clips: &[Clip]) -> Self {
        Self::with_tags(skeleton, clips, &vec![u32::MAX; clips.len()])
    }

    /// The same with the tags of every clip, as [`tag`] and [`slope_tags`] give them.
    pub fn with_tags(skeleton: &Skeleton, clips: &[Clip], tags: &[u32]) -> Self {
        Self::with_recorded(skeleton, clips, tags, 0)
    }

    /// The same where the first `recorded` clips were recorded.
    pub(crate) fn with_recorded(skeleton: &Skeleton, clips: &[Clip], tags: &[u32], recorded: usize) -> Self {
        let dt = clips.first().map_or(1.0 / 60.0, |c| c.dt);
        let total = clips.iter().map(|c| c.frames.len()).sum();
        let (mut shots, mut features) = (Vec::with_capacity(total), Vec::with_capacity(total));
        let (mut spans, mut clip_of) = (Vec::new(), Vec::with_capacity(total));
        for (i, clip) in clips.iter().enumerate() {
            spans.push(Span {
                kind: clip.kind,
                first: shots.len(),
                length: clip.frames.len(),
                seconds: (clip.frames.len().max(1) - 1) as f64 * dt,
                period: clip.period,
                reaction: clip.reaction,
                speed: clip.speed,
                yaw_rate: clip.yaw_rate,
                slope: clip.slope,
                family: None,
                recorded: i < recorded,
            });
            let forces = force::of_clip(clip, skeleton);
            let weight = f64::from(skeleton.mass) * crate::params::GRAVITY;
            for k in 0..clip.frames.len() {
                let whole = forces[k][0] + forces[k][1];
                shots.push(shot(clip, k, whole / weight as f32, &skeleton.foot));
                features.push(feature(clip, k));
                clip_of.push(i as u32);
            }
        }
        let ranges: Vec<std::ops::Range<usize>> = spans.iter().map(|s| s.first..s.first + s.length).collect();
        let families = families(&mut spans);
        let index = Index::with_tags(&features, &Weights::default(), &ranges, tags, TAIL);
        Self {
            skeleton: *skeleton,
            shots,
            spans,
            clip_of,
            features,
            index,
            dt,
            families,
            pivot: skeleton.pivot(),
            held: None,
        }
    }

    /// Length of its legs with the ankles' height, m.
    pub fn leg(&self) -> f64 {
        let (thigh, shank) = self.skeleton.leg();
        f64::from(thigh + shank) + self.skeleton.foot.ankle_height
    }

    /// Whether a clip goes on after `time` s.
    pub fn goes_on(&self, clip: usize, time: f64) -> bool {
        if self.spans[clip].family.is_some() {
            return true;
        }
        let last = (self.spans[clip].length - 1) as f64;
        (time / self.dt).clamp(0.0, last) + 1.0 < last
    }

    /// How the root moves `time` s into a clip: ahead and right, m/s, and turning, rad/s.
    pub fn root(&self, clip: usize, time: f64) -> (Vec2, f32) {
        let (a, b, t) = self.pair(clip, time);
        (a.velocity.lerp(b.velocity, t), a.yaw_rate + (b.yaw_rate - a.yaw_rate) * t)
    }

    /// The shots around `time` s into a clip, and how far between them it is.
    fn pair(&self, clip: usize, time: f64) -> (&Shot, &Shot, f32) {
        let span = &self.spans[clip];
        let at = (time / self.dt).clamp(0.0, (span.length - 1) as f64);
        let i = (at.floor() as usize).min(span.length.saturating_sub(2));
        let (a, b) = (&self.shots[span.first + i], &self.shots[span.first + (i + 1).min(span.length - 1)]);
        (a, b, (at - i as f64) as f32)
    }

    /// The shot `time` s into a clip, between two frames.
    pub fn sample(&self, clip: usize, time: f64) -> Shot {
        let (a, b, t) = self.pair(clip, time);
        between(a, b, t)
    }
}

/// A shot between two.
pub(super) fn between(a: &Shot, b: &Shot, t: f32) -> Shot {
    let feet = [0, 1].map(|side| {
        let (p, q) = (&a.feet[side], &b.feet[side]);
        let mix = |x: f32, y: f32| x + (y - x) * t;
        ShotFoot {
            place: p.place.lerp(q.place, t),
            heading: p.heading + wrap(q.heading - p.heading) * t,
            pitch: mix(p.pitch, q.pitch),
            bend: mix(p.bend, q.bend),
            clock: turned(p.clock, q.clock, t),
            tilt: mix(p.tilt, q.tilt),
            load: mix(p.load, q.load),
        }
    });
    let turn =
        |p: Quat, q: Quat| (if p.dot(q) < 0.0 { p + (-q - p) * t } else { p + (q - p) * t }).normalize();
    Shot {
        pelvis: a.pelvis.lerp(b.pelvis, t),
        rotations: std::array::from_fn(|j| turn(a.rotations[j], b.rotations[j])),
        feet,
        force: a.force.lerp(b.force, t),
        velocity: a.velocity.lerp(b.velocity, t),
        yaw_rate: a.yaw_rate + (b.yaw_rate - a.yaw_rate) * t,
    }
}

/// Between two clocks, over the touch-down where that is the shorter way.
fn turned(a: f32, b: f32, t: f32) -> f32 {
    let ahead = b - a - 2.0 * (0.5 * (b - a)).round();
    (a + ahead * t).rem_euclid(2.0)
}

/// From the world to a root: x ahead, y above the plane of the clip's ground, z right.
struct View {
    origin: Vec3,
    turn: Quat,
    heading: f32,
    slope: f32,
}

impl View {
    fn new(clip: &Clip, k: usize) -> Self {
        let [x, z, heading] = clip.roots[k];
        let slope = libm::tanf(clip.slope);
        let turn = Quat::from_rotation_y(heading);
        Self { origin: Vec3::new(x, 0.0, z), turn, heading, slope }
    }

    /// A point seen from the root; its height counts from the ground below it.
    fn point(&self, p: Vec3) -> Vec3 {
        let above = p.y - self.slope * p.x;
        self.turn * (Vec3::new(p.x, above, p.z) - self.origin)
    }

    fn vector(&self, v: Vec3) -> Vec3 {
        self.turn * v
    }
}

fn shot(clip: &Clip, k: usize, force: Vec3, foot: &FootShape) -> Shot {
    let view = View::new(clip, k);
    let frame = &clip.frames[k];
    let mut rotations = frame.pose.rotations;
    rotations[0] = (view.turn * rotations[0]).normalize();
    let normal = Vec3::new(-view.slope, 1.0, 0.0).normalize();
    let feet = [0, 1].map(|side| {
        let sole = &frame.soles[side];
        let ahead = sole.rotation * Vec3::X;
        let pitch = libm::asinf(ahead.dot(normal).clamp(-1.0, 1.0));
        let right = sole.rotation * Vec3::Z;
        // The heading along the ground, also when the foot points steeply down.
        let along = normal.cross(right).normalize();
        let heading = libm::atan2f(along.z, along.x);
        let place = flat_place(sole.position, along, normal, pitch, sole.toe_bend, foot);
        ShotFoot {
            place: view.point(place),
            heading: wrap(heading - view.heading),
            pitch,
            bend: sole.toe_bend,
            clock: frame.clock[side],
            tilt: frame.tilt.map_or(f32::NAN, |tilt| tilt[side]),
            load: frame.load[side],
        }
    });
    let (velocity, yaw_rate) = root_motion(clip, k);
    Shot {
        pelvis: view.point(frame.pose.root),
        rotations,
        feet,
        force: view.vector(force),
        velocity,
        yaw_rate,
    }
}

/// Where the middle of a sole would be if it were rolled flat: the inverse of [`crate::body::rolled`].
fn flat_place(middle: Vec3, along: Vec3, normal: Vec3, pitch: f32, bend: f32, foot: &FootShape) -> Vec3 {
    let turned = |angle: f32| along * libm::cosf(angle) + normal * libm::sinf(angle);
    if pitch >= 0.0 {
        let heel = foot.heel as f32;
        return middle + turned(pitch) * heel - along * heel;
    }
    // Toes that are up leave the ball to turn about; those that are down, their tips.
    let off = (-pitch - bend).max(0.0);
    let (ball, toe) = (foot.ball as f32, foot.toe as f32);
    middle + turned(pitch) * ball + turned(-off) * (toe - ball) - along * toe
}

/// Where the middle of a sole is when it stands on `place` with a roll: the same way back.
pub fn rolled_middle(
    place: DVec3,
    along: DVec3,
    normal: DVec3,
    pitch: f64,
    bend: f64,
    foot: &FootShape,
) -> DVec3 {
    let turned = |angle: f64| along * libm::cos(angle) + normal * libm::sin(angle);
    if pitch >= 0.0 {
        return place + along * foot.heel - turned(pitch) * foot.heel;
    }
    let off = (-pitch - bend).max(0.0);
    place + along * foot.toe - turned(-off) * (foot.toe - foot.ball) - turned(pitch) * foot.ball
}

/// Velocity of the root in its own frame and its turning.
fn root_motion(clip: &Clip, k: usize) -> (Vec2, f32) {
    let n = clip.roots.len();
    let (a, b) = (k.saturating_sub(1), (k + 1).min(n - 1));
    let time = ((b - a) as f64 * clip.dt) as f32;
    if time <= 0.0 {
        return (Vec2::ZERO, 0.0);
    }
    let (p, q) = (clip.roots[a], clip.roots[b]);
    let v = Vec2::new(q[0] - p[0], q[1] - p[1]) / time;
    let (s, c) = libm::sincosf(clip.roots[k][2]);
    (Vec2::new(v.x * c + v.y * s, v.y * c - v.x * s), wrap(q[2] - p[2]) / time)
}

/// The features of a frame: feet, their velocities, hip velocity, path and directions ahead, all from the root.
fn feature(clip: &Clip, k: usize) -> [f32; FEATURES] {
    let n = clip.frames.len();
    let view = View::new(clip, k);
    let (a, b) = (k.saturating_sub(1), (k + 1).min(n - 1));
    let time = (((b - a) as f64 * clip.dt) as f32).max(1e-6);
    let speed = |p: Vec3, q: Vec3| view.vector((q - p) / time);
    let mut f = [0.0; FEATURES];
    let mut put = |at: usize, v: Vec3| f[at..at + 3].copy_from_slice(&v.to_array());
    for side in 0..2 {
        let foot = |i: usize| clip.frames[i].soles[side].position;
        put(3 * side, view.point(foot(k)));
        put(6 + 3 * side, speed(foot(a), foot(b)));
    }
    put(12, speed(clip.frames[a].pose.root, clip.frames[b].pose.root));
    for (i, ahead) in AHEAD.iter().enumerate() {
        let later = (k + (ahead / clip.dt).round() as usize).min(n - 1);
        let [x, z, heading] = clip.roots[later];
        let p = view.vector(Vec3::new(x, 0.0, z) - view.origin);
        let (s, c) = libm::sincosf(wrap(heading - view.heading));
        (f[15 + 2 * i], f[16 + 2 * i]) = (p.x, p.z);
        (f[21 + 2 * i], f[22 + 2 * i]) = (c, s);
    }
    f
}

/// The path ahead as features 15..27 hold it: places and directions seen from the root.
pub fn path_features(f: &mut [f32; FEATURES], places: &[DVec2; 3], headings: &[f64; 3]) {
    for i in 0..3 {
        (f[15 + 2 * i], f[16 + 2 * i]) = (places[i].x as f32, places[i].y as f32);
        (f[21 + 2 * i], f[22 + 2 * i]) = (libm::cos(headings[i]) as f32, libm::sin(headings[i]) as f32);
    }
}
