//! A walker that goes back and forth along a lane of sedge and wears a path.
//!
//! ```text
//! cargo run -p trample --example walker_on_a_route
//! ```

use trample::scene::{Control, Script, library};
use trample::{Map, World};

fn main() -> Result<(), trample::SceneError> {
    // Based on a library scene: sedge on soil, and a walker on a lane through it.
    let mut scene = library::by_name("carex-lane").expect("a library scene");
    for puppet in &mut scene.puppets {
        if let Script::Walker(walker) = &mut puppet.script
            && let Control::Route(route) = &mut walker.control
        {
            route.path.passes = 2;
        }
    }
    scene.duration = Some(scene.seconds().min(4.0));
    let mut world = World::new(&scene)?;
    for step in 0..scene.steps() {
        world.step(scene.dt());
        if step % 60 == 59 {
            let at = world.puppet(0).pose.center_of_mass;
            let weakest = world.map(Map::Vegetation).min();
            println!("{:.0} s: at {:.2}, {:.2} m; weakest cover {weakest:.2}", world.time(), at.x, at.z);
        }
    }
    println!("deepest print {:.1} mm", 1e3 * world.map(Map::Compression).max());
    assert!(world.map(Map::Compression).max() > 0.0);
    Ok(())
}
