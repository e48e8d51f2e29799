//! Characters and motion from files: BVH and glTF, mapped to our body by themselves.
//!
//! In: a file. Out: which joint is which part and how sure that is, units and axes, a [`Body`] like the one in the file, and
//! clips for any skeleton, their feet cleaned. Order of the data: [`bvh`] or [`gltf_file`] → [`source`] → mapping by map
//! file, VRM extension, names, shape → [`space`] → reference pose → contacts → [`Draft`](trample::motion::Draft) → clips.
//!
//! ```no_run
//! use trample::motion::{Skeleton, database::Database};
//! use trample::params::Body;
//! use trample_files::character::{self, MapOptions};
//!
//! let loaded = character::load("walk.bvh".as_ref(), &MapOptions::default())?;
//! let skeleton = Skeleton::new(&Body::default());
//! let clips = loaded.clips_for(&skeleton);
//! let database = Database::untagged(&skeleton, &clips);
//! # Ok::<(), character::CharacterError>(())
//! ```

pub mod bvh;
mod conventions;
mod error;
mod figure;
pub mod four_footed;
mod gltf_data;
pub mod gltf_file;
pub mod map_file;
mod mapping;
mod measure;
mod names;
mod number;
mod outfit;
mod part;
mod repeat;
mod retarget;
mod shown;
mod snapshot;
pub mod source;
pub mod space;
mod stride;
mod topology;
mod travel;
mod upright;
mod worn;
pub(crate) mod write_bvh;

pub use error::CharacterError;
pub use figure::TOES_AT;
pub use four_footed::{FourFooted, FourFootedMotion};
pub use map_file::MapFile;
pub use measure::{Measured, Stride};
pub use outfit::{Bind, Outfit, Paint, Picture, Piece};
pub use part::{Found, How, Mapping, PARTS, Part};
pub use shown::Shown;
pub use source::{Format, Source};
pub use space::Space;
pub use upright::{TakeFacts, Upright};
pub use worn::{Fit, Track, Worn, is_own_sole};
pub use write_bvh::write_bvh;

use crate::memory;
use std::io::Read;
use std::path::{Path, PathBuf};
use trample::glam::Vec3;
use trample::motion::{Clip, Skeleton};
use trample::params::Body;

/// Largest file that is read, bytes.
pub const LARGEST: u64 = 512 << 20;

/// What a user may say about a file.
#[derive(Clone, Debug, Default)]
pub struct MapOptions {
    /// A map file. Without one, `NAME.map.toml` beside the file is used if it is there.
    pub map_file: Option<PathBuf>,
    /// Mass of the body, kg; else that of a body of its size.
    pub mass: Option<f64>,
}

/// What kind of body was found.
#[derive(Clone, Debug)]
pub enum Character {
    /// On two legs.
    Upright(Box<Upright>),
    /// On four.
    FourFooted(Box<FourFooted>),
}

/// A file, read and understood.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub source: Source,
    /// What that is.
    pub character: Character,
}

/// Reads a character or motion and finds out what it is.
pub fn load(path: &Path, options: &MapOptions) -> Result<Loaded, CharacterError> {
    let bytes = read_bytes(path)?;
    let beside = path.with_extension("map.toml");
    let map_file = options
        .map_file
        .clone()
        .or_else(|| memory::facts(&beside).is_ok_and(|f| f.is_file).then_some(beside));
    let map = map_file.as_deref().map_or(Ok(MapFile::default()), map_file::read)?;
    understand(path, &bytes, &map, options)
}

/// The bytes of a file that is not too large.
fn read_bytes(path: &Path) -> Result<Vec<u8>, CharacterError> {
    let io = |action| move |source| CharacterError::Io { path: path.into(), action, source };
    let file = memory::open(path).map_err(io("open the file"))?;
    let size = file.len().map_err(io("look at the file"))?;
    if size > LARGEST {
        return Err(CharacterError::TooLarge { path: path.into(), size, largest: LARGEST });
    }
    let mut bytes = Vec::with_capacity(size as usize);
    // What is not a file does not say how long it is: read no more than is allowed.
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(io("read the file"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(CharacterError::TooLarge {
            path: path.into(),
            size: bytes.len() as u64,
            largest: LARGEST,
        });
    }
    Ok(bytes)
}

/// The same from bytes; `path` is for messages and for files beside a glTF file.
pub fn understand(
    path: &Path,
    bytes: &[u8],
    map: &MapFile,
    options: &MapOptions,
) -> Result<Loaded, CharacterError> {
    let source = read(path, bytes)?;
    let looks = mapping::Looks::new(&source);
    let mass = options.mass.or(map.mass);
    let character = match mapping::find(path, &source, &looks, map)? {
        mapping::Kind::Upright(mapping) => {
            Character::Upright(Box::new(Upright::new(path, &source, &looks, *mapping, map, mass)?))
        }
        mapping::Kind::FourFooted { hind, fore, up } => {
            Character::FourFooted(Box::new(FourFooted::new(&source, &looks, &hind, &fore, up, mass)))
        }
    };
    Ok(Loaded { path: path.into(), source, character })
}

/// Reads a file by its first bytes, whatever its name.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Source, CharacterError> {
    let start = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes).trim_ascii_start();
    if start.starts_with(b"glTF") || start.starts_with(b"{") {
        gltf_file::read(path, bytes)
    } else if start.get(..4).is_some_and(|s| s.eq_ignore_ascii_case(b"HIER")) {
        bvh::read(path, bytes)
    } else {
        Err(CharacterError::UnknownFormat { path: path.into(), start: error::shown(start) })
    }
}

/// Whether a file name is one of a character or motion.
pub fn is_character(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    matches!(extension.as_str(), "bvh" | "gltf" | "glb" | "vrm")
}

impl Loaded {
    /// The body on two legs, if that is what it is.
    pub fn upright(&self) -> Option<&Upright> {
        match &self.character {
            Character::Upright(upright) => Some(upright),
            Character::FourFooted(_) => None,
        }
    }

    /// The body on four legs, if that is what it is.
    pub fn four_footed(&self) -> Option<&FourFooted> {
        match &self.character {
            Character::Upright(_) => None,
            Character::FourFooted(animal) => Some(animal),
        }
    }

    /// All its motions on a skeleton at the database's rate, cleaned and cut into clips of one kind each. Empty for a file
    /// without motion and for animals.
    pub fn clips_for(&self, skeleton: &Skeleton) -> Vec<Clip> {
        self.upright().map_or(Vec::new(), |u| u.clips_for(&self.source, skeleton))
    }

    /// The body in the file as one of ours.
    pub fn body(&self) -> Option<&Body> {
        self.upright().map(|u| &u.body)
    }

    /// The skin below an ankle (0 left, 1 right) as triangles in the sole's frame: x ahead, y up, z right, m. Empty without
    /// a skin.
    pub fn sole(&self, side: usize) -> Vec<[Vec3; 3]> {
        self.upright().map_or(Vec::new(), |u| u.sole(&self.source, side))
    }

    /// Every take measured on the file's own body.
    pub fn measure(&self) -> Vec<Measured> {
        self.upright().map_or(Vec::new(), |u| u.measure(&self.source))
    }
}
