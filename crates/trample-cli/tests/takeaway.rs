//! Stamps, sequences, moving ground, provenance and what a system needs: results for other programs.

mod common;

use common::{good, json, map, trample};
use serde_json::Value;
use std::path::Path;

#[test]
fn stamps_hold_prints_and_repeat_without_a_seam() {
    let dir = tempfile::tempdir().expect("folder");
    let out = dir.path().to_str().expect("plain");
    good(&[
        "stamp",
        "--footwear",
        "boot",
        "--material",
        "mud",
        "--px",
        "48",
        "--variants",
        "1",
        "--out",
        out,
    ]);
    let index = json(&dir.path().join("stamps.json"));
    let names: Vec<&str> =
        index["stamps"].as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["right_0", "left_0", "pair_0"]);
    for name in names {
        let grid = map(&dir.path().join(format!("{name}_height.exr")));
        assert_eq!((grid.width, grid.height), (48, 48));
        assert!(grid.data.iter().any(|&h| h < -0.005), "{name} has a print");
        for i in 0..48 {
            let edge = [grid.data[i], grid.data[47 * 48 + i], grid.data[48 * i], grid.data[48 * i + 47]];
            assert!(edge.iter().all(|h| h.abs() < 1e-6), "{name}: {edge:?}");
        }
        for what in ["height.png", "normal.png", "mask.png"] {
            assert!(dir.path().join(format!("{name}_{what}")).exists());
        }
    }
}

#[test]
fn a_folder_of_stamps_shows_one_result() {
    let dir = tempfile::tempdir().expect("folder");
    let out = dir.path().join("prints");
    let stamp = |variants: &str, material: &str| {
        let folder = out.to_str().expect("plain");
        trample(&["stamp", "--px", "16", "--variants", variants, "--material", material, "--out", folder])
    };
    assert!(stamp("2", "mud").status.success());
    assert!(out.join("left_1_height.png").exists());
    let said = stamp("1", "snow");
    let told = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.status.success() && told.contains(&format!("are in {}", out.display())), "{told}");
    assert!(!out.join("left_1_height.png").exists() && out.join("manifest.json").exists());
    // A name that a terminal would obey is a name all the same, and no such ground.
    let output = stamp("1", "\u{1b}[5m");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("material") && !told.contains("TOML"), "{told}");
    assert!(out.join("manifest.json").exists(), "what was there stays");
}

#[test]
fn a_run_that_was_finished_before_is_not_said_to_be_simulated_in_no_time() {
    let dir = tempfile::tempdir().expect("folder");
    let out = dir.path().join("o");
    let run = ["run", "plate", "--maps", "none", "--out", out.to_str().expect("plain")];
    assert!(good(&run).contains("simulated in"));
    let told = good(&[&run[..], &["--resume", "--series"]].concat());
    assert!(!told.contains("simulated in") && told.contains("joints.csv"), "{told}");
    let page = std::fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("s simulated.") && !page.contains("× real time"), "no speed of nothing");
    assert!(page.contains("mm below where it was"), "both depths are named");
}

#[test]
fn check_knows_folders_tables_and_puppets_that_nobody_moves() {
    let dir = tempfile::tempdir().expect("folder");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let files = [
        ("h.toml", "[[puppet]]\nmotion = \"host\"\n", "warning", "a program that uses the library moves it"),
        ("c.csv", "passes,cover\n25,86\n75,70\n", "ok", "2 numbers of passes up to 75"),
        ("v.csv", "date,count\n2026-04-01,3\n", "ok", "numbers by day"),
    ];
    for (name, text, word, expected) in files {
        std::fs::write(dir.path().join(name), text).expect("written");
        let told = good(&["check", &at(name)]);
        assert!(told.contains(word) && told.contains(expected), "{told}");
    }
    std::fs::write(dir.path().join("bad.csv"), "passes,cover\n0,40\n25,86\n").expect("written");
    let output = trample(&["check", &at("bad.csv")]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("after 0 passes"), "{output:?}");
    good(&["run", "plate", "--no-pictures", "--maps", "none", "--out", &at("o")]);
    let told = good(&["check", &at("o")]);
    assert!(told.contains("run of `plate`") && told.contains("finished"), "{told}");
}

#[test]
fn a_result_says_where_it_comes_from() {
    let dir = tempfile::tempdir().expect("folder");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let run = |scene: &str, more: &[&str], out: &str| {
        let folder = at(out);
        let all = [&["run", scene, "--no-pictures", "--maps", "none", "--out", &folder], more].concat();
        (good(&all), json(&dir.path().join(out).join("summary.json")))
    };
    let (said, set) = run("plate", &["--set", "mass=60"], "a");
    assert!(!said.contains("maps,"), "no maps are promised: {said}");
    assert!(set["version"].as_str().is_some_and(|v| v.starts_with(env!("CARGO_PKG_VERSION"))), "{set}");
    assert!(
        set["command"]
            .as_str()
            .is_some_and(|c| c.starts_with("trample run plate") && c.contains("--set mass=60"))
    );
    let (_, again) = run(&at("a/scene.toml"), &[], "b");
    assert_eq!(set["scene_hash"], again["scene_hash"]);
    assert_eq!(set["hash"], again["hash"], "the scene in the folder is the one that was run");
    let (_, other) = run("plate", &[], "c");
    assert_ne!(set["scene_hash"], other["scene_hash"]);
}

#[test]
fn frames_are_numbered_and_end_as_the_maps_do() {
    let dir = tempfile::tempdir().expect("folder");
    let out = dir.path().to_str().expect("plain");
    let arguments =
        ["run", "plate", "--every", "0.25", "--maps", "compression", "--formats", "npy,png", "--no-pictures"];
    let told = good(&[&arguments[..], &["--out", out]].concat());
    let frames = dir.path().join("frames");
    assert!(told.contains(&format!("are in {}", frames.display())) && !told.contains(".running"), "{told}");
    assert!(told.lines().any(|l| l.contains("maps, frames, summary.json and run.trample are in")), "{told}");
    let index = json(&frames.join("frames.json"));
    let count = index["frames"].as_u64().expect("a number") as usize;
    assert!(count > 3 && index["times_s"].as_array().is_some_and(|t| t.len() == count), "{index}");
    let sum = |path: &Path| map(path).data.iter().map(|&v| f64::from(v)).sum::<f64>();
    assert_eq!(sum(&frames.join("compression_0000.npy")), 0.0, "it begins before anybody came");
    let last = sum(&frames.join(format!("compression_{:04}.npy", count - 1)));
    let end = sum(&dir.path().join("maps/compression.npy"));
    assert!((last / end - 1.0).abs() < 0.01, "{last} {end}");
    let range = |n: usize| json(&frames.join(format!("compression_{n:04}.json")))["max"].clone();
    assert_eq!(range(0), range(count - 1), "all frames have one range");
    // What cannot be is refused before anything is run or made.
    let (none, long) = (dir.path().join("none"), "duration=100000");
    for every in ["0", "nan", "-1", "inf", "0.5"] {
        let every = format!("--every={every}");
        let output =
            trample(&["run", "plate", "--set", long, &every, "--out", none.to_str().expect("plain")]);
        assert!(!output.status.success() && !none.exists(), "{every}: {output:?}");
    }
}

#[test]
fn prints_appear_under_the_feet() {
    let dir = tempfile::tempdir().expect("folder");
    let scene = "name = \"w\"\nduration = 3\n[terrain]\nmaterial = \"mud\"\nsize = [5, 2]\ncell = 0.02\n\
                 [[walker]]\nwaypoints = [[1.0, 1.0], [4.5, 1.0]]\n";
    std::fs::write(dir.path().join("w.toml"), scene).expect("written");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let run = |file: &str| {
        let told = good(&[
            "run",
            &at("w.toml"),
            "--out",
            &at("o"),
            "--maps",
            "none",
            "--no-pictures",
            "--gltf",
            &at(file),
        ]);
        assert!(told.contains(&format!("the animated scene is {}", at(file))), "{told}");
        std::fs::read(dir.path().join(file)).expect("a file")
    };
    let glb = run("w.glb");
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four bytes")) as usize;
    let root: Value = serde_json::from_slice(&glb[20..20 + length]).expect("JSON");
    let binary = &glb[28 + length..];
    let nodes = root["nodes"].as_array().expect("nodes");
    let accessor = |n: &Value| {
        let accessor = &root["accessors"][n.as_u64().expect("a number") as usize];
        let view = &root["bufferViews"][accessor["bufferView"].as_u64().expect("a view") as usize];
        let first = view["byteOffset"].as_u64().expect("an offset") as usize;
        let bytes = &binary[first..first + view["byteLength"].as_u64().expect("a length") as usize];
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four"))).collect::<Vec<f32>>()
    };
    // Pieces that come later than the start lie where the walker is then, not ahead of it.
    let animation = &root["animations"][0];
    let mut seen = 0;
    let pelvis = nodes.iter().position(|n| n["name"] == "walker 0").expect("the walker");
    let channel = |node: usize, path: &str| {
        let all = animation["channels"].as_array().expect("channels");
        let one = all.iter().find(|c| c["target"]["node"] == node && c["target"]["path"] == path)?;
        let sampler = &animation["samplers"][one["sampler"].as_u64()? as usize];
        Some((accessor(&sampler["input"]), accessor(&sampler["output"]), sampler["interpolation"].clone()))
    };
    let (times, places, _) = channel(pelvis, "translation").expect("it walks");
    for (n, node) in
        nodes.iter().enumerate().filter(|(_, n)| n["name"].as_str().is_some_and(|s| s.starts_with("print ")))
    {
        let Some((keys, scales, how)) = channel(n, "scale") else { continue };
        assert_eq!(how, "STEP");
        assert!(keys.windows(2).all(|w| w[0] < w[1]), "{keys:?}");
        if scales[0] == 0.0 {
            let mesh = &root["meshes"][node["mesh"].as_u64().expect("a mesh") as usize]["primitives"][0];
            let points = accessor(&mesh["attributes"]["POSITION"]);
            let middle = points.iter().step_by(3).sum::<f32>() / (points.len() / 3) as f32;
            let moment = times.partition_point(|&t| t < keys[1]).min(times.len() - 1);
            assert!(
                middle < places[3 * moment] + 1.1,
                "a piece at {middle} m when the walker is at {} m",
                places[3 * moment]
            );
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen} pieces come later");
    let usda = String::from_utf8(run("w.usda")).expect("text");
    assert!(
        usda.starts_with("#usda 1.0")
            && usda.contains("visibility.timeSamples")
            && usda.contains("SkelAnimation")
    );
    // Programs that read no visibility over time hide pieces by their size; the one that comes last stays.
    let count = |what: &str| usda.matches(what).count();
    let pieces = count("def Mesh \"piece_");
    assert!(pieces > 10 && count("xformOp:scale.timeSamples") == pieces && count("xformOpOrder") == pieces);
    let last = count("float3 xformOp:scale = (1, 1, 1)");
    assert!(
        last > 0 && last < pieces && last == count("token visibility = \"inherited\""),
        "{last} of {pieces}"
    );
    let output = trample(&["run", "plate", "--gltf", &at("w.usd"), "--out", &at("o")]);
    assert!(
        !output.status.success() && String::from_utf8_lossy(&output.stderr).contains(".usda"),
        "{output:?}"
    );
}

#[test]
fn the_command_sits_in_a_system() {
    let version = good(&["--version"]);
    assert!(version.starts_with(&format!("trample {}", env!("CARGO_PKG_VERSION"))), "{version}");
    assert!(good(&["completions", "bash"]).contains("_trample"));
    assert!(good(&["man"]).contains(".TH trample 1"));
    let told = good(&["doctor"]);
    assert!(told.contains("Vulkan") && told.contains("trample-play"), "{told}");
    assert!(!told.contains("by itself"), "{told}");
}

#[test]
fn a_puppet_that_nobody_moves_is_told() {
    let dir = tempfile::tempdir().expect("folder");
    std::fs::write(dir.path().join("h.toml"), "[[puppet]]\nmotion = \"host\"\n").expect("written");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let said = good(&["run", &at("h.toml"), "--no-pictures", "--maps", "none", "--out", &at("o")]);
    assert!(said.contains("WARNING") && said.contains("host"), "{said}");
}
