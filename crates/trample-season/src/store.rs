//! Runs on disk: the state of a season in one file, written completely or not at all.

use crate::ground::{Ground, Key, Tile};
use crate::{DayRow, Run, SeasonError};
use serde::{Deserialize, Serialize};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use trample::internal::{Hasher, of_bytes};
use trample::scene::Scene;
use trample_files::inputs::{self, Input};
use trample_files::memory::{self, Opened};
use trample_files::{Source, atomic};

/// First bytes of a state file; the last one is its version.
const MARK: &[u8; 8] = b"TRSEAS03";

/// What a state belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// What messages call the scene.
    pub name: String,
    /// The scene as TOML.
    pub text: String,
    /// Settings over it.
    pub settings: Vec<String>,
    /// Where files named in it are looked for: as seen from the state file, if it is made from any.
    pub folder: String,
    /// The files it was made from, with their hashes.
    pub inputs: Vec<(String, Option<u64>)>,
    /// Days done.
    pub day: i64,
    /// What they were like.
    pub rows: Vec<DayRow>,
}

impl Head {
    /// The scene's source.
    pub fn source(&self) -> Source {
        Source {
            name: self.name.clone(),
            text: self.text.clone(),
            settings: self.settings.clone(),
            folder: self.folder.clone().into(),
        }
    }

    /// The files it was made from.
    pub fn inputs(&self) -> Vec<Input> {
        self.inputs.iter().cloned().map(|(path, hash)| Input { path, hash }).collect()
    }

    /// Of a source at a day.
    fn of(home: &Path, source: &Source, made_from: &[Input], run: &Run) -> Self {
        Self {
            name: source.name.clone(),
            text: source.text.clone(),
            settings: source.settings.clone(),
            folder: inputs::seen_from(home, &source.folder, made_from),
            inputs: made_from.iter().map(|i| (i.path.clone(), i.hash)).collect(),
            day: run.day,
            rows: run.rows.clone(),
        }
    }
}

/// Bytes of a tile with its key.
const RECORD: usize = 8 + Tile::BYTES;

/// A tile as bytes: key, state.
fn tile_to_bytes(key: Key, tile: &Tile, out: &mut Vec<u8>) {
    out.extend(key.0.to_le_bytes());
    out.extend(key.1.to_le_bytes());
    tile.state(out);
}

/// Puts a tile back into a ground; false if it is damaged or there already.
fn tile_from_bytes(ground: &mut Ground, record: &[u8]) -> bool {
    let number = |at: usize| i32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"));
    let key = (number(0), number(4));
    let mut tile = ground.fresh(key);
    if !tile.restore(&record[8..]) || ground.slot(key).is_some() {
        return false;
    }
    ground.put(key, tile);
    true
}

/// Tiles as bytes: their number, then each.
pub fn tiles_to_bytes(tiles: &[(Key, &Tile)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + tiles.len() * RECORD);
    out.extend((tiles.len() as u64).to_le_bytes());
    tiles.iter().for_each(|(key, tile)| tile_to_bytes(*key, tile, &mut out));
    out
}

/// Puts tiles back into a ground; false if the bytes are damaged.
pub fn tiles_from_bytes(ground: &mut Ground, bytes: &[u8]) -> bool {
    let Some((count, rest)) = bytes.split_at_checked(8) else { return false };
    let count = u64::from_le_bytes(count.try_into().expect("eight bytes"));
    rest.len() as u64 == count.saturating_mul(RECORD as u64)
        && rest.chunks_exact(RECORD).all(|record| tile_from_bytes(ground, record))
}

/// Writes the state of a run whose scene is made from no files.
///
/// # Errors
/// If the file cannot be written.
pub fn save(path: &Path, source: &Source, run: &Run) -> Result<(), SeasonError> {
    save_for(path, memory::folder_of(path), source, &[], run)
}

/// Writes the state of a run into a file that will be in the folder `home`, tile by tile: a year of thirty kilometres is a gigabyte, which is
/// not held twice.
///
/// # Errors
/// If the file cannot be written.
pub fn save_for(
    path: &Path,
    home: &Path,
    source: &Source,
    made_from: &[Input],
    run: &Run,
) -> Result<(), SeasonError> {
    let head = Head::of(home, source, made_from, run);
    let head = serde_json::to_vec(&head).map_err(|e| SeasonError::Files(e.to_string()))?;
    let mut ways = Vec::new();
    run.save_ways(&mut ways);
    let write = |out: &mut dyn Write| -> io::Result<()> {
        out.write_all(MARK)?;
        for part in [&head, &ways] {
            out.write_all(&(part.len() as u64).to_le_bytes())?;
            out.write_all(part)?;
            out.write_all(&of_bytes(part).to_le_bytes())?;
        }
        let tiles = run.ground.sorted();
        out.write_all(&(tiles.len() as u64).to_le_bytes())?;
        let (mut hasher, mut record) = (Hasher::default(), Vec::with_capacity(RECORD));
        for (key, tile) in tiles {
            record.clear();
            tile_to_bytes(key, tile, &mut record);
            hasher.bytes(&record);
            out.write_all(&record)?;
        }
        out.write_all(&hasher.finish().to_le_bytes())
    };
    atomic::write_with(path, write).map_err(|e| SeasonError::Files(format!("{}: {e}", path.display())))
}

/// A state file being read.
struct Reading<'a> {
    path: &'a Path,
    file: BufReader<Opened>,
    /// Bytes that have not been read yet.
    left: u64,
}

impl<'a> Reading<'a> {
    fn open(path: &'a Path) -> Result<Self, SeasonError> {
        let opened = memory::open(path).and_then(|file| Ok((file.len()?, file)));
        let (left, file) = opened.map_err(|e| SeasonError::Files(format!("{}: {e}", path.display())))?;
        let mut reading = Self { path, file: BufReader::new(file), left };
        if left < 8 || reading.bytes(8)? != MARK {
            return Err(reading.fail("not the state of a season of this version"));
        }
        Ok(reading)
    }

    fn fail(&self, problem: &str) -> SeasonError {
        SeasonError::Files(format!("{}: {problem}", self.path.display()))
    }

    fn bytes(&mut self, n: u64) -> Result<Vec<u8>, SeasonError> {
        if n > self.left {
            return Err(self.fail("damaged: cut short"));
        }
        let mut bytes = vec![0; n as usize];
        self.file.read_exact(&mut bytes).map_err(|e| self.fail(&e.to_string()))?;
        self.left -= n;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u64, SeasonError> {
        Ok(u64::from_le_bytes(self.bytes(8)?.try_into().expect("eight bytes")))
    }

    /// A number that must be this one.
    fn sum(&mut self, sum: u64) -> Result<(), SeasonError> {
        if self.number()? == sum { Ok(()) } else { Err(self.fail("damaged: its sum does not match")) }
    }

    /// The next part, checked.
    fn part(&mut self) -> Result<Vec<u8>, SeasonError> {
        let n = self.number()?;
        let part = self.bytes(n)?;
        self.sum(of_bytes(&part))?;
        Ok(part)
    }

    fn head(&mut self) -> Result<Head, SeasonError> {
        let head = self.part()?;
        let mut head: Head = serde_json::from_slice(&head).map_err(|e| self.fail(&e.to_string()))?;
        let folder = inputs::found_from(self.path, Path::new(&head.folder), &head.inputs());
        head.folder = folder.to_string_lossy().into_owned();
        Ok(head)
    }
}

/// What a state file belongs to.
///
/// # Errors
/// If it cannot be read.
pub fn head(path: &Path) -> Result<Head, SeasonError> {
    Reading::open(path)?.head()
}

/// Takes a run to where a state file ends. Ways are to be solved again: by the next day, or by [`Run::solve`].
///
/// # Errors
/// If it cannot be read or belongs to another scene.
pub fn resume(path: &Path, run: &mut Run) -> Result<(), SeasonError> {
    let mut file = Reading::open(path)?;
    let (head, ways, count) = (file.head()?, file.part()?, file.number()?);
    let mut hasher = Hasher::default();
    for _ in 0..count {
        let record = file.bytes(RECORD as u64)?;
        hasher.bytes(&record);
        if !tile_from_bytes(&mut run.ground, &record) {
            return Err(file.fail("damaged: its tiles cannot be read"));
        }
    }
    file.sum(hasher.finish())?;
    if file.left > 0 || !run.restore_ways(&ways) {
        return Err(file.fail("damaged, or of another scene"));
    }
    (run.day, run.rows) = (head.day, head.rows);
    Ok(())
}

/// 64 bits of a scene and of the version that reads it: what recorded rules must belong to.
pub fn fingerprint(scene: &Scene) -> u64 {
    let mut hasher = Hasher::default();
    hasher.bytes(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.bytes(format!("{scene:?}").as_bytes());
    hasher.finish()
}
