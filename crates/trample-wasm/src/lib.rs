//! trample for JavaScript and TypeScript: the source of the npm package `trample-wasm`, built by `cargo xtask npm`.
//!
//! The class `World` is created from a scene in TOML or from the library, takes the poses of feet, is stepped, and reports what changed.
//! Invalid input throws an `Error` with the message of the command `trample`. Lengths are in metres, y up, right-handed as in three.js;
//! times in seconds, forces in newtons.

mod values;

use js_sys::{Array, Float32Array, Int32Array, Object};
use std::path::Path;
use trample_host::trample::scene::library;
use trample_host::trample::{CellRect, Map, PuppetSpec, TILE};
use trample_host::{Control, Session, Told, footwear, hold, spec};
use values::{Fields, record};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// Folder of the files that a scene refers to: those stored by `putFile`.
const FOLDER: &str = "memory:";

#[allow(clippy::needless_pass_by_value, reason = "errors are handed over as they come")]
fn error(problem: impl ToString) -> JsError {
    JsError::new(&problem.to_string())
}

/// A simulated world: terrain, plants, walkers and puppets.
#[wasm_bindgen]
pub struct World {
    session: Session,
}

#[wasm_bindgen]
impl World {
    /// Creates the world of a scene in TOML. Throws an error with the line, the field and the allowed values if it is invalid.
    #[wasm_bindgen(js_name = fromToml)]
    pub fn from_toml(toml: &str) -> Result<World, JsError> {
        Ok(Self { session: Session::from_toml(toml, Path::new(FOLDER)).map_err(error)? })
    }

    /// Creates the world of a library scene.
    #[wasm_bindgen(js_name = fromLibrary)]
    pub fn from_library(name: &str) -> Result<World, JsError> {
        Ok(Self { session: Session::from_library(name).map_err(error)? })
    }

    /// Advances by `dt` seconds, at most 0.25; by default by the scene's own time step.
    pub fn step(&mut self, dt: Option<f64>) -> Result<(), JsError> {
        self.session.step(dt.unwrap_or(0.0)).map_err(error)
    }

    /// Lets loose material slide to rest without advancing time, as if all feet were lifted, as `trample run` does at its end.
    pub fn settle(&mut self) {
        self.session.settle();
    }

    /// Whether the scene is over: its duration has passed or, if it has none, all walkers have arrived. It can be stepped further.
    #[wasm_bindgen(getter, js_name = isOver)]
    pub fn is_over(&self) -> bool {
        self.session.is_over()
    }

    /// Time since the start, s.
    #[wasm_bindgen(getter)]
    pub fn time(&self) -> f64 {
        self.session.world().time()
    }

    /// The scene's own time step, s.
    #[wasm_bindgen(getter, js_name = stepLength)]
    pub fn step_length(&self) -> f64 {
        self.session.world().scene().dt()
    }

    /// Name of the scene.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.session.world().scene().name.clone()
    }

    /// Side of a cell, m.
    #[wasm_bindgen(getter)]
    pub fn cell(&self) -> f64 {
        self.session.world().ground().cell
    }

    /// Cells along x.
    #[wasm_bindgen(getter)]
    pub fn columns(&self) -> i32 {
        self.session.world().ground().size[0]
    }

    /// Cells along z.
    #[wasm_bindgen(getter)]
    pub fn rows(&self) -> i32 {
        self.session.world().ground().size[1]
    }

    /// 64-bit hash of the whole state as 16 hexadecimal digits, the same on every machine after the same steps.
    pub fn hash(&self) -> String {
        format!("{:016x}", self.session.world().hash())
    }

    /// The whole state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        self.session.world().snapshot()
    }

    /// Restores a state of the same scene. Queued events are cleared, and every tile touched in either state counts as changed.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), JsError> {
        self.session.restore(snapshot).map_err(error)
    }

    /// Height of the surface at a point, m, interpolated between cells; beyond the terrain that of its edge.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        self.session.world().height(x, z)
    }

    /// A map over a rectangle of cells, row by row from the smallest z.
    pub fn map(
        &self,
        #[wasm_bindgen(unchecked_param_type = "MapName")] name: &str,
        x: i32,
        z: i32,
        columns: u32,
        rows: u32,
    ) -> Result<Float32Array, JsError> {
        let rect = CellRect { x, z, width: columns as usize, height: rows as usize };
        Ok(Float32Array::from(self.session.map(name, rect).map_err(error)?.as_slice()))
    }

    /// Takes the tiles whose surface has changed since the last call: four numbers each, first column and row, columns and rows.
    #[wasm_bindgen(js_name = takeChangedTiles)]
    pub fn take_changed_tiles(&mut self) -> Int32Array {
        let (side, [columns, rows]) = (TILE as i32, self.session.world().ground().size);
        let mut all = Vec::with_capacity(4 * self.session.changed());
        while let Some(key) = self.session.take_changed() {
            let (x, z) = (key.x * side, key.z * side);
            all.extend([x, z, (columns - x).clamp(0, side), (rows - z).clamp(0, side)]);
        }
        Int32Array::from(all.as_slice())
    }

    /// Takes the events since the last call, oldest first. At most 65,536 events are kept; then the oldest are dropped.
    #[wasm_bindgen(js_name = takeEvents, unchecked_return_type = "TrampleEvent[]")]
    pub fn take_events(&mut self) -> Array {
        let all = Array::new();
        while let Some(event) = self.session.take_event() {
            if let Some(row) = values::event(&self.session, &event) {
                all.push(&row);
            }
        }
        all
    }

    /// The feet that were on the ground during the last step.
    #[wasm_bindgen(unchecked_return_type = "Contact[]")]
    pub fn contacts(&self) -> Array {
        let contacts = &self.session.world().report().contacts;
        contacts.iter().map(|contact| values::contact(&self.session, contact)).collect()
    }

    /// Number of puppets that you move: those of the scene with `motion = "host"`, in its order, then the added ones.
    #[wasm_bindgen(getter)]
    pub fn hosts(&self) -> u32 {
        self.session.hosts().len() as u32
    }

    /// Adds a puppet that you move; returns its index among them.
    #[wasm_bindgen(js_name = addPuppet)]
    pub fn add_puppet(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "PuppetOptions")] options: Option<Object>,
    ) -> Result<u32, JsError> {
        let fields =
            Fields::new(options, &["feet", "control", "mass", "footwear", "length", "width", "pinned"])?;
        let sole = match fields.text("footwear")? {
            Some(name) => footwear(&name).map_err(error)?,
            None => PuppetSpec::default().sole,
        };
        let held = hold(if fields.truth("pinned") { "pinned" } else { "free" }).map_err(error)?;
        let size = [fields.number("length")?, fields.number("width")?];
        let feet = fields.number("feet")?.unwrap_or(2.0);
        let spec = spec("host", feet as usize, fields.number("mass")?, sole, size, held);
        let control = Control::by_name(fields.text("control")?.as_deref()).map_err(error)?;
        Ok(self.session.join(spec, control).map_err(error)? as u32)
    }

    /// Sets the control of a puppet of the scene before its first step.
    #[wasm_bindgen(js_name = setControl)]
    pub fn set_control(
        &mut self,
        host: u32,
        #[wasm_bindgen(unchecked_param_type = "Control")] control: &str,
    ) -> Result<(), JsError> {
        let control = Control::by_name(Some(control)).map_err(error)?;
        self.session.set_control(host as usize, control).map_err(error)
    }

    /// Sets the position of a foot at the end of the next step: the middle of its sole, m. For a pinned puppet y is the clearance above the ground.
    #[wasm_bindgen(js_name = setFoot)]
    pub fn set_foot(
        &mut self,
        host: u32,
        foot: u32,
        #[wasm_bindgen(unchecked_param_type = "ArrayLike<number>")] position: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "FootOptions")] options: Option<Object>,
    ) -> Result<(), JsError> {
        let fields = Fields::new(options, &["rotation", "velocity", "spin", "toeBend", "force"])?;
        let usual = Told::default();
        let told = Told {
            position: position.try_into().map_err(|_| error("position: three numbers are needed"))?,
            quaternion: fields.numbers("rotation")?.unwrap_or(usual.quaternion),
            velocity: fields.numbers("velocity")?.unwrap_or(usual.velocity),
            spin: fields.numbers("spin")?.unwrap_or(usual.spin),
            toe_bend: fields.number("toeBend")?.map_or(usual.toe_bend, |x| x as f32),
            force: fields.numbers("force")?,
        };
        self.session.tell(host as usize, foot as usize, &told).map_err(error)
    }

    /// Sets the centre of mass of a puppet that you move, m: it determines the weight share of its feet.
    #[wasm_bindgen(js_name = setCentre)]
    pub fn set_centre(
        &mut self,
        host: u32,
        #[wasm_bindgen(unchecked_param_type = "ArrayLike<number>")] position: &[f32],
    ) -> Result<(), JsError> {
        let centre = position.try_into().map_err(|_| error("position: three numbers are needed"))?;
        self.session.tell_centre(host as usize, centre).map_err(error)
    }

    /// State of a foot that you move after the last step; undefined if there is no such foot.
    #[wasm_bindgen(unchecked_return_type = "FootState | undefined")]
    pub fn foot(&self, host: u32, foot: u32) -> JsValue {
        let host = self.session.hosts().get(host as usize);
        let found = host.and_then(|of| of.foot(self.session.world(), foot as usize));
        found.map_or(JsValue::UNDEFINED, |f| {
            record(&[
                ("down", f.down.into()),
                ("force", values::three(f.force)),
                ("normalForce", f.normal_force.into()),
                ("sinkage", f.sinkage.into()),
                ("slip", values::three(f.slip)),
                ("height", f.height.into()),
                ("area", f.area.into()),
                ("pressure", f.pressure.into()),
                ("suction", f.suction.into()),
            ])
        })
    }
}

/// Stores a file that scenes refer to: a height map, a character, a track.
#[wasm_bindgen(js_name = putFile)]
pub fn put_file(name: &str, bytes: Vec<u8>) -> Result<(), JsError> {
    trample_host::memory::put(&Path::new(FOLDER).join(name), bytes).map_err(error)
}

/// The scenes of the library with a description of each.
#[wasm_bindgen(js_name = libraryScenes, unchecked_return_type = "{ name: string; about: string }[]")]
pub fn library_scenes() -> Array {
    let row = |e: &library::Entry| record(&[("name", e.name.into()), ("about", e.about.into())]);
    library::ENTRIES.iter().map(row).collect()
}

/// The maps that `World.map` reads, with the unit of their values.
#[wasm_bindgen(js_name = mapNames, unchecked_return_type = "{ name: MapName; unit: string }[]")]
pub fn map_names() -> Array {
    Map::ALL.iter().map(|m| record(&[("name", m.name().into()), ("unit", m.unit().into())])).collect()
}

/// The version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}
