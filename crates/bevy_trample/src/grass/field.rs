//! All clumps of a world that are in view.

use super::blade::{self, Blade};
use crate::lod::{self, Eye, Square};
use crate::uploads::Uploads;
use bevy::math::{Vec3, Vec4};
use std::collections::{BTreeMap, BTreeSet};
use trample::scene::PlantKind;
use trample::{PLANT_CELL, TILE, TileKey};
use trample_looks::Figure;

/// Blades of a clump; more stems than that are thinned out.
pub(crate) const BLADES: usize = 256;
/// Stems of the meshes that clumps are drawn with: a clump takes the smallest that holds its own, so that hardly a vertex is spent on
/// a stem that is not there. Our choice.
pub(crate) const SIZES: [usize; 12] = [16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, BLADES];

/// The smallest of [`SIZES`] for so many stems.
pub(crate) fn size_for(stems: usize) -> usize {
    SIZES.into_iter().find(|size| *size >= stems).unwrap_or(BLADES)
}

/// The largest clumps are 3.2 m wide; our choice.
const LARGEST: u8 = 3;

/// Texels of a clump in one half of the table: four a blade. The table has two halves, one for the step before the last.
pub(crate) const HALF: u32 = 4 * BLADES as u32;

/// Most clumps of a table: as many rows as a texture has in every browser, less one.
pub(crate) const MOST: usize = 2047;

/// The blades of a clump, to write.
#[derive(Clone, Debug, PartialEq)]
pub struct ClumpWrite {
    /// Where in the table of clumps.
    pub slot: u32,
    /// Into which half of the table, 0 or 1.
    pub half: u32,
    /// Up to 256, as many as the mesh of its clump has; those that are not there have no width.
    pub blades: Vec<Blade>,
}

impl ClumpWrite {
    /// Bytes it takes to a graphics card.
    pub fn bytes(&self) -> u64 {
        (self.blades.len() * size_of::<Blade>()) as u64
    }
}

/// A clump in view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clump {
    slot: Option<u32>,
    /// Its corner, m.
    pub corner: Vec3,
    /// Lowest and highest point of its blades from the corner, m.
    pub span: [Vec3; 2],
    /// How many blades it shows.
    pub count: usize,
    /// Which half of the table was written last.
    half: u32,
    /// Whether it moved in the last step: the other half then holds what it was before.
    moving: bool,
}

impl Clump {
    /// What the card must know: its slot in the low sixteen bits, which half of the table is the newer, and whether it is to be
    /// shown between the two. None where nothing grows.
    pub fn tag(&self) -> Option<u32> {
        Some(self.slot? | self.half << 16 | u32::from(self.moving) << 17)
    }
}

/// The clumps in view.
#[derive(Debug)]
pub struct Field {
    free: Vec<u32>,
    most: usize,
    filled: BTreeMap<Square, Clump>,
    wanted: Vec<Square>,
    visible: Vec<Square>,
    eye: Option<(Eye, f32, f32)>,
    /// Cells that moved when last looked at: they are written once more after they have come to rest.
    moved: BTreeSet<(i32, i32)>,
    /// Clumps to write again.
    stale: BTreeSet<Square>,
    /// Clumps that are shown between two steps.
    moving: BTreeSet<Square>,
    /// Steps of the world when last brought up to date.
    step: u64,
    writes: Vec<ClumpWrite>,
}

fn unit() -> f32 {
    PLANT_CELL as f32
}

impl Field {
    /// No clumps yet, and room for `most`, 2047 at most.
    pub fn new(most: usize) -> Self {
        let most = most.min(MOST);
        Self {
            free: (0..most as u32).rev().collect(),
            most,
            filled: BTreeMap::new(),
            wanted: Vec::new(),
            visible: Vec::new(),
            eye: None,
            moved: BTreeSet::new(),
            stale: BTreeSet::new(),
            moving: BTreeSet::new(),
            step: 0,
            writes: Vec::new(),
        }
    }

    /// The clumps to draw, where anything grows.
    pub fn visible(&self) -> impl Iterator<Item = (Square, Clump)> {
        self.visible.iter().filter_map(|key| {
            let clump = self.filled.get(key)?;
            clump.slot.map(|_| (*key, *clump))
        })
    }

    /// Where the eye was when clumps were last chosen, and how far they reach, m.
    pub fn eye(&self) -> Option<(Eye, f32)> {
        self.eye.map(|(eye, _, reach)| (eye, reach))
    }

    /// Whether any clump is shown between two steps.
    pub fn is_moving(&self) -> bool {
        !self.moving.is_empty()
    }

    /// Whether nothing must be written.
    pub fn is_quiet(&self) -> bool {
        self.writes.is_empty()
    }

    /// What must be written, each once.
    pub fn take_writes(&mut self) -> Vec<ClumpWrite> {
        std::mem::take(&mut self.writes)
    }

    /// Looks from an eye as far as `reach` m, `detail` as in `TrampleLook::grass_detail`; fills missing clumps of up to `budget` plant cells and shows
    /// the new choice once it is whole. Says whether other clumps are shown than before.
    pub fn follow(
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
        if self.wanted == self.visible && !self.eye.is_some_and(near) {
            self.wanted = choose(world, &eye, detail, reach, self.most * 2 / 3);
            self.eye = Some((eye, detail, reach));
        }
        if self.wanted == self.visible {
            return false;
        }
        let missing: Vec<Square> =
            self.wanted.iter().filter(|key| !self.filled.contains_key(key)).copied().collect();
        let mut left = budget.max(1);
        if self.visible.is_empty() || missing.len() > self.free.len() {
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
            self.write(world, key, false, uploads);
        }
        if whole {
            self.visible.clone_from(&self.wanted);
            self.drop_all_but_wanted();
        }
        whole
    }

    fn drop_all_but_wanted(&mut self) {
        let (wanted, free, stale, moving) = (&self.wanted, &mut self.free, &mut self.stale, &mut self.moving);
        self.filled.retain(|key, clump| {
            let keep = wanted.binary_search(key).is_ok();
            if !keep {
                free.extend(clump.slot);
                stale.remove(key);
                moving.remove(key);
            }
            keep
        });
    }

    /// Writes clumps again whose plants move, have just come to rest, or stand on tiles that changed: those of one cell at once,
    /// larger ones up to `budget` cells. Says whether any clump is told to the card in another way than before.
    ///
    /// Where one step was taken since the last call, a clump of one cell goes into the other half of the table, so that a frame can
    /// show it between the two: nothing is sent twice. Larger ones are far away and wait for their turn; they are shown as they are.
    pub fn update(
        &mut self,
        world: &trample::World,
        tiles: &[TileKey],
        budget: usize,
        uploads: &mut Uploads,
    ) -> bool {
        let before = std::mem::replace(&mut self.step, world.steps());
        if self.filled.is_empty() {
            return false;
        }
        let single = self.step == before + 1;
        let mut settled = Vec::new();
        if self.step != before {
            self.find_stale(world, tiles);
            // What was not moved by this step is no longer between two.
            settled.extend(self.moving.iter().filter(|key| !self.stale.contains(key)).copied());
        }
        for key in &settled {
            self.moving.remove(key);
            if let Some(clump) = self.filled.get_mut(key) {
                clump.moving = false;
            }
        }
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
        let changed = !settled.is_empty() || !due.is_empty();
        for key in due {
            self.stale.remove(&key);
            self.write(world, key, single && key.level == 0, uploads);
        }
        changed
    }

    /// Notes the clumps whose plants have moved.
    fn find_stale(&mut self, world: &trample::World, tiles: &[TileKey]) {
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
    }

    /// Writes a clump, into its slot or a new one; beside what it was a step before if it shall be shown `between`.
    fn write(&mut self, world: &trample::World, key: Square, between: bool, uploads: &mut Uploads) {
        let side = f64::from(key.side(1.0)) * PLANT_CELL;
        let min = [f64::from(key.x) * side, f64::from(key.z) * side];
        let max = [min[0] + side, min[1] + side];
        let middle = [0, 1].map(|k| 0.5 * (min[k] + max[k]));
        let level = world.ground().base.height(middle[0], middle[1]);
        let corner = Vec3::new(min[0] as f32, level as f32, min[1] as f32);
        let widths: Vec<f32> = world.scene().plants.iter().map(|p| Figure::of(&p.species).width).collect();
        let mut all: Vec<(f32, usize, Blade)> = Vec::new();
        let mut counts = vec![0; widths.len()];
        world.each_stem(min, max, |stem| {
            let own = blade::own_number(&stem);
            let (Some(width), Some(count)) = (widths.get(stem.patch), counts.get_mut(stem.patch)) else {
                return;
            };
            *count += 1;
            all.push((own, stem.patch, blade::blade(&stem, corner, *width, own)));
        });
        if all.len() > BLADES {
            // The same stems stay at every distance, those with the smallest numbers; they grow wider to cover as much.
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let kept = shared_out(&counts, BLADES);
            let mut left = kept.clone();
            all.retain(|(_, patch, _)| {
                let stays = left[*patch] > 0;
                left[*patch] -= usize::from(stays);
                stays
            });
            for (_, patch, blade) in &mut all {
                let wider = (counts[*patch] as f32 / kept[*patch].max(1) as f32).sqrt();
                blade[0].w *= wider.min(4.0);
            }
        }
        let mut blades: Vec<Blade> = all.into_iter().map(|(_, _, blade)| blade).collect();
        let mut span = [Vec3::MAX, Vec3::MIN];
        for p in blades.iter().flatten() {
            span = [span[0].min(p.truncate()), span[1].max(p.truncate())];
        }
        let (old, last) = self.filled.get(&key).map_or((None, 0), |clump| (clump.slot, clump.half));
        let slot = if blades.is_empty() { old } else { old.or_else(|| self.free.pop()) };
        // Without an older state there is nothing to show it between.
        let moving = between && old.is_some();
        let half = if moving { 1 - last } else { last };
        if moving {
            self.moving.insert(key);
        } else {
            self.moving.remove(&key);
        }
        let count = blades.len();
        self.filled.insert(key, Clump { slot, corner, span, count, half, moving });
        if let Some(slot) = slot {
            blades.resize(size_for(count), [Vec4::ZERO; 4]);
            let write = ClumpWrite { slot, half, blades };
            uploads.count(write.bytes());
            uploads.clumps_last_frame += 1;
            self.writes.push(write);
        }
    }
}

/// Shares room out among patches with so many stems each: sparse ones keep all of theirs, dense ones are thinned alike.
fn shared_out(counts: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&patch| counts[patch]);
    let mut kept = vec![0; counts.len()];
    let mut left = room;
    for (done, &patch) in order.iter().enumerate() {
        kept[patch] = counts[patch].min(left / (counts.len() - done));
        left -= kept[patch];
    }
    kept
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clump_is_drawn_with_the_smallest_mesh_that_holds_it() {
        assert_eq!([0, 1, 16, 17, 100, 255, 256].map(size_for), [16, 16, 16, 32, 112, 256, 256]);
        assert!(SIZES.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_few_ferns_stay_whole_among_much_grass() {
        assert_eq!(shared_out(&[2600, 12, 0], 256), [244, 12, 0]);
        assert_eq!(shared_out(&[300, 300], 256), [128, 128]);
        assert_eq!(shared_out(&[10, 20], 256), [10, 20]);
        assert_eq!(shared_out(&[], 256), Vec::<usize>::new());
    }
}
