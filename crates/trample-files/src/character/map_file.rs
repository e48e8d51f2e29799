//! A map file: a user's own word on which joint is which, for what cannot be found.
//!
//! ```toml
//! unit = 0.01           # metres per unit of the file
//! up = "z"              # x, y, z, -x, -y or -z
//! first_frame = 1       # leave the T-pose out
//! mass = 70.0           # kg
//!
//! [joints]
//! pelvis = "Bone.001"
//! left_hip = "Bone.017"
//! ```

use super::error::CharacterError;
use super::part::Part;
use super::source::Source;
use crate::memory;
use std::io::Read;
use std::path::Path;
use trample::glam::Vec3;

/// What a map file says; everything may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapFile {
    /// Parts and the names of their joints.
    pub joints: Vec<(Part, String)>,
    /// Metres per unit of the file.
    pub unit: Option<f32>,
    /// Which way is up in the file.
    pub up: Option<Vec3>,
    /// First frame that counts.
    pub first_frame: Option<usize>,
    /// Mass of the body, kg.
    pub mass: Option<f64>,
}

/// Largest map file, bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a map file.
pub fn read(path: &Path) -> Result<MapFile, CharacterError> {
    let io = |action| move |source| CharacterError::Io { path: path.into(), action, source };
    let size = memory::facts(path).map_err(io("read the map file"))?.len;
    if size > LARGEST {
        return Err(CharacterError::TooLarge { path: path.into(), size, largest: LARGEST });
    }
    let mut text = String::new();
    memory::open(path)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(io("read the map file"))?;
    parse(path, &text)
}

/// Reads the text of a map file; `path` is for messages.
pub fn parse(path: &Path, text: &str) -> Result<MapFile, CharacterError> {
    let line_of =
        |at: usize| text.as_bytes()[..at.min(text.len())].iter().filter(|&&b| b == b'\n').count() + 1;
    let fail = |line: usize, found: String, expected: &str| CharacterError::Line {
        path: path.into(),
        line,
        found,
        expected: expected.into(),
    };
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
        fail(line_of(e.span().map_or(0, |s| s.start)), e.message().into(), "a TOML file")
    })?;
    // Keys are few; the line of one is where its name first stands.
    let place = |key: &str| text.find(key).map_or(1, line_of);
    let mut map = MapFile::default();
    let number = |key: &str, value: &toml::Value, low: f64, high: f64| {
        let found = value.as_float().or_else(|| value.as_integer().map(|i| i as f64));
        found.filter(|x| (low..=high).contains(x)).ok_or_else(|| {
            fail(place(key), format!("`{key} = {value}`"), &format!("a number from {low} to {high}"))
        })
    };
    for (key, value) in &table {
        match key.as_str() {
            "unit" => map.unit = Some(number(key, value, 1e-6, 1e3)? as f32),
            "mass" => map.mass = Some(number(key, value, 0.1, 10_000.0)?),
            "first_frame" => map.first_frame = Some(number(key, value, 0.0, 1e9)? as usize),
            "up" => {
                let up = match value.as_str() {
                    Some("x") => Vec3::X,
                    Some("y") => Vec3::Y,
                    Some("z") => Vec3::Z,
                    Some("-x") => Vec3::NEG_X,
                    Some("-y") => Vec3::NEG_Y,
                    Some("-z") => Vec3::NEG_Z,
                    _ => return Err(fail(place(key), format!("`up = {value}`"), "x, y, z, -x, -y or -z")),
                };
                map.up = Some(up);
            }
            "joints" => {
                let joints =
                    value.as_table().ok_or_else(|| fail(place(key), "no table".into(), "`[joints]`"))?;
                for (name, joint) in joints {
                    let all = Part::ALL.map(Part::name).join(", ");
                    let part = Part::by_name(name)
                        .ok_or_else(|| fail(place(name), format!("`{name}`"), &format!("one of {all}")))?;
                    let joint = joint.as_str().ok_or_else(|| {
                        fail(place(name), format!("`{name} = {joint}`"), "the name of a joint in quotes")
                    })?;
                    map.joints.push((part, joint.into()));
                }
            }
            _ => {
                let expected = "unit, up, first_frame, mass or [joints]";
                return Err(fail(place(key), format!("`{key}`"), expected));
            }
        }
    }
    Ok(map)
}

/// The joint of that name; an error says which there are.
pub(super) fn joint(path: &Path, source: &Source, part: Part, name: &str) -> Result<usize, CharacterError> {
    source.joints.iter().position(|j| j.name == name).ok_or_else(|| {
        let some: Vec<&str> = source.joints.iter().take(30).map(|j| j.name.as_str()).collect();
        let more = if source.joints.len() > 30 { ", …" } else { "" };
        CharacterError::NoBody {
            path: path.into(),
            problem: format!(
                "the map file's {} = `{name}` is no joint; there are {}{more}",
                part.name(),
                some.join(", ")
            ),
        }
    })
}
