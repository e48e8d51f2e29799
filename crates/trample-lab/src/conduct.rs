//! How walkers got on: how much of what they showed was recorded, whether they kept their hips up and went where they should, and
//! what that took.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use trample::params::Body;
use trample::scene::{Control, Motion, Script};
use trample::{PuppetSpec, World};

/// Below this share a walker with recordings has mostly shown something else.
const MOSTLY: f64 = 0.8;
/// Where hips are, over the height of standing.
const HIPS: [f64; 2] = [0.6, 1.2];
/// A walker that has covered less of its route than this has not walked it.
const WALKED: f64 = 0.5;

/// Sums over the steps of one walker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conduct {
    /// Steps on its way, and those of them that showed recorded motion.
    on_its_way: u64,
    recorded: u64,
    /// Whether it has recordings.
    has: bool,
    /// Lowest and highest hips over the height of standing.
    hips: Option<[f64; 2]>,
    /// Share of its route that is behind it, and how far before its end it stopped because others stood there, m.
    covered: Option<f64>,
    #[serde(default)]
    short: f64,
    /// What it went, m, in how long, s, and with how much energy, J.
    #[serde(default)]
    way: [f64; 3],
}

impl Conduct {
    /// Looks at a walker after a step.
    pub fn watch(&mut self, world: &World, id: usize) {
        let Some(progress) = world.progress(id) else { return };
        let in_place = matches!(&world.scene().puppets[id].script,
            Script::Walker(w) if w.recorded.as_ref().is_some_and(|r| r.in_place));
        if let Some(recorded) = progress.recorded {
            self.has = true;
            if progress.on_its_way || in_place {
                self.on_its_way += 1;
                self.recorded += u64::from(recorded);
            }
        }
        (self.covered, self.short) = (progress.covered, progress.short);
        if progress.on_its_way
            && let (Some((walker, _)), Some(power)) = (world.walker(id), world.metabolic_power(id))
        {
            let dt = world.scene().dt();
            let gone = [f64::from(walker.velocity.length()), 1.0, power];
            self.way.iter_mut().zip(gone).for_each(|(sum, rate)| *sum += rate * dt);
        }
        if progress.pelvis.is_finite() {
            let [low, high] = self.hips.unwrap_or([progress.pelvis; 2]);
            self.hips = Some([low.min(progress.pelvis), high.max(progress.pelvis)]);
        }
    }

    /// Share of its way on which it showed recorded motion; none without recordings.
    pub fn recorded_share(&self, spec: &PuppetSpec) -> Option<f64> {
        match &spec.script {
            Script::Animal(animal) => animal.ready.is_none().then_some(1.0),
            _ => self.has.then(|| self.recorded as f64 / self.on_its_way.max(1) as f64),
        }
    }

    /// Why it has mostly shown something else than its recordings, or shown them otherwise than they are.
    fn reason(&self, spec: &PuppetSpec) -> Option<String> {
        let Script::Walker(walker) = &spec.script else { return None };
        let recorded = walker.recorded.as_deref()?;
        let asked = match &walker.control {
            Control::Route(route) => Some(route.path.speed),
            _ => None,
        };
        let beyond = asked.zip(recorded.speeds()).filter(|(asked, _)| recorded.lacks(*asked));
        let beyond = beyond.map(|(asked, [low, high])| {
            let held = if high - low < 0.05 { format!("{low:.2}") } else { format!("{low:.2} to {high:.2}") };
            format!("asked for {asked:.2} m/s and its recordings hold {held} m/s")
        });
        if let Some(beyond) = beyond.as_ref().filter(|_| !recorded.fill) {
            return Some(format!(
                "{beyond}; with fill = false they are all that is played, sped up or slowed down"
            ));
        }
        if self.recorded_share(spec)? >= MOSTLY {
            return None;
        }
        Some(beyond.unwrap_or_else(|| {
            match recorded.speeds() {
                None if recorded.clips.is_empty() => "there is no motion in its files",
                None => "no whole stride in its recordings",
                _ => "starts, stops and turns, which its recordings do not show, are most of its way",
            }
            .into()
        }))
    }

    /// What is said of it in `summary.json`.
    pub fn put_in(&self, object: &mut Value, spec: &PuppetSpec) {
        object["recorded_share"] = json!(self.recorded_share(spec));
        object["recorded_reason"] = json!(self.reason(spec));
        object["route_share"] = json!(self.covered);
        object["outside_recorded"] = json!(outside_recorded(spec));
        let [metres, seconds, joules] = self.way;
        if seconds > 0.0 {
            object["stopped_short_m"] = json!(self.short);
            object["speed_m_per_s"] = json!({ "mean": metres / seconds });
            let per_metre = (metres > 0.1).then(|| joules / metres);
            object["energy_j"] = json!({ "whole": joules, "per_metre": per_metre });
        }
        object["hips"] = self.hips.map_or(Value::Null, |[min, max]| json!({ "min": min, "max": max }));
    }

    /// What a person should be told of a walker.
    pub fn lines(&self, spec: &PuppetSpec) -> Vec<String> {
        let name = &spec.name;
        let mut lines = Vec::new();
        if let Script::Animal(animal) = &spec.script {
            lines.extend(animal.notes.iter().map(|note| format!("{name}: {note}")));
            if animal.ready.is_none() {
                let take = &animal.take;
                lines.push(format!("{name}: 100 % of its way by recorded motion, take `{take}`"));
            }
        }
        let Script::Walker(walker) = &spec.script else { return lines };
        for note in walker.recorded.iter().flat_map(|r| &r.notes) {
            lines.push(format!("{name}: {note}"));
        }
        if let Some(share) = self.recorded_share(spec) {
            lines.push(format!("{name}: {:.0} % of its way by recorded motion", 100.0 * share));
            if let Some(why) = self.reason(spec) {
                let rest = if share < MOSTLY { ", the rest is generated" } else { "" };
                lines.push(format!("WARNING: {name}: recorded_share {share:.2}{rest}: {why}"));
            }
        }
        if let Some([low, high]) = self.hips.filter(|[low, high]| *low < HIPS[0] || *high > HIPS[1]) {
            lines.push(format!(
                "WARNING: {name}: its hips were {low:.2} to {high:.2} of their standing height, expected {} to {}",
                HIPS[0], HIPS[1]
            ));
        }
        if let Some(why) = outside_recorded(spec) {
            lines.push(format!("WARNING: {name}: {why}"));
        }
        if self.short > 0.0 {
            let short = self.short;
            lines.push(format!(
                "{name}: stopped {short:.2} m before the end of its route: others stand there"
            ));
        }
        if let Some(covered) = self.covered.filter(|c| *c < WALKED) {
            lines.push(format!("WARNING: {name}: covered {:.0} % of its route", 100.0 * covered));
        }
        lines
    }
}

/// What of the speed that a walker on a route was asked for lies outside of what its generated gait was built from; none if nothing does
/// or it moves by recordings of its own.
pub fn outside_recorded(spec: &PuppetSpec) -> Option<String> {
    let Script::Walker(walker) = &spec.script else { return None };
    let (Control::Route(route), None) = (&walker.control, &walker.recorded) else { return None };
    // Others go at the same Froude number as a body of 1.8 m.
    let scale = (spec.body.leg() / Body::default().leg()).sqrt();
    let asked = route.path.speed;
    let v = asked / scale;
    let at = |speed: f64| format!("{:.2} m/s", speed * scale);
    match route.motion {
        _ if v < SLOWEST => Some(format!(
            "asked for {asked:.2} m/s: people were recorded from {} on, and it goes no slower than {}",
            at(0.52),
            at(SLOWEST)
        )),
        Motion::Walk if v > WALKS => Some(format!(
            "asked to walk at {asked:.2} m/s: people were recorded walking up to {}, and it walks no faster than {}",
            at(2.11),
            at(1.02 * WALKS)
        )),
        Motion::Run if v < RUNS[0] => Some(format!(
            "asked to run at {asked:.2} m/s: its runs, recorded at 4 m/s, are not carried down below {}, so it walks",
            at(RUNS[0])
        )),
        _ if v > 1.02 * RUNS[1] => Some(format!(
            "asked for {asked:.2} m/s: it runs no faster than {}, the fastest that its gait was made for",
            at(1.02 * RUNS[1])
        )),
        _ => None,
    }
}

/// The slowest walk, the fastest walk that can be asked for, and the slowest and fastest run of a body of 1.8 m, m/s.
const SLOWEST: f64 = 0.34;
const WALKS: f64 = 2.5;
const RUNS: [f64; 2] = [1.1, 5.5];

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::{Path, Route, WalkerSpec};

    #[test]
    fn speeds_outside_of_what_was_recorded_are_told() {
        let said = |speed: f64, motion: Motion| {
            let path = Path { speed, ..Path::along([[1.0, 1.0], [9.0, 1.0]]) };
            let control = Control::Route(Route { path: path.clone(), metabolic: false, motion });
            let walker = WalkerSpec { control, ..WalkerSpec::on(path) };
            outside_recorded(&PuppetSpec::walking("walker", Body::default(), walker))
        };
        for (speed, motion, word) in [
            (3.0, Motion::Walk, "to walk at 3.00 m/s"),
            (1.0, Motion::Run, "to run at 1.00 m/s"),
            (0.2, Motion::Auto, "no slower than 0.34 m/s"),
            (8.0, Motion::Auto, "no faster than 5.61 m/s"),
        ] {
            let why = said(speed, motion).unwrap_or_default();
            assert!(why.contains(word), "{speed}: {why}");
        }
        for (speed, motion) in [
            (2.4, Motion::Walk),
            (1.1, Motion::Run),
            (1.5, Motion::Run),
            (0.5, Motion::Auto),
            (4.5, Motion::Auto),
        ] {
            assert_eq!(said(speed, motion), None, "{speed} m/s");
        }
    }
}
