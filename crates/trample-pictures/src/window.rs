//! Windows of a world as fields to draw: which part to show, and the maps of it.

use crate::Field;
use trample::touched_rect;
use trample::{CellRect, Map, World};

/// Longest side up to which untouched plants are shown with what was touched, m.
const AROUND: f64 = 6.5;
/// Longest side of a preview, m.
const LONGEST: f64 = 12.0;

/// What was touched, and the plants around it where that is not much more: untouched lanes are shown for comparison.
pub fn touched_window(world: &World) -> Option<CellRect> {
    let ground = world.ground();
    let mut rect = touched_rect(ground)?;
    for patch in &world.scene().plants {
        let cells = |k: usize, metres: f64| ((metres / ground.cell).round() as i32).clamp(0, ground.size[k]);
        let side = |k: usize, first: i32, n: usize| {
            let (low, high) =
                (first.min(cells(k, patch.min[k])), (first + n as i32).max(cells(k, patch.max[k])));
            (low, (high - low) as usize)
        };
        let ((x, width), (z, height)) = (side(0, rect.x, rect.width), side(1, rect.z, rect.height));
        if width.max(height) as f64 * ground.cell <= AROUND {
            rect = CellRect { x, z, width, height };
        }
    }
    Some(rect)
}

/// The part that is drawn: what was touched with some ground around it, at most 12 m of it around (x, z).
pub fn drawn_window(world: &World, around: [f64; 2]) -> CellRect {
    let ground = world.ground();
    let whole = CellRect { x: 0, z: 0, width: ground.size[0] as usize, height: ground.size[1] as usize };
    let touched = touched_window(world).unwrap_or(whole);
    let margin = (0.25 / ground.cell) as i32;
    let most = (LONGEST / ground.cell) as i32;
    let side = |first: i32, n: usize, all: i32, at: f64| {
        let (mut a, mut b) = ((first - margin).max(0), (first + n as i32 + margin).min(all));
        if b - a > most {
            let middle = ((at / ground.cell) as i32).clamp(a + most / 2, b - most / 2);
            (a, b) = (middle - most / 2, middle + most / 2);
        }
        (a, (b - a).max(1) as usize)
    };
    let (mut x, mut width) = side(touched.x, touched.width, ground.size[0], around[0]);
    let (mut z, mut height) = side(touched.z, touched.height, ground.size[1], around[1]);
    // A straight track is a thin strip: more ground on both sides, as far as there is any.
    let widen = |first: i32, n: usize, wanted: usize, all: i32| {
        let wanted = wanted.min(all as usize).max(n);
        let first = (first - (wanted - n) as i32 / 2).clamp(0, all - wanted as i32);
        (first, wanted)
    };
    (z, height) = widen(z, height, width * 2 / 9, ground.size[1]);
    (x, width) = widen(x, width, height * 2 / 9, ground.size[0]);
    CellRect { x, z, width, height }
}

impl Field {
    /// One map of a window.
    pub fn of(world: &World, map: Map, rect: CellRect) -> Self {
        Self::with(world, rect, world.map(map).window(rect))
    }

    /// The original height of a window.
    pub fn base(world: &World, rect: CellRect) -> Self {
        let ground = world.ground();
        let mut data = Vec::with_capacity(rect.width * rect.height);
        for z in rect.z..rect.z + rect.height as i32 {
            for x in rect.x..rect.x + rect.width as i32 {
                data.push(ground.base.height(ground.centre(x), ground.centre(z)) as f32);
            }
        }
        Self::with(world, rect, data)
    }

    fn with(world: &World, rect: CellRect, data: Vec<f32>) -> Self {
        let cell = world.ground().cell;
        let origin = [f64::from(rect.x) * cell, f64::from(rect.z) * cell];
        Self { width: rect.width, height: rect.height, cell, origin, data }
    }

    /// Smooths a height field for display as its materials ask (DF §5.2); the state is never smoothed.
    pub fn smoothed(mut self, world: &World, base: &Self) -> Self {
        let sigma =
            world.scene().terrain.materials.iter().map(|m| m.material.display_sigma).fold(0.0, f64::max);
        let reach = (3.0 * sigma / self.cell).ceil() as i32;
        if sigma < 0.2 * self.cell || reach == 0 {
            return self;
        }
        let weight = |d: i32| {
            libm::exp(-0.5 * (f64::from(d) * self.cell / sigma) * (f64::from(d) * self.cell / sigma))
        };
        let kernel: Vec<f64> = (-reach..=reach).map(weight).collect();
        let (w, h) = (self.width as i32, self.height as i32);
        let pass = |data: &[f32], dx: i32, dz: i32| -> Vec<f32> {
            let mut out = Vec::with_capacity(data.len());
            for z in 0..h {
                for x in 0..w {
                    let (mut sum, mut total) = (0.0, 0.0);
                    for (k, g) in kernel.iter().enumerate() {
                        let d = k as i32 - reach;
                        let (x, z) = (x + d * dx, z + d * dz);
                        if x >= 0 && z >= 0 && x < w && z < h {
                            sum += g * f64::from(data[(z * w + x) as usize]);
                            total += g;
                        }
                    }
                    out.push((sum / total) as f32);
                }
            }
            out
        };
        let change: Vec<f32> = self.data.iter().zip(&base.data).map(|(h, b)| h - b).collect();
        let change = pass(&pass(&change, 1, 0), 0, 1);
        self.data = change.iter().zip(&base.data).map(|(c, b)| c + b).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn the_state_is_never_smoothed() {
        let scene = library::by_name("walk-mud").expect("scene");
        let mut world = World::new(&scene).expect("world");
        for _ in 0..120 {
            world.step(scene.dt());
        }
        let hash = world.hash();
        let rect = drawn_window(&world, [1.0, 1.0]);
        let (height, base) = (Field::of(&world, Map::Height, rect), Field::base(&world, rect));
        let shown = height.clone().smoothed(&world, &base);
        assert_ne!(shown.data, height.data, "mud is shown smoothed");
        let sum = |f: &Field| f.data.iter().map(|&h| f64::from(h)).sum::<f64>();
        assert!((sum(&shown) / sum(&height) - 1.0).abs() < 0.01, "smoothing moves nothing away");
        assert_eq!(world.hash(), hash, "and the ground does not know");
    }

    #[test]
    fn windows_stay_on_the_map_and_moderate() {
        let mut scene = library::by_name("kilometre").expect("scene");
        scene.duration = Some(20.0);
        let mut world = World::new(&scene).expect("world");
        for _ in 0..scene.steps() {
            world.step(scene.dt());
        }
        let rect = drawn_window(&world, [9.0, 2.0]);
        assert!(rect.x >= 0 && rect.z >= 0 && rect.width > 0 && rect.height > 0, "{rect:?}");
        let [x, z] = world.ground().size;
        assert!(rect.x + rect.width as i32 <= x && rect.z + rect.height as i32 <= z, "{rect:?}");
        assert!(rect.width * rect.height <= 16 << 20, "{rect:?}");
    }
}
