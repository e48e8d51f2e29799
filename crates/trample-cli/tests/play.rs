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
    Command::new(&own).args(arguments).current_dir(folder).env("PATH", "").output().expect("runs")
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

#[cfg(unix)]
#[test]
fn the_simulator_beside_it_gets_the_arguments() {
    use std::os::unix::fs::PermissionsExt;
    let _turn = alone();
    let folder = tempfile::tempdir().expect("folder");
    let program = folder.path().join("trample-play");
    std::fs::write(&program, "#!/bin/sh\necho \"$@\"\n").expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("may run");
    let output = trample(folder.path(), &["play", "walk-mud", "--quality", "low"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "walk-mud --quality low");
    let output =
        trample(folder.path(), &["render", "walk-snow", "--at", "3", "--camera", "print", "--out", "x.png"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "--render walk-snow --at 3 --camera print --out x.png"
    );
}
