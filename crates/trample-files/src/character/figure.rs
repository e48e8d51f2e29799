//! The body in a file as one of ours: its lengths, a mass for its size, and its soles.
//!
//! In: a mapped skeleton, perhaps with a skin. Out: a [`Body`], and the triangles below its ankles.

use super::part::{Limb, Mapping, Part};
use super::retarget::Measures;
use super::snapshot::Snapshot;
use super::source::{Layout, Source};
use super::space::Space;
use trample::glam::{Quat, Vec3};
use trample::params::Body;

/// A toe joint that is missing is put at this share of the foot before the ankle.
pub const TOES_AT: f32 = 0.7;
/// Length of a shoe over that of its foot, and its width likewise.
const SHOE: f64 = 1.07;
const BROADER: f64 = 1.08;
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

/// How high the ankles are above the skin of the soles below them, m; none where no skin tells, or what it tells is no foot's. `feet` are
/// what [`foot_skin`] has found.
pub(super) fn ankle_height(feet: &[Vec<[Vec3; 3]>; 2], leg: f32) -> Option<f32> {
    let lowest = |side: usize| feet[side].iter().flatten().map(|p| p.y).fold(f32::MAX, f32::min);
    let high = [0, 1].map(|side| -lowest(side));
    high.iter().all(|h| (0.01 * leg..0.6 * leg).contains(h)).then_some(0.5 * (high[0] + high[1]))
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

/// Length and width of the soles of a skin over the length of the leg, and the least and the most that the width is over the length:
/// what is beyond is trousers, a stump, or toes alone. Our choice, to let large boots pass.
const LONG: [f32; 2] = [0.12, 1.1];
const WIDE: [f32; 2] = [0.15, 1.2];

/// Between which corners the skin of a foot is, seen from its ankle, m; none where it is no foot's. `leg` is from hip to ground.
pub(super) fn extent(skin: &[[Vec3; 3]], leg: f32) -> Option<[Vec3; 2]> {
    let low = skin.iter().flatten().fold(Vec3::MAX, |a, &p| a.min(p));
    let high = skin.iter().flatten().fold(Vec3::MIN, |a, &p| a.max(p));
    let size = high - low;
    let foot = (LONG[0] * leg..LONG[1] * leg).contains(&size.x)
        && (WIDE[0] * size.x..WIDE[1] * size.x).contains(&size.z)
        // It begins below the ankle, or not far before it.
        && low.x < 0.1 * size.x;
    foot.then_some([low, high])
}

/// Length and width of bare feet in the skin, which is a shoe's, m; none where that is no foot's.
pub(super) fn foot_size(feet: &[Vec<[Vec3; 3]>; 2], leg: f32) -> Option<[f64; 2]> {
    let [left, right] = [extent(&feet[0], leg)?, extent(&feet[1], leg)?].map(|[low, high]| high - low);
    let size = 0.5 * (left + right);
    Some([f64::from(size.x) / SHOE, f64::from(size.z) / BROADER])
}

/// How tall the skin is at rest, m: from its lowest point to its highest. None without one, or where that is no body's: not much
/// more than its legs, or many times as much. What hangs on bones counts where nothing is bound to them: a sword does not.
pub(super) fn skin_height(source: &Source, space: &Space, rest: &Layout, leg: f32) -> Option<f32> {
    let tall = |from: usize| {
        let (mut low, mut high) = (f32::MAX, f32::MIN);
        for v in &source.vertices[from..] {
            let y = (space.turn * (v.at(rest) * space.unit)).y;
            (low, high) = (low.min(y), high.max(y));
        }
        Some(high - low).filter(|tall| (1.5 * leg..8.0 * leg).contains(tall))
    };
    tall(source.rigid).or_else(|| tall(0))
}

/// The triangles of the skin of one foot: those below the ankle, and those where its sole ends in skin that the shank moves. `flat`
/// turns our world into the frame of a foot that lies flat.
pub(super) fn foot_triangles(
    source: &Source,
    mapping: &Mapping,
    space: &Space,
    rest: &Layout,
    flat: Quat,
    side: usize,
) -> Vec<[u32; 3]> {
    let (Some(knee), Some(ankle)) = (mapping.limb(Limb::Knee, side), mapping.limb(Limb::Ankle, side)) else {
        return Vec::new();
    };
    // Most vertices hang on few joints: each is asked once whether it belongs to the foot, or to the shank.
    let below =
        |top: usize| -> Vec<bool> { (0..source.joints.len()).map(|j| source.hangs_from(j, top)).collect() };
    let (foot, shank) = (below(ankle), below(knee));
    let ours = |v: &u32| foot[source.vertices[*v as usize].joint as usize];
    let low = |v: &u32| {
        let v = source.vertices[*v as usize];
        shank[v.joint as usize] && (flat * (space.turn * (v.at(rest) - rest.places[ankle]))).y < 0.0
    };
    let foots = |t: &&[u32; 3]| t.iter().any(ours) && t.iter().all(|v| ours(v) || low(v));
    source.triangles.iter().filter(foots).copied().collect()
}

/// The skin of one foot as triangles in the frame of a foot that lies flat, seen from its ankle: x ahead, y up, z right, m. Empty
/// without a skin.
pub(super) fn foot_skin(
    source: &Source,
    mapping: &Mapping,
    space: &Space,
    rest: &Layout,
    flat: Quat,
    side: usize,
) -> Vec<[Vec3; 3]> {
    let Some(ankle) = mapping.limb(Limb::Ankle, side) else { return Vec::new() };
    let seen = |v: u32| {
        let off = source.vertices[v as usize].at(rest) - rest.places[ankle];
        flat * (space.turn * (off * space.unit))
    };
    foot_triangles(source, mapping, space, rest, flat, side).into_iter().map(|t| t.map(seen)).collect()
}
