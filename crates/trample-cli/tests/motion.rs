//! `trample motion` and `trample check` on characters: the names of flags and JSON fields are a contract.

use serde_json::Value;
use std::process::{Command, Output};
use trample::body::Ground;
use trample::clips::{Clip, Kind};
use trample::gait::{Gait, Rig, Style, Track};
use trample::params::Body;
use trample_files::character::write_bvh;

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

/// A walk of our own as a file.
fn walk() -> String {
    let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
    let clip = Clip::sample(Kind::Walk, &Gait::new(&rig, Track::straight(1.3), 6.0), 6.0, 120.0);
    write_bvh(&clip, &rig.skeleton)
}

#[test]
fn a_motion_is_measured_and_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("walk.bvh");
    std::fs::write(&file, walk()).expect("writes");
    let out = folder.path().join("out");
    let (file, folder) = (file.to_str().expect("plain"), out.to_str().expect("plain"));
    let output = trample(&["motion", file, "--json", "--out", folder, "--mass", "70"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let figures: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    for field in [
        "/kind",
        "/convention",
        "/sure",
        "/unit",
        "/up",
        "/body/height_m",
        "/body/mass_kg",
        "/parts/left_ankle/joint",
        "/parts/left_ankle/sure",
        "/takes/0/frame_rate_hz",
        "/takes/0/duration_s",
        "/takes/0/speed_m_s",
        "/takes/0/contacts/left",
        "/takes/0/stride_length_m",
        "/takes/0/stride_period_s",
        "/takes/0/skate_cm_s/before",
        "/takes/0/skate_cm_s/after",
        "/takes/0/cleaning_deg",
        "/takes/0/peak_foot_force_body_weights",
    ] {
        assert!(figures.pointer(field).is_some(), "{field} is missing");
    }
    let number = |at: &str| figures.pointer(at).and_then(Value::as_f64).unwrap_or(f64::NAN);
    assert_eq!(number("/takes/0/frame_rate_hz"), 120.0);
    assert_eq!(number("/body/mass_kg"), 70.0);
    assert!((number("/takes/0/speed_m_s") - 1.3).abs() < 0.03);
    assert!(number("/takes/0/skate_cm_s/after") <= 0.1);
    assert!((number("/takes/0/mean_force_body_weights") - 1.0).abs() < 0.05);
    assert!((1.0..1.4).contains(&number("/takes/0/peak_foot_force_body_weights")));
    for name in ["force.png", "feet.png", "knees.png", "contacts.png", "motion.json", "clean.bvh"] {
        assert!(out.join(name).exists(), "{name} is missing");
    }
    // What was written can be read again.
    let output = trample(&["check", out.join("clean.bvh").to_str().expect("plain")]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("left_ankle"), "{}", text(&output.stdout));
}

#[test]
fn check_says_what_was_recognised_and_how_sure_that_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("walk.bvh");
    std::fs::write(&file, walk()).expect("writes");
    let output = trample(&["check", file.to_str().expect("plain")]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}");
    for word in
        ["ok: ", "BVH", "19 joints", "centimetres, y up", "120 Hz", "`LeftFoot` by name (95 %)", "not found"]
    {
        assert!(said.contains(word), "{word} is missing: {said}");
    }
    std::fs::write(&file, "HIERARCHY\nROOT a\n{").expect("writes");
    let output = trample(&["check", file.to_str().expect("plain")]);
    assert!(!output.status.success());
    assert!(
        text(&output.stdout).contains("walk.bvh:3: found the end of the file"),
        "{}",
        text(&output.stdout)
    );
    let output = trample(&["motion", "no-such-file.bvh"]);
    assert!(!output.status.success() && text(&output.stderr).contains("no-such-file.bvh"));
}

#[test]
fn generated_clips_are_exported_and_every_one_can_be_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("clips");
    let output = trample(&["motion", "--export", out.to_str().expect("plain"), "--body", "child", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let all: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let clips = all["clips"].as_array().expect("clips");
    let names: Vec<&str> = clips.iter().filter_map(|c| c["name"].as_str()).collect();
    for kind in
        ["walk-", "run-", "jump", "idle", "turn-in-place", "turn-about-", "start-", "stop-", "backward-"]
    {
        assert!(names.iter().any(|n| n.starts_with(kind)), "{kind} is missing: {names:?}");
    }
    let files = std::fs::read_dir(&out).expect("a folder").count();
    assert_eq!(files, 2 * names.len() + 1, "no name is there twice");
    let some: Vec<String> = names
        .iter()
        .step_by(20)
        .flat_map(|n| ["bvh", "glb"].map(|e| out.join(format!("{n}.{e}")).display().to_string()))
        .collect();
    let mut arguments = vec!["check"];
    arguments.extend(some.iter().map(String::as_str));
    let output = trample(&arguments);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let output = trample(&["motion", "--export", "x", "--body", "giant"]);
    assert!(!output.status.success() && text(&output.stderr).contains("allowed: default, child"));
    assert!(!trample(&["motion"]).status.success(), "a file or a folder is needed");
}

#[test]
fn a_run_with_its_own_motion_is_replayed_exported_and_not_resumed_with_another() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("walk.bvh"), walk()).expect("writes");
    let scene = folder.path().join("scene.toml");
    let words = "duration = 1.5\n[terrain]\ncell = 0.04\n[[walker]]\ncharacter = \"walk.bvh\"\nmotion = [\"walk.bvh\"]\nwaypoints = [[1, 1], [5, 1]]\n";
    std::fs::write(&scene, words).expect("writes");
    let (out, glb) = (folder.path().join("out"), folder.path().join("out.glb"));
    let plain = |p: &std::path::Path| p.to_str().expect("plain").to_string();
    let run =
        ["run", &plain(&scene), "--out", &plain(&out), "--maps", "none", "--no-pictures"].map(String::from);
    let again = |more: &[&str]| {
        trample(&run.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>())
    };
    let output = again(&["--gltf", &plain(&glb)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(glb.exists());
    let output = trample(&["replay", &plain(&out)]);
    assert!(
        output.status.success() && text(&output.stdout).contains("identical"),
        "{}",
        text(&output.stdout)
    );
    assert!(again(&["--resume"]).status.success());
    // The same scene with another recording is another run.
    let other = walk().replacen("Frame Time: 0.008", "Frame Time: 0.009", 1);
    assert_ne!(other, walk());
    std::fs::write(folder.path().join("walk.bvh"), other).expect("writes");
    let output = again(&["--resume"]);
    assert!(
        !output.status.success() && text(&output.stderr).contains("has changed"),
        "{}",
        text(&output.stderr)
    );
}
