//! Wishes and ground to poses. In: scripts, routes and controls, the ground of the step before. Out: where every sole is.
//!
//! A walker: what it wants (`control`) → which clip plays (`matching`) → where its feet go (`foot`) → how it leans
//! (`balance`); its pelvis and legs follow when the ground has carried it ([`super::stand`]). A pose with a number that is not one takes its puppet out of the simulation
//! and into the report; the rest goes on.

mod balance;
pub mod control;
pub(crate) mod foot;
mod matching;

use crate::motion::clip::Kind;
use crate::motion::database::{Database, Shot, slope_tags, tag};
use crate::scene::script::GRAVITY;
use crate::scene::{ForceModel, Motion, Scene, Script, WalkerSpec};
use crate::state::puppet::Drive;
use crate::state::{Ground, Pose, Puppet, Walker};
use crate::world::{Event, Report};
use control::Wanted;
use glam::{DVec2, Quat, Vec2, Vec3};
use std::sync::Arc;

/// Kinds of clips a walker that moves with `now` may use: starts, stops and walks on a slope like this one; standing and
/// turning on the spot where it is slow or wants to be, runs where it wants to be faster than a walk, turns about where it
/// wants to go back.
fn kinds(slope: f64, now: DVec2, wanted: &Wanted) -> u32 {
    let (speed, goal) = (now.length(), wanted.velocity.length());
    let slow = speed < 0.8 || goal < 0.3;
    let back = now.dot(wanted.velocity) < -0.2 * speed * goal;
    let run = match wanted.motion {
        Motion::Walk => false,
        Motion::Run => goal > SLOWEST_RUN || speed > SLOWEST_RUN,
        _ => goal > FASTEST_WALK || speed > FASTEST_WALK,
    };
    let some = [
        (Kind::Idle, slow),
        (Kind::Spin, slow),
        (Kind::Plant, back),
        (Kind::Sidestep, true),
        (Kind::Backward, true),
        (Kind::Run, run),
    ];
    let tags = some.iter().filter(|(_, may)| *may).map(|(kind, _)| tag(*kind)).sum::<u32>();
    // A runner starts and stops through the level clips, which know its speeds.
    tags | slope_tags(if run { 0.0 } else { libm::atan(slope) as f32 })
}

/// Faster than this people run, m/s: a Froude number of 0.5 for legs of 0.9 m.
const FASTEST_WALK: f64 = 2.1;
/// Slower than this nobody runs, m/s.
const SLOWEST_RUN: f64 = 1.5;

/// A walker on its way through a step: what [`super::stand`] needs to put its body over its feet.
#[derive(Clone, Debug)]
pub(crate) struct Stride {
    /// Whose.
    pub(crate) puppet: usize,
    /// The body as its motion has it.
    pub(crate) shot: Shot,
    /// Its feet, left and right.
    pub(crate) feet: [foot::Placed; 2],
}

/// Moves every puppet that is not a host's from `time` on by `dt`, and looks the poses over.
#[allow(clippy::too_many_arguments, reason = "what the world is made of, taken apart once per step")]
pub(crate) fn run(
    scene: &Scene,
    time: f64,
    dt: f64,
    ground: &Ground,
    databases: &[Arc<Database>],
    puppets: &mut [Puppet],
    strides: &mut Vec<Stride>,
    report: &mut Report,
) {
    strides.clear();
    for (id, (puppet, spec)) in puppets.iter_mut().zip(&scene.puppets).enumerate() {
        if puppet.quarantined {
            continue;
        }
        // Each puppet has its own random numbers.
        let seed = seed_of(scene.seed, id);
        match &spec.script {
            Script::Walker(walker) => {
                if let Some((shot, feet)) = walk(puppet, walker, databases, ground, seed, dt) {
                    strides.push(Stride { puppet: id, shot, feet });
                }
            }
            Script::Host { .. } => {}
            script => {
                script.pose(time + dt, spec.height, seed, &ground.base, &mut puppet.pose);
                keep_on_the_map(&mut puppet.pose, ground, spec.foot_length.max(spec.foot_width));
            }
        }
        let complete = puppet.pose.soles.len() == puppet.feet.len();
        if !complete || !puppet.pose.is_finite() {
            puppet.quarantined = true;
            for foot in &mut puppet.feet {
                foot.down = false;
            }
            report.events.push(Event::Quarantined { puppet: id });
        }
    }
}

/// One walker, one step.
fn walk(
    puppet: &mut Puppet,
    spec: &WalkerSpec,
    databases: &[Arc<Database>],
    ground: &Ground,
    seed: u64,
    dt: f64,
) -> Option<(Shot, [foot::Placed; 2])> {
    let walker = puppet.walker.as_deref_mut()?;
    let data = &databases[walker.database];
    let before = walker.root;
    // Thoughts fall on the steps nearest to their times.
    if walker.think_in <= 0.5 * dt {
        walker.think_in += matching::THINKS;
        think(walker, spec, data, ground, seed, puppet.mass);
    }
    walker.think_in -= dt;
    walker.age += dt;
    let shot = matching::play(walker, data, dt);
    let growth = growth_around(walker, ground);
    let feet = foot::run(walker, &shot, &data.skeleton.foot, ground, &puppet.feet, growth.map(platform), dt);
    let goal =
        if spec.balance { lean_goal(walker, ground, &feet, f64::from(shot.pelvis.y)) } else { Vec2::ZERO };
    let damping = balance::damping(0.5 * (growth[0] + growth[1]));
    balance::step(&mut walker.lean, goal, balance::FREQUENCY, damping, dt);
    // The centre of mass goes where the root goes until the body is posed, at the end of the step.
    let moved = walker.root - before;
    let place = |v: DVec2| Vec3::new(v.x as f32, 0.0, v.y as f32);
    puppet.pose.center_of_mass = match puppet.last_center {
        Some(centre) => centre + place(moved),
        None => place(walker.root),
    };
    puppet.pose.soles.clear();
    puppet.pose.soles.extend([feet[1].sole, feet[0].sole]);
    puppet.pose.drive = (spec.force == ForceModel::WholeBody).then(|| {
        let turn = Quat::from_rotation_y(-walker.heading as f32);
        let weight = (puppet.mass * GRAVITY) as f32;
        Drive { force: turn * shot.force * weight, load: [shot.feet[1].load, shot.feet[0].load] }
    });
    Some((shot, feet))
}

/// Height of what grows where each foot is, left and right, m.
fn growth_around(walker: &Walker, ground: &Ground) -> [f64; 2] {
    if ground.cover.is_empty() {
        return [0.0; 2];
    }
    walker.locks.map(|lock| ground.cover.vegetation_height(f64::from(lock.shown.x), f64::from(lock.shown.z)))
}

/// How high above the ground a foot aims in vegetation of that height (SW §3.2, §9): up to a third of it, m.
fn platform(height: f64) -> f64 {
    (height / 3.0).min(HIGHEST_PLATFORM)
}

/// Nobody steps higher than this on plants, m: our choice, a third of plants that reach to the hips.
const HIGHEST_PLATFORM: f64 = 0.3;

/// What the walker wants, and which clip shall play for it.
fn think(walker: &mut Walker, spec: &WalkerSpec, data: &Database, ground: &Ground, seed: u64, mass: f64) {
    let wanted = control::wanted(walker, &spec.control, ground, seed, mass);
    walker.rested = if wanted.velocity == DVec2::ZERO { walker.rested + matching::THINKS } else { 0.0 };
    let ahead = DVec2::new(libm::cos(walker.heading), libm::sin(walker.heading));
    let right = DVec2::new(-ahead.y, ahead.x);
    let (own, _) = data.root(walker.clip, walker.time);
    let now = ahead * f64::from(own.x) + right * f64::from(own.y);
    let slope = control::slope_along(ground, walker.root, ahead);
    matching::think(walker, data, &wanted, kinds(slope, now, &wanted));
}

/// How far the body wants to lean, rad: over the middle of its feet, with the slope, and into turns and starts. A body whose
/// centre of mass is lower leans less: what it has to bring over its feet lies closer to them.
fn lean_goal(walker: &Walker, ground: &Ground, feet: &[foot::Placed; 2], hip: f64) -> Vec2 {
    let ahead = DVec2::new(libm::cos(walker.heading), libm::sin(walker.heading));
    let right = DVec2::new(-ahead.y, ahead.x);
    let middle = 0.5
        * (DVec2::new(feet[0].middle.x, feet[0].middle.z) + DVec2::new(feet[1].middle.x, feet[1].middle.z));
    let off = middle - walker.root;
    let pull = DVec2::new(f64::from(walker.acceleration.x), f64::from(walker.acceleration.z)) / GRAVITY;
    let axis = |along: DVec2| {
        let slope = control::slope_along(ground, walker.root, along);
        let target = off.dot(along) * 0.15 + hip * (0.35 * slope + 0.6 * pull.dot(along));
        (target / NOMINAL_HIP).clamp(-0.45, 0.45) as f32
    };
    Vec2::new(axis(ahead), axis(right))
}

/// Hip height of the papers' 1.8 m walker, m: the measure against which lower bodies lean less.
const NOMINAL_HIP: f64 = 0.95;

/// Nobody steps over the edge of the terrain: soles stay so far inside that they and their rims are whole. Scatter may ask
/// for more; a terrain too small for that keeps them in its middle.
fn keep_on_the_map(pose: &mut Pose, ground: &Ground, foot: f64) {
    let margin = (0.65 * foot + ground.contour) as f32;
    let inside = |x: f32, cells: i32| {
        let side = (f64::from(cells) * ground.cell) as f32;
        if side > 2.0 * margin { x.clamp(margin, side - margin) } else { 0.5 * side }
    };
    for sole in &mut pose.soles {
        sole.position.x = inside(sole.position.x, ground.size[0]);
        sole.position.z = inside(sole.position.z, ground.size[1]);
    }
}

/// Everybody scatters in a way of its own: the seed of a puppet.
pub(crate) fn seed_of(scene_seed: u64, id: usize) -> u64 {
    scene_seed.wrapping_add((id as u64).wrapping_mul(0x2545_F491_4F6C_DD1D))
}
