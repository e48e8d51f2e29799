//! What a sample of the ground carries: its height, and what colours it.

use trample::map::Map;
use trample::state::TILE;
use trample::state::ground::{cell_of, tile_of};
use trample::state::tile::NANO;

/// Compression that colours the ground fully, m; our choice, a deep print in snow.
pub const DEEP: f64 = 0.12;
/// Loose material that colours the ground fully, m; our choice.
pub const HEAPED: f64 = 0.03;

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
    let grown = !world.plants().is_empty();
    let vegetation = world.map(Map::Vegetation);
    let over = overlay.map(|o| (world.map(o.map), f64::from(o.range[0]), f64::from(o.range[1])));
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
                    let (down, up) = (f64::from(tile.compression[c]), f64::from(tile.accumulation[c]));
                    (tile.raised(c), down / NANO / DEEP, up / NANO / HEAPED, tile.material[c])
                }
                None if painted => (0, 0.0, 0.0, ground.paint_at(ground.centre(x), ground.centre(z))),
                None => (0, 0.0, 0.0, 0),
            };
            let cover = if grown { vegetation.at(x, z) } else { 0.0 };
            let colour = over.map_or(0, |(map, low, high)| byte((map.at(x, z) - low) / (high - low)));
            out.push(Texel {
                height: ((base + raised) as f64 / NANO) as f32,
                data: [byte(pressed), byte(cover), (material & 15) | (byte(loose) >> 4) << 4, colour],
            });
        }
    }
}
