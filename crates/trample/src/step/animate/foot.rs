//! Feet on the ground (TR-1, TR-2, §7): they stand where they landed, roll over heel and toes, and follow the ground.
//!
//! In: the shot's feet, the ground, where soles stood after the last step. Out: soles for the contact stage and ankles for
//! the legs. A standing foot holds its place in the world; one that lifts lets go of the difference over a tenth of a second.

use crate::motion::database::{Shot, rolled_middle};
use crate::motion::skeleton::FootShape;
use crate::motion::spring::decay;
use crate::state::{Foot, Ground, SolePose, Walker};
use glam::{DMat3, DQuat, DVec2, DVec3, Vec3};

/// Half-life of what is let go when a foot lifts, s.
const LET_GO: f64 = 0.08;
/// Within this height the sole turns towards the ground, m (TR-1, d_max).
const ALIGN: f64 = 0.2;
/// Steeper than this the toes carry, rad (TR-2, θ0).
const TOES_ONLY: f64 = 12.0 * std::f64::consts::PI / 180.0;

/// A foot, placed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Placed {
    /// For the contact stage; y is the clearance.
    pub(crate) sole: SolePose,
    /// Middle of the sole in the world, m.
    pub(crate) middle: DVec3,
    /// Ankle joint in the world, m.
    pub(crate) ankle: DVec3,
    /// Level of the ground below it, m.
    pub(crate) level: f64,
    /// Whether it stands.
    pub(crate) down: bool,
}

/// Places both feet.
pub(crate) fn run(
    walker: &mut Walker,
    shot: &Shot,
    shape: &FootShape,
    ground: &Ground,
    feet: &[Foot],
    dt: f64,
) -> [Placed; 2] {
    // Puppets count the right foot first, bodies the left.
    [0, 1].map(|side| place(walker, shot, side, shape, ground, &feet[1 - side], dt))
}

fn place(
    walker: &mut Walker,
    shot: &Shot,
    side: usize,
    shape: &FootShape,
    ground: &Ground,
    stood: &Foot,
    dt: f64,
) -> Placed {
    let (root, heading) = (walker.root, walker.heading);
    let (s, c) = (libm::sin(heading), libm::cos(heading));
    let to_world = |p: Vec3| {
        let (x, z) = (f64::from(p.x), f64::from(p.z));
        root + DVec2::new(x * c - z * s, x * s + z * c)
    };
    let foot = &shot.feet[side];
    let lock = &mut walker.locks[side];
    (lock.offset, lock.offset_rate) = decay(lock.offset, lock.offset_rate, LET_GO, dt);
    (lock.turn, lock.turn_rate) = decay(lock.turn, lock.turn_rate, LET_GO, dt);
    let mut local = foot.place + lock.offset;
    let turn = Vec3::new(foot.heading, foot.pitch, foot.bend) + lock.turn;
    let mut at = to_world(local);
    let mut yaw = heading + f64::from(turn.x);
    if foot.down {
        if !lock.held {
            (lock.held, lock.place, lock.heading) = (true, at, yaw);
        }
        (at, yaw) = (lock.place, lock.heading);
        local.y = 0.0;
    } else if lock.held {
        // Lets go: from where it stood to where the clip has it, without a jump.
        lock.held = false;
        let d = lock.place - to_world(foot.place);
        lock.offset = Vec3::new((d.x * c + d.y * s) as f32, 0.0, (d.y * c - d.x * s) as f32);
        lock.offset_rate = Vec3::ZERO;
        lock.turn.x = crate::motion::database::wrap((lock.heading - heading) as f32 - foot.heading);
        lock.turn_rate = Vec3::ZERO;
        local = foot.place + lock.offset;
        (at, yaw) = (lock.place, lock.heading);
    }
    let clearance = f64::from(local.y.max(0.0));
    // TR-1: near the ground the sole turns parallel to it; TR-2: on steep ground the heel stays up.
    let weight = (1.0 - clearance / ALIGN).clamp(0.0, 1.0);
    let below = ground.base.normal(at.x, at.y, 0.12).as_dvec3();
    let normal = (DVec3::Y * (1.0 - weight) + below * weight).normalize();
    let level_ahead = DVec3::new(libm::cos(yaw), 0.0, libm::sin(yaw));
    let along = (level_ahead - level_ahead.dot(normal) * normal).normalize();
    let steep = libm::asin((along.y * weight).clamp(-1.0, 1.0));
    let raise = (steep - TOES_ONLY).max(0.0) * weight;
    let pitch = f64::from(turn.y) - raise;
    let bend = (f64::from(turn.z) + raise).clamp(0.0, 0.9);
    // Relative to the ground's plane through the place: how high the middle is when the foot is rolled like this.
    let rolled = rolled_middle(DVec3::ZERO, along, normal, pitch, bend, shape);
    let surface = ground.height(at.x, at.y);
    // Where the sole came to rest in the step before, less its roll then: one that has only just touched has no rest yet.
    let standing = foot.down && stood.down && stood.stance > 0.0;
    let level = if standing { stood.height - lock.rolled } else { surface };
    lock.rolled = rolled.y;
    // In the air the ground below changes from cell to cell; the foot does not shake.
    lock.level = if standing || lock.level == 0.0 {
        level
    } else {
        crate::motion::spring::damper_exact(lock.level, level, 0.04, dt).max(surface)
    };
    let level = lock.level;
    let middle = DVec3::new(at.x + rolled.x, level + rolled.y + clearance, at.y + rolled.z);
    let frame = DQuat::from_mat3(&DMat3::from_cols(along, normal, along.cross(normal)));
    let rotation = (frame * DQuat::from_rotation_z(pitch)).normalize();
    let ankle = middle + rotation * DVec3::new(shape.ankle, shape.ankle_height, 0.0);
    let shown = Vec3::new(at.x as f32, clearance as f32, at.y as f32);
    let shown_turn = Vec3::new(yaw as f32, pitch as f32, bend as f32);
    let rate = (1.0 / dt) as f32;
    let fresh = lock.shown == Vec3::ZERO;
    let velocity = if fresh { Vec3::ZERO } else { (shown - lock.shown) * rate };
    let spin = if fresh { 0.0 } else { (pitch as f32 - lock.shown_turn.y) * rate };
    (lock.shown, lock.shown_turn) = (shown, shown_turn);
    let right = (along.cross(normal)).as_vec3();
    Placed {
        sole: SolePose {
            position: Vec3::new(
                middle.x as f32,
                if foot.down { 0.0 } else { clearance.max(1e-4) as f32 },
                middle.z as f32,
            ),
            rotation: rotation.as_quat(),
            toe_bend: bend as f32,
            velocity,
            spin: right * spin,
        },
        middle,
        ankle,
        level,
        down: foot.down,
    }
}
