//! The ground over time: which tiles changed when, and the meshes that show it.
//!
//! A file of triangles cannot say "this print appears now" but by pieces that come and go. So the ground is cut along its tiles: what never
//! changed is one mesh, and every tile that did has a mesh for each of its states, shown from when it came about until the next one did.

use crate::glb::Land;
use std::collections::{BTreeMap, BTreeSet};
use trample::internal::{NANO, cell_of, tile_of};
use trample::{CellRect, TILE, TileKey, World};

/// Cells of a tile.
const CELLS: usize = TILE * TILE;
/// Time between two states, s: as films on paper were drawn; our choice.
const EVERY: f64 = 1.0 / 12.0;
/// Most tiles that are kept, of all moments together: about 120 MB. Beyond that every second moment is dropped.
const MOST_TILES: usize = 60_000;
/// Most points of all pieces: about 60 MB in a file. Beyond that every second moment is dropped.
const MOST_POINTS: usize = 2 << 20;
/// Change of height below which a state is not shown anew, m: a tenth of a millimetre is not seen.
const SEEN: f64 = 1e-4;

/// What was done to the cells of a tile, nm.
type Done = Box<[[i32; 2]; CELLS]>;

/// Tiles as they were at some moments, as far as they had changed.
#[derive(Clone, Debug)]
pub struct History {
    /// Moments, s, and the tiles that had changed since the one before: compression and accumulation of each cell.
    moments: Vec<(f32, BTreeMap<TileKey, Done>)>,
    changed: BTreeSet<TileKey>,
    every: f64,
    next: f64,
}

/// A piece of the ground, shown for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// What is shown.
    pub land: Land,
    /// From when on, s; 0 from the beginning.
    pub from: f32,
    /// Until when, s; none until the end.
    pub until: Option<f32>,
}

impl History {
    /// Begins with the ground as it is.
    pub fn new(world: &mut World) -> Self {
        world.take_dirty(|_| {});
        let start: BTreeSet<TileKey> = world.ground().tiles.iter().map(|tile| tile.key).collect();
        let mut history = Self { moments: Vec::new(), changed: start, every: EVERY, next: world.time() };
        history.note(world);
        history
    }

    /// Looks at the ground after a step.
    pub fn take(&mut self, world: &mut World) {
        world.take_dirty(|key| {
            self.changed.insert(key);
        });
        if world.time() >= self.next - 1e-9 {
            self.note(world);
        }
    }

    /// Looks once more, whenever that is: loose material has come to rest.
    pub fn end(&mut self, world: &mut World) {
        world.take_dirty(|key| {
            self.changed.insert(key);
        });
        self.note(world);
    }

    fn note(&mut self, world: &World) {
        self.next = (self.next + self.every).max(world.time());
        let tiles: BTreeMap<TileKey, Done> = std::mem::take(&mut self.changed)
            .into_iter()
            .filter_map(|key| {
                let layers = &world.ground().tiles.get(key)?.layers;
                Some((
                    key,
                    Box::new(std::array::from_fn(|c| [layers.compression[c], layers.accumulation[c]])),
                ))
            })
            .collect();
        let time = world.time() as f32;
        match self.moments.last_mut() {
            // Nothing new, or the same moment once more.
            Some(last) if tiles.is_empty() || last.0 >= time => last.1.extend(tiles),
            _ => self.moments.push((time, tiles)),
        }
        if self.moments.iter().map(|(_, tiles)| tiles.len()).sum::<usize>() > MOST_TILES {
            self.thin();
        }
    }

    /// Joins every second moment after the first to the one after it.
    fn thin(&mut self) {
        self.every *= 2.0;
        let mut moments: Vec<(f32, BTreeMap<TileKey, Done>)> = Vec::with_capacity(self.moments.len() / 2 + 1);
        for (i, (time, tiles)) in std::mem::take(&mut self.moments).into_iter().enumerate() {
            match moments.last_mut() {
                Some(last) if i % 2 == 0 && i > 0 => {
                    last.0 = time;
                    last.1.extend(tiles);
                }
                _ => moments.push((time, tiles)),
            }
        }
        self.moments = moments;
    }

    /// The ground of a window cut into what stays and what comes and goes. What was there at the first moment is there from the beginning.
    pub fn pieces(mut self, world: &World, window: CellRect) -> (Land, Vec<Piece>) {
        loop {
            let (land, pieces, points) = self.cut(world, window);
            if points <= MOST_POINTS || self.moments.len() < 3 {
                return (land, pieces);
            }
            self.thin();
        }
    }

    fn cut(&self, world: &World, window: CellRect) -> (Land, Vec<Piece>, usize) {
        let ground = world.ground();
        let t = TILE as i32;
        let deepest = world.map(trample::Map::Compression).max().max(1e-4);
        let mut state: BTreeMap<TileKey, &Done> = BTreeMap::new();
        let mut shown: BTreeMap<TileKey, usize> = BTreeMap::new();
        let (mut pieces, mut points): (Vec<Piece>, usize) = (Vec::new(), 0);
        // Tiles that ever change after the first moment; a mesh reaches one cell into the next tiles, so it changes with them.
        let before = |key: &TileKey| {
            [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, z)| TileKey { x: key.x - x, z: key.z - z })
        };
        let moving: BTreeSet<TileKey> =
            self.moments.iter().skip(1).flat_map(|(_, tiles)| tiles.keys().flat_map(before)).collect();
        let (x1, z1) = (window.x + window.width as i32, window.z + window.height as i32);
        for (n, (time, tiles)) in self.moments.iter().enumerate() {
            state.extend(tiles.iter().map(|(key, done)| (*key, done)));
            let affected: BTreeSet<TileKey> =
                if n == 0 { moving.clone() } else { tiles.keys().flat_map(before).collect() };
            let at = |x: i32, z: i32| {
                let [down, up] = state.get(&tile_of(x, z)).map_or([0, 0], |done| done[cell_of(x, z)]);
                let raised = (f64::from(up) - f64::from(down)) / NANO;
                [ground.base_nano(x, z) as f64 / NANO + raised, f64::from(down) / NANO]
            };
            for key in affected {
                let side = |key: i32, low: i32, high: i32| (key * t).max(low)..((key + 1) * t + 1).min(high);
                let (columns, rows) = (side(key.x, window.x, x1), side(key.z, window.z, z1));
                if columns.len() < 2 || rows.len() < 2 {
                    continue;
                }
                let land = Land::patch(world, columns, rows, deepest, &at);
                let same = shown.get(&key).is_some_and(|&last| {
                    let old = &pieces[last].land.points;
                    old.iter().zip(&land.points).all(|(a, b)| f64::from((a[1] - b[1]).abs()) < SEEN)
                });
                if same {
                    continue;
                }
                let from = if n == 0 { 0.0 } else { *time };
                if let Some(&last) = shown.get(&key) {
                    pieces[last].until = Some(from);
                }
                points += land.points.len();
                shown.insert(key, pieces.len());
                pieces.push(Piece { land, from, until: None });
            }
        }
        let mut land = Land::new(world, window, 1);
        land.keep_quads(window, |x, z| !moving.contains(&tile_of(x, z)));
        (land, pieces, points)
    }
}
