//! The ledger of volumes closes for everything that a scene may say: what had to move lies on the ground, or is owed and shown.

use trample::params::{Field, Law, Material, material};
use trample::scene::{NamedMaterial, library};
use trample::{Base, Scene, World};

/// A plate of 50 kg pressed into a material for a fifth of a second, on level ground or on a slope, m.
fn plate(law: Law, degrees: f64, material: Material) -> Scene {
    let mut scene = library::by_name("plate").expect("a library scene");
    scene.terrain.law = law;
    scene.terrain.cell = 0.02;
    scene.terrain.materials = vec![NamedMaterial { name: "ground".into(), material }];
    if degrees > 0.0 {
        scene.terrain.base = Base::Slope { angle: degrees.to_radians(), direction: 0.3 };
    }
    scene.duration = Some(0.2);
    scene
}

/// Runs it; how far the ledger is from closing, with what is owed, and the owed share.
fn run(scene: &Scene) -> (f64, f64) {
    let mut world = World::new(scene).expect("a world");
    for _ in 0..scene.steps() {
        world.step(scene.dt());
    }
    let v = world.volume();
    let scale = v.displaced.max(1e-9);
    // Its three parts: compressed, displaced, and of that carried off by feet.
    let parts = [
        (v.accumulated + v.carried_off - v.displaced).abs() / scale,
        (v.carved - v.displaced - v.compacted).abs() / v.carved.max(1e-9),
    ];
    assert!(parts.iter().all(|part| *part <= 1e-6), "{}: {parts:?} {v:?}", scene.terrain.law.name());
    // What is owed whole counts as an error of the run; here it is only to be accounted for.
    let error =
        if v.owed == 0.0 { v.relative_error } else { (v.accumulated + v.owed - v.displaced).abs() / scale };
    (error, v.owed / scale)
}

#[test]
fn it_closes_for_every_preset_under_every_law_on_level_and_steep_ground() {
    for preset in &material::PRESETS {
        for law in Law::ALL {
            for degrees in [0.0, 45.0] {
                let (error, owed) = run(&plate(law, degrees, preset.material));
                let case = format!("{} under {} at {degrees}°", preset.name, law.name());
                assert!(error <= 1e-6 && owed <= 1e-6, "{case}: error {error:e}, owed {owed:e}");
            }
        }
    }
}

#[test]
fn it_closes_at_both_ends_of_every_parameter_of_a_material() {
    let (mut cases, mut worst_owed) = (0, (0.0, String::new()));
    for field in Material::FIELDS {
        for end in [field.range.min, field.range.max] {
            for law in Law::ALL {
                for degrees in [0.0, 45.0] {
                    let mut material = Material::SOIL;
                    Field::set(field, &mut material, end);
                    let scene = plate(law, degrees, material);
                    // What contradicts another parameter is refused before it runs.
                    if scene.check().is_err() {
                        continue;
                    }
                    let (error, owed) = run(&scene);
                    let case = format!("{} = {end} under {} at {degrees}°", field.range.name, law.name());
                    assert!(error <= 1e-6, "{case}: error {error:e}, owed {owed:e}");
                    if owed > worst_owed.0 {
                        worst_owed = (owed, case);
                    }
                    cases += 1;
                }
            }
        }
    }
    println!("{cases} cases; the most that is owed: {:e} ({})", worst_owed.0, worst_owed.1);
    assert!(cases > 300, "{cases}");
}
