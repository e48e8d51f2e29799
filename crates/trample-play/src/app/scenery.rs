//! What stands around a terrain and is only looked at: trees, bushes and rocks, grown from numbers. Nothing of it touches the state.

use super::land::{Around, Climate, perimeter};
use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use trample::internal::{Stream, uniform};

/// A mesh that things are added to.
#[derive(Default)]
struct Heap {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    colours: Vec<[f32; 4]>,
    indices: Vec<u32>,
}

/// Numbers of one thing's own.
struct Lot(u64);

impl Lot {
    /// The `k`th, 0..1.
    fn at(&self, k: u64) -> f32 {
        uniform(0x7363_656e, Stream::Plant, 64 * self.0 + k) as f32
    }

    /// The `k`th, between two.
    fn between(&self, k: u64, low: f32, high: f32) -> f32 {
        low + (high - low) * self.at(k)
    }
}

/// Corners and faces of a ball of 42 points: an icosahedron, its faces split into four.
fn ball() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let g = 1.618_034;
    let mut points: Vec<Vec3> = [
        [-1.0, g, 0.0],
        [1.0, g, 0.0],
        [-1.0, -g, 0.0],
        [1.0, -g, 0.0],
        [0.0, -1.0, g],
        [0.0, 1.0, g],
        [0.0, -1.0, -g],
        [0.0, 1.0, -g],
        [g, 0.0, -1.0],
        [g, 0.0, 1.0],
        [-g, 0.0, -1.0],
        [-g, 0.0, 1.0],
    ]
    .into_iter()
    .map(|p| Vec3::from_array(p).normalize())
    .collect();
    let faces = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    let mut split = Vec::new();
    let mut between = std::collections::BTreeMap::new();
    for [a, b, c] in faces {
        let mut middle = |i: u32, j: u32| {
            *between.entry((i.min(j), i.max(j))).or_insert_with(|| {
                points.push((points[i as usize] + points[j as usize]).normalize());
                points.len() as u32 - 1
            })
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        split.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    (points, split)
}

impl Heap {
    /// A ball with dents, stretched to half widths `size`; darker below, where less light comes.
    fn lump(
        &mut self,
        lot: &Lot,
        first: u64,
        [at, size]: [Vec3; 2],
        rough: f32,
        colour: [f32; 3],
        shade: f32,
    ) {
        let (points, faces) = ball();
        let base = self.positions.len() as u32;
        for (k, p) in points.iter().enumerate() {
            let dent = 1.0 + rough * (lot.at(first + (k as u64 * 7) % 23) - 0.5);
            self.positions.push((at + *p * size * dent).to_array());
            self.normals.push((*p / size).normalize().to_array());
            let light = 1.0 - shade * (0.5 - 0.5 * p.y) + 0.12 * (lot.at(first + (k as u64 * 5) % 19) - 0.5);
            self.colours.push([colour[0] * light, colour[1] * light, colour[2] * light, 1.0]);
        }
        self.indices.extend(faces.iter().flatten().map(|i| base + i));
    }

    /// A cone or stump around a line, with `sides` corners.
    fn tube(
        &mut self,
        [from, to]: [Vec3; 2],
        [wide, narrow]: [f32; 2],
        sides: usize,
        colours: [[f32; 3]; 2],
    ) {
        let base = self.positions.len() as u32;
        let up = (to - from).normalize_or(Vec3::Y);
        let across = up.any_orthonormal_vector();
        let aside = up.cross(across);
        for (place, radius, [r, g, b]) in [(from, wide, colours[0]), (to, narrow, colours[1])] {
            for k in 0..sides {
                let angle = std::f32::consts::TAU * k as f32 / sides as f32;
                let out = across * libm::cosf(angle) + aside * libm::sinf(angle);
                self.positions.push((place + out * radius).to_array());
                self.normals.push((out + 0.35 * up).normalize().to_array());
                self.colours.push([r, g, b, 1.0]);
            }
        }
        let n = sides as u32;
        for k in 0..n {
            let (a, b) = (base + k, base + (k + 1) % n);
            self.indices.extend([a, a + n, b, b, a + n, b + n]);
        }
    }

    fn mesh(self) -> Mesh {
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions)
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, self.colours)
            .with_inserted_indices(Indices::U32(self.indices))
    }
}

const BARK: [f32; 3] = [0.07, 0.05, 0.035];
const SNOW: [f32; 3] = [0.75, 0.79, 0.85];

/// A tree with a crown of lumps.
fn broadleaf(heap: &mut Heap, lot: &Lot, root: Vec3, tall: f32) {
    let lean = Vec3::new(lot.between(1, -0.06, 0.06), 1.0, lot.between(2, -0.06, 0.06)) * tall;
    let trunk = root + 0.55 * lean;
    heap.tube([root - 0.2 * Vec3::Y, trunk], [0.035 * tall, 0.018 * tall], 7, [BARK, BARK]);
    let (green, dry) = ([0.055, 0.105, 0.028], [0.12, 0.12, 0.035]);
    let colour = std::array::from_fn(|k| green[k] + (dry[k] - green[k]) * 0.7 * lot.at(3));
    for k in 0..9u64 {
        let turn = std::f32::consts::TAU * (0.382 * k as f32 + lot.at(4));
        let ring = if k == 0 { 0.0 } else { lot.between(10 + k, 0.13, 0.24) };
        let up = if k == 0 { 0.86 } else { lot.between(20 + k, 0.5, 0.8) };
        let at = root + lean * up + Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn)) * ring * tall;
        let wide = tall * lot.between(30 + k, 0.12, 0.2);
        heap.lump(lot, k, [at, Vec3::new(wide, 0.8 * wide, wide)], 0.5, colour, 0.6);
    }
}

/// A spruce: skirts above each other.
fn conifer(heap: &mut Heap, lot: &Lot, root: Vec3, tall: f32, snowy: bool) {
    let top = root + Vec3::Y * tall;
    heap.tube([root - 0.2 * Vec3::Y, top], [0.022 * tall, 0.004 * tall], 6, [BARK, BARK]);
    let dark = [0.02, 0.045, 0.022].map(|c: f32| c * lot.between(1, 0.8, 1.5));
    let light = if snowy { SNOW } else { dark.map(|c| 1.7 * c) };
    let skirts = 7;
    for k in 0..skirts {
        let low = 0.12 + 0.86 * k as f32 / skirts as f32;
        let wide = tall * 0.21 * (1.02 - low) * lot.between(10 + k as u64, 0.85, 1.15);
        let from = root + Vec3::Y * tall * low;
        let to = root + Vec3::Y * tall * (low + 0.25).min(1.02);
        heap.tube([from, to], [wide + 0.02 * tall, 0.0], 9, [dark, light]);
    }
}

fn bush(heap: &mut Heap, lot: &Lot, root: Vec3, tall: f32, colour: [f32; 3]) {
    for k in 0..4u64 {
        let turn = std::f32::consts::TAU * (0.25 * k as f32 + lot.at(4));
        let aside =
            Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn)) * tall * lot.between(10 + k, 0.2, 0.45);
        let wide = tall * lot.between(20 + k, 0.3, 0.5);
        heap.lump(lot, k, [root + aside + Vec3::Y * 0.6 * wide, Vec3::splat(wide)], 0.6, colour, 0.7);
    }
}

fn rock(heap: &mut Heap, lot: &Lot, at: Vec3, size: f32, snowy: bool) {
    let grey = lot.between(1, 0.16, 0.3);
    let colour = if snowy { [0.4, 0.42, 0.45] } else { [grey, 0.97 * grey, 0.92 * grey] };
    let stretch = Vec3::new(lot.between(2, 0.8, 1.3), lot.between(3, 0.45, 0.8), lot.between(4, 0.8, 1.3));
    heap.lump(lot, 5, [at + 0.1 * size * Vec3::Y, stretch * size], 0.55, colour, 0.5);
}

/// Trees, bushes and rocks around a terrain, in one mesh.
pub(super) fn grown(around: &Around) -> Mesh {
    let mut heap = Heap::default();
    let climate = around.climate();
    let (size, cell) = around.extent();
    // How many, and how near and far from the edge, m; our choice.
    let kinds = [(46, 16.0, 170.0), (34, 5.0, 60.0), (40, 0.6, 40.0)];
    let mut number = 0;
    for (kind, (count, near, far)) in kinds.into_iter().enumerate() {
        for _ in 0..count {
            number += 1;
            let lot = Lot(number);
            let share = f64::from(lot.at(40));
            let out = near + (far - near) * share * share;
            let (edge, away) = perimeter(f64::from(lot.at(41)), size, cell);
            let aside = 0.4 * out * f64::from(lot.at(42) - 0.5);
            let (x, z) =
                (edge[0] + away[0] * out - away[1] * aside, edge[1] + away[1] * out + away[0] * aside);
            // Turned aside at a corner it might come back in.
            if (-0.4..size[0] + 0.4).contains(&x) && (-0.4..size[1] + 0.4).contains(&z) {
                continue;
            }
            let root = Vec3::new(x as f32, around.height(x, z, out) as f32, z as f32);
            match (kind, climate) {
                (0, Climate::Shore) if lot.at(43) < 0.75 => {}
                (0, Climate::Snow) => conifer(&mut heap, &lot, root, lot.between(44, 6.0, 14.0), true),
                (0, _) if lot.at(43) < 0.35 => {
                    conifer(&mut heap, &lot, root, lot.between(44, 7.0, 15.0), false);
                }
                (0, _) => broadleaf(&mut heap, &lot, root, lot.between(44, 5.0, 11.0)),
                (1, Climate::Snow) if lot.at(43) < 0.5 => {}
                (1, Climate::Snow) => {
                    bush(&mut heap, &lot, root, lot.between(44, 0.4, 0.9), SNOW.map(|c| 0.8 * c));
                }
                (1, Climate::Shore) if lot.at(43) < 0.5 => {}
                (1, _) => bush(&mut heap, &lot, root, lot.between(44, 0.5, 1.5), [0.05, 0.085, 0.026]),
                (_, climate) => {
                    let large = lot.at(44);
                    rock(&mut heap, &lot, root, 0.08 + 0.6 * large * large * large, climate == Climate::Snow);
                }
            }
        }
    }
    heap.mesh()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn everything_stands_outside_the_terrain_and_costs_little() {
        for name in ["walk-snow", "walk-dry-sand", "walk-mud"] {
            let world = trample::World::new(&library::by_name(name).expect("a scene")).expect("a world");
            let mesh = grown(&Around::new(&world));
            assert!((2_000..40_000).contains(&mesh.count_vertices()), "{name}: {}", mesh.count_vertices());
            let size = world.scene().terrain.size.map(|m| m as f32);
            let Some(bevy::mesh::VertexAttributeValues::Float32x3(points)) =
                mesh.attribute(Mesh::ATTRIBUTE_POSITION)
            else {
                panic!("positions")
            };
            let inside = points
                .iter()
                .filter(|p| (0.3..size[0] - 0.3).contains(&p[0]) && (0.3..size[1] - 0.3).contains(&p[2]));
            assert_eq!(inside.count(), 0, "{name}: what is in the way of feet");
        }
    }

    #[test]
    fn a_ball_has_all_its_points_once() {
        let (points, faces) = ball();
        assert_eq!((points.len(), faces.len()), (42, 80));
    }
}
