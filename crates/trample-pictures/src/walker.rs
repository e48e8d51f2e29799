//! A walker and its ground, as a filmstrip shows them.

use crate::filmstrip::{Bone, Looks, tinted};
use trample::World;
use trample::body::{HIP, JOINTS, Joint, PARENT, Placed};
use trample::glam::Vec3;
use trample_looks::Skin;
use trample_looks::colour::linear;

/// Spacing of the ground's profile, m.
const EVERY: f64 = 0.01;
/// How far to either side of the body the ground is kept, m.
const REACH: f64 = 1.4;

/// The ground around a place along the walk, lowest over the tracks of both feet: along, surface, original surface.
pub fn ground_around(world: &World, x: f64) -> Vec<[f64; 3]> {
    let n = (REACH / EVERY) as i32;
    (-n..=n).map(|i| ground_along(world, ((x / EVERY).round() + f64::from(i)) * EVERY)).collect()
}

/// Left prints lie on one side of the path, right ones on the other: the lower of both shows every print.
pub fn ground_along(world: &World, x: f64) -> [f64; 3] {
    let tracks = [1.42, 1.44, 1.46, 1.54, 1.56, 1.58];
    let base = world.ground().base.height(x, 1.5);
    let change = |z: f64| world.height(x, z) - world.ground().base.height(x, z);
    let deepest = tracks.iter().map(|&z| change(z)).fold(f64::MAX, f64::min);
    // A rim stands where no track is pressed.
    let highest = tracks.iter().map(|&z| change(z)).fold(f64::MIN, f64::max);
    [x, base + if deepest < -0.3 * highest { deepest } else { highest }, base]
}

impl Looks {
    /// How a body looks at a moment: in its skin, or as bones where there is none; tinted in one colour where there is one.
    pub fn of(skin: Option<&Skin>, placed: &Placed, tint: Option<[u8; 3]>) -> Self {
        let Some(skin) = skin else { return Self::Bones(bones(placed), tint) };
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        skin.pose(placed, &mut points, &mut normals);
        let mut colours = Vec::with_capacity(skin.triangles.len());
        for group in &skin.groups {
            let own = group.colour;
            let colour = tint.map_or_else(|| linear(own), |hue| tinted(hue, own));
            colours.extend(std::iter::repeat_n(colour, group.count));
        }
        let plain = |v: Vec<Vec3>| v.into_iter().map(|p| p.to_array()).collect();
        Self::Mesh {
            points: plain(points),
            normals: plain(normals),
            triangles: skin.triangles.clone(),
            colours,
        }
    }
}

/// The skeleton as thick lines; the near side of a walk along x, seen from the right, is the right one.
fn bones(placed: &Placed) -> Vec<Bone> {
    let at = |j: usize| [f64::from(placed.positions[j].x), f64::from(placed.positions[j].y)];
    let thick = |j: usize| match j {
        1 | 2 => 0.18,
        3 => 0.12,
        4 => 0.08,
        6 | 9 => 0.065,
        7 | 10 => 0.05,
        12 | 16 => 0.125,
        13 | 17 => 0.085,
        14 | 18 => 0.055,
        _ => 0.06,
    };
    let mut bones = Vec::new();
    for j in 1..JOINTS {
        // Hips and shoulders only join limbs to the trunk.
        if matches!(j, 5 | 8 | 11 | 15) {
            continue;
        }
        let layer = match j {
            5..=7 | 11..=14 => 0,
            8..=10 | 15..=18 => 2,
            _ => 1,
        };
        bones.push((at(PARENT[j]), at(j), thick(j), layer));
    }
    let head = Joint::Head as usize;
    let on_head = |y: f32| {
        let p = placed.positions[head] + placed.rotations[head] * Vec3::new(0.015, y, 0.0);
        [f64::from(p.x), f64::from(p.y)]
    };
    bones.push((on_head(0.075), on_head(0.115), 0.165, 1));
    for side in 0..2 {
        let (ankle, ball) = (HIP[side] + 2, HIP[side] + 3);
        let layer = if side == 0 { 0 } else { 2 };
        let toe = placed.positions[ball] + placed.rotations[ball] * Vec3::new(0.07, 0.0, 0.0);
        let heel = placed.positions[ankle] + placed.rotations[ankle] * Vec3::new(-0.06, -0.07, 0.0);
        let point = |p: Vec3| [f64::from(p.x), f64::from(p.y)];
        bones.push((at(ball), point(toe), 0.035, layer));
        bones.push((at(ankle), point(heel), 0.06, layer));
        bones.push((point(heel), at(ball), 0.035, layer));
    }
    bones
}
