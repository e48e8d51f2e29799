//! Loose material: displaced by soles, sliding, eroded by rain. All in whole nanometres, independent of order.

use crate::day::Asked;
use crate::ground::{ByPlace, CELLS, Ground, Key, NANO, NO_PATCH, SIDE, Tile, cell_of, key_of};
use rayon::prelude::*;

/// How far a sole pushes material, m: from its cells to the border of a live step, whose middle lies 7 cm beside the middle of a
/// sole; the root mean square over a sole's cells is 6.9 cm to the side, a ring's of this radius 6.4 cm. Our choice.
const THROWN: f64 = 0.09;
/// Loose material thinner than this stays where it is trodden, nm; our choice.
const THIN: i32 = 30_000;
/// Sweeps of sliding in an evening.
const SWEEPS: usize = 4;
/// How far below a bare place the ground must be bare too for water to run on, m: our choice, about half a tread's width.
const RUNS: f64 = 0.4;
/// The most rounds in which a day's material moves.
const ROUNDS: u32 = 4;

/// In how many rounds the material of a cell moves that was trodden so often in a day, in 1/255.
fn rounds(hits: u32) -> u32 {
    match hits {
        0..=127 => 1,
        128..=510 => 2,
        _ => ROUNDS,
    }
}

/// Moves what was pushed aside, by slot, and what lay loose under soles, on to a ring around each cell. Soles come one after the
/// other, each moves on what others have left: the day is taken in rounds, in each of which a cell that is trodden `m` times keeps
/// 1/(1 + m) of what lies on it.
pub(crate) fn spread(
    ground: &mut Ground,
    asked: &[Option<Box<Asked>>],
    pushed: &[(usize, Box<[i32; CELLS]>)],
) {
    let ring = Ring::new(ground);
    let often = |slot: usize| asked.get(slot).and_then(Option::as_deref);
    let most: Vec<u32> = pushed
        .iter()
        .map(|(slot, _)| often(*slot).map_or(0, |day| rounds(day.hits.iter().copied().max().unwrap_or(0))))
        .collect();
    for round in 0..ROUNDS {
        let shared = &*ground;
        let windows: Vec<Option<Vec<i32>>> = pushed
            .par_iter()
            .zip(&most)
            .map(|((slot, pushed), most)| {
                let day = often(*slot).filter(|_| round < *most)?;
                let tile = &shared.tiles[*slot];
                let mut moves = [0; CELLS];
                let mut any = false;
                for c in (0..CELLS).filter(|&c| day.hits[c] > 0) {
                    let n = rounds(day.hits[c]);
                    if round >= n {
                        continue;
                    }
                    let part = pushed[c] / n as i32 + if round == 0 { pushed[c] % n as i32 } else { 0 };
                    let (lies, m) = (tile.loose[c], i64::from(day.hits[c] / n));
                    let taken =
                        if day.share[c] > 127 && lies > THIN { i64::from(lies) * m / (255 + m) } else { 0 };
                    moves[c] = part + taken as i32;
                    any |= moves[c] > 0;
                }
                any.then(|| {
                    ring.throw(shared.keys()[*slot], &moves, |c| {
                        // What was pushed up in this round lies nowhere yet.
                        let n = rounds(day.hits[c]) as i32;
                        pushed[c] / n + if round == 0 { pushed[c] % n } else { 0 }
                    })
                })
            })
            .collect();
        let mut none = true;
        for ((slot, _), window) in pushed.iter().zip(windows) {
            if let Some(window) = window {
                none = false;
                ring.give(ground, *slot, &window);
            }
        }
        if none {
            break;
        }
    }
}

/// A ring just beyond the half of a sole, in cells, and the window of cells that a tile's material can come to.
struct Ring {
    places: Vec<[i32; 2]>,
    reach: i32,
    size: [i32; 2],
}

impl Ring {
    fn new(ground: &Ground) -> Self {
        let at = |r: f64| (r / ground.cell).round() as i32;
        let place = |i: i32| {
            let angle = f64::from(i) / 12.0 * std::f64::consts::TAU;
            [at(THROWN * libm::cos(angle)), at(THROWN * libm::sin(angle))]
        };
        let places: Vec<[i32; 2]> = (0..12).map(place).collect();
        let reach = places.iter().flatten().map(|d| d.abs()).max().unwrap_or(0);
        Self { places, reach, size: ground.size }
    }

    fn side(&self) -> usize {
        SIDE + 2 * self.reach as usize
    }

    /// What a tile's moves add to the cells around it and to itself; `new` is what of them did not lie there before.
    fn throw(&self, key: Key, moves: &[i32; CELLS], new: impl Fn(usize) -> i32) -> Vec<i32> {
        let (side, reach) = (self.side() as i32, self.reach);
        let mut window = vec![0; self.side() * self.side()];
        let first = [key.1 * SIDE as i32, key.0 * SIDE as i32];
        let within = |x: i32, z: i32| x >= 0 && z >= 0 && x < self.size[0] && z < self.size[1];
        let last = SIDE as i32 - 1 + reach;
        let whole = within(first[0] - reach, first[1] - reach) && within(first[0] + last, first[1] + last);
        let steps: Vec<i32> = self.places.iter().map(|d| d[1] * side + d[0]).collect();
        for c in (0..CELLS).filter(|&c| moves[c] > 0) {
            let (x, z) = ((c % SIDE) as i32, (c / SIDE) as i32);
            let at = (z + reach) * side + x + reach;
            let part = moves[c] / self.places.len() as i32;
            let mut gone = 0;
            for (step, d) in steps.iter().zip(&self.places) {
                // Nothing leaves the map.
                if whole || within(first[0] + x + d[0], first[1] + z + d[1]) {
                    window[(at + step) as usize] += part;
                    gone += part;
                }
            }
            window[at as usize] += new(c) - gone;
        }
        window
    }

    /// Adds a window to the ground.
    fn give(&self, ground: &mut Ground, slot: usize, window: &[i32]) {
        let (side, reach) = (self.side() as i32, self.reach);
        let (kz, kx) = ground.keys()[slot];
        let s = SIDE as i32;
        let near = (reach + s - 1) / s;
        for dz in -near..=near {
            for dx in -near..=near {
                // Cells of the window that lie in that tile.
                let span = |d: i32| ((d * s).max(-reach), ((d + 1) * s).min(s + reach));
                let ((z0, z1), (x0, x1)) = (span(dz), span(dx));
                let rows = (z0..z1).map(|z| ((z + reach) * side + x0 + reach) as usize);
                let length = (x1 - x0) as usize;
                if rows.clone().all(|at| window[at..at + length].iter().all(|&w| w == 0)) {
                    continue;
                }
                let other = ground.touch((kz + dz, kx + dx));
                let loose = &mut ground.tiles[other].loose;
                for (z, at) in (z0..z1).zip(rows) {
                    let to = cell_of(x0, z);
                    for (cell, more) in loose[to..to + length].iter_mut().zip(&window[at..at + length]) {
                        *cell = cell.saturating_add(*more);
                    }
                }
            }
        }
    }
}

/// Lets loose material slide for some sweeps, from the tiles of these slots on.
pub(crate) fn slide(ground: &mut Ground, slots: impl Iterator<Item = usize>) {
    let mut active: Vec<Key> = slots.map(|slot| ground.keys()[slot]).collect();
    let mut known = Firm::default();
    for _ in 0..SWEEPS {
        if active.is_empty() {
            break;
        }
        active = sweep(ground, &active, &mut known);
    }
}

/// How far the firm ground of tiles lies below the original, nm: prints, packing and what was carried off.
type Firm = ByPlace<Box<[i32; CELLS]>>;

/// Adds the firm ground of tiles and of their neighbours.
fn firm(ground: &Ground, keys: &[Key], known: &mut Firm) {
    let mut missing: Vec<Key> = beside(keys);
    missing.retain(|k| !known.contains_key(k));
    let one = |key: &Key| {
        let tile = ground.tile(*key)?;
        let packed = |c: usize| if tile.passes[c] > 0 { (ground.packed(tile, c) * NANO) as i32 } else { 0 };
        let depth = std::array::from_fn(|c| tile.print[c] + tile.eroded[c] + packed(c));
        Some((*key, Box::new(depth)))
    };
    let made: Vec<(Key, Box<[i32; CELLS]>)> = missing.par_iter().filter_map(one).collect();
    known.extend(made);
}

/// Tiles and those beside them, sorted.
fn beside(keys: &[Key]) -> Vec<Key> {
    let around = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0)];
    let mut all: Vec<Key> = keys.iter().flat_map(|k| around.map(|d| (k.0 + d.0, k.1 + d.1))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Loose material that moves from a cell to the next: cell, whether to the right or down, how much, nm.
type Flow = (u16, u8, i32);

/// One sweep of sliding over tiles and their neighbours: loose material steeper than it rests moves to the next cell. Returns the
/// tiles in which something moved.
fn sweep(ground: &mut Ground, active: &[Key], known: &mut Firm) -> Vec<Key> {
    firm(ground, active, known);
    let keys = beside(active);
    let (shared, known) = (&*ground, &*known);
    let limits: Vec<i64> =
        ground.materials.iter().map(|m| (libm::tan(m.rest_angle) * ground.cell * NANO) as i64).collect();
    let flows: Vec<(Key, Vec<Flow>)> = keys
        .par_iter()
        .filter_map(|&key| {
            let tile = shared.tile(key)?;
            let mine = known.get(&key)?;
            let next = [(key.0, key.1 + 1), (key.0 + 1, key.1)].map(|k| shared.tile(k).zip(known.get(&k)));
            if tile.loose.iter().all(|&l| l == 0)
                && next.iter().flatten().all(|(t, _)| t.loose.iter().all(|&l| l == 0))
            {
                return None;
            }
            let drop = tile.slope.map(|s| (f64::from(s) * ground.cell * NANO) as i64);
            let mut out = Vec::new();
            for c in 0..CELLS {
                let height = i64::from(tile.loose[c]) - i64::from(mine[c]);
                // To the right and down; the other two belong to the neighbours.
                for axis in 0..2 {
                    let last = if axis == 0 { c % SIDE == SIDE - 1 } else { c / SIDE == SIDE - 1 };
                    let (loose, firm) = if last {
                        let n = if axis == 0 { c + 1 - SIDE } else { c % SIDE };
                        next[axis].map_or((0, 0), |(t, f)| (t.loose[n], f[n]))
                    } else {
                        let n = if axis == 0 { c + 1 } else { c + SIDE };
                        (tile.loose[n], mine[n])
                    };
                    if tile.loose[c] == 0 && loose == 0 {
                        continue;
                    }
                    let fall = height - (i64::from(loose) - i64::from(firm)) - drop[axis];
                    let over = fall.abs() - limits[tile.material[c] as usize];
                    if over > 0 {
                        let source = if fall > 0 { tile.loose[c] } else { loose };
                        let moved = (over / 4).min(i64::from(source) / 4) as i32;
                        if moved > 0 {
                            out.push((c as u16, axis as u8, if fall > 0 { moved } else { -moved }));
                        }
                    }
                }
            }
            (!out.is_empty()).then_some((key, out))
        })
        .collect();
    let mut changed = Vec::new();
    for (key, list) in flows {
        changed.push(key);
        let mine = ground.touch(key);
        for (c, axis, moved) in list {
            let c = c as usize;
            let last = if axis == 0 { c % SIDE == SIDE - 1 } else { c / SIDE == SIDE - 1 };
            ground.tiles[mine].loose[c] -= moved;
            if last {
                let (other, n) = if axis == 0 {
                    ((key.0, key.1 + 1), c + 1 - SIDE)
                } else {
                    ((key.0 + 1, key.1), c % SIDE)
                };
                let slot = ground.touch(other);
                ground.tiles[slot].loose[n] += moved;
                changed.push(other);
            } else {
                ground.tiles[mine].loose[if axis == 0 { c + 1 } else { c + SIDE }] += moved;
            }
        }
    }
    changed.sort_unstable();
    changed.dedup();
    changed
}

/// Rain carries off loose and bare material where water finds bare ground to run on; returns how much of the tiles that are
/// one's own, nm over one cell.
pub(crate) fn wash(ground: &mut Ground, per_slope: f64, own: &dyn Fn(Key) -> bool) -> i64 {
    let shared = &*ground;
    let bare = |tile: &Tile, c: usize| {
        if tile.passes[c] == 0 {
            0.0
        } else if tile.patch[c] == NO_PATCH {
            (f64::from(tile.passes[c]) / 2550.0).min(1.0)
        } else {
            1.0 - f64::from(tile.cover[c])
        }
    };
    let losses: Vec<Option<Box<[i32; CELLS]>>> = (0..ground.tiles.len())
        .into_par_iter()
        .map(|slot| {
            let (key, tile) = (shared.keys()[slot], &shared.tiles[slot]);
            let steep = f64::from(tile.slope[0] * tile.slope[0] + tile.slope[1] * tile.slope[1]).sqrt();
            if steep < 0.005 {
                return None;
            }
            let down = tile.slope.map(|s| (-f64::from(s) / steep * RUNS / shared.cell).round() as i32);
            let mut out = None;
            for c in 0..CELLS {
                let here = bare(tile, c);
                if here < 0.05 {
                    continue;
                }
                let (x, z) =
                    (key.1 * SIDE as i32 + (c % SIDE) as i32, key.0 * SIDE as i32 + (c / SIDE) as i32);
                let (x, z) = (x + down[0], z + down[1]);
                let below = shared.tile(key_of(x, z)).map_or(0.0, |t| bare(t, cell_of(x, z)));
                let loss = (per_slope * steep * here * below * NANO) as i32;
                if loss > 0 {
                    out.get_or_insert_with(|| Box::new([0; CELLS]))[c] = loss;
                }
            }
            out
        })
        .collect();
    let mut washed = 0;
    let (tiles, keys, _) = ground.parts_mut();
    for ((tile, key), loss) in tiles.iter_mut().zip(keys).zip(losses) {
        let Some(loss) = loss else { continue };
        let counts = i64::from(own(*key));
        for c in (0..CELLS).filter(|&c| loss[c] > 0) {
            // Loose material goes first.
            let loose = tile.loose[c].min(loss[c]).max(0);
            tile.loose[c] -= loose;
            tile.eroded[c] += loss[c] - loose;
            washed += counts * i64::from(loss[c]);
        }
    }
    washed
}
