//! Saves a running world to a file and continues from it later, with the same state as without the interruption.
//! `cargo run -p bevy_trample --no-default-features --example save_load`

use bevy::prelude::*;
use bevy_trample::{Trample, TramplePlugin};
use std::error::Error;
use trample::scene::library;

fn game() -> App {
    let scene = library::by_name("walk-mud").expect("a scene of the library");
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TramplePlugin { scene }));
    app.insert_resource(bevy::time::TimeUpdateStrategy::FixedTimesteps(1));
    app
}

fn play(app: &mut App, steps: u64) -> u64 {
    let end = app.world().resource::<Trample>().steps() + steps;
    while app.world().resource::<Trample>().steps() < end {
        app.update();
    }
    app.world().resource::<Trample>().world().hash()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("trample-save-{}.bin", std::process::id()));
    let mut first = game();
    play(&mut first, 120);
    std::fs::write(&path, first.world().resource::<Trample>().world().snapshot())?;
    let expected = play(&mut first, 120);

    // Later, in another process: create the world of the same scene, then restore the state.
    let mut second = game();
    second.world_mut().resource_mut::<Trample>().world_mut().restore(&std::fs::read(&path)?)?;
    let found = play(&mut second, 120);
    std::fs::remove_file(&path)?;
    println!("gone on without a break: {expected:016x}, from the file: {found:016x}");
    assert_eq!(expected, found);
    Ok(())
}
