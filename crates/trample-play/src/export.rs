//! Export: every map as files that other programs read, beside a scene file and the run.

use crate::session::Session;
use std::path::{Path, PathBuf};
use trample::map::touched_rect;
use trample::{CellRect, Map, World};
use trample_files::{raster, scene_file, whole};

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
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
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
}
