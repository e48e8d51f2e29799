//! Looking at plants: stems as lines, and counts over a rectangle. Nothing here changes anything.
//!
//! In: plants, ground, soles. Out: every stem of the plants rooted in a rectangle, touched or not. Those that are only
//! displaced (SW-2) are moved aside here, when somebody looks: `t(p) = clamp(t_max − γ|p − p_f|)·(p − p_f)↓/|p − p_f|`,
//! with ↓ turning the vertical part downwards.

use super::collide::Body;
use super::wear;
use crate::scene::PlantKind;
use crate::state::planting::{PLANT_CELL, cell_of};
use crate::state::plants::{Block, BlockKey, HEALTHY, LANES, PlantTally, Plants, StemState};
use crate::state::{Ground, planting::Root};
use glam::Vec3;

/// The current shape and state of a stem.
#[derive(Clone, Copy, Debug)]
pub struct Stem<'a> {
    /// Index of its plant patch.
    pub patch: usize,
    /// Position of its root, x and z, m.
    pub root: [f64; 2],
    /// Index of the stem in its plant.
    pub number: usize,
    /// Points from the ground to the tip, m.
    pub points: &'a [Vec3],
    /// Its condition.
    pub state: StemState,
    /// Number of joints still connected to the root, and original number of joints.
    pub joints: [u32; 2],
    /// Strength of its weakest joint, 1 healthy to 0 broken.
    pub weakest: f64,
}

/// Shows every stem of the plants rooted in a rectangle, cell by cell.
pub(crate) fn each_stem(
    plants: &Plants,
    ground: &Ground,
    bodies: &[Body],
    time: f64,
    min: [f64; 2],
    max: [f64; 2],
    mut show: impl FnMut(Stem<'_>),
) {
    let (mut roots, mut grown, mut points) = (Vec::new(), Block::default(), Vec::new());
    for (patch, plot) in plants.plots.iter().enumerate() {
        let lattice = &plot.lattice;
        let field = match plot.patch.kind {
            PlantKind::Simulated => None,
            PlantKind::Displaced { most, fade } => Some((most as f32, fade as f32)),
        };
        let span = |k: usize| {
            let (low, high) = (min[k].max(plot.patch.min[k]), max[k].min(plot.patch.max[k]));
            // A rectangle ends before the cell that begins at its edge.
            let last = cell_of(high);
            let beyond = i32::from(f64::from(last) * PLANT_CELL < high);
            if low < high { cell_of(low)..last + beyond } else { 0..0 }
        };
        for cz in span(1) {
            for cx in span(0) {
                plot.planting.roots_in(cx, cz, &mut roots);
                let blocks = roots.len().div_ceil(LANES);
                for number in 0..blocks {
                    let key = BlockKey { cz, cx, patch: patch as u32, number: number as u32 };
                    let block = match plants.find(key) {
                        Some(block) => block,
                        None => {
                            plants.grow(key, ground, &mut roots, &mut grown);
                            &grown
                        }
                    };
                    for lane in 0..block.plants() {
                        let Root { x, z, .. } = block.grown.plants[lane];
                        if !(x >= min[0] && x < max[0] && z >= min[1] && z < max[1]) {
                            continue;
                        }
                        for stem in 0..lattice.stems {
                            line(block, lattice.rows, stem, lane, &mut points);
                            if let Some(field) = field {
                                points.iter_mut().skip(1).for_each(|p| *p += displacement(*p, field, bodies));
                            }
                            let joints = &block.strength[stem * lattice.rows..(stem + 1) * lattice.rows];
                            let whole = joints.iter().take_while(|j| j[lane] > 0).count();
                            let (state, weakest) = wear::state(block, lattice, stem, lane, time);
                            show(Stem {
                                patch,
                                root: [x, z],
                                number: stem,
                                points: &points,
                                state,
                                joints: [whole as u32, lattice.rows as u32],
                                weakest: f64::from(weakest) / f64::from(HEALTHY),
                            });
                        }
                    }
                }
            }
        }
    }
}

/// A stem's points in the world.
fn line(block: &Block, rows: usize, stem: usize, lane: usize, points: &mut Vec<Vec3>) {
    let origin = block.grown.origin;
    let at = |p: &[[f32; LANES]; 3]| {
        let k = |k: usize| (origin[k] + f64::from(p[k][lane])) as f32;
        Vec3::new(k(0), k(1), k(2))
    };
    points.clear();
    points.push(at(&block.grown.root[stem]));
    points.extend(block.x[stem * rows..(stem + 1) * rows].iter().map(at));
}

/// SW-2, summed over the soles.
fn displacement(p: Vec3, (most, fade): (f32, f32), bodies: &[Body]) -> Vec3 {
    let mut sum = Vec3::ZERO;
    for body in bodies {
        let away = p - Vec3::from_array(body.at.map(|x| x as f32));
        let distance = away.length();
        let size = (most - fade * distance).max(0.0);
        if size > 0.0 && distance > 1e-6 {
            sum += Vec3::new(away.x, -away.y.abs(), away.z) * (size / distance);
        }
    }
    sum
}

impl PlantTally {
    /// Counts a stem.
    pub fn count(&mut self, stem: &Stem<'_>) {
        self.plants += u64::from(stem.number == 0);
        self.stems += 1;
        self.broken += u64::from(stem.state.broken);
        self.bent += u64::from(stem.state.bent && !stem.state.broken);
        self.worn += u64::from(stem.state.worn && !stem.state.broken);
        self.whole_joints += u64::from(stem.joints[0]);
        self.joints += u64::from(stem.joints[1]);
        let tip = stem.points[stem.points.len() - 1];
        self.tip_heights += f64::from(tip.y - stem.points[0].y);
    }
}

/// Counts the plants rooted in a rectangle.
pub(crate) fn tally(plants: &Plants, ground: &Ground, time: f64, min: [f64; 2], max: [f64; 2]) -> PlantTally {
    let mut tally = PlantTally::default();
    each_stem(plants, ground, &[], time, min, max, |stem| tally.count(&stem));
    tally
}
