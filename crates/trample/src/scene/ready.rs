//! Ready-made animals: sizes and a generated gait, no file.
//!
//! In: which animal, and how fast. Out: one stride of its four feet and its centre of mass. Stride lengths follow the speed as those of
//! all walking animals do, `λ/h = 2.4 (v²/gh)^0.34` (Alexander 1976); which foot follows which is that of the gait; and where a hind
//! foot lands beside the print of the fore foot before it, the overstep, is that of the species, as track guides have it.

use super::animal::{Animal, Stride};
use super::{Path, PuppetSpec, Script, SoleShape};
use crate::params::{Body, Footwear, GRAVITY};
use std::sync::Arc;

/// Samples of a stride.
const SAMPLES: usize = 96;
/// Share of the weight on the fore feet: 60 % in horses, dogs and deer at rest and walking (Biewener 1983 and others).
const FORE: f64 = 0.6;
/// Froude number v²/gh above which four-footed animals trot, and above which they gallop (Alexander & Jayes 1983).
const TROTS: f64 = 0.5;
const GALLOPS: f64 = 2.5;

/// A built-in animal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ready {
    /// A white-tailed or fallow deer.
    Deer,
    /// A riding horse.
    Horse,
    /// A dog of the size of a shepherd.
    Dog,
}

/// Sequence of the four feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gait {
    /// One after the other, hind and fore of a side in turn.
    Walk,
    /// Diagonal pairs together.
    Trot,
    /// Both hind, then both fore feet.
    Gallop,
}

/// Sizes of an animal, m and kg. Within what track guides and breed standards give; the very number is our choice.
struct Sizes {
    /// Height of hip and shoulder joints.
    leg: f64,
    /// From shoulders to hips.
    back: f64,
    mass: f64,
    /// Length and width of a print.
    foot: [f64; 2],
    /// Between left and right prints.
    track: f64,
    /// How far the hind foot lands ahead of the fore foot's print in a walk.
    overstep: f64,
    wear: Footwear,
    speed: f64,
}

impl Ready {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Deer, Self::Horse, Self::Dog];

    /// Its name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deer => "deer",
            Self::Horse => "horse",
            Self::Dog => "dog",
        }
    }

    /// The animal of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.name() == name)
    }

    const fn sizes(self) -> Sizes {
        match self {
            // Prints 5 to 9 cm long and 4 to 7 cm wide, in a narrow line; the hind foot falls on the fore foot's print.
            Self::Deer => Sizes {
                leg: 0.85,
                back: 0.75,
                mass: 65.0,
                foot: [0.070, 0.052],
                track: 0.13,
                overstep: 0.0,
                wear: Footwear::ClovenHoof,
                speed: 1.2,
            },
            // Hooves 11 to 15 cm long; it oversteps by about a hoof.
            Self::Horse => Sizes {
                leg: 1.35,
                back: 1.15,
                mass: 500.0,
                foot: [0.135, 0.125],
                track: 0.25,
                overstep: 0.12,
                wear: Footwear::Hoof,
                speed: 1.6,
            },
            // Prints 7 to 9 cm long; the hind foot falls a little behind and beside the fore foot's.
            Self::Dog => Sizes {
                leg: 0.58,
                back: 0.55,
                mass: 33.0,
                foot: [0.080, 0.072],
                track: 0.12,
                overstep: -0.04,
                wear: Footwear::Paw,
                speed: 1.1,
            },
        }
    }

    /// Speed of its walk, m/s.
    pub fn speed(self) -> f64 {
        self.sizes().speed
    }

    /// Height of its hips, m.
    pub fn leg(self) -> f64 {
        self.sizes().leg
    }

    /// From its shoulders to its hips, m.
    pub fn back(self) -> f64 {
        self.sizes().back
    }

    /// Its gait at a speed, m/s.
    pub fn gait(self, speed: f64) -> Gait {
        let froude = speed * speed / (GRAVITY * self.sizes().leg);
        if froude < TROTS {
            Gait::Walk
        } else if froude < GALLOPS {
            Gait::Trot
        } else {
            Gait::Gallop
        }
    }

    /// Its soles.
    pub fn wear(self) -> Footwear {
        self.sizes().wear
    }

    /// Its dimensions as a puppet.
    pub fn body(self) -> Body {
        let s = self.sizes();
        let [foot_length, foot_width] = s.foot;
        Body {
            height: (1.3 * s.leg).min(3.0),
            mass: s.mass,
            foot_length,
            foot_width,
            ..PuppetSpec::default().body
        }
    }

    /// One stride at a speed, m/s: right hind, left hind, right fore, left fore.
    pub fn stride(self, speed: f64) -> Stride {
        let s = self.sizes();
        let gait = self.gait(speed);
        let froude = speed * speed / (GRAVITY * s.leg);
        let advance = 2.4 * s.leg * libm::pow(froude, 0.34);
        let seconds = advance / speed;
        // Shares of the stride on the ground: walks 0.6 to 0.7, trots below half, gallops a quarter to a third (Alexander 2003).
        let duty = match gait {
            Gait::Walk => 0.65,
            Gait::Trot => 0.45,
            Gait::Gallop => 0.30,
        };
        // No longer than the legs reach: the body goes over a standing foot by 1.2 of their length at most. Our choice.
        let duty = f64::min(duty, 1.2 * s.leg / advance);
        // When the middle of each stance is, in strides: hind right and left, fore right and left. In a walk the hind foot comes after
        // the fore foot of its side by the time the body needs for its own length and the overstep.
        let after = ((s.overstep + s.back) / advance).rem_euclid(1.0);
        let phases = match gait {
            Gait::Walk => [0.5 + after, after, 0.5, 0.0],
            Gait::Trot => [0.0, 0.5, 0.5, 0.0],
            Gait::Gallop => [0.0, 0.1, 0.5, 0.6],
        };
        let lift = 0.12 * s.leg;
        let feet = phases
            .iter()
            .enumerate()
            .map(|(k, &phase)| {
                let (girdle, side) = (if k < 2 { -0.5 } else { 0.5 }, if k % 2 == 0 { 0.5 } else { -0.5 });
                // A foot stands where the joint above it is in the middle of its stance.
                let place = phase * advance + girdle * s.back;
                let track = if gait == Gait::Walk { s.track } else { 0.7 * s.track };
                (0..SAMPLES)
                    .map(|i| {
                        let time = i as f64 / SAMPLES as f64;
                        // Strides since the beginning of the stance nearest before.
                        let since = (time - phase + 0.5 * duty).rem_euclid(1.0);
                        let round = (time - phase + 0.5 * duty).div_euclid(1.0);
                        let from = place + round * advance;
                        if since < duty {
                            return [from as f32, 0.0, (side * track) as f32];
                        }
                        let u = (since - duty) / (1.0 - duty);
                        let eased = u * u * u * (10.0 + u * (6.0 * u - 15.0));
                        let up = lift * libm::sin(std::f64::consts::PI * u);
                        [(from + eased * advance) as f32, up.max(0.026) as f32, (side * track) as f32]
                    })
                    .collect()
            })
            .collect();
        let ahead = (FORE - 0.5) * s.back;
        let centre =
            (0..SAMPLES).map(|i| [(advance * i as f64 / SAMPLES as f64 + ahead) as f32, 0.0]).collect();
        Stride { dt: seconds / SAMPLES as f64, advance, feet, centre }
    }

    /// The animal on a path, at the path's speed.
    pub fn on(self, name: &str, path: Path) -> PuppetSpec {
        let stride = Arc::new(self.stride(path.speed));
        let animal = Animal { path, stride, ready: Some(self), take: String::new(), notes: Vec::new() };
        PuppetSpec {
            name: name.into(),
            body: self.body(),
            sole: SoleShape::Footwear(self.wear()),
            script: Script::Animal(Box::new(animal)),
            ..PuppetSpec::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the prints of a foot are over two strides, m.
    fn prints(stride: &Stride, foot: usize) -> Vec<f32> {
        let mut places: Vec<f32> = stride.feet[foot].iter().filter(|p| p[1] == 0.0).map(|p| p[0]).collect();
        places.dedup();
        places.extend(places.clone().iter().map(|x| x + stride.advance as f32));
        places
    }

    #[test]
    fn strides_are_whole_and_feet_stand_as_long_as_their_gait_says() {
        for ready in Ready::ALL {
            for (speed, gait, duty) in [(ready.speed(), Gait::Walk, 0.65), (2.8, Gait::Trot, 0.45)] {
                let stride = ready.stride(speed);
                assert_eq!((ready.gait(speed), stride.problem()), (gait, None), "{}", ready.name());
                assert!((stride.speed() / speed - 1.0).abs() < 1e-9);
                for foot in &stride.feet {
                    let down = foot.iter().filter(|p| p[1] == 0.0).count() as f64 / SAMPLES as f64;
                    assert!((down - duty).abs() < 0.03, "{} stands {down}", ready.name());
                }
            }
        }
    }

    #[test]
    fn legs_reach_the_feet_that_stand_at_every_speed() {
        for ready in Ready::ALL {
            for speed in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 25.0] {
                let stride = ready.stride(speed);
                for foot in &stride.feet {
                    let down = foot.iter().filter(|p| p[1] == 0.0).count() as f64 / SAMPLES as f64;
                    let over = down * stride.advance / ready.leg();
                    assert!(over < 1.25, "{} at {speed} m/s: over a foot by {over} legs", ready.name());
                    assert!(foot.iter().any(|p| p[1] == 0.0), "{} at {speed} m/s never stands", ready.name());
                }
            }
        }
    }

    #[test]
    fn hind_feet_fall_where_track_guides_have_them() {
        // A deer registers, a horse oversteps, a dog falls a little short.
        for (ready, overstep) in [(Ready::Deer, 0.0), (Ready::Horse, 0.12), (Ready::Dog, -0.04)] {
            let stride = ready.stride(ready.speed());
            for side in 0..2 {
                let (hind, fore) = (prints(&stride, side), prints(&stride, 2 + side));
                let near = hind.iter().flat_map(|h| fore.iter().map(move |f| h - f));
                let own = near.min_by(|a, b| a.abs().total_cmp(&b.abs())).expect("prints");
                assert!((own - overstep).abs() < 0.02, "{}: {own} m", ready.name());
            }
        }
        // A deer's stride of 1.0 to 1.5 m in a walk, a horse's of 1.5 to 2.1 m.
        assert!((1.0..1.5).contains(&Ready::Deer.stride(1.2).advance), "{}", Ready::Deer.stride(1.2).advance);
        assert!(
            (1.5..2.1).contains(&Ready::Horse.stride(1.6).advance),
            "{}",
            Ready::Horse.stride(1.6).advance
        );
    }
}
