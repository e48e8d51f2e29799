//! How long a long recording takes: printed, not asserted, as machines differ.

mod rigs;

use rigs::bvh::{self, Manner};
use rigs::{Figure, Rest, gltf, names, walk};
use std::time::Instant;
use trample::body::Skeleton;
use trample_files::character::{self, MapOptions};

#[test]
#[ignore = "speed is measured in release, by hand"]
fn ten_minutes_at_120_hz_load_in_less_than_a_second() {
    let (skeleton, clip) = walk(1.3, 10.0, 120.0);
    let mut figure = Figure::new(names::rows(&names::MIXAMO, &skeleton, true), Rest::Spread, skeleton, clip);
    figure.unit = 100.0;
    let folder = tempfile::tempdir().expect("a folder");
    // The same ten seconds sixty times over, each farther along.
    let short = bvh::write(&figure, &Manner { six: true, ..Manner::default() });
    let (head, rows) = short.split_once("Frame Time: 0.008333\n").expect("motion");
    let mut text = head.replace("Frames: 1200", "Frames: 72000") + "Frame Time: 0.008333\n";
    for i in 0..60 {
        for row in rows.lines() {
            let (x, rest) = row.split_once(' ').expect("numbers");
            let x: f64 = x.parse().expect("a number");
            text += &format!("{:.4} {rest}\n", x + f64::from(i) * 1300.0);
        }
    }
    let path = folder.path().join("long.bvh");
    std::fs::write(&path, &text).expect("writes");
    let glb = folder.path().join("long.glb");
    let first = figure.clip.clone();
    for _ in 1..60 {
        figure.clip.frames.extend_from_slice(&first.frames);
    }
    let (json, bytes) = gltf::parts(&figure, &gltf::Extras::default());
    std::fs::write(&glb, gltf::binary(&json, &bytes)).expect("writes");
    for path in [path, glb] {
        let size = std::fs::metadata(&path).expect("a file").len();
        let start = Instant::now();
        let loaded = character::load(&path, &MapOptions::default()).expect("loads");
        let load = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let clips = loaded.clips_for(&Skeleton::new(&Default::default()));
        let frames: usize = clips.iter().map(|c| c.frames.len()).sum();
        println!(
            "{}: {:.1} MB, {} frames: loaded in {load:.2} s, {frames} frames of clips in {:.2} s",
            path.extension().and_then(|e| e.to_str()).unwrap_or_default(),
            size as f64 / 1e6,
            loaded.source.takes[0].frames,
            start.elapsed().as_secs_f64()
        );
    }
}
