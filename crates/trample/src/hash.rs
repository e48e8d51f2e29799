//! The state hash: 64 bits that change when any bit of the state does.
//!
//! In: words in a fixed order. Out: one word. Not cryptographic: it compares runs and does not resist forgery.

use crate::random::mix;

/// A running hash over words.
#[derive(Clone, Copy, Debug)]
pub struct Hasher(u64);

impl Default for Hasher {
    fn default() -> Self {
        Self(0x5452_414D_504C_4531)
    }
}

impl Hasher {
    /// Takes one word in.
    pub fn word(&mut self, x: u64) {
        self.0 = mix(self.0.rotate_left(23) ^ x.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }

    /// Takes a float in by its bits; −0 counts as 0, because machines differ in the sign of a zero sum.
    pub fn float(&mut self, x: f64) {
        self.word(if x == 0.0 { 0 } else { x.to_bits() });
    }

    /// Takes bytes in, eight at a time, and their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.word(u64::from_le_bytes(chunk.try_into().expect("chunks of eight")));
        }
        let mut last = [0u8; 8];
        last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    /// The hash of all taken in so far.
    pub fn finish(self) -> u64 {
        mix(self.0)
    }
}

/// The hash of a byte string.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = Hasher::default();
    hasher.bytes(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_changes_the_hash() {
        let bytes: Vec<u8> = (0..37).collect();
        let whole = of_bytes(&bytes);
        for bit in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(of_bytes(&other), whole, "bit {bit} does not count");
        }
        assert_ne!(of_bytes(&bytes[..36]), whole, "the length does not count");
    }
}
