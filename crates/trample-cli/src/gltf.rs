//! Walkers and their ground as binary glTF: poses noted on the way, one file at the end.

use crate::Failure;
use std::path::Path;
use std::sync::Arc;
use trample::body::Pose;
use trample::scene::{Ready, Script, SoleShape};
use trample::{CellRect, World};
use trample_files::character::{self, Fit, Loaded, Outfit, ReadyBody, Tread};
use trample_files::glb::{self, Actor, Growth, Guest, Land, Show};
use trample_files::history::History;
use trample_files::{Cast, usda};
use trample_looks::Skin;

/// Samples per second of an animation, as long as that is moderate.
const RATE: f64 = 60.0;
/// Most poses that are kept, of all walkers together: about 130 MB. Beyond that every second one is dropped.
const MOST: usize = 400_000;
/// Most points of the ground.
const POINTS: usize = 1 << 20;
/// Ground shown around what was touched, m.
const AROUND: f64 = 0.5;

/// Refuses a file whose name says another format than it would hold.
///
/// # Errors
/// If the name ends neither in `.glb` nor in `.usda`.
pub(crate) fn check_name(path: &Path) -> Result<(), Failure> {
    if ["glb", "usda"].contains(&ending(path).as_str()) {
        return Ok(());
    }
    let told = "give a name that ends in .glb, binary glTF, or in .usda, USD as text, which Blender and usdview read";
    Err(format!("--gltf {}: {told}", path.display()).into())
}

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Notes what walkers and animals do.
pub(crate) struct Recorder {
    walkers: Vec<usize>,
    animals: Vec<usize>,
    cast: Cast,
    every: f64,
    next: f64,
    times: Vec<f32>,
    poses: Vec<Vec<Pose>>,
    /// Where each animal and its feet are.
    treads: Vec<Vec<Tread>>,
    /// What the ground was.
    history: History,
}

impl Recorder {
    /// Nothing noted yet.
    pub(crate) fn new(world: &mut World, cast: &Cast) -> Self {
        let walkers: Vec<usize> = (0..world.puppets()).filter(|&id| world.walker(id).is_some()).collect();
        let animals: Vec<usize> = (0..world.puppets()).filter(|&id| world.animal(id).is_some()).collect();
        let (poses, treads) = (vec![Vec::new(); walkers.len()], vec![Vec::new(); animals.len()]);
        let cast = cast.clone();
        let (history, times) = (History::new(world), Vec::new());
        Self { walkers, animals, cast, every: 1.0 / RATE, next: 0.0, times, poses, treads, history }
    }

    /// Notes how the ground came to rest.
    pub(crate) fn end(&mut self, world: &mut World) {
        self.history.end(world);
    }

    /// Every animal with where it and its feet were.
    pub(crate) fn animals(&self) -> impl Iterator<Item = (usize, &[Tread])> {
        self.animals.iter().copied().zip(self.treads.iter().map(Vec::as_slice))
    }

    /// Notes only where animals are, for pictures of them.
    pub(crate) fn take_animals(&mut self, world: &World) {
        if !self.animals.is_empty() {
            self.take_bodies(world, &[]);
        }
    }

    /// Notes the poses after a step, if it is time to.
    pub(crate) fn take(&mut self, world: &mut World) {
        self.history.take(world);
        let walkers = std::mem::take(&mut self.walkers);
        self.take_bodies(world, &walkers);
        self.walkers = walkers;
    }

    fn take_bodies(&mut self, world: &World, walkers: &[usize]) {
        let bodies = walkers.len() + self.animals.len();
        if bodies == 0 || world.time() < self.next - 1e-9 {
            return;
        }
        // A step may be longer than the interval: the next moment lies after this one.
        self.next = (self.next + self.every).max(world.time());
        self.times.push(world.time() as f32);
        for (poses, &id) in self.poses.iter_mut().zip(walkers) {
            let pose = world.walker(id).map_or_else(Pose::default, |(walker, _)| walker.pose);
            // A pose that is not a number is left out: the walker stays where it was.
            let finite = pose.root.is_finite() && pose.rotations.iter().all(|q| q.is_finite());
            let last = poses.last().copied().unwrap_or_default();
            poses.push(if finite { pose } else { last });
        }
        for (treads, &id) in self.treads.iter_mut().zip(&self.animals) {
            treads.extend(Tread::of(world, id, treads.last(), self.every));
        }
        if self.times.len() * bodies > MOST {
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
        for treads in &mut self.treads {
            *treads = treads.iter().step_by(2).cloned().collect();
        }
    }

    /// Writes the file: everybody who walked, and ground and plants as they are now.
    pub(crate) fn save(&self, path: &Path, world: &World) -> Result<(), Failure> {
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        let specs = &world.scene().puppets;
        let mut skins: Vec<Skin> = Vec::new();
        let mut actors = Vec::new();
        // All walkers of one file share its meshes.
        let mut wardrobe: Vec<(Arc<Loaded>, Option<Outfit>)> = Vec::new();
        for &id in self.walkers.iter().chain(&self.animals) {
            let Some(loaded) = self.cast.get(id).and_then(|c| c.as_ref()) else { continue };
            if !wardrobe.iter().any(|(known, _)| Arc::ptr_eq(known, loaded)) {
                wardrobe.push((Arc::clone(loaded), outfit(loaded)));
            }
        }
        let dressed = |id: usize| {
            let loaded = self.cast.get(id)?.as_ref()?;
            let (loaded, outfit) = wardrobe.iter().find(|(known, _)| Arc::ptr_eq(known, loaded))?;
            Some((&**loaded, outfit.as_ref()?))
        };
        let mut guests = Vec::new();
        let stable: Vec<(Ready, ReadyBody)> = Ready::ALL.map(|r| (r, ReadyBody::new(r))).into();
        for (&id, treads) in self.animals.iter().zip(&self.treads) {
            let Script::Animal(spec) = &specs[id].script else { continue };
            if let Some((_, body)) = stable.iter().find(|(r, _)| Some(*r) == spec.ready && !treads.is_empty())
            {
                let (source, outfit) = (&body.source, &body.outfit);
                let motion = body.joint_motion(&spec.stride, treads);
                let name = format!("{} {id}", specs[id].name);
                guests.push(Guest { name, source, outfit, times: &self.times, motion });
                continue;
            }
            let Some((loaded, outfit)) = dressed(id).filter(|_| !treads.is_empty()) else { continue };
            let animal = loaded.four_footed();
            let Some(motion) = animal.and_then(|a| a.joint_motion(&loaded.source, &spec.take, treads)) else {
                continue;
            };
            let name = format!("{} {id}", specs[id].name);
            guests.push(Guest { name, source: &loaded.source, outfit, times: &self.times, motion });
        }
        for (&id, poses) in self.walkers.iter().zip(&self.poses) {
            let Some((_, skeleton)) = world.walker(id).filter(|_| !poses.is_empty()) else { continue };
            if let Some((loaded, outfit)) = dressed(id) {
                let fit = Fit::new(loaded, skeleton, on_own_soles(loaded, &specs[id].sole));
                if let (Some(upright), Some(fit)) = (loaded.upright(), fit) {
                    let motion = upright.joint_motion(&loaded.source, skeleton, poses, &fit);
                    let name = format!("{} {id}", specs[id].name);
                    guests.push(Guest { name, source: &loaded.source, outfit, times: &self.times, motion });
                    continue;
                }
            }
            // No two people look alike: each has a mesh of its own.
            let Some(own) = Skin::of(world, id) else { continue };
            skins.push(own);
            let skin = skins.len() - 1;
            let name = format!("{} {id}", specs[id].name);
            actors.push(Actor { name, skin, skeleton, times: &self.times, poses });
        }
        let (window, step) = exported_window(world);
        let cell = world.ground().cell;
        let low = [window.x, window.z].map(|i| f64::from(i) * cell);
        let high = [low[0] + window.width as f64 * cell, low[1] + window.height as f64 * cell];
        let growth = Growth::new(world, low, high, glb::MOST_PLANT_POINTS);
        if let Some(note) = growth.note() {
            eprintln!("{}: {note}", path.display());
        }
        let (land, pieces) = if step == 1 {
            self.history.clone().pieces(world, window)
        } else {
            eprintln!(
                "{}: the ground is too large to animate; it is written in its final state",
                path.display()
            );
            (Land::new(world, window, step), Vec::new())
        };
        let show = Show { skins: &skins, actors, guests, land: Some(land), pieces, growth };
        if ending(path) == "usda" {
            if !show.guests.is_empty() {
                eprintln!(
                    "{}: USD does not include characters with their own skin; .glb does",
                    path.display()
                );
            }
            return Ok(usda::write(path, &show)?);
        }
        Ok(glb::write(path, &show)?)
    }
}

/// The meshes of a character: its own, or for an animal without any its bones. A skin that cannot be read is left out, and said.
pub(crate) fn outfit(loaded: &Loaded) -> Option<Outfit> {
    let own = Outfit::of(loaded).unwrap_or_else(|e| {
        eprintln!("its skin is not shown: {e}");
        None
    });
    own.or_else(|| loaded.four_footed().and_then(|_| Outfit::bones(loaded)))
}

/// Whether a character presses with the soles of its own skin.
pub(crate) fn on_own_soles(loaded: &Loaded, sole: &SoleShape) -> bool {
    matches!(sole, SoleShape::Custom(sole) if character::is_own_sole(loaded, sole))
}

/// The part of the ground that is shown, and every how many cells.
fn exported_window(world: &World) -> (CellRect, usize) {
    let ground = world.ground();
    let whole = CellRect { x: 0, z: 0, width: ground.size[0] as usize, height: ground.size[1] as usize };
    let touched = trample_pictures::touched_window(world).unwrap_or(whole);
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
        let (window, step) = exported_window(&world);
        assert!(window.width > 0 && window.height > 0, "{window:?}");
        assert!(Land::new(&world, window, step).points.len() <= POINTS, "{window:?} {step}");
    }

    #[test]
    fn long_walks_are_thinned_evenly() {
        let mut world = World::new(&library::by_name("plate").expect("scene")).expect("world");
        let mut recorder = Recorder {
            history: History::new(&mut world),
            walkers: vec![0],
            animals: Vec::new(),
            cast: Vec::new(),
            treads: Vec::new(),
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
