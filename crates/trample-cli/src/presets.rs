//! `trample presets` and `trample scenes`: what there is to choose from, with ranges and sources.

use crate::Failure;
use serde_json::{Map, Value, json};
use trample::params::material::{BEKKER_SOILS, PRESETS};
use trample::params::{Footwear, Law, Material, Range, Species, species};
use trample::scene::{RANGES, library};
use trample_files::Source;

/// Lists the presets.
pub(crate) fn presets(as_json: bool) {
    if as_json {
        println!("{}", serde_json::to_string_pretty(&object()).expect("plain values"));
        return;
    }
    println!(
        "Ground materials (terrain.material, or preset in [[material]]); [lo–hi] is the published range\n"
    );
    for preset in &PRESETS {
        println!("{}", preset.name);
        for range in Material::RANGES {
            let value = preset.material.field(range.field).expect("a ranged field exists");
            let source =
                preset.published.iter().find(|p| p.field == range.field).map_or(String::new(), |p| {
                    let span = if p.min == p.max {
                        String::new()
                    } else {
                        format!("[{}–{}] ", short(p.min), short(p.max))
                    };
                    format!("{span}{}", p.source)
                });
            println!("  {:20} {:>12} {:10} {source}", range.field, short(value), range.unit);
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
        for range in Species::RANGES {
            let value = preset.species.field(range.field).expect("a ranged field exists");
            println!(
                "  {:20} {:>12} {:10} {}",
                range.field,
                short(value),
                range.unit,
                printed(preset, range.field)
            );
        }
        println!();
    }
    let laws: Vec<&str> = Law::ALL.iter().map(|l| l.name()).collect();
    let wear: Vec<&str> = Footwear::ALL.iter().map(|f| f.name()).collect();
    println!("Laws: {}\nFootwear: {}", laws.join(", "), wear.join(", "));
}

/// What the source prints for a field, and whether the preset has another value.
fn printed(preset: &species::SpeciesPreset, field: &str) -> String {
    let published = preset.published.iter().find(|(name, _)| *name == field);
    let fitted = preset.fitted.contains(&field);
    let own = if fitted { "fitted to Cole 1995".into() } else { String::new() };
    published.map_or(own, |(_, value)| {
        let own = preset.species.field(field).unwrap_or(f64::NAN);
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

fn ranges(rows: &[Range]) -> Value {
    let row = |r: &Range| {
        (r.field.to_string(), json!({ "unit": r.unit, "min": r.min, "max": r.max, "what": r.what }))
    };
    Value::Object(rows.iter().map(row).collect())
}

fn object() -> Value {
    let mut materials = Map::new();
    for preset in &PRESETS {
        let mut fields = Map::new();
        for range in Material::RANGES {
            let value = preset.material.field(range.field).expect("a ranged field exists");
            let published = preset.published.iter().find(|p| p.field == range.field);
            let mut row = json!({ "value": value, "unit": range.unit });
            if let Some(p) = published {
                row["published"] = json!({ "min": p.min, "max": p.max, "source": p.source });
            }
            fields.insert(range.field.into(), row);
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
        for range in Species::RANGES {
            let value = preset.species.field(range.field).expect("a ranged field exists");
            let mut row = json!({ "value": value, "unit": range.unit });
            if let Some((_, printed)) = preset.published.iter().find(|(name, _)| *name == range.field) {
                row["published"] = json!({ "value": printed, "source": "TRAIL 2024" });
            }
            if preset.fitted.contains(&range.field) {
                row["fitted_to"] = json!("Cole 1995");
            }
            fields.insert(range.field.into(), row);
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
            "material": ranges(&Material::RANGES),
            "species": ranges(&Species::RANGES),
            "scene": ranges(&RANGES),
        },
    })
}

/// Lists the library, or prints one scene.
pub(crate) fn scenes(name: Option<&str>, as_json: bool) -> Result<bool, Failure> {
    if let Some(name) = name {
        print!("{}", Source::find(name)?.text);
        return Ok(true);
    }
    if as_json {
        let rows: Map<String, Value> =
            library::ENTRIES.iter().map(|e| (e.name.to_string(), json!({ "about": e.about }))).collect();
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(true);
    }
    for entry in &library::ENTRIES {
        println!("{:16} {}", entry.name, entry.about);
    }
    println!("\n`trample run NAME` runs one, `trample scenes NAME` prints it as TOML.");
    Ok(true)
}
