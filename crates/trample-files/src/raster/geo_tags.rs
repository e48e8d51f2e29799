//! The georeference of a GeoTIFF: where the samples lie and in which units.

use super::input::Sides;
use super::{Geo, RasterError};
use crate::geodesy;
use std::path::Path;

/// Keys of the GeoTIFF standard (OGC 19-008r4): model and raster type; systems; units.
const GT_MODEL_TYPE: u16 = 1024;
const GT_RASTER_TYPE: u16 = 1025;
const GEOGRAPHIC_TYPE: u16 = 2048;
const PROJECTED_CS_TYPE: u16 = 3072;
const PROJ_LINEAR_UNITS: u16 = 3076;
const VERTICAL_UNITS: u16 = 4099;

const WARP: &str = "resample it north up with gdalwarp";

/// Values of the model type, of the raster type, and of any key whose meaning is the file's own.
const PROJECTED: u16 = 1;
const GEOGRAPHIC: u16 = 2;
const PIXEL_IS_AREA: u16 = 1;
const PIXEL_IS_POINT: u16 = 2;
const USER_DEFINED: u16 = 32767;

/// The georeferencing tags as stored; empty if absent.
#[derive(Default)]
pub(super) struct GeoTags {
    pub(super) scale: Vec<f64>,
    pub(super) tiepoint: Vec<f64>,
    pub(super) transformation: Vec<f64>,
    pub(super) keys: Vec<u16>,
}

/// What the tags mean.
pub(super) struct Reference {
    pub(super) geo: Option<Geo>,
    /// The file stores the southern row first and must be turned over.
    pub(super) south_up: bool,
    /// Metres in one unit of the CRS; `None` for a unit that is not known.
    pub(super) metres_per_unit: Option<f64>,
    /// Metres in one unit of height.
    pub(super) metres_per_height: f64,
    /// The code of a system that the file names and is not in, by its unit.
    pub(super) disowned: Option<u32>,
}

impl GeoTags {
    /// The value stored in the key directory itself, which is where codes are.
    fn key(&self, wanted: u16) -> Option<u16> {
        let entries = self.keys.get(4..)?.chunks_exact(4);
        entries.into_iter().find(|entry| entry[0] == wanted && entry[1] == 0).map(|entry| entry[3])
    }

    /// The place of the samples, with all conventions resolved.
    pub(super) fn resolve(&self, path: &Path, sides: Sides) -> Result<Reference, RasterError> {
        let heights = self.key(VERTICAL_UNITS).map_or(Some(1.0), metres_in);
        let metres_per_height = heights.ok_or_else(|| {
            let found = self.key(VERTICAL_UNITS).unwrap_or_default();
            let allowed = "9001 (metre), 9002 (foot) or 9003 (US survey foot)";
            RasterError::field(
                path,
                "VerticalUnits",
                &found,
                &allowed,
                "convert the heights to metres with gdal_calc",
            )
        })?;
        let unit = self.key(PROJ_LINEAR_UNITS);
        let mut reference = Reference {
            geo: None,
            south_up: false,
            metres_per_unit: unit.map_or(Some(1.0), metres_in),
            metres_per_height,
            disowned: None,
        };
        // Corner is the CRS position of raster point (0, 0); step is CRS units per column and per row.
        let (corner, step, field) = match (&*self.scale, &*self.tiepoint, &*self.transformation) {
            (_, _, &[a, b, _, d, e, f, _, h, ..]) if self.transformation.len() == 16 => {
                if b != 0.0 || e != 0.0 {
                    let found = format!("rotated (terms {b} and {e})");
                    return Err(RasterError::field(
                        path,
                        "ModelTransformation",
                        &found,
                        &"no rotation",
                        WARP,
                    ));
                }
                ([d, h], [a, f], "ModelTransformation")
            }
            // Scale's second number counts downward, so the row step in CRS y is its negative.
            (&[x, y, ..], &[i, j, _, tie_x, tie_y, ..], _) => {
                ([tie_x - i * x, tie_y + j * y], [x, -y], "ModelPixelScale")
            }
            // Control points alone make no regular grid; the heights are still good.
            _ => return Ok(reference),
        };
        if !(step[0] > 0.0 && step[0].is_finite() && step[1] != 0.0 && step[1].is_finite()) {
            let found = format!("{} × {}", step[0], step[1]);
            return Err(RasterError::field(
                path,
                field,
                &found,
                &"finite steps, eastward along the rows",
                WARP,
            ));
        }
        let half = match self.key(GT_RASTER_TYPE).unwrap_or(PIXEL_IS_AREA) {
            PIXEL_IS_AREA => 0.5,
            PIXEL_IS_POINT => 0.0,
            other => {
                let allowed = "1 (PixelIsArea) or 2 (PixelIsPoint)";
                return Err(RasterError::field(
                    path,
                    "GTRasterType",
                    &other,
                    &allowed,
                    "save it again with gdal_translate",
                ));
            }
        };
        reference.south_up = step[1] > 0.0;
        let northern = if reference.south_up { (sides.height - 1) as f64 } else { 0.0 };
        let origin = [corner[0] + half * step[0], corner[1] + (half + northern) * step[1]];
        if !origin.iter().all(|place| place.is_finite()) {
            let found = format!("{}, {}", origin[0], origin[1]);
            return Err(RasterError::field(
                path,
                "ModelTiepoint",
                &found,
                &"finite",
                "save it again with gdal_translate",
            ));
        }
        let code = |key| self.key(key).filter(|&code| code != 0 && code != USER_DEFINED);
        let degrees = match self.key(GT_MODEL_TYPE) {
            Some(model) => model == GEOGRAPHIC,
            None => code(PROJECTED_CS_TYPE).is_none() && code(GEOGRAPHIC_TYPE).is_some(),
        };
        let mut epsg = code(if degrees { GEOGRAPHIC_TYPE } else { PROJECTED_CS_TYPE }).map(u32::from);
        if degrees {
            reference.metres_per_unit = Some(1.0);
        } else if let Some(code) = epsg {
            // The code implies the unit; where the file has another, what it lies in is not that system.
            let implied = geodesy::metres_per_unit(code);
            let said = unit.and_then(metres_in);
            if said.is_some_and(|metres| (metres / implied - 1.0).abs() > 1e-9) {
                (epsg, reference.disowned) = (None, Some(code));
            }
            reference.metres_per_unit = said.or(Some(implied));
        }
        reference.geo = Some(Geo { origin, pixel: [step[0], step[1].abs()], epsg, degrees });
        Ok(reference)
    }

    /// The tags that say the same about a map to be written: PixelIsArea, tied at the outer corner.
    pub(super) fn of(path: &Path, geo: &Geo) -> Result<GeoTags, RasterError> {
        let Geo { origin, pixel, epsg, degrees } = *geo;
        let usable = pixel.iter().all(|&step| step > 0.0 && step.is_finite());
        if !usable || !origin.iter().all(|place| place.is_finite()) {
            let found = format!("origin {origin:?}, pixel {pixel:?}");
            let allowed = "a finite origin and positive pixel sizes";
            return Err(RasterError::field(path, "geo", &found, &allowed, "correct the georeference"));
        }
        let (model, crs) =
            if degrees { (GEOGRAPHIC, GEOGRAPHIC_TYPE) } else { (PROJECTED, PROJECTED_CS_TYPE) };
        let mut keys = vec![1, 1, 0, 2, GT_MODEL_TYPE, 0, 1, model, GT_RASTER_TYPE, 0, 1, PIXEL_IS_AREA];
        if let Some(code) = epsg {
            let code = u16::try_from(code).ok().filter(|code| (1..USER_DEFINED).contains(code));
            let code = code.ok_or_else(|| {
                let advice = "write the map without an EPSG code";
                RasterError::field(path, "epsg", &epsg.unwrap_or_default(), &"1 to 32766", advice)
            })?;
            keys.extend([crs, 0, 1, code]);
            keys[3] += 1;
        } else if !degrees {
            // Lengths in no named system: with keys, readers would take them for a projection that is not described.
            keys.clear();
        }
        let corner = [origin[0] - pixel[0] / 2.0, origin[1] + pixel[1] / 2.0];
        Ok(GeoTags {
            scale: vec![pixel[0], pixel[1], 0.0],
            tiepoint: vec![0.0, 0.0, 0.0, corner[0], corner[1], 0.0],
            transformation: Vec::new(),
            keys,
        })
    }
}

/// Metres in an EPSG unit of length.
fn metres_in(unit: u16) -> Option<f64> {
    match unit {
        9001 => Some(1.0),
        9002 => Some(0.3048),
        9003 => Some(1200.0 / 3937.0),
        _ => None,
    }
}
