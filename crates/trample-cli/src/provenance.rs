//! Where a result comes from: version, command and scene of a run, so that it can be made again.

use crate::Failure;
use serde_json::{Value, json};
use std::path::Path;
use trample::Scene;
use trample_files::inputs::Input;
use trample_files::{Source, scene_file};
use trample_lab::save;

/// Version of the program, with the commit it was built from where that is known.
pub(crate) const VERSION: &str = env!("TRAMPLE_VERSION");

/// Adds `version`, `command` and `scene_hash` to a summary.
pub(crate) fn put_in(summary: &mut Value, source: &Source, scene: &Scene, inputs: &[Input]) {
    if let Value::Object(fields) = summary {
        fields.insert("version".into(), json!(VERSION));
        fields.insert("command".into(), json!(command()));
        fields.insert("scene_hash".into(), json!(format!("{:016x}", scene_hash(source, scene, inputs))));
    }
}

/// The command line, as a shell would take it again.
fn command() -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    let word = |word: String| {
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let arguments = std::env::args_os().skip(1).map(|a| word(a.to_string_lossy().into_owned()));
    std::iter::once("trample".to_string()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// The same for scenes that are the same, however they were put together.
fn scene_hash(source: &Source, scene: &Scene, inputs: &[Input]) -> u64 {
    let mut hasher = trample::internal::Hasher::default();
    match Source::of_scene(scene) {
        Ok(whole) => hasher.bytes(whole.text.as_bytes()),
        Err(_) => {
            hasher.bytes(source.text.as_bytes());
            source.settings.iter().for_each(|setting| hasher.bytes(setting.as_bytes()));
        }
    }
    // What it is made from beside its text: heights, images, soles, characters, motion.
    inputs.iter().filter_map(|input| input.hash).for_each(|hash| hasher.word(hash));
    hasher.finish()
}

/// Leaves `scene.toml` in the folder of a run: the scene as it was run, or, where its motion is in files of its own, the text it was
/// made from, below what was set.
pub(crate) fn save_scene(folder: &Path, source: &Source, scene: &Scene) -> Result<(), Failure> {
    let path = folder.join("scene.toml");
    if scene_file::write(&path, scene).is_ok() {
        return Ok(());
    }
    let set: String = source.settings.iter().map(|setting| comment(setting)).collect();
    save(&path, format!("{set}{}", source.text).as_bytes())
}

/// A setting as a comment, which ends where its line does and may hold no control characters.
fn comment(setting: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    format!("# --set {}\n", setting.chars().map(shown).collect::<String>())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_setting_does_not_leave_its_comment() {
        assert_eq!(super::comment("name=a\nb = [\u{1}"), "# --set name=a\\nb = [\\u{1}\n");
    }
}
