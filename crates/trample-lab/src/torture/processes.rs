//! Runs in processes of their own: killed at any moment, or with no room on the disk.

use super::{Part, Until};
use crate::Failure;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use trample::internal::of_bytes;

/// The run that is killed; it takes some tenths of a second.
const RUN: [&str; 8] = ["run", "fifty-passes", "--set", "passes=4", "--set", "cell=0.02", "--maps", "height"];

fn trample(folder: &Path, arguments: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    // The simulator's pictures are another program's.
    command.env("TRAMPLE_RENDERER", "own").current_dir(folder).args(arguments).stdin(Stdio::null());
    Ok(command)
}

/// The summary that a run printed; an error with what it said if it failed.
fn summary(output: &Output) -> Result<Value, Failure> {
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// What is wrong with a folder that should show one whole run or none; its hash.
fn whole_run(folder: &Path) -> Result<Option<String>, String> {
    let Ok(bytes) = std::fs::read(folder.join("manifest.json")) else { return Ok(None) };
    let manifest: Value = serde_json::from_slice(&bytes).map_err(|e| format!("manifest.json: {e}"))?;
    for file in manifest["files"].as_array().into_iter().flatten() {
        let name = file["path"].as_str().unwrap_or_default();
        let bytes = std::fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}"))?;
        if file["hash"] != format!("{:016x}", of_bytes(&bytes)) {
            return Err(format!("{name} is of another run"));
        }
    }
    Ok(manifest["hash"].as_str().map(String::from))
}

/// Kills a run at random moments while a folder shows an older one, looks at the folder, and resumes it to its end.
pub(super) fn kills(until: Until<'_>) -> Result<Part, Failure> {
    let home = tempfile::tempdir()?;
    let extra = ["--no-pictures", "--json", "--checkpoint", "0.01"];
    let run = |out: &str, more: &[&str]| -> Result<Command, Failure> {
        trample(home.path(), &[&RUN[..], &extra[..], &["--out", out], more].concat())
    };
    let begun = Instant::now();
    let expected = summary(&run("whole", &[])?.output()?)?["hash"].clone();
    let takes = begun.elapsed().as_millis().max(50) as u64;
    let (mut killed, mut resumed, mut broken) = (0u64, 0u64, Vec::new());
    // Something else to be shown meanwhile.
    summary(&run("out", &["--set", "mass=60"])?.output()?)?;
    // Once at least, however little time there is.
    while (resumed == 0 || !until.is_over()) && broken.len() < 10 {
        for k in 0..3 {
            let delay = of_bytes(&[killed, k, resumed].map(u64::to_le_bytes).concat()) % takes;
            let mut child = run("out", &["--resume"])?.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            std::thread::sleep(Duration::from_millis(delay));
            if child.try_wait()?.is_none() {
                child.kill()?;
                killed += 1;
            }
            child.wait()?;
            if let Err(problem) = whole_run(&home.path().join("out")) {
                broken.push(format!("killed after {delay} ms: {problem}"));
            }
        }
        // The folder may hold the other run still, which is not to be gone on with.
        let interrupted = home.path().join("out/.running/run.trample").exists();
        let more: &[&str] = if interrupted { &["--resume"] } else { &[] };
        let hash = summary(&run("out", more)?.output()?).map(|s| s["hash"].clone());
        match hash {
            Ok(hash) if hash == expected => resumed += 1,
            Ok(hash) => broken.push(format!("resumed to {hash}, should be {expected}")),
            Err(problem) => broken.push(format!("not resumed: {problem}")),
        }
        summary(&run("out", &["--set", "mass=60"])?.output()?)?;
    }
    Ok(Part { figures: json!({ "killed": killed, "resumed_to_the_same_hash": resumed }), broken })
}

/// Lets runs fail for want of room: they say so, and the folder still shows the run before.
pub(super) fn full_disk(until: Until<'_>) -> Result<Part, Failure> {
    let (mut refused, mut ended, mut broken) = (0, 0, Vec::new());
    let mut devices = 0;
    if cfg!(target_os = "linux") {
        let home = tempfile::tempdir()?;
        let arguments = [&RUN[..], &["--no-pictures", "--out", "out"]].concat();
        if !trample(home.path(), &arguments)?.output()?.status.success() {
            return Err("the run does not end even with room".into());
        }
        let before = whole_run(&home.path().join("out"))?;
        let program = std::env::current_exe()?;
        for blocks in [1, 4, 16, 64, 128, 256, 512].into_iter().cycle() {
            if until.is_over() && refused > 3 || broken.len() > 9 || ended > 200 {
                break;
            }
            // A file may grow to so many blocks of 512 bytes and no further, as on a disk with as much left.
            let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let mut shell = Command::new("sh");
            shell.current_dir(home.path()).args(["-c", &script]).arg(&program).args(&arguments);
            let output = shell.args(["--set", "mass=66"]).stdin(Stdio::null()).output()?;
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            if told.contains("should not have happened") || output.status.code().is_none() {
                broken.push(format!("with {blocks} blocks: {told}"));
            }
            match whole_run(&home.path().join("out")) {
                Err(problem) => broken.push(format!("with {blocks} blocks: {problem}")),
                Ok(shown) if !output.status.success() && shown != before => {
                    broken.push(format!("with {blocks} blocks: a run that failed is shown"));
                }
                Ok(_) => {}
            }
            if output.status.success() {
                ended += 1;
                trample(home.path(), &arguments)?.output()?;
            } else {
                refused += 1;
            }
        }
        for arguments in [&["scenes"][..], &["presets"], &["run", "plate", "--json", "--no-pictures"]] {
            let full = std::fs::File::options().write(true).open("/dev/full")?;
            let output = trample(home.path(), arguments)?.stdout(full).output()?;
            devices += 1;
            if output.status.code() != Some(1) {
                broken.push(format!("{arguments:?} > /dev/full: {}", output.status));
            }
        }
    }
    let figures = json!({ "runs_without_room": refused, "runs_with_room": ended, "full_outputs": devices });
    Ok(Part { figures, broken })
}
