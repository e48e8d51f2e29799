//! Scene files: TOML in, [`Scene`] out, and back.
//!
//! A scene is a library scene or a file, with `key=value` settings over it. Everything goes through one tree whose
//! leaves remember where they came from, so an error can name the line or the setting.

mod node;
mod read;
mod settings;
mod write;

pub use write::to_toml;

use node::{Node, Place};
use std::path::{Path, PathBuf};
use trample::Scene;
use trample::scene::library;

/// Largest scene file that is read, bytes.
const LARGEST: u64 = 4 << 20;

/// Where a scene comes from: the text and what was set over it. Enough to build it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What messages call it: a file name or a library name.
    pub name: String,
    /// The scene as TOML.
    pub text: String,
    /// Settings over it, `key=value`.
    pub settings: Vec<String>,
    /// Where files named in it are looked for.
    pub folder: PathBuf,
}

/// What is wrong with a scene file.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct SceneFileError {
    /// File and line, or the setting.
    pub place: String,
    /// What is wrong, the field, and what is allowed.
    pub problem: String,
}

impl Source {
    /// A library scene by name, else a file.
    pub fn find(scene: &str) -> Result<Self, SceneFileError> {
        if let Some(found) = library::by_name(scene) {
            return Ok(Self::of_scene(&found));
        }
        let path = Path::new(scene);
        if !path.exists() {
            let known: Vec<&str> = library::ENTRIES.iter().map(|e| e.name).collect();
            let hint = node::nearest(scene, &known).map_or(String::new(), |n| format!(" — did you mean `{n}`?"));
            return Err(SceneFileError {
                place: scene.into(),
                problem: format!("no such file or library scene{hint}; `trample scenes` lists the library"),
            });
        }
        Self::read(path)
    }

    /// A scene file.
    pub fn read(path: &Path) -> Result<Self, SceneFileError> {
        let fail = |problem: String| SceneFileError { place: path.display().to_string(), problem };
        let size = std::fs::metadata(path).map_err(|e| fail(e.to_string()))?.len();
        if size > LARGEST {
            return Err(fail(format!("{size} bytes, allowed: {LARGEST}; a scene is a short text")));
        }
        let text = std::fs::read_to_string(path).map_err(|e| fail(format!("not a text file: {e}")))?;
        Ok(Self {
            name: path.display().to_string(),
            text,
            settings: Vec::new(),
            folder: path.parent().unwrap_or(Path::new("")).to_path_buf(),
        })
    }

    /// A scene that is there already.
    pub fn of_scene(scene: &Scene) -> Self {
        Self { name: scene.name.clone(), text: to_toml(scene), settings: Vec::new(), folder: PathBuf::new() }
    }

    /// Builds the scene.
    pub fn scene(&self) -> Result<Scene, SceneFileError> {
        let mut tree = self.tree()?;
        for setting in &self.settings {
            settings::apply(&mut tree, setting)
                .map_err(|problem| SceneFileError { place: format!("--set {setting}"), problem })?;
        }
        read::scene(&tree, self)
    }

    fn tree(&self) -> Result<Node, SceneFileError> {
        let mut tree = Node::parse(&self.text).map_err(|(line, problem)| SceneFileError {
            place: format!("{}:{line}", self.name),
            problem,
        })?;
        // A scene may start from a library scene and say only what differs.
        if let Some(preset) = tree.take("preset") {
            let name = preset.text().unwrap_or_default().to_string();
            let Some(base) = library::by_name(&name) else {
                let known: Vec<&str> = library::ENTRIES.iter().map(|e| e.name).collect();
                return Err(SceneFileError {
                    place: self.place(&preset.place),
                    problem: format!("`preset` is `{name}`, allowed: {}", known.join(", ")),
                });
            };
            let text = to_toml(&base);
            let mut whole = Node::parse(&text).expect("our own TOML is TOML");
            whole.mark(&Place::Library(name));
            whole.overlay(tree);
            tree = whole;
        }
        Ok(tree)
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Line(line) => format!("{}:{line}", self.name),
            Place::Set(setting) => format!("--set {setting}"),
            Place::Library(scene) => format!("{} (from library scene {scene})", self.name),
        }
    }
}
