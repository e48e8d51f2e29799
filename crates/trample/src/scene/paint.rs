//! Paint: patches of another material on a terrain.

use std::sync::Arc;

/// A patch of another material.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Paint {
    /// Index into the ground's materials; not used by a painted image, which carries its own.
    pub material: u8,
    /// Where.
    pub shape: PaintShape,
}

/// Where a paint goes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PaintShape {
    /// From corner to corner, m.
    Rectangle {
        /// Smallest x and z.
        min: [f64; 2],
        /// Largest x and z.
        max: [f64; 2],
    },
    /// Around a centre, m.
    Disc {
        /// Centre, x and z.
        centre: [f64; 2],
        /// Radius.
        radius: f64,
    },
    /// A picture of material indices stretched over the whole terrain, row 0 at z = 0.
    Image {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
        /// Material of each pixel.
        indices: Arc<[u8]>,
    },
}

/// The material at (x, z) of a ground of that extent, m: that of the last paint that lies there, else the first.
pub(crate) fn material_at(paints: &[Paint], extent: [f64; 2], x: f64, z: f64) -> u8 {
    for paint in paints.iter().rev() {
        match &paint.shape {
            PaintShape::Rectangle { min, max } => {
                if x >= min[0] && x < max[0] && z >= min[1] && z < max[1] {
                    return paint.material;
                }
            }
            PaintShape::Disc { centre, radius } => {
                let (dx, dz) = (x - centre[0], z - centre[1]);
                if dx * dx + dz * dz < radius * radius {
                    return paint.material;
                }
            }
            PaintShape::Image { width, height, indices } => {
                let at = |p: f64, side: f64, n: usize| ((p / side * n as f64).max(0.0) as usize).min(n - 1);
                return indices[at(z, extent[1], *height) * width + at(x, extent[0], *width)];
            }
        }
    }
    0
}
