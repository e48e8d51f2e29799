//! Looking at the world: maps, volumes, plants, soles and what they stand on. Nothing here changes anything.

use super::{Volume, World};
use crate::body::HIP;
use crate::map::{Map, MapView};
use crate::params::Law;
use crate::pose::SolePose;
use crate::scene::{Control, Script};
use crate::state::tile::{NANO, TILE, TILE_CELLS};
use crate::state::{PlantTally, TileKey};
use crate::step;
use crate::step::animate::AT_REST;
use crate::step::contact::{self, MOSTLY};
use crate::step::plants::view::Stem;
use crate::step::soil::slide;
use glam::Vec3;

/// Side of the squares over which depths and treads are measured, m, to the nearest whole cell: a little more than half the width of a
/// heel or a ball of a foot, and whole cells of 4, 2 and 1 cm. Our choice; cells of more are measured one by one.
pub const SQUARE: f64 = 0.04;

/// Progress of a walker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Whether it is playing recorded motion; `None` without recordings.
    pub recorded: Option<bool>,
    /// Whether it wants to move.
    pub on_its_way: bool,
    /// Height of its hips above the lower foot, divided by the height when standing on straight legs.
    pub pelvis: f64,
    /// Completed share of its route; `None` without a route.
    pub covered: Option<f64>,
    /// Total distance by which its passes ended early because others stood there, m.
    pub short: f64,
}

impl World {
    /// A map of the current ground.
    pub fn map(&self, map: Map) -> MapView<'_> {
        MapView::new(map, &self.ground)
    }

    /// Surface height at (x, z), m, interpolated smoothly between cell centres.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        self.ground.height(x, z)
    }

    /// Height of the standing vegetation at (x, z), m, as perceived by a walker (SW §3.2).
    pub fn vegetation_height(&self, x: f64, z: f64) -> f64 {
        self.ground.cover.vegetation_height(x, z)
    }

    /// Counts of the plants rooted between two corners, x and z, m, by condition.
    pub fn plant_tally(&self, min: [f64; 2], max: [f64; 2]) -> PlantTally {
        step::plants::view::tally(&self.plants, &self.ground, self.time, min, max)
    }

    /// Calls `show` for every stem of the plants rooted between two corners, x and z, m: for pictures, meshes and counts.
    pub fn each_stem(&self, min: [f64; 2], max: [f64; 2], show: impl FnMut(Stem<'_>)) {
        let bodies = &self.scratch.plants.bodies;
        step::plants::view::each_stem(&self.plants, &self.ground, bodies, self.time, min, max, show);
    }

    /// The volume balance, over every touched cell.
    pub fn volume(&self) -> Volume {
        let unit = self.ground.cell * self.ground.cell / NANO;
        let lying: i128 =
            self.ground.tiles.iter().flat_map(|t| t.layers.accumulation.iter()).map(|&a| i128::from(a)).sum();
        let displaced = self.ledger.owed * unit;
        let accumulated = lying as f64 * unit;
        // Every foot holds less than one unit until more is carved, and whole ones where there was no room beside it.
        let feet = || self.puppets.iter().flat_map(|p| &p.feet).map(|foot| foot.carry);
        let rest =
            feet().map(|carry| carry.rem_euclid(1 << 32) as f64).sum::<f64>() / (1u64 << 32) as f64 * unit;
        let owed = feet().map(|carry| (carry >> 32) as f64).sum::<f64>() * unit;
        // Below one unit in total there is nothing to compare with.
        let relative_error = if self.ledger.owed > 1.0 || lying > 1 {
            (accumulated + rest - displaced).abs() / displaced.max(unit)
        } else {
            0.0
        };
        let carved = self.ledger.carved as f64 * unit;
        // Cell by cell what has gone to density, against what the ledger has not seen move.
        let packed: f64 =
            self.ground.tiles.iter().map(|tile| self.ground.packed_in(tile)).sum::<f64>() - self.ledger.swept;
        let compacted = packed * unit;
        let lost = (carved - displaced - compacted).abs() / carved.max(unit);
        let relative_error =
            if self.ground.law == Law::Natural { relative_error.max(lost) } else { relative_error };
        let carried_off = owed + rest;
        Volume { carved, displaced, accumulated, owed, compacted, carried_off, relative_error }
    }

    /// Number of cells outside the windows of feet on which loose material may still be sliding.
    pub fn sliding(&self) -> usize {
        self.pending.len()
    }

    /// The largest excess of the slope of loose material over its rest angle, rise over run; at most 0 when all is at rest.
    pub fn steepest_excess(&self) -> f64 {
        slide::excess(&self.ground)
    }

    /// The deepest print, m: depth below the original ground where a sole pressed it, as the largest mean over a square of
    /// [`SQUARE`], so that it does not depend on the cell size. The compression map has means over whole cells, which are smaller where a
    /// sole covered part of a cell. Squares of which less than three quarters were ever covered do not count (our choice: narrower prints
    /// are not resolved on every grid).
    pub fn deepest_print(&self) -> f64 {
        const WIDE: usize = 2 * TILE;
        let side = self.cells_in(SQUARE);
        // Shares are rounded down; so that no print is called deeper than it is, they are taken as rounded up.
        let share =
            |pressed: u8| if pressed > 0 { ((f64::from(pressed) + 1.0) / 255.0).min(1.0) } else { 0.0 };
        let mut deepest: f64 = 0.0;
        let mut cells = [[0.0; 2]; WIDE * WIDE];
        for tile in self.ground.tiles.iter() {
            // Squares begin in the tile and may reach into the next ones; nobody trod on tiles that do not exist.
            for i in 0..4 {
                let key = TileKey { z: tile.key.z + i as i32 / 2, x: tile.key.x + i as i32 % 2 };
                let other = self.ground.tiles.get(key);
                for c in 0..TILE_CELLS {
                    let k = (i / 2 * TILE + c / TILE) * WIDE + i % 2 * TILE + c % TILE;
                    cells[k] = other.map_or([0.0; 2], |other| {
                        [f64::from(other.layers.compression[c]) / NANO, share(other.layers.pressed[c])]
                    });
                }
            }
            for (z, x) in (0..TILE).flat_map(|z| (0..TILE).map(move |x| (z, x))) {
                let (mut sunk, mut area) = (0.0, 0.0);
                for row in z..z + side {
                    for [depth, covered] in &cells[row * WIDE + x..row * WIDE + x + side] {
                        (sunk, area) = (sunk + depth, area + covered);
                    }
                }
                if area >= 0.75 * (side * side) as f64 {
                    deepest = deepest.max(sunk / area);
                }
            }
        }
        deepest
    }

    /// Number of cells along the side of a square of `side` m; at least one.
    pub fn cells_in(&self, side: f64) -> usize {
        ((side / self.ground.cell).round() as usize).clamp(1, TILE)
    }

    /// The highest bump, m: the largest height of the surface above the original ground.
    pub fn highest_bump(&self) -> f64 {
        let all = self.ground.tiles.iter().flat_map(|t| (0..TILE_CELLS).map(|c| t.raised(c)));
        all.max().unwrap_or(0).max(0) as f64 / NANO
    }

    /// Number of changed cells.
    pub fn touched_cells(&self) -> usize {
        self.ground
            .tiles
            .iter()
            .map(|t| (0..TILE_CELLS).filter(|&c| t.layers.touched(c..c + 1)).count())
            .sum()
    }

    /// Whether all scripts and routes of the scene have ended, with feet brought together, and one more second has passed. Never true with
    /// hosted puppets or walkers without a route.
    pub fn is_over(&self) -> bool {
        self.scene.puppets.iter().zip(&self.puppets).all(|(spec, puppet)| {
            match (&spec.script, &puppet.walker) {
                (Script::Host { .. }, _) => false,
                (Script::Walker(w), Some(walker)) => match &w.control {
                    Control::Route(route) => {
                        puppet.quarantined
                            || (walker.pass >= route.path.passes && walker.rested > AT_REST + 1.0)
                    }
                    _ => false,
                },
                (script, _) => self.time > script.seconds(spec.body.height) + 0.5,
            }
        })
    }

    /// Progress of a walker; `None` for other puppets.
    pub fn progress(&self, id: usize) -> Option<Progress> {
        let (walker, skeleton) = self.walker(id)?;
        let Script::Walker(spec) = &self.scene.puppets[id].script else { return None };
        let data = &self.databases[walker.database];
        let (thigh, shank) = skeleton.leg();
        let below = walker.locks.iter().map(|lock| lock.level).fold(f64::MAX, f64::min);
        let leg = f64::from(thigh + shank) + skeleton.foot.ankle_height;
        let covered = match &spec.control {
            Control::Route(route) => {
                let all = f64::from(route.path.passes) * route.path.length();
                let gone = f64::from(walker.pass) * route.path.length() + walker.along.max(0.0);
                Some(((gone - walker.short) / all.max(1e-9)).clamp(0.0, 1.0))
            }
            _ => None,
        };
        Some(Progress {
            recorded: data.held.map(|_| data.spans[walker.clip].recorded),
            on_its_way: walker.rested == 0.0 && walker.age > 0.0,
            pelvis: (f64::from(walker.pose.root.y) - below) / leg,
            covered,
            short: walker.short,
        })
    }

    /// Phase of an animal's stride and its position on the path; `None` for other puppets.
    pub fn animal(&self, id: usize) -> Option<crate::scene::Moment> {
        match &self.scene.puppets.get(id)?.script {
            Script::Animal(animal) => {
                Some(animal.moment(self.time, step::animate::seed_of(self.scene.seed, id)))
            }
            _ => None,
        }
    }

    /// The soles of a walker as its body is drawn, left and right; y is their height, m.
    pub fn drawn_soles(&self, id: usize) -> Option<[SolePose; 2]> {
        let (walker, skeleton) = self.walker(id)?;
        let placed = skeleton.place(&walker.pose);
        let foot = &skeleton.foot;
        let below = Vec3::new(-foot.ankle as f32, -foot.ankle_height as f32, 0.0);
        Some(HIP.map(|hip| {
            // The toes as the ground has turned them, too.
            let toes = walker.pose.rotations[hip + 3];
            SolePose {
                position: placed.positions[hip + 2] + placed.rotations[hip + 2] * below,
                rotation: placed.rotations[hip + 2],
                toe_bend: 2.0 * libm::atan2f(toes.z, toes.w),
                ..SolePose::default()
            }
        }))
    }

    /// Largest penetration of the drawn soles of a walker into the ground, left and right, m; negative above the ground.
    pub fn sole_penetration(&self, id: usize) -> Option<[f64; 2]> {
        let soles = self.drawn_soles(id)?;
        let puppet = &self.puppets[id];
        Some([0, 1].map(|side| {
            let stencil = &self.soles[puppet.soles[1 - side]];
            contact::depth_in_ground(&self.ground, stencil, &soles[side])
        }))
    }

    /// Calls `show` with puppet, foot, column and row of every cell under a sole in the last step. For display.
    pub fn each_contact_cell(&self, mut show: impl FnMut(usize, usize, i32, i32)) {
        for f in &self.scratch.feet {
            let foot = &self.puppets[f.puppet].feet[f.foot];
            if !foot.down || f.stamped.is_none() || f.patch.nx == 0 {
                continue;
            }
            for under in f.stamp.iter().filter(|under| under.coverage >= MOSTLY) {
                let (x, z) = (under.x, under.z);
                // A rolling sole hangs over some of the cells below it.
                if self.ground.surface(x, z) >= foot.height + f64::from(under.rise) - self.ground.tolerance {
                    show(f.puppet, f.foot, x, z);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::World;
    use crate::scene::library;

    #[test]
    fn a_standing_plate_stands_on_its_own_area() {
        let mut world = World::new(&library::by_name("plate").expect("scene")).expect("world");
        for _ in 0..30 {
            world.step(world.scene().dt());
        }
        let mut cells = 0;
        world.each_contact_cell(|puppet, foot, _, _| {
            assert_eq!((puppet, foot), (0, 0));
            cells += 1;
        });
        let area = f64::from(cells) * world.ground().cell * world.ground().cell;
        assert!((area - 0.02).abs() < 0.003, "{area} m² under a plate of 0.02 m²");
    }
}
