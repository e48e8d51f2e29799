//! A session: one person with one world. Does actions, keeps tape and undo, replays, saves and loads.
//!
//! The world is somebody else's, the window's plugin or a test: every method takes it. Whoever owns it steps it and calls
//! [`Session::before_step`] and [`Session::after_step`] around.

use crate::action::{Action, Effect};
use crate::meters::Meters;
use crate::table::Focus;
use crate::tape::{Player, Tape};
use crate::undo::Undo;
use trample::record::Recording;
use trample::scene::Scene;
use trample::{Stage, World};
use trample_files::{RunFile, Source};

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
    scene: Scene,
}

impl Session {
    /// Begins a scene.
    ///
    /// # Errors
    /// If the scene cannot be read or run.
    pub fn new(source: Source) -> Result<(Self, World), String> {
        let scene = source.scene().map_err(|e| e.to_string())?;
        let world = World::new(&scene).map_err(|e| e.to_string())?;
        let session = Self {
            focus: Focus::default(),
            meters: Meters::default(),
            tape: Tape::default(),
            player: None,
            replayed: None,
            undo: Undo::default(),
            source,
            scene,
        };
        Ok((session, world))
    }

    /// Where the scene came from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The scene as it began.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Does something, and remembers it. Nobody acts while a tape is played.
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
            return;
        }
        self.tape.check(world);
        if self.undo.is_due(world.time()) {
            self.undo.keep(world.time(), world.scene(), world.snapshot(), self.meters.counts());
        }
    }

    /// Goes back by some seconds, as far as it reaches. Returns how far it went, s.
    ///
    /// # Errors
    /// If there is nothing to go back to.
    pub fn undo(&mut self, world: &mut World, seconds: f64) -> Result<f64, String> {
        let now = world.time();
        let moment = self.undo.back_to(now - seconds).ok_or("there is nothing to undo yet")?;
        if *world.scene() != *moment.scene {
            // The databases of bodies that are still there are kept.
            world.change(&moment.scene).map_err(|e| e.to_string())?;
        }
        world.restore(&moment.snapshot).map_err(|e| e.to_string())?;
        self.player = None;
        self.tape.wind_back(world.steps());
        self.meters.jump();
        self.meters.set_counts(moment.counts);
        self.clamp_focus(world);
        Ok(now - world.time())
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
        let digests = if whole { self.tape.checks.iter().map(|(_, d)| *d).collect() } else { Vec::new() };
        RunFile {
            source: self.source.clone(),
            recording: Recording { digests },
            snapshot: world.snapshot(),
            notes: self.tape.to_json().to_string().into_bytes(),
            final_hash: None,
        }
    }

    /// Goes on where a run file ends, or shows it from the beginning.
    ///
    /// # Errors
    /// If it is not a run that can be gone on with.
    pub fn load(file: RunFile, from_start: bool) -> Result<(Self, World), String> {
        let tape = serde_json::from_slice(&file.notes).ok().and_then(|v| Tape::from_json(&v));
        let recorded = file.recording.digests.iter().enumerate().map(|(i, d)| (i as u64 + 1, *d)).collect();
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
        world.restore(&file.snapshot).map_err(|e| e.to_string())?;
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
        Action::Steer(0, Steer { velocity: [speed, 0.0], heading: None, motion: Motion::Auto })
    }

    fn lively(session: &mut Session, world: &mut World) {
        let focus = session.focus;
        let set = |key: &str, value: f64| Action::Set(key.into(), focus, value);
        session.act(world, east(1.3)).expect("steers");
        step(session, world, 90);
        session.act(world, set("ground.youngs_modulus", 0.3e6)).expect("softer");
        session.act(world, Action::Jump(0)).expect("jumps");
        step(session, world, 60);
        session.act(world, Action::Twin(0, Some(([6.0, 7.0], 0.0)))).expect("a twin");
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
    fn reset_begins_the_scene_as_it_was_loaded() {
        let (mut session, mut world) = begin();
        let hash = world.hash();
        lively(&mut session, &mut world);
        session.reset(&mut world).expect("resets");
        assert_eq!(world.hash(), hash);
        assert_eq!((session.tape.steps(), session.meters.steps), (0, 0));
    }
}
