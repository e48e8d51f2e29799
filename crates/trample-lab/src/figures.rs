//! Figures gathered along a run: what `summary.json` and the report say. They travel in the run file, so that a
//! resumed run ends with the same numbers as one that was never interrupted.

use crate::conduct::Conduct;
use crate::cover::{self, CoverRow};
use crate::tread;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use trample::{Event, PuppetSpec, Report, Script, World};

/// Totals over contacts, for one puppet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Times that a foot came down.
    pub footsteps: u64,
    /// Σ seconds in contact.
    seconds: f64,
    /// Σ area · seconds.
    area: f64,
    /// Σ normal force · seconds.
    impulse: f64,
    /// Σ depth · area · seconds.
    depth: f64,
    /// Largest depth under a sole, m.
    pub deepest: f64,
    /// Largest pressure, Pa.
    pub pressure: f64,
    /// Largest force, N.
    pub force: f64,
}

/// A print worth cutting through: where it is and which way it points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Print {
    /// Where, m.
    pub x: f64,
    /// Where, m.
    pub z: f64,
    /// Which way it points: x and z of a unit vector.
    pub heading: [f64; 2],
    /// How deep, m.
    pub depth: f64,
}

/// Seconds at the start of a run that are plotted.
const PLOTTED: f64 = 6.0;

/// Everything gathered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Totals of each puppet.
    pub puppets: Vec<Tally>,
    /// The deepest print.
    pub best: Print,
    /// The first seconds: time, then force and depth of the first puppet's first two feet, s, N and m.
    pub timeline: Vec<[f64; 5]>,
    /// Puppets whose pose was not a number, once for each time.
    pub quarantined: Vec<u64>,
    /// Plants after each pass.
    pub cover: Vec<CoverRow>,
    /// How walkers got on.
    pub conduct: Vec<Conduct>,
}

/// Largest error of the ledger of volumes at which a run counts as good.
const LARGEST_ERROR: f64 = 1e-6;

/// Whether a ledger with this error closes; one that is not a number does not.
pub fn closes(error: f64) -> bool {
    error <= LARGEST_ERROR
}

/// Whether a puppet that moves by itself should have stood on the ground by now.
fn is_due(spec: &PuppetSpec, time: f64) -> bool {
    match &spec.script {
        Script::Press(press) => time > press.start + 0.5,
        Script::Host { .. } => false,
        _ => time > 0.5,
    }
}

impl Figures {
    /// Nothing yet, for so many puppets.
    pub fn new(puppets: usize) -> Self {
        let (tallies, conduct) = (vec![Tally::default(); puppets], vec![Conduct::default(); puppets]);
        Self { puppets: tallies, conduct, ..Self::default() }
    }

    /// Looks at every walker after a step.
    pub fn watch(&mut self, world: &World) {
        self.conduct.iter_mut().enumerate().for_each(|(id, conduct)| conduct.watch(world, id));
    }

    /// What a person should be told of the walkers.
    pub fn lines(&self, world: &World) -> Vec<String> {
        let specs = &world.scene().puppets;
        let mut lines: Vec<String> =
            self.conduct.iter().zip(specs).flat_map(|(conduct, spec)| conduct.lines(spec)).collect();
        let touching = self.puppets.iter().map(|tally| tally.seconds > 0.0);
        for (spec, _) in
            specs.iter().zip(touching).filter(|(spec, touches)| !touches && is_due(spec, world.time()))
        {
            lines.push(format!(
                "WARNING: `{}` never touched the ground in {:.2} s, so that nothing carried its weight: is it above it, off the map, or on a \
                 slope too steep to stand on?",
                spec.name,
                world.time()
            ));
        }
        let volume = world.volume();
        if !closes(volume.relative_error) {
            lines.push(format!(
                "WARNING: the ledger does not close: of {:.6} m³ displaced {:.6} m³ lie on the ground and {:.6} m³ found no room beside the feet",
                volume.displaced, volume.accumulated, volume.owed
            ));
        }
        lines
    }

    /// Takes in what a step reported.
    pub fn take(&mut self, report: &Report, poses: impl Fn(usize, usize) -> ([f64; 2], [f64; 2])) {
        for c in &report.contacts {
            let t = &mut self.puppets[c.puppet];
            t.seconds += c.seconds;
            t.area += c.area * c.seconds;
            t.impulse += c.normal_force * c.seconds;
            t.depth += c.depth * c.area * c.seconds;
            t.deepest = t.deepest.max(c.depth);
            t.pressure = t.pressure.max(c.pressure);
            t.force = t.force.max(c.peak_force);
            // The deepest print so far, also under a foot that never lifts.
            if c.depth > self.best.depth {
                let (heading, [x, z]) = poses(c.puppet, c.foot);
                self.best = Print { x, z, heading, depth: c.depth };
            }
        }
        for event in &report.events {
            match *event {
                Event::FootDown { puppet, .. } => self.puppets[puppet].footsteps += 1,
                Event::Quarantined { puppet } => self.quarantined.push(puppet as u64),
                _ => {}
            }
        }
        if report.time <= PLOTTED {
            let mut sample = [report.time, 0.0, 0.0, 0.0, 0.0];
            for c in report.contacts.iter().filter(|c| c.puppet == 0 && c.foot < 2) {
                // A step may be taken in parts.
                sample[1 + c.foot] = sample[1 + c.foot].max(c.normal_force);
                sample[3 + c.foot] = c.depth;
            }
            self.timeline.push(sample);
        }
    }

    /// All puppets together.
    pub fn total(&self) -> Tally {
        self.puppets.iter().fold(Tally::default(), |a, b| Tally {
            footsteps: a.footsteps + b.footsteps,
            seconds: a.seconds + b.seconds,
            area: a.area + b.area,
            impulse: a.impulse + b.impulse,
            depth: a.depth + b.depth,
            deepest: a.deepest.max(b.deepest),
            pressure: a.pressure.max(b.pressure),
            force: a.force.max(b.force),
        })
    }

    /// As JSON, for the run file.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers and lists can always be written")
    }

    /// From the JSON of a run file; none if it is not ours.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

impl Tally {
    /// Mean contact area, m².
    pub fn mean_area(&self) -> f64 {
        ratio(self.area, self.seconds)
    }

    /// Mean pressure, Pa: all force over all area, so that a moment on a pebble does not count as a minute.
    pub fn mean_pressure(&self) -> f64 {
        ratio(self.impulse, self.area)
    }

    /// Mean depth under the soles, m.
    pub fn mean_depth(&self) -> f64 {
        ratio(self.depth, self.area)
    }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// How a run went, by the host's clock.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Time it took, s.
    pub wall_seconds: f64,
    /// Time simulated meanwhile, s; less than the run's if it was resumed.
    pub sim_seconds: f64,
    /// Time spent in each stage, s.
    pub stages: [f64; trample::Stage::ALL.len()],
    /// Threads that were used.
    pub threads: usize,
    /// How often a stage was shared out over threads.
    pub splits: u64,
}

/// The object of `summary.json`.
pub fn summary(world: &World, figures: &Figures, clock: &Clock) -> Value {
    let (scene, volume, total) = (world.scene(), world.volume(), figures.total());
    let stages: serde_json::Map<String, Value> = trample::Stage::ALL
        .iter()
        .zip(clock.stages)
        .map(|(stage, seconds)| (stage.name().to_string(), json!(seconds)))
        .collect();
    let puppets: Vec<Value> = scene
        .puppets
        .iter()
        .zip(&figures.puppets)
        .zip(&figures.conduct)
        .map(|((spec, t), conduct)| {
            let mut object = json!({
                "name": spec.name,
                "mass_kg": spec.body.mass,
                "footsteps": t.footsteps,
                "depth_m": { "max": t.deepest, "mean_in_contact": t.mean_depth() },
                "contact_area_m2": { "mean": t.mean_area() },
                "pressure_pa": { "mean": t.mean_pressure(), "max": t.pressure },
                "force_n": { "max": t.force },
            });
            conduct.put_in(&mut object, spec);
            object
        })
        .collect();
    let warnings: Vec<String> = figures
        .lines(world)
        .into_iter()
        .filter_map(|line| line.strip_prefix("WARNING: ").map(String::from))
        .collect();
    json!({
        "scene": scene.name,
        "about": scene.about,
        "seed": scene.seed,
        "law": scene.terrain.law.name(),
        "cell_m": scene.terrain.cell,
        "rate_hz": scene.rate,
        "threads": clock.threads,
        "splits": clock.splits,
        "steps": world.steps(),
        "sim_seconds": world.time(),
        "wall_seconds": clock.wall_seconds,
        "realtime_factor": ratio(clock.sim_seconds, clock.wall_seconds),
        "footsteps": total.footsteps,
        "volume": {
            "carved_m3": volume.carved,
            "displaced_m3": volume.displaced,
            "accumulated_m3": volume.accumulated,
            "compacted_m3": volume.compacted,
            "owed_m3": volume.owed,
            "relative_error": volume.relative_error,
        },
        "depth_m": { "max": world.deepest_print(), "mean_in_contact": total.mean_depth() },
        "tread": tread::object(world),
        "bump_m": { "max": world.highest_bump() },
        "contact_area_m2": { "mean": total.mean_area() },
        "pressure_pa": { "mean": total.mean_pressure(), "max": total.pressure },
        "force_n": { "max": total.force },
        "steepest_excess": world.steepest_excess(),
        "hash": format!("{:016x}", world.hash()),
        "stages": stages,
        "tiles": world.ground().tiles.len(),
        "touched_cells": world.touched_cells(),
        "bytes": world.ground().tiles.bytes(),
        "quarantined": figures.quarantined,
        "cover": cover::object(world, figures),
        "puppets": puppets,
        "warnings": warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn figures_come_back_as_they_were() {
        let scene = library::by_name("walk-soil").expect("scene");
        let mut world = World::new(&scene).expect("world");
        let mut figures = Figures::new(1);
        for _ in 0..150 {
            let report = world.step(scene.dt()).clone();
            figures.take(&report, |_, _| ([1.0, 0.0], [2.0, 1.0]));
        }
        assert!(figures.total().footsteps > 2 && figures.best.depth > 0.0);
        assert_eq!(Figures::from_bytes(&figures.to_bytes()), Some(figures.clone()));
        assert_eq!(Figures::from_bytes(&figures.to_bytes()[..64]), None, "cut off");
    }
}
