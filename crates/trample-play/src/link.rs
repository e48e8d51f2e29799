//! Links: scene and parameters in the query of a URL, as `?scene=walk-mud&material.0.layer=0.2`, so that they can be shared.

use crate::camera::View;
use crate::options::{self, Quality};
use crate::parameter::{Focus, parameters};
use trample::Map;
use trample::scene::{Scene, Script};
use trample_files::Source;

/// What a link asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Name of the scene.
    pub scene: Option<String>,
    /// Settings over it, `key=value`, as for `trample run --set`.
    pub settings: Vec<String>,
    /// Other words, such as `quality=low`, for the window.
    pub options: Vec<(String, String)>,
}

/// Longest word on what is wrong with a part of a link, letters.
const LONGEST: usize = 110;

/// Keys that are for the window and not for the scene.
pub const OPTIONS: [&str; 7] =
    ["quality", "resolution", "camera", "overlay", "paused", "panel", "time_scale"];

/// Reads the query of a URL, with or without the question mark.
pub fn parse(query: &str) -> Link {
    let mut link = Link::default();
    for part in query.trim_start_matches('?').split('&').filter(|p| !p.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (key, value) = (decoded(key), decoded(value));
        if key == "scene" {
            link.scene = Some(value);
        } else if OPTIONS.contains(&key.as_str()) {
            link.options.push((key, value));
        } else {
            link.settings.push(format!("{key}={value}"));
        }
    }
    link
}

/// Whether a word for the window means something.
pub fn is_option(key: &str, value: &str) -> bool {
    match key {
        "quality" => Quality::by_name(value).is_some(),
        "resolution" => options::resolution(value).is_some(),
        "time_scale" => options::time_scale(value).is_some(),
        "camera" => View::by_name(value).is_some(),
        "overlay" => Map::by_name(value).is_some(),
        "panel" => matches!(value, "on" | "off"),
        _ => true,
    }
}

/// Leaves out what a scene does not take, so that one wrong word does not spoil a link; says what, in a few words each.
pub fn accept(source: &mut Source, settings: &[String]) -> Vec<String> {
    let mut refused = Vec::new();
    for setting in settings {
        source.settings.push(setting.clone());
        if let Err(problem) = source.scene() {
            source.settings.pop();
            let words = problem.to_string().replace("--set ", "");
            let words = words.lines().next().unwrap_or_default();
            let short: String = words.chars().take(LONGEST).collect();
            let more = if words.chars().count() > LONGEST { " …" } else { "" };
            refused.push(format!("{short}{more}"));
        }
    }
    refused
}

/// The query that brings a scene back with what was changed on it.
pub fn query(name: &str, settings: &[String]) -> String {
    let mut out = format!("?scene={}", encoded(name));
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        out += &format!("&{}={}", encoded(key), encoded(value));
    }
    out
}

/// What differs between a scene as it began and as it is, as settings. Walkers that came later are not told.
pub fn changes(before: &Scene, now: &Scene) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let rows = parameters();
    let walkers = before.puppets.iter().take(now.puppets.len());
    let foci = (0..before.terrain.materials.len())
        .map(|material| Focus { material, ..Focus::default() })
        .chain((0..before.plants.len()).map(|patch| Focus { patch, ..Focus::default() }))
        .chain(
            walkers
                .enumerate()
                .filter(|(_, p)| matches!(p.script, Script::Walker(_)))
                .map(|(walker, _)| Focus { walker, ..Focus::default() }),
        );
    for focus in foci {
        for row in &rows {
            let same = match (row.get(before, focus), row.get(now, focus)) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * a.abs().max(b.abs()),
                (a, b) => a == b,
            };
            if let Some(setting) = row.setting(now, focus).filter(|s| !same && !found.contains(s)) {
                found.push(setting);
            }
        }
    }
    found
}

fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = bytes.get(i + 1..i + 3).and_then(|h| std::str::from_utf8(h).ok());
        match (bytes[i], hex.and_then(|h| u8::from_str_radix(h, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                i += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        i += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::start;
    use trample::World;

    #[test]
    fn a_shared_link_brings_the_tuned_scene_back() {
        let mut source = start::find("bend-and-return").expect("found");
        let before = source.scene().expect("scene");
        let mut world = World::new(&before).expect("world");
        let focus = Focus::default();
        for (key, value) in [
            ("ground.youngs_modulus", 0.4e6),
            ("ground.rest_angle_deg", 21.5),
            ("law.contour", 0.06),
            ("plants.break_angle_deg", 55.0),
            ("plants.density", 123.0),
            ("body.mass", 95.5),
            ("body.thigh", 0.47),
            ("body.footwear", 2.0),
            ("walk.balance", 0.0),
            ("walk.speed", 1.1),
        ] {
            Action::set(key, focus, value).apply(&mut world).unwrap_or_else(|e| panic!("{key}: {e}"));
        }
        let link = parse(&query("bend-and-return", &changes(&before, world.scene())));
        assert_eq!(link.scene.as_deref(), Some("bend-and-return"));
        source.settings = link.settings;
        let again = source.scene().expect("the link's scene");
        for row in parameters() {
            let (a, b) = (row.get(&again, focus), row.get(world.scene(), focus));
            let close = match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1e-9),
                (a, b) => a == b,
            };
            assert!(close, "{}: {a:?} instead of {b:?}", row.key());
        }
    }

    #[test]
    fn queries_are_taken_apart_and_hostile_ones_do_no_harm() {
        let link = parse("?scene=my%20scene&mass=90&quality=low&x=%zz%E2%82&&=");
        assert_eq!(link.scene.as_deref(), Some("my scene"));
        assert_eq!(link.settings[0], "mass=90");
        assert_eq!(link.options, [("quality".to_string(), "low".to_string())]);
        assert_eq!(parse(""), Link::default());
        let odd = "a b&c=ü%";
        assert_eq!(decoded(&encoded(odd)), odd);
    }

    #[test]
    fn one_wrong_word_does_not_spoil_a_link() {
        let mut source = start::find("walk-mud").expect("found");
        let settings = ["nonsense=3", "walker.0.mass=95", "walker.0.height=99", "utm_source=mail"];
        let refused = accept(&mut source, &settings.map(String::from));
        assert_eq!(refused.len(), 3, "{refused:?}");
        assert!(refused[0].starts_with("nonsense=3") && refused[1].contains("height"), "{refused:?}");
        assert!(refused.iter().all(|words| words.chars().count() <= LONGEST + 2), "{refused:?}");
        assert_eq!(source.scene().expect("runs").puppets[0].body.mass, 95.0);
        assert!(is_option("quality", "low") && !is_option("quality", "ultra") && !is_option("camera", "foo"));
    }

    #[test]
    fn nothing_changed_is_nothing_to_tell() {
        let scene = start::stroll();
        assert_eq!(changes(&scene, &scene), Vec::<String>::new());
        assert_eq!(query("stroll", &[]), "?scene=stroll");
    }
}
