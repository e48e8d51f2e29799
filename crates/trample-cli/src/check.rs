//! `trample check`: what a file is and whether it can be used.

use std::path::{Path, PathBuf};
use trample_files::{RunFile, Source, raster};

/// Checks every file and says what was found; false if any is bad.
pub(crate) fn check(files: &[PathBuf]) -> bool {
    let mut good = true;
    for path in files {
        match one(path) {
            Ok(found) => println!("ok: {}: {found}", path.display()),
            Err(problem) => {
                good = false;
                println!("error: {problem}");
            }
        }
    }
    good
}

fn one(path: &Path) -> Result<String, String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "toml" => {
            let source = Source::read(path).map_err(|e| e.to_string())?;
            if trample_files::scene_file::is_species(&source.text) {
                let species = trample_files::scene_file::read_species(path).map_err(|e| e.to_string())?;
                return Ok(format!(
                    "species: {} stem(s) of {} m, breaks at {:.0}°",
                    species.stem_count(),
                    species.height,
                    species.break_angle.to_degrees()
                ));
            }
            let scene = source.scene().map_err(|e| e.to_string())?;
            let size = scene.terrain.size;
            Ok(format!(
                "scene `{}`: {} × {} m in {} m cells of {}, law {}, {} puppet(s), {:.1} s in {} steps",
                scene.name,
                size[0],
                size[1],
                scene.terrain.cell,
                scene.terrain.materials[0].name,
                scene.terrain.law.name(),
                scene.puppets.len(),
                scene.seconds(),
                scene.steps()
            ))
        }
        "trample" => {
            let file = RunFile::load(path).map_err(|e| e.to_string())?;
            let scene = file.source.scene().map_err(|e| e.to_string())?;
            let state = if file.final_hash.is_some() { "finished" } else { "under way" };
            let (done, all) = (file.recording.digests.len(), scene.steps());
            Ok(format!("run of `{}`: {done} of {all} steps, {state}", scene.name))
        }
        _ if trample_files::character::is_character(path) => crate::motion::check(path),
        _ => {
            let grid =
                raster::read_height_map(path, &raster::Limits::default()).map_err(|e| e.to_string())?;
            if grid.width < 2 || grid.height < 2 {
                return Err(format!(
                    "{}: {} × {} posts, a ground needs 2 × 2",
                    path.display(),
                    grid.width,
                    grid.height
                ));
            }
            if grid.nodata_count() == grid.data.len() {
                return Err(format!("{}: no post has data", path.display()));
            }
            let known = grid.data.iter().filter(|h| h.is_finite());
            let (low, high) = known.fold((f32::MAX, f32::MIN), |(a, b), &h| (a.min(h), b.max(h)));
            let spacing = grid
                .spacing
                .map_or("of unknown spacing".into(), |s| format!("{:.3} × {:.3} m apart", s[0], s[1]));
            let crs = grid.geo.and_then(|g| g.epsg).map_or(String::new(), |e| format!(", EPSG:{e}"));
            let unit =
                if grid.raw_integer_range.is_some() { " (grey values: give height_range)" } else { " m" };
            let missing = grid.nodata_count();
            Ok(format!(
                "height map: {} × {} posts {spacing}, {low} to {high}{unit}, {missing} without data{crs}",
                grid.width, grid.height
            ))
        }
    }
}
