//! Maps: what can be looked at, exported and drawn. One table, used by every reader.

use crate::state::ground::{Ground, cell_of, tile_of};
use crate::state::layers::{InTile, Layers};
use crate::state::tile::{NANO, TILE, Tile};

/// Kind of colour scale from a map's lowest value to its highest. The renderer chooses the colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ramp {
    /// Dark to light: any quantity.
    Sequential,
    /// Pale to dark: for maps that are mostly empty.
    Heat,
    /// Two colours that meet in the middle: for positive and negative changes.
    Diverging,
}

/// Values at the ends of the colour scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    /// Fixed values.
    Fixed([f64; 2]),
    /// From 0 to the largest value, at least this one.
    FromZero(f64),
    /// From the smallest to the largest value of the ground, touched or not, at least this far apart.
    Whole(f64),
    /// Symmetric about 0, up to the largest absolute value, at least this one.
    Symmetric(f64),
    /// Values are indices into the scene's materials: each has its own colour and name.
    Materials,
    /// Values are indices into this list: name and sRGB colour of each kind.
    Kinds(&'static [(&'static str, [u8; 3])]),
}

impl Span {
    /// Whether values are indices of kinds, which have no mean, instead of quantities.
    pub const fn counts(&self) -> bool {
        matches!(self, Self::Materials | Self::Kinds(_))
    }
}

/// Three numbers per cell, for maps whose files hold more than one value.
pub struct Texture {
    /// Meaning of the numbers.
    pub channels: [&'static str; 3],
    /// Values of the darkest and the brightest level of a picture.
    pub range: [f32; 2],
    value: fn(&Ground, i32, i32) -> [f64; 3],
}

/// The value of a cell whose tile is looked up.
type InCell = fn(&Ground, Option<&Tile>, i32, i32) -> f64;

/// How the cells of a map are found.
#[derive(Clone, Copy)]
enum Value {
    /// From the layers of a tile; 0 where nothing was touched.
    Layer(fn(&Layers<InTile>, usize) -> f64),
    /// From the ground, the tile of a cell if it was touched, and the cell's column and row.
    Cell(InCell),
    /// The same, of a map that is equal where a material and what was done to it are.
    Like(InCell),
    /// From the ground and a cell's column and row, with a faster way to many cells at once, and a faster one to about the value of a cell that nobody has touched.
    Window(fn(&Ground, i32, i32) -> f64, fn(&Ground, CellRect) -> Vec<f32>, fn(&Ground, i32, i32) -> f64),
}

/// Description of a map: its row in the table.
#[non_exhaustive]
pub struct MapRow {
    /// Name of files and options.
    pub name: &'static str,
    /// Unit of the values; empty for none.
    pub unit: &'static str,
    /// Unit for display, and the factor from `unit` to it.
    pub display: (&'static str, f64),
    /// Symbol in the papers.
    pub symbol: &'static str,
    /// Colours.
    pub ramp: Ramp,
    /// Values at the ends of the colour scale.
    pub span: Span,
    /// Description in one sentence.
    pub caption: &'static str,
    /// Numbers that files hold instead of the displayed value.
    pub texture: Option<Texture>,
    value: Value,
}

/// Compression and loose material from which a cell counts as print or as bump, m; our choice, what is seen in low light.
const SEEN: f64 = 1e-3;
/// Height of a bump that is wholly one, m; our choice.
const BUMP: f64 = 5e-3;
/// Share that makes a cell a print or bare: the half.
const HALF: f64 = 0.5;

const KINDS: &[(&str, [u8; 3])] = &[
    ("untouched", [226, 226, 220]),
    ("print", [70, 92, 140]),
    ("bump", [206, 140, 62]),
    ("bare", [122, 84, 60]),
];

/// Shares of a cell that are print, bump and bare.
fn shares(ground: &Ground, tile: Option<&Tile>, x: i32, z: i32) -> [f64; 3] {
    let bare = ground.cover.lost(x, z);
    tile.map_or([0.0, 0.0, bare], |tile| {
        let c = cell_of(x, z);
        [
            f64::from(tile.layers.pressed[c]) / 255.0,
            (tile.raised(c) as f64 / NANO / BUMP).clamp(0.0, 1.0),
            bare,
        ]
    })
}

fn kind(ground: &Ground, tile: Option<&Tile>, x: i32, z: i32) -> f64 {
    match shares(ground, tile, x, z) {
        [_, _, bare] if bare >= HALF => 3.0,
        [print, ..] if print >= HALF => 1.0,
        [_, bump, _] if bump * BUMP >= SEEN => 2.0,
        _ => 0.0,
    }
}

/// The surface's normal as pictures hold it: towards east, north and up. `surface` is the height of a cell, m.
fn normal(ground: &Ground, x: i32, z: i32, surface: impl Fn(i32, i32) -> f64) -> [f64; 3] {
    let slope = |k: usize| {
        let at = |d: i32| {
            let mut p = [x, z];
            p[k] = (p[k] + d).clamp(0, ground.size[k] - 1);
            (surface(p[0], p[1]), p[k])
        };
        let ((low, a), (high, b)) = (at(-1), at(1));
        (high - low) / (f64::from((b - a).max(1)) * ground.cell)
    };
    let (east, south) = (slope(0), slope(1));
    let length = (east * east + south * south + 1.0).sqrt();
    [-east / length, south / length, 1.0 / length]
}

fn normal_at(ground: &Ground, x: i32, z: i32) -> [f64; 3] {
    normal(ground, x, z, |x, z| ground.surface(x, z))
}

/// How level each cell of a rectangle is; every height is looked up once.
fn levels(ground: &Ground, rect: CellRect) -> Vec<f32> {
    let (x0, z0) = ((rect.x - 1).max(0), (rect.z - 1).max(0));
    let end = |first: i32, n: usize, all: i32| (first + n as i32 + 1).min(all);
    let width = (end(rect.x, rect.width, ground.size[0]) - x0) as usize;
    let height = (end(rect.z, rect.height, ground.size[1]) - z0) as usize;
    let mut surface = vec![0.0; width * height];
    let at = |x: i32, z: i32| (z - z0) as usize * width + (x - x0) as usize;
    each_cell(ground, CellRect { x: x0, z: z0, width, height }, |tile, x, z| {
        surface[at(x, z)] = ground.surface_in(tile, x, z);
    });
    let up = |x: i32, z: i32| normal(ground, x, z, |x, z| surface[at(x, z)])[2] as f32;
    cells(rect).map(|(x, z)| up(x, z)).collect()
}

/// Columns and rows of a rectangle's cells, row by row.
fn cells(rect: CellRect) -> impl Iterator<Item = (i32, i32)> {
    (rect.z..).take(rect.height).flat_map(move |z| (rect.x..).take(rect.width).map(move |x| (x, z)))
}

/// Shows the cells of a rectangle with the tiles that they are in, tile by tile.
fn each_cell(ground: &Ground, rect: CellRect, mut show: impl FnMut(Option<&Tile>, i32, i32)) {
    let t = TILE as i32;
    let parts = move |first: i32, n: usize| {
        let end = first + n as i32;
        let tiles = first.div_euclid(t)..(end + t - 1).div_euclid(t);
        tiles.map(move |k| ((k * t).max(first), ((k + 1) * t).min(end)))
    };
    for (z0, z1) in parts(rect.z, rect.height) {
        for (x0, x1) in parts(rect.x, rect.width) {
            let tile = ground.tiles.get(tile_of(x0, z0));
            for z in z0..z1 {
                (x0..x1).for_each(|x| show(tile, x, z));
            }
        }
    }
}

macro_rules! maps {
    ($($map:ident $name:literal in $unit:literal as $display:literal * $factor:literal, $symbol:literal,
        $ramp:ident over $span:expr, $caption:literal, $value:expr $(, $texture:expr)?;)*) => {
        /// The maps of the ground.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Map {
            $(#[doc = $caption] $map,)*
        }

        impl Map {
            /// All maps.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$map),*];

            /// Its description.
            pub const fn row(self) -> &'static MapRow {
                match self {
                    $(Self::$map => &const { MapRow {
                        name: $name,
                        unit: $unit,
                        display: ($display, $factor),
                        symbol: $symbol,
                        ramp: Ramp::$ramp,
                        span: $span,
                        caption: $caption,
                        texture: maps!(@texture $($texture)?),
                        value: $value,
                    } },)*
                }
            }
        }
    };
    (@texture) => { None };
    (@texture $texture:expr) => { Some($texture) };
}

maps! {
    Height "height" in "m" as "m" * 1.0, "h", Sequential over Span::Whole(0.05),
        "Surface height.",
        Value::Cell(Ground::surface_in);
    Compression "compression" in "m" as "mm" * 1e3, "h_c", Sequential over Span::FromZero(0.005),
        "Plastic compression of the ground.",
        Value::Layer(|layers, c| f64::from(layers.compression[c]) / NANO);
    Accumulation "accumulation" in "m" as "mm" * 1e3, "h_a", Heat over Span::FromZero(0.005),
        "Loose material lying on top.",
        Value::Layer(|layers, c| f64::from(layers.accumulation[c]) / NANO);
    Delta "delta" in "m" as "mm" * 1e3, "h_a − h_c", Diverging over Span::Symmetric(0.005),
        "Change of the surface: accumulation less compression.",
        Value::Layer(|layers, c| (f64::from(layers.accumulation[c]) - f64::from(layers.compression[c])) / NANO);
    PressureTime "pressure_time" in "Pa·s" as "kPa·s" * 1e-3, "σ_acc", Heat over Span::FromZero(1e3),
        "Pressure summed over time (TRAIL eq. 17).",
        Value::Layer(|layers, c| f64::from(layers.pressure_time[c]));
    Passes "passes" in "" as "" * 1.0, "n", Heat over Span::FromZero(1.0),
        "Footfalls, each with the share of the cell that it covered; counted under the natural law.",
        Value::Layer(|layers, c| f64::from(layers.passes[c]));
    Density "density" in "kg/m³" as "g/cm³" * 1e-3, "ρ", Sequential over Span::Whole(50.0),
        "Dry bulk density near the surface.",
        Value::Like(Ground::density_in);
    Material "material" in "" as "" * 1.0, "material", Sequential over Span::Materials,
        "Material of the ground.",
        Value::Cell(|ground, tile, x, z| f64::from(ground.material_in(tile, x, z)));
    Vegetation "vegetation" in "" as "" * 1.0, "α_veg", Sequential over Span::Fixed([0.0, 1.0]),
        "Reinforcement of the ground by plants: 1 dense and healthy, 0 bare (TRAIL eq. 7).",
        Value::Window(
            |g, x, z| g.cover.held(x, z)[0],
            |g, r| g.cover.window(r.x, r.z, r.width, r.height).into_iter().map(|held| held[0]).collect(),
            |g, x, z| g.cover.untouched(g.centre(x), g.centre(z))[0],
        );
    Modulus "modulus" in "Pa" as "MPa" * 1e-6, "E_total", Sequential over Span::Whole(1e5),
        "Young's modulus of the ground including roots (TRAIL eq. 9).",
        Value::Window(
            |g, x, z| g.material(x, z).youngs_modulus + g.cover.held(x, z)[1],
            |g, r| {
                let roots = g.cover.window(r.x, r.z, r.width, r.height);
                cells(r).zip(roots).map(|((x, z), held)| g.material(x, z).youngs_modulus as f32 + held[1]).collect()
            },
            |g, x, z| g.material(x, z).youngs_modulus + g.cover.untouched(g.centre(x), g.centre(z))[1],
        );
    Resistance "resistance" in "Pa" as "kPa" * 1e-3, "CI", Sequential over Span::Whole(2e4),
        "Penetration resistance of a cone of 20 mm, 5 cm below the surface, without roots.",
        Value::Like(Ground::resistance_in);
    Wetness "wetness" in "" as "" * 1.0, "S", Sequential over Span::Fixed([0.0, 1.0]),
        "Water saturation of the pores: that of the material, higher where the ground is compacted.",
        Value::Like(Ground::wetness_in);
    Mask "mask" in "" as "" * 1.0, "mask", Sequential over Span::Kinds(KINDS),
        "Prints, bumps and ground that lost its plants; files hold the share of each.",
        Value::Cell(kind), Texture {
            channels: ["print", "bump", "bare"],
            range: [0.0, 1.0],
            value: |ground, x, z| shares(ground, ground.tiles.get(tile_of(x, z)), x, z),
        };
    Normal "normal" in "" as "" * 1.0, "n", Sequential over Span::Fixed([0.0, 1.0]),
        "Levelness of the surface, 1 level and 0 vertical; files hold the normal.",
        Value::Window(|g, x, z| normal_at(g, x, z)[2], levels, |g, x, z| normal_at(g, x, z)[2]),
        Texture { channels: ["east", "north", "up"], range: [-1.0, 1.0], value: normal_at };
}

impl Map {
    /// Name of files and options.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Unit of the values.
    pub const fn unit(self) -> &'static str {
        self.row().unit
    }

    /// Name for display.
    pub fn title(self) -> String {
        self.name().replace('_', " ")
    }

    /// The names of all maps, for help and messages.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// The map of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|map| map.name() == name)
    }
}

/// A rectangle of cells: first column and row, number of columns and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CellRect {
    /// First column.
    pub x: i32,
    /// First row.
    pub z: i32,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// One map of a ground.
#[derive(Clone, Copy, Debug)]
pub struct MapView<'a> {
    map: Map,
    ground: &'a Ground,
}

impl<'a> MapView<'a> {
    pub(crate) fn new(map: Map, ground: &'a Ground) -> Self {
        Self { map, ground }
    }

    /// Values of all touched cells, in the order their tiles were made.
    fn touched(&self) -> impl Iterator<Item = f64> {
        self.ground.tiles.iter().flat_map(|tile| (0..TILE * TILE).map(|c| self.of_tile(tile, c)))
    }

    fn of_tile(&self, tile: &Tile, c: usize) -> f64 {
        let place = |first: i32, k: usize| first * TILE as i32 + k as i32;
        let (x, z) = (place(tile.key.x, c % TILE), place(tile.key.z, c / TILE));
        match self.map.row().value {
            Value::Layer(value) => value(&tile.layers, c),
            Value::Cell(value) | Value::Like(value) => value(self.ground, Some(tile), x, z),
            Value::Window(value, ..) => value(self.ground, x, z),
        }
    }

    /// Value of a cell.
    pub fn at(&self, x: i32, z: i32) -> f64 {
        let tile = || self.ground.tiles.get(tile_of(x, z));
        match self.map.row().value {
            Value::Layer(value) => tile().map_or(0.0, |tile| value(&tile.layers, cell_of(x, z))),
            Value::Cell(value) | Value::Like(value) => value(self.ground, tile(), x, z),
            Value::Window(value, ..) => value(self.ground, x, z),
        }
    }

    /// Approximate value of an untouched cell: plants by the mean density of their patch, not individually.
    pub fn untouched(&self, x: i32, z: i32) -> f64 {
        match self.map.row().value {
            Value::Window(.., about) => about(self.ground, x, z),
            _ => self.at(x, z),
        }
    }

    /// The numbers of the map's texture at a cell; for a map without a texture three times its value.
    pub fn texel(&self, x: i32, z: i32) -> [f64; 3] {
        match &self.map.row().texture {
            Some(texture) => (texture.value)(self.ground, x, z),
            None => [self.at(x, z); 3],
        }
    }

    /// Largest value over the touched cells, 0 if there are none.
    pub fn max(&self) -> f64 {
        self.touched().reduce(f64::max).unwrap_or(0.0)
    }

    /// Smallest value over the touched cells, 0 if there are none.
    pub fn min(&self) -> f64 {
        self.touched().reduce(f64::min).unwrap_or(0.0)
    }

    /// Sum over the touched cells.
    pub fn sum(&self) -> f64 {
        self.ground.tiles.sorted().iter().flat_map(|t| (0..TILE * TILE).map(|c| self.of_tile(t, c))).sum()
    }

    /// A dense window, row-major, row 0 at the smallest z.
    pub fn window(&self, rect: CellRect) -> Vec<f32> {
        let mut values = vec![0.0; rect.width * rect.height];
        self.write(rect, &mut values, rect.width);
        values
    }

    /// Writes a window into rows whose starts are `stride` values apart.
    ///
    /// # Panics
    /// If `to` is too short.
    pub fn write(&self, rect: CellRect, to: &mut [f32], stride: usize) {
        let ground = self.ground;
        let at = |x: i32, z: i32| (z - rect.z) as usize * stride + (x - rect.x) as usize;
        match self.map.row().value {
            Value::Layer(value) => each_cell(ground, rect, |tile, x, z| {
                to[at(x, z)] = tile.map_or(0.0, |tile| value(&tile.layers, cell_of(x, z))) as f32;
            }),
            Value::Cell(value) => each_cell(ground, rect, |tile, x, z| {
                to[at(x, z)] = value(ground, tile, x, z) as f32;
            }),
            Value::Like(value) => {
                let mut last = None;
                each_cell(ground, rect, |tile, x, z| {
                    let layers = tile.map(|tile| (&tile.layers, cell_of(x, z)));
                    let done = layers
                        .map_or((0, 0, 0), |(l, c)| (l.compression[c], l.passes[c].to_bits(), l.pressed[c]));
                    let like = (ground.material_in(tile, x, z), done);
                    let known = last.filter(|(of, _)| *of == like);
                    let (_, known) = known.unwrap_or_else(|| (like, value(ground, tile, x, z) as f32));
                    last = Some((like, known));
                    to[at(x, z)] = known;
                });
            }
            Value::Window(_, window, _) => {
                let values = window(ground, rect);
                cells(rect).zip(values).for_each(|((x, z), value)| to[at(x, z)] = value);
            }
        }
    }
}

/// The smallest rectangle that contains every touched tile.
pub fn touched_rect(ground: &Ground) -> Option<CellRect> {
    let mut keys = ground.tiles.iter().map(|t| t.key);
    let first = keys.next()?;
    let (mut x0, mut z0, mut x1, mut z1) = (first.x, first.z, first.x, first.z);
    for key in keys {
        (x0, z0, x1, z1) = (x0.min(key.x), z0.min(key.z), x1.max(key.x), z1.max(key.z));
    }
    let t = TILE as i32;
    let (x, z) = ((x0 * t).max(0), (z0 * t).max(0));
    let width = ((x1 + 1) * t).min(ground.size[0]) - x;
    let height = ((z1 + 1) * t).min(ground.size[1]) - z;
    Some(CellRect { x, z, width: width.max(0) as usize, height: height.max(0) as usize })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{World, scene::library};

    #[test]
    fn a_window_holds_the_cells_of_the_map_wherever_it_lies() {
        for name in ["dune-side", "snow-meets-sand", "bend-and-return"] {
            let mut world = World::new(&library::by_name(name).expect("a scene")).expect("a world");
            (0..90).for_each(|_| {
                world.step(1.0 / 60.0);
            });
            let touched = touched_rect(world.ground()).expect("prints");
            let [columns, rows] = world.ground().size;
            let corner = CellRect { x: columns - 13, z: rows - 9, width: 13, height: 9 };
            let middle = CellRect { x: touched.x + 3, z: touched.z + 5, width: 27, height: 11 };
            for map in Map::ALL {
                let view = world.map(map);
                for rect in [corner, middle, CellRect { x: 0, z: 0, width: 9, height: 10 }] {
                    let values = view.window(rect);
                    for ((x, z), value) in cells(rect).zip(values) {
                        let one = view.at(x, z) as f32;
                        // The modulus of plants is added in single precision there.
                        assert!(
                            (value - one).abs() <= 2e-7 * one.abs(),
                            "{name}, {map:?}, {x}, {z}: {value} {one}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn plants_that_break_are_told_once_and_nothing_else_of_them_has_changed() {
        let mut world = World::new(&library::by_name("carex-lane").expect("a scene")).expect("a world");
        let [columns, rows] = world.ground().size;
        let whole = CellRect { x: 0, z: 0, width: columns as usize, height: rows as usize };
        let (mut before, mut told) = (world.map(Map::Vegetation).window(whole), 0);
        for _ in 0..12 {
            (0..20).for_each(|_| {
                world.step(1.0 / 60.0);
            });
            let mut dirty = vec![false; before.len()];
            world.take_dirty_plants(|rect| {
                let inside = cells(rect).filter(|&(x, z)| x >= 0 && z >= 0 && x < columns && z < rows);
                inside.for_each(|(x, z)| dirty[(z * columns + x) as usize] = true);
            });
            let after = world.map(Map::Vegetation).window(whole);
            let hidden = before.iter().zip(&after).zip(&dirty).filter(|((a, b), told)| a != b && !**told);
            assert_eq!(hidden.count(), 0);
            told += dirty.iter().filter(|told| **told).count();
            before = after;
        }
        assert!(told > 0 && told < 6 * before.len(), "{told} of {}", before.len());
        let mut again = 0;
        world.take_dirty_plants(|_| again += 1);
        assert_eq!(again, 0);
    }
}
