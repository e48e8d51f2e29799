//! Puts the commit into the version, where there is one.

use std::path::PathBuf;
use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_string()).filter(|text| !text.is_empty())
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    // A commit is written into the log of the checkout; a folder without one, such as a package, has none to name.
    if let Some(log) =
        git(&["rev-parse", "--git-path", "logs/HEAD"]).map(PathBuf::from).filter(|p| p.exists())
    {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    let commit = git(&["rev-parse", "--short=10", "HEAD"]);
    let whole = commit.map_or(version.to_string(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=TRAMPLE_VERSION={whole}");
}
