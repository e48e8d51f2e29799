//! Wear, recovery and rupture (TR-6).
//!
//! In: a block's places, how long, which plants a sole touches. Out: the strength of every joint. A joint bent beyond φ_deg
//! loses μ_deg a second, one that is less bent and free regains μ_rec, one beyond φ_max or without strength is broken and
//! stays so. Cosines are compared by their squares: no root, no angle.
//!
//! A rate is turned into whole units by the difference of two roundings of rate × time, so that any run of steps adds up
//! to what one stretch of sleep gives, to the last unit (test `sleep_and_wake_is_like_never_sleeping`).

use crate::state::lattice::Lattice;
use crate::state::plants::{Block, HEALTHY, LANES, StemState};

/// Units of strength that a rate gives between two times.
pub(crate) fn units(rate: f64, from: f64, to: f64) -> i32 {
    let at = |t: f64| (rate * t * f64::from(HEALTHY)).round();
    (at(to) - at(from)).clamp(0.0, f64::from(HEALTHY)) as i32
}

/// Stiffness is told apart in 64 levels, so that it need not be made anew in every step of a slow wear; 0 is broken.
#[inline(always)]
pub(crate) fn level(strength: i32) -> i32 {
    (strength + ((1 << 24) - 1)) >> 24
}

/// Wears and mends every joint over the time `from..to`, s. Says whether any joint is bent far enough to wear.
pub(crate) fn run(block: &mut Block, lattice: &Lattice, from: f64, to: f64) -> bool {
    let wear = units(lattice.species.wear_rate, from, to);
    // One unit short of all: a healthy joint that mends a whole strength, after a long sleep, must not leave the number line.
    let mend = units(lattice.species.recovery_rate, from, to).min(HEALTHY - 1);
    pulp::Arch::new().dispatch(Kernel { block, lattice, wear, mend })
}

struct Kernel<'a> {
    block: &'a mut Block,
    lattice: &'a Lattice,
    wear: i32,
    mend: i32,
}

impl pulp::NullaryFnOnce for Kernel<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self { block, lattice, wear, mend } = self;
        // A plant under a sole does not recover.
        let mut free = [mend; LANES];
        for (lane, mend) in free.iter_mut().enumerate() {
            *mend = if block.work.touched >> lane & 1 == 1 { 0 } else { *mend };
        }
        let (mut count, mut strained, mut worn, mut changed) =
            ([0i32; LANES], [0i32; LANES], [0i32; LANES], [0i32; LANES]);
        for stem in 0..lattice.stems {
            let mut held = [1i32; LANES];
            for row in 0..lattice.rows {
                let p = stem * lattice.rows + row;
                let [dot, size] = bend(block, lattice, stem, row);
                let (limit, rupture) = (lattice.wear[row], lattice.rupture[row]);
                let joint = &mut block.strength[p];
                for lane in 0..LANES {
                    let was = joint[lane];
                    let c = dot[lane] * dot[lane].abs();
                    let bent = i32::from(c < limit * size[lane]);
                    let torn = i32::from(c < rupture * size[lane]);
                    let whole = i32::from(was > 0);
                    let change = if bent == 1 { -wear } else { free[lane] };
                    // Both ends are kept: nothing grows beyond what it was, nothing dies twice.
                    let mut now = was + change;
                    now = if now > HEALTHY { HEALTHY } else { now };
                    now = if now < 0 { 0 } else { now };
                    now *= whole * (1 - torn);
                    // What lies above a broken joint is dead: it neither wears nor mends.
                    now = if held[lane] == 1 { now } else { was };
                    joint[lane] = now;
                    held[lane] &= i32::from(now > 0);
                    count[lane] += held[lane];
                    strained[lane] |= bent * held[lane];
                    worn[lane] |= now ^ HEALTHY;
                    changed[lane] |= level(now) ^ level(was);
                }
            }
        }
        let any = |flags: &[i32; LANES]| flags.iter().fold(0, |a, b| a | b) != 0;
        block.work.worn = any(&worn);
        if any(&changed) {
            block.work.tuned = 0.0;
        }
        let mut lost = [0i32; LANES];
        for lane in 0..LANES {
            lost[lane] = block.work.standing[lane] - count[lane];
            block.work.lost[lane] += lost[lane];
        }
        block.work.standing = count;
        block.work.changed |= any(&lost);
        any(&strained)
    }
}

/// Scalar product of the edges that meet at a joint, and the product of their squares.
#[inline(always)]
fn bend(block: &Block, lattice: &Lattice, stem: usize, row: usize) -> [[f32; LANES]; 2] {
    let p = stem * lattice.rows + row;
    let centre = if row == 0 { &block.grown.root[stem] } else { &block.x[p - 1] };
    let end = &block.x[p];
    let mut out = [[0.0; LANES]; 2];
    if row == 0 {
        // Below the ground a stem is upright.
        for lane in 0..LANES {
            let b = [0, 1, 2].map(|k| end[k][lane] - centre[k][lane]);
            out[0][lane] = b[1];
            out[1][lane] = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
        }
        return out;
    }
    let start = if row == 1 { &block.grown.root[stem] } else { &block.x[p - 2] };
    for lane in 0..LANES {
        let a = [0, 1, 2].map(|k| centre[k][lane] - start[k][lane]);
        let b = [0, 1, 2].map(|k| end[k][lane] - centre[k][lane]);
        out[0][lane] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        out[1][lane] = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    }
    out
}

/// How a stem of a block is at a time, and the strength of its weakest joint. What sleeps, or waits for
/// its next stride, has mended meanwhile.
pub(crate) fn state(
    block: &Block,
    lattice: &Lattice,
    stem: usize,
    lane: usize,
    time: f64,
) -> (StemState, i32) {
    let mended = if block.work.worn { units(lattice.species.recovery_rate, block.since, time) } else { 0 };
    let mut state = StemState::default();
    let mut weakest = HEALTHY;
    for row in 0..lattice.rows {
        let known = block.strength[stem * lattice.rows + row][lane];
        let [dot, size] = bend(block, lattice, stem, row);
        let bent = dot[lane] * dot[lane].abs() < lattice.wear[row] * size[lane];
        let mended = if state.broken || known == 0 || bent { 0 } else { mended };
        let strength = known.saturating_add(mended).min(HEALTHY);
        state.broken |= strength == 0;
        state.worn |= strength < HEALTHY;
        state.bent |= bent;
        weakest = weakest.min(strength);
    }
    (state, weakest)
}
