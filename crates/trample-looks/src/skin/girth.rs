//! How thick a body is: reference cross-sections, and what mass and length make of them.
//!
//! In: a body. Out: factors on the half widths below. The widths are our choice, drawn by eye for 1.8 m and 77.5 kg, and the
//! whole is then scaled so that the mesh has the body's volume.

use trample::params::{Body, Segment};

/// Mean density of a body with the air in its lungs, kg/m³: about that of water, because people just float.
pub const DENSITY: f64 = 1000.0;

/// A ring around a bone: how far along it, half width to the side, half depth to the front, all of the reference body in m,
/// and how far its middle lies in front of the bone, m.
pub(crate) type Ring = [f32; 4];

/// Rings of the trunk from the hips to the top of the shoulders; how high as a share of the trunk.
#[rustfmt::skip]
pub(crate) const TRUNK: [Ring; 11] = [
    [-0.105, 0.172, 0.112, -0.014], // where the legs begin
    [ 0.020, 0.178, 0.128, -0.016], // buttocks
    [ 0.150, 0.166, 0.118, -0.004], // hem of the shirt
    [ 0.285, 0.152, 0.110,  0.006], // waist
    [ 0.420, 0.152, 0.112,  0.010],
    [ 0.555, 0.160, 0.122,  0.010], // lower ribs
    [ 0.670, 0.166, 0.130,  0.006], // below the arms
    [ 0.770, 0.166, 0.130,  0.000],
    [ 0.865, 0.158, 0.116, -0.008],
    [ 0.945, 0.146, 0.092, -0.014], // over the shoulders
    [ 1.000, 0.088, 0.072, -0.010], // slope to the neck
];

/// Rings of neck and head; how high as a share of neck and head above the base of the neck, then as above, and how far the
/// front is below the back, m.
#[rustfmt::skip]
pub(crate) const HEAD: [[f32; 5]; 10] = [
    [0.060, 0.064, 0.066, 0.000, 0.020], // collar
    [0.180, 0.056, 0.058, 0.006, 0.020],
    [0.275, 0.054, 0.064, 0.006, 0.036], // below the chin
    [0.335, 0.061, 0.088, 0.022, 0.036], // chin and nape
    [0.420, 0.070, 0.094, 0.022, 0.010], // mouth
    [0.530, 0.077, 0.099, 0.017, 0.000], // nose
    [0.660, 0.080, 0.104, 0.010, 0.000], // eyes
    [0.800, 0.079, 0.103, 0.004, 0.000], // forehead
    [0.925, 0.064, 0.084, 0.000, 0.000],
    [0.995, 0.030, 0.040, 0.000, 0.000], // crown
];

/// Rings of the upper arm, the forearm and the hand; how far down as a share of each. Width is from the body outwards.
#[rustfmt::skip]
pub(crate) const UPPER_ARM: [Ring; 4] = [
    [0.14, 0.060, 0.066, -0.004], [0.36, 0.053, 0.059,  0.000],
    [0.66, 0.047, 0.051,  0.003], [0.92, 0.043, 0.045,  0.000],
];
#[rustfmt::skip]
pub(crate) const FOREARM: [Ring; 4] = [
    [0.07, 0.043, 0.047, -0.002], [0.30, 0.043, 0.046,  0.002],
    [0.66, 0.036, 0.037,  0.002], [0.95, 0.032, 0.031,  0.000],
];
#[rustfmt::skip]
pub(crate) const HAND: [Ring; 6] = [
    [-0.02, 0.022, 0.025, 0.000], // inside the cuff
    [ 0.10, 0.022, 0.029, 0.002],
    [ 0.28, 0.019, 0.042, 0.004],
    [ 0.52, 0.017, 0.043, 0.004],
    [ 0.57, 0.015, 0.041, 0.004], // knuckles
    [ 0.60, 0.010, 0.034, 0.004],
];

/// Rings of the thigh and the shank; how far down as a share of each.
#[rustfmt::skip]
pub(crate) const THIGH: [Ring; 4] = [
    [0.30, 0.084, 0.098, -0.008], [0.52, 0.078, 0.087,  0.002],
    [0.75, 0.067, 0.073,  0.004], [0.93, 0.061, 0.066,  0.004],
];
#[rustfmt::skip]
pub(crate) const SHANK: [Ring; 5] = [
    [0.06, 0.059, 0.065,  0.002], [0.25, 0.060, 0.066, -0.012],
    [0.52, 0.055, 0.060, -0.010], [0.78, 0.050, 0.056, -0.006],
    [0.93, 0.050, 0.060, -0.002], // cuff
];

/// Factors on the half widths of the reference body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Girth {
    pub(super) trunk: f32,
    /// Upper arm and forearm.
    pub(super) arm: [f32; 2],
    /// Thigh and shank.
    pub(super) leg: [f32; 2],
    pub(super) hand: f32,
    pub(super) head: f32,
    /// Shoulders against the reference.
    pub(super) shoulders: f32,
    /// Lengths against the reference.
    pub(super) size: f32,
    /// How much thicker than a body of this height usually is: 1 for the reference's build.
    pub(super) build: f32,
}

impl Girth {
    /// The factors of a body, before the volume is met.
    pub(crate) fn new(body: &Body) -> Self {
        let usual = Body::default();
        // Equal shapes: area goes as mass over length, width as its root.
        let width = |segment: Segment, length: fn(&Body) -> f64| {
            let area = |b: &Body| segment.mass_share() * b.mass / length(b);
            (area(body) / area(&usual)).sqrt() as f32
        };
        let size = (body.height / usual.height) as f32;
        let trunk = width(Segment::MiddleTrunk, |b| b.trunk);
        let build = trunk / size;
        Self {
            trunk,
            arm: [width(Segment::UpperArm, |b| b.upper_arm), width(Segment::Forearm, |b| b.forearm)],
            leg: [width(Segment::Thigh, |b| b.thigh), width(Segment::Shank, |b| b.shank)],
            // Hands and heads grow with the body's length; of its fat they take little.
            hand: (body.hand / usual.hand) as f32 * libm::powf(build, 0.25),
            head: (body.head / usual.head) as f32 * libm::powf(build, 0.25),
            shoulders: (body.shoulder_width / usual.shoulder_width) as f32,
            size,
            build,
        }
    }

    /// The same, all soft parts `factor` times as thick.
    pub(crate) fn times(&self, factor: f32) -> Self {
        Self {
            trunk: self.trunk * factor,
            arm: self.arm.map(|width| width * factor),
            leg: self.leg.map(|width| width * factor),
            build: self.build * factor,
            ..*self
        }
    }
}
