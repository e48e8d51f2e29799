//! A file being read, and the checks that come before memory is taken for it.

use super::{Limits, RasterError};
use std::io::{BufRead, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// No lossless codec we accept packs tighter than this: deflate reaches 1032:1, LZW 1365:1, and PXR24, which
/// drops one byte in four before deflating, 1376:1. A file that claims more is cut off or made to exhaust
/// memory.
const TIGHTEST_PACKING: u64 = 1400;

/// An open file with the facts that every reader needs.
pub(super) struct Input<'a, R> {
    pub(super) path: &'a Path,
    pub(super) reader: R,
    pub(super) len: u64,
    pub(super) limits: &'a Limits,
}

/// Sides of a map that passed the limits, so that their products cannot overflow.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Sides {
    pub(super) fn cells(self) -> usize {
        self.width * self.height
    }
}

impl<R: BufRead + Seek> Input<'_, R> {
    /// Accepts the claimed sides or says what is allowed.
    pub(super) fn sides(&self, width: u64, height: u64) -> Result<Sides, RasterError> {
        let refuse = || RasterError::Size {
            path: self.path.to_path_buf(),
            width,
            height,
            max_side: self.limits.max_side,
            max_cells: self.limits.max_cells,
        };
        let side = u64::from(self.limits.max_side);
        let cells = width.checked_mul(height).ok_or_else(refuse)?;
        if width == 0 || height == 0 || width > side || height > side || cells > self.limits.max_cells {
            return Err(refuse());
        }
        // Eight bytes per cell must be addressable, so that later byte counts cannot overflow either.
        usize::try_from(cells).ok().and_then(|cells| cells.checked_mul(8)).ok_or_else(refuse)?;
        Ok(Sides {
            width: usize::try_from(width).map_err(|_| refuse())?,
            height: usize::try_from(height).map_err(|_| refuse())?,
        })
    }

    /// Refuses a part that the rest of the file is too short for.
    pub(super) fn require(&self, part: &'static str, needed: u64, found: u64) -> Result<(), RasterError> {
        if found < needed {
            return Err(RasterError::Truncated { path: self.path.to_path_buf(), part, needed, found });
        }
        Ok(())
    }

    /// Refuses a compressed part that could not unpack to `bytes` however well it was packed.
    pub(super) fn require_packed(&self, bytes: u64, found: u64) -> Result<(), RasterError> {
        self.require("the compressed sample block", bytes / TIGHTEST_PACKING, found)
    }

    /// Fills a buffer from the file; a short file is an error that names the bytes.
    pub(super) fn read_exact(&mut self, part: &'static str, buffer: &mut [u8]) -> Result<(), RasterError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => self.require(part, buffer.len() as u64, filled as u64)?,
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(RasterError::io(self.path, "read the file")(error)),
            }
        }
        Ok(())
    }

    /// An array read from the file, for headers with fixed fields.
    pub(super) fn array<const N: usize>(&mut self, part: &'static str) -> Result<[u8; N], RasterError> {
        let mut bytes = [0; N];
        self.read_exact(part, &mut bytes)?;
        Ok(bytes)
    }

    /// The position in the file, bytes from its start.
    pub(super) fn position(&mut self) -> Result<u64, RasterError> {
        self.reader.stream_position().map_err(RasterError::io(self.path, "find the position in the file"))
    }

    /// Memory for a whole map. Called only after the size was compared with the file's length.
    pub(super) fn empty_map(&self, sides: Sides) -> Result<Vec<f32>, RasterError> {
        let mut data = Vec::new();
        data.try_reserve_exact(sides.cells()).map_err(|_| RasterError::Io {
            path: self.path.to_path_buf(),
            action: "get memory for the map",
            source: std::io::ErrorKind::OutOfMemory.into(),
        })?;
        Ok(data)
    }

    /// A map in which every cell is no-data, for formats that deliver blocks in any order.
    pub(super) fn void_map(&self, sides: Sides) -> Result<Vec<f32>, RasterError> {
        let mut data = self.empty_map(sides)?;
        data.resize(sides.cells(), f32::NAN);
        Ok(data)
    }

    /// A sample as stored in a [`super::Grid`]: NaN stays no-data, infinities are refused with their place.
    pub(super) fn sample(&self, value: f64, row: usize, column: usize) -> Result<f32, RasterError> {
        if value.is_nan() {
            return Ok(f32::NAN);
        }
        let sample = value as f32;
        if sample.is_infinite() {
            return Err(RasterError::NotFinite { path: self.path.to_path_buf(), row, column, value });
        }
        Ok(sample)
    }
}

/// Turns a panic inside another crate's decoder into an error about the file.
///
/// Headers are checked before such a decoder runs, so this is the net under the net: a damaged height map
/// must not end a simulation.
pub(super) fn shielded<T>(
    path: &Path,
    format: &'static str,
    decode: impl FnOnce() -> Result<T, RasterError>,
) -> Result<T, RasterError> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(RasterError::decode(path, format, &"its contents contradict each other")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panicking_decoder_becomes_an_error() {
        let path = Path::new("a.exr");
        let result = shielded::<()>(path, "EXR", || panic!("as a damaged file might"));
        assert!(
            result
                .unwrap_err()
                .to_string()
                .starts_with("a.exr: not a readable EXR file: its contents contradict")
        );
    }
}
