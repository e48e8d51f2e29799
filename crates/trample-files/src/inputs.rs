//! Which files a scene was made from, and a hash of each: height maps and what lies beside them, images, soles, species, characters,
//! motion, tables, tracks. A run must find them unchanged to be gone on with. And how much memory they may take: what is named twice is read
//! once.

use crate::memory;
use std::any::Any;
use std::cell::RefCell;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use trample::internal::Hasher;

/// A file that a scene was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its path as seen from the scene's folder; a whole one where the scene names it so.
    pub path: String,
    /// Hash of its bytes; none if it was looked for and not there, as what may lie beside a height map.
    pub hash: Option<u64>,
}

/// Most bytes that all a scene is made from may take in memory: 2 GiB, our choice. The largest height map takes half of it.
pub const MOST: u64 = 2 << 30;

/// A scene that is being read.
#[derive(Default)]
struct Reading {
    /// Files that were opened or looked for.
    files: Vec<PathBuf>,
    /// Bytes taken for what was read from them.
    held: u64,
    /// What was read from an image, by its name and how it is read.
    shared: Vec<(String, Arc<dyn Any>)>,
}

thread_local! {
    /// The scene that this thread is reading, if it is.
    static READING: RefCell<Option<Reading>> = const { RefCell::new(None) };
}

/// Reads a scene, and says which files were opened or looked for.
pub(crate) fn watched<T>(work: impl FnOnce() -> T) -> (T, Vec<PathBuf>) {
    let before = READING.replace(Some(Reading::default()));
    let done = work();
    let mut files = READING.replace(before).unwrap_or_default().files;
    files.sort_unstable();
    files.dedup();
    (done, files)
}

/// Notes that a file is looked at.
pub(crate) fn note(path: &Path) {
    READING.with_borrow_mut(|reading| {
        if let Some(reading) = reading {
            reading.files.push(path.to_path_buf());
        }
    });
}

/// Counts memory that a scene keeps of a file, before or just after it is taken.
///
/// # Errors
/// If all its files together would take more than [`MOST`].
pub(crate) fn hold(bytes: u64) -> Result<(), String> {
    READING.with_borrow_mut(|reading| {
        let Some(reading) = reading else { return Ok(()) };
        reading.held = reading.held.saturating_add(bytes);
        if reading.held <= MOST {
            return Ok(());
        }
        let mega = 1 << 20;
        Err(format!(
            "with it the files of this scene take {} MiB in memory, allowed: {} MiB in all; crop or thin them",
            reading.held / mega,
            MOST / mega
        ))
    })
}

/// What `make` reads, or what it read before in this scene under the same key.
pub(crate) fn shared<T: Clone + 'static, E>(
    key: String,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let known = READING.with_borrow(|reading| {
        let found = reading.as_ref()?.shared.iter().find(|(k, _)| *k == key)?;
        found.1.downcast_ref::<T>().cloned()
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let made = make()?;
    READING.with_borrow_mut(|reading| {
        if let Some(reading) = reading {
            reading.shared.push((key, Arc::new(made.clone())));
        }
    });
    Ok(made)
}

/// The files as they are now, seen from `folder`.
pub(crate) fn hashed(files: &[PathBuf], folder: &Path) -> Vec<Input> {
    let seen = |path: &PathBuf| Input {
        path: path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned(),
        hash: hash(path).ok(),
    };
    files.iter().map(seen).collect()
}

/// What is no longer as it was among files seen from `folder`, in words.
pub fn changed(inputs: &[Input], folder: &Path) -> Vec<String> {
    let now = |input: &Input| Input { hash: hash(&folder.join(&input.path)).ok(), ..input.clone() };
    difference(inputs, &inputs.iter().map(now).collect::<Vec<_>>())
}

/// How files differ from what they were, in words.
pub fn difference(before: &[Input], now: &[Input]) -> Vec<String> {
    let find = |list: &[Input], path: &str| list.iter().find(|i| i.path == path).and_then(|i| i.hash);
    let mut paths: Vec<&String> = before.iter().chain(now).map(|input| &input.path).collect();
    paths.sort_unstable();
    paths.dedup();
    let told = |path: &&String| match (find(before, path), find(now, path)) {
        (Some(a), Some(b)) if a != b => Some(format!("`{path}` has changed")),
        (Some(_), None) => Some(format!("`{path}` is gone")),
        (None, Some(_)) => Some(format!("`{path}` was not there")),
        _ => None,
    };
    paths.iter().filter_map(told).collect()
}

/// The hash of a file's bytes, read in pieces.
fn hash(path: &Path) -> io::Result<u64> {
    const PIECE: u64 = 1 << 16;
    let mut file = memory::open(path)?;
    let (mut hasher, mut piece) = (Hasher::default(), Vec::new());
    loop {
        piece.clear();
        file.by_ref().take(PIECE).read_to_end(&mut piece)?;
        hasher.bytes(&piece);
        if (piece.len() as u64) < PIECE {
            return Ok(hasher.finish());
        }
    }
}

/// What to write for the folder of a scene into a file that will be in the folder `home`: how it is seen from there, so that both can be moved
/// together. The folder of a scene that is made from no file is nowhere looked for and stays as it is.
pub fn seen_from(home: &Path, folder: &Path, inputs: &[Input]) -> String {
    if inputs.is_empty() || memory::is_memory(home) != memory::is_memory(folder) {
        folder.to_string_lossy().into_owned()
    } else {
        way(home, folder)
    }
}

/// The folder of a scene from what [`seen_from`] wrote into the file `path`: where it is as seen from the file, else the file's own if all
/// inputs are there.
pub fn found_from(path: &Path, written: &Path, inputs: &[Input]) -> PathBuf {
    let (beside, mut folder) = (memory::folder_of(path), written.to_path_buf());
    if inputs.is_empty() {
        return folder;
    }
    if !memory::is_memory(path) && !memory::is_memory(&folder) {
        folder = plain(&beside.join(&folder));
    }
    let moved = memory::is_memory(path) != memory::is_memory(&folder);
    if moved || !all_in(inputs, &folder) && all_in(inputs, beside) { beside.to_path_buf() } else { folder }
}

/// Whether all files that were there are in a folder.
pub fn all_in(inputs: &[Input], folder: &Path) -> bool {
    inputs.iter().all(|i| i.hash.is_none() || memory::facts(&folder.join(&i.path)).is_ok())
}

/// A folder as seen from another; its whole path where there is no way from one to the other. Both may be relative.
pub fn way(from: &Path, folder: &Path) -> String {
    let here =
        |path: &Path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_path_buf() };
    let whole = |path: &Path| std::fs::canonicalize(here(path)).or_else(|_| std::path::absolute(here(path)));
    let (Ok(a), Ok(b)) = (whole(from), whole(folder)) else { return folder.to_string_lossy().into_owned() };
    let (a, b): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (a.components().collect(), b.components().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    if same == 0 {
        return folder.to_string_lossy().into_owned();
    }
    let up = std::iter::repeat_n("..".to_string(), a.len() - same);
    let down = b[same..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    // With slashes on every system.
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A path without `.` in it.
pub(crate) fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::CurDir)).collect()
}
