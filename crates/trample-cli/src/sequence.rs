//! `--every`: maps of a run over time, as numbered files for films and displacements.

use crate::Failure;
use crate::maps::Chosen;
use serde_json::json;
use std::path::Path;
use trample::{Map, Scene, World};
use trample_files::raster::{self, Export, Extent};
use trample_lab::{Progress, save};

/// Most frames of a sequence.
const MOST: usize = 100_000;
/// How far beyond what is left in the end heights may be on the way, as a share of their span: heaps slide.
const BEYOND: f32 = 0.25;

/// Refuses more frames of so many seconds than a sequence has.
pub(crate) fn check(every: f64, seconds: f64) -> Result<(), Failure> {
    if every > 0.0 && seconds / every <= MOST as f64 {
        return Ok(());
    }
    let least = seconds / MOST as f64;
    Err(format!("--every {every}: allowed: at least {least:.3e} s, for at most {MOST} frames").into())
}

/// Walks a scene again and writes `frames/height_0000.exr` and so on, one every so many seconds, all of the same part of the terrain as the
/// maps of the end and of one range, and `frames/frames.json`, into a folder that will be `home`.
///
/// A second walk, because only the first one shows which part that is. It is the same to the bit.
pub(crate) fn write(
    [folder, home]: [&Path; 2],
    end: &World,
    scene: &Scene,
    chosen: &Chosen,
    every: f64,
) -> Result<(), Failure> {
    let seconds = end.time();
    check(every, seconds)?;
    let maps = if chosen.named { chosen.maps.clone() } else { vec![Map::Height] };
    let formats: Vec<_> = if chosen.formats_named {
        chosen.formats.clone()
    } else {
        raster::FORMATS.into_iter().filter(|(ending, _)| ["exr", "png"].contains(ending)).collect()
    };
    let frames = folder.join("frames");
    std::fs::create_dir_all(&frames).map_err(|e| format!("{}: {e}", frames.display()))?;
    let extent = Extent::of_cells(end, raster::exported(end));
    let mut world = World::new(scene)?;
    let range = |map: Map| -> Option<[f32; 2]> {
        let row = map.row();
        if let Some(texture) = &row.texture {
            return Some(texture.range);
        }
        if let Some(range) = chosen.png_range.filter(|_| row.unit == "m") {
            return Some(range);
        }
        let ends = [extent.sample(&world, map), extent.sample(end, map)].concat();
        let fold = ends.iter().fold([f32::MAX, f32::MIN], |[low, high], &v| [low.min(v), high.max(v)]);
        let more = BEYOND * (fold[1] - fold[0]);
        (!row.span.counts()).then_some([fold[0] - if fold[0] == 0.0 { 0.0 } else { more }, fold[1] + more])
    };
    let ranges: Vec<Option<[f32; 2]>> = maps.iter().map(|&map| range(map)).collect();
    let count = (seconds / every + 1e-6) as u64 + 1;
    let digits = count.to_string().len().max(4);
    let progress = Progress::new("frames", count, "[{bar:32}] {percent:>3} % {msg} ETA {eta}")?;
    let mut times = Vec::new();
    for frame in 0..count {
        while world.time() + 1e-9 < frame as f64 * every {
            world.step(scene.dt());
        }
        let export = Export { world: &world, maps: &maps, formats: &formats, png_range: None, layout: None };
        for (&map, &range) in maps.iter().zip(&ranges) {
            export.write_one(&frames, map, &extent, range, &format!("{}_{frame:0digits$}", map.name()))?;
        }
        times.push(world.time());
        progress.set(frame + 1, format!("{:.2} of {seconds:.2} s,", world.time()));
    }
    progress.finish();
    let names: Vec<&str> = maps.iter().map(|map| map.name()).collect();
    let index = json!({
        "every_s": every,
        "frames": count,
        "digits": digits,
        "maps": names,
        "ranges": names.iter().zip(&ranges).map(|(name, range)| (name.to_string(), json!(range))).collect::<serde_json::Map<_, _>>(),
        "origin_m": extent.corner,
        "cell_m": extent.spacing,
        "columns": extent.columns,
        "rows": extent.rows,
        "times_s": times,
    });
    save(&frames.join("frames.json"), format!("{index:#}\n").as_bytes())?;
    eprintln!("{count} frames of {} are in {}", names.join(", "), home.join("frames").display());
    Ok(())
}
