//! With the feature `serde`, what describes a run and what a run tells go through JSON without loss.
#![cfg(feature = "serde")]

use trample::scene::{Raster, library};
use trample::{Event, Map, Scene, World};

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).expect("writes")).expect("reads")
}

#[test]
fn every_library_scene_comes_back_as_it_was() {
    for entry in &library::ENTRIES {
        let scene: Scene = entry.scene();
        assert_eq!(through_json(&scene), scene, "{}", entry.name);
    }
}

#[test]
fn reports_events_and_maps_are_data() {
    let scene = library::by_name("plate").expect("a library scene");
    let mut world = World::new(&scene).expect("a world");
    let mut events: Vec<Event> = Vec::new();
    for _ in 0..scene.steps() {
        let report = world.step(scene.dt());
        assert_eq!(through_json(report).contacts, report.contacts);
        events.extend(&report.events);
    }
    assert!(!events.is_empty() && through_json(&events) == events);
    assert_eq!(through_json(&Map::ALL.to_vec()), Map::ALL);
}

#[test]
fn a_raster_whose_numbers_do_not_fit_is_refused() {
    let raster = Raster::new(2, 2, [1.0, 1.0], vec![0.0; 4]).expect("a raster");
    let json = serde_json::to_string(&raster).expect("writes");
    assert_eq!(through_json(&raster), raster);
    for bad in [json.replace("\"width\":2", "\"width\":3"), json.replace("[1.0,1.0]", "[0.0,1.0]")] {
        assert_ne!(bad, json);
        assert!(serde_json::from_str::<Raster>(&bad).is_err(), "{bad}");
    }
}
