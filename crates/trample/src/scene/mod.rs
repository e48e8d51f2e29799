//! A scene: a plain description of a terrain and of what walks, drops or presses on it. No simulation here.

pub mod animal;
pub mod check;
pub mod library;
pub mod plants;
pub mod script;
pub mod walker;

pub use animal::{Animal, Moment, Stride};
pub use check::{RANGES, SceneError};
pub use plants::{DensityMap, Placement, PlantKind, PlantPatch};
pub use script::{Drop, Press, Script, Walk};
pub use walker::{Control, ForceModel, Motion, Route, Steer, WalkerSpec};

use crate::params::{Footwear, Law, Material, Sole};
use crate::state::{Base, Hold, Paint};

/// Everything a run needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Short name, as the command knows it.
    pub name: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// Which random numbers.
    pub seed: u64,
    /// Steps per second. Results do not depend on it beyond rounding of the motion.
    pub rate: f64,
    /// How long to run, s; until every script has ended where not given.
    pub duration: Option<f64>,
    /// The ground.
    pub terrain: Terrain,
    /// Who presses it.
    pub puppets: Vec<PuppetSpec>,
    /// What grows on it.
    pub plants: Vec<PlantPatch>,
}

/// A material with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedMaterial {
    /// Name, for paints and legends.
    pub name: String,
    /// Its numbers.
    pub material: Material,
}

/// The ground of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    /// How it yields.
    pub law: Law,
    /// Side of a cell, m.
    pub cell: f64,
    /// Extent in x and z, m.
    pub size: [f64; 2],
    /// Original height.
    pub base: Base,
    /// Materials; the first covers everything that is not painted.
    pub materials: Vec<NamedMaterial>,
    /// Where the others lie.
    pub paints: Vec<Paint>,
    /// `r_contour`, m.
    pub contour: f64,
    /// Contact tolerance ε, m.
    pub tolerance: f64,
    /// `F_threshold` as a share of body weight.
    pub force_threshold: f64,
    /// Where the terrain lies in the world, if known.
    pub place: Option<GeoPlace>,
}

/// A coordinate reference system and where the terrain's corner (x = 0, z = 0) lies in it; x runs east, z south.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoPlace {
    /// EPSG code.
    pub epsg: u32,
    /// Easting and northing of the corner, in the system's units.
    pub corner: [f64; 2],
}

/// The shape under a foot.
#[derive(Clone, Debug, PartialEq)]
pub enum SoleShape {
    /// A built-in one, sized from the foot.
    Footwear(Footwear),
    /// One made from an outline, a mesh or an image; a right foot.
    Custom(Sole),
}

/// A body and its motion.
#[derive(Clone, Debug, PartialEq)]
pub struct PuppetSpec {
    /// Name in reports.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Standing height, m; sets leg length and step length.
    pub height: f64,
    /// Foot length, m.
    pub foot_length: f64,
    /// Foot width, m.
    pub foot_width: f64,
    /// What is under the foot.
    pub sole: SoleShape,
    /// Who decides the height of the soles.
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
        }
    }
}

impl Default for Terrain {
    fn default() -> Self {
        Self {
            law: Law::Trail,
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

impl PuppetSpec {
    /// A walker with the mass, height and feet of its body, and nothing else said.
    pub fn walking(name: impl Into<String>, walker: WalkerSpec) -> Self {
        let body = &walker.body;
        Self {
            name: name.into(),
            mass: body.mass,
            height: body.height,
            foot_length: body.foot_length,
            foot_width: body.foot_width,
            script: Script::Walker(Box::new(walker)),
            ..Self::default()
        }
    }
}

impl Default for PuppetSpec {
    /// The papers' walker: 77.5 kg, 1.8 m (DF §6), shod; foot 27.4 × 10.3 cm (ANSUR II at that
    /// stature: length the mean of both sexes, breadth the men's).
    fn default() -> Self {
        Self {
            name: "walker".into(),
            mass: 77.5,
            height: 1.8,
            foot_length: 0.274,
            foot_width: 0.103,
            sole: SoleShape::Footwear(Footwear::Shoe),
            hold: Hold::Pinned,
            script: Script::Walk(Walk::default()),
        }
    }
}

impl Scene {
    /// How long the scene runs, s.
    pub fn seconds(&self) -> f64 {
        self.duration.unwrap_or_else(|| {
            self.puppets.iter().map(|p| p.script.seconds(p.height)).fold(0.0, f64::max) + 0.5
        })
    }

    /// The same scene with every walker on a route replaced by scripted footsteps along it: flat soles at even distances, which
    /// measure the ground and nothing else.
    pub fn on_scripted_feet(mut self) -> Self {
        for puppet in &mut self.puppets {
            if let Script::Walker(walker) = &puppet.script
                && let Control::Route(route) = &walker.control
            {
                puppet.script = Script::Walk(route.walk.clone());
            }
        }
        self
    }

    /// How many steps that is.
    pub fn steps(&self) -> u64 {
        (self.seconds() * self.rate - 1e-6).ceil().max(1.0) as u64
    }

    /// Length of one step, s.
    pub fn dt(&self) -> f64 {
        1.0 / self.rate
    }
}
