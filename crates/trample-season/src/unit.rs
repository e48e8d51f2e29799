//! Units of work: a season in parts that are functions of (scene, day, tile), with results in a store on disk.
//!
//! A plan divides the terrain into tiles of whole blocks and the season into days. A unit simulates one tile for one day: it reads the
//! previous evening of its own tile and of its neighbours, and the wear of all tiles, which people see. All effects of
//! a day reach less than a block, so that a unit computes its tile with a border of one block and keeps its own part.
//! Results are written completely, the receipt last; a unit with a receipt that names this plan is finished.

use crate::day::Rules;
use crate::ground::{Ground, Key, SIDE, Tile};
use crate::season::{wear_of, wear_sums};
use crate::store::{fingerprint, tiles_from_bytes, tiles_to_bytes};
use crate::ways::Wear;
use crate::{DayRow, Part, Run, SeasonError, season_of};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trample::internal::{Hasher, VERSION, of_bytes, physics};
use trample::scene::Scene;
use trample_files::inputs::{self, Input};
use trample_files::{Source, atomic, memory};

/// A season in units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What messages call the scene.
    pub name: String,
    /// The scene as TOML.
    pub text: String,
    /// Settings over it.
    pub settings: Vec<String>,
    /// Where files named in it are looked for; in a file, as seen from it.
    pub folder: String,
    /// Where that was when the plan was written, if the scene is made from files: looked at where they are not found otherwise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// The files that the scene is made from, with their hashes.
    pub inputs: Vec<(String, Option<u64>)>,
    /// Days.
    pub days: i64,
    /// Tiles along x and z.
    pub tiles: [i32; 2],
    /// Folder of the results; in a file, as seen from it.
    pub store: PathBuf,
    /// How many units there are; unit `day × tiles + tile` takes a tile through a day.
    pub units: u64,
    /// Sum of all that the results depend on: scene, settings, inputs, tiles and what this version computes.
    pub sum: u64,
}

/// What a unit has done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Sum of the plan.
    #[serde(default)]
    pub plan: u64,
    /// Which unit.
    pub index: u64,
    /// Its day.
    pub day: i64,
    /// Its tile, column and row.
    pub tile: [i32; 2],
    /// The whole day's tallies; footfalls are everybody's, volumes the tile's own.
    pub row: DayRow,
    /// The footfalls that are the tile's own.
    #[serde(default)]
    pub footfalls: u64,
    /// Sum of its data.
    pub sum: u64,
    /// Sum of the wear that it tells all others.
    pub wear_sum: u64,
}

/// How far around its tile a unit works, in ground tiles: more than anything reaches in a day.
const AROUND: i32 = 8;
/// Days after which data is no longer needed by anybody.
const KEPT: i64 = 3;
/// Most bytes of a plan or receipt, and of a tile's data: 64 MiB and 64 GiB, our choice.
const TEXT: u64 = 64 << 20;
const DATA: u64 = 64 << 30;

impl Plan {
    /// A plan for a scene.
    ///
    /// # Errors
    /// If the scene is no season.
    pub fn new(source: &Source, scene: &Scene, tiles: [i32; 2], store: PathBuf) -> Result<Self, SeasonError> {
        let days = i64::from(season_of(scene)?.calendar.days);
        let units = (days as u64) * (tiles[0] * tiles[1]) as u64;
        let built = source.build().map_err(|e| SeasonError::Files(e.to_string()))?;
        let made_from: Vec<_> = source.inputs(&built).into_iter().map(|i| (i.path, i.hash)).collect();
        let from = match made_from.is_empty() {
            true => String::new(),
            false => whole(&source.folder).display().to_string(),
        };
        let mut plan = Self {
            name: source.name.clone(),
            text: source.text.clone(),
            settings: source.settings.clone(),
            folder: source.folder.display().to_string(),
            from,
            inputs: made_from,
            days,
            tiles,
            store,
            units,
            sum: 0,
        };
        plan.sum = plan.summed();
        Ok(plan)
    }

    /// Sum of what the results depend on. Where things lie is no part of it.
    fn summed(&self) -> u64 {
        let mut hasher = Hasher::default();
        hasher.bytes(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.word(u64::from(VERSION));
        hasher.word(physics());
        hasher.bytes(self.text.as_bytes());
        self.settings.iter().for_each(|setting| hasher.bytes(setting.as_bytes()));
        hasher.word(self.settings.len() as u64);
        for (path, hash) in &self.inputs {
            hasher.bytes(path.as_bytes());
            hasher.word(hash.unwrap_or(0));
        }
        for n in [self.days as u64, self.tiles[0] as u64, self.tiles[1] as u64, self.units] {
            hasher.word(n);
        }
        hasher.finish()
    }

    /// Reads a plan that is in the folder `home`.
    ///
    /// # Errors
    /// If it is none, or was changed by hand or written by another version.
    pub fn from_text(text: &[u8], home: &Path) -> Result<Self, SeasonError> {
        let fail = |problem: String| SeasonError::Files(format!("not a plan: {problem}"));
        let mut plan: Self = serde_json::from_slice(text).map_err(|e| fail(e.to_string()))?;
        let per_day = plan.tiles.iter().all(|n| (1..=1000).contains(n)).then(|| plan.per_day());
        let units =
            u64::try_from(plan.days).ok().zip(per_day).map(|(days, per_day)| days.checked_mul(per_day));
        if plan.days < 1 || units != Some(Some(plan.units)) {
            return Err(fail("its days, tiles and units do not belong together".into()));
        }
        if plan.sum != plan.summed() {
            let problem = "its sum is not that of its content: it was changed, or another version of trample wrote it; write it anew";
            return Err(SeasonError::Files(problem.into()));
        }
        plan.store = home.join(&plan.store);
        let made_from = plan.inputs();
        let mut folder = inputs::found_from(&home.join("PLAN"), Path::new(&plan.folder), &made_from);
        if !inputs::all_in(&made_from, &folder) && inputs::all_in(&made_from, Path::new(&plan.from)) {
            folder = PathBuf::from(&plan.from);
        }
        plan.folder = folder.display().to_string();
        Ok(plan)
    }

    /// Reads the plan at `path`.
    ///
    /// # Errors
    /// As [`Plan::from_text`], and if it cannot be read.
    pub fn read(path: &Path) -> Result<Self, SeasonError> {
        let fail = |problem: String| SeasonError::Files(format!("{}: {problem}", path.display()));
        let text = memory::read(path, TEXT).map_err(|e| fail(e.to_string()))?;
        Self::from_text(&text, memory::folder_of(path)).map_err(|e| fail(e.to_string()))
    }

    /// Writes the plan to `path`; what it names it names as seen from there, so that it can be moved together with that.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), SeasonError> {
        let fail = |problem: String| SeasonError::Files(format!("{}: {problem}", path.display()));
        let home = memory::folder_of(path);
        if !home.as_os_str().is_empty() {
            std::fs::create_dir_all(home).map_err(|e| fail(e.to_string()))?;
        }
        let mut plan = self.clone();
        plan.folder = inputs::seen_from(home, Path::new(&self.folder), &self.inputs());
        if self.store.is_relative() {
            // Below the plan by its plain name, whatever links lead there.
            plan.store = match self.store.strip_prefix(home) {
                Ok(below) => below.to_path_buf(),
                Err(_) => inputs::way(home, &self.store).into(),
            };
        }
        let text = serde_json::to_string_pretty(&plan).map_err(|e| fail(e.to_string()))? + "\n";
        atomic::write(path, text.as_bytes()).map_err(|e| fail(e.to_string()))
    }

    /// The files that the scene is made from.
    pub fn inputs(&self) -> Vec<Input> {
        self.inputs.iter().cloned().map(|(path, hash)| Input { path, hash }).collect()
    }

    /// The scene, made from the files that it was planned with.
    ///
    /// # Errors
    /// If one of them has changed, or it cannot be built.
    pub fn scene(&self) -> Result<Scene, SeasonError> {
        let changed = inputs::changed(&self.inputs(), Path::new(&self.folder));
        if !changed.is_empty() {
            let problem = format!("{} since the plan was written; write it anew", changed.join(", "));
            return Err(SeasonError::Files(problem));
        }
        self.source().scene().map_err(|e| SeasonError::Files(e.to_string()))
    }

    /// The scene's source.
    pub fn source(&self) -> Source {
        Source {
            name: self.name.clone(),
            text: self.text.clone(),
            settings: self.settings.clone(),
            folder: self.folder.clone().into(),
        }
    }

    fn per_day(&self) -> u64 {
        (self.tiles[0] * self.tiles[1]) as u64
    }

    fn data(&self, day: i64, tile: u64) -> PathBuf {
        self.store.join(format!("day-{day:05}")).join(format!("tile-{tile:04}.bin"))
    }

    fn wear_file(&self, day: i64, tile: u64) -> PathBuf {
        self.data(day, tile).with_extension("wear")
    }

    fn receipt_file(&self, day: i64, tile: u64) -> PathBuf {
        self.data(day, tile).with_extension("json")
    }

    /// The receipt of a unit, if it is done; that of another plan is none.
    pub fn receipt(&self, index: u64) -> Option<Receipt> {
        let (day, tile) = ((index / self.per_day()) as i64, index % self.per_day());
        let bytes = memory::read(&self.receipt_file(day, tile), TEXT).ok()?;
        let receipt: Receipt = serde_json::from_slice(&bytes).ok()?;
        (receipt.plan == self.sum && receipt.index == index).then_some(receipt)
    }

    /// What is recorded before the season begins: by the first unit that needs it, into the store, for all others.
    ///
    /// # Errors
    /// If the scene is no season, or the store cannot be written.
    pub fn rules(&self, scene: &Scene) -> Result<Arc<Rules>, SeasonError> {
        let path = self.store.join("rules.bin");
        // Of this scene and version only: the sum of what they were made from comes first.
        let made_from = fingerprint(scene).to_le_bytes();
        let kept = memory::read(&path, DATA).ok().filter(|b| b.starts_with(&made_from));
        if let Some(rules) = kept.and_then(|b| Rules::from_bytes(&b[8..], scene)) {
            return Ok(Arc::new(rules));
        }
        let rules = crate::rules(scene)?;
        let fail = |e: std::io::Error| SeasonError::Files(format!("{}: {e}", path.display()));
        std::fs::create_dir_all(&self.store).map_err(fail)?;
        let bytes = [made_from.to_vec(), rules.to_bytes()].concat();
        atomic::write(&path, &bytes).map_err(fail)?;
        Ok(Arc::new(rules))
    }

    /// Ground tiles of a tile of the plan: first and last row and column, the last not included.
    fn part(&self, ground: &Ground, tile: u64) -> [Key; 2] {
        let (i, j) = ((tile as i32) % self.tiles[0], (tile as i32) / self.tiles[0]);
        let all = ground.size.map(|n| n / SIDE as i32 + 1);
        let cut = |k: usize, i: i32| (i64::from(all[k]) * i64::from(i) / i64::from(self.tiles[k])) as i32;
        // What slides beyond the edge of the map belongs to the last part.
        let low = |k: usize, i: i32| if i == 0 { i32::MIN / 4 } else { cut(k, i) };
        let high = |k: usize, i: i32| if i + 1 == self.tiles[k] { i32::MAX / 4 } else { cut(k, i + 1) };
        [(low(1, j), low(0, i)), (high(1, j), high(0, i))]
    }

    /// Runs a unit, or finds it done.
    ///
    /// # Errors
    /// If units that it needs are not done, or a file cannot be read or written.
    pub fn run(&self, index: u64, rules: Option<Arc<Rules>>) -> Result<Receipt, SeasonError> {
        if index >= self.units {
            return Err(SeasonError::Files(format!("--index is {index}, allowed: 0 to {}", self.units - 1)));
        }
        if let Some(done) = self.receipt(index) {
            return Ok(done);
        }
        let (day, tile) = ((index / self.per_day()) as i64, index % self.per_day());
        let scene = self.scene()?;
        let rules = rules.map_or_else(|| self.rules(&scene), Ok)?;
        let mut run = Run::with(&scene, rules)?;
        let wear = self.follow(&mut run, day)?;
        let [low, high] = self.part(&run.ground, tile);
        let around = |k: Key| {
            k.0 >= low.0 - AROUND && k.1 >= low.1 - AROUND && k.0 < high.0 + AROUND && k.1 < high.1 + AROUND
        };
        if day > 0 {
            for other in 0..self.per_day() {
                let [a, b] = self.part(&run.ground, other);
                let apart = a.0 >= high.0 + AROUND
                    || b.0 <= low.0 - AROUND
                    || a.1 >= high.1 + AROUND
                    || b.1 <= low.1 - AROUND;
                if !apart {
                    self.load(&mut run.ground, day - 1, other, &around)?;
                }
            }
        }
        let side = SIDE as f64 * run.ground.cell;
        let near = move |p: [f64; 2]| {
            let key = ((p[1] / side).floor() as i32, (p[0] / side).floor() as i32);
            around(key)
        };
        run.day = day;
        let inside = |k: Key| k.0 >= low.0 && k.1 >= low.1 && k.0 < high.0 && k.1 < high.1;
        let footfalls = run.pass_day_seeing(&wear, Some(&Part { near: &near, own: &inside }));
        self.keep(&run, index, footfalls, &inside)
    }

    /// Brings ways up to a day and returns the wear of its morning.
    fn follow(&self, run: &mut Run, day: i64) -> Result<Wear, SeasonError> {
        for earlier in 0..day {
            for tile in 0..self.per_day() {
                let index = earlier as u64 * self.per_day() + tile;
                if earlier + 1 == day && self.receipt(index).is_none() {
                    let problem = format!("unit {index} (day {earlier}, tile {tile}) must be done first");
                    return Err(SeasonError::Files(problem));
                }
            }
        }
        if run.season().trips.is_empty() {
            return Ok(Arc::default());
        }
        for d in 0..=day {
            let wear = self.wear(run, d)?;
            if d == day {
                return Ok(wear);
            }
            run.follow(d, &wear);
        }
        unreachable!("the last day returns")
    }

    /// The wear of a morning, from all tiles.
    fn wear(&self, run: &Run, day: i64) -> Result<Wear, SeasonError> {
        let grid = run.ways().grid();
        let mut sums = vec![0u64; grid.len()];
        for tile in 0..self.per_day() {
            if day == 0 {
                break;
            }
            let bytes = self.checked(&self.wear_file(day - 1, tile), day - 1, tile, |r| r.wear_sum)?;
            for row in bytes.chunks_exact(12) {
                let cell = u32::from_le_bytes(row[..4].try_into().expect("four bytes")) as usize;
                let sum = u64::from_le_bytes(row[4..].try_into().expect("eight bytes"));
                if let Some(s) = sums.get_mut(cell) {
                    *s += sum;
                }
            }
        }
        Ok(wear_of(&sums, grid, &run.ground))
    }

    /// A file of a unit, if it is what its receipt says.
    fn checked(
        &self,
        path: &Path,
        day: i64,
        tile: u64,
        sum: fn(&Receipt) -> u64,
    ) -> Result<Vec<u8>, SeasonError> {
        let fail = |problem: String| SeasonError::Files(format!("{}: {problem}", path.display()));
        let bytes = memory::read(path, DATA).map_err(|e| fail(e.to_string()))?;
        let index = day as u64 * self.per_day() + tile;
        match self.receipt(index) {
            Some(receipt) if sum(&receipt) == of_bytes(&bytes) => Ok(bytes),
            Some(_) => {
                let receipt = self.receipt_file(day, tile);
                Err(fail(format!(
                    "damaged: its sum is not that of its receipt; remove {} and run unit {index} again",
                    receipt.display()
                )))
            }
            None => Err(fail(format!("unit {index} (day {day}, tile {tile}) must be done first"))),
        }
    }

    fn load(
        &self,
        ground: &mut Ground,
        day: i64,
        tile: u64,
        wanted: &dyn Fn(Key) -> bool,
    ) -> Result<(), SeasonError> {
        let bytes = self.checked(&self.data(day, tile), day, tile, |r| r.sum)?;
        let mut part = ground.untouched();
        if !tiles_from_bytes(&mut part, &bytes) {
            let path = self.data(day, tile);
            return Err(SeasonError::Files(format!("{}: not of this scene", path.display())));
        }
        for (key, tile) in part.sorted() {
            if wanted(key) && ground.slot(key).is_none() {
                ground.put(key, tile.clone());
            }
        }
        Ok(())
    }

    fn keep(
        &self,
        run: &Run,
        index: u64,
        footfalls: u64,
        inside: &dyn Fn(Key) -> bool,
    ) -> Result<Receipt, SeasonError> {
        let (day, tile) = ((index / self.per_day()) as i64, index % self.per_day());
        let path = self.data(day, tile);
        let fail = |path: &Path, e: std::io::Error| SeasonError::Files(format!("{}: {e}", path.display()));
        let folder = path.parent().expect("it has a folder").to_path_buf();
        std::fs::create_dir_all(&folder).map_err(|e| fail(&folder, e))?;
        let own: Vec<(Key, &Tile)> = run.ground.sorted().into_iter().filter(|(k, _)| inside(*k)).collect();
        let bytes = tiles_to_bytes(&own);
        atomic::write(&path, &bytes).map_err(|e| fail(&path, e))?;
        let mut wear = Vec::new();
        if !run.season().trips.is_empty() {
            let keys: std::collections::BTreeSet<Key> = own.iter().map(|(k, _)| *k).collect();
            let sums = wear_sums(&run.ground, run.ways().grid(), |k| keys.contains(&k));
            for (cell, sum) in sums.iter().enumerate().filter(|(_, s)| **s > 0) {
                wear.extend((cell as u32).to_le_bytes());
                wear.extend(sum.to_le_bytes());
            }
        }
        let wear_file = self.wear_file(day, tile);
        atomic::write(&wear_file, &wear).map_err(|e| fail(&wear_file, e))?;
        let (i, j) = ((tile as i32) % self.tiles[0], (tile as i32) / self.tiles[0]);
        let row = run.rows.last().cloned().unwrap_or_default();
        let (sum, wear_sum) = (of_bytes(&bytes), of_bytes(&wear));
        let receipt = Receipt { plan: self.sum, index, day, tile: [i, j], row, footfalls, sum, wear_sum };
        let text = serde_json::to_vec_pretty(&receipt).map_err(|e| SeasonError::Files(e.to_string()))?;
        let receipt_file = self.receipt_file(day, tile);
        atomic::write(&receipt_file, &text).map_err(|e| fail(&receipt_file, e))?;
        // Days that nobody needs any more give their place back; their receipts stay.
        if day >= KEPT {
            let _ = std::fs::remove_file(self.data(day - KEPT, tile));
        }
        Ok(receipt)
    }

    /// Puts the last evening of all tiles together.
    ///
    /// # Errors
    /// If units are not done, or a file cannot be read.
    pub fn join(&self) -> Result<Run, SeasonError> {
        let missing: Vec<u64> = (0..self.units).filter(|&i| self.receipt(i).is_none()).collect();
        if let Some(first) = missing.first() {
            return Err(SeasonError::Files(format!(
                "{} of {} units are not done; the first is {first}",
                missing.len(),
                self.units
            )));
        }
        let scene = self.scene()?;
        let mut run = Run::with(&scene, self.rules(&scene)?)?;
        for tile in 0..self.per_day() {
            self.load(&mut run.ground, self.days - 1, tile, &|_| true)?;
            // Nobody sees the wear of the last evening; that it is whole is part of the season being whole.
            self.checked(&self.wear_file(self.days - 1, tile), self.days - 1, tile, |r| r.wear_sum)?;
        }
        for day in 0..self.days {
            let receipts =
                (0..self.per_day()).filter_map(|tile| self.receipt(day as u64 * self.per_day() + tile));
            let mut rows = receipts.map(|r| r.row);
            if let Some(mut row) = rows.next() {
                for other in rows {
                    row.carved += other.carved;
                    row.displaced += other.displaced;
                    row.washed += other.washed;
                }
                run.rows.push(row);
            }
            if !run.season().trips.is_empty() {
                let wear = self.wear(&run, day)?;
                run.follow(day, &wear);
            }
        }
        run.day = self.days;
        run.solve();
        Ok(run)
    }
}

/// A whole path.
fn whole(folder: &Path) -> PathBuf {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(here).unwrap_or_else(|_| here.to_path_buf())
}
