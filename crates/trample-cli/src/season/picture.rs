//! Pictures of a season: the whole extent by day, the film of the trail appearing, maps as rasters.

use crate::Failure;
use std::path::{Path, PathBuf};
use trample::Ramp;
use trample::scene::PlantPatch;
use trample_files::raster::{Geo, MapView, write_npy, write_tif};
use trample_lab::save;
use trample_pictures::{Field, Image, MapStyle, Style, map_picture, text_width};
use trample_season::Run;
use trample_season::land::{EARTH, GATE, PAVED, WALL, WATER, grass, land, trodden};
use trample_season::measure::{Overview, overview};

/// Pixels along the longer side of a frame, and of a map.
const FRAME: usize = 640;
const MAP: usize = 1000;

/// Most bytes of a frame.
const LARGEST: u64 = 64 << 20;

/// Width of a trail, m: pixels that are larger show their most worn place. Our choice.
const TREAD: f64 = 0.5;

/// Paints a season while it runs.
pub(crate) struct Painter {
    /// Where frames and maps are kept while the season runs, so that one that is resumed has them all.
    so_far: PathBuf,
    every: i64,
    wanted: bool,
    /// The land without anybody, as a frame.
    land: Image,
    /// Frames so far: day and PNG.
    pub(crate) frames: Vec<(i64, Vec<u8>)>,
}

impl Painter {
    /// Of a season that is about to walk its next day.
    pub(crate) fn new(run: &Run, so_far: PathBuf, every: i64, wanted: bool) -> Result<Self, Failure> {
        let mut frames = Vec::new();
        let land = frame_of(run);
        for kind in ["frames", "maps"] {
            let folder = so_far.join(kind);
            if !folder.exists() {
                continue;
            }
            for entry in std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
                let path = entry?.path();
                let stem = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.strip_prefix("day-"));
                let day = stem.and_then(|s| s.split('-').next()?.parse::<i64>().ok());
                // What a killed season painted after its last state is painted again.
                let Some(day) = day.filter(|&day| wanted && day <= run.day) else {
                    std::fs::remove_file(&path)?;
                    continue;
                };
                if kind == "frames" {
                    let png = trample_files::memory::read(&path, LARGEST)?;
                    let size = Some((land.width, land.height));
                    if decoded(&png).map(|image| (image.width, image.height)) == size {
                        frames.push((day, png));
                    } else {
                        std::fs::remove_file(&path)?;
                    }
                }
            }
        }
        frames.sort_by_key(|f| f.0);
        Ok(Self { so_far, every, wanted, land, frames })
    }

    /// What a day left, if it is one to look at.
    pub(crate) fn day(&mut self, run: &Run) -> Result<(), Failure> {
        let last = run.day == run.days();
        if !self.wanted {
            return Ok(());
        }
        let film = (run.days() / 30).max(1);
        if run.day % film == 0 || run.day == 1 || last {
            self.keep(run)?;
        }
        if run.day % self.every == 0 || last {
            self.maps(run)?;
        }
        Ok(())
    }

    /// Paints a frame and keeps it.
    fn keep(&mut self, run: &Run) -> Result<(), Failure> {
        let png = self.frame(run).to_png();
        save(&self.so_far.join("frames").join(format!("day-{:05}.png", run.day)), &png)?;
        self.frames.push((run.day, png));
        Ok(())
    }

    /// The land with its trails.
    fn frame(&self, run: &Run) -> Image {
        let o = overview(&run.ground, FRAME);
        // A trail that is narrower than a pixel is seen by its most worn place.
        let worn = if o.pixel > TREAD { &o.worst } else { &o.wear };
        let mut image = self.land.clone();
        let (_, tall) = size_of(run);
        for y in 0..tall {
            for x in 0..image.width {
                let at = |i: usize, n: usize, of: usize| (i * of / n).min(of - 1);
                let wear = worn[at(y, tall, o.size[1]) * o.size[0] + at(x, image.width, o.size[0])];
                let at = 3 * ((y + HEAD) * image.width + x);
                let colour = [image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]];
                image.rgb[at..at + 3].copy_from_slice(&trodden(colour, wear));
            }
        }
        let season = run.season();
        let scale = image.width as f64 / run.ground.scene().terrain.size[0];
        for gate in &season.gates {
            let [x, z] = gate.place.map(|p| (p * scale) as f32);
            image.swatch([x - 5.0, z + HEAD as f32 - 5.0], 10.0, GATE);
        }
        // Names last, so that no gate hides one; to the left of gates at the right edge.
        for gate in &season.gates {
            let [x, z] = gate.place.map(|p| (p * scale) as f32);
            let wide = text_width(&gate.name, LETTER);
            let room = image.width as f32 - x - 10.0;
            let left = if wide > room { (x - 10.0 - wide).max(2.0) } else { x + 10.0 };
            let line = (z + HEAD as f32 + 4.0).max(HEAD as f32 + LETTER);
            image.fill([left - 2.0, line - LETTER + 1.0], [wide + 4.0, LETTER + 3.0], PAPER, 0.75);
            image.text(left, line, &gate.name, Style::new(LETTER, INK));
        }
        let title = format!("{}  day {} · {}", run.ground.scene().name, run.day, run.date(run.day - 1));
        image.text(10.0, 24.0, &title, Style::new(18.0, INK).bold());
        image
    }

    fn maps(&self, run: &Run) -> Result<(), Failure> {
        let folder = self.so_far.join("maps");
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let o = overview(&run.ground, MAP);
        for (name, unit, scale, data, range, ramp) in [
            ("cover", "%", 100.0, &o.cover, Some([0.0, 1.0]), Ramp::Sequential),
            ("passes", "", 1.0, &o.passes, None, Ramp::Heat),
            ("depth", "mm", 1000.0, &o.depth, None, Ramp::Heat),
        ] {
            let field = Field {
                width: o.size[0],
                height: o.size[1],
                cell: o.pixel,
                origin: [0.0; 2],
                data: data.clone(),
            };
            let style = MapStyle {
                name: name.into(),
                unit: unit.into(),
                colours: ramp,
                range,
                unit_scale: scale,
                categories: None,
            };
            let title = format!("{name} of {} after day {}", run.ground.scene().name, run.day);
            let stem = format!("day-{:04}-{name}", run.day);
            save(&folder.join(format!("{stem}.png")), &map_picture(&field, &style, &title).to_png())?;
            write_npy(&folder.join(format!("{stem}.npy")), &view(run, &o, name, data))?;
        }
        Ok(())
    }

    /// The overview and the film.
    pub(crate) fn finish(&mut self, folder: &Path, run: &Run) -> Result<(), Failure> {
        if !self.wanted {
            return Ok(());
        }
        save(&folder.join("overview.png"), &self.frame(run).to_png())?;
        if self.frames.is_empty() {
            self.keep(run)?;
        }
        let images: Vec<Image> = self.frames.iter().filter_map(|(_, png)| decoded(png)).collect();
        save(&folder.join("film.png"), &animated(&images)?)
    }
}

/// `trail.tif`, the wear.
pub(crate) fn trail_tif(folder: &Path, run: &Run) -> Result<(), Failure> {
    let o = overview(&run.ground, 2048);
    Ok(write_tif(&folder.join("trail.tif"), &view(run, &o, "wear", &o.wear))?)
}

/// A raster over the whole extent, in the terrain's reference system.
fn view<'a>(run: &Run, o: &Overview, name: &'a str, data: &'a [f32]) -> MapView<'a> {
    let geo = run.ground.scene().terrain.place.map(|place| Geo {
        origin: [place.corner[0] + 0.5 * o.pixel, place.corner[1] - 0.5 * o.pixel],
        pixel: [o.pixel; 2],
        epsg: Some(place.epsg),
        degrees: false,
    });
    MapView { spacing: Some([o.pixel; 2]), geo, ..MapView::new(name, "", o.size, data) }
}

/// Height of the title above a frame and of a row of the key below it, pixels.
const HEAD: usize = 34;
const ROW: usize = 24;
/// Size of letters there.
const LETTER: f32 = 13.0;
const INK: [u8; 3] = [31, 36, 43];
const PAPER: [u8; 3] = [252, 252, 251];

/// Width and height of the land in a frame, pixels.
fn size_of(run: &Run) -> (usize, usize) {
    let [w, h] = run.ground.scene().terrain.size;
    let scale = FRAME as f64 / w.max(h);
    (((w * scale) as usize).max(80), ((h * scale) as usize).max(40))
}

/// What colours mean.
fn key(run: &Run) -> Vec<(String, [u8; 3])> {
    let (scene, season) = (run.ground.scene(), run.season());
    let mut all: Vec<(String, [u8; 3])> = Vec::new();
    if !season.gates.is_empty() {
        all.push(("gate".into(), GATE));
    }
    all.push(("trodden".into(), EARTH));
    for patch in &scene.plants {
        all.push((patch.species.preset.to_string(), grass(patch)));
    }
    if scene.plants.iter().map(PlantPatch::area).sum::<f64>()
        < 0.99 * scene.terrain.size[0] * scene.terrain.size[1]
    {
        all.push((scene.terrain.materials[0].name.clone(), scene.terrain.materials[0].material.colour));
    }
    if !season.calendar.boardwalks.is_empty() {
        all.push(("boardwalk".into(), PAVED));
    }
    for (water, name, colour) in [(true, "water", WATER), (false, "obstacle", WALL)] {
        if season.obstacles.iter().any(|o| o.water == water) {
            all.push((name.into(), colour));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|one| seen.insert(one.clone()));
    all
}

/// The land without anybody, below room for a title and above a scale and what colours mean.
fn frame_of(run: &Run) -> Image {
    let (width, tall) = size_of(run);
    // The longest of 1, 2, 5, 10 … m that takes up to a quarter of the width.
    let metre = width as f64 / run.ground.scene().terrain.size[0];
    let mut lengths = (-2..5).flat_map(|k| [1.0, 2.0, 5.0].map(|n| n * libm::pow(10.0, f64::from(k))));
    let length = lengths.rfind(|m| m * metre <= 0.25 * width as f64).unwrap_or(0.01);
    let bar = (length * metre) as f32;
    let mut at = (10.0 + bar + 8.0 + text_width(&format!("{length} m"), LETTER) + 18.0, 0);
    let mut places = Vec::new();
    for (name, colour) in key(run) {
        let wide = 18.0 + text_width(&name, LETTER);
        if at.0 + wide > width as f32 && at.0 > 10.0 {
            at = (10.0, at.1 + 1);
        }
        places.push((at, name, colour));
        at.0 += wide + 16.0;
    }
    let mut image = Image::new(width, tall + HEAD + ROW * (at.1 + 1), PAPER);
    for (i, colour) in land(&run.ground, [width, tall]).into_iter().enumerate() {
        image.blend((i % width) as i64, (i / width + HEAD) as i64, colour, 1.0);
    }
    let line = |row: usize| (HEAD + tall + ROW * row) as f32 + 17.0;
    image.fill([10.0, line(0) - 6.0], [bar, 3.0], INK, 1.0);
    image.text(10.0 + bar + 8.0, line(0), &format!("{length} m"), Style::new(LETTER, INK));
    for ((x, row), name, colour) in places {
        image.swatch([x, line(row) - 11.0], 12.0, colour);
        image.text(x + 18.0, line(row), &name, Style::new(LETTER, INK));
    }
    image
}

/// A frame from its PNG, if that is whole.
fn decoded(png: &[u8]) -> Option<Image> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().ok()?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let mut image = Image::new(width, height, [0; 3]);
    let read = reader.next_frame(&mut image.rgb).ok()?;
    (read.color_type == png::ColorType::Rgb).then_some(image)
}

/// Frames as an animated PNG, a tenth of a second each; the last one stays.
fn animated(images: &[Image]) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let (width, height) = (images[0].width as u32, images[0].height as u32);
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_animated(images.len() as u32, 0)?;
    encoder.set_frame_delay(1, 10)?;
    let mut writer = encoder.write_header()?;
    for (i, image) in images.iter().enumerate() {
        if i + 1 == images.len() {
            writer.set_frame_delay(2, 1)?;
        }
        writer.write_image_data(&image.rgb)?;
    }
    writer.finish()?;
    Ok(bytes)
}
