//! Height maps in, maps out.
//!
//! [`read_height_map`] reads PNG, EXR, NPY, GeoTIFF, ESRI ASCII and SRTM files into a [`Grid`] of metres;
//! [`write_npy`], [`write_exr`], [`write_png16`] and [`write_tif`] write a [`MapView`]. Files come from
//! anywhere, so every claimed size is compared with [`Limits`] and with the file's length before memory is
//! taken for it, and every writer replaces its file in one step. The same map always gives the same bytes.

mod asc;
mod asc_words;
mod detect;
mod error;
mod exr;
mod exr_header;
mod fill;
mod geo_tags;
mod hgt;
mod input;
mod npy;
mod png;
mod prj;
mod sidecar;
mod staged;
mod tif;
mod tif_header;
mod tif_write;

#[cfg(test)]
mod tests;

pub use detect::read_height_map;
pub use error::RasterError;
pub use exr::write_exr;
pub use npy::write_npy;
pub use png::write_png16;
pub use tif_write::write_tif;

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
    /// One sample per cell, row-major; NaN marks no-data.
    pub data: &'a [f32],
    /// Distance between neighbouring samples along x and z, metres.
    pub spacing: Option<[f64; 2]>,
    /// Where the map lies on the Earth.
    pub geo: Option<Geo>,
}

impl Grid {
    /// This grid as a map to be written.
    pub fn as_map<'a>(&'a self, name: &'a str, unit: &'a str) -> MapView<'a> {
        MapView {
            name,
            unit,
            width: self.width,
            height: self.height,
            data: &self.data,
            spacing: self.spacing,
            geo: self.geo,
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

impl MapView<'_> {
    /// Refuses a map that the formats cannot hold, before any file is touched.
    fn check(&self, path: &Path) -> Result<(), RasterError> {
        let Self { width, height, data, .. } = *self;
        if width == 0 || height == 0 || width.checked_mul(height) != Some(data.len()) {
            return Err(RasterError::Shape { path: path.to_path_buf(), width, height, samples: data.len() });
        }
        if let Some(place) = data.iter().position(|sample| sample.is_infinite()) {
            return Err(RasterError::NotFinite {
                path: path.to_path_buf(),
                row: place / width,
                column: place % width,
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
