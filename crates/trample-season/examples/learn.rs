//! Learns what footfalls leave of plants from live ones, as the table `LEARNT` of `damage.rs` has it.
//!
//! `cargo run --release -p trample-season --example learn -- carex-pensylvanica wear_rate=0.04`: species, each with numbers to change; all
//! that the table has if none is named. Some minutes each.

use rayon::prelude::*;
use trample::params::{Field, Species, species};
use trample_season::SeasonError;
use trample_season::damage::{Damage, LEARNT, SEEDS, wears};

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
        all = LEARNT.iter().filter_map(|l| Some((l.species.into(), species::by_name(l.species)?))).collect();
    }
    // Everything is walked before anything is told, each species on threads of its own.
    let lines: Result<Vec<String>, SeasonError> = all
        .par_iter()
        .map(|(name, species)| {
            let curve = Damage::learn(species, 500, &SEEDS)?;
            let (left, wears) =
                (curve.left.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join(", "), wears(species));
            Ok(format!(
                "    Learnt {{ species: \"{name}\", wears: {wears:?}, left: &[{left}], error: {:.4} }},",
                curve.error
            ))
        })
        .collect();
    lines?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
