//! How plants look: a stem's line as tapered strokes, in colours that tell how it is.
//!
//! In: a stem and its species. Out: strokes, each a line of places with widths and linear colours, for pictures and meshes. What
//! stands is the species' own green, what is worn turns yellow, what lies above a broken joint is straw. All of it our choice.

use crate::Form;
use crate::colour::{BROKEN, WORN, linear, mix};
use glam::Vec3;
use trample::Species;
use trample::Stem;
use trample::internal::{Stream, word};

/// A place along a stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bead {
    /// Where, m.
    pub at: Vec3,
    /// Width of the stroke there, m.
    pub width: f32,
    /// Linear colour, 0 to 1.
    pub colour: [f32; 3],
}

/// Leaves along a segment of a stem.
const LEAVES: usize = 4;

/// How the stems of a species are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foliage {
    /// Width of a stem near its root, m.
    pub width: f32,
    /// Length of its leaves, m; 0 for a blade.
    pub leaf: f32,
    /// Linear colour of what stands.
    pub green: [f32; 3],
}

impl Foliage {
    /// How a species is drawn.
    pub fn new(species: &Species) -> Self {
        let spacing = species.spacing as f32;
        let leafy = Form::of(species) != Form::Blade;
        // A stem stands for the blades around it, so it is broader than one of them; stalks are thinner for their size.
        let width = if leafy { (0.12 * spacing).clamp(0.002, 0.006) } else { (0.3 * spacing).min(0.007) };
        Self { width, leaf: if leafy { 0.6 * spacing } else { 0.0 }, green: linear(species.colour) }
    }

    /// Strokes of a stem with so many segments.
    pub fn strokes(&self, segments: usize, leaves: bool) -> usize {
        1 + if leaves && self.leaf > 0.0 { segments * LEAVES } else { 0 }
    }

    /// Shows every stroke of a stem, from its root on; leaves only where they are wanted, else the stem is as broad as they would be.
    pub fn each_stroke(&self, stem: &Stem<'_>, leaves: bool, mut show: impl FnMut(&[Bead])) {
        let points = stem.points;
        if points.len() < 2 || !points.iter().all(|p| p.is_finite()) {
            return;
        }
        let mut beads = [Bead { at: Vec3::ZERO, width: 0.0, colour: [0.0; 3] }; MOST];
        let count = points.len().min(MOST);
        let luck = Luck::of(stem);
        let leafy = self.leaf > 0.0;
        let broad = if leafy && !leaves { 0.5 * self.leaf } else { self.width };
        for (i, bead) in beads.iter_mut().enumerate().take(count) {
            // A long stem is drawn through as many of its points as there is room for.
            let k = i * (points.len() - 1) / (count - 1);
            let along = k as f32 / (points.len() - 1) as f32;
            let taper = if leafy { 1.0 - 0.55 * along } else { 1.0 - 0.86 * along * along };
            *bead = Bead {
                at: points[k],
                width: broad * (0.85 + 0.3 * luck.share(0)) * taper,
                colour: self.colour(stem, k, &luck),
            };
        }
        show(&beads[..count]);
        if leafy && leaves {
            self.each_leaf(stem, &luck, &mut show);
        }
    }

    /// Leaves around a stalk, each turned on from the one below, the upper ones smaller.
    fn each_leaf(&self, stem: &Stem<'_>, luck: &Luck, show: &mut impl FnMut(&[Bead])) {
        let segments = stem.points.len() - 1;
        let across = {
            let turn = std::f32::consts::TAU * luck.share(1);
            Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn))
        };
        for (k, pair) in stem.points.windows(2).enumerate() {
            let along = (pair[1] - pair[0]).normalize_or(Vec3::Y);
            let side = (across - along * across.dot(along)).normalize_or(along.any_orthonormal_vector());
            let other = along.cross(side);
            for i in 0..LEAVES {
                let n = k * LEAVES + i;
                let share = (n as f32 + 0.5) / (segments * LEAVES) as f32;
                // The golden angle leaves no leaf straight above another.
                let (s, c) = libm::sincosf(2.399_963 * n as f32);
                let out = side * c + other * s;
                let root = pair[0].lerp(pair[1], (i as f32 + 0.5) / LEAVES as f32);
                let length = self.leaf * (1.0 - 0.6 * share) * (0.8 + 0.4 * luck.share(2 + n as u64));
                let colour = self.colour(stem, k, luck).map(|v| v * (0.85 + 0.35 * share));
                let bead = |t: f32, width: f32| Bead {
                    at: root + (out + along * (0.55 + 0.25 * t)) * (length * t),
                    width,
                    colour,
                };
                let wide = 0.34 * length;
                show(&[bead(0.0, 0.3 * wide), bead(0.45, wide), bead(0.85, 0.12 * wide)]);
            }
        }
    }

    /// The colour of a stem at its `k`th point.
    fn colour(&self, stem: &Stem<'_>, k: usize, luck: &Luck) -> [f32; 3] {
        let bright = 0.85 + 0.55 * luck.share(8);
        let own = mix(self.green, linear([150, 156, 70]), 0.22 * luck.share(9)).map(|v| v * bright);
        if stem.state.broken {
            // The stump is as worn as a stem can be and still live.
            let hue = if k as u32 >= stem.joints[0] { linear(BROKEN) } else { mix(own, linear(WORN), 0.5) };
            return hue.map(|v| v * (0.8 + 0.3 * luck.share(10)));
        }
        let worn = if stem.state.worn { 0.35 + 0.6 * (1.0 - stem.weakest as f32) } else { 0.0 };
        mix(own, linear(WORN).map(|v| v * bright), worn.min(0.95))
    }
}

/// Most points of a stroke.
const MOST: usize = 24;

/// Whether a plant is among the `share` of all that are kept; the same for every stem of it, and for every window.
pub fn kept(root: [f64; 2], share: f64) -> bool {
    share >= 1.0 || (place_word(root, 0) >> 11) as f64 * (1.0 / (1u64 << 53) as f64) < share
}

fn place_word(root: [f64; 2], counter: u64) -> u64 {
    word(root[0].to_bits() ^ root[1].to_bits().rotate_left(29), Stream::PlantTurn, counter)
}

/// Numbers that are a stem's own.
struct Luck(u64);

impl Luck {
    fn of(stem: &Stem<'_>) -> Self {
        Self(place_word(stem.root, 1 + stem.number as u64))
    }

    /// The `n`th of them, 0 to 1.
    fn share(&self, n: u64) -> f32 {
        (word(self.0, Stream::PlantTurn, n) >> 40) as f32 / (1u32 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::StemState;

    fn stem<'a>(points: &'a [Vec3], state: StemState, whole: u32) -> Stem<'a> {
        Stem {
            patch: 0,
            root: [0.31, 0.74],
            number: 1,
            points,
            state,
            joints: [whole, 4],
            weakest: if state.broken { 0.0 } else { 1.0 },
        }
    }

    fn strokes(foliage: &Foliage, stem: &Stem<'_>) -> Vec<Vec<Bead>> {
        let mut out = Vec::new();
        foliage.each_stroke(stem, true, |beads| out.push(beads.to_vec()));
        out
    }

    #[test]
    fn a_blade_follows_its_line_and_tapers_and_a_clubmoss_has_leaves() {
        let points: Vec<Vec3> = (0..5).map(|i| Vec3::new(0.0, 0.025 * i as f32, 0.0)).collect();
        let upright = stem(&points, StemState::default(), 4);
        let blade = strokes(&Foliage::new(&Species::CAREX_PENSYLVANICA), &upright);
        assert_eq!(blade.len(), 1);
        assert!(blade[0].iter().zip(&points).all(|(bead, p)| bead.at == *p));
        assert!(blade[0][4].width < 0.3 * blade[0][0].width);
        let moss = Foliage::new(&Species::LYCOPODIUM_LUCIDULUM);
        assert_eq!(strokes(&moss, &upright).len(), moss.strokes(4, true));
        assert!(moss.strokes(4, true) > 10);
    }

    #[test]
    fn what_is_broken_is_straw_above_the_break_only() {
        let points: Vec<Vec3> = (0..5).map(|i| Vec3::new(0.0, 0.025 * i as f32, 0.0)).collect();
        let broken = stem(&points, StemState { broken: true, ..StemState::default() }, 2);
        let beads = &strokes(&Foliage::new(&Species::CAREX_PENSYLVANICA), &broken)[0];
        let red = |i: usize| beads[i].colour[0] / beads[i].colour[1];
        assert!(red(3) > 1.2 && red(1) < red(3) - 0.1, "{} {}", red(1), red(3));
        let whole = stem(&points, StemState::default(), 4);
        let green = &strokes(&Foliage::new(&Species::CAREX_PENSYLVANICA), &whole)[0];
        assert!(green[3].colour[1] > 1.2 * green[3].colour[0]);
    }

    #[test]
    fn a_share_of_plants_is_that_share_and_grows_without_swapping() {
        let roots: Vec<[f64; 2]> = (0..4000).map(|i| [0.013 * f64::from(i), 0.7]).collect();
        let count = |share: f64| roots.iter().filter(|r| kept(**r, share)).count();
        assert!((count(0.25) as f64 / 4000.0 - 0.25).abs() < 0.03, "{}", count(0.25));
        assert!(roots.iter().all(|r| !kept(*r, 0.1) || kept(*r, 0.3)));
        assert_eq!(count(1.0), 4000);
    }
}
