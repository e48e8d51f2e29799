//! Drag: what loose ground does to a body that is pulled through it, by resistive force theory in three dimensions.
//!
//! In: a face of the body, how deep it is and which way it moves. Out: the force of the ground on it. Each leading face is pushed with
//! `ξ·α·depth` per area, where α depends on how the face is turned (β, ψ) and moves (γ) alone, and ξ on the ground (Agarwal,
//! Goldman & Kamrin 2023). What of it lies along the face is at most its friction.

use crate::params::{GRAVITY, Material};
use glam::DVec3;

/// Coefficients of f₁, f₂, f₃ for the terms 1, x₁, x₂, x₃, x₁², x₂², x₃², x₁x₂, x₂x₃, x₃x₁, x₁³, x₂³, x₃³, x₁x₂², x₂x₁², x₂x₃², x₃x₂²,
/// x₃x₁², x₁x₃², x₁x₂x₃ (Agarwal et al. 2023).
#[rustfmt::skip]
const COEFFICIENTS: [[f64; 3]; 20] = [
    [0.00212, -0.06796, -0.02634],
    [-0.0232, -0.10941, -0.03436],
    [-0.2089, 0.04725, 0.45256],
    [-0.43083, -0.06914, 0.00835],
    [-0.00259, -0.05835, 0.02553],
    [0.48872, -0.6588, -1.3129],
    [-0.00415, -0.11985, -0.05532],
    [0.07204, -0.25739, 0.0679],
    [-0.0275, -0.26834, -0.16404],
    [-0.08772, 0.02692, 0.02287],
    [0.01992, -0.00736, 0.02927],
    [-0.45961, 0.63758, 0.95406],
    [0.40799, 0.08997, -0.00131],
    [-0.10107, 0.21069, -0.11028],
    [-0.06576, 0.04748, 0.01487],
    [0.05664, 0.20406, -0.2077],
    [-0.09269, 0.18519, 0.10911],
    [0.01892, 0.04934, -0.04097],
    [0.01033, 0.13527, 0.07881],
    [0.1512, -0.33207, -0.27519],
];

/// Friction of a smooth sole or wheel on grains; our choice.
pub const WALL: f64 = 0.3;

/// Stiffness of ground against being pushed through, Pa/m: `ξ = ρ g (894 μ³ − 386 μ² + 89 μ)`.
pub fn stiffness(density: f64, friction: f64) -> f64 {
    let mu = libm::tan(friction);
    density * GRAVITY * (894.0 * mu * mu * mu - 386.0 * mu * mu + 89.0 * mu)
}

/// What the upright faces all around a sole meet when it goes a way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Front {
    /// Push against the way over the ground's stiffness, over depth squared, m: the sum over the faces of [`push`], the mean depth of
    /// an upright face being half of its lower edge's.
    pub(crate) resists: f64,
    /// Width across the way, m.
    pub(crate) width: f64,
}

/// Ways that fronts are known for, evenly all around from the toes on to the right.
const WAYS: usize = 8;
/// The fronts of a sole by the way that it goes.
pub(crate) type Fronts = [Front; WAYS];

/// The fronts of a sole, from its faces: pieces of its outline, `[ahead, right]` square to the piece and as long as it, m.
pub(crate) fn fronts(faces: &[[f64; 2]]) -> Fronts {
    std::array::from_fn(|k| {
        let angle = std::f64::consts::TAU * k as f64 / WAYS as f64;
        let way = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
        let mut front = Front::default();
        for [u, v] in faces {
            let face = DVec3::new(*u, 0.0, *v);
            let long = face.length();
            front.width += face.dot(way).max(0.0);
            front.resists += 0.5 * long * push(face / long, way, WALL).dot(way).abs();
        }
        front
    })
}

/// The front of a sole that goes `[ahead, right]`, of any length; a share of it is in the ground.
pub(crate) fn front(all: &Fronts, [ahead, right]: [f64; 2], share: f64) -> Front {
    let turn = libm::atan2(right, ahead) / std::f64::consts::TAU * WAYS as f64 + WAYS as f64;
    let (k, part) = (turn as usize, turn - libm::floor(turn));
    let (a, b) = (all[k % WAYS], all[(k + 1) % WAYS]);
    let mix = |a: f64, b: f64| share * (a + (b - a) * part);
    Front { resists: mix(a.resists, b.resists), width: mix(a.width, b.width) }
}

/// Push of the ground on the faces of a sole that slides `depth` m in the ground, N.
pub(crate) fn on_front(material: &Material, depth: f64, front: Front) -> f64 {
    let natural = &material.natural;
    // Cohesive ground also has to be torn: twice its cohesion on a face that is pushed (Rankine).
    let torn = 2.0 * natural.cohesion * front.width;
    (stiffness(natural.density, natural.friction) * front.resists * depth + torn) * depth
}

/// Push on the underside of a foot that goes level through the ground, N, `depth` m below its surface: an area in m².
pub(crate) fn on_underside(material: &Material, depth: f64, area: f64) -> f64 {
    let natural = &material.natural;
    let along = push(-DVec3::Y, DVec3::X, WALL).x.abs();
    stiffness(natural.density, natural.friction) * along * depth * area
}

/// What the ground can give along its surface under a sole, N: friction and cohesion under it (Mohr–Coulomb), weaker by its water,
/// and the wall before it, which is weaker where the ground falls away behind it by `falls` rad.
pub(crate) fn grip(
    material: &Material,
    normal: f64,
    area: f64,
    (depth, front): (f64, Front),
    falls: f64,
) -> f64 {
    let natural = &material.natural;
    let below = normal * libm::tan(natural.friction) + natural.cohesion * area;
    below * material.water_strength().min(1.0)
        + on_front(material, depth, front) * falling(natural.friction, falls)
}

/// Passive pressure of ground that falls away by `angle` rad over that of level ground: from Rankine's coefficient of level ground,
/// (1 + sin φ)/(1 − sin φ), to that of a slope at its friction angle, cos φ, in proportion to the angle, which is our choice.
fn falling(friction: f64, angle: f64) -> f64 {
    let sine = libm::sin(friction);
    let (level, steep) = ((1.0 + sine) / (1.0 - sine), libm::cos(friction));
    1.0 + (steep / level - 1.0) * (angle / friction.max(1e-3)).clamp(0.0, 1.0)
}

/// What wet ground holds a sole back with when it is lifted, N: it sticks to the sole and to its sides as strongly as it sticks to itself,
/// the more the wetter it is from half full on. That adhesion is about cohesion is ours; measured adhesion of wet clay to steel is 1 to
/// 5 kPa.
pub(crate) fn suction(material: &Material, area: f64, depth: f64, length: f64) -> f64 {
    let wet = (2.0 * material.moisture - 1.0).max(0.0);
    wet * material.natural.cohesion * (area + 2.0 * depth * length)
}

/// Push of the ground on a face per area and depth, over the ground's stiffness. `normal` points out of the body, `velocity` says where
/// it goes; y is up. Nothing where the face does not lead.
pub fn push(normal: DVec3, velocity: DVec3, friction: f64) -> DVec3 {
    let speed = velocity.length();
    if speed <= 0.0 || normal.dot(velocity) < -1e-9 * speed {
        return DVec3::ZERO;
    }
    let flat = DVec3::new(velocity.x, 0.0, velocity.z);
    let along = if flat.length() > 1e-9 * speed { flat.normalize() } else { DVec3::X };
    let across = DVec3::Y.cross(along);
    let gamma = libm::atan2(-velocity.y, flat.length());
    // The face as a plate: its tilt β against the level and its turn ψ against the way, taken from the side that looks down.
    let side = if normal.y <= 0.0 { 1.0 } else { -1.0 };
    let (ahead, aside) = (side * normal.dot(along), side * normal.dot(across));
    let beta = side * libm::atan2(libm::hypot(ahead, aside), side * -normal.y);
    let psi = libm::atan2(aside, ahead);
    let (sb, cb, sg, cg) = (libm::sin(beta), libm::cos(beta), libm::sin(gamma), libm::cos(gamma));
    let (x1, x2, x3) = (sg, cb, libm::cos(psi) * cg * sb + sg * cb);
    #[rustfmt::skip]
    let terms = [
        1.0, x1, x2, x3, x1 * x1, x2 * x2, x3 * x3, x1 * x2, x2 * x3, x3 * x1, x1 * x1 * x1, x2 * x2 * x2, x3 * x3 * x3, x1 * x2 * x2, x2 * x1 * x1,
        x2 * x3 * x3, x3 * x2 * x2, x3 * x1 * x1, x1 * x3 * x3, x1 * x2 * x3,
    ];
    let mut f = [0.0; 3];
    for (term, row) in terms.iter().zip(&COEFFICIENTS) {
        (0..3).for_each(|k| f[k] += term * row[k]);
    }
    // Of the body on the ground, so that the ground pushes back.
    let force = along * (f[0] * sb * libm::cos(psi) + f[1] * cg)
        + across * (f[0] * sb * libm::sin(psi))
        + DVec3::Y * (-f[0] * cb - f[1] * sg - f[2]);
    let square = normal * force.dot(normal);
    let along_face = force - square;
    let most = friction * square.length();
    square + along_face * (most / along_face.length().max(most).max(1e-300))
}
