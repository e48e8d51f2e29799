//! Plants beyond the terrain that are only looked at: they go on from those at its edge, as dense, as tall and in the same colours, and
//! thin out until the land's own colour is all there is of them.

use super::land::{Around, Climate, perimeter};
use bevy::asset::RenderAssetUsages;
use bevy::mesh::PrimitiveTopology;
use bevy::prelude::*;
use std::collections::BTreeMap;
use trample::internal::{Stream, uniform};
use trample_looks::Figure;
use trample_looks::colour::linear;

/// Tufts for a metre of the terrain's edge, and most of all: our choice, so that a strip at the edge has some hundred on a square metre.
const TUFTS: f64 = 500.0;
const MOST: f64 = 40_000.0;
/// How far from the edge they stand, m.
const REACH: f64 = 16.0;
/// Most tufts of a species on a square metre, beside which those of another count.
const DENSE: f64 = 60.0;
/// Side of a square whose tufts are one mesh, m.
const SQUARE: f32 = 4.0;
/// One in so many tufts is seen from afar, the others only up to the first of [`SEEN`].
const COARSE: u64 = 4;
/// Between which distances a square's fine and coarse tufts fade from view, as shares of how far plants of the terrain are drawn.
const SEEN: [[f32; 2]; 2] = [[0.9, 1.15], [1.05, 1.35]];

/// What grows: colour, height, width of a blade and share of all tufts.
struct Kind {
    colour: [f32; 3],
    height: f32,
    width: f32,
    share: f64,
}

/// Tufts of a square, around its middle, and between which shares of how far plants are drawn they fade from view.
pub(super) struct Square {
    pub(super) middle: Vec3,
    pub(super) mesh: Mesh,
    pub(super) seen: [f32; 2],
}

#[derive(Default)]
struct Blades {
    positions: Vec<[f32; 3]>,
    colours: Vec<[f32; 4]>,
}

fn kinds(around: &Around) -> Vec<Kind> {
    let plants = &around.world().scene().plants;
    let of = |patch: &trample::PlantPatch| {
        let figure = Figure::of(&patch.species);
        Kind {
            colour: linear(patch.species.colour),
            height: patch.species.height as f32,
            width: figure.width.max(figure.leaf_half_width),
            share: patch.density.min(DENSE),
        }
    };
    let mut kinds: Vec<Kind> = plants.iter().map(of).collect();
    if kinds.is_empty() && around.climate() == Climate::Meadow {
        kinds.push(Kind { colour: around.plants(), height: 0.12, width: 0.004, share: DENSE });
    }
    kinds
}

/// Tufts on the land near the terrain, where it is covered: meshes that never change. None where nothing grows.
pub(super) fn tufts(around: &Around) -> Vec<Square> {
    let kinds = kinds(around);
    let all: f64 = kinds.iter().map(|k| k.share).sum();
    let (size, cell) = around.extent();
    // As many as there are plants, where those are few.
    let count = ((TUFTS * (all / DENSE).min(1.0)) * 2.0 * (size[0] + size[1])).min(MOST) as u64;
    // Where the edge is covered as it is on the whole, all of them stand.
    let whole = f64::from(if around.world().plants().is_empty() { 1.0 } else { around.cover().max(0.05) });
    let mut squares: BTreeMap<(i32, i32, bool), Blades> = BTreeMap::new();
    for number in 0..if all > 0.0 { count } else { 0 } {
        let draw = |k: u64| uniform(0x7475_6674, Stream::Plant, 16 * number + k);
        // Most stand near the edge.
        let out = 0.02 + REACH * draw(0) * draw(1);
        let (edge, away) = perimeter(draw(2), size, cell);
        let aside = 0.35 * out * (draw(3) - 0.5);
        let (x, z) = (edge[0] + away[0] * out - away[1] * aside, edge[1] + away[1] * out + away[0] * aside);
        let outside = x < 0.0 || z < 0.0 || x > size[0] || z > size[1];
        let cover = f64::from(around.shade(x, z, out)[3]) / whole;
        if !outside || draw(4) > cover.min(1.0) * (1.15 - out / REACH) {
            continue;
        }
        let mut left = draw(5) * all;
        let Some(kind) = kinds.iter().find(|kind| {
            left -= kind.share;
            left <= 0.0
        }) else {
            continue;
        };
        let key = [x, z].map(|p| (p as f32 / SQUARE).floor() as i32);
        let middle = middle(key);
        let coarse = number.is_multiple_of(COARSE);
        let root = Vec3::new(x as f32, around.height(x, z, out) as f32 - 0.01, z as f32) - middle;
        let height = kind.height.clamp(0.04, 0.9) * (0.7 + 0.5 * draw(6) as f32);
        // Those that stand for others as well are broader.
        let half = kind.width * if coarse { 1.7 } else { 1.0 };
        let blades = if kind.height > 0.3 { 12 } else { 6 };
        let light = 0.8 + 0.4 * draw(7) as f32;
        let to = squares.entry((key[0], key[1], coarse)).or_default();
        for blade in 0..blades {
            let own = |k: u64| draw(8 + (blade + 3 * k) % 8) as f32;
            let turn = (draw(8) as f32 + blade as f32 / blades as f32) * std::f32::consts::TAU;
            let lean = Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn));
            let long = height * (0.6 + 0.4 * own(0));
            let across = Vec3::new(-lean.z, 0.0, lean.x) * half;
            let tip = root + Vec3::Y * long + lean * (0.25 + 0.5 * own(1)) * long;
            let from = root + lean * (0.02 + 0.2 * height * own(2));
            to.positions.extend([from - across, from + across, tip].map(|p| p.to_array()));
            // As the blades of the terrain: dark at the root, yellower towards the tip.
            let shade = |tint: [f32; 3]| {
                let c: [f32; 3] = std::array::from_fn(|k| kind.colour[k] * light * tint[k]);
                [c[0], c[1], c[2], 1.0]
            };
            to.colours.extend([
                shade([0.42, 0.45, 0.47]),
                shade([0.42, 0.45, 0.47]),
                shade([1.35, 1.2, 0.9]),
            ]);
        }
    }
    let made = squares.into_iter().map(|((x, z, coarse), blades)| Square {
        middle: middle([x, z]),
        seen: SEEN[usize::from(coarse)],
        mesh: Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 1.0, 0.0]; blades.positions.len()])
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, blades.positions)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, blades.colours),
    });
    made.collect()
}

/// Middle of a square.
fn middle([x, z]: [i32; 2]) -> Vec3 {
    Vec3::new((x as f32 + 0.5) * SQUARE, 0.0, (z as f32 + 0.5) * SQUARE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::stroll;
    use trample::scene::library;

    #[test]
    fn tufts_stand_only_around_terrains_that_have_plants_at_their_edge() {
        let count = |scene: &trample::Scene| {
            let world = trample::World::new(scene).expect("a world");
            let squares = tufts(&Around::new(&world));
            [0, 1].map(|k| {
                let of = squares.iter().filter(|s| s.seen == SEEN[k]);
                of.map(|s| s.mesh.count_vertices()).sum::<usize>()
            })
        };
        let [fine, coarse] = count(&stroll());
        assert!(fine > 50_000 && fine < 600_000, "{fine}");
        assert!(coarse > 10_000 && coarse < 160_000, "{coarse} are seen from above");
        assert_eq!(count(&library::by_name("walk-snow").expect("a scene")), [0, 0]);
    }
}
