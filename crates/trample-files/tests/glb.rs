//! Animated scenes in binary glTF, read back by another library.

use std::collections::BTreeMap;
use trample::body::{HIP, JOINTS, Pose, Skeleton};
use trample::glam::{Mat4, Quat, Vec3};
use trample::params::Body;
use trample::scene::{Control, Path, Route, WalkerSpec};
use trample::{CellRect, Map, PuppetSpec, Scene, SolePose, World};
use trample_files::glb::{self, Actor, GlbError, Land, Show};
use trample_looks::Skin;

/// Two bodies that walk beside each other on mud.
fn scene() -> Scene {
    let walker = |name: &str, z: f64| {
        let body = Body::by_name(name).expect("a body");
        let path = Path::along([[1.0, z], [5.0, z]]);
        let control = Control::Route(Route { path: path.clone(), metabolic: false, ..Route::default() });
        PuppetSpec::walking(name, body, WalkerSpec { control, ..WalkerSpec::on(path) })
    };
    let mut scene =
        Scene { rate: 60.0, puppets: vec![walker("default", 1.0), walker("child", 2.0)], ..Scene::default() };
    scene.terrain.size = [6.0, 3.0];
    scene.terrain.cell = 0.02;
    scene.terrain.materials[0].material = trample::params::material::by_name("mud").expect("mud");
    scene
}

struct Walked {
    world: World,
    skins: Vec<Skin>,
    times: Vec<f32>,
    poses: Vec<Vec<Pose>>,
    soles: Vec<Vec<[SolePose; 2]>>,
}

fn walked(seconds: f64) -> Walked {
    let scene = scene();
    let mut world = World::new(&scene).expect("a world");
    let skins = (0..2).map(|id| Skin::of(&world, id).expect("a skin")).collect();
    let (mut times, mut poses, mut soles) = (Vec::new(), vec![Vec::new(); 2], vec![Vec::new(); 2]);
    while world.time() < seconds {
        world.step(scene.dt());
        times.push(world.time() as f32);
        for id in 0..2 {
            poses[id].push(world.walker(id).expect("a walker").0.pose);
            // Puppets count the right foot first, bodies the left.
            soles[id].push([1, 0].map(|foot| world.puppet(id).sole(foot)));
        }
    }
    Walked { world, skins, times, poses, soles }
}

impl Walked {
    fn skeleton(&self, id: usize) -> &Skeleton {
        self.world.walker(id).expect("a walker").1
    }

    fn show(&self) -> Show<'_> {
        let actor = |id: usize| Actor {
            name: format!("walker {id}"),
            skin: id,
            skeleton: self.skeleton(id),
            times: &self.times,
            poses: &self.poses[id],
        };
        let window = CellRect { x: 30, z: 20, width: 200, height: 101 };
        let land = Some(Land::new(&self.world, window, 2));
        Show { skins: &self.skins, actors: vec![actor(0), actor(1)], land, ..Show::default() }
    }
}

/// A file as another library reads it.
struct Read {
    document: gltf::Document,
    blob: Vec<u8>,
}

impl Read {
    fn new(bytes: &[u8]) -> Self {
        let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes).expect("a valid file");
        Self { document, blob: blob.expect("a binary part") }
    }

    /// Moments, and per node its translations and rotations at them.
    #[allow(clippy::type_complexity, reason = "a test's table")]
    fn tracks(&self) -> (Vec<f32>, BTreeMap<usize, (Vec<Vec3>, Vec<Quat>)>) {
        let (mut times, mut tracks) = (Vec::new(), BTreeMap::<usize, (Vec<Vec3>, Vec<Quat>)>::new());
        for channel in self.document.animations().flat_map(|a| a.channels()) {
            let reader = channel.reader(|_| Some(&self.blob));
            times = reader.read_inputs().expect("times").collect();
            let track = tracks.entry(channel.target().node().index()).or_default();
            match reader.read_outputs().expect("values") {
                gltf::animation::util::ReadOutputs::Translations(t) => track.0 = t.map(Vec3::from).collect(),
                gltf::animation::util::ReadOutputs::Rotations(r) => {
                    track.1 = r.into_f32().map(Quat::from_array).collect();
                }
                _ => panic!("neither places nor turns"),
            }
        }
        (times, tracks)
    }

    /// Points of the skinned mesh `which` at sample `at`.
    fn skinned(&self, which: usize, at: usize) -> Vec<Vec3> {
        let (_, tracks) = self.tracks();
        let nodes: Vec<gltf::Node<'_>> = self.document.nodes().collect();
        let parents: BTreeMap<usize, usize> =
            nodes.iter().flat_map(|n| n.children().map(|c| (c.index(), n.index()))).collect();
        let world = |mut node: usize| {
            let mut whole = Mat4::IDENTITY;
            loop {
                let (place, turn, _) = nodes[node].transform().decomposed();
                let (mut place, mut turn) = (Vec3::from(place), Quat::from_array(turn));
                if let Some((places, turns)) = tracks.get(&node) {
                    place = places.get(at).copied().unwrap_or(place);
                    turn = turns.get(at).copied().unwrap_or(turn);
                }
                whole = Mat4::from_rotation_translation(turn, place) * whole;
                match parents.get(&node) {
                    Some(&up) => node = up,
                    None => return whole,
                }
            }
        };
        let node = nodes.iter().filter(|n| n.skin().is_some()).nth(which).expect("a skinned mesh");
        let skin = node.skin().expect("a skin");
        let bind: Vec<Mat4> = skin
            .reader(|_| Some(&self.blob))
            .read_inverse_bind_matrices()
            .expect("matrices")
            .map(|m| Mat4::from_cols_array_2d(&m))
            .collect();
        let moves: Vec<Mat4> = skin.joints().zip(&bind).map(|(j, b)| world(j.index()) * *b).collect();
        assert_eq!(moves.len(), JOINTS);
        let primitive = node.mesh().expect("a mesh").primitives().next().expect("a part");
        let reader = primitive.reader(|_| Some(&self.blob));
        let joints: Vec<[u16; 4]> = reader.read_joints(0).expect("joints").into_u16().collect();
        let weights: Vec<[f32; 4]> = reader.read_weights(0).expect("weights").into_f32().collect();
        let points = reader.read_positions().expect("points").map(Vec3::from);
        points
            .zip(joints.iter().zip(&weights))
            .map(|(p, (j, w))| {
                (0..4).map(|k| w[k] * moves[usize::from(j[k])].transform_point3(p)).sum::<Vec3>()
            })
            .collect()
    }
}

#[test]
fn soles_read_back_lie_where_the_walkers_soles_were() {
    let walked = walked(3.0);
    let read = Read::new(&glb::bytes(&walked.show()).expect("bytes"));
    let (times, _) = read.tracks();
    assert_eq!(times, walked.times);
    for id in 0..2 {
        let (skin, foot) = (&walked.skins[id], walked.skeleton(id).foot);
        let ankle = Vec3::new(foot.ankle as f32, foot.ankle_height as f32, 0.0);
        for at in (0..times.len()).step_by(13) {
            let points = read.skinned(id, at);
            let placed = walked.skeleton(id).place(&walked.poses[id][at]);
            for side in 0..2 {
                let pose = &walked.soles[id][at][side];
                // How high a pinned sole stands is up to the ground, so height is taken from the ankle; the rest is the pose's own.
                let joint = placed.positions[HIP[side] + 2] - pose.rotation * ankle;
                let middle = Vec3::new(pose.position.x, joint.y, pose.position.z);
                let origin = skin.bind.positions[HIP[side] + 2] - ankle;
                for &p in &skin.underside[side] {
                    let mut local = skin.points[p as usize] - origin;
                    let hinge = Vec3::X * foot.ball as f32;
                    if local.x > hinge.x {
                        local = hinge + Quat::from_rotation_z(pose.toe_bend) * (local - hinge);
                    }
                    let off = points[p as usize].distance(middle + pose.rotation * local);
                    assert!(off < 1e-3, "walker {id} at {} s: {off} m", times[at]);
                }
            }
        }
    }
}

#[test]
fn the_ground_read_back_is_the_ground() {
    let walked = walked(3.0);
    let show = walked.show();
    let read = Read::new(&glb::bytes(&show).expect("bytes"));
    let node = read.document.nodes().find(|n| n.name() == Some("ground")).expect("the ground");
    let primitive = node.mesh().expect("a mesh").primitives().next().expect("a part");
    let reader = primitive.reader(|_| Some(&read.blob));
    let points: Vec<[f32; 3]> = reader.read_positions().expect("points").collect();
    let colours: Vec<[u8; 4]> = reader.read_colors(0).expect("colours").into_rgba_u8().collect();
    // 200 columns at every second and the last, 101 rows at every second.
    assert_eq!(points.len(), 101 * 51);
    let (height, pressed) = (walked.world.map(Map::Height), walked.world.map(Map::Compression));
    let cell = walked.world.ground().cell;
    let (mut deep, mut fresh) = (0u32, 0u32);
    for (p, colour) in points.iter().zip(&colours) {
        let (x, z) = ((f64::from(p[0]) / cell) as i32, (f64::from(p[2]) / cell) as i32);
        assert!((height.at(x, z) - f64::from(p[1])).abs() < 1e-5, "{p:?}");
        let light: u32 = colour[..3].iter().map(|&c| u32::from(c)).sum();
        let depth = pressed.at(x, z);
        if depth > 0.6 * pressed.max() {
            deep = deep.max(light);
        } else if depth == 0.0 {
            fresh = fresh.max(light);
        }
    }
    assert!(deep > 0 && deep < fresh, "pressed ground is darker: {deep} of {fresh}");
    let corners: Vec<u32> = reader.read_indices().expect("corners").into_u32().collect();
    assert_eq!(corners.len(), 6 * 100 * 50);
    for t in corners.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| Vec3::from(points[t[i] as usize]));
        assert!((b - a).cross(c - a).y > 0.0, "the ground faces up");
    }
    let normals: Vec<[f32; 3]> = reader.read_normals().expect("normals").collect();
    assert!(normals.iter().all(|n| n[1] > 0.0 && (Vec3::from(*n).length() - 1.0).abs() < 1e-5));
}

#[test]
fn ground_alone_and_windows_off_the_map_are_files_too() {
    let world = World::new(&scene()).expect("a world");
    let window = CellRect { x: -50, z: 100, width: 90, height: 400 };
    let land = Land::new(&world, window, 7);
    assert!(land.points.iter().all(|p| p[0] > 0.0 && p[2] < 3.0));
    let only = Show { land: Some(land), ..Show::default() };
    Read::new(&glb::bytes(&only).expect("bytes"));
    let none = Land::new(&world, CellRect { x: 9000, z: 0, width: 5, height: 5 }, 0);
    assert_eq!(none, Land::default());
    let empty = glb::bytes(&Show { land: Some(none), ..Show::default() }).expect("bytes");
    assert_eq!(u32::from_le_bytes([empty[8], empty[9], empty[10], empty[11]]) as usize, empty.len());
    gltf::Gltf::from_slice(&empty).expect("a valid file");
}

#[test]
fn actors_that_make_no_sense_are_refused_by_name() {
    let walked = walked(0.2);
    let mut show = walked.show();
    show.actors[1].times = &walked.times[1..];
    assert!(matches!(glb::bytes(&show), Err(GlbError::Actor(name, _)) if name == "walker 1"));
    show.actors[1].times = &walked.times;
    show.actors[0].skin = 9;
    assert!(matches!(glb::bytes(&show), Err(GlbError::Actor(name, _)) if name == "walker 0"));
    show.actors[0].skin = 0;
    let bad = vec![Pose { root: Vec3::NAN, ..Pose::default() }; walked.times.len()];
    show.actors[0].poses = &bad;
    assert!(matches!(glb::bytes(&show), Err(GlbError::Actor(..))));
}

#[test]
fn a_file_is_written_whole() {
    let walked = walked(0.2);
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("walk.glb");
    glb::write(&path, &walked.show()).expect("written");
    let written = std::fs::read(&path).expect("read");
    assert_eq!(written, glb::bytes(&walked.show()).expect("bytes"));
    assert!(glb::write(&dir.path().join("no/such/walk.glb"), &walked.show()).is_err());
}
