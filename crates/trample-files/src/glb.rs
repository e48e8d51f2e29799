//! Animated walkers and the ground they pressed as binary glTF 2.0, for any viewer or 3D program.
//!
//! In: skins, poses over time, and meshes of the ground and its plants. Out: one file with a node for every joint, a skin with inverse bind
//! matrices, one animation (rotations of the joints, translation of the pelvis, pieces of ground that come and go), and plants as they are in the
//! end. Metres, y up,
//! right-handed, as glTF wants it. What is written follows the Khronos specification of glTF 2.0.

mod actor;
mod buffer;
mod clip;
mod guest;
mod herbage;
mod land;

pub use actor::Actor;
pub use guest::Guest;
pub use herbage::{Growth, Herbage, MOST as MOST_PLANT_POINTS};
pub use land::Land;

use crate::atomic;
use crate::history::Piece;
use buffer::{Buffer, Use};
use serde_json::{Value, json};
use std::path::Path;
use trample::body::Skeleton;
use trample::clips::Clip;
use trample_looks::Skin;

/// Most bytes of a file: its own format counts them in 32 bits.
const LARGEST: usize = u32::MAX as usize - 4096;

/// Why a scene cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum GlbError {
    /// More than the format can hold.
    #[error("{0} bytes are more than a GLB file can hold; crop the ground or sample less often")]
    TooLarge(usize),
    /// An actor without poses, or whose times and poses do not belong together.
    #[error("`{0}`: {1}")]
    Actor(String, &'static str),
    /// The disk said no.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
}

/// All that a file shows.
#[derive(Clone, Debug, Default)]
pub struct Show<'a> {
    /// The bodies' meshes; several actors may share one.
    pub skins: &'a [Skin],
    /// Walkers in our skin.
    pub actors: Vec<Actor<'a>>,
    /// Walkers and animals in the skin of their own file.
    pub guests: Vec<Guest<'a>>,
    /// The ground, if it is shown: what of it stays as it is.
    pub land: Option<Land>,
    /// Pieces of it that come and go.
    pub pieces: Vec<Piece>,
    /// The plants, as they are in the end.
    pub growth: Growth,
}

/// Writes a file, whole or not at all.
pub fn write(path: &Path, show: &Show<'_>) -> Result<(), GlbError> {
    let bytes = bytes(show)?;
    atomic::write(path, &bytes).map_err(|e| GlbError::File(path.display().to_string(), e))
}

/// The bytes of a file.
pub fn bytes(show: &Show<'_>) -> Result<Vec<u8>, GlbError> {
    let mut parts = Parts::default();
    if let Some(land) = &show.land {
        land.put(&mut parts);
    }
    show.growth.put(&mut parts);
    let mut walk = Channels::default();
    land::put_pieces(&mut parts, &show.pieces, &mut walk);
    actor::put(&mut parts, show, &mut walk)?;
    guest::put(&mut parts, show, &mut walk)?;
    walk.put(&mut parts);
    finish(parts)
}

/// A clip without a mesh as the bytes of a file: joints by MotionBuilder's names, one animation called `name`.
pub fn clip_bytes(clip: &Clip, skeleton: &Skeleton, name: &str) -> Result<Vec<u8>, GlbError> {
    let mut parts = Parts::default();
    clip::put(&mut parts, clip, skeleton, name)?;
    finish(parts)
}

/// Parts put together.
fn finish(parts: Parts) -> Result<Vec<u8>, GlbError> {
    let mut root = json!({
        "asset": { "version": "2.0", "generator": concat!("trample ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": parts.roots }],
    });
    // An empty list is not allowed: what there is nothing of is not named.
    let lists = [
        ("nodes", parts.nodes),
        ("meshes", parts.meshes),
        ("materials", parts.materials),
        ("textures", parts.textures),
        ("images", parts.images),
        ("skins", parts.skins),
        ("animations", parts.animations),
        ("accessors", parts.buffer.accessors),
        ("bufferViews", parts.buffer.views),
    ];
    for (name, list) in lists {
        if !list.is_empty() {
            root[name] = Value::Array(list);
        }
    }
    let mut binary = parts.buffer.bytes;
    if binary.len() > LARGEST {
        return Err(GlbError::TooLarge(binary.len()));
    }
    if !binary.is_empty() {
        root["buffers"] = json!([{ "byteLength": binary.len() }]);
    }
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let chunk = |n: usize| if n == 0 { 0 } else { 8 + n };
    let total = 12 + chunk(text.len()) + chunk(binary.len());
    if total > LARGEST {
        return Err(GlbError::TooLarge(total));
    }
    let mut out = Vec::with_capacity(total);
    for word in [0x4654_6C67, 2, total as u32, text.len() as u32, 0x4E4F_534A] {
        out.extend(u32::to_le_bytes(word));
    }
    out.extend(text);
    if !binary.is_empty() {
        out.extend((binary.len() as u32).to_le_bytes());
        out.extend(0x004E_4942u32.to_le_bytes());
        out.extend(binary);
    }
    Ok(out)
}

/// A file being put together.
#[derive(Default)]
pub(crate) struct Parts {
    roots: Vec<usize>,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    textures: Vec<Value>,
    images: Vec<Value>,
    skins: Vec<Value>,
    animations: Vec<Value>,
    buffer: Buffer,
}

/// An animation being put together.
#[derive(Default)]
pub(crate) struct Channels<'a> {
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Actors that were seen at the same moments share their times.
    clocks: Vec<(&'a [f32], usize)>,
}

impl<'a> Channels<'a> {
    /// The accessor of some moments.
    fn clock(&mut self, parts: &mut Parts, times: &'a [f32]) -> usize {
        if let Some((_, known)) = self.clocks.iter().find(|(other, _)| *other == times) {
            return *known;
        }
        let rows: Vec<[f32; 1]> = times.iter().map(|&t| [t]).collect();
        let accessor = parts.buffer.floats(&rows, Use::Other, true);
        self.clocks.push((times, accessor));
        accessor
    }

    /// Lets a property of a node move.
    fn add(&mut self, node: usize, path: &str, input: usize, output: usize) {
        self.add_as(node, path, input, output, "LINEAR");
    }

    /// The same, with how to go from one value to the next.
    fn add_as(&mut self, node: usize, path: &str, input: usize, output: usize, how: &str) {
        self.channels
            .push(json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": path } }));
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": how }));
    }

    /// Adds the animation, if anything moves.
    fn put(self, parts: &mut Parts) {
        if !self.channels.is_empty() {
            parts
                .animations
                .push(json!({ "name": "walk", "channels": self.channels, "samplers": self.samplers }));
        }
    }
}

impl Parts {
    /// Adds a dull material and returns its number; the colour is linear.
    fn material(&mut self, name: &str, colour: [f32; 3]) -> usize {
        let [r, g, b] = colour;
        self.materials.push(json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9
            },
        }));
        self.materials.len() - 1
    }

    /// Adds a node and returns its number.
    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}
