//! Tests of the readers and writers. The files are made by hand here, byte by byte where the format allows.

mod exr_variants;
mod hostile;
mod round_trip;
mod text_and_srtm;
mod tif_variants;
mod variants;

use std::path::PathBuf;
use tempfile::TempDir;
use trample_files::memory;
use trample_files::raster::{Geo, Grid, Limits, RasterError, read_height_map};

/// Writes a file into a fresh folder and reads it as a user would.
fn read_file(name: &str, bytes: &[u8]) -> Result<Grid, RasterError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_height_map(&path, &Limits::default())
}

/// Reads from memory; a decoder's panic, which the reader turns into an error, fails the test.
fn read_bare(name: &str, bytes: &[u8]) -> Result<Grid, RasterError> {
    let path = PathBuf::from(format!("memory:{name}"));
    memory::put(&path, bytes.to_vec()).unwrap();
    let grid = read_height_map(&path, &Limits { max_cells: 1 << 20, max_side: 4096 });
    if let Err(error) = &grid {
        assert!(!error.to_string().contains("its contents contradict each other"), "a panic: {error}");
    }
    grid
}

/// The message without the temporary folder in front of the file name.
fn message(name: &str, bytes: &[u8]) -> String {
    let text = read_file(name, bytes).expect_err("the file must be refused").to_string();
    text[text.find(name).expect("the message names the file")..].to_owned()
}

/// A small map with all that can go wrong in floats: no-data, negative zero, a denormal, large and tiny
/// numbers.
fn awkward_grid() -> Grid {
    let data =
        vec![0.1, -0.0, f32::NAN, 1.0e-42, 3.0e38, -2.5, f32::MIN_POSITIVE, 8848.86, -430.5, 7.0, 1.0, 2.0];
    Grid { width: 4, height: 3, data, spacing: None, geo: None, raw_integer_range: None }
}

fn smooth_grid(width: usize, height: usize) -> Grid {
    let data =
        (0..width * height).map(|cell| (cell % width) as f32 * 0.25 - (cell / width) as f32 * 0.5).collect();
    Grid { width, height, data, spacing: None, geo: None, raw_integer_range: None }
}

/// Bits of all samples, with every NaN alike.
fn bits(data: &[f32]) -> Vec<u32> {
    data.iter().map(|sample| if sample.is_nan() { f32::NAN.to_bits() } else { sample.to_bits() }).collect()
}

fn close(a: [f64; 2], b: [f64; 2]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1.0e-9 * (1.0 + b.abs()))
}

/// A TIFF made by hand in either byte order, classic or big.
struct HandTiff {
    big_endian: bool,
    big_tiff: bool,
    /// Tag, type and values; strings are type 2 with one value per byte.
    entries: Vec<(u16, u16, Vec<f64>)>,
    /// Samples of every strip or tile in order.
    chunks: Vec<Vec<f64>>,
    bits: u16,
    /// 1 unsigned, 2 signed, 3 float.
    format: u16,
    tile: Option<[u16; 2]>,
    size: [u16; 2],
}

impl HandTiff {
    /// A single strip of `bits`-bit samples.
    fn new(size: [u16; 2], bits: u16, format: u16, samples: &[f64]) -> HandTiff {
        HandTiff {
            big_endian: false,
            big_tiff: false,
            entries: Vec::new(),
            chunks: vec![samples.to_vec()],
            bits,
            format,
            tile: None,
            size,
        }
    }

    fn with(mut self, tag: u16, kind: u16, values: &[f64]) -> HandTiff {
        self.entries.push((tag, kind, values.to_vec()));
        self
    }

    fn keys(self, keys: &[u16]) -> HandTiff {
        let mut directory = vec![1.0, 1.0, 0.0, (keys.len() / 2) as f64];
        directory.extend(keys.chunks(2).flat_map(|key| [f64::from(key[0]), 0.0, 1.0, f64::from(key[1])]));
        self.with(34735, 3, &directory)
    }

    fn number(&self, value: f64, bits: u16, format: u16) -> Vec<u8> {
        let raw = match (format, bits) {
            (3, 32) => u64::from((value as f32).to_bits()),
            (3, _) => value.to_bits(),
            _ => value as i64 as u64,
        };
        let mut bytes = raw.to_le_bytes()[..usize::from(bits / 8)].to_vec();
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    fn build(mut self) -> Vec<u8> {
        let (width, height) = (f64::from(self.size[0]), f64::from(self.size[1]));
        let (offsets, counts) = if self.tile.is_some() { (324, 325) } else { (273, 279) };
        let kinds =
            [(256, 3, width), (257, 3, height), (258, 3, f64::from(self.bits)), (259, 3, 1.0), (262, 3, 1.0)];
        let mut entries: Vec<_> = kinds.map(|(tag, kind, value)| (tag, kind, vec![value])).into();
        let rows = height as usize / self.chunks.len().max(1);
        match self.tile {
            Some([w, h]) => entries.extend([(322, 3, vec![f64::from(w)]), (323, 3, vec![f64::from(h)])]),
            None => entries.push((278, 3, vec![rows as f64])),
        }
        entries.extend([(277, 3, vec![1.0]), (339, 3, vec![f64::from(self.format)])]);
        let start = if self.big_tiff { 16 } else { 8 };
        let mut samples = Vec::new();
        let (mut places, mut lengths) = (Vec::new(), Vec::new());
        for chunk in &self.chunks {
            places.push((start + samples.len()) as f64);
            let bytes: Vec<u8> =
                chunk.iter().flat_map(|&value| self.number(value, self.bits, self.format)).collect();
            lengths.push(bytes.len() as f64);
            samples.extend(bytes);
        }
        entries.extend([(offsets, 4, places), (counts, 4, lengths)]);
        entries.append(&mut self.entries);
        entries.sort_by_key(|entry| entry.0);
        samples.resize(samples.len().next_multiple_of(2), 0);

        let word = if self.big_tiff { 64 } else { 32 };
        let mut file = if self.big_endian { b"MM".to_vec() } else { b"II".to_vec() };
        file.extend(self.number(if self.big_tiff { 43.0 } else { 42.0 }, 16, 1));
        if self.big_tiff {
            file.extend(self.number(8.0, 16, 1));
            file.extend(self.number(0.0, 16, 1));
        }
        file.extend(self.number((start + samples.len()) as f64, word, 1));
        file.extend(samples);
        file.extend(self.number(entries.len() as f64, if self.big_tiff { 64 } else { 16 }, 1));
        let slot = usize::from(word / 8);
        let mut outside = file.len() + entries.len() * (4 + 2 * slot) + slot;
        let mut tail = Vec::new();
        for (tag, kind, values) in &entries {
            let (bits, format) = match kind {
                2 => (8, 1),
                3 => (16, 1),
                12 => (64, 3),
                _ => (32, 1),
            };
            let mut bytes: Vec<u8> =
                values.iter().flat_map(|&value| self.number(value, bits, format)).collect();
            file.extend(self.number(f64::from(*tag), 16, 1));
            file.extend(self.number(f64::from(*kind), 16, 1));
            file.extend(self.number(values.len() as f64, word, 1));
            if bytes.len() > slot {
                file.extend(self.number(outside as f64, word, 1));
                outside += bytes.len();
                tail.extend(bytes);
            } else {
                bytes.resize(slot, 0);
                file.extend(bytes);
            }
        }
        file.extend(vec![0; slot]);
        file.extend(tail);
        file
    }
}

#[test]
fn default_limits_allow_a_gigabyte_of_samples() {
    assert_eq!(Limits::default(), Limits { max_cells: 268_435_456, max_side: 65536 });
}

#[test]
fn nodata_takes_the_value_of_the_nearest_valid_sample() {
    let nan = f32::NAN;
    let data = vec![1.0, nan, nan, nan, 2.0, nan, nan, nan, nan, nan, nan, nan, 9.0, nan, nan];
    let mut grid = Grid { width: 5, height: 3, data, spacing: None, geo: None, raw_integer_range: None };
    assert_eq!(grid.nodata_count(), 12);
    assert_eq!(grid.fill_nodata().unwrap(), 12);
    assert_eq!(grid.data, [1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 9.0, 2.0, 2.0, 1.0, 9.0, 9.0, 9.0, 2.0]);
    assert_eq!(grid.fill_nodata().unwrap(), 0);
}

#[test]
fn filling_does_not_wrap_around_row_ends() {
    let mut grid = smooth_grid(2, 2);
    grid.data = vec![1.0, f32::NAN, 5.0, 5.0];
    grid.fill_nodata().unwrap();
    assert_eq!(grid.data, [1.0, 1.0, 5.0, 5.0]);
}

#[test]
fn a_map_of_nothing_but_nodata_cannot_be_filled() {
    let mut grid = smooth_grid(3, 2);
    grid.data.fill(f32::NAN);
    let text = grid.fill_nodata().unwrap_err().to_string();
    assert_eq!(text, "all 6 samples of the map are no-data; give a map with at least one height");
}
