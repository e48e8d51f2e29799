//! Damaged and made-up input: never a panic, never more memory than the input is worth.

mod common;

use common::source;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use trample::World;
use trample::internal::{VERSION, of_bytes};
use trample::scene::library;
use trample_files::inputs::Input;
use trample_files::run_file::Writer;
use trample_files::scene_file::to_toml;
use trample_files::{RunFile, Source};

/// Values that have a way of breaking things.
#[rustfmt::skip]
const VALUES: [&str; 26] = [
    "0", "-1", "1", "2", "0.05", "0.3", "7.5", "1e9", "-1e300", "nan", "inf", "-inf", "true", "\"\"", "\"mud\"", "\"drop\"",
    "\"hills\"", "[]", "[1, 1]", "[[1, 1], [2, 1]]", "{}", "{ kind = \"dune\" }", "9999999999999999999999", "0xffffffffffffffff",
    "1979-05-27", "[[[[[[]]]]]]",
];

/// One change to a text.
#[derive(Clone, Debug)]
enum Change {
    Value(Index, &'static str),
    DropLine(Index),
    RepeatLine(Index),
    MoveLine(Index, Index),
    Insert(Index, String),
    Cut(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        6 => (at(), select(&VALUES[..])).prop_map(|(i, v)| Change::Value(i, v)),
        2 => at().prop_map(Change::DropLine),
        1 => at().prop_map(Change::RepeatLine),
        2 => (at(), at()).prop_map(|(a, b)| Change::MoveLine(a, b)),
        1 => (at(), "[\\[\\]{}=.,#\"'\\n a-z0-9é\\\\-]{1,6}").prop_map(|(i, s)| Change::Insert(i, s)),
        1 => at().prop_map(Change::Cut),
    ]
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut text = text.to_string();
    for change in changes {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        if lines.is_empty() {
            break;
        }
        let n = lines.len();
        match change {
            Change::Value(i, value) => {
                // The next line that sets something.
                let from = i.index(n);
                let line = (from..n).chain(0..from).find(|&k| lines[k].contains(" = "));
                if let Some(k) = line {
                    let key = lines[k].split(" = ").next().unwrap_or_default().to_string();
                    lines[k] = format!("{key} = {value}");
                }
            }
            Change::DropLine(i) => drop(lines.remove(i.index(n))),
            Change::RepeatLine(i) => lines.insert(i.index(n), lines[i.index(n)].clone()),
            Change::MoveLine(a, b) => {
                let line = lines.remove(a.index(n));
                lines.insert(b.index(n), line);
            }
            Change::Insert(i, what) => {
                let starts: Vec<usize> = text.char_indices().map(|(k, _)| k).collect();
                text.insert_str(*i.get(&starts), what);
                continue;
            }
            Change::Cut(i) => {
                let starts: Vec<usize> = text.char_indices().map(|(k, _)| k).collect();
                text.truncate(*i.get(&starts));
                continue;
            }
        }
        text = lines.join("\n");
    }
    text
}

/// A scene that was read is a scene that can be built and stepped.
fn builds(source: &Source) -> Result<(), TestCaseError> {
    if let Ok(scene) = source.scene() {
        let world = World::new(&scene);
        prop_assert!(world.is_ok(), "read, but {:?}:\n{}\n{:?}", world.err(), source.text, source.settings);
        if scene.puppets.len() < 5 {
            world.expect("checked").step(scene.dt());
        }
    }
    Ok(())
}

fn a_key() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    let known = select(vec![
        "seed", "rate", "duration", "cell", "size", "contour", "law", "kind", "motion", "mass", "height", "speed", "passes",
        "waypoints", "position", "material", "layer", "youngs_modulus", "rest_angle_deg", "colour", "hold", "footwear", "sole",
        "terrain", "terrain.base", "base.kind", "terrain.place", "place.epsg", "puppet", "puppet.0", "puppet[0].mass",
        "puppet.0.motion", "puppet.walker.mass", "material.0", "material.0.name", "material.snow.layer", "paint", "angle_deg",
        "amplitude", "crest", "file", "feet", "size.0", "waypoints.0.0", "sole.outline",
    ]);
    prop_oneof![4 => known.prop_map(String::from), 1 => "[a-z.\\[\\]0-9 ]{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_scenes_never_panic_and_build_if_they_are_read(
        entry in any::<Index>(),
        changes in proptest::collection::vec(change(), 1..4),
    ) {
        let text = to_toml(&entry.get(&library::ENTRIES).scene()).expect("written");
        builds(&source(&changed(&text, &changes)))?;
    }

    #[test]
    fn any_settings_never_panic_and_build_if_they_are_read(
        entry in any::<Index>(),
        settings in proptest::collection::vec((a_key(), select(&VALUES[..])), 1..4),
    ) {
        let mut source = Source::of_scene(&entry.get(&library::ENTRIES).scene()).expect("written");
        source.settings = settings.into_iter().map(|(key, value)| format!("{key}={}", value.trim_matches('"'))).collect();
        builds(&source)?;
    }

    #[test]
    fn any_text_is_a_scene_or_an_error(text in "\\PC{0,60}", setting in "\\PC{0,30}") {
        builds(&source(&text))?;
        let mut other = source("seed = 1");
        other.settings = vec![setting];
        builds(&other)?;
    }
}

fn sample() -> RunFile {
    RunFile {
        writer: Writer::here(),
        source: Source { settings: vec!["mass=60".into()], ..source("seed = 1") },
        inputs: vec![Input { path: "fern.toml".into(), hash: Some(7) }],
        recording: (0..20).collect(),
        snapshot: (0..500u32).map(|i| (i * i) as u8).collect(),
        state: 3,
        notes: b"{}".to_vec(),
        final_hash: Some(7),
    }
}

/// What a run file holds in memory, bytes.
fn held(file: &RunFile) -> usize {
    let source = &file.source;
    let settings: usize = source.settings.iter().map(|s| size_of::<String>() + s.capacity()).sum();
    let inputs: usize = file.inputs.iter().map(|i| size_of::<Input>() + i.path.capacity()).sum();
    source.name.capacity()
        + inputs
        + file.writer.program.capacity()
        + source.text.capacity()
        + source.folder.capacity()
        + settings
        + 8 * file.recording.digests.capacity()
        + file.snapshot.capacity()
        + file.notes.capacity()
}

/// The end of a file of these bytes.
fn end(bytes: &[u8]) -> Vec<u8> {
    section(b"end ", &of_bytes(bytes).to_le_bytes())
}

fn section(tag: &[u8], body: &[u8]) -> Vec<u8> {
    [tag, &(body.len() as u64).to_le_bytes(), body, &of_bytes(body).to_le_bytes()].concat()
}

const TAGS: [&[u8]; 14] = [
    b"prog",
    b"file",
    b"stat",
    b"name",
    b"scen",
    b"fold",
    b"set ",
    b"digs",
    b"snap",
    b"note",
    b"hash",
    b"end ",
    b"what",
    b"\0\0\0\0",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_run_files_are_noticed(
        at in any::<Index>(), bits in 1..=255u8, cut in any::<Index>(), more in proptest::collection::vec(any::<u8>(), 1..9),
    ) {
        let bytes = sample().to_bytes();
        let mut flipped = bytes.clone();
        flipped[at.index(bytes.len())] ^= bits;
        prop_assert!(RunFile::from_bytes(&flipped).is_err(), "byte {} by {bits:#x}", at.index(bytes.len()));
        prop_assert!(RunFile::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
        prop_assert!(RunFile::from_bytes(&[bytes, more].concat()).is_err(), "there is more after its end");
    }

    #[test]
    fn made_up_run_files_with_right_checksums_hold_no_more_than_they_are_worth(
        sections in proptest::collection::vec((any::<Index>(), proptest::collection::vec(any::<u8>(), 0..40)), 0..12),
    ) {
        let mut bytes = sample().to_bytes();
        bytes.truncate(12);
        for (tag, body) in &sections {
            bytes.extend(section(TAGS[tag.index(TAGS.len())], body));
        }
        bytes.extend(end(&bytes));
        if let Ok(file) = RunFile::from_bytes(&bytes) {
            prop_assert!(held(&file) <= 3 * bytes.len());
        }
    }
}

#[test]
fn a_run_file_of_a_few_bytes_cannot_ask_for_memory() {
    let head = &sample().to_bytes()[..12];
    for length in [u64::MAX, u64::MAX - 7, 1 << 62, 1 << 40, 1 << 31, 1] {
        for tag in TAGS {
            let bytes = [head, tag, &length.to_le_bytes()].concat();
            assert!(RunFile::from_bytes(&bytes).is_err(), "{length} bytes of {tag:?}");
        }
    }
    let many: Vec<u8> = (0..10_000).flat_map(|_| section(b"set ", b"")).collect();
    let rest: Vec<u8> = [&b"name"[..], b"scen", b"snap"].iter().flat_map(|t| section(t, b"")).collect();
    let program = section(b"prog", format!("trample\nstate {VERSION}\nphysics 0").as_bytes());
    let others = [program, section(b"digs", &[0; 16]), section(b"stat", &[0; 8])].concat();
    let bytes = [head, &many, &rest, &others].concat();
    let bytes = [&bytes[..], &end(&bytes)].concat();
    let file = RunFile::from_bytes(&bytes).expect("odd, but whole");
    assert!(held(&file) + size_of::<String>() * file.source.settings.capacity() < 4 * bytes.len());
}

#[test]
fn a_run_file_without_a_part_or_with_one_twice_is_refused_by_name() {
    let head = sample().to_bytes()[..12].to_vec();
    let with = |tags: &[&[u8]]| {
        let bytes: Vec<u8> = tags.iter().fold(head.clone(), |bytes, tag| [bytes, section(tag, b"")].concat());
        RunFile::from_bytes(&[&bytes[..], &end(&bytes)].concat()).map(|_| ()).expect_err("refused")
    };
    assert_eq!(with(&[b"name", b"snap"]), "section `prog` is missing");
    assert_eq!(with(&[b"name", b"name"]), "section `name` is there twice");
    assert_eq!(with(&[b"what"]), "unknown section `what`");
    let odd = [&head[..], &section(b"digs", b"123")].concat();
    assert_eq!(RunFile::from_bytes(&odd).expect_err("refused"), "section `digs` has a wrong length");
}

#[test]
fn saved_run_files_load_and_threads_that_save_at_once_leave_a_whole_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run.trample");
    let source = Source { folder: folder.path().into(), ..sample().source };
    let file = RunFile { source, ..sample() };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| file.save(&path).expect("saves")));
        }
    });
    assert_eq!(RunFile::load(&path).expect("loads"), file);
    assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 1, "nothing is left behind");
}
