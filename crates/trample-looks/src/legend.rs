//! Legends: which values the colours of a map stand for, and the numbers beside them.

use crate::tick::{round_up, ticks};
use trample::{Map, World};
use trample::{Ramp, Span};

/// The legend of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What it is.
    pub title: String,
    /// The colours.
    pub ramp: Ramp,
    /// Values at the two ends of the colours, in the shown unit.
    pub range: [f64; 2],
    /// Values to write beside, in the shown unit, and how they are written.
    pub ticks: Vec<(f64, String)>,
    /// The shown unit.
    pub unit: &'static str,
    /// Names of the entries where the map counts kinds instead of measuring.
    pub names: Vec<String>,
}

/// A range of colours that holds what the map shows now, rounded up so that it does not change with every step.
pub fn range(world: &World, map: Map) -> [f64; 2] {
    let view = world.map(map);
    match map.row().span {
        Span::Fixed(ends) => ends,
        Span::FromZero(least) => [0.0, round_up(view.max().max(least))],
        Span::Symmetric(least) => {
            let far = round_up(view.max().abs().max(view.min().abs()).max(least));
            [-far, far]
        }
        Span::Kinds(kinds) => [0.0, (kinds.len().max(2) - 1) as f64],
        Span::Materials => [0.0, (world.scene().terrain.materials.len().max(2) - 1) as f64],
        Span::Whole(least) => {
            let [nx, nz] = world.ground().size.map(|n| n - 1);
            let places = (0..25).flat_map(|i| (0..25).map(move |j| view.at(i * nx / 24, j * nz / 24)));
            let ends = [view.min(), view.max()].into_iter().chain(places);
            let [low, high] = ends.fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(x), high.max(x)]);
            let margin = round_up(0.02 * (high - low).max(least));
            [(low / margin).floor() * margin, (high / margin).ceil() * margin]
        }
    }
}

/// The legend of a map over a range in the map's own unit.
pub fn legend(world: &World, map: Map, range: [f64; 2]) -> Legend {
    let row = map.row();
    let (unit, factor) = row.display;
    let range = range.map(|x| x * factor);
    let names = match row.span {
        Span::Materials => world.scene().terrain.materials.iter().map(|m| m.name.clone()).collect(),
        Span::Kinds(kinds) => kinds.iter().map(|kind| kind.0.into()).collect(),
        _ => Vec::new(),
    };
    Legend { title: map.title(), ramp: row.ramp, range, ticks: ticks(range[0], range[1], 5), unit, names }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn every_map_has_a_legend_that_holds_its_values() {
        let scene = library::by_name("walk-snow").expect("scene");
        let mut world = World::new(&scene).expect("world");
        while world.time() < 2.0 {
            world.step(scene.dt());
        }
        for map in Map::ALL {
            let range = range(&world, map);
            assert!(range[0] < range[1], "{}", map.name());
            assert!(world.map(map).max() <= range[1] + 1e-9, "{}", map.name());
            let legend = legend(&world, map, range);
            assert!((2..=12).contains(&legend.ticks.len()), "{}: {:?}", map.name(), legend.ticks);
            let [low, high] = legend.range;
            assert!(legend.ticks.iter().all(|(t, _)| (low - 1e-9..=high + 1e-9).contains(t)));
        }
    }
}
