//! A season equals live steps: the same footfalls on the same lane, stamped from the atlas and walked by a body.

use trample::Species;
use trample_season::lane::{self, Difference};
use trample_season::{SeasonError, rules};

/// The whole comparison, 4 grounds × 2 species × 20 seeds up to 500 passes, is `trample reproduce trails-live`.
#[test]
fn a_season_under_a_live_walkers_footfalls_leaves_what_the_walker_has_left() -> Result<(), SeasonError> {
    let times = [25, 50];
    let scene = lane::scene(&Species::LAWN_GRASS, "loam", 50, 4);
    let walked = lane::live(&scene, &times)?;
    assert!(walked.falls.iter().map(Vec::len).sum::<usize>() > 400, "every footfall is told");
    let season = lane::season(&scene, 50, 5);
    let stamped = lane::by_footfalls(&season, &rules(&season)?, &walked, 5, &times);
    for (season, live) in stamped.iter().zip(&walked.moments) {
        let d = Difference::of(season, live);
        assert!(d.depth.abs() < 0.05 && d.section.abs() < 0.08, "{} passes: {d:?}", live.passes);
        assert!(d.cover.abs() < 0.03 && d.ks < 0.12, "{} passes: {d:?}", live.passes);
        let mean = |x: &[f32]| x.iter().sum::<f32>() / x.len() as f32;
        let falls = mean(&season.footfalls) / mean(&live.footfalls);
        // The mean print leaves out slivers that single live steps cover.
        assert!((falls - 1.0).abs() < 0.07, "{falls} of the live footfalls");
    }
    Ok(())
}
