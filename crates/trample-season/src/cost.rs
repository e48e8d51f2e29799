//! The cost field: how long it takes from everywhere to one place, and which way to go.
//!
//! In: a grid of costs per metre and of heights, and a destination. Out: the cost from every cell and the direction in which to
//! leave it. Solved by fast marching on triangles of neighbours: the front of equal cost is a straight line between two
//! neighbours, so that straight ways are straight in every direction. A graph of eight neighbours errs by up to 8 %. Costs that
//! depend on the direction, uphill and downhill, are allowed: a cell whose cost falls again is looked at again.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Walking speed over slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Speeds of GPS tracks in deciles: v(θ°) = c/(π b (1 + ((θ − a)/b)²)) + d + e θ, m/s (Campbell et al. 2019, Table S1).
    Campbell([f64; 5]),
    /// v = 6 exp(−3.5 |tan θ + 0.05|) km/h (Tobler 1993).
    Tobler,
}

/// a, b, c, d, e of the deciles 10 to 90 (Campbell et al. 2019, Table S1).
const DECILES: [[f64; 5]; 9] = [
    [-1.568, 13.328, 38.892, 0.404, -0.003],
    [-1.71, 10.154, 36.905, 0.557, -0.004],
    [-1.858, 8.412, 39.994, 0.645, -0.004],
    [-1.958, 8.96, 50.34, 0.649, -0.005],
    [-2.171, 10.064, 63.66, 0.628, -0.005],
    [-2.459, 11.311, 79.287, 0.599, -0.005],
    [-2.823, 12.784, 98.697, 0.566, -0.005],
    [-3.371, 15.395, 134.409, 0.443, -0.005],
    [-3.06, 16.653, 138.875, 0.823, -0.0139],
];
/// Nobody is slower than this on a slope, m/s; our choice, where the fits run out.
const SLOWEST: f64 = 0.1;

impl Pace {
    /// The nearest of the deciles 10 to 90, or Tobler's function for 0.
    pub fn of_decile(decile: f64) -> Self {
        if decile <= 0.0 {
            return Self::Tobler;
        }
        let nearest = ((decile / 10.0).round() as usize).clamp(1, 9);
        Self::Campbell(DECILES[nearest - 1])
    }

    /// Speed on a slope, rise over run along the way, m/s.
    pub fn speed(&self, slope: f64) -> f64 {
        match self {
            Self::Campbell([a, b, c, d, e]) => {
                let angle = libm::atan(slope).to_degrees();
                let off = (angle - a) / b;
                let v = c / (std::f64::consts::PI * b * (1.0 + off * off)) + d + e * angle;
                v.max(SLOWEST)
            }
            Self::Tobler => (6.0 / 3.6 * libm::exp(-3.5 * (slope + 0.05).abs())).max(SLOWEST),
        }
    }
}

/// How much longer a metre takes on slopes from −1 to 1 than on the level.
#[derive(Clone, Debug)]
pub struct SlopeTable([f32; 129]);

impl SlopeTable {
    /// The table of a pace.
    pub fn new(pace: Pace) -> Self {
        let level = pace.speed(0.0);
        Self(std::array::from_fn(|i| (level / pace.speed(i as f64 / 64.0 - 1.0)) as f32))
    }

    fn at(&self, slope: f32) -> f32 {
        let x = ((slope + 1.0) * 64.0).clamp(0.0, 127.999);
        let i = x as usize;
        self.0[i] + (self.0[i + 1] - self.0[i]) * (x - i as f32)
    }
}

/// A grid over a terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Cells along x and z.
    pub size: [usize; 2],
    /// Side of a cell, m.
    pub cell: f64,
}

impl Grid {
    /// The grid over a terrain of so many metres.
    pub fn over(size: [f64; 2], cell: f64) -> Self {
        Self { size: size.map(|m| ((m / cell - 1e-9).ceil() as usize).max(1)), cell }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.size[0] * self.size[1]
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cell of a place, kept within the grid.
    pub fn cell_of(&self, p: [f64; 2]) -> usize {
        let [i, j] = [0, 1].map(|k| ((p[k] / self.cell).max(0.0) as usize).min(self.size[k] - 1));
        j * self.size[0] + i
    }

    /// How many of `n` finer cells of that side have their middle in each column and in each row.
    pub fn counts(&self, cell: f64, n: [i32; 2]) -> [Vec<f64>; 2] {
        [0, 1].map(|k| {
            let mut counts = vec![0.0; self.size[k]];
            for i in 0..n[k] {
                let at = ((f64::from(i) + 0.5) * cell / self.cell) as usize;
                counts[at.min(self.size[k] - 1)] += 1.0;
            }
            counts
        })
    }

    /// Middle of a cell, m.
    pub fn middle(&self, cell: usize) -> [f64; 2] {
        [(cell % self.size[0]) as f64, (cell / self.size[0]) as f64].map(|i| (i + 0.5) * self.cell)
    }
}

/// What walking costs.
#[derive(Clone, Debug)]
pub struct Costs {
    /// Where.
    pub grid: Grid,
    /// Cost of a level metre in each cell; infinite where nobody can walk.
    pub metre: Vec<f32>,
    /// Rise over run along x and z in each cell; empty on level ground.
    pub slope: Vec<[f32; 2]>,
    /// What slopes make of it.
    pub table: SlopeTable,
}

impl Costs {
    /// Slopes of a terrain by its height, over the width of two cells; empty if it is level.
    pub fn slopes(grid: Grid, height: impl Fn(f64, f64) -> f64) -> Vec<[f32; 2]> {
        let h = grid.cell;
        let slopes: Vec<[f32; 2]> = (0..grid.len())
            .map(|c| {
                let [x, z] = grid.middle(c);
                let rise = |a: f64, b: f64| ((a - b) / (2.0 * h)) as f32;
                [rise(height(x + h, z), height(x - h, z)), rise(height(x, z + h), height(x, z - h))]
            })
            .collect();
        if slopes.iter().all(|s| s[0].abs() < 1e-4 && s[1].abs() < 1e-4) { Vec::new() } else { slopes }
    }

    /// Cost of a metre from a cell along a direction.
    fn along(&self, cell: usize, direction: [f32; 2]) -> f32 {
        let metre = self.metre[cell];
        match self.slope.get(cell) {
            Some(s) => metre * self.table.at(s[0] * direction[0] + s[1] * direction[1]),
            None => metre,
        }
    }
}

/// Costs to a place from everywhere.
#[derive(Clone, Debug)]
pub struct Field {
    grid: Grid,
    /// Cost from each cell; infinite where there is no way.
    pub cost: Vec<f32>,
    /// Which way to leave each cell.
    direction: Vec<[f32; 2]>,
    target: [f64; 2],
    radius: f64,
}

#[derive(PartialEq)]
struct Front(f32, u32);

impl Eq for Front {}
impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
/// The cheapest first; cells of equal cost by their place.
impl Ord for Front {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

/// The eight neighbours in turn.
const AROUND: [[i32; 2]; 8] = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];

impl Field {
    /// Solves for the costs to `target`, which is reached within `radius` m.
    pub fn solve(costs: &Costs, target: [f64; 2], radius: f64) -> Self {
        let grid = costs.grid;
        let mut field = Self {
            grid,
            cost: vec![f32::INFINITY; grid.len()],
            direction: vec![[0.0; 2]; grid.len()],
            target,
            radius,
        };
        let mut front = BinaryHeap::new();
        field.begin(costs, &mut front);
        while let Some(Front(cost, cell)) = front.pop() {
            let cell = cell as usize;
            if cost > field.cost[cell] {
                continue;
            }
            for k in 0..8 {
                if let Some(next) = field.neighbour(cell, k)
                    && costs.metre[next].is_finite()
                    && let Some((found, direction)) = field.reach(costs, next, (k + 4) % 8)
                    && found < field.cost[next] * (1.0 - 1e-6)
                {
                    field.cost[next] = found;
                    field.direction[next] = direction;
                    front.push(Front(found, next as u32));
                }
            }
        }
        field
    }

    /// A field that is still to be solved.
    pub fn unsolved(grid: Grid) -> Self {
        Self { grid, cost: Vec::new(), direction: Vec::new(), target: [0.0; 2], radius: 0.0 }
    }

    /// Cells near the target know their way.
    fn begin(&mut self, costs: &Costs, front: &mut BinaryHeap<Front>) {
        let (grid, reach) = (self.grid, 2.5 * self.grid.cell + self.radius);
        let range = |k: usize| {
            let at = |p: f64| ((p / grid.cell).max(0.0) as usize).min(grid.size[k] - 1);
            at(self.target[k] - reach)..=at(self.target[k] + reach)
        };
        for j in range(1) {
            for i in range(0) {
                let cell = j * grid.size[0] + i;
                let p = grid.middle(cell);
                let d = [self.target[0] - p[0], self.target[1] - p[1]];
                let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
                let own = cell == grid.cell_of(self.target);
                if (length > reach && !own) || !costs.metre[cell].is_finite() {
                    continue;
                }
                let direction = d.map(|x| (x / length.max(1e-9)) as f32);
                self.cost[cell] = costs.along(cell, direction) * length as f32;
                self.direction[cell] = direction;
                front.push(Front(self.cost[cell], cell as u32));
            }
        }
    }

    fn neighbour(&self, cell: usize, k: usize) -> Option<usize> {
        let [nx, nz] = self.grid.size.map(|n| n as i32);
        let (i, j) = ((cell as i32 % nx) + AROUND[k][0], (cell as i32 / nx) + AROUND[k][1]);
        (i >= 0 && j >= 0 && i < nx && j < nz).then(|| (j * nx + i) as usize)
    }

    /// The best way from `cell` over the two edges that begin at its neighbour `k`.
    fn reach(&self, costs: &Costs, cell: usize, k: usize) -> Option<(f32, [f32; 2])> {
        let mut best: Option<(f32, [f32; 2])> = None;
        let mut take = |found: (f32, [f32; 2])| {
            if best.is_none_or(|b| found.0 < b.0) {
                best = Some(found);
            }
        };
        let h = self.grid.cell as f32;
        for other in [(k + 1) % 8, (k + 7) % 8] {
            // An edge runs from a neighbour beside to one across the corner.
            let (a, b) = if k.is_multiple_of(2) { (k, other) } else { (other, k) };
            let value = |k: usize| self.neighbour(cell, k).map_or(f32::INFINITY, |c| self.cost[c]);
            let (ta, tb) = (value(a), value(b));
            let (ea, eb) = (AROUND[a], AROUND[b]);
            let across = [eb[0] - ea[0], eb[1] - ea[1]];
            let at = |share: f32| {
                let d = [ea[0] as f32 + share * across[0] as f32, ea[1] as f32 + share * across[1] as f32];
                let length = (1.0 + share * share).sqrt();
                let direction = d.map(|x| x / length);
                let rest = match share {
                    0.0 => ta,
                    1.0 => tb,
                    s => ta + s * (tb - ta),
                };
                (costs.along(cell, direction) * length * h + rest, direction)
            };
            take(at(0.0));
            take(at(1.0));
            if !(ta.is_finite() && tb.is_finite()) {
                continue;
            }
            if costs.slope.is_empty() {
                // In closed form: the front between both is a straight line.
                let (step, gain) = (costs.metre[cell] * h, ta - tb);
                if gain > 0.0 && gain * std::f32::consts::SQRT_2 < step {
                    take(at(gain / (step * step - gain * gain).sqrt()));
                }
                continue;
            }
            let tried: [f32; 5] = std::array::from_fn(|i| at(0.25 * i as f32).0);
            let least = (1..4).min_by(|&i, &j| tried[i].total_cmp(&tried[j])).unwrap_or(2);
            let (l, m, r) = (tried[least - 1], tried[least], tried[least + 1]);
            let bend = l - 2.0 * m + r;
            let shift = if bend > 0.0 { (0.5 * (l - r) / bend).clamp(-1.0, 1.0) } else { 0.0 };
            take(at((0.25 * (least as f32 + shift)).clamp(0.0, 1.0)));
        }
        best.filter(|b| b.0.is_finite())
    }

    /// Which way to go at a place, as a unit vector; none where there is no way.
    pub fn way(&self, p: [f64; 2]) -> Option<[f64; 2]> {
        let (h, [nx, nz]) = (self.grid.cell, self.grid.size);
        let [u, v] = p.map(|x| x / h - 0.5);
        let (i, j) = (u.floor(), v.floor());
        let mut sum = [0.0f64; 2];
        let mut nearest = (0.0, None);
        for (a, b) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let (x, z) = (i + a, j + b);
            if x < 0.0 || z < 0.0 || x >= nx as f64 || z >= nz as f64 {
                continue;
            }
            let cell = z as usize * nx + x as usize;
            if !self.cost[cell].is_finite() {
                continue;
            }
            let weight = (1.0 - (u - x).abs()) * (1.0 - (v - z).abs());
            let d = self.direction[cell].map(f64::from);
            sum = [sum[0] + weight * d[0], sum[1] + weight * d[1]];
            if weight > nearest.0 {
                nearest = (weight, Some(d));
            }
        }
        let length = (sum[0] * sum[0] + sum[1] * sum[1]).sqrt();
        // Between two ways that part, one is taken.
        if length > 0.5 { Some(sum.map(|x| x / length)) } else { nearest.1 }
    }

    /// The way from a place to the target, as corners half a cell apart; none if there is none.
    pub fn walk(&self, from: [f64; 2]) -> Option<Vec<[f64; 2]>> {
        self.walk_drawn(from, &[])
    }

    /// The same for somebody whom the cells draw aside by these vectors, in shares of the pull of the way itself; none also where
    /// that traps them.
    pub fn walk_drawn(&self, from: [f64; 2], pull: &[[f32; 2]]) -> Option<Vec<[f64; 2]>> {
        let h = self.grid.cell;
        let mut line = vec![from];
        let mut p = from;
        let most = 16 * (self.grid.size[0] + self.grid.size[1]) + 64;
        for _ in 0..most {
            let d = [self.target[0] - p[0], self.target[1] - p[1]];
            let left = (d[0] * d[0] + d[1] * d[1]).sqrt();
            if left <= (1.5 * h).max(self.radius) {
                line.push(self.target);
                return Some(line);
            }
            let mut way = self.way(p)?;
            if let Some(pull) = pull.get(self.grid.cell_of(p)) {
                let sum = [way[0] + f64::from(pull[0]), way[1] + f64::from(pull[1])];
                let length = (sum[0] * sum[0] + sum[1] * sum[1]).sqrt();
                way = if length > 1e-6 { sum.map(|x| x / length) } else { way };
                let size = self.grid.size;
                let inside = |k: usize| (0.0..=size[k] as f64 * h).contains(&(p[k] + 0.5 * h * way[k]));
                if !(inside(0) && inside(1)) {
                    way = self.way(p)?;
                }
            }
            p = [p[0] + 0.5 * h * way[0], p[1] + 0.5 * h * way[1]];
            // Where corners are rounded a step may end in a cell that nobody can walk.
            if !self.cost[self.grid.cell_of(p)].is_finite() {
                p = self.aside(p)?;
            }
            line.push(p);
        }
        None
    }

    /// The nearest place in a neighbouring cell that can be walked.
    fn aside(&self, p: [f64; 2]) -> Option<[f64; 2]> {
        let cell = self.grid.cell_of(p);
        let near = (0..8).filter_map(|k| self.neighbour(cell, k)).filter(|&c| self.cost[c].is_finite());
        let best = near.min_by(|&a, &b| self.cost[a].total_cmp(&self.cost[b]))?;
        let m = self.grid.middle(best);
        Some([0.5 * (p[0] + m[0]), 0.5 * (p[1] + m[1])].map(|x| x))
            .filter(|q| self.cost[self.grid.cell_of(*q)].is_finite())
            .or(Some(m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(grid: Grid, metre: impl Fn([f64; 2]) -> f32) -> Costs {
        let metre = (0..grid.len()).map(|c| metre(grid.middle(c))).collect();
        Costs { grid, metre, slope: Vec::new(), table: SlopeTable::new(Pace::of_decile(50.0)) }
    }

    #[test]
    fn ways_on_even_ground_are_straight_in_every_direction() {
        let grid = Grid { size: [101, 101], cell: 0.5 };
        let target = [25.25, 25.25];
        let field = Field::solve(&level(grid, |_| 1.0), target, 0.0);
        for turn in 0..36 {
            let angle = f64::from(turn) * std::f64::consts::TAU / 36.0;
            let from = [target[0] + 22.0 * libm::cos(angle), target[1] + 22.0 * libm::sin(angle)];
            let line = field.walk(from).expect("a way");
            let apart = |w: &[[f64; 2]]| {
                let d = [w[1][0] - w[0][0], w[1][1] - w[0][1]];
                (d[0] * d[0] + d[1] * d[1]).sqrt()
            };
            let length: f64 = line.windows(2).map(apart).sum();
            assert!((length / 22.0 - 1.0).abs() < 0.004, "{turn}: {length}");
        }
    }

    /// A walker joins a path of relative cost r at arccos r: fresh ground costs 1, the path r.
    #[test]
    fn a_path_of_relative_cost_r_is_joined_at_arccos_r() {
        let grid = Grid { size: [400, 160], cell: 0.25 };
        for r in [0.4f64, 0.5, 0.6, 0.7, 0.8, 0.9] {
            // The path runs along z = 0 to 1 m; the target lies on it, far to the right.
            let costs = level(grid, |p| if p[1] < 1.0 { r as f32 } else { 1.0 });
            let field = Field::solve(&costs, [98.0, 0.5], 0.0);
            let expected = libm::acos(r).to_degrees();
            // From where the path is worth going to.
            for from in [[10.0, 8.0], [20.0, 14.0], [30.0, 5.0]] {
                let way = field.way(from).expect("a way");
                let angle = libm::atan2(-way[1], way[0]).to_degrees();
                assert!((angle - expected).abs() < 2.0, "r = {r}: {angle}° for {expected}°");
                let line = field.walk(from).expect("a way");
                let end = line.iter().position(|p| p[1] < 1.5).expect("it joins");
                let (a, b) = (line[0], line[end]);
                let angle = libm::atan2(a[1] - b[1], b[0] - a[0]).to_degrees();
                assert!((angle - expected).abs() < 2.0, "walked, r = {r}: {angle}° for {expected}°");
            }
        }
    }

    #[test]
    fn walls_are_walked_around_and_closed_places_not_reached() {
        let grid = Grid { size: [80, 80], cell: 0.5 };
        let wall =
            level(grid, |p| if (18.0..22.0).contains(&p[0]) && p[1] < 30.0 { f32::INFINITY } else { 1.0 });
        let field = Field::solve(&wall, [30.0, 10.0], 0.0);
        let line = field.walk([10.0, 10.0]).expect("a way");
        assert!(line.iter().any(|p| p[1] > 29.5), "around the end of the wall");
        assert!(line.iter().all(|p| wall.metre[grid.cell_of(*p)].is_finite()), "never through it");
        let closed = level(grid, |p| if (18.0..22.0).contains(&p[0]) { f32::INFINITY } else { 1.0 });
        assert!(Field::solve(&closed, [30.0, 10.0], 0.0).walk([10.0, 10.0]).is_none());
    }

    #[test]
    fn steep_ground_is_avoided_and_uphill_costs_more_than_downhill() {
        let grid = Grid { size: [120, 120], cell: 0.5 };
        let hill =
            |x: f64, z: f64| 8.0 * libm::exp(-((x - 30.0) * (x - 30.0) + (z - 30.0) * (z - 30.0)) / 60.0);
        let costs = Costs { slope: Costs::slopes(grid, hill), ..level(grid, |_| 1.0) };
        let line = Field::solve(&costs, [55.0, 30.0], 0.0).walk([5.0, 30.5]).expect("a way");
        let highest = line.iter().map(|p| hill(p[0], p[1])).fold(0.0, f64::max);
        assert!(highest < 4.0, "around the hill, not over its top of 8 m: {highest}");
        let ramp = Costs { slope: Costs::slopes(grid, |x, _| 0.3 * x), ..level(grid, |_| 1.0) };
        let (up, down) = (Field::solve(&ramp, [55.0, 30.0], 0.0), Field::solve(&ramp, [5.0, 30.0], 0.0));
        let cost = |f: &Field, p: [f64; 2]| f.cost[grid.cell_of(p)];
        assert!(cost(&up, [5.0, 30.0]) > 1.1 * cost(&down, [55.0, 30.0]));
    }

    #[test]
    fn speeds_are_those_of_the_sources() {
        // Campbell 2019, median: about 1.27 m/s downhill at its best, at −2.2°; Tobler: 5.04 km/h on the level.
        assert!((Pace::of_decile(50.0).speed(0.0) - 2.55).abs() < 1.4);
        assert!((Pace::Tobler.speed(0.0) * 3.6 - 5.04).abs() < 0.01);
        let median = Pace::of_decile(50.0);
        assert!(median.speed(libm::tan((-2.2f64).to_radians())) > median.speed(0.0));
    }
}
