//! An output folder: results are staged inside it, then swapped in whole, so that it never shows parts of two runs.
//!
//! `FOLDER/.running` belongs to the command that writes: `lock`, which it holds; `new`, where results are staged; `run.trample` or `state.season`, the
//! checkpoints of a run whose folder still shows an earlier one; `so-far`, pictures of the days that a season has walked. When all is there, `manifest.json` is written beside it: the hash of the result and every file with its
//! size and hash. Then
//! - a folder that holds nothing but ours is exchanged with the new one in one call, where the system has it (Linux);
//! - else `new` becomes `ready`, what the old manifest lists is removed and the new files are moved in, the manifest last. A command that was
//!   killed in between is finished by the next one; until then there is no manifest.

use crate::Failure;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use trample::internal::of_bytes;

/// Where a command works.
const RUNNING: &str = ".running";
/// What lists the files of a result.
const MANIFEST: &str = "manifest.json";
/// The run file, which is ours in any folder.
pub(crate) const RUN: &str = "run.trample";
/// The state of a season, which is ours in any folder.
pub(crate) const STATE: &str = "state.season";
/// Where maps of a run are exported to if nobody says.
pub(crate) const EXPORT: &str = "export";

/// An output folder that this process alone writes into.
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether this command made it.
    made: bool,
    /// Held until the end.
    _lock: File,
}

impl Folder {
    /// Makes the folder if need be, waits for nobody, and clears away what a killed command left.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let (running, made) = (path.join(RUNNING), !path.exists());
        if !made && !path.is_dir() {
            return Err(format!("{}: it is a file, and results go into a folder", path.display()).into());
        }
        let place = running.join("lock");
        let mut lock = loop {
            fs::create_dir_all(&running).map_err(told(&running))?;
            let options = File::options().read(true).write(true).create(true).truncate(false).open(&place);
            let mut lock = options.map_err(told(&place))?;
            match lock.try_lock() {
                // One that ended just now may have taken the file away.
                Ok(()) if place.exists() => break lock,
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut who = String::new();
                    let _ = lock.read_to_string(&mut who);
                    let problem = "another trample is writing into it; choose another --out or wait";
                    return Err(format!("{}: {problem} (process {})", path.display(), who.trim()).into());
                }
                // Some file systems on a network have no locks: then two runs at once are the user's to avoid.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => break lock,
                Err(TryLockError::Error(error)) => return Err(told(&place)(error)),
            }
        };
        // For whoever is refused; the lock alone counts.
        let _ = lock.set_len(0).and_then(|()| lock.write_all(std::process::id().to_string().as_bytes()));
        let folder = Self { path: path.to_path_buf(), made, _lock: lock };
        folder.recover()?;
        fs::create_dir_all(folder.stage()).map_err(told(&folder.stage()))?;
        Ok(folder)
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where results are staged.
    pub(crate) fn stage(&self) -> PathBuf {
        self.path.join(RUNNING).join("new")
    }

    /// Where a run (`RUN`) or a season (`STATE`) is to be gone on from: where one was interrupted, else where that of the folder ended.
    pub(crate) fn last(&self, name: &str) -> PathBuf {
        let interrupted = self.path.join(RUNNING).join(name);
        if interrupted.exists() { interrupted } else { self.path.join(name) }
    }

    /// Where checkpoints go: not over the state of a result that is still shown.
    pub(crate) fn checkpoint(&self, name: &str) -> PathBuf {
        let shown = self.path.join(MANIFEST).exists();
        if shown { self.path.join(RUNNING).join(name) } else { self.path.join(name) }
    }

    /// Where files are kept that are made on the way and are part of the result: they outlive a command that is killed. They are cleared away, or,
    /// for what goes on from the result that the folder shows, are what that has in `folders`.
    pub(crate) fn so_far(&self, goes_on_from: Option<&Path>, folders: &[&str]) -> Result<PathBuf, Failure> {
        let place = self.path.join(RUNNING).join("so-far");
        let shown = goes_on_from.is_some_and(|from| from.parent() == Some(self.path.as_path()))
            && self.path.join(MANIFEST).exists();
        if place.exists() && (shown || goes_on_from.is_none()) {
            fs::remove_dir_all(&place).map_err(told(&place))?;
        }
        let wanted = |file: &PathBuf| folders.iter().any(|folder| file.starts_with(folder));
        for file in listed(&self.path).into_iter().filter(wanted).filter(|_| shown) {
            let from = self.path.join(&file);
            if from.is_file() {
                same(&from, &place.join(&file))?;
            }
        }
        fs::create_dir_all(&place).map_err(told(&place))?;
        Ok(place)
    }

    /// Stages what was made on the way, where it stays until the result is shown.
    pub(crate) fn stage_so_far(&self) -> Result<(), Failure> {
        let (place, stage) = (self.path.join(RUNNING).join("so-far"), self.stage());
        for file in files_below(&place)? {
            same(&place.join(&file), &stage.join(&file))?;
        }
        Ok(())
    }

    /// Adds the staged files to the result that the folder shows, so that they go with it; they replace their like.
    pub(crate) fn add(self) -> Result<(), Failure> {
        let stage = self.stage();
        let mut whole = Some(manifest(&self.path)).filter(is_ours).unwrap_or_else(|| described(&Value::Null));
        let new = files_of(&stage)?;
        let mut files = whole["files"].as_array().cloned().unwrap_or_default();
        files.retain(|old| new.iter().all(|new| new["path"] != old["path"]));
        files.extend(new);
        whole["files"] = json!(files);
        write_manifest(&stage.join(MANIFEST), &whole)?;
        self.set_aside(&stage)?;
        for file in files_below(&stage)? {
            let to = self.path.join(&file);
            fs::rename(stage.join(&file), &to).map_err(told(&to))?;
        }
        Ok(())
    }

    /// Swaps the staged files in. `hash` is that of the result.
    pub(crate) fn commit(self, hash: &Value) -> Result<(), Failure> {
        let stage = self.stage();
        let mut manifest = described(hash);
        manifest["files"] = json!(files_of(&stage)?);
        write_manifest(&stage.join(MANIFEST), &manifest)?;
        self.set_aside(&stage)?;
        if self.exchange(&stage) {
            return Ok(());
        }
        fs::rename(&stage, self.path.join(RUNNING).join("ready")).map_err(told(&stage))?;
        self.finish()?;
        for interrupted in [RUN, STATE].map(|name| self.path.join(RUNNING).join(name)) {
            if interrupted.exists() {
                fs::remove_file(&interrupted).map_err(told(&interrupted))?;
            }
        }
        let so_far = self.path.join(RUNNING).join("so-far");
        if so_far.exists() { fs::remove_dir_all(&so_far).map_err(told(&so_far)) } else { Ok(()) }
    }

    /// Renames files of somebody else's whose names the new ones have, and says so.
    fn set_aside(&self, stage: &Path) -> Result<(), Failure> {
        let mut own = owned(&self.path);
        own.extend(is_ours(&manifest(&self.path)).then(|| MANIFEST.into()));
        for file in files_below(stage)? {
            let there = self.path.join(&file);
            let ours = is_state(&file) || own.contains(&file);
            if ours || !there.exists() {
                continue;
            }
            let kept = |n: u32| {
                let mut name = there.clone().into_os_string();
                name.push(format!(".kept{n}"));
                PathBuf::from(name)
            };
            let free = (1..).map(kept).find(|path| !path.exists()).expect("one of all numbers is free");
            fs::rename(&there, &free).map_err(told(&there))?;
            eprintln!(
                "{} already existed and was not written by trample: it was renamed to {}",
                there.display(),
                free.display()
            );
        }
        Ok(())
    }

    /// Exchanges the whole folder with the new one, if it holds nothing that is not ours and the system can.
    fn exchange(&self, stage: &Path) -> bool {
        let Some((parent, name)) = whole(&self.path) else { return false };
        let own: BTreeSet<PathBuf> =
            owned(&self.path).into_iter().chain([MANIFEST, RUN, STATE].map(PathBuf::from)).collect();
        let strange = |file: &PathBuf| !own.contains(file) && !file.starts_with(RUNNING);
        if files_below(&self.path).map_or(true, |all| all.iter().any(strange)) {
            return false;
        }
        let beside = parent.join(format!(".{name}{BESIDE}"));
        if fs::rename(stage, &beside).is_err() {
            return false;
        }
        if swap(&beside, &self.path).is_err() {
            // As if it had never been tried.
            let _ = fs::rename(&beside, stage);
            return false;
        }
        // What is beside it now is the old result; if it cannot be removed, the next command tries again.
        let _ = fs::remove_dir_all(&beside);
        true
    }

    /// Moves what is ready into place, over what the old manifest lists.
    fn finish(&self) -> Result<(), Failure> {
        let ready = self.path.join(RUNNING).join("ready");
        let old = owned(&self.path);
        let manifest = self.path.join(MANIFEST);
        if manifest.exists() {
            fs::remove_file(&manifest).map_err(told(&manifest))?;
        }
        let mut folders = BTreeSet::new();
        for file in old {
            let _ = fs::remove_file(self.path.join(&file));
            folders.extend(file.ancestors().skip(1).filter(|f| !f.as_os_str().is_empty()).map(PathBuf::from));
        }
        // Inner ones first; one that holds something else stays.
        for folder in folders.iter().rev() {
            let _ = fs::remove_dir(self.path.join(folder));
        }
        // A run that was interrupted does not lie beside the result of another.
        let kept = listed(&ready);
        for state in [RUN, STATE].map(PathBuf::from).into_iter().filter(|state| !kept.contains(state)) {
            let _ = fs::remove_file(self.path.join(state));
        }
        let mut new = files_below(&ready)?;
        new.sort_by_key(|file| file == Path::new(MANIFEST));
        for file in new {
            let to = self.path.join(&file);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).map_err(told(folder))?;
            }
            fs::rename(ready.join(&file), &to).map_err(told(&to))?;
        }
        fs::remove_dir_all(&ready).map_err(told(&ready))
    }

    /// Finishes or clears away what a killed command left.
    fn recover(&self) -> Result<(), Failure> {
        if let Some((parent, name)) = whole(&self.path) {
            let beside = parent.join(format!(".{name}{BESIDE}"));
            if beside.exists() {
                fs::remove_dir_all(&beside).map_err(told(&beside))?;
            }
        }
        if self.path.join(RUNNING).join("ready").exists() {
            self.finish()?;
        }
        let stage = self.stage();
        if stage.exists() {
            fs::remove_dir_all(&stage).map_err(told(&stage))?;
        }
        for folder in [self.path.clone(), self.path.join(RUNNING)] {
            for entry in fs::read_dir(&folder).map_err(told(&folder))?.flatten() {
                if is_orphan(&entry.file_name().to_string_lossy()) {
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    /// Leaves no more than the checkpoint of a run that did not end, and no empty folder where there was none.
    fn drop(&mut self) {
        let running = self.path.join(RUNNING);
        let _ = fs::remove_dir_all(self.stage());
        let _ = fs::remove_dir(running.join("so-far"));
        let _ = fs::remove_file(running.join("lock"));
        let _ = fs::remove_dir(running);
        if self.made {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Ends the name of a new folder that is about to be exchanged with the old one beside it.
const BESIDE: &str = ".trample-new";

/// The folder that a folder is in, and its name; none for one that has none, such as `/`.
fn whole(path: &Path) -> Option<(PathBuf, String)> {
    let path = fs::canonicalize(path).ok()?;
    Some((path.parent()?.to_path_buf(), path.file_name()?.to_str()?.to_string()))
}

/// Exchanges two folders in one step.
#[cfg(target_os = "linux")]
fn swap(a: &Path, b: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn swap(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// The files of the result that a folder shows, and those that `trample export` made of it in there: they would be another run's beside a
/// new one.
fn owned(folder: &Path) -> Vec<PathBuf> {
    let (inner, mut all) = (Path::new(EXPORT), listed(folder));
    let exported = listed(&folder.join(EXPORT));
    if !exported.is_empty() {
        // The list goes last: a command that is killed in between leaves it for the next one.
        all.extend(exported.iter().map(|file| inner.join(file)).chain([inner.join(MANIFEST)]));
    }
    all
}

/// The manifest of a folder; null where there is none.
fn manifest(folder: &Path) -> Value {
    let bytes = trample_files::memory::read(&folder.join(MANIFEST), LARGEST).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Most bytes of a manifest: some hundred thousand files.
const LARGEST: u64 = 64 << 20;

/// A manifest without files of a result with this hash.
fn described(hash: &Value) -> Value {
    json!({ "program": concat!("trample ", env!("CARGO_PKG_VERSION")), "hash": hash, "files": [] })
}

fn write_manifest(place: &Path, manifest: &Value) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    trample_files::atomic::write(place, text.as_bytes()).map_err(told(place))
}

/// What a manifest says of every file below a folder.
fn files_of(folder: &Path) -> Result<Vec<Value>, Failure> {
    let one = |path: PathBuf| -> Result<Value, Failure> {
        let bytes = fs::read(folder.join(&path)).map_err(told(&path))?;
        let hash = format!("{:016x}", of_bytes(&bytes));
        Ok(json!({ "path": slashed(&path), "bytes": bytes.len(), "hash": hash }))
    };
    files_below(folder)?.into_iter().map(one).collect()
}

/// Gives a file a second name, or copies it where that cannot be.
fn same(from: &Path, to: &Path) -> Result<(), Failure> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(told(folder))?;
    }
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).map_err(told(from))?;
    }
    Ok(())
}

/// Whether a file in a folder is where a run or a season is gone on from.
fn is_state(file: &Path) -> bool {
    [RUN, STATE].iter().any(|state| file == Path::new(state))
}

/// Says that a folder or file is a season's, for commands that take runs.
pub(crate) fn no_season(path: &Path) -> Result<(), Failure> {
    let file = path.file_name().is_some_and(|name| name == STATE);
    if file || path.join(STATE).exists() && !path.join(RUN).exists() {
        let folder = if file { trample_files::memory::folder_of(path) } else { path };
        let at = folder.display();
        return Err(format!(
            "{at}: it is the result of a season; `trample measure {at}`, `trample compare {at} …` and `trample season … --resume` take it"
        )
        .into());
    }
    Ok(())
}

/// Refuses a folder that holds a run or a season, which other results would replace.
pub(crate) fn no_run(folder: &Path, what: &str) -> Result<(), Failure> {
    let held = [(RUN, "run"), (STATE, "season")].into_iter().find(|(name, _)| folder.join(name).exists());
    match held {
        Some((_, held)) => Err(format!(
            "{}: it holds a {held}, which {what} would replace; choose another --out",
            folder.display()
        )
        .into()),
        None => Ok(()),
    }
}

/// Whether a manifest is one of ours: others have files of that name, too.
fn is_ours(manifest: &Value) -> bool {
    manifest["program"].as_str().is_some_and(|program| program.starts_with("trample "))
}

/// The files that our manifest of a folder lists; nothing outside it.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let manifest = Some(manifest(folder)).filter(is_ours).unwrap_or_default();
    let names = manifest["files"].as_array().into_iter().flatten().filter_map(|f| f["path"].as_str());
    let plain = |path: &PathBuf| path.components().all(|c| matches!(c, std::path::Component::Normal(_)));
    names.map(PathBuf::from).filter(plain).collect()
}

/// All files below a folder, as seen from it, in order; links are files and not followed.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(inner) = open.pop() {
        let place = folder.join(&inner);
        for entry in fs::read_dir(&place).map_err(told(&place))? {
            let entry = entry.map_err(told(&place))?;
            let path = inner.join(entry.file_name());
            let is_folder = entry.file_type().map_err(told(&place))?.is_dir();
            if is_folder { open.push(path) } else { found.push(path) }
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Whether a file is one that [`trample_files::atomic`] was writing when it was killed: `.NAME.XXXXXX.tmp`.
fn is_orphan(name: &str) -> bool {
    let inner = name.strip_prefix('.').and_then(|n| n.strip_suffix(".tmp")).and_then(|n| n.rsplit_once('.'));
    inner.is_some_and(|(name, random)| {
        !name.is_empty() && random.len() == 6 && random.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// A path with slashes on every system.
fn slashed(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.collect::<Vec<_>>().join("/")
}

/// An error of the file system with the place it is about.
fn told(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |error| format!("{}: {error}", path.display()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stages some files and swaps them in.
    fn leave(path: &Path, files: &[&str]) {
        let folder = Folder::open(path).expect("opened");
        stage(&folder, files);
        folder.commit(&json!("0")).expect("swapped in");
    }

    fn stage(folder: &Folder, files: &[&str]) {
        for file in files {
            let to = folder.stage().join(file);
            fs::create_dir_all(to.parent().expect("a folder")).expect("made");
            fs::write(to, file).expect("written");
        }
    }

    fn shown(path: &Path) -> Vec<String> {
        files_below(path).expect("listed").iter().map(|f| slashed(f)).collect()
    }

    #[test]
    fn results_replace_those_before_them_and_nothing_else() {
        let whole = tempfile::tempdir().expect("a folder");
        for (case, strange) in [("own", None), ("with-others", Some("scene.toml"))] {
            let path = whole.path().join(case);
            leave(&path, &["maps/a.npy", "maps/deep/b.npy", "report.html"]);
            assert_eq!(
                shown(&path),
                ["manifest.json", "maps/a.npy", "maps/deep/b.npy", "report.html"],
                "{case}"
            );
            if let Some(name) = strange {
                fs::write(path.join(name), "mine").expect("written");
            }
            leave(&path, &["summary.json", "maps/a.npy"]);
            let mut expected = vec!["manifest.json", "maps/a.npy", "summary.json"];
            expected.extend(strange);
            expected.sort_unstable();
            assert_eq!(shown(&path), expected, "{case}");
        }
        assert_eq!(fs::read_dir(whole.path()).expect("listed").count(), 2, "nothing is left beside them");
    }

    #[test]
    fn a_command_that_is_refused_leaves_no_folder() {
        let whole = tempfile::tempdir().expect("a folder");
        let (new, old) = (whole.path().join("new"), whole.path().join("old"));
        fs::create_dir(&old).expect("made");
        for path in [&new, &old] {
            drop(Folder::open(path).expect("opened"));
        }
        assert!(!new.exists() && old.exists(), "one that was there stays");
    }

    #[test]
    fn a_file_of_the_same_name_that_is_not_ours_is_kept() {
        let whole = tempfile::tempdir().expect("a folder");
        let path = whole.path().join("out");
        fs::create_dir_all(&path).expect("made");
        fs::write(path.join("scene.toml"), "mine").expect("written");
        for _ in 0..2 {
            leave(&path, &["scene.toml", "summary.json"]);
            assert_eq!(fs::read(path.join("scene.toml.kept1")).expect("kept"), b"mine");
            assert_eq!(fs::read(path.join("scene.toml")).expect("ours"), b"scene.toml");
            let kept = shown(&path).iter().filter(|f| f.contains("kept")).count();
            assert_eq!(kept, 1, "what is ours is replaced");
        }
    }

    #[test]
    fn an_export_goes_with_the_result_it_was_made_of_and_nothing_else_does() {
        let whole = tempfile::tempdir().expect("a folder");
        for (case, strange) in [("own", None), ("with-others", Some("export/mine.txt"))] {
            let path = whole.path().join(case);
            leave(&path, &["summary.json"]);
            leave(&path.join(EXPORT), &["height.tif", "tiles/a.tif"]);
            if let Some(name) = strange {
                fs::write(path.join(name), "mine").expect("written");
            }
            leave(&path, &["summary.json"]);
            let expected: Vec<&str> = strange.into_iter().chain(["manifest.json", "summary.json"]).collect();
            assert_eq!(shown(&path), expected, "{case}");
        }
    }

    #[test]
    fn one_writes_at_a_time_and_a_stopped_one_leaves_what_was_there() {
        let whole = tempfile::tempdir().expect("a folder");
        let path = whole.path().join("out");
        leave(&path, &["summary.json"]);
        let before = shown(&path);
        let first = Folder::open(&path).expect("opened");
        stage(&first, &["summary.json", "report.html"]);
        let refused = Folder::open(&path).map(|_| ()).expect_err("locked").to_string();
        assert!(
            refused.contains("another trample") && refused.contains(&std::process::id().to_string()),
            "{refused}"
        );
        assert_eq!(first.checkpoint(RUN), path.join(".running/run.trample"), "a result is shown");
        drop(first);
        assert_eq!(shown(&path), before, "as it was");
        // Killed: its lock is gone, its files are not. Then killed while it was moving files in.
        fs::create_dir_all(path.join(".running/new")).expect("made");
        fs::write(path.join(".running/new/report.html"), "cut").expect("written");
        fs::write(path.join(".run.trample.AbC123.tmp"), "cut").expect("written");
        let second = Folder::open(&path).expect("opened again");
        assert_eq!(shown(&path), [&[".running/lock".to_string()], &before[..]].concat());
        stage(&second, &["new.json", MANIFEST]);
        fs::rename(second.stage(), path.join(".running/ready")).expect("ready");
        fs::remove_file(path.join(MANIFEST)).expect("as it does first");
        drop(second);
        drop(Folder::open(&path).expect("finishes it"));
        assert!(path.join("new.json").exists() && path.join(MANIFEST).exists());
    }

    #[test]
    fn a_manifest_cannot_name_files_elsewhere() {
        let whole = tempfile::tempdir().expect("a folder");
        let (path, other) = (whole.path().join("out"), whole.path().join("precious"));
        fs::write(&other, "mine").expect("written");
        fs::create_dir_all(&path).expect("made");
        let names = ["../precious", other.to_str().expect("plain")].map(|p| json!({ "path": p }));
        let manifest = json!({ "program": "trample 0", "files": names });
        fs::write(path.join(MANIFEST), manifest.to_string()).expect("written");
        leave(&path, &["summary.json"]);
        assert!(other.exists());
        // Nor does one of another program count.
        fs::write(path.join("inner"), "mine").expect("written");
        fs::write(path.join(MANIFEST), json!({ "files": [{ "path": "inner" }] }).to_string())
            .expect("written");
        leave(&path, &["summary.json"]);
        assert!(path.join("inner").exists() && path.join("manifest.json.kept1").exists());
    }

    #[test]
    fn orphans_are_told_by_their_names() {
        assert!(is_orphan(".run.trample.AbC123.tmp") && is_orphan(".a.Xy12z9.tmp"));
        for name in ["run.trample", ".tmp", ".a.tmp", ".hidden.txt", ".a.toolong7.tmp", ".a.b-c123.tmp"] {
            assert!(!is_orphan(name), "{name}");
        }
    }
}
