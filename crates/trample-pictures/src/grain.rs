//! The fine structure of ground that no cell resolves: smooth noise that depends on nothing but the place.

/// A well-mixed number from a lattice point.
pub(crate) fn hash(x: i32, z: i32, seed: u32) -> u32 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1)
        ^ (z as u32).wrapping_mul(0x85eb_ca77)
        ^ seed.wrapping_mul(0xc2b2_ae3d);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2c1b_3c6d);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297a_2d39);
    h ^ (h >> 15)
}

/// The hash as a number from -1 to 1.
pub(crate) fn unit(x: i32, z: i32, seed: u32) -> f32 {
    (hash(x, z, seed) >> 8) as f32 / 8_388_608.0 - 1.0
}

/// Smooth noise of wavelength about one: its value from -1 to 1 and its slopes along x and z.
pub(crate) fn noise(x: f32, z: f32, seed: u32) -> [f32; 3] {
    let (fx, fz) = (x.floor(), z.floor());
    let (ix, iz) = (fx as i32, fz as i32);
    let (u, v) = (x - fx, z - fz);
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let slope = |t: f32| 30.0 * t * t * (t - 1.0) * (t - 1.0);
    let (a, b) = (unit(ix, iz, seed), unit(ix.wrapping_add(1), iz, seed));
    let (c, d) = (unit(ix, iz.wrapping_add(1), seed), unit(ix.wrapping_add(1), iz.wrapping_add(1), seed));
    let (su, sv) = (fade(u), fade(v));
    let twist = a - b - c + d;
    [
        a + (b - a) * su + (c - a) * sv + twist * su * sv,
        (b - a + twist * sv) * slope(u),
        (c - a + twist * su) * slope(v),
    ]
}

/// Layered noise at wavelengths from `finest` metres up, three octaves, each twice as long as the one before.
///
/// `footprint` is the size of a pixel on the ground: octaves a pixel cannot show fade out instead of flickering,
/// and coarser ones take their place, so that near and far ground look equally rough.
pub(crate) fn layers(x: f32, z: f32, finest: f32, footprint: f32, seed: u32) -> [f32; 3] {
    let level = libm::log2f((2.2 * footprint / finest).max(1.0));
    let first = level.floor();
    let mut sum = [0.0f32; 3];
    let mut wave = finest * libm::exp2f(first);
    for octave in 0..3u32 {
        // The finest octave fades with the fraction of the level, so that no seam shows where the level steps.
        let fraction = level - first;
        let weight = match octave {
            0 => 0.5 * (1.0 - fraction),
            1 => 0.5,
            _ => 0.35 + 0.15 * fraction,
        };
        let n = noise(x / wave, z / wave, seed ^ (first as u32 + octave).wrapping_mul(0x51));
        for c in 0..3 {
            sum[c] += weight * n[c];
        }
        wave *= 2.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_and_bounded() {
        for i in 0..2000 {
            let x = -3.0 + i as f32 * 0.005;
            let (a, b) = (noise(x, 0.3, 7), noise(x + 1e-3, 0.3, 7));
            assert!(a[0].abs() <= 1.001);
            assert!((b[0] - a[0]).abs() < 0.01);
            assert!(((b[0] - a[0]) / 1e-3 - a[1]).abs() < 0.2, "the slope is the slope of the value");
        }
    }
}
