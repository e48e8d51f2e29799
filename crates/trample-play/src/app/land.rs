//! The land beyond the terrain: it goes on from the terrain's edge in height, colour and plants, and rises to hills in the haze.

use super::scenery;
use super::tufts::{Square, tufts};
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::{NoFrustumCulling, VisibilityRange};
use bevy::light::NotShadowCaster;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_trample::render::{LandExtension, LandMaterial};
use bevy_trample::{Trample, TrampleLook};
use trample::{Base, CellRect, Map, Material};
use trample_looks::Figure;
use trample_looks::colour::linear;

/// What is made anew with every world.
#[derive(Component)]
pub(super) struct Beyond;

/// Makes the land around the terrain anew for every new world.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
pub(super) fn surround(
    mut commands: Commands,
    trample: Res<Trample>,
    look: Res<TrampleLook>,
    mut last: Local<Option<(u64, f32)>>,
    old: Query<Entity, With<Beyond>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut lands: ResMut<Assets<LandMaterial>>,
) {
    let now = (trample.generation(), look.grass_reach);
    if *last == Some(now) {
        return;
    }
    *last = Some(now);
    old.iter().for_each(|land| commands.entity(land).despawn());
    let around = Around::new(trample.world());
    // As bright ground glints in the terrain itself.
    let colour = trample.world().scene().terrain.materials[0].material.colour;
    let bright = colour.map(f32::from).iter().sum::<f32>() / 765.0;
    let base = StandardMaterial { perceptual_roughness: 0.95 - 0.3 * bright, reflectance: 0.3, ..default() };
    let plants = Vec3::from_array(around.plants).extend(1.0);
    commands.spawn((
        Beyond,
        Mesh3d(meshes.add(around.land())),
        MeshMaterial3d(lands.add(LandMaterial { base, extension: LandExtension { plants } })),
        NotShadowCaster,
        NoFrustumCulling,
    ));
    if let Some(level) = around.sea() {
        // As far as the haze; it lies below the land wherever that is dry.
        let size = trample.world().scene().terrain.size.map(|m| 0.5 * m as f32);
        let water = StandardMaterial {
            base_color: Color::linear_rgba(0.03, 0.10, 0.12, 0.86),
            perceptual_roughness: 0.12,
            alpha_mode: AlphaMode::Blend,
            ..default()
        };
        commands.spawn((
            Beyond,
            Mesh3d(meshes.add(Plane3d::new(Vec3::Y, Vec2::splat(800.0)))),
            MeshMaterial3d(materials.add(water)),
            Transform::from_xyz(size[0], level, size[1]),
            NotShadowCaster,
        ));
    }
    // Leaves are seen from both sides and lit as the crown they are in: their normals must not turn.
    let matte = StandardMaterial {
        perceptual_roughness: 0.95,
        reflectance: 0.1,
        cull_mode: None,
        double_sided: false,
        ..default()
    };
    commands.spawn((
        Beyond,
        Mesh3d(meshes.add(scenery::grown(&around))),
        MeshMaterial3d(materials.add(matte)),
        NotShadowCaster,
        NoFrustumCulling,
    ));
    // Seen from both sides, and lit as the ground is from either: their normals must not turn.
    let blades = materials.add(StandardMaterial {
        perceptual_roughness: 0.8,
        reflectance: 0.2,
        cull_mode: None,
        double_sided: false,
        ..default()
    });
    for Square { middle, mesh, seen } in tufts(&around) {
        let [fades, gone] = seen.map(|share| share * look.grass_reach);
        let mut square = commands.spawn((
            Beyond,
            Mesh3d(meshes.add(mesh)),
            MeshMaterial3d(blades.clone()),
            Transform::from_translation(middle),
            NotShadowCaster,
        ));
        // In browsers (WebGL 2) Bevy 0.19 binds too small a buffer for ranges, and its pipeline is refused.
        if cfg!(not(target_arch = "wasm32")) {
            square.insert(VisibilityRange {
                start_margin: 0.0..0.0,
                end_margin: fades..gone,
                use_aabb: false,
            });
        }
    }
}

/// What the land around is like, by what the terrain is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Climate {
    /// Everything is white.
    Snow,
    /// Sand, with little that grows.
    Shore,
    /// Soil, and where nobody treads it plants.
    Meadow,
}

impl Climate {
    /// By the ground: snow is what a foot crushes, sand by the name of its preset.
    pub(super) fn of(ground: &Material) -> Self {
        if ground.natural.crush_density > 0.0 {
            Self::Snow
        } else if ground.preset.contains("sand") && ground.moisture < 0.5 {
            Self::Shore
        } else {
            Self::Meadow
        }
    }
}

/// Linear colour of grass where the scene says nothing of plants; our choice.
const GRASS: [f32; 3] = [0.095, 0.135, 0.035];

/// The land around a terrain.
pub(super) struct Around<'a> {
    world: &'a trample::World,
    /// Linear colour of what grows, the mean of all.
    plants: [f32; 3],
    /// Mean cover of the terrain's edge, 0..1.
    cover: f32,
    /// Cover along the four sides of the terrain, [`EDGE`] places each: north, east, south, west.
    edge: Vec<f32>,
    climate: Climate,
}

/// Places along a side of the terrain where its cover is looked at: our choice, some ten centimetres apart in a terrain to walk about.
const EDGE: usize = 96;

const HILLS: Base = Base::Hills { amplitude: 14.0, wavelength: 95.0, seed: 11 };
const BUMPS: Base = Base::Hills { amplitude: 1.0, wavelength: 7.0, seed: 3 };

impl<'a> Around<'a> {
    pub(super) fn new(world: &'a trample::World) -> Self {
        let (mut plants, mut sum) = ([0.0; 3], 0.0);
        for patch in &world.scene().plants {
            // Weighted by visible area, as for the colour of the ground itself.
            let species = &patch.species;
            let weight = patch.density as f32 * Figure::of(species).area(species);
            let colour = linear(species.colour);
            plants = std::array::from_fn(|k| plants[k] + weight * colour[k]);
            sum += weight;
        }
        let share = 1.0 / f32::max(sum, 1e-9);
        let climate = Climate::of(&world.scene().terrain.materials[0].material);
        let plants = if sum > 0.0 { plants.map(|c| share * c) } else { GRASS };
        let mut around = Self { world, plants, cover: 0.0, edge: Vec::new(), climate };
        around.edge = (0..4 * EDGE).map(|i| around.cover_at(i)).collect();
        around.cover = around.edge.iter().sum::<f32>() / around.edge.len() as f32;
        around
    }

    /// The world it is around.
    pub(super) fn world(&self) -> &'a trample::World {
        self.world
    }

    /// Mean cover of the terrain's edge, 0..1.
    pub(super) fn cover(&self) -> f32 {
        self.cover
    }

    /// Linear colour of what grows, the mean of all.
    pub(super) fn plants(&self) -> [f32; 3] {
        self.plants
    }

    /// What it is like here.
    pub(super) fn climate(&self) -> Climate {
        self.climate
    }

    /// Size of the terrain and of its cells, m.
    pub(super) fn extent(&self) -> ([f64; 2], f64) {
        (self.world.scene().terrain.size, self.world.ground().cell)
    }

    /// A place inside the terrain nearest to one outside, and its cell.
    fn nearest(&self, x: f64, z: f64) -> ([f64; 2], [i32; 2]) {
        let ground = self.world.ground();
        let size = self.world.scene().terrain.size;
        let inside = |p: f64, side: f64| p.clamp(0.5 * ground.cell, side - 0.5 * ground.cell);
        let at = [inside(x, size[0]), inside(z, size[1])];
        let cell = |k: usize| ((at[k] / ground.cell) as i32).clamp(0, ground.size[k] - 1);
        (at, [cell(0), cell(1)])
    }

    /// How well plants cover the `i`th place of the edge: a square of half a metre, as cover is patchy where plants stand apart.
    fn cover_at(&self, i: usize) -> f32 {
        if self.world.plants().is_empty() {
            return 0.0;
        }
        let ground = self.world.ground();
        let [wide, deep] = ground.size;
        let along = |n: i32| ((2 * (i % EDGE) as i64 + 1) * i64::from(n) / (2 * EDGE as i64)) as i32;
        let [x, z] = [[along(wide), 0], [wide, along(deep)], [along(wide), deep], [0, along(deep)]][i / EDGE];
        let side = ((0.5 / ground.cell) as i32).max(1);
        let part = |p: i32, n: i32| ((p - side / 2).clamp(0, (n - side).max(0)), side.min(n) as usize);
        let ((x, width), (z, height)) = (part(x, wide), part(z, deep));
        let window = self.world.map(Map::Vegetation).window(CellRect { x, z, width, height });
        window.iter().sum::<f32>() / window.len().max(1) as f32
    }

    /// Height of the land `out` m from the edge, m: it goes on as it is, and rises to hills.
    pub(super) fn height(&self, x: f64, z: f64, out: f64) -> f64 {
        let ground = self.world.ground();
        let ([ex, ez], _) = self.nearest(x, z);
        let at_edge = ground.base.height(ex, ez);
        // Measured heights end at their edge; functions go on.
        let own = if matches!(ground.base, Base::Raster(_)) { at_edge } else { ground.base.height(x, z) };
        let own = at_edge + (own - at_edge) * smooth(out, 0.0, 2.0) * (1.0 - 0.7 * smooth(out, 30.0, 120.0));
        // Where the sea is nothing rises: its floor goes down, and bumps are for the land.
        let floor = self.seaward(x, z);
        let land = 1.0 - smooth(floor, 0.0, 14.0);
        let rise = land * smooth(out, 12.0, 160.0);
        own + rise * (0.03 * out + HILLS.height(x, z))
            + land * 0.22 * smooth(out, 3.0, 25.0) * BUMPS.height(x, z)
            - 0.02 * floor
            - 0.004
    }

    /// How far a place lies towards the sea from the terrain's lowest edge, m; 0 where there is none. A beach has one: sand on a slope
    /// of which some is wet.
    fn seaward(&self, x: f64, z: f64) -> f64 {
        let terrain = &self.world.scene().terrain;
        let wet = terrain.materials.iter().any(|m| m.material.preset.contains("wet-sand"));
        match self.world.ground().base {
            Base::Slope { direction, .. } if wet && self.climate == Climate::Shore => {
                let ([ex, ez], _) = self.nearest(x, z);
                ((ex - x) * libm::cos(direction) + (ez - z) * libm::sin(direction)).max(0.0)
            }
            _ => 0.0,
        }
    }

    /// Whether a place is in the sea, or at its edge.
    pub(super) fn is_sea(&self, x: f64, z: f64) -> bool {
        self.seaward(x, z) > 0.5
    }

    /// Level of the sea, m, where there is one: the water's edge is a few steps from the terrain's.
    fn sea(&self) -> Option<f32> {
        const STEPS: f64 = 3.0;
        let Base::Slope { direction, .. } = self.world.ground().base else { return None };
        let middle = self.world.scene().terrain.size.map(|m| 0.5 * m);
        let far = 1000.0;
        let (down, across) = (libm::cos(direction), libm::sin(direction));
        let ([ex, ez], _) = self.nearest(middle[0] - far * down, middle[1] - far * across);
        let (x, z) = (ex - STEPS * down, ez - STEPS * across);
        (self.seaward(x, z) > 0.0).then(|| self.height(x, z, STEPS) as f32)
    }

    /// Colour of the bare ground there, and how well plants cover it: at the edge as the edge has it, farther out as the terrain
    /// has it on the whole, more in hollows than on knolls.
    pub(super) fn shade(&self, x: f64, z: f64, out: f64) -> [f32; 4] {
        let (_, [cx, cz]) = self.nearest(x, z);
        let ground = self.world.ground();
        let material = self.world.map(Map::Material).at(cx, cz) as usize;
        let own = ground.materials.get(material).map_or([128; 3], |m| m.colour);
        let mean = linear(self.world.scene().terrain.materials[0].material.colour);
        let (own, far) = (linear(own), smooth(out, 2.0, 14.0) as f32);
        let along = |p: i32, k: usize| (p as usize * EDGE / ground.size[k].max(1) as usize).min(EDGE - 1);
        let here = self.edge[match (cx, cz) {
            (_, 0) => along(cx, 0),
            (x, _) if x == ground.size[0] - 1 => EDGE + along(cz, 1),
            (_, z) if z == ground.size[1] - 1 => 2 * EDGE + along(cx, 0),
            _ => 3 * EDGE + along(cz, 1),
        }];
        // Bare soil is bare because feet keep it so: a few metres on, grass begins.
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let lush = match self.climate {
            // Near by as the terrain is on the whole, farther out a meadow.
            Climate::Meadow => mix(self.cover, self.cover.max(0.92), smooth(out, 2.0, 22.0) as f32),
            _ if self.cover > 0.02 => self.cover,
            Climate::Shore => 0.18 * smooth(out, 8.0, 40.0) as f32,
            Climate::Snow => 0.0,
        };
        let knolls = (0.35 * BUMPS.height(x, z) + 0.25 * HILLS.height(x, z) / 14.0) * smooth(out, 4.0, 25.0);
        let away = (lush * (1.0 - knolls as f32)).clamp(0.0, 1.0);
        let bare: [f32; 3] = std::array::from_fn(|k| mix(own[k], mean[k], far));
        [bare[0], bare[1], bare[2], mix(here, away, far)]
    }

    /// Rings of land from the terrain's edge to the haze.
    fn land(&self) -> Mesh {
        const RINGS: usize = 44;
        let (size, cell) = self.extent();
        // A place every 0.3 m of the edge where that is short enough, so that it fits the ground's.
        let sides = ((2.0 * (size[0] + size[1]) / 0.3) as usize).clamp(160, 1200) / 4 * 4;
        let (mut positions, mut shades) = (Vec::new(), Vec::new());
        for ring in 0..RINGS {
            let share = ring as f64 / (RINGS - 1) as f64;
            let out = if ring == 0 { 0.0 } else { 0.15 * libm::pow(420.0 / 0.15, share) };
            for side in 0..sides {
                let (edge, away) = perimeter(side as f64 / sides as f64, size, cell);
                let (x, z) = (edge[0] + away[0] * out, edge[1] + away[1] * out);
                positions.push([x as f32, self.height(x, z, out) as f32, z as f32]);
                shades.push(self.shade(x, z, out));
            }
        }
        let mut indices = Vec::new();
        for ring in 0..RINGS - 1 {
            for side in 0..sides {
                let at = |r: usize, s: usize| (r * sides + s % sides) as u32;
                let (a, b) = (at(ring, side), at(ring, side + 1));
                let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
                // The perimeter runs so that outside is to its left, seen from above.
                indices.extend([a, b, c, b, d, c]);
            }
        }
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, shades)
            .with_inserted_indices(Indices::U32(indices))
            .with_computed_smooth_normals()
    }
}

/// From 0 at `from` to 1 at `to`, without a corner.
pub(super) fn smooth(x: f64, from: f64, to: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A place on the edge of the terrain, and the way outwards there; corners point to their corner.
pub(super) fn perimeter(share: f64, size: [f64; 2], cell: f64) -> ([f64; 2], [f64; 2]) {
    let (low, wide) = (0.5 * cell, size.map(|s| s - cell));
    let (quarter, along) = ((4.0 * share).floor(), (4.0 * share).fract());
    let (u, v) = match quarter as u32 {
        0 => (along, 0.0),
        1 => (1.0, along),
        2 => (1.0 - along, 1.0),
        _ => (0.0, 1.0 - along),
    };
    let away = [u - 0.5, v - 0.5];
    let length = (away[0] * away[0] + away[1] * away[1]).sqrt().max(1e-9);
    ([low + u * wide[0], low + v * wide[1]], away.map(|x| x / length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::stroll;

    #[test]
    fn the_land_goes_on_from_the_terrain_in_height_and_colour() {
        let world = trample::World::new(&stroll()).expect("a world");
        let around = Around::new(&world);
        let size = world.scene().terrain.size;
        for k in 0..40 {
            let ([x, z], away) = perimeter(f64::from(k) / 40.0, size, world.ground().cell);
            let step = (around.height(x, z, 0.0) - world.height(x, z)).abs();
            assert!(step < 0.02, "a step of {step} m at {x}, {z}");
            let near = around.height(x + 0.1 * away[0], z + 0.1 * away[1], 0.1);
            assert!((near - world.height(x, z)).abs() < 0.15, "no cliff at {x}, {z}");
        }
        let material = linear(world.scene().terrain.materials[0].material.colour);
        assert_eq!(around.shade(-0.01, 3.0, 0.01)[..3], material, "the terrain's own soil");
        assert!(around.shade(-5.0, 3.0, 5.0)[3] > 0.2, "and plants on it");
    }
}
