//! The tread of a trail: where feet went, how deep it lies, how high the ground beside it, how wide it is.

use serde_json::{Value, json};
use trample::{Law, Map, World};

/// Squares trodden less than this share of the median trodden square belong to the edge, not to the tread. Our choice.
const EDGE: f64 = 0.25;

/// A square of the ground, [`trample::SQUARE`] wide.
struct Square {
    /// Its place, in squares.
    place: [f64; 2],
    /// How often feet trod it, or its compression in metres.
    trodden: f64,
    /// How much of it was trodden at all, m².
    area: f64,
    /// Volume above the original ground, m³.
    raised: f64,
}

/// The squares that were trodden, and the highest bump among all.
fn squares(world: &World, counted: Map) -> (Vec<Square>, f64) {
    let (ground, side) = (world.ground(), world.cells_in(trample::SQUARE) as i32);
    let Some(rect) = trample::touched_rect(ground) else { return (Vec::new(), 0.0) };
    let (view, cell) = (world.map(counted), ground.cell * ground.cell);
    let whole = cell * f64::from(side * side);
    let along = |from: i32, n: usize| from.div_euclid(side)..=(from + n as i32 - 1).div_euclid(side);
    let (mut all, mut ridge) = (Vec::new(), 0.0);
    for (bz, bx) in along(rect.z, rect.height).flat_map(|z| along(rect.x, rect.width).map(move |x| (z, x))) {
        let mut square =
            Square { place: [f64::from(bx), f64::from(bz)], trodden: 0.0, area: 0.0, raised: 0.0 };
        for (z, x) in
            (bz * side..(bz + 1) * side).flat_map(|z| (bx * side..(bx + 1) * side).map(move |x| (z, x)))
        {
            let value = view.at(x, z);
            square.trodden += value * cell / whole;
            // A cell at the edge counts with the share of it that was trodden, so that cells of any size find the same area.
            square.area +=
                cell * if counted == Map::Passes { value.min(1.0) } else { f64::from(value > 0.0) };
            square.raised += cell * (ground.surface(x, z) - ground.base_nano(x, z) as f64 / 1e9);
        }
        ridge = f64::max(ridge, square.raised / whole);
        if square.trodden > 0.0 {
            all.push(square);
        }
    }
    (all, ridge)
}

/// How far the surface lies above the original ground across the longest direction of what was touched, m: distance from its middle, and
/// the mean along it. None where nothing was touched.
pub fn cross_section(world: &World) -> Option<(Vec<f64>, Vec<f64>)> {
    let ground = world.ground();
    let rect = trample::touched_rect(ground)?;
    let delta = world.map(Map::Delta);
    let cells = || {
        let rows = rect.z..rect.z + rect.height as i32;
        rows.flat_map(move |z| (rect.x..rect.x + rect.width as i32).map(move |x| (x, z)))
    };
    let pressed: Vec<(f64, f64)> =
        cells().filter(|&(x, z)| delta.at(x, z) < 0.0).map(|(x, z)| (f64::from(x), f64::from(z))).collect();
    let n = pressed.len() as f64;
    if pressed.is_empty() {
        return None;
    }
    let (mx, mz) = pressed.iter().fold((0.0, 0.0), |(a, b), p| (a + p.0 / n, b + p.1 / n));
    let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
    for (x, z) in &pressed {
        (xx, xz, zz) = (xx + (x - mx) * (x - mx), xz + (x - mx) * (z - mz), zz + (z - mz) * (z - mz));
    }
    let angle = 0.5 * libm::atan2(2.0 * xz, xx - zz);
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let across = |x: f64, z: f64| (z - mz) * c - (x - mx) * s;
    let along = |x: f64, z: f64| (x - mx) * c + (z - mz) * s;
    let ends =
        pressed.iter().map(|p| along(p.0, p.1)).fold((f64::MAX, f64::MIN), |e, a| (e.0.min(a), e.1.max(a)));
    let reach = pressed.iter().map(|p| across(p.0, p.1).abs()).fold(0.0, f64::max).ceil() as usize + 6;
    let mut bins = vec![(0.0, 0.0); 2 * reach + 1];
    for (x, z) in cells() {
        let (px, pz) = (f64::from(x), f64::from(z));
        let k = across(px, pz).round() + reach as f64;
        if (ends.0..=ends.1).contains(&along(px, pz)) && k >= 0.0 && (k as usize) < bins.len() {
            bins[k as usize].0 += delta.at(x, z);
            bins[k as usize].1 += 1.0;
        }
    }
    let place = |k: usize| (k as f64 - reach as f64) * ground.cell;
    let mean = |b: &(f64, f64)| if b.1 > 0.0 { b.0 / b.1 } else { 0.0 };
    Some(((0..bins.len()).map(place).collect(), bins.iter().map(mean).collect()))
}

/// The object `tread` of `summary.json`.
///
/// The tread is every square of [`trample::SQUARE`] trodden at least a quarter as often as the median one (under the papers'
/// laws, which count no footfalls: every compressed one). Its width is its area over its extent along its longest direction, so
/// it means something for one straight trail; incision is the volume of the tread below the original ground over its area.
pub(crate) fn object(world: &World) -> Value {
    let counted = if world.ground().law == Law::Natural { Map::Passes } else { Map::Compression };
    let (mut tread, ridge) = squares(world, counted);
    if counted == Map::Passes {
        let mut values: Vec<f64> = tread.iter().map(|s| s.trodden).collect();
        values.sort_unstable_by(f64::total_cmp);
        let least = EDGE * values.get(values.len() / 2).copied().unwrap_or(0.0);
        tread.retain(|s| s.trodden >= least);
    }
    let (n, area) = (tread.len().max(1) as f64, tread.iter().map(|s| s.area).sum::<f64>());
    let incision = -tread.iter().map(|s| s.raised).sum::<f64>() / area.max(1e-9);
    let [mx, mz] = [0, 1].map(|i| tread.iter().map(|s| s.place[i]).sum::<f64>() / n);
    let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
    for Square { place: [x, z], .. } in &tread {
        let (dx, dz) = (x - mx, z - mz);
        (xx, xz, zz) = (xx + dx * dx, xz + dx * dz, zz + dz * dz);
    }
    let angle = 0.5 * libm::atan2(2.0 * xz, xx - zz);
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let side = world.cells_in(trample::SQUARE) as f64 * world.ground().cell;
    let along = |s2: &Square| (s2.place[0] * c + s2.place[1] * s) * side;
    let (low, high) =
        tread.iter().map(along).fold((f64::MAX, f64::MIN), |(low, high), a| (low.min(a), high.max(a)));
    let length = if tread.is_empty() { 0.0 } else { high - low + side };
    json!({
        "incision_mean_m": incision + 0.0,
        "ridge_max_m": ridge,
        "width_m": if length > 0.0 { area / length } else { 0.0 },
        "squares": tread.len(),
    })
}
