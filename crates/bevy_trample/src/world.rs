//! The resource that owns the simulated world.

use crate::body::PuppetPose;
use crate::clock::{StageTimes, Watch};
use crate::puppet::Hosted;
use crate::tiles::Heights;
use bevy::prelude::*;
use trample::CellRect;
use trample::TileKey;
use trample::{Event, Map, Scene, SceneError};

/// The simulated world and how it runs.
#[derive(Resource, Debug)]
pub struct Trample {
    world: trample::World,
    /// Whether the simulation is paused; [`Self::single_step`] still works.
    pub paused: bool,
    /// Simulated seconds per second of game time; 1 by default.
    pub time_scale: f64,
    /// Maximum number of steps per fixed update; further steps are dropped, so that a slow machine runs in slow motion instead of hanging.
    pub most_steps: u32,
    generation: u64,
    /// [`trample::World::revision`] of the displayed world.
    revision: u64,
    credit: f64,
    singles: u32,
    times: StageTimes,
    before: Vec<PuppetPose>,
    now: Vec<PuppetPose>,
    pub(crate) hosted: Vec<Option<Hosted>>,
    pub(crate) changed: Vec<TileKey>,
    pub(crate) events: Vec<Event>,
    /// Steps taken in this fixed update.
    pub(crate) taken: u32,
}

impl Trample {
    /// The world of a scene, at time 0.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        Ok(Self::from_world(trample::World::new(scene)?))
    }

    /// A world in any state.
    pub fn from_world(world: trample::World) -> Self {
        let mut new = Self {
            world,
            paused: false,
            time_scale: 1.0,
            most_steps: 8,
            generation: 0,
            revision: 0,
            credit: 0.0,
            singles: 0,
            times: StageTimes::default(),
            before: Vec::new(),
            now: Vec::new(),
            hosted: Vec::new(),
            changed: Vec::new(),
            events: Vec::new(),
            taken: 0,
        };
        new.refresh();
        new
    }

    /// Starts another scene; on error the current one continues.
    pub fn load(&mut self, scene: &Scene) -> Result<(), SceneError> {
        self.replace(trample::World::new(scene)?);
        Ok(())
    }

    /// Continues with another world, with the same pause and speed settings.
    pub fn replace(&mut self, world: trample::World) {
        self.world = world;
        self.refresh();
    }

    /// Shows all anew where more than steering has been done through [`Self::world_mut`].
    pub(crate) fn notice(&mut self) {
        if self.world.revision() != self.revision {
            self.refresh();
        }
    }

    /// Shows all anew.
    fn refresh(&mut self) {
        self.generation += 1;
        self.revision = self.world.revision();
        self.credit = 0.0;
        self.changed.clear();
        self.events.clear();
        self.world.take_dirty(|_| {});
        self.now = (0..self.world.puppets()).map(|id| PuppetPose::of(&self.world, id)).collect();
        self.before.clone_from(&self.now);
        self.hosted.clear();
        self.hosted.resize_with(self.world.puppets(), || None);
    }

    /// The world, read-only.
    pub fn world(&self) -> &trample::World {
        &self.world
    }

    /// The world, to steer, change or restore it. The display follows in the next frame; steps taken through it are not
    /// interpolated.
    pub fn world_mut(&mut self) -> &mut trample::World {
        &mut self.world
    }

    /// Generation number of the world: increases with every [`Self::replace`], and when bodies, plants or the state were replaced through
    /// [`Self::world_mut`], so that everything is drawn anew.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Steps since the start of the scene.
    pub fn steps(&self) -> u64 {
        self.world.steps()
    }

    /// Takes one step in the next fixed update, also while paused.
    pub fn single_step(&mut self) {
        self.singles += 1;
    }

    /// Duration of the last step.
    pub fn times(&self) -> StageTimes {
        self.times
    }

    /// Interpolation factor between the last two steps, 0..1, when `overstep` of a fixed tick of `tick` seconds
    /// has passed.
    pub fn blend(&self, overstep: f64, tick: f64) -> f32 {
        // What stands still is shown as it is: a single step must be seen.
        if self.paused { 1.0 } else { (self.credit + overstep * self.pace(tick)).clamp(0.0, 1.0) as f32 }
    }

    /// Pose of a puppet interpolated between the last two steps by `blend`.
    pub fn pose_between(&self, id: usize, blend: f32) -> Option<PuppetPose> {
        Some(self.before.get(id)?.towards(self.now.get(id)?, blend))
    }

    /// Heights of the surface over a rectangle of cells, for a collider. Cells beyond the terrain's edge repeat the edge.
    pub fn heights(&self, rect: CellRect) -> Heights {
        let ground = self.world.ground();
        let map = self.world.map(Map::Height);
        let values = (rect.z..rect.z + rect.height as i32).flat_map(|z| {
            (rect.x..rect.x + rect.width as i32)
                .map(move |x| map.at(x.clamp(0, ground.size[0] - 1), z.clamp(0, ground.size[1] - 1)) as f32)
        });
        Heights {
            values: values.collect(),
            columns: rect.width,
            rows: rect.height,
            spacing: ground.cell as f32,
            origin: [ground.centre(rect.x) as f32, ground.centre(rect.z) as f32],
        }
    }

    fn pace(&self, tick: f64) -> f64 {
        let pace = tick * self.time_scale * self.world.scene().rate;
        if pace.is_finite() { pace.max(0.0) } else { 0.0 }
    }

    /// How many steps a fixed update of `tick` seconds takes.
    pub(crate) fn due(&mut self, tick: f64) -> u32 {
        self.taken = 0;
        let singles = std::mem::take(&mut self.singles);
        if self.paused {
            return singles;
        }
        self.credit += self.pace(tick);
        // A tick that is meant to be one step must be one whatever the rounding.
        let whole = (self.credit + 1e-6).floor();
        self.credit = (self.credit - whole).max(0.0);
        (whole as u32).min(self.most_steps) + singles
    }

    /// One step, `share` of the way through the fixed update.
    pub(crate) fn take_step(&mut self, share: f32) {
        for (id, hosted) in self.hosted.iter().enumerate() {
            if let Some(hosted) = hosted {
                let pose = hosted.at(share, &self.world, id);
                self.world.set_pose(id, &pose);
            }
        }
        let dt = self.world.scene().dt();
        let mut watch = Watch::start();
        self.world.step_observed(dt, |stage, _| watch.lap(stage));
        self.times = watch.times;
        self.taken += 1;
        self.events.extend_from_slice(&self.world.report().events);
        std::mem::swap(&mut self.before, &mut self.now);
        for (id, pose) in self.now.iter_mut().enumerate() {
            pose.read(&self.world, id);
        }
    }

    /// Tiles whose surface changed since the last call.
    pub(crate) fn take_changed(&mut self) -> Vec<TileKey> {
        let changed = &mut self.changed;
        self.world.take_dirty(|key| changed.push(key));
        std::mem::take(changed)
    }
}
