//! What persists between steps, each field listed once. Snapshots, restoring and hashes are made from these lists.
//!
//! [`state!`] stands below a struct and takes it apart without `..`: a new field that is in neither of its two lists does
//! not compile. [`World`](crate::World) walks the lists in `world/snapshot.rs`.

use crate::hash::Hasher;
use glam::{DVec2, Quat, Vec2, Vec3};

/// Version of the snapshot layout. Increased whenever a list of state changes.
pub const VERSION: u32 = 13;

/// Reason why a snapshot cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Written by another version.
    #[error("snapshot version {0}, this program reads version {VERSION}; run the scene anew")]
    Version(u32),
    /// Truncated, or contains an invalid value.
    #[error("snapshot is cut off or damaged at byte {0}")]
    Damaged(usize),
    /// Belongs to another scene.
    #[error("snapshot belongs to another scene: {0}")]
    OtherScene(String),
    /// Readable, but not the state that was saved.
    #[error("snapshot holds another state than the one that was saved")]
    OtherState,
}

/// The smallest pieces that state is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf {
    U8(u8),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
}

/// Takes state in, leaf by leaf, in the order of the lists.
pub(crate) trait Sink {
    fn leaf(&mut self, leaf: Leaf);
    /// Says which field the next leaves belong to, as `Struct.field`.
    fn field(&mut self, _name: &'static str) {}
}

/// State that can be written to any sink and read back from bytes.
pub(crate) trait Persist {
    fn write(&self, to: &mut impl Sink);
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError>;
}

/// Lists the state of a struct: `state! { Foot { down, gap } except { cache } }`. What follows `except` is not state: it comes
/// from the scene, is derived, or is written by the owner of the struct. The length of a `list[..]` comes from the scene.
macro_rules! state {
    ($type:ty { $($field:ident $([$all:tt])?),* $(,)? } $(except { $($other:ident),* $(,)? })?) => {
        impl $crate::persist::Persist for $type {
            fn write(&self, to: &mut impl $crate::persist::Sink) {
                let Self { $($field,)* $($($other: _,)*)? } = self;
                $(
                    to.field(concat!(stringify!($type), ".", stringify!($field)));
                    $field $([$all])? .write(to);
                )*
            }

            fn read(
                &mut self,
                from: &mut $crate::persist::Reader<'_>,
            ) -> Result<(), $crate::persist::SnapshotError> {
                let Self { $($field,)* $($($other: _,)*)? } = self;
                $($field $([$all])? .read(from)?;)*
                Ok(())
            }
        }
    };
}
pub(crate) use state;

macro_rules! leaves {
    ($($type:ty => $leaf:ident, $write:expr, $read:expr;)*) => {$(
        impl Persist for $type {
            fn write(&self, to: &mut impl Sink) {
                to.leaf(Leaf::$leaf(($write)(*self)));
            }

            fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
                let leaf = from.bytes()?;
                *self = ($read)(leaf).ok_or(SnapshotError::Damaged(from.at))?;
                Ok(())
            }
        }
    )*};
}
leaves! {
    u8 => U8, |x| x, |[x]: [u8; 1]| Some(x);
    bool => U8, u8::from, |[x]: [u8; 1]| (x < 2).then_some(x == 1);
    u16 => U32, u32::from, |x| u16::try_from(u32::from_le_bytes(x)).ok();
    u32 => U32, |x| x, |x| Some(u32::from_le_bytes(x));
    i32 => U32, i32::cast_unsigned, |x| Some(i32::from_le_bytes(x));
    u64 => U64, |x| x, |x| Some(u64::from_le_bytes(x));
    usize => U64, |x| x as u64, |x| usize::try_from(u64::from_le_bytes(x)).ok();
    f32 => F32, |x| x, |x| Some(f32::from_le_bytes(x));
    f64 => F64, |x| x, |x| Some(f64::from_le_bytes(x));
}

impl Persist for i128 {
    fn write(&self, to: &mut impl Sink) {
        [*self as u64, (*self >> 64) as u64].write(to);
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        *self = Self::from_le_bytes(from.bytes()?);
        Ok(())
    }
}

macro_rules! vectors {
    ($($type:ty),*) => {$(
        impl Persist for $type {
            fn write(&self, to: &mut impl Sink) {
                self.to_array().write(to);
            }

            fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
                let mut array = self.to_array();
                array.read(from)?;
                *self = Self::from_array(array);
                Ok(())
            }
        }
    )*};
}
vectors!(Vec2, Vec3, DVec2, Quat);

impl<T: Persist, const N: usize> Persist for [T; N] {
    fn write(&self, to: &mut impl Sink) {
        self.iter().for_each(|item| item.write(to));
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        self.iter_mut().try_for_each(|item| item.read(from))
    }
}

/// A list whose length comes from the scene.
impl<T: Persist> Persist for [T] {
    fn write(&self, to: &mut impl Sink) {
        self.len().write(to);
        self.iter().for_each(|item| item.write(to));
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let n = from.value::<usize>()?;
        if n != self.len() {
            let of = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
            let problem = format!("a list of {n} {of}, the scene has {}", self.len());
            return Err(SnapshotError::OtherScene(problem));
        }
        self.iter_mut().try_for_each(|item| item.read(from))
    }
}

/// A list of any length.
impl<T: Persist + Default> Persist for Vec<T> {
    fn write(&self, to: &mut impl Sink) {
        self[..].write(to);
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        self.clear();
        for _ in 0..from.count()? {
            self.push(from.value()?);
        }
        Ok(())
    }
}

impl<T: Persist + Default> Persist for Option<T> {
    fn write(&self, to: &mut impl Sink) {
        self.is_some().write(to);
        self.iter().for_each(|item| item.write(to));
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        *self = if from.value()? { Some(from.value()?) } else { None };
        Ok(())
    }
}

impl<A: Persist, B: Persist> Persist for (A, B) {
    fn write(&self, to: &mut impl Sink) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        self.0.read(from)?;
        self.1.read(from)
    }
}

/// Bytes that are read from the front.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let slice = self.bytes[self.at..].first_chunk().ok_or(SnapshotError::Damaged(self.at))?;
        self.at += N;
        Ok(*slice)
    }

    /// The value that comes next.
    pub(crate) fn value<T: Persist + Default>(&mut self) -> Result<T, SnapshotError> {
        let mut value = T::default();
        value.read(self)?;
        Ok(value)
    }

    /// The length of a list. Every item takes a byte at least, and lists grow item by item, so that memory is taken only for
    /// what is there.
    pub(crate) fn count(&mut self) -> Result<usize, SnapshotError> {
        let n = self.value::<usize>()?;
        if n <= self.bytes.len() - self.at { Ok(n) } else { Err(SnapshotError::Damaged(self.at)) }
    }

    /// Keys come in order, and none twice.
    pub(crate) fn in_order<K: Copy + Ord>(&self, last: &mut Option<K>, key: K) -> Result<(), SnapshotError> {
        if last.replace(key) < Some(key) { Ok(()) } else { Err(SnapshotError::Damaged(self.at)) }
    }

    /// Nothing may be left over.
    pub(crate) fn end(self) -> Result<(), SnapshotError> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(SnapshotError::Damaged(self.at)) }
    }
}

/// A snapshot: bytes, little endian.
impl Sink for Vec<u8> {
    fn leaf(&mut self, leaf: Leaf) {
        match leaf {
            Leaf::U8(x) => self.push(x),
            Leaf::U32(x) => self.extend(x.to_le_bytes()),
            Leaf::U64(x) => self.extend(x.to_le_bytes()),
            Leaf::F32(x) => self.extend(x.to_le_bytes()),
            Leaf::F64(x) => self.extend(x.to_le_bytes()),
        }
    }
}

/// A hash of state. −0 counts as 0, because machines differ in the sign of a zero sum, and every NaN as the same one.
/// Words go to four hashers in turn, which a processor works on at the same time: the plants of a meadow are long lists.
#[derive(Default)]
pub(crate) struct StateHash {
    lanes: [Hasher; 4],
    words: usize,
    half: Option<u32>,
}

impl StateHash {
    #[inline]
    fn half(&mut self, x: u32) {
        let Some(low) = self.half.take() else {
            self.half = Some(x);
            return;
        };
        self.lanes[self.words % 4].word(u64::from(x) << 32 | u64::from(low));
        self.words += 1;
    }

    #[inline]
    fn whole(&mut self, x: u64) {
        self.half(x as u32);
        self.half((x >> 32) as u32);
    }

    pub(crate) fn finish(mut self) -> u64 {
        self.half(u32::MAX);
        let mut all = Hasher::default();
        all.word(self.words as u64);
        self.lanes.into_iter().for_each(|lane| all.word(lane.finish()));
        all.finish()
    }
}

impl Sink for StateHash {
    // Every caller knows which leaf it has.
    #[inline(always)]
    fn leaf(&mut self, leaf: Leaf) {
        match leaf {
            Leaf::U8(x) => self.half(x.into()),
            Leaf::U32(x) => self.half(x),
            Leaf::F32(x) if x.is_nan() => self.half(f32::NAN.to_bits()),
            Leaf::F32(x) => self.half(if x == 0.0 { 0 } else { x.to_bits() }),
            Leaf::F64(x) if x.is_nan() => self.whole(f64::NAN.to_bits()),
            Leaf::F64(x) => self.whole(if x == 0.0 { 0 } else { x.to_bits() }),
            Leaf::U64(x) => self.whole(x),
        }
    }
}
