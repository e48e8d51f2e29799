//! The traps of real files, one by one: units, axes, channel orders, T-poses, missing toes, far roots, odd text.

mod rigs;

use rigs::bvh::{self, Manner};
use rigs::names::{self, Names};
use rigs::{Figure, Rest, gltf, walk};
use std::path::Path;
use trample::body::Skeleton;
use trample::clips::{Clip, Database, Kind, RATE};
use trample::glam::Vec3;
use trample::imported::skate;
use trample_files::character::{self, Loaded, MapFile, MapOptions, write_bvh};

fn understood(bytes: &[u8]) -> Loaded {
    character::understand(Path::new("test-file"), bytes, &MapFile::default(), &MapOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn figure(names: &Names, rest: Rest, rate: f64) -> Figure {
    let (skeleton, clip) = walk(1.3, 4.0, rate);
    Figure::new(names::rows(names, &skeleton, true), rest, skeleton, clip)
}

/// Stride, speed and cleanliness are those of the walk it was made of.
#[track_caller]
fn walks(loaded: &Loaded, what: &str) {
    let measured = &loaded.measure()[0];
    let (period, length) = measured.stride();
    assert!((f64::from(measured.clip.speed) - 1.3).abs() < 0.04, "{what}: {} m/s", measured.clip.speed);
    assert!((length / period - 1.3).abs() < 0.06, "{what}: {length} m in {period} s");
    assert!((1.0..1.25).contains(&period), "{what}: {period} s");
    assert!(measured.after.median < 0.001, "{what}: {:?}", measured.after);
    assert!(measured.change.to_degrees() < 3.0, "{what}: {}°", measured.change.to_degrees());
}

#[test]
fn units_axes_and_channel_orders_are_found() {
    for (unit, name) in [
        (1.0, "metres"),
        (100.0, "centimetres"),
        (0.45 / 0.0254, "CMU units of 5.64 cm"),
        (1.0 / 0.0254, "inches"),
        (1000.0, "millimetres"),
    ] {
        let mut figure = figure(&names::CMU, Rest::Spread, 60.0);
        figure.unit = unit;
        let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
        assert_eq!(loaded.upright().expect("upright").space.unit_name, name);
        walks(&loaded, name);
    }
    for order in [[2, 1, 0], [2, 0, 1], [0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0]] {
        for z_up in [false, true] {
            let mut figure = figure(&names::LAFAN, Rest::Nonsense, 60.0);
            if z_up {
                figure = figure.z_up();
            }
            let loaded = understood(bvh::write(&figure, &Manner { order, ..Manner::default() }).as_bytes());
            let up = loaded.upright().expect("upright").space.up_name();
            assert_eq!(up, if z_up { "z" } else { "y" });
            walks(&loaded, &format!("{order:?} {z_up}"));
        }
    }
}

#[test]
fn six_channels_on_every_joint_replace_offsets_or_add_to_them() {
    for adds in [false, true] {
        let figure = figure(&names::XSENS, Rest::Spread, 60.0);
        let manner = Manner { six: true, adds, ..Manner::default() };
        walks(&understood(bvh::write(&figure, &manner).as_bytes()), &format!("adds {adds}"));
    }
}

#[test]
fn line_ends_white_space_and_case_do_not_matter() {
    let figure = figure(&names::ALL[13], Rest::Spread, 60.0);
    let plain = bvh::write(&figure, &Manner::default());
    let wanted = character::read(Path::new("a"), plain.as_bytes()).expect("plain");
    let data = plain.find("MOTION").expect("motion");
    let (tree, motion) = plain.split_at(data);
    let forms = [
        bvh::write(&figure, &Manner { line: "\r\n", ..Manner::default() }),
        bvh::write(&figure, &Manner { line: "\r", ..Manner::default() }),
        tree.replace("  ", " \t").replace("OFFSET ", "OFFSET\n\t ") + &motion.replace(' ', "  \t"),
        plain.replace("\n{", " {"),
        format!("\u{feff}{plain}\n\n \t\0\0"),
        plain.replace("Frames: ", "Frames:").replace("Frame Time: ", "FRAME TIME :\t"),
        plain.replace("HIERARCHY", "Hierarchy").replace("OFFSET", "offset").replace("rotation", "ROTATION"),
        // Rows broken over lines.
        tree.to_string()
            + &motion
                .lines()
                .enumerate()
                .map(|(i, l)| if i > 2 { l.replacen(" ", "\n", 3) } else { l.into() } + "\n")
                .collect::<String>(),
    ];
    for (i, form) in forms.iter().enumerate() {
        let source = character::read(Path::new("a"), form.as_bytes()).unwrap_or_else(|e| panic!("{i}: {e}"));
        let names = |s: &character::Source| s.joints.iter().map(|j| j.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&source), names(&wanted), "{i}");
        assert_eq!(source.takes[0].frames, wanted.takes[0].frames, "{i}");
        let mut poses = [Vec::new(), Vec::new()];
        source.pose(&source.takes[0], 7, &mut poses[0]);
        wanted.pose(&wanted.takes[0], 7, &mut poses[1]);
        assert_eq!(poses[0], poses[1], "{i}");
    }
}

#[test]
fn a_t_pose_at_the_start_is_left_out() {
    let mut figure = figure(&names::LAFAN, Rest::Spread, 120.0);
    figure.t_pose = true;
    let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
    assert_eq!(loaded.upright().expect("upright").takes[0].first_frame, 1);
    walks(&loaded, "T-pose");
    figure.t_pose = false;
    let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
    assert_eq!(loaded.upright().expect("upright").takes[0].first_frame, 0);
}

#[test]
fn frame_rates_and_far_roots_do_not_matter() {
    for rate in [24.0, 30.0, 60.0, 100.0, 120.0, 240.0] {
        let mut figure = figure(&names::MIXAMO, Rest::Spread, rate);
        figure.shift = Vec3::new(37.0, 0.4, -12.0);
        let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
        let take = &loaded.upright().expect("upright").takes[0];
        assert!((take.rate - rate).abs() < 1e-6 * rate, "{} for {rate}", take.rate);
        assert!((take.away - 38.9).abs() < 0.5, "{}", take.away);
        let measured = &loaded.measure()[0];
        assert!(measured.clip.frames[0].pose.root.with_y(0.0).length() < 0.3, "moved to the origin");
        assert!((measured.clip.dt - 1.0 / RATE).abs() < 1e-12);
        walks(&loaded, &format!("{rate} Hz"));
    }
}

#[test]
fn missing_toes_are_made_at_seven_tenths_of_the_foot() {
    let (skeleton, clip) = walk(1.3, 4.0, 60.0);
    let figure = Figure::new(names::rows(&names::MIXAMO, &skeleton, false), Rest::Spread, skeleton, clip);
    let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
    let upright = loaded.upright().expect("upright");
    assert!(upright.toes_made);
    let own = Skeleton::new(&upright.body);
    let ball = (own.foot.ball - own.foot.ankle) as f32;
    let end = figure.rows.iter().find_map(|r| r.tip.filter(|t| t.x > 0.1)).expect("a foot with an end");
    assert!((ball - 0.7 * end.x).abs() < 0.005, "{ball} of {}", end.x);
    walks(&loaded, "no toes");
    // And with not even an end to the foot: as long as a person's.
    let mut bare = figure.clone();
    bare.rows.iter_mut().for_each(|r| r.tip = None);
    let loaded = understood(&gltf::text(&bare, &gltf::Extras::default()));
    assert!(loaded.upright().expect("upright").toes_made);
    let foot = loaded.body().expect("body").foot_length;
    assert!((foot - 0.275).abs() < 0.01, "{foot}");
    walks(&loaded, "no ends");
}

#[test]
fn armatures_of_any_scale_and_two_skins_are_one_body() {
    for armature in [None, Some(1.0), Some(0.01), Some(100.0)] {
        for two_skins in [false, true] {
            let figure = figure(&names::ALL[1], Rest::Spread, 30.0);
            let extras = gltf::Extras { armature, two_skins, feet: true, ..Default::default() };
            let (json, bytes) = gltf::parts(&figure, &extras);
            let loaded = understood(&gltf::binary(&json, &bytes));
            let upright = loaded.upright().expect("upright");
            assert!((upright.body.leg() - 0.943).abs() < 0.01, "{armature:?}: {}", upright.body.leg());
            assert_eq!(upright.takes[0].name, "animation 0", "a clip without a name");
            walks(&loaded, &format!("{armature:?} {two_skins}"));
        }
    }
}

#[test]
fn curves_may_be_cubic() {
    let figure = figure(&names::MIXAMO, Rest::Spread, 30.0);
    walks(&understood(&gltf::text(&figure, &gltf::Extras { cubic: true, ..Default::default() })), "cubic");
}

#[test]
fn buffers_may_lie_beside_the_file_but_not_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::create_dir_all(inside.join("data")).expect("folders");
    std::fs::create_dir_all(&outside).expect("folders");
    let (mut json, bytes) =
        gltf::parts(&figure(&names::MIXAMO, Rest::Spread, 30.0), &gltf::Extras::default());
    std::fs::write(inside.join("data/my walk.bin"), &bytes).expect("writes");
    std::fs::write(outside.join("walk.bin"), &bytes).expect("writes");
    let path = inside.join("walk.gltf");
    let mut load = |uri: &str| {
        json["buffers"][0]["uri"] = uri.into();
        std::fs::write(&path, json.to_string()).expect("writes");
        character::load(&path, &MapOptions::default())
    };
    walks(&load("data/my%20walk.bin").expect("loads"), "beside");
    let absolute = outside.join("walk.bin");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&absolute, inside.join("link.bin")).expect("a link");
    for uri in [
        "../out/walk.bin",
        "data/../../out/walk.bin",
        "%2e%2e/out/walk.bin",
        "..%2fout/walk.bin",
        absolute.to_str().expect("plain"),
        "file:///etc/passwd",
        "http://example.org/walk.bin",
        "..\\out\\walk.bin",
        "link.bin",
        "",
        "%zz",
    ] {
        let e = load(uri).expect_err(uri).to_string();
        assert!(e.contains("buffers[0]") && e.contains("only files in the folder"), "{uri}: {e}");
    }
    let e = load("missing.bin").expect_err("missing").to_string();
    assert!(e.contains("missing.bin"), "{e}");
}

#[test]
fn skating_files_are_cleaned_within_three_degrees() {
    // The root slides against the feet as in poor recordings: feet skate by some 6 cm/s while they stand.
    let mut figure = figure(&names::LAFAN, Rest::Spread, 120.0);
    for (i, frame) in figure.clip.frames.iter_mut().enumerate() {
        let t = i as f32 / 120.0;
        frame.pose.root +=
            Vec3::new(0.012 * libm::sinf(8.0 * t), 0.006 * libm::sinf(5.0 * t), 0.01 * libm::sinf(6.5 * t));
    }
    let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
    let measured = &loaded.measure()[0];
    assert!(measured.before.median > 0.03, "{:?}", measured.before);
    assert!(measured.after.median < 0.001 && measured.after.drift < 5e-4, "{:?}", measured.after);
    assert!(measured.change.to_degrees() < 3.0, "{}°", measured.change.to_degrees());
}

#[test]
fn our_own_clips_come_back_from_bvh() {
    let (skeleton, clip) = walk(1.3, 5.0, 60.0);
    let text = write_bvh(&clip, &skeleton);
    let loaded = understood(text.as_bytes());
    let upright = loaded.upright().expect("upright");
    assert!(upright.mapping.sure() > 0.9 && upright.rest_upright);
    let again = upright.draft(&loaded.source, 0, &skeleton).solve(&skeleton, Kind::Walk);
    assert_eq!(again.frames.len(), clip.frames.len());
    let start = clip.frames[0].pose.root.with_y(0.0);
    for (i, (a, b)) in clip.frames.iter().zip(&again.frames).enumerate() {
        let off = (a.pose.root - start).distance(b.pose.root);
        assert!(off < 0.002, "frame {i}: the root is off by {off} m");
        for j in 0..a.pose.rotations.len() {
            let dot = a.pose.rotations[j].normalize().dot(b.pose.rotations[j].normalize()).abs();
            let angle = 2.0 * libm::acosf(dot.min(1.0)).to_degrees();
            assert!(angle < 0.5, "frame {i}: joint {j} is off by {angle}°");
        }
    }
    let wrong = clip
        .frames
        .iter()
        .zip(&again.frames)
        .filter(|(a, b)| (0..2).any(|s| a.contacts[s].contains(&true) != b.contacts[s].contains(&true)));
    assert!(wrong.count() < clip.frames.len() / 12, "contacts are found where they were");
}

#[test]
fn a_database_can_be_made_of_recorded_clips_alone_or_with_ours() {
    let figure = figure(&names::LAFAN, Rest::Spread, 120.0);
    let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
    for body in ["default", "child", "tall", "stocky"] {
        let body = trample::params::Body::by_name(body).expect("a body");
        let skeleton = Skeleton::new(&body);
        let clips = loaded.clips_for(&skeleton);
        assert!(clips.iter().any(|c| c.kind == Kind::Walk));
        // Legs set the scale: a child's stride is shorter, and its feet stand all the same.
        let scale = body.leg() / trample::params::Body::default().leg();
        assert!((f64::from(clips[0].speed) - 1.3 * scale).abs() < 0.05, "{} at {scale}", clips[0].speed);
        let slides = skate(&clips[0], &skeleton);
        assert!(slides.median < 0.001, "{slides:?}");
        let alone = Database::untagged(&skeleton, &clips);
        assert_eq!(alone.shots.len(), clips.iter().map(|c| c.frames.len()).sum::<usize>());
        let found = alone.index.query_tagged(&alone.features[40], None, 1);
        assert!(found.found(), "any wish finds something");
        let ours = vec![walk_of(&body), clips[0].clone()];
        let mixed = Database::new(&skeleton, &ours);
        assert_eq!(mixed.spans.len(), 2);
        let forces: f32 = alone.shots.iter().map(|s| -s.force.y).sum::<f32>() / alone.shots.len() as f32;
        assert!((forces - 1.0).abs() < 0.05, "a body weighs its weight: {forces}");
    }
}

fn walk_of(body: &trample::params::Body) -> Clip {
    use trample::body::Ground;
    use trample::gait::{Gait, Rig, Style, Track};
    let rig = Rig::new(body, &Style::default(), Ground::default());
    Clip::sample(Kind::Walk, &Gait::new(&rig, Track::straight(1.2), 4.0), 4.0, RATE)
}

#[test]
fn packed_meshes_are_named_and_what_gltf_lets_out_may_be_missing() {
    let text = |extra: &str| format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{{}}]{extra}}}");
    let read = |extra: &str| character::read(Path::new("someone.gltf"), text(extra).as_bytes());
    let packed =
        read(", \"extensionsRequired\": [\"KHR_draco_mesh_compression\"]").expect_err("packed").to_string();
    assert!(packed.contains("KHR_draco_mesh_compression, which is not read"), "{packed}");
    // A texture without a picture of its own, and a channel that moves nothing.
    let bare = ", \"textures\": [{}], \"animations\": [{\"samplers\": [], \"channels\": [{\"sampler\": 0, \"target\": {\"path\": \"rotation\"}}]}]";
    assert_eq!(read(bare).expect("reads").joints.len(), 1);
    let fbx =
        character::read(Path::new("someone.fbx"), b"Kaydara FBX Binary  ").expect_err("not read").to_string();
    assert!(fbx.contains("make a GLB of it"), "{fbx}");
}
