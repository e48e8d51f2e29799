//! `trample presets` and `trample scenes`: what there is to choose from, with ranges and sources.

use crate::Failure;
use serde_json::{Map, Value, json};
use trample::Base;
use trample::params::material::{BEKKER_SOILS, PRESETS};
use trample::params::{Body, Field, Footwear, Law, Material, Species, species};
use trample::scene::{Fall, Path, PlantPatch, Press, Scene, Terrain, Walk, library};
use trample_files::Source;

/// List ground materials, footwear and laws with their published ranges and sources
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample presets                          values for `--set material=…` and `--set footwear=…`")]
pub(crate) struct Presets {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Presets {
    /// Prints them.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        if self.json {
            println!("{}", serde_json::to_string_pretty(&object())?);
        } else {
            print();
        }
        Ok(true)
    }
}

/// For people.
fn print() {
    println!(
        "Ground materials (terrain.material, or preset in [[material]]); [lo–hi] is the published range\n"
    );
    for preset in &PRESETS {
        println!("{}", preset.name);
        for field in Material::FIELDS {
            let (range, value) = (field.range, field.get(&preset.material).unwrap_or(f64::NAN));
            let source = preset.published.iter().find(|p| p.field == range.name).map_or(String::new(), |p| {
                let span = if p.min == p.max {
                    String::new()
                } else {
                    format!("[{}–{}] ", short(p.min), short(p.max))
                };
                format!("{span}{}", p.source)
            });
            println!("  {:20} {:>12} {:10} {source}", range.name, short(value), range.unit);
        }
        println!();
    }
    println!("Bekker–Wong soils (Wong 2008), the same way; used by law = \"bekker-wong\"\n");
    for soil in &BEKKER_SOILS {
        let b = soil.bekker;
        let water = soil.moisture.map_or(String::new(), |m| format!(", {m} % water"));
        println!(
            "  {:24} k_c {:>10} k_φ {:>11} n {:<5} {}{water}",
            soil.name,
            short(b.cohesive_modulus),
            short(b.frictional_modulus),
            b.exponent,
            soil.what
        );
    }
    println!("\nPlants (species in [[plants]]); what has no source is our choice\n");
    for preset in &species::PRESETS {
        println!("{}", preset.name);
        for field in Species::FIELDS {
            let (range, value) = (field.range, field.get(&preset.species).unwrap_or(f64::NAN));
            let source = printed(preset, field);
            println!("  {:20} {:>12} {:10} {source}", range.name, short(value), range.unit);
        }
        println!();
    }
    let laws: Vec<&str> = Law::ALL.iter().map(|l| l.name()).collect();
    let wear: Vec<&str> = Footwear::ALL.iter().map(|f| f.name()).collect();
    println!("Laws: {}\nFootwear: {}", laws.join(", "), wear.join(", "));
}

/// What the source prints for a field, and whether the preset has another value.
fn printed(preset: &species::SpeciesPreset, field: &Field<Species>) -> String {
    let published = preset.published.iter().find(|(name, _)| *name == field.range.name);
    let fitted = preset.fitted.contains(&field.range.name);
    let own = if fitted { "fitted to Cole 1995".into() } else { String::new() };
    published.map_or(own, |(_, value)| {
        let own = field.get(&preset.species).unwrap_or(f64::NAN);
        let same = (own / value - 1.0).abs() < 1e-9;
        if same {
            "TRAIL 2024".into()
        } else {
            format!("fitted to Cole 1995; TRAIL 2024 prints {}", short(*value))
        }
    })
}

fn short(x: f64) -> String {
    if x != 0.0 && (x.abs() >= 1e5 || x.abs() < 1e-3) {
        format!("{x:.4e}")
            .replace("0000e", "e")
            .replace("000e", "e")
            .replace("00e", "e")
            .replace("0e", "e")
            .replace(".e", "e")
    } else {
        let text = format!("{x:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    }
}

/// The rows of a table of parameters.
fn ranges<T>(fields: &[Field<T>]) -> Value {
    let row = |f: &Field<T>| {
        let r = f.range;
        let row = json!({ "unit": r.unit, "min": r.min, "max": r.max, "what": r.what, "source": r.source });
        (r.name.to_string(), row)
    };
    Value::Object(fields.iter().map(row).collect())
}

fn object() -> Value {
    let mut materials = Map::new();
    for preset in &PRESETS {
        let mut fields = Map::new();
        for field in Material::FIELDS {
            let (range, value) = (field.range, field.get(&preset.material));
            let published = preset.published.iter().find(|p| p.field == range.name);
            let mut row = json!({ "value": value, "unit": range.unit });
            if let Some(p) = published {
                row["published"] = json!({ "min": p.min, "max": p.max, "source": p.source });
            }
            fields.insert(range.name.into(), row);
        }
        materials.insert(preset.name.into(), Value::Object(fields));
    }
    let mut soils = Map::new();
    for soil in &BEKKER_SOILS {
        let b = soil.bekker;
        soils.insert(
            soil.name.into(),
            json!({
                "what": soil.what,
                "moisture_percent": soil.moisture,
                "cohesive_modulus": b.cohesive_modulus,
                "frictional_modulus": b.frictional_modulus,
                "exponent": b.exponent,
                "friction_deg": soil.friction_deg,
                "source": "Wong 2008",
            }),
        );
    }
    let mut footwear = Map::new();
    for wear in Footwear::ALL {
        footwear.insert(wear.name().into(), json!({ "area_m2": wear.sole(0.274, 0.103).area() }));
    }
    let mut plants = Map::new();
    for preset in &species::PRESETS {
        let mut fields = Map::new();
        for field in Species::FIELDS {
            let (range, value) = (field.range, field.get(&preset.species));
            let mut row = json!({ "value": value, "unit": range.unit });
            if let Some((_, printed)) = preset.published.iter().find(|(name, _)| *name == range.name) {
                row["published"] = json!({ "value": printed, "source": "TRAIL 2024" });
            }
            if preset.fitted.contains(&range.name) {
                row["fitted_to"] = json!("Cole 1995");
            }
            fields.insert(range.name.into(), row);
        }
        plants.insert(preset.name.into(), Value::Object(fields));
    }
    json!({
        "materials": materials,
        "species": plants,
        "bekker_soils": soils,
        "footwear": footwear,
        "laws": Law::ALL.map(Law::name),
        "ranges": {
            "material": ranges(Material::FIELDS),
            "species": ranges(Species::FIELDS),
            "scene": ranges(Scene::FIELDS),
            "terrain": ranges(Terrain::FIELDS),
            "base": ranges(Base::FIELDS),
            "walker": ranges(Body::FIELDS),
            "puppet": ranges(Body::ANYTHING),
            "path": ranges(Path::FIELDS),
            "walk": ranges(Walk::FIELDS),
            "drop": ranges(Fall::FIELDS),
            "press": ranges(Press::FIELDS),
            "plants": ranges(PlantPatch::FIELDS),
        },
    })
}

/// List the library scenes, or print one as TOML to edit
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample scenes walk-snow > my-scene.toml a scene to edit")]
pub(crate) struct Scenes {
    /// A library scene to print
    name: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Scenes {
    /// Lists the library, or prints one scene.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        if let Some(name) = &self.name {
            print!("{}", Source::find(name)?.text);
            return Ok(true);
        }
        if self.json {
            let rows: Map<String, Value> =
                library::ENTRIES.iter().map(|e| (e.name.to_string(), json!({ "about": e.about }))).collect();
            println!("{}", serde_json::to_string_pretty(&rows)?);
            return Ok(true);
        }
        for entry in &library::ENTRIES {
            println!("{:16} {}", entry.name, entry.about);
        }
        println!(
            "\n`trample run NAME` runs a scene, `trample season NAME` a season, `trample scenes NAME` prints a scene as TOML."
        );
        Ok(true)
    }
}
