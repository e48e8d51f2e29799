//! How much goes to the graphics card.

use bevy::prelude::*;

/// What is sent to the graphics card: the ground's texels, and the plants'. Counted where it is decided, so that a test needs no
/// card.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploads {
    /// Bytes of the last frame.
    pub bytes_last_frame: u64,
    /// Tiles of the ground that changed in the last frame.
    pub tiles_last_frame: u64,
    /// Patches of the ground that came into view in the last frame.
    pub patches_last_frame: u64,
    /// Clumps of plants that were written in the last frame.
    pub clumps_last_frame: u64,
    /// Bytes since the start.
    pub total: u64,
}

impl Uploads {
    /// Begins a frame.
    pub fn begin(&mut self) {
        *self = Self { total: self.total, ..Self::default() };
    }

    /// Counts bytes.
    pub fn count(&mut self, bytes: u64) {
        self.bytes_last_frame += bytes;
        self.total += bytes;
    }
}
