//! Scene files: TOML in, [`Scene`] out, and back.
//!
//! A scene is a library scene or a file, with `key=value` settings over it. Everything goes through one tree whose
//! leaves remember where they came from, so an error can name the line or the setting.

mod animal;
mod ground;
mod keys;
mod node;
mod own_motion;
mod plant_patch;
mod puppet;
mod read;
mod season;
mod settings;
mod table;
mod walker;
mod write;

pub use plant_patch::{is_species, read_species};
pub use season::on_terrain;
pub use write::{Unwritable, species_to_toml, to_toml, write};

use crate::character::Loaded;
use crate::inputs::{self, Input};
use crate::memory;
pub(crate) use node::shortened;
use node::{Node, Place, Value, hint};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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

/// For every puppet of a scene the character it is, if it brings one.
pub type Cast = Vec<Option<Arc<Loaded>>>;

/// A scene, and what it was made from.
#[derive(Clone, Debug)]
pub struct Built {
    /// The scene.
    pub scene: Scene,
    /// Whose body each of its puppets is: the characters that its walkers bring along.
    pub cast: Cast,
    /// Which characters and motions are likely not what they were taken for.
    pub doubts: Vec<String>,
    /// Files that were opened or looked for.
    pub files: Vec<PathBuf>,
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
            return Ok(Self::of_library(&found));
        }
        let path = Path::new(scene);
        if memory::facts(path).is_err() {
            let problem = format!(
                "no such file or library scene{}`trample scenes` lists the library",
                hint(scene, &names())
            );
            return Err(SceneFileError { place: shortened(scene), problem });
        }
        Self::read(path)
    }

    /// A scene file.
    pub fn read(path: &Path) -> Result<Self, SceneFileError> {
        let fail = |problem: String| SceneFileError { place: path.display().to_string(), problem };
        // What is not a file, such as a pipe, does not say how long it is: read no more than is allowed.
        let file = memory::open(path).map_err(|e| fail(e.to_string()))?;
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| fail(e.to_string()))?;
        if bytes.len() as u64 > LARGEST {
            return Err(fail(format!(
                "more than {LARGEST} bytes, allowed: {LARGEST}; a scene is a short text"
            )));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = good.iter().filter(|b| **b == b'\n').count() + 1;
            SceneFileError {
                place: format!("{}:{line}", path.display()),
                problem: "not a text file in UTF-8".into(),
            }
        })?;
        Ok(Self {
            name: path.display().to_string(),
            text,
            settings: Vec::new(),
            folder: memory::folder_of(path).to_path_buf(),
        })
    }

    /// A scene that is there already.
    ///
    /// # Errors
    /// If it holds what TOML cannot say.
    pub fn of_scene(scene: &Scene) -> Result<Self, Unwritable> {
        let (name, text) = (scene.name.clone(), to_toml(scene)?);
        Ok(Self { name, text, settings: Vec::new(), folder: PathBuf::new() })
    }

    /// A scene of the library.
    fn of_library(scene: &Scene) -> Self {
        Self::of_scene(scene).expect("scenes of the library can be written")
    }

    /// Builds the scene.
    pub fn scene(&self) -> Result<Scene, SceneFileError> {
        self.build().map(|built| built.scene)
    }

    /// Builds the scene, and says what it was made from.
    pub fn build(&self) -> Result<Built, SceneFileError> {
        let (built, files) = inputs::watched(|| self.read_tree());
        let (scene, cast, doubts) = built?;
        Ok(Built { scene, cast, doubts, files })
    }

    /// The files that a scene of this source was made from, as they are now.
    pub fn inputs(&self, built: &Built) -> Vec<Input> {
        inputs::hashed(&built.files, &self.folder)
    }

    fn read_tree(&self) -> Result<(Scene, Cast, Vec<String>), SceneFileError> {
        let mut tree = self.tree()?;
        for setting in &self.settings {
            settings::apply(&mut tree, setting).map_err(|problem| SceneFileError {
                place: self.place(&Place::Set(setting.clone())),
                problem,
            })?;
        }
        read::scene(&tree, self)
    }

    fn tree(&self) -> Result<Node, SceneFileError> {
        let mut tree = self.parse()?;
        if matches!(&tree.value, Value::Table(rows) if rows.is_empty()) {
            let problem = "nothing in it; a scene has a [terrain], a [[puppet]] or at least a `preset`";
            return Err(SceneFileError { place: self.place(&tree.place), problem: problem.into() });
        }
        // A scene may start from a library scene and say only what differs.
        if let Some(preset) = tree.take("preset") {
            let fail = |problem: String| SceneFileError { place: self.place(&preset.place), problem };
            let known = names();
            let Some(name) = preset.text() else {
                return Err(fail(format!(
                    "`preset` is {}, allowed: {}",
                    preset.described(),
                    known.join(", ")
                )));
            };
            let Some(base) = library::by_name(name) else {
                let (shown, hint) = (shortened(name), hint(name, &known));
                return Err(fail(format!(
                    "`preset` is `{shown}`, no such library scene{hint}Allowed: {}",
                    known.join(", ")
                )));
            };
            let mut whole = Node::parse(&Self::of_library(&base).text).expect("our own TOML is TOML");
            whole.mark(&Place::Library(name.into()));
            whole.overlay(tree);
            tree = whole;
        }
        Ok(tree)
    }

    /// The text as a tree. An error quotes its line, unless the file is not called a scene: then it may be any file.
    fn parse(&self) -> Result<Node, SceneFileError> {
        Node::parse(&self.text).map_err(|(line, problem)| {
            let named = Path::new(&self.name).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
            let quote = named || memory::facts(Path::new(&self.name)).is_err();
            let source = shortened(self.text.lines().nth(line - 1).unwrap_or_default().trim());
            let problem =
                if quote && !source.is_empty() { format!("{problem}: `{source}`") } else { problem };
            SceneFileError { place: format!("{}:{line}", self.name), problem }
        })
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Line(line) => format!("{}:{line}", self.name),
            Place::Set(setting) => format!("--set {}", shortened(setting)),
            Place::Library(scene) => format!("{} (from library scene {scene})", self.name),
        }
    }
}

/// The library scenes.
fn names() -> Vec<&'static str> {
    library::ENTRIES.iter().map(|e| e.name).collect()
}
