//! Runs on disk: the state of a season in one file, whole or not at all.

use crate::ground::{Ground, Key, Tile};
use crate::{DayRow, Run, SeasonError};
use serde::{Deserialize, Serialize};
use std::path::Path;
use trample::internal::{Hasher, of_bytes};
use trample::scene::Scene;
use trample_files::{Source, atomic};

/// First bytes of a state file; the last one is its version.
const MARK: &[u8; 8] = b"TRSEAS01";

/// What a state belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// What messages call the scene.
    pub name: String,
    /// The scene as TOML.
    pub text: String,
    /// Settings over it.
    pub settings: Vec<String>,
    /// Where files named in it are looked for.
    pub folder: String,
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

    /// Of a source at a day.
    pub fn of(source: &Source, run: &Run) -> Self {
        Self {
            name: source.name.clone(),
            text: source.text.clone(),
            settings: source.settings.clone(),
            folder: source.folder.display().to_string(),
            day: run.day,
            rows: run.rows.clone(),
        }
    }
}

/// Tiles as bytes: key, state.
pub fn tiles_to_bytes(tiles: &[(Key, &Tile)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + tiles.len() * (8 + Tile::BYTES));
    out.extend((tiles.len() as u64).to_le_bytes());
    for (key, tile) in tiles {
        out.extend(key.0.to_le_bytes());
        out.extend(key.1.to_le_bytes());
        tile.state(&mut out);
    }
    out
}

/// Puts tiles back into a ground; false if the bytes are damaged.
pub fn tiles_from_bytes(ground: &mut Ground, bytes: &[u8]) -> bool {
    let Some((count, mut rest)) = bytes.split_at_checked(8) else { return false };
    let count = u64::from_le_bytes(count.try_into().expect("eight bytes"));
    if rest.len() as u64 != count.saturating_mul((8 + Tile::BYTES) as u64) {
        return false;
    }
    for _ in 0..count {
        let (head, tail) = rest.split_at(8 + Tile::BYTES);
        let number = |at: usize| i32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let key = (number(0), number(4));
        let mut tile = ground.fresh(key);
        if !tile.restore(&head[8..]) || ground.slot(key).is_some() {
            return false;
        }
        ground.put(key, tile);
        rest = tail;
    }
    true
}

/// Writes the state of a run.
///
/// # Errors
/// If the file cannot be written.
pub fn save(path: &Path, source: &Source, run: &Run) -> Result<(), SeasonError> {
    let head = serde_json::to_vec(&Head::of(source, run)).map_err(|e| SeasonError::Files(e.to_string()))?;
    let mut ways = Vec::new();
    run.save_ways(&mut ways);
    let tiles = tiles_to_bytes(&run.ground.sorted());
    let mut out = MARK.to_vec();
    for part in [&head, &ways, &tiles] {
        out.extend((part.len() as u64).to_le_bytes());
        out.extend(part);
    }
    out.extend(of_bytes(&out).to_le_bytes());
    atomic::write(path, &out).map_err(|e| SeasonError::Files(format!("{}: {e}", path.display())))
}

/// The parts of a state file: head, ways, tiles.
fn parts(path: &Path) -> Result<(Head, Vec<u8>, Vec<u8>), SeasonError> {
    let fail = |problem: &str| SeasonError::Files(format!("{}: {problem}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| fail(&e.to_string()))?;
    if bytes.len() < 16 || &bytes[..8] != MARK {
        return Err(fail("not the state of a season of this version"));
    }
    let (all, sum) = bytes.split_at(bytes.len() - 8);
    if of_bytes(all).to_le_bytes() != sum {
        return Err(fail("damaged: its sum does not match"));
    }
    let mut rest = &all[8..];
    let mut part = || -> Option<Vec<u8>> {
        let (n, tail) = rest.split_at_checked(8)?;
        let (part, tail) = tail.split_at_checked(u64::from_le_bytes(n.try_into().ok()?) as usize)?;
        rest = tail;
        Some(part.to_vec())
    };
    let (Some(head), Some(ways), Some(tiles)) = (part(), part(), part()) else {
        return Err(fail("cut short"));
    };
    let head = serde_json::from_slice(&head).map_err(|e| fail(&e.to_string()))?;
    Ok((head, ways, tiles))
}

/// What a state file belongs to.
///
/// # Errors
/// If it cannot be read.
pub fn head(path: &Path) -> Result<Head, SeasonError> {
    parts(path).map(|p| p.0)
}

/// Takes a run to where a state file ends.
///
/// # Errors
/// If it cannot be read or belongs to another scene.
pub fn resume(path: &Path, run: &mut Run) -> Result<(), SeasonError> {
    let (head, ways, tiles) = parts(path)?;
    let fail = || SeasonError::Files(format!("{}: damaged", path.display()));
    if !tiles_from_bytes(&mut run.ground, &tiles) || !run.restore_ways(&ways) {
        return Err(fail());
    }
    (run.day, run.rows) = (head.day, head.rows);
    Ok(())
}

/// 64 bits of a scene: what a state must belong to.
pub fn fingerprint(scene: &Scene) -> u64 {
    let mut hasher = Hasher::default();
    hasher.bytes(format!("{scene:?}").as_bytes());
    hasher.finish()
}
