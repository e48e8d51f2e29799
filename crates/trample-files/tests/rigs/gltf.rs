//! Figures as glTF: text with a data URI, or GLB.

use super::Figure;
use base64::Engine;
use serde_json::{Value, json};
use trample::glam::{Quat, Vec3};

/// What is to be in the file besides joints and motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// A node above all with this scale; joints are written so that the whole is in metres.
    pub armature: Option<f32>,
    /// The bones named by VRM: its version, 0 or 1.
    pub vrm: Option<u8>,
    /// Boxes around the feet, skinned.
    pub feet: bool,
    /// Those boxes hang on their feet alone.
    pub stiff: bool,
    /// The skin named twice.
    pub two_skins: bool,
    /// Cubic curves instead of lines.
    pub cubic: bool,
}

/// The JSON of a file and its one buffer. Joints come first, one node a row.
pub fn parts(figure: &Figure, extras: &Extras) -> (Value, Vec<u8>) {
    let mut file = File::default();
    let n = figure.rows.len();
    let inside = 1.0 / extras.armature.unwrap_or(1.0);
    let mut nodes: Vec<Value> = (0..n)
        .map(|i| {
            let children: Vec<usize> = (0..n).filter(|&c| figure.rows[c].parent == Some(i)).collect();
            let at = figure.offset(i) * inside;
            let mut node = json!({ "name": figure.rows[i].name, "translation": at.to_array() });
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            node
        })
        .collect();
    let mut roots: Vec<usize> = (0..n).filter(|&i| figure.rows[i].parent.is_none()).collect();
    if let Some(scale) = extras.armature {
        nodes.push(json!({ "name": "Armature", "scale": [scale, scale, scale], "children": roots }));
        roots = vec![nodes.len() - 1];
    }
    let frames = figure.frames();
    let times: Vec<f32> = (0..frames.len()).map(|i| (i as f64 * figure.clip.dt) as f32).collect();
    let time = file.floats(&times, "SCALAR", 1);
    let mut samplers: Vec<Value> = Vec::new();
    let mut channels: Vec<Value> = Vec::new();
    let mut curve = |file: &mut File, node: usize, path: &str, values: &[Vec<f32>]| {
        let width = values[0].len();
        let kind = if width == 3 { "VEC3" } else { "VEC4" };
        let (flat, joining): (Vec<f32>, &str) = if extras.cubic {
            // Tangents from the neighbours.
            let slope = |i: usize, k: usize| {
                let (a, b) = (i.saturating_sub(1), (i + 1).min(values.len() - 1));
                (values[b][k] - values[a][k]) / ((b - a) as f32 * figure.clip.dt as f32)
            };
            let key = |i: usize| {
                let tangent: Vec<f32> = (0..width).map(|k| slope(i, k)).collect();
                [tangent.clone(), values[i].clone(), tangent].concat()
            };
            ((0..values.len()).flat_map(key).collect(), "CUBICSPLINE")
        } else {
            (values.concat(), "LINEAR")
        };
        let output = file.floats(&flat, kind, width);
        samplers.push(json!({ "input": time, "output": output, "interpolation": joining }));
        channels.push(json!({ "sampler": samplers.len() - 1, "target": { "node": node, "path": path } }));
    };
    for i in 0..n {
        let mut last = Quat::IDENTITY;
        let turns: Vec<Vec<f32>> = frames
            .iter()
            .map(|(_, locals)| {
                // Neighbours on the same half, as cubics need it.
                last = if locals[i].dot(last) < 0.0 { -locals[i] } else { locals[i] };
                last.to_array().to_vec()
            })
            .collect();
        curve(&mut file, i, "rotation", &turns);
    }
    let root = (0..n).find(|&i| figure.rows[i].parent.is_none()).expect("a root");
    let places: Vec<Vec<f32>> = frames.iter().map(|(p, _)| (*p * inside).to_array().to_vec()).collect();
    curve(&mut file, root, "translation", &places);
    let mut root_json = json!({
        "asset": { "version": "2.0", "generator": "trample tests" },
        "scene": 0,
        "nodes": nodes,
        "animations": [{ "samplers": samplers, "channels": channels }],
    });
    if extras.feet || extras.two_skins {
        add_skin(figure, extras, &mut file, &mut root_json, &mut roots);
    }
    root_json["scenes"] = json!([{ "nodes": roots }]);
    if let Some(version) = extras.vrm {
        root_json["extensions"] = vrm(figure, version);
        root_json["extensionsUsed"] = json!([if version == 1 { "VRMC_vrm" } else { "VRM" }]);
    }
    root_json["accessors"] = json!(file.accessors);
    root_json["bufferViews"] = json!(file.views);
    root_json["buffers"] = json!([{ "byteLength": file.bytes.len() }]);
    (root_json, file.bytes)
}

#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend_from_slice(bytes);
        self.views.len() - 1
    }

    fn floats(&mut self, values: &[f32], kind: &str, width: usize) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let count = values.len() / width;
        self.accessors
            .push(json!({ "bufferView": view, "componentType": 5126, "count": count, "type": kind }));
        self.accessors.len() - 1
    }
}

/// A box around every foot, bound to its joint, in the pose of the figure at rest.
fn add_skin(figure: &Figure, extras: &Extras, file: &mut File, root: &mut Value, roots: &mut Vec<usize>) {
    let n = figure.rows.len();
    let inside = 1.0 / extras.armature.unwrap_or(1.0);
    // Joints at rest, in the space of the skeleton's root.
    let mut rest = vec![Vec3::ZERO; n];
    for i in 0..n {
        rest[i] = figure.rows[i].parent.map_or(Vec3::ZERO, |p| rest[p]) + figure.offset(i) * inside;
    }
    let binds: Vec<f32> = rest
        .iter()
        .flat_map(|p| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -p.x, -p.y, -p.z, 1.])
        .collect();
    let binds = file.floats(&binds, "MAT4", 16);
    let (mut places, mut slots, mut weights): (Vec<f32>, Vec<f32>, Vec<f32>) = (vec![], vec![], vec![]);
    let mut corners: Vec<f32> = Vec::new();
    for part in [trample_files::character::Part::LeftAnkle, trample_files::character::Part::RightAnkle] {
        let Some(i) = figure.rows.iter().position(|r| r.part == Some(part)) else { continue };
        let base = places.len() / 3;
        for x in [-0.07, 0.20] {
            for y in [-figure.skeleton.foot.ankle_height as f32, 0.0] {
                for z in [-0.05, 0.05] {
                    let p = rest[i] + figure.axes * Vec3::new(x, y, z) * figure.unit * inside;
                    places.extend(p.to_array());
                    slots.extend([i as f32, 0.0, 0.0, 0.0]);
                    weights.extend(if extras.stiff { [1.0, 0.0, 0.0, 0.0] } else { [0.9, 0.1, 0.0, 0.0] });
                }
            }
        }
        for t in [[0, 1, 5], [0, 5, 4], [2, 3, 7], [2, 7, 6], [0, 1, 3], [4, 5, 7]] {
            corners.extend(t.map(|k| (base + k) as f32));
        }
    }
    let p = file.floats(&places, "VEC3", 3);
    let slot_bytes: Vec<u8> = slots.iter().flat_map(|s| (*s as u16).to_le_bytes()).collect();
    let view = file.view(&slot_bytes);
    file.accessors
        .push(json!({ "bufferView": view, "componentType": 5123, "count": slots.len() / 4, "type": "VEC4" }));
    let s = file.accessors.len() - 1;
    let w = file.floats(&weights, "VEC4", 4);
    let corner_bytes: Vec<u8> = corners.iter().flat_map(|c| (*c as u32).to_le_bytes()).collect();
    let view = file.view(&corner_bytes);
    file.accessors
        .push(json!({ "bufferView": view, "componentType": 5125, "count": corners.len(), "type": "SCALAR" }));
    let index = file.accessors.len() - 1;
    let primitive =
        json!({ "attributes": { "POSITION": p, "JOINTS_0": s, "WEIGHTS_0": w }, "indices": index });
    root["meshes"] = json!([{ "primitives": [primitive] }]);
    let skin = json!({ "joints": (0..n).collect::<Vec<_>>(), "inverseBindMatrices": binds });
    root["skins"] = if extras.two_skins { json!([skin, skin]) } else { json!([skin]) };
    let nodes = root["nodes"].as_array_mut().expect("nodes");
    nodes.push(json!({ "name": "Feet", "mesh": 0, "skin": 0 }));
    roots.push(nodes.len() - 1);
    if extras.two_skins {
        nodes.push(json!({ "name": "Socks", "mesh": 0, "skin": 1 }));
        roots.push(nodes.len() - 1);
    }
}

fn vrm(figure: &Figure, version: u8) -> Value {
    use trample_files::character::Part;
    let limbs = ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"];
    let bone = |part: Part| match part {
        Part::Pelvis => "hips".to_string(),
        Part::Spine => "spine".into(),
        Part::Chest => "chest".into(),
        Part::Neck => "neck".into(),
        Part::Head => "head".into(),
        limb => {
            let k = limb as usize - 5;
            format!("{}{}", if k < 8 { "left" } else { "right" }, limbs[k % 8])
        }
    };
    let bones: Vec<(String, usize)> =
        figure.rows.iter().enumerate().filter_map(|(i, r)| Some((bone(r.part?), i))).collect();
    if version == 1 {
        let map: serde_json::Map<String, Value> =
            bones.into_iter().map(|(name, node)| (name, json!({ "node": node }))).collect();
        json!({ "VRMC_vrm": { "specVersion": "1.0", "humanoid": { "humanBones": map } } })
    } else {
        let list: Vec<Value> =
            bones.into_iter().map(|(name, node)| json!({ "bone": name, "node": node })).collect();
        json!({ "VRM": { "humanoid": { "humanBones": list } } })
    }
}

/// As text with its buffer inside.
pub fn text(figure: &Figure, extras: &Extras) -> Vec<u8> {
    let (mut json, bytes) = parts(figure, extras);
    let coded = base64::engine::general_purpose::STANDARD.encode(&bytes);
    json["buffers"][0]["uri"] = json!(format!("data:application/octet-stream;base64,{coded}"));
    json.to_string().into_bytes()
}

/// As GLB.
pub fn binary(json: &Value, bytes: &[u8]) -> Vec<u8> {
    wrapped(json.to_string().into_bytes(), bytes.to_vec())
}

/// A GLB of any two chunks.
pub fn wrapped(mut text: Vec<u8>, mut bin: Vec<u8>) -> Vec<u8> {
    text.resize(text.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + bin.len();
    let mut out = b"glTF".to_vec();
    for word in [2, total as u32, text.len() as u32] {
        out.extend(word.to_le_bytes());
    }
    out.extend(b"JSON");
    out.extend(text);
    out.extend((bin.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(bin);
    out
}
