//! A walker that is steered over a field with soft ground in its middle to a goal on the other side.

use super::{Env, Picture, many};
use crate::scene_error;
use pyo3::prelude::*;
use trample::scene::{Control, Paint, PaintShape, Steer, WalkerSpec};
use trample::{PuppetSpec, Script, World};

/// Seconds of an action and of a step.
const ACTION: f64 = 0.25;
const STEPS: u32 = 15;
const STEP: f64 = ACTION / STEPS as f64;
/// The field, m; where soft ground lies on it; where the walker starts. Our choice.
const SIZE: [f64; 2] = [12.0, 8.0];
const CELL: f64 = 0.04;
const SOFT: [[f64; 2]; 2] = [[4.0, 2.0], [8.0, 6.0]];
const START: [f64; 2] = [1.0, 4.0];
/// Fastest that it is asked to go, m/s, and to turn, rad/s.
const FASTEST: f64 = 1.8;
const TURNS: f64 = 1.5;
/// Where it feels the ground ahead: distances, m, and directions, rad.
const AHEAD: [f64; 3] = [0.6, 1.2, 2.4];
const ASIDE: [f64; 3] = [-0.6, 0.0, 0.6];
/// So near it has arrived, m.
const ARRIVES: f64 = 0.5;
/// Reward of a metre nearer, of a kilojoule burnt, and of arriving. Our choice.
const NEARER: f64 = 1.0;
const BURNT: f64 = -1.0;
const ARRIVED: f64 = 10.0;

/// One walker and its field.
#[derive(Clone)]
pub(crate) struct Steering {
    pub(crate) world: World,
    fresh: std::sync::Arc<World>,
    goal: [f64; 2],
    aim: f64,
    made: u32,
    most: u32,
    total: u64,
}

impl Steering {
    pub(crate) fn new(material: &str, seconds: f64) -> PyResult<Self> {
        let mut scene = crate::ground_of("loam", SIZE, CELL)?;
        let soft = crate::ground_of(material, SIZE, CELL)?;
        scene.terrain.materials.push(soft.terrain.materials[0].clone());
        let shape = PaintShape::Rectangle { min: SOFT[0], max: SOFT[1] };
        scene.terrain.paints = vec![Paint { material: 1, shape }];
        let path =
            trample::scene::Path { waypoints: vec![START, [SIZE[0] - 1.0, START[1]]], ..Default::default() };
        let walker = WalkerSpec { control: Control::Stand, ..WalkerSpec::on(path) };
        scene.puppets =
            vec![PuppetSpec { script: Script::Walker(Box::new(walker)), ..PuppetSpec::default() }];
        let world = World::new(&scene).map_err(scene_error)?;
        let fresh = std::sync::Arc::new(world.clone());
        let most = (seconds / ACTION).round().max(1.0) as u32;
        Ok(Self { world, fresh, goal: [SIZE[0] - 1.0, START[1]], aim: 0.0, made: 0, most, total: 0 })
    }

    fn walker(&self) -> &trample::Walker {
        self.world.walker(0).expect("a walker").0
    }

    fn far(&self) -> f64 {
        let root = self.walker().root;
        libm::hypot(self.goal[0] - root.x, self.goal[1] - root.y)
    }

    fn material(&self, x: f64, z: f64) -> f64 {
        let inside = (SOFT[0][0]..SOFT[1][0]).contains(&x) && (SOFT[0][1]..SOFT[1][1]).contains(&z);
        f64::from(inside)
    }

    pub(crate) fn picture(&self) -> Picture {
        let root = self.walker().root;
        let points = vec![("walker", [root.x, root.y]), ("goal", self.goal)];
        (points, SOFT.to_vec())
    }
}

impl Env for Steering {
    const ACTIONS: usize = 2;
    const SEEN: usize = 5 + AHEAD.len() * ASIDE.len();
    const RANDOM: usize = 1;
    const FEET: u64 = 2;

    fn reset(&mut self, random: &[f32]) {
        self.world.clone_from(&self.fresh);
        self.goal = [SIZE[0] - 1.0, 1.0 + (SIZE[1] - 2.0) * f64::from(random[0])];
        (self.aim, self.made) = (0.0, 0);
    }

    fn act(&mut self, action: &[f32]) -> f32 {
        let told = [0, 1].map(|i| f64::from(action[i]).clamp(-1.0, 1.0));
        self.aim += told[1] * TURNS * ACTION;
        let speed = 0.5 * (told[0] + 1.0) * FASTEST;
        let velocity = [(speed * libm::cos(self.aim)) as f32, (speed * libm::sin(self.aim)) as f32];
        self.world.control(0, Control::Walk(Steer { velocity, ..Steer::default() }));
        let (before, mut joules) = (self.far(), 0.0);
        for _ in 0..STEPS {
            self.world.step(STEP);
            joules += self.world.metabolic_power(0).unwrap_or(0.0) * STEP;
        }
        (self.made, self.total) = (self.made + 1, self.total + u64::from(STEPS));
        let arrived = if self.over()[0] { ARRIVED } else { 0.0 };
        (NEARER * (before - self.far()) + BURNT * 1e-3 * joules + arrived) as f32
    }

    fn see(&self, out: &mut [f32]) {
        let walker = self.walker();
        let (sin, cos) = libm::sincos(walker.heading);
        let own = |x: f64, z: f64| [x * cos + z * sin, z * cos - x * sin];
        let goal = own(self.goal[0] - walker.root.x, self.goal[1] - walker.root.y);
        let speed = own(f64::from(walker.velocity.x), f64::from(walker.velocity.z));
        let power = self.world.metabolic_power(0).unwrap_or(0.0);
        let mut values = vec![goal[0], goal[1], speed[0], speed[1], 1e-3 * power];
        for far in AHEAD {
            for aside in ASIDE {
                let (sin, cos) = libm::sincos(walker.heading + aside);
                values.push(self.material(walker.root.x + far * cos, walker.root.y + far * sin));
            }
        }
        out.iter_mut().zip(values).for_each(|(o, v)| *o = v as f32);
    }

    fn over(&self) -> [bool; 2] {
        let root = self.walker().root;
        let inside = root.x > 0.3 && root.y > 0.3 && root.x < SIZE[0] - 0.3 && root.y < SIZE[1] - 0.3;
        [self.far() < ARRIVES, self.made >= self.most || !inside]
    }

    fn steps(&self) -> u64 {
        self.total
    }
}

many!(Walkers, "Walkers", Steering, "Walkers that are steered to a goal past soft ground, many at once.");
