//! Damaged and made-up characters: a clear error with its place, never a panic, never more memory than the file is worth.

mod rigs;

use proptest::prelude::*;
use rigs::bvh::{self, Manner};
use rigs::{Figure, Rest, gltf, names, walk};
use serde_json::{Value, json};
use std::path::Path;
use trample::body::Skeleton;
use trample::internal::{Stream, word};
use trample_files::character::{self, CharacterError, Loaded, MapFile, MapOptions};

fn understand(bytes: &[u8]) -> Result<Loaded, CharacterError> {
    character::understand(Path::new("walk.file"), bytes, &MapFile::default(), &MapOptions::default())
}

/// All that a user would do with a file.
fn use_it(bytes: &[u8], skeleton: &Skeleton) -> bool {
    match understand(bytes) {
        Ok(loaded) => {
            let clips = loaded.clips_for(skeleton);
            assert!(clips.iter().flat_map(|c| &c.frames).all(|f| f.centre.is_finite()));
            if let Some(animal) = loaded.four_footed() {
                let _ = animal.motions(&loaded.source);
            }
            let _ = (loaded.sole(0), loaded.upright().map(|u| u.lines(&loaded.source)));
            true
        }
        Err(e) => {
            assert!(e.to_string().starts_with("walk.file"), "{e}");
            false
        }
    }
}

fn small(seconds: f64) -> Figure {
    let (skeleton, clip) = walk(1.3, seconds, 30.0);
    Figure::new(names::rows(&names::LAFAN, &skeleton, true), Rest::Spread, skeleton, clip)
}

fn bvh_text() -> String {
    bvh::write(&small(0.4), &Manner::default())
}

fn gltf_parts() -> (Value, Vec<u8>) {
    gltf::parts(&small(0.4), &gltf::Extras { feet: true, vrm: Some(1), ..Default::default() })
}

#[test]
fn bad_bvh_names_its_line_and_what_was_expected() {
    let good = bvh_text();
    let line_of = |what: &str| good.lines().position(|l| l.contains(what)).expect(what) + 1;
    let data = line_of("Frame Time") + 1;
    let row = good.lines().nth(data).expect("a second row").to_string();
    let short = row.rsplit_once(' ').expect("numbers").0.to_string();
    let cases: Vec<(String, usize, &str)> = vec![
        (good.replace("HIERARCHY", "HIERARCHIE"), 1, "HIERARCHY"),
        (good.replace("ROOT Hips", "BONE Hips"), 2, "ROOT"),
        (good.replacen("OFFSET", "OFSET", 1), 4, "OFFSET"),
        (good.replacen("CHANNELS 6", "CHANNELS 60", 1), 5, "0 to 9"),
        (good.replacen("Zrotation", "Wrotation", 1), 5, "Xposition"),
        (good.replacen("Frames: 12", "Frames: 99999999999", 1), data - 1, "numbers"),
        (good.replacen("Frames: 12", "Frames: 18446744073709551615", 1), data - 1, "numbers"),
        (good.replacen("Frames: 12", "Frames: -3", 1), data - 2, "number of frames"),
        (good.replacen("Frame Time: 0.033333", "Frame Time: 0", 1), data - 1, "seconds a frame"),
        (good.replacen("Frame Time: 0.033333", "Frame Time: nan", 1), data - 1, "seconds a frame"),
        (good.replace(&row, &short), data + 1, "numbers a row"),
        (good.replace(&row, &format!("{row} 1.0")), data + 1, "end of a row"),
        (good.replace(&row, &format!("{short} nan")), data + 1, "finite"),
        (good.replace(&row, &format!("{short} 1e30")), data + 1, "finite"),
        (good[..good.len() / 2].to_string(), 0, "expected"),
        (good.clone() + "1 2 3", data + 12, "end of the file"),
    ];
    for (text, line, word) in cases {
        let e = understand(text.as_bytes()).expect_err(word).to_string();
        assert!(e.contains(word), "{word}: {e}");
        assert!(line == 0 || e.starts_with(&format!("walk.file:{line}:")), "line {line}: {e}");
    }
    let e = understand(b"\x89PNG\r\n").expect_err("a picture").to_string();
    assert!(e.contains("BVH, glTF or GLB"), "{e}");
    // Joints but no legs.
    let one = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 0\nFrame Time: 0.1\n";
    let e = understand(one.as_bytes()).expect_err("no legs").to_string();
    assert!(e.contains("map file") && e.contains("left_hip"), "{e}");
}

#[test]
fn a_deep_hierarchy_does_not_overflow_the_stack() {
    let deep = format!(
        "HIERARCHY\nROOT a\n{{OFFSET 0 1 0\n{}{}}}\nMOTION\nFrames: 0\nFrame Time: 0.1\n",
        "JOINT b\n{OFFSET 0 1 0 CHANNELS 0 ".repeat(9_000),
        "}".repeat(9_000)
    );
    assert!(!use_it(deep.as_bytes(), &Skeleton::new(&Default::default())));
    let deeper = deep.replace("JOINT b\n{OFFSET 0 1 0 CHANNELS 0 ", &"JOINT b\n{OFFSET 0 1 0 ".repeat(2));
    let e = understand(deeper.as_bytes()).expect_err("too many").to_string();
    assert!(e.contains("10000 joints"), "{e}");
}

#[test]
fn bad_gltf_names_the_part() {
    let (good, bytes) = gltf_parts();
    let fail = |change: &dyn Fn(&mut Value)| {
        let mut json = good.clone();
        change(&mut json);
        understand(&gltf::binary(&json, &bytes)).expect_err("bad").to_string()
    };
    let first_rotation = good["animations"][0]["samplers"][0]["output"].as_u64().expect("index") as usize;
    let place = format!("accessors[{first_rotation}]");
    // Huge counts, offsets that wrap, strides that overlap.
    for count in [json!(1_000_000_000_u64), json!(u64::MAX), json!(u64::MAX / 16 + 2)] {
        let e = fail(&|j| j["accessors"][first_rotation]["count"] = count.clone());
        assert!(e.contains(&place) && e.contains("do not fit"), "{e}");
    }
    let e = fail(&|j| j["accessors"][first_rotation]["byteOffset"] = json!(u64::MAX - 3));
    assert!(e.contains(&place), "{e}");
    let e = fail(&|j| j["bufferViews"][first_rotation]["byteLength"] = json!(u64::MAX - 3));
    assert!(e.contains("beyond its buffer"), "{e}");
    let e = fail(&|j| j["bufferViews"][first_rotation]["byteOffset"] = json!(u64::MAX - 3));
    assert!(e.contains("beyond its buffer"), "{e}");
    let e = fail(&|j| j["bufferViews"][first_rotation]["buffer"] = json!(7));
    assert!(e.contains("buffers[7]"), "{e}");
    let e = fail(&|j| j["buffers"][0]["byteLength"] = json!(1u64 << 40));
    assert!(e.contains("buffers[0]") && e.contains("copy or export"), "{e}");
    let e =
        fail(&|j| drop(j["accessors"][first_rotation].as_object_mut().and_then(|a| a.remove("bufferView"))));
    assert!(e.contains("no data"), "{e}");
    let e = fail(&|j| j["nodes"][3]["children"] = json!([0]));
    assert!(e.contains("nodes["), "{e}");
    let e = fail(&|j| j["nodes"][0]["children"] = json!([99_999]));
    assert!(e.contains("nodes[99999]"), "{e}");
    // A circle of its own, away from everything.
    let e = fail(&|j| {
        let nodes = j["nodes"].as_array_mut().expect("nodes");
        let n = nodes.len();
        nodes.push(json!({ "children": [n + 1] }));
        nodes.push(json!({ "children": [n] }));
    });
    assert!(e.contains("its own ancestor"), "{e}");
    let e = fail(&|j| j["nodes"][2]["scale"] = json!([1e30, 1.0, 1.0]));
    assert!(e.contains("nodes[2]"), "{e}");
    let e = fail(&|j| j["animations"][0]["channels"][0]["target"]["node"] = json!(12_345));
    assert!(e.contains("animations[0].channels[0]"), "{e}");
    let e = fail(&|j| j["animations"][0]["samplers"][0]["input"] = json!(first_rotation));
    assert!(e.contains("expected"), "{e}");
    let e = fail(&|j| j["skins"][0]["joints"] = json!([99_999]));
    assert!(e.contains("skins[0]"), "{e}");
    // Text that is no JSON, and a GLB that is cut anywhere.
    let e = understand(b"{ \"asset\": ").expect_err("cut").to_string();
    assert!(e.contains("line 1 column"), "{e}");
    let whole = gltf::binary(&good, &bytes);
    for length in (0..whole.len()).step_by(whole.len() / 300) {
        assert!(understand(&whole[..length]).is_err(), "cut at {length}");
    }
    for length in [0u32, 3, 11, u32::MAX] {
        let mut broken = whole.clone();
        broken[8..12].copy_from_slice(&length.to_le_bytes());
        // The length in the header is not needed, and must not hurt.
        let _ = understand(&broken);
        broken[12..16].copy_from_slice(&length.to_le_bytes());
        assert!(understand(&broken).is_err());
    }
}

#[test]
fn not_a_number_and_time_without_end_are_errors() {
    let (json, bytes) = gltf_parts();
    let time = json["animations"][0]["samplers"][0]["input"].as_u64().expect("index") as usize;
    let view = &json["bufferViews"][time];
    let (at, length) = (
        view["byteOffset"].as_u64().expect("at") as usize,
        view["byteLength"].as_u64().expect("length") as usize,
    );
    for (value, word) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (1e9, "only"), (-5.0, "do not rise")] {
        let mut broken = bytes.clone();
        broken[at + length - 4..at + length].copy_from_slice(&value.to_le_bytes());
        let e = understand(&gltf::binary(&json, &broken)).expect_err(word).to_string();
        assert!(e.contains(word), "{e}");
    }
}

#[test]
fn the_same_bytes_named_a_thousand_times_are_not_read_a_thousand_times() {
    let (mut json, mut bytes) = gltf_parts();
    // A megabyte that ten thousand accessors and primitives point to: without a limit this would be 40 GB.
    let start = bytes.len();
    bytes.resize(start + (1 << 20), 0);
    json["buffers"][0]["byteLength"] = json!(bytes.len());
    let views = json["bufferViews"].as_array_mut().expect("views");
    views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": 1 << 20 }));
    let view = views.len() - 1;
    let first = json["accessors"].as_array().expect("accessors").len();
    for _ in 0..10_000 {
        let accessor = json!({ "bufferView": view, "componentType": 5121, "count": 1 << 18, "type": "VEC4" });
        json["accessors"].as_array_mut().expect("accessors").push(accessor);
    }
    let primitives: Vec<Value> = (0..10_000)
        .map(|i| json!({ "attributes": { "POSITION": first + i, "JOINTS_0": first + i, "WEIGHTS_0": first + i } }))
        .collect();
    json["meshes"][0]["primitives"] = json!(primitives);
    let e = understand(&gltf::binary(&json, &bytes)).expect_err("a bomb").to_string();
    assert!(e.contains("over and over") || e.contains("do not go together"), "{e}");
    // Primitives that name the same few vertices: as many as the text of the file pays for, and no more.
    let (mut json, bytes) = gltf_parts();
    let one = json["meshes"][0]["primitives"][0].clone();
    json["meshes"][0]["primitives"] = json!(vec![one; 50_000]);
    let file = gltf::binary(&json, &bytes);
    let vertices = understand(&file).map_or(0, |l| l.source.vertices.len());
    assert!(16 * vertices < 8 * file.len(), "{vertices} vertices from {} bytes", file.len());
}

/// A number from a counter.
fn dice(seed: u64, count: &mut u64, below: usize) -> usize {
    *count += 1;
    (word(seed, Stream::Hills, *count) % below.max(1) as u64) as usize
}

/// Words that have a way of breaking things.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1e9",
    "1e-40",
    "nan",
    "inf",
    "99999999",
    "{",
    "}",
    "JOINT x",
    "ROOT y",
    "End Site",
    "OFFSET",
    "OFFSET 0 0 0",
    "CHANNELS 6",
    "CHANNELS 3 Xrotation Yrotation Zrotation",
    "MOTION",
    "Frames: 3",
    "Frame Time: 0.01",
    "",
    "\r",
    "\0",
    "é",
    "Hips",
];

/// A file with a few things changed: bytes, pieces, words.
fn mutated(bytes: &[u8], seed: u64) -> Vec<u8> {
    const NUMBERS: [&str; 12] = [
        "0",
        "1",
        "2",
        "3",
        "7",
        "-1",
        "4294967295",
        "18446744073709551615",
        "1e30",
        "5121",
        "5126",
        "65536",
    ];
    let mut out = bytes.to_vec();
    let mut count = 0;
    // Half of the files only have numbers changed, so that they are read to the end.
    let numbers = dice(seed, &mut count, 2) == 0;
    for _ in 0..1 + dice(seed, &mut count, 6) {
        let n = out.len();
        let at = dice(seed, &mut count, n);
        match dice(seed, &mut count, 8) {
            _ if numbers => {
                let from = (at..n).chain(0..at).find(|&i| out[i].is_ascii_digit()).unwrap_or(n);
                let to = (from..n).find(|&i| !out[i].is_ascii_digit()).unwrap_or(n);
                out.splice(from..to, NUMBERS[dice(seed, &mut count, NUMBERS.len())].bytes());
            }
            0 if n > 0 => out[at] = dice(seed, &mut count, 256) as u8,
            1 if n > 0 => out[at] ^= 1 << dice(seed, &mut count, 8),
            2 => out.truncate(at),
            3 if n > 0 => drop(out.drain(at..(at + 1 + dice(seed, &mut count, 40)).min(n))),
            4 if n > 0 => {
                let piece = out[at..(at + 1 + dice(seed, &mut count, 200)).min(n)].to_vec();
                let to = dice(seed, &mut count, n);
                out.splice(to..to, piece);
            }
            5 if n >= 4 => {
                let at = at.min(n - 4);
                let words: [u32; 6] = [0, 1, u32::MAX, 0x7f80_0000, 0x7fc0_0000, 1 << 30];
                out[at..at + 4].copy_from_slice(&words[dice(seed, &mut count, 6)].to_le_bytes());
            }
            _ if n > 0 => {
                // A word of the text for another.
                let blank = |b: &u8| b" ,:\n\t[]".contains(b);
                let from = (at..n).find(|&i| blank(&out[i])).map_or(at, |i| i + 1).min(n);
                let to = (from..n).find(|&i| blank(&out[i])).unwrap_or(n);
                out.splice(from..to, WORDS[dice(seed, &mut count, WORDS.len())].bytes());
            }
            _ => {}
        }
    }
    out
}

/// The same for any file: every other GLB has its chunks changed and is put together again, so that its lengths are right.
fn changed(bytes: &[u8], seed: u64) -> Vec<u8> {
    if seed.is_multiple_of(2) || !bytes.starts_with(b"glTF") {
        return mutated(bytes, seed);
    }
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("a GLB")) as usize;
    let (text, data) = (&bytes[20..20 + length], &bytes[28 + length..]);
    let data = if seed % 4 == 1 { data.to_vec() } else { mutated(data, seed) };
    let text = if seed % 4 == 1 { mutated(text, seed) } else { text.to_vec() };
    gltf::wrapped(text, data)
}

/// Seeds for which a file is changed and used: how many were still files. A panic fails the test and names the seed.
fn fuzz(bytes: &[u8], seeds: std::ops::Range<u64>) -> u64 {
    let skeleton = Skeleton::new(&Default::default());
    let mut good = 0;
    for seed in seeds {
        let input = changed(bytes, seed);
        let used = std::panic::catch_unwind(|| use_it(&input, &skeleton));
        good += u64::from(used.unwrap_or_else(|_| panic!("seed {seed} panics")));
    }
    good
}

/// Small bases, so that changes hit what matters.
fn bases() -> [Vec<u8>; 3] {
    let (json, bytes) = gltf::parts(&small(0.2), &gltf::Extras { feet: true, ..Default::default() });
    let mut text = json.clone();
    let coded = {
        use base64::Engine;
        base64::engine::general_purpose::STANDARD.encode(&bytes)
    };
    text["buffers"][0]["uri"] = json!(format!("data:application/octet-stream;base64,{coded}"));
    [
        bvh::write(&small(0.2), &Manner::default()).into_bytes(),
        gltf::binary(&json, &bytes),
        text.to_string().into_bytes(),
    ]
}

#[test]
fn thousands_of_damaged_files_do_no_harm() {
    let [bvh, glb, gltf] = bases();
    for (base, count) in [(bvh, 8_000), (glb, 8_000), (gltf, 4_000)] {
        let good = fuzz(&base, 0..count);
        // Some changes hurt and some do not; else nothing is tested.
        assert!(good > count / 100 && good < count * 99 / 100, "{good} of {count} were still files");
    }
}

/// A million inputs on all cores, or as many as `TRAMPLE_FUZZ` says.
fn million(kind: usize) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let all: u64 = std::env::var("TRAMPLE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let base = &bases()[kind];
    let start = std::time::Instant::now();
    let good: u64 = std::thread::scope(|scope| {
        let part = |t: u64| 1_000_000 + t * all / threads..1_000_000 + (t + 1) * all / threads;
        let jobs: Vec<_> = (0..threads).map(|t| scope.spawn(move || fuzz(base, part(t)))).collect();
        jobs.into_iter().map(|j| j.join().expect("no panic")).sum()
    });
    println!("{all} inputs in {:.0} s, {good} were still files", start.elapsed().as_secs_f64());
}

#[test]
#[ignore = "a million inputs take minutes: run in release"]
fn a_million_damaged_bvh_files_do_no_harm() {
    million(0);
}

#[test]
#[ignore = "a million inputs take minutes: run in release"]
fn a_million_damaged_glb_files_do_no_harm() {
    million(1);
}

#[test]
#[ignore = "a million inputs take minutes: run in release"]
fn a_million_damaged_gltf_files_do_no_harm() {
    million(2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..400), start in 0..4usize) {
        let head: &[u8] = [&b"HIERARCHY\n"[..], b"glTF\x02\0\0\0", b"{", b""][start];
        let _ = understand(&[head, &bytes].concat());
    }

    #[test]
    fn words_of_the_grammar_in_any_order_are_refused_or_read(words in prop::collection::vec(0..WORDS.len(), 0..60)) {
        let text: String = words.iter().map(|&w| format!("{} ", WORDS[w])).collect();
        let _ = understand(format!("HIERARCHY {text}").as_bytes());
    }
}
