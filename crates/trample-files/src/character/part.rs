//! The parts of a body that a file's joints are mapped to, and how sure the mapping is.

/// A part of a body: the joint at its upper end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Part {
    /// Hips.
    Pelvis,
    /// Middle of the back.
    Spine,
    /// Uppermost joint of the back: it carries neck and arms.
    Chest,
    /// Base of the neck.
    Neck,
    /// Head.
    Head,
    /// Left collar bone.
    LeftClavicle,
    /// Left upper arm.
    LeftShoulder,
    /// Left forearm.
    LeftElbow,
    /// Left hand.
    LeftWrist,
    /// Left thigh.
    LeftHip,
    /// Left shank.
    LeftKnee,
    /// Left foot.
    LeftAnkle,
    /// Left toes.
    LeftBall,
    /// Right collar bone.
    RightClavicle,
    /// Right upper arm.
    RightShoulder,
    /// Right forearm.
    RightElbow,
    /// Right hand.
    RightWrist,
    /// Right thigh.
    RightHip,
    /// Right shank.
    RightKnee,
    /// Right foot.
    RightAnkle,
    /// Right toes.
    RightBall,
}

/// How many parts there are.
pub const PARTS: usize = 21;

impl Part {
    /// All of them.
    #[rustfmt::skip]
    pub const ALL: [Part; PARTS] = [
        Part::Pelvis, Part::Spine, Part::Chest, Part::Neck, Part::Head,
        Part::LeftClavicle, Part::LeftShoulder, Part::LeftElbow, Part::LeftWrist,
        Part::LeftHip, Part::LeftKnee, Part::LeftAnkle, Part::LeftBall,
        Part::RightClavicle, Part::RightShoulder, Part::RightElbow, Part::RightWrist,
        Part::RightHip, Part::RightKnee, Part::RightAnkle, Part::RightBall,
    ];

    /// Its name in map files and reports: that of our own skeleton's joint.
    #[rustfmt::skip]
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; PARTS] = [
            "pelvis", "spine", "chest", "neck", "head",
            "left_clavicle", "left_shoulder", "left_elbow", "left_wrist",
            "left_hip", "left_knee", "left_ankle", "left_ball",
            "right_clavicle", "right_shoulder", "right_elbow", "right_wrist",
            "right_hip", "right_knee", "right_ankle", "right_ball",
        ];
        NAMES[self as usize]
    }

    /// The part of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }
}

/// A part of an arm or a leg, on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Limb {
    Clavicle,
    Shoulder,
    Elbow,
    Wrist,
    Hip,
    Knee,
    Ankle,
    Ball,
}

impl Limb {
    /// On side 0 left, 1 right.
    pub(super) fn on(self, side: usize) -> Part {
        Part::ALL[5 + 8 * side + self as usize]
    }
}

/// How a part was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The user's map file says so.
    Given,
    /// The file's VRM extension says so.
    Extension,
    /// By the joint's name.
    Name,
    /// By where it hangs and how long its bones are.
    Shape,
}

impl How {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Given => "map file",
            Self::Extension => "VRM extension",
            Self::Name => "name",
            Self::Shape => "shape",
        }
    }
}

/// A part that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The joint.
    pub joint: usize,
    /// How it was found.
    pub how: How,
    /// How sure that is, 0 to 1: our judgement, not a probability that was measured.
    pub sure: f32,
}

/// Which joint is which part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    /// The naming convention, if one was recognised.
    pub convention: Option<&'static str>,
    /// For each part.
    pub found: [Option<Found>; PARTS],
    /// Whether the names of left and right were exchanged, because the body looks the other way.
    pub exchanged: bool,
}

impl Mapping {
    /// The joint of a part.
    pub fn joint(&self, part: Part) -> Option<usize> {
        self.found[part as usize].map(|f| f.joint)
    }

    pub(super) fn limb(&self, limb: Limb, side: usize) -> Option<usize> {
        self.joint(limb.on(side))
    }

    pub(super) fn put(&mut self, part: Part, joint: usize, how: How, sure: f32) {
        self.found[part as usize] = Some(Found { joint, how, sure });
    }

    /// Exchanges left and right.
    pub(super) fn exchange(&mut self) {
        for k in 5..13 {
            self.found.swap(k, k + 8);
        }
        self.exchanged = !self.exchanged;
    }

    /// Whether both legs are there from hip to foot.
    pub fn has_legs(&self) -> bool {
        (0..2).all(|side| [Limb::Hip, Limb::Knee, Limb::Ankle].iter().all(|l| self.limb(*l, side).is_some()))
    }

    /// Whether both legs, both arms and the head are there.
    pub(super) fn is_whole(&self) -> bool {
        let arm =
            |side| [Limb::Shoulder, Limb::Elbow, Limb::Wrist].iter().all(|l| self.limb(*l, side).is_some());
        self.has_legs() && (0..2).all(arm) && self.joint(Part::Head).is_some()
    }

    /// How sure the whole is: that of the least sure part of pelvis and legs.
    pub fn sure(&self) -> f32 {
        let needed = [Limb::Hip, Limb::Knee, Limb::Ankle];
        let legs = (0..2).flat_map(|side| needed.map(|l| l.on(side)));
        legs.chain([Part::Pelvis]).map(|p| self.found[p as usize].map_or(0.0, |f| f.sure)).fold(1.0, f32::min)
    }
}
