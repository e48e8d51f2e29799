//! What changed: messages for colliders, networks, sounds.

use crate::world::Trample;
use bevy::prelude::*;
use trample::CellRect;
use trample::Event;
use trample::{TILE, TileKey};

/// Message: the surface of these tiles, of 8 × 8 cells each, changed in the last fixed update.
#[derive(Message, Clone, Debug, PartialEq, Eq)]
pub struct TilesChanged {
    /// The tiles, each once.
    pub tiles: Vec<TileKey>,
    /// Generation of the world, see [`Trample::generation`].
    pub generation: u64,
}

impl TilesChanged {
    /// The cells of a tile with a border of `border` cells: the argument of [`Trample::heights`] for a collider of that tile.
    pub fn cells(key: TileKey, border: u32) -> CellRect {
        let (tile, border) = (TILE as i32, border as i32);
        let side = (tile + 2 * border) as usize;
        CellRect { x: key.x * tile - border, z: key.z * tile - border, width: side, height: side }
    }
}

/// Message: an event of a step, such as a footfall or a foot that left the ground.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct Happened(pub Event);

/// Heights on a regular grid, for heightfield colliders.
#[derive(Clone, Debug, PartialEq)]
pub struct Heights {
    /// Heights, m, row-major, row 0 at the smallest z.
    pub values: Vec<f32>,
    /// Values in a row, along x.
    pub columns: usize,
    /// Rows, along z.
    pub rows: usize,
    /// Grid spacing, m.
    pub spacing: f32,
    /// Position of the first value, x and z, m.
    pub origin: [f32; 2],
}

/// Sends the messages of a fixed update.
pub(crate) fn tell(
    mut trample: ResMut<Trample>,
    mut changed: MessageWriter<TilesChanged>,
    mut happened: MessageWriter<Happened>,
) {
    let generation = trample.generation();
    let tiles = trample.take_changed();
    if !tiles.is_empty() {
        changed.write(TilesChanged { tiles, generation });
    }
    happened.write_batch(trample.events.drain(..).map(Happened));
}
