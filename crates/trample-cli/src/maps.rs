//! Which maps are written, in which formats, and how: options of every command that writes some.

use crate::Failure;
use std::path::PathBuf;
use trample::Map;
use trample_files::raster::{self, Extent, Layout, MapFormat};

/// Options of maps.
#[derive(clap::Args, Default)]
pub(crate) struct MapOptions {
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help = format!("Maps to write: {}; or `none`", Map::names()))]
    maps: Vec<String>,
    /// Formats of the maps: npy, exr, png, tif, r16 (also called raw) [default: all but r16]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    formats: Vec<String>,
    /// Values of black and white in PNG and RAW files of lengths, m, such as -0.1,0.1 [default: the range of each map]
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, value_parser = span)]
    png_range: Option<Span>,
    /// Size, format, byte order and orientation for a tool: unreal:1009, unity:1025, godot or blender; other sizes after the colon
    #[arg(long, value_name = "TOOL[:SIZE]")]
    layout: Option<Layout>,
}

/// The values that the two ends of a picture stand for, m.
#[derive(Clone, Copy)]
pub(crate) struct Span([f32; 2]);

/// What was asked for.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) maps: Vec<Map>,
    /// Whether somebody named them.
    pub(crate) named: bool,
    /// Whether somebody named the formats.
    pub(crate) formats_named: bool,
    /// Empty for those that the layout wants.
    pub(crate) formats: Vec<MapFormat>,
    pub(crate) png_range: Option<[f32; 2]>,
    pub(crate) layout: Option<Layout>,
}

impl MapOptions {
    /// What was asked for; every map, unless some were named.
    pub(crate) fn chosen(&self) -> Result<Chosen, Failure> {
        let mut maps = Vec::new();
        for name in self.maps.iter().filter(|n| *n != "none") {
            let map = Map::by_name(name)
                .ok_or_else(|| format!("--maps {name}: no such map, allowed: {}, none", Map::names()))?;
            maps.push(map);
        }
        if self.maps.is_empty() {
            maps = if self.layout.is_some() {
                vec![Map::Height, Map::Normal, Map::Mask]
            } else {
                Map::ALL.to_vec()
            };
        }
        let mut formats = Vec::new();
        for name in &self.formats {
            let known = raster::FORMATS.map(|(ending, _)| ending).join(", ");
            let format = raster::format_by_name(name)
                .ok_or_else(|| format!("--formats {name}: no such format, allowed: {known}"))?;
            formats.push(format);
        }
        if formats.is_empty() && self.layout.is_none() {
            formats = raster::usual_formats();
        }
        Ok(Chosen {
            maps,
            named: !self.maps.is_empty(),
            formats_named: !self.formats.is_empty(),
            formats,
            png_range: self.png_range.map(|s| s.0),
            layout: self.layout,
        })
    }
}

/// Samples in a map above which NPY, which is not packed, is written only if it is asked for: 16 MB a map, our choice.
const UNPACKED: usize = 4 << 20;

impl Chosen {
    /// The formats of maps of so many samples, and a word about what is left out.
    pub(crate) fn formats_of(&self, samples: usize) -> Vec<MapFormat> {
        let mut formats = self.formats.clone();
        if !self.formats_named && samples > UNPACKED {
            formats.retain(|(ending, _)| *ending != "npy");
            if formats.len() < self.formats.len() && !self.maps.is_empty() {
                let all = raster::usual_formats().iter().map(|(ending, _)| *ending).collect::<Vec<_>>();
                eprintln!(
                    "maps of {:.1} million samples are written without npy, {:.0} MB each; `--formats {}` includes it",
                    1e-6 * samples as f64,
                    4e-6 * samples as f64,
                    all.join(",")
                );
            }
        }
        formats
    }
}

/// The square of posts that a layout wants over a part of the terrain, and a word if it is more than that part.
pub(crate) fn posts(extent: Extent, side: usize) -> Extent {
    let [width, depth] = extent.size();
    let long = width.max(depth);
    if (width - depth).abs() > 1e-6 * long {
        eprintln!(
            "the layout's square of {long:.2} × {long:.2} m reaches beyond the {width:.2} × {depth:.2} m of the maps; beyond the terrain its \
             edge is repeated; `trample export RUN --window X,Z,W,H` with W = H takes a square part"
        );
    }
    extent.posts(side)
}

/// Says if the integers of what was written are too coarse for prints.
pub(crate) fn tell_steps(written: &[PathBuf]) {
    if let Some((file, step)) = raster::coarsest(written) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        eprintln!(
            "WARNING: one step of 16 bits is {:.2} mm in {name}, more than 1 mm: prints would be stairs; EXR, GeoTIFF and NPY have floats, and \
             `--maps delta` or a narrower --png-range has finer steps",
            1e3 * step
        );
    }
}

/// So many numbers with commas between them.
pub(crate) fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parts: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let parts = parts.map_err(|_| format!("`{text}` is not {N} numbers with commas between them"))?;
    let finite = parts.iter().all(|x: &f64| x.is_finite());
    parts
        .try_into()
        .ok()
        .filter(|_| finite)
        .ok_or_else(|| format!("`{text}` is not {N} numbers with commas between them"))
}

fn span(text: &str) -> Result<Span, String> {
    let [low, high] = numbers::<2>(text)?.map(|x| x as f32);
    if low < high { Ok(Span([low, high])) } else { Err("the first number must be the smaller one".into()) }
}
