//! The naming conventions in use: what each calls the parts of a body.
//!
//! Names are those that the programs and data sets write into their files, without prefix, case and side.

/// What a convention calls the parts, words apart by spaces. The first word that is there counts; for the spine all of them.
pub(super) struct Convention {
    pub(super) name: &'static str,
    /// A word that must occur in some raw name, in small letters; none if empty.
    pub(super) mark: &'static str,
    pub(super) pelvis: &'static str,
    pub(super) spine: &'static str,
    pub(super) neck: &'static str,
    pub(super) head: &'static str,
    /// Clavicle, shoulder, elbow, wrist, hip, knee, ankle, ball; parts apart by commas.
    pub(super) limbs: &'static str,
}

const SPINES: &str = "lowerback spine spine0 spine1 spine2 spine3 spine4 spine01 spine02 spine03 spine04 spine05 chest upperchest";
const NECK: &str = "neck neck1 neck0 neck01 necktwist01";

/// Names after Autodesk MotionBuilder, which many others took over.
const fn builder(name: &'static str, mark: &'static str) -> Convention {
    let limbs = "shoulder, arm, forearm, hand, upleg, leg, foot, toebase toe";
    Convention { name, mark, pelvis: "hips", spine: SPINES, neck: NECK, head: "head", limbs }
}

const fn humanoid(name: &'static str, mark: &'static str) -> Convention {
    let limbs = "shoulder, upperarm, lowerarm, hand, upperleg, lowerleg, foot, toes toe toebase";
    Convention {
        name,
        mark,
        pelvis: "hips",
        spine: "spine chest upperchest",
        neck: NECK,
        head: "head",
        limbs,
    }
}

/// A convention known by its words alone.
const fn other(
    name: &'static str,
    pelvis: &'static str,
    spine: &'static str,
    limbs: &'static str,
) -> Convention {
    Convention { name, mark: "", pelvis, spine, neck: NECK, head: "head head1", limbs }
}

/// The conventions; of equally good ones the first counts.
pub(super) const CONVENTIONS: [Convention; 20] = [
    builder("Mixamo", "mixamorig"),
    builder("CMU", "hipjoint"),
    builder("Ready Player Me", "headtop_end"),
    builder("LaFAN1", "lefttoe\n"),
    builder("MotionBuilder", ""),
    humanoid("VRoid", "j_bip_"),
    humanoid("Bandai Namco", "upperleg_l"),
    humanoid("Unity Humanoid", ""),
    Convention {
        neck: "neck01 neck1 neck",
        ..other(
            "Unreal mannequin",
            "pelvis",
            SPINES,
            "clavicle, upperarm, lowerarm, hand, thigh, calf, foot, ball",
        )
    },
    other(
        "Xsens",
        "hips",
        "chest chest2 chest3 chest4",
        "collar, shoulder, elbow, wrist, hip, knee, ankle, toe",
    ),
    other("Rokoko", "hips", SPINES, "shoulder, arm, forearm, hand, thigh, shin, foot, toe toebase"),
    Convention {
        neck: "neck01 neck02 neck",
        ..other(
            "MakeHuman",
            "root",
            "spine05 spine04 spine03 spine02 spine01",
            "clavicle, upperarm01 shoulder01, lowerarm01, wrist, upperleg01, lowerleg01, foot, toe11",
        )
    },
    other("SMPL", "pelvis", "spine1 spine2 spine3", "collar, shoulder, elbow, wrist, hip, knee, ankle, foot"),
    Convention {
        neck: "neck necklower",
        ..other(
            "Poser or Daz",
            "pelvis hip",
            "abdomen abdomenlower abdomenupper chest chestlower chestupper",
            "collar, shldr shldrbend shoulder, forearm forearmbend, hand, thigh thighbend, shin, foot, toe toes",
        )
    },
    other(
        "Daz Genesis 9",
        "pelvis hip",
        "spine1 spine2 spine3 spine4",
        "shoulder, upperarm, forearm, hand, thigh, shin, foot, toes",
    ),
    Convention {
        neck: "lowerneck upperneck neck",
        ..other(
            "Acclaim",
            "root hips",
            "lowerback upperback thorax",
            "clavicle, humerus, radius, wrist hand, femur, tibia, foot, toes",
        )
    },
    Convention {
        neck: "首",
        head: "頭",
        ..other(
            "MikuMikuDance",
            "腰 下半身 センター",
            "上半身 上半身2 上半身3",
            "肩, 腕, ひじ, 手首, 足, ひざ, 足首, つま先 足先ex",
        )
    },
    other(
        "3ds Max Biped",
        "pelvis",
        SPINES,
        "clavicle, upperarm, forearm, hand, thigh, calf, foot, toe0 toe",
    ),
    Convention {
        neck: "spine004 neck",
        head: "spine006 spine005 head",
        ..other(
            "Rigify",
            "spine",
            "spine001 spine002 spine003",
            "shoulder, upperarm, forearm, hand, thigh, shin, foot, toe",
        )
    },
    other(
        "plain words",
        "hips pelvis hip root",
        SPINES,
        "clavicle collar collarbone, upperarm uparm shoulder, forearm lowerarm elbow, hand wrist, thigh upperleg upleg hip, shin calf shank lowerleg lowleg knee, foot ankle, toe toes toebase ball",
    ),
];
