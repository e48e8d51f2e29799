//! Bodies in a file: joints as nodes, the mesh as their skin, the motion as an animation.

use super::buffer::Use;
use super::{Channels, GlbError, Parts, Show};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use trample::body::{JOINTS, NAMES, PARENT, Pose, Skeleton};
use trample::glam::{Mat4, Quat, Vec3};
use trample_looks::colour::linear;
use trample_looks::{Part, Skin};

/// A body and its motion.
#[derive(Clone, Debug)]
pub struct Actor<'a> {
    /// Name of its nodes.
    pub name: String,
    /// Which of the skins it wears.
    pub skin: usize,
    /// Its skeleton.
    pub skeleton: &'a Skeleton,
    /// Moments, s, growing.
    pub times: &'a [f32],
    /// What it does at each of them.
    pub poses: &'a [Pose],
}

/// Adds all bodies of ours and lets them move.
pub(crate) fn put<'a>(parts: &mut Parts, show: &Show<'a>, walk: &mut Channels<'a>) -> Result<(), GlbError> {
    let mut materials = BTreeMap::new();
    let mut meshes: Vec<Option<[usize; 2]>> = vec![None; show.skins.len()];
    for actor in &show.actors {
        let fail = |problem| GlbError::Actor(actor.name.clone(), problem);
        let skin = show.skins.get(actor.skin).ok_or_else(|| fail("no such skin"))?;
        moments(&actor.name, actor.times, actor.poses.len())?;
        if actor.poses.iter().any(|p| !p.root.is_finite() || p.rotations.iter().any(|q| !q.is_finite())) {
            return Err(fail("a pose is not a number"));
        }
        let [mesh, bind] = *meshes[actor.skin].get_or_insert_with(|| clothe(parts, skin, &mut materials));
        let first = joints(parts, actor);
        let joints: Vec<usize> = (first..first + JOINTS).collect();
        let number = parts.skins.len();
        parts.skins.push(json!({
            "name": actor.name, "joints": joints, "skeleton": first, "inverseBindMatrices": bind
        }));
        // A skin places its mesh by the joints alone, so the mesh stands beside them.
        let body =
            parts.node(json!({ "name": format!("{} body", actor.name), "mesh": mesh, "skin": number }));
        parts.roots.extend([first, body]);
        let input = walk.clock(parts, actor.times);
        let roots: Vec<[f32; 3]> = actor.poses.iter().map(|p| p.root.to_array()).collect();
        let output = parts.buffer.floats(&roots, Use::Other, false);
        walk.add(first, "translation", input, output);
        for j in 0..JOINTS {
            // The shorter way from each to the next, whatever sign the generator chose.
            let mut last = Quat::IDENTITY;
            let turns: Vec<[f32; 4]> = actor
                .poses
                .iter()
                .map(|p| {
                    let turn = p.rotations[j].normalize();
                    last = if turn.dot(last) < 0.0 { -turn } else { turn };
                    last.to_array()
                })
                .collect();
            let output = parts.buffer.floats(&turns, Use::Other, false);
            walk.add(first + j, "rotation", input, output);
        }
    }
    Ok(())
}

/// Whether moments are as a file needs them, and as many as there are poses.
pub(super) fn moments(name: &str, times: &[f32], poses: usize) -> Result<(), GlbError> {
    let fail = |problem| Err(GlbError::Actor(name.into(), problem));
    if poses == 0 || poses != times.len() {
        return fail("needs one pose for each of its moments, and at least one");
    }
    if times.windows(2).any(|w| w[1] <= w[0]) || times[0] < 0.0 {
        return fail("its moments must grow from 0 or later");
    }
    Ok(())
}

/// Adds the nodes of a skeleton, as it stands first, and returns the number of its pelvis; the others follow in order.
fn joints(parts: &mut Parts, actor: &Actor<'_>) -> usize {
    let (first, pose) = (parts.nodes.len(), &actor.poses[0]);
    for j in 0..JOINTS {
        let place = if j == 0 { pose.root } else { actor.skeleton.offsets[j] };
        let name = if j == 0 { actor.name.clone() } else { format!("{} {}", actor.name, NAMES[j]) };
        let mut node = json!({
            "name": name,
            "translation": place.to_array(),
            "rotation": pose.rotations[j].normalize().to_array(),
        });
        let children: Vec<usize> = (1..JOINTS).filter(|&k| PARENT[k] == j).map(|k| first + k).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        parts.node(node);
    }
    first
}

/// Adds a mesh and its bind matrices; returns the numbers of both.
fn clothe(parts: &mut Parts, skin: &Skin, materials: &mut BTreeMap<(Part, [u8; 3]), usize>) -> [usize; 2] {
    // One material for every colour that a part has in this file.
    for group in &skin.groups {
        materials
            .entry((group.part, group.colour))
            .or_insert_with(|| parts.material(group.part.row().0, linear(group.colour)));
    }
    let rows = |v: &[Vec3]| v.iter().map(Vec3::to_array).collect::<Vec<_>>();
    let buffer = &mut parts.buffer;
    let attributes = json!({
        "POSITION": buffer.floats(&rows(&skin.points), Use::Points, true),
        "NORMAL": buffer.floats(&rows(&skin.normals), Use::Points, false),
        "JOINTS_0": buffer.bytes4(&skin.joints, false),
        "WEIGHTS_0": buffer.floats(&skin.weights, Use::Points, false),
    });
    let primitives: Vec<Value> = skin
        .groups
        .iter()
        .map(|group| {
            let corners = buffer.corners(&skin.triangles[group.first..group.first + group.count]);
            json!({ "attributes": attributes, "indices": corners, "material": materials[&(group.part, group.colour)] })
        })
        .collect();
    let bind: Vec<[f32; 16]> = skin.inverse_bind().iter().map(Mat4::to_cols_array).collect();
    let bind = buffer.floats(&bind, Use::Other, false);
    parts.meshes.push(json!({ "name": "body", "primitives": primitives }));
    [parts.meshes.len() - 1, bind]
}
