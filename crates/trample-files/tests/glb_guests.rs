//! Characters of files in the export: their own skin, where the simulation had their body, read back by another library.

mod common;
mod rigs;

use common::source_in;
use rigs::{Figure, Rest, gltf as rig_gltf, names};
use std::collections::BTreeMap;
use std::path::Path;
use trample::body::{HIP, Pose};
use trample::glam::{Mat4, Quat, Vec3};
use trample::params::Sole;
use trample::scene::{Script, SoleShape};
use trample::{Scene, World};
use trample_files::character::{self, Fit, JointMotion, Outfit, Part, Source, Tread};
use trample_files::glb::{self, Actor, Guest, Show};
use trample_files::{Built, Cast};
use trample_looks::Skin;

/// A file as another library reads it.
struct Read {
    document: gltf::Document,
    blob: Vec<u8>,
}

type Tracks = BTreeMap<usize, (Vec<Vec3>, Vec<Quat>)>;

impl Read {
    fn new(bytes: &[u8]) -> Self {
        let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes).expect("a valid file");
        Self { document, blob: blob.expect("a binary part") }
    }

    fn tracks(&self) -> Tracks {
        let mut tracks = Tracks::new();
        for channel in self.document.animations().flat_map(|a| a.channels()) {
            let reader = channel.reader(|_| Some(&self.blob));
            let track = tracks.entry(channel.target().node().index()).or_default();
            match reader.read_outputs().expect("values") {
                gltf::animation::util::ReadOutputs::Translations(t) => track.0 = t.map(Vec3::from).collect(),
                gltf::animation::util::ReadOutputs::Rotations(r) => {
                    track.1 = r.into_f32().map(Quat::from_array).collect();
                }
                _ => panic!("neither places nor turns"),
            }
        }
        tracks
    }

    /// Where every node is at a sample.
    fn placed(&self, tracks: &Tracks, at: usize) -> Vec<Mat4> {
        let nodes: Vec<gltf::Node<'_>> = self.document.nodes().collect();
        let parents: BTreeMap<usize, usize> =
            nodes.iter().flat_map(|n| n.children().map(|c| (c.index(), n.index()))).collect();
        let local = |node: usize| {
            let (place, turn, scale) = nodes[node].transform().decomposed();
            let (mut place, mut turn) = (Vec3::from(place), Quat::from_array(turn));
            if let Some((places, turns)) = tracks.get(&node) {
                place = places.get(at).copied().unwrap_or(place);
                turn = turns.get(at).copied().unwrap_or(turn);
            }
            Mat4::from_scale_rotation_translation(Vec3::from(scale), turn, place)
        };
        (0..nodes.len())
            .map(|node| {
                let (mut whole, mut above) = (local(node), parents.get(&node));
                while let Some(&up) = above {
                    (whole, above) = (local(up) * whole, parents.get(&up));
                }
                whole
            })
            .collect()
    }

    fn node(&self, name: &str) -> usize {
        let found = self.document.nodes().find(|n| n.name() == Some(name));
        found.unwrap_or_else(|| panic!("no node `{name}`")).index()
    }

    /// Points of all skinned meshes, each with the node of the joint that moves it most.
    fn skinned(&self, placed: &[Mat4]) -> Vec<(usize, Vec3)> {
        let mut out = Vec::new();
        for node in self.document.nodes() {
            let (Some(mesh), Some(skin)) = (node.mesh(), node.skin()) else { continue };
            let bind = skin.reader(|_| Some(&self.blob)).read_inverse_bind_matrices().expect("matrices");
            let bind: Vec<Mat4> = bind.map(|m| Mat4::from_cols_array_2d(&m)).collect();
            let joints: Vec<usize> = skin.joints().map(|j| j.index()).collect();
            for primitive in mesh.primitives() {
                let reader = primitive.reader(|_| Some(&self.blob));
                let slots: Vec<[u16; 4]> = reader.read_joints(0).expect("joints").into_u16().collect();
                let weights: Vec<[f32; 4]> = reader.read_weights(0).expect("weights").into_f32().collect();
                for (i, p) in reader.read_positions().expect("points").map(Vec3::from).enumerate() {
                    let (s, w) = (slots[i], weights[i]);
                    let one = |k: usize| {
                        let slot = usize::from(s[k]);
                        w[k] * (placed[joints[slot]] * bind[slot]).transform_point3(p)
                    };
                    let heaviest = (0..4).max_by(|&a, &b| w[a].total_cmp(&w[b])).expect("four");
                    out.push((joints[usize::from(s[heaviest])], (0..4).map(one).sum()));
                }
            }
        }
        out
    }
}

/// A walk of a scene whose first walker is a character.
struct Walked {
    scene: Scene,
    cast: Cast,
    world: World,
    times: Vec<f32>,
    poses: Vec<Pose>,
    treads: Vec<Tread>,
    /// Places of the soles that press, as the puppet counts them.
    soles: Vec<Vec<Vec3>>,
}

fn walked(folder: &Path, walker: &str, seconds: f64) -> Walked {
    let ground = "seed = 3\n[terrain]\nmaterial = \"dry-soil\"\ncell = 0.04\nsize = [9, 3]\n[[walker]]\n";
    let source = source_in(folder, &format!("{ground}{walker}"));
    let Built { scene, cast, .. } = source.build().unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::new(&scene).expect("a world");
    let (mut times, mut poses, mut treads, mut soles) = (vec![], vec![], vec![], vec![]);
    while world.time() < seconds {
        world.step(scene.dt());
        times.push(world.time() as f32);
        poses.extend(world.walker(0).map(|(walker, _)| walker.pose));
        treads.extend(world.animal(0).map(|moment| {
            let puppet = world.puppet(0);
            let feet = puppet.pose.soles.iter().zip(&puppet.feet);
            Tread { moment, feet: feet.map(|(sole, foot)| (sole.position.with_y(0.0), foot.down)).collect() }
        }));
        soles.push(world.puppet(0).pose.soles.iter().map(|s| s.position).collect());
    }
    Walked { scene, cast, world, times, poses, treads, soles }
}

fn written(source: &Source, outfit: &Outfit, times: &[f32], motion: JointMotion) -> Read {
    let guest = Guest { name: "guest".into(), source, outfit, times, motion };
    Read::new(&glb::bytes(&Show { guests: vec![guest], ..Show::default() }).expect("bytes"))
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_unstable_by(f32::total_cmp);
    values[values.len() / 2]
}

/// Exports an upright character and reads it back: median distance of its ankles from the simulated ones, the largest, and the median
/// distance of the middle of its soles' lowest plane from the simulated soles' while these lie flat, m. Where skin that does not bend as
/// a foot does would be away from the sole with its ankle there, the ankle gives way: the skin must be where the sole is.
fn off(walked: &Walked) -> [f32; 3] {
    let loaded = walked.cast[0].as_ref().expect("a character");
    let upright = loaded.upright().expect("on two legs");
    let skeleton = walked.world.walker(0).expect("a walker").1;
    let SoleShape::Custom(sole) = &walked.scene.puppets[0].sole else { panic!("it has a sole of its own") };
    let own = character::is_own_sole(loaded, sole);
    assert!(own, "it presses with the soles of its skin");
    // The underside that presses, seen from the middle of its lowest plane.
    let texel = |k: usize, n: usize| ((k as f64 + 0.5 - 0.5 * n as f64) * Sole::TEXEL) as f32;
    let all = (0..sole.nu).flat_map(|i| (0..sole.nv).map(move |j| (i, j)));
    let under: Vec<Vec3> = all
        .filter(|(i, j)| sole.coverage[i * sole.nv + j] > 0.5)
        .map(|(i, j)| Vec3::new(texel(i, sole.nu), sole.depth[i * sole.nv + j], texel(j, sole.nv)))
        .collect();
    let fit = Fit::new(loaded, skeleton, own).expect("a fit");
    let outfit = Outfit::of(loaded).expect("reads").expect("a skin");
    let motion = upright.joint_motion(&loaded.source, skeleton, &walked.poses, &fit);
    let read = written(&loaded.source, &outfit, &walked.times, motion);
    let tracks = read.tracks();
    let joint = |part: Part| {
        let j = upright.mapping.joint(part).expect("an ankle");
        read.node(&loaded.source.joints[j].name)
    };
    let ankles = [joint(Part::LeftAnkle), joint(Part::RightAnkle)];
    let balls = [joint(Part::LeftBall), joint(Part::RightBall)];
    let foot = &skeleton.foot;
    let below = Vec3::new(-foot.ankle as f32, -foot.ankle_height as f32, 0.0);
    let (mut apart, mut soles) = (Vec::new(), Vec::new());
    for at in (20..walked.times.len()).step_by(3) {
        let placed = read.placed(&tracks, at);
        let ours = skeleton.place(&walked.poses[at]);
        let points = read.skinned(&placed);
        for side in 0..2 {
            let ankle = HIP[side] + 2;
            let turn = ours.rotations[ankle];
            let toes = Vec3::X * foot.ball as f32;
            let height = |p: &Vec3| {
                let p = Vec3::new(p.x, p.y, if side == 0 { -p.z } else { p.z });
                match f64::from(p.x) < foot.ball {
                    true => (ours.positions[ankle] + turn * (below + p)).y,
                    false => (ours.positions[ankle + 1] + ours.rotations[ankle + 1] * (p - toes)).y,
                }
            };
            let lowest = under.iter().map(height).fold(f32::MAX, f32::min);
            let skin = points.iter().filter(|(j, _)| *j == ankles[side] || *j == balls[side]);
            let skin = skin.map(|(_, p)| p.y).fold(f32::MAX, f32::min);
            let own = placed[ankles[side]].w_axis.truncate();
            if (skin + ours.positions[ankle].y - own.y - lowest).abs() > 0.005 {
                assert!((skin - lowest).abs() < 0.01, "skin {} m from its sole", skin - lowest);
            } else {
                apart.push(own.distance(ours.positions[ankle]));
            }
            if (turn * Vec3::Y).y < 0.999 {
                continue;
            }
            let sole = ours.positions[ankle] + turn * below;
            // The points of the rear foot in the frame of the sole.
            let seen: Vec<Vec3> = points
                .iter()
                .filter(|(j, _)| *j == ankles[side])
                .map(|(_, p)| turn.conjugate() * (*p - sole))
                .collect();
            let low = seen.iter().fold(Vec3::MAX, |a, &p| a.min(p));
            let high = seen.iter().fold(Vec3::MIN, |a, &p| a.max(p));
            let pressed = walked.soles[at][1 - side];
            let across = (sole - pressed).with_y(0.0).length();
            assert!(across < 1e-3, "the drawn sole is the one that presses: {across} m");
            let heel = low.x - foot.heel as f32;
            soles.push(Vec3::new(heel, low.y, 0.5 * (low.z + high.z)).length());
        }
    }
    assert!(soles.len() > 10, "feet lie flat: {}", soles.len());
    let worst = apart.iter().copied().fold(0.0, f32::max);
    [median(apart), worst, median(soles)]
}

/// A body of ours, written as a character: its skin, soles and joints are as different from a scene's own body as files are.
fn ours_as_a_character(folder: &Path, body: &str) {
    let text =
        format!("[terrain]\nsize = [3, 3]\ncell = 0.04\n[[walker]]\nbody = \"{body}\"\nposition = [1, 1]");
    let scene = source_in(folder, &text).scene().unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::new(&scene).expect("a world");
    let (mut times, mut poses) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        world.step(scene.dt());
        times.push(world.time() as f32);
        poses.push(world.walker(0).expect("a walker").0.pose);
    }
    let skins = [Skin::of(&world, 0).expect("a skin")];
    let skeleton = world.walker(0).expect("a walker").1;
    let actor = Actor { name: "someone".into(), skin: 0, skeleton, times: &times, poses: &poses };
    let bytes = glb::bytes(&Show { skins: &skins, actors: vec![actor], ..Show::default() }).expect("bytes");
    std::fs::write(folder.join("someone.glb"), bytes).expect("writes");
}

const ROUTE: &str = "character = \"someone.glb\"\nmetabolic = false\nwaypoints = [[1, 1.5], [6, 1.5]]\n";

#[test]
fn a_characters_own_skin_walks_with_its_soles_on_those_that_press() {
    for body in ["default", "child", "heavy"] {
        let folder = tempfile::tempdir().expect("a folder");
        ours_as_a_character(folder.path(), body);
        let [ankle, worst, sole] = off(&walked(folder.path(), ROUTE, 4.0));
        println!("{body}: ankles {ankle} m in median, {worst} m at most, soles {sole} m");
        assert!(sole < 0.005, "{body}: soles are {sole} m off in median");
        assert!(ankle < 0.005 && worst < 0.01, "{body}: ankles are {ankle} m off, {worst} m at most");
    }
}

#[test]
fn rigs_of_any_unit_axis_and_rest_pose_put_their_ankles_where_the_simulated_ones_are() {
    for (k, rest) in [(0, Rest::Spread), (1, Rest::Hanging), (2, Rest::Spread), (3, Rest::Hanging)] {
        let folder = tempfile::tempdir().expect("a folder");
        let (skeleton, clip) = rigs::walk(1.3, 3.0, 30.0);
        let rows = names::rows(&names::ALL[k], &skeleton, true);
        let mut figure = Figure::new(rows, rest, skeleton, clip);
        let mut extras = rig_gltf::Extras { feet: true, stiff: true, ..Default::default() };
        if k == 1 {
            figure = figure.z_up();
        }
        if k == 2 {
            extras.armature = Some(0.01);
        }
        let (json, bytes) = rig_gltf::parts(&figure, &extras);
        std::fs::write(folder.path().join("someone.glb"), rig_gltf::binary(&json, &bytes)).expect("writes");
        let [ankle, worst, sole] = off(&walked(folder.path(), ROUTE, 4.0));
        println!("rig {k}: ankles {ankle} m in median, {worst} m at most, soles {sole} m");
        assert!(ankle < 0.006 && worst < 0.012, "rig {k}: ankles are {ankle} m off, {worst} m at most");
        assert!(sole < 0.005, "rig {k}: soles are {sole} m off in median");
    }
}

/// A file's joints and first take as glTF with a box around every bone, painted with a picture.
fn boxed(source: &Source) -> Vec<u8> {
    use serde_json::json;
    let (mut binary, mut views, mut accessors) = (Vec::<u8>::new(), Vec::new(), Vec::new());
    let mut put = |values: &[f32], kind: &str, width: usize| {
        views.push(json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": 4 * values.len() }));
        binary.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        let count = values.len() / width;
        accessors.push(json!({
            "bufferView": views.len() - 1, "componentType": 5126, "count": count, "type": kind
        }));
        accessors.len() - 1
    };
    let n = source.joints.len();
    let children = source.children();
    let (mut locals, mut layout) = (Vec::new(), character::source::Layout::default());
    source.rest(&mut locals);
    source.lay(&locals, &mut layout);
    let mut nodes: Vec<_> = (0..n)
        .map(|j| {
            let mut node = json!({
                "name": source.joints[j].name, "translation": source.joints[j].rest.translation.to_array()
            });
            if !children[j].is_empty() {
                node["children"] = json!(children[j]);
            }
            node
        })
        .collect();
    let take = &source.takes[0];
    let times: Vec<f32> = (0..take.frames).map(|i| (i as f64 * take.dt) as f32).collect();
    let time = put(&times, "SCALAR", 1);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for j in 0..n {
        let (mut turns, mut places) = (Vec::new(), Vec::new());
        for frame in 0..take.frames {
            source.pose(take, frame, &mut locals);
            turns.extend(locals[j].rotation.to_array());
            places.extend(locals[j].translation.to_array());
        }
        for (path, values, kind, width) in
            [("rotation", turns, "VEC4", 4), ("translation", places, "VEC3", 3)]
        {
            let output = put(&values, kind, width);
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": j, "path": path } }));
            samplers.push(json!({ "input": time, "output": output }));
        }
    }
    let (mut points, mut slots, mut weights, mut texels) = (vec![], vec![], vec![], vec![]);
    for j in 0..n {
        for corner in [[0.0, 0.0, 0.0], [0.05, 0.0, 0.0], [0.0, 0.0, 0.05]] {
            points.extend((layout.places[j] + Vec3::from(corner)).to_array());
            slots.extend([j as f32, 0.0, 0.0, 0.0]);
            weights.extend([1.0, 0.0, 0.0, 0.0]);
            texels.extend([corner[0], corner[2]]);
        }
    }
    let binds: Vec<f32> =
        (0..n).flat_map(|j| Mat4::from_translation(-layout.places[j]).to_cols_array()).collect();
    let bind = put(&binds, "MAT4", 16);
    let attributes = json!({
        "POSITION": put(&points, "VEC3", 3), "JOINTS_0": put(&slots, "VEC4", 4),
        "WEIGHTS_0": put(&weights, "VEC4", 4), "TEXCOORD_0": put(&texels, "VEC2", 2),
    });
    nodes.push(json!({ "name": "Fur", "mesh": 0, "skin": 0 }));
    let mut roots: Vec<usize> = (0..n).filter(|&j| source.joints[j].parent.is_none()).collect();
    roots.push(n);
    let picture: [u8; 9] = [0x89, b'P', b'N', b'G', 1, 2, 3, 4, 5];
    views.push(json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": picture.len() }));
    binary.extend(picture);
    binary.resize(binary.len().next_multiple_of(4), 0);
    let json = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": roots }], "nodes": nodes,
        "meshes": [{ "primitives": [{ "attributes": attributes, "material": 0 }] }],
        "materials": [{ "name": "brown", "pbrMetallicRoughness": {
            "baseColorFactor": [0.3, 0.2, 0.1, 1.0], "baseColorTexture": { "index": 0 } } }],
        "textures": [{ "source": 0 }],
        "images": [{ "bufferView": views.len() - 1, "mimeType": "image/png" }],
        "skins": [{ "joints": (0..n).collect::<Vec<_>>(), "inverseBindMatrices": bind }],
        "animations": [{ "samplers": samplers, "channels": channels }],
        "accessors": accessors, "bufferViews": views, "buffers": [{ "byteLength": binary.len() }],
    });
    rig_gltf::binary(&json, &binary)
}

#[test]
fn an_animal_is_in_the_export_in_its_own_fur_and_on_its_own_feet() {
    let text = rigs::animal::animal(100.0, true, 3);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("dog.bvh"), &text).expect("writes");
    let bones = character::read(Path::new("dog.bvh"), text.as_bytes()).expect("reads");
    std::fs::write(folder.path().join("dog.glb"), boxed(&bones)).expect("writes");
    for file in ["dog.bvh", "dog.glb"] {
        let words = format!("character = \"{file}\"\nmass = 40\nwaypoints = [[2, 1.5], [6, 2]]\n");
        let walked = walked(folder.path(), &words, 5.0);
        assert!(matches!(walked.scene.puppets[0].script, Script::Animal(_)));
        let loaded = walked.cast[0].as_ref().expect("a character");
        let dog = loaded.four_footed().expect("on four legs");
        let own = Outfit::of(loaded).expect("reads");
        assert_eq!(own.is_some(), file == "dog.glb", "a BVH file has no skin");
        let outfit = own.or_else(|| Outfit::bones(loaded)).expect("something to see");
        let motion = dog.joint_motion(&loaded.source, "", &walked.treads).expect("a stride");
        let read = written(&loaded.source, &outfit, &walked.times, motion);
        if file == "dog.glb" {
            let material = read.document.materials().find(|m| m.name() == Some("brown")).expect("its paint");
            let look = material.pbr_metallic_roughness();
            assert_eq!(look.base_color_factor(), [0.3, 0.2, 0.1, 1.0]);
            let image = look.base_color_texture().expect("a picture").texture().source().source();
            let gltf::image::Source::View { view, mime_type } = image else { panic!("not in the file") };
            assert_eq!((view.length(), mime_type), (9, "image/png"));
            assert_eq!(&read.blob[view.offset()..view.offset() + 4], b"\x89PNG");
        }
        let tracks = read.tracks();
        // Puppets count right feet first.
        let paws = ["HindRightPaw", "HindLeftPaw", "ForeRightPaw", "ForeLeftPaw"].map(|name| read.node(name));
        let (mut apart, mut heights) = (Vec::new(), Vec::new());
        for at in (30..walked.times.len()).step_by(11) {
            let placed = read.placed(&tracks, at);
            for (foot, &paw) in paws.iter().enumerate() {
                let drawn = placed[paw].w_axis.truncate();
                apart.push((drawn - walked.soles[at][foot]).with_y(0.0).length());
                heights.push(drawn.y);
            }
            let seen = read.skinned(&placed);
            assert!(
                seen.iter().all(|(_, p)| p.is_finite() && p.distance(drawn_centre(&placed, &paws)) < 2.0)
            );
        }
        let (off, high) = (median(apart.clone()), median(heights));
        let worst = apart.iter().copied().fold(0.0, f32::max);
        println!("{file}: paws {off} m in median, {worst} m at most, {high} m high in median");
        assert!(off < 0.01 && worst < 0.05, "{file}: {off} m in median, {worst} m at most");
        assert!(high.abs() < 0.02, "{file}: paws that stand are at {high} m");
    }
}

fn drawn_centre(placed: &[Mat4], paws: &[usize; 4]) -> Vec3 {
    paws.iter().map(|&p| placed[p].w_axis.truncate()).sum::<Vec3>() / 4.0
}

#[test]
fn guests_of_one_outfit_share_its_meshes_and_those_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    ours_as_a_character(folder.path(), "default");
    let walked = walked(folder.path(), ROUTE, 0.5);
    let loaded = walked.cast[0].as_ref().expect("a character");
    let outfit = Outfit::of(loaded).expect("reads").expect("a skin");
    let skeleton = walked.world.walker(0).expect("a walker").1;
    let fit = Fit::new(loaded, skeleton, true).expect("a fit");
    let motion =
        loaded.upright().expect("two legs").joint_motion(&loaded.source, skeleton, &walked.poses, &fit);
    let guest = |name: &str, motion: &JointMotion| Guest {
        name: name.into(),
        source: &loaded.source,
        outfit: &outfit,
        times: &walked.times,
        motion: motion.clone(),
    };
    let bytes = |guests: Vec<Guest<'_>>| glb::bytes(&Show { guests, ..Show::default() });
    let one = bytes(vec![guest("one", &motion)]).expect("bytes");
    let two = Read::new(&bytes(vec![guest("one", &motion), guest("two", &motion)]).expect("bytes"));
    assert_eq!(two.document.meshes().count(), Read::new(&one).document.meshes().count());
    assert_eq!(two.document.skins().count(), 2);
    // Nine paints of ours: skin, hair, shirt, trousers, shoe, sole, eye, iris, lip.
    assert_eq!(two.document.materials().count(), 9);
    let mut short = motion.clone();
    short.tracks[0].turns.pop();
    let mut odd = motion.clone();
    odd.places[0][1] = f32::NAN;
    let mut lost = motion;
    lost.tracks[0].joint = 9999;
    for (name, bad) in [("short", short), ("odd", odd), ("lost", lost)] {
        let refused = bytes(vec![guest(name, &bad)]);
        assert!(matches!(refused, Err(glb::GlbError::Actor(who, _)) if who == name), "{name}");
    }
}

#[test]
fn pictures_and_exports_show_the_same_skin_in_the_same_place() {
    let folder = tempfile::tempdir().expect("a folder");
    ours_as_a_character(folder.path(), "child");
    let walked = walked(folder.path(), ROUTE, 2.0);
    let loaded = walked.cast[0].as_ref().expect("a character");
    let (outfit, upright) =
        (Outfit::of(loaded).expect("reads").expect("a skin"), loaded.upright().expect("two legs"));
    let skeleton = walked.world.walker(0).expect("a walker").1;
    let fit = Fit::new(loaded, skeleton, true).expect("a fit");
    let motion = upright.joint_motion(&loaded.source, skeleton, &walked.poses, &fit);
    let read = written(&loaded.source, &outfit, &walked.times, motion);
    let tracks = read.tracks();
    for at in [10, 60, 110] {
        let locals = upright.fitted(&loaded.source, skeleton, &walked.poses[at], &fit);
        let shown = outfit.posed(&loaded.source, &upright.space, &locals);
        let exported = read.skinned(&read.placed(&tracks, at));
        assert_eq!(shown.points.len(), exported.len());
        assert_eq!(
            (shown.normals.len(), outfit.colours().len()),
            (shown.points.len(), shown.triangles.len())
        );
        let off = shown.points.iter().zip(&exported).map(|(p, (_, q))| Vec3::from(*p).distance(*q));
        assert!(off.fold(0.0, f32::max) < 1e-4);
        assert!(shown.normals.iter().all(|n| (Vec3::from(*n).length() - 1.0).abs() < 1e-3));
    }
}

#[test]
fn damaged_skins_are_errors_or_less_to_see_and_never_a_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = rigs::animal::animal(1.0, true, 1);
    let bones = character::read(Path::new("dog.bvh"), text.as_bytes()).expect("reads");
    let dog = boxed(&bones);
    ours_as_a_character(folder.path(), "default");
    let person = std::fs::read(folder.path().join("someone.glb")).expect("reads");
    let (mut motion, mut understood) = (0, 0);
    for whole in [dog, person] {
        let length = u32::from_le_bytes(whole[12..16].try_into().expect("four bytes")) as usize;
        // Digits of the JSON and, less often, bytes of the numbers behind it, changed one at a time.
        let digits: Vec<usize> = (20..20 + length).filter(|&i| whole[i].is_ascii_digit()).collect();
        for k in 0..160 {
            let mut bytes = whole.clone();
            let at = if k % 4 == 0 {
                20 + length + 8 + (k * 7919) % (whole.len() - 28 - length)
            } else {
                digits[(k * 104_729) % digits.len()]
            };
            bytes[at] = if k % 4 == 0 { 0xFF } else { b'0' + ((bytes[at] - b'0') + 1 + (k % 9) as u8) % 10 };
            let path = Path::new("damaged.glb");
            let loaded = character::understand(path, &bytes, &Default::default(), &Default::default());
            let Ok(loaded) = loaded else { continue };
            understood += 1;
            if let Ok(Some(outfit)) = Outfit::from_bytes(&loaded, &bytes) {
                motion += 1;
                let mut locals = Vec::new();
                loaded.source.rest(&mut locals);
                let space = loaded.upright().map(|u| u.space).or(loaded.four_footed().map(|f| f.space));
                let shown = outfit.posed(&loaded.source, &space.expect("either"), &locals);
                assert!(shown.triangles.iter().flatten().all(|&c| (c as usize) < shown.points.len()));
            }
        }
    }
    assert!(motion > 50 && understood >= motion, "{motion} of {understood} were motion");
}

#[test]
fn other_shapes_of_a_skin_are_kept() {
    let (skeleton, clip) = rigs::walk(1.3, 3.0, 30.0);
    let rows = names::rows(&names::ALL[0], &skeleton, true);
    let figure = Figure::new(rows, Rest::Spread, skeleton, clip);
    let extras = rig_gltf::Extras { feet: true, ..Default::default() };
    let (mut json, bytes) = rig_gltf::parts(&figure, &extras);
    let mesh = &mut json["meshes"][0];
    let places = mesh["primitives"][0]["attributes"]["POSITION"].clone();
    mesh["primitives"][0]["targets"] = serde_json::json!([{ "POSITION": places }]);
    mesh["weights"] = serde_json::json!([0.25]);
    mesh["extras"] = serde_json::json!({ "targetNames": ["twice as large"] });
    let file = rig_gltf::binary(&json, &bytes);
    let loaded = character::understand(Path::new("a.glb"), &file, &Default::default(), &Default::default())
        .expect("a body");
    let outfit = Outfit::from_bytes(&loaded, &file).expect("reads").expect("a skin");
    let piece = &outfit.pieces[0];
    assert_eq!((piece.morphs.len(), piece.morphs[0].weight), (1, 0.25));
    assert_eq!((&piece.morphs[0].points, piece.morphs[0].name.as_str()), (&piece.points, "twice as large"));
    let motion = JointMotion {
        places: vec![[0.0; 3]],
        turns: vec![Quat::IDENTITY.to_array()],
        unit: 1.0,
        tracks: Vec::new(),
    };
    let read = written(&loaded.source, &outfit, &[0.0], motion);
    let mesh = read.document.meshes().next().expect("a mesh");
    assert_eq!(mesh.weights(), Some(&[0.25][..]));
    let target = mesh.primitives().next().and_then(|p| p.morph_targets().next()).expect("a target");
    assert_eq!(target.positions().expect("places").count(), piece.points.len());
}
