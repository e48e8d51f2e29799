//! Writing a file so that a crash leaves either the old one or the new one.

use super::RasterError;
use crate::memory;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Tells apart files staged by several threads of one process; the process id tells apart processes.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// A complete new file beside its target, on disk or in memory but not yet visible under the target's name.
pub(super) struct Staged {
    temporary: PathBuf,
    target: PathBuf,
    published: bool,
    /// The whole file if its target is in memory; there is then no temporary file.
    held: Option<Vec<u8>>,
}

/// What a file is written into.
pub(super) enum Sink {
    Disk(BufWriter<File>),
    Memory(Cursor<Vec<u8>>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.write(bytes),
            Self::Memory(held) => held.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Disk(file) => file.flush(),
            Self::Memory(held) => held.flush(),
        }
    }
}

impl Seek for Sink {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Disk(file) => file.seek(to),
            Self::Memory(held) => held.seek(to),
        }
    }
}

impl Staged {
    /// Writes the whole file under a temporary name in the target's folder and waits until it is on disk.
    ///
    /// The folder is the same because a rename is atomic only within one file system.
    pub(super) fn write(
        target: &Path,
        fill: impl FnOnce(&mut Sink) -> Result<(), RasterError>,
    ) -> Result<Staged, RasterError> {
        if memory::is_memory(target) {
            let mut sink = Sink::Memory(Cursor::default());
            fill(&mut sink)?;
            let held = if let Sink::Memory(held) = sink { Some(held.into_inner()) } else { None };
            let target = target.to_path_buf();
            return Ok(Staged { temporary: PathBuf::new(), target, published: false, held });
        }
        let name = target.file_name().ok_or_else(|| RasterError::Io {
            path: target.to_path_buf(),
            action: "write there",
            source: io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name"),
        })?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = target.with_file_name(hidden);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(RasterError::io(target, "create a temporary file in its folder"))?;
        // From here on the temporary file is removed if anything fails.
        let staged = Staged { temporary, target: target.to_path_buf(), published: false, held: None };
        let mut sink = Sink::Disk(BufWriter::new(file));
        fill(&mut sink)?;
        let Sink::Disk(writer) = sink else { return Ok(staged) };
        let file = writer
            .into_inner()
            .map_err(|error| RasterError::io(target, "write the file")(error.into_error()))?;
        file.sync_all().map_err(RasterError::io(target, "bring the file to disk"))?;
        Ok(staged)
    }

    /// Puts the new file in the place of the old one.
    pub(super) fn publish(mut self) -> Result<(), RasterError> {
        if let Some(bytes) = self.held.take() {
            self.published = true;
            return memory::put(&self.target, bytes)
                .map_err(RasterError::io(&self.target, "hold the file in memory"));
        }
        fs::rename(&self.temporary, &self.target)
            .map_err(RasterError::io(&self.target, "replace the file by the new one"))?;
        self.published = true;
        let folder = match self.target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // Bringing the folder to disk makes the new name survive a power cut. Not every system can open a
        // folder, and the file is whole either way, so a refusal here is no failure.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.published && self.held.is_none() {
            // Nothing can be done about a temporary file that cannot be removed; the target is untouched.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
