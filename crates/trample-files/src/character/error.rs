//! What can go wrong with a character or motion file, said so that the reader can repair it.

use std::io;
use std::path::PathBuf;

/// Why a character or a motion could not be read. Every message names the file, the place, what was found and what would do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CharacterError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The file is larger than what is read.
    #[error("{}: {size} bytes, allowed: at most {largest}; cut the motion into shorter takes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size, bytes.
        size: u64,
        /// The limit, bytes.
        largest: u64,
    },
    /// Neither name nor first bytes tell the format.
    #[error("{}: not a known character; give a BVH, glTF or GLB file", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A format whose makers do not publish it.
    #[error(
        "{}: an FBX file, which is not read; make a GLB of it first: in Blender import it (File, Import, FBX) and export it (File, \
         Export, glTF 2.0), or run `FBX2glTF --binary FILE.fbx`",
        path.display()
    )]
    Fbx {
        /// The file.
        path: PathBuf,
    },
    /// A line of a text file makes no sense.
    #[error("{}:{line}: found {found}, expected {expected}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What would be understood.
        expected: String,
    },
    /// A part of a glTF file makes no sense.
    #[error("{}: {place}: {problem}", path.display())]
    Part {
        /// The file.
        path: PathBuf,
        /// Where in it, such as `accessors[3]`.
        place: String,
        /// What is wrong and what would do.
        problem: String,
    },
    /// Nothing in the file looks like a body with legs.
    #[error(
        "{}: {problem}; say which joint is which in a map file (`trample check` prints the joints)",
        path.display()
    )]
    NoBody {
        /// The file.
        path: PathBuf,
        /// What is missing.
        problem: String,
    },
}

/// A piece of input for a message: printable and short.
pub(super) fn printable(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(&bytes[..bytes.len().min(40)])
        .chars()
        .map(|c| if c.is_control() { '·' } else { c })
        .collect();
    if text.is_empty() { "nothing".into() } else { format!("`{text}`") }
}
