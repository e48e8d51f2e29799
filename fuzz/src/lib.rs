//! Fuzz targets: one per reader of files that users bring. Each takes bytes, does with them what the programs do with a file, and
//! panics where a promise is broken: a reader refuses or returns something usable, and never panics itself.

use std::path::Path;
use std::sync::LazyLock;
use trample::body::Skeleton;
use trample::params::Body;
use trample::scene::{SoleShape, library};
use trample::{Scene, World};
use trample_files::character::{self, MapFile, MapOptions, map_file};
use trample_files::raster::{Limits, read_height_map};
use trample_files::scene_file::{read_species, to_toml};
use trample_files::{RunFile, Source, cover_table, daily_table, gpx, memory, obj};

/// A reader under test.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, and that of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// Reads the bytes and uses what it got.
    pub run: fn(&[u8]),
}

/// Every reader.
pub const TARGETS: [Target; 20] = [
    Target { name: "scene", run: scene },
    Target { name: "settings", run: settings },
    Target { name: "species", run: species },
    Target { name: "cover", run: cover },
    Target { name: "days", run: days },
    Target { name: "gpx", run: gpx },
    Target { name: "npy", run: |data| raster("npy", data) },
    Target { name: "png", run: |data| raster("png", data) },
    Target { name: "exr", run: |data| raster("exr", data) },
    Target { name: "tif", run: |data| raster("tif", data) },
    Target { name: "asc", run: |data| raster("asc", data) },
    Target { name: "hgt", run: |data| raster("hgt", data) },
    Target { name: "raw", run: |data| raster("r16", data) },
    Target { name: "bvh", run: |data| motion(data, &MapFile::default()) },
    Target { name: "gltf", run: |data| motion(data, &MapFile::default()) },
    Target { name: "mapping", run: mapping },
    Target { name: "sole_image", run: |data| sole("image", "sole.png", data) },
    Target { name: "sole_mesh", run: |data| sole("mesh", "sole.obj", data) },
    Target { name: "run", run },
    Target { name: "snapshot", run: snapshot },
];

/// The target of that name.
pub fn by_name(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}

/// A scene of that text; the files it names are looked for in memory, never on disk.
fn source(text: &str) -> Source {
    Source {
        name: "fuzz.toml".into(),
        text: text.into(),
        settings: Vec::new(),
        folder: memory::SCHEME.into(),
    }
}

/// What was read can be built and stepped: on scripted feet, since a walker's clips take a second to make.
fn builds(scene: &Scene) {
    scene.check().expect("a scene that is read is one that can be built");
    let scene = &scene.clone().on_scripted_feet();
    let mut world = World::new(scene).expect("a scene that is read can be built");
    if scene.puppets.len() < 5 {
        world.step(scene.dt().min(0.25));
        assert!(world.volume().accumulated.is_finite(), "the ground stays finite");
    }
}

fn scene(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(scene) = source(text).scene() {
        builds(&scene);
        // What can be written is read as it was.
        if let Ok(text) = to_toml(&scene) {
            let again = source(&text).scene().expect("what is written can be read");
            assert_eq!(again, scene, "{text}");
        }
    }
}

/// Lines of `key=value` over a library scene, as `--set` gives them.
fn settings(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut source = Source::find("walk-mud").expect("a library scene");
    source.settings = text.lines().take(8).map(String::from).collect();
    if let Ok(scene) = source.scene() {
        builds(&scene);
    }
}

/// Puts bytes where a reader of files finds them.
fn held(name: &str, data: &[u8]) -> std::path::PathBuf {
    let path = Path::new(memory::SCHEME).join(name);
    let path = std::path::PathBuf::from(path.display().to_string().replace(":/", ":"));
    memory::put(&path, data.to_vec()).expect("a small file");
    path
}

fn species(data: &[u8]) {
    if let Ok(species) = read_species(&held("species.toml", data)) {
        assert!(species.break_angle > species.wear_angle, "{species:?}");
    }
}

fn cover(data: &[u8]) {
    if let Ok(rows) = cover_table::read(&held("cover.csv", data)) {
        assert!(!rows.is_empty() && rows.is_sorted_by(|a, b| a.passes < b.passes), "{rows:?}");
        assert!(rows.iter().all(|row| row.passes > 0 && (0.0..=200.0).contains(&row.cover)), "{rows:?}");
    }
}

/// Numbers by day.
fn days(data: &[u8]) {
    if let Ok(rows) = daily_table::all(&held("days.csv", data), &trample::scene::Visitors::COUNT) {
        assert!(!rows.is_empty() && rows.iter().all(|(_, number)| number.is_finite()), "{rows:?}");
    }
}

fn gpx(data: &[u8]) {
    if let Ok(line) = gpx::read(&held("track.gpx", data)) {
        assert!(line.len() > 1 && line.iter().flatten().all(|degrees| degrees.is_finite()), "{line:?}");
    }
}

fn raster(extension: &str, data: &[u8]) {
    let path = held(&format!("N01E001.{extension}"), data);
    let limits = Limits { max_cells: 1 << 20, ..Limits::default() };
    match read_height_map(&path, &limits) {
        Ok(mut grid) => {
            assert_eq!(grid.data.len(), grid.width * grid.height);
            assert!(grid.data.iter().all(|sample| !sample.is_infinite()));
            assert!(grid.spacing.is_none_or(|spacing| spacing.iter().all(|side| *side > 0.0)));
            let _ = grid.fill_nodata();
        }
        Err(error) => assert!(error.to_string().contains("N01E001"), "{error}"),
    }
}

/// All that a user would do with a character or motion: its body, clips on our skeleton, sole, skin, measures.
fn motion(data: &[u8], map: &MapFile) {
    let path = Path::new("memory:walk.file");
    let Ok(loaded) = character::understand(path, data, map, &MapOptions::default()) else { return };
    let own = loaded.body().copied().unwrap_or_default();
    for body in [Body::default(), own] {
        let clips = loaded.clips_for(&Skeleton::new(&body));
        assert!(clips.iter().flat_map(|clip| &clip.frames).all(|frame| frame.centre.is_finite()));
    }
    if let Some(animal) = loaded.four_footed() {
        let _ = animal.motions(&loaded.source);
    }
    let _ = (loaded.sole(0), loaded.measure(), loaded.upright().map(|u| u.lines(&loaded.source)));
    let _ = character::Outfit::from_bytes(&loaded, data);
}

/// A map file beside a motion.
fn mapping(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(map) = map_file::parse(Path::new("walk.map.toml"), text) {
        motion(include_bytes!("../corpus/bvh/walk.bvh"), &map);
    }
}

fn sole(key: &str, file: &str, data: &[u8]) {
    let path = held(file, data);
    if key == "mesh" {
        let _ = obj::read(&path);
    }
    let text = format!("preset = \"walk-mud\"\n[[walker]]\nsole = {{ {key} = \"{file}\" }}\n");
    if let Ok(scene) = source(&text).scene() {
        assert!(scene.puppets.iter().any(|p| matches!(p.sole, SoleShape::Custom(_))), "a sole of one's own");
        builds(&scene);
    }
}

fn run(data: &[u8]) {
    if let Ok(file) = RunFile::from_bytes(data) {
        assert_eq!(RunFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file), "written as it was read");
        static WORLD: LazyLock<World> = LazyLock::new(|| {
            World::new(&library::by_name("plate").expect("a library scene")).expect("a library scene")
        });
        let mut world = WORLD.clone();
        if file.restore(&mut world).is_ok() {
            assert_eq!(world.hash(), file.state, "the state that was saved");
        }
    }
}

/// A snapshot without the checksums that a run file puts around it: what a reader must survive when they happen to fit.
fn snapshot(data: &[u8]) {
    static WORLD: LazyLock<World> = LazyLock::new(|| {
        let scene = library::by_name("carex-lane").expect("a library scene");
        World::new(&scene).expect("a library scene")
    });
    let mut world = WORLD.clone();
    if world.restore(data).is_ok() {
        let _ = (world.hash(), world.snapshot());
    }
}
