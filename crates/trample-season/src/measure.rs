//! What is measured along trails: cross-sections every so many metres.
//!
//! In: the ground and a line. Out: at each station the width between the edges of changed cover, the largest incision, the area lost
//! in the cross-section, bare share, cover, slopes and how trail and hillside lie to each other.

use crate::Run;
use crate::cost::Grid;
use crate::ground::{CELLS, Ground, NO_PATCH, SIDE, cell_of, key_of};
use crate::people::Line;
use serde::Serialize;
use std::collections::BTreeSet;
use trample::Base;

/// A cross-section of a trail.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Station {
    /// Which line.
    pub line: usize,
    /// Way from its beginning, m.
    pub along_m: f64,
    /// Where, x and z, m.
    pub x: f64,
    /// See `x`.
    pub z: f64,
    /// Distance between the edges of changed cover, m; 0 where nothing has changed.
    pub width_m: f64,
    /// Largest depth below the original ground over the width, m; within a metre of the line where no cover has changed.
    pub incision_m: f64,
    /// Area between the original ground and the surface below it, m².
    pub area_loss_m2: f64,
    /// Share of the width that is bare: planted, and its cover lost.
    pub bare: f64,
    /// Mean share of the cover that is left over the width; 0 where nothing grows.
    pub cover: f64,
    /// Slope along the trail, degrees.
    pub trail_slope_deg: f64,
    /// Slope of the hillside, degrees.
    pub landform_slope_deg: f64,
    /// Angle between the trail and the contour of the hillside's fall line: 0 straight up or down, 90 along the contour, degrees.
    pub alignment_deg: f64,
    /// Class of that angle: 0–22, 23–45, 46–68 or 69–90°.
    pub alignment: &'static str,
    /// Trail slope over hillside slope.
    pub slope_ratio: f64,
    /// Share of the width whose bulk density is 15 % above the untrodden ground's.
    pub dense: f64,
}

/// How far to either side of a line is looked, m.
const REACH: f64 = 3.0;
/// Changed ground farther apart than this belongs to another trail, m.
const GAP: f64 = 0.4;
/// Cover below which ground counts as changed, and as bare, as shares; footfalls from which it counts as changed where nothing grows. Our choice.
const CHANGED: f32 = 0.85;
const BARE: f32 = 0.15;
const OFTEN: u32 = 3 * 255;

/// What is known of one place.
struct Sample {
    raised: f64,
    cover: f64,
    changed: bool,
    bare: bool,
    dense: bool,
}

fn sample(ground: &Ground, x: f64, z: f64) -> Sample {
    let (i, j) = ((x / ground.cell).floor() as i32, (z / ground.cell).floor() as i32);
    let Some(tile) = ground.tile(key_of(i, j)) else {
        let cover = if ground.patch_at(x, z) == NO_PATCH { 0.0 } else { 1.0 };
        return Sample { raised: 0.0, cover, changed: false, bare: false, dense: false };
    };
    let c = cell_of(i, j);
    let grown = tile.patch[c] != NO_PATCH;
    Sample {
        raised: ground.raised(tile, c),
        cover: if grown { f64::from(tile.cover[c]) } else { 0.0 },
        changed: if grown { tile.cover[c] < CHANGED } else { tile.passes[c] >= OFTEN },
        bare: grown && tile.cover[c] < BARE,
        dense: tile.passes[c] > 0 && ground.density_ratio(tile, c) >= 1.15,
    }
}

/// Cross-sections of a line every so many metres, and at its end.
pub fn stations(ground: &Ground, index: usize, corners: &[[f64; 2]], every: f64) -> Vec<Station> {
    let base = &ground.scene().terrain.base;
    let line = Line::new(corners, base);
    let mut found = Vec::new();
    let n = (line.length() / every).floor() as usize;
    let mut places: Vec<f64> = (0..=n).map(|k| k as f64 * every).collect();
    if places.last().is_some_and(|last| line.length() - last > 0.01 * every) {
        places.push(line.length());
    }
    for along_m in places {
        let (p, ahead, slope) = line.place(along_m);
        found.push(Station { line: index, along_m, ..station(ground, base, p, ahead, slope) });
    }
    found
}

fn station(ground: &Ground, base: &Base, p: [f64; 2], ahead: [f64; 2], slope: f64) -> Station {
    let step = ground.cell;
    let n = (REACH / step) as i32;
    let at = |k: i32| {
        let d = f64::from(k) * step;
        sample(ground, p[0] - d * ahead[1], p[1] + d * ahead[0])
    };
    let across: Vec<Sample> = (-n..=n).map(at).collect();
    // The changed stretch nearest to the line, over gaps that are not too wide.
    let gap = (GAP / step) as usize;
    let mut best: Option<(usize, usize)> = None;
    let mut open: Option<(usize, usize)> = None;
    for (i, s) in across.iter().enumerate().filter(|(_, s)| s.changed) {
        let _ = s;
        open = match open {
            Some((from, to)) if i - to <= gap => Some((from, i)),
            Some(done) => {
                best = nearer(best, done, n as usize);
                Some((i, i))
            }
            None => Some((i, i)),
        };
    }
    if let Some(done) = open {
        best = nearer(best, done, n as usize);
    }
    let normal = base.normal(p[0], p[1], 0.5);
    let fall = [f64::from(normal.x), f64::from(normal.z)];
    let steep = (fall[0] * fall[0] + fall[1] * fall[1]).sqrt() / f64::from(normal.y).max(1e-6);
    let length = (fall[0] * fall[0] + fall[1] * fall[1]).sqrt();
    let cosine =
        if length > 1e-6 { ((fall[0] * ahead[0] + fall[1] * ahead[1]) / length).abs().min(1.0) } else { 0.0 };
    let angle = libm::acos(cosine).to_degrees();
    let mut s = Station {
        x: p[0],
        z: p[1],
        cover: across[n as usize].cover,
        trail_slope_deg: libm::atan(slope.abs()).to_degrees(),
        landform_slope_deg: libm::atan(steep).to_degrees(),
        alignment_deg: angle,
        alignment: ["0-22", "23-45", "46-68", "69-90"][((angle / 22.5) as usize).min(3)],
        slope_ratio: if steep > 1e-3 { slope.abs() / steep } else { 0.0 },
        ..Station::default()
    };
    let deepest = |part: &[Sample]| part.iter().map(|s| -s.raised).fold(0.0, f64::max);
    let Some((from, to)) = best.filter(|(from, to)| to >= from) else {
        let near = (TOGETHER / step) as usize;
        let middle = n as usize;
        s.incision_m = deepest(&across[middle.saturating_sub(near)..=(middle + near).min(2 * middle)]);
        return s;
    };
    let tread = &across[from..=to];
    let share = |f: fn(&Sample) -> bool| tread.iter().filter(|s| f(s)).count() as f64 / tread.len() as f64;
    s.width_m = tread.len() as f64 * step;
    s.incision_m = deepest(tread);
    s.area_loss_m2 = tread.iter().map(|s| (-s.raised).max(0.0) * step).sum();
    s.bare = share(|s| s.bare);
    s.dense = share(|s| s.dense);
    s.cover = tread.iter().map(|s| s.cover).sum::<f64>() / tread.len() as f64;
    s
}

/// Of two stretches the one nearer to the middle, if it is near at all.
fn nearer(a: Option<(usize, usize)>, b: (usize, usize), middle: usize) -> Option<(usize, usize)> {
    let off = |s: (usize, usize)| {
        if (s.0..=s.1).contains(&middle) { 0 } else { middle.abs_diff(s.0).min(middle.abs_diff(s.1)) }
    };
    match a {
        Some(a) if off(a) <= off(b) => Some(a),
        _ => Some(b),
    }
}

/// The lines that people walk now: routes, and trips as all kinds of people find them; where two run together, one.
pub fn lines(run: &Run) -> Vec<(String, Vec<[f64; 2]>)> {
    let mut found: Vec<(String, Vec<[f64; 2]>)> = Vec::new();
    let mut taken: BTreeSet<(i64, i64)> = BTreeSet::new();
    let near = |p: &[f64; 2]| ((p[0] / TOGETHER).round() as i64, (p[1] / TOGETHER).round() as i64);
    let mut all: Vec<(String, Vec<[f64; 2]>)> = Vec::new();
    for route in &run.season().routes {
        all.push((route.name.clone(), route.waypoints.clone()));
    }
    for (trip, kinds) in run.season().trips.iter().zip(run.lines()) {
        for line in kinds.into_iter().flatten().flatten() {
            all.push((trip.name.clone(), line.points().to_vec()));
        }
    }
    for (k, (name, points)) in all.into_iter().enumerate() {
        // Routes are what they are; ways that people found count where no other has been before.
        let own = k < run.season().routes.len();
        let fine = Line::new(&points, &Base::Flat);
        let mut part: Vec<[f64; 2]> = Vec::new();
        let mut mine: Vec<(i64, i64)> = Vec::new();
        let mut end = |part: &mut Vec<[f64; 2]>| {
            if part.len() as f64 * 0.5 >= SHORTEST {
                found.push((name.clone(), std::mem::take(part)));
            }
            part.clear();
        };
        for p in fine.points() {
            let (i, j) = near(p);
            let known = (-1..=1).any(|a| (-1..=1).any(|b| taken.contains(&(i + a, j + b))));
            if known && !own {
                end(&mut part);
            } else {
                part.push(*p);
                mine.push((i, j));
            }
        }
        end(&mut part);
        taken.extend(mine);
    }
    found
}

/// Ways nearer to each other than this are one trail, m, and pieces shorter than this are none; our choice.
const TOGETHER: f64 = 1.0;
const SHORTEST: f64 = 3.0;

/// A trail in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Trail {
    /// Length of lines along which the ground has changed, m.
    pub length_m: f64,
    /// Mean width there, m.
    pub mean_width_m: f64,
    /// Largest incision, m.
    pub max_incision_m: f64,
    /// Mean area lost in the cross-section, m².
    pub area_loss_m2: f64,
    /// Bare ground anywhere, m²: planted, and its cover lost. What never grew anything is none of it.
    pub bare_m2: f64,
    /// Mean cover over the trail's width.
    pub cover: f64,
}

/// Length of lines along which the ground has changed, m: of the way between two stations, half belongs to each. Those farther apart
/// than `every` m are not neighbours.
pub fn changed_length(stations: &[Station], every: f64) -> f64 {
    let between = |w: &[Station]| {
        let apart = w[1].along_m - w[0].along_m;
        let neighbours = w[0].line == w[1].line && apart > 0.0 && apart < 1.01 * every;
        let changed = w.iter().filter(|s| s.width_m > 0.0).count() as f64;
        if neighbours { 0.5 * changed * apart } else { 0.0 }
    };
    stations.windows(2).map(between).sum::<f64>() + 0.0
}

/// Sums up stations that were taken every so many metres.
pub fn trail(ground: &Ground, stations: &[Station], every: f64) -> Trail {
    let there: Vec<&Station> = stations.iter().filter(|s| s.width_m > 0.0).collect();
    let n = there.len().max(1) as f64;
    let mean = |f: fn(&Station) -> f64| there.iter().map(|s| f(s)).sum::<f64>() / n + 0.0;
    let mut bare = 0usize;
    for (_, tile) in ground.sorted() {
        bare += (0..CELLS).filter(|&c| tile.patch[c] != NO_PATCH && tile.cover[c] < BARE).count();
    }
    Trail {
        length_m: changed_length(stations, every),
        mean_width_m: mean(|s| s.width_m),
        max_incision_m: stations.iter().map(|s| s.incision_m).fold(0.0, f64::max),
        area_loss_m2: mean(|s| s.area_loss_m2),
        bare_m2: bare as f64 * ground.cell * ground.cell,
        cover: if there.is_empty() { 1.0 } else { mean(|s| s.cover) },
    }
}

/// A look at the whole extent: one number per pixel.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Pixels along x and z.
    pub size: [usize; 2],
    /// Side of a pixel, m.
    pub pixel: f64,
    /// Mean wear of the cells of each pixel.
    pub wear: Vec<f32>,
    /// Wear of the most worn of them.
    pub worst: Vec<f32>,
    /// Mean share of cover that is left.
    pub cover: Vec<f32>,
    /// Footfalls on the most trodden cell.
    pub passes: Vec<f32>,
    /// Largest depth below the original ground, m.
    pub depth: Vec<f32>,
}

/// The whole extent in at most so many pixels a side, but no finer than cells.
pub fn overview(ground: &Ground, most: usize) -> Overview {
    let size_m = ground.scene().terrain.size;
    let pixel = (size_m[0].max(size_m[1]) / most as f64).max(ground.cell);
    let grid = Grid::over(size_m, pixel);
    let (size, n) = (grid.size, grid.len());
    // Pixels hold different numbers of cells where their sides are not multiples of the cells'.
    let [nx, nz] = grid.counts(ground.cell, ground.size);
    let mut o = Overview {
        size,
        pixel,
        wear: vec![0.0; n],
        worst: vec![0.0; n],
        cover: vec![0.0; n],
        passes: vec![0.0; n],
        depth: vec![0.0; n],
    };
    for (key, tile) in ground.sorted() {
        for c in 0..CELLS {
            let cell = [key.1 * SIDE as i32 + (c % SIDE) as i32, key.0 * SIDE as i32 + (c / SIDE) as i32];
            let inside = (0..2).all(|k| (0..ground.size[k]).contains(&cell[k]));
            if !inside || tile.passes[c] == 0 && tile.loose[c] == 0 && tile.cover[c] == 1.0 {
                continue;
            }
            let k = grid.cell_of(cell.map(|i| (f64::from(i) + 0.5) * ground.cell));
            let per = (1.0 / (nx[k % size[0]] * nz[k / size[0]])) as f32;
            let wear = ground.wear(tile, c) as f32;
            o.wear[k] += per * wear;
            o.worst[k] = o.worst[k].max(wear);
            o.cover[k] += per * (1.0 - tile.cover[c]);
            o.passes[k] = o.passes[k].max(tile.passes[c] as f32 / 255.0);
            o.depth[k] = o.depth[k].max(-ground.raised(tile, c) as f32);
        }
    }
    o.wear.iter_mut().for_each(|w| *w = w.min(1.0));
    o.cover.iter_mut().for_each(|c| *c = (1.0 - *c).max(0.0));
    o
}
