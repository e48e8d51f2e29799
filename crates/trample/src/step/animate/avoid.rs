//! Collision avoidance between walkers: changes the wanted velocity of each so that it does not run into others.
//!
//! In: positions and velocities of all bodies at the start of the step. Out: a wanted velocity and heading, and for bodies that touch
//! a push apart. Each walker computes the distance to a collision along a fan of directions, if the others keep their velocity, chooses
//! the best compromise between free and straight, and goes no faster than lets it stop in time (Moussaïd, Helbing and
//! Theraulaz 2011: heuristics of pedestrians, from experiments). All decide from the same moment, so neither order nor threads
//! change a bit.

use crate::scene::{Control, Scene, Script};
use crate::state::Puppet;
use crate::step::animate::control::Wanted;
use glam::DVec2;

/// Radius of a body seen from above, m: half the 0.51 m over the shoulders (ANSUR II, bideltoid breadth of men, mean); Moussaïd
/// 2011 has mass / 320 kg/m, the same for 80 kg.
const BODY: f64 = 0.25;
/// Room that two people want to keep between their bodies, m: our choice.
const ROOM: f64 = 0.2;
/// How long others are expected to go on as they do now, s: our choice, about 10 m between two who walk towards each other.
const HORIZON: f64 = 4.0;
/// Time in which a person wants to be able to stop, s: Moussaïd 2011 has 0.5; a body on legs that take a step to stop, our choice.
const STOPS: f64 = 1.2;
/// Half of the fan, in directions, and the cosine and sine between two of them: 5°, up to 90° (Moussaïd 2011: 75°; the rest lets two who stand before
/// each other get past).
const FAN: usize = 18;
const DIRECTIONS: usize = 2 * FAN + 1;
const BETWEEN: DVec2 = DVec2::new(0.996_194_698_091_745_5, 0.087_155_742_747_658_17);
/// What meeting somebody at once counts against going the wrong way: our choice, more than going square to one's way.
const MEETS: f64 = 1.5;
/// What a direction to the left of one's way counts more than one to the right, and how much one away from the present one counts
/// against one away from the wanted one: our choice, so that two who walk straight at each other both go to their right and nobody
/// wavers.
const KEEP_RIGHT: f64 = 0.04;
const WAVERS: f64 = 0.4;
/// As fast as others are expected to come, m/s: who comes faster is seen later. Our choice.
const FASTEST: f64 = 2.0;
/// Side of the squares that people are sorted into, m, and others farther away are not looked at, m: our choice.
const SQUARE: f64 = 6.0;
const SIGHT: f64 = 24.0;
/// Who comes no faster than this share of its speed towards where it wants to be is held up: our choice.
const HELD_UP: f64 = 0.3;
/// Bodies are held apart before they touch, m: so far that two who walk at each other, 2.4 m/s together, come to rest in it by
/// [`PART`]. Our choice.
const SKIN: f64 = 0.08;
/// The share of what is missing between two bodies that is made up for in a second: our choice, all of it in a sixtieth by both.
const PART: f64 = 30.0;
/// The fastest that a body is pushed, m/s: our choice, more than it walks.
const SHOVE: f64 = 2.0;
/// How long one that wants to stand still comes to rest, s: our choice, a step.
const COMES_TO_REST: f64 = 1.5;

/// Somebody as others see them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Person {
    place: DVec2,
    velocity: DVec2,
    /// Where it was at the beginning.
    start: DVec2,
    /// Whether its time to set out has not come.
    waits: bool,
    /// Whether it wants to go anywhere.
    moves: bool,
}

/// Everybody who walks, in squares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd {
    people: Vec<Person>,
    /// Square (row, column) and index of the person, sorted.
    squares: Vec<(i32, i32, u32)>,
    /// The index of each puppet's person.
    of_puppet: Vec<Option<u32>>,
}

fn square(place: DVec2) -> (i32, i32) {
    ((place.y / SQUARE).floor() as i32, (place.x / SQUARE).floor() as i32)
}

impl Crowd {
    /// Looks where everybody is now; nobody is seen where `avoid` is off.
    pub(crate) fn look(&mut self, scene: &Scene, puppets: &[Puppet], dt: f64) {
        self.people.clear();
        self.squares.clear();
        self.of_puppet.clear();
        if !scene.avoid {
            return;
        }
        for (puppet, spec) in puppets.iter().zip(&scene.puppets) {
            let person = person(puppet, &spec.script, dt).filter(|_| !puppet.quarantined);
            self.of_puppet.push(person.map(|_| self.people.len() as u32));
            self.people.extend(person);
        }
        let places = self.people.iter().enumerate();
        self.squares.extend(places.map(|(i, p)| (square(p.place).0, square(p.place).1, i as u32)));
        self.squares.sort_unstable();
    }

    /// The person that puppet `id` is.
    fn person(&self, id: usize) -> Option<&Person> {
        Some(&self.people[(*self.of_puppet.get(id)?)? as usize])
    }

    /// The others within `reach` of puppet `id`, which is a person.
    fn around(&self, id: usize, reach: f64) -> impl Iterator<Item = &Person> {
        let own = self.of_puppet[id];
        let me = own.map(|own| &self.people[own as usize]).expect("a person");
        let ((top, left), (bottom, right)) = (square(me.place - reach), square(me.place + reach));
        let others = (top..=bottom).flat_map(move |row| {
            let from = self.squares.partition_point(|s| (s.0, s.1) < (row, left));
            let near = self.squares[from..].iter().take_while(move |s| (s.0, s.1) <= (row, right));
            near.filter(move |s| Some(s.2) != own).map(|s| &self.people[s.2 as usize])
        });
        let near = move |other: &&Person| other.place.distance_squared(me.place) < reach * reach;
        others.filter(near).filter(|other| !me.queues_with(other))
    }

    /// Changes what puppet `id` wants so that it runs into nobody; one that stands stays. Says whether those who stand do not let it on.
    pub(crate) fn steer(&self, id: usize, wanted: &mut Wanted) -> bool {
        let speed = wanted.velocity.length();
        if speed < 1e-6 || self.people.len() < 2 {
            return false;
        }
        let reach = ((speed + FASTEST) * HORIZON).min(SIGHT);
        let Some(me) = self.person(id) else { return false };
        let mut fan = [wanted.onward; DIRECTIONS];
        for k in 1..=FAN {
            fan[FAN + k] = BETWEEN.rotate(fan[FAN + k - 1]);
            fan[FAN - k] = DVec2::new(BETWEEN.x, -BETWEEN.y).rotate(fan[FAN - k + 1]);
        }
        // How long it could go in each direction.
        let mut free = [HORIZON; DIRECTIONS];
        for other in self.around(id, reach) {
            other.meets(me.place, speed, &fan, &mut free);
        }
        if free == [HORIZON; DIRECTIONS] {
            return false;
        }
        let (way, share) = choose(&fan, &free, me.velocity);
        let before = wanted.velocity;
        wanted.velocity = way * (speed * share);
        wanted.heading += libm::atan2(before.perp_dot(way), before.dot(way));
        if way.dot(wanted.onward) * share > HELD_UP {
            return false;
        }
        // Those who walk will be gone; those who stand will not.
        free.fill(HORIZON);
        for other in self.around(id, reach).filter(|other| !other.moves) {
            other.meets(me.place, speed, &fan, &mut free);
        }
        let (way, share) = choose(&fan, &free, me.velocity);
        way.dot(wanted.onward) * share <= HELD_UP
    }

    /// How fast puppet `id` is pushed out of bodies it touches, m/s, if it wants to go anywhere itself.
    pub(crate) fn shove(&self, id: usize) -> DVec2 {
        let Some(me) = self.person(id).filter(|me| me.moves) else { return DVec2::ZERO };
        let apart = self.around(id, 2.0 * BODY + SKIN).fold(DVec2::ZERO, |sum, other| {
            let between = me.place - other.place;
            let overlap = 2.0 * BODY + SKIN - between.length();
            // Each goes half of the way, or all of it from one who stands.
            let share = if other.moves { 0.5 } else { 1.0 };
            if overlap > 0.0 { sum + between.normalize_or_zero() * (overlap * share) } else { sum }
        });
        (apart * PART).clamp_length_max(SHOVE)
    }
}

/// The best direction of a fan and which share of its speed somebody takes who could go so long in each and goes with `velocity`
/// now.
fn choose(fan: &[DVec2; DIRECTIONS], free: &[f64; DIRECTIONS], velocity: DVec2) -> (DVec2, f64) {
    let now = velocity.normalize_or_zero();
    let cost = |k: usize| {
        let soon = 1.0 - free[k] / HORIZON;
        let left = if k < FAN { KEEP_RIGHT } else { 0.0 };
        1.0 - fan[k].dot(fan[FAN]) + MEETS * soon * soon + left + WAVERS * (1.0 - fan[k].dot(now))
    };
    let best = (0..DIRECTIONS).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(FAN);
    (fan[best], (free[best] / STOPS).min(1.0))
}

impl Person {
    /// Whether the other has not set out yet from where this one started: those who wait there let each other go.
    fn queues_with(&self, other: &Self) -> bool {
        (self.waits || other.waits) && self.start.distance(other.start) < 2.0 * BODY + ROOM
    }

    /// Shortens the times for which somebody at `place` could go along each direction of a fan at `speed` before it met this one.
    fn meets(&self, place: DVec2, speed: f64, fan: &[DVec2], free: &mut [f64]) {
        let between = self.place - place;
        let distance = between.length_squared();
        // Two who are closer than they like must not come closer still.
        let far = distance.sqrt();
        let room = (2.0 * BODY + ROOM).min((0.9 * far).max((2.0 * BODY).min(0.98 * far)));
        let beyond = distance - room * room;
        for (direction, free) in fan.iter().zip(free) {
            let closing = *direction * speed - self.velocity;
            let (towards, square) = (between.dot(closing), closing.length_squared());
            let root = towards * towards - square * beyond;
            if towards > 0.0 && root > 0.0 {
                *free = free.min((towards - root.sqrt()) / square);
            }
        }
    }
}

/// A puppet as others see it: a walker, or a figure of the host's on two feet or more.
fn person(puppet: &Puppet, script: &Script, dt: f64) -> Option<Person> {
    match (script, puppet.walker.as_deref()) {
        (Script::Walker(spec), Some(walker)) => {
            let sets_out = match (&spec.control, walker.told) {
                (Control::Route(route), None) => route.path.start,
                _ => 0.0,
            };
            Some(Person {
                place: walker.root,
                velocity: DVec2::new(f64::from(walker.velocity.x), f64::from(walker.velocity.z)),
                start: DVec2::from(spec.position),
                waits: walker.age < sets_out,
                moves: walker.rested < COMES_TO_REST,
            })
        }
        (Script::Host { feet: 2.. }, _) => {
            let before = puppet.last_center?;
            let flat = |v: glam::Vec3| DVec2::new(f64::from(v.x), f64::from(v.z));
            let (place, moved) = (flat(before), flat(puppet.pose.center_of_mass - before));
            let seen = place.is_finite() && moved.is_finite();
            seen.then(|| Person { place, velocity: moved / dt, start: place, waits: false, moves: false })
        }
        _ => None,
    }
}
