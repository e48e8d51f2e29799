//! Files that a scene names: height maps, painted images, soles; and scene and run files themselves.

mod common;

use common::source_in;
use std::path::Path;
use tempfile::TempDir;
use trample::Base;
use trample::scene::PaintShape;
use trample::scene::{Scene, SoleShape};
use trample_files::raster::{Geo, Grid, write_npy, write_png16, write_tif};
use trample_files::{RunFile, Source};

fn grid(width: usize, height: usize, value: impl Fn(usize, usize) -> f32) -> Grid {
    let data = (0..width * height).map(|i| value(i % width, i / width)).collect();
    Grid { width, height, data, spacing: None, geo: None, raw_integer_range: None }
}

/// A folder with one of everything.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let hill = grid(5, 4, |x, z| 700.0 + (x + z) as f32);
    write_npy(&at("hill.npy"), &hill.as_map("height", "m")).expect("writes");
    let holed = grid(5, 4, |x, z| if (x, z) == (2, 1) { f32::NAN } else { 1.0 });
    write_npy(&at("holed.npy"), &holed.as_map("height", "m")).expect("writes");
    write_npy(&at("void.npy"), &grid(3, 3, |_, _| f32::NAN).as_map("height", "m")).expect("writes");
    write_npy(&at("line.npy"), &grid(1, 9, |_, z| z as f32).as_map("height", "m")).expect("writes");
    let geo = Geo { origin: [500_000.5, 5_400_000.0], pixel: [2.0, 2.0], epsg: Some(25832), degrees: false };
    let placed = Grid { geo: Some(geo), spacing: Some([2.0, 2.0]), ..hill };
    write_tif(&at("placed.tif"), &placed.as_map("height", "m")).expect("writes");
    // A sixteen-bit PNG of 0 and 65535: four columns, the two on the right bright.
    write_png16(&at("bare.png"), &grid(4, 4, |x, _| f32::from(x > 1)).as_map("height", "m")).expect("writes");
    std::fs::copy(at("bare.png"), at("with.png")).expect("copies");
    std::fs::rename(at("bare.json"), at("with.json")).expect("renames");
    std::fs::write(at("foot.obj"), "v 0 0 0\nv 0.3 0 0\nv 0.3 0 0.1\nv 0 0.01 0.1\nf 1 2 3 4\n")
        .expect("writes");
    std::fs::write(at("bad.obj"), "v 0 0 0\nv 1 0\n").expect("writes");
    std::fs::write(at("empty.obj"), "# nothing\n").expect("writes");
    std::fs::write(at("noise.tif"), "not a picture").expect("writes");
    folder
}

fn read(folder: &Path, text: &str) -> Scene {
    source_in(folder, text).scene().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn check_rows(folder: &Path, rows: &[(&str, &[&str])]) {
    for (text, expected) in rows {
        let message = match source_in(folder, text).scene() {
            Err(error) => error.to_string(),
            Ok(_) => panic!("accepted: {text}"),
        };
        for part in *expected {
            assert!(message.contains(part), "{text}\nsays: {message}\nwithout: {part}");
        }
    }
}

#[test]
fn a_height_map_gives_the_terrain_its_height_size_and_place() {
    let folder = folder();
    let scene = read(folder.path(), "[terrain.base]\nfile = \"placed.tif\"\n");
    let place = scene.terrain.place.expect("the file says where it is");
    assert_eq!((place.epsg, place.corner), (25832, [500_000.5, 5_400_000.0]));
    assert_eq!(scene.terrain.size, [8.0, 6.0]);
    assert_eq!((scene.terrain.base.height(0.0, 0.0), scene.terrain.base.height(8.0, 6.0)), (0.0, 7.0));
    let kept = read(folder.path(), "[terrain.base]\nfile = \"placed.tif\"\nkeep_datum = true\nscale = 2\n");
    assert_eq!(kept.terrain.base.height(0.0, 0.0), 1400.0);
    let own = "[terrain]\nplace = { epsg = 2056, corner = [1, 2] }\n[terrain.base]\nfile = \"placed.tif\"\n";
    assert_eq!(
        read(folder.path(), own).terrain.place.expect("given").epsg,
        2056,
        "the scene's own word counts"
    );
}

#[test]
fn spacing_comes_from_the_scene_or_the_size_where_the_file_has_none() {
    let folder = folder();
    let spacing = |text: &str| match read(folder.path(), text).terrain.base {
        Base::Raster(raster) => raster.spacing(),
        other => panic!("not a raster: {other:?}"),
    };
    assert_eq!(spacing("[terrain.base]\nfile = \"hill.npy\"\nspacing = 3"), [3.0, 3.0]);
    assert_eq!(spacing("[terrain.base]\nfile = \"hill.npy\"\nspacing = [3, 1.5]"), [3.0, 1.5]);
    assert_eq!(spacing("[terrain]\nsize = [8, 9]\n[terrain.base]\nfile = \"hill.npy\""), [2.0, 3.0]);
    assert_eq!(
        spacing("preset = \"dune-up\"\n[terrain.base]\nfile = \"hill.npy\""),
        [2.5, 2.0],
        "replaces the dune"
    );
    let mut set = source_in(folder.path(), "preset = \"dune-up\"");
    set.settings = vec!["file=hill.npy".into(), "spacing=4".into()];
    assert!(matches!(set.scene().expect("valid").terrain.base, Base::Raster(r) if r.spacing() == [4.0, 4.0]));
}

#[test]
fn a_png_is_scaled_by_the_scene_or_by_its_sidecar() {
    let folder = folder();
    let height = |text: &str| read(folder.path(), text).terrain.base.height(3.0, 1.0);
    let bare = "[terrain.base]\nfile = \"bare.png\"\nspacing = 1\nheight_range = [2, 5]\n";
    assert_eq!(height(bare), 3.0, "counted from the lowest post");
    assert_eq!(height(&format!("{bare}keep_datum = true")), 5.0);
    assert_eq!(height("[terrain.base]\nfile = \"with.png\"\nspacing = 1\n"), 1.0);
    assert_eq!(height("[terrain.base]\nfile = \"holed.npy\"\nspacing = 1\nnodata = \"fill\"\n"), 0.0);
}

#[test]
fn bad_height_maps_are_named_with_what_to_do() {
    let folder = folder();
    #[rustfmt::skip]
    check_rows(folder.path(), &[
        ("[terrain.base]\nfile = \"none.tif\"", &["test.toml:2:", "none.tif", "No such file"]),
        ("[terrain.base]\nfile = \"noise.tif\"", &["test.toml:2:", "noise.tif"]),
        ("[terrain.base]\nfile = \".\"", &["test.toml:2:", "not a regular file"]),
        ("[terrain.base]\nfile = \"../a.tif\"", &["test.toml:2:", "`terrain.base.file` is `../a.tif`", "without `..`"]),
        ("[terrain.base]\nfile = \"a/../../b.tif\"", &["without `..`"]),
        ("[terrain.base]\nfile = \"\"", &["`terrain.base.file`"]),
        ("[terrain.base]\nfile = 5", &["`terrain.base.file` is 5, must be a text"]),
        ("[terrain.base]\nkind = \"raster\"", &["test.toml:1:", "needs a `file`"]),
        ("[terrain.base]\nkind = \"raster\"\nfil = \"a\"", &["unknown key `terrain.base.fil`", "did you mean `file`?"]),
        ("[terrain.base]\nfile = \"hill.npy\"", &["how far its posts are apart", "`spacing`"]),
        ("[terrain.base]\nfile = \"hill.npy\"\nspacing = 0", &["test.toml:3:", "`terrain.base.spacing` is 0", "0.0001 to 100000 m"]),
        ("[terrain.base]\nfile = \"hill.npy\"\nspacing = [1, -1]", &["`terrain.base.spacing`"]),
        ("[terrain.base]\nfile = \"hill.npy\"\nspacing = 50000", &["`terrain.size` is 200000", "0.1 to 50000 m"]),
        ("[terrain.base]\nfile = \"hill.npy\"\nspacing = 1\nheight_range = [0, 1]", &["test.toml:4:", "for PNG"]),
        ("[terrain.base]\nfile = \"hill.npy\"\nspacing = 1\nscale = 1e6", &["heights from 700000000 to", "100000 m"]),
        ("[terrain.base]\nfile = \"hill.npy\"\nspacing = 1\nscale = 1e300", &["heights from inf"]),
        ("[terrain.base]\nfile = \"hill.npy\"\nspacing = 1\nscale = nan", &["`terrain.base.scale` is NaN"]),
        ("[terrain.base]\nfile = \"holed.npy\"\nspacing = 1", &["1 of 20 posts have no data", "nodata = \"fill\""]),
        ("[terrain.base]\nfile = \"holed.npy\"\nspacing = 1\nnodata = \"fil\"", &["`terrain.base.nodata` is `fil`", "`fill`?"]),
        ("[terrain.base]\nfile = \"void.npy\"\nspacing = 1\nnodata = \"fill\"", &["all 9 samples"]),
        ("[terrain.base]\nfile = \"line.npy\"\nspacing = 1", &["at least 2 × 2 posts"]),
        ("[terrain.base]\nfile = \"bare.png\"\nspacing = 1", &["a PNG has no unit", "`height_range = [low, high]`"]),
        ("[terrain.base]\nfile = \"with.png\"\nspacing = 1\nheight_range = [0, 1]", &["has heights already"]),
        ("[terrain.base]\nfile = \"bare.png\"\nspacing = 1\nheight_range = [0]", &["`terrain.base.height_range` is a list of 1"]),
        ("[terrain.base]\nfile = \"bare.png\"\nspacing = 1\nheight_range = [0, 1e39]", &["heights from 0 to inf"]),
    ]);
}

#[test]
fn a_painted_image_says_which_material_lies_where() {
    let folder = folder();
    let text = "[terrain]\nmaterial = \"soil\"\n[[paint]]\nimage = \"bare.png\"\nlevels = { 0 = \"snow\", 65535 = \"mud\" }\n";
    let terrain = read(folder.path(), text).terrain;
    let names: Vec<&str> = terrain.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["soil", "snow", "mud"]);
    let PaintShape::Image { width, indices, .. } = &terrain.paints[0].shape else { panic!("an image") };
    assert_eq!((*width, &indices[..4]), (4, &[1, 1, 2, 2][..]));
    #[rustfmt::skip]
    check_rows(folder.path(), &[
        ("[[paint]]\nimage = \"bare.png\"\nlevels = { 0 = \"snow\" }", &["test.toml:2:", "grey value 65535 at column 2, row 0", "`levels`: 0"]),
        ("[[paint]]\nimage = \"bare.png\"", &["`paint[0]` needs `levels`", "levels = { 0 = "]),
        ("[[paint]]\nimage = \"bare.png\"\nlevels = 5", &["needs `levels`"]),
        ("[[paint]]\nimage = \"bare.png\"\nlevels = { x = \"snow\" }", &["test.toml:3:", "`x` is not a grey value"]),
        ("[[paint]]\nimage = \"bare.png\"\nlevels = { 0 = 5 }", &["`paint[0].levels.0` is 5", "name of a material"]),
        ("[[paint]]\nimage = \"bare.png\"\nlevels = { 0 = \"snwo\" }", &["`paint[0].levels` is `snwo`", "did you mean `snow`?"]),
        ("[[paint]]\nimage = \"bare.png\"\nlevels = { 0 = \"mud\", 00 = \"mud\" }", &["has 0 twice"]),
        ("[[paint]]\nimage = \"none.png\"\nlevels = {}", &["test.toml:2:", "none.png"]),
        ("[[paint]]\nimage = \"../none.png\"\nlevels = {}", &["without `..`"]),
        ("[[paint]]\nimage = \"bare.png\"\nmaterial = \"mud\"\nlevels = {}", &["takes its materials from `levels`"]),
    ]);
}

#[test]
fn soles_are_made_from_outlines_images_and_meshes() {
    let folder = folder();
    let sole = |inner: &str| match read(folder.path(), &format!("[[puppet]]\nsole = {{ {inner} }}"))
        .puppets
        .remove(0)
        .sole
    {
        SoleShape::Custom(sole) => sole,
        other => panic!("not a sole of one's own: {other:?}"),
    };
    let outline = sole("outline = [[0, 0], [2, 0], [2, 1], [0, 1]]");
    assert_eq!((outline.length, outline.width), (0.274, 0.137), "as long as the foot");
    assert!((sole("outline = [[0, 0], [2, 0], [2, 1], [0, 1]], length = 0.2").area() - 0.02).abs() < 1e-4);
    let image = sole("image = \"bare.png\", length = 0.2, relief = 0.02");
    assert!((image.area() - 0.02).abs() < 1e-3, "black is no sole: {}", image.area());
    assert!((sole("mesh = \"foot.obj\"").length - 0.3).abs() < 1e-6, "a mesh is in metres");
    let scaled = sole("mesh = \"foot.obj\", length = 0.15");
    assert!(
        (scaled.length - 0.15).abs() < 1e-6 && (scaled.width - 0.05).abs() < 1e-6,
        "or as long as it is told"
    );
    #[rustfmt::skip]
    check_rows(folder.path(), &[
        ("[[puppet]]\nsole = {}", &["test.toml:2:", "`puppet[0].sole` needs one of `outline`, `image` or `mesh`"]),
        ("[[puppet]]\nsole = 5", &["`puppet[0].sole` is 5, must be a table"]),
        ("[[puppet]]\nsole = { outline = [[0, 0], [1, 1]] }", &["`puppet[0].sole.outline` is a list of 2, must be a list of 3 to 1000"]),
        ("[[puppet]]\nsole = { outline = [[0, 0], [1, 1], [2, 2, 2]] }", &["`puppet[0].sole.outline[2]` is a list of 3"]),
        ("[[puppet]]\nsole = { outline = [[0, 0], [0, 1], [0, 2]] }", &["`puppet[0].sole.outline`", "no area"]),
        ("[[puppet]]\nsole = { outline = [[0, 0], [1, 0], [0, 99]] }", &["0.01 to 4 m"]),
        ("[[puppet]]\nsole = { outline = [[0, 0], [1e308, 0], [-1e308, 99]] }", &["`puppet[0].sole.outline`"]),
        ("[[puppet]]\nsole = { length = 9, outline = [[0, 0], [1, 0], [0, 1]] }", &["`puppet[0].sole.length` is 9", "0.02 to 2 m"]),
        ("[[puppet]]\nsole = { image = \"none.png\" }", &["`puppet[0].sole.image`", "none.png"]),
        ("[[puppet]]\nsole = { image = \"bare.png\", relief = 3 }", &["`puppet[0].sole.relief` is 3, allowed: 0 to 0.2 m"]),
        ("[[puppet]]\nsole = { image = \"void.npy\" }", &["`puppet[0].sole.image`"]),
        ("[[puppet]]\nsole = { mesh = \"none.obj\" }", &["`puppet[0].sole.mesh`", "none.obj", "No such file"]),
        ("[[puppet]]\nsole = { mesh = \"bad.obj\" }", &["bad.obj:2:", "`v 1 0`", "three finite numbers"]),
        ("[[puppet]]\nsole = { mesh = \"empty.obj\" }", &["`puppet[0].sole.mesh`", "no area"]),
        ("[[puppet]]\nsole = { mesh = \"bare.png\" }", &["bare.png", "not a text file"]),
        ("[[puppet]]\nsole = { mesh = \"../x.obj\" }", &["without `..`"]),
    ]);
}

#[test]
fn what_toml_cannot_say_is_written_beside_it() {
    let folder = folder();
    let text = "[terrain.base]\nfile = \"placed.tif\"\n[[paint]]\nimage = \"bare.png\"\n\
                levels = { 0 = \"snow\", 65535 = \"mud\" }\n[[puppet]]\nmotion = \"host\"\n\
                sole = { outline = [[0, 0], [2, 0], [2, 1], [0, 1]] }\n";
    let scene = read(folder.path(), text);
    assert!(trample_files::scene_file::to_toml(&scene).is_err(), "not in TOML alone");
    let path = folder.path().join("again.toml");
    let files = trample_files::scene_file::write(&path, &scene).expect("written");
    assert_eq!(files.len(), 5, "{files:?}");
    assert_eq!(Source::read(&path).expect("there").scene().expect("valid"), scene);
}

#[test]
fn a_scene_file_finds_what_lies_beside_it() {
    let folder = folder();
    let path = folder.path().join("my.scene.toml");
    std::fs::write(&path, "[terrain.base]\nfile = \"placed.tif\"\n").expect("writes");
    let scene = Source::find(path.to_str().expect("UTF-8")).expect("found").scene().expect("valid");
    assert_eq!(scene.name, "my.scene");
}

#[test]
fn files_that_are_no_scenes_are_refused_without_reading_them_all() {
    let folder = folder();
    let fails = |name: &str| match Source::read(&folder.path().join(name)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("accepted {name}"),
    };
    std::fs::write(folder.path().join("huge.toml"), vec![b'#'; (4 << 20) + 1]).expect("writes");
    std::fs::write(folder.path().join("latin.toml"), b"seed = 1\nname = \"\xe9\"").expect("writes");
    assert!(fails("huge.toml").contains("4194304") && fails("huge.toml").contains("short text"));
    assert!(fails("latin.toml").contains("latin.toml:2: not a text file in UTF-8"));
    assert!(fails("none.toml").contains("none.toml"));
    assert!(!fails(".").is_empty(), "a folder");
    if cfg!(unix) {
        let message = Source::read(Path::new("/dev/zero")).expect_err("no end").to_string();
        assert!(message.contains("/dev/zero: not a file"), "{message}");
        assert!(trample_files::obj::read(Path::new("/dev/zero")).is_err());
        assert!(RunFile::load(Path::new("/dev/zero")).is_err());
    }
    let message = RunFile::load(&folder.path().join("huge.toml")).expect_err("not a run").to_string();
    assert!(message.contains("huge.toml: not a trample run file"), "{message}");
}
