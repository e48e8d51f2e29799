//! What became of the plants along a run: cover and height of every patch after each pass, as numbers, table and plot.

use crate::Failure;
use crate::figures::Figures;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use trample::{PlantTally, Script, World, touched_rect};
use trample_pictures::{Chart, Series, plot_lines_within};

/// Plants up to which they are counted after every pass; larger meadows are counted at the start and at the end.
const COUNTED: f64 = 20_000.0;

/// One patch after so many passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverRow {
    /// Passes that everybody has walked.
    pub passes: f64,
    /// When, s.
    pub time: f64,
    /// Which patch.
    pub patch: f64,
    /// Share of whole joints.
    pub cover: f64,
    /// Mean height of the tips, m.
    pub height: f64,
    /// Stems bent, worn and broken.
    pub stems: [f64; 3],
}

/// Passes that every walker and every scripted walk of the scene has finished.
pub fn passes(world: &World) -> u32 {
    let one = |id: usize| {
        let spec = &world.scene().puppets[id];
        match (&spec.script, world.walker(id)) {
            (Script::Walk(walk), _) => {
                let path = &walk.path;
                let each = (spec.script.seconds(spec.body.height) - path.start) / f64::from(path.passes);
                Some((((world.time() - path.start) / each).max(0.0) as u32).min(path.passes))
            }
            (Script::Walker(_), Some((walker, _))) => Some(walker.pass),
            _ => None,
        }
    };
    (0..world.puppets()).filter_map(one).min().unwrap_or(0)
}

/// Counts each patch apart, in a rectangle.
fn tallies(world: &World, min: [f64; 2], max: [f64; 2]) -> Vec<PlantTally> {
    let mut out = vec![PlantTally::default(); world.scene().plants.len()];
    world.each_stem(min, max, |stem| out[stem.patch].count(&stem));
    out
}

fn everywhere(world: &World) -> Vec<PlantTally> {
    tallies(world, [f64::NEG_INFINITY; 2], [f64::INFINITY; 2])
}

/// Counts the plants if a pass has been finished since they were last counted, or if `last` says that this is the end.
pub fn take(world: &World, rows: &mut Vec<CoverRow>, last: bool) {
    if world.scene().plants.is_empty() {
        return;
    }
    let passes = f64::from(passes(world));
    let known = rows.last().map(|row| (row.passes, row.time));
    let plants: f64 = world.scene().plants.iter().map(trample::PlantPatch::expected_plants).sum();
    let more = known.is_none_or(|(before, _)| plants <= COUNTED && passes > before);
    let end = last && known.is_some_and(|(_, time)| time < world.time());
    if !more && !end {
        return;
    }
    // The end of a pass and of the run are one row: the plants had time to get up.
    if end && known.is_some_and(|(before, _)| before == passes && before > 0.0) {
        rows.retain(|row| row.passes != passes);
    }
    rows.extend(everywhere(world).iter().enumerate().map(|(patch, tally)| CoverRow {
        passes,
        time: world.time(),
        patch: patch as f64,
        cover: tally.cover(),
        height: tally.mean_height(),
        stems: [tally.bent, tally.worn, tally.broken].map(|n| n as f64),
    }));
}

/// A patch's name; its number too if another has the same.
fn name(world: &World, patch: usize) -> String {
    let plants = &world.scene().plants;
    let own = plants.get(patch).map_or("plants", |p| p.name.as_str());
    let twice = plants.iter().filter(|p| p.name == own).count() > 1;
    if twice { format!("{own} {patch}") } else { own.into() }
}

/// The `cover` of `summary.json`: every patch, and the part of it within the box around all prints.
pub fn object(world: &World, figures: &Figures) -> Value {
    let plants = &world.scene().plants;
    if plants.is_empty() {
        return json!({});
    }
    let told = |tally: &PlantTally, first: Option<f64>| {
        let height = tally.mean_height();
        json!({
            "plants": tally.plants,
            "stems": tally.stems,
            "bent": tally.bent,
            "worn": tally.worn,
            "broken": tally.broken,
            "cover": tally.cover(),
            "height_m": height,
            "height_loss": first.filter(|first| *first > 0.0).map(|first| 1.0 - height / first),
        })
    };
    let cell = world.ground().cell;
    let trodden = touched_rect(world.ground()).map(|r| {
        let low = [f64::from(r.x) * cell, f64::from(r.z) * cell];
        tallies(world, low, [low[0] + r.width as f64 * cell, low[1] + r.height as f64 * cell])
    });
    let mut out = Map::new();
    for (patch, tally) in everywhere(world).iter().enumerate() {
        let first = figures.cover.iter().find(|row| row.patch == patch as f64).map(|row| row.height);
        let mut one = told(tally, first);
        if let Some(part) = trodden.as_ref().map(|t| &t[patch]).filter(|t| t.plants > 0) {
            one["trodden"] = told(part, first);
        }
        out.insert(name(world, patch), one);
    }
    Value::Object(out)
}

/// The table `cover.csv`.
pub fn table(world: &World, rows: &[CoverRow]) -> String {
    let mut out = String::from("passes,time_s,patch,cover,height_m,bent,worn,broken\n");
    for row in rows {
        let [bent, worn, broken] = row.stems;
        // A comma or a quote in a name must not make another column.
        let name = name(world, row.patch as usize).replace('"', "\"\"");
        writeln!(
            out,
            "{},{:.3},\"{name}\",{:.6},{:.6},{bent},{worn},{broken}",
            row.passes, row.time, row.cover, row.height
        )
        .expect("writing to a string does not fail");
    }
    out
}

/// Cover against passes, a line for each patch.
pub fn chart(world: &World, rows: &[CoverRow]) -> Result<Chart, Failure> {
    let series: Vec<Series> = (0..world.scene().plants.len())
        .map(|patch| {
            let own = || rows.iter().filter(move |row| row.patch == patch as f64);
            Series {
                name: name(world, patch),
                x: own().map(|row| row.passes).collect(),
                y: own().map(|row| 100.0 * row.cover).collect(),
            }
        })
        .collect();
    let title = format!("Cover of {}", world.scene().name);
    Ok(plot_lines_within(&series, &title, "passes", "relative cover (%)", Some([0.0, 100.0]))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn a_trodden_lane_loses_cover_and_the_one_beside_it_does_not() {
        let scene = library::lane(trample::params::Species::CAREX_PENSYLVANICA, 4);
        let mut world = World::new(&scene).expect("world");
        let mut figures = Figures::new(1);
        take(&world, &mut figures.cover, false);
        for _ in 0..scene.steps() {
            world.step(scene.dt());
            take(&world, &mut figures.cover, false);
        }
        take(&world, &mut figures.cover, true);
        let rows = &figures.cover;
        let passes: Vec<f64> = rows.iter().filter(|r| r.patch == 0.0).map(|r| r.passes).collect();
        assert_eq!(passes, [0.0, 1.0, 2.0, 3.0, 4.0], "counted after each pass");
        let lane: Vec<f64> = rows.iter().filter(|r| r.patch == 0.0).map(|r| r.cover).collect();
        assert!(lane.windows(2).all(|w| w[1] <= w[0]) && lane[4] < lane[0], "{lane:?}");
        assert!(rows.iter().filter(|r| r.patch == 1.0).all(|r| r.cover == 1.0), "nobody enters the control");
        let told = object(&world, &figures);
        assert_eq!(told["lane"]["cover"].as_f64(), Some(lane[4]));
        assert_eq!(told["control"]["broken"], 0);
        let (whole, part) = (&told["lane"]["plants"], &told["lane"]["trodden"]["plants"]);
        assert!(part.as_u64() > Some(0) && part.as_u64() <= whole.as_u64(), "{told}");
        assert!(table(&world, rows).lines().count() == 11);
        assert_eq!(
            Figures::from_bytes(&figures.to_bytes()).as_ref(),
            Some(&figures),
            "as the run file keeps it"
        );
    }
}
