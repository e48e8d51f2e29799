//! All clumps of a world that are in view.

use super::blade::{self, Blade};
use crate::lod::{self, Eye, Square};
use crate::uploads::Uploads;
use bevy::math::{Vec3, Vec4};
use std::collections::{BTreeMap, BTreeSet};
use trample::scene::PlantKind;
use trample::state::{PLANT_CELL, TILE, TileKey};

/// Blades of a clump; more stems than that are thinned out.
pub const BLADES: usize = 256;
/// The largest clumps are 3.2 m wide; our choice.
const LARGEST: u8 = 3;

/// The blades of a clump, to write.
#[derive(Clone, Debug, PartialEq)]
pub struct ClumpWrite {
    /// Where in the table of clumps.
    pub slot: u32,
    /// [`BLADES`] of them; those that are not there have no width.
    pub blades: Vec<Blade>,
}

impl ClumpWrite {
    /// Bytes it takes to a graphics card.
    pub fn bytes(&self) -> u64 {
        (self.blades.len() * size_of::<Blade>()) as u64
    }
}

#[derive(Clone, Copy, Debug)]
struct Clump {
    /// None where nothing grows.
    slot: Option<u32>,
    /// Its corner, m.
    corner: Vec3,
    /// Lowest and highest point of its blades from the corner, m.
    span: [Vec3; 2],
}

/// The clumps in view.
#[derive(Debug)]
pub struct Field {
    free: Vec<u32>,
    most: usize,
    filled: BTreeMap<Square, Clump>,
    wanted: Vec<Square>,
    shown: Vec<Square>,
    eye: Option<(Eye, f32, f32)>,
    /// Cells that moved when last looked at: they are written once more after they have come to rest.
    moved: BTreeSet<(i32, i32)>,
    /// Clumps to write again.
    stale: BTreeSet<Square>,
    writes: Vec<ClumpWrite>,
}

fn unit() -> f32 {
    PLANT_CELL as f32
}

impl Field {
    /// No clumps yet, and room for `most`.
    pub fn new(most: usize) -> Self {
        Self {
            free: (0..most as u32).rev().collect(),
            most,
            filled: BTreeMap::new(),
            wanted: Vec::new(),
            shown: Vec::new(),
            eye: None,
            moved: BTreeSet::new(),
            stale: BTreeSet::new(),
            writes: Vec::new(),
        }
    }

    /// The clumps to draw: which, their slot, their corner and how far their blades reach from it, m.
    pub fn shown(&self) -> impl Iterator<Item = (Square, u32, Vec3, [Vec3; 2])> {
        self.shown.iter().filter_map(|key| {
            let clump = self.filled.get(key)?;
            Some((*key, clump.slot?, clump.corner, clump.span))
        })
    }

    /// Whether nothing must be written.
    pub fn is_quiet(&self) -> bool {
        self.writes.is_empty()
    }

    /// What must be written, each once.
    pub fn take_writes(&mut self) -> Vec<ClumpWrite> {
        std::mem::take(&mut self.writes)
    }

    /// Looks from an eye as far as `reach` m, `detail` as in [`lod`]; fills missing clumps of up to `budget` plant cells and shows
    /// the new choice once it is whole. Says whether other clumps are shown than before.
    pub fn look(
        &mut self,
        world: &trample::World,
        eye: Eye,
        [detail, reach]: [f32; 2],
        budget: usize,
        uploads: &mut Uploads,
    ) -> bool {
        if world.plants().is_empty() || self.most == 0 {
            return false;
        }
        let near = |(last, d, r): (Eye, f32, f32)| last.is_near(&eye) && d == detail && r == reach;
        if self.wanted == self.shown && !self.eye.is_some_and(near) {
            self.wanted = choose(world, &eye, detail, reach, self.most * 2 / 3);
            self.eye = Some((eye, detail, reach));
        }
        if self.wanted == self.shown {
            return false;
        }
        let missing: Vec<Square> =
            self.wanted.iter().filter(|key| !self.filled.contains_key(key)).copied().collect();
        let mut left = budget.max(1);
        if self.shown.is_empty() || missing.len() > self.free.len() {
            self.drop_all_but_wanted();
            left = usize::MAX;
        }
        let mut whole = true;
        for key in missing {
            if left == 0 {
                whole = false;
                break;
            }
            left = left.saturating_sub(1 << (2 * key.level));
            self.write(world, key, uploads);
        }
        if whole {
            self.shown.clone_from(&self.wanted);
            self.drop_all_but_wanted();
        }
        whole
    }

    fn drop_all_but_wanted(&mut self) {
        let (wanted, free, stale) = (&self.wanted, &mut self.free, &mut self.stale);
        self.filled.retain(|key, clump| {
            let keep = wanted.binary_search(key).is_ok();
            if !keep {
                free.extend(clump.slot);
                stale.remove(key);
            }
            keep
        });
    }

    /// Writes clumps again whose plants move, have just come to rest, or stand on tiles that changed: those of one cell at once,
    /// larger ones up to `budget` cells.
    pub fn update(
        &mut self,
        world: &trample::World,
        tiles: &[TileKey],
        budget: usize,
        uploads: &mut Uploads,
    ) {
        if self.filled.is_empty() {
            return;
        }
        let mut cells: BTreeSet<(i32, i32)> = world.plants().awake_cells().map(|[x, z]| (x, z)).collect();
        let side = TILE as f64 * world.ground().cell;
        for tile in tiles {
            let cell = |k: i32| ((f64::from(k) + 0.5) * side / PLANT_CELL).floor() as i32;
            cells.insert((cell(tile.x), cell(tile.z)));
        }
        displaced_cells(world, &mut cells);
        let touched: Vec<(i32, i32)> = cells.union(&self.moved).copied().collect();
        for (x, z) in touched {
            for level in 0..=LARGEST {
                let key = Square { level, z: z >> level, x: x >> level };
                if self.filled.contains_key(&key) {
                    self.stale.insert(key);
                }
            }
        }
        self.moved = cells;
        let mut left = budget;
        let due: Vec<Square> = self
            .stale
            .iter()
            .copied()
            .filter(|key| {
                let cost = if key.level == 0 { 0 } else { 1 << (2 * key.level) };
                let fits = cost == 0 || left > 0;
                left = left.saturating_sub(if fits { cost } else { 0 });
                fits
            })
            .collect();
        for key in due {
            self.stale.remove(&key);
            self.write(world, key, uploads);
        }
    }

    /// Writes a clump, into its slot or a new one.
    fn write(&mut self, world: &trample::World, key: Square, uploads: &mut Uploads) {
        let side = f64::from(key.side(1.0)) * PLANT_CELL;
        let min = [f64::from(key.x) * side, f64::from(key.z) * side];
        let max = [min[0] + side, min[1] + side];
        let middle = [0, 1].map(|k| 0.5 * (min[k] + max[k]));
        let level = world.ground().base.height(middle[0], middle[1]);
        let corner = Vec3::new(min[0] as f32, level as f32, min[1] as f32);
        let widths: Vec<f32> = world.scene().plants.iter().map(|p| blade::width(&p.species)).collect();
        let mut all: Vec<(f32, Blade)> = Vec::new();
        world.each_stem(min, max, |stem| {
            let own = blade::own_number(&stem);
            let width = widths.get(stem.patch).copied().unwrap_or(0.005);
            all.push((own, blade::blade(&stem, corner, width, own)));
        });
        let share = BLADES as f32 / all.len().max(1) as f32;
        if share < 1.0 {
            // The same stems stay at every distance, those with the smallest numbers; they grow wider to cover as much.
            all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            all.truncate(BLADES);
            let wider = 1.0 / share.sqrt();
            all.iter_mut().for_each(|(_, blade)| blade[0].w *= wider.min(4.0));
        }
        let mut blades: Vec<Blade> = all.into_iter().map(|(_, blade)| blade).collect();
        let mut span = [Vec3::MAX, Vec3::MIN];
        for p in blades.iter().flatten() {
            span = [span[0].min(p.truncate()), span[1].max(p.truncate())];
        }
        let old = self.filled.get(&key).and_then(|clump| clump.slot);
        let slot = if blades.is_empty() { old } else { old.or_else(|| self.free.pop()) };
        self.filled.insert(key, Clump { slot, corner, span });
        if let Some(slot) = slot {
            blades.resize(BLADES, [Vec4::ZERO; 4]);
            let write = ClumpWrite { slot, blades };
            uploads.count(write.bytes());
            uploads.clumps_last_frame += 1;
            self.writes.push(write);
        }
    }
}

/// Plants that are only moved aside have no blocks that move: their cells near feet are taken instead.
fn displaced_cells(world: &trample::World, cells: &mut BTreeSet<(i32, i32)>) {
    for patch in &world.scene().plants {
        let PlantKind::Displaced { most, fade } = patch.kind else { continue };
        let reach = (most / fade.max(1e-3)).min(2.0);
        for id in 0..world.puppets() {
            for sole in &world.puppet(id).pose.soles {
                let span = |p: f32| {
                    let cell = |p: f64| (p / PLANT_CELL).floor() as i32;
                    cell(f64::from(p) - reach)..=cell(f64::from(p) + reach)
                };
                for z in span(sole.position.z) {
                    cells.extend(span(sole.position.x).map(|x| (x, z)));
                }
            }
        }
    }
}

/// The clumps to show, around an eye and where something grows.
fn choose(world: &trample::World, eye: &Eye, detail: f32, reach: f32, most: usize) -> Vec<Square> {
    let grows = |square: Square| {
        let side = f64::from(square.side(1.0)) * PLANT_CELL;
        let meets = |k: usize, at: i32, p: &trample::PlantPatch| {
            f64::from(at + 1) * side > p.min[k] && f64::from(at) * side < p.max[k]
        };
        eye.distance(square, unit()) < reach
            && world.scene().plants.iter().any(|p| meets(0, square.x, p) && meets(1, square.z, p))
    };
    let side = Square { level: LARGEST, z: 0, x: 0 }.side(unit());
    let span = |p: f32| ((p - reach) / side).floor() as i32..=((p + reach) / side).floor() as i32;
    let roots =
        span(eye.place[1]).flat_map(|z| span(eye.place[0]).map(move |x| Square { level: LARGEST, z, x }));
    lod::choose(roots.filter(|root| grows(*root)), eye, unit(), detail, most, grows)
}
