//! Whose skin walkers and animals have: the plugin draws them, the session knows their files.

use super::Play;
use bevy::prelude::*;
use bevy_trample::Trample;
use bevy_trample::render::{TrampleCast, TrampleGuestsPlugin};

pub(super) struct GuestsPlugin;

impl Plugin for GuestsPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(TrampleGuestsPlugin).add_systems(PreUpdate, keep);
    }
}

/// Hands the cast of a new world to the plugin.
fn keep(play: Res<Play>, trample: Res<Trample>, mut cast: ResMut<TrampleCast>, mut last: Local<Option<u64>>) {
    if *last != Some(trample.generation()) {
        *last = Some(trample.generation());
        cast.0.clone_from(play.session.cast());
    }
}
