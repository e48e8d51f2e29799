//! The table of parameters: one row per slider, switch or list of the panel.
//!
//! In: a scene and which of its materials, patches and walkers is meant. Out: a number, its range, what was published of it.
//! Numbers and their ranges are the core's tables (`Material::FIELDS`, `Species::FIELDS`, `Body::FIELDS` …); nothing is invented
//! here. Switches are 0 and 1, lists are the number of the entry.

use crate::lists;
use serde::{Deserialize, Serialize};
use trample::params::{Body, Field, Footwear, Law, Material, Range, Species, material, species};
use trample::scene::{
    Control, ForceModel, Path, Placement, PlantPatch, PuppetSpec, Scene, Script, SoleShape, Terrain,
    WalkerSpec,
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
pub struct Parameter {
    /// What it belongs to.
    pub group: Group,
    /// Its range: name, unit, smallest and largest value, what it is.
    pub range: Range,
    /// How it is set.
    pub kind: Kind,
}

/// Which material, patch of plants and puppet the panel is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[usize; 3]", into = "[usize; 3]")]
pub struct Focus {
    /// Index of the material.
    pub material: usize,
    /// Index of the patch of plants.
    pub patch: usize,
    /// Index of the puppet.
    pub walker: usize,
}

impl From<[usize; 3]> for Focus {
    fn from([material, patch, walker]: [usize; 3]) -> Self {
        Self { material, patch, walker }
    }
}

impl From<Focus> for [usize; 3] {
    fn from(focus: Focus) -> Self {
        [focus.material, focus.patch, focus.walker]
    }
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

/// Where TRAIL prints its plants.
const TR: &str = "TRAIL 2024, Table 1";

/// The rows of a table of parameters, without some that a running world does not change.
fn sliders<T>(
    group: Group,
    fields: &'static [Field<T>],
    without: &'static [&str],
) -> impl Iterator<Item = Parameter> {
    let ranges = fields.iter().map(|f| f.range).filter(|r| !without.contains(&r.name));
    ranges.map(move |range| Parameter { group, range, kind: slider_of(&range) })
}

/// All rows, in the order of the panel.
pub fn parameters() -> Vec<Parameter> {
    let list = |group, field, what, names: &'static [&'static str]| Parameter {
        group,
        range: Range::new(field, "", 0.0, (names.len() - 1) as f64, what),
        kind: Kind::List(names),
    };
    let switch = |group, field, what| Parameter {
        group,
        range: Range::new(field, "", 0.0, 1.0, what),
        kind: Kind::Switch,
    };
    let mut rows = vec![list(Group::Ground, "preset", "a published ground", lists::grounds())];
    rows.extend(sliders(Group::Ground, Material::FIELDS, &[]));
    rows.push(list(Group::Law, "law", "how the ground yields", lists::laws()));
    rows.extend(sliders(Group::Law, Terrain::FIELDS, &["cell"]));
    rows.push(list(Group::Plants, "species", "what grows", lists::species()));
    rows.push(list(Group::Plants, "placement", "how roots are strewn", lists::placements()));
    rows.extend(sliders(Group::Plants, PlantPatch::FIELDS, &["most", "fade"]));
    rows.extend(sliders(Group::Plants, Species::FIELDS, &[]));
    rows.push(list(Group::Body, "variant", "a built-in body", &Body::VARIANTS));
    rows.push(list(Group::Body, "footwear", "what is under the foot", lists::footwear()));
    rows.extend(sliders(Group::Body, Body::FIELDS, &[]));
    rows.push(list(Group::Walk, "force", "how its force on the ground is found", lists::forces()));
    rows.push(switch(Group::Walk, "balance", "balance controller"));
    rows.push(switch(Group::Walk, "avoid", "walkers keep out of each other's way"));
    rows.push(switch(Group::Walk, "metabolic", "soft and steep ground slow it on a route"));
    rows.push(switch(Group::Walk, "back_and_forth", "every second pass of a route goes back"));
    rows.extend(sliders(Group::Walk, Path::FIELDS, &["start"]));
    rows
}

/// Ranges over more than a factor of fifty that do not begin at or below nothing are turned by ratios.
fn slider_of(range: &Range) -> Kind {
    Kind::Slider { logarithmic: range.min > 0.0 && range.max / range.min > 50.0 }
}

/// The row of a key such as `ground.layer`.
pub fn by_key(key: &str) -> Option<Parameter> {
    parameters().into_iter().find(|row| row.key() == key)
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

/// The number of that name, if the table has it.
fn number<T>(fields: &'static [Field<T>], name: &str, of: &T) -> Option<f64> {
    Field::find(fields, name)?.get(of)
}

/// Writes the number of that name; none if the table does not have it.
fn put<T>(fields: &'static [Field<T>], name: &str, of: &mut T, value: f64) -> Option<()> {
    Field::find(fields, name).map(|field| field.set(of, value))
}

impl Parameter {
    /// The key: group and field.
    pub fn key(&self) -> String {
        format!("{}.{}", self.group.name(), self.range.name)
    }

    /// The value, or none where the scene has nothing of the kind.
    pub fn get(&self, scene: &Scene, focus: Focus) -> Option<f64> {
        let field = self.range.name;
        match self.group {
            Group::Ground => {
                let named = scene.terrain.materials.get(focus.material)?;
                match field {
                    "preset" => lists::ground_of(&named.material).map(|i| i as f64),
                    _ => number(Material::FIELDS, field, &named.material),
                }
            }
            Group::Law => {
                let t = &scene.terrain;
                match field {
                    "law" => index_of(&Law::ALL, &t.law),
                    _ => number(Terrain::FIELDS, field, t),
                }
            }
            Group::Plants => {
                let patch = scene.plants.get(focus.patch)?;
                match field {
                    "species" => lists::species_of(&patch.species).map(|i| i as f64),
                    "placement" => index_of(&Placement::ALL.map(|p| p.1), &patch.placement),
                    _ => number(PlantPatch::FIELDS, field, patch)
                        .or_else(|| number(Species::FIELDS, field, &patch.species)),
                }
            }
            Group::Body => {
                let puppet = scene.puppets.get(focus.walker)?;
                match field {
                    "variant" => {
                        let same = |name: &&str| Body::by_name(name) == Some(puppet.body);
                        Body::VARIANTS.iter().position(same).map(|i| i as f64)
                    }
                    "footwear" => match &puppet.sole {
                        SoleShape::Footwear(wear) => index_of(&Footwear::ALL, wear),
                        SoleShape::Custom(_) => None,
                    },
                    _ => number(puppet.measures(), field, &puppet.body),
                }
            }
            Group::Walk => {
                let walker = walker_of(scene.puppets.get(focus.walker)?)?;
                let on = |b: bool| Some(f64::from(u8::from(b)));
                match (field, &walker.control) {
                    ("force", _) => index_of(&ForceModel::ALL.map(|f| f.1), &walker.force),
                    ("balance", _) => on(walker.balance),
                    ("avoid", _) => on(scene.avoid),
                    ("metabolic", Control::Route(route)) => on(route.metabolic),
                    ("back_and_forth", Control::Route(route)) => on(route.path.back_and_forth),
                    (_, Control::Route(route)) => number(Path::FIELDS, field, &route.path),
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
        // What a plate may weigh is not what a walker may.
        let own = scene.puppets.get(focus.walker).filter(|_| self.group == Group::Body);
        let own = own.and_then(|puppet| Field::find(puppet.measures(), self.range.name));
        let range = own.map_or(self.range, |field| field.range);
        if !range.contains(value) {
            return Err(format!("{} is {value}, allowed: {}", self.key(), range.allowed()));
        }
        let missing = || format!("{}: the scene has none", self.key());
        let field = self.range.name;
        let entry = value.round() as usize;
        match self.group {
            Group::Ground => {
                let named = scene.terrain.materials.get_mut(focus.material).ok_or_else(missing)?;
                if field == "preset" {
                    let name = lists::grounds()[entry];
                    named.material = material::by_name(name).ok_or_else(missing)?;
                    named.name = name.into();
                } else {
                    put(Material::FIELDS, field, &mut named.material, value).ok_or_else(missing)?;
                }
            }
            Group::Law => match field {
                "law" => scene.terrain.law = Law::ALL[entry],
                _ => put(Terrain::FIELDS, field, &mut scene.terrain, value).ok_or_else(missing)?,
            },
            Group::Plants => {
                let patch = scene.plants.get_mut(focus.patch).ok_or_else(missing)?;
                match field {
                    "species" => patch.species = species::PRESETS[entry].species,
                    "placement" => patch.placement = Placement::ALL[entry].1,
                    _ if put(PlantPatch::FIELDS, field, patch, value).is_some() => {}
                    _ => {
                        let plant = &mut patch.species;
                        put(Species::FIELDS, field, plant, value).ok_or_else(missing)?;
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
                let Scene { puppets, avoid, .. } = scene;
                let walker = puppets.get_mut(focus.walker).and_then(walker_mut).ok_or_else(missing)?;
                match (field, &mut walker.control) {
                    ("force", _) => walker.force = ForceModel::ALL[entry].1,
                    ("balance", _) => walker.balance = entry == 1,
                    ("avoid", _) => *avoid = entry == 1,
                    ("metabolic", Control::Route(route)) => route.metabolic = entry == 1,
                    ("back_and_forth", Control::Route(route)) => route.path.back_and_forth = entry == 1,
                    (_, Control::Route(route)) => {
                        put(Path::FIELDS, field, &mut route.path, value).ok_or_else(missing)?;
                    }
                    _ => return Err(missing()),
                }
            }
        }
        Ok(())
    }

    /// What was published of it, for the preset it started from.
    pub fn printed(&self, scene: &Scene, focus: Focus) -> Option<Printed> {
        let field = self.range.name;
        match self.group {
            Group::Ground => {
                let i = lists::ground_of(&scene.terrain.materials.get(focus.material)?.material)?;
                let preset = material::PRESETS.get(i)?;
                let p = preset.published.iter().find(|p| p.field == field)?;
                Some(Printed { min: p.min, max: p.max, source: p.source })
            }
            Group::Plants => {
                let i = lists::species_of(&scene.plants.get(focus.patch)?.species)?;
                let (_, value) = species::PRESETS[i].published.iter().find(|(f, _)| *f == field)?;
                Some(Printed { min: *value, max: *value, source: TR })
            }
            _ => None,
        }
    }

    /// The setting of a scene file or link that says the same, if there is one.
    pub fn setting(&self, scene: &Scene, focus: Focus) -> Option<String> {
        let value = self.get(scene, focus)?;
        let field = self.range.name;
        let text = match self.kind {
            Kind::Switch => (value == 1.0).to_string(),
            Kind::List(names) => (*names.get(value as usize)?).to_string(),
            Kind::Slider { .. } if self.range.integer => format!("{value:.0}"),
            Kind::Slider { .. } => format!("{value}"),
        };
        let walkers = |upto: usize| scene.puppets.iter().take(upto).filter_map(walker_of).count();
        let path = match self.group {
            Group::Ground => format!("material.{}.{field}", focus.material),
            Group::Law => format!("terrain.{field}"),
            Group::Plants => format!("plants.{}.{field}", focus.patch),
            Group::Walk if field == "avoid" => field.to_string(),
            Group::Body | Group::Walk => {
                walker_of(scene.puppets.get(focus.walker)?)?;
                let field = if field == "variant" { "body" } else { field };
                format!("walker.{}.{field}", walkers(focus.walker))
            }
        };
        Some(format!("{path}={text}"))
    }
}

/// Writes into a body.
fn set_body(puppet: &mut PuppetSpec, field: &str, value: f64) -> Option<()> {
    let walks = matches!(puppet.script, Script::Walker(_));
    match field {
        "footwear" => puppet.sole = SoleShape::Footwear(*Footwear::ALL.get(value.round() as usize)?),
        "variant" if walks => puppet.body = Body::by_name(Body::VARIANTS.get(value.round() as usize)?)?,
        // The same build at another size: all lengths grow alike.
        "height" if walks => {
            let factor = value / puppet.body.height;
            for length in Body::FIELDS.iter().filter(|f| f.range.unit == "m") {
                let own = length.get(&puppet.body)?;
                length.set(&mut puppet.body, own * factor);
            }
            puppet.body.height = value;
        }
        _ => put(puppet.measures(), field, &mut puppet.body, value)?,
    }
    Some(())
}
