//! Compression under a rigid sole (DF-9..11, TR-9,10, §4; Bekker–Wong as another law).
//!
//! In: the stamp, the ground under it, the load. Out: how far the sole sinks in this step and the ground it carves.
//!
//! Each cell carries `E·c/L0` once it is compressed by `c` (Hooke, DF §5.1), so a rigid sole sinks until the cells
//! under it carry the load together. Under a flat sole on even ground that is the papers' `ΔL = σ·L0/E` with
//! `σ = F/A`; under a sphere, lugs, a sole half on sand and half in snow, or half in an old print, it stays a rigid
//! sole, which the papers' even pressure does not (test `a_sole_over_two_materials_stays_rigid`).
//! The way there is DF-11: `ΔL·dt/τ` a step, never beyond `ΔL`. Compression only grows.

use super::super::contact::{FootScratch, MOSTLY};
use crate::params::Law;
use crate::state::tile::NANO;
use crate::state::{Ground, Hold};

/// A cell as the sole feels it.
#[derive(Clone, Copy, Debug)]
struct Bed {
    /// Sole origin's height at which the sole would lie at the cell's original height, m.
    level: f64,
    /// Sole origin's height at which the sole meets the compressed ground, m.
    firm: f64,
    /// Sole origin's height at which the sole meets the surface, loose material included, m.
    top: f64,
    /// Sole origin's height at which the layer is used up, m.
    floor: f64,
    /// Covered area, m².
    area: f64,
    /// Pressure per metre of compression, Pa/m; Bekker: pressure at 1 m.
    stiffness: f64,
    /// Bekker's exponent; 1 for Hooke.
    exponent: f64,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    beds: Vec<Bed>,
}

/// Sinks the sole, carves the cells, fills in the outcome.
pub(crate) fn run(f: &mut FootScratch, ground: &Ground, hold: Hold, given: f64) {
    let load = f.press.load;
    f.press.outcome.changed = f.bounds;
    bed(f, ground);
    let beds = &f.press.compress.beds;
    // Loose material carries nothing: the sole goes through it to the firm ground, at once.
    let rest = beds.iter().map(|b| b.firm).fold(f64::MIN, f64::max);
    let target = match ground.law {
        Law::SoftWalks => depth_target(f, ground, rest),
        _ => bearing_target(beds, load.normal_peak, rest),
    };
    // The compression that the load asks for in the end, whatever has been reached: ΔL of DF-11.
    let asked = beds.iter().filter(|b| target <= b.firm).map(|b| b.level - target).fold(0.0, f64::max);
    let eased = match ground.law {
        Law::SoftWalks => 1.0,
        _ if load.normal_peak > 0.0 => load.normal_mean / load.normal_peak,
        _ => 0.0,
    };
    let sink = (load.seconds / f.characteristic_time * asked * eased).min(rest - target).max(0.0);
    let mut height = rest - sink;
    if hold == Hold::Free {
        // The host holds the sole: the ground does not yield below it, and it may hover within the tolerance.
        height = height.max(given - ground.tolerance).min(rest.max(given - ground.tolerance));
    }
    let height = height;
    let area: f64 = beds.iter().filter(|b| height <= b.firm + ground.tolerance).map(|b| b.area).sum();
    let pressure = if area > 0.0 { load.normal_mean / area } else { 0.0 };
    f.press.outcome.area = area;
    f.press.outcome.pressure = pressure;
    f.press.outcome.height = height;
    carve(f, ground, height, pressure * load.seconds);
}

/// Looks up what lies under each cell of the stamp.
fn bed(f: &mut FootScratch, ground: &Ground) {
    let cell_area = ground.cell * ground.cell;
    let width = contact_width(f, ground);
    let datum = f.patch.datum as f64 / NANO;
    let beds = &mut f.press.compress.beds;
    beds.clear();
    for u in &f.stamp {
        let k = u.k as usize;
        let material = &ground.materials[f.patch.material[k] as usize];
        let coverage = f64::from(u.coverage);
        // Compression is stored as the mean of the cell; under the covered share alone it is that much more.
        let deepest = material.deepest();
        let compressed = (f64::from(f.patch.compression[k]) / NANO / coverage).min(deepest);
        let loose = if u.coverage >= MOSTLY { f64::from(f.patch.accumulation[k]) / NANO } else { 0.0 };
        let level = datum + f64::from(f.patch.base[k]) / NANO - f64::from(u.rise);
        let (stiffness, exponent) = match ground.law {
            Law::BekkerWong => (material.bekker.pressure(1.0, width), material.bekker.exponent),
            _ => (material.youngs_modulus / material.layer, 1.0),
        };
        beds.push(Bed {
            level,
            firm: level - compressed,
            top: level - compressed + loose,
            floor: level - deepest,
            area: coverage * cell_area,
            stiffness,
            exponent,
        });
    }
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
fn bearing(beds: &[Bed], y: f64) -> (f64, f64) {
    let (mut force, mut slope) = (0.0, 0.0);
    for b in beds {
        let depth = b.level - y;
        let meets = y <= b.firm + MEETS && depth > 0.0;
        let k = if meets { b.area * b.stiffness } else { 0.0 };
        if b.exponent == 1.0 {
            force += k * depth;
            slope += k;
        } else if meets {
            let p = k * libm::pow(depth, b.exponent);
            force += p;
            slope += p * b.exponent / depth;
        }
    }
    (force, slope)
}

/// Rounding allowed when a sole meets ground that was compressed by the same sole, m: one stored unit over a sliver.
const MEETS: f64 = 5e-8;

/// The height to which the load sinks the sole: the highest at which the cells carry `force`, or where the layer
/// is used up.
fn bearing_target(beds: &[Bed], force: f64, rest: f64) -> f64 {
    let floor = beds.iter().map(|b| b.floor).fold(f64::MIN, f64::max).min(rest);
    let (carried, slope) = bearing(beds, rest);
    if carried >= force {
        return rest;
    }
    if bearing(beds, floor).0 < force {
        return floor;
    }
    // Bearing grows downwards, in straight pieces under Hooke; Newton within a bracket lands in two or three steps.
    let (mut high, mut low) = (rest, floor);
    let mut y = if slope > 0.0 { rest - (force - carried) / slope } else { 0.5 * (high + low) };
    for _ in 0..60 {
        if !(y > low && y < high) {
            y = 0.5 * (low + high);
        }
        let (carried, slope) = bearing(beds, y);
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

/// SW: down to a depth given per material, whatever the load.
fn depth_target(f: &FootScratch, ground: &Ground, rest: f64) -> f64 {
    let mut target = f64::MIN;
    for (u, b) in f.stamp.iter().zip(&f.press.compress.beds) {
        let material = &ground.materials[f.patch.material[u.k as usize] as usize];
        target = target.max(b.level - material.carve_depth.min(material.deepest()));
    }
    target.min(rest)
}

/// Carves every cell down to the sole at `height`; compression is stored as the mean over the cell.
fn carve(f: &mut FootScratch, ground: &Ground, height: f64, pressure_time: f64) {
    let outcome = &mut f.press.outcome;
    let (mut covered, mut depths) = (0.0, 0.0);
    for (u, b) in f.stamp.iter().zip(&f.press.compress.beds) {
        let k = u.k as usize;
        if height > b.top + ground.tolerance {
            continue;
        }
        let coverage = f64::from(u.coverage);
        let depth = b.level - height;
        if height <= b.firm + ground.tolerance {
            f.patch.pressure_time[k] += (pressure_time * coverage) as f32;
            covered += coverage;
            depths += coverage * depth.max(0.0);
        }
        if depth > 0.0 {
            let material = &ground.materials[f.patch.material[k] as usize];
            let wanted = (coverage * depth.min(material.deepest()) * NANO).round() as i32;
            let gain = (wanted - f.patch.compression[k]).max(0);
            f.patch.compression[k] += gain;
            outcome.carved += i64::from(gain);
            outcome.owed += f64::from(gain) * material.displaced_share(ground.law);
            // 2⁻³² is fine enough that a share is exact for any printed ratio.
            let share = (material.displaced_share(ground.law) * 4_294_967_296.0).round() as i128;
            outcome.carry += i128::from(gain) * share;
        }
        if u.coverage >= MOSTLY {
            // Loose material above the sole is taken along whole.
            let left = ((-depth).max(0.0) * NANO).round() as i32;
            let taken = (f.patch.accumulation[k] - left).max(0);
            f.patch.accumulation[k] -= taken;
            outcome.loose += i64::from(taken);
        }
    }
    outcome.depth = if covered > 0.0 { depths / covered } else { 0.0 };
}
