//! Height maps in, maps out.
//!
//! [`read_height_map`] reads PNG, EXR, NPY, GeoTIFF, RAW, ESRI ASCII and SRTM files into a [`Grid`] of metres;
//! [`write_npy`], [`write_exr`], [`write_png16`], [`write_tif`] and [`write_r16`] write a [`MapView`], [`Export`] maps of a world over an
//! [`Extent`], [`Layout`] says how the tools of games and pictures want them. Files come from
//! anywhere, so every claimed size is compared with [`Limits`] and with the file's length before memory is
//! taken for it, and every writer replaces its file in one step. The same map always gives the same bytes.

mod asc;
mod asc_words;
mod detect;
mod error;
#[cfg_attr(not(feature = "images"), path = "no_exr.rs")]
mod exr;
#[cfg(feature = "images")]
mod exr_header;
mod extent;
mod fill;
mod geo_tags;
mod hgt;
mod input;
mod layout;
mod maps;
mod npy;
mod png;
mod prj;
mod raw;
mod sidecar;
mod tif;
mod tif_header;
mod tif_write;

pub use detect::{doubts, read_height_map};
pub use error::RasterError;
pub use exr::write_exr;
pub use extent::{Extent, Tile};
pub use layout::{Layout, Tool};
pub use maps::{
    Export, FORMATS, MapFormat, coarsest, exported, format_by_name, left_out, usual_formats, write_maps,
};
pub use npy::write_npy;
pub use png::write_png16;
pub use raw::write_r16;
pub use tif_write::write_tif;

use crate::atomic::{Sink, Staged};
use std::path::Path;

/// A regular grid of heights or map values, row-major. Row 0 is the northern edge, which is minimum z.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Samples per row, along x.
    pub width: usize,
    /// Rows, along z.
    pub height: usize,
    /// One sample per cell, metres for heights. NaN marks no-data; infinities do not occur.
    pub data: Vec<f32>,
    /// Distance between neighbouring samples along x and along z, metres; `None` if the file does not say.
    ///
    /// For a map in degrees this is the distance at the map's middle latitude, because a simulator of
    /// footprints needs metres and such a map is only nearly regular in them.
    pub spacing: Option<[f64; 2]>,
    /// Where the map lies on the Earth, if the file says so.
    pub geo: Option<Geo>,
    /// The largest raw value (255 or 65535) if the samples are integers without a unit, as in a PNG without a
    /// sidecar. The caller then scales `0..=raw_integer_range` to its height range.
    pub raw_integer_range: Option<f32>,
}

/// Where a map lies in a coordinate reference system (CRS), north up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geo {
    /// CRS x (east) and y (north) of the CENTRE of sample (0, 0), whatever convention the file uses.
    pub origin: [f64; 2],
    /// CRS units from one sample to the next, eastward along a row and southward from row to row, both
    /// positive.
    pub pixel: [f64; 2],
    /// The EPSG code of the CRS, if the file names one.
    pub epsg: Option<u32>,
    /// Whether CRS units are degrees of longitude and latitude. Otherwise they are lengths, normally metres.
    pub degrees: bool,
}

/// How large a map may be. Both bounds are checked before memory is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest number of samples.
    pub max_cells: u64,
    /// Largest width and largest height.
    pub max_side: u32,
}

impl Default for Limits {
    /// 2^28 samples, which is 1 GiB in memory, and 65536 per side.
    fn default() -> Self {
        Limits { max_cells: 1 << 28, max_side: 65536 }
    }
}

/// A map to be written. It borrows its samples, so that writing a map of the simulation copies nothing.
#[derive(Clone, Copy, Debug)]
pub struct MapView<'a> {
    /// The map's name, such as `height`: the channel of an EXR, the `name` of a sidecar.
    pub name: &'a str,
    /// The unit of the samples, such as `m`; empty for none.
    pub unit: &'a str,
    /// Samples per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Numbers per sample: 1, or 3 of a texture.
    pub channels: usize,
    /// The numbers of one sample after those of another, row-major; NaN marks no-data.
    pub data: &'a [f32],
    /// Whether the numbers are indices of kinds, which have no mean and are their own pixels.
    pub counts: bool,
    /// Distance between neighbouring samples along x and z, metres.
    pub spacing: Option<[f64; 2]>,
    /// Where the map lies on the Earth.
    pub geo: Option<Geo>,
    /// The values that the integers 0 and 65535 of a PNG stand for; the smallest and the largest of the map if absent.
    pub range: Option<[f32; 2]>,
}

impl Grid {
    /// This grid as a map to be written.
    pub fn as_map<'a>(&'a self, name: &'a str, unit: &'a str) -> MapView<'a> {
        MapView {
            spacing: self.spacing,
            geo: self.geo,
            ..MapView::new(name, unit, [self.width, self.height], &self.data)
        }
    }

    /// How many samples are no-data.
    pub fn nodata_count(&self) -> usize {
        self.data.iter().filter(|sample| sample.is_nan()).count()
    }

    /// Gives every no-data sample the value of the nearest valid one and returns how many were filled.
    ///
    /// Nearest counts steps along rows and columns. Among equally near samples the order of the rows decides,
    /// so the result depends on the map alone. Takes time in proportion to the samples.
    ///
    /// # Errors
    /// [`RasterError::AllNoData`] if there is no valid sample.
    pub fn fill_nodata(&mut self) -> Result<usize, RasterError> {
        fill::fill(self.width, &mut self.data)
    }
}

impl Geo {
    /// Metres between neighbouring samples along x and z, for a map of `height` rows.
    ///
    /// `metres_per_unit` is that of a CRS in lengths; degrees are converted at the map's middle latitude.
    fn spacing(&self, height: usize, metres_per_unit: f64) -> Option<[f64; 2]> {
        if !self.degrees {
            return Some(self.pixel.map(|unit| unit * metres_per_unit));
        }
        let middle = self.origin[1] - self.pixel[1] * (height as f64 - 1.0) / 2.0;
        let [east, north] = metres_per_degree(middle);
        // At the pole a degree of longitude has no length, so the map has no spacing in metres.
        (east > 0.0).then(|| [self.pixel[0] * east, self.pixel[1] * north])
    }
}

/// Metres in one degree of longitude and of latitude on the WGS 84 ellipsoid, to about a centimetre.
///
/// The usual cosine series in the latitude. The cosine itself is summed here, with nothing but products and
/// sums, because the platform's own differs between systems in the last bit.
fn metres_per_degree(latitude: f64) -> [f64; 2] {
    let angle = latitude.clamp(-90.0, 90.0) * (std::f64::consts::PI / 180.0);
    let square = angle * angle;
    let (mut cosine, mut term) = (1.0, 1.0);
    for n in 1..14 {
        term *= -square / f64::from((2 * n - 1) * (2 * n));
        cosine += term;
    }
    // Cosines of multiples of the angle: cos(nφ) = 2 cos φ cos((n−1)φ) − cos((n−2)φ).
    let double = 2.0 * cosine * cosine - 1.0;
    let triple = 2.0 * cosine * double - cosine;
    let quadruple = 2.0 * cosine * triple - double;
    let quintuple = 2.0 * cosine * quadruple - triple;
    let east = 111_412.84 * cosine - 93.5 * triple + 0.118 * quintuple;
    let north = 111_132.92 - 559.82 * double + 1.175 * quadruple;
    // A rounding error must not make the length at the pole positive.
    [if latitude.abs() < 90.0 { east } else { 0.0 }, north]
}

impl<'a> MapView<'a> {
    /// A map of single numbers of which nothing more is known; `size` is samples per row and rows.
    pub fn new(name: &'a str, unit: &'a str, size: [usize; 2], data: &'a [f32]) -> Self {
        let [width, height] = size;
        Self {
            name,
            unit,
            width,
            height,
            channels: 1,
            data,
            counts: false,
            spacing: None,
            geo: None,
            range: None,
        }
    }

    /// The values that the integers 0 and 65535 stand for, and how many samples have no data.
    fn integers(&self) -> ([f32; 2], usize) {
        let valid = || self.data.iter().copied().filter(|sample| !sample.is_nan());
        let nodata = self.data.len() - valid().count();
        let range = match self.range {
            _ if self.counts => [0.0, 65535.0],
            Some(range) => range,
            None if nodata == self.data.len() => [0.0, 0.0],
            None => [valid().fold(f32::INFINITY, f32::min), valid().fold(f32::NEG_INFINITY, f32::max)],
        };
        (range, nodata)
    }

    /// Refuses a map that the formats cannot hold, before any file is touched.
    fn check(&self, path: &Path) -> Result<(), RasterError> {
        let Self { width, height, channels, data, .. } = *self;
        let numbers = width.checked_mul(height).and_then(|n| n.checked_mul(channels));
        if width == 0 || height == 0 || numbers != Some(data.len()) {
            return Err(RasterError::Shape { path: path.to_path_buf(), width, height, samples: data.len() });
        }
        if let Some(place) = data.iter().position(|sample| sample.is_infinite()) {
            return Err(RasterError::NotFinite {
                path: path.to_path_buf(),
                row: place / channels / width,
                column: place / channels % width,
                value: f64::from(data[place]),
            });
        }
        Ok(())
    }

    /// The sides as the 32-bit numbers that image formats store.
    fn sides_u32(&self, path: &Path) -> Result<(u32, u32), RasterError> {
        let side = |field, side: usize| {
            u32::try_from(side).ok().filter(|&side| side <= i32::MAX as u32).ok_or_else(|| {
                RasterError::field(path, field, &side, &"1 to 2147483647", "write the map in parts")
            })
        };
        Ok((side("width", self.width)?, side("height", self.height)?))
    }
}

/// The 16-bit integer that stands for a sample; no-data is 0.
fn integer(sample: f32, range: [f32; 2]) -> u16 {
    let (low, span) = (f64::from(range[0]), f64::from(range[1]) - f64::from(range[0]));
    if sample.is_nan() || span == 0.0 {
        0
    } else {
        ((f64::from(sample) - low) / span * 65535.0).round() as u16
    }
}

/// Writes a whole file that is not yet in its place.
fn stage(
    path: &Path,
    fill: impl FnOnce(&mut dyn Sink) -> Result<(), RasterError>,
) -> Result<Staged, RasterError> {
    Staged::write(path, fill, |action, error| RasterError::io(path, action)(error))
}

/// Puts a staged file in its place.
fn publish(path: &Path, staged: Staged) -> Result<(), RasterError> {
    staged.publish(|action, error| RasterError::io(path, action)(error))
}

/// Replaces a file in one step.
fn replace(
    path: &Path,
    fill: impl FnOnce(&mut dyn Sink) -> Result<(), RasterError>,
) -> Result<(), RasterError> {
    publish(path, stage(path, fill)?)
}

#[cfg(test)]
mod tests {
    #[test]
    fn degrees_become_metres_at_the_middle_latitude() {
        // Reference lengths of a degree on WGS 84: 111.320 km and 110.574 km at the equator, 78.847 km and
        // 111.132 km at 45°, 0 and 111.694 km at the pole.
        for (latitude, east, north) in
            [(0.0, 111_320.0, 110_574.0), (45.0, 78_847.0, 111_132.0), (90.0, 0.0, 111_694.0)]
        {
            let found = super::metres_per_degree(latitude);
            assert!((found[0] - east).abs() < 1.0 && (found[1] - north).abs() < 1.0, "{latitude}: {found:?}");
        }
    }
}
