//! What a run writes: maps in every format, pictures, profile and report.

use crate::figures::Figures;
use crate::picture::plants::Sward;
use crate::picture::{Field, Ramp, html, map, plot, relief};
use crate::{Failure, cover, look};
use serde_json::Value;
use std::path::Path;
use trample::{CellRect, Map, World};
use trample_files::{Source, raster, whole};

/// What was asked for.
pub(crate) struct Wanted {
    pub(crate) maps: Vec<Map>,
    pub(crate) formats: Vec<String>,
    pub(crate) pictures: bool,
}

/// Writes everything that was asked for into `folder`.
pub(crate) fn write(
    folder: &Path,
    world: &World,
    source: &Source,
    figures: &Figures,
    summary: &Value,
    wanted: &Wanted,
) -> Result<(), Failure> {
    write_maps(&folder.join("maps"), world, wanted)?;
    if !figures.cover.is_empty() {
        save(&folder.join("cover.csv"), cover::table(world, &figures.cover).as_bytes())?;
        if wanted.pictures {
            save(&folder.join("cover.png"), &cover::chart(world, &figures.cover)?.image.to_png())?;
        }
    }
    if wanted.pictures {
        pictures(folder, world, source, figures, summary)?;
    }
    Ok(())
}

fn write_maps(folder: &Path, world: &World, wanted: &Wanted) -> Result<(), Failure> {
    if wanted.maps.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let rect = look::exported(world);
    let cell = world.ground().cell;
    // Rows of a GeoTIFF run north to south, as z does; the pixel's middle is the cell's.
    let geo = world.scene().terrain.place.map(|place| raster::Geo {
        origin: [
            place.corner[0] + (f64::from(rect.x) + 0.5) * cell,
            place.corner[1] - (f64::from(rect.z) + 0.5) * cell,
        ],
        pixel: [cell, cell],
        epsg: Some(place.epsg),
        degrees: false,
    });
    // What part of the terrain the maps show; all of it unless that is huge.
    let [whole_x, whole_z] = world.ground().size;
    let cropped = (rect.width, rect.height) != (whole_x as usize, whole_z as usize);
    let window = serde_json::json!({
        "origin_m": [f64::from(rect.x) * cell, f64::from(rect.z) * cell],
        "cell_m": cell,
        "columns": rect.width,
        "rows": rect.height,
        "terrain_m": [f64::from(whole_x) * cell, f64::from(whole_z) * cell],
        "cropped": cropped,
    });
    let text = serde_json::to_string_pretty(&window)? + "\n";
    save(&folder.join("window.json"), text.as_bytes())?;
    if cropped {
        eprintln!("maps show the touched part only; maps/window.json says where it lies");
    }
    for &map in &wanted.maps {
        let data = world.map(map).window(rect);
        let view = raster::MapView {
            name: map.name(),
            unit: map.unit(),
            width: rect.width,
            height: rect.height,
            data: &data,
            spacing: Some([cell, cell]),
            geo,
        };
        for format in &wanted.formats {
            let path = folder.join(format!("{}.{format}", map.name()));
            match format.as_str() {
                "npy" => raster::write_npy(&path, &view),
                "exr" => raster::write_exr(&path, &view),
                "png" => raster::write_png16(&path, &view),
                _ => raster::write_tif(&path, &view),
            }?;
        }
    }
    Ok(())
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    whole::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// How a map is drawn: ramp, unit for people, and the factor to it.
fn style(world: &World, which: Map) -> map::MapStyle {
    let (colours, unit, unit_scale) = match which {
        Map::Height => (Ramp::Sequential, "m", 1.0),
        Map::Compression => (Ramp::Sequential, "mm", 1000.0),
        Map::Accumulation => (Ramp::Heat, "mm", 1000.0),
        Map::PressureTime => (Ramp::Heat, "kPa·s", 0.001),
        Map::Material | Map::Vegetation => (Ramp::Sequential, "", 1.0),
    };
    let materials = &world.scene().terrain.materials;
    let categories = (which == Map::Material)
        .then(|| materials.iter().map(|m| (m.name.clone(), m.material.colour)).collect());
    map::MapStyle {
        name: which.name().replace('_', " "),
        unit: unit.into(),
        colours,
        range: None,
        unit_scale,
        categories,
    }
}

fn pictures(
    folder: &Path,
    world: &World,
    source: &Source,
    figures: &Figures,
    summary: &Value,
) -> Result<(), Failure> {
    let best = figures.best;
    let ground = world.ground();
    let middle = [0, 1].map(|k| 0.5 * f64::from(ground.size[k]) * ground.cell);
    let around = if best.depth > 0.0 { [best.x, best.z] } else { middle };
    let rect = look::drawn(world, around);
    let base = look::base(world, rect);
    let height = look::smoothed(world, look::field(world, Map::Height, rect), &base);
    let preview = preview(world, &height, &base, rect, summary).to_png();
    save(&folder.join("preview.png"), &preview)?;
    let mut gallery = Vec::new();
    let folder_maps = folder.join("pictures");
    std::fs::create_dir_all(&folder_maps).map_err(|e| format!("{}: {e}", folder_maps.display()))?;
    for which in Map::ALL {
        let title = format!("{} of {}", which.name().replace('_', " "), world.scene().name);
        let png = map::picture(&look::field(world, which, rect), &style(world, which), &title).to_png();
        save(&folder_maps.join(format!("{}.png", which.name())), &png)?;
        gallery.push(html::Picture { png, caption: caption(which).into() });
    }
    let change: Vec<f32> = height.data.iter().zip(&base.data).map(|(h, b)| h - b).collect();
    let change = Field { data: change, ..height.clone() };
    let diverging = map::MapStyle {
        name: "height change".into(),
        unit: "mm".into(),
        colours: Ramp::Diverging,
        range: None,
        unit_scale: 1000.0,
        categories: None,
    };
    let png = map::picture(&change, &diverging, &format!("height change of {}", world.scene().name)).to_png();
    save(&folder_maps.join("change.png"), &png)?;
    gallery
        .insert(0, html::Picture { png, caption: "Height change: blue is carved, brown is heaped.".into() });
    let along = profile(world, around, best.heading, "Cut along the deepest print")?;
    save(&folder.join("profile.png"), &along.image.to_png())?;
    let across = profile(world, around, [-best.heading[1], best.heading[0]], "Cut across the deepest print")?;
    let report =
        Pages { world, source, figures, summary, preview, gallery, along: along.svg, across: across.svg };
    save(&folder.join("report.html"), report.html()?.as_bytes())
}

fn caption(which: Map) -> &'static str {
    match which {
        Map::Height => "Surface height.",
        Map::Compression => "Plastic compression of the ground.",
        Map::Accumulation => "Loose material lying on top.",
        Map::PressureTime => "Pressure summed over time (TRAIL eq. 17).",
        Map::Material => "What the ground is made of.",
        Map::Vegetation => "How well plants hold the ground: 1 dense and healthy, 0 bare (TRAIL eq. 7).",
    }
}

fn preview(
    world: &World,
    height: &Field,
    base: &Field,
    rect: CellRect,
    summary: &Value,
) -> crate::picture::Image {
    let scene = world.scene();
    let linear = |c: u8| {
        let x = f32::from(c) / 255.0;
        if x <= 0.04045 { x / 12.92 } else { libm::powf((x + 0.055) / 1.055, 2.4) }
    };
    let looks: Vec<relief::MaterialLook> = scene
        .terrain
        .materials
        .iter()
        .map(|m| relief::MaterialLook { name: m.name.clone(), albedo: m.material.colour.map(linear) })
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
    let whole = trample::map::touched_rect(world.ground()).map_or(0, |r| r.width.max(r.height));
    if whole > rect.width.max(rect.height) {
        let (shown, all) = (height.cell * rect.width.max(rect.height) as f64, height.cell * whole as f64);
        lines.push(format!("shown: {shown:.0} m of {all:.0} m"));
    }
    let title = if scene.about.is_empty() { &scene.name } else { &scene.about };
    let plants = Sward::gather(world, height);
    relief::preview(height, base, &look::field(world, Map::Material, rect), &looks, title, &lines, &plants)
}

/// A cut of 0.8 m through a place, along a direction.
fn profile(world: &World, at: [f64; 2], along: [f64; 2], title: &str) -> Result<plot::Chart, Failure> {
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
    Ok(plot::profile(&title, &x, &base, &surface)?)
}

/// What the report is made of.
struct Pages<'a> {
    world: &'a World,
    source: &'a Source,
    figures: &'a Figures,
    summary: &'a Value,
    preview: Vec<u8>,
    gallery: Vec<html::Picture>,
    along: String,
    across: String,
}

impl Pages<'_> {
    fn html(self) -> Result<String, Failure> {
        let scene = self.world.scene();
        let number = |path: &str| self.summary.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
        let card = |label: &str, value: String, unit: &str| html::Card {
            label: label.into(),
            value,
            unit: unit.into(),
        };
        let cards = html::Block::Cards(vec![
            card("Deepest print", format!("{:.1}", 1e3 * number("/depth_m/max")), "mm"),
            card("Highest bump", format!("{:.1}", 1e3 * number("/bump_m/max")), "mm"),
            card("Footsteps", self.summary["footsteps"].to_string(), ""),
            card("Contact area", format!("{:.0}", 1e4 * number("/contact_area_m2/mean")), "cm²"),
            card("Mean pressure", format!("{:.1}", 1e-3 * number("/pressure_pa/mean")), "kPa"),
            card("Largest force", format!("{:.0}", number("/force_n/max")), "N"),
            card("Volume error", format!("{:.1e}", number("/volume/relative_error")), ""),
            card("Speed", format!("{:.0}", number("/realtime_factor")), "× real time"),
        ]);
        let mut sections = vec![html::Section { heading: "Figures".into(), blocks: vec![cards] }];
        if scene.puppets.len() > 1 {
            sections.push(self.bodies());
        }
        sections.push(html::Section {
            heading: "Maps".into(),
            blocks: vec![html::Block::Gallery(self.gallery.clone())],
        });
        let cut = |svg: &str, caption: &str| html::Block::Svg { svg: svg.into(), caption: caption.into() };
        sections.push(html::Section {
            heading: "The deepest print".into(),
            blocks: vec![cut(&self.along, "From heel to toe."), cut(&self.across, "From side to side.")],
        });
        if !self.figures.cover.is_empty() {
            let svg = cover::chart(self.world, &self.figures.cover)?.svg;
            let caption = "Share of stem joints with nothing broken between them and the root.";
            let blocks = vec![html::Block::Svg { svg, caption: caption.into() }];
            sections.push(html::Section { heading: "Plants against passes".into(), blocks });
        }
        sections.push(html::Section { heading: "Over time".into(), blocks: self.plots()? });
        sections.push(self.ledger());
        sections.push(self.parameters());
        let hero = html::Picture { png: self.preview, caption: scene.about.clone() };
        Ok(html::Report {
            title: scene.name.clone(),
            subtitle: scene.about.clone(),
            hero: Some(hero),
            sections,
            footer: format!(
                "trample {} · seed {} · state hash {}",
                env!("CARGO_PKG_VERSION"),
                scene.seed,
                self.summary["hash"].as_str().unwrap_or_default()
            ),
        }
        .to_html())
    }

    fn bodies(&self) -> html::Section {
        let head = [
            "body",
            "mass, kg",
            "steps",
            "deepest, mm",
            "mean depth, mm",
            "contact, cm²",
            "pressure, kPa",
            "force, N",
        ];
        let rows = self.world.scene().puppets.iter().zip(&self.figures.puppets).map(|(spec, t)| {
            vec![
                spec.name.clone(),
                spec.mass.to_string(),
                t.footsteps.to_string(),
                format!("{:.1}", 1e3 * t.deepest),
                format!("{:.1}", 1e3 * t.mean_depth()),
                format!("{:.0}", 1e4 * t.mean_area()),
                format!("{:.1}", 1e-3 * t.mean_pressure()),
                format!("{:.0}", t.force),
            ]
        });
        let table =
            html::Block::Table { head: head.map(String::from).to_vec(), rows: rows.take(200).collect() };
        html::Section { heading: "Bodies".into(), blocks: vec![table] }
    }

    fn plots(&self) -> Result<Vec<html::Block>, Failure> {
        let line = &self.figures.timeline;
        let x: Vec<f64> = line.iter().map(|s| s[0]).collect();
        let feet = self.world.scene().puppets.first().map_or(0, |p| p.script.feet().min(2));
        let name = |foot: usize| if feet < 2 { "contact" } else { ["right foot", "left foot"][foot] };
        let series = |first: usize, factor: f64| -> Vec<plot::Series> {
            let one = |foot: usize| plot::Series {
                name: name(foot).into(),
                x: x.clone(),
                y: line.iter().map(|s| factor * s[first + foot]).collect(),
            };
            (0..feet).map(one).collect()
        };
        let mut blocks = Vec::new();
        for (first, factor, title, label, caption) in [
            (
                1,
                1.0,
                "Force into the ground",
                "force (N)",
                "Normal force of the first body: weight shared by where the centre of mass stands, plus the landing held for the ground's characteristic time.",
            ),
            (
                3,
                1000.0,
                "Depth under the sole",
                "depth (mm)",
                "How far the first body's soles stand below the original ground.",
            ),
        ] {
            let chart = plot::lines(&series(first, factor), title, "time (s)", label)?;
            blocks.push(html::Block::Svg { svg: chart.svg, caption: caption.into() });
        }
        Ok(blocks)
    }

    fn ledger(&self) -> html::Section {
        let v = self.world.volume();
        let row = |what: &str, value: f64| vec![what.to_string(), format!("{:.6}", 1e3 * value)];
        let rows = vec![
            row("carved: ground compressed under soles", v.carved),
            row("displaced: the share of it that had to move", v.displaced),
            row("accumulated: loose material lying there now, counted cell by cell", v.accumulated),
            vec!["relative error".into(), format!("{:.1e}", v.relative_error)],
        ];
        let stages = trample::Stage::ALL.iter().map(|stage| {
            let seconds = self.summary["stages"][stage.name()].as_f64().unwrap_or(0.0);
            vec![stage.name().to_string(), format!("{seconds:.4}")]
        });
        html::Section {
            heading: "Volume ledger and time".into(),
            blocks: vec![
                html::Block::Table { head: vec!["volume".into(), "litres".into()], rows },
                html::Block::Table { head: vec!["stage".into(), "seconds".into()], rows: stages.collect() },
            ],
        }
    }

    fn parameters(&self) -> html::Section {
        let scene = self.world.scene();
        let mut blocks = Vec::new();
        let mut head = vec!["material".to_string()];
        head.extend(trample::Material::RANGES.iter().map(|r| {
            if r.unit.is_empty() { r.field.to_string() } else { format!("{}, {}", r.field, r.unit) }
        }));
        let rows = scene.terrain.materials.iter().map(|m| {
            let values = trample::Material::RANGES
                .iter()
                .map(|r| format!("{:.6}", m.material.field(r.field).unwrap_or(0.0)))
                .map(|v| v.trim_end_matches('0').trim_end_matches('.').to_string());
            std::iter::once(m.name.clone()).chain(values).collect()
        });
        // One column per material reads better than one row with twelve columns.
        let table: Vec<Vec<String>> = rows.collect();
        let turned = (1..head.len()).map(|i| {
            std::iter::once(head[i].clone())
                .chain(table.iter().map(|row: &Vec<String>| row[i].clone()))
                .collect()
        });
        let names = std::iter::once("parameter".to_string()).chain(table.iter().map(|row| row[0].clone()));
        blocks.push(html::Block::Table { head: names.collect(), rows: turned.collect() });
        blocks.push(html::Block::Text("The scene as a file:".into()));
        blocks.push(html::Block::Code(self.source.text.clone()));
        if !self.source.settings.is_empty() {
            blocks.push(html::Block::Text(format!("Set over it: {}", self.source.settings.join(", "))));
        }
        html::Section { heading: "Parameters".into(), blocks }
    }
}

/// A number of footsteps, in words that agree with it.
fn counted(footsteps: &Value) -> String {
    match footsteps.as_u64() {
        Some(1) => "1 contact".into(),
        Some(n) => format!("{n} footsteps"),
        None => "no footsteps".into(),
    }
}

/// The end of a run, for a person.
pub(crate) fn tell(folder: &Path, summary: &Value, wanted: &Wanted) {
    let number = |path: &str| summary.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    println!(
        "{}: {} in {:.1} s, simulated in {:.3} s ({:.0} × real time)",
        summary["scene"].as_str().unwrap_or_default(),
        counted(&summary["footsteps"]),
        number("/sim_seconds"),
        number("/wall_seconds"),
        number("/realtime_factor")
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
        println!("  WARNING: {} puppet(s) gave poses that are not numbers and were left out", list.len());
    }
    let what = if wanted.pictures { "report.html, preview.png, profile.png, maps, " } else { "maps, " };
    println!("  {what}summary.json and run.trample are in {}", folder.display());
}
