//! People of a day: number, arrival times, paths and footfalls.
//!
//! In: the season, the day, lines to walk. Out: footfalls. Every number is a function of seed, day and person, so that any part of a
//! day can be computed by itself.

use crate::atlas::{Atlas, SLOPES, Who, slope_class};
use trample::Base;
use trample::internal::{Stream, normal, uniform, word};
use trample::scene::{Scene, Season, Visitors};

/// One foot on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footfall {
    /// Middle of the sole, x and z, m.
    pub at: [f64; 2],
    /// Where it points.
    pub ahead: [f32; 2],
    /// Which walker's atlas.
    pub who: u16,
    /// Which slope of it.
    pub slope: u8,
    /// Whether it is a left foot.
    pub left: bool,
}

/// A line that people walk, with what their feet need to know of it.
#[derive(Clone, Debug, Default)]
pub struct Line {
    points: Vec<[f64; 2]>,
    /// Way from the beginning to each point, m.
    along: Vec<f64>,
    /// Direction at each point.
    ahead: Vec<[f64; 2]>,
    /// Slope along the line at each point, rise over run.
    slope: Vec<f64>,
}

/// Distance between the points of a line, m.
const POINTS: f64 = 0.5;

impl Line {
    /// A line through corners, on the original ground.
    pub fn new(corners: &[[f64; 2]], base: &Base) -> Self {
        let mut line = Self::default();
        let mut s = 0.0;
        for (k, w) in corners.windows(2).enumerate() {
            let (dx, dz) = (w[1][0] - w[0][0], w[1][1] - w[0][1]);
            let length = (dx * dx + dz * dz).sqrt();
            let n = (length / POINTS).ceil().max(1.0) as usize;
            for i in usize::from(k > 0)..=n {
                let t = i as f64 / n as f64;
                line.points.push([w[0][0] + t * dx, w[0][1] + t * dz]);
                line.along.push(s + t * length);
            }
            s += length;
        }
        let n = line.points.len();
        for i in 0..n {
            // Over a metre to either side corners are rounded as people round them.
            let (a, b) = (line.points[i.saturating_sub(2)], line.points[(i + 2).min(n - 1)]);
            let d = [b[0] - a[0], b[1] - a[1]];
            let length = (d[0] * d[0] + d[1] * d[1]).sqrt().max(1e-9);
            line.ahead.push(d.map(|x| x / length));
            let rise = if matches!(base, Base::Flat) {
                0.0
            } else {
                base.height(b[0], b[1]) - base.height(a[0], a[1])
            };
            line.slope.push(rise / length);
        }
        line
    }

    /// Its length, m.
    pub fn length(&self) -> f64 {
        self.along.last().copied().unwrap_or(0.0)
    }

    /// As few of its points as tell its turns: every other metre, and the last.
    pub fn corners(&self) -> Vec<[f64; 2]> {
        let last = self.points.len().saturating_sub(1);
        (0..=last).filter(|i| i % 4 == 0 || *i == last).map(|i| self.points[i]).collect()
    }

    /// Its points.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Place, direction and slope `s` m from the beginning.
    pub fn place(&self, s: f64) -> ([f64; 2], [f64; 2], f64) {
        self.at(s, &mut self.along.partition_point(|a| *a < s).saturating_sub(1))
    }

    /// Place, direction and slope `s` m from the beginning; `from` is a point before it, kept up.
    fn at(&self, s: f64, from: &mut usize) -> ([f64; 2], [f64; 2], f64) {
        while *from + 2 < self.points.len() && self.along[*from + 1] < s {
            *from += 1;
        }
        let (i, j) = (*from, (*from + 1).min(self.points.len() - 1));
        let span = (self.along[j] - self.along[i]).max(1e-9);
        let t = ((s - self.along[i]) / span).clamp(0.0, 1.0);
        let mix = |a: [f64; 2], b: [f64; 2]| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
        let ahead = mix(self.ahead[i], self.ahead[j]);
        let length = (ahead[0] * ahead[0] + ahead[1] * ahead[1]).sqrt().max(1e-9);
        (
            mix(self.points[i], self.points[j]),
            ahead.map(|x| x / length),
            self.slope[i] + t * (self.slope[j] - self.slope[i]),
        )
    }
}

/// Somebody who walks a line on a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Person {
    /// Trip, or route after all trips.
    pub group: usize,
    /// Whether on the way back.
    pub back: bool,
    /// Kind of noise in what it sees.
    pub kind: usize,
    /// Its own random numbers.
    pub seed: u64,
    /// Length of its steps as a multiple of the recorded walker's.
    pub stride: f64,
    /// When it comes, hours of the day; none where people were counted, who did come.
    pub hour: Option<f64>,
}

/// Between when people come, and when most do, hours of the day: our choice, daylight and the early afternoon.
const COMES: [f64; 3] = [6.0, 14.0, 22.0];

/// The hour at which somebody comes, from a number of 0 to 1: as likely as a triangle is high.
fn hour(u: f64) -> f64 {
    let [first, most, last] = COMES;
    let rising = (most - first) / (last - first);
    match u < rising {
        true => first + (u * (last - first) * (most - first)).sqrt(),
        false => last - ((1.0 - u) * (last - first) * (last - most)).sqrt(),
    }
}

/// Standard deviation of where one who finds its own way walks beside its line, m: our choice, a little more than a walker's pass.
const BESIDE: f64 = 0.12;
/// Scatter of where a pass lies beside where it is meant to, m, as the live walkers'.
const PASS_BESIDE: f64 = 0.03;
/// Scatter of each footfall along and across, m (as the live walkers': Owings & Grabiner 2004).
const ALONG: f64 = 0.011;
const ACROSS: f64 = 0.016;

/// How much people differ in where each foot goes across, m, as the live walkers do.
const PERSON_ACROSS: f64 = 0.01;

/// Standard deviation of the length of steps between people, as a share: within the 5 to 8 % of published means for adults; our choice
/// of 6 %. How the steps of one person differ is [`ALONG`], some 2 % of a step.
const STRIDE: f64 = 0.06;

/// All who walk in a season.
#[derive(Clone, Debug)]
pub struct People {
    season: Season,
    seed: u64,
    /// Walkers that leave different prints.
    pub who: Vec<Who>,
    /// Which of them each group is.
    of_group: Vec<u16>,
}

impl People {
    /// The people of a season.
    pub fn new(scene: &Scene, season: &Season) -> Self {
        let mut who: Vec<Who> = Vec::new();
        let mut of_group = Vec::new();
        for v in groups(season) {
            let one = Who { body: v.walker(), footwear: v.footwear, speed: v.speed };
            let index = who.iter().position(|w| *w == one).unwrap_or_else(|| {
                who.push(one);
                who.len() - 1
            });
            of_group.push(index as u16);
        }
        Self { season: season.clone(), seed: scene.seed, who, of_group }
    }

    /// How many groups there are: trips, then routes.
    pub fn groups(&self) -> usize {
        self.of_group.len()
    }

    /// How many people of a group come on a day.
    pub fn count(&self, group: usize, day: i64) -> u32 {
        let v = groups(&self.season).nth(group).expect("a group");
        if let Some(&counted) = v.visits.get(day as usize) {
            return counted.round() as u32;
        }
        if !v.visits.is_empty() {
            return 0;
        }
        let counter = ((group as u64) << 40) | (day as u64) << 8;
        poisson(
            v.people_per_day,
            |k| uniform(self.seed, Stream::Visit, counter + k),
            normal(self.seed, Stream::Visit, counter),
        )
    }

    /// Everybody of a group on a day.
    pub fn of(&self, group: usize, day: i64) -> Vec<Person> {
        let trips = self.season.trips.len();
        let who = groups(&self.season).nth(group);
        let (back, counted) = who.map_or((false, false), |v| (v.back, !v.visits.is_empty()));
        let mut all = Vec::new();
        for n in 0..self.count(group, day) {
            let counter = ((group as u64) << 48) | ((day as u64) << 24) | u64::from(n);
            let seed = word(self.seed, Stream::Person, counter);
            let kind = (word(seed, Stream::Perception, 0) % crate::ways::KINDS as u64) as usize;
            let stride = 1.0 + STRIDE * normal(seed, Stream::Person, 1).clamp(-2.5, 2.5);
            let hour = (!counted).then(|| hour(uniform(seed, Stream::Visit, 7)));
            for back in [false, true].into_iter().take(1 + usize::from(back)) {
                let own = word(seed, Stream::Visit, u64::from(back));
                let kind = if group < trips { kind } else { 0 };
                all.push(Person { group, back, kind, seed: own, stride, hour });
            }
        }
        all
    }

    /// The footfalls of a person along its line.
    pub fn footfalls(&self, person: &Person, line: &Line, atlases: &[Atlas], out: &mut Vec<Footfall>) {
        let trips = self.season.trips.len();
        let who = self.of_group[person.group];
        let atlas = &atlases[who as usize];
        let length = line.length();
        let (sd, spread) = match person.group.checked_sub(trips) {
            Some(route) => (self.season.routes[route].lateral_sd, 0.0),
            None => (BESIDE, self.season.gates[self.season.trips[person.group].from].radius),
        };
        let seed = person.seed;
        let first = uniform(seed, Stream::PassPhase, 0);
        // Those on routes walk them from end to end and back; which end first differs from person to person.
        let reversed = match person.group >= trips {
            true => person.back != (word(seed, Stream::PassPhase, 1) & 1 == 1),
            false => false,
        };
        let aside = normal(seed, Stream::PassOffset, 0).clamp(-3.0, 3.0);
        let beside = PASS_BESIDE * normal(seed, Stream::PassAside, 0).clamp(-2.5, 2.5);
        let wide = PERSON_ACROSS * normal(seed, Stream::Person, 2).clamp(-2.5, 2.5);
        let start = (uniform(seed, Stream::PassOffset, 9) - 0.5) * 2.0 * spread;
        let (mut from, mut k, mut s) = (0usize, 0u64, 0.0f64);
        let (mut knot, mut ends) = (u64::MAX, [0.0; 2]);
        let mut left = word(seed, Stream::PassPhase, 2) & 1 == 1;
        loop {
            let at = if reversed { length - s } else { s };
            if s > length {
                break;
            }
            if reversed && k == 0 {
                from = line.points.len().saturating_sub(2);
            }
            // Going backwards along the list of points the place before is looked for anew.
            while reversed && from > 0 && line.along[from] > at {
                from -= 1;
            }
            let (p, mut ahead, mut slope) = line.at(at, &mut from);
            if reversed {
                (ahead, slope) = ([-ahead[0], -ahead[1]], -slope);
            }
            let class = slope_class(slope);
            let gait = &atlas.gaits[class];
            let step = person.stride * atlas.step(slope);
            if k == 0 {
                s = first * step;
                k = 1;
                continue;
            }
            // Slow wandering: a smooth curve through one random number every 2 m, as the live walkers' paths have it.
            let here = (s / 2.0) as u64;
            if here != knot {
                let one = |i: u64| normal(seed, Stream::Wander, i).clamp(-3.0, 3.0);
                ends = if knot != u64::MAX && here == knot + 1 {
                    [ends[1], one(here + 1)]
                } else {
                    [one(here), one(here + 1)]
                };
                knot = here;
            }
            let f = s / 2.0 - here as f64;
            let wander = ends[0] + (ends[1] - ends[0]) * f * f * (3.0 - 2.0 * f);
            // Who wanders to a side turns there.
            let wanders = sd * 0.6 * (ends[1] - ends[0]) * 3.0 * f * (1.0 - f);
            let begins = start * (1.0 - s / 5.0).max(0.0);
            let side = if left { -1.0 } else { 1.0 };
            let offset = sd * (0.8 * aside + 0.6 * wander)
                + beside
                + begins
                + side * (0.5 * gait.width + wide)
                + ACROSS * quick_normal(seed, Stream::StepAcross, k);
            let forth = ALONG * quick_normal(seed, Stream::StepAlong, k);
            // To the right of the way is (−z, x).
            let x = p[0] + forth * ahead[0] - offset * ahead[1];
            let z = p[1] + forth * ahead[1] + offset * ahead[0];
            let turn = side * gait.toe_out + wanders;
            let (c, n) = (1.0 - 0.5 * turn * turn, turn);
            let ahead = [(ahead[0] * c - ahead[1] * n) as f32, (ahead[1] * c + ahead[0] * n) as f32];
            out.push(Footfall { at: [x, z], ahead, who, slope: class as u8, left });
            s += step;
            left = !left;
            k += 1;
        }
    }
}

/// A number with mean 0 and standard deviation 1 from one word: the sum of four uniform ones.
fn quick_normal(seed: u64, stream: Stream, counter: u64) -> f64 {
    let w = word(seed, stream, counter);
    let sum: u64 = (0..4).map(|i| (w >> (16 * i)) & 0xffff).sum();
    (sum as f64 / 65_536.0 - 2.0) * 1.732_050_8
}

/// Trips, then routes.
fn groups(season: &Season) -> impl Iterator<Item = &Visitors> {
    season.trips.iter().map(|t| &t.who).chain(season.routes.iter().map(|r| &r.who))
}

/// A Poisson number of a mean, from uniform numbers; from a normal one where the mean is large.
fn poisson(mean: f64, uniform: impl Fn(u64) -> f64, normal: f64) -> u32 {
    if mean > 40.0 {
        return (mean + mean.sqrt() * normal).round().max(0.0) as u32;
    }
    let (limit, mut product) = (libm::exp(-mean), 1.0);
    for n in 0..200 {
        product *= uniform(n + 1);
        if product <= limit {
            return n as u32;
        }
    }
    200
}

/// The steepest slope along lines and over a terrain, rise over run: what an atlas must hold.
pub fn steepest(scene: &Scene) -> f64 {
    let base = &scene.terrain.base;
    if matches!(base, Base::Flat) {
        return 0.0;
    }
    let most = libm::tan((SLOPES[SLOPES.len() - 1] + 3.0).to_radians());
    let n = 64;
    let mut steepest = 0.0f64;
    for i in 0..n {
        for j in 0..n {
            let at = |k: usize, i: usize| (i as f64 + 0.5) / f64::from(n as u32) * scene.terrain.size[k];
            let normal = base.normal(at(0, i), at(1, j), 0.5);
            let flat = f64::from(normal.x * normal.x + normal.z * normal.z).sqrt();
            steepest = steepest.max(flat / f64::from(normal.y).max(1e-3));
        }
    }
    steepest.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_come_in_the_early_afternoon_and_nobody_at_night() {
        let hours: Vec<f64> = (0..=1000).map(|i| hour(f64::from(i) / 1000.0)).collect();
        assert!(hours.is_sorted() && hours[0] == 6.0 && hours[1000] == 22.0);
        let before_noon = hours.iter().filter(|h| **h < 12.0).count();
        assert!((before_noon as f64 / 1001.0 - 36.0 / 128.0).abs() < 2e-3, "{before_noon}");
    }

    #[test]
    fn counts_have_the_mean_and_the_scatter_of_a_poisson_number() {
        for mean in [3.0, 20.0, 90.0] {
            let draw = |i: u64| {
                poisson(mean, |k| uniform(7, Stream::Visit, i * 1000 + k), normal(7, Stream::Visit, i * 1000))
            };
            let all: Vec<f64> = (0..4000).map(|i| f64::from(draw(i))).collect();
            let average = all.iter().sum::<f64>() / 4000.0;
            let spread = all.iter().map(|x| (x - average) * (x - average)).sum::<f64>() / 4000.0;
            assert!((average / mean - 1.0).abs() < 0.04, "{average} for {mean}");
            assert!((spread / mean - 1.0).abs() < 0.1, "{spread} for {mean}");
        }
    }

    /// Where steps changed from one recorded slope to the next, and everybody's were as long, feet fell on the same places again and
    /// again, 20 % more or less often than in the mean.
    #[test]
    fn feet_fall_evenly_along_a_line_whose_slope_changes() {
        let mut scene = trample::scene::library::by_name("hillside").expect("a library scene");
        scene.terrain.base = Base::Hills { amplitude: 3.0, wavelength: 20.0, seed: 3 };
        let season = scene.season.clone().expect("a season");
        let people = People::new(&scene, &season);
        let gait = |i: usize| crate::atlas::Gait {
            step: 0.62 + 0.02 * (3.0 - (i as f64 - 3.0).abs()),
            ..crate::atlas::Gait::default()
        };
        let atlas = Atlas {
            half: [0.2; 2],
            samples: [1; 2],
            extent: [[0.0; 2]; 2],
            gaits: (0..SLOPES.len()).map(gait).collect(),
            prints: Vec::new(),
        };
        let line = Line::new(&season.routes[0].waypoints, &scene.terrain.base);
        let mut falls = Vec::new();
        let mut walks = 0.0;
        for person in (0..200).flat_map(|day| people.of(0, day)) {
            people.footfalls(&person, &line, std::slice::from_ref(&atlas), &mut falls);
            walks += 1.0;
        }
        // In tenths of a metre along the line, which runs along x from 5 m on.
        let mut counts = vec![0.0; 300];
        falls.iter().for_each(|f| counts[((f.at[0] - 5.0) * 10.0).clamp(0.0, 299.0) as usize] += 1.0);
        for (i, w) in counts[20..280].windows(13).enumerate() {
            let mean = w.iter().sum::<f64>() / 13.0;
            let off = w.iter().map(|c| (c / mean - 1.0) * (c / mean - 1.0)).sum::<f64>() / 13.0;
            // A tenth of a metre is met by one walk in six: chance alone scatters by 1/√(walks/6).
            assert!(off.sqrt() < 2.0 / (walks / 6.2f64).sqrt(), "{} m: {}", 7.0 + 0.1 * i as f64, off.sqrt());
        }
        let strides: Vec<f64> = people.of(0, 3).iter().map(|p| p.stride).collect();
        assert!(strides.iter().any(|s| *s > 1.02) && strides.iter().any(|s| *s < 0.98), "{strides:?}");
    }
}
