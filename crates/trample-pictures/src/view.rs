//! The perspective view: the light on everything the camera sees.

use super::camera::{Camera, dot, point, sub, unit};
use super::grain;
use super::ground::{Ground, Spot};
use super::relief::MaterialLook;
use super::strokes::{Layer, SAMPLES};
use super::{Image, canvas};
use rayon::prelude::*;
use trample_looks::colour;
use trample_looks::colour::{luminance, mix, smooth};

/// The sun low over snow is warm; the sky that fills the shadows is blue.
pub(crate) const KEY: [f32; 3] = [2.62, 2.20, 1.66];
pub(crate) const SKY: [f32; 3] = [0.36, 0.50, 0.78];

/// Everything the view shows.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    /// The baked ground.
    pub ground: &'a Ground,
    /// The camera.
    pub camera: Camera,
    /// How materials look.
    pub looks: &'a [MaterialLook],
    /// Unit vector towards the sun.
    pub sun: [f32; 3],
    /// Height of the floor the block stands on.
    pub floor: f32,
    /// The ruler on the floor: corner (x, z), length and thickness.
    pub ruler: [f32; 4],
    /// Brightness of the picture.
    pub exposure: f32,
    /// The plants as the camera sees them.
    pub plants: Option<Layer>,
}

/// Difference of light up to which two samples of a pixel are taken for equal: a step of an sRGB byte in the middle, about.
const ALIKE: f32 = 0.008;

impl Scene<'_> {
    /// Draws the view, up to four samples per pixel. Rows are independent, so threads cannot change the picture.
    pub(crate) fn draw(&self, width: usize, height: usize) -> Image {
        let mut image = Image::new(width, height, [0; 3]);
        image.rgb.par_chunks_mut(width.max(1) * 3).enumerate().for_each(|(y, row)| {
            for x in 0..row.len() / 3 {
                let light = |k: usize| {
                    let [dx, dy] = SAMPLES[k];
                    let (far, sample) = self.sample(x as f32 + dx, y as f32 + dy, y as f32 / height as f32);
                    let stem = self.plants.as_ref().map(|p| p.at(x, y, k)).filter(|p| p.0 < far);
                    stem.map_or(sample, |stem| stem.1).map(tone)
                };
                // Where two samples agree and no stem can lie between them, the other two would say the same.
                let [a, b] = [light(0), light(3)];
                let alike = self.plants.is_none() && (0..3).all(|c| (a[c] - b[c]).abs() < ALIKE);
                let [c, d] = if alike { [a, b] } else { [light(1), light(2)] };
                let sum: [f32; 3] = std::array::from_fn(|k| 0.25 * (a[k] + b[k] + c[k] + d[k]));
                // Half a step of noise keeps the long gradients of the backdrop from showing bands.
                let dither = 0.004 * grain::unit(x as i32, y as i32, 31);
                row[x * 3..x * 3 + 3].copy_from_slice(&colour::encode(sum.map(|v| v + dither * v.max(0.02))));
            }
        });
        image
    }

    /// How far the eye sees along one line of sight, and the light from there.
    fn sample(&self, px: f32, py: f32, down: f32) -> (f32, [f32; 3]) {
        let g = self.ground;
        let eye = self.camera.eye;
        let ray = self.camera.ray(px, py);
        // The part of the ray above the block's outline, and through which side it comes in.
        let (mut enter, mut leave, mut face) = (0.0f32, f32::INFINITY, None);
        for (c, size) in [(0, g.wide), (2, g.deep)] {
            if ray[c].abs() < 1e-9 {
                if eye[c] < 0.0 || eye[c] > size {
                    leave = -1.0;
                }
                continue;
            }
            let (a, b) = (-eye[c] / ray[c], (size - eye[c]) / ray[c]);
            if a.min(b) > enter {
                enter = a.min(b);
                face = Some(c);
            }
            leave = leave.min(a.max(b));
        }
        if enter < leave {
            let over = [eye[0], eye[1] - g.plane(eye[0], eye[2]), eye[2]];
            let along = [ray[0], ray[1] - ray[0] * g.tilt[0] - ray[2] * g.tilt[1], ray[2]];
            let p = point(eye, ray, enter);
            let rise = over[1] + along[1] * enter;
            if rise < g.rise(p[0], p[2]) {
                if let Some(c) = face.filter(|_| p[1] >= self.floor) {
                    return (enter, self.side(p, c, ray, enter));
                }
            } else {
                // Rays that come in high start where they reach the highest ground.
                let start = if along[1] < 0.0 { enter.max((g.top - over[1]) / along[1]) } else { enter };
                if let Some(t) = g.hit(over, along, start, leave) {
                    return (t, self.surface(point(eye, ray, t), ray, t));
                }
            }
        }
        (f32::INFINITY, self.backdrop(eye, ray, down, [px, py]))
    }

    /// Light on the ground.
    fn surface(&self, p: [f32; 3], ray: [f32; 3], depth: f32) -> [f32; 3] {
        let spot = self.ground.spot(p[0], p[2]);
        let footprint = depth / self.camera.focal;
        let Some((albedo, bump)) = self.matter(p[0], p[2], &spot, footprint) else {
            return hatched(p[0] + p[2], self.ground.wide.max(self.ground.deep));
        };
        let normal = unit([-spot.slope[0] - bump[0], 1.0, -spot.slope[1] - bump[1]]);
        let facing = dot(normal, self.sun);
        // Bright, translucent ground such as snow lets light creep around its edges.
        let wrap = 0.12 * smooth(0.3, 0.8, luminance(albedo));
        let key = ((facing + wrap) / (1.0 + wrap)).max(0.0) * spot.sun;
        // Light that does not come straight from the sky comes from the walls, again and again: a hole in snow stays
        // bright where a hole in soil goes dark.
        let open = spot.sky;
        let dome = 0.6 + 0.4 * normal[1];
        // A grazing sheen towards the light, faint, for wet and icy ground alike.
        let half = unit(sub(self.sun, unit(ray)));
        // To the power of 24.
        let second = dot(normal, half).max(0.0) * dot(normal, half).max(0.0);
        let eighth = second * second * second * second;
        let gloss = 0.05 * eighth * eighth * eighth * spot.sun;
        std::array::from_fn(|c| {
            let between = albedo[c] * (1.0 - open);
            let light = KEY[c] * key + (SKY[c] * open * dome + 0.16 * KEY[c] * between) / (1.0 - between);
            self.exposure * (albedo[c] * light + KEY[c] * gloss)
        })
    }

    /// The colour of the matter at a place and the slopes of its grain; nothing where the height is unknown.
    fn matter(&self, x: f32, z: f32, spot: &Spot, footprint: f32) -> Option<([f32; 3], [f32; 2])> {
        // Borders between materials are as ragged as the ground is: the lookup is shaken by less than a hand.
        let shake = grain::noise(x / 0.03, z / 0.03, 11);
        let (index, known) =
            self.ground.material(x + 0.006 * shake[0], z + 0.006 * shake[1].clamp(-1.0, 1.0));
        if !known {
            return None;
        }
        let own = material_colour(self.looks, index);
        let bright = smooth(0.25, 0.75, luminance(own));
        let seed = index as u32 * 977 + 3;
        // Pressed ground is smoother and darker, thrown-up ground rougher and lighter.
        let pressed = smooth(0.001, 0.03, -spot.change);
        let loose = smooth(0.001, 0.02, spot.change);
        let rough = (0.34 - 0.20 * bright) * (1.0 - 0.55 * pressed + 0.9 * loose);
        let fine = grain::layers(x, z, 0.0015, footprint, seed);
        let clump = grain::noise(x / 0.05, z / 0.05, seed ^ 0x77);
        let large = grain::noise(x / 0.31, z / 0.31, seed ^ 0x1234);
        let shade = 1.0
            + (0.16 - 0.12 * bright) * fine[0]
            + (0.05 - 0.03 * bright) * clump[0]
            + (0.06 - 0.045 * bright) * large[0]
            - (0.17 - 0.06 * bright) * pressed
            + 0.07 * loose;
        let bump = [rough * (0.28 * fine[1] + 0.10 * clump[1]), rough * (0.28 * fine[2] + 0.10 * clump[2])];
        Some((own.map(|v| (v * shade).clamp(0.0, 0.97)), bump))
    }

    /// Light on a cut side of the block.
    fn side(&self, p: [f32; 3], face: usize, ray: [f32; 3], depth: f32) -> [f32; 3] {
        let along = if face == 0 { p[2] } else { p[0] };
        let (index, _) = self.ground.material(p[0], p[2]);
        let own = material_colour(self.looks, index);
        let size = self.ground.wide.max(self.ground.deep);
        let below = self.ground.rise(p[0], p[2]) + self.ground.plane(p[0], p[2]) - p[1];
        // Layers lie parallel to the surface and are much longer than thick.
        let band = grain::noise(along / (0.16 * size), below / (0.011 * size), 5)[0];
        let fine = grain::layers(along, p[1] * 1.6, 0.0015, depth / self.camera.focal, 9)[0];
        let shade = 0.80 + 0.07 * band + 0.10 * fine * (1.0 - 0.7 * luminance(own))
            - 0.16 * smooth(0.0, 0.12 * size, below)
            + 0.22 * (1.0 - smooth(0.0, 0.004 * size, below));
        let mut normal = [0.0; 3];
        normal[face] = if ray[face] > 0.0 { -1.0 } else { 1.0 };
        let key = dot(normal, self.sun).max(0.0);
        // A wall sees half the sky and, below it, the bright floor.
        let open = 0.50 + 0.40 * smooth(0.0, 0.06 * size, p[1] - self.floor);
        std::array::from_fn(|c| {
            self.exposure * own[c] * shade * (KEY[c] * key + SKY[c] * open + 0.17 * KEY[c])
        })
    }

    /// The even studio ground and sky behind the block, with the block's shadow and the ruler.
    fn backdrop(&self, eye: [f32; 3], ray: [f32; 3], down: f32, pixel: [f32; 2]) -> [f32; 3] {
        let far = colour::linear([158, 176, 197]);
        let near = colour::linear([214, 217, 219]);
        let mut light = mix(far, near, smooth(-0.05, 0.95, down));
        let t = (self.floor - eye[1]) / ray[1];
        if ray[1] >= -1e-6 || t <= 0.0 {
            return light;
        }
        let p = point(eye, ray, t);
        let g = self.ground;
        let off = [(-p[0]).max(p[0] - g.wide).max(0.0), (-p[2]).max(p[2] - g.deep).max(0.0)];
        let distance = (off[0] * off[0] + off[1] * off[1]).sqrt();
        let high = -self.floor;
        if distance < 12.0 * high {
            let cast = self.cast(p, pixel);
            let contact = 1.0 / (1.0 + 3.0 * distance / high);
            let dim = [1.0 - 0.42 * cast, 1.0 - 0.37 * cast, 1.0 - 0.28 * cast];
            light = std::array::from_fn(|c| light[c] * dim[c] * (1.0 - 0.40 * contact * contact));
        }
        let [x, z, length, thick] = self.ruler;
        let (u, v) = ((p[0] - x) / length, (p[2] - z) / thick);
        if (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) {
            let odd = ((u * 5.0).min(4.0) as usize).is_multiple_of(2);
            let border = u.min(1.0 - u) * length < 0.10 * thick || v.min(1.0 - v) < 0.10;
            let paint = if odd || border { 0.015 } else { 0.80 };
            let shadow = luminance(light) / luminance(mix(far, near, smooth(-0.05, 0.95, down)));
            light = [paint * shadow; 3];
        }
        light
    }

    /// How much of the sun the block hides from a point of the floor.
    fn cast(&self, p: [f32; 3], pixel: [f32; 2]) -> f32 {
        const RAYS: u32 = 6;
        let g = self.ground;
        let [turn, rock] =
            [21, 22].map(|seed| grain::unit((pixel[0] * 8.0) as i32, (pixel[1] * 8.0) as i32, seed));
        let mut hidden = 0.0;
        for k in 0..RAYS {
            // The sun is drawn several times too wide: a hard shadow would compete with the prints.
            let spread = ((k as f32 + 0.5 + 0.5 * turn) / RAYS as f32 - 0.5) * 0.34;
            let lift = 1.0 + 0.16 * (rock + if k % 2 == 0 { 1.0 } else { -1.0 }) * 0.5;
            let ray =
                [self.sun[0] - self.sun[2] * spread, self.sun[1] * lift, self.sun[2] + self.sun[0] * spread];
            let (mut enter, mut leave) = (0.0f32, f32::INFINITY);
            for (c, size) in [(0, g.wide), (2, g.deep)] {
                let inverse = 1.0 / if ray[c].abs() < 1e-9 { 1e-9 } else { ray[c] };
                let (a, b) = (-p[c] * inverse, (size - p[c]) * inverse);
                enter = enter.max(a.min(b));
                leave = leave.min(a.max(b));
            }
            if enter < leave {
                let over = |t: f32| {
                    let q = point(p, ray, t);
                    q[1] - g.plane(q[0], q[2])
                };
                if over(enter).min(over(leave)) < 0.0 {
                    hidden += 1.0 / RAYS as f32;
                }
            }
        }
        hidden
    }
}

/// The light on level ground in the open.
pub(crate) fn flat_light(sun: [f32; 3]) -> f32 {
    luminance(KEY) * sun[1] + luminance(SKY)
}

/// The colour of a material; one that was not described is a plain grey.
pub(crate) fn material_colour(looks: &[MaterialLook], index: usize) -> [f32; 3] {
    looks
        .get(index)
        .map_or([0.35; 3], |look| look.albedo.map(|v| if v.is_finite() { v.clamp(0.0, 1.0) } else { 0.35 }))
}

/// Stripes for ground whose height is unknown.
fn hatched(place: f32, size: f32) -> [f32; 3] {
    let phase = place / (0.012 * size);
    colour::linear(canvas::hatch(((phase - phase.floor()) * 8.0) as usize, 0))
}

/// Keeps highlights from burning out: straight up to a knee, then bending towards one.
pub(crate) fn tone(v: f32) -> f32 {
    const KNEE: f32 = 0.62;
    if v < KNEE { v } else { KNEE + (1.0 - KNEE) * (1.0 - libm::expf(-(v - KNEE) / (1.0 - KNEE))) }
}
