//! The ground: what it was (base, materials), and what has been done to it (tiles).

use super::cover::Cover;
use super::tile::{NANO, TILE, TILE_CELLS, Tile, TileKey, Tiles};
use crate::params::natural::{Virgin, decades};
use crate::params::{Law, Material};
use crate::scene::{Base, Paint, material_at};

/// The terrain and its touched tiles.
#[derive(Clone, Debug)]
pub struct Ground {
    /// Side of a cell, m.
    pub cell: f64,
    /// Cells in x and z.
    pub size: [i32; 2],
    /// Original height.
    pub base: Base,
    /// Materials that cells refer to.
    pub materials: Vec<Material>,
    /// Their pressure over sinkage under the natural law. Derived.
    pub(crate) virgin: Vec<Virgin>,
    /// Areas of materials; later paints cover earlier ones, material 0 is everywhere else.
    pub paints: Vec<Paint>,
    /// Ground law.
    pub law: Law,
    /// `r_contour`, width of the border that takes displaced material, m (DF §6: 4 cm).
    pub contour: f64,
    /// `ε`, gap at which a sole counts as touching, m (TR §3.2: 0.5–1 cm).
    pub tolerance: f64,
    /// `F_threshold` as a share of the walker's weight (TR-13).
    pub force_threshold: f64,
    /// Touched tiles.
    pub tiles: Tiles,
    /// Reinforcement by plants.
    pub cover: Cover,
}

impl Ground {
    /// Centre of a cell along one axis, m.
    pub fn centre(&self, index: i32) -> f64 {
        (f64::from(index) + 0.5) * self.cell
    }

    /// Material index at (x, z).
    pub fn paint_at(&self, x: f64, z: f64) -> u8 {
        let extent = self.size.map(|n| f64::from(n) * self.cell);
        material_at(&self.paints, extent, x, z)
    }

    /// Material index of a cell.
    pub fn material_at(&self, x: i32, z: i32) -> u8 {
        self.material_in(self.tiles.get(tile_of(x, z)), x, z)
    }

    /// The same for who has looked its tile up.
    pub(crate) fn material_in(&self, tile: Option<&Tile>, x: i32, z: i32) -> u8 {
        tile.map_or_else(
            || self.paint_at(self.centre(x), self.centre(z)),
            |tile| tile.material[cell_of(x, z)],
        )
    }

    /// Material of a cell.
    pub fn material(&self, x: i32, z: i32) -> &Material {
        &self.materials[self.material_at(x, z) as usize]
    }

    /// Original height of a cell, nm.
    pub fn base_nano(&self, x: i32, z: i32) -> i64 {
        if matches!(self.base, Base::Flat) {
            return 0;
        }
        (self.base.height(self.centre(x), self.centre(z)) * NANO).round() as i64
    }

    /// Surface height of a cell, nm: base − compression + accumulation.
    pub fn surface_nano(&self, x: i32, z: i32) -> i64 {
        self.surface_nano_in(self.tiles.get(tile_of(x, z)), x, z)
    }

    fn surface_nano_in(&self, tile: Option<&Tile>, x: i32, z: i32) -> i64 {
        self.base_nano(x, z) + tile.map_or(0, |tile| tile.raised(cell_of(x, z)))
    }

    /// Surface height of a cell for who has looked its tile up, m.
    pub(crate) fn surface_in(&self, tile: Option<&Tile>, x: i32, z: i32) -> f64 {
        self.surface_nano_in(tile, x, z) as f64 / NANO
    }

    /// Surface height of a cell, m.
    pub fn surface(&self, x: i32, z: i32) -> f64 {
        self.surface_nano(x, z) as f64 / NANO
    }

    /// Depth of the cell at (x, z) below its original height, m; 0 if untouched, negative under accumulated material.
    pub fn pressed(&self, x: f64, z: f64) -> f64 {
        let cell = |p: f64, n: i32| ((p / self.cell).floor() as i32).clamp(0, n - 1);
        let (x, z) = (cell(x, self.size[0]), cell(z, self.size[1]));
        self.tiles.get(tile_of(x, z)).map_or(0.0, |tile| -tile.raised(cell_of(x, z)) as f64 / NANO)
    }

    /// Surface height at (x, z), m, interpolated smoothly between cell centres.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        let place = |p: f64, n: i32| {
            let p = (p / self.cell - 0.5).clamp(0.0, f64::from(n - 1));
            // Never below 0, where this is the floor.
            let i = (p as i32).min((n - 2).max(0));
            (i, p - f64::from(i))
        };
        let ((i, fx), (j, fz)) = (place(x, self.size[0]), place(z, self.size[1]));
        // Four cells, most often of one tile.
        let key = tile_of(i, j);
        let tile = self.tiles.get(key);
        let at = |a: i32, b: i32| {
            let (x, z) = ((i + a).min(self.size[0] - 1), (j + b).min(self.size[1] - 1));
            self.surface_in(if tile_of(x, z) == key { tile } else { self.tiles.get(tile_of(x, z)) }, x, z)
        };
        let [[near, right], [far, beyond]] = [0, 1].map(|b| [0, 1].map(|a| at(a, b)));
        let (near, far) = (near + (right - near) * fx, far + (beyond - far) * fx);
        near + (far - near) * fz
    }

    /// What of a cell's compression has gone to density, by prints and by passes, nm.
    fn packed(&self, tile: &Tile, c: usize) -> [f64; 2] {
        let material = &self.materials[tile.material[c] as usize];
        let compression = f64::from(tile.layers.compression[c]);
        let by_passes = if self.law == Law::Natural {
            f64::from(material.packed_nano(tile.layers.passes[c], tile.layers.pressed[c]))
        } else {
            0.0
        };
        [(compression - by_passes) * (1.0 - material.displaced_share(self.law)), by_passes]
    }

    /// The same over a tile, nm over one cell.
    pub(crate) fn packed_in(&self, tile: &Tile) -> f64 {
        (0..TILE_CELLS).flat_map(|c| self.packed(tile, c)).sum()
    }

    /// Dry bulk density of a cell near its surface, kg/m³.
    pub(crate) fn density_in(&self, tile: Option<&Tile>, x: i32, z: i32) -> f64 {
        let [print, passes] = tile.map_or([0.0; 2], |tile| self.packed(tile, cell_of(x, z)));
        let material = &self.materials[self.material_in(tile, x, z) as usize];
        material.density_when_packed(print / NANO, passes / NANO)
    }

    /// Penetration resistance of a cell, Pa: that of its material, higher where footfalls have compacted it.
    pub(crate) fn resistance_in(&self, tile: Option<&Tile>, x: i32, z: i32) -> f64 {
        let material = &self.materials[self.material_in(tile, x, z) as usize];
        let trodden = tile.filter(|_| self.law == Law::Natural);
        let decades = trodden.map_or(0.0, |tile| {
            let c = cell_of(x, z);
            decades(tile.layers.passes[c], tile.layers.pressed[c])
        });
        material.penetration_resistance() * material.strength_by_passes(decades)
    }

    /// Share of a cell's pores that water fills. Packing takes pore space and leaves the water: with `n = 1 − ρ/ρ_s` the porosity,
    /// `S·n` grows as `ρ` does until the pores are full (phase relations of soil mechanics).
    pub(crate) fn wetness_in(&self, tile: Option<&Tile>, x: i32, z: i32) -> f64 {
        let material = &self.materials[self.material_in(tile, x, z) as usize];
        let (before, now) = (material.natural.density, self.density_in(tile, x, z));
        // Density of the grains, kg/m³: quartz, or ice where the ground crushes as snow does.
        let grains = if material.natural.crush_density > 0.0 { 917.0 } else { 2650.0 };
        let porosity = |density: f64| (1.0 - density / grains).max(1e-3);
        let water = material.moisture * porosity(before) * now / before;
        (water / porosity(now)).clamp(0.0, 1.0)
    }

    /// A fresh tile at `key`: materials known, nothing done to it yet.
    pub(crate) fn fresh(&self, key: TileKey) -> Tile {
        let (x0, z0) = (key.x * TILE as i32, key.z * TILE as i32);
        let mut tile = Tile::fresh(key);
        if self.paints.is_empty() {
            return tile;
        }
        for j in 0..TILE {
            for i in 0..TILE {
                let (x, z) = (x0 + i as i32, z0 + j as i32);
                tile.material[j * TILE + i] = self.paint_at(self.centre(x), self.centre(z));
            }
        }
        tile
    }

    /// The tile at `key`, made if need be.
    pub(crate) fn touch(&mut self, key: TileKey) -> &mut Tile {
        if self.tiles.get(key).is_none() {
            let tile = self.fresh(key);
            self.tiles.insert(tile);
        }
        self.tiles.get_mut(key).expect("the tile was just made")
    }
}

/// The tile that holds a cell.
pub fn tile_of(x: i32, z: i32) -> TileKey {
    TileKey { z: z.div_euclid(TILE as i32), x: x.div_euclid(TILE as i32) }
}

/// Where in its tile a cell is.
pub fn cell_of(x: i32, z: i32) -> usize {
    z.rem_euclid(TILE as i32) as usize * TILE + x.rem_euclid(TILE as i32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::PaintShape;

    fn ground() -> Ground {
        Ground {
            cell: 0.02,
            size: [16_384, 16_384],
            base: Base::Slope { angle: 0.2, direction: 0.0 },
            materials: vec![Material::SNOW, Material::DRY_SAND],
            virgin: Vec::new(),
            paints: vec![Paint {
                material: 1,
                shape: PaintShape::Rectangle { min: [1.0, 0.0], max: [2.0, 9.0] },
            }],
            law: Law::Trail,
            contour: 0.04,
            tolerance: 0.005,
            force_threshold: 0.3,
            tiles: Tiles::default(),
            cover: Cover::default(),
        }
    }

    #[test]
    fn a_huge_terrain_costs_nothing_until_touched() {
        let mut ground = ground();
        assert_eq!(ground.tiles.bytes(), 0);
        ground.touch(tile_of(8000, 8000));
        assert!(ground.tiles.bytes() < 6000, "one tile and its index block: {} bytes", ground.tiles.bytes());
    }

    #[test]
    fn a_fresh_tile_has_the_height_and_paint_of_its_cells() {
        let mut ground = ground();
        let expected = ground.surface(55, 3);
        assert!((expected - libm::tan(0.2) * 1.11).abs() < 1e-8, "{expected}");
        let tile = ground.touch(tile_of(55, 3));
        assert_eq!(tile.material[cell_of(55, 3)], 1, "x = 1.11 m is sand");
        assert_eq!(tile.material[cell_of(48, 3)], 0, "x = 0.97 m is snow");
        assert_eq!(ground.surface(55, 3), expected, "touching alone changes nothing");
    }
}
