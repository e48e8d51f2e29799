//! Animals on four legs: their feet, their contacts, and how four feet share a body's force.
//!
//! In: a file whose limbs stand in two pairs below a level back. Out: for each take the places of the feet, their contacts,
//! the path of the body and the force on every foot.

use super::mapping::Looks;
use super::source::{Layout, Local, Source};
use super::space::{self, Space};
use super::topology::Pair;
use super::travel;
use trample::glam::{DVec2, DVec3, Vec3};
use trample::motion::contacts::{self, Rule};
use trample::motion::force;
use trample::motion::share;

/// Names of the feet, in the order of all lists here.
pub const FEET: [&str; 4] = ["hind left", "hind right", "fore left", "fore right"];
/// Share of the weight on the fore legs of a standing animal: horses and dogs carry about 60 % in front. Our choice for all.
const FORE: f64 = 0.6;

/// A four-footed body.
#[derive(Clone, Debug)]
pub struct FourFooted {
    /// Joints of each leg from the trunk down, in the order of [`FEET`].
    pub legs: [Vec<usize>; 4],
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
}

impl FourFooted {
    pub(super) fn new(
        source: &Source,
        looks: &Looks,
        hind: &Pair,
        fore: &Pair,
        up: Vec3,
        mass: Option<f64>,
    ) -> Self {
        let pose = looks.moving.get(looks.moving.len() / 2).unwrap_or(&looks.rest);
        let ahead = pose.places[fore.from] - pose.places[hind.from];
        let right = ahead.cross(up);
        let sided = |pair: &Pair| {
            let [a, b] = &pair.chains;
            let across = (pose.places[b[0]] - pose.places[a[0]]).dot(right);
            if across < 0.0 { [b.clone(), a.clone()] } else { [a.clone(), b.clone()] }
        };
        let ([a, b], [c, d]) = (sided(hind), sided(fore));
        let legs = [a, b, c, d];
        let foot = |leg: &[usize]| leg.last().map_or(Vec3::ZERO, |&j| pose.places[j]);
        let height = (pose.places[hind.from] - 0.5 * (foot(&legs[0]) + foot(&legs[1]))).dot(up).abs();
        // A mouse or an elephant: metres if that makes sense at all, else the unit that makes it a dog.
        let (unit, unit_name, sure) = if (0.03..4.0).contains(&height) {
            (1.0, "metres", 0.7)
        } else {
            space::unit(1.4 * height, source.format)
        };
        let space = Space { up, turn: space::upright(up), unit, unit_name, sure: 0.7 * sure };
        let leg = height * unit;
        // 35 kg at 0.6 m, as a large dog, and with the cube of size: our choice.
        let size = f64::from(leg) / 0.6;
        let mass = mass.unwrap_or(35.0 * size * size * size);
        Self { legs, pelvis: hind.from, chest: fore.from, space, leg, mass }
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
        let rule = Rule::for_leg(self.leg);
        let mut tracks: Vec<Vec<Vec3>> =
            (0..4).map(|k| feet.iter().map(|f: &[Vec3; 4]| f[k]).collect()).collect();
        let travel = travel::missing(&tracks, &centre, self.leg, take.dt).unwrap_or_default();
        for (i, shift) in travel.iter().enumerate() {
            centre[i] += *shift;
            feet[i].iter_mut().for_each(|p| *p += *shift);
            tracks.iter_mut().for_each(|track| track[i] += *shift);
        }
        // Fore and hind feet may end in different joints, a hoof's tip and a wrist: each has its own level.
        let mut contacts = vec![[false; 4]; feet.len()];
        let mut ground = 0.0;
        for (k, track) in tracks.iter().enumerate() {
            let level = contacts::level(&[track], take.dt, &rule);
            for (contact, on) in contacts.iter_mut().zip(contacts::find(track, take.dt, level, &rule)) {
                contact[k] = on;
            }
            feet.iter_mut().for_each(|f| f[k].y -= level);
            ground += 0.25 * level;
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
        }
    }

    /// The whole force of the body's path, shared between the feet that stand.
    fn forces(&self, feet: &[[Vec3; 4]], contacts: &[[bool; 4]], centre: &[Vec3], dt: f64) -> Vec<[Vec3; 4]> {
        let path: Vec<DVec3> = centre.iter().map(|c| c.as_dvec3()).collect();
        let whole = force::of_centre(self.mass, &path, dt, force::CUTOFF);
        (0..feet.len())
            .map(|i| {
                let down: Vec<usize> = (0..4).filter(|&k| contacts[i][k]).collect();
                let flat = |p: Vec3| DVec2::new(f64::from(p.x), f64::from(p.z));
                let at: Vec<DVec2> = down.iter().map(|&k| flat(feet[i][k])).collect();
                let mut shares = vec![0.0; at.len()];
                share::shares(&at, flat(centre[i]), &mut shares);
                let mut forces = [Vec3::ZERO; 4];
                for (&k, &share) in down.iter().zip(&shares) {
                    forces[k] = whole[i] * share as f32;
                }
                forces
            })
            .collect()
    }
}
