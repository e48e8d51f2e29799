//! Animals on four legs: their feet, their contacts, and how four feet share a body's force.
//!
//! In: a file whose limbs stand in two pairs below a level back. Out: for each take the places of the feet, their contacts,
//! the path of the body and the force on every foot.

use super::mapping::Looks;
use super::names::words;
use super::source::{Layout, Local, Source};
use super::space::{self, Space};
use super::topology::Pair;
use std::path::Path;
use trample::body::share::shares;
use trample::clips::force;
use trample::glam::{DVec3, Vec3};
use trample::imported::contacts;
use trample::imported::contacts::Rule;
use trample::params::Sole;

/// Names of the feet, in the order of all lists here.
pub const FEET: [&str; 4] = ["hind left", "hind right", "fore left", "fore right"];
/// Share of the weight on the fore legs of a standing animal: horses and dogs carry about 60 % in front. Our choice for all.
const FORE: f64 = 0.6;

/// A body that stays within this share of its leg has not gone anywhere; feet that swing by less do not walk; and a foot within this
/// share of its lift above its lowest place is low. Our choice.
const STAYS: f32 = 0.4;
const SWINGS: f32 = 0.12;
const LOW: f32 = 0.25;
/// A foot that stands and rises by less than this share of the leg stands on. Our choice.
const STILL_LOW: f32 = 0.02;
/// One that is low and goes ahead slower than this share of the body's speed stands on. Our choice.
const EASED: f32 = 0.8;

/// Animals and the height of their hips, m: middle sizes of common kinds, from field guides and breed standards.
const HEIGHTS: [(&str, f32); 103] = [
    ("horse", 1.35),
    ("pony", 1.0),
    ("donkey", 1.0),
    ("zebra", 1.2),
    ("cow", 1.25),
    ("bull", 1.35),
    ("ox", 1.35),
    ("bison", 1.6),
    ("deer", 0.85),
    ("stag", 1.0),
    ("elk", 1.3),
    ("moose", 1.7),
    ("alpaca", 0.85),
    ("llama", 1.05),
    ("camel", 1.8),
    ("goat", 0.6),
    ("sheep", 0.6),
    ("pig", 0.6),
    ("boar", 0.75),
    ("husky", 0.55),
    ("shiba", 0.35),
    ("dog", 0.55),
    ("wolf", 0.7),
    ("fox", 0.37),
    ("cat", 0.25),
    ("lion", 0.9),
    ("tiger", 0.85),
    ("bear", 0.85),
    ("giraffe", 2.0),
    ("elephant", 2.4),
    ("trex", 3.0),
    ("rex", 3.0),
    ("raptor", 0.6),
    ("velociraptor", 0.5),
    ("ostrich", 1.2),
    ("chicken", 0.2),
    ("buffalo", 1.4),
    ("gazelle", 0.65),
    ("antelope", 0.8),
    ("impala", 0.8),
    ("reindeer", 0.95),
    ("caribou", 1.0),
    ("ram", 0.65),
    ("lamb", 0.4),
    ("foal", 0.9),
    ("mule", 1.3),
    ("rhino", 1.4),
    ("rhinoceros", 1.4),
    ("hippo", 1.2),
    ("hippopotamus", 1.2),
    ("mammoth", 2.7),
    ("tricera", 1.9),
    ("triceratops", 1.9),
    ("stego", 2.2),
    ("stegosaurus", 2.2),
    ("hound", 0.6),
    ("puppy", 0.25),
    ("corgi", 0.25),
    ("pug", 0.28),
    ("coyote", 0.5),
    ("jackal", 0.4),
    ("hyena", 0.7),
    ("lynx", 0.6),
    ("jaguar", 0.65),
    ("leopard", 0.62),
    ("panther", 0.62),
    ("puma", 0.65),
    ("cougar", 0.65),
    ("cheetah", 0.72),
    ("kitten", 0.12),
    ("panda", 0.7),
    ("badger", 0.25),
    ("skunk", 0.15),
    ("raccoon", 0.25),
    ("otter", 0.2),
    ("rabbit", 0.18),
    ("hare", 0.25),
    ("rat", 0.06),
    ("mouse", 0.03),
    ("hamster", 0.04),
    ("squirrel", 0.1),
    ("monkey", 0.45),
    ("alligator", 0.3),
    ("crocodile", 0.4),
    ("lizard", 0.05),
    ("turtle", 0.12),
    ("tortoise", 0.2),
    ("frog", 0.05),
    ("tyranno", 3.0),
    ("tyrannosaurus", 3.0),
    ("allosaurus", 2.2),
    ("emu", 1.0),
    ("flamingo", 0.7),
    ("turkey", 0.4),
    ("goose", 0.25),
    ("duck", 0.15),
    ("hen", 0.2),
    ("rooster", 0.25),
    ("crow", 0.15),
    ("pigeon", 0.1),
    ("eagle", 0.25),
    ("parrot", 0.12),
    ("penguin", 0.25),
];

/// Units of files that do not say which animal they hold, and how sure they are. Our choice.
const UNITS: [(f32, &str, f32); 3] =
    [(0.01, "centimetres", 0.75), (0.001, "millimetres", 0.6), (1.0, "metres", 0.6)];

/// The height of the hips of the animal that a file's name, or the names in it, say it holds.
fn known_height(source: &Source, path: &Path) -> Option<f32> {
    let text =
        |part: Option<&std::ffi::OsStr>| part.map_or(String::new(), |s| s.to_string_lossy().into_owned());
    // A collection may have a folder for each animal.
    let (stem, folder) = (text(path.file_stem()), text(path.parent().and_then(Path::file_name)));
    let joints = source.joints.iter().map(|j| j.name.as_str()).take(200);
    let all = std::iter::once(stem.as_str()).chain(joints).chain([folder.as_str()]);
    all.into_iter().find_map(|name| {
        let words = words(name);
        HEIGHTS
            .iter()
            .find(|(kind, _)| words.iter().any(|w| w.trim_end_matches(char::is_numeric) == *kind))
            .map(|k| k.1)
    })
}

/// Where two feet stand in the mean, seen from the centre of mass.
fn mean_place(feet: &[[Vec3; 4]], contacts: &[[bool; 4]], centre: &[Vec3], pair: [usize; 2]) -> Option<Vec3> {
    let (mut sum, mut count) = (Vec3::ZERO, 0);
    for k in pair {
        for i in (0..feet.len()).filter(|&i| contacts[i][k]) {
            sum += feet[i][k] - centre[i];
            count += 1;
        }
    }
    (count > 0).then(|| sum / count as f32)
}

/// How often the place of the centre of mass is halved between half a body behind and half a body ahead.
const HALVINGS: usize = 16;

/// Share of the weight on the fore feet with the centre of mass moved by `shift`, mean of the frames at which a foot stands.
fn fore_share(feet: &[[Vec3; 4]], contacts: &[[bool; 4]], centre: &[Vec3], shift: Vec3) -> f32 {
    let flat = |p: Vec3| [f64::from(p.x), f64::from(p.z)];
    let (mut sum, mut frames) = (0.0, 0.0);
    for i in 0..feet.len() {
        let down: Vec<usize> = (0..4).filter(|&k| contacts[i][k]).collect();
        let at: Vec<[f64; 2]> = down.iter().map(|&k| flat(feet[i][k])).collect();
        let shares = shares(&at, flat(centre[i] + shift));
        sum += down.iter().zip(shares).filter(|(k, _)| **k >= 2).map(|(_, share)| share).sum::<f64>();
        frames += f64::from(u8::from(!down.is_empty()));
    }
    (sum / f64::max(frames, 1.0)) as f32
}

/// A four-footed body.
#[derive(Clone, Debug)]
pub struct FourFooted {
    /// Joints of each leg from the trunk down, in the order of [`FEET`]; fore legs that do not walk are empty.
    pub legs: [Vec<usize>; 4],
    /// Which way it looks at rest, in our world.
    pub ahead: Vec3,
    /// Joint that carries the hind legs.
    pub pelvis: usize,
    /// Joint that carries the fore legs.
    pub chest: usize,
    /// Units and axes.
    pub space: Space,
    /// Height of the pelvis above the feet, m.
    pub leg: f32,
    /// Mass, kg.
    pub mass: f64,
    /// Legs of an insect or a spider beside the four whose feet are followed.
    pub more_legs: usize,
}

/// A take of such a body at even times.
#[derive(Clone, Debug)]
pub struct FourFootedMotion {
    /// Its name.
    pub name: String,
    /// Time between frames, s.
    pub dt: f64,
    /// Feet, m; the ground is at 0.
    pub feet: Vec<[Vec3; 4]>,
    /// Whether they stand.
    pub contacts: Vec<[bool; 4]>,
    /// Centre of mass, m.
    pub centre: Vec<Vec3>,
    /// Force of each foot on the ground, N.
    pub forces: Vec<[Vec3; 4]>,
    /// Height of the ground in the file, mean of the feet's, m.
    pub level: f32,
    /// What was added to feet and centre of a motion that walks on the spot, m; empty if it goes by itself.
    pub travel: Vec<Vec3>,
    /// Height of the end of each leg above the ground when it stands, m.
    pub stands: [f32; 4],
    /// How many feet it walks on: 2 or 4.
    pub walks: usize,
}

impl FourFooted {
    pub(super) fn new(
        source: &Source,
        looks: &Looks,
        hind: &Pair,
        fore: Option<&Pair>,
        (ahead, up): (Vec3, Vec3),
        mass: Option<f64>,
        (path, given): (&Path, Option<f32>),
    ) -> Self {
        let pose = looks.moving.get(looks.moving.len() / 2).unwrap_or(&looks.rest);
        let right = ahead.cross(up);
        let sided = |pair: &Pair| {
            let [a, b] = &pair.chains;
            let across = (pose.places[b[0]] - pose.places[a[0]]).dot(right);
            if across < 0.0 { [b.clone(), a.clone()] } else { [a.clone(), b.clone()] }
        };
        let ([a, b], [c, d]) = (sided(hind), fore.map_or([Vec::new(), Vec::new()], sided));
        let legs = [a, b, c, d];
        // Hips above the lower hind foot, most of the time: one that gallops has both in the air now and then.
        let poses =
            if looks.moving.is_empty() { std::slice::from_ref(&looks.rest) } else { &looks.moving[..] };
        let above = |p: &Layout| {
            let feet = legs[..2].iter().filter_map(|l| l.last()).map(|&j| p.places[j].dot(up));
            p.places[hind.from].dot(up) - feet.fold(f32::MAX, f32::min)
        };
        let mut heights: Vec<f32> = poses.iter().map(above).collect();
        heights.sort_unstable_by(f32::total_cmp);
        let height = heights[heights.len() * 4 / 5].abs();
        // A file that says which animal it holds says how large that is; else metres if that makes sense at all, else the unit that
        // makes it a dog.
        let (unit, unit_name, sure) = match (given, known_height(source, path)) {
            (Some(unit), _) => (unit, "units of the map file", 1.0),
            (None, Some(own)) if (own / 1.7..own * 1.7).contains(&height) => (1.0, "metres", 1.0),
            (None, Some(own)) if (own / 1.7..own * 1.7).contains(&(0.01 * height)) => {
                (0.01, "centimetres", 1.0)
            }
            (None, Some(own)) => (own / height.max(1e-9), "units of its own, as large as its name says", 0.9),
            (None, None) if (0.12..2.2).contains(&height) => (1.0, "metres", 0.9),
            // Animals are of all sizes between a cat's and an elephant's: the first unit in use that makes it one of them.
            (None, None) => UNITS
                .into_iter()
                .find(|(unit, ..)| (0.12..3.5).contains(&(unit * height)))
                .unwrap_or_else(|| space::unit(1.4 * height, source.format)),
        };
        let space = Space { up, turn: space::upright(up), unit, unit_name, sure: sure.min(0.9) };
        let leg = height * unit;
        // 35 kg at 0.6 m, as a large dog, and with the cube of size: our choice.
        let size = f64::from(leg) / 0.6;
        let mass = mass.unwrap_or(35.0 * size * size * size);
        let chest = fore.map_or(hind.from, |f| f.from);
        let ahead = (space.turn * ahead).with_y(0.0).normalize_or(Vec3::X);
        Self { legs, ahead, pelvis: hind.from, chest, space, leg, mass, more_legs: 0 }
    }

    /// How many feet it walks on: 2 or 4.
    pub fn feet(&self) -> usize {
        if self.legs[2].is_empty() { 2 } else { 4 }
    }

    /// What to say of legs that are not followed; none if all are.
    pub fn note(&self) -> Option<String> {
        let all = 4 + self.more_legs;
        (self.more_legs > 0)
            .then(|| format!("{all} legs: the feet of the foremost and the hindmost pair press the ground"))
    }

    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        if self.feet() == 2 { "two-footed" } else { "four-footed" }
    }

    /// The legs that it walks on, with their names.
    pub fn named_legs(&self) -> impl Iterator<Item = (&'static str, &[usize])> {
        let names: &[&'static str] = if self.feet() == 2 { &["left", "right"] } else { &FEET };
        names.iter().copied().zip(self.legs.iter().map(Vec::as_slice))
    }

    /// The motions of a file.
    pub fn motions(&self, source: &Source) -> Vec<FourFootedMotion> {
        source.takes.iter().map(|take| self.motion(source, take)).collect()
    }

    fn motion(&self, source: &Source, take: &super::source::Take) -> FourFootedMotion {
        let (mut locals, mut layout): (Vec<Local>, Layout) = (Vec::new(), Layout::default());
        let place = |p: Vec3| self.space.turn * (p * self.space.unit);
        let (mut feet, mut centre) = (Vec::with_capacity(take.frames), Vec::with_capacity(take.frames));
        for frame in 0..take.frames {
            source.pose(take, frame, &mut locals);
            source.lay(&locals, &mut layout);
            feet.push([0, 1, 2, 3].map(|k| {
                let Some(&last) = self.legs[k].last() else { return Vec3::ZERO };
                place(source.tip(last, &layout).unwrap_or(layout.places[last]))
            }));
            let (pelvis, chest) = (place(layout.places[self.pelvis]), place(layout.places[self.chest]));
            centre.push(pelvis.lerp(chest, FORE as f32));
        }
        let mut tracks: Vec<Vec<Vec3>> =
            (0..self.feet()).map(|k| feet.iter().map(|f: &[Vec3; 4]| f[k]).collect()).collect();
        let travel = self.travel(&tracks, &centre, take.dt);
        for (i, shift) in travel.iter().enumerate() {
            centre[i] += *shift;
            feet[i].iter_mut().for_each(|p| *p += *shift);
            tracks.iter_mut().for_each(|track| track[i] += *shift);
        }
        // Fore and hind feet may end in different joints, a hoof's tip and a wrist: each has its own level.
        let mut contacts = vec![[false; 4]; feet.len()];
        let mut levels = [0.0; 4];
        for (k, track) in tracks.iter().enumerate() {
            let (level, down) = self.stances(track, &centre, take.dt);
            for (contact, on) in contacts.iter_mut().zip(down) {
                contact[k] = on;
            }
            feet.iter_mut().for_each(|f| f[k].y -= level);
            levels[k] = level;
        }
        let ground = self
            .ground(source, take, &contacts)
            .unwrap_or_else(|| levels[..self.feet()].iter().sum::<f32>() / self.feet() as f32);
        let stands = levels.map(|level| level - ground);
        // The weight lies over the feet as the feet carry it.
        let (hind, fore) =
            (mean_place(&feet, &contacts, &centre, [0, 1]), mean_place(&feet, &contacts, &centre, [2, 3]));
        if let (Some(hind), Some(fore)) = (hind, fore) {
            // Only along the body: it sways over its feet by itself.
            let along = (fore - hind).with_y(0.0);
            let (mut back, mut ahead) = (-1.0, 1.0);
            for _ in 0..HALVINGS {
                let shift = 0.5 * (back + ahead);
                let share = fore_share(&feet, &contacts, &centre, along * shift);
                (back, ahead) = if f64::from(share) < FORE { (shift, ahead) } else { (back, shift) };
            }
            let shift = along * (0.5 * (back + ahead));
            centre.iter_mut().for_each(|c| *c += shift);
        }
        let forces = self.forces(&feet, &contacts, &centre, take.dt);
        FourFootedMotion {
            name: take.name.clone(),
            dt: take.dt,
            feet,
            contacts,
            centre,
            forces,
            level: ground,
            travel,
            stands,
            walks: self.feet(),
        }
    }

    /// The way that a motion on the spot lacks: feet that are low are carried back by the ground. Empty where the body goes by itself,
    /// or its feet do not walk.
    fn travel(&self, tracks: &[Vec<Vec3>], centre: &[Vec3], dt: f64) -> Vec<Vec3> {
        let n = centre.len();
        let (mut low, mut high) = (Vec3::MAX, Vec3::MIN);
        for c in centre {
            (low, high) = (low.min(*c), high.max(*c));
        }
        if n < 6 || (high - low).with_y(0.0).length() > STAYS * self.leg {
            return Vec::new();
        }
        let mut back = Vec::new();
        for track in tracks {
            let heights: Vec<f32> = track.iter().map(|p| p.y).collect();
            let (least, most) = heights.iter().fold((f32::MAX, f32::MIN), |(a, b), &y| (a.min(y), b.max(y)));
            let swing = track.iter().zip(centre).map(|(p, c)| (*p - *c).with_y(0.0));
            let (mut near, mut far) = (Vec3::MAX, Vec3::MIN);
            for s in swing {
                (near, far) = (near.min(s), far.max(s));
            }
            if (far - near).length() < SWINGS * self.leg {
                return Vec::new();
            }
            for i in 0..n {
                let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
                let v = (track[b] - track[a]).with_y(0.0) / ((b - a) as f64 * dt) as f32;
                if heights[i] < least + LOW * (most - least).max(0.02 * self.leg) {
                    back.push(v);
                }
            }
        }
        // Along the body; those that are carried fastest are planted, others have not been caught by the ground yet.
        let way = back.iter().sum::<Vec3>().normalize_or_zero();
        let mut speeds: Vec<f32> = back.iter().map(|v| v.dot(way)).filter(|&v| v > 0.0).collect();
        speeds.sort_unstable_by(f32::total_cmp);
        let Some(&speed) = speeds.get(speeds.len() * 3 / 5) else { return Vec::new() };
        if f64::from(speed) < 0.05 {
            return Vec::new();
        }
        (0..n).map(|i| -way * (speed * (i as f64 * dt) as f32)).collect()
    }

    /// Height of a foot that stands, and when it does: while it is low and slow against the body.
    fn stances(&self, track: &[Vec3], centre: &[Vec3], dt: f64) -> (f32, Vec<bool>) {
        let n = track.len();
        let rule = Rule::for_leg(self.leg);
        let gone = centre[n - 1].distance(centre[0]) / ((n - 1).max(1) as f64 * dt) as f32;
        let (least, most) = track.iter().fold((f32::MAX, f32::MIN), |(a, b), p| (a.min(p.y), b.max(p.y)));
        let slow = rule.slow.max(0.45 * gone);
        let below = least + (LOW * (most - least)).max(rule.low);
        let speeds = contacts::speeds(track, dt);
        let mut down: Vec<bool> = (0..n).map(|i| speeds[i] < slow && track[i].y < below).collect();
        if !down.contains(&true) && gone > rule.slow {
            // Nothing was slow for long enough to be seen: the lowest moment is a stance.
            let lowest = (0..n).min_by(|&a, &b| track[a].y.total_cmp(&track[b].y)).unwrap_or(0);
            let wide = ((0.04 / dt).round() as usize).max(1);
            (lowest.saturating_sub(wide)..(lowest + wide + 1).min(n)).for_each(|i| down[i] = true);
        }
        // A foot that has stood stands until it lifts or goes ahead with the body, however an animator eased its way back.
        let stays = least + (STILL_LOW * self.leg).min(LOW * (most - least));
        let on = |i: usize| track[i].y < stays || track[i].y < below && speeds[i] < (EASED * gone).max(slow);
        for i in 1..n {
            down[i] |= down[i - 1] && on(i);
        }
        for i in (1..n).rev() {
            down[i - 1] |= down[i] && on(i - 1);
        }
        let mut heights: Vec<f32> = (0..n).filter(|&i| down[i]).map(|i| track[i].y).collect();
        heights.sort_unstable_by(f32::total_cmp);
        (heights.get(heights.len() / 2).copied().unwrap_or(least), down)
    }

    /// Height of the ground below a take by the skin of its standing feet, in our world, m.
    fn ground(&self, source: &Source, take: &super::source::Take, contacts: &[[bool; 4]]) -> Option<f32> {
        if source.vertices.is_empty() {
            return None;
        }
        let feet: Vec<Vec<super::source::Vertex>> = (0..4).map(|k| self.foot_vertices(source, k)).collect();
        let (mut locals, mut layout): (Vec<Local>, Layout) = (Vec::new(), Layout::default());
        let mut lowest = Vec::new();
        for (frame, down) in contacts.iter().enumerate().step_by((contacts.len() / 24).max(1)) {
            source.pose(take, frame, &mut locals);
            source.lay(&locals, &mut layout);
            for k in (0..self.feet()).filter(|&k| down[k]) {
                let y = feet[k].iter().map(|v| (self.space.turn * (v.at(&layout) * self.space.unit)).y);
                lowest.extend(Some(y.fold(f32::MAX, f32::min)).filter(|y| *y < f32::MAX));
            }
        }
        lowest.sort_unstable_by(f32::total_cmp);
        lowest.get(lowest.len() / 2).copied()
    }

    /// Skin of a foot: what hangs on the last joints of its leg.
    fn foot_vertices(&self, source: &Source, foot: usize) -> Vec<super::source::Vertex> {
        let leg = &self.legs[foot];
        // Toes may have no skin of their own: up to the third joint from below.
        for back in 1..=leg.len().min(3) {
            let from = leg[leg.len() - back];
            let own: Vec<_> = source
                .vertices
                .iter()
                .filter(|v| source.hangs_from(v.joint as usize, from))
                .copied()
                .collect();
            if own.len() >= 8 {
                return own;
            }
        }
        Vec::new()
    }

    /// The sole of its right fore foot from its skin, if it has one that could be a foot's: its lowest part.
    pub fn own_sole(&self, source: &Source) -> Option<Sole> {
        let (mut locals, mut rest): (Vec<Local>, Layout) = (Vec::new(), Layout::default());
        source.rest(&mut locals);
        source.lay(&locals, &mut rest);
        let place = |p: Vec3| self.space.turn * (p * self.space.unit);
        let ahead = self.ahead;
        let right = ahead.cross(Vec3::Y);
        let own: Vec<usize> =
            self.foot_vertices(source, self.feet() - 1).iter().map(|v| v.joint as usize).collect();
        let seen = |v: u32| {
            let v = source.vertices[v as usize];
            let j = v.joint as usize;
            let p = place(rest.places[j] + rest.turns[j] * (rest.scales[j] * v.place));
            Vec3::new(p.dot(ahead), p.y, p.dot(right))
        };
        let is_foot = |v: &u32| own.contains(&(source.vertices[*v as usize].joint as usize));
        let triangles: Vec<[Vec3; 3]> =
            source.triangles.iter().filter(|t| t.iter().all(is_foot)).map(|t| t.map(seen)).collect();
        let lowest = triangles.iter().flatten().map(|p| p.y).fold(f32::MAX, f32::min);
        // What is within a tenth of the leg of the ground is foot; above it is shin.
        let high = lowest + 0.1 * self.leg;
        let mut foot: Vec<[Vec3; 3]> =
            triangles.into_iter().filter(|t| t.iter().all(|p| p.y < high)).collect();
        let (low, top) =
            foot.iter().flatten().fold((Vec3::MAX, Vec3::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
        let middle = (0.5 * (low + top)).with_y(low.y);
        foot.iter_mut().flatten().for_each(|p| *p -= middle);
        let sole = Sole::from_mesh(&foot).ok()?;
        let fits = |x: f64| (0.02..0.5).contains(&x) && x < 0.5 * f64::from(self.leg);
        (fits(sole.length) && fits(sole.width)).then_some(sole)
    }

    /// The whole force of the body's path, shared between the feet that stand.
    fn forces(&self, feet: &[[Vec3; 4]], contacts: &[[bool; 4]], centre: &[Vec3], dt: f64) -> Vec<[Vec3; 4]> {
        let path: Vec<DVec3> = centre.iter().map(|c| c.as_dvec3()).collect();
        let whole = force::of_centre(self.mass, &path, dt, force::CUTOFF);
        (0..feet.len())
            .map(|i| {
                let down: Vec<usize> = (0..4).filter(|&k| contacts[i][k]).collect();
                let flat = |p: Vec3| [f64::from(p.x), f64::from(p.z)];
                let at: Vec<[f64; 2]> = down.iter().map(|&k| flat(feet[i][k])).collect();
                let shares = shares(&at, flat(centre[i]));
                let mut forces = [Vec3::ZERO; 4];
                for (&k, &share) in down.iter().zip(&shares) {
                    forces[k] = whole[i] * share as f32;
                }
                forces
            })
            .collect()
    }
}
