//! Waypoints: places clicked or a line drawn on the ground, made into a route that a walker can go.

use trample::scene::{Motion, Route, Walk};

/// Points closer than this to the last one are not added while drawing, m.
pub const SPACING: f64 = 0.35;
/// Shortest route, m: what a scene allows.
const SHORTEST: f64 = 0.5;
/// How far from the edge of the terrain waypoints stay, m: half a shoe and its rim.
const MARGIN: f64 = 0.3;

/// A route that is being made.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoints {
    /// Places so far, x and z, m.
    pub places: Vec<[f64; 2]>,
    /// How often it shall be walked.
    pub passes: u32,
    /// Whether every second pass goes back.
    pub back_and_forth: bool,
    /// Standard deviation of a pass's sideways offset, m.
    pub variation: f64,
    /// Speed, m/s.
    pub speed: f64,
    /// How to go.
    pub motion: Motion,
}

impl Default for Waypoints {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            passes: 1,
            back_and_forth: true,
            variation: 0.0,
            speed: 1.3,
            motion: Motion::Auto,
        }
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

/// A place moved on to the terrain; none if it is not a place.
fn inside(at: [f64; 2], size: [f64; 2]) -> Option<[f64; 2]> {
    let on = |k: usize| at[k].clamp(MARGIN.min(0.5 * size[k]), (size[k] - MARGIN).max(0.5 * size[k]));
    at.iter().all(|x| x.is_finite()).then(|| [on(0), on(1)])
}

impl Waypoints {
    /// Adds a clicked place, moved on to the terrain.
    pub fn click(&mut self, at: [f64; 2], size: [f64; 2]) {
        self.places.extend(inside(at, size));
    }

    /// Adds a place of a drawn line; what is too close to the last one is left out.
    pub fn draw(&mut self, at: [f64; 2], size: [f64; 2]) {
        let far = |at: &[f64; 2]| self.places.last().is_none_or(|last| distance(*last, *at) >= SPACING);
        self.places.extend(inside(at, size).filter(far));
    }

    /// Takes the last place back.
    pub fn take_back(&mut self) {
        self.places.pop();
    }

    /// Its length, m.
    pub fn length(&self) -> f64 {
        self.places.windows(2).map(|w| distance(w[0], w[1])).sum()
    }

    /// The route from where the walker stands, if it is long enough. With one pass it starts there; with more, passes go
    /// between the first and the last place.
    pub fn route(&self, from: [f64; 2]) -> Option<Route> {
        let mut waypoints = self.places.clone();
        if waypoints.is_empty() {
            return None;
        }
        if self.passes == 1 || waypoints.len() == 1 {
            waypoints.insert(0, from);
        }
        waypoints.dedup_by(|a, b| distance(*a, *b) < 0.01);
        let walk = Walk {
            waypoints,
            passes: self.passes.max(1),
            back_and_forth: self.back_and_forth,
            speed: self.speed,
            lateral_sd: self.variation,
            ..Walk::default()
        };
        let enough = walk.waypoints.len() > 1 && walk.length() >= SHORTEST;
        enough.then_some(Route { walk, metabolic: true, motion: self.motion })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::start::stroll;
    use trample::World;

    #[test]
    fn a_walker_goes_where_somebody_clicked() {
        let scene = stroll();
        let mut world = World::new(&scene).expect("world");
        let mut waypoints = Waypoints::default();
        waypoints.click([7.0, 6.5], scene.terrain.size);
        let route = waypoints.route([5.12, 5.12]).expect("a route");
        Action::Route(0, route).apply(&mut world).expect("goes");
        for _ in 0..360 {
            world.step(scene.dt());
        }
        let root = world.walker(0).expect("walker").0.root;
        assert!(distance([root.x, root.y], [7.0, 6.5]) < 0.5, "{root}");
    }

    #[test]
    fn passes_go_back_and_forth_with_variation() {
        let scene = stroll();
        let mut world = World::new(&scene).expect("world");
        let mut waypoints = Waypoints { passes: 4, variation: 0.1, ..Waypoints::default() };
        waypoints.click([4.0, 5.0], scene.terrain.size);
        waypoints.click([6.0, 5.0], scene.terrain.size);
        Action::Route(0, waypoints.route([5.12, 5.12]).expect("a route")).apply(&mut world).expect("goes");
        for _ in 0..60 * 30 {
            world.step(scene.dt());
        }
        assert!(
            world.walker(0).expect("walker").0.pass >= 3,
            "pass {}",
            world.walker(0).expect("walker").0.pass
        );
    }

    #[test]
    fn a_drawn_line_is_thinned_and_stays_on_the_terrain() {
        let mut waypoints = Waypoints::default();
        for i in 0..400 {
            waypoints.draw([f64::from(i) * 0.05 - 2.0, 3.0], [10.0, 10.0]);
        }
        assert!(waypoints.places.len() < 60, "{}", waypoints.places.len());
        assert!(waypoints.places.iter().all(|p| (0.29..9.71).contains(&p[0])));
        waypoints.click([f64::NAN, 1.0], [10.0, 10.0]);
        assert!(waypoints.places.iter().flatten().all(|x| x.is_finite()));
    }

    #[test]
    fn too_short_is_no_route() {
        let mut waypoints = Waypoints::default();
        assert_eq!(waypoints.route([1.0, 1.0]), None);
        waypoints.click([1.2, 1.0], [10.0, 10.0]);
        assert_eq!(waypoints.route([1.0, 1.0]), None);
    }
}
