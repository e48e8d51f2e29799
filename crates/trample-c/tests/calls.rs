//! Every function as C calls it, with what is good and with what is not.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use trample_c::*;

const OWN: &CStr = c"[terrain]
size = [4.0, 2.0]
cell = 0.02
material = \"dry-sand\"
[[puppet]]
motion = \"host\"
feet = 1
mass = 60
hold = \"free\"
footwear = \"boot\"
";

fn error() -> String {
    // SAFETY: never null, and it ends in a zero byte.
    unsafe { CStr::from_ptr(trample_last_error()) }.to_string_lossy().into_owned()
}

fn own() -> *mut TrampleWorld {
    // SAFETY: a text, and no folder.
    let world = unsafe { trample_from_toml(OWN.as_ptr(), null()) };
    assert!(!world.is_null(), "{}", error());
    world
}

fn sole(position: [f32; 3]) -> TrampleSole {
    TrampleSole {
        position,
        rotation: [0.0, 0.0, 0.0, 1.0],
        velocity: [0.0; 3],
        spin: [0.0; 3],
        toe_bend: 0.0,
    }
}

#[test]
fn library_scenes_end_in_the_hashes_of_the_command() {
    let known = include_str!("../../../docs/run-hashes.txt");
    for name in ["plate", "sphere-drop"] {
        let text = CString::new(name).expect("a name");
        // SAFETY: a name, then a world until it is freed.
        let hash = unsafe {
            let world = trample_from_library(text.as_ptr());
            while !trample_is_over(world) {
                assert!(trample_step(world, 0.0), "{}", error());
            }
            assert!(trample_settle(world));
            let hash = trample_hash(world);
            trample_free(world);
            hash
        };
        let line = format!("trample run {name:16} {hash:016x}");
        assert!(known.lines().any(|l| l == line), "{line} is not in docs/run-hashes.txt");
    }
}

#[test]
fn a_foot_of_ones_own_leaves_a_print_that_is_seen_in_every_list() {
    let world = own();
    // SAFETY: a world until it is freed; every array has the length that is said.
    unsafe {
        assert_eq!((trample_hosts(world), trample_feet(world, 0), trample_feet(world, 1)), (1, 1, 0));
        assert!(trample_set_control(world, 0, TRAMPLE_BY_POSITION), "{}", error());
        let (mut cell, mut columns, mut rows) = (0.0, 0, 0);
        assert!(trample_size(world, &mut cell, &mut columns, &mut rows));
        assert_eq!((cell, columns, rows), (0.02, 200, 100));
        let mut foot = std::mem::zeroed::<TrampleFoot>();
        for step in 0..=20 {
            let height = 0.01 - 0.002 * step as f32;
            assert!(trample_set_foot(world, 0, 0, &sole([2.0, height, 1.0]), null()), "{}", error());
            assert!(trample_step(world, 0.01), "{}", error());
        }
        assert!(trample_foot(world, 0, 0, &mut foot));
        assert!(foot.down && foot.force[1] < -50.0 && foot.sinkage > 0.01, "{foot:?}");
        let mut contact = [std::mem::zeroed::<TrampleContact>(); 4];
        assert_eq!((trample_contact_count(world), trample_contacts(world, contact.as_mut_ptr(), 4)), (1, 1));
        assert_eq!((contact[0].host, contact[0].foot), (0, 0));
        for _ in 0..3 {
            assert!(trample_set_foot(world, 0, 0, &sole([2.0, 0.2, 1.0]), null()));
            assert!(trample_step(world, 0.01));
        }
        assert!(trample_height(world, 2.0, 1.0) < -0.01);

        let mut events = [std::mem::zeroed::<TrampleEvent>(); 8];
        assert_eq!((trample_event_count(world), trample_take_events(world, events.as_mut_ptr(), 8)), (2, 2));
        assert_eq!((events[0].kind, events[1].kind), (TRAMPLE_FOOT_DOWN, TRAMPLE_FOOT_UP));
        assert!(events[0].depth.is_nan() && events[1].depth > 0.005 && events[1].host == 0, "{events:?}");

        // The tiles that changed hold all of what changed.
        let mut whole = vec![0.0; 200 * 100];
        assert!(trample_map(world, c"delta".as_ptr(), 0, 0, 200, 100, whole.as_mut_ptr(), whole.len()));
        let waiting = trample_changed_count(world);
        let mut first = [std::mem::zeroed::<TrampleTile>(); 1];
        assert_eq!(trample_take_changed(world, first.as_mut_ptr(), 1), 1);
        assert_eq!(trample_changed_count(world), waiting - 1);
        let mut tiles = vec![std::mem::zeroed::<TrampleTile>(); waiting];
        assert_eq!(trample_take_changed(world, tiles.as_mut_ptr(), waiting), waiting - 1);
        tiles[waiting - 1] = first[0];
        for tile in &tiles {
            let n = (tile.columns * tile.rows) as usize;
            let mut part = vec![f32::NAN; n];
            let (x, z, w, h) = (tile.x, tile.z, tile.columns, tile.rows);
            assert!(trample_map(world, c"delta".as_ptr(), x, z, w, h, part.as_mut_ptr(), n), "{}", error());
            for (i, value) in part.iter().enumerate() {
                let at = (z as usize + i / w as usize) * 200 + x as usize + i % w as usize;
                assert_eq!(*value, whole[at]);
                whole[at] = 0.0;
            }
        }
        assert!(waiting > 0 && whole.iter().all(|x| *x == 0.0), "changed outside of the tiles");
        trample_free(world);
    }
}

#[test]
fn forces_press_by_as_much_as_they_are() {
    let world = own();
    // SAFETY: a world until it is freed; forces have three numbers.
    unsafe {
        let depth = |newtons: f32, x: f32| {
            for _ in 0..10 {
                let force = [0.0, -newtons, 0.0];
                let pressed = sole([x, -0.05, 1.0]);
                assert!(trample_set_foot(world, 0, 0, &pressed, force.as_ptr()), "{}", error());
                assert!(trample_step(world, 1.0 / 60.0));
            }
            let mut foot = std::mem::zeroed::<TrampleFoot>();
            assert!(trample_foot(world, 0, 0, &mut foot));
            assert!((foot.normal_force / f64::from(newtons) - 1.0).abs() < 0.01, "{foot:?}");
            foot.sinkage
        };
        let (light, heavy) = (depth(200.0, 1.0), depth(800.0, 3.0));
        assert!(light > 0.0 && heavy > 1.3 * light, "{light} {heavy}");
        trample_free(world);
    }
}

#[test]
fn a_state_is_brought_back_to_the_bit() {
    let world = own();
    // SAFETY: a world until it is freed; the bytes have the length that is said.
    unsafe {
        let before = trample_hash(world);
        let mut bytes = vec![0; trample_snapshot(world, null_mut(), 0)];
        assert_eq!(trample_snapshot(world, bytes.as_mut_ptr(), bytes.len()), bytes.len());
        for _ in 0..20 {
            assert!(trample_set_foot(world, 0, 0, &sole([2.0, 0.0, 1.0]), null()));
            assert!(trample_step(world, 0.0));
        }
        assert_ne!(trample_hash(world), before);
        let touched = trample_changed_count(world);
        assert_eq!(trample_take_changed(world, null_mut(), 9), 0, "nothing is lost without room");
        assert!(trample_restore(world, bytes.as_ptr(), bytes.len()), "{}", error());
        assert_eq!(trample_hash(world), before);
        assert!(touched > 0 && trample_changed_count(world) >= touched);
        assert!(!trample_restore(world, bytes.as_ptr(), bytes.len() / 2) && !error().is_empty());
        assert_eq!(trample_hash(world), before);
        trample_free(world);
    }
}

#[test]
fn a_puppet_joins_and_wrong_ones_do_not() {
    let world = own();
    let mut puppet = TramplePuppet {
        feet: 4,
        control: TRAMPLE_BY_FORCE,
        mass: 40.0,
        footwear: c"hoof".as_ptr(),
        foot_length: 0.0,
        foot_width: 0.0,
        pinned: false,
    };
    // SAFETY: a world until it is freed, a puppet.
    unsafe {
        assert_eq!(trample_add_puppet(world, &puppet), 1, "{}", error());
        assert_eq!((trample_hosts(world), trample_feet(world, 1)), (2, 4));
        let force = [0.0, -300.0, 0.0];
        for _ in 0..5 {
            assert!(trample_set_foot(world, 1, 3, &sole([1.0, -0.05, 1.0]), force.as_ptr()), "{}", error());
            assert!(trample_step(world, 0.0));
        }
        let mut contact = [std::mem::zeroed::<TrampleContact>(); 4];
        assert_eq!(trample_contacts(world, contact.as_mut_ptr(), 4), 1);
        assert_eq!((contact[0].host, contact[0].foot), (1, 3), "as the host counts them");
        let hash = trample_hash(world);
        let mut wrong = |change: &dyn Fn(&mut TramplePuppet), word: &str| {
            let kept = puppet;
            change(&mut puppet);
            assert_eq!(trample_add_puppet(world, &puppet), -1);
            assert!(error().contains(word), "{word}: {}", error());
            puppet = kept;
        };
        wrong(&|p| p.footwear = c"slippers".as_ptr(), "no such footwear");
        wrong(&|p| p.control = 9, "control 9");
        wrong(&|p| p.mass = f64::NAN, "mass");
        wrong(&|p| (p.feet, p.control) = (9, TRAMPLE_BY_WEIGHT), "eight");
        wrong(&|p| p.feet = 100_000, "feet");
        assert_eq!((trample_hosts(world), trample_hash(world)), (2, hash));
        trample_free(world);
    }
}

#[test]
fn what_is_null_or_wrong_is_refused_with_a_reason() {
    let world = own();
    let bad = c"[terrain]\ncell = 7\n";
    let mut numbers = [0.0f32; 16];
    let out = numbers.as_mut_ptr();
    let height = c"height".as_ptr();
    // SAFETY: a world until it is freed; texts end in a zero byte, arrays have the length that is said.
    unsafe {
        assert!(trample_from_toml(null(), null()).is_null() && error().contains("NULL"));
        assert!(trample_from_toml(c"\xff".as_ptr(), null()).is_null() && error().contains("UTF-8"));
        assert!(trample_from_toml(bad.as_ptr(), null()).is_null());
        assert!(error().contains("scene:2") && error().contains("cell"), "{}", error());
        assert!(trample_from_library(null()).is_null());
        assert!(trample_from_library(c"walk-snwo".as_ptr()).is_null() && error().contains("walk-snow"));
        assert!(trample_from_library(c"park".as_ptr()).is_null() && error().contains("season"));
        for dt in [-1.0, 0.3, f64::NAN, f64::INFINITY] {
            assert!(!trample_step(world, dt) && error().contains("dt"), "{dt}");
        }
        assert_eq!(trample_time(world), 0.0);
        for (x, z, w, h) in [(0, 0, 0, 4), (-1, 0, 4, 4), (197, 0, 4, 4), (0, i32::MAX, 4, 4)] {
            assert!(!trample_map(world, height, x, z, w, h, out, 16) && error().contains("200 × 100"));
        }
        assert!(!trample_map(world, height, 0, 0, 5, 4, out, 16) && error().contains("room"));
        assert!(!trample_map(world, height, 0, 0, u32::MAX, u32::MAX, out, 16));
        assert!(!trample_map(world, c"depth".as_ptr(), 0, 0, 4, 4, out, 16) && error().contains("delta"));
        assert!(!trample_map(world, null(), 0, 0, 4, 4, out, 16));
        assert!(!trample_map(world, height, 0, 0, 4, 4, null_mut(), 16));
        assert!(!trample_set_foot(world, 0, 0, null(), null()));
        assert!(!trample_set_foot(world, 0, 1, &sole([0.0; 3]), null()) && error().contains("foot 1 of 1"));
        assert!(!trample_set_foot(world, 7, 0, &sole([0.0; 3]), null()) && error().contains("puppet 7 of 1"));
        assert!(!trample_set_foot(world, 0, 0, &sole([f32::NAN; 3]), null()) && error().contains("finite"));
        assert!(!trample_set_centre(world, 0, null()) && !trample_restore(world, null(), 4));
        assert!(!trample_set_control(world, 0, 77) && !trample_set_control(world, 4, 0));
        assert!(trample_height(world, f64::NAN, 0.0).is_nan());
        assert_eq!(trample_add_puppet(world, null()), -1);
        assert!(!trample_foot(world, 0, 0, null_mut()));
        trample_free(world);

        let none: *mut TrampleWorld = null_mut();
        trample_free(none);
        assert!(trample_is_over(none) && trample_time(none).is_nan() && trample_step_length(none).is_nan());
        assert!(!trample_step(none, 0.0) && !trample_settle(none) && trample_height(none, 0.0, 0.0).is_nan());
        assert!(error().contains("the world is NULL"));
        assert!(!trample_size(none, null_mut(), null_mut(), null_mut()));
        assert!(!trample_map(none, height, 0, 0, 4, 4, out, 16) && trample_hash(none) == 0);
        assert!(trample_changed_count(none) + trample_event_count(none) + trample_contact_count(none) == 0);
        assert!(trample_take_changed(none, null_mut(), 1) + trample_take_events(none, null_mut(), 1) == 0);
        assert!(trample_contacts(none, null_mut(), 1) + trample_snapshot(none, null_mut(), 1) == 0);
        assert!(!trample_restore(none, null(), 1) && trample_hosts(none) + trample_feet(none, 0) == 0);
        assert!(trample_add_puppet(none, null()) == -1 && !trample_set_control(none, 0, 0));
        assert!(!trample_set_foot(none, 0, 0, null(), null()) && !trample_set_centre(none, 0, null()));
        assert!(!trample_foot(none, 0, 0, null_mut()));
        for names in [trample_library_scenes(), trample_map_names(), trample_version()] {
            assert!(!CStr::from_ptr(names).is_empty());
        }
    }
}
