//! Animals on four legs load, their feet are found, and the force is shared between those that stand.

mod rigs;

use rigs::animal::animal;
use std::path::Path;
use trample_files::character::{self, Character, MapFile, MapOptions};

#[test]
fn four_legs_are_found_by_their_shape_and_carry_the_body_together() {
    for (unit, names, spine) in [(1.0, true, 3), (1.0, false, 1), (100.0, false, 2)] {
        let text = animal(unit, names, spine);
        let loaded = character::understand(
            Path::new("dog"),
            text.as_bytes(),
            &MapFile::default(),
            &MapOptions::default(),
        )
        .unwrap_or_else(|e| panic!("{e}"));
        let Character::FourFooted(dog) = &loaded.character else { panic!("not on four legs") };
        assert_eq!(dog.space.up_name(), "y");
        assert!((0.5..0.7).contains(&dog.leg), "{} m in {}", dog.leg, dog.space.unit_name);
        let first = |k: usize| loaded.source.joints[dog.legs[k][0]].name.clone();
        let wanted = if names {
            ["HindLeftUpper", "HindRightUpper", "ForeLeftUpper", "ForeRightUpper"]
        } else {
            ["b10", "b20", "b30", "b40"]
        };
        assert_eq!([0, 1, 2, 3].map(first), wanted);
        assert!(loaded.clips_for(&trample::body::Skeleton::new(&Default::default())).is_empty());
        let motion = &dog.motions(&loaded.source)[0];
        for k in 0..4 {
            let down = motion.contacts.iter().filter(|c| c[k]).count() as f64 / motion.contacts.len() as f64;
            assert!((0.55..0.85).contains(&down), "foot {k} stands {down} of the time");
        }
        // Newton: over whole strides the feet carry the weight.
        let weight = dog.mass * 9.806_65;
        let strides = &motion.forces[48..288];
        let mean = strides.iter().map(|f| -f.iter().map(|v| f64::from(v.y)).sum::<f64>()).sum::<f64>()
            / strides.len() as f64;
        assert!((mean / weight - 1.0).abs() < 0.02, "{} of the weight", mean / weight);
        let on =
            |k: usize| strides.iter().map(|f| -f64::from(f[k].y)).sum::<f64>() / strides.len() as f64 / mean;
        let fore = on(2) + on(3);
        assert!((0.5..0.7).contains(&fore), "the fore legs carry {fore}");
        assert!(motion.forces.iter().flatten().all(|f| f.y <= 0.0), "no foot pulls");
    }
}

#[test]
fn the_mass_of_an_animal_may_be_given() {
    let options = MapOptions { mass: Some(20.0), ..Default::default() };
    let text = animal(1.0, true, 3);
    let loaded = character::understand(Path::new("dog"), text.as_bytes(), &MapFile::default(), &options);
    assert_eq!(loaded.expect("loads").four_footed().map(|d| d.mass), Some(20.0));
}
