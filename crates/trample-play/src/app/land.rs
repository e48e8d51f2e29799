//! The land beyond the terrain: it goes on from the terrain's edge in height, colour and plants, and rises to hills in the haze.

use super::scenery;
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::light::NotShadowCaster;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_trample::Trample;
use bevy_trample::render::{LandExtension, LandMaterial};
use trample::internal::{Stream, uniform};
use trample::{Base, Map, Material};
use trample_looks::colour::linear;

/// What is made anew with every world.
#[derive(Component)]
pub(super) struct Beyond;

/// Makes the land around the terrain anew for every new world.
pub(super) fn surround(
    mut commands: Commands,
    trample: Res<Trample>,
    mut last: Local<Option<u64>>,
    old: Query<Entity, With<Beyond>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut lands: ResMut<Assets<LandMaterial>>,
) {
    if *last == Some(trample.generation()) {
        return;
    }
    *last = Some(trample.generation());
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
    let matte = StandardMaterial { perceptual_roughness: 0.95, reflectance: 0.1, ..default() };
    commands.spawn((
        Beyond,
        Mesh3d(meshes.add(scenery::grown(&around))),
        MeshMaterial3d(materials.add(matte)),
        NotShadowCaster,
        NoFrustumCulling,
    ));
    if let Some(tufts) = around.tufts() {
        let material = StandardMaterial {
            perceptual_roughness: 0.8,
            reflectance: 0.2,
            // Seen from both sides, and lit as the ground is from either: their normals must not turn.
            cull_mode: None,
            double_sided: false,
            ..default()
        };
        commands.spawn((
            Beyond,
            Mesh3d(meshes.add(tufts)),
            MeshMaterial3d(materials.add(material)),
            NotShadowCaster,
            NoFrustumCulling,
        ));
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
    /// Mean height of what grows, m.
    tall: f32,
    /// Mean cover of the terrain, 0..1.
    cover: f32,
    climate: Climate,
}

const HILLS: Base = Base::Hills { amplitude: 14.0, wavelength: 95.0, seed: 11 };
const BUMPS: Base = Base::Hills { amplitude: 1.0, wavelength: 7.0, seed: 3 };

impl<'a> Around<'a> {
    pub(super) fn new(world: &'a trample::World) -> Self {
        let (mut plants, mut tall, mut sum) = ([0.0; 3], 0.0, 0.0);
        for patch in &world.scene().plants {
            // Weighted by visible area, as for the colour of the ground itself.
            let species = &patch.species;
            let (height, count) = (species.height as f32, species.stem_count() as f32);
            let weight = patch.density as f32 * count * height * height.sqrt();
            let colour = linear(species.colour);
            plants = std::array::from_fn(|k| plants[k] + weight * colour[k]);
            tall += weight * height;
            sum += weight;
        }
        let size = world.ground().size;
        let places = (0..64).map(|i| (size[0] * (i % 8) / 8, size[1] * (i / 8) / 8));
        let cover = places.map(|(x, z)| world.map(Map::Vegetation).at(x, z)).sum::<f64>() / 64.0;
        let share = 1.0 / f32::max(sum, 1e-9);
        let climate = Climate::of(&world.scene().terrain.materials[0].material);
        let (plants, tall) =
            if sum > 0.0 { (plants.map(|c| share * c), share * tall) } else { (GRASS, 0.12) };
        Self { world, plants, tall, cover: cover as f32, climate }
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

    /// Height of the land `out` m from the edge, m: it goes on as it is, and rises to hills.
    pub(super) fn height(&self, x: f64, z: f64, out: f64) -> f64 {
        let ground = self.world.ground();
        let ([ex, ez], _) = self.nearest(x, z);
        let at_edge = ground.base.height(ex, ez);
        // Measured heights end at their edge; functions go on.
        let own = if matches!(ground.base, Base::Raster(_)) { at_edge } else { ground.base.height(x, z) };
        let own = at_edge + (own - at_edge) * smooth(out, 0.0, 2.0) * (1.0 - 0.7 * smooth(out, 30.0, 120.0));
        let rise = smooth(out, 12.0, 160.0);
        own + rise * (0.03 * out + HILLS.height(x, z)) + 0.22 * smooth(out, 3.0, 25.0) * BUMPS.height(x, z)
            - 0.004
    }

    /// Colour of the bare ground there, and how well plants cover it: at the edge as the edge has it, farther out as the terrain
    /// has it on the whole, more in hollows than on knolls.
    fn shade(&self, x: f64, z: f64, out: f64) -> [f32; 4] {
        let (_, [cx, cz]) = self.nearest(x, z);
        let ground = self.world.ground();
        let material = self.world.map(Map::Material).at(cx, cz) as usize;
        let own = ground.materials.get(material).map_or([128; 3], |m| m.colour);
        let mean = linear(self.world.scene().terrain.materials[0].material.colour);
        let (own, far) = (linear(own), smooth(out, 2.0, 14.0) as f32);
        // Cover is patchy where plants stand apart: what counts is a square of half a metre.
        let near = |k: i32, p: i32, n: i32| (p + k * (0.25 / ground.cell) as i32).clamp(0, n - 1);
        let cells =
            (0..9).map(|i| [near(i % 3 - 1, cx, ground.size[0]), near(i / 3 - 1, cz, ground.size[1])]);
        let here = cells.map(|[x, z]| self.world.map(Map::Vegetation).at(x, z) as f32).sum::<f32>() / 9.0;
        // Bare soil is bare because feet keep it so: a few metres on, grass begins.
        let lush = match self.climate {
            _ if self.cover > 0.02 => (1.3 * self.cover).clamp(0.25, 1.0),
            Climate::Meadow => 0.95,
            Climate::Shore => 0.18 * smooth(out, 8.0, 40.0) as f32,
            Climate::Snow => 0.0,
        };
        let knolls = (0.35 * BUMPS.height(x, z) + 0.25 * HILLS.height(x, z) / 14.0) as f32;
        let away = (lush * (1.0 - knolls)).clamp(0.0, 1.0);
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let bare: [f32; 3] = std::array::from_fn(|k| mix(own[k], mean[k], far));
        [bare[0], bare[1], bare[2], mix(here, away, far)]
    }

    /// Rings of land from the terrain's edge to the haze.
    fn land(&self) -> Mesh {
        const SIDES: usize = 160;
        const RINGS: usize = 44;
        let cell = self.world.ground().cell;
        let size = self.world.scene().terrain.size;
        let (mut positions, mut shades) = (Vec::new(), Vec::new());
        for ring in 0..RINGS {
            let share = ring as f64 / (RINGS - 1) as f64;
            let out = if ring == 0 { 0.0 } else { 0.15 * libm::pow(420.0 / 0.15, share) };
            for side in 0..SIDES {
                let (edge, away) = perimeter(side as f64 / SIDES as f64, size, cell);
                let (x, z) = (edge[0] + away[0] * out, edge[1] + away[1] * out);
                positions.push([x as f32, self.height(x, z, out) as f32, z as f32]);
                shades.push(self.shade(x, z, out));
            }
        }
        let mut indices = Vec::new();
        for ring in 0..RINGS - 1 {
            for side in 0..SIDES {
                let at = |r: usize, s: usize| (r * SIDES + s % SIDES) as u32;
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

    /// Tufts on the land near the terrain, where it is covered: one mesh that never changes. None where nothing grows.
    fn tufts(&self) -> Option<Mesh> {
        const MOST: u64 = 5000;
        /// How far from the edge they stand, m.
        const REACH: f64 = 16.0;
        let cell = self.world.ground().cell;
        let size = self.world.scene().terrain.size;
        let (mut positions, mut colours, mut normals) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..MOST {
            let draw = |k: u64| uniform(0x7475_6674, Stream::Plant, 8 * number + k);
            // Most stand near the edge, where they go on from the plants of the terrain.
            let out = 0.05 + REACH * draw(0) * draw(1);
            let (edge, away) = perimeter(draw(2), size, cell);
            let aside = 0.35 * out * (draw(3) - 0.5);
            let (x, z) =
                (edge[0] + away[0] * out - away[1] * aside, edge[1] + away[1] * out + away[0] * aside);
            let outside = x < 0.0 || z < 0.0 || x > size[0] || z > size[1];
            let cover = f64::from(self.shade(x, z, out)[3]);
            if !outside || draw(4) > cover * (1.1 - out / REACH) {
                continue;
            }
            let root = Vec3::new(x as f32, self.height(x, z, out) as f32 - 0.01, z as f32);
            let height = self.tall.clamp(0.05, 0.5) * (0.7 + 0.7 * draw(5) as f32);
            for blade in 0..5u64 {
                let turn = (draw(6) as f32 + 0.2 * blade as f32) * std::f32::consts::TAU;
                let lean = Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn));
                let long = height * (0.65 + 0.35 * ((blade * 7 + number) % 5) as f32 / 4.0);
                let across = Vec3::new(-lean.z, 0.0, lean.x) * (0.05 * height + 0.003);
                let tip = root + Vec3::Y * long + lean * 0.45 * long;
                let from = root + lean * 0.12 * height;
                positions.extend([from - across, from + across, tip].map(|p| p.to_array()));
                normals.extend([[0.0, 1.0, 0.0]; 3]);
                let light = 0.8 + 0.35 * draw(7) as f32;
                let colour = |shade: f32| {
                    let c = self.plants.map(|c| c * light * shade);
                    [c[0], c[1], c[2], 1.0]
                };
                colours.extend([colour(0.5), colour(0.5), colour(1.15)]);
            }
        }
        let mesh = || {
            Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
                .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
                .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
                .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colours)
        };
        let grows = !self.world.scene().plants.is_empty() || self.climate == Climate::Meadow;
        grows.then(mesh).filter(|m| m.count_vertices() > 0)
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
    use trample::scene::library;

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

    #[test]
    fn tufts_stand_only_around_terrains_that_have_plants_at_their_edge() {
        let tufts = |scene: &trample::Scene| {
            let world = trample::World::new(scene).expect("a world");
            Around::new(&world).tufts().map_or(0, |mesh| mesh.count_vertices())
        };
        assert!(tufts(&stroll()) > 3000);
        assert_eq!(tufts(&library::by_name("walk-snow").expect("a scene")), 0);
    }
}
