//! Waypoints: places clicked or a line drawn on the ground, made into a route that a walker can go.

use trample::scene::{Motion, Path, Route};

/// Points closer than this to the last one are not added while drawing, m.
pub const SPACING: f64 = 0.35;
/// Shortest route, m: what a scene allows.
const SHORTEST: f64 = 0.5;
/// How far from the edge of the terrain waypoints stay, m: half a shoe and its rim.
const MARGIN: f64 = 0.3;

/// A route that is being made.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoints {
    /// Places so far, and how they shall be walked.
    pub path: Path,
    /// How to go.
    pub motion: Motion,
}

impl Default for Waypoints {
    fn default() -> Self {
        Self { path: Path { waypoints: Vec::new(), ..Path::default() }, motion: Motion::Auto }
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
        self.path.waypoints.extend(inside(at, size));
    }

    /// Adds a place of a drawn line; what is too close to the last one is left out.
    pub fn draw(&mut self, at: [f64; 2], size: [f64; 2]) {
        let far =
            |at: &[f64; 2]| self.path.waypoints.last().is_none_or(|last| distance(*last, *at) >= SPACING);
        self.path.waypoints.extend(inside(at, size).filter(far));
    }

    /// Takes the last place back.
    pub fn take_back(&mut self) {
        self.path.waypoints.pop();
    }

    /// Its length, m.
    pub fn length(&self) -> f64 {
        self.path.waypoints.windows(2).map(|w| distance(w[0], w[1])).sum()
    }

    /// The route from where the walker stands, if it is long enough. With one pass it starts there; with more, passes go
    /// between the first and the last place.
    pub fn route(&self, from: [f64; 2]) -> Option<Route> {
        let mut path = self.path.clone();
        if path.waypoints.is_empty() {
            return None;
        }
        if path.passes == 1 || path.waypoints.len() == 1 {
            path.waypoints.insert(0, from);
        }
        path.waypoints.dedup_by(|a, b| distance(*a, *b) < 0.01);
        path.passes = path.passes.max(1);
        let enough = path.waypoints.len() > 1 && path.length() >= SHORTEST;
        enough.then_some(Route { path, metabolic: true, motion: self.motion })
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
        Action::Route { walker: 0, along: route }.apply(&mut world).expect("goes");
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
        let mut waypoints = Waypoints::default();
        (waypoints.path.passes, waypoints.path.lateral_sd) = (4, 0.1);
        waypoints.click([4.0, 5.0], scene.terrain.size);
        waypoints.click([6.0, 5.0], scene.terrain.size);
        Action::Route { walker: 0, along: waypoints.route([5.12, 5.12]).expect("a route") }
            .apply(&mut world)
            .expect("goes");
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
        assert!(waypoints.path.waypoints.len() < 60, "{}", waypoints.path.waypoints.len());
        assert!(waypoints.path.waypoints.iter().all(|p| (0.29..9.71).contains(&p[0])));
        waypoints.click([f64::NAN, 1.0], [10.0, 10.0]);
        assert!(waypoints.path.waypoints.iter().flatten().all(|x| x.is_finite()));
    }

    #[test]
    fn too_short_is_no_route() {
        let mut waypoints = Waypoints::default();
        assert_eq!(waypoints.route([1.0, 1.0]), None);
        waypoints.click([1.2, 1.0], [10.0, 10.0]);
        assert_eq!(waypoints.route([1.0, 1.0]), None);
    }
}
