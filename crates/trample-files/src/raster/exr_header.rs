//! A first look at an EXR's header, so that no size the limits forbid reaches the decoder.

use super::RasterError;
use super::input::{Input, Sides};
use std::io::{BufRead, Read, Seek, SeekFrom};

const TILED: u32 = 0x200;
const DEEP: u32 = 0x800;
const MULTIPART: u32 = 0x1000;

/// Largest coordinate of a window. The decoder adds coordinates as 32-bit integers.
const FARTHEST: i64 = 1 << 24;

const ADVICE: &str = "save the height map as a flat scan-line EXR with ZIP compression";
const PART: &str = "the EXR header";

/// What one part of the file claims.
#[derive(Default)]
struct Claims {
    window: Option<[u64; 2]>,
    bytes_per_pixel: u64,
    tile: Option<[u64; 2]>,
    compression: u8,
}

/// Walks over all attributes of all parts and refuses claims that are too large or not supported. Returns the
/// sides of the first part, which is the one that is read.
pub(super) fn check<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Sides, RasterError> {
    let start: [u8; 8] = input.array(PART)?;
    if start[..4] != [0x76, 0x2f, 0x31, 0x01] {
        return Err(RasterError::field(input.path, "signature", &"another", &"v/1\\x01", ADVICE));
    }
    let flags = u32::from_le_bytes([start[4], start[5], start[6], start[7]]);
    if flags & DEEP != 0 {
        return Err(RasterError::field(input.path, "deep data flag", &1, &0, ADVICE));
    }
    let mut first = None;
    loop {
        let mut claims = Claims::default();
        let mut attributes = 0;
        while attribute(input, &mut claims)? {
            attributes += 1;
        }
        // A file of several parts ends its list of headers with an empty one.
        if let (0, Some(sides)) = (attributes, first) {
            return Ok(sides);
        }
        let sides = claims.check(input, flags & TILED != 0)?;
        if flags & MULTIPART == 0 {
            return Ok(sides);
        }
        first = first.or(Some(sides));
    }
}

impl Claims {
    fn check<R: BufRead + Seek>(&self, input: &Input<'_, R>, tiled: bool) -> Result<Sides, RasterError> {
        let missing = |field| RasterError::Missing {
            path: input.path.to_path_buf(),
            line: None,
            field,
            advice: ADVICE,
        };
        let [width, height] = self.window.ok_or_else(|| missing("dataWindow"))?;
        let sides = input.sides(width, height)?;
        if self.bytes_per_pixel == 0 {
            return Err(missing("channels"));
        }
        if tiled && self.tile.is_none() {
            return Err(missing("tiles"));
        }
        for (side, tile) in [width, height].into_iter().zip(self.tile.unwrap_or([1, 1])) {
            // A tile much larger than the picture would let a small file claim a large block.
            let largest = side.next_power_of_two().max(1024);
            if tile == 0 || tile > largest {
                let allowed = format!("1 to {largest}");
                return Err(RasterError::field(input.path, "tiles", &tile, &allowed, ADVICE));
            }
        }
        let bytes = (sides.cells() as u64).saturating_mul(self.bytes_per_pixel);
        match self.compression {
            0 => input.require("the sample block", bytes, input.len)?,
            1..=5 => input.require_packed(bytes, input.len)?,
            // B44 and DWA keep what the eye sees of a picture, which is not what a foot feels of the ground.
            other => {
                let allowed = "0 to 5 (none, RLE, ZIPS, ZIP, PIZ, PXR24)";
                return Err(RasterError::field(input.path, "compression", &other, &allowed, ADVICE));
            }
        }
        Ok(sides)
    }
}

/// Reads one attribute; false at the end of the header.
fn attribute<R: BufRead + Seek>(input: &mut Input<'_, R>, claims: &mut Claims) -> Result<bool, RasterError> {
    let name = text(input)?;
    if name.is_empty() {
        return Ok(false);
    }
    text(input)?;
    let size = i32::from_le_bytes(input.array(PART)?);
    let size = u64::try_from(size)
        .map_err(|_| RasterError::field(input.path, "attribute size", &size, &"0 or more", ADVICE))?;
    let start = input.position()?;
    input.require(PART, size, input.len.saturating_sub(start))?;
    match name.as_slice() {
        b"dataWindow" => claims.window = Some(window(input, "dataWindow")?),
        b"displayWindow" => {
            window(input, "displayWindow")?;
        }
        b"tiles" => {
            let bytes: [u8; 9] = input.array(PART)?;
            let side = |at: usize| {
                u64::from(u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
            };
            claims.tile = Some([side(0), side(4)]);
        }
        b"compression" => claims.compression = input.array::<1>(PART)?[0],
        b"channels" => claims.bytes_per_pixel = channels(input, start.saturating_add(size))?,
        _ => {}
    }
    let end = start.saturating_add(size);
    input.reader.seek(SeekFrom::Start(end)).map_err(RasterError::io(input.path, "read the EXR header"))?;
    Ok(true)
}

/// A name, up to its zero byte.
fn text<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Vec<u8>, RasterError> {
    let mut name = Vec::new();
    let read = input.reader.by_ref().take(256).read_until(0, &mut name);
    read.map_err(RasterError::io(input.path, "read the EXR header"))?;
    if name.pop() != Some(0) {
        let found = name.get(..16).unwrap_or(&name).escape_ascii();
        return Err(RasterError::field(
            input.path,
            "attribute name",
            &found,
            &"at most 255 bytes and a zero",
            ADVICE,
        ));
    }
    Ok(name)
}

/// Width and height of a window, from its inclusive corners.
fn window<R: BufRead + Seek>(input: &mut Input<'_, R>, field: &'static str) -> Result<[u64; 2], RasterError> {
    let bytes: [u8; 16] = input.array(PART)?;
    let corner =
        |at: usize| i64::from(i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
    let corners = [corner(0), corner(4), corner(8), corner(12)];
    let [left, top, right, bottom] = corners;
    if left > right || top > bottom || corners.iter().any(|corner| corner.abs() > FARTHEST) {
        let allowed = format!("two corners in order, coordinates up to {FARTHEST}");
        return Err(RasterError::field(input.path, field, &format!("{corners:?}"), &allowed, ADVICE));
    }
    Ok([(right - left + 1) as u64, (bottom - top + 1) as u64])
}

/// Bytes per pixel of all channels together.
fn channels<R: BufRead + Seek>(input: &mut Input<'_, R>, end: u64) -> Result<u64, RasterError> {
    let mut bytes_per_pixel = 0;
    while input.position()? < end {
        if text(input)?.is_empty() {
            break;
        }
        let fields: [u8; 16] = input.array(PART)?;
        let number =
            |at: usize| i32::from_le_bytes([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]]);
        bytes_per_pixel += match number(0) {
            1 => 2,
            0 | 2 => 4,
            other => {
                let allowed = "0 (uint), 1 (half) or 2 (float)";
                return Err(RasterError::field(input.path, "channel type", &other, &allowed, ADVICE));
            }
        };
        if number(8) != 1 || number(12) != 1 {
            let found = format!("{} × {}", number(8), number(12));
            return Err(RasterError::field(input.path, "channel sampling", &found, &"1 × 1", ADVICE));
        }
    }
    Ok(bytes_per_pixel)
}
