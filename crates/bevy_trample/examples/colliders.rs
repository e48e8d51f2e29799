//! Heights for a physics engine: one heightfield per tile, rebuilt where feet have changed the ground. The printed values are the
//! arguments of constructors such as Rapier's `HeightField` or Avian's `Collider::heightfield`: rows, columns, values, spacing.
//! `cargo run -p bevy_trample --no-default-features --example colliders`

#![allow(elided_lifetimes_in_paths, clippy::needless_pass_by_value, reason = "as everywhere in Bevy")]

use bevy::prelude::*;
use bevy_trample::{Heights, TilesChanged, Trample, TramplePlugin};
use std::collections::BTreeMap;
use trample::TileKey;
use trample::scene::library;

/// The colliders of a game: here the arrays for their constructors.
#[derive(Resource, Default)]
struct Colliders(BTreeMap<TileKey, Heights>);

fn main() {
    let scene = library::by_name("walk-snow").expect("a scene of the library");
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TramplePlugin { scene })).init_resource::<Colliders>();
    app.add_systems(Update, renew);
    // A game would continue; here four seconds of a walk are enough.
    app.insert_resource(bevy::time::TimeUpdateStrategy::FixedTimesteps(1));
    (0..240).for_each(|_| app.update());
    let colliders = &app.world().resource::<Colliders>().0;
    let lowest = colliders.values().flat_map(|h| &h.values).copied().fold(f32::MAX, f32::min);
    println!(
        "{} tiles have colliders of their own; the deepest print is {:.0} mm",
        colliders.len(),
        -1e3 * lowest
    );
    assert!(colliders.len() > 10 && lowest < -0.01, "a walk leaves prints");
}

/// Rebuilds the heightfield of every changed tile; untouched ground keeps one large collider of the game's own.
fn renew(trample: Res<Trample>, mut changed: MessageReader<TilesChanged>, mut colliders: ResMut<Colliders>) {
    for message in changed.read().filter(|m| m.generation == trample.generation()) {
        for &tile in &message.tiles {
            // One extra cell on the far sides, so that neighbouring fields share their edge.
            colliders.0.insert(tile, trample.heights(TilesChanged::cells(tile, 1)));
        }
    }
}
