//! Files held in memory, for where there is no file system, such as a browser.
//!
//! A path that begins with `memory:`, such as `memory:hill.asc`, means a file in a table of this process; every other path
//! means the disk. All readers and writers of this crate take both, and a name in a file means what it always means: a
//! scene `memory:own.toml` that names `hill.asc` finds `memory:hill.asc`. There are no folders to make: `memory:maps/height.png`
//! is a name with a slash in it. (A file on disk that really is called so is `./memory:hill.asc`.)
//!
//! ```
//! use std::path::Path;
//! use trample_files::{Source, memory};
//!
//! memory::put(Path::new("memory:own.toml"), b"preset = \"walk-mud\"\nname = \"own\"\n".to_vec())?;
//! assert_eq!(Source::read(Path::new("memory:own.toml"))?.scene()?.name, "own");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf, is_separator};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What paths of files in memory begin with.
pub const SCHEME: &str = "memory:";

/// Most bytes that all files in memory may have together: 1 GiB, our choice. A page in a browser has at most four.
pub const MOST: u64 = 1 << 30;

static HELD: Mutex<Held> = Mutex::new(Held::new(MOST));

/// The table, for a thread that holds it. A panic elsewhere leaves it whole: every change is one insertion or removal.
fn held() -> MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a path means a file in memory.
pub fn is_memory(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().starts_with(SCHEME.as_bytes())
}

/// The text of a file of at most `largest` bytes; else the file and what is wrong with it.
pub(crate) fn read_text(path: &Path, largest: u64) -> Result<String, String> {
    let place = path.display();
    let mut text = String::new();
    let file = open(path).map_err(|e| format!("{place}: {e}"))?;
    file.take(largest + 1).read_to_string(&mut text).map_err(|e| format!("{place}: {e}"))?;
    if text.len() as u64 > largest {
        return Err(format!("{place}: more than {largest} bytes, allowed: {largest}"));
    }
    Ok(text)
}

/// The bytes of a file of at most `largest` bytes.
///
/// # Errors
/// As for [`open`], and if it is larger.
pub fn read(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(largest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let problem = format!("more than {largest} bytes, allowed: {largest}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Holds a file, in place of one of the same name if there is one.
///
/// # Errors
/// If the path is not one of memory or names no file, and if all files together would have more than [`MOST`] bytes. The
/// old file then stays.
pub fn put(path: &Path, bytes: Vec<u8>) -> io::Result<()> {
    held().put(key(path)?, bytes)
}

/// The bytes of a file, which is then no longer held; none if there is no such file.
pub fn take(path: &Path) -> Option<Vec<u8>> {
    let bytes = held().take(&key(path).ok()?)?;
    // A reader may still hold it.
    Some(Arc::try_unwrap(bytes.0).unwrap_or_else(|shared| shared.to_vec()))
}

/// No longer holds a file. Returns whether there was one.
pub fn remove(path: &Path) -> bool {
    key(path).is_ok_and(|key| held().take(&key).is_some())
}

/// The files whose path begins with `prefix`, by name: `memory:` for all, `memory:maps/` for those in a folder.
pub fn list(prefix: &str) -> Vec<PathBuf> {
    let Some(prefix) = prefix.strip_prefix(SCHEME) else { return Vec::new() };
    let prefix = prefix.trim_start_matches(is_separator);
    let held = held();
    let found = held.files.keys().filter(|key| key.starts_with(prefix));
    found.map(|key| PathBuf::from(format!("{SCHEME}{key}"))).collect()
}

/// The folder of a file: where the files that it names are looked for. `memory:` for `memory:own.toml`.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ if is_memory(path) => Path::new(SCHEME),
        _ => Path::new(""),
    }
}

/// A path without the `memory:` that it may begin with, for names made of it.
pub(crate) fn bare(path: &Path) -> &Path {
    path.to_str().and_then(|text| text.strip_prefix(SCHEME)).map_or(path, Path::new)
}

/// An open file, on disk or in memory.
#[derive(Debug)]
pub enum Opened {
    /// On disk.
    Disk(File),
    /// In memory, as it was when it was opened.
    Memory(Cursor<Bytes>),
}

/// The bytes of a file in memory, shared with its readers.
#[derive(Clone, Debug)]
pub struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Opens a file for reading.
///
/// # Errors
/// Those of the file system; [`io::ErrorKind::NotFound`] for a file that is not in memory, [`io::ErrorKind::InvalidInput`] for what is
/// no file, such as a pipe or a device.
pub fn open(path: &Path) -> io::Result<Opened> {
    crate::inputs::note(path);
    if !is_memory(path) {
        // Looked at first: opening a pipe waits for somebody who writes into it, and a device has no end.
        if !fs::metadata(path)?.is_file() {
            let problem = "not a file, but a folder, a pipe or a device";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        return File::open(path).map(Opened::Disk);
    }
    held().get(&key(path)?).map(|bytes| Opened::Memory(Cursor::new(bytes)))
}

/// What is known of a file without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Length, bytes.
    pub len: u64,
    /// Whether it is a regular file, and not a folder or a device.
    pub is_file: bool,
}

/// Looks at a file.
///
/// # Errors
/// As for [`open`].
pub fn facts(path: &Path) -> io::Result<Facts> {
    crate::inputs::note(path);
    if !is_memory(path) {
        return fs::metadata(path).map(|facts| Facts { len: facts.len(), is_file: facts.is_file() });
    }
    let bytes = held().get(&key(path)?)?;
    Ok(Facts { len: bytes.0.len() as u64, is_file: true })
}

impl Opened {
    /// Length of the file, bytes.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn len(&self) -> io::Result<u64> {
        match self {
            Self::Disk(file) => Ok(file.metadata()?.len()),
            Self::Memory(cursor) => Ok(cursor.get_ref().0.len() as u64),
        }
    }

    /// Whether it is empty.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read(buffer),
            Self::Memory(cursor) => cursor.read(buffer),
        }
    }
}

impl Seek for Opened {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Disk(file) => file.seek(to),
            Self::Memory(cursor) => cursor.seek(to),
        }
    }
}

/// The name of a file in the table. `memory:a/b`, `memory:/a/b` and `memory:a//b` are one file, as on disk.
fn key(path: &Path) -> io::Result<String> {
    let fail = |problem: &str| io::Error::new(io::ErrorKind::InvalidInput, problem);
    let text = path.to_str().ok_or_else(|| fail("the name of a file in memory must be UTF-8"))?;
    let text = text.strip_prefix(SCHEME).ok_or_else(|| fail("a file in memory is called `memory:NAME`"))?;
    let parts: Vec<&str> = text.split(is_separator).filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.is_empty() {
        return Err(fail("the path names no file"));
    }
    Ok(parts.join("/"))
}

/// Files by name.
struct Held {
    files: BTreeMap<String, Bytes>,
    /// Bytes of all of them.
    total: u64,
    most: u64,
}

impl Held {
    const fn new(most: u64) -> Self {
        Self { files: BTreeMap::new(), total: 0, most }
    }

    fn put(&mut self, key: String, bytes: Vec<u8>) -> io::Result<()> {
        let old = self.files.get(&key).map_or(0, |old| old.0.len() as u64);
        let total = self.total - old + bytes.len() as u64;
        if total > self.most {
            let problem =
                format!("the files held in memory would have {total} bytes, allowed: {}", self.most);
            return Err(io::Error::new(io::ErrorKind::StorageFull, problem));
        }
        self.total = total;
        self.files.insert(key, Bytes(Arc::new(bytes)));
        Ok(())
    }

    fn get(&self, key: &str) -> io::Result<Bytes> {
        self.files.get(key).cloned().ok_or_else(|| {
            let problem = "no such file in memory; give it together with the one that names it";
            io::Error::new(io::ErrorKind::NotFound, problem)
        })
    }

    fn take(&mut self, key: &str) -> Option<Bytes> {
        let bytes = self.files.remove(key)?;
        self.total -= bytes.0.len() as u64;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_refuses_and_keeps_what_it_has() {
        let mut held = Held::new(10);
        held.put("a".into(), vec![1; 6]).expect("fits");
        let problem = held.put("b".into(), vec![2; 5]).expect_err("one too many");
        assert_eq!(problem.kind(), io::ErrorKind::StorageFull);
        assert_eq!(problem.to_string(), "the files held in memory would have 11 bytes, allowed: 10");
        held.put("a".into(), vec![3; 10]).expect("in place of the old one");
        assert_eq!(
            held.put("a".into(), vec![4; 11]).expect_err("too large").kind(),
            io::ErrorKind::StorageFull
        );
        assert_eq!(held.get("a").expect("still there").as_ref(), [3; 10]);
        assert!(held.take("a").is_some() && held.take("a").is_none());
        held.put("b".into(), vec![5; 10]).expect("its bytes are free again");
    }

    #[test]
    fn names_mean_what_they_mean_on_disk() {
        let named = |path: &str| key(Path::new(path)).expect("a name");
        assert_eq!(named("memory:hill.asc"), "hill.asc");
        assert_eq!(named("memory:/hill.asc"), "hill.asc");
        assert_eq!(named("memory:a/./b//c"), "a/b/c");
        for path in ["hill.asc", "memory:", "memory:/", "a/memory:b", "Memory:a"] {
            assert_eq!(key(Path::new(path)).expect_err(path).kind(), io::ErrorKind::InvalidInput, "{path}");
        }
        let folder = |path: &'static str| folder_of(Path::new(path));
        assert_eq!(folder("memory:own.toml"), Path::new("memory:"));
        assert_eq!(folder("memory:a/own.toml"), Path::new("memory:a"));
        assert_eq!(folder("own.toml"), Path::new(""));
        assert_eq!(folder("a/own.toml"), Path::new("a"));
        assert_eq!(named(folder("memory:own.toml").join("hill.asc").to_str().expect("text")), "hill.asc");
    }

    #[test]
    fn files_are_put_listed_read_and_taken() {
        let path = |name: &str| PathBuf::from(format!("memory:unit/{name}"));
        put(&path("b"), b"two".to_vec()).expect("put");
        put(&path("a"), b"one".to_vec()).expect("put");
        assert_eq!(list("memory:unit/"), [path("a"), path("b")]);
        assert_eq!(list("unit/"), Vec::<PathBuf>::new());
        let mut opened = open(&path("a")).expect("opens");
        // An opened file can be read to its end after it was replaced, as on Unix.
        assert_eq!(take(&path("a")).as_deref(), Some(b"one".as_slice()));
        let mut text = String::new();
        opened.seek(SeekFrom::Start(1)).expect("seeks");
        opened.read_to_string(&mut text).expect("reads");
        assert_eq!((text.as_str(), opened.len().expect("length")), ("ne", 3));
        assert!(!remove(&path("a")) && remove(&path("b")));
        assert_eq!(open(&path("b")).expect_err("gone").kind(), io::ErrorKind::NotFound);
        assert_eq!(facts(&path("b")).expect_err("gone").kind(), io::ErrorKind::NotFound);
    }
}
