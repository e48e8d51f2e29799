//! Pictures on a skin, unpacked: which colour a triangle of it has.

use super::outfit::Picture;
use ::png::{ColorType, Decoder, Transformations};
use trample_looks::colour;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Largest side of a picture that is unpacked; our choice, 200 MB.
const LARGEST: usize = 8192;

/// A picture as bytes of red, green and blue.
pub(super) struct Texture {
    width: usize,
    height: usize,
    rgb: Vec<[u8; 3]>,
}

impl Texture {
    /// None if the picture is damaged or too large.
    pub(super) fn of(picture: &Picture) -> Option<Self> {
        let texture = if picture.kind == "image/png" { png(&picture.bytes) } else { jpeg(&picture.bytes) };
        texture.filter(|t| t.width * t.height > 0 && t.rgb.len() == t.width * t.height)
    }

    /// Linear colour at a place; the picture is repeated beyond its edges, as is usual where a file does not say otherwise.
    fn at(&self, [u, v]: [f32; 2]) -> [f32; 3] {
        let texel = |x: f32, n: usize| (((x - x.floor()) * n as f32) as usize).min(n - 1);
        colour::linear(self.rgb[texel(v, self.height) * self.width + texel(u, self.width)])
    }

    /// Linear colour of a triangle: the mean of its middle and of places halfway from there to its corners and sides.
    pub(super) fn mean(&self, corners: [[f32; 2]; 3]) -> [f32; 3] {
        const PLACES: [[f32; 3]; 7] = [
            [0.334, 0.333, 0.333],
            [0.667, 0.167, 0.166],
            [0.167, 0.667, 0.166],
            [0.166, 0.167, 0.667],
            [0.416, 0.417, 0.167],
            [0.416, 0.167, 0.417],
            [0.167, 0.416, 0.417],
        ];
        let mut sum = [0.0; 3];
        for share in PLACES {
            let place = [0, 1].map(|k| (0..3).map(|c| share[c] * corners[c][k]).sum());
            let seen = self.at(place);
            sum.iter_mut().zip(seen).for_each(|(s, v)| *s += v / PLACES.len() as f32);
        }
        sum
    }
}

fn png(bytes: &[u8]) -> Option<Texture> {
    let mut decoder = Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    if width > LARGEST || height > LARGEST {
        return None;
    }
    let mut raw = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut raw).ok()?;
    let rgb = match reader.output_color_type().0 {
        ColorType::Rgb => raw.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect(),
        ColorType::Rgba => raw.chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect(),
        ColorType::Grayscale => raw.iter().map(|&g| [g; 3]).collect(),
        ColorType::GrayscaleAlpha => raw.chunks_exact(2).map(|p| [p[0]; 3]).collect(),
        ColorType::Indexed => return None,
    };
    Some(Texture { width, height, rgb })
}

fn jpeg(bytes: &[u8]) -> Option<Texture> {
    let options = DecoderOptions::default()
        .set_max_width(LARGEST)
        .set_max_height(LARGEST)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let raw = decoder.decode().ok()?;
    let (width, height) = decoder.dimensions()?;
    Some(Texture { width, height, rgb: raw.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_has_the_colour_of_its_part_of_the_picture() {
        let mut bytes = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(ColorType::Rgb);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(&[255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]).expect("pixels");
        writer.finish().expect("an end");
        let texture = Texture::of(&Picture { kind: "image/png", bytes }).expect("a picture");
        assert_eq!(texture.mean([[0.05, 0.05], [0.45, 0.05], [0.05, 0.45]]), [1.0, 0.0, 0.0]);
        assert_eq!(texture.mean([[1.55, 0.05], [1.95, 0.05], [1.55, 0.45]]), [0.0, 1.0, 0.0], "repeated");
        let across = texture.mean([[0.0, 0.0], [0.99, 0.0], [0.52, 0.3]]);
        assert!(across[0] > 0.3 && across[1] > 0.3 && across[2] == 0.0, "{across:?}");
        assert!(Texture::of(&Picture { kind: "image/jpeg", bytes: vec![0xFF, 0xD8, 0xFF, 0] }).is_none());
    }
}
