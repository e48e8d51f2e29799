//! Data of the plots and counters: the last seconds of forces, depth, cover and times, with distances and
//! step counts.

use std::collections::VecDeque;
use trample::PlantTally;
use trample::{Event, Stage, World};

/// How much a plot shows, s.
pub const SPAN: f64 = 10.0;
/// Time between looks at the cover, s: counting stems is not free.
const COVER_EVERY: f64 = 0.5;
/// Half the side of the square around a walker in which plants are counted, m.
const COVER_REACH: f64 = 1.5;

/// A curve: times, s, and values.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    points: VecDeque<[f64; 2]>,
}

impl Curve {
    /// Adds a value, and lets go of what is older than the plot.
    pub fn push(&mut self, time: f64, value: f64) {
        // After an undo the future never happened.
        while self.points.back().is_some_and(|p| p[0] >= time) {
            self.points.pop_back();
        }
        self.points.push_back([time, value]);
        while self.points.front().is_some_and(|p| p[0] < time - SPAN) {
            self.points.pop_front();
        }
    }

    /// Its points, oldest first.
    pub fn points(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.points.iter().copied()
    }

    /// Its newest value.
    pub fn last(&self) -> Option<f64> {
        self.points.back().map(|p| p[1])
    }

    /// How many points it has.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// What is counted from the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// How far the walker went, m.
    pub distance: f64,
    /// Footfalls.
    pub steps: u64,
    /// Passes.
    pub passes: u64,
    /// Deepest print, m.
    pub deepest: f64,
}

/// All curves and counters of the walker that is looked at.
#[derive(Clone, Debug, Default)]
pub struct Meters {
    /// Force into the ground, right and left, N.
    pub force: [Curve; 2],
    /// Depth of the ground under each foot, right and left, m.
    pub depth: [Curve; 2],
    /// Share of whole joints of the plants around.
    pub cover: Curve,
    /// Time that each stage took, s, in the order of [`Stage::ALL`].
    pub stages: [Curve; Stage::ALL.len()],
    /// Frames per second.
    pub frames: Curve,
    /// How far the walker went, m.
    pub distance: f64,
    /// Footfalls.
    pub steps: u64,
    /// Passes of its route that are done, or changes of direction of more than a right angle.
    pub passes: u64,
    /// Deepest print, m.
    pub deepest: f64,
    /// Middle of the last print that a foot has left, m.
    pub print: Option<[f32; 3]>,
    last: Option<[f64; 2]>,
    leg: Option<[f64; 2]>,
    counted: f64,
}

impl Meters {
    /// Begins anew.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// What has been counted so far.
    pub fn counts(&self) -> Counts {
        Counts { distance: self.distance, steps: self.steps, passes: self.passes, deepest: self.deepest }
    }

    /// Counts on from what had been counted at some time.
    pub fn set_counts(&mut self, counts: Counts) {
        (self.distance, self.steps) = (counts.distance, counts.steps);
        (self.passes, self.deepest, self.print) = (counts.passes, counts.deepest, None);
    }

    /// After an undo or another walker in view: the way so far stays, the place does not.
    pub fn jump(&mut self) {
        (self.last, self.leg, self.counted) = (None, None, f64::NEG_INFINITY);
    }

    /// Reads a world after a step. `stages` are seconds per stage.
    pub fn read(&mut self, world: &World, walker: usize, stages: &[f64; Stage::ALL.len()]) {
        let time = world.time();
        let mut force = [0.0; 2];
        for contact in world.report().contacts.iter().filter(|c| c.puppet == walker && c.foot < 2) {
            force[contact.foot] = contact.normal_force;
        }
        for foot in 0..2 {
            self.force[foot].push(time, force[foot]);
            let state = (walker < world.puppets()).then(|| world.puppet(walker).feet.get(foot)).flatten();
            self.depth[foot].push(time, state.filter(|f| f.down).map_or(0.0, |f| f.depth));
        }
        for (curve, seconds) in self.stages.iter_mut().zip(stages) {
            curve.push(time, *seconds);
        }
        for event in &world.report().events {
            match event {
                Event::FootDown { puppet, .. } if *puppet == walker => self.steps += 1,
                Event::FootUp { puppet, position, depth, .. } if *puppet == walker => {
                    self.deepest = self.deepest.max(*depth);
                    let height = world.height(f64::from(position.x), f64::from(position.z)) as f32;
                    self.print = Some([position.x, height, position.z]);
                }
                _ => {}
            }
        }
        self.travel(world, walker);
        if !world.plants().is_empty() && (time - self.counted).abs() >= COVER_EVERY {
            self.counted = time;
            self.cover.push(time, around(world, walker).cover());
        }
    }

    fn travel(&mut self, world: &World, walker: usize) {
        let Some((state, _)) = world.walker(walker) else { return };
        let here = [state.root.x, state.root.y];
        if let Some(last) = self.last {
            let step = ((here[0] - last[0]) * (here[0] - last[0])
                + (here[1] - last[1]) * (here[1] - last[1]))
                .sqrt();
            // A jump through an edit is no way.
            if step < 0.5 {
                self.distance += step;
            }
        }
        self.last = Some(here);
        if state.told.is_none() {
            self.passes = self.passes.max(u64::from(state.pass));
            return;
        }
        let velocity = [f64::from(state.velocity.x), f64::from(state.velocity.z)];
        let speed = (velocity[0] * velocity[0] + velocity[1] * velocity[1]).sqrt();
        if speed > 0.5 {
            let way = velocity.map(|v| v / speed);
            match self.leg {
                Some(leg) if leg[0] * way[0] + leg[1] * way[1] > -0.2 => {}
                Some(_) => {
                    self.passes += 1;
                    self.leg = Some(way);
                }
                None => self.leg = Some(way),
            }
        }
    }

    /// Notes how long a frame took, s.
    pub fn frame(&mut self, now: f64, seconds: f64) {
        if seconds > 0.0 {
            self.frames.push(now, 1.0 / seconds);
        }
    }

    /// Mean frames per second over the plot.
    pub fn frame_rate(&self) -> f64 {
        let n = self.frames.len();
        if n == 0 { 0.0 } else { n as f64 / self.frames.points().map(|p| 1.0 / p[1]).sum::<f64>() }
    }

    /// Mean time of a step over the plot, s.
    pub fn step_time(&self) -> f64 {
        let n = self.stages[0].len().max(1) as f64;
        // An empty sum is −0.
        (self.stages.iter().flat_map(Curve::points).map(|p| p[1]).sum::<f64>() / n).max(0.0)
    }
}

/// The plants around a walker.
pub fn around(world: &World, walker: usize) -> PlantTally {
    let size = world.scene().terrain.size;
    let at = world.walker(walker).map_or(size.map(|s| 0.5 * s), |(w, _)| [w.root.x, w.root.y]);
    world.plant_tally(at.map(|x| x - COVER_REACH), at.map(|x| x + COVER_REACH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn a_walk_is_counted_and_its_force_is_about_its_weight() {
        let scene = library::by_name("walk-soil").expect("scene");
        let mut world = World::new(&scene).expect("world");
        let mut meters = Meters::default();
        for _ in 0..300 {
            world.step(scene.dt());
            meters.read(&world, 0, &[1e-4; 6]);
        }
        let went = world.walker(0).expect("walker").0.root.x - 0.5;
        assert!((meters.distance - went).abs() < 0.3, "{} m counted, {went} m along x", meters.distance);
        assert!((5..12).contains(&meters.steps), "{} footfalls", meters.steps);
        let both = meters.force[0].points().zip(meters.force[1].points()).map(|(a, b)| a[1] + b[1]);
        let mean = both.sum::<f64>() / meters.force[0].len() as f64;
        let weight = scene.puppets[0].body.mass * 9.81;
        assert!((mean / weight - 1.0).abs() < 0.1, "mean force {mean} N, weight {weight} N");
        assert!(meters.deepest > 0.001 && meters.deepest < 0.05, "{}", meters.deepest);
        assert!((meters.step_time() - 6e-4).abs() < 1e-6);
    }

    #[test]
    fn curves_keep_ten_seconds_and_forget_an_undone_future() {
        let mut curve = Curve::default();
        for i in 0..2000 {
            curve.push(f64::from(i) * 0.01, f64::from(i));
        }
        let first = curve.points().next().expect("points");
        assert!((first[0] - (19.99 - SPAN)).abs() < 0.02, "{first:?}");
        curve.push(12.0, -1.0);
        assert_eq!(curve.last(), Some(-1.0));
        assert!(curve.points().all(|p| p[0] <= 12.0));
    }
}
