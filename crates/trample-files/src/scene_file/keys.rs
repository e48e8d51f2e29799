//! Which keys go with which choice. One table for reading, for settings and for messages.

/// A choice and the keys that only it has.
pub(crate) type Groups = [(&'static str, &'static [&'static str])];

/// Keys of `[terrain.base]` by `kind`.
pub(crate) const KINDS: &Groups = &[
    ("flat", &[]),
    ("slope", &["angle_deg", "direction_deg"]),
    ("hills", &["amplitude", "wavelength", "seed"]),
    ("dune", &["height", "crest", "windward_deg", "lee_deg"]),
    ("raster", &["file", "height_range", "scale", "nodata", "spacing", "keep_datum"]),
];

/// Keys of a `[[puppet]]` by `motion`.
#[rustfmt::skip]
pub(crate) const MOTIONS: &Groups = &[
    ("walk", &["waypoints", "passes", "back_and_forth", "speed", "step_length", "step_width", "lateral_sd", "step_sd", "start"]),
    ("drop", &["position", "drop_height", "rest", "start"]),
    ("press", &["position", "presses", "down", "up", "scatter", "heading_deg", "start"]),
    ("host", &["feet"]),
];

/// Keys that every puppet has.
pub(crate) const BODY: &[&str] =
    &["mass", "height", "foot_length", "foot_width", "footwear", "sole", "hold", "motion"];

/// Whether `key` goes with the choice `name`; a key that no choice has goes with all.
pub(crate) fn goes_with(groups: &Groups, name: &str, key: &str) -> bool {
    let owners = owners(groups, key);
    owners.is_empty() || owners.contains(&name)
}

/// The choices that have `key`.
pub(crate) fn owners(groups: &Groups, key: &str) -> Vec<&'static str> {
    groups.iter().filter(|(_, keys)| keys.contains(&key)).map(|(name, _)| *name).collect()
}

/// All keys of all choices, each once.
pub(crate) fn all(groups: &Groups) -> Vec<&'static str> {
    let mut keys: Vec<&str> = groups.iter().flat_map(|(_, keys)| keys.iter().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Keys of a `[[walker]]`.
#[rustfmt::skip]
pub(crate) const WALKER: &[&str] = &["name", "body", "character", "height", "mass", "foot_length", "foot_width", "footwear", "sole", "waypoints", "route", "passes",
    "back_and_forth", "speed", "lateral_sd", "start", "metabolic", "motion", "force", "model", "balance", "position", "heading_deg"];

/// Keys of a `[[plants]]` by `method`.
pub(crate) const METHODS: &Groups = &[("simulated", &[]), ("displaced", &["most", "fade"])];

/// Keys that only a `[[plants]]` has; those of its species are `Species::RANGES`.
pub(crate) const PLANTS: &[&str] =
    &["species", "shape", "density", "density_map", "placement", "method", "most", "fade"];
