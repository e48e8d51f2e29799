//! What tests of results share: running the command, and reading what it left.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use trample_files::raster::{Grid, Limits, read_height_map};

pub(crate) fn trample(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trample"))
        .env("TRAMPLE_RENDERER", "own")
        .args(arguments)
        .output()
        .expect("the command runs")
}

pub(crate) fn good(arguments: &[&str]) -> String {
    let output = trample(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

pub(crate) fn json(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&text).expect("JSON")
}

pub(crate) fn map(path: &Path) -> Grid {
    read_height_map(path, &Limits::default()).unwrap_or_else(|e| panic!("{e}"))
}
