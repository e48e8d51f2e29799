//! Feet on the ground (TR-1, TR-2): they stand where they landed, roll over heel and toes, and follow the ground.
//!
//! In: the shot's feet, the ground, which soles stood after the last step. Out: soles for the contact stage, and where
//! their middles are for the legs. A standing foot holds its place in the world; one that lifts lets go of the difference
//! over a tenth of a second. A foot in the air goes over the ground as it is now, prints and rims included, and touches
//! when it has come down to it, not when its clip says so.

use crate::body::FootShape;
use crate::body::press::centre_of_pressure;
use crate::clips::spring::{decay, spring};
use crate::clips::{Database, Shot, ShotFoot, rolled_middle};
use crate::math::smooth;
use crate::params::{Body, GRAVITY, Law};
use crate::pose::{Seat, SolePose};
use crate::state::{Ahead, Foot, Ground, Walker};
use glam::{DMat3, DQuat, DVec2, DVec3, Vec3};

/// Half-life of what is let go when a foot lifts, s.
const LET_GO: f64 = 0.08;
/// The most toes turn out of the heel's plane to lie on ground of their own, rad.
const TOES_TURN: f32 = 0.35;
/// How much of the excess over a steep slope a swinging foot lifts its toes by.
const TOES_UP: f64 = 0.5;
/// Half-life with which a foot in the air follows the ground below it, s; and its turning.
const FOLLOW: f64 = 0.025;
/// The same for a foot on its way up, s: out of its print before it swings.
const RISE: f64 = 0.02;
/// Up to this height a rising foot keeps the turn of its print, m.
const CLEAR: f64 = 0.03;
/// How far before its toes a rising foot sees what it must get over, m.
const SEES: f64 = 0.12;
/// How a foot comes down the rest of the way when its clip has it down already: half-life, s, and speed, m/s. It steps into
/// a hollow, or what it stepped on gives way.
const GIVES_WAY: (f64, f64) = (0.03, 0.3);
/// Below this clearance a foot looks closely where it steps, m.
const NEAR: f64 = 0.03;
/// Feet are lifted over so much in any gait, m: our choice.
const USUAL: f64 = 0.04;
/// The part of its area times its depth that a foot presses at least where nobody has trodden; our choice: heel and toes go deepest one
/// after the other.
const FRESH: f64 = 0.7;
/// How deep a foot that lifts or swings may brush what stands in its way, m.
const SCUFF: f64 = 0.001;
/// How much longer a foot takes to come up that is held by its body's weight; our choice.
const STICKS: f64 = 10.0;
/// A swinging foot deeper than this in the ground drags through it, m; our choice, above what it scuffs.
const DRAGS: f64 = 0.002;
/// The most a sole turns out of the original ground's plane to fit into what lies on it, as a sine.
const FITS: f32 = 0.2;

/// A foot, placed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Placed {
    /// For the contact stage; y is the clearance.
    pub(crate) sole: SolePose,
    /// Middle of the sole in the world, m.
    pub(crate) middle: DVec3,
    /// Ankle joint in the world, m.
    pub(crate) ankle: DVec3,
    /// Where it stands or would, rolled flat, x and z, m.
    pub(crate) at: DVec2,
    /// Level of the ground there, m.
    pub(crate) level: f64,
    /// How high it is above the ground, m.
    pub(crate) gap: f64,
    /// Where its sole is.
    plane: Plane,
    /// Whether it stands.
    pub(crate) down: bool,
}

impl Placed {
    /// Where it presses the ground, m.
    pub(crate) fn pressed(&self, foot: &ShotFoot, shape: &FootShape, side: usize) -> Vec3 {
        let at = centre_of_pressure(foot.clock, shape);
        let out = if side == 0 { -at.y } else { at.y };
        self.middle.as_vec3() + self.sole.rotation * Vec3::new(at.x, 0.0, out)
    }

    /// The same foot, out of what has slid under it in this step.
    pub(crate) fn above(self, ground: &Ground) -> Self {
        if self.gap < 0.0 {
            return self;
        }
        let near = self.gap < NEAR;
        let least = self.plane.rest(ground, DVec2::new(self.middle.x, self.middle.z), near) - SCUFF;
        if self.middle.y < least { self.at_height(least) } else { self }
    }

    /// The same foot, turned as the ground has turned it.
    pub(crate) fn seated(mut self, seat: &Seat) -> Self {
        let arm = self.sole.rotation.conjugate() * (self.ankle - self.middle).as_vec3();
        let turned = self.sole.seated(seat);
        if turned.rotation != self.sole.rotation {
            self.ankle = self.middle + (turned.rotation * arm).as_dvec3();
        }
        self.sole = turned;
        self
    }

    /// The same foot with its middle at another height: where the ground came to carry it.
    pub(crate) fn at_height(mut self, y: f64) -> Self {
        let up = y - self.middle.y;
        self.middle.y += up;
        self.ankle.y += up;
        self.level += up;
        self
    }
}

/// Places both feet. `platform` is how high above the ground each foot expects to be carried by what grows there (SW §3.2), m.
#[allow(clippy::too_many_arguments, reason = "a walker's motion, its body and the ground below it")]
pub(crate) fn run(
    walker: &mut Walker,
    shot: &Shot,
    body: &Body,
    data: &Database,
    ground: &Ground,
    feet: &[Foot],
    platform: [f64; 2],
    dt: f64,
) -> [Placed; 2] {
    // Puppets count the right foot first, bodies the left.
    [0, 1].map(|side| place(walker, shot, side, body, data, ground, &feet[1 - side], platform[side], dt))
}

#[allow(clippy::too_many_arguments, reason = "one foot of `run`, which has these for both")]
fn place(
    walker: &mut Walker,
    shot: &Shot,
    side: usize,
    body: &Body,
    data: &Database,
    ground: &Ground,
    stood: &Foot,
    platform: f64,
    dt: f64,
) -> Placed {
    let (foot, shape) = (&shot.feet[side], &data.skeleton.foot);
    // The same steps at every frame rate: a foot leaves the ground when its body thinks again, and lands if it still stands then.
    let (held, settled) = (walker.locks[side].held, walker.think_in <= 0.5 * dt);
    let later = (foot.down() && !held && !settled).then(|| {
        let time = walker.time + walker.ahead.time;
        data.shown(walker.clip, time, walker.velocity.length(), walker.grade).feet[side]
    });
    let lands = later.as_ref().unwrap_or(foot);
    let is_down = lands.down() || (held && !settled);
    // Where the ground cannot hold it, a standing foot slides.
    if is_down && stood.down && walker.locks[side].held {
        walker.locks[side].place += DVec2::new(f64::from(stood.slip.x), f64::from(stood.slip.z)) * dt;
    }
    let (at, yaw, turn, clearance) = hold(walker, foot, lands, (side, is_down, settled), stood, dt);
    // One that steps after its body is in the air, whatever its clip says.
    let is_down = is_down && !walker.locks[side].hurries;
    let clearance = clearance * body.foot_lift;
    // How deep a foot that is not lifted out of its prints goes through the ground.
    let sunk = if walker.sinkage.is_nan() || ground.law != Law::Natural { 0.0 } else { walker.sinkage };
    let drags = (1.0 - body.foot_lift) * sunk;
    let lock = &mut walker.locks[side];
    // A sole that has only just touched has no rest yet.
    let standing = is_down && stood.down && stood.stance > 0.0;
    // TR-1: near the ground heel and toes turn parallel each to its own; TR-2: on steep ground the heel stays up.
    let weight = (1.0 - clearance / body.align_height).clamp(0.0, 1.0);
    let ahead = DVec2::new(libm::cos(yaw), libm::sin(yaw));
    let rising = clearance >= f64::from(lock.lifted);
    lock.lifted = clearance as f32;
    // A foot that lifts leaves its print as it stood in it.
    if !standing && weight > 0.0 && !(rising && clearance < CLEAR) {
        let fresh = lock.level.is_nan();
        let seen = normal_below(ground, at, ahead, shape);
        lock.normal = if fresh { seen } else { follow_normal(lock.normal, seen, dt) };
        let toes = toes_turn(ground, at, ahead, shape, lock.normal);
        lock.toes = if fresh { toes } else { toes + (lock.toes - toes) * left(FOLLOW, dt) };
    }
    let normal = (DVec3::Y * (1.0 - weight) + lock.normal.as_dvec3() * weight).normalize();
    let level_ahead = DVec3::new(ahead.x, 0.0, ahead.y);
    let along = (level_ahead - level_ahead.dot(normal) * normal).normalize();
    let steep = libm::asin((along.y * weight).clamp(-1.0, 1.0));
    let flat = body.toe_slope;
    // A foot that stands or comes down has its heel up by the excess, one that swings its toes: pushed off, it clears the slope.
    let clock = f64::from(foot.clock);
    let carries = (1.0 - smooth((clock - 1.0) / 0.3)).max(smooth((clock - 1.6) / 0.35));
    let raise = (steep - flat).max(0.0) * weight * carries;
    let uphill = libm::asin(
        f64::from(lock.normal.dot(-Vec3::new(ahead.x as f32, 0.0, ahead.y as f32))).clamp(-1.0, 1.0),
    );
    let pitch = f64::from(turn.y) - raise + TOES_UP * (uphill - flat).max(0.0) * (1.0 - carries);
    let bend = (f64::from(turn.z) + raise).clamp(0.0, 0.9);
    let frame = DQuat::from_mat3(&DMat3::from_cols(along, normal, along.cross(normal)));
    let rotation = (frame * DQuat::from_rotation_z(pitch)).normalize();
    // Relative to the ground's plane through the place: where the middle is when the foot is rolled like this.
    let rolled = rolled_middle(DVec3::ZERO, along, normal, pitch, bend, shape);
    let xz = DVec2::new(at.x + rolled.x, at.y + rolled.z);
    // The sole's plane a little inside of its ends: between cells the wall of a print leans over its edge.
    let inside = (0.75 * ground.cell).min(0.2 * (shape.toe - shape.ball));
    // The toes on their own ground, as far as the foot is near it.
    let toe_bend = bend + f64::from(lock.toes) * weight;
    let front = rotation * DQuat::from_rotation_z(toe_bend) * DVec3::X;
    let ball = rotation * DVec3::X * shape.ball;
    let toe = ball + front * (shape.toe - shape.ball - inside);
    let plane = Plane {
        heel: rotation * DVec3::X * (shape.heel + inside),
        ball,
        toe,
        side: rotation * DVec3::Z * (shape.half_width - inside).max(0.0),
    };
    let mut gap = 0.0;
    if standing {
        lock.level_rate = 0.0;
    } else {
        // The lowest level of its plane at which no part of the sole is in the ground.
        // One that is to stand looks closely, as when its body is posed: over a hollow it would hang above the ridges beside it else.
        let far = plane.rest(ground, xz, false) - rolled.y;
        let near = is_down || lock.level + clearance - far < NEAR;
        let under = if near { plane.rest(ground, xz, true) - rolled.y } else { far };
        if lock.level.is_nan() {
            lock.level = under;
        } else if is_down {
            (lock.level, lock.level_rate) = (give_way(lock.level, under, dt), 0.0);
        } else {
            let goal = if rising {
                let beyond = DVec2::new(xz.x + toe.x, xz.y + toe.z) + SEES * ahead;
                let climb = along.y / DVec2::new(along.x, along.z).length() * (beyond - at).dot(ahead);
                under.max(ground.height(beyond.x, beyond.y) - climb)
            } else {
                under
            };
            // Mud lets go slowly.
            let stuck = STICKS * stood.suction / (body.mass * GRAVITY);
            let half_life = if rising { RISE * (1.0 + stuck.min(3.0)) } else { FOLLOW };
            (lock.level, lock.level_rate) =
                spring(lock.level, lock.level_rate, goal - drags + platform, half_life, dt);
        }
        lock.level = lock.level.max(under - clearance - drags - SCUFF);
        // How far above where it stood, as the ground was, the ground has made it go.
        let above = |at: DVec2, level: f64| level - ground.base.height(at.x, at.y);
        let rose = above(at, lock.level - platform) - above(lock.place, lock.stood);
        lock.rose = lock.rose.max(rose as f32);
        gap = lock.level + clearance - under;
        if is_down || gap > -DRAGS {
            gap = gap.max(0.0);
        }
    }
    let middle = DVec3::new(xz.x, lock.level + clearance + rolled.y, xz.y);
    let ankle = middle + rotation * DVec3::new(shape.ankle, shape.ankle_height, 0.0);
    let shown = Vec3::new(at.x as f32, (lock.level + clearance) as f32, at.y as f32);
    let rate = (1.0 / dt) as f32;
    let fresh = lock.shown == Vec3::ZERO;
    let velocity = if fresh { Vec3::ZERO } else { (shown - lock.shown) * rate };
    let spin = if fresh { 0.0 } else { (pitch as f32 - lock.shown_turn.y) * rate };
    (lock.shown, lock.shown_turn) = (shown, Vec3::new(yaw as f32, pitch as f32, toe_bend as f32));
    let down = is_down && gap <= 0.0;
    debug_assert!(gap >= 0.0 || !is_down, "only a swinging foot goes through the ground");
    if !standing {
        (lock.met, lock.sunk) = (lock.level, 0.0);
    } else {
        // At the deepest: as a foot leaves, its level changes faster than frames can tell.
        lock.sunk = lock.sunk.max(lock.met - lock.level);
    }
    Placed {
        sole: SolePose {
            position: Vec3::new(
                middle.x as f32,
                match (down, gap < 0.0) {
                    (true, _) => 0.0,
                    // Through the ground.
                    (false, true) => gap as f32,
                    (false, false) => gap.max(1e-4) as f32,
                },
                middle.z as f32,
            ),
            rotation: rotation.as_quat(),
            toe_bend: toe_bend as f32,
            velocity,
            spin: (along.cross(normal)).as_vec3() * spin,
        },
        middle,
        ankle,
        at,
        level: lock.level,
        gap,
        plane,
        down,
    }
}

/// A sole's plane from its middle, m: its ends, where it bends, and half across it.
#[derive(Clone, Copy, Debug, Default)]
struct Plane {
    heel: DVec3,
    ball: DVec3,
    toe: DVec3,
    side: DVec3,
}

impl Plane {
    /// The lowest height of the middle at (x, z) at which no point of the plane is in the ground, m. Looks closely, at fifteen
    /// points, where the foot is near the ground, and at four where it is far.
    fn rest(&self, ground: &Ground, xz: DVec2, near: bool) -> f64 {
        let above = |p: DVec3| ground.height(xz.x + p.x, xz.y + p.z) - p.y;
        if !near {
            let sides = above(self.ball + self.side).max(above(self.ball - self.side));
            return sides.max(above(self.heel)).max(above(self.toe));
        }
        let between = |t: f64| self.heel + (self.ball - self.heel) * t;
        let along = [self.heel, between(0.35), between(0.7), self.ball, self.toe];
        let across = |p: DVec3| above(p).max(above(p - self.side)).max(above(p + self.side));
        along.into_iter().map(across).fold(f64::MIN, f64::max)
    }
}

/// A foot that stands and whose body has gone on by so much more than its motion says, m, steps after it once that has pulled the hips
/// down by so much, m. It is there when so much is left, and is lifted by so much at most, m. Our choice, all four.
const LEASH: f32 = 0.22;
const STOOPS: f64 = 0.15;
const ARRIVED: f32 = 0.03;
const HURRIED: f32 = 0.06;
/// It is lifted by all of that once it is so fast, m/s: our choice.
const BRISK: f32 = 0.15;

/// Where the foot is over the ground, its heading, its turns (heading, pitch, bend) and how high the clip lifts it: held in
/// its place while it stands, which is where the body will have it when it next thinks, as `lands` says.
fn hold(
    walker: &mut Walker,
    foot: &ShotFoot,
    lands: &ShotFoot,
    (side, is_down, settled): (usize, bool, bool),
    stood: &Foot,
    dt: f64,
) -> (DVec2, f64, Vec3, f64) {
    let (root, heading) = (walker.root, walker.heading);
    let from = |root: DVec2, heading: f64, p: Vec3| {
        let (s, c) = (libm::sin(heading), libm::cos(heading));
        let (x, z) = (f64::from(p.x), f64::from(p.z));
        root + DVec2::new(x * c - z * s, x * s + z * c)
    };
    let to_world = |p: Vec3| from(root, heading, p);
    let (s, c) = (libm::sin(heading), libm::cos(heading));
    let until = walker.think_in.max(0.0);
    let ahead = if until > 0.0 { walker.ahead } else { Ahead::default() };
    // Not the foot that is to carry the body.
    let free = foot.load < 0.5 && walker.locks[1 - side].held;
    let pulled = settled && free && walker.drop > STOOPS;
    let lock = &mut walker.locks[side];
    (lock.offset, lock.offset_rate) = spring(lock.offset, lock.offset_rate, lock.scatter, LET_GO, dt);
    (lock.turn, lock.turn_rate) = decay(lock.turn, lock.turn_rate, LET_GO, dt);
    lock.load *= left(LET_GO, dt);
    let from_clip = |place: DVec2| {
        let d = place - to_world(foot.place);
        Vec3::new((d.x * c + d.y * s) as f32, 0.0, (d.y * c - d.x * s) as f32)
    };
    if !is_down {
        lock.hurries = false;
    } else if lock.held && pulled && from_clip(lock.place).length() > LEASH {
        (lock.held, lock.hurries) = (false, true);
        (lock.offset, lock.offset_rate) = (from_clip(lock.place), Vec3::ZERO);
        lock.turn.x = crate::math::wrap((lock.heading - heading) as f32 - foot.heading);
        lock.turn_rate = Vec3::ZERO;
    }
    let mut local = foot.place + lock.offset;
    let turn = Vec3::new(foot.heading, foot.pitch, foot.bend) + lock.turn;
    let mut at = to_world(local);
    let mut yaw = heading + f64::from(turn.x);
    // What it still has to go.
    let left_to_go = (lock.offset - lock.scatter).with_y(0.0).length();
    if lock.hurries {
        // Up at once, along, and down where it shall stand.
        let sets_off = (lock.offset_rate.with_y(0.0).length() / BRISK).min(1.0);
        local.y = local.y.max(0.0) + HURRIED * sets_off;
        lock.hurries = (left_to_go > ARRIVED && foot.load < 0.5) || !settled;
    }
    if is_down && !lock.hurries {
        if !lock.held {
            let (offset, _) = spring(lock.offset, lock.offset_rate, lock.scatter, LET_GO, until);
            let (turned, _) = decay(lock.turn, lock.turn_rate, LET_GO, until);
            let then = heading + (ahead.turn + ahead.aims);
            let place = from(root + ahead.root, then, lands.place + offset);
            (lock.held, lock.place) = (true, place);
            lock.heading = then + f64::from(lands.heading + turned.x);
            walker.met_ground = true;
            let sunk = if walker.sinkage.is_nan() { 0.0 } else { walker.sinkage };
            walker.climbs = 0.5 * (walker.climbs + (f64::from(lock.rose) - sunk - USUAL).max(0.0));
            // What a jump between clips still holds it up by is on its way down now.
            lock.level += f64::from(local.y.max(0.0));
        }
        (at, yaw) = (lock.place, lock.heading);
        local.y = 0.0;
    } else if lock.held {
        // Lets go: from where it stood to where the clip has it, without a jump.
        lock.held = false;
        // What of it was its own doing: a foot that grazes the walls of a print meets the ground high up and sinks all the same.
        let own = stood.pressed / (FRESH * stood.broadest * stood.deepest).max(1e-9);
        let sunk = lock.sunk * own.min(1.0);
        walker.sinkage = if walker.sinkage.is_nan() { sunk } else { 0.5 * (walker.sinkage + sunk) };
        (lock.stood, lock.rose) = (lock.level, 0.0);
        lock.offset = from_clip(lock.place).with_y(-foot.place.y);
        lock.offset_rate = Vec3::ZERO;
        lock.turn.x = crate::math::wrap((lock.heading - heading) as f32 - foot.heading);
        lock.turn_rate = Vec3::ZERO;
        local = foot.place + lock.offset;
        (at, yaw) = (lock.place, lock.heading);
    }
    (at, yaw, turn, f64::from(local.y.max(0.0)))
}

/// Out of the surface below a sole, prints and rims included; never far from out of the original ground.
fn normal_below(ground: &Ground, at: DVec2, ahead: DVec2, shape: &FootShape) -> Vec3 {
    let right = DVec2::new(-ahead.y, ahead.x);
    let height = |p: DVec2| ground.height(p.x, p.y);
    let (long, wide) = (0.4 * (shape.toe - shape.heel), 0.8 * shape.half_width);
    let rise = |d: DVec2, by: f64| (height(at + d * by) - height(at - d * by)) / (2.0 * by);
    let slope = rise(ahead, long) * ahead + rise(right, wide) * right;
    let now = DVec3::new(-slope.x, 1.0, -slope.y).normalize().as_vec3();
    let original = ground.base.normal(at.x, at.y, 0.12);
    let off = now - original;
    (original + off * (FITS / off.length().max(FITS))).normalize()
}

fn follow_normal(from: Vec3, to: Vec3, dt: f64) -> Vec3 {
    (to + (from - to) * left(FOLLOW, dt)).normalize()
}

/// What is left after `dt` of something that halves in `half_life` s.
fn left(half_life: f64, dt: f64) -> f32 {
    libm::exp(-std::f64::consts::LN_2 / half_life * dt) as f32
}

/// How far the original ground below the toes turns up out of the plane of the sole, rad. Prints and rims, no longer than the
/// toes themselves, are pressed, not followed.
fn toes_turn(ground: &Ground, at: DVec2, ahead: DVec2, shape: &FootShape, normal: Vec3) -> f32 {
    let rise = |from: f64, to: f64| {
        let height = |u: f64| {
            let p = at + ahead * u;
            ground.base.height(p.x, p.y)
        };
        (height(to) - height(from)) / (to - from)
    };
    // Beyond the plane that the sole lies in by as much as the ground bends between heel and toes.
    let (rear, front) = (rise(shape.heel, shape.ball), rise(shape.ball, shape.toe));
    let tilt = (libm::atan(front) - libm::atan(rear)) as f32 * normal.y.max(0.5);
    tilt.clamp(-TOES_TURN, TOES_TURN)
}

/// Down to `under`: y′ = −k·y − v, solved, and there in a finite time. Up at once.
fn give_way(level: f64, under: f64, dt: f64) -> f64 {
    let (k, v) = (std::f64::consts::LN_2 / GIVES_WAY.0, GIVES_WAY.1);
    let above = (level - under).max(0.0);
    under + ((above + v / k) * libm::exp(-k * dt) - v / k).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foot_that_steps_into_a_hollow_reaches_its_bottom_at_the_same_time_at_any_rate() {
        let fall = |rate: f64| {
            let (mut level, mut steps) = (0.05, 0);
            while level > 0.0 {
                level = give_way(level, 0.0, 1.0 / rate);
                steps += 1;
            }
            f64::from(steps) / rate
        };
        let (slow, fast) = (fall(60.0), fall(1000.0));
        assert!((slow - fast).abs() <= 1.0 / 60.0, "{slow} {fast}");
        assert!((0.03..0.15).contains(&fast), "{fast} s for 5 cm");
        assert_eq!(give_way(-0.01, 0.0, 0.01), 0.0, "never below");
    }
}
