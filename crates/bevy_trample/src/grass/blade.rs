//! A stem as it is drawn.

use bevy::math::{Vec3, Vec4};
use trample::Stem;
use trample::internal::{Stream, uniform};

/// A stem: four points from the ground to the tip in the frame of its clump, m. What is left of each is its width, m (0 for none);
/// the patch it belongs to; how worn it is, 0..1, or 2 if broken; and a number of its own, 0..1.
pub type Blade = [Vec4; 4];

/// A number of a stem's own, 0..1, the same whenever it is looked at.
pub(crate) fn own_number(stem: &Stem<'_>) -> f32 {
    let place = stem.root[0].to_bits() ^ stem.root[1].to_bits().rotate_left(32);
    uniform(place, Stream::Plant, stem.number as u64) as f32
}

/// Draws a stem.
pub(crate) fn blade(stem: &Stem<'_>, corner: Vec3, width: f32, own: f32) -> Blade {
    let last = (stem.points.len() - 1) as f32;
    let at = |share: f32| {
        let p = share * last;
        let k = (p as usize).min(stem.points.len().saturating_sub(2));
        let next = stem.points[(k + 1).min(stem.points.len() - 1)];
        stem.points[k].lerp(next, p - k as f32) - corner
    };
    let wear = if stem.state.broken { 2.0 } else { 1.0 - stem.weakest as f32 };
    let rest = [width, stem.patch as f32, wear, own];
    std::array::from_fn(|k| at(k as f32 / 3.0).extend(rest[k]))
}
