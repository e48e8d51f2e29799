//! Tables of a season: trips by day, cross-sections of the trail, its lines as GeoJSON.

use crate::Failure;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use trample_files::geodesy::metres_per_unit;
use trample_lab::print::escaped;
use trample_lab::save;
use trample_season::Run;
use trample_season::measure::Station;

/// A name as a cell of a table: without commas, line ends and what a terminal would obey.
pub(crate) fn cell(name: &str) -> String {
    escaped(name).replace(',', ";").replace('\n', "\\n").replace('\t', "\\t")
}

/// `trips.csv`: who walked on which day.
pub(crate) fn trips(folder: &Path, run: &Run) -> Result<(), Failure> {
    let mut out = String::from("day,date,group,walks,not_walked,metres,rain_mm\n");
    let groups = run.groups();
    for row in &run.rows {
        for (name, (walks, not, metres)) in groups.iter().zip(&row.groups) {
            let name = cell(name);
            writeln!(
                out,
                "{},{},{name},{walks},{not},{metres:.1},{:.1}",
                row.day,
                run.date(row.day),
                row.rain
            )?;
        }
    }
    save(&folder.join("trips.csv"), out.as_bytes())
}

/// The columns of `trail.csv`.
pub(crate) const COLUMNS: &str = "line,name,along_m,x,z,easting,northing,width_m,incision_m,area_loss_m2,bare,cover,trail_slope_deg,landform_slope_deg,alignment_deg,alignment,slope_ratio,dense_share";

/// Cross-sections as CSV.
pub(crate) fn stations(
    run: &Run,
    lines: &[(String, Vec<[f64; 2]>)],
    stations: &[Station],
) -> Result<String, Failure> {
    let mut out = format!("{COLUMNS}\n");
    for s in stations {
        let name = cell(lines.get(s.line).map_or("", |l| l.0.as_str()));
        let [e, n] = placed(run, [s.x, s.z]);
        writeln!(
            out,
            "{},{name},{:.2},{:.3},{:.3},{e:.3},{n:.3},{:.3},{:.5},{:.6},{:.4},{:.4},{:.2},{:.2},{:.1},{},{:.3},{:.4}",
            s.line,
            s.along_m,
            s.x,
            s.z,
            s.width_m,
            s.incision_m,
            s.area_loss_m2,
            s.bare,
            s.cover,
            s.trail_slope_deg,
            s.landform_slope_deg,
            s.alignment_deg,
            s.alignment,
            s.slope_ratio,
            s.dense
        )?;
    }
    Ok(out)
}

/// A place in the terrain's reference system; x and z where it has none.
fn placed(run: &Run, [x, z]: [f64; 2]) -> [f64; 2] {
    match run.ground.scene().terrain.place {
        Some(place) => {
            let metre = 1.0 / metres_per_unit(place.epsg);
            [place.corner[0] + x * metre, place.corner[1] - z * metre]
        }
        None => [x, z],
    }
}

/// `NAME.csv` and `NAME.geojson`.
pub(crate) fn trail(
    folder: &Path,
    name: &str,
    run: &Run,
    lines: &[(String, Vec<[f64; 2]>)],
    all: &[Station],
) -> Result<(), Failure> {
    save(&folder.join(format!("{name}.csv")), stations(run, lines, all)?.as_bytes())?;
    save(&folder.join(format!("{name}.geojson")), format!("{:#}\n", geojson(run, lines, all)).as_bytes())
}

/// Lines with what was measured along them, in the terrain's reference system.
pub(crate) fn geojson(run: &Run, lines: &[(String, Vec<[f64; 2]>)], all: &[Station]) -> Value {
    let feature = |(i, (name, line)): (usize, &(String, Vec<[f64; 2]>))| {
        let of: Vec<&Station> = all.iter().filter(|s| s.line == i && s.width_m > 0.0).collect();
        let mean =
            |f: fn(&Station) -> f64| of.iter().map(|s| f(s)).sum::<f64>() / of.len().max(1) as f64 + 0.0;
        json!({
            "type": "Feature",
            "geometry": { "type": "LineString", "coordinates": line.iter().map(|p| placed(run, *p)).collect::<Vec<_>>() },
            "properties": {
                "name": name,
                "mean_width_m": mean(|s| s.width_m),
                "mean_incision_m": mean(|s| s.incision_m),
                "mean_area_loss_m2": mean(|s| s.area_loss_m2),
                "mean_cover": mean(|s| s.cover),
                "mean_bare": mean(|s| s.bare),
            },
        })
    };
    let mut out = json!({
        "type": "FeatureCollection",
        "features": lines.iter().enumerate().map(feature).collect::<Vec<_>>(),
    });
    if let Some(place) = run.ground.scene().terrain.place {
        let name = format!("urn:ogc:def:crs:EPSG::{}", place.epsg);
        out["crs"] = json!({ "type": "name", "properties": { "name": name } });
    }
    out
}
