//! Export: every map as files that other programs read, beside a scene file and the run.

use crate::pack::Zip;
use crate::session::Session;
use std::path::{Path, PathBuf};
use trample::map::touched_rect;
use trample::{CellRect, Map, World};
use trample_files::{memory, raster, scene_file, whole};

/// Cells in the largest dense map that is written: 64 MB a map.
const MOST: usize = 16 << 20;

/// The cells that are written: all if they are not too many, else those around what was touched.
pub fn window(world: &World) -> CellRect {
    let [width, height] = world.ground().size.map(|n| n.max(1) as usize);
    let all = CellRect { x: 0, z: 0, width, height };
    if width.saturating_mul(height) <= MOST {
        return all;
    }
    let mut rect = touched_rect(world.ground()).unwrap_or(CellRect { width: 64, height: 64, ..all });
    if rect.width.saturating_mul(rect.height) > MOST {
        (rect.width, rect.height) = (rect.width.min(4096), rect.height.min(4096));
    }
    rect
}

/// Writes every map as EXR and as 16-bit PNG with its sidecar, the scene as it is now as TOML, and the run. Returns the files.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path, session: &Session, world: &World) -> Result<Vec<PathBuf>, String> {
    if !memory::is_memory(folder) {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let rect = window(world);
    let cell = world.ground().cell;
    let mut files = Vec::new();
    for map in Map::ALL {
        let data = world.map(map).window(rect);
        let view = raster::MapView {
            name: map.name(),
            unit: map.unit(),
            width: rect.width,
            height: rect.height,
            data: &data,
            spacing: Some([cell, cell]),
            geo: None,
        };
        let exr = folder.join(format!("{}.exr", map.name()));
        raster::write_exr(&exr, &view).map_err(|e| e.to_string())?;
        let png = folder.join(format!("{}.png", map.name()));
        raster::write_png16(&png, &view).map_err(|e| e.to_string())?;
        files.extend([exr, png]);
    }
    let scene = folder.join("scene.toml");
    let text = scene_file::to_toml(world.scene());
    whole::write(&scene, text.as_bytes()).map_err(|e| format!("{}: {e}", scene.display()))?;
    let run = folder.join("run.trample");
    session.save(world).save(&run).map_err(|e| e.to_string())?;
    files.extend([scene, run]);
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
/// # Errors
/// If they do not fit into memory or into an archive.
pub fn zip(name: &str, session: &Session, world: &World) -> Result<Vec<u8>, String> {
    let written = write(Path::new(PACKING), session, world);
    let mut zip = Zip::default();
    let mut packed = Ok(());
    // What was written before something went wrong is let go of as well.
    for path in memory::list(PACKING) {
        let bytes = memory::take(&path).unwrap_or_default();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        packed = packed.and_then(|()| zip.add(&format!("{name}/{file}"), &bytes));
    }
    written.and(packed)?;
    Ok(zip.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start;

    #[test]
    fn every_map_is_exported_and_comes_back() {
        let folder = tempfile::tempdir().expect("folder");
        let (session, mut world) = Session::new(start::find("walk-snow").expect("found")).expect("begins");
        for _ in 0..90 {
            world.step(1.0 / 60.0);
        }
        let files = write(folder.path(), &session, &world).expect("written");
        assert_eq!(files.len(), 2 * Map::ALL.len() + 2);
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
        let zip = zip("own", &session, &world).expect("packed");
        let files = crate::pack::unpacked(&zip);
        assert_eq!(files.len(), std::fs::read_dir(folder.path()).expect("folder").count());
        for (name, bytes) in files {
            let name = name.strip_prefix("own/").expect("in its folder");
            assert_eq!(std::fs::read(folder.path().join(name)).expect(name), bytes, "{name}");
        }
        assert_eq!(memory::list(PACKING), Vec::<PathBuf>::new());
    }
}
