//! Places and comparisons to choose from: a scene with a camera, a sun and a start time, in one table each.

use crate::camera::View;
use trample::Map;

/// Somewhere to be, or something to see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// What it is called.
    pub title: &'static str,
    /// What there is to see, in a few words.
    pub about: &'static str,
    /// Its scene, as [`crate::start::find`] knows it.
    pub scene: &'static str,
    /// Settings over the scene, as for `--set`.
    pub settings: &'static [&'static str],
    /// Which camera looks at it first.
    pub view: View,
    /// Where the sun is: degrees from +x towards +z, and above the horizon. Low, so that prints throw shadows.
    pub sun: [f32; 2],
    /// A map over the ground.
    pub map: Option<Map>,
    /// Seconds of the scene that are wound through at once; 0 begins at the beginning.
    pub ahead: f64,
}

const fn place(title: &'static str, about: &'static str, scene: &'static str, sun: [f32; 2]) -> Place {
    Place { title, about, scene, settings: &[], view: View::Front, sun, map: None, ahead: 0.0 }
}

/// Where one can be, in the order of the ring.
pub const PLACES: [Place; 6] = [
    place("Snow field", "fresh snow, a low sun", "snow-field", [132.0, 14.0]),
    place("Beach", "dry sand above, wet sand at the water", "shore", [150.0, 16.0]),
    place("Meadow", "a hundred thousand plants", "meadow", [132.0, 24.0]),
    place("Mud", "soft ground that keeps every step", "mud-flat", [120.0, 15.0]),
    place("Hillside", "up, down and across a slope of soil", "hill", [110.0, 20.0]),
    Place {
        view: View::Top,
        ..place("Park season", "a quarter of a year of people finding their ways", "park", [132.0, 40.0])
    },
];

/// What to try.
pub const TRIES: [Place; 6] = [
    Place {
        view: View::Orbit,
        ahead: 4.0,
        ..place("heavy against light", "50, 75 and 100 kg side by side", "masses", [132.0, 12.0])
    },
    Place {
        view: View::Orbit,
        ahead: 3.0,
        ..place("boots against snowshoes", "sinkage of different soles", "feet", [132.0, 12.0])
    },
    Place {
        view: View::Side,
        map: Some(Map::Compression),
        ahead: 240.0,
        ..place("50 passes in 5 s", "prints merge into a trail", "fifty-passes", [132.0, 12.0])
    },
    Place {
        view: View::Orbit,
        ahead: 6.0,
        ..place(
            "follow a broken track",
            "stepping into prints costs less energy",
            "follow-my-track",
            [132.0, 14.0],
        )
    },
    Place {
        view: View::Front,
        ..place("grass recovers", "some stems bend, others break", "bend-and-return", [132.0, 22.0])
    },
    Place {
        view: View::Orbit,
        ahead: 3.0,
        ..place("a deer, a dog, a horse", "hooves and paws on loam", "deer-crossing", [132.0, 14.0])
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use crate::start;

    #[test]
    fn every_place_and_every_trial_is_a_scene_with_its_settings() {
        for place in PLACES.iter().chain(&TRIES) {
            let mut source = start::find(place.scene).unwrap_or_else(|e| panic!("{}: {e}", place.title));
            source.settings = place.settings.iter().map(|s| (*s).to_string()).collect();
            let scene = source.scene().unwrap_or_else(|e| panic!("{}: {e}", place.title));
            assert!(place.sun[1] < 45.0, "{}: a low sun shows prints", place.title);
            assert!(place.title.len() < 26 && place.about.len() < 54, "{}: fits a card", place.title);
            let walked = scene.season.is_some() || !scene.puppets.is_empty();
            assert!(walked, "{}: somebody walks", place.title);
        }
    }

    #[test]
    fn whoever_comes_to_a_place_finds_somebody_walking() {
        for place in PLACES.iter().filter(|p| p.scene != "park" && p.scene != "meadow") {
            let (_, mut world) = Session::new(start::find(place.scene).expect("found")).expect("begins");
            for _ in 0..90 {
                world.step(world.scene().dt());
            }
            let speed = world.walker(0).map(|(w, _)| w.velocity.length());
            assert!(speed.is_some_and(|v| v > 0.3), "{}: {speed:?} m/s", place.title);
        }
    }
}
