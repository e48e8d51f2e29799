//! The `.prj` file beside an ASCII grid, which says whether its cell size is in degrees or in metres.

use super::RasterError;
use crate::memory;
use std::io::{self, Read};
use std::path::Path;

/// Largest `.prj` looked at; a CRS takes a few hundred bytes.
const LONGEST: u64 = 65536;

/// Whether the `.prj` file beside `map`, if there is one, says that coordinates are degrees.
///
/// The grid itself does not tell: a cell size of 0.01 may be a kilometre of a DEM or a centimetre of a
/// footprint, so taking it for metres without looking would be wrong by a factor of a hundred thousand.
pub(super) fn says_degrees(map: &Path) -> Result<bool, RasterError> {
    let path = map.with_extension("prj");
    let mut text = Vec::new();
    match memory::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(RasterError::io(&path, "open the projection file")(error)),
        Ok(file) => {
            let read = file.take(LONGEST).read_to_end(&mut text);
            read.map_err(RasterError::io(&path, "read the projection file"))?;
        }
    }
    let text = String::from_utf8_lossy(&text).to_ascii_uppercase();
    let mut words =
        text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    // Well-known text starts with the kind of CRS; ArcInfo's own form has a line `Projection GEOGRAPHIC`.
    Ok(match words.next() {
        Some("GEOGCS" | "GEOGCRS" | "GEODCRS" | "GEOGRAPHICCRS") => true,
        Some("PROJECTION") => words.next() == Some("GEOGRAPHIC"),
        _ => false,
    })
}
