//! A moment of a mapped body in our world: where its parts are and how they are turned, and how that becomes our skeleton's.
//!
//! In: a layout of the file's joints. Out: places in metres, y up; rotations of our joints once a reference pose has told how
//! the file's joints are turned against ours.

use super::part::{Limb, Mapping, PARTS, Part};
use super::source::{Layout, Source};
use super::space::Space;
use trample::glam::{Mat3, Quat, Vec3};

/// Parts of a body at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Snapshot {
    /// Places, m.
    pub(super) places: [Vec3; PARTS],
    /// Rotations as the file has them, in our world.
    pub(super) turns: [Quat; PARTS],
    /// Ends of the feet if no toe joint is there: tips of the bones, m.
    pub(super) tips: [Option<Vec3>; 2],
}

impl Snapshot {
    pub(super) fn new(source: &Source, mapping: &Mapping, space: &Space, layout: &Layout) -> Self {
        let place = |p: Vec3| space.turn * (p * space.unit);
        let mut snapshot =
            Self { places: [Vec3::ZERO; PARTS], turns: [Quat::IDENTITY; PARTS], tips: [None; 2] };
        for part in Part::ALL {
            if let Some(j) = mapping.joint(part) {
                snapshot.places[part as usize] = place(layout.places[j]);
                snapshot.turns[part as usize] = (space.turn * layout.turns[j]).normalize();
            }
        }
        for side in 0..2 {
            let foot = mapping.limb(Limb::Ankle, side);
            snapshot.tips[side] = foot.and_then(|j| source.tip(j, layout)).map(place);
        }
        snapshot
    }

    pub(super) fn at(&self, limb: Limb, side: usize) -> Vec3 {
        self.places[limb.on(side) as usize]
    }

    /// Middle between the hip joints, m.
    pub(super) fn hips(&self) -> Vec3 {
        0.5 * (self.at(Limb::Hip, 0) + self.at(Limb::Hip, 1))
    }

    /// Between this and another, `t` of the way.
    pub(super) fn towards(&self, to: &Self, t: f32) -> Self {
        let turn = |a: Quat, b: Quat| {
            (if a.dot(b) < 0.0 { a * (1.0 - t) - b * t } else { a * (1.0 - t) + b * t }).normalize()
        };
        Self {
            places: std::array::from_fn(|i| self.places[i].lerp(to.places[i], t)),
            turns: std::array::from_fn(|i| turn(self.turns[i], to.turns[i])),
            tips: [0, 1].map(|s| Some(self.tips[s]?.lerp(to.tips[s]?, t))),
        }
    }

    /// How upright the body stands: 1 with straight legs below a straight back, whatever is up.
    pub(super) fn upright(&self, mapping: &Mapping) -> (f32, Vec3) {
        let way = |a: Vec3, b: Vec3| (b - a).normalize_or_zero();
        let mut rises = Vec::with_capacity(5);
        for side in 0..2 {
            let (hip, knee, ankle) =
                (self.at(Limb::Hip, side), self.at(Limb::Knee, side), self.at(Limb::Ankle, side));
            rises.push(way(knee, hip));
            rises.push(way(ankle, knee));
        }
        let top = [Part::Neck, Part::Chest, Part::Head].into_iter().find(|p| mapping.joint(*p).is_some());
        if let Some(top) = top {
            rises.push(way(self.hips(), self.places[top as usize]));
        }
        let up = rises.iter().sum::<Vec3>().normalize_or_zero();
        (rises.iter().map(|r| r.dot(up)).fold(1.0, f32::min), up)
    }
}

/// A rotation with z along `right` and y as near to `up` as that allows.
fn frame(right: Vec3, up: Vec3) -> Option<Quat> {
    let z = right.try_normalize()?;
    let y = (up - up.dot(z) * z).try_normalize()?;
    Some(Quat::from_mat3(&Mat3::from_cols(y.cross(z), y, z)))
}

/// What takes the file's joints to ours: ours = file's × offset, in the world.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Offsets(pub(super) [Quat; PARTS]);

/// Bent by less than this a limb does not say about which axis it bends: sine of 15°, our choice.
const BENT: f32 = 0.26;

impl Offsets {
    /// From a pose in which the body stands upright; `up` is up in it.
    pub(super) fn of(snapshot: &Snapshot, mapping: &Mapping, up: Vec3) -> Option<Self> {
        let has = |limb: Limb| (0..2).all(|s| mapping.limb(limb, s).is_some());
        let across = |limb: Limb| {
            let v = snapshot.at(limb, 1) - snapshot.at(limb, 0);
            v - v.dot(up) * up
        };
        let pelvis = frame(across(Limb::Hip), up)?;
        let chest = if has(Limb::Shoulder) { frame(across(Limb::Shoulder), up) } else { None };
        // Shoulders against hips the other way round are not to be believed.
        let chest = chest.filter(|c| (*c * Vec3::Z).dot(pelvis * Vec3::Z) > 0.3).unwrap_or(pelvis);
        let mut ours = [pelvis; PARTS];
        for part in [Part::Spine, Part::Chest, Part::Neck, Part::Head] {
            ours[part as usize] = chest;
        }
        for side in 0..2 {
            let limb = |a: Limb, b: Limb, c: Limb, base: Quat, sign: f32| {
                let (p, q, r) = (snapshot.at(a, side), snapshot.at(b, side), snapshot.at(c, side));
                let (upper, lower) = ((q - p).normalize_or(Vec3::NEG_Y), (r - q).normalize_or(Vec3::NEG_Y));
                // Straight limbs are turned the shortest way from hanging.
                let local = base.conjugate() * upper;
                let usual = base * Quat::from_rotation_arc(Vec3::NEG_Y, local.normalize()) * Vec3::Z;
                let bend = upper.cross(lower) * sign;
                let axis = if bend.length() > BENT && bend.dot(usual) > 0.0 { bend } else { usual };
                let turn = |way: Vec3| {
                    let y = -way;
                    frame(axis - axis.dot(y) * y, y).unwrap_or(base)
                };
                [turn(upper), turn(lower)]
            };
            ours[Limb::Clavicle.on(side) as usize] = chest;
            let arm = limb(Limb::Shoulder, Limb::Elbow, Limb::Wrist, chest, 1.0);
            for (part, turn) in [(Limb::Shoulder, arm[0]), (Limb::Elbow, arm[1]), (Limb::Wrist, arm[1])] {
                ours[part.on(side) as usize] = turn;
            }
            let leg = limb(Limb::Hip, Limb::Knee, Limb::Ankle, pelvis, -1.0);
            ours[Limb::Hip.on(side) as usize] = leg[0];
            ours[Limb::Knee.on(side) as usize] = leg[1];
            let foot = flat_foot(snapshot, mapping, side, up).unwrap_or(pelvis);
            ours[Limb::Ankle.on(side) as usize] = foot;
            ours[Limb::Ball.on(side) as usize] = foot;
        }
        Some(Self(std::array::from_fn(|i| (snapshot.turns[i].conjugate() * ours[i]).normalize())))
    }

    /// Our rotation of a foot as it lies in a pose, flat where that is the pose they were taken from.
    pub(super) fn level(&self, pose: &Snapshot, side: usize) -> Quat {
        let i = Limb::Ankle.on(side) as usize;
        (pose.turns[i] * self.0[i]).normalize()
    }

    /// The mean of several.
    pub(super) fn mean(all: &[Self]) -> Option<Self> {
        let first = all.first()?;
        Some(Self(std::array::from_fn(|i| mean_turn(first.0[i], all.iter().map(|o| o.0[i])))))
    }
}

/// The mean of rotations that are near to each other.
pub(super) fn mean_turn(near: Quat, all: impl Iterator<Item = Quat>) -> Quat {
    let sum =
        all.fold(
            Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            |sum, q| if q.dot(near) < 0.0 { sum - q } else { sum + q },
        );
    if sum.length_squared() > 1e-12 { sum.normalize() } else { near }
}

/// Our rotation of a foot that lies flat: ahead towards its toes.
pub(super) fn flat_foot(snapshot: &Snapshot, mapping: &Mapping, side: usize, up: Vec3) -> Option<Quat> {
    let ankle = snapshot.at(Limb::Ankle, side);
    let ball = mapping.limb(Limb::Ball, side).map(|_| snapshot.at(Limb::Ball, side));
    let leg = snapshot.at(Limb::Knee, side).distance(ankle);
    let far = |p: &Vec3| (*p - ankle - (*p - ankle).dot(up) * up).length() > 0.05 * leg;
    let toe = ball.filter(far).or(snapshot.tips[side].filter(far))?;
    let ahead = toe - ankle;
    frame(ahead.cross(up), up)
}
