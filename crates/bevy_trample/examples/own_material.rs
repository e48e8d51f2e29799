//! Custom ground materials: a walker crosses stiff clay with a strip of a soft blue material.
//! `cargo run -p bevy_trample --no-default-features --example own_material` prints how deep it sinks on each; `TrampleRenderPlugin`
//! would draw them in their colours.

use bevy::prelude::*;
use bevy_trample::{Trample, TramplePlugin};
use trample::params::Body;
use trample::scene::{NamedMaterial, Paint, PaintShape, Path, PuppetSpec, Terrain, WalkerSpec};
use trample::{Law, Map, Material, Scene};

fn main() {
    // The trail law uses the stiffness. Other parameters come from a preset: only stiffness, Poisson's ratio and colour differ.
    let clay = Material { youngs_modulus: 2.0e6, colour: [150, 110, 80], ..Material::WET_SOIL };
    let jelly =
        Material { youngs_modulus: 0.25e6, poisson_ratio: 0.4, colour: [70, 110, 190], ..Material::WET_SOIL };
    let named = |name: &str, material| NamedMaterial { name: name.into(), material };
    let strip = PaintShape::Rectangle { min: [3.0, 0.0], max: [6.0, 2.0] };
    let path = Path::along([[0.5, 1.0], [6.0, 1.0]]);
    let scene = Scene {
        terrain: Terrain {
            law: Law::Trail,
            size: [6.5, 2.0],
            materials: vec![named("clay", clay), named("jelly", jelly)],
            paints: vec![Paint { material: 1, shape: strip }],
            ..Terrain::default()
        },
        puppets: vec![PuppetSpec::walking("walker", Body::default(), WalkerSpec::on(path))],
        ..Scene::default()
    };
    scene.check().expect("numbers within their ranges");
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TramplePlugin { scene }));
    app.insert_resource(bevy::time::TimeUpdateStrategy::FixedTimesteps(1));
    (0..330).for_each(|_| app.update());
    let world = app.world().resource::<Trample>().world();
    let (map, cell) = (world.map(Map::Compression), world.ground().cell);
    let deepest = |from: f64, to: f64| {
        let columns = (from / cell) as i32..(to / cell) as i32;
        columns.flat_map(|x| (0..world.ground().size[1]).map(move |z| map.at(x, z))).fold(0.0, f64::max)
    };
    let [clay, jelly] = [deepest(0.0, 2.8), deepest(3.2, 6.0)];
    println!("deepest print: {:.1} mm in clay, {:.1} mm in jelly", 1e3 * clay, 1e3 * jelly);
    assert!(jelly > 2.0 * clay && clay > 0.0);
}
