//! Ramps: numbers as colours of even perceived steps.

use crate::colour::{NOTHING, encode};
use trample::Ramp;

/// The colours of a ramp. All ramps are defined by their lightness first, in Oklab, so that equal steps of the number look like
/// equal steps of brightness and survive a grey print.
pub trait Colours {
    /// The colour at `t` from 0 to 1; anything outside is clamped, not-a-number is the colour of no value.
    fn at(self, t: f32) -> [u8; 3];
    /// What the colours at the two ends are called.
    fn ends(self) -> [&'static str; 2];
}

impl Colours for Ramp {
    fn ends(self) -> [&'static str; 2] {
        match self {
            Self::Sequential => ["violet", "yellow"],
            Self::Heat => ["pale", "dark red"],
            Self::Diverging => ["blue", "brown"],
        }
    }

    fn at(self, t: f32) -> [u8; 3] {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::{linear, luminance};

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
