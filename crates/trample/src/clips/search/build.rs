//! Making the index: features to standard deviations, frames to blocks of similar ones, boxes around them.

use super::{ANY, Block, FEATURES, Index, LANES, NOWHERE, Node, Weights};
use glam::Vec4;
use std::ops::Range;

/// Lower and upper end in each feature.
type Bounds = [[f32; 2]; FEATURES];

/// Frames that are enough to know the principal axes by.
const SAMPLE: usize = 8192;
/// Rounds of turning; after about eight nothing is left to turn.
const TURNS: usize = 12;

const NO_BOUNDS: Bounds = [[f32::INFINITY, f32::NEG_INFINITY]; FEATURES];

impl Index {
    /// An index over the frames of some clips. `clips` are ranges of `features`; nothing jumps to the last `tail`
    /// frames of a clip, whose features lack a future, nor to a frame outside of clips or one that is not finite.
    pub fn new(features: &[[f32; FEATURES]], weights: &Weights, clips: &[Range<usize>], tail: usize) -> Self {
        Self::with_tags(features, weights, clips, &[], tail)
    }

    /// The same with one word of tags per clip, so that a query can be limited to a kind of gait. A clip without a
    /// word has all tags; a frame in several clips has the tags of all of them.
    pub fn with_tags(
        features: &[[f32; FEATURES]],
        weights: &Weights,
        clips: &[Range<usize>],
        tags: &[u32],
        tail: usize,
    ) -> Self {
        let n = features.len();
        let mut index = Self::scaled(features, weights);
        let mut rows = vec![[0.0; FEATURES]; n];
        let mut finite = vec![false; n];
        for (i, row) in features.iter().enumerate() {
            if let Some(row) = index.normalise(row) {
                (rows[i], finite[i]) = (row, true);
            }
        }
        let mut frame_tags = vec![0; n];
        let mut open = vec![false; n];
        for (c, clip) in clips.iter().enumerate() {
            let (from, to) = (clip.start.min(n), clip.end.min(n));
            for i in from..to {
                frame_tags[i] |= tags.get(c).copied().unwrap_or(ANY);
                open[i] |= i + tail < to;
            }
        }
        let chosen = |wanted: bool| -> Vec<u32> {
            (0..n).filter(|&i| finite[i] && open[i] == wanted).map(|i| i as u32).collect()
        };
        let mut searched = chosen(true);
        arrange(&mut searched, &rows);
        index.fill(&mut searched, &rows, &frame_tags);
        index.searched = index.blocks.len();
        index.build_levels();
        index.fill(&mut chosen(false), &rows, &frame_tags);
        index
    }

    /// An index without frames that knows mean, scale and axes. A feature that is the same in all frames counts
    /// nothing: divided by its deviation, the noise of its last bits would outweigh everything else.
    fn scaled(features: &[[f32; FEATURES]], weights: &Weights) -> Self {
        let finite = || features.iter().filter(|row| row.iter().all(|x| x.is_finite()));
        let count = finite().count().max(1) as f64;
        let weights = weights.spread();
        let (mut mean, mut scale) = ([0.0; FEATURES], [0.0; FEATURES]);
        for f in 0..FEATURES {
            let center = finite().map(|row| f64::from(row[f])).sum::<f64>() / count;
            let square = |x: f32| (f64::from(x) - center) * (f64::from(x) - center);
            let deviation = (finite().map(|row| square(row[f])).sum::<f64>() / count).sqrt();
            mean[f] = center as f32;
            if deviation > 1e-6 * (1.0 + center.abs()) && weights[f].is_finite() {
                scale[f] = (f64::from(weights[f]) / deviation) as f32;
            }
        }
        let places = vec![NOWHERE; features.len()];
        let some = finite().step_by(features.len() / SAMPLE + 1);
        let scaled = some.map(|row| std::array::from_fn(|f| f64::from((row[f] - mean[f]) * scale[f])));
        let axes = principal_axes(scaled);
        let axes = std::array::from_fn(|f| {
            std::array::from_fn(|k| Vec4::from_array(std::array::from_fn(|l| axes[f][4 * k + l] as f32)))
        });
        Self { mean, scale, axes, blocks: Vec::new(), searched: 0, levels: Vec::new(), places }
    }

    /// Appends blocks of 16 frames each, in the order given.
    fn fill(&mut self, frames: &mut [u32], rows: &[[f32; FEATURES]], tags: &[u32]) {
        for some in frames.chunks_mut(LANES) {
            some.sort_unstable();
            let mut block =
                Block { rows: [[Vec4::INFINITY; 4]; FEATURES], frames: [u32::MAX; LANES], tags: [0; LANES] };
            for (l, &frame) in some.iter().enumerate() {
                let i = frame as usize;
                for f in 0..FEATURES {
                    block.rows[f][l / 4][l % 4] = rows[i][f];
                }
                block.frames[l] = frame;
                block.tags[l] = tags[i];
                self.places[i] = (self.blocks.len() * LANES + l) as u32;
            }
            self.blocks.push(block);
        }
    }

    /// Puts nodes over the blocks, and nodes over nodes, until there is only one.
    fn build_levels(&mut self) {
        let mut below: Vec<(Bounds, u32)> = self.blocks.iter().map(Block::bounds).collect();
        while !below.is_empty() {
            let level: Vec<Node> = below.chunks(LANES).map(Node::over).collect();
            below = if level.len() > 1 { level.iter().map(Node::bounds).collect() } else { Vec::new() };
            self.levels.push(level);
        }
    }
}

impl Block {
    /// The box around the frames, and the tags that any of them has.
    fn bounds(&self) -> (Bounds, u32) {
        let mut bounds = NO_BOUNDS;
        for l in (0..LANES).filter(|&l| self.frames[l] != u32::MAX) {
            for f in 0..FEATURES {
                bounds[f] = join(bounds[f], [self.rows[f][l / 4][l % 4]; 2]);
            }
        }
        (bounds, self.tags.iter().fold(0, |a, b| a | b))
    }
}

impl Node {
    fn over(children: &[(Bounds, u32)]) -> Self {
        let mut node = Self {
            low: [[Vec4::INFINITY; 4]; FEATURES],
            high: [[Vec4::NEG_INFINITY; 4]; FEATURES],
            tags: [0; LANES],
        };
        for (l, (bounds, tags)) in children.iter().enumerate() {
            for f in 0..FEATURES {
                [node.low[f][l / 4][l % 4], node.high[f][l / 4][l % 4]] = bounds[f];
            }
            node.tags[l] = *tags;
        }
        node
    }

    /// The box around the children, and the tags that any of them has.
    fn bounds(&self) -> (Bounds, u32) {
        let mut bounds = NO_BOUNDS;
        for l in 0..LANES {
            for f in 0..FEATURES {
                bounds[f] = join(bounds[f], [self.low[f][l / 4][l % 4], self.high[f][l / 4][l % 4]]);
            }
        }
        (bounds, self.tags.iter().fold(0, |a, b| a | b))
    }
}

fn join(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// Orders frames so that those of a block, and of a node, are alike: halves them in the feature that varies most, and
/// the halves again. Cuts fall between whole nodes, so that none mixes two halves.
fn arrange(frames: &mut [u32], rows: &[[f32; FEATURES]]) {
    let mut unit = LANES;
    while unit * LANES < frames.len() {
        unit *= LANES;
    }
    if frames.len() <= LANES {
        return;
    }
    let middle = (frames.len().div_ceil(unit) / 2).max(1) * unit;
    let axis = widest(frames, rows);
    // Equal values go by frame, so that the halves are the same whichever way they are found.
    let key = |frame: u32| rows[frame as usize][axis];
    frames.select_nth_unstable_by(middle, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    let (near, far) = frames.split_at_mut(middle);
    arrange(near, rows);
    arrange(far, rows);
}

/// The feature with the largest variance.
fn widest(frames: &[u32], rows: &[[f32; FEATURES]]) -> usize {
    let (mut sum, mut square) = ([0.0f64; FEATURES], [0.0f64; FEATURES]);
    for &frame in frames {
        let row = &rows[frame as usize];
        for f in 0..FEATURES {
            let x = f64::from(row[f]);
            sum[f] += x;
            square[f] += x * x;
        }
    }
    let variance = |f: usize| square[f] - sum[f] * sum[f] / frames.len() as f64;
    (1..FEATURES).fold(0, |best, f| if variance(f) > variance(best) { f } else { best })
}

/// What each feature adds to the coordinates along the principal axes of some rows, the axis of the largest variance
/// first, by Jacobi's method: turning by two features at a time until none varies with another.
fn principal_axes(rows: impl Iterator<Item = [f64; FEATURES]>) -> [[f64; FEATURES + 1]; FEATURES] {
    let mut m = [[0.0; FEATURES]; FEATURES];
    for row in rows {
        for i in 0..FEATURES {
            for j in 0..FEATURES {
                m[i][j] += row[i] * row[j];
            }
        }
    }
    let mut axes = [[0.0; FEATURES]; FEATURES];
    for f in 0..FEATURES {
        axes[f][f] = 1.0;
    }
    let pairs = || (0..FEATURES).flat_map(|p| (p + 1..FEATURES).map(move |q| (p, q)));
    for (p, q) in (0..TURNS).flat_map(|_| pairs()) {
        if m[p][q] == 0.0 {
            continue;
        }
        let half = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
        let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
        let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
        let turn = |a: f64, b: f64| (cosine * (a - tangent * b), cosine * (tangent * a + b));
        for row in m.iter_mut().chain(&mut axes) {
            (row[p], row[q]) = turn(row[p], row[q]);
        }
        for k in 0..FEATURES {
            (m[p][k], m[q][k]) = turn(m[p][k], m[q][k]);
        }
    }
    let mut order: [usize; FEATURES] = std::array::from_fn(|f| f);
    order.sort_by(|&a, &b| m[b][b].total_cmp(&m[a][a]));
    axes.map(|row| std::array::from_fn(|k| order.get(k).map_or(0.0, |&from| row[from])))
}
