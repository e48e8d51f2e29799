//! When a foot touches the ground, found in a motion that does not say it.
//!
//! In: the path of a point of the foot, heel or toes, at even times. Out: whether it stands, frame by frame. A point stands
//! while it is both slow and low; what begins a contact is stricter than what ends it, so that noise does not chop it up.

use glam::Vec3;

/// What counts as standing. All values are our choice, for a leg of [`Rule::LEG`] m; recorded feet that stand move by 0.4 to
/// 6 cm/s, feet that swing by 1 to 5 m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// A contact begins below this speed, m/s.
    pub slow: f32,
    /// And ends above this one, m/s.
    pub fast: f32,
    /// It begins below this height above the ground, m.
    pub low: f32,
    /// And ends above this one, m.
    pub high: f32,
    /// Shorter contacts are none, s.
    pub shortest: f64,
    /// Shorter gaps are none, s.
    pub gap: f64,
}

impl Rule {
    /// The leg for which the default rule is made, m: hip joint to ankle joint of a 1.8 m body.
    pub const LEG: f32 = 0.87;

    /// The rule for a body whose thigh and shank measure `leg` m together: speeds follow √leg as walking does, heights leg.
    pub fn for_leg(leg: f32) -> Self {
        let size = (leg / Self::LEG).clamp(0.01, 100.0);
        let usual = Self::default();
        Self {
            slow: usual.slow * size.sqrt(),
            fast: usual.fast * size.sqrt(),
            low: usual.low * size,
            high: usual.high * size,
            ..usual
        }
    }
}

impl Default for Rule {
    fn default() -> Self {
        Self { slow: 0.35, fast: 0.6, low: 0.035, high: 0.06, shortest: 0.06, gap: 0.04 }
    }
}

/// Speed of a point at every frame, m/s, over about a thirtieth of a second to either side so that noise does not count.
pub fn speeds(track: &[Vec3], dt: f64) -> Vec<f32> {
    let n = track.len();
    let reach = ((1.0 / 60.0) / dt).round().max(1.0) as usize;
    (0..n)
        .map(|i| {
            let (a, b) = (i.saturating_sub(reach), (i + reach).min(n - 1));
            if a == b { 0.0 } else { track[a].distance(track[b]) / ((b - a) as f64 * dt) as f32 }
        })
        .collect()
}

/// The height of the ground below a motion, m: where its points are while they are slow. `tracks` are paths of points that
/// touch the ground in turn. Where nothing is slow it is the lowest place.
pub fn level(tracks: &[&[Vec3]], dt: f64, rule: &Rule) -> f32 {
    let mut heights: Vec<f32> = Vec::new();
    let mut lowest = f32::MAX;
    for track in tracks {
        let speeds = speeds(track, dt);
        for (p, &v) in track.iter().zip(&speeds) {
            lowest = lowest.min(p.y);
            if v < rule.slow {
                heights.push(p.y);
            }
        }
    }
    if lowest == f32::MAX {
        return 0.0;
    }
    // Of the slow places only the low ones are ground: a knee's height of others may be a foot that hangs still.
    let near = lowest + 3.0 * rule.high;
    heights.retain(|&y| y < near);
    if heights.is_empty() {
        return lowest;
    }
    heights.sort_unstable_by(f32::total_cmp);
    heights[heights.len() / 4]
}

/// Whether the point of `track` stands on ground of height `level` m, at every frame.
pub fn find(track: &[Vec3], dt: f64, level: f32, rule: &Rule) -> Vec<bool> {
    let speeds = speeds(track, dt);
    let mut on = false;
    let mut stands: Vec<bool> = track
        .iter()
        .zip(&speeds)
        .map(|(p, &v)| {
            let above = p.y - level;
            on = if on { v < rule.fast && above < rule.high } else { v < rule.slow && above < rule.low };
            on
        })
        .collect();
    // The same backwards: a contact begins where it would end if time ran the other way.
    on = false;
    for i in (0..stands.len()).rev() {
        let above = track[i].y - level;
        on = if on { speeds[i] < rule.fast && above < rule.high } else { stands[i] };
        stands[i] = stands[i] || on;
    }
    fill(&mut stands, false, (rule.gap / dt).floor() as usize);
    fill(&mut stands, true, (rule.shortest / dt).floor() as usize);
    stands
}

/// Turns runs of `what` that are not longer than `longest` into their opposite, unless they touch an end.
fn fill(stands: &mut [bool], what: bool, longest: usize) {
    let n = stands.len();
    let mut i = 0;
    while i < n {
        let end = (i..n).find(|&k| stands[k] != stands[i]).unwrap_or(n);
        if stands[i] == what && i > 0 && end < n && end - i <= longest {
            stands[i..end].fill(!what);
        }
        i = end;
    }
}

/// Runs of contact as first frame and one past the last.
pub fn runs(stands: impl ExactSizeIterator<Item = bool>) -> Vec<(usize, usize)> {
    let n = stands.len();
    let (mut out, mut start) = (Vec::new(), None);
    for (i, on) in stands.enumerate() {
        match (on, start) {
            (true, None) => start = Some(i),
            (false, Some(a)) => {
                out.push((a, i));
                start = None;
            }
            _ => {}
        }
    }
    out.extend(start.map(|a| (a, n)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Ground, Skeleton};
    use crate::clips::{Clip, Kind};
    use crate::gait::{Gait, Rig, Style, Track};
    use crate::params::body::Body;

    /// The path of a point of the sole, `u` m before its middle.
    fn track(clip: &Clip, side: usize, u: f64, skeleton: &Skeleton) -> Vec<Vec3> {
        let foot = &skeleton.foot;
        let rear = u.min(foot.ball) as f32;
        clip.frames
            .iter()
            .map(|f| {
                let s = &f.soles[side];
                let toes = s.rotation * glam::Quat::from_rotation_z(s.toe_bend);
                s.position + s.rotation * (Vec3::X * rear) + toes * (Vec3::X * (u as f32 - rear))
            })
            .collect()
    }

    #[test]
    fn contacts_of_a_generated_walk_are_found_again() {
        let body = Body::default();
        let rig = Rig::new(&body, &Style::default(), Ground::default());
        for (speed, kind) in [(0.8, Kind::Walk), (1.3, Kind::Walk), (1.8, Kind::Walk), (3.0, Kind::Run)] {
            let clip = Clip::sample(kind, &Gait::new(&rig, Track::straight(speed), 6.0), 6.0, 120.0);
            for side in 0..2 {
                let (heel, toe) = (
                    track(&clip, side, rig.skeleton.foot.heel, &rig.skeleton),
                    track(&clip, side, rig.skeleton.foot.toe, &rig.skeleton),
                );
                let rule = Rule::default();
                let level = level(&[&heel, &toe], clip.dt, &rule);
                assert!(level.abs() < 0.01, "{level}");
                let (a, b) = (find(&heel, clip.dt, level, &rule), find(&toe, clip.dt, level, &rule));
                let wrong = (0..clip.frames.len())
                    .filter(|&i| (a[i] || b[i]) != clip.frames[i].contacts[side].contains(&true))
                    .count();
                let share = wrong as f64 / clip.frames.len() as f64;
                // Two events a stride of about 130 frames, each within four frames of 120 Hz.
                assert!(share < 0.06, "{speed} m/s: {share} of the frames are wrong");
                assert_eq!(
                    runs((0..a.len()).map(|i| a[i] || b[i])).len(),
                    runs(clip.frames.iter().map(|f| f.contacts[side].contains(&true))).len(),
                    "{speed} m/s: as many contacts as there are"
                );
            }
        }
    }

    #[test]
    fn noise_does_not_chop_a_contact() {
        let dt = 1.0 / 60.0;
        let track: Vec<Vec3> = (0..240)
            .map(|i| {
                let shake = Vec3::new(0.002 * ((i * 7) % 5) as f32, 0.002 * ((i * 3) % 4) as f32, 0.0);
                let t = i as f32 / 60.0;
                // Stands for a second, swings for a second.
                let (step, within) = ((t / 2.0).floor(), t % 2.0);
                let u = (within - 1.0).max(0.0);
                shake + Vec3::new(1.4 * (step + u), 0.15 * libm::sinf(std::f32::consts::PI * u), 0.0)
            })
            .collect();
        let stands = find(&track, dt, 0.0, &Rule::default());
        assert_eq!(runs(stands.iter().copied()).len(), 2);
        assert!(stands[..55].iter().all(|&s| s) && stands[75..110].iter().all(|&s| !s));
    }

    #[test]
    fn nothing_and_one_frame_are_handled() {
        assert!(find(&[], 0.01, 0.0, &Rule::default()).is_empty());
        assert_eq!(find(&[Vec3::ZERO], 0.01, 0.0, &Rule::default()), [true]);
        assert_eq!(level(&[&[]], 0.01, &Rule::default()), 0.0);
        assert!(speeds(&[], 0.01).is_empty());
    }
}
