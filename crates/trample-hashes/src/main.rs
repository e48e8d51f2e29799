//! The hashes of library scenes, to compare machines, compilers and profiles with `crates/trample/tests/golden/hashes.txt`.
//!
//! ```text
//! cargo run -p trample-hashes                    every scene of the library
//! cargo run -p trample-hashes -- plate meadow    these
//! ```
//!
//! `.ci/hashes` runs it optimised, unoptimised and as WebAssembly.

use trample::World;
use trample::scene::library;

/// The line of a scene. Long scenes stand for themselves by their first seconds.
pub(crate) fn line(name: &str) -> String {
    let mut scene = library::by_name(name).expect("a library scene");
    scene.duration = Some(scene.seconds().min(if scene.plants.is_empty() { 12.0 } else { 3.0 }));
    let mut world = World::new(&scene).expect("a library scene");
    for _ in 0..scene.steps() {
        world.step(scene.dt());
    }
    format!("{name:16} {:016x}", world.hash())
}

/// Prints the lines of the scenes that are named, or of all.
#[allow(dead_code, reason = "the test of the hashes uses the line alone")]
fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    for entry in library::ENTRIES.iter().filter(|e| named.is_empty() || named.iter().any(|n| n == e.name)) {
        println!("{}", line(entry.name));
    }
}
