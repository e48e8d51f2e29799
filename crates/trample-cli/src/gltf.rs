//! Walkers and their ground as binary glTF: poses noted on the way, one file at the end.

use crate::Failure;
use std::path::Path;
use std::sync::Arc;
use trample::motion::Skin;
use trample::motion::skeleton::Pose;
use trample::scene::{Moment, SoleShape};
use trample::{CellRect, World};
use trample_files::Cast;
use trample_files::character::{self, Fit, Loaded, Outfit};
use trample_files::glb::{self, Actor, Growth, Guest, Land, Show};

/// Samples per second of an animation, as long as that is moderate.
const RATE: f64 = 60.0;
/// Most poses that are kept, of all walkers together: about 130 MB. Beyond that every second one is dropped.
const MOST: usize = 400_000;
/// Most points of the ground.
const POINTS: usize = 1 << 20;
/// Ground shown around what was touched, m.
const AROUND: f64 = 0.5;

/// Time in which an animal's body follows the ground below its feet, s; our choice.
const SETTLE: f64 = 0.15;

/// Notes what walkers and animals do.
pub(crate) struct Recorder {
    walkers: Vec<usize>,
    animals: Vec<usize>,
    cast: Cast,
    every: f64,
    next: f64,
    times: Vec<f32>,
    poses: Vec<Vec<Pose>>,
    /// Where each animal is, and how high the ground below it, m.
    moments: Vec<Vec<(Moment, f32)>>,
}

impl Recorder {
    /// Nothing noted yet.
    pub(crate) fn new(world: &World, cast: &Cast) -> Self {
        let walkers: Vec<usize> = (0..world.puppets()).filter(|&id| world.walker(id).is_some()).collect();
        let animals: Vec<usize> = (0..world.puppets()).filter(|&id| world.animal(id).is_some()).collect();
        let (poses, moments) = (vec![Vec::new(); walkers.len()], vec![Vec::new(); animals.len()]);
        let cast = cast.clone();
        Self { walkers, animals, cast, every: 1.0 / RATE, next: 0.0, times: Vec::new(), poses, moments }
    }

    /// Notes the poses after a step, if it is time to.
    pub(crate) fn take(&mut self, world: &World) {
        let bodies = self.walkers.len() + self.animals.len();
        if bodies == 0 || world.time() < self.next - 1e-9 {
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
        for (moments, &id) in self.moments.iter_mut().zip(&self.animals) {
            let Some(moment) = world.animal(id) else { continue };
            let before = moments.last().map(|m: &(Moment, f32)| f64::from(m.1));
            moments.push((moment, below(world, id, before, self.every) as f32));
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
        for moments in &mut self.moments {
            *moments = moments.iter().step_by(2).copied().collect();
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
        // Everybody of one file wears the same meshes.
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
        for (&id, moments) in self.animals.iter().zip(&self.moments) {
            let Some((loaded, outfit)) = dressed(id).filter(|_| !moments.is_empty()) else { continue };
            let Some(worn) = loaded.four_footed().and_then(|a| a.worn(&loaded.source, moments)) else {
                continue;
            };
            let name = format!("{} {id}", specs[id].name);
            guests.push(Guest { name, source: &loaded.source, outfit, times: &self.times, worn });
        }
        for (&id, poses) in self.walkers.iter().zip(&self.poses) {
            let Some((_, skeleton)) = world.walker(id).filter(|_| !poses.is_empty()) else { continue };
            if let Some((loaded, outfit)) = dressed(id) {
                let fit = Fit::new(loaded, skeleton, on_own_soles(loaded, &specs[id].sole));
                if let (Some(upright), Some(fit)) = (loaded.upright(), fit) {
                    let worn = upright.worn(&loaded.source, skeleton, poses, &fit);
                    let name = format!("{} {id}", specs[id].name);
                    guests.push(Guest { name, source: &loaded.source, outfit, times: &self.times, worn });
                    continue;
                }
            }
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
        let show = Show { skins: &skins, actors, guests, land: Some(Land::new(world, window, step)), growth };
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

/// Height of the ground below an animal: that of the feet which stand, smoothed.
fn below(world: &World, id: usize, before: Option<f64>, dt: f64) -> f64 {
    let puppet = world.puppet(id);
    let (mut sum, mut count) = (0.0, 0.0);
    for (sole, _) in puppet.pose.soles.iter().zip(&puppet.feet).filter(|(_, foot)| foot.down) {
        sum += world.height(f64::from(sole.position.x), f64::from(sole.position.z));
        count += 1.0;
    }
    let centre = puppet.pose.center_of_mass;
    let now = match (count > 0.0, before) {
        (true, _) => sum / count,
        (false, Some(before)) => before,
        (false, None) => world.ground().base.height(f64::from(centre.x), f64::from(centre.z)),
    };
    before.map_or(now, |before| before + (now - before) * (dt / SETTLE).min(1.0))
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
            animals: Vec::new(),
            cast: Vec::new(),
            moments: Vec::new(),
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
