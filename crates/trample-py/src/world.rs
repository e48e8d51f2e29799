//! A world for Python: built from a scene, stepped without the interpreter's lock, looked at as arrays.

use crate::host::{self, Control, Host, SoleLike, Told};
use crate::records::{self, Table};
use crate::{SnapshotError, scene_error};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray2};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::ThreadPool;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use trample::glam::Vec3;
use trample::{CellRect, Event, Map, Script, TILE, TileKey, World};
use trample_files::{Built, geodesy, raster};

/// First column and row, columns and rows.
type Rect = (i32, i32, usize, usize);

/// The native part of `trample.World`.
#[pyclass(subclass, name = "World", module = "trample._trample")]
pub(crate) struct PyWorld {
    world: World,
    /// Where the stages' loops run, if they are shared out.
    pool: Option<ThreadPool>,
    events: Vec<Event>,
    hosts: Vec<Host>,
    /// Where the surface has changed, where soles have left something without moving it, and where plants have changed.
    changed: Log,
    trodden: Log,
    grown: Log,
    /// Length and width of each puppet's soles, m.
    soles: Vec<[f64; 2]>,
    looks: u64,
    /// The look from which on these are complete.
    complete: u64,
    doubts: Vec<String>,
}

/// Cells from a first column and row to a last, upper ends excluded.
type Part = [i32; 4];

/// In which look each part of the ground was last found changed; looks are numbered.
#[derive(Default)]
struct Log {
    when: BTreeMap<Part, u64>,
    parts: BTreeSet<(u64, Part)>,
}

impl Log {
    fn note(&mut self, part: Part, look: u64) {
        let before = self.when.insert(part, look);
        if before != Some(look) {
            before.map(|before| self.parts.remove(&(before, part)));
            self.parts.insert((look, part));
        }
    }

    /// What has changed after a look.
    fn since(&self, look: u64) -> impl Iterator<Item = &Part> {
        self.parts.range((look + 1, [i32::MIN; 4])..).map(|(_, part)| part)
    }

    fn has(&self, part: &Part, since: u64) -> bool {
        self.when.get(part).is_some_and(|when| *when > since)
    }
}

/// The cells of a tile.
fn tile_part(TileKey { x, z }: TileKey) -> Part {
    let t = TILE as i32;
    [x * t, z * t, (x + 1) * t, (z + 1) * t]
}

fn map_of(name: &str) -> PyResult<Map> {
    let unknown = || PyValueError::new_err(format!("{name}: no such map, allowed: {}", Map::names()));
    Map::by_name(name).ok_or_else(unknown)
}

impl PyWorld {
    fn host(&mut self, puppet: usize) -> PyResult<(&mut Host, &mut World)> {
        let n = self.hosts.len();
        let none = || PyIndexError::new_err(format!("puppet {puppet} of {n} that Python moves"));
        Ok((self.hosts.get_mut(puppet).ok_or_else(none)?, &mut self.world))
    }

    /// Learns how large soles are, of puppets that have joined.
    fn measure_soles(&mut self) {
        for spec in &self.world.scene().puppets[self.soles.len().min(self.world.puppets())..] {
            let sole = spec.sole.on(&spec.body);
            self.soles.push([sole.length, sole.width]);
        }
    }

    /// Notes which tiles have changed since the last look; returns the number of this one.
    fn look(&mut self) -> u64 {
        self.looks += 1;
        let Self { world, changed, grown, looks, .. } = self;
        world.take_dirty(|key| changed.note(tile_part(key), *looks));
        world.take_dirty_plants(|rect| {
            let end = |first: i32, n: usize| first + n as i32;
            grown.note([rect.x, rect.z, end(rect.x, rect.width), end(rect.z, rect.height)], *looks);
        });
        self.looks
    }
}

/// Where a map can have changed: with the surface, with soles, with plants, and how many cells around that. Of a map that is not here
/// nothing is known.
fn changes(map: Map) -> Option<([bool; 3], i32)> {
    Some(match map {
        Map::Height | Map::Compression | Map::Accumulation | Map::Delta => ([true, false, false], 0),
        // Packed by prints and by passes.
        Map::Density | Map::Wetness => ([true, true, false], 0),
        Map::PressureTime | Map::Passes | Map::Resistance => ([false, true, false], 0),
        Map::Vegetation | Map::Modulus => ([false, false, true], 0),
        Map::Mask => ([true; 3], 0),
        // It looks at the cells beside its own.
        Map::Normal => ([true, false, false], 1),
        Map::Material => ([false; 3], 0),
        _ => return None,
    })
}

/// Shows the tiles that soles may have pressed in the last step, which lasted `dt`. Soles have these lengths and widths, m.
fn tread(world: &World, soles: &[[f64; 2]], dt: f64, mut each: impl FnMut(TileKey)) {
    let ground = world.ground();
    // A longer step of a walker has parts, in which its foot rolls on.
    let around = 2.0 * ground.cell + if dt > PART { ROLLS } else { 0.0 };
    for contact in &world.report().contacts {
        let sole = &world.puppet(contact.puppet).pose.soles[contact.foot];
        let [length, width] = soles[contact.puppet];
        let (ahead, aside) = (sole.rotation * Vec3::X, sole.rotation * Vec3::Z);
        let half = |ahead: f32, aside: f32| {
            0.5 * (length * f64::from(ahead.abs()) + width * f64::from(aside.abs())) + around
        };
        let tile = |p: f32, off: f64| ((f64::from(p) + off) / (ground.cell * TILE as f64)).floor() as i32;
        let (far_x, far_z) = (half(ahead.x, aside.x), half(ahead.z, aside.z));
        for z in tile(sole.position.z, -far_z)..=tile(sole.position.z, far_z) {
            for x in tile(sole.position.x, -far_x)..=tile(sole.position.x, far_x) {
                each(TileKey { z, x });
            }
        }
    }
}

/// The core's longest part of a step, s, and how far the middle of a sole moves while it rolls over heel and toes, m.
const PART: f64 = 1.001 / 60.0;
const ROLLS: f64 = 0.12;

#[pymethods]
impl PyWorld {
    /// `text` is TOML if it is given; else `scene` is the name of a library scene or of a file.
    #[new]
    #[pyo3(signature = (scene, text, settings, threads))]
    fn new(
        py: Python<'_>,
        scene: &str,
        text: Option<String>,
        settings: Vec<String>,
        threads: usize,
    ) -> PyResult<Self> {
        if !(1..=256).contains(&threads) {
            return Err(PyValueError::new_err(format!("threads is {threads}, allowed: 1 to 256")));
        }
        let build = || {
            let Built { scene, doubts, .. } =
                crate::source(scene, text, settings)?.build().map_err(|e| e.to_string())?;
            if crate::is_season_alone(&scene) {
                return Err(format!("`{0}` is a season: `trample season {0}` runs it", scene.name));
            }
            let mut world = World::new(&scene).map_err(|e| e.to_string())?;
            // Puppets that the scene leaves to its host come first among Python's.
            let hosted =
                (0..scene.puppets.len()).filter(|&i| matches!(scene.puppets[i].script, Script::Host { .. }));
            let hosts =
                hosted.map(|i| Host::adopt(&mut world, i, Control::Either)).collect::<Result<Vec<_>, _>>();
            Ok((world, hosts.map_err(|e| e.to_string())?, doubts))
        };
        let (mut world, hosts, doubts) = py.detach(build).map_err(scene_error)?;
        let pool = if threads > 1 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            Some(pool.map_err(|e| PyValueError::new_err(e.to_string()))?)
        } else {
            None
        };
        world.set_threads(threads);
        Ok(Self {
            world,
            pool,
            events: Vec::new(),
            hosts,
            changed: Log::default(),
            trodden: Log::default(),
            grown: Log::default(),
            soles: Vec::new(),
            looks: 0,
            complete: 0,
            doubts,
        })
    }

    /// Makes up to `steps` steps of `dt` s, for about `wall` s of real time; with `to_end` no further than the scene goes. Returns how
    /// many were made and whether the scene is over.
    fn _advance(
        &mut self,
        py: Python<'_>,
        steps: u64,
        dt: f64,
        to_end: bool,
        wall: f64,
    ) -> PyResult<(u64, bool)> {
        if !(dt > 0.0 && dt <= 0.25) {
            let problem = format!("a step must last between 0 and 0.25 s, got {dt}");
            return Err(PyValueError::new_err(problem));
        }
        self.measure_soles();
        let Self { world, pool, events, hosts, trodden, soles, looks, .. } = self;
        let next = *looks + 1;
        let mut work = || {
            let begun = Instant::now();
            let total = world.scene().steps();
            // A scene that does not say how long it is ends when everybody has arrived.
            let over = |world: &World| {
                world.steps() >= total || (world.scene().duration.is_none() && world.is_over())
            };
            let mut made = 0;
            while made < steps && !(to_end && over(world)) {
                hosts.iter_mut().for_each(|host| host.ask(world));
                events.extend_from_slice(&world.step(dt).events);
                tread(world, soles, dt, |key| trodden.note(tile_part(key), next));
                made += 1;
                if begun.elapsed().as_secs_f64() > wall {
                    break;
                }
            }
            (made, over(world))
        };
        Ok(py.detach(|| match pool {
            Some(pool) => pool.install(work),
            None => work(),
        }))
    }

    /// Lets everything loose come to rest, without time passing and as if every foot had left.
    fn settle(&mut self, py: Python<'_>) {
        let world = &mut self.world;
        py.detach(|| world.settle());
    }

    /// 64 bits of the whole state, as 16 hexadecimal digits: the hash that `trample run --json` prints.
    fn hash(&self, py: Python<'_>) -> String {
        let world = &self.world;
        py.detach(|| format!("{:016x}", world.hash()))
    }

    /// The whole state as bytes.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let world = &self.world;
        PyBytes::new(py, &py.detach(|| world.snapshot()))
    }

    /// Brings a state of the same scene back; on an error the world is left as it was. Events begin anew.
    fn restore(&mut self, snapshot: &[u8]) -> PyResult<()> {
        self.world.restore(snapshot).map_err(|e| SnapshotError::new_err(e.to_string()))?;
        self.events.clear();
        self.hosts.iter_mut().for_each(Host::forget);
        // Any tile may differ now.
        self.look();
        (self.changed, self.trodden, self.grown) = Default::default();
        self.complete = self.looks + 1;
        Ok(())
    }

    /// The cells of a window (x0, z0, x1, z1) in m, or those that the command would write.
    fn _rect(&self, window: Option<[f64; 4]>) -> PyResult<Rect> {
        let Some([x0, z0, x1, z1]) = window else {
            let rect = raster::exported(&self.world);
            return Ok((rect.x, rect.z, rect.width, rect.height));
        };
        let ground = self.world.ground();
        // A bound that is a multiple of the cell's size but for rounding is that multiple.
        let first = |m: f64, n: i32| ((m / ground.cell + 1e-6).floor() as i32).clamp(0, n);
        let last = |m: f64, n: i32| ((m / ground.cell - 1e-6).ceil() as i32).clamp(0, n);
        let [columns, rows] = ground.size;
        let (x, z) = (first(x0, columns), first(z0, rows));
        let (width, height) = (last(x1, columns) - x, last(z1, rows) - z);
        if width <= 0 || height <= 0 || [x0, z0, x1, z1].iter().any(|m| m.is_nan()) {
            let [w, h] = ground.size.map(|n| f64::from(n) * ground.cell);
            let problem =
                format!("window ({x0}, {z0}, {x1}, {z1}) holds no cell of the terrain of {w} × {h} m");
            return Err(PyValueError::new_err(problem));
        }
        Ok((x, z, width as usize, height as usize))
    }

    /// A map over cells, and the look it belongs to.
    fn _map<'py>(
        &mut self,
        py: Python<'py>,
        name: &str,
        rect: Rect,
    ) -> PyResult<(Bound<'py, PyArray2<f32>>, u64)> {
        let ((x, z, width, height), map) = (rect, map_of(name)?);
        let look = self.look();
        let world = &self.world;
        let values = py.detach(|| world.map(map).window(CellRect { x, z, width, height }));
        Ok((values.into_pyarray(py).reshape([height, width])?, look))
    }

    /// Writes a map over cells into an array that was filled in look `since`, if ever: tiles that have changed since then where that
    /// is known. Returns the look, and how many cells were written.
    fn _update(
        &mut self,
        py: Python<'_>,
        name: &str,
        rect: Rect,
        mut out: PyReadwriteArray2<'_, f32>,
        since: Option<u64>,
    ) -> PyResult<(u64, usize)> {
        let ((x, z, width, height), map) = (rect, map_of(name)?);
        let look = self.look();
        let wrong =
            || PyValueError::new_err(format!("out must be C-contiguous, {height} rows of {width} cells"));
        let mut array = out.as_array_mut();
        if array.dim() != (height, width) {
            return Err(wrong());
        }
        let to = array.as_slice_mut().ok_or_else(wrong)?;
        let Self { world, changed, trodden, grown, complete, .. } = self;
        let whole = CellRect { x, z, width, height };
        let known = changes(map).zip(since.filter(|since| since >= complete));
        Ok(py.detach(|| {
            let view = world.map(map);
            let Some((([surface, soles, plants], around), since)) = known else {
                view.write(whole, to, width);
                return (look, to.len());
            };
            // A tile that is in both lists is written once.
            let trodden = trodden.since(since).filter(|part| soles && !(surface && changed.has(part, since)));
            let parts = changed.since(since).filter(|_| surface).chain(trodden);
            let mut written = 0;
            for &[x0, z0, x1, z1] in parts.chain(grown.since(since).filter(|_| plants)) {
                let (x0, z0) = ((x0 - around).max(x), (z0 - around).max(z));
                let (x1, z1) = ((x1 + around).min(x + width as i32), (z1 + around).min(z + height as i32));
                if x1 <= x0 || z1 <= z0 {
                    continue;
                }
                let part = CellRect { x: x0, z: z0, width: (x1 - x0) as usize, height: (z1 - z0) as usize };
                view.write(part, &mut to[(z0 - z) as usize * width + (x0 - x) as usize..], width);
                written += part.width * part.height;
            }
            (look, written)
        }))
    }

    /// Surface heights at places, m.
    fn _height<'py>(
        &self,
        py: Python<'py>,
        xs: PyReadonlyArray1<'_, f64>,
        zs: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (xs, zs) = (xs.as_slice()?, zs.as_slice()?);
        let world = &self.world;
        let heights: Vec<f64> = py.detach(|| xs.iter().zip(zs).map(|(&x, &z)| world.height(x, z)).collect());
        Ok(heights.into_pyarray(py))
    }

    fn _contacts(&self, py: Python<'_>) -> Table {
        records::contacts(py, &self.world.report().contacts, &self.hosts)
    }

    fn _events(&mut self, py: Python<'_>, clear: bool) -> Table {
        let table = records::events(py, &self.events, &self.hosts);
        if clear {
            self.events.clear();
        }
        table
    }

    fn _plants(&self, py: Python<'_>, min: [f64; 2], max: [f64; 2]) -> Table {
        records::plants(py, &self.world, min, max)
    }

    fn _feet(&self, py: Python<'_>) -> Table {
        let all = self.hosts.iter().enumerate().flat_map(|(id, host)| (0..host.feet()).map(move |i| (id, i)));
        records::feet(py, &self.world, &self.hosts, all)
    }

    /// One of these.
    fn _foot(&self, py: Python<'_>, puppet: usize, foot: usize) -> Table {
        records::feet(py, &self.world, &self.hosts, std::iter::once((puppet, foot)))
    }

    #[pyo3(signature = (feet, mass, sole, size, hold, control))]
    fn _add_puppet(
        &mut self,
        feet: usize,
        mass: f64,
        sole: SoleLike,
        size: (Option<f64>, Option<f64>),
        hold: &str,
        control: Option<&str>,
    ) -> PyResult<usize> {
        let spec = host::spec(feet, mass, &sole, size, hold)?;
        let control = Control::by_name(control).map_err(host::error)?;
        self.hosts.push(Host::join(&mut self.world, spec, control).map_err(host::error)?);
        Ok(self.hosts.len() - 1)
    }

    #[allow(clippy::too_many_arguments, reason = "a row of named values in Python")]
    fn _set_foot(
        &mut self,
        puppet: usize,
        foot: usize,
        position: [f32; 3],
        quaternion: [f32; 4],
        velocity: [f32; 3],
        spin: [f32; 3],
        toe_bend: f32,
        force: Option<[f32; 3]>,
    ) -> PyResult<()> {
        let told = Told { position, quaternion, velocity, spin, toe_bend, force };
        let (host, world) = self.host(puppet)?;
        host.tell(world, foot, &told).map_err(host::error)
    }

    /// Says how the feet of a puppet that the scene has with `motion = "host"` are moved, before its first step: "weight", "force",
    /// "position", or None for weights until the first force is said.
    #[pyo3(signature = (control, puppet = 0))]
    fn set_control(&mut self, control: Option<&str>, puppet: usize) -> PyResult<()> {
        let control = Control::by_name(control).map_err(host::error)?;
        let (host, world) = self.host(puppet)?;
        host.set_control(world, control).map_err(host::error)
    }

    /// Says where the centre of mass of a puppet of Python's is, m: its weight is shared between its feet by that.
    #[pyo3(signature = (position, puppet = 0))]
    fn set_center_of_mass(&mut self, position: [f32; 3], puppet: usize) -> PyResult<()> {
        let (host, world) = self.host(puppet)?;
        host.tell_centre(world, position).map_err(host::error)
    }

    /// Time since the start, s.
    #[getter]
    fn time(&self) -> f64 {
        self.world.time()
    }

    /// Steps since the start.
    #[getter]
    fn steps(&self) -> u64 {
        self.world.steps()
    }

    /// Length of the scene's own steps, s.
    #[getter]
    fn dt(&self) -> f64 {
        self.world.scene().dt()
    }

    /// How long the scene runs, s; an upper bound where it ends when everybody has arrived.
    #[getter]
    fn seconds(&self) -> f64 {
        self.world.scene().seconds()
    }

    /// How many steps that is.
    #[getter]
    fn total_steps(&self) -> u64 {
        self.world.scene().steps()
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.world.scene().name
    }

    /// What the scene shows.
    #[getter]
    fn about(&self) -> &str {
        &self.world.scene().about
    }

    /// Side of a cell, m.
    #[getter]
    fn cell(&self) -> f64 {
        self.world.ground().cell
    }

    /// Extent of the terrain along x and z, m.
    #[getter]
    fn size(&self) -> (f64, f64) {
        let [x, z] = self.world.ground().size.map(|n| f64::from(n) * self.world.ground().cell);
        (x, z)
    }

    /// Names of the ground's materials; the map `material` has their indices.
    #[getter]
    fn materials(&self) -> Vec<&str> {
        self.world.scene().terrain.materials.iter().map(|m| m.name.as_str()).collect()
    }

    /// EPSG code of the terrain's reference system, and easting and northing of its corner; none if it lies nowhere.
    #[getter]
    fn place(&self) -> Option<(u32, [f64; 2])> {
        self.world.scene().terrain.place.map(|place| (place.epsg, place.corner))
    }

    /// Metres in the unit of that system; 1 if it lies nowhere.
    fn _map_unit(&self) -> f64 {
        self.world.scene().terrain.place.map_or(1.0, |place| geodesy::metres_per_unit(place.epsg))
    }

    /// Characters and motions that are likely not what they were taken for.
    #[getter]
    fn doubts(&self) -> Vec<String> {
        self.doubts.clone()
    }

    /// The volume ledger, m³: carved, displaced, accumulated, compacted, and its relative error.
    fn volume(&self) -> BTreeMap<&'static str, f64> {
        let v = self.world.volume();
        BTreeMap::from([
            ("carved", v.carved),
            ("displaced", v.displaced),
            ("accumulated", v.accumulated),
            ("compacted", v.compacted),
            ("relative_error", v.relative_error),
        ])
    }

    /// The deepest print, m.
    fn deepest_print(&self) -> f64 {
        self.world.deepest_print()
    }

    /// The highest bump, m.
    fn highest_bump(&self) -> f64 {
        self.world.highest_bump()
    }

    /// Share of the plants' joints that are whole: the relative cover; 1 where nothing grows.
    fn cover(&self, py: Python<'_>) -> f64 {
        let world = &self.world;
        let (x, z) = self.size();
        py.detach(|| world.plant_tally([0.0; 2], [x, z]).cover())
    }
}
