//! What people and their files may do to the command: full outputs, names that a terminal would obey, pipes in place of files, numbers that
//! mean nothing, folders of others.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn trample_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trample"));
    command.env("TRAMPLE_RENDERER", "own");
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().expect("the command starts")
}

/// All that was printed.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, words) in files {
        std::fs::write(folder.path().join(name), words).expect("written");
    }
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_an_error_and_no_panic() {
    for arguments in [&["scenes"][..], &["presets"], &["presets", "--json"], &["scenes", "plate"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
        let output = Command::new(env!("CARGO_BIN_EXE_trample"))
            .env("TRAMPLE_RENDERER", "own")
            .args(arguments)
            .stdout(full)
            .output();
        let output = output.expect("the command starts");
        let told = said(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {told}");
        assert!(told.contains("cannot be written") && !told.contains("panicked"), "{told}");
    }
}

#[test]
fn what_a_terminal_would_obey_is_printed_escaped() {
    let scene = "name = \"a\\u001b]0;x\\u0007\"\nduration = 0.1\n[terrain]\nsize = [2, 2]\n";
    let folder = folder_with(&[("s.toml", scene), ("bad.toml", "name = \"\\u001b[2J\"\nlaw = 1\n")]);
    for arguments in [
        &["check", "s.toml"][..],
        &["run", "s.toml", "--no-pictures", "--maps", "none"],
        &["check", "bad.toml"],
        &["check", "\u{1b}[31mred.toml"],
        &["run", "\u{1b}[31mred"],
        &["run", "plate", "--set", "name=\u{1b}[5m", "--no-pictures", "--maps", "none"],
    ] {
        let told = said(&trample_in(folder.path(), arguments));
        assert!(!told.contains('\u{1b}') && !told.contains('\u{7}'), "{arguments:?}: {told:?}");
    }
    assert!(said(&trample_in(folder.path(), &["check", "s.toml"])).contains("\\u{1b}]0;x\\u{7}"));
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_no_files() {
    let folder = folder_with(&[("s.toml", "[terrain.base]\nfile = \"pipe.asc\"\n")]);
    for name in ["pipe.toml", "pipe.asc", "pipe.trample", "pipe.bvh", "pipe.csv", "pipe.gpx"] {
        let made = Command::new("mkfifo").arg(folder.path().join(name)).status().expect("mkfifo");
        assert!(made.success());
        let output = trample_in(folder.path(), &["check", name]);
        assert!(!output.status.success() && said(&output).contains("pipe"), "{name}: {}", said(&output));
    }
    for arguments in
        [&["run", "pipe.toml"][..], &["run", "s.toml"], &["check", "/dev/zero"], &["run", "/dev/zero"]]
    {
        let output = trample_in(folder.path(), arguments);
        assert!(!output.status.success(), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    let folder = folder_with(&[("c.csv", "passes,cover\n0,40\n25,86\n")]);
    for (arguments, expected) in [
        (&["run", "plate", "--checkpoint", "nan"][..], "seconds"),
        (&["run", "plate", "--checkpoint=-1"], "seconds"),
        (&["run", "plate", "--checkpoint", "inf"], "seconds"),
        (&["bench", "--only", "zzzz"], "allowed"),
        (&["torture", "--minutes", "nan"], "minutes"),
        (&["torture", "--only", "zzzz"], "allowed"),
        (&["run", "plate", "--set", "heading_deg=360001"], "-360000 to 360000"),
        (&["run", "walk-mud", "--set", "kind=slope", "--set", "direction_deg=-1e9"], "-360000 to 360000"),
        (&["calibrate", "--species", "fern", "--data", "c.csv"], "after 0 passes"),
    ] {
        let output = trample_in(folder.path(), arguments);
        let told = said(&output);
        assert!(!output.status.success() && told.contains(expected), "{arguments:?}: {told}");
    }
}

#[test]
fn nothing_is_run_from_the_working_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inner = folder.path().join("crates/trample-play/src");
    std::fs::create_dir_all(&inner).expect("made");
    std::fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = [\"crates/trample-play\"]\n")
        .expect("written");
    let package = "[package]\nname = \"trample-play\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    std::fs::write(folder.path().join("crates/trample-play/Cargo.toml"), package).expect("written");
    std::fs::write(inner.join("main.rs"), "fn main() { println!(\"RUN\"); }\n").expect("written");
    std::fs::write(folder.path().join("trample-play"), "#!/bin/sh\necho RUN\n").expect("written");
    // A copy of the command that has nothing beside it, with the working folder on the path.
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let program = elsewhere.path().join("trample");
    std::fs::copy(env!("CARGO_BIN_EXE_trample"), &program).expect("copied");
    let path = format!(".:{}", std::env::var("PATH").unwrap_or_default());
    for arguments in [["play", "walk-mud"], ["render", "walk-mud"]] {
        let mut command = Command::new(&program);
        command.current_dir(folder.path()).env("PATH", &path).args(arguments);
        // A process that another test has just begun may still hold the copy open.
        let mut tries = 0..100;
        let output = loop {
            match command.output() {
                Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy && tries.next().is_some() => {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                result => break result.expect("starts"),
            }
        };
        let told = said(&output);
        assert!(
            !output.status.success() && told.contains("--build") && !told.contains("RUN"),
            "{arguments:?}: {told}"
        );
    }
}

#[test]
fn errors_do_not_quote_files_of_another_kind() {
    let secret = "root:$6$secret:0:0:root:/root\n";
    let scene = "[terrain.base]\nfile = \"shadow\"\n[[walker]]\ncharacter = \"shadow\"\n";
    let folder = folder_with(&[("shadow", secret), ("s.toml", scene), ("w.toml", &scene[33..])]);
    for arguments in [
        &["run", "shadow"][..],
        &["check", "shadow"],
        &["run", "s.toml"],
        &["check", "s.toml"],
        &["motion", "shadow"],
    ] {
        let output = trample_in(folder.path(), arguments);
        assert!(
            !output.status.success() && !said(&output).contains("secret"),
            "{arguments:?}: {}",
            said(&output)
        );
    }
    // Neither are files that are called what they are not.
    for name in ["s.asc", "s.tif", "s.exr", "s.npy", "s.csv", "s.gpx", "s.glb", "s.bvh"] {
        std::fs::write(folder.path().join(name), format!("{secret}{secret}")).expect("written");
        let told = said(&trample_in(folder.path(), &["check", name]));
        assert!(
            told.contains("error") && !told.contains("root") && !told.contains("secret"),
            "{name}: {told}"
        );
    }
    // A scene's own line is quoted: it is what its author wants to see.
    std::fs::write(folder.path().join("typo.toml"), "duration = = 3\n").expect("written");
    assert!(said(&trample_in(folder.path(), &["check", "typo.toml"])).contains("duration = = 3"));
}

#[test]
fn feet_beside_a_grid_are_feet() {
    let grid = "ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 10\n0 0 0\n0 0 0\n0 0 0\n";
    let plane = "PROJCS[\"California_VI\",GEOGCS[\"G\",DATUM[\"D\",SPHEROID[\"S\",6378137.0,298.3]],UNIT[\"Degree\",0.0174532925199433]],\
                 PROJECTION[\"Lambert\"],UNIT[\"Foot_US\",0.3048006096012192]]";
    let folder = folder_with(&[("a.asc", grid), ("a.prj", plane), ("b.asc", grid)]);
    let told = |name: &str| said(&trample_in(folder.path(), &["check", name]));
    assert!(told("a.asc").contains("3.048"), "{}", told("a.asc"));
    assert!(told("b.asc").contains("10.000") && !told("b.asc").contains("warning"), "{}", told("b.asc"));
    // What is not understood, or cannot be kept, is said: by check and by run.
    let scene =
        "duration = 0.1\n[terrain]\nsize = [20, 20]\nbase = { kind = \"raster\", file = \"b.asc\" }\n";
    std::fs::write(folder.path().join("s.toml"), scene).expect("written");
    for (prj, expected) in
        [("+proj=utm +units=us-ft", "taken for metres"), ("GEOGCS[\"WGS 84\"]", "in degrees")]
    {
        std::fs::write(folder.path().join("b.prj"), prj).expect("written");
        let run =
            trample_in(folder.path(), &["run", "s.toml", "--no-pictures", "--maps", "none", "--out", "o"]);
        for told in [told("b.asc"), told("s.toml"), said(&run)] {
            assert!(told.contains(expected), "{prj}: {told}");
        }
    }
}

/// One picture that 64 patches of plants are thinned by: read once, held once.
#[cfg(target_os = "linux")]
#[test]
fn a_picture_named_many_times_takes_memory_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = std::fs::File::create(folder.path().join("thin.png")).expect("made");
    let side = 2048;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&vec![255; (side * side) as usize]).expect("written");
    writer.finish().expect("written");
    let mut scene = String::from("duration = 0.1\n[terrain]\nsize = [4, 4]\nmaterial = \"mud\"\n");
    for _ in 0..64 {
        scene.push_str("[[plants]]\nspecies = \"fern\"\ndensity = 1\ndensity_map = \"thin.png\"\n");
    }
    for _ in 0..64 {
        scene.push_str("[[paint]]\nimage = \"thin.png\"\nlevels = { 255 = \"mud\" }\n");
    }
    std::fs::write(folder.path().join("s.toml"), scene).expect("written");
    // 64 of them would take 1 GiB, and as much again for the world's own.
    let mut shell = Command::new("sh");
    shell.current_dir(folder.path()).args([
        "-c",
        "ulimit -v 900000; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_trample"),
    ]);
    let output = shell.args(["run", "s.toml", "--no-pictures", "--maps", "none"]).output().expect("starts");
    assert!(output.status.success(), "{}", said(&output));
}

/// A plate on the edge of a wall in a height map finds no ground: that is said, and not left to be found out.
#[test]
fn who_never_touches_the_ground_is_named() {
    let row = "0 0 0 0 0 3 3 3 3 3 3\n";
    let grid = format!("ncols 11\nnrows 8\nxllcorner 0\nyllcorner 0\ncellsize 0.2\n{}", row.repeat(8));
    let scene = "duration = 1\n[terrain]\nmaterial = \"soil\"\ncell = 0.02\nbase = { kind = \"raster\", file = \"wall.asc\" }\n\
                 [[puppet]]\nname = \"plate\"\nmotion = \"press\"\nposition = [0.9, 0.7]\nfootwear = \"plate\"\nmass = 50\n\
                 foot_length = 0.2\nfoot_width = 0.1\n";
    let folder = folder_with(&[("wall.asc", &grid), ("s.toml", scene)]);
    let output = trample_in(
        folder.path(),
        &["run", "s.toml", "--no-pictures", "--maps", "none", "--json", "--out", "out"],
    );
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let warned = summary["warnings"].as_array().expect("a list").iter();
    let mut warned =
        warned.filter(|line| line.as_str().is_some_and(|l| l.contains("`plate` never touched the ground")));
    let touched = summary["footsteps"].as_u64().is_some_and(|n| n > 0);
    assert!(touched || warned.next().is_some(), "{summary}");
    assert!(summary["volume"]["owed_m3"].is_number(), "{summary}");
}
