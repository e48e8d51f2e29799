//! Files that a page hands in: where there is no file system, their bytes come one file after another, and are then held in
//! [`trample_files::memory`].
//!
//! What is dropped together belongs together, such as a glTF and its `.bin`: nothing is looked at before the last of them is
//! there.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use trample_files::memory;

/// What has come since somebody last looked.
#[derive(Debug, Default, PartialEq)]
pub struct Come {
    /// Where on the page files were dropped together, logical pixels, and which they were, drop by drop.
    pub drops: Vec<(Option<[f32; 2]>, Vec<PathBuf>)>,
    /// What went wrong, in words.
    pub problems: Vec<String>,
}

/// Files on their way in.
#[derive(Debug, Default)]
pub struct Inbox {
    coming: Vec<PathBuf>,
    come: Come,
}

/// The page's.
static INBOX: Mutex<Inbox> = Mutex::new(Inbox::new());

/// Does something with the page's inbox. Its lists are whole whatever happened to a thread that held it.
pub fn with<T>(act: impl FnOnce(&mut Inbox) -> T) -> T {
    act(&mut INBOX.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Inbox {
    /// An empty one.
    pub const fn new() -> Self {
        Self { coming: Vec::new(), come: Come { drops: Vec::new(), problems: Vec::new() } }
    }

    /// Takes one file of a drop; its name may have folders. A file of the same name is replaced.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        let name = name.trim_start_matches(['/', '\\']);
        let path = PathBuf::from(format!("{}{name}", memory::SCHEME));
        match memory::put(&path, bytes) {
            Ok(()) => self.coming.push(path),
            Err(problem) => self.come.problems.push(format!("{name}: {problem}")),
        }
    }

    /// Says what went wrong before a file's bytes were there.
    pub fn complain(&mut self, problem: String) {
        self.come.problems.push(problem);
    }

    /// The drop is complete; where it was, if it was anywhere.
    pub fn done(&mut self, at: Option<[f32; 2]>) {
        if !self.coming.is_empty() {
            self.come.drops.push((at, std::mem::take(&mut self.coming)));
        }
    }

    /// What is complete by now, once.
    pub fn take(&mut self) -> Come {
        std::mem::take(&mut self.come)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_is_seen_when_its_last_file_is_there() {
        let mut inbox = Inbox::new();
        inbox.add("/inbox/a.gltf", b"{}".to_vec());
        assert_eq!(inbox.take(), Come::default());
        inbox.add("inbox/a.bin", b"bytes".to_vec());
        inbox.done(Some([30.0, 40.0]));
        inbox.add("inbox/b.asc", b"ncols".to_vec());
        let path = |name: &str| PathBuf::from(format!("memory:inbox/{name}"));
        assert_eq!(inbox.take().drops, [(Some([30.0, 40.0]), vec![path("a.gltf"), path("a.bin")])]);
        inbox.done(None);
        assert_eq!(inbox.take().drops, [(None, vec![path("b.asc")])]);
        inbox.done(None);
        assert_eq!(inbox.take(), Come::default());
        assert_eq!(memory::take(&path("a.bin")).as_deref(), Some(b"bytes".as_slice()));
    }

    #[test]
    fn a_file_without_a_name_is_a_problem_and_no_file() {
        let mut inbox = Inbox::new();
        inbox.add("/", Vec::new());
        inbox.complain("far.tif: 5000 MB are too much".into());
        inbox.done(None);
        let come = inbox.take();
        assert_eq!((come.drops.len(), come.problems.len()), (0, 2));
        assert!(come.problems[0].contains("names no file"), "{come:?}");
    }
}
