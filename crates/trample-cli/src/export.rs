//! `trample export`: maps of a saved run, of any part of its terrain, in tiles, at any resolution.

use crate::folder::{EXPORT, Folder, RUN, no_run, no_season};
use crate::maps::{self, Chosen, MapOptions, numbers};
use crate::{Failure, output};
use serde_json::json;
use std::path::PathBuf;
use trample::World;
use trample_files::RunFile;
use trample_files::raster::{Export as Files, Extent, exported};

/// Write maps of a saved run: a window, the whole terrain in tiles, or the whole terrain at another resolution
///
/// The maps of a run cover what fits into one file. This command writes other parts from the run file: a window, tiles with tiles.json,
/// or samples at a given distance. It also writes overview.png, a picture of the whole terrain.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample export out/walk-snow --window 1,0.5,2,1 --maps height,normal --formats png
  trample export out/long --tiles 2048 --maps delta --png-range -0.1,0.1
  trample export out/long --resample 0.5 --formats tif   the whole terrain, 0.5 m per pixel
  trample export out/long --layout unreal:1009           for an Unreal landscape")]
pub(crate) struct Export {
    /// A run.trample file, or the folder that holds it
    run: PathBuf,
    /// Corner, width and depth of a part of the terrain, m
    #[arg(long, value_name = "X,Z,W,H", allow_hyphen_values = true, value_parser = window)]
    window: Option<Window>,
    /// Write tiles of SIDE × SIDE samples, and tiles.json
    #[arg(long, value_name = "SIDE", value_parser = clap::value_parser!(u64).range(16..=16384))]
    tiles: Option<u64>,
    /// Also write untouched tiles
    #[arg(long, requires = "tiles")]
    all: bool,
    /// Distance between samples, m [default: the cells of the run]
    #[arg(long, value_name = "METRES")]
    resample: Option<f64>,
    #[command(flatten)]
    maps: MapOptions,
    /// Folder for the maps [default: `export` in the folder of the run]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy)]
struct Window([f64; 4]);

fn window(text: &str) -> Result<Window, String> {
    let all = numbers::<4>(text)?;
    if all[2] > 0.0 && all[3] > 0.0 { Ok(Window(all)) } else { Err("width and depth must be above 0".into()) }
}

/// Most samples in one file: 256 MB of floats.
const MOST: usize = 64 << 20;

impl Export {
    /// Writes the maps.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        no_season(&self.run)?;
        let path = if self.run.is_dir() { self.run.join(RUN) } else { self.run.clone() };
        let world = saved(&path)?;
        let chosen = self.maps.chosen()?;
        let [width, depth] = Extent::whole(&world).size();
        let mut extent = match self.window {
            Some(Window(w)) => Extent::window(&world, w).ok_or_else(|| {
                format!("--window {w:?} holds no cell of the terrain, which is {width} × {depth} m")
            })?,
            None if chosen.layout.is_some() && self.tiles.is_none() => {
                Extent::of_cells(&world, exported(&world))
            }
            None => Extent::whole(&world),
        };
        if let Some(spacing) = self.resample {
            let longest = width.max(depth);
            if !(spacing >= 1e-4 && spacing <= longest) {
                return Err(format!("--resample {spacing}: allowed: 0.0001 to {longest} m").into());
            }
            extent = extent.resampled(spacing);
        }
        let Chosen { maps, png_range, layout, .. } = &chosen;
        if let Some(side) = layout.and_then(|layout| layout.side)
            && self.tiles.is_none()
            && self.resample.is_none()
        {
            extent = maps::posts(extent, side);
        }
        let samples = extent.columns.saturating_mul(extent.rows);
        if self.tiles.is_none() && samples > MOST {
            return Err(format!(
                "{} × {} samples are too many for one file: `--tiles 2048` writes them in tiles, `--resample {:.3}` in one file, \
                 `--window X,Z,W,H` a part",
                extent.columns,
                extent.rows,
                (width * depth / MOST as f64).sqrt().max(world.ground().cell)
            )
            .into());
        }
        let beside = path.parent().map(|folder| folder.join(EXPORT)).unwrap_or_default();
        let home = self.out.clone().unwrap_or(beside);
        no_run(&home, "maps")?;
        let output = Folder::open(&home)?;
        let folder = output.stage();
        let formats = &chosen.formats_of(samples.min(self.tiles.map_or(MOST, |side| (side * side) as usize)));
        let files = Files { world: &world, maps, formats, png_range: *png_range, layout: *layout };
        output::save_overview(&folder, &world, &extent)?;
        let (written, told) = if let Some(side) = self.tiles {
            let mut shown = std::time::Instant::now();
            let written = files.write_tiles(&folder, &extent, side as usize, self.all, |done, all| {
                if shown.elapsed().as_secs() >= 5 {
                    eprintln!("{done} of {all} tiles");
                    shown = std::time::Instant::now();
                }
            })?;
            let told = format!("{} files in tiles of {side}, tiles.json", written.len() - 1);
            (written, told)
        } else {
            let written = files.write(&folder, &extent)?;
            let told = format!(
                "{} files of {} × {} samples, window.json",
                written.len() - 1,
                extent.columns,
                extent.rows
            );
            (written, told)
        };
        maps::tell_steps(&written);
        output.commit(&json!(format!("{:016x}", world.hash())))?;
        println!("{told} and overview.png are in {}", home.display());
        Ok(true)
    }
}

/// The world as a run left it.
fn saved(path: &std::path::Path) -> Result<World, Failure> {
    let file = RunFile::load(path)?;
    let changed = file.changed_inputs();
    if !changed.is_empty() {
        let problem = format!("{} since it was begun: it cannot be exported", changed.join(", "));
        return Err(format!("{}: {problem}", path.display()).into());
    }
    let mut world = World::new(&file.source.scene()?)?;
    file.restore(&mut world).map_err(|e| format!("{}: {e}", path.display()))?;
    if file.final_hash.is_some() {
        // The last checkpoint lies before what was loose came to rest.
        world.settle();
    } else {
        eprintln!(
            "{}: the run is not finished; this is its last checkpoint, at {:.2} s",
            path.display(),
            world.time()
        );
    }
    Ok(world)
}
