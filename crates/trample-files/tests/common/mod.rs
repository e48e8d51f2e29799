//! Scenes from texts, for the tests of this crate.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};
use trample_files::Source;

/// A scene file that says `text`.
pub(crate) fn source(text: &str) -> Source {
    Source { name: "test.toml".into(), text: text.into(), settings: Vec::new(), folder: PathBuf::new() }
}

/// The same, with files beside it.
pub(crate) fn source_in(folder: &Path, text: &str) -> Source {
    Source { folder: folder.into(), ..source(text) }
}

/// What is said about a bad scene.
pub(crate) fn bad(text: &str) -> String {
    match source(text).scene() {
        Err(error) => error.to_string(),
        Ok(scene) => panic!("accepted: {}\nas {scene:?}", text.chars().take(200).collect::<String>()),
    }
}

/// A library scene with settings over it.
pub(crate) fn with(scene: &str, settings: &[&str]) -> Source {
    let mut source = Source::find(scene).expect("a library scene");
    source.settings = settings.iter().map(ToString::to_string).collect();
    source
}

/// What is said about bad settings.
pub(crate) fn bad_set(scene: &str, settings: &[&str]) -> String {
    match with(scene, settings).scene() {
        Err(error) => error.to_string(),
        Ok(scene) => panic!("accepted {settings:?} as {scene:?}"),
    }
}
