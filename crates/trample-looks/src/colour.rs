//! Colours: linear light, sRGB bytes, and those that mean the same wherever they are shown.

use std::sync::LazyLock;

/// Dark ink for text and lines on paper.
pub const INK: [u8; 3] = [31, 36, 43];
/// Softer ink for labels and notes.
pub const SOFT: [u8; 3] = [92, 100, 110];
/// The page.
pub const PAPER: [u8; 3] = [252, 252, 251];
/// Cells without a value.
pub const NOTHING: [u8; 3] = [176, 178, 181];

/// A worn plant, sRGB; our choice, the same for every species.
pub const WORN: [u8; 3] = [196, 178, 52];
/// A broken plant above its break, sRGB: straw; our choice.
pub const BROKEN: [u8; 3] = [217, 196, 142];
/// The first of two that are compared, such as a walk without balance, sRGB; our choice.
pub const RED: [u8; 3] = [206, 62, 52];
/// The second of two that are compared, such as a walk with balance, sRGB; our choice.
pub const BLUE: [u8; 3] = [44, 96, 190];

/// From which linear light on each sRGB byte is the nearest, and the byte at which to begin to look for a given light.
struct Steps {
    from: [f32; 256],
    first: [u8; 1025],
}

/// Powers are slow, and a picture asks for millions of them.
static STEPS: LazyLock<Steps> = LazyLock::new(|| {
    let from: [f32; 256] = std::array::from_fn(|byte| light((byte as f32 - 0.5) / 255.0));
    let below = |v: f32| from.partition_point(|f| *f <= v).saturating_sub(1) as u8;
    Steps { from, first: std::array::from_fn(|i| below(i as f32 / 1024.0)) }
});

/// Linear light to sRGB bytes.
pub fn encode(linear: [f32; 3]) -> [u8; 3] {
    let steps = &*STEPS;
    linear.map(|v| {
        // What is not a number becomes black.
        let v = if v > 0.0 { v.min(1.0) } else { 0.0 };
        let mut byte = usize::from(steps.first[(v * 1024.0) as usize]);
        while byte < 255 && steps.from[byte + 1] <= v {
            byte += 1;
        }
        byte as u8
    })
}

/// The linear light of an sRGB value from 0 to 1.
fn light(s: f32) -> f32 {
    if s <= 0.040_45 { s / 12.92 } else { libm::powf((s + 0.055) / 1.055, 2.4) }
}

/// The linear light of one sRGB byte.
fn decode(byte: u8) -> f32 {
    light(f32::from(byte) / 255.0)
}

/// The linear light of every sRGB byte, for loops over many pixels.
pub fn linear_table() -> [f32; 256] {
    std::array::from_fn(|byte| decode(byte as u8))
}

/// Linear light from sRGB bytes.
pub fn linear(rgb: [u8; 3]) -> [f32; 3] {
    rgb.map(decode)
}

/// A blend of two linear colours.
pub fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t)
}

/// How bright a linear colour looks.
pub fn luminance(rgb: [f32; 3]) -> f32 {
    0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
}

/// 0 below `low`, 1 above `high`, smooth between.
pub fn smooth(low: f32, high: f32, v: f32) -> f32 {
    let t = ((v - low) / (high - low).max(1e-12)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_linear_light() {
        for byte in 0..=255u8 {
            assert_eq!(encode(linear([byte; 3])), [byte; 3]);
        }
    }

    #[test]
    fn light_becomes_the_byte_that_the_srgb_curve_rounds_to() {
        for i in 0..=100_000 {
            let v = i as f32 / 100_000.0;
            let s = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * libm::powf(v, 1.0 / 2.4) - 0.055 };
            let (exact, found) = (s * 255.0, f32::from(encode([v; 3])[0]));
            assert!((exact - found).abs() <= 0.501, "{v}: {found} for {exact}");
        }
        assert_eq!(encode([f32::NAN, -1.0, 2.0]), [0, 0, 255]);
    }
}
