//! Short motions made to be repeated, as many programs export them: one stride whose end is its beginning.
//!
//! In: a draft. Out: the same, played on behind itself until it is long enough to be looked ahead in; one that does not end as
//! it began is left alone.

use trample::glam::{DQuat, DVec3, Quat, Vec3};
use trample::imported::{Draft, Moment};

/// Longer motions need no repetition, s: a look ahead of a second, and strides to choose from. Our choice.
const ENOUGH: f64 = 5.0;
/// How far joints of the upper body may be from where they were, rad in the mean, and feet, in legs: our choice.
const CLOSE: (f32, f64) = (0.12, 0.12);

/// Where a body looks, rad from +x towards +z.
fn heading(m: &Moment) -> f64 {
    let ahead = m.pelvis * Vec3::X;
    f64::from(libm::atan2f(ahead.z, ahead.x))
}

/// A place seen from the body: its way and its heading taken out.
fn seen(m: &Moment, p: DVec3) -> DVec3 {
    DQuat::from_rotation_y(heading(m)) * (p - m.root.with_y(0.0))
}

fn turned(a: Quat, b: Quat) -> f32 {
    2.0 * libm::acosf(a.dot(b).abs().min(1.0))
}

/// Mean angle between the upper bodies of two moments, rad, and the farther of the feet, m.
fn apart(a: &Moment, b: &Moment) -> (f32, f64) {
    let angle = a.upper.iter().zip(&b.upper).map(|(p, q)| turned(*p, *q)).sum::<f32>() / 10.0;
    let foot = |side: usize| seen(a, a.feet[side].middle).distance(seen(b, b.feet[side].middle));
    (angle, foot(0).max(foot(1)))
}

/// Plays a cycle on behind itself; `leg` in metres.
pub(super) fn repeated(draft: &mut Draft, leg: f64) {
    let n = draft.moments.len();
    if n < 8 || n as f64 * draft.dt > ENOUGH {
        return;
    }
    let (first, second, last) = (draft.moments[0], draft.moments[1], draft.moments[n - 1]);
    let (angle, foot) = apart(&first, &last);
    if angle > CLOSE.0 || foot > CLOSE.1 * leg {
        return;
    }
    // The last frame is the first again, or the one before it.
    let same = foot < 0.5 * apart(&first, &second).1;
    let period = if same { n - 1 } else { n };
    let before = draft.moments[n - 2];
    let step = if same { DVec3::ZERO } else { (last.root - before.root).with_y(0.0) };
    let turn = heading(&last) - heading(&first);
    let carry = |p: DVec3, times: u32| {
        let mut p = p;
        for _ in 0..times {
            p = DQuat::from_rotation_y(-turn) * (p - first.root.with_y(0.0)) + (last.root + step).with_y(0.0);
        }
        p
    };
    let whole: Vec<Moment> = draft.moments[..period].to_vec();
    draft.moments.truncate(period);
    let mut times = 1;
    while (draft.moments.len() as f64) * draft.dt < ENOUGH {
        let about = Quat::from_rotation_y((-turn * f64::from(times)) as f32);
        for m in &whole {
            let mut next = *m;
            next.root = carry(m.root, times);
            next.pelvis = (about * m.pelvis).normalize();
            next.knees = m.knees.map(|k| about * k);
            for foot in &mut next.feet {
                foot.middle = carry(foot.middle, times);
                foot.heading += turn * f64::from(times);
            }
            draft.moments.push(next);
        }
        times += 1;
    }
}
