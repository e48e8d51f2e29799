//! The same plants, solved plainly: one plant after the other, one particle after the other.
//!
//! In: a species and roots. Out: places after some steps. It is what the solver in lock-step is compared with, for its
//! numbers in tests and for its speed in benchmarks; the simulation does not use it.

use super::solve::{self, Tuned};
use super::wear::level;
use crate::params::Species;
use crate::state::Ground;
use crate::state::lattice::{End, Lattice};
use crate::state::planting::Root;
use crate::state::plants::{Block, BlockKey, HEALTHY, LANES};
use glam::Vec3;

/// Substeps of plants per second of the simulation.
pub const SUBSTEPS: f64 = solve::SUBSTEPS;

/// Plants in the open, without soles or ground: the plain solver.
#[derive(Clone, Debug)]
pub struct Plain {
    lattice: Lattice,
    plants: Vec<PlainPlant>,
    wind: [f32; 3],
    time: f64,
}

/// One plant of the plain solver.
#[derive(Clone, Debug)]
struct PlainPlant {
    roots: Vec<Vec3>,
    rest: Vec<Vec3>,
    places: Vec<Vec3>,
    velocities: Vec<Vec3>,
    strength: Vec<i32>,
}

/// The same plants in blocks of sixteen, as the simulation solves them.
#[derive(Clone, Debug)]
pub struct LockStep {
    lattice: Lattice,
    blocks: Vec<Block>,
    wind: [f32; 3],
    tip_force: [f32; 3],
    time: f64,
}

fn tuned(lattice: &Lattice, time: f64, dt: f64, substeps: Option<usize>, wind: [f32; 3]) -> Tuned {
    let mut tuned = Tuned::default();
    match substeps {
        Some(n) => tuned.update(lattice, dt / n as f64, n, wind),
        None => tuned.update(lattice, 1.0 / solve::SUBSTEPS, solve::substeps(time, dt), wind),
    }
    tuned
}

/// Roots of `n` plants in a row, all turned differently.
fn row(n: usize) -> impl Iterator<Item = Root> {
    (0..n).map(|i| Root { x: 0.01 * i as f64, z: 0.0, turn: 0.7 * i as f32 })
}

impl LockStep {
    /// `n` plants of a species, upright.
    pub fn new(species: &Species, n: usize, ground: &Ground) -> Self {
        let lattice = Lattice::new(species);
        let roots: Vec<Root> = row(n).collect();
        let blocks = roots.chunks(LANES).map(|roots| {
            let mut block = Block::default();
            block.sow(BlockKey::default(), &lattice, roots, ground);
            block
        });
        Self { blocks: blocks.collect(), lattice, wind: [0.0; 3], tip_force: [0.0; 3], time: 0.0 }
    }

    /// Pushes every particle, m/s².
    pub fn set_wind(&mut self, wind: [f32; 3]) {
        self.wind = wind;
    }

    /// Pulls at the tip of every stem, N.
    pub fn set_tip_force(&mut self, force: [f32; 3]) {
        self.tip_force = force;
    }

    /// Turns every stem about its root by an angle, rad, across its row, and lets it go from there.
    pub fn lean(&mut self, angle: f32) {
        let (s, c) = (libm::sinf(angle), libm::cosf(angle));
        for block in &mut self.blocks {
            block.still = false;
            for p in 0..block.x.len() {
                let rest = block.rest(&self.lattice, p);
                for lane in 0..LANES {
                    let turn =
                        block.grown.plants.get(lane).or(block.grown.plants.last()).map_or(0.0, |r| r.turn);
                    let root = &block.grown.root[p / self.lattice.rows];
                    let d = [0, 1, 2].map(|k| rest[k][lane] - root[k][lane]);
                    let across = [-libm::sinf(turn), libm::cosf(turn)];
                    let along = d[0] * across[0] + d[2] * across[1];
                    let (out, up) = (c * along + s * d[1], c * d[1] - s * along);
                    block.x[p][0][lane] = root[0][lane] + d[0] + across[0] * (out - along);
                    block.x[p][1][lane] = root[1][lane] + up;
                    block.x[p][2][lane] = root[2][lane] + d[2] + across[1] * (out - along);
                    for k in 0..3 {
                        block.v[p][k][lane] = 0.0;
                    }
                }
            }
        }
    }

    /// One step: bending and links, no wear. In so many substeps, or as many as the simulation would make.
    pub fn step(&mut self, dt: f64, substeps: Option<usize>) {
        let mut tuned = tuned(&self.lattice, self.time, dt, substeps, self.wind);
        self.time += dt;
        let tip = self.lattice.rows - 1;
        for k in 0..3 {
            tuned.wind[tip][k] += self.tip_force[k] / tuned.inertia[tip];
        }
        for block in &mut self.blocks {
            solve::run(block, &self.lattice, &tuned, tuned.substeps, false);
        }
    }

    /// Breaks or weakens a joint of a plant: 1 is healthy, 0 broken.
    pub fn weaken(&mut self, plant: usize, joint: usize, share: f64) {
        let block = &mut self.blocks[plant / LANES];
        block.strength[joint][plant % LANES] = (share * f64::from(HEALTHY)) as i32;
        block.work.tuned = 0.0;
        block.count_standing(self.lattice.rows);
    }

    /// Where the particles of a stem are, from root to tip, m from the plant's origin.
    pub fn stem(&self, plant: usize, stem: usize) -> Vec<Vec3> {
        let (block, lane) = (&self.blocks[plant / LANES], plant % LANES);
        let at = |p: &[[f32; LANES]; 3]| Vec3::new(p[0][lane], p[1][lane], p[2][lane]);
        let rows = self.lattice.rows;
        let free = block.x[stem * rows..(stem + 1) * rows].iter().map(at);
        std::iter::once(at(&block.grown.root[stem])).chain(free).collect()
    }
}

impl Plain {
    /// The plants of a lock-step solver as they are now.
    pub fn like(other: &LockStep) -> Self {
        let lattice = other.lattice.clone();
        let mut plants = Vec::new();
        for block in &other.blocks {
            for lane in 0..block.plants() {
                let at = |p: &[[f32; LANES]; 3]| Vec3::new(p[0][lane], p[1][lane], p[2][lane]);
                plants.push(PlainPlant {
                    roots: block.grown.root.iter().map(at).collect(),
                    rest: (0..block.x.len()).map(|p| at(&block.rest(&lattice, p))).collect(),
                    places: block.x.iter().map(at).collect(),
                    velocities: block.v.iter().map(at).collect(),
                    strength: block.strength.iter().map(|s| s[lane]).collect(),
                });
            }
        }
        Self { lattice, plants, wind: other.wind, time: other.time }
    }

    /// One step, substep by substep and plant by plant.
    pub fn step(&mut self, dt: f64, substeps: Option<usize>) {
        let tuned = tuned(&self.lattice, self.time, dt, substeps, self.wind);
        self.time += dt;
        let h = tuned.h;
        for plant in &mut self.plants {
            for _ in 0..tuned.substeps {
                plant.substep(&self.lattice, &tuned, h, Vec3::from_array(self.wind));
            }
        }
    }

    /// Where the particles of a stem are, from root to tip, m from the plant's origin.
    pub fn stem(&self, plant: usize, stem: usize) -> Vec<Vec3> {
        let (p, rows) = (&self.plants[plant], self.lattice.rows);
        std::iter::once(p.roots[stem])
            .chain(p.places[stem * rows..(stem + 1) * rows].iter().copied())
            .collect()
    }
}

impl PlainPlant {
    fn substep(&mut self, lattice: &Lattice, tuned: &Tuned, h: f32, wind: Vec3) {
        let decay = libm::expf(-lattice.species.damping as f32 * h);
        let before = self.places.clone();
        for stem in 0..lattice.stems {
            self.bend(lattice, tuned, stem, h * decay, wind);
        }
        for link in &lattice.links {
            let (b, whole) = match link.b {
                End::Free(b) => (self.places[b], self.hangs(lattice, link.a) && self.hangs(lattice, b)),
                End::Root(stem) => (self.roots[stem], self.hangs(lattice, link.a)),
            };
            if !link.along && !whole {
                continue;
            }
            let edge = self.places[link.a] - b;
            let compliance =
                if link.along { lattice.species.stretch_compliance } else { lattice.species.link_compliance };
            let alpha = compliance as f32 * lattice.mass[0] / tuned.push;
            let total = link.weight[0] + link.weight[1];
            let q = edge.length_squared();
            let f = (q - link.square) / (total * (q + link.square) + 2.0 * alpha * link.square);
            self.places[link.a] -= edge * (f * link.weight[0]);
            if let End::Free(b) = link.b {
                self.places[b] += edge * (f * link.weight[1]);
            }
        }
        for ((v, x), old) in self.velocities.iter_mut().zip(&self.places).zip(before) {
            *v = (x - old) / h;
        }
    }

    /// Whether a particle hangs together with its root.
    fn hangs(&self, lattice: &Lattice, p: usize) -> bool {
        (p - p % lattice.rows..=p).all(|joint| self.strength[joint] > 0)
    }

    /// The stem's bends as one dense system, eliminated row by row.
    fn bend(&mut self, lattice: &Lattice, tuned: &Tuned, stem: usize, carry: f32, wind: Vec3) {
        let (n, first) = (lattice.rows, stem * lattice.rows);
        let share = |j: usize| level(self.strength[first + j]) as f32 / 64.0;
        let mut a = vec![vec![0.0f32; n]; n];
        let mut r = vec![Vec3::ZERO; n];
        for i in 0..n {
            a[i][i] = tuned.inertia[i];
            let p = first + i;
            let ahead = self.places[p] + self.velocities[p] * carry - self.rest[p] + wind * tuned.push;
            r[i] = ahead * tuned.inertia[i];
            r[i].y -= lattice.mass[i] * crate::params::GRAVITY as f32;
        }
        for j in 0..n {
            // Joint j bends particles j − 2, j − 1 and j; those below the root do not move.
            let who = [(j.checked_sub(2), 1.0f32), (j.checked_sub(1), -2.0), (Some(j), 1.0)];
            for (p, cp) in who {
                let Some(p) = p else { continue };
                r[p].y += share(j) * lattice.lift[j] * cp;
                for (q, cq) in who {
                    let Some(q) = q else { continue };
                    a[p][q] += share(j) * lattice.stiffness[j] * cp * cq;
                }
            }
        }
        for k in 0..n {
            for i in k + 1..n {
                let f = a[i][k] / a[k][k];
                for c in k..n {
                    a[i][c] -= f * a[k][c];
                }
                r[i] = r[i] - r[k] * f;
            }
        }
        for k in (0..n).rev() {
            let mut sum = r[k];
            for c in k + 1..n {
                sum -= r[c] * a[k][c];
            }
            r[k] = sum / a[k][k];
        }
        for i in 0..n {
            self.places[first + i] = self.rest[first + i] + r[i];
        }
    }
}
