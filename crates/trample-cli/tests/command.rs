//! The command as a user has it: the names of commands, flags, scenes and JSON fields are a contract.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn trample(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trample"))
        .env("TRAMPLE_RENDERER", "own")
        .args(arguments)
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a scene without pictures and reads its summary.
fn summary(folder: &Path, arguments: &[&str]) -> Value {
    let out = folder.to_str().expect("a plain path");
    let all = [&["run"], arguments, &["--out", out, "--json", "--maps", "none", "--no-pictures"]].concat();
    let output = trample(&all);
    assert!(output.status.success(), "{all:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn a_run_writes_every_file_that_is_promised() {
    let dir = folder();
    let out = dir.path().to_str().expect("plain path");
    let output = trample(&["run", "plate", "--out", out, "--set", "cell=0.02"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for name in ["height", "compression", "accumulation", "pressure_time", "material", "vegetation"] {
        for format in ["npy", "exr", "png", "json", "tif"] {
            let path = dir.path().join("maps").join(format!("{name}.{format}"));
            assert!(path.metadata().is_ok_and(|m| m.len() > 0), "{} is missing", path.display());
        }
        assert!(dir.path().join("pictures").join(format!("{name}.png")).exists(), "picture of {name}");
    }
    for name in ["summary.json", "preview.png", "profile.png", "report.html", "run.trample"] {
        assert!(dir.path().join(name).exists(), "{name} is missing");
    }
    let report = std::fs::read_to_string(dir.path().join("report.html")).expect("report");
    let outside = ["src=\"http", "href=\"http", "src=\"/", "@import", "url("];
    assert!(outside.iter().all(|o| !report.contains(o)), "the report is self-contained");
    let leftover = std::fs::read_dir(dir.path()).expect("folder").filter_map(Result::ok);
    assert!(
        leftover.into_iter().all(|f| !f.file_name().to_string_lossy().ends_with(".tmp")),
        "no temporary files"
    );
}

#[test]
fn the_summary_has_the_fields_of_the_contract() {
    let dir = folder();
    let s = summary(dir.path(), &["walk-mud", "--seed", "7"]);
    for field in [
        "/scene",
        "/seed",
        "/steps",
        "/sim_seconds",
        "/wall_seconds",
        "/realtime_factor",
        "/footsteps",
        "/volume/carved_m3",
        "/volume/displaced_m3",
        "/volume/accumulated_m3",
        "/volume/relative_error",
        "/depth_m/max",
        "/depth_m/mean_in_contact",
        "/bump_m/max",
        "/contact_area_m2/mean",
        "/pressure_pa/mean",
        "/pressure_pa/max",
        "/force_n/max",
        "/hash",
        "/stages/contact",
        "/stages/force",
        "/stages/soil",
        "/tiles",
        "/bytes",
    ] {
        assert!(s.pointer(field).is_some(), "{field} is missing");
    }
    assert_eq!(s["scene"], "walk-mud");
    assert_eq!(s["seed"], 7);
    // 5.2 m in steps of about 0.65 m, and the two feet it stood on.
    let footsteps = s["footsteps"].as_u64().expect("a number");
    assert!((9..=12).contains(&footsteps), "{footsteps}");
    let error = s["volume"]["relative_error"].as_f64().expect("a number");
    assert!(error <= 1e-6, "{error}");
}

#[test]
fn settings_act_and_threads_do_not_matter() {
    let dir = folder();
    let depth =
        |arguments: &[&str]| summary(dir.path(), arguments)["depth_m"]["max"].as_f64().expect("depth");
    let (light, heavy) =
        (depth(&["walk-soil", "--set", "mass=50"]), depth(&["walk-soil", "--set", "mass=100"]));
    assert!(light < heavy, "{light} {heavy}");
    // Walkers enough in grass enough for all six stages to be shared out over threads.
    let mut scene = String::from("duration = 0.8\n[terrain]\nsize = [4.0, 10.0]\nmaterial = \"dry-soil\"\n");
    scene.push_str("[[plants]]\nspecies = \"lawn-grass\"\ndensity = 300\n");
    for i in 0..18 {
        let z = 0.8 + 0.45 * f64::from(i);
        scene.push_str(&format!("[[walker]]\nwaypoints = [[1.0, {z}], [3.2, {z}]]\n"));
    }
    let file = dir.path().join("grass.toml");
    std::fs::write(&file, scene).expect("written");
    let file = file.to_str().expect("a plain path");
    let run = |threads: &str| summary(dir.path(), &[file, "--threads", threads]);
    let one = run("1");
    assert_eq!(one["splits"], 0);
    for threads in ["2", "8"] {
        let many = run(threads);
        let [splits, steps] = ["splits", "steps"].map(|key| many[key].as_u64().expect("a number"));
        assert!(
            splits > 5 * steps,
            "{threads} threads: {splits} splits in {steps} steps, of at most six each"
        );
        assert_eq!(many["hash"], one["hash"], "{threads} threads");
    }
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    for (arguments, expected) in [
        (&["run", "walk-snwo"][..], &["walk-snow", "trample scenes"][..]),
        (&["run", "plate", "--set", "cell=5"], &["--set cell=5", "0.0025 to 0.1 m"]),
        (&["run", "plate", "--set", "cel=5"], &["cell"]),
        (&["run", "plate", "--maps", "depth"], &["compression"]),
        (&["run", "plate", "--formats", "bmp"], &["npy"]),
        (&["replay", "no-such-file"], &["no-such-file"]),
    ] {
        let output = trample(arguments);
        assert!(!output.status.success(), "{arguments:?} should fail");
        let told = text(&output.stderr);
        assert!(expected.iter().all(|e| told.contains(e)), "{arguments:?}: {told}");
        assert!(!told.contains("panicked"), "{told}");
    }
}

#[test]
fn check_tells_good_files_from_bad_ones_with_line_and_field() {
    let dir = folder();
    let (good, bad) = (dir.path().join("good.toml"), dir.path().join("bad.toml"));
    let scene = trample(&["scenes", "walk-mud"]);
    std::fs::write(&good, &scene.stdout).expect("written");
    std::fs::write(&bad, "name = \"x\"\n[terrain]\nlaw = \"trail\"\ncell = 7\n").expect("written");
    let output = trample(&["check", good.to_str().expect("path")]);
    assert!(output.status.success() && text(&output.stdout).contains("ok:"), "{}", text(&output.stdout));
    let output = trample(&["check", good.to_str().expect("path"), bad.to_str().expect("path")]);
    assert!(!output.status.success());
    let told = text(&output.stdout);
    assert!(
        told.contains("bad.toml:4") && told.contains("terrain.cell") && told.contains("0.0025 to 0.1 m"),
        "{told}"
    );
}

#[test]
fn presets_and_scenes_list_what_there_is() {
    let presets: Value = serde_json::from_slice(&trample(&["presets", "--json"]).stdout).expect("JSON");
    let snow = &presets["materials"]["snow"]["youngs_modulus"];
    assert_eq!(snow["published"]["min"], 250_000.0);
    assert!(presets["bekker_soils"].as_object().is_some_and(|soils| soils.len() == 24));
    let listed = text(&trample(&["scenes"]).stdout);
    for name in [
        "plate",
        "sphere-drop",
        "walk-snow",
        "walk-dry-sand",
        "walk-mud",
        "walk-soil",
        "dune-up",
        "dune-down",
        "dune-side",
        "masses",
        "feet",
        "fifty-passes",
        "snow-meets-sand",
        "kilometre",
    ] {
        assert!(listed.contains(name), "{name} is not listed");
    }
}

#[test]
fn replay_agrees_with_itself_and_names_where_another_run_differs() {
    let dir = folder();
    summary(dir.path(), &["walk-soil", "--set", "cell=0.02"]);
    let file = dir.path().join("run.trample");
    let output = trample(&["replay", file.to_str().expect("path")]);
    assert!(
        output.status.success() && text(&output.stdout).contains("identical"),
        "{}",
        text(&output.stdout)
    );
    // The same recording with one digest of another run, then against a heavier walker.
    let mut run = trample_files::RunFile::load(&file).expect("run file");
    run.recording.digests[41] ^= 1;
    run.save(&file).expect("saved");
    let output = trample(&["replay", file.to_str().expect("path")]);
    assert!(!output.status.success());
    assert!(text(&output.stdout).contains("DIVERGED at step 42 "), "{}", text(&output.stdout));
    run.source.settings.push("mass=77.501".into());
    run.save(&file).expect("saved");
    let output = trample(&["replay", file.to_str().expect("path")]);
    assert!(text(&output.stdout).contains("DIVERGED at step 1 "), "{}", text(&output.stdout));
    // A flipped bit is damage, not divergence.
    let mut bytes = std::fs::read(&file).expect("bytes");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("written");
    let output = trample(&["replay", file.to_str().expect("path")]);
    assert!(!output.status.success() && text(&output.stderr).contains("damaged"), "{}", text(&output.stderr));
}

/// Kills a run at many moments and resumes it; every end is the same.
#[test]
fn a_run_killed_at_any_moment_resumes_to_the_same_hash() {
    let whole = folder();
    let arguments = ["fifty-passes", "--set", "passes=24", "--set", "cell=0.01"];
    let expected = summary(whole.path(), &arguments);
    for (round, delay) in [3u64, 20, 60, 120, 250].into_iter().enumerate() {
        let dir = folder();
        let out = dir.path().to_str().expect("plain path").to_string();
        let mut killed = 0;
        // Kill it until it has got somewhere; the first kill may come before the first checkpoint.
        for _ in 0..3 {
            let mut child = Command::new(env!("CARGO_BIN_EXE_trample"))
                .env("TRAMPLE_RENDERER", "own")
                .args(["run"])
                .args(arguments)
                .args([
                    "--out",
                    &out,
                    "--json",
                    "--maps",
                    "none",
                    "--no-pictures",
                    "--resume",
                    "--checkpoint",
                    "0.01",
                ])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .expect("the command starts");
            std::thread::sleep(std::time::Duration::from_millis(delay));
            if child.try_wait().expect("state").is_none() {
                child.kill().expect("killed");
                killed += 1;
            }
            child.wait().expect("ended");
        }
        let end = summary(dir.path(), &[&arguments[..], &["--resume"]].concat());
        assert_eq!(end["hash"], expected["hash"], "round {round}, killed {killed} times after {delay} ms");
        for field in ["footsteps", "depth_m", "volume", "contact_area_m2", "pressure_pa", "force_n", "steps"]
        {
            assert_eq!(end[field], expected[field], "{field} in round {round}");
        }
    }
}

#[test]
fn a_run_of_another_scene_is_not_resumed() {
    let dir = folder();
    summary(dir.path(), &["plate"]);
    let out = dir.path().to_str().expect("plain path");
    let output = trample(&["run", "plate", "--set", "mass=60", "--out", out, "--resume", "--no-pictures"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("mass=60") && text(&output.stderr).contains("--resume"));
}

/// A DEM as an ecologist has it: an ASCII grid, walked over, written back as a GeoTIFF.
#[test]
fn a_height_map_can_be_walked_on() {
    let dir = folder();
    let mut grid =
        String::from("ncols 12\nnrows 8\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n");
    for row in 0..8 {
        let heights: Vec<String> =
            (0..12).map(|c| format!("{:.2}", 900.0 + 0.1 * f64::from(c) + 0.05 * f64::from(row))).collect();
        grid.push_str(&(heights.join(" ") + "\n"));
    }
    std::fs::write(dir.path().join("dem.asc"), grid).expect("written");
    let scene = "name = \"dem\"\n[terrain]\nmaterial = \"mud\"\n[terrain.base]\nfile = \"dem.asc\"\n\
                 [terrain.place]\nepsg = 32632\ncorner = [500000.0, 5100000.0]\n\
                 [[puppet]]\nwaypoints = [[2.0, 3.0], [6.0, 3.5]]\n";
    let path: PathBuf = dir.path().join("dem.toml");
    std::fs::write(&path, scene).expect("written");
    let out = dir.path().join("out");
    let output = trample(&[
        "run",
        path.to_str().expect("path"),
        "--out",
        out.to_str().expect("path"),
        "--maps",
        "height",
        "--formats",
        "tif,npy",
        "--no-pictures",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = trample(&["check", out.join("maps/height.tif").to_str().expect("path")]);
    let told = text(&output.stdout);
    assert!(told.contains("EPSG:32632"), "{told}");
}

#[test]
fn walks_and_runs_reach_the_speed_they_are_asked_for() {
    let dir = folder();
    let out = dir.path().to_str().expect("plain path");
    // By default, with steps that differ; and where little way is left between setting off and stopping.
    for (speed, gait, more) in [
        ("2.6", "run", vec![]),
        ("4.5", "run", vec![]),
        ("2.1", "walk", vec![]),
        ("3.8", "run", vec!["--length", "12"]),
    ] {
        let mut words = vec!["walk", "--speed", speed, "--cell", "0.04", "--json", "--out", out];
        words.extend(&more);
        let output = trample(&words);
        let figures: Value = serde_json::from_slice(&output.stdout).expect("figures");
        let (asked, got) = (speed.parse::<f64>().expect("a speed"), figures["speed_m_per_s"].as_f64());
        let off = got.expect("a speed") / asked - 1.0;
        assert!(off.abs() < 0.03, "{speed} m/s {more:?}: off by {off}");
        assert_eq!(figures["gait"], gait, "{speed} m/s");
    }
}

#[test]
fn a_body_walks_and_leaves_pictures_and_figures() {
    let dir = folder();
    let out = dir.path().to_str().expect("plain path");
    let output = trample(&["walk", "--out", out, "--length", "6", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let figures: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let number = |name: &str| figures[name].as_f64().unwrap_or_else(|| panic!("{name} is missing"));
    assert!((number("stride_period_s") - 1.1).abs() < 0.15, "{figures}");
    assert!(number("straightest_knee_deg") > 2.0, "{figures}");
    for name in ["filmstrip.png", "angles.png", "force.png", "centre.png", "feet.png", "walk.json"] {
        assert!(dir.path().join(name).exists(), "{name} is missing");
    }
    let film = std::fs::read(dir.path().join("filmstrip.png")).expect("the filmstrip");
    for (option, value) in [("--view", "skeleton"), ("--body", "heavy")] {
        let output = trample(&["walk", "--out", out, "--length", "6", option, value]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let other = std::fs::read(dir.path().join("filmstrip.png")).expect("the filmstrip");
        assert_ne!(film, other, "{option} {value} looks different");
    }
    let output = trample(&["walk", "--body", "giant", "--out", out]);
    assert!(!output.status.success() && text(&output.stderr).contains("stocky"), "{}", text(&output.stderr));
}

#[test]
fn a_scene_with_a_walker_runs_and_resumes() {
    let dir = folder();
    let scene = "name = \"w\"\nduration = 4\n[terrain]\nmaterial = \"mud\"\nsize = [8, 3]\ncell = 0.02\n\
                 [[walker]]\nbody = \"tall\"\nwaypoints = [[1.0, 1.5], [7.0, 1.5]]\n";
    let path = dir.path().join("w.toml");
    std::fs::write(&path, scene).expect("written");
    let s = summary(&dir.path().join("out"), &[path.to_str().expect("path")]);
    assert!(s["footsteps"].as_u64().is_some_and(|n| n > 4), "{s}");
    assert!(s["volume"]["relative_error"].as_f64().is_some_and(|e| e < 1e-6), "{s}");
    let again = summary(&dir.path().join("out"), &[path.to_str().expect("path"), "--resume"]);
    assert_eq!(s["hash"], again["hash"]);
    let output = trample(&["replay", dir.path().join("out").to_str().expect("path")]);
    assert!(output.status.success(), "{}", text(&output.stdout));
}

/// The JSON part of a binary glTF file.
fn gltf_json(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a file");
    assert_eq!(&bytes[..4], b"glTF");
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!(word(8), bytes.len(), "as long as it says");
    serde_json::from_slice(&bytes[20..20 + word(12)]).expect("JSON")
}

#[test]
fn a_compared_walk_is_measured_with_balance_and_becomes_gltf() {
    let dir = folder();
    let (out, glb) = (dir.path().join("out"), dir.path().join("new/walk.glb"));
    let (out, path) = (out.to_str().expect("path"), glb.to_str().expect("path"));
    let walk = ["walk", "--length", "5", "--slope", "12", "--json", "--out", out];
    let figures = |more: &[&str]| -> Value {
        let output = trample(&[&walk[..], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let both = figures(&["--compare", "--gltf", path]);
    assert_eq!(both, figures(&[]), "the walk that is measured has balance");
    assert_ne!(both["lean_deg"], figures(&["--no-balance"])["lean_deg"]);
    let told = gltf_json(&glb);
    assert_eq!(told["skins"][0]["joints"].as_array().map(Vec::len), Some(19), "{}", told["skins"]);
    // Nineteen joints turn and the pelvis goes; the prints come and go.
    let channels = told["animations"][0]["channels"].as_array().expect("channels");
    assert_eq!(channels.iter().filter(|c| c["target"]["path"] != "scale").count(), 20);
    let output = trample(&["walk", "--compare", "--no-balance", "--out", out]);
    assert!(!output.status.success(), "one cannot have both");
}

#[test]
fn scenes_become_gltf_with_walkers_or_without() {
    let dir = folder();
    let scene = "name = \"two\"\nduration = 3\n[terrain]\nmaterial = \"mud\"\nsize = [8, 4]\ncell = 0.02\n\
                 [[walker]]\nwaypoints = [[1.0, 1.5], [7.0, 1.5]]\n\
                 [[walker]]\nwaypoints = [[1.0, 2.5], [7.0, 2.5]]\n";
    let path = dir.path().join("two.toml");
    std::fs::write(&path, scene).expect("written");
    let glb = dir.path().join("two.glb");
    let save = glb.to_str().expect("path");
    summary(&dir.path().join("out"), &[path.to_str().expect("path"), "--gltf", save]);
    let told = gltf_json(&glb);
    let count = |name: &str| told[name].as_array().map_or(0, Vec::len);
    // Two people, who differ: two skins, a mesh each beside the ground's, and the prints, which come and go.
    let prints = |told: &Value| {
        let meshes = told["meshes"].as_array().into_iter().flatten();
        meshes.filter(|m| m["name"].as_str().is_some_and(|n| n.starts_with("print "))).count()
    };
    let others = count("meshes") - prints(&told);
    assert_eq!((count("skins"), others, count("animations")), (2, 3, 1));
    let worn: Vec<Vec<&Value>> = told["meshes"]
        .as_array()
        .expect("meshes")
        .iter()
        .filter(|m| m["name"] == "body")
        .map(|m| m["primitives"].as_array().expect("primitives").iter().map(|p| &p["material"]).collect())
        .collect();
    assert!(worn.len() == 2 && worn[0] != worn[1], "both wear the same: {worn:?}");
    assert!(prints(&told) > 20, "{}", prints(&told));
    summary(&dir.path().join("plate"), &["plate", "--gltf", save]);
    let told = gltf_json(&glb);
    assert_eq!(told["meshes"][0]["name"], "ground");
    assert!(told.get("skins").is_none() && prints(&told) > 1);
    let channels = told["animations"][0]["channels"].as_array().expect("prints come and go");
    assert!(channels.iter().all(|c| c["target"]["path"] == "scale"));
}
