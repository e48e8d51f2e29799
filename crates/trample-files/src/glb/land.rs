//! The ground in a file: a grid of triangles over a window of it, darker where it is pressed.

use super::buffer::Use;
use super::{Parts, linear};
use serde_json::json;
use trample::{CellRect, Map, World};

/// A mesh of the ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Land {
    /// Places, m.
    pub points: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Linear colour of each point, 0 to 255, and 255: the material's own, darker with depth.
    pub colours: Vec<[u8; 4]>,
    /// Corners anticlockwise seen from above.
    pub triangles: Vec<[u32; 3]>,
}

/// How much of its light the most compressed ground keeps; our choice.
const DARKEST: f32 = 0.30;

impl Land {
    /// The surface over `window`, one point at the centre of every `step`th cell and at the window's far edges. Parts of the window
    /// that lie off the map are left out.
    pub fn new(world: &World, window: CellRect, step: usize) -> Self {
        let ground = world.ground();
        let stops = |first: i32, count: usize, all: i32| {
            let low = i64::from(first).clamp(0, i64::from(all));
            let high = (i64::from(first) + count as i64).clamp(0, i64::from(all));
            let mut stops: Vec<i32> = (low..high).step_by(step.max(1)).map(|i| i as i32).collect();
            // The far edge belongs to the window whatever the step.
            if stops.last().is_some_and(|&last| i64::from(last) + 1 < high) {
                stops.push((high - 1) as i32);
            }
            stops
        };
        let columns = stops(window.x, window.width, ground.size[0]);
        let rows = stops(window.z, window.height, ground.size[1]);
        let (height, pressed) = (world.map(Map::Height), world.map(Map::Compression));
        let (material, deepest) = (world.map(Map::Material), pressed.max().max(1e-4));
        let colours: Vec<[f32; 3]> = ground.materials.iter().map(|m| linear(m.colour)).collect();
        let mut land = Self::default();
        let (w, h) = (columns.len(), rows.len());
        for &z in &rows {
            for &x in &columns {
                land.points.push([ground.centre(x), height.at(x, z), ground.centre(z)].map(|v| v as f32));
                let share = (pressed.at(x, z) / deepest).clamp(0.0, 1.0) as f32;
                let bright = 1.0 - (1.0 - DARKEST) * share;
                let own = colours.get(material.at(x, z) as usize).copied().unwrap_or([0.5; 3]);
                let [r, g, b] = own.map(|v| (v * bright * 255.0 + 0.5) as u8);
                land.colours.push([r, g, b, 255]);
            }
        }
        for z in 0..h {
            for x in 0..w {
                let (x0, x1) = (x.saturating_sub(1), (x + 1).min(w - 1));
                let (z0, z1) = (z.saturating_sub(1), (z + 1).min(h - 1));
                let rise = |a: usize, b: usize, axis: usize| {
                    let (p, q) = (land.points[a], land.points[b]);
                    if a == b { 0.0 } else { (q[1] - p[1]) / (q[axis] - p[axis]) }
                };
                let (dx, dz) = (rise(z * w + x0, z * w + x1, 0), rise(z0 * w + x, z1 * w + x, 2));
                let length = (dx * dx + dz * dz + 1.0).sqrt();
                land.normals.push([-dx / length, 1.0 / length, -dz / length]);
            }
        }
        for z in 1..h {
            for x in 1..w {
                let (d, c) = ((z * w + x) as u32, (z * w + x - 1) as u32);
                let (b, a) = (d - w as u32, c - w as u32);
                land.triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
        land
    }

    /// Adds it to a file; ground without area is left out.
    pub(crate) fn put(&self, parts: &mut Parts) {
        if self.triangles.is_empty() {
            return;
        }
        let material = parts.material("ground", [1.0; 3]);
        let buffer = &mut parts.buffer;
        let attributes = json!({
            "POSITION": buffer.floats(&self.points, Use::Points, true),
            "NORMAL": buffer.floats(&self.normals, Use::Points, false),
            "COLOR_0": buffer.bytes4(&self.colours, true),
        });
        let corners = buffer.corners(&self.triangles);
        parts.meshes.push(json!({
            "name": "ground",
            "primitives": [{ "attributes": attributes, "indices": corners, "material": material }],
        }));
        let node = parts.node(json!({ "name": "ground", "mesh": parts.meshes.len() - 1 }));
        parts.roots.push(node);
    }
}
