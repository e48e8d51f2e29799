//! The land of a season from above, in colours: what grows, what stands there, and how trodden it is.

use crate::ground::Ground;
use trample::scene::{Area, PlantPatch};

/// Where people come and go.
pub const GATE: [u8; 3] = [196, 58, 48];
/// What a trail becomes.
pub const EARTH: [u8; 3] = [122, 88, 56];
/// Water, other obstacles, and boardwalks.
pub const WATER: [u8; 3] = [108, 150, 190];
/// See [`WATER`].
pub const WALL: [u8; 3] = [120, 116, 112];
/// See [`WATER`].
pub const PAVED: [u8; 3] = [200, 194, 184];

/// The land without anybody, shaded by its slopes, with what stands on it: row by row along x, of this many pixels.
pub fn land(ground: &Ground, size: [usize; 2]) -> Vec<[u8; 3]> {
    let scene = ground.scene();
    let soil = scene.terrain.materials[0].material.colour;
    let [w, h] = scene.terrain.size;
    let mut all = Vec::with_capacity(size[0] * size[1]);
    for y in 0..size[1] {
        for x in 0..size[0] {
            let p = [(x as f64 + 0.5) / size[0] as f64 * w, (y as f64 + 0.5) / size[1] as f64 * h];
            let grown = ground.patch_at(p[0], p[1]);
            let mut colour = scene.plants.get(usize::from(grown)).map_or(soil, grass);
            if let Some(season) = &scene.season {
                let inside = |area: &Area| area.contains(p[0], p[1], &season.routes);
                if season.calendar.boardwalks.iter().any(inside) {
                    colour = PAVED;
                }
                if let Some(o) = season.obstacles.iter().find(|o| inside(&o.area)) {
                    colour = if o.water { WATER } else { WALL };
                }
            }
            let normal = scene.terrain.base.normal(p[0], p[1], 0.5 * w / size[0] as f64);
            // Light from the north-west.
            let light = (0.72 + 0.9 * (-0.5 * normal.x - 0.5 * normal.z) + 0.28 * normal.y).clamp(0.45, 1.15);
            all.push(colour.map(|c| (f32::from(c) * light).min(255.0) as u8));
        }
    }
    all
}

/// The colour of a patch of plants from above.
pub fn grass(patch: &PlantPatch) -> [u8; 3] {
    let [r, g, b] = patch.species.colour;
    [r / 2 + 100, g / 2 + 100, b / 2 + 80]
}

/// A colour of the land as trodden as `wear` says, 0..1.
pub fn trodden(colour: [u8; 3], wear: f32) -> [u8; 3] {
    // A trail is seen before all of its cover is gone.
    let cover = (1.6 * wear).clamp(0.0, 1.0);
    let mix = |k: usize| f32::from(colour[k]) + (f32::from(EARTH[k]) - f32::from(colour[k])) * cover;
    [0, 1, 2].map(|k| mix(k) as u8)
}
