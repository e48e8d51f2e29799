//! Walkers and their ground as binary glTF: poses noted on the way, one file at the end.

use crate::Failure;
use std::path::Path;
use trample::motion::Skin;
use trample::motion::skeleton::Pose;
use trample::{CellRect, World};
use trample_files::glb::{self, Actor, Growth, Land, Show};

/// Samples per second of an animation, as long as that is moderate.
const RATE: f64 = 60.0;
/// Most poses that are kept, of all walkers together: about 130 MB. Beyond that every second one is dropped.
const MOST: usize = 400_000;
/// Most points of the ground.
const POINTS: usize = 1 << 20;
/// Ground shown around what was touched, m.
const AROUND: f64 = 0.5;

/// Notes what walkers do.
pub(crate) struct Recorder {
    walkers: Vec<usize>,
    every: f64,
    next: f64,
    times: Vec<f32>,
    poses: Vec<Vec<Pose>>,
}

impl Recorder {
    /// Nothing noted yet.
    pub(crate) fn new(world: &World) -> Self {
        let walkers: Vec<usize> = (0..world.puppets()).filter(|&id| world.walker(id).is_some()).collect();
        let poses = vec![Vec::new(); walkers.len()];
        Self { walkers, every: 1.0 / RATE, next: 0.0, times: Vec::new(), poses }
    }

    /// Notes the poses after a step, if it is time to.
    pub(crate) fn take(&mut self, world: &World) {
        if self.walkers.is_empty() || world.time() < self.next - 1e-9 {
            return;
        }
        // A step may be longer than the interval: the next moment lies after this one.
        self.next = (self.next + self.every).max(world.time());
        self.times.push(world.time() as f32);
        for (poses, &id) in self.poses.iter_mut().zip(&self.walkers) {
            let pose = world.walker(id).map_or_else(Pose::default, |(walker, _)| walker.pose);
            // One who is not a number stays where it was.
            let finite = pose.root.is_finite() && pose.rotations.iter().all(|q| q.is_finite());
            let last = poses.last().copied().unwrap_or_default();
            poses.push(if finite { pose } else { last });
        }
        if self.times.len() * self.walkers.len() > MOST {
            self.thin();
        }
    }

    /// Keeps every second moment.
    fn thin(&mut self) {
        self.every *= 2.0;
        self.times = self.times.iter().step_by(2).copied().collect();
        for poses in &mut self.poses {
            *poses = poses.iter().step_by(2).copied().collect();
        }
    }

    /// Writes the file: everybody who walked, and ground and plants as they are now.
    pub(crate) fn save(&self, path: &Path, world: &World) -> Result<(), Failure> {
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        let specs = &world.scene().puppets;
        // Equal bodies on equal soles share their mesh.
        let (mut skins, mut known): (Vec<Skin>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut actors = Vec::new();
        for (&id, poses) in self.walkers.iter().zip(&self.poses) {
            let Some((_, skeleton)) = world.walker(id).filter(|_| !poses.is_empty()) else { continue };
            let same = |&k: &usize| {
                let body = |s: &trample::PuppetSpec| match &s.script {
                    trample::Script::Walker(w) => Some(w.body),
                    _ => None,
                };
                let (a, b) = (&specs[k], &specs[id]);
                (body(a), &a.sole, a.foot_length, a.foot_width)
                    == (body(b), &b.sole, b.foot_length, b.foot_width)
            };
            let skin = match known.iter().position(same) {
                Some(skin) => skin,
                None => {
                    let Some(skin) = Skin::of(world, id) else { continue };
                    skins.push(skin);
                    known.push(id);
                    skins.len() - 1
                }
            };
            let name = format!("{} {id}", specs[id].name);
            actors.push(Actor { name, skin, skeleton, times: &self.times, poses });
        }
        let (window, step) = shown(world);
        let cell = world.ground().cell;
        let low = [window.x, window.z].map(|i| f64::from(i) * cell);
        let high = [low[0] + window.width as f64 * cell, low[1] + window.height as f64 * cell];
        let growth = Growth::new(world, low, high, glb::MOST_PLANT_POINTS);
        if let Some(note) = growth.note() {
            eprintln!("{}: {note}", path.display());
        }
        let show = Show { skins: &skins, actors, land: Some(Land::new(world, window, step)), growth };
        Ok(glb::write(path, &show)?)
    }
}

/// The part of the ground that is shown, and every how many cells.
fn shown(world: &World) -> (CellRect, usize) {
    let ground = world.ground();
    let whole = CellRect { x: 0, z: 0, width: ground.size[0] as usize, height: ground.size[1] as usize };
    let touched = crate::look::interesting(world).unwrap_or(whole);
    let margin = (AROUND / ground.cell) as i32;
    let side = |first: i32, n: usize, all: i32| {
        let (a, b) = ((first - margin).max(0), (first + n as i32 + margin).min(all));
        (a, (b - a).max(0) as usize)
    };
    let (x, width) = side(touched.x, touched.width, ground.size[0]);
    let (z, height) = side(touched.z, touched.height, ground.size[1]);
    let mut step = 1;
    while (width / step + 2) * (height / step + 2) > POINTS {
        step += 1;
    }
    (CellRect { x, z, width, height }, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn the_ground_of_a_large_map_is_shown_in_moderation() {
        let mut scene = library::by_name("kilometre").expect("scene");
        scene.duration = Some(20.0);
        let mut world = World::new(&scene).expect("world");
        for _ in 0..scene.steps() {
            world.step(scene.dt());
        }
        let (window, step) = shown(&world);
        assert!(window.width > 0 && window.height > 0, "{window:?}");
        assert!(Land::new(&world, window, step).points.len() <= POINTS, "{window:?} {step}");
    }

    #[test]
    fn long_walks_are_thinned_evenly() {
        let mut recorder = Recorder {
            walkers: vec![0],
            every: 0.1,
            next: 0.0,
            times: (0..9).map(|i| 0.1 * i as f32).collect(),
            poses: vec![vec![Pose::default(); 9]],
        };
        recorder.thin();
        assert_eq!(recorder.times.len(), 5);
        assert!(recorder.times.windows(2).all(|w| (w[1] - w[0] - 0.2).abs() < 1e-6), "{:?}", recorder.times);
        assert_eq!(recorder.poses[0].len(), 5);
    }
}
