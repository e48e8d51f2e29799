//! How long the plugin's own work of a frame takes.

use bevy::platform::time::Instant;
use bevy::prelude::*;

/// Wall-clock time of the plugin's own work in the current frame, s.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Simulation steps.
    pub simulation: f64,
    /// Selecting visible ground and filling its texels.
    pub ground: f64,
    /// Selecting visible plants and filling their stems.
    pub grass: f64,
    /// Walkers and soles.
    pub bodies: f64,
}

impl Spent {
    /// The sum, s.
    pub fn total(&self) -> f64 {
        self.simulation + self.ground + self.grass + self.bodies
    }
}

/// Adds the time until it is dropped.
pub(crate) struct Lap<'a> {
    began: Instant,
    to: &'a mut f64,
}

impl<'a> Lap<'a> {
    pub(crate) fn of(to: &'a mut f64) -> Self {
        Self { began: Instant::now(), to }
    }
}

impl Drop for Lap<'_> {
    fn drop(&mut self) {
        *self.to += self.began.elapsed().as_secs_f64();
    }
}

/// Begins a frame.
pub(crate) fn begin(mut spent: ResMut<Spent>) {
    *spent = Spent::default();
}
