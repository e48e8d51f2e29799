//! A clip alone: joints as nodes at rest, and one animation of them, for tools that bring their own mesh.

use super::buffer::Use;
use super::{GlbError, Parts};
use crate::character::write_bvh::NAMES;
use serde_json::json;
use trample::body::{JOINTS, PARENT, Skeleton};
use trample::clips::Clip;
use trample::glam::{Quat, Vec3};

/// Adds a skeleton at rest, arms hanging, and its motion.
pub(crate) fn put(parts: &mut Parts, clip: &Clip, skeleton: &Skeleton, name: &str) -> Result<(), GlbError> {
    let fail = |problem| GlbError::Actor(name.into(), problem);
    if clip.frames.is_empty() || !(clip.dt.is_finite() && clip.dt > 0.0) {
        return Err(fail("has no frames, or no time between them"));
    }
    let poses = || clip.frames.iter().map(|f| &f.pose);
    if poses().any(|p| !p.root.is_finite() || p.rotations.iter().any(|q| !q.is_finite())) {
        return Err(fail("a pose is not a number"));
    }
    let first = parts.nodes.len();
    let (thigh, shank) = skeleton.leg();
    let standing = Vec3::new(0.0, thigh + shank + skeleton.foot.ankle_height as f32, 0.0);
    for j in 0..JOINTS {
        let place = if j == 0 { standing } else { skeleton.offsets[j] };
        let mut node = json!({ "name": NAMES[j], "translation": place.to_array() });
        let children: Vec<usize> = (1..JOINTS).filter(|&k| PARENT[k] == j).map(|k| first + k).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        parts.node(node);
    }
    parts.roots.push(first);
    // A skin without a mesh: it tells other tools that these nodes are the bones of one armature.
    let joints: Vec<usize> = (first..first + JOINTS).collect();
    parts.skins.push(json!({ "name": "body", "joints": joints, "skeleton": first }));
    let times: Vec<[f32; 1]> = (0..clip.frames.len()).map(|i| [(i as f64 * clip.dt) as f32]).collect();
    let input = parts.buffer.floats(&times, Use::Other, true);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let mut channel = |node: usize, path: &str, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    };
    let roots: Vec<[f32; 3]> = poses().map(|p| p.root.to_array()).collect();
    channel(first, "translation", parts.buffer.floats(&roots, Use::Other, false));
    for j in 0..JOINTS {
        // The shorter way from each to the next.
        let mut last = Quat::IDENTITY;
        let turns: Vec<[f32; 4]> = poses()
            .map(|p| {
                let turn = p.rotations[j].normalize();
                last = if turn.dot(last) < 0.0 { -turn } else { turn };
                last.to_array()
            })
            .collect();
        channel(first + j, "rotation", parts.buffer.floats(&turns, Use::Other, false));
    }
    parts.animations.push(json!({ "name": name, "channels": channels, "samplers": samplers }));
    Ok(())
}
