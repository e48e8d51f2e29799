//! Looking at what soles stand on. Nothing here changes anything.

use super::World;
use crate::step::contact::MOSTLY;

impl World {
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
