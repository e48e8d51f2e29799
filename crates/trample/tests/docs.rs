//! The documents are true: every path they name exists, and every test they point to is one.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// Words between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// All Rust sources of the workspace, as one text.
fn sources() -> String {
    let mut all = String::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("folder").filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                all += &std::fs::read_to_string(path).expect("source");
            }
        }
    }
    all
}

#[test]
fn every_path_named_in_the_documents_exists() {
    for document in [
        "ARCHITECTURE.md",
        "README.md",
        "CONTRIBUTING.md",
        "docs/papers.md",
        "docs/determinism.md",
        "docs/gait.md",
    ] {
        let text =
            std::fs::read_to_string(root().join(document)).unwrap_or_else(|e| panic!("{document}: {e}"));
        let mut named = 0;
        for word in quoted(&text) {
            let is_path =
                word.starts_with("crates/") || word.starts_with("docs/") || word.starts_with("scenes/");
            if is_path && !word.contains([' ', '*', '<', '…']) {
                named += 1;
                assert!(root().join(word).exists(), "{document} names {word}, which is not there");
            }
        }
        assert!(named > 0, "{document} names no path at all");
    }
}

#[test]
fn every_test_named_for_an_equation_exists() {
    let text = std::fs::read_to_string(root().join("docs/papers.md")).expect("papers.md");
    let sources = sources();
    let mut tests = 0;
    for line in text.lines().filter(|l| l.starts_with('|')) {
        let Some(cell) = line.trim_end().trim_end_matches('|').rsplit('|').next() else { continue };
        for name in quoted(cell).filter(|n| n.contains('_') && !n.contains('/')) {
            tests += 1;
            assert!(
                sources.contains(&format!("fn {name}(")),
                "papers.md names the test {name}, which is not there"
            );
        }
    }
    assert!(tests > 15, "only {tests} tests are named");
}

/// Small numbers as the documents spell them.
const WORDS: [&str; 10] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

#[test]
fn counts_in_the_documents_are_those_of_the_code() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).expect("a document");
    let laws = WORDS[trample::Law::ALL.len()];
    assert!(read("README.md").contains(&format!("{laws} laws, `natural` from measurements")), "{laws} laws");
    let species = WORDS[trample::params::species::PRESETS.len()];
    assert!(read("CHANGELOG.md").contains(&format!("- Plants: {species} species")), "{species} species");
    let papers = read("docs/papers.md");
    let (body, terrain) = (trample::params::Body::default(), trample::scene::Terrain::default());
    for told in [
        format!("`align_height` (d_max, {} m by default)", body.align_height),
        format!("`toe_slope_deg` (θ0, {:.0}°)", body.toe_slope.to_degrees()),
        format!("F_threshold is not printed: {} body weights by default", terrain.force_threshold),
    ] {
        assert!(papers.contains(&told), "docs/papers.md does not say: {told}");
    }
    let rows: Vec<&str> = papers.lines().filter(|l| l.starts_with("| ")).collect();
    for (i, row) in rows.iter().enumerate() {
        assert!(!rows[i + 1..].contains(row), "docs/papers.md has this row twice: {row}");
    }
}
