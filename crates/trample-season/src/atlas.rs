//! The footfall atlas: prints recorded from live steps.
//!
//! In: body and footwear, the grounds of a scene, slopes. Out: for each slope and each ground the print of a step, in the
//! foot's own frame, on ground of several strengths, and the sequence of steps. One live walker crosses strips of ground whose
//! strength doubles from strip to strip, on one slope after the other; roots and compaction only make ground stronger, so a footfall
//! on any ground of the season is between two of the strips.

use crate::SeasonError;
use glam::Vec3;
use trample::glam;
use trample::internal::{cell_of, tile_of};
use trample::params::{Body, Footwear};
use trample::scene::{
    Base, NamedMaterial, Paint, PaintShape, Path, PlantPatch, PuppetSpec, Raster, Scene, SoleShape, Terrain,
    WalkerSpec,
};
use trample::{Event, Law, Material, Species, World};

/// Strengths of the strips, as multiples of fresh ground: 1, 2, 4, 8, 16.
pub const LEVELS: usize = 5;
/// Slopes along the way at which steps are recorded, degrees; the nearest is taken.
pub const SLOPES: [f64; 7] = [-18.0, -12.0, -6.0, 0.0, 6.0, 12.0, 18.0];
/// Prints that are kept of each ground, as single steps have left them: the mean of several has no sharp edges, is a fifth less deep
/// where it is deepest, and many of it on one place are no deeper than one.
pub const SINGLE: usize = 6;
/// Spacing of a print's samples, m.
pub const SAMPLE: f64 = 0.01;
/// Length of a strip, m: seven steps.
const STRIP: f64 = 5.2;
/// Way between two slopes, m.
const BETWEEN: f64 = 2.4;
/// Margin around a sole that its print may reach, m; a cell where cells are larger.
const MARGIN: f64 = 0.05;
/// Side of the cells on which the length of steps is recorded at the least, m: it does not depend on them.
const EVEN: f64 = 0.04;

/// The strongest roots that a scene may have, Pa.
const MOST_ROOTS: f64 = 1e9;
/// How far beyond a print the material that it has pushed aside is looked for, m.
const BESIDE: f64 = 0.1;

/// Who walks: bodies and footwear that leave different prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Who {
    /// The body.
    pub body: Body,
    /// What it wears.
    pub footwear: Footwear,
    /// Speed on firm level ground, m/s.
    pub speed: f64,
}

/// What a sole does at a place: share of a cell that it covers while it presses, 0..1, and depth that stays as the mean over the cell,
/// nm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Share covered.
    pub touch: f32,
    /// Depth.
    pub depth: f32,
}

/// Prints in the foot's frame, [`SINGLE`] one after the other: along from the heel, then across from the inside, for a right foot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Print {
    /// The largest share that is covered at each place, on any ground.
    pub most: Vec<f32>,
    /// Their places by strength.
    pub levels: [Vec<Sample>; LEVELS],
    /// How much shallower it is on ground twice as strong, by strength, as a share: 0.53 to 0.59 on loam.
    pub shallower: [f32; LEVELS - 1],
    /// Mean depth of what they cover, nm, by strength.
    pub depth: [f32; LEVELS],
    /// Share of its volume that lies beside it, by strength: more than twice Poisson's ratio where soles slide as they land.
    pub aside: [f32; LEVELS],
}

/// Places that are covered less are not pressed, as a share.
pub const SLIVER: f32 = 0.04;

/// How steps follow each other on a slope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gait {
    /// Length of a step, m on the map.
    pub step: f64,
    /// Distance between left and right footprints across the way, m.
    pub width: f64,
    /// How far a foot points outwards, rad.
    pub toe_out: f64,
    /// Speed, m/s.
    pub speed: f64,
    /// Footfalls that it was recorded from.
    pub recorded: usize,
}

/// What was recorded of one walker.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// Half the extent of a print along and across, m.
    pub half: [f64; 2],
    /// Samples along and across.
    pub samples: [usize; 2],
    /// Between what the places that any print presses lie, along and across, m from the middle.
    pub extent: [[f64; 2]; 2],
    /// By slope.
    pub gaits: Vec<Gait>,
    /// By slope, then material.
    pub prints: Vec<Vec<Print>>,
}

/// Where a slope, rise over run along the way, lies among the recorded ones.
fn among_slopes(slope: f64) -> f64 {
    let angle = libm::atan(slope).to_degrees();
    ((angle - SLOPES[0]) / 6.0).clamp(0.0, 6.0)
}

/// Index of the nearest recorded slope, rise over run along the way.
pub fn slope_class(slope: f64) -> usize {
    among_slopes(slope).round() as usize
}

/// A footfall of the recording walker.
struct Recorded {
    slope: usize,
    level: usize,
    at: [f64; 2],
    ahead: [f64; 2],
    left: bool,
}

impl Atlas {
    /// Length of a step on a slope, m on the map, between those recorded.
    pub fn step(&self, slope: f64) -> f64 {
        let at = among_slopes(slope);
        let i = (at as usize).min(SLOPES.len() - 2);
        let [a, b] = [self.gaits[i].step, self.gaits[i + 1].step];
        a + (b - a) * (at - i as f64)
    }

    /// Records a walker on all materials of a scene; `steepest` is the steepest slope anybody will meet, rise over run.
    ///
    /// # Errors
    /// If the walker cannot be built.
    pub fn record(who: &Who, scene: &Scene, steepest: f64) -> Result<Self, SeasonError> {
        let sole = who.footwear.sole(who.body.foot_length, who.body.foot_width);
        let margin = MARGIN.max(scene.terrain.cell);
        let half = [0.5 * sole.length + margin, 0.5 * sole.width + margin];
        let samples = half.map(|h| (2.0 * h / SAMPLE).ceil() as usize);
        let most = libm::atan(steepest).to_degrees();
        let slopes: Vec<usize> = (0..SLOPES.len()).filter(|&i| SLOPES[i].abs() <= most + 3.0).collect();
        let mut atlas = Self {
            half,
            samples,
            extent: [[0.0; 2]; 2],
            gaits: vec![Gait::default(); SLOPES.len()],
            prints: vec![vec![Print::default(); scene.terrain.materials.len()]; SLOPES.len()],
        };
        for (m, named) in scene.terrain.materials.iter().enumerate() {
            atlas.record_on(who, &named.material, m, &slopes, scene.terrain.cell)?;
        }
        // Slopes that nobody meets are those of the nearest that was recorded.
        for i in 0..SLOPES.len() {
            let near = slopes.iter().copied().min_by_key(|&s| s.abs_diff(i)).unwrap_or(3);
            atlas.gaits[i] = atlas.gaits[near];
            atlas.prints[i] = atlas.prints[near].clone();
        }
        atlas.extent = atlas.pressed();
        Ok(atlas)
    }

    /// Between what the places that any print presses lie.
    fn pressed(&self) -> [[f64; 2]; 2] {
        let mut extent = [self.half, self.half.map(|h| -h)];
        for print in self.prints.iter().flatten() {
            for (k, _) in print.most.iter().enumerate().filter(|(_, most)| **most > SLIVER) {
                let place = [k / self.samples[1] % self.samples[0], k % self.samples[1]];
                for a in 0..2 {
                    let low = place[a] as f64 * SAMPLE - self.half[a];
                    extent[0][a] = extent[0][a].min(low);
                    extent[1][a] = extent[1][a].max(low + SAMPLE);
                }
            }
        }
        extent
    }

    fn record_on(
        &mut self,
        who: &Who,
        material: &Material,
        index: usize,
        slopes: &[usize],
        cell: f64,
    ) -> Result<(), SeasonError> {
        let course = Course::new(slopes);
        let walk = |cell: f64, variation: f64| -> Result<(World, Vec<Recorded>), SeasonError> {
            let mut world = World::new(&course.scene(who, material, cell, variation))?;
            let falls = course.walk(&mut world);
            Ok((world, falls))
        };
        // Prints vary as people's steps do; where they follow each other is that of steps without scatter, which every footfall of a season
        // is given anew.
        let (world, falls) = walk(cell.max(SAMPLE), 1.0)?;
        let even = if index == 0 { walk(cell.max(EVEN), 0.0)?.1 } else { Vec::new() };
        for &slope in slopes {
            let of = |level: usize| falls.iter().filter(move |f| f.slope == slope && f.level == level);
            let n = self.samples[0] * self.samples[1];
            let mut levels: [Vec<Sample>; LEVELS] =
                std::array::from_fn(|_| vec![Sample::default(); SINGLE * n]);
            let mut aside = [0.0; LEVELS];
            for level in 0..LEVELS {
                let [pressed, loose] = self.left(&world, of(level));
                aside[level] = (loose / pressed.max(1.0)).clamp(0.0, 1.0) as f32;
                for (i, fall) in of(level).cycle().take(SINGLE).enumerate() {
                    self.sample(&world, fall, &mut |k, depth, touch| {
                        levels[level][i * n + k] = Sample { touch: touch as f32, depth: depth as f32 };
                    });
                }
            }
            let total = |l: usize| levels[l].iter().map(|s| f64::from(s.depth)).sum::<f64>();
            let shallower = |l: usize| (total(l + 1) / total(l).max(1.0)).clamp(0.05, 0.98) as f32;
            let most = |k: usize| levels.iter().map(|l| l[k].touch).fold(0.0, f32::max);
            let covered = |l: usize| levels[l].iter().map(|s| f64::from(s.touch)).sum::<f64>();
            let depth = |l: usize| (total(l) / covered(l).max(1.0)) as f32;
            self.prints[slope][index] = Print {
                shallower: std::array::from_fn(shallower),
                depth: std::array::from_fn(depth),
                most: (0..SINGLE * n).map(most).collect(),
                aside,
                levels,
            };
            if index == 0 {
                let steps = even.iter().filter(|f| f.slope == slope).count();
                self.gaits[slope] = Gait { recorded: steps, ..gait(&even, slope, who) };
            }
        }
        Ok(())
    }

    /// Shows every sample of the print that a footfall has left: which, depth, nm, and share covered.
    fn sample(&self, world: &World, fall: &Recorded, show: &mut dyn FnMut(usize, f64, f64)) {
        let ground = world.ground();
        let across = if fall.left { -1.0 } else { 1.0 };
        for i in 0..self.samples[0] {
            for j in 0..self.samples[1] {
                let u = (i as f64 + 0.5) * SAMPLE - self.half[0];
                let v = across * ((j as f64 + 0.5) * SAMPLE - self.half[1]);
                let x = fall.at[0] + u * fall.ahead[0] - v * fall.ahead[1];
                let z = fall.at[1] + u * fall.ahead[1] + v * fall.ahead[0];
                let (cx, cz) = ((x / ground.cell).floor() as i32, (z / ground.cell).floor() as i32);
                if let Some(tile) = ground.tiles.get(tile_of(cx, cz)) {
                    let c = cell_of(cx, cz);
                    let (depth, touch) = (tile.layers.compression[c], tile.layers.passes[c]);
                    show(i * self.samples[1] + j, f64::from(depth), f64::from(touch).min(1.0));
                }
            }
        }
    }

    /// What footfalls have left: ground pressed and loose material beside them, nm over cells.
    fn left<'a>(&self, world: &World, falls: impl Iterator<Item = &'a Recorded>) -> [f64; 2] {
        let ground = world.ground();
        let mut sums = [0.0; 2];
        for fall in falls {
            // Feet walk along x here; those before and after are a step away.
            let reach = self.half.map(|h| ((h + BESIDE) / ground.cell) as i32);
            let middle = fall.at.map(|p| (p / ground.cell).floor() as i32);
            for z in middle[1] - reach[1]..=middle[1] + reach[1] {
                for x in middle[0] - reach[0]..=middle[0] + reach[0] {
                    if let Some(tile) = ground.tiles.get(tile_of(x, z)) {
                        let c = cell_of(x, z);
                        sums[0] += f64::from(tile.layers.compression[c]);
                        sums[1] += f64::from(tile.layers.accumulation[c]);
                    }
                }
            }
        }
        sums
    }
}

/// A way over slopes and strips.
struct Course {
    /// Where each slope begins, m, and which it is.
    parts: Vec<(f64, usize)>,
    length: f64,
}

impl Course {
    fn new(slopes: &[usize]) -> Self {
        let part = STRIP * LEVELS as f64 + BETWEEN;
        let parts = slopes.iter().enumerate().map(|(i, &s)| (3.0 + part * i as f64, s)).collect();
        Self { parts, length: 3.0 + part * slopes.len() as f64 + 3.0 }
    }

    /// Slope at x, rise over run: that of its part, level between parts.
    fn slope(&self, x: f64) -> f64 {
        let part = self.parts.iter().find(|(from, _)| (*from..from + STRIP * LEVELS as f64).contains(&x));
        part.map_or(0.0, |(_, s)| libm::tan(SLOPES[*s].to_radians()))
    }

    /// Which part and which strip x lies in, if a foot there stands wholly in it.
    fn strip(&self, x: f64) -> Option<(usize, usize)> {
        let (from, slope) =
            self.parts.iter().find(|(from, _)| (*from..from + STRIP * LEVELS as f64).contains(&x))?;
        let level = ((x - from) / STRIP) as usize;
        let inside = x - from - level as f64 * STRIP;
        ((0.4..STRIP - 0.4).contains(&inside)).then_some((*slope, level))
    }

    fn scene(&self, who: &Who, material: &Material, cell: f64, step_variation: f64) -> Scene {
        let spacing = 0.1;
        let posts = (self.length / spacing).ceil() as usize + 1;
        let mut heights = vec![0.0f32; posts];
        for i in 1..posts {
            heights[i] = heights[i - 1] + (spacing * self.slope((i as f64 - 0.5) * spacing)) as f32;
        }
        let data: Vec<f32> = heights.iter().chain(&heights).copied().collect();
        let base = match Raster::new(posts, 2, [spacing, 3.0], data) {
            Ok(raster) if heights.iter().any(|h| *h != 0.0) => Base::Raster(raster),
            _ => Base::Flat,
        };
        // Roots make strips stronger, as they do in a season: stems that neither wear nor break stand so close that they hold the ground
        // whole. Ground stiffer than any roots is made of a stronger material.
        let factor = |level: usize| f64::from(1u32 << level);
        let rooted = material.youngs_modulus * factor(LEVELS - 1) < MOST_ROOTS;
        let stronger = |level: usize| {
            let mut m = *material;
            if !rooted {
                m.bekker.cohesive_modulus *= factor(level);
                m.bekker.frictional_modulus *= factor(level);
            }
            NamedMaterial { name: format!("× {}", factor(level)), material: m }
        };
        let all = || self.parts.iter().flat_map(|(from, _)| (0..LEVELS).map(move |level| (*from, level)));
        let strips = all().map(|(from, level)| {
            let x = from + STRIP * level as f64;
            let shape = PaintShape::Rectangle { min: [x, 0.0], max: [x + STRIP, 3.0] };
            Paint { material: level as u8, shape }
        });
        let roots = all().filter(|(_, level)| rooted && *level > 0).map(|(from, level)| {
            let x = from + STRIP * level as f64;
            let species = Species {
                root_modulus: material.youngs_modulus * (factor(level) - 1.0),
                wear_rate: 0.0,
                break_angle: std::f64::consts::PI,
                height: 0.03,
                width: 0.2,
                spacing: 0.2,
                ..Species::LAWN_GRASS
            };
            PlantPatch {
                species,
                min: [x, 0.9],
                max: [x + STRIP, 2.1],
                density: 60.0,
                ..PlantPatch::default()
            }
        });
        let path = Path { speed: who.speed, ..Path::along([[1.0, 1.5], [self.length - 1.0, 1.5]]) };
        let walker = WalkerSpec { step_variation, ..WalkerSpec::on(path) };
        let walker = PuppetSpec {
            sole: SoleShape::Footwear(who.footwear),
            ..PuppetSpec::walking("recorded", who.body, walker)
        };
        Scene {
            name: "atlas".into(),
            terrain: Terrain {
                law: Law::Natural,
                cell,
                size: [self.length, 3.0],
                base,
                materials: (0..LEVELS).map(stronger).collect(),
                paints: strips.collect(),
                ..Terrain::default()
            },
            plants: roots.collect(),
            puppets: vec![walker],
            ..Scene::default()
        }
    }

    /// Walks the course and tells where feet stood flat.
    fn walk(&self, world: &mut World) -> Vec<Recorded> {
        let (mut feet, mut found, mut falls) = (Feet::default(), Vec::new(), Vec::new());
        let most = (self.length / 0.2 * 60.0) as u64;
        while !world.is_over() && world.steps() < most {
            world.step(1.0 / 60.0);
            feet.take(world, &mut found);
            for (at, ahead, left) in found.drain(..) {
                if let Some((slope, level)) = self.strip(at[0]) {
                    falls.push(Recorded { slope, level, at, ahead, left });
                }
            }
        }
        falls
    }
}

/// Where the feet of the first live walker stood.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feet {
    stances: [Vec<(Vec3, Vec3)>; 2],
}

/// A stance that is over: where the middle of the sole was and where it pointed when it was flat, x and z, and whether it was the
/// left foot.
pub(crate) type Stood = ([f64; 2], [f64; 2], bool);

impl Feet {
    /// Takes the step that a world has just made.
    pub(crate) fn take(&mut self, world: &World, out: &mut Vec<Stood>) {
        let report = world.report();
        for contact in report.contacts.iter().filter(|c| c.puppet == 0) {
            let sole = &world.puppet(0).pose.soles[contact.foot];
            self.stances[contact.foot].push((sole.position, sole.rotation * Vec3::X));
        }
        for event in &report.events {
            let Event::FootUp { puppet: 0, foot, .. } = *event else { continue };
            // A third of the way through its stance a foot is flat.
            let stance = std::mem::take(&mut self.stances[foot]);
            let Some((at, ahead)) = stance.get(stance.len() / 3) else { continue };
            let length = (ahead.x * ahead.x + ahead.z * ahead.z).sqrt().max(1e-6);
            let at = [f64::from(at.x), f64::from(at.z)];
            let ahead = [f64::from(ahead.x / length), f64::from(ahead.z / length)];
            out.push((at, ahead, foot == 1));
        }
    }
}

/// How steps follow each other on a slope.
fn gait(falls: &[Recorded], slope: usize, who: &Who) -> Gait {
    let here: Vec<&Recorded> = falls.iter().filter(|f| f.slope == slope).collect();
    let mut steps: Vec<f64> = here
        .windows(2)
        .filter(|w| w[0].level == w[1].level && w[0].left != w[1].left)
        .map(|w| w[1].at[0] - w[0].at[0])
        .collect();
    steps.sort_by(f64::total_cmp);
    let mean = |x: &[f64]| x.iter().sum::<f64>() / (x.len().max(1) as f64);
    let z = |left: bool| {
        let all: Vec<f64> = here.iter().filter(|f| f.left == left).map(|f| f.at[1]).collect();
        mean(&all)
    };
    let out: Vec<f64> =
        here.iter().map(|f| libm::atan2(f.ahead[1], f.ahead[0]) * if f.left { -1.0 } else { 1.0 }).collect();
    let step = steps.get(steps.len() / 2).copied().unwrap_or(0.7);
    // z runs to the right of +x.
    Gait { step, width: z(false) - z(true), toe_out: mean(&out), speed: who.speed, recorded: here.len() }
}
