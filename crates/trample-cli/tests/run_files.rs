//! What a run leaves behind can be gone on with, moved, and told apart from another run's.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use trample_files::RunFile;

/// The command, run in a folder.
fn trample_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trample"));
    command.env("TRAMPLE_RENDERER", "own");
    command.current_dir(folder).args(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with a scene of two passes through plants whose species is a file, on a height map.
fn scene() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words = "duration = 1\n[terrain]\nmaterial = \"mud\"\ncell = 0.04\n[terrain.base]\nfile = \"dem.asc\"\n\
                 [[plants]]\nspecies = \"fern.toml\"\ndensity = 40\n[[puppet]]\nwaypoints = [[1, 1.5], [5, 1.5]]\n";
    std::fs::write(folder.path().join("s.toml"), words).expect("written");
    std::fs::write(folder.path().join("fern.toml"), "based_on = \"fern\"\nwear_angle_deg = 20\n")
        .expect("written");
    let mut grid = String::from("ncols 8\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 1\n");
    (0..4).for_each(|_| grid.push_str("0 0.1 0.2 0.1 0 0.1 0.2 0.1\n"));
    std::fs::write(folder.path().join("dem.asc"), grid).expect("written");
    folder
}

/// Runs in a folder with `--json`; the summary.
fn run(folder: &Path, arguments: &[&str]) -> Value {
    let rest = ["--json", "--maps", "none", "--no-pictures"];
    let output = trample_in(folder, &[&["run"], arguments, &rest].concat());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// What is said of a run that is refused.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = trample_in(folder, arguments);
    assert!(!output.status.success(), "{arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

#[test]
fn a_changed_input_is_named_by_resume_replay_and_check() {
    let folder = scene();
    run(folder.path(), &["s.toml", "--out", "out"]);
    let first = RunFile::load(&folder.path().join("out/run.trample")).expect("a run file");
    let named: Vec<&str> =
        first.inputs.iter().filter(|i| i.hash.is_some()).map(|i| i.path.as_str()).collect();
    assert_eq!(named, ["dem.asc", "fern.toml"]);
    let commands: [&[&str]; 3] =
        [&["run", "s.toml", "--out", "out", "--resume"], &["replay", "out"], &["check", "out/run.trample"]];
    for (file, words) in [
        ("fern.toml", "based_on = \"fern\"\nwear_angle_deg = 21\n"),
        ("dem.prj", "PROJCS[\"x\",UNIT[\"metre\",1]]"),
    ] {
        let path = folder.path().join(file);
        let before = std::fs::read(&path).ok();
        std::fs::write(&path, words).expect("written");
        for arguments in commands {
            let output = trample_in(folder.path(), arguments);
            let told = text(&output.stderr) + &text(&output.stdout);
            assert!(!output.status.success() && told.contains(file), "{arguments:?}: {told}");
            assert!(!told.contains("DIVERGED"), "{told}");
        }
        match before {
            Some(bytes) => std::fs::write(&path, bytes).expect("written"),
            None => std::fs::remove_file(&path).expect("removed"),
        }
    }
    for arguments in commands {
        assert!(trample_in(folder.path(), arguments).status.success(), "{arguments:?}");
    }
}

#[test]
fn a_run_is_moved_with_its_scene_and_its_scene_may_be_named_in_any_way() {
    let folder = scene();
    let hash = run(folder.path(), &["s.toml", "--out", "out"])["hash"].clone();
    let again = run(folder.path(), &["./s.toml", "--out", "out", "--resume"]);
    assert_eq!(again["hash"], hash);
    // From another folder, and after everything was moved.
    let output = trample_in(Path::new("/"), &["replay", folder.path().join("out").to_str().expect("plain")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let moved = elsewhere.path().join("moved");
    std::fs::rename(folder.path(), &moved).expect("moved");
    let output = trample_in(elsewhere.path(), &["replay", "moved/out"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    // The run file and the inputs alone, in one folder.
    let bare = elsewhere.path().join("bare");
    std::fs::create_dir(&bare).expect("made");
    for name in ["out/run.trample", "dem.asc", "fern.toml"] {
        let from = moved.join(name);
        std::fs::rename(&from, bare.join(from.file_name().expect("a name"))).expect("moved");
    }
    let output = trample_in(elsewhere.path(), &["replay", "bare"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    std::fs::create_dir_all(folder.path()).expect("for its end");
}

#[test]
fn a_run_that_ended_goes_on_when_it_is_to_last_longer() {
    let folder = scene();
    let whole = run(folder.path(), &["s.toml", "--set", "duration=2.5", "--out", "whole"]);
    run(folder.path(), &["s.toml", "--out", "out"]);
    let longer = run(folder.path(), &["s.toml", "--set", "duration=2.5", "--out", "out", "--resume"]);
    for field in ["hash", "steps", "footsteps", "volume", "depth_m"] {
        assert_eq!(longer[field], whole[field], "{field}");
    }
    // The same by the text of the scene.
    let scene = std::fs::read_to_string(folder.path().join("s.toml")).expect("text");
    std::fs::write(folder.path().join("s.toml"), scene.replace("duration = 1\n", "duration = 2.5\n"))
        .expect("written");
    run(folder.path(), &["s.toml", "--set", "duration=1", "--out", "other"]);
    assert_eq!(run(folder.path(), &["s.toml", "--out", "other", "--resume"])["hash"], whole["hash"]);
    let output = trample_in(folder.path(), &["replay", "other"]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let told = refused(folder.path(), &["run", "s.toml", "--set", "duration=1", "--out", "out", "--resume"]);
    assert!(told.contains("2.50 s already"), "{told}");
}

#[test]
fn a_run_of_other_physics_or_of_a_false_state_is_not_gone_on_with() {
    let folder = scene();
    run(folder.path(), &["s.toml", "--out", "out"]);
    let path: PathBuf = folder.path().join("out/run.trample");
    let good = RunFile::load(&path).expect("a run file");
    let resume = ["run", "s.toml", "--out", "out", "--resume"];
    let mut other = good.clone();
    (other.writer.program, other.writer.physics) = ("trample 0.0.1".into(), 7);
    other.save(&path).expect("saved");
    let told = refused(folder.path(), &resume);
    assert!(told.contains("trample 0.0.1 wrote it") && told.contains("other numbers"), "{told}");
    // Every checksum is right, and the state is another one: its clock.
    for at in [4, 8, 12, 40] {
        let mut forged = good.clone();
        forged.snapshot[at] ^= 0x40;
        forged.save(&path).expect("saved");
        let told = refused(folder.path(), &resume);
        assert!(told.contains("snapshot"), "byte {at}: {told}");
        assert!(!trample_in(folder.path(), &["check", "out/run.trample"]).status.success(), "byte {at}");
    }
    let mut forged = good.clone();
    forged.recording.push(5);
    forged.save(&path).expect("saved");
    assert!(refused(folder.path(), &resume).contains("another state"));
}

/// Checks that a folder shows one whole run, or none yet; its hash.
fn whole_run(folder: &Path) -> Option<Value> {
    let bytes = std::fs::read(folder.join("manifest.json")).ok()?;
    let manifest: Value = serde_json::from_slice(&bytes).expect("JSON");
    let listed = manifest["files"].as_array().expect("a list");
    for file in listed {
        let path = folder.join(file["path"].as_str().expect("a path"));
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let hash = format!("{:016x}", trample::internal::of_bytes(&bytes));
        assert_eq!(
            (&file["bytes"], &file["hash"]),
            (&bytes.len().into(), &hash.into()),
            "{}",
            path.display()
        );
    }
    let summary = std::fs::read(folder.join("summary.json")).expect("a summary");
    let summary: Value = serde_json::from_slice(&summary).expect("JSON");
    assert_eq!(manifest["hash"], summary["hash"]);
    let run = RunFile::load(&folder.join("run.trample")).expect("a run file");
    assert_eq!(run.final_hash.map(|h| format!("{h:016x}").into()), Some(summary["hash"].clone()));
    let mut shown = 0;
    let mut open = vec![folder.to_path_buf()];
    while let Some(inner) = open.pop() {
        for entry in
            std::fs::read_dir(inner).expect("listed").flatten().filter(|e| e.file_name() != ".running")
        {
            if entry.path().is_dir() { open.push(entry.path()) } else { shown += 1 }
        }
    }
    assert_eq!(shown, listed.len() + 1, "the files of the manifest, and itself");
    Some(manifest["hash"].clone())
}

#[test]
fn a_folder_never_shows_parts_of_two_runs_whenever_one_is_killed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let arguments = ["run", "plate", "--set", "cell=0.04", "--checkpoint", "0.01", "--out", "out"];
    assert!(trample_in(folder.path(), &arguments).status.success());
    let first = whole_run(&out).expect("a whole run");
    assert!(out.join("report.html").exists());
    let mut other = None;
    for delay in (0..16).map(|i| 5 + 25 * i) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trample"))
            .env("TRAMPLE_RENDERER", "own")
            .current_dir(folder.path())
            .args(arguments)
            .args(["--set", "mass=61"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the command starts");
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().expect("ended");
        let shown = whole_run(&out).expect("the old run or the new one");
        if shown != first {
            assert_eq!(*other.get_or_insert(shown.clone()), shown, "killed after {delay} ms");
        }
    }
    // One that ends leaves nothing of what was killed, and nothing of what it was told to leave out.
    let output = trample_in(folder.path(), &[&arguments[..], &["--no-pictures"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(whole_run(&out), Some(first));
    assert!(!out.join("report.html").exists() && !out.join(".running").exists());
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing is left beside it");
}

/// What `trample run` ends with on every machine: `docs/run-hashes.txt`, written anew with `TRAMPLE_BLESS=1`.
#[test]
fn runs_end_in_the_hashes_that_are_published() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let found: String = ["plate", "sphere-drop", "walk-mud"]
        .map(|name| {
            let hash =
                run(folder.path(), &[name, "--out", name])["hash"].as_str().expect("a hash").to_string();
            format!("trample run {name:16} {hash}\n")
        })
        .concat();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run-hashes.txt");
    if std::env::var_os("TRAMPLE_BLESS").is_some() {
        std::fs::write(&path, &found).expect("written");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("the list").replace("\r\n", "\n"), found);
}
