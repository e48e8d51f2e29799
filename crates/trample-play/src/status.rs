//! The status object: what tests and scripts read of a running session, as JSON.

use crate::parameter::parameters;
use crate::session::Session;
use serde::Serialize;
use serde_json::{Map as Object, Value, json};
use std::collections::BTreeMap;
use trample::{Map, World};

/// What the window knows and the session does not.
#[derive(Clone, Debug, Serialize)]
pub struct WindowState {
    /// Frames drawn.
    pub frame: u64,
    /// Size of the window, pixels.
    pub window: [u32; 2],
    /// Size of the picture of the world, pixels.
    pub picture: [u32; 2],
    /// Which camera.
    pub camera: &'static str,
    /// The eye, m.
    pub eye: [f32; 3],
    /// The map that is drawn over the world.
    pub overlay: Option<&'static str>,
    /// What else is.
    pub switches: Vec<&'static str>,
    /// Looks and speed.
    pub quality: &'static str,
    /// Whether time stands still.
    pub paused: bool,
    /// Simulated seconds per second.
    pub time_scale: f64,
    /// Whether the panel is open.
    pub panel: bool,
    /// Whether help is shown.
    pub help: bool,
    /// Whether footsteps are heard, and how many were.
    pub sound: (bool, u64),
    /// Whether the ring of places is shown.
    pub places: bool,
    /// Of a season that is played: days that the time bar shows, days that are known, days in all.
    pub season: Option<[f64; 3]>,
    /// Whether the world is being wound to another time.
    pub winding: bool,
    /// Waypoints placed and not walked yet.
    pub waypoints: usize,
    /// Bytes sent to the graphics card for the ground in the last frame and for a whole ground.
    pub uploaded: [u64; 2],
    /// Where the panel's sliders are, by key: left, top, width of the rail and height, pixels.
    pub sliders: BTreeMap<String, [f32; 4]>,
    /// The last message.
    pub notice: String,
    /// Seconds from the start of the program to the first frame.
    pub first_frame: f64,
}

/// The status of a session.
pub fn status(session: &Session, world: &World, shown: &WindowState) -> Value {
    let focus = session.focus;
    let parameters: Object<String, Value> = parameters()
        .iter()
        .filter_map(|row| Some((row.key(), json!(row.get(world.scene(), focus)?))))
        .collect();
    let walkers: Vec<Value> = (0..world.puppets())
        .filter_map(|id| {
            let (walker, _) = world.walker(id)?;
            let v = walker.velocity;
            // Soles are told from the ground up: with both feet in the air, how high the lower one is.
            let lift = world.puppet(id).pose.soles.iter().map(|s| s.position.y).fold(f32::INFINITY, f32::min);
            Some(json!({
                "name": world.scene().puppets[id].name,
                "at": [walker.root.x, walker.root.y],
                "heading": walker.heading,
                "speed": f64::from((v.x * v.x + v.z * v.z).sqrt()),
                "pass": walker.pass,
                "lift": if lift.is_finite() { f64::from(lift) } else { 0.0 },
            }))
        })
        .collect();
    let meters = &session.meters;
    let stages: Vec<f64> = meters.stages.iter().map(|c| c.last().unwrap_or(0.0)).collect();
    let mut status = json!({
        "scene": world.scene().name,
        "time": world.time(),
        "steps": world.steps(),
        "hash": format!("{:016x}", world.hash()),
        "walkers": walkers,
        "footfalls": meters.steps,
        "distance": meters.distance,
        "passes": meters.passes,
        "deepest": meters.deepest,
        "cover": meters.cover.last(),
        "compressed": world.map(Map::Compression).max(),
        "touched_cells": world.touched_cells(),
        "volume_error": world.volume().relative_error,
        "parameters": parameters,
        "step_seconds": meters.step_time(),
        "stage_seconds": stages,
        "frame_rate": meters.frame_rate(),
        "undo_reach": session.undo.reach(world.time()),
        "tape_steps": session.tape.steps(),
        "replaying": session.player.is_some(),
        "diverged": session.replayed.and_then(|(step, _)| step),
        "replayed": session.replayed.map(|(_, steps)| steps),
    });
    let window = serde_json::to_value(shown).expect("plain data can always be written");
    status.as_object_mut().expect("an object").extend(window.as_object().expect("an object").clone());
    status
}
