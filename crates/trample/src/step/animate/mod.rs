//! Control input and ground to poses. In: scripts, routes and controls, the ground of the previous step. Out: the pose of every sole.
//!
//! A walker: wanted motion (`control`) → clip (`matching`) → positions of the feet (`foot`) → lean
//! (`balance`); its pelvis and legs follow when the ground has carried it ([`super::stand`]). A pose that is not finite removes its puppet
//! from the simulation, with an event in the report; the others continue.

pub(crate) mod avoid;
mod balance;
pub(crate) mod control;
pub(crate) mod foot;
mod foothold;
mod matching;
mod vary;

use crate::body::press::{apart, leaning};
use crate::clips::{Database, Kind, RUN_UP, Shot, start_tag, stop_tag, tag, walk_tag};
use crate::math::wrap;
use crate::params::{Body, GRAVITY};
use crate::pose::Drive;
use crate::pose::Pose;
use crate::scene::{ForceModel, Motion, Scene, Script, WalkerSpec};
use crate::state::{Ground, Puppet, Walker};
use crate::step::{Event, Report, split};
use avoid::Crowd;
use balance::Capsule;
use control::Wanted;
use glam::{DVec2, Quat, Vec2, Vec3};
use std::sync::Arc;

/// Kinds of clips a walker that moves with `now` may use: starts, stops and walks on a slope like this one; standing and
/// turning on the spot where it is slow or wants to be, runs where it wants to be faster than a walk, turns about where it
/// wants to go back.
/// `scale` is what speeds are multiplied by for legs of another length; `steady` whether it goes as fast as it wants.
fn kinds(slope: f64, now: DVec2, wanted: &Wanted, scale: f64, steady: bool) -> u32 {
    let (speed, goal) = (now.length() / scale, wanted.velocity.length() / scale);
    let slow = speed < SLOW || goal < NEARLY_STILL;
    let back = now.dot(wanted.velocity) < TURN_ABOUT * now.length() * wanted.velocity.length();
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
    // Who goes as fast as wanted does not start or stop. A runner starts and stops through the level clips, which know its
    // speeds, and does not walk where it could run.
    let slope = if run { 0.0 } else { libm::atan(slope) as f32 };
    let mut tags = tags;
    if !(run && goal > SLOWEST_RUN && speed > SLOWEST_RUN.max(0.8 * FASTEST_WALK.min(goal))) {
        tags |= walk_tag(slope);
    }
    if !steady {
        // Who wants to stand does not begin to go: a start shifts the weight first.
        tags |= stop_tag(slope) | if goal > 0.05 { start_tag(slope) } else { 0 };
        tags |= if run || (goal < NEARLY_STILL && speed > SLOW) { RUN_UP } else { 0 };
    }
    tags
}

/// Faster than this people of 1.8 m run, m/s: a Froude number of 0.5. They can be told to walk up to 2.5 m/s.
const FASTEST_WALK: f64 = 2.15;
/// A walker slower than [`SLOW`], or that wants to be slower than [`NEARLY_STILL`], may stand and turn on the spot, m/s; one
/// whose wanted direction has less than this cosine with its own may turn about. Our choice.
const SLOW: f64 = 0.8;
const NEARLY_STILL: f64 = 0.3;
const TURN_ABOUT: f64 = -0.2;
/// The slowest walk, m/s: who is asked to go slower goes so fast, unless steered. The slowest clip, stretched.
const SLOWEST_WALK: f64 = 0.34;
/// Slower than this nobody runs, m/s; our choice, a little below the 1.1 m/s that can be asked for.
const SLOWEST_RUN: f64 = 1.08;

/// Whether the wish has come to rest at the wanted velocity.
fn is_even(walker: &Walker, wanted: &Wanted) -> bool {
    let wish = DVec2::new(f64::from(walker.velocity.x), f64::from(walker.velocity.z));
    wanted.velocity.length() > NEARLY_STILL
        && (wish - wanted.velocity).length() < 0.05
        && walker.acceleration.length() < 0.05
}

/// Half-life with which the gait follows the slope, s.
const GRADE: f64 = 0.2;

/// A walker on its way through a step: what [`super::stand`] needs to put its body over its feet.
#[derive(Clone, Debug)]
pub(crate) struct Stride {
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
    resting: &[bool],
    crowd: &mut Crowd,
    strides: &mut Vec<Option<Stride>>,
    split: bool,
    report: &mut Report,
) {
    strides.resize_with(puppets.len(), || None);
    crowd.look(scene, puppets, dt);
    let crowd = &*crowd;
    let one = |id: usize, puppet: &mut Puppet, stride: &mut Option<Stride>| {
        *stride = None;
        if puppet.quarantined {
            return;
        }
        if resting[id] {
            puppet.walker.iter_mut().for_each(|walker| walker.age += dt);
            return;
        }
        // Each puppet has its own random numbers.
        let (spec, seed) = (&scene.puppets[id], seed_of(scene.seed, id));
        match &spec.script {
            Script::Walker(walker) => {
                let who = (&**walker, &spec.body);
                *stride = walk(puppet, who, databases, ground, (id, crowd), seed, dt);
            }
            Script::Host { .. } => {}
            script => {
                script.pose(time + dt, spec.body.height, seed, &ground.base, &mut puppet.pose);
                keep_on_the_map(&mut puppet.pose, ground, spec.body.foot_length.max(spec.body.foot_width));
            }
        }
    };
    if split {
        split::each_in(puppets, strides, LEAST, one);
    } else {
        puppets
            .iter_mut()
            .zip(strides)
            .enumerate()
            .for_each(|(id, (puppet, stride))| one(id, puppet, stride));
    }
    for (id, puppet) in puppets.iter_mut().enumerate().filter(|(_, puppet)| !puppet.quarantined) {
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

/// Puppets that one thread takes at a time: some ten µs each.
const LEAST: usize = 4;

/// One walker, one step.
fn walk(
    puppet: &mut Puppet,
    (spec, body): (&WalkerSpec, &Body),
    databases: &[Arc<Database>],
    ground: &Ground,
    (id, crowd): (usize, &Crowd),
    seed: u64,
    dt: f64,
) -> Option<Stride> {
    let walker = puppet.walker.as_deref_mut()?;
    let data = &databases[walker.database];
    let before = walker.root;
    // Thoughts fall on the steps nearest to their times.
    let thinks = walker.think_in <= 0.5 * dt;
    if thinks {
        walker.think_in += matching::THINKS;
        think(walker, spec, data, ground, (id, crowd), seed);
        matching::plan(walker, data, walker.think_in);
    }
    let left = walker.think_in;
    walker.think_in = if (left - dt).abs() < matching::INSTANT { 0.0 } else { left - dt };
    walker.age += dt;
    let shot = matching::play(walker, data, dt, left);
    bump(walker, crowd.shove(id), dt);
    let growth = growth_around(walker, ground);
    let stood = walker.locks.map(|lock| lock.held);
    let feet = foot::run(walker, &shot, body, data, ground, &puppet.feet, growth.map(platform), dt);
    for side in 0..2 {
        if stood[side] && !walker.locks[side].held {
            vary::lifts(walker, side, seed, spec.step_variation);
            foothold::choose(walker, data, (&shot, side), ground, &puppet.feet[1 - side]);
        } else if thinks {
            foothold::keep(walker, data, &shot, side);
        }
    }
    let capsule = Capsule::new(body, capsule_height(body, f64::from(shot.pelvis.y)));
    push_back(walker, &capsule, body);
    let shape = &data.skeleton.foot;
    let cops = [0, 1].map(|side| feet[side].pressed(&shot.feet[side], shape, side));
    let target = if spec.balance { target(walker, ground, &shot, &cops) } else { DVec2::ZERO };
    capsule.step(&mut walker.lean, target, 0.5 * (growth[0] + growth[1]), dt);
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
        let cops = [cops[1], cops[0]];
        let below = 0.5 * (cops[0].y + cops[1].y);
        let pivot = Vec3::new(walker.root.x as f32, below + data.pivot, walker.root.y as f32);
        Drive {
            force: turn * (shot.force + walker.eases) * weight
                - Vec3::Y * (puppet.mass * walker.heaves) as f32,
            load: [1, 0].map(|side| (shot.feet[side].load + walker.locks[side].load).clamp(0.0, 1.0)),
            apart: leaning(apart(cops, pivot), turn * Vec3::X, [1, 0].map(|side| shot.feet[side].tilt)),
            cops: cops.map(|p| Vec2::new(p.x, p.z)),
        }
    });
    Some(Stride { shot, feet })
}

/// Moves a body that others push with that velocity, m/s; what it had of its own against them is soon lost.
fn bump(walker: &mut Walker, push: DVec2, dt: f64) {
    if push == DVec2::ZERO {
        return;
    }
    walker.root += push * dt;
    let away = push.normalize().as_vec2();
    let against = (walker.velocity.x * away.x + walker.velocity.z * away.y).min(0.0);
    let lost = against * (1.0 - libm::exp(-dt / BUMPED)) as f32;
    walker.velocity -= Vec3::new(away.x, 0.0, away.y) * lost;
}

/// Time in which one who is pushed loses the speed it had against that, s: our choice.
const BUMPED: f64 = 0.1;

/// Half-life of the speed with which one who was pushed steps after it, s: our choice, caught in two or three steps.
const STAGGERS: f64 = 0.4;

/// Height of what grows where each foot is, left and right, m.
fn growth_around(walker: &Walker, ground: &Ground) -> [f64; 2] {
    if ground.cover.is_empty() {
        return [0.0; 2];
    }
    walker.locks.map(|lock| ground.cover.vegetation_height(f64::from(lock.shown.x), f64::from(lock.shown.z)))
}

/// How high above the ground a foot aims in vegetation of that height (SW §3.2): up to a third of it, m.
fn platform(height: f64) -> f64 {
    (height / 3.0).min(HIGHEST_PLATFORM)
}

/// Nobody steps higher than this on plants, m: our choice, a third of plants that reach to the hips.
const HIGHEST_PLATFORM: f64 = 0.3;

/// What the walker wants, and which clip shall play for it.
fn think(
    walker: &mut Walker,
    spec: &WalkerSpec,
    data: &Database,
    ground: &Ground,
    (id, crowd): (usize, &Crowd),
    seed: u64,
) {
    let mut wanted = control::wanted(walker, spec, ground, seed);
    walker.rested = if wanted.velocity == DVec2::ZERO { walker.rested + matching::THINKS } else { 0.0 };
    if walker.staggers != DVec2::ZERO {
        wanted.velocity += walker.staggers;
        let left = libm::exp(-std::f64::consts::LN_2 / STAGGERS * matching::THINKS);
        walker.staggers *= if walker.staggers.length() > 0.05 { left } else { 0.0 };
    }
    let scale = (data.leg() / Body::default().leg()).sqrt();
    let asked = wanted.velocity.length();
    if asked > 0.0 && asked < SLOWEST_WALK * scale && walker.told.is_none() && data.held.is_none() {
        wanted.velocity *= SLOWEST_WALK * scale / asked;
    }
    if crowd.steer(id, &mut wanted) {
        control::held_up(walker, &spec.control);
    }
    let ahead = DVec2::new(libm::cos(walker.heading), libm::sin(walker.heading));
    let right = DVec2::new(-ahead.y, ahead.x);
    let (own, _) = matching::moves(walker, data);
    let now = ahead * f64::from(own.x) + right * f64::from(own.y);
    let slope = control::slope_along(ground, walker.root, ahead);
    let angle = libm::atan(slope) as f32;
    let left = libm::exp(-std::f64::consts::LN_2 / GRADE * matching::THINKS) as f32;
    walker.grade = if walker.grade.is_nan() { angle } else { angle + (walker.grade - angle) * left };
    // A landing is the moment to go over from a start to an even gait.
    let starts = matches!(data.spans[walker.clip].kind, Kind::Start | Kind::Stop);
    let steady = is_even(walker, &wanted) && (!starts || walker.met_ground);
    if steady && starts {
        walker.search_in = 0.0;
    }
    let mut may = kinds(slope, now, &wanted, scale, steady);
    if let Some(held) = &data.held {
        let off = f64::from(wrap((wanted.heading - walker.heading) as f32)).abs();
        may = held.may(may, wanted.velocity.length(), now.length(), off);
    }
    // Who has come to rest stands, and does not stop once more.
    if walker.rested > AT_REST && data.held.is_none() {
        may &= tag(Kind::Idle) | tag(Kind::Spin);
    }
    matching::think(walker, data, &wanted, may);
}

/// How long a body takes to stop with its feet together, s: our choice, more than two steps.
pub(crate) const AT_REST: f64 = 2.0;

/// Height of the centre of mass of a body whose pelvis is carried `pelvis` m high: lower with it.
fn capsule_height(body: &Body, pelvis: f64) -> f64 {
    balance::CENTRE * body.height + pelvis - body.leg()
}

/// Lets a body feel what pushed it since the last step: it leans, and if that is too much to stand, it steps.
fn push_back(walker: &mut Walker, capsule: &Capsule, body: &Body) {
    let by = std::mem::take(&mut walker.pushed);
    if by == DVec2::ZERO {
        return;
    }
    let (s, c) = (libm::sin(walker.heading), libm::cos(walker.heading));
    let own = DVec2::new(by.x * c + by.y * s, by.y * c - by.x * s);
    if capsule.push(&mut walker.lean, own, body.foot_length) {
        walker.staggers += by;
        walker.velocity += Vec3::new(by.x as f32, 0.0, by.y as f32);
        walker.search_in = 0.0;
    }
}

/// How far the middle of the support lies from below the upright centre of mass, ahead and to the right, m: towards where the
/// feet press, up the slope of the ground as it is now, and into turns and starts.
fn target(walker: &Walker, ground: &Ground, shot: &Shot, cops: &[Vec3; 2]) -> DVec2 {
    let ahead = DVec2::new(libm::cos(walker.heading), libm::sin(walker.heading));
    let right = DVec2::new(-ahead.y, ahead.x);
    // Feet in the air count a little, so that there is a middle in flight.
    let [left_load, right_load] = [0, 1].map(|side| shot.feet[side].load.max(0.0) + 1e-3);
    let middle = cops[0].lerp(cops[1], right_load / (left_load + right_load)).as_dvec3();
    let off = DVec2::new(middle.x, middle.z) - walker.root;
    let pull = DVec2::new(f64::from(walker.acceleration.x), f64::from(walker.acceleration.z)) / GRAVITY;
    // The original ground's slope, and how much more it rises from where the body stands now: ahead of one who sinks in lies
    // ground that has not given way, ahead of one in a track the track.
    let above = |p: DVec2| ground.height(p.x, p.y) - ground.base.height(p.x, p.y);
    let there = FAR.iter().map(|far| above(walker.root + ahead * *far)).sum::<f64>() / FAR.len() as f64;
    let here = if walker.level.is_nan() { there } else { walker.level };
    let side = |by: f64| above(walker.root + right * by);
    let raised = [(there - here) / FAR[1], (side(BESIDE) - side(-BESIDE)) / (2.0 * BESIDE)];
    let hip = f64::from(shot.pelvis.y);
    let axis = |along: DVec2, raised: f64| {
        let slope = control::slope_along(ground, walker.root, along) + raised.clamp(-0.5, 0.5);
        SUPPORT_LEAN * off.dot(along) + hip * (SLOPE_LEAN * slope + PULL_LEAN * pull.dot(along))
    };
    DVec2::new(axis(ahead, raised[0]), axis(right, raised[1]))
}

/// Parts of a lean, all our choice: how much of the way to the middle of its support the centre of mass is brought over it, and
/// how much of the ground's slope and of the direction of apparent gravity the body follows.
const SUPPORT_LEAN: f64 = 0.15;
const SLOPE_LEAN: f64 = 0.35;
const PULL_LEAN: f64 = 0.6;
/// How far ahead a body sees the ground it is about to step on, and how far beside it, m; our choice, about a step.
const FAR: [f64; 3] = [0.4, 0.55, 0.7];
const BESIDE: f64 = 0.3;

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
