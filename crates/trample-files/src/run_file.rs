//! Run files: `run.trample` holds the scene, a digest per step and the state at the last checkpoint.
//!
//! Layout, little endian: magic, version; then sections (tag, length, bytes, hash of the bytes); an end tag. A file
//! is replaced whole, so it is valid at any moment; a damaged one is told apart by its hashes.

use crate::memory;
use crate::scene_file::Source;
use std::io::Read;
use std::path::{Path, PathBuf};
use trample::hash::of_bytes;
use trample::record::Recording;

const MAGIC: &[u8; 8] = b"TRAMPLE\n";
const VERSION: u32 = 1;
/// Sections without which a run cannot be gone on with.
const NEEDED: [&[u8; 4]; 4] = [b"name", b"scen", b"digs", b"snap"];

/// What a run leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFile {
    /// The scene, enough to build it again.
    pub source: Source,
    /// Digest of every step so far.
    pub recording: Recording,
    /// State after the last of these steps.
    pub snapshot: Vec<u8>,
    /// Figures gathered along the way; the command's own.
    pub notes: Vec<u8>,
    /// Hash of the whole state when the run ended; none while it is under way.
    pub final_hash: Option<u64>,
}

/// Why a run file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    /// The file system says no.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// Not one of ours, or cut off, or damaged.
    #[error("{0}: {1}")]
    Damaged(String, String),
}

impl RunFile {
    /// The file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.snapshot.len() + 8 * self.recording.digests.len() + 4096);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        let mut section = |tag: &[u8; 4], bytes: &[u8]| {
            out.extend(tag);
            out.extend((bytes.len() as u64).to_le_bytes());
            out.extend(bytes);
            out.extend(of_bytes(bytes).to_le_bytes());
        };
        section(b"name", self.source.name.as_bytes());
        section(b"scen", self.source.text.as_bytes());
        section(b"fold", self.source.folder.to_string_lossy().as_bytes());
        for setting in &self.source.settings {
            section(b"set ", setting.as_bytes());
        }
        let digests: Vec<u8> = self.recording.digests.iter().flat_map(|d| d.to_le_bytes()).collect();
        section(b"digs", &digests);
        section(b"snap", &self.snapshot);
        section(b"note", &self.notes);
        if let Some(hash) = self.final_hash {
            section(b"hash", &hash.to_le_bytes());
        }
        section(b"end ", &[]);
        out
    }

    /// Reads the bytes of a run file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut at = 0usize;
        let mut take = |n: usize| {
            let end = at.checked_add(n).filter(|&end| end <= bytes.len());
            let slice =
                end.map(|end| &bytes[at..end]).ok_or_else(|| format!("cut off at byte {}", bytes.len()));
            at = end.unwrap_or(at);
            slice
        };
        if take(8).ok() != Some(&MAGIC[..]) {
            return Err("not a trample run file".into());
        }
        let version = u32::from_le_bytes(take(4)?.try_into().expect("four bytes"));
        if version != VERSION {
            return Err(format!(
                "run file version {version}, this program reads version {VERSION}; run the scene anew"
            ));
        }
        let mut file = Self {
            source: Source {
                name: String::new(),
                text: String::new(),
                settings: Vec::new(),
                folder: PathBuf::new(),
            },
            recording: Recording::default(),
            snapshot: Vec::new(),
            notes: Vec::new(),
            final_hash: None,
        };
        let mut seen: Vec<[u8; 4]> = Vec::new();
        loop {
            let tag: [u8; 4] = take(4)?.try_into().expect("four bytes");
            let length = u64::from_le_bytes(take(8)?.try_into().expect("eight bytes"));
            let length = usize::try_from(length).map_err(|_| "a section is too long".to_string())?;
            let body = take(length)?;
            let hash = u64::from_le_bytes(take(8)?.try_into().expect("eight bytes"));
            let label = String::from_utf8_lossy(&tag).trim().to_string();
            if of_bytes(body) != hash {
                return Err(format!("section `{label}` is damaged: its checksum does not match"));
            }
            if &tag != b"set " {
                if seen.contains(&tag) {
                    return Err(format!("section `{label}` is there twice"));
                }
                seen.push(tag);
            }
            let text =
                || String::from_utf8(body.to_vec()).map_err(|_| format!("section `{label}` is not text"));
            match &tag {
                b"name" => file.source.name = text()?,
                b"scen" => file.source.text = text()?,
                b"fold" => file.source.folder = PathBuf::from(text()?),
                b"set " => file.source.settings.push(text()?),
                b"digs" => {
                    if body.len() % 8 != 0 {
                        return Err("section `digs` has a wrong length".into());
                    }
                    let words =
                        body.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes")));
                    file.recording.digests = words.collect();
                }
                b"snap" => file.snapshot = body.to_vec(),
                b"note" => file.notes = body.to_vec(),
                b"hash" => {
                    let bytes =
                        body.try_into().map_err(|_| "section `hash` has a wrong length".to_string())?;
                    file.final_hash = Some(u64::from_le_bytes(bytes));
                }
                b"end " => break,
                _ => return Err(format!("unknown section `{label}`")),
            }
        }
        if let Some(missing) = NEEDED.iter().find(|tag| !seen.contains(**tag)) {
            return Err(format!("section `{}` is missing", String::from_utf8_lossy(*missing)));
        }
        if at != bytes.len() {
            return Err(format!("{} bytes after its end", bytes.len() - at));
        }
        Ok(file)
    }

    /// Replaces the file at `path`, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), RunFileError> {
        crate::whole::write(path, &self.to_bytes())
            .map_err(|e| RunFileError::Io(path.display().to_string(), e))
    }

    /// Reads the file at `path`. A run that was saved on disk and is read from memory, or the other way round, looks for the
    /// files of its scene beside itself.
    pub fn load(path: &Path) -> Result<Self, RunFileError> {
        let name = path.display().to_string();
        let io = |e| RunFileError::Io(name.clone(), e);
        let mut file = memory::open(path).map_err(io)?;
        // The first bytes are looked at alone: a wrong file may be huge, and a device has no end.
        let mut bytes = Vec::new();
        file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(io)?;
        if bytes == MAGIC {
            file.read_to_end(&mut bytes).map_err(io)?;
        }
        let mut run = Self::from_bytes(&bytes).map_err(|problem| RunFileError::Damaged(name, problem))?;
        if memory::is_memory(path) != memory::is_memory(&run.source.folder) {
            run.source.folder = memory::folder_of(path).to_path_buf();
        }
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::World;
    use trample::scene::library;

    fn sample() -> RunFile {
        let scene = library::by_name("plate").expect("scene");
        let mut world = World::new(&scene).expect("world");
        let mut recording = Recording::default();
        for _ in 0..20 {
            world.step(scene.dt());
            recording.digests.push(world.digest());
        }
        let mut source = Source::of_scene(&scene);
        source.settings = vec!["mass=60".into(), "cell=0.02".into()];
        RunFile { source, recording, snapshot: world.snapshot(), notes: b"{}".to_vec(), final_hash: Some(7) }
    }

    #[test]
    fn a_run_file_comes_back_as_it_was() {
        let file = sample();
        assert_eq!(RunFile::from_bytes(&file.to_bytes()).expect("reads"), file);
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let bytes = sample().to_bytes();
        for cut in 0..bytes.len() {
            assert!(RunFile::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        for i in (0..bytes.len()).step_by(7) {
            let mut other = bytes.clone();
            other[i] ^= 0x10;
            assert!(RunFile::from_bytes(&other).is_err(), "flipped byte {i}");
        }
    }
}
