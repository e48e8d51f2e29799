//! What a person can do to a world. Everything that changes the simulation goes through here, so that it can be recorded.
//!
//! Steering is told to the world; the rest are edits of its scene, after which the world goes on ([`trample::World::change`]).

use crate::start::standing;
use crate::table::{Focus, by_key};
use serde_json::{Value, json};
use trample::World;
use trample::scene::{Control, Motion, Route, Scene, Script, Steer, Walk};

/// How far beside its walker a twin without balance goes, m.
pub const BESIDE: f64 = 0.9;
/// What is added to the name of a twin.
pub const TWIN: &str = " (no balance)";

/// Something a person does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Steers a walker.
    Steer(usize, Steer),
    /// Lets it jump.
    Jump(usize),
    /// Sends it along a route.
    Route(usize, Route),
    /// Sets a parameter, by its key.
    Set(String, Focus, f64),
    /// One walker more, standing at x and z, looking along a heading.
    Add([f64; 2], f64),
    /// The last walker goes.
    Remove,
    /// A twin of a walker without balance controller beside it, at x and z and with a heading; or none.
    Twin(usize, Option<([f64; 2], f64)>),
}

/// What has to be shown anew after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that is not shown anyway.
    Steered,
    /// Numbers of the ground.
    Tuned,
    /// Who is there, or what grows.
    Rebuilt,
}

/// Whether a puppet is a twin.
pub fn is_twin(name: &str) -> bool {
    name.ends_with(TWIN)
}

/// A place for one more walker near a puppet, m: inside the ground, and as far from everybody else as there is room for.
pub fn free_place(world: &World, near: usize) -> [f64; 2] {
    let size = world.scene().terrain.size;
    let taken: Vec<[f64; 2]> =
        (0..world.puppets()).filter_map(|id| world.walker(id)).map(|(w, _)| [w.root.x, w.root.y]).collect();
    let from = world.walker(near).map_or(size.map(|s| 0.5 * s), |(w, _)| [w.root.x, w.root.y]);
    let room = |at: &[f64; 2]| {
        let far = |other: &[f64; 2]| libm::hypot(other[0] - at[0], other[1] - at[1]);
        // More than two metres are no better than two.
        taken.iter().map(far).fold(2.0, f64::min)
    };
    let mut best = (f64::NEG_INFINITY, from);
    for ring in 1..=8 {
        for k in 0..8 * ring {
            let (far, way) =
                (0.8 * f64::from(ring), std::f64::consts::TAU * f64::from(k) / f64::from(8 * ring));
            let at = [from[0] + far * libm::cos(way), from[1] + far * libm::sin(way)];
            let inside = (0..2).all(|i| (0.3..size[i] - 0.3).contains(&at[i]));
            // Nearer rings are asked first, and are good enough from arm's length on.
            let good = room(&at).min(0.75);
            if inside && good > best.0 + 1e-9 {
                best = (good, at);
            }
        }
    }
    best.1
}

/// The twin of a puppet, if it has one.
pub fn twin_of(scene: &Scene, walker: usize) -> Option<usize> {
    let name = format!("{}{TWIN}", scene.puppets.get(walker)?.name);
    scene.puppets.iter().position(|p| p.name == name)
}

impl Action {
    /// Does it.
    ///
    /// # Errors
    /// If it cannot be done; the world is then as it was.
    pub fn apply(&self, world: &mut World) -> Result<Effect, String> {
        match self {
            Self::Steer(walker, steer) => {
                world.control(*walker, Control::Walk(*steer));
                Ok(Effect::Steered)
            }
            Self::Jump(walker) => {
                world.jump(*walker);
                Ok(Effect::Steered)
            }
            _ => {
                let mut scene = world.scene().clone();
                self.edit(&mut scene)?;
                let before = world.scene();
                let effect = if scene.puppets != before.puppets || scene.plants != before.plants {
                    Effect::Rebuilt
                } else {
                    Effect::Tuned
                };
                world.change(&scene).map_err(|e| e.to_string())?;
                Ok(effect)
            }
        }
    }

    /// What it does to the scene; steering does nothing to it.
    ///
    /// # Errors
    /// If the scene has nothing of the kind.
    pub fn edit(&self, scene: &mut Scene) -> Result<(), String> {
        match self {
            Self::Steer(..) | Self::Jump(_) => {}
            Self::Route(walker, route) => {
                let puppet = scene.puppets.get_mut(*walker).ok_or("there is no such walker")?;
                let Script::Walker(spec) = &mut puppet.script else {
                    return Err("only a walker can follow a route".into());
                };
                spec.control = Control::Route(route.clone());
            }
            Self::Set(key, focus, value) => {
                let row = by_key(key).ok_or_else(|| format!("`{key}`: no such parameter"))?;
                row.set(scene, *focus, *value)?;
            }
            Self::Add(at, heading) => {
                let walkers = scene.puppets.iter().filter(|p| matches!(p.script, Script::Walker(_))).count();
                scene.puppets.push(standing(&format!("walker {}", walkers + 1), *at, *heading));
            }
            Self::Remove => {
                if scene.puppets.len() < 2 {
                    return Err("the last one stays".into());
                }
                scene.puppets.pop();
            }
            Self::Twin(walker, place) => match (place, twin_of(scene, *walker)) {
                (None, Some(twin)) => {
                    scene.puppets.remove(twin);
                }
                (Some((at, heading)), None) => {
                    let mut twin = scene.puppets.get(*walker).ok_or("there is no such walker")?.clone();
                    let Script::Walker(spec) = &mut twin.script else {
                        return Err("only a walker has a balance controller".into());
                    };
                    (spec.balance, spec.position, spec.heading) = (false, *at, *heading);
                    if let Control::Route(route) = &mut spec.control {
                        beside(&mut route.walk, scene.terrain.size);
                    }
                    twin.name += TWIN;
                    scene.puppets.push(twin);
                }
                _ => {}
            },
        }
        Ok(())
    }

    /// As JSON, for tapes.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Steer(walker, steer) => json!({
                "steer": walker, "velocity": steer.velocity, "heading": steer.heading,
                "motion": Motion::ALL.iter().find(|m| m.1 == steer.motion).map(|m| m.0),
            }),
            Self::Jump(walker) => json!({ "jump": walker }),
            Self::Route(walker, route) => json!({
                "route": walker, "waypoints": route.walk.waypoints, "passes": route.walk.passes,
                "back_and_forth": route.walk.back_and_forth, "speed": route.walk.speed,
                "lateral_sd": route.walk.lateral_sd, "metabolic": route.metabolic,
                "motion": Motion::ALL.iter().find(|m| m.1 == route.motion).map(|m| m.0),
            }),
            Self::Set(key, focus, value) => json!({
                "set": key, "value": value, "of": [focus.material, focus.patch, focus.walker],
            }),
            Self::Add(at, heading) => json!({ "add": at, "heading": heading }),
            Self::Remove => json!("remove"),
            Self::Twin(walker, place) => json!({ "twin": walker, "place": place }),
        }
    }

    /// From JSON; none if it is nothing of ours.
    pub fn from_json(value: &Value) -> Option<Self> {
        if value == "remove" {
            return Some(Self::Remove);
        }
        let index = |key: &str| value.get(key)?.as_u64().and_then(|x| usize::try_from(x).ok());
        let number = |key: &str| value.get(key)?.as_f64();
        let on = |key: &str| value.get(key)?.as_bool();
        let motion = || {
            let name = value.get("motion")?.as_str()?;
            Motion::ALL.iter().find(|m| m.0 == name).map(|m| m.1)
        };
        if let Some(walker) = index("steer") {
            let velocity = pair(value.get("velocity")?)?.map(|x| x as f32);
            let heading = number("heading").map(|x| x as f32);
            return Some(Self::Steer(walker, Steer { velocity, heading, motion: motion()? }));
        }
        if let Some(walker) = index("jump") {
            return Some(Self::Jump(walker));
        }
        if let Some(walker) = index("route") {
            let waypoints = value.get("waypoints")?.as_array()?.iter().map(pair).collect::<Option<_>>()?;
            let walk = Walk {
                waypoints,
                passes: u32::try_from(index("passes")?).ok()?,
                back_and_forth: on("back_and_forth")?,
                speed: number("speed")?,
                lateral_sd: number("lateral_sd")?,
                ..Walk::default()
            };
            let route = Route { walk, metabolic: on("metabolic")?, motion: motion()? };
            return Some(Self::Route(walker, route));
        }
        if let Some(key) = value.get("set").and_then(Value::as_str) {
            let of = value.get("of")?.as_array()?;
            let of = |i: usize| of.get(i)?.as_u64().and_then(|x| usize::try_from(x).ok());
            let focus = Focus { material: of(0)?, patch: of(1)?, walker: of(2)? };
            return Some(Self::Set(key.into(), focus, number("value")?));
        }
        if let Some(at) = value.get("add") {
            return Some(Self::Add(pair(at)?, number("heading")?));
        }
        let walker = index("twin")?;
        let place = value.get("place")?;
        if place.is_null() {
            return Some(Self::Twin(walker, None));
        }
        Some(Self::Twin(walker, Some((pair(place.get(0)?)?, place.get(1)?.as_f64()?))))
    }
}

fn pair(value: &Value) -> Option<[f64; 2]> {
    Some([value.get(0)?.as_f64()?, value.get(1)?.as_f64()?])
}

/// Moves a route beside itself, as far as the terrain goes.
fn beside(walk: &mut Walk, size: [f64; 2]) {
    let (first, last) = (walk.waypoints[0], walk.waypoints[walk.waypoints.len() - 1]);
    let (dx, dz) = (last[0] - first[0], last[1] - first[1]);
    let length = (dx * dx + dz * dz).sqrt().max(1e-9);
    let across = [-dz / length * BESIDE, dx / length * BESIDE];
    for at in &mut walk.waypoints {
        *at = [0, 1].map(|k| (at[k] + across[k]).clamp(0.3, (size[k] - 0.3).max(0.3)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::stroll;

    #[test]
    fn nobody_is_put_into_anybody_else() {
        let mut world = World::new(&stroll()).expect("world");
        for _ in 0..6 {
            Action::Add(free_place(&world, 0), 0.0).apply(&mut world).expect("adds");
        }
        let at: Vec<_> = (0..7).map(|id| world.walker(id).expect("walker").0.root).collect();
        for (i, a) in at.iter().enumerate() {
            assert!(at[..i].iter().all(|b| (*a - *b).length() > 0.7), "{i} stands in somebody: {at:?}");
        }
    }

    #[test]
    fn a_walker_that_comes_stands_on_the_ground_before_time_goes_on() {
        let mut world = World::new(&stroll()).expect("world");
        for _ in 0..30 {
            world.step(1.0 / 60.0);
        }
        Action::Add([6.5, 4.0], 0.0).apply(&mut world).expect("adds");
        for id in 0..2 {
            for sole in world.drawn_soles(id).expect("soles") {
                let ground = world.height(f64::from(sole.position.x), f64::from(sole.position.z));
                let gap = f64::from(sole.position.y) - ground;
                // Its feet follow the slope from the first step on.
                assert!(gap.abs() < 0.05, "walker {id}: a sole is {gap} m above the ground");
            }
        }
    }

    fn all() -> Vec<Action> {
        let walk =
            Walk { waypoints: vec![[1.0, 2.0], [3.25, 4.5]], passes: 7, lateral_sd: 0.11, ..Walk::default() };
        vec![
            Action::Steer(0, Steer { velocity: [1.3, -0.7], heading: None, motion: Motion::Run }),
            Action::Steer(2, Steer { velocity: [0.1, 0.2], heading: Some(0.3), motion: Motion::Sidestep }),
            Action::Jump(1),
            Action::Route(0, Route { walk, metabolic: true, motion: Motion::Auto }),
            Action::Set("ground.layer".into(), Focus { material: 0, patch: 1, walker: 2 }, 0.123),
            Action::Add([1.0, 2.0], -0.5),
            Action::Remove,
            Action::Twin(0, Some(([1.5, 2.5], 0.25))),
            Action::Twin(0, None),
        ]
    }

    #[test]
    fn every_action_comes_back_from_json() {
        for action in all() {
            let text = action.to_json().to_string();
            let back = serde_json::from_str(&text).ok().and_then(|v| Action::from_json(&v));
            assert_eq!(back.as_ref(), Some(&action), "{text}");
        }
        assert_eq!(Action::from_json(&json!({ "unknown": 1 })), None);
    }

    #[test]
    fn a_twin_comes_and_goes() {
        let mut world = World::new(&stroll()).expect("world");
        let twin = Action::Twin(0, Some(([5.12, 6.0], 0.0)));
        assert_eq!(twin.apply(&mut world), Ok(Effect::Rebuilt));
        assert_eq!(twin_of(world.scene(), 0), Some(1));
        let Script::Walker(spec) = &world.scene().puppets[1].script else { panic!("a walker") };
        assert!(!spec.balance);
        Action::Twin(0, None).apply(&mut world).expect("goes");
        assert_eq!(world.puppets(), 1);
    }

    #[test]
    fn what_cannot_be_done_changes_nothing() {
        let mut world = World::new(&stroll()).expect("world");
        let hash = world.hash();
        for bad in [
            Action::Set("ground.layer".into(), Focus::default(), 99.0),
            Action::Set("ground.nonsense".into(), Focus::default(), 1.0),
            Action::Set("plants.spacing".into(), Focus::default(), 0.002),
            Action::Remove,
            Action::Add([-5.0, 0.0], 0.0),
            Action::Route(4, Route::default()),
        ] {
            assert!(bad.apply(&mut world).is_err(), "{bad:?}");
            assert_eq!(world.hash(), hash);
        }
    }
}
