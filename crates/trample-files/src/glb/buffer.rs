//! The binary part of a file: numbers, and what says where they lie.

use serde_json::{Value, json};

/// What a stretch of numbers is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Points of a mesh.
    Points,
    /// Corners of triangles.
    Corners,
    /// Anything else.
    Other,
}

/// Numbers of all meshes and animations.
#[derive(Default)]
pub(crate) struct Buffer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: Vec<Value>,
    pub(crate) accessors: Vec<Value>,
}

impl Buffer {
    /// Adds rows of N numbers; bounds are written where the format asks for them.
    pub(crate) fn floats<const N: usize>(&mut self, rows: &[[f32; N]], what: Use, bounds: bool) -> usize {
        let bytes = rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let kind = match N {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let mut accessor = json!({ "componentType": 5126, "count": rows.len(), "type": kind });
        if bounds {
            let fold = |f: fn(f32, f32) -> f32, from: f32| -> Vec<f32> {
                (0..N).map(|c| rows.iter().map(|r| r[c]).fold(from, f)).collect()
            };
            accessor["min"] = json!(fold(f32::min, f32::INFINITY));
            accessor["max"] = json!(fold(f32::max, f32::NEG_INFINITY));
        }
        self.put(bytes, what, accessor)
    }

    /// Adds rows of four bytes; `normalized` ones stand for 0 to 1.
    pub(crate) fn bytes4(&mut self, rows: &[[u8; 4]], normalized: bool) -> usize {
        let mut accessor = json!({ "componentType": 5121, "count": rows.len(), "type": "VEC4" });
        if normalized {
            accessor["normalized"] = json!(true);
        }
        self.put(rows.as_flattened().to_vec(), Use::Points, accessor)
    }

    /// Adds rows of four numbers of two bytes.
    pub(crate) fn shorts4(&mut self, rows: &[[u16; 4]]) -> usize {
        let bytes = rows.iter().flatten().flat_map(|n| n.to_le_bytes()).collect();
        let accessor = json!({ "componentType": 5123, "count": rows.len(), "type": "VEC4" });
        self.put(bytes, Use::Points, accessor)
    }

    /// Adds bytes of another format and returns the number of their view.
    pub(crate) fn blob(&mut self, bytes: &[u8]) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend(bytes);
        // What follows stays aligned.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    /// Adds corners of triangles.
    pub(crate) fn corners(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes = triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        let accessor = json!({ "componentType": 5125, "count": 3 * triangles.len(), "type": "SCALAR" });
        self.put(bytes, Use::Corners, accessor)
    }

    fn put(&mut self, bytes: Vec<u8>, what: Use, mut accessor: Value) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        match what {
            Use::Points => view["target"] = json!(34962),
            Use::Corners => view["target"] = json!(34963),
            Use::Other => {}
        }
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(view);
        // Every kind here is a multiple of four bytes long, so all that follows stays aligned.
        self.bytes.extend(bytes);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}
