//! A first look at a TIFF's directory, so that nothing unusable reaches the decoder.

use super::RasterError;
use super::input::{Input, Sides};
use ::tiff::tags::Tag;
use std::io::{BufRead, Seek, SeekFrom};

/// More entries than any real directory has; a damaged count must not keep us reading.
const MOST_ENTRIES: u64 = 4096;

const TRANSLATE: &str = "convert it with: gdal_translate -b 1 -co COMPRESS=DEFLATE";

/// What the samples look like in the file.
pub(super) struct Layout {
    pub(super) sides: Sides,
    /// Width and height of a tile or strip, samples; at least 1 each.
    pub(super) chunk: [usize; 2],
    pub(super) bytes_per_sample: u64,
    pub(super) packed: bool,
}

/// Reads the first directory and refuses what a height map is not.
pub(super) fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Layout, RasterError> {
    let tags = Tags::read(input)?;
    let path = input.path;
    let required = |tag, name| {
        tags.scalar(tag).ok_or(RasterError::Missing {
            path: path.to_path_buf(),
            line: None,
            field: name,
            advice: "save the map again as a plain GeoTIFF",
        })
    };
    let sides =
        input.sides(required(Tag::ImageWidth, "ImageWidth")?, required(Tag::ImageLength, "ImageLength")?)?;
    let check = |name, value: u64, allowed: &[u64], words: &str| match allowed.contains(&value) {
        true => Ok(value),
        false => Err(RasterError::field(path, name, &value, &words, TRANSLATE)),
    };
    let or = |tag, default| tags.scalar(tag).unwrap_or(default);
    check("SamplesPerPixel", or(Tag::SamplesPerPixel, 1), &[1], "1, a single band of heights")?;
    check("PhotometricInterpretation", or(Tag::PhotometricInterpretation, 1), &[1], "1 (BlackIsZero)")?;
    let bits = check("BitsPerSample", or(Tag::BitsPerSample, 1), &[8, 16, 32, 64], "8, 16, 32 or 64")?;
    let codecs = "1 (none), 5 (LZW), 8 or 32946 (deflate) or 32773 (PackBits)";
    let codec = check("Compression", or(Tag::Compression, 1), &[1, 5, 8, 32946, 32773], codecs)?;
    let chunk = match (tags.scalar(Tag::TileWidth), tags.scalar(Tag::TileLength)) {
        (Some(width), Some(height)) => {
            [tile("TileWidth", width, sides.width), tile("TileLength", height, sides.height)]
        }
        // The default of RowsPerStrip is "all rows in one strip", written as the largest number.
        _ => [Ok(sides.width), strip(or(Tag::RowsPerStrip, u64::from(u32::MAX)), sides)],
    };
    let [width, height] = chunk;
    let refuse = |(name, value, largest): BadSide| {
        RasterError::field(path, name, &value, &format!("1 to {largest}"), TRANSLATE)
    };
    Ok(Layout {
        sides,
        chunk: [width.map_err(refuse)?, height.map_err(refuse)?],
        bytes_per_sample: bits / 8,
        packed: codec != 1,
    })
}

/// A side that cannot be used: its tag, its value and the largest value allowed.
type BadSide = (&'static str, u64, usize);

/// A tile much larger than the map would let a small file claim a large block.
fn tile(name: &'static str, tile: u64, side: usize) -> Result<usize, BadSide> {
    let largest = side.next_power_of_two().max(1024);
    usize::try_from(tile).ok().filter(|tile| (1..=largest).contains(tile)).ok_or((name, tile, largest))
}

fn strip(rows: u64, sides: Sides) -> Result<usize, BadSide> {
    match usize::try_from(rows) {
        Ok(0) => Err(("RowsPerStrip", 0, sides.height)),
        Ok(rows) => Ok(rows.min(sides.height)),
        Err(_) => Ok(sides.height),
    }
}

/// The single integers of a directory by tag; the first of several if a tag has several.
struct Tags(Vec<(u16, u64)>);

impl Tags {
    fn scalar(&self, wanted: Tag) -> Option<u64> {
        self.0.iter().find(|&&(tag, _)| tag == wanted.to_u16()).map(|&(_, value)| value)
    }

    fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Tags, RasterError> {
        const PART: &str = "the TIFF directory";
        let start: [u8; 4] = input.array(PART)?;
        let big_endian = start[0] == b'M';
        let number = |bytes: &[u8]| {
            bytes.iter().enumerate().fold(0_u64, |sum, (place, &byte)| {
                let place = if big_endian { bytes.len() - 1 - place } else { place };
                sum | u64::from(byte) << (8 * place)
            })
        };
        let big_tiff = match (&start[..2], number(&start[2..])) {
            (b"II" | b"MM", 42) => false,
            (b"II" | b"MM", 43) => true,
            _ => {
                return Err(RasterError::field(
                    input.path,
                    "signature",
                    &"another",
                    &"II*\\0 or MM\\0*",
                    TRANSLATE,
                ));
            }
        };
        let directory = if big_tiff {
            let rest: [u8; 12] = input.array(PART)?;
            number(&rest[4..])
        } else {
            number(&input.array::<4>(PART)?)
        };
        input.require(PART, directory.saturating_add(2), input.len)?;
        input
            .reader
            .seek(SeekFrom::Start(directory))
            .map_err(RasterError::io(input.path, "read the directory"))?;
        let count =
            if big_tiff { number(&input.array::<8>(PART)?) } else { number(&input.array::<2>(PART)?) };
        if count > MOST_ENTRIES {
            let allowed = format!("at most {MOST_ENTRIES}");
            return Err(RasterError::field(input.path, "directory entries", &count, &allowed, TRANSLATE));
        }
        let mut tags = Vec::new();
        for _ in 0..count {
            let mut entry = [0; 20];
            let length = if big_tiff { 20 } else { 12 };
            input.read_exact(PART, &mut entry[..length])?;
            let at = if big_tiff { 12 } else { 8 };
            let (kind, count, value) = (number(&entry[2..4]), number(&entry[4..at]), &entry[at..length]);
            let size = match kind {
                1 | 2 | 6 | 7 => 1,
                3 | 8 => 2,
                5 | 10 | 12 | 16..=18 => 8,
                _ => 4,
            };
            // The decoder takes memory for as many values as an entry claims, so they must be in the file.
            let bytes = count.saturating_mul(size as u64);
            if bytes > value.len() as u64 {
                input.require("a TIFF tag", bytes, input.len.saturating_sub(number(value)))?;
            }
            let integer = matches!(kind, 1 | 3 | 4) || (kind == 16 && big_tiff);
            if !integer {
                continue;
            }
            tags.push((number(&entry[..2]) as u16, number(&value[..size])));
        }
        Ok(Tags(tags))
    }
}
