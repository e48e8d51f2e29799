//! Bodies that bring their own skin: the joints, meshes, paints and pictures of their file, moved as the simulation moved them.

use super::actor::moments;
use super::buffer::Use;
use super::{Channels, GlbError, Parts, Show};
use crate::character::{JointMotion, Outfit, Source};
use serde_json::{Value, json};

/// A character and its motion.
#[derive(Clone, Debug)]
pub struct Guest<'a> {
    /// Name of its outermost node.
    pub name: String,
    /// Its joints.
    pub source: &'a Source,
    /// Its meshes; guests that wear the same one share them in the file.
    pub outfit: &'a Outfit,
    /// Moments, s, growing.
    pub times: &'a [f32],
    /// What it does at each of them.
    pub motion: JointMotion,
}

/// Meshes and paints that are in the file already.
struct Put<'a> {
    outfit: &'a Outfit,
    /// One mesh for each piece.
    meshes: Vec<usize>,
    /// Bind matrices of each bind.
    binds: Vec<usize>,
}

/// Adds all characters and lets them move.
pub(crate) fn put<'a>(parts: &mut Parts, show: &Show<'a>, walk: &mut Channels<'a>) -> Result<(), GlbError> {
    let mut known: Vec<Put<'a>> = Vec::new();
    for guest in &show.guests {
        check(guest)?;
        let at = known.iter().position(|k| std::ptr::eq(k.outfit, guest.outfit)).unwrap_or_else(|| {
            known.push(clothe(parts, guest.outfit));
            known.len() - 1
        });
        add(parts, guest, &known[at], walk);
    }
    Ok(())
}

/// Whether a guest makes sense.
fn check(guest: &Guest<'_>) -> Result<(), GlbError> {
    let fail = |problem| Err(GlbError::Actor(guest.name.clone(), problem));
    let (n, joints, motion) = (guest.times.len(), guest.source.joints.len(), &guest.motion);
    moments(&guest.name, guest.times, n)?;
    let fits = |len: usize| len == 1 || len == n;
    let whole = fits(motion.places.len()) && motion.turns.len() == motion.places.len();
    let own = |len: usize| len == 0 || len == n;
    if !whole || motion.tracks.iter().any(|t| !own(t.places.len()) || !own(t.turns.len())) {
        return fail("needs one pose for each of its moments, and at least one");
    }
    let pieces = guest.outfit.pieces.iter().map(|p| p.joint);
    let bound = guest.outfit.binds.iter().flat_map(|b| &b.joints).copied();
    if motion.tracks.iter().map(|t| t.joint).chain(pieces).chain(bound).any(|j| j >= joints) {
        return fail("a joint of its skin is not one of its joints");
    }
    let numbers =
        motion.tracks.iter().flat_map(|t| t.places.as_flattened().iter().chain(t.turns.as_flattened()));
    let outer = motion.places.as_flattened().iter().chain(motion.turns.as_flattened());
    if numbers.chain(outer).any(|x| !x.is_finite()) || !(motion.unit.is_finite() && motion.unit > 0.0) {
        return fail("a pose is not a number");
    }
    Ok(())
}

/// Adds nodes, skins and motion of a guest.
fn add<'a>(parts: &mut Parts, guest: &Guest<'a>, put: &Put<'_>, walk: &mut Channels<'a>) {
    let (source, outfit, motion) = (guest.source, guest.outfit, &guest.motion);
    // Only joints that are seen or moved, and those they hang from.
    let mut needed = vec![false; source.joints.len()];
    let bound = outfit.binds.iter().flat_map(|b| &b.joints).copied();
    let standing = outfit.pieces.iter().filter(|p| p.bind.is_none()).map(|p| p.joint);
    for joint in bound.chain(standing) {
        let mut at = Some(joint);
        while let Some(j) = at.filter(|&j| !needed[j]) {
            needed[j] = true;
            at = source.joints[j].parent;
        }
    }
    let outer = parts.node(json!({
        "name": guest.name,
        "translation": motion.places[0],
        "rotation": motion.turns[0],
        "scale": [motion.unit, motion.unit, motion.unit],
    }));
    parts.roots.push(outer);
    let mut node_of = vec![usize::MAX; source.joints.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); source.joints.len()];
    let mut tops = Vec::new();
    for (j, joint) in source.joints.iter().enumerate().filter(|(j, _)| needed[*j]) {
        let rest = joint.rest;
        node_of[j] = parts.node(json!({
            "name": joint.name,
            "translation": rest.translation.to_array(),
            "rotation": rest.rotation.normalize().to_array(),
            "scale": rest.scale.to_array(),
        }));
        match joint.parent {
            Some(p) => children[p].push(node_of[j]),
            None => tops.push(node_of[j]),
        }
    }
    for (j, children) in children.into_iter().enumerate().filter(|(_, c)| !c.is_empty()) {
        parts.nodes[node_of[j]]["children"] = json!(children);
    }
    if !tops.is_empty() {
        parts.nodes[outer]["children"] = json!(tops);
    }
    let mut skins: Vec<Option<usize>> = vec![None; outfit.binds.len()];
    for (piece, &mesh) in outfit.pieces.iter().zip(&put.meshes) {
        let Some(bind) = piece.bind else {
            // A node has one mesh: a second one stands in a node of its own below.
            let node = parts.node(json!({ "name": piece.name, "mesh": mesh }));
            let above = &mut parts.nodes[node_of[piece.joint]]["children"];
            match above.as_array_mut() {
                Some(list) => list.push(json!(node)),
                None => *above = json!([node]),
            }
            continue;
        };
        let skin = *skins[bind].get_or_insert_with(|| {
            let joints: Vec<usize> = outfit.binds[bind].joints.iter().map(|&j| node_of[j]).collect();
            parts.skins.push(json!({
                "name": guest.name, "joints": joints, "inverseBindMatrices": put.binds[bind]
            }));
            parts.skins.len() - 1
        });
        // A skin places its mesh by the joints alone, so the mesh stands beside them.
        let name = format!("{} {}", guest.name, piece.name);
        let node = parts.node(json!({ "name": name, "mesh": mesh, "skin": skin }));
        parts.roots.push(node);
    }
    let input = walk.clock(parts, guest.times);
    if motion.places.len() > 1 {
        let (places, turns) = (
            parts.buffer.floats(&motion.places, Use::Other, false),
            parts.buffer.floats(&motion.turns, Use::Other, false),
        );
        walk.add(outer, "translation", input, places);
        walk.add(outer, "rotation", input, turns);
    }
    for track in motion.tracks.iter().filter(|t| needed[t.joint]) {
        if !track.places.is_empty() {
            let output = parts.buffer.floats(&track.places, Use::Other, false);
            walk.add(node_of[track.joint], "translation", input, output);
        }
        if !track.turns.is_empty() {
            let output = parts.buffer.floats(&track.turns, Use::Other, false);
            walk.add(node_of[track.joint], "rotation", input, output);
        }
    }
}

/// Adds the meshes of an outfit.
fn clothe<'a>(parts: &mut Parts, outfit: &'a Outfit) -> Put<'a> {
    let textures: Vec<usize> = outfit
        .pictures
        .iter()
        .map(|picture| {
            let view = parts.buffer.blob(&picture.bytes);
            parts.images.push(json!({ "bufferView": view, "mimeType": picture.kind }));
            parts.textures.push(json!({ "source": parts.images.len() - 1 }));
            parts.textures.len() - 1
        })
        .collect();
    let first = parts.materials.len();
    for paint in &outfit.paints {
        let mut material = json!({
            "name": paint.name,
            "pbrMetallicRoughness": {
                "baseColorFactor": paint.colour,
                "metallicFactor": paint.metal[0],
                "roughnessFactor": paint.metal[1],
            },
            "doubleSided": paint.double_sided,
        });
        if let Some(picture) = paint.picture {
            material["pbrMetallicRoughness"]["baseColorTexture"] = json!({ "index": textures[picture] });
        }
        if let Some(cutoff) = paint.cutoff {
            material["alphaMode"] = json!("MASK");
            material["alphaCutoff"] = json!(cutoff);
        } else if paint.blended {
            material["alphaMode"] = json!("BLEND");
        }
        parts.materials.push(material);
    }
    let binds = outfit.binds.iter().map(|b| parts.buffer.floats(&b.inverse, Use::Other, false)).collect();
    let mut meshes = Vec::with_capacity(outfit.pieces.len());
    for piece in &outfit.pieces {
        let buffer = &mut parts.buffer;
        let mut attributes = json!({ "POSITION": buffer.floats(&piece.points, Use::Points, true) });
        let mut put = |name: &str, accessor: usize| attributes[name] = Value::from(accessor);
        if !piece.normals.is_empty() {
            put("NORMAL", buffer.floats(&piece.normals, Use::Points, false));
        }
        if !piece.texels.is_empty() {
            put("TEXCOORD_0", buffer.floats(&piece.texels, Use::Points, false));
        }
        if !piece.colours.is_empty() {
            put("COLOR_0", buffer.floats(&piece.colours, Use::Points, false));
        }
        if piece.bind.is_some() {
            put("JOINTS_0", buffer.shorts4(&piece.joints));
            put("WEIGHTS_0", buffer.floats(&piece.weights, Use::Points, false));
        }
        let corners = buffer.corners(&piece.triangles);
        let mut primitive = json!({ "attributes": attributes, "indices": corners });
        if let Some(paint) = piece.paint {
            primitive["material"] = json!(first + paint);
        }
        let mut mesh = json!({ "name": piece.name });
        if !piece.morphs.is_empty() {
            let targets = piece.morphs.iter().map(|morph| {
                let mut target = json!({ "POSITION": buffer.floats(&morph.points, Use::Points, true) });
                if !morph.normals.is_empty() {
                    target["NORMAL"] = json!(buffer.floats(&morph.normals, Use::Points, false));
                }
                target
            });
            primitive["targets"] = targets.collect();
            mesh["weights"] = piece.morphs.iter().map(|m| json!(m.weight)).collect();
            if piece.morphs.iter().any(|m| !m.name.is_empty()) {
                let names: Value = piece.morphs.iter().map(|m| json!(m.name)).collect();
                mesh["extras"] = json!({ "targetNames": names });
            }
        }
        mesh["primitives"] = json!([primitive]);
        parts.meshes.push(mesh);
        meshes.push(parts.meshes.len() - 1);
    }
    Put { outfit, meshes, binds }
}
