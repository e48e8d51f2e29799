//! The corpus of the fuzz targets (`fuzz/corpus`): small files of every format, all made here. Every file is read by its reader;
//! `TRAMPLE_BLESS=1 cargo test -p trample-files --test corpus` writes them anew.

mod rigs;

use rigs::bvh::{self, Manner};
use rigs::{Figure, Rest, gltf, names, walk};
use std::path::{Path, PathBuf};
use trample::World;
use trample::scene::library;
use trample_files::character::{self, MapFile, MapOptions, map_file};
use trample_files::raster::{
    Geo, Grid, Limits, read_height_map, write_exr, write_npy, write_png16, write_tif,
};
use trample_files::scene_file::{read_species, species_to_toml, to_toml};
use trample_files::{RunFile, Source, cover_table, daily_table, gpx, memory, obj};

fn figure(names: &names::Names) -> Figure {
    let (skeleton, clip) = walk(1.3, 0.3, 30.0);
    Figure::new(names::rows(names, &skeleton, true), Rest::Spread, skeleton, clip)
}

fn grid() -> Grid {
    Grid {
        width: 5,
        height: 4,
        data: (0..20).map(|i| 0.01 * (i * i) as f32).collect(),
        spacing: Some([0.5, 0.5]),
        geo: Some(Geo { origin: [10.0, 20.0], pixel: [0.5, 0.5], epsg: Some(25832), degrees: false }),
        raw_integer_range: None,
    }
}

/// A file that a writer of maps makes.
fn written(name: &str, write: impl FnOnce(&Path)) -> Vec<u8> {
    let path = PathBuf::from(format!("memory:corpus-{name}"));
    write(&path);
    memory::take(&path).expect("written")
}

/// Target, name and bytes of every file.
fn files() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut add = |target, name: &str, bytes: Vec<u8>| files.push((target, name.to_string(), bytes));
    for name in ["plate", "walk-snow", "snow-meets-sand", "carex-lane", "dune-side"] {
        let scene = library::by_name(name).expect("a library scene");
        add("scene", &format!("{name}.toml"), to_toml(&scene).expect("written").into_bytes());
    }
    let own = "preset = \"plate\"\nname = \"own\"\n[terrain]\ncell = 0.02\nbase = { kind = \"hills\", amplitude = 0.1 }\n";
    add("scene", "preset.toml", own.into());
    add(
        "settings",
        "terrain.txt",
        b"cell=0.02\nsize=[8,3]\nyoungs_modulus=2e5\nwalker.0.speed=1.1\n".to_vec(),
    );
    add(
        "settings",
        "body.txt",
        b"mass=80\nheight=1.9\nlaw=bekker-wong\nseed=3\nduration=2\nrate=30\n".to_vec(),
    );
    for preset in &trample::params::species::PRESETS[..2] {
        add(
            "species",
            &format!("{}.toml", preset.name),
            species_to_toml(&preset.species, preset.name).into(),
        );
    }
    add("cover", "cover.csv", b"# Cole 1995\nsite,cover,passes\na,70.4 %,75\na,100,0\na,86.3,25\n".to_vec());
    let (grid, map_name) = (grid(), "height");
    let map = grid.as_map(map_name, "m");
    add("npy", "hill.npy", written("a.npy", |p| write_npy(p, &map).expect("writes")));
    add("png", "hill.png", written("a.png", |p| write_png16(p, &map).expect("writes")));
    add("exr", "hill.exr", written("a.exr", |p| write_exr(p, &map).expect("writes")));
    add("tif", "hill.tif", written("a.tif", |p| write_tif(p, &map).expect("writes")));
    let asc = b"ncols 3\nnrows 2\nxllcorner 1\nyllcorner 2\ncellsize 10\nNODATA_value -1\n1 2 3\n4 -1 6.5\n";
    add("asc", "hill.asc", asc.to_vec());
    add("hgt", "hill.hgt", (0..18).collect());
    add("raw", "hill.r16", (0..18).collect());
    add("sole_image", "sole.png", written("b.png", |p| write_png16(p, &map).expect("writes")));
    let mesh = b"v -0.1 0 -0.04\nv 0.15 0 -0.04\nv 0.15 0 0.04\nv -0.1 0 0.04\nf 1 2 3\nf 1/1 3/1 4/1\n";
    add("sole_mesh", "sole.obj", mesh.to_vec());
    add("bvh", "walk.bvh", bvh::write(&figure(&names::LAFAN), &Manner::default()).into_bytes());
    add(
        "bvh",
        "six.bvh",
        bvh::write(&figure(&names::CMU), &Manner { six: true, ..Manner::default() }).into_bytes(),
    );
    add("bvh", "animal.bvh", rigs::animal::animal(1.0, true, 3).into_bytes());
    let (skin, vrm) = (
        gltf::Extras { feet: true, ..Default::default() },
        gltf::Extras { vrm: Some(1), ..Default::default() },
    );
    for (name, extras) in [("skin.glb", skin), ("avatar.vrm", vrm)] {
        let (json, bytes) = gltf::parts(&figure(&names::MIXAMO), &extras);
        add("gltf", name, gltf::binary(&json, &bytes));
    }
    let map = "unit = 0.01\nup = \"y\"\nfirst_frame = 1\nmass = 70\n[joints]\nleft_hip = \"LeftUpLeg\"\nleft_knee = \"LeftLeg\"\n";
    add("mapping", "walk.map.toml", map.into());
    add("days", "days.csv", "date,count\n2024-05-01,12\n2024-05-02,40\n2024-05-03,0\n".into());
    let track = "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\"><trk><trkseg>\n<trkpt lat=\"46.5\" lon=\"7.1\"><ele>900</ele></trkpt>\n\
                 <trkpt lat=\"46.51\" lon=\"7.11\"/>\n</trkseg></trk></gpx>\n";
    add("gpx", "track.gpx", track.into());
    for name in ["plate", "carex-lane"] {
        let scene = library::by_name(name).expect("a library scene");
        let mut world = World::new(&scene).expect("a world");
        let recording: trample::Recording = (0..6)
            .map(|_| {
                world.step(scene.dt());
                world.digest()
            })
            .collect();
        if name == "carex-lane" {
            add("snapshot", "carex-lane.bin", world.snapshot());
        } else {
            let source = Source::of_scene(&scene).expect("written");
            let mut run = RunFile::new(source, Vec::new(), recording, &world, b"{}".to_vec());
            // The same bytes whatever the hashes of the library are: the file is about its layout.
            (run.writer.physics, run.final_hash) = (0, Some(world.hash()));
            add("run", "plate.trample", run.to_bytes());
        }
    }
    files
}

/// Whether the reader of a target accepts a file.
fn accepted(target: &str, name: &str, bytes: &[u8]) -> Result<(), String> {
    let held = PathBuf::from(format!("memory:{target}-N01E001-{name}"));
    memory::put(&held, bytes.to_vec()).map_err(|e| e.to_string())?;
    let text = || std::str::from_utf8(bytes).map(String::from).map_err(|e| e.to_string());
    let source = |text: String, settings: Vec<String>| Source {
        name: name.into(),
        text,
        settings,
        folder: PathBuf::new(),
    };
    let said = |e: &dyn std::fmt::Display| e.to_string();
    match target {
        "scene" => source(text()?, Vec::new()).scene().map(drop).map_err(|e| said(&e)),
        "settings" => {
            let settings = text()?.lines().map(String::from).collect();
            source("preset = \"walk-mud\"".into(), settings).scene().map(drop).map_err(|e| said(&e))
        }
        "species" => read_species(&held).map(drop).map_err(|e| said(&e)),
        "cover" => cover_table::read(&held).map(drop),
        "days" => daily_table::all(&held, &trample::scene::Visitors::COUNT).map(drop),
        "gpx" => gpx::read(&held).map(drop),
        "sole_mesh" => obj::read(&held).map(drop).map_err(|e| said(&e)),
        "bvh" | "gltf" => {
            let options = MapOptions::default();
            character::understand(&held, bytes, &MapFile::default(), &options).map(drop).map_err(|e| said(&e))
        }
        "mapping" => map_file::parse(&held, &text()?).map(drop).map_err(|e| said(&e)),
        "run" => RunFile::from_bytes(bytes).map(drop),
        "snapshot" => {
            let mut world =
                World::new(&library::by_name("carex-lane").expect("a library scene")).expect("a world");
            world.restore(bytes).map_err(|e| said(&e))
        }
        _ => {
            let named = PathBuf::from(format!("memory:N01E001{}", &name[name.rfind('.').unwrap_or(0)..]));
            memory::put(&named, bytes.to_vec()).map_err(|e| e.to_string())?;
            read_height_map(&named, &Limits::default()).map(drop).map_err(|e| said(&e))
        }
    }
}

#[test]
fn every_reader_accepts_its_part_of_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    if std::env::var_os("TRAMPLE_BLESS").is_some() {
        for (target, name, bytes) in files() {
            std::fs::create_dir_all(corpus.join(target)).expect("a folder");
            std::fs::write(corpus.join(target).join(name), bytes).expect("writes");
        }
    }
    let mut read = 0;
    for target in std::fs::read_dir(&corpus).expect("the corpus").flatten() {
        let label = target.file_name().into_string().expect("a plain name");
        for file in std::fs::read_dir(target.path()).expect("a folder of the corpus").flatten() {
            let name = file.file_name().into_string().expect("a plain name");
            let bytes = std::fs::read(file.path()).expect("a file");
            // Files that made a reader fail once are kept too; they need only not fail again.
            let result = accepted(&label, &name, &bytes);
            assert!(result.is_ok() || name.starts_with("bad-"), "{label}/{name}: {result:?}");
            read += 1;
        }
    }
    assert!(read >= 25, "{read} files");
}
