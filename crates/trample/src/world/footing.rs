//! A sole that its host holds, and what the ground answers: for simulators of machines with legs, which know where their feet are and
//! need the force there.
//!
//! In: a sole at a height and the ground under it. Out: the force between the two under the natural law. Fresh ground answers by its
//! pressure over sinkage; ground that a sole has pressed before is unloaded and loaded again along its stiff line (Wong 2008, §2.4)
//! until it is as deep as it was; a sole that rises is pushed less. Along the ground it gives way like a spring up to its grip, and slides from there on.

use super::World;
use crate::params::Law;
use crate::pose::SolePose;
use crate::state::tile::NANO;
use crate::step::contact::{self, FootScratch};
use crate::step::patch::Cells;
use crate::step::soil::{bear, drag};
use glam::{Vec2, Vec3};

/// How far ground is sheared when it gives all its grip, m: shear deformation moduli of sands and loams are 10 to 25 mm (Wong 2008).
const SHEARS: f32 = 0.01;

/// Share of its push that ground loses per speed at which a sole rises from it, s/m: packed grains hardly throw anything back. The form
/// is that of Hunt & Crossley 1975, the number our choice: a sole that rises with 0.1 m/s is not pushed any more.
const DEADENS: f64 = 10.0;

/// State of one position-controlled sole between steps. A new one has no contact.
#[derive(Clone, Debug, Default)]
pub struct Footing {
    at: FootScratch,
    cells: Cells,
    bed: bear::Work,
    /// What each cell of the bed keeps of earlier prints, m.
    prints: Vec<f64>,
    /// Position without tangential force, x and z, m.
    anchor: Option<Vec2>,
}

/// Reaction of the ground to a position-controlled sole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Force of the sole on the ground, N; the force on the sole is the opposite.
    pub force: Vec3,
    /// Its component into the ground, N.
    pub normal: f64,
    /// Centre of pressure, x and z, m.
    pub cop: Vec2,
    /// Sliding velocity of the sole, m/s; zero while the ground holds it.
    pub slip: Vec3,
}

impl Footing {
    /// Samples the ground under foot `foot` of puppet `id` at the pose `sole`; the height of the pose is ignored.
    pub fn look(&mut self, world: &World, id: usize, foot: usize, sole: &SolePose) {
        let (ground, at) = (&world.ground, &mut self.at);
        contact::stamp(at, ground, &world.soles[world.puppets[id].soles[foot]], sole);
        self.prints.clear();
        if ground.law != Law::Natural || at.stamp.is_empty() {
            at.stamp.clear();
            at.stamped = None;
            self.bed = bear::Work::default();
            return;
        }
        at.patch.load(ground, at.bounds, &mut self.cells);
        self.bed.lay(at, ground, &self.cells);
        let cells = &self.cells;
        self.prints.extend(at.stamp.iter().map(|u| {
            let k = u.k as usize;
            let material = &ground.materials[at.patch.material[k] as usize];
            let packed = material.packed_nano(cells.passes[k], cells.pressed[k]);
            let pressed = (f64::from(cells.pressed[k]) / 255.0).max(f64::from(u.coverage));
            f64::from(cells.compression[k] - packed) / NANO / pressed
        }));
        at.normal =
            ground.base.normal(f64::from(sole.position.x), f64::from(sole.position.z), at.half[0].min(0.08));
    }

    /// The height at which the sole first touches untrodden ground, m; −∞ off the map.
    pub fn top(&self) -> f64 {
        if self.prints.is_empty() { f64::NEG_INFINITY } else { self.bed.top() }
    }

    /// Upward force, N, of the sampled ground on a sole at `height`, m, that rises at `speed`, m/s. It decreases with both.
    pub fn push(&self, world: &World, height: f64, speed: f64) -> f64 {
        self.bed.held(&world.ground.virgin, &self.prints, height)[0] * kept(speed)
    }

    /// Samples the ground, holds the sole at the pose, and updates where it slides to. Call once per step.
    pub fn hold(&mut self, world: &World, id: usize, foot: usize, sole: &SolePose) -> Answer {
        self.look(world, id, foot, sole);
        self.answer(world, sole)
    }

    /// [`Self::hold`] without sampling, if [`Self::look`] was just called for the same place.
    pub fn answer(&mut self, world: &World, sole: &SolePose) -> Answer {
        let ground = &world.ground;
        let [still, u, v, area, depth] =
            self.bed.held(&ground.virgin, &self.prints, f64::from(sole.position.y));
        let normal = still * kept(f64::from(sole.velocity.y));
        if normal <= 0.0 {
            self.anchor = None;
            return Answer::default();
        }
        let middle = self.at.stamp[self.at.stamp.len() / 2].k as usize;
        let material = &ground.materials[self.at.patch.material[middle] as usize];
        let place = Vec2::new(sole.position.x, sole.position.z);
        let way = place - *self.anchor.get_or_insert(place);
        let slides = way.length() > SHEARS;
        let way = way.clamp_length_max(SHEARS);
        self.anchor = Some(place - way);
        let out = self.at.normal;
        let along = Vec3::new(way.x, 0.0, way.y) / SHEARS;
        let share = (area / (self.at.length * self.at.breadth)).min(1.0);
        let front = drag::front(&self.at.fronts, bear::Frame::of(&self.at).turned(along), share);
        let grip = drag::grip(material, normal, area, (depth, front), 0.0) as f32;
        let force = (along - out * along.dot(out)) * grip - out * normal as f32;
        let slip = if slides { sole.velocity.with_y(0.0) } else { Vec3::ZERO };
        let [x, z] = bear::Frame::of(&self.at).on_map(u / still, v / still);
        Answer { force, normal, cop: Vec2::new(x as f32, z as f32), slip }
    }
}

/// What is left of the push on a sole that rises with `speed`, m/s.
fn kept(speed: f64) -> f64 {
    (1.0 - DEADENS * speed.max(0.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::{Drive, Pose};
    use crate::scene::{Hold, PuppetSpec, Scene, Script, SoleShape};
    use crate::{Footwear, Material};

    fn sand() -> World {
        let mut scene = Scene::default();
        scene.terrain.size = [2.0, 2.0];
        scene.terrain.cell = 0.01;
        scene.terrain.materials[0].material = Material::DRY_SAND;
        let mut puppet = PuppetSpec { script: Script::Host { feet: 1 }, ..PuppetSpec::default() };
        (puppet.body.foot_length, puppet.body.foot_width) = (0.1, 0.1);
        (puppet.sole, puppet.hold) = (SoleShape::Footwear(Footwear::Plate), Hold::Free);
        scene.puppets = vec![puppet];
        World::new(&scene).expect("sand")
    }

    fn step(world: &mut World, footing: &mut Footing, at: [f32; 3]) -> Answer {
        let sole = SolePose { position: Vec3::from_array(at), ..SolePose::default() };
        let answer = footing.hold(world, 0, 0, &sole);
        let drive =
            Drive { force: answer.force, load: [1.0, 0.0], cops: [answer.cop; 2], ..Drive::default() };
        world.set_pose(0, &Pose { drive: Some(drive), soles: vec![sole], center_of_mass: sole.position });
        world.step(0.01);
        answer
    }

    #[test]
    fn a_held_plate_is_answered_as_the_plate_test_and_unloads_steeply() {
        let (mut world, mut footing) = (sand(), Footing::default());
        let mut pushed = Vec::new();
        for i in 1..=30 {
            pushed.push(step(&mut world, &mut footing, [1.0, -0.001 * i as f32, 1.0]).normal);
        }
        assert!(pushed.windows(2).all(|w| w[1] > w[0]), "{pushed:?}");
        // What stays is as deep as the plate test has it, p = (k_c/b + k_φ) zⁿ over 100 cm²; the rest of the 30 mm springs back.
        let print = -world.height(1.0, 1.0);
        let law = Material::DRY_SAND.bekker.pressure(print, 0.1) * 0.01;
        assert!((pushed[29] / law - 1.0).abs() < 0.02, "{} for {law} N", pushed[29]);
        assert!((0.026..0.030).contains(&print), "{print} m");
        let up = step(&mut world, &mut footing, [1.0, -0.027, 1.0]).normal;
        assert!(up < 0.05 * pushed[29], "{up} N after 3 mm up");
        let again = step(&mut world, &mut footing, [1.0, -0.030, 1.0]).normal;
        assert!((again / pushed[29] - 1.0).abs() < 0.1, "{again} N for {} N", pushed[29]);
        let sole = |rises: f32| SolePose {
            position: Vec3::new(1.0, -0.03, 1.0),
            velocity: Vec3::Y * rises,
            ..SolePose::default()
        };
        let pushes =
            [-0.5, 0.0, 0.05, 0.2].map(|rises| footing.clone().hold(&world, 0, 0, &sole(rises)).normal);
        assert!(pushes[0] == pushes[1] && pushes[2] < 0.6 * pushes[1] && pushes[3] == 0.0, "{pushes:?}");
        let print = world.height(1.0, 1.0);
        assert_eq!(step(&mut world, &mut footing, [1.0, 0.1, 1.0]).normal, 0.0);
        assert_eq!(world.height(1.0, 1.0), print, "in the air nothing is pressed");
    }

    #[test]
    fn a_held_sole_is_held_along_the_ground_up_to_its_grip() {
        let (mut world, mut footing) = (sand(), Footing::default());
        for _ in 0..5 {
            step(&mut world, &mut footing, [1.0, -0.01, 1.0]);
        }
        let [mut last, mut most] = [0.0, 0.0];
        for i in 1..=20 {
            let answer = step(&mut world, &mut footing, [1.0 + 0.001 * i as f32, -0.01, 1.0]);
            let along = answer.force.x;
            assert!(along > 0.0 && answer.force.z.abs() < 1e-3, "{:?}", answer.force);
            assert!(i > 9 || along > last, "it grows until it slides");
            (last, most) = (along, f32::max(most, along / answer.normal as f32));
        }
        let friction = libm::tan(Material::DRY_SAND.natural.friction) as f32;
        assert!(most > 0.9 * friction && most < 4.0 * friction, "{most} for {friction}");
    }

    #[test]
    fn off_the_map_and_under_other_laws_there_is_no_answer() {
        let (world, mut footing) = (sand(), Footing::default());
        let sole = SolePose { position: Vec3::new(9.0, -1.0, 9.0), ..SolePose::default() };
        assert_eq!(footing.hold(&world, 0, 0, &sole), Answer::default());
        assert_eq!(footing.top(), f64::NEG_INFINITY);
    }
}
