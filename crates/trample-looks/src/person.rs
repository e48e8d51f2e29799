//! Appearance of people beyond the body that the simulation knows: chosen at random from a seed, all of it our choice,
//! for display only.

use crate::skin::Part;
use trample::World;
use trample::internal::{Stream, uniform};
use trample::params::Body;
use trample::scene::SoleShape;

/// Hair, or what hides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hair {
    /// None but around the ears.
    Bald,
    /// To the nape.
    Short,
    /// To the shoulders.
    Long,
    /// A hat over it, in its own colour.
    Hat,
}

/// Sex, age and clothes of somebody, and the colours of all parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Person {
    /// Whether the trunk is a woman's.
    pub woman: bool,
    /// Years.
    pub age: f32,
    /// Hair.
    pub hair: Hair,
    /// Whether a beard is worn.
    pub beard: bool,
    /// Whether sleeves end above the elbows.
    pub short_sleeves: bool,
    /// Whether trousers end above the knees.
    pub shorts: bool,
    /// Whether a coat reaches over the thighs.
    pub coat: bool,
    /// Whether hands are gloved.
    pub gloves: bool,
    /// Whether dark glasses are worn.
    pub glasses: bool,
    /// Colours of [`Part::ALL`], sRGB.
    pub colours: [[u8; 3]; Part::ALL.len()],
}

impl Default for Person {
    /// Somebody in a blue shirt and long trousers.
    fn default() -> Self {
        Self {
            woman: false,
            age: 35.0,
            hair: Hair::Short,
            beard: false,
            short_sleeves: false,
            shorts: false,
            coat: false,
            gloves: false,
            glasses: false,
            colours: Part::ALL.map(|part| part.row().1),
        }
    }
}

/// Skins from fair to dark.
const SKINS: [[u8; 3]; 6] =
    [[236, 196, 170], [222, 176, 146], [205, 156, 128], [172, 122, 90], [126, 84, 60], [84, 56, 42]];
/// Hair of the young; fair hair goes with fair skin.
const HAIRS: [[u8; 3]; 6] =
    [[196, 158, 96], [150, 104, 62], [112, 66, 38], [74, 54, 42], [44, 34, 30], [26, 22, 22]];
/// Irises and brows: dark, as both are seen from afar.
const IRISES: [[u8; 3]; 3] = [[52, 38, 30], [40, 34, 32], [62, 50, 40]];
const GREY: [u8; 3] = [176, 172, 168];
/// Shirts and jackets that people wear outdoors.
const TOPS: [[u8; 3]; 12] = [
    [64, 112, 138],
    [148, 52, 46],
    [196, 172, 120],
    [72, 96, 62],
    [206, 202, 192],
    [52, 56, 74],
    [178, 104, 48],
    [108, 74, 110],
    [86, 134, 120],
    [120, 116, 110],
    [184, 62, 84],
    [44, 84, 60],
];
/// Coats for the cold: brighter, as those in snow want to be seen.
const COATS: [[u8; 3]; 8] = [
    [176, 44, 40],
    [36, 78, 142],
    [214, 132, 36],
    [60, 102, 76],
    [44, 46, 54],
    [128, 52, 96],
    [206, 186, 60],
    [92, 116, 132],
];
const TROUSERS: [[u8; 3]; 7] =
    [[86, 84, 78], [52, 62, 88], [112, 96, 70], [44, 44, 46], [74, 78, 58], [132, 122, 104], [66, 52, 46]];
const SHOES: [[u8; 3]; 6] =
    [[112, 74, 50], [58, 48, 42], [36, 36, 38], [140, 128, 112], [84, 92, 96], [150, 70, 44]];

/// A colour of a list, a little lighter or darker and off its hue.
fn shade(list: &[[u8; 3]], lot: impl Fn(u64) -> f64, first: u64) -> [u8; 3] {
    let chosen = list[((lot(first) * list.len() as f64) as usize).min(list.len() - 1)];
    let light = 0.82 + 0.32 * lot(first + 1);
    std::array::from_fn(|k| {
        let hue = 0.94 + 0.12 * lot(first + 2 + k as u64);
        (f64::from(chosen[k]) * light * hue).round().clamp(0.0, 255.0) as u8
    })
}

/// A colour of cloth: washed and worn, so `FADED` of the way to the grey of its brightness.
fn cloth(list: &[[u8; 3]], lot: impl Fn(u64) -> f64, first: u64) -> [u8; 3] {
    /// Our choice, by eye under a low sun.
    const FADED: f64 = 0.34;
    let colour = shade(list, lot, first);
    let grey = colour.iter().map(|c| f64::from(*c)).sum::<f64>() / 3.0;
    colour.map(|c| (f64::from(c) + (grey - f64::from(c)) * FADED).round() as u8)
}

impl Person {
    /// Somebody with a body, by lot. In the cold everybody wears a coat, boots and mostly a hat.
    pub fn new(seed: u64, body: &Body, cold: bool) -> Self {
        let lot = |k: u64| uniform(seed ^ 0x7065_7273_6f6e, Stream::Plant, k);
        let child = body.height < 1.45;
        // Tall bodies are mostly men's: 1.70 m is between the means of the sexes.
        let woman = lot(0) < 0.5 - ((body.height - 1.70) * 2.2).clamp(-0.45, 0.45);
        let age = if child { 6.0 + 7.0 * lot(1) } else { 17.0 + 62.0 * lot(1) * lot(1).sqrt() };
        let tone = lot(2);
        let skin = shade(&SKINS[((tone * 6.0) as usize).min(5)..][..1], lot, 3);
        let dark_hair = ((tone * 4.0) as usize).min(4);
        let mut hair = shade(&HAIRS[dark_hair.min(3)..], lot, 8);
        let grey = ((age - 38.0) / 30.0 + 0.5 * (lot(13) - 0.5)).clamp(0.0, 1.0);
        hair = std::array::from_fn(|k| {
            (f64::from(hair[k]) + (f64::from(GREY[k]) - f64::from(hair[k])) * grey).round() as u8
        });
        let style = lot(14);
        let kind = match (cold, woman) {
            (true, _) if style < 0.8 => Hair::Hat,
            (_, true) => {
                if style < 0.62 {
                    Hair::Long
                } else {
                    Hair::Short
                }
            }
            (_, false) if !child && style < 0.008 * (age - 45.0) => Hair::Bald,
            _ if style > 0.9 => Hair::Hat,
            _ => Hair::Short,
        };
        if kind == Hair::Hat {
            hair = cloth(&COATS, lot, 15);
        }
        let top = cloth(if cold { &COATS } else { &TOPS }, lot, 20);
        let (trousers, shoes) = (cloth(&TROUSERS, lot, 26), shade(&SHOES, lot, 32));
        Self {
            woman,
            age: age as f32,
            hair: kind,
            beard: !woman && !child && lot(38) < 0.3,
            short_sleeves: !cold && lot(39) < 0.45,
            shorts: !cold && lot(40) < 0.3,
            coat: cold || lot(41) < 0.12,
            gloves: cold && lot(42) < 0.85,
            glasses: lot(43) < if cold { 0.4 } else { 0.12 },
            colours: [
                skin,
                hair,
                top,
                trousers,
                shoes,
                shade(&[Part::Sole.row().1], lot, 44),
                Part::Eye.row().1,
                shade(&IRISES, lot, 50),
                // Redder than the skin, and darker.
                std::array::from_fn(|k| ([0.82, 0.66, 0.68][k] * f64::from(skin[k])) as u8),
            ],
        }
    }

    /// A walker of a world: the same whenever it is looked at, and no two alike. None for a puppet without a body.
    pub fn of(world: &World, id: usize) -> Option<Self> {
        let spec = world.scene().puppets.get(id)?;
        // Snow is what a foot crushes.
        let cold = world.scene().terrain.materials[0].material.natural.crush_density > 0.0;
        let mut person = Self::new(world.scene().seed ^ (id as u64) << 32, &spec.body, cold);
        // What is on the feet is the simulation's to say.
        if spec.sole == SoleShape::Footwear(trample::Footwear::Bare) {
            person.colours[Part::Shoe as usize] = person.colours[Part::Skin as usize];
            person.colours[Part::Sole as usize] = person.colours[Part::Skin as usize];
        }
        Some(person)
    }

    /// The colour of a part, sRGB.
    pub fn colour(&self, part: Part) -> [u8; 3] {
        self.colours[part as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_hundred_people_no_two_are_alike_and_each_stays_as_it_is() {
        let body = Body::default();
        let crowd: Vec<Person> = (0..100).map(|k| Person::new(k << 32, &body, false)).collect();
        for (i, person) in crowd.iter().enumerate() {
            assert!(!crowd[..i].contains(person), "{i}: {person:?}");
            assert_eq!(*person, Person::new((i as u64) << 32, &body, false));
        }
        let share = |of: fn(&Person) -> bool| crowd.iter().filter(|p| of(p)).count();
        assert!((20..80).contains(&share(|p| p.woman)));
        assert!((10..70).contains(&share(|p| p.short_sleeves)));
        assert!(share(|p| p.hair == Hair::Long) > 10 && share(|p| p.beard) > 3);
    }

    #[test]
    fn in_the_cold_people_are_dressed_for_it() {
        let body = Body::default();
        for k in 0..100 {
            let person = Person::new(k, &body, true);
            assert!(person.coat && !person.shorts && !person.short_sleeves, "{person:?}");
        }
    }

    #[test]
    fn children_are_young_and_have_no_beards() {
        let child = Body { height: 1.2, ..Body::default() };
        for k in 0..100 {
            let person = Person::new(k, &child, false);
            assert!(person.age < 14.0 && !person.beard && person.hair != Hair::Bald);
        }
    }
}
