//! The body in a file as one of ours: its lengths, a mass for its size, and its soles.
//!
//! In: a mapped skeleton, perhaps with a skin. Out: a [`Body`], and the triangles below its ankles.

use super::part::{Limb, Mapping, Part};
use super::retarget::Measures;
use super::snapshot::{Snapshot, flat_foot};
use super::source::{Layout, Source};
use super::space::Space;
use trample::glam::{Quat, Vec3};
use trample::params::Body;

/// A toe joint that is missing is put at this share of the foot before the ankle.
pub const TOES_AT: f32 = 0.7;
/// Length of a shoe over that of its foot.
const SHOE: f64 = 1.07;
/// Ankle to ball as a share of the bare foot's length, as [`trample::body::FootShape`] has it on shoes.
const ANKLE_TO_BALL: f64 = 0.49 * SHOE;

/// Lengths of the legs from a pose, m.
pub(super) fn measures(pose: &Snapshot) -> Measures {
    let mean = |a: Limb, b: Limb| (0..2).map(|s| pose.at(a, s).distance(pose.at(b, s))).sum::<f32>() / 2.0;
    let (thigh, shank) = (mean(Limb::Hip, Limb::Knee), mean(Limb::Knee, Limb::Ankle));
    let usual = Body::default();
    let ankle = (usual.ankle_height / (usual.thigh + usual.shank)) as f32;
    Measures { thigh, shank, ankle_height: ankle * (thigh + shank) }
}

/// The file's body with `mass` kg, or that of a person of its height. Lengths are its own where its joints tell them, else
/// those of a person with its legs. Also whether its toes had to be made up.
pub(super) fn body(
    pose: &Snapshot,
    mapping: &Mapping,
    measures: &Measures,
    mass: Option<f64>,
    skin: Option<f32>,
) -> (Body, bool) {
    let usual = Body::default();
    let size = f64::from(measures.thigh + measures.shank) / (usual.thigh + usual.shank);
    let mut body = Body::new(size * usual.height, usual.mass);
    (body.thigh, body.shank) = (f64::from(measures.thigh), f64::from(measures.shank));
    body.ankle_height = f64::from(measures.ankle_height);
    // Measures that differ from a usual person's by more than half mean that joints were mapped wrongly.
    let near = |value: f32, usual: f64| {
        let value = f64::from(value);
        if (0.5 * usual..1.6 * usual).contains(&value) { value } else { usual }
    };
    let has = |limb: Limb| (0..2).all(|s| mapping.limb(limb, s).is_some());
    let mean = |a: Limb, b: Limb| (0..2).map(|s| pose.at(a, s).distance(pose.at(b, s))).sum::<f32>() / 2.0;
    body.hip_width = near(pose.at(Limb::Hip, 0).distance(pose.at(Limb::Hip, 1)), body.hip_width);
    if mapping.joint(Part::Neck).is_some() {
        body.trunk = near(pose.hips().distance(pose.places[Part::Neck as usize]), body.trunk);
    }
    if has(Limb::Shoulder) {
        let width = pose.at(Limb::Shoulder, 0).distance(pose.at(Limb::Shoulder, 1));
        body.shoulder_width = near(width, body.shoulder_width);
    }
    if has(Limb::Elbow) && has(Limb::Shoulder) {
        body.upper_arm = near(mean(Limb::Shoulder, Limb::Elbow), body.upper_arm);
    }
    if has(Limb::Wrist) && has(Limb::Elbow) {
        body.forearm = near(mean(Limb::Elbow, Limb::Wrist), body.forearm);
    }
    let level = |v: Vec3| v.with_y(0.0).length();
    let toes = |s: usize| pose.at(Limb::Ball, s) - pose.at(Limb::Ankle, s);
    let mut made = true;
    if has(Limb::Ball) && (0..2).all(|s| level(toes(s)) > 0.1 * measures.shank) {
        let ball = f64::from(0.5 * (level(toes(0)) + level(toes(1))));
        body.foot_length = near((ball / ANKLE_TO_BALL) as f32, body.foot_length);
        made = false;
    } else if let [Some(a), Some(b)] = pose.tips {
        let tip = 0.5 * (level(a - pose.at(Limb::Ankle, 0)) + level(b - pose.at(Limb::Ankle, 1)));
        body.foot_length = near((f64::from(TOES_AT * tip) / ANKLE_TO_BALL) as f32, body.foot_length);
    }
    // The skin tells how tall it is. Without one joints end below the top of the head, and often the neck begins low: legs tell then
    // (hips at 0.53 of the height, Drillis & Contini 1966), and what trunk and neck leave is the head's.
    let tall = skin.map_or(size * usual.height, f64::from);
    let [least, most] = [0.5, if skin.is_some() { 6.0 } else { 1.2 }].map(|share| share * body.head);
    body.head = (tall - body.leg() - body.trunk).clamp(least, most);
    if skin.is_none() {
        body.trunk = body.trunk.max(tall - body.leg() - body.head);
    }
    body.height = body.leg() + body.trunk + body.head;
    // The build of the papers' walker: 77.5 kg at 1.8 m.
    body.mass = mass.unwrap_or(usual.mass * (body.height / usual.height) * (body.height / usual.height));
    (body, made)
}

/// How high the ankles are above the skin of the soles below them at rest, m; none where no skin tells, or what it tells is no foot's.
pub(super) fn ankle_height(
    source: &Source,
    mapping: &Mapping,
    space: &Space,
    rest: &Layout,
    pose: &Snapshot,
    leg: f32,
) -> Option<f32> {
    let mut sum = 0.0;
    for side in 0..2 {
        let skin = foot_skin(source, mapping, space, rest, side);
        let lowest = skin.iter().flatten().map(|p| p.y).fold(f32::MAX, f32::min);
        let high = pose.at(Limb::Ankle, side).y - lowest;
        if !(0.01 * leg..0.6 * leg).contains(&high) {
            return None;
        }
        sum += 0.5 * high;
    }
    Some(sum)
}

/// The same by the joints of a body that stands at rest: its ankles above the ends of its feet, m. None where that is less than a person's,
/// whose toe joints are nearly as high as its ankles.
pub(super) fn ankle_above_toes(pose: &Snapshot, mapping: &Mapping, usual: f32, leg: f32) -> Option<f32> {
    let mut sum = 0.0;
    for side in 0..2 {
        let ball = mapping.limb(Limb::Ball, side).map(|_| pose.at(Limb::Ball, side));
        let lowest = ball.into_iter().chain(pose.tips[side]).map(|p| p.y).fold(f32::MAX, f32::min);
        sum += 0.5 * (pose.at(Limb::Ankle, side).y - lowest);
    }
    (usual..0.6 * leg).contains(&sum).then_some(sum)
}

/// Length of the feet of a body without toe joints by its skin, which is a shoe's, m; none where that is no foot's.
pub(super) fn foot_length(
    source: &Source,
    mapping: &Mapping,
    space: &Space,
    rest: &Layout,
    pose: &Snapshot,
    usual: f64,
) -> Option<f64> {
    let long = |side: usize| {
        let skin = sole(source, mapping, space, rest, pose, Vec3::Y, side);
        let ends = skin.iter().flatten().fold((f32::MAX, f32::MIN), |(a, b), p| (a.min(p.x), b.max(p.x)));
        f64::from(ends.1 - ends.0) / SHOE
    };
    Some(0.5 * (long(0) + long(1))).filter(|long| (0.5 * usual..1.6 * usual).contains(long))
}

/// How tall the skin is at rest, m: from its lowest point to its highest. None without one, or where that is no body's: not much
/// more than its legs, or many times as much. What hangs on bones counts where nothing is bound to them: a sword does not.
pub(super) fn skin_height(source: &Source, space: &Space, rest: &Layout, leg: f32) -> Option<f32> {
    let tall = |from: usize| {
        let (mut low, mut high) = (f32::MAX, f32::MIN);
        for v in &source.vertices[from..] {
            let j = v.joint as usize;
            let world = rest.places[j] + rest.turns[j] * (rest.scales[j] * v.place);
            let y = (space.turn * (world * space.unit)).y;
            (low, high) = (low.min(y), high.max(y));
        }
        Some(high - low).filter(|tall| (1.5 * leg..8.0 * leg).contains(tall))
    };
    tall(source.rigid).or_else(|| tall(0))
}

/// The skin below one ankle as triangles in the sole's frame: x ahead, y up, z right, m, from below the ankle on the lowest
/// plane. Empty without a skin.
pub(super) fn sole(
    source: &Source,
    mapping: &Mapping,
    space: &Space,
    rest: &Layout,
    pose: &Snapshot,
    up: Vec3,
    side: usize,
) -> Vec<[Vec3; 3]> {
    let turn = flat_foot(pose, mapping, side, up).unwrap_or(Quat::IDENTITY).conjugate();
    let from = pose.at(Limb::Ankle, side);
    let mut triangles = foot_skin(source, mapping, space, rest, side);
    triangles.iter_mut().flatten().for_each(|p| *p = turn * (*p - from));
    let lowest = triangles.iter().flatten().map(|p| p.y).fold(f32::MAX, f32::min);
    if lowest.is_finite() {
        triangles.iter_mut().flatten().for_each(|p| p.y -= lowest);
    }
    triangles
}

/// The skin below one ankle as triangles in our world, m. Empty without a skin.
pub(super) fn foot_skin(
    source: &Source,
    mapping: &Mapping,
    space: &Space,
    rest: &Layout,
    side: usize,
) -> Vec<[Vec3; 3]> {
    let Some(ankle) = mapping.limb(Limb::Ankle, side) else { return Vec::new() };
    // Most vertices hang on few joints: each is asked once whether it belongs to the foot.
    let foot: Vec<bool> = (0..source.joints.len()).map(|j| source.hangs_from(j, ankle)).collect();
    let seen = |v: u32| {
        let v = source.vertices[v as usize];
        let j = v.joint as usize;
        let world = rest.places[j] + rest.turns[j] * (rest.scales[j] * v.place);
        space.turn * (world * space.unit)
    };
    let ours = |v: &u32| foot[source.vertices[*v as usize].joint as usize];
    source.triangles.iter().filter(|t| t.iter().all(ours)).map(|t| t.map(seen)).collect()
}
