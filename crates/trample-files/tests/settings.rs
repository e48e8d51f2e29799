//! Settings over a scene, as they come from `--set`.

mod common;

use common::{bad_set, source, with};
use trample::params::material;
use trample::scene::{Control, ForceModel, Motion, Scene, Script, library};
use trample::{Base, Material};

fn set(scene: &str, settings: &[&str]) -> Scene {
    with(scene, settings).scene().unwrap_or_else(|e| panic!("{settings:?}: {e}"))
}

#[test]
fn a_path_or_a_bare_name_sets_a_field_of_the_terrain() {
    for setting in ["terrain.cell=0.01", "cell=0.01", " cell = 0.01 ", "cell=1e-2"] {
        assert_eq!(set("walk-snow", &[setting]).terrain.cell, 0.01, "{setting}");
    }
    assert_eq!(set("walk-snow", &["size=[8, 3]"]).terrain.size, [8.0, 3.0]);
    assert_eq!(set("walk-snow", &["size.1=3", "terrain.size[0]=8"]).terrain.size, [8.0, 3.0]);
    assert_eq!(set("walk-snow", &["seed=0xff", "rate=120", "duration=2", "name=my walk"]).name, "my walk");
    assert_eq!(set("walk-snow", &["name=7"]).name, "7", "nobody quotes a name on a command line");
    assert_eq!(set("walk-snow", &["about=2024-01-01"]).about, "2024-01-01");
    assert_eq!(set("walk-snow", &["about=a=b"]).about, "a=b");
    assert_eq!(set("walk-snow", &["seed=18446744073709551615"]).seed, u64::MAX);
}

#[test]
fn puppets_are_set_one_by_one_by_name_or_all_at_once() {
    let masses =
        |settings: &[&str]| set("masses", settings).puppets.iter().map(|p| p.body.mass).collect::<Vec<_>>();
    assert_eq!(masses(&["puppet.0.mass=90"]), [90.0, 75.0, 100.0]);
    assert_eq!(masses(&["puppet[1].mass=90"]), [50.0, 90.0, 100.0]);
    assert_eq!(masses(&["puppet.75 kg.mass=90"]), [50.0, 90.0, 100.0]);
    assert_eq!(masses(&["puppet.mass=90"]), [90.0; 3]);
    assert_eq!(masses(&["mass=90"]), [90.0; 3]);
    assert_eq!(masses(&["mass=90", "puppet.2.mass=60"]), [90.0, 90.0, 60.0], "the later one wins");
    assert_eq!(masses(&["puppet.1={ mass = 42 }"]), [50.0, 42.0, 100.0], "a table is laid over the puppet");
}

#[test]
fn a_bare_name_goes_to_the_puppets_that_have_such_a_field() {
    let text = "[[puppet]]\nname = \"walker\"\n[[puppet]]\nmotion = \"press\"\nposition = [1, 1]\n";
    let mut scene = source(text);
    scene.settings = vec!["speed=2".into(), "down=3".into(), "mass=60".into(), "start=1".into()];
    let scene = scene.scene().expect("valid");
    let (Script::Walk(walk), Script::Press(press)) = (&scene.puppets[0].script, &scene.puppets[1].script)
    else {
        panic!("motions changed")
    };
    assert_eq!((walk.path.speed, press.down, walk.path.start, press.start), (2.0, 3.0, 1.0, 1.0));
    assert!(scene.puppets.iter().all(|p| p.body.mass == 60.0));
    assert!(bad_set("plate", &["speed=2"]).contains("no puppet has it; their motions are: press"));
}

#[test]
fn the_material_can_be_changed_and_then_its_numbers() {
    let scene = set("walk-snow", &["material=mud", "youngs_modulus=1e6"]);
    assert_eq!(scene.terrain.materials[0].name, "mud");
    assert_eq!(scene.terrain.materials[0].material, Material { youngs_modulus: 1e6, ..Material::MUD });
    let scene = set("walk-snow", &["rest_angle_deg=20", "colour=[1, 2, 3]"]);
    let material = scene.terrain.materials[0].material;
    assert_eq!((material.rest_angle, material.colour), (20f64.to_radians(), [1, 2, 3]));
    let scene = set("snow-meets-sand", &["material.dry-sand.layer=0.1"]);
    let layers: Vec<f64> = scene.terrain.materials.iter().map(|m| m.material.layer).collect();
    assert_eq!(layers, [0.3, 0.1], "by name");
    let scene = set("snow-meets-sand", &["material.1.layer=0.1", "layer=0.2"]);
    assert!(scene.terrain.materials.iter().all(|m| m.material.layer == 0.2), "a bare name means all");
}

#[test]
fn numbers_of_a_material_that_is_not_listed_can_be_set() {
    for (text, name) in [("seed = 1", "snow"), ("[terrain]\nmaterial = \"lete-sand\"", "lete-sand")] {
        for setting in ["layer=0.2", "material.layer=0.2", "material.0.layer=0.2"] {
            let mut scene = source(text);
            scene.settings = vec![setting.into()];
            let material =
                scene.scene().unwrap_or_else(|e| panic!("{setting}: {e}")).terrain.materials[0].material;
            assert_eq!(material, Material { layer: 0.2, ..material::by_name(name).expect("known") });
        }
    }
}

#[test]
fn another_kind_of_base_or_motion_leaves_nothing_of_the_old_one() {
    let slope = Base::Slope { angle: 5f64.to_radians(), direction: 0.0 };
    for settings in [
        ["kind=slope", "angle_deg=5"],
        ["angle_deg=5", "kind=slope"],
        ["base.kind=slope", "terrain.base.angle_deg=5"],
    ] {
        assert_eq!(set("dune-up", &settings).terrain.base, slope, "{settings:?}");
        assert_eq!(set("walk-snow", &settings).terrain.base, slope, "{settings:?}");
    }
    assert_eq!(set("dune-up", &["terrain.base={kind = \"slope\", angle_deg = 5}"]).terrain.base, slope);
    let scene = set("masses", &["motion=drop", "drop_height=1"]);
    assert!(
        matches!(&scene.puppets[0].script, Script::Fall(d) if d.height == 1.0),
        "{:?}",
        scene.puppets[0].script
    );
    let message = bad_set("walk-snow", &["kind=dune", "angle_deg=5"]);
    assert!(
        message.contains("--set angle_deg=5") && message.contains("goes with kind = \"slope\""),
        "{message}"
    );
    let message = bad_set("walk-snow", &["angle_deg=5", "kind=dune"]);
    assert!(message.contains("--set angle_deg=5"), "what was set is not dropped in silence: {message}");
    assert!(bad_set("dune-up", &["file=no.tif"]).contains("no.tif"), "a file alone makes a raster");
}

#[test]
fn a_sole_can_be_set() {
    let scene = set("walk-snow", &["sole.outline=[[0, 0], [2, 0], [2, 1], [0, 1]]", "sole.length=0.3"]);
    let trample::scene::SoleShape::Custom(sole) = &scene.puppets[0].sole else {
        panic!("a sole of one's own")
    };
    assert_eq!((sole.length, sole.width), (0.3, 0.15));
}

#[test]
fn bad_settings_are_named_with_what_is_wrong() {
    #[rustfmt::skip]
    let rows: &[(&str, &[&str])] = &[
        ("mass", &["--set mass:", "key=value", "mass=90"]),
        ("", &["key=value"]),
        ("=5", &["not a path"]),
        (".=5", &["not a path"]),
        ("terrain..cell=5", &["not a path"]),
        ("masss=90", &["--set masss=90:", "unknown key `masss`: did you mean `mass` or `passes`?"]),
        ("ma\nss=90", &["--set ma\\nss=90:", "`ma\\nss` is not a key: it has a control character"]),
        ("terrain.\u{1b}[31mcell=1", &["`terrain.\\u{1b}[31mcell` is not a key"]),
        ("qqqqqq=1", &["unknown key `qqqqqq`", "docs/formats.md"]),
        ("foot_lenght=1", &["`foot_length`"]),
        ("terain.cell=0.01", &["unknown key `terain`", "did you mean `terrain`?"]),
        ("terrain.cel=0.01", &["--set terrain.cel=0.01:", "unknown key `terrain.cel`", "did you mean `cell`?"]),
        ("terrain.cell.x=1", &["below a plain value"]),
        ("cell=5", &["--set cell=5:", "`terrain.cell` is 5, allowed: 0.0025 to 0.1 m"]),
        ("cell=five", &["--set cell=five:", "`terrain.cell` is the text `five`"]),
        ("cell=", &["`terrain.cell` is the text ``"]),
        ("cell=nan", &["`terrain.cell` is NaN"]),
        ("mass=99999999999999999999999999999999999999999999", &["`puppet[0].mass` is 1e44", "0.1 to 20000 kg"]),
        ("puppet.9.mass=90", &["--set puppet.9.mass=90:", "no `9`", "only 3", "from 0"]),
        ("puppet[3].mass=90", &["no `3`", "only 3"]),
        ("puppet[-1].mass=90", &["no `-1`"]),
        ("puppet.0.mas=90", &["`puppet[0].mas`", "did you mean `mass`?"]),
        ("puppet.0=5", &["`puppet[0]` is 5, must be a table"]),
        ("puppet=5", &["`puppet` is 5, must be a list of tables"]),
        ("paint.0.material=mud", &["the scene has no `paint`"]),
        ("material=mudd", &["--set material=mudd:", "`terrain.material` is `mudd`", "did you mean `mud`?"]),
        ("youngs_modulus=1", &["--set youngs_modulus=1:", "`material[0].youngs_modulus` is 1", "10000 to 1000000000 Pa"]),
        ("footwear=clogs", &["`puppet[0].footwear` is `clogs`", "snowshoe"]),
        ("motion=dance", &["`puppet[0].motion` is `dance`", "walk, drop, press, host"]),
        ("kind=hole", &["`terrain.base.kind` is `hole`", "flat, slope, hills, dune, raster"]),
        ("terrain=5", &["`terrain` is 5, must be a table"]),
        ("waypoints=[[0, 0], [99, 0]]", &["--set waypoints=[[0, 0], [99, 0]]:", "not on the terrain"]),
        ("file=../x.tif", &["`terrain.base.file` is `../x.tif`", "without `..`"]),
    ];
    for (setting, expected) in rows {
        let message = bad_set("masses", &[setting]);
        for part in *expected {
            assert!(message.contains(part), "{setting}\nsays: {message}\nwithout: {part}");
        }
    }
}

#[test]
fn walkers_are_set_by_their_own_names_or_as_puppets() {
    let mass = |settings: &[&str]| set("walk-snow", settings).puppets[0].body.mass;
    for setting in
        ["mass=90", "walker.mass=90", "walker.0.mass=90", "walker.walker.mass=90", "puppet.0.mass=90"]
    {
        assert_eq!(mass(&[setting]), 90.0, "{setting}");
    }
    let scene = set(
        "walk-snow",
        &["motion=run", "speed=3.5", "model=impulse", "balance=false", "route=[[1, 1], [5, 1]]"],
    );
    let Script::Walker(walker) = &scene.puppets[0].script else { panic!("a walker") };
    let Control::Route(route) = &walker.control else { panic!("a route") };
    assert_eq!((route.motion, route.path.speed), (Motion::Run, 3.5));
    assert_eq!((walker.force, walker.balance), (ForceModel::Impulse, false));
    assert_eq!(route.path.waypoints, [[1.0, 1.0], [5.0, 1.0]]);
    for (setting, avoid) in
        [("avoid=false", false), ("avoid=0", false), ("avoid=true", true), ("avoid=1", true)]
    {
        assert_eq!(set("meadow-10", &[setting]).avoid, avoid, "{setting}");
    }
    let scripted = set("walk-snow", &["scripted_feet=true"]);
    assert!(matches!(scripted.puppets[0].script, Script::Walk(_)), "scripted footsteps");
    assert!(bad_set("walk-snow", &["drop_height=1"]).contains("no puppet has it"));
    for mass in ["9999", "500", "1e9"] {
        let message = bad_set("walk-snow", &[&format!("mass={mass}")]);
        let said = [format!("--set mass={mass}:"), "`walker[0].mass` is".into(), "1 to 250 kg".into()];
        assert!(said.iter().all(|part| message.contains(part)), "{message}");
    }
    let thigh = set("walk-snow", &["walker.0.thigh=0.5"]).puppets[0].body.thigh;
    assert_eq!(thigh, 0.5, "every measure of a body");
}

#[test]
fn settings_that_repeat_what_the_scene_says_change_nothing() {
    for entry in &library::ENTRIES {
        let scene = entry.scene();
        let rate = format!("rate={:?}", scene.rate);
        let cell = format!("terrain.cell={:?}", scene.terrain.cell);
        assert_eq!(set(entry.name, &[&rate, &cell]), scene, "{}", entry.name);
    }
}
