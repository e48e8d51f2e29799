//! The game's own animated figure: foot bones in, ground out.
//!
//! In: global transforms of two bones, as the last frame left them. Out: sole poses with velocities for every step, and what each
//! foot meets. Frames and steps do not fall together; a step gets the pose between the last two frames that belongs to its time.

use crate::terrains::{Terrains, TerrainsMut};
use bevy::prelude::*;
use trample::{Hold, Pose, SolePose};

/// A figure animated by the game whose feet press the ground. Its puppet in the scene has [`trample::Script::Host`] with two feet. With
/// [`Hold::Free`] a sole touches where the game moves it into the ground; with [`Hold::Pinned`] it stands on the ground that it
/// presses as soon as the game moves it to the original surface. Both press with the body's weight and landing momentum, and
/// [`FootGround::height`] is the height at which the game should draw the foot.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[require(GroundUnderFoot, Sampled)]
pub struct Puppet {
    /// Index of the puppet in the scene.
    pub puppet: usize,
    /// The foot bones, right and left.
    pub feet: [Entity; 2],
    /// Transform from each bone to the middle of its sole on the lowest plane; a sole points along x, y is up.
    pub soles: [Transform; 2],
    /// The bone nearest to the centre of mass, to distribute the weight over the feet; the middle of the feet if `None`.
    pub pelvis: Option<Entity>,
    /// Entity of the [`crate::TrampleTerrain`] it stands on; the main terrain, the resource [`crate::Trample`], if `None`. A figure
    /// that moves between terrains needs one puppet on each.
    pub terrain: Option<Entity>,
}

impl Puppet {
    /// A puppet whose foot bones lie in the soles and point along x.
    pub fn new(puppet: usize, feet: [Entity; 2]) -> Self {
        Self { puppet, feet, soles: [Transform::IDENTITY; 2], pelvis: None, terrain: None }
    }
}

/// The ground under one foot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootGround {
    /// Whether the foot is on the ground.
    pub down: bool,
    /// Mean depth of the ground under the sole below its original height, m.
    pub depth: f32,
    /// Mean force into the ground in the last step, N.
    pub force: f32,
    /// Height of the ground under the middle of the sole, m; for the game's foot placement.
    pub height: f32,
    /// Upward normal of the ground there.
    pub normal: Vec3,
}

/// The ground under the feet of a [`Puppet`]; written in [`crate::TrampleSet::WriteBack`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct GroundUnderFoot {
    /// Right and left.
    pub feet: [FootGround; 2],
}

/// Poses of the bones in the last two frames.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(crate) struct Sampled {
    /// When by the game's clock, s, and the poses.
    frames: [Option<(f64, Frame)>; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    soles: [(Vec3, Quat); 2],
    centre: Vec3,
}

impl Frame {
    /// The same frame relative to `origin`.
    fn from(self, origin: Vec3) -> Self {
        Self { soles: self.soles.map(|(p, q)| (p - origin, q)), centre: self.centre - origin }
    }

    fn towards(&self, later: &Self, blend: f32) -> Self {
        Self {
            soles: std::array::from_fn(|k| {
                let ((p, q), (r, s)) = (self.soles[k], later.soles[k]);
                (p.lerp(r, blend), q.slerp(s, blend))
            }),
            centre: self.centre.lerp(later.centre, blend),
        }
    }
}

/// What a hosted puppet does during one fixed update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hosted {
    from: Frame,
    to: Frame,
    velocity: [Vec3; 2],
    spin: [Vec3; 2],
}

impl Hosted {
    /// Its pose `share` of the way through the update. A pinned sole, whose height the ground decides, is told how far it is above
    /// the original ground.
    pub(crate) fn at(&self, share: f32, world: &trample::World, id: usize) -> Pose {
        let frame = self.from.towards(&self.to, share);
        let pinned = world.puppet(id).hold == Hold::Pinned;
        let place = |p: Vec3| {
            let floor = if pinned { world.ground().base.height(p.x.into(), p.z.into()) as f32 } else { 0.0 };
            Vec3::new(p.x, if pinned { (p.y - floor).max(0.0) } else { p.y }, p.z)
        };
        let soles = (0..2).map(|k| SolePose {
            position: place(frame.soles[k].0),
            rotation: frame.soles[k].1,
            velocity: self.velocity[k],
            spin: self.spin[k],
            ..SolePose::default()
        });
        Pose { soles: soles.collect(), center_of_mass: frame.centre, ..Pose::default() }
    }
}

/// Reads the bones once a frame, before the fixed updates.
pub(crate) fn sample(
    time: Res<Time<Virtual>>,
    bones: Query<&GlobalTransform>,
    mut puppets: Query<(&Puppet, &mut Sampled)>,
) {
    for (puppet, mut sampled) in &mut puppets {
        let [Ok(right), Ok(left)] = puppet.feet.map(|foot| bones.get(foot)) else { continue };
        let soles: [(Vec3, Quat); 2] = std::array::from_fn(|k| {
            let sole = [right, left][k].mul_transform(puppet.soles[k]);
            (sole.translation(), sole.rotation())
        });
        let middle = 0.5 * (soles[0].0 + soles[1].0);
        let pelvis = puppet.pelvis.and_then(|bone| bones.get(bone).ok());
        let centre = pelvis.map_or(middle, GlobalTransform::translation);
        // What the last frame placed is shown now: so it belongs to now, and no step has to guess ahead.
        sampled.frames = [sampled.frames[1], Some((time.elapsed_secs_f64(), Frame { soles, centre }))];
    }
}

/// Computes the motion of the feet in this fixed update.
pub(crate) fn sync_in(
    mut terrains: TerrainsMut,
    time: Res<Time<Fixed>>,
    puppets: Query<(&Puppet, &Sampled)>,
) {
    let (end, tick) = (time.elapsed_secs_f64(), time.timestep().as_secs_f64());
    for (puppet, sampled) in &puppets {
        let Some((t1, to)) = sampled.frames[1] else { continue };
        let (t0, from) = sampled.frames[0].unwrap_or((t1, to));
        let Some((trample, origin)) = terrains.get(puppet.terrain) else { continue };
        let span = t1 - t0;
        let at = |t: f64| {
            let share = if span > 0.0 { ((t - t0) / span).clamp(0.0, 1.0) } else { 1.0 };
            from.towards(&to, share as f32)
        };
        let rate = if span > 0.0 { (1.0 / span) as f32 } else { 0.0 };
        let host = matches!(
            trample.world().scene().puppets.get(puppet.puppet).map(|spec| &spec.script),
            Some(trample::Script::Host { feet: 2 })
        );
        let hosted = Hosted {
            from: at(end - tick).from(origin),
            to: at(end).from(origin),
            velocity: std::array::from_fn(|k| (to.soles[k].0 - from.soles[k].0) * rate),
            spin: std::array::from_fn(|k| {
                let turn = to.soles[k].1 * from.soles[k].1.conjugate();
                let turn = if turn.w < 0.0 { -turn } else { turn };
                turn.to_scaled_axis() * rate
            }),
        };
        if let Some(slot) = trample.hosted.get_mut(puppet.puppet).filter(|_| host) {
            *slot = Some(hosted);
        }
    }
}

/// Writes the ground under the feet of the figures.
pub(crate) fn write_back(terrains: Terrains, mut puppets: Query<(&Puppet, &mut GroundUnderFoot)>) {
    for (puppet, mut ground) in &mut puppets {
        let Some((trample, origin)) = terrains.get(puppet.terrain) else { continue };
        let world = trample.world();
        if puppet.puppet >= world.puppets() {
            continue;
        }
        let state = world.puppet(puppet.puppet);
        let feet = std::array::from_fn(|k| {
            let (Some(foot), Some(sole)) = (state.feet.get(k), state.pose.soles.get(k)) else {
                return FootGround::default();
            };
            let [x, z] = [sole.position.x, sole.position.z].map(f64::from);
            let force = world.report().contacts.iter().find(|c| c.puppet == puppet.puppet && c.foot == k);
            let reach = 2.0 * world.ground().cell;
            let slope = |dx: f64, dz: f64| {
                ((world.height(x - dx, z - dz) - world.height(x + dx, z + dz)) / (2.0 * reach)) as f32
            };
            FootGround {
                down: foot.down,
                depth: foot.depth as f32,
                force: force.map_or(0.0, |c| c.normal_force as f32),
                height: origin.y + world.height(x, z) as f32,
                normal: Vec3::new(slope(reach, 0.0), 1.0, slope(0.0, reach)).normalize(),
            }
        });
        ground.set_if_neq(GroundUnderFoot { feet });
    }
}
