//! Lays a live lane beside the same lane in a season, walked by its own people and by the live walker's footfalls.
//!
//! `cargo run -p trample-season --example live_and_season -- loam carex-pensylvanica 200 3 5`: ground, species, passes, seeds, passes a day.

use trample::params::species;
use trample_season::SeasonError;
use trample_season::damage::Damage;
use trample_season::lane::{self, Difference, Moment};

fn main() -> Result<(), SeasonError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |i: usize, usual: &str| words.get(i).cloned().unwrap_or_else(|| usual.into());
    let (ground, plant) = (word(0, "loam"), word(1, "carex-pensylvanica"));
    let most: u32 = word(2, "75").parse().unwrap_or(75);
    let a_day: u32 = word(4, "5").parse().unwrap_or(5);
    let seeds: u64 = word(3, "1").parse().unwrap_or(1);
    let species = species::by_name(&plant).unwrap_or(trample::Species::CAREX_PENSYLVANICA);
    let times: Vec<u32> = [25, 75, 200, 500].into_iter().filter(|&n| n <= most).collect();
    let tell = |kind: &str, m: &Moment, d: Option<Difference>| {
        let mean = |x: &[f64]| 1e3 * x.iter().sum::<f64>() / x.len() as f64;
        let falls = m.footfalls.iter().sum::<f32>() / m.footfalls.len() as f32;
        let [print, packed, loose] = m.parts.map(|p| 1e3 * p);
        print!(
            "{kind:9} {:4} depth {:6.2} = print {print:6.2} + packed {packed:6.2} - loose {loose:6.2} mm, width {:.3} m, section {:5.1} cm2, cover {:.3}, footfalls {falls:.2}",
            m.passes,
            mean(&m.depth),
            m.width,
            1e4 * m.section,
            m.cover
        );
        match d {
            Some(d) => println!(
                " | {:+.1} {:+.1} {:+.1} %, {:+.1} points, ks {:.3}",
                100.0 * d.depth,
                100.0 * d.width,
                100.0 * d.section,
                100.0 * d.cover,
                d.ks
            ),
            None => println!(),
        }
        if std::env::var("PROFILE").is_ok() {
            for (z, row) in m.profile.iter().enumerate().step_by(3) {
                let [d, p, k, l] = row.map(|x| 1e3 * x);
                println!(
                    "   z {:.2} depth {d:6.2} print {p:6.2} packed {k:6.2} loose {l:6.2}",
                    0.02 * (z as f64 + 0.5)
                );
            }
        }
    };
    for seed in 1..=seeds {
        let scene = lane::scene(&species, &ground, most, seed);
        let walked = lane::live(&scene, &times)?;
        println!(
            "{ground} {plant} seed {seed}: learnt from this lane {:?}",
            Damage::fit(&walked.moments, &[])
        );
        let season = lane::season(&scene, most, a_day);
        let rules = std::sync::Arc::new(trample_season::rules(&season)?);
        let people = lane::by_people(&season, &rules, &times)?;
        let paired = lane::by_footfalls(&season, &rules, &walked, a_day, &times);
        for ((live, people), paired) in walked.moments.iter().zip(&people).zip(&paired) {
            tell("live", live, None);
            tell("people", people, Some(Difference::of(people, live)));
            tell("footfalls", paired, Some(Difference::of(paired, live)));
        }
    }
    Ok(())
}
