//! Writing a file whole or not at all: a temporary file beside it, synced, then renamed over it.

use crate::memory;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Tells apart threads that write the same file at once; the process id tells apart processes.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Replaces `path` by `bytes`. After a crash at any moment there is the old file or the new one.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if memory::is_memory(path) {
        return memory::put(path, bytes.to_vec());
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
    let mut temporary = name.to_os_string();
    temporary.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    let temporary = folder.join(temporary);
    let written = (|| {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // Best effort: the error that matters is the first one.
        let _ = fs::remove_file(&temporary);
    } else if let Ok(folder) = File::open(folder) {
        // The rename itself must survive too; a folder that cannot be synced is no reason to fail.
        let _ = folder.sync_all();
    }
    written
}
