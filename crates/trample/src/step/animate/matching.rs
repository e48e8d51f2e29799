//! Motion matching (TR §5.1): selects the clip to play and hides jumps between clips.
//!
//! In: a wanted motion and the database. Out: the pose of the body relative to its root, and the new root. Searches ten
//! times per second, when the wanted motion jumps, when a foot lands in a clip that lags behind it, and when a clip ends. Decisions have their
//! own clock, and the motion between two decisions is fixed, so the frame rate does not matter.

use super::control::Wanted;
use crate::body::JOINTS;
use crate::clips::search::FEATURES;
use crate::clips::spring::{JointState, angular_velocity, spring, spring_to_velocity};
use crate::clips::{AHEAD, Database, Kind, Mix, Shot, ShotFoot, path_features};
use crate::math::wrap;
use crate::scene::Motion;
use crate::state::{Ahead, Walker};
use glam::{DVec2, Vec2, Vec3};

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

/// Times closer to each other than this are one, s: sums of frames are not quite sixtieths.
pub(crate) const INSTANT: f64 = 1e-9;

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
    anchor(walker, data);
    let own = moves(walker, data).0.length();
    let off = landed && is_steady(data, walker) && (walker.velocity.length() - own).abs() > LAGS;
    // Half a thought early rather than half a thought late: sums of sixtieths are not quite tenths.
    let due = walker.search_in <= 0.5 * THINKS;
    if due || jumped || off || !data.goes_on(walker.clip, walker.time + THINKS) {
        walker.search_in = if due { walker.search_in + EVERY } else { EVERY };
        walker.wanted = now;
        search(walker, data, wanted, kinds);
    }
}

/// How the body moves along, ahead and right, m/s, and turns, rad/s, as its clip has it, or an even gait at its speed.
pub(super) fn moves(walker: &Walker, data: &Database) -> (Vec2, f32) {
    let (velocity, yaw_rate) = data.root(walker.clip, walker.time);
    match mix(walker, data) {
        Some(mix) if !mix.still => {
            let speed = mix.speed() as f32;
            (velocity.normalize_or_zero() * speed, yaw_rate)
        }
        _ => (velocity, yaw_rate),
    }
}

/// The even gait that plays, if one does.
fn mix(walker: &Walker, data: &Database) -> Option<Mix> {
    data.mix(walker.clip, walker.velocity.length(), walker.grade)
}

/// The clip of an even gait that is nearest to what is shown becomes the one that plays. Nothing is seen of it.
fn anchor(walker: &mut Walker, data: &Database) {
    if let Some(mix) = mix(walker, data) {
        let phase = walker.time / data.spans[walker.clip].period;
        walker.clip = mix.main();
        walker.time = data.spans[walker.clip].at_phase(phase);
    }
}

/// How much longer steps take where feet sink: they stand longer and have to come out again.
fn lingers(walker: &Walker) -> f64 {
    if walker.sinkage.is_nan() { 1.0 } else { 1.0 + LINGERS * (walker.sinkage - FIRM).clamp(0.0, DEEP) }
}

/// By how much per metre deeper than in firm loam, where the tips of toes go 3 to 4 cm deep, and down to how much more, m: our choice, a
/// tenth in 15 cm of snow.
const LINGERS: f64 = 1.0;
const FIRM: f64 = 0.045;
const DEEP: f64 = 0.2;

/// Where a foot in the air is about to land.
pub(super) struct Lands {
    /// In how long, s, if this step goes as its gait has it.
    pub(super) seconds: f64,
    /// The foot then, seen from the root.
    pub(super) foot: ShotFoot,
    /// Speed of the root, m/s, and how far it goes in a step, m.
    pub(super) speed: f64,
    pub(super) step: f64,
}

/// Where the foot of `side` is about to land in an even walk straight ahead; none of others.
pub(super) fn lands(walker: &Walker, data: &Database, shot: &Shot, side: usize) -> Option<Lands> {
    let span = &data.spans[walker.clip];
    let mix = mix(walker, data).filter(|mix| span.kind == Kind::Walk && !mix.still)?;
    let (phase, clock) = (walker.time / span.period, f64::from(shot.feet[side].clock));
    // The clock of a foot in the air runs evenly.
    let later = f64::from(data.mixed(&mix, phase + GLANCE).feet[side].clock);
    let left = (later > clock && later < 2.0).then(|| GLANCE * (2.0 - clock) / (later - clock))?;
    let cycle = mix.period / mix.quicker() * lingers(walker);
    let foot = data.mixed(&mix, phase + left - 1e-3).feet[side];
    Some(Lands { seconds: left * cycle, foot, speed: mix.speed(), step: 0.5 * cycle * mix.speed() })
}

/// Part of a cycle over which a foot's clock is read.
const GLANCE: f64 = 0.05;

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
    let (from, to) = (states(walker, data), states_of(walker, data, clip, time));
    walker.offsets.transition(&from, &to);
    hand_feet_over(walker, data, clip, time);
    let before = moves(walker, data).0;
    (walker.clip, walker.time) = (clip, time);
    walker.slip += before - moves(walker, data).0;
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
    let (now, own) = (walker.velocity, data.root(walker.clip, walker.time).0);
    query[12] += now.x * c + now.z * s - own.x;
    query[14] += now.z * c - now.x * s - own.y;
    let goes_on = data.goes_on(walker.clip, walker.time + 0.1);
    let found = data.index.query_tagged(&query, goes_on.then_some((here, STAY)), kinds);
    if !found.found() || (goes_on && found.frame.abs_diff(here) < 4) {
        return;
    }
    let clip = data.clip_of[found.frame] as usize;
    // An even gait changes its speed and follows the slope without a jump.
    if span.family.is_some() && data.spans[clip].family == span.family {
        return;
    }
    let mut time = (found.frame - data.spans[clip].first) as f64 * data.dt;
    if data.spans[clip].recorded && data.spans[clip].family.is_some() && own.length() < SETS_OFF {
        time = data.set_off(clip);
    }
    go_over(walker, data, clip, time);
}

/// Slower than this one who begins a recorded gait sets off with a step, m/s: our choice.
const SETS_OFF: f32 = 0.3;

/// Feet in the air keep their place and speed across a jump; those on the ground are held anyway.
fn hand_feet_over(walker: &mut Walker, data: &Database, clip: usize, time: f64) {
    let shown = |clip: usize, time: f64| data.shown(clip, time, walker.velocity.length(), walker.grade);
    let (old, new) = (shown(walker.clip, walker.time), shown(clip, time));
    let (before, next) = (shown(walker.clip, (walker.time - data.dt).max(0.0)), shown(clip, time + data.dt));
    let per = (1.0 / data.dt) as f32;
    for side in 0..2 {
        let lock = &mut walker.locks[side];
        let turn = |f: &ShotFoot| Vec3::new(f.heading, f.pitch, f.bend);
        let (o, b, n, x) = (&old.feet[side], &before.feet[side], &new.feet[side], &next.feet[side]);
        lock.offset += o.place - n.place;
        lock.offset_rate += ((o.place - b.place) - (x.place - n.place)) * per;
        lock.turn += turn(o) - turn(n);
        lock.load += o.load - n.load;
        lock.turn_rate += ((turn(o) - turn(b)) - (turn(x) - turn(n))) * per;
    }
    walker.eases += old.force - new.force;
}

/// Joints as the clip has them: rotations, and the place of the pelvis.
fn states_of(walker: &Walker, data: &Database, clip: usize, time: f64) -> [JointState; JOINTS] {
    let shown = |time: f64| data.shown(clip, time, walker.velocity.length(), walker.grade);
    let (a, b) = (shown(time), shown(time + data.dt));
    std::array::from_fn(|j| JointState {
        position: if j == 0 { a.pelvis } else { Vec3::ZERO },
        rotation: a.rotations[j],
        velocity: if j == 0 { (b.pelvis - a.pelvis) * (1.0 / data.dt) as f32 } else { Vec3::ZERO },
        angular_velocity: angular_velocity(a.rotations[j], b.rotations[j], data.dt),
    })
}

/// The same as they are shown, with the offsets of earlier jumps.
fn states(walker: &Walker, data: &Database) -> [JointState; JOINTS] {
    let mut states = states_of(walker, data, walker.clip, walker.time);
    walker.offsets.apply(&mut states);
    states
}

/// How fast a body turns to where it aims beyond what its clip turns, 1/s; recorded gaits are straight, and all their turning is
/// this. Our choice.
const TURNS: f64 = 1.2;
const TURNS_RECORDED: f64 = 3.0;

/// Where the body will be `seconds` from now, when it thinks again: what it has to go until then. In between it goes there evenly, so that
/// its way and its steps are the same at every frame rate.
pub(crate) fn plan(walker: &mut Walker, data: &Database, seconds: f64) {
    let mix = mix(walker, data);
    let own = f64::from(data.root(walker.clip, walker.time).0.length());
    // An even gait goes at the wished speed; recorded clips come in a few speeds, and a start or a stop keeps its own time. In
    // between steps become longer and quicker alike, as both grow with the root of the speed in the law of walking. The feet
    // are held, so a step may be a little longer or shorter than its clip's.
    let wished = f64::from(walker.velocity.length());
    let stretch = match &mix {
        Some(mix) if mix.still => 1.0,
        Some(mix) => mix.speed() / own.max(0.05),
        None if own > 0.3 && wished > 0.3 => (wished / own).clamp(0.85, 1.15),
        None => 1.0,
    };
    let pace = seconds * f64::from(walker.pace);
    let clip_time = match &mix {
        Some(mix) => pace * data.spans[walker.clip].period / mix.period * mix.quicker() / lingers(walker),
        None if is_steady(data, walker) => pace * stretch.sqrt(),
        None => seconds,
    };
    // The middle of the time tells how the root moves over it.
    let (velocity, yaw_rate) = data.root(walker.clip, walker.time + clip_time - 0.5 * clip_time);
    let heading = walker.heading + 0.5 * f64::from(yaw_rate) * seconds;
    let (s, c) = (libm::sin(heading), libm::cos(heading));
    // The speed of the clip before goes over into this one's; its mean over the time.
    let rate = std::f64::consts::LN_2 / SLIP;
    let slip = walker.slip.as_dvec2() * ((1.0 - libm::exp(-rate * seconds)) / (rate * seconds));
    let (ahead, right) = (f64::from(velocity.x) * stretch + slip.x, f64::from(velocity.y) * stretch + slip.y);
    // The body turns the rest of the way to where it aims, slowly.
    let turned = f64::from(yaw_rate) * seconds;
    let rest = f64::from(wrap((walker.aim - (walker.heading + turned)) as f32));
    let rate = match &mix {
        Some(mix) if mix.still => 0.0,
        _ if data.spans[walker.clip].recorded => TURNS_RECORDED,
        _ => TURNS,
    };
    walker.ahead = Ahead {
        root: DVec2::new(ahead * c - right * s, ahead * s + right * c) * seconds,
        turn: turned,
        aims: rest * (1.0 - libm::exp(-rate * seconds)),
        time: clip_time,
    };
}

/// Plays on for `dt` of the `left` s until the next thought: the shot, with its offsets, and the root moved as planned.
pub(crate) fn play(walker: &mut Walker, data: &Database, dt: f64, left: f64) -> Shot {
    let mix = mix(walker, data);
    let now = walker.ahead.part(if (left - dt).abs() < INSTANT { 1.0 } else { dt / left });
    walker.ahead = walker.ahead.without(&now);
    walker.time += now.time;
    walker.root += now.root;
    walker.heading += now.turn;
    walker.heading += now.aims;
    walker.offsets.advance(dt);
    let left = libm::exp(-std::f64::consts::LN_2 / SLIP * dt);
    walker.slip *= left as f32;
    walker.eases *= left as f32;
    let span = &data.spans[walker.clip];
    let mut shot = match &mix {
        Some(mix) => {
            let phase = walker.time / span.period;
            walker.time = span.at_phase(phase);
            data.mixed(mix, phase)
        }
        None => data.sample(walker.clip, walker.time),
    };
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
