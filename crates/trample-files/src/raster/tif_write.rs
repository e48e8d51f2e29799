//! Writing GeoTIFF: cloud-optimised, in packed tiles with overviews, so that a part of a large map is read without the rest.
//!
//! Order of the file, as the COG driver of GDAL has it: header, directories from the full map down, tiles from the smallest overview up.

use super::geo_tags::GeoTags;
use super::{MapView, RasterError, replace};
use ::tiff::tags::Tag;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// Side of a tile, samples; an overview that fits into one is the last.
const TILE: usize = 256;
/// The predictor of floating point samples (TIFF Technical Note 3): bytes of equal weight beside each other, then differences.
const PREDICTOR: u16 = 3;

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
    tag: Tag,
    kind: Kind,
    count: usize,
    bytes: Vec<u8>,
}

fn shorts(tag: Tag, values: &[u16]) -> Entry {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Entry { tag, kind: Kind::Short, count: values.len(), bytes }
}

fn longs(tag: Tag, values: &[u32]) -> Entry {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Entry { tag, kind: Kind::Long, count: values.len(), bytes }
}

fn doubles(tag: Tag, values: &[f64]) -> Entry {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Entry { tag, kind: Kind::Double, count: values.len(), bytes }
}

/// The map at one resolution.
struct Level<'a> {
    width: usize,
    height: usize,
    channels: usize,
    data: Cow<'a, [f32]>,
}

impl Level<'_> {
    /// Half as wide and high: means of what has data, or one of four kinds.
    fn halved(&self, counts: bool) -> Level<'static> {
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let mut data = Vec::with_capacity(width * height * self.channels);
        for row in 0..height {
            for column in 0..width {
                for k in 0..self.channels {
                    let of = |i: usize| {
                        let (x, y) = (2 * column + i % 2, 2 * row + i / 2);
                        let inside = x < self.width && y < self.height;
                        let at = (y * self.width + x) * self.channels + k;
                        inside.then(|| self.data[at]).filter(|sample| !sample.is_nan())
                    };
                    let mut found = (0..4).filter_map(of);
                    data.push(if counts {
                        found.next().unwrap_or(f32::NAN)
                    } else {
                        let (sum, n) = found.fold((0.0f64, 0.0), |(sum, n), s| (sum + f64::from(s), n + 1.0));
                        (sum / n) as f32
                    });
                }
            }
        }
        Level { width, height, channels: self.channels, data: data.into() }
    }

    /// Its tiles, packed, row by row. Beyond the map's edge its last sample is repeated.
    fn packed(&self) -> Vec<Vec<u8>> {
        let (across, down) = (self.width.div_ceil(TILE), self.height.div_ceil(TILE));
        let row_samples = TILE * self.channels;
        let mut bytes = vec![0u8; 4 * row_samples];
        let tile = |index: usize| {
            let (left, top) = (index % across * TILE, index / across * TILE);
            let mut packer = ZlibEncoder::new(Vec::new(), Compression::new(6));
            for row in top..top + TILE {
                for place in 0..row_samples {
                    let column = (left + place / self.channels).min(self.width - 1);
                    let at = (row.min(self.height - 1) * self.width + column) * self.channels;
                    let sample = self.data[at + place % self.channels].to_be_bytes();
                    (0..4).for_each(|b| bytes[b * row_samples + place] = sample[b]);
                }
                for i in (self.channels..bytes.len()).rev() {
                    bytes[i] = bytes[i].wrapping_sub(bytes[i - self.channels]);
                }
                packer.write_all(&bytes).expect("memory takes all");
            }
            packer.finish().expect("memory takes all")
        };
        (0..across * down).map(tile).collect()
    }

    fn entries(&self, overview: bool, sizes: &[u32]) -> Vec<Entry> {
        let each = |value: u16| vec![value; self.channels];
        let mut entries = vec![
            longs(Tag::ImageWidth, &[self.width as u32]),
            longs(Tag::ImageLength, &[self.height as u32]),
            shorts(Tag::BitsPerSample, &each(32)),
            shorts(Tag::Compression, &[8]),
            shorts(Tag::PhotometricInterpretation, &[1]),
            shorts(Tag::SamplesPerPixel, &[self.channels as u16]),
            shorts(Tag::PlanarConfiguration, &[1]),
            shorts(Tag::Predictor, &[PREDICTOR]),
            longs(Tag::TileWidth, &[TILE as u32]),
            longs(Tag::TileLength, &[TILE as u32]),
            // The offsets are known once the lengths of all directories are.
            longs(Tag::TileOffsets, &vec![0; sizes.len()]),
            longs(Tag::TileByteCounts, sizes),
            shorts(Tag::SampleFormat, &each(3)),
        ];
        if overview {
            entries.insert(0, longs(Tag::NewSubfileType, &[1]));
        }
        if self.channels > 1 {
            let place = entries.iter().position(|e| e.tag == Tag::SampleFormat).unwrap_or(entries.len());
            entries.insert(place, shorts(Tag::ExtraSamples, &vec![0; self.channels - 1]));
        }
        entries
    }
}

/// Bytes of a directory and of the values that do not fit into its entries.
fn length(entries: &[Entry]) -> usize {
    let outside = entries.iter().map(|e| e.bytes.len()).filter(|&n| n > 4);
    2 + 12 * entries.len() + 4 + outside.map(|n| n.next_multiple_of(2)).sum::<usize>()
}

/// The bytes of a directory that stands at `start`.
fn directory(entries: &[Entry], start: usize, next: u32) -> Vec<u8> {
    let mut head = (entries.len() as u16).to_le_bytes().to_vec();
    let mut outside = Vec::new();
    let values = start + 2 + 12 * entries.len() + 4;
    for entry in entries {
        head.extend(entry.tag.to_u16().to_le_bytes());
        head.extend((entry.kind as u16).to_le_bytes());
        head.extend((entry.count as u32).to_le_bytes());
        if entry.bytes.len() > 4 {
            head.extend(((values + outside.len()) as u32).to_le_bytes());
            outside.extend_from_slice(&entry.bytes);
            outside.resize(outside.len().next_multiple_of(2), 0);
        } else {
            let mut inline = [0; 4];
            inline[..entry.bytes.len()].copy_from_slice(&entry.bytes);
            head.extend(inline);
        }
    }
    head.extend(next.to_le_bytes());
    head.extend(outside);
    head
}

/// Writes a map as a cloud-optimised TIFF of 32-bit floats: tiles packed with deflate, overviews down to a single tile, GeoTIFF tags
/// (PixelIsArea) if the map has a georeference and the GDAL no-data tag if it has no-data.
///
/// # Errors
/// [`RasterError`] if the map is not whole, holds an infinity, is 4 GiB or larger when packed, has an unusable
/// georeference, or the file cannot be written.
pub fn write_tif(path: &Path, map: &MapView<'_>) -> Result<(), RasterError> {
    map.check(path)?;
    let (width, height) = map.sides_u32(path)?;
    let (sides, channels) = ([map.width, map.height], map.channels);
    let mut levels = vec![Level { width: sides[0], height: sides[1], channels, data: map.data.into() }];
    while let Some(last) = levels.last().filter(|level| level.width.max(level.height) > TILE) {
        let half = last.halved(map.counts);
        levels.push(half);
    }
    let tiles: Vec<Vec<Vec<u8>>> = levels.iter().map(Level::packed).collect();
    let mut directories = Vec::with_capacity(levels.len());
    for (k, (level, tiles)) in levels.iter().zip(&tiles).enumerate() {
        let sizes: Vec<u32> = tiles.iter().map(|tile| tile.len() as u32).collect();
        let mut entries = level.entries(k > 0, &sizes);
        if let Some(geo) = map.geo.as_ref().filter(|_| k == 0) {
            let tags = GeoTags::of(path, geo)?;
            entries.push(doubles(Tag::ModelPixelScaleTag, &tags.scale));
            entries.push(doubles(Tag::ModelTiepointTag, &tags.tiepoint));
            if !tags.keys.is_empty() {
                entries.push(shorts(Tag::GeoKeyDirectoryTag, &tags.keys));
            }
        }
        if map.data.iter().any(|sample| sample.is_nan()) {
            entries.push(Entry {
                tag: Tag::GdalNodata,
                kind: Kind::Ascii,
                count: 4,
                bytes: b"nan\0".to_vec(),
            });
        }
        entries.sort_by_key(|entry| entry.tag.to_u16());
        directories.push(entries);
    }
    let starts: Vec<usize> = directories
        .iter()
        .scan(8usize, |at, entries| {
            let start = *at;
            *at += length(entries);
            Some(start)
        })
        .collect();
    let samples = starts[starts.len() - 1] + length(&directories[directories.len() - 1]);
    let total = samples + tiles.iter().flatten().map(Vec::len).sum::<usize>();
    if u32::try_from(total).is_err() {
        let found = format!("{width} × {height} samples, {total} bytes packed");
        return Err(RasterError::field(path, "map", &found, &"less than 4 GiB", "write it as NPY"));
    }
    let mut at = samples as u32;
    for (entries, tiles) in directories.iter_mut().zip(&tiles).rev() {
        let offsets: Vec<u32> = tiles
            .iter()
            .map(|tile| {
                at += tile.len() as u32;
                at - tile.len() as u32
            })
            .collect();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.tag == Tag::TileOffsets) {
            *entry = longs(Tag::TileOffsets, &offsets);
        }
    }
    let mut head = b"II*\0\x08\0\0\0".to_vec();
    for (k, entries) in directories.iter().enumerate() {
        let next = starts.get(k + 1).map_or(0, |&start| start as u32);
        head.extend(directory(entries, starts[k], next));
    }
    replace(path, |file| {
        let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(RasterError::io(path, "write the file"));
        write(&head)?;
        tiles.iter().rev().flatten().try_for_each(|tile| write(tile))
    })
}
