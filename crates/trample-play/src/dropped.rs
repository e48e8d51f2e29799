//! Files dropped on the window: what they are, and the scene that comes of it.

use std::path::Path;
use trample::scene::Scene;
use trample_files::{RunFile, Source, character};

/// What a dropped file leads to.
#[derive(Debug)]
pub enum Dropped {
    /// Another scene, or this scene on another ground or with another body.
    Scene(Box<Source>),
    /// A run to go on with or to replay.
    Run(Box<RunFile>),
}

/// Looks at a file; `scene` is what runs now.
///
/// # Errors
/// What is wrong with it, in the words of its reader.
pub fn look(path: &Path, scene: &Scene) -> Result<Dropped, String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "toml" => {
            let source = Source::read(path).map_err(|e| e.to_string())?;
            source.scene().map_err(|e| e.to_string())?;
            Ok(Dropped::Scene(Box::new(source)))
        }
        "trample" => Ok(Dropped::Run(Box::new(RunFile::load(path).map_err(|e| e.to_string())?))),
        _ if character::is_character(path) => with_character(path, scene, extension == "bvh"),
        _ => {
            let mut source = Source::of_scene(scene);
            // The ground of a height map is as large as the map; walkers and plants stay where they fit.
            source.settings = vec![format!("terrain.base.file={}", quoted(path))];
            source.scene().map_err(|e| e.to_string())?;
            Ok(Dropped::Scene(Box::new(source)))
        }
    }
}

/// A path as a TOML string.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}

/// The scene with its first walker in another body, or with other motion.
fn with_character(path: &Path, scene: &Scene, motion_only: bool) -> Result<Dropped, String> {
    let mut source = Source::of_scene(scene);
    // A file with a body says the measures itself; what the scene says of them must go.
    let said = ["body", "height", "foot_length", "foot_width", "footwear", "mass"];
    if !motion_only {
        let mut walkers = 0;
        let keep = |line: &&str| {
            if line.starts_with('[') {
                walkers += usize::from(*line == "[[walker]]");
                walkers += usize::from(walkers == 1 && *line != "[[walker]]");
            }
            let key = line.split(['=', ' ']).next().unwrap_or_default();
            walkers != 1 || !said.contains(&key)
        };
        source.text = source.text.lines().filter(keep).collect::<Vec<_>>().join("\n");
    }
    let key = if motion_only { "motion" } else { "character" };
    let value = if motion_only { format!("[{}]", quoted(path)) } else { quoted(path) };
    source.settings = vec![format!("walker.0.{key}={value}")];
    source.scene().map_err(|e| e.to_string())?;
    Ok(Dropped::Scene(Box::new(source)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::stroll;
    use trample::motion::{Skeleton, Style, library};
    use trample::params::Body;
    use trample::scene::Script;
    use trample::{Base, World};

    fn scene_of(dropped: Dropped) -> Scene {
        let Dropped::Scene(source) = dropped else { panic!("not a scene") };
        source.scene().expect("scene")
    }

    #[test]
    fn a_scene_file_is_used_and_a_bad_one_names_its_line() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("own.toml");
        std::fs::write(&path, "preset = \"walk-mud\"\nname = \"own\"\n").expect("written");
        assert_eq!(scene_of(look(&path, &stroll()).expect("used")).name, "own");
        std::fs::write(&path, "preset = \"walk-mud\"\nnonsense = 3\n").expect("written");
        let problem = look(&path, &stroll()).expect_err("refused");
        assert!(problem.contains("own.toml:2") && problem.contains("nonsense"), "{problem}");
    }

    #[test]
    fn a_height_map_becomes_the_ground() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("hill.asc");
        let rows: Vec<String> = (0..12).map(|z| (0..12).map(|x| format!("{} ", x * z)).collect()).collect();
        let header = "ncols 12\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
        std::fs::write(&path, format!("{header}{}\n", rows.join("\n"))).expect("written");
        let scene = scene_of(look(&path, &stroll()).expect("used"));
        assert!(matches!(scene.terrain.base, Base::Raster(_)), "{:?}", scene.terrain.base);
        World::new(&scene).expect("runs");
    }

    #[test]
    fn a_motion_file_moves_the_walker() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("walk.bvh");
        let body = Body::default();
        let skeleton = Skeleton::new(&body);
        let clips = library::clips_on(&body, &skeleton, &Style::default());
        let clip = clips.iter().find(|c| c.speed > 1.0).expect("a walk");
        std::fs::write(&path, character::write_bvh(clip, &skeleton)).expect("written");
        let scene = scene_of(look(&path, &stroll()).expect("used"));
        let Script::Walker(walker) = &scene.puppets[0].script else { panic!("a walker") };
        assert!(walker.recorded.is_some());
    }

    #[test]
    fn a_picture_of_nothing_is_refused_with_words() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("note.txt");
        std::fs::write(&path, "hello").expect("written");
        let problem = look(&path, &stroll()).expect_err("refused");
        assert!(problem.contains("note.txt"), "{problem}");
    }
}
