//! The naming conventions in use: what each calls the parts of a body.
//!
//! Names are those that the programs and data sets write into their files, without prefix, case and side.

/// What a convention calls the parts. The first word of a list that is there counts; for the spine all of them.
pub(super) struct Convention {
    pub(super) name: &'static str,
    /// A word that must occur in some raw name, in small letters; none if empty.
    pub(super) mark: &'static str,
    pub(super) pelvis: &'static [&'static str],
    pub(super) spine: &'static [&'static str],
    pub(super) neck: &'static [&'static str],
    pub(super) head: &'static [&'static str],
    /// Clavicle, shoulder, elbow, wrist, hip, knee, ankle, ball.
    pub(super) limbs: [&'static [&'static str]; 8],
}

const SPINES: &[&str] = &[
    "lowerback",
    "spine",
    "spine0",
    "spine1",
    "spine2",
    "spine3",
    "spine4",
    "spine01",
    "spine02",
    "spine03",
    "spine04",
    "spine05",
    "chest",
    "upperchest",
];
const HEAD: &[&str] = &["head"];
const NECK: &[&str] = &["neck", "neck1", "neck0", "neck01"];

/// Names after Autodesk MotionBuilder, which many others took over.
const fn builder(name: &'static str, mark: &'static str) -> Convention {
    Convention {
        name,
        mark,
        pelvis: &["hips"],
        spine: SPINES,
        neck: NECK,
        head: HEAD,
        limbs: [
            &["shoulder"],
            &["arm"],
            &["forearm"],
            &["hand"],
            &["upleg"],
            &["leg"],
            &["foot"],
            &["toebase", "toe"],
        ],
    }
}

const fn humanoid(name: &'static str, mark: &'static str) -> Convention {
    Convention {
        name,
        mark,
        pelvis: &["hips"],
        spine: &["spine", "chest", "upperchest"],
        neck: NECK,
        head: HEAD,
        limbs: [
            &["shoulder"],
            &["upperarm"],
            &["lowerarm"],
            &["hand"],
            &["upperleg"],
            &["lowerleg"],
            &["foot"],
            &["toes", "toe", "toebase"],
        ],
    }
}

/// The conventions; of equally good ones the first counts.
pub(super) const CONVENTIONS: [Convention; 15] = [
    builder("Mixamo", "mixamorig"),
    builder("CMU", "hipjoint"),
    builder("Ready Player Me", "headtop_end"),
    builder("LaFAN1", "lefttoe\n"),
    builder("MotionBuilder", ""),
    humanoid("VRoid", "j_bip_"),
    humanoid("Bandai Namco", "upperleg_l"),
    humanoid("Unity Humanoid", ""),
    Convention {
        name: "Unreal mannequin",
        mark: "",
        pelvis: &["pelvis"],
        spine: SPINES,
        neck: &["neck01", "neck1", "neck"],
        head: HEAD,
        limbs: [
            &["clavicle"],
            &["upperarm"],
            &["lowerarm"],
            &["hand"],
            &["thigh"],
            &["calf"],
            &["foot"],
            &["ball"],
        ],
    },
    Convention {
        name: "Xsens",
        mark: "",
        pelvis: &["hips"],
        spine: &["chest", "chest2", "chest3", "chest4"],
        neck: NECK,
        head: HEAD,
        limbs: [
            &["collar"],
            &["shoulder"],
            &["elbow"],
            &["wrist"],
            &["hip"],
            &["knee"],
            &["ankle"],
            &["toe"],
        ],
    },
    Convention {
        name: "SMPL",
        mark: "",
        pelvis: &["pelvis"],
        spine: &["spine1", "spine2", "spine3"],
        neck: NECK,
        head: HEAD,
        limbs: [
            &["collar"],
            &["shoulder"],
            &["elbow"],
            &["wrist"],
            &["hip"],
            &["knee"],
            &["ankle"],
            &["foot"],
        ],
    },
    Convention {
        name: "Poser or Daz",
        mark: "",
        pelvis: &["pelvis", "hip"],
        spine: &["abdomen", "abdomenlower", "abdomenupper", "chest", "chestlower", "chestupper"],
        neck: &["neck", "necklower"],
        head: HEAD,
        limbs: [
            &["collar"],
            &["shldr", "shldrbend", "shoulder"],
            &["forearm", "forearmbend"],
            &["hand"],
            &["thigh", "thighbend"],
            &["shin"],
            &["foot"],
            &["toe", "toes"],
        ],
    },
    Convention {
        name: "3ds Max Biped",
        mark: "",
        pelvis: &["pelvis"],
        spine: SPINES,
        neck: NECK,
        head: HEAD,
        limbs: [
            &["clavicle"],
            &["upperarm"],
            &["forearm"],
            &["hand"],
            &["thigh"],
            &["calf"],
            &["foot"],
            &["toe0", "toe"],
        ],
    },
    Convention {
        name: "Rigify",
        mark: "",
        pelvis: &["spine"],
        spine: &["spine001", "spine002", "spine003"],
        neck: &["spine004", "neck"],
        head: &["spine006", "spine005", "head"],
        limbs: [
            &["shoulder"],
            &["upperarm"],
            &["forearm"],
            &["hand"],
            &["thigh"],
            &["shin"],
            &["foot"],
            &["toe"],
        ],
    },
    Convention {
        name: "plain words",
        mark: "",
        pelvis: &["hips", "pelvis", "hip", "root"],
        spine: SPINES,
        neck: NECK,
        head: HEAD,
        limbs: [
            &["clavicle", "collar", "collarbone"],
            &["upperarm", "uparm", "shoulder"],
            &["forearm", "lowerarm", "elbow"],
            &["hand", "wrist"],
            &["thigh", "upperleg", "upleg", "hip"],
            &["shin", "calf", "shank", "lowerleg", "lowleg", "knee"],
            &["foot", "ankle"],
            &["toe", "toes", "toebase", "ball"],
        ],
    },
];
