//! Which format a file is in.

use super::input::Input;
use super::{Grid, Limits, RasterError, asc, exr, hgt, input::shielded, npy, png, prj, raw, tif};
use crate::memory;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Exr,
    Npy,
    Tif,
    Asc,
    Hgt,
    Raw,
}

/// Reads a height map; metres, north up.
///
/// The format is told by the first bytes, and by the file name's extension where they do not tell (SRTM has
/// no signature), so a file with the wrong extension is still read as what it is.
///
/// # Errors
/// [`RasterError`] if the file cannot be opened, is damaged, exceeds the limits, or holds something that is
/// no height map. No input makes this function panic.
pub fn read_height_map(path: &Path, limits: &Limits) -> Result<Grid, RasterError> {
    let (mut input, format) = opened(path, limits)?;
    // Without images nothing refers to their readers, so that the linker leaves these out.
    let images = cfg!(feature = "images");
    match format {
        Format::Npy => npy::read(&mut input),
        Format::Asc => asc::read(&mut input),
        Format::Hgt => hgt::read(&mut input),
        Format::Png if images => shielded(path, "PNG", || png::read(&mut input)),
        Format::Exr if images => shielded(path, "EXR", || exr::read(&mut input)),
        Format::Tif if images => shielded(path, "TIFF", || tif::read(&mut input)),
        Format::Raw if images => raw::read(&mut input),
        _ => Err(without_images(path)),
    }
}

/// What somebody who uses a height map should be told of its units and its reference system, a line each; nothing of what is no height map
/// or cannot be read. Without `placed`, where the scene does not say itself where its terrain lies, also why maps will not say.
pub fn doubts(path: &Path, placed: bool) -> Vec<String> {
    let limits = Limits::default();
    let Ok((mut input, format)) = opened(path, &limits) else { return Vec::new() };
    let (name, mut lines, mut degrees) = (path.display(), Vec::new(), None);
    match format {
        Format::Asc => {
            let Ok(units) = prj::units(path) else { return lines };
            if !units.understood {
                lines.push(format!(
                    "{}: it does not say in what the coordinates of {name} are measured, so that they are taken for metres; well-known text with \
                     a PROJCS and its UNIT would say",
                    path.with_extension("prj").display()
                ));
            }
            degrees = units.degrees.then_some(units.epsg);
        }
        Format::Hgt => degrees = Some(Some(4326)),
        Format::Tif if cfg!(feature = "images") => {
            let found = shielded(path, "TIFF", || tif::reference(&mut input));
            let Ok(reference) = found else { return lines };
            degrees = reference.geo.filter(|geo| geo.degrees).map(|geo| geo.epsg);
            if let Some(code) = reference.disowned.filter(|_| !placed) {
                lines.push(format!(
                    "{name}: it names EPSG:{code}, which is not in the unit of its coordinates: maps are written without a reference system; \
                     `[terrain.place]` or gdal_edit -a_srs gives them one"
                ));
            }
        }
        _ => {}
    }
    if let Some(epsg) = degrees.filter(|_| !placed) {
        let code = epsg.map_or(String::new(), |epsg| format!(" (EPSG:{epsg})"));
        lines.push(format!(
            "{name}: it is in degrees{code} and maps are in metres, so that they are written without a reference system; gdalwarp -t_srs EPSG:326xx \
             puts it into a system of metres (UTM zone xx) that they keep"
        ));
    }
    lines
}

/// A height map that is about to be read, and its format.
fn opened<'a>(
    path: &'a Path,
    limits: &'a Limits,
) -> Result<(Input<'a, BufReader<memory::Opened>>, Format), RasterError> {
    let facts = memory::facts(path).map_err(RasterError::io(path, "open the file"))?;
    if !facts.is_file {
        return Err(RasterError::Io {
            path: path.to_path_buf(),
            action: "read it as a height map",
            source: io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"),
        });
    }
    let file = memory::open(path).map_err(RasterError::io(path, "open the file"))?;
    let mut input = Input { path, reader: BufReader::new(file), len: facts.len, limits };
    let mut start = Vec::new();
    input.reader.by_ref().take(64).read_to_end(&mut start).map_err(RasterError::io(path, "read the file"))?;
    input.reader.seek(SeekFrom::Start(0)).map_err(RasterError::io(path, "go back to the file's start"))?;
    // What it starts with is not told: it may be any file of the person who runs a scene made by somebody else.
    let format =
        format_of(&start, path).ok_or_else(|| RasterError::UnknownFormat { path: path.to_path_buf() })?;
    Ok((input, format))
}

/// What a program says that was built without images.
pub(super) fn without_images(path: &Path) -> RasterError {
    let problem = "this build has NPY, ESRI ASCII and SRTM; the command has images, too";
    RasterError::io(path, "use it as an image")(io::Error::new(io::ErrorKind::Unsupported, problem))
}

/// The format by content, then by extension.
pub(super) fn format_of(start: &[u8], path: &Path) -> Option<Format> {
    const MAGICS: [(&[u8], Format); 7] = [
        (b"\x89PNG\r\n\x1a\n", Format::Png),
        (b"\x76\x2f\x31\x01", Format::Exr),
        (b"\x93NUMPY", Format::Npy),
        (b"II*\0", Format::Tif),
        (b"MM\0*", Format::Tif),
        (b"II+\0", Format::Tif),
        (b"MM\0+", Format::Tif),
    ];
    let by_magic = MAGICS.iter().find(|(magic, _)| start.starts_with(magic)).map(|&(_, format)| format);
    by_magic.or_else(|| asc::starts_like_a_header(start).then_some(Format::Asc)).or_else(|| {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "png" => Some(Format::Png),
            "exr" => Some(Format::Exr),
            "npy" => Some(Format::Npy),
            "tif" | "tiff" => Some(Format::Tif),
            "asc" | "agr" | "grd" => Some(Format::Asc),
            "hgt" => Some(Format::Hgt),
            "r16" | "raw" => Some(Format::Raw),
            _ => None,
        }
    })
}
