//! Learns what footfalls leave of plants from live ones, as the table `LEARNT` of `damage.rs` has it.
//!
//! `cargo run --release -p trample-season --example learn -- carex-pensylvanica`: species, all that the table has if none is named. Some
//! minutes each.

use trample::params::species;
use trample_season::SeasonError;
use trample_season::damage::{Damage, LEARNT, SEEDS};

fn main() -> Result<(), SeasonError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let all = || LEARNT.iter().map(|l| l.0.to_string()).collect();
    for name in if words.is_empty() { all() } else { words } {
        let known = species::by_name(&name);
        let species = known.ok_or_else(|| SeasonError::Scene(format!("{name}: no such species")))?;
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
