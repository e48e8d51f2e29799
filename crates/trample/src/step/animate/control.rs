//! What a walker wants: from a route, or from what a stick or keys give, to a velocity and a heading.
//!
//! On routes the speed follows from constant metabolic power (Pandolf et al. 1977): steep and soft ground slows.

use crate::params::Material;
use crate::scene::walker::{Control, Motion, Route, Steer};
use crate::state::{Ground, Walker};
use glam::DVec2;

/// A wanted motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    /// Velocity, x and z, m/s.
    pub(crate) velocity: DVec2,
    /// Heading, rad.
    pub(crate) heading: f64,
    /// How to go.
    pub(crate) motion: Motion,
}

/// Nobody goes slower to save power, m/s.
const SLOWEST: f64 = 0.4;
/// How far ahead on its path a walker looks, m.
const LOOK: f64 = 0.8;

/// What the walker wants now; moves it along its route. What a host told it last goes before what its scene says.
pub(crate) fn wanted(
    walker: &mut Walker,
    control: &Control,
    ground: &Ground,
    seed: u64,
    mass: f64,
) -> Wanted {
    match (walker.told, control) {
        (Some(told), _) => steered(&told, walker.aim),
        (None, Control::Stand) => stay(walker),
        (None, Control::Walk(steer)) => steered(steer, walker.aim),
        (None, Control::Route(route)) => follow(walker, route, ground, seed, mass),
    }
}

fn stay(walker: &Walker) -> Wanted {
    Wanted { velocity: DVec2::ZERO, heading: walker.aim, motion: Motion::Auto }
}

fn steered(steer: &Steer, aim: f64) -> Wanted {
    let velocity = DVec2::new(f64::from(steer.velocity[0]), f64::from(steer.velocity[1]));
    let along = || {
        let moves = velocity.length_squared() > 1e-6;
        if moves { steer.motion.heading(libm::atan2(velocity.y, velocity.x)) } else { aim }
    };
    Wanted { velocity, heading: steer.heading.map_or_else(along, f64::from), motion: steer.motion }
}

fn follow(walker: &mut Walker, route: &Route, ground: &Ground, seed: u64, mass: f64) -> Wanted {
    let walk = &route.walk;
    if walker.age < walk.start || walker.pass >= walk.passes {
        return stay(walker);
    }
    let length = walk.length();
    let on_path = |along: f64, pass: u32| {
        let back = walk.back_and_forth && pass % 2 == 1;
        let s = (if back { length - along } else { along }).clamp(0.0, length);
        let (p, heading) = walk.on_path(s);
        let across = walk.offset(s, u64::from(pass), seed);
        DVec2::new(p[0] - across * libm::sin(heading), p[1] + across * libm::cos(heading))
    };
    // Where on the path it is: the nearest point a little before or after where it was.
    let nearest = |from: f64, pass: u32| {
        let candidates = (0..=12).map(|i| (from - 0.1 + 0.05 * f64::from(i)).clamp(0.0, length));
        candidates.min_by(|a, b| {
            let d = |s: f64| on_path(s, pass).distance_squared(walker.root);
            d(*a).total_cmp(&d(*b))
        })
    };
    walker.along = nearest(walker.along, walker.pass).unwrap_or(walker.along).max(walker.along);
    // A body needs half a second to come to rest; before another pass it turns on the spot it has reached.
    let rest = if walker.pass + 1 >= walk.passes { 0.45 * f64::from(walker.velocity.length()) } else { 0.0 };
    if length - walker.along < rest.max(0.25) {
        walker.pass += 1;
        walker.along = 0.0;
        if walker.pass >= walk.passes {
            return stay(walker);
        }
    }
    let goal = on_path(walker.along + LOOK, walker.pass);
    let to_goal = goal - walker.root;
    if to_goal.length() < 1e-6 {
        return stay(walker);
    }
    let direction = to_goal.normalize();
    let mut speed = walk.speed;
    // Pandolf's equation is about walking.
    if route.metabolic && walk.speed <= super::FASTEST_WALK {
        speed = steady_speed(
            walk.speed,
            mass,
            slope_along(ground, walker.root, direction),
            terrain_factor(ground, walker),
        );
    }
    let heading = route.motion.heading(libm::atan2(direction.y, direction.x));
    Wanted { velocity: direction * speed, heading, motion: route.motion }
}

/// Slope of the ground along a direction, rise over run.
pub(crate) fn slope_along(ground: &Ground, at: DVec2, direction: DVec2) -> f64 {
    let normal = ground.base.normal(at.x, at.y, 0.3);
    -(f64::from(normal.x) * direction.x + f64::from(normal.z) * direction.y) / f64::from(normal.y)
}

/// Pandolf's terrain factor η of the ground below the walker: 1.1 for firm ground (a dirt road), 2.1 for loose sand, and more
/// where its feet sink in. How it grows with sinkage is the published snow curve `0.0005z³ + 0.0001z² + 0.1072z + 1.2604`,
/// z in cm, without its constant. The sinkage is that of its own last steps, so a trodden path is firm.
fn terrain_factor(ground: &Ground, walker: &Walker) -> f64 {
    let material: &Material = &ground.materials[ground.paint_at(walker.root.x, walker.root.y) as usize];
    // Before the first step: what a sole of 230 cm² under the body's weight would do.
    let expected = (33e3 * material.layer / material.youngs_modulus).min(material.deepest());
    let sinkage = 100.0 * if walker.sinkage.is_nan() { expected } else { walker.sinkage };
    // A material that moves aside instead of packing gives way under the push as well: loose sand 2.1.
    let loose = 2.0 * material.poisson_ratio;
    let soft = 0.0005 * sinkage * sinkage * sinkage + 0.0001 * sinkage * sinkage + 0.1072 * sinkage;
    // From a dirt road to light brush, 1.2, and heavy brush, 1.5, with the height of what grows; heavy from 0.6 m on is ours.
    let growth = ground.cover.vegetation_height(walker.root.x, walker.root.y);
    let brush = 0.4 * (growth / 0.6).clamp(0.0, 1.0);
    (1.1 + soft + brush + if loose > 0.95 { 0.9 } else { 0.0 }).clamp(1.0, 5.0)
}

/// Metabolic power of walking, W (Pandolf et al. 1977), grade in rise over run; downhill as level.
pub fn metabolic_power(speed: f64, mass: f64, grade: f64, terrain: f64) -> f64 {
    1.5 * mass + terrain * mass * (1.5 * speed * speed + 0.35 * speed * 100.0 * grade.max(0.0))
}

/// The speed at which walking on this ground takes as much power as the wanted speed on a road.
pub fn steady_speed(wanted: f64, mass: f64, grade: f64, terrain: f64) -> f64 {
    let power = metabolic_power(wanted, mass, 0.0, 1.0);
    // 1.5 v² + 35 G v = (P − 1.5 m) / (η m): the positive root.
    let c = (power - 1.5 * mass) / (terrain * mass);
    let b = 35.0 * grade.max(0.0);
    ((-b + (b * b + 6.0 * c).max(0.0).sqrt()) / 3.0).clamp(SLOWEST.min(wanted), wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_and_steep_ground_slow_a_walker_down_at_equal_power() {
        let (road, sand, hill) = (
            steady_speed(1.3, 77.5, 0.0, 1.0),
            steady_speed(1.3, 77.5, 0.0, 2.1),
            steady_speed(1.3, 77.5, 0.2, 1.0),
        );
        assert!((road - 1.3).abs() < 1e-9, "{road}");
        assert!(sand < 1.0 && hill < 0.5, "sand {sand}, hill {hill}");
        let same = metabolic_power(hill, 77.5, 0.2, 1.0) / metabolic_power(1.3, 77.5, 0.0, 1.0);
        assert!((same - 1.0).abs() < 1e-9 || hill == SLOWEST, "{same}");
    }
}
