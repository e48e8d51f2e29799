//! Export: every map as files that other programs read, beside a scene file and the run.

use crate::session::Session;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use trample::{Map, World};
use trample_files::{memory, raster, scene_file};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Writes every map as EXR and as 16-bit PNG with its sidecar, what part of the terrain they show, the scene as it is now as TOML,
/// and the run. Returns the files.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path, session: &Session, world: &World) -> Result<Vec<PathBuf>, String> {
    if !memory::is_memory(folder) {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let formats = raster::FORMATS.into_iter().filter(|(ending, _)| ["exr", "png"].contains(ending));
    let formats: Vec<_> = formats.collect();
    let (mut files, _) = raster::write_maps(folder, world, &Map::ALL, &formats).map_err(|e| e.to_string())?;
    files.extend(scene_file::write(&folder.join("scene.toml"), world.scene())?);
    let run = folder.join("run.trample");
    session.save(world).save(&run).map_err(|e| e.to_string())?;
    files.push(run);
    Ok(files)
}

/// A scene's name as that of a file or folder: a name with slashes or leading dots must not lead elsewhere.
pub fn plain(name: &str) -> String {
    let kept = |letter: char| if letter.is_alphanumeric() || " -_.".contains(letter) { letter } else { '_' };
    let plain: String = name.trim_start_matches('.').chars().map(kept).collect();
    if plain.trim().is_empty() { "scene".into() } else { plain }
}

/// Where files are while they are packed.
const PACKING: &str = "memory:.export/";

/// The same files, sidecars too, as one zip archive in which they lie in the folder `name`. Needs no file system.
///
/// They are stored as they are, since their formats are packed already, and dated 1980-01-01, so that the same files give the same
/// bytes.
///
/// # Errors
/// If they do not fit into memory or into an archive.
pub fn zip(name: &str, session: &Session, world: &World) -> Result<Vec<u8>, String> {
    let written = write(Path::new(PACKING), session, world);
    // What was written before something went wrong is taken out of memory as well.
    let files: Vec<(PathBuf, Vec<u8>)> = memory::list(PACKING)
        .into_iter()
        .filter_map(|path| memory::take(&path).map(|bytes| (path, bytes)))
        .collect();
    written?;
    let plain = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        let file = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        zip.start_file(&file, plain).map_err(|e| format!("{file}: {e}"))?;
        zip.write_all(&bytes).map_err(|e| format!("{file}: {e}"))?;
    }
    zip.finish().map(Cursor::into_inner).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start;
    use std::io::Read;
    use zip::ZipArchive;

    #[test]
    fn every_map_is_exported_and_comes_back() {
        let folder = tempfile::tempdir().expect("folder");
        let (session, mut world) = Session::new(start::find("walk-snow").expect("found")).expect("begins");
        for _ in 0..90 {
            world.step(1.0 / 60.0);
        }
        let files = write(folder.path(), &session, &world).expect("written");
        assert_eq!(files.len(), 2 * Map::ALL.len() + 3);
        assert!(files.iter().all(|f| f.is_file()));
        let grid =
            raster::read_height_map(&folder.path().join("compression.exr"), &raster::Limits::default())
                .expect("reads");
        let deepest = grid.data.iter().copied().fold(0.0, f32::max);
        assert!((f64::from(deepest) - world.map(Map::Compression).max()).abs() < 1e-6, "{deepest}");
    }

    #[test]
    fn names_that_lead_elsewhere_are_made_plain() {
        assert_eq!(plain("walk-snow 2.1_b"), "walk-snow 2.1_b");
        assert_eq!(plain("../../home/höhe"), "_.._home_höhe");
        assert_eq!(plain("C:\\x"), "C__x");
        assert_eq!((plain(""), plain("..")), ("scene".into(), "scene".into()));
    }

    #[test]
    fn an_archive_holds_what_a_folder_holds() {
        let folder = tempfile::tempdir().expect("folder");
        let (session, mut world) = Session::new(start::find("walk-snow").expect("found")).expect("begins");
        for _ in 0..60 {
            world.step(1.0 / 60.0);
        }
        write(folder.path(), &session, &world).expect("written");
        let packed = zip("own", &session, &world).expect("packed");
        assert_eq!(packed, zip("own", &session, &world).expect("packed again"), "the same bytes");
        let mut files = ZipArchive::new(Cursor::new(packed)).expect("an archive");
        assert_eq!(files.len(), std::fs::read_dir(folder.path()).expect("folder").count());
        for i in 0..files.len() {
            let mut file = files.by_index(i).expect("a file");
            let name = file.name().expect("UTF-8").strip_prefix("own/").expect("in its folder").to_owned();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).expect("whole");
            assert_eq!(std::fs::read(folder.path().join(&name)).expect("the same"), bytes, "{name}");
        }
        assert_eq!(memory::list(PACKING), Vec::<PathBuf>::new());
    }
}
