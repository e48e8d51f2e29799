//! Maps, and the tiles that changed in each step: the data that an engine uploads to its graphics card each frame.
//!
//! ```text
//! cargo run -p trample --example maps_and_dirty_tiles
//! ```

use trample::scene::library;
use trample::{Map, World};

fn main() -> Result<(), trample::SceneError> {
    let mut scene = library::by_name("walk-mud").expect("a library scene");
    scene.duration = Some(3.0);
    let mut world = World::new(&scene)?;
    let (mut sent, mut most) = (0, 0);
    for _ in 0..scene.steps() {
        world.step(scene.dt());
        // A tile is 8 × 8 cells. Taking the list empties it: the next frame gets later changes only.
        let mut tiles = 0;
        world.take_dirty(|_tile| tiles += 1);
        (sent, most) = (sent + tiles, most.max(tiles));
    }
    println!("{sent} tiles sent in {} steps, at most {most} in one", scene.steps());
    assert!(sent > 0 && most < 200, "a step changes the ground below the feet only");

    // A whole map: single values by cell, or a window of cells in row-major order.
    let rect = trample::touched_rect(world.ground()).expect("feet have touched the ground");
    println!("touched: {} × {} cells of {} m", rect.width, rect.height, scene.terrain.cell);
    for map in Map::ALL {
        let view = world.map(map);
        let values = view.window(rect);
        let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64;
        println!("{:14} mean {mean:10.4} {}", map.name(), map.unit());
    }
    Ok(())
}
