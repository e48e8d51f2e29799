//! Rigs of every naming convention map by themselves, as BVH and as glTF, and their motion is ours again.

mod rigs;

use rigs::bvh::{self, Manner};
use rigs::names::{self, Names};
use rigs::{Figure, Rest, gltf, walk};
use std::path::Path;
use trample::body::{HIP, Joint, Skeleton};
use trample::clips::Clip;
use trample_files::character::{self, How, Loaded, MapFile, MapOptions, Part};

fn understood(bytes: &[u8]) -> Loaded {
    let path = Path::new("test-file");
    character::understand(path, bytes, &MapFile::default(), &MapOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn figure(names: &Names, rest: Rest) -> Figure {
    let (skeleton, clip) = walk(1.3, 4.0, 60.0);
    Figure::new(names::rows(names, &skeleton, true), rest, skeleton, clip)
}

/// Every part is the joint it should be.
#[track_caller]
fn maps(loaded: &Loaded, figure: &Figure, what: &str) {
    let upright = loaded.upright().expect("an upright body");
    for part in Part::ALL {
        let wanted = figure.row_of(part).map(|r| r.name.as_str());
        let found = upright.mapping.joint(part).map(|j| loaded.source.joints[j].name.as_str());
        assert_eq!(found, wanted, "{what}: {}", part.name());
    }
}

/// The motion in the file is the motion it was made of: largest differences of joints, m, seen from the pelvis.
fn differences(loaded: &Loaded, figure: &Figure) -> (f32, f32) {
    let upright = loaded.upright().expect("an upright body");
    let draft = upright.draft(&loaded.source, 0, &figure.skeleton);
    let again = draft.solve(&figure.skeleton, trample::clips::Kind::Walk);
    apart(&figure.clip, &again, &figure.skeleton)
}

/// Largest difference of the joints of the legs and of the rest, m; both clips begin at the origin.
fn apart(a: &Clip, b: &Clip, skeleton: &Skeleton) -> (f32, f32) {
    let first = a.frames[0].pose.root.with_y(0.0);
    let (mut legs, mut rest) = (0.0f32, 0.0f32);
    let every = (b.dt / a.dt).round() as usize;
    let heading = |c: &Clip| {
        let path = c.frames[c.frames.len() - 1].pose.root - c.frames[0].pose.root;
        libm::atan2f(path.z, path.x)
    };
    // Files have their own idea of ahead; what counts is the motion.
    let turn = trample::glam::Quat::from_rotation_y(heading(b) - heading(a));
    for (i, f) in b.frames.iter().enumerate() {
        let Some(g) = a.frames.get(i * every) else { break };
        let (p, q) = (skeleton.place(&g.pose), skeleton.place(&f.pose));
        for j in 0..p.positions.len() {
            let off = (p.positions[j] - first).distance(turn * q.positions[j]);
            if j == 0 || j >= HIP[0] { legs = legs.max(off) } else { rest = rest.max(off) }
        }
    }
    (legs, rest)
}

#[test]
fn every_convention_maps_by_its_names_in_bvh() {
    for names in &names::ALL {
        for rest in [Rest::Spread, Rest::Hanging, Rest::Nonsense] {
            let mut figure = figure(names, rest);
            figure.unit = 100.0;
            let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
            let what = format!("{} {rest:?}", names.convention);
            maps(&loaded, &figure, &what);
            let upright = loaded.upright().expect("upright");
            assert_eq!(upright.mapping.convention, Some(names.convention), "{what}");
            assert!(upright.mapping.sure() > 0.9, "{what}: {}", upright.mapping.sure());
            assert_eq!((upright.space.unit_name, upright.space.up_name()), ("centimetres", "y"), "{what}");
            assert!((upright.body.leg() - 0.943).abs() < 0.01, "{what}: {}", upright.body.leg());
            let (legs, others) = differences(&loaded, &figure);
            // Where the rest pose tells nothing, trunk and arms are known within a few degrees only.
            let (most, most_others) = if rest == Rest::Nonsense { (0.06, 0.12) } else { (0.012, 0.02) };
            assert!(legs < most && others < most_others, "{what}: legs {legs} m, others {others} m");
        }
    }
}

#[test]
fn every_convention_maps_by_its_names_in_gltf() {
    for names in &names::ALL {
        let figure = figure(names, Rest::Spread);
        let loaded = understood(&gltf::text(&figure, &gltf::Extras::default()));
        maps(&loaded, &figure, names.convention);
        let upright = loaded.upright().expect("upright");
        assert_eq!(upright.mapping.convention, Some(names.convention));
        assert!((upright.takes[0].rate - 60.0).abs() < 1e-9, "{}", upright.takes[0].rate);
        let (legs, others) = differences(&loaded, &figure);
        assert!(legs < 0.012 && others < 0.02, "{}: legs {legs} m, others {others} m", names.convention);
    }
}

#[test]
fn a_shoulder_is_a_collar_bone_or_an_upper_arm_as_the_convention_has_it() {
    for (names, part) in [(names::MIXAMO, Part::LeftClavicle), (names::XSENS, Part::LeftShoulder)] {
        let loaded = understood(bvh::write(&figure(&names, Rest::Spread), &Manner::default()).as_bytes());
        let joint = loaded.upright().and_then(|u| u.mapping.joint(part)).expect("mapped");
        assert!(loaded.source.joints[joint].name.ends_with("LeftShoulder"));
    }
}

#[test]
fn vrm_says_itself_which_bone_is_which() {
    for version in [0, 1] {
        let mut figure = figure(&names::LAFAN, Rest::Spread);
        // Names that mean nothing, and some that mislead.
        for (i, row) in figure.rows.iter_mut().enumerate() {
            row.name = if i % 3 == 0 { format!("Head.{i}") } else { format!("骨{i}") };
        }
        let extras = gltf::Extras { vrm: Some(version), ..Default::default() };
        let loaded = understood(&gltf::text(&figure, &extras));
        maps(&loaded, &figure, "VRM");
        let mapping = &loaded.upright().expect("upright").mapping;
        assert!(mapping.found.iter().flatten().all(|f| f.how == How::Extension && f.sure == 1.0));
    }
}

#[test]
fn joints_without_telling_names_are_found_by_their_shape() {
    for rest in [Rest::Spread, Rest::Hanging, Rest::Nonsense] {
        for z_up in [false, true] {
            let mut figure = figure(&names::MIXAMO, rest);
            for (i, row) in figure.rows.iter_mut().enumerate() {
                row.name = format!("Bone.{i:03}");
            }
            if z_up {
                figure = figure.z_up();
            }
            let loaded = understood(bvh::write(&figure, &Manner::default()).as_bytes());
            let upright = loaded.upright().expect("upright");
            assert_eq!(upright.space.up_name(), if z_up { "z" } else { "y" });
            for part in Part::ALL {
                // Which of the small joints is neck and which head cannot be told for sure.
                if matches!(part, Part::Spine | Part::Neck | Part::Head) {
                    continue;
                }
                let found = upright.mapping.joint(part).map(|j| loaded.source.joints[j].name.clone());
                let wanted = figure.row_of(part).map(|r| r.name.clone());
                assert_eq!(found, wanted, "{rest:?} {z_up}: {}", part.name());
            }
            assert!((0.3..0.7).contains(&upright.mapping.sure()), "{}", upright.mapping.sure());
            let (legs, _) = differences(&loaded, &figure);
            assert!(legs < 0.06, "{rest:?} {z_up}: {legs} m");
        }
    }
}

#[test]
fn a_map_file_has_the_last_word() {
    let mut figure = figure(&names::MIXAMO, Rest::Spread);
    for (i, row) in figure.rows.iter_mut().enumerate() {
        row.name = format!("b{i}");
    }
    let text: String = "unit = 1.0\nup = \"y\"\nmass = 61\n[joints]\n".to_string()
        + &figure
            .rows
            .iter()
            .filter_map(|r| Some(format!("{} = \"{}\"\n", r.part?.name(), r.name)))
            .collect::<String>();
    let map = character::map_file::parse(Path::new("m.toml"), &text).expect("a map");
    let bytes = bvh::write(&figure, &Manner::default());
    let loaded =
        character::understand(Path::new("f"), bytes.as_bytes(), &map, &MapOptions::default()).expect("loads");
    maps(&loaded, &figure, "map file");
    let upright = loaded.upright().expect("upright");
    assert!(upright.mapping.found.iter().flatten().all(|f| f.how == How::Given));
    assert_eq!(upright.body.mass, 61.0);
    // And what is wrong with one is said with its line.
    for (text, line, word) in [
        ("unit = 0\n", 1, "unit"),
        ("[joints]\nnose = \"b1\"\n", 2, "nose"),
        ("\nup = \"north\"", 2, "up"),
        ("a = [", 1, "TOML"),
        ("speed = 1", 1, "speed"),
    ] {
        let e = character::map_file::parse(Path::new("m.toml"), text).expect_err(text).to_string();
        assert!(e.starts_with(&format!("m.toml:{line}:")) && e.contains(word), "{e}");
    }
    let map =
        character::map_file::parse(Path::new("m.toml"), "[joints]\npelvis = \"nobody\"").expect("a map");
    let e = character::understand(Path::new("f"), bytes.as_bytes(), &map, &MapOptions::default());
    assert!(e.expect_err("no such joint").to_string().contains("nobody"));
}

#[test]
fn our_skin_can_be_moved_by_our_poses() {
    let figure = figure(&names::MIXAMO, Rest::Spread);
    let loaded = understood(&gltf::text(&figure, &gltf::Extras { feet: true, ..Default::default() }));
    let upright = loaded.upright().expect("upright");
    let own = Skeleton::new(&upright.body);
    let clip = upright.clip(&loaded.source, 0, &own);
    for frame in clip.frames.iter().step_by(20) {
        let locals = upright.joints(&loaded.source, &own, &frame.pose);
        let mut layout = character::source::Layout::default();
        loaded.source.lay(&locals, &mut layout);
        let placed = own.place(&frame.pose);
        for (part, joint) in [
            (Part::LeftHip, Joint::LeftHip),
            (Part::LeftKnee, Joint::LeftKnee),
            (Part::RightAnkle, Joint::RightAnkle),
            (Part::LeftElbow, Joint::LeftElbow),
        ] {
            let at = layout.places[upright.mapping.joint(part).expect("mapped")];
            let off = at.distance(placed.positions[joint as usize]);
            assert!(off < 0.03, "{}: {off} m", part.name());
        }
    }
    // The soles are the boxes around the feet: 27 cm long, 10 cm wide.
    for side in 0..2 {
        let sole = loaded.sole(side);
        let bounds = |k: usize| {
            let all = sole.iter().flatten().map(|p| p[k]);
            all.clone().fold(f32::MIN, f32::max) - all.fold(f32::MAX, f32::min)
        };
        assert!(
            (bounds(0) - 0.27).abs() < 0.01 && (bounds(2) - 0.10).abs() < 0.01,
            "{} {}",
            bounds(0),
            bounds(2)
        );
        assert!(sole.iter().flatten().all(|p| p.y >= 0.0));
    }
}
