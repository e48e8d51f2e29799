//! Scenes written and read: nothing is lost on the way, and the files in `scenes/` are the library.

use proptest::prelude::*;
use std::path::PathBuf;
use trample::params::{Body, Field, Footwear, Law, Sole, Species, material, species};
use trample::scene::{
    Control, DensityMap, Fall, ForceModel, GeoPlace, Motion, NamedMaterial, Path, Placement, PlantKind,
    PlantPatch, Press, PuppetSpec, Route, Scene, Script, SoleShape, Steer, Terrain, Walk, WalkerSpec,
    library,
};
use trample::scene::{Hold, Paint, PaintShape, Raster};
use trample::{Base, Material};
use trample_files::scene_file::{self, to_toml};
use trample_files::{Source, memory};

fn source(text: &str) -> Source {
    Source { name: "test.toml".into(), text: text.into(), settings: Vec::new(), folder: PathBuf::new() }
}

fn text(scene: &Scene) -> String {
    to_toml(scene).unwrap_or_else(|e| panic!("{e}"))
}

fn read(text: &str) -> Scene {
    source(text).scene().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn every_library_scene_comes_back_as_it_was() {
    for entry in &library::ENTRIES {
        let scene = entry.scene();
        assert_eq!(read(&text(&scene)), scene, "{}", entry.name);
        assert_eq!(Source::find(entry.name).expect("found").scene().expect("valid"), scene);
    }
}

/// `TRAMPLE_BLESS=1 cargo test -p trample-files --test scenes` writes the files anew.
#[test]
fn the_files_in_scenes_are_the_library() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let bless = std::env::var_os("TRAMPLE_BLESS").is_some();
    for entry in &library::ENTRIES {
        let path = folder.join(format!("{}.toml", entry.name));
        let command = if entry.scene().season.is_some() { "season" } else { "run" };
        let text = format!(
            "# {}.\n# Run it with: trample {command} scenes/{}.toml\n# Every key is explained in docs/formats.md.\n\n{}",
            entry.about,
            entry.name,
            text(&entry.scene())
        );
        if bless {
            trample_files::atomic::write(&path, text.as_bytes()).expect("writes");
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
        wind: [1.5, 0.0, -0.25],
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
    assert_eq!(read(&text(&scene)), scene);
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
        assert_eq!(read(&text(&scene)), scene, "{name}");
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
    assert_eq!(scene.puppets[0].body.mass, 60.0);
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
    let plain = text(&library::by_name("dune-up").expect("scene"));
    assert_eq!(read(&format!("\u{feff}{}", plain.replace('\n', "\r\n"))), read(&plain));
}

/// Every number of a table at random, within its range.
fn any_of<T: Clone + std::fmt::Debug>(fields: &'static [Field<T>], usual: T) -> impl Strategy<Value = T> {
    proptest::collection::vec(0.0..=1.0f64, fields.len()).prop_map(move |shares| {
        let mut made = usual.clone();
        for (field, share) in fields.iter().zip(shares) {
            let range = field.range;
            let [min, max] = [range.min.max(-720.0), range.max.min(1e6)];
            let value = min + share * (max - min);
            // Not only angles that degrees give exactly.
            let stored = if range.is_angle() { value.to_radians() } else { value };
            (field.write)(&mut made, if range.integer { stored.round() } else { stored });
        }
        made
    })
}

/// Scenes of every shape.
fn scenes() -> impl Strategy<Value = Scene> {
    let at = || [0.0..6.0, 0.0..2.0];
    let base = prop_oneof![
        Just(Base::Flat),
        any_of(Base::FIELDS, Base::Slope { angle: 0.0, direction: 0.0 }),
        any::<u64>().prop_flat_map(|seed| any_of(
            Base::FIELDS,
            Base::Hills { amplitude: 0.0, wavelength: 1.0, seed }
        )),
        any_of(Base::FIELDS, Base::Dune { height: 1.0, crest: 0.0, windward: 0.1, lee: 0.1 }),
        proptest::collection::vec(-99.0..99.0f32, 12)
            .prop_map(|data| { Base::Raster(Raster::new(4, 3, [2.0, 1.0], data).expect("a raster")) }),
    ];
    let way = || {
        (any_of(Path::FIELDS, Path::default()), at(), any::<bool>()).prop_map(
            |(path, from, back_and_forth)| {
                let to = [if from[0] > 3.0 { 1.0 } else { 5.0 }, 1.0];
                Path { waypoints: vec![from, to], back_and_forth, ..path }
            },
        )
    };
    let scripted = prop_oneof![
        (way(), any_of(Walk::FIELDS, Walk::default()))
            .prop_map(|(path, walk)| Script::Walk(Walk { path, ..walk })),
        (at(), any_of(Fall::FIELDS, Fall::default()))
            .prop_map(|(position, fall)| Script::Fall(Fall { position, ..fall })),
        (at(), any_of(Press::FIELDS, Press::default()))
            .prop_map(|(position, press)| Script::Press(Press { position, ..press })),
        (1..9usize).prop_map(|feet| Script::Host { feet }),
    ];
    let walker =
        (way(), any_of(WalkerSpec::FIELDS, WalkerSpec::on(Path::default())), any::<[bool; 4]>(), 0..6usize)
            .prop_map(|(path, walker, [routed, metabolic, balance, impulse], motion)| {
                let route = Route { path, metabolic, motion: Motion::ALL[motion].1 };
                let control = if routed { Control::Route(route) } else { Control::Stand };
                let force = ForceModel::ALL[usize::from(impulse)].1;
                Script::Walker(Box::new(WalkerSpec { control, balance, force, ..walker }))
            });
    let sole = prop_oneof![
        9 => (0..8usize).prop_map(|wear| SoleShape::Footwear(Footwear::ALL[wear])),
        1 => (0.1..0.4f64).prop_map(|length| {
            let points = [[0.0, 0.0], [1.0, 0.1], [0.8, 0.5], [0.1, 0.4]];
            SoleShape::Custom(Sole::from_outline(&points, length).expect("a sole"))
        }),
    ];
    let puppet = (scripted, any_of(Body::ANYTHING, Body::default()), sole.clone(), any::<bool>(), ".{0,9}")
        .prop_map(|(script, body, sole, free, name)| {
            let hold = if free && matches!(script, Script::Host { .. }) { Hold::Free } else { Hold::Pinned };
            PuppetSpec { name, body, sole, hold, script }
        });
    let walker = (walker, any_of(Body::FIELDS, Body::default()), 0..7usize, sole, ".{0,9}").prop_map(
        |(script, own, variant, sole, name)| {
            let known = Body::VARIANTS.get(variant).and_then(|name| Body::by_name(name));
            PuppetSpec { name, body: known.unwrap_or(own), sole, hold: Hold::Pinned, script }
        },
    );
    let own = (any_of(Material::FIELDS, Material::SNOW), any::<[u8; 3]>(), 0..7usize).prop_map(
        |(mut material, colour, preset)| {
            material.bekker.cohesive_modulus = material.bekker.cohesive_modulus.abs();
            Material { colour, preset: material::PRESETS[preset].name, ..material }
        },
    );
    let place = proptest::option::of((1024..32768u32, [-1e7..1e7, -1e7..1e7]))
        .prop_map(|p| p.map(|(epsg, corner)| GeoPlace { epsg, corner }));
    let shape = prop_oneof![
        [0.0..3.0, 0.0..1.0].prop_map(|min| PaintShape::Rectangle { min, max: [5.0, 1.5] }),
        (at(), 0.001..9.0).prop_map(|(centre, radius)| PaintShape::Disc { centre, radius }),
        proptest::collection::vec(0..2u8, 6).prop_map(|indices| PaintShape::Image {
            width: 2,
            height: 3,
            indices: indices.into()
        }),
    ];
    let terrain = (base, own, place, any_of(Terrain::FIELDS, Terrain::default()), 0..4usize, shape).prop_map(
        |(base, material, place, terrain, law, shape)| {
            let named = |name: &str| NamedMaterial { name: name.into(), material };
            let image = matches!(shape, PaintShape::Image { .. });
            let paints = vec![Paint { material: u8::from(!image), shape }];
            // A name of one's own, and a preset's name with other numbers.
            let materials = vec![named("own"), named("mud")];
            let contour = terrain.contour.max(0.5 * terrain.cell);
            Terrain { law: Law::ALL[law], base, materials, paints, place, contour, ..terrain }
        },
    );
    let plants = (any_of(Species::FIELDS, Species::FERN), 0..7usize, any::<u64>(), any::<[bool; 3]>())
        .prop_map(|(species, preset, seed, [displaced, strewn, thinned])| {
            let usual = species::PRESETS[preset].species;
            // Sizes are a preset's: most random ones are too many stems.
            let Species { shape, height, width, depth, spacing, preset, .. } = usual;
            let break_angle = species.break_angle.max(species.wear_angle);
            PlantPatch {
                species: Species { shape, height, width, depth, spacing, preset, break_angle, ..species },
                seed,
                kind: if displaced {
                    PlantKind::Displaced { most: 0.3, fade: 0.7 }
                } else {
                    PlantKind::Simulated
                },
                placement: if strewn { Placement::PoissonDisk } else { Placement::Jittered },
                density_map: thinned.then(|| DensityMap { width: 2, height: 1, values: [0.1, 1.0].into() }),
                strength_map: thinned.then(|| DensityMap { width: 1, height: 2, values: [0.5, 1.0].into() }),
                ..PlantPatch::default()
            }
        });
    let actors = (proptest::collection::vec(puppet, 0..3), proptest::collection::vec(walker, 0..3));
    (
        terrain,
        actors,
        any_of(Scene::FIELDS, Scene::default()),
        any::<u64>(),
        ".{1,20}",
        proptest::option::of(plants),
    )
        .prop_map(|(terrain, (puppets, walkers), scene, seed, name, plants)| Scene {
            name,
            seed,
            terrain,
            puppets: puppets.into_iter().chain(walkers).collect(),
            plants: plants.into_iter().collect(),
            ..scene
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_scene_comes_back_as_it_was(scene in scenes()) {
        let path = PathBuf::from("memory:any-scene/scene.toml");
        scene_file::write(&path, &scene).unwrap_or_else(|e| panic!("{e}"));
        let back = Source::read(&path).expect("there").scene();
        let shown = || String::from_utf8_lossy(&memory::take(&path).unwrap_or_default()).into_owned();
        let back = back.unwrap_or_else(|e| panic!("{e}\n{}", shown()));
        prop_assert_eq!(back, scene);
    }
}

#[test]
fn what_only_other_files_hold_is_refused_with_the_reason() {
    let mut scene = library::by_name("walk-snow").expect("scene");
    let raster = Raster::new(2, 2, [6.0, 2.0], vec![0.0, 1.0, 2.0, 3.0]).expect("a raster");
    scene.terrain.base = Base::Raster(raster);
    let error = to_toml(&scene).expect_err("a height map").to_string();
    assert!(error.contains("`terrain.base`") && error.contains("file beside"), "{error}");
    let mut scene = library::by_name("walk-snow").expect("scene");
    let Script::Walker(walker) = &mut scene.puppets[0].script else { panic!("a walker") };
    walker.control = Control::Walk(Steer::default());
    let error = to_toml(&scene).expect_err("steered").to_string();
    assert!(error.contains("`walker[0].route`") && error.contains("by hand"), "{error}");
}
