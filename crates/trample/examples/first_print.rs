//! The shortest run: steps a library scene to its end and prints the depth of the print.
//!
//! ```text
//! cargo run -p trample --example first_print
//! ```

use trample::scene::library;
use trample::{Map, World};

fn main() -> Result<(), trample::SceneError> {
    let scene = library::by_name("plate").expect("a library scene");
    let mut world = World::new(&scene)?;
    for _ in 0..scene.steps() {
        world.step(scene.dt());
    }
    // 50 kg on 200 cm² of soil: σ = 24.5 kPa, ΔL = σ·L0/E = 5.9 mm (DF-10), plus the soft landing.
    let (depth, heap) = (world.map(Map::Compression).max(), world.map(Map::Accumulation).max());
    println!("{}: {:.1} mm deep, the rim {:.1} mm high", scene.about, 1e3 * depth, 1e3 * heap);
    let volume = world.volume();
    println!("{:.1} cm³ carved, {:.1} cm³ pushed aside", 1e6 * volume.carved, 1e6 * volume.accumulated);
    assert!((0.005..0.008).contains(&depth) && volume.relative_error < 1e-6);
    Ok(())
}
