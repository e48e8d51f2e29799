//! A season equals live steps: the same footfalls on the same lane, stamped from the atlas and walked by a body.

use trample::Species;
use trample_season::lane::{self, Difference};
use trample_season::{SeasonError, rules};

/// The whole comparison, 4 grounds × 2 species × 20 seeds up to 500 passes, is `trample reproduce trails-live`.
#[test]
fn a_season_under_a_live_walkers_footfalls_leaves_what_the_walker_has_left() -> Result<(), SeasonError> {
    let times = [25, 50];
    for species in [Species::LAWN_GRASS, Species::CAREX_PENSYLVANICA] {
        let scene = lane::scene(&species, "loam", 50, 4);
        let walked = lane::live(&scene, &times)?;
        assert!(walked.falls.iter().map(Vec::len).sum::<usize>() > 400, "every footfall is told");
        let season = lane::season(&scene, 50, 5);
        let stamped = lane::by_footfalls(&season, &rules(&season)?, &walked, 5, &times);
        for (season, live) in stamped.iter().zip(&walked.moments) {
            let (d, who) = (Difference::of(season, live), species.preset);
            assert!(d.depth.abs() < 0.05 && d.section.abs() < 0.05, "{who}, {} passes: {d:?}", live.passes);
            assert!(d.cover.abs() < 0.03 && d.ks < 0.08, "{who}, {} passes: {d:?}", live.passes);
            let mean = |x: &[f32]| x.iter().sum::<f32>() / x.len() as f32;
            let falls = mean(&season.footfalls) / mean(&live.footfalls);
            // Slivers that steps cover are left out.
            assert!((falls - 1.0).abs() < 0.05, "{who}: {falls} of the live footfalls");
        }
    }
    Ok(())
}
