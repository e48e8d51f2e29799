//! Our own clips as BVH, so that other tools can use them: centimetres, y up, x ahead, names that every tool knows.

use std::fmt::Write;
use trample::body::{JOINTS, PARENT, Skeleton};
use trample::clips::Clip;
use trample::glam::Quat;

/// Names of our joints in the file, after MotionBuilder.
pub(crate) const NAMES: [&str; JOINTS] = [
    "Hips",
    "Spine",
    "Spine1",
    "Neck",
    "Head",
    "LeftArm",
    "LeftForeArm",
    "LeftHand",
    "RightArm",
    "RightForeArm",
    "RightHand",
    "LeftUpLeg",
    "LeftLeg",
    "LeftFoot",
    "LeftToeBase",
    "RightUpLeg",
    "RightLeg",
    "RightFoot",
    "RightToeBase",
];

/// The text of a BVH file with this clip.
pub fn write_bvh(clip: &Clip, skeleton: &Skeleton) -> String {
    let mut text = String::from("HIERARCHY\n");
    joint(&mut text, skeleton, 0, 0);
    // Writing to a string cannot fail.
    let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {:.9}\n", clip.frames.len(), clip.dt);
    for frame in &clip.frames {
        let p = frame.pose.root * 100.0;
        let _ = write!(text, "{:.4} {:.4} {:.4}", p.x, p.y, p.z);
        for j in order() {
            let [z, x, y] = zxy(frame.pose.rotations[j]);
            let _ = write!(text, " {z:.4} {x:.4} {y:.4}");
        }
        text.push('\n');
    }
    text
}

/// Joints as the file has them: depth first. Ours are in that order already.
fn order() -> std::ops::Range<usize> {
    0..JOINTS
}

fn joint(text: &mut String, skeleton: &Skeleton, at: usize, depth: usize) {
    let tab = "\t".repeat(depth);
    let offset = skeleton.offsets[at] * 100.0;
    let (kind, channels) = if at == 0 { ("ROOT", "6 Xposition Yposition Zposition") } else { ("JOINT", "3") };
    let _ = write!(
        text,
        "{tab}{kind} {}\n{tab}{{\n{tab}\tOFFSET {:.4} {:.4} {:.4}\n{tab}\tCHANNELS {channels} Zrotation Xrotation Yrotation\n",
        NAMES[at], offset.x, offset.y, offset.z
    );
    let children: Vec<usize> = (1..JOINTS).filter(|&c| PARENT[c] == at).collect();
    for &child in &children {
        joint(text, skeleton, child, depth + 1);
    }
    if children.is_empty() {
        let tip = match at {
            // Head, hands, toes.
            4 => [0.0, 15.0, 0.0],
            14 | 18 => [100.0 * (skeleton.foot.toe - skeleton.foot.ball), 0.0, 0.0],
            _ => [0.0, -18.0, 0.0],
        };
        let _ = write!(
            text,
            "{tab}\tEnd Site\n{tab}\t{{\n{tab}\t\tOFFSET {:.4} {:.4} {:.4}\n{tab}\t}}\n",
            tip[0], tip[1], tip[2]
        );
    }
    let _ = writeln!(text, "{tab}}}");
}

/// Angles about z, then x, then y, in degrees: q = Rz·Rx·Ry.
fn zxy(q: Quat) -> [f64; 3] {
    let q = q.as_dquat().normalize();
    let (x, y, z, w) = (q.x, q.y, q.z, q.w);
    // Entries of the rotation matrix of Rz·Rx·Ry: its third row is (−cx·sy, sx, cx·cy), its second column (−sz·cx, cz·cx, sx).
    let sx = (2.0 * (y * z + w * x)).clamp(-1.0, 1.0);
    let about_x = libm::asin(sx);
    let (about_z, about_y) = if sx.abs() < 0.999_999 {
        (
            libm::atan2(-2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z)),
            libm::atan2(-2.0 * (x * z - w * y), 1.0 - 2.0 * (x * x + y * y)),
        )
    } else {
        // Looking straight up or down z and y turn about the same axis.
        (libm::atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z)), 0.0)
    };
    [about_z, about_x, about_y].map(f64::to_degrees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn angles_make_the_rotation_again(x in -1.0..1.0f32, y in -1.0..1.0f32, z in -1.0..1.0f32, w in -1.0..1.0f32) {
            let q = Quat::from_xyzw(x, y, z, w);
            prop_assume!(q.length() > 0.1);
            let q = q.normalize();
            let [a, b, c] = zxy(q).map(|d| d.to_radians() as f32);
            let again = Quat::from_rotation_z(a) * Quat::from_rotation_x(b) * Quat::from_rotation_y(c);
            prop_assert!(again.dot(q).abs() > 0.99999, "{q} {again}");
        }
    }

    #[test]
    fn straight_up_is_no_trouble() {
        for turn in [1.0, -1.0] {
            let q = Quat::from_rotation_z(0.7) * Quat::from_rotation_x(turn * std::f32::consts::FRAC_PI_2);
            let [a, b, c] = zxy(q).map(|d| d.to_radians() as f32);
            let again = Quat::from_rotation_z(a) * Quat::from_rotation_x(b) * Quat::from_rotation_y(c);
            assert!(again.dot(q).abs() > 0.99999);
        }
    }
}
