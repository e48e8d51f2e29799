//! A session: one user with one world. Applies actions, keeps tape and undo, replays, saves and loads.
//!
//! The world belongs to the window's plugin or to a test, and every method takes it as an argument. The owner steps it and calls
//! [`Session::before_step`] and [`Session::after_step`] around each step.

use crate::action::{Action, Effect};
use crate::meters::Meters;
use crate::parameter::Focus;
use crate::tape::{Player, Tape};
use crate::undo::{Moment, Undo};
use trample::Recording;
use trample::scene::Scene;
use trample::{Stage, World};
use trample_files::inputs::Input;
use trample_files::{Cast, RunFile, Source};

/// One person with one world.
#[derive(Debug)]
pub struct Session {
    /// Which material, patch and walker the panel is about.
    pub focus: Focus,
    /// Curves and counters.
    pub meters: Meters,
    /// What was done since the beginning.
    pub tape: Tape,
    /// The tape that is being replayed, if one is.
    pub player: Option<Player>,
    /// The first step in which the last replay differed, and how many steps it had, once it is over.
    pub replayed: Option<(Option<u64>, u64)>,
    /// The last minute.
    pub undo: Undo,
    source: Source,
    inputs: Vec<Input>,
    cast: Cast,
    scene: Scene,
}

impl Session {
    /// Begins a scene.
    ///
    /// # Errors
    /// If the scene cannot be read or run.
    pub fn new(source: Source) -> Result<(Self, World), String> {
        let built = source.build().map_err(|e| e.to_string())?;
        let (inputs, cast, scene) = (source.inputs(&built), built.cast, built.scene);
        let world = World::new(&scene).map_err(|e| e.to_string())?;
        let session = Self {
            focus: Focus::default(),
            meters: Meters::default(),
            tape: Tape::default(),
            player: None,
            replayed: None,
            undo: Undo::default(),
            source,
            inputs,
            cast,
            scene,
        };
        Ok((session, world))
    }

    /// Where the scene came from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whose body each puppet of the scene is, where it brought its own.
    pub fn cast(&self) -> &Cast {
        &self.cast
    }

    /// The scene as it began.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Does something, and remembers it. Refused while a tape is played.
    ///
    /// # Errors
    /// Why it cannot be done; nothing has changed then.
    pub fn act(&mut self, world: &mut World, action: Action) -> Result<Effect, String> {
        if self.player.is_some() {
            return Err("a recording is being replayed; stop it first".into());
        }
        let effect = action.apply(world)?;
        self.tape.note(world.steps(), action);
        self.clamp_focus(world);
        Ok(effect)
    }

    fn clamp_focus(&mut self, world: &World) {
        let scene = world.scene();
        let within = |i: &mut usize, n: usize| *i = (*i).min(n.saturating_sub(1));
        within(&mut self.focus.material, scene.terrain.materials.len());
        within(&mut self.focus.patch, scene.plants.len());
        within(&mut self.focus.walker, scene.puppets.len());
    }

    /// What a replay has to do before the next step. Tells what must be shown anew.
    pub fn before_step(&mut self, world: &mut World) -> Option<Effect> {
        let mut shown = None;
        let player = self.player.as_mut()?;
        while let Some(action) = player.due(world.steps()) {
            // What was done once can be done again, unless the program has changed: then the digests tell.
            if let Ok(effect) = action.apply(world) {
                shown = Some(if shown == Some(Effect::Rebuilt) { Effect::Rebuilt } else { effect });
            }
        }
        self.clamp_focus(world);
        shown
    }

    /// Reads the world after one or more steps; `stages` are the seconds of the last one's stages.
    pub fn after_step(&mut self, world: &World, stages: &[f64; Stage::ALL.len()]) {
        self.meters.read(world, self.focus.walker, stages);
        if let Some(player) = &mut self.player {
            player.compare(world);
            if player.is_over() {
                self.replayed = Some((player.diverged, player.tape().steps()));
                self.tape = player.tape().clone();
                self.player = None;
            }
        } else {
            self.tape.check(world);
        }
        // In a replay they are what it is wound back to.
        if self.undo.is_due(world.time()) {
            self.undo.keep(world.time(), world.scene(), world.snapshot(), self.meters.counts());
        }
    }

    /// Goes back by some seconds, as far as it reaches. Returns how far it went, s.
    ///
    /// # Errors
    /// If there is nothing to go back to.
    pub fn undo(&mut self, world: &mut World, seconds: f64) -> Result<f64, String> {
        if self.player.is_some() {
            return Err("a recording is being replayed; wind it back instead".into());
        }
        let now = world.time();
        let moment = self.undo.back_to(now - seconds).ok_or("there is nothing to undo yet")?;
        self.bring_back(world, &moment)?;
        self.tape.wind_back(world.steps());
        Ok(now - world.time())
    }

    /// Brings a moment back.
    fn bring_back(&mut self, world: &mut World, moment: &Moment) -> Result<(), String> {
        if *world.scene() != *moment.scene {
            // The databases of bodies that are still there are kept.
            world.change(&moment.scene).map_err(|e| e.to_string())?;
        }
        world.restore(&moment.snapshot).map_err(|e| e.to_string())?;
        self.meters.jump();
        self.meters.set_counts(moment.counts);
        self.clamp_focus(world);
        Ok(())
    }

    /// Winds to a step, taking steps as long as `more` says so: forwards from where the world is; a replay also backwards, from the
    /// last moment that was kept before it, or from the beginning. Tells whether it is there; where it is not, call it again.
    ///
    /// # Errors
    /// If nothing is being replayed that could be wound back, or a moment cannot be brought back.
    pub fn wind(
        &mut self,
        world: &mut World,
        to: u64,
        mut more: impl FnMut() -> bool,
    ) -> Result<bool, String> {
        // The last step of a replay is left to be seen: it ends it.
        let to = match &self.player {
            Some(player) => to.min(player.tape().steps().saturating_sub(1)),
            None => to,
        };
        if to < world.steps() {
            if self.player.is_none() {
                return Err("nothing is being replayed".into());
            }
            let time = to as f64 * world.scene().dt();
            if let Some(moment) = self.undo.before(time).cloned() {
                self.bring_back(world, &moment)?;
            } else {
                let player = self.player.take();
                self.reset(world)?;
                self.player = player;
            }
            if let Some(player) = &mut self.player {
                player.seek(world.steps());
            }
        }
        while world.steps() < to {
            if !more() {
                return Ok(false);
            }
            self.before_step(world);
            world.step(world.scene().dt());
            self.after_step(world, &[0.0; Stage::ALL.len()]);
        }
        Ok(true)
    }

    /// Begins the same scene anew, as it was loaded.
    ///
    /// # Errors
    /// Never for a scene that ran; the core's words if it does.
    pub fn reset(&mut self, world: &mut World) -> Result<(), String> {
        *world = World::new(&self.scene).map_err(|e| e.to_string())?;
        self.tape = Tape::default();
        self.player = None;
        self.undo.clear();
        self.meters.clear();
        self.clamp_focus(world);
        Ok(())
    }

    /// Plays the tape of this session from the beginning.
    ///
    /// # Errors
    /// If nothing has happened yet.
    pub fn replay(&mut self, world: &mut World) -> Result<(), String> {
        if self.tape.checks.is_empty() {
            return Err("there is nothing to replay yet".into());
        }
        let tape = std::mem::take(&mut self.tape);
        self.reset(world)?;
        self.replayed = None;
        self.player = Some(Player::new(tape));
        Ok(())
    }

    /// Stops a replay; the world goes on from where it is.
    pub fn stop_replay(&mut self, world: &World) {
        if let Some(player) = self.player.take() {
            self.tape = player.tape().clone();
            self.tape.wind_back(world.steps());
        }
    }

    /// Everything as a run file.
    pub fn save(&self, world: &World) -> RunFile {
        let whole = self.tape.checks.iter().enumerate().all(|(i, (step, _))| *step == i as u64 + 1);
        let digests = self.tape.checks.iter().map(|(_, d)| *d);
        let recording: Recording = if whole { digests.collect() } else { Recording::default() };
        let notes = serde_json::to_vec(&self.tape).unwrap_or_default();
        RunFile::new(self.source.clone(), self.inputs.clone(), recording, world, notes)
    }

    /// Goes on where a run file ends, or shows it from the beginning.
    ///
    /// # Errors
    /// If it is not a run that can be gone on with.
    pub fn load(file: RunFile, from_start: bool) -> Result<(Self, World), String> {
        let tape = serde_json::from_slice(&file.notes).ok();
        let changed = file.changed_inputs();
        if !changed.is_empty() {
            return Err(format!("{} since this run was begun", changed.join(", ")));
        }
        // Where an entry stands for many steps, the last of them cannot be compared alone.
        let single = file.recording.digests.iter().filter(|_| file.recording.stride() == 1);
        let recorded = single.enumerate().map(|(i, d)| (i as u64 + 1, *d)).collect();
        // A run of the command has no actions, only digests.
        let tape = tape.unwrap_or(Tape { actions: Vec::new(), checks: recorded });
        let (mut session, mut world) = Self::new(file.source)?;
        if from_start {
            session.player = Some(Player::new(tape));
            return Ok((session, world));
        }
        let mut scene = session.scene.clone();
        for (_, action) in &tape.actions {
            action.edit(&mut scene)?;
        }
        world.change(&scene).map_err(|e| e.to_string())?;
        world.restore_exact(&file.snapshot, file.state).map_err(|e| e.to_string())?;
        session.tape = tape;
        Ok((session, world))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start;
    use trample::scene::{Motion, Steer};

    fn begin() -> (Session, World) {
        Session::new(start::find(start::NAME).expect("found")).expect("begins")
    }

    fn step(session: &mut Session, world: &mut World, n: usize) {
        for _ in 0..n {
            session.before_step(world);
            world.step(world.scene().dt());
            session.after_step(world, &[0.0; 6]);
        }
    }

    fn east(speed: f32) -> Action {
        Action::steer(0, Steer { velocity: [speed, 0.0], heading: None, motion: Motion::Auto })
    }

    fn lively(session: &mut Session, world: &mut World) {
        let focus = session.focus;
        let set = |key: &str, value: f64| Action::set(key, focus, value);
        session.act(world, east(1.3)).expect("steers");
        step(session, world, 90);
        session.act(world, set("ground.youngs_modulus", 0.3e6)).expect("softer");
        session.act(world, Action::Jump { walker: 0 }).expect("jumps");
        step(session, world, 60);
        session.act(world, Action::Twin { walker: 0, place: Some(([6.0, 7.0], 0.0)) }).expect("a twin");
        session.act(world, east(-1.0)).expect("turns");
        step(session, world, 60);
        session.act(world, set("body.mass", 110.0)).expect("heavier");
        step(session, world, 45);
    }

    #[test]
    fn a_lively_session_replays_to_the_same_state() {
        let (mut session, mut world) = begin();
        lively(&mut session, &mut world);
        let (hash, steps) = (world.hash(), world.steps());
        session.replay(&mut world).expect("replays");
        assert_eq!(world.steps(), 0);
        assert!(session.act(&mut world, east(1.0)).is_err(), "nobody acts in a replay");
        step(&mut session, &mut world, steps as usize);
        assert_eq!(session.replayed, Some((None, steps)));
        assert_eq!(world.hash(), hash);
        step(&mut session, &mut world, 10);
        assert_eq!(session.tape.steps(), steps + 10, "recording goes on after a replay");
    }

    #[test]
    fn a_replay_names_the_step_that_differs() {
        let (mut session, mut world) = begin();
        lively(&mut session, &mut world);
        session.tape.checks[99].1 ^= 1;
        let steps = world.steps() as usize;
        session.replay(&mut world).expect("replays");
        step(&mut session, &mut world, steps);
        assert_eq!(session.replayed, Some((Some(100), steps as u64)));
    }

    #[test]
    fn undo_goes_back_over_edits_and_the_tape_still_replays() {
        let (mut session, mut world) = begin();
        lively(&mut session, &mut world);
        let before = session.meters.counts();
        let went = session.undo(&mut world, 2.0).expect("goes back");
        assert!((1.9..3.1).contains(&went), "{went} s");
        assert_eq!(world.puppets(), 1, "before the twin came");
        let counted = session.meters.counts();
        assert!(
            counted.distance < before.distance && counted.steps < before.steps,
            "{counted:?} of {before:?}"
        );
        step(&mut session, &mut world, 30);
        session.act(&mut world, east(0.5)).expect("another way");
        step(&mut session, &mut world, 30);
        let (hash, steps) = (world.hash(), world.steps());
        session.replay(&mut world).expect("replays");
        step(&mut session, &mut world, steps as usize);
        assert_eq!((session.replayed, world.hash()), (Some((None, steps)), hash));
    }

    #[test]
    fn a_saved_session_goes_on_to_the_same_state_and_replays() {
        let (mut session, mut world) = begin();
        lively(&mut session, &mut world);
        let file = RunFile::from_bytes(&session.save(&world).to_bytes()).expect("a run file");
        let (mut other, mut copy) = Session::load(file.clone(), false).expect("loads");
        assert_eq!(copy.hash(), world.hash());
        step(&mut session, &mut world, 60);
        step(&mut other, &mut copy, 60);
        assert_eq!(copy.hash(), world.hash());
        let (mut again, mut shown) = Session::load(file, true).expect("loads");
        step(&mut again, &mut shown, 255);
        assert_eq!(again.replayed, Some((None, 255)));
    }

    #[test]
    fn a_replay_is_wound_forwards_and_back_to_the_same_states() {
        let (mut session, mut world) = begin();
        lively(&mut session, &mut world);
        let (end, steps) = (world.hash(), world.steps());
        session.replay(&mut world).expect("replays");
        let mut hashes = Vec::new();
        // Some way on, back to a moment that was kept, back to before any, and on over all that was done.
        for to in [70, 170, 100, 20, 240, 170, 70] {
            assert_eq!(session.wind(&mut world, to, || true), Ok(true));
            assert_eq!(world.steps(), to);
            hashes.push(world.hash());
        }
        assert_eq!((hashes[0], hashes[1]), (hashes[6], hashes[5]));
        assert!(session.undo(&mut world, 1.0).is_err(), "a replay is wound, not undone");
        let mut left = 5;
        let there = session.wind(&mut world, 200, || {
            left -= 1;
            left > 0
        });
        assert_eq!((there, world.steps()), (Ok(false), 74), "as many steps as there is time for");
        session.wind(&mut world, 9999, || true).expect("winds");
        step(&mut session, &mut world, 1);
        assert_eq!((session.replayed, world.hash()), (Some((None, steps)), end));
        assert!(session.wind(&mut world, 3, || true).is_err(), "over");
    }

    #[test]
    fn reset_begins_the_scene_as_it_was_loaded() {
        let (mut session, mut world) = begin();
        let hash = world.hash();
        lively(&mut session, &mut world);
        session.reset(&mut world).expect("resets");
        assert_eq!(world.hash(), hash);
        assert_eq!((session.tape.steps(), session.meters.steps), (0, 0));
    }
}
