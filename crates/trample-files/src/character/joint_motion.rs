//! A character's own joints moved as the simulation moved its body: curves for its file's skeleton.
//!
//! In: poses of our skeleton, or the moments of an animal's stride, and what is known of the file. Out: local transforms of the
//! file's joints over time. Rotations are carried over through the reference pose; then the legs are bent so that the skin's soles lie
//! on the soles that pressed the ground.

use super::four_footed::FourFooted;
use super::part::Limb;
use super::snapshot::Snapshot;
use super::source::{Layout, Local, Source, Vertex};
use super::stride::TakeStride;
use super::upright::Upright;
use super::{Loaded, figure};
use trample::World;
use trample::body::{FootShape, HIP, Placed, Pose, Skeleton, two_bone};
use trample::glam::{Quat, Vec3};
use trample::params::Sole;
use trample::scene::Moment;

/// How a joint of a file moves: as many values as there are moments, or none where it stays at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// The joint.
    pub joint: usize,
    /// Places in its parent's frame, in the file's unit.
    pub places: Vec<[f32; 3]>,
    /// Rotations in its parent's frame.
    pub turns: Vec<[f32; 4]>,
}

/// The motion of a whole character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointMotion {
    /// Where the file's world lies in ours, m: for every moment, or once for all.
    pub places: Vec<[f32; 3]>,
    /// How it is turned, likewise.
    pub turns: Vec<[f32; 4]>,
    /// Metres per unit of the file.
    pub unit: f32,
    /// Joints that move.
    pub tracks: Vec<Track>,
}

impl JointMotion {
    /// Adds a moment: local transforms of all joints of a file.
    pub(super) fn push(&mut self, source: &Source, locals: &[Local]) {
        if self.tracks.is_empty() {
            self.tracks = (0..locals.len()).map(|joint| Track { joint, ..Track::default() }).collect();
        }
        debug_assert_eq!(source.joints.len(), locals.len());
        for (track, local) in self.tracks.iter_mut().zip(locals) {
            track.places.push(local.translation.to_array());
            // The shorter way from each to the next.
            let turn = local.rotation.normalize();
            let last = track.turns.last().map_or(Quat::IDENTITY, |q| Quat::from_array(*q));
            track.turns.push(if turn.dot(last) < 0.0 { (-turn).to_array() } else { turn.to_array() });
        }
    }

    /// Drops what never leaves its rest.
    fn tidy(&mut self, source: &Source) {
        for track in &mut self.tracks {
            let rest = &source.joints[track.joint].rest;
            let far = 1e-6 * rest.translation.length().max(1e-3);
            if track.places.iter().all(|p| Vec3::from(*p).distance(rest.translation) <= far) {
                track.places.clear();
            }
            if track.turns.iter().all(|q| Quat::from_array(*q).dot(rest.rotation).abs() > 1.0 - 1e-7) {
                track.turns.clear();
            }
        }
        self.tracks.retain(|t| !t.places.is_empty() || !t.turns.is_empty());
    }
}

/// Skin nearer to its place than this is there, m: our choice.
const CLOSE: f32 = 1e-3;
/// Most that a foot is moved up or down for its skin to be where its sole is, over the length of the leg: our choice.
const FARTHEST: f32 = 0.3;
/// About as many places of a sole are looked at to find its lowest.
const LOOKED_AT: usize = 300;

/// Where the ankles of a file's skin are in the frames of the soles that press: left and right, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    ankles: [Vec3; 2],
    /// How much higher the file's ankles are than ours.
    lift: f32,
    /// Skin of the feet, left and right.
    skin: [Vec<Vertex>; 2],
    /// Places of the underside of a right sole.
    under: Vec<Vec3>,
}

impl Fit {
    /// For a character whose body walks on `skeleton`; `own` says that it presses with the soles of its own skin.
    pub fn new(loaded: &Loaded, skeleton: &Skeleton, own: bool) -> Option<Self> {
        let upright = loaded.upright()?;
        let foot = &skeleton.foot;
        let usual = Vec3::new(foot.ankle as f32, foot.ankle_height as f32, 0.0);
        let mut ankles = [usual; 2];
        for (side, ankle) in ankles.iter_mut().enumerate() {
            let skin = upright.foot_skin(&loaded.source, side);
            let low = skin.iter().flatten().fold(Vec3::MAX, |a, &p| a.min(p));
            let high = skin.iter().flatten().fold(Vec3::MIN, |a, &p| a.max(p));
            // Skin that reaches above the ankle only, or far below, is no foot's.
            if skin.is_empty() || !(0.0..3.0 * usual.y).contains(&-low.y) {
                continue;
            }
            ankle.y = -low.y;
            if own {
                (ankle.x, ankle.z) = (-0.5 * (low.x + high.x), -0.5 * (low.z + high.z));
            }
        }
        let lift = 0.5 * (ankles[0].y + ankles[1].y) - usual.y;
        let skin = [0, 1].map(|side| upright.foot_vertices(&loaded.source, side));
        let flat = || [foot.heel, foot.ball, foot.toe].map(|u| Vec3::X * u as f32).to_vec();
        let under = loaded.own_sole().filter(|_| own).map_or_else(flat, |sole| underside(&sole));
        Some(Self { ankles, lift, skin, under })
    }
}

/// Places all over the underside of a sole, seen from the middle of its lowest plane.
fn underside(sole: &Sole) -> Vec<Vec3> {
    let step = ((sole.nu * sole.nv / LOOKED_AT) as f64).sqrt().ceil().max(1.0) as usize;
    let at = |k: usize, n: usize| ((k as f64 + 0.5 - 0.5 * n as f64) * Sole::TEXEL) as f32;
    let all = (0..sole.nu).flat_map(|i| (0..sole.nv).map(move |j| (i, j)));
    let covered = all.filter(|(i, j)| sole.coverage[i * sole.nv + j] > 0.5);
    // The ends and sides count whole: a foot that rolls stands on them.
    let edge = |k: usize, n: usize| k.is_multiple_of(step) || k + 1 == n;
    let kept = covered.filter(|&(i, j)| edge(i, sole.nu) && edge(j, sole.nv));
    kept.map(|(i, j)| Vec3::new(at(i, sole.nu), sole.depth[i * sole.nv + j], at(j, sole.nv))).collect()
}

impl Loaded {
    /// The sole of the right foot from its skin, if it has one that could be a foot's.
    pub fn own_sole(&self) -> Option<Sole> {
        let (upright, body) = (self.upright()?, self.body()?);
        let skin = upright.foot_skin(&self.source, 1);
        figure::extent(&skin, body.leg() as f32)?;
        Sole::from_mesh(&skin).ok()
    }
}

/// Whether a sole is the one of a character's own skin.
pub fn is_own_sole(loaded: &Loaded, sole: &Sole) -> bool {
    loaded.own_sole().is_some_and(|own| own == *sole)
}

impl Upright {
    /// Vertices of the skin of a foot.
    fn foot_vertices(&self, source: &Source, side: usize) -> Vec<Vertex> {
        let (rest, pose) = self.rest(source);
        let flat = self.offsets.level(&pose, side).conjugate();
        let triangles = figure::foot_triangles(source, &self.mapping, &self.space, &rest, flat, side);
        let mut corners: Vec<u32> = triangles.into_iter().flatten().collect();
        corners.sort_unstable();
        corners.dedup();
        corners.into_iter().map(|v| source.vertices[v as usize]).collect()
    }

    /// The file's joints in a pose of our skeleton, with the soles of its skin where the soles of the pose are.
    pub fn fitted(&self, source: &Source, skeleton: &Skeleton, pose: &Pose, fit: &Fit) -> Vec<Local> {
        let placed = skeleton.place(pose);
        let foot = &skeleton.foot;
        let below = Vec3::new(-foot.ankle as f32, -foot.ankle_height as f32, 0.0);
        // Skin without toes lies between the heel and the tip of a sole that bends.
        let tilts = [0, 1].map(|side| match self.toes_made {
            true => chord(foot, &placed, HIP[side] + 2),
            false => Quat::IDENTITY,
        });
        let heel = Vec3::X * foot.heel as f32;
        let mut targets = [0, 1].map(|side| {
            let (ankle, tilt) = (HIP[side] + 2, tilts[side]);
            let turn = placed.rotations[ankle];
            placed.positions[ankle] + turn * (below + heel) + tilt * (turn * (fit.ankles[side] - heel))
        });
        let mut locals = self.reaching(source, skeleton, pose, &placed, fit.lift, &targets, &tilts);
        // Skin is not shaped as our soles are: its lowest point comes to where that of the sole is.
        let mut layout = Layout::default();
        source.lay(&locals, &mut layout);
        let mut off = [0.0; 2];
        for side in 0..2 {
            let (ankle, ball) = (HIP[side] + 2, HIP[side] + 3);
            let toes = Vec3::X * foot.ball as f32;
            let out = if side == 0 { -1.0 } else { 1.0 };
            let height = |p: &Vec3| {
                let p = Vec3::new(p.x, p.y, out * p.z);
                match f64::from(p.x) < foot.ball {
                    true => (placed.positions[ankle] + placed.rotations[ankle] * (below + p)).y,
                    false => (placed.positions[ball] + placed.rotations[ball] * (p - toes)).y,
                }
            };
            let sole = fit.under.iter().map(height).fold(f32::MAX, f32::min);
            let lowest = self.lowest(&layout, &fit.skin[side]).map(|p| p.y);
            let most = FARTHEST * (skeleton.leg().0 + skeleton.leg().1);
            off[side] = lowest.map_or(0.0, |y| sole - y).clamp(-most, most);
            targets[side].y += off[side];
        }
        if off.iter().any(|d| d.abs() > CLOSE) {
            locals = self.reaching(source, skeleton, pose, &placed, fit.lift, &targets, &tilts);
        }
        locals
    }

    /// The lowest of some vertices, m.
    fn lowest(&self, layout: &Layout, skin: &[Vertex]) -> Option<Vec3> {
        let places = skin.iter().map(|v| self.space.turn * (v.at(layout) * self.space.unit));
        places.min_by(|a, b| a.y.total_cmp(&b.y))
    }

    /// The lowest skin of the left and the right foot, m; none where a foot has no skin of its own.
    pub fn lowest_skin(&self, source: &Source, locals: &[Local], fit: &Fit) -> [Option<Vec3>; 2] {
        let mut layout = Layout::default();
        source.lay(locals, &mut layout);
        [0, 1].map(|side| self.lowest(&layout, &fit.skin[side]))
    }

    /// The file's joints in a pose of our skeleton, with the ankles at `targets` and the feet turned by `tilts`.
    #[allow(clippy::too_many_arguments, reason = "a file, its body, and where its feet shall be")]
    fn reaching(
        &self,
        source: &Source,
        skeleton: &Skeleton,
        pose: &Pose,
        placed: &Placed,
        lift: f32,
        targets: &[Vec3; 2],
        tilts: &[Quat; 2],
    ) -> Vec<Local> {
        let mut locals = self.joints(source, skeleton, pose);
        let mut layout = Layout::default();
        source.lay(&locals, &mut layout);
        let seen = Snapshot::new(source, &self.mapping, &self.space, &layout);
        // The hips ride higher or lower with the ankles, and low enough for both legs to reach.
        let mut shift = Vec3::Y * lift;
        let lengths = [0, 1].map(|s| {
            let (h, k, a) = (seen.at(Limb::Hip, s), seen.at(Limb::Knee, s), seen.at(Limb::Ankle, s));
            [h.distance(k), k.distance(a)]
        });
        for _ in 0..3 {
            let lacks = [0, 1].map(|s| {
                let line = targets[s] - seen.at(Limb::Hip, s) - shift;
                let over = line.length() - 0.9995 * (lengths[s][0] + lengths[s][1]);
                if over > 0.0 { over / (-line.y / line.length()).max(0.5) } else { 0.0 }
            });
            shift.y -= lacks[0].max(lacks[1]);
        }
        let most = 0.1 * (lengths[0][0] + lengths[0][1]);
        shift.y = shift.y.clamp(-most, most);
        self.shift_pelvis(source, &layout, shift, &mut locals);
        let mut wanted: Vec<Option<Quat>> = vec![None; locals.len()];
        let into = |q: Quat| self.space.turn.conjugate() * q * self.space.turn;
        for side in 0..2 {
            let [hip, knee, ankle] = [Limb::Hip, Limb::Knee, Limb::Ankle].map(|l| self.mapping.limb(l, side));
            let (Some(hip), Some(knee), Some(ankle)) = (hip, knee, ankle) else { continue };
            let [h, k, a] = [Limb::Hip, Limb::Knee, Limb::Ankle].map(|l| seen.at(l, side) + shift);
            let along = (a - h).normalize_or(Vec3::NEG_Y);
            let out = (k - h) - (k - h).dot(along) * along;
            let front = placed.rotations[HIP[side]] * Vec3::X;
            let bend = two_bone(h, targets[side], lengths[side][0], lengths[side][1], out + 0.02 * front);
            let first = arc(k - h, bend.knee - h);
            let second = arc(first * (a - k), targets[side] - bend.knee);
            wanted[hip] = Some(into(first) * layout.turns[hip]);
            wanted[knee] = Some(into(second * first) * layout.turns[knee]);
            wanted[ankle] = Some(into(tilts[side]) * layout.turns[ankle]);
        }
        let mut turns = vec![Quat::IDENTITY; locals.len()];
        for j in 0..locals.len() {
            let above = source.joints[j].parent.map_or(Quat::IDENTITY, |p| turns[p]);
            if let Some(turn) = wanted[j].filter(|q| q.is_finite()) {
                locals[j].rotation = (above.conjugate() * turn).normalize();
            }
            turns[j] = (above * locals[j].rotation).normalize();
        }
        locals
    }

    /// The motion of a character that walks by poses of our skeleton.
    pub fn joint_motion(
        &self,
        source: &Source,
        skeleton: &Skeleton,
        poses: &[Pose],
        fit: &Fit,
    ) -> JointMotion {
        let mut motion = JointMotion {
            places: vec![[0.0; 3]],
            turns: vec![self.space.turn.to_array()],
            unit: self.space.unit,
            tracks: Vec::new(),
        };
        for pose in poses {
            motion.push(source, &self.fitted(source, skeleton, pose, fit));
        }
        motion.tidy(source);
        motion
    }
}

/// What turns the rear of a sole that bends into the line from its heel to the tip of its toes.
fn chord(foot: &FootShape, placed: &Placed, ankle: usize) -> Quat {
    let [heel, toes] = [foot.ball - foot.heel, foot.toe - foot.ball].map(|long| Vec3::X * long as f32);
    let (rear, front) = (placed.rotations[ankle] * heel, placed.rotations[ankle + 1] * toes);
    arc(rear, rear + front)
}

/// The shortest rotation from one direction to another.
fn arc(from: Vec3, to: Vec3) -> Quat {
    let (a, b) = (from.normalize_or(Vec3::Y), to.normalize_or(Vec3::Y));
    Quat::from_rotation_arc(a, b)
}

/// An animal at one moment: where it is, and where its feet are.
#[derive(Clone, Debug, PartialEq)]
pub struct Tread {
    /// Where it is in its stride and on its way.
    pub moment: Moment,
    /// Its feet in the order of its stride: place, at the height of the ground below it, m, and whether it stands.
    pub feet: Vec<(Vec3, bool)>,
}

/// Time in which an animal's feet and back follow the ground below them, s; our choice.
const SETTLE: f64 = 0.05;

impl Tread {
    /// Where an animal and its feet are now, `dt` after `before`: feet that stand at the height of their soles, others above the ground
    /// below them, smoothed. None for a puppet that is no animal.
    pub fn of(world: &World, id: usize, before: Option<&Self>, dt: f64) -> Option<Self> {
        let (moment, puppet) = (world.animal(id)?, world.puppet(id));
        let feet = puppet.pose.soles.iter().zip(&puppet.feet).enumerate().map(|(k, (sole, foot))| {
            let at = sole.position;
            let below = if foot.down { foot.height } else { world.height(f64::from(at.x), f64::from(at.z)) };
            let now = below as f32;
            let last = before.and_then(|b| b.feet.get(k)).map_or(now, |f| f.0.y);
            (at.with_y(last + (now - last) * (dt / SETTLE).min(1.0) as f32), foot.down)
        });
        Some(Self { moment, feet: feet.collect() })
    }
}

/// Where the feet of a stride are among [`super::four_footed::FEET`].
const ORDER: [usize; 4] = [1, 0, 3, 2];
/// Rounds of bending a leg towards its foot's place: our choice, a millimetre is left.
const ROUNDS: usize = 8;

impl FourFooted {
    /// The take of this name, or the first one that goes somewhere.
    pub fn played(&self, source: &Source, take: &str) -> Option<TakeStride> {
        let strides = self.strides(source);
        strides.all.iter().find(|t| t.name == take).or_else(|| strides.all.first()).cloned()
    }

    /// An animal that plays a take at a moment, its feet on the ground and its back along it: its joints, where the file's world lies in
    /// ours, m, and how it is turned.
    pub fn pose(&self, source: &Source, chosen: &TakeStride, tread: &Tread) -> (Vec<Local>, Vec3, Quat) {
        let (take, span) = (&source.takes[chosen.take], &chosen.span);
        let (mut a, mut b): (Vec<Local>, Vec<Local>) = (Vec::new(), Vec::new());
        let mut layout = Layout::default();
        let moment = &tread.moment;
        let frame = (moment.sample.floor() as usize).min(span.last - span.first - 1);
        let t = (moment.sample - frame as f64) as f32;
        source.pose(take, span.first + frame, &mut a);
        source.pose(take, span.first + frame + 1, &mut b);
        for (a, b) in a.iter_mut().zip(&b) {
            a.translation = a.translation.lerp(b.translation, t);
            a.scale = a.scale.lerp(b.scale, t);
            let to = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
            a.rotation = a.rotation.lerp(to, t).normalize();
        }
        // The take's own track is laid on the path at the animal's centre of mass; its back lies along the ground from its hind
        // to its fore feet.
        let pair = |from: usize| 0.5 * (tread.feet[from].0 + tread.feet[from + 1].0);
        let (hind, fore) = match tread.feet.len() {
            4 => (pair(0), pair(2)),
            2 => (pair(0), pair(0)),
            _ => (Vec3::ZERO, Vec3::ZERO),
        };
        let along = (fore - hind).with_y(0.0).length().max(0.3 * self.leg);
        let pitch = libm::atanf((fore.y - hind.y) / along).clamp(-0.5, 0.5);
        let level = 0.5 * (hind.y + fore.y);
        let centre = span.centres[frame].lerp(span.centres[frame + 1], t).with_y(span.level);
        let own = libm::atan2f(span.ahead.y, span.ahead.x);
        let heading = -moment.heading as f32;
        let turn = Quat::from_rotation_y(heading) * Quat::from_rotation_z(pitch) * Quat::from_rotation_y(own);
        let place = Vec3::new(moment.place[0] as f32, level, moment.place[1] as f32) - turn * centre;
        let whole = turn * self.space.turn;
        if tread.feet.len() == self.feet() {
            let seen = |p: Vec3| place + whole * (p * self.space.unit);
            let unseen = |p: Vec3| whole.conjugate() * (p - place) / self.space.unit;
            for (i, &(at, down)) in tread.feet.iter().enumerate() {
                let k = ORDER[i];
                source.lay(&a, &mut layout);
                let Some(&last) = self.legs[k].last() else { continue };
                let end = |l: &Layout| source.tip(last, l).unwrap_or(l.places[last]);
                let now = seen(end(&layout));
                // The plane on which the take stands, below the foot.
                let plane = level
                    + (now - place - turn * centre).dot(turn * (Quat::from_rotation_y(-own) * Vec3::X))
                        * libm::sinf(pitch);
                let goal = if down {
                    Vec3::new(at.x, at.y + span.stands[k], at.z)
                } else {
                    now + Vec3::Y * (at.y - plane).max(at.y + 0.5 * span.stands[k] - now.y)
                };
                bend(source, &self.legs[k], unseen(goal), &end, &mut a, &mut layout);
            }
        }
        (a, place, whole)
    }

    /// The motion of an animal that plays the stride of a take along its way.
    pub fn joint_motion(&self, source: &Source, take: &str, treads: &[Tread]) -> Option<JointMotion> {
        let chosen = self.played(source, take)?;
        let mut motion = JointMotion { unit: self.space.unit, ..JointMotion::default() };
        for tread in treads {
            let (locals, place, whole) = self.pose(source, &chosen, tread);
            motion.push(source, &locals);
            motion.places.push(place.to_array());
            let last = motion.turns.last().map_or(Quat::IDENTITY, |q| Quat::from_array(*q));
            motion.turns.push(if whole.dot(last) < 0.0 { (-whole).to_array() } else { whole.to_array() });
        }
        motion.tidy(source);
        Some(motion)
    }

    /// Metres per unit of its file.
    pub fn unit(&self) -> f32 {
        self.space.unit
    }
}

/// Bends a leg so that its end comes to `goal`, in the file's world: joint by joint from below, each by what is left (cyclic coordinate
/// descent, Wang & Chen 1991).
fn bend(
    source: &Source,
    leg: &[usize],
    goal: Vec3,
    end: &dyn Fn(&Layout) -> Vec3,
    locals: &mut [Local],
    layout: &mut Layout,
) {
    if !goal.is_finite() {
        return;
    }
    for _ in 0..ROUNDS {
        // The last joint keeps how the foot is held.
        for &joint in leg[..leg.len() - 1].iter().rev() {
            let (from, now) = (layout.places[joint], end(layout));
            if now.distance(goal) < 1e-4 * now.distance(from) {
                return;
            }
            let turn = arc(now - from, goal - from);
            let above = source.joints[joint].parent.map_or(Quat::IDENTITY, |p| layout.turns[p]);
            let turned = above.conjugate() * turn * layout.turns[joint];
            if turned.is_finite() {
                locals[joint].rotation = turned.normalize();
                source.lay(locals, layout);
            }
        }
    }
}
