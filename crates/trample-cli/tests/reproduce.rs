//! `trample reproduce` as a user has it: names, files, verdicts, and the same bytes every time.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn trample(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trample")).args(arguments).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Three experiments that take a moment each.
const CHEAP: [&str; 3] = ["df-fig7", "df-table1", "tr-fig6"];

fn reproduce(out: &Path, more: &[&str]) -> Value {
    let out = out.to_str().expect("a plain path");
    let all = [&["reproduce"], &CHEAP[..], &["--quick", "--json", "--out", out], more].concat();
    let output = trample(&all);
    assert!(output.status.success(), "{all:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn every_experiment_is_listed_and_mistakes_are_answered() {
    let listed = text(&trample(&["reproduce", "--list"]).stdout);
    for name in [
        "sw-fig1",
        "sw-fig2",
        "sw-fig3",
        "sw-fig4",
        "sw-grass",
        "df-fig2",
        "df-fig3",
        "df-timings",
        "df-fig4",
        "df-fig5",
        "df-fig6",
        "df-fig7",
        "df-fig8",
        "df-table1",
        "df-fig9",
        "df-fig10",
        "tr-fig2",
        "tr-fig3",
        "tr-fig5",
        "tr-fig4",
        "tr-fig6",
        "tr-fig7",
        "tr-fig8",
        "tr-fig9",
        "tr-fig10",
        "tr-fig11",
        "tr-fig12",
        "tr-fig13",
        "tr-fig14",
        "tr-fig15",
        "tr-fig16",
        "tr-timings",
        "convergence-cell",
        "convergence-rate",
        "convergence-passes",
        "convergence-substeps",
        "tr-table1",
        "measured-gait",
        "measured-drag",
        "measured-snow",
        "trails-live",
        "trails-hash",
        "trails-joining",
        "trails-triangle",
        "trails-use",
        "trails-field",
        "trails-convergence",
        "trails-network",
        "convergence-seeds",
    ] {
        assert!(listed.lines().any(|l| l.split_whitespace().next() == Some(name)), "{name} is not listed");
    }
    let output = trample(&["reproduce", "fig77"]);
    assert!(!output.status.success() && text(&output.stderr).contains("--list"), "{}", text(&output.stderr));
}

#[test]
fn running_twice_gives_the_same_bytes_on_any_number_of_threads() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let docs = |out: &Path| out.join("validation.md");
    let run = |out: &Path, threads: &str| {
        reproduce(out, &["--threads", threads, "--docs", docs(out).to_str().expect("a plain path")])
    };
    assert_eq!(run(&a, "1"), run(&b, "3"));
    for file in ["numbers.json", "report.html", "validation.md"] {
        assert!(read(&a.join(file)) == read(&b.join(file)), "{file} differs");
    }
    for name in CHEAP {
        for file in ["figure.png", "figure.svg", "numbers.json"] {
            let path = Path::new(name).join(file);
            assert!(read(&a.join(&path)) == read(&b.join(&path)), "{} differs", path.display());
        }
        let picture = a.join("validation").join(format!("{name}.png"));
        assert!((1000..400_000).contains(&read(&picture).len()), "{}", picture.display());
        assert!(text(&read(&docs(&a))).contains(&format!("validation/{name}.png")));
    }
    assert!(a.join("timings.json").exists(), "the clock has a file of its own");
    assert!(!text(&read(&a.join("numbers.json"))).contains("seconds"), "and no place among the numbers");
}

#[test]
fn the_report_needs_nothing_from_elsewhere_and_says_what_is_not_done() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let numbers = reproduce(dir.path(), &[]);
    let report = text(&read(&dir.path().join("report.html")));
    for outside in ["src=\"http", "href=\"http", "src=\"/", "@import", "url(", "<script", "<link"] {
        assert!(!report.contains(outside), "the report refers to {outside}");
    }
    assert!(report.contains("data:image/png;base64,") && report.contains("What the model does not do"));
    // A sphere and a table agree with the equations they come from; what they are compared with besides may differ.
    let experiments = numbers["experiments"].as_array().expect("a list");
    assert_eq!(experiments.len(), 3);
    for experiment in experiments {
        for finding in experiment["findings"].as_array().expect("findings") {
            let kind = finding["kind"].as_str().expect("a kind");
            assert!(kind != "identity" || finding["verdict"] == "agrees", "{finding}");
            let told = finding["why_this_tolerance"].is_string() && !finding["tolerance"].is_null();
            assert!(told == (kind != "picture"), "{finding}");
            assert!(finding["ours"].is_number(), "{finding}");
            assert!(finding["reference"].is_null() || finding["source"].is_string(), "{finding}");
        }
    }
}

#[test]
fn wrong_readings_are_shown_when_asked_for_and_never_judged() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let readings = |numbers: &Value| {
        let all = numbers["experiments"].as_array().expect("a list").iter();
        let findings = all.flat_map(|e| e["findings"].as_array().expect("findings"));
        findings.filter(|f| f["verdict"] == "paper's reading").cloned().collect::<Vec<_>>()
    };
    assert!(readings(&reproduce(dir.path(), &[])).is_empty());
    let shown = readings(&reproduce(dir.path(), &["--paper-reading"]));
    assert!(shown.len() >= 3 && shown.iter().all(|f| f["why"].is_string()), "{shown:?}");
    // On soles of 10 cm² everybody sinks to the bottom of the layer: 0.95 of 30 cm.
    let sunk =
        shown.iter().find(|f| f["what"].as_str().is_some_and(|w| w.contains("10 cm²"))).expect("a sole");
    assert!(sunk["ours"].as_f64().is_some_and(|d| d > 250.0), "{sunk}");
}
