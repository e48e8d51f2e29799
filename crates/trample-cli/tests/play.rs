//! `trample play` and `trample render` start the simulator that is beside them, or say how to get it.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: a program that is being written must not be open in a process that another test starts, or it cannot be
/// run ("text file busy").
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a copy of the command in an empty folder, where nothing is beside it but what a test puts there.
fn trample(folder: &Path, arguments: &[&str]) -> Output {
    let own = folder.join("trample");
    std::fs::copy(env!("CARGO_BIN_EXE_trample"), &own).expect("copied");
    let mut command = Command::new(&own);
    command.args(arguments).current_dir(folder).env("PATH", "").env_remove("TRAMPLE_RENDERER");
    command.output().expect("runs")
}

#[test]
fn without_the_simulator_it_says_how_to_get_it() {
    let _turn = alone();
    let folder = tempfile::tempdir().expect("folder");
    for arguments in [&["play"][..], &["render", "walk-snow"]] {
        let output = trample(folder.path(), arguments);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(words.contains("cargo build --release -p trample-play"), "{words}");
    }
}

#[test]
fn a_page_that_is_not_built_is_not_served() {
    let _turn = alone();
    let folder = tempfile::tempdir().expect("folder");
    let output = trample(folder.path(), &["play", "--web"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(words.contains("cargo xtask web"), "{words}");
}

/// Puts a program in the simulator's place.
#[cfg(unix)]
fn put(folder: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("trample-play");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("may run");
}

#[cfg(unix)]
#[test]
fn the_simulator_beside_it_gets_the_arguments() {
    let _turn = alone();
    let folder = tempfile::tempdir().expect("folder");
    put(folder.path(), "echo \"$@\"");
    let output = trample(folder.path(), &["play", "walk-mud", "--quality", "low"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "walk-mud --quality low");
    let output =
        trample(folder.path(), &["render", "walk-snow", "--at", "3", "--camera", "print", "--out", "x.png"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "--render walk-snow --at 3 --camera print --out x.png"
    );
}

#[cfg(unix)]
#[test]
fn a_report_begins_with_pictures_of_the_simulator_or_else_with_ours_and_says_whose_they_are() {
    let _turn = alone();
    let folder = tempfile::tempdir().expect("folder");
    let here = folder.path();
    // A scene that needs a file beside it, to see that the simulator finds that, too.
    let map = trample(here, &["run", "plate", "--out", "first", "--maps", "height", "--formats", "npy"]);
    assert!(map.status.success());
    let scene = "preset = \"plate\"\n[terrain.base]\nkind = \"raster\"\nfile = \"first/maps/height.npy\"\n";
    std::fs::write(here.join("own.toml"), scene).expect("written");
    let run = |more: &[&str]| {
        let output =
            trample(here, &[&["run", "own.toml", "--out", "deep/out", "--maps", "none"], more].concat());
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let report = std::fs::read_to_string(here.join("deep/out/report.html")).unwrap_or_default();
        assert!(!here.join("deep/out/shots").exists(), "{words}");
        (output.status.success(), words, report)
    };
    let (own, simulators) = ("Drawn by trample itself", "Drawn by the simulator");
    let (ended, words, report) = run(&[]);
    assert!(ended && report.contains(own) && !report.contains(simulators), "{words}");
    let (ended, words, _) = run(&["--renderer", "simulator"]);
    assert!(!ended && words.contains("cargo build --release -p trample-play"), "{words}");
    // One that draws, from the run file it is given, which names that file as seen from where it lies.
    let draws = "while [ $# -gt 1 ]; do case $1 in --replay) run=$2;; --out) out=$2;; esac; shift; done\n\
                 [ -s \"$run\" ] && /bin/cp \"$(/usr/bin/dirname \"$0\")/first/preview.png\" \"$out\"";
    put(here, draws);
    let (ended, words, report) = run(&[]);
    assert!(ended && !report.contains(own) && report.matches(simulators).count() >= 2, "{words}");
    assert!(here.join("deep/out/pictures/simulator-front.png").is_file(), "{words}");
    assert!(run(&["--renderer", "own"]).2.contains(own));
    // One that cannot, and one that says it can: told in one line, and ours is there.
    for (script, why) in
        [("echo 'error: no graphics device' >&2; exit 1", "no graphics device"), ("exit 0", "front.png")]
    {
        put(here, script);
        let (ended, words, report) = run(&[]);
        assert!(ended && report.contains(own) && !report.contains(simulators), "{words}");
        assert!(
            words.lines().any(|l| l.contains("trample-play made no picture") && l.contains(why)),
            "{words}"
        );
    }
}
