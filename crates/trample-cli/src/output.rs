//! What a run writes: maps in every format, pictures, profile and report.

use crate::Failure;
use crate::maps::{self, Chosen};
use crate::report::{Cuts, RunReport};
use crate::shots::Shots;
use serde_json::Value;
use std::path::Path;
use trample::{CellRect, Map, TILE, World, touched_rect};
use trample_files::Source;
use trample_files::raster::{self, Extent};
use trample_lab::{Figures, cover, save};
use trample_looks::colour::linear;
use trample_pictures::{
    Chart, Field, Image, MapStyle, MaterialLook, Sward, drawn_window, map_picture, plot_profile,
};

/// What was asked for.
pub(crate) struct Wanted {
    pub(crate) maps: Chosen,
    pub(crate) pictures: bool,
    /// Pictures of its animals as PNG, with their captions.
    pub(crate) animals: Vec<(Vec<u8>, String)>,
}

/// Writes everything that was asked for into a folder that will be `home`.
pub(crate) fn write(
    [folder, home]: [&Path; 2],
    world: &World,
    source: &Source,
    figures: &Figures,
    summary: &Value,
    wanted: &Wanted,
    shots: Option<Shots>,
) -> Result<(), Failure> {
    write_maps([folder, home], world, &wanted.maps)?;
    if !figures.cover.is_empty() {
        save(&folder.join("cover.csv"), cover::table(world, &figures.cover).as_bytes())?;
        if wanted.pictures {
            save(&folder.join("cover.png"), &cover::chart(world, &figures.cover)?.image.to_png())?;
        }
    }
    if wanted.pictures {
        pictures(folder, world, source, figures, summary, &wanted.animals, shots)?;
    }
    Ok(())
}

/// Samples along the longer side of the maps that show all of a terrain of which the others show a part.
const OVERVIEW: f64 = 1024.0;
/// A map is in the report where it stands out on more than this share of the cells that were pressed; our choice.
const SHOWN: f64 = 0.02;

/// Maps as far as they fit into one file; of a larger terrain also all of it, coarser.
fn write_maps([run, home]: [&Path; 2], world: &World, chosen: &Chosen) -> Result<(), Failure> {
    let Chosen { maps, png_range, layout, .. } = chosen;
    if maps.is_empty() {
        return Ok(());
    }
    let make =
        |folder: &Path| std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()));
    let folder = run.join("maps");
    make(&folder)?;
    let rect = raster::exported(world);
    let (extent, whole) = (Extent::of_cells(world, rect), Extent::whole(world));
    let side = layout.and_then(|layout| layout.side);
    let shown = side.map_or(extent, |side| maps::posts(extent, side));
    let formats = &chosen.formats_of(shown.columns * shown.rows);
    let files = raster::Export { world, maps, formats, png_range: *png_range, layout: *layout };
    maps::tell_steps(&files.write(&folder, &shown)?);
    if extent != whole {
        let [width, depth] = whole.size();
        make(&folder.join("overview"))?;
        let mut usual = if layout.is_some() { raster::usual_formats() } else { chosen.formats.clone() };
        // An overview is looked at: without the format that is not packed, unless that is asked for.
        usual.retain(|(ending, _)| chosen.formats_named || *ending != "npy");
        let files = raster::Export { layout: None, formats: &usual, ..files };
        files.write(
            &folder.join("overview"),
            &whole.resampled((width.max(depth) / OVERVIEW).max(whole.spacing)),
        )?;
        eprintln!("{}", left_out(home, world, rect));
    }
    Ok(())
}

/// What maps do not show, and the command that writes it.
fn left_out(run: &Path, world: &World, rect: CellRect) -> String {
    let ([w, d], [width, depth]) = (Extent::of_cells(world, rect).size(), Extent::whole(world).size());
    let (share, run) = (raster::left_out(world, rect), run.display());
    if share > 0.0 {
        format!(
            "maps show {w:.1} × {d:.1} m, {:.0} % of the touched ground is left out; all of it: trample export {run} --tiles 2048",
            (100.0 * share).max(1.0)
        )
    } else {
        format!(
            "maps show the touched {w:.1} × {d:.1} m of {width} × {depth} m, maps/overview all of it; at any resolution: trample export {run} \
             --resample {}",
            (width.max(depth) / 4096.0 * 100.0).ceil() / 100.0
        )
    }
}

/// Saves the picture of the whole terrain, in which a part is framed.
pub(crate) fn save_overview(folder: &Path, world: &World, part: &Extent) -> Result<Vec<u8>, Failure> {
    let cells = |m: f64| (m / world.ground().cell).round();
    let ([width, depth], [x, z]) = (part.size(), part.corner);
    let rect = CellRect {
        x: cells(x) as i32,
        z: cells(z) as i32,
        width: cells(width) as usize,
        height: cells(depth) as usize,
    };
    let [columns, rows] = world.ground().size.map(|n| n as usize);
    let framed = (rect.width < columns || rect.height < rows).then_some(rect);
    let png = trample_pictures::overview(world, framed).to_png();
    save(&folder.join("overview.png"), &png)?;
    Ok(png)
}

fn pictures(
    folder: &Path,
    world: &World,
    source: &Source,
    figures: &Figures,
    summary: &Value,
    animals: &[(Vec<u8>, String)],
    shots: Option<Shots>,
) -> Result<(), Failure> {
    let best = figures.best;
    let ground = world.ground();
    let middle = [0, 1].map(|k| 0.5 * f64::from(ground.size[k]) * ground.cell);
    let around = if best.depth > 0.0 { [best.x, best.z] } else { middle };
    let rect = drawn_window(world, around);
    let base = Field::base(world, rect);
    let height = Field::of(world, Map::Height, rect).smoothed(world, &base);
    let preview = preview(world, &height, &base, rect, summary).to_png();
    save(&folder.join("preview.png"), &preview)?;
    let overview = save_overview(folder, world, &Extent::of_cells(world, raster::exported(world)))?;
    // Of a long trail the other pictures show a part.
    let long = touched_rect(ground).is_some_and(|all| all.width > rect.width || all.height > rect.height);
    let overview = long.then_some(overview);
    let mut gallery = animals.to_vec();
    let folder_maps = folder.join("pictures");
    std::fs::create_dir_all(&folder_maps).map_err(|e| format!("{}: {e}", folder_maps.display()))?;
    for (i, (png, _)) in animals.iter().enumerate() {
        save(&folder_maps.join(format!("animal-{}.png", i + 1)), png)?;
    }
    let pressed = Field::of(world, Map::Compression, rect).data.iter().filter(|n| **n > 0.0).count();
    for which in Map::ALL {
        let title = format!("{} of {}", which.title(), world.scene().name);
        let field = Field::of(world, which, rect);
        let png = map_picture(&field, &MapStyle::of(world, which), &title).to_png();
        save(&folder_maps.join(format!("{}.png", which.name())), &png)?;
        // A page of empty maps hides those that show something.
        if field.outstanding() as f64 > SHOWN * pressed as f64 && which != Map::Normal {
            gallery.push((png, which.row().caption.into()));
        }
    }
    let (lowest, below) = lowest(world).unwrap_or((around, 0.0));
    let along = profile(world, lowest, best.heading, "Section along the deepest print")?;
    save(&folder.join("profile.png"), &along.image.to_png())?;
    let across =
        profile(world, lowest, [-best.heading[1], best.heading[0]], "Section across the deepest print")?;
    let cuts = Cuts { drawn: [along.svg, across.svg], below };
    let mut first = Vec::new();
    for (view, png, caption) in shots.map(Shots::take).unwrap_or_default() {
        save(&folder_maps.join(format!("simulator-{view}.png")), &png)?;
        first.push((png, caption));
    }
    if first.is_empty() {
        let about = &world.scene().about;
        first.push((
            preview,
            format!("{about}{}Drawn by trample itself.", if about.is_empty() { "" } else { ". " }),
        ));
    }
    let report = RunReport { world, source, figures, summary, first, overview, gallery, cuts };
    save(&folder.join("report.html"), report.html()?.as_bytes())
}

fn preview(world: &World, height: &Field, base: &Field, rect: CellRect, summary: &Value) -> Image {
    let scene = world.scene();
    let looks: Vec<MaterialLook> = scene
        .terrain
        .materials
        .iter()
        .map(|m| MaterialLook { name: m.name.clone(), albedo: linear(m.material.colour) })
        .collect();
    let number = |path: &str| summary.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    let lines = vec![
        format!("{}, deepest {:.0} mm", counted(&summary["footsteps"]), 1e3 * number("/depth_m/max")),
        format!(
            "carved {:.2} l, heaped {:.2} l, bumps up to {:.0} mm",
            1e3 * number("/volume/carved_m3"),
            1e3 * number("/volume/accumulated_m3"),
            1e3 * number("/bump_m/max")
        ),
        format!(
            "contact {:.0} cm², mean pressure {:.0} kPa",
            1e4 * number("/contact_area_m2/mean"),
            1e-3 * number("/pressure_pa/mean")
        ),
        format!("cell {} mm, law {}", scene.terrain.cell * 1e3, scene.terrain.law.name()),
    ];
    let mut lines = lines;
    let whole = touched_rect(world.ground()).map_or(0, |r| r.width.max(r.height));
    if whole > rect.width.max(rect.height) {
        let (shown, all) = (height.cell * rect.width.max(rect.height) as f64, height.cell * whole as f64);
        lines.push(format!("shown: {shown:.0} m of {all:.0} m"));
    }
    let title = if scene.about.is_empty() { &scene.name } else { &scene.about };
    let plants = Sward::gather(world, height);
    trample_pictures::preview(
        height,
        base,
        &Field::of(world, Map::Material, rect),
        &looks,
        title,
        &lines,
        &plants,
    )
}

/// The cell that lies furthest below where it was, as x and z, m, and how far, m; none where nothing lies lower.
fn lowest(world: &World) -> Option<([f64; 2], f64)> {
    let (delta, cell, t) = (world.map(Map::Delta), world.ground().cell, TILE as i32);
    let mut found = (0.0, [0; 2]);
    for key in world.ground().tiles.iter().map(|tile| tile.key) {
        for (x, z) in (0..t).flat_map(|z| (0..t).map(move |x| (key.x * t + x, key.z * t + z))) {
            let inside = x < world.ground().size[0] && z < world.ground().size[1];
            if inside && delta.at(x, z) < found.0 {
                found = (delta.at(x, z), [x, z]);
            }
        }
    }
    (found.0 < 0.0).then(|| (found.1.map(|i| (f64::from(i) + 0.5) * cell), -found.0))
}

/// A cut of 0.8 m through a place, along a direction.
fn profile(world: &World, at: [f64; 2], along: [f64; 2], title: &str) -> Result<Chart, Failure> {
    let along = if along == [0.0, 0.0] { [1.0, 0.0] } else { along };
    let size = [0, 1].map(|k| f64::from(world.ground().size[k]) * world.ground().cell);
    let (mut x, mut base, mut surface) = (Vec::new(), Vec::new(), Vec::new());
    for i in -160..=160 {
        let d = f64::from(i) * 0.0025;
        let p = [at[0] + d * along[0], at[1] + d * along[1]];
        if p[0] >= 0.0 && p[1] >= 0.0 && p[0] <= size[0] && p[1] <= size[1] {
            x.push(d);
            base.push(world.ground().base.height(p[0], p[1]));
            surface.push(world.height(p[0], p[1]));
        }
    }
    // On a slope a print would be a sliver on a long straight line: the slope is taken out of both.
    let mut title = title.to_string();
    if let [first, .., last] = base[..] {
        let span = (x[x.len() - 1] - x[0]).max(1e-9);
        let (start, rise) = (x[0], (last - first) / span);
        if rise.abs() > 0.02 {
            title += " (slope taken out)";
            for ((x, b), s) in x.iter().zip(&mut base).zip(&mut surface) {
                let trend = first + rise * (x - start);
                (*b, *s) = (*b - trend, *s - trend);
            }
        }
    }
    Ok(plot_profile(&title, &x, &base, &surface)?)
}

/// A number of footsteps, in words that agree with it.
fn counted(footsteps: &Value) -> String {
    match footsteps.as_u64() {
        Some(1) => "1 contact".into(),
        Some(n) => format!("{n} footsteps"),
        None => "no footsteps".into(),
    }
}

/// How many times faster than real time, with as many digits as mean something.
pub(crate) fn speed(factor: f64) -> String {
    match factor {
        f if f >= 10.0 => format!("{f:.0}"),
        f if f >= 0.1 => format!("{f:.1}"),
        f => format!("{f:.3}"),
    }
}

/// The end of a run, for a person; `more` are files beside the usual ones.
pub(crate) fn tell(folder: &Path, summary: &Value, wanted: &Wanted, more: &[&str]) {
    let number = |path: &str| summary.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    // A run that was finished before has nothing left to simulate.
    let took = if number("/realtime_factor") > 0.0 {
        let factor = speed(number("/realtime_factor"));
        format!(", simulated in {:.3} s ({factor} × real time)", number("/wall_seconds"))
    } else {
        String::new()
    };
    println!(
        "{}: {} in {:.1} s{took}",
        summary["scene"].as_str().unwrap_or_default(),
        counted(&summary["footsteps"]),
        number("/sim_seconds"),
    );
    println!(
        "  prints {:.1} mm deep at most, bumps {:.1} mm high, contact {:.0} cm², mean pressure {:.1} kPa",
        1e3 * number("/depth_m/max"),
        1e3 * number("/bump_m/max"),
        1e4 * number("/contact_area_m2/mean"),
        1e-3 * number("/pressure_pa/mean")
    );
    println!(
        "  carved {:.3} l, heaped {:.3} l, volume error {:.1e}, hash {}",
        1e3 * number("/volume/carved_m3"),
        1e3 * number("/volume/accumulated_m3"),
        number("/volume/relative_error"),
        summary["hash"].as_str().unwrap_or_default()
    );
    for (name, patch) in summary["cover"].as_object().into_iter().flatten() {
        let number = |key: &str| patch[key].as_f64().unwrap_or(0.0);
        println!(
            "  {name}: {} plants, cover {:.1} %, {:.0} mm high; stems {} bent, {} worn, {} broken",
            patch["plants"],
            100.0 * number("cover"),
            1e3 * number("height_m"),
            patch["bent"],
            patch["worn"],
            patch["broken"]
        );
    }
    if let Some(list) = summary["quarantined"].as_array().filter(|l| !l.is_empty()) {
        println!("  WARNING: {} puppet(s) had poses that are not finite and were ignored", list.len());
    }
    let mut files: Vec<&str> = Vec::new();
    if wanted.pictures {
        files.extend(["report.html", "preview.png", "overview.png", "profile.png"]);
    }
    if !wanted.maps.maps.is_empty() {
        files.push("maps");
    }
    if summary["cover"].as_object().is_some_and(|cover| !cover.is_empty()) {
        files.push("cover.csv");
    }
    files.extend(more);
    files.push("summary.json");
    println!("  {} and run.trample are in {}", files.join(", "), folder.display());
}
