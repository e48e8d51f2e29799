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

/// How well plants cover the samples, row by row; empty where nothing grows. Plants that nobody has touched are made from numbers: for
/// a window at once where it is looked at closely, and as their density has it where it is not. One by one that takes minutes.
fn covers(world: &trample::World, columns: &[i32], rows: &[i32]) -> Vec<f32> {
    let (ground, vegetation) = (world.ground(), world.map(Map::Vegetation));
    let (Some(&x0), Some(&z0)) = (columns.first(), rows.first()) else { return Vec::new() };
    if world.plants().is_empty() {
        return Vec::new();
    }
    let inside = |i: i32, k: usize| i.clamp(0, ground.size[k] - 1);
    let places = rows.iter().flat_map(|&z| columns.iter().map(move |&x| (inside(x, 0), inside(z, 1))));
    if columns.get(1).is_none_or(|x| x - x0 <= CLOSE) && rows.get(1).is_none_or(|z| z - z0 <= CLOSE) {
        let ends = |list: &[i32], k: usize| [list[0], list[list.len() - 1]].map(|i| inside(i, k));
        let ([x0, x1], [z0, z1]) = (ends(columns, 0), ends(rows, 1));
        let (width, height) = ((x1 - x0 + 1) as usize, (z1 - z0 + 1) as usize);
        let window = vegetation.window(CellRect { x: x0, z: z0, width, height });
        return places.map(|(x, z)| window[(z - z0) as usize * width + (x - x0) as usize]).collect();
    }
    let value = |(x, z): (i32, i32)| match ground.tiles.get(tile_of(x, z)) {
        Some(_) => vegetation.at(x, z) as f32,
        None => vegetation.untouched(x, z) as f32,
    };
    places.map(value).collect()
}

/// Reads the samples `columns` × `rows` of cells, those beyond the edge as the edge.
pub(crate) fn read(
    world: &trample::World,
    columns: &[i32],
    rows: &[i32],
    overlay: Option<&Overlay>,
    out: &mut Vec<Texel>,
) {
    out.clear();
    let ground = world.ground();
    let plain = matches!(ground.base, trample::Base::Flat);
    let cover = covers(world, columns, rows);
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
