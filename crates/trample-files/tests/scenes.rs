//! Scenes written and read: nothing is lost on the way, and the files in `scenes/` are the library.

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use trample::params::{Footwear, Law, material};
use trample::scene::{
    Drop, GeoPlace, NamedMaterial, Press, PuppetSpec, Scene, Script, SoleShape, Terrain, Walk, library,
};
use trample::state::{Hold, Paint, PaintShape};
use trample::{Base, Material};
use trample_files::Source;
use trample_files::scene_file::to_toml;

fn source(text: &str) -> Source {
    Source { name: "test.toml".into(), text: text.into(), settings: Vec::new(), folder: PathBuf::new() }
}

fn read(text: &str) -> Scene {
    source(text).scene().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn every_library_scene_comes_back_as_it_was() {
    for entry in &library::ENTRIES {
        let scene = entry.scene();
        assert_eq!(read(&to_toml(&scene)), scene, "{}", entry.name);
        assert_eq!(Source::find(entry.name).expect("found").scene().expect("valid"), scene);
    }
}

/// `TRAMPLE_BLESS=1 cargo test -p trample-files --test scenes` writes the files anew.
#[test]
fn the_files_in_scenes_are_the_library() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let bless = std::env::var_os("TRAMPLE_BLESS").is_some();
    for entry in &library::ENTRIES {
        let path = folder.join(format!("{}.toml", entry.name));
        let text = format!(
            "# {}.\n# Run it with: trample run scenes/{}.toml\n# Every key is explained in docs/formats.md.\n\n{}",
            entry.about,
            entry.name,
            to_toml(&entry.scene())
        );
        if bless {
            trample_files::whole::write(&path, text.as_bytes()).expect("writes");
        }
        let how = "run `TRAMPLE_BLESS=1 cargo test -p trample-files --test scenes` to write it anew";
        let read = Source::read(&path).unwrap_or_else(|e| panic!("{e}; {how}"));
        // A checkout may have changed the ends of lines.
        assert_eq!(read.text.replace("\r\n", "\n"), text, "{}: {how}", path.display());
        assert_eq!(read.scene().expect("valid"), entry.scene(), "{}: {how}", path.display());
    }
    let known: Vec<String> = library::ENTRIES.iter().map(|e| format!("{}.toml", e.name)).collect();
    for file in std::fs::read_dir(&folder).expect("the folder is there") {
        let name = file.expect("readable").file_name().to_string_lossy().into_owned();
        assert!(!name.ends_with(".toml") || known.contains(&name), "{name} is not in the library; remove it");
    }
}

#[test]
fn unusual_names_come_back_as_they_were() {
    let strange = "a \"quoted\" \\ name\n\twith \u{7f}\u{1}\0 é e\u{301} 雪 🥾 and \u{202e}";
    let scene = Scene {
        name: strange.into(),
        about: strange.into(),
        seed: u64::MAX,
        duration: Some(1e-3),
        puppets: vec![PuppetSpec { name: strange.into(), ..PuppetSpec::default() }],
        terrain: Terrain {
            materials: vec![NamedMaterial { name: strange.into(), material: Material::MUD }],
            paints: vec![Paint {
                material: 0,
                shape: PaintShape::Disc { centre: [-1.0, 1e300], radius: 0.5 },
            }],
            ..Terrain::default()
        },
        ..Scene::default()
    };
    assert_eq!(read(&to_toml(&scene)), scene);
}

#[test]
fn every_law_footwear_and_material_can_be_named() {
    for law in Law::ALL {
        assert_eq!(read(&format!("[terrain]\nlaw = {:?}", law.name())).terrain.law, law);
    }
    for wear in Footwear::ALL {
        let scene = read(&format!("[[puppet]]\nfootwear = {:?}", wear.name()));
        assert_eq!(scene.puppets[0].sole, SoleShape::Footwear(wear));
    }
    let names = material::PRESETS.iter().map(|p| p.name).chain(material::BEKKER_SOILS.iter().map(|s| s.name));
    for name in names {
        let scene = read(&format!("[terrain]\nmaterial = {name:?}"));
        assert_eq!(scene.terrain.materials[0].material, material::by_name(name).expect("known"));
        assert_eq!(read(&to_toml(&scene)), scene, "{name}");
    }
}

#[test]
fn a_preset_is_the_library_scene_with_what_the_file_says_over_it() {
    let snow = library::by_name("walk-snow").expect("scene");
    assert_eq!(read("preset = \"walk-snow\""), snow);
    let scene = read("preset = \"walk-snow\"\nseed = 9\n[terrain]\ncell = 0.01\n");
    let mut expected = snow;
    (expected.seed, expected.terrain.cell) = (9, 0.01);
    assert_eq!(scene, expected);
}

#[test]
fn a_base_of_another_kind_replaces_the_presets_base_whole_and_the_same_kind_merges() {
    let slope = read("preset = \"dune-up\"\n[terrain.base]\nkind = \"slope\"\n");
    assert_eq!(slope.terrain.base, Base::Slope { angle: 10f64.to_radians(), direction: 0.0 });
    let Base::Dune { height, crest, .. } =
        read("preset = \"dune-up\"\n[terrain.base]\nheight = 2\n").terrain.base
    else {
        panic!("still a dune")
    };
    assert_eq!((height, crest), (2.0, 8.5));
}

#[test]
fn puppets_of_a_file_replace_those_of_its_preset() {
    let scene = read("preset = \"masses\"\n[[puppet]]\nmass = 60\n");
    assert_eq!(scene.puppets.len(), 1);
    assert_eq!(scene.puppets[0].mass, 60.0);
}

#[test]
fn a_scene_without_a_name_is_called_after_its_file() {
    assert_eq!(read("seed = 3").name, "test");
    assert_eq!(read("name = \"\"").name, "test");
}

#[test]
fn the_material_of_the_terrain_comes_first_wherever_it_is_listed() {
    let text = "[terrain]\nmaterial = \"b\"\n[[material]]\nname = \"a\"\npreset = \"mud\"\n\
                [[material]]\nname = \"b\"\npreset = \"snow\"\n\
                [[paint]]\nmaterial = \"a\"\nrectangle = [[1, 1], [0, 0]]\n\
                [[paint]]\nmaterial = \"soil\"\ndisc = { centre = [1, 1], radius = 0.5 }\n";
    let terrain = read(text).terrain;
    let names: Vec<&str> = terrain.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["b", "a", "soil"]);
    let corners = PaintShape::Rectangle { min: [0.0, 0.0], max: [1.0, 1.0] };
    assert_eq!(terrain.paints[0], Paint { material: 1, shape: corners }, "any two corners will do");
    assert_eq!(terrain.paints[1].material, 2);
}

#[test]
fn windows_lines_and_a_byte_order_mark_are_read() {
    let plain = to_toml(&library::by_name("dune-up").expect("scene"));
    assert_eq!(read(&format!("\u{feff}{}", plain.replace('\n', "\r\n"))), read(&plain));
}

/// Scenes of every shape that TOML can say.
fn scenes() -> impl Strategy<Value = Scene> {
    // Whole millidegrees: what people write. Other angles may differ in the last bit.
    let deg =
        |low: i32, high: i32| (low * 1000..=high * 1000).prop_map(|d| (f64::from(d) / 1000.0).to_radians());
    let at = || [0.0..6.0, 0.0..2.0];
    let base = prop_oneof![
        Just(Base::Flat),
        (deg(-45, 45), deg(-720, 720)).prop_map(|(angle, direction)| Base::Slope { angle, direction }),
        (0.0..100.0, 0.5..1e4, any::<u64>()).prop_map(|(amplitude, wavelength, seed)| Base::Hills {
            amplitude,
            wavelength,
            seed
        }),
        (0.1..200.0, -9.0..99.0, deg(1, 45), deg(1, 45))
            .prop_map(|(height, crest, windward, lee)| Base::Dune { height, crest, windward, lee }),
    ];
    let script = prop_oneof![
        (0.1..3.0, proptest::option::of(0.1..2.0), 1..1_000_000u32, any::<bool>(), 0.0..0.3).prop_map(
            |(speed, step_length, passes, back_and_forth, step_sd)| {
                Script::Walk(Walk { speed, step_length, passes, back_and_forth, step_sd, ..Walk::default() })
            }
        ),
        (at(), 0.0..20.0, 0.02..10.0).prop_map(|(position, height, rest)| Script::Drop(Drop {
            position,
            height,
            start: 0.5,
            rest
        })),
        (at(), 1..9u32, deg(-360, 360), 0.0..0.5).prop_map(|(position, presses, heading, scatter)| {
            Script::Press(Press { position, presses, down: 1.0, up: 0.2, scatter, heading, start: 0.0 })
        }),
        (1..9usize).prop_map(|feet| Script::Host { feet }),
    ];
    let puppet = (script, 0.1..2000.0, 0..8usize, any::<bool>(), ".{0,9}").prop_map(
        |(script, mass, wear, free, name)| {
            let sole = SoleShape::Footwear(Footwear::ALL[wear]);
            let hold = if free && matches!(script, Script::Host { .. }) { Hold::Free } else { Hold::Pinned };
            PuppetSpec { name, mass, sole, hold, script, ..PuppetSpec::default() }
        },
    );
    let own = (1e4..1e9, 0.0..0.5, deg(1, 60), any::<[u8; 3]>()).prop_map(
        |(modulus, ratio, rest_angle, colour)| Material {
            youngs_modulus: modulus,
            poisson_ratio: ratio,
            rest_angle,
            colour,
            ..Material::SNOW
        },
    );
    let place = proptest::option::of((1024..32768u32, [-1e7..1e7, -1e7..1e7]))
        .prop_map(|p| p.map(|(epsg, corner)| GeoPlace { epsg, corner }));
    let terrain = (base, own, place, 0.0025..0.1, 0..4usize, [0.0..3.0, 0.0..1.0]).prop_map(
        |(base, material, place, cell, law, min)| {
            let named = |name: &str| NamedMaterial { name: name.into(), material };
            let shape = PaintShape::Rectangle { min, max: [5.0, 1.5] };
            let paints = vec![Paint { material: 1, shape }];
            // A name of one's own, and a preset's name with other numbers.
            let materials = vec![named("own"), named("mud")];
            Terrain {
                law: Law::ALL[law],
                cell,
                base,
                materials,
                paints,
                place,
                contour: 0.06,
                ..Terrain::default()
            }
        },
    );
    (terrain, proptest::collection::vec(puppet, 0..4), any::<u64>(), 4.0..2000.0, ".{1,20}").prop_map(
        |(terrain, puppets, seed, rate, name)| Scene {
            name,
            seed,
            rate,
            terrain,
            puppets,
            ..Scene::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_scene_that_toml_can_say_comes_back_as_it_was(scene in scenes()) {
        prop_assert_eq!(read(&to_toml(&scene)), scene);
    }
}
