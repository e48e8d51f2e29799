//! Characters and motion from files: BVH and glTF, mapped to our body by themselves.
//!
//! In: a file. Out: which joint is which part and how sure that is, units and axes, a [`Body`] like the one in the file, and
//! clips for any skeleton, their feet cleaned. Order of the data: [`bvh`] or [`gltf_file`] → [`source`] → mapping by map
//! file, VRM extension, names, shape → [`space`] → reference pose → contacts → [`Draft`](trample::imported::Draft) → clips.
//!
//! ```no_run
//! use trample::body::Skeleton;
//! use trample::clips::Database;
//! use trample::params::{Body, Field};
//! use trample_files::character::{self, MapOptions};
//!
//! let loaded = character::load("walk.bvh".as_ref(), &MapOptions::default())?;
//! let skeleton = Skeleton::new(&Body::default());
//! let clips = loaded.clips_for(&skeleton);
//! let database = Database::untagged(&skeleton, &clips);
//! # Ok::<(), character::CharacterError>(())
//! ```

pub mod bvh;
mod choice;
mod conventions;
mod error;
mod figure;
pub mod four_footed;
mod front;
mod gltf_data;
pub mod gltf_file;
mod hang;
mod joint_motion;
pub mod map_file;
mod mapping;
mod measure;
mod names;
mod number;
mod outfit;
mod part;
mod posed_mesh;
mod ready_body;
mod repeat;
mod retarget;
mod snapshot;
pub mod source;
pub mod space;
mod stride;
mod texture;
mod topology;
mod travel;
mod upright;
pub(crate) mod write_bvh;

pub use choice::{Chosen, Shows, recorded};
pub use error::CharacterError;
pub use figure::TOES_AT;
pub use four_footed::{FourFooted, FourFootedMotion};
pub use joint_motion::{Fit, JointMotion, Track, Tread, is_own_sole};
pub use map_file::MapFile;
pub use measure::{Measured, Stride};
pub use outfit::{Bind, Morph, Outfit, Paint, Picture, Piece};
pub use part::{Found, How, Mapping, PARTS, Part};
pub use posed_mesh::PosedMesh;
pub use ready_body::ReadyBody;
pub use source::{Format, Local, Source};
pub use space::Space;
pub use stride::{Strides, TakeStride};
pub use upright::{TakeFacts, Upright};
pub use write_bvh::write_bvh;

use crate::memory;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use trample::body::Skeleton;
use trample::clips::Clip;
use trample::glam::Vec3;
use trample::params::{Body, Field};

/// Largest file that is read, bytes.
pub const LARGEST: u64 = 512 << 20;

/// Less sure than this a user is asked. Our choice.
pub const SURE: f32 = 0.6;

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
    // Nothing refers to the readers then, so that the linker leaves them out.
    if cfg!(not(feature = "characters")) {
        let problem = "this build reads no characters and recordings; the command does";
        let source = io::Error::new(io::ErrorKind::Unsupported, problem);
        return Err(CharacterError::Io { path: path.into(), action: "read the character", source });
    }
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
    let mut source = read(path, bytes)?;
    source.takes.iter_mut().for_each(source::Take::trim);
    hang::rehang(&mut source);
    let looks = mapping::Looks::new(&source);
    let mass = options.mass.or(map.mass);
    let character = match mapping::find(path, &source, &looks, map)? {
        mapping::Kind::Upright(mapping) => {
            hang::feet_end(&mut source, &mapping);
            Character::Upright(Box::new(Upright::new(path, &source, &looks, *mapping, map, mass)?))
        }
        mapping::Kind::FourFooted { hind, fore, more, ahead, up } => {
            let (axes, about) = ((ahead, map.up.unwrap_or(up)), (path, map.unit));
            let mut animal = FourFooted::new(&source, &looks, &hind, fore.as_ref(), axes, mass, about);
            animal.more_legs = 2 * more;
            Character::FourFooted(Box::new(animal))
        }
    };
    Ok(Loaded { path: path.into(), source, character })
}

/// Reads the joints and takes of a file without understanding them: for what can be said of a file that cannot be used.
pub fn peek(path: &Path) -> Result<Source, CharacterError> {
    read(path, &read_bytes(path)?)
}

/// Reads a file by its first bytes, whatever its name.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Source, CharacterError> {
    let start = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes).trim_ascii_start();
    if start.starts_with(b"glTF") || start.starts_with(b"{") {
        gltf_file::read(path, bytes)
    } else if start.get(..4).is_some_and(|s| s.eq_ignore_ascii_case(b"HIER")) {
        bvh::read(path, bytes)
    } else if start.starts_with(b"Kaydara FBX") || start.starts_with(b"; FBX") {
        Err(CharacterError::Fbx { path: path.into() })
    } else {
        Err(CharacterError::UnknownFormat { path: path.into() })
    }
}

/// Whether a file name is one of a character or motion.
pub fn is_character(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    matches!(extension.as_str(), "bvh" | "gltf" | "glb" | "vrm" | "fbx")
}

impl Loaded {
    /// How sure it is what it was taken for, 0 to 1.
    pub fn sure(&self) -> f32 {
        match &self.character {
            Character::Upright(upright) => upright.mapping.sure().min(upright.space.sure),
            Character::FourFooted(animal) => animal.space.sure,
        }
    }

    /// What to say of a body that is likely not what it was taken for; none if it is sure enough.
    pub fn doubt(&self) -> Option<String> {
        (self.sure() < SURE).then(|| {
            format!(
                "{}: only {:.0} % sure which joint is which, or of unit and axes; look at `trample check`, say it in a map file, or go on \
                 with --yes",
                self.path.display(),
                100.0 * self.sure()
            )
        })
    }

    /// Why a walker of a scene cannot be it, if that is so: what `check` and a scene refuse alike.
    pub fn problem(&self) -> Option<String> {
        let at = self.path.display();
        match &self.character {
            Character::Upright(upright) => {
                let (bad, value) = Field::out_of_range(Body::FIELDS, &upright.body)?;
                Some(format!(
                    "{at}: its {} is {value:.3}, allowed: {}; a map file beside it can say its unit and mass",
                    bad.name,
                    bad.allowed()
                ))
            }
            Character::FourFooted(animal) => {
                animal.strides(&self.source).choose(None, None).err().map(|e| format!("{at}: {e}"))
            }
        }
    }

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
        let mut skin = self.upright().map_or(Vec::new(), |u| u.foot_skin(&self.source, side));
        let lowest = skin.iter().flatten().map(|p| p.y).fold(f32::MAX, f32::min);
        skin.iter_mut().flatten().for_each(|p| p.y -= lowest);
        skin
    }

    /// Every take measured on the file's own body.
    pub fn measure(&self) -> Vec<Measured> {
        self.upright().map_or(Vec::new(), |u| u.measure(&self.source))
    }
}
