//! Plants in the preview: their strokes put on the drawn ground, lit, and with a soft shadow.

use super::Field;
use super::camera::{Camera, dot, sub, unit};
use super::ground::Ground;
use super::strokes::{Layer, Segment};
use super::view::{KEY, SKY};
use rayon::prelude::*;
use trample::World;
use trample_looks::colour::smooth;
use trample_looks::colour::{BROKEN, WORN};
use trample_looks::{Bead, Foliage, kept};

/// Most strokes that are drawn: about a second's work. Beyond that leaves are left out, then plants.
const MOST: f64 = 600_000.0;

/// Brightest that plants are shown, per albedo: dark ground is photographed longer than leaves can bear.
pub(crate) const BRIGHTEST: f32 = 1.45;

/// A place along a stroke, on the ground as it is.
#[derive(Debug, Clone, Copy)]
struct Knot {
    /// Place, m.
    at: [f64; 2],
    /// Height over the ground below it, and over its root, m.
    over: [f32; 2],
    width: f32,
    colour: [f32; 3],
}

/// The plants of a window.
#[derive(Debug, Default)]
pub struct Sward {
    knots: Vec<Knot>,
    /// First knot of each stroke, and where its stem is rooted.
    strokes: Vec<(usize, [f64; 2])>,
    /// Height of the tallest species, m.
    tall: f32,
    /// Plants in the window, and how many of them are drawn.
    pub plants: [u64; 2],
    /// Stems that stand, are worn, are broken.
    pub stems: [u64; 3],
    /// Colour of the first species, sRGB.
    green: [u8; 3],
}

/// Room for the strokes of a window.
#[derive(Debug, Clone, Copy)]
struct Room {
    leaves: bool,
    share: f64,
}

/// What there is room for between two corners.
fn room(world: &World, min: [f64; 2], max: [f64; 2]) -> Room {
    let strokes = |leaves: bool| -> f64 {
        let one = |patch: &trample::PlantPatch| {
            let side = |k: usize| (patch.max[k].min(max[k]) - patch.min[k].max(min[k])).max(0.0);
            let share = side(0) * side(1) / patch.area().max(1e-9);
            let look = Foliage::new(&patch.species);
            let each = patch.species.stem_count() * look.strokes(patch.species.free_rows(), leaves);
            patch.expected_plants() * share * each as f64
        };
        world.scene().plants.iter().map(one).sum()
    };
    let leaves = strokes(true) <= MOST;
    Room { leaves, share: (MOST / strokes(leaves).max(1.0)).min(1.0) }
}

impl Sward {
    /// The plants rooted in the window that `height`, the surface as it is drawn, covers; touched or not.
    pub fn gather(world: &World, height: &Field) -> Self {
        let mut sward = Self::default();
        let patches = &world.scene().plants;
        if patches.is_empty() || height.data.is_empty() {
            return sward;
        }
        let looks: Vec<Foliage> = patches.iter().map(|p| Foliage::new(&p.species)).collect();
        let size = [height.width, height.height].map(|n| n as f64 * height.cell);
        let (min, max) = (height.origin, [0, 1].map(|k| height.origin[k] + size[k]));
        let room = room(world, min, max);
        world.each_stem(min, max, |stem| {
            let whole = kept(stem.root, room.share);
            if stem.number == 0 {
                sward.plants[0] += 1;
                sward.plants[1] += u64::from(whole);
            }
            let kind = if stem.state.broken { 2 } else { usize::from(stem.state.worn) };
            sward.stems[kind] += 1;
            if !whole {
                return;
            }
            let species = &patches[stem.patch].species;
            if sward.strokes.is_empty() {
                sward.green = species.colour;
            }
            sward.tall = sward.tall.max(species.height as f32);
            let root = stem.points[0];
            let foot = [f64::from(root.x), f64::from(root.z)];
            looks[stem.patch].each_stroke(&stem, room.leaves, |beads| {
                sward.strokes.push((sward.knots.len(), foot));
                let knot = |bead: &Bead| {
                    let at = [f64::from(bead.at.x), f64::from(bead.at.z)];
                    let below = f64::from(level(height, at));
                    let over = (f64::from(bead.at.y) - below) as f32;
                    Knot {
                        at,
                        over: [over.max(0.0), bead.at.y - root.y],
                        width: bead.width,
                        colour: bead.colour,
                    }
                };
                sward.knots.extend(beads.iter().map(knot));
            });
        });
        sward
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.strokes.is_empty()
    }

    /// Names and colours for the legend.
    pub fn legend(&self) -> Vec<(String, [u8; 3])> {
        if self.stems == [0; 3] {
            return Vec::new();
        }
        let [standing, worn, broken] = self.stems.map(grouped);
        let names =
            [format!("stems: {standing} standing"), format!("{worn} worn"), format!("{broken} broken")];
        names.into_iter().zip([self.green, WORN, BROKEN]).collect()
    }

    /// What a reader must know about what is not drawn.
    pub fn note(&self) -> Option<String> {
        let [all, drawn] = self.plants;
        (drawn < all).then(|| format!("{} of {} plants drawn", grouped(drawn), grouped(all)))
    }

    /// The strokes on the drawn ground: its frame, knots raised by what is exaggerated below them.
    pub fn placed(&self, ground: &Ground, origin: [f64; 2]) -> Placed {
        let local = |p: [f64; 2]| [(p[0] - origin[0]) as f32, (p[1] - origin[1]) as f32];
        let drawn = |[x, z]: [f32; 2]| ground.rise(x, z) + ground.plane(x, z);
        let inside = |[x, z]: [f32; 2]| x >= 0.0 && z >= 0.0 && x <= ground.wide && z <= ground.deep;
        let knots: Vec<Option<Vec<Thread>>> = (0..self.strokes.len())
            .into_par_iter()
            .with_min_len(1024)
            .map(|i| {
                let (first, root) = self.strokes[i];
                let end = self.strokes.get(i + 1).map_or(self.knots.len(), |s| s.0);
                let root = local(root);
                if !inside(root) {
                    return None;
                }
                let foot = drawn(root);
                let thread = |knot: &Knot| {
                    let at = local(knot.at);
                    // What lies follows the drawn ground below it, what stands follows its root.
                    let floor = drawn(at);
                    let stands = smooth(0.01, 0.05, knot.over[0]);
                    let lying = floor + knot.over[0];
                    let y = (lying + (foot + knot.over[1] - lying) * stands).max(floor + 0.001);
                    Thread { at: [at[0], y, at[1]], over: y - floor, width: knot.width, colour: knot.colour }
                };
                Some(self.knots[first..end].iter().map(thread).collect())
            })
            .collect();
        Placed { threads: knots.into_iter().flatten().collect(), tall: self.tall }
    }
}

/// The surface between the cells of a field.
fn level(field: &Field, at: [f64; 2]) -> f32 {
    let cell = |k: usize, n: usize| {
        let p = ((at[k] - field.origin[k]) / field.cell - 0.5).clamp(0.0, (n - 1) as f64);
        let i = (p as usize).min(n.saturating_sub(2));
        (i, (i + 1).min(n - 1), (p - i as f64) as f32)
    };
    let ((x0, x1, u), (z0, z1, v)) = (cell(0, field.width), cell(1, field.height));
    let low = field.at(x0, z0) + (field.at(x1, z0) - field.at(x0, z0)) * u;
    let high = field.at(x0, z1) + (field.at(x1, z1) - field.at(x0, z1)) * u;
    low + (high - low) * v
}

/// A number with its thousands apart.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// A knot in the frame of the drawn ground.
#[derive(Debug, Clone, Copy)]
struct Thread {
    at: [f32; 3],
    over: f32,
    width: f32,
    colour: [f32; 3],
}

/// Strokes on the drawn ground.
#[derive(Debug)]
pub struct Placed {
    threads: Vec<Vec<Thread>>,
    tall: f32,
}

/// Side of a cell in which the thickness of the canopy is known, m.
const CANOPY: f32 = 0.03;

impl Placed {
    /// Highest y of any of them.
    pub fn top(&self) -> f32 {
        self.threads.iter().flatten().map(|t| t.at[1]).fold(f32::NEG_INFINITY, f32::max)
    }

    /// Leaf area over ground area of what stands, on a grid of cells.
    fn canopy(&self, ground: &Ground) -> (Vec<f32>, usize) {
        let (nx, nz) = ((ground.wide / CANOPY) as usize + 1, (ground.deep / CANOPY) as usize + 1);
        let mut area = vec![0.0f32; nx * nz];
        for pair in self.threads.iter().flat_map(|t| t.windows(2)) {
            let (a, b) = (&pair[0], &pair[1]);
            let length = dot(sub(b.at, a.at), sub(b.at, a.at)).sqrt();
            let stands = smooth(0.0, 0.4 * self.tall, 0.5 * (a.over + b.over));
            let col = ((a.at[0] / CANOPY).max(0.0) as usize).min(nx - 1);
            let row = ((a.at[2] / CANOPY).max(0.0) as usize).min(nz - 1);
            area[row * nx + col] += 0.5 * (a.width + b.width) * length * stands / (CANOPY * CANOPY);
        }
        // What is above shades what is around, too.
        let read = |x: usize, z: usize| area[z.min(nz - 1) * nx + x.min(nx - 1)];
        let blurred = (0..nx * nz)
            .map(|i| {
                let (x, z) = (i % nx, i / nx);
                let (l, u) = (x.saturating_sub(1), z.saturating_sub(1));
                let cross = read(l, z) + read(x + 1, z) + read(x, u) + read(x, z + 1);
                let diagonal = read(l, u) + read(x + 1, u) + read(l, z + 1) + read(x + 1, z + 1);
                (4.0 * read(x, z) + 2.0 * cross + diagonal) / 16.0
            })
            .collect();
        (blurred, nx)
    }

    /// Takes the light that they keep from the ground: sun along `toward` rising by `climb`, and some sky.
    pub fn shade(&self, ground: &mut Ground, toward: [f32; 2], climb: f32) {
        let (nx, nz, per) = (ground.nx, ground.nz, ground.per);
        let texel = ground.texel();
        let mut dark = vec![0.0f32; nx * nz];
        for pair in self.threads.iter().flat_map(|t| t.windows(2)) {
            let cast = |t: &Thread| {
                let far = t.over / climb.max(0.1);
                [t.at[0] - toward[0] * far, t.at[2] - toward[1] * far]
            };
            let (a, b) = (cast(&pair[0]), cast(&pair[1]));
            let length = ((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1])).sqrt();
            let steps = (length / texel).ceil().clamp(1.0, 256.0) as usize;
            for s in 0..steps {
                let t = (s as f32 + 0.5) / steps as f32;
                let (x, z) = (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t);
                if x < 0.0 || z < 0.0 || x >= ground.wide || z >= ground.deep {
                    continue;
                }
                let width = pair[0].width + (pair[1].width - pair[0].width) * t;
                let at = ((z * per[1]) as usize).min(nz - 1) * nx + ((x * per[0]) as usize).min(nx - 1);
                dark[at] += width / texel * (length / steps as f32 / texel).min(1.0);
            }
        }
        // Two passes of a small blur: the sun is not a point, and blades are thinner than texels.
        for (step, n) in [(1, nx), (nx, nz), (1, nx), (nx, nz)] {
            let place = |i: usize| if step == 1 { i % nx } else { i / nx };
            dark = (0..nx * nz)
                .into_par_iter()
                .with_min_len(nx)
                .map(|i| {
                    let before = if place(i) > 0 { dark[i - step] } else { dark[i] };
                    let after = if place(i) + 1 < n { dark[i + step] } else { dark[i] };
                    0.25 * before + 0.5 * dark[i] + 0.25 * after
                })
                .collect();
        }
        let (canopy, columns) = self.canopy(ground);
        for (i, spot) in ground.spots.iter_mut().enumerate() {
            let (x, z) = ((i % nx) as f32 / per[0], (i / nx) as f32 / per[1]);
            let thick = canopy
                .get((z / CANOPY) as usize * columns + ((x / CANOPY) as usize).min(columns - 1))
                .copied()
                .unwrap_or(0.0);
            spot[3] *= 0.35 + 0.65 * libm::expf(-0.7 * thick);
            spot[4] *= 0.25 + 0.75 * libm::expf(-0.9 * dark[i]);
        }
    }

    /// The strokes as the camera sees them, lit by the sun.
    pub fn layer(
        &self,
        ground: &Ground,
        camera: &Camera,
        sun: [f32; 3],
        exposure: f32,
        size: [usize; 2],
    ) -> Layer {
        let (canopy, columns) = self.canopy(ground);
        let segments: Vec<Segment> = self
            .threads
            .par_iter()
            .with_min_len(256)
            .flat_map_iter(|thread| {
                let lit = |k: usize| -> [f32; 3] {
                    let t = &thread[k];
                    let (a, b) = (&thread[k.saturating_sub(1)], &thread[(k + 1).min(thread.len() - 1)]);
                    let along = unit(sub(b.at, a.at));
                    let col = ((t.at[0] / CANOPY).max(0.0) as usize).min(columns - 1);
                    let thick = canopy
                        .get((t.at[2] / CANOPY).max(0.0) as usize * columns + col)
                        .copied()
                        .unwrap_or(0.0);
                    // Light has to come down through what stands around.
                    let below = (1.0 - t.over / self.tall.max(1e-3)).clamp(0.0, 1.0);
                    let open = libm::expf(-1.3 * thick * below);
                    // A thin stroke faces every way across itself (Kajiya and Kay's hair).
                    let facing = (1.0 - dot(along, sun) * dot(along, sun)).max(0.0).sqrt();
                    let shaded = smooth(-0.02, 0.05, t.over).max(ground.spot(t.at[0], t.at[2]).sun);
                    let key = 0.80 * facing * open * shaded;
                    let sky = 0.25 + 0.60 * open;
                    std::array::from_fn(|c| {
                        exposure * t.colour[c] * (KEY[c] * key + SKY[c] * sky + 0.10 * KEY[c] * open)
                    })
                };
                let end = |k: usize| {
                    let t = &thread[k];
                    let [x, y] = camera.project(t.at);
                    let depth = camera.depth(t.at);
                    (([x, y, depth]), (0.5 * camera.focal * t.width / depth).max(0.30), lit(k))
                };
                let mut last = end(0);
                (1..thread.len())
                    .map(move |k| {
                        let next = end(k);
                        let segment = Segment {
                            ends: [last.0, next.0],
                            radii: [last.1, next.1],
                            light: [last.2, next.2],
                        };
                        last = next;
                        segment
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        Layer::new(&segments, size)
    }

    /// The strokes seen from straight above, on a map of `size` pixels.
    pub fn map(&self, ground: &Ground, exposure: f32, size: [usize; 2]) -> Layer {
        let scale = [size[0] as f32 / ground.wide, size[1] as f32 / ground.deep];
        let end = |t: &Thread| {
            let light = t.colour.map(|v| exposure * v * (0.75 + 0.5 * smooth(0.0, self.tall, t.over)));
            (
                [t.at[0] * scale[0], t.at[2] * scale[1], 10.0 - t.over],
                (0.5 * scale[0] * t.width).max(0.45),
                light,
            )
        };
        let segments: Vec<Segment> = self
            .threads
            .iter()
            .flat_map(|thread| thread.windows(2))
            .map(|pair| {
                let (a, b) = (end(&pair[0]), end(&pair[1]));
                Segment { ends: [a.0, b.0], radii: [a.1, b.1], light: [a.2, b.2] }
            })
            .collect();
        Layer::new(&segments, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use trample::Map;
    use trample::scene::library;

    #[test]
    fn untouched_plants_are_drawn_and_counted_like_all_others() {
        let scene = library::by_name("carex-lane").expect("scene");
        let world = World::new(&scene).expect("world");
        let rect = crate::drawn_window(&world, [1.0, 1.0]);
        let sward = Sward::gather(&world, &Field::of(&world, Map::Height, rect));
        let all = world.plant_tally([0.0; 2], [9.0; 2]);
        assert_eq!((sward.plants, sward.stems), ([all.plants; 2], [all.stems, 0, 0]));
        assert_eq!(sward.strokes.len() as u64, all.stems, "a blade each");
        assert!(sward.knots.iter().all(|k| k.over[0] < 0.11), "none higher than it grows");
        assert_eq!(sward.note(), None);
        assert_eq!(sward.legend()[0].0, format!("stems: {} standing", grouped(all.stems)));
    }

    #[test]
    fn a_dense_meadow_is_drawn_in_part_and_says_so() {
        let mut scene = library::by_name("meadow").expect("scene");
        scene.plants[0].density = 4000.0;
        scene.plants[0].max = [8.0, 8.0];
        let world = World::new(&scene).expect("world");
        let height = Field { width: 8, height: 8, cell: 1.0, origin: [0.0; 2], data: vec![0.0; 64] };
        let sward = Sward::gather(&world, &height);
        assert!(sward.strokes.len() as f64 <= 1.02 * MOST, "{}", sward.strokes.len());
        assert!(sward.plants[0] > 200_000 && sward.note().is_some_and(|n| n.contains("plants drawn")));
        assert_eq!(sward.stems[0], 4 * sward.plants[0], "all are counted");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([7, 1234, 1_000_000].map(grouped), ["7", "1\u{202f}234", "1\u{202f}000\u{202f}000"]);
    }
}
