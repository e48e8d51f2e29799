//! Which keys go with which choice, made from the tables of parameters. For reading, for settings and for messages.

use std::sync::LazyLock;
use trample::Base;
use trample::params::{Body, Field, Material, Species};
use trample::scene::{
    Calendar, Choice, Fall, Nature, Path, PlantPatch, Press, Scene, Script, Terrain, TrailRoute, Visitors,
    Walk, WalkerSpec,
};

/// A choice and the keys that only it has.
pub(crate) type Groups = [(&'static str, Vec<&'static str>)];
type Lazy = LazyLock<Vec<(&'static str, Vec<&'static str>)>>;
type Keys = LazyLock<Vec<&'static str>>;

/// The names of a table and others.
fn with<T: 'static>(fields: &'static [Field<T>], others: &[&'static str]) -> Vec<&'static str> {
    Field::names(fields).chain(others.iter().copied()).collect()
}

/// Keys of `[terrain.base]` by `kind`.
pub(crate) static KINDS: Lazy = LazyLock::new(|| {
    let of = |base: &Base, others: &[&'static str]| {
        let own = Base::FIELDS.iter().filter(|f| f.get(base).is_some()).map(|f| f.range.name);
        own.chain(others.iter().copied()).collect()
    };
    let raster = ["file", "height_range", "scale", "nodata", "spacing", "keep_datum"];
    super::ground::kinds()
        .map(|(kind, base)| (kind, of(&base, if kind == "hills" { &["seed"] } else { &[] })))
        .into_iter()
        .chain([("raster", raster.to_vec())])
        .collect()
});

/// Keys of a `[[puppet]]` by `motion`.
pub(crate) static MOTIONS: Lazy = LazyLock::new(|| {
    let walk = [with(Path::FIELDS, &["waypoints", "back_and_forth"]), with(Walk::FIELDS, &[])].concat();
    vec![
        ("walk", walk),
        ("drop", with(Fall::FIELDS, &["position"])),
        ("press", with(Press::FIELDS, &["position"])),
        ("host", vec![Script::FEET.name]),
    ]
});

/// Keys that every puppet has.
pub(crate) static BODY: Keys =
    LazyLock::new(|| with(Body::FIELDS, &["body", "footwear", "sole", "hold", "motion"]));

/// Keys of a `[[walker]]`.
#[rustfmt::skip]
pub(crate) static WALKER: Keys = LazyLock::new(|| {
    let words = ["name", "body", "character", "footwear", "sole", "waypoints", "route", "back_and_forth", "metabolic", "motion",
        "force", "model", "balance", "position", "take", "fill"];
    [with(Body::FIELDS, &words), with(Path::FIELDS, &[]), with(WalkerSpec::FIELDS, &[])].concat()
});

/// Keys of a `[[plants]]` by `method`.
pub(crate) static METHODS: Lazy = LazyLock::new(|| {
    let simulated = PlantPatch::default();
    let only = PlantPatch::FIELDS.iter().filter(|f| f.get(&simulated).is_none()).map(|f| f.range.name);
    vec![("simulated", Vec::new()), ("displaced", only.collect())]
});

/// Keys that only a `[[plants]]` has.
pub(crate) static PLANTS: Keys = LazyLock::new(|| {
    let words = ["species", "shape", "density_map", "strength_map", "placement", "method"];
    [with(PlantPatch::FIELDS, &words), with(Species::FIELDS, &[])].concat()
});

/// Keys of the scene itself.
pub(crate) static TOP: Keys =
    LazyLock::new(|| with(Scene::FIELDS, &["name", "about", "seed", "wind", "scripted_feet"]));

/// Keys of `[terrain]`.
pub(crate) static TERRAIN: Keys =
    LazyLock::new(|| with(Terrain::FIELDS, &["law", "size", "material", "base", "place"]));

/// Keys that only a `[[material]]` has.
pub(crate) static MATERIAL: Keys = LazyLock::new(|| with(Material::FIELDS, &["colour"]));

/// Keys of `[calendar]`, `[choice]` and `[nature]`, by their table.
pub(crate) static SEASON: Lazy = LazyLock::new(|| {
    vec![
        ("calendar", with(Calendar::FIELDS, &["start", "open"])),
        ("choice", with(Choice::FIELDS, &[])),
        ("nature", with(Nature::FIELDS, &["growing", "rain_by_day"])),
    ]
});

/// Keys of those who walk in a season.
pub(crate) static VISITORS: Keys = LazyLock::new(|| {
    [with(Visitors::FIELDS, &["body", "who", "footwear", "visits"]), with(TrailRoute::FIELDS, &[])].concat()
});

/// Whether `key` goes with the choice `name`; a key that no choice has goes with all.
pub(crate) fn goes_with(groups: &Groups, name: &str, key: &str) -> bool {
    let owners = owners(groups, key);
    owners.is_empty() || owners.contains(&name)
}

/// The choices that have `key`.
pub(crate) fn owners(groups: &Groups, key: &str) -> Vec<&'static str> {
    groups.iter().filter(|(_, keys)| keys.contains(&key)).map(|(name, _)| *name).collect()
}

/// All keys of all choices.
pub(crate) fn all(groups: &Groups) -> impl Iterator<Item = &'static str> {
    groups.iter().flat_map(|(_, keys)| keys.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_belongs_to_one_table() {
        let tables: [(&str, &[&str]); 5] = [
            ("scene", &TOP),
            ("terrain", &TERRAIN),
            ("material", &MATERIAL),
            ("body", &BODY),
            ("plants", &PLANTS),
        ];
        for (i, (a, keys)) in tables.iter().enumerate() {
            for (b, others) in &tables[i + 1..] {
                let both: Vec<_> =
                    keys.iter().filter(|k| others.contains(k) && !SHARED.contains(k)).collect();
                assert!(both.is_empty(), "{a} and {b} both have {both:?}: `--set` could not tell them apart");
            }
        }
    }

    /// Words that every table may have: they always come with a path.
    const SHARED: [&str; 5] = ["name", "seed", "material", "colour", "layer"];
}
