//! Wanted velocity and heading of a walker, from a route or from a stick or keys.
//!
//! Steep ground slows a walker as measured (Tobler 1993), soft ground and vegetation so that its metabolic power stays the same
//! (Pandolf et al. 1977), whether it follows a route or is steered.

use super::vary;
use crate::params::{GRAVITY, Material};
use crate::scene::walker::{Control, Motion, Route, Steer, WalkerSpec};
use crate::state::{Foot, Ground, Walker};
use glam::DVec2;

/// A wanted motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    /// Velocity, x and z, m/s.
    pub(crate) velocity: DVec2,
    /// Heading, rad.
    pub(crate) heading: f64,
    /// Where it will want to go after the next few steps, as a unit vector.
    pub(crate) onward: DVec2,
    /// How to go.
    pub(crate) motion: Motion,
}

/// Nobody goes slower to save power, m/s; our choice.
const SLOWEST: f64 = 0.4;
/// How far ahead on its path a walker aims, m; our choice, about a step.
const LOOK: f64 = 0.8;
/// How far ahead on its path it wants to be when others are in its way, m: our choice, about two seconds of walking.
const ONWARD: f64 = 3.0;
/// A walker that returned to the start of its route begins the next pass within this distance of it, m; our choice.
const BEGINS: f64 = 0.4;
/// How long a walker takes to come to rest, s, and how near the end of its path it has arrived, m; our choice.
const STOPPING: f64 = 0.45;
const ARRIVED: f64 = 0.25;

/// What the walker wants now; moves it along its route. What a host told it last goes before what its scene says.
pub(crate) fn wanted(walker: &mut Walker, spec: &WalkerSpec, ground: &Ground, seed: u64) -> Wanted {
    match (walker.told, &spec.control) {
        (Some(told), _) => steered(&told, walker, ground),
        (None, Control::Stand) => stay(walker),
        (None, Control::Walk(steer)) => steered(steer, walker, ground),
        (None, Control::Route(route)) => follow(walker, route, ground, (seed, spec.step_variation)),
    }
}

fn stay(walker: &Walker) -> Wanted {
    Wanted { heading: walker.aim, ..Wanted::default() }
}

fn steered(steer: &Steer, walker: &Walker, ground: &Ground) -> Wanted {
    let asked = DVec2::new(f64::from(steer.velocity[0]), f64::from(steer.velocity[1]));
    let velocity = asked.normalize_or_zero() * steady_speed(walker, ground, asked);
    let along = || {
        let moves = velocity.length_squared() > 1e-6;
        if moves { steer.motion.heading(libm::atan2(velocity.y, velocity.x)) } else { walker.aim }
    };
    let (heading, onward) = (steer.heading.map_or_else(along, f64::from), velocity.normalize_or_zero());
    Wanted { velocity, heading, onward, motion: steer.motion }
}

fn follow(walker: &mut Walker, route: &Route, ground: &Ground, (seed, variation): (u64, f64)) -> Wanted {
    let path = &route.path;
    if walker.age < path.start || walker.pass >= path.passes {
        return stay(walker);
    }
    let (length, strays) = (path.length(), walker.strays);
    // A pass and how far aside it is walked, which is the same all along.
    let way = |pass: u32| (pass, vary::aside(seed, pass, variation));
    let on_path = |along: f64, (pass, aside): (u32, f64)| {
        let back = path.back_and_forth && pass % 2 == 1;
        let s = (if back { length - along } else { along }).clamp(0.0, length);
        let (p, heading) = path.on_path(s);
        let across = path.offset(s, u64::from(pass), seed) + aside;
        let across = across + if back { -strays } else { strays };
        DVec2::new(p[0] - across * libm::sin(heading), p[1] + across * libm::cos(heading))
    };
    let mut pass = way(walker.pass);
    // On a route that does not close, it goes back to the start before the next pass.
    if walker.along < 0.0 {
        let start = on_path(0.0, pass);
        if start.distance(walker.root) > BEGINS {
            return towards(walker, route, ground, start, start);
        }
        walker.along = 0.0;
    }
    // Where on the path it is: the nearest point a little before or after where it was.
    let candidates = (0..=12).map(|i| (walker.along - 0.1 + 0.05 * f64::from(i)).clamp(0.0, length));
    let far = candidates.map(|s| (on_path(s, pass).distance_squared(walker.root), s));
    let nearest = far.min_by(|a, b| a.0.total_cmp(&b.0));
    walker.along = nearest.map_or(walker.along, |(_, s)| s).max(walker.along);
    // A body needs half a second to come to rest; before another pass it turns on the spot it has reached.
    let rest = if walker.pass + 1 >= path.passes {
        (STOPPING * f64::from(walker.velocity.length())).max(ARRIVED)
    } else {
        ARRIVED + vary::turns(seed, walker.pass, variation)
    };
    // One whom others have pushed far aside comes back to the end of its path first.
    let aside = on_path(walker.along, pass).distance(walker.root);
    if length - walker.along < rest && aside < PUSHED_ASIDE {
        (walker.pass, walker.along, walker.strays) =
            (walker.pass + 1, if path.returns() { -1.0 } else { 0.0 }, 0.0);
        if walker.pass >= path.passes {
            return stay(walker);
        }
        pass = way(walker.pass);
    }
    let ahead = |by: f64| on_path(walker.along + by, pass);
    towards(walker, route, ground, ahead(LOOK), ahead(ONWARD))
}

/// The motion of a route's walker that aims at `goal` and will then want to be at `onward`.
fn towards(walker: &Walker, route: &Route, ground: &Ground, goal: DVec2, onward: DVec2) -> Wanted {
    let to_goal = goal - walker.root;
    if to_goal.length() < 1e-6 {
        return stay(walker);
    }
    let (direction, asked) = (to_goal.normalize(), route.path.speed);
    let speed = if route.metabolic { steady_speed(walker, ground, direction * asked) } else { asked };
    let heading = route.motion.heading(libm::atan2(direction.y, direction.x));
    let onward = (onward - walker.root).normalize_or(direction);
    Wanted { velocity: direction * speed, heading, onward, motion: route.motion }
}

/// One whom others keep from the end of its pass, close before it, counts as there: somebody else stands where it wanted to.
pub(crate) fn held_up(walker: &mut Walker, control: &Control) {
    let (Control::Route(route), None) = (control, walker.told) else { return };
    let (path, length) = (&route.path, route.path.length());
    let back = path.back_and_forth && walker.pass % 2 == 1;
    let end = DVec2::from(path.on_path(if back { 0.0 } else { length }).0);
    if walker.pass < path.passes
        && walker.along > (length - CLOSE).max(0.5 * length)
        && walker.root.distance(end) < CLOSE + PUSHED_ASIDE
    {
        walker.short += length - walker.along;
        (walker.pass, walker.along) = (walker.pass + 1, if path.returns() { -1.0 } else { 0.0 });
    }
}

/// Farther from its path than this nobody has arrived, m; our choice.
const PUSHED_ASIDE: f64 = 0.8;
/// How near the end of its path one has arrived that cannot go on, m; our choice.
const CLOSE: f64 = 1.2;

/// Slope of the ground along a direction, rise over run.
pub(crate) fn slope_along(ground: &Ground, at: DVec2, direction: DVec2) -> f64 {
    let normal = ground.base.normal(at.x, at.y, 0.3);
    -(f64::from(normal.x) * direction.x + f64::from(normal.z) * direction.y) / f64::from(normal.y)
}

/// Pandolf's terrain factor η of firm ground, a dirt road.
const FIRM: f64 = 1.1;
/// Prints as deep as this are those of a dirt road, cm; our choice.
const FIRM_PRINT: f64 = 2.0;

/// A material is loose if more than this share of what is carved moves aside: dry and loose sand do; our choice.
const LOOSE: f64 = 0.85;

/// Pandolf's terrain factor η of the ground below the walker: 1.1 for firm ground (a dirt road), 2.1 for loose sand, and more
/// where its feet sink in. How it grows with sinkage is the published snow curve `0.0005z³ + 0.0001z² + 0.1072z + 1.2604`,
/// z in cm, without its constant. The sinkage is that of its own last steps, so a trodden path is firm.
fn terrain_factor(ground: &Ground, walker: &Walker) -> f64 {
    let material: &Material = &ground.materials[ground.paint_at(walker.root.x, walker.root.y) as usize];
    // Before the first step: what a sole of 230 cm² under the body's weight would do.
    let expected = (33e3 * material.layer / material.youngs_modulus).min(material.deepest());
    let sinkage = 100.0 * if walker.sinkage.is_nan() { expected } else { walker.sinkage };
    let z = (sinkage - FIRM_PRINT).max(0.0);
    // A material that moves aside instead of packing gives way under the push as well: loose sand 2.1.
    let loose = 2.0 * material.poisson_ratio > LOOSE;
    let soft = 0.0005 * z * z * z + 0.0001 * z * z + 0.1072 * z;
    // From a dirt road to light brush, 1.2, and heavy brush, 1.5, with the height of what grows; heavy from 0.6 m on is ours.
    let growth = ground.cover.vegetation_height(walker.root.x, walker.root.y);
    let brush = 0.4 * (growth / 0.6).clamp(0.0, 1.0);
    (FIRM + soft + brush + if loose { 0.9 } else { 0.0 }).clamp(1.0, 5.0)
}

/// Metabolic power of walking, W (Pandolf et al. 1977), grade in rise over run; downhill as level.
fn metabolic_power(speed: f64, mass: f64, grade: f64, terrain: f64) -> f64 {
    1.5 * mass + terrain * mass * (1.5 * speed * speed + 0.35 * speed * 100.0 * grade.max(0.0))
}

/// Metabolic power of a walker of that mass as it goes now, W. Feet that mud holds are pulled out once in a stride.
pub(crate) fn power(ground: &Ground, walker: &Walker, feet: &[Foot], mass: f64) -> f64 {
    let velocity = DVec2::new(f64::from(walker.velocity.x), f64::from(walker.velocity.z));
    let grade = slope_along(ground, walker.root, velocity.normalize_or_zero());
    let pulled: f64 = feet.iter().map(|foot| foot.suction * foot.depth).sum();
    metabolic_power(velocity.length(), mass, grade, terrain_factor(ground, walker))
        + mass * climbing(walker) * velocity.length()
        + pulled / (MUSCLES * STRIDE)
}

/// What it takes to lift feet out of prints that others made, J per metre and kilogram of the body. Where feet sink in themselves, this
/// is in the published factors.
fn climbing(walker: &Walker) -> f64 {
    LEG * GRAVITY * walker.climbs / (MUSCLES * STEP)
}

/// The part of the body's mass that goes up with a foot: a leg is 0.16 of it (de Leva 1996), and its middle rises half as far, as the knee
/// bends. And the length of a step, m, a round figure.
const LEG: f64 = 0.08;
const STEP: f64 = 0.65;

/// Work of muscles over what they burn (Margaria 1968), and how long a stride takes, s; a round figure.
const MUSCLES: f64 = 0.25;
const STRIDE: f64 = 1.1;

/// How much of its speed on the level a walker keeps where the ground rises by `grade` per metre (Tobler 1993, at most all).
fn on_slope(grade: f64) -> f64 {
    libm::exp(-3.5 * ((grade + 0.05).abs() - 0.05)).min(1.0)
}

/// How fast a walker goes that was asked to go with a velocity over firm level ground, m/s: slower on slopes as measured, and
/// on soft ground, in growth and in deep prints so that its power, without what standing takes, is that of firm ground. Runners are slowed
/// as walkers.
fn steady_speed(walker: &Walker, ground: &Ground, asked: DVec2) -> f64 {
    let speed = asked.length();
    if speed < 1e-6 {
        return speed;
    }
    let grade = slope_along(ground, walker.root, asked / speed);
    // 1.5·FIRM·speed² = 1.5·η·v² + climbing·v.
    let (had, now) = (1.5 * FIRM * speed * speed, 1.5 * terrain_factor(ground, walker).max(FIRM));
    let climbing = climbing(walker);
    let soft = 2.0 * had / (climbing + (climbing * climbing + 4.0 * now * had).sqrt());
    (soft * on_slope(grade)).max(SLOWEST.min(speed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_slow_a_walker_down_as_tobler_measured() {
        let at = |degrees: f64| 1.3 * on_slope(libm::tan(degrees.to_radians()));
        for (degrees, wanted) in [(0.0, 1.3), (5.0, 0.96), (10.0, 0.70), (-15.0, 0.72)] {
            assert!((at(degrees) - wanted).abs() < 0.015, "{} m/s at {degrees}°", at(degrees));
        }
        assert_eq!(at(-2.9), 1.3, "nobody hurries downhill unasked");
    }
}
