//! A world as an engine holds it: made from text, stepped, and asked what has changed since it last looked.

use crate::host::{Control, Host, HostError, Told};
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use trample::scene::library;
use trample::{CellRect, Event, Map, PuppetSpec, Scene, Script, TileKey, World};
use trample_files::Source;

/// Maximum number of queued events; then the oldest are dropped. Our choice: minutes of a crowd.
const MOST_EVENTS: usize = 1 << 16;
/// Longest step, s, as [`World::step`] allows it.
const LONGEST: f64 = 0.25;

/// A world, the puppets that its host moves, and queues of events and changed tiles.
pub struct Session {
    world: World,
    hosts: Vec<Host>,
    events: VecDeque<Event>,
    changed: BTreeSet<TileKey>,
}

impl Session {
    /// Creates the world of a scene in TOML. Relative file names refer to `folder`.
    ///
    /// # Errors
    /// If the scene is invalid: the line, the field and the allowed values.
    pub fn from_toml(text: &str, folder: &Path) -> Result<Self, String> {
        let source =
            Source { name: "scene".into(), text: text.into(), settings: Vec::new(), folder: folder.into() };
        Self::of(&source)
    }

    /// Creates the world of a library scene.
    ///
    /// # Errors
    /// If there is no scene of that name; the message lists the names.
    pub fn from_library(name: &str) -> Result<Self, String> {
        let Some(scene) = library::by_name(name) else {
            let known: Vec<&str> = library::ENTRIES.iter().map(|e| e.name).collect();
            return Err(format!("`{name}`: no such library scene, allowed: {}", known.join(", ")));
        };
        Self::live(&scene)?;
        Self::of(&Source::find(name).map_err(|e| e.to_string())?)
    }

    /// Refuses what has nobody to step.
    fn live(scene: &Scene) -> Result<(), String> {
        match scene.season.is_some() && scene.puppets.is_empty() {
            true => Err(format!("`{0}` is a season: `trample season {0}` runs it", scene.name)),
            false => Ok(()),
        }
    }

    fn of(source: &Source) -> Result<Self, String> {
        let scene = source.scene().map_err(|e| e.to_string())?;
        Self::live(&scene)?;
        let mut world = World::new(&scene).map_err(|e| e.to_string())?;
        let hosted = |(_, spec): &(usize, &PuppetSpec)| matches!(spec.script, Script::Host { .. });
        let hosts = scene.puppets.iter().enumerate().filter(hosted);
        let hosts = hosts
            .map(|(id, _)| Host::adopt(&mut world, id, Control::Either))
            .collect::<Result<_, _>>()
            .map_err(|e| e.to_string())?;
        Ok(Self { world, hosts, events: VecDeque::new(), changed: BTreeSet::new() })
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Advances by `dt` s; by the scene's own time step if that is 0.
    ///
    /// # Errors
    /// If `dt` is below 0, above 0.25 s or NaN. Nothing is changed then.
    pub fn step(&mut self, dt: f64) -> Result<(), String> {
        let dt = if dt == 0.0 { self.world.scene().dt() } else { dt };
        if !(dt > 0.0 && dt <= LONGEST) {
            return Err(format!(
                "dt is {dt} s, allowed: above 0 to {LONGEST}, or 0 for the scene's own step"
            ));
        }
        self.hosts.iter_mut().for_each(|host| host.ask(&mut self.world));
        self.events.extend(&self.world.step(dt).events);
        let old = self.events.len().saturating_sub(MOST_EVENTS);
        self.events.drain(..old);
        self.note();
        Ok(())
    }

    /// Whether the scene is over: its duration has passed or, if it has none, all walkers have arrived.
    pub fn is_over(&self) -> bool {
        let scene = self.world.scene();
        self.world.steps() >= scene.steps() || (scene.duration.is_none() && self.world.is_over())
    }

    /// Lets loose material slide to rest without advancing time, as if all feet were lifted, as `trample run` does at its end.
    pub fn settle(&mut self) {
        self.world.settle();
        self.note();
    }

    fn note(&mut self) {
        let changed = &mut self.changed;
        self.world.take_dirty(|key| {
            changed.insert(key);
        });
    }

    /// Number of changed tiles in the queue.
    pub fn changed(&self) -> usize {
        self.changed.len()
    }

    /// Takes one of these, by rows and columns; `None` if there are no more.
    pub fn take_changed(&mut self) -> Option<TileKey> {
        self.changed.pop_first()
    }

    /// Number of events in the queue.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// Takes the oldest of these; `None` if there are no more.
    pub fn take_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Restores a state of the same scene. Queued events are cleared, and every tile touched in either state counts as changed.
    ///
    /// # Errors
    /// If the bytes are not a state of this scene. The world is then unchanged.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), String> {
        let before: Vec<TileKey> = self.world.ground().tiles.iter().map(|tile| tile.key).collect();
        self.world.restore(snapshot).map_err(|e| e.to_string())?;
        self.events.clear();
        self.hosts.iter_mut().for_each(Host::forget);
        self.note();
        self.changed.extend(before.into_iter().chain(self.world.ground().tiles.iter().map(|tile| tile.key)));
        Ok(())
    }

    /// A map over a rectangle of cells, row by row from the smallest z.
    ///
    /// # Errors
    /// If there is no such map, or a cell is outside the terrain.
    pub fn map(&self, name: &str, rect: CellRect) -> Result<Vec<f32>, String> {
        let map = Map::by_name(name)
            .ok_or_else(|| format!("map `{name}`: no such map, allowed: {}", Map::names()))?;
        let [columns, rows] = self.world.ground().size;
        let fits = |first: i32, n: usize, all: i32| {
            first >= 0 && n > 0 && i64::try_from(n).is_ok_and(|n| n <= i64::from(all) - i64::from(first))
        };
        if !fits(rect.x, rect.width, columns) || !fits(rect.z, rect.height, rows) {
            let CellRect { x, z, width, height } = rect;
            return Err(format!(
                "{width} × {height} cells from ({x}, {z}): the terrain has {columns} × {rows} cells"
            ));
        }
        Ok(self.world.map(map).window(rect))
    }

    /// Puppets that the host moves: those of the scene, in its order, then the added ones.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Adds a puppet; returns its index in [`Self::hosts`].
    ///
    /// # Errors
    /// See [`Host::join`].
    pub fn join(&mut self, spec: PuppetSpec, control: Control) -> Result<usize, HostError> {
        self.hosts.push(Host::join(&mut self.world, spec, control)?);
        Ok(self.hosts.len() - 1)
    }

    fn host(&mut self, host: usize) -> Result<(&mut Host, &mut World), HostError> {
        let n = self.hosts.len();
        let none = || HostError::Told(format!("puppet {host} of {n} that the host moves"));
        Ok((self.hosts.get_mut(host).ok_or_else(none)?, &mut self.world))
    }

    /// Sets the control of a puppet of the scene, before its first step.
    ///
    /// # Errors
    /// See [`Host::adopt`]; and if it has stepped or got forces.
    pub fn set_control(&mut self, host: usize, control: Control) -> Result<(), HostError> {
        let (host, world) = self.host(host)?;
        host.set_control(world, control)
    }

    /// Sets the pose of a foot at the end of the next step.
    ///
    /// # Errors
    /// See [`Host::tell`].
    pub fn tell(&mut self, host: usize, foot: usize, told: &Told) -> Result<(), HostError> {
        let (host, world) = self.host(host)?;
        host.tell(world, foot, told)
    }

    /// Sets the centre of mass of a puppet, m.
    ///
    /// # Errors
    /// See [`Host::tell_centre`].
    pub fn tell_centre(&mut self, host: usize, centre: [f32; 3]) -> Result<(), HostError> {
        let (host, world) = self.host(host)?;
        host.tell_centre(world, centre)
    }

    /// The puppet and foot of a contact or an event, with the host's indices for its own puppets, otherwise the scene's.
    pub fn whose(&self, puppet: usize, foot: usize) -> Whose {
        let own = |(host, of): (usize, &Host)| of.own(puppet, foot).map(|foot| (host, foot));
        match self.hosts.iter().enumerate().find_map(own) {
            Some((host, foot)) => Whose { puppet, host: Some(host), foot },
            None => Whose { puppet, host: None, foot },
        }
    }
}

/// The puppet and index of a foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whose {
    /// Index of the puppet in the scene.
    pub puppet: usize,
    /// Its index among the puppets that the host moves, if it is one.
    pub host: Option<usize>,
    /// Index of the foot.
    pub foot: usize,
}
