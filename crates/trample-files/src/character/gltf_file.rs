//! glTF 2.0 and GLB: nodes become joints, animations become takes, skins tell where the soles are.
//!
//! In: bytes. Out: a [`Source`]. The `gltf` crate reads the JSON; every index and count is checked here before it is used.

use super::error::CharacterError;
use super::gltf_data::{Data, part};
use super::source::{Curve, Format, Joining, Local, Motion, Moves, Source, SourceJoint, Take, Vertex};
use gltf::json;
use json::animation::{Interpolation, Property};
use json::mesh::{Mode, Semantic};
use json::validation::Checked;
use std::path::Path;
use trample::glam::{Mat4, Quat, Vec3};

/// Most nodes: scenes of many objects have thousands.
const MOST_NODES: usize = 20_000;
/// Largest coordinate that is believed.
const LARGEST: f32 = 1e9;
/// Frames a second of motions whose keys do not tell.
const RATE: f64 = 60.0;
/// Frames that a motion may have for each of its keys, beyond a minute: limits files whose keys lie hours apart.
const FRAMES_A_KEY: usize = 8;

/// Reads a glTF or GLB file.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Source, CharacterError> {
    let mut data = Data::new(path, bytes)?;
    let count = data.root.nodes.len();
    if count == 0 || count > MOST_NODES {
        let problem = format!("{count} nodes, allowed: 1 to {MOST_NODES}");
        return Err(part(path, "nodes", problem));
    }
    let (order, parents) = ordered(path, &data.root)?;
    let mut place_of = vec![0; count];
    for (at, &node) in order.iter().enumerate() {
        place_of[node] = at;
    }
    let bones: std::collections::BTreeSet<usize> =
        data.root.skins.iter().flat_map(|s| s.joints.iter().map(json::Index::value)).collect();
    let mut joints = Vec::with_capacity(count);
    for &node in &order {
        let json = &data.root.nodes[node];
        let name = json.name.clone().unwrap_or_else(|| format!("node {node}"));
        let parent = parents[node].map(|p| place_of[p]);
        let is_mesh = json.mesh.is_some() && !bones.contains(&node);
        joints.push(SourceJoint { name, parent, rest: local(path, node, json)?, tip: None, is_mesh });
    }
    let takes = takes(&mut data, &place_of)?;
    let humanoid = humanoid(&data.root, &place_of);
    let skins = data.root.skins.len();
    let mut source = Source {
        format: Format::Gltf,
        joints,
        takes,
        humanoid,
        vertices: Vec::new(),
        triangles: Vec::new(),
        rigid: 0,
        skins,
        place_of: Vec::new(),
    };
    skin_points(&mut data, &place_of, &mut source)?;
    Ok(source)
}

/// Nodes with parents before children; a node with two parents or in a circle is an error.
pub(super) fn ordered(
    path: &Path,
    root: &json::Root,
) -> Result<(Vec<usize>, Vec<Option<usize>>), CharacterError> {
    let count = root.nodes.len();
    let mut parents = vec![None; count];
    for (i, node) in root.nodes.iter().enumerate() {
        for child in node.children.iter().flatten().map(json::Index::value) {
            let place = || format!("nodes[{i}].children");
            let slot = parents.get_mut(child);
            let slot = slot.ok_or_else(|| part(path, place(), format!("nodes[{child}] does not exist")))?;
            if slot.is_some() {
                return Err(part(
                    path,
                    place(),
                    format!("nodes[{child}] has two parents; nodes must be trees"),
                ));
            }
            *slot = Some(i);
        }
    }
    let mut order: Vec<usize> = Vec::with_capacity(count);
    // Depth first, so that a body's joints stand together.
    let mut open: Vec<usize> = (0..count).rev().filter(|&i| parents[i].is_none()).collect();
    while let Some(node) = open.pop() {
        order.push(node);
        open.extend(root.nodes[node].children.iter().flatten().rev().map(json::Index::value));
    }
    if order.len() < count {
        let mut seen = vec![false; count];
        order.iter().for_each(|&i| seen[i] = true);
        let lost = seen.iter().position(|s| !s).unwrap_or(0);
        return Err(part(path, format!("nodes[{lost}]"), "is its own ancestor; nodes must be trees"));
    }
    Ok((order, parents))
}

fn local(path: &Path, index: usize, node: &json::Node) -> Result<Local, CharacterError> {
    let mut local = Local::default();
    if let Some(matrix) = node.matrix {
        let (scale, rotation, translation) = Mat4::from_cols_array(&matrix).to_scale_rotation_translation();
        local = Local { translation, rotation, scale };
    } else {
        if let Some(t) = node.translation {
            local.translation = Vec3::from_array(t);
        }
        if let Some(r) = node.rotation {
            local.rotation = Quat::from_array(r.0);
        }
        if let Some(s) = node.scale {
            local.scale = Vec3::from_array(s);
        }
    }
    let fits = |v: Vec3| v.is_finite() && v.abs().max_element() <= LARGEST;
    if !fits(local.translation) || !fits(local.scale) || !local.rotation.is_finite() {
        let problem = "its transform is not finite, or larger than 1e9, or flat";
        return Err(part(path, format!("nodes[{index}]"), problem));
    }
    local.rotation =
        if local.rotation.length_squared() > 1e-12 { local.rotation.normalize() } else { Quat::IDENTITY };
    Ok(local)
}

fn takes(data: &mut Data<'_>, place_of: &[usize]) -> Result<Vec<Take>, CharacterError> {
    let mut takes = Vec::new();
    for a in 0..data.root.animations.len() {
        let mut curves = Vec::new();
        for c in 0..data.root.animations[a].channels.len() {
            let place = format!("animations[{a}].channels[{c}]");
            let (animation, path) = (&data.root.animations[a], data.path);
            let (channel, node) = (&animation.channels[c], animation.channels[c].target.node.value());
            let (width, moves) = match channel.target.path {
                Checked::Valid(Property::Translation) => (3, Moves::Place),
                Checked::Valid(Property::Rotation) => (4, Moves::Turn),
                Checked::Valid(Property::Scale) => (3, Moves::Scale),
                _ => continue,
            };
            let &joint = place_of
                .get(node)
                .ok_or_else(|| part(path, &*place, format!("nodes[{node}] does not exist")))?;
            let sampler = animation.samplers.get(channel.sampler.value());
            let sampler = sampler.ok_or_else(|| part(path, &*place, "its sampler does not exist"))?;
            let joining = match sampler.interpolation {
                Checked::Valid(Interpolation::Step) => Joining::Step,
                Checked::Valid(Interpolation::CubicSpline) => Joining::Cubic,
                _ => Joining::Line,
            };
            let (input, output) = (sampler.input.value(), sampler.output.value());
            let ((times, one), (values, wide)) = (data.floats(input)?, data.floats(output)?);
            let a_key = if joining == Joining::Cubic { 3 * width } else { width };
            if one != 1 || wide != width || times.is_empty() || values.len() != times.len() * a_key {
                let problem =
                    format!("{} times and {} numbers, expected {a_key} a time", times.len(), values.len());
                return Err(part(path, place, problem));
            }
            if times.windows(2).any(|w| w[1] < w[0]) || times[0] < -1e6 {
                return Err(part(path, place, "its times do not rise"));
            }
            if values.iter().any(|v| v.abs() > LARGEST) {
                return Err(part(path, place, "a value is larger than 1e9"));
            }
            curves.push(Curve { joint, moves, joining, times, values });
        }
        if !curves.is_empty() {
            takes.push(take(data, a, curves)?);
        }
    }
    Ok(takes)
}

/// Frame rate and length of a motion from its keys.
fn take(data: &Data<'_>, index: usize, curves: Vec<Curve>) -> Result<Take, CharacterError> {
    let start = curves.iter().map(|c| f64::from(c.times[0])).fold(f64::MAX, f64::min);
    let end = curves.iter().map(|c| f64::from(c.times[c.times.len() - 1])).fold(f64::MIN, f64::max);
    let densest = curves.iter().max_by_key(|c| c.times.len());
    let mut gaps: Vec<f32> = densest
        .into_iter()
        .flat_map(|c| c.times.windows(2).map(|w| w[1] - w[0]))
        .filter(|&g| g > 1e-5)
        .collect();
    gaps.sort_unstable_by(f32::total_cmp);
    let gap = gaps.get(gaps.len() / 2).map_or(0.0, |&g| f64::from(g));
    // Keys at even, short times are frames; others were set by hand.
    let rate = if gap > 0.0 && gap < 0.06 { (1.0 / gap).round().clamp(10.0, 1000.0) } else { RATE };
    let frames = ((end - start) * rate).round() + 1.0;
    let keys: usize = curves.iter().map(|c| c.times.len()).sum();
    let most = 3600.max(FRAMES_A_KEY * keys);
    if frames.is_nan() || frames > most as f64 {
        let problem = format!("{:.0} s with only {keys} keys, allowed: {most} frames", end - start);
        return Err(part(data.path, format!("animations[{index}]"), problem));
    }
    let name = data.root.animations[index].name.clone();
    let name = name.filter(|n| !n.trim().is_empty()).unwrap_or_else(|| format!("animation {index}"));
    Ok(Take { name, dt: 1.0 / rate, frames: frames as usize, start, motion: Motion::Curves(curves) })
}

/// What a VRM extension calls the bones: 1.0 has an object, 0.x a list.
fn humanoid(root: &json::Root, place_of: &[usize]) -> Vec<(String, usize)> {
    let Some(extensions) = root.extensions.as_ref() else { return Vec::new() };
    let bones = |name: &str| extensions.others.get(name)?.get("humanoid")?.get("humanBones");
    let mut found = Vec::new();
    let mut add = |name: Option<&str>, node: Option<u64>| {
        let node = node.and_then(|n| usize::try_from(n).ok()).and_then(|n| place_of.get(n));
        if let (Some(name), Some(&joint)) = (name, node) {
            found.push((name.to_string(), joint));
        }
    };
    if let Some(list) = bones("VRMC_vrm").and_then(serde_json::Value::as_object) {
        for (name, bone) in list {
            add(Some(name), bone.get("node").and_then(serde_json::Value::as_u64));
        }
    } else if let Some(list) = bones("VRM").and_then(serde_json::Value::as_array) {
        for bone in list {
            add(
                bone.get("bone").and_then(serde_json::Value::as_str),
                bone.get("node").and_then(serde_json::Value::as_u64),
            );
        }
    }
    found
}

/// Meshes that hang on the bones of a skin, as those of robots do: they count as skin of the bone.
fn rigid_points(data: &mut Data<'_>, place_of: &[usize], source: &mut Source) -> Result<(), CharacterError> {
    let bones: Vec<usize> =
        data.root.skins.iter().flat_map(|s| s.joints.iter().map(json::Index::value)).collect();
    let mut is_bone = vec![false; place_of.len()];
    bones.iter().filter(|&&b| b < place_of.len()).for_each(|&b| is_bone[place_of[b]] = true);
    for node in 0..data.root.nodes.len() {
        let json = &data.root.nodes[node];
        let (Some(mesh), None) = (json.mesh.map(|m| m.value()), json.skin) else { continue };
        let joint = place_of[node];
        let mut at = source.joints[joint].parent;
        while let Some(p) = at.filter(|&p| !is_bone[p]) {
            at = source.joints[p].parent;
        }
        let (Some(_), Some(json_mesh)) = (at, data.root.meshes.get(mesh)) else { continue };
        let primitives: Vec<(usize, Option<usize>)> = json_mesh
            .primitives
            .iter()
            .filter(|p| matches!(p.mode, Checked::Valid(Mode::Triangles)))
            .filter_map(|p| {
                let places = p.attributes.get(&Checked::Valid(Semantic::Positions))?.value();
                Some((places, p.indices.map(|i| i.value())))
            })
            .collect();
        for (places, indices) in primitives {
            let (p, three) = data.floats(places)?;
            if three != 3 {
                return Err(part(
                    data.path,
                    format!("meshes[{mesh}]"),
                    "its positions are not three numbers each",
                ));
            }
            data.charge(format!("meshes[{mesh}]"), 2 * p.len())?;
            let (base, count) = (source.vertices.len() as u32, p.len() / 3);
            source.vertices.extend(p.chunks_exact(3).map(|p| Vertex::rigid(joint, Vec3::from_slice(p))));
            triangles(data, indices, [base, count as u32], source)?;
        }
    }
    Ok(())
}

/// Adds the triangles of a mesh whose vertices, first and count, have been added; corners that are none are left out.
fn triangles(
    data: &mut Data<'_>,
    indices: Option<usize>,
    [base, count]: [u32; 2],
    source: &mut Source,
) -> Result<(), CharacterError> {
    let corners: Vec<u32> = match indices {
        Some(index) => data.floats(index)?.0.iter().map(|&i| i as u32).collect(),
        None => (0..count).collect(),
    };
    for triangle in corners.chunks_exact(3).filter(|t| t.iter().all(|&i| i < count)) {
        source.triangles.push([base + triangle[0], base + triangle[1], base + triangle[2]]);
    }
    Ok(())
}

/// Vertices of all skinned meshes, each with the joint that moves it most.
fn skin_points(data: &mut Data<'_>, place_of: &[usize], source: &mut Source) -> Result<(), CharacterError> {
    rigid_points(data, place_of, source)?;
    source.rigid = source.vertices.len();
    for node in 0..data.root.nodes.len() {
        let (mesh, skin) = (data.root.nodes[node].mesh, data.root.nodes[node].skin);
        let (Some(mesh), Some(skin)) = (mesh.map(|m| m.value()), skin.map(|s| s.value())) else { continue };
        let (Some(json_mesh), Some(json_skin)) = (data.root.meshes.get(mesh), data.root.skins.get(skin))
        else {
            return Err(part(data.path, format!("nodes[{node}]"), "its mesh or skin does not exist"));
        };
        let joints: Vec<usize> = json_skin.joints.iter().map(json::Index::value).collect();
        if let Some(lost) = joints.iter().find(|&&j| j >= place_of.len()) {
            return Err(part(data.path, format!("skins[{skin}]"), format!("nodes[{lost}] does not exist")));
        }
        let binds = json_skin.inverse_bind_matrices.map(|b| b.value());
        let primitives: Vec<_> = json_mesh
            .primitives
            .iter()
            .filter(|p| matches!(p.mode, Checked::Valid(Mode::Triangles)))
            .map(|p| {
                let get = |s: Semantic| p.attributes.get(&Checked::Valid(s)).map(json::Index::value);
                let parts = [get(Semantic::Positions), get(Semantic::Joints(0)), get(Semantic::Weights(0))];
                (parts, p.indices.map(|i| i.value()))
            })
            .collect();
        let binds = match binds {
            Some(index) => data.floats(index)?.0,
            None => Vec::new().into(),
        };
        let bind =
            |slot: usize| binds.get(16 * slot..16 * slot + 16).map_or(Mat4::IDENTITY, Mat4::from_cols_slice);
        for (parts, indices) in primitives {
            let [Some(places), Some(slots), Some(weights)] = parts else { continue };
            let ((p, three), (s, four), (w, also)) =
                (data.floats(places)?, data.floats(slots)?, data.floats(weights)?);
            let count = p.len() / 3;
            if three != 3 || four != 4 || also != 4 || s.len() != 4 * count || w.len() != 4 * count {
                let problem = "positions, joints and weights of a primitive do not go together";
                return Err(part(data.path, format!("meshes[{mesh}]"), problem));
            }
            // The same accessors may be named by many primitives: a small file must not become a large one.
            data.charge(format!("meshes[{mesh}]"), 2 * p.len())?;
            let base = source.vertices.len() as u32;
            for v in 0..count {
                let weight = |k: usize| w[4 * v + k];
                let heaviest = (0..4).max_by(|&a, &b| weight(a).total_cmp(&weight(b))).unwrap_or_default();
                let next = (0..4).filter(|&k| k != heaviest);
                let next = next.max_by(|&a, &b| weight(a).total_cmp(&weight(b))).unwrap_or_default();
                let slot = s[4 * v + heaviest] as usize;
                let Some(&joint) = joints.get(slot) else {
                    let problem = format!("vertex {v} hangs on joint {slot} of {}", joints.len());
                    return Err(part(data.path, format!("meshes[{mesh}]"), problem));
                };
                let seen = |slot| bind(slot).transform_point3(Vec3::from_slice(&p[3 * v..3 * v + 3]));
                let mut vertex = Vertex::rigid(place_of[joint], seen(slot));
                let (slot, share) =
                    (s[4 * v + next] as usize, weight(next) / (weight(heaviest) + weight(next)));
                if let Some(&joint) = joints.get(slot).filter(|_| share > 0.0 && share <= 0.5) {
                    (vertex.next, vertex.share) = ((place_of[joint] as u32, seen(slot)), share);
                }
                source.vertices.push(vertex);
            }
            triangles(data, indices, [base, count as u32], source)?;
        }
    }
    Ok(())
}
