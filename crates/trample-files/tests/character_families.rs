//! Families of rigs beyond their names: animals whose legs hang from one joint, insects, birds, sizes that nobody says, arms that
//! begin in the middle of the chest, recordings put on the spot.

mod rigs;

use rigs::animal::animal;
use rigs::bvh::{self, Manner};
use rigs::names::{self, Names};
use rigs::{Figure, Rest, walk};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use trample::glam::Vec3;
use trample_files::character::{self, Loaded, MapFile, MapOptions, Part};

fn understood(path: &str, text: &str) -> Loaded {
    character::understand(Path::new(path), text.as_bytes(), &MapFile::default(), &MapOptions::default())
        .unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A leg of a [`beast`]: where it hangs from the body, along and across, m, and its place in the stride.
type Leg = ([f64; 2], f64);

/// A body of one joint with legs of two bones, 0.62 m long, a head ahead and a tail behind, that goes along +x at 0.5 m/s, or on the
/// spot: animals as simple rigs have them, insects, and with two legs birds, whose wings are a pair of limbs that do not walk. Joints are
/// called after `words`: upper, lower and foot of a leg, `~` for its side.
fn beast(legs: &[Leg], wings: bool, words: [&str; 3], unit: f64, goes: bool) -> String {
    let (leg, speed, period, rate, frames) = (0.62, 0.5, 0.8, 60.0, 240);
    let mut text = String::from("HIERARCHY\n");
    let mut channels = 6;
    let mut open = |text: &mut String, kind: &str, name: &str, at: [f64; 3]| {
        let at = at.map(|v| v * unit);
        let six = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
        let own = if kind == "ROOT" { six } else { "3 Zrotation Xrotation Yrotation" };
        channels += if kind == "ROOT" { 0 } else { 3 };
        let _ = writeln!(text, "{kind} {name}\n{{\nOFFSET {} {} {}\nCHANNELS {own}", at[0], at[1], at[2]);
    };
    let close = |text: &mut String, tip: f64, joints: usize| {
        let _ = writeln!(text, "End Site\n{{\nOFFSET {} 0 0\n}}\n{}", tip * unit, "}\n".repeat(joints));
    };
    open(&mut text, "ROOT", "Body", [0.0; 3]);
    for (k, ([x, z], _)) in legs.iter().enumerate() {
        let side = if *z < 0.0 { "Left" } else { "Right" };
        let name = |word: &str| format!("{}{}", word.replace('~', side), k / 2 + 1);
        open(&mut text, "JOINT", &name(words[0]), [*x, -0.02, *z]);
        open(&mut text, "JOINT", &name(words[1]), [0.0, -0.5 * leg, 0.0]);
        open(&mut text, "JOINT", &name(words[2]), [0.0, -0.5 * leg + 0.02, 0.0]);
        close(&mut text, 0.05, 3);
    }
    if wings {
        for (side, z) in [("Left", -1.0), ("Right", 1.0)] {
            open(&mut text, "JOINT", &format!("{side}Wing1"), [0.1, 0.05, 0.1 * z]);
            open(&mut text, "JOINT", &format!("{side}Wing2"), [0.0, 0.0, 0.3 * z]);
            open(&mut text, "JOINT", &format!("{side}Wing3"), [0.0, 0.0, 0.3 * z]);
            close(&mut text, 0.05, 3);
        }
    }
    open(&mut text, "JOINT", "Head", [0.65, 0.2, 0.0]);
    close(&mut text, 0.15, 1);
    open(&mut text, "JOINT", "Tail", [-0.5, 0.0, 0.0]);
    close(&mut text, -0.3, 1);
    text += "}\n";
    let _ = writeln!(text, "MOTION\nFrames: {frames}\nFrame Time: {}", 1.0 / rate);
    let share = 0.6;
    for i in 0..frames {
        let t = f64::from(i) / rate;
        let at = if goes { speed * t * unit } else { 0.0 };
        let _ = write!(text, "{at} {} 0 0 0 0", 0.60 * unit);
        for (_, shift) in legs {
            let phase = (t / period + shift).fract();
            let reach = share * period * speed;
            let (x, knee) = if phase < share {
                (0.5 * reach - phase * period * speed, 0.0)
            } else {
                let u = (phase - share) / (1.0 - share);
                let s = u * u * (3.0 - 2.0 * u);
                (-0.5 * reach + reach * s, -50.0 * libm::sin(std::f64::consts::PI * u))
            };
            let hip = libm::asin(x / leg).to_degrees();
            let _ = write!(text, " {} 0 0 {knee} 0 0 0 0 0", hip - 0.5 * knee);
        }
        text += &" 0 0 0".repeat(if wings { 8 } else { 2 });
        text.push('\n');
    }
    assert_eq!(text.lines().last().expect("a row").split(' ').count(), channels);
    text
}

const FOUR: [Leg; 4] = [([-0.4, -0.12], 0.0), ([-0.4, 0.12], 0.5), ([0.4, -0.12], 0.75), ([0.4, 0.12], 0.25)];
const WORDS: [&str; 3] = ["~Upper", "~Lower", "~Paw"];

#[test]
fn four_legs_may_hang_from_one_joint() {
    for goes in [true, false] {
        let loaded = understood("beast", &beast(&FOUR, false, WORDS, 1.0, goes));
        let dog = loaded.four_footed().expect("on four legs");
        let first = |k: usize| loaded.source.joints[dog.legs[k][0]].name.clone();
        assert_eq!([0, 1, 2, 3].map(first), ["LeftUpper1", "RightUpper1", "LeftUpper2", "RightUpper2"]);
        let strides = dog.strides(&loaded.source);
        let speed = strides.choose(None, None).expect("a stride").stride.speed();
        assert!((speed / 0.5 - 1.0).abs() < 0.06, "{speed} m/s");
    }
}

#[test]
fn six_legs_are_no_person_and_are_told() {
    let mut six = FOUR.to_vec();
    six.extend([([0.0, -0.12], 0.5), ([0.0, 0.12], 0.0)]);
    let loaded = understood("ant", &beast(&six, false, WORDS, 1.0, true));
    let ant = loaded.four_footed().expect("an animal");
    assert!(ant.note().is_some_and(|n| n.starts_with("6 legs")), "{:?}", ant.note());
    let along = |k: usize| loaded.source.joints[ant.legs[k][0]].name.chars().last();
    assert_eq!([along(0), along(2)], [Some('1'), Some('2')], "the hindmost and the foremost");
}

#[test]
fn a_bird_is_no_person_whatever_its_legs_are_called() {
    let two = [([0.0, -0.1], 0.0), ([0.0, 0.1], 0.5)];
    for words in [["~Thigh", "~Shin", "~Foot"], ["~a", "~b", "~c"]] {
        let loaded = understood("chick", &beast(&two, true, words, 1.0, true));
        let bird = loaded.four_footed().unwrap_or_else(|| panic!("{words:?}: taken for a person"));
        assert_eq!(bird.feet(), 2, "{words:?}");
    }
}

#[test]
fn animals_of_no_name_are_in_a_unit_that_makes_them_animals() {
    for (unit, name) in
        [(1.0, "metres"), (100.0, "centimetres"), (1000.0, "millimetres"), (250.0, "centimetres")]
    {
        let loaded = understood("x", &animal(unit, false, 2));
        let dog = loaded.four_footed().expect("on four legs");
        assert_eq!(dog.space.unit_name, name, "{unit}");
        assert!(loaded.doubt().is_none(), "{unit}: {:?}", loaded.doubt());
    }
    // The folder of a collection says which animal it is.
    let loaded = understood("Elephant/walk.bvh", &animal(37.0, false, 2));
    assert!((loaded.four_footed().expect("on four legs").leg - 2.4).abs() < 0.01);
}

fn figure(names: &Names) -> Figure {
    let (skeleton, clip) = walk(1.3, 4.0, 60.0);
    Figure::new(names::rows(names, &skeleton, true), Rest::Spread, skeleton, clip)
}

#[test]
fn arms_without_names_that_begin_in_the_middle_are_not_crossed() {
    let mut figure = figure(&names::MIXAMO);
    for k in 0..figure.rows.len() {
        if matches!(figure.rows[k].part, Some(Part::LeftClavicle | Part::RightClavicle)) {
            let at = std::mem::replace(&mut figure.rows[k].at, Vec3::ZERO);
            let arm = figure.rows.iter().position(|r| r.parent == Some(k)).expect("an arm");
            figure.rows[arm].at += at;
        }
    }
    for (i, row) in figure.rows.iter_mut().enumerate() {
        row.name = format!("Bone.{i:03}");
    }
    let loaded = understood("x", &bvh::write(&figure, &Manner::default()));
    let upright = loaded.upright().expect("upright");
    for part in [Part::LeftShoulder, Part::LeftElbow, Part::LeftWrist, Part::RightShoulder, Part::RightWrist]
    {
        let found = upright.mapping.joint(part).map(|j| loaded.source.joints[j].name.clone());
        assert_eq!(found, figure.row_of(part).map(|r| r.name.clone()), "{}", part.name());
    }
}

/// Recordings of CMU put on the spot: their root stays over one place. The way they get back is the one they had.
#[test]
fn recordings_put_on_the_spot_get_their_way_back() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rigs/cmu");
    let mut out = std::io::stderr();
    for (name, most) in [("02_01", 0.05), ("07_01", 0.05), ("08_02", 0.05), ("35_01", 0.05), ("16_35", 0.12)]
    {
        let Ok(text) = std::fs::read_to_string(folder.join(format!("{name}.bvh"))) else {
            let _ = std::io::Write::write_fmt(
                &mut out,
                format_args!("SKIPPED: no {name}.bvh beside the workspace\n"),
            );
            continue;
        };
        let data =
            text.find("Frame Time").and_then(|i| text[i..].find('\n').map(|k| i + k + 1)).expect("rows");
        let rows = text[data..].lines().map(|row| {
            let mut cells: Vec<&str> = row.split_whitespace().collect();
            if cells.len() > 2 {
                (cells[0], cells[2]) = ("0", "0");
            }
            cells.join(" ") + "\n"
        });
        let spot = text[..data].to_string() + &rows.collect::<String>();
        let speed = |text: &str| {
            let loaded = understood("x.bvh", text);
            loaded.upright().expect("upright").shows(&loaded.source, 0).1[0]
        };
        let (own, back) = (speed(&text), speed(&spot));
        let _ = std::io::Write::write_fmt(
            &mut out,
            format_args!("{name}: {own:.2} m/s, on the spot {back:.2}\n"),
        );
        assert!((back / own - 1.0).abs() < most, "{name}: {back} of {own} m/s");
    }
}
