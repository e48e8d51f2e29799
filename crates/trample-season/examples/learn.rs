//! Learns what footfalls leave of plants from live ones, as the table `LEARNT` of `damage.rs` has it.
//!
//! `cargo run --release -p trample-season --example learn -- carex-pensylvanica wear_rate=0.04`: species, each with numbers to change; all
//! that the table has if none is named. Some minutes each.

use trample::params::{Field, Species, species};
use trample_season::SeasonError;
use trample_season::damage::{Damage, LEARNT, SEEDS};

fn main() -> Result<(), SeasonError> {
    let mut all: Vec<(String, Species)> = Vec::new();
    for word in std::env::args().skip(1) {
        let wrong =
            || SeasonError::Scene(format!("{word}: no such species or number of the species before it"));
        match (word.split_once('='), all.last_mut()) {
            (Some((key, value)), Some((_, species))) => {
                let field = Field::find(Species::FIELDS, key).ok_or_else(wrong)?;
                field.set(species, value.parse().map_err(|_| wrong())?);
            }
            _ => all.push((word.clone(), species::by_name(&word).ok_or_else(wrong)?)),
        }
    }
    if all.is_empty() {
        all = LEARNT.iter().filter_map(|l| Some((l.0.to_string(), species::by_name(l.0)?))).collect();
    }
    for (name, species) in all {
        let curve = Damage::learn(&species, 500, &SEEDS)?;
        let Damage { footfalls, power, tail, error, .. } = curve;
        println!("(\"{name}\", [{footfalls:.4}, {power:.4}, {tail:.4}, {error:.4}], ...)");
        match curve.learn_fade(&species, 43.0, 700)? {
            Some((over, error)) => println!("    Some([43.0, {over:.1}]), which errs by {error:.4}"),
            None => println!("    None"),
        }
    }
    Ok(())
}
