//! EXR: one channel of floats, halves or integers.

use super::input::{Input, Sides};
use super::{Grid, MapView, RasterError, exr_header, replace};
use ::exr::block::UncompressedBlock;
use ::exr::block::reader::ChunksReader;
use ::exr::error::Error;
use ::exr::meta::attribute::{ChannelList, SampleType};
use ::exr::prelude::{
    AnyChannel, AnyChannels, Compression, Encoding, FlatSamples, Image, Layer, LayerAttributes, LineOrder,
    Text, WritableImage, f16,
};
use std::collections::BTreeSet;
use std::io::{BufRead, Seek};
use std::path::Path;

/// Channels that hold heights, best first. A file of another tool may call them anything, so the first
/// channel is taken if none of these is there.
const PREFERRED: [&str; 5] = ["height", "Y", "R", "G", "Z"];

fn undecodable(path: &Path) -> impl Fn(Error) -> RasterError {
    move |error| match error {
        Error::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            RasterError::decode(path, "EXR", &"it is cut off")
        }
        other => RasterError::decode(path, "EXR", &other),
    }
}

pub(super) fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Grid, RasterError> {
    let sides = exr_header::check(input)?;
    let mut data = input.void_map(sides)?;
    let path = input.path;
    let fail = undecodable(path);
    input.reader.rewind().map_err(RasterError::io(path, "go back to the file's start"))?;
    let reader = ::exr::block::read(&mut input.reader, false).map_err(&fail)?;
    let chunks = reader.all_chunks(false).map_err(&fail)?;
    let meta = chunks.meta_data().clone();
    let header = meta.headers.first().ok_or_else(|| RasterError::decode(path, "EXR", &"it has no layer"))?;
    let channel = height_channel(&header.channels);
    let sample = header.channels.list.get(channel).map_or(SampleType::F32, |channel| channel.sample_type);
    let Sides { width, height } = sides;
    if (width, height) != (header.layer_size.width(), header.layer_size.height()) {
        return Err(RasterError::decode(path, "EXR", &"its size is given twice"));
    }
    let block = header.max_block_pixel_size();
    let expected = width.div_ceil(block.width()) * height.div_ceil(block.height());

    let mut seen = BTreeSet::new();
    for chunk in chunks {
        let chunk = chunk.map_err(&fail)?;
        if chunk.layer_index != 0 {
            continue;
        }
        let block = UncompressedBlock::decompress_chunk(chunk, &meta, false).map_err(&fail)?;
        if block.index.level.0 != 0 || block.index.level.1 != 0 {
            continue;
        }
        seen.insert((block.index.pixel_position.y(), block.index.pixel_position.x()));
        take_block(path, &block, &header.channels, channel, sample, sides, &mut data)?;
    }
    if seen.len() != expected {
        let reason = format!("{} of {expected} blocks are there", seen.len());
        return Err(RasterError::decode(path, "EXR", &reason));
    }
    Ok(Grid { width, height, data, spacing: None, geo: None, raw_integer_range: None })
}

/// Which channel holds the heights. Names may carry a layer before a dot.
fn height_channel(channels: &ChannelList) -> usize {
    let names: Vec<String> = channels.list.iter().map(|channel| channel.name.to_string()).collect();
    let is = |name: &str, wanted: &str| {
        name.rsplit('.').next().is_some_and(|name| name.eq_ignore_ascii_case(wanted))
    };
    PREFERRED.iter().find_map(|wanted| names.iter().position(|name| is(name, wanted))).unwrap_or(0)
}

/// Copies the lines of one channel into the map.
fn take_block(
    path: &Path,
    block: &UncompressedBlock,
    channels: &ChannelList,
    channel: usize,
    sample: SampleType,
    sides: Sides,
    data: &mut [f32],
) -> Result<(), RasterError> {
    let needed = block.index.pixel_size.area().checked_mul(channels.bytes_per_pixel);
    if needed != Some(block.data.len()) {
        return Err(RasterError::decode(path, "EXR", &"a block has the wrong length"));
    }
    for line in block.lines(channels).filter(|line| line.location.channel == channel) {
        let (row, left) = (line.location.position.y(), line.location.position.x());
        let start = row * sides.width + left;
        let cells = data.get_mut(start..start + line.location.sample_count);
        let cells =
            cells.ok_or_else(|| RasterError::decode(path, "EXR", &"a block lies outside the picture"))?;
        let size = sample.bytes_per_sample();
        for (place, (cell, bytes)) in cells.iter_mut().zip(line.value.chunks_exact(size)).enumerate() {
            // The decoder delivers samples in the machine's own byte order.
            let value = match (sample, bytes) {
                (SampleType::F16, &[a, b]) => f16::from_ne_bytes([a, b]).to_f32(),
                (SampleType::F32, &[a, b, c, d]) => f32::from_ne_bytes([a, b, c, d]),
                (SampleType::U32, &[a, b, c, d]) => u32::from_ne_bytes([a, b, c, d]) as f32,
                _ => return Err(RasterError::decode(path, "EXR", &"a sample has the wrong length")),
            };
            if value.is_infinite() {
                let value = f64::from(value);
                return Err(RasterError::NotFinite {
                    path: path.to_path_buf(),
                    row,
                    column: left + place,
                    value,
                });
            }
            *cell = if value.is_nan() { f32::NAN } else { value };
        }
    }
    Ok(())
}

/// A unit in ASCII: other readers take the attribute for UTF-8, and ours would be Latin-1.
fn plain(unit: &str) -> String {
    let letter = |c: char| match c {
        '²' => "2".into(),
        '³' => "3".into(),
        '·' => ".".into(),
        '°' => "deg".into(),
        'µ' | 'μ' => "u".into(),
        '×' => "x".into(),
        c if c.is_ascii() => c.to_string(),
        _ => "?".into(),
    };
    unit.chars().map(letter).collect()
}

/// Writes a map as an EXR of 32-bit floats, ZIP-compressed without loss: one channel `Y`, which tools show as grey, or `R`, `G` and `B`
/// of a texture. The layer has the map's name; its unit and the distance between samples stand in the `comments` attribute.
///
/// # Errors
/// [`RasterError`] if the map is not whole, holds an infinity, has a name an EXR channel cannot have, or the
/// file cannot be written.
pub fn write_exr(path: &Path, map: &MapView<'_>) -> Result<(), RasterError> {
    map.check(path)?;
    map.sides_u32(path)?;
    let name = Some(map.name).filter(|name| (1..=31).contains(&name.len()) && name.is_ascii());
    let name = name.and_then(Text::new_or_none).ok_or_else(|| {
        let advice = "give the map a short plain name such as height";
        RasterError::field(path, "name", &format!("{:?}", map.name), &"1 to 31 ASCII characters", advice)
    })?;
    let mut comments = Vec::new();
    if !map.unit.is_empty() {
        comments.push(format!("unit: {}", plain(map.unit)));
    }
    if let Some([x, z]) = map.spacing {
        comments.push(format!("cell: {x} m x {z} m"));
    }
    let mut attributes = LayerAttributes::named(name);
    attributes.comments = Text::new_or_none(comments.join("; ")).filter(|_| !comments.is_empty());
    let encoding = Encoding {
        compression: Compression::ZIP16,
        blocks: ::exr::prelude::Blocks::ScanLines,
        line_order: LineOrder::Increasing,
    };
    let names: &[&str] = if map.channels == 1 { &["Y"] } else { &["R", "G", "B"] };
    let channels = names.iter().enumerate().map(|(k, channel)| {
        let samples = map.data.iter().skip(k).step_by(map.channels).copied().collect();
        AnyChannel::new(*channel, FlatSamples::F32(samples))
    });
    let channels = AnyChannels::sort(channels.collect());
    let image = Image::from_layer(Layer::new((map.width, map.height), attributes, encoding, channels));
    replace(path, |file| {
        // One thread, so that the blocks come in one order and the bytes are the same every time.
        image.write().non_parallel().to_buffered(file).map_err(|error| match error {
            Error::Io(source) => RasterError::io(path, "write the file")(source),
            other => RasterError::decode(path, "EXR", &other),
        })
    })
}
