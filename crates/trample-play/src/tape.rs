//! The tape: actions with their steps, and digests of the world. A replay reports the first step that differs.
//!
//! A tape begins with a scene at rest. It is always recorded, so that everything seen so far can be saved and shown
//! again; undo rewinds it.

use crate::action::Action;
use serde::{Deserialize, Serialize};
use trample::World;

/// What was done, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tape {
    /// Actions and the number of steps the world had taken when they were done.
    pub actions: Vec<(u64, Action)>,
    /// Digests of the world and the number of steps it had taken.
    #[serde(with = "hexadecimal")]
    pub checks: Vec<(u64, u64)>,
}

/// Digests as sixteen hexadecimal digits: 64 bits do not fit into a number of JSON.
mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(checks: &[(u64, u64)], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(checks.iter().map(|(step, digest)| (step, format!("{digest:016x}"))))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<(u64, u64)>, D::Error> {
        let rows: Vec<(u64, String)> = Deserialize::deserialize(from)?;
        let read = |(step, digits): (u64, String)| {
            u64::from_str_radix(&digits, 16).map(|digest| (step, digest)).map_err(D::Error::custom)
        };
        rows.into_iter().map(read).collect()
    }
}

impl Tape {
    /// Notes an action.
    pub fn note(&mut self, step: u64, action: Action) {
        // Steering that is overruled before anything happens was never there.
        if let (Action::Steer { walker, .. }, Some((last, Action::Steer { walker: other, .. }))) =
            (&action, self.actions.last())
            && *last == step
            && walker == other
        {
            self.actions.pop();
        }
        self.actions.push((step, action));
    }

    /// Notes how the world is.
    pub fn check(&mut self, world: &World) {
        if self.checks.last().is_none_or(|(step, _)| *step < world.steps()) {
            self.checks.push((world.steps(), world.digest()));
        }
    }

    /// Forgets everything after a step.
    pub fn wind_back(&mut self, step: u64) {
        self.actions.retain(|(at, _)| *at < step);
        self.checks.retain(|(at, _)| *at <= step);
    }

    /// Steps on it.
    pub fn steps(&self) -> u64 {
        self.checks.last().map_or(0, |(step, _)| *step)
    }
}

/// A tape that is being played.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    tape: Tape,
    next_action: usize,
    next_check: usize,
    /// The first step that differed, if any has.
    pub diverged: Option<u64>,
}

impl Player {
    /// From the beginning.
    pub fn new(tape: Tape) -> Self {
        Self { tape, next_action: 0, next_check: 0, diverged: None }
    }

    /// The tape.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// What is to be done before the step that follows.
    pub fn due(&mut self, steps: u64) -> Option<Action> {
        let (step, action) = self.tape.actions.get(self.next_action)?;
        (*step <= steps).then(|| {
            self.next_action += 1;
            action.clone()
        })
    }

    /// Goes on from where the world has taken so many steps: what was done from then on is still to be done.
    pub fn seek(&mut self, steps: u64) {
        self.next_action = self.tape.actions.partition_point(|(at, _)| *at < steps);
        self.next_check = self.tape.checks.partition_point(|(at, _)| *at <= steps);
    }

    /// Compares the world with the tape.
    pub fn compare(&mut self, world: &World) {
        while let Some((step, digest)) = self.tape.checks.get(self.next_check) {
            if *step > world.steps() {
                return;
            }
            if *step == world.steps() && *digest != world.digest() && self.diverged.is_none() {
                self.diverged = Some(*step);
            }
            self.next_check += 1;
        }
    }

    /// Whether it has come to its end.
    pub fn is_over(&self) -> bool {
        self.next_check >= self.tape.checks.len()
    }

    /// How far it is, 0..1.
    pub fn share(&self) -> f32 {
        self.next_check as f32 / self.tape.checks.len().max(1) as f32
    }
}
