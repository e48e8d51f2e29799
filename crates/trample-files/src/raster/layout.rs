//! How the tools of games and pictures want height maps: sizes, formats, byte order, flips, and the numbers to enter there.

use super::{Extent, FORMATS, MapFormat, MapView, RasterError, raw};
use serde_json::{Value, json};
use std::path::Path;
use std::str::FromStr;

/// A tool that imports terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Unreal Engine: landscapes, 16-bit PNG or R16 in whole components; green of normals points south.
    Unreal,
    /// Unity: terrain, RAW of 2ⁿ + 1 posts, southern row first.
    Unity,
    /// Godot: EXR or R16 of 2ⁿ + 1 posts.
    Godot,
    /// Blender: EXR for a displacement, of any size.
    Blender,
}

/// A tool and how many posts a side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// For whom.
    pub tool: Tool,
    /// Posts along a side; none for the ground's own cells.
    pub side: Option<usize>,
}

/// The coarsest step of heights that is written as integers, m: what a print is made of would be lost.
pub(super) const QUANTUM: f64 = 1e-3;
/// Heights that the integers span at least, m: a flat terrain has a scale, too.
const LEAST: f32 = 0.01;
/// Heights that Unreal's integers span at a scale of 100, m (LANDSCAPE_ZSCALE = 1/128).
const UNREAL_SPAN: f64 = 512.0;

impl Tool {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("unreal", Self::Unreal),
        ("unity", Self::Unity),
        ("godot", Self::Godot),
        ("blender", Self::Blender),
    ];

    /// Its name in options.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, tool)| *tool == self).map_or("", |(name, _)| name)
    }

    /// Whether its terrain can have so many posts a side; if not, which it can have.
    fn takes(self, side: usize) -> Result<(), &'static str> {
        let quads = side.saturating_sub(1);
        match self {
            // Components of one or two by two sections of 7 to 255 quads, at most 32 a side.
            Self::Unreal => {
                let component = |q: usize| quads.is_multiple_of(q) && (1..=32).contains(&(quads / q));
                let sections = [7, 15, 31, 63, 127, 255];
                let fits = sections.iter().any(|&q| component(q) || component(2 * q));
                fits.then_some(()).ok_or("127, 253, 505, 1009, 2017, 4033, 8129 or other whole components")
            }
            Self::Unity | Self::Godot => (quads.is_power_of_two() && (32..=4096).contains(&quads))
                .then_some(())
                .ok_or("33, 65, 129, 257, 513, 1025, 2049 or 4097"),
            Self::Blender => (2..=16384).contains(&side).then_some(()).ok_or("2 to 16384"),
        }
    }
}

impl FromStr for Layout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, side) = text.split_once(':').map_or((text, None), |(name, side)| (name, Some(side)));
        let tool = Tool::ALL.iter().find(|(known, _)| *known == name).map(|(_, tool)| *tool);
        let tool = tool.ok_or(
            "allowed: unreal:1009, unity:1025, godot, blender; after the colon the posts a side has",
        )?;
        let usual = match tool {
            Tool::Unreal => Some(1009),
            Tool::Unity | Tool::Godot => Some(1025),
            Tool::Blender => None,
        };
        let side = match side {
            None => usual,
            Some(side) => Some(side.parse().map_err(|_| format!("`{side}` is not a number of posts"))?),
        };
        side.map_or(Ok(()), |side| {
            tool.takes(side)
                .map_err(|allowed| format!("{name} takes no {side} posts a side, allowed: {allowed}"))
        })?;
        Ok(Self { tool, side })
    }
}

impl Layout {
    /// The formats that the tool reads best: of numbers, and of textures.
    pub fn formats(&self, texture: bool) -> Vec<MapFormat> {
        let endings: &[&str] = match (self.tool, texture) {
            (Tool::Blender, true) => &["exr", "png"],
            (_, true) | (Tool::Unreal, false) => &["png"],
            (Tool::Unity, false) => &["r16"],
            (Tool::Godot, false) => &["exr", "r16"],
            (Tool::Blender, false) => &["exr"],
        };
        FORMATS.into_iter().filter(|(ending, _)| endings.contains(ending)).collect()
    }

    /// The ending of a format's files: Unity looks for `.raw`.
    pub fn ending(&self, format: &'static str) -> &'static str {
        if self.tool == Tool::Unity && format == "r16" { "raw" } else { format }
    }

    /// Heights that integers span: those of the map, further apart if it is flat.
    ///
    /// # Errors
    /// If a step of the integers is more than 1 mm.
    pub fn range(&self, name: &str, [low, high]: [f32; 2]) -> Result<[f32; 2], String> {
        let range = [low, high.max(low + LEAST)];
        let span = f64::from(range[1]) - f64::from(range[0]);
        if span / 65535.0 > QUANTUM {
            return Err(format!(
                "{name} spans {span:.1} m, of which one step of 16 bits would be {:.2} mm, more than 1 mm: prints would be stairs; use \
                 --maps delta over the terrain you have, --formats exr for 32-bit floats, or a smaller --window",
                1e3 * span / 65535.0
            ));
        }
        Ok(range)
    }

    /// Writes a map as the tool wants it.
    pub(super) fn write(
        &self,
        path: &Path,
        map: &MapView<'_>,
        format: &MapFormat,
    ) -> Result<(), RasterError> {
        if format.0 == "r16" {
            return raw::write(path, map, self.tool == Tool::Unity);
        }
        if self.tool == Tool::Unreal && map.channels == 3 && map.range == Some([-1.0, 1.0]) {
            // Green points down the picture there.
            let turned = map.data.iter().enumerate().map(|(i, &v)| if i % 3 == 1 { -v } else { v });
            return (format.1)(path, &MapView { data: &turned.collect::<Vec<_>>(), ..*map });
        }
        (format.1)(path, map)
    }

    /// What to enter in the tool.
    pub fn entries(&self, extent: &Extent, heights: Option<[f32; 2]>) -> Value {
        let [low, high] = heights.unwrap_or([0.0, 0.0]).map(f64::from);
        let (span, cell) = (high - low, extent.spacing);
        let [width, depth] = [extent.columns, extent.rows].map(|n| (n.max(1) - 1) as f64 * cell);
        let mut all = json!({
            "tool": self.tool.name(),
            "columns": extent.columns,
            "rows": extent.rows,
            "post_spacing_m": cell,
            "height_min_m": low,
            "height_max_m": high,
            "quantum_mm": 1e3 * span / 65535.0,
            "first_post_m": [extent.corner[0] + 0.5 * cell, extent.corner[1] + 0.5 * cell],
        });
        let more = match self.tool {
            Tool::Unreal => json!({
                "scale": [100.0 * cell, 100.0 * cell, 100.0 * span / UNREAL_SPAN],
                "location_cm": [0.0, 0.0, 100.0 * (low + span * 32768.0 / 65535.0)],
                "normals": "DirectX: green points south",
                "how": "Landscape mode, Import from File, enter scale and location",
            }),
            Tool::Unity => json!({
                "terrain_width_m": width,
                "terrain_length_m": depth,
                "terrain_height_m": span,
                "position_y_m": low,
                "byte_order": "Windows",
                "flip_vertically": false,
                "normals": "OpenGL: green points north",
                "how": "Terrain Settings, Import Raw: 16 bit, Windows, Flip Vertically off",
            }),
            Tool::Godot => json!({
                "vertex_spacing_m": cell,
                "r16_range_m": [low, high],
                "normals": "OpenGL: green points north",
                "how": "Terrain3D importer: the EXR with scale 1, or the R16 with its range; +z is south there as here",
            }),
            Tool::Blender => json!({
                "plane_m": [width, depth],
                "displace_strength": 1.0,
                "displace_midlevel": 0.0,
                "normals": "OpenGL: green points north",
                "how": "a plane of that size, subdivided, with a Displace modifier: image texture as Non-Color, strength 1, midlevel 0",
            }),
        };
        if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
            all.extend(more);
        }
        all
    }
}
