//! Going on with a changed scene on the same ground: for hosts in which somebody turns knobs while time passes.
//!
//! In: a world and a scene that differs in materials, laws, bodies or plants. Out: the world of that scene, with the ground,
//! the time and the ledger of the old one. What cannot go on begins anew in place: a walker on another body stands where it
//! was, plants of another shape grow again.

use super::World;
use crate::scene::{Control, Scene, SceneError, Script};
use crate::state::plants::{Block, Plants};
use crate::state::{Foot, Ground, Puppet, TileKey};
use std::sync::Arc;

/// One unit of a foot's carry, in stored units.
const CARRY: f64 = 1.0 / (1u64 << 32) as f64;

impl World {
    /// Continues with a changed scene on the same ground. Puppets and plant patches are matched by their index in the lists.
    ///
    /// # Errors
    /// Scenes that [`World::new`] rejects, and scenes with another size, cell size or base height of the terrain. The world
    /// is then unchanged.
    pub fn change(&mut self, scene: &Scene) -> Result<(), SceneError> {
        let (old, new) = (&self.scene.terrain, &scene.terrain);
        let same = [
            ("terrain.cell", old.cell == new.cell),
            ("terrain.size", old.size == new.size),
            ("terrain.base", old.base == new.base),
        ];
        if let Some((field, _)) = same.iter().find(|(_, same)| !same) {
            let problem = "another ground needs a new world".into();
            return Err(SceneError::Invalid { field: (*field).into(), problem });
        }
        let mut world = Self::build(scene, Some(self))?;
        (world.time, world.steps, world.ledger) = (self.time, self.steps, self.ledger);
        world.set_threads(self.scratch.threads);
        std::mem::swap(&mut world.pending, &mut self.pending);
        std::mem::swap(&mut world.report, &mut self.report);
        std::mem::swap(&mut world.scratch.dirty, &mut self.scratch.dirty);
        std::mem::swap(&mut world.ground.tiles, &mut self.ground.tiles);
        if old.paints != new.paints {
            world.ground.repaint();
        }
        world.keep_plants(&self.plants, &self.scene, &self.ground.cover.keys());
        // Numbers of the ground are no other world to whoever shows it.
        let same = |a: &Scene, b: &Scene| a.puppets == b.puppets && a.plants == b.plants;
        if same(&self.scene, scene) && old.paints == new.paints {
            world.revision = self.revision;
        }
        let lost = world.keep_puppets(&mut self.puppets, &self.scene, &self.databases);
        world.ledger.owed -= lost;
        world.restamp();
        *self = world;
        Ok(())
    }

    /// Lets puppets go on that can. Returns what those who left had dug up and not heaped yet, in stored units.
    fn keep_puppets(
        &mut self,
        before: &mut Vec<Puppet>,
        scene: &Scene,
        databases: &[Arc<crate::clips::Database>],
    ) -> f64 {
        let carried = |p: &Puppet| p.feet.iter().map(|f| f.carry as f64 * CARRY).sum::<f64>();
        let mut lost: f64 = before.iter().skip(self.puppets.len()).map(carried).sum();
        let both = self.puppets.iter_mut().zip(before.drain(..)).enumerate();
        for (id, (puppet, old)) in both {
            if puppet.feet.len() != old.feet.len() || puppet.walker.is_some() != old.walker.is_some() {
                lost += carried(&old);
                continue;
            }
            let (Some(fresh), Some(walker)) = (puppet.walker.as_deref_mut(), old.walker) else {
                puppet.pose = old.pose;
                (puppet.last_center, puppet.last_drive) = (old.last_center, old.last_drive);
                (puppet.feet, puppet.quarantined) = (old.feet, old.quarantined);
                continue;
            };
            let index = fresh.database;
            if Arc::ptr_eq(&self.databases[index], &databases[walker.database]) {
                *fresh = *walker;
                fresh.database = index;
                puppet.pose = old.pose;
                (puppet.last_center, puppet.last_drive) = (old.last_center, old.last_drive);
                (puppet.feet, puppet.quarantined) = (old.feet, old.quarantined);
            } else {
                (fresh.root, fresh.heading, fresh.aim) = (walker.root, walker.heading, walker.heading);
                (fresh.told, fresh.pass, fresh.along) = (walker.told, walker.pass, walker.along);
                fresh.age = walker.age;
                for (foot, old) in puppet.feet.iter_mut().zip(&old.feet) {
                    *foot = Foot { carry: old.carry, ..*foot };
                }
            }
            // A new route is walked from its start.
            if control(&self.scene, id) != control(scene, id) {
                (fresh.told, fresh.pass, fresh.along) = (None, 0, 0.0);
            }
        }
        lost
    }

    /// Brings back what was touched of plants that still stand in the same places and have as many joints.
    fn keep_plants(&mut self, before: &Plants, scene: &Scene, cover: &[(i32, i32)]) {
        self.plants.sleepless = before.sleepless;
        let World { plants, ground, .. } = self;
        let kept: Vec<Option<bool>> = (0..plants.plots.len())
            .map(|i| {
                let (new, old) = (&plants.plots[i], before.plots.get(i)?);
                let moved =
                    crate::scene::PlantPatch { species: old.patch.species, ..new.patch.as_ref().clone() };
                let alike = moved == *old.patch
                    && self.scene.seed == scene.seed
                    && (new.lattice.stems, new.lattice.rows) == (old.lattice.stems, old.lattice.rows);
                alike.then_some(new.patch.species == old.patch.species)
            })
            .collect();
        let mut roots = Vec::new();
        for (old, awake) in before.sorted(true) {
            let patch = old.key.patch as usize;
            let Some(Some(equal)) = kept.get(patch).copied() else { continue };
            let slots = plants.slots_of(patch, old.key.cx, old.key.cz, &mut roots);
            if old.key.number >= slots.blocks {
                continue;
            }
            let mut block = Box::<Block>::default();
            plants.grow(old.key, ground, &mut roots, &mut block);
            block.go_on_from(old, &plants.plots[patch].lattice);
            // On other numbers another shape is at rest: it moves there.
            block.still &= equal;
            plants.put(block, awake || !equal);
        }
        if !plants.is_empty() {
            for &(cz, cx) in cover {
                ground.cover.ensure(cx, cz, plants, &mut roots);
            }
        }
    }
}

/// What a walker of a scene is told.
fn control(scene: &Scene, id: usize) -> Option<&Control> {
    match &scene.puppets.get(id)?.script {
        Script::Walker(walker) => Some(&walker.control),
        _ => None,
    }
}

impl Ground {
    /// Looks up the material of every touched cell again.
    fn repaint(&mut self) {
        let keys: Vec<TileKey> = self.tiles.iter().map(|t| t.key).collect();
        for key in keys {
            let material = self.fresh(key).material;
            if let Some(tile) = self.tiles.get_mut(key) {
                tile.material = material;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;
    use crate::params::Material;
    use crate::scene::library;

    fn walked(name: &str, steps: u64) -> World {
        let scene = library::by_name(name).expect("scene");
        let mut world = World::new(&scene).expect("world");
        for _ in 0..steps {
            world.step(scene.dt());
        }
        world
    }

    #[test]
    fn changing_to_the_same_scene_changes_nothing() {
        for name in ["walk-mud", "bend-and-return", "plate"] {
            let mut world = walked(name, 90);
            let mut other = world.clone();
            let scene = world.scene().clone();
            other.change(&scene).expect("the same scene");
            assert_eq!(other.hash(), world.hash(), "{name}");
            for _ in 0..60 {
                world.step(scene.dt());
                other.step(scene.dt());
            }
            assert_eq!(other.hash(), world.hash(), "{name} goes on");
        }
    }

    #[test]
    fn another_material_acts_from_now_on_and_keeps_the_prints() {
        let mut world = walked("walk-soil", 120);
        let (prints, mut scene) = (world.map(Map::Compression).sum(), world.scene().clone());
        let mut unchanged = world.clone();
        scene.terrain.materials[0].material = Material { youngs_modulus: 0.3e6, ..Material::SOIL };
        world.change(&scene).expect("changed");
        assert_eq!(world.map(Map::Compression).sum(), prints);
        for _ in 0..90 {
            world.step(scene.dt());
            unchanged.step(scene.dt());
        }
        let (soft, firm) = (world.map(Map::Compression).max(), unchanged.map(Map::Compression).max());
        assert!(soft > 1.5 * firm, "{soft} m in softer ground, {firm} m in the old one");
        assert!(world.volume().relative_error < 1e-6);
    }

    #[test]
    fn a_walker_more_joins_and_one_on_another_body_goes_on_where_it_was() {
        let mut world = walked("walk-soil", 120);
        let place = world.walker(0).expect("walker").0.root;
        let mut scene = world.scene().clone();
        let mut twin = scene.puppets[0].clone();
        if let Script::Walker(w) = &mut twin.script {
            (w.balance, w.position) = (false, [0.5, 0.4]);
        }
        scene.puppets.push(twin);
        scene.puppets[0].body = crate::params::Body::new(1.6, 100.0);
        world.change(&scene).expect("changed");
        assert_eq!(world.puppets(), 2);
        assert_eq!(world.walker(0).expect("walker").0.root, place);
        for _ in 0..240 {
            world.step(scene.dt());
        }
        let went = world.walker(0).expect("walker").0.root - place;
        assert!(went.length() > 1.0, "walks on: {went}");
        assert!(world.volume().relative_error < 1e-6);
        scene.puppets.pop();
        world.change(&scene).expect("one less");
        assert_eq!(world.puppets(), 1);
        assert!(world.volume().relative_error < 1e-6, "{:?}", world.volume());
    }

    #[test]
    fn broken_stems_stay_broken_when_their_species_changes_its_stiffness() {
        let mut world = walked("carex-lane", 500);
        let scene = world.scene().clone();
        let all = |world: &World| world.plant_tally([0.0; 2], [100.0; 2]);
        let before = all(&world);
        assert!(before.broken > 0 && before.broken < before.stems, "{before:?}");
        let mut stiffer = scene.clone();
        stiffer.plants[0].species.bending_rigidity *= 3.0;
        world.change(&stiffer).expect("stiffer");
        assert_eq!(all(&world).broken, before.broken);
        for _ in 0..120 {
            world.step(scene.dt());
        }
        assert!(all(&world).broken >= before.broken);
        let mut taller = stiffer;
        taller.plants[0].species.height *= 2.0;
        world.change(&taller).expect("taller");
        assert_eq!(all(&world).broken, 0, "plants of another shape grow again");
    }

    #[test]
    fn another_ground_or_a_bad_number_is_refused_and_nothing_changes() {
        let mut world = walked("walk-soil", 30);
        let hash = world.hash();
        let mut scene = world.scene().clone();
        scene.terrain.size[0] += 1.0;
        assert!(world.change(&scene).is_err());
        let mut scene = world.scene().clone();
        scene.terrain.materials[0].material.layer = f64::NAN;
        assert!(world.change(&scene).is_err());
        assert_eq!(world.hash(), hash);
    }
}
