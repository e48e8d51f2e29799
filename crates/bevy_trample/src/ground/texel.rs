//! What a sample of the ground carries: its height, and what colours it.

use trample::CellRect;
use trample::Map;
use trample::TILE;
use trample::internal::NANO;
use trample::internal::{cell_of, tile_of};

/// Compression that colours the ground fully, m; our choice, a deep print in snow.
pub(crate) const DEEP: f64 = 0.12;
/// Loose material that colours the ground fully, m; our choice.
pub(crate) const HEAPED: f64 = 0.03;

/// A map laid over the ground in colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlay {
    /// Which.
    pub map: Map,
    /// Values at the two ends of the colours, in the map's unit.
    pub range: [f32; 2],
    /// How much of the ground's own colour it hides, 0..1.
    pub strength: f32,
}

// A texel has four bits for the material.
const _: () = assert!(trample::scene::MOST_MATERIALS == 1 << 4);

/// Width of the strip along the terrain's edge where plants are seldom rooted, m; our choice.
const RIM: f64 = 0.12;

/// One sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Texel {
    /// Height of the surface, m.
    pub height: f32,
    /// How compressed, how well plants cover it, material (low four bits) and how loose (high four), overlay; 0..255.
    pub data: [u8; 4],
}

fn byte(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// Cells between samples up to which plants are looked at one by one.
const CLOSE: i32 = 2;

/// Places along a side of the terrain, and cells along a side of each, where [`thinned`] looks at plants one by one: our choice.
const PLACES: i32 = 8;
const LOOKED_AT: i32 = 20;

/// What plants cover that are looked at one by one, as a part of what their density alone says: plants stand in each other's way and
/// leave gaps. Without it the ground would change its colour where it is looked at less closely.
pub(crate) fn thinned(world: &trample::World) -> f32 {
    if world.plants().is_empty() {
        return 1.0;
    }
    let (size, vegetation) = (world.ground().size, world.map(Map::Vegetation));
    let (mut seen, mut said) = (0.0, 0.0);
    for i in 0..PLACES * PLACES {
        let at = |k: i32, n: i32| (i64::from(n) * i64::from(2 * k + 1) / i64::from(2 * PLACES)) as i32;
        let [x, z] = [at(i % PLACES, size[0]), at(i / PLACES, size[1])];
        let part = |p: i32, n: i32| (p - LOOKED_AT / 2).clamp(0, (n - LOOKED_AT).max(0));
        let [width, height] = size.map(|n| n.min(LOOKED_AT) as usize);
        let window = vegetation.window(CellRect { x: part(x, size[0]), z: part(z, size[1]), width, height });
        seen += window.iter().sum::<f32>() / window.len().max(1) as f32;
        said += vegetation.untouched(x, z) as f32;
    }
    if said > 1e-3 { (seen / said).clamp(0.05, 2.0) } else { 1.0 }
}

/// How well plants cover the samples, row by row; empty where nothing grows. Plants that nobody has touched are made from numbers: for
/// a window at once where it is looked at closely, and as their density has it, times `thin`, where it is not. One by one that takes
/// minutes.
fn covers(world: &trample::World, columns: &[i32], rows: &[i32], thin: f32) -> Vec<f32> {
    let (ground, vegetation) = (world.ground(), world.map(Map::Vegetation));
    if world.plants().is_empty() || columns.is_empty() || rows.is_empty() {
        return Vec::new();
    }
    let inside = |i: i32, k: usize| i.clamp(0, ground.size[k] - 1);
    let places = rows.iter().flat_map(|&z| columns.iter().map(move |&x| (inside(x, 0), inside(z, 1))));
    let close = |list: &[i32]| list.windows(2).all(|pair| pair[1] - pair[0] <= CLOSE);
    if close(columns) && close(rows) {
        let ends = |list: &[i32], k: usize| [list[0], list[list.len() - 1]].map(|i| inside(i, k));
        let ([x0, x1], [z0, z1]) = (ends(columns, 0), ends(rows, 1));
        let (width, height) = ((x1 - x0 + 1) as usize, (z1 - z0 + 1) as usize);
        let window = vegetation.window(CellRect { x: x0, z: z0, width, height });
        return places.map(|(x, z)| window[(z - z0) as usize * width + (x - x0) as usize]).collect();
    }
    let value = |(x, z): (i32, i32)| match ground.tiles.get(tile_of(x, z)) {
        Some(_) => vegetation.at(x, z) as f32,
        None => thin * vegetation.untouched(x, z) as f32,
    };
    places.map(value).collect()
}

/// Reads the samples `columns` × `rows` of cells, those beyond the edge as the edge. `thin` is what [`thinned`] says.
pub(crate) fn read(
    world: &trample::World,
    columns: &[i32],
    rows: &[i32],
    (overlay, thin): (Option<&Overlay>, f32),
    out: &mut Vec<Texel>,
) {
    out.clear();
    let ground = world.ground();
    let plain = matches!(ground.base, trample::Base::Flat);
    // No plant roots beyond the edge, so that the last cells are bare: they are shown as those beside them, or a line would run around
    // the terrain. The map of plants itself is shown as it is.
    let rim = if overlay.is_some_and(|o| o.map == Map::Vegetation) { 0.0 } else { RIM / ground.cell };
    let kept = |list: &[i32], n: i32| -> Vec<i32> {
        let rim = (rim as i32).min((n - 1) / 2);
        list.iter().map(|i| (*i).clamp(rim, n - 1 - rim)).collect()
    };
    let cover = covers(world, &kept(columns, ground.size[0]), &kept(rows, ground.size[1]), thin);
    let over = overlay.map(|o| (o.map, world.map(o.map), o.range.map(f64::from)));
    let painted = !ground.paints.is_empty();
    for &z in rows {
        let z = z.clamp(0, ground.size[1] - 1);
        let mut last = None;
        let mut tile = None;
        for &x in columns {
            let x = x.clamp(0, ground.size[0] - 1);
            // Neighbours mostly share a tile.
            if last != Some(x.div_euclid(TILE as i32)) {
                last = Some(x.div_euclid(TILE as i32));
                tile = ground.tiles.get(tile_of(x, z));
            }
            let base = if plain { 0 } else { ground.base_nano(x, z) };
            let (raised, pressed, loose, material) = match tile {
                Some(tile) => {
                    let c = cell_of(x, z);
                    let (down, up) =
                        (f64::from(tile.layers.compression[c]), f64::from(tile.layers.accumulation[c]));
                    (tile.raised(c), down / NANO / DEEP, up / NANO / HEAPED, tile.material[c])
                }
                None if painted => (0, 0.0, 0.0, ground.paint_at(ground.centre(x), ground.centre(z))),
                None => (0, 0.0, 0.0, 0),
            };
            let cover = cover.get(out.len()).map_or(0.0, |c| f64::from(*c));
            let colour = over.map_or(0, |(map, view, [low, high])| {
                let value = if map == Map::Vegetation { cover } else { view.at(x, z) };
                byte((value - low) / (high - low))
            });
            out.push(Texel {
                height: ((base + raised) as f64 / NANO) as f32,
                data: [byte(pressed), byte(cover), (material & 15) | (byte(loose) >> 4) << 4, colour],
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::{NamedMaterial, PlantPatch, Scene, Terrain};
    use trample::{Material, Species};

    /// A square of 300 × 300 cells of sedge.
    fn sward() -> trample::World {
        let side = 6.0;
        let scene = Scene {
            terrain: Terrain {
                cell: 0.02,
                size: [side; 2],
                materials: vec![NamedMaterial { name: "soil".into(), material: Material::WET_SOIL }],
                ..Terrain::default()
            },
            plants: vec![PlantPatch {
                species: Species::CAREX_PENSYLVANICA,
                density: 60.0,
                max: [side; 2],
                ..PlantPatch::default()
            }],
            ..Scene::default()
        };
        trample::World::new(&scene).expect("a world")
    }

    /// Mean cover of samples, 0..255.
    fn mean(world: &trample::World, columns: &[i32], rows: &[i32]) -> f64 {
        let mut out = Vec::new();
        read(world, columns, rows, (None, thinned(world)), &mut out);
        out.iter().map(|texel| f64::from(texel.data[1])).sum::<f64>() / out.len() as f64
    }

    #[test]
    fn a_sward_is_as_green_from_afar_as_from_near_and_not_bare_along_its_edge() {
        let world = sward();
        let every = |stride: i32| -> Vec<i32> { (0..300 / stride).map(|i| i * stride).collect() };
        let (near, far) = (mean(&world, &every(1), &every(1)), mean(&world, &every(4), &every(4)));
        assert!(near > 10.0 && (far - near).abs() < 0.12 * near, "{near} near by and {far} from afar");
        for columns in [[0, 1, 2], [297, 298, 299]] {
            let edge = mean(&world, &columns, &every(1));
            assert!(edge > 0.6 * near, "{edge} at the edge and {near} on the whole");
        }
    }
}
