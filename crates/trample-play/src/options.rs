//! How the window shows things: overlays, quality, time. Not part of the simulation, so not on the tape.

use trample::Map;

/// A set of choices about looks and speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// For software rendering and old machines: no shadows, no multisampling, less grass.
    Low,
    /// Shadows, no multisampling.
    Medium,
    /// Soft shadows, four samples a pixel.
    High,
}

impl Quality {
    /// All.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The one of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|q| q.name() == name)
    }

    /// Whether the sun throws shadows.
    pub const fn shadows(self) -> bool {
        !matches!(self, Self::Low)
    }

    /// Side of the shadow map, texels.
    pub const fn shadow_map(self) -> usize {
        match self {
            Self::Low => 512,
            Self::Medium => 1024,
            Self::High => 2048,
        }
    }

    /// Samples a pixel.
    pub const fn samples(self) -> u32 {
        if matches!(self, Self::High) { 4 } else { 1 }
    }
}

/// What is drawn over the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlays {
    /// A map over the ground.
    pub map: Option<Map>,
    /// How much of the ground's own colour it hides, 0..1.
    pub strength: f32,
    /// Arrows of weight, momentum and total force.
    pub forces: bool,
    /// Cells under the soles.
    pub contact: bool,
    /// The border that takes displaced material.
    pub border: bool,
    /// Centre of mass, and the area between the feet.
    pub balance: bool,
    /// The ground as the walker feels it with its feet.
    pub perceived: bool,
    /// Stems coloured by how stiff they still are.
    pub stiffness: bool,
    /// The skeleton.
    pub skeleton: bool,
    /// Meshes as lines.
    pub wireframe: bool,
}

impl Default for Overlays {
    fn default() -> Self {
        Self {
            map: None,
            strength: 0.8,
            forces: false,
            contact: false,
            border: false,
            balance: false,
            perceived: false,
            stiffness: false,
            skeleton: false,
            wireframe: false,
        }
    }
}

/// A switch of [`Overlays`]: its name and where it is.
pub type Switch = (&'static str, fn(&mut Overlays) -> &mut bool);

impl Overlays {
    /// All switches with their names.
    pub const SWITCHES: [Switch; 8] = [
        ("forces", |o| &mut o.forces),
        ("contact", |o| &mut o.contact),
        ("border", |o| &mut o.border),
        ("balance", |o| &mut o.balance),
        ("perceived", |o| &mut o.perceived),
        ("stiffness", |o| &mut o.stiffness),
        ("skeleton", |o| &mut o.skeleton),
        ("wireframe", |o| &mut o.wireframe),
    ];

    /// Names of the switches that are on.
    pub fn on(&self) -> Vec<&'static str> {
        let mut copy = *self;
        Self::SWITCHES.iter().filter(|(_, field)| *field(&mut copy)).map(|(name, _)| *name).collect()
    }

    /// The next map, and after the last none.
    pub fn next_map(&mut self) {
        self.map = match self.map {
            None => Some(Map::ALL[0]),
            Some(map) => Map::ALL.iter().position(|m| *m == map).and_then(|i| Map::ALL.get(i + 1).copied()),
        };
    }
}

/// Slowest and fastest time scale.
pub const TIME_SCALES: [f64; 2] = [0.05, 4.0];

/// The next slower or faster time scale, by halves and doubles.
pub fn paced(scale: f64, faster: bool) -> f64 {
    (if faster { 2.0 * scale } else { 0.5 * scale }).clamp(TIME_SCALES[0], TIME_SCALES[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_comes_by_and_then_none() {
        let mut overlays = Overlays::default();
        let mut seen = Vec::new();
        for _ in Map::ALL {
            overlays.next_map();
            seen.extend(overlays.map);
        }
        assert_eq!(seen, Map::ALL);
        overlays.next_map();
        assert_eq!(overlays.map, None);
    }

    #[test]
    fn every_switch_turns_what_it_names_and_nothing_else() {
        for (name, field) in Overlays::SWITCHES {
            let mut overlays = Overlays::default();
            assert!(overlays.on().is_empty());
            *field(&mut overlays) = true;
            assert_eq!(overlays.on(), [name]);
        }
    }

    #[test]
    fn time_is_paced_within_bounds() {
        assert_eq!(paced(1.0, true), 2.0);
        assert_eq!(paced(4.0, true), 4.0);
        assert_eq!(paced(0.06, false), 0.05);
    }
}
