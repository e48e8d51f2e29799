//! What programs call the joints.

use super::Row;
use trample::body::{Joint, Skeleton};
use trample::glam::{Quat, Vec3};
use trample_files::character::Part;

/// The names of a convention. `~` in a limb's name stands for the side.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// What our reader calls it.
    pub convention: &'static str,
    /// A joint above the hips, at the origin.
    pub above: Option<&'static str>,
    /// What stands before the names of the trunk.
    pub prefix: &'static str,
    /// Hips, spine, neck and head.
    pub trunk: &'static [&'static str],
    /// Joint between hips and thigh, or nothing.
    pub hip_helper: &'static str,
    /// Clavicle, upper arm, forearm, hand; thigh, shank, foot, toes. An empty one is not there.
    pub limbs: [&'static str; 8],
    /// What stands around a limb's name, `*`.
    pub limb: &'static str,
    pub sides: [&'static str; 2],
    /// Helpers that hang from the head, the hand, the thigh and the toes, to mislead.
    pub extras: [&'static str; 4],
}

const PLAIN: Names = Names {
    convention: "MotionBuilder",
    above: None,
    prefix: "",
    trunk: &["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"],
    hip_helper: "",
    limbs: ["~Shoulder", "~Arm", "~ForeArm", "~Hand", "~UpLeg", "~Leg", "~Foot", "~ToeBase"],
    limb: "*",
    sides: ["Left", "Right"],
    extras: ["", "~HandIndex1", "", ""],
};

/// Sides by one letter.
const SHORT: Names = Names { sides: ["L", "R"], ..PLAIN };

pub const MIXAMO: Names = Names {
    convention: "Mixamo",
    prefix: "mixamorig:",
    trunk: &["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"],
    limb: "mixamorig:*",
    extras: ["mixamorig:HeadTop_End", "mixamorig:~HandThumb1", "", "mixamorig:~Toe_End"],
    ..PLAIN
};

pub const LAFAN: Names = Names {
    convention: "LaFAN1",
    limbs: ["~Shoulder", "~Arm", "~ForeArm", "~Hand", "~UpLeg", "~Leg", "~Foot", "~Toe"],
    extras: [""; 4],
    ..PLAIN
};

pub const CMU: Names = Names {
    convention: "CMU",
    trunk: &["Hips", "LowerBack", "Spine", "Spine1", "Neck", "Head"],
    hip_helper: "~HipJoint",
    extras: ["", "~FingerBase", "", ""],
    ..PLAIN
};

pub const XSENS: Names = Names {
    convention: "Xsens",
    trunk: &["Hips", "Chest", "Chest2", "Chest3", "Chest4", "Neck", "Head"],
    limbs: ["~Collar", "~Shoulder", "~Elbow", "~Wrist", "~Hip", "~Knee", "~Ankle", "~Toe"],
    extras: [""; 4],
    ..PLAIN
};

const SMPL: Names = Names {
    convention: "SMPL",
    trunk: &["Pelvis", "Spine1", "Spine2", "Spine3", "Neck", "Head"],
    limbs: ["~_Collar", "~_Shoulder", "~_Elbow", "~_Wrist", "~_Hip", "~_Knee", "~_Ankle", "~_Foot"],
    extras: ["", "~_Hand", "", ""],
    ..SHORT
};

/// Every convention of the list.
pub const ALL: [Names; 21] = [
    MIXAMO,
    Names { convention: "Ready Player Me", extras: ["HeadTop_End", "~HandThumb1", "", "~Toe_End"], ..PLAIN },
    PLAIN,
    LAFAN,
    CMU,
    XSENS,
    Names {
        convention: "VRoid",
        above: Some("Root"),
        prefix: "J_Bip_C_",
        trunk: &["Hips", "Spine", "Chest", "UpperChest", "Neck", "Head"],
        limbs: ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "ToeBase"],
        limb: "J_Bip_~_*",
        extras: ["J_Sec_Hair1_01", "J_Bip_~_Index1", "J_Sec_~_CoatSkirtFront", ""],
        ..SHORT
    },
    Names {
        convention: "Unity Humanoid",
        trunk: &["Hips", "Spine", "Chest", "UpperChest", "Neck", "Head"],
        limbs: ["~Shoulder", "~UpperArm", "~LowerArm", "~Hand", "~UpperLeg", "~LowerLeg", "~Foot", "~Toes"],
        extras: ["Jaw", "~IndexProximal", "", ""],
        ..PLAIN
    },
    Names {
        convention: "Bandai Namco",
        above: Some("joint_Root"),
        trunk: &["Hips", "Spine", "Chest", "Neck", "Head"],
        limbs: ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"],
        limb: "*_~",
        extras: [""; 4],
        ..SHORT
    },
    Names {
        convention: "Unreal mannequin",
        above: Some("root"),
        trunk: &["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head"],
        limbs: ["clavicle_~", "upperarm_~", "lowerarm_~", "hand_~", "thigh_~", "calf_~", "foot_~", "ball_~"],
        sides: ["l", "r"],
        extras: ["", "index_01_~", "thigh_twist_01_~", ""],
        ..PLAIN
    },
    SMPL,
    Names {
        convention: "Poser or Daz",
        trunk: &["hip", "abdomen", "chest", "neck", "head"],
        hip_helper: "~Buttock",
        limbs: ["~Collar", "~Shldr", "~ForeArm", "~Hand", "~Thigh", "~Shin", "~Foot", "~Toe"],
        sides: ["l", "r"],
        extras: ["", "~Thumb1", "", ""],
        ..PLAIN
    },
    Names {
        convention: "Poser or Daz",
        above: Some("hip"),
        trunk: &["pelvis", "abdomenLower", "abdomenUpper", "chestLower", "chestUpper", "neckLower", "head"],
        limbs: ["~Collar", "~ShldrBend", "~ForearmBend", "~Hand", "~ThighBend", "~Shin", "~Foot", "~Toe"],
        sides: ["l", "r"],
        extras: ["", "~Thumb1", "", "~BigToe"],
        ..PLAIN
    },
    Names {
        convention: "3ds Max Biped",
        above: Some("Bip01"),
        prefix: "Bip01 ",
        trunk: &["Pelvis", "Spine", "Spine1", "Neck", "Head"],
        limbs: ["Clavicle", "UpperArm", "Forearm", "Hand", "Thigh", "Calf", "Foot", "Toe0"],
        limb: "Bip01 ~ *",
        extras: ["Bip01 HeadNub", "Bip01 ~ Finger0", "", "Bip01 ~ Toe0Nub"],
        ..SHORT
    },
    Names {
        convention: "Rigify",
        above: Some("root"),
        prefix: "DEF-",
        trunk: &["spine", "spine.001", "spine.002", "spine.003", "spine.004", "spine.006"],
        limbs: ["shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"],
        limb: "DEF-*.~",
        extras: ["MCH-head", "DEF-f_index.01.~", "DEF-thigh.~.001", ""],
        ..SHORT
    },
    Names {
        convention: "Rokoko",
        trunk: &["Hips", "Spine", "Spine2", "Spine3", "Spine4", "Neck", "Head"],
        limbs: ["~Shoulder", "~Arm", "~ForeArm", "~Hand", "~Thigh", "~Shin", "~Foot", "~Toe"],
        extras: [""; 4],
        ..PLAIN
    },
    Names {
        convention: "MakeHuman",
        trunk: &["root", "spine05", "spine04", "spine03", "spine02", "spine01", "neck01", "head"],
        limbs: [
            "clavicle",
            "upperarm01",
            "lowerarm01",
            "wrist",
            "upperleg01",
            "lowerleg01",
            "foot",
            "toe1-1",
        ],
        limb: "*.~",
        extras: ["jaw", "finger1-1.~", "", "toe1-2.~"],
        ..SHORT
    },
    Names {
        convention: "3ds Max Biped",
        prefix: "ValveBiped.Bip01_",
        trunk: &["Pelvis", "Spine", "Spine1", "Spine2", "Spine4", "Neck1", "Head1"],
        limbs: ["Clavicle", "UpperArm", "Forearm", "Hand", "Thigh", "Calf", "Foot", "Toe0"],
        limb: "ValveBiped.Bip01_~_*",
        extras: ["", "ValveBiped.Bip01_~_Finger0", "", ""],
        ..SHORT
    },
    Names {
        convention: "Daz Genesis 9",
        above: Some("hip"),
        trunk: &["pelvis", "spine1", "spine2", "spine3", "spine4", "neck1", "head"],
        limbs: ["~_shoulder", "~_upperarm", "~_forearm", "~_hand", "~_thigh", "~_shin", "~_foot", "~_toes"],
        sides: ["l", "r"],
        extras: ["", "~_thumb1", "~_thightwist1", ""],
        ..PLAIN
    },
    Names {
        convention: "Acclaim",
        trunk: &["root", "lowerback", "upperback", "thorax", "lowerneck", "head"],
        hip_helper: "~hipjoint",
        limbs: ["~clavicle", "~humerus", "~radius", "~wrist", "~femur", "~tibia", "~foot", "~toes"],
        sides: ["l", "r"],
        extras: ["", "~fingers", "", ""],
        ..PLAIN
    },
    Names {
        convention: "MikuMikuDance",
        above: Some("全ての親"),
        trunk: &["下半身", "上半身", "上半身2", "首", "頭"],
        limbs: ["~肩", "~腕", "~ひじ", "~手首", "~足", "~ひざ", "~足首", "~つま先"],
        sides: ["左", "右"],
        extras: ["", "~親指1", "", ""],
        ..PLAIN
    },
];

/// Rows of a rig by these names. Without toes if `toes` is not set.
pub fn rows(names: &Names, skeleton: &Skeleton, toes: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |name: String,
                   parent: Option<usize>,
                   follows: usize,
                   at: Vec3,
                   part: Option<Part>,
                   tip: Option<Vec3>| {
        rows.push(Row { name, parent, follows, at, part, tip, frame: Quat::IDENTITY });
        rows.len() - 1
    };
    let [hips_name, spine_names @ .., neck_name, head_name] = names.trunk else {
        unreachable!("a trunk has hips, neck and head")
    };
    let trunk = |name: &str| format!("{}{name}", names.prefix);
    let above = names.above.map(|n| add(n.into(), None, 0, Vec3::ZERO, None, None));
    let hips = add(trunk(hips_name), above, 0, Vec3::ZERO, Some(Part::Pelvis), None);
    let offset = |j: Joint| skeleton.offsets[j as usize];
    let (spine, chest) = (Joint::Spine as usize, Joint::Chest as usize);
    let mut back = hips;
    let count = spine_names.len();
    for (i, name) in spine_names.iter().enumerate() {
        let last = i + 1 == count;
        let part = if last {
            Some(Part::Chest)
        } else if i == (count - 1) / 2 {
            Some(Part::Spine)
        } else {
            None
        };
        let follows = if last { chest } else { spine };
        let at = if i == 0 { offset(Joint::Spine) } else { offset(Joint::Chest) / (count - 1) as f32 };
        back = add(trunk(name), Some(back), follows, at, part, None);
    }
    let neck =
        add(trunk(neck_name), Some(back), Joint::Neck as usize, offset(Joint::Neck), Some(Part::Neck), None);
    let up = Vec3::new(0.0, 0.15, 0.0);
    let head = add(
        trunk(head_name),
        Some(neck),
        Joint::Head as usize,
        offset(Joint::Head),
        Some(Part::Head),
        Some(up),
    );
    if !names.extras[0].is_empty() {
        add(names.extras[0].into(), Some(head), Joint::Head as usize, up, None, None);
    }
    for side in 0..2 {
        let named = |k: usize| names.limb.replace('*', names.limbs[k]).replace('~', names.sides[side]);
        let extra = |k: usize| names.extras[k].replace('~', names.sides[side]);
        let part = |k: usize| Some(Part::ALL[5 + 8 * side + k]);
        let shoulder = if side == 0 { Joint::LeftShoulder as usize } else { Joint::RightShoulder as usize };
        let whole = skeleton.offsets[shoulder];
        let near = Vec3::new(0.0, whole.y, 0.25 * whole.z);
        let clavicle = add(named(0), Some(back), chest, near, part(0), None);
        let arm = add(named(1), Some(clavicle), shoulder, whole - near, part(1), None);
        let fore = add(named(2), Some(arm), shoulder + 1, skeleton.offsets[shoulder + 1], part(2), None);
        let down = Vec3::new(0.0, -0.18, 0.0);
        let hand =
            add(named(3), Some(fore), shoulder + 2, skeleton.offsets[shoulder + 2], part(3), Some(down));
        if !names.extras[1].is_empty() {
            add(extra(1), Some(hand), shoulder + 2, 0.5 * down, None, Some(0.1 * down));
        }
    }
    for side in 0..2 {
        let named = |k: usize| names.limb.replace('*', names.limbs[k]).replace('~', names.sides[side]);
        let extra = |k: usize| names.extras[k].replace('~', names.sides[side]);
        let part = |k: usize| Some(Part::ALL[5 + 8 * side + k]);
        let hip = if side == 0 { Joint::LeftHip as usize } else { Joint::RightHip as usize };
        let (mut from, mut at) = (hips, skeleton.offsets[hip]);
        if !names.hip_helper.is_empty() {
            // A joint of no length at the hips, or half-way.
            let helper = names.hip_helper.replace('~', &names.sides[side][..1]);
            let half = if helper.contains("Buttock") { 0.5 } else { 0.0 };
            from = add(helper, Some(hips), 0, half * at, None, None);
            at *= 1.0 - half;
        }
        let thigh = add(named(4), Some(from), hip, at, part(4), None);
        if !names.extras[2].is_empty() {
            add(extra(2), Some(thigh), hip, 0.5 * skeleton.offsets[hip + 1], None, None);
        }
        let shank = add(named(5), Some(thigh), hip + 1, skeleton.offsets[hip + 1], part(5), None);
        let ball = skeleton.offsets[hip + 3];
        let end = ball / 0.7;
        let foot_tip = (!toes).then_some(end);
        let foot = add(named(6), Some(shank), hip + 2, skeleton.offsets[hip + 2], part(6), foot_tip);
        if toes {
            let tip = Vec3::new(0.07, 0.0, 0.0);
            let toe = add(named(7), Some(foot), hip + 3, ball, part(7), Some(tip));
            if !names.extras[3].is_empty() {
                add(extra(3), Some(toe), hip + 3, tip, None, None);
            }
        }
    }
    rows
}
