//! Bodies and soles to look at: where they are between the last two steps.
//!
//! In: the poses of the last two steps and how far the game is between them. Out: transforms. The simulation goes in whole steps;
//! only what is shown lies between.

use crate::spent::{Lap, Spent};
use crate::terrains::Terrains;
use bevy::prelude::*;
use trample::SolePose;
use trample::body::{JOINTS, NAMES, Placed, Pose};

/// Whether something is drawn, where anything is.
#[cfg(feature = "render")]
pub(crate) type Seen = Visibility;
/// Nothing is drawn.
#[cfg(not(feature = "render"))]
pub(crate) type Seen = NotDrawn;

/// Stands where visibility would.
#[cfg(not(feature = "render"))]
#[derive(Component, Clone, Copy, Debug, Default)]
pub(crate) struct NotDrawn;

/// A walker of the scene: the entity follows the walker's pelvis and heading, and gets a child for every joint. For a walker of a
/// [`crate::TrampleTerrain`] make the entity a child of that terrain.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[require(Transform, Seen)]
pub struct WalkerBody {
    /// Index of the puppet in the scene.
    pub puppet: usize,
}

/// The joints of a [`WalkerBody`], its children, in the order of [`trample::body::Joint`]: for a skinned mesh, or to attach
/// objects to a hand.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joints(pub [Entity; JOINTS]);

/// One sole of any puppet: the entity follows the middle of the sole on its lowest plane. For a puppet of a
/// [`crate::TrampleTerrain`] make the entity a child of that terrain.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[require(Transform, Seen)]
pub struct SoleBody {
    /// Index of the puppet in the scene.
    pub puppet: usize,
    /// Index of the foot.
    pub foot: usize,
}

/// Pose of a puppet for drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PuppetPose {
    /// Its body, if it is a walker.
    pub pose: Option<Pose>,
    /// Heading, rad from +x towards +z.
    pub heading: f32,
    /// Its soles; unlike in a [`trample::Pose`], y is the height, m.
    pub soles: Vec<SolePose>,
    /// Joints in world coordinates.
    pub placed: Option<Placed>,
}

impl PuppetPose {
    pub(crate) fn of(world: &trample::World, id: usize) -> Self {
        let mut shown = Self::default();
        shown.read(world, id);
        shown
    }

    /// Takes over how a puppet is now.
    pub(crate) fn read(&mut self, world: &trample::World, id: usize) {
        let walker = world.walker(id);
        self.pose = walker.map(|(walker, _)| walker.pose);
        self.placed = walker.map(|(walker, skeleton)| skeleton.place(&walker.pose));
        self.heading = walker.map_or(0.0, |(walker, _)| walker.heading as f32);
        self.soles.clear();
        let puppet = world.puppet(id);
        for (k, foot) in puppet.feet.iter().enumerate() {
            let mut sole = puppet.sole(k);
            if !foot.down && puppet.hold == trample::Hold::Pinned {
                sole.position.y += world.height(sole.position.x.into(), sole.position.z.into()) as f32;
            }
            self.soles.push(sole);
        }
    }

    /// Between this and a later moment, `blend` of the way.
    pub(crate) fn towards(&self, later: &Self, blend: f32) -> Self {
        let placed = match (&self.placed, &later.placed) {
            (Some(a), Some(b)) => Some(Placed {
                positions: std::array::from_fn(|j| a.positions[j].lerp(b.positions[j], blend)),
                rotations: std::array::from_fn(|j| turn(a.rotations[j], b.rotations[j], blend)),
            }),
            _ => later.placed,
        };
        let soles = later.soles.iter().enumerate().map(|(k, b)| match self.soles.get(k) {
            Some(a) => SolePose {
                position: a.position.lerp(b.position, blend),
                rotation: turn(a.rotation, b.rotation, blend),
                toe_bend: a.toe_bend + (b.toe_bend - a.toe_bend) * blend,
                ..*b
            },
            None => *b,
        });
        // The short way round.
        let half = std::f32::consts::PI;
        let turned = (later.heading - self.heading + half).rem_euclid(2.0 * half) - half;
        Self { pose: later.pose, heading: self.heading + turned * blend, soles: soles.collect(), placed }
    }
}

/// Between two turns of the same step: so close that a straight line will do.
fn turn(a: Quat, b: Quat, blend: f32) -> Quat {
    a.lerp(b, blend)
}

/// Gives new bodies their joints.
pub(crate) fn grow_joints(
    mut commands: Commands,
    bodies: Query<Entity, (With<WalkerBody>, Without<Joints>)>,
) {
    for body in &bodies {
        let joints = NAMES.map(|name| {
            commands.spawn((Name::new(name), Transform::default(), Seen::default(), ChildOf(body))).id()
        });
        commands.entity(body).insert(Joints(joints));
    }
}

/// Moves bodies and their joints to where they are now.
pub(crate) fn move_bodies(
    terrains: Terrains,
    time: Res<Time<Fixed>>,
    mut bodies: Query<(&WalkerBody, &Joints, &mut Transform, Option<&ChildOf>)>,
    mut joints: Query<&mut Transform, Without<WalkerBody>>,
    mut spent: ResMut<Spent>,
) {
    let _lap = Lap::of(&mut spent.bodies);
    for (body, own, mut transform, parent) in &mut bodies {
        let trample = terrains.above(parent);
        let blend = trample.blend(time.overstep_fraction_f64(), time.timestep().as_secs_f64());
        let Some(PuppetPose { placed: Some(placed), heading, .. }) = trample.pose_between(body.puppet, blend)
        else {
            continue;
        };
        *transform = Transform {
            translation: placed.positions[0],
            rotation: Quat::from_rotation_y(-heading),
            scale: transform.scale,
        };
        let back = transform.rotation.conjugate();
        for (j, joint) in own.0.iter().enumerate() {
            if let Ok(mut local) = joints.get_mut(*joint) {
                local.translation = back * (placed.positions[j] - transform.translation);
                local.rotation = back * placed.rotations[j];
            }
        }
    }
}

/// Moves soles to where they are now.
pub(crate) fn move_soles(
    terrains: Terrains,
    time: Res<Time<Fixed>>,
    mut soles: Query<(&SoleBody, &mut Transform, Option<&ChildOf>)>,
    mut spent: ResMut<Spent>,
) {
    let _lap = Lap::of(&mut spent.bodies);
    for (sole, mut transform, parent) in &mut soles {
        let trample = terrains.above(parent);
        let blend = trample.blend(time.overstep_fraction_f64(), time.timestep().as_secs_f64());
        let shown = trample.pose_between(sole.puppet, blend);
        if let Some(pose) = shown.and_then(|s| s.soles.get(sole.foot).copied()) {
            transform.translation = pose.position;
            transform.rotation = pose.rotation;
        }
    }
}
