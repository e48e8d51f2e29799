//! What changed: messages for colliders, networks, sounds.

use crate::terrains::TerrainsMut;
use bevy::prelude::*;
use trample::CellRect;
use trample::Event;
use trample::{TILE, TileKey};

/// Message: the surface of these tiles, of 8 × 8 cells each, changed in the last fixed update.
#[derive(Message, Clone, Debug, PartialEq, Eq)]
pub struct TilesChanged {
    /// The tiles, each once.
    pub tiles: Vec<TileKey>,
    /// Generation of the world, see [`crate::Trample::generation`].
    pub generation: u64,
    /// Entity of the [`crate::TrampleTerrain`]; `None` for the main terrain, the resource [`crate::Trample`].
    pub terrain: Option<Entity>,
}

impl TilesChanged {
    /// The cells of a tile with a border of `border` cells: the argument of [`crate::Trample::heights`] for a collider of that tile.
    pub fn cells(key: TileKey, border: u32) -> CellRect {
        let (tile, border) = (TILE as i32, border as i32);
        let side = (tile + 2 * border) as usize;
        CellRect { x: key.x * tile - border, z: key.z * tile - border, width: side, height: side }
    }
}

/// Message: an event of a step, such as a footfall or a foot that left the ground.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct Happened {
    /// The event.
    pub event: Event,
    /// Entity of the [`crate::TrampleTerrain`]; `None` for the main terrain. Positions are relative to the terrain.
    pub terrain: Option<Entity>,
}

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
    mut terrains: TerrainsMut,
    mut changed: MessageWriter<TilesChanged>,
    mut happened: MessageWriter<Happened>,
) {
    terrains.each(|terrain, trample| {
        let generation = trample.generation();
        let tiles = trample.take_changed();
        if !tiles.is_empty() {
            changed.write(TilesChanged { tiles, generation, terrain });
        }
        happened.write_batch(trample.events.drain(..).map(|event| Happened { event, terrain }));
    });
}
