//! What can go wrong with a height map, said so that the reader can repair the file.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Why a height map could not be read or a map could not be written.
///
/// Every message names the file, what was found, what is allowed, and what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RasterError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, such as `open the file`.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Neither the first bytes nor the file name tell the format.
    #[error(
        "{}: not a known height map; give a PNG, EXR, NPY, GeoTIFF, ESRI ASCII grid \
         (.asc), SRTM (.hgt) or RAW (.r16) file",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A field of the file has a value that cannot be used.
    #[error("{}{}: `{field}` is {value}, allowed: {allowed}; {advice}", path.display(), line_suffix(*line))]
    Field {
        /// The file.
        path: PathBuf,
        /// The line for text formats, counted from 1.
        line: Option<u32>,
        /// The field's name in the format.
        field: &'static str,
        /// The value found.
        value: String,
        /// The values that would be accepted.
        allowed: String,
        /// What to do next.
        advice: &'static str,
    },
    /// A field without which the samples cannot be placed is not there.
    #[error("{}{}: `{field}` is missing; {advice}", path.display(), line_suffix(*line))]
    Missing {
        /// The file.
        path: PathBuf,
        /// The line where the field was expected at the latest, for text formats.
        line: Option<u32>,
        /// The field's name in the format.
        field: &'static str,
        /// What to do next.
        advice: &'static str,
    },
    /// The file claims a size outside the limits.
    #[error(
        "{}: the map claims {width} × {height} samples, allowed: 1 to {max_side} per side and at most \
         {max_cells} in total; crop or resample the map, or raise the limit",
        path.display()
    )]
    Size {
        /// The file.
        path: PathBuf,
        /// Claimed samples per row.
        width: u64,
        /// Claimed rows.
        height: u64,
        /// Largest side allowed.
        max_side: u32,
        /// Largest number of samples allowed.
        max_cells: u64,
    },
    /// The file is shorter than its header says.
    #[error(
        "{}: {part} needs {needed} bytes but the file has {found} for it ({} missing); copy or download the \
         file again",
        path.display(), needed.saturating_sub(*found)
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The part that is cut off, such as `the sample block`.
        part: &'static str,
        /// Bytes the part needs.
        needed: u64,
        /// Bytes the file has for it.
        found: u64,
    },
    /// A sample is infinite, or too large for a 32-bit float.
    #[error(
        "{}: the sample at row {row}, column {column} is {value}, allowed: at most 3.4e38 in size, or NaN for \
         no-data; repair the map or mark the place as no-data",
        path.display()
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// Row, counted from 0 in the file's order.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// The decoder of a compressed format gave up.
    #[error(
        "{}: not a readable {format} file: {reason}; open and save it again with another tool",
        path.display()
    )]
    Decode {
        /// The file.
        path: PathBuf,
        /// The format's name.
        format: &'static str,
        /// What the decoder said.
        reason: String,
    },
    /// A map to be written does not have as many samples as its sides say.
    #[error(
        "{}: the map to write has {samples} samples for {width} × {height} cells; pass one sample per cell",
        path.display()
    )]
    Shape {
        /// The file.
        path: PathBuf,
        /// Samples per row.
        width: usize,
        /// Rows.
        height: usize,
        /// Samples given.
        samples: usize,
    },
    /// A tool's format cannot hold the map.
    #[error("{0}")]
    Layout(String),
    /// No-data cannot be filled because there is nothing to fill it with.
    #[error("all {cells} samples of the map are no-data; give a map with at least one height")]
    AllNoData {
        /// Samples in the map.
        cells: usize,
    },
}

/// Line numbers are printed the way compilers do, so that editors can jump to them.
fn line_suffix(line: Option<u32>) -> String {
    line.map(|line| format!(":{line}")).unwrap_or_default()
}

impl RasterError {
    /// Wraps an I/O error with the file and the action that failed.
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> RasterError {
        move |source| RasterError::Io { path: path.to_path_buf(), action, source }
    }

    /// A bad field in a binary format, which has no lines.
    pub(super) fn field(
        path: &Path,
        field: &'static str,
        value: &dyn Display,
        allowed: &dyn Display,
        advice: &'static str,
    ) -> RasterError {
        RasterError::Field {
            path: path.to_path_buf(),
            line: None,
            field,
            value: value.to_string(),
            allowed: allowed.to_string(),
            advice,
        }
    }

    /// What a decoder of another crate said about the file.
    pub(super) fn decode(path: &Path, format: &'static str, reason: &dyn Display) -> RasterError {
        RasterError::Decode { path: path.to_path_buf(), format, reason: reason.to_string() }
    }
}
