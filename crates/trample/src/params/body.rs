//! Bodies: how long, wide and heavy the parts of a walker are.
//!
//! In: height and mass. Out: segment lengths, widths, foot size; segment masses and centres come from the same
//! tables. Lengths are shares of standing height, the mean of men and women of ANSUR II (2012, 6,068 adults: heights
//! of trochanterion, femoral epicondyle, malleolus, cervicale, acromion; foot length and breadth). Masses and centres
//! of mass are the mean of both sexes of de Leva 1996, Tables 4 and 5.

use super::field::{Field, Range, field};

/// Dimensions of a walker. Every positive value is allowed; [`Body::FIELDS`] has the human range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// Distance to the ground below which heel and toes align with it, m (TR-1, d_max).
    pub align_height: f64,
    /// Uphill slope above which only the toes carry load, rad (TR-2, θ0).
    pub toe_slope: f64,
    /// Lift of swinging feet, as a share of the normal lift; below 1 they drag through the ground they have sunk into, at 0
    /// they shuffle.
    pub foot_lift: f64,
    /// Gain that moves the centre of mass over the feet, N·m per m and kg (SW-1, α).
    pub balance_alpha: f64,
    /// Damping of the lean, N·m·s per kg, for a body of 1.8 m (SW-1, β).
    pub balance_beta: f64,
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
            align_height: 0.2,
            toe_slope: 12f64.to_radians(),
            foot_lift: 1.0,
            balance_alpha: 30.0,
            balance_beta: 6.0,
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

    /// The same height with legs `factor` times as long; the length of the trunk compensates.
    pub fn with_legs(self, factor: f64) -> Self {
        let lost = (self.thigh + self.shank) * (1.0 - factor);
        Self { thigh: self.thigh * factor, shank: self.shank * factor, trunk: self.trunk + lost, ..self }
    }

    /// Allowed dimensions of a human body; our choice, from a small child to the tallest and heaviest adults.
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("height", "m", 0.3, 4.0, "standing height"), height),
        field!(Range::new("mass", "kg", 1.0, 250.0, "mass with clothes and load"), mass),
        field!(Range::new("thigh", "m", 0.04, 1.2, "hip joint to knee joint"), thigh),
        field!(Range::new("shank", "m", 0.04, 1.2, "knee joint to ankle joint"), shank),
        field!(Range::new("ankle_height", "m", 0.005, 0.3, "ankle joint above the sole"), ankle_height),
        field!(Range::new("hip_width", "m", 0.02, 0.6, "distance between the hip joints"), hip_width),
        field!(Range::new("trunk", "m", 0.05, 1.8, "hip joints to the base of the neck"), trunk),
        field!(Range::new("head", "m", 0.03, 1.5, "base of the neck to the top of the head"), head),
        field!(
            Range::new("shoulder_width", "m", 0.04, 1.2, "distance between the shoulder joints"),
            shoulder_width
        ),
        field!(Range::new("upper_arm", "m", 0.03, 0.9, "shoulder joint to elbow joint"), upper_arm),
        field!(Range::new("forearm", "m", 0.03, 0.9, "elbow joint to wrist joint"), forearm),
        field!(Range::new("hand", "m", 0.01, 0.6, "wrist joint to fingertip"), hand),
        field!(Range::new("foot_length", "m", 0.03, 0.8, "length of the bare foot"), foot_length),
        field!(Range::new("foot_width", "m", 0.015, 0.4, "breadth of the bare foot"), foot_width),
        field!(
            Range::new(
                "align_height",
                "m",
                0.02,
                1.0,
                "distance to the ground below which heel and toes align with it"
            ),
            align_height
        ),
        field!(
            Range::new("toe_slope_deg", "°", 0.0, 45.0, "uphill slope above which only the toes carry load"),
            toe_slope
        ),
        field!(
            Range::new(
                "balance_alpha",
                "N/kg",
                1.0,
                300.0,
                "gain that moves the centre of mass over the feet"
            )
            .of("SW-1"),
            balance_alpha
        ),
        field!(
            Range::new("balance_beta", "N·m·s/kg", 0.0, 60.0, "damping of the lean").of("SW-1"),
            balance_beta
        ),
        field!(
            Range::new("foot_lift", "", 0.0, 1.0, "lift of swinging feet relative to normal; 0 shuffles"),
            foot_lift
        ),
    ];

    /// Allowed dimensions of anything else that presses the ground: plates, balls, animals, scripted feet, a host's figures.
    #[rustfmt::skip]
    pub const ANYTHING: &[Field<Self>] = &[
        field!(Range::new("mass", "kg", 0.1, 20_000.0, "mass"), mass),
        field!(Range::new("height", "m", 0.3, 3.0, "standing height; sets the length of scripted steps"), height),
        field!(Range::new("foot_length", "m", 0.02, 2.0, "length of a foot, diameter of a sphere"), foot_length),
        field!(Range::new("foot_width", "m", 0.02, 2.0, "width of a foot"), foot_width),
    ];
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
            assert_eq!(Field::out_of_range(Body::FIELDS, &body), None, "{name}");
            assert!((body.leg() + body.trunk + body.head - body.height).abs() < 1e-9, "{name}");
        }
    }
}
