//! How walkers got on: how much of what they showed was recorded, whether they kept their hips up and went where they should.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use trample::scene::{Control, Script};
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
    /// Share of its route that is behind it.
    covered: Option<f64>,
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
        self.covered = progress.covered;
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

    /// What is said of it in `summary.json`.
    pub fn put_in(&self, object: &mut Value, spec: &PuppetSpec) {
        object["recorded_share"] = json!(self.recorded_share(spec));
        object["route_share"] = json!(self.covered);
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
        let recorded = walker.recorded.as_deref();
        for note in recorded.iter().flat_map(|r| &r.notes) {
            lines.push(format!("{name}: {note}"));
        }
        if let (Some(share), Some(recorded)) = (self.recorded_share(spec), recorded) {
            lines.push(format!("{name}: {:.0} % of its way by recorded motion", 100.0 * share));
            if share < MOSTLY {
                let asked = match &walker.control {
                    Control::Route(route) => Some(route.path.speed),
                    _ => None,
                };
                let why = match (asked, recorded.speeds()) {
                    (Some(asked), Some([low, high])) if recorded.lacks(asked) => {
                        let held = if high - low < 0.05 {
                            format!("{low:.2}")
                        } else {
                            format!("{low:.2} to {high:.2}")
                        };
                        format!("asked for {asked:.2} m/s and its recordings hold {held} m/s")
                    }
                    (_, None) if recorded.clips.is_empty() => "there is no motion in its files".into(),
                    (_, None) => "no whole stride in its recordings".into(),
                    _ => "starts, stops and turns, which its recordings do not show, are most of its way"
                        .into(),
                };
                lines.push(format!(
                    "WARNING: {name}: recorded_share {share:.2}, the rest is generated: {why}"
                ));
            }
        }
        if let Some([low, high]) = self.hips.filter(|[low, high]| *low < HIPS[0] || *high > HIPS[1]) {
            lines.push(format!(
                "WARNING: {name}: its hips were {low:.2} to {high:.2} of their standing height, expected {} to {}",
                HIPS[0], HIPS[1]
            ));
        }
        if let Some(covered) = self.covered.filter(|c| *c < WALKED) {
            lines.push(format!("WARNING: {name}: covered {:.0} % of its route", 100.0 * covered));
        }
        lines
    }
}
