//! Sounds of footsteps, computed from what happened: the ground, the sole, the force. Nothing is recorded.
//!
//! In: a footfall. Out: samples. A footfall is a thud (the ground as a damped resonator), a crowd of grains that give way one after the
//! other (decaying resonances at random times, as in Cook's PhISEM, 1997), and where the ground is wet bubbles that close when the foot
//! comes out, each at the pitch of its size (Minnaert 1933). Levels, pitches and times are our choice, by ear's plausibility and not
//! measured. Nothing here touches the state of a world.

use trample::internal::{Stream, uniform};
use trample::{Footwear, Material};

/// Samples in a second.
pub const RATE: u32 = 44_100;
/// Longest sound of a footfall, s.
const LONGEST: f32 = 0.45;
/// Minnaert's product of pitch and radius of a bubble of air in water, Hz·m.
const MINNAERT: f32 = 3.26;

/// A foot that came down or went up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footfall<'a> {
    /// The ground under it.
    pub ground: &'a Material,
    /// What it wears.
    pub footwear: Footwear,
    /// Largest force, in weights of the body.
    pub force: f32,
    /// Cover of plants where it trod, 0..1.
    pub plants: f32,
    /// Whether it went up.
    pub lift: bool,
    /// Which footfall: no two sound alike.
    pub count: u64,
}

/// What grains of a ground sound like.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grains {
    /// How many in a second of the footfall's first moment.
    rate: f32,
    /// Pitch, Hz; each grain lies within a third of it.
    pitch: f32,
    /// Time in which a grain dies away, s.
    decay: f32,
    /// Time over which they go on, s.
    span: f32,
    /// Level of one.
    level: f32,
}

impl Footfall<'_> {
    /// The grains that give way, and how loud the thud is.
    fn voice(&self) -> (Grains, f32) {
        let ground = self.ground;
        let (grains, thud) = if ground.natural.crush_density > 0.0 {
            // Crystals break: many, bright, for as long as the snow gives way.
            (Grains { rate: 1400.0, pitch: 3200.0, decay: 0.0016, span: 0.22, level: 0.16 }, 0.12)
        } else if ground.preset.contains("sand") {
            (Grains { rate: 3600.0, pitch: 5200.0, decay: 0.0005, span: 0.20, level: 0.12 }, 0.08)
        } else {
            (Grains { rate: 260.0, pitch: 2400.0, decay: 0.0012, span: 0.10, level: 0.12 }, 0.55)
        };
        // Water binds grains and lets the ground swallow the blow.
        let dry = 1.0 - ground.moisture as f32;
        (Grains { level: grains.level * (0.15 + 0.85 * dry), ..grains }, thud * (0.5 + 0.5 * dry))
    }

    /// How hard the sole is: what it passes on of the blow.
    fn hardness(&self) -> f32 {
        match self.footwear {
            Footwear::Bare | Footwear::Paw => 0.45,
            Footwear::Boot | Footwear::HighHeel | Footwear::Hoof | Footwear::ClovenHoof => 1.25,
            _ => 1.0,
        }
    }

    /// The sound of it: one channel at [`RATE`], between −1 and 1, silent at both ends.
    pub fn samples(&self) -> Vec<f32> {
        let lot = |k: u64| uniform(0x736f_756e, Stream::Plant, 4096 * self.count + k) as f32;
        let mut sound = vec![0.0; (LONGEST * RATE as f32) as usize];
        let loud = (self.force / 1.1).clamp(0.2, 2.5) * if self.lift { 0.35 } else { 1.0 };
        let (grains, thud) = self.voice();
        if !self.lift {
            // Softer ground has the lower and the longer thud.
            let pitch = (55.0 + 22.0 * self.hardness()) * (0.94 + 0.12 * lot(1));
            ring(&mut sound, 0.0, pitch, 0.030, thud * self.hardness() * loud);
            // What the sole itself adds: a click of a hard one.
            ring(&mut sound, 0.0, 900.0 * self.hardness(), 0.004, 0.10 * thud * self.hardness() * loud);
        }
        let mut next = 8;
        let mut crowd = |g: Grains, loud: f32| {
            let count = (g.rate * g.span * loud.min(1.5) * 0.5) as u64;
            for k in 0..count {
                let [when, pitch, level] = [0, 1, 2].map(|i| lot(next + 3 * k + i));
                // Fewer and fewer: the load comes on quickly and is then carried.
                let at = g.span * when * when;
                ring(
                    &mut sound,
                    at,
                    g.pitch * (0.67 + 0.66 * pitch),
                    g.decay,
                    g.level * loud * (0.2 + 0.8 * level),
                );
            }
            next += 3 * count;
        };
        crowd(grains, loud);
        // Leaves and stems brush past.
        let rustle = Grains {
            rate: 1600.0,
            pitch: 6500.0,
            decay: 0.0004,
            span: 0.30,
            level: 0.06 * self.plants.clamp(0.0, 1.0),
        };
        if rustle.level > 0.0 {
            crowd(rustle, loud.max(0.6));
        }
        let wet = self.ground.moisture as f32;
        if self.lift && wet > 0.4 {
            for k in 0..(14.0 * wet) as u64 {
                let [when, size, level] = [0, 1, 2].map(|i| lot(3000 + 3 * k + i));
                let radius = 0.003 + 0.007 * size;
                ring(&mut sound, 0.18 * when, MINNAERT / radius, 0.016, 0.16 * wet * (0.3 + 0.7 * level));
            }
        }
        // Bounded without a corner, and faded out.
        let end = sound.len() as f32;
        for (i, x) in sound.iter_mut().enumerate() {
            let left = (1.0 - i as f32 / end) / 0.1;
            *x = libm::tanhf(*x) * left.min(1.0);
        }
        sound
    }
}

/// Adds a resonance that begins at `at` s and dies away.
fn ring(sound: &mut [f32], at: f32, pitch: f32, decay: f32, level: f32) {
    let rate = RATE as f32;
    let begin = (at * rate) as usize;
    let length = (7.0 * decay * rate) as usize;
    // The rotation of one sample, and what is left after it: no sine is taken in the loop.
    let (sin, cos) = libm::sincosf(std::f32::consts::TAU * pitch / rate);
    let left = libm::expf(-1.0 / (decay * rate));
    let (mut re, mut im) = (level, 0.0);
    for x in sound.iter_mut().skip(begin).take(length) {
        *x += im;
        (re, im) = (left * (re * cos - im * sin), left * (re * sin + im * cos));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footfall(ground: &Material) -> Footfall<'_> {
        Footfall { ground, footwear: Footwear::Shoe, force: 1.1, plants: 0.0, lift: false, count: 1 }
    }

    /// Energy, and the mean pitch by crossings of zero, Hz.
    fn heard(samples: &[f32]) -> (f32, f32) {
        let energy: f32 = samples.iter().map(|x| x * x).sum();
        let loud: Vec<f32> = samples.iter().copied().filter(|x| x.abs() > 1e-4).collect();
        let crossings = loud.windows(2).filter(|w| w[0] * w[1] < 0.0).count();
        (energy, crossings as f32 * RATE as f32 / (2.0 * loud.len() as f32))
    }

    #[test]
    fn every_footfall_is_bounded_and_ends_in_silence() {
        for preset in trample::params::material::PRESETS {
            for lift in [false, true] {
                let step = Footfall { force: 3.0, plants: 1.0, lift, ..footfall(&preset.material) };
                let samples = step.samples();
                assert!(samples.iter().all(|x| x.abs() <= 1.0), "{}", preset.name);
                assert!(samples[samples.len() - 20..].iter().all(|x| x.abs() < 0.01), "{}", preset.name);
                assert!(heard(&samples).0 > 0.0 || lift, "{}", preset.name);
            }
        }
    }

    #[test]
    fn grounds_sound_apart_and_hard_steps_louder() {
        let [soil, snow, sand] = [Material::SOIL, Material::SNOW, Material::DRY_SAND];
        let pitch = |ground: &Material| heard(&footfall(ground).samples()).1;
        assert!(pitch(&snow) > 2.0 * pitch(&soil), "{} {}", pitch(&snow), pitch(&soil));
        assert!(pitch(&sand) > 1.2 * pitch(&snow), "{} {}", pitch(&sand), pitch(&snow));
        let loud = |force: f32, footwear| heard(&Footfall { force, footwear, ..footfall(&soil) }.samples()).0;
        assert!(loud(2.4, Footwear::Shoe) > 2.0 * loud(1.1, Footwear::Shoe));
        assert!(loud(1.1, Footwear::Boot) > 1.5 * loud(1.1, Footwear::Bare));
    }

    #[test]
    fn mud_gurgles_when_a_foot_comes_out_and_dry_soil_does_not() {
        let lifted = |ground: &Material| heard(&Footfall { lift: true, ..footfall(ground) }.samples()).0;
        assert!(lifted(&Material::MUD) > 5.0 * lifted(&Material::SOIL));
    }

    #[test]
    fn no_two_footfalls_sound_alike_and_each_sounds_the_same_again() {
        let first = footfall(&Material::SNOW);
        assert_eq!(first.samples(), first.samples());
        assert_ne!(first.samples(), Footfall { count: 2, ..first }.samples());
    }
}
