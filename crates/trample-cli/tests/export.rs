//! `trample export`: all of a run, in parts and in tiles, as tools want it.

mod common;

use common::{good, json, map, trample};
use serde_json::Value;
use trample_files::raster::Grid;

/// A print far from the corner of a terrain that is too large for one file; its folder, and what the command said.
fn run() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("folder");
    let scene = "name = \"far\"\n[terrain]\nsize = [90.0, 60.0]\nmaterial = \"mud\"\n[terrain.place]\nepsg = 32632\n\
                 corner = [500000.0, 5100000.0]\n[[puppet]]\nmotion = \"press\"\nposition = [41.0, 30.0]\nfootwear = \"boot\"\n";
    std::fs::write(dir.path().join("far.toml"), scene).expect("written");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let said = good(&["run", &at("far.toml"), "--out", &at("out"), "--no-pictures", "--formats", "npy"]);
    (dir, said)
}

fn sum(grid: &Grid) -> f64 {
    grid.data.iter().map(|&v| f64::from(v)).sum()
}

#[test]
fn a_window_tiles_and_a_coarser_grid_hold_the_same_ground() {
    let (dir, said) = run();
    let out = dir.path().join("out");
    assert!(said.contains(&format!("trample export {}", out.display())), "{said}");
    assert!(said.lines().any(|l| l.starts_with("maps show")), "{said}");
    let overview = json(&out.join("maps/overview/window.json"));
    assert_eq!((overview["cropped"].as_bool(), overview["columns"].as_u64()), (Some(false), Some(1024)));
    let whole = map(&out.join("maps/compression.npy"));
    let (run, to) = (out.to_str().expect("plain"), dir.path().join("e"));
    let export = |name: &str, more: &[&str]| {
        let folder = to.join(name);
        good(
            &[&["export", run, "--out", folder.to_str().expect("plain"), "--maps", "compression"], more]
                .concat(),
        );
        assert!(folder.join("overview.png").exists());
        folder
    };
    let window = export("window", &["--window", "40,29.5,2,1", "--formats", "npy,tif"]);
    let part = map(&window.join("compression.npy"));
    assert_eq!((part.width, part.height), (100, 50));
    assert!((sum(&part) / sum(&whole) - 1.0).abs() < 1e-6);
    let geo = map(&window.join("compression.tif")).geo.expect("a place");
    assert!(
        (geo.origin[0] - 500_040.01).abs() < 1e-6 && (geo.origin[1] - 5_099_970.49).abs() < 1e-6,
        "{geo:?}"
    );

    let tiles = export("tiles", &["--tiles", "512", "--formats", "npy,png"]);
    let index = json(&tiles.join("tiles.json"));
    assert_eq!((index["across"].as_u64(), index["down"].as_u64()), (Some(9), Some(6)));
    let list = index["tiles"].as_array().expect("tiles");
    assert_eq!(list.len() + index["untouched"].as_array().expect("a list").len(), 54);
    let mut all = 0.0;
    for tile in list {
        let name = tile["files"]["compression"][0].as_str().expect("a file");
        let grid = map(&tiles.join(name));
        assert_eq!(grid.width as u64, tile["columns"].as_u64().expect("columns"));
        all += sum(&grid);
        let range = json(&tiles.join(name.replace(".npy", ".json")));
        assert_eq!(range["max"], index["ranges"]["compression"][1], "all tiles have one range");
    }
    assert!((all / sum(&whole) - 1.0).abs() < 1e-6, "{all}");

    let coarse = export("coarse", &["--resample", "0.5", "--formats", "tif"]);
    let grid = map(&coarse.join("compression.tif"));
    assert_eq!((grid.width, grid.height, grid.spacing), (180, 120, Some([0.5, 0.5])));
    assert!((sum(&grid) * 625.0 / sum(&whole) - 1.0).abs() < 1e-4, "means keep the volume");
    let output = trample(&["export", run, "--window", "900,0,1,1", "--out", run]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("90 × 60 m"));
}

#[test]
fn layers_ranges_and_layouts_are_as_tools_want_them() {
    let (dir, _) = run();
    let out = dir.path().join("out");
    let run = out.to_str().expect("plain");
    let export = |name: &str, more: &[&str]| {
        let folder = dir.path().join(name);
        good(
            &[&["export", run, "--window", "40,29.5,2,1", "--out", folder.to_str().expect("plain")], more]
                .concat(),
        );
        folder
    };
    let plain = export("plain", &["--maps", "delta,compression,accumulation,normal,mask,wetness"]);
    let [delta, down, up] =
        ["delta", "compression", "accumulation"].map(|n| map(&plain.join(format!("{n}.npy"))));
    for ((d, c), a) in delta.data.iter().zip(&down.data).zip(&up.data) {
        assert!((d - (a - c)).abs() < 1e-7);
    }
    let exr = std::fs::read(plain.join("delta.exr")).expect("EXR");
    assert!(exr.windows(12).any(|w| w == b"chlist\0\x13\0\0\0Y"), "its channel is Y, alone");
    let normal = std::fs::read(plain.join("normal.npy")).expect("NPY");
    assert!(String::from_utf8_lossy(&normal[..128]).contains("(50, 100, 3)"));
    let ranged = export("ranged", &["--maps", "delta", "--png-range", "-0.1,0.1", "--formats", "png,raw"]);
    let sidecar = json(&ranged.join("delta.json"));
    assert!(
        (sidecar["min"].as_f64().expect("min") + 0.1).abs() < 1e-8 && sidecar["clipped"] == 0,
        "{sidecar}"
    );
    for name in ["delta.png", "delta.r16"] {
        let back = map(&ranged.join(name));
        let worst = back.data.iter().zip(&delta.data).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst <= 0.2 / 65535.0, "{name}: {worst}");
    }
    let unreal = export("unreal", &["--layout", "unreal:127"]);
    let height = map(&unreal.join("height.png"));
    assert_eq!((height.width, height.height), (127, 127));
    let entries = json(&unreal.join("layout.json"));
    let scale: Vec<f64> =
        entries["scale"].as_array().expect("scale").iter().filter_map(Value::as_f64).collect();
    assert!((scale[0] - 200.0 / 126.0).abs() < 1e-9, "2 m over 126 quads: {scale:?}");
    let span =
        entries["height_max_m"].as_f64().expect("max") - entries["height_min_m"].as_f64().expect("min");
    assert!((scale[2] * 5.12 - span).abs() < 1e-9, "{scale:?} {span}");
    let unity = export("unity", &["--layout", "unity:129", "--maps", "height"]);
    let raw = std::fs::read(unity.join("height.raw")).expect("RAW");
    assert_eq!(raw.len(), 129 * 129 * 2);
    assert_eq!(json(&unity.join("height.raw.json"))["rows"], "south first");
    // Read back north up, it is what the others hold.
    let (godot, back) =
        (export("godot", &["--layout", "godot:129", "--maps", "height"]), map(&unity.join("height.raw")));
    let worst =
        |a: &Grid, b: &Grid| a.data.iter().zip(&b.data).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst(&map(&godot.join("height.exr")), &back) < 1e-5);
    assert!(worst(&map(&godot.join("height.r16")), &back) < 1e-5);
    let output = trample(&["export", run, "--layout", "unity:1000"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("1025"), "{output:?}");
}

#[test]
fn heights_too_far_apart_for_an_engine_are_refused_with_what_to_use() {
    let dir = tempfile::tempdir().expect("folder");
    let scene = "name = \"steep\"\nduration = 0.1\n[terrain]\nsize = [90.0, 2.0]\nmaterial = \"soil\"\n\
                 [terrain.base]\nkind = \"slope\"\nangle_deg = 40\n[[puppet]]\nmotion = \"press\"\nposition = [3.0, 1.0]\n";
    std::fs::write(dir.path().join("s.toml"), scene).expect("written");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    good(&["run", &at("s.toml"), "--out", &at("out"), "--no-pictures", "--maps", "none"]);
    let output = trample(&["export", &at("out"), "--layout", "unreal:127", "--out", &at("e")]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && told.contains("more than 1 mm") && told.contains("--maps delta"),
        "{told}"
    );
    let told = good(&["export", &at("out"), "--layout", "unreal:127", "--maps", "delta", "--out", &at("e")]);
    assert!(told.contains("90.00 × 90.00 m reaches beyond the 90.00 × 2.00 m"), "{told}");
    good(&["export", &at("out"), "--layout", "unreal:127", "--formats", "exr", "--out", &at("e")]);
    // Without a layout they are written, with a word about it.
    let steps = |more: &[&str]| good(&[&["export", &at("out"), "--out", &at("e")], more].concat());
    assert!(
        steps(&["--maps", "height", "--formats", "png"])
            .contains("one step of 16 bits is 1.15 mm in height.png")
    );
    let ranged = ["--maps", "delta", "--formats", "r16,png", "--png-range", "-500,500"];
    assert!(steps(&ranged).contains("15.26 mm in delta."));
    assert!(!steps(&["--maps", "delta", "--formats", "png"]).contains("WARNING"));
    assert!(!steps(&["--maps", "height", "--formats", "tif"]).contains("WARNING"));
}

/// Files below a folder, by name.
fn shown(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("listed").flatten();
    let mut all: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    all.sort_unstable();
    all
}

#[test]
fn an_export_shows_one_result_and_goes_with_the_run_it_was_made_of() {
    let dir = tempfile::tempdir().expect("folder");
    let out = dir.path().join("out");
    let run = out.to_str().expect("plain");
    let again = ["run", "plate", "--out", run, "--no-pictures", "--maps", "none"];
    good(&again);
    let export = |maps: &str| good(&["export", run, "--maps", maps, "--formats", "npy"]);
    export("height,delta");
    let told = export("delta");
    assert!(
        told.contains(out.join("export").to_str().expect("plain")) && !told.contains(".running"),
        "{told}"
    );
    assert_eq!(shown(&out.join("export")), ["delta.npy", "manifest.json", "overview.png", "window.json"]);
    let summary = json(&out.join("summary.json"));
    assert_eq!(json(&out.join("export/manifest.json"))["hash"], summary["hash"], "the hash of the run");
    // Maps in the place of the run would take it away.
    let output = trample(&["export", run, "--out", run]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("choose another --out"), "{output:?}");
    assert!(out.join("run.trample").exists());
    good(&[&again[..], &["--set", "mass=61"]].concat());
    assert!(!out.join("export").exists(), "{:?}", shown(&out));
}

#[test]
fn a_run_whose_files_have_changed_is_not_exported() {
    let dir = tempfile::tempdir().expect("folder");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let grid = |high: f64| {
        format!("ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 1\n0 0 0\n0 {high} 0\n0 0 0\n")
    };
    std::fs::write(dir.path().join("d.asc"), grid(0.1)).expect("written");
    let scene = "name = \"d\"\n[terrain]\nmaterial = \"mud\"\nbase = { kind = \"raster\", file = \"d.asc\" }\n\
                 [[puppet]]\nmotion = \"press\"\nposition = [0.5, 0.5]\n";
    std::fs::write(dir.path().join("d.toml"), scene).expect("written");
    good(&["run", &at("d.toml"), "--out", &at("out"), "--no-pictures", "--maps", "none"]);
    good(&["export", &at("out"), "--maps", "height", "--formats", "npy"]);
    std::fs::write(dir.path().join("d.asc"), grid(0.7)).expect("written");
    let output = trample(&["export", &at("out"), "--maps", "height", "--formats", "npy"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("has changed since it was begun"), "{told}");
}

#[test]
fn large_maps_are_packed_unless_asked_otherwise() {
    let dir = tempfile::tempdir().expect("folder");
    let plate = |x: f64| format!("[[puppet]]\nmotion = \"press\"\nposition = [{x}, {x}]\ndown = 0.1\n");
    let scene = format!("[terrain]\nsize = [45, 45]\nmaterial = \"mud\"\n{}{}", plate(0.5), plate(44.5));
    std::fs::write(dir.path().join("wide.toml"), scene).expect("written");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let run = ["run", &at("wide.toml"), "--out", &at("out"), "--no-pictures", "--maps", "passes"];
    let told = good(&run);
    assert!(
        told.contains("million samples are written without npy") && told.contains("--formats npy"),
        "{told}"
    );
    let maps = dir.path().join("out/maps");
    assert!(!maps.join("passes.npy").exists() && maps.join("passes.tif").exists(), "{:?}", shown(&maps));
    let overview = shown(&maps.join("overview"));
    assert!(
        !maps.join("overview/passes.npy").exists() && maps.join("overview/passes.exr").exists(),
        "{overview:?}"
    );
    let told = good(&["export", &at("out"), "--window", "0,0,44,44", "--maps", "passes", "--formats", "npy"]);
    assert!(!told.contains("without npy") && dir.path().join("out/export/passes.npy").exists(), "{told}");
}
