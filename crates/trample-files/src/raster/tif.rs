//! Reading GeoTIFF.

use super::geo_tags::{GeoTags, Reference};
use super::input::Input;
use super::tif_header::{self, Layout};
use super::{Grid, RasterError};
use ::tiff::TiffError;
use ::tiff::decoder::{ChunkType, Decoder, DecodingResult, ifd::Value};
use ::tiff::tags::Tag;
use std::io::{BufRead, Seek, SeekFrom};
use std::path::Path;

fn undecodable(path: &Path) -> impl Fn(TiffError) -> RasterError {
    move |error| RasterError::decode(path, "TIFF", &error)
}

/// What a file says about where it lies, without its heights.
pub(super) fn reference<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Reference, RasterError> {
    let sides = tif_header::read(input)?.sides;
    let path = input.path;
    input.reader.seek(SeekFrom::Start(0)).map_err(RasterError::io(path, "go back to the file's start"))?;
    let mut decoder = Decoder::new(&mut input.reader).map_err(undecodable(path))?;
    geo_tags(path, &mut decoder)?.resolve(path, sides)
}

pub(super) fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Grid, RasterError> {
    let layout = tif_header::read(input)?;
    let sides = layout.sides;
    input
        .reader
        .seek(SeekFrom::Start(0))
        .map_err(RasterError::io(input.path, "go back to the file's start"))?;
    let path = input.path;
    let fail = undecodable(path);
    let mut decoder = Decoder::new(&mut input.reader).map_err(&fail)?;
    let found = decoder.dimensions().map_err(&fail)?;
    if (usize::try_from(found.0), usize::try_from(found.1)) != (Ok(sides.width), Ok(sides.height)) {
        return Err(RasterError::decode(path, "TIFF", &"its size is given twice"));
    }
    let tags = geo_tags(path, &mut decoder)?;
    let nodata = nodata(path, &mut decoder)?;
    let reference = tags.resolve(path, sides)?;
    let (offsets, counts) = match decoder.get_chunk_type() {
        ChunkType::Strip => (Tag::StripOffsets, Tag::StripByteCounts),
        ChunkType::Tile => (Tag::TileOffsets, Tag::TileByteCounts),
    };
    let offsets = decoder.get_tag_u64_vec(offsets).map_err(&fail)?;
    let counts = decoder.get_tag_u64_vec(counts).map_err(&fail)?;
    drop(decoder);
    check_chunks(input, &layout, &offsets, &counts)?;

    // The checks needed the reader; the decoder gets it back from the start.
    input.reader.seek(SeekFrom::Start(0)).map_err(RasterError::io(path, "go back to the file's start"))?;
    let mut data = input.void_map(sides)?;
    let mut limits = ::tiff::decoder::Limits::default();
    // A tile may be somewhat larger than the map; it is unpacked whole.
    limits.decoding_buffer_size = (layout.chunk[0] * layout.chunk[1]).max(sides.cells()).saturating_mul(8);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    let mut decoder = Decoder::new(&mut input.reader).map_err(&fail)?.with_limits(limits);
    let across = sides.width.div_ceil(layout.chunk[0]);
    let down = sides.height.div_ceil(layout.chunk[1]);
    for index in 0..across * down {
        let [left, top] = [index % across * layout.chunk[0], index / across * layout.chunk[1]];
        let width = layout.chunk[0].min(sides.width - left);
        let height = layout.chunk[1].min(sides.height - top);
        let number = u32::try_from(index).map_err(|error| RasterError::decode(path, "TIFF", &error))?;
        let chunk = decoder.read_chunk(number).map_err(&fail)?;
        let (samples, value) = samples(&chunk);
        if samples < width * height {
            return Err(RasterError::decode(path, "TIFF", &"a strip or tile holds too few samples"));
        }
        for place in 0..width * height {
            let (row, column) = (top + place / width, left + place % width);
            let value = value(place);
            if nodata.is_some_and(|nodata| matches_nodata(value, nodata, &chunk)) || value.is_nan() {
                continue;
            }
            let sample = (value * reference.metres_per_height) as f32;
            if sample.is_infinite() {
                return Err(RasterError::NotFinite { path: path.to_path_buf(), row, column, value });
            }
            data[row * sides.width + column] = sample;
        }
    }
    if reference.south_up {
        turn_over(&mut data, sides.width);
    }
    let spacing = reference.geo.and_then(|geo| {
        let metres = reference.metres_per_unit?;
        geo.spacing(sides.height, metres)
    });
    let (width, height) = (sides.width, sides.height);
    Ok(Grid { width, height, data, spacing, geo: reference.geo, raw_integer_range: None })
}

/// Compares what the strips and tiles must hold with what the file has for them.
fn check_chunks<R: BufRead + Seek>(
    input: &Input<'_, R>,
    layout: &Layout,
    offsets: &[u64],
    counts: &[u64],
) -> Result<(), RasterError> {
    let mut bytes = 0_u64;
    for (&offset, &count) in offsets.iter().zip(counts) {
        if count == 0 {
            let advice = "fill its sparse tiles with: gdal_translate -co SPARSE_OK=FALSE";
            return Err(RasterError::field(
                input.path,
                "StripByteCounts or TileByteCounts",
                &0,
                &"1 or more",
                advice,
            ));
        }
        input.require("a strip or tile", count, input.len.saturating_sub(offset))?;
        bytes = bytes.saturating_add(count);
    }
    // Several entries may point at the same bytes, so the file's own length bounds the sum.
    let found = bytes.min(input.len);
    let needed = layout.sides.cells() as u64 * layout.bytes_per_sample;
    if layout.packed {
        input.require_packed(needed, found)
    } else {
        input.require("the sample block", needed, found)
    }
}

/// The samples of a chunk as a count and a function from place to value, whatever their type.
fn samples(chunk: &DecodingResult) -> (usize, Box<dyn Fn(usize) -> f64 + '_>) {
    match chunk {
        DecodingResult::U8(v) => (v.len(), Box::new(|place| f64::from(v[place]))),
        DecodingResult::U16(v) => (v.len(), Box::new(|place| f64::from(v[place]))),
        DecodingResult::U32(v) => (v.len(), Box::new(|place| f64::from(v[place]))),
        DecodingResult::U64(v) => (v.len(), Box::new(|place| v[place] as f64)),
        DecodingResult::F16(v) => (v.len(), Box::new(|place| v[place].to_f64())),
        DecodingResult::F32(v) => (v.len(), Box::new(|place| f64::from(v[place]))),
        DecodingResult::F64(v) => (v.len(), Box::new(|place| v[place])),
        DecodingResult::I8(v) => (v.len(), Box::new(|place| f64::from(v[place]))),
        DecodingResult::I16(v) => (v.len(), Box::new(|place| f64::from(v[place]))),
        DecodingResult::I32(v) => (v.len(), Box::new(|place| f64::from(v[place]))),
        DecodingResult::I64(v) => (v.len(), Box::new(|place| v[place] as f64)),
    }
}

/// Whether a sample is the no-data value. Writers print that of 32-bit samples with too few or too many
/// digits for an exact 64-bit comparison, so those are compared as 32-bit numbers.
fn matches_nodata(value: f64, nodata: f64, chunk: &DecodingResult) -> bool {
    value == nodata || (matches!(chunk, DecodingResult::F32(_)) && value as f32 == nodata as f32)
}

fn turn_over(data: &mut [f32], width: usize) {
    let rows = data.len() / width;
    for row in 0..rows / 2 {
        let (northern, southern) = data.split_at_mut((rows - 1 - row) * width);
        northern[row * width..][..width].swap_with_slice(&mut southern[..width]);
    }
}

fn find<R: BufRead + Seek>(
    path: &Path,
    decoder: &mut Decoder<&mut R>,
    tag: Tag,
) -> Result<Option<Value>, RasterError> {
    decoder.find_tag(tag).map_err(undecodable(path))
}

fn geo_tags<R: BufRead + Seek>(path: &Path, decoder: &mut Decoder<&mut R>) -> Result<GeoTags, RasterError> {
    let mut doubles = |tag| match find(path, decoder, tag)? {
        Some(value) => value.into_f64_vec().map_err(undecodable(path)),
        None => Ok(Vec::new()),
    };
    Ok(GeoTags {
        scale: doubles(Tag::ModelPixelScaleTag)?,
        tiepoint: doubles(Tag::ModelTiepointTag)?,
        transformation: doubles(Tag::ModelTransformationTag)?,
        keys: match find(path, decoder, Tag::GeoKeyDirectoryTag)? {
            Some(value) => value.into_u16_vec().map_err(undecodable(path))?,
            None => Vec::new(),
        },
    })
}

fn nodata<R: BufRead + Seek>(path: &Path, decoder: &mut Decoder<&mut R>) -> Result<Option<f64>, RasterError> {
    let Some(value) = find(path, decoder, Tag::GdalNodata)? else { return Ok(None) };
    let text = value.into_string().map_err(undecodable(path))?;
    let number = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
    match number.parse() {
        Ok(value) => Ok(Some(value)),
        Err(_) => {
            let advice = "set it with: gdal_edit -a_nodata -9999";
            Err(RasterError::field(
                path,
                "GDAL_NODATA",
                &format!("\"{}\"", number.escape_debug()),
                &"a number",
                advice,
            ))
        }
    }
}
