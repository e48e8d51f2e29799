//! Recordings: digests of steps, which tell where two runs first differ. Run files are written by `trample-files`.
//!
//! Up to [`Recording::MOST`] steps have a digest each. In longer runs an entry stands for two steps, then for four, and so on: it is the
//! sum of their digests, so that every step still counts and memory stays bounded, however long the run.

use crate::world::World;
use std::ops::RangeInclusive;

/// The digests of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Recording {
    /// Sums of [`World::digest`] over [`Recording::stride`] steps each; the last sum may cover fewer.
    pub digests: Vec<u64>,
    steps: u64,
    halvings: u32,
}

impl Recording {
    /// Maximum number of digests: 8 MiB, our choice.
    pub const MOST: usize = 1 << 20;

    /// Builds a recording from its parts; `None` if they are inconsistent.
    pub fn from_parts(digests: Vec<u64>, steps: u64, halvings: u32) -> Option<Self> {
        let entries = steps.div_ceil(1u64.checked_shl(halvings)?);
        (entries == digests.len() as u64).then_some(Self { digests, steps, halvings })
    }

    /// Number of recorded steps.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How often neighbouring entries have been merged.
    pub fn halvings(&self) -> u32 {
        self.halvings
    }

    /// Number of steps per entry.
    pub fn stride(&self) -> u64 {
        1 << self.halvings
    }

    /// Adds the digest of the next step.
    pub fn push(&mut self, digest: u64) {
        let is_within = self.steps & (self.stride() - 1) != 0;
        if let Some(last) = self.digests.last_mut().filter(|_| is_within) {
            *last = last.wrapping_add(digest);
        } else {
            if self.digests.len() == Self::MOST {
                let pairs = self.digests.as_chunks::<2>().0;
                self.digests = pairs.iter().map(|[a, b]| a.wrapping_add(*b)).collect();
                self.halvings += 1;
            }
            self.digests.push(digest);
        }
        self.steps += 1;
    }

    /// Steps `world` from the start and returns the first steps, counted from 1, that differ from the recording: a single step
    /// if every step has a digest. `watch` is called with the number of steps compared so far.
    pub fn first_difference(
        &self,
        world: &mut World,
        dt: f64,
        mut watch: impl FnMut(u64),
    ) -> Option<RangeInclusive<u64>> {
        let mut done = 0;
        for &digest in &self.digests {
            let last = (done + self.stride()).min(self.steps);
            let sum = (done..last).fold(0u64, |sum, _| {
                world.step(dt);
                sum.wrapping_add(world.digest())
            });
            if sum != digest {
                return Some(done + 1..=last);
            }
            done = last;
            watch(done);
        }
        None
    }
}

impl FromIterator<u64> for Recording {
    fn from_iter<I: IntoIterator<Item = u64>>(digests: I) -> Self {
        let mut recording = Self::default();
        digests.into_iter().for_each(|digest| recording.push(digest));
        recording
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::library;

    #[test]
    fn replay_names_the_first_divergent_step() {
        let scene = library::by_name("walk-soil").expect("scene");
        let mut world = World::new(&scene).expect("world");
        let mut recording = Recording::default();
        for _ in 0..120 {
            world.step(scene.dt());
            recording.push(world.digest());
        }
        let fresh = || World::new(&scene).expect("world");
        assert_eq!(recording.first_difference(&mut fresh(), scene.dt(), |_| {}), None);
        let mut heavier = scene.clone();
        heavier.puppets[0].body.mass += 1e-3;
        let mut other = World::new(&heavier).expect("world");
        let first = recording.first_difference(&mut other, scene.dt(), |_| {});
        assert_eq!(first, Some(1..=1), "a foot stands from the first step on");
        recording.digests[41] ^= 1;
        assert_eq!(recording.first_difference(&mut fresh(), scene.dt(), |_| {}), Some(42..=42));
    }

    #[test]
    fn a_recording_of_any_length_stays_small_and_every_step_of_it_counts() {
        let steps = 5 * Recording::MOST as u64 + 3;
        let all: Recording = (0..steps).map(|i| i * i).collect();
        assert!(all.digests.len() <= Recording::MOST, "{}", all.digests.len());
        assert_eq!((all.steps(), all.stride()), (steps, 8));
        for changed in [0, 1, 2_000_001, steps - 1] {
            let other: Recording = (0..steps).map(|i| if i == changed { 7 } else { i * i }).collect();
            let at = all.digests.iter().zip(&other.digests).position(|(a, b)| a != b);
            assert_eq!(at, Some((changed / 8) as usize), "step {changed}");
        }
        let parts = |steps, halvings| Recording::from_parts(all.digests.clone(), steps, halvings);
        assert_eq!(parts(steps, 3).as_ref(), Some(&all));
        assert!(parts(steps, 2).is_none() && parts(steps + 8, 3).is_none() && parts(1, 64).is_none());
    }
}
