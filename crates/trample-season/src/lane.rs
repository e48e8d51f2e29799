//! Cole's lane, walked live and as a season: what a season is learnt from, and what it is held against.
//!
//! Both end as a [`Ground`], so that one set of measures reads both. The season can be walked by its own people, or by the footfalls
//! of the live walker, which shows what stamping alone makes different.

use crate::atlas::Feet;
use crate::day::{self, Rules};
use crate::evening::Felt;
use crate::ground::{CELLS, Ground, Key, NANO, cell_of, key_of};
use crate::people::Footfall;
use crate::{Run, SeasonError};
use std::sync::Arc;
use trample::params::{Body, Footwear, Species};
use trample::scene::{
    Calendar, Nature, Path, PlantPatch, PuppetSpec, Scene, Season, SoleShape, Terrain, TrailRoute, Visitors,
    WalkerSpec,
};
use trample::{CellRect, Law, Map, World};

/// Corners of the lane: as large as Cole's, in the middle of a way long enough that nobody turns or slows down on it.
pub const LANE: [[f64; 2]; 2] = [[3.25, 0.5], [4.75, 1.0]];
/// The way along it.
pub const WAY: [[f64; 2]; 2] = [[0.4, 0.75], [7.6, 0.75]];
/// The map.
const SIZE: [f64; 2] = [8.0, 1.5];
/// Sideways scatter of the walker, m: its feet meet the whole of a lane that is 0.5 m wide.
const SCATTER: f64 = 0.18;
/// The walker's mass, kg.
const MASS: f64 = 75.0;

/// A lane at one moment.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// Passes along it so far.
    pub passes: u32,
    /// Mean share of its cover that is left.
    pub cover: f64,
    /// Share of the cover that is left on each of its cells.
    pub covers: Vec<f32>,
    /// Footfalls on each of its cells, as plants feel them.
    pub footfalls: Vec<f32>,
    /// How far each of its cells lies below the original ground, m.
    pub depth: Vec<f64>,
    /// Width of the tread between rows of cells a quarter as deep as the deepest, m.
    pub width: f64,
    /// Mean area between the original ground and the surface below it, in the cross-section, m².
    pub section: f64,
    /// Mean along the lane of each row of cells across the map, m: depth, deepest prints, what footfalls have packed, loose material.
    pub profile: Vec<[f64; 4]>,
    /// Means over the lane of its deepest prints, of what footfalls have packed and of what lies loose on it, m.
    pub parts: [f64; 3],
}

/// A lane that was walked live.
#[derive(Clone, Debug)]
pub struct Walked {
    /// How it looked.
    pub moments: Vec<Moment>,
    /// Its footfalls by pass.
    pub falls: Vec<Vec<Footfall>>,
}

/// The lane under a live walker and the natural law. Plants grow all around it: bare ground is pressed eight times as deep as loam that
/// grass holds, and feet would carry loose material from there into the lane.
pub fn scene(species: &Species, material: &str, passes: u32, seed: u64) -> Scene {
    scattered(species, material, passes, seed, SCATTER)
}

/// The same lane under a walker that keeps to one line: many footfalls on few plants.
pub fn narrow(species: &Species, material: &str, passes: u32, seed: u64) -> Scene {
    scattered(species, material, passes, seed, 0.0)
}

fn scattered(species: &Species, material: &str, passes: u32, seed: u64, lateral_sd: f64) -> Scene {
    let path = Path { passes, lateral_sd, ..Path::along(WAY) };
    let walker = PuppetSpec {
        sole: SoleShape::Footwear(Footwear::Boot),
        ..PuppetSpec::walking("walker", Body { mass: MASS, ..Body::default() }, WalkerSpec::on(path))
    };
    let material = trample::params::material::by_name(material).unwrap_or(trample::Material::LOAM);
    let materials = vec![trample::scene::NamedMaterial { name: material.preset.into(), material }];
    Scene {
        name: "live-lane".into(),
        seed,
        terrain: Terrain { law: Law::Natural, size: SIZE, materials, ..Terrain::default() },
        puppets: vec![walker],
        plants: vec![PlantPatch { species: *species, min: [0.0; 2], max: SIZE, ..PlantPatch::default() }],
        ..Scene::default()
    }
}

/// The same lane as a season of so many passes, `a_day` of them each day, in which nothing grows and no rain falls.
pub fn season(live: &Scene, passes: u32, a_day: u32) -> Scene {
    let days = passes.div_ceil(a_day);
    let who = Visitors {
        mass: MASS,
        footwear: Footwear::Boot,
        visits: vec![f64::from(a_day); days as usize],
        ..Visitors::default()
    };
    let route = TrailRoute { name: "lane".into(), waypoints: WAY.to_vec(), lateral_sd: SCATTER, who };
    let season = Season {
        routes: vec![route],
        calendar: Calendar { days, ..Calendar::default() },
        nature: Nature { regrowth: 0.0, colonisation: 0.0, wash: 0.0, loosening: 1e6, ..Nature::default() },
        ..Season::default()
    };
    Scene { puppets: Vec::new(), season: Some(Box::new(season)), ..live.clone() }
}

/// Walks the lane live and looks at it after so many passes.
///
/// # Errors
/// If the scene cannot be built.
pub fn live(scene: &Scene, times: &[u32]) -> Result<Walked, SeasonError> {
    let mut world = World::new(scene)?;
    let all = CellRect {
        x: 0,
        z: 0,
        width: (SIZE[0] / scene.terrain.cell).round() as usize,
        height: (SIZE[1] / scene.terrain.cell).round() as usize,
    };
    let whole = world.map(Map::Vegetation).window(all);
    let mut walked = Walked { moments: Vec::new(), falls: Vec::new() };
    let (mut feet, mut found) = (Feet::default(), Vec::new());
    let most = u64::from(*times.last().unwrap_or(&0)) * 20 * 60;
    let mut ground = Ground::new(scene);
    for &passes in times {
        while let Some(pass) = world.walker(0).map(|(w, _)| w.pass)
            && pass < passes
            && !world.is_over()
            && world.steps() < most
        {
            world.step(1.0 / 60.0);
            feet.take(&world, &mut found);
            walked.falls.resize((pass as usize + 1).max(walked.falls.len()), Vec::new());
            walked.falls[pass as usize].extend(found.drain(..).map(|(at, ahead, left)| Footfall {
                at,
                ahead: ahead.map(|x| x as f32),
                who: 0,
                slope: crate::atlas::slope_class(0.0) as u8,
                left,
            }));
        }
        ground.take_live(&world, &whole);
        walked.moments.push(look(&ground, passes));
    }
    Ok(walked)
}

/// The lane as a season with its own people, after so many passes.
///
/// # Errors
/// If the season cannot be run.
pub fn by_people(season: &Scene, rules: &Arc<Rules>, times: &[u32]) -> Result<Vec<Moment>, SeasonError> {
    let mut run = Run::with(season, rules.clone())?;
    let (mut moments, mut walked) = (Vec::new(), 0);
    for &passes in times {
        while walked < u64::from(passes) && run.day < run.days() {
            walked += run.pass_day().walks;
        }
        moments.push(look(&run.ground, passes));
    }
    Ok(moments)
}

/// The lane as a season under the footfalls of a live walker, `a_day` passes each day, after so many passes.
pub fn by_footfalls(
    season: &Scene,
    rules: &Rules,
    walked: &Walked,
    a_day: u32,
    times: &[u32],
) -> Vec<Moment> {
    let mut ground = Ground::new(season);
    let (mut moments, mut done) = (Vec::new(), 0);
    for &passes in times {
        let due = walked.falls.get(done..passes as usize).unwrap_or_default();
        for day in due.chunks(a_day as usize) {
            day::run(&mut ground, rules, &day.concat(), (0.0, false), &|_| true);
        }
        done = passes as usize;
        moments.push(look(&ground, passes));
    }
    moments
}

/// What the lane looks like.
fn look(ground: &Ground, passes: u32) -> Moment {
    let index = |m: f64| (m / ground.cell).round() as i32;
    let [min, max] = LANE;
    let felt = Felt::new(ground.cell);
    let hits = |key: Key| ground.tile(key).map(|t| &t.passes);
    let mut of_tile = ((i32::MIN, 0), [0.0; CELLS]);
    let mut m = Moment { passes, ..Moment::default() };
    let length = f64::from(index(max[0]) - index(min[0]));
    for z in 0..ground.size[1] {
        let mut row = [0.0; 4];
        for x in index(min[0])..index(max[0]) {
            let (key, c) = (key_of(x, z), cell_of(x, z));
            let tile = ground.tile(key);
            let depth = tile.map_or(0.0, |t| -ground.raised(t, c));
            let parts = tile.map_or([0.0; 3], |t| {
                [f64::from(t.print[c]) / NANO, ground.packed(t, c), f64::from(t.loose[c]) / NANO]
            });
            row[0] += depth;
            (0..3).for_each(|k| row[k + 1] += parts[k]);
            m.section += depth.max(0.0) * ground.cell;
            if !(index(min[1])..index(max[1])).contains(&z) {
                continue;
            }
            if of_tile.0 != key {
                of_tile = (key, felt.around(key, &hits));
            }
            m.footfalls.push(of_tile.1[c]);
            m.depth.push(depth);
            let cover = tile.map_or(1.0, |t| t.cover[c]);
            m.covers.push(cover);
            m.cover += f64::from(cover);
            (0..3).for_each(|k| m.parts[k] += parts[k]);
        }
        m.profile.push(row.map(|x| x / length));
    }
    let n = m.depth.len() as f64;
    m.cover /= n;
    m.parts = m.parts.map(|p| p / n);
    m.section /= length;
    let deep = EDGE * m.profile.iter().map(|row| row[0]).fold(0.0, f64::max);
    let first = m.profile.iter().position(|row| row[0] > deep).unwrap_or(0);
    let last = m.profile.iter().rposition(|row| row[0] > deep).map_or(0, |i| i + 1);
    m.width = last.saturating_sub(first) as f64 * ground.cell;
    m
}

/// Where the tread ends: its depth in the mean along the lane is this share of the deepest row's. Our choice.
const EDGE: f64 = 0.25;

/// By how much a season differs from the live lane.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Difference {
    /// Mean depth, as a share of the live one.
    pub depth: f64,
    /// Mean width, as a share.
    pub width: f64,
    /// Mean area lost in the cross-section, as a share.
    pub section: f64,
    /// Mean cover, in shares of whole cover.
    pub cover: f64,
    /// Largest distance of the two distributions of depth over the cells (Kolmogorov and Smirnov).
    pub ks: f64,
}

impl Difference {
    /// Of a season from a live lane.
    pub fn of(season: &Moment, live: &Moment) -> Self {
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len().max(1) as f64;
        let share = |a: f64, b: f64| if b.abs() > 1e-12 { a / b - 1.0 } else { 0.0 };
        Self {
            depth: share(mean(&season.depth), mean(&live.depth)),
            width: share(season.width, live.width),
            section: share(season.section, live.section),
            cover: season.cover - live.cover,
            ks: apart(season.depth.clone(), live.depth.clone()),
        }
    }
}

/// Largest distance of two distributions.
pub fn apart(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let share = |of: &[f64], x: f64| of.partition_point(|v| *v <= x) as f64 / of.len().max(1) as f64;
    a.iter().chain(&b).map(|&x| (share(&a, x) - share(&b, x)).abs()).fold(0.0, f64::max)
}
