//! Colours: linear light, sRGB bytes, and ramps of even perceived steps.

use std::sync::LazyLock;

/// Dark ink for text and lines on paper.
pub(crate) const INK: [u8; 3] = [31, 36, 43];
/// Softer ink for labels and notes.
pub(crate) const SOFT: [u8; 3] = [92, 100, 110];
/// The page.
pub(crate) const PAPER: [u8; 3] = [252, 252, 251];
/// Cells without a value.
pub(crate) const NOTHING: [u8; 3] = [176, 178, 181];

/// How a number becomes a colour. All ramps are defined by their lightness first, in Oklab, so that equal steps of
/// the number look like equal steps of brightness and survive a grey print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ramp {
    /// Violet over teal to yellow, dark to light: any quantity that starts at nothing.
    Sequential,
    /// Pale to dark red: loads and pressures, where most of the map is nothing and stays paper-coloured.
    Heat,
    /// Blue (below) over white to brown (above): a change with a meaningful zero in the middle.
    Diverging,
}

impl Ramp {
    /// The colour at `t` from 0 to 1; anything outside is clamped, not-a-number is the colour of no value.
    pub(crate) fn at(self, t: f32) -> [u8; 3] {
        if t.is_nan() {
            return NOTHING;
        }
        let t = t.clamp(0.0, 1.0);
        let (lightness, chroma, hue) = match self {
            Self::Sequential => (0.24 + 0.68 * t, 0.105 + 0.075 * t * t - 0.03 * bell(t), 298.0 - 192.0 * t),
            Self::Heat => {
                (0.975 - 0.65 * t, 0.012 + 0.20 * bell(0.5 * libm::powf(t, 0.85)) * (1.0 - 0.25 * t), {
                    88.0 - 72.0 * libm::powf(t, 0.8)
                })
            }
            Self::Diverging => {
                let side = 2.0 * t - 1.0;
                let far = side.abs();
                let hue = if side < 0.0 { 252.0 } else { 58.0 };
                let most = if side < 0.0 { 0.125 } else { 0.105 };
                (0.975 - 0.60 * far, most * bell(0.5 * far.min(0.75) / 0.75) * (1.0 - 0.15 * far), hue)
            }
        };
        encode(from_oklch(lightness, chroma, hue))
    }
}

/// 0 at 0 and 1, 1 in the middle.
fn bell(t: f32) -> f32 {
    4.0 * t * (1.0 - t)
}

/// Linear RGB from Oklab's lightness, chroma and hue in degrees; out-of-gamut channels are left for `encode`.
fn from_oklch(lightness: f32, chroma: f32, hue: f32) -> [f32; 3] {
    let angle = hue.to_radians();
    let (a, b) = (chroma * libm::cosf(angle), chroma * libm::sinf(angle));
    let cube = |v: f32| v * v * v;
    let l = cube(lightness + 0.396_337_78 * a + 0.215_803_76 * b);
    let m = cube(lightness - 0.105_561_346 * a - 0.063_854_17 * b);
    let s = cube(lightness - 0.089_484_18 * a - 1.291_485_5 * b);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_38 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ]
}

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
pub(crate) fn encode(linear: [f32; 3]) -> [u8; 3] {
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
pub(crate) fn linear_table() -> [f32; 256] {
    std::array::from_fn(|byte| decode(byte as u8))
}

/// Linear light from sRGB bytes.
pub(crate) fn linear(rgb: [u8; 3]) -> [f32; 3] {
    rgb.map(decode)
}

/// A blend of two linear colours.
pub(crate) fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t)
}

/// How bright a linear colour looks.
pub(crate) fn luminance(rgb: [f32; 3]) -> f32 {
    0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
}

/// 0 below `low`, 1 above `high`, smooth between.
pub(crate) fn smooth(low: f32, high: f32, v: f32) -> f32 {
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

    #[test]
    fn the_sequential_ramp_only_gets_lighter() {
        let light: Vec<f32> =
            (0..=64).map(|i| luminance(linear(Ramp::Sequential.at(i as f32 / 64.0)))).collect();
        assert!(light.windows(2).all(|pair| pair[1] > pair[0]));
    }

    #[test]
    fn the_diverging_ramp_is_lightest_in_the_middle() {
        let light = |t| luminance(linear(Ramp::Diverging.at(t)));
        assert!(light(0.5) > light(0.4) && light(0.4) > light(0.0));
        assert!(light(0.5) > light(0.6) && light(0.6) > light(1.0));
    }

    #[test]
    fn no_number_has_the_colour_of_no_value() {
        assert_eq!(Ramp::Heat.at(f32::NAN), NOTHING);
    }
}
