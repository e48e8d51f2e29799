//! Paths: visible wear, perceived cost, and the lines that people walk.
//!
//! In: the wear of the ground as a coarse raster. Out: cost fields to each gate in use, and lines from gate to gate.
//! Time per metre depends on slope (C19) and on vegetation and roughness (C17), so that trodden ground is faster; a clear trail has an
//! additional value; and perceived costs have spatially correlated noise. There are a few kinds of
//! people with different noise; their fields are solved again in turn, when the ground has changed enough.

use crate::cost::{Costs, Field, Grid, Pace, SlopeTable};
use rayon::prelude::*;
use std::sync::Arc;
use trample::internal::{Hasher, Stream, word};
use trample::scene::{Area, Scene, Season};

/// Kinds of people, each with its own noise.
pub const KINDS: usize = 4;
/// Distance over which noise is alike, m; our choice, some three metres of sight.
const ALIKE: f64 = 4.0;

/// The coarse picture of wear that people choose by: mean wear of each cell of the cost field, 0..1.
pub type Wear = Arc<Vec<f32>>;

/// A solved field and what it was solved for.
#[derive(Clone, Debug)]
struct Solved {
    field: Arc<Field>,
    /// Where trails in sight draw people aside; empty where they choose by the cost field alone.
    pull: Arc<Vec<[f32; 2]>>,
    wear: Wear,
    closed: u64,
}

/// All cost fields of a season.
#[derive(Clone, Debug)]
pub struct Ways {
    season: Season,
    seed: u64,
    grid: Grid,
    slope: Vec<[f32; 2]>,
    table: SlopeTable,
    blocked: Vec<bool>,
    paved: Vec<bool>,
    /// By gate, then kind.
    fields: Vec<Vec<Option<Solved>>>,
    /// Fields solved so far.
    pub solved: usize,
}

impl Ways {
    /// The ways over a scene.
    pub fn new(scene: &Scene, season: &Season) -> Self {
        let cell = season.choice.cost_cell;
        let grid = Grid::over(scene.terrain.size, cell);
        let any_trips = !season.trips.is_empty();
        let inside = |areas: &mut dyn Iterator<Item = &Area>| {
            let mut mask = vec![false; if any_trips { grid.len() } else { 0 }];
            for area in areas {
                mark(&mut mask, grid, area, season);
            }
            mask
        };
        let (base, cells) = (&scene.terrain.base, if any_trips { grid } else { Grid { size: [1, 1], cell } });
        let blocked = inside(&mut season.obstacles.iter().map(|o| &o.area));
        let paved = inside(&mut season.calendar.boardwalks.iter());
        Self {
            season: season.clone(),
            seed: scene.seed,
            grid,
            slope: Costs::slopes(cells, |x, z| base.height(x, z)),
            table: SlopeTable::new(Pace::of_decile(season.choice.decile)),
            blocked,
            paved,
            fields: vec![vec![None; KINDS]; season.gates.len()],
            solved: 0,
        }
    }

    /// The grid of the cost field.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Gates that somebody goes to.
    fn targets(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self
            .season
            .trips
            .iter()
            .flat_map(|t| [Some(t.to), t.who.back.then_some(t.from)])
            .flatten()
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Says for every field whether it must be solved anew on a day, and notes what it is solved for. Fields are solved by
    /// [`Ways::solve`]; who only follows the days, as a unit of work does, need not solve them.
    pub fn follow(&mut self, day: i64, wear: &Wear) {
        if self.season.trips.is_empty() {
            return;
        }
        let closed = self.closed_on(day);
        let unseen = self.season.choice.wear == 0.0;
        for gate in self.targets() {
            for kind in 0..KINDS {
                let turn = day.rem_euclid(KINDS as i64) == kind as i64 && !unseen;
                let keep = self.fields[gate][kind].as_ref().is_some_and(|s| {
                    s.closed == closed && !(turn && changed(&s.wear, wear) > self.season.choice.renew)
                });
                if !keep {
                    let nothing = Arc::new(Field::unsolved(self.grid));
                    self.fields[gate][kind] =
                        Some(Solved { field: nothing, pull: Arc::default(), wear: wear.clone(), closed });
                }
            }
        }
    }

    /// Solves the fields that are to be solved anew.
    pub fn solve(&mut self, day: i64) {
        let mut work = Vec::new();
        for gate in self.targets() {
            for kind in 0..KINDS {
                if let Some(s) = &self.fields[gate][kind]
                    && s.field.cost.is_empty()
                {
                    work.push((gate, kind, s.wear.clone()));
                }
            }
        }
        let this = &*self;
        let found: Vec<(usize, usize, Field, Vec<[f32; 2]>)> = work
            .into_par_iter()
            .map(|(gate, kind, wear)| {
                let costs = this.costs(day, &wear, kind);
                let to = &this.season.gates[gate];
                (gate, kind, Field::solve(&costs, to.place, 0.0), this.pull(&wear))
            })
            .collect();
        self.solved += found.len();
        for (gate, kind, field, pull) in found {
            if let Some(s) = &mut self.fields[gate][kind] {
                (s.field, s.pull) = (Arc::new(field), Arc::new(pull));
            }
        }
    }

    /// Which closures hold on a day, as a number.
    fn closed_on(&self, day: i64) -> u64 {
        let mut hasher = Hasher::default();
        for (i, c) in self.season.calendar.closures.iter().enumerate() {
            if (c.from..=c.to).contains(&day) {
                hasher.word(i as u64 + 1);
            }
        }
        hasher.finish()
    }

    /// What people of a kind think walking costs.
    pub fn costs(&self, day: i64, wear: &[f32], kind: usize) -> Costs {
        let (grid, choice) = (self.grid, &self.season.choice);
        let mut closed = vec![false; grid.len()];
        for area in self.season.calendar.closed(day) {
            mark(&mut closed, grid, area, &self.season);
        }
        // Trails within sight draw people: where the most of them comes together the most.
        let near = blurred(wear, grid, choice.sight.max(0.5 * grid.cell));
        let most = near.iter().fold(1e-9f32, |a, &b| a.max(b));
        let clearest = wear.iter().fold(0.0f32, |a, &b| a.max(b));
        let drawn = (choice.comfort * choice.wear).min(MOST_DRAWN) * (f64::from(clearest) / CLEAR).min(1.0);
        // Under the gradient model trails draw by it alone, not by what they save.
        let (sees, drawn) = if choice.gradient > 0.0 { (0.0, 0.0) } else { (choice.wear, drawn) };
        // C17 on the level: v = 1.662 − 1.076·density − 9.011·roughness.
        let speed =
            |fresh: f64| (1.662 - fresh * (1.076 * choice.growth + 9.011 * choice.roughness)).max(0.1);
        let best = speed(0.0);
        let noise = |c: usize| {
            let n = if choice.noise > 0.0 { noise(self.seed, kind, grid.middle(c)) } else { 0.0 };
            libm::exp(choice.noise * n)
        };
        let metre = (0..grid.len())
            .map(|c| {
                if self.blocked[c] || closed[c] {
                    return f32::INFINITY;
                }
                let clear = if self.paved[c] { 1.0 } else { (sees * f64::from(wear[c])).min(1.0) };
                let share = f64::from(near[c] / most);
                let comfort = if self.paved[c] { choice.comfort } else { drawn * share * share * share };
                (best / speed(1.0 - clear) * (1.0 - comfort) * noise(c)) as f32
            })
            .collect();
        Costs { grid, metre, slope: self.slope.clone(), table: self.table.clone() }
    }

    /// How trails in sight draw people aside (H97): σ times the gradient of ∫ G exp(−r/σ), where G is the wear that they see and σ the
    /// length of sight. It is scaled so that the integral is 1 on a clear straight trail a metre wide; Helbing's own scale, IT/σ or
    /// IT/σ², is not settled in print. Nothing where people choose by the cost field alone.
    fn pull(&self, wear: &[f32]) -> Vec<[f32; 2]> {
        let (grid, choice) = (self.grid, &self.season.choice);
        let weight = choice.gradient * choice.wear;
        if weight == 0.0 || wear.is_empty() {
            return Vec::new();
        }
        let sigma = (choice.sight / grid.cell).max(0.5);
        let reach = (4.0 * sigma).ceil() as i32;
        let side = 2 * reach + 1;
        // By distance in cells, the kernel's own gradient: towards the trail, exp(−r/σ)/σ.
        let scale = weight * sigma * grid.cell / (2.0 * sigma);
        let kernel: Vec<[f32; 2]> = (0..side * side)
            .map(|k| {
                let d = [k % side - reach, k / side - reach].map(f64::from);
                let r = (d[0] * d[0] + d[1] * d[1]).sqrt();
                if r < 0.5 || r > 4.0 * sigma {
                    return [0.0; 2];
                }
                let slope = scale * libm::exp(-r / sigma) / sigma / r;
                d.map(|x| (-slope * x) as f32)
            })
            .collect();
        let [nx, nz] = grid.size.map(|n| n as i32);
        let mut pull = vec![[0.0f32; 2]; grid.len()];
        for (c, &worn) in wear.iter().enumerate().filter(|(_, w)| **w > 1e-4) {
            let (i, j) = (c as i32 % nx, c as i32 / nx);
            for z in (j - reach).max(0)..=(j + reach).min(nz - 1) {
                for x in (i - reach).max(0)..=(i + reach).min(nx - 1) {
                    let k = &kernel[((z - j + reach) * side + x - i + reach) as usize];
                    let cell = &mut pull[(z * nx + x) as usize];
                    *cell = [cell[0] + worn * k[0], cell[1] + worn * k[1]];
                }
            }
        }
        pull
    }

    /// The line of a trip for people of a kind; none if there is no way.
    pub fn line(&self, trip: usize, back: bool, kind: usize) -> Option<Vec<[f64; 2]>> {
        let trip = &self.season.trips[trip];
        let (from, to) = if back { (trip.to, trip.from) } else { (trip.from, trip.to) };
        let solved = self.fields[to][kind].as_ref()?;
        if solved.field.cost.is_empty() {
            return None;
        }
        solved.field.walk_drawn(self.season.gates[from].place, &solved.pull)
    }
}

/// Wear from which on a trail draws people as much as it can, and the most of the cost that it can take away; our choice. That
/// trails draw by the third power of how much of them is in sight is our choice too: it lets ways run together as they do in parks
/// (`triangle`).
const CLEAR: f64 = 0.1;
const MOST_DRAWN: f64 = 0.9;

/// Marks the cells of a grid whose middle lies in an area.
fn mark(mask: &mut [bool], grid: Grid, area: &Area, season: &Season) {
    if mask.is_empty() {
        return;
    }
    let [min, max] = area.bounds(&season.routes);
    let range = |k: usize| {
        let at = |p: f64| ((p / grid.cell).max(0.0) as usize).min(grid.size[k] - 1);
        at(min[k])..=at(max[k])
    };
    for j in range(1) {
        for i in range(0) {
            let cell = j * grid.size[0] + i;
            let [x, z] = grid.middle(cell);
            mask[cell] = mask[cell] || area.contains(x, z, &season.routes);
        }
    }
}

/// How much wear has changed, as a share of all there is.
fn changed(before: &[f32], now: &[f32]) -> f64 {
    let (mut sum, mut all) = (0.0f64, 1e-3);
    for (a, b) in before.iter().zip(now) {
        sum += f64::from((a - b).abs());
        all += f64::from(a.max(*b));
    }
    sum / all
}

/// The mean around each cell: a Gaussian of that standard deviation, m.
fn blurred(of: &[f32], grid: Grid, sigma: f64) -> Vec<f32> {
    let sigma = sigma / grid.cell;
    let reach = (3.0 * sigma).ceil() as i32;
    let kernel: Vec<f32> =
        (-reach..=reach).map(|d| libm::exp(-0.5 * f64::from(d * d) / (sigma * sigma)) as f32).collect();
    let total: f32 = kernel.iter().sum();
    let [nx, nz] = grid.size.map(|n| n as i32);
    let pass = |from: &[f32], along: bool| -> Vec<f32> {
        (0..from.len() as i32)
            .map(|c| {
                let (i, j) = (c % nx, c / nx);
                let mut sum = 0.0;
                for (d, w) in (-reach..=reach).zip(&kernel) {
                    let (x, z) = if along { (i + d, j) } else { (i, j + d) };
                    if x >= 0 && z >= 0 && x < nx && z < nz {
                        sum += w * from[(z * nx + x) as usize];
                    }
                }
                sum / total
            })
            .collect()
    };
    pass(&pass(of, true), false)
}

/// Noise of a kind of people at a place: smooth, alike over some metres, about −1.7 to 1.7.
fn noise(seed: u64, kind: usize, [x, z]: [f64; 2]) -> f64 {
    let (u, v) = (x / ALIKE, z / ALIKE);
    let (i, j) = (u.floor(), v.floor());
    let (fu, fv) = (u - i, v - j);
    let corner = |a: i64, b: i64| {
        let place = ((i as i64 + a) as u64) ^ ((j as i64 + b) as u64).rotate_left(32) ^ ((kind as u64) << 60);
        let unit = (word(seed, Stream::Perception, place) >> 11) as f64 / (1u64 << 53) as f64;
        // Uniform with standard deviation 1.
        (unit - 0.5) * 3.464
    };
    let fade = |t: f64| t * t * (3.0 - 2.0 * t);
    let near = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * fade(fu);
    let far = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * fade(fu);
    near + (far - near) * fade(fv)
}

impl Ways {
    /// What each field was solved for, as bytes.
    pub(crate) fn save(&self, out: &mut Vec<u8>) {
        for solved in self.fields.iter().flatten() {
            match solved {
                None => out.push(0),
                Some(s) => {
                    out.push(1);
                    out.extend(s.closed.to_le_bytes());
                    s.wear.iter().for_each(|w| out.extend(w.to_le_bytes()));
                }
            }
        }
    }

    /// Takes over what [`Ways::save`] gave; the fields are to be solved again. False if it is damaged.
    pub(crate) fn restore(&mut self, mut bytes: &[u8]) -> bool {
        let (n, grid) = (self.grid.len(), self.grid);
        for solved in self.fields.iter_mut().flatten() {
            let Some((&there, rest)) = bytes.split_first() else { return false };
            bytes = rest;
            *solved = None;
            if there == 0 {
                continue;
            }
            let Some((head, rest)) = bytes.split_at_checked(8 + 4 * n) else { return false };
            bytes = rest;
            let closed = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
            let wear =
                head[8..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four bytes")));
            let field = Arc::new(Field::unsolved(grid));
            *solved = Some(Solved { field, pull: Arc::default(), wear: Arc::new(wear.collect()), closed });
        }
        bytes.is_empty()
    }
}
