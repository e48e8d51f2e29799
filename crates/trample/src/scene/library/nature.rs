//! Scenes of the natural law: what measured ground does.

use super::{named, natural, route};
use crate::params::{Body, Footwear};
use crate::scene::{
    Base, Control, Paint, PaintShape, Path, PuppetSpec, Ready, Scene, Script, SoleShape, Terrain,
};

fn walk(terrain: Terrain, footwear: Footwear, path: Path) -> Scene {
    let walker =
        PuppetSpec { sole: SoleShape::Footwear(footwear), ..route("walker", Body::default(), path, true) };
    Scene { terrain, puppets: vec![walker], ..Scene::default() }
}

pub(super) fn natural_lane() -> Scene {
    let path = Path { passes: 50, lateral_sd: 0.05, ..Path::along([[0.6, 1.0], [5.4, 1.0]]) };
    let mut scene = walk(natural("loam", [6.0, 2.0]), Footwear::Shoe, path);
    // At one speed whatever the ground, as in trampling experiments: passes can then be compared.
    if let Script::Walker(walker) = &mut scene.puppets[0].script
        && let Control::Route(route) = &mut walker.control
    {
        route.metabolic = false;
    }
    scene
}

pub(super) fn deep_snow() -> Scene {
    walk(natural("fresh-snow", [7.0, 2.4]), Footwear::Boot, Path::along([[0.6, 1.2], [6.4, 1.2]]))
}

pub(super) fn shuffle() -> Scene {
    let mut scene =
        walk(natural("loose-sand", [7.0, 2.4]), Footwear::Shoe, Path::along([[0.6, 1.2], [6.4, 1.2]]));
    scene.puppets[0].body.foot_lift = 0.0;
    scene
}

pub(super) fn wet_clay_slope() -> Scene {
    let base = Base::Slope { angle: 12f64.to_radians(), direction: 0.0 };
    let terrain = Terrain { base, ..natural("wet-clay", [8.0, 3.0]) };
    walk(terrain, Footwear::Shoe, Path::along([[0.8, 1.0], [7.0, 1.0], [7.0, 2.0], [0.8, 2.0]]))
}

pub(super) fn follow_my_track() -> Scene {
    let mut scene =
        walk(natural("fresh-snow", [12.4, 2.4]), Footwear::Boot, Path::along([[2.0, 1.2], [11.8, 1.2]]));
    // So late and not so far that it is not held up though it is faster, all the way in the leader's track but for the first step or two.
    let follower = Path { start: 9.0, ..Path::along([[0.6, 1.2], [8.2, 1.2]]) };
    scene.puppets.push(PuppetSpec {
        name: "follower".into(),
        ..walk(scene.terrain.clone(), Footwear::Boot, follower).puppets.remove(0)
    });
    scene.puppets[0].name = "leader".into();
    scene
}

pub(super) fn beach() -> Scene {
    let mut terrain = natural("loose-sand", [9.0, 3.0]);
    terrain.materials.push(named("wet-sand"));
    // Wet where the last waves reached.
    terrain.paints =
        vec![Paint { material: 1, shape: PaintShape::Rectangle { min: [4.5, 0.0], max: [9.0, 3.0] } }];
    walk(terrain, Footwear::Bare, Path::along([[0.6, 1.5], [8.4, 1.5]]))
}

pub(super) fn deer_crossing() -> Scene {
    let terrain = Terrain { cell: 0.01, ..natural("loam", [9.0, 4.0]) };
    let go = |ready: Ready, z: f64, speed: f64, start: f64| {
        ready.on(ready.name(), Path { speed, start, ..Path::along([[1.0, z], [8.0, z]]) })
    };
    let puppets = vec![
        go(Ready::Deer, 1.0, Ready::Deer.speed(), 0.0),
        go(Ready::Dog, 2.0, 2.4, 2.0),
        go(Ready::Horse, 3.0, Ready::Horse.speed(), 1.0),
    ];
    Scene { terrain, puppets, ..Scene::default() }
}
