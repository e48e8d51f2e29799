//! What stands around a terrain and is only looked at: trees, bushes and rocks, grown from numbers. Nothing of it touches the state.

use super::land::{Around, Climate, perimeter, smooth};
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

    /// One of many more, 0..1, apart from those of [`Lot::at`].
    fn far(&self, k: u64) -> f32 {
        uniform(0x6c65_6176, Stream::Plant, 16_384 * self.0 + k) as f32
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

    /// A leaf, a twig or a bunch of them: a rhombus from `at` along `along`, as wide as twice `across` a little before its middle, which
    /// sags by `sag`. It is lit as what it grows on is, by `normal`; its tip is brighter than its base.
    fn leaf(&mut self, [at, along, across]: [Vec3; 3], sag: f32, normal: Vec3, colours: [[f32; 3]; 2]) {
        let base = self.positions.len() as u32;
        let middle = at + 0.45 * along;
        let tip = at + along - sag * Vec3::Y;
        self.positions.extend([at, middle - across, middle + across, tip].map(|p| p.to_array()));
        self.normals.extend([normal.normalize_or(Vec3::Y).to_array(); 4]);
        let between: [f32; 3] = std::array::from_fn(|k| 0.5 * (colours[0][k] + colours[1][k]));
        self.colours.extend([colours[0], between, between, colours[1]].map(|[r, g, b]| [r, g, b, 1.0]));
        self.indices.extend([0, 1, 2, 1, 3, 2].map(|i| base + i));
    }

    /// A ball of leaves around `at`, of half widths `size`, each leaf `long` m: dark within, where it is all shade, and bright
    /// towards the sky. `crown` is the middle of all such balls, which the light goes around as one.
    fn foliage(&mut self, lot: &Lot, [at, size, crown]: [Vec3; 3], count: u64, long: f32, colour: [f32; 3]) {
        self.lump(lot, 3, [at, 0.72 * size], 0.5, colour.map(|c| 0.42 * c), 0.5);
        for k in 0..count {
            // Spread evenly over the ball by the golden angle.
            let up = 1.0 - 2.0 * (k as f32 + 0.5) / count as f32;
            let turn = 2.399_963 * k as f32 + std::f32::consts::TAU * lot.far(7 * k);
            let flat = (1.0 - up * up).max(0.0).sqrt();
            let out = Vec3::new(flat * libm::cosf(turn), up, flat * libm::sinf(turn));
            let depth = 0.72 + 0.34 * lot.far(7 * k + 1);
            let from = at + out * size * depth;
            let skew = |j: u64| lot.far(7 * k + j) - 0.5;
            let along =
                (out + 1.5 * Vec3::new(skew(2), skew(3) - 0.25, skew(4))).normalize_or(Vec3::Y) * long;
            let across = along.cross(Vec3::new(skew(5), 1.0, skew(6))).normalize_or(Vec3::X) * (0.36 * long);
            let away = (from - crown).normalize_or(Vec3::Y);
            // What lies deep in the crown or below it gets little light.
            let light = (0.62 + 0.38 * smooth(f64::from(depth), 0.72, 1.05) as f32)
                * (0.78 + 0.3 * away.y)
                * (0.8 + 0.45 * lot.far(7 * k + 2));
            let tint = |c: [f32; 3], by: f32| c.map(|c| c * by * light);
            self.leaf(
                [from, along, across],
                0.2 * long,
                0.5 * out + away + 0.2 * Vec3::Y,
                [tint(colour, 0.8), tint(colour, 1.2)],
            );
        }
    }

    /// A stone: a ball cut flat on all sides, each face in one light.
    fn stone(&mut self, lot: &Lot, [at, size]: [Vec3; 2], rough: f32, colour: [f32; 3]) {
        let (points, faces) = ball();
        let placed: Vec<Vec3> = points
            .iter()
            .enumerate()
            .map(|(k, p)| at + *p * size * (1.0 + rough * (lot.far(k as u64) - 0.5)))
            .collect();
        for (k, face) in faces.iter().enumerate() {
            let [a, b, c] = face.map(|i| placed[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
            let base = self.positions.len() as u32;
            let light = 0.82 + 0.3 * lot.far(100 + k as u64);
            for (corner, point) in [a, b, c].into_iter().enumerate() {
                self.positions.push(point.to_array());
                // Edges are worn: lit a little as the ball is.
                let round = points[face[corner] as usize];
                self.normals.push((normal + 0.45 * round).normalize().to_array());
                let low = 1.0 - 0.4 * (0.5 - 0.5 * round.y);
                self.colours.push([
                    colour[0] * light * low,
                    colour[1] * light * low,
                    colour[2] * light * low,
                    1.0,
                ]);
            }
            self.indices.extend([base, base + 1, base + 2]);
        }
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

/// How many leaves the `whole` crown of a tree has `out` m from the terrain, and how long they are as a part of those near by: far ones
/// are fewer and larger, so that crowns stay as dense. Our choice: a leaf covers some ten pixels of a picture from the edge.
fn leaves(whole: u64, out: f64) -> (u64, f32) {
    let thin = (26.0 / out.max(1.0)).clamp(0.12, 1.0);
    ((whole as f64 * thin) as u64, libm::sqrtf(1.0 / thin as f32))
}

/// A tree with a crown of leaves on branches.
fn broadleaf(heap: &mut Heap, lot: &Lot, root: Vec3, tall: f32, out: f64) {
    let lean = Vec3::new(lot.between(1, -0.06, 0.06), 1.0, lot.between(2, -0.06, 0.06)) * tall;
    let fork = root + 0.42 * lean;
    heap.tube([root - 0.2 * Vec3::Y, fork], [0.032 * tall, 0.02 * tall], 7, [BARK, BARK]);
    let (green, dry) = ([0.10, 0.17, 0.045], [0.20, 0.19, 0.06]);
    let colour = std::array::from_fn(|k| green[k] + (dry[k] - green[k]) * 0.7 * lot.at(3));
    let crown = root + 0.66 * lean;
    let (count, longer) = leaves(64, out);
    for k in 0..9u64 {
        let turn = std::f32::consts::TAU * (0.382 * k as f32 + lot.at(4));
        let ring = if k == 0 { 0.0 } else { lot.between(10 + k, 0.13, 0.24) };
        let up = if k == 0 { 0.86 } else { lot.between(20 + k, 0.5, 0.8) };
        let at = root + lean * up + Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn)) * ring * tall;
        let wide = tall * lot.between(30 + k, 0.12, 0.2);
        heap.tube([fork - 0.03 * lean, at], [0.012 * tall, 0.004 * tall], 4, [BARK, BARK]);
        let size = Vec3::new(wide, 0.78 * wide, wide);
        let own = Lot(lot.0 * 16 + k + 1000);
        heap.foliage(&own, [at, size, crown], count, (0.045 * tall).clamp(0.2, 0.45) * longer, colour);
    }
}

/// A spruce: whorls of drooping branches around a stem.
fn conifer(heap: &mut Heap, lot: &Lot, root: Vec3, tall: f32, out: f64, snowy: bool) {
    let top = root + Vec3::Y * tall;
    heap.tube([root - 0.2 * Vec3::Y, top], [0.022 * tall, 0.004 * tall], 6, [BARK, BARK]);
    let dark = [0.034, 0.068, 0.034].map(|c: f32| c * lot.between(1, 0.8, 1.4));
    let (count, longer) = leaves(9, out);
    let (levels, around) = (if out < 40.0 { 17 } else { 9 }, count.max(5));
    // What is seen between the branches: the shade within.
    let shade = dark.map(|c| 0.45 * c);
    heap.tube([root + 0.14 * tall * Vec3::Y, top], [0.10 * tall, 0.0], 9, [shade, shade]);
    for level in 0..levels {
        let low = 0.1 + 0.88 * level as f32 / levels as f32;
        let reach = tall * (0.03 + 0.2 * (1.0 - low)) * lot.between(10 + level, 0.85, 1.15);
        for k in 0..around {
            let number = 40 * level + 3 * k;
            let turn = std::f32::consts::TAU
                * ((k as f32 + 0.6 * lot.far(number)) / around as f32 + 0.38 * level as f32);
            let away = Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn));
            let reach = reach * (0.8 + 0.35 * lot.far(number + 1));
            let from = root + Vec3::Y * tall * (low + 0.02 * lot.far(number + 2));
            let side = Vec3::new(-away.z, 0.0, away.x);
            let along = away * reach + Vec3::Y * (0.06 - 0.16 * (1.0 - low)) * reach;
            let light = 0.75 + 0.5 * lot.far(number + 1);
            // Snow lies on the outer half of most branches.
            let tip = if snowy && lot.far(number + 2) < 0.75 { SNOW } else { dark.map(|c| 2.1 * c * light) };
            let base = dark.map(|c| 0.7 * c * light);
            let normal = away + 0.9 * Vec3::Y;
            heap.leaf(
                [from, along, side * (0.17 * reach * longer.min(1.6))],
                0.14 * reach,
                normal,
                [base, tip],
            );
            for hand in [-1.0, 1.0] {
                let twig = 0.62 * along + hand * 0.32 * reach * side;
                let start = from + 0.3 * along;
                heap.leaf(
                    [start, twig, side * (0.09 * reach * longer.min(1.6))],
                    0.16 * reach,
                    normal + 0.3 * hand * side,
                    [base, tip],
                );
            }
        }
    }
}

fn bush(heap: &mut Heap, lot: &Lot, root: Vec3, tall: f32, out: f64, colour: [f32; 3]) {
    let (count, longer) = leaves(44, 2.0 * out);
    for k in 0..4u64 {
        let turn = std::f32::consts::TAU * (0.25 * k as f32 + lot.at(4));
        let aside =
            Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn)) * tall * lot.between(10 + k, 0.2, 0.45);
        let wide = tall * lot.between(20 + k, 0.3, 0.5);
        let at = root + aside + Vec3::Y * 0.6 * wide;
        let own = Lot(lot.0 * 16 + k + 2000);
        heap.foliage(
            &own,
            [at, Vec3::splat(wide), root + 0.3 * tall * Vec3::Y],
            count,
            0.16 * tall.max(0.6) * longer,
            colour,
        );
    }
}

fn rock(heap: &mut Heap, lot: &Lot, at: Vec3, size: f32, snowy: bool) {
    let grey = lot.between(1, 0.16, 0.3);
    let colour = if snowy { [0.4, 0.42, 0.45] } else { [grey, 0.96 * grey, 0.9 * grey] };
    let stretch = Vec3::new(lot.between(2, 0.8, 1.3), lot.between(3, 0.45, 0.8), lot.between(4, 0.8, 1.3));
    heap.stone(lot, [at + 0.05 * size * Vec3::Y, stretch * size], 0.42, colour);
    if snowy {
        // A cap of snow.
        let cap = Vec3::new(0.9, 0.5, 0.9) * stretch * size;
        heap.lump(lot, 5, [at + 0.4 * size * stretch.y * Vec3::Y, cap], 0.2, SNOW, 0.25);
    }
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
            if around.is_sea(x, z) {
                continue;
            }
            match (kind, climate) {
                (0, Climate::Shore) if lot.at(43) < 0.75 => {}
                (0, Climate::Snow) => conifer(&mut heap, &lot, root, lot.between(44, 6.0, 14.0), out, true),
                (0, _) if lot.at(43) < 0.35 => {
                    conifer(&mut heap, &lot, root, lot.between(44, 7.0, 15.0), out, false);
                }
                (0, _) => broadleaf(&mut heap, &lot, root, lot.between(44, 5.0, 11.0), out),
                (1, Climate::Snow) if lot.at(43) < 0.5 => {}
                (1, Climate::Snow) => {
                    bush(&mut heap, &lot, root, lot.between(44, 0.4, 0.9), out, SNOW.map(|c| 0.8 * c));
                }
                (1, Climate::Shore) if lot.at(43) < 0.5 => {}
                (1, _) => bush(&mut heap, &lot, root, lot.between(44, 0.5, 1.5), out, [0.085, 0.14, 0.04]),
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
            assert!((2_000..120_000).contains(&mesh.count_vertices()), "{name}: {}", mesh.count_vertices());
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
