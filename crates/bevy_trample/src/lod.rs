//! Squares of many sizes: the nearer, the smaller. Shared by ground and plants.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A square of a grid whose squares double in size with every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square {
    /// Its size is that of the smallest times 2^level.
    pub level: u8,
    /// Row, along z, in squares of that level.
    pub z: i32,
    /// Column, along x.
    pub x: i32,
}

impl Square {
    /// Its four parts of the level below, of which there must be one.
    pub fn parts(self) -> [Self; 4] {
        let part = |k: i32| Self { level: self.level - 1, z: 2 * self.z + k / 2, x: 2 * self.x + k % 2 };
        [part(0), part(1), part(2), part(3)]
    }

    /// Side, m, where that of the smallest is `unit`.
    pub fn side(self, unit: f32) -> f32 {
        unit * (1u32 << self.level) as f32
    }

    /// Level distance from (x, z) to it, m; 0 inside.
    pub fn distance(self, unit: f32, x: f32, z: f32) -> f32 {
        let side = self.side(unit);
        let away = |p: f32, k: i32| {
            let low = k as f32 * side;
            (low - p).max(p - (low + side)).max(0.0)
        };
        let (dx, dz) = (away(x, self.x), away(z, self.z));
        (dx * dx + dz * dz).sqrt()
    }
}

/// Where somebody looks from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Eye {
    /// Place on the ground, x and z, m.
    pub place: [f32; 2],
    /// Height above the ground, m.
    pub above: f32,
}

impl Eye {
    /// An eye at a place in the world.
    pub fn at(world: &trample::World, [x, y, z]: [f32; 3]) -> Self {
        let above = (y - world.height(x.into(), z.into()) as f32).abs();
        Self { place: [x, z], above }
    }

    /// Distance to a square, m.
    pub fn distance(&self, square: Square, unit: f32) -> f32 {
        let level = square.distance(unit, self.place[0], self.place[1]);
        (level * level + self.above * self.above).sqrt()
    }

    /// Whether it is as good as where another is: half a step of a child.
    pub fn is_near(&self, other: &Self) -> bool {
        let close = |a: f32, b: f32| (a - b).abs() < 0.15;
        close(self.place[0], other.place[0])
            && close(self.place[1], other.place[1])
            && close(self.above, other.above)
    }
}

struct Wish(f32, Square);

impl PartialEq for Wish {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Wish {}
impl PartialOrd for Wish {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Wish {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

/// Splits squares that are nearer than `detail` times their side, those that want it most first, into at most `most`; parts that are
/// not `kept` are left out. In order.
pub(crate) fn choose(
    roots: impl Iterator<Item = Square>,
    eye: &Eye,
    unit: f32,
    detail: f32,
    most: usize,
    kept: impl Fn(Square) -> bool,
) -> Vec<Square> {
    let wish = |square: Square| {
        let wanted = detail * square.side(unit) / eye.distance(square, unit).max(1e-3);
        Wish(if square.level == 0 { 0.0 } else { wanted }, square)
    };
    let mut open: BinaryHeap<Wish> = roots.map(wish).collect();
    while let Some(top) = open.peek() {
        if top.0 <= 1.0 || open.len() + 3 > most {
            break;
        }
        let Some(Wish(_, square)) = open.pop() else { break };
        open.extend(square.parts().into_iter().filter(|part| kept(*part)).map(wish));
    }
    let mut chosen: Vec<Square> = open.into_iter().map(|Wish(_, square)| square).collect();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: Square = Square { level: 6, z: 0, x: 0 };

    fn from(x: f32, z: f32, most: usize) -> Vec<Square> {
        choose([ROOT].into_iter(), &Eye { place: [x, z], above: 1.7 }, 1.0, 2.0, most, |_| true)
    }

    #[test]
    fn a_choice_covers_everything_once() {
        let chosen = from(20.0, 30.0, 200);
        let area: f32 = chosen.iter().map(|s| s.side(1.0) * s.side(1.0)).sum();
        assert_eq!(area, 64.0 * 64.0);
        for x in 0..64 {
            let covering = chosen.iter().filter(|s| s.distance(1.0, x as f32 + 0.5, 7.5) == 0.0);
            assert_eq!(covering.count(), 1, "at {x}");
        }
    }

    #[test]
    fn squares_are_small_near_the_eye_and_never_too_many() {
        let chosen = from(20.0, 30.0, 200);
        let at = |x: f32, z: f32| chosen.iter().find(|s| s.distance(1.0, x, z) == 0.0).map(|s| s.level);
        assert_eq!(at(20.5, 30.5), Some(0));
        assert!(at(60.5, 3.5) > Some(2), "{:?}", at(60.5, 3.5));
        assert!(from(20.0, 30.0, 40).len() <= 40);
    }
}
