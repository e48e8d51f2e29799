//! Seasons as a user has them: the names of commands, flags, files and JSON fields are a contract.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn trample(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trample")).args(arguments).output().expect("the command runs")
}

fn good(arguments: &[&str]) -> String {
    let output = trample(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&good(arguments)).expect("one JSON object")
}

/// Two gates of a lawn with a place on the earth, for a moment's season.
const SCENE: &str = r#"
name = "green"
[terrain]
size = [12, 6]
cell = 0.08
law = "natural"
[terrain.place]
epsg = 25832
corner = [691000, 5335000]
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
people_per_day = 90
[calendar]
start = 2026-04-01
days = 2
"#;

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn a_season_is_walked_resumed_measured_compared_and_swept() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let (scene, a, b) = (at("green.toml"), at("a"), at("b"));
    std::fs::write(&scene, SCENE).expect("written");
    let first = json(&["season", &scene, "--out", &a, "--no-pictures", "--json", "--live", "2"]);
    for field in ["/footfalls", "/footfalls_per_second", "/days", "/detour", "/centre_traffic", "/cover"] {
        assert!(first.pointer(field).is_some_and(Value::is_number), "{field}: {first}");
    }
    for field in ["length_m", "mean_width_m", "max_incision_m", "area_loss_m2", "bare_m2"] {
        assert!(first["trail"][field].is_number(), "{field}: {first}");
    }
    assert!(first["hash"].is_string() && first["footfalls"].as_u64() > Some(500) && first["not_walked"] == 0);
    for file in ["summary.json", "trips.csv", "trail.csv", "trail.geojson", "trail.tif", "live.toml"] {
        assert!(Path::new(&a).join(file).exists(), "{file}");
    }
    // Live walkers on the ways of the last day: from gate to gate.
    let live = text(&Path::new(&a).join("live.toml"));
    assert_eq!(live.matches("[[walker]]").count() + live.matches("[[puppet]]").count(), 2, "{live}");
    good(&["check", &at("a/live.toml")]);
    // Stopped after a day and resumed: the same bits.
    json(&["season", &scene, "--out", &b, "--days", "1", "--no-pictures", "--json"]);
    let resumed =
        json(&["season", &scene, "--out", &b, "--days", "2", "--no-pictures", "--json", "--resume"]);
    assert_eq!(resumed["hash"], first["hash"]);
    // Resumed when nothing is left to do: the same trail, not an empty one.
    let csv = text(&Path::new(&b).join("trail.csv"));
    let again = json(&["season", &scene, "--out", &b, "--days", "2", "--no-pictures", "--json", "--resume"]);
    assert_eq!((&again["trail"], &again["hash"]), (&first["trail"], &first["hash"]));
    assert!(again["trail"]["length_m"].as_f64() > Some(0.1) && csv.lines().count() > 8, "{again}");
    assert_eq!(text(&Path::new(&b).join("trail.csv")), csv);
    let shorter = trample(&["season", &scene, "--out", &b, "--days", "1", "--no-pictures", "--resume"]);
    let message = String::from_utf8_lossy(&shorter.stderr);
    assert!(!shorter.status.success() && message.contains("2 days are done already"), "{message}");
    for days in ["0", "-3"] {
        let none = trample(&["season", &scene, "--out", &b, "--days", days, "--no-pictures"]);
        let message = String::from_utf8_lossy(&none.stderr).into_owned();
        assert!(!none.status.success() && message.contains("`calendar.days`"), "{message}");
    }
    // Measured along the ways, and along a track.
    let measured = json(&["measure", &a, "--auto", "--every", "0.5", "--json"]);
    assert!(measured["stations"].as_array().is_some_and(|s| s.len() >= 19), "{measured}");
    for field in [
        "along_m",
        "width_m",
        "incision_m",
        "area_loss_m2",
        "bare",
        "cover",
        "trail_slope_deg",
        "landform_slope_deg",
        "alignment",
        "slope_ratio",
        "dense",
    ] {
        assert!(!measured["stations"][0][field].is_null(), "{field}");
    }
    assert!(measured["informal"]["length_m"].is_number() && measured["alignment"].is_object());
    assert!(text(&Path::new(&a).join("measure.csv")).lines().count() >= 20);
    assert_eq!(text(&Path::new(&a).join("trail.csv")), csv, "the season's own table stays");
    assert!(Path::new(&a).join("measure.geojson").exists());
    assert!(!measured.to_string().contains("-0.0"), "{}", measured["alignment"]);
    good(&["measure", &a, "--every", "2", "--out", &at("m")]);
    assert!(dir.path().join("m/measure.csv").exists());
    let far = at("far.gpx");
    std::fs::write(&far, "<gpx><trk><trkseg><trkpt lat=\"48\" lon=\"11\"/><trkpt lat=\"48.001\" lon=\"11\"/></trkseg></trk></gpx>").expect("written");
    for (arguments, said) in [
        (["measure", &a, "--along", &far], "2 of 2 points lie outside"),
        (["measure", &a, "--every", "0"], "0.01 to 10000 m"),
        (["measure", &scene, "--every", "1"], "no run of `trample season` is there"),
    ] {
        let output = trample(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(said), "{arguments:?}: {message}");
    }
    // Side by side, with differences.
    good(&["compare", &a, &b, "--out", &at("c")]);
    let files: Vec<String> = std::fs::read_dir(at("c"))
        .expect("a folder")
        .flatten()
        .map(|f| f.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        files.iter().any(|f| f.ends_with(".html")) && files.iter().any(|f| f.ends_with(".csv")),
        "{files:?}"
    );
    // Named by what they are; the first differs from itself by nothing.
    let table = text(&dir.path().join("c/compare.csv"));
    let walked: Vec<&str> = table.lines().filter(|l| l.starts_with("footfalls,")).collect();
    assert!(walked[0].starts_with("footfalls,green,1,") && walked[0].ends_with(",0,0"), "{table}");
    assert!(walked[1].starts_with("footfalls,green days=2,1,"), "{table}");
    // Varied: every value with every seed.
    good(&[
        "sweep",
        &scene,
        "--vary",
        "people_per_day=5,60",
        "--seeds",
        "2",
        "--jobs",
        "2",
        "--out",
        &at("s"),
        "--days",
        "1",
    ]);
    let runs = text(&dir.path().join("s/runs.csv"));
    let rows: Vec<&str> = runs.lines().collect();
    assert!(rows.len() == 5 && rows[0].starts_with("people_per_day,seed,days,hash"), "{runs}");
    assert_ne!(rows[1].split(',').nth(3), rows[2].split(',').nth(3), "seeds differ");
}

#[test]
fn a_resumed_season_has_the_frames_of_the_days_before() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let (scene, out) = (at("green.toml"), at("a"));
    std::fs::write(&scene, SCENE).expect("written");
    let frames = || {
        let report = text(&dir.path().join("a/report.html"));
        let film = std::fs::read(dir.path().join("a/film.png")).expect("a film");
        let control = film.windows(4).position(|w| w == b"acTL").expect("animated") + 4;
        let many = u32::from_be_bytes(film[control..control + 4].try_into().expect("four bytes"));
        (report.matches("alt=\"day ").count(), many)
    };
    good(&["season", &scene, "--out", &out, "--days", "2"]);
    assert_eq!(frames(), (2, 2));
    good(&["season", &scene, "--out", &out, "--days", "5", "--resume"]);
    assert_eq!(frames(), (5, 5));
    // Nothing left to do, then anew.
    good(&["season", &scene, "--out", &out, "--days", "5", "--resume"]);
    assert_eq!(frames(), (5, 5));
    good(&["season", &scene, "--out", &out, "--days", "1"]);
    assert_eq!(frames(), (1, 1));
}

#[test]
fn who_comes_when_it_is_closed_is_counted_and_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name).to_str().expect("plain").to_string();
    let scene = at("green.toml");
    // Open in the morning alone, and the western gate walled in on the second day.
    let closed = SCENE.replace(
        "days = 2\n",
        "days = 2\nopen = [6, 12]\n[[closure]]\nfrom = 1\nto = 1\nrectangle = [[3, 0], [5, 6]]\n",
    );
    std::fs::write(&scene, closed).expect("written");
    let output = trample(&["season", &scene, "--out", &at("a"), "--no-pictures"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("were not walked"), "{said}");
    let summary: Value = serde_json::from_str(&text(&dir.path().join("a/summary.json"))).expect("JSON");
    let (walks, not) =
        (summary["walks"].as_f64().expect("walks"), summary["not_walked"].as_f64().expect("not"));
    // 36/128 of the people come before noon; nobody gets through on the second day.
    assert!((not / walks - (1.0 - 0.5 * 36.0 / 128.0)).abs() < 0.09, "{not} of {walks}");
    for (arguments, part) in [
        (["season", &scene, "--set", "days=0"], "calendar.days"),
        (["season", &scene, "--set", "people_per_day=-1"], "people_per_day"),
    ] {
        let output = trample(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(part), "{arguments:?}: {message}");
    }
}
