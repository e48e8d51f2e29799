//! Windows of a world as fields to draw: which part to show, and the maps of it.

use crate::picture::Field;
use trample::map::touched_rect;
use trample::{CellRect, Map, World};

/// Cells in the largest dense map that is written or drawn: 64 MB a map.
const MOST: usize = 16 << 20;
/// Longest side up to which plants that nobody touched are shown with what was touched, m.
const AROUND: f64 = 6.5;
/// Longest side of a preview, m.
const LONGEST: f64 = 12.0;

/// The part of the terrain that is exported: all of it if that is moderate, else what was touched, else its corner.
pub(crate) fn exported(world: &World) -> CellRect {
    let [x, z] = world.ground().size;
    let whole = CellRect { x: 0, z: 0, width: x as usize, height: z as usize };
    if whole.width.saturating_mul(whole.height) <= 4 << 20 {
        return whole;
    }
    let mut rect = touched_rect(world.ground()).unwrap_or(CellRect { width: 64, height: 64, ..whole });
    // A trail that winds over a large map can still have a huge box around it: the middle of it, then.
    if rect.width.saturating_mul(rect.height) > MOST {
        let side = 4096;
        let shrink = |first: i32, n: usize| {
            let kept = n.min(side);
            (first + ((n - kept) / 2) as i32, kept)
        };
        (rect.x, rect.width) = shrink(rect.x, rect.width);
        (rect.z, rect.height) = shrink(rect.z, rect.height);
    }
    rect
}

/// What was touched, and the plants around it where that is not much more: those that nobody entered are worth a look, too.
pub(crate) fn interesting(world: &World) -> Option<CellRect> {
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
pub(crate) fn drawn(world: &World, around: [f64; 2]) -> CellRect {
    let ground = world.ground();
    let whole = CellRect { x: 0, z: 0, width: ground.size[0] as usize, height: ground.size[1] as usize };
    let touched = interesting(world).unwrap_or(whole);
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

/// One map of a window.
pub(crate) fn field(world: &World, map: Map, rect: CellRect) -> Field {
    with(world, rect, world.map(map).window(rect))
}

/// The original height of a window.
pub(crate) fn base(world: &World, rect: CellRect) -> Field {
    let ground = world.ground();
    let mut data = Vec::with_capacity(rect.width * rect.height);
    for z in rect.z..rect.z + rect.height as i32 {
        for x in rect.x..rect.x + rect.width as i32 {
            data.push(ground.base.height(ground.centre(x), ground.centre(z)) as f32);
        }
    }
    with(world, rect, data)
}

fn with(world: &World, rect: CellRect, data: Vec<f32>) -> Field {
    let cell = world.ground().cell;
    let origin = [f64::from(rect.x) * cell, f64::from(rect.z) * cell];
    Field { width: rect.width, height: rect.height, cell, origin, data }
}

/// Smooths a height field for display as its materials ask (DF §5.2); the state is never smoothed.
pub(crate) fn smoothed(world: &World, mut height: Field, base: &Field) -> Field {
    let sigma = world.scene().terrain.materials.iter().map(|m| m.material.display_sigma).fold(0.0, f64::max);
    let reach = (3.0 * sigma / height.cell).ceil() as i32;
    if sigma < 0.2 * height.cell || reach == 0 {
        return height;
    }
    let weight = |d: i32| {
        libm::exp(-0.5 * (f64::from(d) * height.cell / sigma) * (f64::from(d) * height.cell / sigma))
    };
    let kernel: Vec<f64> = (-reach..=reach).map(weight).collect();
    let (w, h) = (height.width as i32, height.height as i32);
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
    let change: Vec<f32> = height.data.iter().zip(&base.data).map(|(h, b)| h - b).collect();
    let change = pass(&pass(&change, 1, 0), 0, 1);
    height.data = change.iter().zip(&base.data).map(|(c, b)| c + b).collect();
    height
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
        let rect = drawn(&world, [1.0, 1.0]);
        let (height, base) = (field(&world, Map::Height, rect), base(&world, rect));
        let shown = smoothed(&world, height.clone(), &base);
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
        for rect in [exported(&world), drawn(&world, [9.0, 2.0])] {
            assert!(rect.x >= 0 && rect.z >= 0 && rect.width > 0 && rect.height > 0, "{rect:?}");
            let [x, z] = world.ground().size;
            assert!(rect.x + rect.width as i32 <= x && rect.z + rect.height as i32 <= z, "{rect:?}");
            assert!(rect.width * rect.height <= MOST, "{rect:?}");
        }
    }
}
