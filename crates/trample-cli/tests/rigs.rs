//! Real rigs and recordings, where they lie beside the workspace: everyone is read, plays its own motion at its own speed, covers its
//! route on its hips, and stands on the ground. Prints a table of what it found; without the files it says so.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files that hold no motion at all: generated motion fills in, and says so.
const STILL: [&str; 2] = ["ManCasual", "WomanCasual"];
/// Files that go nowhere: played in place.
const IN_PLACE: [&str; 3] = ["16_01", "BrainStem", "RiggedFigure"];

fn files() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rigs");
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = folders
        .filter_map(|folder| std::fs::read_dir(folder.path()).ok())
        .flat_map(|files| files.flatten().map(|f| f.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "bvh" || e == "glb"))
        .collect();
    all.sort();
    all
}

fn trample(arguments: &[&str]) -> (bool, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_trample"))
        .env("TRAMPLE_RENDERER", "own")
        .args(arguments)
        .output()
        .expect("runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (run.status.success(), text(&run.stdout), text(&run.stderr))
}

fn walked(file: &Path, folder: &Path) -> (Value, String) {
    let scene = folder.join("scene.toml");
    let file = file.canonicalize().expect("there");
    let text = format!(
        "[terrain]\nlaw = \"trail\"\ncell = 0.04\nsize = [12, 4]\n[[material]]\nname = \"firm\"\npreset = \"soil\"\nyoungs_modulus = 1e9\nlayer = 0.01\n[[walker]]\ncharacter = {file:?}\nmotion = [{file:?}]\nspeed = \"own\"\nstep_variation = 0\nwaypoints = [[1.5, 2], [10, 2]]\n"
    );
    std::fs::write(&scene, text).expect("writes");
    let out = folder.join("out");
    let (good, json, told) = trample(&[
        "run",
        &scene.to_string_lossy(),
        "--out",
        &out.to_string_lossy(),
        "--json",
        "--no-pictures",
        "--maps",
        "none",
    ]);
    assert!(good, "{}: {told}", file.display());
    (serde_json::from_str(&json).expect("an object"), told)
}

/// How far the lowest skin of standing feet is from their prints on dry soil, m: median, and in 99 of 100 moments; none without a skin of
/// a body on two legs.
fn skin_gap(file: &Path, folder: &Path) -> Option<[f64; 2]> {
    let file = file.canonicalize().expect("there");
    let (file, out) = (file.to_string_lossy(), folder.join("walk"));
    let out = out.to_string_lossy();
    let all = [
        "walk",
        "--character",
        &file,
        "--length",
        "4",
        "--cell",
        "0.04",
        "--material",
        "dry-soil",
        "--json",
        "--out",
        &out,
    ];
    let (_, json, told) = trample(&all);
    let figures: Value = serde_json::from_str(&json).unwrap_or_else(|e| panic!("{file}: {e}: {told}"));
    let gap = &figures["skin_gap_m"];
    Some([gap["median"].as_f64()?, gap["p99"].as_f64()?])
}

#[test]
fn every_rig_plays_its_own_motion_on_its_feet() {
    let files = files();
    let mut out = std::io::stderr();
    if files.is_empty() {
        let _ = writeln!(out, "SKIPPED: no rigs beside the workspace: nothing is checked");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (mut all, mut plays, mut stands) = (0, 0, 0);
    for file in files {
        let name = file.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
        let (read, found, _) = trample(&["check", &file.to_string_lossy()]);
        let (summary, told) = walked(&file, folder.path());
        let walker = &summary["puppets"][0];
        let number = |at: &str| walker.pointer(at).and_then(Value::as_f64);
        let _ = writeln!(
            out,
            "{name:<18} read {read} share {:?} hips {:?} to {:?} route {:?} footsteps {}",
            number("/recorded_share"),
            number("/hips/min"),
            number("/hips/max"),
            number("/route_share"),
            walker["footsteps"]
        );
        assert!(read && found.contains("a map file to edit"), "{name}: {found}");
        all += 1;
        plays += usize::from(number("/recorded_share").is_some_and(|share| share >= 0.9));
        if let Some([usual, most]) = skin_gap(&file, folder.path()) {
            let [mm, at_most] = [usual, most].map(|gap| 1e3 * gap);
            let _ = writeln!(
                out,
                "{:<18} skin of standing feet {mm:.1} mm from their prints, {at_most:.0} mm at most",
                ""
            );
            // Where a stance begins and ends feet that are not shaped as ours are farther off.
            assert!(usual < 0.01, "{name}: {usual} m");
            stands += 1;
        }
        let share = number("/recorded_share").expect("a share");
        if STILL.contains(&name.as_str()) {
            assert!(share == 0.0 && told.contains("no motion"), "{name}: {told}");
            continue;
        }
        assert!(share >= 0.9, "{name}: {share}");
        if IN_PLACE.contains(&name.as_str()) {
            assert!(told.contains("not locomotion: played in place"), "{name}: {told}");
            continue;
        }
        // Animals have no hips of ours; their strides carry them all the way.
        if let Some(covered) = number("/route_share") {
            assert!(covered > 0.99, "{name}: {covered}");
            let (low, high) = (number("/hips/min").unwrap_or(0.0), number("/hips/max").unwrap_or(9.0));
            assert!(low > 0.6 && high < 1.2, "{name}: hips from {low} to {high}");
        }
        // The largest animal goes 4.6 m in a stride, which is one footfall of each foot, on a way of 8.5 m.
        assert!(walker["footsteps"].as_u64() > Some(3), "{name}: {walker}");
    }
    let _ = writeln!(
        out,
        "{all} read, {plays} play their own motion, {stands} with a skin stand on their prints"
    );
}
