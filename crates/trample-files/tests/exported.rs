//! Our own clips, written for other tools, come back through our reader as the same motion.

use std::path::Path;
use trample::body::Skeleton;
use trample::clips::{Clip, Kind, library};
use trample::gait::Style;
use trample::params::Body;
use trample_files::character::{self, Loaded, MapFile, MapOptions, write_bvh};
use trample_files::glb;

fn understood(bytes: &[u8]) -> Loaded {
    character::understand(Path::new("clip"), bytes, &MapFile::default(), &MapOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Mean distance of all joints of two motions over all frames, m, the first frame's root apart: a reader moves a motion to
/// the origin and turns it ahead.
fn apart(a: &Clip, b: &Clip, skeleton: &Skeleton) -> f32 {
    assert!(a.frames.len().abs_diff(b.frames.len()) <= 1, "{} and {} frames", a.frames.len(), b.frames.len());
    let flat = |c: &Clip| c.frames[0].pose.root.with_y(0.0);
    let (from, to) = (flat(a), flat(b));
    let n = a.frames.len().min(b.frames.len());
    let mut sum = 0.0;
    for i in 0..n {
        let (p, q) = (skeleton.place(&a.frames[i].pose), skeleton.place(&b.frames[i].pose));
        let off = |j: usize| (p.positions[j] - from).distance(q.positions[j] - to);
        sum += (0..p.positions.len()).map(off).sum::<f32>() / p.positions.len() as f32;
    }
    sum / n as f32
}

#[test]
fn a_round_trip_in_both_formats_gives_the_same_motion() {
    let body = Body::default();
    let skeleton = Skeleton::new(&body);
    let clips = library::clips_on(&body, &skeleton, &Style::default());
    let find = |kind: Kind, turns: bool| {
        let fits = |c: &&Clip| c.kind == kind && c.slope == 0.0 && (c.yaw_rate.abs() > 0.1) == turns;
        // A middle one: neither the slowest nor the fastest.
        let all: Vec<&Clip> = clips.iter().filter(fits).collect();
        all[all.len() / 2]
    };
    let shown = [
        find(Kind::Walk, false),
        find(Kind::Walk, true),
        find(Kind::Run, false),
        find(Kind::Sidestep, false),
        find(Kind::Jump, false),
    ];
    for clip in shown {
        let what = format!("{:?} at {} m/s", clip.kind, clip.speed);
        let text = write_bvh(clip, &skeleton);
        let bytes = glb::clip_bytes(clip, &skeleton, "clip").expect("bytes");
        let files = [understood(text.as_bytes()), understood(&bytes)];
        let read = files.each_ref().map(|loaded| {
            let upright = loaded.upright().expect("upright");
            assert_eq!(upright.mapping.found.iter().flatten().count(), 19, "{what}");
            assert!((upright.body.leg() / body.leg() - 1.0).abs() < 0.01, "{what}: {}", upright.body.leg());
            assert!((upright.takes[0].rate - 60.0).abs() < 0.01, "{what}: {} Hz", upright.takes[0].rate);
            upright.draft(&loaded.source, 0, &skeleton).solve(&skeleton, clip.kind)
        });
        let between = apart(&read[0], &read[1], &skeleton);
        assert!(between < 0.002, "{what}: the formats differ by {between} m");
        for (one, format) in read.iter().zip(["BVH", "GLB"]) {
            let off = apart(clip, one, &skeleton);
            assert!(off < 0.012, "{what} in {format}: joints are {off} m off");
        }
    }
}

#[test]
fn a_clip_that_is_no_motion_is_not_written() {
    let skeleton = Skeleton::new(&Body::default());
    let empty = Clip {
        kind: Kind::Walk,
        speed: 0.0,
        yaw_rate: 0.0,
        slope: 0.0,
        period: 0.0,
        reaction: None,
        dt: 1.0 / 60.0,
        frames: Vec::new(),
        roots: Vec::new(),
    };
    assert!(glb::clip_bytes(&empty, &skeleton, "empty").is_err());
}
