//! Motion that walks on the spot: how far it would have gone.
//!
//! In: paths of the feet and of the body, as a file has them. Out: the travel that was taken out of them, if it was. A foot that stands
//! on a treadmill is carried backwards; taking that back lets it stand and the body go.

use trample::glam::Vec3;

/// A body that stays within this share of its leg has not gone anywhere; our choice, as are all numbers here.
const STAYS: f32 = 0.4;
/// Feet that swing by less than this share of the leg do not walk.
const SWINGS: f32 = 0.2;
/// How low a foot is that stands, above its lowest places, as a share of the leg.
const LOW: f32 = 0.035;
/// Standing feet are carried at least so fast, m/s, for a leg of 0.87 m.
const CARRIED: f32 = 0.25;
/// And about in one direction: the length of the mean of their velocities, as a share of their mean speed.
const TOGETHER: f32 = 0.8;
/// Standing feet around a moment tell how fast it goes: those within about this, s, and where none stands, as in a run, those within the other.
const NEAR: [f64; 2] = [0.04, 0.25];

/// Feet that are carried tell the speed of the ground over about a stride, this far to either side of a moment, s. They are those below
/// this height, as a share of the leg, without this share of the slowest: a foot that lands, rolls or leaves is slower than the ground.
/// Fitted to six recordings of CMU (02_01, 07_01, 08_02, 35_01, 69_01 and the run 16_35) that were put on the spot.
const OVER: f64 = 0.4;
const ALL_LOW: f32 = 0.05;
const SLOWEST: f32 = 0.25;
/// By this at most the ground is faster than the feet that stand: an animator's feet have no even speed.
const FASTER: f32 = 1.1;

/// The travel that is missing at every frame, m; nothing if the motion goes somewhere, or nowhere at all.
pub(super) fn missing(feet: &[Vec<Vec3>], body: &[Vec3], leg: f32, dt: f64) -> Option<Vec<Vec3>> {
    let n = body.len();
    if n < 8 || feet.is_empty() || feet.iter().any(|f| f.len() != n) || !(leg > 1e-3 && dt > 0.0) {
        return None;
    }
    if extent(body.iter().copied()) > STAYS * leg {
        return None;
    }
    let swings = |foot: &Vec<Vec3>| extent(foot.iter().zip(body).map(|(f, b)| *f - *b)) > SWINGS * leg;
    if !feet.iter().all(swings) {
        return None;
    }
    let known = |low: f32| carried(feet, low * leg, dt);
    let carried = known(LOW);
    let (mut sum, mut speed, mut count) = (Vec3::ZERO, 0.0, 0.0f32);
    for v in carried.iter().flatten() {
        sum += *v;
        speed += v.length();
        count += 1.0;
    }
    let least = CARRIED * (leg / 0.87).sqrt();
    if count < 0.2 * n as f32 || speed < least * count || sum.length() < TOGETHER * speed {
        return None;
    }
    let mut velocity = smoothed(&carried, dt);
    hasten(&mut velocity, &known(ALL_LOW), dt);
    let mut at = Vec3::ZERO;
    Some(
        (0..n)
            .map(|i| {
                if i > 0 {
                    at -= 0.5 * (velocity[i - 1] + velocity[i]) * dt as f32;
                }
                at
            })
            .collect(),
    )
}

/// Mean speed of a travel, m/s.
pub(super) fn speed(travel: &[Vec3], dt: f64) -> f32 {
    let way: f32 = travel.windows(2).map(|w| w[0].distance(w[1])).sum();
    way / (travel.len().saturating_sub(1) as f64 * dt).max(1e-9) as f32
}

/// The largest extent of a path over the ground.
fn extent(path: impl Iterator<Item = Vec3>) -> f32 {
    let (mut low, mut high) = (Vec3::MAX, Vec3::MIN);
    for p in path {
        (low, high) = (low.min(p), high.max(p));
    }
    (high - low).with_y(0.0).length()
}

/// Velocity over the ground of what stands, at every frame at which something does. What is planted is carried fastest: all else of a
/// foot that rolls moves ahead of it, and a foot that is about to land has not been caught by the ground yet.
fn carried(feet: &[Vec<Vec3>], high: f32, dt: f64) -> Vec<Option<Vec3>> {
    let n = feet[0].len();
    let levels: Vec<f32> = feet
        .iter()
        .map(|foot| {
            let mut heights: Vec<f32> = foot.iter().map(|p| p.y).collect();
            heights.sort_unstable_by(f32::total_cmp);
            heights[n / 10]
        })
        .collect();
    let low = |k: usize, i: usize| feet[k][i].y - levels[k] < high;
    let velocity = |k: usize, i: usize| {
        let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
        (feet[k][b] - feet[k][a]).with_y(0.0) / ((b - a) as f64 * dt) as f32
    };
    let all = (0..n).flat_map(|i| (0..feet.len()).map(move |k| (k, i))).filter(|&(k, i)| low(k, i));
    let back = all.map(|(k, i)| velocity(k, i)).sum::<Vec3>().normalize_or_zero();
    (0..n)
        .map(|i| {
            let standing = (0..feet.len()).filter(|&k| low(k, i)).map(|k| velocity(k, i));
            standing.max_by(|a, b| a.dot(back).total_cmp(&b.dot(back)))
        })
        .collect()
}

/// Velocities at every frame from those that are known nearby.
fn smoothed(known: &[Option<Vec3>], dt: f64) -> Vec<Vec3> {
    let n = known.len();
    let reach = (3.0 * NEAR[1] / dt).ceil() as usize;
    (0..n)
        .map(|i| {
            let (mut sum, mut all) = (Vec3::ZERO, 0.0);
            for k in i.saturating_sub(reach)..(i + reach + 1).min(n) {
                let Some(v) = known[k] else { continue };
                let t = (k as f64 - i as f64) * dt;
                let bell = |wide: f64| libm::exp(-0.5 * (t / wide) * (t / wide));
                let weight = (bell(NEAR[0]) + 0.01 * bell(NEAR[1])) as f32;
                sum += v * weight;
                all += weight;
            }
            if all > 1e-9 { sum / all } else { Vec3::ZERO }
        })
        .collect()
}

/// Makes velocities as fast as most of what is known around them.
fn hasten(velocity: &mut [Vec3], known: &[Option<Vec3>], dt: f64) {
    let (n, reach) = (velocity.len(), (OVER / dt).ceil() as usize);
    let own: Vec<f32> = velocity.iter().map(|v| v.length()).collect();
    let mut near: Vec<f32> = Vec::new();
    for i in 0..n {
        let (a, b) = (i.saturating_sub(reach), (i + reach + 1).min(n));
        let way = velocity[i].normalize_or_zero();
        near.clear();
        near.extend(known[a..b].iter().flatten().map(|v| v.dot(way)));
        near.sort_unstable_by(f32::total_cmp);
        let fast = &near[(SLOWEST * near.len() as f32) as usize..];
        let mean = |of: &[f32]| of.iter().sum::<f32>() / of.len().max(1) as f32;
        velocity[i] *= (mean(fast) / mean(&own[a..b]).max(1e-6)).clamp(1.0, FASTER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two feet that take turns on a treadmill of `speed` m/s, and the body above it.
    fn treadmill(speed: f32, n: usize) -> (Vec<Vec<Vec3>>, Vec<Vec3>) {
        let foot = |shift: f32| {
            (0..n)
                .map(|i| {
                    let phase = (i as f32 / 60.0 + shift).fract();
                    if phase < 0.6 {
                        return Vec3::new(speed * (0.3 - phase), 0.08, 0.0);
                    }
                    let u = (phase - 0.6) / 0.4;
                    Vec3::new(
                        speed * (0.6 * u - 0.3),
                        0.08 + 0.12 * libm::sinf(std::f32::consts::PI * u),
                        0.0,
                    )
                })
                .collect()
        };
        (vec![foot(0.0), foot(0.5)], vec![Vec3::Y; n])
    }

    #[test]
    fn the_way_of_a_treadmill_is_found() {
        for speed in [0.6, 1.3, 2.5] {
            let (feet, body) = treadmill(speed, 240);
            let travel = missing(&feet, &body, 0.87, 1.0 / 60.0).expect("on the spot");
            let way = travel[239];
            let wanted = speed * 239.0 / 60.0;
            assert!((way.x / wanted - 1.0).abs() < 0.03 && way.z.abs() < 0.01, "{speed}: {way}");
        }
    }

    #[test]
    fn who_stands_or_goes_is_left_alone() {
        let (feet, body) = treadmill(1.3, 240);
        let still = vec![vec![Vec3::ZERO; 240]; 2];
        assert_eq!(missing(&still, &body, 0.87, 1.0 / 60.0), None, "standing");
        let carried = |path: &[Vec3]| -> Vec<Vec3> {
            path.iter().enumerate().map(|(i, p)| *p + Vec3::X * (1.3 * i as f32 / 60.0)).collect()
        };
        let going: Vec<Vec<Vec3>> = feet.iter().map(|f| carried(f)).collect();
        assert_eq!(missing(&going, &carried(&body), 0.87, 1.0 / 60.0), None, "walking");
        // Feet that are lifted and put down where they were.
        let marching: Vec<Vec<Vec3>> =
            feet.iter().map(|f| f.iter().map(|p| Vec3::new(0.0, p.y, 0.0)).collect()).collect();
        assert_eq!(missing(&marching, &body, 0.87, 1.0 / 60.0), None, "marching");
        assert_eq!(missing(&[], &[], 0.87, 1.0 / 60.0), None);
    }
}
