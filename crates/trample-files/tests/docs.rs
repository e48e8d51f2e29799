//! `docs/formats.md` says what the tables in the code say.

use std::path::Path;
use trample::params::{Footwear, Law, material, species};
use trample::scene::{Placement, PlantPatch, PuppetSpec, Scene, Terrain, Walk, check};
use trample::{Material, Species};

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The rows of all tables that are about `key`.
fn rows<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let key = format!("| `{key}` |");
    text.lines().filter(|line| line.contains(&key)).collect()
}

#[test]
fn every_range_stands_in_the_document_as_it_is_in_the_code() {
    let text = document();
    for range in check::RANGES.iter().chain(&Material::RANGES).chain(&Species::RANGES) {
        assert!(text.contains(&format!("`{}`", range.field)), "`{}` is missing", range.field);
        let keys: &[&str] = match range.field {
            "crest_height" => &["height"],
            "side_deg" => &["windward_deg", "lee_deg"],
            "seconds" => &["rest", "down", "up"],
            _ => &[range.field],
        };
        for key in keys {
            let rows = rows(&text, key);
            let said = rows.iter().any(|row| row.contains(&format!("| {}", range.allowed())));
            assert!(said, "`{key}` must be allowed {}; the document says: {rows:?}", range.allowed());
        }
    }
}

#[test]
fn the_defaults_in_the_document_are_those_of_the_code() {
    let text = document();
    let (scene, terrain, puppet, walk) =
        (Scene::default(), Terrain::default(), PuppetSpec::default(), Walk::default());
    let defaults = [
        ("rate", scene.rate),
        ("cell", terrain.cell),
        ("contour", terrain.contour),
        ("tolerance", terrain.tolerance),
        ("force_threshold", terrain.force_threshold),
        ("mass", puppet.mass),
        ("height", puppet.height),
        ("foot_length", puppet.foot_length),
        ("foot_width", puppet.foot_width),
        ("speed", walk.speed),
        ("step_width", walk.step_width),
        ("lateral_sd", walk.lateral_sd),
        ("step_sd", walk.step_sd),
        ("start", walk.start),
        ("density", PlantPatch::default().density),
    ];
    for (key, value) in defaults {
        let rows = rows(&text, key);
        assert!(rows.iter().any(|row| row.contains(&format!("| {value} |"))), "`{key}` is {value}: {rows:?}");
    }
    assert!(
        rows(&text, "size")
            .iter()
            .any(|row| row.contains(&format!("`[{}, {}]`", terrain.size[0], terrain.size[1])))
    );
    assert!(rows(&text, "law").iter().any(|row| row.contains(&format!("| `\"{}\"` |", terrain.law.name()))));
    assert!(rows(&text, "passes").iter().any(|row| row.contains(&format!("| {} |", walk.passes))));
}

#[test]
fn every_word_that_can_be_chosen_stands_in_the_document() {
    let text = document();
    let words = Law::ALL.map(Law::name).into_iter().chain(Footwear::ALL.map(Footwear::name));
    let words = words.chain(species::PRESETS.map(|preset| preset.name));
    let words = words.chain(Placement::ALL.map(|p| p.0)).chain(species::Shape::ALL.map(|s| s.0));
    for word in words {
        assert!(text.contains(&format!("`\"{word}\"`")), "{word} is missing");
    }
    for preset in material::PRESETS {
        assert!(text.contains(&format!("`{}`", preset.name)), "{} is missing", preset.name);
    }
}

/// A key that is not known gets a message with all that are; each of them must be in the document.
#[test]
fn every_key_that_is_read_stands_in_the_document() {
    let text = document();
    let kinds = ["flat", "slope", "hills", "dune", "raster"]
        .map(|k| format!("[terrain.base]\nkind = {k:?}\nqqq = 1"));
    let motions = ["walk", "drop", "press", "host"].map(|m| format!("[[puppet]]\nmotion = {m:?}\nqqq = 1"));
    let others = [
        "qqq = 1",
        "[terrain]\nqqq = 1",
        "terrain.place.qqq = 1",
        "[[material]]\nqqq = 1",
        "[[paint]]\nqqq = 1",
        "[[paint]]\nmaterial = \"mud\"\ndisc = { qqq = 1 }",
        "[[puppet]]\nsole = { qqq = 1 }",
        "[[walker]]\nqqq = 1",
        "[[plants]]\nmethod = \"displaced\"\nqqq = 1",
    ];
    for scene in kinds.iter().chain(&motions).map(String::as_str).chain(others) {
        let source = trample_files::Source {
            name: "test.toml".into(),
            text: scene.into(),
            settings: Vec::new(),
            folder: Path::new("").into(),
        };
        let message = source.scene().expect_err("an unknown key").to_string();
        let (_, keys) = message.split_once("Allowed here: ").unwrap_or_else(|| panic!("{message}"));
        for key in keys.split(", ") {
            let forms = [format!("`{key}`"), format!("`{key} = "), format!("{key}]"), format!(" {key} = ")];
            assert!(forms.iter().any(|form| text.contains(form)), "`{key}` is missing ({scene:?})");
        }
    }
}
