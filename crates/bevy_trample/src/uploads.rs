//! How much goes to the graphics card.

use bevy::prelude::*;

/// Data sent to the graphics card: texels of ground and plants. Counted before uploading, so that tests need no
/// graphics card.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploads {
    /// Bytes in the last frame.
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
