//! When the simulation runs: whole steps of the scene's own length inside Bevy's fixed update.
//!
//! In: the fixed tick's length. Out: as many steps as fit. The scene's step and the game's tick may differ: what is left over is
//! kept, so that the same scene always takes the same steps, and what is shown lies between the last two of them.

use crate::spent::{Lap, Spent};
use crate::terrains::TerrainsMut;
use bevy::platform::time::Instant;
use bevy::prelude::*;
use trample::Stage;

/// System sets of a fixed update, in order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrampleSet {
    /// 1. Foot bones of the game's figures are read.
    SyncIn,
    /// 2. Ground, plants and walkers are simulated.
    Step,
    /// 3. Messages are sent and components written.
    WriteBack,
}

/// Wall-clock time of the last step, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// By stage, in the order of [`Stage::ALL`].
    pub stages: [f64; Stage::ALL.len()],
    /// The sum.
    pub total: f64,
}

impl StageTimes {
    /// One stage, s.
    pub fn of(&self, stage: Stage) -> f64 {
        self.stages[stage as usize]
    }
}

/// Takes the steps that are due.
pub(crate) fn step(mut terrains: TerrainsMut, time: Res<Time<Fixed>>, mut spent: ResMut<Spent>) {
    let _lap = Lap::of(&mut spent.simulation);
    terrains.each(|_, trample| {
        let due = trample.due(time.timestep().as_secs_f64());
        for k in 0..due {
            trample.take_step((k + 1) as f32 / due as f32);
        }
    });
}

/// A stop watch that is read after each stage.
pub(crate) struct Watch {
    last: Instant,
    pub(crate) times: StageTimes,
}

impl Watch {
    pub(crate) fn start() -> Self {
        Self { last: Instant::now(), times: StageTimes::default() }
    }

    pub(crate) fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        let seconds = now.duration_since(self.last).as_secs_f64();
        self.times.stages[stage as usize] += seconds;
        self.times.total += seconds;
        self.last = now;
    }
}
