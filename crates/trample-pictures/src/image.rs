//! A finished picture, and its PNG.

use trample_looks::colour;

/// Why a picture could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The plotting library refused; its own words are kept because it has no stable error type.
    #[error("the plot could not be drawn: {0}")]
    Plot(String),
}

/// A finished picture, three bytes per pixel, sRGB, top row first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// `width * height * 3` bytes.
    pub rgb: Vec<u8>,
}

impl Image {
    /// A picture filled with one colour. A picture has at least one pixel, because PNG knows no empty picture.
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        Self { width, height, rgb: colour.repeat(width * height) }
    }

    /// The picture as a PNG file. No time stamp or other chunk is written, so equal pictures give equal files.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::Adaptive);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        // Writing to memory cannot fail for a picture made by `new`; a caller who broke the size gets no bytes.
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.rgb).and_then(|()| writer.finish()));
        if written.is_err() {
            bytes.clear();
        }
        bytes
    }

    /// The picture made smaller by a whole factor, averaging in linear light so that thin dark lines stay thin.
    pub fn shrunk(&self, factor: usize) -> Self {
        let factor = factor.max(1);
        let mut small = Self::new(self.width / factor, self.height / factor, [0; 3]);
        let linear = colour::linear_table();
        let scale = 1.0 / (factor * factor) as f32;
        for y in 0..small.height {
            for x in 0..small.width {
                let mut sum = [0.0f32; 3];
                for dy in 0..factor {
                    for dx in 0..factor {
                        let (px, py) = (x * factor + dx, y * factor + dy);
                        if px < self.width && py < self.height {
                            let at = (py * self.width + px) * 3;
                            for c in 0..3 {
                                sum[c] += linear[self.rgb[at + c] as usize];
                            }
                        }
                    }
                }
                let at = (y * small.width + x) * 3;
                small.rgb[at..at + 3].copy_from_slice(&colour::encode(sum.map(|v| v * scale)));
            }
        }
        small
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_holds_the_pixels_it_was_given() {
        let mut image = Image::new(3, 2, [10, 20, 30]);
        image.rgb[3..6].copy_from_slice(&[200, 100, 50]);
        let png = image.to_png();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a readable header");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("a readable frame");
        assert_eq!(pixels, image.rgb);
    }

    #[test]
    fn an_empty_picture_becomes_one_pixel() {
        assert!(!Image::new(0, 0, [1, 2, 3]).to_png().is_empty());
    }

    #[test]
    fn shrinking_keeps_a_flat_colour() {
        assert_eq!(Image::new(6, 4, [90, 120, 7]).shrunk(2), Image::new(3, 2, [90, 120, 7]));
    }
}
