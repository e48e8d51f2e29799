//! Plants that have been touched: blocks of sixteen, in lock-step.
//!
//! A block holds plants of one cell of 0.4 m as structure of arrays, `[particle][xyz][lane]`, moving particles only.
//! It exists only once a foot has come near: untouched plants follow from the seed. A block that rests leaves
//! the list of those that move and costs nothing, not even a visit; if it is unharmed as well it is forgotten.

use super::cover::{self, Cover, Field, Health};
use super::ground::Ground;
use super::lattice::Lattice;
use super::planting::{PLANT_CELL, Planting, Root};
use super::tile::{NANO, PlaceHasher};
use crate::persist::state;
use crate::scene::{PlantKind, PlantPatch, Scene};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

/// Plants in a block.
pub(crate) const LANES: usize = 16;
/// One number of each plant of a block.
pub(crate) type Lane = [f32; LANES];
/// A place of each plant of a block: x, y and z, m from the block's origin.
pub(crate) type Place = [Lane; 3];
/// Strength of a healthy joint. Whole numbers, so that hours of sleep are the sum of their steps to the last unit.
pub(crate) const HEALTHY: i32 = 1 << 30;

/// Posts along the side of the floor that a block knows.
pub(crate) const POSTS: usize = 14;

/// Which block: its plant cell, patch, and number in the cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockKey {
    /// Row of its cell.
    pub cz: i32,
    /// Column of its cell.
    pub cx: i32,
    /// Which patch it belongs to.
    pub patch: u32,
    /// Which of the cell's blocks of that patch.
    pub number: u32,
}

state! { BlockKey { cz, cx, patch, number } }

/// Condition of a stem; undamaged if all are false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StemState {
    /// Now bent beyond the angle of wear.
    pub bent: bool,
    /// Weakened at some joint.
    pub worn: bool,
    /// Broken at some joint; it stays down.
    pub broken: bool,
}

/// Up to sixteen plants: what persists of them, what follows from that, and room to work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) key: BlockKey,
    /// Whether it stands exactly as it grew, and nothing has moved it yet.
    pub(crate) still: bool,
    /// How long it has been quiet, s.
    pub(crate) quiet: f64,
    /// Until when it has been moved on, s; asleep, when it fell asleep.
    pub(crate) since: f64,
    /// Height at which each plant is rooted, m from the origin.
    pub(crate) level: Lane,
    /// Height of the ground around, m from the origin: posts over the cell and as far as its plants reach. As it was when
    /// a sole was last near.
    pub(crate) floor: Vec<f32>,
    /// Places of the particles, m from the origin.
    pub(crate) x: Vec<Place>,
    /// Their velocities, m/s.
    pub(crate) v: Vec<Place>,
    /// Strength of each joint, up to [`HEALTHY`]; 0 is broken.
    pub(crate) strength: Vec<[i32; LANES]>,
    pub(crate) grown: Grown,
    pub(crate) work: Work,
}

// The key is written by `Plants::put_blocks`.
state! {
    Block { still, quiet, since, level, floor[..], x[..], v[..], strength[..] } except { key, grown, work }
}

/// What follows from a block's key, its species and the original ground. Derived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grown {
    /// Roots of the plants, as strewn.
    pub(crate) plants: Vec<Root>,
    /// What places are measured from, m.
    pub(crate) origin: [f64; 3],
    /// Height of the posts before anybody stepped on the ground, m from the origin.
    pub(crate) base: Vec<f32>,
    /// Where the first post is, m from the origin, and posts per metre.
    pub(crate) posts: [f32; 2],
    /// Where each stem leaves the ground; its height is the block's level.
    pub(crate) root: Vec<Place>,
    /// Which way each plant droops: x and z of a unit vector across its row.
    pub(crate) across: [Lane; 2],
}

/// What follows from a block's state, or lasts no longer than a step. Derived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    /// Joints of each plant that still stand: nothing is broken between them and the root. What lies above a broken
    /// joint neither grows nor covers (TR-7: healthy, non-broken stems).
    pub(crate) standing: [i32; LANES],
    /// Whether any joint is not healthy.
    pub(crate) worn: bool,
    /// Where its step's scratch says how far its floor has been raised, if that may have changed.
    pub(crate) floor: Option<u32>,
    /// Substeps at a time with which it moves while no sole is near; 0 if not known. Follows from its speeds.
    pub(crate) stride: u32,
    /// Substep that the factors belong to, s; 0 if they must be made anew.
    pub(crate) tuned: f32,
    /// Factors of each joint's row: inverse pivot, and the two entries left of it.
    pub(crate) factors: Vec<Place>,
    /// What its own weight does to a worn stem, N.
    pub(crate) sag: Vec<Lane>,
    /// 1 where a particle hangs together with its root, 0 above a broken joint.
    pub(crate) hold: Vec<Lane>,
    /// Lowest and highest each particle may be, m. Made anew in every step that needs them.
    pub(crate) low: Vec<Lane>,
    pub(crate) high: Vec<Lane>,
    /// Plants that a sole touches in this step, a bit each.
    pub(crate) touched: u32,
    /// Whole joints that each plant has lost in this step.
    pub(crate) lost: [i32; LANES],
    /// Whether any has.
    pub(crate) changed: bool,
    /// Whether some sole is near in this step.
    pub(crate) near: bool,
}

/// Where a block is.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// As it grew: it follows from the seed.
    Pristine,
    /// At rest, and remembered.
    Asleep(Box<Block>),
    /// In the list of those that move, there.
    Awake(u32),
}

/// The blocks of a patch in a plant cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellSlots {
    pub(crate) first: u32,
    pub(crate) blocks: u32,
}

/// One patch, ready to grow.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) patch: Arc<PlantPatch>,
    pub(crate) planting: Arc<Planting>,
    pub(crate) lattice: Arc<Lattice>,
}

/// All plants of a world.
#[derive(Clone, Debug, Default)]
pub struct Plants {
    pub(crate) plots: Vec<Plot>,
    pub(crate) cells: HashMap<(i32, i32, i32), CellSlots, BuildHasherDefault<PlaceHasher>>,
    pub(crate) slots: Vec<Slot>,
    /// Corners of the roots of each slot's plants, x and z, m from the cell's corner. Derived.
    pub(crate) spans: Vec<[[f32; 2]; 2]>,
    #[expect(clippy::vec_box, reason = "a block goes to its slot and back without being copied")]
    pub(crate) awake: Vec<Box<Block>>,
    /// Blocks that were forgotten, kept for their memory.
    #[expect(clippy::vec_box, reason = "the same boxes")]
    pub(crate) spare: Vec<Box<Block>>,
    /// Whether nothing ever sleeps: for tests of sleeping.
    pub(crate) sleepless: bool,
    /// The scene's wind, m/s².
    pub(crate) wind: [f32; 3],
}

/// Counts of the plants in a rectangle, by condition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlantTally {
    /// Number of plants.
    pub plants: u64,
    /// Number of stems.
    pub stems: u64,
    /// Stems now bent beyond the angle of wear, and not broken.
    pub bent: u64,
    /// Stems weakened, and not broken.
    pub worn: u64,
    /// Stems broken at some joint.
    pub broken: u64,
    /// Joints of healthy plants (`N_c0`, TR-7).
    pub joints: u64,
    /// Joints with nothing broken between them and the root (`N_c`).
    pub whole_joints: u64,
    /// Σ height of the stems' tips above their roots, m.
    pub tip_heights: f64,
}

impl PlantTally {
    /// Share of whole joints: the relative cover. 1 where nothing grows.
    pub fn cover(&self) -> f64 {
        if self.joints == 0 { 1.0 } else { self.whole_joints as f64 / self.joints as f64 }
    }

    /// Mean height of the tips, m.
    pub fn mean_height(&self) -> f64 {
        if self.stems == 0 { 0.0 } else { self.tip_heights / self.stems as f64 }
    }
}

impl Plants {
    /// The plants of a scene, and the cover they make. Costs nothing per plant.
    pub(crate) fn new(scene: &Scene) -> (Self, Cover) {
        let plots: Vec<Plot> = scene
            .plants
            .iter()
            .enumerate()
            .map(|(i, patch)| Plot {
                patch: Arc::new(patch.clone()),
                planting: Arc::new(Planting::new(patch, scene.seed, i)),
                lattice: Arc::new(Lattice::new(&patch.species)),
            })
            .collect();
        let fields = plots.iter().map(|plot| Field::new(&plot.patch, &plot.planting)).collect();
        let wind = scene.wind.map(|push| push as f32);
        (Self { plots, wind, ..Self::default() }, Cover::new(scene.terrain.cell, fields))
    }

    /// Whether nothing grows.
    pub fn is_empty(&self) -> bool {
        self.plots.is_empty()
    }

    /// Number of blocks that are moving.
    pub fn awake_blocks(&self) -> usize {
        self.awake.len()
    }

    /// The plant cells, x and z, of the blocks that are moving and have to be drawn again. A cell may occur more than once.
    pub fn awake_cells(&self) -> impl Iterator<Item = [i32; 2]> {
        self.awake.iter().map(|block| [block.key.cx, block.key.cz])
    }

    /// Number of stored blocks: those that are moving, and damaged ones at rest.
    pub fn remembered_blocks(&self) -> usize {
        let asleep = self.slots.iter().filter(|slot| matches!(slot, Slot::Asleep(_))).count();
        self.awake.len() + asleep
    }

    /// Approximate memory, bytes.
    pub fn bytes(&self) -> usize {
        let place = size_of::<Place>();
        let block = |b: &Block| {
            // Root, place, velocity, factors; strength, sag, hold and the two bounds are a third of a place each.
            size_of::<Block>() + place * b.grown.root.len() + (3 * 3 + 5) * place / 3 * b.x.len()
        };
        let asleep = self.slots.iter().map(|slot| match slot {
            Slot::Asleep(b) => block(b),
            _ => 0,
        });
        asleep.sum::<usize>()
            + self.awake.iter().chain(&self.spare).map(|b| block(b)).sum::<usize>()
            + self.slots.len() * (size_of::<Slot>() + size_of::<[[f32; 2]; 2]>())
            + self.cells.len() * 24
    }

    /// The slots of a patch in a cell, made at the first visit.
    pub(crate) fn slots_of(&mut self, patch: usize, cx: i32, cz: i32, roots: &mut Vec<Root>) -> CellSlots {
        let key = (cz, cx, patch as i32);
        if let Some(&known) = self.cells.get(&key) {
            return known;
        }
        self.plots[patch].planting.roots_in(cx, cz, roots);
        let made = CellSlots { first: self.slots.len() as u32, blocks: roots.len().div_ceil(LANES) as u32 };
        self.slots.extend((0..made.blocks).map(|_| Slot::Pristine));
        let corner = [cx, cz].map(|c| f64::from(c) * PLANT_CELL);
        for block in roots.chunks(LANES) {
            let mut span = [[f32::MAX; 2], [f32::MIN; 2]];
            for root in block {
                for (k, p) in [root.x - corner[0], root.z - corner[1]].into_iter().enumerate() {
                    span[0][k] = span[0][k].min(p as f32);
                    span[1][k] = span[1][k].max(p as f32);
                }
            }
            self.spans.push(span);
        }
        self.cells.insert(key, made);
        made
    }

    /// The slot of a block whose cell is known.
    pub(crate) fn slot_of(&self, key: BlockKey) -> Option<usize> {
        let cell = self.cells.get(&(key.cz, key.cx, key.patch as i32))?;
        (key.number < cell.blocks).then_some((cell.first + key.number) as usize)
    }

    /// A block as it grew, upright on the ground as it is now.
    pub(crate) fn grow(&self, key: BlockKey, ground: &Ground, roots: &mut Vec<Root>, block: &mut Block) {
        let plot = &self.plots[key.patch as usize];
        plot.planting.roots_in(key.cx, key.cz, roots);
        let first = key.number as usize * LANES;
        let own = &roots[first.min(roots.len())..roots.len().min(first + LANES)];
        block.sow(key, &plot.lattice, own, ground);
        if plot.planting.is_worn() {
            for lane in 0..block.plants() {
                block.wear_down(lane, plot.planting.standing(key.cx, key.cz, first + lane), &plot.lattice);
            }
            block.count_standing(plot.lattice.rows);
            block.still = !block.work.worn;
        }
    }

    /// Number of blocks ever allocated.
    pub fn blocks_made(&self) -> usize {
        self.remembered_blocks() + self.spare.len()
    }

    /// A remembered block, awake or asleep.
    pub(crate) fn find(&self, key: BlockKey) -> Option<&Block> {
        match &self.slots[self.slot_of(key)?] {
            Slot::Pristine => None,
            Slot::Asleep(block) => Some(block),
            Slot::Awake(at) => self.awake.get(*at as usize).map(|b| &**b),
        }
    }

    /// Blocks in a fixed order, and whether they are awake: all that are remembered, or those that move alone.
    pub(crate) fn sorted(&self, asleep: bool) -> Vec<(&Block, bool)> {
        let slots: &[Slot] = if asleep { &self.slots } else { &[] };
        let asleep = slots.iter().filter_map(|slot| match slot {
            Slot::Asleep(block) => Some((&**block, false)),
            _ => None,
        });
        let mut all: Vec<(&Block, bool)> = self.awake.iter().map(|b| (&**b, true)).chain(asleep).collect();
        all.sort_unstable_by_key(|(b, _)| b.key);
        all
    }

    /// Forgets all that was touched.
    pub(crate) fn forget(&mut self) {
        self.cells.clear();
        self.slots.clear();
        self.spans.clear();
        self.awake.clear();
    }

    /// Puts a block where its cell, which is known, keeps it.
    pub(crate) fn put(&mut self, block: Box<Block>, awake: bool) {
        let Some(slot) = self.slot_of(block.key) else { return };
        if awake {
            self.slots[slot] = Slot::Awake(self.awake.len() as u32);
            self.awake.push(block);
        } else {
            self.slots[slot] = Slot::Asleep(block);
        }
    }

    /// Which patches are simulated and reach a cell at all.
    pub(crate) fn grows_in(&self, patch: usize, cx: i32, cz: i32) -> bool {
        let p = &self.plots[patch].patch;
        let meets = |k: usize, cell: i32| {
            f64::from(cell + 1) * PLANT_CELL > p.min[k] && f64::from(cell) * PLANT_CELL < p.max[k]
        };
        matches!(p.kind, PlantKind::Simulated) && meets(0, cx) && meets(1, cz)
    }
}

impl Health for Plants {
    fn standing_joints(&self, patch: usize, cx: i32, cz: i32, n: usize) -> Option<i64> {
        let key = BlockKey { cz, cx, patch: patch as u32, number: (n / LANES) as u32 };
        self.find(key).map(|b| i64::from(b.work.standing[n % LANES]))
    }
}

/// Share of a stem that stands where feet have broken it: 0.44 in the mean of 1843 stems of sedge after 200 passes of `tr-fig2`.
const STUMP: f64 = 0.44;

/// Where the first post is, m from the cell's corner, and posts per metre.
fn posts(lattice: &Lattice) -> [f32; 2] {
    let reach = lattice.species.reach().min(PLANT_CELL);
    [-reach as f32, ((POSTS - 1) as f64 / (PLANT_CELL + 2.0 * reach)) as f32]
}

/// Where the posts of a block stand, m, row by row.
pub(crate) fn post_places(key: BlockKey, lattice: &Lattice) -> impl Iterator<Item = (f64, f64)> + use<> {
    let [first, per_metre] = posts(lattice).map(f64::from);
    let corner = [key.cx, key.cz].map(|c| f64::from(c) * PLANT_CELL + first);
    (0..POSTS * POSTS).map(move |n| {
        let at = |k: usize| (k as f64) / per_metre;
        (corner[0] + at(n % POSTS), corner[1] + at(n / POSTS))
    })
}

/// How far the ground has been raised at each post of a block, m.
pub(crate) fn raised_posts(ground: &Ground, key: BlockKey, lattice: &Lattice, out: &mut Vec<f32>) {
    out.clear();
    // What lies before the edge counts as the edge, so that cutting off is as good as rounding down.
    let index = |p: f64, n: i32| ((p / ground.cell) as i32).clamp(0, n - 1);
    // Posts beside each other mostly share a tile.
    let mut known = None;
    for (x, z) in post_places(key, lattice) {
        let (i, j) = (index(x, ground.size[0]), index(z, ground.size[1]));
        let place = super::ground::tile_of(i, j);
        let tile = match known {
            Some((last, tile)) if last == place => tile,
            _ => ground.tiles.get(place),
        };
        known = Some((place, tile));
        let cell = super::ground::cell_of(i, j);
        out.push(tile.map_or(0.0, |tile| (tile.raised(cell) as f64 / NANO) as f32));
    }
}

/// How far the ground's cell at a place lies above its original height, m.
pub(crate) fn raised(ground: &Ground, x: f64, z: f64) -> f32 {
    let index = |p: f64, n: i32| ((p / ground.cell).floor() as i32).clamp(0, n - 1);
    let (i, j) = (index(x, ground.size[0]), index(z, ground.size[1]));
    let tile = ground.tiles.get(super::ground::tile_of(i, j));
    tile.map_or(0.0, |tile| (tile.raised(super::ground::cell_of(i, j)) as f64 / NANO) as f32)
}

impl Block {
    /// How many plants it holds.
    pub(crate) fn plants(&self) -> usize {
        self.grown.plants.len()
    }

    /// Plants `roots` as they grow.
    pub(crate) fn sow(&mut self, key: BlockKey, lattice: &Lattice, roots: &[Root], ground: &Ground) {
        self.key = key;
        self.grown.plants.clear();
        self.grown.plants.extend_from_slice(roots);
        let corner = [f64::from(key.cx) * PLANT_CELL, f64::from(key.cz) * PLANT_CELL];
        let middle = corner.map(|c| c + 0.5 * PLANT_CELL);
        self.grown.origin = [corner[0], ground.base.height(middle[0], middle[1]), corner[1]];
        self.grown.posts = posts(lattice);
        self.grown.base.clear();
        for (x, z) in post_places(key, lattice) {
            self.grown.base.push((ground.base.height(x, z) - self.grown.origin[1]) as f32);
        }
        self.floor.clear();
        let places = post_places(key, lattice).zip(&self.grown.base);
        self.floor.extend(places.map(|((x, z), base)| base + raised(ground, x, z)));
        let (stems, n) = (lattice.stems, lattice.particles());
        self.grown.root.clear();
        self.grown.root.resize(stems, [[0.0; LANES]; 3]);
        for lane in 0..LANES {
            // Lanes without a plant repeat the last one: they go along and count for nothing.
            let Some(root) = roots.get(lane).or(roots.last()) else { continue };
            let (s, c) = (libm::sinf(root.turn), libm::cosf(root.turn));
            (self.grown.across[0][lane], self.grown.across[1][lane]) = (-s, c);
            let place = [(root.x - corner[0]) as f32, (root.z - corner[1]) as f32];
            for stem in 0..stems {
                let [u, w] = lattice.base[stem];
                self.grown.root[stem][0][lane] = place[0] + c * u - s * w;
                self.grown.root[stem][2][lane] = place[1] + s * u + c * w;
            }
        }
        self.x.resize(n, [[0.0; LANES]; 3]);
        self.stand_up(lattice);
        self.v.clear();
        self.v.resize(n, [[0.0; LANES]; 3]);
        self.strength.clear();
        self.strength.resize(n, [HEALTHY; LANES]);
        let Work { mut low, mut high, mut factors, mut sag, mut hold, .. } = std::mem::take(&mut self.work);
        low.resize(n, [f32::MIN; LANES]);
        high.resize(n, [f32::MAX; LANES]);
        factors.resize(n, [[0.0; LANES]; 3]);
        sag.resize(n, [0.0; LANES]);
        hold.resize(n, [1.0; LANES]);
        let standing = [n as i32; LANES];
        self.work = Work { low, high, factors, sag, hold, standing, ..Work::default() };
        (self.quiet, self.since, self.level) = (0.0, 0.0, [0.0; LANES]);
        // As it grew it stands where it is now rooted.
        self.still = true;
        self.settle(lattice);
    }

    /// Height of the ground at a place, both measured from the origin, m; smoothly between the posts.
    pub(crate) fn floor_at(&self, x: f32, z: f32) -> f32 {
        let last = (POSTS - 1) as f32;
        let place = |p: f32| {
            let p = (p - self.grown.posts[0]) * self.grown.posts[1];
            // Written so that NaN becomes a valid index.
            let p = if p > 0.0 { p } else { 0.0 };
            let p = if p < last { p } else { last };
            let i = (p as usize).min(POSTS - 2);
            (i, p - i as f32)
        };
        let ((i, fx), (j, fz)) = (place(x), place(z));
        let near = &self.floor[j * POSTS + i..j * POSTS + i + 2];
        let far = &self.floor[(j + 1) * POSTS + i..(j + 1) * POSTS + i + 2];
        let (a, b) = (near[0] + (near[1] - near[0]) * fx, far[0] + (far[1] - far[0]) * fx);
        a + (b - a) * fz
    }

    /// Updates how far each post has been raised.
    pub(crate) fn set_floor(&mut self, raised: &[f32]) {
        for ((floor, base), raised) in self.floor.iter_mut().zip(&self.grown.base).zip(raised) {
            *floor = base + raised;
        }
    }

    /// Lets the roots follow the ground.
    pub(crate) fn settle(&mut self, lattice: &Lattice) {
        let mut level = [0.0; LANES];
        for (lane, level) in level.iter_mut().enumerate() {
            let Some(root) = self.grown.plants.get(lane).or(self.grown.plants.last()) else { continue };
            *level =
                self.floor_at((root.x - self.grown.origin[0]) as f32, (root.z - self.grown.origin[2]) as f32);
        }
        if level != self.level {
            self.level = level;
            self.root();
            if self.still {
                self.stand_up(lattice);
            }
        }
    }

    /// Where a particle rests.
    #[inline(always)]
    pub(crate) fn rest(&self, lattice: &Lattice, p: usize) -> Place {
        let mut out = self.grown.root[p / lattice.rows];
        let [height, droop] = lattice.curve[p % lattice.rows];
        for lane in 0..LANES {
            out[0][lane] += droop * self.grown.across[0][lane];
            out[1][lane] += height;
            out[2][lane] += droop * self.grown.across[1][lane];
        }
        out
    }

    /// Puts every particle where it rests.
    fn stand_up(&mut self, lattice: &Lattice) {
        for p in 0..self.x.len() {
            self.x[p] = self.rest(lattice, p);
        }
    }

    /// Leaves a share of a plant's joints standing. Neighbouring stems are broken, one after the other to stumps and then
    /// shorter, and what broke off lies on the ground. What stands is healthy.
    fn wear_down(&mut self, lane: usize, share: f32, lattice: &Lattice) {
        let (rows, joints) = (lattice.rows, lattice.stems * lattice.rows);
        let lost = joints - cover::standing(share, joints);
        let stump = (STUMP * rows as f64).round() as usize;
        let tall = rows - stump;
        let turn = self.grown.plants[lane].turn;
        let first = (turn / std::f32::consts::TAU * lattice.stems as f32) as usize;
        for n in 0..lattice.stems {
            let stem = (first + n) % lattice.stems;
            let more = lost.saturating_sub(lattice.stems * tall);
            let cut = lost.saturating_sub(n * tall).min(tall) + more.saturating_sub(n * stump).min(stump);
            if cut == 0 {
                continue;
            }
            let whole = rows - cut;
            self.strength[stem * rows + whole][lane] = 0;
            // They fan out by the golden angle.
            let (s, c) = (libm::sinf(turn + 2.4 * stem as f32), libm::cosf(turn + 2.4 * stem as f32));
            let below = stem * rows + whole;
            let from = if whole == 0 { &self.grown.root[stem] } else { &self.x[below - 1] };
            let mut at = [0, 1, 2].map(|k| from[k][lane]);
            for p in below..(stem + 1) * rows {
                let down = (at[1] - self.floor_at(at[0], at[2])).clamp(0.0, lattice.segment);
                let along = (lattice.segment * lattice.segment - down * down).sqrt();
                at = [at[0] + c * along, at[1] - down, at[2] + s * along];
                for k in 0..3 {
                    self.x[p][k][lane] = at[k];
                }
            }
        }
    }

    /// Roots every stem at its plant's level.
    fn root(&mut self) {
        self.grown.root.iter_mut().for_each(|root| root[1] = self.level);
    }

    /// Goes on as the same plants did on another lattice with as many joints.
    pub(crate) fn go_on_from(&mut self, old: &Self, lattice: &Lattice) {
        (self.still, self.quiet, self.since, self.level) = (old.still, old.quiet, old.since, old.level);
        if self.grown.posts == old.grown.posts {
            self.floor.clone_from(&old.floor);
        }
        self.x.clone_from(&old.x);
        self.v.clone_from(&old.v);
        self.strength.clone_from(&old.strength);
        self.derive(lattice);
    }

    /// Finds what follows from another state than that of plants as they grow.
    pub(crate) fn derive(&mut self, lattice: &Lattice) {
        self.root();
        self.count_standing(lattice.rows);
    }

    /// Counts the joints that hang together with their root, and finds whether any is worn.
    pub(crate) fn count_standing(&mut self, rows: usize) {
        self.work.standing = [0; LANES];
        self.work.worn = false;
        for stem in self.strength.chunks(rows) {
            let mut held = [1; LANES];
            for joint in stem {
                for lane in 0..LANES {
                    held[lane] &= i32::from(joint[lane] > 0);
                    self.work.standing[lane] += held[lane];
                    self.work.worn |= joint[lane] != HEALTHY;
                }
            }
        }
    }
}
