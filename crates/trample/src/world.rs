//! The world: owns state, scratch and report. `new` may fail; nothing after it does.

mod change;
pub(crate) mod footing;
pub(crate) mod query;
mod snapshot;

use crate::body::{FootShape, Pose as JointPose, Skeleton};
use crate::clips::{Database, Kind, library};
use crate::gait::Style;
use crate::imported::Recorded;
use crate::map::CellRect;
use crate::params::{Body, Law, Sole};
use crate::pose::{Pose, SolePose};
use crate::scene::{Control, PuppetSpec, Scene, SceneError, Script, SoleShape, Steer};
use crate::state::{Foot, Ground, Ledger, Plants, Puppet, TileKey, Tiles, Walker};
use crate::step::contact::{self, FootScratch};
use crate::step::soil::{Space, slide};
use crate::step::stencil::Stencil;
use crate::step::{self, Parts, Report, Scratch, Stage};
use glam::{DVec2, DVec3, Quat, Vec3};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest step of walkers and plants, s; a world with any of them splits longer steps.
const LONGEST: f64 = 1.0 / 60.0;

/// The simulated world: ground, plants, walkers and puppets.
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
    /// See [`World::revision`]; not state.
    pub(crate) revision: u64,
}

/// A number that no world of this program has had.
pub(crate) fn next_revision() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The volume balance, m³.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Volume {
    /// Ground compressed.
    pub carved: f64,
    /// The displaced share of it, Σ 2ν·carved, counted independently of the heaps.
    pub displaced: f64,
    /// Loose material now on the ground, counted cell by cell.
    pub accumulated: f64,
    /// The part of `displaced` that could not yet be deposited beside the feet.
    pub owed: f64,
    /// Compacted volume, counted cell by cell: the part of `carved` that was not displaced.
    pub compacted: f64,
    /// Material carried by feet: `owed`, plus each foot's rounding remainder of less than one nanometre on a cell. `displaced` equals the
    /// material on the ground plus this.
    pub carried_off: f64,
    /// The larger of |accumulated − displaced| / displaced (without the rounding remainders held by feet) and, under the natural law,
    /// |carved − displaced − compacted| / carved.
    pub relative_error: f64,
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
            let alike = spec.body == body && database.skeleton.foot == foot;
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
    let clips = library::clips_on(&body, &skeleton, &style);
    databases.push(Arc::new(match recorded {
        Some(recorded) => recorded.database(&skeleton, clips),
        None => Database::new(&skeleton, &clips),
    }));
    figures.push(figure);
    databases.len() - 1
}

/// How a walker is shown before its first step has placed its feet: as its clip stands, on the ground as it was.
fn standing(database: &Database, walker: &Walker, ground: &Ground) -> JointPose {
    let shot = database.sample(walker.clip, walker.time);
    let turn = Quat::from_rotation_y(-walker.heading as f32);
    let below = ground.base.height(walker.root.x, walker.root.y);
    let feet = DVec3::new(walker.root.x, below, walker.root.y).as_vec3();
    let mut rotations = shot.rotations;
    rotations[0] = turn * rotations[0];
    JointPose { root: feet + turn * shot.pelvis, rotations }
}

impl World {
    /// Builds the world of a scene. The only call that can fail.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        Self::build(scene, None)
    }

    /// The same, reusing motion that an earlier world has generated.
    fn build(scene: &Scene, before: Option<&Self>) -> Result<Self, SceneError> {
        scene.check()?;
        let terrain = &scene.terrain;
        let (plants, cover) = Plants::new(scene);
        let ground = Ground {
            cell: terrain.cell,
            size: terrain.size.map(|m| (m / terrain.cell).round() as i32),
            base: terrain.base.clone(),
            materials: terrain.materials.iter().map(|m| m.material).collect(),
            virgin: if terrain.law == Law::Natural {
                terrain.materials.iter().map(|m| m.material.virgin()).collect()
            } else {
                Vec::new()
            },
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
            let seen = known.iter().find(|(s, l, w, _)| {
                *s == &spec.sole && *l == spec.body.foot_length && *w == spec.body.foot_width
            });
            let right = match seen.map(|(.., index)| *index) {
                Some(index) => index,
                None => {
                    let sole = spec.sole.on(&spec.body);
                    soles.push(Stencil::new(&sole, ground.cell));
                    soles.push(Stencil::new(&sole.mirrored(), ground.cell));
                    known.push((&spec.sole, spec.body.foot_length, spec.body.foot_width, soles.len() - 2));
                    shapes.push(sole);
                    soles.len() - 2
                }
            };
            let n = spec.script.feet();
            let walker = match &spec.script {
                Script::Walker(walker) => {
                    let foot = FootShape::on(&spec.body, &shapes[right / 2]);
                    let index = body_motion(
                        (spec.body, foot, walker.recorded.as_deref()),
                        before,
                        &mut figures,
                        &mut databases,
                    );
                    let mut walker = Walker::new(index, DVec2::from(walker.position), walker.heading);
                    // Walkers begin standing, or about to set off where nothing stands.
                    let stands = databases[index].spans.iter().position(|s| s.kind == Kind::Idle);
                    walker.clip = stands.unwrap_or(0);
                    if stands.is_none() {
                        walker.time = databases[index].set_off(0);
                    }
                    walker.pose = standing(&databases[index], &walker, &ground);
                    Some(Box::new(walker))
                }
                _ => None,
            };
            puppets.push(Puppet {
                mass: spec.body.mass,
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
            revision: next_revision(),
        })
    }

    /// Uses up to `threads` threads of the caller's rayon pool, if the feature `parallel` is on. The result does not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.scratch.threads = if cfg!(feature = "parallel") { threads.max(1) } else { 1 };
        let n = if self.scratch.may_split() { self.scratch.feet.len() } else { 0 };
        self.scratch.spaces.resize_with(n, Space::default);
    }

    /// Advances by `dt` seconds.
    ///
    /// # Panics
    /// If `dt` is not above 0 and at most 0.25 s.
    pub fn step(&mut self, dt: f64) -> &Report {
        self.step_observed(dt, |_, _| {})
    }

    /// Revision number for renderers. It changes after a [`World::change`] of bodies, plants or paints and after [`World::restore`], and
    /// differs between worlds; steps and steering do not change it. Not part of the state.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Like [`World::step`], and calls `observe` after each stage, so that the caller can time it.
    ///
    /// # Panics
    /// If `dt` is not above 0 and at most 0.25 s.
    pub fn step_observed(&mut self, dt: f64, mut observe: impl FnMut(Stage, &Report)) -> &Report {
        assert!(dt > 0.0 && dt <= 0.25, "a step must last between 0 and 0.25 s, got {dt}");
        self.report.events.clear();
        self.report.sweeps = 0;
        // A foot that rolls over the ground or through plants must not do so in too few positions.
        let fine = !self.plants.is_empty() || self.puppets.iter().any(|p| p.walker.is_some());
        let parts = if fine { (dt / LONGEST - 1e-6).ceil().max(1.0) as u32 } else { 1 };
        if self.scratch.has_told && self.is_idle(dt) {
            // Who stands goes on standing as in the last step.
            self.time += dt;
            self.steps += 1;
            self.report.time = self.time;
            let there = self.puppets.iter_mut().filter(|p| !p.quarantined);
            for walker in there.filter_map(|p| p.walker.as_deref_mut()) {
                (0..parts).for_each(|_| walker.age += dt / f64::from(parts));
            }
            return &self.report;
        }
        // The last step told of all who stand if nobody was about in it.
        self.scratch.has_told = self.is_idle(dt);
        self.report.contacts.clear();
        for part in 0..parts {
            self.part_of_step(f64::from(part), dt / f64::from(parts), &mut observe);
        }
        self.report.splits = std::mem::take(&mut self.scratch.splits);
        self.time += dt;
        self.steps += 1;
        &self.report
    }

    /// Whether nothing happens in the next `dt` s: all walkers wait or have finished and are at rest, no plant moves and
    /// nothing slides. Such steps are skipped.
    fn is_idle(&self, dt: f64) -> bool {
        let done = |(spec, puppet): (&PuppetSpec, &Puppet)| step::rest::is_done(&spec.script, puppet, dt);
        self.pending.is_empty()
            && self.plants.awake_blocks() == 0
            && self.scene.puppets.iter().zip(&self.puppets).all(done)
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

    /// Report of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Lets loose material slide to rest without advancing time, as if all feet were lifted: for the end of a run.
    pub fn settle(&mut self) {
        if self.ground.law.slides() {
            slide::all_loose(&self.ground, &mut self.pending);
        }
        while !self.pending.is_empty() {
            let (pending, work) = (&mut self.pending, &mut self.scratch.sparse);
            slide::finish(&mut self.ground, pending, work, 1000, &mut self.scratch.dirty, &mut self.report);
        }
    }

    /// Recomputes the cells under every standing foot after restoring a state.
    pub(crate) fn restamp(&mut self) {
        self.scratch.has_told = false;
        for f in &mut self.scratch.feet {
            let puppet = &self.puppets[f.puppet];
            (f.stamped, f.told) = (None, None);
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

    /// The walker that moves a puppet, with its skeleton; `None` for puppets without a body.
    pub fn walker(&self, id: usize) -> Option<(&Walker, &Skeleton)> {
        let walker = self.puppets.get(id)?.walker.as_deref()?;
        Some((walker, &self.databases[walker.database].skeleton))
    }

    /// Number of puppets.
    pub fn puppets(&self) -> usize {
        self.puppets.len()
    }

    /// Sets the pose of a hosted puppet at the end of the next step. It has no effect on scripted puppets.
    pub fn set_pose(&mut self, id: usize, pose: &Pose) {
        self.puppets[id].pose.clone_from(pose);
    }

    /// The plants.
    pub fn plants(&self) -> &Plants {
        &self.plants
    }

    /// Calls `each` for the tiles whose surface changed since the last call: for meshes, colliders, textures, networks.
    pub fn take_dirty(&mut self, mut each: impl FnMut(TileKey)) {
        for key in self.scratch.dirty.drain(..) {
            if let Some(tile) = self.ground.tiles.get_mut(key) {
                tile.dirty = false;
            }
            each(key);
        }
    }

    /// Calls `each` for the cells in which the reinforcement by plants may have changed since the last call; some are outside the terrain.
    pub fn take_dirty_plants(&mut self, each: impl FnMut(CellRect)) {
        self.ground.cover.take_dirty(each);
    }

    /// Sets the control of a walker; false if `id` is not a walker. Steering is part of the state, a route is part of the scene.
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

    /// Pushes a walker at its centre of mass with an impulse, N·s; false if `id` is not a walker or the impulse is not finite. The walker
    /// leans, and takes a step if leaning is not enough.
    pub fn push(&mut self, id: usize, impulse: Vec3) -> bool {
        let Some(puppet) = self.puppets.get_mut(id).filter(|_| impulse.is_finite()) else { return false };
        let by = DVec2::new(f64::from(impulse.x), f64::from(impulse.z)) / puppet.mass;
        puppet.walker.as_deref_mut().map(|w| w.pushed += by).is_some()
    }

    /// Current metabolic power of a walker, W (Pandolf et al. 1977): higher on soft ground, in vegetation and uphill.
    pub fn metabolic_power(&self, id: usize) -> Option<f64> {
        let puppet = self.puppets.get(id)?;
        Some(step::animate::control::power(
            &self.ground,
            puppet.walker.as_deref()?,
            &puppet.feet,
            puppet.mass,
        ))
    }

    /// Makes a walker jump as soon as it can; false if `id` is not a walker.
    pub fn jump(&mut self, id: usize) -> bool {
        let walker = self.puppets.get_mut(id).and_then(|p| p.walker.as_deref_mut());
        walker.map(|w| w.jump = true).is_some()
    }
}
