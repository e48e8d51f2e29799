//! Random numbers without state: a number is a function of (seed, stream, counter).
//!
//! In: a seed, what the number is for, which one. Out: a uniform or normal number, the same on every machine,
//! thread and call order. So any step of a scripted walk can be computed directly, and a resumed run continues
//! exactly.

/// What a random number is for. Two uses never share a number, so adding one does not shift another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Stream {
    /// Sideways offset of a whole pass.
    PassOffset = 1,
    /// Slow sideways wandering along a pass.
    Wander = 2,
    /// Scatter of a single footfall across the path.
    StepAcross = 3,
    /// Scatter of a single footfall along the path.
    StepAlong = 4,
    /// Scatter of a single press of a plate.
    Press = 5,
    /// Lattice gradients of the hills.
    Hills = 6,
    /// Where along the path a pass sets its first foot.
    PassPhase = 7,
    /// Where a plant is rooted, and whether.
    Plant = 8,
    /// How a plant is turned.
    PlantTurn = 9,
    /// How long a step takes.
    StepTime = 10,
    /// How a person walks, all its steps alike.
    Person = 11,
    /// Sideways offset of a walker's pass.
    PassAside = 12,
    /// How many people come on a day, and when.
    Visit = 13,
    /// What a person thinks a place costs.
    Perception = 14,
    /// Rain of a day.
    Rain = 15,
}

/// A well-mixed 64-bit word from a seed, a stream and a counter (two rounds of the SplitMix64 finaliser).
pub fn word(seed: u64, stream: Stream, counter: u64) -> u64 {
    let a = mix(seed.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_add((stream as u64) << 56));
    mix(a ^ counter.wrapping_mul(0xD1B5_4A32_D192_ED03))
}

/// A number in [0, 1), 53 bits.
pub fn uniform(seed: u64, stream: Stream, counter: u64) -> f64 {
    (word(seed, stream, counter) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A number with mean 0 and standard deviation 1 (Box–Muller on two counters).
pub fn normal(seed: u64, stream: Stream, counter: u64) -> f64 {
    let a = 1.0 - uniform(seed, stream, counter.wrapping_mul(2));
    let b = uniform(seed, stream, counter.wrapping_mul(2).wrapping_add(1));
    (-2.0 * libm::log(a)).sqrt() * libm::cos(std::f64::consts::TAU * b)
}

/// The finaliser of SplitMix64: a bijection that flips about half the bits for each changed one.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_the_moments_they_claim() {
        let n = 20_000;
        let (mut sum, mut square) = (0.0, 0.0);
        for i in 0..n {
            let x = normal(7, Stream::PassOffset, i);
            sum += x;
            square += x * x;
        }
        let mean = sum / n as f64;
        assert!(mean.abs() < 0.03, "mean {mean}");
        assert!((square / n as f64 - 1.0).abs() < 0.04, "variance {}", square / n as f64);
    }

    #[test]
    fn streams_and_seeds_do_not_share_numbers() {
        let a: Vec<u64> = (0..100).map(|i| word(1, Stream::Wander, i)).collect();
        let b: Vec<u64> = (0..100).map(|i| word(1, Stream::Press, i)).collect();
        let c: Vec<u64> = (0..100).map(|i| word(2, Stream::Wander, i)).collect();
        assert!(a.iter().all(|x| !b.contains(x) && !c.contains(x)), "two streams or seeds share a word");
    }
}
