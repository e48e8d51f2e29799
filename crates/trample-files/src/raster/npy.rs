//! NumPy arrays: a header written as a Python dictionary, then bare samples.

use super::input::Input;
use super::{Grid, MapView, RasterError, replace};
use std::io::{BufRead, Seek};
use std::path::Path;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Longest header read. A plain 2-D array needs less than 200 bytes; longer ones describe records.
const LONGEST_HEADER: u64 = 65536;

const ADVICE: &str = "save the heights with numpy.save(path, heights.astype('float32'))";

pub(super) fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Grid, RasterError> {
    let start: [u8; 8] = input.array("the NPY header")?;
    if start[..6] != *MAGIC {
        return Err(RasterError::field(input.path, "signature", &"another", &MAGIC.escape_ascii(), ADVICE));
    }
    let length = match start[6] {
        1 => u64::from(u16::from_le_bytes(input.array("the NPY header")?)),
        2 | 3 => u64::from(u32::from_le_bytes(input.array("the NPY header")?)),
        version => return Err(RasterError::field(input.path, "version", &version, &"1, 2 or 3", ADVICE)),
    };
    if length > LONGEST_HEADER {
        let allowed = format!("at most {LONGEST_HEADER} bytes");
        return Err(RasterError::field(input.path, "header length", &length, &allowed, ADVICE));
    }
    let after = input.position()?;
    input.require("the NPY header", length, input.len.saturating_sub(after))?;
    let mut header = vec![0; length as usize];
    input.read_exact("the NPY header", &mut header)?;

    let header = Header::parse(&header)
        .map_err(|(field, value, allowed)| RasterError::field(input.path, field, &value, &allowed, ADVICE))?;
    let sides = input.sides(header.shape[1], header.shape[0])?;
    let found = input.len.saturating_sub(after + length);
    input.require("the sample block", sides.cells() as u64 * header.sample.size() as u64, found)?;

    let mut data = input.void_map(sides)?;
    // Fortran order stores column after column: the same walk with rows and columns exchanged.
    let (lines, per_line) =
        if header.fortran { (sides.width, sides.height) } else { (sides.height, sides.width) };
    let size = header.sample.size();
    let mut bytes = vec![0; per_line * size];
    for line in 0..lines {
        input.read_exact("the sample block", &mut bytes)?;
        for (place, sample) in bytes.chunks_exact(size).enumerate() {
            let (row, column) = if header.fortran { (place, line) } else { (line, place) };
            let value = header.sample.value(sample, header.big_endian);
            data[row * sides.width + column] = input.sample(value, row, column)?;
        }
    }
    Ok(Grid {
        width: sides.width,
        height: sides.height,
        data,
        spacing: None,
        geo: None,
        raw_integer_range: None,
    })
}

#[derive(Clone, Copy)]
enum Sample {
    F4,
    F8,
    I1,
    I2,
    I4,
    I8,
    U1,
    U2,
    U4,
    U8,
}

impl Sample {
    fn parse(name: &[u8]) -> Option<Sample> {
        Some(match name {
            b"f4" => Sample::F4,
            b"f8" => Sample::F8,
            b"i1" => Sample::I1,
            b"i2" => Sample::I2,
            b"i4" => Sample::I4,
            b"i8" => Sample::I8,
            b"u1" => Sample::U1,
            b"u2" => Sample::U2,
            b"u4" => Sample::U4,
            b"u8" => Sample::U8,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Sample::I1 | Sample::U1 => 1,
            Sample::I2 | Sample::U2 => 2,
            Sample::F4 | Sample::I4 | Sample::U4 => 4,
            Sample::F8 | Sample::I8 | Sample::U8 => 8,
        }
    }

    /// The value of one sample; `bytes` has [`Sample::size`] bytes.
    fn value(self, bytes: &[u8], big_endian: bool) -> f64 {
        let mut raw = [0; 8];
        for (place, &byte) in bytes.iter().take(8).enumerate() {
            raw[if big_endian { bytes.len() - 1 - place } else { place }] = byte;
        }
        let bits = u64::from_le_bytes(raw);
        match self {
            Sample::F4 => f64::from(f32::from_bits(bits as u32)),
            Sample::F8 => f64::from_bits(bits),
            Sample::I1 => f64::from(bits as i8),
            Sample::I2 => f64::from(bits as i16),
            Sample::I4 => f64::from(bits as i32),
            Sample::I8 => bits as i64 as f64,
            Sample::U1 | Sample::U2 | Sample::U4 | Sample::U8 => bits as f64,
        }
    }
}

struct Header {
    sample: Sample,
    big_endian: bool,
    fortran: bool,
    shape: [u64; 2],
}

/// A field of the header that cannot be used: its name, the value found, what is allowed.
type BadField = (&'static str, String, &'static str);

const ALLOWED_DESCR: &str = "'<' or '>' with f4, f8, i1, i2, i4, i8, u1, u2, u4 or u8";
const ALLOWED_SHAPE: &str = "two sides, (rows, columns)";

impl Header {
    /// Reads the dictionary `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
    ///
    /// Only what numpy writes is understood: three names in any order, each followed by its value.
    fn parse(text: &[u8]) -> Result<Header, BadField> {
        let shown = |bytes: &[u8]| bytes.get(..40).unwrap_or(bytes).escape_ascii().to_string();
        let dictionary = ("header", shown(text), "a dictionary with descr, fortran_order and shape");
        let mut rest = text.trim_ascii().strip_prefix(b"{").ok_or_else(|| dictionary.clone())?;
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        loop {
            rest = rest.trim_ascii_start();
            if rest == b"}" {
                break;
            }
            let (name, after) = quoted(rest).ok_or_else(|| dictionary.clone())?;
            rest = after
                .trim_ascii_start()
                .strip_prefix(b":")
                .ok_or_else(|| dictionary.clone())?
                .trim_ascii_start();
            match name {
                b"descr" => {
                    let (value, after) = quoted(rest).ok_or(("descr", shown(rest), ALLOWED_DESCR))?;
                    descr = Some(descr_of(value).ok_or(("descr", shown(value), ALLOWED_DESCR))?);
                    rest = after;
                }
                b"fortran_order" => {
                    let (value, after) = match (rest.strip_prefix(b"True"), rest.strip_prefix(b"False")) {
                        (Some(after), _) => (true, after),
                        (_, Some(after)) => (false, after),
                        _ => return Err(("fortran_order", shown(rest), "True or False")),
                    };
                    fortran = Some(value);
                    rest = after;
                }
                b"shape" => {
                    let end = rest.iter().position(|&byte| byte == b')').unwrap_or(rest.len());
                    let inside = rest.get(1..end).filter(|_| rest.starts_with(b"(") && end < rest.len());
                    shape = inside.and_then(shape_of);
                    if shape.is_none() {
                        return Err(("shape", shown(rest), ALLOWED_SHAPE));
                    }
                    rest = rest.get(end + 1..).unwrap_or_default();
                }
                _ => return Err(dictionary),
            }
            rest = rest.trim_ascii_start();
            rest = rest.strip_prefix(b",").unwrap_or(rest);
        }
        let (Some((sample, big_endian)), Some(fortran), Some(shape)) = (descr, fortran, shape) else {
            return Err(dictionary);
        };
        Ok(Header { sample, big_endian, fortran, shape })
    }
}

/// A quoted string at the start of `text`, and what follows it.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&quote, rest) = text.split_first()?;
    if quote != b'\'' && quote != b'"' {
        return None;
    }
    let end = rest.iter().position(|&byte| byte == quote)?;
    Some((&rest[..end], &rest[end + 1..]))
}

fn descr_of(text: &[u8]) -> Option<(Sample, bool)> {
    let (&order, name) = text.split_first()?;
    let sample = Sample::parse(name)?;
    match order {
        b'<' => Some((sample, false)),
        b'>' => Some((sample, true)),
        b'|' if sample.size() == 1 => Some((sample, false)),
        _ => None,
    }
}

fn shape_of(inside: &[u8]) -> Option<[u64; 2]> {
    let text = std::str::from_utf8(inside).ok()?.trim();
    let mut sides =
        text.strip_suffix(',').unwrap_or(text).split(',').map(|side| side.trim().parse::<u64>().ok());
    let shape = [sides.next()??, sides.next()??];
    sides.next().is_none().then_some(shape)
}

/// Writes a map as a little-endian 32-bit float array of shape (rows, columns), for numpy.
///
/// # Errors
/// [`RasterError`] if the map is not whole, holds an infinity, or the file cannot be written.
pub fn write_npy(path: &Path, map: &MapView<'_>) -> Result<(), RasterError> {
    map.check(path)?;
    let depth = if map.channels == 1 { String::new() } else { format!(", {}", map.channels) };
    let mut header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}{depth}), }}",
        map.height, map.width
    );
    // The samples start at a multiple of 64 bytes, so that the file can be mapped into memory.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    replace(path, |file| {
        let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(RasterError::io(path, "write the file"));
        write(MAGIC)?;
        write(&[1, 0])?;
        // Two sides of at most 20 digits: the header is far below 65536 bytes.
        write(&(header.len() as u16).to_le_bytes())?;
        write(header.as_bytes())?;
        map.data.iter().try_for_each(|sample| write(&sample.to_le_bytes()))
    })
}
