//! Snapshots restore a world exactly, and digests find the first step in which two runs differ.
//!
//! ```text
//! cargo run -p trample --example snapshot_and_replay
//! ```

use trample::World;
use trample::scene::library;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = library::by_name("walk-snow").expect("a library scene");
    scene.duration = Some(2.0);
    let mut world = World::new(&scene)?;
    let half = scene.steps() / 2;
    for _ in 0..half {
        world.step(scene.dt());
    }
    let saved = world.snapshot();
    println!("{} bytes after {half} steps", saved.len());

    // The first run continues and records a digest per step.
    let first: Vec<u64> = (half..scene.steps())
        .map(|_| {
            world.step(scene.dt());
            world.hash()
        })
        .collect();

    // Another world of the same scene restores the snapshot and makes the same steps.
    let mut again = World::new(&scene)?;
    again.restore(&saved)?;
    let second: Vec<u64> = (half..scene.steps())
        .map(|_| {
            again.step(scene.dt());
            again.hash()
        })
        .collect();
    match first.iter().zip(&second).position(|(a, b)| a != b) {
        None => println!("{} steps replayed, all the same: {:016x}", second.len(), again.hash()),
        Some(step) => println!("differs from step {} on", half + step as u64),
    }
    assert_eq!(first, second);
    Ok(())
}
