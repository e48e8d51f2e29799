//! What seasons, their units, comparisons and sweeps do with files: results are whole, other people's files stay, paths may move.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trample"));
    command.current_dir(folder).args(arguments);
    command
}

/// Ends in a minute, or fails: what waits for a pipe waits for ever.
fn trample(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = command(folder, arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let begun = Instant::now();
    while child.try_wait().expect("asked").is_none() {
        if begun.elapsed() > Duration::from_secs(240) {
            child.kill().expect("killed");
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("its words")
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = trample(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    said(&output)
}

fn refused(folder: &Path, arguments: &[&str], expected: &str) {
    let output = trample(folder, arguments);
    let told = said(&output);
    assert!(!output.status.success() && told.contains(expected), "{arguments:?}: {told}");
    assert!(!told.contains("should not have happened"), "{told}");
}

fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&text(path)).expect("JSON")
}

const SCENE: &str = r#"
name = "green"
[terrain]
size = [12, 6]
cell = 0.08
law = "natural"
[[material]]
name = "loam"
[[plants]]
species = "lawn-grass"
rectangle = [[0, 0], [12, 6]]
[[gate]]
name = "west"
place = [1, 3]
[[gate]]
name = "east"
place = [11, 3]
[[trip]]
from = "west"
to = "east"
people_per_day = 40
[calendar]
start = 2026-04-01
days = 2
"#;

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("green.toml"), SCENE).expect("written");
    let path = folder.path().to_path_buf();
    (folder, path)
}

#[test]
fn a_season_replaces_its_own_results_and_keeps_what_is_not() {
    let (_kept, path) = place();
    let out = path.join("out");
    std::fs::create_dir_all(out.join("frames")).expect("made");
    for name in ["report.html", "trail.csv", "frames/mine.txt"] {
        std::fs::write(out.join(name), "mine").expect("written");
    }
    std::fs::write(out.join(".trail.csv.AbC123.tmp"), "cut").expect("written");
    let told = good(&path, &["season", "green.toml", "--out", "out"]);
    assert!(told.contains("report.html.kept1"), "{told}");
    for name in ["report.html.kept1", "trail.csv.kept1", "frames/mine.txt"] {
        assert_eq!(text(out.join(name)), "mine", "{name}");
    }
    assert!(!out.join(".trail.csv.AbC123.tmp").exists() && !out.join(".running").exists());
    let summary = json(out.join("summary.json"));
    for field in ["version", "command", "scene_hash", "walked"] {
        assert!(!summary[field].is_null(), "{field}: {summary}");
    }
    let manifest = json(out.join("manifest.json"));
    assert_eq!(manifest["hash"], summary["hash"]);
    let listed: Vec<&str> =
        manifest["files"].as_array().expect("a list").iter().filter_map(|f| f["path"].as_str()).collect();
    for name in ["scene.toml", "state.season", "film.png", "frames/day-00002.png", "maps/day-0002-cover.png"]
    {
        assert!(listed.contains(&name) && out.join(name).exists(), "{name}: {listed:?}");
    }
    good(&path, &["check", "out/scene.toml"]);
    // What is measured goes with the season.
    good(&path, &["measure", "out"]);
    assert!(text(out.join("manifest.json")).contains("measure.csv"));
    good(&path, &["season", "green.toml", "--out", "out", "--no-pictures", "--days", "1"]);
    for name in ["film.png", "report.html", "frames/day-00002.png", "maps", "measure.csv"] {
        assert!(!out.join(name).exists(), "{name}");
    }
    assert_eq!(text(out.join("frames/mine.txt")), "mine");
    // A run is no season: neither leaves what is the other's.
    good(&path, &["run", "plate", "--out", "out", "--no-pictures"]);
    assert!(!out.join("state.season").exists() && !out.join("trail.csv").exists());
    good(&path, &["season", "green.toml", "--out", "out", "--no-pictures"]);
    assert!(!out.join("run.trample").exists() && out.join("state.season").exists());
    // Commands for runs say what it is, and that a folder is none.
    refused(&path, &["export", "out"], "result of a season");
    refused(&path, &["replay", "out"], "result of a season");
    refused(&path, &["season", "green.toml", "--out", "green.toml"], "it is a file");
    refused(&path, &["compare", "out", "green.toml", "--out", "c"], "compare takes folders");
    refused(&path, &["compare", "out", "--out", "out"], "holds a season");
}

#[test]
fn a_killed_season_goes_on_and_nobody_writes_beside_it() {
    let (_kept, path) = place();
    let season = |out: &'static str, more: &[&'static str]| {
        let all = ["season", "green.toml", "--days", "50", "--checkpoint", "0", "--out", out];
        [&all[..], more].concat()
    };
    good(&path, &season("whole", &["--every", "10"]));
    let mut child =
        command(&path, &season("cut", &["--every", "10"])).stderr(Stdio::null()).spawn().expect("it runs");
    let state = path.join("cut/state.season");
    while !state.exists() {
        assert!(child.try_wait().expect("asked").is_none(), "it ended before its first state");
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = trample(&path, &season("cut", &[]));
    assert!(child.try_wait().expect("asked").is_none(), "too short a season to look at");
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(!second.status.success() && said(&second).contains("another trample"), "{}", said(&second));
    let told = good(&path, &season("cut", &["--every", "10", "--resume"]));
    assert!(told.contains("resumed on day"), "{told}");
    let (a, b) = (json(path.join("whole/summary.json")), json(path.join("cut/summary.json")));
    assert_eq!((&a["hash"], &a["trail"]), (&b["hash"], &b["trail"]));
    let files = |out: &str| {
        let list = json(path.join(out).join("manifest.json"))["files"].clone();
        let names =
            list.as_array().expect("a list").iter().filter_map(|f| f["path"].as_str().map(String::from));
        names.collect::<Vec<_>>()
    };
    assert_eq!(files("whole"), files("cut"), "frames and maps of all days");
    // Nothing is left to walk: no speed is made up.
    let told = good(&path, &season("cut", &["--resume"]));
    assert!(!told.contains("a second"), "{told}");
}

#[test]
fn units_belong_to_their_plan_and_move_with_it() {
    let (_kept, path) = place();
    let plan = |seed: &'static str| {
        good(&path, &["unit", "plan", "green.toml", "--tiles", "2x2", "--out", "p/PLAN.json", "--seed", seed])
    };
    let hash = |seed: &'static str| {
        good(&path, &["season", "green.toml", "--seed", seed, "--out", "s", "--no-pictures"]);
        json(path.join("s/summary.json"))["hash"].clone()
    };
    plan("1");
    let told = good(&path, &["unit", "run", "--plan", "p/PLAN.json", "--index", "0", "--count", "100"]);
    let rows: Vec<Value> = told.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    assert_eq!(rows.len(), 8, "{told}");
    refused(&path, &["unit", "run", "--plan", "p/PLAN.json", "--index", "8"], "0 to 7");
    good(&path, &["unit", "join", "p/PLAN.json"]);
    let summary = json(path.join("p/summary.json"));
    assert_eq!(summary["hash"], hash("1"));
    assert!(summary["footfalls_per_second"].is_null());
    let sum: u64 = rows.iter().filter_map(|r| r["footfalls"].as_u64()).sum();
    assert_eq!(summary["footfalls"].as_u64(), Some(sum), "each tile tells its own");
    assert!(path.join("p/trail.tif").exists());
    // Another seed into the same store.
    plan("2");
    refused(&path, &["unit", "join", "p/PLAN.json"], "8 of 8 units are not done");
    good(&path, &["unit", "run", "--plan", "p/PLAN.json", "--index", "0", "--count", "8"]);
    std::fs::rename(path.join("p"), path.join("moved")).expect("moved");
    good(&path.join("moved"), &["unit", "join", "PLAN.json", "--out", "joined"]);
    assert_eq!(json(path.join("moved/joined/summary.json"))["hash"], hash("2"));
    // Changed by hand.
    let whole = text(path.join("moved/PLAN.json"));
    std::fs::write(path.join("moved/PLAN.json"), whole.replace("seed=2", "seed=3")).expect("written");
    refused(&path, &["unit", "join", "moved/PLAN.json"], "write it anew");
    std::fs::write(path.join("moved/PLAN.json"), whole).expect("written");
    // A bit of the last evening's wear.
    let day = std::fs::read_dir(path.join("moved/PLAN.store/day-00001")).expect("a day");
    let wear = day.map(|f| f.expect("a file").path()).filter(|p| p.extension().is_some_and(|e| e == "wear"));
    let wear = wear.max_by_key(|p| p.metadata().map_or(0, |m| m.len())).expect("wear");
    let mut bytes = std::fs::read(&wear).expect("read");
    bytes[4] ^= 1;
    std::fs::write(&wear, bytes).expect("written");
    refused(&path, &["unit", "join", "moved/PLAN.json"], "damaged");
}

#[test]
fn what_a_season_is_made_from_is_found_from_anywhere() {
    let (_kept, path) = place();
    let gis = path.join("gis");
    std::fs::create_dir(&gis).expect("made");
    let row = "0 ".repeat(13);
    let grid =
        format!("ncols 13\nnrows 7\nxllcorner 0\nyllcorner 0\ncellsize 1\n{}", format!("{row}\n").repeat(7));
    std::fs::write(gis.join("dem.asc"), &grid).expect("written");
    let scene = SCENE.replace("size = [12, 6]", "base = { kind = \"raster\", file = \"dem.asc\" }");
    std::fs::write(gis.join("placed.toml"), scene).expect("written");
    good(&gis, &["season", "placed.toml", "--out", "o", "--no-pictures"]);
    good(&path, &["measure", "gis/o"]);
    good(&gis, &["unit", "plan", "placed.toml", "--days", "1", "--out", "PLAN.json"]);
    good(&path, &["unit", "run", "--plan", "gis/PLAN.json", "--index", "0"]);
    good(&path, &["unit", "join", "gis/PLAN.json", "--out", "joined"]);
    good(&gis, &["measure", "../joined"]);
    std::fs::rename(&gis, path.join("elsewhere")).expect("moved");
    good(&path, &["unit", "join", "elsewhere/PLAN.json", "--out", "joined"]);
    std::fs::write(path.join("elsewhere/dem.asc"), grid.replace("0 \n", "1 \n")).expect("written");
    refused(&path, &["measure", "elsewhere/o"], "`dem.asc` has changed");
    refused(&path, &["unit", "join", "elsewhere/PLAN.json"], "`dem.asc` has changed");
    let resumed = ["season", "elsewhere/placed.toml", "--out", "elsewhere/o", "--resume", "--no-pictures"];
    refused(&path, &resumed, "`dem.asc` has changed");
}

#[test]
fn numbers_that_mean_nothing_and_pipes_are_refused() {
    let (_kept, path) = place();
    let with = |option: &'static str| ["season", "green.toml", "--no-pictures", option];
    for option in ["--station=0", "--station=nan", "--station=-1"] {
        refused(&path, &with(option), "0.01 to 10000 m");
    }
    for option in ["--checkpoint=nan", "--checkpoint=-5"] {
        refused(&path, &with(option), "0 to 1000000 s");
    }
    refused(&path, &["unit", "join", "/dev/zero"], "a pipe or a device");
    for name in ["pipe", "r/state.season", "c/summary.json"] {
        let place = path.join(name);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("made");
        assert!(Command::new("mkfifo").arg(&place).status().expect("mkfifo").success());
    }
    for arguments in [
        &["unit", "join", "pipe"][..],
        &["unit", "run", "--plan", "pipe", "--index", "0"],
        &["measure", "r"],
        &["season", "green.toml", "--out", "r", "--resume"],
        &["compare", "c", "--out", "d"],
    ] {
        refused(&path, arguments, "a pipe or a device");
    }
}

#[test]
fn sweeps_and_comparisons_tell_what_was_run() {
    let (_kept, path) = place();
    let sweep = |vary: &'static str, more: &[&'static str]| {
        [&["sweep", "green.toml", "--vary", vary, "--days", "1", "--out", "s"][..], more].concat()
    };
    good(&path, &sweep("seed=1,2", &[]));
    let runs = text(path.join("s/runs.csv"));
    let rows: Vec<Vec<&str>> = runs.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows[0][..4], ["seed", "days", "hash", "footfalls"], "{runs}");
    assert!(rows[1][0] == "1" && rows[2][0] == "2" && rows[1][2] != rows[2][2], "{runs}");
    let one = ["season", "green.toml", "--days", "1", "--seed", "2", "--out", "two", "--no-pictures"];
    good(&path, &one);
    assert_eq!(json(path.join("two/summary.json"))["hash"], rows[2][2], "{runs}");
    refused(&path, &sweep("seed=1,2", &["--seeds", "2"]), "leave one out");
    refused(&path, &sweep("wear=0", &["--vary", "wear=1"]), "varied already");
    good(&path, &sweep("days=1,2", &[]));
    let runs = text(path.join("s/runs.csv"));
    assert!(runs.starts_with("days,seed,hash,"), "{runs}");
    good(&path, &sweep("people_per_day=10,90", &["--seeds", "2"]));
    let page = text(path.join("s/sweep.html"));
    assert!(page.contains("one seed") && page.contains("largest incision, mm"), "seeds are shown");
    assert!(page.contains("The same in all runs") && !page.contains("0.0000"), "constants are said");
    // The same run twice is one run, which has no spread.
    good(&path, &["compare", "two", "./two", "--out", "c"]);
    let table = text(path.join("c/compare.csv"));
    assert!(table.contains("\nnot_walked,green days=1,1,0,,0,0\n"), "{table}");
    let page = text(path.join("c/compare.html"));
    assert!(page.contains("<td>–</td>") || page.contains(">–<"), "no spread");
    assert!(page.contains("Run without pictures") && !page.contains("0.0000"), "{}", page.len());
}

#[test]
fn ground_that_grew_nothing_is_not_bare() {
    let (_kept, path) = place();
    let planted = "[[plants]]\nspecies = \"lawn-grass\"\nrectangle = [[0, 0], [12, 6]]\n";
    assert!(SCENE.contains(planted));
    std::fs::write(path.join("earth.toml"), SCENE.replace(planted, "")).expect("written");
    good(&path, &["season", "earth.toml", "--out", "e", "--no-pictures", "--set", "people_per_day=300"]);
    let trail = json(path.join("e/summary.json"))["trail"].clone();
    assert!(trail["length_m"].as_f64() > Some(5.0) && trail["bare_m2"] == 0.0, "{trail}");
}

#[test]
fn names_do_not_reach_a_terminal_raw() {
    let (_kept, path) = place();
    let scene = SCENE.replace("[[trip]]", "[[trip]]\nname = \"a\\u001b[31mb\\nc\"");
    let scene = scene.replace("name = \"green\"", "name = \"g\\u001b]0;x\\u0007\"");
    std::fs::write(path.join("evil.toml"), scene).expect("written");
    good(&path, &["season", "evil.toml", "--out", "e", "--no-pictures", "--days", "1"]);
    good(&path, &["compare", "e", "--out", "c"]);
    for name in ["e/trips.csv", "e/trail.csv", "c/compare.csv"] {
        let table = text(path.join(name));
        let columns = table.lines().next().expect("a head").split(',').count();
        assert!(!table.contains(['\u{1b}', '\u{7}']), "{name}: {table:?}");
        assert!(table.lines().all(|l| l.split(',').count() == columns), "{name}: {table}");
    }
}
