//! Files dropped on the window: what they are, and the scene that comes of it.

use std::path::{Path, PathBuf};
use trample::Base;
use trample::params::{Body, Field};
use trample::scene::{PuppetSpec, Scene, Script};
use trample_files::{RunFile, Source, character, memory, scene_file};

/// What a dropped file leads to.
#[derive(Debug)]
pub enum Dropped {
    /// Another scene, or this scene on another ground or with another body.
    Scene(Box<Source>),
    /// A run to go on with or to replay.
    Run(Box<RunFile>),
}

/// What runs when a file is dropped.
#[derive(Clone, Copy, Debug)]
pub struct Running<'a> {
    /// The scene as it is now.
    pub scene: &'a Scene,
    /// Where it came from.
    pub source: &'a Source,
    /// The puppet that a character or motion is for.
    pub puppet: usize,
}

/// Looks at a file.
///
/// # Errors
/// What is wrong with it, in the words of its reader.
pub fn recognise(path: &Path, now: Running<'_>) -> Result<Dropped, String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "toml" => {
            let source = Source::read(path).map_err(|e| e.to_string())?;
            source.scene().map_err(|e| e.to_string())?;
            Ok(Dropped::Scene(Box::new(source)))
        }
        "trample" => Ok(Dropped::Run(Box::new(RunFile::load(path).map_err(|e| e.to_string())?))),
        _ if character::is_character(path) => with_character(path, now, extension == "bvh"),
        _ => {
            let mut source = running(path, now.scene)?;
            // The ground of a height map is as large as the map; walkers and plants stay where they fit.
            let name = named(path, &mut source);
            source.settings = vec![format!("terrain.base.file={name}")];
            source.scene().map_err(|e| e.to_string())?;
            Ok(Dropped::Scene(Box::new(source)))
        }
    }
}

/// The scene that runs, as TOML in memory: beside the file that was dropped if that is in memory too.
fn running(path: &Path, scene: &Scene) -> Result<Source, String> {
    let folder = if memory::is_memory(path) { memory::folder_of(path) } else { Path::new("memory:") };
    let file = folder.join("running.toml");
    scene_file::write(&file, scene)?;
    let source = Source::read(&file).map_err(|e| e.to_string())?;
    Ok(Source { name: scene.name.clone(), ..source })
}

/// The section of a scene file that names its height map.
const BASE: &str = "[terrain.base]";

/// Names a height map as the scene was given it. A scene that runs is written with the map beside it in memory, where nobody finds it
/// again who opens a saved run.
fn keep_ground(source: &mut Source, before: &Source) {
    let section = |text: &str| -> Vec<String> {
        let lines = text.lines().skip_while(|l| l.trim() != BASE).skip(1);
        lines.take_while(|l| !l.trim_start().starts_with('[')).map(String::from).collect()
    };
    let set = before.settings.iter().filter_map(|s| s.strip_prefix("terrain.base.")).map(String::from);
    let set: Vec<String> = set.collect();
    // A file that was set over the scene takes the place of all that its text says.
    let text = if set.iter().any(|s| s.starts_with("file")) { Vec::new() } else { section(&before.text) };
    let said: Vec<String> = text.into_iter().chain(set).collect();
    let mut values: Vec<(String, String)> = Vec::new();
    for line in &said {
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().to_string(), value.trim().to_string());
        values.retain(|(k, _)| *k != key);
        values.push((key, value));
    }
    let Some((_, file)) = values.iter_mut().find(|(key, _)| key == "file") else { return };
    let name = file.split_once('#').map_or(file.as_str(), |(name, _)| name).trim();
    let name = name.trim_matches(['"', '\'']).replace("\\\\", "\\");
    let whole = before.folder.join(&name);
    *file = if before.folder == source.folder { quoted(Path::new(&name)) } else { quoted(&whole) };
    // What was said of the ground takes the place of what was written of it.
    let mut inside = false;
    let keep = |line: &&str| {
        if line.trim_start().starts_with('[') {
            inside = line.trim() == BASE;
        }
        !inside
    };
    let mut text = source.text.lines().filter(keep).collect::<Vec<_>>().join("\n");
    text += &format!("\n\n{BASE}\n");
    values.iter().for_each(|(key, value)| text += &format!("{key} = {value}\n"));
    source.text = text;
}

/// What a file is for those that it is dropped with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Run,
    Scene,
    Character,
    Map,
    /// Nothing by itself: another file names it.
    Companion,
}

fn role(path: &Path) -> Role {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match name.rsplit('.').next().unwrap_or_default() {
        "trample" => Role::Run,
        "toml" if name.ends_with(".map.toml") => Role::Companion,
        "toml" if Source::read(path).is_ok_and(|s| scene_file::is_species(&s.text)) => Role::Companion,
        "toml" => Role::Scene,
        "bin" | "json" | "prj" | "obj" | "mtl" | "jpg" | "jpeg" => Role::Companion,
        _ if character::is_character(path) => Role::Character,
        _ => Role::Map,
    }
}

/// Of files that were dropped together those that are something by themselves; the others are what these name. A run or a scene
/// may name anything, a glTF its buffers and pictures, a height map its sidecar.
pub fn things(paths: &[PathBuf]) -> Vec<PathBuf> {
    let of = |wanted: Role| -> Vec<PathBuf> {
        paths.iter().filter(|path| role(path) == wanted).cloned().collect()
    };
    for whole in [Role::Run, Role::Scene] {
        let found = of(whole);
        if !found.is_empty() {
            return found;
        }
    }
    let mut found = of(Role::Character);
    let ending =
        |path: &PathBuf, wanted: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(wanted));
    let textured = found.iter().any(|path| ending(path, "gltf"));
    found.extend(of(Role::Map).into_iter().filter(|path| !textured || !ending(path, "png")));
    // Companions alone are looked at too: the message says what is missing.
    if found.is_empty() { paths.to_vec() } else { found }
}

/// What a scene without files of its own calls a file: the whole path, or in memory its name in the scene's folder, so that
/// a run saved in a browser finds it on disk again.
fn named(path: &Path, source: &mut Source) -> String {
    match path.file_name() {
        Some(name) if memory::is_memory(path) => {
            source.folder = memory::folder_of(path).to_path_buf();
            let name = name.to_string_lossy();
            quoted(Path::new(name.strip_prefix(memory::SCHEME).unwrap_or(&name)))
        }
        _ => quoted(path),
    }
}

/// A path as a TOML string.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}

/// The scene with a walker in another body, or with other motion.
fn with_character(path: &Path, now: Running<'_>, motion_only: bool) -> Result<Dropped, String> {
    let walks = |puppet: &PuppetSpec| matches!(puppet.script, Script::Walker(_));
    let puppets = &now.scene.puppets;
    if !puppets.get(now.puppet).is_some_and(walks) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return Err(format!("{name}: nobody is there to wear it; drop it on a walker"));
    }
    // Scene files count walkers alone.
    let walker = puppets[..now.puppet].iter().filter(|p| walks(p)).count();
    let mut source = running(path, now.scene)?;
    // A file with a body says the measures itself; what the scene says of them must go.
    let said: Vec<&str> = Field::names(Body::FIELDS).chain(["body", "footwear", "sole"]).collect();
    if !motion_only {
        let (mut walkers, mut inside) = (0, false);
        let keep = |line: &&str| {
            if line.starts_with('[') {
                inside = *line == "[[walker]]" && walkers == walker;
                walkers += usize::from(*line == "[[walker]]");
            }
            let key = line.split(['=', ' ']).next().unwrap_or_default();
            !inside || !said.contains(&key)
        };
        source.text = source.text.lines().filter(keep).collect::<Vec<_>>().join("\n");
    }
    let key = if motion_only { "motion" } else { "character" };
    let name = named(path, &mut source);
    let value = if motion_only { format!("[{name}]") } else { name };
    if matches!(now.scene.terrain.base, Base::Raster(_)) {
        keep_ground(&mut source, now.source);
    }
    source.settings = vec![format!("walker.{walker}.{key}={value}")];
    source.scene().map_err(|e| e.to_string())?;
    Ok(Dropped::Scene(Box::new(source)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use crate::start::stroll;
    use trample::World;
    use trample::body::Skeleton;
    use trample::clips::library;
    use trample::gait::Style;
    use trample::params::Body;

    /// Looks at a file while `scene` runs, as if it were dropped on its first puppet.
    fn recognise(path: &Path, scene: &Scene) -> Result<Dropped, String> {
        let source = Source::of_scene(scene).expect("it is all said in TOML");
        super::recognise(path, Running { scene, source: &source, puppet: 0 })
    }

    fn scene_of(dropped: Dropped) -> Scene {
        let Dropped::Scene(source) = dropped else { panic!("not a scene") };
        source.scene().expect("scene")
    }

    #[test]
    fn a_scene_file_is_used_and_a_bad_one_names_its_line() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("own.toml");
        std::fs::write(&path, "preset = \"walk-mud\"\nname = \"own\"\n").expect("written");
        assert_eq!(scene_of(recognise(&path, &stroll()).expect("used")).name, "own");
        std::fs::write(&path, "preset = \"walk-mud\"\nnonsense = 3\n").expect("written");
        let problem = recognise(&path, &stroll()).expect_err("refused");
        assert!(problem.contains("own.toml:2") && problem.contains("nonsense"), "{problem}");
    }

    #[test]
    fn a_height_map_becomes_the_ground() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("hill.asc");
        let rows: Vec<String> = (0..12).map(|z| (0..12).map(|x| format!("{} ", x * z)).collect()).collect();
        let header = "ncols 12\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
        std::fs::write(&path, format!("{header}{}\n", rows.join("\n"))).expect("written");
        let scene = scene_of(recognise(&path, &stroll()).expect("used"));
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
        let scene = scene_of(recognise(&path, &stroll()).expect("used"));
        let Script::Walker(walker) = &scene.puppets[0].script else { panic!("a walker") };
        assert!(walker.recorded.is_some());
    }

    #[test]
    fn a_motion_moves_the_walker_it_is_dropped_on_and_nobody_else() {
        let (clip, skeleton) = walk();
        let paths = held("on/", &[("walk.bvh", character::write_bvh(&clip, &skeleton).into_bytes())]);
        let mut scene = stroll();
        scene.puppets.push(crate::start::standing("second", [3.0, 3.0], 0.0));
        let source = Source::of_scene(&scene).expect("TOML");
        let dropped = super::recognise(&paths[0], Running { scene: &scene, source: &source, puppet: 1 });
        let moved: Vec<bool> = scene_of(dropped.expect("used"))
            .puppets
            .iter()
            .map(|p| matches!(&p.script, Script::Walker(w) if w.recorded.is_some()))
            .collect();
        assert_eq!(moved, [false, true]);
        let nobody = super::recognise(&paths[0], Running { scene: &scene, source: &source, puppet: 7 });
        assert!(nobody.expect_err("refused").contains("drop it on a walker"));
    }

    #[test]
    fn a_dropped_hill_stays_when_a_motion_is_dropped_and_a_saved_run_finds_it() {
        let folder = tempfile::tempdir().expect("folder");
        let (map, motion) = (folder.path().join("hill.asc"), folder.path().join("walk.bvh"));
        std::fs::write(&map, hill()).expect("written");
        let (clip, skeleton) = walk();
        std::fs::write(&motion, character::write_bvh(&clip, &skeleton)).expect("written");
        let Ok(Dropped::Scene(ground)) = recognise(&map, &stroll()) else { panic!("a scene") };
        let (session, world) = Session::new(*ground).expect("begins");
        let now = Running { scene: world.scene(), source: session.source(), puppet: 0 };
        let Dropped::Scene(both) = super::recognise(&motion, now).expect("used") else { panic!("a scene") };
        let (session, again) = Session::new(*both).expect("begins");
        assert_eq!(again.scene().terrain.base, world.scene().terrain.base);
        let Script::Walker(walker) = &again.scene().puppets[0].script else { panic!("a walker") };
        assert!(walker.recorded.is_some());
        let run = folder.path().join("run.trample");
        session.save(&again).save(&run).expect("saved");
        // Another day nothing is in memory.
        memory::list("memory:running").iter().for_each(|path| {
            memory::remove(path);
        });
        let (_, loaded) = Session::load(RunFile::load(&run).expect("loads"), false).expect("goes on");
        assert_eq!(loaded.hash(), again.hash());
    }

    #[test]
    fn a_picture_of_nothing_is_refused_with_words() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("note.txt");
        std::fs::write(&path, "hello").expect("written");
        let problem = recognise(&path, &stroll()).expect_err("refused");
        assert!(problem.contains("note.txt"), "{problem}");
    }

    /// Holds files in a folder of memory, and gives their paths.
    fn held(folder: &str, files: &[(&str, Vec<u8>)]) -> Vec<PathBuf> {
        let put = |(name, bytes): &(&str, Vec<u8>)| {
            let path = PathBuf::from(format!("memory:{folder}{name}"));
            memory::put(&path, bytes.clone()).expect("held");
            path
        };
        files.iter().map(put).collect()
    }

    fn hill() -> Vec<u8> {
        let rows: Vec<String> = (0..12).map(|z| (0..12).map(|x| format!("{} ", x * z)).collect()).collect();
        format!("ncols 12\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 1\n{}\n", rows.join("\n"))
            .into_bytes()
    }

    fn walk() -> (trample::clips::Clip, Skeleton) {
        let body = Body::default();
        let skeleton = Skeleton::new(&body);
        let clips = library::clips_on(&body, &skeleton, &Style::default());
        (clips.into_iter().find(|c| c.speed > 1.0).expect("a walk"), skeleton)
    }

    #[test]
    fn files_in_memory_are_used_as_those_on_disk() {
        let (clip, skeleton) = walk();
        let bvh = character::write_bvh(&clip, &skeleton).into_bytes();
        let paths = held("used-", &[("hill.asc", hill()), ("walk.bvh", bvh)]);
        let scene = scene_of(recognise(&paths[0], &stroll()).expect("used"));
        assert!(matches!(scene.terrain.base, Base::Raster(_)), "{:?}", scene.terrain.base);
        let scene = scene_of(recognise(&paths[1], &stroll()).expect("used"));
        assert!(matches!(&scene.puppets[0].script, Script::Walker(w) if w.recorded.is_some()));
        let problem = recognise(Path::new("memory:used-none.asc"), &stroll()).expect_err("refused");
        assert!(problem.contains("used-none.asc") && problem.contains("no such file in memory"), "{problem}");
    }

    #[test]
    fn a_run_on_a_dropped_hill_is_saved_in_memory_and_goes_on_on_disk() {
        let paths = held("moved/", &[("hill.asc", hill())]);
        let Ok(Dropped::Scene(source)) = recognise(&paths[0], &stroll()) else { panic!("a scene") };
        let (session, world) = Session::new(*source).expect("begins");
        let run = Path::new("memory:moved/run.trample");
        session.save(&world).save(run).expect("saved");
        let Ok(Dropped::Run(_)) = recognise(run, &stroll()) else { panic!("a run") };
        let folder = tempfile::tempdir().expect("folder");
        for name in ["run.trample", "hill.asc"] {
            let bytes = memory::take(&Path::new("memory:moved").join(name)).expect("bytes");
            std::fs::write(folder.path().join(name), bytes).expect("written");
        }
        let file = RunFile::load(&folder.path().join("run.trample")).expect("loads");
        let (_, again) = Session::load(file, false).expect("goes on");
        assert_eq!(again.hash(), world.hash());
    }

    #[test]
    fn of_files_dropped_together_those_that_are_something_are_used() {
        let scene = b"name = \"own\"\n[terrain.base]\nfile = \"hill.asc\"\n".to_vec();
        let species = b"based_on = \"fern\"\n".to_vec();
        let files = [("hill.asc", hill()), ("moss.toml", species), ("own.toml", scene)];
        let paths = held("together/", &files);
        assert_eq!(things(&paths), [paths[2].clone()]);
        let used = scene_of(recognise(&paths[2], &stroll()).expect("used"));
        assert!(used.name == "own" && matches!(used.terrain.base, Base::Raster(_)));
        let of = |names: &[&str]| -> Vec<String> {
            let paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            things(&paths).iter().map(|p| p.display().to_string()).collect()
        };
        assert_eq!(of(&["a.bin", "skin.png", "a.gltf"]), ["a.gltf"]);
        assert_eq!(of(&["dem.json", "dem.png"]), ["dem.png"]);
        assert_eq!(of(&["dem.prj", "dem.asc", "walk.BVH", "walk.map.toml"]), ["walk.BVH", "dem.asc"]);
        assert_eq!(of(&["body.glb", "dem.png"]), ["body.glb", "dem.png"]);
        assert_eq!(of(&["dem.asc", "run.trample"]), ["run.trample"]);
        assert_eq!(of(&["a.bin"]), ["a.bin"]);
        assert_eq!(of(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_gltf_finds_its_buffer_among_the_files_dropped_with_it() {
        let (clip, skeleton) = walk();
        let glb = trample_files::glb::clip_bytes(&clip, &skeleton, "walk").expect("bytes");
        // Taken apart into text and buffer, as other programs export it.
        let length =
            |at: usize| u32::from_le_bytes([glb[at], glb[at + 1], glb[at + 2], glb[at + 3]]) as usize;
        let text = &glb[20..20 + length(12)];
        let mut json: serde_json::Value = serde_json::from_slice(text).expect("JSON");
        json["buffers"][0]["uri"] = "walk.bin".into();
        let bin = glb[28 + text.len()..].to_vec();
        let paths = held("gltf/", &[("walk.bin", bin), ("walk.gltf", json.to_string().into_bytes())]);
        let used = things(&paths);
        assert_eq!(used, [paths[1].clone()]);
        let Dropped::Scene(source) = recognise(&used[0], &stroll()).expect("used") else { panic!("a scene") };
        assert_eq!(source.build().expect("scene").cast.iter().flatten().count(), 1);
        memory::remove(&paths[0]);
        let problem = recognise(&used[0], &stroll()).expect_err("refused");
        assert!(problem.contains("walk.bin") && problem.contains("no such file in memory"), "{problem}");
    }
}
