//! One day: footfalls stamped on the morning's ground, then the changes of the evening: loose material, rain and growth.
//!
//! Within a day every footfall sees the morning's ground. A cell keeps the deepest print (a maximum) and the number of
//! footfalls (a sum of integers); displaced material moves in the evening, in integers. So the order of footfalls, the number of
//! threads and the division of the ground change no bit.

use crate::atlas::Atlas;
use crate::damage::{Curve, Damage};
use crate::ground::{CELLS, Ground, Key};
use crate::people::Footfall;
use crate::{evening, stamp};
use trample::scene::Nature;

/// What a day's footfalls ask of a tile.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Deepest print, nm.
    pub(crate) depth: [i32; CELLS],
    /// Footfalls in 1/255.
    pub(crate) hits: [u32; CELLS],
    /// Largest share covered.
    pub(crate) share: [u8; CELLS],
    /// Cells under soles, and the sum over them of what share of a print is pushed aside, in 1/65536.
    pub(crate) cells: u64,
    pub(crate) aside: u64,
}

impl Asked {
    pub(crate) fn nothing() -> Box<Self> {
        Box::new(Self { depth: [0; CELLS], hits: [0; CELLS], share: [0; CELLS], cells: 0, aside: 0 })
    }
}

/// What is the same on every day; the default knows nobody, which is enough to look at a ground.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// By walker.
    pub atlases: Vec<Atlas>,
    /// By patch of plants.
    pub damage: Vec<Damage>,
    /// The same as tables.
    pub curves: Vec<Curve>,
    /// What happens between walkers.
    pub nature: Nature,
}

/// Volumes of a day, nm over one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Ground pressed down.
    pub carved: i64,
    /// Of that, what was pushed aside.
    pub displaced: i64,
    /// What rain carried off.
    pub washed: i64,
}

impl std::ops::AddAssign for Ledger {
    fn add_assign(&mut self, other: Self) {
        self.carved += other.carved;
        self.displaced += other.displaced;
        self.washed += other.washed;
    }
}

/// Stamps a day's footfalls and lets the evening do its part: `weather` is the day's rain, mm, and whether plants grow. The ledger
/// counts the tiles that are one's `own`.
pub fn run(
    ground: &mut Ground,
    rules: &Rules,
    falls: &[Footfall],
    weather: (f64, bool),
    own: &(dyn Fn(Key) -> bool + Sync),
) -> Ledger {
    let asked = stamp::run(ground, rules, falls);
    evening::run(ground, rules, &asked, weather, own)
}
