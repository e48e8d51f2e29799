//! The world: owns state, scratch and report. `new` may fail; nothing after it does.

mod change;
mod hash;
mod look;

use crate::motion::clip::Kind;
use crate::motion::database::Database;
use crate::motion::skeleton::FootShape;
use crate::motion::{self, Recorded, Skeleton, Style};
use crate::params::{Body, Sole};
use crate::scene::{Control, Scene, SceneError, Script, SoleShape, Steer};
use crate::state::{Foot, Ground, Plants, Pose, Puppet, SolePose, TileKey, Tiles, Walker};
use crate::step::animate::Stride;
use crate::step::contact::{self, FootScratch};
use crate::step::patch::Rect;
use crate::step::soil::{Space, slide};
use crate::step::stencil::Stencil;
use crate::step::{self, Stage};
use glam::{DVec2, DVec3, Quat, Vec3};
use std::sync::Arc;

/// The longest step of a walker or of plants, s; a world that has any takes longer ones in parts.
const LONGEST: f64 = 1.0 / 60.0;

/// From how many feet on it pays to use more than one thread.
pub(crate) const WORTH_SPLITTING: usize = 16;

/// A ground and who presses it.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) scene: Scene,
    pub(crate) time: f64,
    pub(crate) steps: u64,
    pub(crate) ground: Ground,
    pub(crate) puppets: Vec<Puppet>,
    pub(crate) plants: Plants,
    pub(crate) ledger: Ledger,
    /// Loose cells that still slide, (z, x).
    pub(crate) pending: Vec<(i32, i32)>,
    soles: Vec<Stencil>,
    /// What each body can do; shared by all walkers of that body.
    pub(crate) databases: Vec<Arc<Database>>,
    scratch: Scratch,
    report: Report,
}

/// What the stages share. Nothing in it changes a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) threads: usize,
    pub(crate) feet: Vec<FootScratch>,
    /// Room to work in for feet that work after each other.
    pub(crate) shared: Space,
    /// Room for each foot, where they work at the same time.
    pub(crate) spaces: Vec<Space>,
    /// Whether each foot's window meets no other's.
    pub(crate) alone: Vec<bool>,
    pub(crate) order: Vec<(Rect, usize)>,
    pub(crate) sparse: slide::Sparse,
    pub(crate) plants: step::plants::Scratch,
    pub(crate) dirty: Vec<TileKey>,
    /// Walkers between their feet being placed and their bodies being put over them.
    pub(crate) strides: Vec<Stride>,
}

impl Scratch {
    /// Whether the feet are many enough to share them out over threads.
    pub(crate) fn is_split(&self) -> bool {
        self.threads > 1 && self.feet.len() >= WORTH_SPLITTING
    }
}

/// A world taken apart for a step.
pub(crate) struct Parts<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) time: f64,
    pub(crate) ground: &'a mut Ground,
    pub(crate) puppets: &'a mut [Puppet],
    pub(crate) plants: &'a mut Plants,
    pub(crate) soles: &'a [Stencil],
    pub(crate) databases: &'a [Arc<Database>],
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) pending: &'a mut Vec<(i32, i32)>,
    pub(crate) report: &'a mut Report,
}

/// Running totals in stored units: nanometres over one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ledger {
    pub(crate) carved: i128,
    pub(crate) owed: f64,
    pub(crate) loose: i128,
    pub(crate) deposited: i128,
}

/// The volume ledger, m³.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Volume {
    /// Ground compressed.
    pub carved: f64,
    /// The share of it that had to move: Σ 2ν·carved, kept apart from what was heaped.
    pub displaced: f64,
    /// Loose material lying on the ground now, counted cell by cell.
    pub accumulated: f64,
    /// |accumulated − displaced| / displaced.
    pub relative_error: f64,
}

/// A foot on the ground during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Whose.
    pub puppet: usize,
    /// Which foot.
    pub foot: usize,
    /// For how much of the step, s.
    pub seconds: f64,
    /// Mean force on the ground, N.
    pub force: Vec3,
    /// Mean force into the ground, N.
    pub normal_force: f64,
    /// Largest force into the ground, N.
    pub peak_force: f64,
    /// Share of the force on the forefoot, by the cells that carry it, 0..1; the rest is on the heel.
    pub toe_share: f64,
    /// Contact area, m².
    pub area: f64,
    /// Mean normal pressure, Pa.
    pub pressure: f64,
    /// Mean depth below the original ground, m.
    pub depth: f64,
    /// Height of the sole's lowest plane, m.
    pub height: f64,
}

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A foot met the ground.
    FootDown {
        /// Whose.
        puppet: usize,
        /// Which foot.
        foot: usize,
        /// When, s.
        time: f64,
        /// Where; y as in the pose.
        position: Vec3,
        /// Largest normal force of the step, N.
        force: f64,
        /// Contact area, m².
        area: f64,
    },
    /// A foot left the ground.
    FootUp {
        /// Whose.
        puppet: usize,
        /// Which foot.
        foot: usize,
        /// When, s.
        time: f64,
        /// Where; y as in the pose.
        position: Vec3,
        /// Largest normal force of the stance, N.
        force: f64,
        /// Mean contact area of the stance, m².
        area: f64,
        /// Mean depth of the print, m.
        depth: f64,
        /// ∫ normal force dt, N·s.
        impulse: f64,
        /// How long it stood, s.
        stance: f64,
    },
    /// A puppet's pose was not a number; it is left out from now on.
    Quarantined {
        /// Which.
        puppet: usize,
    },
}

/// What a step did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Time at the end of the step, s.
    pub time: f64,
    /// Feet on the ground.
    pub contacts: Vec<Contact>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Sweeps of sliding material.
    pub sweeps: u64,
}

/// A body on its soles and its recorded motion, if any: what its motion depends on.
type Figure<'a> = (Body, FootShape, Option<&'a Recorded>);

/// The motion of a body, made if it is not known yet. On soles much longer than its feet it goes as on snowshoes.
fn body_motion<'a>(
    figure: Figure<'a>,
    before: Option<&World>,
    figures: &mut Vec<Figure<'a>>,
    databases: &mut Vec<Arc<Database>>,
) -> usize {
    // Equal recordings are one: comparing long ones frame by frame would cost more than it saves.
    let same = |a: Option<&Recorded>, b: Option<&Recorded>| match (a, b) {
        (Some(a), Some(b)) => std::ptr::eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let known = |f: &Figure<'_>| f.0 == figure.0 && f.1 == figure.1 && same(f.2, figure.2);
    if let Some(known) = figures.iter().position(known) {
        return known;
    }
    let (body, foot, recorded) = figure;
    let made = before.and_then(|world| {
        world.scene.puppets.iter().zip(&world.puppets).find_map(|(spec, puppet)| {
            let Script::Walker(walker) = &spec.script else { return None };
            let database = &world.databases[puppet.walker.as_deref()?.database];
            let alike = walker.body == body && database.skeleton.foot == foot;
            (alike && same(walker.recorded.as_deref(), recorded)).then(|| Arc::clone(database))
        })
    });
    if let Some(made) = made {
        databases.push(made);
        figures.push(figure);
        return databases.len() - 1;
    }
    let style =
        if foot.toe - foot.heel > 1.5 * body.foot_length { Style::snowshoe() } else { Style::default() };
    let skeleton = Skeleton::on_soles(&body, foot);
    let clips = motion::library::clips_on(&body, &skeleton, &style);
    databases.push(Arc::new(match recorded {
        Some(recorded) => recorded.database(&skeleton, clips),
        None => Database::new(&skeleton, &clips),
    }));
    figures.push(figure);
    databases.len() - 1
}

/// How a walker is shown before its first step has placed its feet: as its clip stands, on the ground as it was.
fn standing(database: &Database, walker: &Walker, ground: &Ground) -> motion::skeleton::Pose {
    let shot = database.sample(walker.clip, walker.time);
    let turn = Quat::from_rotation_y(-walker.heading as f32);
    let below = ground.base.height(walker.root.x, walker.root.y);
    let feet = DVec3::new(walker.root.x, below, walker.root.y).as_vec3();
    let mut rotations = shot.rotations;
    rotations[0] = turn * rotations[0];
    motion::skeleton::Pose { root: feet + turn * shot.pelvis, rotations }
}

impl World {
    /// Builds the world of a scene. The only call that can fail.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        Self::build(scene, None)
    }

    /// The same; motion that a world of before has made is taken from there.
    fn build(scene: &Scene, before: Option<&Self>) -> Result<Self, SceneError> {
        scene.check()?;
        let terrain = &scene.terrain;
        let (plants, cover) = Plants::new(scene);
        let ground = Ground {
            cell: terrain.cell,
            size: terrain.size.map(|m| (m / terrain.cell).round() as i32),
            base: terrain.base.clone(),
            materials: terrain.materials.iter().map(|m| m.material).collect(),
            paints: terrain.paints.clone(),
            law: terrain.law,
            contour: terrain.contour,
            tolerance: terrain.tolerance,
            force_threshold: terrain.force_threshold,
            tiles: Tiles::default(),
            cover,
        };
        let (mut soles, mut puppets, mut feet) = (Vec::new(), Vec::new(), Vec::new());
        let mut known: Vec<(&SoleShape, f64, f64, usize)> = Vec::new();
        let mut shapes: Vec<Sole> = Vec::new();
        let (mut databases, mut figures) = (Vec::new(), Vec::new());
        for (id, spec) in scene.puppets.iter().enumerate() {
            let seen = known
                .iter()
                .find(|(s, l, w, _)| *s == &spec.sole && *l == spec.foot_length && *w == spec.foot_width);
            let right = match seen.map(|(.., index)| *index) {
                Some(index) => index,
                None => {
                    let sole = match &spec.sole {
                        SoleShape::Footwear(wear) => wear.sole(spec.foot_length, spec.foot_width),
                        SoleShape::Custom(sole) => sole.clone(),
                    };
                    soles.push(Stencil::new(&sole, ground.cell));
                    soles.push(Stencil::new(&sole.mirrored(), ground.cell));
                    known.push((&spec.sole, spec.foot_length, spec.foot_width, soles.len() - 2));
                    shapes.push(sole);
                    soles.len() - 2
                }
            };
            let n = spec.script.feet();
            let walker = match &spec.script {
                Script::Walker(walker) => {
                    let foot = FootShape::on(&walker.body, &shapes[right / 2]);
                    let index = body_motion(
                        (walker.body, foot, walker.recorded.as_deref()),
                        before,
                        &mut figures,
                        &mut databases,
                    );
                    let mut walker = Walker::new(index, DVec2::from(walker.position), walker.heading);
                    // Everybody begins standing.
                    walker.clip =
                        databases[index].spans.iter().position(|s| s.kind == Kind::Idle).unwrap_or(0);
                    walker.pose = standing(&databases[index], &walker, &ground);
                    Some(Box::new(walker))
                }
                _ => None,
            };
            puppets.push(Puppet {
                mass: spec.mass,
                hold: spec.hold,
                soles: (0..n).map(|foot| right + foot % 2).collect(),
                pose: Pose { soles: vec![SolePose::default(); n], ..Pose::default() },
                last_drive: None,
                walker,
                last_center: None,
                feet: vec![Foot { gap: f64::INFINITY, ..Foot::default() }; n],
                quarantined: false,
            });
            feet.extend((0..n).map(|foot| FootScratch { puppet: id, foot, ..FootScratch::default() }));
        }
        Ok(Self {
            scene: scene.clone(),
            time: 0.0,
            steps: 0,
            ground,
            puppets,
            plants,
            ledger: Ledger::default(),
            pending: Vec::new(),
            soles,
            databases,
            scratch: Scratch { threads: 1, feet, ..Scratch::default() },
            report: Report::default(),
        })
    }

    /// Uses up to `threads` threads of the caller's rayon pool. The result does not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.scratch.threads = threads.max(1);
        let n = if self.scratch.is_split() { self.scratch.feet.len() } else { 0 };
        self.scratch.spaces.resize_with(n, Space::default);
    }

    /// Goes on by `dt` seconds.
    ///
    /// # Panics
    /// If `dt` is not above 0 and at most 0.25 s.
    pub fn step(&mut self, dt: f64) -> &Report {
        self.step_observed(dt, |_, _| {})
    }

    /// The same, and calls `observe` after each stage, so that a host can time it by its own clock.
    ///
    /// # Panics
    /// If `dt` is not above 0 and at most 0.25 s.
    pub fn step_observed(&mut self, dt: f64, mut observe: impl FnMut(Stage, &Report)) -> &Report {
        assert!(dt > 0.0 && dt <= 0.25, "a step must last between 0 and 0.25 s, got {dt}");
        self.report.contacts.clear();
        self.report.events.clear();
        self.report.sweeps = 0;
        // A foot that rolls over the ground or through plants must not do so in too few positions.
        let fine = !self.plants.is_empty() || self.puppets.iter().any(|p| p.walker.is_some());
        let parts = if fine { (dt / LONGEST - 1e-6).ceil().max(1.0) as u32 } else { 1 };
        for part in 0..parts {
            self.part_of_step(f64::from(part), dt / f64::from(parts), &mut observe);
        }
        self.time += dt;
        self.steps += 1;
        &self.report
    }

    fn part_of_step(&mut self, part: f64, dt: f64, observe: impl FnMut(Stage, &Report)) {
        let parts = Parts {
            scene: &self.scene,
            time: self.time + part * dt,
            ground: &mut self.ground,
            puppets: &mut self.puppets,
            plants: &mut self.plants,
            soles: &self.soles,
            databases: &self.databases,
            scratch: &mut self.scratch,
            ledger: &mut self.ledger,
            pending: &mut self.pending,
            report: &mut self.report,
        };
        step::run(parts, dt, observe);
    }

    /// What the last step did.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Lets everything loose come to rest, without time passing and as if every foot had left: for the end of a run.
    pub fn settle(&mut self) {
        if self.ground.law.slides() {
            slide::all_loose(&self.ground, &mut self.pending);
        }
        while !self.pending.is_empty() {
            let (pending, work) = (&mut self.pending, &mut self.scratch.sparse);
            slide::finish(&mut self.ground, pending, work, 1000, &mut self.scratch.dirty, &mut self.report);
        }
    }

    /// Finds the cells under every standing foot again, after a state was brought back.
    pub(crate) fn restamp(&mut self) {
        for f in &mut self.scratch.feet {
            let puppet = &self.puppets[f.puppet];
            f.stamped = None;
            if puppet.feet[f.foot].down && puppet.pose.is_finite() {
                let stencil = &self.soles[puppet.soles[f.foot]];
                contact::stamp(f, &self.ground, stencil, &puppet.pose.soles[f.foot]);
            }
        }
    }

    /// Time since the start, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The scene it was made from.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The ground.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// A puppet's state.
    pub fn puppet(&self, id: usize) -> &Puppet {
        &self.puppets[id]
    }

    /// The body that moves a puppet, and its joints and masses, if it moves itself.
    pub fn walker(&self, id: usize) -> Option<(&Walker, &Skeleton)> {
        let walker = self.puppets.get(id)?.walker.as_deref()?;
        Some((walker, &self.databases[walker.database].skeleton))
    }

    /// How many puppets there are.
    pub fn puppets(&self) -> usize {
        self.puppets.len()
    }

    /// Says where a hosted puppet's feet are at the end of the next step. Scripted puppets do not listen.
    pub fn set_pose(&mut self, id: usize, pose: &Pose) {
        self.puppets[id].pose.clone_from(pose);
    }

    /// The plants.
    pub fn plants(&self) -> &Plants {
        &self.plants
    }

    /// The plants, to set what is not part of a scene: wind, and whether they sleep.
    pub fn plants_mut(&mut self) -> &mut Plants {
        &mut self.plants
    }

    /// Tiles whose surface changed since the last call: for meshes, colliders, textures, networks.
    pub fn take_dirty(&mut self, mut each: impl FnMut(TileKey)) {
        for key in self.scratch.dirty.drain(..) {
            if let Some(tile) = self.ground.tiles.get_mut(key) {
                tile.dirty = false;
            }
            each(key);
        }
    }

    /// Tells a walker what to do from now on; false if `id` is none. Steering is part of the state, a route of the scene.
    pub fn control(&mut self, id: usize, control: Control) -> bool {
        let Some(walker) = self.puppets.get_mut(id).and_then(|p| p.walker.as_deref_mut()) else {
            return false;
        };
        match control {
            Control::Stand => walker.told = Some(Steer::default()),
            Control::Walk(steer) => {
                let finite = steer.velocity.iter().chain(&steer.heading).all(|x| x.is_finite());
                walker.told = Some(if finite { steer } else { Steer::default() });
            }
            Control::Route(route) => {
                if let Some(Script::Walker(spec)) = self.scene.puppets.get_mut(id).map(|p| &mut p.script) {
                    (walker.told, walker.pass, walker.along) = (None, 0, 0.0);
                    spec.control = Control::Route(route);
                }
            }
        }
        true
    }

    /// Lets a walker jump as soon as it can; false if `id` is none.
    pub fn jump(&mut self, id: usize) -> bool {
        let walker = self.puppets.get_mut(id).and_then(|p| p.walker.as_deref_mut());
        walker.map(|w| w.jump = true).is_some()
    }
}
