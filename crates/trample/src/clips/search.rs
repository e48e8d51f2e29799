//! Motion search: the frame of a library that comes closest to what a character does and wants to do.
//!
//! In: one row of 27 features per frame, and a query of the same shape. Out: the frame with the smallest weighted sum
//! of squared differences, exactly: the same frame and the same bits as a look at all of them.
//!
//! Features are turned to their principal axes first, which changes no distance. Where the root will be in 0.33, 0.67
//! and 1 s is nearly the same three times; boxes along such features would be mostly empty, and too many of them in
//! reach.
//!
//! Frames lie in blocks of 16, feature by feature, so that one instruction takes four. 16 blocks make a node, 16 nodes
//! make a node, up to one root; a node holds the bounding boxes of its children. Similar frames share a block,
//! whichever clip they come from: neighbours in time differ in the phase of the stride, and boxes around a quarter of
//! a stride overlap too many others. A query goes to the nearest box first and leaves out every box that is farther
//! away than the best frame so far.
//!
//! Rounding cannot make it miss. Subtracting, squaring and adding round monotonically, and boxes are summed in the
//! same order as frames, so the distance to a box never exceeds that to a frame in it, not even in the last bit.

use glam::Vec4;
use std::ops::Range;

mod build;

/// Numbers that describe a frame; [`Weights`] lists them.
pub const FEATURES: usize = 27;
/// Wanted tags that let every frame pass, even one without tags.
pub const ANY: u32 = u32::MAX;
/// Frames in a block, and children of a node.
const LANES: usize = 16;
/// Features summed between two looks at whether a block can still hold anything better.
const STRIDE: usize = 9;
/// One number for each of 16 frames or boxes. glam's vectors, as arrays do not reliably become vector registers.
type Lanes = [Vec4; 4];
/// A row of numbers with one more, to fill whole vectors.
type Padded = [Vec4; FEATURES.div_ceil(4)];
/// The place of a frame that cannot be compared, because its features are not finite.
const NOWHERE: u32 = u32::MAX;

/// How much a difference of one standard deviation counts, by groups of features. The fields are in the order of a row
/// of features; all features are in the frame of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Weight of features 0..6: positions of the left and the right foot, m.
    pub foot_position: f32,
    /// Weight of features 6..12: velocities of the left and the right foot, m/s.
    pub foot_velocity: f32,
    /// Weight of features 12..15: velocity of the hip, m/s.
    pub hip_velocity: f32,
    /// Weight of features 15..21: where the root will be in 0.33, 0.67 and 1 s, (x, z) each, m.
    pub path_position: f32,
    /// Weight of features 21..27: where the root will face then, (x, z) of a unit vector each.
    pub path_direction: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            foot_position: 0.75,
            foot_velocity: 1.0,
            hip_velocity: 1.0,
            path_position: 1.0,
            path_direction: 1.5,
        }
    }
}

impl Weights {
    /// The weight of each feature.
    pub fn spread(&self) -> [f32; FEATURES] {
        std::array::from_fn(|f| match f {
            0..6 => self.foot_position,
            6..12 => self.foot_velocity,
            12..15 => self.hip_velocity,
            15..21 => self.path_position,
            _ => self.path_direction,
        })
    }
}

/// What a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// The frame, by its place among the features that the index was made from.
    pub frame: usize,
    /// Sum of squared weighted differences in standard deviations, no bonus taken off; infinite if no frame may be
    /// chosen.
    pub cost: f32,
}

impl Match {
    /// Whether there was a frame to choose. If not, `frame` is the one that the query started from, or 0.
    pub fn found(&self) -> bool {
        self.cost < f32::INFINITY
    }
}

/// 16 frames, feature by feature. Frames ascend; lanes without a frame come last and are infinitely far away.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Block {
    rows: [Lanes; FEATURES],
    frames: [u32; LANES],
    tags: [u32; LANES],
}

/// The bounding boxes of 16 blocks or nodes. Boxes without a child come last, are empty and infinitely far away.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Node {
    low: [Lanes; FEATURES],
    high: [Lanes; FEATURES],
    /// Tags that some frame of the child has.
    tags: [u32; LANES],
}

/// A library of frames to search.
#[derive(Clone, Debug)]
pub struct Index {
    mean: [f32; FEATURES],
    scale: [f32; FEATURES],
    /// What each feature adds to the coordinates along the principal axes, the longest first.
    axes: [Padded; FEATURES],
    /// Blocks to search, then blocks of frames that may be played on but not jumped to.
    blocks: Vec<Block>,
    /// How many blocks to search.
    searched: usize,
    /// Nodes over blocks, nodes over these, up to a single one.
    levels: Vec<Vec<Node>>,
    /// Where each frame lies: 16 · block + lane.
    places: Vec<u32>,
}

/// The best frame so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    frame: u32,
    cost: f32,
    /// What another frame has to cost less than.
    limit: f32,
    /// A frame before this one wins even if it costs the limit.
    tie: u32,
}

impl Index {
    /// The frame closest to a query; of equals the first. `start` is the frame that would come anyway and what it is
    /// worth not to jump: it stays unless another one costs less by more than this bonus. It may lie in the tail of
    /// its clip. A query that is not finite finds nothing.
    pub fn query(&self, query: &[f32; FEATURES], start: Option<(usize, f32)>) -> Match {
        self.query_tagged(query, start, ANY)
    }

    /// The same among the frames with at least one of the wanted tags.
    pub fn query_tagged(&self, query: &[f32; FEATURES], start: Option<(usize, f32)>, wanted: u32) -> Match {
        let (mut best, query) = self.begin(query, start, wanted);
        if let (Some(query), Some(top)) = (query, self.levels.len().checked_sub(1)) {
            self.descend(&query, wanted, top, 0, &mut best);
        }
        Match { frame: best.frame as usize, cost: best.cost }
    }

    /// The same by a look at every frame: what tests and benchmarks compare with.
    pub fn linear_scan(&self, query: &[f32; FEATURES], start: Option<(usize, f32)>, wanted: u32) -> Match {
        let (mut best, query) = self.begin(query, start, wanted);
        if let Some(query) = query {
            for block in &self.blocks[..self.searched] {
                let mut cost = [Vec4::ZERO; 4];
                block.add(&query, 0..FEATURES, &mut cost);
                filter(&mut cost, &block.tags, wanted);
                best.offer(&cost, &block.frames);
            }
        }
        Match { frame: best.frame as usize, cost: best.cost }
    }

    /// Number of frames, also those that no query finds.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Where a query begins, so that it leaves out much from the start; and the normalised query, if it is finite.
    fn begin(
        &self,
        query: &[f32; FEATURES],
        start: Option<(usize, f32)>,
        wanted: u32,
    ) -> (Best, Option<[f32; FEATURES]>) {
        // Nothing comes before frame 0, so a tie never ends what the query began with.
        let mut best = Best { frame: 0, cost: f32::INFINITY, limit: f32::INFINITY, tie: 0 };
        let query = self.normalise(query);
        let start = start.and_then(|(frame, bonus)| Some((frame, bonus, *self.places.get(frame)?)));
        if let Some((frame, bonus, place)) = start {
            best.frame = frame as u32;
            if let (Some(query), true) = (&query, place != NOWHERE) {
                let (block, lane) = (&self.blocks[place as usize / LANES], place as usize % LANES);
                let cost = block.cost(query, lane);
                if passes(block.tags[lane], wanted) && cost < f32::INFINITY {
                    best.cost = cost;
                    best.limit = cost - bonus.max(0.0);
                }
            }
        }
        (best, query)
    }

    /// A row of features in weighted standard deviations from the mean, along the principal axes, if all are finite.
    fn normalise(&self, row: &[f32; FEATURES]) -> Option<[f32; FEATURES]> {
        let mut sum: Padded = Default::default();
        for f in 0..FEATURES {
            let x = Vec4::splat((row[f] - self.mean[f]) * self.scale[f]);
            for (sum, axis) in sum.iter_mut().zip(&self.axes[f]) {
                *sum += x * *axis;
            }
        }
        let row: [f32; FEATURES] = std::array::from_fn(|f| sum[f / 4][f % 4]);
        row.iter().all(|x| x.is_finite()).then_some(row)
    }

    /// Searches below a node, the nearest child first.
    fn descend(&self, query: &[f32; FEATURES], wanted: u32, level: usize, at: usize, best: &mut Best) {
        let node = &self.levels[level][at];
        let mut bound = node.distance(query);
        filter(&mut bound, &node.tags, wanted);
        loop {
            let nearest = least(&bound);
            if nearest > best.limit || nearest == f32::INFINITY {
                return;
            }
            let lane = first(&bound, nearest);
            remove(&mut bound, lane);
            let child = at * LANES + lane;
            if level > 0 {
                self.descend(query, wanted, level - 1, child, best);
            } else {
                self.blocks[child].search(query, wanted, best);
            }
        }
    }
}

impl Best {
    /// Takes the cheapest of 16 frames, if it is better.
    #[inline(always)]
    fn offer(&mut self, cost: &Lanes, frames: &[u32; LANES]) {
        let cheapest = least(cost);
        if cheapest > self.limit {
            return;
        }
        // Frames ascend, so that the first of equals is the right one.
        let frame = frames[first(cost, cheapest)];
        if cheapest < self.limit || frame < self.tie {
            *self = Self { frame, cost: cheapest, limit: cheapest, tie: frame };
        }
    }
}

impl Block {
    /// Adds the squared differences in some of the features.
    #[inline(always)]
    fn add(&self, query: &[f32; FEATURES], features: Range<usize>, sum: &mut Lanes) {
        for f in features {
            let (row, x) = (&self.rows[f], Vec4::splat(query[f]));
            for k in 0..4 {
                let d = row[k] - x;
                sum[k] += d * d;
            }
        }
    }

    /// What a single frame costs, summed in the same order.
    fn cost(&self, query: &[f32; FEATURES], lane: usize) -> f32 {
        let mut sum = 0.0;
        for f in 0..FEATURES {
            let d = self.rows[f][lane / 4][lane % 4] - query[f];
            sum += d * d;
        }
        sum
    }

    /// Offers the frames, but gives up as soon as all of them cost too much.
    #[inline]
    fn search(&self, query: &[f32; FEATURES], wanted: u32, best: &mut Best) {
        let mut cost = [Vec4::ZERO; 4];
        for from in (0..FEATURES - STRIDE).step_by(STRIDE) {
            self.add(query, from..from + STRIDE, &mut cost);
            if least(&cost) > best.limit {
                return;
            }
        }
        self.add(query, FEATURES - STRIDE..FEATURES, &mut cost);
        filter(&mut cost, &self.tags, wanted);
        best.offer(&cost, &self.frames);
    }
}

impl Node {
    /// The squared distances to the boxes.
    #[inline(always)]
    fn distance(&self, query: &[f32; FEATURES]) -> Lanes {
        let mut sum = [Vec4::ZERO; 4];
        for f in 0..FEATURES {
            let (low, high, x) = (&self.low[f], &self.high[f], Vec4::splat(query[f]));
            for k in 0..4 {
                let d = x.max(low[k]).min(high[k]) - x;
                sum[k] += d * d;
            }
        }
        sum
    }
}

fn passes(tags: u32, wanted: u32) -> bool {
    wanted == ANY || tags & wanted != 0
}

/// Puts lanes without a wanted tag infinitely far away.
#[inline(always)]
fn filter(cost: &mut Lanes, tags: &[u32; LANES], wanted: u32) {
    if wanted != ANY {
        let least = |lane: usize| if tags[lane] & wanted == 0 { f32::INFINITY } else { 0.0 };
        for k in 0..4 {
            let i = 4 * k;
            cost[k] = cost[k].max(Vec4::new(least(i), least(i + 1), least(i + 2), least(i + 3)));
        }
    }
}

/// Puts a lane infinitely far away.
#[inline(always)]
fn remove(cost: &mut Lanes, lane: usize) {
    let lane = Vec4::splat(lane as f32);
    for k in 0..4 {
        let numbers = Vec4::new(0.0, 1.0, 2.0, 3.0) + Vec4::splat(4.0 * k as f32);
        cost[k] = Vec4::select(numbers.cmpeq(lane), Vec4::INFINITY, cost[k]);
    }
}

#[inline(always)]
fn least(x: &Lanes) -> f32 {
    x[0].min(x[1]).min(x[2].min(x[3])).min_element()
}

/// The first lane with a value that one of them has.
#[inline(always)]
fn first(x: &Lanes, value: f32) -> usize {
    let bits = |k: usize| x[k].cmpeq(Vec4::splat(value)).bitmask() << (4 * k);
    (bits(0) | bits(1) | bits(2) | bits(3)).trailing_zeros() as usize % LANES
}

#[cfg(test)]
mod tests;
