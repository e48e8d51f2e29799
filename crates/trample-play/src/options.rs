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

    /// Pixels of the picture for a pixel of the window, along each side.
    pub const fn resolution(self) -> f32 {
        if matches!(self, Self::Low) { 0.66 } else { 1.0 }
    }

    /// Samples a pixel.
    pub const fn samples(self) -> u32 {
        if matches!(self, Self::High) { 4 } else { 1 }
    }
}

/// Least and most pixels of the picture for a pixel of the window, along each side.
pub const RESOLUTIONS: [f32; 2] = [0.25, 1.0];
/// Longest side of the picture, pixels: what every device with WebGL 2 in use can draw to.
const LONGEST: f32 = 4096.0;

/// Size of the picture of the world in a window of this size, pixels.
pub fn picture_size(window: [u32; 2], resolution: f32) -> [u32; 2] {
    let longest = window[0].max(window[1]).max(1) as f32;
    let scale = resolution.clamp(RESOLUTIONS[0], RESOLUTIONS[1]).min(LONGEST / longest);
    window.map(|n| ((n as f32 * scale).round() as u32).max(1))
}

/// The resolution to begin with on a screen with this many dots for a pixel of a page: small dots are not all drawn.
pub fn on_screen(quality: Quality, dots: f32) -> f32 {
    let most = 1.5 / if dots.is_finite() { dots.max(1.5) } else { 1.5 };
    (quality.resolution() * most).clamp(RESOLUTIONS[0], RESOLUTIONS[1])
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
    /// The routes that walkers follow.
    pub routes: bool,
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
            routes: false,
        }
    }
}

/// A switch of [`Overlays`]: its name and where it is.
pub type Switch = (&'static str, fn(&mut Overlays) -> &mut bool);

impl Overlays {
    /// All switches with their names.
    pub const SWITCHES: [Switch; 9] = [
        ("forces", |o| &mut o.forces),
        ("contact", |o| &mut o.contact),
        ("border", |o| &mut o.border),
        ("balance", |o| &mut o.balance),
        ("perceived", |o| &mut o.perceived),
        ("stiffness", |o| &mut o.stiffness),
        ("skeleton", |o| &mut o.skeleton),
        ("wireframe", |o| &mut o.wireframe),
        ("routes", |o| &mut o.routes),
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

/// A resolution from words, if it is one.
pub fn resolution(text: &str) -> Option<f32> {
    text.parse().ok().filter(|x| (RESOLUTIONS[0]..=RESOLUTIONS[1]).contains(x))
}

/// A time scale from words, if it is one.
pub fn time_scale(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x| (TIME_SCALES[0]..=TIME_SCALES[1]).contains(x))
}

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
    fn a_picture_is_a_share_of_its_window_and_never_too_large() {
        assert_eq!(picture_size([1280, 720], 1.0), [1280, 720]);
        assert_eq!(picture_size([1280, 720], 0.5), [640, 360]);
        assert_eq!(picture_size([3840, 2160], Quality::High.resolution()), [3840, 2160]);
        assert_eq!(picture_size([8192, 4096], 1.0), [4096, 2048]);
        assert_eq!(picture_size([0, 0], 1.0), [1, 1], "a window that is not there yet");
        assert_eq!(
            [1.0, 1.5, 3.0, f32::NAN].map(|dots| on_screen(Quality::High, dots)),
            [1.0, 1.0, 0.5, 1.0]
        );
    }

    #[test]
    fn time_is_paced_within_bounds() {
        assert_eq!(paced(1.0, true), 2.0);
        assert_eq!(paced(4.0, true), 4.0);
        assert_eq!(paced(0.06, false), 0.05);
        assert_eq!(
            (time_scale("0.5"), time_scale("9"), time_scale("NaN"), time_scale("x")),
            (Some(0.5), None, None, None)
        );
        assert_eq!((resolution("0.5"), resolution("2")), (Some(0.5), None));
    }
}
