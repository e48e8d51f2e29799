//! Lines, boxes and hatches on a picture.

use super::Image;
use trample_looks::colour;

impl Image {
    /// Lays a colour over one pixel; outside the picture nothing happens.
    pub fn blend(&mut self, x: i64, y: i64, colour: [u8; 3], cover: f32) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 {
            return;
        }
        let at = (y as usize * self.width + x as usize) * 3;
        let cover = cover.clamp(0.0, 1.0);
        for c in 0..3 {
            let under = f32::from(self.rgb[at + c]);
            self.rgb[at + c] = (under + (f32::from(colour[c]) - under) * cover + 0.5) as u8;
        }
    }

    /// A filled box given by its corner and size, laid over with `cover`.
    pub fn fill(&mut self, at: [f32; 2], size: [f32; 2], colour: [u8; 3], cover: f32) {
        let end = |start: f32, length: f32| libm::roundf(start + length) as i64;
        for y in libm::roundf(at[1]) as i64..end(at[1], size[1]).min(self.height as i64) {
            for x in libm::roundf(at[0]) as i64..end(at[0], size[0]).min(self.width as i64) {
                self.blend(x, y, colour, cover);
            }
        }
    }

    /// The outline of a box, one pixel wide, just outside of it.
    pub fn frame(&mut self, at: [f32; 2], size: [f32; 2], colour: [u8; 3]) {
        let [x, y] = at.map(|v| libm::roundf(v) - 1.0);
        let (w, h) = (libm::roundf(at[0] + size[0]) - x, libm::roundf(at[1] + size[1]) - y);
        self.fill([x, y], [w + 1.0, 1.0], colour, 1.0);
        self.fill([x, y + h], [w + 1.0, 1.0], colour, 1.0);
        self.fill([x, y], [1.0, h + 1.0], colour, 1.0);
        self.fill([x + w, y], [1.0, h + 1.0], colour, 1.0);
    }

    /// A smooth-edged line with round ends.
    pub fn line(&mut self, from: [f32; 2], to: [f32; 2], thick: f32, colour: [u8; 3]) {
        let reach = thick / 2.0 + 1.0;
        let span = |a: f32, b: f32, most: usize| {
            let low = (a.min(b) - reach).clamp(0.0, most as f32) as i64;
            let high = (a.max(b) + reach + 1.0).clamp(0.0, most as f32) as i64;
            low..high
        };
        let along = [to[0] - from[0], to[1] - from[1]];
        let square = (along[0] * along[0] + along[1] * along[1]).max(1e-9);
        for y in span(from[1], to[1], self.height) {
            for x in span(from[0], to[0], self.width) {
                let p = [x as f32 + 0.5 - from[0], y as f32 + 0.5 - from[1]];
                let t = ((p[0] * along[0] + p[1] * along[1]) / square).clamp(0.0, 1.0);
                let off = [p[0] - t * along[0], p[1] - t * along[1]];
                let distance = (off[0] * off[0] + off[1] * off[1]).sqrt();
                self.blend(x, y, colour, thick / 2.0 + 0.5 - distance);
            }
        }
    }

    /// A line with a head at its end.
    pub fn arrow(&mut self, from: [f32; 2], to: [f32; 2], thick: f32, colour: [u8; 3]) {
        self.line(from, to, thick, colour);
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
        if length < 1.0 {
            return;
        }
        let head = 3.6 * thick;
        let [ux, uy] = along.map(|v| v / length * head);
        for side in [-0.55, 0.55] {
            self.line(to, [to[0] - ux - side * uy, to[1] - uy + side * ux], thick, colour);
        }
    }

    /// A colour sample with a frame.
    pub fn swatch(&mut self, at: [f32; 2], size: f32, colour: [u8; 3]) {
        self.fill(at, [size, size], colour, 1.0);
        self.frame(at, [size, size], colour::SOFT);
    }
}

/// The colour of a pixel that has no value: grey with diagonal stripes, which no ramp contains.
pub(crate) fn hatch(x: usize, y: usize) -> [u8; 3] {
    if (x + y) % 8 < 2 { [146, 148, 152] } else { colour::NOTHING }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_outside_the_picture_is_harmless() {
        let mut image = Image::new(8, 8, [255; 3]);
        image.line([-1e9, -5.0], [1e9, 3.0], 2.0, [0; 3]);
        image.fill([-4.0, -4.0], [100.0, 6.0], [9; 3], 1.0);
        image.frame([-3.0, 2.0], [40.0, 40.0], [9; 3]);
        image.arrow([f32::NAN, 0.0], [4.0, 4.0], 1.0, [0; 3]);
        assert_eq!(image.rgb[0], 9);
    }
}
