//! A scene: a plain description of a terrain and of what walks, drops or presses on it. No simulation here.

mod animal;
mod base;
pub(crate) mod check;
pub mod library;
mod paint;
mod path;
mod plant_patch;
mod ready;
mod script;
mod season;
pub(crate) mod walker;

pub use animal::{Animal, Moment, Stride};
pub use base::{Base, Raster, RasterError};
pub use check::{MOST_CELLS, MOST_MATERIALS, MOST_PATCHES, MOST_PUPPETS, SceneError};
pub(crate) use paint::material_at;
pub use paint::{Paint, PaintShape};
pub use path::Path;
pub use plant_patch::{DensityMap, Placement, PlantKind, PlantPatch};
pub use ready::{Gait as AnimalGait, Ready};
pub use script::{Fall, Press, Script, Walk};
pub use season::{
    Area, Calendar, Choice, Closure, Date, Gate, Nature, Obstacle, Season, TrailRoute, Trip, Visitors,
};
pub use walker::{Control, ForceModel, Motion, Route, Steer, WalkerSpec};

use crate::params::field::{Field, Range, field};
use crate::params::{Body, Footwear, Law, Material, Sole};

/// Description of a run: terrain, plants, puppets and walkers, duration.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scene {
    /// Short name, as the command knows it.
    pub name: String,
    /// Description in one sentence.
    pub about: String,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Steps per second. Results do not depend on it beyond rounding of the motion.
    pub rate: f64,
    /// Duration, s; until every script has ended if not given.
    pub duration: Option<f64>,
    /// The ground.
    pub terrain: Terrain,
    /// Puppets and walkers.
    pub puppets: Vec<PuppetSpec>,
    /// Plants.
    pub plants: Vec<PlantPatch>,
    /// Acceleration by wind of plant particles that are awake, x, y and z, m/s².
    pub wind: [f64; 3],
    /// Whether walkers avoid each other.
    pub avoid: bool,
    /// Visitors over days and years, for `trample-season`; not used by the steps of a world.
    pub season: Option<Box<Season>>,
}

/// How the height of a sole is determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Hold {
    /// Its height is solved so that it rests on the surface it compresses, like the papers' IK.
    #[default]
    Pinned,
    /// Its height is given, as by a host engine; it touches where it reaches the ground.
    Free,
}

/// A material with a name.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NamedMaterial {
    /// Name, used by paints and legends.
    pub name: String,
    /// Its parameters.
    pub material: Material,
}

/// The ground of a scene.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Terrain {
    /// Ground law.
    pub law: Law,
    /// Side of a cell, m.
    pub cell: f64,
    /// Extent in x and z, m.
    pub size: [f64; 2],
    /// Original height.
    pub base: Base,
    /// Materials; the first covers everything that is not painted.
    pub materials: Vec<NamedMaterial>,
    /// Areas of the other materials.
    pub paints: Vec<Paint>,
    /// `r_contour`, m.
    pub contour: f64,
    /// Contact tolerance ε, m.
    pub tolerance: f64,
    /// `F_threshold` as a share of body weight.
    pub force_threshold: f64,
    /// Position of the terrain in a coordinate reference system, if known.
    pub place: Option<GeoPlace>,
}

/// A coordinate reference system and where the terrain's corner (x = 0, z = 0) lies in it; x runs east, z south.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeoPlace {
    /// EPSG code.
    pub epsg: u32,
    /// Easting and northing of the corner, in the system's units.
    pub corner: [f64; 2],
}

impl GeoPlace {
    /// Codes of coordinate reference systems.
    pub const EPSG: Range =
        Range { integer: true, ..Range::new("epsg", "(an EPSG code)", 1024.0, 32767.0, "reference system") };
}

/// The shape under a foot.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SoleShape {
    /// A built-in one, sized from the foot.
    Footwear(Footwear),
    /// A custom sole from an outline, a mesh or an image; a right foot.
    Custom(Sole),
}

impl SoleShape {
    /// The sole under the foot of that body.
    pub fn on(&self, body: &Body) -> Sole {
        match self {
            Self::Footwear(wear) => wear.sole(body.foot_length, body.foot_width),
            Self::Custom(sole) => sole.clone(),
        }
    }
}

/// A body and its motion.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PuppetSpec {
    /// Name in reports.
    pub name: String,
    /// Mass, height and feet; for a walker its limbs too.
    pub body: Body,
    /// The sole under the foot.
    pub sole: SoleShape,
    /// How the height of the soles is determined.
    pub hold: Hold,
    /// How it moves.
    pub script: Script,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: "scene".into(),
            about: String::new(),
            seed: 1,
            rate: 60.0,
            duration: None,
            terrain: Terrain::default(),
            puppets: Vec::new(),
            plants: Vec::new(),
            wind: [0.0; 3],
            avoid: true,
            season: None,
        }
    }
}

impl Default for Terrain {
    fn default() -> Self {
        Self {
            law: Law::default(),
            cell: 0.02,
            size: [6.0, 2.0],
            base: Base::Flat,
            materials: vec![NamedMaterial { name: "snow".into(), material: Material::SNOW }],
            paints: Vec::new(),
            contour: 0.04,
            tolerance: 0.005,
            force_threshold: 0.3,
            place: None,
        }
    }
}

impl Terrain {
    /// Materials whose base terrain is steeper than their rest angle in places: name, rest angle, rad, and the share of the terrain. Material
    /// pushed aside there is not stable by itself. Checks up to 250 × 250 positions.
    pub fn too_steep(&self) -> Vec<(&str, f64, f64)> {
        let places = self.size.map(|s| ((s / self.cell) as usize).clamp(2, 250));
        let mut counts = vec![0usize; self.materials.len()];
        for j in 0..places[1] {
            for i in 0..places[0] {
                let at = |k: usize, axis: usize| (k as f64 + 0.5) / places[axis] as f64 * self.size[axis];
                let (x, z) = (at(i, 0), at(j, 1));
                let m = usize::from(material_at(&self.paints, self.size, x, z));
                let up = f64::from(self.base.normal(x, z, 0.5 * self.cell).y);
                counts[m] +=
                    usize::from(libm::acos(up.min(1.0)) > self.materials[m].material.rest_angle + 1e-4);
            }
        }
        let steep = self.materials.iter().zip(counts).filter(|(_, n)| *n > 0);
        steep
            .map(|(m, n)| (&*m.name, m.material.rest_angle, n as f64 / (places[0] * places[1]) as f64))
            .collect()
    }

    /// Its numbers; those of its original height are [`Base::FIELDS`], those of its materials [`Material::FIELDS`].
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("cell", "m", 0.0025, 0.1, "side of a cell"), cell),
        field!(Range::new("contour", "m", 0.005, 0.2, "width of the border that takes displaced material; at least half a cell").of("TR §4.2"), contour),
        field!(Range::new("tolerance", "m", 0.0, 0.02, "gap at which a sole touches"), tolerance),
        field!(Range::new("force_threshold", "body weights", 0.01, 10.0, "tangential force above which the rim is one-sided").of("TR-12"), force_threshold),
    ];

    /// Each side of its extent.
    pub const SIDE: Range = Range::new("size", "m", 0.1, 50_000.0, "extent in x and z");
}

impl Base {
    /// The numbers of all kinds of original height; a base has those of its own kind.
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("angle_deg", "°", -45.0, 45.0, "steepness of a slope"), Base::Slope.angle),
        field!(
            Range::new("direction_deg", "°", -360_000.0, 360_000.0, "uphill direction, from +x towards +z"),
            Base::Slope.direction
        ),
        field!(
            Range::new("amplitude", "m", 0.0, 100.0, "height of the largest hills"),
            Base::Hills.amplitude
        ),
        field!(
            Range::new("wavelength", "m", 0.5, 10_000.0, "distance between hills"),
            Base::Hills.wavelength
        ),
        field!(Range::new("height", "m", 0.1, 200.0, "height of a dune's crest"), Base::Dune.height),
        field!(Range::new("crest", "m", -1e6, 1e6, "position of the crest along x"), Base::Dune.crest),
        field!(Range::new("windward_deg", "°", 1.0, 45.0, "steepness before the crest"), Base::Dune.windward),
        field!(Range::new("lee_deg", "°", 1.0, 45.0, "steepness behind the crest"), Base::Dune.lee),
    ];
}

impl PuppetSpec {
    /// A walking body with shoes.
    pub fn walking(name: impl Into<String>, body: Body, walker: WalkerSpec) -> Self {
        Self { name: name.into(), body, script: Script::Walker(Box::new(walker)), ..Self::default() }
    }

    /// What its body may measure: [`Body::FIELDS`] of one that walks by itself, else [`Body::ANYTHING`].
    pub fn measures(&self) -> &'static [Field<Body>] {
        if matches!(self.script, Script::Walker(_)) { Body::FIELDS } else { Body::ANYTHING }
    }
}

impl Default for PuppetSpec {
    /// The papers' walker: 77.5 kg, 1.8 m (DF §6), shod; foot 27.4 × 10.3 cm (ANSUR II at that
    /// stature: length the mean of both sexes, breadth the men's).
    fn default() -> Self {
        Self {
            name: "walker".into(),
            body: Body { foot_length: 0.274, foot_width: 0.103, ..Body::default() },
            sole: SoleShape::Footwear(Footwear::Shoe),
            hold: Hold::Pinned,
            script: Script::Walk(Walk::default()),
        }
    }
}

impl Scene {
    /// Each part of the wind.
    pub const WIND: Range = Range::new("wind", "m/s²", -50.0, 50.0, "push of the wind on plants that move");

    /// Its parameters.
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("rate", "Hz", 4.0, 2000.0, "steps per second"), rate),
        field!(
            Range::new("duration", "s", 0.001, 1e11, "duration; by default until all have finished, plus 0.5 s"),
            maybe duration
        ),
        field!(Range::new("avoid", "", 0.0, 1.0, "whether walkers avoid each other").of("Moussaïd 2011"), switch avoid),
    ];

    /// Duration of the scene, s.
    pub fn seconds(&self) -> f64 {
        self.duration.unwrap_or_else(|| {
            self.puppets.iter().map(|p| p.script.seconds(p.body.height)).fold(0.0, f64::max) + 0.5
        })
    }

    /// The same scene with every walker on a route replaced by scripted footsteps along it: flat soles at equal distances, to
    /// measure the ground without the gait.
    pub fn on_scripted_feet(mut self) -> Self {
        for puppet in &mut self.puppets {
            if let Script::Walker(walker) = &puppet.script
                && let Control::Route(route) = &walker.control
            {
                puppet.script = Script::Walk(Walk::from(route.path.clone()));
            }
        }
        self
    }

    /// Number of steps of the scene.
    pub fn steps(&self) -> u64 {
        (self.seconds() * self.rate - 1e-6).ceil().max(1.0) as u64
    }

    /// Length of one step, s.
    pub fn dt(&self) -> f64 {
        1.0 / self.rate
    }
}
