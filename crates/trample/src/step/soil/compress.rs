//! Compression under a rigid sole (DF-9..11, TR-9,10; Bekker–Wong as another law).
//!
//! In: the stamp, the ground under it, the load. Out: how far the sole sinks in this step and the ground it carves.
//!
//! Each cell carries `E·c/L0` once it is compressed by `c` (Hooke, DF §5.1), so a rigid sole sinks until the cells
//! under it carry the load together. Under a flat sole on even ground that is the papers' `ΔL = σ·L0/E` with
//! `σ = F/A`; under a sphere, lugs, or a sole half on sand and half in snow, it stays a rigid
//! sole, which the papers' even pressure does not (test `a_sole_over_two_materials_stays_rigid`).
//!
//! Force and pose alone say how deep: the sole is solved on the ground as it was before anybody trod on it, and a cell
//! keeps the deepest compression that any moment of any step has asked of it. So the papers' laws are monotone in pressure
//! and not in passes: a step repeated changes nothing (test `the_hundredth_identical_walk_leaves_what_the_first_left`), and prints
//! converge with cell size and frame rate over any number of passes. A sole solved on the trodden ground instead rests on
//! the few cells that its later roll left high, and goes deeper with every pass.
//!
//! The way there is DF-11: `ΔL·dt/τ` a step, never beyond `ΔL`. In forces: the ground has yielded to a load `Q` that grows by
//! `F·dt/τ` and never exceeds `F`; the foot carries it from step to step. Under a flat sole that is DF-11 to the letter, and
//! whatever its shape a sole carves `F·L0/(E·τ)` cubic metres a second on its way (test
//! `a_sole_of_any_shape_carves_as_fast_as_its_force_says`). Compression only grows.

use super::super::contact::FootScratch;
use super::Space;
use super::bear::Frame;
use crate::params::Law;
use crate::scene::Hold;
use crate::state::Ground;
use crate::state::tile::NANO;

/// The cells under a stamp as the sole feels them, one array per quantity. Heights are of the sole's origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    /// Height at which the sole would lie at the cell's original height, m.
    level: Vec<f64>,
    /// Deepest compression the cell allows, m.
    deepest: Vec<f64>,
    /// Metres of compression under the covered share per stored unit, which is the mean of the cell.
    local: Vec<f64>,
    /// Force per metre of compression, N/m; Bekker: force at 1 m.
    stiffness: Vec<f64>,
    /// Bekker's exponent; empty under Hooke.
    exponent: Vec<f64>,
    /// Whether the cell lies before the ball.
    toes: Vec<bool>,
    /// Whether the arrays belong to the present stamp.
    ready: bool,
}

impl Work {
    /// The stamp is new.
    pub(crate) fn forget(&mut self) {
        self.ready = false;
    }
}

/// Sinks the sole, carves the cells, fills in the outcome. `yielded` is the load to which the ground has yielded so far in
/// this stance, N; `given` the height of a sole that its host holds, m.
pub(crate) fn run(
    f: &mut FootScratch,
    ground: &Ground,
    hold: Hold,
    given: f64,
    yielded: f64,
    space: &mut Space,
) {
    let load = f.load;
    f.press.outcome.changed = f.bounds;
    if !f.press.compress.ready {
        bed(f, ground);
    }
    let work = &f.press.compress;
    // The rate of DF-11, in forces; SW has none.
    let yielding = (yielded + load.normal_mean * load.seconds / f.characteristic_time).min(load.normal_peak);
    let mut height = match ground.law {
        Law::SoftWalks => depth_target(f, ground),
        _ => bearing_target(work, yielding),
    };
    f.press.outcome.yielded = yielding;
    if hold == Hold::Free {
        // The host holds the sole: the ground does not yield below it, and it may hover within the tolerance.
        height = height.max(given - ground.tolerance);
    }
    // Ground that cannot move aside, because there is no room left for it, does not yield either.
    if f.press.outcome.carry >> 32 > 0 {
        height = f64::MAX;
        f.press.outcome.yielded = yielded;
    }
    carve(f, ground, height, space);
}

/// Share of the load that the cells before the ball carry, 0..1: what each carries is its stiffness times its depth.
fn toe_share(w: &Work, height: f64) -> f64 {
    let (mut toes, mut all) = (0.0, 0.0);
    for i in 0..w.level.len() {
        let depth = w.level[i] - height;
        if depth > 0.0 {
            let carried =
                w.stiffness[i] * if w.exponent.is_empty() { depth } else { libm::pow(depth, w.exponent[i]) };
            all += carried;
            toes += if w.toes[i] { carried } else { 0.0 };
        }
    }
    if all > 0.0 { toes / all } else { 0.0 }
}

/// Looks up what lies under each cell of the stamp and does not change while it stands.
fn bed(f: &mut FootScratch, ground: &Ground) {
    let cell_area = ground.cell * ground.cell;
    let (width, frame) = (contact_width(f, ground), Frame::of(f));
    let datum = f.patch.datum as f64 / NANO;
    let w = &mut f.press.compress;
    for list in [&mut w.level, &mut w.deepest, &mut w.local, &mut w.stiffness, &mut w.exponent] {
        list.clear();
    }
    w.toes.clear();
    for u in &f.stamp {
        let k = u.k as usize;
        w.toes.push(frame.place(ground.centre(u.x), ground.centre(u.z))[2] > 0.0);
        let material = &ground.materials[f.patch.material[k] as usize];
        let area = f64::from(u.coverage) * cell_area;
        // Roots stiffen the ground: E = E_g + α_veg·E_v0 (TR-9). Bekker's pressure grows by the same share, our choice.
        let roots = if ground.cover.is_empty() { 0.0 } else { ground.cover.root_modulus(u.x, u.z) };
        w.level.push(datum + f64::from(f.patch.base[k]) / NANO - f64::from(u.rise));
        w.deepest.push(material.deepest());
        w.local.push(1.0 / (NANO * f64::from(u.coverage)));
        if ground.law == Law::BekkerWong {
            let firmer = 1.0 + roots / material.youngs_modulus;
            w.stiffness.push(area * material.bekker.pressure(1.0, width) * firmer);
            w.exponent.push(material.bekker.exponent);
        } else {
            w.stiffness.push(area * (material.youngs_modulus + roots) / material.layer);
        }
    }
    w.ready = true;
}

/// The smaller side of the contact for Bekker's `b`, m: that of the rectangle of the same area whose sides have the ratio of the
/// contact's spread along and across the foot. Exact for a rectangle, however it is turned on the map.
fn contact_width(f: &FootScratch, ground: &Ground) -> f64 {
    if ground.law != Law::BekkerWong {
        return 1.0;
    }
    let frame = Frame::of(f);
    // Sums of 1, u, v, u², v² over the covered area; a cell is a square with a spread of its own.
    let mut sums = [0.0; 5];
    let own = ground.cell * ground.cell / 12.0;
    for cell in &f.stamp {
        let [u, v, _] = frame.place(ground.centre(cell.x), ground.centre(cell.z));
        for (sum, term) in sums.iter_mut().zip([1.0, u, v, u * u + own, v * v + own]) {
            *sum += f64::from(cell.coverage) * term;
        }
    }
    let [covered, u, v, uu, vv] = sums;
    let spread =
        |square: f64, mean: f64| (square / covered - (mean / covered) * (mean / covered)).max(own).sqrt();
    let (along, across) = (spread(uu, u), spread(vv, v));
    let slender = along.min(across) / along.max(across);
    ((covered * slender).sqrt() * ground.cell).max(0.01)
}

/// What the cells carry together when the sole's origin is at `y`, N, and how fast that grows downwards, N/m.
fn bearing(w: &Work, y: f64) -> (f64, f64) {
    if w.exponent.is_empty() {
        return linear_bearing(&w.level, &w.stiffness, y);
    }
    let (mut force, mut slope) = (0.0, 0.0);
    for i in 0..w.level.len() {
        let depth = w.level[i] - y;
        if depth > 0.0 {
            let p = w.stiffness[i] * libm::pow(depth, w.exponent[i]);
            force += p;
            slope += p * w.exponent[i] / depth;
        }
    }
    (force, slope)
}

/// Hooke's part of it, in four sums side by side: it is run a few times per foot and step.
fn linear_bearing(level: &[f64], stiffness: &[f64], y: f64) -> (f64, f64) {
    let (mut force, mut slope) = ([0.0; 4], [0.0; 4]);
    let mut add = |lane: usize, level: f64, stiffness: f64| {
        let depth = level - y;
        let k = if depth > 0.0 { stiffness } else { 0.0 };
        force[lane] += k * depth;
        slope[lane] += k;
    };
    let whole = level.len() / 4 * 4;
    for (l, s) in level.chunks_exact(4).zip(stiffness.chunks_exact(4)) {
        for lane in 0..4 {
            add(lane, l[lane], s[lane]);
        }
    }
    for i in whole..level.len() {
        add(i - whole, level[i], stiffness[i]);
    }
    let sum = |x: [f64; 4]| (x[0] + x[1]) + (x[2] + x[3]);
    (sum(force), sum(slope))
}

/// A covered share below which a cell cannot hold a sole up.
pub(crate) const SLIVER: f32 = 0.1;

/// The height to which `force` sinks the sole into fresh ground: the highest at which the cells carry it, or where the
/// layer is used up.
fn bearing_target(w: &Work, force: f64) -> f64 {
    let top = w.level.iter().fold(f64::MIN, |a, b| a.max(*b));
    let floor = w.level.iter().zip(&w.deepest).map(|(l, d)| l - d).fold(f64::MIN, f64::max);
    if bearing(w, floor).0 < force {
        return floor;
    }
    // In straight pieces under Hooke; Newton within a bracket lands in a few steps.
    let (mut high, mut low) = (top, floor);
    let mut y = low;
    for _ in 0..60 {
        let (carried, slope) = bearing(w, y);
        if (carried - force).abs() <= 1e-9 * force {
            return y;
        }
        if carried >= force {
            low = y;
        } else {
            high = y;
        }
        if high - low < 1e-10 {
            break;
        }
        y = if slope > 0.0 { y + (carried - force) / slope } else { f64::MAX };
        if !(y > low && y < high) {
            y = 0.5 * (low + high);
        }
    }
    low
}

/// SW: down to a depth given per material, whatever the load.
fn depth_target(f: &FootScratch, ground: &Ground) -> f64 {
    let cells = f.stamp.iter().zip(&f.press.compress.level);
    let down = cells.map(|(u, level)| {
        let material = &ground.materials[f.patch.material[u.k as usize] as usize];
        level - material.carve_depth.min(material.deepest())
    });
    down.fold(f64::MIN, f64::max)
}

/// Carves every cell down to a sole at `goal`, where it is not deeper already; compression is stored as the mean over the
/// cell. The sole then rests on the highest of its cells: on `goal`, or in an older print below it.
fn carve(f: &mut FootScratch, ground: &Ground, goal: f64, space: &mut Space) {
    let Space { firm, cells, .. } = space;
    let (outcome, work, load) = (&mut f.press.outcome, &f.press.compress, &f.load);
    firm.clear();
    let (mut rest, mut highest) = (f64::MIN, f64::MIN);
    for (i, u) in f.stamp.iter().enumerate() {
        let k = u.k as usize;
        let level = work.level[i];
        // What is stored is the mean of the cell. It was pressed over some share of it, or is over the share covered now.
        // Loose material carries nothing: the sole goes through it to the firm ground, at once.
        let pressed = f32::from(cells.pressed[k]) * (1.0 / 255.0);
        let mean = f64::from(cells.compression[k]);
        let compressed =
            if pressed > u.coverage { mean / (NANO * f64::from(pressed)) } else { mean * work.local[i] };
        let mut here = level - compressed.min(work.deepest[i]);
        if goal < here {
            let depth = (level - goal).min(work.deepest[i]);
            let wanted = (depth / work.local[i] + 0.5) as i32;
            let gain = wanted - cells.compression[k];
            if gain > 0 {
                let material = &ground.materials[f.patch.material[k] as usize];
                cells.compression[k] = wanted;
                // Rounded down, so that the same sole finds what it left.
                cells.pressed[k] = cells.pressed[k].max((u.coverage * 255.0) as u8);
                outcome.carved += i64::from(gain);
                outcome.owed += f64::from(gain) * material.displaced_share(ground.law);
                // In 2⁻³² the share of any printed ratio is right to a billionth.
                let share = (material.displaced_share(ground.law) * 4_294_967_296.0).round() as i64;
                outcome.carry += i128::from(i64::from(gain) * share);
            }
            here = level - depth;
        }
        firm.push(here);
        highest = if here > highest { here } else { highest };
        // A sliver of a cell gives way before it could hold a sole up.
        if u.coverage >= SLIVER && here > rest {
            rest = here;
        }
    }
    let height = if rest == f64::MIN { highest } else { rest };
    let touches = |i: usize| height <= firm[i] + ground.tolerance;
    let covered: f64 = (0..firm.len()).filter(|&i| touches(i)).map(|i| f64::from(f.stamp[i].coverage)).sum();
    let cell_area = ground.cell * ground.cell;
    // A sliver of a cell says that something touches, not how little: pressures are resolved down to one cell.
    let pressure = if covered > 0.0 { load.normal_mean / (covered.max(1.0) * cell_area) } else { 0.0 };
    let mut depths = 0.0;
    for (i, u) in f.stamp.iter().enumerate() {
        let k = u.k as usize;
        let depth = work.level[i] - height;
        if touches(i) {
            cells.pressure_time[k] += (pressure * load.seconds * f64::from(u.coverage)) as f32;
            depths += f64::from(u.coverage) * depth.max(0.0);
        }
        // What lies in a print that is deeper than this sole goes stays there: it fills it.
        outcome.take_loose(cells, u, firm[i] - height);
    }
    outcome.area = covered * cell_area;
    outcome.pressure = pressure;
    outcome.height = height;
    outcome.toe_share = toe_share(work, goal.min(height));
    outcome.depth = if covered > 0.0 { depths / covered } else { 0.0 };
}
