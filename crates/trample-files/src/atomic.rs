//! Writing a file whole or not at all: a temporary file in the target's folder, brought to disk, then renamed over it.
//!
//! The folder is the same because a rename is atomic only within one file system. After a crash at any moment there is the old file
//! or the new one.

use crate::memory;
use std::fs::File;
use std::io::{self, BufWriter, Cursor, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Replaces `path` by `bytes`.
///
/// # Errors
/// If the file cannot be written; the old one then stays.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Staged::write(path, |file| file.write_all(bytes), |_, error| error)?.publish(|_, error| error)
}

/// Replaces `path` by what `fill` writes, piece by piece.
///
/// # Errors
/// If the file cannot be written; the old one then stays.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    Staged::write(path, |mut file| fill(&mut file), |_, error| error)?.publish(|_, error| error)
}

/// What a file is written into.
pub(crate) trait Sink: Write + Seek {}
impl<T: Write + Seek> Sink for T {}

/// A complete new file, not yet visible under its target's name. Dropped, it leaves nothing behind.
pub(crate) struct Staged {
    target: PathBuf,
    new: New,
}

enum New {
    Disk(NamedTempFile),
    Memory(Vec<u8>),
}

impl Staged {
    /// Lets `fill` write the whole file and waits until it is on disk. `fail` makes an error of what could not be done.
    pub(crate) fn write<E>(
        target: &Path,
        fill: impl FnOnce(&mut dyn Sink) -> Result<(), E>,
        fail: impl Fn(&'static str, io::Error) -> E,
    ) -> Result<Staged, E> {
        let new = if memory::is_memory(target) {
            let mut bytes = Cursor::default();
            fill(&mut bytes)?;
            New::Memory(bytes.into_inner())
        } else {
            let Some(name) = target.file_name() else {
                let error =
                    io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name");
                return Err(fail("write there", error));
            };
            let mut builder = tempfile::Builder::new();
            let prefix = format!(".{}.", name.to_string_lossy());
            builder.prefix(&prefix).suffix(".tmp");
            // As files usually are, less what the user's mask takes away; a temporary file would be for its owner alone.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let file = builder
                .tempfile_in(folder(target))
                .map_err(|error| fail("create a temporary file in its folder", error))?;
            let mut writer = BufWriter::new(file);
            fill(&mut writer)?;
            let file = writer.into_inner().map_err(|error| fail("write the file", error.into_error()))?;
            file.as_file().sync_all().map_err(|error| fail("bring the file to disk", error))?;
            New::Disk(file)
        };
        Ok(Staged { target: target.to_path_buf(), new })
    }

    /// Puts the new file in the place of the old one.
    pub(crate) fn publish<E>(self, fail: impl Fn(&'static str, io::Error) -> E) -> Result<(), E> {
        match self.new {
            New::Memory(bytes) => {
                memory::put(&self.target, bytes).map_err(|error| fail("hold the file in memory", error))
            }
            New::Disk(file) => {
                file.persist(&self.target)
                    .map_err(|error| fail("replace the file by the new one", error.error))?;
                // Brings the new name to disk too. Not every system can open a folder, and the file is whole either way, so
                // a refusal here is no failure.
                if let Ok(folder) = File::open(folder(&self.target)) {
                    let _ = folder.sync_all();
                }
                Ok(())
            }
        }
    }
}

/// The folder of a file on disk.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
