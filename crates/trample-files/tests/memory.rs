//! Files in memory are read and written as files on disk are: every reader and writer is given the same file in both places.

mod rigs;

use rigs::{Figure, Rest, bvh, gltf, names};
use std::path::{Path, PathBuf};
use trample::Recording;
use trample::scene::{Script, library};
use trample::{Base, World};
use trample_files::character::{self, CharacterError, MapOptions};
use trample_files::raster::{self, Grid, Limits, MapView, RasterError};
use trample_files::{RunFile, Source, atomic, glb, memory, obj, scene_file};

/// A folder on disk and one in memory, the latter of this test alone.
struct Both {
    disk: tempfile::TempDir,
    memory: PathBuf,
}

impl Both {
    fn new(name: &str) -> Self {
        Self { disk: tempfile::tempdir().expect("folder"), memory: PathBuf::from(format!("memory:{name}")) }
    }

    fn folders(&self) -> [&Path; 2] {
        [self.disk.path(), &self.memory]
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.disk.path().join(name), &bytes).expect("written");
        memory::put(&self.memory.join(name), bytes.as_ref().to_vec()).expect("held");
    }

    /// What is made of a file in both places, which must be the same.
    fn same<T: PartialEq + std::fmt::Debug>(&self, name: &str, read: impl Fn(&Path) -> T) -> T {
        let [disk, held] = self.folders().map(|folder| read(&folder.join(name)));
        assert_eq!(disk, held, "{name}");
        held
    }
}

impl Drop for Both {
    fn drop(&mut self) {
        for path in memory::list(&format!("{}/", self.memory.display())) {
            memory::remove(&path);
        }
    }
}

fn hill() -> String {
    let rows: Vec<String> = (0..12).map(|z| (0..12).map(|x| format!("{} ", x * z)).collect()).collect();
    format!("ncols 12\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 1\n{}\n", rows.join("\n"))
}

fn figure() -> Figure {
    let (skeleton, clip) = rigs::walk(1.3, 4.0, 30.0);
    let rows = names::rows(&names::ALL[0], &skeleton, true);
    Figure::new(rows, Rest::Spread, skeleton, clip)
}

fn read_map(path: &Path) -> Grid {
    raster::read_height_map(path, &Limits::default()).unwrap_or_else(|e| panic!("{e}"))
}

type Writer = fn(&Path, &MapView<'_>) -> Result<(), RasterError>;
const WRITERS: [(&str, Writer); 4] = [
    ("map.exr", raster::write_exr),
    ("map.png", raster::write_png16),
    ("map.tif", raster::write_tif),
    ("map.npy", raster::write_npy),
];

#[test]
fn every_map_is_written_in_memory_byte_for_byte_as_on_disk_and_comes_back() {
    let both = Both::new("maps");
    let data: Vec<f32> = (0..60).map(|i| i as f32 * 0.125).collect();
    let map = MapView { spacing: Some([0.5, 0.5]), ..MapView::new("height", "m", [10, 6], &data) };
    for (name, write) in WRITERS {
        for folder in both.folders() {
            write(&folder.join(name), &map).unwrap_or_else(|e| panic!("{e}"));
        }
        let grid = both.same(name, read_map);
        // 16-bit numbers are as near as their steps.
        let worst = grid.data.iter().zip(&data).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst <= if name == "map.png" { 7.5 / 65535.0 } else { 0.0 }, "{name}: {worst}");
        let disk = std::fs::read(both.disk.path().join(name)).expect("on disk");
        assert_eq!(memory::take(&both.memory.join(name)), Some(disk), "{name}");
    }
    // The sidecar of the PNG; nothing is left of temporary files.
    assert_eq!(memory::list("memory:maps/"), [PathBuf::from("memory:maps/map.json")]);
}

#[test]
fn a_map_that_fails_leaves_the_one_in_memory_alone() {
    let path = Path::new("memory:kept/map.exr");
    memory::put(path, b"old".to_vec()).expect("held");
    let map = MapView::new("height", "m", [2, 1], &[0.0, f32::INFINITY]);
    assert!(matches!(raster::write_exr(path, &map), Err(RasterError::NotFinite { .. })));
    assert_eq!(memory::take(path).as_deref(), Some(b"old".as_slice()));
}

#[test]
fn a_map_finds_what_lies_beside_it_in_memory() {
    let both = Both::new("beside");
    both.put("hill.asc", hill());
    let plain = both.same("hill.asc", read_map);
    both.put("hill.prj", "GEOGCS[\"WGS 84\"]");
    let degrees = both.same("hill.asc", read_map);
    assert_eq!(plain.spacing, Some([1.0, 1.0]));
    assert!(degrees.spacing.expect("metres")[0] > 1000.0, "{:?}", degrees.spacing);
}

#[test]
fn a_scene_in_memory_finds_its_files_in_memory() {
    let both = Both::new("scene");
    both.put("hill.asc", hill());
    both.put("moss.toml", "based_on = \"fern\"\n");
    both.put("foot.obj", "v 0 0 0\nv 0.2 0 0\nv 0.2 0 0.1\nv 0 0 0.1\nf 1 2 3 4\n");
    both.put(
        "own.toml",
        "[terrain]\ncell = 0.05\n[terrain.base]\nfile = \"hill.asc\"\n[[puppet]]\nsole = { mesh = \"foot.obj\" }\n[[plants]]\nspecies = \"moss.toml\"\ndensity = 1\n",
    );
    let scene = both.same("own.toml", |path| Source::read(path).expect("read").scene().expect("scene"));
    assert!(matches!(scene.terrain.base, Base::Raster(_)), "{:?}", scene.terrain.base);
    assert_eq!((scene.name.as_str(), scene.plants.len()), ("own", 1));
    World::new(&scene).expect("runs");
    both.same("moss.toml", |path| scene_file::read_species(path).expect("species"));
    both.same("foot.obj", |path| obj::read(path).expect("mesh"));
    // By name, as from the command line, and from a scene that is not in memory itself.
    assert_eq!(Source::find("memory:scene/own.toml").expect("found").folder, Path::new("memory:scene"));
    let mut other = Source::of_scene(&library::by_name("plate").expect("scene")).expect("written");
    for folder in ["", "memory:elsewhere", "/nowhere"] {
        other.folder = folder.into();
        other.settings = vec!["terrain.base={ kind = \"raster\", file = \"memory:scene/hill.asc\" }".into()];
        assert!(matches!(other.scene().expect("scene").terrain.base, Base::Raster(_)), "{folder}");
    }
}

#[test]
fn a_file_at_the_top_of_memory_finds_those_beside_it() {
    memory::put(Path::new("memory:top-hill.asc"), hill().into_bytes()).expect("held");
    let text = "[terrain.base]\nfile = \"top-hill.asc\"\n";
    memory::put(Path::new("memory:top.toml"), text.into()).expect("held");
    let scene = Source::read(Path::new("memory:top.toml")).expect("read").scene().expect("scene");
    assert!(matches!(scene.terrain.base, Base::Raster(_)));
    // The scene is called after its file, not after where that is.
    assert_eq!(scene.name, "top");
}

#[test]
fn a_run_file_in_memory_comes_back_and_looks_for_its_files_beside_itself() {
    let both = Both::new("runs");
    both.put("hill.asc", hill());
    both.put("own.toml", "[terrain]\ncell = 0.05\n[terrain.base]\nfile = \"hill.asc\"\n");
    let source = Source::read(&both.disk.path().join("own.toml")).expect("read");
    let built = source.build().expect("scene");
    let inputs = source.inputs(&built);
    let mut world = World::new(&built.scene).expect("world");
    let step = |_| {
        world.step(1.0 / 60.0);
        world.digest()
    };
    let recording: Recording = (0..5).map(step).collect();
    let run = RunFile::new(source, inputs, recording, &world, Vec::new());
    // From the same place nothing changes.
    let path = both.disk.path().join("run.trample");
    run.save(&path).expect("saved");
    assert_eq!(RunFile::load(&path).expect("loaded"), run);
    // Saved on disk, read in memory, saved there, and read on disk again.
    let held = both.memory.join("run.trample");
    memory::put(&held, std::fs::read(&path).expect("bytes")).expect("held");
    let moved = RunFile::load(&held).expect("loaded");
    assert_eq!(moved.source.folder, both.memory);
    moved.source.scene().expect("its hill is beside it");
    moved.save(&held).expect("saved");
    assert_eq!(RunFile::load(&held).expect("loaded"), moved);
    std::fs::write(&path, memory::take(&held).expect("bytes")).expect("written");
    assert_eq!(RunFile::load(&path).expect("loaded"), run);
}

#[test]
fn motion_and_characters_are_read_from_memory() {
    let both = Both::new("characters");
    let figure = figure();
    both.put("walk.bvh", bvh::write(&figure, &bvh::Manner::default()));
    let (mut json, bytes) = gltf::parts(&figure, &gltf::Extras::default());
    both.put("one.glb", gltf::binary(&json, &bytes));
    json["buffers"][0]["uri"] = "the%20body.bin".into();
    both.put("two.gltf", json.to_string());
    both.put("the body.bin", bytes);
    let clips = |path: &Path| {
        let loaded = character::load(path, &MapOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let clips = loaded.clips_for(&figure.skeleton);
        assert!(!clips.is_empty(), "{}", path.display());
        (loaded.body().copied().map(|b| b.mass), format!("{clips:?}"))
    };
    let whole = both.same("one.glb", clips);
    let parted = both.same("two.gltf", clips);
    assert_eq!(whole, parted);
    let before = both.same("walk.bvh", clips);
    // A map file beside it is found as well.
    both.put("walk.map.toml", "mass = 61.5\n");
    let after = both.same("walk.bvh", clips);
    assert_eq!((before.1, after.0), (after.1, Some(61.5)));
    let text = "[[walker]]\nmotion = [\"walk.bvh\"]\n";
    both.put("own.toml", text);
    let scene = Source::read(&both.memory.join("own.toml")).expect("read").scene().expect("scene");
    assert!(matches!(&scene.puppets[0].script, Script::Walker(w) if w.recorded.is_some()));
}

#[test]
fn a_glb_is_written_to_memory() {
    let path = Path::new("memory:shown/empty.glb");
    glb::write(path, &glb::Show::default()).expect("written");
    assert_eq!(memory::take(path), Some(glb::bytes(&glb::Show::default()).expect("bytes")));
    assert!(atomic::write(Path::new("memory:"), b"x").is_err(), "no name");
}

#[test]
fn what_is_not_in_memory_is_told_as_what_is_not_on_disk() {
    let both = Both::new("missing");
    let told = |problem: String, file: &str| {
        assert!(problem.contains(file) && problem.contains("no such file in memory"), "{problem}");
    };
    let map = both.memory.join("none.asc");
    for folder in both.folders() {
        let error = raster::read_height_map(&folder.join("none.asc"), &Limits::default()).expect_err("none");
        let RasterError::Io { source, action, .. } = error else { panic!("{error}") };
        assert_eq!((source.kind(), action), (std::io::ErrorKind::NotFound, "open the file"));
        let error = character::load(&folder.join("none.bvh"), &MapOptions::default()).expect_err("none");
        let CharacterError::Io { source, action, .. } = error else { panic!("{error}") };
        assert_eq!((source.kind(), action), (std::io::ErrorKind::NotFound, "open the file"));
        let error = RunFile::load(&folder.join("none.trample")).expect_err("none");
        assert!(matches!(&error, trample_files::RunFileError::Io(name, e)
            if name.ends_with("none.trample") && e.kind() == std::io::ErrorKind::NotFound));
        let name = folder.join("none.toml").display().to_string();
        let problem = Source::find(&name).expect_err("none").to_string();
        assert!(problem.contains("no such file or library scene"), "{problem}");
    }
    told(raster::read_height_map(&map, &Limits::default()).expect_err("none").to_string(), "none.asc");
    told(Source::read(&both.memory.join("none.toml")).expect_err("none").to_string(), "none.toml");
    told(obj::read(&both.memory.join("none.obj")).expect_err("none").to_string(), "none.obj");
    both.put("own.toml", "name = \"own\"\n[terrain.base]\nfile = \"none.asc\"\n");
    let source = Source::read(&both.memory.join("own.toml")).expect("read");
    let problem = source.scene().expect_err("no hill").to_string();
    assert!(problem.contains("own.toml:3"), "{problem}");
    told(problem, "none.asc");
    let (mut json, _) = gltf::parts(&figure(), &gltf::Extras::default());
    json["buffers"][0]["uri"] = "none.bin".into();
    both.put("two.gltf", json.to_string());
    let error = character::load(&both.memory.join("two.gltf"), &MapOptions::default()).expect_err("no bin");
    told(error.to_string(), "none.bin");
    json["buffers"][0]["uri"] = "../secret.bin".into();
    both.put("two.gltf", json.to_string());
    let error = character::load(&both.memory.join("two.gltf"), &MapOptions::default()).expect_err("outside");
    assert!(error.to_string().contains("leads outside"), "{error}");
}
