//! Lists as structured arrays: the fields of a row and its bytes, side by side. `numpy.frombuffer` makes the array of them.

use crate::host::Host;
use pyo3::Py;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trample::{Contact, Event, World, glam::Vec3};

/// Name and numpy format of every field, and the rows.
pub(crate) type Table = (Vec<(&'static str, &'static str)>, Py<PyBytes>);

/// Letters in the longest kind of event.
const KIND: usize = 11;

/// The bytes of a value, as numpy lays it out in a packed row.
trait Put {
    fn put(&self, row: &mut Vec<u8>);
}

macro_rules! plain {
    ($($t:ty),*) => {$(impl Put for $t {
        fn put(&self, row: &mut Vec<u8>) {
            row.extend(self.to_ne_bytes());
        }
    })*};
}
plain!(i64, u32, f32, f64);

impl Put for bool {
    fn put(&self, row: &mut Vec<u8>) {
        row.push(u8::from(*self));
    }
}

impl<T: Put, const N: usize> Put for [T; N] {
    fn put(&self, row: &mut Vec<u8>) {
        self.iter().for_each(|x| x.put(row));
    }
}

/// Makes a table: each field with its format and its value for a row.
macro_rules! table {
    ($py:expr, $rows:expr, |$row:pat_param| { $($name:literal $format:literal = $value:expr),* $(,)? }) => {{
        let mut bytes = Vec::new();
        for $row in $rows {
            $(Put::put(&$value, &mut bytes);)*
        }
        (vec![$(($name, $format)),*], PyBytes::new($py, &bytes).unbind())
    }};
}

fn word(text: &str) -> [u32; KIND] {
    let mut letters = text.chars().map(u32::from);
    std::array::from_fn(|_| letters.next().unwrap_or(0))
}

/// A foot as who moves it counts it: the number of its puppet among Python's, −1 if it moves itself, and which foot.
fn whose(hosts: &[Host], puppet: usize, foot: usize) -> (i64, i64) {
    let own = |(host, of): (usize, &Host)| of.own(puppet, foot).map(|foot| (host as i64, foot as i64));
    hosts.iter().enumerate().find_map(own).unwrap_or((-1, foot as i64))
}

/// Feet on the ground in the last step.
pub(crate) fn contacts(py: Python<'_>, contacts: &[Contact], hosts: &[Host]) -> Table {
    let rows = contacts.iter().map(|c| (c, whose(hosts, c.puppet, c.foot)));
    table!(py, rows, |(c, (host, foot))| {
        "puppet" "i8" = c.puppet as i64,
        "host" "i8" = host,
        "foot" "i8" = foot,
        "seconds" "f8" = c.seconds,
        "force" "(3,)f4" = c.force.to_array(),
        "normal_force" "f8" = c.normal_force,
        "peak_force" "f8" = c.peak_force,
        "toe_share" "f8" = c.toe_share,
        "area" "f8" = c.area,
        "pressure" "f8" = c.pressure,
        "depth" "f8" = c.depth,
        "slip" "(3,)f4" = c.slip.to_array(),
        "suction" "f8" = c.suction,
        "peaks" "(4,)f8" = c.peaks,
        "height" "f8" = c.height,
        "cop" "(2,)f4" = c.cop.to_array(),
    })
}

/// Feet that met or left the ground, and puppets that were left out. What an event does not know is not a number.
pub(crate) fn events(py: Python<'_>, events: &[Event], hosts: &[Host]) -> Table {
    const NONE: f64 = f64::NAN;
    let rows = events.iter().filter_map(|event| match *event {
        Event::FootDown { puppet, foot, time, position, force, area } => {
            Some(("foot_down", puppet, Some(foot), time, position, [force, area, NONE, NONE, NONE]))
        }
        Event::FootUp { puppet, foot, time, position, force, area, depth, impulse, stance } => {
            Some(("foot_up", puppet, Some(foot), time, position, [force, area, depth, impulse, stance]))
        }
        Event::Quarantined { puppet } => Some(("quarantined", puppet, None, NONE, Vec3::NAN, [NONE; 5])),
        // The core's list may grow.
        _ => None,
    });
    let rows = rows.map(|(kind, puppet, foot, time, position, values)| {
        let (host, number) = whose(hosts, puppet, foot.unwrap_or(0));
        (kind, puppet, host, foot.map_or(-1, |_| number), time, position, values)
    });
    table!(py, rows, |(kind, puppet, host, foot, time, position, [force, area, depth, impulse, stance])| {
        "kind" "U11" = word(kind),
        "puppet" "i8" = puppet as i64,
        "host" "i8" = host,
        "foot" "i8" = foot,
        "time" "f8" = time,
        "position" "(3,)f4" = position.to_array(),
        "force" "f8" = force,
        "area" "f8" = area,
        "depth" "f8" = depth,
        "impulse" "f8" = impulse,
        "stance" "f8" = stance,
    })
}

/// Every stem of the plants rooted between two corners.
pub(crate) fn plants(py: Python<'_>, world: &World, min: [f64; 2], max: [f64; 2]) -> Table {
    let mut rows = Vec::new();
    world.each_stem(min, max, |stem| {
        let tip = stem.points.last().copied().unwrap_or(Vec3::NAN);
        rows.push((stem.patch, stem.root, stem.number, tip, stem.state, stem.joints, stem.weakest));
    });
    table!(py, &rows, |&(patch, root, number, tip, state, joints, weakest)| {
        "patch" "i8" = patch as i64,
        "x" "f8" = root[0],
        "z" "f8" = root[1],
        "stem" "i8" = number as i64,
        "tip" "(3,)f4" = tip.to_array(),
        "bent" "?" = state.bent,
        "worn" "?" = state.worn,
        "broken" "?" = state.broken,
        "whole_joints" "u4" = joints[0],
        "joints" "u4" = joints[1],
        "weakest" "f8" = weakest,
    })
}

/// The feet that Python moves, as the last step left them; zeros for those in the air.
pub(crate) fn feet(
    py: Python<'_>,
    world: &World,
    hosts: &[Host],
    which: impl Iterator<Item = (usize, usize)>,
) -> Table {
    let feet = which.filter_map(|(id, i)| Some((id, i, hosts.get(id)?.foot(world, i)?)));
    table!(py, feet, |(id, number, foot)| {
        "puppet" "i8" = id as i64,
        "foot" "i8" = number as i64,
        "down" "?" = foot.down,
        "force" "(3,)f4" = foot.force.to_array(),
        "normal_force" "f8" = foot.normal_force,
        "sinkage" "f8" = foot.sinkage,
        "slip" "(3,)f4" = foot.slip.to_array(),
        "height" "f8" = foot.height,
        "area" "f8" = foot.area,
        "pressure" "f8" = foot.pressure,
        "suction" "f8" = foot.suction,
    })
}
