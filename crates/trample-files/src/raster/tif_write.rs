//! Writing GeoTIFF: plain little-endian strips, which every reader knows.

use super::geo_tags::{GDAL_NODATA, GEO_KEY_DIRECTORY, GeoTags, MODEL_PIXEL_SCALE, MODEL_TIEPOINT};
use super::staged::Staged;
use super::tif_header::{
    BITS_PER_SAMPLE, COMPRESSION, IMAGE_LENGTH, IMAGE_WIDTH, PHOTOMETRIC, ROWS_PER_STRIP, SAMPLES_PER_PIXEL,
};
use super::{MapView, RasterError};
use std::io::Write;
use std::path::Path;

const STRIP_OFFSETS: u16 = 273;
const STRIP_BYTE_COUNTS: u16 = 279;
const PLANAR_CONFIGURATION: u16 = 284;
const SAMPLE_FORMAT: u16 = 339;

/// Bytes in a strip, about: large enough that the table of strips stays small, small enough to read in parts.
const STRIP_BYTES: usize = 1 << 20;

/// The type of a directory entry's values, with TIFF's own numbers.
#[derive(Clone, Copy)]
enum Kind {
    Ascii = 2,
    Short = 3,
    Long = 4,
    Double = 12,
}

/// A directory entry: its tag, type, number of values and their little-endian bytes.
struct Entry {
    tag: u16,
    kind: Kind,
    count: usize,
    bytes: Vec<u8>,
}

fn shorts(tag: u16, values: &[u16]) -> Entry {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Entry { tag, kind: Kind::Short, count: values.len(), bytes }
}

fn longs(tag: u16, values: &[u32]) -> Entry {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Entry { tag, kind: Kind::Long, count: values.len(), bytes }
}

fn doubles(tag: u16, values: &[f64]) -> Entry {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Entry { tag, kind: Kind::Double, count: values.len(), bytes }
}

/// Writes a map as an uncompressed 32-bit float TIFF, with GeoTIFF tags (PixelIsArea) if the map has a
/// georeference and the GDAL no-data tag if it has no-data.
///
/// # Errors
/// [`RasterError`] if the map is not whole, holds an infinity, is 4 GiB or larger, has an unusable
/// georeference, or the file cannot be written.
pub fn write_tif(path: &Path, map: &MapView<'_>) -> Result<(), RasterError> {
    map.check(path)?;
    let (width, height) = map.sides_u32(path)?;
    let row_bytes = map.width.saturating_mul(4);
    let rows_per_strip = (STRIP_BYTES / row_bytes).clamp(1, map.height);
    let strips = map.height.div_ceil(rows_per_strip);
    let rows_in = |strip: usize| rows_per_strip.min(map.height - strip * rows_per_strip);

    let mut entries = vec![
        longs(IMAGE_WIDTH, &[width]),
        longs(IMAGE_LENGTH, &[height]),
        shorts(BITS_PER_SAMPLE, &[32]),
        shorts(COMPRESSION, &[1]),
        shorts(PHOTOMETRIC, &[1]),
        // The offsets are known once the directory's own length is.
        longs(STRIP_OFFSETS, &vec![0; strips]),
        shorts(SAMPLES_PER_PIXEL, &[1]),
        longs(ROWS_PER_STRIP, &[rows_per_strip as u32]),
        longs(
            STRIP_BYTE_COUNTS,
            &(0..strips).map(|strip| (rows_in(strip) * row_bytes) as u32).collect::<Vec<_>>(),
        ),
        shorts(PLANAR_CONFIGURATION, &[1]),
        shorts(SAMPLE_FORMAT, &[3]),
    ];
    if let Some(geo) = &map.geo {
        let tags = GeoTags::of(path, geo)?;
        entries.push(doubles(MODEL_PIXEL_SCALE, &tags.scale));
        entries.push(doubles(MODEL_TIEPOINT, &tags.tiepoint));
        entries.push(shorts(GEO_KEY_DIRECTORY, &tags.keys));
    }
    if map.data.iter().any(|sample| sample.is_nan()) {
        entries.push(Entry { tag: GDAL_NODATA, kind: Kind::Ascii, count: 4, bytes: b"nan\0".to_vec() });
    }

    // Header of 8 bytes, directory, values that do not fit into their entry, samples.
    let directory_end = 8 + 2 + 12 * entries.len() + 4;
    let values: usize =
        entries.iter().filter(|entry| entry.bytes.len() > 4).map(|entry| entry.bytes.len()).sum();
    let samples_start = (directory_end + values).next_multiple_of(4);
    let end = row_bytes.checked_mul(map.height).and_then(|bytes| bytes.checked_add(samples_start));
    if end.is_none_or(|end| u32::try_from(end).is_err()) {
        let found = format!("{width} × {height} samples");
        return Err(RasterError::field(path, "map", &found, &"less than 4 GiB", "write it as NPY"));
    }
    let offsets: Vec<u32> =
        (0..strips).map(|strip| (samples_start + strip * rows_per_strip * row_bytes) as u32).collect();
    entries[5] = longs(STRIP_OFFSETS, &offsets);

    let mut head = b"II*\0\x08\0\0\0".to_vec();
    head.extend((entries.len() as u16).to_le_bytes());
    let mut outside = Vec::new();
    for entry in &entries {
        head.extend(entry.tag.to_le_bytes());
        head.extend((entry.kind as u16).to_le_bytes());
        head.extend((entry.count as u32).to_le_bytes());
        if entry.bytes.len() > 4 {
            head.extend(((directory_end + outside.len()) as u32).to_le_bytes());
            outside.extend_from_slice(&entry.bytes);
        } else {
            let mut inline = [0; 4];
            inline[..entry.bytes.len()].copy_from_slice(&entry.bytes);
            head.extend(inline);
        }
    }
    // No further directory follows.
    head.extend([0; 4]);
    head.extend(outside);
    head.resize(samples_start, 0);
    Staged::write(path, |file| {
        let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(RasterError::io(path, "write the file"));
        write(&head)?;
        map.data.iter().try_for_each(|sample| write(&sample.to_le_bytes()))
    })?
    .publish()
}
