//! What is wrong with a scene is said so that its author can mend it: file and line, field, value, what is allowed.

mod common;

use common::{bad, bad_set, source, with};
use trample::Base;
use trample::params::{Body, Field, Material, Range, Species};
use trample::scene::{Fall, Path, PlantPatch, Press, Scene, Terrain, Walk, WalkerSpec};
use trample_files::Source;

/// A scene text and what the message must contain.
type Row = (&'static str, &'static [&'static str]);

fn check_rows(rows: &[Row]) {
    for (text, expected) in rows {
        let message = bad(text);
        for part in *expected {
            assert!(message.contains(part), "{text}\nsays: {message}\nwithout: {part}");
        }
    }
}

#[test]
fn unknown_keys_are_refused_on_every_level_with_a_suggestion() {
    check_rows(&[
        (
            "sead = 3",
            &["test.toml:1:", "unknown key `sead`", "did you mean `seed`?", "Allowed here:", "rate"],
        ),
        ("preste = \"walk-snow\"", &["`preste`", "did you mean `preset`?"]),
        ("\n\n[[puppets]]\nmass = 3", &["test.toml:3:", "`puppets`", "did you mean `puppet`?"]),
        ("[terain]\ncell = 0.01", &["test.toml:1:", "did you mean `terrain`?"]),
        ("[terrain]\n\ncel = 0.01", &["test.toml:3:", "`terrain.cel`", "did you mean `cell`?"]),
        (
            "[terrain.base]\nkind = \"slope\"\nangle = 3",
            &["test.toml:3:", "`terrain.base.angle`", "angle_deg"],
        ),
        ("[terrain.base]\nkin = \"slope\"", &["`terrain.base.kin`", "did you mean `kind`?"]),
        (
            "[terrain.place]\nepgs = 25832\ncorner = [1, 2]",
            &["test.toml:2:", "`terrain.place.epgs`", "`epsg`?"],
        ),
        ("[[material]]\nnam = \"mud\"", &["test.toml:2:", "`material[0].nam`", "did you mean `name`?"]),
        (
            "[[material]]\nname = \"mud\"\n[[material]]\nname = \"snow\"\nyoung_modulus = 1e6",
            &["test.toml:5:", "`material[1].young_modulus`", "did you mean `youngs_modulus`?"],
        ),
        (
            "[[paint]]\nmaterial = \"mud\"\nrectangel = []",
            &["`paint[0].rectangel`", "did you mean `rectangle`?"],
        ),
        (
            "[[paint]]\nmaterial = \"mud\"\ndisc = { center = [0, 0], radius = 1 }",
            &["test.toml:3:", "`paint[0].disc.center`", "did you mean `centre`?"],
        ),
        (
            "[[puppet]]\nmass = 80\n[[puppet]]\nwaypoint = []",
            &["test.toml:4:", "`puppet[1].waypoint`", "did you mean `waypoints`?"],
        ),
        ("[[puppet]]\nsole = { outlin = [] }", &["`puppet[0].sole.outlin`", "did you mean `outline`?"]),
        ("[[plants]]\ndensty = 3", &["test.toml:2:", "`plants[0].densty`", "did you mean `density`?"]),
        ("qqqqqqqq = 1", &["unknown key `qqqqqqqq`. Allowed here: about, avoid, boardwalk"]),
        ("puppet = [{ mass = 80, \"a b\" = 1 }]", &["test.toml:1:", "`puppet[0].a b`"]),
    ]);
}

#[test]
fn a_key_of_another_choice_is_told_where_it_belongs() {
    check_rows(&[
        (
            "[[puppet]]\nmotion = \"drop\"\nspeed = 1",
            &["test.toml:3:", "`puppet[0].speed` goes with motion = \"walk\""],
        ),
        (
            "[[puppet]]\nposition = [1, 1]",
            &["`puppet[0].position` goes with motion = \"drop\" or \"press\"", "\"walk\""],
        ),
        (
            "[terrain.base]\nangle_deg = 3",
            &["`terrain.base.angle_deg` goes with kind = \"slope\"", "\"flat\""],
        ),
        (
            "[terrain.base]\nfile = \"a.tif\"\ncrest = 3",
            &["`terrain.base.crest` goes with kind = \"dune\"", "\"raster\""],
        ),
        (
            "[[paint]]\nmaterial = \"mud\"\ndisc = {}\nrectangle = [[0, 0], [1, 1]]",
            &["`paint[0]` needs one of"],
        ),
        ("[[paint]]\nmaterial = \"mud\"\nlevels = {}\nrectangle = [[0, 0], [1, 1]]", &["goes with `image`"]),
        (
            "[[puppet]]\nsole = { mesh = \"a.obj\", outline = [[0, 0], [1, 0], [0, 1]] }",
            &["needs one of `outline`"],
        ),
        (
            "[[plants]]\nmost = 0.1",
            &["test.toml:2:", "`plants[0].most` goes with method = \"displaced\"", "\"simulated\""],
        ),
        ("[[puppet]]\nsole = { relief = 0.1, outline = [[0, 0], [1, 0], [0, 1]] }", &["goes with `image`"]),
    ]);
}

/// Every number of every table: how a scene begins before it, and the path it then has.
fn numbers() -> Vec<(String, String, Range)> {
    fn of<T>(head: &str, path: &str, fields: &'static [Field<T>]) -> Vec<(String, String, Range)> {
        let one = |r: Range| (format!("{head}{} = ", r.name), format!("{path}{}", r.name), r);
        fields.iter().map(|f| one(f.range)).collect()
    }
    let kinds =
        [("slope", ["angle_deg", "direction_deg"].as_slice()), ("hills", &["amplitude", "wavelength"])];
    let dune: &[&str] = &["height", "crest", "windward_deg", "lee_deg"];
    let mut all = [
        of("", "", Scene::FIELDS),
        of("[terrain]\n", "terrain.", Terrain::FIELDS),
        of("[[material]]\nname = \"snow\"\n", "material[0].", Material::FIELDS),
        of("[[plants]]\nmethod = \"displaced\"\n", "plants[0].", PlantPatch::FIELDS),
        of("[[plants]]\n", "plants[0].", Species::FIELDS),
        of("[[puppet]]\n", "puppet[0].", Body::ANYTHING),
        of("[[puppet]]\n", "puppet[0].", Path::FIELDS),
        of("[[puppet]]\n", "puppet[0].", Walk::FIELDS),
        of("[[puppet]]\nmotion = \"drop\"\n", "puppet[0].", Fall::FIELDS),
        of("[[puppet]]\nmotion = \"press\"\n", "puppet[0].", Press::FIELDS),
        of("[[walker]]\n", "walker[0].", Body::FIELDS),
        of("[[walker]]\n", "walker[0].", WalkerSpec::FIELDS),
    ]
    .concat();
    for (kind, names) in kinds.into_iter().chain([("dune", dune)]) {
        let head = format!("[terrain.base]\nkind = {kind:?}\n");
        let rows = of(&head, "terrain.base.", Base::FIELDS);
        all.extend(rows.into_iter().filter(|(.., range)| names.contains(&range.name)));
    }
    all
}

#[test]
fn every_number_refuses_what_is_out_of_range_and_says_what_is_allowed() {
    for (head, path, range) in numbers() {
        let bounded = range.max < f64::MAX;
        let span = if bounded { range.max - range.min } else { 1.0 };
        let near = [range.min - 0.01 * span, range.max + 0.01 * span, 1e300, -1e300];
        let values = near.iter().filter(|_| bounded).map(|v| format!("{v:?}"));
        let huge = ["nan".to_string(), "inf".into(), "-inf".into()];
        let long = ["9".repeat(60), format!("-{}", "9".repeat(60))].into_iter().filter(|_| bounded);
        for value in values.chain(huge).chain(long) {
            let message = bad(&format!("{head}{value}"));
            let line = head.lines().count();
            for part in [format!("test.toml:{line}:"), format!("`{path}` is "), range.allowed()] {
                assert!(message.contains(&part), "{head}{value}\nsays: {message}\nwithout: {part}");
            }
            assert!(message.len() < 300, "no row of zeros: {message}");
        }
        let what = range.kind();
        for (wrong, shown) in [
            ("\"much\"", "the text `much`"),
            ("true", "true"),
            ("[1]", "a list of 1"),
            ("{}", "a table"),
            ("1979-05-27", "the date 1979-05-27"),
        ]
        .into_iter()
        .filter(|(wrong, _)| !range.switch || *wrong != "true")
        {
            let message = bad(&format!("{head}{wrong}"));
            for part in [&format!("`{path}` is {shown}, must be {what}"), &range.allowed()] {
                assert!(message.contains(part), "{head}{wrong}\nsays: {message}\nwithout: {part}");
            }
        }
    }
}

#[test]
fn every_number_takes_both_ends_of_its_range() {
    for (head, path, range) in numbers() {
        for value in [range.min, range.max] {
            // Cells of 0.1 m need a wider contour, a large negative cohesion a friction to match.
            let rest = match range.name {
                "cell" => "\ncontour = 0.1",
                "contour" if value == range.min => "\ncell = 0.01",
                "cohesive_modulus" if value < 0.0 => continue,
                // So many stems of so many particles, and a joint breaks no earlier than it wears.
                "plant_height" if value > 1.0 => "\nspacing = 0.2",
                "plant_width" if value > 0.5 => "\nspacing = 0.05",
                "spacing" if value < 0.01 => "\nplant_height = 0.04",
                "wear_angle_deg" if value > 1.0 => "\nbreak_angle_deg = 180",
                "break_angle_deg" if value < 5.0 => "\nwear_angle_deg = 1",
                // Limbs follow height; the smallest and the largest need some of their own.
                "height" if path.starts_with("walker") && value < 1.0 => {
                    "\nhip_width = 0.1\nhead = 0.2\nankle_height = 0.04\nfoot_length = 0.15\nfoot_width = 0.06\n\
                     upper_arm = 0.2\nforearm = 0.2\nhand = 0.1\nthigh = 0.2\nshank = 0.2\nshoulder_width = 0.2\ntrunk = 0.3"
                }
                _ => "",
            };
            let text = format!("{head}{value:?}{rest}");
            source(&text).scene().unwrap_or_else(|e| panic!("{text}\nsays: {e}"));
        }
    }
}

#[test]
fn values_without_a_range_of_their_own_are_checked_too() {
    check_rows(&[
        ("[terrain]\nsize = [0.01, 5]", &["test.toml:2:", "`terrain.size` is 0.01", "0.1 to 50000 m"]),
        ("[terrain]\nsize = 5", &["`terrain.size` is 5, must be a list of two finite numbers"]),
        ("[terrain]\nsize = [1, nan]", &["`terrain.size`", "two finite numbers"]),
        (
            "[terrain]\nsize = [50000, 50000]\ncell = 0.0025",
            &["test.toml:2:", "`terrain.size`", "cells a side"],
        ),
        ("[terrain]\ncell = 0.1\ncontour = 0.005", &["test.toml:3:", "`terrain.contour`", "half a cell"]),
        ("seed = -1", &["`seed` is -1, must be a whole number", "0 to 18446744073709551615"]),
        ("seed = 1.5", &["`seed` is 1.5, must be a whole number"]),
        ("seed = 18446744073709551616", &["`seed` is 18446744073709551616"]),
        ("seed = \"x\"", &["`seed` is the text `x`"]),
        ("name = 5", &["test.toml:1:", "`name` is 5, must be a text in quotes"]),
        (
            "[[puppet]]\npasses = 2.5",
            &["test.toml:2:", "`puppet[0].passes` is 2.5, must be a whole number", "1 to 1000000"],
        ),
        (
            "[[puppet]]\nmotion = \"press\"\npresses = 1.5",
            &["`puppet[0].presses` is 1.5, must be a whole number"],
        ),
        ("[[puppet]]\nback_and_forth = 1", &["`puppet[0].back_and_forth` is 1, must be true or false"]),
        (
            "[[puppet]]\nwaypoints = [[0, 0]]",
            &["`puppet[0].waypoints` is a list of 1, must be a list of 2 to 100000"],
        ),
        (
            "[[puppet]]\nwaypoints = [[0, 0],\n[1, inf]]",
            &["test.toml:3:", "`puppet[0].waypoints[1]`", "two finite numbers"],
        ),
        (
            "[[puppet]]\nwaypoints = [[0, 0], [99, 1]]",
            &["`puppet[0].waypoints`", "(99, 1) is not on the terrain of 6 × 2 m"],
        ),
        ("[[puppet]]\nwaypoints = [[1, 1], [1, 1]]", &["test.toml:2:", "shorter than 0.1 m"]),
        (
            "[[puppet]]\nmotion = \"drop\"\nposition = [-1, 0]",
            &["test.toml:3:", "(-1, 0) is not on the terrain"],
        ),
        ("[[puppet]]\nmotion = \"host\"\nfeet = 9", &["test.toml:3:", "`puppet[0].feet`", "1 to 8"]),
        ("[[puppet]]\nmotion = \"host\"\nfeet = 0", &["`puppet[0].feet`", "1 to 8"]),
        ("[[puppet]]\nmotion = \"press\"\nheading_deg = inf", &["`puppet[0].heading_deg` is inf"]),
        (
            "[[puppet]]\nfootwear = \"boots\"",
            &["`puppet[0].footwear` is `boots`", "did you mean `boot`?", "snowshoe"],
        ),
        ("[[puppet]]\nfootwear = 3", &["`puppet[0].footwear` is 3, must be one of", "\"bare\""]),
        (
            "[[puppet]]\nmotion = \"run\"",
            &["test.toml:2:", "`puppet[0].motion` is `run`", "walk, drop, press, host"],
        ),
        ("[[puppet]]\nhold = \"fee\"", &["`puppet[0].hold` is `fee`", "did you mean `free`?"]),
        ("[terrain]\nlaw = \"trial\"", &["`terrain.law` is `trial`", "did you mean `trail`?", "bekker-wong"]),
        ("[terrain.base]\nkind = \"dunes\"", &["`terrain.base.kind` is `dunes`", "did you mean `dune`?"]),
        (
            "[terrain.base]\nkind = \"dune\"\ncrest = 1e200",
            &["`terrain.base.crest` is 1e200", "-1000000 to 1000000 m"],
        ),
        ("[terrain.base]\nkind = \"slope\"\ndirection_deg = nan", &["`terrain.base.direction_deg` is NaN"]),
        ("[terrain.base]\nkind = \"hills\"\nseed = -3", &["`terrain.base.seed` is -3"]),
        ("[terrain.place]\nepsg = 4", &["test.toml:2:", "`terrain.place.epsg` is 4", "1024 to 32767"]),
        ("[terrain.place]\nepsg = 25832", &["test.toml:1:", "`terrain.place` needs", "`corner`"]),
        (
            "[terrain]\nmaterial = \"snwo\"",
            &["test.toml:2:", "`terrain.material` is `snwo`", "did you mean `snow`?", "lete-sand"],
        ),
        ("[[material]]\nname = \"a\"", &["test.toml:2:", "`material[0].name` is `a`", "`preset`"]),
        (
            "[[material]]\nname = \"a\"\npreset = \"mudd\"",
            &["test.toml:3:", "`material[0].preset` is `mudd`", "`mud`?"],
        ),
        ("[[material]]\npreset = \"mud\"", &["test.toml:1:", "`material[0]` needs a `name`"]),
        (
            "[[material]]\nname = \"mud\"\n[[material]]\nname = \"mud\"",
            &["test.toml:4:", "`material[1].name` is `mud`"],
        ),
        (
            "[[material]]\nname = \"mud\"\ncolour = [300, 1, 2, 3]",
            &["test.toml:3:", "`material[0].colour`", "0 to 255"],
        ),
        ("[[material]]\nname = \"mud\"\ncolour = [1.5, 1, 2]", &["`material[0].colour`", "whole numbers"]),
        (
            "[terrain]\nmaterial = \"mud\"\n[[material]]\nname = \"soil\"\n[[material]]\nname = \"mud\"\ncohesive_modulus = -1e8",
            &["test.toml:7:", "`material[1].cohesive_modulus` is -100000000", "`frictional_modulus`"],
        ),
        (
            "[[paint]]\nmaterial = \"snwo\"\nrectangle = [[0, 0], [1, 1]]",
            &["test.toml:2:", "`paint[0].material` is `snwo`"],
        ),
        ("[[paint]]\nrectangle = [[0, 0], [1, 1]]", &["test.toml:1:", "`paint[0]` needs a `material`"]),
        ("[[paint]]\nmaterial = \"mud\"", &["`paint[0]` needs one of `rectangle`, `disc` or `image`"]),
        (
            "[[paint]]\nmaterial = \"mud\"\nrectangle = [0, 1]",
            &["`paint[0].rectangle[0]` is 0, must be a list of two"],
        ),
        (
            "[[paint]]\nmaterial = \"mud\"\ndisc = { centre = [0, 0] }",
            &["`paint[0].disc` needs `centre` and `radius`"],
        ),
        (
            "[[paint]]\nmaterial = \"mud\"\ndisc = { centre = [0, 0], radius = 0 }",
            &["`paint[0].disc.radius` is 0", "0.001 to"],
        ),
        ("[[paint]]\nmaterial = \"mud\"\ndisc = 5", &["`paint[0].disc` is 5, must be a table"]),
        (
            "[puppet]\nmass = 3",
            &["test.toml:1:", "`puppet` is a table, must be a list of tables: [[puppet]]"],
        ),
        ("puppet = [5]", &["`puppet[0]` is 5, must be a table"]),
        ("terrain = 5", &["test.toml:1:", "`terrain` is 5, must be a table"]),
        ("[terrain]\nbase = 5", &["`terrain.base` is 5, must be a table"]),
        ("[material]\nname = \"mud\"", &["must be a list of tables: [[material]]"]),
        ("paint = {}", &["must be a list of tables: [[paint]]"]),
    ]);
}

#[test]
fn broken_toml_names_the_line_and_shows_it() {
    check_rows(&[
        ("seed = 1\nseed = 2", &["test.toml:2:", "duplicate key", "`seed = 2`"]),
        ("[terrain]\n[terrain]", &["test.toml:2:", "duplicate key"]),
        ("a =", &["test.toml:1:"]),
        ("\n\nname = \"open", &["test.toml:3:"]),
        ("rate = 6O", &["test.toml:1:", "`rate = 6O`"]),
        ("just words", &["test.toml:1:", "`just words`"]),
        ("[[puppet]]\nmass = 1..2", &["test.toml:2:"]),
        ("mass = 0x_1", &["test.toml:1:"]),
        ("", &["test.toml:1:", "nothing in it"]),
        ("# only a comment\n\n", &["test.toml:1:", "nothing in it", "[terrain]"]),
        ("\0", &["test.toml:1:"]),
        ("seed = 1979-05-27T07:32:00Z", &["`seed` is the date 1979-05-27T07:32:00Z"]),
    ]);
}

#[test]
fn presets_that_do_not_exist_are_named_with_those_that_do() {
    check_rows(&[
        (
            "preset = \"walk-snwo\"",
            &["test.toml:1:", "`preset` is `walk-snwo`", "did you mean `walk-snow`?", "kilometre"],
        ),
        ("preset = 5", &["`preset` is 5", "walk-snow"]),
        (
            "preset = \"walk-snow\"\n[terrain]\nsize = [1, 1]",
            &[
                "test.toml (from library scene walk-snow):",
                "`walker[0].waypoints`",
                "not on the terrain of 1 × 1 m",
            ],
        ),
    ]);
    let message = Source::find("walk-snwo").expect_err("no such scene").to_string();
    assert!(message.contains("walk-snwo") && message.contains("did you mean `walk-snow`?"), "{message}");
    assert!(message.contains("`trample scenes`"), "{message}");
}

#[test]
fn deep_nesting_of_any_sort_is_an_error_and_not_a_crash() {
    let dotted = |n: usize| vec!["a"; n].join(".");
    let mut both = String::new();
    for _ in 0..78 {
        both += &format!("{} = {{", dotted(79));
    }
    let texts = [
        "[".repeat(100_000),
        format!("a = {}", "[".repeat(100_000)),
        format!("a = {}", "{a = ".repeat(100_000)),
        format!("{} = 1", dotted(100_000)),
        format!("[{}]\n", dotted(79)),
        format!("a = {}1{}", "[".repeat(60), "]".repeat(60)),
        format!("{both}a = 1{}", "}".repeat(78)),
    ];
    for text in texts {
        let message = bad(&text);
        assert!(message.starts_with("test.toml:1:") && message.len() < 300, "{message}");
    }
    let long = format!("{}=1", vec!["terrain"; 20_000].join("."));
    assert!(bad_set("walk-snow", &[&long]).contains("is not a path"));
    let brackets = format!("about={}", "[".repeat(50_000));
    assert!(with("walk-snow", &[&brackets]).scene().is_ok(), "what is not TOML is a text");
}

#[test]
fn long_files_take_time_in_proportion() {
    // 200 000 values on as many lines; with lines counted from the start each time this would take minutes.
    let text = format!("about = [\n{}]\n", "1,\n".repeat(200_000));
    assert!(bad(&text).contains("`about` is a list of 200000, must be a text"));
    let many = "[[material]]\nname = \"mud\"\n".repeat(100_000);
    assert!(bad(&many).contains("`material` is there 100000 times, allowed: 16"));
    let puppets = "[[puppet]]\n".repeat(100_001);
    assert!(bad(&puppets).contains("`puppet` is there 100001 times, allowed: 100000"));
}

#[test]
fn what_is_wrong_with_a_walker_is_told_at_its_own_line() {
    let text = "[terrain]\nsize = [8, 4]\n[[puppet]]\nwaypoints = [[1, 1], [5, 1]]\n[[walker]]\nwaypoints = [[1, 1], [5, 1]]\n\
                [[walker]]\nwaypoints = [[1, 1], [50, 1]]\n";
    let told = source(text).scene().expect_err("off the map").to_string();
    assert!(told.contains(":8") || told.contains(":7"), "{told}");
    assert!(told.contains("walker[1]") && !told.contains("puppet[2]"), "{told}");
}
