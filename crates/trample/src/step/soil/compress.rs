//! Compression under a rigid sole (DF-9..11, TR-9,10, §4; Bekker–Wong as another law).
//!
//! In: the stamp, the ground under it, the load. Out: how far the sole sinks in this step and the ground it carves.
//!
//! Each cell carries `E·c/L0` once it is compressed by `c` (Hooke, DF §5.1), so a rigid sole sinks until the cells
//! under it carry the load together. Under a flat sole on even ground that is the papers' `ΔL = σ·L0/E` with
//! `σ = F/A`; under a sphere, lugs, a sole half on sand and half in snow, or half in an old print, it stays a rigid
//! sole, which the papers' even pressure does not (test `a_sole_over_two_materials_stays_rigid`).
//! The way there is DF-11: `ΔL·dt/τ` a step, never beyond `ΔL`. For a rigid sole that is a second resistance: a cell that
//! is compressed by `dc` in `dt` carries `E/L0·dc·τ/dt`, and the sole sinks no faster than its cells let it together. Under a flat
//! sole both are DF-11 to the letter; a sole that rolls on to fresh ground is not held up by its first sliver of a cell, and
//! whatever its shape it carves `F·L0/(E·τ)` cubic metres a second on its way (test
//! `a_sole_of_any_shape_carves_as_fast_as_its_force_says`). Compression only grows.

use super::super::contact::{FootScratch, MOSTLY};
use super::Space;
use crate::params::Law;
use crate::state::tile::NANO;
use crate::state::{Ground, Hold};

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

/// Sinks the sole, carves the cells, fills in the outcome.
pub(crate) fn run(
    f: &mut FootScratch,
    ground: &Ground,
    hold: Hold,
    given: f64,
    stood: f64,
    space: &mut Space,
) {
    let load = f.press.load;
    f.press.outcome.changed = f.bounds;
    if !f.press.compress.ready {
        bed(f, ground);
    }
    let work = &f.press.compress;
    // Loose material carries nothing: the sole goes through it to the firm ground, at once.
    let (firm, cells) = (&mut space.firm, &mut space.cells);
    let n = f.stamp.len();
    firm.resize(n, 0.0);
    let (level, deepest, local) = (&work.level[..n], &work.deepest[..n], &work.local[..n]);
    let mut rest = f64::MIN;
    for i in 0..n {
        let u = &f.stamp[i];
        let mean = f64::from(cells.compression[u.k as usize]);
        // What is stored is the mean of the cell. It was pressed over some share of it, or is over the share covered now.
        let pressed = f32::from(cells.pressed[u.k as usize]) * (1.0 / 255.0);
        let compressed =
            if pressed > u.coverage { mean / (NANO * f64::from(pressed)) } else { mean * local[i] };
        let here = level[i] - if compressed < deepest[i] { compressed } else { deepest[i] };
        firm[i] = here;
        // A sliver of a cell gives way before it could hold a sole up.
        if u.coverage >= SLIVER {
            rest = if here > rest { here } else { rest };
        }
    }
    if rest == f64::MIN {
        rest = firm.iter().fold(f64::MIN, |a, b| a.max(*b));
    }
    // A foot that has not moved goes on from where it stood: between uneven cells that is deeper than it would rest anew.
    if f.same && stood < rest {
        rest = stood;
    }
    let target = match ground.law {
        Law::SoftWalks => depth_target(f, ground, rest),
        _ => bearing_target(work, firm, load.normal_peak, rest),
    };
    let mut height = rest;
    // Ground that cannot move aside, because there is no room left for it, does not yield either.
    if target < rest && f.press.outcome.carry >> 32 <= 0 {
        height = match ground.law {
            Law::SoftWalks => target,
            _ => target.max(viscous_target(
                work,
                firm,
                load.normal_mean,
                load.seconds / f.characteristic_time,
                rest,
            )),
        };
    }
    if hold == Hold::Free {
        // The host holds the sole: the ground does not yield below it, and it may hover within the tolerance.
        height = height.max(given - ground.tolerance);
    }
    let touching = firm.iter().zip(&f.stamp).filter(|(firm, _)| height <= **firm + ground.tolerance);
    let area: f64 = touching.map(|(_, u)| f64::from(u.coverage)).sum::<f64>() * ground.cell * ground.cell;
    // A sliver of a cell says that something touches, not how little: pressures are resolved down to one cell.
    let pressure = if area > 0.0 { load.normal_mean / area.max(ground.cell * ground.cell) } else { 0.0 };
    f.press.outcome.area = area;
    f.press.outcome.pressure = pressure;
    f.press.outcome.height = height;
    f.press.outcome.toe_share = toe_share(work, firm, height);
    carve(f, ground, height, (rest - height).max(0.0), pressure * load.seconds, space);
}

/// Share of the load that the cells before the ball carry, 0..1: what each carries is its stiffness times its depth.
fn toe_share(w: &Work, firm: &[f64], height: f64) -> f64 {
    let (mut toes, mut all) = (0.0, 0.0);
    for i in 0..firm.len() {
        let depth = w.level[i] - height;
        if height <= firm[i] + MEETS && depth > 0.0 {
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
    let width = contact_width(f, ground);
    let datum = f.patch.datum as f64 / NANO;
    let w = &mut f.press.compress;
    for list in [&mut w.level, &mut w.deepest, &mut w.local, &mut w.stiffness, &mut w.exponent] {
        list.clear();
    }
    w.toes.clear();
    // Along the foot on the map, from its middle; the ball where the sole's forefoot begins.
    let pose = f.stamped.unwrap_or_default();
    let ahead = pose.rotation * glam::Vec3::X;
    let (ahead_x, ahead_z) = (f64::from(ahead.x), f64::from(ahead.z));
    let ball = f.ball * (ahead_x * ahead_x + ahead_z * ahead_z);
    let (x0, z0) = (f64::from(pose.position.x), f64::from(pose.position.z));
    for u in &f.stamp {
        let k = u.k as usize;
        let x = ground.centre(f.patch.rect.x0 + (k % f.patch.nx) as i32) - x0;
        let z = ground.centre(f.patch.rect.z0 + (k / f.patch.nx) as i32) - z0;
        w.toes.push(x * ahead_x + z * ahead_z > ball);
        let material = &ground.materials[f.patch.material[k] as usize];
        let area = f64::from(u.coverage) * cell_area;
        // Roots stiffen the ground: E = E_g + α_veg·E_v0 (TR-9). Bekker's pressure grows by the same share, our choice.
        let roots = if ground.cover.is_empty() {
            0.0
        } else {
            let (x, z) =
                (f.patch.rect.x0 + (k % f.patch.nx) as i32, f.patch.rect.z0 + (k / f.patch.nx) as i32);
            ground.cover.root_modulus(x, z)
        };
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

/// The smaller side of the contact for Bekker's `b`, m: its area over its length along the foot.
fn contact_width(f: &FootScratch, ground: &Ground) -> f64 {
    if ground.law != Law::BekkerWong {
        return 1.0;
    }
    let covered: f64 = f.stamp.iter().map(|u| f64::from(u.coverage)).sum();
    let (w, h) = (f64::from(f.bounds.x1 - f.bounds.x0), f64::from(f.bounds.z1 - f.bounds.z0));
    let length = (w * w + h * h).sqrt().min(w.max(h) * 1.2);
    (covered / length * ground.cell).max(0.01)
}

/// What the cells carry together when the sole's origin is at `y`, N, and how fast that grows downwards, N/m.
fn bearing(w: &Work, firm: &[f64], y: f64) -> (f64, f64) {
    if w.exponent.is_empty() {
        return linear_bearing(&w.level, firm, &w.stiffness, y);
    }
    let (mut force, mut slope) = (0.0, 0.0);
    for i in 0..w.level.len() {
        let depth = w.level[i] - y;
        if y <= firm[i] + MEETS && depth > 0.0 {
            let p = w.stiffness[i] * libm::pow(depth, w.exponent[i]);
            force += p;
            slope += p * w.exponent[i] / depth;
        }
    }
    (force, slope)
}

/// Hooke's part of it, in four sums side by side: it is run a few times per foot and step.
fn linear_bearing(level: &[f64], firm: &[f64], stiffness: &[f64], y: f64) -> (f64, f64) {
    let (mut force, mut slope) = ([0.0; 4], [0.0; 4]);
    let mut add = |lane: usize, level: f64, firm: f64, stiffness: f64| {
        let depth = level - y;
        let k = if (y <= firm + MEETS) & (depth > 0.0) { stiffness } else { 0.0 };
        force[lane] += k * depth;
        slope[lane] += k;
    };
    let whole = level.len() / 4 * 4;
    let chunks = level.chunks_exact(4).zip(firm.chunks_exact(4)).zip(stiffness.chunks_exact(4));
    for ((l, f), s) in chunks {
        for lane in 0..4 {
            add(lane, l[lane], f[lane], s[lane]);
        }
    }
    for i in whole..level.len() {
        add(i - whole, level[i], firm[i], stiffness[i]);
    }
    let sum = |x: [f64; 4]| (x[0] + x[1]) + (x[2] + x[3]);
    (sum(force), sum(slope))
}

/// A covered share below which a cell cannot hold a sole up.
const SLIVER: f32 = 0.1;
/// Rounding allowed when a sole meets ground that was compressed by the same sole, m: one stored unit over a sliver.
const MEETS: f64 = 5e-8;

/// The height to which the load sinks the sole: the highest at which the cells carry `force`, or where the layer
/// is used up.
fn bearing_target(w: &Work, firm: &[f64], force: f64, rest: f64) -> f64 {
    let floor = w.level.iter().zip(&w.deepest).map(|(l, d)| l - d).fold(f64::MIN, f64::max).min(rest);
    where_carried(|y| bearing(w, firm, y), force, rest, floor)
}

/// The highest place between `rest` and `floor` at which `bearing`, which grows downwards, is `force`. Gives force and slope.
fn where_carried(bearing: impl Fn(f64) -> (f64, f64), force: f64, rest: f64, floor: f64) -> f64 {
    let (carried, slope) = bearing(rest);
    if carried >= force {
        return rest;
    }
    if bearing(floor).0 < force {
        return floor;
    }
    // In straight pieces under Hooke; Newton within a bracket lands in two or three steps.
    let (mut high, mut low) = (rest, floor);
    let mut y = if slope > 0.0 { rest - (force - carried) / slope } else { 0.5 * (high + low) };
    for _ in 0..60 {
        if !(y > low && y < high) {
            y = 0.5 * (low + high);
        }
        let (carried, slope) = bearing(y);
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
        y = if slope > 0.0 { y + (carried - force) / slope } else { 0.5 * (low + high) };
    }
    low
}

/// How far down a sole gets in `share` of the characteristic time: where the resistance of its cells to being compressed so
/// fast, `E/L0·dc·τ/dt` each, is the force.
fn viscous_target(w: &Work, firm: &[f64], force: f64, share: f64, rest: f64) -> f64 {
    // Down to the highest of any cell is free: those are slivers.
    let resistance = |y: f64| {
        if w.exponent.is_empty() {
            return linear_bearing(firm, firm, &w.stiffness, y);
        }
        let (mut sum, mut slope) = (0.0, 0.0);
        for i in 0..firm.len() {
            let fast = (firm[i] - y) / share;
            if fast > 0.0 {
                let p = w.stiffness[i] * libm::pow(fast, w.exponent[i]);
                sum += p;
                slope += p * w.exponent[i] / (firm[i] - y);
            }
        }
        (sum, slope)
    };
    let wanted = if w.exponent.is_empty() { force * share } else { force };
    let floor = w.level.iter().zip(&w.deepest).map(|(l, d)| l - d).fold(f64::MIN, f64::max).min(rest);
    where_carried(resistance, wanted, rest, floor)
}

/// SW: down to a depth given per material, whatever the load.
fn depth_target(f: &FootScratch, ground: &Ground, rest: f64) -> f64 {
    let mut target = f64::MIN;
    for (u, level) in f.stamp.iter().zip(&f.press.compress.level) {
        let material = &ground.materials[f.patch.material[u.k as usize] as usize];
        target = target.max(level - material.carve_depth.min(material.deepest()));
    }
    target.min(rest)
}

/// Carves every cell down to the sole at `height`; compression is stored as the mean over the cell.
fn carve(
    f: &mut FootScratch,
    ground: &Ground,
    height: f64,
    sunk: f64,
    pressure_time: f64,
    space: &mut Space,
) {
    let Space { firm, cells, .. } = space;
    let outcome = &mut f.press.outcome;
    let work = &f.press.compress;
    let (mut covered, mut depths) = (0.0, 0.0);
    for (i, u) in f.stamp.iter().enumerate() {
        let k = u.k as usize;
        let depth = work.level[i] - height;
        if height <= firm[i] + ground.tolerance {
            cells.pressure_time[k] += (pressure_time * f64::from(u.coverage)) as f32;
            covered += f64::from(u.coverage);
            depths += f64::from(u.coverage) * if depth > 0.0 { depth } else { 0.0 };
        }
        if height < firm[i] && depth > 0.0 {
            let depth = if depth < work.deepest[i] { depth } else { work.deepest[i] };
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
        }
        if u.coverage >= MOSTLY && cells.accumulation[k] > 0 {
            // Loose material above the sole is taken along whole.
            let left = ((-depth).max(0.0) * NANO + 0.5) as i32;
            let taken = (cells.accumulation[k] - left).max(0);
            cells.accumulation[k] -= taken;
            outcome.loose += i64::from(taken);
        }
    }
    // The mean over the step: half-way between where the sole was and where it is now.
    outcome.depth = if covered > 0.0 { (depths / covered - 0.5 * sunk).max(0.0) } else { 0.0 };
}
