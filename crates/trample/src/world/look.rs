//! Looking at the world: maps, volumes, plants, soles and what they stand on. Nothing here changes anything.

use super::{Volume, World};
use crate::map::{Map, MapView};
use crate::motion::skeleton::HIP;
use crate::scene::{Control, Script};
use crate::state::tile::{NANO, TILE_CELLS};
use crate::state::{PlantTally, SolePose};
use crate::step;
use crate::step::contact::{self, MOSTLY};
use crate::step::plants::view::Stem;
use crate::step::soil::slide;
use glam::Vec3;

impl World {
    /// A map of the ground as it is now.
    pub fn map(&self, map: Map) -> MapView<'_> {
        MapView::new(map, &self.ground)
    }

    /// Surface height at (x, z), m, smoothly between cell centres: what a foot or a ball would meet.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        self.ground.height(x, z)
    }

    /// Height of the vegetation that stands at (x, z), m: what a walker expects its feet to meet (SW §3.2).
    pub fn vegetation_height(&self, x: f64, z: f64) -> f64 {
        self.ground.cover.vegetation_height(x, z)
    }

    /// What became of the plants rooted between two corners, x and z, m.
    pub fn plant_tally(&self, min: [f64; 2], max: [f64; 2]) -> PlantTally {
        step::plants::view::tally(&self.plants, &self.ground, self.time, min, max)
    }

    /// Shows every stem of the plants rooted between two corners, x and z, m: for pictures, meshes and counts.
    pub fn each_stem(&self, min: [f64; 2], max: [f64; 2], show: impl FnMut(Stem<'_>)) {
        let bodies = &self.scratch.plants.bodies;
        step::plants::view::each_stem(&self.plants, &self.ground, bodies, self.time, min, max, show);
    }

    /// The volume ledger; counts every touched cell.
    pub fn volume(&self) -> Volume {
        let unit = self.ground.cell * self.ground.cell / NANO;
        let lying: i128 =
            self.ground.tiles.iter().flat_map(|t| t.accumulation.iter()).map(|&a| i128::from(a)).sum();
        let displaced = self.ledger.owed * unit;
        let accumulated = lying as f64 * unit;
        // Below one unit in total there is nothing to compare with.
        let relative_error = if self.ledger.owed > 1.0 || lying > 1 {
            (accumulated - displaced).abs() / displaced.max(unit)
        } else {
            0.0
        };
        Volume { carved: self.ledger.carved as f64 * unit, displaced, accumulated, relative_error }
    }

    /// The largest slope of loose material beyond its rest angle, as rise over run; at most 0 when all is at rest.
    pub fn steepest_excess(&self) -> f64 {
        slide::excess(&self.ground)
    }

    /// The highest bump, m: how far the surface rises above the original ground at most.
    pub fn highest_bump(&self) -> f64 {
        let all = self.ground.tiles.iter().flat_map(|t| (0..TILE_CELLS).map(|c| t.raised(c)));
        all.max().unwrap_or(0).max(0) as f64 / NANO
    }

    /// Cells in which anything has changed.
    pub fn touched_cells(&self) -> usize {
        let touched = |t: &crate::state::Tile, c: usize| {
            t.compression[c] != 0 || t.accumulation[c] != 0 || t.pressure_time[c] != 0.0
        };
        self.ground.tiles.iter().map(|t| (0..TILE_CELLS).filter(|&c| touched(t, c)).count()).sum()
    }

    /// Whether everybody has done what the scene says: scripts are over and routes walked, and a second has passed. Never with
    /// a host's puppets or walkers without a route.
    pub fn is_over(&self) -> bool {
        self.scene.puppets.iter().zip(&self.puppets).all(|(spec, puppet)| {
            match (&spec.script, &puppet.walker) {
                (Script::Host { .. }, _) => false,
                (Script::Walker(w), Some(walker)) => match &w.control {
                    Control::Route(route) => {
                        puppet.quarantined || (walker.pass >= route.walk.passes && walker.rested > 1.0)
                    }
                    _ => false,
                },
                (script, _) => self.time > script.seconds(spec.height) + 0.5,
            }
        })
    }

    /// Where an animal is in its stride and on its way; none for anybody else.
    pub fn animal(&self, id: usize) -> Option<crate::scene::Moment> {
        match &self.scene.puppets.get(id)?.script {
            Script::Animal(animal) => {
                Some(animal.moment(self.time, step::animate::seed_of(self.scene.seed, id)))
            }
            _ => None,
        }
    }

    /// The soles of a walker as its body shows them, left and right; y is their height, m.
    pub fn drawn_soles(&self, id: usize) -> Option<[SolePose; 2]> {
        let (walker, skeleton) = self.walker(id)?;
        let placed = skeleton.place(&walker.pose);
        let foot = &skeleton.foot;
        let below = Vec3::new(-foot.ankle as f32, -foot.ankle_height as f32, 0.0);
        Some(HIP.map(|hip| SolePose {
            position: placed.positions[hip + 2] + placed.rotations[hip + 2] * below,
            rotation: placed.rotations[hip + 2],
            toe_bend: walker.locks[usize::from(hip != HIP[0])].shown_turn.z,
            ..SolePose::default()
        }))
    }

    /// How far the drawn soles of a walker are in the ground at worst, left and right, m; below 0 where they are above it.
    pub fn sole_penetration(&self, id: usize) -> Option<[f64; 2]> {
        let soles = self.drawn_soles(id)?;
        let puppet = &self.puppets[id];
        Some([0, 1].map(|side| {
            let stencil = &self.soles[puppet.soles[1 - side]];
            contact::depth_in_ground(&self.ground, stencil, &soles[side])
        }))
    }

    /// Shows every cell that a sole stands on since the last step: whose, which foot, column and row. For display.
    pub fn each_contact_cell(&self, mut show: impl FnMut(usize, usize, i32, i32)) {
        for f in &self.scratch.feet {
            let foot = &self.puppets[f.puppet].feet[f.foot];
            if !foot.down || f.stamped.is_none() || f.patch.nx == 0 {
                continue;
            }
            for under in f.stamp.iter().filter(|under| under.coverage >= MOSTLY) {
                let k = under.k as usize;
                let x = f.patch.rect.x0 + (k % f.patch.nx) as i32;
                let z = f.patch.rect.z0 + (k / f.patch.nx) as i32;
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
        let scene = library::by_name("plate").expect("scene");
        let mut world = World::new(&scene).expect("world");
        for _ in 0..30 {
            world.step(scene.dt());
        }
        let mut cells = 0;
        world.each_contact_cell(|puppet, foot, _, _| {
            assert_eq!((puppet, foot), (0, 0));
            cells += 1;
        });
        let area = f64::from(cells) * scene.terrain.cell * scene.terrain.cell;
        assert!((area - 0.02).abs() < 0.003, "{area} m² under a plate of 0.02 m²");
    }
}
