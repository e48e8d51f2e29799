//! Lit bodies from the side: triangles into a layer with depth, and layers onto a picture.

use super::Image;
use trample_looks::colour;

/// A mesh at one moment, in metres: x to the right, y up, z towards the reader.
pub(crate) struct Mesh<'a> {
    /// Places of the points.
    pub points: &'a [[f32; 3]],
    /// Unit normals of the points.
    pub normals: &'a [[f32; 3]],
    /// Corners, anticlockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
    /// Linear colour of each triangle.
    pub colours: &'a [[f32; 3]],
}

/// What has been drawn so far of one figure: nearest depth and colour of each pixel.
pub(crate) struct Layer {
    width: usize,
    height: usize,
    depth: Vec<f32>,
    light: Vec<[f32; 3]>,
}

/// Where the light comes from: high, from ahead, from the reader's side; unit length.
const KEY: [f32; 3] = [0.48, 0.70, 0.529];
/// A weak light from behind that parts the far limbs from the near ones.
const RIM: [f32; 3] = [-0.80, 0.36, 0.48];

impl Layer {
    /// An empty layer.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let n = width * height;
        Self { width, height, depth: vec![f32::NEG_INFINITY; n], light: vec![[0.0; 3]; n] }
    }

    /// Draws a mesh; `place` gives pixels from metres, and a far side is dimmed by `dim` per metre.
    pub(crate) fn draw(
        &mut self,
        mesh: &Mesh<'_>,
        place: impl Fn([f32; 3]) -> [f32; 2],
        middle: f32,
        dim: f32,
    ) {
        for (corners, albedo) in mesh.triangles.iter().zip(mesh.colours) {
            let [a, b, c] = corners.map(|i| place(mesh.points[i as usize]));
            // Pixels run down, so a face towards the reader turns the other way.
            let area = (b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1]);
            if area.is_nan() || area <= 1e-9 {
                continue;
            }
            let span = |k: usize, most: usize| {
                let low = a[k].min(b[k]).min(c[k]).floor().clamp(0.0, most as f32) as usize;
                let high = (a[k].max(b[k]).max(c[k]).ceil() + 1.0).clamp(0.0, most as f32) as usize;
                low..high
            };
            let [pa, pb, pc] = corners.map(|i| mesh.points[i as usize]);
            let [na, nb, nc] = corners.map(|i| mesh.normals[i as usize]);
            for y in span(1, self.height) {
                for x in span(0, self.width) {
                    let p = [x as f32 + 0.5, y as f32 + 0.5];
                    let side = |u: [f32; 2], v: [f32; 2]| {
                        ((v[1] - u[1]) * (p[0] - u[0]) - (v[0] - u[0]) * (p[1] - u[1])) / area
                    };
                    let (wc, wa) = (side(a, b), side(b, c));
                    let wb = 1.0 - wa - wc;
                    if wa < 0.0 || wb < 0.0 || wc < 0.0 {
                        continue;
                    }
                    let z = wa * pa[2] + wb * pb[2] + wc * pc[2];
                    let at = y * self.width + x;
                    if z <= self.depth[at] {
                        continue;
                    }
                    self.depth[at] = z;
                    let normal: [f32; 3] = std::array::from_fn(|k| wa * na[k] + wb * nb[k] + wc * nc[k]);
                    let far = 1.0 - (dim * (middle - z)).clamp(0.0, 0.45);
                    self.light[at] = lit(*albedo, normal).map(|v| v * far);
                }
            }
        }
    }

    /// Lays the layer over a picture with its corner at `at`; what the layer `below` has drawn there shines through.
    pub(crate) fn onto(&self, image: &mut Image, at: [usize; 2], below: Option<&Self>) {
        for y in 0..self.height {
            for x in 0..self.width {
                let k = y * self.width + x;
                if self.depth[k] > f32::NEG_INFINITY {
                    let ink = colour::encode(self.light[k]);
                    let hidden = below.is_some_and(|b| b.depth[k] > f32::NEG_INFINITY);
                    let cover = if hidden { 0.72 } else { 1.0 };
                    image.blend((at[0] + x) as i64, (at[1] + y) as i64, ink, cover);
                }
            }
        }
    }
}

fn lit(albedo: [f32; 3], normal: [f32; 3]) -> [f32; 3] {
    let length = normal.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-6);
    let along = |d: [f32; 3]| (0..3).map(|k| d[k] * normal[k]).sum::<f32>() / length;
    let (key, rim) = (along(KEY).max(0.0), along(RIM).max(0.0));
    // Sky above, ground below.
    let sky = 0.5 + 0.5 * normal[1] / length;
    let bright = 0.26 + 0.24 * sky + 0.85 * key + 0.12 * rim;
    albedo.map(|v| v * bright)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(triangle: [u32; 3], depth: f32, layer: &mut Layer, colour: [f32; 3]) {
        let points = [[0.0, 0.0, depth], [8.0, 0.0, depth], [0.0, 8.0, depth]];
        let mesh = Mesh {
            points: &points,
            normals: &[[0.0, 0.0, 1.0]; 3],
            triangles: &[triangle],
            colours: &[colour],
        };
        layer.draw(&mesh, |p| [p[0], 8.0 - p[1]], 0.0, 0.0);
    }

    #[test]
    fn near_faces_hide_far_ones_and_backs_are_not_drawn() {
        let mut layer = Layer::new(8, 8);
        drawn([0, 1, 2], 1.0, &mut layer, [1.0, 0.0, 0.0]);
        drawn([0, 1, 2], 0.0, &mut layer, [0.0, 1.0, 0.0]);
        drawn([0, 2, 1], 2.0, &mut layer, [0.0, 0.0, 1.0]);
        let mut image = Image::new(8, 8, [9; 3]);
        layer.onto(&mut image, [0, 0], None);
        let pixel = |x: usize, y: usize| &image.rgb[(y * 8 + x) * 3..][..3];
        assert!(pixel(1, 6)[0] > 100 && pixel(1, 6)[1] == 0 && pixel(1, 6)[2] == 0, "{:?}", pixel(1, 6));
        assert_eq!(pixel(7, 0), [9; 3], "outside there is nothing");
    }
}
