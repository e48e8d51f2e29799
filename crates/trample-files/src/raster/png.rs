//! Grayscale PNG: integers whose meaning a JSON sidecar gives.

use super::input::Input;
use super::sidecar;
use super::{Grid, MapView, RasterError, integer, publish, stage};
use ::png::{BitDepth, ColorType, Decoder, DecodingError, Encoder, EncodingError};
use std::io::{BufRead, Seek, Write};
use std::path::Path;

const ADVICE: &str = "save the height map as 16-bit grayscale";

pub(super) fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Grid, RasterError> {
    let path = input.path;
    let fail = |error: DecodingError| RasterError::decode(path, "PNG", &error);
    let mut decoder = Decoder::new(&mut input.reader);
    // Text and colour profiles say nothing about heights, and unpacking them could cost memory.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let info = decoder.read_header_info().map_err(fail)?;
    let (width, height, color, depth) = (info.width, info.height, info.color_type, info.bit_depth);
    drop(decoder);
    if color != ColorType::Grayscale {
        return Err(RasterError::field(path, "colour type", &format!("{color:?}"), &"Grayscale", ADVICE));
    }
    let (bytes, largest) = match depth {
        BitDepth::Eight => (1, 255.0),
        BitDepth::Sixteen => (2, 65535.0),
        _ => return Err(RasterError::field(path, "bit depth", &(depth as u8), &"8 or 16", ADVICE)),
    };
    let sides = input.sides(u64::from(width), u64::from(height))?;
    input.require_packed(sides.cells() as u64 * bytes as u64, input.len)?;
    let range = sidecar::read(path, sides.width, sides.height)?;

    input.reader.rewind().map_err(RasterError::io(path, "go back to the file's start"))?;
    let mut data = input.empty_map(sides)?;
    let mut decoder = Decoder::new(&mut input.reader);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(fail)?;
    let mut raw = vec![0; sides.cells() * bytes];
    let frame = reader.next_frame(&mut raw).map_err(fail)?;
    if (frame.width, frame.height) != (width, height) {
        return Err(RasterError::decode(path, "PNG", &"its first frame does not cover the picture"));
    }
    // What follows the picture is not needed, but a file that ends before its end mark was cut off.
    reader.finish().map_err(fail)?;
    let scale = |pixel: u16| match &range {
        None => f32::from(pixel),
        Some(range) => (range.min + (range.max - range.min) * f64::from(pixel) / largest) as f32,
    };
    if bytes == 1 {
        data.extend(raw.iter().map(|&pixel| scale(u16::from(pixel))));
    } else {
        data.extend(raw.chunks_exact(2).map(|pixel| scale(u16::from_be_bytes([pixel[0], pixel[1]]))));
    }
    if let Some(place) = data.iter().position(|sample| !sample.is_finite()) {
        let value = range.as_ref().map_or(f64::NAN, |range| range.max);
        let (row, column) = (place / sides.width, place % sides.width);
        return Err(RasterError::NotFinite { path: path.to_path_buf(), row, column, value });
    }
    Ok(Grid {
        width: sides.width,
        height: sides.height,
        data,
        spacing: range.as_ref().and_then(|range| range.spacing),
        geo: None,
        raw_integer_range: if range.is_some() { None } else { Some(largest as f32) },
    })
}

/// Writes a map as a 16-bit PNG, grey or, of a texture, in colours, and, beside it, the JSON file (`dem.json` for `dem.png`) that says
/// which values the integers stand for. No-data becomes 0 and is counted in the JSON file.
///
/// Both files are on disk before either takes its name, so that only a crash between two renames could pair
/// an old one with a new one.
///
/// # Errors
/// [`RasterError`] if the map is not whole, holds an infinity, or a file cannot be written.
pub fn write_png16(path: &Path, map: &MapView<'_>) -> Result<(), RasterError> {
    map.check(path)?;
    let (width, height) = map.sides_u32(path)?;
    let (range, nodata) = map.integers();
    let fail = |error: EncodingError| match error {
        EncodingError::IoError(source) => RasterError::io(path, "write the file")(source),
        other => RasterError::decode(path, "PNG", &other),
    };
    let picture = stage(path, |file| {
        let mut encoder = Encoder::new(file, width, height);
        encoder.set_color(if map.channels == 1 { ColorType::Grayscale } else { ColorType::Rgb });
        encoder.set_depth(BitDepth::Sixteen);
        let mut writer = encoder.write_header().map_err(fail)?;
        let mut stream = writer.stream_writer().map_err(fail)?;
        for row in map.data.chunks_exact(map.width * map.channels) {
            let bytes: Vec<u8> =
                row.iter().flat_map(|&sample| integer(sample, range).to_be_bytes()).collect();
            stream.write_all(&bytes).map_err(RasterError::io(path, "write the file"))?;
        }
        stream.finish().map_err(fail)?;
        writer.finish().map_err(fail)
    })?;
    let beside = sidecar::path_for(path);
    let text = sidecar::text(map, range, nodata, &[]);
    let sidecar = stage(&beside, |file| {
        file.write_all(text.as_bytes()).map_err(RasterError::io(&beside, "write the file"))
    })?;
    publish(path, picture)?;
    publish(&beside, sidecar)
}
