//! Bodies: how long, wide and heavy the parts of a walker are.
//!
//! In: height and mass. Out: segment lengths, widths, foot size; segment masses and centres come from the same
//! tables. Lengths are shares of standing height, the mean of men and women of ANSUR II (2012, 6,068 adults: heights
//! of trochanterion, femoral epicondyle, malleolus, cervicale, acromion; foot length and breadth). Masses and centres
//! of mass are the mean of both sexes of de Leva 1996, Tables 4 and 5.

use super::range::Range;

/// A walker's measures. Every positive value is allowed; [`Body::RANGES`] says what is human.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Standing height, m.
    pub height: f64,
    /// Mass with clothes and load, kg.
    pub mass: f64,
    /// Hip joint to knee joint, m.
    pub thigh: f64,
    /// Knee joint to ankle joint, m.
    pub shank: f64,
    /// Ankle joint above the sole, m.
    pub ankle_height: f64,
    /// Distance between the hip joints, m.
    pub hip_width: f64,
    /// Hip joints to the base of the neck, m.
    pub trunk: f64,
    /// Base of the neck to the top of the head, m.
    pub head: f64,
    /// Distance between the shoulder joints, m.
    pub shoulder_width: f64,
    /// Shoulder joint to elbow joint, m.
    pub upper_arm: f64,
    /// Elbow joint to wrist joint, m.
    pub forearm: f64,
    /// Wrist joint to the tip of the middle finger, m.
    pub hand: f64,
    /// Length of the bare foot, m.
    pub foot_length: f64,
    /// Breadth of the bare foot, m.
    pub foot_width: f64,
}

/// Hip joint, knee joint and ankle joint above the ground, as shares of height. ANSUR II means of men and women:
/// trochanterion 0.516 (the joint's middle lies about 0.008 higher), lateral epicondyle 0.283, malleolus 0.040.
const HIP: f64 = 0.524;
const KNEE: f64 = 0.283;
const ANKLE: f64 = 0.040;
/// Base of the neck: cervicale 0.8605 of ANSUR II, lowered to the joint in front of it.
const NECK: f64 = 0.838;

impl Body {
    /// A body of ordinary proportions.
    pub fn new(height: f64, mass: f64) -> Self {
        Self {
            height,
            mass,
            thigh: (HIP - KNEE) * height,
            shank: (KNEE - ANKLE) * height,
            ankle_height: ANKLE * height,
            // Hip joints: 0.46 of the breadth of the hips (ANSUR II 0.207).
            hip_width: 0.095 * height,
            trunk: (NECK - HIP) * height,
            head: (1.0 - NECK) * height,
            // Biacromial breadth 0.2306 less about 2 cm on either side.
            shoulder_width: 0.208 * height,
            // de Leva 1996: 281.7 of 1741 mm and 275.1 of 1735 mm.
            upper_arm: 0.160 * height,
            forearm: 0.150 * height,
            hand: 0.1106 * height,
            foot_length: 0.1528 * height,
            foot_width: 0.0575 * height,
        }
    }

    /// Standing height of the hip joints, m: the leg length of the scaling laws.
    pub fn leg(&self) -> f64 {
        self.thigh + self.shank + self.ankle_height
    }

    /// The built-in bodies by name.
    pub const VARIANTS: [&'static str; 6] = ["default", "child", "tall", "heavy", "small-footed", "stocky"];

    /// The built-in body of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        let usual = Self::default();
        Some(match name {
            "default" => usual,
            // A child of seven: 1.22 m and 23 kg are WHO medians. Legs are shorter in proportion.
            "child" => Self::new(1.22, 23.0).with_legs(0.97),
            // 95th percentile of ANSUR II men by height; mass follows height² at the same build.
            "tall" => Self::new(1.96, 92.0),
            "heavy" => Self { hip_width: 0.185, ..Self::new(1.8, 120.0) },
            "small-footed" => Self { foot_length: 0.235, foot_width: 0.088, ..usual },
            "stocky" => Self::new(1.66, 82.0).with_legs(0.92),
            _ => return None,
        })
    }

    /// The same height on legs `factor` times as long; the trunk makes up for the rest.
    pub fn with_legs(self, factor: f64) -> Self {
        let lost = (self.thigh + self.shank) * (1.0 - factor);
        Self { thigh: self.thigh * factor, shank: self.shank * factor, trunk: self.trunk + lost, ..self }
    }

    /// What a human body may measure, as in a scene file.
    pub const RANGES: [Range; 14] = [
        Range::new("height", "m", 0.8, 2.3, "standing height"),
        Range::new("mass", "kg", 10.0, 250.0, "mass with clothes and load"),
        Range::new("thigh", "m", 0.15, 0.65, "hip joint to knee joint"),
        Range::new("shank", "m", 0.15, 0.65, "knee joint to ankle joint"),
        Range::new("ankle_height", "m", 0.02, 0.15, "ankle joint above the sole"),
        Range::new("hip_width", "m", 0.06, 0.30, "distance between the hip joints"),
        Range::new("trunk", "m", 0.2, 0.9, "hip joints to the base of the neck"),
        Range::new("head", "m", 0.15, 0.45, "base of the neck to the top of the head"),
        Range::new("shoulder_width", "m", 0.15, 0.6, "distance between the shoulder joints"),
        Range::new("upper_arm", "m", 0.1, 0.45, "shoulder joint to elbow joint"),
        Range::new("forearm", "m", 0.1, 0.40, "elbow joint to wrist joint"),
        Range::new("hand", "m", 0.05, 0.30, "wrist joint to fingertip"),
        Range::new("foot_length", "m", 0.10, 0.40, "length of the bare foot"),
        Range::new("foot_width", "m", 0.04, 0.16, "breadth of the bare foot"),
    ];

    /// The value of the field of that name, in the unit of [`Body::RANGES`].
    pub fn field(&self, name: &str) -> Option<f64> {
        Some(match name {
            "height" => self.height,
            "mass" => self.mass,
            "thigh" => self.thigh,
            "shank" => self.shank,
            "ankle_height" => self.ankle_height,
            "hip_width" => self.hip_width,
            "trunk" => self.trunk,
            "head" => self.head,
            "shoulder_width" => self.shoulder_width,
            "upper_arm" => self.upper_arm,
            "forearm" => self.forearm,
            "hand" => self.hand,
            "foot_length" => self.foot_length,
            "foot_width" => self.foot_width,
            _ => return None,
        })
    }

    /// The first field outside its range, if any.
    pub fn out_of_range(&self) -> Option<Range> {
        Self::RANGES.into_iter().find(|r| self.field(r.field).is_some_and(|x| !r.contains(x)))
    }
}

impl Default for Body {
    /// 1.8 m and 77.5 kg, the walker of the papers' scenes.
    fn default() -> Self {
        Self::new(1.8, 77.5)
    }
}

/// A rigid part of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Hips to navel.
    LowerTrunk,
    /// Navel to the lower end of the breastbone.
    MiddleTrunk,
    /// Breastbone and shoulders.
    UpperTrunk,
    /// Head and neck.
    Head,
    /// Shoulder to elbow.
    UpperArm,
    /// Elbow to wrist.
    Forearm,
    /// Hand.
    Hand,
    /// Hip to knee.
    Thigh,
    /// Knee to ankle.
    Shank,
    /// Foot.
    Foot,
}

impl Segment {
    /// Mass as a share of the body's: de Leva 1996, Table 4, mean of women and men. With two of each limb they sum to 1.
    pub const fn mass_share(self) -> f64 {
        match self {
            Self::LowerTrunk => 0.1182,
            Self::MiddleTrunk => 0.1549,
            Self::UpperTrunk => 0.1571,
            Self::Head => 0.0681,
            Self::UpperArm => 0.0263,
            Self::Forearm => 0.0150,
            Self::Hand => 0.005_85,
            Self::Thigh => 0.1447,
            Self::Shank => 0.0457,
            Self::Foot => 0.0133,
        }
    }

    /// Centre of mass from the upper end as a share of the segment's length (heel to toe for the foot, top to chin for
    /// the head): de Leva 1996, Table 4, mean of women and men.
    pub const fn centre_share(self) -> f64 {
        match self {
            Self::LowerTrunk => 0.552,
            Self::MiddleTrunk => 0.451,
            Self::UpperTrunk => 0.254,
            Self::Head => 0.5935,
            Self::UpperArm => 0.5763,
            Self::Forearm => 0.4567,
            // Wrist to fingertip (Hand 2).
            Self::Hand => 0.3526,
            Self::Thigh => 0.3854,
            Self::Shank => 0.4374,
            Self::Foot => 0.4215,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segment_masses_sum_to_the_body() {
        use Segment::*;
        let single: f64 = [LowerTrunk, MiddleTrunk, UpperTrunk, Head].map(Segment::mass_share).iter().sum();
        let pairs: f64 = [UpperArm, Forearm, Hand, Thigh, Shank, Foot].map(Segment::mass_share).iter().sum();
        assert!((single + 2.0 * pairs - 1.0).abs() < 1e-9, "{}", single + 2.0 * pairs);
    }

    #[test]
    fn every_built_in_body_is_human_and_as_tall_as_it_says() {
        for name in Body::VARIANTS {
            let body = Body::by_name(name).expect("a variant");
            assert_eq!(body.out_of_range(), None, "{name}");
            assert!((body.leg() + body.trunk + body.head - body.height).abs() < 1e-9, "{name}");
        }
    }
}
