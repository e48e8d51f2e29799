//! Displaced material (DF-12..14, TR-11..13).
//!
//! In: the volume carved in this step. Out: its displaced share, heaped on the border the moment it is carved, to the
//! last unit. The border is every cell outside the contact within `r_contour` metres of it, so it has the same width
//! at any cell size. On a slope, or under a foot that lands moving, the heap goes where the force points.

use super::super::contact::{FootScratch, MOSTLY};
use super::super::patch::Cells;
use super::Space;
use super::bear::Frame;
use crate::params::GRAVITY;
use crate::pose::Seat;
use crate::state::Ground;
use glam::Vec3;

/// A cell of the border.
#[derive(Clone, Copy, Debug)]
struct Border {
    k: u32,
    /// Share of the cell that lies in the border.
    share: f32,
    /// From the middle of the contact to the cell, along the ground, unit length.
    towards: Vec3,
}

/// Working memory, kept while the contact stays the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    /// Which cells were in contact when the border was found.
    pub(crate) contact: Vec<u32>,
    /// Which cells are in contact now.
    pub(crate) scan: Vec<u32>,
    /// The border of that contact; empty while it is not known.
    border: Vec<Border>,
}

/// Room to find and fill a border in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Weights of the border's cells, summed up along it.
    weights: Vec<f64>,
    /// Squared distances to the nearest contact cell, in cells; then one row of results.
    squares: Vec<i16>,
}

/// Finds the contact of this step; if it is not the last step's, the border has to be found anew.
pub(crate) fn update_contact(f: &mut FootScratch, ground: &Ground, cells: &Cells) {
    let (height, seat) = (f.press.outcome.height, f.press.outcome.seat);
    find_contact(f, ground, height, &seat, cells);
    let work = &mut f.press.displace;
    if work.scan != work.contact {
        std::mem::swap(&mut work.scan, &mut work.contact);
        work.border.clear();
    }
}

/// Highest heap on one cell, nm: half a metre, far above what a foot heaps before it slides.
const HIGHEST: i32 = 500_000_000;
/// A squared distance beyond any border: the border is at most 80 cells wide. Signed, as every processor finds the smaller of many such
/// numbers at once.
const FAR: i16 = 30_000;

/// How many cells beyond a contact its border reaches.
pub(crate) fn reach(ground: &Ground) -> i32 {
    (ground.contour / ground.cell + 1.0).ceil() as i32
}

/// Spreads the displaced volume over the border.
pub(crate) fn run(f: &mut FootScratch, ground: &Ground, space: &mut Space) {
    let Space { cells, border: room, .. } = space;
    if f.press.displace.border.is_empty() {
        find_border(f, ground, &mut room.squares);
    }
    let outcome = &mut f.press.outcome;
    let whole = (outcome.carry >> 32).min(i128::from(i64::MAX / 4)) as i64;
    let total = whole + outcome.loose;
    if total <= 0 {
        return;
    }
    // TR-11..13: β blends an even rim with one that follows the tangential force.
    let along = f.load.force - f.normal * f.load.force.dot(f.normal);
    let strength = along.length();
    let threshold = ground.force_threshold * f.load.mass * GRAVITY;
    let beta = if ground.law.is_anisotropic() && strength > 0.0 {
        (f64::from(strength) / threshold).min(1.0) as f32
    } else {
        0.0
    };
    let direction = if strength > 0.0 { along / strength } else { Vec3::ZERO };
    let work = &f.press.displace;
    room.weights.clear();
    let mut sum = 0.0;
    for b in &work.border {
        // A cell that another sole stands on takes nothing.
        let open = if cells.occupied[b.k as usize] { 0.0 } else { b.share };
        sum += f64::from(open * (beta * direction.dot(b.towards).max(0.0) + (1.0 - beta)));
        room.weights.push(sum);
    }
    if sum <= 0.0 {
        // No border at all, as under a sole as large as the map: the volume stays owed and shows in the ledger.
        outcome.carry += i128::from(outcome.loose) << 32;
        return;
    }
    // Cumulative rounding: every unit lands somewhere and no cell is favoured.
    let (mut given, mut heaped) = (0i64, 0i64);
    for (b, &upto) in work.border.iter().zip(&room.weights) {
        let due = if upto == sum { total } else { (total as f64 * (upto / sum)) as i64 };
        let cell = &mut cells.accumulation[b.k as usize];
        // A cell that is full takes no more.
        let fits = (due - given).min(i64::from((HIGHEST - *cell).max(0)));
        *cell += fits as i32;
        heaped += fits;
        given = due;
    }
    // What full cells could not take goes to those of the border that have room left.
    for b in work.border.iter().filter(|b| !cells.occupied[b.k as usize] && b.share > 0.0) {
        if heaped == total {
            break;
        }
        let cell = &mut cells.accumulation[b.k as usize];
        let fits = (total - heaped).min(i64::from((HIGHEST - *cell).max(0)));
        *cell += fits as i32;
        heaped += fits;
    }
    // What fits nowhere stays owed: it shows in the ledger, and is heaped when the foot next has room beside it.
    outcome.deposited += heaped;
    outcome.carry += i128::from(outcome.loose) << 32;
    outcome.carry -= i128::from(heaped) << 32;
}

/// A slot lower than this between a sole and the ground takes no material, m: what is heaped or slides there would be in the
/// sole. Our choice: a little more than the tolerance of contact (TR §3.2).
const SLOT: f64 = 0.015;

/// The cells that a sole at `height` mostly covers and touches, or so nearly that nothing fits in between, into `scan`.
pub(crate) fn find_contact(f: &mut FootScratch, ground: &Ground, height: f64, seat: &Seat, cells: &Cells) {
    let frame = Frame::of(f);
    let datum = f.patch.datum as f64 / crate::state::tile::NANO;
    let scan = &mut f.press.displace.scan;
    scan.clear();
    for u in f.stamp.iter().filter(|u| u.coverage >= MOSTLY) {
        let k = u.k as usize;
        // What fills a hollow below the sole carries nothing, but nothing more fits in there: else it would be pushed out and slide
        // back for ever.
        let raised = i64::from(cells.accumulation[k]) - i64::from(cells.compression[k]);
        let surface = datum + (i64::from(f.patch.base[k]) + raised) as f64 / crate::state::tile::NANO;
        let turned = seat.rise(frame.place(ground.centre(u.x), ground.centre(u.z)));
        if height + f64::from(u.rise) + turned <= surface + ground.tolerance.max(SLOT) {
            scan.push(u.k);
        }
    }
    if scan.is_empty() {
        // A heel smaller than half a cell: the cell it covers most is its contact.
        let most = f.stamp.iter().max_by(|a, b| a.coverage.total_cmp(&b.coverage));
        scan.extend(most.map(|u| u.k));
    }
}

/// Every cell within `r_contour` of the contact, by an exact distance transform limited to that reach: squared distances
/// along rows first, then the smallest over the rows above and below, whole rows at a time.
fn find_border(f: &mut FootScratch, ground: &Ground, squares: &mut Vec<i16>) {
    let (nx, nz) = (f.patch.nx, f.patch.nz);
    let work = &mut f.press.displace;
    let radius = ground.contour / ground.cell;
    let n = reach(ground) as usize;
    // Contact cells, their middle, and the part of the window within reach of them.
    squares.clear();
    squares.resize(nx * nz + nx, FAR);
    let (mut middle, mut weight) = ([0.0f64; 2], 0.0);
    let (mut x0, mut x1, mut z0, mut z1) = (nx, 0, nz, 0);
    for &k in &work.contact {
        let (x, z) = (k as usize % nx, k as usize / nx);
        squares[k as usize] = 0;
        middle = [middle[0] + x as f64, middle[1] + z as f64];
        weight += 1.0;
        (x0, x1, z0, z1) = (x0.min(x), x1.max(x + 1), z0.min(z), z1.max(z + 1));
    }
    middle = middle.map(|m| m / weight);
    let (x0, x1) = (x0.saturating_sub(n), (x1 + n).min(nx));
    let (z0, z1) = (z0.saturating_sub(n), (z1 + n).min(nz));
    for row in squares[z0 * nx..z1 * nx].chunks_exact_mut(nx) {
        let mut steps = n as i16 + 1;
        for square in &mut row[x0..x1] {
            steps = if *square == 0 { 0 } else { (steps + 1).min(n as i16 + 1) };
            *square = steps * steps;
        }
        let mut steps = n as i16 + 1;
        for square in row[x0..x1].iter_mut().rev() {
            steps = if *square == 0 { 0 } else { (steps + 1).min(n as i16 + 1) };
            *square = (*square).min(steps * steps);
        }
    }
    let (rows, nearest) = squares.split_at_mut(nx * nz);
    let nearest = &mut nearest[..x1 - x0];
    let reach = (radius + 1.0) * (radius + 1.0);
    work.border.clear();
    for z in z0..z1 {
        nearest.fill(FAR);
        for other in z.saturating_sub(n).max(z0)..(z + n + 1).min(z1) {
            let away = (z.abs_diff(other) * z.abs_diff(other)) as i16;
            for (best, square) in nearest.iter_mut().zip(&rows[other * nx + x0..other * nx + x1]) {
                *best = (*best).min(square + away);
            }
        }
        for (i, &square) in nearest.iter().enumerate() {
            if square == 0 || f64::from(square) >= reach {
                continue;
            }
            // A cell that reaches half over the edge of the border takes half.
            let share = (radius + 1.0 - f64::from(square).sqrt()).clamp(0.0, 1.0) as f32;
            let x = x0 + i;
            let flat = Vec3::new((x as f64 - middle[0]) as f32, 0.0, (z as f64 - middle[1]) as f32);
            // Up or down the slope so that it lies in the tangent plane.
            let rise = -(flat.x * f.normal.x + flat.z * f.normal.z) / f.normal.y;
            let towards = (flat + Vec3::Y * rise).normalize_or_zero();
            work.border.push(Border { k: (z * nx + x) as u32, share, towards });
        }
    }
    // The uncovered share of a partly covered cell is border; the covered share is not.
    // Both go through the window row by row.
    let mut partly = f.stamp.iter().filter(|u| u.coverage < MOSTLY).peekable();
    for b in &mut work.border {
        while partly.next_if(|u| u.k < b.k).is_some() {}
        if let Some(u) = partly.next_if(|u| u.k == b.k) {
            b.share *= 1.0 - u.coverage;
        }
    }
}
