//! Treading under the natural law: what a seated sole does to each cell under it.
//!
//! In: the sole where the ground carries it ([`super::bear`]). Out: cells pressed as deep as they carry, packed by the footfall, and
//! the sole at rest on them. A cell's compression has two parts: what its deepest print asked for, kept for good, and what footfalls
//! have packed, a function of their number.

use super::super::contact::{FootScratch, MOSTLY, Under};
use super::super::patch::Cells;
use super::Space;
use super::bear::{Frame, Work};
use super::compress::SLIVER;
use super::drag;
use crate::params::GRAVITY;
use crate::pose::{Seat, SolePose};
use crate::scene::Hold;
use crate::state::ground::{cell_of, tile_of};
use crate::state::tile::NANO;
use crate::state::{Foot, Ground, TILE};
use glam::Vec3;

/// Presses the foot's load into the ground. `given` is the height of a sole that its host holds, m; then come whether the load's place
/// is known, and how the sole slides, m/s.
pub(crate) fn run(
    f: &mut FootScratch,
    ground: &Ground,
    foot: &Foot,
    hold: Hold,
    given: f64,
    (steered, slides): (bool, Vec3),
    space: &mut Space,
) {
    f.press.outcome.changed = f.bounds;
    let mut bear = std::mem::take(&mut space.bear);
    bear.lay(f, ground, &space.cells);
    let load = f.load;
    let stood = foot.stance > load.seconds && !f.landed;
    let from = if stood { foot.seat } else { Seat { height: bear.top(), ..Seat::default() } };
    let frame = Frame::of(f);
    let steered = steered && hold == Hold::Pinned;
    let cop = steered.then(|| frame.place(f64::from(load.cop.x), f64::from(load.cop.y)));
    // The pose is that of the end of the step. The largest force of the step, from its beginning where the load falls, would press toes
    // that roll off as deep as the forefoot before them, the more the longer a step is; the last alone would leave out what cells bore
    // that the sole has rolled over meanwhile. Without a motion of the body the largest counts, which may be a landing.
    let force = load.normal_last.map_or(load.normal_peak, |last| last.max(load.normal_mean));
    let mut seat = if force > 0.0 {
        bear.settle(&ground.virgin, from, force, cop, load.mass, f.give[1])
    } else {
        // Nothing presses: it lies on the ground.
        Seat { height: bear.top(), ..Seat::default() }
    };
    seat.height = Work::sinks_to(from.height, seat.height, load.seconds);
    if hold == Hold::Free {
        seat.height = seat.height.max(given - ground.tolerance);
    }
    // Ground that cannot move aside, because there is no room left for it, does not yield either.
    let stuck = f.press.outcome.carry >> 32 > 0;
    if stuck {
        seat = from;
    }
    bear.hold(&ground.virgin, &seat);
    f.press.outcome.seat = seat;
    let speed = f64::from(slides.length());
    press(f, ground, &bear, &seat, space, [!stuck, speed > SLIDES]);
    space.bear = bear;
    slide(f, ground, foot, slides, speed);
}

/// A sole that slides pushes what is before it; one that pushes harder along the ground than it can hold begins to.
fn slide(f: &mut FootScratch, ground: &Ground, foot: &Foot, slides: Vec3, speed: f64) {
    let Some(middle) = f.stamp.get(f.stamp.len() / 2) else { return };
    let material = &ground.materials[f.patch.material[middle.k as usize] as usize];
    let ahead = Frame::of(f);
    let (outcome, load) = (&mut f.press.outcome, &mut f.load);
    // Of the sole's faces those that are in the ground, as of its area.
    let part = (outcome.area / (f.length * f.breadth)).min(1.0);
    let front = |way: Vec3| drag::front(&f.fronts, ahead.turned(way), part);
    outcome.suction = drag::suction(material, outcome.area, outcome.depth, f.length);
    let normal = f.normal;
    let along = load.force - normal * load.force.dot(normal);
    let asked = f64::from(along.length());
    let falls = libm::asin((f64::from(-along.y) / asked.max(1e-9)).clamp(0.0, 1.0));
    let holds = drag::grip(material, load.normal_mean, outcome.area, (outcome.depth, front(along)), falls);
    let had = f64::from(foot.slip.length());
    // A foot that hardly carries is put where it shall be, whatever its force says.
    let carries = load.normal_mean > CARRIES * load.mass * GRAVITY;
    let more = if carries { (asked - holds) / load.mass * load.seconds } else { 0.0 };
    let slips = (had + more).clamp(0.0, FASTEST);
    outcome.slip = if asked > 1e-9 { along * (slips / asked) as f32 } else { Vec3::ZERO };
    if speed > SLIDES {
        load.force += slides * (drag::on_front(material, outcome.depth, front(slides)) / speed) as f32;
    }
}

/// A swinging foot that is not lifted out of the ground pushes all before it that is higher than its sole.
pub(crate) fn drag(f: &mut FootScratch, ground: &Ground, sole: &SolePose, space: &mut Space) {
    f.press.outcome.changed = f.bounds;
    let (cells, outcome) = (&mut space.cells, &mut f.press.outcome);
    let datum = f.patch.datum as f64 / NANO;
    let over = |nano: i64, u: &Under| datum + nano as f64 / NANO - f64::from(u.rise);
    let surface = |cells: &Cells, u: &Under| {
        let k = u.k as usize;
        let nano =
            i64::from(f.patch.base[k]) - i64::from(cells.compression[k]) + i64::from(cells.accumulation[k]);
        over(nano, u)
    };
    // So deep below the ground as it was: what it has cut itself does not let it down.
    let stood = f.stamp.iter().filter(|u| u.coverage >= MOSTLY);
    let highest = stood.map(|u| over(i64::from(f.patch.base[u.k as usize]), u)).reduce(f64::max);
    let Some(highest) = highest else { return };
    outcome.height = highest - f.drags;
    let (mut area, mut deepest) = (0.0, 0.0);
    for u in &f.stamp {
        let k = u.k as usize;
        let material = &ground.materials[f.patch.material[k] as usize];
        let above = (surface(cells, u) - outcome.height) * f64::from(u.coverage);
        if above <= 0.0 {
            continue;
        }
        area += f64::from(u.coverage) * ground.cell * ground.cell;
        deepest = f64::max(deepest, above);
        let mut rest = (above * NANO) as i32;
        let loose = rest.min(cells.accumulation[k].max(0));
        cells.accumulation[k] -= loose;
        outcome.loose += i64::from(loose);
        rest = (rest - loose).min((material.deepest() * NANO) as i32 - cells.compression[k]).max(0);
        cells.compression[k] += rest;
        cells.pressed[k] = cells.pressed[k].max((u.coverage * 255.0) as u8);
        cells.part[k] |= u.part;
        outcome.carved += i64::from(rest);
        outcome.swept += f64::from(rest) * (1.0 - material.natural_displaced_share());
        outcome.owed += f64::from(rest);
        outcome.carry += i128::from(rest) << 32;
    }
    // What it meets pushes back against its way: the heap is thrown ahead.
    let way = sole.velocity.with_y(0.0).normalize_or_zero();
    let Some(middle) = f.stamp.get(f.stamp.len() / 2) else { return };
    let material = &ground.materials[f.patch.material[middle.k as usize] as usize];
    let front = drag::front(&f.fronts, Frame::of(f).turned(way), 1.0);
    let push = drag::on_front(material, deepest, front) + drag::on_underside(material, deepest, area);
    f.load.force = way * push as f32;
}

/// From this share of the weight on a foot can slip; our choice.
const CARRIES: f64 = 0.15;
/// A sole faster than this along the ground sweeps it aside, m/s; our choice.
const SLIDES: f64 = 0.05;
/// A foot that slips does so at this speed at most, m/s: then its walker has caught itself. Our choice.
const FASTEST: f64 = 0.8;

/// A cell under the natural law: what live steps and seasons keep of it. What footfalls have packed is a function of their number
/// ([`crate::Material::packed_nano`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trodden<N> {
    /// Deepest print, as the mean over the cell, nm.
    pub print: i32,
    /// Footfalls, each counted with the share of the cell that it covered.
    pub passes: N,
    /// Share of the cell that soles have covered, in 1/255.
    pub pressed: u8,
}

impl<N> Trodden<N> {
    /// The print, nm as the mean over the cell, and the share of it, in 1/255, that are left when a sole presses `share` of the cell
    /// `depth` m deep, of which no sole has pressed `fresh` of the cell before. What was pressed before is taken to be equally deep.
    ///
    /// Of the deepest print alone cells would keep less the larger they are: two soles that cover half of a cell each press all of it.
    fn joined(&self, depth: f64, share: u8, fresh: f64) -> (i32, u8) {
        let (had, covers) = (f64::from(self.pressed) / 255.0, f64::from(share) / 255.0);
        let common = (covers - fresh).min(had);
        let deeper = if had > 0.0 { (depth - f64::from(self.print) / NANO / had).max(0.0) } else { 0.0 };
        let more = (covers - common) * depth + common * deeper;
        let share = ((had + covers - common) * 255.0 + 0.5).min(255.0) as u8;
        (self.print + (more * NANO + 0.5) as i32, share)
    }

    /// The same for a print of `print` nm, as the mean over the cell, that lies anywhere in it: of what it covers as large a share was
    /// pressed before as of the whole cell, which is the mean over places. A season's footfalls have no parts of cells.
    #[inline]
    pub fn joined_by_chance(&self, print: i32, share: u8) -> (i32, u8) {
        if share == 0 || print <= 0 {
            return (self.print, self.pressed.max(share));
        }
        let covers = f64::from(share) / 255.0;
        let depth = f64::from(print) / NANO / covers;
        self.joined(depth, share, covers * (1.0 - f64::from(self.pressed) / 255.0))
    }
}

impl<N: std::ops::AddAssign> Trodden<N> {
    /// Treads on the cell: soles that cover `share` of it at the most, in 1/255, ask for a print `asked` nm deep and are `more`
    /// footfalls. Returns how much deeper the print has become, nm.
    ///
    /// A live step treads with one sole, a season's evening with all of a day: their joined print, the sum of footfalls.
    #[inline]
    pub fn tread(&mut self, asked: i32, share: u8, more: N) -> i32 {
        let deeper = (asked - self.print).max(0);
        self.print += deeper;
        self.passes += more;
        self.pressed = self.pressed.max(share);
        deeper
    }
}

/// What of a print that has become deeper is pushed aside, 2⁻³² nm: a share of it.
#[inline]
pub fn pushed_aside(deeper: i32, share: f64) -> i64 {
    i64::from(deeper) * (share * 4_294_967_296.0).round() as i64
}

/// Presses each cell, packs it, and lets the sole rest on the highest.
fn press(
    f: &mut FootScratch,
    ground: &Ground,
    bear: &Work,
    seat: &Seat,
    space: &mut Space,
    [yields, sweeps]: [bool; 2],
) {
    let (outcome, load) = (&mut f.press.outcome, &f.load);
    let cell_area = ground.cell * ground.cell;
    let (mut rest, mut highest) = (f64::MIN, f64::MIN);
    let (mut covered, mut toes, mut carried) = (0.0, 0.0, 0.0);
    let (mut depths, mut seen) = (0.0, 0.0);
    // Area is counted as a pressure plate does, which sees from some 10 kPa under a bare foot on: a quarter of the mean pressure.
    let whole: f64 = f.stamp.iter().map(|u| f64::from(u.coverage)).sum::<f64>() * cell_area;
    let counts = 0.25 * load.normal_mean / whole.max(cell_area);
    // Slices of one length, so that one look tells that a cell is in all of them.
    let n = f.patch.nx * f.patch.nz;
    let (materials, cells) = (&f.patch.material[..n], &mut space.cells);
    let (compression, pressure_time) = (&mut cells.compression[..n], &mut cells.pressure_time[..n]);
    let (passes, pressed, parts) = (&mut cells.passes[..n], &mut cells.pressed[..n], &mut cells.part[..n]);
    let trodden = &mut cells.trodden[..n];
    for (i, u) in f.stamp.iter().enumerate() {
        let k = u.k as usize;
        let material = &ground.materials[materials[k] as usize];
        let (level, place, before) = bear.level(i);
        let coverage = f64::from(u.coverage);
        let mut packed = before;
        if let Some((pressure, sunk, stays)) = bear.carried(&ground.virgin, i).filter(|_| yields) {
            covered += if pressure > counts { coverage } else { 0.0 };
            carried += coverage * pressure;
            toes += if place[2] > 0.0 { coverage * pressure } else { 0.0 };
            let part = ZONES.partition_point(|z| *z < place[0] / f.length + 0.5);
            outcome.peaks[part] = outcome.peaks[part].max(pressure);
            pressure_time[k] += (pressure * load.seconds * coverage) as f32;
            // The print, as the mean over the cell; the footfall, once in a stance and for the share that it covers.
            let share = (u.coverage * 255.0) as u8;
            let more = share.saturating_sub(trodden[k]);
            trodden[k] += more;
            let mut cell = Trodden { print: compression[k] - before, passes: passes[k], pressed: pressed[k] };
            // A foot that rolls covers no more of the cell than its largest share, wherever its edge seems to lie meanwhile.
            let new = f64::from((u.part & !parts[k]).count_ones()) / f64::from(u.part.count_ones());
            let fresh = (new * f64::from(share)).min(f64::from(more)) / 255.0;
            parts[k] |= u.part;
            let (asked, share) = cell.joined(stays, share, fresh);
            let wider = more > 0 || share > cell.pressed;
            let deeper = cell.tread(asked, share, f32::from(more) * (1.0 / 255.0));
            (passes[k], pressed[k]) = (cell.passes, cell.pressed);
            if wider {
                packed = material.packed_nano(cell.passes, cell.pressed);
            }
            let packs = packed - before;
            compression[k] += deeper + packs;
            let whole = f64::from(packed) / NANO * 255.0 / f64::from(pressed[k].max(1));
            depths += coverage * (sunk + whole);
            seen += coverage;
            outcome.carved += i64::from(deeper) + i64::from(packs);
            // Most cells have been as deep before.
            if deeper > 0 {
                let share = material.natural_displaced_share();
                let aside = if sweeps { 1.0 } else { share };
                outcome.swept += f64::from(deeper) * (aside - share);
                outcome.owed += f64::from(deeper) * aside;
                outcome.carry += i128::from(pushed_aside(deeper, aside));
            }
        }
        // What is stored is the mean of the cell; it was pressed over some share of it.
        let over = (f64::from(pressed[k]) / 255.0).max(coverage);
        let depth = f64::from(compression[k] - packed) / NANO / over;
        let here = level - depth - seat.rise(place);
        highest = highest.max(here);
        if u.coverage >= SLIVER {
            rest = rest.max(here);
        }
    }
    let cells = &mut space.cells;
    let height = if rest == f64::MIN { highest } else { rest };
    for (i, u) in f.stamp.iter().enumerate() {
        // What lies in a print that is deeper than this sole goes stays there: it fills it.
        let k = u.k as usize;
        if cells.accumulation[k] <= 0 {
            continue;
        }
        let material = &ground.materials[f.patch.material[k] as usize];
        let packed = material.packed_nano(cells.passes[k], cells.pressed[k]);
        let (level, place, _) = bear.level(i);
        let depth = level - height - seat.rise(place) - f64::from(cells.compression[k] - packed) / NANO;
        outcome.take_loose(cells, u, depth);
    }
    outcome.area = covered * cell_area;
    // Less than a tenth of the sole is a sliver, on which no mean is one; our choice.
    outcome.pressure = load.normal_mean / outcome.area.max(0.1 * whole).max(1e-9);
    outcome.height = height;
    outcome.toe_share = if carried > 0.0 { toes / carried } else { 0.0 };
    outcome.depth = if seen > 0.0 { depths / seen } else { 0.0 };
}

/// A foot has left: the next that treads on its cells is another footfall, but not one that stands there already.
pub(crate) fn leave(f: &FootScratch, ground: &mut Ground, feet: &[FootScratch]) {
    // On its toes the middle of a sole lies before where it stood.
    let (frame, half) = (Frame::of(f), f.half);
    let reach = half[0] + ROLLS;
    let index = |p: f64, n: i32| ((p / ground.cell).floor() as i32).clamp(0, n - 1);
    let [x, z] = frame.at();
    let near = |other: &&FootScratch| {
        let [ox, oz] = Frame::of(other).at();
        let far = reach + other.half[0] + ROLLS;
        other.stands() && !other.lifted && (ox - x).abs() < far && (oz - z).abs() < far
    };
    // Those near lie between the first and the last of them: most often the body's other foot, so that a crowd is not looked through for
    // every cell.
    let first = feet.iter().position(|other| near(&other)).unwrap_or(feet.len());
    let last = feet.iter().rposition(|other| near(&other)).map_or(first, |last| last + 1);
    let beside = &feet[first..last];
    let (x0, x1) = (index(x - reach, ground.size[0]), index(x + reach, ground.size[0]));
    let (z0, z1) = (index(z - reach, ground.size[1]), index(z + reach, ground.size[1]));
    let (t, cell) = (TILE as i32, ground.cell);
    let under = |frame: &Frame, half: [f64; 2], cx: i32, cz: i32| {
        let centre = |i: i32| (f64::from(i) + 0.5) * cell;
        let [u, v, _] = frame.place(centre(cx), centre(cz));
        u.abs() <= half[0] + ROLLS && v.abs() <= half[1]
    };
    for tz in z0.div_euclid(t)..=z1.div_euclid(t) {
        for tx in x0.div_euclid(t)..=x1.div_euclid(t) {
            let Some(tile) = ground.tiles.get_mut(tile_of(tx * t, tz * t)) else { continue };
            if tile.layers.trodden.iter().all(|&share| share == 0) {
                continue;
            }
            for cz in tz * t..(tz + 1) * t {
                for cx in tx * t..(tx + 1) * t {
                    let c = cell_of(cx, cz);
                    let stands = |other: &FootScratch| under(&Frame::of(other), other.half, cx, cz);
                    if tile.layers.trodden[c] > 0
                        && under(&frame, half, cx, cz)
                        && !beside.iter().filter(near).any(stands)
                    {
                        tile.layers.trodden[c] = 0;
                    }
                }
            }
        }
    }
}

/// Where heel, arch and ball end, as shares of the foot from the heel (regions of plantar pressure measurements).
const ZONES: [f64; 3] = [0.28, 0.55, 0.78];

/// How far the middle of a sole moves while it rolls over heel and toes, m.
const ROLLS: f64 = 0.12;
