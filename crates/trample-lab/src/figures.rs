//! Figures gathered along a run: what `summary.json` and the report say. They travel in the run file, so that a
//! resumed run ends with the same numbers as one that was never interrupted.

use crate::conduct::Conduct;
use crate::cover::{self, CoverRow};
use crate::tread;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use trample::params::GRAVITY;
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

/// What lines of trouble begin with.
const WARNING: &str = "WARNING: ";
/// Share of its weight that a plate puts on the ground at least; below it something is wrong with where it stands. Our choice: a slope of 37°.
const CARRIED: f64 = 0.8;
/// Most lines that differ in names and numbers only; more become one. Our choice.
const LISTED: usize = 3;

/// Something to be said of a puppet.
struct Said {
    id: usize,
    /// [`WARNING`] or nothing.
    head: &'static str,
    /// Around its name.
    quote: &'static str,
    /// What comes after its name.
    words: String,
}

/// One line for each, or one for many that are alike but for names and numbers. Of those who share a name each has its place in the scene
/// after it.
fn grouped(said: &[Said], specs: &[PuppetSpec]) -> Vec<String> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    specs.iter().for_each(|spec| *names.entry(&spec.name).or_default() += 1);
    let name = |id: usize| match &specs[id].name {
        name if names[&name[..]] > 1 => format!("{name} {id}"),
        name => name.clone(),
    };
    let mut groups: Vec<Vec<&Said>> = Vec::new();
    let mut known: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for one in said {
        let kind = one.words.replace(|c: char| c.is_ascii_digit(), "").replace('.', "");
        let place = *known.entry((one.head, kind)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(one);
    }
    let mut lines = Vec::new();
    for group in groups {
        if group.len() <= LISTED {
            let line = |s: &&Said| format!("{}{1}{2}{1}{3}", s.head, s.quote, name(s.id), s.words);
            lines.extend(group.iter().map(line));
            continue;
        }
        let walkers = group.iter().all(|s| matches!(specs[s.id].script, Script::Walker(_)));
        let (first, who) = (group[0], if walkers { "walkers" } else { "puppets" });
        let same = group.iter().all(|s| s.words == first.words);
        let others = if same { "" } else { "; the others alike" };
        let (count, named) = (group.len(), name(first.id));
        lines.push(format!("{}{count} {who}{} (first: {named}{others})", first.head, first.words));
    }
    lines
}

/// How long a plate that is pressed by its weight has stood by then, s; nothing for others: they fly, fall, or are moved by somebody.
fn seconds_down(spec: &PuppetSpec, time: f64) -> f64 {
    let Script::Press(press) = &spec.script else { return 0.0 };
    let (cycle, presses) = (press.down + press.up, f64::from(press.presses));
    // The script ends when the last one is over.
    let since = time - (spec.script.seconds(spec.body.height) - presses * cycle);
    let done = (since / cycle).floor().clamp(0.0, presses);
    let rest = if done < presses { (since - done * cycle).clamp(0.0, press.down) } else { 0.0 };
    done * press.down + rest
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

    /// What a person should be told of the walkers; what many have in common is said once.
    pub fn lines(&self, world: &World) -> Vec<String> {
        let (specs, time) = (&world.scene().puppets, world.time());
        let mut said = Vec::new();
        for (id, (conduct, spec)) in self.conduct.iter().zip(specs).enumerate() {
            for line in conduct.lines(spec) {
                let (head, rest) = line.strip_prefix(WARNING).map_or(("", &line[..]), |rest| (WARNING, rest));
                let words = rest.strip_prefix(&spec.name[..]).unwrap_or(rest).to_string();
                said.push(Said { id, head, quote: "", words });
            }
        }
        for (id, (spec, tally)) in specs.iter().zip(&self.puppets).enumerate() {
            let words = if tally.seconds > 0.0 {
                let whole = spec.body.mass * GRAVITY * seconds_down(spec, time);
                if tally.impulse >= CARRIED * whole {
                    continue;
                }
                format!(
                    " put {:.0} % of its weight on the ground while it stood: is it over an edge of the height map, partly off the map, or on a \
                     slope above {:.0}°?",
                    100.0 * tally.impulse / whole,
                    libm::acos(CARRIED).to_degrees()
                )
            } else if is_due(spec, time) {
                format!(
                    " never touched the ground in {time:.2} s, so that nothing carried its weight: is it above it, off the map, or on a slope \
                     too steep to stand on?"
                )
            } else {
                continue;
            };
            said.push(Said { id, head: WARNING, quote: "`", words });
        }
        let mut lines = grouped(&said, specs);
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
        .filter_map(|line| line.strip_prefix(WARNING).map(String::from))
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
            "carried_off_m3": volume.carried_off,
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
    fn what_many_have_in_common_is_said_once() {
        let mut scene = library::by_name("plate").expect("scene");
        let plate = scene.puppets[0].clone();
        let mut far = plate.clone();
        far.name = "far".into();
        scene.puppets = vec![far.clone(), plate.clone(), plate.clone(), plate.clone(), plate];
        let said = |ids: &[usize], words: &str| -> Vec<Said> {
            ids.iter()
                .map(|&id| Said { id, head: WARNING, quote: "", words: format!(": {words} {id}.5 %") })
                .collect()
        };
        let few = grouped(&said(&[0, 2], "covered"), &scene.puppets);
        let name = &scene.puppets[2].name;
        assert_eq!(
            few,
            ["WARNING: far: covered 0.5 %".to_string(), format!("WARNING: {name} 2: covered 2.5 %")]
        );
        let many: Vec<Said> = said(&[1, 2, 3, 4], "covered").into_iter().chain(said(&[0], "sank")).collect();
        assert_eq!(
            grouped(&many, &scene.puppets),
            [
                format!("WARNING: 4 puppets: covered 1.5 % (first: {name} 1; the others alike)"),
                "WARNING: far: sank 0.5 %".to_string()
            ]
        );
    }

    /// Figures of a plate at x in the given terrain, after all its presses.
    fn pressed(base: trample::scene::Base, x: f64, presses: u32) -> Vec<String> {
        let mut scene = library::by_name("plate").expect("scene");
        (scene.terrain.base, scene.terrain.size) = (base, [2.0, 2.0]);
        for puppet in &mut scene.puppets {
            if let Script::Press(press) = &mut puppet.script {
                (press.position, press.presses) = ([x, 1.0], presses);
            }
        }
        let mut world = World::new(&scene).expect("world");
        let mut figures = Figures::new(scene.puppets.len());
        for _ in 0..scene.steps() {
            world.step(scene.dt());
            figures.take(world.report(), |_, _| ([1.0, 0.0], [x, 1.0]));
        }
        figures.lines(&world)
    }

    #[test]
    fn a_plate_over_an_edge_is_told_and_one_on_level_ground_or_a_slope_is_not() {
        use trample::scene::{Base, Raster};
        let posts = (0..11 * 11).map(|i| if i % 11 < 5 { 0.0 } else { 3.0 }).collect();
        let wall = Base::Raster(Raster::new(11, 11, [0.2; 2], posts).expect("a map"));
        let told = pressed(wall, 0.75, 1);
        assert!(told.iter().any(|l| l.starts_with("WARNING") && l.contains("% of its weight")), "{told:?}");
        for presses in [1, 3] {
            assert_eq!(pressed(Base::Flat, 1.0, presses), Vec::<String>::new());
            let slope = Base::Slope { angle: 0.5, direction: 0.0 };
            assert_eq!(pressed(slope, 1.0, presses), Vec::<String>::new());
        }
    }

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
