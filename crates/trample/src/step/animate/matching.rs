//! Motion matching (TR §5.1): which clip plays, and how a jump between clips is hidden.
//!
//! In: a wanted motion and the database. Out: a shot of the body seen from its root, and the root moved on. Searches ten
//! times a second, when the wish jumps, when a foot lands in a clip that lags behind it, and when a clip ends; thoughts have a clock of their own and everything else counts in
//! seconds, so the frame rate does not matter.

use super::control::Wanted;
use crate::motion::clip::Kind;
use crate::motion::database::{AHEAD, Database, Shot, path_features, wrap};
use crate::motion::search::FEATURES;
use crate::motion::skeleton::JOINTS;
use crate::motion::spring::{JointState, angular_velocity, spring, spring_to_velocity};
use crate::scene::Motion;
use crate::state::Walker;
use glam::{DVec2, Vec3};

/// Time between searches, s.
const EVERY: f64 = 0.1;
/// Half-life of the wished velocity and heading, s.
const WISH: f64 = 0.22;
/// Half-life of the difference in speed between two clips, s.
const SLIP: f64 = 0.08;
/// A clip that is off its wish by more than this is looked over when a foot lands, m/s.
const LAGS: f32 = 0.2;
/// What staying in the clip is worth, in squared standard deviations.
const STAY: f32 = 0.1;
/// A wish that changes by more than this at once asks for a search, m/s and rad together.
const JUMP: f32 = 0.4;

/// Time between two thoughts, s. A body thinks at its own pace, whatever the frame rate, so its way does not depend on it.
pub(crate) const THINKS: f64 = 1.0 / 60.0;

/// A thought: moves the wish on, and searches if due. `kinds` are the tags of clips that may be used.
pub(crate) fn think(walker: &mut Walker, data: &Database, wanted: &Wanted, kinds: u32) {
    wish(walker, wanted, THINKS);
    walker.search_in -= THINKS;
    let jumping =
        data.spans[walker.clip].kind == Kind::Jump && data.goes_on(walker.clip, walker.time + LANDED);
    if jumping {
        // Nobody turns round in the air.
        walker.search_in = 0.0;
        return;
    }
    if walker.jump || (wanted.motion == Motion::Jump && wanted.velocity != DVec2::ZERO) {
        walker.jump = false;
        if jump(walker, data) {
            return;
        }
    }
    let now = Vec3::new(wanted.velocity.x as f32, wanted.velocity.y as f32, wanted.heading as f32);
    let jumped = (now - walker.wanted).length() > JUMP;
    // A landing is the moment to change clips, where an even walk or run does not go as fast as it shall. Elsewhere the clip
    // stays: the other foot is about to lift, and another clip may let it go too early.
    let landed = std::mem::take(&mut walker.met_ground);
    let own = data.root(walker.clip, walker.time).0.length();
    let off = landed && is_steady(data, walker) && (walker.velocity.length() - own).abs() > LAGS;
    // Half a thought early rather than half a thought late: sums of sixtieths are not quite tenths.
    let due = walker.search_in <= 0.5 * THINKS;
    if due || jumped || off || !data.goes_on(walker.clip, walker.time + THINKS) {
        walker.search_in = if due { walker.search_in + EVERY } else { EVERY };
        walker.wanted = now;
        search(walker, data, wanted, kinds);
    }
}

/// Whether an even walk or run plays.
fn is_steady(data: &Database, walker: &Walker) -> bool {
    matches!(data.spans[walker.clip].kind, Kind::Walk | Kind::Run | Kind::Snowshoe)
}

/// The end of a jump's clip, s, in which something else may follow: it stands.
const LANDED: f64 = 0.45;
/// Into a jump's clip, s: where the crouch begins.
const CROUCHES: f64 = 0.3;

/// Begins the jump that goes as far as the present speed asks; false where the body knows none.
fn jump(walker: &mut Walker, data: &Database) -> bool {
    let speed = f64::from(walker.velocity.length());
    // In the order of the library: in place low, middle and high, then forward.
    let which = if speed < 0.3 { 1 } else { 2 + ((speed / 0.8) as usize).clamp(1, 2) };
    let jumps = data.spans.iter().enumerate().filter(|(_, span)| span.kind == Kind::Jump);
    let Some((clip, _)) = jumps.take(which + 1).last() else { return false };
    go_over(walker, data, clip, CROUCHES);
    true
}

/// Goes over to another clip; what differs is let go over a moment.
fn go_over(walker: &mut Walker, data: &Database, clip: usize, time: f64) {
    let (from, to) = (states(walker, data, walker.clip, walker.time), states_of(data, clip, time));
    walker.offsets.transition(&from, &to);
    hand_feet_over(walker, data, clip, time);
    walker.slip += data.root(walker.clip, walker.time).0 - data.root(clip, time).0;
    (walker.clip, walker.time) = (clip, time);
}

/// The spring that turns wishes into a smooth path.
fn wish(walker: &mut Walker, wanted: &Wanted, dt: f64) {
    let goal = Vec3::new(wanted.velocity.x as f32, 0.0, wanted.velocity.y as f32);
    (walker.velocity, walker.acceleration) = spring(walker.velocity, walker.acceleration, goal, WISH, dt);
    // The short way round.
    let turn = f64::from(wrap((wanted.heading - walker.aim) as f32));
    (walker.aim, walker.aim_rate) = spring(walker.aim, walker.aim_rate, walker.aim + turn, WISH, dt);
}

/// Compares where the body is and will be with every shot, and jumps if another fits better.
fn search(walker: &mut Walker, data: &Database, wanted: &Wanted, kinds: u32) {
    let span = data.spans[walker.clip];
    let here = span.first + ((walker.time / data.dt).round() as usize).min(span.length - 1);
    let mut query: [f32; FEATURES] = data.features[here];
    let goal = Vec3::new(wanted.velocity.x as f32, 0.0, wanted.velocity.y as f32);
    let turn = f64::from(wrap((wanted.heading - walker.aim) as f32));
    let (mut places, mut headings) = ([DVec2::ZERO; 3], [0.0; 3]);
    for (i, &t) in AHEAD.iter().enumerate() {
        let (p, _, _) = spring_to_velocity(Vec3::ZERO, walker.velocity, walker.acceleration, goal, WISH, t);
        let (s, c) = (libm::sin(walker.heading), libm::cos(walker.heading));
        let (x, z) = (f64::from(p.x), f64::from(p.z));
        places[i] = DVec2::new(x * c + z * s, z * c - x * s);
        let (aim, _) = spring(walker.aim, walker.aim_rate, walker.aim + turn, WISH, t);
        headings[i] = aim - walker.heading;
    }
    path_features(&mut query, &places, &headings);
    // The hips as fast as the wish has become, not as a clip that lags behind it.
    let (s, c) = (libm::sin(walker.heading) as f32, libm::cos(walker.heading) as f32);
    let (now, (own, _)) = (walker.velocity, data.root(walker.clip, walker.time));
    query[12] += now.x * c + now.z * s - own.x;
    query[14] += now.z * c - now.x * s - own.y;
    let goes_on = data.goes_on(walker.clip, walker.time + 0.1);
    let found = data.index.query_tagged(&query, goes_on.then_some((here, STAY)), kinds);
    if !found.found() || (goes_on && found.frame.abs_diff(here) < 4) {
        return;
    }
    let clip = data.clip_of[found.frame] as usize;
    let time = (found.frame - data.spans[clip].first) as f64 * data.dt;
    go_over(walker, data, clip, time);
}

/// Feet in the air keep their place and speed across a jump; those on the ground are held anyway.
fn hand_feet_over(walker: &mut Walker, data: &Database, clip: usize, time: f64) {
    let old = data.sample(walker.clip, walker.time);
    let before = data.sample(walker.clip, (walker.time - data.dt).max(0.0));
    let new = data.sample(clip, time);
    let next = data.sample(clip, time + data.dt);
    let per = (1.0 / data.dt) as f32;
    for side in 0..2 {
        let lock = &mut walker.locks[side];
        let turn = |f: &crate::motion::database::ShotFoot| Vec3::new(f.heading, f.pitch, f.bend);
        let (o, b, n, x) = (&old.feet[side], &before.feet[side], &new.feet[side], &next.feet[side]);
        lock.offset += o.place - n.place;
        lock.offset_rate += ((o.place - b.place) - (x.place - n.place)) * per;
        lock.turn += turn(o) - turn(n);
        lock.turn_rate += ((turn(o) - turn(b)) - (turn(x) - turn(n))) * per;
    }
}

/// Joints as the clip has them: rotations, and the place of the pelvis.
fn states_of(data: &Database, clip: usize, time: f64) -> [JointState; JOINTS] {
    let a = data.sample(clip, time);
    let b = data.sample(clip, time + data.dt);
    std::array::from_fn(|j| JointState {
        position: if j == 0 { a.pelvis } else { Vec3::ZERO },
        rotation: a.rotations[j],
        velocity: if j == 0 { (b.pelvis - a.pelvis) * (1.0 / data.dt) as f32 } else { Vec3::ZERO },
        angular_velocity: angular_velocity(a.rotations[j], b.rotations[j], data.dt),
    })
}

/// The same as they are shown, with the offsets of earlier jumps.
fn states(walker: &Walker, data: &Database, clip: usize, time: f64) -> [JointState; JOINTS] {
    let mut states = states_of(data, clip, time);
    walker.offsets.apply(&mut states);
    states
}

/// Plays on for `dt`: the shot, with its offsets, and the root moved as the clip moves it.
pub(crate) fn play(walker: &mut Walker, data: &Database, dt: f64) -> Shot {
    // Clips come in a few speeds. In between, steps become longer and quicker alike, as they do in the law of walking: both
    // grow with the root of the speed. The feet are held, so a step may be a little longer or shorter than its clip's.
    let wished = f64::from(walker.velocity.length());
    let own = f64::from(data.root(walker.clip, walker.time).0.length());
    let stretch = if own > 0.3 && wished > 0.3 { (wished / own).clamp(0.85, 1.15) } else { 1.0 };
    // A start or a stop keeps its own time.
    let clip_dt = if is_steady(data, walker) { dt * stretch.sqrt() } else { dt };
    walker.time += clip_dt;
    walker.offsets.advance(dt);
    // The middle of the step tells how the root moves over it.
    let (velocity, yaw_rate) = data.root(walker.clip, walker.time - 0.5 * clip_dt);
    let heading = walker.heading + 0.5 * f64::from(yaw_rate) * dt;
    let (s, c) = (libm::sin(heading), libm::cos(heading));
    // The speed of the clip before goes over into this one's; its mean over the step.
    let rate = std::f64::consts::LN_2 / SLIP;
    let left = libm::exp(-rate * dt);
    let slip = walker.slip.as_dvec2() * ((1.0 - left) / (rate * dt));
    walker.slip *= left as f32;
    let (ahead, right) = (f64::from(velocity.x) * stretch + slip.x, f64::from(velocity.y) * stretch + slip.y);
    walker.root += DVec2::new(ahead * c - right * s, ahead * s + right * c) * dt;
    walker.heading += f64::from(yaw_rate) * dt;
    // The body turns the rest of the way to where it aims, slowly.
    let rest = f64::from(wrap((walker.aim - walker.heading) as f32));
    walker.heading += rest * (1.0 - libm::exp(-1.2 * dt));
    let mut shot = data.sample(walker.clip, walker.time);
    let mut states: [JointState; JOINTS] = std::array::from_fn(|j| JointState {
        position: if j == 0 { shot.pelvis } else { Vec3::ZERO },
        rotation: shot.rotations[j],
        ..JointState::default()
    });
    walker.offsets.apply(&mut states);
    shot.pelvis = states[0].position;
    for j in 0..JOINTS {
        shot.rotations[j] = states[j].rotation;
    }
    shot
}
