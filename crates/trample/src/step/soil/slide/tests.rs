//! Heaps come to rest, in windows and on the list alike.

use super::super::super::patch::Rect;
use super::*;
use crate::scene::{Base, Scene};
use crate::state::ground::{cell_of, tile_of};
use crate::step::Report;
use crate::world::World;
use proptest::prelude::*;

/// A flat ground with heaps on it, as a patch and as tiles.
fn heaps(heights: &[(usize, usize, i32)], rest_angle: f64) -> (Patch, Cells, Ground) {
    let mut scene = Scene::default();
    scene.terrain.materials[0].material.rest_angle = rest_angle;
    let world = World::new(&scene).expect("scene");
    let mut ground = world.ground.clone();
    let rect = Rect { x0: 0, z0: 0, x1: 40, z1: 36 };
    let mut patch = Patch::default();
    patch.frame(&ground, rect);
    let mut cells = Cells::default();
    patch.load(&ground, rect, &mut cells);
    for &(x, z, h) in heights {
        cells.accumulation[z * 40 + x] += h;
    }
    patch.store(&mut ground, [rect; 2], &cells, &mut Vec::new());
    (patch, cells, ground)
}

const CLOSED: Rim = Rim { left: false, right: false, near: false, far: false };

fn slide_dense(patch: &Patch, cells: &mut Cells, ground: &Ground) {
    let mut window = Window::default();
    for _ in 0..200 {
        let (_, end) = window.settle(patch, cells, ground, &CLOSED);
        if end == End::Resting {
            return;
        }
    }
    panic!("the heap does not come to rest");
}

#[test]
fn a_pillar_becomes_a_cone_at_the_rest_angle() {
    let angle = 30f64.to_radians();
    let (patch, mut cells, mut ground) = heaps(&[(20, 18, 120_000_000)], angle);
    slide_dense(&patch, &mut cells, &ground);
    patch.store(&mut ground, [patch.rect; 2], &cells, &mut Vec::new());
    assert_eq!(cells.accumulation.iter().map(|&a| i64::from(a)).sum::<i64>(), 120_000_000, "volume");
    assert!(excess(&ground) <= 0.0, "steeper than allowed by {}", excess(&ground));
    // A cone of volume V at slope s has height (3 V s² / π)^(1/3).
    let volume = 0.12 * 0.02 * 0.02;
    let slope = libm::tan(angle);
    let expected = libm::cbrt(3.0 * volume * slope * slope / std::f64::consts::PI);
    let peak = f64::from(cells.accumulation[18 * 40 + 20]) / NANO;
    assert!((peak / expected - 1.0).abs() < 0.15, "peak {peak}, a cone's {expected}");
}

#[test]
fn a_heap_keeps_its_symmetry() {
    let (patch, mut cells, ground) =
        heaps(&[(20, 18, 50_000_000), (20, 17, 9_000_000), (20, 19, 9_000_000)], 0.4);
    slide_dense(&patch, &mut cells, &ground);
    for z in 1..36usize {
        for x in 1..39usize {
            let mirror = (36 - z).min(35) * 40 + x;
            if z >= 1 && 36 - z < 36 {
                assert_eq!(cells.accumulation[z * 40 + x], cells.accumulation[mirror], "({x}, {z})");
            }
        }
    }
}

#[test]
fn on_a_base_steeper_than_the_rest_angle_material_runs_to_flatter_ground() {
    let mut scene = Scene::default();
    // Under the natural law it is held (`tests/natural.rs`).
    scene.terrain.law = Law::Trail;
    scene.terrain.size = [4.0, 1.0];
    scene.terrain.materials[0].material.rest_angle = 10f64.to_radians();
    scene.terrain.base = Base::Dune { height: 0.8, crest: 0.0, windward: 0.3, lee: 0.4 };
    let world = World::new(&scene).expect("scene");
    let mut ground = world.ground.clone();
    let (x, z) = (40, 25);
    let cell = cell_of(x, z);
    ground.touch(tile_of(x, z)).layers.accumulation[cell] = 40_000_000;
    let (mut pending, mut work) = (vec![(z, x)], Sparse::default());
    for _ in 0..2000 {
        finish(&mut ground, &mut pending, &mut work, 50, &mut Vec::new(), &mut Report::default());
    }
    assert!(pending.is_empty(), "still running: {} cells", pending.len());
    let sum: i64 = ground.tiles.iter().flat_map(|t| t.layers.accumulation).map(i64::from).sum();
    assert_eq!(sum, 40_000_000, "volume");
    assert!(excess(&ground) <= 0.0, "{}", excess(&ground));
    let (mut moment, mut total) = (0.0, 0.0);
    for t in ground.tiles.iter() {
        for c in 0..64 {
            moment += f64::from(t.layers.accumulation[c]) * f64::from(t.key.x * 8 + (c % 8) as i32);
            total += f64::from(t.layers.accumulation[c]);
        }
    }
    assert!(moment / total > 80.0, "it ran down from cell 40 to {}", moment / total);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn windows_and_lists_slide_to_the_same_bits_and_keep_the_volume(
        places in proptest::collection::vec((12..28usize, 12..24usize, 1_000_000..60_000_000i32), 1..6),
        degrees in 8.0..40.0f64,
    ) {
        let (patch, mut cells, mut ground) = heaps(&places, degrees.to_radians());
        let before: i64 = cells.accumulation.iter().map(|&a| i64::from(a)).sum();
        slide_dense(&patch, &mut cells, &ground);
        let mut pending = Vec::new();
        for z in 0..36 {
            for x in 0..40 {
                pending.push((z, x));
            }
        }
        let mut work = Sparse::default();
        while !pending.is_empty() {
            finish(&mut ground, &mut pending, &mut work, 1000, &mut Vec::new(), &mut Report::default());
        }
        let after: i64 = cells.accumulation.iter().map(|&a| i64::from(a)).sum();
        prop_assert_eq!(before, after);
        prop_assert!(cells.accumulation.iter().all(|&a| a >= 0), "nothing is dug out");
        prop_assert!(excess(&ground) <= 0.0);
        let mut list = Patch::default();
        list.frame(&ground, patch.rect);
        let mut listed = Cells::default();
        list.load(&ground, patch.rect, &mut listed);
        prop_assert_eq!(&listed.accumulation, &cells.accumulation);
    }
}
