//! The numbers of a glTF file: buffers from the file itself, from data URIs or from files beside it; accessors checked
//! against them before anything is allocated.

use super::error::CharacterError;
use crate::memory;
use base64::Engine;
use gltf::json;
use json::accessor::{ComponentType, Type};
use json::validation::Checked;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The JSON of a glTF file with its bytes.
pub(super) struct Data<'a> {
    pub(super) path: &'a Path,
    pub(super) root: json::Root,
    buffers: Vec<Option<Cow<'a, [u8]>>>,
    binary: Option<&'a [u8]>,
    read: BTreeMap<usize, Arc<[f32]>>,
    /// Numbers that may still be read: overlapping accessors shall not multiply a small file.
    budget: usize,
}

/// Largest buffer file, bytes.
const LARGEST: u64 = 512 << 20;

pub(super) fn part(path: &Path, place: impl Into<String>, problem: impl Into<String>) -> CharacterError {
    CharacterError::Part { path: path.into(), place: place.into(), problem: problem.into() }
}

/// Ways of packing that are not read: named, so that a user knows what to do.
const PACKED: [&str; 3] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// A file whose textures have no picture of their own and whose channels move nothing: glTF allows both.
fn completed(text: &[u8]) -> Option<json::Root> {
    let mut root: serde_json::Value = serde_json::from_slice(text).ok()?;
    let images = root.get("images").and_then(|i| i.as_array()).map_or(0, Vec::len);
    let mut list = |key: &str| root.get_mut(key).and_then(|l| l.as_array_mut().map(std::mem::take));
    let (mut textures, mut animations) = (list("textures"), list("animations"));
    for texture in textures.iter_mut().flatten().filter(|t| t.is_object()) {
        if texture.get("source").is_none() {
            texture["source"] = images.into();
        }
    }
    for animation in animations.iter_mut().flatten() {
        if let Some(channels) = animation.get_mut("channels").and_then(|c| c.as_array_mut()) {
            channels.retain(|c| c.get("target").is_some_and(|t| t.get("node").is_some()));
        }
    }
    for (key, value) in [("textures", textures), ("animations", animations)] {
        if let Some(value) = value {
            root[key] = value.into();
        }
    }
    serde_json::from_value(root).ok()
}

impl<'a> Data<'a> {
    /// Takes a file apart: binary or text.
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Result<Self, CharacterError> {
        let (text, binary) = if bytes.starts_with(b"glTF") { split(path, bytes)? } else { (bytes, None) };
        let root: json::Root = json::deserialize::from_slice(text).or_else(|e| {
            let problem = part(path, format!("line {} column {}", e.line(), e.column()), e.to_string());
            completed(text).ok_or(problem)
        })?;
        if let Some(packed) = PACKED.iter().find(|p| root.extensions_required.iter().any(|e| e == *p)) {
            let problem = format!(
                "its meshes are packed by {packed}, which is not read; write it unpacked, as `gltf-transform copy IN.glb OUT.glb` does"
            );
            return Err(part(path, "extensionsRequired", problem));
        }
        let buffers = vec![None; root.buffers.len()];
        let budget = 4 * bytes.len() + (1 << 16);
        Ok(Self { path, root, buffers, binary, read: BTreeMap::new(), budget })
    }

    fn fail(&self, place: impl Into<String>, problem: impl Into<String>) -> CharacterError {
        part(self.path, place, problem)
    }

    /// Brings the bytes of a buffer.
    fn load(&mut self, index: usize) -> Result<(), CharacterError> {
        if self.buffers[index].is_some() {
            return Ok(());
        }
        let place = format!("buffers[{index}]");
        let said = self.root.buffers[index].byte_length.0;
        let bytes: Cow<'a, [u8]> = match self.root.buffers[index].uri.as_deref() {
            None => match self.binary.filter(|_| index == 0) {
                Some(binary) => Cow::Borrowed(binary),
                None => return Err(self.fail(place, "has neither a URI nor a binary chunk")),
            },
            Some(uri) if uri.starts_with("data:") => {
                let (_, coded) = uri
                    .split_once(";base64,")
                    .ok_or_else(|| self.fail(&*place, "a data URI must be base64"))?;
                let engine = base64::engine::general_purpose::STANDARD;
                Cow::Owned(engine.decode(coded).map_err(|e| self.fail(&*place, format!("not base64: {e}")))?)
            }
            Some(uri) => Cow::Owned(self.beside(&place, uri)?),
        };
        if (bytes.len() as u64) < said {
            let problem = format!("says {said} bytes, has {}; copy or export the file again", bytes.len());
            return Err(self.fail(place, problem));
        }
        if !matches!(bytes, Cow::Borrowed(_)) {
            self.budget = self.budget.saturating_add(4 * bytes.len());
        }
        self.buffers[index] = Some(bytes);
        Ok(())
    }

    /// A file in the folder of this one or below it, and nowhere else.
    fn beside(&self, place: &str, uri: &str) -> Result<Vec<u8>, CharacterError> {
        let allowed = "only files in the folder of the glTF file or below it are read";
        let outside = || self.fail(place, format!("`{}` leads outside: {allowed}", shorten(uri)));
        let name = unescaped(uri).ok_or_else(outside)?;
        let relative = PathBuf::from(&name);
        let plain = relative.components().all(|c| matches!(c, Component::Normal(_)));
        if !plain || name.is_empty() || name.contains(['\\', ':', '\0']) {
            return Err(outside());
        }
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let fail = |e: std::io::Error| self.fail(place, format!("`{}`: {e}", shorten(uri)));
        let file = if memory::is_memory(self.path) {
            memory::folder_of(self.path).join(relative)
        } else {
            // A link may lead outside as well.
            let folder = folder.canonicalize().map_err(fail)?;
            let file = folder.join(relative).canonicalize().map_err(fail)?;
            if !file.starts_with(&folder) {
                return Err(outside());
            }
            file
        };
        let mut bytes = Vec::new();
        memory::open(&file).and_then(|f| f.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(fail)?;
        if bytes.len() as u64 > LARGEST {
            return Err(self.fail(place, format!("`{}` has more than {LARGEST} bytes", shorten(uri))));
        }
        Ok(bytes)
    }

    /// The numbers of an accessor as floats, and how many make a value. Normalised integers become fractions.
    pub(super) fn floats(&mut self, index: usize) -> Result<(Arc<[f32]>, usize), CharacterError> {
        let place = format!("accessors[{index}]");
        let Some(accessor) = self.root.accessors.get(index) else {
            return Err(self.fail(place, "there is no such accessor"));
        };
        let (Checked::Valid(kind), Checked::Valid(component)) = (accessor.type_, accessor.component_type)
        else {
            return Err(self.fail(place, "type or component type is not one of glTF's"));
        };
        let (width, size) = (components(kind), bytes_of(component.0));
        if let Some(numbers) = self.read.get(&index) {
            return Ok((numbers.clone(), width));
        }
        if accessor.sparse.is_some() {
            return Err(self.fail(place, "sparse accessors are not read; export without them"));
        }
        let Some(view) = accessor.buffer_view.map(|v| v.value()) else {
            return Err(self.fail(place, "has no bufferView and so no data"));
        };
        let Some(view) = self.root.buffer_views.get(view) else {
            return Err(self.fail(place, format!("bufferViews[{view}] does not exist")));
        };
        let (count, normalized) = (accessor.count.0, accessor.normalized);
        let stride = view.byte_stride.map_or(width * size, |s| s.0) as u64;
        let (start, length) = (view.byte_offset.map_or(0, |o| o.0), view.byte_length.0);
        let offset = accessor.byte_offset.map_or(0, |o| o.0);
        let buffer = view.buffer.value();
        if buffer >= self.buffers.len() {
            return Err(self.fail(place, format!("buffers[{buffer}] does not exist")));
        }
        let value = (width * size) as u64;
        // In 64 bits and checked: a count of 2⁶³ must not wrap around to a small one.
        let last =
            count.checked_sub(1).and_then(|n| n.checked_mul(stride)).and_then(|n| n.checked_add(offset));
        let needed = if count == 0 { Some(0) } else { last.and_then(|n| n.checked_add(value)) };
        if stride < value || needed.is_none_or(|n| n > length) {
            let problem = format!(
                "{count} values of {value} bytes, {stride} apart from {offset}, do not fit in a view of {length} bytes"
            );
            return Err(self.fail(place, problem));
        }
        self.load(buffer)?;
        let bytes = self.buffers[buffer].as_deref().unwrap_or_default();
        let end = start.checked_add(length);
        let Some(bytes) = end.and_then(|end| bytes.get(start as usize..usize::try_from(end).ok()?)) else {
            let problem = format!(
                "its view of {length} bytes from {start} ends beyond its buffer of {} bytes",
                bytes.len()
            );
            return Err(self.fail(place, problem));
        };
        let total = count as usize * width;
        if total > self.budget {
            return Err(self.fail(place, OVER_AND_OVER));
        }
        self.budget -= total;
        let mut numbers = Vec::with_capacity(total);
        for i in 0..count as usize {
            for k in 0..width {
                let at = offset as usize + i * stride as usize + k * size;
                let number = decode(&bytes[at..at + size], component.0, normalized);
                if !number.is_finite() {
                    return Err(
                        self.fail(place, format!("number {k} of value {i} is {number}, allowed: finite"))
                    );
                }
                numbers.push(number);
            }
        }
        let numbers: Arc<[f32]> = numbers.into();
        self.read.insert(index, numbers.clone());
        Ok((numbers, width))
    }
}

impl Data<'_> {
    /// A picture as its file has it: its kind and bytes; none if it is neither PNG nor JPEG, or cannot be read.
    pub(super) fn picture(&mut self, index: usize) -> Option<(&'static str, Vec<u8>)> {
        let image = self.root.images.get(index)?;
        let (view, uri) = (image.buffer_view.map(|v| v.value()), image.uri.clone());
        let bytes = match (view, uri) {
            (Some(view), _) => {
                let view = self.root.buffer_views.get(view)?;
                let (buffer, start) = (view.buffer.value(), view.byte_offset.map_or(0, |o| o.0));
                let end = start.checked_add(view.byte_length.0)?;
                self.buffers.get(buffer)?;
                self.load(buffer).ok()?;
                let bytes = self.buffers.get(buffer)?.as_deref()?;
                bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?.to_vec()
            }
            (None, Some(uri)) if uri.starts_with("data:") => {
                base64::engine::general_purpose::STANDARD.decode(uri.split_once(";base64,")?.1).ok()?
            }
            (None, Some(uri)) => self.beside(&format!("images[{index}]"), &uri).ok()?,
            (None, None) => return None,
        };
        // The first bytes tell, whatever the file says.
        if bytes.starts_with(&[0x89, b'P', b'N', b'G']) {
            Some(("image/png", bytes))
        } else {
            bytes.starts_with(&[0xFF, 0xD8, 0xFF]).then_some(("image/jpeg", bytes))
        }
    }
}

const OVER_AND_OVER: &str = "the same bytes are read over and over; more than the file is worth";

impl Data<'_> {
    /// Counts numbers that something else makes of what was read.
    pub(super) fn charge(&mut self, place: String, numbers: usize) -> Result<(), CharacterError> {
        self.budget =
            self.budget.checked_sub(numbers).ok_or_else(|| part(self.path, place, OVER_AND_OVER))?;
        Ok(())
    }
}

/// Header, JSON and binary chunk of a GLB. (The crate's own splitter underflows on a length below that of the header.)
fn split<'a>(path: &Path, bytes: &'a [u8]) -> Result<(&'a [u8], Option<&'a [u8]>), CharacterError> {
    let word = |at: usize| {
        bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(|b| u32::from_le_bytes(b) as usize)
    };
    let cut = |place: &str| part(path, place, "the file is cut off; copy or export it again");
    let version = word(4).ok_or_else(|| cut("header"))?;
    if version != 2 {
        return Err(part(path, "header", format!("GLB version {version}, allowed: 2")));
    }
    let (mut text, mut binary, mut at) = (None, None, 12);
    while let (Some(length), Some(kind)) = (word(at), bytes.get(at + 4..at + 8)) {
        let place = format!("chunk at byte {at}");
        let chunk = bytes.get(at + 8..).and_then(|rest| rest.get(..length)).ok_or_else(|| cut(&place))?;
        match kind {
            b"JSON" if text.is_none() => text = Some(chunk),
            b"BIN\0" if binary.is_none() => binary = Some(chunk),
            // Chunks of other kinds are to be skipped.
            _ => {}
        }
        at = at + 8 + length;
    }
    let text = text.ok_or_else(|| part(path, "header", "no JSON chunk; this is not a whole GLB file"))?;
    Ok((text, binary))
}

fn components(kind: Type) -> usize {
    match kind {
        Type::Scalar => 1,
        Type::Vec2 => 2,
        Type::Vec3 => 3,
        Type::Vec4 | Type::Mat2 => 4,
        Type::Mat3 => 9,
        Type::Mat4 => 16,
    }
}

fn bytes_of(component: ComponentType) -> usize {
    match component {
        ComponentType::I8 | ComponentType::U8 => 1,
        ComponentType::I16 | ComponentType::U16 => 2,
        ComponentType::U32 | ComponentType::F32 => 4,
    }
}

fn decode(bytes: &[u8], component: ComponentType, normalized: bool) -> f32 {
    let two = || [bytes[0], bytes[1]];
    let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
    let scaled = |value: f32, most: f32| if normalized { (value / most).max(-1.0) } else { value };
    match component {
        ComponentType::I8 => scaled(f32::from(bytes[0] as i8), 127.0),
        ComponentType::U8 => scaled(f32::from(bytes[0]), 255.0),
        ComponentType::I16 => scaled(f32::from(i16::from_le_bytes(two())), 32767.0),
        ComponentType::U16 => scaled(f32::from(u16::from_le_bytes(two())), 65535.0),
        ComponentType::U32 => u32::from_le_bytes(four()) as f32,
        ComponentType::F32 => f32::from_le_bytes(four()),
    }
}

/// `%20` and its like as what they stand for.
fn unescaped(uri: &str) -> Option<String> {
    let (mut out, bytes) = (Vec::with_capacity(uri.len()), uri.as_bytes());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let code = bytes.get(at + 1..at + 3).and_then(|h| std::str::from_utf8(h).ok())?;
            out.push(u8::from_str_radix(code, 16).ok()?);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}

fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}
