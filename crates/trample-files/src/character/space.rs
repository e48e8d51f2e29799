//! Units and axes of a file, found from the body in it.
//!
//! In: a mapped body at rest and in motion. Out: metres per unit, which way is up. Legs of a known kind of body tell the unit:
//! of the units in use only one makes them as long as legs are.

use super::map_file::MapFile;
use super::mapping::Looks;
use super::part::{Limb, Mapping};
use super::source::{Format, Layout};
use super::topology::snapped;
use trample::glam::{Quat, Vec3};

/// How a file's world becomes ours: y up, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Up, in the file's world.
    pub up: Vec3,
    /// From the file's directions to ours.
    pub turn: Quat,
    /// Metres per unit.
    pub unit: f32,
    /// What the unit is called.
    pub unit_name: &'static str,
    /// How sure unit and axis are, 0 to 1.
    pub sure: f32,
}

/// Units in use, m. CMU's is 1/0.45 inches: its recordings measure in 0.45 of their unit.
const UNITS: [(f32, &str); 6] = [
    (1.0, "metres"),
    (0.01, "centimetres"),
    (0.0254 / 0.45, "CMU units of 5.64 cm"),
    (0.0254, "inches"),
    (0.001, "millimetres"),
    (0.1, "decimetres"),
];

/// What people take a unit of MikuMikuDance for, m.
const MMD: f32 = 0.08;
/// Thigh and shank of a person, m: a child of a metre to a man of 2.2 m (0.484 of height, [`trample::params::Body`]).
const LEGS: [f32; 2] = [0.45, 1.1];
/// Of an adult of middle height.
const LEG: f32 = 0.84;

/// Thigh and shank of a pose, mean of both sides, in the file's unit.
pub(super) fn leg(mapping: &Mapping, pose: &Layout) -> f32 {
    let mut sum = 0.0;
    for side in 0..2 {
        let at = |limb| mapping.limb(limb, side).map_or(Vec3::ZERO, |j| pose.places[j]);
        let (hip, knee, ankle) = (at(Limb::Hip), at(Limb::Knee), at(Limb::Ankle));
        sum += 0.5 * (hip.distance(knee) + knee.distance(ankle));
    }
    sum
}

/// The unit of a body whose leg measures `leg` units, and how sure that is.
pub(super) fn unit(leg: f32, format: Format) -> (f32, &'static str, f32) {
    if !(leg.is_finite() && leg > 1e-9) {
        return (1.0, "metres", 0.0);
    }
    // glTF is in metres; only what cannot be metres is something else.
    if format == Format::Gltf && (0.15..4.0).contains(&leg) {
        return (1.0, "metres", if (LEGS[0]..LEGS[1]).contains(&leg) { 1.0 } else { 0.8 });
    }
    let off = |unit: f32| libm::fabsf(libm::logf(leg * unit / LEG));
    let best = UNITS.iter().min_by(|a, b| off(a.0).total_cmp(&off(b.0))).copied().unwrap_or(UNITS[0]);
    if (LEGS[0]..LEGS[1]).contains(&(leg * best.0)) {
        return (best.0, best.1, 0.95);
    }
    // No unit makes it a person: as tall as one, with no claim to truth.
    (LEG / leg, "unknown units, scaled to a person", 0.3)
}

/// How tall people are in files, m, and how tall one is made whose file says otherwise: a figure of half a metre, or a giant of five,
/// was drawn without regard to units. Our choice.
const TALL: [f32; 2] = [1.0, 2.4];
const PERSON: f32 = 1.75;

impl Space {
    /// For a person whose skin is `tall` m by this space.
    pub(super) fn for_person(mut self, tall: f32) -> Self {
        if !(TALL[0]..TALL[1]).contains(&tall) {
            self.unit *= PERSON / tall;
            self.unit_name = "units of its own, taken to be 1.75 m tall";
            self.sure = self.sure.min(0.7);
        }
        self
    }
}

/// Finds unit and axes.
pub(super) fn find(mapping: &Mapping, looks: &Looks, format: Format, given: &MapFile) -> Space {
    let pose = looks.moving.get(looks.moving.len() / 2).unwrap_or(&looks.rest);
    let (mut unit, mut unit_name, mut sure) = unit(leg(mapping, pose), format);
    // MikuMikuDance measures in 8 cm: a person of 20 units is 1.6 m tall.
    if mapping.convention == Some("MikuMikuDance") && (LEGS[0]..LEGS[1]).contains(&(MMD * leg(mapping, pose)))
    {
        (unit, unit_name) = (MMD, "MikuMikuDance units of 8 cm");
    }
    if let Some(told) = given.unit {
        (unit, unit_name, sure) = (told, "units of the map file", 1.0);
    }
    let rise = |pose: &Layout| {
        let mean = |limb: Limb| {
            (0..2).filter_map(|s| mapping.limb(limb, s)).map(|j| pose.places[j]).sum::<Vec3>() / 2.0
        };
        (mean(Limb::Hip) - mean(Limb::Ankle)).normalize_or_zero()
    };
    let mean = if looks.moving.is_empty() { rise(&looks.rest) } else { looks.moving.iter().map(rise).sum() };
    let mean = mean.normalize_or_zero();
    let up = given.up.unwrap_or_else(|| up_of(format, rise(&looks.rest), mean));
    if given.up.is_none() {
        // Legs that point in between two axes do not tell, at rest or in motion.
        let told = mean.dot(up).max(rise(&looks.rest).dot(up));
        sure = sure.min(((told - 0.6) / 0.3).clamp(0.1, 1.0));
    }
    Space { up, turn: upright(up), unit, unit_name, sure }
}

/// Which axis is up for legs that rise along `rest` and, in motion, along `moving`. glTF says that it is y; only where legs rise along
/// another axis both at rest and in motion is it not believed.
pub(super) fn up_of(format: Format, rest: Vec3, moving: Vec3) -> Vec3 {
    if format == Format::Gltf && rest.y.max(moving.y) > 0.3 { Vec3::Y } else { snapped(moving) }
}

/// The rotation that brings an axis up, by the shortest way.
pub(super) fn upright(up: Vec3) -> Quat {
    if up.y < -0.99 {
        Quat::from_rotation_x(std::f32::consts::PI)
    } else {
        Quat::from_rotation_arc(up, Vec3::Y)
    }
}

impl Space {
    /// The name of the axis that points up.
    pub fn up_name(&self) -> &'static str {
        let names = [["x", "-x"], ["y", "-y"], ["z", "-z"]];
        let axis = self.up.abs().max_position();
        names[axis][usize::from(self.up[axis] < 0.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_told_by_the_leg() {
        for (leg, name) in
            [(0.87, "metres"), (87.0, "centimetres"), (15.4, "CMU units of 5.64 cm"), (34.3, "inches")]
        {
            for size in [0.75, 1.0, 1.2] {
                assert_eq!(unit(leg * size, Format::Bvh).1, name, "{leg} × {size}");
            }
        }
        assert_eq!(unit(870.0, Format::Bvh).1, "millimetres");
        assert_eq!(unit(0.3, Format::Gltf), (1.0, "metres", 0.8), "a small figure");
        assert_eq!(unit(87.0, Format::Gltf).1, "centimetres", "an armature whose scale was lost");
        assert!(unit(3.0e5, Format::Bvh).2 < 0.5 && unit(f32::NAN, Format::Bvh).2 == 0.0);
    }

    #[test]
    fn any_axis_can_be_up() {
        for up in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
            assert!((upright(up) * up - Vec3::Y).length() < 1e-6);
        }
    }
}
