//! User actions on a world. All changes to the simulation go through here, so that they can be recorded.
//!
//! Steering is a control input of the world; the others are edits of its scene, after which it continues ([`trample::World::change`]).

use crate::parameter::{Focus, by_key};
use crate::start::standing;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use trample::World;
use trample::glam::Vec3;
use trample::scene::{Control, Motion, Path, Route, Scene, Script, Steer};

/// How far beside its walker a twin without balance goes, m.
pub const BESIDE: f64 = 0.9;
/// What is added to the name of a twin.
pub const TWIN: &str = " (no balance)";

/// Something a person does. As JSON, for tapes, every action but `"remove"` is an object that has a field with its name, such as
/// `{"jump": 0}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The last walker goes.
    Remove,
    /// Steers a walker.
    #[serde(untagged)]
    Steer {
        /// Whom.
        #[serde(rename = "steer")]
        walker: usize,
        /// Where to.
        #[serde(flatten, with = "SteerFields")]
        to: Steer,
    },
    /// Lets a walker jump.
    #[serde(untagged)]
    Jump {
        /// Whom.
        #[serde(rename = "jump")]
        walker: usize,
    },
    /// Pushes a walker.
    #[serde(untagged)]
    Push {
        /// Whom.
        #[serde(rename = "push")]
        walker: usize,
        /// How hard, x and z, N·s.
        impulse: [f32; 2],
    },
    /// Sends a walker along a route.
    #[serde(untagged)]
    Route {
        /// Whom.
        #[serde(rename = "route")]
        walker: usize,
        /// The route.
        #[serde(flatten, with = "RouteFields")]
        along: Route,
    },
    /// Sets a parameter.
    #[serde(untagged)]
    Set {
        /// Its key.
        #[serde(rename = "set")]
        key: String,
        /// Its new value.
        value: f64,
        /// Of which material, patch of plants or walker.
        of: Focus,
    },
    /// One walker more, standing.
    #[serde(untagged)]
    Add {
        /// At x and z, m.
        #[serde(rename = "add")]
        at: [f64; 2],
        /// Looking along a heading, rad.
        heading: f64,
    },
    /// A twin of a walker without balance controller beside it, or none.
    #[serde(untagged)]
    Twin {
        /// Whose.
        #[serde(rename = "twin")]
        walker: usize,
        /// At x and z, m, and with a heading, rad; none takes the twin away.
        place: Option<([f64; 2], f64)>,
    },
}

/// The fields of [`Steer`] in JSON.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Steer")]
struct SteerFields {
    velocity: [f32; 2],
    heading: Option<f32>,
    #[serde(with = "motion")]
    motion: Motion,
}

/// The fields of a [`Route`] that a person makes, in JSON.
#[derive(Serialize, Deserialize)]
struct RouteFields {
    waypoints: Vec<[f64; 2]>,
    passes: u32,
    back_and_forth: bool,
    speed: f64,
    lateral_sd: f64,
    metabolic: bool,
    #[serde(with = "motion")]
    motion: Motion,
}

impl RouteFields {
    fn serialize<S: Serializer>(route: &Route, to: S) -> Result<S::Ok, S::Error> {
        let Route { path, metabolic, motion } = route.clone();
        let Path { waypoints, passes, back_and_forth, speed, lateral_sd, .. } = path;
        let fields = Self { waypoints, passes, back_and_forth, speed, lateral_sd, metabolic, motion };
        Serialize::serialize(&fields, to)
    }

    fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Route, D::Error> {
        let Self { waypoints, passes, back_and_forth, speed, lateral_sd, metabolic, motion } =
            Deserialize::deserialize(from)?;
        let path = Path { waypoints, passes, back_and_forth, speed, lateral_sd, ..Path::default() };
        Ok(Route { path, metabolic, motion })
    }
}

/// A motion is its name.
mod motion {
    use super::{Deserialize, Deserializer, Motion, Serialize, Serializer};
    use serde::de::Error;

    pub(super) fn serialize<S: Serializer>(motion: &Motion, to: S) -> Result<S::Ok, S::Error> {
        Motion::ALL.iter().find(|m| m.1 == *motion).map(|m| m.0).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Motion, D::Error> {
        let name = String::deserialize(from)?;
        let found = Motion::ALL.iter().find(|m| m.0 == name).map(|m| m.1);
        found.ok_or_else(|| D::Error::custom(format!("`{name}` is no motion")))
    }
}

/// What has to be shown anew after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that is not shown anyway.
    Steered,
    /// Numbers of the ground.
    Tuned,
    /// The walkers, or the plants.
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
    /// Steers a walker.
    pub fn steer(walker: usize, to: Steer) -> Self {
        Self::Steer { walker, to }
    }

    /// Sets a parameter, by its key.
    pub fn set(key: impl Into<String>, of: Focus, value: f64) -> Self {
        Self::Set { key: key.into(), value, of }
    }

    /// Does it.
    ///
    /// # Errors
    /// If it cannot be done; the world is then as it was.
    pub fn apply(&self, world: &mut World) -> Result<Effect, String> {
        match self {
            Self::Steer { walker, to } => {
                world.control(*walker, Control::Walk(*to));
                Ok(Effect::Steered)
            }
            Self::Jump { walker } => {
                world.jump(*walker);
                Ok(Effect::Steered)
            }
            Self::Push { walker, impulse: [x, z] } => {
                world.push(*walker, Vec3::new(*x, 0.0, *z));
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
            Self::Steer { .. } | Self::Jump { .. } | Self::Push { .. } => {}
            Self::Route { walker, along } => {
                let puppet = scene.puppets.get_mut(*walker).ok_or("there is no such walker")?;
                let Script::Walker(spec) = &mut puppet.script else {
                    return Err("only a walker can follow a route".into());
                };
                spec.control = Control::Route(along.clone());
            }
            Self::Set { key, value, of } => {
                let row = by_key(key).ok_or_else(|| format!("`{key}`: no such parameter"))?;
                row.set(scene, *of, *value)?;
            }
            Self::Add { at, heading } => {
                let walkers = scene.puppets.iter().filter(|p| matches!(p.script, Script::Walker(_))).count();
                scene.puppets.push(standing(&format!("walker {}", walkers + 1), *at, *heading));
            }
            Self::Remove => {
                if scene.puppets.len() < 2 {
                    return Err("the last one stays".into());
                }
                scene.puppets.pop();
            }
            Self::Twin { walker, place } => match (place, twin_of(scene, *walker)) {
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
                        beside(&mut route.path, scene.terrain.size);
                    }
                    twin.name += TWIN;
                    scene.puppets.push(twin);
                }
                _ => {}
            },
        }
        Ok(())
    }
}

/// Moves a route beside itself, as far as the terrain goes.
fn beside(path: &mut Path, size: [f64; 2]) {
    let (first, last) = (path.waypoints[0], path.waypoints[path.waypoints.len() - 1]);
    let (dx, dz) = (last[0] - first[0], last[1] - first[1]);
    let length = (dx * dx + dz * dz).sqrt().max(1e-9);
    let across = [-dz / length * BESIDE, dx / length * BESIDE];
    for at in &mut path.waypoints {
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
            Action::Add { at: free_place(&world, 0), heading: 0.0 }.apply(&mut world).expect("adds");
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
        Action::Add { at: [6.5, 4.0], heading: 0.0 }.apply(&mut world).expect("adds");
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
        let path = Path { passes: 7, lateral_sd: 0.11, ..Path::along([[1.0, 2.0], [3.25, 4.5]]) };
        vec![
            Action::steer(0, Steer { velocity: [1.3, -0.7], heading: None, motion: Motion::Run }),
            Action::steer(2, Steer { velocity: [0.1, 0.2], heading: Some(0.3), motion: Motion::Sidestep }),
            Action::Jump { walker: 1 },
            Action::Push { walker: 1, impulse: [40.0, -20.0] },
            Action::Route { walker: 0, along: Route { path, metabolic: true, motion: Motion::Auto } },
            Action::set("ground.layer", Focus { material: 0, patch: 1, walker: 2 }, 0.123),
            Action::Add { at: [1.0, 2.0], heading: -0.5 },
            Action::Remove,
            Action::Twin { walker: 0, place: Some(([1.5, 2.5], 0.25)) },
            Action::Twin { walker: 0, place: None },
        ]
    }

    #[test]
    fn every_action_comes_back_from_json() {
        for action in all() {
            let text = serde_json::to_string(&action).expect("written");
            assert_eq!(serde_json::from_str::<Action>(&text).ok().as_ref(), Some(&action), "{text}");
        }
        assert!(serde_json::from_str::<Action>(r#"{"unknown": 1}"#).is_err());
    }

    #[test]
    fn tapes_are_written_and_read_as_they_always_were() {
        let lines = [
            r#"{"steer":0,"velocity":[1.5,-0.75],"heading":null,"motion":"run"}"#,
            r#"{"steer":2,"velocity":[0.5,0.25],"heading":0.125,"motion":"sidestep"}"#,
            r#"{"jump":1}"#,
            r#"{"route":0,"waypoints":[[1.0,2.0],[3.25,4.5]],"passes":7,"back_and_forth":false,"speed":1.25,"lateral_sd":0.11,"metabolic":true,"motion":"auto"}"#,
            r#"{"set":"ground.layer","value":0.123,"of":[0,1,2]}"#,
            r#"{"add":[1.0,2.0],"heading":-0.5}"#,
            r#""remove""#,
            r#"{"twin":0,"place":[[1.5,2.5],0.25]}"#,
            r#"{"twin":0,"place":null}"#,
        ];
        for line in lines {
            let action: Action = serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(serde_json::to_string(&action).expect("written"), line);
        }
        // As the steering of tapes was written before: single precision in all its digits.
        let old = r#"{"steer":0,"velocity":[1.2999999523162842,0.0],"heading":null,"motion":"auto"}"#;
        let steer = Steer { velocity: [1.3, 0.0], heading: None, motion: Motion::Auto };
        assert_eq!(serde_json::from_str::<Action>(old).expect("read"), Action::steer(0, steer));
    }

    #[test]
    fn a_twin_comes_and_goes() {
        let mut world = World::new(&stroll()).expect("world");
        let twin = Action::Twin { walker: 0, place: Some(([5.12, 6.0], 0.0)) };
        assert_eq!(twin.apply(&mut world), Ok(Effect::Rebuilt));
        assert_eq!(twin_of(world.scene(), 0), Some(1));
        let Script::Walker(spec) = &world.scene().puppets[1].script else { panic!("a walker") };
        assert!(!spec.balance);
        Action::Twin { walker: 0, place: None }.apply(&mut world).expect("goes");
        assert_eq!(world.puppets(), 1);
    }

    #[test]
    fn what_cannot_be_done_changes_nothing() {
        let mut world = World::new(&stroll()).expect("world");
        let hash = world.hash();
        for bad in [
            Action::set("ground.layer", Focus::default(), 99.0),
            Action::set("ground.nonsense", Focus::default(), 1.0),
            Action::set("plants.spacing", Focus::default(), 0.002),
            Action::Remove,
            Action::Add { at: [-5.0, 0.0], heading: 0.0 },
            Action::Route { walker: 4, along: Route::default() },
        ] {
            assert!(bad.apply(&mut world).is_err(), "{bad:?}");
            assert_eq!(world.hash(), hash);
        }
    }
}
