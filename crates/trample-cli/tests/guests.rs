//! Characters and animals in what `run --gltf` writes, as a user has it.

#[path = "../../trample-files/tests/rigs/animal.rs"]
#[allow(unreachable_pub, reason = "shared with the tests of the files")]
mod animal;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn trample(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trample"))
        .env("TRAMPLE_RENDERER", "own")
        .args(arguments)
        .output()
        .expect("the command runs")
}

/// The JSON of a GLB file.
fn json(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a file");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).expect("JSON")
}

fn names(json: &Value, list: &str) -> Vec<String> {
    let names = json[list].as_array().into_iter().flatten().map(|n| n["name"].as_str().unwrap_or_default());
    names.map(String::from).collect()
}

/// Runs a scene and gives back the JSON of its export and what was said.
fn exported(folder: &Path, scene: &str) -> (Value, String) {
    let path = |name: &str| folder.join(name).to_str().expect("a plain path").to_string();
    std::fs::write(folder.join("scene.toml"), scene).expect("writes");
    let (out, file) = (path("out"), path("run.glb"));
    let all = ["run", &path("scene.toml"), "--out", &out, "--maps", "none", "--no-pictures", "--gltf", &file];
    let output = trample(&all);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (json(&folder.join("run.glb")), said)
}

#[test]
fn a_character_is_exported_in_the_skin_of_its_file_and_an_animal_on_its_bones() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("a plain path").to_string();
    // A body of ours, written by ourselves, is a character like any other.
    let made = trample(&["walk", "--length", "2", "--out", &path("walk"), "--gltf", &path("someone.glb")]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::write(dir.path().join("dog.bvh"), animal::animal(1.0, true, 3)).expect("writes");
    let scene = "duration = 2\n[terrain]\nmaterial = \"dry-soil\"\ncell = 0.04\nsize = [6, 4]\n\
        [[walker]]\ncharacter = \"someone.glb\"\nwaypoints = [[1, 1], [4, 1]]\n\
        [[walker]]\nname = \"dog\"\ncharacter = \"dog.bvh\"\nwaypoints = [[1, 3], [4, 3]]\n\
        [[walker]]\nname = \"ours\"\nwaypoints = [[1, 2], [4, 2]]\n";
    let (glb, said) = exported(dir.path(), scene);
    assert!(!said.contains("not shown"), "{said}");
    let nodes = names(&glb, "nodes");
    for name in ["walker 0", "dog 1", "ours 2", "dog 1 bones", "ground"] {
        assert!(nodes.iter().any(|n| n == name), "no node `{name}` in {nodes:?}");
    }
    // Only the walker without a character wears our mesh.
    assert_eq!(names(&glb, "meshes").iter().filter(|n| *n == "body").count(), 1);
    assert_eq!(glb["skins"].as_array().map(Vec::len), Some(3));
    let own = nodes.iter().filter(|n| n.starts_with("walker 0 ")).count();
    assert_eq!(own, 9, "nine pieces of its own skin: {nodes:?}");
    // The dog as a whole moves, the walker's joints do.
    let moved = |name: &str| {
        let node = nodes.iter().position(|n| n == name);
        let channels = glb["animations"][0]["channels"].as_array().into_iter().flatten();
        channels.filter(|c| c["target"]["node"].as_u64() == node.map(|n| n as u64)).count()
    };
    assert_eq!((moved("dog 1"), moved("walker 0")), (2, 0));
    assert_eq!(moved("HindLeftUpper"), 1);
}

#[test]
fn a_character_walks_and_is_drawn_by_trample_walk() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("a plain path").to_string();
    let made = trample(&["walk", "--length", "2", "--out", &path("walk"), "--gltf", &path("someone.glb")]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (file, out, gltf) = (path("someone.glb"), path("own"), path("own.glb"));
    let own = trample(&["walk", "--character", &file, "--length", "2", "--out", &out, "--gltf", &gltf]);
    assert!(own.status.success(), "{}", String::from_utf8_lossy(&own.stderr));
    let glb = json(&dir.path().join("own.glb"));
    assert!(names(&glb, "nodes").iter().any(|n| n == "someone 0"), "named like its file");
    assert!(!names(&glb, "meshes").iter().any(|n| n == "body"), "it wears its own mesh");
    assert!(dir.path().join("own/filmstrip.png").exists());
    std::fs::write(dir.path().join("dog.bvh"), animal::animal(1.0, true, 3)).expect("writes");
    let dog = trample(&["walk", "--character", &path("dog.bvh"), "--out", &out]);
    assert!(dog.status.success(), "{}", String::from_utf8_lossy(&dog.stderr));
    assert!(String::from_utf8_lossy(&dog.stderr).contains("an animal: walked as `trample run "));
    let told = std::fs::read_to_string(dir.path().join("own/summary.json")).expect("a summary");
    let told: Value = serde_json::from_str(&told).expect("an object");
    assert!(told["puppets"][0]["footsteps"].as_u64() > Some(20), "{told}");
}

#[test]
fn plants_are_exported_and_a_meadow_that_is_too_large_says_so() {
    let dir = tempfile::tempdir().expect("a folder");
    let scene = "duration = 0.3\n[terrain]\nmaterial = \"soil\"\ncell = 0.05\nsize = [6, 6]\n\
        [[puppet]]\nwaypoints = [[1, 3], [4, 3]]\n[[plants]]\nspecies = \"carex-pensylvanica\"\ndensity = 40\n";
    let (glb, said) = exported(dir.path(), scene);
    assert!(names(&glb, "meshes").iter().any(|n| n == "carex-pensylvanica"));
    assert!(!said.contains("plants are in the file"), "{said}");
    let (_, said) = exported(dir.path(), &scene.replace("density = 40", "density = 2000"));
    assert!(said.contains("plants are in the file"), "{said}");
}

#[test]
fn ready_made_animals_are_drawn() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("a plain path").to_string();
    let (out, file) = (path("out"), path("run.glb"));
    let all =
        ["run", "deer-crossing", "--out", &out, "--maps", "none", "--gltf", &file, "--set", "duration=3"];
    let output = trample(&all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let glb = json(&dir.path().join("run.glb"));
    let nodes = names(&glb, "nodes");
    for name in ["deer 0", "dog 1", "horse 2"] {
        assert!(nodes.iter().any(|n| n == name), "no node `{name}` in {nodes:?}");
    }
    assert_eq!(names(&glb, "meshes").iter().filter(|n| *n == "trunk").count(), 3);
    for animal in 1..=3 {
        let picture = dir.path().join(format!("out/pictures/animal-{animal}.png"));
        assert!(picture.exists(), "{}", picture.display());
    }
}
