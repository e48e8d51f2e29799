//! Plants in binary glTF, read back by another library and by our own reader.

use trample::glam::Vec3;
use trample::params::Body;
use trample::scene::{Control, Path, Placement, PlantPatch, Route, WalkerSpec, library};
use trample::{CellRect, PuppetSpec, Scene, Species, World};
use trample_files::character::{self, Character, MapFile, MapOptions};
use trample_files::glb::{self, Actor, Growth, Land, Show};
use trample_looks::Foliage;
use trample_looks::Skin;

const LOW: [f64; 2] = [0.0; 2];
const HIGH: [f64; 2] = [9.0; 2];

/// Somebody who walks to and fro through sedge, beside a clubmoss.
fn walked() -> (World, Vec<f32>, Vec<trample::body::Pose>) {
    let mut scene = library::by_name("walk-soil").expect("a scene");
    let path = Path { passes: 2, ..Path::along([[0.6, 1.0], [3.4, 1.0]]) };
    let control = Control::Route(Route { path: path.clone(), metabolic: false, ..Route::default() });
    let spec = WalkerSpec { control, ..WalkerSpec::on(path) };
    scene.puppets = vec![PuppetSpec::walking("walker", Body::default(), spec)];
    scene.terrain.size = [4.0, 2.0];
    scene.terrain.cell = 0.02;
    let patch = |name: &str, species: Species, z: [f64; 2]| PlantPatch {
        name: name.into(),
        species,
        min: [1.0, z[0]],
        max: [3.0, z[1]],
        placement: Placement::PoissonDisk,
        ..PlantPatch::default()
    };
    scene.plants = vec![
        patch("sedge", Species::CAREX_PENSYLVANICA, [0.7, 1.0]),
        patch("moss", Species::LYCOPODIUM_LUCIDULUM, [1.5, 1.7]),
        patch("more sedge", Species::CAREX_PENSYLVANICA, [1.0, 1.3]),
    ];
    let scene = Scene { rate: 60.0, ..scene };
    let mut world = World::new(&scene).expect("a world");
    let (mut times, mut poses) = (Vec::new(), Vec::new());
    while world.time() < 6.5 {
        world.step(scene.dt());
        times.push(world.time() as f32);
        poses.push(world.walker(0).expect("a walker").0.pose);
    }
    (world, times, poses)
}

fn show<'a>(
    world: &'a World,
    skins: &'a [Skin],
    times: &'a [f32],
    poses: &'a [trample::body::Pose],
) -> Show<'a> {
    let skeleton = world.walker(0).expect("a walker").1;
    let land = Some(Land::new(world, CellRect { x: 0, z: 0, width: 200, height: 100 }, 2));
    let actor = Actor { name: "walker".into(), skin: 0, skeleton, times, poses };
    let growth = Growth::new(world, LOW, HIGH, glb::MOST_PLANT_POINTS);
    Show { skins, actors: vec![actor], land, growth, ..Show::default() }
}

#[test]
fn plants_read_back_stand_and_lie_where_their_stems_do() {
    let (world, times, poses) = walked();
    let skins = [Skin::of(&world, 0).expect("a skin")];
    let show = show(&world, &skins, &times, &poses);
    assert_eq!(show.growth.note(), None);
    let bytes = glb::bytes(&show).expect("bytes");
    // The library checks the whole document against the specification's rules while it reads.
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).expect("a valid file");
    let blob = blob.expect("a binary part");
    let names: Vec<&str> = document.meshes().filter_map(|m| m.name()).collect();
    assert!(names.contains(&"carex-pensylvanica") && names.contains(&"lycopodium-lucidulum"), "{names:?}");
    assert_eq!(names.iter().filter(|n| **n == "carex-pensylvanica").count(), 1, "a mesh for a species");
    let mesh = document.meshes().find(|m| m.name() == Some("carex-pensylvanica")).expect("the sedge");
    let primitive = mesh.primitives().next().expect("a part");
    assert!(primitive.material().double_sided());
    let reader = primitive.reader(|_| Some(&blob));
    let points: Vec<Vec3> = reader.read_positions().expect("points").map(Vec3::from).collect();
    let colours: Vec<[u8; 4]> = reader.read_colors(0).expect("colours").into_rgba_u8().collect();
    let normals: Vec<Vec3> = reader.read_normals().expect("normals").map(Vec3::from).collect();
    assert!(normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4));
    let corners: Vec<u32> = reader.read_indices().expect("corners").into_u32().collect();
    assert!(corners.iter().all(|&c| (c as usize) < points.len()));
    let (mut at, mut broken, mut standing) = (0, 0, 0);
    let width = Foliage::new(&Species::CAREX_PENSYLVANICA).width;
    world.each_stem(LOW, HIGH, |stem| {
        if world.scene().plants[stem.patch].species != Species::CAREX_PENSYLVANICA {
            return;
        }
        for p in stem.points {
            let pair = [points[at], points[at + 1]];
            assert!(pair[0].midpoint(pair[1]).distance(*p) < 1e-5, "{p} {pair:?}");
            assert!(pair[0].distance(pair[1]) < 1.3 * width);
            at += 2;
        }
        let [r, g, _, _] = colours[at - 1];
        if stem.state.broken {
            broken += 1;
            assert!(r > g, "straw: {r} {g}");
        } else if !stem.state.worn {
            standing += 1;
            assert!(g > r, "green: {r} {g}");
        }
    });
    assert_eq!(at, points.len(), "nothing else is in the mesh");
    assert!(broken > 20 && standing > 200, "{broken} broken, {standing} standing");
}

#[test]
fn our_own_reader_finds_the_walker_among_the_plants() {
    let (world, times, poses) = walked();
    let skins = [Skin::of(&world, 0).expect("a skin")];
    let bytes = glb::bytes(&show(&world, &skins, &times, &poses)).expect("bytes");
    let path = std::path::Path::new("walk.glb");
    let loaded = character::understand(path, &bytes, &MapFile::default(), &MapOptions::default());
    let loaded = loaded.expect("a character");
    assert!(matches!(loaded.character, Character::Upright(_)));
}

#[test]
fn a_file_has_room_for_so_many_plants_and_says_when_there_were_more() {
    let (world, ..) = walked();
    let all = Growth::new(&world, LOW, HIGH, glb::MOST_PLANT_POINTS);
    let count = |growth: &Growth| growth.herbage.iter().map(|m| m.points.len()).sum::<usize>() as f64;
    let bare = Growth::new(&world, LOW, HIGH, 0.7 * count(&all));
    assert!(bare.bare && bare.plants[0] == bare.plants[1], "leaves go first");
    let some = Growth::new(&world, LOW, HIGH, 0.4 * count(&bare));
    let share = some.plants[1] as f64 / some.plants[0] as f64;
    assert!((share - 0.4).abs() < 0.08 && count(&some) < 0.5 * count(&bare), "{share}");
    let note = some.note().expect("a note");
    assert!(note.contains(&format!("{} of {} plants", some.plants[1], some.plants[0])), "{note}");
}
