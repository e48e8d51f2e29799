//! Legends: which values the colours of a map stand for, and the numbers beside them.

use trample::{Map, World};

/// The legend of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What it is.
    pub title: String,
    /// Values at the two ends of the colours, in the shown unit.
    pub range: [f64; 2],
    /// Values to write beside, in the shown unit.
    pub ticks: Vec<f64>,
    /// The shown unit.
    pub unit: &'static str,
    /// Names of the entries where the map counts kinds instead of measuring.
    pub names: Vec<String>,
}

/// Shown unit of a map and how many of it make one of the map's own.
pub fn shown_unit(map: Map) -> (&'static str, f64) {
    match map {
        Map::Compression | Map::Accumulation => ("mm", 1e3),
        Map::PressureTime => ("kPa·s", 1e-3),
        _ => (map.unit(), 1.0),
    }
}

/// A range of colours that holds what the map shows now, rounded up so that it does not change with every step.
pub fn range(world: &World, map: Map) -> [f64; 2] {
    match map {
        Map::Vegetation => [0.0, 1.0],
        Map::Material => [0.0, (world.scene().terrain.materials.len().max(2) - 1) as f64],
        Map::Height => {
            let (mut low, mut high) = (f64::MAX, f64::MIN);
            let size = world.scene().terrain.size;
            for i in 0..=24 {
                for j in 0..=24 {
                    let h = world.height(size[0] * f64::from(i) / 24.0, size[1] * f64::from(j) / 24.0);
                    (low, high) = (low.min(h), high.max(h));
                }
            }
            let (low, high) = (low.min(world.map(map).min()), high.max(world.map(map).max()));
            let margin = round_up(0.02 * (high - low).max(0.05));
            [(low / margin).floor() * margin, (high / margin).ceil() * margin]
        }
        Map::Compression | Map::Accumulation => [0.0, round_up(world.map(map).max().max(0.005))],
        Map::PressureTime => [0.0, round_up(world.map(map).max().max(1e3))],
    }
}

/// The next of 1, 2, 5 times a power of ten.
pub fn round_up(x: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(x)));
    let lead = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= x * (1.0 - 1e-9)).unwrap_or(10.0);
    lead * power
}

/// The legend of a map over a range in the map's own unit.
pub fn legend(world: &World, map: Map, range: [f64; 2]) -> Legend {
    let (unit, factor) = shown_unit(map);
    let shown = range.map(|x| x * factor);
    let names = match map {
        Map::Material => world.scene().terrain.materials.iter().map(|m| m.name.clone()).collect(),
        _ => Vec::new(),
    };
    let step = round_up((shown[1] - shown[0]) / 5.0);
    let first = (shown[0] / step - 1e-6).ceil() as i64;
    let last = (shown[1] / step + 1e-6).floor() as i64;
    let ticks = (first..=last).map(|i| i as f64 * step).collect();
    let title = map.name().replace('_', " ");
    Legend { title, range: shown, ticks, unit, names }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn every_map_has_a_legend_that_holds_its_values() {
        let scene = library::by_name("walk-snow").expect("scene");
        let mut world = World::new(&scene).expect("world");
        for _ in 0..120 {
            world.step(scene.dt());
        }
        for map in Map::ALL {
            let range = range(&world, map);
            assert!(range[0] < range[1], "{}", map.name());
            assert!(world.map(map).max() <= range[1] + 1e-9, "{}", map.name());
            let legend = legend(&world, map, range);
            assert!((2..=12).contains(&legend.ticks.len()), "{}: {:?}", map.name(), legend.ticks);
            assert!(
                legend.ticks.iter().all(|t| *t >= legend.range[0] - 1e-9 && *t <= legend.range[1] + 1e-9)
            );
        }
    }

    #[test]
    fn ranges_are_round_numbers() {
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(
            close(round_up(0.0031), 0.005) && close(round_up(0.05), 0.05) && close(round_up(130.0), 200.0)
        );
    }
}
