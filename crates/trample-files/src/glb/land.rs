//! The ground in a file: a grid of triangles over a window of it, darker where it is pressed.

use super::buffer::Use;
use super::{Channels, Parts};
use crate::history::Piece;
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use trample::{CellRect, Map, World};
use trample_looks::colour::linear;

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
                let own = colours.get(material.at(x, z) as usize).copied().unwrap_or([0.5; 3]);
                land.colours.push(shade(own, pressed.at(x, z) / deepest));
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

    /// The surface over some columns and rows of cells, where `at` tells height and compression of a cell, m; `deepest` is the compression
    /// that is darkest.
    pub(crate) fn patch(
        world: &World,
        columns: Range<i32>,
        rows: Range<i32>,
        deepest: f64,
        at: &dyn Fn(i32, i32) -> [f64; 2],
    ) -> Self {
        let ground = world.ground();
        let colours: Vec<[f32; 3]> = ground.materials.iter().map(|m| linear(m.colour)).collect();
        let mut land = Self::default();
        let w = columns.len() as u32;
        for z in rows.clone() {
            for x in columns.clone() {
                let [height, pressed] = at(x, z);
                land.points.push([ground.centre(x), height, ground.centre(z)].map(|v| v as f32));
                let slope = |dx: i32, dz: i32| {
                    let side = |i: i32, d: i32, k: usize| (i + d).clamp(0, ground.size[k] - 1);
                    let (low, high) = ([side(x, -dx, 0), side(z, -dz, 1)], [side(x, dx, 0), side(z, dz, 1)]);
                    let apart = f64::from((high[0] - low[0] + high[1] - low[1]).max(1)) * ground.cell;
                    ((at(high[0], high[1])[0] - at(low[0], low[1])[0]) / apart) as f32
                };
                let (dx, dz) = (slope(1, 0), slope(0, 1));
                let length = (dx * dx + dz * dz + 1.0).sqrt();
                land.normals.push([-dx / length, 1.0 / length, -dz / length]);
                let own = colours.get(usize::from(ground.material_at(x, z))).copied().unwrap_or([0.5; 3]);
                land.colours.push(shade(own, pressed / deepest));
            }
        }
        for z in 1..rows.len() as u32 {
            for x in 1..w {
                let (d, c) = (z * w + x, z * w + x - 1);
                land.triangles.extend([[d - w - 1, c, d - w], [d - w, c, d]]);
            }
        }
        land
    }

    /// Keeps the squares whose upper left cell is wanted, of a surface of all cells of `window`, and the points they need.
    pub(crate) fn keep_quads(&mut self, window: CellRect, wanted: impl Fn(i32, i32) -> bool) {
        let w = window.width as u32;
        // Both triangles of a square begin with a corner from which its upper left one is known.
        let mut kept = Vec::with_capacity(self.triangles.len());
        for two in self.triangles.chunks_exact(2) {
            let first = two[0][0];
            if wanted(window.x + (first % w) as i32, window.z + (first / w) as i32) {
                kept.extend_from_slice(two);
            }
        }
        let mut number: Vec<u32> = vec![u32::MAX; self.points.len()];
        let mut count = 0;
        for corner in kept.iter_mut().flatten() {
            let place = &mut number[*corner as usize];
            if *place == u32::MAX {
                *place = count;
                count += 1;
            }
            *corner = *place;
        }
        let mut order: Vec<usize> = (0..number.len()).filter(|&i| number[i] != u32::MAX).collect();
        order.sort_by_key(|&i| number[i]);
        self.points = order.iter().map(|&i| self.points[i]).collect();
        self.normals = order.iter().map(|&i| self.normals[i]).collect();
        self.colours = order.iter().map(|&i| self.colours[i]).collect();
        self.triangles = kept;
    }

    /// Adds it to a file; ground without area is left out.
    pub(crate) fn put(&self, parts: &mut Parts) {
        if self.triangles.is_empty() {
            return;
        }
        let material = parts.material("ground", [1.0; 3]);
        let corners = parts.buffer.corners(&self.triangles);
        let mesh = self.mesh(parts, "ground", corners, material);
        let node = parts.node(json!({ "name": "ground", "mesh": mesh }));
        parts.roots.push(node);
    }

    fn mesh(&self, parts: &mut Parts, name: &str, corners: usize, material: usize) -> usize {
        let buffer = &mut parts.buffer;
        let attributes = json!({
            "POSITION": buffer.floats(&self.points, Use::Points, true),
            "NORMAL": buffer.floats(&self.normals, Use::Points, false),
            "COLOR_0": buffer.bytes4(&self.colours, true),
        });
        parts.meshes.push(json!({
            "name": name,
            "primitives": [{ "attributes": attributes, "indices": corners, "material": material }],
        }));
        parts.meshes.len() - 1
    }
}

/// A colour in linear light as bytes, darker the more of the deepest compression there is.
fn shade(own: [f32; 3], share: f64) -> [u8; 4] {
    let bright = 1.0 - (1.0 - DARKEST) * share.clamp(0.0, 1.0) as f32;
    let [r, g, b] = own.map(|v| (v * bright * 255.0 + 0.5) as u8);
    [r, g, b, 255]
}

/// Adds pieces that come and go: nodes whose scale is 1 while they are shown and 0 else, which glTF takes for hidden. Without the animation
/// the end is seen.
pub(crate) fn put_pieces(parts: &mut Parts, pieces: &[Piece], walk: &mut Channels<'_>) {
    if pieces.is_empty() {
        return;
    }
    let material = parts.material("prints", [1.0; 3]);
    // Most pieces are whole tiles, whose corners are the same.
    let mut corners: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut clocks: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    let mut children = Vec::with_capacity(pieces.len());
    for (n, Piece { land, from, until }) in pieces.iter().enumerate() {
        let kind = (land.points.len(), land.triangles.len());
        let indices = *corners.entry(kind).or_insert_with(|| parts.buffer.corners(&land.triangles));
        let name = format!("print {n}");
        let mesh = land.mesh(parts, &name, indices, material);
        let last = f32::from(u8::from(until.is_none()));
        let node = parts.node(json!({ "name": name, "mesh": mesh, "scale": [last, last, last] }));
        children.push(node);
        let mut keys = vec![(0.0, if *from > 0.0 { 0.0 } else { 1.0 })];
        if *from > 0.0 {
            keys.push((*from, 1.0));
        }
        keys.extend(until.map(|until| (until, 0.0)));
        if keys.len() < 2 {
            continue;
        }
        let bits: Vec<u32> = keys.iter().map(|key| key.0.to_bits()).collect();
        let input = *clocks.entry(bits).or_insert_with(|| {
            parts.buffer.floats(&keys.iter().map(|key| [key.0]).collect::<Vec<_>>(), Use::Other, true)
        });
        let scales: Vec<[f32; 3]> = keys.iter().map(|key| [key.1; 3]).collect();
        let output = parts.buffer.floats(&scales, Use::Other, false);
        walk.add_as(node, "scale", input, output, "STEP");
    }
    let node = parts.node(json!({ "name": "prints", "children": children }));
    parts.roots.push(node);
}
