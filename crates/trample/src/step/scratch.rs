//! Memory that the stages keep from step to step. Each field has one owner; what a stage hands to a later one is written by it
//! alone.

use super::animate::{Stride, avoid::Crowd};
use super::contact::FootScratch;
use super::patch::Rect;
use super::plants;
use super::rest::Resting;
use super::soil::{Space, slide};
use crate::state::TileKey;

/// From how many feet on it pays to use more than one thread. Waking threads takes some ten µs a stage, a foot some sixty in all:
/// below this a crowd is done before they are awake.
pub(crate) const WORTH_SPLITTING: usize = 32;

/// What the stages share. Nothing in it changes a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) threads: usize,
    /// Whether a step has told of those who stand since the world was made or its state brought back.
    pub(crate) has_told: bool,
    /// How often a stage of this step was shared out over threads.
    pub(crate) splits: u64,
    /// Feet of those who do not rest in this step.
    pub(crate) about: usize,
    /// Who rests in this step.
    pub(crate) resting: Resting,
    /// Who walks where, as everybody sees it in this step.
    pub(crate) crowd: Crowd,
    pub(crate) feet: Vec<FootScratch>,
    /// Room to work in for feet that work after each other.
    pub(crate) shared: Space,
    /// Room for each foot, where they work at the same time.
    pub(crate) spaces: Vec<Space>,
    /// Whether each foot's window meets no other's.
    pub(crate) alone: Vec<bool>,
    pub(crate) order: Vec<(Rect, usize)>,
    /// Feet whose windows meet, the earlier first; and how many others each foot must wait for.
    pub(crate) meetings: Vec<(usize, usize)>,
    pub(crate) turns: Vec<u32>,
    pub(crate) sparse: slide::Sparse,
    pub(crate) plants: plants::Scratch,
    pub(crate) dirty: Vec<TileKey>,
    /// Each puppet's walker between its feet being placed and its body being put over them.
    pub(crate) strides: Vec<Option<Stride>>,
}

impl Scratch {
    /// Whether there may be feet enough to share them out over threads.
    pub(crate) fn may_split(&self) -> bool {
        self.threads > 1 && self.feet.len() >= WORTH_SPLITTING
    }

    /// Whether the feet of those who do not rest in this step are many enough.
    pub(crate) fn is_split(&self) -> bool {
        self.may_split() && self.about >= WORTH_SPLITTING
    }
}
