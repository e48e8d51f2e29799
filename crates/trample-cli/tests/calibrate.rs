//! `trample calibrate` as a user has it.

use serde_json::Value;
use std::process::{Command, Output};

fn trample(folder: &std::path::Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trample"));
    command.current_dir(folder).args(arguments).output().expect("the command runs")
}

#[test]
fn a_species_is_fitted_to_a_table_and_its_file_grows_in_a_scene() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("cover.csv"), "passes,cover\n3,90\n8,80\n").expect("written");
    let command = ["calibrate", "--species", "fern", "--data", "cover.csv", "--out", "fit", "--seeds", "1"];
    let output = trample(dir.path(), &[&command[..], &["--evaluations", "9", "--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let rmse = |name: &str| told["rmse_points"][name].as_f64().expect("a number");
    assert!(rmse("fitted") <= rmse("before"), "{told}");
    assert!(rmse("other_seeds").is_finite());
    assert_eq!(told["cover_percent"].as_array().map(Vec::len), Some(2));
    assert!(told["parameters"]["break_angle_deg"]["fitted"].as_f64() > Some(0.0), "{told}");
    for name in ["species.toml", "calibrate.json", "calibrate.png", "calibrate.svg"] {
        assert!(dir.path().join("fit").join(name).exists(), "{name}");
    }
    let checked = trample(dir.path(), &["check", "fit/species.toml"]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let scene = "duration = 0.1\n[terrain]\nsize = [2, 2]\n[[plants]]\nspecies = \"fit/species.toml\"\n";
    std::fs::write(dir.path().join("scene.toml"), scene).expect("written");
    let checked = trample(dir.path(), &["check", "scene.toml"]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn what_cannot_be_fitted_is_told_with_what_can() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("bad.csv"), "passes,cover\n25,much\n").expect("written");
    std::fs::write(dir.path().join("bad.toml"), "based_on = \"fern\"\nwear_rate = -1\n").expect("written");
    let rows: [(&[&str], &str); 5] = [
        (&["calibrate", "--species", "oak"], "allowed: carex-pensylvanica, "),
        (&["calibrate", "--species", "fern"], "--data is needed for fern"),
        (&["calibrate", "--species", "fern", "--data", "bad.csv"], "bad.csv:2: `cover` is `much`"),
        (&["calibrate", "--species", "fern", "--data", "no.csv"], "no.csv: "),
        (&["calibrate", "--species", "carex-pensylvanica", "--fit", "leaf"], "allowed: plant_height, "),
    ];
    for (arguments, expected) in rows {
        let output = trample(dir.path(), arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(expected), "{arguments:?} says: {told}");
    }
    let output = trample(dir.path(), &["check", "bad.toml"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success() && told.contains("bad.toml:2:") && told.contains("wear_rate"), "{told}");
}
