//! RAW: bare 16-bit integers, as engines of games read terrain. A JSON file beside it says what they stand for.

use super::input::Input;
use super::sidecar::{self, Sidecar};
use super::{Grid, MapView, RasterError, integer, publish, stage};
use serde_json::Value;
use std::io::{BufRead, Seek};
use std::path::Path;

const ADVICE: &str = "say width and height in a JSON file beside it, such as dem.r16.json";

/// Reads little-endian integers, or big-endian ones if the sidecar says so; a square without one.
pub(super) fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Grid, RasterError> {
    let path = input.path;
    let found = match Sidecar::open(sidecar::path_for_raw(path))? {
        Some(found) => Some(found),
        None => Sidecar::open(sidecar::path_for(path))?,
    };
    let said = |field: &str| found.as_ref().and_then(|s| s.json.get(field));
    let posts = input.len / 2;
    let [width, height] =
        match (said("width").and_then(Value::as_u64), said("height").and_then(Value::as_u64)) {
            (Some(width), Some(height)) => [width, height],
            _ => [posts.isqrt(); 2],
        };
    let sides = input.sides(width.max(1), height.max(1))?;
    let needed = sides.cells() as u64 * 2;
    if needed != input.len {
        let value = format!("{} bytes", input.len);
        let allowed = format!("{needed} for {} × {} posts of two bytes", sides.width, sides.height);
        return Err(RasterError::field(path, "file length", &value, &allowed, ADVICE));
    }
    let is = |field: &str, word: &str| said(field).and_then(Value::as_str) == Some(word);
    let (big, south_first) = (is("byte_order", "big"), is("rows", "south first"));
    let range = found.as_ref().map(|s| s.range(sides.width, sides.height)).transpose()?;
    let scale = |pixel: u16| match &range {
        None => f32::from(pixel),
        Some(range) => (range.min + (range.max - range.min) * f64::from(pixel) / 65535.0) as f32,
    };
    let mut data = input.empty_map(sides)?;
    let mut row = vec![0; sides.width * 2];
    for _ in 0..sides.height {
        input.read_exact("a row of heights", &mut row)?;
        data.extend(row.chunks_exact(2).map(|b| {
            let bytes = [b[0], b[1]];
            scale(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
        }));
    }
    if south_first {
        data = data.chunks_exact(sides.width).rev().flatten().copied().collect();
    }
    Ok(Grid {
        width: sides.width,
        height: sides.height,
        data,
        spacing: range.as_ref().and_then(|range| range.spacing),
        geo: None,
        raw_integer_range: if range.is_some() { None } else { Some(65535.0) },
    })
}

/// Writes a map as bare little-endian 16-bit integers, northern row first, and `dem.r16.json` for `dem.r16`, which says what they stand
/// for. No-data becomes 0 and is counted there.
///
/// # Errors
/// [`RasterError`] if the map is not whole, holds an infinity, has three numbers per sample, or a file cannot be written.
pub fn write_r16(path: &Path, map: &MapView<'_>) -> Result<(), RasterError> {
    write(path, map, false)
}

/// The same, with the southern row first where an engine counts from there.
pub(super) fn write(path: &Path, map: &MapView<'_>, south_first: bool) -> Result<(), RasterError> {
    map.check(path)?;
    if map.channels != 1 {
        let advice = "write it as PNG, EXR, NPY or GeoTIFF";
        return Err(RasterError::field(path, "map", &map.name, &"one number per sample", advice));
    }
    let (range, nodata) = map.integers();
    let row = |row: usize| if south_first { map.height - 1 - row } else { row };
    let raw = stage(path, |file| {
        for place in 0..map.height {
            let samples = &map.data[row(place) * map.width..][..map.width];
            let bytes: Vec<u8> = samples.iter().flat_map(|&s| integer(s, range).to_le_bytes()).collect();
            file.write_all(&bytes).map_err(RasterError::io(path, "write the file"))?;
        }
        Ok(())
    })?;
    let beside = sidecar::path_for_raw(path);
    let rows = if south_first { "south first" } else { "north first" };
    let text = sidecar::text(map, range, nodata, &[("byte_order", "little"), ("rows", rows)]);
    let sidecar = stage(&beside, |file| {
        file.write_all(text.as_bytes()).map_err(RasterError::io(&beside, "write the file"))
    })?;
    publish(path, raw)?;
    publish(&beside, sidecar)
}
