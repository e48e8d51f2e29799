//! Puppets whose feet a host moves: an engine, a script, a simulator of machines.
//!
//! The core shares a body's weight between up to eight feet, but takes forces for two ([`Drive`]). So a puppet whose feet are given
//! forces is one core puppet per foot, each with a drive of its own: any number of feet, each with its own force. A foot whose place is
//! given instead presses with the force that the ground there answers with ([`Footing`]).

use trample::glam::{Quat, Vec2, Vec3};
use trample::scene::SoleShape;
use trample::{
    Answer, Contact, Drive, Footing, Footwear, Hold, Law, Pose, PuppetSpec, SceneError, Script, SolePose,
    World,
};

/// Maximum number of feet of a puppet: far more than any machine has, small enough to detect typing errors. Our choice.
const MOST_FEET: usize = 256;

/// A puppet whose feet its host moves.
#[derive(Clone, Debug)]
pub struct Host {
    /// Its puppets in the core: one, or one per foot.
    puppets: Vec<usize>,
    soles: Vec<SolePose>,
    /// Force of each foot on the ground, N, if each has its own.
    forces: Option<Vec<Vec3>>,
    /// Position control: computes these forces from poses, with the last answer for each foot.
    held: Option<Vec<(Footing, Answer)>>,
    /// Its centre of mass, if set; otherwise the middle between its feet.
    centre: Option<Vec3>,
    /// The step before which it joined.
    since: u64,
    control: Control,
}

/// Control of a host's feet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// By weight, until the first force is set.
    #[default]
    Either,
    /// Poses are given; the feet share the weight of the body.
    Weight,
    /// Poses and forces are given.
    Force,
    /// Poses are given; the ground returns a reaction force.
    Position,
}

/// Errors of a host.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The input is invalid, or comes too late.
    #[error("{0}")]
    Told(String),
    /// The puppet does not fit into the scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

fn refused<T>(problem: impl Into<String>) -> Result<T, HostError> {
    Err(HostError::Told(problem.into()))
}

impl Control {
    /// By its name: `weight`, `force` or `position`; none is [`Control::Either`].
    pub fn by_name(name: Option<&str>) -> Result<Self, HostError> {
        Ok(match name {
            None => Self::Either,
            Some("weight") => Self::Weight,
            Some("force") => Self::Force,
            Some("position") => Self::Position,
            Some(other) => {
                return refused(format!(
                    "control `{other}`: no such control, allowed: weight, force, position"
                ));
            }
        })
    }
}

/// A kind of footwear by its name.
pub fn footwear(name: &str) -> Result<SoleShape, HostError> {
    let known = Footwear::ALL.map(Footwear::name).join(", ");
    match Footwear::by_name(name) {
        Some(found) => Ok(SoleShape::Footwear(found)),
        None => refused(format!("sole `{name}`: no such footwear, allowed: {known}")),
    }
}

/// How soles are held, by its name: `free` or `pinned`.
pub fn hold(name: &str) -> Result<Hold, HostError> {
    match name {
        "free" => Ok(Hold::Free),
        "pinned" => Ok(Hold::Pinned),
        other => refused(format!("hold `{other}`: no such hold, allowed: free, pinned")),
    }
}

/// The core's description of a puppet with this number of feet. `None` selects default values.
pub fn spec(
    name: &str,
    feet: usize,
    mass: Option<f64>,
    sole: SoleShape,
    size: [Option<f64>; 2],
    hold: Hold,
) -> PuppetSpec {
    let mut spec =
        PuppetSpec { name: name.into(), script: Script::Host { feet }, sole, hold, ..PuppetSpec::default() };
    spec.body.mass = mass.unwrap_or(spec.body.mass);
    spec.body.foot_length = size[0].unwrap_or(spec.body.foot_length);
    spec.body.foot_width = size[1].unwrap_or(spec.body.foot_width);
    spec
}

/// Input for one foot.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Middle of the sole, m: [`SolePose::position`].
    pub position: [f32; 3],
    /// Orientation: quaternion x, y, z, w.
    pub quaternion: [f32; 4],
    /// Velocity, m/s.
    pub velocity: [f32; 3],
    /// Angular velocity, rad/s.
    pub spin: [f32; 3],
    /// Rotation of the forefoot about the ball, rad.
    pub toe_bend: f32,
    /// Its force on the ground, N, if given.
    pub force: Option<[f32; 3]>,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            position: [0.0, 1.0, 0.0],
            quaternion: [0.0, 0.0, 0.0, 1.0],
            velocity: [0.0; 3],
            spin: [0.0; 3],
            toe_bend: 0.0,
            force: None,
        }
    }
}

/// State of a foot after the last step; zeros while it is in the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootState {
    /// Whether it is on the ground.
    pub down: bool,
    /// Force on the ground, N: at the end of the step for position control, otherwise the mean over the step.
    pub force: Vec3,
    /// Its component into the ground, N.
    pub normal_force: f64,
    /// Mean depth below the original ground, m.
    pub sinkage: f64,
    /// Velocity at which it slips, m/s.
    pub slip: Vec3,
    /// Height of its lowest plane, m; NaN in the air.
    pub height: f64,
    /// Contact area, m².
    pub area: f64,
    /// Mean normal pressure, Pa.
    pub pressure: f64,
    /// Suction force of wet ground, N.
    pub suction: f64,
}

impl Host {
    /// Adds a new puppet to a world. With more feet than the core can share a weight between, it is force-controlled from the start.
    ///
    /// # Errors
    /// If control and feet do not match, or the puppet does not fit into the scene. The world is then unchanged.
    pub fn join(world: &mut World, mut spec: PuppetSpec, control: Control) -> Result<Self, HostError> {
        let feet = spec.script.feet();
        let shared = Self::check(world, &spec, control)?;
        spec.script = Script::Host { feet: if shared { feet } else { 1 } };
        let mut scene = world.scene().clone();
        let puppet = scene.puppets.len();
        scene.puppets.push(spec);
        world.change(&scene)?;
        Self::take(world, puppet, feet, shared, control)
    }

    /// Takes over a puppet of the scene with `motion = "host"`.
    ///
    /// # Errors
    /// If there is no such puppet, or if control and feet do not match.
    pub fn adopt(world: &mut World, puppet: usize, control: Control) -> Result<Self, HostError> {
        let Some(spec) = world.scene().puppets.get(puppet) else {
            return refused(format!("puppet {puppet} of {}", world.puppets()));
        };
        let Script::Host { feet } = spec.script else {
            return refused(format!("puppet {puppet}: it moves itself; a scene says motion = \"host\""));
        };
        let shared = Self::check(world, spec, control)?;
        Self::take(world, puppet, feet, shared, control)
    }

    /// Whether its feet can share a weight; an error if they must and cannot.
    fn check(world: &World, spec: &PuppetSpec, control: Control) -> Result<bool, HostError> {
        if control == Control::Position && (world.ground().law != Law::Natural || spec.hold != Hold::Free) {
            return refused("control `position`: the terrain's law must be natural and the soles free");
        }
        let feet = spec.script.feet();
        if feet > MOST_FEET {
            return refused(format!("feet is {feet}, allowed: 1 to {MOST_FEET}"));
        }
        let shared = Script::FEET.contains(feet as f64) || feet == 0;
        if control == Control::Weight && !shared {
            return refused(format!("feet is {feet}: more than eight cannot share a weight"));
        }
        Ok(shared)
    }

    fn take(
        world: &mut World,
        puppet: usize,
        feet: usize,
        shared: bool,
        control: Control,
    ) -> Result<Self, HostError> {
        let held = (control == Control::Position).then(|| vec![Default::default(); feet]);
        let (soles, since) = (vec![SolePose::default(); feet], world.steps());
        let mut host =
            Self { puppets: vec![puppet], soles, forces: None, held, centre: None, since, control };
        if feet > 0 && (!shared || matches!(control, Control::Force | Control::Position)) {
            host.part(world)?;
            host.pose(world);
        }
        Ok(host)
    }

    /// Sets the control, before its first step.
    ///
    /// # Errors
    /// See [`Host::adopt`]; and if it has stepped or got forces. Nothing is changed then.
    pub fn set_control(&mut self, world: &mut World, control: Control) -> Result<(), HostError> {
        if world.steps() != self.since || self.forces.is_some() {
            return refused("how it is moved is said before its first step and its first force");
        }
        *self = Self::adopt(world, self.puppets[0], control)?;
        Ok(())
    }

    /// Number of feet.
    pub fn feet(&self) -> usize {
        self.soles.len()
    }

    /// Which of the core's puppets a foot belongs to, and which of its feet it is.
    fn place(&self, foot: usize) -> (usize, usize) {
        if self.forces.is_some() { (self.puppets[foot], 0) } else { (self.puppets[0], foot) }
    }

    /// Which foot of this puppet a foot of one of the core's puppets is, if it is one.
    pub fn own(&self, puppet: usize, foot: usize) -> Option<usize> {
        let at = self.puppets.iter().position(|&p| p == puppet)?;
        Some(if self.forces.is_some() { at } else { foot })
    }

    /// Sets the pose of one foot at the end of the next step.
    ///
    /// # Errors
    /// If there is no such foot, a number is not finite, or a force comes too late or is not expected. Nothing is changed then.
    pub fn tell(&mut self, world: &mut World, foot: usize, told: &Told) -> Result<(), HostError> {
        if foot >= self.feet() {
            return refused(format!("foot {foot} of {}", self.feet()));
        }
        let all = [&told.position[..], &told.quaternion, &told.velocity, &told.spin, &[told.toe_bend]];
        let numbers = all.into_iter().chain(told.force.as_ref().map(|f| &f[..])).flatten();
        let turn = Quat::from_array(told.quaternion);
        if !numbers.into_iter().all(|x| x.is_finite()) || turn.length() < 1e-3 {
            let problem = "every number must be finite, and the quaternion (x, y, z, w) not 0";
            return refused(format!("foot {foot}: {problem}"));
        }
        if told.force.is_some() && matches!(self.control, Control::Position | Control::Weight) {
            let problem = "it is not driven by forces; say `control=\"force\"` when it is added";
            return refused(format!("foot {foot}: {problem}"));
        }
        if told.force.is_some() && self.forces.is_none() {
            if world.steps() != self.since {
                let problem = "it has stepped without forces already; say `force=` before its first step";
                return refused(format!("foot {foot}: {problem}"));
            }
            self.part(world)?;
        }
        self.soles[foot] = SolePose {
            position: Vec3::from_array(told.position),
            rotation: turn.normalize(),
            toe_bend: told.toe_bend,
            velocity: Vec3::from_array(told.velocity),
            spin: Vec3::from_array(told.spin),
        };
        if let (Some(forces), Some(force)) = (&mut self.forces, told.force) {
            forces[foot] = Vec3::from_array(force);
        }
        self.pose(world);
        Ok(())
    }

    /// Sets the centre of mass, m, which determines the weight share of the feet.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn tell_centre(&mut self, world: &mut World, centre: [f32; 3]) -> Result<(), HostError> {
        if !centre.iter().all(|x| x.is_finite()) {
            return refused("every number must be finite");
        }
        self.centre = Some(Vec3::from_array(centre));
        self.pose(world);
        Ok(())
    }

    /// The reaction of the ground to a position-controlled foot.
    fn answer(&self, foot: usize) -> Option<&Answer> {
        Some(&self.held.as_ref()?[foot].1)
    }

    /// State of a foot after the last step; `None` if there is no such foot.
    pub fn foot(&self, world: &World, foot: usize) -> Option<FootState> {
        if foot >= self.feet() {
            return None;
        }
        let (puppet, own) = self.place(foot);
        let contact = world.report().contacts.iter().find(|c| c.puppet == puppet && c.foot == own);
        let held = self.answer(foot);
        let of = |get: fn(&Contact) -> f64| contact.map_or(0.0, get);
        let vector = |get: fn(&Contact) -> Vec3| contact.map_or(Vec3::ZERO, get);
        Some(FootState {
            down: held.map_or(contact.is_some(), |a| a.normal > 0.0),
            force: held.map_or(vector(|c| c.force), |a| a.force),
            normal_force: held.map_or(of(|c| c.normal_force), |a| a.normal),
            sinkage: of(|c| c.depth),
            slip: held.map_or(vector(|c| c.slip), |a| a.slip),
            height: contact.map_or(f64::NAN, |c| c.height),
            area: of(|c| c.area),
            pressure: of(|c| c.pressure),
            suction: of(|c| c.suction),
        })
    }

    /// Before a step: computes the reaction of the ground to position-controlled feet.
    pub fn ask(&mut self, world: &mut World) {
        let (Some(held), Some(forces)) = (&mut self.held, &mut self.forces) else { return };
        for (i, (footing, answer)) in held.iter_mut().enumerate() {
            *answer = footing.hold(world, self.puppets[i], 0, &self.soles[i]);
            forces[i] = answer.force;
        }
        self.pose(world);
    }

    /// After restoring a state: resets the contact state of position-controlled feet.
    pub fn forget(&mut self) {
        self.held.iter_mut().flatten().for_each(|(footing, answer)| (*footing, *answer) = Default::default());
    }

    /// Becomes one of the core's puppets per foot. The others keep their places: the first stays, the rest join at the end.
    fn part(&mut self, world: &mut World) -> Result<(), HostError> {
        let mut scene = world.scene().clone();
        let first = self.puppets[0];
        scene.puppets[first].script = Script::Host { feet: 1 };
        let single = scene.puppets[first].clone();
        let end = scene.puppets.len();
        scene.puppets.extend(std::iter::repeat_n(single, self.feet() - 1));
        world.change(&scene)?;
        self.puppets.extend(end..end + self.feet() - 1);
        self.forces = Some(vec![Vec3::ZERO; self.feet()]);
        Ok(())
    }

    /// Hands everything to the core.
    fn pose(&self, world: &mut World) {
        if let Some(forces) = &self.forces {
            for (i, (sole, &force)) in self.soles.iter().zip(forces).enumerate() {
                let known = self.answer(i).filter(|answer| answer.normal > 0.0).map(|answer| answer.cop);
                let at = known.unwrap_or(Vec2::new(sole.position.x, sole.position.z));
                let drive = Drive { force, load: [1.0, 0.0], cops: [at; 2], ..Drive::default() };
                let pose = Pose { drive: Some(drive), soles: vec![*sole], center_of_mass: sole.position };
                world.set_pose(self.puppets[i], &pose);
            }
            return;
        }
        let middle = self.soles.iter().map(|s| s.position).sum::<Vec3>() / self.feet() as f32;
        let center_of_mass = self.centre.unwrap_or(middle);
        world.set_pose(self.puppets[0], &Pose { drive: None, soles: self.soles.clone(), center_of_mass });
    }
}
