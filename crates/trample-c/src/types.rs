//! What passes between C and the world by value.

use std::ffi::c_char;
use trample_host::trample::{Contact, Event, TILE, TileKey};
use trample_host::{Control, FootState, Session};

/// Cells along the side of a tile.
pub const TRAMPLE_TILE: u32 = 8;

/// Feet share the weight of the body, unless they are given forces before their first step.
pub const TRAMPLE_BY_WEIGHT_OR_FORCE: u32 = 0;
/// Feet share the weight of the body; at most eight.
pub const TRAMPLE_BY_WEIGHT: u32 = 1;
/// Each foot presses with the given force.
pub const TRAMPLE_BY_FORCE: u32 = 2;
/// Each foot is held at its pose; `trample_foot` returns the reaction force of the ground. Natural law and free soles only.
pub const TRAMPLE_BY_POSITION: u32 = 3;

/// A foot touched the ground.
pub const TRAMPLE_FOOT_DOWN: u32 = 0;
/// A foot left the ground.
pub const TRAMPLE_FOOT_UP: u32 = 1;
/// A puppet's pose was not finite; the puppet is ignored from now on.
pub const TRAMPLE_QUARANTINED: u32 = 2;

/// A body that you move. Zeros and NULL select default values.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TramplePuppet {
    /// Number of feet.
    pub feet: u32,
    /// Control of the feet: one of `TRAMPLE_BY_…`.
    pub control: u32,
    /// Mass, kg; 0 for the default.
    pub mass: f64,
    /// Name of its footwear, such as "boot"; NULL for the default.
    pub footwear: *const c_char,
    /// Length of a foot, m; 0 for the default.
    pub foot_length: f64,
    /// Width of a foot, m; 0 for the default.
    pub foot_width: f64,
    /// Whether y of its soles is the clearance above the ground, 0 when planted; otherwise it is a height.
    pub pinned: bool,
}

/// Pose and motion of one foot at the end of the next step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TrampleSole {
    /// Middle of the sole on its lowest plane, m: x, y, z. For a pinned puppet y is the clearance above the ground, 0 when planted.
    pub position: [f32; 3],
    /// Quaternion from the sole's frame (x forward, y up, z right) to the world's: x, y, z, w; not 0, it is normalised.
    pub rotation: [f32; 4],
    /// Velocity of the middle, m/s.
    pub velocity: [f32; 3],
    /// Angular velocity, rad/s.
    pub spin: [f32; 3],
    /// Rotation of the forefoot about the ball, rad, toes up positive.
    pub toe_bend: f32,
}

/// A square of cells whose surface has changed, as a rectangle for `trample_map`; smaller at the edge of the terrain.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TrampleTile {
    /// First column of cells.
    pub x: i32,
    /// First row of cells.
    pub z: i32,
    /// Columns, at most `TRAMPLE_TILE`.
    pub columns: u32,
    /// Rows, at most `TRAMPLE_TILE`.
    pub rows: u32,
}

/// An event of a foot. Values that do not apply to the event are NaN.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TrampleEvent {
    /// One of `TRAMPLE_FOOT_DOWN`, `TRAMPLE_FOOT_UP`, `TRAMPLE_QUARANTINED`.
    pub kind: u32,
    /// Index of the puppet in the scene.
    pub puppet: u32,
    /// Its index among the puppets that you move; −1 if it moves by itself.
    pub host: i32,
    /// Index of the foot; −1 if the event has none.
    pub foot: i32,
    /// Time, s.
    pub time: f64,
    /// Position, m: x, y, z; y as in the pose.
    pub position: [f32; 3],
    /// Largest normal force, N: of the step when it touches the ground, of the stance when it leaves.
    pub force: f64,
    /// Contact area, m².
    pub area: f64,
    /// Mean depth of the print, m; when the foot leaves.
    pub depth: f64,
    /// Integral of the normal force over time, N·s; when the foot leaves.
    pub impulse: f64,
    /// Duration of the stance, s; when the foot leaves.
    pub stance: f64,
}

/// A foot on the ground during the last step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TrampleContact {
    /// Index of the puppet in the scene.
    pub puppet: u32,
    /// Its index among the puppets that you move; −1 if it moves by itself.
    pub host: i32,
    /// Index of the foot.
    pub foot: i32,
    /// Duration of contact within the step, s.
    pub seconds: f64,
    /// Mean force on the ground, N: x, y, z.
    pub force: [f32; 3],
    /// Mean force into the ground, N.
    pub normal_force: f64,
    /// Contact area, m².
    pub area: f64,
    /// Mean normal pressure, Pa.
    pub pressure: f64,
    /// Mean depth below the original ground, m.
    pub depth: f64,
    /// Height of the sole's lowest plane, m.
    pub height: f64,
    /// Velocity at which the sole slips, m/s: x, y, z.
    pub slip: [f32; 3],
    /// Mean point of application of the force, m: x and z.
    pub cop: [f32; 2],
}

/// State of a foot that you move after the last step; zeros while it is in the air.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TrampleFoot {
    /// Whether it is on the ground.
    pub down: bool,
    /// Force on the ground, N: x, y, z. At the end of the step for position control, otherwise the mean over the step.
    pub force: [f32; 3],
    /// Its component into the ground, N.
    pub normal_force: f64,
    /// Mean depth below the original ground, m.
    pub sinkage: f64,
    /// Velocity at which it slips, m/s: x, y, z.
    pub slip: [f32; 3],
    /// Height of its lowest plane, m; NaN in the air.
    pub height: f64,
    /// Contact area, m².
    pub area: f64,
    /// Mean normal pressure, Pa.
    pub pressure: f64,
    /// Suction force of wet ground if it were lifted now, N.
    pub suction: f64,
}

/// The control of that number.
pub(crate) fn control(number: u32) -> Result<Control, String> {
    Ok(match number {
        TRAMPLE_BY_WEIGHT_OR_FORCE => Control::Either,
        TRAMPLE_BY_WEIGHT => Control::Weight,
        TRAMPLE_BY_FORCE => Control::Force,
        TRAMPLE_BY_POSITION => Control::Position,
        _ => return Err(format!("control {number}: no such control, allowed: 0 to 3")),
    })
}

fn number(of: Option<usize>) -> i32 {
    of.map_or(-1, |n| n as i32)
}

impl TrampleTile {
    pub(crate) fn of(key: TileKey, columns: i32, rows: i32) -> Self {
        let side = TILE as i32;
        let within = |first: i32, all: i32| (all - first).clamp(0, side) as u32;
        let (x, z) = (key.x * side, key.z * side);
        Self { x, z, columns: within(x, columns), rows: within(z, rows) }
    }
}

impl TrampleEvent {
    pub(crate) fn of(session: &Session, event: &Event) -> Self {
        let blank = Self {
            kind: TRAMPLE_QUARANTINED,
            puppet: 0,
            host: -1,
            foot: -1,
            time: f64::NAN,
            position: [f32::NAN; 3],
            force: f64::NAN,
            area: f64::NAN,
            depth: f64::NAN,
            impulse: f64::NAN,
            stance: f64::NAN,
        };
        let of = |puppet: usize, foot: usize| {
            let whose = session.whose(puppet, foot);
            Self { puppet: puppet as u32, host: number(whose.host), foot: whose.foot as i32, ..blank }
        };
        match *event {
            Event::FootDown { puppet, foot, time, position, force, area } => Self {
                kind: TRAMPLE_FOOT_DOWN,
                time,
                position: position.to_array(),
                force,
                area,
                ..of(puppet, foot)
            },
            Event::FootUp { puppet, foot, time, position, force, area, depth, impulse, stance } => Self {
                kind: TRAMPLE_FOOT_UP,
                time,
                position: position.to_array(),
                force,
                area,
                depth,
                impulse,
                stance,
                ..of(puppet, foot)
            },
            Event::Quarantined { puppet } => Self { foot: -1, ..of(puppet, 0) },
            // The core's list may grow; what is not known here is told as a kind that has no name.
            _ => Self { kind: u32::MAX, ..blank },
        }
    }
}

impl TrampleContact {
    pub(crate) fn of(session: &Session, contact: &Contact) -> Self {
        let whose = session.whose(contact.puppet, contact.foot);
        Self {
            puppet: contact.puppet as u32,
            host: number(whose.host),
            foot: whose.foot as i32,
            seconds: contact.seconds,
            force: contact.force.to_array(),
            normal_force: contact.normal_force,
            area: contact.area,
            pressure: contact.pressure,
            depth: contact.depth,
            height: contact.height,
            slip: contact.slip.to_array(),
            cop: contact.cop.to_array(),
        }
    }
}

impl TrampleFoot {
    pub(crate) fn of(foot: &FootState) -> Self {
        Self {
            down: foot.down,
            force: foot.force.to_array(),
            normal_force: foot.normal_force,
            sinkage: foot.sinkage,
            slip: foot.slip.to_array(),
            height: foot.height,
            area: foot.area,
            pressure: foot.pressure,
            suction: foot.suction,
        }
    }
}
