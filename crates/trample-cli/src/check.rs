//! `trample check`: what a file is and whether it can be used.

use crate::Failure;
use crate::folder::RUN;
use crate::run::{nobody_moves, place_doubts};
use std::io::Read;
use std::path::{Path, PathBuf};
use trample::Scene;
use trample::scene::Season;
use trample_files::{RunFile, Source, memory, raster};

/// Check scene files, height maps, run files, characters, motions, GPX lines and daily tables: their content and whether they can be used
///
/// For a character or a motion it prints the joint mapping with its confidence, the takes with their speeds and kinds of motion, the size,
/// and a map file to edit, even if the file cannot be used. A mapping with less than 60 % confidence is an error, by itself and in a scene,
/// unless --yes accepts it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample check my-scene.toml dem.tif      errors with file, line and field
  trample check someone.glb                joints, takes, size and speed of a character, and a map file to edit")]
pub(crate) struct Check {
    /// Files to check
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Accept the detected mapping of characters even if its confidence is low
    #[arg(long, alias = "force")]
    yes: bool,
}

impl Check {
    /// Checks every file and says what was found; false if any is bad.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        let mut good = true;
        for path in &self.files {
            if trample_files::character::is_character(path) {
                good &= crate::motion::check(path, self.yes);
                continue;
            }
            // A folder of results stands for its run file.
            let run = path.join(RUN);
            let path = if path.is_dir() && run.exists() { &run } else { path };
            match one(path) {
                Ok((found, doubts)) => {
                    let sure = doubts.is_empty() || self.yes;
                    println!("{}: {}: {found}", if sure { "ok" } else { "unsure" }, path.display());
                    doubts.iter().for_each(|doubt| println!("warning: {doubt}"));
                    good &= sure;
                }
                Err(problem) => {
                    good = false;
                    println!("error: {problem}");
                }
            }
        }
        Ok(good)
    }
}

/// What a file holds, and which characters in it `trample run` would not take without --yes either.
fn one(path: &Path) -> Result<(String, Vec<String>), String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if extension == "toml" { scene(path) } else { other(path, &extension).map(|found| (found, Vec::new())) }
}

fn scene(path: &Path) -> Result<(String, Vec<String>), String> {
    let source = Source::read(path).map_err(|e| e.to_string())?;
    if trample_files::scene_file::is_species(&source.text) {
        let species = trample_files::scene_file::read_species(path).map_err(|e| e.to_string())?;
        let found = format!(
            "species: {} stem(s) of {} m, breaks at {:.0}°",
            species.stem_count(),
            species.height,
            species.break_angle.to_degrees()
        );
        return Ok((found, Vec::new()));
    }
    let built = source.build().map_err(|e| e.to_string())?;
    let places = place_doubts(&built);
    let (scene, doubts) = (built.scene, built.doubts);
    let size = scene.terrain.size;
    for (name, rest, share) in scene.terrain.too_steep() {
        println!(
            "warning: {}: {:.0} % of the ground is steeper than {name}'s {:.1}°: what feet push aside there would not stay by \
             itself",
            path.display(),
            (100.0 * share).max(1.0),
            rest.to_degrees()
        );
    }
    for line in nobody_moves(&scene).iter().chain(&places) {
        println!("warning: {}: {line}", path.display());
    }
    if let Some(season) = &scene.season {
        return Ok((season_in_words(&scene, season), doubts));
    }
    let found = format!(
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
    );
    Ok((found, doubts))
}

fn other(path: &Path, extension: &str) -> Result<String, String> {
    match extension {
        "trample" => {
            let file = RunFile::load(path).map_err(|e| e.to_string())?;
            let scene = file.source.scene().map_err(|e| e.to_string())?;
            let state = if file.final_hash.is_some() { "finished" } else { "under way" };
            let mut world = trample::World::new(&scene).map_err(|e| e.to_string())?;
            let (done, all) = (file.recording.steps(), scene.steps());
            let mut problems = file.changed_inputs();
            // A session with actions has another scene by now.
            let edited = serde_json::from_slice::<serde_json::Value>(&file.notes)
                .is_ok_and(|notes| notes["actions"].as_array().is_some_and(|a| !a.is_empty()));
            if problems.is_empty() && !edited {
                problems.extend(file.restore(&mut world).err().map(|e| e.to_string()));
            }
            if !problems.is_empty() {
                return Err(format!("{}: {}", path.display(), problems.join(", ")));
            }
            let other = file.writer.other_physics().map_or(String::new(), |other| format!("; {other}"));
            Ok(format!(
                "run of `{}`: {done} of {all} steps, {state}, written by {}{other}",
                scene.name, file.writer.program
            ))
        }
        "gpx" => {
            let line = trample_files::gpx::read(path)?;
            let [low, high] = bounds(&line);
            Ok(format!(
                "GPX line: {} points, {:.6} to {:.6}° N, {:.6} to {:.6}° E (WGS 84)",
                line.len(),
                low[1],
                high[1],
                low[0],
                high[0]
            ))
        }
        "csv" if is_cover(path) => {
            let rows = trample_files::cover_table::read(path)?;
            Ok(format!(
                "cover against passes: {} numbers of passes up to {}, for `trample calibrate`",
                rows.len(),
                rows.last().map_or(0, |row| row.passes)
            ))
        }
        "csv" => {
            let days = trample_files::daily_table::all(path, &trample::scene::Visitors::COUNT)?;
            let (first, last) = (days[0].0, days[days.len() - 1].0);
            let gaps = last.0 - first.0 + 1 - days.len() as i64;
            if gaps > 0 {
                return Err(format!(
                    "{}: {gaps} day(s) between {first} and {last} have no row",
                    path.display()
                ));
            }
            let sum: f64 = days.iter().map(|d| d.1).sum();
            Ok(format!("numbers by day: {} days from {first} to {last}, {sum} in all", days.len()))
        }
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
            raster::doubts(path, false).iter().for_each(|line| println!("warning: {line}"));
            let missing = grid.nodata_count();
            Ok(format!(
                "height map: {} × {} posts {spacing}, {low} to {high}{unit}, {missing} without data{crs}",
                grid.width, grid.height
            ))
        }
    }
}

/// Whether the first line of a table names a column of passes.
fn is_cover(path: &Path) -> bool {
    let mut start = Vec::new();
    if let Ok(file) = memory::open(path) {
        let _ = file.take(4096).read_to_end(&mut start);
    }
    let text = String::from_utf8_lossy(&start);
    let head =
        text.trim_start_matches('\u{feff}').lines().find(|l| !l.trim().is_empty() && !l.starts_with('#'));
    let mut cells = head.unwrap_or_default().split([',', ';', '\t']).map(|c| c.trim().trim_matches('"'));
    cells.any(|cell| cell.eq_ignore_ascii_case("passes") || cell.eq_ignore_ascii_case("pass"))
}

/// The smallest and largest of some places.
fn bounds(places: &[[f64; 2]]) -> [[f64; 2]; 2] {
    let mut found = [[f64::MAX; 2], [f64::MIN; 2]];
    for p in places {
        for k in 0..2 {
            found[0][k] = found[0][k].min(p[k]);
            found[1][k] = found[1][k].max(p[k]);
        }
    }
    found
}

/// A season: corner, extent and reference system of everything, and what lies outside.
fn season_in_words(scene: &Scene, season: &Season) -> String {
    let ([w, h], place) = (scene.terrain.size, scene.terrain.place);
    let crs = place.map_or("no reference system".into(), |p| {
        format!("EPSG:{}, corner {} E {} N", p.epsg, p.corner[0], p.corner[1])
    });
    let mut out = format!(
        "season `{}`: {} days from {}, {} gate(s), {} trip(s), {} route(s)\n  terrain: {w} × {h} m in {} m cells of {}, {crs}",
        scene.name,
        season.calendar.days,
        season.calendar.start,
        season.gates.len(),
        season.trips.len(),
        season.routes.len(),
        scene.terrain.cell,
        scene.terrain.materials[0].name,
    );
    let mut outside = Vec::new();
    let mut one = |what: String, points: &[[f64; 2]], more: String| {
        let [low, high] = bounds(points);
        let far = points.iter().filter(|p| p[0] < 0.0 || p[1] < 0.0 || p[0] > w || p[1] > h).count();
        if far > 0 {
            outside.push(format!("{what}: {far} of {} points", points.len()));
        }
        let on = place.map_or(String::new(), |p| {
            let metres = trample_files::geodesy::metres_per_unit(p.epsg);
            let [e, n] = [p.corner[0] + low[0] / metres, p.corner[1] - high[1] / metres];
            format!("; corner {e:.1} E {n:.1} N, extent {:.1} × {:.1} m", high[0] - low[0], high[1] - low[1])
        });
        out += &format!(
            "\n  {what}: x {:.1} to {:.1} m, z {:.1} to {:.1} m{on}{more}",
            low[0], high[0], low[1], high[1]
        );
    };
    for gate in &season.gates {
        one(format!("gate `{}`", gate.name), &[gate.place], String::new());
    }
    for route in &season.routes {
        let counted = match route.who.visits.is_empty() {
            true => format!(", {} people a day", route.who.people_per_day),
            false => format!(
                ", {} people counted on {} days",
                route.who.visits.iter().sum::<f64>(),
                route.who.visits.len()
            ),
        };
        let length = trample::scene::Path::along(route.waypoints.clone()).length();
        one(format!("route `{}`", route.name), &route.waypoints, format!(", {length:.1} m long{counted}"));
    }
    for (kind, areas) in [
        ("obstacle", season.obstacles.iter().map(|o| &o.area).collect::<Vec<_>>()),
        ("closure", season.calendar.closures.iter().map(|c| &c.area).collect()),
        ("boardwalk", season.calendar.boardwalks.iter().collect()),
    ] {
        for (i, area) in areas.into_iter().enumerate() {
            let [low, high] = area.bounds(&season.routes);
            one(
                format!("{kind} {}", i + 1),
                &[low, [high[0], low[1]], high, [low[0], high[1]]],
                String::new(),
            );
        }
    }
    out + &if outside.is_empty() {
        "\n  nothing lies outside".into()
    } else {
        format!("\n  outside the terrain: {}", outside.join("; "))
    }
}
