//! How much of its plants a clump shows: the nearer, the more, as far as a number of vertices goes.

use crate::grass::size_for;
use crate::lod::{Eye, Square};
use bevy::math::ops;

/// How stems are drawn: through which of their four points, and with how many leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Detail {
    pub(crate) points: &'static [usize],
    pub(crate) leaves: usize,
    /// How far it reaches, in parts of a length that follows from how many vertices there are.
    reach: f32,
}

/// From near to far; our choice. The shader lets leaves shrink before the next detail drops them.
pub(crate) const DETAILS: [Detail; 5] = [
    Detail { points: &[0, 1, 2, 3], leaves: 16, reach: 1.0 },
    Detail { points: &[0, 1, 2, 3], leaves: 6, reach: 1.8 },
    Detail { points: &[0, 2, 3], leaves: 2, reach: 3.4 },
    Detail { points: &[0, 2, 3], leaves: 0, reach: 6.0 },
    Detail { points: &[0, 3], leaves: 0, reach: f32::INFINITY },
];

/// Stems of a clump up to which the first detail is for it: where there are many, their leaves hide each other.
const FEW: usize = 64;

/// Steps from all leaves everywhere to hardly any: 0.95 to this is a hundredth.
const STEPS: usize = 90;

impl Detail {
    /// Vertices of a stem.
    pub(crate) const fn vertices(self) -> usize {
        2 * self.points.len() - 1 + 4 * self.leaves
    }
}

/// A clump to be drawn: its square, and how many stems it has.
pub(crate) type Grown = (Square, usize);

/// How far the first three details reach, m: how far stems have all, some and any leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Reaches(pub(crate) [f32; 3]);

/// Parts of the horizon, and how many of them an eye sees at most at once: a third and a bit, where one of 16:9 sees a fifth.
const BINS: usize = 16;
const WIDE: usize = 6;

/// What is asked for again and again.
struct Away {
    stems: usize,
    few: bool,
    distance: f32,
    /// Which part of the horizon it is in; none for what is below the eye, which is in view whichever way it looks.
    bin: Option<usize>,
}

impl Away {
    fn new((square, stems): Grown, eye: &Eye, unit: f32) -> Self {
        let side = square.side(unit);
        let middle = [square.x, square.z].map(|k| (k as f32 + 0.5) * side);
        let [dx, dz] = [middle[0] - eye.place[0], middle[1] - eye.place[1]];
        let below = dx * dx + dz * dz < side * side + eye.above * eye.above;
        let turn = ops::atan2(dz, dx) / std::f32::consts::TAU + 0.5;
        let bin = (!below).then(|| ((turn * BINS as f32) as usize).min(BINS - 1));
        Self { stems: size_for(stems), few: stems <= FEW, distance: eye.distance(square, unit), bin }
    }

    fn detail(&self, scale: f32) -> usize {
        let found = DETAILS.iter().position(|d| self.distance < scale * d.reach);
        match found.unwrap_or(DETAILS.len() - 1) {
            0 if !self.few => 1,
            detail => detail,
        }
    }

    fn vertices(&self, scale: f32) -> usize {
        self.stems * DETAILS[self.detail(scale)].vertices()
    }
}

/// Vertices that an eye sees at once, at most, and those all around it.
fn seen_at_once(all: &[Away], scale: f32) -> [usize; 2] {
    let (mut bins, mut below) = ([0; BINS], 0);
    for away in all {
        match away.bin {
            Some(bin) => bins[bin] += away.vertices(scale),
            None => below += away.vertices(scale),
        }
    }
    let window = |first: usize| (0..WIDE).map(|k| bins[(first + k) % BINS]).sum::<usize>();
    [below + (0..BINS).map(window).max().unwrap_or(0), below + bins.iter().sum::<usize>()]
}

/// Which detail each clump is drawn with, whether it throws a shadow, and how far leaves reach: as much as `most` vertices in view and
/// `shadows` more that throw one allow.
pub(crate) fn share_out(
    clumps: &[Grown],
    eye: &Eye,
    unit: f32,
    reach: f32,
    [most, shadows]: [usize; 2],
) -> (Vec<(usize, bool)>, Reaches) {
    let all: Vec<Away> = clumps.iter().map(|clump| Away::new(*clump, eye, unit)).collect();
    let cost = |scale: f32| seen_at_once(&all, scale)[0];
    // In steps of a twentieth, so that leaves do not breathe with every step of the eye; the first that costs little enough.
    let scale_of = |step: usize| reach.max(0.1) * ops::powf(0.95, step as f32);
    let (mut low, mut high) = (0, STEPS);
    while low < high {
        let middle = usize::midpoint(low, high);
        if cost(scale_of(middle)) > most {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let scale = scale_of(low);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| all[a].distance.total_cmp(&all[b].distance).then(a.cmp(&b)));
    let mut drawn = vec![(0, false); all.len()];
    // Of those that throw shadows, too, a part is out of sight.
    let [seen, around] = seen_at_once(&all, scale);
    let mut left = (shadows as f32 * around as f32 / seen.max(1) as f32) as usize;
    for index in order {
        let (detail, vertices) = (all[index].detail(scale), all[index].vertices(scale));
        let shadow = vertices <= left;
        left = if shadow { left - vertices } else { 0 };
        drawn[index] = (detail, shadow);
    }
    let reaches = [0, 1, 2].map(|k| scale * DETAILS[k].reach);
    (drawn, Reaches(reaches))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of single cells, 0.4 m each, around the eye, and larger ones beyond.
    fn field(stems: usize) -> Vec<Grown> {
        (-12..12).flat_map(|z| (-12..12).map(move |x| (Square { level: 0, z, x }, stems))).collect()
    }

    const EYE: Eye = Eye { place: [0.0; 2], above: 1.5 };

    /// Vertices in view and of those that throw shadows, of all around.
    fn spent(clumps: &[Grown], most: usize) -> (usize, usize, Reaches) {
        let (drawn, reaches) = share_out(clumps, &EYE, 0.4, 10.0, [most, most / 2]);
        let all: Vec<Away> = clumps.iter().map(|c| Away::new(*c, &EYE, 0.4)).collect();
        let dark = drawn.iter().zip(&all).filter(|((_, shadow), _)| *shadow);
        let dark = dark.map(|((detail, _), away)| away.stems * DETAILS[*detail].vertices()).sum();
        (seen_at_once(&all, reaches.0[0])[0], dark, reaches)
    }

    #[test]
    fn vertices_stay_within_what_an_eye_may_see_and_leaves_go_as_far_as_they_allow() {
        let clumps = field(200);
        let (many, dark, far) = spent(&clumps, 900_000);
        assert!((700_000..=900_000).contains(&many), "{many}");
        assert!((200_000..1_350_000).contains(&dark), "{dark}");
        let (few, _, near) = spent(&clumps, 450_000);
        assert!(few <= 450_000, "{few}");
        assert!(near.0[0] < far.0[0] && near.0[2] > near.0[1], "{near:?} {far:?}");
        // Few plants are drawn whole as far as they are drawn at all.
        let (_, _, all) = spent(&field(2), 900_000);
        assert!(all.0[0] >= 6.0, "{all:?}");
    }

    #[test]
    fn nearer_clumps_never_show_less_and_only_the_nearest_throw_shadows() {
        let clumps = field(150);
        let (drawn, _) = share_out(&clumps, &EYE, 0.4, 10.0, [300_000, 60_000]);
        let mut order: Vec<usize> = (0..clumps.len()).collect();
        order.sort_by(|&a, &b| EYE.distance(clumps[a].0, 0.4).total_cmp(&EYE.distance(clumps[b].0, 0.4)));
        for pair in order.windows(2) {
            assert!(drawn[pair[0]].0 <= drawn[pair[1]].0);
            assert!(drawn[pair[0]].1 || !drawn[pair[1]].1);
        }
        assert!(drawn.iter().any(|d| d.1) && drawn.iter().any(|d| !d.1));
    }

    #[test]
    fn from_above_everything_is_in_view() {
        let above = Eye { place: [0.0; 2], above: 9.0 };
        let all: Vec<Away> = field(10).into_iter().map(|c| Away::new(c, &above, 0.4)).collect();
        let [seen, around] = seen_at_once(&all, 1.0);
        assert_eq!(seen, around);
        let all: Vec<Away> = field(10).into_iter().map(|c| Away::new(c, &EYE, 0.4)).collect();
        let [seen, around] = seen_at_once(&all, 1.0);
        assert!(seen < around);
    }
}
