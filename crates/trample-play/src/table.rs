//! The table of parameters: one row per slider, switch or list of the panel.
//!
//! In: a scene and which of its materials, patches and walkers is meant. Out: a number, its range, what was published of it.
//! Ranges are those of the core (`Material::RANGES`, `Species::RANGES`, `Body::RANGES`, `scene::RANGES`); nothing is invented
//! here. Switches are 0 and 1, lists are the number of the entry.

use crate::choice;
use trample::params::{Body, Footwear, Law, Material, Range, Species, material, species};
use trample::scene::{
    Control, ForceModel, Placement, PuppetSpec, Scene, Script, SoleShape, WalkerSpec, check,
};

/// What a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The material of the ground.
    Ground,
    /// How the ground yields, whatever its material.
    Law,
    /// What grows.
    Plants,
    /// The body that walks.
    Body,
    /// How it walks.
    Walk,
}

impl Group {
    /// All, in the order of the panel.
    pub const ALL: [Self; 5] = [Self::Ground, Self::Law, Self::Plants, Self::Body, Self::Walk];

    /// Its name in the panel and before the dot of a key.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ground => "ground",
            Self::Law => "law",
            Self::Plants => "plants",
            Self::Body => "body",
            Self::Walk => "walk",
        }
    }
}

/// How a row is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any number of its range.
    Slider {
        /// Whether equal ratios are equal distances.
        logarithmic: bool,
    },
    /// Off 0, on 1.
    Switch,
    /// The number of an entry.
    List(&'static [&'static str]),
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What it belongs to.
    pub group: Group,
    /// Its range: name, unit, smallest and largest value, what it is.
    pub range: Range,
    /// How it is set.
    pub kind: Kind,
}

/// Which material, patch of plants and puppet the panel is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// Index of the material.
    pub material: usize,
    /// Index of the patch of plants.
    pub patch: usize,
    /// Index of the puppet.
    pub walker: usize,
}

/// A published value: smallest, largest, source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// Smallest published value.
    pub min: f64,
    /// Largest published value.
    pub max: f64,
    /// Where.
    pub source: &'static str,
}

/// Fields of [`scene::RANGES`](check::RANGES) that belong to the law.
const LAW: [&str; 3] = ["contour", "tolerance", "force_threshold"];
/// Fields of a route.
const ROUTE: [&str; 3] = ["speed", "passes", "lateral_sd"];
/// Fields of Bodies that are shown; the others follow from height.
const TR: &str = "TRAIL 2024, Table 1";

/// All rows, in the order of the panel.
pub fn rows() -> Vec<Row> {
    let slider = |group: Group| move |range: Range| Row { group, range, kind: slider_of(&range) };
    let list = |group, field, what, names: &'static [&'static str]| Row {
        group,
        range: Range::new(field, "", 0.0, (names.len() - 1) as f64, what),
        kind: Kind::List(names),
    };
    let switch =
        |group, field, what| Row { group, range: Range::new(field, "", 0.0, 1.0, what), kind: Kind::Switch };
    let mut rows = vec![list(Group::Ground, "preset", "a published ground", choice::grounds())];
    rows.extend(Material::RANGES.map(slider(Group::Ground)));
    rows.push(list(Group::Law, "law", "how the ground yields", choice::laws()));
    rows.extend(LAW.map(|field| *check::range(field)).map(slider(Group::Law)));
    rows.push(list(Group::Plants, "species", "what grows", choice::species()));
    rows.push(list(Group::Plants, "placement", "how roots are strewn", choice::placements()));
    rows.push(slider(Group::Plants)(*check::range("density")));
    rows.extend(Species::RANGES.map(slider(Group::Plants)));
    rows.push(list(Group::Body, "variant", "a built-in body", &Body::VARIANTS));
    rows.push(list(Group::Body, "footwear", "what is under the foot", choice::footwear()));
    rows.extend(Body::RANGES.map(slider(Group::Body)));
    rows.push(list(Group::Walk, "force", "how its force on the ground is found", choice::forces()));
    rows.push(switch(Group::Walk, "balance", "balance controller"));
    rows.push(switch(Group::Walk, "metabolic", "soft and steep ground slow it on a route"));
    rows.push(switch(Group::Walk, "back_and_forth", "every second pass of a route goes back"));
    rows.extend(ROUTE.map(|field| *check::range(field)).map(slider(Group::Walk)));
    rows
}

/// Ranges over more than a factor of fifty that do not begin at or below nothing are turned by ratios.
fn slider_of(range: &Range) -> Kind {
    Kind::Slider { logarithmic: range.min > 0.0 && range.max / range.min > 50.0 }
}

/// The row of a key such as `ground.layer`.
pub fn by_key(key: &str) -> Option<Row> {
    rows().into_iter().find(|row| row.key() == key)
}

fn walker_of(puppet: &PuppetSpec) -> Option<&WalkerSpec> {
    match &puppet.script {
        Script::Walker(walker) => Some(walker),
        _ => None,
    }
}

fn walker_mut(puppet: &mut PuppetSpec) -> Option<&mut WalkerSpec> {
    match &mut puppet.script {
        Script::Walker(walker) => Some(walker),
        _ => None,
    }
}

fn index_of<T: PartialEq>(all: &[T], value: &T) -> Option<f64> {
    all.iter().position(|x| x == value).map(|i| i as f64)
}

/// The value as stored: angles are radians there.
fn stored(field: &str, value: f64) -> f64 {
    if field.ends_with("_deg") { value.to_radians() } else { value }
}

impl Row {
    /// The key: group and field.
    pub fn key(&self) -> String {
        format!("{}.{}", self.group.name(), self.range.field)
    }

    /// The field as a person reads it: words, no `_deg`.
    pub fn label(&self) -> String {
        self.range.field.trim_end_matches("_deg").trim_start_matches("plant_").replace('_', " ")
    }

    /// The value, or none where the scene has nothing of the kind.
    pub fn get(&self, scene: &Scene, focus: Focus) -> Option<f64> {
        let field = self.range.field;
        match self.group {
            Group::Ground => {
                let named = scene.terrain.materials.get(focus.material)?;
                match field {
                    "preset" => choice::ground_of(named).map(|i| i as f64),
                    _ => named.material.field(field),
                }
            }
            Group::Law => {
                let t = &scene.terrain;
                match field {
                    "law" => index_of(&Law::ALL, &t.law),
                    "contour" => Some(t.contour),
                    "tolerance" => Some(t.tolerance),
                    _ => Some(t.force_threshold),
                }
            }
            Group::Plants => {
                let patch = scene.plants.get(focus.patch)?;
                match field {
                    "species" => choice::species_of(&patch.species).map(|i| i as f64),
                    "placement" => index_of(&Placement::ALL.map(|p| p.1), &patch.placement),
                    "density" => Some(patch.density),
                    _ => patch.species.field(field),
                }
            }
            Group::Body => {
                let puppet = scene.puppets.get(focus.walker)?;
                match (field, walker_of(puppet)) {
                    ("variant", Some(walker)) => {
                        let same = |name: &&str| Body::by_name(name) == Some(walker.body);
                        Body::VARIANTS.iter().position(same).map(|i| i as f64)
                    }
                    ("footwear", _) => match &puppet.sole {
                        SoleShape::Footwear(wear) => index_of(&Footwear::ALL, wear),
                        SoleShape::Custom(_) => None,
                    },
                    (field, Some(walker)) => walker.body.field(field),
                    ("mass", None) => Some(puppet.mass),
                    ("height", None) => Some(puppet.height),
                    ("foot_length", None) => Some(puppet.foot_length),
                    ("foot_width", None) => Some(puppet.foot_width),
                    _ => None,
                }
            }
            Group::Walk => {
                let walker = walker_of(scene.puppets.get(focus.walker)?)?;
                let on = |b: bool| Some(f64::from(u8::from(b)));
                match (field, &walker.control) {
                    ("force", _) => index_of(&ForceModel::ALL.map(|f| f.1), &walker.force),
                    ("balance", _) => on(walker.balance),
                    ("metabolic", Control::Route(route)) => on(route.metabolic),
                    ("back_and_forth", Control::Route(route)) => on(route.walk.back_and_forth),
                    ("speed", Control::Route(route)) => Some(route.walk.speed),
                    ("passes", Control::Route(route)) => Some(f64::from(route.walk.passes)),
                    ("lateral_sd", Control::Route(route)) => Some(route.walk.lateral_sd),
                    _ => None,
                }
            }
        }
    }

    /// Writes a value into a scene. What the scene as a whole says to it, its check tells.
    ///
    /// # Errors
    /// If the value is not in the range, or the scene has nothing of the kind.
    pub fn set(&self, scene: &mut Scene, focus: Focus, value: f64) -> Result<(), String> {
        if !self.range.contains(value) {
            return Err(format!("{} is {value}, allowed: {}", self.key(), self.range.allowed()));
        }
        let missing = || format!("{}: the scene has none", self.key());
        let field = self.range.field;
        let entry = value.round() as usize;
        match self.group {
            Group::Ground => {
                let named = scene.terrain.materials.get_mut(focus.material).ok_or_else(missing)?;
                if field == "preset" {
                    let name = choice::grounds()[entry];
                    named.material = material::by_name(name).ok_or_else(missing)?;
                    named.name = name.into();
                } else {
                    *named.material.field_mut(field).ok_or_else(missing)? = stored(field, value);
                }
            }
            Group::Law => match field {
                "law" => scene.terrain.law = Law::ALL[entry],
                "contour" => scene.terrain.contour = value,
                "tolerance" => scene.terrain.tolerance = value,
                _ => scene.terrain.force_threshold = value,
            },
            Group::Plants => {
                let patch = scene.plants.get_mut(focus.patch).ok_or_else(missing)?;
                match field {
                    "species" => patch.species = species::PRESETS[entry].species,
                    "placement" => patch.placement = Placement::ALL[entry].1,
                    "density" => patch.density = value,
                    _ => {
                        let plant = &mut patch.species;
                        *plant.field_mut(field).ok_or_else(missing)? = stored(field, value);
                        // A joint wears before it breaks: the other angle gives way.
                        match field {
                            "wear_angle_deg" => plant.break_angle = plant.break_angle.max(plant.wear_angle),
                            "break_angle_deg" => plant.wear_angle = plant.wear_angle.min(plant.break_angle),
                            _ => {}
                        }
                    }
                }
            }
            Group::Body => {
                let puppet = scene.puppets.get_mut(focus.walker).ok_or_else(missing)?;
                set_body(puppet, field, value).ok_or_else(missing)?;
            }
            Group::Walk => {
                let puppet = scene.puppets.get_mut(focus.walker).ok_or_else(missing)?;
                let walker = walker_mut(puppet).ok_or_else(missing)?;
                match (field, &mut walker.control) {
                    ("force", _) => walker.force = ForceModel::ALL[entry].1,
                    ("balance", _) => walker.balance = entry == 1,
                    ("metabolic", Control::Route(route)) => route.metabolic = entry == 1,
                    ("back_and_forth", Control::Route(route)) => route.walk.back_and_forth = entry == 1,
                    ("speed", Control::Route(route)) => route.walk.speed = value,
                    ("passes", Control::Route(route)) => route.walk.passes = value.round() as u32,
                    ("lateral_sd", Control::Route(route)) => route.walk.lateral_sd = value,
                    _ => return Err(missing()),
                }
            }
        }
        Ok(())
    }

    /// What was published of it, for the preset it started from.
    pub fn printed(&self, scene: &Scene, focus: Focus) -> Option<Printed> {
        let field = self.range.field;
        match self.group {
            Group::Ground => {
                let i = choice::ground_of(scene.terrain.materials.get(focus.material)?)?;
                let preset = material::PRESETS.get(i)?;
                let p = preset.published.iter().find(|p| p.field == field)?;
                Some(Printed { min: p.min, max: p.max, source: p.source })
            }
            Group::Plants => {
                let i = choice::species_of(&scene.plants.get(focus.patch)?.species)?;
                let (_, value) = species::PRESETS[i].published.iter().find(|(f, _)| *f == field)?;
                Some(Printed { min: *value, max: *value, source: TR })
            }
            _ => None,
        }
    }

    /// The setting of a scene file or link that says the same, if there is one.
    pub fn setting(&self, scene: &Scene, focus: Focus) -> Option<String> {
        let value = self.get(scene, focus)?;
        let field = self.range.field;
        let text = match self.kind {
            Kind::Switch => (value == 1.0).to_string(),
            Kind::List(names) => (*names.get(value as usize)?).to_string(),
            Kind::Slider { .. } if field == "passes" => format!("{value:.0}"),
            Kind::Slider { .. } => format!("{value}"),
        };
        let walkers = |upto: usize| scene.puppets.iter().take(upto).filter_map(walker_of).count();
        let path = match self.group {
            Group::Ground => format!("material.{}.{field}", focus.material),
            Group::Law => format!("terrain.{field}"),
            Group::Plants => format!("plants.{}.{field}", focus.patch),
            Group::Body | Group::Walk => {
                walker_of(scene.puppets.get(focus.walker)?)?;
                let field = match field {
                    "variant" => "body",
                    "height" | "mass" | "foot_length" | "foot_width" | "footwear" => field,
                    _ if self.group == Group::Walk => field,
                    _ => return None,
                };
                format!("walker.{}.{field}", walkers(focus.walker))
            }
        };
        Some(format!("{path}={text}"))
    }
}

/// Writes into a body, and keeps what the puppet says twice the same.
fn set_body(puppet: &mut PuppetSpec, field: &str, value: f64) -> Option<()> {
    if field == "footwear" {
        puppet.sole = SoleShape::Footwear(*Footwear::ALL.get(value.round() as usize)?);
        return Some(());
    }
    if let Some(walker) = walker_mut(puppet) {
        let body = &mut walker.body;
        match field {
            "variant" => *body = Body::by_name(Body::VARIANTS.get(value.round() as usize)?)?,
            "height" => {
                // The same build at another size.
                let factor = value / body.height;
                for length in [
                    &mut body.thigh,
                    &mut body.shank,
                    &mut body.ankle_height,
                    &mut body.hip_width,
                    &mut body.trunk,
                    &mut body.head,
                    &mut body.shoulder_width,
                    &mut body.upper_arm,
                    &mut body.forearm,
                    &mut body.hand,
                    &mut body.foot_length,
                    &mut body.foot_width,
                ] {
                    *length *= factor;
                }
                body.height = value;
            }
            "mass" => body.mass = value,
            "thigh" => body.thigh = value,
            "shank" => body.shank = value,
            "ankle_height" => body.ankle_height = value,
            "hip_width" => body.hip_width = value,
            "trunk" => body.trunk = value,
            "head" => body.head = value,
            "shoulder_width" => body.shoulder_width = value,
            "upper_arm" => body.upper_arm = value,
            "forearm" => body.forearm = value,
            "hand" => body.hand = value,
            "foot_length" => body.foot_length = value,
            "foot_width" => body.foot_width = value,
            _ => return None,
        }
        let body = *body;
        (puppet.mass, puppet.height) = (body.mass, body.height);
        (puppet.foot_length, puppet.foot_width) = (body.foot_length, body.foot_width);
        return Some(());
    }
    match field {
        "mass" => puppet.mass = value,
        "height" => puppet.height = value,
        "foot_length" => puppet.foot_length = value,
        "foot_width" => puppet.foot_width = value,
        _ => return None,
    }
    Some(())
}
