//! Run files: `run.trample` holds the scene, hashes of its input files, digests of the steps and the state at the last checkpoint.
//!
//! Layout, little endian: magic, version of the layout; then sections (tag, length, bytes, hash of the bytes), the first of which is the
//! program and its version; an end tag with the hash of everything before it. A file is replaced as a whole, so it is always valid; damage is
//! detected by the hashes. The scene's folder is stored relative to the run file, so that both can be moved together.

use crate::inputs::{self, Input};
use crate::memory;
use crate::scene_file::Source;
use std::io::Read;
use std::path::{Path, PathBuf};
use trample::internal::{VERSION, of_bytes, physics};
use trample::{Recording, SnapshotError, World};

const MAGIC: &[u8; 8] = b"TRAMPLE\n";
/// Version of the layout.
const LAYOUT: u32 = 2;
/// Sections without which a run cannot be gone on with.
const NEEDED: [&[u8; 4]; 6] = [b"prog", b"name", b"scen", b"digs", b"snap", b"stat"];
/// Sections that there may be many of.
const MANY: [&[u8; 4]; 2] = [b"set ", b"file"];

/// Who wrote a run file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Program and version.
    pub program: String,
    /// Version of the state, which digests and checkpoint are of.
    pub state: u32,
    /// What it computed: another number where library scenes end in other hashes.
    pub physics: u64,
}

impl Writer {
    /// This program.
    pub fn here() -> Self {
        let program = concat!("trample ", env!("CARGO_PKG_VERSION")).into();
        Self { program, state: VERSION, physics: physics() }
    }

    fn to_text(&self) -> String {
        format!("{}\nstate {}\nphysics {:016x}", self.program, self.state, self.physics)
    }

    fn from_text(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        Some(Self {
            program: lines.next()?.into(),
            state: lines.next()?.strip_prefix("state ")?.parse().ok()?,
            physics: u64::from_str_radix(lines.next()?.strip_prefix("physics ")?, 16).ok()?,
        })
    }

    /// What to say where it computed other numbers than this program does.
    pub fn other_physics(&self) -> Option<String> {
        let here = Self::here();
        (self.physics != here.physics).then(|| {
            format!(
                "{} wrote it, which computes other numbers (physics {:016x}) than this {} (physics {:016x})",
                self.program, self.physics, here.program, here.physics
            )
        })
    }
}

/// What a run leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFile {
    /// Who wrote it.
    pub writer: Writer,
    /// The scene, enough to build it again.
    pub source: Source,
    /// The files it was made from.
    pub inputs: Vec<Input>,
    /// Digests of the steps so far.
    pub recording: Recording,
    /// State after the last of these steps.
    pub snapshot: Vec<u8>,
    /// Its hash.
    pub state: u64,
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
    /// A run under way, as this program leaves it.
    pub fn new(
        source: Source,
        inputs: Vec<Input>,
        recording: Recording,
        world: &World,
        notes: Vec<u8>,
    ) -> Self {
        let (snapshot, state) = (world.snapshot(), world.hash());
        Self { writer: Writer::here(), source, inputs, recording, snapshot, state, notes, final_hash: None }
    }

    /// Brings its state back into a world made from its scene.
    ///
    /// # Errors
    /// If it is not the state that was saved, or not the one its digests lead to. The world then stays as it was.
    pub fn restore(&self, world: &mut World) -> Result<(), SnapshotError> {
        let mut restored = world.clone();
        restored.restore_exact(&self.snapshot, self.state)?;
        let recorded = self.recording.steps();
        // A session in which somebody went back has no digest of every step.
        let fits = recorded == 0
            || recorded == restored.steps()
                && (self.recording.stride() > 1 || self.recording.digests.last() == Some(&restored.digest()));
        if !fits {
            return Err(SnapshotError::OtherState);
        }
        *world = restored;
        Ok(())
    }

    /// Which of the files it was made from are no longer as they were, in words; empty if all are.
    pub fn changed_inputs(&self) -> Vec<String> {
        inputs::changed(&self.inputs, &self.source.folder)
    }

    /// The file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes_seen_from(&self.source.folder.to_string_lossy())
    }

    /// The same, whose scene's folder is called `folder`.
    fn bytes_seen_from(&self, folder: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.snapshot.len() + 8 * self.recording.digests.len() + 4096);
        out.extend(MAGIC);
        out.extend(LAYOUT.to_le_bytes());
        let section = |out: &mut Vec<u8>, tag: &[u8; 4], bytes: &[u8]| {
            out.extend(tag);
            out.extend((bytes.len() as u64).to_le_bytes());
            out.extend(bytes);
            out.extend(of_bytes(bytes).to_le_bytes());
        };
        section(&mut out, b"prog", self.writer.to_text().as_bytes());
        section(&mut out, b"name", self.source.name.as_bytes());
        section(&mut out, b"scen", self.source.text.as_bytes());
        section(&mut out, b"fold", folder.as_bytes());
        for setting in &self.source.settings {
            section(&mut out, b"set ", setting.as_bytes());
        }
        for input in &self.inputs {
            let mut bytes = vec![u8::from(input.hash.is_some())];
            bytes.extend(input.hash.unwrap_or(0).to_le_bytes());
            bytes.extend(input.path.as_bytes());
            section(&mut out, b"file", &bytes);
        }
        let Recording { digests, .. } = &self.recording;
        let words = [self.recording.steps(), u64::from(self.recording.halvings())];
        let digests: Vec<u8> = words.iter().chain(digests).flat_map(|d| d.to_le_bytes()).collect();
        section(&mut out, b"digs", &digests);
        section(&mut out, b"snap", &self.snapshot);
        section(&mut out, b"stat", &self.state.to_le_bytes());
        section(&mut out, b"note", &self.notes);
        if let Some(hash) = self.final_hash {
            section(&mut out, b"hash", &hash.to_le_bytes());
        }
        let all = of_bytes(&out);
        section(&mut out, b"end ", &all.to_le_bytes());
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
        let layout = u32::from_le_bytes(take(4)?.try_into().expect("four bytes"));
        if layout != LAYOUT {
            return Err(format!(
                "another version of trample wrote it: layout {layout}, this {} reads layout {LAYOUT}; run the scene anew",
                Writer::here().program
            ));
        }
        let mut file = Self {
            writer: Writer::here(),
            source: Source {
                name: String::new(),
                text: String::new(),
                settings: Vec::new(),
                folder: PathBuf::new(),
            },
            inputs: Vec::new(),
            recording: Recording::default(),
            snapshot: Vec::new(),
            state: 0,
            notes: Vec::new(),
            final_hash: None,
        };
        let (mut seen, mut before): (Vec<[u8; 4]>, usize) = (Vec::new(), MAGIC.len() + 4);
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
            if !MANY.contains(&&tag) {
                if seen.contains(&tag) {
                    return Err(format!("section `{label}` is there twice"));
                }
                seen.push(tag);
            }
            let length_is_wrong = || format!("section `{label}` has a wrong length");
            let text =
                || String::from_utf8(body.to_vec()).map_err(|_| format!("section `{label}` is not text"));
            let word = || body.try_into().map(u64::from_le_bytes).map_err(|_| length_is_wrong());
            match &tag {
                b"prog" => {
                    let writer = Writer::from_text(&text()?);
                    file.writer = writer.ok_or("section `prog` does not say who wrote it")?;
                    if file.writer.state != VERSION {
                        return Err(format!(
                            "{} wrote it, whose state has version {}; this {} reads version {VERSION}: run the scene anew",
                            file.writer.program,
                            file.writer.state,
                            Writer::here().program
                        ));
                    }
                }
                b"name" => file.source.name = text()?,
                b"scen" => file.source.text = text()?,
                b"fold" => file.source.folder = PathBuf::from(text()?),
                b"set " => file.source.settings.push(text()?),
                b"file" => {
                    let (is_there, rest) = body.split_first().ok_or_else(length_is_wrong)?;
                    let (hash, path) = rest.split_first_chunk().ok_or_else(length_is_wrong)?;
                    let path = String::from_utf8(path.to_vec());
                    let path = path.map_err(|_| "section `file` is not text")?;
                    let hash = (*is_there == 1).then_some(u64::from_le_bytes(*hash));
                    file.inputs.push(Input { path, hash });
                }
                b"digs" => {
                    let ([], words) = body.as_rchunks::<8>() else { return Err(length_is_wrong()) };
                    let words = || words.iter().map(|word| u64::from_le_bytes(*word));
                    let halvings = words().nth(1).and_then(|n| u32::try_from(n).ok());
                    let recording = words().next().zip(halvings).and_then(|(steps, halvings)| {
                        Recording::from_parts(words().skip(2).collect(), steps, halvings)
                    });
                    file.recording = recording.ok_or_else(length_is_wrong)?;
                }
                b"snap" => file.snapshot = body.to_vec(),
                b"stat" => file.state = word()?,
                b"note" => file.notes = body.to_vec(),
                b"hash" => file.final_hash = Some(word()?),
                b"end " => {
                    if word()? != of_bytes(&bytes[..before]) {
                        return Err("damaged: its sections do not belong together".into());
                    }
                    break;
                }
                _ => return Err(format!("unknown section `{label}`")),
            }
            before += 20 + length;
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
        self.save_for(path, memory::folder_of(path))
    }

    /// The same for a file that will be moved into the folder `home`.
    pub fn save_for(&self, path: &Path, home: &Path) -> Result<(), RunFileError> {
        let home = if memory::is_memory(path) { path } else { home };
        let seen = inputs::seen_from(home, &self.source.folder, &self.inputs);
        crate::atomic::write(path, &self.bytes_seen_from(&seen))
            .map_err(|e| RunFileError::Io(path.display().to_string(), e))
    }

    /// Reads the file at `path`. The files of its scene are looked for where they are as seen from it, else beside it.
    pub fn load(path: &Path) -> Result<Self, RunFileError> {
        let name = path.display().to_string();
        let io = |e| RunFileError::Io(name.clone(), e);
        let mut file = memory::open(path).map_err(io)?;
        // The first bytes are looked at alone: a wrong file may be huge.
        let mut bytes = Vec::new();
        file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(io)?;
        if bytes == MAGIC {
            file.read_to_end(&mut bytes).map_err(io)?;
        }
        let mut run = Self::from_bytes(&bytes).map_err(|problem| RunFileError::Damaged(name, problem))?;
        let folder = inputs::found_from(path, &run.source.folder, &run.inputs);
        run.source.folder = folder;
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    fn sample() -> RunFile {
        let scene = library::by_name("plate").expect("scene");
        let mut world = World::new(&scene).expect("world");
        let mut recording = Recording::default();
        for _ in 0..20 {
            world.step(scene.dt());
            recording.push(world.digest());
        }
        let mut source = Source::of_scene(&scene).expect("written");
        source.settings = vec!["mass=60".into(), "cell=0.02".into()];
        let inputs = vec![
            Input { path: "dem.asc".into(), hash: Some(3) },
            Input { path: "dem.prj".into(), hash: None },
        ];
        let run = RunFile::new(source, inputs, recording, &world, b"{}".to_vec());
        RunFile { final_hash: Some(7), ..run }
    }

    #[test]
    fn a_run_file_comes_back_as_it_was() {
        let file = sample();
        assert_eq!(RunFile::from_bytes(&file.to_bytes()).expect("reads"), file);
    }

    #[test]
    fn a_run_of_another_version_is_told_so() {
        let mut bytes = sample().to_bytes();
        bytes[8] = 11;
        let told = RunFile::from_bytes(&bytes).expect_err("an old file");
        assert!(told.contains("layout 11") && told.contains("run the scene anew"), "{told}");
        let mut file = sample();
        file.writer = Writer { program: "trample 9.9".into(), state: VERSION + 1, physics: 1 };
        let told = RunFile::from_bytes(&file.to_bytes()).expect_err("another state");
        assert!(told.contains("trample 9.9 wrote it") && told.contains("run the scene anew"), "{told}");
        file.writer.state = VERSION;
        let read = RunFile::from_bytes(&file.to_bytes()).expect("the same state, other physics");
        let told = read.writer.other_physics().expect("other physics");
        assert!(told.contains("trample 9.9") && told.contains("physics 0000000000000001"), "{told}");
        assert_eq!(sample().writer.other_physics(), None);
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

    #[test]
    fn a_false_state_with_right_checksums_is_not_brought_back() {
        let file = sample();
        let world = World::new(&library::by_name("plate").expect("scene")).expect("world");
        file.restore(&mut world.clone()).expect("the true one");
        for i in 0..600 {
            let mut forged = file.clone();
            let at = i * 7919 % forged.snapshot.len();
            forged.snapshot[at] ^= 1 << (i % 8);
            // −0 in place of 0 is the same state.
            let mut other = world.clone();
            let taken = forged.restore(&mut other).is_ok();
            assert!(!taken || other.hash() == file.state, "byte {at}");
        }
        // A true state of another moment.
        let mut later = file.clone();
        later.recording.push(1);
        assert_eq!(later.restore(&mut world.clone()), Err(SnapshotError::OtherState));
    }

    #[test]
    fn a_folder_is_seen_from_a_run_file_and_found_again() {
        let whole = tempfile::tempdir().expect("a folder");
        let [out, own] = ["out/run", "own"].map(|name| whole.path().join(name));
        [&out, &own].iter().for_each(|folder| std::fs::create_dir_all(folder).expect("made"));
        assert_eq!(inputs::way(&out, &own), "../../own");
        assert_eq!(inputs::way(whole.path(), whole.path()), "");
        assert_eq!(inputs::plain(Path::new("./a/./b")), Path::new("a/b"));
    }
}
