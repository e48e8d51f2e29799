//! Undo: snapshots of the last minute, thinned out when memory is limited.

use crate::meters::Counts;
use std::collections::VecDeque;
use std::sync::Arc;
use trample::scene::Scene;

/// How far back it goes, s of simulated time.
pub const REACH: f64 = 60.0;
/// Time between snapshots, s.
pub const EVERY: f64 = 1.0;
/// Memory that snapshots may take, bytes; our choice, small enough for a browser.
pub const MOST: usize = 128 << 20;

/// The world at some time.
#[derive(Clone, Debug)]
pub struct Moment {
    /// When, s.
    pub time: f64,
    /// Its scene then.
    pub scene: Arc<Scene>,
    /// Its state.
    pub snapshot: Vec<u8>,
    /// What had been counted.
    pub counts: Counts,
}

/// The last minute.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    moments: VecDeque<Moment>,
    bytes: usize,
}

impl Undo {
    /// Whether a snapshot is due at a time, s.
    pub fn is_due(&self, time: f64) -> bool {
        self.moments.back().is_none_or(|last| time - last.time >= EVERY - 1e-6)
    }

    /// Keeps a moment, and lets go of those that are too old.
    pub fn keep(&mut self, time: f64, scene: &Scene, snapshot: Vec<u8>, counts: Counts) {
        let scene = match self.moments.back() {
            Some(last) if *last.scene == *scene => Arc::clone(&last.scene),
            _ => Arc::new(scene.clone()),
        };
        self.bytes += snapshot.len();
        self.moments.push_back(Moment { time, scene, snapshot, counts });
        while self.moments.front().is_some_and(|m| m.time < time - REACH - 1e-6) {
            self.drop_at(0);
        }
        // Every second one of the older half goes first: what is recent is wanted in small steps.
        while self.bytes > MOST && self.moments.len() > 4 {
            let older = self.moments.len() / 2;
            for at in (1..older.max(2)).rev().step_by(2) {
                self.drop_at(at);
            }
        }
    }

    fn drop_at(&mut self, at: usize) {
        if let Some(gone) = self.moments.remove(at) {
            self.bytes -= gone.snapshot.len();
        }
    }

    /// Takes out the newest moment at or before a time, s, and forgets all after it; the oldest if all are later.
    pub fn back_to(&mut self, time: f64) -> Option<Moment> {
        while self.moments.len() > 1 && self.moments.back().is_some_and(|m| m.time > time + 1e-6) {
            self.drop_at(self.moments.len() - 1);
        }
        let found = self.moments.pop_back()?;
        self.bytes -= found.snapshot.len();
        Some(found)
    }

    /// The newest moment at or before a time, s; it is kept.
    pub fn before(&self, time: f64) -> Option<&Moment> {
        self.moments.iter().rev().find(|m| m.time <= time + 1e-6)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.moments.clear();
        self.bytes = 0;
    }

    /// How far back it reaches from a time, s.
    pub fn reach(&self, time: f64) -> f64 {
        self.moments.front().map_or(0.0, |m| (time - m.time).max(0.0))
    }

    /// Memory it takes, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reaches_a_minute_back_and_no_further() {
        let (mut undo, scene) = (Undo::default(), Scene::default());
        for second in 0..200 {
            let time = f64::from(second);
            assert!(undo.is_due(time), "{second}");
            undo.keep(time, &scene, vec![0; 100], Counts::default());
            assert!(!undo.is_due(time + 0.5));
        }
        assert!((undo.reach(199.0) - 60.0).abs() < 1.5, "{}", undo.reach(199.0));
        assert_eq!(undo.before(150.7).map(|m| m.time), Some(150.0));
        assert!(undo.before(100.0).is_none(), "older than what is kept");
        assert_eq!(undo.back_to(180.4).map(|m| m.time), Some(180.0));
        assert_eq!(undo.back_to(190.0).map(|m| m.time), Some(179.0), "later ones are gone");
        assert_eq!(undo.back_to(0.0).map(|m| m.time), Some(139.0), "the oldest there is");
        assert_eq!(undo.back_to(0.0).map(|m| m.time), None);
        assert_eq!(undo.bytes(), 0);
    }

    #[test]
    fn large_snapshots_are_thinned_out_and_never_exceed_the_memory() {
        let (mut undo, scene) = (Undo::default(), Scene::default());
        for second in 0..100 {
            undo.keep(f64::from(second), &scene, vec![0; MOST / 12], Counts::default());
            assert!(undo.bytes() <= MOST + MOST / 12, "{}", undo.bytes());
        }
        assert!(undo.reach(99.0) > 15.0, "still reaches {} s back", undo.reach(99.0));
    }
}
