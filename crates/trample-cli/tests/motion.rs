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

/// A stick figure that does not tell which way it looks.
fn stick() -> String {
    let limb = |name: &str, side: f64, ways: [[f64; 2]; 4]| {
        let joints = (0..3).map(|i| {
            let [x, y] = ways[i];
            format!("JOINT {name}{i} {{ OFFSET {} {y} 0 CHANNELS 3 Zrotation Xrotation Yrotation\n", side * x)
        });
        let [x, y] = ways[3];
        format!("{}End Site {{ OFFSET {} {y} 0 }}\n}} }} }}\n", joints.collect::<String>(), side * x)
    };
    let leg = [[10.0, 0.0], [0.0, -45.0], [0.0, -42.0], [0.0, -8.0]];
    let arm = [[18.0, 0.0], [28.0, 0.0], [25.0, 0.0], [8.0, 0.0]];
    let limbs = [limb("a", 1.0, leg), limb("b", -1.0, leg), limb("c", 1.0, arm), limb("d", -1.0, arm)];
    let [a, b, c, d] = limbs;
    let row = format!("0 95 0{}\n", " 0".repeat(42));
    format!(
        "HIERARCHY\nROOT r {{ OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n{a}{b}\
         JOINT s {{ OFFSET 0 50 0 CHANNELS 3 Zrotation Xrotation Yrotation\n{c}{d}}} }}\nMOTION\nFrames: 2\nFrame Time: 0.05\n{row}{row}"
    )
}

#[test]
fn check_and_run_agree_on_a_scene_whose_character_is_unsure() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("plain").to_string();
    std::fs::write(at("stick.bvh"), stick()).expect("writes");
    let scene = "duration = 0.2\n[terrain]\nsize = [6, 3]\ncell = 0.05\n[[walker]]\ncharacter = \"stick.bvh\"\nwaypoints = [[1, 1.5], [4, 1.5]]\n";
    std::fs::write(at("scene.toml"), scene).expect("writes");
    let (scene, out) = (at("scene.toml"), at("out"));
    for yes in [false, true] {
        let with = |arguments: &[&'static str]| -> Vec<String> {
            let more = if yes { &["--yes"][..] } else { &[] };
            arguments.iter().chain(more).map(|a| (*a).to_string()).chain([scene.clone()]).collect()
        };
        let plain =
            |all: &[String]| -> Output { trample(&all.iter().map(String::as_str).collect::<Vec<_>>()) };
        let checked = plain(&with(&["check"]));
        let mut all = with(&["run", "--maps", "none", "--no-pictures"]);
        all.extend(["--out".to_string(), out.clone()]);
        let ran = plain(&all);
        assert_eq!(checked.status.code(), ran.status.code(), "--yes {yes}");
        assert_eq!(ran.status.success(), yes);
        let (said, warned) = (text(&checked.stdout), text(&ran.stderr));
        let words = "stick.bvh: only 35 % sure which joint is which";
        assert!(said.contains(words) && warned.contains(words), "{said}{warned}");
        assert_eq!(said.starts_with("ok: "), yes, "{said}");
    }
}

#[test]
fn a_speed_that_recordings_do_not_hold_is_told_also_where_nothing_fills_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("plain").to_string();
    std::fs::write(at("walk.bvh"), walk()).expect("writes");
    for (speed, fill, told) in [("3.0", true, true), ("3.0", false, true), ("1.3", false, false)] {
        let scene = format!(
            "[terrain]\nlaw = \"trail\"\nmaterial = \"dry-soil\"\nsize = [6, 3]\ncell = 0.05\n[[walker]]\nmotion = [\"walk.bvh\"]\nfill = {fill}\nspeed = {speed}\nwaypoints = [[1, 1.5], [5, 1.5]]\n"
        );
        std::fs::write(at("scene.toml"), scene).expect("writes");
        let (scene, out) = (at("scene.toml"), at("out"));
        let output = trample(&["run", &scene, "--json", "--maps", "none", "--no-pictures", "--out", &out]);
        let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        let (reason, warned) = (&summary["puppets"][0]["recorded_reason"], text(&output.stderr));
        let words = format!("asked for {speed}0 m/s and its recordings hold 1.3");
        assert_eq!(reason.as_str().is_some_and(|r| r.contains(&words)), told, "{reason}");
        assert_eq!(warned.contains(&words), told, "{warned}");
    }
}

#[test]
fn a_walk_backward_is_told_as_one_and_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("plain").to_string();
    let rig = Rig::new(&Body::default(), &Style::default(), Ground::default());
    let track = Track::Arc { speed: 0.8, yaw_rate: 0.0, sideways: std::f64::consts::PI };
    let clip = Clip::sample(Kind::Backward, &Gait::new(&rig, track, 6.0), 6.0, 60.0);
    std::fs::write(at("back.bvh"), write_bvh(&clip, &rig.skeleton)).expect("writes");
    let said = text(&trample(&["check", &at("back.bvh")]).stdout);
    assert!(said.contains("walks backward 0.8") && !said.contains("not locomotion"), "{said}");
    let scene = "[terrain]\nlaw = \"trail\"\nmaterial = \"dry-soil\"\nsize = [6, 3]\ncell = 0.05\n[[walker]]\nmotion = [\"back.bvh\"]\nspeed = \"own\"\nwaypoints = [[1, 1.5], [5, 1.5]]\n";
    std::fs::write(at("scene.toml"), scene).expect("writes");
    let (scene, out) = (at("scene.toml"), at("out"));
    let output = trample(&["run", &scene, "--json", "--maps", "none", "--no-pictures", "--out", &out]);
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let walker = &summary["puppets"][0];
    assert!(walker["recorded_share"].as_f64() > Some(0.9) && walker["route_share"] == 1.0, "{walker}");
    assert!(text(&output.stderr).contains("walks backward: played the other way round in time"));
}
