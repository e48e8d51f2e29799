//! Figures gathered along a run: what `summary.json` and the report say. They travel in the run file, so that a
//! resumed run ends with the same numbers as one that was never interrupted.

use crate::cover::{self, Row};
use serde_json::{Value, json};
use trample::{Event, Report, World};

/// Totals over contacts, for one puppet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) footsteps: u64,
    /// Σ seconds in contact.
    seconds: f64,
    /// Σ area · seconds.
    area: f64,
    /// Σ normal force · seconds.
    impulse: f64,
    /// Σ depth · area · seconds.
    depth: f64,
    pub(crate) deepest: f64,
    pub(crate) pressure: f64,
    pub(crate) force: f64,
}

/// A print worth cutting through: where it is and which way it points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Print {
    pub(crate) x: f64,
    pub(crate) z: f64,
    pub(crate) heading: [f64; 2],
    pub(crate) depth: f64,
}

/// Seconds at the start of a run that are plotted.
const PLOTTED: f64 = 6.0;

/// One sample of the plot: time, then force and depth of the first puppet's first two feet.
pub(crate) type Sample = [f64; 5];

/// Everything gathered.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) puppets: Vec<Tally>,
    pub(crate) best: Print,
    pub(crate) timeline: Vec<Sample>,
    pub(crate) quarantined: Vec<u64>,
    /// Plants after each pass.
    pub(crate) cover: Vec<Row>,
}

impl Figures {
    pub(crate) fn new(puppets: usize) -> Self {
        Self { puppets: vec![Tally::default(); puppets], ..Self::default() }
    }

    /// Takes in what a step reported.
    pub(crate) fn take(&mut self, report: &Report, poses: impl Fn(usize, usize) -> ([f64; 2], [f64; 2])) {
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
                Event::FootUp { .. } => {}
                Event::Quarantined { puppet } => self.quarantined.push(puppet as u64),
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
    pub(crate) fn total(&self) -> Tally {
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

    /// As words, for the run file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut words: Vec<u64> = vec![self.puppets.len() as u64];
        for t in &self.puppets {
            words.push(t.footsteps);
            let rest = [t.seconds, t.area, t.impulse, t.depth, t.deepest, t.pressure, t.force];
            words.extend(rest.map(f64::to_bits));
        }
        let b = self.best;
        words.extend([b.x, b.z, b.heading[0], b.heading[1], b.depth].map(f64::to_bits));
        words.push(self.timeline.len() as u64);
        words.extend(self.timeline.iter().flatten().map(|x| x.to_bits()));
        words.push(self.quarantined.len() as u64);
        words.extend(&self.quarantined);
        words.push(self.cover.len() as u64);
        words.extend(self.cover.iter().flat_map(|row| row.to_words()).map(f64::to_bits));
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    /// From the words of a run file; none if they are not ours.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut words = bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes")));
        let most = bytes.len() / 8;
        let mut figures = Self::default();
        let puppets = words.next()? as usize;
        for _ in 0..puppets.min(most) {
            let footsteps = words.next()?;
            let mut x = [0.0; 7];
            for value in &mut x {
                *value = f64::from_bits(words.next()?);
            }
            let [seconds, area, impulse, depth, deepest, pressure, force] = x;
            figures.puppets.push(Tally {
                footsteps,
                seconds,
                area,
                impulse,
                depth,
                deepest,
                pressure,
                force,
            });
        }
        let mut next = || words.next().map(f64::from_bits);
        figures.best = Print { x: next()?, z: next()?, heading: [next()?, next()?], depth: next()? };
        let samples = words.next()? as usize;
        for _ in 0..samples.min(most) {
            let mut sample = [0.0; 5];
            for x in &mut sample {
                *x = f64::from_bits(words.next()?);
            }
            figures.timeline.push(sample);
        }
        let quarantined = words.next()? as usize;
        figures.quarantined = words.by_ref().take(quarantined).collect();
        let rows = words.next()? as usize;
        for _ in 0..rows.min(most) {
            let mut row = [0.0; 8];
            for x in &mut row {
                *x = f64::from_bits(words.next()?);
            }
            figures.cover.push(Row::from_words(row));
        }
        (figures.puppets.len() == puppets).then_some(figures)
    }
}

impl Tally {
    /// Mean contact area, m².
    pub(crate) fn mean_area(&self) -> f64 {
        ratio(self.area, self.seconds)
    }

    /// Mean pressure, Pa: all force over all area, so that a moment on a pebble does not count as a minute.
    pub(crate) fn mean_pressure(&self) -> f64 {
        ratio(self.impulse, self.area)
    }

    /// Mean depth under the soles, m.
    pub(crate) fn mean_depth(&self) -> f64 {
        ratio(self.depth, self.area)
    }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// How a run went, by the host's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    pub(crate) wall_seconds: f64,
    /// Time simulated meanwhile, s; less than the run's if it was resumed.
    pub(crate) sim_seconds: f64,
    pub(crate) stages: [f64; trample::Stage::ALL.len()],
    pub(crate) threads: usize,
}

/// The object of `summary.json`.
pub(crate) fn summary(world: &World, figures: &Figures, clock: &Clock) -> Value {
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
        .map(|(spec, t)| {
            json!({
                "name": spec.name,
                "mass_kg": spec.mass,
                "footsteps": t.footsteps,
                "depth_m": { "max": t.deepest, "mean_in_contact": t.mean_depth() },
                "contact_area_m2": { "mean": t.mean_area() },
                "pressure_pa": { "mean": t.mean_pressure(), "max": t.pressure },
                "force_n": { "max": t.force },
            })
        })
        .collect();
    json!({
        "scene": scene.name,
        "about": scene.about,
        "seed": scene.seed,
        "law": scene.terrain.law.name(),
        "cell_m": scene.terrain.cell,
        "rate_hz": scene.rate,
        "threads": clock.threads,
        "steps": world.steps(),
        "sim_seconds": world.time(),
        "wall_seconds": clock.wall_seconds,
        "realtime_factor": ratio(clock.sim_seconds, clock.wall_seconds),
        "footsteps": total.footsteps,
        "volume": {
            "carved_m3": volume.carved,
            "displaced_m3": volume.displaced,
            "accumulated_m3": volume.accumulated,
            "relative_error": volume.relative_error,
        },
        "depth_m": { "max": world.map(trample::Map::Compression).max(), "mean_in_contact": total.mean_depth() },
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
